# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directives of the reserved block, one row per line of the reference's table, and the sink as Copilot runs it."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _directives

# (what, block, directives, word of each warning)
CHECKED = [
    ("nothing", None, {}, []),
    ("allowAll true", {"allowAll": True}, {"allowAll": True}, []),
    ("allowAll false", {"allowAll": False}, {"allowAll": False}, []),
    ("allowAll yes", {"allowAll": "yes"}, {}, ["literal true"]),
    ("allowAll TRUE", {"allowAll": "TRUE"}, {}, ["literal true"]),
    ("allowAll as the word", {"allowAll": "true"}, {}, ["literal true"]),
    ("allowAll 1", {"allowAll": 1}, {}, ["a number"]),
    ("allowAll '1'", {"allowAll": "1"}, {}, ["literal true"]),
    ("allowAll on", {"allowAll": "on"}, {}, ["literal true"]),
    ("null unsets", {"allowAll": None, "channels": None}, {"allowAll": None, "channels": None}, []),
    ("channels as a list", {"channels": ["brain", "amygdala"]}, {"channels": ["brain", "amygdala"]}, []),
    ("channels as a comma string", {"channels": " brain, amygdala,,brain "}, {"channels": ["brain", "amygdala"]}, []),
    ("all channels", {"channels": "*"}, {"channels": ["*"]}, []),
    ("no channel", {"channels": []}, {"channels": []}, []),
    ("channels as a number", {"channels": 3}, {}, ["a number"]),
    ("channels with numbers in it", {"channels": ["a", 3]}, {}, ["other things than strings"]),
    ("a channel with a blank", {"channels": ["a b"]}, {}, ["list of names"]),
    ("a channel with a line break", {"channels": ["a\nX=1"]}, {}, ["list of names"]),
    ("a channel with a quote", {"channels": ["a'b"]}, {}, ["list of names"]),
    ("browserCommand auto", {"browserCommand": "auto"}, {"browserCommand": "auto"}, []),
    ("browserCommand as a list", {"browserCommand": ["a", "b"]}, {"browserCommand": ["a", "b"]}, []),
    ("browserCommand as a number", {"browserCommand": 3}, {}, ["command line"]),
    ("browserCommand with numbers", {"browserCommand": ["a", 3]}, {}, ["command line"]),
    ("the sink", {"suppressBrowserLaunch": True}, {"suppressBrowserLaunch": True}, []),
    ("the sink as a word", {"suppressBrowserLaunch": "true"}, {}, ["true or false"]),
    ("servers off", {"mcpDefaultDisabled": True}, {"mcpDefaultDisabled": True}, []),
    ("servers off as a list", {"mcpDefaultDisabled": ["a"]}, {}, ["true or false"]),
    ("servers on", {"mcpAlwaysEnabled": "a, b c"}, {"mcpAlwaysEnabled": ["a", "b c"]}, []),
    ("an unknown one names those there are", {"alowAll": True}, {}, ["suppressBrowserLaunch"]),
    ("one wrong does not spoil the others", {"allowAll": 1, "channels": "a"}, {"channels": ["a"]}, ["allowAll"]),
    ("the block is a list", ["allowAll"], {}, ["object of directives"]),
]


@pytest.mark.parametrize(("block", "expected", "words"), [row[1:] for row in CHECKED], ids=[row[0] for row in CHECKED])
def test_checked(block, expected, words):
    directives, warnings = _directives.checked(block)
    assert directives == expected
    assert len(warnings) == len(words) and all(word in text for word, text in zip(words, warnings))


def test_variables():
    directives = {"allowAll": True, "channels": ["brain", "amygdala"], "suppressBrowserLaunch": True}
    variables = _directives.environment(directives, ["/usr/bin/wslview"])
    assert variables["COPILOT_ALLOW_ALL"] == "true"
    assert variables["AGENTIHOOKS_BASE_CHANNELS"] == "brain,amygdala"
    # browserCommand wins over the sink.
    assert json.loads(variables["COPILOT_DEBUG_BROWSER"]) == ["/usr/bin/wslview"]
    assert json.loads(_directives.environment(directives)["COPILOT_DEBUG_BROWSER"])[0] == "sh"
    assert _directives.environment({"allowAll": False, "channels": [], "suppressBrowserLaunch": False}) == {}
    assert set(variables) <= set(_directives.VARIABLES)


