# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks unlock GUARD: a person allows one session what a guard stops, for a while."""

from __future__ import annotations

import time

from agentihooks import consent, guard_exceptions, operator_check
from agentihooks.commands import CommandError, sessions, shown
from agentihooks.guards import IDS

HELP = "Let one session do for a while what a guard stops. Only for a person, in a terminal of their own."
RECENT = 86400  # seconds; sessions that were seen since then are offered


def arguments(parser):
    """Add the arguments."""
    parser.add_argument("guard", metavar="GUARD", help="a guard (git) or one of its rules (git.push), as a denial names it")
    parser.add_argument("--minutes", type=int, default=30, metavar="N", help="how long, at most %d; 30 without it" % consent.MAX_MINUTES)
    parser.add_argument("--session", metavar="ID", help="the session, as a denial names it; may be left out when there is only one")


def run(options, host):
    """Unlock and say until when."""
    reason = operator_check.why_not(host.environ)
    if reason:
        raise CommandError("only a person may unlock a guard, in a terminal outside of the agent CLI, but %s." % reason)
    if not guard_exceptions.is_rule(options.guard):
        raise CommandError("%s: is no guard or rule; a denial names it in brackets, like git.push" % shown(options.guard[:80]))
    if guard_exceptions.is_floor(options.guard):
        raise CommandError(
            "%s: is a floor that nothing lifts (%s); do what is needed yourself, outside of the session" % (options.guard, ", ".join(guard_exceptions.FLOORS))
        )
    unknown = guard_exceptions.unknown(options.guard, IDS)
    if unknown:
        raise CommandError(unknown)
    if not 0 < options.minutes <= consent.MAX_MINUTES:
        raise CommandError("--minutes: must be 1 to %d, not %d" % (consent.MAX_MINUTES, options.minutes))
    session_id = options.session if options.session is not None else only_session(host)
    until = consent.unlock(host.data_directory, session_id, options.guard, options.minutes, time.time())
    print("%s is unlocked for session %s until %s. Take it back: agentihooks lock" % (options.guard, shown(session_id), consent.clock(until)))
    return 0


def only_session(host):
    """Return the id of the one session that was seen lately. Raises CommandError when there is none or more than one."""
    recent = [session_id for session_id, seen in sessions(host.data_directory) if seen > time.time() - RECENT]
    if len(recent) == 1:
        return recent[0]
    if not recent:
        raise CommandError("no session was seen in the last 24 hours; name one with --session, a denial says which")
    raise CommandError("there is more than one session; name one with --session:\n  " + "\n  ".join(map(shown, recent[:20])))
