# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole bundle on scratch homes: what each chain brings, what leaves with it, and what of the person's survives."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from playbook import picture
from test_site import LEAVE, converge

EXAMPLE = str(Path(__file__).resolve().parents[2] / "examples" / "bundle")
# Modules that are executed on a host, fact gathering included, without trusted folders.
TOOLBELT = "hooks-utils"  # comes with the role, whatever the bundle brings
EXECUTED = ["agent_translate", "agentihooks_facts", "copilot_hooks", "copilot_settings", "hooks_runtime", "mcp_config"]

AGENT = "---\nname: %s\ndescription: The agent %s\ntools: Read, Bash\n---\nText of %s with {{ jinja }} and {%% raw.\n"
SKILL = "---\nname: %s\ndescription: The skill %s\n---\nText.\n"


@pytest.fixture
def bundle():
    """A bundle with the profiles red and blue, where every account may read it."""
    root = Path(tempfile.mkdtemp(prefix="agentihooks-bundle-"))
    root.chmod(0o755)
    for name in ("red", "blue"):
        profile = root / "profiles" / name
        put(profile / "CLAUDE.md", "# The %s profile\n" % name)
        put(profile / (".claude/rules/%s.md" % name), "Rule of %s.\n" % name)
        put(profile / (".claude/agents/%s.md" % name), AGENT % (name, name, name))
        put(profile / (".claude/commands/go-%s.md" % name), "---\ndescription: Go %s\n---\nGo $ARGUMENTS.\n" % name)
        put(profile / (".claude/skills/%s-skill/SKILL.md" % name), SKILL % (name + "-skill", name))
        put(profile / (".claude/skills/%s-skill/run.sh" % name), "#!/bin/sh\n").chmod(0o755)
        put(profile / ".claude/.mcp.json", json.dumps({"mcpServers": {name: {"command": name, "args": ["serve"]}}}))
        settings = {"footer": {name: True}, "_agentihooks": {"channels": [name]}}
        put(profile / ".copilot/settings.overrides.json", json.dumps(settings))
    yield root
    shutil.rmtree(root)


# What a bundle brings. The hooks and their runtime are the same with any bundle.
BROUGHT = ("--tags", "agents,skills,instructions,mcp,settings,environment")


def site(controller, **variables):
    """Run the playbook once for what a bundle brings; return the Run."""
    run = controller.site(*BROUGHT, **variables)
    assert run.code == 0, run.output
    return run


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def settings_of(home):
    path = home / ".copilot/settings.json"
    return json.loads(path.read_text()) if path.exists() else {}


def servers_of(home):
    path = home / ".copilot/mcp-config.json"
    return json.loads(path.read_text()).get("mcpServers", {}) if path.exists() else {}


def names(directory):
    return sorted(path.name for path in directory.iterdir() if not path.name.startswith(".")) if directory.is_dir() else []


def brought(home):
    """Return what a profile's name shows up in, surface by surface."""
    return {
        "agents": names(home / ".copilot/agents"),
        "skills": names(home / ".agents/skills"),
        "servers": sorted(set(servers_of(home)) - {TOOLBELT}),
        "settings": sorted(settings_of(home).get("footer", {})),
        "persona": [name for name in ("red", "blue") if "The %s profile" % name in persona(home) and "Rule of %s." % name in persona(home)],
        "channels": environment(home).get("AGENTIHOOKS_BASE_CHANNELS", ""),
    }


def persona(home):
    path = home / ".copilot/copilot-instructions.md"
    return path.read_text() if path.exists() else ""


def environment(home):
    path = home / ".agentihooks/copilot.env"
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.replace("'", "").split("=", 1) for line in lines if "=" in line)


RED = {
    "agents": ["red.md"], "skills": ["go-red", "red-skill"], "servers": ["red"], "settings": ["red"], "persona": ["red"], "channels": "red",
}
BLUE = {
    "agents": ["blue.md"], "skills": ["blue-skill", "go-blue"], "servers": ["blue"], "settings": ["blue"], "persona": ["blue"], "channels": "blue",
}
BOTH = {
    "agents": ["blue.md", "red.md"], "skills": ["blue-skill", "go-blue", "go-red", "red-skill"], "servers": ["blue", "red"],
    "settings": ["blue", "red"], "persona": ["red", "blue"], "channels": "blue",
}


