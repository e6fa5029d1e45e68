# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever breaks, a deciding event is denied with a way to repair it, and every other event goes on."""

from __future__ import annotations

import json
import os
import time

import pytest

SESSION = "0b5c3c1e-0000-4000-8000-000000000001"
LS = {"sessionId": SESSION, "cwd": "/", "toolName": "bash", "toolArgs": {"command": "ls"}}
PROMPT = {"sessionId": SESSION, "cwd": "/", "prompt": "hello"}
RAISING = "def check(event, context):\n    raise RuntimeError('on purpose')\n"
SLEEPING = "import time\n\ndef check(event, context):\n    time.sleep(60)\n"
STUCK_IN_C = "import re\n\ndef check(event, context):\n    re.match('(a+)+$', 'a' * 60 + 'b')\n"
KILLED = "import os, signal\n\ndef check(event, context):\n    os.kill(os.getpid(), signal.SIGSEGV)\n"
PRINTING = "import os\n\ndef check(event, context):\n    print('noise', flush=True)\n    os.write(1, b'noise')\n    return []\n"


def reason_of(done):
    """Return the reason a Copilot of a measured version shows the model."""
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["permissionDecision"] == "deny"
    return answer["permissionDecisionReason"]


def break_guard(installed, source):
    (installed.version / "agentihooks" / "guards" / "secrets.py").write_text(source)


def test_a_harmless_call_passes_in_silence(installed):
    done = installed.run("preToolUse", LS)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("source", [RAISING, KILLED], ids=["raises", "dies"])
def test_a_broken_guard_denies_with_a_repair_hint(installed, source):
    break_guard(installed, source)
    reason = reason_of(installed.run("preToolUse", LS, "1.0.102"))
    assert "runtime.failed" in reason and "agentihooks.fleet.site" in reason


@pytest.mark.parametrize("source", [SLEEPING, STUCK_IN_C], ids=["sleeps", "stuck in C"])
def test_a_stalled_guard_denies_at_its_own_deadline(installed, source):
    installed.policy(deadline=0.7)
    break_guard(installed, source)
    started = time.monotonic()
    reason = reason_of(installed.run("preToolUse", LS, "1.0.102"))
    assert time.monotonic() - started < 3
    assert "longer than 0.7 seconds" in reason


def test_a_guard_cannot_write_to_stdout(installed):
    break_guard(installed, PRINTING)
    assert installed.run("preToolUse", LS).stdout == b""


@pytest.mark.parametrize("source", [RAISING, KILLED])
def test_a_broken_guard_lets_a_prompt_through(installed, source):
    break_guard(installed, source)
    done = installed.run("userPromptSubmitted", PROMPT)
    assert (done.returncode, done.stdout) == (0, b"")
    assert "runtime.failed" in (installed.data / "logs" / "hooks.log").read_text()


