# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An HTTP server on loopback that only notes what it is asked, and lets no client in: for what a CLI sends to an MCP server."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Listening(BaseHTTPRequestHandler):
    """Notes the path and headers of every request. Refuses them with 405, but below /closed asks for a sign-in as MCP servers do."""

    def do_POST(self):  # noqa: N802
        self.server.seen.append((self.path, {key.lower(): value for key, value in self.headers.items()}))
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        here = f"http://127.0.0.1:{self.server.server_port}"
        if "oauth-protected-resource" in self.path:
            self.send(200, {"resource": f"{here}/closed{self.path.rpartition('/closed')[2]}", "authorization_servers": [here]})
        elif self.path.startswith("/.well-known/"):
            self.send(200, {
                "issuer": here, "authorization_endpoint": f"{here}/authorize", "token_endpoint": f"{here}/token", "registration_endpoint": f"{here}/register",
                "response_types_supported": ["code"], "grant_types_supported": ["authorization_code"], "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            })  # fmt: skip
        elif self.path == "/register":
            self.send(201, {**json.loads(sent), "client_id": "client"})
        elif self.path.startswith("/closed"):
            self.send(401, {}, ("WWW-Authenticate", f'Bearer resource_metadata="{here}/.well-known/oauth-protected-resource{self.path}"'))
        else:
            self.send(405, {})

    do_GET = do_POST

    def send(self, status, content, *headers):
        text = json.dumps(content).encode()
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(text))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def listening():
    """Start an HTTP server on loopback for the block and give (its URL, the list of what it was asked)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    server.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.seen
    finally:
        server.shutdown()
        server.server_close()
