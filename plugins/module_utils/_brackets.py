# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: adding to and taking out of what stands between brackets in a text, byte for byte. Pure.

JSON and TOML write lists and tables the same way: elements with commas between them, and comments anywhere. A parent here
has start, end (of its brackets) and items, an item has start, end and comma (where its comma is, or None).
"""

from __future__ import annotations

import re

NEWLINE = re.compile(r"\r\n|\n|\r")
_INDENT = re.compile(r"[ \t]*")


def added(text, parent, new, one_line, indent, newline, space, remark, mark):
    """Return the text with a new last element in a parent that has some.

    new: its text. indent, newline, space: what comes before it on a line of its own, or else on the same line. remark:
    pattern of the comments that belong to the element before; mark: what a comment to the end of the line starts with.
    """
    last = parent.items[-1]
    after = last.end if last.comma is None else last.comma + 1
    place = remark.match(text, after, parent.end - 1).end()
    lead = newline + indent if not one_line or mark in text[after:place] else space
    if last.comma is not None:
        return text[:place] + lead + new + "," + text[place:]
    return text[: last.end] + "," + text[last.end : place] + lead + new + text[place:]


def added_after_comments(text, parent, new, indent, newline):
    """Return the text with a first element in a parent that holds nothing but comments; they stay in front of it."""
    place = parent.start + 1 + len(text[parent.start + 1 : parent.end - 1].rstrip())
    closing = "" if NEWLINE.search(text, place, parent.end - 1) else newline + indent_of_line(text, parent.start)
    return text[:place] + newline + indent + new + closing + text[place:]


def taken_out(text, parent, item):
    """Return the text without an element, its comma, and the line it leaves empty."""
    items = parent.items
    index = items.index(item)
    end = item.end
    cuts = []
    if item.comma is not None:
        if text[end : item.comma].strip() == "":
            end = item.comma + 1
        else:
            cuts.append((item.comma, item.comma + 1))
    elif index > 0:
        # The one before becomes the last, and the last one here has no comma.
        cuts.append((items[index - 1].comma, items[index - 1].comma + 1))
    start = item.start
    line_rest = NEWLINE.split(text[end : parent.end], maxsplit=1)[0]
    before = text[:start].rstrip(" \t")
    if line_rest.strip() == "" and before.endswith(("\n", "\r")):
        # Alone on its line: the line goes.
        start = len(before) - (2 if before.endswith("\r\n") else 1)
        end += len(line_rest)
    elif index + 1 < len(items) and text[end : items[index + 1].start].strip() == "" and not NEWLINE.search(text, end, items[index + 1].start):
        end = items[index + 1].start
    elif index > 0:
        start = len(before)
    for cut_start, cut_end in sorted(cuts + [(start, end)], reverse=True):
        text = text[:cut_start] + text[cut_end:]
    return text


def indent_of_line(text, position):
    """Return the white space at the start of the line that holds a position."""
    start = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    return _INDENT.match(text, start).group()
