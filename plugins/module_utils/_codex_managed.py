# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: hooks that the system, not a person, has registered with Codex: /etc/codex/requirements.toml.

They need no trust, and no setting of a person's switches them off (measured on 0.142.3, 0.154.0 and 0.171.0). They hold for every
account of the machine, so the command looks for the account's own wrapper.
"""

from __future__ import annotations

import shlex

from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_trust, _files, _hooks_file, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._host import WRAPPER
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, append, at, discard, drop, put, same
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import CODEX_REGISTERED, DECIDING

DIRECTORY = "/etc/codex"
NAME = "requirements.toml"
FILE = DIRECTORY + "/" + NAME
LEDGER = ".agentihooks-managed.json"

# Run by the account's shell, whatever that is; so all of it is the argument of /bin/sh. An account that we do not manage has
# neither wrapper nor ledger, and is let through. One that has lost its wrapper is not, where a call is decided.
_FIND = 'h="${CODEX_HOME:-$HOME/.codex}"; [ ! -x "$h/%s" ] || exec "$h/%s"; ' % (WRAPPER, WRAPPER)
_LET_GO = "cat >/dev/null; exit 0"
_REFUSE = (
    'cat >/dev/null; [ -e "$h/%s" ] || exit 0; '
    'echo "agentihooks [runtime.broken]: the wrapper $h/%s is gone, so the call was not judged and is denied. '
    'Repair: run the playbook agentihooks.fleet.site for this host." >&2; exit 2' % (LEDGER, WRAPPER)
)


def command(event):
    """Return the command that is registered for an event."""
    return "exec /bin/sh -c %s" % shlex.quote(_FIND + (_REFUSE if event in DECIDING else _LET_GO))


def group(event):
    """Return the group that is registered for an event."""
    found = _hooks_file.Codex("/", "/").entry(event)
    found["hooks"][0]["command"] = command(event)
    return found


def is_ours(item):
    """Return whether a group runs an account's wrapper."""
    handlers = item.get("hooks") if isinstance(item, dict) else None
    return isinstance(handlers, list) and any(isinstance(each, dict) and "/%s" % WRAPPER in str(each.get("command")) for each in handlers)


def plan(value, present):
    """Return (edits, changes) that make the requirements hold our groups, or none of them. value: their table, ABSENT for none."""
    edits, changes = [], []
    if present and at(value, ("features", "hooks")) is not True:
        edits.append(put(("features", "hooks"), True))
        changes.append((("features", "hooks"), "created" if at(value, ("features", "hooks")) is ABSENT else "pinned"))
    for event in CODEX_REGISTERED:
        path = ("hooks", event)
        there = at(value, path)
        groups = there if isinstance(there, list) else []
        ours = [item for item in groups if is_ours(item)]
        wanted = [group(event)] if present else []
        if same(ours, wanted):
            continue
        if ours and len(ours) == len(groups):
            edits.append(drop(path))
            groups = []
        else:
            edits.extend(discard(path, item) for item in ours)
        if present:
            edits.append(append(path, wanted[0]) if groups else put(path, wanted))
        changes.append((path, "removed" if not present else "pinned" if ours else "created"))
    return edits, changes


def statuses(value, events):
    """Return {event: MANAGED or UNTRUSTED}."""
    there = {event: [item for item in at(value, ("hooks", event)) or [] if is_ours(item)] for event in events} if value is not ABSENT else {}
    return {event: _codex_trust.MANAGED if there.get(event) else _codex_trust.UNTRUSTED for event in events}


def read(path=FILE):
    """Return the table of the requirements, ABSENT for no file or one that cannot be read; this only looks."""
    try:
        snapshot = _files.read(path, foreign_owner_ok=True, unreadable_ok=True)
        return _toml.parse(snapshot.data).value if snapshot.exists and snapshot.data is not None else ABSENT
    except (_files.SurfaceError, _toml.FormatError):
        return ABSENT
