# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every guard case gets its verdict, every rule its own examples, and no input makes a guard raise or stall."""

from __future__ import annotations

import os
import time
from pathlib import Path

import guard_tokens
import pytest
from agentihooks import normalize, pipeline, secret_shapes, shell
from agentihooks.event import Call, Context, Deny, Event
from agentihooks.guards import PACKS, credential_reads, secrets
from agentihooks.policy import DEFAULTS
from hypothesis import given, settings
from hypothesis import strategies as st

TESTS = Path(__file__).resolve().parents[1]

HOME = "/home/u"
CWD = HOME + "/project"
OWN = [case for path in sorted((TESTS / "guard_cases").glob("*.jsonl")) for case in guard_tokens.load(path)]
SHARED = TESTS.parents[1] / "shared"


def judge(case):
    """Return the Denies of the guards that the runtime would load for a case."""
    event = normalize.normalize("copilot", "preToolUse", guard_tokens.payload(case, guard_tokens.tokens(HOME), CWD))
    policy = dict(DEFAULTS, **case.get("policy", {}))
    context = Context(HOME, policy, lambda path: path, guard_tokens.files(case, CWD, HOME).get)
    return [denied for guard in pipeline.guards(event, policy) for denied in guard.check(event, context)]


def command(text):
    return judge({"tool": "bash", "args": {"command": text}})


def complaint(case, denials):
    """Return what is wrong with the verdict of a case, "" for nothing."""
    if case["verdict"] == "allow":
        return "denied by " + denials[0].rule if denials else ""
    if not denials:
        return "not denied"
    texts = [denied.text() for denied in denials]
    if not all(denied.rule in text and denied.way_out and denied.way_out in text for denied, text in zip(denials, texts)):
        return "the reason does not name the rule and a way out: " + texts[0]
    words = guard_tokens.tokens(HOME)
    leaked = [name for name, word in words.items() if name != "HOME" and any(word[8:20] in text for text in texts)]
    return "the reason shows the secret " + leaked[0] if leaked else ""


@pytest.mark.parametrize("verdict", ["deny", "allow"])
def test_own_cases(verdict):
    cases = [case for case in OWN if case["verdict"] == verdict]
    wrong = ["%s %r: %s" % (case["id"], case["args"], complaint(case, judge(case))) for case in cases if complaint(case, judge(case))]
    assert len(cases) > 500 and len(OWN) >= 400 and not wrong, "\n".join(wrong)


def test_everyday_commands_pass():
    cases = guard_tokens.innocents(TESTS / "guard_cases" / "innocent_commands.txt")
    wrong = ["%s %r: %s" % (case["id"], case["args"]["command"], complaint(case, judge(case))) for case in cases if judge(case)]
    assert len({case["args"]["command"] for case in cases}) >= 300 and not wrong, "\n".join(wrong)


def test_shared_cases(record_property):
    """The public cases beside the checkout, where they are; they may not be copied here."""
    path = SHARED / "cases" / "guard_cases.jsonl"
    cases = guard_tokens.load(path) if path.exists() else []
    print("%d shared guard cases read" % len(cases))
    record_property("shared guard cases", len(cases))
    wrong = []
    for case in cases:
        limit = case["verdict"] == "deny-or-documented-limit"
        found = complaint(dict(case, verdict="deny") if limit else case, judge(case))
        if found and not (limit and case["id"] in LIMITS):
            wrong.append("%s %r: %s" % (case["id"], case["args"], found))
    assert not wrong, "\n".join(wrong)


# Cases that may be a limit, and are: docs/guards.md names each with the layer that covers it.
LIMITS = {"A069"}


def test_every_limit_is_documented():
    text = (TESTS.parent / "docs" / "guards.md").read_text(encoding="utf-8")
    for limit in ("put together from pieces", "unknown until it runs", "hard link"):
        assert limit in text


def test_a_link_to_a_credential_is_seen_through(tmp_path):
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa").write_text("x")
    (tmp_path / "notes.txt").symlink_to(tmp_path / ".ssh" / "id_rsa")
    for call in (Call("view", "read", {"path": "notes.txt"}), Call("bash", "shell", {"command": "cat notes.txt"})):
        event = Event("copilot", "PreToolUse", "camel", cwd=str(tmp_path), calls=[call])
        assert credential_reads.check(event, Context(str(tmp_path), {}, os.path.realpath))


@pytest.mark.parametrize("mode, kind", [("block", "Deny"), ("warn", "Warn"), ("off", None)])
def test_a_prompt_with_a_token(mode, kind):
    event = Event("copilot", "UserPromptSubmit", "camel", prompt="use " + guard_tokens.tokens(HOME)["GHP"])
    found = secrets.check(event, Context(HOME, {"prompt_secrets": mode}))
    assert [type(item).__name__ for item in found] == ([kind] if kind else [])
    assert not any(guard_tokens.tokens(HOME)["GHP"] in str(item.text() if kind == "Deny" else item.text) for item in found)


