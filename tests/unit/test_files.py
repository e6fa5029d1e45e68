# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one writer: what it keeps, what it refuses, and that a failure leaves the old file and nothing else."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import threading
import time
from pathlib import Path

import pytest

from ansible_collections.agentihooks.fleet.plugins.module_utils import _files
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import Changed, SurfaceError

ROOT = os.geteuid() == 0
NOBODY = 65534


def put(path, data=b"{}\n", mode=0o644):
    path.write_bytes(data)
    path.chmod(mode)
    return str(path)


def errors_as(uid, *calls):
    """Run the calls in a child that has become another user; return the text of the SurfaceError of each, or "" for none."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            for call in calls:
                try:
                    call()
                    text = ""
                except SurfaceError as error:
                    text = str(error)
                os.write(writer, (text + "\n").encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        lines = stream.read().splitlines()
    os.waitpid(child, 0)
    assert len(lines) == len(calls)
    return lines


@pytest.fixture
def tree():
    """A directory every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def test_a_missing_file_has_a_snapshot_with_nothing_in_it(tmp_path):
    snapshot = _files.read(str(tmp_path / "sub" / "settings.json"))
    assert (snapshot.exists, snapshot.data, snapshot.mode, snapshot.uid) == (False, b"", None, None)


def test_a_new_file_is_private(tmp_path):
    os.umask(0o022)
    _files.replace(_files.read(str(tmp_path / "a")), b"x")
    result = _files.read(str(tmp_path / "a"))
    assert (result.data, result.mode) == (b"x", 0o600)
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o400, 0o755])
def test_the_mode_of_an_existing_file_is_kept(tmp_path, mode):
    path = put(tmp_path / "a", mode=mode)
    _files.replace(_files.read(path), b"new")
    assert _files.read(path).mode == mode


def test_a_forced_mode_wins(tmp_path):
    path = put(tmp_path / "a", mode=0o644)
    _files.replace(_files.read(path), b"new", mode=0o755)
    assert _files.read(path).mode == 0o755


@pytest.mark.skipif(not ROOT, reason="needs root to change owners")
def test_owner_and_group_are_kept_and_new_things_belong_to_the_owner_of_their_place(tmp_path):
    os.chown(tmp_path, NOBODY, NOBODY)
    path = put(tmp_path / "a")
    os.chown(path, NOBODY, 12345)
    _files.replace(_files.read(path), b"new")
    kept = os.stat(path)
    assert (kept.st_uid, kept.st_gid) == (NOBODY, 12345)
    made = _files.make_directories(str(tmp_path / "x" / "y"))
    assert made == [str(tmp_path / "x"), str(tmp_path / "x" / "y")]
    _files.replace(_files.read(str(tmp_path / "x" / "y" / "b")), b"new")
    assert (os.stat(str(tmp_path / "x" / "y" / "b")).st_uid, os.stat(made[0]).st_uid, stat.S_IMODE(os.stat(made[0]).st_mode)) == (NOBODY, NOBODY, 0o700)


def test_extended_attributes_are_kept(tmp_path):
    path = put(tmp_path / "a")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError as error:
        pytest.skip("no extended attributes here: %s" % error)
    _files.replace(_files.read(path), b"new")
    assert os.getxattr(path, "user.note") == b"mine"


@pytest.mark.parametrize("relative", [True, False])
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path, relative):
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "settings.json"
    put(target)
    link = tmp_path / "settings.json"
    link.symlink_to("dotfiles/settings.json" if relative else target)
    _files.replace(_files.read(str(link)), b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path / "dotfiles")) == ["settings.json"]


def test_a_dangling_link_is_refused_with_what_to_do(tmp_path):
    link = tmp_path / "settings.json"
    link.symlink_to("nowhere")
    with pytest.raises(SurfaceError, match="symbolic link to .*nowhere, which does not exist. Make the target or remove"):
        _files.read(str(link))
    (tmp_path / "home").symlink_to("gone")
    with pytest.raises(SurfaceError, match="symbolic link"):
        _files.read(str(tmp_path / "home" / "settings.json"))


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_text_that_can_be_no_path_is_refused(tmp_path, name):
    with pytest.raises(SurfaceError, match="holds a character that no path can hold"):
        _files.read(str(tmp_path / name))


def test_a_link_to_itself_is_refused(tmp_path):
    link = tmp_path / "loop"
    link.symlink_to("loop")
    with pytest.raises(SurfaceError, match="symbolic link"):
        _files.read(str(link))


def test_what_is_no_regular_file_is_refused_without_blocking(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "directory").mkdir()
    put(tmp_path / "file")
    for name in ("pipe", "directory"):
        with pytest.raises(SurfaceError, match="not a regular file"):
            _files.read(str(tmp_path / name))
    with pytest.raises(SurfaceError, match="file: is not a directory"):
        _files.read(str(tmp_path / "file" / "settings.json"))


