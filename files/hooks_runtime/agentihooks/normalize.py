# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Payload of any CLI, version and registration -> Event. Pure: bytes in, Event out.

Dialects (measured): Copilot camelCase with arguments as a JSON string (1.0.80 and older) or as an object (1.0.83 and newer),
Copilot PascalCase/snake_case, Copilot's batched toolCalls[], raw patch text instead of arguments, and Codex's snake_case.
"""

from __future__ import annotations

import json

from agentihooks.event import Call, Event
from agentihooks.vocabulary import (
    BUILTIN_OTHER, COMMAND_KEYS, COPILOT_EVENTS, DECIDING, EDITOR_TOOL, EDITOR_VERBS, EVENTS, TOOL_KINDS,
)

MAX_DEPTH = 100  # of nested arguments
_ARGUMENT_KEYS = ("toolArgs", "tool_input", "toolInput", "arguments", "args", "input")
_PATCH_START = "*** Begin Patch"


class NotUnderstood(Exception):
    """The payload cannot be judged; the text says what is wrong with it."""


def event_name(argument, payload=None):
    """Return the event in vocabulary.EVENTS that the command line or else the payload names, "" for none."""
    names = [argument]
    if isinstance(payload, dict):
        names += [payload.get("hookEventName"), payload.get("hook_event_name"), payload.get("hookName")]
    for name in names:
        if isinstance(name, str) and name:
            return COPILOT_EVENTS.get(name) or (name if name in EVENTS else "")
    return ""


def session_id(payload):
    """Return the session's id, "" when the payload has none."""
    return _text(payload, "sessionId", "session_id", "thread-id")


def parse(data):
    """Return the payload (a dict) in data (bytes). Raises NotUnderstood."""
    try:
        payload = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotUnderstood("the hook's input is not UTF-8 (byte %d)" % error.start)
    except RecursionError:
        raise NotUnderstood("the hook's input is nested too deeply")
    except ValueError as error:
        raise NotUnderstood("the hook's input is not JSON (%s)" % error)
    if not isinstance(payload, dict):
        raise NotUnderstood("the hook's input is not a JSON object")
    return payload


def normalize(target, argument, payload):
    """Return the Event of a parsed payload. Raises NotUnderstood when a deciding event holds no call that can be read."""
    name = event_name(argument, payload)
    if target != "copilot":
        dialect = "codex"
    elif isinstance(payload.get("toolCalls"), list):
        dialect = "batch"
    else:
        dialect = "pascal" if "session_id" in payload else "camel"
    calls = _calls(payload) if name in DECIDING or name.startswith("PostToolUse") else []
    if name in DECIDING and not calls:
        raise NotUnderstood("the hook's input names no tool")
    return Event(
        target, name, dialect, session_id(payload), _text(payload, "cwd", "workspaceRoot"), calls, _text(payload, "prompt"), payload
    )


def _calls(payload):
    calls = []
    batch = payload.get("toolCalls")
    if batch is not None:
        if not isinstance(batch, list):
            raise NotUnderstood('"toolCalls" is not a list')
        for item in batch:
            if not isinstance(item, dict):
                raise NotUnderstood('"toolCalls" holds something that is not an object')
            calls += _one_call(item, _text(item, "name", "toolName"), _text(item, "id"))
    name = _text(payload, "toolName", "tool_name")
    if name:
        server = _text(payload, "serverName")
        calls += _one_call(payload, "%s-%s" % (server, name) if server else name, _text(payload, "toolCallId", "tool_use_id"))
    return calls


def _one_call(holder, name, id):
    """Return the call in holder; two when two argument keys hold different things (which of them the CLI means is unknown)."""
    if not name:
        raise NotUnderstood("the hook's input holds a call without a tool name")
    seen = []
    for key in _ARGUMENT_KEYS:
        value = holder.get(key)
        if value not in (None, "", {}, []) and value not in seen:
            seen.append(value)
    return [_call(name, value, id) for value in seen or [{}]]


def _call(name, value, id):
    kind = kind_of(name)
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, dict):
            value = parsed
        elif _PATCH_START in value or kind == "patch":
            return Call(name, "patch", {"text": value}, id)
        else:
            raise NotUnderstood('the arguments of the tool "%s" are a text that is not a JSON object' % name[:80])
    if not isinstance(value, dict):
        raise NotUnderstood('the arguments of the tool "%s" are not an object' % name[:80])
    if _too_deep(value):
        raise NotUnderstood('the arguments of the tool "%s" are nested too deeply' % name[:80])
    verb = value.get("command") if isinstance(value.get("command"), str) else ""
    if kind == "shell" and not any(_is_command(value.get(key)) for key in COMMAND_KEYS):
        raise NotUnderstood('the arguments of the tool "%s" hold no command that can be read' % name[:80])
    if name == EDITOR_TOOL or (kind == "edit" and verb in EDITOR_VERBS):
        kind = EDITOR_VERBS.get(verb, "edit")
    if kind == "edit" and any(isinstance(item, str) and _PATCH_START in item for item in value.values()):
        kind = "patch"
    return Call(name, kind, value, id)


def _is_command(value):
    return isinstance(value, str) or (isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value))


def kind_of(name):
    """Return the kind (vocabulary.KINDS) of a tool by its name; what is not built in is an MCP tool."""
    if name == EDITOR_TOOL:
        return "edit"
    kind = TOOL_KINDS.get(name) or TOOL_KINDS.get(name.lower())
    if kind:
        return kind
    return "other" if name in BUILTIN_OTHER else "mcp"


def _too_deep(value):
    """Return whether value is nested beyond MAX_DEPTH: what walks it later may recurse."""
    level = [value]
    for _level in range(MAX_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def _text(holder, *keys):
    for key in keys:
        value = holder.get(key)
        if isinstance(value, str) and value:
            return value
    return ""
