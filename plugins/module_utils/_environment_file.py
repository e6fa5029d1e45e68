# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: a file of environment variables that a shell reads, edited line by line. Pure.

A format for _document: the table is {NAME: what stands behind NAME=, as written}. Only lines of the form NAME=... (or
export NAME=...) are variables; the rest, and everything about the lines that are not edited, is the person's and stays.
"""

from __future__ import annotations

import re

from ansible_collections.agentihooks.fleet.plugins.module_utils import _environment
from ansible_collections.agentihooks.fleet.plugins.module_utils._format_error import FormatError
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT

_ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*?)\n?", re.DOTALL)
# What a line consists of; a quoted text or an escaped line end goes on in the next one.
_PIECE = re.compile(
    r"""(?P<end>\n)|(?:(?<=[\s;])|^)\#[^\n]*|\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\n'"\\#$]+|[#$]"""
)


class Document:
    """A parsed file. lines: as a shell reads them (a quoted text may hold line ends), each with its line end; places: name to
    index of the line that counts, the last one; value: the table."""

    __slots__ = ("lines", "places", "value")

    def __init__(self, lines):
        self.lines = lines
        self.places = {}
        self.value = {}
        for index, line in enumerate(lines):
            match = _ASSIGNMENT.fullmatch(line)
            if match:
                self.places[match.group(1)] = index
                self.value[match.group(1)] = match.group(2)


def parse(data):
    """Return the Document of data (bytes). Raises FormatError for a quote that does not end, and for no plain text."""
    if b"\x00" in data:
        raise FormatError("holds a NUL byte, so it is no plain text; save it as UTF-8", data[: data.index(b"\x00")].count(b"\n") + 1)
    return Document(_lines(data.decode("utf-8", "surrogateescape")))


def dump(value):
    """Return the bytes of a new file that holds a table."""
    return apply(Document([]), [("put", (name,), text) for name, text in value.items()])


def apply(document, edits):
    """Return the bytes of a document with edits (see _values) applied in order; all other lines are untouched.

    Of a variable that is there twice the last line goes, so the person's own one before it counts again.
    Raises ValueError for a text that would not be one assignment.
    """
    lines = list(document.lines)
    for kind, (name,), text in edits:
        place = Document(lines).places.get(name)
        if kind == "drop":
            if place is not None:
                del lines[place]
            continue
        if place is None:
            if lines and not lines[-1].endswith("\n"):
                lines[-1] += "\n"
            lines.append("%s=%s\n" % (name, text))
        else:
            match = _ASSIGNMENT.fullmatch(lines[place])
            lines[place] = lines[place][: match.start(2)] + text + lines[place][match.end(2):]
        if _lines("".join(lines)) != lines or Document(lines).value.get(name) != text:
            raise ValueError("the edit of %s came out wrong and was not written; please report this file's form" % name)
    return "".join(lines).encode("utf-8", "surrogateescape")


def has_comments(document):
    """Return whether the file holds anything but one line for each variable."""
    return any(line.strip() for index, line in enumerate(document.lines) if index not in document.places.values())


def masked(document, hide, mask):
    """Return the text to show of a document: a line per variable, its value replaced by mask where hide(name) is true.

    The other lines are the person's and not shown: a comment can hold a value too.
    """
    return "".join("%s=%s\n" % (name, mask if hide(name) else text) for name, text in document.value.items())


def wanted(values, disk):
    """Return the table that is wanted for values (name to text). disk: the file's table, ABSENT for no file.

    What the file already says in other quotes stays as it is. Raises ValueError like _environment.assigned.
    """
    table = {name: _environment.assigned(name, value) for name, value in values.items()}
    if disk is not ABSENT:
        table.update((name, disk[name]) for name in table if name in disk and _environment.literal(disk[name]) == values[name])
    return table


def _lines(text):
    """Return the lines of a text as a shell reads them."""
    lines, start, position = [], 0, 0
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:
            what = "ends with a backslash" if text[position] == "\\" else "has a quote that starts here and does not end"
            raise FormatError("%s, so a shell would not read it" % what, text.count("\n", 0, position) + 1)
        position = match.end()
        if match.group("end"):
            lines.append(text[start:position])
            start = position
    return lines + [text[start:]] if start < len(text) else lines
