# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Misspelt names: which known one is offered, and that no real one is taken for a slip."""

from __future__ import annotations

import pathlib

import pytest
import yaml  # the controller's; host Pythons leave this file out by that name
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _near_names

ROLES = pathlib.Path(__file__).resolve().parents[2] / "roles"
KNOWN = ("agentihooks_profiles", "agentihooks_settings_profile", "agentihooks_copilot_settings")


@pytest.mark.parametrize("name, likely", [
    ("agentihooks_profile", "agentihooks_profiles"), ("agentihooks_copilot_setings", "agentihooks_copilot_settings"),
    ("agentihooks_Profiles", "agentihooks_profiles"), ("agentihooks_profiles", None), ("agentihooks_weather", None), ("", None),
])  # fmt: skip
def test_meant(name, likely):
    assert _near_names.meant(name, KNOWN) == likely


def test_the_variables_of_the_roles_are_those_of_their_specifications():
    known = _near_names.role_variables(ROLES)
    specified = {name for spec in ROLES.glob("*/meta/argument_specs.yml") for name in yaml.safe_load(spec.read_text())["argument_specs"]["main"]["options"]}
    assert known == specified | set(_near_names.OF_PLAYBOOKS)
    assert _near_names.misspelt_variables(known | {"ansible_host", "agentihooks"}, known) == []
    assert _near_names.misspelt_variables({"agentihooks_profile", "agentihooks_host", "my_profiles"}, known) == [
        ("agentihooks_host", "agentihooks_hosts"), ("agentihooks_profile", "agentihooks_profiles"),
    ]  # fmt: skip
