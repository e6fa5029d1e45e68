# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: a CLI's hooks file, what of it is ours and what must be done to it. Pure.

Copilot's is hooks/agentihooks.json, a list of entries for each event; Codex's is hooks.json, a list of groups of handlers for
each event (docs/hook-contract.md, docs/codex-hooks.md). An entry or handler of ours is one whose command starts with our
wrapper, however that is quoted and whatever follows it: one that was edited to "wrapper preToolUse || true" is still ours,
and is put right. All others are the person's.
"""

from __future__ import annotations

import os
import shlex

from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, append, discard, drop, put, same
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import (
    CODEX_CONTEXT_LIMIT_KEY,
    CODEX_REGISTERED,
    CODEX_TIMEOUT_KEY,
    CODEX_TIMEOUTS,
    CODEX_WHOLE_CONTEXT,
    COPILOT_REGISTERED,
    COPILOT_TIMEOUT,
    COPILOT_TIMEOUT_KEY,
    HOOK_TIMEOUT,
    codex_hooks_keys,
)

# The keys a command can stand under; Copilot's loader takes any of them.
_COMMAND_KEYS = ("command", "bash", "exec")


class Malformed(ValueError):
    """The file is JSON, but the CLI would not load it. path: the keys to the place; the text says what is wrong there."""

    def __init__(self, path, message):
        super().__init__(message)
        self.path = tuple(path)


class Copilot:
    """What is special about Copilot's hooks file. wrapper: its absolute path; home: the person's, for commands that name it."""

    EVENTS = COPILOT_REGISTERED
    VERSION = 1

    def __init__(self, wrapper, home):
        self.wrapper = wrapper
        self.home = home

    def command(self, event):
        """Return the command that is registered for an event: it survives any shell, whatever is in the path."""
        return "%s %s" % (shlex.quote(self.wrapper), event)

    def entry(self, event):
        """Return the entry that is registered for an event."""
        return {"type": "command", "command": self.command(event), COPILOT_TIMEOUT_KEY: COPILOT_TIMEOUT}

    def top_level(self, value):
        """Return (edits, changes) for what stands beside the hooks of a file. value: ABSENT when there is none."""
        if value is ABSENT:
            return [put(("version",), self.VERSION)], []
        edits, changes = [], []
        if not same(value.get("version", ABSENT), self.VERSION):
            edits.append(put(("version",), self.VERSION))
            changes.append((("version",), "pinned"))
        if value.get("disableAllHooks", False) is not False:
            edits.append(put(("disableAllHooks",), False))
            changes.append((("disableAllHooks",), "pinned"))
        return edits, changes

    def check(self, value):
        """Raise Malformed where the CLI would refuse what is in a file; its own entries Copilot takes or leaves one by one."""

    def with_ours(self, items, event):
        """Return the entries of an event with exactly one of ours: where the first of ours was, else at the end."""
        wanted = self.entry(event)
        kept, placed = [], False
        for item in items:
            if self.is_ours(item):
                if not placed:
                    kept.append(wanted)
                    placed = True
                continue
            kept.extend(self._cleaned(item))
        return kept if placed else kept + [wanted]

    def without_ours(self, items):
        """Return the entries of an event that are not ours."""
        return [left for item in items if not self.is_ours(item) for left in self._cleaned(item)]

    def left(self, value):
        """Return what a hooks file says besides what we may have set: its entries by event, and its other keys."""
        hooks = value.get("hooks")
        by_event = {event: entries for event, entries in hooks.items() if entries} if isinstance(hooks, dict) else hooks or {}
        return by_event, {key: inner for key, inner in value.items() if key not in ("hooks", "version", "disableAllHooks")}

    def is_ours(self, item):
        """Return whether an entry or handler calls our wrapper and nothing before it."""
        return isinstance(item, dict) and any(_starts_with(item.get(key), self.wrapper, self.home) for key in _COMMAND_KEYS)

    def mentions(self, value):
        """Return whether an entry of ours stands anywhere in a value (settings of the CLI, another hooks file)."""
        if isinstance(value, dict):
            return self.is_ours(value) or any(self.mentions(inner) for inner in value.values())
        if isinstance(value, list):
            return any(self.mentions(inner) for inner in value)
        return False

    def _cleaned(self, item):
        """Return [item] without ours in its group ({"matcher", "hooks": [...]}), [] when nothing else was in the group."""
        group = item.get("hooks") if isinstance(item, dict) else None
        if not isinstance(group, list) or not any(self.is_ours(inner) for inner in group):
            return [item]
        left = [inner for inner in group if not self.is_ours(inner)]
        return [dict(item, hooks=left)] if left else []


class Codex(Copilot):
    """What is special about Codex's hooks file.

    Codex trusts a handler by its place: event, number of the group, number in the group. So nothing of the person's ever
    moves: ours comes last, and where it goes with groups behind it, an empty group keeps its place.
    version: of the CLI, "" for one that is not known.
    """

    EVENTS = CODEX_REGISTERED
    EMPTY = {"hooks": []}

    def __init__(self, wrapper, home, version=""):
        super().__init__(wrapper, home)
        self.keys = codex_hooks_keys(version)

    def command(self, event):
        """Return the one command of all events, the same for ever: a change of it costs the person's trust. The payload names the event."""
        return shlex.quote(self.wrapper)

    def handler(self, event):
        """Return the handler that is registered for an event."""
        found = {"type": "command", "command": self.command(event), CODEX_TIMEOUT_KEY: CODEX_TIMEOUTS.get(event, HOOK_TIMEOUT)}
        if event in CODEX_WHOLE_CONTEXT:
            found[CODEX_CONTEXT_LIMIT_KEY] = 0
        return found

    def entry(self, event):
        """Return the group that is registered for an event; without a matcher it is asked about everything."""
        return {"hooks": [self.handler(event)]}

    def top_level(self, value):
        """Return (edits, changes) that take out the keys for which Codex would ignore the whole file."""
        doomed = [] if value is ABSENT else [key for key in value if key not in self.keys]
        return [drop((key,)) for key in doomed], [((key,), "pinned") for key in doomed]

    def check(self, value):
        """Raise Malformed where Codex would ignore the whole file for one thing in it that is not ours."""
        if not isinstance(value.get("description", ""), (str, type(None))):
            raise Malformed(("description",), "is no text")
        for event, groups in value.get("hooks", {}).items():
            if event not in CODEX_REGISTERED and event not in ("PostCompact", "Interrupt", "PreModelRequest", "PostModelRequest"):
                continue  # Codex does not look at events that it does not know
            for number, group in enumerate(groups):
                path = ("hooks", event, str(number))
                if not isinstance(group, dict):
                    raise Malformed(path, "is no table")
                if not isinstance(group.get("matcher"), (str, type(None))):
                    raise Malformed(path + ("matcher",), "is no text")
                if not isinstance(group.get("hooks", []), list):
                    raise Malformed(path + ("hooks",), "is no list")
                for place, handler in enumerate(group.get("hooks", [])):
                    if not self.is_ours(handler):
                        self._check_handler(handler, path + ("hooks", str(place)))

    @staticmethod
    def _check_handler(handler, path):
        if not isinstance(handler, dict):
            raise Malformed(path, "is no table")
        if not isinstance(handler.get("type"), str):
            raise Malformed(path, "has no type")
        if handler["type"] == "command" and not isinstance(handler.get("command"), str):
            raise Malformed(path + ("command",), "is no text")
        for key, kinds, wanted in (
            (CODEX_TIMEOUT_KEY, (int, type(None)), "whole number of seconds"),
            (CODEX_CONTEXT_LIMIT_KEY, (int, type(None)), "whole number"),
            ("statusMessage", (str, type(None)), "text"),
            ("async", (bool,), "true or false"),
        ):
            if key in handler and (not isinstance(handler[key], kinds) or (isinstance(handler[key], bool) and bool not in kinds)):
                raise Malformed(path + (key,), "is no %s" % wanted)
            if isinstance(handler.get(key), int) and handler[key] < 0:
                raise Malformed(path + (key,), "is negative")

    def with_ours(self, items, event):
        """Return the groups of an event with exactly one of ours, which stays where it is as far as it works there."""
        wanted = self.entry(event)
        kept, placed = [], False
        for group in items:
            if self._works(group, event) and not placed:
                kept.append(group)
                placed = True
            elif self._is_all_ours(group):
                kept.append(self.EMPTY if placed else wanted)
                placed = True
            else:
                kept.append(self._cleaned_group(group))
        if not placed and self.EMPTY in kept:
            kept[kept.index(self.EMPTY)] = wanted
            placed = True
        kept = _without_empty_end(kept)
        return kept if placed else kept + [wanted]

    def without_ours(self, items):
        """Return the groups of an event without ours; an empty one stands where ours was, if others come after it."""
        if not any(self._has_ours(group) for group in items):
            return list(items)
        return _without_empty_end([self.EMPTY if self._is_all_ours(group) else self._cleaned_group(group) for group in items])

    def left(self, value):
        """Return what a hooks file says besides what we may have set."""
        hooks = value.get("hooks")
        by_event = {event: [group for group in groups if group != self.EMPTY] for event, groups in hooks.items()} if isinstance(hooks, dict) else {}
        return {event: groups for event, groups in by_event.items() if groups}, {key: inner for key, inner in value.items() if key != "hooks"}

    def place(self, value, event):
        """Return (number of the group, number in it) of our handler in a file that holds it; None where it is not."""
        for number, group in enumerate(value.get("hooks", {}).get(event, [])):
            for inner, handler in enumerate(_handlers(group)):
                if self.is_ours(handler):
                    return number, inner
        return None

    def _works(self, group, event):
        """Return whether a group that also holds a person's handlers has ours in it just as it must be, and once."""
        handlers = _handlers(group)
        ours = [handler for handler in handlers if self.is_ours(handler)]
        return len(ours) == 1 and same(ours[0], self.handler(event)) and group.get("matcher") in (None, "", "*") and len(handlers) > 1

    def _has_ours(self, group):
        return any(self.is_ours(handler) for handler in _handlers(group))

    def _is_all_ours(self, group):
        handlers = _handlers(group)
        return bool(handlers) and all(self.is_ours(handler) for handler in handlers)

    def _cleaned_group(self, group):
        return dict(group, hooks=[handler for handler in group["hooks"] if not self.is_ours(handler)]) if self._has_ours(group) else group


