# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`agentihooks broadcast`: publish, list and clear messages to the sessions on this machine."""

from __future__ import annotations

import re
import sys
import time

from agentihooks import broadcast_store, operator_check, secret_shapes
from agentihooks.commands import CommandError
from agentihooks.context_text import clean, one_line

HELP = "Tell every session on this machine something, once."
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def arguments(parser):
    """Add what the sub-command takes."""
    parser.add_argument("text", nargs="?", help="the message; - reads it from stdin")
    parser.add_argument("-c", "--channel", default=broadcast_store.GLOBAL, help="only to sessions that listen to it (default: %(default)s)")
    message_arguments(parser)
    parser.add_argument("--list", action="store_true", help="show the messages that are live")
    parser.add_argument("--clear", nargs="?", const="", metavar="ID", help="remove one message, or all without an ID")


def message_arguments(parser):
    """Add what a message has besides its text and its channel."""
    parser.add_argument("-s", "--severity", default="info", choices=list(broadcast_store.SEVERITIES), help="default: %(default)s")
    parser.add_argument("-t", "--ttl", metavar="TIME", help="how long it lives: 90s, 5m, 8h, 2d (default: what its severity says)")
    parser.add_argument("--source", metavar="NAME", help="who says it (default: you)")


def run(options, host):
    """Do what was asked. Raises CommandError."""
    if [options.text is not None, options.list, options.clear is not None].count(True) != 1:
        raise CommandError("want a text, --list or --clear")
    if options.list:
        return _list(host)
    return _clear(options.clear, host) if options.clear is not None else publish(options, host)


def publish(options, host):
    """Publish options.text on options.channel. Raises CommandError, OSError."""
    text = sys.stdin.read(broadcast_store.MAX_TEXT * 4) if options.text == "-" else options.text
    if operator_check.in_session(host.environ):
        return _publish_for_model(text, options, host)
    hits = secret_shapes.find(text)
    if hits:
        raise CommandError("the text holds a secret (%s), and every session would show it to its model. Leave it out" % hits[0].rule_id)
    source = host.environ.get("USER", "") if options.source is None else options.source
    try:
        ttl = None if options.ttl is None else seconds(options.ttl)
        message, new = broadcast_store.publish(host.data_directory, text, options.channel, options.severity, ttl, source, int(time.time()))
    except ValueError as error:
        raise CommandError(str(error)) from None
    print("%s %s until %s" % ("published" if new else "already there, lives on:", message["id"], _clock(message["expires"])))
    return 0


def _publish_for_model(text, options, host):
    """Publish what a session says: within the bounds of the toolbelt and with its name, as a tool call would."""
    from agentihooks import toolbelt
    from agentihooks.mcp_stdio import Failed

    arguments = {"message": text, "channel": options.channel, "severity": options.severity}
    try:
        if options.ttl is not None:
            arguments["ttl"] = seconds(options.ttl)
        print(toolbelt.call("channel_publish", arguments, host, toolbelt.own_session(host.environ, {})))
    except (Failed, ValueError) as error:
        raise CommandError("%s This is a session of an agent CLI, which publishes within the bounds of the toolbelt" % error) from None
    return 0


def seconds(text):
    """Return the seconds in "90", "90s", "5m", "8h" or "2d". Raises ValueError."""
    match = re.match(r"([0-9]{1,9})([smhd]?)\Z", text.strip().lower())
    if not match:
        raise ValueError("how long a message lives is a number with s, m, h or d after it, such as 5m, not %r" % text[:40])
    return int(match.group(1)) * _UNITS[match.group(2)]


def _list(host):
    for message in broadcast_store.messages(host.data_directory, int(time.time())):
        about = "%(id)s  %(severity)-8s  %(channel)s" % message
        print("%s  until %s  %s" % (about, _clock(message["expires"]), one_line(message["source"], broadcast_store.MAX_SOURCE)))
        print("    " + clean(message["text"]).replace("\n", "\n    "))
    return 0


def _clear(id, host):
    inside = operator_check.in_session(host.environ)
    if inside:
        raise CommandError("only a person removes messages, outside of an agent CLI, but %s" % inside)
    count = broadcast_store.clear(host.data_directory, id or None)
    if id and not count:
        raise CommandError("there is no message with the id %r; --list shows them" % id[:80])
    print("removed %d" % count)
    return 0


def _clock(moment):
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