@pytest.mark.parametrize("data", [b"", b"garbage", b"[]", b"\xff", b"{}", b"[" * 200000], ids=["empty", "garbage", "list", "bytes", "bare", "deep"])
def test_garbage_denies_a_call(installed, data):
    done = installed.run("preToolUse", data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Repair:" in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("data", [b"", b"garbage", b"{}"])
@pytest.mark.parametrize("event", ["sessionStart", "sessionEnd", "postToolUse", "agentStop", "notification", "userPromptSubmitted", "ZZZ"])
def test_garbage_on_any_other_event_passes(installed, event, data):
    done = installed.run(event, data)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("data", [b"garbage", b"{}", b'{"hook_event_name": 5, "tool_name": "Bash"}', b'{"hook_event_name": ""}'])
def test_what_names_no_event_at_all_denies(installed, data):
    assert installed.run("", data).returncode == 2


def test_stdin_that_never_ends_is_denied_at_the_deadline(installed):
    installed.policy(deadline=0.5)
    reader, writer = os.pipe()
    try:
        import subprocess

        process = subprocess.Popen([str(installed.wrapper), "preToolUse"], stdin=reader, stderr=subprocess.PIPE, env={"HOME": str(installed.home)})
        assert process.wait(timeout=5) == 2
        assert b"did not finish" in process.stderr.read()
        process.stderr.close()
    finally:
        os.close(reader)
        os.close(writer)


def dangling_interpreter(installed):
    (installed.version / "python").unlink()
    (installed.version / "python").symlink_to("/nonexistent/python3")


def no_link(installed):
    installed.current.unlink()


def package_gone(installed):
    (installed.version / "agentihooks").rename(installed.data / "elsewhere")


def does_not_load(installed):
    (installed.version / "agentihooks" / "supervisor.py").write_text("raise ImportError\n")


def raises_when_called(installed):
    (installed.version / "agentihooks" / "supervisor.py").write_text("def main(argument, environ):\n    raise OSError\n")


def guard_does_not_load(installed):
    break_guard(installed, "syntax error here")


BREAKS = [dangling_interpreter, no_link, package_gone, does_not_load, raises_when_called, guard_does_not_load]


@pytest.mark.parametrize("break_it", BREAKS)
def test_a_broken_installation_denies_and_says_how_to_repair_it(installed, break_it):
    break_it(installed)
    reason = reason_of(installed.run("preToolUse", LS, "1.0.102"))
    assert "runtime.broken" in reason and "agentihooks.fleet.site" in reason


@pytest.mark.parametrize("break_it", BREAKS)
@pytest.mark.parametrize("event", ["sessionStart", "userPromptSubmitted", "agentStop"])
def test_a_broken_installation_lets_other_events_pass(installed, break_it, event):
    break_it(installed)
    done = installed.run(event, PROMPT)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("break_it", [dangling_interpreter, package_gone])
def test_a_broken_installation_denies_a_permission_request_in_its_own_form(installed, break_it):
    break_it(installed)
    answer = json.loads(installed.run("permissionRequest", LS, "1.0.102").stdout)
    assert answer["behavior"] == "deny" and "runtime.broken" in answer["message"]


@pytest.mark.parametrize("version", ["", "1.1.0", "2.0.0", "x"])
def test_a_broken_installation_denies_an_unknown_caller_with_exit_2(installed, version):
    dangling_interpreter(installed)
    done = installed.run("preToolUse", LS, version)
    assert (done.returncode, done.stdout) == (2, b"") and b"Repair:" in done.stderr


def test_the_roles_own_file_can_turn_deny_into_allow(installed):
    installed.policy(guard_failure="allow")
    break_guard(installed, RAISING)
    done = installed.run("preToolUse", LS)
    assert (done.returncode, done.stdout) == (0, b"") and b"let through" in done.stderr
    dangling_interpreter(installed)
    assert installed.run("preToolUse", LS).returncode == 0


def test_a_policy_that_others_can_write_does_not_count(installed):
    installed.policy(guard_failure="allow").chmod(0o666)
    break_guard(installed, RAISING)
    assert installed.run("preToolUse", LS).returncode == 2


def test_the_environment_cannot_loosen(installed):
    break_guard(installed, RAISING)
    env = {"AGENTIHOOKS_GUARD_FAILURE": "allow", "AGENTIHOOKS_HOME": "/nonexistent", "PYTHONPATH": "/nonexistent", "PYTHONHOME": "/nonexistent"}
    assert installed.run("preToolUse", LS, env=env).returncode == 2


def test_nothing_of_the_call_is_logged(installed):
    break_guard(installed, RAISING)
    installed.run("preToolUse", dict(LS, toolArgs={"command": "echo CANARY-7731"}))
    log = installed.data / "logs" / "hooks.log"
    assert "CANARY-7731" not in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def context_of(done):
    return json.loads(done.stdout)["additionalContext"] if done.stdout else None


@pytest.mark.parametrize("order", [("sessionStart", "userPromptSubmitted"), ("userPromptSubmitted", "sessionStart")])
def test_session_context_comes_once_in_both_orders(installed, order):
    installed.policy(session_context="CANARY-551")
    found = [context_of(installed.run(event, PROMPT)) for event in order * 2]
    assert [text for text in found if text] == ["CANARY-551"]
    assert found[order.index("userPromptSubmitted")] == "CANARY-551"
    assert context_of(installed.run("userPromptSubmitted", dict(PROMPT, sessionId="another"))) == "CANARY-551"


@pytest.mark.parametrize("session_id", ["../../x", "", "a/b", "é" * 300, "x" * 5000, "\x00"])
def test_any_session_id_stays_in_the_state_directory(installed, session_id):
    installed.policy(session_context="C")
    before = set(installed.home.rglob("*"))
    assert context_of(installed.run("userPromptSubmitted", dict(PROMPT, sessionId=session_id))) == "C"
    new = set(installed.home.rglob("*")) - before
    state = installed.data / "state"
    assert all(path == state or path.parent == state or "__pycache__" in str(path) for path in new)


def test_a_home_without_room_for_state_still_gets_its_context(installed):
    installed.policy(session_context="C")
    (installed.data / "state").write_text("a file, not a directory")
    assert context_of(installed.run("userPromptSubmitted", PROMPT)) == "C"


def test_a_notice_is_logged_and_answered_with_nothing(installed):
    done = installed.run("notification", {"type": "agent-turn-complete", "thread-id": SESSION})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    last = json.loads((installed.data / "logs" / "hooks.log").read_text().splitlines()[-1])
    assert (last["event"], last["session"], last["outcomes"]) == ("Notification", SESSION, [["notice", "agent-turn-complete"]])


def test_a_call_that_cannot_be_judged_is_named_without_a_secret_in_it(installed):
    secret = "gh" + "p_" + "Zq8" * 12
    done = installed.run("preToolUse", {"sessionId": "s", "cwd": "/", "toolName": secret, "toolArgs": 7}, "1.0.102")
    assert b"runtime.failed" in done.stdout and secret.encode() not in done.stdout + done.stderr
