# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: which Python the hooks run on.

It must be there tomorrow and start fast. So never a pyenv, asdf or mise shim (50 ms slower per start, and it follows
the directory's .python-version), never a virtual environment's (it goes with its project). choose() decides and is
pure; candidates() and probe() look at the machine.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

MINIMUM = (3, 8)
PROBE_SECONDS = 10
# -B: looking must leave no byte code behind.
PROBE_COMMAND = ("-I", "-S", "-B", "-c")
PROBE_PROGRAM = (
    "import json,os,re,sys;"
    "print(json.dumps([list(sys.version_info[:3]),os.path.realpath(getattr(sys,'_base_executable',None) or sys.executable)]))"
)
SYSTEM_DIRECTORIES = ("/usr/bin", "/usr/libexec", "/usr/local/bin")
_VENV_HOME = re.compile(r"^home\s*=\s*(.+?)\s*$", re.MULTILINE)
_VERSIONED = re.compile(r"python3\.(\d+)$")


class Probe:
    """What a candidate turned out to be.

    version: (major, minor, micro), None when it did not start as `-I -S` with json and re. real: the binary behind
    it, links resolved. venv: it belongs to a virtual environment. problem: why it did not start.
    """

    __slots__ = ("version", "real", "venv", "problem")

    def __init__(self, version=None, real=None, venv=False, problem=""):
        self.version = version
        self.real = real
        self.venv = venv
        self.problem = problem


def choose(explicit, paths, probe, realpath=os.path.realpath):
    """Return (path, version text, passed_over): the interpreter for the hooks, or (None, None, passed_over).

    explicit: a path that wins over all others when it works, or None. paths: the others, best first.
    probe: path -> Probe. passed_over: a list of {"path", "reason"}, in the order tried.
    A shim or a virtual environment's interpreter is passed over, but the real binary behind it is tried last.
    """
    passed_over = []
    behind = []
    seen = set()

    def usable(path, insist):
        result = probe(path)
        reason = result.problem
        if not reason and result.version < MINIMUM:
            reason = "is Python %s, older than %d.%d" % ((_text(result.version),) + MINIMUM)
        elif not reason and not insist and (result.venv or result.real != realpath(path)):
            reason = "belongs to a virtual environment" if result.venv else "is a launcher of %s" % result.real
            behind.append(result.real)
        if reason:
            passed_over.append({"path": path, "reason": reason})
            return None
        return _text(result.version)

    for path in ([explicit] if explicit else []) + list(paths):
        if path not in seen:
            seen.add(path)
            version = usable(path, insist=path == explicit)
            if version:
                return path, version, passed_over
    for path in list(behind):
        if path not in seen:
            seen.add(path)
            version = usable(path, insist=False)
            if version:
                return path, version, passed_over
    return None, None, passed_over


def candidates(search_path, root="/"):
    """Return the interpreters of this machine worth trying, best first: the system's, the running one, those on PATH.

    search_path: directories, as in PATH. root: where the file system starts (tests pass a scratch directory).
    """
    found = []
    for directory in SYSTEM_DIRECTORIES:
        place = os.path.join(root, directory.lstrip("/"))
        found.append(os.path.join(place, "python3"))
        found.extend(_versioned(place))
        if directory == "/usr/libexec":
            found.append(os.path.join(place, "platform-python"))
    running = getattr(sys, "_base_executable", None) or sys.executable
    if running:
        found.append(os.path.realpath(running))
    for directory in search_path:
        found.append(os.path.join(directory, "python3"))
    unique = list(dict.fromkeys(found))
    return [path for path in unique if os.access(path, os.X_OK) and os.path.isfile(path)]


def probe(path):
    """Start a candidate the way the hooks start it and return its Probe. Writes nothing; takes at most 10 seconds."""
    if not os.path.isabs(path):
        return Probe(problem="is not an absolute path")
    if not os.path.exists(path):
        return Probe(problem="does not exist")
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8"}
    try:
        result = subprocess.run(  # pylint: disable=ansible-bad-function
            (path,) + PROBE_COMMAND + (PROBE_PROGRAM,),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment, cwd="/", timeout=PROBE_SECONDS, check=False,
        )
    except subprocess.TimeoutExpired:
        return Probe(problem="did not start within %d seconds" % PROBE_SECONDS)
    except OSError as error:
        return Probe(problem="cannot be started: %s" % (error.strerror or error))
    if result.returncode != 0:
        said = result.stderr.decode("utf-8", "replace").strip().splitlines()
        return Probe(problem="does not start with -I -S: %s" % (said[-1] if said else "exit code %d" % result.returncode))
    try:
        version, real = json.loads(result.stdout.decode("utf-8", "replace"))
        base = _base_of_environment(path)
        return Probe(version=tuple(version), real=base or real, venv=base is not None)
    except (ValueError, TypeError):
        return Probe(problem="does not answer like a Python")


def _base_of_environment(path):
    """Return the interpreter a virtual environment was made from, None when path is not in one."""
    directory = os.path.dirname(path)
    for place in (directory, os.path.dirname(directory)):
        try:
            with open(os.path.join(place, "pyvenv.cfg"), encoding="utf-8", errors="replace") as stream:
                match = _VENV_HOME.search(stream.read())
        except OSError:
            continue
        return os.path.realpath(os.path.join(match.group(1), "python3")) if match else os.path.realpath(path)
    return None


def _versioned(directory):
    """Return the python3.N of a directory, the newest first."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    minors = sorted((int(match.group(1)) for match in map(_VERSIONED.match, names) if match), reverse=True)
    return [os.path.join(directory, "python3.%d" % minor) for minor in minors]


def _text(version):
    return ".".join(str(part) for part in version)
