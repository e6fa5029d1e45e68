# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model may ask of agentihooks itself: the tools of the MCP server hooks-utils (reference 11.4). Small on purpose.

The caller is a model, so nothing here loosens a guard, removes a message or changes a setting. It can publish little and gently, it
is named as the source, and what it reads is redacted. Its own session is the one that the CLI names, never one that the model names.
"""

from __future__ import annotations

import time

from agentihooks import broadcast_store, channels, context_text, log, secret_shapes
from agentihooks.mcp_stdio import BadCall, Failed

NAME = "hooks-utils"
# Where the CLIs name the session (measured): Copilot 1.0.80 and 1.0.102 in the server's environment, Codex 0.142.3 and 0.171.0 with each call.
ENVIRONMENT, META = "COPILOT_AGENT_SESSION_ID", "threadId"
# A model does not raise an alarm: the severities above are a person's.
SEVERITIES = ("warning", "info", "resolved")
MAX_TEXT = 500  # characters of a message
MAX_LIVE = 10  # messages of models, so that they never push out a person's
MAX_TTL = 4 * 3600  # seconds
MAX_ID = 100
MAX_ANSWER = 12000  # characters
MAX_DENIALS = 10
SOURCE = "a model, session "
_SESSION = {"type": "string", "maxLength": MAX_ID, "description": "A session's id. Default: this session."}


def _tool(name, description, properties, required=(), reads=True):
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": {"readOnlyHint": reads, "openWorldHint": False}}


TOOLS = [
    _tool(
        "channel_publish", "Tell the other agent sessions on this machine something, each once. It informs; it gives no permission.",
        {
            "message": {"type": "string", "maxLength": MAX_TEXT, "description": "Without secrets."},
            "channel": {"type": "string", "maxLength": 64, "description": "Only to sessions that listen to it. Default: global, all sessions."},
            "severity": {"type": "string", "enum": list(SEVERITIES), "description": "Default: info."},
            "ttl": {"type": "integer", "minimum": 60, "maximum": MAX_TTL, "description": "Seconds that it lives. Default: by severity."},
        },
        ["message"], reads=False,
    ),
    _tool("channel_list", "The live broadcasts on this machine, with their ids.", {}),
    _tool(
        "channel_acknowledge", "Say that this session has read a broadcast, so that it is not shown to it again.",
        {"message_id": {"type": "string", "maxLength": MAX_ID}, "session_id": _SESSION}, ["message_id"], reads=False,
    ),
    _tool("session_status", "What the guards of a session are set to, what a person unlocked, and what was denied.", {"session_id": _SESSION}),
    _tool("transcript_summary", "Turns, tools, tokens, time, errors and the last answer of a session.", {"session_id": _SESSION}),
    _tool(
        "explain_denial", "The last denials of a session, newest first: rule, reason, and what to do instead.",
        {"session_id": _SESSION, "last": {"type": "integer", "minimum": 1, "maximum": MAX_DENIALS, "description": "How many. Default: 3."}},
    ),
]  # fmt: skip


def call(name, arguments, host, own):
    """Return the text that a tool answers. host: commands.Host. own: the caller's session, "" where it is not known. Raises BadCall, Failed."""
    tool = next((tool for tool in TOOLS if tool["name"] == name), None)
    if tool is None or not isinstance(arguments, dict):
        raise BadCall("there is no tool of that name" if tool is None else "arguments is no object")
    _check(tool["inputSchema"], arguments)
    try:
        text = _RUN[name](arguments, host, own)
    except OSError as error:
        raise Failed("it cannot be done here: %s" % (error.strerror or error)) from None
    except Failed:
        raise
    except Exception as error:  # the other tools go on
        raise Failed("this tool failed with %s; tell the person." % type(error).__name__) from None
    return context_text.cut(context_text.clean(secret_shapes.redact(text)), MAX_ANSWER, "\n[agentihooks: cut here]")


def own_session(environ, meta):
    """Return the session that the CLI names, "" when it names none that can be one. meta: what it says beside a call's arguments."""
    found = meta.get(META) or environ.get(ENVIRONMENT)
    return found if isinstance(found, str) and len(found) <= MAX_ID and found.isprintable() else ""


def _check(schema, arguments):
    """Raise Failed, which the model reads, unless the arguments fit the schema, as far as TOOLS makes use of schemas."""
    for name in schema["required"]:
        if name not in arguments:
            raise Failed("%s is missing" % name)
    for name, value in arguments.items():
        wanted = schema["properties"].get(name)
        if wanted is None:
            raise Failed("there is no argument %s; there are: %s" % (context_text.one_line(name, 60), ", ".join(schema["properties"]) or "none"))
        if wanted["type"] == "string":
            if not isinstance(value, str) or len(value) > wanted.get("maxLength", MAX_TEXT) or value not in wanted.get("enum", (value,)):
                what = "one of %s" % ", ".join(wanted["enum"]) if "enum" in wanted else "a text of at most %d characters" % wanted["maxLength"]
                raise Failed("%s must be %s" % (name, what))
        elif isinstance(value, bool) or not isinstance(value, int) or not wanted["minimum"] <= value <= wanted["maximum"]:
            raise Failed("%s must be a whole number from %d to %d" % (name, wanted["minimum"], wanted["maximum"]))


