#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data directory: the hook runtime that the agent CLIs call on every event, and the environment of their sessions."""

from __future__ import annotations

DOCUMENTATION = r"""
module: hooks_runtime
short_description: Deploy the hook runtime that guards agent CLIs, and the environment of their sessions
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Puts the hook runtime of this collection into C(<data directory>/runtime/<version>), compiles it for the interpreter it
    will run on, and points the link C(runtime/current) at it, all in one module execution. A session that is running
    keeps the version it started with; that one stays until the next upgrade.
  - Writes the runtime's own settings to C(<data directory>/policy.json), readable for the user alone, the command for the
    people on the host to C(<data directory>/bin/agentihooks), and the drop-in guards to C(<data directory>/drop-ins).
  - All of that is pinned. A file that was edited, removed or added, a wrong mode, a link that leads elsewhere or byte
    code that is not what the source compiles to is put right and reported with the outcome V(pinned).
  - Writes variables to C(<data directory>/copilot.env), one a line, readable for the user alone, and a block to the files of
    bash and zsh that exports them. These belong to the person too. Their own lines stay, and a line of ours or the block
    that they changed or removed is left and reported. Without any variable there is neither file nor block.
  - Everything is checked before anything is written.
options:
  surfaces:
    description:
      - What to look after, V(runtime) (with its settings) or V(environment) (the file of variables and the shell block).
      - What is not named is not touched, whatever the other options say.
    type: list
    elements: str
    choices: [runtime, environment]
    default: [runtime, environment]
  state:
    description:
      - V(present) deploys and repairs.
      - V(absent) removes the runtime, its settings, its logs and its session state, and takes back the variables and the
        shell block, so that files which were there before hold what they held. What else lies in the data directory
        stays, and the directory goes when nothing else is in it.
    type: str
    choices: [present, absent]
    default: present
  home:
    description: The home directory, an absolute path. The default is the passwd home of the user the module runs as.
    type: str
  data_dir:
    description: The data directory, an absolute path. The default is E(AGENTIHOOKS_HOME), else C(.agentihooks) in the home.
    type: str
  python:
    description:
      - The interpreter for the hooks, an absolute path.
      - The default is what M(agentihooks.fleet.agentihooks_facts) finds.
    type: str
  guard_failure:
    description:
      - What a tool call gets when the runtime itself fails or passes its deadline.
      - V(deny) stops it with a reason that says how to repair the runtime, V(allow) lets it through.
    type: str
    choices: [deny, allow]
    default: deny
  deadline:
    description: How many seconds the runtime may take for one event. The CLIs wait 30 and then let the call through.
    type: float
    default: 10.0
  session_context:
    description: A text that every session starts with.
    type: str
    default: ''
  prompt_secrets:
    description: What happens to a typed prompt that holds a secret.
    type: str
    choices: [block, warn, 'off']
    default: block
  protected_branches:
    description:
      - Git branches that change by pull request alone, where V(*) stands for any text. An empty list protects none.
    type: list
    elements: str
    default: [main, master, v1]
  git_gates:
    description:
      - What else of git is stopped, on any branch. V(force_push) pushes with force, V(tag) tags, V(branch) new branches,
        V(pull_request) pull requests into a protected branch.
    type: list
    elements: str
    choices: [force_push, tag, branch, pull_request]
    default: [force_push]
  guard_packs:
    description:
      - Guards that are off unless named here. V(kubectl_mutation) stops changes of a running system by hand,
        V(production_lockdown) what O(production) names.
    type: list
    elements: str
    choices: [kubectl_mutation, production_lockdown]
    default: []
  instructions_max_lines:
    description: How many lines CLAUDE.md, AGENTS.md and files like them may have. Shortening one is always allowed; 0 turns the guard off.
    type: int
    default: 200
  production:
    description: What the pack V(production_lockdown) of O(guard_packs) takes for production.
    type: dict
    default: {}
    suboptions:
      tags:
        description: Tags of container images that production runs.
        type: list
        elements: str
        default: [latest, prod, stable]
      registries:
        description: Registries whose images with such a tag may not even be pulled. An image without a registry is from V(docker.io).
        type: list
        elements: str
        default: [ghcr.io, docker.io]
      workflows:
        description: File names of the workflows that release, where V(*) stands for any text.
        type: list
        elements: str
        default: [release.yml, release.yaml]
      commands:
        description:
          - Commands that only a person runs, each a program and words that follow it in this order, where V(*) stands for any
            text in a word (V(terraform apply), V(kubectl --context=prod* *)).
        type: list
        elements: str
        default: []
  project_bridge:
    description:
      - Whether a session in a folder that its CLI trusts starts with what the repository tells agents and the CLI does not read
        itself. This is C(.claude/rules/*.md), the project's memory, and C(.agentihooks/enforcements.json).
    type: bool
    default: true
  project_bridge_max_bytes:
    description: How many bytes of rules and memory together are shown; what is over that is cut with a mark. At most 1048576.
    type: int
    default: 262144
  enforcements:
    description: Standing lines that every session is told once.
    type: list
    elements: str
    default: []
  mcp_tool_warn_threshold:
    description: How many tools of MCP servers a session may have before it is told once what they cost. V(0) is never.
    type: int
    default: 40
  dependency_banner:
    description: Whether a session is told once for each set of packages what to mind, when a command of it installs them.
    type: bool
    default: true
  broadcasts:
    description: Whether sessions get the messages that are published on the machine, each once.
    type: bool
    default: true
  tool_memory:
    description: Whether failures of tools are kept, without secrets, and told before the first like call of a later session.
    type: bool
    default: true
  chain:
    description: The profile chain, for the status line to show.
    type: list
    elements: str
    default: []
  settings_chain:
    description: The profiles that the settings come from, for the status line, where they are others than O(chain).
    type: list
    elements: str
    default: []
  guard_exceptions:
    description:
      - False alarms that are let through until their day is over. Nothing lifts the rules about secrets, credentials and the
        guards themselves.
      - One that has expired is ignored and reported.
    type: list
    elements: dict
    default: []
    suboptions:
      rule:
        description: A rule as a denial names it (V(git.push)), or a guard with all its rules (V(git)).
        type: str
        required: true
      match:
        description:
          - The whole command, or the path of every file of the call. V(*) stands for any text; in a command for none that could
            start another command.
        type: str
        required: true
      reason:
        description: Why it is let through, for the log and for C(agentihooks status).
        type: str
        required: true
      expires:
        description: The last day on which it holds, in UTC, like V(2026-12-31).
        type: str
        required: true
  retry_warn:
    description: After how many failures of the same kind in a row the model is told to find out why. V(0) is never.
    type: int
    default: 5
  retry_block:
    description: After how many such failures the call is denied; then each denial is followed by one trial. V(0) is never.
    type: int
    default: 10
  retry_seconds:
    description: After how many seconds a failure is forgotten.
    type: int
    default: 3600
  drop_ins:
    description:
      - Guards of your own, file name to content. The names are C(pre-<tool>-<name>), the tool a kind (V(shell), V(read), V(write),
        V(edit), V(patch), V(search), V(glob), V(mcp), V(agent), V(web), V(other)), the name of one, or V(any).
      - Each is an executable that gets the call as JSON and may deny it. What else lies in C(drop-ins) is removed.
    type: dict
    default: {}
  drop_in_seconds:
    description: How many seconds the drop-in guards may take for one call, at most 8. One that takes longer denies it.
    type: float
    default: 3.0
  repository_drop_ins:
    description: Whether a repository that the CLI trusts may bring drop-in guards of its own, in C(.agentihooks/drop-ins).
    type: bool
    default: false
  environment:
    description:
      - Variables by name, for the programs started from the person's shells. C(${NAME}) in the definition of an MCP server
        means them.
      - The values count as secrets. They are written to C(copilot.env) and shown nowhere.
      - A value is one line of text. V(null) means that the variable is not wanted.
      - A variable that was once given here and is no longer is removed, unless the person changed it.
    type: dict
    default: {}
  directives:
    description:
      - The directives of a profile, as the lookup plugin P(agentihooks.fleet.profile#lookup) returns them. C(allowAll), C(channels) and
        C(suppressBrowserLaunch) become the variables E(COPILOT_ALLOW_ALL), E(AGENTIHOOKS_BASE_CHANNELS) and
        E(COPILOT_DEBUG_BROWSER), which O(environment) may not name. The others are not looked at here.
      - The channels reach the hooks also where no shell exported them, because the hooks read C(copilot.env) then.
    type: dict
    default: {}
  browser:
    description:
      - The words of the program that opens sign-in addresses, for E(COPILOT_DEBUG_BROWSER). It wins over C(suppressBrowserLaunch).
      - Give what M(agentihooks.fleet.agentihooks_facts) found for the directive C(browserCommand).
    type: list
    elements: str
    default: []
  shell_files:
    description:
      - The files that get the block, absolute paths or relative to the home.
      - The default is C(~/.bashrc) and C(~/.zshrc), each if it exists or its shell is the person's login shell. E(ZDOTDIR)
        counts when it is set where the module runs and lies below the home.
      - A file that is no longer named loses the block.
    type: list
    elements: str
  manager:
    description:
      - Who manages the runtime and the environment. A run with another name stops before anything is written, also where the
        ledger of one of the CLIs names another, because the runtime is the same for all of them.
    type: str
    default: agentihooks.fleet/default
  source:
    description: What the environment is made of, see O(agentihooks.fleet.copilot_settings#module:source). It is kept in the same ledger.
    type: str
  takeover:
    description: Whether to go on where the ledger names another O(manager), and to put this one's name there.
    type: bool
    default: false
  on_conflict:
    description: What to do about a variable that has another value in C(copilot.env) and never was ours.
  adopt:
    description: Whether variables that already are as wanted become ours, so that O(state=absent) removes them.
  reclaim:
    description:
      - Paths to take back from a change by hand, V([copilot.env, NAME]) for a variable and V([.bashrc]) for a block. Other paths
        mean other modules.
  files:
    description: The digests of the runtime's files. The module's action plugin fills it in; there is nothing to give here.
    type: dict
  payload:
    description: The runtime's files, for a host that has not all of them. The module's action plugin fills it in; there is nothing to give here.
    type: str
  collection_version:
    description: The version of the collection. The module's action plugin fills it in; there is nothing to give here.
    type: str
extends_documentation_fragment:
  - agentihooks.fleet._ownership
attributes:
  check_mode:
    description: Predicts exactly what a run would change.
    support: full
  diff_mode:
    description: Shows which files change, how the settings change, the names of the variables and the shell block. Of the
      person's own lines nothing is shown.
    support: full
seealso:
  - module: agentihooks.fleet.copilot_hooks
  - module: agentihooks.fleet.agentihooks_facts
"""

