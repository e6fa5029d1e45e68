#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The MCP servers of an agent CLI."""

from __future__ import annotations

DOCUMENTATION = r"""
module: mcp_config
short_description: Configure the MCP servers of an agent CLI
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Writes MCP servers to C(mcp-config.json) of Copilot CLI or to C(config.toml) of Codex CLI. They are given in any of the forms
    people keep them in and are brought into the CLI's own.
  - Servers of the person are left alone, also one of the same name. Inside a server of ours, what the CLI or the person adds
    is theirs and what they change survives.
  - A server that is no longer given is removed if the ledger says that it is ours and nobody changed it.
  - A secret is never written. One in C(env) or C(headers) is left out with a warning; one in C(url), C(command) or C(args)
    leaves the whole server out. Deliver it in the environment and write C(${NAME}).
  - A definition that no CLI could use is an error, and then nothing is written.
  - Codex fills in no reference. Of C(${NAME}) in C(env), C(headers) and a bearer token it gets the variable's name instead; a server
    with one elsewhere, and every SSE server, is left out with a warning. When a write is due, the installed Codex is asked whether
    it starts with the result.
options:
  target:
    description: The agent CLI.
    type: str
    choices: [copilot, codex]
    default: copilot
  servers:
    description:
      - The servers by name. Each has C(command), C(args), C(env) and C(cwd), or C(url) and C(headers).
      - C(type) is C(local) (or C(stdio)), C(http) or C(sse); without it a command means local, and a URL means http, or sse
        when it ends in C(/sse).
      - C(tools) takes exact names. Without it all tools are offered.
      - C(auth) and C(oidc) are false unless they are given.
      - C(_agentihooks) with C(allowSecrets) true writes the secrets of this server to the file.
    type: dict
    default: {}
  disabled:
    description:
      - The names of those servers that start switched off, for Codex. A server that says so itself need not be here.
      - Copilot keeps them in its settings, see M(agentihooks.fleet.copilot_settings).
    type: list
    elements: str
    default: []
  toolbelt:
    description:
      - Whether the agentihooks toolbelt is one of the servers, as V(hooks-utils). It is the command that M(agentihooks.fleet.hooks_runtime)
        deploys.
      - A server of that name in O(servers) takes its place.
    type: bool
    default: false
  data_dir:
    description:
      - The data directory with that command, an absolute path.
      - The default is E(AGENTIHOOKS_HOME), else C(.agentihooks) in the home.
    type: str
  cli_version:
    description: The version of the CLI on the host, for what differs between versions. Empty when it is not known.
    type: str
    default: ''
  cli_path:
    description: The Codex that is asked, an absolute path. The default is the one that the home's owner would run.
    type: str
extends_documentation_fragment:
  - agentihooks.fleet._home
  - agentihooks.fleet._ownership
seealso:
  - plugin: agentihooks.fleet.profile
    plugin_type: lookup
  - module: agentihooks.fleet.agentihooks_facts
"""

EXAMPLES = r"""
- name: Configure two servers
  agentihooks.fleet.mcp_config:
    servers:
      handbook:
        url: https://handbook.example.com/mcp
        headers:
          Authorization: Bearer ${HANDBOOK_TOKEN}
        tools: [search_pages]
      tracker:
        command: harbour-tracker-mcp
        args: [--stdio]

- name: Configure what the profiles bring
  agentihooks.fleet.mcp_config:
    servers: "{{ lookup('agentihooks.fleet.profile').mcp_servers }}"
    toolbelt: true

- name: Configure the same for Codex
  agentihooks.fleet.mcp_config:
    target: codex
    servers: "{{ profile.mcp_servers }}"
    disabled: "{{ profile.mcp_disabled }}"
  vars:
    profile: "{{ lookup('agentihooks.fleet.profile') }}"

- name: Remove all servers of ours
  agentihooks.fleet.mcp_config:
    state: absent
"""

RETURN = r"""
file:
  description: The file.
  returned: success
  type: str
  sample: /home/ada/.copilot/mcp-config.json
changes:
  description:
    - What was done, or in check mode would be done, for each path. Values are never returned.
    - The outcome is V(created), V(updated) or V(removed) for what was written; V(unchanged) for what is as wanted; V(foreign)
      for a server or value of the person that was left; V(hand_edited) for one of ours that the person changed or removed, and
      that was left; V(released) for one that is no longer wanted and was left.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The keys that lead to the value or the server.
      returned: always
      type: list
      elements: str
      sample: [mcpServers, tracker, command]
    outcome:
      description: What became of it.
      returned: always
      type: str
      sample: created
  sample: [{path: [mcpServers, tracker, command], outcome: created}]
hand_edited:
  description: The paths where the person's own choice stands instead of what is wanted.
  returned: success
  type: list
  elements: list
  sample: [[mcpServers, tracker]]
warnings:
  description: What was left out and why, and what an administrator should look at.
  returned: when there is something to look at
  type: list
  elements: str
configured:
  description: The names of all servers in the file after the run, the person's too. In check mode, as they would be.
  returned: success
  type: list
  elements: str
  sample: [handbook, tracker]
refused:
  description: The names of the servers that cannot be had and were left out; RV(warnings) says why.
  returned: success
  type: list
  elements: str
  sample: []
"""

import json
import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _codex_config,
    _codex_trial,
    _copilot,
    _document,
    _host,
    _jsonc,
    _mcp,
    _mcp_plan,
    _toml,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, OWNERSHIP_OPTIONS, run
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Rules


