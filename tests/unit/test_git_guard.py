# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The git guard on what its case table (test_guards.py) does not show: real repositories, files that are odd, mutated commands."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import guard_tokens
import pytest
from agentihooks import git_repository, pipeline
from agentihooks.event import Call, Context, Deny, Event
from agentihooks.guards import PACKS, git
from agentihooks.policy import DEFAULTS, GIT_GATES
from hypothesis import given, settings
from hypothesis import strategies as st

TESTS = Path(__file__).resolve().parents[1]

COMMANDS = [
    case["args"]["command"]
    for name in ("git", "instruction_size", "versions", "kubectl_mutation", "production_lockdown")
    for case in guard_tokens.load(TESTS / "guard_cases" / (name + ".jsonl"))
    if case["tool"] == "bash"
]


def rules(command, cwd, home="/nowhere", **policy):
    event = Event("copilot", "PreToolUse", "camel", cwd=str(cwd), calls=[Call("bash", "shell", {"command": command})])
    return [denied.rule for denied in git.check(event, Context(str(home), dict(DEFAULTS, **policy), os.path.realpath, pipeline.read))]


@pytest.fixture
def repository(tmp_path):
    """A function that runs real git in a new repository on main with one commit; its attribute path is where it lies."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    for name in ("AUTHOR", "COMMITTER"):
        environment.update({"GIT_%s_NAME" % name: "u", "GIT_%s_EMAIL" % name: "u@example.com"})
    path = tmp_path / "r"
    path.mkdir()

    def run(*arguments):
        subprocess.run(["git"] + list(arguments), cwd=str(path), env=environment, check=True, capture_output=True)

    run("init", "-q")
    run("symbolic-ref", "HEAD", "refs/heads/main")
    run("commit", "-q", "--allow-empty", "-m", "first")
    run.path = path
    return run


def test_real_repositories(repository):
    path = repository.path
    (path / "deep" / "er").mkdir(parents=True)
    assert rules("git commit -m x", path) == rules("git commit -m x", path / "deep" / "er") == ["git.commit"]
    assert rules("git push", path) == ["git.push"] and rules("git push origin HEAD:topic", path) == []
    repository("checkout", "-q", "-b", "topic")
    assert rules("git commit -m x; git push", path) == []
    assert rules("git checkout main && git commit -m x", path) == ["git.commit"]
    repository("pack-refs", "--all")
    assert rules("git checkout main; git merge topic", path) == ["git.commit"]
    repository("worktree", "add", "-q", str(path / "w"), "main")
    assert rules("git commit -m x", path / "w") == ["git.commit"] and rules("git -C w push", path) == ["git.push"]
    repository("checkout", "-q", "--detach")
    assert rules("git commit -m x; git push", path) == []


def test_real_configuration(repository):
    path = repository.path
    repository("checkout", "-q", "-b", "topic")
    repository("config", "alias.ship", "push origin HEAD:main")
    repository("config", "alias.sh.ip", "!git push origin main")
    assert rules("git ship", path) == ["git.push"] and rules("git status", path) == []
    repository("remote", "add", "--mirror=push", "copy", "x")
    assert rules("git push copy", path) == ["git.push"] and rules("git push origin", path) == []
    repository("config", "push.default", "matching")
    assert rules("git push", path) == ["git.push"]


@pytest.mark.parametrize("text", ["", "ref:", "ref: refs/heads/", "\0", "ref: refs/heads/../main", "x" * 100000])
def test_an_odd_head_is_no_error(tmp_path, text):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(text)
    for command in ("git commit -m x", "git push", "git push origin HEAD"):
        assert set(rules(command, tmp_path)) <= {"git.undecidable"}


def test_a_pointer_that_leads_nowhere_or_to_itself(tmp_path):
    (tmp_path / ".git").write_text("gitdir: .\n")
    assert set(rules("git push", tmp_path)) <= {"git.undecidable"}
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")
    assert rules("git push", tmp_path) == ["git.undecidable"] and rules("git push origin topic", tmp_path) == []


def test_aliases_that_name_each_other_end():
    for text in ("git -c alias.a=a a", "git -c alias.a=b -c alias.b=a a", "git -c 'alias.a=!git -c alias.a=a a' a"):
        assert rules(text, "/nowhere") == []


@pytest.mark.parametrize(
    "text, key, values",
    [
        ("[a]\nb = c", "a.b", ["c"]), ("[A]\n\tB=c ; d", "a.b", ["c"]), ('[a "B c"]\nD = "e;f" # g', "a.B c.d", ["e;f"]), ("[a] b = c", "a.b", ["c"]),
        ("[a]\nb = c \\\n  d", "a.b", ["c   d"]), ("[a]\nb", "a.b", ["true"]), ("[a]\nb = 1\n[a]\nb = 2", "a.b", ["1", "2"]), ("b = c", "a.b", []),
        ('[a]\nb = "c\\"d"', "a.b", ['c"d']),
    ],
)  # fmt: skip
def test_configuration_files(text, key, values):
    assert git_repository.parse_config(text).get(key, []) == values


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='[]"=\\\n #;ab.', max_size=60))
def test_no_configuration_file_raises(text):
    assert isinstance(git_repository.parse_config(text), dict)


PIECES = ["'", '"', "\\", "$(", ")", "`", "|", ";", "&&", "\n", "$x", "--", "-", "+", ":", "@", "*", "~", "!", "=", "\0", "\ud800", "\ue002", " git ", " push ",
          " -C ", " -c ", "xargs ", "sh -c ", "<<E\n", "refs/heads/", "origin "]  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(COMMANDS), st.lists(st.tuples(st.integers(0, 120), st.integers(0, 4), st.sampled_from(PIECES)), min_size=1, max_size=5))
def test_no_mutation_of_a_command_makes_a_guard_raise(text, changes):
    for place, removed, piece in changes:
        text = text[:place] + piece + text[place + removed :]
    event = Event("copilot", "PreToolUse", "camel", cwd="/home/u/project", calls=[Call("bash", "shell", {"command": text})])
    policy = dict(DEFAULTS, guard_packs=list(PACKS), git_gates=list(GIT_GATES))
    files = {"/home/u/project/.git/HEAD": "ref: refs/heads/main\n", "/home/u/project/VERSION": "1.0\n", "/home/u/project/AGENTS.md": "x\n" * 300}
    context = Context("/home/u", policy, read=files.get)
    assert all(isinstance(denied, Deny) for guard in pipeline.guards(event, policy) for denied in guard.check(event, context))


@settings(max_examples=600, deadline=None)
@given(
    st.sampled_from(["AGENTS.md", "VERSION", "package.json", "pyproject.toml", "setup.py"]), st.sampled_from(["write", "edit", "patch", "mcp", "other"]),
    st.text(alphabet='[]{}"=\\\n +-@*version1.0l', max_size=60), st.text(alphabet='{}"\n version1.0', max_size=30),
    st.sampled_from(["file_text", "new_str", "edits", "patch", "insert_line"]),
)  # fmt: skip
def test_no_write_makes_a_guard_raise(name, kind, new, old, key):
    args = {"path": name, "old_str": old, "new_str": new}
    args[key] = "*** Begin Patch\n*** Update File: %s\n%s\n*** End Patch" % (name, new) if kind == "patch" else {"edits": [args.copy(), None, 1]}.get(key, new)
    event = Event("copilot", "PreToolUse", "camel", cwd="/p", calls=[Call("tool", kind, args)])
    context = Context("/home/u", dict(DEFAULTS, instructions_max_lines=2), read={"/p/" + name: old}.get)
    assert all(isinstance(denied, Deny) for guard in pipeline.guards(event, context.policy) for denied in guard.check(event, context))
