# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: Copilot's hooks file, what of it is ours and what must be done to it. Pure.

The file is hooks/agentihooks.json (contract/COPILOT.md, section 1). An entry of ours is one whose command starts with our
wrapper, however that is quoted and whatever follows it: an entry that was edited to "wrapper preToolUse || true" is
still ours, and is put right. All other entries are the person's.
"""

from __future__ import annotations

import os
import shlex

from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, drop, put, same
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import (
    COPILOT_REGISTERED,
    COPILOT_TIMEOUT,
    COPILOT_TIMEOUT_KEY,
)

VERSION = 1
# The keys a command can stand under; the loader takes any of them.
_COMMAND_KEYS = ("command", "bash", "exec")


class Malformed(ValueError):
    """The file is JSON, but not a hooks file. path: the keys to the place; the text says what is wrong there."""

    def __init__(self, path, message):
        super().__init__(message)
        self.path = tuple(path)


def command(wrapper, event):
    """Return the command that is registered for an event: it survives any shell, whatever is in the path."""
    return "%s %s" % (shlex.quote(wrapper), event)


def entry(wrapper, event):
    """Return the entry that is registered for an event."""
    return {"type": "command", "command": command(wrapper, event), COPILOT_TIMEOUT_KEY: COPILOT_TIMEOUT}


def is_ours(item, wrapper, home):
    """Return whether an entry calls our wrapper and nothing before it."""
    if not isinstance(item, dict):
        return False
    return any(_starts_with(item.get(key), wrapper, home) for key in _COMMAND_KEYS)


def mentions(value, wrapper, home):
    """Return whether an entry of ours stands anywhere in a value (settings of the CLI, another hooks file)."""
    if isinstance(value, dict):
        return is_ours(value, wrapper, home) or any(mentions(inner, wrapper, home) for inner in value.values())
    if isinstance(value, list):
        return any(mentions(inner, wrapper, home) for inner in value)
    return False


def plan(value, wrapper, home, events=COPILOT_REGISTERED):
    """Return (edits, changes) that make a hooks file hold our entries and nothing of ours besides.

    value: what the file holds, ABSENT when there is none. events: the names to register, () to take ours out.
    changes: a list of (path, outcome) with created, pinned or removed. Raises Malformed.
    """
    missing = value is ABSENT
    edits, changes = [], []
    hooks = _hooks({} if missing else value)
    if events:
        if not missing and not same(value.get("version", ABSENT), VERSION):
            changes.append((("version",), "pinned"))
        if missing or not same(value.get("version", ABSENT), VERSION):
            edits.append(put(("version",), VERSION))
        if not missing and value.get("disableAllHooks", False) is not False:
            edits.append(put(("disableAllHooks",), False))
            changes.append((("disableAllHooks",), "pinned"))
    for event in list(events) + [name for name in hooks if name not in events]:
        path = ("hooks", event)
        old = hooks.get(event, ABSENT)
        new = _with_entry(old, wrapper, home, event) if event in events else _without_ours(old, wrapper, home)
        if same(old, new):
            continue
        # An event of which only we made something goes; so does one that we emptied.
        edits.append(drop(path) if new == [] else put(path, new))
        changes.append((path, "removed" if event not in events else "created" if old is ABSENT and missing else "pinned"))
    return edits, changes


def is_empty(value):
    """Return whether a hooks file holds no hooks and nothing else that a person could have put there."""
    return all(key == "version" or (key == "disableAllHooks" and value[key] is False) or (key == "hooks" and value[key] == {}) for key in value)


def _hooks(value):
    if not isinstance(value, dict):
        raise Malformed((), "holds no JSON object")
    hooks = value.get("hooks", {})
    if not isinstance(hooks, dict):
        raise Malformed(("hooks",), "is no JSON object")
    for event, items in hooks.items():
        if not isinstance(items, list):
            raise Malformed(("hooks", event), "is no list")
    return hooks


def _with_entry(items, wrapper, home, event):
    """Return the entries of an event with exactly one of ours: where the first of ours was, else at the end."""
    wanted = entry(wrapper, event)
    kept, placed = [], False
    for item in [] if items is ABSENT else items:
        if is_ours(item, wrapper, home):
            if not placed:
                kept.append(wanted)
                placed = True
            continue
        kept.extend(_cleaned(item, wrapper, home))
    return kept if placed else kept + [wanted]


def _without_ours(items, wrapper, home):
    return [left for item in items if not is_ours(item, wrapper, home) for left in _cleaned(item, wrapper, home)]


def _cleaned(item, wrapper, home):
    """Return [item] without ours in its group ({"matcher", "hooks": [...]}), [] when nothing else was in the group."""
    group = item.get("hooks") if isinstance(item, dict) else None
    if not isinstance(group, list) or not any(is_ours(inner, wrapper, home) for inner in group):
        return [item]
    left = [inner for inner in group if not is_ours(inner, wrapper, home)]
    return [dict(item, hooks=left)] if left else []


def _starts_with(text, wrapper, home):
    if not isinstance(text, str):
        return False
    text = text.strip()
    if text == wrapper or (text.startswith(wrapper) and text[len(wrapper)].isspace()):
        return True
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        first = next(lexer, "")
    except ValueError:
        return False
    for variable in ("$HOME", "${HOME}", "~"):
        if first.startswith(variable + "/"):
            first = home + first[len(variable):]
    return os.path.normpath(first) == wrapper if first else False