def test_the_example_bundle_arrives_and_leaves(controller):
    user = controller.user
    user.write(".bashrc", "# mine\n")
    user.write(".copilot/copilot-instructions.md", "I prefer tabs.\n")
    user.write(".copilot/agents/mine.md", "---\ndescription: mine\n---\nx\n")
    user.write(".agents/skills/mine/SKILL.md", SKILL % ("mine", "mine"))
    user.write(".copilot/mcp-config.json", '{"mcpServers": {"mine": {"type": "local", "command": "mine", "args": [], "tools": ["*"]}}}\n')
    before = picture(user.home)
    run = converge(controller, agentihooks_bundle=EXAMPLE, agentihooks_profiles=["default", "engineer"], agentihooks_env={"HANDBOOK_TOKEN": "canary-4711"})
    assert "canary-4711" not in run.output
    assert persona(user.home).endswith("I prefer tabs.\n") and "bundle" in run.summary
    assert {"mine.md", "reviewer.md", "test-writer.md"} <= set(names(user.home / ".copilot/agents"))
    assert set(servers_of(user.home)) == {"mine", "handbook", "tracker", "traces", "design", TOOLBELT}
    controller.tasks(*LEAVE)
    assert picture(user.home) == before


def test_dropping_a_profile_removes_what_it_brought_and_nothing_else(controller, bundle):
    home = controller.user.home
    variables = {"agentihooks_bundle": str(bundle)}
    site(controller, agentihooks_profiles=["red"], **variables)
    assert brought(home) == RED
    site(controller, agentihooks_profiles=["red", "blue"], **variables)
    assert brought(home) == BOTH
    converge(controller, *BROUGHT, agentihooks_profiles=["blue"], **variables)
    assert brought(home) == BLUE
    site(controller, agentihooks_profiles=["default"], agentihooks_directives={"channels": []})
    assert brought(home) == {"agents": [], "skills": [], "servers": [], "settings": [], "persona": [], "channels": ""}


def test_what_the_person_changed_survives_also_when_its_profile_goes(controller, bundle):
    user = controller.user
    variables = {"agentihooks_bundle": str(bundle)}
    site(controller, agentihooks_profiles=["red", "blue"], **variables)
    agent, skill = user.home / ".copilot/agents/red.md", user.home / ".agents/skills/red-skill/SKILL.md"
    agent.write_text(agent.read_text() + "My line.\n")
    skill.write_text(skill.read_text() + "My line.\n")
    beside = user.write(".agents/skills/go-red/notes.txt", "mine")
    servers = servers_of(user.home)
    servers["red"]["args"] = ["serve", "--mine"]
    (user.home / ".copilot/mcp-config.json").write_text(json.dumps({"mcpServers": servers}))
    text = user.home / ".copilot/copilot-instructions.md"
    text.write_text(text.read_text() + "My tail.\n")
    (user.home / ".copilot/agents/blue.md").unlink()
    run = converge(controller, *BROUGHT, agentihooks_profiles=["red", "blue"], **variables)
    for place in ("agents:red.md", "skills:red-skill:SKILL.md", "mcpServers:red:args", "agents:blue.md"):
        assert run.changes[place] == "hand_edited", run.changes
    assert "My line." in agent.read_text() and not (user.home / ".copilot/agents/blue.md").exists()
    site(controller, agentihooks_profiles=["blue"], **variables)
    assert "My line." in agent.read_text() and "My line." in skill.read_text() and beside.read_text() == "mine"
    assert servers_of(user.home)["red"]["args"] == ["serve", "--mine"]
    assert persona(user.home).endswith("My tail.\n") and "The red profile" not in persona(user.home)
    back = controller.site(*BROUGHT, agentihooks_profiles=["blue"], agentihooks_reclaim=[["agents", "blue.md"]], **variables)
    assert back.code == 0 and (user.home / ".copilot/agents/blue.md").exists(), back.output


