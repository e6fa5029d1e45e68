#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of GitHub Copilot CLI, value by value."""

from __future__ import annotations

DOCUMENTATION = r"""
module: copilot_settings
short_description: Keep values in the settings of GitHub Copilot CLI
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Writes single values into C(settings.json) of Copilot CLI and leaves everything else in it alone.
  - Remembers what it wrote. A value that the person changed or removed since is left and reported.
  - Keeps C(disableAllHooks) false whatever stands there.
  - Records that AgentiHooks itself kept in the file are read once, then removed, because Copilot warns about them at every launch.
options:
  settings:
    description:
      - The wanted settings. Tables are merged into what is there, a list is one value, V(null) means that nothing is wanted.
      - Elements of C(disabledMcpServers) and C(enabledMcpServers) are added to those that are there. C(statusLine) is one value.
      - Dropped with a warning are C(hooks) (they would run twice), C(permissions) (no effect in a person's settings),
        C(trustedFolders) (not read there, see M(agentihooks.fleet.trusted_folders)) and every key that starts with an underscore.
      - A value that was once given here and is no longer is removed, unless the person changed it.
    type: dict
    default: {}
extends_documentation_fragment:
  - agentihooks.fleet._home
  - agentihooks.fleet._ownership
seealso:
  - module: agentihooks.fleet.trusted_folders
"""

EXAMPLES = r"""
- name: Set the model, and show it in the footer
  agentihooks.fleet.copilot_settings:
    settings:
      model: claude-sonnet-4.5
      footer:
        showModelEffort: true

- name: Take the model back from a change by hand
  agentihooks.fleet.copilot_settings:
    settings:
      model: claude-sonnet-4.5
    reclaim:
      - [model]

- name: Remove all that was set, put back what was there before
  agentihooks.fleet.copilot_settings:
    state: absent
"""

RETURN = r"""
file:
  description: The file.
  returned: success
  type: str
  sample: /home/ada/.copilot/settings.json
changes:
  description:
    - What was done, or in check mode would be done, for each path. Values are never returned.
    - The outcome is V(created), V(updated), V(pinned), V(removed) or V(unioned) for what was written; V(unchanged) for what is as
      wanted; V(foreign) for a value of the person that was left; V(hand_edited) for one of ours that the person changed or removed,
      and that was left; V(released) for one that is no longer wanted and was left.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The keys that lead to the value.
      returned: always
      type: list
      elements: str
      sample: [footer, showModelEffort]
    outcome:
      description: What became of it.
      returned: always
      type: str
      sample: created
  sample: [{path: [model], outcome: created}]
hand_edited:
  description: The paths where the person's own choice stands instead of what is wanted.
  returned: success
  type: list
  elements: list
  sample: [[model]]
"""

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _document, _jsonc
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, OWNERSHIP_OPTIONS, run


def converge(module):
    """Bring settings.json to the wanted settings and exit."""
    present = module.params["state"] == "present"
    settings, warnings = _copilot.without_reserved(module.params["settings"] if present else {})
    home = _copilot.home(module)
    result = _document.converge(
        home, _copilot.SETTINGS, lambda disk: settings, _copilot.settings_rules(present), module.policy(), _jsonc, module.check_mode
    )
    module.finish(result, warnings=warnings, file=home.file(_copilot.SETTINGS))


def main():
    """Run the module."""
    run(converge, argument_spec=dict(HOME_OPTIONS, **OWNERSHIP_OPTIONS, settings={"type": "dict", "default": {}}))


if __name__ == "__main__":
    main()
