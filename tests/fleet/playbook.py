# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running playbooks as a scratch account, and looking at its home before and after."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import tempfile
from pathlib import Path

TIMEOUT = 180  # seconds for one playbook

# A result as `ansible-playbook -v` prints it.
_RESULT = re.compile(
    r"^(ok|changed|fatal|failed|skipping): \[[^\]]+\](?:: FAILED!)? => (?:\(item=[^)\n]*\) => )?(\{[^\n]*\}$|\{\n.*?^\})", re.MULTILINE | re.DOTALL
)
_RECAP = re.compile(r"^\S+ +: ok=(\d+) +changed=(\d+) +unreachable=(\d+) +failed=(\d+)", re.MULTILINE)


class Run:
    """One playbook run. output: all it printed; code: its exit code; results: of its tasks in order, as dicts."""

    def __init__(self, output, code, results):
        self.output = output
        self.code = code
        self.results = results

    @property
    def changed(self):
        """How many tasks changed something."""
        return sum(bool(result.get("changed")) for result in self.results)

    @property
    def changes(self):
        """Path (its parts joined by ":") -> outcome over all tasks, what is unchanged left out."""
        found = [change for result in self.results for change in result.get("changes", [])]
        return {":".join(change["path"]): change["outcome"] for change in found if change["outcome"] != "unchanged"}

    @property
    def message(self):
        """What the failed task said."""
        assert self.code != 0, self.output
        return next(result["msg"] for result in reversed(self.results) if "msg" in result)

    @property
    def summary(self):
        """The line about the host at the end of site.yml."""
        return next(result["msg"] for result in reversed(self.results) if "msg" in result)


def _run_of(done):
    output = done.stdout + done.stderr
    run = Run(output, done.returncode, [json.loads(text) for _status, text in _RESULT.findall(done.stdout)])
    recap = _RECAP.findall(done.stdout)
    assert recap and sum(int(changed) for _ok, changed, _unreachable, _failed in recap) == run.changed, output
    return run


class Controller:
    """Runs playbooks on this machine for one scratch account, as that account, with environment added to its own."""

    def __init__(self, user, collections_path):
        self.user = user
        self.scratch = Path(tempfile.mkdtemp(prefix="agentihooks-ansible-"))
        os.chown(str(self.scratch), user.uid, user.gid)
        self.environment = {
            "ANSIBLE_COLLECTIONS_PATH": str(collections_path),
            "ANSIBLE_HOME": str(self.scratch / "home"),
            "ANSIBLE_REMOTE_TEMP": str(self.scratch / "remote"),
            "ANSIBLE_LOCAL_TEMP": str(self.scratch / "local"),
            "ANSIBLE_LOCALHOST_WARNING": "0",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "PATH": os.path.dirname(sys.executable) + ":/usr/local/bin:/usr/bin:/bin",
        }

    def site(self, *arguments, **variables):
        """Run agentihooks.fleet.site, for Copilot alone unless the variables say otherwise; return the Run."""
        return self._play("agentihooks.fleet.site", arguments, dict({"agentihooks_targets": ["copilot"]}, **variables))

    def doctor(self, inventory, *arguments, **variables):
        """Run agentihooks.fleet.doctor on the hosts of an inventory's lines, for Copilot alone unless the variables say otherwise; return the Run."""
        path = self.scratch / "inventory"
        path.write_text("\n".join(inventory) + "\n", encoding="utf-8")
        path.chmod(0o644)
        variables = dict({"agentihooks_targets": ["copilot"]}, **variables)
        return self._play("agentihooks.fleet.doctor", arguments, variables, ["-i", str(path)])

    def uninstall(self, *arguments, **variables):
        """Run agentihooks.fleet.uninstall; return the Run."""
        return self._play("agentihooks.fleet.uninstall", arguments, variables)

    def tasks(self, *tasks, arguments=()):
        """Run tasks, each (module of the collection, its arguments); return the Run."""
        return self.play([{"agentihooks.fleet." + name: options} for name, options in tasks], arguments)

    def converge(self, *tasks):
        """Run tasks in check mode, for real and once more, in one playbook; return the Run of the second time.

        The first time must have predicted the second (had it written anything, the second would do less), and the
        third must change nothing; what was left to the person it reports again.
        """
        plain = [{"agentihooks.fleet." + name: options} for name, options in tasks]
        whole = self.play([dict(task, check_mode=True) for task in plain] + plain + plain, arguments=["--diff"])
        assert whole.code == 0 and len(whole.results) == 3 * len(tasks), whole.output
        check, run, again = (Run(whole.output, 0, whole.results[part * len(tasks):][:len(tasks)]) for part in range(3))
        for predicted, done in zip(check.results, run.results):
            same = [(result["changed"], result.get("changes"), result.get("hand_edited")) for result in (predicted, done)]
            assert same[0] == same[1], whole.output
        assert again.changed == 0 and set(again.changes.values()) <= {"foreign", "hand_edited"}, whole.output
        return run

    def play(self, tasks, arguments=()):
        """Run tasks as they would stand in a playbook; return the Run."""
        play = [{"hosts": "all", "gather_facts": False, "tasks": tasks}]
        path = self.scratch / "play.yml"
        path.write_text(json.dumps(play), encoding="utf-8")
        path.chmod(0o644)
        return self._play(str(path), arguments, {})

    def _play(self, playbook, arguments, variables, hosts=("-i", "localhost,", "-c", "local")):
        command = [os.path.join(os.path.dirname(sys.executable), "ansible-playbook"), "-v"] + list(hosts) + [playbook]
        command += ["-e", json.dumps(dict(variables, ansible_python_interpreter=sys.executable))] + list(arguments)
        return _run_of(self.user.run(command, env=self.environment, check=False, timeout=TIMEOUT))


def picture(directory):
    """Return relative path -> (mode, uid, content or link target) of all below a directory, itself included."""
    found = {}
    for path in [Path(directory)] + sorted(Path(directory).rglob("*")):
        status = path.lstat()
        content = os.readlink(str(path)) if path.is_symlink() else path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[os.path.relpath(str(path), str(directory))] = (oct(status.st_mode), status.st_uid, content)
    return found
