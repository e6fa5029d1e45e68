# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver on real files: come and go without a trace, kills and other writers in between, damaged and foreign ledgers."""

from __future__ import annotations

import json
import multiprocessing
import os
import time

import pytest

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _document, _files, _jsonc, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy

SETTINGS = {"model": "m", "footer": {"show": True}, "disabledMcpServers": ["a"]}
PERSONS = b'// mine\n{\n\t"theme": "dark", // yes\n\t"model": "m",\n}'


class Person:
    """A configuration home and runs in it."""

    def __init__(self, path):
        self.path = path
        self.file = path / "settings.json"

    def run(self, settings, policy=None, check=False, hold=None, manager="team", takeover=False):
        present = settings is not None
        home = _document.Home(str(self.path), manager, takeover, _copilot.settings_rules())
        rules = _copilot.settings_rules(present)
        return _document.converge(home, "settings.json", lambda disk: settings or {}, rules, policy or Policy(), _jsonc, check, hold)

    def value(self):
        return _jsonc.parse(self.file.read_bytes()).value

    def tree(self):
        found = {str(path): os.lstat(path) for path in [self.path.parent, *self.path.parent.rglob("*")]}
        return {path: (status.st_mode, status.st_mtime_ns, status.st_ino) for path, status in found.items()}


@pytest.fixture
def person(tmp_path):
    return Person(tmp_path / ".copilot")


@pytest.fixture
def settled(person):
    """A person with settings of their own."""
    person.path.mkdir()
    person.file.write_bytes(PERSONS)
    return person


def outcomes(result):
    return {".".join(path): outcome for path, outcome in result.changes}


def test_coming_and_going_leaves_nothing(person):
    assert person.run(SETTINGS).changed
    assert sorted(os.listdir(person.path)) == [".agentihooks-managed.json", ".agentihooks-originals.json", "settings.json"]
    assert not person.run(SETTINGS).changed
    assert person.run(None).changed
    assert not person.path.exists()
    assert not person.run(None).changed
    assert os.listdir(person.path.parent) == []


def test_coming_and_going_gives_the_bytes_back(settled):
    settled.run(dict(SETTINGS, model="other"), Policy("overwrite"))
    assert settled.value()["model"] == "other"
    settled.run(dict(SETTINGS, model="third"))
    settled.run(None)
    assert settled.file.read_bytes() == PERSONS and os.listdir(settled.path) == ["settings.json"]


@pytest.mark.parametrize("data", [b"", b" \n", b"{ }", b'{"model":\r\n"x"}', b"{}\n\n", b'{"t": {\n}}'])
def test_any_untouched_form_comes_back(settled, data):
    settled.file.write_bytes(data)
    settled.run({"model": "m", "t": {"x": 1}, "list": [1]}, Policy("overwrite"))
    settled.run(None)
    assert settled.file.read_bytes() == data


def test_what_the_person_wrote_since_stays_when_we_go(settled):
    settled.run(SETTINGS)
    settled.file.write_bytes(settled.file.read_bytes().replace(b"// yes", b"// yes!") + b"\n// more")
    settled.run(dict(SETTINGS, beep=False))
    settled.run(None)
    assert settled.file.read_bytes() == PERSONS.replace(b"// yes", b"// yes!") + b"\n// more"


def test_a_file_we_made_with_something_of_the_person_stays(person):
    person.run(SETTINGS)
    person.file.write_bytes(_jsonc.apply(_jsonc.parse(person.file.read_bytes()), [("put", ("theirs",), 1)]))
    person.run(None)
    assert person.value() == {"theirs": 1} and os.listdir(person.path) == ["settings.json"]


def test_check_mode_writes_nothing_and_says_the_same(settled):
    before = settled.tree()
    predicted = settled.run(SETTINGS, check=True)
    assert settled.tree() == before
    real = settled.run(SETTINGS)
    assert (predicted.changed, predicted.changes, predicted.after) == (real.changed, real.changes, real.after)


def test_a_second_run_writes_nothing(settled):
    settled.run(SETTINGS)
    before = settled.tree()
    assert not settled.run(SETTINGS).changed
    assert settled.tree() == before


