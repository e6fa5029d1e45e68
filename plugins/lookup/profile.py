# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host's profile chain comes to, resolved and checked on the controller."""

from __future__ import annotations

DOCUMENTATION = r"""
name: profile
short_description: Resolve a profile chain to what one host is to have
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Reads the profiles of a chain on the controller, merges and checks them, and returns the result as data. It touches no host.
  - The layers, each over the one before, are the base of this collection, the bundle's own directory, each profile of the
    chain from left to right (this collection's of that name, then the bundle's), the settings profile, and the variables of
    the inventory.
  - Mappings merge, lists replace, and null unsets what an earlier layer says. TOML has no null; in C(config.overrides.toml) the
    list C(unset) of the table C(_agentihooks) names the dotted keys to unset.
  - Of agents, skills, commands and rules of one name the later layer's is returned. An MCP server of a later source
    replaces an earlier one of that name whole; what the inventory says about a server is merged into it.
  - A profile that does not exist, a file that is wrong and a link that leads out of the bundle are errors, all named at once,
    with file, line and JSON path. The lookup then fails for that host, so nothing is written or removed there.
  - Text from files is returned as it is. Jinja in it is never evaluated.
requirements:
  - jsonschema on the controller
  - tomlkit on the controller
notes:
  - The bundle's JSON files may hold comments and trailing commas, as the files of the CLI itself may. A key that is
    there twice is an error.
options:
  _terms:
    description: The profile chain, left to right. Without any, the variable C(agentihooks_profiles) is taken.
    type: list
    elements: str
  profiles:
    description: The profile chain when no terms are given.
    type: list
    elements: str
    default: [default]
    vars:
      - name: agentihooks_profiles
  bundle:
    description:
      - What holds C(profiles/) and optionally C(.claude/), a directory on the controller or the address of a git repository.
        A relative path counts from the playbook's directory, or else from where C(ansible-playbook) was started.
      - An address has C(://) in it (https, ssh, file, http, git) or the form C(user@host:path). It is fetched once, into
        C($XDG_CACHE_HOME/agentihooks-fleet/bundles), and read from there ever after, also without a network. No hook, filter
        or submodule of the repository counts.
      - Nobody is asked for a password. One in the address is shown nowhere; a credential helper or an SSH agent is better.
      - Empty for the profiles of this collection alone.
    type: str
    default: ''
    vars:
      - name: agentihooks_bundle
  bundle_commit:
    description: The full id of the commit, where O(bundle) is a git repository. A branch, a tag or a short id is refused.
    type: str
    default: ''
    vars:
      - name: agentihooks_bundle_commit
  settings_profile:
    description: One more profile that contributes settings, directives and MCP servers only, after the chain.
    type: str
    default: ''
    vars:
      - name: agentihooks_settings_profile
  settings:
    description: Settings of Copilot CLI that are merged last.
    type: dict
    default: {}
    vars:
      - name: agentihooks_copilot_settings
  codex_config:
    description: Values of Codex's C(config.toml) that are merged last. Null unsets.
    type: dict
    default: {}
    vars:
      - name: agentihooks_codex_config
  mcp_servers:
    description: MCP servers by name that are merged last, into those of the profiles. Null leaves a server out.
    type: dict
    default: {}
    vars:
      - name: agentihooks_mcp_servers
  directives:
    description: Directives that are merged last, over the reserved block C(_agentihooks) of the profiles.
    type: dict
    default: {}
    vars:
      - name: agentihooks_directives
  identity:
    description:
      - What the persona says about who the model is, a short text.
      - Without it a sentence that names the chain, where the persona has any other part. An empty text gives none.
    type: str
    vars:
      - name: agentihooks_identity
"""

EXAMPLES = r"""
- name: Show what a chain comes to, without any host
  hosts: localhost
  gather_facts: false
  tasks:
    - name: Resolve it
      ansible.builtin.debug:
        msg: "{{ lookup('agentihooks.fleet.profile', 'default', 'backend', bundle='/srv/team-bundle') }}"

- name: Take the bundle from a git repository
  hosts: workstations
  gather_facts: false
  vars:
    agentihooks_bundle: https://git.example.com/team/bundle.git
    agentihooks_bundle_commit: 2c26b46b68ffc68ff99b453c1d30413413422d70
  tasks:
    - name: Say what a host comes from
      ansible.builtin.debug:
        msg: "{{ lookup('agentihooks.fleet.profile').bundle.label }}"

- name: Use the inventory's variables
  hosts: workstations
  gather_facts: false
  tasks:
    # A task that uses much of it: agentihooks.fleet.profile_info, which resolves the chain once for the host.
    - name: Write the settings
      agentihooks.fleet.copilot_settings:
        settings: "{{ lookup('agentihooks.fleet.profile').settings }}"
"""

