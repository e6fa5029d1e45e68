# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is due comes in one answer, each item once, and a fault in it decides nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import time

from agentihooks import broadcast_store, session_context
from agentihooks.session_state import Session

SESSION = "0b5c3c1e-0000-4000-8000-000000000001"
PROMPT = {"sessionId": SESSION, "cwd": "/", "prompt": "hello"}
VIEW = {"sessionId": SESSION, "cwd": "/w", "toolName": "view", "toolArgs": {"path": "/w/a"}}


def everything(installed, number=3):
    """Set up one of each item that needs no repository."""
    installed.policy(session_context="TEXT", enforcements=["LINE"])
    for index in range(number):
        broadcast_store.publish(str(installed.data), "message %d" % index, "global", "info", None, "ops", int(time.time()))
    failed = dict(VIEW, sessionId="earlier", error="not there")
    assert installed.run("postToolUseFailure", failed).stdout == b""


def test_all_that_is_due_is_one_json_object(installed):
    everything(installed)
    prompt = installed.run("userPromptSubmitted", PROMPT).stdout
    call = installed.run("preToolUse", VIEW).stdout
    assert prompt.count(b"\n") == call.count(b"\n") == 1
    shown = json.loads(prompt)["additionalContext"]
    assert [shown.count(word) for word in ("TEXT", "LINE", "| message", "not there")] == [1, 1, 3, 0]
    assert "not there" in json.loads(call)["additionalContext"] and set(json.loads(call)) == {"additionalContext"}
    assert installed.run("userPromptSubmitted", PROMPT).stdout == installed.run("preToolUse", VIEW).stdout == b""


def test_calls_at_once_share_the_items_among_them(installed):
    everything(installed, number=8)
    running = [
        subprocess.Popen(
            [str(installed.wrapper), "preToolUse"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"HOME": str(installed.home), "PATH": "/usr/bin:/bin"}
        )
        for _number in range(20)
    ]
    data = json.dumps(VIEW).encode()
    answers = [process.communicate(data, timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 20
    shown = "".join(json.loads(answer)["additionalContext"] for answer in answers if answer)
    assert [shown.count("| message %d" % number) for number in range(8)] == [1] * 8
    assert shown.count("LINE") == shown.count("not there") == 1


def test_a_fault_in_what_is_added_denies_nothing(installed):
    (installed.version / "agentihooks" / "session_context.py").write_text(
        "EVENTS = ('UserPromptSubmit', 'PreToolUse')\n\ndef outcomes(*arguments):\n    raise RuntimeError('on purpose')\n"
    )
    for event, payload in (("preToolUse", VIEW), ("userPromptSubmitted", PROMPT)):
        done = installed.run(event, payload, "1.0.102")
        assert (done.returncode, done.stdout) == (0, b"") and b"context.failed" in done.stderr
    denied = installed.run("preToolUse", dict(VIEW, toolArgs={"path": "/root/.ssh/id_rsa"}), "1.0.102")
    assert json.loads(denied.stdout)["permissionDecision"] == "deny"


def test_other_events_add_nothing(installed):
    everything(installed)
    for event in ("sessionStart", "postToolUse", "agentStop", "subagentStop", "subagentStart", "notification", "permissionRequest", "preCompact", "sessionEnd"):
        assert installed.run(event, dict(PROMPT, **VIEW)).stdout == b""


def test_a_session_remembers_a_bounded_number_of_items(installed):
    session = Session(str(installed.data), SESSION)
    for start in range(0, 1200, 100):
        session_context._taken(session, {"item%d" % number: "x" for number in range(start, start + 100)})
    assert session.get("context")["given"] == ["item%d" % number for number in range(700, 1200)]


def test_a_harmless_call_loads_nothing_of_it(installed):
    """What the common call pays: no module but the guards' own when there is nothing to add."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from agentihooks import pipeline, policy, normalize; "
        "event = normalize.normalize('copilot', 'preToolUse', {'sessionId': 's', 'cwd': '/', 'toolName': 'bash', 'toolArgs': {'command': 'ls'}}); "
        "assert pipeline.run(event, {}, policy.DEFAULTS, '/nonexistent') == []; "
        "print(sorted(name for name in sys.modules if name.startswith('agentihooks.')))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program, str(installed.version)], capture_output=True, text=True, check=True)
    loaded = done.stdout
    modules = (
        "broadcast tool_memory project_bridge repository enforcements context_text session_state private_file dependencies mcp_surface channels "
        "capabilities"
    )
    for module in modules.split():
        assert module not in loaded, loaded


def test_codex_gets_the_same_in_its_own_form(installed):
    """Nested, with the event's name, at a prompt and before a call; its rules for trust and none for rules of its own."""
    wrapper = installed.home / "codex-hook.sh"
    wrapper.write_text(installed.wrapper.read_text().replace("AGENTIHOOKS_TARGET=copilot", "AGENTIHOOKS_TARGET=codex"))
    wrapper.chmod(0o700)
    root = installed.home / "work" / "repo"
    (root / ".claude" / "rules").mkdir(parents=True)
    (root / ".claude" / "rules" / "a.md").write_text("RULE")

    def added(name, **fields):
        payload = dict({"hook_event_name": name, "session_id": SESSION, "cwd": str(root), "turn_id": "1"}, **fields)
        environ = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin"}
        done = subprocess.run([str(wrapper)], input=json.dumps(payload).encode(), capture_output=True, env=environ, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        if not done.stdout:
            return ""
        answer = json.loads(done.stdout)
        assert set(answer) == {"hookSpecificOutput"} and answer["hookSpecificOutput"]["hookEventName"] == name
        return answer["hookSpecificOutput"]["additionalContext"]

    call = {"tool_name": "mcp__tracker__search", "tool_input": {"q": "x"}}
    broken = {"isError": True, "content": [{"type": "text", "text": "unknown field"}]}
    assert added("UserPromptSubmit", prompt="hello") == ""
    assert added("PostToolUse", tool_response=broken, **dict(call, session_id="earlier")) == ""
    (installed.home / ".codex").mkdir()
    (installed.home / ".codex" / "config.toml").write_text('[projects."%s"]\ntrust_level = "trusted"\n' % root)
    broadcast_store.publish(str(installed.data), "message", "global", "info", None, "ops", int(time.time()))
    shown = added("UserPromptSubmit", prompt="hello")
    assert "RULE" in shown and "| message" in shown
    assert "unknown field" in added("PreToolUse", **call)
    assert added("UserPromptSubmit", prompt="again") == added("PreToolUse", **call) == added("PostToolUse", tool_response="ok", **call) == ""
