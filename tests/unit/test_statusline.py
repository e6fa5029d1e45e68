# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status line shows what it is given and never fails."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from agentihooks import policy, statusline

PAYLOADS = Path(__file__).resolve().parents[1] / "payloads"
SESSION = {
    "model": {"id": "gpt-5.4", "display_name": "gpt-5.4 · medium"},
    "cost": {"total_lines_added": 12, "total_lines_removed": 3, "total_duration_ms": 125990, "total_premium_requests": 2},
    "context_window": {"current_context_used_percentage": 65, "current_context_tokens": 600162, "displayed_context_limit": 922000},
    "ai_used": {"total_nano_aiu": 0, "formatted": "0"},
}
OWN = "agentihooks: base,team  settings:lab  channels:brain,amygdala"
SETTINGS = {"chain": ["base", "team"], "settings_chain": ["lab"]}
CHANNELS = ["brain", "amygdala"]


def lines(session, environ=None, heard=(), **settings):
    return statusline.lines(session, dict(policy.DEFAULTS, **settings), list(heard), environ or {"NO_COLOR": "1"})


def shown(installed, stdin, env=None):
    done = installed.run("statusLine", stdin, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode("utf-8").rstrip("\n").split("\n")


def test_model_context_cost_time_and_changes():
    assert lines(SESSION, heard=CHANNELS, **SETTINGS) == [
        "gpt-5.4 · medium | ██████░░░░ 65% (600k of 922k) | 2 premium requests | 2m | +12 -3", OWN,
    ]


@pytest.mark.parametrize("percent, colour", [(0, "32"), (59, "32"), (60, "33"), (79, "33"), (80, "31"), (150, "31")])
def test_the_bar_has_a_colour(percent, colour):
    first = lines({"context_window": {"used_percentage": percent}}, {"TERM": "x"})[0]
    assert first.startswith("\x1b[%sm" % colour) and "\x1b[0m %d%%" % percent in first


def test_the_settings_are_the_chains_unless_there_are_others():
    assert lines(None, chain=["a", "b"])[-1] == "agentihooks: a,b  settings:a,b  channels:"
    assert lines(None)[-1] == "agentihooks:   settings:  channels:"


def test_through_the_wrapper(installed):
    installed.policy(**SETTINGS)
    (installed.data / "copilot.env").write_text("AGENTIHOOKS_BASE_CHANNELS='brain,amygdala'\n")
    first, own = shown(installed, SESSION)
    assert "gpt-5.4 · medium" in first and own == OWN


GARBAGE = {
    "empty": b"", "no JSON": b"garbage", "cut off": b'{"model": {"di', "bytes": b"\xff\xfe", "deep": b"[" * 200000, "a list": b"[1]",
    "a number": b"5", "null": b"null",
    "nothing": b"{}", "wrong types": b'{"model": 5, "cost": [], "context_window": {"used_percentage": "many"}, "ai_used": null}',
    "strange numbers": b'{"cost": {"total_duration_ms": NaN, "total_premium_requests": -1, "total_lines_added": 1e999},'
    b' "context_window": {"used_percentage": true}}',
    "huge": b'"' + b"x" * (3 << 20) + b'"',
}  # fmt: skip


@pytest.mark.parametrize("stdin", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_leaves_the_own_line(installed, stdin):
    installed.policy(**SETTINGS)
    assert shown(installed, stdin, {"AGENTIHOOKS_BASE_CHANNELS": "brain,amygdala"}) == [OWN]


def test_no_value_moves_the_cursor_or_adds_a_line(installed):
    installed.policy(**dict(SETTINGS, chain=["x\x1b[2J\ny"]))
    found = shown(installed, {"model": {"display_name": "evil\x1b[2J\r\n\u202emodel"}, "ai_used": {"formatted": "1\n2"}}, {"NO_COLOR": "1"})
    assert len(found) == 2 and not any(set("\x1b\r\u202e") & set(line) for line in found)


def test_a_broken_policy_is_survived(installed):
    installed.policy().write_text("{")
    assert shown(installed, {}) == ["agentihooks:   settings:  channels:"]


def test_a_broken_runtime_prints_nothing_and_ends_with_0(installed):
    (installed.version / "agentihooks" / "statusline.py").write_text("raise ImportError\n")
    assert shown(installed, SESSION) == [""]
    (installed.version / "python").unlink()
    assert shown(installed, SESSION) == [""]


def test_stdin_that_never_ends_is_not_waited_for(installed):
    reader, writer = os.pipe()
    try:
        started = time.monotonic()
        process = subprocess.Popen([str(installed.wrapper), "statusLine"], stdin=reader, stdout=subprocess.PIPE, env={"HOME": str(installed.home)})
        out = process.communicate(timeout=10)[0]
        assert process.returncode == 0 and b"agentihooks:" in out and time.monotonic() - started < 5
    finally:
        os.close(reader)
        os.close(writer)


def test_a_closed_stdout_is_survived(installed):
    done = subprocess.run(["sh", "-c", '"$0" statusLine >&-', str(installed.wrapper)], input=b"{}", capture_output=True,
                          env={"HOME": str(installed.home), "PATH": "/usr/bin:/bin"}, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


RECORDED = sorted(PAYLOADS.rglob("statusline.json"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.parts[-2])
def test_recorded_sessions(path):
    first, own = lines(json.loads(path.read_text()), heard=CHANNELS, **SETTINGS)
    assert first.startswith("gpt-5.4") and "%" in first and "premium request" in first and own == OWN
