#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers the hook runtime with Codex CLI for the whole machine."""

from __future__ import annotations

DOCUMENTATION = r"""
module: codex_managed_hooks
short_description: Register the hook runtime with Codex CLI for the whole machine
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Writes the hooks into C(/etc/codex/requirements.toml), the administrator's file of Codex CLI. Hooks there need no trust, and
    no setting of a person's switches them off. It takes root.
  - They run the wrapper of the account that runs Codex, which M(agentihooks.fleet.codex_hooks) writes with C(trust=managed). An
    account that has none is let through; one that lost its wrapper is denied its tool calls until it is repaired.
  - All else in the file stays, byte for byte.
options:
  state:
    description: V(present) registers and repairs, V(absent) takes out exactly what is ours.
    type: str
    choices: [present, absent]
    default: present
  directory:
    description: Where Codex looks for C(requirements.toml), an absolute path. Codex itself knows no other place.
    type: str
    default: /etc/codex
  manager:
    description: Who manages it; kept in the ledger beside it, and a run with another name stops.
    type: str
    default: agentihooks.fleet/default
  takeover:
    description: Whether to go on where the ledger names another O(manager), and to put this one's name there.
    type: bool
    default: false
attributes:
  check_mode:
    description: Predicts exactly what a run would change.
    support: full
  diff_mode:
    description: Shows the file before and after.
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.codex_hooks
"""

EXAMPLES = r"""
- name: Register the hooks for every account of the machine that has the runtime
  agentihooks.fleet.codex_managed_hooks:
  become: true
"""

RETURN = r"""
changes:
  description: What was changed, or would be, and why.
  returned: always
  type: list
  elements: dict
  contains:
    path:
      description: The file, then the keys in it.
      returned: always
      type: list
      elements: str
    outcome:
      description: V(created), V(pinned) or V(removed).
      returned: always
      type: str
  sample: [{path: [requirements.toml, hooks, PreToolUse], outcome: created}]
hand_edited:
  description: Always empty, because everything here is pinned.
  returned: always
  type: list
  elements: list
"""

import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _codex_config,
    _codex_managed,
    _document,
    _files,
    _host,
    _pinned_file,
    _toml,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import DEFAULT_MANAGER, FleetModule, shown
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, edited

# Every account's Codex reads it.
MODE = 0o644


class Requirements:
    """Decides on requirements.toml. path: where it is."""

    def __init__(self, path):
        self.path = path

    def wanted(self, seen):
        """Decision of _pinned_file: exactly our groups, beside those of others."""
        document = self._parsed(seen.data)
        edits, changes = _codex_managed.plan(document.value, True)
        return _toml.apply(document, edits), self._named(changes), seen.original if seen.recorded else seen.data

    def unwanted(self, seen):
        """Decision of _pinned_file: none of our groups."""
        if seen.data is None:
            return None, [], ABSENT
        document = self._parsed(seen.data)
        edits, changes = _codex_managed.plan(document.value, False)
        if seen.recorded and seen.untouched:
            # Nobody wrote since, so what was there before us is what they want.
            return seen.original if isinstance(seen.original, bytes) else None, self._named([((), "removed")]), ABSENT
        left = edited(document.value, edits)
        if seen.recorded and seen.original is None and not _without_empty(left) and not _toml.has_comments(document):
            return None, self._named([((), "removed")]), ABSENT
        return _toml.apply(document, edits), self._named(changes), ABSENT

    def _parsed(self, data):
        try:
            return _toml.parse(data or b"")
        except _toml.FormatError as error:
            raise _files.SurfaceError(error.message, self.path, error.line, error.column, "Correct it by hand; it was not touched") from None

    @staticmethod
    def _named(changes):
        return [((_codex_managed.NAME,) + path, outcome) for path, outcome in changes]


def _without_empty(value):
    return {key: inner for key, inner in value.items() if inner not in ({}, []) and inner != {"hooks": True}}


def converge(module):
    """Bring the requirements to what is wanted and exit."""
    directory = _host.absolute(module, "directory")
    place = _document.Home(directory, module.params["manager"], module.params["takeover"])
    requirements = Requirements(os.path.join(directory, _codex_managed.NAME))
    present = module.params["state"] == "present"
    decide = requirements.wanted if present else requirements.unwanted
    result = _pinned_file.converge(place, _codex_managed.NAME, decide, present, MODE, check_mode=module.check_mode)
    if present and not module.check_mode and result.changed:
        # A directory of a person is closed to others, this one is read by all.
        os.chmod(directory, os.stat(directory).st_mode | 0o055)
    for warning in result.warnings:
        module.warn(warning)
    answer = {"changed": result.changed, "changes": [{"path": list(path), "outcome": outcome} for path, outcome in result.changes], "hand_edited": []}
    if module._diff:
        before, after = (shown(data, _codex_config.Shown) for data in (result.before, result.after))
        answer["diff"] = {"before_header": requirements.path, "after_header": requirements.path, "before": before, "after": after}
    module.exit_json(**answer)


def main():
    """Run the module."""
    module = FleetModule(
        argument_spec={
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "directory": {"type": "str", "default": _codex_managed.DIRECTORY},
            "manager": {"type": "str", "default": DEFAULT_MANAGER},
            "takeover": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    try:
        converge(module)
        return
    except (_files.SurfaceError, ValueError) as error:
        message = _files.printable(error)
    # Outside of the handler: there Ansible would add the traceback.
    module.fail_json(message)


if __name__ == "__main__":
    main()
