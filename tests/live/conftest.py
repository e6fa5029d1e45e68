# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live tests: real CLIs, a scripted model, and assertions on effects. A CLI that is missing is a failure, not a skip."""

from __future__ import annotations

from pathlib import Path

import pytest
from clis import installed, pinned
from workstation import Workstation, lay_bait, make_site

HERE = Path(__file__).parent


def pytest_configure(config):
    config.addinivalue_line("markers", "live: drives a real CLI")


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.live)


@pytest.fixture(scope="session", params=pinned("copilot"))
def cli(request):
    """Each pinned Copilot CLI in turn."""
    return installed("copilot", request.param)


@pytest.fixture(scope="session", params=pinned("codex"))
def codex_cli(request):
    """Each pinned Codex CLI in turn."""
    return installed("codex", request.param)


@pytest.fixture(scope="session")
def workstation(make_scratch_user, collections_path):
    """One home, converged by `make site` as its owner, for all tests that leave it as they found it."""
    user = make_scratch_user()
    lay_bait(user)
    make_site(user, collections_path)
    return Workstation(user)
