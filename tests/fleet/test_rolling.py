# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling over a fleet of real SSH hosts: a canary that fails ends it, a host that fails later keeps nobody back; and cached facts."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from fleet_proof import play

pytestmark = pytest.mark.exhaustive

BROKEN = "read-only"
SECRET = "only-for-ada-4711"


def site(lab, **variables):
    """Play site for Copilot over the lab's hosts; return (the Run, names of the hosts whose home is not as at the start)."""
    run = play(lab, "site", "-e", json.dumps(dict(variables, agentihooks_targets=["copilot"])))
    return run, set(lab.changed())


def told(run, name):
    """Return the last line of the closing table about a host."""
    return [line for line in run.output.splitlines() if line.startswith(name + " ") and "ok=" not in line][-1]


def test_a_canary_that_fails_ends_the_run_before_any_other_host(start_lab):
    lab = start_lab({"canary": BROKEN, "first": "fresh", "second": "fresh"})
    run, changed = site(lab, agentihooks_serial=[1, "100%"])
    assert run.failed == {"canary": 1} and changed == set(), run.output
    assert "is not writable for user ada" in run.results["canary"][-1]["msg"]


def test_a_host_that_fails_in_a_later_batch_is_whole_and_named_and_the_others_are_done(start_lab):
    lab = start_lab({"canary": "fresh", "first": BROKEN, "second": "fresh"})
    run, changed = site(lab, agentihooks_serial=[1, "100%"])
    assert run.failed == {"canary": 0, "first": 1, "second": 0} and changed == {"canary", "second"}, run.output
    assert "NOT DONE" in told(run, "first") and "created" in told(run, "canary") and "created" in told(run, "second")
    again, _changed = site(lab, agentihooks_serial=[1, "100%"])
    assert again.changed == {"canary": 0, "first": 0, "second": 0} and again.failed["first"] == 1, again.output


def test_a_share_of_failures_ends_the_run_earlier(start_lab):
    lab = start_lab({"canary": "fresh", "first": BROKEN, "second": "fresh", "third": "fresh"})
    run, changed = site(lab, agentihooks_serial=[1, 2, 1], agentihooks_max_fail_percentage=20)
    assert "third" not in run.changed and changed in ({"canary"}, {"canary", "second"}), run.output
    assert "is not writable for user ada" in run.results["first"][-1]["msg"]


def test_cached_facts_are_of_use_and_hold_no_secret(start_lab, tmp_path):
    lab = start_lab({"ada": "own-config"})
    environment = {"ANSIBLE_CACHE_PLUGIN": "jsonfile", "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(tmp_path)}
    server = {"command": "tracker", "args": ["--key", "${TRACKER_KEY}"], "env": {"TOKEN": SECRET}}
    variables = {
        "agentihooks_targets": ["copilot"], "agentihooks_env": {"TRACKER_KEY": SECRET}, "agentihooks_mcp_servers": {"tracker": server},
        "agentihooks_copilot_settings": {"notes": {"password": SECRET}},
    }  # fmt: skip
    first = play(lab, "site", "-e", json.dumps(variables), environment=environment)
    again = play(lab, "site", "-e", json.dumps(variables), environment=environment)
    assert not first.failed["ada"] and first.changed["ada"] and (again.failed["ada"], again.changed["ada"]) == (0, 0), first.output + again.output
    cached = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert len(cached) == 1 and SECRET not in cached[0] and SECRET in (lab.home("ada") / ".agentihooks/copilot.env").read_text()
    assert json.loads(json.loads(cached[0]).get("__payload__", cached[0]))["agentihooks"]["copilot"]["version"] == "1.0.102"
    # As docs/fleet.md says, without the host.
    inventory = lab.directory.parent / "hosts.yml"
    inventory.write_bytes((lab.directory / "hosts.yml").read_bytes())
    lab.down()
    command = ["ansible", "all", "-i", str(inventory), "-m", "ansible.builtin.debug", "-a", "var=ansible_facts.agentihooks.copilot.version"]
    shown = subprocess.run(command, env=dict(os.environ, **environment), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert shown.returncode == 0 and "1.0.102" in shown.stdout, shown.stdout + shown.stderr
