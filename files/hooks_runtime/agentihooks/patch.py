# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A patch (apply_patch text or a unified diff) -> what it does to each file. Pure, never raises."""

from __future__ import annotations

_HEADERS = (("*** Add File: ", "add"), ("*** Update File: ", "update"), ("*** Delete File: ", "delete"))
_MOVE = "*** Move to: "
_MARKS = ("*** Begin Patch", "*** End Patch", "*** End of File")
_DIFF_NOTES = ("diff --git ", "index ", "new file mode ", "deleted file mode ", "\\ No newline")


class FileChange:
    """What a patch does to one file.

    path: the file, "" when the patch does not say. op: "add", "update" or "delete". moved_to: its new path, "" for none.
    added, removed: the text of the lines that come and go, without their marks; context lines are in neither.
    hunks: (lines before, lines after) of each place that changes, context lines in both.
    """

    __slots__ = ("path", "op", "moved_to", "added", "removed", "hunks")

    def __init__(self, path, op):
        self.path = path
        self.op = op
        self.moved_to = ""
        self.added = ""
        self.removed = ""
        self.hunks = []

    def result(self, before):
        """Return the file's text after this change, None when the hunks do not fit. before: its text, "" for a new file."""
        if self.op == "delete":
            return ""
        if self.op == "add":
            return self.added + "\n"
        lines, start = before.split("\n"), 0
        for old, new in self.hunks:
            place = _find(lines, old, start)
            if place is None:
                return None
            lines[place : place + len(old)] = new
            start = place + len(new)
        return "\n".join(lines)


def _find(lines, wanted, start):
    """Return where wanted stands in lines, None for nowhere; at the end when it is empty. Blanks at line ends do not count."""
    if not wanted:
        return len(lines) - 1 if lines and not lines[-1] else len(lines)
    bare, target = [line.rstrip() for line in lines], [line.rstrip() for line in wanted]
    for place in list(range(start, len(lines))) + list(range(start)):
        if bare[place] == target[0] and bare[place : place + len(target)] == target:
            return place
    return None


def parse(text):
    """Return the FileChanges in text. What is no part of a known form counts as added: it may be written."""
    lines = str(text).replace("\r\n", "\n").split("\n")
    is_diff = not any(line.startswith(_MARKS) for line in lines) and any(map(_is_diff_header, lines, lines[1:]))
    changes = []
    current, added, removed, hunks = None, [], [], [([], [])]

    def close():
        change = current or (FileChange("", "update") if added or removed else None)
        if change is not None:
            change.added, change.removed = "\n".join(added), "\n".join(removed)
            change.hunks = [hunk for hunk in hunks if hunk[0] or hunk[1]]
            changes.append(change)
        added.clear()
        removed.clear()
        hunks[:] = [([], [])]

    for line, following in zip(lines, lines[1:] + [""]):
        header = None if is_diff else next(((mark, op) for mark, op in _HEADERS if line.startswith(mark)), None)
        if header:
            close()
            current = FileChange(line[len(header[0]) :].strip(), header[1])
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
        elif line.startswith(_MOVE) and current is not None:
            current.moved_to = line[len(_MOVE) :].strip()
        elif line.startswith("@@"):
            hunks.append(([], []))
        elif line.startswith("+"):
            added.append(line[1:])
            hunks[-1][1].append(line[1:])
        elif current is not None and current.op == "add" and not is_diff and line and not line.startswith(_MARKS):
            added.append(line)  # a new file has no other lines, whatever they begin with
        elif line.startswith("-"):
            removed.append(line[1:])
            hunks[-1][0].append(line[1:])
        elif line.startswith(" "):
            hunks[-1][0].append(line[1:])
            hunks[-1][1].append(line[1:])
        elif line and not line.startswith(_MARKS + (_DIFF_NOTES if is_diff else ())):
            added.append(line)
            hunks[-1][1].append(line)
    close()
    return changes


def _is_diff_header(line, following):
    return line.startswith("--- ") and following.startswith("+++ ")


def _diff_path(line):
    path = line[4:].split("\t")[0].strip()
    return path[2:] if path.startswith(("a/", "b/")) else path
