# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One event through all that wants to see it: guards first, then context. Runs in the supervisor's child process."""

from __future__ import annotations

import os
import stat

from agentihooks import session_context
from agentihooks.event import Context, Deny, Warn
from agentihooks.guards import credential_reads, secrets, self_protection
from agentihooks.session_state import Session
from agentihooks.vocabulary import JUDGED

# In this order; the first Deny of each rule is what the model reads.
GUARDS = (secrets, credential_reads, self_protection)
_MAX_READ = 1 << 20  # bytes of a file that a guard looks into


def run(event, environ, policy, data_directory):
    """Return the outcomes of one event. What a guard raises goes through to the supervisor, which denies."""
    outcomes = []
    if event.name in JUDGED:
        context = _context(event, environ, policy, data_directory)
        for guard in GUARDS:
            outcomes += guard.check(event, context)
    denials = _first_of_each_rule(outcomes)
    if denials:
        return denials + [item for item in outcomes if isinstance(item, Warn)]
    if event.name in session_context.EVENTS:
        outcomes += session_context.outcomes(event, policy, data_directory)
    return outcomes


def _context(event, environ, policy, data_directory):
    home = environ.get("HOME") or os.path.dirname(data_directory)
    return Context(home, policy, os.path.realpath, read_text, data_directory, environ, Session(data_directory, event.session_id))


def read_text(path):
    """Return the text of a file, None when there is none, when it is no file, is too large or is not UTF-8."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = os.read(descriptor, _MAX_READ + 1)
        return data.decode("utf-8") if len(data) <= _MAX_READ else None
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


def _first_of_each_rule(outcomes):
    found = {}
    for item in outcomes:
        if isinstance(item, Deny):
            found.setdefault(item.rule, item)
    return list(found.values())
