# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks explain says what the wrapper would do with a call, and leaves nothing behind; agentihooks denials counts what it did."""

from __future__ import annotations

import json
import os
import subprocess
import time

import guard_tokens
import pytest
from agentihooks import consent, log
from agentihooks.commands import CommandError, denials

SESSION = "0b5c3c1e-0000-4000-8000-000000000001"
TOKEN = "ghp_" + "q7Xc2VbN9mLk4JhG6fDsA1pOiU3yTr5eWzQ8"


@pytest.fixture
def command(installed):
    """A function (words, stdin) -> CompletedProcess of the command, as anybody may run it."""
    path = str(installed.command())

    def run(*words, stdin=b"", env=None):
        environ = dict({"HOME": str(installed.home), "PATH": "/usr/bin:/bin"}, **(env or {}))
        return subprocess.run([path] + list(words), input=stdin, capture_output=True, env=environ, cwd=str(installed.home), timeout=60, check=False)

    return run


def picture(directory):
    paths = [path for path in sorted(directory.rglob("*")) if "__pycache__" not in str(path)]
    return {str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"") for path in paths}


def test_a_denial_is_explained_and_nothing_is_left_behind(installed, command):
    command("explain", "true")
    before = picture(installed.home)
    done = command("explain", "cat ~/.ssh/id_rsa && git push origin main")
    assert done.returncode == 1 and done.stderr == b"", done
    said = done.stdout.decode()
    assert "denied   credential.file" in said and "denied   git.push" in said and said.count("way out  ") == 2 and "credential file" in said
    allowed = command("explain", "git push origin topic")
    assert allowed.returncode == 0 and b"let through: no guard stops it" in allowed.stdout and b"not asked: the retry breaker" in allowed.stdout
    assert picture(installed.home) == before


def test_it_is_the_verdict_of_the_wrapper(installed, command):
    calls = [
        ("bash", {"command": "git commit -m x"}), ("view", {"path": "~/.netrc"}), ("create", {"path": "a.txt", "file_text": TOKEN}),
        ("view", {"path": "README.md"}),
        ("apply_patch", "*** Begin Patch\n*** Delete File: .agentihooks/policy.json\n*** End Patch"), ("view", "no object"), ("bash", {}),
    ]  # fmt: skip
    for tool, given in calls:
        payload = {"sessionId": SESSION, "cwd": str(installed.home), "toolName": tool, "toolArgs": given}
        real = installed.run("preToolUse", payload, "1.0.102").stdout
        done = command("explain", "--json", "--tool", tool, "--args", given if isinstance(given, str) else json.dumps(given))
        said = json.loads(done.stdout)
        assert (said["verdict"] == "deny") is bool(real) is (done.returncode == 1), (tool, given, said, real)
        assert all(item["rule"] in real.decode() and item["way_out"] for item in said["denials"]), (said, real)
        assert TOKEN not in done.stdout.decode()


def test_what_is_unlocked_or_an_exception_is_said(installed, command):
    now = time.time()
    installed.policy(guard_exceptions=[{"rule": "git.push", "match": "git push origin main", "reason": "the deploy bot", "expires": "2999-01-01"}])
    assert b"lifted   git.push, let through: an exception of this host (the deploy bot)" in command("explain", "git push origin main").stdout
    assert command("explain", "git push origin master").returncode == 1
    consent.unlock(str(installed.data), SESSION, "git", 5, now)
    done = command("explain", "--session", SESSION, "git push origin master")
    assert done.returncode == 0 and b"unlocked until" in done.stdout
    assert command("explain", "--session", "another", "git push origin master").returncode == 1


def test_the_environment_loosens_nothing_and_drop_ins_are_not_run(installed, command):
    place = installed.data / "drop-ins"
    place.mkdir()
    (place / "pre-any-x").write_text("#!/bin/sh\ntouch %s/RAN\n" % installed.home)
    (place / "pre-any-x").chmod(0o700)
    done = command("explain", "true")
    assert done.returncode == 0 and b"pre-any-x" in done.stdout and not (installed.home / "RAN").exists()
    assert command("explain", "cat ~/.ssh/id_rsa", env={"AGENTIHOOKS_GUARD_FAILURE": "allow", "AGENTIHOOKS_SECRETS_MODE": "off"}).returncode == 1


def test_a_command_from_stdin_and_from_elsewhere(installed, command):
    assert command("explain", "-", stdin=b"cat <<X\nhello\nX\ncat ~/.netrc\n").returncode == 1
    assert command("explain", "--cwd", str(installed.home / ".ssh"), "cat id_rsa").returncode == 1
    assert command("explain", "cat id_rsa.pub").returncode == 0


@pytest.mark.parametrize("words", [[], ["ls", "--tool", "view"], ["ls", "--args", "{}"]])
def test_a_wrong_call_says_what_is_wanted(command, words):
    done = command("explain", *words)
    assert done.returncode == 1 and done.stderr.startswith(b"agentihooks: ") and b"Traceback" not in done.stderr


def test_a_guard_that_fails_is_a_denial_as_in_a_session(installed, command):
    (installed.version / "agentihooks" / "guards" / "secrets.py").write_text("def check(event, context):\n    raise RuntimeError('x')\n")
    done = command("explain", "ls")
    assert done.returncode == 1 and b"runtime.failed" in done.stdout and b"RuntimeError" in done.stdout


