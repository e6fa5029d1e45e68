# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints on the controller what a run did to each host. Its documentation: modules/site_report.py."""

from __future__ import annotations

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.agentihooks.fleet.plugins.filter.run_summary import run_summary
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _doctor_rows, _report


class ActionModule(ActionBase):
    """Needs no host and no module."""

    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp=None, task_vars=None):
        """Print the table and return its lines."""
        result = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec({"hosts": {"type": "list", "elements": "str", "required": True}})
        hosts = []
        for name in options["hosts"]:
            results, versions = _doctor_rows.ran(_doctor_rows.reader(task_vars["hostvars"], name))
            if name not in task_vars["ansible_play_hosts"]:
                hosts.append((name, "", "", "NOT DONE: it stopped or was not reached, see above"))
            for target, registered in results.items():
                told = run_summary(list(registered.values()))
                inert = (registered.get("codex_target_hooks") or {}).get("inert")
                told += "; NOT TRUSTED, SO NOT RUN BY CODEX: %s" % ", ".join(inert) if inert else ""
                hosts.append((name, target, versions.get(target, ""), told))
        lines = _report.done(hosts)
        for line in lines:
            Display().display(line)
        result.update(changed=False, lines=lines)
        return result
