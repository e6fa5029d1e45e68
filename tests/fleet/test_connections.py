# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to a host over real SSH: as the person, by another account that becomes the person, with and without pipelining, from both cores.

docs/fleet.md says which way to take and what the others show; here is what they do.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import threading

import pytest
from fleet_proof import doctor, findings, play
from lab import CHECKOUT

# Where Ansible puts a module's file on a host when it does not pass it through the connection.
TEMPORARY_PLACES = ("tmp", "var/tmp", "home/deploy")
SECRET = {"agentihooks_env": {"HANDBOOK_TOKEN": "only-for-ada"}}
COPILOT = {"agentihooks_targets": ["copilot"]}
# What an ansible-core asks of its controller.
PYTHON_OF = {"2.21": "3.12"}


def core(version):
    """Return what of the environment makes Ansible another ansible-core; skip the test where there is no Python for that one."""
    if version == "own":
        return {}
    scripts = CHECKOUT / "scripts"
    python = subprocess.run([str(scripts / "find-python.sh"), PYTHON_OF[version]], capture_output=True, text=True, check=False)
    if python.returncode:
        pytest.skip("no Python for ansible-core %s: %s" % (version, python.stderr.strip()))
    made = subprocess.run([str(scripts / "venv.sh"), "ansible-" + version], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    venv = made.stdout.strip()
    path = "%s/bin:%s" % (venv, os.environ["PATH"])
    return {"PATH": path, "ANSIBLE_COLLECTIONS_PATH": venv + "/collections", "ANSIBLE_HOME": venv + "/ansible"}


class Watch(threading.Thread):
    """Looks at the module files that Ansible lays down on the hosts. seen: host -> set of who could read one: "owner", "group", "all"."""

    def __init__(self, lab):
        super().__init__(daemon=True)
        self.lab, self.seen, self._ended = lab, {name: set() for name in lab.kinds}, threading.Event()

    def run(self):
        while not self._ended.wait(0.02):
            for name, seen in self.seen.items():
                seen.update(readers(path) for path in module_files(self.lab, name))

    def end(self):
        """End it and return what was seen."""
        self._ended.set()
        self.join()
        return {name: seen - {None} for name, seen in self.seen.items()}


def module_files(lab, name):
    """Return the paths of Ansible's module files on a host."""
    return [path for place in TEMPORARY_PLACES for path in lab.root(name).joinpath(place).glob("**/ansible-tmp-*/*.py")]


def readers(path):
    """Return who may read a module file, None where it is gone or was not handed over yet."""
    try:
        modes = [path.parent.stat().st_mode, path.stat().st_mode]
    except OSError:
        return None
    for who, enter, read in (("all", stat.S_IXOTH, stat.S_IROTH), ("group", stat.S_IXGRP, stat.S_IRGRP)):
        if modes[0] & enter and modes[1] & read:
            return who
    return "owner"


def entries(home):
    """Return relative path -> (mode, uid) of all in a home."""
    found = {str(path.relative_to(home)): path.lstat() for path in home.rglob("*")}
    return {path: (oct(status.st_mode), status.st_uid) for path, status in found.items()}


def left_behind(lab, name):
    """Return what lies where programs put temporary files, what Ansible keeps for the next run aside."""
    found = [path for place in TEMPORARY_PLACES for path in lab.root(name).joinpath(place).rglob("*")]
    return [str(path) for path in found if path.name.startswith(("ansible-tmp", "ansible_", "Ansiball", "agentihooks", ".agentihooks"))]


def life(lab, directory, environment, variables):
    """Play site, site again, doctor and uninstall; return (host -> entries of the home after site, the first Run)."""
    options = ["-e", json.dumps(variables)]
    run = play(lab, "site", *options, environment=environment)
    assert not any(run.failed.values()) and all(run.changed.values()), run.output
    homes, trees = {name: entries(lab.home(name)) for name in lab.kinds}, lab.trees()
    again = play(lab, "site", *options, environment=environment)
    assert not any(again.failed.values()) and not any(again.changed.values()) and lab.trees() == trees, again.output
    check, report = doctor(lab, directory, *options, environment=environment)
    assert not any(check.failed.values()) and findings(report) == {} and lab.trees() == trees, check.output
    gone = play(lab, "uninstall", *options, environment=environment)
    assert not any(gone.failed.values()) and lab.changed() == [], gone.output
    assert {name: left_behind(lab, name) for name in lab.kinds} == {name: [] for name in lab.kinds}
    return homes, run


def test_by_another_account_without_acl(start_lab):
    lab = start_lab({"ada": "become"})
    assert not lab.root("ada").joinpath("usr/bin/setfacl").exists()
    options = ["-e", json.dumps(COPILOT)]
    run = play(lab, "site", *options)
    assert not run.failed["ada"] and run.changed["ada"], run.output
    home = entries(lab.home("ada"))
    assert {uid for _mode, uid in home.values()} == {lab.home("ada").stat().st_uid}
    assert {home[path][0] for path in (".agentihooks/policy.json", ".copilot/settings.json", ".copilot/.agentihooks-managed.json")} == {"0o100600"}
    gone = play(lab, "uninstall", *options)
    assert not gone.failed["ada"] and lab.changed() == [] and left_behind(lab, "ada") == [], gone.output


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", ["own", "2.21"])
def test_every_way_from_both_cores(start_lab, tmp_path, version):
    environment = core(version)
    lab = start_lab({kind: kind for kind in ("fresh", "files", "become", "become-files-group", "become-files-world")})
    watch = Watch(lab)
    watch.start()
    homes, run = life(lab, tmp_path, environment, SECRET)
    seen = watch.end()
    assert homes == dict.fromkeys(homes, homes["fresh"])
    assert {uid for _mode, uid in homes["fresh"].values()} == {lab.home("fresh").stat().st_uid}
    # With pipelining there is no file; without it the module, and with it the variables, lies there for a moment.
    assert seen["fresh"] == seen["become"] == set()
    assert seen["files"] == {"owner"}
    assert "group" in seen["become-files-group"] and "all" not in seen["become-files-group"]
    assert "all" in seen["become-files-world"]
    assert "world-readable" in run.output


@pytest.mark.exhaustive
def test_without_any_way_ansible_says_so_and_nothing_is_written(start_lab):
    lab = start_lab({"ada": "become-files"})
    run = play(lab, "site")
    assert run.failed == {"ada": 1} and lab.changed() == [], run.output
    assert "Failed to set permissions on the temporary files Ansible needs to create when becoming an unprivileged user" in run.output
