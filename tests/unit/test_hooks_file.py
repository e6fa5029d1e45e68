# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copilot's hooks file: what is ours in it, what is put right, what stays; and that the command reaches the wrapper."""

from __future__ import annotations

import subprocess

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _hooks_file as hooks_file
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, edited
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import COPILOT_REGISTERED

HOME = "/home/ada"
WRAPPER = "/home/ada/.copilot/agentihooks-hook.sh"
FORM = hooks_file.Copilot(WRAPPER, HOME)
FOREIGN = {"type": "command", "command": "~/bin/notify.sh", "timeoutSec": 5}


def whole():
    """A hooks file as we write it."""
    return {"version": 1, "hooks": {event: [FORM.entry(event)] for event in COPILOT_REGISTERED}}


def after(value, **kwargs):
    """Return (the value after the plan, its changes as {dotted path: outcome})."""
    edits, changes = hooks_file.plan(FORM, value, **kwargs)
    return edited({} if value is ABSENT else value, edits), {".".join(path): outcome for path, outcome in changes}


def test_a_missing_file_gets_the_twelve_events():
    value, changes = after(ABSENT)
    assert value == whole()
    assert list(value["hooks"]) == list(COPILOT_REGISTERED) and len(COPILOT_REGISTERED) == 12
    assert changes == {"hooks." + event: "created" for event in COPILOT_REGISTERED}
    assert value["hooks"]["preToolUse"] == [{"type": "command", "command": WRAPPER + " preToolUse", "timeoutSec": 30}]


def test_a_whole_file_is_left_alone():
    assert hooks_file.plan(FORM, whole()) == ([], [])


# Commands of an entry under preToolUse that must be ours and be put right.
OURS = [
    WRAPPER,
    WRAPPER + " preToolUse --verbose",
    WRAPPER + " preToolUse || true",
    WRAPPER + "\tpreToolUse",
    "'%s' preToolUse" % WRAPPER,
    '"%s" preToolUse' % WRAPPER,
    "~/.copilot/agentihooks-hook.sh",
    "~/.copilot/agentihooks-hook.sh preToolUse",
    "$HOME/.copilot/agentihooks-hook.sh preToolUse",
    '"${HOME}/.copilot/agentihooks-hook.sh" preToolUse',
    WRAPPER + ";true",
    "  %s  " % WRAPPER,
]
# Commands that only look like it.
NOT_OURS = [
    WRAPPER + ".bak preToolUse",
    "/opt" + WRAPPER + " preToolUse",
    "cat " + WRAPPER,
    "/home/eve/.copilot/agentihooks-hook.sh preToolUse",
    "echo '%s'" % WRAPPER,
    "",
    "'",
    7,
    None,
]


@pytest.mark.parametrize("command", OURS)
def test_an_edited_entry_of_ours_is_put_right(command):
    value = whole()
    value["hooks"]["preToolUse"] = [FOREIGN, {"type": "command", "command": command, "timeoutSeconds": 30}]
    fixed, changes = after(value)
    assert fixed["hooks"]["preToolUse"] == [FOREIGN, FORM.entry("preToolUse")]
    assert changes == {"hooks.preToolUse": "pinned"}


@pytest.mark.parametrize("command", NOT_OURS)
def test_an_entry_that_is_not_ours_stays_in_place(command):
    value = whole()
    other = {"type": "command", "command": command}
    value["hooks"]["preToolUse"].insert(0, other)
    assert after(value) == (value, {})
    assert after(value, events=())[0]["hooks"] == {"preToolUse": [other]}


@pytest.mark.parametrize("change", [{"timeoutSec": 2}, {"timeoutSeconds": 30}, {"matcher": "view"}, {"cwd": "/"}, {"type": "prompt"}, {"env": {"HOME": "/"}}])
def test_any_other_key_or_value_in_our_entry_is_put_right(change):
    value = whole()
    value["hooks"]["preToolUse"] = [dict(FORM.entry("preToolUse"), **change)]
    assert after(value) == (whole(), {"hooks.preToolUse": "pinned"})


def test_a_second_entry_of_ours_goes():
    value = whole()
    value["hooks"]["sessionStart"] *= 2
    assert after(value) == (whole(), {"hooks.sessionStart": "pinned"})


