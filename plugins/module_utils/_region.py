# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: a text file of the person with one region of ours between two marks. Pure.

A format for _document: the table of such a file is {"region": the text between the marks}, or {} without marks. All
other bytes are the person's: they need not even be UTF-8, and they come back exactly when the region goes.
"""

from __future__ import annotations

import re

from ansible_collections.agentihooks.fleet.plugins.module_utils._format_error import FormatError
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import edited, same

REGION = "region"
# Where a file without the region gets it.
START = "start"
END = "end"

_BOM = "\ufeff"
# A blank after the first mark: the line break before it is ours too, because the last line of the person had none.
_SPLIT = " "


class Document:
    """A parsed file. text: without its byte order mark; bom: that mark or ""; span: (start, end) of the region in the text,
    marks and their line ends included, None without one; value: the table."""

    __slots__ = ("text", "bom", "span", "value")

    def __init__(self, text, bom, span, value):
        self.text = text
        self.bom = bom
        self.span = span
        self.value = value


class Region:
    """The format of a file with a region between the lines begin and end. place: START or END."""

    def __init__(self, begin, end, place=START):
        self.begin = begin
        self.end = end
        self.place = place

    def parse(self, data):
        """Return the Document of data (bytes). Raises FormatError for marks that are not one pair, and for UTF-16."""
        if b"\x00" in data:
            raise FormatError("holds a NUL byte, so it is no plain text (or UTF-16); save it as UTF-8", data[: data.index(b"\x00")].count(b"\n") + 1)
        text = data.decode("utf-8", "surrogateescape")
        bom = _BOM if text.startswith(_BOM) else ""
        return self._document(text[len(bom):], bom)

    def dump(self, value):
        """Return the bytes of a new file that holds a table."""
        return self.apply(Document("", "", None, {}), [("put", (REGION,), value[REGION])])

    def apply(self, document, edits):
        """Return the bytes of a document with edits (see _values) applied in order; what lies outside of the region is untouched.

        Raises ValueError for a text that is not whole lines or holds a mark.
        """
        expected = edited(document.value, edits)
        for kind, _path, text in edits:
            document = self._document(self._with(document, text) if kind == "put" else _without(document), document.bom)
        if not same(document.value, expected):
            raise ValueError("the edit came out wrong and was not written; please report this file's form")
        return (document.bom + document.text).encode("utf-8", "surrogateescape")

    @staticmethod
    def has_comments(document):
        """Return whether anything of the person stands outside of the region."""
        return bool(_without(document).strip())

    @staticmethod
    def masked(document, _hide, _mask):
        """Return the text to show of a document: the region alone. The rest is not ours to show; a shell file can hold secrets."""
        return document.text[slice(*document.span)] if document.span else ""

    def _document(self, text, bom):
        span = self._find(text)
        if span is None:
            return Document(text, bom, None, {})
        start = text.index("\n", span[0]) + 1
        end = text.rindex(self.end, span[0], span[1])
        return Document(text, bom, span, {REGION: text[start:end]})

    def _find(self, text):
        """Return (start, end) of the region with its marks, None without any. Raises FormatError."""
        begins, ends = _lines_of(text, self.begin), _lines_of(text, self.end)
        if not begins and not ends:
            return None
        for marks in (begins, ends):
            if len(marks) > 1:
                raise FormatError("has the mark %s a second time; remove all but one region" % self._mark(text, marks[1]), _line(text, marks[1]))
        if not begins or not ends:
            there, missing = (begins[0], self.end) if begins else (ends[0], self.begin)
            raise FormatError("has the mark %s without the mark %s; restore or remove it" % (self._mark(text, there), missing), _line(text, there))
        if ends[0] < begins[0]:
            raise FormatError("has the mark %s before the mark %s; remove them or swap them" % (self.end, self.begin), _line(text, ends[0]))
        line_end = text.find("\n", ends[0])
        return begins[0], len(text) if line_end < 0 else line_end + 1

    def _mark(self, text, position):
        return self.begin if text.startswith(self.begin, position) else self.end

    def _with(self, document, region):
        if region and not region.endswith("\n"):
            raise ValueError("the region's text does not end with a line break")
        text, span = document.text, document.span
        if span is not None:
            inner = text.index("\n", span[0]) + 1
            return text[:inner] + region + text[text.rindex(self.end, span[0], span[1]):]
        block = region + self.end + "\n"
        if self.place == START:
            return self.begin + "\n" + block + text
        if not text or text.endswith("\n"):
            return text + self.begin + "\n" + block
        return text + "\n" + self.begin + _SPLIT + "\n" + block


def _without(document):
    """Return the text of a document without the region."""
    if document.span is None:
        return document.text
    start, end = document.span
    text = document.text
    first_line = text[start : text.index("\n", start)]
    if first_line.endswith(_SPLIT) and text[end:] == "" and text[:start].endswith("\n"):
        start -= 1
    return text[:start] + text[end:]


def _lines_of(text, mark):
    """Return where lines start that are a mark and nothing else (blanks at the end aside)."""
    return [match.start() for match in re.finditer(r"^%s[ \t]*\r?$" % re.escape(mark), text, re.MULTILINE)]


def _line(text, position):
    return text.count("\n", 0, position) + 1
