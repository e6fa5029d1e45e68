# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text for Codex in pieces that it takes whole.

Of what one hook adds, Codex cuts the middle out beyond 2,500 tokens (about 10,000 bytes), unless the hook is registered with
additionalContextLimit 0, which 0.142.3 does not know and 0.154.0 does. So what is too long goes with the next event that can
carry it: of the first prompt, SessionStart and then UserPromptSubmit.
"""

from __future__ import annotations

import os
import re
import stat

from agentihooks.event import Inject
from agentihooks.session_state import Session
from agentihooks.vocabulary import CODEX_CONTEXT_LIMIT_SINCE, CODEX_WHOLE_CONTEXT

PIECE = 9500  # bytes
MAX_CARRIED = 40000  # bytes; what is longer goes at once: Codex cuts it, and tells the model the file that has all of it
_SECTION = "carried"
_VERSION = re.compile(rb'"cli_version"\s*:\s*"(\d+)\.(\d+)\.(\d+)')
_HEAD = 1 << 17  # bytes of a session file that are searched


def fitted(event, outcomes, data_directory):
    """Return the outcomes with as much text as Codex takes whole with this event; the rest is kept for the next one.

    Without a state that can be kept, the outcomes as they are.
    """
    texts = [item.text for item in outcomes if isinstance(item, Inject) and item.text]
    session = Session(data_directory, event.session_id)
    try:
        waiting = session.may_hold(_SECTION) and session.get(_SECTION).get("text")
        if not waiting and len("\n\n".join(texts).encode("utf-8", "replace")) <= PIECE:
            return outcomes
        now = []

        def take(section):
            carried = section.get("text")
            parts = [carried] if isinstance(carried, str) and carried else []
            piece, rest = divided("\n\n".join(parts + texts), _takes_all(event))
            now.append(piece)
            return {"text": rest} if rest or parts else None

        session.update(_SECTION, take)
    except OSError:
        return outcomes
    return [item for item in outcomes if not isinstance(item, Inject)] + ([Inject(now[0])] if now and now[0] else [])


def divided(text, whole=False):
    """Return (what is handed over now, what waits). whole: whether this event takes any length. Cut between lines, else words."""
    data = text.encode("utf-8", "replace")
    if whole or len(data) <= PIECE or len(data) - PIECE > MAX_CARRIED:
        return text, ""
    head = data[:PIECE].decode("utf-8", "ignore")
    for mark in ("\n", " "):
        end = head.rfind(mark)
        if end >= len(head) // 2:
            return head[:end], text[end + 1 :]
    return head, text[len(head) :]


def _takes_all(event):
    return event.name in CODEX_WHOLE_CONTEXT and _version(event.raw.get("transcript_path")) >= CODEX_CONTEXT_LIMIT_SINCE


def _version(path):
    """Return the version of the running Codex as three numbers, from its session file; zeros when it cannot be told."""
    if not isinstance(path, str):
        return (0, 0, 0)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            head = os.read(descriptor, _HEAD) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return (0, 0, 0)
    found = _VERSION.search(head)
    return tuple(int(number) for number in found.groups()) if found else (0, 0, 0)
