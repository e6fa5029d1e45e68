# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real MCP server, made with the official SDK, as a program.

    server.py stdio --tools NAME... [--mark FILE]                  a local server on stdin and stdout
    server.py http --tools NAME... [--mark FILE] [--token TOKEN]   a streamable HTTP server; with --token it lets in who sends it
    server.py sign-in --tools NAME... [--mark FILE]                the same for who has signed in

Whoever is not let in gets 401 with OAuth metadata (RFC 9728, RFC 8414). An HTTP server is on a free port of 127.0.0.1 and
first prints its URL as one line. --mark-header also notes what a client sends in that header. --mark appends a
line to a file for the start, for each client and for each tool call, so that a test can see what was started, reached and
called.
"""

from __future__ import annotations

import argparse
import socket
import sys

import uvicorn
from accounts import Accounts, OneToken
from mcp.server import MCPServer
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions

HOST = "127.0.0.1"


def build(names, mark, **settings):
    """Return the server with its tools. mark: takes one line of text. settings: for the SDK's server."""

    async def marked(context, call_next):
        if context.method == "tools/list":
            mark("listed")
        return await call_next(context)

    server = MCPServer("pages", log_level="WARNING", middleware=[marked], **settings)

    def tool(name):
        def called() -> str:
            mark(f"called {name}")
            return f"answer of {name}"

        server.add_tool(called, name=name, description=f"The tool {name}.")

    for name in names:
        tool(name)
    return server


def marker(path):
    """Return a function that appends a line to a file; without a path it does nothing."""

    def mark(line):
        if path:
            with open(path, "a", encoding="utf-8") as out:
                out.write(line + "\n")

    return mark


def with_header_marked(app, name, mark):
    """Return the ASGI app with what requests send in a header noted."""

    async def noting(scope, receive, send):
        for key, value in scope.get("headers", ()):
            if key == name.lower().encode():
                mark(f"{name}: {value.decode()}")
        await app(scope, receive, send)

    return noting


def main():
    """Serve until the client closes the pipe, or until terminated."""
    parser = argparse.ArgumentParser(description="A real MCP server for tests.")
    parser.add_argument("kind", choices=["stdio", "http", "sign-in"])
    parser.add_argument("--tools", nargs="+", required=True, help="names of its tools")
    parser.add_argument("--mark", help="file that gets a line for each start, client and call")
    parser.add_argument("--token", help="bearer token that a client must send")
    parser.add_argument("--mark-header", help="header whose value --mark notes")
    options = parser.parse_args()
    mark = marker(options.mark)
    mark("started")
    if options.kind == "stdio":
        build(options.tools, mark).run("stdio")
        return
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        address = f"http://{HOST}:{listener.getsockname()[1]}"
        url = f"{address}/mcp"
        settings = {}
        if options.kind == "sign-in" or options.token:
            settings["auth"] = AuthSettings(
                issuer_url=address, resource_server_url=url, validate_token_resource=False,
                client_registration_options=ClientRegistrationOptions(enabled=True),
            )  # fmt: skip
        if options.kind == "sign-in":
            settings["auth_server_provider"] = Accounts()
        elif options.token:
            settings["token_verifier"] = OneToken(options.token)
        app = build(options.tools, mark, **settings).streamable_http_app(host=HOST)
        if options.mark_header:
            app = with_header_marked(app, options.mark_header, mark)
        listener.listen()
        print(url, flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)).run(sockets=[listener])


if __name__ == "__main__":
    sys.exit(main())
