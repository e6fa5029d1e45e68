# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One host with both CLIs: one run for both, what they share is there once, and either can go without the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _toml
from playbook import picture
from test_site import LEAVE, converge

LEAVE_CODEX = (
    ("agent_translate", {"target": "codex", "state": "absent"}),
    ("codex_hooks", {"state": "absent"}),
    ("mcp_config", {"target": "codex", "state": "absent"}),
    ("codex_config", {"state": "absent"}),
)
# Modules that one run executes on a host, without trusted folders.
EXECUTED = [
    "agent_translate", "agent_translate", "agentihooks_facts", "codex_config", "codex_hooks", "copilot_hooks", "copilot_settings", "hooks_runtime",
    "mcp_config", "mcp_config",
]  # fmt: skip
MINE = "# mine\nmodel = 'gpt-5.4'\n\n[projects.\"/srv\"]\ntrust_level = \"trusted\"\n"


@pytest.fixture
def bundle(collections_path):
    """The variables of a host with the example bundle."""
    directory = collections_path / "ansible_collections" / "agentihooks" / "fleet" / "examples" / "bundle"
    return {"agentihooks_bundle": str(directory), "agentihooks_profiles": ["default", "engineer"], "agentihooks_env": {"HANDBOOK_TOKEN": "x"}}


def names(directory):
    return sorted(path.name for path in directory.iterdir() if not path.name.startswith("."))


def test_both_in_one_run_and_back_one_after_the_other(controller, bundle):
    user, home = controller.user, controller.user.home
    user.write(".codex/config.toml", MINE, mode=0o600)
    user.write(".codex/AGENTS.md", "My own words.\n")
    before = picture(home)
    controller.environment["ANSIBLE_KEEP_REMOTE_FILES"] = "1"
    controller.environment["ANSIBLE_PIPELINING"] = "0"
    run = controller.site("--diff", agentihooks_targets=["copilot", "codex"], **bundle)
    assert run.code == 0, run.output
    del controller.environment["ANSIBLE_KEEP_REMOTE_FILES"]
    assert sorted(path.stem.replace("AnsiballZ_", "") for path in (controller.scratch / "remote").rglob("AnsiballZ_*.py")) == EXECUTED
    assert "Copilot CLI not found: " in run.output and "NOT TRUSTED, SO NOT RUN BY CODEX: SessionStart" in run.output
    again = controller.site("--check", "--diff", agentihooks_targets=["copilot", "codex"], **bundle)
    assert (again.code, again.changed) == (0, 0), again.output

    config = _toml.parse((home / ".codex/config.toml").read_bytes()).value
    assert config["model"] == "gpt-5.4" and config["features"]["hooks"] is True and config["project_doc_fallback_filenames"] == ["CLAUDE.md"]
    assert config["notify"] == [str(home / ".codex/agentihooks-hook.sh"), "notify"] and "git-branch" in config["tui"]["status_line"]
    assert set(config["mcp_servers"]) == {"design", "handbook", "hooks-utils", "tracker"}
    assert config["mcp_servers"]["handbook"]["bearer_token_env_var"] == "HANDBOOK_TOKEN"
    reviewer = _toml.parse((home / ".codex/agents/reviewer.toml").read_bytes()).value
    assert reviewer["sandbox_mode"] == "read-only" and "You change nothing yourself." in reviewer["developer_instructions"]
    instructions = (home / ".codex/AGENTS.md").read_text()
    assert "We build the Harbour services." in instructions and instructions.endswith("My own words.\n")
    assert set(json.loads((home / ".codex/hooks.json").read_text())) == {"hooks"}
    user.run([home / ".codex/agentihooks-hook.sh", "notify", json.dumps({"type": "agent-turn-complete", "thread-id": "t"})])
    logged = [json.loads(line) for line in (home / ".agentihooks/logs/hooks.log").read_text().splitlines()]
    assert [(line["target"], line["event"], line["session"], line["outcomes"]) for line in logged] == [
        ("codex", "Notification", "t", [["notice", "agent-turn-complete"]])
    ]

    skills = names(home / ".agents/skills")
    assert "release-notes" in skills and "db-migration" in skills
    gone = controller.tasks(*LEAVE[:-1])
    assert gone.code == 0 and not (home / ".copilot").exists() and names(home / ".agents/skills") == skills, gone.output
    gone = controller.tasks(*LEAVE_CODEX, ("hooks_runtime", {"state": "absent"}))
    assert gone.code == 0 and picture(home) == before, gone.output


def test_codex_alone_touches_nothing_of_copilots(controller, bundle):
    home = controller.user.home
    run = converge(controller, agentihooks_targets=["codex"], agentihooks_codex_hook_trust="record", **bundle)
    assert run.changed == 5 and "NOT TRUSTED" not in run.output, run.output
    assert {outcome for path, outcome in run.changes.items() if "hooks:state" in path} == {"created"}
    assert not (home / ".copilot").exists() and (home / ".codex/agents/reviewer.toml").exists() and (home / ".agents/skills/release-notes").exists()


def test_an_override_beside_the_instructions_is_said(controller):
    controller.user.write(".codex/AGENTS.override.md", "mine\n")
    run = controller.tasks(("agent_translate", {"target": "codex", "instructions": "Be kind."}))
    assert run.code == 0 and "so Codex does not read them" in run.output
    assert Path(controller.user.home, ".codex/AGENTS.md").read_text().count("Be kind.") == 1
