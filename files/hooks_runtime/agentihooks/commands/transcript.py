# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks transcript: what one session came to, from the log its CLI keeps. Secrets are masked; no text is quoted at length."""

from __future__ import annotations

import json

from agentihooks import transcript_paths
from agentihooks.commands import CommandError, sessions, shown

HELP = "Summarize a session: turns, tools, tokens, time, errors and the last answer."
MAX_OFFERED = 10


def arguments(parser):
    """Add the arguments."""
    parser.add_argument("session", metavar="SESSION", help="the session's id, as a denial or agentihooks status names it")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(options, host):
    """Print the summary. Raises CommandError, OSError."""
    from agentihooks import transcript_summary
    from agentihooks.transcript import NotATranscript

    path = transcript_paths.find(options.session, host.environ, host.home)
    if not path:
        known = [session_id for session_id, _seen in sessions(host.data_directory)[:MAX_OFFERED]]
        offered = "; lately seen:\n  " + "\n  ".join(map(shown, known)) if known else ""
        raise CommandError("%s: no CLI of this home has a session log of that id%s" % (shown(options.session[:100]), offered))
    try:
        summary = transcript_summary.summarize(path)
    except NotATranscript as error:
        raise CommandError(str(error)) from None
    if options.json:
        print(json.dumps(summary))
        return 0
    for line in transcript_summary.lines(summary):
        print(shown(line))
    return 0
