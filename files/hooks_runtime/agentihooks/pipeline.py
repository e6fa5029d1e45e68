# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One event through all that wants to see it: guards first, then context. Runs in the supervisor's child process."""

from __future__ import annotations

import os
import stat

from agentihooks import relevance, session_context
from agentihooks.event import Context, Deny, Warn
from agentihooks.guards import credential_reads, secrets
from agentihooks.vocabulary import JUDGED

MAX_READ = 4 << 20  # bytes of a file that a guard compares with what a call makes of it


def run(event, home, policy, data_directory):
    """Return the outcomes of one event. What a guard raises goes through to the supervisor, which denies."""
    outcomes = []
    if event.name in JUDGED:
        context = Context(home, policy, os.path.realpath, read)
        for guard in guards(event, policy):
            outcomes += guard.check(event, context)
    denials = _first_of_each_rule(outcomes)
    if denials:
        return denials + [item for item in outcomes if isinstance(item, Warn)]
    if event.name in session_context.EVENTS:
        outcomes += session_context.outcomes(event, policy, data_directory)
    return outcomes


def guards(event, policy):
    """Yield the guards that look at an event, in the order in which their reasons are read. Loads no others."""
    yield secrets
    yield credential_reads
    if relevance.git(event.calls):
        from agentihooks.guards import git

        yield git
    if policy["instructions_max_lines"] and relevance.instruction_size(event.calls):
        from agentihooks.guards import instruction_size

        yield instruction_size
    if relevance.versions(event.calls):
        from agentihooks.guards import versions

        yield versions
    if "kubectl_mutation" in policy["guard_packs"] and relevance.live_change(event.calls):
        from agentihooks.guards import kubectl_mutation

        yield kubectl_mutation
    if "production_lockdown" in policy["guard_packs"] and relevance.has_command(event.calls):
        from agentihooks.guards import production_lockdown

        yield production_lockdown


def read(path):
    """Return the text of a regular file, None when there is none. Raises OSError when it cannot be read whole."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > MAX_READ:
            raise OSError("%s is larger than %d bytes" % (path, MAX_READ))
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(MAX_READ).decode("utf-8", "replace")
    finally:
        os.close(descriptor)


def _first_of_each_rule(outcomes):
    found = {}
    for item in outcomes:
        if isinstance(item, Deny):
            found.setdefault(item.rule, item)
    return list(found.values())
