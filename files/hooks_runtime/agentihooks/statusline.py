# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status line of Copilot CLI: what the session costs, and what this machine's sessions run with.

The CLI runs it at every turn of its screen with the session's state as JSON on stdin (measured on 1.0.80 and 1.0.102) and
shows what it prints. Whatever comes in, it prints at least its own line and ends with 0.
"""

from __future__ import annotations

import json
import os
import select

from agentihooks import channels, policy as policy_file

MAX_INPUT = 1 << 20  # bytes
WAIT = 1.0  # seconds for the input
CELLS = 10
WARN, CRITICAL = 60, 80  # percent of the context window
_GREEN, _YELLOW, _RED, _PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"


def main(argument, environ):
    """Print the status line for the session on stdin. Returns 0."""
    data_directory = policy_file.data_directory()
    policy = policy_file.load(os.path.join(data_directory, "policy.json"))
    try:
        session = json.loads(_stdin().decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        session = None
    text = "\n".join(lines(session, policy, channels.heard(data_directory, environ), environ)) + "\n"
    try:
        os.write(1, text.encode("utf-8", "replace"))
    except OSError:
        pass  # nobody looks
    return 0


def lines(session, policy, heard, environ):
    """Return the lines to show. session: as the CLI gave it; anything that is not in form is left out. heard: the channels."""
    first = [part for part in (_model(session), _context(session, environ), _cost(session), _time(session), _changes(session)) if part]
    return ([" | ".join(first)] if first else []) + [own_line(policy, heard)]


def own_line(policy, heard):
    """Return "agentihooks: CHAIN  settings:CHAIN  channels:LIST", lists with commas."""
    lists = (policy["chain"], policy["settings_chain"] or policy["chain"], heard)
    return "agentihooks: %s  settings:%s  channels:%s" % tuple(",".join(map(_plain, names)) for names in lists)


def _stdin():
    poll = select.poll()
    poll.register(0, select.POLLIN | select.POLLHUP)
    chunks, size = [], 0
    while size <= MAX_INPUT and poll.poll(WAIT * 1000):
        chunk = os.read(0, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _model(session):
    return _plain(_at(session, "model", "display_name") or _at(session, "model", "id") or "")


def _context(session, environ):
    percent = _number(session, "context_window", "current_context_used_percentage")
    if percent is None:
        percent = _number(session, "context_window", "used_percentage")
    if percent is None:
        return ""
    full = min(CELLS, max(0, int(percent * CELLS / 100)))
    cells = "\u2588" * full + "\u2591" * (CELLS - full)
    if not environ.get("NO_COLOR"):
        cells = (_GREEN if percent < WARN else _YELLOW if percent < CRITICAL else _RED) + cells + _PLAIN
    used = _number(session, "context_window", "current_context_tokens")
    size = _number(session, "context_window", "displayed_context_limit") or _number(session, "context_window", "context_window_size")
    tokens = " (%s of %s)" % (_short(used), _short(size)) if used is not None and size else ""
    return "%s %d%%%s" % (cells, percent, tokens)


def _cost(session):
    requests = _number(session, "cost", "total_premium_requests")
    credits = _at(session, "ai_used", "formatted")
    parts = [] if requests is None else ["%g premium request%s" % (requests, "" if requests == 1 else "s")]
    if isinstance(credits, str) and credits not in ("", "0"):
        parts.append("%s AI units" % _plain(credits))
    return ", ".join(parts)


def _time(session):
    milliseconds = _number(session, "cost", "total_duration_ms")
    if milliseconds is None:
        return ""
    seconds = int(milliseconds / 1000)
    return "%ds" % seconds if seconds < 60 else "%dm" % (seconds // 60) if seconds < 3600 else "%dh%02dm" % (seconds // 3600, seconds % 3600 // 60)


def _changes(session):
    added, removed = _number(session, "cost", "total_lines_added"), _number(session, "cost", "total_lines_removed")
    return "+%d -%d" % (added or 0, removed or 0) if added or removed else ""


def _at(value, *keys):
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _number(session, *keys):
    """Return a number that is one and can be shown, else None."""
    value = _at(session, *keys)
    return value if type(value) in (int, float) and 0 <= value < 1e15 else None


def _short(number):
    return "%dk" % (number / 1000) if number >= 1000 else "%d" % number


def _plain(text):
    """Return text that moves no cursor and fits the line."""
    return "".join(character for character in text if character.isprintable())[:80] if isinstance(text, str) else ""
