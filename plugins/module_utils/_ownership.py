# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the ownership rule. Pure: what is wanted, what is there and what we wrote last make a plan.

desired = what this run wants, disk = what is there, record = what the ledger says we wrote last (a hash per path).
A person's value is never taken over, and nothing is removed that was not ours, unless the policy says so.
The outcomes: created, unchanged, updated, pinned, removed, unioned (written or as wanted), foreign (never ours, left),
hand_edited (ours once, changed or removed by the person, left), released (no longer wanted, left), deferred (put off).
"""

from __future__ import annotations

from ansible_collections.agentihooks.fleet.plugins.module_utils._values import (
    ABSENT,
    append,
    at,
    canonical,
    contains,
    discard,
    drop,
    edited,
    fingerprint,
    put,
    same,
)

# States of a ledger entry: ours = we wrote it (it goes when we go); seen = it already was as wanted (it stays).
OURS = "ours"
SEEN = "seen"


class Entry:
    """What the ledger says about one value: state (OURS or SEEN) and sha256, the fingerprint of the value.

    targets: where several CLIs read the same place, those that want it there; it goes with the last of them.
    """

    __slots__ = ("state", "sha256", "targets")

    def __init__(self, state, sha256, targets=()):
        self.state = state
        self.sha256 = sha256
        self.targets = frozenset(targets)

    def __eq__(self, other):
        return isinstance(other, Entry) and (self.state, self.sha256, self.targets) == (other.state, other.sha256, other.targets)

    def __repr__(self):
        return "Entry(%s, %s)" % (self.state, self.sha256[:8])


class Union:
    """What the ledger says about one shared list: made (whether the list itself is ours) and elements, hash to state."""

    __slots__ = ("made", "elements")

    def __init__(self, made=False, elements=None):
        self.made = made
        self.elements = dict(elements or {})

    def __eq__(self, other):
        return isinstance(other, Union) and (self.made, self.elements) == (other.made, other.elements)

    def __repr__(self):
        return "Union(%r, %r)" % (self.made, self.elements)


class Record:
    """What the ledger says about one surface.

    entries: path to Entry. unions: path to Union. tables: paths of the tables that we made on the way to a value.
    """

    __slots__ = ("entries", "unions", "tables")

    def __init__(self, entries=None, unions=None, tables=()):
        self.entries = dict(entries or {})
        self.unions = dict(unions or {})
        self.tables = set(tables)

    def __eq__(self, other):
        if not isinstance(other, Record):
            return False
        return (self.entries, self.unions, self.tables) == (other.entries, other.unions, other.tables)

    def __bool__(self):
        return bool(self.entries or self.unions or self.tables)


class Rules:
    """What is special about a surface (data, see _copilot.py).

    pins: path to value, written even over a hand-edit. unions: paths of lists both sides add to. whole: paths of
    tables that are one value. floors: path to elements that must not be in that list. retired: top-level keys of
    earlier bookkeeping, removed where they hold a table.
    """

    __slots__ = ("pins", "unions", "whole", "floors", "retired")

    def __init__(self, pins=None, unions=(), whole=(), floors=None, retired=()):
        self.pins = dict(pins or {})
        self.unions = frozenset(unions)
        self.whole = frozenset(whole)
        self.floors = dict(floors or {})
        self.retired = tuple(retired)


class Policy:
    """What the caller decided. on_conflict: keep, overwrite or fail, for values that never were ours.

    adopt: values that already are as wanted become ours. reclaim: paths to take back from a hand-edit.
    """

    __slots__ = ("on_conflict", "adopt", "reclaim")

    def __init__(self, on_conflict="keep", adopt=False, reclaim=()):
        self.on_conflict = on_conflict
        self.adopt = adopt
        self.reclaim = frozenset(tuple(path) for path in reclaim)


class Decision:
    """What to do about one value.

    outcome: see the module. write: the value to write, ABSENT for none. remove: whether to take the value away (or
    put its original back). entry: what the ledger says from now on, None for nothing. save: whether what stood there
    is to be kept as the original. conflict: whether on_conflict says to stop.
    """

    __slots__ = ("outcome", "write", "remove", "entry", "save", "conflict")

    def __init__(self, outcome, entry, write=ABSENT, remove=False, save=False, conflict=False):
        self.outcome = outcome
        self.entry = entry
        self.write = write
        self.remove = remove
        self.save = save
        self.conflict = conflict


def decide_leaf(desired, disk, entry, policy, pinned=False, reclaim=False):
    """Return the Decision for one value (ABSENT: not wanted, not there), None when there is nothing to say."""
    ours = entry is not None and entry.state == OURS
    intact = entry is not None and disk is not ABSENT and fingerprint(disk) == entry.sha256
    if desired is ABSENT:
        if entry is None:
            return None
        return Decision("removed", None, remove=True) if ours and intact else Decision("released", None)
    mine = Entry(OURS, fingerprint(desired))
    if same(disk, desired):
        return Decision("unchanged", mine if ours or policy.adopt else Entry(SEEN, mine.sha256))
    foreign = disk is not ABSENT and not ours
    if pinned:
        return Decision("pinned", mine, write=desired, save=foreign)
    if disk is ABSENT:
        if entry is None or reclaim:
            return Decision("created", mine, write=desired)
        return Decision("hand_edited", entry)
    if ours:
        if intact or reclaim:
            return Decision("updated", mine, write=desired)
        return Decision("hand_edited", entry)
    if policy.adopt and intact:
        return Decision("updated", mine, write=desired)
    if policy.on_conflict == "overwrite":
        return Decision("updated", mine, write=desired, save=True)
    return Decision("foreign", entry if intact else None, conflict=policy.on_conflict == "fail")


class UnionDecision:
    """What to do about one shared list: elements to append and discard, whether to drop the emptied list itself, the
    new ledger entry (None for nothing), and those wanted elements that stay out because the person removed them."""

    __slots__ = ("outcome", "append", "discard", "drop", "entry", "stays_out", "conflict")

    def __init__(self, outcome, entry, append=(), discard=(), drop=False, stays_out=(), conflict=False):
        self.outcome = outcome
        self.entry = entry
        self.append = list(append)
        self.discard = list(discard)
        self.drop = drop
        self.stays_out = list(stays_out)
        self.conflict = conflict


def decide_union(desired, disk, entry, policy, floor=(), reclaim=False):
    """Return the UnionDecision for one shared list (desired: a list; disk: ABSENT for none), None for nothing to say."""
    desired = [element for element in _distinct(desired) if not contains(floor, element)]
    if disk is not ABSENT and not isinstance(disk, list):
        if desired:
            return UnionDecision("foreign", entry, conflict=policy.on_conflict == "fail")
        return UnionDecision("released", None) if entry is not None else None
    there = [] if disk is ABSENT else disk
    known = {} if entry is None else entry.elements
    present = {fingerprint(element) for element in there}
    wanted = [(fingerprint(element), element) for element in desired]
    elements, added, stays_out = {}, [], []
    for key, element in wanted:
        if key in present:
            elements[key] = OURS if policy.adopt or known.get(key) == OURS else SEEN
        elif key in known and not reclaim:
            elements[key] = known[key]
            stays_out.append(element)
        else:
            elements[key] = OURS
            added.append(element)
    floored = [element for element in _distinct(floor) if contains(there, element)]
    gone = [element for element in _distinct(there) if fingerprint(element) not in elements and known.get(fingerprint(element)) == OURS]
    if disk is ABSENT:
        made = bool(added)
    else:
        made = (policy.adopt and bool(desired)) or (entry is not None and entry.made)
    left = [element for element in there if not contains(floored + gone, element)]
    discarded = floored + [element for element in gone if not contains(floored, element)]
    emptied = disk is not ABSENT and not left and not added and entry is not None and entry.made
    if floored:
        outcome = "pinned"
    elif added or discarded or stays_out:
        outcome = "unioned"
    elif desired:
        outcome = "unchanged"
    elif entry is not None:
        outcome = "unioned" if emptied else "released"
    else:
        return None
    return UnionDecision(
        outcome,
        Union(made, elements) if elements else None,
        append=added,
        discard=[] if emptied else discarded,
        drop=emptied,
        stays_out=stays_out,
    )


class Plan:
    """What one run does to one surface.

    edits: for the format's editor. changes: (path, outcome) pairs. record, originals: what the ledger says from now
    on. hand_edited: paths where the person's choice was left. conflicts: paths that on_conflict=fail stops at.
    """

    __slots__ = ("edits", "changes", "record", "originals", "hand_edited", "conflicts", "value", "_start")

    def __init__(self, value, record, originals):
        self.edits = []
        self.changes = []
        self.record = record
        self.originals = originals
        self.hand_edited = []
        self.conflicts = []
        self.value = value
        self._start = value

    @property
    def changed(self):
        """Whether the surface's value becomes another one. Bookkeeping alone is not a change."""
        return bool(self.edits) and not same(self.value, self._start)

    def edit(self, *edits):
        self.edits.extend(edits)
        self.value = edited(self.value, edits)

    def report(self, path, outcome, conflict=False):
        self.changes.append((path, outcome))
        if outcome == "hand_edited":
            self.hand_edited.append(path)
        if conflict:
            self.conflicts.append(path)


