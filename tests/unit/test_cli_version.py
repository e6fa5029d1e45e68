# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The caller's version comes from what the CLI itself sets, and is unknown rather than guessed."""

from __future__ import annotations

import pytest
from agentihooks import cli_version

BINARY, DIST = "COPILOT_CLI_BINARY_VERSION", "COPILOT_CLI_RESOLVED_DIST_DIR"


@pytest.mark.parametrize(
    "environ, old_payload, version",
    [
        ({BINARY: "1.0.102", DIST: "/c/pkg/linux-x64/1.0.102"}, False, "1.0.102"),
        ({BINARY: "1.0.83", DIST: "/c/pkg/linux-x64/1.0.110"}, False, "1.0.110"),
        ({BINARY: "1.0.83", DIST: "/opt/copilot/"}, False, "1.0.83"),
        ({BINARY: "1.0.102"}, False, "1.0.102"),
        ({BINARY: "1.0.80"}, True, "1.0.80"),
        ({BINARY: "1.0.79-6"}, True, "1.0.79-6"),
        ({BINARY: "1.0.80"}, False, ""),
        ({}, False, ""),
        ({BINARY: "latest"}, False, ""),
        ({BINARY: "2.0.0"}, False, ""),
    ],
)
def test_version(environ, old_payload, version):
    assert cli_version.copilot(environ, old_payload) == version


@pytest.mark.parametrize("text", ["", "1", "1.0", "1.0.", "1.0.x", "1.1.3", "1.0.3.4", "1.0.²", "1.0." + "9" * 5000])
def test_no_patch_level(text):
    assert cli_version.patch_level(text) is None
