# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends the wrapper's text along with the task, so that the runtime and its registration can be checked independently."""

from __future__ import annotations

from ansible.plugins.action import ActionBase
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _runtime_source


class ActionModule(ActionBase):
    """Fills in the argument wrapper_template, then runs the module."""

    def run(self, tmp=None, task_vars=None):
        """Return the module's result."""
        result = super().run(tmp, task_vars)
        arguments = dict(self._task.args, wrapper_template=_runtime_source.wrapper_template())
        result.update(self._execute_module(module_name="agentihooks.fleet.codex_hooks", module_args=arguments, task_vars=task_vars))
        return result
