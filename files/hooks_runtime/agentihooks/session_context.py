# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text a session starts with, delivered exactly once, with its first prompt.

Not at sessionStart: Copilot raises it after the prompt's event up to 1.0.92 and before it at 1.0.102, some versions skip it,
and text added there is gone when a session is resumed (measured at 1.0.102). Text added to a prompt is stored with it.
"""

from __future__ import annotations

from agentihooks.event import Inject
from agentihooks.session_state import Session

EVENTS = ("UserPromptSubmit",)
_ITEM = "session_context"


def outcomes(event, policy, data_directory):
    """Return [Inject] when this session has not had its text yet, else []."""
    text = policy["session_context"]
    if not text:
        return []
    try:
        fresh = Session(data_directory, event.session_id).once(_ITEM)
    except OSError:
        fresh = True  # nothing can be remembered here: rather twice than never
    return [Inject(text)] if fresh else []
