# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup as a playbook uses it: the inventory's variables per host, templates in them but none in files, and errors."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest
from ansible import release  # host Pythons leave this file out by that name

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
INVENTORY = CHECKOUT / "examples" / "inventory.yml"

PLAYBOOK = """
- hosts: workstations
  connection: local
  gather_facts: false
  tasks:
    - ansible.builtin.copy:
        content: "{{ lookup('agentihooks.fleet.profile') | to_json }}"
        dest: "{{ out }}/{{ inventory_hostname }}.json"
        mode: "0600"
      vars:
        ansible_python_interpreter: "{{ ansible_playbook_python }}"
"""


class Controller:
    """Runs playbooks in a scratch directory, as a controller without any configuration of its own."""

    def __init__(self, root):
        self.root = root
        root.joinpath("play.yml").write_text(PLAYBOOK)
        link = root / "collections" / "ansible_collections" / "agentihooks"
        link.mkdir(parents=True)
        (link / "fleet").symlink_to(CHECKOUT)

    def play(self, inventory, *extra):
        """Return (results by host, output)."""
        environ = {
            "PATH": os.path.dirname(sys.executable) + ":/usr/bin:/bin", "HOME": str(self.root), "LANG": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(self.root / "collections"), "ANSIBLE_NOCOLOR": "1",
        }  # fmt: skip
        done = subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "ansible-playbook"), "-i", str(inventory), "play.yml", "-e", "out=%s" % self.root] + list(extra),
            cwd=str(self.root), env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        results = {path.stem: json.loads(path.read_text()) for path in self.root.glob("*.json")}
        return results, done.stdout + done.stderr


@pytest.fixture
def controller(tmp_path):
    assert release.__version__
    return Controller(tmp_path)


def test_two_hosts_with_different_chains_and_a_host_override(controller):
    results, output = controller.play(INVENTORY)
    ada, grace = results["ada"], results["grace"]
    assert "failed=0" in output
    assert (ada["chain"], grace["chain"]) == (["default", "engineer"], ["default", "engineer", "oncall"])
    assert (ada["settings"]["beep"], grace["settings"]["beep"]) == (True, False)
    assert ada["directives"] == {"channels": ["brain", "amygdala", "builds"], "browserCommand": "auto"}
    assert grace["directives"]["channels"] == ["brain", "amygdala", "incidents", "night-shift"]
    assert grace["directives"]["suppressBrowserLaunch"] is True and "browserCommand" not in grace["directives"]
    assert ada["mcp_servers"]["tracker"]["env"]["TRACKER_PROJECT"] == "compilers"
    assert ada["mcp_servers"]["tracker"]["args"] == ["--stdio"] and grace["mcp_servers"]["tracker"]["args"] == ["--stdio", "--incidents"]
    assert len(ada["persona"]) == 2 and len(grace["persona"]) == 3


def test_templates_count_in_the_inventory_and_never_in_a_file(controller):
    bundle = controller.root / "bundle" / "profiles" / "a"
    (bundle / ".copilot").mkdir(parents=True)
    (bundle / ".claude").mkdir()
    (bundle / ".copilot" / "settings.overrides.json").write_text('{"model": "{{ lookup(\'pipe\', \'touch pwned\') }}"}')
    (bundle / ".claude" / ".mcp.json").write_text('{"x": {"command": "{{inventory_hostname}}"}}')
    (controller.root / "hosts.yml").write_text(
        "workstations:\n  hosts:\n    ada:\n      which: a\n      agentihooks_bundle: bundle\n      agentihooks_profiles: ['{{ which }}']\n"
        "      agentihooks_copilot_settings: {theme: '{{ inventory_hostname }}'}\n"
    )
    results, output = controller.play("hosts.yml")
    assert results["ada"]["settings"]["theme"] == "ada", output
    assert results["ada"]["settings"]["model"] == "{{ lookup('pipe', 'touch pwned') }}"
    assert results["ada"]["mcp_servers"]["x"]["command"] == "{{inventory_hostname}}"
    assert not (controller.root / "pwned").exists()


def test_a_relative_bundle_is_also_looked_for_where_the_run_was_started(controller):
    (controller.root / "plays").mkdir()
    (controller.root / "play.yml").rename(controller.root / "plays" / "play.yml")
    (controller.root / "play.yml").write_text("- import_playbook: plays/play.yml\n")
    (controller.root / "mine" / "profiles" / "default").mkdir(parents=True)
    (controller.root / "hosts.yml").write_text("workstations:\n  hosts:\n    ada:\n")
    results, output = controller.play("hosts.yml", "-e", "agentihooks_bundle=./mine")
    assert results["ada"]["bundle"] == {"source": "mine", "commit": "", "label": "mine"}, output


def test_an_error_stops_that_host_alone(controller):
    (controller.root / "hosts.yml").write_text(
        "workstations:\n  hosts:\n    ada:\n    grace:\n      agentihooks_profiles: [default, nope]\n      agentihooks_copilot_settings: {beep: loud}\n"
        "      agentihooks_copilot_setting: {}\n"
    )
    results, output = controller.play("hosts.yml")
    assert list(results) == ["ada"]
    assert "the variable agentihooks_copilot_setting is none" in " ".join(output.split()), output
    assert "there is no profile nope" in output and "Traceback" not in output
