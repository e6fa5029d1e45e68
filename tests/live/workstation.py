# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scratch account's converged home: its paths, its bait files, and ways to break its runtime that are undone again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Seconds, with a virtual environment to make first.
SITE_TIMEOUT = 300

SSH_CANARY = "canary-of-the-ssh-key"
AWS_CANARY = "canary-of-the-aws-file"

# Assembled here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "q7Xc2VbN9mLk4JhG6fDs" + "A1pOiU3yTr5eWzQ8"
PRIVATE_KEY = [
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ" * 2,
    "-----END OPENSSH " + "PRIVATE KEY-----",
]


def lay_bait(user) -> None:
    """Put files with canaries where credentials lie, and an innocent one in the working directory."""
    user.write(".ssh/id_rsa", "\n".join([PRIVATE_KEY[0], SSH_CANARY, PRIVATE_KEY[2], ""]), mode=0o600)
    user.write(".aws/credentials", f"[default]\naws_secret_access_key = {AWS_CANARY}\n", mode=0o600)
    user.write("work/innocent.txt", "harmless\n")


class Workstation:
    """A scratch account with the product installed.

    user: the account (name, uid, gid, home, run, write). home: its home. data: the product's data directory.
    wrapper, hooks_file: what the CLI (Copilot here) calls and where it is registered.
    """

    CONFIG_HOME = ".copilot"
    HOOKS_FILE = "hooks/agentihooks.json"

    def __init__(self, user):
        self.user = user
        self.home = user.home
        self.data = self.home / ".agentihooks"
        self.wrapper = self.home / self.CONFIG_HOME / "agentihooks-hook.sh"
        self.hooks_file = self.home / self.CONFIG_HOME / self.HOOKS_FILE

    @property
    def runtime(self) -> Path:
        """The version of the runtime that is current."""
        return (self.data / "runtime" / "current").resolve()

    def set_policy(self, **settings) -> None:
        """Change settings of the runtime's policy file."""
        path = self.data / "policy.json"
        policy = json.loads(path.read_text(encoding="utf-8"))
        self.user.write(".agentihooks/policy.json", json.dumps(dict(policy, **settings)), mode=0o600)

    @contextlib.contextmanager
    def undone(self, *places):
        """Whatever the block does to these files and directories is put back at its end.

        Without any: to the runtime, the policy, the wrapper and the hooks file.
        """
        kept = self.home.parent / (self.home.name + "-kept")
        places = places or (self.data, self.wrapper, self.hooks_file)
        kept.mkdir(mode=0o700)
        for place in places:
            subprocess.run(["cp", "-a", str(place), str(kept / place.name)], check=True)
        try:
            yield
        finally:
            for place in places:
                subprocess.run(["rm", "-rf", str(place)], check=True)
                subprocess.run(["cp", "-a", str(kept / place.name), str(place)], check=True)
            shutil.rmtree(kept)


class CodexWorkstation(Workstation):
    """The same for Codex. said: what the run that made it printed. config: the CLI's config.toml."""

    CONFIG_HOME = ".codex"
    HOOKS_FILE = "hooks.json"

    def __init__(self, user, said=""):
        super().__init__(user)
        self.said = said
        self.config = self.home / ".codex" / "config.toml"


def checkout_copy(collections_path: Path) -> Path:
    """Return the copy of the working tree that scratch accounts can read."""
    return collections_path / "ansible_collections" / "agentihooks" / "fleet"


def make_site(user, collections_path: Path, *arguments: str, **variables) -> str:
    """Run the README's own command as the account whose home it is, on a copy of the working tree. Returns its output.

    arguments: further ones for ansible-playbook.
    """
    extra = " ".join([*arguments, "-e", _variables_file(user, variables)])
    command = ["make", "-C", checkout_copy(collections_path), "site", f"EXTRA={extra}"]
    done = user.run(command, env={"YES": "1"}, timeout=SITE_TIMEOUT)
    return done.stdout + done.stderr


def play_site(user, collections_path: Path, *arguments: str, **variables) -> str:
    """Run the playbook once more, without the README's look before, which costs as much. Returns its output."""
    here = os.path.dirname(sys.executable)
    env = {"ANSIBLE_COLLECTIONS_PATH": str(collections_path), "PATH": f"{here}:/usr/local/bin:/usr/bin:/bin"}
    command = ["ansible-playbook", "agentihooks.fleet.site", *arguments, "-e", _variables_file(user, variables)]
    return user.run(command, env=env, timeout=SITE_TIMEOUT).stdout


def _variables_file(user, variables: dict) -> str:
    """Write what `make site` is told. Copilot alone is configured unless the variables say otherwise."""
    return "@" + str(user.write(".live-variables.json", json.dumps(dict({"agentihooks_targets": ["copilot"]}, **variables))))
