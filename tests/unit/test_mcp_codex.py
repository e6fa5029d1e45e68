# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MCP servers as Codex has them: what each form becomes, and the ownership rule for them in config.toml."""

from __future__ import annotations

import pytest

from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_config, _document, _mcp, _mcp_plan, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules

HOME = "/home/ada"


def entry(definition, disabled=False):
    return _mcp.codex_entry(_mcp.normalize("s", definition), HOME, disabled)


@pytest.mark.parametrize(
    "definition, wanted, warned",
    [
        ({"command": "npx"}, {"command": "npx"}, []),
        ({"command": "npx", "args": ["-y", 1]}, {"command": "npx", "args": ["-y", "1"]}, []),
        (
            {"command": "~/bin/x", "args": ["${HOME}/a", "~/b"], "cwd": "${HOME}"},
            {"command": "/home/ada/bin/x", "args": ["/home/ada/a", "/home/ada/b"], "cwd": HOME},
            [],
        ),
        ({"command": "x", "env": {"A": "1", "B": "${B}", "C": "$C"}}, {"command": "x", "env": {"A": "1"}, "env_vars": ["B", "C"]}, []),
        ({"command": "x", "env": {"A": "${B}", "C": "a${C}"}}, {"command": "x"}, ["env.A was left out", "env.C was left out"]),
        ({"command": "x", "env": {"A": "${A:-b}"}}, {"command": "x", "env_vars": ["A"]}, ["env.A: Codex knows no default"]),
        ({"command": "x", "env": {"P": "${HOME}/p"}}, {"command": "x", "env": {"P": "/home/ada/p"}}, []),
        ({"url": "https://x/mcp"}, {"url": "https://x/mcp"}, []),
        ({"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOK}"}}, {"url": "https://x/mcp", "bearer_token_env_var": "TOK"}, []),
        ({"url": "https://x/mcp", "headers": {"authorization": "bearer $TOK"}}, {"url": "https://x/mcp", "bearer_token_env_var": "TOK"}, []),
        (
            {"url": "https://x/mcp", "headers": {"X-Key": "${KEY}", "X": "y"}},
            {"url": "https://x/mcp", "http_headers": {"X": "y"}, "env_http_headers": {"X-Key": "KEY"}},
            [],
        ),
        (
            {"url": "https://x/mcp", "headers": {"Authorization": "${TOK}"}},
            {"url": "https://x/mcp", "env_http_headers": {"Authorization": "TOK"}},
            [],
        ),
        ({"url": "https://x/mcp", "headers": {"X": "a ${B}"}}, {"url": "https://x/mcp"}, ["headers.X was left out"]),
        (
            {"url": "https://x/mcp", "headers": {"X": "${B:-c}"}},
            {"url": "https://x/mcp", "env_http_headers": {"X": "B"}},
            ["headers.X: Codex knows no default"],
        ),
        ({"command": "x", "tools": ["a"], "excludeTools": ["b"]}, {"command": "x", "enabled_tools": ["a"]}, []),
        ({"command": "x", "excludeTools": ["b"]}, {"command": "x", "disabled_tools": ["b"]}, []),
        ({"command": "x", "tools": []}, {"command": "x", "enabled_tools": []}, []),
        ({"command": "x", "timeout": 30000}, {"command": "x", "tool_timeout_sec": 30}, []),
        ({"command": "x", "timeout": 1500}, {"command": "x", "tool_timeout_sec": 1.5}, []),
        ({"command": "x", "disabled": True}, {"command": "x", "enabled": False}, []),
        ({"command": "x", "deferTools": "auto"}, {"command": "x"}, ["deferTools was left out"]),
        ({"url": "https://x/mcp", "auth": False, "oidc": True}, {"url": "https://x/mcp"}, ["oidc was left out"]),
    ],
)
def test_what_a_server_becomes(definition, wanted, warned):
    made, warnings = entry(definition)
    assert made == wanted
    assert len(warnings) == len(warned) and all(text in warning for text, warning in zip(warned, warnings))
    assert not set(made) & set(_mcp.codex_barred(made))


def test_one_that_starts_switched_off():
    assert entry({"command": "x"}, disabled=True)[0] == {"command": "x", "enabled": False}


@pytest.mark.parametrize(
    "definition, path, message",
    [
        ({"type": "sse", "url": "https://x/sse"}, ("type",), "Codex does not speak"),
        ({"command": "x", "args": ["${TOKEN}"]}, ("args", 0), "fills in nothing"),
        ({"command": "$TOOL"}, ("command",), "fills in nothing"),
        ({"url": "https://${HOST}/mcp"}, ("url",), "fills in nothing"),
    ],
)
def test_what_codex_cannot_have_is_left_out(definition, path, message):
    with pytest.raises(_mcp.Refusal) as refusal:
        entry(definition)
    assert refusal.value.path == path and message in str(refusal.value) and refusal.value.kind == _mcp.UNSUPPORTED


THEIRS = b"""# mine
[mcp_servers.theirs] # keep
command = "t"

[mcp_servers.theirs.tools.search]
approval_mode = "approve"

[features]
web_search = true
"""
LOCAL = {"command": "a", "args": ["x"], "env": {"A": "1"}}
REMOTE = {"url": "https://x/mcp", "bearer_token_env_var": "TOK"}


