# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent CLIs that there are, and what any code that treats them alike must know of each.

The collection's modules read the same file (plugins/module_utils/_targets.py is a link to it), so it imports nothing.
"""

from __future__ import annotations


class Target:
    """One agent CLI. title: for a person, "Copilot CLI". short: the same without CLI.

    home: (variable that moves its configuration home, name of that home). Below it hooks_file: where hooks are registered, and
    instructions: what it reads at the start of every session.
    """

    __slots__ = ("title", "short", "home", "hooks_file", "instructions")

    def __init__(self, title, short, home, hooks_file, instructions):
        self.title = title
        self.short = short
        self.home = home
        self.hooks_file = hooks_file
        self.instructions = instructions


# By the name of its command, in the order in which they are shown.
TARGETS = {
    "copilot": Target("Copilot CLI", "Copilot", ("COPILOT_HOME", ".copilot"), "hooks/agentihooks.json", "copilot-instructions.md"),
    "codex": Target("Codex CLI", "Codex", ("CODEX_HOME", ".codex"), "hooks.json", "AGENTS.md"),
}
