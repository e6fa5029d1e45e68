# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders on the controller: what is read, and that nothing outside of the bundle is."""

from __future__ import annotations

import os

import pytest
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_sources


@pytest.fixture
def bundle(tmp_path):
    folder = tmp_path / "bundle" / "agents"
    folder.mkdir(parents=True)
    return folder


def read(bundle):
    sources, reports = _asset_sources.read_markdown(str(bundle), str(bundle.parent), "agent")
    return {source.relative: source.data for source in sources}, {os.path.basename(report.source): report.reason for report in reports}


def test_markdown_at_any_depth_is_read_in_order(bundle):
    (bundle / "sub").mkdir()
    (bundle / "sub" / "b.md").write_bytes(b"b\r\n")
    (bundle / "a.md").write_bytes(b"a")
    (bundle / "UPPER.MD").write_bytes(b"u")
    (bundle / "x.txt").write_bytes(b"x")
    (bundle / ".git").mkdir()
    (bundle / ".git" / "c.md").write_bytes(b"c")
    files, problems = read(bundle)
    assert files == {"UPPER.MD": b"u", "a.md": b"a", "sub/b.md": b"b\r\n"}
    assert list(files) == ["UPPER.MD", "a.md", "sub/b.md"] and not problems


def test_links_inside_the_bundle_are_followed_and_others_named(bundle, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    (bundle.parent / "shared.md").write_text("shared")
    (bundle / "in.md").symlink_to("../shared.md")
    (bundle / "out.md").symlink_to(tmp_path / "secret.md")
    (bundle / "dead.md").symlink_to("nowhere.md")
    (bundle / "loop").symlink_to(".")
    files, problems = read(bundle)
    assert files == {"in.md": b"shared"}
    assert "out of the bundle" in problems["out.md"] and "does not exist" in problems["dead.md"]
    assert "link to a directory" in problems["loop"]


def test_what_is_no_plain_file_is_named_and_never_opened(bundle):
    os.mkfifo(bundle / "pipe.md")
    (bundle / "dir.md").mkdir()
    with open(os.fsencode(str(bundle)) + b"/\xe9.md", "wb") as stream:
        stream.write(b"x")
    with open(bundle / "big.md", "wb") as stream:
        stream.truncate(_asset_sources.MAX_MARKDOWN + 1)
    (bundle / "good 😀.md").write_bytes(b"g")
    files, problems = read(bundle)
    assert files == {"good 😀.md": b"g"}
    assert "no regular file" in problems["pipe.md"] and "larger" in problems["big.md"]
    assert [reason for reason in problems.values() if "not UTF-8" in reason]


def test_a_folder_that_is_not_there_has_nothing(tmp_path):
    assert _asset_sources.read_markdown(str(tmp_path / "no"), str(tmp_path), "command") == ([], [])
    assert _asset_sources.read_skills(str(tmp_path / "no"), str(tmp_path)) == ([], [])


def test_skills_are_whole_trees(bundle, tmp_path):
    skill = bundle / "one"
    (skill / "bin").mkdir(parents=True)
    (skill / "SKILL.md").write_bytes(b"s")
    (skill / "bin" / "run").write_bytes(b"\0\xff")
    (skill / "bin" / "run").chmod(0o755)
    (skill / "__pycache__").mkdir()
    (bundle / "note.md").write_text("no skill")
    (bundle / "out").symlink_to(tmp_path)
    other = bundle / "two"
    other.mkdir()
    (other / "link").symlink_to("/etc/hostname")
    three = bundle / "three"
    three.mkdir()
    (three / "up").symlink_to("..")
    sources, reports = _asset_sources.read_skills(str(bundle), str(bundle.parent))
    assert [(source.name, source.files) for source in sources] == [("one", {"SKILL.md": (b"s", False), "bin/run": (b"\0\xff", True)})]
    reasons = {os.path.basename(report.source): report.reason for report in reports}
    assert set(reasons) == {"out", "two", "three"} and all("symbolic link" in reason for reason in reasons.values())
