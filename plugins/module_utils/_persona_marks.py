# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the two lines between which a persona is ours, in copilot-instructions.md and AGENTS.md. Data.

The host puts them around the text; a text from a bundle that holds one is written without that line, or else the region
would end inside of it.
"""

from __future__ import annotations

PERSONA_BEGIN = "<!-- agentihooks.fleet: managed from here, edits inside are kept and reported -->"
PERSONA_END = "<!-- agentihooks.fleet: managed up to here, text below is yours -->"


def without_marks(text):
    """Return (text, lines): the text without the lines that hold a mark, and how many those were."""
    lines = text.split("\n")
    kept = [line for line in lines if PERSONA_BEGIN not in line and PERSONA_END not in line]
    return "\n".join(kept), len(lines) - len(kept)