class CopilotShown:
    """The format of Copilot's file for a diff: no value of env and headers that may be a secret."""

    parse = staticmethod(_jsonc.parse)

    @staticmethod
    def masked(document, _hide, mask):
        """Return the text of a document to show."""
        content, key = document.value, _mcp_plan.COPILOT.key
        servers = content.get(key) if isinstance(content, dict) else None
        if isinstance(servers, dict):
            shown = {name: _mcp.masked(entry, mask) if isinstance(entry, dict) else entry for name, entry in servers.items()}
            content = dict(content, **{key: shown})
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


class CopilotTarget:
    """Copilot CLI: a file of its own."""

    file, part, format, shown, table = _copilot.MCP_CONFIG, "", _jsonc, CopilotShown, _mcp_plan.COPILOT
    home = staticmethod(_copilot.home)

    def __init__(self, module, home):
        self.version = module.params["cli_version"]
        self.approve = None

    def entry(self, server):
        """Return (entry, warnings). Raises Refusal."""
        return _mcp.copilot_entry(server, self.version)


class CodexTarget:
    """Codex CLI: a table of config.toml, beside what codex_config owns there."""

    file, part, format, shown, table = _codex_config.CONFIG, _codex_config.SERVERS, _toml, _codex_config.Shown, _mcp_plan.CODEX
    home = staticmethod(_codex_config.home)

    def __init__(self, module, home):
        self.person = _host.home_of(module)
        self.disabled = module.params["disabled"]
        cli = _host.absolute(module, "cli_path") or _codex_trial.installed(self.person, os.environ)
        self.approve = _codex_trial.approver(cli, self.person, home.path, os.environ)

    def entry(self, server):
        """Return (entry, warnings). Raises Refusal."""
        return _mcp.codex_entry(server, self.person, server.name in self.disabled)


TARGETS = {"copilot": CopilotTarget, "codex": CodexTarget}


def rendered(servers, target):
    """Return (name to entry, warnings, names left out). Raises ValueError, with everything that is wrong with the servers."""
    _path, table = _mcp.servers({"mcpServers": servers})
    entries, warnings, refused, wrong = {}, [], [], []
    for name, definition in table.items():
        if definition is None:
            continue
        try:
            server = _mcp.without_secrets(_mcp.normalize(name, definition))
            entries[name], more = target.entry(server)
        except _mcp.Refusal as refusal:
            if refusal.kind == _mcp.INVALID:
                wrong.append(refusal.text())
            else:
                warnings.append("left out: %s" % refusal.text())
                refused.append(name)
            continue
        warnings += ["the MCP server %s: %s" % (_mcp.shown(name), text) for text in server.warnings + more]
    wrong += ["%s; rename all but one" % _mcp.told_apart(group) for group in _mcp.clashes(entries)]
    if wrong:
        raise ValueError("servers: " + "; ".join(wrong))
    return entries, warnings, sorted(refused)


def wanted(module):
    """Return name to definition of the servers that the options ask for."""
    if not module.params["toolbelt"]:
        return module.params["servers"]
    data_dir = _host.absolute(module, "data_dir") or _host.data_directory(_host.home_of(module), os.environ)
    return dict(_mcp.toolbelt(os.path.join(data_dir, _host.COMMAND)), **module.params["servers"])


def converge(module):
    """Bring the file to the wanted servers and exit."""
    # Also the arguments are printed, when a person asks for it.
    module.no_log_values.update(_mcp.secrets_in(module.params["servers"]))
    servers = wanted(module) if module.params["state"] == "present" else {}
    kind = TARGETS[module.params["target"]]
    home = kind.home(module)
    target, table = kind(module, home), kind.table
    entries, warnings, refused = rendered(servers, target)
    desired = {table.key: entries} if entries else {}
    result = _document.converge(
        home,
        target.file,
        lambda disk: desired,
        Rules(),
        module.policy(),
        target.format,
        module.check_mode,
        planner=_mcp_plan.planner(table),
        # What was there before us comes back, whatever the CLI thinks of it.
        approve=target.approve if module.params["state"] == "present" else None,
        part=target.part,
    )
    after = target.format.parse(result.after).value
    configured = _mcp_plan.configured(table, after)
    for name, keys in _mcp_plan.leftovers(table, after, entries):
        text = "the MCP server %s has another transport now, and %s that somebody else set no longer fits; remove it by hand"
        warnings.append(text % (_mcp.shown(name), " and ".join(keys)))
    warnings += ["%s, which gets the tools of one of them; rename or remove one" % _mcp.told_apart(group) for group in _mcp.clashes(configured)]
    module.finish(result, target.shown, warnings, file=home.file(target.file), configured=configured, refused=refused)


def main():
    """Run the module."""
    options = {
        "target": {"type": "str", "choices": ["copilot", "codex"], "default": "copilot"},
        "servers": {"type": "dict", "default": {}},
        "disabled": {"type": "list", "elements": "str", "default": []},
        "toolbelt": {"type": "bool", "default": False},
        "data_dir": {"type": "str"},
        "cli_version": {"type": "str", "default": ""},
        "cli_path": {"type": "str"},
    }
    # A wrong option ends the module before it knows which of the servers' values are secret.
    run(converge, secret=("servers",), argument_spec=dict(HOME_OPTIONS, **OWNERSHIP_OPTIONS, **options))


if __name__ == "__main__":
    main()
