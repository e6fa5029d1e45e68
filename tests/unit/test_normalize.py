# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every measured payload becomes the right Event; what cannot be understood is said to be so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agentihooks import normalize
from agentihooks.vocabulary import COPILOT_EVENTS, COPILOT_REGISTERED, EVENTS, KINDS

PAYLOADS = Path(__file__).parent.parent / "payloads"
COPILOT = sorted(PAYLOADS.glob("copilot/*/*/*.json"))
CODEX = sorted(path for path in PAYLOADS.glob("codex/*/*.json") if not path.name.startswith("notify."))  # notify is no hook


def load(path):
    return normalize.parse(path.read_bytes())


def test_payloads_are_there():
    assert len(COPILOT) > 200 and len(CODEX) > 50


@pytest.mark.parametrize("path", COPILOT, ids=lambda path: "/".join(path.parts[-3:]))
def test_copilot_payload(path):
    registered = path.name.split(".")[0]
    payload = load(path)
    event = normalize.normalize("copilot", registered, payload)
    pascal_aliases = {"Stop": "Stop", "UserPromptSubmit": "UserPromptSubmit"}
    assert event.name == COPILOT_EVENTS.get(registered, pascal_aliases.get(registered, registered))
    assert event.name in EVENTS
    assert event.session_id
    assert event.cwd
    if "preToolUse" in path.name or "PreToolUse" in path.name:
        (call,) = event.calls
        assert call.kind in KINDS
        expected = "patch" if "apply_patch" in path.name else "read" if ".view" in path.name else "mcp" if ".mcp" in path.name else "shell"
        assert call.kind == expected
        if expected == "shell":
            assert call.args["command"]
        if expected == "patch":
            assert call.args["text"].startswith("*** Begin Patch")
        if expected == "read":
            assert call.args["path"]


@pytest.mark.parametrize("path", CODEX, ids=lambda path: "/".join(path.parts[-2:]))
def test_codex_payload(path):
    payload = load(path)
    event = normalize.normalize("codex", "", payload)
    if payload["hook_event_name"] in EVENTS:
        assert event.name == payload["hook_event_name"]
    else:
        assert event.name == "" and payload["hook_event_name"] in ("PostCompact", "Interrupt", "PreModelRequest", "PostModelRequest")
    if event.name == "PreToolUse":
        (call,) = event.calls
        if payload["tool_name"] == "Bash":
            assert call.kind == "shell" and call.args["command"]
        elif payload["tool_name"] == "apply_patch":
            assert call.kind == "patch"
        elif payload["tool_name"].startswith("mcp__"):
            assert call.kind == "mcp"


def test_every_registered_name_is_known():
    assert {COPILOT_EVENTS[name] for name in COPILOT_REGISTERED} <= set(EVENTS)
    assert len(COPILOT_REGISTERED) == 12


def copilot(payload, argument="preToolUse"):
    return normalize.normalize("copilot", argument, payload)


def test_arguments_as_a_json_string_and_as_an_object_are_the_same():
    args = {"command": "echo hi"}
    (one,) = copilot({"toolName": "bash", "toolArgs": json.dumps(args)}).calls
    (two,) = copilot({"toolName": "bash", "toolArgs": args}).calls
    assert (one.kind, one.args) == (two.kind, two.args) == ("shell", args)


def test_a_batch_gives_every_call():
    event = copilot({"toolCalls": [{"id": "1", "name": "view", "args": '{"path":"README"}'}, {"id": "2", "name": "bash", "args": '{"command":"ls"}'}]})
    assert [(call.id, call.kind) for call in event.calls] == [("1", "read"), ("2", "shell")]
    assert event.dialect == "batch"


def test_a_batch_and_a_single_call_in_one_payload_are_both_judged():
    event = copilot({"toolName": "bash", "toolArgs": {"command": "a"}, "toolCalls": [{"name": "bash", "args": {"command": "b"}}]})
    assert sorted(call.args["command"] for call in event.calls) == ["a", "b"]


