# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the CLIs say how a call ended, where they say it in a text. Pure."""

from __future__ import annotations

import re

# Copilot's own last line under a command (measured on 1.0.80 to 1.0.102).
COPILOT_EXIT = r"<shellId: [^>\n]{1,40} completed with exit code (\d{1,3})>\s*\Z"
MAX_TEXT = 20000  # characters of an error that are looked at
# What stands in an error that is a refusal: our own texts, and the CLI's words for a hook's or a person's no.
_REFUSALS = ("agentihooks [", "denied by", "rejected by", "blocked by", "could not request permission")


def is_refusal(text):
    """Return whether an error's text says that the call was not let through, which is no failure of the tool."""
    lowered = text[:MAX_TEXT].lower()
    return any(word in lowered for word in _REFUSALS)


def copilot_exit(text):
    """Return the match of Copilot's last line under a command, group 1 the exit code; None when there is none."""
    return re.search(COPILOT_EXIT, text[-200:])
