# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolbelt as the client of the official SDK sees it."""

from __future__ import annotations

import asyncio

from agentihooks import toolbelt
from mcp import Client
from mcp.client.stdio import StdioServerParameters

SESSION = "0a1b2c3d-0000-4000-8000-000000000000"
NAMES = [tool["name"] for tool in toolbelt.TOOLS]


def test_the_official_client_talks_to_it(installed):
    """Handshake, list and calls with the client of the SDK, as it finds the protocol by itself and as older ones do."""
    env = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin", "COPILOT_AGENT_SESSION_ID": SESSION}
    server = StdioServerParameters(command=str(installed.command()), args=["mcp"], env=env)

    async def session(mode):
        async with Client(server, mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            published = await client.call_tool("channel_publish", {"message": "from " + mode})
            listed = await client.call_tool("channel_list", {})
            refused = await client.call_tool("channel_publish", {"message": "x", "severity": "nuclear"})
            return names, published.is_error, listed.content[0].text, refused.is_error

    for mode in ("auto", "legacy"):
        names, failed, listed, refused = asyncio.run(session(mode))
        assert (names, failed, refused) == (NAMES, False, True) and "| from " + mode in listed
