# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""site.yml on a scratch account's home: converges, stays, tells what the person changed, and can be undone."""

from __future__ import annotations

import json
import os

import pytest
from agentihooks.policy import DEFAULTS
from playbook import picture

SETTINGS = {"model": "claude-sonnet-4.5", "footer": {"showModelEffort": True}}
LEAVE = (
    ("agent_translate", {"state": "absent"}),
    ("copilot_hooks", {"state": "absent"}),
    ("mcp_config", {"state": "absent"}),
    ("trusted_folders", {"state": "absent"}),
    ("copilot_settings", {"state": "absent"}),
    ("hooks_runtime", {"state": "absent"}),
)


def status_line(home):
    """The setting that the role writes unless somebody has another one."""
    return {"type": "command", "command": "%s/.copilot/agentihooks-hook.sh statusLine" % home}


# Where a test is about one surface, only that is played: everything costs three times as much.
ONLY_SETTINGS = ("--tags", "settings")
ONLY_RUNTIME = ("--tags", "runtime")
ONLY_FOLDERS = ("--tags", "trusted_folders")


def converge(controller, *arguments, **variables):
    """Check mode, run, run again: the first predicts the second and writes nothing, the third does nothing. Returns the second's Run."""
    home = controller.user.home
    before = picture(home)
    check = controller.site("--check", "--diff", *arguments, **variables)
    assert check.code == 0 and picture(home) == before, check.output
    run = controller.site("--diff", *arguments, **variables)
    assert run.code == 0, run.output
    told = [[(result.get("changed"), result.get("changes"), result.get("hand_edited")) for result in each.results] for each in (check, run)]
    assert told[0] == told[1], (check.output, run.output)
    after = picture(home)
    again = controller.site(*arguments, **variables)
    assert (again.code, again.changed) == (0, 0) and picture(home) == after, again.output
    return run


def test_a_fresh_home_and_back(controller):
    user = controller.user
    before = picture(user.home)
    run = converge(controller, agentihooks_copilot_settings=SETTINGS, agentihooks_trusted_folders=["~/src"])
    assert run.changed == 5 and run.summary.startswith("Copilot CLI not found: 27 created, 1 unioned"), run.summary
    written = json.loads((user.home / ".copilot/settings.json").read_text())
    assert written == dict(SETTINGS, disableAllHooks=False, statusLine=status_line(user.home))
    shown = user.run(["sh", "-c", written["statusLine"]["command"]], input="{}").stdout
    assert shown == "agentihooks: default  settings:default  channels:brain,amygdala\n"
    assert json.loads((user.home / ".copilot/config.json").read_text()) == {"trustedFolders": [str(user.home / "src")]}
    controller.converge(*LEAVE)
    assert picture(user.home) == before


@pytest.mark.exhaustive
def test_a_lived_in_home_and_back(controller):
    user = controller.user
    user.write(".copilot/settings.json", '{\n\t// mine\n\t"theme": "dim", "model": "gpt-5.4",\n}\n', mode=0o640)
    user.write(".copilot/config.json", '// written by the CLI\n// do not edit\n{\n  "firstLaunchAt": "2026-03-11"\n}\n', mode=0o600)
    user.write(".copilot/hooks/mine.json", '{"version": 1, "hooks": {"sessionEnd": [{"command": "true"}]}}')
    user.write(".agentihooks/notes.txt", "mine")
    before = picture(user.home)
    run = converge(controller, agentihooks_copilot_settings=SETTINGS, agentihooks_trusted_folders=["/srv/tools"])
    assert "1 foreign" in run.summary and "foreign: settings.json model" in run.summary
    text = (user.home / ".copilot/settings.json").read_text()
    assert "// mine" in text and '"model": "gpt-5.4"' in text and "showModelEffort" in text
    assert (user.home / ".copilot/config.json").read_text().startswith("// written by the CLI\n// do not edit\n")
    controller.tasks(*LEAVE)
    assert picture(user.home) == before