def test_an_edit_inside_the_persona_freezes_it_and_is_told(controller, bundle):
    user = controller.user
    variables = {"agentihooks_bundle": str(bundle), "agentihooks_profiles": ["red"]}
    site(controller, **variables)
    path = user.home / ".copilot/copilot-instructions.md"
    path.write_text(path.read_text().replace("Rule of red.", "Rule of mine."))
    put(bundle / "profiles/red/.claude/rules/new.md", "A newer rule.\n")
    run = site(controller, **variables)
    assert run.changes["instructions"] == "hand_edited" and "A newer rule" not in persona(user.home)
    assert controller.site(*BROUGHT, agentihooks_reclaim=[["instructions"]], **variables).code == 0
    assert "A newer rule" in persona(user.home) and "Rule of mine" not in persona(user.home)


@pytest.mark.parametrize("damage", [None, b"not json", *(pytest.param(data, marks=pytest.mark.exhaustive) for data in (b"", b'{"schema": 1, "surfaces": 3}'))])
def test_without_its_ledgers_a_run_removes_nothing(controller, bundle, damage):
    user = controller.user
    variables = {"agentihooks_bundle": str(bundle)}
    site(controller, agentihooks_profiles=["red", "blue"], **variables)
    for name in (".copilot/.agentihooks-managed.json", ".agents/skills/.agentihooks-copilot-commands.json", ".agentihooks/.agentihooks-managed.json"):
        path = user.home / name
        assert path.exists()
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage)
    run = controller.site(*BROUGHT, agentihooks_profiles=["blue"], **variables)
    assert run.code == 0 and "lost or damaged" in run.output, run.output
    kept = brought(user.home)
    assert {key: kept[key] for key in ("agents", "skills", "servers", "settings")} == {key: BOTH[key] for key in ("agents", "skills", "servers", "settings")}
    assert "The red profile" in persona(user.home)
    assert "removed" not in run.changes.values(), run.changes


def test_two_hosts_with_different_chains_and_an_override(controller, bundle):
    user = controller.user
    homes = {}
    for name in ("ada", "grace"):
        user.run(["mkdir", name])
        homes[name] = user.home / name
    inventory = {
        "all": {
            "vars": {"ansible_connection": "local", "agentihooks_bundle": str(bundle), "agentihooks_profiles": ["red"]},
            "hosts": {
                "ada": {"agentihooks_home": str(homes["ada"])},
                "grace": {
                    "agentihooks_home": str(homes["grace"]),
                    "agentihooks_profiles": ["red", "blue"],
                    "agentihooks_settings_profile": "red",
                    "agentihooks_copilot_settings": {"footer": {"blue": None, "grace": 1}},
                    "agentihooks_mcp_servers": {"red": {"args": ["serve", "--grace"]}},
                },
            },
        }
    }
    path = put(bundle / "inventory.json", json.dumps(inventory))
    run = controller.site("-i", str(path), *BROUGHT, agentihooks_hosts="ada:grace")
    assert run.code == 0, run.output
    assert brought(homes["ada"]) == RED
    grace = brought(homes["grace"])
    assert grace == dict(BOTH, settings=["grace", "red"], channels="red")
    assert servers_of(homes["grace"])["red"]["args"] == ["serve", "--grace"] and servers_of(homes["ada"])["red"]["args"] == ["serve"]
    again = controller.site("-i", str(path), *BROUGHT, agentihooks_hosts="ada:grace")
    assert (again.code, again.changed) == (0, 0), again.output


@pytest.mark.parametrize("chain, said", [(["red", "nowhere"], "there is no profile nowhere"), ([], "the profile chain is empty")])
def test_a_chain_that_does_not_resolve_stops_the_host_and_removes_nothing(controller, bundle, chain, said):
    variables = {"agentihooks_bundle": str(bundle)}
    site(controller, agentihooks_profiles=["red"], **variables)
    before = picture(controller.user.home)
    run = controller.site(*BROUGHT, agentihooks_profiles=chain, **variables)
    assert run.code != 0 and said in run.output and "Traceback" not in run.output
    assert picture(controller.user.home) == before


def test_an_agent_that_cannot_be_read_is_named_and_removes_nothing(controller, bundle):
    user = controller.user
    variables = {"agentihooks_bundle": str(bundle)}
    site(controller, agentihooks_profiles=["red", "blue"], **variables)
    (bundle / "profiles/red/.claude/agents/red.md").write_bytes(b"---\ndescription: \xff\xfe\x00\n---\n")
    run = controller.site(*BROUGHT, agentihooks_profiles=["red", "blue"], **variables)
    assert run.code == 0 and "left out" in run.output and "red.md" in run.output, run.output
    assert brought(user.home) == BOTH


