# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about the real CLI that the product relies on, proved with hand-written hooks and no product at all."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from agentihooks.vocabulary import COPILOT_REGISTERED, COPILOT_TIMEOUT_KEY
from clis import reported_version
from copilot import Session, bash, run, sub_agent, unknown_events

# One process takes them all: they share a session.
pytestmark = pytest.mark.xdist_group("contract")

MADE_UP_EVENT = "agentihooksMadeUp"

# Seconds: short for the stalling call, long enough for every other one on a busy machine.
STALL_LIMIT = 5


@dataclass(frozen=True)
class Probe:
    """A session, its home, and the hook's own records in order."""

    session: Session
    home: Path
    records: list

    def made(self, name: str) -> bool:
        return (self.home / "work" / name).exists()


def hand_hooked_home(directory: Path) -> Path:
    """Return a scratch home whose only hooks are the hand-written one, on every registered event and a made-up one."""
    hooks = directory / ".copilot" / "hooks"
    hooks.mkdir(parents=True)
    script = Path(__file__).with_name("hand_hook.py")
    hook = f"python3 {shlex.quote(str(script))} {shlex.quote(str(directory / 'record.jsonl'))}"
    entries = {
        event: [{"type": "command", "command": f"{hook} {event}", COPILOT_TIMEOUT_KEY: STALL_LIMIT}]
        for event in (*COPILOT_REGISTERED, MADE_UP_EVENT)
    }
    (hooks / "hand.json").write_text(json.dumps({"version": 1, "hooks": entries}))
    return directory


def probe(cli, home: Path, steps: list, **options) -> Probe:
    session = run(cli, home, steps, **options)
    lines = (home / "record.jsonl").read_text(encoding="utf-8").splitlines()
    return Probe(session, home, [json.loads(line) for line in lines])


@pytest.fixture(scope="module")
def probed(cli, tmp_path_factory) -> Probe:
    """One session that asks for calls the hook denies, stalls on and lets through, then sends a sub-agent."""
    steps = [
        {"calls": [
            bash("touch denied-by-json # DENY-JSON"), bash("touch denied-by-exit # EXIT-TWO"),
            bash("touch let-through # STALL"), bash("touch innocent"),
        ]},
        {"calls": [sub_agent("work")]},
        {"calls": [bash("touch by-sub-agent")]},
        {"text": "sub-agent done"},
        {"text": "done"},
    ]
    return probe(cli, hand_hooked_home(tmp_path_factory.mktemp(f"probe-{cli.version}")), steps)


def test_the_pinned_cli_is_the_version_it_is_pinned_to(cli, tmp_path):
    assert reported_version(cli, tmp_path) == cli.version


def test_only_the_made_up_event_is_unknown_to_the_loader(probed):
    assert unknown_events(probed.session.log) == [MADE_UP_EVENT]


def test_a_deny_answer_stops_the_call_and_its_reason_reaches_the_model(probed):
    assert not probed.made("denied-by-json")
    assert probed.session.model_saw("json-deny-reason") == 1, probed.session.report()


def test_exit_code_2_stops_the_call_but_its_stderr_does_not_reach_the_model(probed):
    assert not probed.made("denied-by-exit")
    assert probed.session.model_saw("exit-two-stderr") == 0


def test_the_timeout_in_force_is_the_registered_one_and_lets_the_call_through(probed):
    assert probed.made("let-through"), probed.session.report()


def test_siblings_of_a_denied_call_run(probed):
    assert probed.made("innocent")


def test_hooks_fire_inside_a_sub_agent(probed):
    assert probed.made("by-sub-agent"), probed.session.report()
    commands = [json.dumps(record["payload"].get("toolArgs")) for record in probed.records if record["event"] == "preToolUse"]
    assert any("by-sub-agent" in command for command in commands)


def test_the_hooks_environment_names_the_running_version_at_every_event(cli, probed):
    """Also in a sub-agent, and at the first event. The session's log cannot be asked there: it is written some time later."""
    assert {record["environment"].get("COPILOT_CLI_BINARY_VERSION") for record in probed.records} == {cli.version}
    assert probed.records[-1]["version_in_log"] == cli.version


def test_the_cli_overwrites_an_inherited_version_variable(cli, tmp_path):
    inherited = {"COPILOT_CLI_BINARY_VERSION": "9.9.9", "COPILOT_CLI_RESOLVED_DIST_DIR": "/9.9.9"}
    spoofed = probe(cli, hand_hooked_home(tmp_path), [{"text": "answered"}], env=inherited)
    assert {record["environment"].get("COPILOT_CLI_BINARY_VERSION") for record in spoofed.records} == {cli.version}


def test_a_blocked_prompt_makes_no_model_call(cli, tmp_path):
    blocked = probe(cli, hand_hooked_home(tmp_path), [{"text": "answered"}], prompt="BLOCK-PROMPT")
    assert blocked.session.requests == []
    assert "prompt-reason" in blocked.session.stderr
    assert blocked.session.exit_code == 1
