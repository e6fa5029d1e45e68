# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""bundle_lint.yml as a pull request runs it: without a host, with an exit code, and with ansible-core alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playbook import picture

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "bundle"
WARNING = "profiles/engineer/.claude/agents/test-writer.md:5: warning: does not pass on to Copilot: model"


@pytest.fixture
def bundle(scratch_user):
    """The example bundle in a directory whose name is none that a shell likes."""
    path = scratch_user.home / "team's bundle"
    shutil.copytree(str(EXAMPLE), str(path))
    for each in [path, *path.rglob("*")]:
        os.chown(str(each), scratch_user.uid, scratch_user.gid)
    return path


def lint(controller, bundle, *arguments, **variables):
    return controller._play("agentihooks.fleet.bundle_lint", arguments, dict(variables, agentihooks_bundle=str(bundle)))


def test_a_good_bundle(controller, bundle):
    before = picture(controller.user.home)
    run = lint(controller, bundle)
    assert run.code == 0 and run.changed == 0 and run.output.count(WARNING + "\n") == 1, run.output
    assert "team's bundle: 0 errors, 1 warning" in run.output
    assert picture(controller.user.home) == before
    strict = lint(controller, bundle, "--check", bundle_lint_strict=True)
    assert strict.code != 0 and strict.message == "team's bundle: 0 errors, 1 warning"


def test_a_bad_bundle(controller, bundle):
    controller.user.write("team's bundle/profiles/oncall/.copilot/settings.overrides.json", '{\n"beep": "loud",\n"hooks": {}}')
    controller.user.write("team's bundle/profiles/broken/.claude/.mcp.json", '{"mcpServers": {\n"x": {"command": "c", "tools": ["a*"]')
    os.mkfifo(str(bundle / "profiles" / "broken" / "CLAUDE.md"))
    run = lint(controller, bundle)
    assert run.code != 0 and run.message == "team's bundle: 3 errors, 2 warnings", run.output
    lines = [line for line in run.output.splitlines() if ": error: " in line or ": warning: " in line]
    assert lines == sorted(lines) and len(lines) == 5
    assert "profiles/oncall/.copilot/settings.overrides.json:2: error: must be true or false, not a string ($.beep)" in lines
    assert "Traceback" not in run.output and "[WARNING]" not in run.output


def test_with_ansible_core_alone(controller, bundle):
    controller.user.write("without/jsonschema.py", "raise ImportError")
    controller.environment["PYTHONPATH"] = str(controller.user.home / "without")
    run = lint(controller, bundle)
    assert run.code == 0 and "the settings were not checked: the Python package jsonschema is not installed" in run.output, run.output


def test_what_is_no_bundle(controller):
    run = lint(controller, controller.user.home / "nowhere")
    assert run.code != 0 and "nowhere is no directory" in run.message and "Traceback" not in run.output
