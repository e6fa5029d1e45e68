# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet's life on real SSH hosts: fleet_proof.py NUMBER [DIRECTORY]. Prints what it found and what it took.

site on fresh hosts; site again, which changes nothing; drift on up to five hosts, which check mode finds exactly; uninstall, after
which each home is byte for byte as at the start. With NUMBER above the first three kinds, two more hosts cannot be written to: they
fail with a clear message, stay as they were and keep nobody else from being done. Exit code 1 with the first thing that is not so.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from lab import FIRST, KINDS, PYTHONS, Lab, host_pythons, kinds_of, require_pythons, usable_pythons  # noqa: E402

TIMEOUT = 900  # seconds for one playbook
_RECAP = re.compile(r"^(\S+) +: ok=(\d+) +changed=(\d+) +unreachable=(\d+) +failed=(\d+)", re.MULTILINE)
_RESULT = re.compile(r"^(?:ok|changed|fatal|failed): \[([^\]]+)\](?:: FAILED!)? => (\{[^\n]*\}$|\{\n.*?^\})", re.MULTILINE | re.DOTALL)


class Run:
    """One playbook run over the fleet. changed, failed: host name to number of tasks. results: host name to results. seconds: it took."""

    def __init__(self, output, seconds):
        self.output, self.seconds = output, seconds
        recap = _RECAP.findall(output)
        self.changed = {host: int(changed) for host, _ok, changed, _unreachable, _failed in recap}
        self.failed = {host: int(unreachable) + int(failed) for host, _ok, _changed, unreachable, failed in recap}
        self.results = {host: [] for host in self.changed}
        for host, text in _RESULT.findall(output):
            self.results[host].append(json.loads(text))

    def drift(self):
        """Return host -> places that are not as wanted: what would be written, and what the person has otherwise."""
        found = {}
        for host, results in self.results.items():
            told = [change["path"] for result in results for change in result.get("changes", []) if change["outcome"] not in ("unchanged", "foreign")]
            places = sorted({" ".join(path) for path in told} | {" ".join(path) for result in results for path in result.get("hand_edited", [])})
            if places:
                found[host] = places
        return found


def playbook_command(lab, playbook, arguments):
    """Return the arguments of subprocess.Popen to run a playbook over the lab's hosts."""
    environment = dict(os.environ, ANSIBLE_NOCOLOR="1", ANSIBLE_FORKS="10", ANSIBLE_DEPRECATION_WARNINGS="0", LC_ALL="C.UTF-8")
    command = ["ansible-playbook", "-v", "-i", str(lab.directory / "hosts.yml"), "agentihooks.fleet." + playbook]
    return {"args": command + list(arguments), "env": environment}


def play(lab, playbook, *arguments):
    """Run a playbook over the lab's hosts; return the Run."""
    started = time.monotonic()
    done = subprocess.run(
        **playbook_command(lab, playbook, arguments), capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, check=False
    )
    output = done.stdout + done.stderr
    run = Run(output, time.monotonic() - started)
    require(run.changed, "no recap", output)
    require("Traceback" not in output, "a traceback", output)
    return run


def require(condition, what, output=""):
    """End with what is wrong unless the condition holds."""
    if not condition:
        raise SystemExit("%s\nNOT SO: %s" % (output, what))


def seed_drift(lab, hosts):
    """Change one thing on each of up to five hosts, as a person would; return host -> the place that must be told."""
    def edit(host, path, change):
        file = lab.home(host) / path
        text = file.read_text(encoding="utf-8")
        require(change(text) != text, "%s of %s can be changed" % (path, host))
        file.write_text(change(text), encoding="utf-8")

    seeds = [
        (".copilot/agentihooks-hook.sh", lambda text: text.replace("exec", "true; exec"), "agentihooks-hook.sh"),
        (".codex/config.toml", lambda text: text.replace("hooks = true", "hooks = false"), "features hooks"),
        (".agentihooks/policy.json", lambda text: text.replace('"deny"', '"allow"'), "policy.json"),
        (".copilot/settings.json", lambda text: text.replace('"disableAllHooks": false', '"disableAllHooks": true'), "disableAllHooks"),
        (".copilot/copilot-instructions.md", lambda text: text.replace("Harbour", "Port"), "instructions"),
    ]
    expected = {}
    for host, (path, change, place) in zip(hosts, seeds):
        edit(host, path, change)
        expected[host] = place
    return expected


