# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger: it comes back as it was written, is never believed when damaged, and tells what became of an intent."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._ledger import Intent, Ledger, Originals, Surface
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, SEEN, Entry, Record, Union
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, fingerprint

RULES = _copilot.settings_rules()
RECORD = Record(
    {("footer", "show.it"): Entry(OURS, fingerprint(True)), ("model",): Entry(SEEN, fingerprint("m"))},
    {("u",): Union(True, {fingerprint("a"): OURS})},
    [("footer",)],
)


def full():
    intent = Intent(Record({("model",): Entry(OURS, fingerprint("n"))}), "ff", [("model",)])
    return Ledger("team/bundle", {"settings.json": Surface(RECORD, "ab", intent), "config.json": Surface()}, ["/home/ada/.copilot"], lost=True)


def test_a_ledger_comes_back_as_it_was_written():
    data = _ledger.dump(full())
    again = _ledger.load(data)
    assert _ledger.dump(again) == data
    assert again.surfaces["settings.json"].record == RECORD
    assert again.surfaces["settings.json"].intent.originals == [("model",)]
    assert (again.manager, again.directories, again.lost) == ("team/bundle", ["/home/ada/.copilot"], True)


def test_a_ledger_holds_no_value():
    record = Record({("env", "API"): Entry(OURS, fingerprint("hunter2"))}, {("u",): Union(False, {fingerprint("hunter2"): OURS})})
    assert b"hunter2" not in _ledger.dump(Ledger("m", {"settings.json": Surface(record)}))


def test_originals_come_back_as_they_were_written():
    originals = Originals({"settings.json": {("a", "b"): [1, 1.0, None], ("c",): "\ud800"}}, {"settings.json": b"\xff{}", "config.json": None})
    again = _ledger.load_originals(_ledger.dump_originals(originals))
    assert (again.values, again.documents) == ({"settings.json": originals.values["settings.json"], "config.json": {}}, originals.documents)


def damaged():
    good = json.loads(_ledger.dump(full()).decode())
    for change in (
        {"schema": "1"}, {"schema": True}, {"schema": None}, {"schema": 0}, {"manager": 5}, {"surfaces": []}, {"surfaces": {"s": 5}},
        {"surfaces": {"s": {"entries": [{"path": "model", "state": "ours", "sha256": "x"}]}}},
        {"surfaces": {"s": {"entries": [{"path": ["model"], "state": "mine", "sha256": "x"}]}}},
        {"surfaces": {"s": {"entries": [{"path": ["model"], "state": "ours"}]}}},
        {"directories": "all"},
    ):  # fmt: skip
        yield json.dumps(dict(good, **change)).encode()
    yield from (b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 100000, _ledger.dump(full())[:-20])


@pytest.mark.parametrize("data", list(damaged()), ids=lambda data: repr(data[:20]))
def test_a_damaged_ledger_says_nothing(data):
    assert _ledger.load(data, RULES) is None


def test_damaged_originals_say_nothing():
    for data in (b"", b"{}", b"[]", b'{"schema": 1}', b'{"schema": 1, "surfaces": {"s": {"values": [], "document": "?"}}}'):
        assert _ledger.load_originals(data) is None


def test_a_newer_schema_is_refused():
    with pytest.raises(_ledger.NewerLedger, match="schema 2"):
        _ledger.load(b'{"schema": 2}')
    with pytest.raises(_ledger.NewerLedger):
        _ledger.load_originals(b'{"schema": 9, "surfaces": {}}')


@pytest.mark.parametrize(
    "content",
    [
        {"model": "m", "statusLine": {"type": "command", "command": "c"}, "footer": {"show": True}, "disabledMcpServers": ["a"]},
        {"managed": {"model": "m", "statusLine": {"type": "command", "command": "c"}, "footer": {"show": True}, "disabledMcpServers": ["a"]}},
        {"agentihooks": {"managed": {"model": "m", "statusLine": {"type": "command", "command": "c"}, "footer": {"show": True}, "disabledMcpServers": ["a"]}}},
    ],
)
def test_a_sidecar_with_values_is_migrated(content):
    ledger = _ledger.load(json.dumps(content).encode(), RULES)
    record = ledger.surfaces["settings.json"].record
    assert set(record.entries) == {("model",), ("statusLine",), ("footer", "show")}
    assert record.entries[("model",)] == Entry(OURS, fingerprint("m"))
    assert record.unions == {("disabledMcpServers",): Union(False, {fingerprint("a"): OURS})}
    assert ledger.manager == ""


def test_an_intent_that_came_true_is_the_record():
    surface, originals = _ledger.settle(full().surfaces["settings.json"], {("model",): "m"}, "ff", {"model": "n"})
    assert (surface.record.entries, surface.written, surface.intent) == ({("model",): Entry(OURS, fingerprint("n"))}, "ff", None)
    assert originals == {("model",): "m"}


def test_an_intent_that_did_not_come_true_is_dropped_with_its_originals():
    before = Surface(Record({("a",): Entry(OURS, fingerprint(1))}), "ab", Intent(Record({("model",): Entry(OURS, fingerprint("n"))}), "ff", [("model",)]))
    surface, originals = _ledger.settle(before, {("model",): "m", ("a",): 0}, "ab", {"a": 1, "model": "m"})
    assert (surface.record, surface.written, originals) == (Record({("a",): Entry(OURS, fingerprint(1))}), "ab", {("a",): 0})


def test_of_an_intent_in_a_file_others_wrote_since_what_is_there_is_ours():
    intent = Intent(Record({("n",): Entry(OURS, fingerprint(1)), ("m",): Entry(OURS, fingerprint(2))}, {("u",): Union(True, {fingerprint("a"): OURS})}), "ff")
    surface, _originals = _ledger.settle(Surface(intent=intent), {}, "zz", {"n": 1, "m": 3, "u": ["c", "a"], "theirs": 1})
    assert surface.record == Record({("n",): Entry(OURS, fingerprint(1))}, {("u",): Union(True, {fingerprint("a"): OURS})})
    gone, _originals = _ledger.settle(Surface(intent=intent), {}, "", ABSENT)
    assert not gone.record


_PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=4)


@given(st.binary(max_size=60) | st.recursive(_PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
    st.sampled_from(["schema", "surfaces", "manager", "entries", "path", "intent", "x"]), inner, max_size=4)).map(lambda value: json.dumps(value).encode()))
@settings(max_examples=200, deadline=None)
def test_no_bytes_bring_a_traceback(data):
    for load in (lambda: _ledger.load(data, RULES), lambda: _ledger.load_originals(data)):
        try:
            load()
        except _ledger.NewerLedger:
            pass
