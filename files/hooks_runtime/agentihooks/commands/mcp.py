# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks mcp: the toolbelt for an agent CLI, as an MCP server on stdin and stdout. The role registers it; nobody types it."""

from __future__ import annotations

import os
import sys

from agentihooks import mcp_stdio, toolbelt
from agentihooks.commands import Host

HELP = "Serve the toolbelt to an agent CLI (an MCP server on stdin and stdout)."


def arguments(parser):
    """Add the arguments: none."""


def run(_options, host):
    """Serve until the CLI closes the pipe. Settings are read anew for each call: a session can last for days."""
    if sys.stdin.isatty():
        print("agentihooks: an agent CLI starts this; it waits for MCP messages on standard input", file=sys.stderr)
    # Nothing but the answers may reach stdout.
    writer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    runtime = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    info = {"name": toolbelt.NAME, "version": os.path.basename(runtime)}

    def call(name, given, meta):
        return toolbelt.call(name, given, Host(host.environ), toolbelt.own_session(host.environ, meta))

    try:
        mcp_stdio.serve(sys.stdin.buffer, writer, info, toolbelt.TOOLS, call)
    except BrokenPipeError:
        pass  # the CLI is gone
    finally:
        try:
            writer.close()
        except OSError:
            pass
    return 0
