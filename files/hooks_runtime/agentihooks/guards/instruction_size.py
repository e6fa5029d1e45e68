# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instruction files (CLAUDE.md, AGENTS.md, copilot-instructions.md): every session reads them whole, so they stay short."""

from __future__ import annotations

from agentihooks.file_writes import base_name, writes
from agentihooks.rules import Rule, by_id

NAMES = ("claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "copilot-instructions.md")
_LONG = "".join("line %d\n" % number for number in range(201))
_SHORT = "".join("line %d\n" % number for number in range(200))

RULES = by_id(
    Rule("instructions.size", "this makes %s.",
         "Keep what every session needs; move the rest into a document of its own or a skill and name that. Shortening the file is always allowed.",
         {"tool": "create", "args": {"path": "AGENTS.md", "file_text": _LONG}}, {"tool": "create", "args": {"path": "AGENTS.md", "file_text": _SHORT}}),
)  # fmt: skip


def check(event, context):
    """Return the Denies for the calls of one event."""
    limit = context.policy.get("instructions_max_lines", 0)
    found = []
    for call in event.calls if limit else ():
        for write in writes(call, event.cwd, context, lambda name: name.lower() in NAMES):
            lines = _lines_after(write)
            if lines > limit and lines > count(write.before or ""):
                found.append(RULES["instructions.size"].deny("%s %d lines long (at most %d)" % (base_name(write.path), lines, limit)))
                break
    return found


def count(text):
    """Return the number of lines of a text; the last one may lack its line end."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def _lines_after(write):
    """Return how many lines the file has then; where the result cannot be told, by what is put in and taken out."""
    if write.after is not None:
        return count(write.after)
    if write.before is None:
        return 0  # a change of a file that is not there fails by itself
    return count(write.before) - count(write.removed) + count(write.added) if write.removed else 0
