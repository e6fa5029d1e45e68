#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents, commands, skills and instructions, in the form an agent CLI reads."""

from __future__ import annotations

DOCUMENTATION = r"""
module: agent_translate
short_description: Install agents, commands, skills and instructions for an agent CLI
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Takes agents, commands and skills as people write them for Claude Code, on the controller, and installs them in the form
    that the CLI of the target reads. Agents become files of C(agents/), commands and skills become skills. The directory of the
    skills is the same for both CLIs, and what both want goes when neither wants it any more.
  - For Copilot an agent never gets more rights than its source gives it. A tool that has no counterpart is left out and named in
    the result. Codex gives an agent every tool and the sandbox of its session, so there what an agent has beyond its source is
    named, and only its instructions keep it from that.
  - A source that cannot be used is left out and named, and the others are installed. As long as there is one, nothing is
    removed from its surface, because what it was to become is not known.
  - A file that the person changed or removed is left, and so is a skill of the person's, also one that is a link.
  - Instructions go between two marks into the file of instructions of the CLI. What a person writes outside of them stays.
  - Texts are installed as they are. Jinja in them is never evaluated.
options:
  target:
    description: The agent CLI.
    type: str
    choices: [copilot, codex]
    default: copilot
  src:
    description: A directory on the controller with C(agents/), C(commands/) and C(skills/), for example the C(.claude) of a repository.
    type: path
  agents:
    description:
      - Agents to install, each a path on the controller or a mapping with C(path), or with C(name) and C(content). The option
        C(name) is the name of the file without C(.md).
      - An empty list means that no agents are wanted, those of ours are removed then. Left out, the surface is not touched.
    type: list
    elements: raw
  commands:
    description: Commands to install as skills, given like O(agents). A slash in C(name) becomes a dash.
    type: list
    elements: raw
  skills:
    description: Skills to install, each the path of a directory with a C(SKILL.md) on the controller, or a mapping with C(path) and C(name).
    type: list
    elements: raw
  instructions:
    description: The text of the instructions that every session gets. An empty text means that none are wanted.
    type: str
  scoped_grants:
    description:
      - What a grant for a part of a tool becomes, for example C(Bash(git diff:*)), because the CLI has none of that kind.
      - V(drop) leaves it out, so the agent gets less. V(widen) grants the whole tool.
    type: str
    choices: [drop, widen]
    default: drop
  body_limit:
    description: The longest text of an agent or command in characters, at least 1000. A longer one is cut where a paragraph ends. No limit by default.
    type: int
  without_frontmatter:
    description: What happens to a file among the agents that has no frontmatter.
    type: str
    choices: [skip, synthesize]
    default: skip
  skills_mode:
    description:
      - Whether skills are copied, or are links to the directory they come from. For links the directory must be on the host.
      - Commands and skills that have to be translated are always copied.
    type: str
    choices: [copy, link]
    default: copy
  cli_version:
    description: The version of the CLI on the host, for what differs between versions. Empty when it is not known.
    type: str
    default: ''
  surfaces:
    description: What to look at. The default is what something was said about, and with O(state=absent) everything.
    type: list
    elements: str
    choices: [agents, skills, instructions]
  payload:
    description: The translated files. The module's action plugin fills it in; there is nothing to give here.
    type: str
  executable:
    description: Those of the files that may be run. The action plugin fills it in.
    type: list
    elements: str
    default: []
  links:
    description: The skills that are links. The action plugin fills it in.
    type: dict
    default: {}
  unknown:
    description: The surfaces of which a source could not be used. The action plugin fills it in.
    type: list
    elements: str
    default: []
extends_documentation_fragment:
  - agentihooks.fleet._home
  - agentihooks.fleet._ownership
seealso:
  - plugin: agentihooks.fleet.profile
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Install an agent given inline
  agentihooks.fleet.agent_translate:
    agents:
      - name: reviewer
        content: |
          ---
          description: Reviews the changes of a branch
          tools: Read, Grep, Glob
          ---
          Read the changes. Name what is wrong, with file and line.

- name: Install what a profile chain comes to
  agentihooks.fleet.agent_translate:
    agents: "{{ profile.agents }}"
    commands: "{{ profile.commands }}"
    skills: "{{ profile.skills }}"
    instructions: "{{ profile.persona_text }}"
    cli_version: "{{ ansible_facts.agentihooks.copilot.version | default('', true) }}"
  vars:
    profile: "{{ lookup('agentihooks.fleet.profile') }}"

- name: Install the instructions for Codex CLI
  agentihooks.fleet.agent_translate:
    target: codex
    instructions: "{{ lookup('agentihooks.fleet.profile').persona_text }}"

- name: Take everything of ours back
  agentihooks.fleet.agent_translate:
    state: absent
"""

