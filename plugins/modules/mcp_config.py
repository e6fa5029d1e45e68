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
  - Writes MCP servers to C(mcp-config.json) of Copilot CLI. They are given in any of the forms people keep them in and are
    brought into the CLI's own.
  - Servers of the person are left alone, also one of the same name. Inside a server of ours, what the CLI or the person adds
    is theirs and what they change survives.
  - A server that is no longer given is removed if the ledger says that it is ours and nobody changed it.
  - A secret is never written. One in C(env) or C(headers) is left out with a warning; one in C(url), C(command) or C(args)
    leaves the whole server out. Deliver it in the environment and write C(${NAME}).
  - A definition that no CLI could use is an error, and then nothing is written.
options:
  state:
    description: V(absent) removes what is ours, whatever O(servers) says.
    type: str
    choices: [present, absent]
    default: present
  target:
    description: The agent CLI.
    type: str
    choices: [copilot]
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
  cli_version:
    description: The version of the CLI on the host, for what differs between versions. Empty when it is not known.
    type: str
    default: ''
  home:
    description: The home directory. The default is the passwd home of the user the module runs as.
    type: path
  on_conflict:
    description:
      - What happens to a server that has this name and never was ours. V(keep) leaves it and reports it, V(overwrite) takes
        it over, V(fail) stops before anything is written.
    type: str
    choices: [keep, overwrite, fail]
    default: keep
  adopt:
    description: Treat servers that already are as wanted as ours.
    type: bool
    default: false
  reclaim:
    description: What to take back from a hand-edit, each as its keys joined by dots or as a list of keys, C(mcpServers) first.
    type: list
    elements: raw
    default: []
  manager:
    description: Who manages the configuration. A ledger that names another one stops the module.
    type: str
    default: agentihooks.fleet
  takeover:
    description: Go on although the ledger names another manager, and be its manager from now on.
    type: bool
    default: false
attributes:
  check_mode:
    description: Predicts exactly what a run would change.
    support: full
  diff_mode:
    description: Shows the servers before and after, with the values of C(env) and C(headers) hidden.
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
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
    cli_version: "{{ ansible_facts.agentihooks.copilot.version }}"

- name: Remove all servers of ours
  agentihooks.fleet.mcp_config:
    state: absent
"""

RETURN = r"""
changes:
  description: What was decided, per value or per server.
  returned: always
  type: list
  elements: dict
  contains:
    path:
      description: The keys, joined by dots.
      type: str
    outcome:
      description:
        - V(created), V(updated), V(removed), V(unchanged), V(hand_edited) (left as the person has it), V(foreign) (never
          ours, left) or V(released) (no longer wanted, left).
      type: str
  sample: [{path: mcpServers.tracker.command, outcome: created}]
hand_edited:
  description: What was left as the person has it.
  returned: always
  type: list
  elements: str
warnings:
  description: What was left out and why, and what an administrator should look at.
  returned: when there is something to look at
  type: list
  elements: str
configured:
  description: The names of all servers in the file after the run, the person's too. In check mode, as they would be.
  returned: always
  type: list
  elements: str
refused:
  description: The names of the servers that were not written because they cannot be had; RV(warnings) says why.
  returned: always
  type: list
  elements: str
