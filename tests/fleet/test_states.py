# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""copilot_settings from many starting states: check mode writes nothing and says what the run does, a second run does nothing."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import time

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _jsonc, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, SEEN, Entry, Record
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import fingerprint
from playbook import Controller
from states import State, check_state, run_all

WANTED = {"model": "wanted", "footer": {"show": True}}
MANAGER = "agentihooks.fleet/default"
NEW = {"model": "created", "footer.show": "created", "disableAllHooks": "created"}
ADDED = dict(NEW, disableAllHooks="pinned")
WAS = {"model": "unchanged", "footer.show": "unchanged", "disableAllHooks": "unchanged"}


# All runs are made once for all tests here, so one process takes them all.
pytestmark = pytest.mark.xdist_group("states")


def holding(data, **rest):
    """A settings.json with these bytes."""
    return State(lambda home: write(home, data), **rest)


def write(home, data, name="settings.json"):
    home.mkdir(exist_ok=True)
    (home / name).write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    (home / name).chmod(0o600 if name != "settings.json" else 0o644)


def with_ledger(data, record, manager=MANAGER, **rest):
    """A settings.json with these bytes beside a ledger with this record."""

    def make(home):
        write(home, data)
        write(home, _ledger.dump(_ledger.Ledger(manager, {"settings.json": _ledger.Surface(record)})), _ledger.LEDGER)

    return State(make, **rest)


def with_sidecar(data, sidecar, name=_ledger.LEDGER, **rest):
    def make(home):
        write(home, data)
        write(home, sidecar, name)

    return State(make, **rest)


def ours(**values):
    return Record({(key,): Entry(OURS, fingerprint(value)) for key, value in values.items()})


def linked(target, link):
    """A settings.json that is a link to a file elsewhere; link makes it from (home, target)."""

    def make(home):
        home.mkdir()
        target_path = home / target
        target_path.parent.mkdir(exist_ok=True)
        target_path.write_bytes(b'{"theirs": 1}')
        link(home, target_path)

    def final(home):
        assert (home / "settings.json").is_symlink()
        assert not (home / target).is_symlink()
        assert _jsonc.parse((home / target).read_bytes()).value["model"] == "wanted"
        assert os.listdir(str((home / target).parent)) == ["real.json"]

    return State(make, ADDED, keeps=[b'"theirs": 1'], final=final)


def mode_stays(mode):
    def final(home):
        assert stat.S_IMODE((home / "settings.json").stat().st_mode) == mode

    return State(lambda home: write(home, b"{}"), ADDED, rights=lambda home: (home / "settings.json").chmod(mode), final=final)


AUDIO = 29  # a group of every Debian system, which a scratch account is not in


def linked_home(home):
    real = home.with_name(home.name + ".real")
    real.mkdir()
    (real / "settings.json").write_bytes(b'{"theirs": 1}')
    home.symlink_to(real.name)


def dangling_home(home):
    home.symlink_to("nowhere")


def is_still_linked(home):
    assert home.is_symlink() and sorted(os.listdir(str(home)))[-1] == "settings.json"


def link_chain(home, target):
    (home / "middle.json").symlink_to(os.path.relpath(str(target), str(home)))
    (home / "settings.json").symlink_to("middle.json")


def no_entry_of_ours(home):
    value = _jsonc.parse((home / "settings.json").read_bytes()).value
    assert not set(value) & {"agentihooks", "_agentihooks"}


def pipe(home):
    home.mkdir()
    os.mkfifo(str(home / "settings.json"))


COMMENTED = b'// mine\n{\n  // the theme\n  "theme": "dark", // yes\n  /* last */\n}\n'
ANOTHER = b'{"model": "mine", "theirs": [1, 1.0, true]}\n'
OUR_VALUES = {("model",): "wanted", ("footer", "show"): True, ("disableAllHooks",): False}
LEDGER_OURS = Record({path: Entry(OURS, fingerprint(value)) for path, value in OUR_VALUES.items()})
LEDGER_OLD = Record({**LEDGER_OURS.entries, ("model",): Entry(OURS, fingerprint("before"))})
REST = '"footer": {"show": true}, "disableAllHooks": false'