def test_what_the_person_changes_survives_and_is_told_and_what_guards_is_put_right(controller):
    user = controller.user
    variables = {"agentihooks_copilot_settings": SETTINGS, "agentihooks_trusted_folders": ["/srv/tools"]}
    assert controller.site(**variables).code == 0
    settings = user.home / ".copilot/settings.json"
    theirs = dict(SETTINGS, model="gpt-5.4", theme="dim", disableAllHooks=True, statusLine=status_line(user.home))
    settings.write_text(json.dumps(theirs, indent=2))
    user.write(".copilot/config.json", json.dumps({"trustedFolders": ["/srv/tools", "/added"], "lastUsed": 1}))
    other = user.write(".copilot/hooks/mine.json", '{"hooks": {}}')
    runtime = (user.home / ".agentihooks/runtime/current").resolve()
    (runtime / "agentihooks/pipeline.py").write_text("def wants(name):\n    return False\n")
    (user.home / ".copilot/agentihooks-hook.sh").write_text("#!/bin/sh\nexit 0\n")
    run = converge(controller, **variables)
    content = json.loads(settings.read_text())
    assert (content["model"], content["theme"], content["disableAllHooks"]) == ("gpt-5.4", "dim", False)
    assert json.loads((user.home / ".copilot/config.json").read_text()) == {"trustedFolders": ["/srv/tools", "/added"], "lastUsed": 1}
    assert other.read_text() == '{"hooks": {}}'
    assert "hand-edited: settings.json model" in run.summary
    told = run.summary.split("pinned: ")[1].split(";")[0]
    for place in ("agentihooks/pipeline.py", "agentihooks-hook.sh", "settings.json disableAllHooks"):
        assert place in told, run.summary
    assert "return False" not in (runtime / "agentihooks/pipeline.py").read_text()
    back = controller.site(**dict(variables, agentihooks_reclaim=[["model"]]))
    assert back.changes["model"] == "updated" and json.loads(settings.read_text())["model"] == SETTINGS["model"]


def test_folders_that_are_no_longer_wanted_are_taken_out(controller):
    config = controller.user.home / ".copilot/config.json"
    assert controller.site(*ONLY_FOLDERS, agentihooks_trusted_folders=["/srv/tools"]).code == 0
    assert json.loads(config.read_text()) == {"trustedFolders": ["/srv/tools"]}
    assert controller.site(*ONLY_FOLDERS).code == 0
    assert not config.exists() or "/srv/tools" not in config.read_text()
    assert controller.site(*ONLY_FOLDERS).changed == 0


def test_what_is_skipped_by_its_tag_is_left_alone_and_the_rest_is_done(controller):
    run = controller.site("--skip-tags", "mcp,agents", agentihooks_mcp_servers={"echo": {"command": "echo"}})
    assert run.code == 0, run.output
    copilot = controller.user.home / ".copilot"
    assert (copilot / "settings.json").exists() and (copilot / "hooks/agentihooks.json").exists()
    assert not (copilot / "mcp-config.json").exists()


def test_a_null_unsets_what_a_profile_says_and_a_list_replaces(controller):
    run = converge(controller, *ONLY_SETTINGS, agentihooks_copilot_settings={"footer": {"a": None, "b": [1]}})
    written = json.loads((controller.user.home / ".copilot/settings.json").read_text())
    assert written == {"disableAllHooks": False, "footer": {"b": [1]}, "statusLine": status_line(controller.user.home)}, run.output


@pytest.mark.exhaustive
def test_a_status_line_of_ones_own_stays_and_ours_can_be_left_out(controller):
    home, own = controller.user.home, {"type": "command", "command": "~/bin/line"}
    converge(controller, *ONLY_SETTINGS, agentihooks_status_line=False)
    assert "statusLine" not in json.loads((home / ".copilot/settings.json").read_text())
    converge(controller, *ONLY_SETTINGS, agentihooks_copilot_settings={"statusLine": own})
    assert json.loads((home / ".copilot/settings.json").read_text())["statusLine"] == own
    settings = home / ".copilot/settings.json"
    settings.write_text(json.dumps({"disableAllHooks": False, "statusLine": {"type": "command", "command": "mine"}}))
    converge(controller, *ONLY_SETTINGS)
    assert json.loads(settings.read_text())["statusLine"]["command"] == "mine"


