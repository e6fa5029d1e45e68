# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet's life on real SSH hosts: fleet_proof.py NUMBER [DIRECTORY]. Prints what it found and what it took.

site on fresh hosts; site again, which changes nothing; drift on up to five hosts, which the doctor finds exactly; uninstall, after
which each home is byte for byte as at the start. With NUMBER above the first three kinds there is more: the real CLIs, of which all hosts
share one copy, on most hosts, and configurations of the shared corpus where it lies beside the checkout; smoke, in full on five hosts and
one denied call on the others; a clean doctor; and two hosts that cannot be written to: they fail with a clear message, stay as they were and
keep nobody else from being done. The doctor's reports go to DIRECTORY/clean and DIRECTORY/drift. Exit code 1 with the first thing that is
not so.
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

import tomlkit

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "live")]

from clis import installed, pinned  # noqa: E402
from lab import CHECKOUT, FIRST, KINDS, PYTHONS, Lab, host_pythons, kinds_of, require_pythons, usable_pythons  # noqa: E402

CORPUS = CHECKOUT.parent / "shared" / "corpus"
TIMEOUT = 3600  # seconds for one playbook
FORKS = 10
SMOKE_FORKS = 4  # each of them starts a CLI of some hundred megabytes
IN_FULL = 5  # hosts on which the smoke asks everything
# Folder of the corpus -> the file of a home that it has samples of.
SAMPLES = {"copilot_settings": ".copilot/settings.json", "codex_toml": ".codex/config.toml", "mcp": ".copilot/mcp-config.json"}
WITH_SAMPLES = ("fresh", "python-3.13", "python-3.12", "python-3.9")
# The inventory asks for a browser that is not there; that is all that may be said of these.
WITHOUT_BROWSER = ("wsl",)
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


def playbook_command(lab, playbook, arguments, forks=FORKS, environment=None):
    """Return the arguments of subprocess.Popen to run a playbook over the lab's hosts. environment: what differs from this process's."""
    environment = dict(os.environ, ANSIBLE_NOCOLOR="1", ANSIBLE_FORKS=str(forks), ANSIBLE_DEPRECATION_WARNINGS="0", LC_ALL="C.UTF-8", **environment or {})
    command = ["ansible-playbook", "-v", "-i", str(lab.directory / "hosts.yml"), "agentihooks.fleet." + playbook]
    return {"args": command + list(arguments), "env": environment}


def play(lab, playbook, *arguments, forks=FORKS, environment=None):
    """Run a playbook over the lab's hosts; return the Run."""
    started = time.monotonic()
    command = playbook_command(lab, playbook, arguments, forks, environment)
    done = subprocess.run(**command, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, check=False)
    output = done.stdout + done.stderr
    run = Run(output, time.monotonic() - started)
    require(run.changed, "no recap", output)
    require("Traceback" not in output, "a traceback", output)
    return run


def require(condition, what, output=""):
    """End with what is wrong unless the condition holds."""
    if not condition:
        raise SystemExit("%s\nNOT SO: %s" % (output, what))


def doctor(lab, directory, *arguments, environment=None):
    """Run the doctor; return (Run, its report as data)."""
    run = play(lab, "doctor", "-e", "agentihooks_report_dir=%s" % directory, *arguments, environment=environment)
    return run, json.loads((directory / "doctor.json").read_text(encoding="utf-8"))


def findings(report):
    """Return host -> {target check: what was found} of all that is more than a note."""
    found = {}
    for host in report["hosts"]:
        for row in host["checks"]:
            if row["level"] in ("warning", "critical"):
                places = " ".join(place["place"] for place in row["places"])
                found.setdefault(host["host"], {})["%s %s" % (row["target"] or "host", row["check"])] = "%s %s" % (row["what"], places)
    return found


