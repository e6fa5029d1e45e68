# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Entry of the hook runtime: main.py EVENT WRAPPER. A stub, because a script is compiled at every start."""

import gc
import os
import sys

gc.disable()  # the process is over before a collection could pay off
# The real directory, not the "current" link: an upgrade in the middle of a run must not mix two versions.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
try:
    if sys.argv[1] == "statusLine":
        from agentihooks.statusline import main
    else:
        from agentihooks.supervisor import main

    code = main(sys.argv[1], os.environ)
except BaseException:  # whatever is wrong here, a call must not go through: the wrapper knows how to deny without Python
    os.execv("/bin/sh", ["sh", sys.argv[2], sys.argv[1], "broken"])
os._exit(code)
