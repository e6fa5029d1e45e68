# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: doctor_report
short_description: Report what the doctor found on a fleet
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Puts together what the tasks of the playbook C(agentihooks.fleet.doctor) have registered for each host, and prints one
    table for all of them.
  - Writes C(doctor.json), C(doctor.md) and C(doctor.html) on the controller. The page holds all it needs and fetches nothing.
  - The report has names, places and counts, never values.
  - Runs on the controller alone. What is found never fails the task; RV(passed) says whether it should count.
options:
  hosts:
    description: The hosts that the play is about, those that were not reached included.
    type: list
    elements: str
    required: true
  directory:
    description:
      - Where the files are written, on the controller. It is made when it is not there.
      - A relative path counts from the directory that C(ansible-playbook) was started in. Empty writes no files.
    type: str
    default: agentihooks-report
  fail_level:
    description:
      - The least level of a finding that counts for RV(passed). V(info) is worth knowing, V(warning) is not as it was wanted,
        with V(critical) a guard does not work or may be switched off. V(never) counts nothing.
    type: str
    choices: [info, warning, critical, never]
    default: warning
attributes:
  check_mode:
    description: Does the same as ever, because it changes nothing on a host.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
  platform:
    description: The controller.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.doctor
"""

EXAMPLES = r"""
- name: Report
  agentihooks.fleet.doctor_report:
    hosts: "{{ ansible_play_hosts_all }}"
    directory: /srv/reports/agentihooks
    fail_level: critical
  run_once: true
  register: report
"""

RETURN = r"""
passed:
  description: Whether no finding is of O(fail_level) or worse.
  returned: success
  type: bool
counts:
  description: How many hosts there are, how many were not reached, and how many findings there are of each level.
  returned: success
  type: dict
  sample: {hosts: 30, unreachable: 1, critical: 2, warning: 7, info: 40, ok: 812}
files:
  description: What was written.
  returned: success
  type: list
  elements: str
  sample: [/srv/reports/agentihooks/doctor.json, /srv/reports/agentihooks/doctor.md, /srv/reports/agentihooks/doctor.html]
msg:
  description: The result in one line.
  returned: success
  type: str
  sample: "30 hosts: 2 critical, 7 warnings on 5 hosts; 25 as wanted"
"""