class Host:
    """A Codex home whose MCP servers are converged, always in check mode first: both must say the same."""

    def __init__(self, directory):
        self.path = directory / _codex_config.CONFIG
        self.home = _document.Home(str(directory), "test")

    def run(self, servers, **policy):
        desired = {_codex_config.SERVERS: servers} if servers else {}
        results = [self._converge(desired, Policy(**policy), check) for check in (True, False, False)]
        assert (results[0].changed, results[0].changes, results[0].after) == (results[1].changed, results[1].changes, results[1].after)
        assert not results[2].changed
        return {".".join(path[1:]): outcome for path, outcome in results[1].changes}

    def _converge(self, desired, policy, check_mode):
        return _document.converge(
            self.home, _codex_config.CONFIG, lambda disk: desired, Rules(), policy, _toml, check_mode,
            planner=_mcp_plan.planner(_mcp_plan.CODEX), part=_codex_config.SERVERS,
        )  # fmt: skip

    def config(self, config, present=True):
        return _document.converge(self.home, _codex_config.CONFIG, lambda disk: config, _codex_config.config_rules(present), Policy(), _toml)

    def replace(self, old, new):
        text = self.path.read_bytes()
        assert old in text
        self.path.write_bytes(text.replace(old, new))

    @property
    def servers(self):
        return _toml.parse(self.path.read_bytes()).value["mcp_servers"]


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def test_servers_come_and_go_and_the_persons_stays_byte_for_byte(host):
    host.path.write_bytes(THEIRS)
    assert host.run({"a.b": LOCAL, "web": REMOTE})["a.b.command"] == "created"
    assert host.servers == {"theirs": host.servers["theirs"], "a.b": LOCAL, "web": REMOTE}
    assert host.path.read_bytes().startswith(THEIRS) and b'[mcp_servers."a.b"]\ncommand = "a"\n' in host.path.read_bytes()
    host.run({"web": REMOTE})
    host.run({})
    assert host.path.read_bytes() == THEIRS


def test_a_saved_approval_and_a_switch_of_the_person_survive(host):
    host.run({"a": LOCAL})
    host.path.write_bytes(host.path.read_bytes() + b'\n[mcp_servers.a.tools.search]\napproval_mode = "approve"\n')
    host.replace(b'command = "a"\n', b'command = "a"\nenabled = false\n')
    assert host.run({"a": dict(LOCAL, args=["y"])})["a.args"] == "updated"
    assert host.servers["a"]["enabled"] is False and host.servers["a"]["tools"] == {"search": {"approval_mode": "approve"}}


def test_the_person_has_a_server_of_that_name(host):
    host.path.write_bytes(THEIRS)
    assert host.run({"theirs": LOCAL}) == {"theirs": "foreign"}
    assert host.path.read_bytes() == THEIRS


def test_the_person_removed_a_server_of_ours(host):
    host.run({"a": LOCAL, "b": LOCAL})
    text = host.path.read_bytes()
    host.path.write_bytes(text[: text.index(b"\n[mcp_servers.b]")])
    assert host.run({"a": LOCAL, "b": LOCAL})["b"] == "hand_edited"
    assert set(host.servers) == {"a"}


def test_a_change_of_transport_leaves_nothing_behind(host):
    host.run({"a": LOCAL})
    host.run({"a": REMOTE})
    assert host.servers == {"a": REMOTE}
    host.run({"a": LOCAL})
    assert host.servers == {"a": LOCAL}


def test_a_change_of_transport_waits_for_what_the_person_added(host):
    """env beside a url stops every start of Codex."""
    host.run({"a": LOCAL, "b": LOCAL})
    host.replace(b'[mcp_servers.a.env]\nA = "1"\n', b'[mcp_servers.a.env]\nA = "1"\nMINE = "2"\n')
    assert host.run({"a": REMOTE, "b": REMOTE})["a"] == "hand_edited"
    assert host.servers == {"a": dict(LOCAL, env={"A": "1", "MINE": "2"}), "b": REMOTE}


@pytest.mark.parametrize("first", ["servers", "config"])
def test_config_and_servers_share_the_file_and_leave_it_in_turn(host, first):
    host.path.write_bytes(THEIRS)
    config = {"model": "x", "tui": {"status_line": ["model"]}}
    for step in (["servers", "config"] if first == "servers" else ["config", "servers"]) * 2:
        if step == "servers":
            host.run({"a": LOCAL})
        else:
            host.config(config)
            assert not host.config(config).changed
    assert host.servers["a"] == LOCAL and _toml.parse(host.path.read_bytes()).value["features"]["hooks"] is True
    host.run({})
    host.config({}, present=False)
    assert host.path.read_bytes() == THEIRS
    assert sorted(path.name for path in host.path.parent.iterdir()) == ["config.toml"]


def test_a_file_that_we_made_goes_when_both_left(host):
    host.config({"model": "x"})
    host.run({"a": LOCAL})
    host.run({})
    host.config({}, present=False)
    assert list(host.path.parent.iterdir()) == []


def test_a_broken_file_is_refused_with_its_place(host):
    host.path.write_bytes(b"[features]\nhooks = true\n[features]\n")
    with pytest.raises(SurfaceError, match="config.toml, line 3, column 1: features is there twice. Correct it by hand; it was not touched"):
        host.run({"a": LOCAL})
