# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of a bundle that is swapped between the look at it and the read gives nothing from outside."""

from __future__ import annotations

import os

import pytest
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _inside, _profiles
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError, Tree


@pytest.fixture
def bundle(tmp_path):
    (tmp_path / "outside").write_text("canary")
    root = tmp_path / "bundle"
    (root / "profiles" / "a").mkdir(parents=True)
    (root / "profiles" / "a" / "CLAUDE.md").write_text("text")
    return root


def test_a_file_and_a_link_within_are_read_up_to_the_limit(bundle):
    path = bundle / "profiles/a/CLAUDE.md"
    (bundle / "link").symlink_to(path)
    assert _inside.read(path, str(bundle), 10) == _inside.read(bundle / "link", str(bundle), 10) == b"text"
    assert _inside.read(path, str(bundle), 2) == b"tex"
    assert _inside.read(path, "/", 10) == b"text"


@pytest.mark.parametrize("make", [lambda path, outside: path.symlink_to(outside), lambda path, outside: os.mkfifo(path)], ids=["a link outside", "a pipe"])
def test_what_was_put_in_its_place_is_not_read(bundle, tmp_path, make):
    tree = Tree(bundle)
    path = tree.file("profiles", "a", "CLAUDE.md")
    path.unlink()
    make(path, tmp_path / "outside")
    with pytest.raises(BundleError, match=r"CLAUDE\.md: cannot be read: something else was put in its place"):
        tree.read(path)


def test_a_link_that_is_back_before_the_second_look_is_noticed(bundle, tmp_path, monkeypatch):
    path = bundle / "profiles/a/CLAUDE.md"
    real_open = os.open

    def swapped_open(name, *arguments):
        return real_open(str(tmp_path / "outside"), *arguments)

    monkeypatch.setattr(_inside.os, "open", swapped_open)
    with pytest.raises(OSError, match="something else was put in its place"):
        _inside.read(path, str(bundle), 10)


@pytest.mark.parametrize("proc", [True, False], ids=["said by the system", "without /proc"])
def test_a_link_that_is_there_again_at_the_last_look_is_noticed(bundle, tmp_path, monkeypatch, proc):
    """Opened as the link, found as the file, compared with the link again."""
    path = bundle / "profiles/a/CLAUDE.md"
    real_open, real_path, real_link = os.open, os.path.realpath, os.readlink

    def put(make):
        make(path.with_name("new"))
        os.replace(path.with_name("new"), path)

    def swapped_open(name, *arguments):
        put(lambda new: new.symlink_to(tmp_path / "outside"))
        descriptor = real_open(name, *arguments)
        put(lambda new: new.write_text("text"))
        return descriptor

    def swapped_path(name):
        found = real_path(name)
        put(lambda new: new.symlink_to(tmp_path / "outside"))
        return found

    def link(name):
        if not proc:
            raise FileNotFoundError(2, "No such file or directory", name)
        return real_link(name)

    monkeypatch.setattr(_inside.os, "open", swapped_open)
    monkeypatch.setattr("os.path.realpath", swapped_path)
    monkeypatch.setattr(_inside.os, "readlink", link)
    with pytest.raises(OSError, match="something else was put in its place"):
        _inside.read(path, str(bundle), 10)


def test_a_file_that_goes_while_it_is_looked_at_is_told(bundle, tmp_path, monkeypatch):
    def gone(path):
        raise OSError(22, "Invalid argument", str(path))

    monkeypatch.setattr("os.path.realpath", gone)
    with pytest.raises(OSError, match="Invalid argument"):
        os.path.realpath("x")
    monkeypatch.undo()
    tree = Tree(bundle)
    monkeypatch.setattr("os.path.realpath", gone)
    with pytest.raises(BundleError, match="cannot be looked at: Invalid argument"):
        tree.file("profiles", "a", "CLAUDE.md")


def test_a_whole_resolution_reads_through_it(bundle, tmp_path, monkeypatch):
    built_in = tmp_path / "builtin"
    (built_in / "_base").mkdir(parents=True)
    monkeypatch.setattr(_inside, "read", lambda *_arguments: b"through it")
    assert "through it" in _profiles.resolve(built_in, bundle, ["a"])["persona_text"]


def test_profiles_without_end_are_refused(bundle, monkeypatch):
    monkeypatch.setattr("ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources.MAX_PROFILES", 1)
    assert Tree(bundle).names("profiles") == ["a"]
    (bundle / "profiles" / "b").mkdir()
    with pytest.raises(BundleError, match="profiles: holds more than 1 profiles"):
        Tree(bundle).names("profiles")
