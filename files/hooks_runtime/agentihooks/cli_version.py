# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which version of the CLI is calling, from what the CLI itself hands over. Pure.

Measured on Copilot 1.0.80, 1.0.83 and 1.0.102: COPILOT_CLI_BINARY_VERSION is set at every event and overwrites an inherited
value; it is the version of the launcher, which may start a newer package from its cache. From 1.0.83 on
COPILOT_CLI_RESOLVED_DIST_DIR ends in the version that runs. The session's log holds it too, but is not written yet when the
first call of a session is judged.
"""

from __future__ import annotations

FIRST_WITH_DIST_DIR = 83


def copilot(environ, old_payload):
    """Return the version that calls ("1.0.102"), "" when it is not known.

    old_payload: the arguments came as a string, as 1.0.80 and older send them. A launcher that old with a payload that is
    newer runs some package from its cache, and nothing says which.
    """
    running = environ.get("COPILOT_CLI_RESOLVED_DIST_DIR", "").rstrip("/").rpartition("/")[2]
    if patch_level(running) is not None:
        return running
    launcher = environ.get("COPILOT_CLI_BINARY_VERSION", "")
    level = patch_level(launcher)
    if level is None or (level < FIRST_WITH_DIST_DIR and not old_payload):
        return ""
    return launcher


def patch_level(version):
    """Return N of "1.0.N" or "1.0.N-M", None for anything else."""
    parts = version.split("-")[0].split(".")
    if len(parts) != 3 or parts[:2] != ["1", "0"] or not (parts[2].isascii() and parts[2].isdigit()):
        return None
    return int(parts[2]) if len(parts[2]) < 6 else None
