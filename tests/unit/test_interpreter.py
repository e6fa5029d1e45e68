# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Python the hooks get: the choice as a table, then the probe on real interpreters, shims and environments."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _interpreter
from ansible_collections.agentihooks.fleet.plugins.module_utils._interpreter import Probe

SYSTEM = "/usr/bin/python3"
SHIM = "/home/ada/.pyenv/shims/python3"
BEHIND_SHIM = "/home/ada/.pyenv/versions/3.12.1/bin/python3.12"
VENV = "/home/ada/project/.venv/bin/python3"
MACHINE = {
    SYSTEM: Probe((3, 11, 2), SYSTEM),
    "/usr/bin/python3.6": Probe((3, 6, 8), "/usr/bin/python3.6"),
    "/usr/bin/python3.9": Probe((3, 9, 18), "/usr/bin/python3.9"),
    "/broken/python3": Probe(problem="does not start with -I -S: no module named json"),
    SHIM: Probe((3, 12, 1), BEHIND_SHIM),
    BEHIND_SHIM: Probe((3, 12, 1), BEHIND_SHIM),
    VENV: Probe((3, 11, 2), SYSTEM, venv=True),
}

# (what, explicit, candidates, chosen, reasons in order)
CASES = [
    ("the system's", None, [SYSTEM, SHIM], SYSTEM, []),
    ("too old is passed over", None, ["/usr/bin/python3.6", "/usr/bin/python3.9"], "/usr/bin/python3.9", ["is Python 3.6.8, older than 3.8"]),
    ("broken is passed over", None, ["/broken/python3", SYSTEM], SYSTEM, ["does not start with -I -S: no module named json"]),
    ("a shim gives what is behind it", None, [SHIM], BEHIND_SHIM, ["is a launcher of " + BEHIND_SHIM]),
    ("a real one later in the list beats what is behind a shim", None, [SHIM, "/usr/bin/python3.9"], "/usr/bin/python3.9",
     ["is a launcher of " + BEHIND_SHIM]),
    ("an environment gives what it was made from", None, [VENV], SYSTEM, ["belongs to a virtual environment"]),
    ("explicit wins", "/usr/bin/python3.9", [SYSTEM], "/usr/bin/python3.9", []),
    ("explicit wins even for an environment", VENV, [SYSTEM], VENV, []),
    ("explicit that does not work is passed over with its reason", "/usr/bin/python3.6", [SYSTEM], SYSTEM, ["is Python 3.6.8, older than 3.8"]),
    ("none", None, ["/broken/python3"], None, ["does not start with -I -S: no module named json"]),
]


@pytest.mark.parametrize("explicit, paths, chosen, reasons", [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_choice(explicit, paths, chosen, reasons):
    path, version, passed_over = _interpreter.choose(explicit, paths, MACHINE.__getitem__, realpath=lambda place: place)
    assert path == chosen
    assert version == (".".join(map(str, MACHINE[chosen].version)) if chosen else None)
    assert [row["reason"] for row in passed_over] == reasons


def real_python():
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_a_real_interpreter_is_told_from_a_shim(tmp_path):
    real = real_python()
    shim = script(tmp_path / "shims" / "python3", '#!/bin/sh\nexec %s "$@"\n' % real)
    assert _interpreter.probe(real).real == real
    assert _interpreter.probe(shim).real == real
    assert _interpreter.choose(None, [shim], _interpreter.probe)[0] == real


@pytest.mark.parametrize("extra", [[], ["--copies"]], ids=["links", "copies"])
def test_a_virtual_environment_is_left_for_its_base(tmp_path, extra):
    subprocess.run([real_python(), "-m", "venv", "--without-pip"] + extra + [str(tmp_path / "venv")], check=True)
    inside = str(tmp_path / "venv" / "bin" / "python3")
    chosen, _version, passed_over = _interpreter.choose(None, [inside], _interpreter.probe)
    assert passed_over[0] == {"path": inside, "reason": "belongs to a virtual environment"}
    assert chosen and os.path.realpath(chosen) == chosen and not chosen.startswith(str(tmp_path))


@pytest.mark.parametrize(
    "text, reason",
    [
        ("#!/bin/sh\nexit 127\n", "exit code 127"),
        ("#!/bin/sh\necho 'no such version' >&2; exit 1\n", "no such version"),
        ("#!/bin/sh\necho hello\n", "does not answer like a Python"),
        ("#!/no/such/shell\n", "cannot be started"),
    ],
)
def test_what_does_not_work_says_why(tmp_path, text, reason):
    assert reason in _interpreter.probe(script(tmp_path / "python3", text)).problem


def test_looking_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not _interpreter.probe(real_python()).problem
    assert list(tmp_path.iterdir()) == []


def test_the_system_comes_before_the_search_path_and_newer_before_older(tmp_path):
    for name in ("python3", "python3.8", "python3.10", "python3.9", "python3-config"):
        script(tmp_path / "usr" / "bin" / name, "#!/bin/sh\n")
    script(tmp_path / "own" / "python3", "#!/bin/sh\n")
    found = _interpreter.candidates([str(tmp_path / "own")], root=str(tmp_path))
    usr = str(tmp_path / "usr" / "bin")
    assert found[:4] == [usr + "/python3", usr + "/python3.10", usr + "/python3.9", usr + "/python3.8"]
    assert found[-1] == str(tmp_path / "own" / "python3")
