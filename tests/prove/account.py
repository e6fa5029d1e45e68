# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What proofs share that run playbooks for a scratch account: its controller, and the pinned CLIs in its home."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "fleet"), str(HERE.parent / "live")]

from clis import installed, pinned  # noqa: E402
from conftest import ScratchUser  # noqa: E402
from playbook import Controller  # noqa: E402


@contextlib.contextmanager
def accounts(number):
    """Give a list of that many fresh scratch accounts; they are removed at the end."""
    made = []
    try:
        for _number in range(number):
            made.append(ScratchUser())
        yield made
    finally:
        for user in made:
            user.remove()


@contextlib.contextmanager
def collections():
    """Give a directory for ANSIBLE_COLLECTIONS_PATH with a copy of the working tree, readable by scratch accounts."""
    root = Path(tempfile.mkdtemp(prefix="agentihooks-collections-"))
    root.chmod(0o755)
    try:
        subprocess.run([str(CHECKOUT / "scripts" / "copy-checkout.sh"), str(root)], check=True, stdin=subprocess.DEVNULL)
        yield root
    finally:
        shutil.rmtree(root)


@contextlib.contextmanager
def controller(user, collections_path):
    """Give a Controller for an account, whose temporary files all lie in its scratch directory."""
    made = Controller(user, collections_path)
    temporary = made.scratch / "tmp"
    temporary.mkdir()
    os.chown(temporary, user.uid, user.gid)
    made.environment["TMPDIR"] = str(temporary)
    try:
        yield made
    finally:
        shutil.rmtree(made.scratch)


def lay_clis(user):
    """Put the newest pinned version of both CLIs where the facts find them."""
    for cli in (installed(name, pinned(name)[-1]) for name in ("copilot", "codex")):
        user.write(".local/bin/%s" % cli.name, "#!/bin/sh\nexec '%s' \"$@\"\n" % cli.binary, mode=0o755)
        if cli.name == "copilot":
            user.write(".cache/copilot/.keep", "")
            os.symlink(str(cli.unpacked / "pkg"), str(user.home / ".cache/copilot/pkg"))
