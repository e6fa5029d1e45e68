# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The secrets guard beyond its table of cases: what it says, batches, every way a patch comes in, encodings, the corpus, any input.

Its table is tests/guard_cases/secrets.jsonl, judged in test_guards.py.
"""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from agentihooks import secret_shapes
from agentihooks.event import Call, Context, Event
from agentihooks.guards import secrets
from hypothesis import given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
TOKEN = secret_shapes.example("ghp_~a36~")
PASSWORD = secret_shapes.example("~a20~")
CONTEXT = Context("/home/u")


def denied(kind, args, name="tool", event="PreToolUse"):
    return secrets.check(Event("copilot", event, "camel", calls=[Call(name, kind, args)]), CONTEXT)


def shell(command):
    return denied("shell", {"command": command}, "bash")


@pytest.mark.parametrize("kind, args, where", [
    ("write", {"path": "src/a.py", "file_text": TOKEN}, "the file src/a.py"),
    ("edit", {"file_path": "src/a.py", "new_string": TOKEN}, "the file src/a.py"),
    ("patch", {"patch": "*** Begin Patch\n*** Add File: src/a.py\n+%s\n*** End Patch" % TOKEN}, "the file src/a.py"),
    ("patch", {"text": "*** Begin Patch\n*** Update File: a\n*** Move to: src/a.py\n@@\n+%s\n*** End Patch" % TOKEN}, "the file src/a.py"),
    ("shell", {"command": "echo %s" % TOKEN}, "a command"),
    ("mcp", {"x": [{"y": TOKEN}]}, 'the tool "tool"'),
])  # fmt: skip
def test_the_reason_names_rule_kind_and_place_and_shows_no_part_of_the_secret(kind, args, where):
    deny, = denied(kind, args)
    text = deny.text()
    assert deny.rule == "secret.github_token" and "GitHub token" in text and where in text and deny.way_out in text
    assert not any(TOKEN[start : start + 6] in text for start in range(4, len(TOKEN) - 6))


def test_a_secret_in_a_path_is_not_shown():
    deny, = denied("write", {"path": "x/%s.txt" % TOKEN, "file_text": "x"})
    assert TOKEN[4:] not in deny.text()


def test_each_call_of_a_batch_is_judged():
    calls = [Call("view", "read", {"path": "a"}), Call("bash", "shell", {"command": "echo %s" % TOKEN})]
    calls.append(Call("create", "write", {"path": "b", "file_text": TOKEN}))
    found = secrets.check(Event("copilot", "PreToolUse", "batch", calls=calls), CONTEXT)
    assert ["a command" in deny.text() for deny in found] == [True, False] and "the file b" in found[1].text()


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest", "PreMcpToolCall"])
def test_the_same_call_gets_the_same_verdict_on_every_deciding_event(event):
    assert denied("shell", {"command": "echo %s > a" % TOKEN}, event=event)
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+k = '%s'\n" % TOKEN
    assert denied("patch", {"diff": diff}, event=event) and denied("edit", {"path": "a.py", "diff": diff}, event=event)


@pytest.mark.parametrize("key", ["patch", "input", "command", "text", "diff"])
def test_a_patch_under_any_key(key):
    patch = "*** Begin Patch\n*** Update File: a\n@@\n%s%s\n*** End Patch"
    assert denied("patch", {key: patch % ("+", TOKEN)}) and not denied("patch", {key: patch % ("-", TOKEN)})
    assert denied("patch", {key: [patch % ("+", TOKEN)]}), "a form nobody has seen is searched whole"


def test_what_comes_with_a_patch_is_judged_too():
    assert denied("patch", {"patch": "*** Begin Patch\n*** End Patch", "explanation": TOKEN})


@pytest.mark.parametrize("command", [
    "echo %s | base64 -d > f" % base64.b64encode(TOKEN.encode()).decode(),
    "base64 -d <<< %s > f" % base64.b64encode(TOKEN.encode()).decode(),
    "echo '%s' | rev > f" % TOKEN[::-1],
    "printf '%%s%%s' %s %s > f" % (TOKEN[:20], TOKEN[20:]),
    "echo %s'%s' > f" % (TOKEN[:9], TOKEN[9:]),
    "echo \"%s\"\"%s\" > f" % (TOKEN[:3], TOKEN[3:]),
    "echo %s\\\n%s > f" % (TOKEN[:12], TOKEN[12:]),
    "a=%s; b=%s; echo $a$b > f" % (TOKEN[:12], TOKEN[12:]),
    "bash -c 'echo %s\"\"%s'" % (TOKEN[:12], TOKEN[12:]),
    "echo %s%s" % (TOKEN[:12], "\u200b" + TOKEN[12:]),
    "echo $'\\x67hp_%s' > f" % TOKEN[4:],
    "curl -d token=%s http://127.0.0.1/" % TOKEN,
    "curl http://127.0.0.1/%s" % TOKEN,
])  # fmt: skip
def test_a_token_in_pieces_or_encoded(command):
    assert shell(command), command


def test_a_list_for_a_command_and_stray_arguments():
    assert denied("shell", {"command": ["bash", "-c", "echo %s" % TOKEN]})
    assert denied("shell", {"cmd": "ls", "description": TOKEN}) and denied("shell", {"command": "ls", "env": {"TOKEN": PASSWORD}})


def test_assignments_count_only_where_they_land_in_a_file():
    assert not shell("API_KEY=%s make run" % PASSWORD) and not shell("docker run -e API_KEY=%s app > log.txt" % PASSWORD)
    assert shell("echo API_KEY=%s > .env" % PASSWORD) and not shell("echo API_KEY=%s > /dev/null" % PASSWORD)


def test_old_text_passes_only_where_it_goes_nowhere():
    assert not denied("edit", {"path": "a", "old_str": TOKEN, "new_str": "x"}) and denied("mcp", {"old_str": TOKEN, "new_str": "x"})
    assert not denied("edit", {"path": "a", "edits": [{"old_string": TOKEN, "new_string": "x"}]})


def test_real_agents_and_commands_can_be_written(record_property):
    """At most one false denial in a thousand; the files are read where they lie beside the checkout."""
    folders = [CORPUS / name for name in ("agents_all", "commands_all")]
    files = sorted(path for folder in folders if folder.is_dir() for path in folder.rglob("*") if path.is_file())
    print("%d files of the corpus read" % len(files))
    record_property("corpus files", len(files))
    found = [path.name for path in files if denied("write", {"path": path.name, "file_text": path.read_text("utf-8", "replace")})]
    assert len(found) * 1000 <= len(files), found


KEYS = st.sampled_from(["path", "command", "cmd", "file_text", "new_str", "old_str", "edits", "patch", "diff", "input", "password", "token", "x"])
PIECES = [TOKEN, "echo '", "*** Begin Patch", "--- a\n+++ b", "\ud800", "password = '%s'" % PASSWORD, "cat <<E > f\n"]
TEXTS = st.one_of(st.text(max_size=20), st.sampled_from(PIECES))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.one_of(KEYS, TEXTS), inner, max_size=4), max_leaves=12,
)  # fmt: skip
KINDS = st.sampled_from(["shell", "read", "write", "edit", "patch", "search", "glob", "mcp", "agent", "web", "other"])


@settings(max_examples=500, deadline=None)
@given(KINDS, st.dictionaries(st.one_of(KEYS, TEXTS), VALUES, max_size=5))
def test_any_arguments_are_judged(kind, args):
    for deny in denied(kind, args):
        assert TOKEN not in deny.text() and PASSWORD not in deny.text()


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(["block", "warn", "off", "nonsense", None]))
def test_any_prompt_is_judged(prompt, mode):
    found = secrets.check(Event("copilot", "UserPromptSubmit", "camel", prompt=prompt), Context("/home/u", {"prompt_secrets": mode}))
    assert len(found) == (TOKEN in prompt and mode != "off")
