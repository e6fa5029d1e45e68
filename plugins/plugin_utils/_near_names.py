# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: which known name a misspelt one is likely to mean. Ansible and Copilot pass over names they do not know."""

from __future__ import annotations

import difflib
import pathlib
import re

# Of 1. "modle" comes to 0.8 beside "model".
ALIKE = 0.8
PREFIX = "agentihooks_"
# Those that no role has: of the playbooks.
OF_PLAYBOOKS = ("agentihooks_hosts",)
_OPTION = re.compile(r"^      (%s\w+):" % PREFIX, re.MULTILINE)


def meant(name, known):
    """Return the one of the known names that a name which is none of them likely means, None for none."""
    if name in known:
        return None
    by_lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), by_lower, 1, ALIKE)
    return by_lower[near[0]] if near else None


def role_variables(roles):
    """Return the names of the variables of all roles. roles: their directory; the source is each one's meta/argument_specs.yml."""
    specs = sorted(pathlib.Path(roles).glob("*/meta/argument_specs.yml"))
    return {name for spec in specs for name in _OPTION.findall(spec.read_text("utf-8"))} | set(OF_PLAYBOOKS)


def misspelt_variables(names, known):
    """Return [(variable, the known one it likely means)] of those that begin like ours, sorted."""
    found = ((name, meant(name, known)) for name in sorted(names) if name.startswith(PREFIX))
    return [(name, likely) for name, likely in found if likely]
