# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outcomes become exactly what each CLI, event and generation understands."""

from __future__ import annotations

import json

import pytest
from agentihooks import capabilities, emit
from agentihooks.event import Deny, Inject, Warn
from agentihooks.vocabulary import COPILOT_MEASURED, DECIDING, EVENTS

DENY = Deny("rule.id", "found a thing.", "Do another.")
TEXT = "agentihooks [rule.id]: found a thing. Do another."
MEASURED = ["1.0.79-6", "1.0.80", "1.0.83", "1.0.92", "1.0.102"]
NOT_MEASURED = ["", "1.0.%d" % (COPILOT_MEASURED[1] + 1), "1.0.%d" % (COPILOT_MEASURED[0] - 1), "1.1.0", "2.0.0", "0.9", "1.0.x", "1.0.99999999999999999999"]


@pytest.mark.parametrize("version", MEASURED)
@pytest.mark.parametrize(
    "event, body",
    [
        ("PreToolUse", {"permissionDecision": "deny", "permissionDecisionReason": TEXT}),
        ("PermissionRequest", {"behavior": "deny", "message": TEXT}),
        ("UserPromptSubmit", {"decision": "block", "reason": TEXT}),
    ],
)
def test_copilot_deny_shows_its_reason(event, body, version):
    answer = emit.answer("copilot", event, [DENY], version)
    assert (json.loads(answer.stdout), answer.stderr, answer.code) == (body, "", 0)


@pytest.mark.parametrize("version", NOT_MEASURED)
@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest"])
def test_a_generation_not_measured_gets_the_floor(event, version):
    answer = emit.answer("copilot", event, [DENY], version)
    assert (answer.stdout, answer.stderr, answer.code) == ("", TEXT + "\n", 2)


def test_a_prompt_is_blocked_by_json_whatever_the_version():
    assert json.loads(emit.answer("copilot", "UserPromptSubmit", [DENY]).stdout)["decision"] == "block"


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest", "UserPromptSubmit"])
def test_codex_deny_is_exit_2_with_text(event):
    answer = emit.answer("codex", event, [DENY])
    assert (answer.stdout, answer.stderr, answer.code) == ("", TEXT + "\n", 2)


@pytest.mark.parametrize("target", ["copilot", "codex"])
@pytest.mark.parametrize("event", DECIDING)
def test_every_deciding_event_can_be_refused(target, event):
    answer = emit.answer(target, event, [DENY])
    assert answer.code == 2 and answer.stderr


@pytest.mark.parametrize("target", ["copilot", "codex"])
@pytest.mark.parametrize("event", EVENTS)
def test_stdout_is_empty_or_one_json_object(target, event):
    for outcomes in ([], [DENY], [Inject("a"), Inject("b")], [Warn("r", "w")], [DENY, Inject("a"), Warn("r", "w")]):
        answer = emit.answer(target, event, outcomes, "1.0.102")
        assert answer.stdout == "" or isinstance(json.loads(answer.stdout), dict)
        assert answer.stdout.count("\n") == (1 if answer.stdout else 0)


@pytest.mark.parametrize("target", ["copilot", "codex"])
@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "SessionEnd", "PreCompact", "Notification"])
def test_events_that_cannot_be_refused_never_answer_with_json(target, event):
    """A block on Stop or SubagentStop would start another round; SubagentStop has no limit of its own."""
    assert emit.answer(target, event, [Inject("a")], "1.0.102").stdout == ""


def test_context_is_top_level_on_copilot_and_nested_on_codex():
    assert json.loads(emit.answer("copilot", "SessionStart", [Inject("x"), Inject("y")]).stdout) == {"additionalContext": "x\n\ny"}
    nested = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}
    assert json.loads(emit.answer("codex", "SessionStart", [Inject("x")]).stdout) == nested


@pytest.mark.parametrize("target", ["copilot", "codex"])
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("unit", ["a", "é", "😀", "line\n"])
def test_context_over_the_cap_is_cut_with_a_mark(target, event, unit):
    cap = capabilities.context_cap_bytes(target, event)
    if not capabilities.row(target, event)[capabilities.CONTEXT]:
        assert not cap, "a cap for what has no context"
        return
    answer = emit.answer(target, event, [Inject(unit * 20000)])
    body = json.loads(answer.stdout)
    text = body.get("hookSpecificOutput", body)["additionalContext"]
    assert answer.stdout.count("\n") == 1
    if not cap:
        assert text == unit * 20000
        return
    assert cap // 2 < len(text.encode("utf-8")) <= cap
    assert text.endswith(emit.TRUNCATED)
    assert set(text[: -len(emit.TRUNCATED)]) == set(unit)


def test_only_what_follows_a_tool_has_a_measured_cap():
    caps = {(target, event): capabilities.context_cap_bytes(target, event) for target in capabilities.TABLE for event in EVENTS}
    assert {key: cap for key, cap in caps.items() if cap} == {("copilot", "PostToolUse"): 10240, ("copilot", "PostToolUseFailure"): 10240}


def test_half_a_surrogate_pair_does_not_spoil_the_answer():
    denied = emit.answer("copilot", "PreToolUse", [Deny("r", "\ud800", "\udfff")], "1.0.102").stdout
    added = emit.answer("copilot", "SessionStart", [Inject("\ud83d")]).stdout
    assert "\\ud" not in denied + added and json.loads(added) == {"additionalContext": "?"}


def test_other_context_is_not_cut():
    text = json.loads(emit.answer("copilot", "SessionStart", [Inject("a" * 200000)]).stdout)["additionalContext"]
    assert len(text) == 200000


def test_the_table_speaks_of_known_events_only():
    for rows in capabilities.TABLE.values():
        assert set(rows) <= set(EVENTS)
