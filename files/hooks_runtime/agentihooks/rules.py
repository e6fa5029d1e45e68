# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A guard's rule as data: what it is called, what it says, and the examples that are its test."""

from __future__ import annotations

from agentihooks.event import Deny


class Rule:
    """One thing that a guard stops.

    id: stable, for reasons and exceptions ("git.push"). reason: what was found, with one %s for the detail. way_out: what the
    model can do instead. denied, allowed: examples, each a shell command or a dict with the keys tool and args (as in
    tests/guard_cases), files (path -> text, what lies in the directory that the call runs in) and policy. They are the rule's test.
    """

    __slots__ = ("id", "reason", "way_out", "denied", "allowed")

    def __init__(self, id, reason, way_out, denied, allowed):
        self.id = id
        self.reason = reason
        self.way_out = way_out
        self.denied = denied
        self.allowed = allowed

    def deny(self, detail):
        """Return the Deny; the detail is made printable and cut to 80 characters."""
        text = "".join(character if character.isprintable() else "?" for character in detail)
        return Deny(self.id, self.reason % (text if len(text) <= 80 else text[:77] + "..."), self.way_out)


def by_id(*rules):
    """Return id -> Rule."""
    return {rule.id: rule for rule in rules}
