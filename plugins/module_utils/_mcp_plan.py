# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the ownership rule for MCP servers. Pure.

Inside a server of ours each value is owned by itself, as in settings: what the CLI or the person adds there (a saved
approval, a disabled flag) stays theirs. A server of the person's is left as a whole (_group_plan).
"""

from __future__ import annotations

from ansible_collections.agentihooks.fleet.plugins.module_utils import _group_plan, _mcp
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import at

SERVERS = "mcpServers"


def plan_servers(desired, disk, record, originals, rules, policy, lost=False):
    """Return the Plan, see _group_plan.plan_groups."""
    return _group_plan.plan_groups(desired, disk, record, originals, rules, policy, lost, depth=2, fits=lambda there: not _mcp.misfits(there))


def leftovers(value, names):
    """Return [(name, keys)] of those servers whose transport changed while somebody else's values of the old one stayed."""
    found = [(name, _mcp.misfits(at(value, (SERVERS, name)))) for name in names]
    return [(name, keys) for name, keys in found if keys]


def configured(value):
    """Return the names of all servers in the file, ours and the person's."""
    servers = at(value, (SERVERS,))
    return sorted(servers) if isinstance(servers, dict) else []
