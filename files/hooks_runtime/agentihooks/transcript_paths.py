# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the log of a session lies. An id comes from outside: one that could be a path, or leads elsewhere, finds nothing."""

from __future__ import annotations

import os
import re
import stat

from agentihooks.config_homes import config_home

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}\Z")
_ROLLOUT = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+)\.jsonl\Z", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,4}\Z")


def find(session_id, environ, home):
    """Return the log of a session of either CLI, "" when there is none. Never raises."""
    copilot, codex = (config_home(target, home, environ) for target in ("copilot", "codex"))
    return copilot_events_path(session_id, copilot) or codex_rollout_path(session_id, codex)


def copilot_events_path(session_id, copilot_home):
    """Return <copilot_home>/session-state/<session_id>/events.jsonl, "" when it is not there or leads out of there. Never raises."""
    if not isinstance(session_id, str) or not _ID.match(session_id):
        return ""
    return _plain(os.path.join(copilot_home, "session-state"), session_id, "events.jsonl")


def codex_rollout_path(session_id, codex_home):
    """Return the rollout of a thread, <codex_home>/sessions/YYYY/MM/DD/rollout-<time>-<session_id>.jsonl, the newest of several.

    "" when there is none or it leads out of there. Never raises.
    """
    if not isinstance(session_id, str) or not _ID.match(session_id):
        return ""
    root = os.path.join(codex_home, "sessions")
    for year in _numbered(root):
        for month in _numbered(os.path.join(root, year)):
            for day in _numbered(os.path.join(root, year, month)):
                for name in sorted(_names(os.path.join(root, year, month, day)), reverse=True):
                    match = _ROLLOUT.match(name)
                    if match and match.group(1) == session_id:
                        return _plain(root, year, month, day, name)
    return ""


def _plain(root, *parts):
    """Return the path below root when a plain file is there, and no link on the way below root; else ""."""
    path = os.path.join(root, *parts)
    try:
        real = os.path.realpath(path) == os.path.join(os.path.realpath(root), *parts)
        return path if real and stat.S_ISREG(os.lstat(path).st_mode) else ""
    except (OSError, ValueError):
        return ""


def _numbered(directory):
    """Return the names of years, months or days in a directory, the newest first."""
    return sorted(filter(_DIGITS.match, _names(directory)), reverse=True)


def _names(directory):
    try:
        return os.listdir(directory)
    except (OSError, ValueError):
        return []
