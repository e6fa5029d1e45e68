# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prove what the collection is made of: the same tarball from everywhere, a valid bill of materials, and no network at run time.

The second half runs in a network namespace that has nothing but loopback, and strace writes down whom every process calls.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from account import CHECKOUT, accounts, collections, controller, lay_clis
from figures import Figures

INSIDE = "AGENTIHOOKS_TEST_NAMESPACE"
CALL = re.compile(r"(connect|sendto|sendmsg|sendmmsg|bind|socket)\((.*)")
ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
EPOCH = "1750000000"


def copy_in_another_order(source, target, seed):
    """Copy a tree with its files made in a random order, with random times and with a mask that gives other modes."""
    chance = random.Random(seed)
    paths = sorted(path.relative_to(source) for path in source.rglob("*") if not path.is_dir() or path.is_symlink())
    chance.shuffle(paths)
    for path in paths:
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, place, follow_symlinks=False)
        if not place.is_symlink():
            os.chmod(place, 0o755 if os.access(source / path, os.X_OK) else chance.choice([0o644, 0o664, 0o600]))
        os.utime(place, (chance.randrange(10**9, 2 * 10**9),) * 2, follow_symlinks=False)


def build(figures):
    """Build twice from different places, and look at what comes out."""
    with tempfile.TemporaryDirectory() as top, collections() as tree:
        source, results = tree / "ansible_collections/agentihooks/fleet", []
        for number, place in enumerate(("one", "some where/else/two")):
            here, output = Path(top, place), Path(top, "out%d" % number)
            copy_in_another_order(source, here, number)
            output.mkdir()
            environment = dict(os.environ, SOURCE_DATE_EPOCH=EPOCH, TZ=("UTC", "Asia/Tokyo")[number], PYTHONHASHSEED=str(number))
            command = [sys.executable, str(CHECKOUT / "scripts/build_collection.py"), str(here), str(output)]
            subprocess.run(command, env=environment, check=True, umask=(0o022, 0o077)[number], stdout=subprocess.DEVNULL)
            results.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in output.iterdir()})
        print("two builds: %s" % results)
        same = results[0] == results[1] and len(results[0]) == 2
        figures.add("two builds, from two places: tarball and bill of materials", "same bytes", "same bytes" if same else "differ", same)
        tarball = next(Path(top, "out0").glob("*.tar.gz"))
        bom = next(Path(top, "out0").glob("*.cdx.json")).read_text(encoding="utf-8")
        installs(figures, tarball, Path(top, "installed"))
    bill_of_materials(figures, bom)


def installs(figures, tarball, target):
    """Install the tarball and let Ansible compare every file with its checksum."""
    galaxy = [os.path.join(os.path.dirname(sys.executable), "ansible-galaxy"), "collection"]
    environment = dict(os.environ, ANSIBLE_HOME=str(target), ANSIBLE_COLLECTIONS_PATH=str(target))
    done = subprocess.run(galaxy + ["install", str(tarball), "-p", str(target), "--offline"], env=environment, capture_output=True, text=True, check=False)
    verified = subprocess.run(galaxy + ["verify", "agentihooks.fleet", "--offline"], env=environment, capture_output=True, text=True, check=False)
    with tarfile.open(tarball) as archive:
        stray = [member.name for member in archive if member.mtime != int(EPOCH) or member.uid or member.uname]
    good = done.returncode == 0 and verified.returncode == 0
    if not good:
        print(done.stdout + done.stderr + verified.stdout + verified.stderr)
    figures.add("the tarball installs, and verifies file by file", "yes", "yes" if good else "no", good)
    figures.add("entries of the tarball that tell of the machine it was built on", 0, len(stray), not stray)


def bill_of_materials(figures, text):
    """Validate the bill against CycloneDX's own schema, and look whether it names all that the controller's code imports."""
    from cyclonedx.output import OutputFormat
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation import make_schemabased_validator

    wrong = make_schemabased_validator(OutputFormat.JSON, SchemaVersion.V1_6).validate_str(text)
    bom = json.loads(text)
    names = {component["name"].lower() for component in bom["components"]}
    needed = {"ansible-core", "jsonschema", "pyyaml", "tomlkit"}
    if wrong:
        print(wrong)
    figures.add("bill of materials: errors against CycloneDX 1.6", 0, 1 if wrong else 0, not wrong)
    figures.add("bill of materials: packages of the controller that it lacks", 0, len(needed - names), needed <= names)


