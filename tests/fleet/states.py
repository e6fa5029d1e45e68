# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task from many starting states: each is a directory in one scratch home, and all go through the same four playbook runs:
check, real, check, real.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys

from ansible_collections.agentihooks.fleet.plugins.module_utils import _ledger
from playbook import Controller


class State:
    """A starting state. make: function of its directory. outcomes: of a run, or error: what it says instead.

    keeps: bytes that must still be in settings.json. loses: whether the ledger counts as lost, which is a warning.
    final: function of the directory, asserts.
    rights: function of the directory, run after everything was given to the person.
    """

    def __init__(self, make, outcomes=None, error=None, keeps=(), loses=False, final=None, rights=None):
        self.make = make
        self.outcomes = outcomes
        self.error = error
        self.keeps = keeps
        self.loses = loses
        self.final = final
        self.rights = rights


def directory_of(root, name):
    return root / name.replace(" ", "_")


def tree(home):
    """Return all that check mode must leave: path -> (mode, owner, group, size, time, inode, content or link target)."""
    found = {}
    for path in [home, home.with_name(home.name + ".real"), *sorted(home.rglob("*"))]:
        if not os.path.lexists(str(path)):
            continue
        status = path.lstat()
        content = os.readlink(str(path)) if path.is_symlink() else path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, status.st_size, status.st_mtime_ns, status.st_ino, content)
    return found


class Runs:
    """The four runs over all states. trees: of each state before the first and after each run."""

    RESULT = re.compile(r"^(?:ok|changed|fatal): \[([^\]]+)\](?:: FAILED!)? => (\{.*\})$", re.MULTILINE)

    def __init__(self, root, results, outputs, trees):
        self.root = root
        self.results = results
        self.trees = trees
        # Ansible breaks the lines of a warning wherever it likes.
        self._outputs = ["".join(output.split()) for output in outputs]

    def warned(self, home):
        """Return for each run whether it said that the ledger of a directory is lost."""
        return ["%sislostordamaged" % (home / _ledger.LEDGER) in output for output in self._outputs]


def told(result):
    """Return what a run says: all that check mode must predict."""
    return (result["changed"], result["changes"], result["hand_edited"]) if "changes" in result else (False, result["msg"])


def play(user, controller, homes, tasks, arguments=()):
    """Run tasks with the variable config_home for each of the homes (name to path); return (name to results in order, output)."""
    hosts = {"state%02d" % number: name for number, name in enumerate(homes)}
    user.write("hosts.yml", json.dumps({"all": {
        "vars": {"ansible_connection": "local", "ansible_python_interpreter": sys.executable},
        "hosts": {host: {"config_home": str(homes[name])} for host, name in hosts.items()},
    }}))  # fmt: skip
    user.write("play.yml", json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]))
    command = [os.path.join(os.path.dirname(sys.executable), "ansible-playbook"), "-v", "--diff", "--forks", "4", "-i", "hosts.yml", "play.yml"]
    done = user.run(command + list(arguments), env=controller.environment, check=False, timeout=600)
    output = done.stdout + done.stderr
    results = {name: [] for name in homes}
    for host, text in Runs.RESULT.findall(done.stdout):
        results[hosts[host]].append(json.loads(text))
    assert all(results.values()), output
    return results, output


def run_all(user, collections_path, states, task):
    """Yield the Runs of a task over all states. Each state is a host of its own, so that Ansible works on several at a time."""
    root = user.home / "states"
    root.mkdir()
    for name, state in states.items():
        state.make(directory_of(root, name))
    for path in [root, *root.rglob("*")]:
        os.chown(str(path), user.uid, user.gid, follow_symlinks=False)
    for name, state in states.items():
        if state.rights:
            state.rights(directory_of(root, name))
    controller = Controller(user, collections_path)
    homes = {name: directory_of(root, name) for name in states}
    results, outputs, trees = [], [], [{name: tree(directory_of(root, name)) for name in states}]
    for arguments in (["--check"], [], ["--check"], []):
        found, output = play(user, controller, homes, [task], arguments)
        outputs.append(output)
        results.append({name: found[name][0] for name in states})
        trees.append({name: tree(directory_of(root, name)) for name in states})
    yield Runs(root, results, outputs, trees)
    shutil.rmtree(str(controller.scratch), ignore_errors=True)


def check_state(runs, name, state, file):
    """Assert what holds for every state; return the bytes of the file afterwards, None where the task fails as it should."""
    home = directory_of(runs.root, name)
    start, checked, ran, checked_again, ran_again = (trees[name] for trees in runs.trees)
    check, real, check_again, real_again = (results[name] for results in runs.results)
    assert checked == start, "check mode wrote"
    assert told(check) == told(real), "check mode said something else"
    assert checked_again == ran, "the second check wrote"
    assert ran_again == ran, "the second run wrote"
    assert not told(real_again)[0] and told(check_again) == told(real_again)
    if state.error:
        assert re.search(state.error, real["msg"]) and "\n" not in real["msg"] and "Traceback" not in json.dumps(real)
        assert ran == start
        return None
    assert "changes" in real, real
    assert {".".join(change["path"]): change["outcome"] for change in real["changes"]} == state.outcomes
    assert [path for path, outcome in state.outcomes.items() if outcome == "hand_edited"] == [".".join(path) for path in real["hand_edited"]]
    assert real["changed"] == bool(set(state.outcomes.values()) & {"created", "updated", "pinned", "removed", "unioned"})
    data = (home / file).read_bytes()
    for kept in state.keeps:
        assert kept in data
    assert runs.warned(home) == [state.loses, state.loses, False, False]
    assert not [path for path in ran_again if path.endswith(".tmp")]
    assert stat.S_IMODE((home / _ledger.LEDGER).stat().st_mode) == 0o600
    if state.final:
        state.final(home)
    return data