RETURN = r"""
changes:
  description:
    - What was done, or in check mode would be done, for each file. Contents are not returned.
    - The outcome is V(created), V(updated) or V(removed) for what was written; V(unchanged) for what is as wanted; V(foreign)
      for a file or skill of the person that was left; V(hand_edited) for one of ours that the person changed or removed, and
      that was left; V(released) for one that is no longer wanted and was left.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The surface and the file below it. A skill that was left as a whole is named without a file.
      returned: always
      type: list
      elements: str
      sample: [skills, release-notes, SKILL.md]
    outcome:
      description: What became of it.
      returned: always
      type: str
      sample: created
  sample: [{path: [agents, reviewer.md], outcome: created}]
hand_edited:
  description: The paths where the person's own choice stands instead of what is wanted.
  returned: success
  type: list
  elements: list
  sample: [[agents, reviewer.md]]
translated:
  description: What became of each source, in order.
  returned: when O(state=present)
  type: list
  elements: dict
  contains:
    source:
      description: The file, directory or name it was given as.
      returned: always
      type: str
    kind:
      description: V(agent), V(command) or V(skill).
      returned: always
      type: str
    outcome:
      description: V(translated), V(copied), V(refused) for one that has to be put right, or V(skipped) for one that is not meant to be installed.
      returned: always
      type: str
    name:
      description: What it is called in the CLI.
      returned: when it is installed
      type: str
    reason:
      description: Why it was refused or skipped.
      returned: when it is not installed
      type: str
    dropped:
      description: Keys of its frontmatter that the CLI does not know and that were left out.
      returned: when there are any
      type: list
      elements: str
    warnings:
      description: What it lost or what was made up.
      returned: when there are any
      type: list
      elements: str
  sample: [{source: /srv/team-bundle/.claude/agents/reviewer.md, kind: agent, outcome: translated, name: reviewer, dropped: [color]}]
agents_directory:
  description: The directory of the agents.
  returned: success
  type: str
  sample: /home/ada/.copilot/agents
skills_directory:
  description: The directory of the skills.
  returned: success
  type: str
  sample: /home/ada/.agents/skills
file:
  description: The file of the instructions.
  returned: success
  type: str
  sample: /home/ada/.copilot/copilot-instructions.md
"""

import json
import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _codex_config,
    _copilot,
    _document,
    _files,
    _group_plan,
    _host,
    _ledger,
    _ownership,
    _region,
    _tree,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, OWNERSHIP_OPTIONS, run, shown
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules
from ansible_collections.agentihooks.fleet.plugins.module_utils._persona_marks import PERSONA_BEGIN, PERSONA_END
from ansible_collections.agentihooks.fleet.plugins.module_utils._runtime_tree import unpack
from ansible_collections.agentihooks.fleet.plugins.module_utils._secret_shapes import redact
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT

SURFACES = ("agents", "skills", "instructions")
# What AgentiHooks itself kept beside the agents it made: a list of their file names.
LEGACY_MANIFEST = ".agentihooks-manifest.json"
HOMES = {"copilot": _copilot.home, "codex": _codex_config.home}
# What Codex reads in place of its instructions file, if there is anything in it.
OVERRIDE = "AGENTS.override.md"
PERSONA = _region.Region(PERSONA_BEGIN, PERSONA_END, _region.START)