def test_an_event_taken_out_comes_back():
    value = whole()
    del value["hooks"]["preToolUse"]
    fixed, changes = after(value)
    assert fixed == whole() and changes == {"hooks.preToolUse": "pinned"}


def test_our_entries_under_names_that_are_not_registered_go():
    value = whole()
    value["hooks"]["PreToolUse"] = [{"type": "command", "command": WRAPPER, "timeoutSeconds": 30}]
    value["hooks"]["SessionStart"] = [{"type": "command", "command": WRAPPER}, FOREIGN]
    fixed, changes = after(value)
    assert fixed == dict(whole(), hooks=dict(whole()["hooks"], SessionStart=[FOREIGN]))
    assert changes == {"hooks.PreToolUse": "removed", "hooks.SessionStart": "removed"}


def test_ours_inside_a_group_is_taken_out_of_it():
    value = whole()
    value["hooks"]["preToolUse"].append({"matcher": "bash", "hooks": [FOREIGN, {"command": WRAPPER + " preToolUse"}]})
    value["hooks"]["postToolUse"].append({"matcher": "bash", "hooks": [{"command": WRAPPER}]})
    fixed, _changes = after(value)
    assert fixed["hooks"]["preToolUse"] == [FORM.entry("preToolUse"), {"matcher": "bash", "hooks": [FOREIGN]}]
    assert fixed["hooks"]["postToolUse"] == [FORM.entry("postToolUse")]


@pytest.mark.parametrize("version", [2, "1", True, 1.0, None])
def test_a_version_that_makes_the_cli_refuse_the_file_is_put_right(version):
    assert after(dict(whole(), version=version)) == (whole(), {"version": "pinned"})


@pytest.mark.parametrize("switch", [True, "true", 1])
def test_the_files_own_off_switch_is_put_back(switch):
    fixed, changes = after(dict(whole(), disableAllHooks=switch))
    assert fixed == dict(whole(), disableAllHooks=False) and changes == {"disableAllHooks": "pinned"}


def test_other_keys_of_the_person_stay():
    value = dict(whole(), note="mine")
    assert after(value) == (value, {})


def test_leaving_takes_exactly_ours():
    value = whole()
    value["hooks"]["preToolUse"].insert(0, FOREIGN)
    left, changes = after(value, events=())
    assert left == {"version": 1, "hooks": {"preToolUse": [FOREIGN]}}
    assert set(changes.values()) == {"removed"} and not hooks_file.is_empty(left)
    assert hooks_file.is_empty(after(whole(), events=())[0])


@pytest.mark.parametrize(
    "value, path",
    [([], ()), (None, ()), ({"hooks": []}, ("hooks",)), ({"hooks": {"preToolUse": {}}}, ("hooks", "preToolUse")), ({"hooks": None}, ("hooks",))],
)
def test_another_shape_is_refused(value, path):
    with pytest.raises(hooks_file.Malformed) as caught:
        hooks_file.plan(FORM, value)
    assert caught.value.path == path


def test_ours_is_found_wherever_it_is_registered():
    inline = {"model": "x", "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"bash": WRAPPER + " preToolUse"}]}]}}
    assert FORM.mentions(inline)
    assert not FORM.mentions({"hooks": {"preToolUse": [FOREIGN]}})


@pytest.mark.parametrize("shell", ["bash", "/bin/sh"])
@pytest.mark.parametrize("name", ["plain", "dev user é", "o'brien", "a$HOME", 'a"b', "a`id`", "a\\b", "-n", "a;b&c", "a\nb", "*"])
def test_the_registered_command_reaches_the_wrapper_in_any_home(tmp_path, shell, name):
    wrapper = tmp_path / name / ".copilot" / "agentihooks-hook.sh"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text('#!/bin/sh\nprintf "%s|" reached "$@"\ncat\n')
    wrapper.chmod(0o700)
    form = hooks_file.Copilot(str(wrapper), str(tmp_path / name))
    command = form.entry("preToolUse")["command"]
    done = subprocess.run([shell, "-c", command], input=b"payload", stdout=subprocess.PIPE, check=True, cwd="/")
    assert done.stdout == b"reached|preToolUse|payload"
    assert form.is_ours({"command": command})
