# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live tests: real CLIs, a scripted model, and assertions on effects. A CLI that is missing is a failure, not a skip."""

from __future__ import annotations

from pathlib import Path

import pytest
from clis import installed, pinned
from workstation import Workstation, lay_bait, play_site

HERE = Path(__file__).parent


def pytest_configure(config):
    config.addinivalue_line("markers", "live: drives a real CLI")
    config.addinivalue_line("markers", "versions(*of the CLI): those on which `make test` runs this; on the others it is exhaustive")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.live)
        versions = item.get_closest_marker("versions")
        if versions and item.callspec.params["cli"] not in versions.args:
            item.add_marker(pytest.mark.exhaustive)
        if getattr(item, "callspec", None) and item.callspec.params.get("codex_cli", pinned("codex")[-1]) != pinned("codex")[-1]:
            item.add_marker(pytest.mark.exhaustive)


@pytest.fixture(scope="session", params=pinned("copilot"))
def cli(request):
    """Each pinned Copilot CLI in turn."""
    return installed("copilot", request.param)


@pytest.fixture(scope="session", params=pinned("codex"))
def codex_cli(request):
    """Each pinned Codex CLI in turn; but for the newest that is exhaustive."""
    return installed("codex", request.param)


@pytest.fixture(scope="session")
def workstation(make_scratch_user, collections_path):
    """One home, converged as its owner, for all tests that leave it as they found it."""
    user = make_scratch_user()
    lay_bait(user)
    play_site(user, collections_path, "-i", "localhost,", "-c", "local")
    return Workstation(user)
