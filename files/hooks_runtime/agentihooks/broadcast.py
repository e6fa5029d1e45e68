# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands `agentihooks broadcast` and `agentihooks channel`: publish, list and clear messages to the sessions on this machine."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time

from agentihooks import broadcast_store, policy as policy_file, secret_shapes
from agentihooks.context_text import clean, one_line

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_EPILOG = "How long a message lives is a number with s, m, h or d after it (90s, 5m, 8h, 2d). Without one its severity says."


class _Refused(Exception):
    """The command cannot be done; the text says why."""


def main(arguments, data_directory=None):
    """Run `agentihooks broadcast ARGUMENTS` and return the exit code: 0, or 2 with the reason on stderr."""
    parser = argparse.ArgumentParser(prog="agentihooks broadcast", description="Tell every session on this machine something, once.", epilog=_EPILOG)
    parser.add_argument("text", nargs="?", help="the message; - reads it from stdin")
    parser.add_argument("-c", "--channel", default=broadcast_store.GLOBAL, help="only to sessions that listen to it (default: %(default)s)")
    _add_common(parser)
    parser.add_argument("--list", action="store_true", help="show the messages that are live")
    parser.add_argument("--clear", nargs="?", const="", metavar="ID", help="remove one message, or all without an ID")
    given = parser.parse_args(arguments)
    wanted = [given.text is not None, given.list, given.clear is not None]
    if sum(wanted) != 1:
        parser.error("want a text, --list or --clear")
    return _run(_list if given.list else _clear if given.clear is not None else _publish, given, data_directory)


def channel_main(arguments, data_directory=None):
    """Run `agentihooks channel ARGUMENTS` and return the exit code: 0, or 2 with the reason on stderr."""
    parser = argparse.ArgumentParser(prog="agentihooks channel", description="Messages to the sessions that listen to a channel.", epilog=_EPILOG)
    commands = parser.add_subparsers(dest="command", required=True)
    publish = commands.add_parser("publish", help="publish a message on a channel", epilog=_EPILOG)
    publish.add_argument("channel")
    publish.add_argument("text", help="the message; - reads it from stdin")
    _add_common(publish)
    commands.add_parser("list", help="show the channels that sessions listen to and those with live messages")
    given = parser.parse_args(arguments)
    return _run(_list_channels if given.command == "list" else _publish, given, data_directory)


def seconds(text):
    """Return the seconds in "90", "90s", "5m", "8h" or "2d". Raises ValueError."""
    match = re.match(r"([0-9]{1,9})([smhd]?)\Z", text.strip().lower())
    if not match:
        raise ValueError("how long a message lives is a number with s, m, h or d after it, such as 5m, not %r" % text[:40])
    return int(match.group(1)) * _UNITS[match.group(2)]


def _add_common(parser):
    parser.add_argument("-s", "--severity", default="info", choices=list(broadcast_store.SEVERITIES), help="default: %(default)s")
    parser.add_argument("-t", "--ttl", metavar="TIME", help="how long it lives")
    parser.add_argument("--source", default=os.environ.get("USER", ""), help="who says it (default: %(default)s)")


def _run(command, given, data_directory):
    try:
        command(given, policy_file.data_directory() if data_directory is None else data_directory)
    except (_Refused, ValueError) as error:
        print("agentihooks: %s" % error, file=sys.stderr)
        return 2
    except OSError as error:
        print("agentihooks: the messages cannot be kept: %s" % error, file=sys.stderr)
        return 2
    return 0


def _publish(given, data_directory):
    text = sys.stdin.read(broadcast_store.MAX_TEXT * 4) if given.text == "-" else given.text
    hits = secret_shapes.find(text)
    if hits:
        raise _Refused("the text holds a secret (%s), and every session would show it to its model. Leave it out" % hits[0].rule_id)
    ttl = None if given.ttl is None else seconds(given.ttl)
    message, new = broadcast_store.publish(data_directory, text, given.channel, given.severity, ttl, given.source, int(time.time()))
    print("%s %s until %s" % ("published" if new else "already there, lives on:", message["id"], _clock(message["expires"])))


def _list(given, data_directory):
    for message in broadcast_store.messages(data_directory, int(time.time())):
        about = "%(id)s  %(severity)-8s  %(channel)s" % message
        print("%s  until %s  %s" % (about, _clock(message["expires"]), one_line(message["source"], broadcast_store.MAX_SOURCE)))
        print("    " + clean(message["text"]).replace("\n", "\n    "))


def _list_channels(given, data_directory):
    policy = policy_file.load(os.path.join(data_directory, "policy.json"))
    heard = [broadcast_store.GLOBAL] + policy_file.channels(policy, os.environ)
    counts = dict.fromkeys(heard, 0)
    for message in broadcast_store.messages(data_directory, int(time.time())):
        counts[message["channel"]] = counts.get(message["channel"], 0) + 1
    for name, count in counts.items():
        print("%-24s %d live%s" % (name, count, "" if name in heard or "*" in heard else ", nobody listens by default"))


def _clear(given, data_directory):
    count = broadcast_store.clear(data_directory, given.clear or None)
    if given.clear and not count:
        raise _Refused("there is no message with the id %r; --list shows them" % given.clear[:80])
    print("removed %d" % count)


def _clock(moment):
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
