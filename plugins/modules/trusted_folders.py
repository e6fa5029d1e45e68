#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folders that GitHub Copilot CLI trusts."""

from __future__ import annotations

DOCUMENTATION = r"""
module: trusted_folders
short_description: Add folders to those that GitHub Copilot CLI trusts
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Adds folders to C(trustedFolders) in C(config.json) of Copilot CLI. Folders that the person trusts are never removed, and one that
    the person removed is not added again.
  - Copilot reads trusted folders from C(config.json) only. It is the CLI's own file, so this key alone is touched, every other byte
    stays, and nothing is written while a Copilot CLI of that person runs, because it rewrites the file from memory when it ends. The
    outcome is V(deferred) then, and a later run does it.
  - A trusted folder may bring settings that silence all hooks. Trust only what you control.
options:
  folders:
    description:
      - The folders to trust, as absolute paths. V(~) stands for O(home).
      - With an empty list, folders that earlier runs added are removed. When there are none the file is left alone.
    type: list
    elements: str
    default: []
extends_documentation_fragment:
  - agentihooks.fleet._home
  - agentihooks.fleet._ownership
seealso:
  - module: agentihooks.fleet.copilot_settings
"""

EXAMPLES = r"""
- name: Trust the team's checkouts
  agentihooks.fleet.trusted_folders:
    folders:
      - ~/src/platform
      - /srv/shared/tools

- name: Trust them no longer
  agentihooks.fleet.trusted_folders:
    state: absent
"""

RETURN = r"""
file:
  description: The file.
  returned: success
  type: str
  sample: /home/ada/.copilot/config.json
changes:
  description:
    - What was done, or in check mode would be done, for each path. Values are never returned.
    - The outcome is V(unioned) when folders were added or removed, or when one stays out because the person removed it;
      V(unchanged) when all are there; V(foreign) when something else than a list stands there; V(released) when nothing is
      wanted any more and nothing was left of ours; V(deferred) when a Copilot CLI of the person runs.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The keys that lead to the value.
      returned: always
      type: list
      elements: str
      sample: [trustedFolders]
    outcome:
      description: What became of it.
      returned: always
      type: str
      sample: unioned
  sample: [{path: [trustedFolders], outcome: unioned}]
hand_edited:
  description: The paths where the person's own choice stands instead of what is wanted.
  returned: success
  type: list
  elements: list
  sample: [[trustedFolders]]
"""

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _document, _jsonc, _processes
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import owner_of
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, OWNERSHIP_OPTIONS, run


def converge(module):
    """Bring the trusted folders in config.json to the wanted ones and exit."""
    folders = module.params["folders"] if module.params["state"] == "present" else []
    person, home = module.paths("copilot")[0], _copilot.home(module)
    folders = _copilot.absolute_folders(folders, person)

    def want(config):
        return {_copilot.trusted_key(config): folders} if folders else {}

    def cli_runs():
        uid = owner_of(home.path)
        return any(_copilot.is_copilot(argv, executable) for _pid, argv, executable in _processes.of_user(uid))

    result = _document.converge(home, _copilot.CONFIG, want, _copilot.config_rules(), module.policy(), _jsonc, module.check_mode, cli_runs)
    # The CLI keeps its login in this file: the diff shows the folders and nothing else.
    module.finish(result, hide=lambda key: key not in _copilot.TRUSTED_KEYS, file=home.file(_copilot.CONFIG))


def main():
    """Run the module."""
    run(converge, argument_spec=dict(HOME_OPTIONS, **OWNERSHIP_OPTIONS, folders={"type": "list", "elements": "str", "default": []}))


if __name__ == "__main__":
    main()
