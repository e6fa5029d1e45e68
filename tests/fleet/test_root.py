# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Root that configures somebody else's home works in that person's name: it lends them no right of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def as_root(collections_path):
    """A function that runs the site playbook as root for a home; returns the CompletedProcess (text)."""
    with tempfile.TemporaryDirectory(prefix="agentihooks-root-") as scratch:
        environment = {
            "PATH": os.path.dirname(sys.executable) + ":/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": scratch, "ANSIBLE_HOME": scratch,
            "ANSIBLE_REMOTE_TEMP": scratch + "/remote", "ANSIBLE_COLLECTIONS_PATH": str(collections_path), "ANSIBLE_NOCOLOR": "1",
        }  # fmt: skip

        def run(home):
            variables = json.dumps({"agentihooks_home": str(home), "ansible_python_interpreter": sys.executable})
            command = ["ansible-playbook", "-i", "localhost,", "-c", "local", "-e", variables, "agentihooks.fleet.site"]
            return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False, stdin=subprocess.DEVNULL)

        yield run


def test_a_program_in_the_home_never_runs_as_root(as_root, scratch_user):
    user = scratch_user
    user.write(".local/bin/copilot", "#!/bin/sh\nid -u >>%s/ran-as\necho 1.0.102\n" % user.home, mode=0o755)
    done = as_root(user.home)
    assert done.returncode == 0, done.stdout
    assert set((user.home / "ran-as").read_text().split()) <= {str(user.uid)}
    assert "preToolUse" in (user.home / ".copilot" / "hooks" / "agentihooks.json").read_text()
    assert {path.lstat().st_uid for path in user.home.rglob("*")} == {user.uid}
    assert "changed=0" in as_root(user.home).stdout


@pytest.mark.parametrize("name", [".copilot", ".copilot/hooks", ".agentihooks"])
def test_a_link_to_a_directory_of_roots_is_not_written_through(as_root, scratch_user, name):
    user = scratch_user
    with tempfile.TemporaryDirectory(prefix="agentihooks-victim-") as victim:
        os.chmod(victim, 0o755)
        if "/" in name:
            user.run(["mkdir", user.home / Path(name).parent])
        user.run(["ln", "-s", victim, user.home / name])
        done = as_root(user.home)
        assert done.returncode != 0 and "Traceback" not in done.stdout + done.stderr, done.stdout
        assert os.listdir(victim) == [] and os.stat(victim).st_uid == 0
