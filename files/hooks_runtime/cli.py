# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Entry of the command "agentihooks" for the people on a host. A stub, because a script is compiled at every start."""

import os
import sys

# The real directory, not the "current" link: an upgrade in the middle of a run must not mix two versions.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from agentihooks.commands import main  # noqa: E402  the line above makes it importable

sys.exit(main(sys.argv[1:], os.environ))