def unexpected(report, lab):
    """Return findings() without the browser of the hosts that have none."""
    return {host: rows for host, rows in findings(report).items() if lab.kinds[host] not in WITHOUT_BROWSER or set(rows) != {"host browser"}}


def lay_clis(lab, hosts):
    """Put both real CLIs on the hosts: each has a starter of its own for the one copy that all share and none of them can write to."""
    for name in hosts:
        home = lab.home(name)
        for cli in (installed(each, pinned(each)[-1]) for each in ("copilot", "codex")):
            put(home, ".local/bin/%s" % cli.name, ("#!/bin/sh\nexec '%s' \"$@\"\n" % cli.binary).encode(), 0o755)
            if cli.name == "copilot":
                put(home, ".cache/copilot/.keep", b"", 0o644)
                os.symlink(str(cli.unpacked / "pkg"), str(home / ".cache/copilot/pkg"))


def lay_samples(lab, hosts):
    """Give each host one file of each kind from the corpus as its person's own; return the number of files, 0 without the corpus."""
    count = 0
    for folder, path in SAMPLES.items():
        files = sorted(file for file in (CORPUS / folder).rglob("*") if file.is_file() and readable(file))
        for name, file in zip(hosts, files):
            put(lab.home(name), path, file.read_bytes(), 0o600)
            count += 1
    return count


