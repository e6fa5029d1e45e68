# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Directories of which each file is owned by itself, on a real file system."""

from __future__ import annotations

import json
import os
import stat
import time

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _document, _files, _group_plan, _ownership, _tree
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy

LEDGER = ".ledger.json"
ONE = {"review/SKILL.md": b"one", "review/scripts/run.sh": b"#!/bin/sh\n", "deploy/SKILL.md": b"two"}


def content(path):
    """Return the target of a link, the bytes of a file, None for a directory, the mode of anything else."""
    if os.path.islink(path):
        return os.readlink(path)
    if os.path.isdir(path):
        return None
    return open(path, "rb").read() if os.path.isfile(path) and os.access(path, os.R_OK, effective_ids=True) else str(os.lstat(path).st_mode)


class Skills:
    """A skills directory in a scratch home, with its runs."""

    def __init__(self, root, target="copilot"):
        self.path = root / ".agents" / "skills"
        self.target = target

    def run(self, files=None, policy=None, check_mode=False, executable=("review/scripts/run.sh",), unknown=False, links=None, target=None):
        """Converge to files (path to bytes) and links; return path to outcome, after a check that predicted it."""
        options = {"executable": executable, "unknown": unknown, "links": links, "target": target}
        before = self.picture()
        predicted = self.converge(files, policy, True, **options)
        assert self.picture() == before
        if check_mode:
            return self.outcomes(predicted)
        result = self.converge(files, policy, **options)
        assert (predicted.changed, predicted.changes, predicted.hand_edited) == (result.changed, result.changes, result.hand_edited)
        assert result.changed == (self.files() != {path: content for path, content in before.items() if content is not None})
        again = self.converge(files, policy, **options)
        assert not again.changed, again.changes
        self.result = result
        return self.outcomes(result)

    def converge(self, files=None, policy=None, check_mode=False, executable=(), unknown=False, links=None, target=None):
        """Converge once; return the Result."""
        values = {path: _tree.file_value(data, path in executable) for path, data in (files or {}).items()}
        values.update({name: _tree.link_value(place) for name, place in (links or {}).items()})
        home = _document.Home(str(self.path), "tests", ledger=LEDGER)
        surface = _tree.Surface(home, "skills", str(self.path), _group_plan.plan_groups, target or self.target, whole=True, unknown=unknown)
        return _tree.converge(surface, _tree.table_of(values), policy or Policy(), check_mode)

    @staticmethod
    def outcomes(result):
        return {"/".join(path): outcome for path, outcome in result.changes}

    def picture(self):
        """Return path to content or link target of all but the bookkeeping."""
        found = {}
        for parent, directories, names in os.walk(self.path):
            for name in directories + names:
                path = os.path.join(parent, name)
                relative = os.path.relpath(path, self.path)
                if not relative.startswith("."):
                    found[relative] = content(path)
        return found

    def files(self):
        return {path: content for path, content in self.picture().items() if content is not None}

    def write(self, path, data):
        place = self.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


@pytest.fixture
def skills(tmp_path):
    return Skills(tmp_path)


def test_files_are_made_with_their_modes_and_removed_with_their_directories(skills, tmp_path):
    assert set(skills.run(ONE).values()) == {"created"}
    assert skills.files() == ONE
    assert stat.S_IMODE(os.stat(skills.path / "review/scripts/run.sh").st_mode) == 0o755
    assert stat.S_IMODE(os.stat(skills.path / "deploy/SKILL.md").st_mode) == 0o644
    assert set(skills.run().values()) == {"removed"}
    assert not (tmp_path / ".agents").exists()


def test_what_is_no_longer_wanted_goes_alone(skills):
    skills.run(ONE)
    assert skills.run({"deploy/SKILL.md": b"two"}) == {"review/SKILL.md": "removed", "review/scripts/run.sh": "removed", "deploy/SKILL.md": "unchanged"}
    assert skills.picture() == {"deploy": None, "deploy/SKILL.md": b"two"}


