# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is special about Copilot's own files: dropped keys, spellings of the trusted folders, and what a running CLI looks like."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _processes
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT


def test_reserved_keys_are_dropped_with_the_reason():
    kept, warnings = _copilot.without_reserved({"model": "m", "hooks": {}, "permissions": {}, "_agentihooks": {}, "trustedFolders": [], "_x": 1})
    assert kept == {"model": "m"}
    assert [warning.split(" ")[0] for warning in warnings] == [
        "settings.hooks", "settings.permissions", "settings._agentihooks", "settings.trustedFolders", "settings._x",
    ]  # fmt: skip
    assert all(": " in warning for warning in warnings)


@pytest.mark.parametrize(
    "config, key",
    [
        (ABSENT, "trustedFolders"),
        ({}, "trustedFolders"),
        ({"trusted_folders": []}, "trusted_folders"),
        ({"trustedFolders": [], "trusted_folders": []}, "trustedFolders"),
    ],
)
def test_the_spelling_that_is_there_is_used(config, key):
    assert _copilot.trusted_key(config) == key


def test_folders_are_absolute():
    assert _copilot.absolute_folders(["~", "~/src/", "/srv//x/../y", "/~/z"], "/home/ada") == ["/home/ada", "/home/ada/src", "/srv/y", "/~/z"]
    for folder in ("src", "", "~bob/src", "./x"):
        with pytest.raises(ValueError, match="no absolute path"):
            _copilot.absolute_folders([folder], "/home/ada")


@pytest.mark.parametrize(
    "argv, executable, yes",
    [
        (["copilot"], "/usr/lib/node_modules/@github/copilot-linux-x64/copilot", True),
        (["/usr/bin/copilot", "-p", "x"], "", True),
        (["anything"], "/opt/copilot (deleted)", True),
        (["node", "/usr/bin/copilot"], "/usr/bin/node", True),
        (["node", "--no-warnings", "/x/node_modules/@github/copilot/index.js"], "/usr/bin/node", True),
        (["node", "server.js", "/x/copilot"], "/usr/bin/node", False),
        (["vim", "/home/ada/.copilot/config.json"], "/usr/bin/vim", False),
        (["grep", "copilot"], "/usr/bin/grep", False),
        (["copilot-helper"], "/usr/bin/copilot-helper", False),
        ([], "", False),
    ],
)
def test_what_is_copilot(argv, executable, yes):
    assert _copilot.is_copilot(argv, executable) is yes


def test_the_processes_of_a_user_are_found_and_only_theirs():
    program = "print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program, "a b", ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()  # it runs; before that /proc may still tell of the one that started it
            found = {pid: (argv, executable) for pid, argv, executable in _processes.of_user(os.geteuid())}
            argv, executable = found[process.pid]
            assert argv[1:] == ["-c", program, "a b", ""] and executable == os.path.realpath(sys.executable)
            assert process.pid not in {pid for pid, _argv, _executable in _processes.of_user(54321)}
        finally:
            process.kill()


def test_a_host_without_proc_has_no_processes(tmp_path):
    assert _processes.of_user(os.geteuid(), str(tmp_path / "none")) == []
