# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and translates a team's files on the controller and sends the result along with the task."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.agentihooks.fleet.plugins.module_utils import _runtime_tree
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_input

# What is for the controller alone.
OWN = ("src", "agents", "commands", "skills", "instructions", "scoped_grants", "body_limit", "without_frontmatter", "cli_version", "skills_mode")


class ActionModule(ActionBase):
    """Fills in the argument payload, runs the module and adds what became of each source."""

    def run(self, tmp=None, task_vars=None):
        """Return the module's result, with translated and the warnings of the translation."""
        result = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        own = {key: arguments.pop(key) for key in OWN if key in arguments}
        given = None
        if arguments.get("state", "present") != "absent":
            if "src" in own:
                own["src"] = self._loader.path_dwim(own["src"])
            try:
                given = _asset_input.read(dict(own, target=arguments.get("target") or "copilot"))
            except ValueError as error:
                raise AnsibleActionFail(str(error)) from None
            arguments.setdefault("surfaces", given.surfaces)
            arguments.update(payload=_runtime_tree.pack(given.files), executable=given.executable, links=given.links, unknown=given.unknown)
        result.update(self._execute_module(module_name="agentihooks.fleet.agent_translate", module_args=arguments, task_vars=task_vars))
        if given is not None:
            result["translated"] = [report.plain() for report in given.reports]
            result.setdefault("warnings", []).extend(given.warnings)
        return result
