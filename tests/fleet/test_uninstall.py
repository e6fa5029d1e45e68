# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""uninstall.yml: a home is as it was, what the person changed stays, and it can be run at any time; and who manages a home."""

from __future__ import annotations

import json
import os

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _ledger
from playbook import picture

BOTH = {"agentihooks_targets": ["copilot", "codex"]}
MINE = "# mine\nmodel = 'gpt-5.4'\n\n[projects.\"/srv\"]\ntrust_level = \"trusted\"\n"


@pytest.fixture
def variables(collections_path):
    """The variables of a host with the example bundle, both targets and everything switched on."""
    bundle = collections_path / "ansible_collections" / "agentihooks" / "fleet" / "examples" / "bundle"
    return dict(
        BOTH, agentihooks_bundle=str(bundle), agentihooks_profiles=["default", "engineer"], agentihooks_env={"HANDBOOK_TOKEN": "x"},
        agentihooks_codex_hook_trust="record", agentihooks_trusted_folders=["~/src"], agentihooks_copilot_settings={"model": "gpt-5.4"},
    )  # fmt: skip


def live_in(user):
    """Give a home what persons have in theirs."""
    user.write(".copilot/settings.json", '{\n\t// mine\n\t"theme": "dim", "model": "claude-sonnet-4.5",\n}\n', mode=0o640)
    user.write(".copilot/config.json", '// written by the CLI\n{\n  "firstLaunchAt": "2026-03-11"\n}\n', mode=0o600)
    user.write(".copilot/copilot-instructions.md", "My own words.\n")
    user.write(".copilot/hooks/mine.json", '{"version": 1, "hooks": {"sessionEnd": [{"command": "true"}]}}')
    user.write(".copilot/agents/reviewer.md", "---\nname: reviewer\n---\nMine.\n")
    user.write(".agents/skills/own/SKILL.md", "---\nname: own\ndescription: mine\n---\n")
    user.write(".codex/config.toml", MINE, mode=0o600)
    user.write(".codex/hooks.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n')
    user.write(".codex/AGENTS.md", "My own words.\n")


def lose(home, ledger):
    """Damage or remove every ledger of a home, with the copies of the last good ones."""
    for path in [path for name in (_ledger.LEDGER, _ledger.SKILLS_LEDGER) for path in home.rglob(name)]:
        path.with_name(path.name + _ledger.BACKUP_SUFFIX).unlink(missing_ok=True)
        if ledger == "corrupt":
            path.write_text('{"schema": 1, "surf')
        else:
            path.unlink()


def test_check_mode_tells_it_and_a_lived_in_home_is_as_it_was(controller, variables):
    user, home = controller.user, controller.user.home
    live_in(user)
    before = picture(home)
    assert controller.site(**variables).code == 0
    installed = picture(home)
    # Neither the bundle nor the profiles need be there any more.
    gone = {"agentihooks_bundle": "/nowhere", "agentihooks_profiles": ["no-such-profile"]}
    check = controller.uninstall("--check", "--diff", **BOTH, **gone)
    assert check.code == 0 and picture(home) == installed and check.output.count("--- before") > 5, check.output
    run = controller.uninstall("--diff", **BOTH, **gone)
    assert run.code == 0 and picture(home) == before, run.output
    # In check mode the first of the two does not leave the shared skills, so the second is not the last to leave them.
    assert check.changes == {path: outcome for path, outcome in run.changes.items() if not path.startswith("skills:")}
    assert "removed: agents/reviewer.toml, " in run.summary and " config.toml (" in run.summary and ".agentihooks" not in run.summary, run.summary
    again = controller.uninstall(**BOTH)
    assert (again.code, again.changed) == (0, 0) and picture(home) == before, again.output
    assert again.summary == "nothing of ours was there to remove"


def test_what_the_person_changed_stays_and_is_told(controller, variables):
    user, home = controller.user, controller.user.home
    assert controller.site(**variables).code == 0
    settings = json.loads((home / ".copilot/settings.json").read_text())
    user.write(".copilot/settings.json", json.dumps(dict(settings, model="gpt-5.5", beep=True)))
    user.write(".codex/config.toml", (home / ".codex/config.toml").read_text().replace("CLAUDE.md", "TEAM.md") + "\n[mine]\nx = 1\n")
    user.write(".agents/skills/release-notes/SKILL.md", "mine now\n")
    run = controller.uninstall(**BOTH)
    assert run.code == 0, run.output
    assert json.loads((home / ".copilot/settings.json").read_text()) == {"model": "gpt-5.5", "beep": True}
    left = (home / ".codex/config.toml").read_text()
    assert "TEAM.md" in left and "[mine]" in left and "agentihooks" not in left, left
    assert (home / ".agents/skills/release-notes/SKILL.md").read_text() == "mine now\n"
    assert not (home / ".agentihooks").exists() and not (home / ".copilot/hooks").exists()
    kept = run.summary.split("was changed since: ")[1]
    for place in ("settings.json model", "config.toml project_doc_fallback_filenames", "release-notes"):
        assert place in kept, run.summary


@pytest.mark.parametrize("ledger", ["missing", pytest.param("corrupt", marks=pytest.mark.exhaustive)])
def test_without_its_ledgers_it_removes_what_is_ours_by_its_look_and_keeps_the_rest(controller, variables, ledger):
    user, home = controller.user, controller.user.home
    live_in(user)
    assert controller.site(**variables).code == 0
    lose(home, ledger)
    run = controller.uninstall(**BOTH)
    assert run.code == 0 and "Traceback" not in run.output, run.output
    assert "the record of what was ours is lost" in run.summary and str(home / ".copilot") in run.summary, run.summary
    # What guards is known by its look; the person's own is untouched.
    for place in (".copilot/agentihooks-hook.sh", ".codex/agentihooks-hook.sh", ".agentihooks/runtime"):
        assert not os.path.lexists(home / place), place
    assert json.loads((home / ".copilot/hooks/agentihooks.json").read_text())["hooks"] == {}
    assert list(json.loads((home / ".codex/hooks.json").read_text())["hooks"]) == ["Stop"]
    for place in (".copilot/hooks/mine.json", ".copilot/agents/reviewer.md", ".agents/skills/own/SKILL.md"):
        assert (home / place).exists()
    assert '"theme": "dim"' in (home / ".copilot/settings.json").read_text() and "model = 'gpt-5.4'" in (home / ".codex/config.toml").read_text()
    again = controller.uninstall(**BOTH)
    assert (again.code, again.changed) == (0, 0), again.output


@pytest.mark.exhaustive
def test_after_runs_that_were_cut_off(controller, variables):
    """A run that ends between two tasks has done some surfaces and not the others."""
    user, home = controller.user, controller.user.home
    live_in(user)
    before = picture(home)
    for done in ("runtime,hooks", "settings,skills"):
        run = controller.site("--tags", done, **variables)
        assert run.code == 0 and picture(home) != before, run.output
        gone = controller.uninstall(**BOTH)
        assert gone.code == 0 and picture(home) == before, gone.output


@pytest.mark.exhaustive
def test_one_target_leaves_and_the_runtime_stays_while_the_other_calls_it(controller, variables):
    home = controller.user.home
    before = picture(home)
    assert controller.site(**variables).code == 0
    run = controller.uninstall(agentihooks_targets=["codex"])
    assert run.code == 0 and "kept, because copilot still calls it: the runtime" in run.summary, run.output
    assert not (home / ".codex").exists() and (home / ".agentihooks/runtime/current/main.py").exists() and (home / ".copilot/settings.json").exists()
    run = controller.uninstall(agentihooks_targets=["copilot"])
    assert run.code == 0 and picture(home) == before, run.output


@pytest.mark.exhaustive
def test_a_stranger_stops_before_anything_is_written_unless_told_to_take_over(controller, variables):
    home = controller.user.home
    # Without variables of the environment the data directory has no ledger of its own.
    assert controller.site(**BOTH).code == 0
    before = picture(home)
    other = dict(variables, agentihooks_manager="second-team")
    for run in (controller.site(**other), controller.uninstall(**BOTH, agentihooks_manager="second-team")):
        assert "is managed by agentihooks.fleet/default, not by second-team" in " ".join(run.message.split()), run.output
        assert "agentihooks_takeover" in run.message and run.changed == 0 and picture(home) == before, run.output
    taken = controller.site(**other, agentihooks_takeover=True)
    assert taken.code == 0, taken.output
    assert {json.loads(path.read_text())["manager"] for path in home.rglob(_ledger.LEDGER)} == {"second-team"}
    again = controller.site(**other)
    assert (again.code, again.changed) == (0, 0), again.output
    assert "is managed by second-team" in " ".join(controller.site(**BOTH).message.split())