def test_an_edit_by_hand_stays_and_can_be_reclaimed(skills):
    skills.run(ONE)
    skills.write("deploy/SKILL.md", b"mine")
    newer = dict(ONE, **{"deploy/SKILL.md": b"three"})
    assert skills.run(newer)["deploy/SKILL.md"] == "hand_edited"
    assert skills.files()["deploy/SKILL.md"] == b"mine"
    assert skills.run(newer, Policy(reclaim=[("deploy", "SKILL.md")]))["deploy/SKILL.md"] == "updated"
    assert skills.files()["deploy/SKILL.md"] == b"three"


def test_an_edited_file_that_is_no_longer_wanted_is_released(skills):
    skills.run(ONE)
    skills.write("deploy/SKILL.md", b"mine")
    assert skills.run({})["deploy/SKILL.md"] == "released"
    assert skills.files() == {"deploy/SKILL.md": b"mine"}
    assert skills.run({}) == {}


def test_a_skill_that_the_person_removed_stays_away(skills):
    skills.run(ONE)
    os.unlink(skills.path / "deploy/SKILL.md")
    os.rmdir(skills.path / "deploy")
    assert skills.run(ONE)["deploy"] == "hand_edited"
    assert "deploy" not in skills.picture()
    assert skills.run(ONE, Policy(reclaim=[("deploy",)]))["deploy/SKILL.md"] == "created"


def test_a_missing_directory_is_a_reset(skills):
    skills.run(ONE)
    for path in sorted(skills.picture(), reverse=True):
        place = skills.path / path
        place.rmdir() if place.is_dir() else place.unlink()
    for name in os.listdir(skills.path):
        os.unlink(skills.path / name)
    skills.path.rmdir()
    assert set(skills.run(ONE).values()) == {"created"}


def test_a_skill_of_the_persons_wins_whole(skills):
    skills.write("review/SKILL.md", b"theirs")
    assert skills.run(ONE) == {"review": "foreign", "deploy/SKILL.md": "created"}
    assert skills.files() == {"review/SKILL.md": b"theirs", "deploy/SKILL.md": b"two"}
    assert skills.run({}) == {"deploy/SKILL.md": "removed"}


def test_a_link_of_the_persons_wins_and_is_not_followed(skills, tmp_path):
    theirs = tmp_path / "opt" / "review"
    theirs.mkdir(parents=True)
    (theirs / "SKILL.md").write_bytes(b"one")
    skills.path.mkdir(parents=True)
    os.symlink(theirs, skills.path / "review")
    for policy in (Policy(), Policy(on_conflict="overwrite"), Policy(adopt=True)):
        assert "created" not in {outcome for path, outcome in skills.run(ONE, policy).items() if path.startswith("review")}
        assert os.readlink(skills.path / "review") == str(theirs)
        assert os.listdir(theirs) == ["SKILL.md"] and (theirs / "SKILL.md").read_bytes() == b"one"
    skills.run({})
    assert os.readlink(skills.path / "review") == str(theirs)


def test_what_already_is_as_wanted_is_not_ours(skills):
    skills.write("deploy/SKILL.md", b"two")
    assert skills.run({"deploy/SKILL.md": b"two"}) == {"deploy/SKILL.md": "unchanged"}
    assert skills.run({}) == {"deploy/SKILL.md": "released"}
    assert skills.files() == {"deploy/SKILL.md": b"two"}


def test_overwrite_keeps_the_original_and_puts_it_back(skills):
    original = bytes(range(256))
    skills.write("deploy/SKILL.md", original)
    assert skills.run({"deploy/SKILL.md": b"two"}, Policy(on_conflict="overwrite")) == {"deploy/SKILL.md": "updated"}
    assert skills.files() == {"deploy/SKILL.md": b"two"}
    skills.run({})
    assert skills.files() == {"deploy/SKILL.md": original}


def test_fail_stops_before_anything_is_written(skills):
    skills.write("deploy/SKILL.md", b"theirs")
    with pytest.raises(SurfaceError, match="deploy"):
        skills.run(ONE, Policy(on_conflict="fail"))
    assert skills.files() == {"deploy/SKILL.md": b"theirs"}


