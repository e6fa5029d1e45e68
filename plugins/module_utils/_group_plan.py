# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the ownership rule for values that make sense only together (an MCP server, a skill). Pure.

Inside a group of ours each value is owned by itself. But a group is nothing by halves, so one that is the person's, and
one that the person removed, is left as a whole: no value is added to it.
"""

from __future__ import annotations

from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, Policy, Record, leaves, plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at, same


def plan_groups(desired, disk, record, originals, rules, policy, lost=False, depth=1, fits=None, stuck=None):
    """Return the Plan, like _ownership.plan, with the groups that are not to be touched kept out of it.

    depth: how many keys lead to a group. fits: function from a group on disk to whether nothing in it speaks against its
    being as wanted; None for no such test. stuck: function from (path, group, what is there, record) to whether a group of
    ours cannot become what is wanted while the person's values in it stay. A reclaimed group is all its values reclaimed.
    """
    groups = _groups(desired, depth)
    held = {} if disk is ABSENT else _held(groups, disk, record, rules, policy, lost, fits, stuck)
    wanted = _without(desired, held)
    kept = {path for path in record.entries if path[:depth] in held}
    rest = Record({path: entry for path, entry in record.entries.items() if path not in kept}, record.unions, record.tables)
    if held and not _groups(wanted, depth):
        # With all of them held the tables on the way stay, even if they are empty now.
        rest.tables -= {path for path in record.tables if len(path) < depth}
    values, _lists = leaves(wanted, rules)
    reclaim = [path for path in values if path in policy.reclaim or path[:depth] in policy.reclaim]
    result = plan(wanted, disk, rest, originals, rules, Policy(policy.on_conflict, policy.adopt, reclaim), lost)
    result.record.entries.update({path: record.entries[path] for path in kept})
    if held:
        result.record.tables |= {path for path in record.tables if len(path) < depth or path[:depth] in held}
    result.originals.update({path: originals[path] for path in kept if path in originals})
    for path, outcome in held.items():
        result.report(path, outcome, outcome == "foreign" and policy.on_conflict == "fail")
    return result


def _groups(desired, depth):
    """Return path to what is wanted there, of each group."""
    found = {(): desired}
    for _step in range(depth):
        found = {path + (key,): inner for path, table in found.items() for key, inner in table.items()}
    return found


def _without(desired, held):
    """Return what is wanted without the groups that are held, and without tables that are empty then."""
    result = {}
    for key, inner in desired.items():
        if (key,) in held:
            continue
        below = {path[1:]: outcome for path, outcome in held.items() if path[0] == key}
        left = _without(inner, below) if below else inner
        if left or not below:
            result[key] = left
    return result


def _held(groups, disk, record, rules, policy, lost, fits, stuck):
    """Return path to outcome of the wanted groups that are left alone."""
    held = {}
    for path, group in groups.items():
        there = at(disk, path)
        known = [] if lost else [inner for inner in record.entries if inner[: len(path)] == path]
        # One that we made, with nothing but empty tables in it, is what a killed run leaves.
        ours = any(record.entries[inner].state == OURS for inner in known) or (_is_hollow(there) and path in record.tables and not lost)
        if there is ABSENT:
            if known and path not in policy.reclaim:
                held[path] = "hand_edited"
        elif not ours and not _holds(there, path, group, rules, fits) and not _may_take_over(policy, known, lost):
            held[path] = "foreign"
        elif ours and stuck is not None and stuck(path, group, there, record):
            held[path] = "hand_edited"
    return held


def _is_hollow(value):
    return isinstance(value, dict) and all(map(_is_hollow, value.values()))


def _holds(there, path, group, rules, fits):
    """Return whether a group on disk already has every wanted value, and nothing that speaks against it."""
    values, _lists = leaves(_below(path, group), rules)
    return (fits is None or fits(there)) and all(same(at(there, inner[len(path):]), value) for inner, value in values.items())


def _below(path, value):
    for key in reversed(path):
        value = {key: value}
    return value


def _may_take_over(policy, known, lost):
    return not lost and (policy.on_conflict == "overwrite" or (policy.adopt and bool(known)))
