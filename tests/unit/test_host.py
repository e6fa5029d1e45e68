# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose home, which configuration homes, and whether this is WSL."""

from __future__ import annotations

import os
import pwd

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _host


def test_the_home_is_the_passwd_home_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("HOME", "/nowhere")
    assert _host.passwd_home() == pwd.getpwuid(os.geteuid()).pw_dir


@pytest.mark.parametrize("environ, copilot", [
    ({}, "/home/ada/.copilot"),
    ({"COPILOT_HOME": ""}, "/home/ada/.copilot"),
    ({"COPILOT_HOME": "/srv/cp/"}, "/srv/cp"),
    ({"COPILOT_HOME": "~/cp"}, "/home/ada/cp"),
    ({"COPILOT_HOME": "/a, /b"}, "/a"),
    ({"COPILOT_HOME": "relative"}, "/home/ada/.copilot"),
])  # fmt: skip
def test_copilot_home_moves_the_configuration(environ, copilot):
    assert _host.config_homes("/home/ada", environ) == {"copilot": copilot, "codex": "/home/ada/.codex"}


def test_data_directory():
    assert _host.data_directory("/home/ada", {}) == "/home/ada/.agentihooks"
    assert _host.data_directory("/home/ada", {"AGENTIHOOKS_HOME": "/srv/ah"}) == "/srv/ah"


def test_skills_move_with_copilot_home():
    usual = _host.surfaces("/home/ada", _host.config_homes("/home/ada", {}))
    moved = _host.surfaces("/home/ada", _host.config_homes("/home/ada", {"COPILOT_HOME": "/srv/cp"}))
    assert usual["copilot_skills"] == "/home/ada/.agents/skills" and moved["copilot_skills"] == "/srv/cp/skills"
    assert usual["copilot_hooks"] == "/home/ada/.copilot/hooks/agentihooks.json" and moved["copilot_settings"] == "/srv/cp/settings.json"


# What /proc/version and its like say on real machines.
@pytest.mark.parametrize("file, text, wsl", [
    ("proc/version", "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f)", True),
    ("proc/version", "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)", True),
    ("proc/sys/kernel/osrelease", "6.6.36.6-WSL2-custom", True),
    ("proc/sys/fs/binfmt_misc/WSLInterop", "enabled", True),
    ("proc/version", "Linux version 6.1.0-25-amd64 (debian-kernel@lists.debian.org)", False),
    ("etc/hostname", "microsoft", False),
])  # fmt: skip
def test_wsl_is_told_by_the_kernel(tmp_path, file, text, wsl):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert _host.is_wsl({}, str(tmp_path)) is wsl


def test_wsl_is_told_by_the_environment(tmp_path):
    assert _host.is_wsl({"WSL_DISTRO_NAME": "Debian"}, str(tmp_path))
