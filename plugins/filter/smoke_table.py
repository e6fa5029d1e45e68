# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table about a fleet at the end of a smoke."""

from __future__ import annotations

DOCUMENTATION = r"""
name: smoke_table
short_description: Show in one table what the smokes of several hosts found
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - One line for each host and agent CLI, and below it one for each check that failed.
positional: hostvars
options:
  _input:
    description: The names of the hosts.
    type: list
    elements: str
    required: true
  hostvars:
    description: The variables of the hosts, in which C(smoke_result) is the registered result of M(agentihooks.fleet.smoke).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Say what was found
  ansible.builtin.debug:
    msg: "{{ ansible_play_hosts_all | agentihooks.fleet.smoke_table(hostvars) }}"
  run_once: true
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
"""

HEAD = ("host", "CLI", "version", "runtime", "result")


def smoke_table(hosts, hostvars):
    """Return the table as a list of lines. hosts: their names; hostvars: name -> variables."""
    rows, below = [HEAD], {}
    for host in hosts:
        variables = hostvars[host] if host in hostvars else {}
        result = variables.get("smoke_result") or {}
        if not result.get("clis"):
            rows.append((str(host), "-", "-", "-", "no result"))
            continue
        for target, found in result["clis"].items():
            rows.append((str(host), target, found["version"] or "-", result["runtime"] or "-", _outcome(found)))
            below[len(rows) - 1] = _failures(found)
        if result.get("rolled_back"):
            below[len(rows) - 1].append("rolled back to the runtime %s" % result["rolled_back"])
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = []
    for number, row in enumerate(rows):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        lines.extend("    " + text for text in below.get(number, []))
    return lines


def _outcome(found):
    if found["passed"] is None:
        return "no CLI"
    newer = ", newer than measured" if found["newer"] else ""
    failed = [item for item in found["checks"] if not item["passed"]]
    if failed:
        return "FAILED, %d of %d%s" % (len(failed), len(found["checks"]), newer)
    return "passed, %d checks%s" % (len(found["checks"]), newer)


def _failures(found):
    return ["%s: %s" % (item["check"], item["what"]) for item in found["checks"] if not item["passed"]]


class FilterModule:
    """What Ansible looks for."""

    def filters(self):
        """Return the filters of this file by name."""
        return {"smoke_table": smoke_table}
