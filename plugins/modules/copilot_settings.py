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
  directives:
    description:
      - The directives of a profile, as the lookup plugin P(agentihooks.fleet.profile#lookup) returns them. The others than
        these two are not looked at here.
      - C(mcpDefaultDisabled) adds every MCP server of C(mcp-config.json), the person's too, to C(disabledMcpServers). Not those of
        C(mcpAlwaysEnabled) (by default the toolbelt), and not those that C(enabledMcpServers) has.
      - C(mcpAlwaysEnabled) also takes its names out of C(disabledMcpServers), whoever put them there.
      - The names that were added are taken out again when the directive is no longer given.
    type: dict
    default: {}
  mcp_servers:
    description:
      - The names of all servers in C(mcp-config.json), as M(agentihooks.fleet.mcp_config) returns them
        (RV(agentihooks.fleet.mcp_config#module:configured)); in check mode they are not in the file yet.
      - The default is what the file holds.
    type: list
    elements: str
  mcp_disabled:
    description: The names of the servers that their source says are switched off at the start. They are added like those of C(mcpDefaultDisabled).
    type: list
    elements: str
    default: []
extends_documentation_fragment:
  - agentihooks.fleet._home
  - agentihooks.fleet._ownership
seealso:
  - module: agentihooks.fleet.trusted_folders
  - module: agentihooks.fleet.mcp_config
"""

EXAMPLES = r"""
- name: Set the model, and show it in the footer
  agentihooks.fleet.copilot_settings:
    settings:
      model: claude-sonnet-4.5
      footer:
        showModelEffort: true

- name: Configure the MCP servers of a profile
  agentihooks.fleet.mcp_config:
    servers: "{{ lookup('agentihooks.fleet.profile').mcp_servers }}"
  register: mcp

- name: Start with all of them but one switched off
  agentihooks.fleet.copilot_settings:
    directives:
      mcpDefaultDisabled: true
      mcpAlwaysEnabled: [handbook]
    mcp_servers: "{{ mcp.configured }}"

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

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _directives, _document, _files, _jsonc, _mcp_plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, OWNERSHIP_OPTIONS, run
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import at


class Servers:
    """Which MCP servers start switched off. configured: the names of all; never_disabled: those that must not be in the list."""

    def __init__(self, directives, configured, off_in_source):
        self.directives = directives
        self.configured = configured
        self.off_in_source = off_in_source
        self.never_disabled = self._disabled(())[1]

    def with_disabled(self, settings, disk):
        """Return the settings with the servers added that start switched off. disk: the table of settings.json, ABSENT for none."""
        enabled = at(disk, (_copilot.ENABLED_SERVERS,))
        enabled = [name for name in enabled if isinstance(name, str)] if isinstance(enabled, list) else []
        named = settings.get(_copilot.DISABLED_SERVERS) or []
        if not isinstance(named, list):
            return settings
        names = named + [name for name in self._disabled(enabled)[0] if name not in named]
        # What the person switched on stays on, whoever wants it off.
        return dict(settings, **{_copilot.DISABLED_SERVERS: [name for name in names if name not in enabled]}) if names else settings

    def _disabled(self, enabled):
        return _directives.disabled_servers(self.directives, self.configured, enabled, self.off_in_source)


def configured(home):
    """Return the names of the servers in mcp-config.json. Raises SurfaceError for a file that cannot be read: unknown is not none."""
    file = _files.read(home.file(_copilot.MCP_CONFIG), foreign_owner_ok=True)
    try:
        content = _jsonc.parse(file.data).value
    except _jsonc.FormatError as error:
        hint = "Correct it by hand; which servers there are cannot be told"
        raise _files.SurfaceError(error.message, file.path, error.line, error.column, hint) from None
    return _mcp_plan.configured(_mcp_plan.COPILOT, content) if isinstance(content, dict) else []


def converge(module):
    """Bring settings.json to the wanted settings and exit."""
    present = module.params["state"] == "present"
    home = _copilot.home(module)
    if not present:
        result = _document.converge(home, _copilot.SETTINGS, lambda disk: {}, _copilot.settings_rules(False), module.policy(), _jsonc, module.check_mode)
        module.finish(result, file=home.file(_copilot.SETTINGS))
    settings, warnings = _copilot.without_reserved(module.params["settings"])
    directives, more = _directives.checked(module.params["directives"])
    names = module.params["mcp_servers"]
    if names is None:
        asked = directives.get("mcpDefaultDisabled") or module.params["mcp_disabled"]
        names = configured(home) if asked else []
    servers = Servers(directives, names, module.params["mcp_disabled"])
    result = _document.converge(
        home,
        _copilot.SETTINGS,
        lambda disk: servers.with_disabled(settings, disk),
        _copilot.settings_rules(never_disabled=servers.never_disabled),
        module.policy(),
        _jsonc,
        module.check_mode,
    )
    module.finish(result, warnings=warnings + more, file=home.file(_copilot.SETTINGS))


def main():
    """Run the module."""
    options = {
        "settings": {"type": "dict", "default": {}},
        "directives": {"type": "dict", "default": {}},
        "mcp_servers": {"type": "list", "elements": "str"},
        "mcp_disabled": {"type": "list", "elements": "str", "default": []},
    }
    run(converge, argument_spec=dict(HOME_OPTIONS, **OWNERSHIP_OPTIONS, **options))


if __name__ == "__main__":
    main()