def test_a_file_of_the_person_beside_ours_keeps_the_directory(skills):
    skills.run(ONE)
    skills.write("review/notes.txt", b"mine")
    skills.run({"deploy/SKILL.md": b"two"})
    assert skills.files() == {"review/notes.txt": b"mine", "deploy/SKILL.md": b"two"}


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b'{"schema": 1}', b"\xff\xfe"])
def test_without_a_ledger_nothing_is_removed(skills, damage):
    skills.run(ONE)
    (skills.path / LEDGER).write_bytes(damage)
    skills.run({"deploy/SKILL.md": b"two"})
    assert skills.files() == ONE
    skills.run({})
    assert skills.files() == ONE


def test_a_lost_ledger_removes_nothing(skills):
    skills.run(ONE)
    skills.run(dict(ONE, **{"deploy/SKILL.md": b"newer"}))
    os.unlink(skills.path / LEDGER)
    skills.run({})
    assert set(skills.files()) == set(ONE)


def test_the_last_target_takes_a_shared_file_along(skills):
    skills.run(ONE)
    skills.run(ONE, target="codex")
    entries = json.loads((skills.path / LEDGER).read_text())["surfaces"]["skills"]["entries"]
    assert [entry["targets"] for entry in entries] == [["codex", "copilot"]] * len(ONE)
    assert skills.run({}) == {}
    assert skills.files() == ONE
    assert set(skills.run({}, target="codex").values()) == {"removed"}
    assert skills.files() == {}


def test_one_target_does_not_touch_what_only_the_other_wants(skills):
    skills.run(ONE)
    assert skills.run({"other/SKILL.md": b"x"}, target="codex") == {"other/SKILL.md": "created"}
    assert skills.run({}, target="codex") == {"other/SKILL.md": "removed"}
    assert skills.files() == ONE


def test_a_source_that_is_not_understood_removes_nothing(skills):
    skills.run(ONE)
    assert skills.run({"deploy/SKILL.md": b"newer"}, unknown=True) == {"deploy/SKILL.md": "updated"}
    assert skills.files() == dict(ONE, **{"deploy/SKILL.md": b"newer"})
    assert set(skills.run({"deploy/SKILL.md": b"newer"})) == set(ONE)


def test_a_link_becomes_a_copy_and_back(skills, tmp_path):
    source = tmp_path / "bundle" / "deploy"
    source.mkdir(parents=True)
    assert skills.run(links={"deploy": str(source)}) == {"deploy": "created"}
    assert skills.picture() == {"deploy": str(source)}
    assert skills.run({"deploy/SKILL.md": b"two"}) == {"deploy": "removed", "deploy/SKILL.md": "created"}
    assert skills.files() == {"deploy/SKILL.md": b"two"} and list(source.iterdir()) == []
    skills.run(links={"deploy": str(source)})
    assert skills.picture() == {"deploy": str(source)}
    skills.run({})
    assert skills.picture() == {} and source.is_dir()


def test_a_link_that_the_person_turned_stays(skills, tmp_path):
    skills.run(links={"deploy": str(tmp_path / "a")})
    os.unlink(skills.path / "deploy")
    os.symlink(tmp_path / "b", skills.path / "deploy")
    assert skills.run(links={"deploy": str(tmp_path / "a")}) == {"deploy": "hand_edited"}
    skills.run({})
    assert skills.picture() == {"deploy": str(tmp_path / "b")}


def test_an_older_list_of_names_makes_them_ours(skills):
    skills.write("deploy/SKILL.md", b"translated long ago")
    skills.write("gone/SKILL.md", b"translated long ago")
    skills.write("kept/SKILL.md", b"theirs")
    (skills.path / LEDGER).write_text(json.dumps(["deploy", "gone", "../x", "", "missing"]))
    outcomes = skills.run({"deploy/SKILL.md": b"two"})
    assert outcomes["deploy/SKILL.md"] == "updated" and outcomes["gone/SKILL.md"] == "removed"
    assert skills.files() == {"deploy/SKILL.md": b"two", "kept/SKILL.md": b"theirs"}


