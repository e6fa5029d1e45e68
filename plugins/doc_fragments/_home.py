# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: options of every module that writes to a configuration home (module_utils/_module.py)."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  home:
    description:
      - The home directory of the person, an absolute path.
      - The default is the passwd home of the user the module runs as; the environment variable E(HOME) is not looked at.
    type: str
  config_home:
    description:
      - The configuration home of the CLI, an absolute path.
      - The default is what the CLI's own environment variable says (E(COPILOT_HOME)), else its usual place in O(home).
    type: str
  manager:
    description:
      - Who manages this configuration home. It is kept in the ledger, and a run with another name stops.
      - Use the same name for push and pull.
    type: str
    default: agentihooks.fleet/default
  takeover:
    description: Whether to go on where the ledger names another O(manager), and to put this one's name there.
    type: bool
    default: false
  source:
    description:
      - What the configuration is made of, for people who look later, such as the bundle's address and commit
        (C(bundle.label) of the lookup plugin P(agentihooks.fleet.profile#lookup)).
      - It is kept in the ledger and changes nothing else. Without it the ledger keeps what it says.
    type: str
"""
