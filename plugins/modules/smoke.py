#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof that the guards deny, on the CLI that a host really has."""

from __future__ import annotations

DOCUMENTATION = r"""
module: smoke
short_description: Drive the installed agent CLIs and see whether the guards deny
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Starts each agent CLI that is installed on the host, in a scratch home, against a scripted model on C(127.0.0.1), and looks at what
    happened. The model makes calls that the guards must stop, and one that they must let through.
  - A stop counts only when the guard's own reason reached the model and the call left nothing behind. What would happen if a guard did
    not stop it touches the scratch home alone; C(git), C(kubectl) and C(docker) are stand-ins there.
  - No login, no credits, no network but loopback, unless O(login) is set. The scratch home has copies of what is deployed (wrapper, runtime, its settings), so
    the person's files are read and not written. At the end what was started is killed and the scratch home removed.
  - Drop-in guards are not asked, because they are programs that could do anything.
  - What was found is kept in C(<data directory>/smoke.json), the one thing that is written.
  - A check that fails does not fail the task; RV(passed) says so.
options:
  targets:
    description: The agent CLIs to drive. One that is not installed is reported and is no failure.
    type: list
    elements: str
    choices: [copilot, codex]
    default: [copilot, codex]
  level:
    description:
      - V(full) asks every guard that is switched on, makes an innocent call and gives a prompt with a planted key.
      - V(canary) sees only that the CLI runs the hook and that one call is denied.
    type: str
    choices: [full, canary]
    default: full
  rollback:
    description:
      - What to do when a CLI's smoke failed and an older version of the runtime is still there. With V(true) that one is put to the same
        test, and made the current one if it passes. RV(passed) is false all the same.
      - The next run of M(agentihooks.fleet.hooks_runtime) deploys its own version again.
    type: bool
    default: false
  login:
    description:
      - With V(true) Copilot is also asked once with the person's own login and model, over the network and at the price of one request.
        Its C(config.json) is copied into a scratch home of its own, without being looked into, and removed with it.
      - Where there is no login, or the model does not make the call, the check C(login) fails and says that nothing was measured.
    type: bool
    default: false
  seconds:
    description: How long one session of a CLI may take before it is stopped. There are two for each CLI at the level V(full).
    type: int
    default: 60
  home:
    description: The home directory, an absolute path. The default is the passwd home of the user the module runs as.
    type: str
  data_dir:
    description: The data directory, an absolute path. The default is E(AGENTIHOOKS_HOME), else C(.agentihooks) in the home.
    type: str
attributes:
  check_mode:
    description: Drives the CLIs all the same, but keeps no result and rolls nothing back.
    support: full
  diff_mode:
    description: Shows nothing, because no configuration is changed.
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.hooks_runtime
"""

EXAMPLES = r"""
- name: See whether the guards deny
  agentihooks.fleet.smoke:
  register: smoke

- name: Stop where they do not
  ansible.builtin.assert:
    that: smoke.passed

- name: Look quickly, and go back to the version before if this one fails
  agentihooks.fleet.smoke:
    level: canary
    rollback: true
"""

RETURN = r"""
passed:
  description: Whether every check of every CLI passed. True also where no CLI is installed.
  returned: always
  type: bool
runtime:
  description: The version of the runtime that was put to the test; empty when there is none.
  returned: always
  type: str
  sample: 0.1.0-1f2e3d4c5b6a
clis:
  description: For each target what was found.
  returned: always
  type: dict
  contains:
    path:
      description: The CLI, null when it is not installed.
      returned: always
      type: str
    version:
      description: Its version, null when it cannot be told.
      returned: always
      type: str
    passed:
      description: Whether all checks passed, null when the CLI is not installed.
      returned: always
      type: bool
    newer:
      description: Whether the version is newer than any that this collection was measured with.
      returned: always
      type: bool
    checks:
      description: The checks, each with its name, whether it passed, and what happened.
      returned: always
      type: list
      elements: dict
  sample:
    codex: {path: null, version: null, passed: null, newer: false, checks: []}
    copilot:
      path: /usr/local/bin/copilot
      version: 1.0.102
      passed: true
      newer: false
      checks: [{check: credential_reads, passed: true, what: denied by credential.file}]
rolled_back:
  description: The version that is current now, empty when nothing was rolled back.
  returned: always
  type: str
  sample: 0.1.0-0a9b8c7d6e5f
restart:
  description:
    - Processes that were started from the data directory and keep the version they started with, when there was a rollback. The sessions
      they belong to must be started again; hooks follow at once.
  returned: always
  type: list
  elements: int
file:
  description: Where the result is kept; empty when it is not kept.
  returned: always
  type: str
  sample: /home/ada/.agentihooks/smoke.json
"""

import os
import platform
import signal
import time

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _files,
    _host,
    _processes,
    _runtime_tree,
    _smoke,
    _smoke_session,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, run