EXAMPLES = r"""
- name: Deploy the hook runtime
  agentihooks.fleet.hooks_runtime:
    session_context: Production is in eu-west-1. Ask before you touch it.

- name: Look at the host
  agentihooks.fleet.agentihooks_facts:

- name: Deploy it with what a profile says, and deliver a token
  agentihooks.fleet.hooks_runtime:
    directives: "{{ lookup('agentihooks.fleet.profile').directives }}"
    browser: "{{ ansible_facts.agentihooks.browser or [] }}"
    environment:
      HANDBOOK_TOKEN: "{{ lookup('ansible.builtin.env', 'HANDBOOK_TOKEN') }}"

- name: Remove it again
  agentihooks.fleet.hooks_runtime:
    state: absent
"""

RETURN = r"""
changes:
  description: What was changed, or would be, and why.
  returned: always
  type: list
  elements: dict
  contains:
    path:
      description:
        - The file, link or directory of the runtime, as a list of one.
        - Of the environment V([copilot.env, NAME]) for a variable, V([copilot.env]) for the file's mode, and a shell's file, as
          seen from the home, for the block.
      returned: always
      type: list
      elements: str
    outcome:
      description:
        - Of the runtime V(created), V(updated), V(pinned) or V(removed).
        - Of the environment also V(unchanged) for what is as wanted; V(foreign) for a variable of the person that was left;
          V(hand_edited) for one of ours that the person changed or removed, and that was left; V(released) for one that is no
          longer wanted and was left.
      returned: always
      type: str
  sample: [{path: [/home/ada/.agentihooks/policy.json], outcome: pinned}, {path: [copilot.env, HANDBOOK_TOKEN], outcome: created}]
hand_edited:
  description: The paths of the environment where the person's own choice stands instead of what is wanted.
  returned: always
  type: list
  elements: list
  sample: [[copilot.env, HANDBOOK_TOKEN], [.bashrc]]
version:
  description: The version that is current.
  returned: when O(state=present) and the runtime is looked after
  type: str
  sample: 0.1.0-1f2e3d4c5b6a
runtime:
  description: The link to the current version.
  returned: always
  type: str
  sample: /home/ada/.agentihooks/runtime/current
python:
  description: The interpreter it runs on.
  returned: when O(state=present) and the runtime is looked after
  type: str
  sample: /usr/bin/python3
"""

