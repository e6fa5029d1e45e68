# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which version of the CLI is calling, read from the session's own log: an installer's memory would be out of date."""

from __future__ import annotations

import json
import os

MAX_LINE = 1 << 16


def copilot(session_id, home, environ):
    """Return the version that wrote the session's log ("1.0.102"), "" when there is none to read. Never raises."""
    if not session_id or session_id.startswith(".") or len(session_id) > 128:
        return ""
    if not all(character.isalnum() or character in "._-" for character in session_id):
        return ""
    root = environ.get("COPILOT_HOME") or os.path.join(home, ".copilot")
    path = os.path.join(root, "session-state", session_id, "events.jsonl")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            line = os.read(descriptor, MAX_LINE).split(b"\n", 1)[0]
        finally:
            os.close(descriptor)
        version = json.loads(line.decode("utf-8"))["data"]["copilotVersion"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return version if isinstance(version, str) else ""
