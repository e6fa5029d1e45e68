# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The retry breaker: typed failures alone count, the word comes at the fifth, the denial at the tenth, then one trial."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agentihooks import retry_breaker
from agentihooks.event import Call, Deny, Event
from agentihooks.policy import DEFAULTS
from agentihooks.session_state import Session

PAYLOADS = Path(__file__).resolve().parents[1] / "payloads"
NOW = 1796190000
MAKE = {"command": "make build"}
EXIT_2 = "make: *** No rule to make target 'build'.  Stop.\n<shellId: 0 completed with exit code 2>"


def finished(tool="bash", args=None, text=EXIT_2, kind="success", **rest):
    return dict({"sessionId": "s", "toolName": tool, "toolArgs": MAKE if args is None else args,
                 "toolResult": {"resultType": kind, "textResultForLlm": text}}, **rest)  # fmt: skip


def failure(tool, args, error, **rest):
    return dict({"sessionId": "s", "toolName": tool, "toolArgs": args, "error": error}, **rest)


class Play:
    """A session at which calls are made and end."""

    def __init__(self, directory, **policy):
        self.session = Session(str(directory), "s")
        self.policy = dict(DEFAULTS, **policy)
        self.now = NOW

    def event(self, payload, name):
        kind = retry_breaker.kind_of(payload["toolName"])
        return Event("copilot", name, "camel", "s", "/p", [Call(payload["toolName"], kind, payload["toolArgs"])], raw=payload)

    def asks(self, payload):
        """Return whether the call is denied before it runs."""
        found = retry_breaker.check(self.event(payload, "PreToolUse"), self.session, self.policy, self.now)
        assert all(isinstance(item, Deny) and item.rule == "retry_breaker.repeated" for item in found)
        return bool(found)

    def ends(self, payload):
        """Return the text that is told when the call has ended so."""
        name = "PostToolUseFailure" if "error" in payload else "PostToolUse"
        if not retry_breaker.concerns(payload, name, str(Path(self.session.directory).parent)):
            return ""
        return "".join(item.text for item in retry_breaker.record(self.event(payload, name), self.session, self.policy, self.now))

    def runs(self, payload, times=1):
        """Make the call and let it end so, several times; return (how often it was denied, what was told)."""
        denied, told = 0, []
        for _time in range(times):
            if self.asks(payload):
                denied += 1
            else:
                told += [text for text in [self.ends(payload)] if text]
        return denied, told


@pytest.fixture
def play(tmp_path):
    return Play(tmp_path)


def test_a_word_at_the_fifth_and_a_denial_after_the_tenth_then_one_trial_each(play):
    assert play.runs(finished(), 4) == (0, [])
    denied, told = play.runs(finished())
    assert denied == 0 and len(told) == 1 and "command make build has failed 5 times" in told[0]
    assert play.runs(finished(), 5) == (0, [])
    for _round in range(3):
        assert play.asks(finished()) is True
        assert play.runs(finished()) == (0, []), "the trial passes, and fails"
    assert play.asks(finished()) is True
    assert play.runs(finished(text="done\n<shellId: 0 completed with exit code 0>")) == (0, [])
    assert play.asks(finished()) is False and play.runs(finished(), 4) == (0, [])


def test_another_error_starts_again_but_numbers_and_paths_make_no_other_error(play):
    for number in range(9):
        play.ends(finished(text="error at line %d in /tmp/x%d/a.c: bad\n<shellId: %d completed with exit code 2>" % (number, number, number)))
    assert play.asks(finished()) is False
    play.ends(finished(text="something else\n<shellId: 0 completed with exit code 2>"))
    play.ends(finished(text="something else\n<shellId: 0 completed with exit code 2>"))
    assert play.asks(finished()) is False
    assert [entry["count"] for entry in play.session.get("breaker")["calls"].values()] == [2]


def test_what_is_the_same_call(play):
    play.runs(finished(), 10)
    assert play.asks(finished(args={"command": "cd src && sudo env A=b make build -j 4"})) is True
    for command in ("make test", "ninja build", "make"):
        assert play.asks(finished(args={"command": command})) is False, command
    missing = failure("view", {"path": "/p/a"}, "Path does not exist")
    play.runs(missing, 10)
    assert play.asks(failure("view", {"path": "/p/b"}, "Path does not exist")) is False
    assert play.asks(missing) is True


def test_a_sub_agent_has_failures_of_its_own(play):
    play.runs(finished(), 10)
    assert play.asks(finished(agentId="a1")) is False
    play.runs(finished(agentId="a1"), 10)
    assert play.asks(finished(agentId="a1")) is True and play.asks(finished(agentId="a2")) is False