def readable(file):
    """Whether a sample is a whole configuration that its CLI would read, not one of the files that are there to be refused."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix == ".toml":
        try:
            return bool(tomlkit.parse(text))
        except ValueError:
            return False
    try:
        return isinstance(json.loads(text), dict) and "example" not in text
    except ValueError:
        return False


def put(home, path, data, mode):
    """Write a file into a home, for the account that it belongs to."""
    owner, file = home.stat(), home / path
    for directory in [*reversed(file.parents)]:
        if home in directory.parents and not directory.exists():
            directory.mkdir(mode=0o755)
            os.chown(str(directory), owner.st_uid, owner.st_gid)
    file.unlink(missing_ok=True)
    file.write_bytes(data)
    file.chmod(mode)
    os.chown(str(file), owner.st_uid, owner.st_gid)


def smoke(lab, hosts, limit):
    """Ask the CLIs of the hosts, everything on the first five, and print what it took."""
    inventory = json.loads((lab.directory / "hosts.yml").read_text(encoding="utf-8"))
    for name in set(inventory["all"]["hosts"]) - set(hosts[:IN_FULL]):
        inventory["all"]["hosts"][name]["agentihooks_smoke_level"] = "canary"
    (lab.directory / "hosts.yml").write_text(json.dumps(inventory), encoding="utf-8")
    run = play(lab, "smoke", *limit, forks=SMOKE_FORKS)
    require(not any(run.failed.values()), "the smoke passes on all hosts", run.output)
    clis = {name: next(result["clis"] for result in results if "clis" in result) for name, results in run.results.items()}
    asked = {name: [len(found["checks"]) for found in of_host.values() if found["checks"]] for name, of_host in clis.items()}
    asked = {name: counts for name, counts in asked.items() if counts}
    require(set(asked) == set(hosts), "the smoke asked the CLIs of %s, not of %s" % (sorted(hosts), sorted(asked)), run.output)
    require(all(len(asked[name]) == 2 for name in hosts), "both CLIs were asked on each: %s" % asked, run.output)
    full, others = [asked[name] for name in hosts[:IN_FULL]], [asked[name] for name in hosts[IN_FULL:]]
    require(all(min(of_full) > max(of_other) for of_full in full for of_other in others), "more was asked where all was: %s" % asked, run.output)
    print("smoke: %.1f s, passed with both CLIs on %d hosts: %d checks on %d of them, %d on %d; no CLI on %d" % (
        run.seconds, len(hosts), sum(map(sum, full)), len(full), sum(map(sum, others)), len(others), len(clis) - len(asked)))  # fmt: skip


# What is changed on a host as a person would: (file, change of its text, what the doctor must find and where, whether site puts it right).
SEEDS = (
    (".copilot/agentihooks-hook.sh", ("exec", "true; exec"), {"copilot guard files": "agentihooks-hook.sh"}, True),
    (".codex/config.toml", ("hooks = true", "hooks = false"), {"codex drift": "features.hooks", "codex silenced": "hooks"}, True),
    (".agentihooks/policy.json", ('"deny"', '"allow"'), {"host guard files": "policy.json"}, True),
    (".copilot/settings.json", ('"disableAllHooks": false', '"disableAllHooks": true'), {
        "copilot drift": "disableAllHooks", "copilot silenced": "settings.json turns hooks off"}, True),
    (".copilot/copilot-instructions.md", ("Harbour", "Port"), {"copilot hand-edits": "instructions"}, False),
)  # fmt: skip


def edit(lab, host, path, old, new):
    """Change the text of a file on a host."""
    file = lab.home(host) / path
    text = file.read_text(encoding="utf-8")
    require(old in text, "%s of %s holds %s" % (path, host, old))
    file.write_text(text.replace(old, new), encoding="utf-8")


def prove(lab, number, directory):
    """Do all of it; print as it goes."""
    whole = number > len(FIRST)
    pythons = announce_pythons()
    started = time.monotonic()
    lab.up(kinds_of(number, broken=whole, pythons=pythons), pythons)
    good = [name for name, kind in lab.kinds.items() if KINDS[kind].writable]
    broken = [name for name in lab.kinds if name not in good]
    print("%d hosts up in %.1f s: %s" % (len(lab.kinds), time.monotonic() - started, ", ".join(sorted(set(lab.kinds.values())))))
    with_cli = [name for index, name in enumerate(good) if whole and index % 6]
    if whole:
        lay_clis(lab, with_cli)
        samples = lay_samples(lab, [name for name in good[len(FIRST):] if lab.kinds[name] in WITH_SAMPLES])
        print("both real CLIs on %d hosts; %d files of the corpus as persons' own" % (len(with_cli), samples))
    before, files_before = lab.trees(), files_of(lab)

    first = play(lab, "site")
    require([name for name in good if first.failed[name]] == [], "site works on all hosts that can be written to", first.output)
    require(all(first.changed[name] for name in good), "site writes to each", first.output)
    require(all(first.failed[name] for name in broken), "site fails where nothing can be written", first.output)
    after, files = lab.trees(), files_of(lab)
    for name in broken:
        require(after[name] == before[name], "%s is as it was" % name, first.output)
        print("%s: %s" % (name, first.results[name][-1]["msg"]))
    print("site from fresh: %.1f s, %d hosts done, %d that cannot be written to left whole" % (first.seconds, len(good), len(broken)))

    limit = ["--limit", ",".join(good)]
    again = play(lab, "site", *limit)
    require(sum(again.changed.values()) == 0 and not any(again.failed.values()), "site again changes nothing", again.output)
    require_same(lab, after, files, "site again leaves every byte", again.output)
    print("site again: %.1f s, changed=0 on %d hosts" % (again.seconds, len(good)))

    if whole:
        smoke(lab, with_cli, limit)
        clean, report = doctor(lab, directory / "clean", *limit)
        told = unexpected(report, lab)
        require(told == {}, "the doctor finds nothing: %s" % told, clean.output)
        require(any(clean.failed.values()) is bool(findings(report)), "the doctor's exit code says whether it found something", clean.output)
        notes = sorted({"%s: %s" % (row["target"] or "host", row["check"]) for host in report["hosts"] for row in host["checks"] if row["level"] == "info"})
        print("doctor: %.1f s, nothing found on %d hosts; notes (level info) about %s" % (clean.seconds, len(good), ", ".join(notes) or "nothing"))

    kinds = {name: KINDS[lab.kinds[name]] for name in good if lab.kinds[name] not in WITHOUT_BROWSER}
    plain = [name for name, kind in kinds.items() if kind.home == "/home/ada" and not kind.environment]
    seeds = dict(zip(plain[-len(SEEDS):], SEEDS))
    for host, (path, (old, new), _found, _repaired) in seeds.items():
        edit(lab, host, path, old, new)
    seeded, files = lab.trees(), files_of(lab)
    check, report = doctor(lab, directory / "drift", *limit)
    require_same(lab, seeded, files, "the doctor writes nothing", check.output)
    told = unexpected(report, lab)
    require(set(told) == set(seeds), "the doctor finds something on %s, told was %s" % (sorted(seeds), told), check.output)
    for host, (_path, _texts, expected, _repaired) in seeds.items():
        require(set(told[host]) == set(expected), "%s on %s, told was %s" % (sorted(expected), host, told[host]), check.output)
        require(all(place in told[host][row] for row, place in expected.items()), "%s on %s, told was %s" % (expected, host, told[host]))
    require(any(check.failed.values()), "the doctor's exit code says so", check.output)
    print("drift on %d hosts: %.1f s, found exactly: %s" % (
        len(seeds), check.seconds, "; ".join("%s %s" % (host, ", ".join(told[host])) for host in seeds)))  # fmt: skip
    repaired = play(lab, "site", *limit)
    guarding = {host for host, seed in seeds.items() if seed[3]}
    require({host for host, count in repaired.changed.items() if count} == guarding, "site puts right what guards, and no other host", repaired.output)

    for host, (path, (old, new), _found, is_repaired) in seeds.items():
        if not is_repaired:
            # What the person wrote between the marks would stay, so it is taken back for the comparison.
            edit(lab, host, path, old=new, new=old)
    gone = play(lab, "uninstall", *limit)
    require(not any(gone.failed.values()), "uninstall works on all", gone.output)
    require_same(lab, before, files_before, "each home is as at the start", gone.output)
    print("uninstall: %.1f s, %d of %d homes byte for byte as at the start" % (gone.seconds, len(good), len(good)))


def announce_pythons():
    """Print which Pythons the hosts get; return version -> path."""
    found = host_pythons()
    pythons = usable_pythons(found)
    print("host Pythons: %s; not found: %s; not for this ansible-core: %s" % (
        ", ".join("%s %s" % item for item in found.items()), ", ".join(sorted(set(PYTHONS) - set(found))) or "none",
        ", ".join(sorted(set(found) - set(pythons))) or "none",
    ))  # fmt: skip
    require_pythons(found)
    return pythons


def files_of(lab):
    """Return (host, path in its home) -> what tells whether the file is another one by now, for saying where homes differ."""
    found = {}
    for name in lab.kinds:
        home = lab.home(name)
        for path in home.rglob("*"):
            status = path.lstat()
            found[name, str(path.relative_to(home))] = (status.st_mode, status.st_size, status.st_mtime_ns if path.is_file() else 0)
    return found


def require_same(lab, trees, files, what, output):
    """End with the files that differ unless each home is, byte for byte, what it was. trees, files: from before."""
    now = lab.trees()
    different = {name for name in trees if now[name] != trees[name]}
    if different:
        files_now = files_of(lab)
        paths = sorted(key for key in {*files, *files_now} if files.get(key) != files_now.get(key) and key[0] in different)
        require(False, "%s, but on %s these differ: %s" % (what, sorted(different), paths), output)


def main(arguments):
    """Prove it for the number of hosts the command line says."""
    # A run that is told to end takes its hosts along.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="agentihooks-lab-", dir="/run") as scratch:
        # sshd and the account read below it.
        os.chmod(scratch, 0o755)
        lab = Lab(Path(scratch) / "lab")
        try:
            prove(lab, int(arguments[0]), Path(arguments[1] if len(arguments) > 1 else scratch).resolve())
        finally:
            lab.down()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
