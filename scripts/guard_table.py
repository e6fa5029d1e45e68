# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the table of rules in docs/guards.md from the rules themselves. Prints nothing; `make unit` fails when it is out of date."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = CHECKOUT / "docs" / "guards.md"
START, END = "<!-- rules: written by scripts/guard_table.py -->\n", "<!-- end of rules -->\n"
sys.path.insert(0, str(CHECKOUT / "files" / "hooks_runtime"))

from agentihooks.guards import GUARDS  # noqa: E402

# The rules of secrets are their shapes; they are in secret_shapes.py.
MODULES = [importlib.import_module("agentihooks.guards." + guard.name) for guard in GUARDS if guard.name != "secrets"]


def shown(example):
    """Return an example of a rule as one short piece of a table."""
    place = ""
    if not isinstance(example, str):
        head = example.get("files", {}).get(".git/HEAD", "").strip()
        place = " on %s" % head.rpartition("/")[2] if head else ""
        args = example["args"]
        example = args.get("command") or "%s %s" % (example["tool"], args.get("path") or json.dumps(args))
    return "`%s`%s" % (example.replace("|", "\\|"), place) if example and "\n" not in example else "-"


def table():
    """Return the table as text."""
    lines = ["| rule | says | denied | allowed |", "| --- | --- | --- | --- |"]
    for guard in MODULES:
        for rule in guard.RULES.values():
            lines.append("| `%s` | %s | %s | %s |" % (rule.id, rule.reason.replace("%s", "X").replace("|", "\\|"), shown(rule.denied), shown(rule.allowed)))
    return "\n".join(lines) + "\n"


def page(text):
    """Return the page with the table of now. Raises ValueError when the marks are not in it."""
    before, start, rest = text.partition(START)
    _old, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError("%s: the marks around the table are missing" % PAGE)
    return before + start + table() + end + after


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
