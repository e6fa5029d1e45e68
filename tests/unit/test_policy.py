# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime's settings: what is wrong in them counts for nothing, and module and role offer the same ones with the same defaults."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from agentihooks import policy
from agentihooks.guards import PACKS

CHECKOUT = Path(__file__).resolve().parents[2]
PRODUCTION = policy.DEFAULTS["production"]


def loaded(tmp_path, **settings):
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(settings))
    path.chmod(0o600)
    return policy.load(str(path))


@pytest.mark.parametrize(
    "key, value",
    [
        ("protected_branches", ["trunk", "release/*"]), ("protected_branches", []), ("git_gates", []), ("git_gates", ["tag", "branch"]),
        ("guard_packs", ["kubectl_mutation"]), ("instructions_max_lines", 0), ("instructions_max_lines", 500),
        ("production", dict(PRODUCTION, tags=[], commands=["terraform apply"])),
    ],
)  # fmt: skip
def test_a_right_value_counts(tmp_path, key, value):
    assert loaded(tmp_path, **{key: value})[key] == value


@pytest.mark.parametrize(
    "key, value",
    [
        ("protected_branches", "main"), ("protected_branches", None), ("protected_branches", [1]), ("protected_branches", [""]),
        ("protected_branches", {"main": 1}), ("git_gates", ["everything"]), ("git_gates", "tag"), ("git_gates", [["tag"]]), ("guard_packs", ["other"]),
        ("guard_packs", True), ("instructions_max_lines", -1), ("instructions_max_lines", True), ("instructions_max_lines", "200"),
        ("instructions_max_lines", 1.5), ("production", {}), ("production", []), ("production", dict(PRODUCTION, tags="latest")),
        ("production", dict(PRODUCTION, more=[])), ("production", dict(PRODUCTION, commands=[None])),
    ],
)  # fmt: skip
def test_a_wrong_value_leaves_the_default(tmp_path, key, value):
    assert loaded(tmp_path, **{key: value}) == policy.DEFAULTS


def test_module_and_role_have_the_runtime_s_defaults_and_choices():
    yaml = pytest.importorskip("yaml")
    module = (CHECKOUT / "plugins" / "modules" / "hooks_runtime.py").read_text(encoding="utf-8")
    documentation = next(
        node.value.value for node in ast.parse(module).body if isinstance(node, ast.Assign) and node.targets[0].id == "DOCUMENTATION"
    )
    options = yaml.safe_load(documentation)["options"]
    role = yaml.safe_load((CHECKOUT / "roles/workstation/defaults/main.yml").read_text(encoding="utf-8"))
    for key, default in policy.DEFAULTS.items():
        if key == "production":
            assert {name: option["default"] for name, option in options[key]["suboptions"].items()} == default
        else:
            assert options[key]["default"] == default, key
        if key not in ("production", "session_context", "deadline", "chain", "settings_chain"):  # the profile has these
            assert role["agentihooks_" + key] == default, key
    tasks = (CHECKOUT / "roles/workstation/tasks/main.yml").read_text(encoding="utf-8")
    handed_over = yaml.safe_load(tasks)[0]["block"][-1]["agentihooks.fleet.hooks_runtime"]
    written = next(ast.literal_eval(node.value) for node in ast.parse(module).body if isinstance(node, ast.Assign) and node.targets[0].id == "SETTINGS")
    assert set(policy.DEFAULTS) - {"deadline"} <= set(handed_over) and set(policy.DEFAULTS) == set(written)
    assert options["git_gates"]["choices"] == list(policy.GIT_GATES)
    assert options["guard_packs"]["choices"] == list(PACKS)
