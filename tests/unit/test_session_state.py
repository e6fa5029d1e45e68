# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a session remembers survives many processes at once; what somebody breaks counts as never remembered."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import signal
import time

import pytest
from agentihooks import session_state
from agentihooks.session_state import Session

FORK = multiprocessing.get_context("fork")


def one_up(section):
    return {"count": section.get("count", 0) + 1}


def ask_once(arguments):
    return Session(*arguments).once("item")


def count_up(arguments):
    Session(*arguments).update("counter", one_up)


def test_once_is_once_also_when_many_ask_at_the_same_time(tmp_path):
    with FORK.Pool(8) as pool:
        answers = pool.map(ask_once, [(str(tmp_path), "s%d" % (number % 3)) for number in range(60)], chunksize=1)
    assert sum(answers) == 3
    files = sorted((tmp_path / "state").iterdir())
    assert [path.name for path in files] == ["s0.json", "s1.json", "s2.json"]
    for path in files:
        assert path.stat().st_mode & 0o777 == 0o600
        assert json.loads(path.read_text())["seen"] == {"items": ["item"]}
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_no_update_is_lost(tmp_path):
    with FORK.Pool(8) as pool:
        pool.map(count_up, [(str(tmp_path), "s")] * 200, chunksize=1)
    assert Session(str(tmp_path), "s").get("counter") == {"count": 200}


def test_sections_do_not_disturb_each_other(tmp_path):
    session = Session(str(tmp_path), "s")
    assert session.get("a") == {} and not (tmp_path / "state").exists()
    session.update("a", lambda kept: {"x": 1})
    assert session.once("item")
    assert session.update("b", lambda kept: {"y": "é"}) == {"y": "é"}
    assert session.update("a", lambda kept: None) == {"x": 1}
    assert (session.get("a"), session.get("b"), session.once("item")) == ({"x": 1}, {"y": "é"}, False)
    assert Session(str(tmp_path), "t").get("a") == {}
    session.forget()
    session.forget()
    assert session.get("a") == {}


@pytest.mark.parametrize(
    "content",
    [b"", b'{"session": "s", "seen": {"items": ["ite', b"[]", b"null", b"\xff\xfe", b"[" * 60000, b'{"session": "s", "seen": 1}',
     b'{"session": "s", "seen": {"items": "item"}}', b'{"session": "s", "seen": {"items": [1, null]}}', b'{"session": "other", "seen": {"items": ["item"]}}',
     b'{"session": "s", "seen": {"items": ["item"]}}' + b" " * session_state.MAX_BYTES],
    ids=["empty", "half", "list", "null", "bytes", "deep", "number", "text", "numbers", "another's", "large"],
)  # fmt: skip
def test_a_broken_file_counts_as_empty_and_is_mended(tmp_path, content):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "s.json").write_bytes(content)
    session = Session(str(tmp_path), "s")
    assert session.get("counter") == {}
    assert (session.once("item"), session.once("item")) == (True, False)
    session.update("counter", one_up)
    assert session.get("counter") == {"count": 1}


def test_what_is_too_large_is_not_kept(tmp_path):
    session = Session(str(tmp_path), "s")
    session.update("a", lambda kept: {"x": 1})
    session.update("a", lambda kept: {"x": "y" * session_state.MAX_BYTES})
    assert session.get("a") == {"x": 1}
    for number in range(session_state.MAX_SEEN + 10):
        session.once("item %d" % number)
    assert session.get("a") == {"x": 1} and len(session.get("seen")["items"]) == session_state.MAX_SEEN
    assert not session.once("item %d" % (session_state.MAX_SEEN + 9))


def test_a_shorter_state_leaves_nothing_of_the_longer_one(tmp_path):
    session = Session(str(tmp_path), "s")
    session.update("a", lambda kept: {"x": "y" * 1000})
    session.update("a", lambda kept: {})
    assert json.loads((tmp_path / "state" / "s.json").read_text()) == {"session": "s", "a": {}}


