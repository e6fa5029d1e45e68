# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call would make of the files it writes: text before and after, for guards that judge the result. Pure but for the
read function that is handed in (event.Context.read).
"""

from __future__ import annotations

from agentihooks import patch, shell
from agentihooks.shell_walk import command_texts, steps
from agentihooks.vocabulary import NEW_TEXT_KEYS, PATCH_KEYS, PATH_KEYS

_IN_PLACE = frozenset("sed gsed perl ruby".split())


class FileWrite:
    """What one call does to one file.

    path: as given. before: its text, None when there is no such file. after: its text then, None when that cannot be told.
    removed, added: the texts that the call takes out and puts in, as far as it names them.
    """

    __slots__ = ("path", "before", "after", "removed", "added")

    def __init__(self, path, before, after, removed="", added=""):
        self.path = path
        self.before = before
        self.after = after
        self.removed = removed
        self.added = added


def writes(call, event_cwd, context, wanted):
    """Return the FileWrites of one call on files whose base name the function wanted accepts."""
    if call.kind == "patch":
        return _patch(call, event_cwd, context, wanted)
    if call.kind in ("write", "edit", "mcp", "other"):
        paths = [call.args[key] for key in PATH_KEYS if isinstance(call.args.get(key), str)]
        paths = [path for path in paths if wanted(base_name(path))]
        found = [_one(path, call.args, event_cwd, context) for path in paths]
        return [one for one in found if one is not None] + (_shell(call, event_cwd, context, wanted) if call.kind in ("mcp", "other") else [])
    return _shell(call, event_cwd, context, wanted) if call.kind == "shell" else []


def base_name(path):
    """Return the last part of a path, whatever its separator."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def text_before(path, cwd, context):
    """Return (the text of a file, whether it is there); ("", True) for one that cannot be read whole."""
    place = shell.join(cwd, context.home + path[1:] if path.startswith("~/") else path)
    try:
        text = context.read(place)
    except (OSError, ValueError):
        return "", True
    return (text or ""), text is not None


def _one(path, args, cwd, context):
    """Return the FileWrite of a tool that takes a whole text, one or several replacements, or an insertion; None for no text."""
    before, there = text_before(path, cwd, context)
    edits = [item for item in args.get("edits") or [] if isinstance(item, dict)] if isinstance(args.get("edits"), list) else []
    if _old(args) is not None:
        edits.insert(0, args)
    if edits:
        after, removed, added = before, [], []
        for edit in edits:
            old, new = _old(edit) or "", _new(edit) or ""
            removed.append(old)
            added.append(new)
            if not old:
                after = new + after
            else:
                after = after.replace(old, new) if edit.get("replace_all") or edit.get("replaceAll") else after.replace(old, new, 1)
        return FileWrite(path, before if there else None, after if there else None, "\n".join(removed), "\n".join(added))
    new = _new(args)
    if new is None:
        return None
    line = args.get("insert_line")
    if isinstance(line, int) and not isinstance(line, bool):
        lines = before.split("\n")
        lines[max(0, line) : max(0, line)] = new.rstrip("\n").split("\n")
        return FileWrite(path, before if there else None, "\n".join(lines), "", new)
    return FileWrite(path, before if there else None, new, before, new)


def _old(args):
    return next((args[key] for key in ("old_str", "old_string", "oldText", "old_text") if isinstance(args.get(key), str)), None)


def _new(args):
    return next((args[key] for key in NEW_TEXT_KEYS + ("newText", "new_text") if isinstance(args.get(key), str)), None)


def _patch(call, cwd, context, wanted):
    found = []
    for key in PATCH_KEYS:
        text = call.args.get(key)
        found += _patched(text, cwd, context, wanted) if isinstance(text, str) else []
    return found


def _patched(text, cwd, context, wanted):
    found = []
    if text:
        for change in patch.parse(text):
            path = change.moved_to or change.path
            if change.op == "delete" or not wanted(base_name(path)):
                continue
            before, there = text_before(change.path, cwd, context)
            if change.op == "add":
                found.append(FileWrite(path, before if there else None, change.added + "\n", "", change.added))
                continue
            after = patch.applied(change, before) if there else None
            found.append(FileWrite(path, before if there else None, after, change.removed, change.added))
    return found


def _shell(call, cwd, context, wanted):
    """Return what redirections and tee of known text write, and sed -i where its program names the text."""
    found = [step for text in command_texts(call) for step in steps(text, context.home, cwd) if not step.via]
    return [write for step in found for write in _step(step, context, wanted)]


def _step(step, context, wanted):
    command, program, found = step.command, step.program, []
    if program in ("apply_patch", "applypatch"):
        for text in [word for word in step.words if "*** Begin Patch" in word] + list(command.feeds):
            found += _patched(text, command.cwd, context, wanted)
    targets = [(word.text, any(word is one for one in command.appends)) for word in command.writes]
    if program == "tee":
        appends = any(word.startswith("-") and "a" in word for word in step.words)
        targets += [(word, appends) for word in step.words if not word.startswith("-")]
    for path, appends in targets:
        if not wanted(base_name(path)):
            continue
        before, there = text_before(path, command.cwd, context)
        new = printed(command)
        if new is None:
            after = None
        else:
            after = before + new if appends else new
        found.append(FileWrite(path, before if there else None, after, "" if appends else before, new or ""))
    if program in _IN_PLACE and any(word.startswith(("-i", "-pi", "-ni", "--in-place")) for word in step.words):
        for path in step.words:
            if not path.startswith("-") and wanted(base_name(path)):
                before, there = text_before(path, command.cwd, context)
                rest = "\n".join(word for word in step.words if word is not path)
                found.append(FileWrite(path, before if there else None, None, "", rest))
    return found


def printed(command):
    """Return what a command writes into its redirections, None when that is not plain."""
    if command.feeds:
        return command.feeds[0]
    text = shell.output([command], True)
    if text == shell.UNKNOWN and command.piped_from is not None:
        text = shell.piped_text(command)
    return None if shell.UNKNOWN in text else text + "\n"
