# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_report
short_description: Print in one table what a run did to a fleet
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Prints a line for each host and target with what the roles of this collection have registered, the counts, and by name what was put
    right, hand-edited, foreign or put off. Hosts that stopped or were not reached are named, too.
  - Runs on the controller alone and changes nothing.
options:
  hosts:
    description: The hosts that the play is about, those that were not reached included.
    type: list
    elements: str
    required: true
attributes:
  check_mode:
    description: Tells what would be done.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
  platform:
    description: The controller.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.doctor_report
"""

EXAMPLES = r"""
- name: Say what the run did, in one table
  agentihooks.fleet.site_report:
    hosts: "{{ ansible_play_hosts_all }}"
  run_once: true
"""

RETURN = r"""
lines:
  description: The table.
  returned: success
  type: list
  elements: str
  sample: ["host             target       CLI      what was done", "ada.example.org  Copilot CLI  1.0.102  1 hand-edited; hand-edited: settings.json model"]
"""
