# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The small files the runtime reads and keeps: policy and log. Session state: test_session_state.py."""

from __future__ import annotations

import json
import os

import pytest
from agentihooks import log, policy


def write_policy(path, text, mode=0o600):
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_policy_values_are_taken_over_key_by_key(tmp_path):
    chosen = {"guard_failure": "allow", "deadline": 3, "prompt_secrets": "off", "session_context": "x"}
    path = write_policy(tmp_path / "policy.json", json.dumps(chosen))
    assert policy.load(path) == dict(policy.DEFAULTS, **chosen)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", '{"guard_failure": "maybe"}', '{"deadline": 0}', '{"deadline": -1}', '{"deadline": 600}', '{"deadline": true}',
        '{"deadline": "5"}', '{"deadline": NaN}', '{"prompt_secrets": true}', '{"session_context": ["x"]}', '{"unknown": 1}', "[" * 100000,
    ],
)  # fmt: skip
def test_a_policy_value_that_is_not_valid_leaves_the_strict_default(tmp_path, text):
    assert policy.load(write_policy(tmp_path / "policy.json", text)) == policy.DEFAULTS


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_a_policy_others_can_write_is_not_believed(tmp_path, mode):
    assert policy.load(write_policy(tmp_path / "policy.json", '{"guard_failure": "allow"}', mode)) == policy.DEFAULTS


def test_a_policy_behind_a_link_a_pipe_or_nothing_is_not_believed(tmp_path):
    write_policy(tmp_path / "real.json", '{"guard_failure": "allow"}')
    (tmp_path / "link.json").symlink_to("real.json")
    os.mkfifo(str(tmp_path / "pipe.json"), 0o600)
    for name in ("link.json", "pipe.json", "missing.json", "."):
        assert policy.load(str(tmp_path / name)) == policy.DEFAULTS


def test_the_own_deadline_lies_well_below_the_registered_limit():
    from agentihooks.vocabulary import COPILOT_TIMEOUT

    assert policy.DEFAULTS["deadline"] <= policy.DEADLINE_LIMIT < COPILOT_TIMEOUT * 0.7


def test_the_log_is_private_json_lines_and_rotates(tmp_path, monkeypatch):
    monkeypatch.setattr(log, "MAX_BYTES", 200)
    for number in range(20):
        log.write(str(tmp_path), {"event": "PreToolUse", "number": number})
    names = sorted(os.listdir(str(tmp_path / "logs")))
    assert names == ["hooks.log", "hooks.log.1", "hooks.log.2", "hooks.log.3"]
    for name in names:
        path = tmp_path / "logs" / name
        assert path.stat().st_mode & 0o777 == 0o600
        for line in path.read_text().splitlines():
            assert json.loads(line)["event"] == "PreToolUse"
    assert json.loads((tmp_path / "logs" / "hooks.log.1").read_text().splitlines()[-1])["number"] >= 15


def test_a_log_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "logs").write_text("a file")
    log.write(str(tmp_path), {"event": "x"})
    log.write("/nonexistent", {"event": "x"})
