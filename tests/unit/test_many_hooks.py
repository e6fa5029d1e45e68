# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Twenty hooks at once on two cores: each decides within its own deadline, nothing is told twice, and the state files stay whole."""

from __future__ import annotations

import json
import os
import subprocess
import time

from agentihooks import broadcast_store
from agentihooks.policy import DEFAULTS

SESSION = "0b5c3c1e-0000-4000-8000-00000000000%d"
MAKE = {"command": "make build"}
HARMLESS = ("preToolUse", {"toolName": "bash", "toolArgs": {"command": "ls -la src"}})
DENIED = ("preToolUse", {"toolName": "bash", "toolArgs": {"command": "cat ~/.ssh/id_rsa"}})
FAILED = ("postToolUse", {"toolName": "bash", "toolArgs": MAKE, "toolResult": {
    "resultType": "success", "textResultForLlm": "make: *** No rule to make target 'build'.  Stop.\n<shellId: 0 completed with exit code 2>"}})  # fmt: skip
PROMPT = ("userPromptSubmitted", {"prompt": "go on"})


def two_cores():
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def at_once(installed, hooks):
    """Run hooks, [(event, payload)], at the same time. Returns [(exit code, stdout, stderr, seconds)] in their order."""
    running = []
    for number, (event, payload) in enumerate(hooks):
        path = installed.home / ("stdin-%d.json" % number)
        path.write_text(json.dumps(payload))
        with open(str(path), "rb") as source:
            environ = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin", "COPILOT_CLI_BINARY_VERSION": "1.0.102"}
            process = subprocess.Popen(
                [str(installed.wrapper), event], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, preexec_fn=two_cores
            )
        running.append((process, time.monotonic()))
    found = []
    for process, started in running:
        stdout, stderr = process.communicate(timeout=60)
        found.append((process.returncode, stdout, stderr, time.monotonic() - started))
    return found


def test_twenty_hooks_of_one_session(installed):
    installed.policy(session_context="Speak plainly.")
    kinds = [HARMLESS, DENIED, FAILED, PROMPT] * 5
    answers = at_once(installed, [(event, dict(payload, sessionId=SESSION % 0, cwd="/")) for event, payload in kinds])
    told = 0
    for (event, payload), (code, stdout, stderr, seconds) in zip(kinds, answers):
        assert (code, stderr) == (0, b""), (payload, stderr)
        assert seconds < DEFAULTS["deadline"], "the CLI was still waiting"
        if payload is DENIED[1]:
            assert "credential." in json.loads(stdout)["permissionDecisionReason"]
        elif payload is HARMLESS[1]:
            assert stdout == b""
        elif payload is PROMPT[1]:
            told += stdout.count(b"Speak plainly.")
    assert told == 1, "the context of the session comes once"
    state = list((installed.data / "state").iterdir())
    assert [path.name for path in state] == [SESSION % 0 + ".json"]
    kept = json.loads(state[0].read_text())
    assert state[0].stat().st_mode & 0o777 == 0o600 and kept["session"] == SESSION % 0
    assert [call["count"] for call in kept["breaker"]["calls"].values()] == [5], "no failure is lost"
    records = [json.loads(line) for line in (installed.data / "logs" / "hooks.log").read_text().splitlines()]
    assert len(records) == 5 and all(record["outcomes"][0][0] == "deny" for record in records)


def test_twenty_hooks_of_ten_sessions(installed):
    broadcast_store.publish(str(installed.data), "The build machine is down.", "global", "alert", None, "ops", int(time.time()))
    hooks = [(event, dict(payload, sessionId=SESSION % number, cwd="/")) for number in range(10) for event, payload in (PROMPT, HARMLESS)]
    answers = at_once(installed, hooks)
    assert all((code, stderr) == (0, b"") and seconds < DEFAULTS["deadline"] for code, _stdout, stderr, seconds in answers), answers
    for number in range(10):
        texts = [stdout for _code, stdout, _stderr, _seconds in answers[2 * number : 2 * number + 2]]
        assert sum(text.count(b"The build machine is down.") for text in texts) == 1
    states = {path.name: json.loads(path.read_text()) for path in (installed.data / "state").iterdir()}
    assert sorted(states) == sorted(SESSION % number + ".json" for number in range(10))
    assert all(name == kept["session"] + ".json" and len(kept["context"]["given"]) == 1 for name, kept in states.items())
    assert not (installed.data / "logs" / "hooks.log").exists()