def test_nothing_of_the_sink_is_taken_for_the_address():
    assert not any("%s" in word for word in _directives.sink())


def test_caveats_are_told():
    assert any("copilot login" in text for text in _directives.notes({"suppressBrowserLaunch": True}))
    assert _directives.notes({"suppressBrowserLaunch": True}, ["x"]) == []
    assert any("silence" in text for text in _directives.notes({"allowAll": True}))


# (what, directives, configured, enabled, off in source, disabled, floor)
DISABLED = [
    ("no directive", {}, ["a", "b"], [], [], [], []),
    ("every server, the person's too", {"mcpDefaultDisabled": True}, ["a", "b"], [], [], ["a", "b"], []),
    ("the toolbelt stays, by either name", {"mcpDefaultDisabled": True}, ["a", "hooks-utils", "agentihooks"], [], [], ["a"], []),
    ("the exempt set is replaced", {"mcpDefaultDisabled": True, "mcpAlwaysEnabled": ["a"]}, ["a", "agentihooks"], [], [], ["agentihooks"], ["a"]),
    ("the exempt set is replaced by one with the toolbelt", {"mcpDefaultDisabled": True, "mcpAlwaysEnabled": ["a", "hooks-utils"]},
     ["a", "b", "hooks-utils"], [], [], ["b"], ["a", "hooks-utils"]),
    ("an empty exempt set", {"mcpDefaultDisabled": True, "mcpAlwaysEnabled": []}, ["a", "agentihooks"], [], [], ["a", "agentihooks"], []),
    ("a hand-enabled one is never disabled again", {"mcpDefaultDisabled": True}, ["a", "b"], ["b"], [], ["a"], []),
    ("always enabled is a floor without the other directive", {"mcpAlwaysEnabled": ["a"]}, ["a", "b"], [], [], [], ["a"]),
    ("off in its source", {}, ["a", "b"], [], ["b"], ["b"], []),
    ("off in its source but enabled by hand", {}, ["a", "b"], ["b"], ["b"], [], []),
    ("off in its source but always enabled", {"mcpAlwaysEnabled": ["b"]}, ["b"], [], ["b"], [], ["b"]),
    ("off in its source but not configured", {}, ["a"], [], ["b"], [], []),
]


@pytest.mark.parametrize("row", DISABLED, ids=[row[0] for row in DISABLED])
def test_disabled_servers(row):
    _what, directives, configured, enabled, off, disabled, floor = row
    assert _directives.disabled_servers(directives, configured, enabled, off) == (disabled, floor)


ADDRESS = "https://login.example/authorize?client_id=a&state=$HOME`id`$(id)\\n&redirect_uri=http%3A%2F%2F127.0.0.1"


def run_sink(home, address=ADDRESS, **environment):
    argv = json.loads(_directives.environment({"suppressBrowserLaunch": True})["COPILOT_DEBUG_BROWSER"]) + [address]
    subprocess.run(argv, check=True, env=dict(environment, PATH="/usr/bin:/bin", HOME=str(home)), stdin=subprocess.DEVNULL, timeout=30)
    return home / ".copilot" / _directives.SINK_FILE


def test_sink_keeps_the_address_for_the_user_alone(tmp_path):
    (tmp_path / ".copilot").mkdir()
    file = run_sink(tmp_path)
    assert file.read_text() == ADDRESS + "\n"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert run_sink(tmp_path).read_text() == 2 * (ADDRESS + "\n")
    assert file.stat().st_mode & 0o777 == 0o600


def test_sink_keeps_the_address_where_copilots_home_is(tmp_path):
    elsewhere = tmp_path / "o'ther $HOME"
    elsewhere.mkdir()
    assert not run_sink(tmp_path, COPILOT_HOME=str(elsewhere)).exists()
    assert (elsewhere / _directives.SINK_FILE).read_text() == ADDRESS + "\n"


def test_sink_is_bounded(tmp_path):
    (tmp_path / ".copilot").mkdir()
    file = tmp_path / ".copilot" / _directives.SINK_FILE
    file.write_text("".join("https://x.example/%d\n" % number for number in range(2 * _directives.SINK_LINES)))
    run_sink(tmp_path)
    lines = file.read_text().splitlines()
    assert len(lines) == _directives.SINK_LINES and lines[-1] == ADDRESS
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(str(file.parent)) == [_directives.SINK_FILE]
