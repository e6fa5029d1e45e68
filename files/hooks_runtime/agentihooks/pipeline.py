# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One event through all that wants to see it: guards first, then context. Runs in the supervisor's child process."""

from __future__ import annotations

import os
import stat
import sys
import time

from agentihooks import relevance, session_context
from agentihooks.event import Context, Deny, Warn
from agentihooks.guards import GUARDS
from agentihooks.vocabulary import JUDGED, OBSERVED

MAX_READ = 4 << 20  # bytes of a file that a guard compares with what a call makes of it


def run(event, environ, policy, data_directory):
    """Return the outcomes of one event. What a guard raises goes through to the supervisor, which denies."""
    if event.name in OBSERVED:
        return _finished(event, policy, data_directory)
    home = environ.get("HOME") or os.path.dirname(data_directory)
    denials, outcomes = judged(event, home, environ, policy, data_directory)
    if not denials and event.name == "PreToolUse":
        denials, later = _standing(_later(event, home, environ, policy, data_directory), event, policy, data_directory)
        outcomes += later
    if denials:
        return denials + [item for item in outcomes if isinstance(item, Warn)]
    if event.name in session_context.EVENTS:
        try:
            outcomes += session_context.outcomes(event, home, policy, data_directory, environ)
            if event.target == "codex":
                from agentihooks import context_carry

                outcomes = context_carry.fitted(event, outcomes, data_directory)
        except Exception as error:  # what was to be added is no reason to deny: the guards have judged
            outcomes.append(Warn("context.failed", "nothing was added to this session: %s" % type(error).__name__))
    return outcomes


def judged(event, home, environ, policy, data_directory):
    """Return (the denials of the guards, those that a person lifted left out, the other outcomes). Writes nothing."""
    outcomes = []
    if event.name in JUDGED:
        context = Context(home, policy, os.path.realpath, read, data_directory, environ)
        for guard in guards(event, policy):
            outcomes += guard.check(event, context)
    return _standing(outcomes, event, policy, data_directory)


def _standing(outcomes, event, policy, data_directory):
    """Return (the denials that no person lifted, the other outcomes and what is to say about the lifted ones)."""
    denials = _first_of_each_rule(outcomes)
    others = [item for item in outcomes if not isinstance(item, Deny)]
    if denials:
        from agentihooks import consent

        denials, lifted = consent.lifted(denials, event, policy, data_directory, time.time())
        others += lifted
    return denials, others


def _finished(event, policy, data_directory):
    """Remember how a call ended; nothing of that is ever an error."""
    now, outcomes = time.time(), []
    if policy["retry_warn"] or policy["retry_block"]:
        from agentihooks import retry_breaker, session_state

        try:
            outcomes = retry_breaker.record(event, session_state.Session(data_directory, event.session_id), policy, now)
        except OSError:
            outcomes = []  # nothing can be remembered here
    if policy["tool_memory"]:
        from agentihooks import tool_memory

        tool_memory.record(event, data_directory, int(now))
    return outcomes


def _later(event, home, environ, policy, data_directory):
    """Return what is said about a call that the guards let through: by the retry breaker, then by the drop-in guards."""
    denied = _failed_too_often(event, policy, data_directory)
    if denied:
        return denied
    directories = [os.path.join(data_directory, "drop-ins")]
    if policy["repository_drop_ins"]:
        from agentihooks import repository

        root = repository.root(event.cwd, home)
        if root and repository.is_trusted(event.target, event.cwd, root, home, environ):
            directories.append(os.path.join(root, ".agentihooks", "drop-ins"))
    if not any(map(os.path.lexists, directories)):
        return []
    from agentihooks import drop_ins

    return drop_ins.outcomes(event, policy, directories, environ)


def _failed_too_often(event, policy, data_directory):
    if not policy["retry_block"] or not os.path.isdir(os.path.join(data_directory, "state")):
        return []
    from agentihooks import session_state

    session = session_state.Session(data_directory, event.session_id)
    if not session.may_hold("breaker"):
        return []
    try:
        calls = session.get("breaker").get("calls")
        counts = [entry.get("count") for entry in calls.values() if isinstance(entry, dict)] if isinstance(calls, dict) else []
        if not any(isinstance(count, int) and count >= policy["retry_block"] for count in counts):
            return []  # few sessions come further, and those alone pay for loading the breaker
        from agentihooks import retry_breaker

        return retry_breaker.check(event, session, policy, time.time())
    except OSError:
        return []  # what failed before is not known here


def guards(event, policy):
    """Yield the guards that look at an event, in the order in which their reasons are read. Loads no others."""
    for guard in GUARDS:
        if guard.is_on(policy) and _may_concern(guard, event.calls):
            yield _module(guard)


def _may_concern(guard, calls):
    if guard.words:
        return relevance.runs(calls, guard.words)
    return not guard.concerns or getattr(relevance, guard.concerns)(calls)


def _module(guard):
    name = "agentihooks.guards." + guard.name
    __import__(name)  # loading importlib for it costs more than most guards
    return sys.modules[name]


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


# Those that look at every event are loaded before the supervisor forks: memory that only the child fills is paid for twice.
for _guard in GUARDS:
    if not (_guard.words or _guard.concerns):
        _module(_guard)
