# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the playbook tests share."""

from __future__ import annotations

import shutil

import pytest
from playbook import Controller


@pytest.fixture
def controller(scratch_user, collections_path):
    """A Controller for a scratch account."""
    made = Controller(scratch_user, collections_path)
    yield made
    shutil.rmtree(str(made.scratch))
