# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/variables.md from the roles' argument specs. Prints nothing; `make unit` fails when the page is out of date."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = CHECKOUT / "docs" / "variables.md"
ROLES = (
    ("workstation", "main", "What both CLIs share"),
    ("copilot_target", "main", "GitHub Copilot CLI"),
    ("codex_target", "main", "Codex CLI"),
    ("smoke", "main", "The playbook smoke"),
    ("workstation", "remove", "The playbook uninstall"),
)
HEAD = """# Every variable

Written by `scripts/variables_page.py` from `roles/*/meta/argument_specs.yml`, which Ansible itself checks each run against. What a
playbook takes beside these is on its own page: [fleet](fleet.md), [doctor](doctor.md). A host's variable replaces its group's whole.
"""
MARKUP = {"C": "`%s`", "V": "`%s`", "O": "`%s`", "M": "`%s`", "I": "*%s*", "B": "**%s**"}


def plain(description):
    """Return a description (a text or a list of them) as one line of Markdown for a table."""
    text = description if isinstance(description, str) else " ".join(description)
    text = re.sub(r"\b([CVOMIB])\(([^()]*(?:\([^()]*\)[^()]*)*)\)", lambda match: MARKUP[match.group(1)] % match.group(2), text)
    return " ".join(text.split()).replace("|", "\\|")


def kind(option):
    """Return the type of an option, with its choices."""
    name = "list of %s" % option["elements"] if "elements" in option else option["type"]
    return name + (": " + ", ".join("`%s`" % choice for choice in option["choices"]) if "choices" in option else "")


def default(option):
    """Return what to add to the type: the default of an option as it would stand in an inventory."""
    if option.get("required"):
        return "; required"
    value = option.get("default")
    if value is None:
        return ""
    if isinstance(value, list):
        value = "[%s]" % ", ".join(map(str, value))
    return "; `%s`" % (json.dumps(value) if isinstance(value, (dict, bool)) else value)


def rows(options, before=""):
    """Yield a table's lines for options and what is inside them."""
    for name, option in options.items():
        yield "| `%s%s`<br>%s%s | %s |" % (before, name, kind(option), default(option), plain(option["description"]))
        yield from rows(option.get("options", {}), before + name + ".")


def page():
    """Return the page as text."""
    parts = [HEAD]
    for role, entry, title in ROLES:
        spec = yaml.safe_load((CHECKOUT / "roles" / role / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))["argument_specs"][entry]
        lines = ["## " + title, "", "| variable, type, default | what |", "| --- | --- |"] + list(rows(spec["options"]))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