import json
import os
import pwd
import re
import shlex
import stat
import time

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _directives,
    _environment,
    _files,
    _guard_exceptions,
    _guards,
    _host,
    _interpreter,
    _ledger,
    _runtime_tree,
    _shell_environment,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._document import Home, Store, check_manager
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, OWNERSHIP_OPTIONS, run, shown

SURFACES = ("runtime", "environment")
POLICY = "policy.json"
RUNTIME = "runtime"
# What the runtime itself writes beside it (files/hooks_runtime/agentihooks/log.py, session_state.py, broadcast_store.py, tool_memory.py,
# consent.py, rules_refresh.py).
RUNTIME_DATA = ("logs", "state", "broadcasts", "tool_memory", "unlocks", "refresh")
# What the module smoke found, see docs/smoke.md.
SMOKE = "smoke.json"
# What else this module writes: the command for people, and the drop-in guards.
COMMAND_DIRECTORY = os.path.dirname(_host.COMMAND)
DROP_INS = "drop-ins"
EXECUTABLE_MODE = 0o700
COMMAND_TEXT = """#!/bin/sh
# agentihooks: what the guards of the agent CLIs on this host do, and what a person may allow.
# Written by agentihooks.fleet, which puts back any edit. Usage: agentihooks --help
python=%(python)s
if [ ! -x "$python" ]; then # the hooks deny everything then; the doctor can still say so
    python=$(command -v python3) || {
        echo "agentihooks: the interpreter of the hooks is gone; run the playbook agentihooks.fleet.site for this host" >&2
        exit 1
    }
fi
exec "$python" -I -S -B %(program)s "$@"
"""
POLICY_MODE = 0o600
# The options that are the runtime's own settings, in the order in which they are written.
SETTINGS = (
    "guard_failure", "deadline", "session_context", "prompt_secrets", "protected_branches", "git_gates", "guard_packs",
    "instructions_max_lines", "production", "project_bridge", "project_bridge_max_bytes", "enforcements",
    "mcp_tool_warn_threshold", "dependency_banner", "broadcasts", "tool_memory", "chain", "settings_chain", "guard_exceptions", "retry_warn", "retry_block",
    "retry_seconds", "drop_in_seconds", "repository_drop_ins",
)  # fmt: skip
# Bytes; the runtime does not obey a larger one (files/hooks_runtime/agentihooks/policy.py).
BRIDGE_LIMIT = 1 << 20
# Seconds; the runtime does not obey a longer one (files/hooks_runtime/agentihooks/policy.py).
DEADLINE_LIMIT = 20.0
# Seconds, likewise.
DROP_IN_LIMIT = 8.0
_DROP_IN_NAME = re.compile(r"pre-[a-z0-9_]{1,60}-[a-z0-9_.-]{1,60}\Z")