def test_an_empty_alias_does_not_hide_the_real_arguments():
    (call,) = copilot({"toolName": "bash", "toolArgs": {}, "tool_input": {"command": "cat x"}}).calls
    assert call.args == {"command": "cat x"}


def test_two_different_argument_keys_are_both_judged():
    calls = copilot({"toolName": "bash", "toolArgs": {"command": "ls"}, "tool_input": {"command": "cat x"}}).calls
    assert [call.args["command"] for call in calls] == ["ls", "cat x"]


@pytest.mark.parametrize("verb, kind", [("create", "write"), ("view", "read"), ("str_replace", "edit"), ("insert", "edit"), (None, "edit")])
def test_the_editor_tool_is_told_by_its_verb(verb, kind):
    (call,) = copilot({"toolName": "str_replace_editor", "toolArgs": {"command": verb, "path": "x"}}).calls
    assert call.kind == kind


def test_the_pascal_dialect_names_the_editor_tool_edit():
    (call,) = copilot({"session_id": "s", "tool_name": "Edit", "tool_input": {"command": "view", "path": "x"}}).calls
    assert call.kind == "read"


@pytest.mark.parametrize("key", ["patch", "input", "command"])
def test_a_patch_under_any_key_is_a_patch(key):
    (call,) = copilot({"toolName": "apply_patch", "toolArgs": {key: "*** Begin Patch\n*** End Patch"}}).calls
    assert call.kind == "patch"


def test_the_payload_names_the_event_when_the_command_line_does_not():
    event = copilot({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}, "")
    assert event.name == "PreToolUse"


@pytest.mark.parametrize(
    "payload, said",
    [
        ({}, "names no tool"),
        ({"toolName": ""}, "names no tool"),
        ({"toolName": "bash", "toolArgs": "cat x"}, "not a JSON object"),
        ({"toolName": "bash", "toolArgs": "[1]"}, "not a JSON object"),
        ({"toolName": "bash", "toolArgs": ["cat", "x"]}, "not an object"),
        ({"toolName": "bash", "toolArgs": 7}, "not an object"),
        ({"toolName": "bash", "toolArgs": {"command": ["cat", 1]}}, "no command that can be read"),
        ({"toolName": "bash", "toolArgs": {"command": {"a": "cat x"}}}, "no command that can be read"),
        ({"toolName": "bash", "toolArgs": {"Command": "cat x"}}, "no command that can be read"),
        ({"toolName": "bash"}, "no command that can be read"),
        ({"toolCalls": [3]}, "not an object"),
        ({"toolCalls": {"a": 1}}, "not a list"),
        ({"toolCalls": [{"args": {}}]}, "without a tool name"),
        ({"toolCalls": []}, "names no tool"),
        ({"toolName": "bash", "toolArgs": json.loads('{"a":' * 150 + "1" + "}" * 150)}, "nested too deeply"),
    ],
)
def test_a_deciding_event_that_cannot_be_read_is_not_understood(payload, said):
    with pytest.raises(normalize.NotUnderstood, match=said):
        copilot(payload)


@pytest.mark.parametrize(
    "data, said",
    [(b"", "not JSON"), (b"{", "not JSON"), (b"[]", "not a JSON object"), (b"null", "not a JSON object"), (b"\xff{}", "not UTF-8"),
     (b"[" * 100000, "nested too deeply"), (b'{"a":1}{"a":1}', "not JSON")],
    ids=["empty", "half", "list", "null", "latin1", "deep", "two"],
)  # fmt: skip
def test_input_that_is_no_payload(data, said):
    with pytest.raises(normalize.NotUnderstood, match=said):
        normalize.parse(data)


@pytest.mark.parametrize("name", ["postResult", "prePRDescription", "ZZZ", "pretooluse"])
def test_unknown_events_have_no_name(name):
    assert normalize.event_name(name, {}) == ""