RETURN = r"""
_raw:
  description: One mapping.
  type: list
  elements: dict
  contains:
    bundle:
      description:
        - Where the bundle comes from. C(source) is the git address without user and password, or the directory's name, C(commit)
          what it is at (with C(-dirty) for a work tree with changes; empty where that is not known), C(label) both as one text,
          as the option O(agentihooks.fleet.copilot_settings#module:source) of the modules takes it.
        - All are empty without a bundle.
      type: dict
      sample:
        source: https://git.example.com/team/bundle.git
        commit: 2c26b46b68ffc68ff99b453c1d30413413422d70
        label: https://git.example.com/team/bundle.git@2c26b46b68ffc68ff99b453c1d30413413422d70
    chain:
      description: The profile chain.
      type: list
      elements: str
    settings_profile:
      description: The settings profile, empty for none.
      type: str
    layers:
      description: The layers that contributed, the first one first.
      type: list
      elements: str
      sample: [_base, bundle, built-in default, backend]
    settings:
      description: The settings of Copilot CLI.
      type: dict
    codex_config:
      description: The configuration of Codex CLI, for M(agentihooks.fleet.codex_config).
      type: dict
    directives:
      description: What the reserved blocks came to.
      type: dict
      sample: {channels: [brain, amygdala], allowAll: true}
    codex_directives:
      description: What the reserved blocks of Codex's configuration came to, with those of the inventory over them.
      type: dict
      sample: {channels: [brain, amygdala]}
    mcp_servers:
      description: The MCP servers by name, in the common form that M(agentihooks.fleet.mcp_config) takes, without secrets.
      type: dict
    mcp_sources:
      description: For each MCP server the file or variable it comes from.
      type: dict
    mcp_disabled:
      description: The names of the MCP servers whose source says that they start switched off.
      type: list
      elements: str
    persona:
      description: The files of the persona's texts in order.
      type: list
      elements: dict
    manifestos:
      description: The files of the bundle's manifestos, by name.
      type: list
      elements: dict
    persona_text:
      description:
        - The whole persona, put together from identity, persona texts, rules and manifestos, for the instructions file of a CLI.
        - Empty when there is none.
      type: str
    agents:
      description: The agents' files, in the order of their layers and then of their names.
      type: list
      elements: dict
      sample: [{name: reviewer, layer: backend, path: /srv/team-bundle/profiles/backend/.claude/agents/reviewer.md}]
    commands:
      description: The commands' files, likewise. The name of one in a subdirectory has a slash in it.
      type: list
      elements: dict
    rules:
      description: The rules' files, likewise.
      type: list
      elements: dict
    skills:
      description: The skills' directories, likewise.
      type: list
      elements: dict
    sources:
      description: Every file that was read or is named above, in order.
      type: list
      elements: dict
    warnings:
      description: What was left out, and why.
      type: list
      elements: str
"""

import os
import pathlib

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _bundle_source, _near_names, _profiles
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError

COLLECTION = pathlib.Path(__file__).resolve().parents[2]
BUILT_IN = COLLECTION / _profiles.PROFILES
OPTIONS = ("bundle", "bundle_commit", "settings_profile", "settings", "codex_config", "mcp_servers", "directives", "identity")


class LookupModule(LookupBase):
    """The lookup."""

    def run(self, terms, variables=None, **kwargs):
        """Return a list of one mapping. Raises AnsibleError with everything that is wrong."""
        self.set_options(var_options=variables, direct=kwargs)
        chain = _flat(terms) or _flat([self._option("profiles")])
        asked = {name: self._option(name) for name in OPTIONS}
        overrides = _profiles.Overrides(*[asked[name] for name in ("settings", "mcp_servers", "directives", "codex_config")])
        # Before what may stop here: the slip can be why.
        for name, likely in _near_names.misspelt_variables(variables or (), _near_names.role_variables(COLLECTION / "roles")):
            Display().warning("the variable %s is none of this collection and does nothing; is %s meant?" % (name, likely))
        try:
            bundle = _bundle_source.locate(asked["bundle"], asked["bundle_commit"], self._absolute)
            result = _profiles.resolve(BUILT_IN, bundle.path, chain, asked["settings_profile"] or None, overrides, asked["identity"])
        except BundleError as error:
            raise AnsibleError("The profile chain cannot be used, and nothing was done for this host.\n%s" % error) from None
        for text in result["warnings"]:
            Display().warning(text)
        return [dict(result, bundle={"source": bundle.source, "commit": bundle.commit, "label": bundle.label})]

    def _option(self, name):
        # Variables of the inventory arrive as they were written there. Text that is no template of a playbook or
        # inventory (results, file contents) is not evaluated: it does not count as trusted.
        return _plain(self._templar.template(self.get_option(name)))

    def _absolute(self, path):
        # The directory of a playbook that lies in a collection is nobody's own.
        beside = self._loader.path_dwim(path) if self._loader else path
        return beside if os.path.isdir(beside) else os.path.abspath(os.path.expanduser(path))


def _flat(terms):
    """Return a chain given as words, as lists, or as one string with commas."""
    names = []
    for term in terms:
        term = _plain(term)
        if isinstance(term, list):
            names += _flat(term)
        elif isinstance(term, str):
            names += [name.strip() for name in term.split(",") if name.strip()]
        else:
            names.append(term)
    return names


def _plain(value):
    """Return a value of plain types: those that come from the inventory carry marks of their origin."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value
