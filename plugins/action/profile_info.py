# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves a host's profile chain on the controller. Its documentation: modules/profile_info.py.

Ansible compiles the Python of a collection anew in each process, and has a process for each task of a host. An action plugin is imported
before they part, so what it imports is there for all of them; a lookup or a filter is imported after. So this one, which comes first,
imports what the tasks after it need, too.
"""

from __future__ import annotations

from ansible.plugins.action import ActionBase
from ansible.plugins.loader import lookup_loader
from ansible_collections.agentihooks.fleet.plugins.filter import run_summary
from ansible_collections.agentihooks.fleet.plugins.lookup import profile

IMPORTED = (profile, run_summary)


class ActionModule(ActionBase):
    """Needs no host and no module."""

    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp=None, task_vars=None):
        """Return what the lookup says. Raises AnsibleError with everything that is wrong with the chain."""
        result = super().run(tmp, task_vars)
        self.validate_argument_spec({})
        lookup = lookup_loader.get("agentihooks.fleet.profile", loader=self._loader, templar=self._templar)
        # Registered, but not printed: a server may be allowed to hold a secret.
        result.update(changed=False, profile=lookup.run([], variables=task_vars)[0], _ansible_no_log=True)
        return result
