# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A local MCP server with the tools alpha, beta and one whose name fills 64 characters with "srv-" before it. Stdlib only.

A call of any tool answers "mcp-tool-ran".

Started with a file name it first writes there what it was started with, as JSON: its arguments and environment.
"""

from __future__ import annotations

import json
import os
import sys

TOOLS = ("alpha", "beta", "t" * 60, "t" * 61)


def main():
    """Answer until the client closes the pipe."""
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as record:
            json.dump({"args": sys.argv[2:], "env": dict(os.environ), "cwd": os.getcwd()}, record)
    answers = {
        "initialize": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"}},
        "tools/call": {"content": [{"type": "text", "text": "mcp-tool-ran"}], "isError": False},
        "tools/list": {"tools": [{"name": name, "description": name, "inputSchema": {"type": "object", "properties": {}}} for name in TOOLS]},
    }
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answers.get(message["method"], {})}), flush=True)


if __name__ == "__main__":
    main()
