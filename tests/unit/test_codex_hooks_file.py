# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Codex's hooks file: ours comes last and nothing of the person's ever moves; and the hash that Codex trusts it by."""

from __future__ import annotations

import json

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_managed, _codex_trust, _jsonc, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils import _hooks_file as hooks_file
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, edited
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import CODEX_REGISTERED

HOME = "/home/ada"
WRAPPER = "/home/ada/.codex/agentihooks-hook.sh"
PATH = "/home/ada/.codex/hooks.json"
FORM = hooks_file.Codex(WRAPPER, HOME)
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "~/bin/notify.sh", "timeout": 5}]}
OURS = FORM.entry("PreToolUse")
EMPTY = {"hooks": []}


def whole(**events):
    """A hooks file as we write it, with other groups for some events."""
    return {"hooks": dict({event: [FORM.entry(event)] for event in CODEX_REGISTERED}, **events)}


def after(value, **kwargs):
    """Return (the value after the plan, its changes as {dotted path: outcome})."""
    edits, changes = hooks_file.plan(FORM, value, **kwargs)
    return edited({} if value is ABSENT else value, edits), {".".join(path): outcome for path, outcome in changes}


def test_a_missing_file_gets_the_ten_events_and_nothing_beside_them():
    value, changes = after(ABSENT)
    assert value == whole() and len(CODEX_REGISTERED) == 10
    assert changes == {"hooks." + event: "created" for event in CODEX_REGISTERED}
    assert value["hooks"]["PreToolUse"] == [{"hooks": [{"type": "command", "command": WRAPPER, "timeout": 30}]}]
    assert value["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] == 3
    assert {handler["command"] for groups in value["hooks"].values() for group in groups for handler in group["hooks"]} == {WRAPPER}
    assert hooks_file.plan(FORM, value) == ([], [])


# Groups of PreToolUse before, as they must be while we are registered, and when we have left again.
PLACES = [
    ([], [OURS], []),
    ([THEIRS], [THEIRS, OURS], [THEIRS]),
    ([OURS, THEIRS], [OURS, THEIRS], [EMPTY, THEIRS]),
    ([THEIRS, OURS, THEIRS], [THEIRS, OURS, THEIRS], [THEIRS, EMPTY, THEIRS]),
    ([EMPTY, THEIRS], [OURS, THEIRS], [EMPTY, THEIRS]),
    ([OURS, THEIRS, OURS], [OURS, THEIRS], [EMPTY, THEIRS]),
    ([dict(OURS, matcher="Bash"), THEIRS], [OURS, THEIRS], [EMPTY, THEIRS]),
    ([{"hooks": [{"type": "command", "command": WRAPPER + " || true"}]}, THEIRS], [OURS, THEIRS], [EMPTY, THEIRS]),
    ([{"hooks": THEIRS["hooks"] + OURS["hooks"]}], [{"hooks": THEIRS["hooks"] + OURS["hooks"]}], [{"hooks": THEIRS["hooks"]}]),
    ([{"matcher": "x", "hooks": THEIRS["hooks"] + OURS["hooks"]}], [{"matcher": "x", "hooks": THEIRS["hooks"]}, OURS],
     [{"matcher": "x", "hooks": THEIRS["hooks"]}]),
]


@pytest.mark.parametrize("before, during, left", PLACES)
def test_nothing_of_the_persons_moves(before, during, left):
    fixed, _changes = after(whole(PreToolUse=before))
    assert fixed == whole(PreToolUse=during)
    assert hooks_file.plan(FORM, fixed) == ([], [])
    gone, _changes = after(fixed, events=())
    assert gone == {"hooks": {"PreToolUse": left} if left else {}}


def test_the_text_of_the_persons_groups_stays_byte_for_byte():
    text = b'{ "hooks": {"PreToolUse": [ {"matcher":  "Bash",\t"hooks":[ {"type":"command","command":"x"}]} ] , "Mine": [ ]}}\n'
    document = _jsonc.parse(text, strict=True)
    written = _jsonc.apply(document, hooks_file.plan(FORM, document.value)[0])
    assert b'{"matcher":  "Bash",\t"hooks":[ {"type":"command","command":"x"}]}' in written and b'"Mine": [ ]' in written
    back = _jsonc.parse(written, strict=True)
    left = _jsonc.apply(back, hooks_file.plan(FORM, back.value, ())[0])
    assert json.loads(left) == json.loads(text)
    assert b'{"matcher":  "Bash",\t"hooks":[ {"type":"command","command":"x"}]}' in left


@pytest.mark.parametrize("key", ["version", "disableAllHooks", "$schema", "_agentihooks"])
def test_a_key_for_which_codex_ignores_the_whole_file_goes(key):
    fixed, changes = after(dict(whole(), **{key: 1}))
    assert (fixed, changes) == (whole(), {key: "pinned"})


@pytest.mark.parametrize(
    "version, stays", [("0.142.3", False), ("0.154.0", True), ("0.171.0", True), ("", True), ("unknown", True), ("0.142.3-alpha.1", False)]
)
def test_a_description_goes_where_codex_would_ignore_the_file_for_it(version, stays):
    value = dict(whole(), description="mine")
    edits, changes = hooks_file.plan(hooks_file.Codex(WRAPPER, HOME, version), value)
    assert edited(value, edits) == (value if stays else whole()) and changes == ([] if stays else [(("description",), "pinned")])


def handler(**change):
    return [{"hooks": [dict({"type": "command", "command": "x"}, **change)]}]


@pytest.mark.parametrize(
    "groups, path",
    [
        (["x"], "hooks.Stop.0"), ([{"hooks": {}}], "hooks.Stop.0.hooks"), ([{"matcher": 1, "hooks": []}], "hooks.Stop.0.matcher"),
        ([{"hooks": ["x"]}], "hooks.Stop.0.hooks.0"), ([{"hooks": [{"command": "x"}]}], "hooks.Stop.0.hooks.0"),
        (handler(command=["x"]), "hooks.Stop.0.hooks.0.command"), (handler(timeout="5"), "hooks.Stop.0.hooks.0.timeout"),
        (handler(timeout=1.5), "hooks.Stop.0.hooks.0.timeout"), (handler(timeout=-1), "hooks.Stop.0.hooks.0.timeout"),
        (handler(timeout=True), "hooks.Stop.0.hooks.0.timeout"), (handler(statusMessage=1), "hooks.Stop.0.hooks.0.statusMessage"),
    ],
)  # fmt: skip
def test_what_would_have_codex_ignore_the_whole_file_is_refused(groups, path):
    with pytest.raises(hooks_file.Malformed) as caught:
        hooks_file.plan(FORM, whole(Stop=groups))
    assert ".".join(caught.value.path) == path


@pytest.mark.parametrize("groups", [[], handler(timeout=None), handler(zz=1), [{}], [{"hooks": [{"type": "prompt", "prompt": "x"}]}]])
def test_what_codex_takes_is_left_alone(groups):
    assert after(whole(Stop=groups))[0] == whole(Stop=groups + [FORM.entry("Stop")])


def test_events_that_codex_does_not_know_are_not_looked_at():
    assert after(whole(Notification=[1])) == (whole(Notification=[1]), {})


LIMITED = {"command": "true", "timeout": 30, "additionalContextLimit": 0}
# As the real CLIs computed them for these definitions (hooks/list): event, handler, version, hash.
MEASURED = [
    ("PreToolUse", LIMITED, "0.142.3", "3e090fb4b9152d9fb4888d607c0cdda92da53888edba81069641afa35ead0d00"),
    ("PreToolUse", LIMITED, "0.154.0", "68b900a03a9d604ff088f4de4a00c93a99d01324fc396e3660306b112ebe361a"),
    ("PreToolUse", LIMITED, "", "68b900a03a9d604ff088f4de4a00c93a99d01324fc396e3660306b112ebe361a"),
    ("Stop", {"command": "true", "timeout": 30}, "0.142.3", "4e5beff43739d7a9608ce6244a0344b28c0e8530edf28ff1e021f4507e51f5fc"),
    ("Stop", {"command": "true", "timeout": 30}, "0.171.0", "4e5beff43739d7a9608ce6244a0344b28c0e8530edf28ff1e021f4507e51f5fc"),
    ("SessionEnd", {"command": "true", "timeout": 3}, "0.171.0", "0408973db4c606ef0b942b13de03431201c09e7746a6fbf2d078370f1af83d68"),
]


@pytest.mark.parametrize("event, handler, version, measured", MEASURED)
def test_the_hash_is_the_one_that_the_cli_computes(event, handler, version, measured):
    assert _codex_trust.trusted_hash(event, {}, dict(handler, type="command"), version) == "sha256:" + measured


def found(**events):
    return _codex_trust.definitions(FORM, whole(**events), PATH)


def test_a_definition_is_known_by_its_place():
    keys = {definition.event: definition.key for definition in found(PreToolUse=[THEIRS, OURS])}
    assert keys["PreToolUse"] == PATH + ":pre_tool_use:1:0" and keys["UserPromptSubmit"] == PATH + ":user_prompt_submit:0:0"


def test_what_stands_in_config_toml_says_what_runs():
    definitions = found()
    config = _codex_trust.wanted(definitions)
    assert set(_codex_trust.statuses(definitions, config).values()) == {"trusted"}
    assert set(_codex_trust.statuses(definitions, ABSENT).values()) == {"untrusted"}
    state = config["hooks"]["state"]
    state[definitions[0].key]["trusted_hash"] = "sha256:0"
    state[definitions[1].key]["enabled"] = False
    del state[definitions[2].key]
    assert list(_codex_trust.statuses(definitions, config).values())[:4] == ["modified", "disabled", "untrusted", "trusted"]


def test_only_the_event_that_brings_long_text_differs_between_versions():
    old, new = ({item.event: item.sha256 for item in _codex_trust.definitions(FORM, whole(), PATH, version)} for version in ("0.142.3", "0.171.0"))
    assert [event for event in old if old[event] != new[event]] == ["SessionStart"]


def test_the_systems_hooks_are_added_to_what_an_administrator_has_and_taken_out_again():
    text = b'# ours\n[features]\nhooks = true\n\n[[hooks.PreToolUse]]\nmatcher = "^Bash$"\n\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "x"\n'
    document = _toml.parse(text)
    edits, changes = _codex_managed.plan(document.value, True)
    assert {".".join(path) for path, _outcome in changes} == {"hooks." + event for event in CODEX_REGISTERED}
    written = _toml.parse(_toml.apply(document, edits))
    assert _codex_managed.plan(written.value, True) == ([], [])
    assert set(_codex_managed.statuses(written.value, CODEX_REGISTERED).values()) == {"managed"}
    back = _toml.apply(written, _codex_managed.plan(written.value, False)[0])
    assert _toml.parse(back).value == document.value and back.startswith(text)
