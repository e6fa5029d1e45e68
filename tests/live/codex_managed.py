# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a live test that runs in a mount namespace of its own: registers the hooks with the system, then drives Codex.

The last line of stdout is JSON: what was written and what Codex did.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "files" / "smoke"))
from clis import installed  # noqa: E402
from codex import hooks_listed, run, shell  # noqa: E402
from workstation import make_site  # noqa: E402

STEPS = [{"calls": [shell("cat ~/.ssh/id_rsa")]}, {"text": "done"}]


class Account:
    """An account that is there already, with what make_site() needs of a scratch account."""

    def __init__(self, name):
        entry = pwd.getpwnam(name)
        self.name, self.uid, self.gid, self.home = name, entry.pw_uid, entry.pw_gid, Path(entry.pw_dir)

    def run(self, argv, env=None, timeout=60, **_more):
        clean = {"HOME": str(self.home), "USER": self.name, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        done = subprocess.run(
            [str(part) for part in argv], env=dict(clean, **(env or {})), cwd=str(self.home), capture_output=True, text=True, timeout=timeout,
            check=False, user=self.uid, group=self.gid, extra_groups=[self.gid], stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def write(self, path, text, mode=0o644):
        path = self.home / path
        path.write_text(text)
        path.chmod(mode)
        os.chown(path, self.uid, self.gid)
        return path


def main():
    parser = argparse.ArgumentParser()
    for name in ("play", "collections", "user", "cli", "variables"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    user, cli = Account(options.user), installed("codex", options.cli)
    playbook = Path(sys.executable).with_name("ansible-playbook")
    env = dict(os.environ, ANSIBLE_COLLECTIONS_PATH=options.collections, ANSIBLE_HOME=str(user.home / ".live-ansible"), ANSIBLE_LOCALHOST_WARNING="0")
    for _time in range(2):
        command = [playbook, "-i", "localhost,", "-c", "local", "-e", "ansible_python_interpreter=" + sys.executable, options.play]
        played = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert played.returncode == 0, played.stdout + played.stderr
    assert "changed=0" in played.stdout, played.stdout
    # The role's own task for it wants to become root, which a scratch account may not; it is done already.
    make_site(user, Path(options.collections), "--skip-tags", "codex_system", **json.loads(options.variables))
    hooks, warnings = hooks_listed(cli, user.home, user=user.name)
    session = run(cli, user.home, STEPS, user=user.name)
    wrapper = user.home / ".codex" / "agentihooks-hook.sh"
    wrapper.rename(wrapper.with_suffix(".away"))
    without = run(cli, user.home, STEPS, user=user.name)
    for path in (user.home / ".codex").glob(".agentihooks-*"):
        path.rename(path.with_name("away" + path.name))
    other = run(cli, user.home, [{"calls": [shell("ls")]}, {"text": "done"}], user=user.name)
    print(json.dumps({
        "requirements": Path("/etc/codex/requirements.toml").read_text(), "hooks": hooks, "warnings": warnings, "requests": session.requests,
        "denied": "agentihooks [" in session.tool_results()[0], "denied_without_wrapper": "runtime.broken" in without.tool_results()[0],
        "let_go_for_others": "innocent.txt" in other.tool_results()[0],
    }))  # fmt: skip


if __name__ == "__main__":
    main()
