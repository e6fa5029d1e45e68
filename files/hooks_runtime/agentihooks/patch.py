# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A patch (apply_patch text or a unified diff) -> what it does to each file. Pure, never raises."""

from __future__ import annotations

import re

# Read more loosely than the CLIs may read them (not measured): a header that is overlooked would hide a file.
_HEADER = re.compile(r"[ \t]*\*{3}[ \t]*(add|update|delete)[ \t]+file:[ \t]*(\S.*)", re.IGNORECASE)
_MOVE = re.compile(r"\*{3}[ \t]*move[ \t]+to:[ \t]*(\S.*)", re.IGNORECASE)
_MARKS = ("*** Begin Patch", "*** End Patch", "*** End of File")
_DIFF_NOTES = ("diff --git ", "index ", "new file mode ", "deleted file mode ", "\\ No newline")


class FileChange:
    """What a patch does to one file.

    path: the file, "" when the patch does not say. op: "add", "update" or "delete". moved_to: its new path, "" for none.
    added, removed: the text of the lines that come and go, without their marks; context lines are in neither. body: all lines as
    they stand in the patch, with their marks.
    """

    __slots__ = ("path", "op", "moved_to", "added", "removed", "body")

    def __init__(self, path, op):
        self.path = path
        self.op = op
        self.moved_to = ""
        self.added = ""
        self.removed = ""
        self.body = []


def parse(text):
    """Return the FileChanges in text. What is no part of a known form counts as added: it may be written."""
    lines = str(text).replace("\r\n", "\n").split("\n")
    is_diff = not any(line.startswith(_MARKS) for line in lines) and any(map(_is_diff_header, lines, lines[1:]))
    changes = []
    current, added, removed = None, [], []

    def close():
        change = current or (FileChange("", "update") if added or removed else None)
        if change is not None:
            change.added, change.removed = "\n".join(added), "\n".join(removed)
            changes.append(change)
        added.clear()
        removed.clear()

    for line, following in zip(lines, lines[1:] + [""]):
        if current is not None and not line.startswith(_MARKS):
            current.body.append(line)
        header = None if is_diff else _HEADER.match(line)
        if header and not (line[:1] == " " and current is not None and current.op == "update"):  # a line that stays begins with a blank
            close()
            current = FileChange(header.group(2).strip(), header.group(1).lower())
        elif is_diff and _is_diff_header(line, following):
            close()
            current = FileChange(_diff_path(line), "update")
        elif is_diff and line.startswith("+++ ") and current is not None and not current.moved_to and not added and not removed:
            new = _diff_path(line)
            if current.path == "/dev/null":
                current.path, current.op = new, "add"
            elif new == "/dev/null":
                current.op = "delete"
            elif new != current.path:
                current.moved_to = new
        elif _MOVE.match(line) and current is not None:
            current.moved_to = _MOVE.match(line).group(1).strip()
        elif line.startswith("+"):
            added.append(line[1:])
        elif current is not None and current.op == "add" and not is_diff and line and not line.startswith(_MARKS):
            added.append(line)  # a new file has no other lines, whatever they begin with
        elif line.startswith("-"):
            removed.append(line[1:])
        elif line and not line.startswith((" ", "@@") + _MARKS + (_DIFF_NOTES if is_diff else ())):
            added.append(line)
    close()
    return changes


def applied(change, text):
    """Return the text of a file after an update, None when a hunk does not fit it."""
    lines, position = text.split("\n"), 0
    hunks = [([], [])]
    for line in change.body:
        if line.startswith("@@"):
            hunks.append(([], []))
        elif line.startswith(("+", "-", " ")) or not line:
            hunks[-1][0].extend([line[1:]] if line[:1] != "+" else [])
            hunks[-1][1].extend([line[1:]] if line[:1] != "-" else [])
    for old, new in hunks:
        while old and new and not old[-1] and not new[-1]:  # the empty lines that end the patch's text are none of the file
            old.pop()
            new.pop()
        if old == new:
            continue
        starts = range(position, len(lines) - len(old) + 1)
        start = next((at for at in starts if lines[at : at + len(old)] == old), None) if old else len(lines)
        if start is None:
            return None
        lines[start : start + len(old)] = new
        position = start + len(new)
    return "\n".join(lines)


def _is_diff_header(line, following):
    return line.startswith("--- ") and following.startswith("+++ ")


def _diff_path(line):
    path = line[4:].split("\t")[0].strip()
    return path[2:] if path.startswith(("a/", "b/")) else path