STATES = {
    "no directory": State(lambda home: None, NEW),
    "no file": State(lambda home: home.mkdir(), NEW),
    "empty file": holding(b"", outcomes=ADDED),
    "blank file": holding(b"\n \n", outcomes=ADDED),
    "empty object": holding(b"{}", outcomes=ADDED),
    "comments only": holding(b"// later\n", outcomes=ADDED, keeps=[b"// later\n"]),
    "null": holding(b"null", error="settings.json: holds null where a table"),
    "list": holding(b"[]", error="settings.json: holds a list where a table"),
    "number": holding(b"5", error="settings.json: holds a number where a table"),
    "half a JSON": holding(b'{\n  "model": "x",\n  "foo', error="settings.json, line 3, column 3: a string starts here that does not end"),
    "conflict markers": holding(b"{\n<<<<<<< HEAD\n}", error="settings.json, line 2, column 1: a key in double quotes"),
    "comments": holding(COMMENTED, outcomes=ADDED, keeps=[b"// mine\n", b"// the theme\n", b'"theme": "dark", // yes', b"/* last */"]),
    "trailing comma": holding(b'{\n  "theirs": 1,\n}\n', outcomes=ADDED, keeps=[b'{\n  "theirs": 1,\n', b"false,\n}\n"]),
    "byte order mark": holding(b'\xef\xbb\xbf{"theirs": 1}', outcomes=ADDED, keeps=[b'\xef\xbb\xbf{"theirs": 1']),
    "CRLF": holding(b'{\r\n  "theirs": 1\r\n}\r\n', outcomes=ADDED, keeps=[b'{\r\n  "theirs": 1,\r\n', b"false\r\n}\r\n"]),
    "tabs": holding(b'{\n\t"theirs": {\n\t\t"a": 1\n\t}\n}\n', outcomes=ADDED, keeps=[b'\n\t"footer": {\n\t\t"show": true\n\t}']),
    "no final newline": holding(
        b'{\n  "theirs": 1\n}', outcomes=ADDED, final=lambda home: (home / "settings.json").read_bytes().endswith(b"}") or pytest.fail()
    ),
    "one line": holding(b'{"theirs":1}', outcomes=ADDED, keeps=[b'{"theirs":1,"model":"wanted"']),
    "repeated keys": holding(b'{"model": "a", "theirs": 1, "model": "b"}', outcomes=dict(ADDED, model="foreign"), keeps=[b'"model": "a"', b'"model": "b"']),
    "invalid UTF-8": holding(b'{"a": "\xff"}', error="line 1, column 8: is not UTF-8 text"),
    "UTF-16": holding('{"a": 1}'.encode("utf-16"), error="UTF-16"),
    "deep nesting": holding(b'{"a": ' + b"[" * 5000, error="nested more than 100 levels"),
    "NaN": holding(b'{"a": NaN}', error="NaN is no JSON value"),
    "absolute link": linked("dotfiles/real.json", lambda home, target: (home / "settings.json").symlink_to(target)),
    "relative link": linked("dotfiles/real.json", lambda home, target: (home / "settings.json").symlink_to("dotfiles/real.json")),
    "link to a link": linked("dotfiles/real.json", link_chain),
    "dangling link": State(lambda home: (home.mkdir(), (home / "settings.json").symlink_to("gone")), error="symbolic link to .*gone, which does not exist"),
    "linked directory": State(linked_home, ADDED, keeps=[b'"theirs": 1'], final=is_still_linked),
    "dangling directory": State(dangling_home, error="symbolic link to .*nowhere, which does not exist"),
    "directory that is a file": State(lambda home: home.write_bytes(b""), error="is not a directory"),
    "file that is a directory": State(lambda home: (home / "settings.json").mkdir(parents=True), error="is not a regular file"),
    "file that is a pipe": State(pipe, error="is not a regular file"),
    "read-only directory": holding(ANOTHER, error="is not writable for user", rights=lambda home: home.chmod(0o555)),
    "read-only directory without a file": State(lambda home: home.mkdir(), error="is not writable for user", rights=lambda home: home.chmod(0o555)),
    "unreadable file": holding(ANOTHER, error="cannot be read: Permission denied", rights=lambda home: (home / "settings.json").chmod(0)),
    "mode 0600": mode_stays(0o600),
    "mode 0644": mode_stays(0o644),
    "mode 0640": mode_stays(0o640),
    "group the person is not in": holding(
        ANOTHER, error="belongs to the group audio, which .* Run: sudo chgrp", rights=lambda home: os.chown(str(home / "settings.json"), -1, AUDIO),
    ),
    "file of root": holding(ANOTHER, error="belongs to root, not to .* Run: sudo chown", rights=lambda home: os.chown(str(home / "settings.json"), 0, 0)),
    "ledger of root": with_sidecar(
        ANOTHER, b"{}", error="managed.json: belongs to root", rights=lambda home: os.chown(str(home / _ledger.LEDGER), 0, 0),
    ),
    "newer ledger": with_sidecar(ANOTHER, {"schema": 2}, error="written by a newer version .*Upgrade the collection"),
    "ledger of a stranger": with_ledger(ANOTHER, ours(model="mine"), manager="other/bundle", error="managed by other/bundle, not by agentihooks.fleet/default"),
    "corrupt ledger": with_sidecar(ANOTHER, b"{", outcomes=dict(ADDED, model="foreign"), keeps=[ANOTHER[:-2]], loses=True),
    "unreadable ledger": with_sidecar(
        ANOTHER, b"{}", error="managed.json: cannot be read: Permission denied", rights=lambda home: (home / _ledger.LEDGER).chmod(0),
    ),
    "ledger gone, its backup there": with_sidecar(ANOTHER, {"schema": 1}, _ledger.BACKUP, outcomes=dict(ADDED, model="foreign"), loses=True),
    "originals damaged": with_sidecar(ANOTHER, b"?", _ledger.ORIGINALS, error="cannot be understood"),
    "records of AgentiHooks in the file": holding(
        {"agentihooks": {"managed": {"model": "old", "footer": {"show": False}}}, "_agentihooks": {"channels": "a"}, "model": "old", "footer": {"show": 5}},
        outcomes={"agentihooks": "removed", "_agentihooks": "removed", "model": "updated", "footer.show": "hand_edited", "disableAllHooks": "pinned"},
        final=no_entry_of_ours,
    ),
    "records of AgentiHooks in a sidecar": with_sidecar(
        {"model": "old", "footer": {"show": 5}, "beep": True, "theirs": 1}, {"model": "old", "footer": {"show": False}, "beep": True},
        outcomes={"model": "updated", "footer.show": "hand_edited", "beep": "removed", "disableAllHooks": "pinned"}, keeps=[b'"theirs": 1'],
    ),
    "as wanted, not by us": holding(('{"model": "wanted", %s}' % REST).encode(), outcomes=WAS),
    "as wanted, by us": with_ledger(('{"model": "wanted", %s}' % REST).encode(), LEDGER_OURS, outcomes=WAS),
    "an older wish": with_ledger(('{"model": "before", %s}' % REST).encode(), LEDGER_OLD, outcomes=dict(WAS, model="updated")),
    "changed by hand": with_ledger(('{"model": "mine", %s}' % REST).encode(), LEDGER_OURS, outcomes=dict(WAS, model="hand_edited"), keeps=[b'"model": "mine"']),
    "removed by hand": with_ledger(("{%s}" % REST).encode(), LEDGER_OURS, outcomes=dict(WAS, model="hand_edited")),
    "no longer wanted": with_ledger(
        ('{"model": "wanted", "beep": true, "theirs": 1, %s}' % REST).encode(),
        Record({**LEDGER_OURS.entries, ("beep",): Entry(OURS, fingerprint(True)), ("theirs",): Entry(SEEN, fingerprint(1))}),
        outcomes=dict(WAS, beep="removed", theirs="released"), keeps=[b'"theirs": 1'],
    ),
    "another value of the person": holding(ANOTHER, outcomes=dict(ADDED, model="foreign"), keeps=[b'"model": "mine", "theirs": [1, 1.0, true]']),
    "a scalar where a table is wanted": holding(b'{"footer": "none"}', outcomes=dict(ADDED, **{"footer.show": "foreign"}), keeps=[b'"footer": "none"']),
    "a table where a scalar is wanted": holding(b'{"model": {"a": 1}}', outcomes=dict(ADDED, model="foreign"), keeps=[b'"model": {"a": 1}']),
    "disableAllHooks true": holding(b'{"disableAllHooks": true}', outcomes=ADDED, keeps=[b'"disableAllHooks": false']),
    "disableAllHooks null": holding(b'{"disableAllHooks": null}', outcomes=ADDED, keeps=[b'"disableAllHooks": false']),
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(make_scratch_user, collections_path):
    task = {"agentihooks.fleet.copilot_settings": {"settings": WANTED, "config_home": "{{ config_home }}"}}
    yield from run_all(make_scratch_user(), collections_path, STATES, task)


@pytest.mark.parametrize("name", STATES)
def test_check_mode_is_honest_and_a_second_run_does_nothing(runs, name):
    data = check_state(runs, name, STATES[name], "settings.json")
    if data is not None:
        assert _jsonc.parse(data).value["disableAllHooks"] is False


def test_there_are_enough_states():
    assert len(STATES) >= 24


SECRET = "hunter2-Zq8vK3pL9xW4"
TOKEN = "ghp_" + "aB3dE5fG7h" * 3 + "iJ8kL2"


def test_no_secret_is_in_any_output(scratch_user, collections_path):
    """With -vvv and --diff, check and real, before and after, success and failure, register and debug."""
    controller = Controller(scratch_user, collections_path)
    old, new = SECRET + "old", SECRET + "new"
    scratch_user.write(".copilot/settings.json", json.dumps({"env": {"API_TOKEN": old, "NOTE": TOKEN}, "theirs": {"password": old}}))
    wanted = {"env": {"API_TOKEN": new, "PLAIN": "visible-value"}, "permissions": {"token": new}, "note": "the token is " + TOKEN}
    module = {"agentihooks.fleet.copilot_settings": {"settings": wanted, "on_conflict": "overwrite"}}
    tasks = [
        dict(module, check_mode=True, register="first"),
        {"ansible.builtin.debug": {"var": "first"}},
        dict(module, register="second"),
        {"ansible.builtin.debug": {"var": "second"}},
        {"agentihooks.fleet.copilot_settings": dict(module["agentihooks.fleet.copilot_settings"], config_home="relative"), "ignore_errors": True},
        {"agentihooks.fleet.copilot_settings": dict(module["agentihooks.fleet.copilot_settings"], on_conflict="wrong"), "ignore_errors": True},
    ]
    run = controller.play(tasks, ["--diff", "-vvv"])
    value = json.loads((scratch_user.home / ".copilot" / "settings.json").read_text())
    assert value["env"]["API_TOKEN"] == new and value["note"].endswith(TOKEN)
    assert SECRET not in run.output and TOKEN not in run.output
    assert '"API_TOKEN": "********"' in run.output and "visible-value" in run.output
    ledger = (scratch_user.home / ".copilot" / _ledger.LEDGER).read_text()
    assert SECRET not in ledger and TOKEN not in ledger


def test_trusted_folders_wait_for_the_cli_and_touch_nothing_else(scratch_user, collections_path):
    controller = Controller(scratch_user, collections_path)
    config = b'// User settings belong in settings.json.\n// This file is managed automatically.\n{\n  "firstLaunchAt": "x",\n  "trusted_folders": ["/mine"]\n}'
    path = scratch_user.write(".copilot/config.json", config, mode=0o640)
    idle = controller.converge(("trusted_folders", {"folders": []}))
    assert idle.changes == {} and os.listdir(str(path.parent)) == ["config.json"]
    # Named like the CLI, which is all that can be known of a process from outside.
    shutil.copy("/bin/sleep", str(scratch_user.home / "copilot"))
    with subprocess.Popen([str(scratch_user.home / "copilot"), "100"], user=scratch_user.uid, group=scratch_user.gid) as process:
        try:
            wait_until_it_is(process.pid, "copilot")
            waiting = controller.tasks(("trusted_folders", {"folders": ["~/src", "/mine"]}))
            assert waiting.changes == {"trusted_folders": "deferred"} and waiting.changed == 0
            assert path.read_bytes() == config
        finally:
            process.kill()
    done = controller.converge(("trusted_folders", {"folders": ["~/src", "/mine"]}))
    assert done.changes == {"trusted_folders": "unioned"}
    assert path.read_bytes() == config.replace(b'["/mine"]', b'["/mine", "%s/src"]' % str(scratch_user.home).encode())
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    # The person takes the folder out; it stays out.
    path.write_bytes(config)
    left = controller.tasks(("trusted_folders", {"folders": ["~/src", "/mine"]}))
    assert left.changed == 0 and left.results[0]["hand_edited"] == [["trusted_folders"]] and path.read_bytes() == config
    gone = controller.tasks(("trusted_folders", {"state": "absent"}))
    assert gone.changed == 0 and path.read_bytes() == config and os.listdir(str(path.parent)) == ["config.json"]


def wait_until_it_is(pid, name):
    """Wait until a started process runs the program of that name."""
    deadline = time.monotonic() + 10
    while os.path.basename(os.readlink("/proc/%d/exe" % pid)) != name:
        assert time.monotonic() < deadline
        time.sleep(0.01)