def test_bookkeeping_alone_is_no_change(settled):
    settled.file.write_bytes(b'{"model": "m", "disableAllHooks": false}')
    result = settled.run({"model": "m"})
    assert not result.changed and outcomes(result) == {"model": "unchanged", "disableAllHooks": "unchanged"}
    assert (settled.path / _ledger.LEDGER).exists()
    settled.run(None)
    assert settled.value() == {"model": "m", "disableAllHooks": False} and os.listdir(settled.path) == ["settings.json"]


@pytest.mark.parametrize("die_at", range(1, 9))
def test_a_kill_at_any_moment_loses_nothing(settled, monkeypatch, die_at):
    """The process dies before its n-th rename, then a whole run follows."""

    class Killed(BaseException):
        pass

    renames = []
    rename = os.rename

    def counted(source, target):
        renames.append(target)
        if len(renames) == die_at:
            raise Killed
        rename(source, target)

    wanted = dict(SETTINGS, model="other")
    monkeypatch.setattr(_files.os, "rename", counted)
    try:
        settled.run(wanted, Policy("overwrite"))
    except Killed:
        pass
    monkeypatch.setattr(_files.os, "rename", rename)
    settled.run(wanted, Policy("overwrite"))
    assert settled.value() == {"theme": "dark", "model": "other", "footer": {"show": True}, "disabledMcpServers": ["a"], "disableAllHooks": False}
    # All of it counts as ours: a new wish is followed, and leaving gives everything back.
    assert outcomes(settled.run(dict(wanted, model="next")))["model"] == "updated"
    settled.run(None)
    assert settled.value() == {"theme": "dark", "model": "m"}
    assert os.listdir(settled.path) == ["settings.json"]


