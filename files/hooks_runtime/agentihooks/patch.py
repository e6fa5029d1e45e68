# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A patch (apply_patch text or a unified diff) -> what it does to each file. Pure, never raises."""

from __future__ import annotations

_HEADERS = (("*** Add File: ", "add"), ("*** Update File: ", "update"), ("*** Delete File: ", "delete"))
_MOVE = "*** Move to: "


class FileChange:
    """What a patch does to one file.

    path: the file, "" when the patch does not say. op: "add", "update" or "delete". moved_to: its new path, "" for none.
    added, removed: the text of the lines that come and go, without their marks; context lines are in neither.
    """

    __slots__ = ("path", "op", "moved_to", "added", "removed")

    def __init__(self, path, op):
        self.path = path
        self.op = op
        self.moved_to = ""
        self.added = ""
        self.removed = ""


def parse(text):
    """Return the FileChanges in text. What is no part of a known form counts as added: it may be written."""
    text = text.replace("\r\n", "\n")
    is_diff = "*** " not in text and ("\n+++ " in text or text.startswith(("--- ", "diff --git ")))
    changes, added, removed = [], [], []
    current = None

    def close():
        nonlocal current
        if current is None and (added or removed):
            current = FileChange("", "update")
        if current is not None:
            current.added, current.removed = "\n".join(added), "\n".join(removed)
            changes.append(current)
        added.clear()
        removed.clear()
        current = None

    for line in text.split("\n"):
        header = None if is_diff else next(((mark, op) for mark, op in _HEADERS if line.startswith(mark)), None)
        if header:
            close()
            current = FileChange(line[len(header[0]) :].strip(), header[1])
        elif is_diff and line.startswith("--- "):
            close()
            current = FileChange(_diff_path(line), "update")
        elif is_diff and line.startswith("+++ ") and current is not None and not added:
            current.moved_to = _diff_path(line)
            if current.moved_to == current.path:
                current.moved_to = ""
        elif line.startswith(_MOVE) and current is not None:
            current.moved_to = line[len(_MOVE) :].strip()
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-"):
            removed.append(line[1:])
        elif not line.startswith((" ", "@@", "***", "diff --git ", "index ", "create file", "new file", "\\ No newline")) and line:
            added.append(line)
    close()
    return changes


def _diff_path(line):
    path = line[4:].split("\t")[0].strip()
    return path[2:] if path.startswith(("a/", "b/")) else path
