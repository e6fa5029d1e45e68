# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many tools the MCP servers of the calling CLI bring along, and what that costs: told once to a session with many.

Every tool's schema goes with every request. Copilot's small models reach their window with it alone and end each turn then. What a
server offers is known only when it is started, so this is an estimate: the tools that its definition names, else a number
by what the server is called.
"""

from __future__ import annotations

import json
import os
import re

from agentihooks.config_homes import config_home
from agentihooks.context_text import one_line

MAX_BYTES = 1 << 20
SCHEMA_TOKENS = 150  # of one tool, on average
SHOWN = 3
# Words in a server's definition -> tools; the first that fits counts.
_KNOWN = (("github", 40), ("sonar", 25))
_OTHER = 10
_TOML_SERVER = re.compile(r"""\[\s*mcp_servers\s*\.\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_-]+))\s*\]\s*(?:#.*)?\Z""")
_TOML_OFF = re.compile(r"^enabled\s*=\s*false\b", re.MULTILINE)
_TOML_TOOLS = re.compile(r"^enabled_tools\s*=\s*\[([^\]]*)\]", re.MULTILINE)
_TOML_TEXT = re.compile(r""""[^"]*"|'[^']*'""")


def text(target, home, environ, threshold):
    """Return what a session is told, "" for up to threshold tools. Never raises."""
    counts = of_copilot(home, environ) if target == "copilot" else of_codex(home, environ) if target == "codex" else {}
    total = sum(counts.values())
    if total <= threshold:
        return ""
    largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    names = ", ".join("%s (%d)" % (one_line(name, 60), count) for name, count in largest)
    way = "/mcp disable NAME" if target == "copilot" else "enabled = false in config.toml"
    return (
        "agentihooks: the MCP servers of this session bring about %d tools, which is some %d tokens in every request (from %d tools on this "
        "is said). The largest: %s. Tell the person once that a server they do not need can be turned off (%s)."
        % (total, total * SCHEMA_TOKENS, threshold + 1, names, way)
    )


def of_copilot(home, environ):
    """Return {server: estimated number of tools} of Copilot's mcp-config.json, those that settings.json turns off left out."""
    place = config_home("copilot", home, environ)
    servers = _object(_read(os.path.join(place, "mcp-config.json"))).get("mcpServers")
    disabled = _object(_read(os.path.join(place, "settings.json"))).get("disabledMcpServers")
    disabled = disabled if isinstance(disabled, list) else []
    found = {}
    for name, server in servers.items() if isinstance(servers, dict) else ():
        if isinstance(server, dict) and name not in disabled and server.get("enabled") is not False and server.get("disabled") is not True:
            tools = server.get("tools")
            named = isinstance(tools, list) and "*" not in tools
            found[name] = len(tools) if named else _estimate(name, json.dumps([server.get(key) for key in ("command", "args", "url")]))
    return found


def of_codex(home, environ):
    """Return {server: estimated number of tools} of Codex's config.toml: the tables [mcp_servers.NAME] that are not turned off."""
    place = config_home("codex", home, environ)
    tables, name = {}, None
    for line in _read(os.path.join(place, "config.toml")).split("\n"):
        line = line.strip()
        header = _TOML_SERVER.match(line)
        if header:
            name = next(filter(None, header.groups()))
            tables[name] = []
        elif line.startswith("[") and re.match(r"\[\[?\s*[A-Za-z\"']", line):
            name = None
        elif name is not None and not line.startswith("#"):
            tables[name].append(line)
    found = {}
    for name, lines in tables.items():
        body = "\n".join(lines)
        if not _TOML_OFF.search(body):
            tools = _TOML_TOOLS.search(body)
            found[name] = len(_TOML_TEXT.findall(tools.group(1))) if tools else _estimate(name, body)
    return found


def _estimate(name, definition):
    lowered = (name + " " + definition).lower()
    return next((count for word, count in _KNOWN if word in lowered), _OTHER)


def _object(text):
    """Return the JSON object in text, comments and trailing commas allowed; {} for none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        from agentihooks import protected_files

        found = protected_files.load(text)
    return found if isinstance(found, dict) else {}


def _read(path):
    try:
        with open(path, "rb", opener=_opener) as file:
            return file.read(MAX_BYTES).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return ""


def _opener(path, flags):
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
