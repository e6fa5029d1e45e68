# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rule stops its own positive example and lets its negative one pass: by the guards themselves and through the wrapper."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import guard_tokens
import pytest
from agentihooks import guard_exceptions, normalize, pipeline
from agentihooks.event import Context
from agentihooks.guards import credential_reads, git, instruction_size, kubectl_mutation, production_lockdown, self_protection, versions
from agentihooks.policy import DEFAULTS

TESTS = Path(__file__).resolve().parents[1]

HOME = "/home/u"
CWD = HOME + "/project"
GUARDS = (credential_reads, git, instruction_size, versions, kubectl_mutation, production_lockdown, self_protection)
RULES = [rule for guard in GUARDS for rule in guard.RULES.values()]
EXAMPLES = [(rule, kind) for rule in RULES for kind in ("denied", "allowed") if getattr(rule, kind)]


def case_of(example):
    """Return an example as a guard case."""
    return {"tool": "bash", "args": {"command": example}} if isinstance(example, str) else example


def test_every_rule_has_an_id_of_its_own_and_what_it_says_can_be_read():
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        text = rule.deny("x\0y").text()
        assert text.startswith("agentihooks [%s]: " % rule.id) and "x?y" in text and text.rstrip().endswith("."), text
        assert rule.denied or rule.id == "credential.undecidable"


def test_every_rule_is_known_to_be_a_floor_or_to_be_liftable():
    rules = {guard_exceptions.guard_of(rule.id) for rule in RULES}
    assert rules | {"secret", "runtime", "retry_breaker", "drop_in"} == set(guard_exceptions.FLOORS + guard_exceptions.LIFTABLE)


@pytest.mark.parametrize("rule, kind", EXAMPLES, ids=lambda value: getattr(value, "id", value))
def test_by_the_guards(rule, kind):
    case = case_of(getattr(rule, kind))
    event = normalize.normalize("copilot", "preToolUse", guard_tokens.payload(case, guard_tokens.tokens(HOME), CWD))
    policy = dict(DEFAULTS, **case.get("policy", {}))
    context = Context(HOME, policy, read=guard_tokens.files(case, CWD, HOME).get)
    found = [denied.rule for guard in pipeline.guards(event, policy) for denied in guard.check(event, context)]
    assert found == ([rule.id] if kind == "denied" else [])


@pytest.mark.parametrize("rule, kind", EXAMPLES, ids=lambda value: getattr(value, "id", value))
def test_through_the_wrapper(installed, rule, kind):
    case = case_of(getattr(rule, kind))
    project = installed.home / "project"
    project.mkdir()
    for path, text in guard_tokens.files(case, project, installed.home).items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    installed.policy(**case.get("policy", {}))
    done = installed.run("preToolUse", guard_tokens.payload(case, guard_tokens.tokens(installed.home), str(project)), "1.0.102")
    assert done.returncode == 0, done
    if kind == "allowed":
        assert done.stdout == b""
    else:
        reason = json.loads(done.stdout)["permissionDecisionReason"]
        assert reason.startswith("agentihooks [%s]: " % rule.id) and rule.way_out in reason


def test_a_guard_that_a_call_cannot_concern_is_not_loaded():
    event = normalize.normalize("copilot", "preToolUse", guard_tokens.payload(case_of("ls -la src | head"), {}, CWD))
    assert [guard.__name__.rpartition(".")[2] for guard in pipeline.guards(event, DEFAULTS)] == ["secrets", "credential_reads"]


def test_the_page_about_the_guards_has_the_rules_of_now():
    sys.path.insert(0, str(TESTS.parent / "scripts"))
    import guard_table

    text = guard_table.PAGE.read_text(encoding="utf-8")
    assert guard_table.page(text) == text, "run scripts/guard_table.py"
