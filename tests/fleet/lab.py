# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet of real SSH hosts on this machine: lab.py up DIRECTORY NUMBER|KIND, lab.py changed DIRECTORY, lab.py down DIRECTORY.

Each host has its own file system (this machine's, with what it writes kept in memory), accounts, processes and name, and an sshd of its
own on a loopback address. They differ as workstations do, see KINDS. DIRECTORY gets hosts.yml, the inventory. changed names the homes that
are not byte for byte as they were when the hosts came up. Needs root.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
ACCOUNT = "ada"
PORT = 22022
START_TIMEOUT = 60  # seconds for all hosts
PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
# What the hosts are to get: something of every surface of both targets.
VARIABLES = {
    "agentihooks_bundle": str(CHECKOUT / "examples" / "bundle"),
    "agentihooks_profiles": ["default", "engineer"],
    "agentihooks_env": {"HANDBOOK_TOKEN": "x"},
    "agentihooks_codex_hook_trust": "record",
    "agentihooks_trusted_folders": ["/srv/projects"],
    "agentihooks_directives": {"browserCommand": "auto"},
    # Thirty hosts on one machine are slow to answer.
    "agentihooks_smoke_seconds": 180,
}
# What ansible-core needs on a host, by its own version.
OLDEST_PYTHON = {"2.19": "3.8", "2.20": "3.9", "2.21": "3.9"}


class Kind:
    """How a host differs.

    home: of the account. setup: shell commands that root runs on the host when it starts, with $home set and write() at hand.
    environment: what sshd gives each session. python: version of the interpreter that Ansible is told to use, "" for the system's.
    size: of an own file system for the home. writable: whether a run can succeed there.
    """

    def __init__(self, setup="", home="/home/" + ACCOUNT, environment=None, python="", size="", writable=True):
        self.setup = setup
        self.home = home
        self.environment = environment or {}
        self.python = python
        self.size = size
        self.writable = writable


_CLI = """
write .local/bin/copilot 0755 <<'END'
#!/bin/sh
echo '%s'
END
write .local/bin/codex 0755 <<'END'
#!/bin/sh
echo 'codex-cli %s'
END
"""
_WSL = "echo 'Linux version 6.6.87.2-microsoft-standard-WSL2' >/run/version; mount --bind /run/version /proc/version\n"
# An own configuration with all that makes editing hard: comments, tabs, long lines, modes, foreign hooks, other owners' names in it.
_OWN_CONFIG = """
write .copilot/settings.json 0640 <<'END'
{
\t// mine: never change this
\t"theme": "dim", "model": "gpt-5.4",
\t"hooks": {}, /* none yet */
}
END
write .copilot/config.json 0600 <<'END'
// written by the CLI
{
  "firstLaunchAt": "2026-03-11", "trustedFolders": ["/srv/projects"]
}
END
write .copilot/mcp-config.json 0600 <<'END'
{"mcpServers": {"own": {"type": "local", "command": "own-server", "args": [], "tools": ["*"]}}}
END
write .copilot/copilot-instructions.md 0644 <<'END'
Answer in short sentences.
END
write .copilot/hooks/mine.json 0644 <<'END'
{"version": 1, "hooks": {"sessionEnd": [{"type": "command", "bash": "true"}]}}
END
write .agents/skills/own/SKILL.md 0644 <<'END'
---
name: own
description: My own skill.
---
END
write .codex/config.toml 0600 <<'END'
# mine
model = 'gpt-5.4'   # a literal string

[projects."/srv/it's mine"]
trust_level = "trusted"
END
write .codex/AGENTS.md 0644 <<'END'
Answer in short sentences.
END
write .bashrc 0644 <<'END'
alias ll='ls -l'
END
write .zshrc 0600 <<'END'
setopt autocd
END
"""
_DOTFILES = """
write dotfiles/copilot/settings.json 0644 <<'END'
{"theme": "dim"}
END
write dotfiles/codex.toml 0600 <<'END'
model = "gpt-5.4"
END
write dotfiles/bashrc 0644 <<'END'
alias x=y
END
as_ada mkdir -p "$home/.codex"
as_ada ln -s dotfiles/copilot "$home/.copilot"
as_ada ln -s ../dotfiles/codex.toml "$home/.codex/config.toml"
as_ada ln -sf dotfiles/bashrc "$home/.bashrc"
"""
_SHIM = """
write .pyenv/shims/python3 0755 <<'END'
#!/usr/bin/env bash
set -e
echo "pyenv: version '3.99' is not installed (set by /home/ada/.python-version)" >&2
exit 1
END
"""
_PATH = "/usr/local/bin:/usr/bin:/bin"

KINDS = {
    "fresh": Kind(),
    "own-config": Kind(_OWN_CONFIG + _CLI % ("1.0.102", "0.171.0"), python="3.13"),
    "odd-home": Kind(home="/home/o'brien of ada", python="3.8"),
    "python-3.13": Kind(python="3.13"),
    "python-3.12": Kind(python="3.12"),
    "python-3.9": Kind(python="3.9"),
    "python-3.10": Kind(python="3.10"),
    "shim": Kind(_SHIM, environment={"PATH": "/home/ada/.pyenv/shims:" + _PATH}),
    "wsl": Kind(_WSL),
    "wsl-wslview": Kind(_WSL + "printf '#!/bin/sh\\n' >/usr/local/bin/wslview; chmod 0755 /usr/local/bin/wslview\n"),
    "wsl-chrome": Kind(
        _WSL + "d='/mnt/c/Program Files/Google/Chrome/Application'; mkdir -p \"$d\"; printf x >\"$d/chrome.exe\"; chmod 0755 \"$d/chrome.exe\"\n"
    ),
    "wsl-edge": Kind(
        _WSL + "d='/mnt/c/Program Files (x86)/Microsoft/Edge/Application'; mkdir -p \"$d\"; printf x >\"$d/msedge.exe\"; chmod 0755 \"$d/msedge.exe\"\n"
    ),
    "linked-home": Kind("mkdir -p /srv/homes; mv /home/ada /srv/homes/ada; ln -s /srv/homes/ada /home/ada\n"),
    "copilot-home": Kind(environment={"COPILOT_HOME": "/home/ada/cfg/copilot", "CODEX_HOME": "/home/ada/cfg/codex"}, setup="as_ada mkdir -p $home/cfg/codex\n"),
    "dotfiles": Kind(_DOTFILES),
    "old-cli": Kind(_CLI % ("1.0.80", "0.142.3")),
    "other-shell": Kind("usermod --shell /bin/sh ada; rm -f $home/.bashrc\n"),
    "read-only": Kind("mount --bind $home $home; mount -o remount,bind,ro $home\n", writable=False),
    "full-disk": Kind("dd if=/dev/zero of=$home/full bs=4k 2>/dev/null || true; chown ada: $home/full\n", size="256k", writable=False),
}  # fmt: skip
# A lab of any size starts with these three: they cover the most.
FIRST = ("fresh", "own-config", "odd-home")
BROKEN = ("read-only", "full-disk")

_SETUP = """
home=%(home)s
as_ada() { setpriv --reuid=ada --regid=ada --clear-groups -- "$@"; }
# write PATH MODE: a file of the account from standard input
write() { as_ada mkdir -p "$(dirname "$home/$1")"; as_ada sh -c 'cat >"$1"; chmod "$2" "$1"' - "$home/$1" "$2"; }
# A number that no account of the machine itself gets: whoever ends its processes there would end those on the hosts too.
useradd --uid 61977 --create-home --home-dir "$home" --shell /bin/bash --password '*' ada 2>/dev/null
chown ada: "$home"
# Interpreters of a version manager are for all accounts here.
chmod go+x /root 2>/dev/null || true
"""
_SSHD = """ListenAddress %(address)s
Port %(port)d
HostKey /run/host_key
PidFile none
AllowUsers ada
AuthorizedKeysFile /run/authorized_keys
AuthenticationMethods publickey
StrictModes no
UsePAM no
MaxStartups 100
Subsystem sftp internal-sftp
"""


def kinds_of(number, broken=False, pythons=None):
    """Return host name -> name of its kind for a fleet of that many hosts; broken adds those that no run can write to.

    pythons: versions at hand; a kind that wants another one is left out.
    """
    usable = [name for name, kind in KINDS.items() if kind.writable and (pythons is None or not kind.python or kind.python in pythons)]
    order = [name for name in FIRST if name in usable] + [name for name in usable if name not in FIRST]
    names = [order[index % len(order)] for index in range(number)] + (list(BROKEN) if broken else [])
    return {"h%02d-%s" % (index + 1, name): name for index, name in enumerate(names)}


def host_pythons():
    """Return version -> path of the Pythons of this machine that a host may have, "3.8" to "3.13"."""
    found = {}
    for version in PYTHONS:
        done = subprocess.run([str(CHECKOUT / "scripts" / "find-host-python.sh"), version], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found[version] = os.path.realpath(done.stdout.strip())
    return found


def usable_pythons(found):
    """Return those of host_pythons() that the ansible-core of this environment can work with."""
    from ansible.release import __version__

    oldest = OLDEST_PYTHON.get(".".join(__version__.split(".")[:2]), "3.9")
    return {version: path for version, path in found.items() if _key(version) >= _key(oldest)}


def _key(version):
    return tuple(int(part) for part in version.split("."))


class Lab:
    """The hosts. directory: of their files. kinds: host name -> name of its kind. processes: host name -> pid to kill.

    before: trees() as the hosts came up.
    """

    def __init__(self, directory):
        self.directory = Path(directory)
        state = self.directory / "lab.json"
        known = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {}
        self.kinds, self.processes, self.network = known.get("kinds", {}), known.get("processes", {}), known.get("network", 0)
        self.before = known.get("before", {})

    def up(self, kinds, pythons):
        """Start hosts of these kinds and write the inventory; wait until each answers."""
        self.down()
        self.directory.mkdir(parents=True)
        self.kinds, self.network = kinds, _free_network()
        for key in ("host_key", "login_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.directory / key)], check=True)
        for index, name in enumerate(kinds):
            self._start(index, name)
        self._save()
        (self.directory / "known_hosts").write_text("* %s" % (self.directory / "host_key.pub").read_text(encoding="utf-8"))
        (self.directory / "hosts.yml").write_text(json.dumps(self.inventory(pythons), indent=2) + "\n", encoding="utf-8")
        deadline = time.monotonic() + START_TIMEOUT
        for index, name in enumerate(kinds):
            self._await(name, self.address(index), deadline)
        self.before = self.trees()
        self._save()

    def _save(self):
        state = {"kinds": self.kinds, "processes": self.processes, "network": self.network, "before": self.before}
        (self.directory / "lab.json").write_text(json.dumps(state), encoding="utf-8")

    def _start(self, index, name):
        kind, place = KINDS[self.kinds[name]], self.directory / name
        (place / "memory").mkdir(parents=True)
        (place / "setup").write_text(_SETUP % {"home": shlex.quote(kind.home)} + kind.setup, encoding="utf-8")
        environment = "".join('SetEnv "%s=%s"\n' % item for item in kind.environment.items())
        (place / "sshd_config").write_text(_SSHD % {"address": self.address(index), "port": PORT} + environment, encoding="utf-8")
        shutil.copy(str(self.directory / "host_key"), str(place / "host_key"))
        shutil.copy(str(self.directory / "login_key.pub"), str(place / "authorized_keys"))
        command = ["unshare", "--mount", "--uts", "--pid", "--ipc", "--fork", "--kill-child", str(HERE / "lab_host.sh")]
        with open(str(place / "log"), "wb") as log:
            process = subprocess.Popen(
                command + [str(place), name, kind.home, kind.size], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.processes[name] = process.pid

    def _await(self, name, address, deadline):
        while True:
            try:
                with socket.create_connection((address, PORT), timeout=2) as connection:
                    if connection.recv(3) == b"SSH":
                        return
            except OSError:
                pass
            if time.monotonic() > deadline or not os.path.exists("/proc/%d" % self.processes[name]):
                raise SystemExit("%s does not answer:\n%s" % (name, (self.directory / name / "log").read_text(errors="replace")))
            time.sleep(0.05)

    def address(self, index):
        """Return the loopback address of a host."""
        return "127.77.%d.%d" % (self.network, index + 1)

    def inventory(self, pythons):
        """Return the inventory as plain data. pythons: version -> path."""
        hosts = {}
        for index, (name, kind) in enumerate(self.kinds.items()):
            hosts[name] = {"ansible_host": self.address(index)}
            hosts[name]["ansible_python_interpreter"] = pythons.get(KINDS[kind].python, "/usr/bin/python3")
        ssh = "-F none -o UserKnownHostsFile=%s -o GlobalKnownHostsFile=none -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes" % (
            self.directory / "known_hosts"
        )
        variables = {
            "ansible_user": ACCOUNT, "ansible_port": PORT, "ansible_ssh_private_key_file": str(self.directory / "login_key"),
            "ansible_ssh_common_args": ssh + " -o ConnectTimeout=20 -o ControlPath=none",
            # Ansible's own files are not in the home, so that a comparison sees ours alone.
            "ansible_remote_tmp": "/tmp/ansible-" + ACCOUNT, "ansible_pipelining": True, **VARIABLES,
        }  # fmt: skip
        return {"all": {"vars": variables, "hosts": hosts}}

    def root(self, name):
        """Return the host's own file system, as seen from here."""
        return Path("/proc/%s/root" % _child(self.processes[name]))

    def home(self, name):
        """Return the account's home as seen from here, a link to it resolved on the host."""
        home = KINDS[self.kinds[name]].home
        place = self.root(name) / home.lstrip("/")
        return self.root(name) / os.readlink(str(place)).lstrip("/") if place.is_symlink() else place

    def trees(self):
        """Return host name -> (SHA-256 over path, kind, mode, owner and content of all in its home, number of entries)."""
        return {name: tree_hash(self.home(name)) for name in self.kinds}

    def changed(self):
        """Return the names of the hosts whose home is not as it was when they came up."""
        return [name for name, tree in self.trees().items() if tree != self.before[name]]

    def down(self):
        """Stop the hosts and remove their files."""
        for pid in self.processes.values():
            # A lab that was left behind may name a process that is another one by now.
            if _runs_for(pid, self.directory):
                os.kill(pid, signal.SIGKILL)
                try:
                    os.waitpid(pid, 0)
                except ChildProcessError:
                    pass
        self.processes = {}
        shutil.rmtree(str(self.directory), ignore_errors=True)


def require_pythons(found):
    """End when the oldest or the newest Python that a host may have is not among those of host_pythons()."""
    if not {PYTHONS[0], PYTHONS[-1]} <= set(found):
        raise SystemExit("Python %s and %s must be on this machine, the oldest and the newest that a host may have" % (PYTHONS[0], PYTHONS[-1]))


def tree_hash(directory):
    """Return [SHA-256 over path, kind, mode, owner and content of all below a directory, itself included; number of entries]."""
    digest, count = hashlib.sha256(), 0
    for path in sorted([directory, *directory.rglob("*")]):
        status = path.lstat()
        content = b""
        if stat.S_ISLNK(status.st_mode):
            content = os.fsencode(os.readlink(str(path)))
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        head = "%s %o %d %d %d\n" % (os.path.relpath(str(path), str(directory)), status.st_mode, status.st_uid, status.st_gid, len(content))
        digest.update(head.encode("utf-8", "surrogateescape") + content)
        count += 1
    return [digest.hexdigest(), count]


def _runs_for(pid, directory):
    try:
        return os.fsencode(str(directory)) in Path("/proc/%d/cmdline" % pid).read_bytes()
    except OSError:
        return False


def _child(pid):
    """Return the pid of the only child of a process."""
    return Path("/proc/%d/task/%d/children" % (pid, pid)).read_text(encoding="ascii").split()[0]


def _free_network():
    """Return the third part of 127.77.N.0/24 whose first address nobody listens on."""
    for number in range(1, 255):
        with socket.socket() as probe:
            try:
                probe.bind(("127.77.%d.1" % number, PORT))
                return number
            except OSError:
                continue
    raise SystemExit("no free loopback network 127.77.N.0 for the lab")


def main(arguments):
    """Do what the command line says; return the exit code."""
    if len(arguments) < 2 or arguments[0] not in ("up", "down", "changed"):
        print(__doc__, file=sys.stderr)
        return 2
    lab = Lab(arguments[1])
    if arguments[0] == "down":
        lab.down()
    elif arguments[0] == "changed":
        changed = lab.changed()
        print("homes that are not as at the start: %s" % (", ".join(changed) or "none"))
        return 1 if changed else 0
    else:
        found = host_pythons()
        require_pythons(found)
        pythons = usable_pythons(found)
        wanted = arguments[2]
        lab.up(kinds_of(int(wanted), pythons=pythons) if wanted.isdigit() else {"h01-" + wanted: wanted}, pythons)
        for name in lab.kinds:
            print("%s  %s" % (name, lab.inventory(pythons)["all"]["hosts"][name]["ansible_python_interpreter"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
