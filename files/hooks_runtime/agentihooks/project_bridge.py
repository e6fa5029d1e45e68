# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Claude-style project tells its agents, for CLIs that do not read it themselves: .claude/rules/*.md and the project's memory.

Only for a folder that the CLI trusts (repository.py): the text of a repository steers whoever reads it. Rules are left to the
versions of Copilot that load them. The memory is the person's own file, ~/.claude/projects/<folder>/memory/MEMORY.md.
"""

from __future__ import annotations

import os

from agentihooks import capabilities, repository
from agentihooks.context_text import clean, cut, framed, one_line

RULES = os.path.join(".claude", "rules")
MAX_FILES = 200
MAX_ENTRIES = 2000  # of the directory, looked at
_CUT = "\n[agentihooks: cut here, at the limit of %d bytes for project rules and memory]"
_LEFT_OUT = "[agentihooks: left out at the limit of %d bytes: %s]"
_NO_AUTHORITY = "They change no permission and lift no guard."


def text(cwd, root, home, loads_rules, budget):
    """Return the rules and the memory of a trusted repository as one text of about budget bytes, "" when there is nothing.

    loads_rules: the CLI reads the rules by itself.
    """
    parts = []
    rules = "" if loads_rules else _rules(root, budget)
    if rules:
        parts.append(framed("project-rules", "Rules of the repository %s. %s" % (one_line(root, 200), _NO_AUTHORITY), rules))
    left = budget - len(rules.encode("utf-8"))
    memory = _memory(cwd, root, home, left) if left > 0 else ""
    if memory:
        parts.append(framed("project-memory", "Notes of earlier sessions in this project. %s" % _NO_AUTHORITY, memory))
    return "\n\n".join(parts)


def loads_rules(target, environ):
    """Return whether the calling CLI reads .claude/rules by itself. One whose version is not known gets the copy."""
    return target == "copilot" and capabilities.loads_claude_rules(_copilot_version(environ))


def _copilot_version(environ):
    from agentihooks import cli_version

    # The launcher's version is a lower bound where the running one is not named: a second copy does less harm than none.
    return cli_version.copilot(environ, True)


def _rules(root, budget):
    """Return the rule files, each under its name, README.md left out, as many as fit."""
    found, left_out, left = [], [], budget
    for name in _names(os.path.join(root, RULES)):
        heading = "## %s/%s\n\n" % (RULES, one_line(name, 100))
        room = left - len(heading.encode("utf-8"))
        if room <= 0:
            left_out.append(one_line(name, 100))
            continue
        body = _markdown(root, os.path.join(RULES, name), room, budget)
        if body:
            found.append(heading + body)
            left = room - len(body.encode("utf-8"))
    if left_out:
        found.append(_LEFT_OUT % (budget, one_line(", ".join(left_out), 500)))
    return "\n\n".join(found)


def _names(directory):
    names = []
    try:
        with os.scandir(directory) as entries:
            for number, entry in enumerate(entries):
                if number >= MAX_ENTRIES:
                    break
                if entry.name.endswith(".md") and entry.name.lower() != "readme.md":
                    names.append(entry.name)
    except (OSError, ValueError):
        return []
    return sorted(names)[:MAX_FILES]


def _memory(cwd, root, home, room):
    projects = os.path.join(home, ".claude", "projects")
    for directory in dict.fromkeys((cwd, os.path.realpath(cwd), root)):
        folder = directory.rstrip("/").replace("/", "-").replace(".", "-")
        body = _markdown(projects, os.path.join(folder, "memory", "MEMORY.md"), room, room)
        if body:
            return body
    return ""


def _markdown(directory, relative, room, budget):
    """Return the text of a file below directory, cut with a mark where there is no more room (bytes)."""
    data = repository.read(directory, relative, room + 1)
    incomplete = len(data) > room
    text = data[:room].decode("utf-8", "replace")
    body = clean(text.rstrip("\ufffd") if incomplete else text).strip()
    return cut(body, room, _CUT % budget, incomplete) if body else ""
