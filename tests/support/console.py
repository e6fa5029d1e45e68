# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of a documentation page, and whether what they print is what the page says.

A block ``console`` holds lines that begin with ``$ `` (a command) and, below each, what it prints. Where nothing stands below a
command it must end with 0. ``...`` stands for any text, a line of it for any lines. A comment ``<!-- file: NAME -->`` before a
block says that the block is that file; ``<!-- not run: REASON -->`` that its commands are not run.
"""

from __future__ import annotations

import re

_BLOCK = re.compile(r"(?:<!-- (file|not run): ([^\n]*?) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """Return the fenced blocks of a page in order, each (what its comment says: "", "file" or "not run", its value, language, content)."""
    return [(match[1] or "", match[2] or "", match[3], match[4]) for match in _BLOCK.finditer(text)]


def commands(content):
    """Return the commands of a console block, each (the command, what it prints according to the page). Raises ValueError without one."""
    found = []
    for line in content.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not found:
            raise ValueError("a console block begins with a command: %r" % line)
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(output)) for command, output in found]


def fits(printed, expected):
    """Return whether a command printed what the page says, blanks at line ends and runs of blanks aside."""
    plain = [re.sub(r"[ \t]+", " ", text).strip() for text in (printed, expected)]
    pattern = ".*".join(re.escape(part.strip(" ")) if part.strip(" ") else "" for part in plain[1].split("..."))
    return re.fullmatch(pattern.replace(r"\ ", r"\s+").replace("\\\n", r"\s*\n\s*"), plain[0], re.DOTALL) is not None
