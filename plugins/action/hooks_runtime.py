# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends what tells whether a host has the hook runtime along with the task; and the runtime itself, in a second one, where it has not."""

from __future__ import annotations

from ansible.plugins.action import ActionBase
from ansible_collections.agentihooks.fleet.plugins.module_utils import _runtime_tree
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _runtime_source


class ActionModule(ActionBase):
    """Fills in the arguments files, payload and collection_version, and runs the module."""

    def run(self, tmp=None, task_vars=None):
        """Return the module's result."""
        result = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        files = {}
        if arguments.get("state", "present") != "absent":
            files = _runtime_source.runtime()
            arguments.update(files=_runtime_tree.digests(files), collection_version=_runtime_source.collection_version())
        answer = self._executed(arguments, task_vars)
        if answer.pop("needs_payload", False):
            answer = self._executed(dict(arguments, payload=_runtime_tree.pack(files)), task_vars)
        result.update(answer)
        return result

    def _executed(self, arguments, task_vars):
        return self._execute_module(module_name="agentihooks.fleet.hooks_runtime", module_args=arguments, task_vars=task_vars)
