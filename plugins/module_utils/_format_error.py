# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what every format of a file of the person raises, and the text that the file must be. Pure."""

from __future__ import annotations


class FormatError(ValueError):
    """The text is not what its format asks for. message: what is wrong; line, column: where, counted from 1; column: None where it means nothing."""

    def __init__(self, message, line, column=None):
        where = "line %d" % line if column is None else "line %d, column %d" % (line, column)
        super().__init__("%s: %s" % (where, message))
        self.message = message
        self.line = line
        self.column = column


def decoded(data, place):
    """Return data (bytes) as text. place: (text, position) -> line and column, as the format counts them. Raises FormatError."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in data[:4]:
        raise FormatError("is UTF-16 or UTF-32 text; save it as UTF-8", 1, 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = place(data[: error.start].decode("utf-8"), error.start)
        raise FormatError("is not UTF-8 text (byte 0x%02x); save it as UTF-8" % data[error.start], line, column) from None
