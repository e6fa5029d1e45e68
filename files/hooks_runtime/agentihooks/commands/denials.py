# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks denials: how often which rule denied a call, counted from the runtime's log. The log holds no text of any call."""

from __future__ import annotations

import json
import re
import time

from agentihooks import guard_exceptions, log
from agentihooks.commands import CommandError, shown, table

HELP = "Count what was denied, by rule."
_AGO = re.compile(r"([0-9]{1,6})([mhdw])\Z")
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_FORM = "%Y-%m-%dT%H:%M:%SZ"
SCHEMA = 1  # of --json


def arguments(parser):
    """Add the arguments."""
    parser.add_argument("--since", metavar="TIME", help="only since then: 8h, 7d, 2w, or a day in UTC like 2026-12-01 (default: all that the log holds)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(options, host):
    """Print the counts. Raises CommandError."""
    since = "" if options.since is None else moment(options.since, time.time())
    found = counted(log.records(host.data_directory), since)
    if options.json:
        print(json.dumps(dict({"schema": SCHEMA, "since": since}, **found)))
        return 0
    rows = [["rule", "denied", "sessions", "last", "let through by a person"]]
    for rule, row in found["rules"].items():
        rows.append([rule, str(row["denied"]), str(row["sessions"]), row["last"], str(row["lifted"])])
    for line in table(rows):
        print(shown(line))
    when = " since " + since if since else ""
    print("%d denied%s; %d faults of the runtime, %d unknown events" % (found["denied"], when, found["faults"], found["unknown_events"]))
    return 0


def counted(records, since):
    """Return {"denied", "faults", "unknown_events": numbers, "rules": {rule: {"denied", "lifted", "sessions", "first", "last"}}}.

    records: as log.records() yields them. since: a time in the log's form, "" for all. The most frequent rule comes first.
    """
    rules, sessions, totals = {}, {}, {"denied": 0, "faults": 0, "unknown_events": 0}
    for record in records:
        if record["time"] < since:
            continue
        for outcome in record["outcomes"]:
            verdict, rule = (outcome + ["", ""])[:2] if isinstance(outcome, list) else ("", "")
            if verdict in ("fault", "unknown"):
                totals["faults" if verdict == "fault" else "unknown_events"] += 1
            if verdict not in ("deny", "warn") or not guard_exceptions.is_rule(rule):
                continue
            row = rules.setdefault(rule, {"denied": 0, "lifted": 0, "sessions": 0, "first": record["time"][:20], "last": ""})
            row["denied" if verdict == "deny" else "lifted"] += 1
            row["last"] = record["time"][:20]
            totals["denied"] += verdict == "deny"
            sessions.setdefault(rule, set()).add(str(record.get("session")))
    for rule, row in rules.items():
        row["sessions"] = len(sessions[rule])
    return dict(totals, rules=dict(sorted(rules.items(), key=lambda item: (-item[1]["denied"], item[0]))))


def moment(text, now):
    """Return the time that "8h" or "2026-12-01" means, in the log's form. now: seconds (epoch). Raises CommandError."""
    match = _AGO.match(text.strip().lower())
    if match:
        return time.strftime(_FORM, time.gmtime(max(0, now - int(match.group(1)) * _UNITS[match.group(2)])))
    if guard_exceptions.end_of(text.strip()) is not None:
        return text.strip() + "T00:00:00Z"
    raise CommandError("--since: want a number with m, h, d or w after it, or a day like 2026-12-01, not %r" % text[:40])
