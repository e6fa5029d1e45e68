# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`agentihooks channel`: publish on a channel, and list the channels."""

from __future__ import annotations

import time

from agentihooks import broadcast_store, channels
from agentihooks.commands import broadcast

HELP = "Publish to the sessions that listen to a channel, and list the channels."


def arguments(parser):
    """Add what the sub-command takes."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    publish = commands.add_parser("publish", help="publish a message on a channel")
    publish.add_argument("channel")
    publish.add_argument("text", help="the message; - reads it from stdin")
    broadcast.message_arguments(publish)
    commands.add_parser("list", help="show the channels that sessions listen to and those with live messages")


def run(options, host):
    """Do what was asked. Raises CommandError, OSError."""
    return broadcast.publish(options, host) if options.action == "publish" else _list(host)


def _list(host):
    heard = [broadcast_store.GLOBAL] + channels.heard(host.data_directory, host.environ)
    counts = {name: 0 for name in heard}
    for message in broadcast_store.messages(host.data_directory, int(time.time())):
        counts[message["channel"]] = counts.get(message["channel"], 0) + 1
    for name, count in counts.items():
        print("%-24s %d live%s" % (name, count, "" if name in heard or "*" in heard else ", nobody listens by default"))
    return 0
