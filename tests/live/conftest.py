# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live tests: real CLIs, a scripted model, and assertions on effects. A CLI that is missing is a failure, not a skip."""

from __future__ import annotations

import os
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


# All pinned Codex CLIs, or the newest alone; `make test-all` asks for all.
CODEX_VERSIONS = pinned("codex") if os.environ.get("AGENTIHOOKS_TEST_CODEX") == "all" else pinned("codex")[-1:]


@pytest.fixture(scope="session", params=CODEX_VERSIONS)
def codex_cli(request):
    """Each Codex CLI under test in turn."""
    return installed("codex", request.param)


@pytest.fixture(scope="session")
def workstation(make_scratch_user, collections_path):
    """One home, converged by `make site` as its owner, for all tests that leave it as they found it."""
    user = make_scratch_user()
    lay_bait(user)
    make_site(user, collections_path)
    return Workstation(user)
