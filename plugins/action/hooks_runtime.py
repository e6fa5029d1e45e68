# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends the hook runtime along with the task, so that deploying it is one module execution."""

from __future__ import annotations

from ansible.plugins.action import ActionBase
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _runtime_source


class ActionModule(ActionBase):
    """Fills in the arguments payload and collection_version, then runs the module."""

    def run(self, tmp=None, task_vars=None):
        """Return the module's result."""
        result = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        if arguments.get("state", "present") != "absent":
            arguments.update(payload=_runtime_source.payload(), collection_version=_runtime_source.collection_version())
        result.update(self._execute_module(module_name="agentihooks.fleet.hooks_runtime", module_args=arguments, task_vars=task_vars))
        return result
