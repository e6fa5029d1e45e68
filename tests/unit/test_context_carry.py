# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that is too long for one event of Codex comes in pieces, all of it and each once."""

from __future__ import annotations

import json

import pytest
from agentihooks import context_carry
from agentihooks.event import Event, Inject, Warn

LONG = "\n".join("line %04d of the text" % number for number in range(1200))


def event(name, path="", session="s"):
    return Event("codex", name, "codex", session, "/", raw={"transcript_path": str(path)})


def rollout(tmp_path, version):
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps({"type": "session_meta", "payload": {"id": "x", "cli_version": version}}) + "\n")
    return path


def told(tmp_path, name, *texts, **more):
    outcomes = context_carry.fitted(event(name, **more), [Inject(text) for text in texts], str(tmp_path / "data"))
    assert len(outcomes) <= 1 or texts
    return [item.text for item in outcomes]


def test_what_is_short_is_left_alone_and_leaves_no_state(tmp_path):
    assert told(tmp_path, "PreToolUse", "a", "b") == ["a", "b"] and told(tmp_path, "PreToolUse") == []
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("version", ["0.142.3", "", "nonsense"])
def test_what_is_long_comes_with_the_next_events(tmp_path, version):
    path = rollout(tmp_path, version)
    pieces = [told(tmp_path, "SessionStart", LONG, path=path)]
    while pieces[-1]:
        pieces.append(told(tmp_path, "UserPromptSubmit", path=path))
    texts = [piece for (piece,) in pieces[:-1]]
    assert len(texts) == 3 and all(len(piece) <= context_carry.PIECE for piece in texts)
    assert "\n".join(texts) == LONG


@pytest.mark.parametrize("version", ["0.154.0", "0.171.0", "1.0.0"])
def test_where_the_limit_is_lifted_it_comes_at_once(tmp_path, version):
    assert told(tmp_path, "SessionStart", LONG, path=rollout(tmp_path, version)) == [LONG]
    assert told(tmp_path, "UserPromptSubmit", path=rollout(tmp_path, version)) == []


def test_new_text_comes_after_what_waits_and_other_outcomes_stay(tmp_path):
    told(tmp_path, "SessionStart", "x" * 12000)
    outcomes = context_carry.fitted(event("PreToolUse"), [Warn("r", "w"), Inject("new")], str(tmp_path / "data"))
    assert isinstance(outcomes[0], Warn) and outcomes[1].text == "x" * 2500 + "\n\nnew"
    assert told(tmp_path, "PreToolUse", session="another") == []


def test_what_is_far_too_long_goes_at_once_and_nothing_is_cut_inside_a_character(tmp_path):
    assert told(tmp_path, "UserPromptSubmit", LONG * 10) == [LONG * 10]
    head, rest = context_carry.divided("é" * 8000)
    assert head + rest == "é" * 8000 and len(head.encode()) <= context_carry.PIECE


def test_a_session_file_that_is_none_does_not_hold_it_up(tmp_path):
    assert told(tmp_path, "SessionStart", LONG, path=tmp_path)[0] != LONG


def test_without_a_state_it_is_handed_over_as_it_is(tmp_path):
    (tmp_path / "data").write_text("no directory")
    assert told(tmp_path, "SessionStart", LONG) == [LONG]
