# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One event through all that wants to see it: guards first, then context. Runs in the supervisor's child process."""

from __future__ import annotations

import os
import time

from agentihooks import session_context
from agentihooks.event import Context, Deny, Warn
from agentihooks.guards import credential_reads, secrets
from agentihooks.vocabulary import JUDGED, OBSERVED

# In this order; the first Deny of each rule is what the model reads.
GUARDS = (secrets, credential_reads)


def run(event, home, policy, data_directory, environ=os.environ):
    """Return the outcomes of one event. What a guard raises goes through to the supervisor, which denies."""
    if event.name in OBSERVED:
        from agentihooks import tool_memory

        tool_memory.record(event, data_directory, int(time.time()))
        return []
    outcomes = []
    if event.name in JUDGED:
        context = Context(home, policy, os.path.realpath)
        for guard in GUARDS:
            outcomes += guard.check(event, context)
    denials = _first_of_each_rule(outcomes)
    if denials:
        return denials + [item for item in outcomes if isinstance(item, Warn)]
    if event.name in session_context.EVENTS:
        try:
            outcomes += session_context.outcomes(event, home, policy, data_directory, environ)
        except Exception as error:  # what was to be added is no reason to deny: the guards have judged
            outcomes.append(Warn("context.failed", "nothing was added to this session: %s" % type(error).__name__))
    return outcomes


def _first_of_each_rule(outcomes):
    found = {}
    for item in outcomes:
        if isinstance(item, Deny):
            found.setdefault(item.rule, item)
    return list(found.values())