class Plan:
    """What has to be done to the data directory.

    changes: for the result, the paths with their outcome. build, drift, recompile, policy, swap, tighten: the steps
    that are needed. outdated: the names under runtime/ that go. programs: the executables to write; surplus: paths that go.
    """

    def __init__(self):
        self.changes = []
        self.build = False
        self.drift = []
        self.recompile = False
        self.policy = False
        self.swap = False
        self.tighten = False
        self.outdated = []
        self.programs = []
        self.surplus = []

    def note(self, path, outcome):
        """Add a path with its outcome, once."""
        if [path] not in [change["path"] for change in self.changes]:
            self.changes.append({"path": [path], "outcome": outcome})


class Deployment:
    """The runtime in one data directory, as it shall be.

    wanted: the digests of its files. python: its interpreter. policy: bytes of its settings. drop_ins: file name -> bytes.
    """

    def __init__(self, data_dir, name, wanted, python, policy, drop_ins):
        self.data_dir = data_dir
        self.runtime = os.path.join(data_dir, RUNTIME)
        self.directory = os.path.join(self.runtime, name)
        self.current = os.path.join(self.runtime, _runtime_tree.CURRENT)
        self.policy_file = os.path.join(data_dir, POLICY)
        self.name = name
        self.wanted = wanted
        self.python = python
        self.policy = policy
        self.programs = {os.path.join(data_dir, DROP_INS, item): data for item, data in drop_ins.items()}
        self.programs[os.path.join(data_dir, _host.COMMAND)] = command_bytes(self.current)

    def plan(self):
        """Return the Plan; changes nothing. Raises SurfaceError for what a run could not do either."""
        plan = Plan()
        require_own(self.runtime)
        _files.require_writable(_files.Snapshot(self.directory, self.directory))
        if os.path.isdir(self.data_dir):
            plan.tighten = bool(stat.S_IMODE(os.stat(self.data_dir).st_mode) & 0o022)
            if plan.tighten:
                plan.note(self.data_dir, "pinned")
        first = not os.path.lexists(self.current)
        plan.build = not os.path.isdir(self.directory) or os.path.islink(self.directory)
        if plan.build:
            plan.note(self.directory, "created" if first else "updated")
        else:
            plan.drift = _runtime_tree.differences(self.directory, self.wanted, self.python)
            stale = _runtime_tree.byte_code(self.python, self.directory, self.directory, "look")
            plan.recompile = bool(stale or plan.drift)
            for path in [path for path, _what in plan.drift] + stale:
                plan.note(os.path.normpath(os.path.join(self.directory, path)), "pinned")
        if not os.path.islink(self.current) or os.readlink(self.current) != self.name:
            plan.swap = True
            plan.note(self.current, "created" if first else "updated" if plan.build else "pinned")
        policy = self._policy_snapshot()
        right = policy.exists and policy.data == self.policy and policy.mode == POLICY_MODE and not os.path.islink(self.policy_file)
        if not right:
            plan.policy = True
            plan.note(self.policy_file, "pinned" if os.path.lexists(self.policy_file) else "created")
        for path in sorted(self.programs):
            if not self._is_right(path):
                plan.programs.append(path)
                plan.note(path, "pinned" if os.path.lexists(path) else "created")
        plan.surplus = self._surplus()
        for path in plan.surplus:
            plan.note(path, "removed")
        plan.outdated = _runtime_tree.outdated(self.runtime, self.name)
        for name in plan.outdated:
            plan.note(os.path.join(self.runtime, name), "removed")
        return plan

    def lacks(self, plan):
        """Return whether the plan writes files of the runtime, so that apply() needs them."""
        return plan.build or any(path in self.wanted for path, _what in plan.drift)

    def apply(self, plan, files):
        """Do what the plan says, in the order that never leaves `current` on something incomplete. Raises SurfaceError.

        files: the bytes of the files that are wanted; {} for a plan that lacks none.
        """
        _files.make_directories(self.runtime)
        if plan.tighten:
            os.chmod(self.data_dir, stat.S_IMODE(os.stat(self.data_dir).st_mode) & ~0o022)
        if plan.build:
            _runtime_tree.remove_tree(self.directory)
            _runtime_tree.build(self.runtime, self.name, files, self.python)
        _runtime_tree.repair(self.directory, files, self.python, plan.drift)
        if plan.recompile:
            _runtime_tree.byte_code(self.python, self.directory, self.directory, "write")
        if plan.policy:
            if os.path.islink(self.policy_file):
                # The runtime does not follow a link here, so neither does the writer.
                _runtime_tree.remove_tree(self.policy_file)
            _files.replace(_files.read(self.policy_file), self.policy, mode=POLICY_MODE)
        for path in plan.surplus:
            _runtime_tree.remove_tree(path)
        for path in plan.programs:
            _files.make_directories(os.path.dirname(path), _runtime_tree.DIRECTORY_MODE)
            os.chmod(os.path.dirname(path), _runtime_tree.DIRECTORY_MODE)
            if not self._is_replaceable(path):
                _runtime_tree.remove_tree(path)
            _files.replace(_files.read(path), self.programs[path], mode=EXECUTABLE_MODE)
        if plan.swap:
            _runtime_tree.link_to(self.name, self.current)
        for name in plan.outdated:
            _runtime_tree.remove_tree(os.path.join(self.runtime, name))

    def _is_right(self, path):
        """Return whether an executable is in place: a plain file of the owner's with this content, in a directory of the same."""
        directory = os.path.dirname(path)
        try:
            for place, mode in ((directory, _runtime_tree.DIRECTORY_MODE), (path, EXECUTABLE_MODE)):
                status = os.lstat(place)
                if stat.S_ISLNK(status.st_mode) or stat.S_IMODE(status.st_mode) != mode or status.st_uid != os.stat(self.data_dir).st_uid:
                    return False
            return stat.S_ISREG(status.st_mode) and _files.read(path).data == self.programs[path]
        except OSError:
            return False

    def _is_replaceable(self, path):
        """Return whether a file can be written over what is there: nothing, or a plain file of the owner's."""
        if not os.path.lexists(path):
            return True
        status = os.lstat(path)
        return stat.S_ISREG(status.st_mode) and status.st_uid == os.stat(self.data_dir).st_uid

    def _surplus(self):
        """Return the paths among the drop-in guards that are none of them, or their directory when it is not needed at all."""
        directory = os.path.join(self.data_dir, DROP_INS)
        wanted = [path for path in self.programs if os.path.dirname(path) == directory]
        if not os.path.lexists(directory):
            return []
        if not wanted or os.path.islink(directory) or not os.path.isdir(directory):
            return [directory]
        return [path for path in (os.path.join(directory, name) for name in sorted(os.listdir(directory))) if path not in wanted]

    def policy_in_place(self):
        """Return the bytes of the settings that are in place, b"" when there are none."""
        return self._policy_snapshot().data

    def _policy_snapshot(self):
        if os.path.islink(self.policy_file) and not os.path.exists(self.policy_file):
            return _files.Snapshot(self.policy_file, self.policy_file)
        return _files.read(self.policy_file)


