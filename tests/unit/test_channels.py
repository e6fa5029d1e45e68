# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which channels a session listens to where no interactive shell exported them: what copilot.env says, as data."""

from __future__ import annotations

import os

import pytest
from agentihooks import channels

# (what, copilot.env, channels)
FILES = [
    ("no file", None, []),
    ("as it is written", "COPILOT_ALLOW_ALL='true'\nAGENTIHOOKS_BASE_CHANNELS='brain,amygdala'\nX='y'\n", ["brain", "amygdala"]),
    ("all channels", "AGENTIHOOKS_BASE_CHANNELS='*'\n", ["*"]),
    ("as a person might write it", 'export AGENTIHOOKS_BASE_CHANNELS="brain"', ["brain"]),
    ("without quotes", "AGENTIHOOKS_BASE_CHANNELS=a,b\n", ["a", "b"]),
    ("the first one counts", "AGENTIHOOKS_BASE_CHANNELS='a'\nAGENTIHOOKS_BASE_CHANNELS='b'\n", ["a"]),
    ("another variable", "MY_AGENTIHOOKS_BASE_CHANNELS='a'\n# AGENTIHOOKS_BASE_CHANNELS='b'\n", []),
    ("empty", "", []),
    ("only bytes", b"\x00\xff\n\xfeAGENTIHOOKS_BASE_CHANNELS='a'\n", []),
    ("very long", "X='%s'\n" % ("x" * 5000) + "AGENTIHOOKS_BASE_CHANNELS='a'\n", ["a"]),
    ("one mark alone", "AGENTIHOOKS_BASE_CHANNELS='", []),
]
# What a shell would run, or read as more than a list of names.
HOSTILE = ["$(touch RAN)", "`touch RAN`", "'$(touch RAN)'", '"$(touch RAN)"', "'a'; touch RAN; '", "'a'\"$(touch RAN)\"'b'", "${X:=$(touch RAN)}"]
HOSTILE += ["$((RAN=1))", "a b", "\\x", "'", "a\r", "'a\x1b[2J'", "a\u202eb"]


@pytest.mark.parametrize("what, data, heard", FILES, ids=[row[0] for row in FILES])
def test_the_file_is_read(tmp_path, what, data, heard):
    if data is not None:
        (tmp_path / "copilot.env").write_bytes(data if isinstance(data, bytes) else data.encode())
    assert channels.heard(str(tmp_path), {}) == heard


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_plain_list_of_names_is_none(tmp_path, text):
    (tmp_path / "copilot.env").write_text("AGENTIHOOKS_BASE_CHANNELS=%s\n" % text)
    assert channels.heard(str(tmp_path), {}) == []


def test_the_environment_wins_also_when_it_names_none(tmp_path):
    (tmp_path / "copilot.env").write_text("AGENTIHOOKS_BASE_CHANNELS='a'\n")
    assert channels.heard(str(tmp_path), {"AGENTIHOOKS_BASE_CHANNELS": " brain, x,,brain"}) == ["brain", "x"]
    assert channels.heard(str(tmp_path), {"AGENTIHOOKS_BASE_CHANNELS": ""}) == []


def test_a_link_is_followed_and_nothing_is_waited_for(tmp_path):
    place = tmp_path / "copilot.env"
    (tmp_path / "elsewhere").write_text("AGENTIHOOKS_BASE_CHANNELS=a\n")
    place.symlink_to("elsewhere")
    assert channels.heard(str(tmp_path), {}) == ["a"]
    place.unlink()
    os.mkfifo(str(place))
    assert channels.heard(str(tmp_path), {}) == []
    place.unlink()
    place.mkdir()
    assert channels.heard(str(tmp_path), {}) == []
    place.rmdir()
    place.symlink_to("/dev/zero")
    assert channels.heard(str(tmp_path), {}) == []
    place.unlink()
    with open(str(place), "wb") as stream:
        stream.truncate(1 << 40)
    assert channels.heard(str(tmp_path), {}) == []
