# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rule stops its own positive example and lets its negative one pass: by the guards themselves and through the wrapper."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import guard_tokens
import pytest
from agentihooks import guard_exceptions, normalize, pipeline, relevance
from agentihooks.event import Context
from agentihooks.guards import GUARDS, IDS
from agentihooks.policy import DEFAULTS

TESTS = Path(__file__).resolve().parents[1]

HOME = "/home/u"
CWD = HOME + "/project"
# The rules of secrets are their shapes: tests/unit/test_secret_shapes.py.
RULES_OF = {guard: importlib.import_module("agentihooks.guards." + guard.name).RULES for guard in GUARDS if guard.name != "secrets"}
RULES = [rule for rules in RULES_OF.values() for rule in rules.values()]
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


def test_the_list_of_guards_is_what_is_there():
    files = {path.stem for path in (TESTS.parent / "files/hooks_runtime/agentihooks/guards").glob("*.py")} - {"__init__"}
    assert files == {guard.name for guard in GUARDS}, "each guard stands in guards/__init__.py"
    for guard, rules in RULES_OF.items():
        assert {guard_exceptions.guard_of(id) for id in rules} == set(guard.ids), guard.name
        assert guard.concerns in ("", *vars(relevance)) and guard.setting in ("", *DEFAULTS), guard.name
        assert (TESTS / "guard_cases" / (guard.name + ".jsonl")).exists(), "each guard has cases in tests/guard_cases"
    assert len(set(IDS)) == len(IDS) and set(guard_exceptions.FLOORS) - {"runtime"} < set(IDS)


def test_the_page_about_the_guards_has_each_of_them():
    page = (TESTS.parent / "docs/guards.md").read_text(encoding="utf-8")
    assert [guard.name for guard in GUARDS if "\n| `%s` |" % guard.name not in page] == []


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
