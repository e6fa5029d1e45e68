# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directives that depend on a host: which MCP servers start switched off, and which program opens a sign-in address."""

from __future__ import annotations

import json

import pytest
from playbook import picture

DISABLED, ENABLED = "disabledMcpServers", "enabledMcpServers"
SERVERS = {"handbook": {"command": "handbook-mcp"}, "hooks-utils": {"command": "toolbelt"}}
OFF = {"mcpDefaultDisabled": True}


# name -> (settings.json before, mcp-config.json before, options, disabledMcpServers after, after the directives are dropped)
STATES = {
    "every server, the person's too": ({}, {"theirs": 1, "x": 1}, {"directives": OFF}, ["theirs", "x"], None),
    "what the person switched off stays off": ({DISABLED: ["x"]}, {"a": 1, "x": 1}, {"directives": OFF}, ["x", "a"], ["x"]),
    "what the person switched on stays on": ({ENABLED: ["a"]}, {"a": 1, "x": 1}, {"directives": OFF}, ["x"], None),
    "also against the settings of a profile": ({ENABLED: ["a"]}, {"a": 1}, {"settings": {DISABLED: ["a", "b"]}}, ["b"], None),
    "the exempt set": ({}, {"a": 1, "hooks-utils": 1}, {"directives": dict(OFF, mcpAlwaysEnabled="a")}, ["hooks-utils"], None),
    "always enabled is a floor": ({DISABLED: ["a", "x"]}, {"a": 1}, {"directives": {"mcpAlwaysEnabled": ["a"]}}, ["x"], ["x"]),
    "off in their source": ({}, {"a": 1, "b": 1}, {"mcp_disabled": ["a", "gone"]}, ["a"], None),
    "the settings of a profile beside": ({}, {"a": 1}, {"directives": OFF, "settings": {DISABLED: ["z", "a"]}}, ["z", "a"], None),
    "names of this run instead of the file": ({}, {"leaving": 1}, {"directives": OFF, "mcp_servers": ["coming"]}, ["coming"], None),
    "no server at all": ({}, None, {"directives": OFF}, None, None),
    "a directive of a wrong type": ({}, {"a": 1}, {"directives": {"mcpDefaultDisabled": "yes"}}, None, None),
}


def settings_of(home):
    return json.loads((home / ".copilot/settings.json").read_text())


@pytest.mark.exhaustive
def test_servers_that_start_switched_off(controller):
    user = controller.user
    homes = {name: user.home / str(number) for number, name in enumerate(STATES)}
    for name, (settings, servers, *_rest) in STATES.items():
        user.write("%s/.copilot/settings.json" % homes[name].name, json.dumps(settings))
        if servers is not None:
            user.write("%s/.copilot/mcp-config.json" % homes[name].name, json.dumps({"mcpServers": servers}))
    run = controller.converge(*[("copilot_settings", dict(STATES[name][2], home=str(home))) for name, home in homes.items()])
    for name, home in homes.items():
        assert settings_of(home).get(DISABLED) == STATES[name][3], name
        assert settings_of(home).get(ENABLED) == STATES[name][0].get(ENABLED), name
    assert "mcpDefaultDisabled was dropped" in " ".join(run.output.split())
    assert controller.tasks(*[("copilot_settings", {"home": str(home)}) for home in homes.values()]).code == 0
    for name, home in homes.items():
        assert settings_of(home).get(DISABLED) == STATES[name][4], name


def test_a_server_file_that_cannot_be_read_is_not_no_server(controller):
    user = controller.user
    user.write(".copilot/mcp-config.json", '{"mcpServers": {')
    before = picture(user.home)
    run = controller.tasks(("copilot_settings", {"directives": OFF}))
    assert "mcp-config.json, line 1" in run.message and picture(user.home) == before
    assert controller.tasks(("copilot_settings", {"settings": {"model": "x"}, "directives": {"mcpAlwaysEnabled": ["a"]}})).code == 0


def test_a_first_run_is_predicted_with_the_servers_it_is_about_to_write(controller):
    user = controller.user
    user.write(".copilot/mcp-config.json", json.dumps({"mcpServers": {"theirs": {"command": "x"}}}))

    def tasks(servers):
        return [
            {"agentihooks.fleet.mcp_config": {"servers": servers}, "register": "mcp"},
            {"agentihooks.fleet.copilot_settings": {"directives": OFF, "mcp_servers": "{{ mcp.configured }}"}},
        ]

    for servers, names in ((SERVERS, ["handbook", "theirs"]), ({}, ["theirs"])):
        check = controller.play(tasks(servers), arguments=["--check", "--diff"])
        done = controller.play(tasks(servers), arguments=["--diff"])
        assert check.changes == done.changes and check.changed == done.changed == 2
        assert settings_of(user.home)[DISABLED] == names
        assert controller.play(tasks(servers)).changed == 0
    # As /mcp enable leaves them. The list was ours and is empty now, so it goes.
    user.write(".copilot/settings.json", json.dumps({DISABLED: [], ENABLED: ["theirs"], "disableAllHooks": False}))
    controller.play(tasks({}))
    assert settings_of(user.home) == {ENABLED: ["theirs"], "disableAllHooks": False}
    assert controller.play(tasks({})).changed == 0


def test_the_browser_is_found_on_the_host(controller):
    user = controller.user
    wslview = user.write("bin/wslview", "#!/bin/sh\n", mode=0o755)
    cases = [
        (None, None, None),
        ("auto", None, None),
        ("/bin/true --new-tab", ["/bin/true", "--new-tab"], None),
        (["/bin/true", "a b"], ["/bin/true", "a b"], None),
        ("/mnt/c/nothing.exe", None, "not an executable on this machine"),
        ("explorer.exe", None, "explorer.exe cannot start"),
        ({"a": 1}, None, "not a mapping"),
    ]
    run = controller.play([{"agentihooks.fleet.agentihooks_facts": {} if value is None else {"browser_command": value}} for value, *_rest in cases])
    output = " ".join(run.output.split())
    for result, (value, argv, word) in zip(run.results, cases):
        assert result["ansible_facts"]["agentihooks"]["browser"] == argv, value
        assert word is None or word in result["ansible_facts"]["agentihooks"]["browser_warning"] and word in output
    controller.environment.update(WSL_DISTRO_NAME="Debian", PATH="%s:%s" % (user.home / "bin", controller.environment["PATH"]))
    run = controller.tasks(("agentihooks_facts", {"browser_command": "auto"}))
    assert run.results[0]["ansible_facts"]["agentihooks"]["browser"] == [str(wslview)]
    wslview.unlink()
    run = controller.tasks(("agentihooks_facts", {"browser_command": "auto"}))
    facts = run.results[0]["ansible_facts"]["agentihooks"]
    assert facts["browser"] is None and "wslu" in facts["browser_warning"] and "wslu" in run.output
