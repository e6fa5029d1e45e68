# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from elsewhere (a repository, a broadcast, a tool's error), made fit to be shown to a model.

It may not hide anything, may not end the frame it stands in, and may not look like the CLI's or this product's own words.
"""

from __future__ import annotations

import re

# A terminal's escape sequences go whole; what is left of a broken one goes with the control characters.
_ESCAPES = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?)")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Controls, marks that reorder or hide text, tags, halves of surrogate pairs. The joiners of scripts and emoji stay.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
# Tags by which a CLI tells its own words and the roles apart (<system_reminder>, <|im_start|>), and our frames.
_ROLE_TAGS = re.compile(r"<(?=\||\s*/?\s*(?:system|developer|assistant|human|user|tool_result|function_result|agentihooks)(?![a-z]))", re.IGNORECASE)


def clean(text):
    """Return text with plain line ends, without anything that cannot be seen, and with no tag of a role or a frame in it."""
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    return _ROLE_TAGS.sub("\u2039", _UNSEEN.sub("", text))


def one_line(text, limit):
    """Return clean text on one line, of at most limit characters."""
    text = " ".join(clean(text).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def quoted(text):
    """Return clean text with a mark before each line, so that no line of it stands for itself."""
    return "\n".join("| " + line for line in clean(text).split("\n"))


def framed(name, title, text):
    """Return clean text between the tags <agentihooks-NAME>: no text that was cleaned can hold such a tag."""
    return "<agentihooks-%s>\n%s\n\n%s\n</agentihooks-%s>" % (name, title, text, name)


def cut(text, limit, mark, incomplete=False):
    """Return text of at most limit bytes (UTF-8; 0 for no limit): whole, or its beginning and then the mark.

    It is cut at the end of a line, unless that loses more than half of it, and never inside a character.
    incomplete: something was left out already, so that the mark is due in any case.
    """
    data = text.encode("utf-8", "replace")
    if not incomplete and (not limit or len(data) <= limit):
        return text
    room = limit - len(mark.encode("utf-8"))
    if room <= 0:
        return data[:limit].decode("utf-8", "ignore")
    if len(data) <= room:
        return text + mark
    head = data[:room].decode("utf-8", "ignore")
    line_end = head.rfind("\n")
    return (head[:line_end] if line_end >= len(head) // 2 else head) + mark
