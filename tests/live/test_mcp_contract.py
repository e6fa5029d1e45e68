# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about Copilot's MCP configuration that module_utils/_mcp.py relies on, and its entries as the real CLI takes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _mcp
from copilot import run

# One process takes them all: they share a session.
pytestmark = pytest.mark.xdist_group("mcp_contract")

SERVER = str(Path(__file__).with_name("mcp_server.py"))
PYTHON = "/usr/bin/python3"

# What the source says, in the forms people keep; the rest is up to _mcp.
SOURCES = {
    "exact": {"command": PYTHON, "args": [SERVER], "tools": ["alpha"]},
    "all": {"type": "stdio", "command": [PYTHON, SERVER]},
    "none": {"command": PYTHON, "args": [SERVER], "tools": []},
    "one": {"command": PYTHON, "args": [SERVER], "tools": "beta"},
    "less": {"command": PYTHON, "args": [SERVER], "tools": ["alpha", "beta"], "excludeTools": ["beta"]},
    "srv": {"command": PYTHON, "args": [SERVER]},
    "com.example/a b": {"command": PYTHON, "args": [SERVER], "tools": ["alpha"]},
    "é": {"command": PYTHON, "args": [SERVER], "tools": ["alpha"]},
    "references": {
        "command": "${PYTHON_HERE}", "args": [SERVER, "${HOME}/record.json", "${GIVEN}", "a-$GIVEN-b", "${UNSET:-default}"],
        "env": {"FROM": "${GIVEN}", "PORT": 8080, "ON": True}, "tools": ["alpha"],
    },
}  # fmt: skip


def offered(session) -> list:
    """Return the names of the MCP tools that the model was offered, sorted."""
    tools = [(tool.get("function") or tool.get("custom") or tool)["name"] for tool in session.requests[0]["tools"]]
    return sorted(name for name in tools if name.endswith(("-alpha", "-beta", "-" + "t" * 60, "-" + "t" * 61)))


def session_with(cli, home: Path, servers: dict):
    directory = home / ".copilot"
    directory.mkdir(exist_ok=True)
    (directory / "mcp-config.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return run(cli, home, [{"text": "done"}], env={"PYTHON_HERE": PYTHON, "GIVEN": "given"})


@pytest.fixture(scope="module")
def rendered(cli, tmp_path_factory):
    """A session with every source, rendered for the CLI's version."""
    home = tmp_path_factory.mktemp("mcp-" + cli.version)
    entries = {name: _mcp.copilot_entry(_mcp.normalize(name, source), cli.version)[0] for name, source in SOURCES.items()}
    return session_with(cli, home, entries), home


def tools_of(session, prefix: str) -> list:
    return [name[len(prefix) + 1:] for name in offered(session) if name.startswith(prefix + "-")]


@pytest.mark.parametrize(
    ("prefix", "tools"),
    [
        ("exact", ["alpha"]), ("all", ["alpha", "beta", "t" * 60]), ("none", []), ("one", ["beta"]), ("less", ["alpha"]),
        ("com-example-a-b", ["alpha"]), ("xn--9ca", ["alpha"]), ("references", ["alpha"]),
    ],
)  # fmt: skip
def test_the_tools_that_are_meant_are_offered(rendered, prefix, tools):
    session, _home = rendered
    assert tools_of(session, prefix) == tools, session.report()


def test_references_are_filled_in(rendered):
    _session, home = rendered
    record = json.loads((home / "record.json").read_text(encoding="utf-8"))
    assert record["args"] == ["given", "a-given-b", "default"]
    assert (record["env"]["FROM"], record["env"]["PORT"], record["env"]["ON"]) == ("given", "8080", "true")
    # Where a server without cwd starts: so "${workspaceFolder}" needs none.
    assert record["cwd"] == str(home / "work")


def test_a_tool_name_has_a_limit(rendered):
    session, _home = rendered
    assert "srv-" + "t" * 60 in offered(session) and len("srv-" + "t" * 60) == _mcp.MAX_TOOL_NAME
    assert "srv-" + "t" * 61 not in offered(session)


def test_what_the_rules_keep_away(cli, tmp_path):
    """Why excluded tools and equal names are refused: what this version does with them."""
    entry = {"type": "local", "command": PYTHON, "args": [SERVER], "tools": ["alpha"]}
    servers = {"x.y": entry, "x:y": entry, "but": dict(entry, tools=["*"], excludeTools=["beta"]), "glob": dict(entry, tools=["al*"])}
    session = session_with(cli, tmp_path, servers)
    version = tuple(int(part) for part in cli.version.split("."))
    assert len(tools_of(session, "x-y")) == (2 if version < (1, 0, 83) else 1), session.report()
    assert ("beta" in tools_of(session, "but")) == (version < _mcp.EXCLUDE_TOOLS_SINCE)
    assert tools_of(session, "glob") == []