def _publish(arguments, host, own):
    now, text = int(time.time()), context_text.clean(arguments["message"]).strip()
    hits = secret_shapes.find(text)
    if hits:
        raise Failed("the message holds a secret (%s), and every session would show it to its model. Leave it out." % hits[0].rule_id)
    channel, severity = arguments.get("channel", broadcast_store.GLOBAL), arguments.get("severity", "info")
    ttl = min(arguments.get("ttl", broadcast_store.SEVERITIES[severity]), MAX_TTL)
    live = broadcast_store.messages(host.data_directory, now)
    by_models = [message for message in live if message["source"].startswith(SOURCE)]
    same = [message for message in live if (message["text"], message["channel"], message["severity"]) == (text, channel, severity)]
    if same and same[0] not in by_models:
        return "A person has published just that already, id %s." % same[0]["id"]
    if len(by_models) >= MAX_LIVE and not same:
        raise Failed("there are already %d live messages of models, which is the most. Tell the person instead." % MAX_LIVE)
    try:
        message, new = broadcast_store.publish(host.data_directory, text, channel, severity, ttl, SOURCE + (own[:8] or "unknown"), now)
    except ValueError as error:
        raise Failed(str(error)) from None
    return "%s, id %s, until %s." % ("Published" if new else "It was there already and lives on", message["id"], _clock(message["expires"]))


def _list(_arguments, host, _own):
    names = channels.heard(host.data_directory, host.environ)
    lines = []
    for message in broadcast_store.messages(host.data_directory, int(time.time())):
        heard = "" if broadcast_store.heard(message, names) else ", not heard by this session"
        about = (message["id"], message["severity"], message["channel"], heard, context_text.one_line(message["source"], 64) or "unknown")
        lines.append("%s %s, channel %s%s, from %s, until %s\n%s" % (about + (_clock(message["expires"]), context_text.quoted(message["text"]))))
    return "\n".join(lines) or "There are no live broadcasts."


def _acknowledge(arguments, host, own):
    from agentihooks import session_context
    from agentihooks.session_state import Session

    session_id = _session(arguments, own)
    if own and session_id != own:
        raise Failed("a session acknowledges for itself only.")
    if not own and not _is_known(session_id, host):
        raise Failed("no session of that id was seen on this machine.")
    if arguments["message_id"] not in [message["id"] for message in broadcast_store.messages(host.data_directory, int(time.time()))]:
        raise Failed("there is no live message of that id; channel_list shows them.")
    new = session_context.mark_given(Session(host.data_directory, session_id), "broadcast:" + arguments["message_id"])
    return "Acknowledged." if new else "This session had it already."


def _status(arguments, host, own):
    from agentihooks import consent

    session_id, now, policy = _session(arguments, own), time.time(), host.policy
    counts = {}
    for _time, rule in _denials(session_id, host):
        counts[rule] = counts.get(rule, 0) + 1
    unlocked = sorted(consent.unlocks(host.data_directory, session_id, now).items())
    lines = [
        "session: %s" % context_text.one_line(session_id, MAX_ID),
        "unlocked by a person: %s" % (", ".join("%s until %s" % (guard, _clock(until)) for guard, until in unlocked) or "nothing"),
        "denied so far: %s" % (", ".join("%s %d" % item for item in sorted(counts.items())) or "nothing"),
        "profiles: %s" % (", ".join(policy["chain"]) or "none"),
        "channels: %s" % ", ".join([broadcast_store.GLOBAL] + channels.heard(host.data_directory, host.environ)),
        "live broadcasts: %d" % len(broadcast_store.messages(host.data_directory, int(now))),
        "protected branches: %s" % (", ".join(policy["protected_branches"]) or "none"),
        "guard packs: %s" % (", ".join(policy["guard_packs"]) or "none"),
    ]
    return "\n".join(lines)


def _transcript(arguments, host, own):
    from agentihooks import transcript_paths, transcript_summary

    path = transcript_paths.find(_session(arguments, own), host.environ, host.home)
    if not path:
        raise Failed("there is no log of that session (yet).")
    try:
        return "\n".join(transcript_summary.lines(transcript_summary.summarize(path)))
    except ValueError:
        raise Failed("the log of that session cannot be read.") from None


def _explain(arguments, host, own):
    from agentihooks import rule_texts

    session_id = _session(arguments, own)
    found = _denials(session_id, host)[-arguments.get("last", 3):]
    lines = []
    for moment, rule in reversed(found):
        reason, way_out = rule_texts.of(rule)
        lines.append("%s [%s] %s %s" % (moment, rule, reason or "(a rule that this version does not know)", way_out))
    return "\n".join(lines) or "Nothing was denied in that session, as far as the log goes back."


def _denials(session_id, host):
    """Return (time, rule) of each denial of a session in the log, oldest first."""
    from agentihooks import guard_exceptions

    found = []
    for record in log.records(host.data_directory):
        if record.get("session") == session_id:
            for outcome in record["outcomes"]:
                if isinstance(outcome, list) and len(outcome) == 2 and outcome[0] == "deny" and guard_exceptions.is_rule(outcome[1]):
                    found.append((context_text.one_line(str(record.get("time")), 20), outcome[1]))
    return found


def _session(arguments, own):
    session_id = arguments.get("session_id") or own
    if not session_id:
        raise Failed("this CLI does not say which session it is; give session_id.")
    return session_id


def _is_known(session_id, host):
    from agentihooks.commands import sessions

    return session_id in [known for known, _seen in sessions(host.data_directory)]


def _clock(moment):
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


_RUN = {
    "channel_publish": _publish, "channel_list": _list, "channel_acknowledge": _acknowledge, "session_status": _status,
    "transcript_summary": _transcript, "explain_denial": _explain,
}  # fmt: skip