def strangers(trace):
    """Return the calls of a trace that go, or listen, anywhere but to loopback and to sockets of this machine's own."""
    found = []
    for line in trace.splitlines():
        match = CALL.search(line)
        if not match:
            continue
        for four, six in ADDRESS.findall(match.group(2)):
            if not ipaddress.ip_address(four or six).is_loopback:
                found.append(line[:160])
        if match.group(1) == "socket" and not re.match(r"AF_(UNIX|LOCAL|INET6?|NETLINK)\b", match.group(2)):
            found.append(line[:160])
    return found


def network(figures):
    """Run the playbooks with nothing but loopback, traced."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    routes = subprocess.run(["ip", "route", "show", "default"], capture_output=True, text=True, check=True).stdout
    assert not routes, routes
    with accounts(1) as made, collections() as tree, controller(made[0], tree) as runs:
        user = made[0]
        run_as = user.run
        trace = runs.scratch / "trace"
        wrapped = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=socket,connect,sendto,sendmsg,sendmmsg,bind", "-e", "signal=none", "-o"]
        seen, failed = [], []

        def traced(argv, **options):
            done = run_as(wrapped + [str(trace)] + list(argv), **dict(options, timeout=600))
            text = trace.read_text(encoding="utf-8", errors="replace")
            seen.append((len(text.splitlines()), strangers(text)))
            return done

        user.run = traced
        variables = {"agentihooks_targets": ["copilot", "codex"], "agentihooks_codex_hook_trust": "record"}
        if not figures.sample:
            lay_clis(user)
        if figures.sample:
            variables["agentihooks_targets"] = ["copilot"]
            steps = [("site", lambda: runs.site("--tags", "runtime,hooks", **variables))]
        else:
            steps = [
                ("site", lambda: runs.site(**variables)),
                ("site again", lambda: runs.site(**variables)),
                ("doctor", lambda: runs.doctor(["localhost ansible_connection=local"], agentihooks_report_dir=str(runs.scratch / "report"), **variables)),
                ("smoke", lambda: runs._play("agentihooks.fleet.smoke", (), {})),
            ]
        for name, step in steps:
            done = step()
            print("%s: exit code %d, %d network calls, %d to strangers" % (name, done.code, seen[-1][0], len(seen[-1][1])))
            if done.code and not (name == "doctor" and "failed=1" in done.output and "unreachable=0" in done.output):
                failed.append(name)
                print(done.output[-3000:])
        call = json.dumps({"sessionId": "s", "cwd": "/", "toolName": "bash", "toolArgs": {"command": "cat ~/.ssh/id_rsa"}})
        wrapper = traced([user.home / ".copilot/agentihooks-hook.sh", "preToolUse"], input=call, env={"COPILOT_CLI_BINARY_VERSION": "1.0.102"}, check=False)
        if '"deny"' not in wrapper.stdout:
            failed.append("hook call")
        calls = len([line for line in trace.read_text(encoding="utf-8").splitlines() if "socket(" in line])
        figures.add("a hook call: sockets it opens", 0, calls, calls == 0)
        if not figures.sample and runs.uninstall(agentihooks_targets=["copilot", "codex"]).code:
            failed.append("uninstall")
        user.run = run_as
        for _lines, lines in seen:
            print("\n".join(lines[:5]))
        wrong = sum(len(lines) for _lines, lines in seen)
        figures.add("runs without a route: playbooks and a hook call that fail", 0, ", ".join(failed) or 0, not failed)
        figures.add("runs without a route: calls to anything but loopback", 0, wrong, wrong == 0)


def main():
    figures = Figures("supply", __doc__)
    if INSIDE in os.environ:
        network(figures)
        return figures.finish()
    build(figures)
    inside = ["unshare", "--net", sys.executable, __file__] + (["--sample"] if figures.sample else [])
    done = subprocess.run(inside, env=dict(os.environ, **{INSIDE: "1"}), stdin=subprocess.DEVNULL, check=False)
    return figures.finish() or done.returncode


if __name__ == "__main__":
    sys.exit(main())
