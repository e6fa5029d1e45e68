# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which guards may be lifted at all, and what an exception of the role must say. Pure.

The collection's modules read the same file (plugins/module_utils/_guard_exceptions.py is a link to it), so it imports nothing of
the runtime.
"""

from __future__ import annotations

import re

# What the ids of rules begin with that nothing lifts.
FLOORS = ("secret", "credential", "environment", "self", "runtime")
KEYS = ("rule", "match", "reason", "expires")
EXPIRED = "expired"
_RULE = re.compile(r"[a-z_]{1,40}(?:\.[a-z0-9_-]{1,40})?\Z")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})\Z", re.ASCII)


def guard_of(rule):
    """Return the guard that a rule belongs to: "git" for "git.push"."""
    return rule.partition(".")[0]


def is_floor(rule):
    """Return whether a rule or guard is one that nothing lifts."""
    return guard_of(rule) in FLOORS


def unknown(rule, ids):
    """Return what is wrong with the name of a rule or guard that no guard has, "" for nothing. ids: guards.IDS."""
    if guard_of(rule) in FLOORS + ids:
        return ""
    liftable = sorted(set(ids) - set(FLOORS))
    return "%s is no guard, nor a rule of one; there are %s, and a denial names its rule in brackets, like git.push" % (rule, ", ".join(liftable))


def is_rule(text):
    """Return whether text can be a guard ("git") or a rule ("git.push")."""
    return isinstance(text, str) and _RULE.match(text) is not None


def problem(exception, now, ids):
    """Return what is wrong with an exception (a dict) of the role, "" for nothing; EXPIRED for one whose day is over.

    now: seconds (epoch). ids: guards.IDS.
    """
    for key in KEYS:
        if not isinstance(exception.get(key), str) or not exception[key].strip():
            return "%s must be a text" % key
    if not is_rule(exception["rule"]):
        return "rule must be a guard (git) or a rule (git.push), not %r" % exception["rule"][:80]
    if is_floor(exception["rule"]):
        return "rule %s is a floor, no exception lifts it" % exception["rule"]
    if unknown(exception["rule"], ids):
        return "rule %s" % unknown(exception["rule"], ids)
    if not exception["match"].replace("*", "").strip():
        return "match must say more than *"
    end = end_of(exception["expires"])
    if end is None:
        return "expires must be a day like 2026-12-31, not %r" % exception["expires"][:80]
    return EXPIRED if end <= now else ""


def end_of(day):
    """Return the second (epoch) at which a day like "2026-12-31" is over in UTC, None for no day."""
    match = _DATE.match(day)
    if match is None:
        return None
    import calendar
    import datetime

    try:
        following = datetime.date(*map(int, match.groups())) + datetime.timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    return calendar.timegm(following.timetuple())