def prove(lab, number):
    """Do all of it; print as it goes."""
    found = host_pythons()
    pythons = usable_pythons(found)
    print("host Pythons: %s; not found: %s; not for this ansible-core: %s" % (
        ", ".join("%s %s" % item for item in found.items()), ", ".join(sorted(set(PYTHONS) - set(found))) or "none",
        ", ".join(sorted(set(found) - set(pythons))) or "none",
    ))  # fmt: skip
    require_pythons(found)
    started = time.monotonic()
    lab.up(kinds_of(number, broken=number > len(FIRST), pythons=pythons), pythons)
    good = [name for name, kind in lab.kinds.items() if KINDS[kind].writable]
    broken = [name for name in lab.kinds if name not in good]
    print("%d hosts up in %.1f s: %s" % (len(lab.kinds), time.monotonic() - started, ", ".join(sorted(set(lab.kinds.values())))))
    before = lab.before

    first = play(lab, "site")
    require([name for name in good if first.failed[name]] == [], "site works on all hosts that can be written to", first.output)
    require(all(first.changed[name] for name in good), "site writes to each", first.output)
    require(all(first.failed[name] for name in broken), "site fails where nothing can be written", first.output)
    after = lab.trees()
    for name in broken:
        require(after[name] == before[name], "%s is as it was" % name, first.output)
        print("%s: %s" % (name, first.results[name][-1]["msg"]))
    print("site from fresh: %.1f s, %d hosts done, %d that cannot be written to left whole" % (first.seconds, len(good), len(broken)))

    limit = ["--limit", ",".join(good)]
    again = play(lab, "site", *limit)
    require(sum(again.changed.values()) == 0 and not any(again.failed.values()), "site again changes nothing", again.output)
    require(lab.trees() == after, "site again leaves every byte", again.output)
    print("site again: %.1f s, changed=0 on %d hosts" % (again.seconds, len(good)))
    clean = again.drift()

    drifted = [name for name in good if KINDS[lab.kinds[name]].home == "/home/ada" and not KINDS[lab.kinds[name]].environment][-5:]
    expected = seed_drift(lab, drifted)
    seeded = lab.trees()
    check = play(lab, "site", "--check", "--diff", *limit)
    require(lab.trees() == seeded, "check mode writes nothing", check.output)
    told = {host: [place for place in places if place not in clean.get(host, [])] for host, places in check.drift().items()}
    told = {host: places for host, places in told.items() if places}
    require(set(told) == set(expected), "check mode finds drift on %s, told was %s" % (sorted(expected), told), check.output)
    for host, place in expected.items():
        require(len(told[host]) == 1 and told[host][0].endswith(place), "%s has drift in %s alone, told was %s" % (host, place, told[host]))
    print("drift on %d hosts: %.1f s, found exactly: %s" % (len(expected), check.seconds, ", ".join("%s %s" % item for item in expected.items())))
    repaired = play(lab, "site", *limit)
    guarding = {host for host, place in expected.items() if place != "instructions"}
    require({host for host, count in repaired.changed.items() if count} == guarding, "site puts right what guards, and no other host", repaired.output)

    for host in set(expected) - guarding:
        # What the person wrote between the marks would stay, so it is taken back for the comparison.
        file = lab.home(host) / ".copilot/copilot-instructions.md"
        file.write_text(file.read_text(encoding="utf-8").replace("Port", "Harbour"), encoding="utf-8")
    gone = play(lab, "uninstall", *limit)
    require(not any(gone.failed.values()), "uninstall works on all", gone.output)
    changed = [(name, _names(lab.home(name))) for name in lab.changed()]
    require(not changed, "each home is as at the start, but %s" % changed, gone.output)
    print("uninstall: %.1f s, %d of %d homes byte for byte as at the start" % (gone.seconds, len(good), len(good)))


def _names(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


def main(arguments):
    """Prove it for the number of hosts the command line says."""
    # A run that is told to end takes its hosts along.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="agentihooks-lab-", dir="/run") as scratch:
        # sshd and the account read below it.
        os.chmod(scratch, 0o755)
        lab = Lab(Path(scratch) / "lab")
        try:
            prove(lab, int(arguments[0]))
        finally:
            lab.down()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