def plan(desired, disk, record, originals, rules, policy, lost=False):
    """Return the Plan that brings a document to what is desired.

    desired: a table; {} and rules without pins to leave. disk: the document's table, ABSENT when there is no document
    (a reset: what the ledger says is forgotten, the originals are not). originals: path to the value that stood there
    before us. lost: the ledger was lost or corrupt: keep whatever is there, remove nothing.
    Raises ValueError when desired holds something else than a list for a shared list.
    """
    missing = disk is ABSENT
    if missing or lost:
        record = Record()
    if lost:
        policy = Policy("keep", policy.adopt, ())
    wanted, lists = leaves(desired, rules)
    wanted.update(rules.pins)
    result = Plan({} if missing else disk, Record(tables=record.tables), dict(originals))
    if not lost:
        _retire(result, rules)
    _take_leave(result, record, wanted)
    for path in sorted(set(record.unions) - set(lists)):
        _share(result, path, [], record.unions[path], rules, policy)
    _prune(result, set(wanted) | set(lists))
    for path, value in wanted.items():
        _want(result, path, value, record.entries.get(path), rules, policy, missing)
    for path in list(lists) + [path for path in rules.floors if path not in lists and path not in record.unions]:
        _share(result, path, lists.get(path, []), record.unions.get(path), rules, policy)
    result.record.tables = {path for path in result.record.tables if isinstance(at(result.value, path), dict)}
    if not lost:
        result.originals = {path: value for path, value in result.originals.items() if _is_recorded(result.record, path)}
    return result