@pytest.mark.parametrize("session_id", ["../../x", "", "a/b", "é" * 300, "x" * 5000, "\x00", "\ud800", "..", ".", "a.json", "A b"])
def test_any_session_id_stays_in_the_directory(tmp_path, session_id):
    session = Session(str(tmp_path), session_id)
    assert (session.once("item"), session.once("item")) == (True, False)
    assert [path.parent for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "state"]
    assert Session(str(tmp_path), session_id + "x").once("item")


def plant_link(path, victim):
    path.symlink_to(victim)


def plant_hard_link(path, victim):
    os.link(str(victim), str(path))


def plant_pipe(path, victim):
    os.mkfifo(str(path))


def plant_directory(path, victim):
    path.mkdir()


@pytest.mark.parametrize("plant", [plant_link, plant_hard_link, plant_pipe, plant_directory])
def test_what_is_planted_is_neither_followed_nor_written(tmp_path, plant):
    victim = tmp_path / "victim"
    victim.write_text("keep")
    (tmp_path / "state").mkdir()
    plant(tmp_path / "state" / "s.json", victim)
    with pytest.raises(OSError):
        Session(str(tmp_path), "s").once("item")
    with pytest.raises(OSError):
        Session(str(tmp_path), "s").get("a")
    assert victim.read_text() == "keep"


def test_a_lock_that_is_never_given_back_is_an_error_and_not_a_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(session_state, "LOCK_SECONDS", 0.1)
    session = Session(str(tmp_path), "s")
    session.once("item")
    with open(session.path, encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        started = time.monotonic()
        with pytest.raises(OSError):
            session.once("another")
        assert time.monotonic() - started < 1
    assert session.once("another")


def write_for_ever(directory):
    while True:
        Session(directory, "s").update("a", lambda kept: {"x": "y" * (kept.get("n", 0) * 37 % 5000), "n": kept.get("n", 0) + 1})


def test_a_writer_that_is_killed_leaves_a_file_that_works(tmp_path):
    for _round in range(10):
        writer = FORK.Process(target=write_for_ever, args=(str(tmp_path),))
        writer.start()
        time.sleep(0.03)
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        session = Session(str(tmp_path), "s")
        assert isinstance(session.get("a"), dict)
        session.update("b", one_up)
        assert session.get("b")["count"] >= 1


def test_old_and_surplus_sessions_go(tmp_path, monkeypatch):
    monkeypatch.setattr(session_state, "MAX_SESSIONS", 5)
    state = tmp_path / "state"
    state.mkdir()
    for number in range(8):
        path = state / ("old%d.json" % number)
        path.write_text("{}")
        os.utime(str(path), (time.time() - 100 - number,) * 2)
    os.utime(str(state / "old0.json"), (1, 1))
    Session(str(tmp_path), "new").once("item")
    assert sorted(path.name for path in state.iterdir()) == ["new.json", "old1.json", "old2.json", "old3.json", "old4.json"]


def count_up_later(directory, locked):
    locked.wait()
    count_up((directory, "s"))


def test_an_update_whose_file_is_pruned_meanwhile_is_kept_all_the_same(tmp_path):
    session, locked = Session(str(tmp_path), "s"), FORK.Event()
    session.once("item")
    waiting = FORK.Process(target=count_up_later, args=(str(tmp_path), locked))
    waiting.start()
    with open(session.path, encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        locked.set()
        time.sleep(0.2)
        os.unlink(session.path)
    waiting.join()
    assert waiting.exitcode == 0 and session.get("counter") == {"count": 1}


def test_a_directory_that_cannot_be_used_is_an_os_error(tmp_path):
    (tmp_path / "state").write_text("a file")
    with pytest.raises(OSError):
        Session(str(tmp_path), "s").once("item")
    with pytest.raises(OSError):
        Session(str(tmp_path), "s").get("a")
