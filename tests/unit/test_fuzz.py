# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Payloads of every dialect and event, valid and mutated: never a traceback, never more than one JSON value on stdout, and never an
allow for a permission event that could not be understood.

FUZZ_EXAMPLES sets how many (`make prove`: 20,000; otherwise a sample), one in fifty of them through the wrapper itself.
"""

from __future__ import annotations

import copy
import json
import os
import re
from pathlib import Path

import fork_server
import guard_tokens
import pytest
from agentihooks.vocabulary import COPILOT_EVENTS, EVENTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "1500"))
SETTINGS = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}

# Ours, not the runtime's: what the CLIs call an event that decides about a call.
PERMISSION = ("preToolUse", "permissionRequest", "preMcpToolCall", "PreToolUse", "PermissionRequest", "PreMcpToolCall")
ARGUMENTS = sorted(COPILOT_EVENTS) + list(EVENTS) + ["", "preToolUse", "permissionRequest", "preMcpToolCall", "", "nobodyKnows", "PreToolUse "]
ARGUMENT_KEYS = ("toolArgs", "tool_input", "toolInput", "arguments", "args", "input")
VERSIONS = ("", "1.0.80", "1.0.83", "1.0.102", "9.9.9", "x")
FAULT = re.compile(r"(?:Error|Exception|Interrupt) in \w{1,60}\.py line")

# The cases that need nothing but themselves: no files, no settings.
CASES = [case for path in sorted((TESTS / "guard_cases").glob("*.jsonl")) for case in guard_tokens.load(path)
         if not case.keys() & {"files", "policy"} and "placement" not in case]  # fmt: skip
MEASURED = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((TESTS / "payloads").rglob("*.json"))]
KEYS = sorted({key for payload in MEASURED if isinstance(payload, dict) for key in payload} | set(ARGUMENT_KEYS) | {"toolCalls", "serverName", "prompt"})

JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(), st.text(max_size=12), st.just([]), st.just({}), st.just("x" * 70000),
    st.sampled_from(["\ud800", "\x00", "preToolUse", "{}", "[1]", '{"command": "ls"}', "*** Begin Patch", "*** Begin Patch\n*** Update File: a\n@@"]),
    st.lists(st.integers() | st.text(max_size=3), max_size=3),
    st.dictionaries(st.sampled_from(KEYS + ["command", "name", "id", "args", ""]), st.text(max_size=5), max_size=3),
    st.integers(2, 150).map(lambda depth: json.loads("[" * depth + "]" * depth)),
)  # fmt: skip
CHANGE = st.tuples(st.sampled_from(["drop", "set", "add", "wrap", "text", "rename"]), st.integers(0, 30), st.sampled_from(KEYS), JUNK)
BYTES = st.tuples(
    st.sampled_from(["cut", "flip", "insert", "double", "before", "after", "utf-16", "latin-1", "spaces"]), st.integers(0, 1 << 16),
    st.binary(min_size=1, max_size=6) | st.sampled_from([
        b"\xff", b"{}", b"\xef\xbb\xbf", b"[" * 5000, b"NaN", b'"', b"\\u0000", b"1" * 5000, b"}\n{"]),
)


def changed(payload, changes):
    """Return the payload with changes of its fields, at the top or in the arguments."""
    payload = json.loads(json.dumps(payload))
    for how, place, key, value in changes:
        value = copy.deepcopy(value)  # an example shares what it holds twice
        holders = [payload] + [item for item in payload.values() if isinstance(item, dict)] + [
            item for held in payload.values() if isinstance(held, list) for item in held if isinstance(item, dict)]
        holder = holders[place % len(holders)]
        keys = list(holder) or [key]
        here = keys[place % len(keys)]
        if how == "drop":
            holder.pop(here, None)
        elif how == "set":
            holder[here] = value
        elif how == "add":
            holder[key] = value
        elif how == "wrap":
            holder[here] = [holder.get(here)]
        elif how == "text":
            holder[here] = json.dumps(holder.get(here))
        else:
            holder[key] = holder.pop(here, None)
    return payload


def mangled(data, changes):
    """Return the bytes with changes that know nothing of JSON."""
    for how, place, piece in changes:
        place %= len(data) + 1
        if how == "cut":
            data = data[:place]
        elif how == "flip":
            data = data[:place] + piece + data[place + len(piece):]
        elif how == "insert":
            data = data[:place] + piece + data[place:]
        elif how == "double":
            data += data[place:]
        elif how == "before":
            data = piece + data
        elif how == "after":
            data += piece
        elif how == "spaces":
            data = b" \n\t" * (place % 9) + data + b"\r\n"
        else:
            data = data.decode("utf-8", "replace").encode(how, "replace")
    return data


def unreadable(argument, data):
    """Return why a permission event cannot be understood, "" when it can or is none. Independent of the runtime, and only what is beyond doubt."""
    if argument and argument not in PERMISSION:
        return ""
    try:
        payload = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(payload, dict):
        return "is no object"
    if not argument:
        names = [payload.get(key) for key in ("hookEventName", "hook_event_name", "hookName")]
        names = [name for name in names if isinstance(name, str) and name]
        if not names:
            return "names no event"
        if names[0] not in PERMISSION:
            return ""
    batch, calls = payload.get("toolCalls"), []
    if batch is not None and not isinstance(batch, list):
        return "toolCalls is no list"
    for item in batch or []:
        if not isinstance(item, dict):
            return "a call is no object"
        calls.append((item.get("name") or item.get("toolName"), item))
    name = payload.get("toolName") if isinstance(payload.get("toolName"), str) and payload["toolName"] else payload.get("tool_name")
    if isinstance(name, str) and name:
        calls.append((name, payload))
    if not calls:
        return "has no call"
    for name, holder in calls:
        values = [holder[key] for key in ARGUMENT_KEYS if holder.get(key) not in (None, "", [], {})]
        for value in values:
            if not isinstance(value, (dict, str)):
                return "arguments are no object"
        if name == "bash" and not any(_command(value) for value in values):
            return "a shell without a command"
    return ""


def _command(value):
    if isinstance(value, str):
        return True  # a JSON text or a patch: left to the runtime
    return any(value.get(key) not in (None, [], {}) for key in ("command", "cmd", "input", "chars", "script"))


def refuses(code, stdout):
    """Return whether a CLI that gets this answer stops the call."""
    if code == 2:
        return True
    answer = json.loads(stdout) if stdout else {}
    return answer.get("permissionDecision") == "deny" or answer.get("behavior") == "deny"


def complaint(argument, data, answer, must_deny=False):
    """Return what is wrong with an answer (exit code, stdout, stderr), "" for nothing."""
    code, stdout, stderr = answer
    if code not in (0, 2) or b"Traceback" in stdout + stderr:
        return "exit code %d: %r" % (code, stderr[-1500:])
    if FAULT.search((stdout + stderr).decode("utf-8", "replace")):
        return "a guard raised: %r" % (stdout + stderr)[-600:]
    if stdout:
        try:
            if not isinstance(json.loads(stdout.decode("utf-8")), dict):
                return "stdout is no JSON object"
        except ValueError as error:
            return "stdout is not one JSON value (%s): %r" % (error, stdout[:300])
    why = unreadable(argument, data)
    if (why or must_deny) and not refuses(code, stdout):
        return "let through, though it %s: %r" % (why or "must be denied", data[:600])
    return ""


@pytest.fixture
def world(installed):
    """(the installed runtime, a function number -> (payload, whether it must be denied)) of a home with a project."""
    project = installed.home / "project"
    project.mkdir()
    words = guard_tokens.tokens(installed.home)
    dialects = ("camel", "string", "pascal", "batch")

    def base(number):
        if number % 4 == 3:
            return MEASURED[number // 4 % len(MEASURED)], False
        case = CASES[number // 4 % len(CASES)]
        payload = guard_tokens.payload(case, words, str(project), dialects[number // 7 % 4])
        return dict(payload, sessionId="fuzz-%d" % (number % 5)) if "sessionId" in payload else payload, case["verdict"] == "deny"

    return installed, base


INPUTS = {
    "number": st.integers(0, 1 << 20), "argument": st.sampled_from(ARGUMENTS), "target": st.sampled_from(["copilot", "copilot", "codex"]),
    "version": st.sampled_from(VERSIONS), "changes": st.lists(CHANGE, max_size=3), "mangling": st.lists(BYTES, max_size=1),
    "escaped": st.booleans(),
}  # fmt: skip


def run(world, ask, number, argument, target, version, changes, mangling, escaped):
    """Make one payload and return what is wrong with its answer."""
    installed, base = world
    payload, denied = base(number)
    payload = changed(payload, changes) if changes else payload
    data = json.dumps(payload, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    data = mangled(data, mangling)
    environ = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin", "AGENTIHOOKS_TARGET": target}
    if version:
        environ["COPILOT_CLI_BINARY_VERSION"] = version
    named = argument in PERMISSION or (not argument and payload.get("hook_event_name") in PERMISSION)
    must = denied and named and not changes and not mangling
    return complaint(argument, data, ask(argument, data, environ), must)


def faults(installed):
    """Return the records of the runtime's log that say a guard raised."""
    found = []
    for path in sorted((installed.data / "logs").glob("hooks.log*")):
        found += [line for line in path.read_text("utf-8", "replace").splitlines() if FAULT.search(line)]
    return found


