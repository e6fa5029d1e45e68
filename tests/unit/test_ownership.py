# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ownership rule, a case per line of its table (the id quotes the line: desired | disk | ledger -> outcome)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.agentihooks.fleet.plugins.module_utils import _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, SEEN, Entry, Policy, Record, Rules, Union, leaves, plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at, edited, fingerprint, same

KEEP, OVERWRITE, FAIL = Policy("keep"), Policy("overwrite"), Policy("fail")
ADOPT = Policy("keep", adopt=True)
PINNED = Rules(pins={("k",): "v"})
UNION = Rules(unions=[("u",)])


def ours(**values):
    return Record({(key,): Entry(OURS, fingerprint(value)) for key, value in values.items()})


def seen(**values):
    return Record({(key,): Entry(SEEN, fingerprint(value)) for key, value in values.items()})


def shared(made=False, **states):
    return Record(unions={("u",): Union(made, {fingerprint(element): state for element, state in states.items()})})


def decide(desired, disk, record, policy=KEEP, rules=Rules(), originals=None, lost=False):
    return plan(desired, disk, record, originals or {}, rules, policy, lost)


# id, desired, disk, ledger, rules, policy, outcomes, value afterwards, ledger afterwards
V = {"k": "v"}
TABLE = [
    ("v | absent | none -> created", V, {}, Record(), Rules(), KEEP, ["created"], V, ours(k="v")),
    ("v | v | l -> unchanged", V, V, ours(k="v"), Rules(), KEEP, ["unchanged"], V, ours(k="v")),
    ("v | v | l: the person made the new wish come true -> unchanged", V, V, ours(k="l"), Rules(), KEEP, ["unchanged"], V, ours(k="v")),
    ("v | v | none -> unchanged, seen", V, V, Record(), Rules(), KEEP, ["unchanged"], V, seen(k="v")),
    ("v | v | none, adopt -> unchanged, ours", V, V, Record(), Rules(), ADOPT, ["unchanged"], V, ours(k="v")),
    ("v | v | seen -> unchanged, still seen", V, V, seen(k="v"), Rules(), KEEP, ["unchanged"], V, seen(k="v")),
    ("v | v | seen, adopt -> unchanged, ours", V, V, seen(k="v"), Rules(), ADOPT, ["unchanged"], V, ours(k="v")),
    ("w | v | seen v -> foreign", {"k": "w"}, V, seen(k="v"), Rules(), KEEP, ["foreign"], V, seen(k="v")),
    ("w | v | seen v, overwrite -> updated", {"k": "w"}, V, seen(k="v"), Rules(), OVERWRITE, ["updated"], {"k": "w"}, ours(k="w")),
    ("w | v | seen v, adopt -> updated", {"k": "w"}, V, seen(k="v"), Rules(), ADOPT, ["updated"], {"k": "w"}, ours(k="w")),
    ("v | l | l -> updated", V, {"k": "l"}, ours(k="l"), Rules(), KEEP, ["updated"], V, ours(k="v")),
    ("v | x | l -> hand_edited", V, {"k": "x"}, ours(k="l"), Rules(), KEEP, ["hand_edited"], {"k": "x"}, ours(k="l")),
    ("v | x | l, overwrite is not for hand-edits -> hand_edited", V, {"k": "x"}, ours(k="l"), Rules(), OVERWRITE, ["hand_edited"], {"k": "x"}, ours(k="l")),
    ("v | x | l, reclaim -> updated", V, {"k": "x"}, ours(k="l"), Rules(), Policy(reclaim=[["k"]]), ["updated"], V, ours(k="v")),
    ("v | x | none -> foreign", V, {"k": "x"}, Record(), Rules(), KEEP, ["foreign"], {"k": "x"}, Record()),
    ("v | x | none, overwrite -> updated", V, {"k": "x"}, Record(), Rules(), OVERWRITE, ["updated"], V, ours(k="v")),
    ("v | x | none, adopt claims only what is as wanted -> foreign", V, {"k": "x"}, Record(), Rules(), ADOPT, ["foreign"], {"k": "x"}, Record()),
    ("v | absent | l -> hand_edited", V, {}, ours(k="l"), Rules(), KEEP, ["hand_edited"], {}, ours(k="l")),
    ("v | absent | l, reclaim -> created", V, {}, ours(k="l"), Rules(), Policy(reclaim=[["k"]]), ["created"], V, ours(k="v")),
    ("v | the whole document is missing | any -> created", V, ABSENT, ours(k="l"), Rules(), KEEP, ["created"], V, ours(k="v")),
    ("v | the whole document is missing | any, pinned -> created", {}, ABSENT, ours(k="l"), PINNED, KEEP, ["created"], V, ours(k="v")),
    ("v | parent has another type | none -> foreign", {"p": {"a": 1, "b": 2}}, {"p": 5}, Record(), Rules(), KEEP, ["foreign"] * 2, {"p": 5}, Record()),
    ("v | parent has another type, overwrite -> foreign", {"p": {"a": 1}}, {"p": [5]}, Record(), Rules(), OVERWRITE, ["foreign"], {"p": [5]}, Record()),
    ("v, pinned | x | none -> pinned", {}, {"k": "x"}, Record(), PINNED, KEEP, ["pinned"], V, ours(k="v")),
    ("v, pinned | x | l -> pinned", {}, {"k": "x"}, ours(k="v"), PINNED, KEEP, ["pinned"], V, ours(k="v")),
    ("v, pinned | absent | any -> pinned", {}, {"o": 1}, ours(k="v"), PINNED, KEEP, ["pinned"], {"o": 1, "k": "v"}, ours(k="v")),
    ("v, pinned | v | none -> unchanged, seen", {}, V, Record(), PINNED, KEEP, ["unchanged"], V, seen(k="v")),
    ("none | l | l -> removed", {}, {"k": "l", "o": 1}, ours(k="l"), Rules(), KEEP, ["removed"], {"o": 1}, Record()),
    ("none | v | seen -> released", {}, V, seen(k="v"), Rules(), KEEP, ["released"], V, Record()),
    ("none | x | l -> released", {}, {"k": "x"}, ours(k="l"), Rules(), KEEP, ["released"], {"k": "x"}, Record()),
    ("none | absent | l -> released", {}, {}, ours(k="l"), Rules(), KEEP, ["released"], {}, Record()),
    ("none | x | none -> nothing to say", {}, {"k": "x"}, Record(), Rules(), KEEP, [], {"k": "x"}, Record()),
    (
        "union [a,b] | [b,c] | [a] -> unioned: a stays out, b is seen, c stays",
        {"u": ["a", "b"]}, {"u": ["b", "c"]}, shared(a=OURS), UNION, KEEP, ["unioned"], {"u": ["b", "c"]}, shared(a=OURS, b=SEEN),
    ),
    ("union [] | [a,c] | [a] -> unioned: a goes, c stays", {}, {"u": ["a", "c"]}, shared(a=OURS), UNION, KEEP, ["unioned"], {"u": ["c"]}, Record()),
    (
        "union [b] | [a,b] | [a], b seen -> unioned",
        {"u": ["b"]}, {"u": ["a", "b"]}, shared(a=OURS, b=SEEN), UNION, KEEP, ["unioned"], {"u": ["b"]}, shared(b=SEEN),
    ),
    ("union [a] | [c] | none -> unioned, at the end", {"u": ["a"]}, {"u": ["c"]}, Record(), UNION, KEEP, ["unioned"], {"u": ["c", "a"]}, shared(a=OURS)),
    ("union [a] | absent | none -> unioned", {"u": ["a", "a"]}, {}, Record(), UNION, KEEP, ["unioned"], {"u": ["a"]}, shared(True, a=OURS)),
    ("union [a] | absent | [a] -> unioned: stays out", {"u": ["a"]}, {}, shared(True, a=OURS), UNION, KEEP, ["unioned"], {}, shared(a=OURS)),
    ("union [a] | [a] | [a] -> unchanged", {"u": ["a"]}, {"u": ["a"]}, shared(a=OURS), UNION, KEEP, ["unchanged"], {"u": ["a"]}, shared(a=OURS)),
    ("union [] | [a] | [a], our list -> unioned, the list goes too", {}, {"u": ["a"]}, shared(True, a=OURS), UNION, KEEP, ["unioned"], {}, Record()),
    ("union [] | [a] | [a], their list -> unioned, the list stays", {}, {"u": ["a"]}, shared(a=OURS), UNION, KEEP, ["unioned"], {"u": []}, Record()),
    ("union [] | [c] | seen c -> released", {}, {"u": ["c"]}, shared(c=SEEN), UNION, KEEP, ["released"], {"u": ["c"]}, Record()),
    ("union [a] | no list | none -> foreign", {"u": ["a"]}, {"u": "c"}, Record(), UNION, KEEP, ["foreign"], {"u": "c"}, Record()),
    (
        "union [a], reclaim | [c] | [a] -> unioned",
        {"u": ["a"]}, {"u": ["c"]}, shared(a=OURS), UNION, Policy(reclaim=[["u"]]), ["unioned"], {"u": ["c", "a"]}, shared(a=OURS),
    ),
    ("floor not a | [a] | any -> pinned", {}, {"u": ["a"]}, Record(), Rules(unions=[("u",)], floors={("u",): ["a"]}), KEEP, ["pinned"], {"u": []}, Record()),
    (
        "floor not a, a also wanted | [a,c] | any -> pinned: the floor wins",
        {"u": ["a"]}, {"u": ["a", "c"]}, Record(), Rules(unions=[("u",)], floors={("u",): ["a"]}), KEEP, ["pinned"], {"u": ["c"]}, Record(),
    ),
    ("values differ by type: 1 | 1.0 | none -> foreign", {"k": 1}, {"k": 1.0}, Record(), Rules(), KEEP, ["foreign"], {"k": 1.0}, Record()),
    ("values differ by type: 1 | true | none -> foreign", {"k": 1}, {"k": True}, Record(), Rules(), KEEP, ["foreign"], {"k": True}, Record()),
    ("null unsets: null | l | l -> removed", {"k": None}, {"k": "l"}, ours(k="l"), Rules(), KEEP, ["removed"], {}, Record()),
    ("an empty table is no leaf", {"t": {}}, {}, Record(), Rules(), KEEP, [], {}, Record()),
    ("an empty document is no missing one: v | absent | l -> hand_edited", V, {}, ours(k="v"), Rules(), KEEP, ["hand_edited"], {}, ours(k="v")),
]  # fmt: skip