def plan(form, value, events=None):
    """Return (edits, changes) that make a hooks file hold our entries and nothing of ours besides.

    form: a Copilot or Codex. value: what the file holds, ABSENT when there is none. events: the names to register, () to take
    ours out, None for all of the form. changes: a list of (path, outcome) with created, pinned or removed. Raises Malformed.
    """
    events = form.EVENTS if events is None else events
    missing = value is ABSENT
    hooks = _hooks({} if missing else value)
    form.check({} if missing else value)
    edits, changes = form.top_level(value) if events else ([], [])
    for event in list(events) + [name for name in hooks if name not in events]:
        path = ("hooks", event)
        old = hooks.get(event, ABSENT)
        items = [] if old is ABSENT else old
        new = form.with_ours(items, event) if event in events else form.without_ours(items)
        if same(old, new) or (old is ABSENT and not new):
            continue
        edits.extend(_edits(path, items, new, old is ABSENT))
        changes.append((path, "removed" if event not in events else "created" if old is ABSENT and missing else "pinned"))
    return edits, changes


def is_empty(value):
    """Return whether a hooks file holds no hooks and nothing else that a person could have put there."""
    return all(key == "version" or (key == "disableAllHooks" and value[key] is False) or (key == "hooks" and value[key] == {}) for key in value)


def _edits(path, old, new, absent):
    """Return the edits that turn one list into the other, with as little of its text touched as can be."""
    if not new:
        # An event of which only we made something goes; so does one that we emptied.
        return [drop(path)]
    if not absent and len(new) == len(old) + 1 and same(new[:-1], old):
        return [append(path, new[-1])]
    gone = [item for item in old if not any(same(item, other) for other in new)]
    if not absent and same([item for item in old if not any(same(item, other) for other in gone)], new):
        return [discard(path, item) for item in gone]
    return [put(path, new)]


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


def _handlers(group):
    """Return the handlers of a group, [] for what is none (under an event that the CLI does not know)."""
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def _without_empty_end(groups):
    while groups and groups[-1] == Codex.EMPTY:
        groups = groups[:-1]
    return groups


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