def require_own(directory):
    """Raise SurfaceError when a directory is there, or a link leads to one, that belongs to somebody else."""
    nearest = _files.nearest_directory(directory)
    if not os.path.isdir(directory):
        return
    owner = os.stat(os.path.dirname(os.path.abspath(directory))).st_uid if os.geteuid() == 0 else os.geteuid()
    found = os.stat(directory).st_uid
    if found != owner:
        raise _files.SurfaceError(
            "leads to %s, which belongs to %s, not to %s" % (nearest, _user(found), _user(owner)), directory,
            hint="Remove the link or the directory, then run again",
        )


def policy_bytes(params):
    """Return the content of policy.json. One setting a line: the wrapper reads it without a JSON parser."""
    settings = {key: params[key] for key in SETTINGS}
    return (json.dumps(settings, indent=2, ensure_ascii=True) + "\n").encode("ascii")


def command_bytes(current):
    """Return the content of the command for people. current: the link to the runtime."""
    paths = {"python": os.path.join(current, _runtime_tree.INTERPRETER), "program": os.path.join(current, "cli.py")}
    return (COMMAND_TEXT % {name: shlex.quote(path) for name, path in paths.items()}).encode("utf-8", "surrogateescape")


def drop_in_bytes(drop_ins):
    """Return {file name: bytes} of the drop-in guards. Raises ValueError for one that the runtime could not run."""
    found = {}
    for name, content in sorted(drop_ins.items()):
        if not _DROP_IN_NAME.match(name):
            raise ValueError("drop_ins: %r must be called pre-<tool>-<name>, of lower-case letters, digits, _ and -" % name)
        if not isinstance(content, str) or not content.startswith("#!"):
            raise ValueError("drop_ins: %s must be a text that starts with #! and its interpreter" % name)
        found[name] = content.encode("utf-8")
    return found


