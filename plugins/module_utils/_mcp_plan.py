# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the ownership rule for MCP servers. Pure.

Inside a server of ours each value is owned by itself, as in settings: what the CLI or the person adds there (a saved
approval, a disabled flag) stays theirs. A server of the person's is left as a whole (_group_plan).
"""

from __future__ import annotations

from ansible_collections.agentihooks.fleet.plugins.module_utils import _group_plan, _mcp
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, Rules, leaves
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import at, fingerprint


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
    """Return what _document.converge() plans with: _group_plan.plan_groups() for that table."""

    def fits(there):
        return not table.misfits(there)

    def stuck(path, entry, there, record):
        return table.rigid and _is_stuck(table, there, path, entry, record)

    def planned(desired, disk, record, originals, rules, policy, lost=False):
        return _group_plan.plan_groups(desired, disk, record, originals, rules, policy, lost, depth=2, fits=fits, stuck=stuck)

    return planned


def leftovers(table, value, names):
    """Return [(name, keys)] of those servers whose transport changed while somebody else's values of the old one stayed."""
    found = [(name, table.misfits(at(value, (table.key, name)))) for name in names]
    return [(name, keys) for name, keys in found if keys]


def configured(table, value):
    """Return the names of all servers in the file, ours and the person's."""
    servers = at(value, (table.key,))
    return sorted(servers) if isinstance(servers, dict) else []


def _is_stuck(table, there, path, entry, record):
    """Return whether a server has a value that is not ours, as we wrote it, and would not fit the wanted transport."""
    stale = {key: there[key] for key in table.barred(entry) if isinstance(there, dict) and key in there}
    old, _lists = leaves(stale, Rules())
    return any(not _is_ours(record.entries.get(path + inner), value) for inner, value in old.items())


def _is_ours(entry, value):
    return entry is not None and entry.state == OURS and entry.sha256 == fingerprint(value)
