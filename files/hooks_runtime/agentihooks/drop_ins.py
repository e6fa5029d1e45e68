# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards of one's own: executables pre-<tool>-<name> in <data directory>/drop-ins, which the role fills.

Each gets the call as JSON on stdin and may answer {"decision": "allow" | "warn" | "deny", "reason": text, "context": text}; nothing at
all means allow, exit code 2 with text on stderr means deny. They only tighten: the guards have let the call through
before. What fails, hangs, prints anything else or could have been changed by others denies. A repository's own, in
<root>/.agentihooks/drop-ins, run only when the role says so and the CLI trusts the folder.
"""

from __future__ import annotations

import json
import os
import stat
import time

from agentihooks.event import Deny, Inject, Warn

DIRECTORY = "drop-ins"
PREFIX = "pre-"
ANY = "any"
AT_ONCE = 8
MAX_OUTPUT = 1 << 16  # bytes
MAX_SHOWN = 600  # characters of a reason
_ENVIRONMENT = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR")
_WAY_OUT = "Take another way, or ask the person."
_REPAIR = "The person can repair or remove it: the role's variable agentihooks_drop_ins."


class Run:
    """One executable at work on one call. path: "" for one that may not run; problem says why."""

    __slots__ = ("name", "path", "call", "problem", "process", "streams")

    def __init__(self, name, path, call, problem=""):
        self.name = name
        self.path = path
        self.call = call
        self.problem = problem
        self.process = None
        self.streams = ()


def outcomes(event, policy, directories, environ):
    """Return what the executables for this event say; the most severe counts, for a Deny stops the call whatever else is said."""
    runs = [run for directory in directories for run in _found(directory, event.calls)]
    limit = time.monotonic() + min(policy["drop_in_seconds"], 0.6 * policy["deadline"])
    said = []
    for start in range(0, len(runs), AT_ONCE):
        some = runs[start : start + AT_ONCE]
        try:
            for run in some:
                if not run.problem:
                    _start(run, event, environ)
            for run in some:
                said += _answer(run, limit, policy)
        finally:
            for run in some:
                _stop(run)
    return said


def _found(directory, calls):
    """Return a Run for each executable of a directory and each call that it is for."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.startswith(PREFIX))
        status = os.stat(directory)
    except FileNotFoundError:
        return []
    except OSError as error:
        return [Run("drop-ins", "", call, "their directory cannot be read (%s)" % error.strerror) for call in calls]
    problem = "" if _is_safe(status) else "their directory can be changed by others"
    found = []
    for name in names:
        tool = name[len(PREFIX):].partition("-")[0].lower()
        for call in calls:
            if tool in (ANY, call.kind, call.name.lower()):
                path = os.path.join(directory, name)
                found.append(Run(name, path, call, problem or _problem(path)))
    return found


def _problem(path):
    try:
        status = os.lstat(path)
    except OSError as error:
        return "it cannot be read (%s)" % error.strerror
    if not stat.S_ISREG(status.st_mode):
        return "it is no plain file"
    if not _is_safe(status):
        return "it can be changed by others"
    return "" if os.access(path, os.X_OK) else "it is not executable"


def _is_safe(status):
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022


def _start(run, event, environ):
    import subprocess
    import tempfile

    call = run.call
    text = json.dumps(
        {"event": event.name, "target": event.target, "session_id": event.session_id, "cwd": event.cwd, "tool": call.name, "kind": call.kind, "args": call.args}
    )
    try:
        run.streams = tuple(tempfile.TemporaryFile() for _stream in range(3))
        run.streams[0].write(text.encode("ascii"))
        run.streams[0].seek(0)
        run.process = subprocess.Popen(
            [run.path], stdin=run.streams[0], stdout=run.streams[1], stderr=run.streams[2], start_new_session=True, close_fds=True,
            cwd=event.cwd if os.path.isdir(event.cwd) else "/", env={name: environ[name] for name in _ENVIRONMENT if name in environ},
        )  # fmt: skip
    except (OSError, ValueError) as error:
        run.problem = "it cannot be started (%s)" % (getattr(error, "strerror", None) or type(error).__name__)


def _answer(run, limit, policy):
    """Return the outcomes of one run, waiting for it until limit."""
    if not run.problem:
        import subprocess

        try:
            code = run.process.wait(max(0.0, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            run.problem = "it took too long"
        else:
            return _said(run, code, policy)
    return _failed(run, policy)


def _said(run, code, policy):
    output, errors = (_content(stream) for stream in run.streams[1:])
    if code == 2:
        return [Deny(_rule(run), _reason(errors, run), _WAY_OUT)]
    if code != 0:
        run.problem = "it ended with exit code %d" % code if code > 0 else "it was ended by signal %d" % -code
        return _failed(run, policy)
    if not output.strip():
        return []
    try:
        answer = json.loads(output)
    except (ValueError, RecursionError):
        answer = None
    decision = answer.get("decision", "allow") if isinstance(answer, dict) and set(answer) <= {"decision", "reason", "context"} else None
    if decision not in ("allow", "warn", "deny") or not all(isinstance(value, str) for value in answer.values()):
        run.problem = "what it prints is no decision"
        return _failed(run, policy)
    if decision == "deny":
        return [Deny(_rule(run), _reason(answer.get("reason", ""), run), _WAY_OUT)]
    found = [Inject(answer["context"])] if answer.get("context") else []
    return found + ([Warn(_rule(run), _reason(answer.get("reason", ""), run))] if decision == "warn" else [])


def _failed(run, policy):
    text = "the drop-in guard %s does not work: %s." % (run.name[:60], run.problem)
    if policy["guard_failure"] == "allow":
        return [Warn(_rule(run), text + " Let through, as this host is set up.")]
    return [Deny(_rule(run), text, _REPAIR)]


def _rule(run):
    name = "".join(character if character.isalnum() and character.isascii() else "_" for character in run.name[len(PREFIX):].lower())
    return "drop_in." + (name.strip("_")[:40] or "unnamed")


def _reason(text, run):
    from agentihooks.secret_shapes import redact

    text = " ".join("".join(character if character.isprintable() else " " for character in redact(text)).split())
    text = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."
    return (text or "the drop-in guard %s says no" % run.name[:60]).rstrip(".") + "."


def _content(stream):
    stream.seek(0)
    return stream.read(MAX_OUTPUT).decode("utf-8", "replace")


def _stop(run):
    """End a process and all that it started."""
    if run.process is not None:
        try:
            os.killpg(run.process.pid, 9)
        except OSError:
            pass
        run.process.wait()
    for stream in run.streams:
        stream.close()
