# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rule's id in the log means: its reason and its way out. The log keeps no text of a call, so the detail is left open."""

from __future__ import annotations

import importlib

_GUARDS = {  # guard (the id before the dot) to the module with its rules
    "credential": "guards.credential_reads", "environment": "guards.credential_reads", "git": "guards.git",
    "instructions": "guards.instruction_size", "version": "guards.versions", "live": "guards.kubectl_mutation",
    "production": "guards.production_lockdown", "self": "guards.self_protection", "repository": "guards.self_protection",
    "retry_breaker": "retry_breaker",
}  # fmt: skip
_DETAIL = "..."


def of(id):
    """Return (reason, way out) of a rule, ("", "") for one that is not known here."""
    guard, _dot, rest = id.partition(".")
    if guard in _GUARDS:
        rule = importlib.import_module("agentihooks." + _GUARDS[guard]).RULES.get(id)
        return (rule.reason % _DETAIL, rule.way_out) if rule else ("", "")
    if guard == "secret":
        from agentihooks import secret_shapes
        from agentihooks.guards import secrets

        return "a secret (%s) would go into %s." % (secret_shapes.kind(rest), _DETAIL), secrets.WAY_OUT
    if guard == "drop_in":
        return "a guard of this machine's own said no; its reason was shown with the denial.", "Take another way, or ask the person."
    if id == "runtime.failed":
        return "the call could not be judged.", "Ask the person to look at ~/.agentihooks/logs/hooks.log."
    return "", ""
