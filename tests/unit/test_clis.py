# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a CLI is found although the connection is no login shell, and which version would run."""

from __future__ import annotations

import json

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _clis


def package(directory, name, version, launcher):
    """An npm package with a launcher in it; returns the launcher."""
    path = directory / launcher
    path.parent.mkdir(parents=True, exist_ok=True)
    (directory / "package.json").write_text(json.dumps({"name": name, "version": version}))
    path.write_text("#!/bin/sh\necho ran >> \"$0.ran\"\necho 9.9.9\n")
    path.chmod(0o755)
    return path


def found(home, environ=None, search_path=()):
    return _clis.installed("copilot", _clis.directories(str(home), list(search_path), root=str(home / "root")), str(home), environ or {})


@pytest.mark.parametrize("place", [
    ".local/bin", ".npm-global/bin", ".nvm/versions/node/v22.3.0/bin", ".volta/bin", "root/usr/local/bin", "root/opt/node/bin",
])  # fmt: skip
def test_the_usual_places_are_searched(tmp_path, place):
    launcher = package(tmp_path / "lib" / "copilot", "@github/copilot", "1.0.102", "npm-loader.js")
    link = tmp_path / place / "copilot"
    link.parent.mkdir(parents=True)
    link.symlink_to(launcher)
    assert found(tmp_path) == (str(link), "1.0.102")
    assert not (tmp_path / "lib" / "copilot" / "npm-loader.js.ran").exists()


def test_the_npm_prefix_of_the_person_is_searched(tmp_path):
    (tmp_path / ".npmrc").write_text("fund=false\nprefix = ~/tools\n")
    package(tmp_path / "tools" / "bin", "@github/copilot-linux-x64", "1.0.83", "copilot")
    assert found(tmp_path) == (str(tmp_path / "tools/bin/copilot"), "1.0.83")


def test_path_comes_first_and_newer_nodes_before_older(tmp_path):
    for version in ("v9.1.0", "v22.3.0", "v20.0.0"):
        package(tmp_path / ".nvm/versions/node" / version / "bin", "@github/copilot", "1.0.%s" % version[1:3].strip("."), "copilot")
    assert found(tmp_path)[0] == str(tmp_path / ".nvm/versions/node/v22.3.0/bin/copilot")
    first = package(tmp_path / "mine", "@github/copilot", "1.0.1", "copilot")
    assert found(tmp_path, search_path=[str(tmp_path / "mine")]) == (str(first), "1.0.1")


def test_a_package_downloaded_by_the_self_update_is_what_would_run(tmp_path):
    package(tmp_path / ".local/bin", "@github/copilot", "1.0.80", "copilot")
    for version in ("1.0.9", "1.0.102", "1.0.79-6", "tmp.123"):
        (tmp_path / ".cache/copilot/pkg/linux-x64" / version).mkdir(parents=True)
    assert found(tmp_path)[1] == "1.0.102"
    (tmp_path / "other/pkg/linux-x64/1.0.103").mkdir(parents=True)
    assert found(tmp_path, {"COPILOT_PKG_CACHE_HOME": str(tmp_path / "other")})[1] == "1.0.103"


def test_without_a_package_the_cli_is_asked_in_a_scratch_home(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    path = tmp_path / ".local/bin/copilot"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\ntouch \"$HOME/cache\" \"$COPILOT_HOME/state\"\necho \"$HOME\" > %s/where\necho GitHub Copilot CLI 1.0.99.\n" % tmp_path)
    path.chmod(0o755)
    assert found(tmp_path) == (str(path), "1.0.99")
    where = (tmp_path / "where").read_text().strip()
    assert where.startswith(str(tmp_path / "tmp")) and list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho no number\n", "#!/no/such\n"])
def test_a_cli_that_does_not_tell_has_no_version(tmp_path, text):
    path = tmp_path / ".local/bin/copilot"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o755)
    assert found(tmp_path) == (str(path), None)


def test_a_cli_that_is_not_there(tmp_path):
    assert found(tmp_path) == (None, None)
