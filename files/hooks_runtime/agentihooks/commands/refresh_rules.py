# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks refresh-rules: sessions that are running get the rules as they are now, each once, with its next prompt."""

from __future__ import annotations

import glob
import os
import re
import time

from agentihooks import operator_check, rules_refresh
from agentihooks.commands import CommandError, sessions
from agentihooks.config_homes import config_home

HELP = "Give the sessions that are running the rules as they are now, each once, with its next prompt."
RECENT = 86400  # seconds; a session that was not seen since then begins anew before it goes on
_CODEX_ID = re.compile(r"rollout-.*-([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})\.jsonl\Z")


def arguments(parser):
    """Add the arguments."""
    parser.add_argument("--dry-run", action="store_true", help="only say which sessions would get them")
    parser.add_argument("--clear", action="store_true", help="take back what no session got yet")


def run(options, host):
    """Do what was asked. Raises CommandError, OSError."""
    if options.clear:
        inside = operator_check.in_session(host.environ)
        if inside:
            raise CommandError("only a person takes it back, outside of an agent CLI, but %s" % inside)
        print("taken back" if rules_refresh.clear(host.data_directory) else "there was nothing to take back")
        return 0
    now = time.time()
    found = running(host, now)
    if not options.dry_run and found:
        rules_refresh.publish(host.data_directory, found, int(now))
    one = len(found) == 1
    verb = "would get" if options.dry_run else "gets" if one else "get"
    print("%d session%s %s the rules with the next prompt (seen in the last 24 hours)" % (len(found), "" if one else "s", verb))
    return 0


def running(host, now):
    """Return the ids of the sessions that were seen lately, by what they left here and in the CLIs' own records; newest first."""
    found = dict(sessions(host.data_directory))
    for path in glob.iglob(os.path.join(glob.escape(config_home("copilot", host.home, host.environ)), "session-state", "*", "events.jsonl")):
        _note(found, os.path.basename(os.path.dirname(path)), path)
    for path in glob.iglob(os.path.join(glob.escape(config_home("codex", host.home, host.environ)), "sessions", "*", "*", "*", "rollout-*.jsonl")):
        match = _CODEX_ID.match(os.path.basename(path))
        if match:
            _note(found, match.group(1), path)
    recent = [(seen, session_id) for session_id, seen in found.items() if seen > now - RECENT]
    return [session_id for _seen, session_id in sorted(recent, reverse=True)][: rules_refresh.MAX_SESSIONS]


def _note(found, session_id, path):
    try:
        found[session_id] = max(found.get(session_id, 0), os.lstat(path).st_mtime)
    except OSError:
        return