def test_any_payload_gets_one_answer_and_no_doubtful_one_passes(world):
    server = fork_server.Runtime(world[0])

    @settings(max_examples=EXAMPLES, **SETTINGS)
    @given(**INPUTS)
    def one(**inputs):
        wrong = run(world, server.ask, **inputs)
        assert not wrong, wrong

    try:
        one()
    finally:
        server.close()
    assert faults(world[0]) == []


def test_the_same_through_the_wrapper(world):
    installed = world[0]

    def ask(argument, data, environ):
        environ = {key: value for key, value in environ.items() if key != "AGENTIHOOKS_TARGET"}  # the wrapper says it
        done = installed.run(argument, data, env=environ)
        return done.returncode, done.stdout, done.stderr

    @settings(max_examples=max(EXAMPLES // 50, 20), **SETTINGS)
    @given(**INPUTS)
    def one(**inputs):
        wrong = run(world, ask, **dict(inputs, target="copilot"))
        assert not wrong, wrong

    one()
    assert faults(installed) == []


def test_the_oracle_tells_what_it_must():
    call = {"toolName": "bash", "toolArgs": {"command": "ls"}}
    assert unreadable("preToolUse", json.dumps(call).encode()) == ""
    assert unreadable("agentStop", b"{") == "" and unreadable("preToolUse", b"{") and unreadable("", b"{}")
    assert unreadable("preToolUse", json.dumps(dict(call, toolArgs={})).encode()) and unreadable("preToolUse", b'{"toolCalls": 1}')
    assert complaint("preToolUse", b"{", (0, b"", b"")) and not complaint("preToolUse", b"{", (2, b"", b"x"))
    assert complaint("sessionStart", b"{}", (0, b"{}\n{}\n", b"")) and complaint("sessionStart", b"{}", (1, b"", b"Traceback"))