from ansible_collections.agentihooks.fleet.plugins.module_utils._targets import TARGETS

RUNTIME = "runtime"
RESULT = "smoke.json"
SECONDS_LIMIT = 600


def current_version(runtime):
    """Return the directory of the current version of the runtime; where there is none, the path at which it would be looked for."""
    link = os.path.join(runtime, _runtime_tree.CURRENT)
    return os.path.realpath(link) if os.path.isdir(link) else link


def examined(module, home, data_dir, version):
    """Return target -> what was found with this version of the runtime. version: its directory."""
    subject = _smoke_session.Subject(home, data_dir, version, module.params["seconds"], os.environ, module.params["login"])
    return {target: _smoke_session.examine(subject, target, module.params["level"]) for target in module.params["targets"]}


def all_passed(clis):
    """Return whether no CLI failed."""
    return all(found["passed"] is not False for found in clis.values())


def better_version(module, home, data_dir, version):
    """Return (directory of the newest other version, what was found with it) when that one passes, else (None, None)."""
    runtime = os.path.join(data_dir, RUNTIME)
    try:
        names = _runtime_tree.others(runtime, os.path.basename(version))[:1]
    except OSError:
        names = []
    for name in names:
        clis = examined(module, home, data_dir, os.path.join(runtime, name))
        if all_passed(clis):
            return os.path.join(runtime, name), clis
    return None, None


def started_from(runtime):
    """Return the ids of the processes that run a program of the runtime's directory."""
    running = _processes.of_user(os.stat(runtime).st_uid)
    return [pid for pid, argv, _executable in running if any(word.startswith(runtime + os.sep) for word in argv)]


def converge(module):
    """Put the CLIs to the test, keep what was found, and exit."""
    if not 0 < module.params["seconds"] <= SECONDS_LIMIT:
        raise ValueError("seconds: must be more than 0 and at most %d" % SECONDS_LIMIT)
    for number in (signal.SIGTERM, signal.SIGHUP):
        # The connection may go while a CLI runs: what was started is still to be ended.
        signal.signal(number, lambda *args: module.fail_json(msg="the smoke was told to end before it was done; run it again"))
    home = _host.home_of(module)
    data_dir = _host.absolute(module, "data_dir") or _host.data_directory(home, os.environ)
    version = current_version(os.path.join(data_dir, RUNTIME))
    clis = examined(module, home, data_dir, version)
    answer = {"changed": False, "passed": all_passed(clis), "clis": clis, "rolled_back": "", "restart": [], "file": ""}
    answer["runtime"] = os.path.basename(version) if os.path.isdir(version) else ""
    for target in [name for name, found in clis.items() if found["newer"]]:
        module.warn("%s: %s %s is newer than any version that this collection was measured with" % (_node(), target, clis[target]["version"]))
    if not module.check_mode and os.path.isdir(data_dir):
        kept, name = clis, answer["runtime"]
        if module.params["rollback"] and not answer["passed"]:
            better, found = better_version(module, home, data_dir, version)
            if better:
                kept, name = found, os.path.basename(better)
                _roll_back(module, data_dir, name, answer)
        answer["file"] = os.path.join(data_dir, RESULT)
        finished = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with _files.lock(data_dir):
            try:
                _files.replace(_files.read(answer["file"]), _smoke.report(finished, name, kept), mode=0o600)
            except _files.Changed as error:
                raise ValueError("%s; run again" % error) from None
    module.exit_json(**answer)


def _roll_back(module, data_dir, name, answer):
    """Make an older version the current one, and say so."""
    runtime = os.path.join(data_dir, RUNTIME)
    with _files.lock(data_dir):
        answer["restart"] = started_from(runtime)
        _runtime_tree.link_to(name, os.path.join(runtime, _runtime_tree.CURRENT))
    answer.update(changed=True, rolled_back=name)
    text = "%s: the runtime %s failed its smoke and %s, which passes, is current again; the next run of the site playbook deploys its own" % (
        _node(), answer["runtime"], name,
    )
    if answer["restart"]:
        text += ". START AGAIN the sessions to which these processes belong: %s" % ", ".join(map(str, answer["restart"]))
    module.warn(text)


def _node():
    return platform.node() or "this host"


def main():
    """Run the module."""
    run(
        converge,
        argument_spec={
            "home": HOME_OPTIONS["home"],
            "data_dir": {"type": "str"},
            "targets": {"type": "list", "elements": "str", "choices": list(TARGETS), "default": list(TARGETS)},
            "level": {"type": "str", "choices": list(_smoke.LEVELS), "default": "full"},
            "rollback": {"type": "bool", "default": False},
            "login": {"type": "bool", "default": False},
            "seconds": {"type": "int", "default": 60},
        },
    )


if __name__ == "__main__":
    main()
