# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the playbook tests share."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from lab import Lab
from playbook import Controller


@pytest.fixture
def controller(scratch_user, collections_path):
    """A Controller for a scratch account."""
    made = Controller(scratch_user, collections_path)
    yield made
    shutil.rmtree(str(made.scratch))


@pytest.fixture
def start_lab():
    """A function that starts real SSH hosts, given host name -> name of its kind, and returns their Lab."""
    directory = Path(tempfile.mkdtemp(prefix="agentihooks-lab-", dir="/run"))
    # sshd and the account read below it.
    directory.chmod(0o755)
    lab = Lab(directory / "lab")

    def up(kinds):
        lab.up(kinds, {})
        return lab

    yield up
    lab.down()
    shutil.rmtree(str(directory))
