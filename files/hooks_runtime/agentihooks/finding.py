# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the doctor finds: a row for each check, and how much it matters. Pure.

The collection's plugins read the same file (plugins/module_utils/_finding.py is a link to it), so it imports nothing.
"""

from __future__ import annotations

OK = "ok"  # as it should be
INFO = "info"  # worth knowing, nothing to do
WARNING = "warning"  # not as it was wanted; the guards work
CRITICAL = "critical"  # a guard does not work, or may be switched off
# The least first.
LEVELS = (OK, INFO, WARNING, CRITICAL)
SITE = "Run the playbook agentihooks.fleet.site for this host."


def row(target, check, level, what, way_out="", places=()):
    """Return a row. target: "copilot", "codex" or "" for what they share. way_out: what to do. places: {"place", "outcome"} of each key or file."""
    return {"target": target, "check": check, "level": level, "what": what, "way_out": way_out, "places": list(places)}


def reaches(level, limit):
    """Return whether a level is that of limit or worse."""
    return LEVELS.index(level) >= LEVELS.index(limit)


def worst(rows):
    """Return the worst level among rows, OK for none."""
    return max((each["level"] for each in rows), key=LEVELS.index, default=OK)