@pytest.mark.parametrize(
    "payload",
    [finished("view", {"path": "/p/a"}, "Error: failed! exit code 2"), finished("edit", {"path": "/p/a"}, "error error"), finished(text="error\nTraceback\n"),
     finished(kind="denied"), finished(kind="rejected"), finished(kind="failure", text="agentihooks [git.push]: this pushes"), finished(kind=7),
     finished(text=None),
     failure("bash", MAKE, "Denied by preToolUse hook: x"), failure("bash", MAKE, "The tool call was rejected by the user"),
     finished(args={"command": "grep x y"}, text="grep: warning\n<shellId: 0 completed with exit code 1>"),
     finished(text="\n<shellId: 0 completed with exit code 1>"),
     finished(text="<shellId: 0 completed with exit code 2>\nand more"), dict(finished(), toolResult=[]), dict(finished(), toolResult=None)],
)  # fmt: skip
def test_what_is_no_failure(play, payload):
    assert play.runs(payload, 25) == (0, [])


@pytest.mark.parametrize(
    "payload",
    [failure("bash", MAKE, "Path does not exist"), failure("bash", MAKE, {"message": "no"}), finished("a-b", {"x": "1"}, "boom", "failure"),
     finished(args={"command": "pytest"}, text="1 failed\n<shellId: 0 completed with exit code 1>")],
)  # fmt: skip
def test_what_is_a_failure(play, payload):
    denied, told = play.runs(payload, 11)
    assert (denied, len(told)) == (1, 1)


def test_a_change_of_a_file_lets_the_commands_run_again(play):
    play.runs(finished(), 10)
    play.runs(failure("view", {"path": "/p/a"}, "no"), 10)
    play.ends(finished("edit", {"path": "/p/Makefile"}, "done"))
    assert play.asks(finished()) is False and play.asks(failure("view", {"path": "/p/a"}, "no")) is True


def test_failures_are_forgotten_in_time(play):
    play.runs(finished(), 10)
    play.now += 3601
    assert play.asks(finished()) is False


def test_it_can_be_set_and_switched_off(tmp_path):
    strict = Play(tmp_path / "a", retry_warn=1, retry_block=2)
    assert len(strict.runs(finished(), 2)[1]) == 1 and strict.asks(finished()) is True
    off = Play(tmp_path / "b", retry_warn=0, retry_block=0)
    assert off.runs(finished(), 30) == (0, [])


@pytest.mark.parametrize(
    "section", [[], {"calls": []}, {"calls": {"main:shell:x": 5}}, {"calls": {"k": {"count": "9", "time": NOW, "trial": False}}},
                {"calls": {"k": {"count": 99, "time": NOW + 999, "trial": False}}}]
)
def test_state_that_is_odd_counts_as_no_failure(play, section):
    play.session.update("breaker", lambda kept: section)
    assert play.asks(finished()) is False
    assert play.runs(finished(), 10)[0] == 0 and play.asks(finished()) is True


def test_it_keeps_no_text_of_a_call_and_not_too_many(play):
    for number in range(150):
        play.ends(finished(args={"command": "tool%d CANARY" % number}, text="CANARY error\n<shellId: 0 completed with exit code 3>"))
    text = Path(play.session.path).read_text()
    assert "CANARY" not in text and "tool" not in text and len(json.loads(text)["breaker"]["calls"]) == retry_breaker.MAX_CALLS


@pytest.mark.parametrize("path", sorted(PAYLOADS.rglob("*ost*ool*se*.json")), ids=lambda path: "/".join(path.parts[-4:]))
def test_every_captured_result_is_understood(path):
    payload = json.loads(path.read_text())
    failed = "ailure" in path.name
    found = retry_breaker.outcome(payload, "PostToolUseFailure" if failed else "PostToolUse")
    if failed:
        assert found and found[0] and found[1]
    else:
        assert found is None and "codex" in str(path) or found == (False, "")


def test_through_the_wrapper(installed):
    before = {"sessionId": "s", "cwd": "/", "toolName": "bash", "toolArgs": MAKE}
    told = [installed.run("postToolUse", dict(finished(), cwd="/"), "1.0.102").stdout for _time in range(10)]
    assert [bool(text) for text in told] == [number == 4 for number in range(10)]
    assert "failed 5 times" in json.loads(told[4])["additionalContext"]
    reason = json.loads(installed.run("preToolUse", before, "1.0.102").stdout)["permissionDecisionReason"]
    assert "retry_breaker.repeated" in reason and "10 times" in reason and "agentihooks unlock retry_breaker --session s" in reason
    assert installed.run("preToolUse", before, "1.0.102").stdout == b""
    for _time in range(2):
        assert installed.run("permissionRequest", before, "1.0.102").stdout == b""
