# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rule's id in the log means: its reason and its way out. The log keeps no text of a call, so the detail is left open."""

from __future__ import annotations

import importlib

from agentihooks.guards import GUARDS

_DETAIL = "..."


def of(id):
    """Return (reason, way out) of a rule, ("", "") for one that is not known here."""
    first, _dot, rest = id.partition(".")
    if first == "secret":
        from agentihooks import secret_shapes
        from agentihooks.guards import secrets

        return "a secret (%s) would go into %s." % (secret_shapes.kind(rest), _DETAIL), secrets.WAY_OUT
    module = next(("guards." + guard.name for guard in GUARDS if first in guard.ids), "retry_breaker" if first == "retry_breaker" else "")
    if module:
        rule = importlib.import_module("agentihooks." + module).RULES.get(id)
        return (rule.reason % _DETAIL, rule.way_out) if rule else ("", "")
    if first == "drop_in":
        return "a guard of this machine's own said no; its reason was shown with the denial.", "Take another way, or ask the person."
    if id == "runtime.failed":
        return "the call could not be judged.", "Ask the person to look at ~/.agentihooks/logs/hooks.log."
    return "", ""
