# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules as they are now, for sessions that began with older ones: each of the named sessions gets them once, with its next prompt.

The command "agentihooks refresh-rules" names the sessions, in <data directory>/refresh/sessions.json (0600); a day later the file
counts no more. What is told is read when it is told: the CLI's instructions file, which it reads at the start of a session only,
and what the project bridge brings, also where the CLI read the rules itself.
"""

from __future__ import annotations

import json
import os

from agentihooks import private_file, repository
from agentihooks.config_homes import config_home
from agentihooks.context_text import clean, cut, framed
from agentihooks.targets import TARGETS

DIRECTORY = "refresh"
FILE = "sessions.json"
MAX_AGE = 86400  # seconds
MAX_SESSIONS = 500
MAX_BYTES = 1 << 17
LOCK_SECONDS = 2.0
_CUT = "\n[agentihooks: cut here, at the limit of %d bytes]"
_TITLE = "The instructions of this machine as they are now. They take the place of those that this session began with."


def publish(data_directory, sessions, now):
    """Name the sessions that are to get the rules. now: seconds (epoch). Raises OSError."""
    record = {"id": "%x" % now, "expires": now + MAX_AGE, "sessions": [text[:200] for text in sessions[:MAX_SESSIONS]]}
    with private_file.Locked(os.path.join(data_directory, DIRECTORY), LOCK_SECONDS) as locked:
        locked.replace(FILE, json.dumps(record).encode("ascii"))


def clear(data_directory):
    """Name no session any more. Returns whether there was anything to take back. Raises OSError."""
    try:
        os.unlink(os.path.join(data_directory, DIRECTORY, FILE))
    except FileNotFoundError:
        return False
    return True


def due(data_directory, session_id, now):
    """Return the id of the refresh that a session is named in, "" for none. Never raises."""
    try:
        record = json.loads(private_file.read(os.path.join(data_directory, DIRECTORY, FILE), MAX_BYTES).decode("utf-8"))
        if now < record["expires"] <= now + MAX_AGE and session_id in record["sessions"] and isinstance(record["id"], str):
            return record["id"][:20]
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return ""


def text(event, home, policy, environ):
    """Return the rules as they are now, "" for none. Never raises."""
    budget = policy["project_bridge_max_bytes"]
    place = os.path.join(config_home(event.target, home, environ), TARGETS[event.target].instructions)
    real = os.path.realpath(place)  # a link of the person's own is followed
    data = repository.read(os.path.dirname(real), os.path.basename(real), budget + 1)
    parts = []
    body = clean(data.decode("utf-8", "replace")).strip()
    if body:
        parts.append(framed("instructions", _TITLE, cut(body, budget, _CUT % budget, len(data) > budget)))
    root = repository.root(event.cwd, home) if policy["project_bridge"] else ""
    if root and repository.is_trusted(event.target, event.cwd, root, home, environ):
        from agentihooks import project_bridge

        parts.append(project_bridge.text(event.cwd, root, home, False, budget))
    return "\n\n".join(part for part in parts if part)