"""

import json
import os

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.agentihooks.fleet.plugins.module_utils import _document, _files, _host, _jsonc, _mcp, _mcp_plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules

FILE = "mcp-config.json"


def rendered(servers, version):
    """Return (name to entry, warnings, names left out). Raises ValueError, with everything that is wrong with the servers."""
    _path, table = _mcp.servers({_mcp_plan.SERVERS: servers})
    entries, warnings, refused, wrong = {}, [], [], []
    for name, definition in table.items():
        if definition is None:
            continue
        try:
            server = _mcp.without_secrets(_mcp.normalize(name, definition))
            entries[name], more = _mcp.copilot_entry(server, version)
        except _mcp.Refusal as refusal:
            if refusal.kind == _mcp.INVALID:
                wrong.append(refusal.text())
            else:
                warnings.append("left out: %s" % refusal.text())
                refused.append(name)
            continue
        warnings += ["the MCP server %s: %s" % (_mcp.shown(name), text) for text in server.warnings + more]
    for group in _mcp.clashes(entries):
        wrong.append("the servers %s have the same name for the model; rename all but one" % ", ".join(_mcp.shown(name) for name in group))
    if wrong:
        raise ValueError("; ".join(wrong))
    return entries, warnings, sorted(refused)


def run(module):
    """Return the module's result. Raises SurfaceError, ValueError."""
    params = module.params
    home = params["home"] or _host.passwd_home()
    place = _document.Home(_host.config_home(params["target"], home, os.environ), params["manager"], params["takeover"])
    servers = {} if params["state"] == "absent" else params["servers"]
    entries, warnings, refused = rendered(servers, params["cli_version"])
    policy = Policy(params["on_conflict"], params["adopt"], [_keys(path) for path in params["reclaim"]])
    desired = {_mcp_plan.SERVERS: entries} if entries else {}
    result = _document.converge(place, FILE, desired, Rules(), policy, _jsonc, module.check_mode, planner=_mcp_plan.plan_servers)
    after = _jsonc.parse(result.after).value
    for name, keys in _mcp_plan.leftovers(after, entries):
        warnings.append("the MCP server %s has another transport now, and %s that somebody else set no longer fits; remove it by hand" % (
            _mcp.shown(name), " and ".join(keys)))
    for group in _mcp.clashes(_mcp_plan.configured(after)):
        warnings.append("the MCP servers %s have the same name for the model, which gets the tools of one of them; rename or remove one" % (
            ", ".join(_mcp.shown(name) for name in group)))
    answer = {
        "changed": result.changed,
        "changes": [{"path": _document.dotted(path), "outcome": outcome} for path, outcome in result.changes],
        "hand_edited": [_document.dotted(path) for path in result.hand_edited],
        "configured": _mcp_plan.configured(after),
        "refused": refused,
    }
    if module._diff and result.changed:
        path = os.path.join(place.path, FILE)
        answer["diff"] = [{"before_header": path, "after_header": path, "before": _shown(result.before), "after": _shown(result.after)}]
    for text in result.warnings + warnings:
        module.warn(text)
    return answer


def main():
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "target": {"type": "str", "choices": ["copilot"], "default": "copilot"},
            "servers": {"type": "dict", "default": {}},
            "cli_version": {"type": "str", "default": ""},
            "home": {"type": "path"},
            "on_conflict": {"type": "str", "choices": ["keep", "overwrite", "fail"], "default": "keep"},
            "adopt": {"type": "bool", "default": False},
            "reclaim": {"type": "list", "elements": "raw", "default": []},
            "manager": {"type": "str", "default": "agentihooks.fleet"},
            "takeover": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    # Also the arguments are printed, when a person asks for it.
    module.no_log_values.update(_mcp.secrets_in(module.params["servers"]))
    try:
        result = run(module)
    except _files.SurfaceError as error:
        module.fail_json(msg=str(error))
    except ValueError as error:
        module.fail_json(msg="servers: %s" % error)
    module.exit_json(**result)


def _keys(path):
    if isinstance(path, str):
        return tuple(path.split("."))
    if isinstance(path, (list, tuple)) and all(isinstance(key, str) for key in path):
        return tuple(path)
    raise ValueError("reclaim must hold paths, each as keys joined by dots or as a list of keys")


def _shown(data):
    """Return the servers of the file for a diff, without what may be a secret."""
    content = _jsonc.parse(data).value
    if isinstance(content.get(_mcp_plan.SERVERS), dict):
        servers = content[_mcp_plan.SERVERS]
        content = dict(content, mcpServers={name: _mcp.masked(entry) if isinstance(entry, dict) else entry for name, entry in servers.items()})
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
