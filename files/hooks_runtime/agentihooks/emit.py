# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outcomes -> what the CLI understands: one JSON object on stdout, text on stderr, an exit code. Pure."""

from __future__ import annotations

import json

from agentihooks import capabilities
from agentihooks.event import Deny, Inject, Warn

TRUNCATED = "\n[agentihooks: cut here, the CLI takes no more]"


class Answer:
    """What the process hands back: stdout and stderr (text) and the exit code."""

    __slots__ = ("stdout", "stderr", "code")

    def __init__(self, stdout="", stderr="", code=0):
        self.stdout = stdout
        self.stderr = stderr
        self.code = code


def answer(target, event, outcomes, version=""):
    """Return the Answer for an event's outcomes. version: of the calling CLI, "" when it is not known (the safest form)."""
    warnings = "".join("agentihooks [%s]: %s\n" % (item.rule, item.text) for item in outcomes if isinstance(item, Warn))
    context = "\n\n".join(item.text for item in outcomes if isinstance(item, Inject) and item.text)
    denials = [item for item in outcomes if isinstance(item, Deny)]
    if denials:
        return _refuse(target, event, "\n".join(item.text() for item in denials), warnings, version)
    form = capabilities.row(target, event)[capabilities.CONTEXT]
    if context and form:
        context = cap(context, capabilities.CONTEXT_CAP_UTF16.get((target, event), 0))
        if form == "top":
            body = {"additionalContext": context}
        else:
            body = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
        return Answer(json.dumps(body) + "\n", warnings)
    return Answer("", warnings)


def _refuse(target, event, reason, warnings, version):
    form = capabilities.row(target, event)[capabilities.DENY]
    if form in capabilities.MEASURED_ONLY and not capabilities.is_measured(target, version):
        form = "exit2"
    if form == "decision":
        return Answer(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": reason}) + "\n", warnings)
    if form == "behavior":
        return Answer(json.dumps({"behavior": "deny", "message": reason}) + "\n", warnings)
    if form == "block":
        return Answer(json.dumps({"decision": "block", "reason": reason}) + "\n", warnings)
    if form == "exit2":
        return Answer("", warnings + reason + "\n", 2)
    return Answer("", warnings + reason + "\n")


def cap(text, limit):
    """Return text cut to limit UTF-16 units with a visible mark; limit 0 leaves it whole."""
    if not limit:
        return text
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) <= 2 * limit:
        return text
    room = 2 * (limit - len(TRUNCATED))
    return encoded[:room].decode("utf-16-le", "ignore") + TRUNCATED
