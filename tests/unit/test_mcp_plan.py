# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ownership rule for MCP servers, on a real file with its ledger: one scenario per line of the rule."""

from __future__ import annotations

import json

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _document, _files, _jsonc, _mcp_plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules

LOCAL = {"type": "local", "command": "a", "args": ["x"], "env": {"A": "1"}, "tools": ["*"]}
HTTP = {"type": "http", "url": "https://x/mcp", "headers": {"H": "1"}, "auth": False, "oidc": False, "tools": ["*"]}
FILE = "mcp-config.json"


class Host:
    """A Copilot home whose MCP servers are converged, always in check mode first: both must say the same."""

    def __init__(self, directory):
        self.path = directory / FILE
        self.home = _document.Home(str(directory), "test")

    def run(self, servers, **policy):
        desired = {"mcpServers": servers} if servers else {}
        before = self.path.read_bytes() if self.path.exists() else None
        predicted = self._converge(desired, Policy(**policy), True)
        assert (self.path.read_bytes() if self.path.exists() else None) == before
        result = self._converge(desired, Policy(**policy), False)
        assert (predicted.changed, predicted.changes, predicted.after) == (result.changed, result.changes, result.after)
        again = self._converge(desired, Policy(**policy), False)
        assert not again.changed
        return {".".join(path[1:]): outcome for path, outcome in result.changes}

    def _converge(self, desired, policy, check_mode):
        return _document.converge(self.home, FILE, lambda disk: desired, Rules(), policy, _jsonc, check_mode, planner=_mcp_plan.planner(_mcp_plan.COPILOT))

    def write(self, servers, **rest):
        self.path.write_text(json.dumps(dict(rest, mcpServers=servers), indent=2))

    def edit(self, name, **values):
        """Change values of a server as a person does; None removes one."""
        content = json.loads(self.path.read_text())
        for key, value in values.items():
            content["mcpServers"][name].pop(key, None)
            if value is not None:
                content["mcpServers"][name][key] = value
        self.path.write_text(json.dumps(content, indent=2))

    @property
    def servers(self):
        return json.loads(self.path.read_text())["mcpServers"]


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def test_a_new_file_holds_the_servers_and_goes_with_them(host):
    host.run({"a": LOCAL, "b": HTTP})
    assert host.servers == {"a": LOCAL, "b": HTTP} and host.path.stat().st_mode & 0o777 == 0o600
    host.run({})
    assert not host.path.exists() and list(host.path.parent.iterdir()) == []


def test_foreign_servers_and_keys_stay_byte_for_byte(host):
    text = '{\n  // mine\n  "mcpServers": {\n    "own": { "command": "z", "x-unknown": [1, 2.5, null] },\n  },\n  "x-top": true\n}\n'
    host.path.write_text(text)
    host.run({"a": LOCAL})
    assert '// mine' in host.path.read_text() and '"own": { "command": "z", "x-unknown": [1, 2.5, null] }' in host.path.read_text()
    host.run({})
    assert host.path.read_text() == text


def test_a_server_no_longer_wanted_goes(host):
    host.run({"a": LOCAL, "b": HTTP})
    host.run({"b": HTTP})
    assert host.servers == {"b": HTTP}


def test_a_foreign_server_of_the_same_name_is_left_whole(host):
    mine = {"command": "a", "args": ["x"], "env": {"A": "1"}}
    host.write({"a": mine})
    assert host.run({"a": LOCAL}) == {"a": "foreign"}
    assert host.servers == {"a": mine}
    host.run({})
    assert host.servers == {"a": mine}


def test_a_conflict_can_stop_everything(host):
    host.write({"a": {"command": "other"}})
    with pytest.raises(_files.SurfaceError, match="mcpServers.a"):
        host.run({"a": LOCAL, "b": HTTP}, on_conflict="fail")
    assert host.servers == {"a": {"command": "other"}}


def test_a_foreign_server_can_be_taken_over_and_comes_back(host):
    host.write({"a": {"command": "other", "note": "mine"}})
    host.run({"a": LOCAL}, on_conflict="overwrite")
    assert host.servers == {"a": dict(LOCAL, note="mine")}
    host.run({})
    assert host.servers == {"a": {"command": "other", "note": "mine"}}


def test_an_equal_server_is_seen_and_stays_when_we_go(host):
    host.write({"a": dict(LOCAL, note="mine")})
    assert set(host.run({"a": LOCAL}).values()) == {"unchanged"}
    host.run({})
    assert host.servers == {"a": dict(LOCAL, note="mine")}