def test_git_gates_for_tags_branches_and_pull_requests_are_off_until_chosen(installed, command):
    (installed.home / ".git").mkdir()
    (installed.home / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    gated = ["git tag v2.0.0", "git push --tags", "git switch -c other", "git checkout -b other", "git branch other", "gh pr create --base main --fill"]
    assert [command("explain", text).returncode for text in gated] == [0] * len(gated)
    installed.policy(git_gates=["tag", "branch", "pull_request"])
    assert [command("explain", text).returncode for text in gated] == [1] * len(gated)


# --- denials ---


def lines(installed, *records):
    place = installed.data / "logs"
    place.mkdir(exist_ok=True)
    path = place / log.NAME
    path.write_text("".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records))
    path.chmod(0o600)


def record(moment, session, *outcomes):
    return {"time": moment, "target": "copilot", "event": "PreToolUse", "session": session, "outcomes": [list(item) for item in outcomes]}


def test_denials_are_counted_by_rule(installed, command):
    lines(
        installed, record("2026-11-01T10:00:00Z", "a", ("deny", "git.push")), record("2026-12-01T10:00:00Z", "b", ("deny", "git.push"), ("deny", "self.files")),
        record("2026-12-01T11:00:00Z", "b", ("warn", "git.push")), record("2026-12-01T11:00:00Z", "b", ("fault", "runtime.failed: x")),
        record("2026-12-01T11:00:01Z", "", ("unknown", "event x")),
        record("2026-12-01T12:00:00Z", log.CHECK_SESSION, ("deny", "credential.file")), record("2026-12-01T12:00:00Z", "c", ("deny", "evil\x1b[2J")),
        "garbage", "[1]", '{"time": 5}', '{"time": "2026", "outcomes": [1, [], ["deny"]]}', "[" * 5000,
    )  # fmt: skip
    (installed.data / "logs" / (log.NAME + ".3")).write_text(json.dumps(record("2026-10-01T10:00:00Z", "z", ("deny", "git.push"))) + "\n")
    (installed.data / "logs" / (log.NAME + ".3")).chmod(0o600)
    found = json.loads(command("denials", "--json").stdout)
    assert (found["schema"], found["denied"], found["faults"], found["unknown_events"]) == (1, 4, 1, 1) and list(found["rules"]) == ["git.push", "self.files"]
    assert found["rules"]["git.push"] == {"denied": 3, "lifted": 1, "sessions": 3, "first": "2026-10-01T10:00:00Z", "last": "2026-12-01T11:00:00Z"}
    text = command("denials").stdout.decode()
    assert "git.push" in text and "\x1b" not in text and text.endswith("4 denied; 1 faults of the runtime, 1 unknown events\n")
    since = json.loads(command("denials", "--json", "--since", "2026-12-01").stdout)
    assert since["rules"]["git.push"]["denied"] == 1 and since["since"] == "2026-12-01T00:00:00Z"
    assert json.loads(command("denials", "--json", "--since", "1h").stdout)["denied"] == 0


def test_denials_of_a_host_without_a_log(command):
    done = command("denials")
    assert done.returncode == 0 and b"0 denied" in done.stdout


@pytest.mark.parametrize("text", ["soon", "5", "-1h", "2026-13-01", "", "1y"])
def test_no_since(text):
    with pytest.raises(CommandError, match="--since"):
        denials.moment(text, time.time())


def test_denials_of_real_calls_say_nothing_of_them(installed, command):
    words = guard_tokens.tokens(str(installed.home))
    secret = next(word for name, word in sorted(words.items()) if name != "HOME")
    for tool in ("create", "x" * 30 + secret):
        payload = {"sessionId": SESSION, "cwd": "/", "toolName": tool, "toolArgs": {"path": "CANARY-91", "file_text": "token = '%s'" % secret}}
        installed.run("preToolUse", payload, "1.0.102")
    installed.run("preToolUse", {"sessionId": SESSION, "cwd": "/", "toolName": "a" * 20 + secret, "toolArgs": "no object"}, "1.0.102")
    kept = b"".join(path.read_bytes() for path in (installed.data / "logs").iterdir())
    text = (kept + command("denials").stdout + command("denials", "--json").stdout).decode()
    assert "secret." in text and "runtime.failed" in text and secret not in text and "CANARY-91" not in text


# --- the log ---


def test_unknown_events_are_logged_and_let_go(installed):
    for name in ("futureEvent", "with " + TOKEN, "x" * 9000):
        done = installed.run(name, {"sessionId": SESSION, "secret": TOKEN})
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    payload = json.dumps({"hook_event_name": "FutureEvent " + TOKEN}).encode()
    codex = subprocess.run([str(installed.wrapper)], input=payload, capture_output=True, env={"HOME": str(installed.home)}, check=False)
    assert (codex.returncode, codex.stdout, codex.stderr) == (0, b"", b"")
    path = installed.data / "logs" / log.NAME
    found = [json.loads(line)["outcomes"][0] for line in path.read_text().splitlines()]
    assert [item[0] for item in found] == ["unknown"] * 4 and found[0][1] == "event futureEvent" and "FutureEvent" in found[3][1]
    assert TOKEN not in path.read_text() and path.stat().st_size < 3000


def test_a_log_that_others_can_read_is_made_private_again(tmp_path):
    log.write(str(tmp_path), {"event": "x"})
    path = tmp_path / "logs" / log.NAME
    path.chmod(0o644)
    old = os.umask(0)
    try:
        log.write(str(tmp_path), {"event": "x", "outcomes": [["deny", "x.%d" % number] for number in range(1000)]})
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o600 and path.stat().st_size < 3000