@pytest.mark.parametrize("desired, disk, record, rules, policy, outcomes, value, after", [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_line_of_the_table(desired, disk, record, rules, policy, outcomes, value, after):
    made = decide(desired, disk, record, policy, rules)
    assert [outcome for _path, outcome in made.changes] == outcomes
    assert same(made.value, value)
    assert made.record == after
    start = {} if disk is ABSENT else disk
    assert same(edited(start, made.edits), value)
    assert made.changed == (not same(start, value))


@pytest.mark.parametrize("disk, record, rules", [({"k": "x"}, Record(), Rules()), (V, seen(k="v"), Rules()), ({"k": {"a": 1}}, Record(), Rules())])
def test_fail_stops_at_what_is_foreign(disk, record, rules):
    assert decide({"k": "w"}, disk, record, FAIL, rules).conflicts == [("k",)]
    assert decide({"k": "w"}, {}, record, FAIL, rules).conflicts == []


def test_a_lost_ledger_keeps_and_removes_nothing():
    made = decide({"k": "v", "n": 1}, {"k": "x", "u": ["a"]}, ours(k="x", o="l"), OVERWRITE, UNION, lost=True)
    assert [outcome for _path, outcome in made.changes] == ["foreign", "created"]
    assert made.value == {"k": "x", "u": ["a"], "n": 1}
    assert decide({}, {"k": "v"}, ours(k="v"), lost=True).edits == []


def test_a_lost_ledger_does_not_lose_the_originals():
    made = decide(V, V, Record(), ADOPT, originals={("k",): "x"}, lost=True)
    assert made.originals == {("k",): "x"} and made.record == ours(k="v")
    assert decide({}, V, made.record, originals=made.originals).value == {"k": "x"}


def test_the_original_comes_back_and_is_the_first_one_met():
    first = decide(V, {"k": "theirs"}, Record(), OVERWRITE)
    assert first.originals == {("k",): "theirs"}
    second = decide({"k": "v2"}, first.value, first.record, OVERWRITE, originals=first.originals)
    assert second.originals == first.originals
    reset = decide({"k": "v2"}, ABSENT, second.record, OVERWRITE, originals=second.originals)
    assert [outcome for _path, outcome in reset.changes] == ["created"]
    last = decide({}, reset.value, reset.record, originals=reset.originals)
    assert (last.value, last.originals, last.changes) == ({"k": "theirs"}, {}, [(("k",), "removed")])


def test_a_pin_that_goes_puts_back_what_it_pinned_over():
    pinned = decide({}, {"k": "x"}, Record(), KEEP, PINNED)
    assert decide({}, pinned.value, pinned.record, originals=pinned.originals).value == {"k": "x"}


def test_a_leaf_becomes_a_table_and_the_reverse_in_one_plan():
    table = decide({"k": {"a": 1}}, {"k": "l", "o": 1}, ours(k="l"))
    assert table.changes == [(("k",), "removed"), (("k", "a"), "created")] and table.value == {"k": {"a": 1}, "o": 1}
    leaf = decide({"k": "l"}, table.value, table.record, originals=table.originals)
    assert leaf.changes == [(("k", "a"), "removed"), (("k",), "created")] and leaf.value == {"o": 1, "k": "l"}


def test_a_leaf_the_person_changed_does_not_become_a_table():
    made = decide({"k": {"a": 1}}, {"k": "x"}, ours(k="l"))
    assert made.changes == [(("k",), "released"), (("k", "a"), "foreign")] and made.value == {"k": "x"}


def test_a_table_with_something_of_the_person_does_not_become_a_leaf():
    made = decide({"k": "l"}, {"k": {"a": 1, "theirs": 2}}, Record({("k", "a"): Entry(OURS, fingerprint(1))}, tables=[("k",)]))
    assert made.changes == [(("k", "a"), "removed"), (("k",), "foreign")] and made.value == {"k": {"theirs": 2}}


def test_tables_we_made_go_when_they_are_empty_and_theirs_stay():
    made = decide({"t": {"u": {"a": 1}}, "e": {"a": 1}}, {"e": {}}, Record())
    assert decide({}, made.value, made.record).value == {"e": {}}
    made.value["t"]["theirs"] = 1
    assert decide({}, made.value, made.record).value == {"t": {"theirs": 1}, "e": {}}


def test_an_object_that_makes_sense_only_whole_is_one_value():
    rules = Rules(whole=[("s",)])
    made = decide({"s": {"type": "command", "command": "c", "x": None}}, {"s": {"type": "text"}}, Record(), KEEP, rules)
    assert made.changes == [(("s",), "foreign")]
    assert leaves({"s": {"type": "command", "x": None}}, rules) == ({("s",): {"type": "command"}}, {})


def test_a_shared_list_must_be_one():
    with pytest.raises(ValueError, match="u must be a list"):
        decide({"u": "a"}, {}, Record(), KEEP, UNION)


def test_what_earlier_versions_kept_in_the_file_goes():
    rules = Rules(retired=_ledger.IN_FILE_KEYS)
    disk = {"agentihooks": {"managed": {"k": "l", "h": 1}}, "k": "l", "h": 2}
    record = _ledger.with_in_file_records(Record(), disk, rules)
    made = decide({"k": "v", "h": 3}, disk, record, KEEP, rules)
    assert made.changes == [(("agentihooks",), "removed"), (("k",), "updated"), (("h",), "hand_edited")]
    assert made.value == {"k": "v", "h": 2}


def test_keys_may_hold_dots():
    made = decide({"a": {"b": 1}}, {"a.b": 2}, Record())
    assert made.value == {"a.b": 2, "a": {"b": 1}}


KEYS = st.sampled_from(["a", "b", "c.d", "u"])
SCALARS = st.sampled_from([0, 1, 1.0, True, "x", "y", ""])
LISTS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)
TREES = st.dictionaries(
    KEYS, st.recursive(st.one_of(SCALARS, LISTS), lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=6), max_size=4
)
WISHES = TREES.filter(lambda tree: isinstance(tree.get("u", []), list))
POLICIES = st.sampled_from([KEEP, OVERWRITE, ADOPT])
RULES = Rules(pins={("pin",): False}, unions=[("u",)])


@given(WISHES, TREES, POLICIES)
@settings(max_examples=100, deadline=None)
def test_a_second_run_changes_nothing(desired, disk, policy):
    first = decide(desired, disk, Record(), policy, RULES)
    second = decide(desired, first.value, first.record, policy, RULES, first.originals)
    assert second.edits == [] and second.record == first.record and second.originals == first.originals
    assert not {outcome for _path, outcome in second.changes} & {"created", "updated", "pinned", "removed", "hand_edited"}


@given(WISHES, TREES, POLICIES.filter(lambda policy: not policy.adopt))
@settings(max_examples=100, deadline=None)
def test_leaving_after_coming_gives_back_what_was_there(desired, disk, policy):
    first = decide(desired, disk, Record(), policy, RULES)
    last = decide({}, first.value, first.record, policy, Rules(unions=[("u",)]), first.originals)
    assert same(last.value, disk)
    assert not last.record and last.originals == {}


@given(WISHES, WISHES, TREES, POLICIES.filter(lambda policy: not policy.adopt))
@settings(max_examples=100, deadline=None)
def test_leaving_after_a_change_of_wishes_gives_back_what_was_there(desired, later, disk, policy):
    first = decide(desired, disk, Record(), policy, RULES)
    second = decide(later, first.value, first.record, policy, RULES, first.originals)
    last = decide({}, second.value, second.record, policy, Rules(unions=[("u",)]), second.originals)
    assert same(last.value, disk)


@given(WISHES, TREES)
@settings(max_examples=100, deadline=None)
def test_what_was_there_stays_under_keep(desired, disk):
    made = decide(desired, disk, Record(), KEEP, RULES)
    values, lists = leaves(disk, RULES) if isinstance(disk.get("u", []), list) else ({}, {})
    for path, value in values.items():
        assert same(at(made.value, path), value)
    for path, elements in lists.items():
        assert at(made.value, path)[: len(elements)] == elements
