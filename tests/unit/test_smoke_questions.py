# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a smoke asks, and what an answer proves."""

from __future__ import annotations

import json

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _smoke
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import CODEX_MEASURED, COPILOT_MEASURED

POLICY = {
    "prompt_secrets": "block", "protected_branches": ["main"], "git_gates": [], "guard_packs": [],
    "production": {"tags": ["latest"], "registries": ["ghcr.io"]},
}  # fmt: skip
PLACES = _smoke.Places("/scratch")


def names(level="full", **policy):
    return [question.check for question in _smoke.questions(PLACES, dict(POLICY, **policy), level)]


def test_only_what_is_switched_on_is_asked():
    assert names() == ["credential_reads", "innocent", "secrets", "git", "self_protection"]
    assert names("canary") == ["credential_reads"]
    assert "git" not in names(protected_branches=["*"]) and "git" in names(protected_branches=[], git_gates=["force_push"])
    assert {"kubectl_mutation", "production_lockdown"} <= set(names(guard_packs=["kubectl_mutation", "production_lockdown"]))
    assert not _smoke.asks_prompt(dict(POLICY, prompt_secrets="warn"), "full") and not _smoke.asks_prompt(POLICY, "canary")


@pytest.mark.parametrize("said, log, passed, what", [
    ("I may not.", '{"event": "PreToolUse", "outcomes": [["deny", "credential.file"]]}', True, "denied by credential.file"),
    ("It holds word.", '{"event": "PreToolUse", "outcomes": [["deny", "credential.file"]]}', False, "THE CALL RAN"),
    ("Error: No authentication information found.\n", "", False, "not measured: Copilot found no login"),
    ("Error: Authentication token found but could not be validated.", "", False, "not measured: Copilot could not have the login"),
    ("No, gho_x", '{"event": "PreToolUse", "outcomes": [["deny", "secret.github_token"]]}', False, "not measured: the person's model made no call"),
])  # fmt: skip
def test_a_session_with_a_login(said, log, passed, what):
    found = _smoke.login_check(said, log, "word", "exit code 1")
    assert (found["check"], found["passed"]) == ("login", passed) and what in found["what"] and "gho_x" not in found["what"]


def judged(said, ran, word_seen=False):
    asked = [question for question in _smoke.questions(PLACES, POLICY, "full") if question.check == "secrets"]
    bodies = [{"messages": [{"role": "tool", "tool_call_id": "call_1_0", "content": said}]}] if said is not None else []
    return _smoke.judged(asked, bodies, lambda path: ran, "word", "exit code 1")[0]


@pytest.mark.parametrize("said, ran, passed, what", [
    ("agentihooks [secret.github_token]: no", False, True, "denied by secret.github_token"),
    ("agentihooks [secret.github_token]: no", True, False, "THE CALL RAN"),
    ("agentihooks [runtime.failed]: no", False, False, "not denied by a rule"),
    ("Denied by preToolUse hook", False, False, "not denied by a rule"),
    (None, False, False, "never answered: exit code 1"),
])  # fmt: skip
def test_a_stop_counts_only_with_the_guards_own_words_and_without_effect(said, ran, passed, what):
    found = judged(said, ran)
    assert found["passed"] is passed and what in found["what"] and _smoke.PLANTED_KEY not in found["what"]


def test_the_results_of_both_wire_formats_are_read():
    chat = {"messages": [{"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "one"}]}]}
    responses = {"input": [{"type": "function_call_output", "call_id": "b", "output": "two"}, "odd"]}
    assert _smoke.results([chat, responses])["a"].endswith("one") and _smoke.results([chat, responses])["b"] == "two"


@pytest.mark.parametrize("target, version, newer", [
    ("copilot", "1.0.102", False), ("copilot", "1.0.%d-1" % (COPILOT_MEASURED[1] + 1), True), ("copilot", "2.0.0", True), ("copilot", None, False),
    ("codex", "0.171.0", False), ("codex", "%d.%d.999" % CODEX_MEASURED[1][:2], True), ("codex", "odd", False),
])  # fmt: skip
def test_a_version_newer_than_measured_is_told(target, version, newer):
    assert _smoke.is_newer(target, version) is newer


def test_the_record_holds_the_clis_that_were_driven():
    found = {"path": "/c", "version": "1.0.102", "passed": True, "checks": [], "newer": False}
    record = json.loads(_smoke.report("2026-01-02T03:04:05Z", "v", {"copilot": found, "codex": dict(found, passed=None)}))
    assert list(record["clis"]) == ["copilot"] and record["schema"] == 1 and set(record["clis"]["copilot"]) == {"path", "version", "passed", "checks"}
