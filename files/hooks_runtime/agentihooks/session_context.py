# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text a session starts with, delivered exactly once.

Copilot 1.0.92 and older raise the prompt's event before sessionStart, 1.0.102 after it, and some versions have skipped
sessionStart or raised it once per prompt: so whichever of the two comes first delivers, and a session's file remembers it.
"""

from __future__ import annotations

import os

from agentihooks import session_state
from agentihooks.event import Inject

EVENTS = ("SessionStart", "UserPromptSubmit")
_ITEM = "session_context"


def outcomes(event, policy, data_directory):
    """Return [Inject] when this session has not had its text yet, else []."""
    text = policy["session_context"]
    if not text:
        return []
    try:
        fresh = session_state.once(os.path.join(data_directory, "state"), event.session_id, _ITEM)
    except OSError:
        fresh = event.name == "SessionStart"  # nothing can be remembered here: rely on the event that comes once
    return [Inject(text)] if fresh else []
