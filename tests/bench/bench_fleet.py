# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run that changes nothing takes over 10 and 30 SSH hosts, both targets: bench_fleet.py. Needs root.

Beside it, over the same hosts with the same connection and forks: as many `ansible.builtin.ping` as the run has module executions, which is
what Ansible takes by itself; and, over three hosts, the same files kept with builtin tasks as one would write them without this collection
(`copy` of whole directories, `template` for what has a path of the host in it, `blockinfile` for config.toml and the shell files, `file`
for directories and links), measured once and extrapolated to the numbers of hosts by what a host takes there. That way merges no settings, keeps nobody's
edits and takes nothing back. The runs take turns, so that what else the machine does meets all alike. Prints a table of medians and one
line of JSON; with BENCH_STRICT=1 the exit code is 1 when a target is missed. BENCH_HOSTS ("3 10 30") and BENCH_ROUNDS (3) change what is run.
"""

from __future__ import annotations

import base64
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests" / "fleet"), str(CHECKOUT / "tests" / "live")]

from lab import KINDS, Lab  # noqa: E402

HOSTS = [int(number) for number in os.environ.get("BENCH_HOSTS", "3 10 30").split()]
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
BUILTIN_HOSTS = 3
TIMEOUT = 3600  # seconds for one playbook
MOST_TIMES_PINGS = 1.3
LEAST_TIMES_FASTER = 8.0
MOST_GROWTH = 1.15  # of the seconds per host from the fewest hosts to the most
SITE, PINGS, BUILTIN = "site", "pings", "builtin"
EXECUTED = re.compile(r"Using module file \S*/plugins/modules/|Using module file \S*/ansible/modules/")
# What a home has of ours that an engineer would not keep: our own bookkeeping, and what is made on the host.
_NOT_KEPT = re.compile(r"\.agentihooks-|(^|/)ledger|/__pycache__/|\.bak$|/originals/|\.lock$|/state/|/logs/")
# Files of which the run writes a part: the rest is the person's.
_PARTS = (".codex/config.toml", ".bashrc", ".zshrc", ".profile", ".bash_profile")


class Fleet:
    """A lab with a converged fleet. directory: scratch."""

    def __init__(self, directory, number):
        self.directory, self.number = directory, number
        self.lab = Lab(directory / ("lab-%d" % number))
        # Hosts of the one kind, without anybody's configuration: what is measured differs by their number alone.
        self.lab.up({"h%02d" % (index + 1): "fresh" for index in range(number)}, {})

    def play(self, playbook, *arguments):
        """Run a playbook; return (seconds, output). Ends the bench when a host failed."""
        environment = dict(os.environ, ANSIBLE_NOCOLOR="1", ANSIBLE_FORKS="10", ANSIBLE_DEPRECATION_WARNINGS="0", LC_ALL="C.UTF-8")
        command = ["ansible-playbook", "-i", str(self.lab.directory / "hosts.yml"), playbook, *arguments]
        started = time.monotonic()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, check=False)
        taken = time.monotonic() - started
        if done.returncode:
            raise SystemExit("%s failed:\n%s%s" % (playbook, done.stdout, done.stderr))
        return taken, done.stdout

    def unchanged(self, playbook):
        """Run a playbook that must change nothing; return the seconds."""
        taken, output = self.play(playbook)
        changed = re.findall(r"changed=([1-9]\d*)", output)
        if changed:
            raise SystemExit("%s changed something, so it is no run of the kind that is measured:\n%s" % (playbook, output))
        return taken


def executions(fleet):
    """Return the number of module executions of one run on one host, as Ansible itself tells them."""
    _taken, output = fleet.play("agentihooks.fleet.site", "-vvv", "--limit", "h01")
    return len(EXECUTED.findall(output))


def pings(directory, number):
    """Write a play of that many pings; return its path."""
    tasks = [{"name": "Ping %d" % index, "ansible.builtin.ping": {}} for index in range(number)]
    return written(directory / "pings.yml", [{"name": "Ping", "hosts": "all", "gather_facts": False, "tasks": tasks}])


def written(path, data):
    """Write a playbook as JSON, which is YAML; return its path."""
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return str(path)


def builtin(fleet, directory):
    """Write a play of builtin tasks for the files that site made on a host; return (its path, number of files)."""
    home, source = fleet.lab.home("h01"), directory / "files"
    whole, parts, links = [], [], []
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if path.is_symlink():
            links.append((name, os.readlink(str(path))))
        elif path.is_file() and not _NOT_KEPT.search(name) and ours(name):
            (parts if name in _PARTS else whole).append(name)
    # Files with a path of the host in them are templates; all others are copied, a directory at once.
    copied = templated = 0
    tasks, modes = [], {}
    for name in whole:
        text = home.joinpath(name).read_bytes()
        has_home = KINDS["fresh"].home.encode() in text and b"{%" not in text and b"{{" not in text
        copied, templated = copied + (not has_home), templated + has_home
        target = source / ("template" if has_home else "copy") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.replace(KINDS["fresh"].home.encode(), b"{{ home }}") if has_home else text)
        mode = home.joinpath(name).stat().st_mode & 0o777
        target.chmod(mode)
        if has_home:
            modes.setdefault("%04o" % mode, []).append(name)
    directories = sorted({str(Path(name).parent) for name in whole + parts + [link for link, _to in links]} - {"."})
    for top in sorted({name.split("/")[0] for name in directories}):
        tasks.append({"name": "Make %s" % top, "ansible.builtin.file": {"path": "{{ home }}/" + top, "state": "directory"}})
        if (source / "copy" / top).is_dir():
            options = {"src": "%s/copy/%s/" % (source, top), "dest": "{{ home }}/%s/" % top, "mode": "preserve"}
            tasks.append({"name": "Copy %s" % top, "ansible.builtin.copy": options})
    for mode, names in sorted(modes.items()):
        options = {"src": str(source) + "/template/{{ item }}", "dest": "{{ home }}/{{ item }}", "mode": mode}
        tasks.append({"name": "Write what has a path of the host in it (%s)" % mode, "ansible.builtin.template": options, "loop": names})
    for name in parts:
        options = {"path": "{{ home }}/" + name, "block": "{{ text | b64decode }}", "marker": "# {mark} team", "create": True}
        block = base64.b64encode(home.joinpath(name).read_bytes()).decode()
        tasks.append({"name": "Write %s" % name, "ansible.builtin.blockinfile": options, "vars": {"text": block}})
    for name, to in links:
        tasks.append({"name": "Link %s" % name, "ansible.builtin.file": {"src": to, "dest": "{{ home }}/" + name, "state": "link"}})
    play = {"name": "The same files", "hosts": "all", "gather_facts": False, "vars": {"home": KINDS["fresh"].home}, "tasks": tasks}
    print("builtin: %d files copied, %d templates, %d blocks, %d links" % (copied, templated, len(parts), len(links)), file=sys.stderr, flush=True)
    return written(directory / "builtin.yml", [play]), len(whole) + len(parts) + len(links)


def ours(name):
    """Whether site writes to this file of a fresh home."""
    return name.split("/")[0] in (".copilot", ".codex", ".agents", ".agentihooks") or name in _PARTS


def measure(directory):
    """Return (what -> number of hosts -> list of seconds, module executions, files of the builtin way)."""
    taken = {SITE: {}, PINGS: {}, BUILTIN: {}}
    count = files = 0
    for number in HOSTS:
        fleet = Fleet(directory, number)
        try:
            fleet.play("agentihooks.fleet.site")
            if not count:
                count = executions(fleet)
                ping_play = pings(directory, count)
            same = None
            if number == BUILTIN_HOSTS:
                same, files = builtin(fleet, directory)
                for _round in range(ROUNDS):
                    # site's turn comes first, because the builtin way adds marks of its own to the files.
                    turn(fleet, number, taken, ping_play)
                fleet.play(same)
                taken[BUILTIN][number] = [fleet.unchanged(same)]  # once: it takes minutes
                continue
            for _round in range(ROUNDS):
                turn(fleet, number, taken, ping_play)
        finally:
            fleet.lab.down()
    return taken, count, files


def turn(fleet, number, taken, ping_play):
    """Let the pings and site take a turn each."""
    taken[PINGS].setdefault(number, []).append(fleet.unchanged(ping_play))
    taken[SITE].setdefault(number, []).append(fleet.unchanged("agentihooks.fleet.site"))
    print("%d hosts: pings %.1f s, site %.1f s" % (number, taken[PINGS][number][-1], taken[SITE][number][-1]), file=sys.stderr, flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="agentihooks-bench-", dir="/run") as scratch:
        os.chmod(scratch, 0o755)
        taken, count, files = measure(Path(scratch))
    builtin_each = statistics.median(taken[BUILTIN][BUILTIN_HOSTS]) / BUILTIN_HOSTS if taken[BUILTIN] else None
    print("a run that changes nothing, both targets, %d module executions on each host, %d files; 10 forks, medians of %d" % (count, files, ROUNDS))
    print("%5s %9s %9s %7s %12s %9s %9s" % ("hosts", "pings s", "site s", "ratio", "s per host", "builtin s", "faster"))
    ratios, faster, each = {}, {}, {}
    for number in HOSTS:
        site = statistics.median(taken[SITE][number])
        ratios[number] = statistics.median(ours / theirs for ours, theirs in zip(taken[SITE][number], taken[PINGS][number]))
        each[number] = site / number
        told = ("", "")
        if builtin_each is not None:
            faster[number] = builtin_each * number / site
            told = ("%.1f%s" % (builtin_each * number, "" if number == BUILTIN_HOSTS else "*"), "%.1fx" % faster[number])
        print("%5d %9.1f %9.1f %6.2fx %12.2f %9s %9s" % (number, statistics.median(taken[PINGS][number]), site, ratios[number], each[number], *told))
    if builtin_each is not None:
        print("* extrapolated: %.1f s per host, measured on %d hosts" % (builtin_each, BUILTIN_HOSTS))
    large = [number for number in HOSTS if number > BUILTIN_HOSTS] or HOSTS
    targets = [
        ("at most %.1fx the pings over %s hosts" % (MOST_TIMES_PINGS, " and ".join(map(str, large))),
         max(ratios[number] for number in large) <= MOST_TIMES_PINGS),
        ("a host takes at most %.2fx with %d hosts of what it takes with %d" % (MOST_GROWTH, HOSTS[-1], HOSTS[0]),
         each[HOSTS[-1]] <= MOST_GROWTH * each[HOSTS[0]]),
    ]  # fmt: skip
    if faster:
        targets.append(("at least %.0fx faster than the builtin way" % LEAST_TIMES_FASTER, min(faster[number] for number in large) >= LEAST_TIMES_FASTER))
    for text, met in targets:
        print("target: %s: %s" % (text, "met" if met else "MISSED"))
    met = all(met for _text, met in targets)
    rounded = {name: {number: [round(value, 2) for value in values] for number, values in of.items()} for name, of in taken.items()}
    print(json.dumps({"rounds": ROUNDS, "met": met, "executions": count, "files": files, "seconds": rounded}))
    return 1 if os.environ.get("BENCH_STRICT") == "1" and not met else 0


if __name__ == "__main__":
    sys.exit(main())