def test_a_prompt_that_speaks_of_passwords_passes():
    event = Event("copilot", "UserPromptSubmit", "camel", prompt='set password = "hunter2hunter2" in the test fixture')
    assert secrets.check(event, Context(HOME, {})) == []


PIECES = ["cat ", ".env", "~/.ssh/id_rsa", "'", '"', "$(", ")", "`", "${", "}", "<<E", "\n", "E\n", "|", ";", "&&", "\\", "$x", "x=", "{a,", "[", "]",
          "*", "?", "<", ">", "((", "))", "#", " ", "$'", "\0", "\ud800", "\ue000", "é", "bash -c ", "eval ", "xargs ", "find . -exec ", "env"]  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=30))
def test_no_command_text_makes_a_guard_raise(pieces):
    for denied in command("".join(pieces)):
        assert isinstance(denied, Deny)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["path", "command", "file_text", "new_str", "patch", "x"]), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["bash", "view", "create", "edit", "apply_patch", "grep", "glob", "str_replace_editor", "a-b", "task", "sql"]), JSON)
def test_no_arguments_make_the_runtime_raise(tool, args):
    try:
        event = normalize.normalize("copilot", "preToolUse", {"toolName": tool, "toolArgs": args})
    except normalize.NotUnderstood:
        return
    context = Context(HOME, dict(DEFAULTS, guard_packs=list(PACKS)), lambda path: path)
    for guard in pipeline.guards(event, context.policy):
        guard.check(event, context)


LONG = {
    "one word": "x" * 1000000, "many words": "echo " + "a " * 80000, "text": "echo '" + "a b\n" * 250000 + "'", "quotes": "'" * 100000,
    "substitutions": "$(" * 5000, "parameters": "cat ${a" * 2000, "braces": "echo " + "{a,b}" * 30, "open braces": "echo " + "{a,b," * 5000,
    "commands": "a;" * 19000, "backslashes": "\\" * 100000, "backticks": "`" * 10001, "heredocs": "<<E\n" * 2000, "arithmetic": "$(((" * 3000,
    "an editor": "vim -c '" + ": " * 50000 + "'",
    "blanks for an editor": "vim -c ':" + " " * 50000 + "'", "a debugger": "gdb -ex '" + "\n" * 50000 + "'",
    "sed": "sed '" + "s/a" * 30000 + "'", "typed": "at now <<< 'agentihooks" + ",'" * 20000, "globs": "cat " + "*" * 5000,
    "pipes": "cat x" + "|cat" * 5000, "equals": "a=" * 50000,
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_long_commands_are_judged_in_time(name):
    started = time.process_time()
    command(LONG[name])
    assert time.process_time() - started < 5, "must stay below the deadline of 10 s"


@pytest.mark.parametrize("rule", secret_shapes.rules(), ids=lambda rule: rule.id)
def test_every_shape_is_denied_in_a_new_file(rule):
    for template in rule.positive:
        event = Event("copilot", "PreToolUse", "camel", calls=[Call("create", "write", {"path": "a", "file_text": secret_shapes.example(template)})])
        assert secrets.check(event, Context(HOME, {})), template


def words_of(text):
    return [[word.text for word in found.words] for found in shell.parse(text, HOME, CWD)]


@pytest.mark.parametrize(
    "text, words",
    [
        ("a b", [["a", "b"]]),
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a # b", [["a"]]),
        ("a; b && c || d | e &", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("x=1 a $x", [["a", shell.UNKNOWN]]),
        ("x=1; a $x", [[], ["a", "1"]]),
        ("x='1 2'; a $x \"$x\"", [[], ["a", "1", "2", "1 2"]]),
        ("a ~/x $HOME/y", [["a", HOME + "/x", HOME + "/y"]]),
        ("a {b,c}d {e}", [["a", "bd", "cd", "{e}"]]),
        ("a $(b c) d", [["b", "c"], ["a", shell.UNKNOWN, "d"]]),
        ("a <<E b\nbody\nE\nc", [["a", "b"], ["c"]]),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"]]),
        ("a 2>&1 >f <g", [["a"]]),
        ("f() { a; }", [["a"]]),
        ("a\\\nb", [["ab"]]),
        ("a $'\\x41\\n'", [["a", "A\n"]]),
    ],
)
def test_shell_words(text, words):
    assert words_of(text) == words


def test_shell_redirections_and_directories():
    commands = shell.parse("cd sub && cat < in > out 2>err <<< fed", HOME, CWD)
    last = commands[-1]
    assert ([word.text for word in last.reads], [word.text for word in last.writes], last.feeds) == (["in"], ["out", "err"], ["fed\n"])
    assert last.cwd == CWD + "/sub"
