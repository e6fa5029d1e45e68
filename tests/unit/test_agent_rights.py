# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of an agent: the map, the forms people write, deny lists, and the property that nothing ever gets wider."""

from __future__ import annotations

import random

import pytest
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _agent_rights
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._agent_rights import resolve

READ_ONLY = ("view", "grep", "glob", "web_fetch", "web_search", "update_todo", "ask_user")


@pytest.mark.parametrize("value, tools", [
    ("Read, Grep , Glob", ("view", "grep", "glob")),
    (["Read", "Grep"], ("view", "grep")),
    (["Read, Grep"], ("view", "grep")),
    ("[Read, 'Grep', \"Glob\"]", ("view", "grep", "glob")),
    ("- Read\n- Bash", ("view", "shell")),
    ("Read Grep", ("view", "grep")),
    ("Read", ("view",)),
    ("Write, Edit", ("create", "edit")),
    ("MultiEdit", ("edit",)),
    ("Bash, WebFetch, WebSearch, Task, Agent, TodoWrite, AskUserQuestion", ("shell", "web_fetch", "web_search", "task", "update_todo", "ask_user")),
    ("read, search, execute", ("view", "grep", "glob", "shell")),
    ("Bash(*), Read(:*)", ("shell", "view")),
    ("mcp__github__create_issue, mcp__ctx7, mcp__a-b.c__*", ("github/create_issue", "ctx7/*", "a-b.c/*")),
    ("mcp__ace-tool__search_context(*)", ("ace-tool/search_context",)),
    ("", ()), ([], ()), (None, ()), (True, ()), (3, ()), ([None, 3], ()),
    ("ExitPlanMode, KillShell, NotebookEdit", ()),
    ("mcp__*, mcp__x__get_*", ()),
    ("Agent(a, b, c), Bash(git diff:*), Read(./src/**)", ()),
    ("Bash(git (log|diff), a), Read", ("view",)),
    ("Bash(git diff, Read", ()),
    ("github/*, edit/editFiles", ()),
    ({"write": False, "edit": False, "bash": False}, READ_ONLY),
    ({"read": True, "write": False}, ("view",)),
    ({"*": "deny", "read": "allow"}, ("view",)),
    ({"*": True, "write": False, "bash": False}, READ_ONLY),
    ({"*": False}, ()),
    ({"bash": {"*": "deny", "ls": "allow"}, "read": True}, ("view",)),
    ("*", None), (["*"], None), ("*, Read", None), ({}, None),
])  # fmt: skip
def test_tools(value, tools):
    assert resolve([value], [], version="1.0.102").tools == tools


def test_no_key_is_every_tool_and_an_empty_one_is_none():
    assert resolve([], []).tools is None
    assert resolve([None], []).tools == ()


def test_a_key_given_twice_gives_what_both_give():
    assert resolve(["Read, Write, Bash", "Bash, Read"], []).tools == ("view", "shell")
    assert resolve(["*", "Read"], []).tools == ("view",)


@pytest.mark.parametrize("allowed, denied, tools", [
    ([], ["Write, Edit, Bash"], READ_ONLY),
    ([], [["Write"], ["Bash(rm:*)"]], READ_ONLY),
    (["Read, Write, Edit, Bash"], ["Edit"], ("view", "shell")),
    (["Read, Bash"], ["Bash(rm *)"], ("view",)),
    (["Read, NotebookRead"], ["NotebookEdit"], ("view",)),
    (["mcp__a__x, mcp__a__y, Read"], ["mcp__a__x"], ("a/y", "view")),
    (["mcp__a, mcp__b, Read"], ["mcp__a__delete"], ("b/*", "view")),
    (["mcp__a__x, mcp__b, Read"], ["mcp__a"], ("b/*", "view")),
    (["mcp__a__x, mcp__b, Read"], ["mcp__*"], ("view",)),
    (["mcp__a__x, mcp__b, Read"], ["mcp__a__de*"], ("view",)),
    (["*"], ["*"], ()),
    ([], ["*"], ()),
    ([], [[]], None),
    ([], [None], None),
])  # fmt: skip
def test_deny_lists(allowed, denied, tools):
    assert resolve(allowed, denied).tools == tools


