# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the ownership rule for MCP servers. Pure.

Inside a server of ours each value is owned by itself, as in settings: what the CLI or the person adds there (a saved
approval, a disabled flag) stays theirs. But a server is nothing by halves, so one that is the person's, and one that
the person removed, is left as a whole: no value is added to it.
"""

from __future__ import annotations

from ansible_collections.agentihooks.fleet.plugins.module_utils import _mcp
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, Policy, Record, Rules, leaves, plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at, fingerprint, same


class Table:
    """Where a CLI has its servers. key: of their table. barred: function from an entry to the keys that its transport cannot have.

    rigid: whether one misfit stops the CLI, so that a server of ours whose transport changes is held while somebody else's value
    of the old one stands in it.
    """

    __slots__ = ("key", "barred", "rigid")

    def __init__(self, key, barred, rigid=False):
        self.key = key
        self.barred = barred
        self.rigid = rigid

    def misfits(self, entry):
        """Return the keys of an entry that do not fit its transport."""
        return [key for key in self.barred(entry) if key in entry] if isinstance(entry, dict) else []


COPILOT = Table("mcpServers", _mcp.copilot_barred)
CODEX = Table("mcp_servers", _mcp.codex_barred, rigid=True)


def planner(table):
    """Return what _document.converge() plans with: plan_servers() for that table."""

    def planned(desired, disk, record, originals, rules, policy, lost=False):
        return plan_servers(table, desired, disk, record, originals, rules, policy, lost)

    return planned


def plan_servers(table, desired, disk, record, originals, rules, policy, lost=False):
    """Return the Plan, like _ownership.plan, with the servers that are not to be touched kept out of it.

    A reclaimed server is all its values reclaimed.
    """
    held = {} if disk is ABSENT else _held(table, desired, disk, record, rules, policy, lost)
    wanted = {name: entry for name, entry in desired.get(table.key, {}).items() if name not in held}
    kept = {path for path in record.entries if path[1:2] and path[1] in held}
    rest = Record(
        {path: entry for path, entry in record.entries.items() if path not in kept},
        record.unions,
        # With all its servers held the table stays, even if it is empty now.
        record.tables - {(table.key,)} if held and not wanted else record.tables,
    )
    values, _lists = leaves({table.key: wanted}, rules)
    reclaim = [path for path in values if path in policy.reclaim or path[:2] in policy.reclaim]
    result = plan({table.key: wanted} if wanted else {}, disk, rest, originals, rules, Policy(policy.on_conflict, policy.adopt, reclaim), lost)
    result.record.entries.update({path: record.entries[path] for path in kept})
    if held:
        result.record.tables |= {path for path in record.tables if path == (table.key,) or path[1] in held}
    result.originals.update({path: originals[path] for path in kept if path in originals})
    for name, outcome in held.items():
        result.report((table.key, name), outcome, outcome == "foreign" and policy.on_conflict == "fail")
    return result


def leftovers(table, value, names):
    """Return [(name, keys)] of those servers whose transport changed while somebody else's values of the old one stayed."""
    found = [(name, table.misfits(at(value, (table.key, name)))) for name in names]
    return [(name, keys) for name, keys in found if keys]


def configured(table, value):
    """Return the names of all servers in the file, ours and the person's."""
    servers = at(value, (table.key,))
    return sorted(servers) if isinstance(servers, dict) else []


def _held(table, desired, disk, record, rules, policy, lost):
    """Return name to outcome of the wanted servers that are left alone."""
    held = {}
    for name, entry in desired.get(table.key, {}).items():
        path = (table.key, name)
        there = at(disk, path)
        known = [] if lost else [inner for inner in record.entries if inner[:2] == path]
        ours = any(record.entries[inner].state == OURS for inner in known)
        if there is ABSENT:
            if known and path not in policy.reclaim:
                held[name] = "hand_edited"
        elif not ours and not _holds(table, there, path, entry, rules) and not _may_take_over(policy, known, lost):
            held[name] = "foreign"
        elif ours and table.rigid and _is_stuck(table, there, path, entry, record):
            held[name] = "hand_edited"
    return held


def _is_stuck(table, there, path, entry, record):
    """Return whether a server has a value that is not ours, as we wrote it, and would not fit the wanted transport."""
    stale = {key: there[key] for key in table.barred(entry) if isinstance(there, dict) and key in there}
    old, _lists = leaves(stale, Rules())
    return any(not _is_ours(record.entries.get(path + inner), value) for inner, value in old.items())


def _is_ours(entry, value):
    return entry is not None and entry.state == OURS and entry.sha256 == fingerprint(value)


def _holds(table, there, path, entry, rules):
    """Return whether a server on disk already has every wanted value, and no value of another transport."""
    values, _lists = leaves({table.key: {path[1]: entry}}, rules)
    return not table.misfits(there) and all(same(at(there, inner[2:]), value) for inner, value in values.items())


def _may_take_over(policy, known, lost):
    return not lost and (policy.on_conflict == "overwrite" or (policy.adopt and bool(known)))
