# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our TOML beside two independent parsers: tomlkit (what the controller reads profiles with) and tomllib (TOML 1.0 only)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.agentihooks.fleet.plugins.module_utils import _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import same

sys.path.insert(0, str(Path(__file__).parent))
import test_toml  # noqa: E402

tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on

ACCEPTED = [case[0] for case in test_toml.test_what_is_accepted.pytestmark[0].args[1]]
REFUSED = [case[0] for case in test_toml.test_what_is_refused_and_where.pytestmark[0].args[1]]
# What tomlkit takes and the real Codex, tomllib and we refuse: a dotted key that adds to a table of a header.
TOMLKIT_IS_LAX = (b"[a.b.c]\nz = 9\n[a]\nb.c.t = 1", b"[a.b]\n[a]\nb.c = 1", b"a = 9223372036854775808")


def of_tomlkit(data):
    """Return the value, or None for a refusal."""
    try:
        # It keeps CRLF inside a string over several lines; the value is the same text with plain line ends.
        value = tomlkit.parse(data.decode("utf-8-sig").replace("\r\n", "\n")).unwrap()
    except (ValueError, tomlkit.exceptions.TOMLKitError, RecursionError):
        return None
    return value


def of_tomllib(data):
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def ours(data):
    try:
        return _toml.parse(data).value
    except _toml.FormatError:
        return None


def is_confirmed(data):
    """Whether our reading is that of tomllib, or, of what is new in TOML 1.1 and tomllib refuses, that of tomlkit."""
    mine, theirs = ours(data), of_tomllib(data)
    if mine is None or theirs is None:
        return mine is theirs or (mine is not None and same(mine, of_tomlkit(data)))
    return same(mine, theirs)


@pytest.mark.parametrize("data", ACCEPTED + list(test_toml.DOCUMENTS.values()))
def test_they_read_the_same_value(data):
    assert same(of_tomlkit(data), ours(data))
    assert is_confirmed(data)


@pytest.mark.parametrize("data", REFUSED)
def test_they_refuse_the_same(data):
    if data not in TOMLKIT_IS_LAX and len(data) < 4000:
        assert of_tomlkit(data) is None
    if data != b"a = 9223372036854775808" and len(data) < 4000:
        assert of_tomllib(data) is None


_PIECES = st.sampled_from([
    "a", "b", '"a"', "'b'", "a.b", "b.a", " ", "\t", "\n", "\n", "\n", "\r\n", "=", " = ", " = 1\n", "1", "-2.5e3", "0x1F", "true", "inf", "\"x\"", "'y'",
    '"""\n', '"""', "'''", "[", "]", "[[", "]]", "{", "}", ",", ", ", "# c\n", "#", "\\", "\\n", "07:32:00", "1979-05-27", "T", "Z", "_", ".",
    "[a]\n", "[[a]]\n",
    "[a.b]\n", "[b]\n", "[[b.a]]\n", "a = 1\n", "b.a = [1, 2]\n", "c = { d = 1 }\n", "\u00e9", "\x01", "\x7f",
])  # fmt: skip


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_PIECES, max_size=14).map(lambda pieces: "".join(pieces).encode()))
def test_any_text_is_read_or_refused_as_tomllib_does(data):
    assert is_confirmed(data)


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(test_toml.DOCUMENTS)), st.integers(0, 20000), st.sampled_from(["cut", "double", "drop", "break"]))
def test_a_damaged_file_is_read_or_refused_as_tomllib_does(name, place, damage):
    data = test_toml.DOCUMENTS[name]
    place %= len(data) + 1
    hurt = {
        "cut": data[:place],
        "double": data + data[:place],
        "drop": data[:place] + data[place + 1 :],
        "break": data[:place] + b"\n" + data[place:],
    }[damage]
    assert is_confirmed(hurt)