def test_a_file_that_changed_since_it_was_read_is_not_overwritten(tmp_path):
    path = put(tmp_path / "a")
    snapshot = _files.read(path)
    put(tmp_path / "a", b"theirs")
    with pytest.raises(Changed):
        _files.replace(snapshot, b"ours")
    with pytest.raises(Changed):
        _files.remove(snapshot)
    assert (tmp_path / "a").read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_appeared_or_went_since_is_a_change(tmp_path):
    absent = _files.read(str(tmp_path / "a"))
    path = put(tmp_path / "a")
    present = _files.read(path)
    with pytest.raises(Changed):
        _files.replace(absent, b"ours")
    os.unlink(path)
    with pytest.raises(Changed):
        _files.replace(present, b"ours")


@pytest.mark.parametrize("code, hint", [(errno.ENOSPC, "Free space on"), (errno.EDQUOT, "Free space on"), (errno.EIO, "Mend that")])
def test_a_full_disk_leaves_the_old_file_and_no_temporary(tmp_path, monkeypatch, code, hint):
    path = put(tmp_path / "a", b"old")
    written = []

    def short_then_full(descriptor, view):
        if written:
            raise OSError(code, os.strerror(code))
        written.append(True)
        return 1

    monkeypatch.setattr(_files.os, "write", short_then_full)
    with pytest.raises(SurfaceError, match="cannot be written: %s. %s" % (os.strerror(code), hint)):
        _files.replace(_files.read(path), b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(not ROOT, reason="needs root to become another user")
def test_another_users_file_is_refused_with_the_command_that_helps(tree):
    path = put(tree / "a")
    (text,) = errors_as(NOBODY, lambda: _files.read(path))
    assert "belongs to root" in text and "Run: sudo chown nobody %s" % path in text
    assert errors_as(NOBODY, lambda: _files.read(path, foreign_owner_ok=True)) == [""]


@pytest.mark.skipif(not ROOT, reason="needs root to become another user")
def test_a_place_the_user_may_not_enter_is_not_called_missing(tree):
    (tree / "closed").mkdir(mode=0o700)
    (tree / "closed" / "home").mkdir()
    (tree / "link").symlink_to("closed/home")
    (text,) = errors_as(NOBODY, lambda: _files.nearest_directory(str(tree / "link" / "sub")))
    assert "cannot be reached: Permission denied" in text


@pytest.mark.skipif(not ROOT, reason="needs root to become another user")
def test_a_read_only_directory_is_refused_before_anything_is_written(tree):
    home = tree / "home"
    home.mkdir()
    put(home / "a", b"old")
    os.chown(home / "a", NOBODY, NOBODY)
    os.chown(home, NOBODY, NOBODY)
    home.chmod(0o555)
    snapshot = _files.read(str(home / "a"))
    predicted, real = errors_as(NOBODY, lambda: _files.require_writable(snapshot), lambda: _files.replace(snapshot, b"new"))
    assert predicted == real and "is not writable for user nobody" in real
    assert os.listdir(home) == ["a"] and (home / "a").read_bytes() == b"old"


@pytest.mark.skipif(not ROOT, reason="only root can be led astray")
def test_root_does_not_follow_a_persons_link_to_somebody_elses_file(tmp_path):
    target = put(tmp_path / "system.json")
    link = tmp_path / "settings.json"
    link.symlink_to(target)
    os.lchown(link, NOBODY, NOBODY)
    with pytest.raises(SurfaceError, match="symbolic link of nobody but belongs to root"):
        _files.read(str(link))


def test_the_lock_makes_the_second_run_wait_and_leaves_no_file(tmp_path):
    order = []
    entered, leave = threading.Event(), threading.Event()

    def first():
        with _files.lock(str(tmp_path / "yet")):
            os.mkdir(tmp_path / "yet")
            entered.set()
            leave.wait(10)
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert entered.wait(10)
    with pytest.raises(SurfaceError, match="locked by another run for more than 0 seconds"):
        with _files.lock(str(tmp_path / "yet"), seconds=0):
            pass
    threading.Timer(0.1, leave.set).start()
    with _files.lock(str(tmp_path / "yet")):
        order.append("second")
    thread.join()
    assert order == ["first", "second"] and os.listdir(tmp_path) == ["yet"] and os.listdir(tmp_path / "yet") == []


def test_the_turn_is_taken_by_the_others_lock_file_and_none_is_made(tmp_path):
    with _files.turn(""), _files.turn(str(tmp_path / "lock")):
        assert os.listdir(tmp_path) == []
    put(tmp_path / "lock", mode=0o400)
    with _files.turn(str(tmp_path / "lock")):
        with pytest.raises(SurfaceError, match="lock: is locked by another program for more than 0 seconds. Wait"):
            with _files.turn(str(tmp_path / "lock"), seconds=0):
                pass
    with _files.turn(str(tmp_path / "lock"), seconds=0):
        pass


def test_what_cannot_be_read_in_the_moment_of_the_swap_is_put_back(unprivileged):
    path = put(unprivileged / "a", b"seen")
    snapshot = _files.read(path)
    put(unprivileged / "a", b"of another program")
    os.chmod(path, 0)
    temporary = put(unprivileged / "b", b"ours")
    with pytest.raises(OSError):
        _files._swapped(temporary, snapshot, b"ours")
    os.chmod(path, 0o600)
    assert (unprivileged / "a").read_bytes() == b"of another program" and (unprivileged / "b").read_bytes() == b"ours"


def test_remove_takes_the_link_too_and_is_silent_when_nothing_is_there(tmp_path):
    target = tmp_path / "target"
    put(target)
    link = tmp_path / "link"
    link.symlink_to("target")
    _files.remove(_files.read(str(link)))
    _files.remove(_files.read(str(link)))
    assert os.listdir(tmp_path) == []


def test_only_an_empty_directory_is_removed(tmp_path):
    (tmp_path / "full" / "x").mkdir(parents=True)
    assert not _files.remove_empty_directory(str(tmp_path / "full"))
    assert _files.remove_empty_directory(str(tmp_path / "full" / "x"))
    assert not _files.remove_empty_directory(str(tmp_path / "gone"))


def left(path, minutes=0):
    """Make what a killed run leaves, so many minutes ago."""
    put(path, b"half")
    os.utime(path, (time.time() - 60 * minutes,) * 2)
    return path.name


def test_what_a_killed_run_left_goes_at_once_under_the_lock(tmp_path):
    names = {left(tmp_path / ".agentihooks-abcd1234.tmp"), ".agentihooks-77.tmp", ".agentihooks-dir.tmp"}
    (tmp_path / ".agentihooks-77.tmp").symlink_to("nowhere")
    (tmp_path / ".agentihooks-dir.tmp").mkdir()
    others = {left(tmp_path / name, 120) for name in (".agentihooks-managed.json", "agentihooks-x.tmp", ".agentihooks-x.tmp.bak")}
    if ROOT:
        others.add(left(tmp_path / ".agentihooks-foreign1.tmp", 120))
        os.chown(tmp_path / ".agentihooks-foreign1.tmp", NOBODY, NOBODY)
    _files.remove_stale_temporaries(str(tmp_path), locked=False)
    assert set(os.listdir(tmp_path)) == others | names
    with _files.lock(str(tmp_path / "home")) as locked:
        _files.remove_stale_temporaries(str(tmp_path), locked)
    assert set(os.listdir(tmp_path)) == others | {".agentihooks-dir.tmp"}


def test_without_a_lock_what_is_younger_than_an_hour_may_be_in_use(tmp_path, monkeypatch):
    young = left(tmp_path / ".agentihooks-abcd1234.tmp", 50)
    left(tmp_path / ".agentihooks-efgh5678.tmp", 70)

    def cannot(*_arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(_files.fcntl, "flock", cannot)
    with _files.lock(str(tmp_path / "home")) as locked:
        assert locked is False
        _files.remove_stale_temporaries(str(tmp_path), locked)
    assert os.listdir(tmp_path) == [young]


@pytest.mark.parametrize("moment", ["_refuse_changed", "_swapped"])
def test_a_write_whose_temporary_was_taken_away_is_to_be_decided_again(tmp_path, monkeypatch, moment):
    path = put(tmp_path / "a", b"old")
    real = getattr(_files, moment)

    def taken_away(*arguments):
        for name in os.listdir(tmp_path):
            if name.endswith(_files.TEMPORARY_SUFFIX):
                os.unlink(tmp_path / name)
        return real(*arguments)

    monkeypatch.setattr(_files, moment, taken_away)
    with pytest.raises(Changed):
        _files.replace(_files.read(path), b"new")
    assert os.listdir(tmp_path) == ["a"] and Path(path).read_bytes() == b"old"


def test_an_error_is_one_printable_line():
    error = SurfaceError("two\nlines", "/home/caf\udce9/settings.json", 3, 5, "Do this")
    assert str(error) == "/home/caf?/settings.json, line 3, column 5: two lines. Do this"


@pytest.mark.parametrize(("mode", "refused"), [(0o700, False), (0o775, False), (0o1777, False), (0o777, True), (0o702, True)])
def test_a_directory_that_every_account_can_change_is_refused(tmp_path, mode, refused):
    place = tmp_path / "home"
    place.mkdir()
    place.chmod(mode)
    if refused:
        with pytest.raises(_files.SurfaceError, match="every account.*chmod o-w"):
            _files.require_private(str(place))
    else:
        _files.require_private(str(place))
    _files.require_private(str(place / "missing"))
