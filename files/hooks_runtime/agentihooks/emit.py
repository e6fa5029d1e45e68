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
        from agentihooks import context_text

        context = context_text.cut(context, capabilities.context_cap_bytes(target, event), TRUNCATED)
        if form == "top":
            body = {"additionalContext": context}
        else:
            body = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
        return Answer(_line(body), warnings)
    return Answer("", warnings)


def _refuse(target, event, reason, warnings, version):
    form = capabilities.row(target, event)[capabilities.DENY]
    if form in capabilities.MEASURED_ONLY and not capabilities.is_measured(target, version):
        form = "exit2"
    if form == "decision":
        return Answer(_line({"permissionDecision": "deny", "permissionDecisionReason": reason}), warnings)
    if form == "behavior":
        return Answer(_line({"behavior": "deny", "message": reason}), warnings)
    if form == "block":
        return Answer(_line({"decision": "block", "reason": reason}), warnings)
    if form == "exit2":
        return Answer("", warnings + reason + "\n", 2)
    return Answer("", warnings + reason + "\n")


def _line(body):
    """Return body as the one JSON object on one line. Half a surrogate pair in it would make some parsers reject the whole."""
    return json.dumps(_whole(body)) + "\n"


def _whole(value):
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return value.encode("utf-8", "replace").decode("utf-8")