class Wanted:
    """What shall be on the host. agents, skills: tables of _tree values. instructions: text, "" for none."""

    def __init__(self, params):
        """params: of the module. Raises ValueError for a payload that is none."""
        self.agents, self.skills, self.instructions = {}, {}, ""
        if params["state"] == "absent":
            return
        try:
            files = unpack(params["payload"])
        except ValueError as error:
            raise ValueError("payload: %s. Call the module by its full name, agentihooks.fleet.agent_translate" % error) from None
        self.instructions = files.pop("instructions", b"").decode("utf-8", "surrogateescape")
        values = {path: _tree.file_value(data, path in params["executable"]) for path, data in files.items()}
        values.update({"skills/" + name: _tree.link_value(target) for name, target in params["links"].items()})
        table = _tree.table_of(values)
        self.agents, self.skills = table.get("agents", {}), table.get("skills", {})


class Places:
    """Where the surfaces of the target lie."""

    def __init__(self, module):
        person, config_home = module.paths(module.params["target"])
        surfaces = _host.surfaces(person, dict(_host.config_homes(person, os.environ), **{module.params["target"]: config_home}))
        name = module.params["target"] + "_"
        self.home = HOMES[module.params["target"]](module)
        self.agents, self.skills, self.instructions = surfaces[name + "agents"], surfaces[name + "skills"], surfaces[name + "persona"]
        self.skills_home = _document.Home(
            self.skills, module.params["manager"], module.params["takeover"], source=module.source(), ledger=_ledger.SKILLS_LEDGER
        )


def converge(module):
    """Bring agents, skills and instructions to what is wanted and exit."""
    wanted, places = Wanted(module.params), Places(module)
    surfaces = module.params["surfaces"] or (SURFACES if module.params["state"] == "absent" else ())
    steps = {"agents": _agents, "skills": _skills, "instructions": _instructions}
    chosen = [(surface, steps[surface]) for surface in SURFACES if surface in surfaces]
    # What cannot be done for one surface stops the others too, before anything is written.
    for _surface, step in chosen:
        step(module, places, wanted, True)
    results = [(surface, step(module, places, wanted, module.check_mode)) for surface, step in chosen]
    warnings = [text for _surface, result in results for text in result.warnings]
    if wanted.instructions and module.params["target"] == "codex" and _is_overridden(places.instructions):
        warnings.append("%s stands beside the instructions, so Codex does not read them; move its text into %s" % (OVERRIDE, places.instructions))
    for warning in dict.fromkeys(warnings):
        module.warn(_files.printable(redact(warning)))
    answer = {
        "changed": any(result.changed for _surface, result in results),
        "changes": [{"path": _shown(path, surface), "outcome": outcome} for surface, result in results for path, outcome in result.changes],
        "hand_edited": [_shown(path, surface) for surface, result in results for path in result.hand_edited],
        "agents_directory": places.agents,
        "skills_directory": places.skills,
        "file": places.instructions,
    }
    if module._diff:
        answer["diff"] = [side for surface, result in results for side in _diff(surface, getattr(places, surface), result)]
    module.exit_json(**answer)


def _agents(module, places, wanted, check_mode):
    surface = _tree.Surface(
        places.home, "agents", places.agents, _ownership.plan,
        names=_legacy_names(places.agents), unknown="agents" in module.params["unknown"],
    )
    return _tree.converge(surface, wanted.agents, _policy(module, "agents"), check_mode)


def _skills(module, places, wanted, check_mode):
    surface = _tree.Surface(
        places.skills_home, "skills", places.skills, _group_plan.plan_groups,
        target=module.params["target"], whole=True, unknown="skills" in module.params["unknown"],
    )
    return _tree.converge(surface, wanted.skills, _policy(module, "skills"), check_mode)


