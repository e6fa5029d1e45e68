# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drop-in guards through the wrapper: they see the call, they only tighten, and one that does not work denies."""

from __future__ import annotations

import json
import os
import time

import pytest

SESSION = "0b5c3c1e-0000-4000-8000-000000000001"
ECHO = 'cat > "$HOME/seen.$$"\n'


@pytest.fixture
def add(installed):
    def write(name, script, directory=None, mode=0o700):
        place = directory or installed.data / "drop-ins"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = place / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(mode)
        return path

    return write


def ask(installed, tool="bash", event="preToolUse", cwd="/", **args):
    payload = {"sessionId": SESSION, "cwd": cwd, "toolName": tool, "toolArgs": args or {"command": "ls"}}
    done = installed.run(event, payload, "1.0.102")
    assert done.returncode == 0, done
    return json.loads(done.stdout) if done.stdout else {}


def reason(answer):
    return answer.get("permissionDecisionReason", "")


def test_it_gets_the_call_as_json(installed, add):
    add("pre-shell-look", ECHO)
    assert ask(installed, command="ls -l é") == {}
    (seen,) = [json.loads(path.read_text()) for path in installed.home.glob("seen.*")]
    assert seen == {"event": "PreToolUse", "target": "copilot", "session_id": SESSION, "cwd": "/", "tool": "bash", "kind": "shell",
                    "args": {"command": "ls -l é"}}


@pytest.mark.parametrize(
    "script, expected",
    [
        ("", ""), ("echo '{}'", ""), ("echo '{\"decision\": \"allow\"}'", ""), ("echo '{\"decision\": \"warn\", \"reason\": \"careful\"}'", ""),
        ("echo '{\"decision\": \"deny\", \"reason\": \"not on Fridays\"}'", "not on Fridays."), ("echo not on Fridays >&2; exit 2", "not on Fridays."),
        ("echo '{\"decision\": \"deny\"}'", "says no"), ("exit 2", "says no"),
        ("exit 1", "exit code 1"), ("exit 127", "exit code 127"), ("kill -9 $$", "signal 9"), ("echo garbage", "no decision"), ("echo '[]'", "no decision"),
        ("echo '{\"decision\": \"maybe\"}'", "no decision"), ("echo '{\"decision\": 1}'", "no decision"), ("echo '{\"x\": \"y\"}'", "no decision"),
        ("echo '{\"decision\": \"deny\", \"reason\": 5}'", "no decision"), ("echo '{}{}'", "no decision"), ("yes | head -c 200000", "no decision"),
        ("printf '\\377'", "no decision"), ("echo '{\"decision\": \"allow\"}'; exit 3", "exit code 3"),
    ],
)  # fmt: skip
def test_what_it_answers(installed, add, script, expected):
    add("pre-shell-check", script)
    answer = reason(ask(installed))
    assert ("agentihooks [drop_in.shell_check]: " in answer and expected in answer) if expected else answer == ""


def test_context_reaches_the_model(installed, add):
    add("pre-any-note", "echo '{\"context\": \"CANARY-9\"}'")
    assert "CANARY-9" in ask(installed)["additionalContext"]


def test_one_that_hangs_is_ended_with_all_it_started_and_denies(installed, add):
    installed.policy(drop_in_seconds=0.7)
    add("pre-shell-slow", 'sleep 61 & echo $! > "$HOME/pid"; sleep 60')
    started = time.monotonic()
    assert "took too long" in reason(ask(installed))
    assert time.monotonic() - started < 5
    pid = int((installed.home / "pid").read_text())
    time.sleep(0.2)
    state = open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()[0] if os.path.exists("/proc/%d" % pid) else "gone"
    assert state in ("gone", "Z")


def test_many_run_side_by_side_and_the_most_severe_wins(installed, add):
    for number in range(6):
        add("pre-shell-%d" % number, "sleep 0.5; echo '{\"decision\": \"%s\", \"reason\": \"r%d\"}'" % ("deny" if number == 3 else "allow", number))
    add("pre-shell-x", "echo '{\"context\": \"CANARY-9\"}'")
    started = time.monotonic()
    answer = ask(installed)
    assert time.monotonic() - started < 2.5
    assert "r3." in reason(answer) and "CANARY-9" not in json.dumps(answer)


