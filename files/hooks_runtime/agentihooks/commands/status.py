# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks status: what is unlocked, which exceptions there are, what was denied lately, which sign-ins wait."""

from __future__ import annotations

import os
import re
import time

from agentihooks import consent, guard_exceptions, log, private_file
from agentihooks.commands import sessions, shown
from agentihooks.config_homes import config_home
from agentihooks.guards import IDS

HELP = "Show what is unlocked, the exceptions, the last denials and the sign-ins that wait."
MAX_SHOWN = 10
PENDING = "pending-oauth-urls.txt"  # where the browser launcher that the role writes for hosts without a browser keeps addresses
_ADDRESS = re.compile(r"https?://[^\s\"'<>]{1,4000}")


def arguments(parser):
    """Add the arguments: none."""


def run(_options, host):
    """Print the sections."""
    now = time.time()
    _section("Unlocked", ["%s for session %s until %s" % (guard, session_id, consent.clock(until))
                          for session_id, guard, until in consent.all_unlocks(host.data_directory, now)])  # fmt: skip
    _section("Exceptions", [_exception(item, now) for item in host.policy["guard_exceptions"]])
    _section("Sessions", ["%s, last seen %s" % (session_id, _ago(now - seen)) for session_id, seen in sessions(host.data_directory)[:MAX_SHOWN]])
    _section("Last denials", denials(host.data_directory)[-MAX_SHOWN:])
    file = os.path.join(config_home("copilot", host.home, host.environ), PENDING)
    waiting = pending(file)
    _section("Sign-ins that wait, in %s" % file, waiting)
    if waiting:
        print("  An address works only while the Copilot session that asked for it is still running: open it in a browser on this machine")
        print("  then, the newest last. One whose session has ended is dead; the next session that needs the sign-in asks again.")
    if host.policy["guard_failure"] == "allow":
        print("Note: calls are let through when the guards themselves fail (guard_failure is allow).")
    return 0


def denials(data_directory):
    """Return a line for each denial in the log, oldest first."""
    found = []
    for record in log.records(data_directory):
        rules = [str(outcome[1]) for outcome in record["outcomes"] if isinstance(outcome, list) and len(outcome) > 1 and outcome[0] == "deny"]
        if rules:
            found.append("%s %s, session %s: %s" % (record["time"], record.get("target"), record.get("session") or "unknown", ", ".join(rules)))
    return found


def pending(file):
    """Return the addresses in a file that wait for a person to sign in, newest last."""
    text = private_file.read(file, 1 << 20).decode("utf-8", "replace")
    return list(dict.fromkeys(_ADDRESS.findall(text)))[-MAX_SHOWN:]


def _exception(item, now):
    wrong = guard_exceptions.problem(item, now, IDS)
    text = "%s for %r until %s: %s" % tuple(str(item.get(key, "?"))[:200] for key in ("rule", "match", "expires", "reason"))
    return text + (" (IGNORED: %s)" % wrong if wrong else "")


def _section(title, lines):
    print("%s:" % title)
    for line in lines or ["none"]:
        print("  " + shown(line))


def _ago(seconds):
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return "%d %s ago" % (seconds // size, name)
    return "just now"