def expired_exceptions(exceptions, now):
    """Return a warning for each exception that is over. Raises ValueError for one that never could hold."""
    warnings = []
    for exception in exceptions:
        wrong = _guard_exceptions.problem(exception, now, _guards.IDS)
        if wrong == _guard_exceptions.EXPIRED:
            what = tuple(exception[key] for key in ("rule", "match", "expires"))
            warnings.append("guard_exceptions: the one for %s (%s) expired on %s and is ignored" % what)
        elif wrong:
            raise ValueError("guard_exceptions: %s" % wrong)
    return warnings


def removals(data_dir):
    """Return the paths that state=absent removes, those that are there."""
    found = [os.path.join(data_dir, name) for name in (RUNTIME, POLICY, COMMAND_DIRECTORY, DROP_INS, SMOKE) + RUNTIME_DATA]
    return [path for path in found if os.path.lexists(path)]


def require_manager(module, data_dir):
    """Raise SurfaceError for a home that another controller manages. The runtime is that of every target, so all their ledgers count."""
    person = _host.home_of(module)
    homes = _host.config_homes(person, os.environ)
    surfaces = _host.surfaces(person, homes)
    skills = {surfaces[target + "_skills"] for target in homes}
    places = [(path, _ledger.LEDGER) for path in [data_dir] + sorted(homes.values())] + [(path, _ledger.SKILLS_LEDGER) for path in sorted(skills)]
    for path, ledger in places:
        check_manager(Home(path, module.params["manager"], module.params["takeover"], ledger=ledger))


def usable_python(explicit):
    """Return the interpreter for the hooks. Raises SurfaceError when there is none, with the reasons."""
    search_path = [place for place in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(place)]
    paths = [] if explicit else _interpreter.candidates(search_path)
    path, _version, passed_over = _interpreter.choose(explicit, paths, _interpreter.probe)
    if path is None:
        reasons = "; ".join("%(path)s %(reason)s" % row for row in passed_over) or "none was found"
        raise _files.SurfaceError(
            "no interpreter that the hooks could run on: %s" % reasons, explicit or "python3",
            hint="Install Python 3.8 or newer, or name one with the option python",
        )
    return path


class Environment:
    """The variables and the shell block, as the options say: all of it checked, and each step known, before any is done."""

    def __init__(self, module, data_dir):
        """Read and decide, without writing. Raises ValueError for a wrong option, SurfaceError for what a run could not do either."""
        params = module.params
        person = _host.home_of(module)
        present = params["state"] == "present"
        variables, self.warnings = variables_of(params) if present else ({}, [])
        shells = shell_files(params["shell_files"], person) if variables else []
        if variables and not shells and params["shell_files"] is None:
            self.warnings.append(
                "%s has variables that no shell exports: there is neither a .bashrc nor a .zshrc, and the login shell is another one. "
                "Name the files in shell_files" % _shell_environment.FILE
            )
        self.policy = module.policy()
        self.data = Home(data_dir, params["manager"], params["takeover"], source=module.source())
        store = Store(self.data)
        self.warnings += store.warnings
        self.due = _shell_environment.steps(store, person, variables, shells)
        self.done = self.perform(check_mode=True)

    def perform(self, check_mode):
        """Do the steps, or in check mode only tell; return what was done."""
        self.done = _shell_environment.perform(self.data, self.due, self.policy, check_mode)
        return self.done

    def answer(self, module):
        """Return the part of the result that is about the environment, and warn."""
        for warning in dict.fromkeys(self.warnings + [text for each in self.done for text in each.result.warnings]):
            module.warn(_files.printable(warning))
        changed = [each for each in self.done if each.result.changed]
        return {
            "changed": any(each.result.changed or each.tightened for each in self.done),
            "changes": [{"path": list(path), "outcome": outcome} for each in self.done for path, outcome in each.changes],
            "hand_edited": [list(path) for each in self.done for path in each.hand_edited],
            "diff": [_document_diff(each) for each in changed],
        }