def test_the_policy_holds_what_the_variables_and_the_profile_say(controller):
    lines = ["Ask before you push."]
    variables = {"agentihooks_project_bridge_max_bytes": 1000, "agentihooks_broadcasts": False, "agentihooks_tool_memory": False}
    converge(controller, *ONLY_RUNTIME, agentihooks_enforcements=lines, **variables)
    policy = json.loads((controller.user.home / ".agentihooks/policy.json").read_text())
    expected = {
        "enforcements": lines, "project_bridge": True, "project_bridge_max_bytes": 1000, "broadcasts": False, "tool_memory": False,
        "chain": ["default"], "settings_chain": [],
    }
    assert {key: policy[key] for key in expected} == expected


@pytest.mark.exhaustive
def test_another_home_and_another_copilot_home(controller):
    user = controller.user
    user.run(["mkdir", "other home"])
    other = user.home / "other home"
    converge(controller, agentihooks_home=str(other))
    assert (other / ".copilot/settings.json").exists() and (other / ".agentihooks/runtime/current/main.py").exists()
    assert not (user.home / ".copilot").exists()
    controller.environment["COPILOT_HOME"] = str(user.home / "cp $HOME")
    controller.environment["AGENTIHOOKS_HOME"] = str(user.home / "ah")
    assert controller.site().code == 0
    command = json.loads((user.home / "cp $HOME/hooks/agentihooks.json").read_text())["hooks"]["preToolUse"][0]["command"]
    done = user.run(["sh", "-c", command], input="no JSON", check=False)
    assert "runtime.failed" in done.stdout + done.stderr and (user.home / "ah/runtime/current").exists()
    assert not (user.home / ".copilot").exists() and not (user.home / ".agentihooks").exists()


@pytest.mark.parametrize("variables, word", [
    ({"agentihooks_on_conflict": "merge"}, "agentihooks_on_conflict"),
    ({"agentihooks_guard_failure": "open"}, "agentihooks_guard_failure"),
    ({"agentihooks_trusted_folders": {"a": 1}}, "agentihooks_trusted_folders"),
])  # fmt: skip
def test_a_wrong_variable_stops_before_anything_is_written(controller, variables, word):
    before = picture(controller.user.home)
    run = controller.site(**variables)
    assert run.code != 0 and word in run.output and picture(controller.user.home) == before


def test_without_copilot_among_the_targets_nothing_happens(controller):
    before = picture(controller.user.home)
    assert controller.site(agentihooks_targets=[]).code == 0
    assert picture(controller.user.home) == before


def test_a_run_that_is_stopped_by_the_settings_leaves_no_dead_hook(controller):
    user = controller.user
    user.write(".copilot/settings.json", '{"model": ')
    run = controller.site()
    assert run.code != 0 and "settings.json, line 1" in run.message
    assert (user.home / ".copilot/settings.json").read_text() == '{"model": '
    assert os.access(str(user.home / ".agentihooks/runtime/current/python"), os.X_OK)
    assert "preToolUse" in (user.home / ".copilot/hooks/agentihooks.json").read_text()


def test_guard_failure_reaches_the_policy(controller):
    run = controller.site(*ONLY_RUNTIME, agentihooks_guard_failure="allow")
    assert run.code == 0
    assert json.loads((controller.user.home / ".agentihooks/policy.json").read_text())["guard_failure"] == "allow"


def test_settings_of_the_guards_reach_the_policy(controller):
    run = controller.site(*ONLY_RUNTIME, agentihooks_production={"commands": ["terraform apply"]}, agentihooks_guard_packs=["production_lockdown"])
    assert run.code == 0, run.output
    path = controller.user.home / ".agentihooks/policy.json"
    policy = json.loads(path.read_text())
    assert policy["production"] == dict(DEFAULTS["production"], commands=["terraform apply"]) and policy["guard_packs"] == ["production_lockdown"]
    for wrong in ({"agentihooks_instructions_max_lines": -1}, {"agentihooks_guard_packs": ["x"]}, {"agentihooks_protected_branches": [" "]}):
        before = path.read_text()
        assert next(iter(wrong)).replace("agentihooks_", "") in controller.site(*ONLY_RUNTIME, **wrong).message and path.read_text() == before