def test_a_file_that_may_not_be_read_is_left(unprivileged):
    skills = Skills(unprivileged)
    skills.write("deploy/SKILL.md", b"theirs")
    place = skills.path / "deploy" / "SKILL.md"
    place.chmod(0)
    assert skills.run(ONE)["deploy"] == "foreign"
    place.chmod(0o600)
    assert place.read_bytes() == b"theirs"


def test_one_of_ours_that_cannot_be_read_stops_the_run_and_is_not_forgotten(unprivileged):
    skills = Skills(unprivileged)
    assert skills.run(ONE)["deploy/SKILL.md"] == "created"
    place = skills.path / "deploy" / "SKILL.md"
    place.chmod(0)
    with pytest.raises(SurfaceError, match="SKILL.md: cannot be read: Permission denied"):
        skills.run(ONE)
    place.chmod(0o600)
    assert skills.run({})["deploy/SKILL.md"] == "removed" and not place.exists()


@pytest.mark.parametrize("kind", ["directory", "pipe", "dangling link"])
def test_something_else_in_the_way_is_left(skills, tmp_path, kind):
    skills.path.mkdir(parents=True)
    place = skills.path / "deploy" / "SKILL.md"
    place.parent.mkdir()
    if kind == "directory":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        os.symlink(tmp_path / "nowhere", place)
    before = skills.picture()
    assert skills.run(ONE)["deploy"] == "foreign"
    assert before.items() <= skills.picture().items()


def test_a_run_that_was_killed_between_files_is_finished_by_the_next(skills, monkeypatch):
    real, count = _files.replace, []

    def killed(snapshot, data, *arguments, **more):
        count.append(snapshot.path)
        if len([path for path in count if path.endswith((".md", ".sh"))]) == 3:
            raise KeyboardInterrupt
        return real(snapshot, data, *arguments, **more)

    skills.path.mkdir(parents=True)
    monkeypatch.setattr(_files, "replace", killed)
    surface = _tree.Surface(
        _document.Home(str(skills.path), "tests", ledger=LEDGER), "skills", str(skills.path), _group_plan.plan_groups, "copilot", whole=True
    )
    with pytest.raises(KeyboardInterrupt):
        _tree.converge(surface, _tree.table_of({path: _tree.file_value(data) for path, data in ONE.items()}), Policy())
    monkeypatch.setattr(_files, "replace", real)
    assert len(skills.files()) == 2
    outcomes = skills.run(ONE, executable=())
    assert sorted(outcomes.values()) == ["created", "unchanged", "unchanged"]
    skills.run({})
    assert skills.files() == {}


class Killed(BaseException):
    """The end of a run at a given moment."""


def killed(*_arguments, **_more):
    raise Killed


def test_a_kill_between_a_copy_and_the_link_in_its_place_is_finished_by_the_next(skills, tmp_path, monkeypatch):
    source = tmp_path / "bundle" / "deploy"
    source.mkdir(parents=True)
    skills.run(ONE)
    with monkeypatch.context() as patch:
        patch.setattr(_tree, "_link", killed)
        with pytest.raises(Killed):
            skills.converge(links={"deploy": str(source)})
    assert "deploy" not in skills.picture()
    assert skills.run(links={"deploy": str(source)})["deploy"] == "created"
    assert skills.picture() == {"deploy": str(source)}


def test_a_kill_before_the_directories_go_leaves_none_behind(skills, monkeypatch):
    skills.run(ONE)
    with monkeypatch.context() as patch:
        patch.setattr(_files, "remove_empty_directory", killed)
        with pytest.raises(Killed):
            skills.converge({})
    assert "deploy" in skills.picture()
    skills.run({})
    assert not skills.path.parent.exists()


def test_a_kill_with_half_of_a_copy_removed_is_finished_by_the_next(skills, tmp_path, monkeypatch):
    skills.run(ONE)
    with monkeypatch.context() as patch:
        patch.setattr(_files, "remove_empty_directory", killed)
        with pytest.raises(Killed):
            skills.converge(links={"review": str(tmp_path)})
    assert skills.run(links={"review": str(tmp_path)})["review"] == "created"