def test_a_deny_list_never_leaves_sub_agents_that_could_do_what_is_denied():
    rights = resolve([], ["ExitPlanMode"])
    assert "agent" not in rights.classes() and "mcp" not in rights.classes()
    assert any("MCP tools and sub-agents" in text for text in rights.lost)


def test_scoped_grants_are_dropped_or_widened_on_request():
    dropped = resolve(["Bash(git diff:*), Read, NotebookEdit"], [])
    assert dropped.tools == ("view",)
    assert [text.partition(":")[0] for text in dropped.lost] == ["Bash(git diff", "NotebookEdit"]
    assert resolve(["Bash(git diff:*), Read, NotebookEdit"], [], scoped="widen").tools == ("shell", "view", "edit")


def test_what_is_lost_is_named_and_what_comes_along_is_not():
    assert resolve(["Bash, BashOutput, KillShell, Skill, LSP"], []).lost == ("LSP: Copilot has no such tool",)
    assert resolve(["BashOutput"], []).lost == ("BashOutput: Copilot has no such tool",)


@pytest.mark.parametrize("version, tools", [
    ("1.0.80", ("create", "apply_patch")), ("1.0.92", ("create", "apply_patch")), (None, ("create", "apply_patch")),
    ("1.0.102", ("create",)), ("1.1.0-2", ("create",)),
])  # fmt: skip
def test_create_alone_needs_help_before_1_0_102(version, tools):
    assert resolve(["Write"], [], version=version).tools == tools


def test_a_permission_block_limits():
    allowed, denied = _agent_rights.permission_block({"edit": "deny", "webfetch": "allow", "mcp": {"*": "deny"}, "tools": {"*": "deny", "read": "allow"}})
    assert (allowed, denied) == ([{"*": "deny", "read": "allow"}], ["edit", "mcp__*"])


# What a name stands for in the source, in the words of the rule and not of the code.
SOURCE_CLASSES = {
    "Read": "read", "Grep": "read", "Glob": "read", "LS": "read", "NotebookRead": "read", "read": "read", "search": "read",
    "Write": "write", "Edit": "write", "MultiEdit": "write", "NotebookEdit": "write", "edit": "write",
    "Bash": "shell", "execute": "shell", "Bash(git *)": "shell", "Bash(*)": "shell",
    "WebFetch": "net", "WebSearch": "net", "WebFetch(domain:a.b)": "net",
    "Task": "agent", "Agent": "agent", "Agent(a, b)": "agent",
    "mcp__a__b": "mcp", "mcp__a": "mcp", "mcp__a__*": "mcp", "mcp__*": "mcp",
    "TodoWrite": "none", "AskUserQuestion": "none", "ExitPlanMode": "none", "zzz": "none", "github": "none", "": "none",
}


@pytest.mark.parametrize("scoped", ["drop", "widen"])
def test_never_wider_whatever_the_list(scoped):
    source = random.Random(20260102)
    names = sorted(SOURCE_CLASSES)
    for _round in range(3000):
        chosen = source.sample(names, source.randint(0, 6))
        denied = source.sample(names, source.choice([0, 0, 1, 3]))
        form = source.choice(["text", "list", "map"])
        value = {"text": ", ".join(chosen), "list": chosen, "map": {name: True for name in chosen} or ""}[form]
        rights = resolve([value], [denied] if denied else [], scoped, source.choice([None, "1.0.80", "1.0.102"]))
        assert rights.tools is not None
        classes = {SOURCE_CLASSES[name] for name in chosen}
        assert rights.classes() - {"none"} <= classes, (value, denied, rights)
        for name in denied:
            if name in ("Bash", "Bash(git *)", "Task", "Write", "Edit", "NotebookEdit", "mcp__*"):
                assert SOURCE_CLASSES[name] not in rights.classes(), (value, denied, rights)


def test_every_grant_has_a_class_and_every_map_points_at_grants():
    assert set(_agent_rights.GRANTS.values()) <= set(_agent_rights.CLASSES)
    for table in (_agent_rights.CLAUDE_TOOLS, _agent_rights.OTHER_TOOLS):
        assert {grant for grants in table.values() for grant in grants} <= set(_agent_rights.GRANTS)
