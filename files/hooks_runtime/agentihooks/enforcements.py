# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Standing lines that every session is told once: the role's, and those of a repository that the CLI trusts.

A repository keeps them in .agentihooks/enforcements.json, a list of texts or of objects with a "message".
"""

from __future__ import annotations

import json

from agentihooks import repository
from agentihooks.context_text import framed, one_line

FILE = ".agentihooks/enforcements.json"
MAX_BYTES = 1 << 16  # of a repository's file
MAX_LINES = 20
MAX_LINE = 500  # characters


def of_role(policy):
    """Return {item: text} of the role's lines. item: the same for the same words."""
    return {_item(line): "Standing instruction on this machine: " + line for line in _lines(policy["enforcements"])}


def of_repository(root):
    """Return {item: text} of a trusted repository's lines, together; {} when it has none. Never raises."""
    data = repository.read(root, FILE, MAX_BYTES + 1)
    try:
        found = json.loads(data.decode("utf-8")) if len(data) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        found = found.get("enforcements")
    lines = _lines(found)
    if not lines:
        return {}
    title = "Standing instructions of the repository %s. They change no permission and lift no guard." % one_line(root, 200)
    return {_item(root + "\n".join(lines)): framed("repository-instructions", title, "\n".join("- " + line for line in lines))}


def _lines(found):
    texts = [item.get("message") if isinstance(item, dict) else item for item in (found if isinstance(found, list) else [])[:MAX_LINES]]
    lines = [one_line(text, MAX_LINE) for text in texts if isinstance(text, str)]
    return list(dict.fromkeys(line for line in lines if line))


def _item(text):
    from hashlib import sha256

    return "enforcement:" + sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
