# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Converges that are killed at random moments: kill_proof.py ROUNDS [SEED]. Five moments a round, on five hosts of one kind.

In a round, four hosts lose all that runs on them for the account, sshd's sessions included, each at a moment of its own; the fifth, which
is left alone, tells all states that each file goes through. The next run is killed on the controller. After each, every file of every host
is as it was before or as in one of those states, and no ledger says more than the files hold. Then a run converges: all five homes are the
same byte for byte. One more changes nothing. Rounds alternate between a home without any of it and one that gets another configuration.
Prints the seed; exit code 1 with the first thing that is not so.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from fleet_proof import play, playbook_command, require  # noqa: E402
from lab import ACCOUNT, Lab, host_pythons, tree_hash, usable_pythons  # noqa: E402

KIND = "own-config"
HOSTS = 5
# SSH sessions that one run opens on a host: a module each, and what Ansible asks first.
SESSIONS = 11
# A session takes about this long, seconds.
SESSION_SECONDS = 0.8
LEDGERS = (".agentihooks-managed.json", ".agentihooks-copilot-commands.json")
# Nobody reads what has these in its path: a write or a version that is being made.
UNFINISHED = (".agentihooks-", ".build-")
CONFIGURATIONS = (
    {},
    {"agentihooks_profiles": ["default", "oncall"], "agentihooks_env": {"OTHER": "y"}, "agentihooks_session_context": "Ask first."},
)


class Watch(threading.Thread):
    """Follows a home and keeps what it sees. states: path in it -> SHA-256 of its contents in the order they came, "" for no file."""

    def __init__(self, home):
        super().__init__(daemon=True)
        self.home = str(home)
        self.states, self._stamps, self._ended = {}, {}, threading.Event()
        self._look()

    def run(self):
        while not self._ended.wait(0.01):
            self._look()

    def end(self):
        """Look once more and end."""
        self._ended.set()
        self.join()
        self._look()

    def _look(self):
        stamps = {path: (status.st_ino, status.st_mtime_ns, status.st_size) for path, status in files_of(self.home)}
        for path in stamps.keys() | self._stamps.keys():
            if stamps.get(path) != self._stamps.get(path):
                content = content_of(os.path.join(self.home, path)) if path in stamps else ""
                states = self.states.setdefault(path, [""] if self._stamps else [])
                if not states or states[-1] != content:
                    states.append(content)
        self._stamps = stamps


def files_of(home):
    """Yield (path in it, status) of the files and links of a home, unfinished ones left out."""
    for directory, directories, names in os.walk(home):
        directories[:] = [name for name in directories if not unfinished(name)]
        for name in names:
            path = os.path.join(directory, name)
            try:
                if not unfinished(name):
                    yield os.path.relpath(path, home), os.lstat(path)
            except FileNotFoundError:
                continue


def unfinished(name):
    """Return whether a name is that of a file or a version that is being made."""
    return name.startswith(UNFINISHED) and not name.endswith((".json", ".bak"))


def content_of(path):
    """Return the SHA-256 of a file's content or of where a link points, "" when it is gone."""
    try:
        data = os.fsencode(os.readlink(path)) if os.path.islink(path) else Path(path).read_bytes()
    except FileNotFoundError:
        return ""
    return hashlib.sha256(data).hexdigest()


class Host:
    """One host of the lab, as the kill sees it. log: of its sshd. top: pid of its first process."""

    def __init__(self, lab, name):
        self.home = lab.home(name)
        self.log = lab.directory / name / "log"
        self.top = int(str(lab.root(name)).split("/")[2])

    def sessions(self):
        """Return how many logins there have been."""
        return self.log.read_bytes().count(b"Accepted publickey")

    def running(self):
        """Return the pids of all below the host's own sshd, which is its first process."""
        return below(self.top)

    def quiet(self):
        """Wait until nothing runs there any more."""
        deadline = time.monotonic() + 60
        while self.running():
            require(time.monotonic() < deadline, "what runs on a host ends by itself when its controller is gone")
            time.sleep(0.02)