def test_the_whole_costs_six_module_executions(controller, bundle):
    """Forty agents and skills, servers, environment, persona: each execution leaves its file when files are kept and nothing is piped."""
    for number in range(40):
        name = "one-%02d" % number
        put(bundle / ("profiles/red/.claude/agents/%s.md" % name), AGENT % (name, name, name))
        put(bundle / ("profiles/red/.claude/skills/%s/SKILL.md" % name), SKILL % (name, name))
    controller.environment.update({"ANSIBLE_KEEP_REMOTE_FILES": "1", "ANSIBLE_PIPELINING": "0"})
    run = controller.site(agentihooks_bundle=str(bundle), agentihooks_profiles=["red"], agentihooks_env={"TOKEN": "x"})
    assert run.code == 0, run.output
    left = sorted(path.name for path in (controller.scratch / "remote").rglob("AnsiballZ_*.py"))
    assert left == ["AnsiballZ_%s.py" % name for name in EXECUTED]
    assert len(names(controller.user.home / ".copilot/agents")) == 41
    assert "{{ jinja }} and {% raw." in (controller.user.home / ".copilot/agents/one-07.md").read_text()


TAGGED = {
    "agents": {"agents"}, "skills": {"skills"}, "instructions": {"persona"}, "mcp": {"servers"}, "settings": {"settings"}, "environment": {"channels"},
}

REPEATS = [pytest.param(tag, marks=pytest.mark.exhaustive) for tag in ("instructions", "mcp", "skills")]


@pytest.mark.parametrize("tag", ["agents", "environment", "settings", *REPEATS])
def test_a_tag_chooses_its_surface(controller, bundle, tag):
    user = controller.user
    run = controller.site("--tags", tag, agentihooks_bundle=str(bundle), agentihooks_profiles=["red"])
    assert run.code == 0, run.output
    arrived = {name for name, value in brought(user.home).items() if value}
    assert arrived == TAGGED[tag], arrived
    assert not (user.home / ".copilot/hooks").exists() and not (user.home / ".agentihooks/runtime").exists()


@pytest.mark.exhaustive
def test_linked_skills_are_links(controller, bundle):
    user = controller.user
    site(controller, agentihooks_bundle=str(bundle), agentihooks_profiles=["red"], agentihooks_skills_mode="link")
    place = user.home / ".agents/skills/red-skill"
    assert os.readlink(place) == str(bundle / "profiles/red/.claude/skills/red-skill") and not (user.home / ".agents/skills/go-red").is_symlink()
    controller.tasks(*LEAVE)
    assert not (user.home / ".agents").exists() and (bundle / "profiles/red/.claude/skills/red-skill/SKILL.md").exists()


def test_a_moved_copilot_home_has_its_skills_inside(controller, bundle):
    user = controller.user
    controller.environment["COPILOT_HOME"] = str(user.home / "elsewhere")
    site(controller, agentihooks_bundle=str(bundle), agentihooks_profiles=["red"])
    assert names(user.home / "elsewhere/skills") == ["go-red", "red-skill"] and not (user.home / ".agents").exists()


def test_each_surface_leaves_alone(controller, bundle):
    user = controller.user
    site(controller, agentihooks_bundle=str(bundle), agentihooks_profiles=["red"])
    controller.converge(("agent_translate", {"state": "absent", "surfaces": ["agents"]}))
    assert {name for name, value in brought(user.home).items() if not value} == {"agents"}
    controller.converge(("agent_translate", {"state": "absent", "surfaces": ["skills"]}))
    controller.converge(("agent_translate", {"state": "absent", "surfaces": ["instructions"]}))
    assert {name for name, value in brought(user.home).items() if not value} == {"agents", "skills", "persona"}
    controller.converge(("mcp_config", {"state": "absent"}))
    controller.converge(("hooks_runtime", {"state": "absent", "surfaces": ["environment"]}))
    assert {name for name, value in brought(user.home).items() if value} == {"settings"}