def _instructions(module, places, wanted, check_mode):
    desired = {_region.REGION: wanted.instructions} if wanted.instructions else {}
    policy = _policy(module, "instructions")
    reclaim = [(_region.REGION,)] if () in policy.reclaim else []
    return _document.converge(
        places.home, os.path.basename(places.instructions), lambda disk: desired, Rules(), Policy(policy.on_conflict, policy.adopt, reclaim),
        PERSONA, check_mode,
    )


def _is_overridden(instructions):
    try:
        found = _files.read(os.path.join(os.path.dirname(instructions), OVERRIDE), foreign_owner_ok=True, unreadable_ok=True)
    except _files.SurfaceError:
        return False
    return bool(found.data and found.data.strip())


def _policy(module, surface):
    """Return the Policy with the paths of one surface, the surface's name taken off."""
    policy = module.policy()
    return Policy(policy.on_conflict, policy.adopt, [path[1:] for path in policy.reclaim if path[0] == surface])


def _legacy_names(directory):
    """Return the names of the agents that AgentiHooks itself said it made. Raises SurfaceError for a record that cannot be read."""
    try:
        names = json.loads(_files.read(os.path.join(directory, LEGACY_MANIFEST)).data.decode("utf-8"))
    except ValueError:
        return ()
    except _files.SurfaceError as error:
        if error.number is not None:
            raise
        return ()  # no file of the person's
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else ()


def _shown(path, surface):
    return [surface] if surface == "instructions" else [surface] + [_files.printable(key) for key in path]


def _diff(surface, place, result):
    if surface == "instructions":
        # The region alone: the rest of the file is the person's.
        return [_side(place, shown(result.before, PERSONA).encode("utf-8"), shown(result.after, PERSONA).encode("utf-8"))] if result.changed else []
    names = sorted(set(result.before) | set(result.after))
    return [_side(os.path.join(place, name), result.before.get(name), result.after.get(name)) for name in names]


def _side(path, before, after):
    path = _files.printable(path)
    return {"before_header": path, "after_header": path, "before": _text(before), "after": _text(after)}


def _text(value):
    """Return what a diff shows of bytes or of a _tree value."""
    if value is None or value is ABSENT:
        return ""
    if isinstance(value, str):
        if value[:1] == _tree.LINK:
            return "-> %s\n" % _files.printable(os.fsdecode(_tree.bytes_of(value)))
        value = _tree.bytes_of(value)
    try:
        return redact(value.decode("utf-8"))
    except UnicodeDecodeError:
        return "(%d bytes that are no text)\n" % len(value)


def main():
    """Run the module."""
    options = {
        "target": {"type": "str", "choices": list(HOMES), "default": "copilot"},
        "surfaces": {"type": "list", "elements": "str", "choices": list(SURFACES)},
        # Not secret, but nothing for a log.
        "payload": {"type": "str", "no_log": True},
        "executable": {"type": "list", "elements": "str", "default": []},
        "links": {"type": "dict", "default": {}},
        "unknown": {"type": "list", "elements": "str", "default": []},
        # For the action plugin alone; here so that they are documented and known.
        "src": {"type": "path"},
        "agents": {"type": "list", "elements": "raw"},
        "commands": {"type": "list", "elements": "raw"},
        "skills": {"type": "list", "elements": "raw"},
        "instructions": {"type": "str"},
        "scoped_grants": {"type": "str", "choices": ["drop", "widen"], "default": "drop"},
        "body_limit": {"type": "int"},
        "without_frontmatter": {"type": "str", "choices": ["skip", "synthesize"], "default": "skip"},
        "skills_mode": {"type": "str", "choices": ["copy", "link"], "default": "copy"},
        "cli_version": {"type": "str", "default": ""},
    }
    run(converge, argument_spec=dict(HOME_OPTIONS, **OWNERSHIP_OPTIONS, **options), required_if=[("state", "present", ("payload",))])


if __name__ == "__main__":
    main()