def test_a_directory_with_a_file_of_the_person_does_not_become_a_link(skills, tmp_path):
    skills.run(ONE)
    skills.write("deploy/notes.txt", b"theirs")
    before = skills.picture()
    for check_mode in (True, False):
        with pytest.raises(SurfaceError, match="notes.txt: is a file of somebody else"):
            skills.converge(links={"deploy": str(tmp_path)}, check_mode=check_mode)
    assert skills.picture() == before


def test_a_copy_that_becomes_a_link_is_told_file_by_file(skills, tmp_path):
    skills.run(ONE)
    skills.run(links={"deploy": str(tmp_path), "review": str(tmp_path)})
    assert set(skills.result.before) == set(ONE)
    assert set(skills.result.after) == {"deploy", "review"}


@pytest.mark.parametrize("path", [["..", "x"], ["a", "b/c"], ["a", ""], ["a\0"], ["\ud800"]])
def test_a_ledger_with_a_path_that_leads_elsewhere_stops_the_surface(skills, tmp_path, path):
    skills.run(ONE)
    ledger = json.loads((skills.path / LEDGER).read_text())
    ledger["surfaces"]["skills"]["entries"].append({"path": path, "state": "ours", "sha256": "0"})
    (skills.path / LEDGER).write_text(json.dumps(ledger))
    with pytest.raises(SurfaceError, match="ledger"):
        skills.converge({})
    assert set(skills.files()) == set(ONE)


def test_what_a_killed_run_left_does_not_keep_a_directory(skills):
    skills.run(ONE)
    long_ago = time.time() - _files.STALE_SECONDS - 60
    for directory in (skills.path, skills.path / "review"):
        for name in ("file", "link"):
            stale = directory / (_files.TEMPORARY_PREFIX + name + _files.TEMPORARY_SUFFIX)
            if name == "link":
                stale.symlink_to("nowhere")
            else:
                stale.write_bytes(b"half")
            os.utime(stale, (long_ago, long_ago), follow_symlinks=False)
    skills.run({"deploy/SKILL.md": b"two"})
    assert "review" not in skills.picture()
    assert not [name for name in os.listdir(skills.path) if name.endswith(_files.TEMPORARY_SUFFIX)]


def test_a_change_after_the_decision_is_decided_again(skills, monkeypatch):
    skills.run(ONE)
    place = skills.path / "deploy" / "SKILL.md"
    real, looked = _files.read, []

    def read(path, *arguments, **more):
        found = real(path, *arguments, **more)
        if path == str(place):
            looked.append(path)
            if len(looked) == 1:
                place.write_bytes(b"mine, a moment later")
        return found

    monkeypatch.setattr(_files, "read", read)
    surface = _tree.Surface(
        _document.Home(str(skills.path), "tests", ledger=LEDGER), "skills", str(skills.path), _group_plan.plan_groups, "copilot", whole=True
    )
    values = {path: _tree.file_value(b"newer", path.endswith(".sh")) for path in ONE}
    result = _tree.converge(surface, _tree.table_of(values), Policy())
    assert (("deploy", "SKILL.md"), "hand_edited") in result.changes and len(looked) > 1
    assert place.read_bytes() == b"mine, a moment later"


def test_agents_are_single_files(tmp_path):
    home = _document.Home(str(tmp_path), "tests")
    surface = _tree.Surface(home, "agents", str(tmp_path / "agents"), _ownership.plan)
    wanted = {"a.md": _tree.file_value(b"a"), "b.md": _tree.file_value(b"b")}
    assert _tree.converge(surface, wanted, Policy()).changed
    os.unlink(tmp_path / "agents" / "a.md")
    result = _tree.converge(surface, wanted, Policy())
    assert not result.changed and result.hand_edited == [("a.md",)]
    dotfiles = tmp_path / "dotfiles.md"
    dotfiles.write_bytes(b"b")
    os.unlink(tmp_path / "agents" / "b.md")
    os.symlink(dotfiles, tmp_path / "agents" / "b.md")
    assert _tree.converge(surface, dict(wanted, **{"b.md": _tree.file_value(b"newer")}), Policy()).changed
    assert os.readlink(tmp_path / "agents" / "b.md") == str(dotfiles) and dotfiles.read_bytes() == b"newer"
