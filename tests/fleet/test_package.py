# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection as its users get it: built, installed from the tarball by an account without the checkout, and the guide for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from console import blocks, commands, fits

CHECKOUT = Path(__file__).resolve().parents[2]
BIN = os.path.dirname(sys.executable)
# All that lies at the top of the tarball, and of docs: nothing of the tests, and nothing that is for work on the checkout.
TOP = {
    "CHANGELOG.md", "FILES.json", "LICENSE", "LICENSES", "MANIFEST.json", "README.md", "changelogs", "docs", "examples", "files", "inventory", "meta",
    "playbooks", "plugins", "profiles", "roles",
}  # fmt: skip


@pytest.fixture(scope="module")
def tarball(collections_path, tmp_path_factory):
    """The tarball that ansible-galaxy builds."""
    out = tmp_path_factory.mktemp("tarball")
    source = collections_path / "ansible_collections" / "agentihooks" / "fleet"
    command = [BIN + "/ansible-galaxy", "collection", "build", "--output-path", str(out), str(source)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, env=dict(os.environ, ANSIBLE_HOME=str(out / "home")))
    return next(out.glob("agentihooks-fleet-*.tar.gz"))


class Account:
    """A scratch account with the collection installed from the tarball, in the place that Ansible looks at by itself."""

    def __init__(self, user, tarball):
        self.user = user
        own = user.home / "agentihooks-fleet.tar.gz"
        shutil.copy(str(tarball), str(own))
        own.chmod(0o644)
        done = self.run("ansible-galaxy collection install --offline %s" % own)
        assert done.returncode == 0, done.stdout

    def run(self, command):
        """Run a line of shell in the home; both streams come as one."""
        path = "%s/.agentihooks/bin:%s:/usr/local/bin:/usr/bin:/bin" % (self.user.home, BIN)
        return self.user.run(["bash", "-c", "exec 2>&1; " + command], env={"PATH": path, "ANSIBLE_NOCOLOR": "1"}, check=False, timeout=300)

    def follow(self, page):
        """Do what a page says, from its first block to its last."""
        for comment, value, language, content in blocks((CHECKOUT / "docs" / page).read_text(encoding="utf-8")):
            if comment == "file":
                self.user.write(value, content)
            elif language == "console" and comment != "not run":
                for command, expected in commands(content):
                    done = self.run(command)
                    assert fits(done.stdout, expected) if expected else done.returncode == 0, (command, done.returncode, done.stdout)


def test_what_the_tarball_holds(tarball):
    with tarfile.open(str(tarball)) as archive:
        names = [name for name in archive.getnames() if name]
    assert {name.split("/")[0] for name in names} == TOP
    assert not [name for name in names if name.startswith("docs/site") or "__pycache__" in name]


def test_a_user_without_the_checkout(tarball, scratch_user):
    account = Account(scratch_user, tarball)
    options = "-i localhost, -c local -e ansible_python_interpreter=%s -e '{\"agentihooks_targets\": [\"copilot\"]}'" % sys.executable
    done = account.run("ansible-playbook agentihooks.fleet.site " + options)
    assert done.returncode == 0 and "failed=0" in done.stdout, done.stdout
    settings = json.loads((scratch_user.home / ".copilot/settings.json").read_text())
    assert settings["disableAllHooks"] is False
    shown = account.run("~/.agentihooks/bin/agentihooks explain 'cat ~/.ssh/id_rsa'")
    assert shown.returncode == 1 and "credential.file" in shown.stdout, shown.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", ["start.md", "write-a-guard.md"])
def test_the_guide_does_what_it_says(tarball, scratch_user, page):
    Account(scratch_user, tarball).follow(page)
