# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ansible-doc shows of the modules and roles. That the examples run is tests/fleet/test_examples.py."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest
import yaml

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTED = sorted((CHECKOUT / "plugins" / "modules").glob("*.py"))
# The others are action plugins that stay on the controller, with their documentation there.
MODULES = [path.stem for path in DOCUMENTED if "\ndef main():" in path.read_text(encoding="utf-8")]
CONTROLLER_ONLY = [path.stem for path in DOCUMENTED if path.stem not in MODULES]
LOOKUPS = sorted(path.stem for path in (CHECKOUT / "plugins" / "lookup").glob("*.py"))
ROLES = sorted(path.parent.parent.name for path in (CHECKOUT / "roles").glob("*/meta/argument_specs.yml"))
ACTION_GROUP = yaml.safe_load((CHECKOUT / "meta" / "runtime.yml").read_text(encoding="utf-8"))["action_groups"]["agentihooks"]
RETURNED_BY_ALL = {"changes", "hand_edited"}


@pytest.fixture(scope="module")
def ansible_doc(tmp_path_factory):
    """A function: arguments of ansible-doc -> its stdout, with this checkout as the collection."""
    scratch = tmp_path_factory.mktemp("ansible-doc")
    namespace = scratch / "collections" / "ansible_collections" / "agentihooks"
    namespace.mkdir(parents=True)
    (namespace / "fleet").symlink_to(CHECKOUT)
    environment = dict(os.environ, ANSIBLE_COLLECTIONS_PATH=str(scratch / "collections"), ANSIBLE_HOME=str(scratch / "home"), ANSIBLE_NOCOLOR="1")

    def run(*arguments):
        command = [os.path.join(os.path.dirname(sys.executable), "ansible-doc")] + list(arguments)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "[ERROR]" not in done.stderr and "[WARNING]" not in done.stderr, done.stdout + done.stderr
        return done.stdout

    return run


def described(options, where):
    """Assert that each option, also below suboptions and contains, says what it is."""
    for name, option in (options or {}).items():
        assert option.get("description"), "%s.%s has no description" % (where, name)
        for below in ("suboptions", "options", "contains"):
            described(option.get(below), "%s.%s" % (where, name))


def test_the_action_group_names_every_module():
    assert sorted(ACTION_GROUP) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_module(ansible_doc, module):
    name = "agentihooks.fleet." + module
    shown = json.loads(ansible_doc("--json", name))[name]
    doc, returned = shown["doc"], shown["return"]
    described(doc["options"], module)
    described(returned, module)
    assert yaml.safe_load(shown["examples"])
    assert doc["attributes"]["check_mode"]["support"] == "full"
    if module not in ("doctor", "smoke") and not module.endswith("_facts"):  # these configure nothing
        assert doc["attributes"]["diff_mode"]["support"] == "full"
        assert RETURNED_BY_ALL <= set(returned)
    assert name in ansible_doc(name)


@pytest.mark.parametrize("name", ["agentihooks.fleet." + name for name in CONTROLLER_ONLY])
def test_an_action_that_stays_on_the_controller(ansible_doc, name):
    shown = json.loads(ansible_doc("--json", name))[name]
    described(shown["doc"]["options"], name)
    described(shown["return"], name)
    assert yaml.safe_load(shown["examples"]) and name in ansible_doc(name)
    assert (CHECKOUT / "plugins" / "action" / (name.rsplit(".", 1)[-1] + ".py")).exists()


@pytest.mark.parametrize("name", ["agentihooks.fleet." + name for name in LOOKUPS])
def test_lookup(ansible_doc, name):
    shown = json.loads(ansible_doc("--json", "--type", "lookup", name))[name]
    described(shown["doc"]["options"], name)
    described(shown["return"], name)
    assert yaml.safe_load(shown["examples"]) and name in ansible_doc("--type", "lookup", name)


@pytest.mark.parametrize("role", ROLES)
def test_role(ansible_doc, role):
    name = "agentihooks.fleet." + role
    shown = json.loads(ansible_doc("--json", "--type", "role", name))[name]
    options = shown["entry_points"]["main"]["options"]
    described(options, role)
    defaults = yaml.safe_load((CHECKOUT / "roles" / role / "defaults" / "main.yml").read_text(encoding="utf-8"))
    documented = {name: option["default"] for name, option in options.items() if "default" in option}
    assert documented == defaults, "argument_specs.yml and defaults/main.yml disagree"


def test_the_page_of_variables_is_what_the_argument_specs_say():
    specification = importlib.util.spec_from_file_location("variables_page", CHECKOUT / "scripts" / "variables_page.py")
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run scripts/variables_page.py"