def below(pid):
    """Return the pids of a process's children and theirs."""
    found, waiting = [], [pid]
    while waiting:
        try:
            parent = waiting.pop()
            for task in os.listdir("/proc/%d/task" % parent):
                children = [int(word) for word in Path("/proc/%d/task/%s/children" % (parent, task)).read_text(encoding="ascii").split()]
                found += children
                waiting += children
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def kill(pids):
    """Kill processes; those that are gone already do not matter."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def moment(seeded):
    """Return a random moment of a run: (how many of its sessions have begun, seconds after that)."""
    return seeded.randint(1, SESSIONS), seeded.uniform(0, SESSION_SECONDS)


def killed_run(lab, arguments, moments):
    """Run site; moments: host name, or "controller" -> the moment to kill it. Return its output."""
    hosts = {name: Host(lab, name) for name in lab.kinds}
    begun = {name: host.sessions() for name, host in hosts.items()}
    down, due = set(), {}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **playbook_command(lab, "site", arguments))
        while process.poll() is None:
            now = time.monotonic()
            done = {name: host.sessions() - begun[name] for name, host in hosts.items()}
            for name, (sessions, seconds) in moments.items():
                if name not in due and (max(done.values()) if name == "controller" else done[name]) >= sessions:
                    due[name] = now + seconds
                if now >= due.get(name, now + 1):
                    down.add(name)
            for name in down:
                if name == "controller":
                    # Ansible's workers have process groups of their own.
                    kill([process.pid] + below(process.pid))
                else:
                    # A host that is going down takes every later session along.
                    kill(hosts[name].running())
            time.sleep(0.002)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    require(set(moments) == down, "the run was long enough to be killed at %s" % moments, text)
    for host in hosts.values():
        host.quiet()
    return text


def check_files(host, before, states, where):
    """Require each file of a home to be as before (path -> SHA-256) or in one of its known states (path -> them, in order)."""
    now = {path: content_of(os.path.join(str(host.home), path)) for path, _status in files_of(str(host.home))}
    for path in now.keys() | before.keys():
        known = states.get(path, [])
        require(now.get(path, "") in [before.get(path, "")] + known, "%s is old or new, %s" % (path, where))
    for path in [path for path in now if os.path.basename(path) in LEDGERS]:
        check_ledger(host, path, now, states, where)


def check_ledger(host, path, now, states, where):
    """Require what a ledger says was written to be what the file holds, or held before."""
    content = json.loads((host.home / path).read_text(encoding="utf-8"))
    for name, surface in content["surfaces"].items():
        file = os.path.join(os.path.dirname(path), name)
        known = states.get(file, [])
        written = surface.get("written", "")
        if written in known and now.get(file, "") in known:
            require(known.index(written) <= known.index(now[file]), "the ledger %s is not ahead of %s, %s" % (path, name, where))


def state_of(host):
    """Return path -> SHA-256 of all files of a home."""
    return {path: content_of(os.path.join(str(host.home), path)) for path, _status in files_of(str(host.home))}


def prove_round(lab, number, seed):
    """Do one round; print what was done."""
    seeded = random.Random("%s %s" % (seed, number))
    names = list(lab.kinds)
    arguments = ["-e", json.dumps(CONFIGURATIONS[number % 2])]
    hosts = {name: Host(lab, name) for name in names}
    before = {name: state_of(host) for name, host in hosts.items()}
    watch = Watch(hosts[names[-1]].home)
    watch.start()
    moments = {name: moment(seeded) for name in names[:-1]}
    killed_run(lab, arguments, moments)
    watch.end()
    for name in names:
        check_files(hosts[name], before[name], watch.states, "host killed at %s of %s" % (moments.get(name, "none"), name))
    # The hosts that went down early have most to do, so the controller's moment is theirs.
    controller = {"controller": (seeded.randint(1, SESSIONS), seeded.uniform(0, SESSION_SECONDS))}
    limit = ["--limit", ",".join(names[:-1])]
    killed_run(lab, arguments + limit, controller)
    for name in names[:-1]:
        check_files(hosts[name], before[name], watch.states, "controller killed at %s, %s" % (controller["controller"], name))
    run = play(lab, "site", *arguments, *limit)
    require(not any(run.failed.values()), "the next run converges", run.output)
    trees = {name: tree_hash(host.home) for name, host in hosts.items()}
    different = {name: sorted(state_of(hosts[name]).items() ^ state_of(hosts[names[-1]]).items()) for name in names if trees[name] != trees[names[-1]]}
    left = {name: _all(hosts[name].home) ^ _all(hosts[names[-1]].home) for name in different}
    require(not different, "all homes are the same: %s %s" % (different, left), run.output)
    # One stands for all: they are the same byte for byte, ledgers included.
    again = play(lab, "site", *arguments, "--limit", seeded.choice(names))
    require(not any(again.failed.values()) and not any(again.changed.values()), "one more run changes nothing", again.output)
    shown = ", ".join("%s %d+%.2fs" % (name, *when) for name, when in {**moments, **controller}.items())
    print("round %d, killed at (session+seconds): %s" % (number + 1, shown))
    states = sum(map(len, watch.states.values()))
    print("  %d files in %d states: old or new; converged to the same bytes; then changed=0" % (len(watch.states), states), flush=True)


def _all(home):
    return {str(path.relative_to(home)) for path in home.rglob("*")}


def main(arguments):
    """Prove it for the number of rounds the command line says."""
    rounds = int(arguments[0])
    seed = arguments[1] if len(arguments) > 1 else str(random.SystemRandom().randrange(10**6))
    print("seed: %s" % seed, flush=True)
    # A run that is told to end takes its hosts along.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    scratch = Path(tempfile.mkdtemp(prefix="agentihooks-kill-", dir="/run"))
    os.chmod(str(scratch), 0o755)
    lab, pythons = Lab(scratch / "lab"), usable_pythons(host_pythons())
    try:
        lab.up({"h%02d-%s" % (number + 1, KIND): KIND for number in range(HOSTS)}, pythons)
        for number in range(rounds):
            prove_round(lab, number, seed)
    finally:
        lab.down()
        shutil.rmtree(str(scratch), ignore_errors=True)
    print("%d moments, %s as %s: every file old or new" % (5 * rounds, KIND, ACCOUNT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