def leaves(desired, rules):
    """Return (path to value, path to list) of a table: its values, and its shared lists.

    A null unsets and an empty table is no value, so neither is there. Raises ValueError for a shared list that is none.
    """
    values, lists = {}, {}
    for key, value in desired.items():
        _gather((key,), value, rules, values, lists)
    return values, lists


def _gather(path, value, rules, values, lists):
    if value is None:
        return
    if path in rules.unions:
        if not isinstance(value, list):
            raise ValueError("%s must be a list" % ".".join(path))
        lists[path] = value
    elif path in rules.whole or not isinstance(value, dict):
        values[path] = without_nulls(value)
    else:
        for key, inner in value.items():
            _gather(path + (key,), inner, rules, values, lists)


def without_nulls(value):
    """Return a value without the keys of its tables that are null: they mean "not set" and are never written."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    return value


def _retire(result, rules):
    for key in rules.retired:
        if isinstance(at(result.value, (key,)), dict):
            result.edit(drop((key,)))
            result.report((key,), "removed")


def _take_leave(result, record, wanted):
    """Give up what is recorded and no longer wanted."""
    for path in sorted(set(record.entries) - set(wanted)):
        decision = decide_leaf(ABSENT, at(result.value, path), record.entries[path], Policy())
        becomes_table = any(other[: len(path)] == path for other in wanted)
        if decision.remove:
            if path in result.originals and not becomes_table:
                result.edit(put(path, result.originals.pop(path)))
            else:
                result.edit(drop(path))
        elif not becomes_table:
            result.originals.pop(path, None)
        result.report(path, decision.outcome)


def _prune(result, wanted):
    """Remove the tables we made that are empty now, or put back what stood there before them."""
    for path in sorted(result.record.tables, key=len, reverse=True):
        if at(result.value, path) == {} and not any(len(other) > len(path) and other[: len(path)] == path for other in wanted):
            original = result.originals.pop(path, ABSENT)
            result.edit(drop(path) if original is ABSENT else put(path, original))


def _want(result, path, value, entry, rules, policy, missing):
    if _blocked(result.value, path):
        result.report(path, "foreign", policy.on_conflict == "fail")
        if entry is not None:
            result.record.entries[path] = entry
        return
    disk = at(result.value, path)
    decision = decide_leaf(value, disk, entry, policy, path in rules.pins and not missing, path in policy.reclaim)
    if decision.entry is not None:
        result.record.entries[path] = decision.entry
    if decision.save:
        # The first one ever met: what a later ledger loss makes look foreign may be our own value.
        result.originals.setdefault(path, disk)
    if policy.adopt and decision.outcome == "unchanged" and (entry is None or entry.state == SEEN):
        # Claimed as a whole: the tables on the way are ours too, should they be empty one day.
        result.record.tables.update(path[:length] for length in range(1, len(path)))
    if decision.write is not ABSENT:
        _note_tables(result, path)
        result.edit(put(path, decision.write))
    result.report(path, decision.outcome, decision.conflict)


def _share(result, path, desired, entry, rules, policy):
    if _blocked(result.value, path):
        if desired:
            result.report(path, "foreign", policy.on_conflict == "fail")
            if entry is not None:
                result.record.unions[path] = entry
        return
    disk = at(result.value, path)
    decision = decide_union(desired, disk, entry, policy, rules.floors.get(path, ()), path in policy.reclaim)
    if decision is None:
        return
    if decision.entry is not None:
        result.record.unions[path] = decision.entry
    if disk is ABSENT and decision.append:
        _note_tables(result, path)
        result.edit(put(path, decision.append))
    else:
        result.edit(*[discard(path, element) for element in decision.discard])
        result.edit(*[append(path, element) for element in decision.append])
    if decision.drop:
        result.edit(drop(path))
    result.report(path, decision.outcome, decision.conflict)
    if decision.stays_out:
        result.hand_edited.append(path)


def _blocked(value, path):
    """Return whether something that is no table stands on the way to a path."""
    return any(not isinstance(at(value, path[:length]), (dict, type(ABSENT))) for length in range(1, len(path)))


def _note_tables(result, path):
    """Remember the tables that a write to path makes."""
    for length in range(1, len(path)):
        if at(result.value, path[:length]) is ABSENT:
            result.record.tables.add(path[:length])


def _is_recorded(record, path):
    """Return whether a path, or a value below it (it became a table), is in the ledger."""
    return any(other[: len(path)] == path for other in record.entries)


def _distinct(elements):
    seen = set()
    return [element for element in elements if not (canonical(element) in seen or seen.add(canonical(element)))]
