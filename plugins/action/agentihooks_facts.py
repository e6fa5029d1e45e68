# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module as Ansible would without this plugin, and has what the tasks after it need on the controller imported once.

Ansible compiles the Python of a collection anew in each process, and has a process for each task of a host. An action plugin is
imported before they part, so what it imports is there for all of them; a lookup is imported after.
"""

from __future__ import annotations

from ansible.plugins.action.normal import ActionModule as Normal
from ansible_collections.agentihooks.fleet.plugins.filter import run_summary
from ansible_collections.agentihooks.fleet.plugins.lookup import profile

IMPORTED = (profile, run_summary)


class ActionModule(Normal):
    """Nothing of its own."""