def variables_of(params):
    """Return (name to value of all variables that are wanted, warnings). Raises ValueError; it never holds a value."""
    directives, warnings = _directives.checked(params["directives"])
    variables = _directives.environment(directives, params["browser"])
    for name, value in params["environment"].items():
        if name in _directives.VARIABLES:
            raise ValueError("environment: %s is set by a directive only (allowAll, channels, browserCommand, suppressBrowserLaunch)" % name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is None:
            continue
        if not isinstance(value, str):
            raise ValueError("environment: %s is not a text; write it in quotes" % name)
        variables[name] = value
    return variables, warnings + _directives.notes(directives, params["browser"])


def shell_files(named, person):
    """Return the absolute paths of the files that get the block. named: the option, None for the default; person: the home."""
    if named is None:
        try:
            login_shell = pwd.getpwuid(os.geteuid()).pw_shell
        except KeyError:
            login_shell = ""
        return _environment.shell_files(person, login_shell, os.environ.get("ZDOTDIR", ""), os.path.exists)
    places = [person + path[1:] if path.startswith("~/") else os.path.join(person, path) for path in named]
    return list(dict.fromkeys(os.path.normpath(path) for path in places))


def converge(module):
    """Bring the data directory to what is wanted and exit."""
    params = module.params
    # Walls of text; with them in place every result would carry them.
    wanted, payload = params.pop("files"), params.pop("payload")
    if not 0 < params["deadline"] <= DEADLINE_LIMIT:
        raise ValueError("deadline: must be more than 0 and at most %g seconds; the CLIs let a call through after 30" % DEADLINE_LIMIT)
    if params["instructions_max_lines"] < 0:
        raise ValueError("instructions_max_lines: must be 0 (any number) or more, not %d" % params["instructions_max_lines"])
    for name, values in [("protected_branches", params["protected_branches"])] + sorted((params["production"] or {}).items()):
        if not all(value.strip() for value in values):
            raise ValueError("%s: holds an empty text; leave it out" % name)
    if not 0 < params["project_bridge_max_bytes"] <= BRIDGE_LIMIT:
        raise ValueError("project_bridge_max_bytes: must be more than 0 and at most %d; switch it off with project_bridge" % BRIDGE_LIMIT)
    for name in ("retry_warn", "retry_block", "mcp_tool_warn_threshold"):
        if params[name] < 0:
            raise ValueError("%s: must be 0 (never) or more, not %d" % (name, params[name]))
    if params["retry_seconds"] < 1:
        raise ValueError("retry_seconds: must be 1 or more, not %d" % params["retry_seconds"])
    if not 0 < params["drop_in_seconds"] <= DROP_IN_LIMIT:
        raise ValueError("drop_in_seconds: must be more than 0 and at most %g" % DROP_IN_LIMIT)
    for text in expired_exceptions(params["guard_exceptions"], time.time()):
        module.warn(text)
    data_dir = _host.absolute(module, "data_dir") or _host.data_directory(_host.home_of(module), os.environ)
    leaving = params["state"] == "absent"
    answer = {"changed": False, "changes": [], "hand_edited": [], "diff": [], "runtime": os.path.join(data_dir, RUNTIME, _runtime_tree.CURRENT)}
    require_own(data_dir)
    require_manager(module, data_dir)
    # What stops one stops both, before either is written.
    environment = Environment(module, data_dir) if "environment" in params["surfaces"] else None
    if environment and leaving and not module.check_mode:
        environment.perform(check_mode=False)
    if "runtime" in params["surfaces"]:
        with _files.lock(data_dir) as locked:
            if not module.check_mode:
                for directory in (data_dir, os.path.join(data_dir, COMMAND_DIRECTORY)):
                    _files.remove_stale_temporaries(directory, locked)
            try:
                _add(answer, _leave(module, data_dir) if leaving else _deploy(module, data_dir, wanted, payload))
            except _files.Changed as error:
                raise ValueError("%s; run again" % error) from None
    if environment:
        if not leaving and not module.check_mode:
            environment.perform(check_mode=False)
        _add(answer, environment.answer(module))
    if leaving and not module.check_mode:
        _files.remove_empty_directory(data_dir)
    if not module._diff:
        del answer["diff"]
    module.exit_json(**answer)


def _add(answer, part):
    """Add the part of one surface to the result."""
    for key, value in part.items():
        answer[key] = answer[key] + value if isinstance(value, list) else answer.get(key) or value


def _leave(module, data_dir):
    paths = removals(data_dir)
    if not module.check_mode:
        for path in paths:
            _runtime_tree.remove_tree(path)
    return {"changed": bool(paths), "changes": [{"path": [path], "outcome": "removed"} for path in paths]}


def _deploy(module, data_dir, wanted, payload):
    name = _runtime_tree.version_name(module.params["collection_version"], wanted)
    python = usable_python(_host.absolute(module, "python"))
    deployment = Deployment(data_dir, name, wanted, python, policy_bytes(module.params), drop_in_bytes(module.params["drop_ins"]))
    plan = deployment.plan()
    before = deployment.policy_in_place()
    if not module.check_mode and plan.changes:
        files = {}
        if deployment.lacks(plan):
            if payload is None:
                module.exit_json(changed=False, needs_payload=True)
            files = _unpacked(payload, wanted)
        try:
            deployment.apply(plan, files)
        except _files.SurfaceError:
            # On a full disk directories can still be made; none is left without anything in it.
            for path in (deployment.runtime, data_dir):
                _files.remove_empty_directory(path)
            raise
    return {
        "changed": bool(plan.changes),
        "changes": plan.changes,
        "version": name,
        "python": deployment.python,
        "diff": _diff(plan, deployment, before) if module._diff else [],
    }


def _unpacked(payload, wanted):
    try:
        files = _runtime_tree.unpack(payload)
        if _runtime_tree.digests(files) != wanted:
            raise ValueError("not the files that were announced")
    except ValueError as error:
        raise ValueError("payload: %s. Call the module by its full name, agentihooks.fleet.hooks_runtime" % error) from None
    return files


def main():
    """Run the module."""
    run(
        converge,
        secret=("environment",),
        argument_spec={
            **OWNERSHIP_OPTIONS,
            "home": HOME_OPTIONS["home"],
            "manager": HOME_OPTIONS["manager"],
            "takeover": HOME_OPTIONS["takeover"],
            "source": HOME_OPTIONS["source"],
            "surfaces": {"type": "list", "elements": "str", "choices": list(SURFACES), "default": list(SURFACES)},
            "environment": {"type": "dict", "default": {}},
            "directives": {"type": "dict", "default": {}},
            "browser": {"type": "list", "elements": "str", "default": []},
            "shell_files": {"type": "list", "elements": "str"},
            "data_dir": {"type": "str"},
            "python": {"type": "str"},
            "guard_failure": {"type": "str", "choices": ["deny", "allow"], "default": "deny"},
            "deadline": {"type": "float", "default": 10.0},
            "session_context": {"type": "str", "default": ""},
            "prompt_secrets": {"type": "str", "choices": ["block", "warn", "off"], "default": "block"},
            "protected_branches": {"type": "list", "elements": "str", "default": ["main", "master", "v1"]},
            "git_gates": {
                "type": "list", "elements": "str", "choices": ["force_push", "tag", "branch", "pull_request"], "default": ["force_push"],
            },
            "guard_packs": {"type": "list", "elements": "str", "choices": list(_guards.PACKS), "default": []},
            "instructions_max_lines": {"type": "int", "default": 200},
            "production": {
                "type": "dict",
                "default": {},
                "options": {
                    "tags": {"type": "list", "elements": "str", "default": ["latest", "prod", "stable"]},
                    "registries": {"type": "list", "elements": "str", "default": ["ghcr.io", "docker.io"]},
                    "workflows": {"type": "list", "elements": "str", "default": ["release.yml", "release.yaml"]},
                    "commands": {"type": "list", "elements": "str", "default": []},
                },
            },
            "project_bridge": {"type": "bool", "default": True},
            "project_bridge_max_bytes": {"type": "int", "default": 1 << 18},
            "enforcements": {"type": "list", "elements": "str", "default": []},
            "mcp_tool_warn_threshold": {"type": "int", "default": 40},
            "dependency_banner": {"type": "bool", "default": True},
            "broadcasts": {"type": "bool", "default": True},
            "tool_memory": {"type": "bool", "default": True},
            "chain": {"type": "list", "elements": "str", "default": []},
            "settings_chain": {"type": "list", "elements": "str", "default": []},
            "guard_exceptions": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {name: {"type": "str", "required": True} for name in ("rule", "match", "reason", "expires")},
            },
            "retry_warn": {"type": "int", "default": 5},
            "retry_block": {"type": "int", "default": 10},
            "retry_seconds": {"type": "int", "default": 3600},
            "drop_ins": {"type": "dict", "default": {}},
            "drop_in_seconds": {"type": "float", "default": 3.0},
            "repository_drop_ins": {"type": "bool", "default": False},
            "files": {"type": "dict"},
            # Not secret, but nothing for a log.
            "payload": {"type": "str", "no_log": True},
            "collection_version": {"type": "str"},
        },
        required_if=[("state", "present", ("files", "collection_version"))],
    )


def _diff(plan, deployment, before):
    lines = ["%s %s\n" % (change["outcome"], change["path"][0]) for change in plan.changes]
    found = [{"before_header": deployment.data_dir, "after_header": deployment.data_dir, "before": "", "after": "".join(lines)}] if lines else []
    if plan.policy:
        path = deployment.policy_file
        found.append({"before_header": path, "after_header": path, "before": _settings_shown(before), "after": shown(deployment.policy)})
    return found


def _document_diff(done):
    form = done.step.form

    def text(data):
        return shown(data, form, lambda name: name not in _directives.VARIABLES)

    path = _files.printable(done.step.path)
    return {"before_header": path, "after_header": path, "before": text(done.result.before), "after": text(done.result.after)}


def _settings_shown(data):
    """Return the old settings as text to show; they need not be JSON, for anybody can have edited them."""
    try:
        return shown(data)
    except ValueError:
        return "(not JSON)\n"


def _user(uid):
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


if __name__ == "__main__":
    main()
