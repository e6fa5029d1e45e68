# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: profile_info
short_description: Resolve a host's profile chain once
version_added: 0.2.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Resolves the profile chain of the inventory's variables, like P(agentihooks.fleet.profile#lookup) without terms.
  - A variable that holds the lookup resolves the chain again wherever it is used. What this task registers was resolved once for the host.
  - Runs on the controller alone and changes nothing. What it returns is not printed, because an MCP server may be allowed to hold a secret.
options: {}
attributes:
  check_mode:
    description: Does the same as ever, because it changes nothing.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
  platform:
    description: The controller.
    support: full
    platforms: posix
seealso:
  - plugin: agentihooks.fleet.profile
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Resolve the profile chain
  agentihooks.fleet.profile_info:
  register: resolved

- name: Write the settings
  agentihooks.fleet.copilot_settings:
    settings: "{{ resolved.profile.settings }}"
"""

RETURN = r"""
profile:
  description: One mapping, with the keys that P(agentihooks.fleet.profile#lookup) returns.
  returned: success
  type: dict
"""
