# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks lock: take back what was unlocked. It only tightens, so anybody may."""

from __future__ import annotations

import time

from agentihooks import consent
from agentihooks.commands import shown

HELP = "Take back what was unlocked, in one session or in all."


def arguments(parser):
    """Add the arguments."""
    parser.add_argument("--session", metavar="ID", help="the session; all without it")


def run(options, host):
    """Lock and say what."""
    found = consent.all_unlocks(host.data_directory, time.time())
    if not found and options.session is None:
        print("nothing is unlocked")
    for session_id in sorted({item[0] for item in found}) if options.session is None else [options.session]:
        consent.lock(host.data_directory, session_id)
        print("locked again for session %s" % shown(session_id))
    return 0