def test_a_kill_before_the_first_write_does_not_lose_what_stood_there(settled, monkeypatch):
    """The original is noted by then; the next run must not take it for one that somebody changed since."""
    real = _files.replace

    def killed(snapshot, *arguments, **more):
        if snapshot.path.endswith("settings.json"):
            raise KeyboardInterrupt
        return real(snapshot, *arguments, **more)

    monkeypatch.setattr(_files, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        settled.run(SETTINGS)
    monkeypatch.setattr(_files, "replace", real)
    settled.run(SETTINGS)
    assert _ledger.load_originals((settled.path / _ledger.ORIGINALS).read_bytes()).documents == {"settings.json": PERSONS}
    settled.run(None)
    assert settled.file.read_bytes() == PERSONS


def test_what_a_killed_leave_did_not_take_along_goes_with_the_next_one(settled):
    settled.run(SETTINGS)
    originals = (settled.path / _ledger.ORIGINALS).read_bytes()
    settled.run(None)
    (settled.path / _ledger.LEDGER).write_bytes(_ledger.dump(_ledger.Ledger("team")))
    (settled.path / _ledger.ORIGINALS).write_bytes(originals)
    settled.run(None)
    assert os.listdir(settled.path) == ["settings.json"] and settled.file.read_bytes() == PERSONS


def test_a_write_that_fails_leaves_file_and_record_as_they_were(settled, monkeypatch):
    settled.run({"model": "m"})
    before = settled.file.read_bytes()
    replace = _files.replace

    def full(snapshot, data, **options):
        if snapshot.path == str(settled.file):
            raise SurfaceError("cannot be written: No space left on device", snapshot.path)
        return replace(snapshot, data, **options)

    monkeypatch.setattr(_files, "replace", full)
    with pytest.raises(SurfaceError, match="No space left"):
        settled.run(SETTINGS)
    monkeypatch.setattr(_files, "replace", replace)
    assert settled.file.read_bytes() == before
    assert "intent" not in (settled.path / _ledger.LEDGER).read_text()
    assert settled.run(SETTINGS).changed


def test_an_error_after_the_write_keeps_our_values_ours(settled, monkeypatch):
    replace = _files.replace

    def written_but_failing(snapshot, data, *rest, **options):
        replace(snapshot, data, *rest, **options)
        if snapshot.path.endswith("settings.json"):
            raise SurfaceError("cannot be written", snapshot.path)

    monkeypatch.setattr(_files, "replace", written_but_failing)
    with pytest.raises(SurfaceError):
        settled.run(SETTINGS)
    monkeypatch.undo()
    assert not settled.run(SETTINGS).changed
    settled.run(None)
    assert settled.file.read_bytes() == PERSONS


def test_a_program_that_had_read_before_and_writes_after_us_undoes_nothing(settled, monkeypatch):
    replace, undone = _files.replace, []

    def overtaken(snapshot, data, *rest, **options):
        before = settled.file.read_bytes()
        replace(snapshot, data, *rest, **options)
        if snapshot.path.endswith("settings.json") and not undone:
            undone.append(True)
            settled.file.write_bytes(before.replace(b"dark", b"light"))

    monkeypatch.setattr(_files, "replace", overtaken)
    result = settled.run(SETTINGS)
    value = settled.value()
    assert result.changed and undone and value["theme"] == "light" and value["footer"] == {"show": True}
    settled.run(None)
    assert settled.value() == {"theme": "light", "model": "m"}


def _write_all_the_time(path, stop, added):
    """Replace the file with a new key every ten milliseconds, careful not to undo what others write."""
    count = 0
    while not stop.is_set():
        snapshot = _files.read(path)
        try:
            _files.replace(snapshot, _jsonc.apply(_jsonc.parse(snapshot.data), [("put", ("theirs%d" % count,), count)]))
        except _files.Changed:
            continue
        count += 1
        added.value = count
        time.sleep(0.01)


def _read_all_the_time(path, stop, torn):
    while not stop.is_set():
        try:
            with open(path, "rb") as stream:
                _jsonc.parse(stream.read())
        except _jsonc.JsonError:
            torn.value += 1


def test_another_program_that_writes_all_the_time_loses_nothing(settled):
    settled.file.write_bytes(b"{}")
    # Processes, not threads: threads would wait for each other's interpreter just between the last look and the rename.
    fork = multiprocessing.get_context("fork")
    stop, added, torn = fork.Event(), fork.Value("i", 0), fork.Value("i", 0)
    others = [
        fork.Process(target=target, args=(str(settled.file), stop, count))
        for target, count in ((_write_all_the_time, added), (_read_all_the_time, torn))
    ]
    for process in others:
        process.start()
    try:
        for number in range(20):
            settled.run({"model": "m%d" % number})
    finally:
        stop.set()
        for process in others:
            process.join()
    value = settled.value()
    assert torn.value == 0 and added.value > 0
    # Between the last look and the rename lie microseconds in which one change may be lost; more would be a fault.
    lost = [number for number in range(added.value) if "theirs%d" % number not in value]
    assert len(lost) + (value["model"] != "m19") <= 1


def test_a_file_that_never_rests_is_given_up_with_a_clear_error(settled, monkeypatch):
    def changed(snapshot, *rest, **options):
        raise _files.Changed(snapshot.path)

    monkeypatch.setattr(_files, "replace", changed)
    with pytest.raises(SurfaceError, match="keeps changing it while this run decides. Run again"):
        settled.run(SETTINGS)


def test_a_damaged_ledger_keeps_and_warns_once_and_adopt_is_the_way_back(settled):
    settled.run(dict(SETTINGS, model="other"), Policy("overwrite"))
    ledger = settled.path / _ledger.LEDGER
    ledger.write_text("{")
    result = settled.run(dict(SETTINGS, model="third"), Policy("overwrite"))
    assert not result.changed and outcomes(result)["model"] == "foreign" and len(result.warnings) == 1
    again = settled.run(dict(SETTINGS, model="other"), Policy(adopt=True))
    assert not again.changed and again.warnings == []
    settled.run(None)
    assert settled.value() == {"theme": "dark", "model": "m"}


@pytest.mark.parametrize("damage", ["unlink", "write"])
def test_leaving_with_a_lost_ledger_removes_nothing(settled, damage):
    settled.run(SETTINGS)
    ledger = settled.path / _ledger.LEDGER
    ledger.unlink() if damage == "unlink" else ledger.write_text("[]")
    before = settled.tree()
    result = settled.run(None)
    assert not result.changed and len(result.warnings) == 1
    assert settled.tree() == before


def test_the_last_good_ledger_can_be_put_back(settled):
    settled.run({"model": "m"})
    settled.run(SETTINGS)
    settled.run(dict(SETTINGS, beep=True))
    (settled.path / _ledger.LEDGER).write_text("")
    os.replace(settled.path / _ledger.BACKUP, settled.path / _ledger.LEDGER)
    result = settled.run(dict(SETTINGS, beep=True))
    assert result.warnings == [] and outcomes(result)["footer.show"] == "unchanged"


def test_a_newer_ledger_stops_everything(settled):
    (settled.path / _ledger.LEDGER).write_text('{"schema": 7}')
    before = settled.tree()
    with pytest.raises(SurfaceError, match="newer version .*schema 7.*Upgrade the collection"):
        settled.run(SETTINGS)
    assert settled.tree() == before


def test_a_stranger_stops_unless_told_to_take_over(settled):
    settled.run(SETTINGS)
    with pytest.raises(SurfaceError, match="managed by team, not by other"):
        settled.run(SETTINGS, manager="other")
    assert not settled.run(SETTINGS, manager="other", takeover=True).changed
    with pytest.raises(SurfaceError, match="managed by other"):
        settled.run(SETTINGS)


def test_what_must_wait_is_deferred_and_writes_nothing(settled):
    before = settled.tree()
    result = settled.run(SETTINGS, hold=lambda: True)
    assert not result.changed and set(outcomes(result).values()) == {"deferred", "unchanged"}
    assert settled.tree() == before
    settled.run(SETTINGS)
    assert set(outcomes(settled.run(SETTINGS, hold=lambda: True)).values()) == {"unchanged"}


def test_ledger_files_are_private_and_hold_no_value(settled):
    settled.path.chmod(0o755)
    settled.run(dict(SETTINGS, secret="hunter2"))
    settled.run(dict(SETTINGS, secret="hunter3"))
    for name in (_ledger.LEDGER, _ledger.BACKUP, _ledger.ORIGINALS):
        file = settled.path / name
        assert file.stat().st_mode & 0o777 == 0o600
        assert "hunter" not in file.read_text()


def test_the_persons_deleted_file_is_a_reset(settled):
    settled.run(dict(SETTINGS, model="other"), Policy("overwrite"))
    settled.file.unlink()
    assert set(outcomes(settled.run(SETTINGS)).values()) == {"created", "unioned"}
    settled.run(None)
    assert settled.value() == {"model": "m"}


def test_two_surfaces_share_one_ledger_and_the_last_one_takes_it_along(person):
    person.run(SETTINGS)
    home = _document.Home(str(person.path), "team", False, _copilot.settings_rules())

    def trust(folders):
        rules = _copilot.config_rules()
        return _document.converge(home, "config.json", lambda disk: {"trustedFolders": folders} if folders else {}, rules, Policy(), _jsonc)

    assert not trust([]).changed and not (person.path / "config.json").exists()
    assert trust(["/src"]).changed
    assert set(json.loads((person.path / _ledger.LEDGER).read_text())["surfaces"]) == {"settings.json", "config.json"}
    person.run(None)
    assert sorted(os.listdir(person.path)) == [".agentihooks-managed.json", ".agentihooks-managed.json.bak", ".agentihooks-originals.json", "config.json"]
    trust([])
    assert not person.path.exists()


def test_the_clis_own_file_keeps_every_other_byte(person):
    person.path.mkdir()
    config = person.path / "config.json"
    text = b'// User settings belong in settings.json.\n// This file is managed automatically.\n'
    text += b'{\n  "firstLaunchAt": "x",\n  "trusted_folders": [\n    "/a"\n  ],\n}'
    config.write_bytes(text)
    config.chmod(0o640)
    home = _document.Home(str(person.path), "team", False, _copilot.settings_rules())
    rules = _copilot.config_rules()

    def trust(folders):

        def want(disk, folders=folders):
            return {_copilot.trusted_key(disk): folders} if folders else {}

        return _document.converge(home, "config.json", want, rules, Policy(), _jsonc)

    result = trust(["/b"])
    assert outcomes(result) == {"trusted_folders": "unioned"}
    assert config.read_bytes() == text.replace(b'"/a"\n', b'"/a",\n    "/b"\n') and config.stat().st_mode & 0o777 == 0o640
    trust([])
    assert config.read_bytes() == text
