# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle that a git server gives out: fetched once for all hosts, recorded, and at hand when the server is not."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "bundle"
HOSTS = 12

PROFILE = {"profile": "{{ lookup('agentihooks.fleet.profile') }}"}
WRITE = {
    "agentihooks.fleet.copilot_settings": {"settings": "{{ profile.settings }}", "source": "{{ profile.bundle.label }}"},
    "vars": PROFILE,
}
SHOW = {"ansible.builtin.debug": {"msg": "{{ profile.bundle.label }} {{ profile.settings | length }} {{ profile.agents | length }}"}, "vars": PROFILE}


class Server:
    """A git server on loopback with the example bundle in it, run by an account. url: the bundle's address. first, second: commits."""

    def __init__(self, user):
        self.user = user
        self.root = user.home / "served"
        self.work = self.root / "bundle"
        shutil.copytree(str(EXAMPLE), str(self.work))
        subprocess.run(["chown", "-R", "%d:%d" % (user.uid, user.gid), str(self.root)], check=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.first = self._commit()
        user.write("served/bundle/.copilot/settings.overrides.json", '{"theme": "later"}')
        self.second = self._commit()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = "git://127.0.0.1:%d/bundle" % self.port
        self.log = self.root / "daemon.log"
        self.process = None

    def git(self, *arguments):
        return self.user.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com"] + list(arguments), cwd=self.work).stdout.strip()

    def _commit(self):
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["git", "daemon", "--verbose", "--reuseaddr", "--export-all", "--listen=127.0.0.1", "--port=%d" % self.port, "--base-path=%s" % self.root],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.user.environment(), user=self.user.uid, group=self.user.gid,
            )  # fmt: skip
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.1)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(20)
            self.process = None

    def fetches(self):
        """Return how many times the bundle was asked for."""
        return self.log.read_text().count("Request upload-pack for '/bundle'")


@pytest.fixture
def server(scratch_user):
    made = Server(scratch_user)
    yield made
    made.stop()


def variables(bundle, commit):
    return ["-e", json.dumps({"agentihooks_bundle": bundle, "agentihooks_bundle_commit": commit, "agentihooks_profiles": ["default", "engineer"]})]


def test_a_git_server(controller, server):
    home = controller.user.home
    server.start()
    run = controller.play([WRITE, SHOW, {"agentihooks.fleet.agentihooks_facts": {}}], variables(server.url, server.first))
    assert run.code == 0 and run.changed == 1, run.output
    label = "%s@%s" % (server.url, server.first)
    assert run.results[1]["msg"] == label + " 3 2"
    assert run.results[2]["ansible_facts"]["agentihooks"]["ledgers"]["copilot"]["source"] == label
    assert json.loads((home / ".copilot/.agentihooks-managed.json").read_text())["source"] == label
    assert "theme" not in json.loads((home / ".copilot/settings.json").read_text())
    assert os.listdir(str(home / ".cache/agentihooks-fleet")) == ["bundles"]
    asked = server.fetches()
    assert asked >= 1
    # The same again without the server, and a new commit with it.
    server.stop()
    again = controller.play([WRITE], variables(server.url, server.first))
    assert (again.code, again.changed) == (0, 0), again.output
    missing = controller.play([WRITE], variables(server.url, server.second))
    assert "%s cannot be fetched" % server.url in missing.message and (home / ".copilot/settings.json").exists()
    server.start()
    after = controller.play([WRITE], variables(server.url, server.second))
    assert (after.code, after.changed) == (0, 1), after.output
    assert json.loads((home / ".copilot/settings.json").read_text())["theme"] == "later"
    assert json.loads((home / ".copilot/.agentihooks-managed.json").read_text())["source"].endswith(server.second)
    assert server.fetches() > asked


def test_many_hosts_at_once_fetch_once(controller, server):
    server.start()
    inventory = ["-i", "".join("h%d," % number for number in range(HOSTS)), "-f", "6"]
    run = controller.play([SHOW, SHOW], inventory + variables(server.url, server.first))
    # The inventory of the Controller's own, one host more.
    assert run.code == 0 and len([result for result in run.results if server.first in result["msg"]]) == 2 * (HOSTS + 1), run.output
    # One fetch asks once or twice: protocol 2 lists the branches first where it must.
    assert 1 <= server.fetches() <= 2, server.log.read_text()


def test_a_file_address_and_a_branch_that_is_refused(controller, server):
    url = server.work.as_uri()
    run = controller.play([SHOW], variables(url, server.second))
    assert run.results[0]["msg"].startswith("%s@%s " % (url, server.second)), run.output
    refused = controller.play([SHOW], variables(url, "main"))
    assert "full id of a commit" in refused.message and "git ls-remote %s main" % url in refused.message


def test_a_login_is_in_no_output(controller, server):
    """Nobody answers there; the highest verbosity tells what was tried."""
    secret = "pass" + "word-of-ada"
    address = "https://ada:%s@127.0.0.1:1/bundle" % secret
    run = controller.play([WRITE], variables("placeholder", server.first) + ["-e", "@%s" % _variables_file(controller, address)] + ["-vvvv"])
    assert run.code != 0 and "https://127.0.0.1:1/bundle cannot be fetched" in run.output, run.output
    assert secret not in run.output


def _variables_file(controller, address):
    return controller.user.write("vars.json", json.dumps({"agentihooks_bundle": address}), 0o600)
