#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of Codex CLI, value by value."""

from __future__ import annotations

DOCUMENTATION = r"""
module: codex_config
short_description: Keep values in the configuration of Codex CLI
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Writes single values into C(config.toml) of Codex CLI and leaves everything else in it alone, what Codex itself writes there
    included (trusted projects, hook trust, tool approvals, notices).
  - Remembers what it wrote. A value that the person changed or removed since is left and reported.
  - Keeps C(features.hooks) true whatever stands there.
  - One value that Codex does not accept stops every start of it. So the wanted values are checked first, and when a write is due the
    installed Codex is asked whether it starts with the result. If it would not, nothing is written.
  - Records that AgentiHooks itself kept in the file are read once, then removed.
options:
  config:
    description:
      - The wanted values. Tables are merged into what is there, a list is one value, V(null) means that nothing is wanted.
      - Elements of C(project_doc_fallback_filenames), C(sandbox_workspace_write.writable_roots) and C(skills.config) are added to
        those that are there. C(approval_policy) is one value, also as a table.
      - Dropped with a warning are C(mcp_servers) (see M(agentihooks.fleet.mcp_config)), C(hooks) (they would run beside C(hooks.json)),
        C(profile) (stops every start), C(profiles) and C(experimental_instructions_file) (not read), C(features.codex_hooks)
        (an old name), C(features.hooks) as V(false), and every key that starts with an underscore.
      - A value that was once given here and is no longer is removed, unless the person changed it.
    type: dict
    default: {}
  cli_version:
    description: The version of Codex on the host, for values that not every version accepts. Empty for the newest known.
    type: str
    default: ''
  cli_path:
    description:
      - The Codex that is asked, an absolute path. The default is the one that the home's owner would run.
      - Without one the check of the values is all there is.
    type: str
extends_documentation_fragment:
  - agentihooks.fleet._home
  - agentihooks.fleet._ownership
seealso:
  - module: agentihooks.fleet.mcp_config
  - module: agentihooks.fleet.agentihooks_facts
"""

EXAMPLES = r"""
- name: Set how Codex asks, and what its footer shows
  agentihooks.fleet.codex_config:
    config:
      approval_policy: on-request
      sandbox_mode: workspace-write
      tui:
        status_line: [model-with-reasoning, git-branch, context-remaining]

- name: Allow one more directory, beside those of the person
  agentihooks.fleet.codex_config:
    config:
      sandbox_workspace_write:
        writable_roots: [/srv/scratch]

- name: Remove all that was set, put back what was there before
  agentihooks.fleet.codex_config:
    state: absent
"""

RETURN = r"""
file:
  description: The file.
  returned: success
  type: str
  sample: /home/ada/.codex/config.toml
changes:
  description:
    - What was done, or in check mode would be done, for each path. Values are never returned.
    - The outcome is V(created), V(updated), V(pinned), V(removed) or V(unioned) for what was written; V(unchanged) for what is as
      wanted; V(foreign) for a value of the person that was left; V(hand_edited) for one of ours that the person changed or removed,
      and that was left; V(released) for one that is no longer wanted and was left.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The keys that lead to the value.
      returned: always
      type: list
      elements: str
      sample: [tui, status_line]
    outcome:
      description: What became of it.
      returned: always
      type: str
      sample: created
  sample: [{path: [tui, status_line], outcome: created}]
hand_edited:
  description: The paths where the person's own choice stands instead of what is wanted.
  returned: success
  type: list
  elements: list
  sample: [[approval_policy]]
warnings:
  description: What was left out and why, and what an administrator should look at.
  returned: when there is something to look at
  type: list
  elements: str
"""

import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_config, _codex_trial, _document, _host, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, OWNERSHIP_OPTIONS, run


def converge(module):
    """Bring config.toml to the wanted values and exit."""
    present = module.params["state"] == "present"
    config, warnings = _codex_config.without_reserved(module.params["config"] if present else {})
    wrong = _codex_config.errors(config, module.params["cli_version"]) + _codex_config.lacking(config)
    if wrong:
        raise ValueError("config: Codex would not start with this: %s" % "; ".join("%s %s" % (".".join(path), message) for path, message in wrong))
    home = _codex_config.home(module)
    person = _host.home_of(module)
    cli = _host.absolute(module, "cli_path") or _codex_trial.installed(person, os.environ)
    result = _document.converge(
        home,
        _codex_config.CONFIG,
        lambda disk: config,
        _codex_config.config_rules(present),
        module.policy(),
        _toml,
        module.check_mode,
        # What was there before us comes back, whatever Codex thinks of it.
        approve=_codex_trial.approver(cli, person, home.path, os.environ) if present else None,
    )
    module.finish(result, _codex_config.Shown, warnings, file=home.file(_codex_config.CONFIG))


def main():
    """Run the module."""
    options = {"config": {"type": "dict", "default": {}}, "cli_version": {"type": "str", "default": ""}, "cli_path": {"type": "str"}}
    run(converge, argument_spec=dict(HOME_OPTIONS, **OWNERSHIP_OPTIONS, **options))


if __name__ == "__main__":
    main()
