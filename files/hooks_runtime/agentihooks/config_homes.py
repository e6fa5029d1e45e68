# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the agent CLIs keep their configuration."""

from __future__ import annotations

import os

from agentihooks.targets import TARGETS

# Target -> (variable that moves it, name in the home). Empty counts as unset for both. Codex does not start where the variable names no
# directory (measured), so it is no list.
HOMES = {name: target.home for name, target in TARGETS.items()}


def config_home(target, home, environ):
    """Return the configuration home of a CLI for a person's home and an environment."""
    variable, name = HOMES[target]
    return environ.get(variable) or os.path.join(home, name)
