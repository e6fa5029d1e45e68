# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A guard's rule: what a denial says, and one command each that it stops and lets through, which are its own test."""

from __future__ import annotations

from agentihooks.event import Deny


class Rule:
    """id: stable, "<guard>.<what>". reason: a sentence, %s is what was found. way_out: what to do instead. denied, allowed: commands."""

    __slots__ = ("id", "reason", "way_out", "denied", "allowed")

    def __init__(self, id, reason, way_out, denied, allowed):
        self.id = id
        self.reason = reason
        self.way_out = way_out
        self.denied = denied
        self.allowed = allowed

    def deny(self, detail):
        """Return the Deny that names what was found."""
        return Deny(self.id, self.reason % detail, self.way_out)
