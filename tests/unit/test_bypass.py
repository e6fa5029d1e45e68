# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The generator of attacks that tests/prove/prove_bypass.py drives: the same for a seed, and a canary is seen in every encoding."""

from __future__ import annotations

import base64
import codecs
import gzip

import bypass
import pytest
from agentihooks import normalize, pipeline
from agentihooks.event import Context
from agentihooks.policy import DEFAULTS

HOME = "/home/u"
TOKEN = "ghp_" + "a1B2" * 9
WORD = bypass.canary(1)
NEEDLES = bypass.Needles([WORD])


def test_the_same_attacks_for_a_seed_in_every_home():
    first, again, other = (bypass.attacks(7, home, home + "/w", TOKEN) for home in (HOME, HOME, "/srv/b"))
    assert list(map(repr, first)) == list(map(repr, again))
    assert [attack.families for attack in first] == [attack.families for attack in other]
    assert len(first) > 4000 and {attack.effect for attack in first} == {"read", "change", "push", "leak"}
    assert {"quoting", "symlinks", "hard links", "git objects", "editors", "MCP tools", "patches", "/dev/fd", "unicode"} <= {attack.family for attack in first}


@pytest.mark.parametrize(
    "text",
    [
        WORD, "x" + WORD[5:30] + "y", WORD[::-1], codecs.encode(WORD, "rot13"), WORD.upper(),
        WORD.encode().hex(), "".join("\\%03o" % byte for byte in WORD.encode()), "-".join(WORD), " ".join(WORD), "\n".join(WORD),
        base64.b64encode(b"ab" + WORD.encode() + b"\n").decode(), base64.b32encode(b"a" + WORD.encode()).decode(),
        base64.b64encode(gzip.compress(("x\n" + WORD).encode(), mtime=0)).decode(),
    ],
)  # fmt: skip
def test_a_canary_is_seen(text):
    assert NEEDLES.seen("before\n%s\nafter" % text)


def test_what_is_no_canary_is_not_seen():
    octal = "printf '%s' | sh" % "".join("\\%03o" % byte for byte in b"cat .env; printf bcdfghjklmnpqrtvwxz")
    assert not NEEDLES.seen(octal)
    assert not NEEDLES.seen("agentihooks [credential.file]: this would show what is in the credential file .env. " * 50 + bypass.canary(2))


def test_no_innocent_is_denied():
    def judge(text):
        event = normalize.normalize("copilot", "preToolUse", {"sessionId": "s", "cwd": HOME + "/w", "toolName": "bash", "toolArgs": {"command": text}})
        files = {HOME + "/w/.git/HEAD": "ref: refs/heads/topic\n"}
        context = Context(HOME, DEFAULTS, lambda path: path, files.get, HOME + "/.agentihooks", {})
        return [denied.rule for guard in pipeline.guards(event, DEFAULTS) for denied in guard.check(event, context)]

    denied = [(text, judge(text)) for text in bypass.INNOCENTS if judge(text)]
    assert len(set(bypass.INNOCENTS)) >= 150 and not denied
