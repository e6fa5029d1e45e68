# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples in the modules' documentation run as they stand, one after the other, on a scratch account."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from playbook import Controller, picture

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUGINS = os.path.join(CHECKOUT, "plugins", "modules")
MODULES = sorted(name[:-3] for name in os.listdir(PLUGINS) if name.endswith(".py") and "\ndef main():" in Path(PLUGINS, name).read_text("utf-8"))


def examples(module):
    """Return the tasks in a module's EXAMPLES as data."""
    with open(os.path.join(CHECKOUT, "plugins", "modules", module + ".py"), encoding="utf-8") as source:
        for node in ast.parse(source.read()).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES":
                return yaml.safe_load(ast.literal_eval(node.value))
    raise AssertionError(module + " has no EXAMPLES")


def without_root(task, home):
    """Return a task as the account may run it: what is for the whole machine goes into a directory of its own."""
    if not task.pop("become", False):
        return task
    return {name: dict(value or {}, directory=str(home / "etc")) if name.startswith("agentihooks.fleet.") else value for name, value in task.items()}


@pytest.mark.parametrize("module", MODULES)
def test_examples(module, scratch_user, collections_path):
    controller = Controller(scratch_user, collections_path)
    before = picture(scratch_user.home)
    tasks = [without_root(task, scratch_user.home) for task in examples(module)]
    check = controller.play(tasks, arguments=["--check", "--diff"])
    assert check.code == 0, check.output
    assert picture(scratch_user.home) == before, "check mode wrote something"
    run = controller.play(tasks, arguments=["--diff"])
    assert run.code == 0, run.output
    shutil.rmtree(str(controller.scratch))


@pytest.mark.parametrize("size, hosts", [("small", 3), ("large", 300)])
def test_the_example_inventories_are_read_as_they_say(size, hosts):
    inventory = os.path.join(CHECKOUT, "examples", "inventories", size, "hosts.yml")
    command = [os.path.join(os.path.dirname(sys.executable), "ansible-inventory"), "--list", "-i", inventory]
    done = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    variables = json.loads(done.stdout)["_meta"]["hostvars"]
    assert len(variables) == hosts
    for host in variables.values():
        # A bundle in git is refused without its commit.
        assert len(host["agentihooks_bundle_commit"]) == 40 and "://" in host["agentihooks_bundle"]
