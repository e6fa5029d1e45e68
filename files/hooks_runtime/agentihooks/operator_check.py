# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is this a person at a terminal, or something that an agent CLI started? What cannot be told counts as the CLI."""

from __future__ import annotations

import os

from agentihooks.targets import TARGETS

# Set by the CLIs for what they start (measured, docs/hook-contract.md), and by their kin.
MARKS = (
    "COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", "COPILOT_PROJECT_DIR", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_TOOL_CALL_ID", "CODEX_CI",
    "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_MANAGED_BY_NPM", "CLAUDECODE", "CLAUDE_PROJECT_DIR",
)
_NAMES = tuple(TARGETS)
_PACKAGES = ("@github/copilot", "@openai/codex", "copilot-linux", "copilot-darwin", "codex-linux", "codex-darwin")
_MOST = 200  # ancestors


def why_not(environ, descriptor=0, proc="/proc"):
    """Return why this process was not started by a person at a terminal, "" when it was."""
    if not os.isatty(descriptor):
        return "standard input is no terminal"
    try:
        if os.tcgetpgrp(descriptor) != os.getpgrp():
            return "it does not run in the foreground of its terminal"
    except OSError:
        return "the terminal on standard input is not the one that it was started from"
    mark = next((name for name in MARKS if name in environ), "")
    if mark:
        return "the environment is that of an agent CLI (%s is set)" % mark
    return agent_above(os.getppid(), proc)


def in_session(environ, proc="/proc"):
    """Return why this process belongs to a session of an agent CLI, "" when nothing says so: unlike why_not, doubt counts for the person."""
    mark = next((name for name in MARKS if name in environ), "")
    if mark:
        return "the environment is that of an agent CLI (%s is set)" % mark
    found = agent_above(os.getppid(), proc)
    return found if "agent CLI" in found else ""


def agent_above(pid, proc="/proc"):
    """Return what is wrong with a process and those above it: one is an agent CLI or cannot be looked at. "" for nothing."""
    for _step in range(_MOST):
        if pid <= 1:
            return "" if os.path.isdir(os.path.join(proc, "1")) else "the processes of this system cannot be looked at (no %s)" % proc
        try:
            name, arguments, parent = _process(os.path.join(proc, str(pid)))
        except (OSError, ValueError, IndexError):
            return "process %d, which this one was started from, cannot be looked at" % pid
        if is_agent(name, _executable(os.path.join(proc, str(pid), "exe")), arguments):
            return "it was started from an agent CLI (process %d, %s)" % (pid, name)
        mark = _mark(os.path.join(proc, str(pid), "environ"))
        if mark:
            return "process %d, which it was started from, belongs to an agent CLI (%s is set)" % (pid, mark)
        pid = parent
    return "it has too many processes above it"


def is_agent(name, executable, arguments):
    """Return whether a process is an agent CLI in any of its forms: the native program, or node with its package."""
    for word in [name, executable] + arguments[:4]:
        base = word.replace(" (deleted)", "").rpartition("/")[2].lower()
        base = base[: -len(".js")] if base.endswith(".js") else base
        if base in _NAMES or base.startswith("codex-") or any(package in word for package in _PACKAGES):
            return True
    return False


def _process(place):
    """Return (name, arguments, parent) of a process. Raises OSError, ValueError, IndexError."""
    with open(os.path.join(place, "stat"), "rb") as file:
        head, _bracket, rest = os.fsdecode(file.read()).rpartition(")")
    with open(os.path.join(place, "cmdline"), "rb") as file:
        arguments = [os.fsdecode(word) for word in file.read(1 << 16).split(b"\0")]
    return head.partition("(")[2], arguments, int(rest.split()[1])


def _executable(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""  # another user's: its name and arguments can still be read


def _mark(path):
    try:
        with open(path, "rb") as file:
            names = {os.fsdecode(item.partition(b"=")[0]) for item in file.read(1 << 20).split(b"\0")}
    except OSError:
        return ""  # another user's
    return next((name for name in MARKS if name in names), "")