@pytest.mark.parametrize(
    "name, tool, args, runs",
    [("pre-bash-x", "bash", {"command": "ls"}, True), ("pre-any-x", "view", {"path": "a"}, True),
     ("pre-edit-x", "edit", {"path": "a", "old_str": "a", "new_str": "b"}, True),
     ("pre-write-x", "create", {"path": "a", "file_text": "b"}, True), ("pre-shell-x", "view", {"path": "a"}, False),
     ("pre-mcp-x", "tiny-alpha", {"x": "1"}, True),
     ("post-shell-x", "bash", {"command": "ls"}, False), ("README", "bash", {"command": "ls"}, False), ("pre-shell-x~", "bash", {"command": "ls"}, True)],
)  # fmt: skip
def test_its_name_says_for_which_tool_it_is(installed, add, name, tool, args, runs):
    add(name, "exit 2")
    assert bool(reason(ask(installed, tool, **args))) is runs


@pytest.mark.parametrize("spoil", ["not executable", "writable", "directory writable", "link", "directory", "no interpreter"])
def test_one_that_cannot_be_relied_on_denies(installed, add, spoil):
    path = add("pre-shell-x", "exit 0")
    if spoil == "not executable":
        path.chmod(0o600)
    elif spoil == "writable":
        path.chmod(0o722)
    elif spoil == "directory writable":
        path.parent.chmod(0o777)
    elif spoil == "no interpreter":
        path.write_text("#!/nonexistent\n")
    else:
        path.rename(installed.home / "elsewhere")
        path.symlink_to(installed.home / "elsewhere") if spoil == "link" else path.mkdir()
    assert "does not work" in reason(ask(installed))


def test_a_failing_one_lets_through_where_the_role_wants_that(installed, add):
    installed.policy(guard_failure="allow")
    add("pre-shell-x", "exit 1")
    assert ask(installed) == {}
    add("pre-shell-x", "exit 2")
    assert reason(ask(installed))


def test_it_is_not_asked_about_what_a_guard_denies_and_sees_no_secrets_of_the_environment(installed, add):
    add("pre-shell-x", 'env > "$HOME/environment"; echo "$0" >> "$HOME/ran"')
    assert "credential.file" in reason(ask(installed, command="cat ~/.ssh/id_rsa"))
    assert not (installed.home / "ran").exists()
    payload = {"sessionId": SESSION, "cwd": "/", "toolName": "bash", "toolArgs": {"command": "ls"}}
    installed.run("preToolUse", payload, "1.0.102", env={"GITHUB_TOKEN": "CANARY-7"})
    assert (installed.home / "ran").exists() and "CANARY-7" not in (installed.home / "environment").read_text()


def test_a_reason_shows_no_secret(installed, add):
    token = "ghp_" + "q7Xc2VbN9mLk4JhG6fDsA1pOiU3yTr5eWzQ8"
    add("pre-shell-x", "echo 'leaked %s' >&2; exit 2" % token)
    answer = reason(ask(installed))
    assert "leaked" in answer and token not in answer


def test_only_before_a_call(installed, add):
    add("pre-any-x", "exit 2")
    assert ask(installed, event="permissionRequest") == {} and ask(installed, event="postToolUse") == {}


@pytest.mark.parametrize("trusted, wanted, runs", [(True, True, True), (True, False, False), (False, True, False)])
def test_a_repositorys_own_runs_only_when_trusted_and_wanted(installed, add, trusted, wanted, runs):
    root = installed.home / "repo"
    (root / ".git").mkdir(parents=True)
    add("pre-shell-x", "exit 2", root / ".agentihooks" / "drop-ins")
    if trusted:
        (installed.home / ".copilot" / "config.json").write_text('// x\n{"trustedFolders": ["%s"]}' % root)
    installed.policy(repository_drop_ins=wanted)
    assert bool(reason(ask(installed, cwd=str(root)))) is runs


@pytest.mark.parametrize("policy", [{"drop_in_seconds": 0}, {"drop_in_seconds": 99}, {"drop_in_seconds": "1"}, {"repository_drop_ins": "yes"}])
def test_an_odd_setting_leaves_the_strict_default(installed, add, policy):
    installed.policy(**policy)
    add("pre-shell-x", "exit 2")
    assert reason(ask(installed))


def test_a_person_can_unlock_one(installed, add):
    add("pre-shell-x", "exit 2")
    answer = reason(ask(installed))
    assert "agentihooks unlock drop_in --session " + SESSION in answer