def test_an_equal_server_is_not_updated_unless_adopted(host):
    host.write({"a": LOCAL})
    host.run({"a": LOCAL})
    newer = dict(LOCAL, args=["y"], cwd="/srv")
    assert host.run({"a": newer}) == {"a": "foreign"}
    assert host.servers == {"a": LOCAL}
    host.run({"a": LOCAL}, adopt=True)
    host.run({"a": newer})
    assert host.servers == {"a": newer}


def test_what_the_cli_or_the_person_adds_inside_survives(host):
    host.run({"a": LOCAL})
    host.edit("a", disabled=True, approvals={"x": 1})
    host.run({"a": dict(LOCAL, args=["y"])})
    assert host.servers == {"a": dict(LOCAL, args=["y"], disabled=True, approvals={"x": 1})}
    host.run({})
    assert host.servers == {"a": {"disabled": True, "approvals": {"x": 1}}}


def test_a_hand_edited_value_survives(host):
    host.run({"a": LOCAL})
    host.edit("a", args=["mine"])
    outcomes = host.run({"a": dict(LOCAL, args=["y"], cwd="/srv")})
    assert outcomes["a.args"] == "hand_edited" and outcomes["a.cwd"] == "created"
    assert host.servers == {"a": dict(LOCAL, args=["mine"], cwd="/srv")}
    host.run({"a": dict(LOCAL, args=["y"])}, reclaim=[("mcpServers", "a", "args")])
    assert host.servers["a"]["args"] == ["y"]


def test_a_server_the_person_removed_stays_away_whole(host):
    host.run({"a": LOCAL, "b": HTTP})
    host.write({"b": HTTP})
    assert host.run({"a": dict(LOCAL, cwd="/srv"), "b": HTTP})["a"] == "hand_edited"
    assert host.servers == {"b": HTTP}


def test_a_removed_server_can_be_reclaimed(host):
    host.run({"a": LOCAL, "b": HTTP})
    host.write({"b": HTTP})
    host.run({"a": LOCAL, "b": HTTP}, reclaim=[("mcpServers", "a")])
    assert host.servers["a"] == LOCAL


def test_the_only_server_removed_by_hand(host):
    host.run({"a": LOCAL})
    host.write({})
    assert host.run({"a": LOCAL}) == {"a": "hand_edited"}
    assert host.servers == {}


def test_a_file_that_is_gone_is_a_reset(host):
    host.run({"a": LOCAL})
    host.path.unlink()
    host.run({"a": LOCAL})
    assert host.servers == {"a": LOCAL}


def test_another_transport_takes_our_old_values_along(host):
    host.run({"a": LOCAL})
    host.run({"a": HTTP})
    assert host.servers == {"a": HTTP}
    assert _mcp_plan.leftovers(_mcp_plan.COPILOT, {"mcpServers": host.servers}, ["a"]) == []


def test_another_transport_with_a_foreign_value_left_is_told(host):
    host.run({"a": LOCAL})
    host.edit("a", args=["mine"], env={"A": "1", "MINE": "2"})
    host.run({"a": HTTP})
    assert host.servers == {"a": dict(HTTP, args=["mine"], env={"MINE": "2"})}
    assert _mcp_plan.leftovers(_mcp_plan.COPILOT, {"mcpServers": host.servers}, ["a"]) == [("a", ["args", "env"])]


@pytest.mark.parametrize("damage", ["missing", "corrupt"])
def test_without_its_ledger_nothing_is_removed(host, damage):
    host.write({"own": {"command": "z"}})
    host.run({"a": LOCAL, "b": HTTP})
    ledger = host.path.parent / ".agentihooks-managed.json"
    ledger.unlink() if damage == "missing" else ledger.write_text("{")
    host.run({"a": dict(LOCAL, args=["y"])})
    assert host.servers == {"own": {"command": "z"}, "a": LOCAL, "b": HTTP}
    host.run({})
    assert set(host.servers) == {"own", "a", "b"}


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": null}', '{"mcpServers": "x"}'])
def test_a_file_of_another_form_is_left(host, text):
    host.path.write_text(text)
    assert "foreign" in host.run({"a": LOCAL}).values()
    assert host.path.read_text() == text


@pytest.mark.parametrize("text", ['{"mcpServers": {', "[]", "null"])
def test_a_file_that_cannot_be_read_is_refused(host, text):
    host.path.write_text(text)
    with pytest.raises(_files.SurfaceError, match=FILE):
        host.run({"a": LOCAL})
    assert host.path.read_text() == text


@pytest.mark.parametrize("text", ["", "{}", "// empty\n"])
def test_an_empty_document(host, text):
    host.path.write_text(text)
    host.run({"a": LOCAL})
    assert _jsonc.parse(host.path.read_bytes()).value == {"mcpServers": {"a": LOCAL}}
    host.run({})
    assert host.path.read_text() == text
