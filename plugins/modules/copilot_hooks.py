#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers the hook runtime with Copilot CLI."""

from __future__ import annotations

DOCUMENTATION = r"""
module: copilot_hooks
short_description: Register the hook runtime with Copilot CLI
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Writes C(agentihooks-hook.sh), the wrapper that starts the hook runtime, and C(hooks/agentihooks.json), which has Copilot
    CLI call it on its 12 events, into the configuration home of Copilot CLI.
  - The wrapper and its entries are pinned. A hand-edit of them is put right and reported with the outcome V(pinned). Entries
    of somebody else in the same file stay where they are, and other hook files are not touched.
  - The hook runtime must be there already, see M(agentihooks.fleet.hooks_runtime). Without it every tool call is denied.
options:
  state:
    description:
      - V(present) registers and repairs.
      - V(absent) takes out exactly what is ours. A file that was there before comes back as it was, if it still is what this
        module wrote.
    type: str
    choices: [present, absent]
    default: present
  data_dir:
    description:
      - The data directory with the hook runtime, an absolute path.
      - The default is E(AGENTIHOOKS_HOME), else C(.agentihooks) in the home.
    type: str
  wrapper_template:
    description: The text of the wrapper. The module's action plugin fills it in; there is nothing to give here.
    type: str
extends_documentation_fragment:
  - agentihooks.fleet._home
attributes:
  check_mode:
    description: Predicts exactly what a run would change.
    support: full
  diff_mode:
    description: Shows both files before and after.
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.hooks_runtime
"""

EXAMPLES = r"""
- name: Have Copilot CLI call the hook runtime
  agentihooks.fleet.copilot_hooks:

- name: Take it out again
  agentihooks.fleet.copilot_hooks:
    state: absent
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
      description: V(created), V(pinned), V(updated) or V(removed).
      returned: always
      type: str
  sample: [{path: [hooks/agentihooks.json, hooks, preToolUse], outcome: pinned}]
hand_edited:
  description: Always empty, because everything here is pinned.
  returned: always
  type: list
  elements: list
wrapper:
  description: The wrapper.
  returned: always
  type: str
  sample: /home/ada/.copilot/agentihooks-hook.sh
"""

import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _hooks_file, _registration
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import run

TARGET = _registration.Target("copilot", _hooks_file.Copilot)


def elsewhere(config_home, form):
    """Return warnings about other places that have our wrapper registered or hooks switched off."""
    warnings = []
    settings = _registration.value_of(os.path.join(config_home, _copilot.SETTINGS))
    if isinstance(settings, dict):
        if form.mentions(settings.get("hooks")):
            warnings.append("%s also registers the wrapper under \"hooks\", so it runs twice per event; take it out there" % _copilot.SETTINGS)
        if settings.get("disableAllHooks") is True:
            warnings.append("%s sets disableAllHooks; agentihooks.fleet.copilot_settings puts it back" % _copilot.SETTINGS)
    hooks = os.path.join(config_home, "hooks")
    for parent, directories, names in os.walk(hooks):
        directories.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            place = os.path.relpath(path, config_home)
            if name.endswith(".json") and place != TARGET.hooks_file and form.mentions(_registration.value_of(path)):
                warnings.append("%s also registers the wrapper, so it runs twice per event; take it out there" % place)
    return warnings


def converge(module):
    """Bring wrapper and hooks file to what is wanted and exit."""
    place = _copilot.home(module)
    done = _registration.converge(module, TARGET, place)
    for warning in done.warnings + (elsewhere(place.path, done.form) if module.params["state"] == "present" else []):
        module.warn(warning)
    module.exit_json(**done.answer)


def main():
    """Run the module."""
    run(converge, argument_spec=_registration.OPTIONS, required_if=_registration.REQUIRED_IF)


if __name__ == "__main__":
    main()
