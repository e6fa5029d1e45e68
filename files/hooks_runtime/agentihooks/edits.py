# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a write, edit or patch call leaves in its files. Pure but for the function that reads them; never raises."""

from __future__ import annotations

from agentihooks import patch
from agentihooks.vocabulary import NEW_TEXT_KEYS, OLD_TEXT_KEYS, PATCH_KEYS, PATH_KEYS


class Change:
    """What happens to one file.

    path: as the call spells it, "" when it names none. before: its text now, "" when there is none.
    after: its text then, None when that cannot be told. new: the text that the call brings in.
    """

    __slots__ = ("path", "before", "after", "new")

    def __init__(self, path, before, after, new):
        self.path = path
        self.before = before
        self.after = after
        self.new = new


def paths(call):
    """Return the paths that a write, edit or patch call names; a move names two."""
    if call.kind == "patch":
        return [path for change in _patches(call.args) for path in (change.path, change.moved_to) if path]
    return [call.args[key] for key in PATH_KEYS if isinstance(call.args.get(key), str) and call.args[key]]


def changes(call, read):
    """Return the Changes of a write, edit or patch call. read: function path -> text, None when there is none."""
    if call.kind == "patch":
        found = []
        for change in _patches(call.args):
            before = read(change.path) or "" if change.path else ""
            after = change.result(before)
            if change.moved_to:
                found.append(Change(change.path, before, "", ""))
                found.append(Change(change.moved_to, read(change.moved_to) or "", after, change.added))
            else:
                found.append(Change(change.path, before, after, change.added))
        return found
    found = []
    for path in paths(call) or [""]:
        before = read(path) or "" if path else ""
        after = _first(call.args, NEW_TEXT_KEYS) if call.kind == "write" else edited(before, call.args)
        found.append(Change(path, before, after, "\n".join(_texts(call.args, NEW_TEXT_KEYS))))
    return found


def edited(before, args):
    """Return the text after an edit's replacements and insertions, None when one of them does not fit."""
    steps = args.get("edits") if isinstance(args.get("edits"), list) else [args]
    text = before
    for step in steps:
        if not isinstance(step, dict):
            return None
        old, new = _first(step, OLD_TEXT_KEYS), _first(step, NEW_TEXT_KEYS)
        line = next((step[key] for key in ("insert_line", "line") if type(step.get(key)) is int), None)
        if old:
            if old not in text:
                return None
            text = text.replace(old, new or "") if step.get("replace_all") is True else text.replace(old, new or "", 1)
        elif new is None:
            return None
        elif line is not None:
            lines = text.split("\n")
            text = "\n".join(lines[:line] + [new.rstrip("\n")] + lines[line:])
        elif before:
            return None
        else:
            text = new
    return text


def _first(args, keys):
    return next((args[key] for key in keys if isinstance(args.get(key), str)), None)


def _texts(value, keys):
    """Return every text under one of the keys, at any depth."""
    if isinstance(value, dict):
        found = [item for key, item in value.items() if key in keys and isinstance(item, str)]
        return found + [text for item in value.values() if not isinstance(item, str) for text in _texts(item, keys)]
    return [text for item in value for text in _texts(item, keys)] if isinstance(value, list) else []


def _patches(args):
    return [change for key in PATCH_KEYS if isinstance(args.get(key), str) for change in patch.parse(args[key])]
