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
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, Policy, Record, leaves, plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at, same

SERVERS = "mcpServers"


def plan_servers(desired, disk, record, originals, rules, policy, lost=False):
    """Return the Plan, like _ownership.plan, with the servers that are not to be touched kept out of it.

    A reclaimed server is all its values reclaimed.
    """
    held = {} if disk is ABSENT else _held(desired, disk, record, rules, policy, lost)
    wanted = {name: entry for name, entry in desired.get(SERVERS, {}).items() if name not in held}
    kept = {path for path in record.entries if path[1:2] and path[1] in held}
    rest = Record(
        {path: entry for path, entry in record.entries.items() if path not in kept},
        record.unions,
        # With all its servers held the table stays, even if it is empty now.
        record.tables - {(SERVERS,)} if held and not wanted else record.tables,
    )
    values, _lists = leaves({SERVERS: wanted}, rules)
    reclaim = [path for path in values if path in policy.reclaim or path[:2] in policy.reclaim]
    result = plan({SERVERS: wanted} if wanted else {}, disk, rest, originals, rules, Policy(policy.on_conflict, policy.adopt, reclaim), lost)
    result.record.entries.update({path: record.entries[path] for path in kept})
    if held:
        result.record.tables |= {path for path in record.tables if path == (SERVERS,) or path[1] in held}
    result.originals.update({path: originals[path] for path in kept if path in originals})
    for name, outcome in held.items():
        result.report((SERVERS, name), outcome, outcome == "foreign" and policy.on_conflict == "fail")
    return result


def leftovers(value, names):
    """Return [(name, keys)] of those servers whose transport changed while somebody else's values of the old one stayed."""
    found = [(name, _mcp.misfits(at(value, (SERVERS, name)))) for name in names]
    return [(name, keys) for name, keys in found if keys]


def configured(value):
    """Return the names of all servers in the file, ours and the person's."""
    servers = at(value, (SERVERS,))
    return sorted(servers) if isinstance(servers, dict) else []


def _held(desired, disk, record, rules, policy, lost):
    """Return name to outcome of the wanted servers that are left alone."""
    held = {}
    for name, entry in desired.get(SERVERS, {}).items():
        path = (SERVERS, name)
        there = at(disk, path)
        known = [] if lost else [inner for inner in record.entries if inner[:2] == path]
        ours = any(record.entries[inner].state == OURS for inner in known)
        if there is ABSENT:
            if known and path not in policy.reclaim:
                held[name] = "hand_edited"
        elif not ours and not _holds(there, path, entry, rules) and not _may_take_over(policy, known, lost):
            held[name] = "foreign"
    return held


def _holds(there, path, entry, rules):
    """Return whether a server on disk already has every wanted value, and no value of another transport."""
    values, _lists = leaves({SERVERS: {path[1]: entry}}, rules)
    return not _mcp.misfits(there) and all(same(at(there, inner[2:]), value) for inner, value in values.items())


def _may_take_over(policy, known, lost):
    return not lost and (policy.on_conflict == "overwrite" or (policy.adopt and bool(known)))
