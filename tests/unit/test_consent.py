# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unlocks and exceptions lift what they name, as long as they hold, and never a floor; whatever is odd in them lifts nothing."""

from __future__ import annotations

import json
import os

import pytest
from agentihooks import commands, consent, guard_exceptions
from agentihooks.event import Call, Deny, Event
from agentihooks.guards import IDS
from agentihooks.policy import DEFAULTS

NOW = 1796190000  # 2026-12-02
PUSH = Deny("git.push", "found.", "Go away.")
EXCEPTION = {"rule": "git.push", "match": "git push origin main", "reason": "the deploy bot", "expires": "2026-12-31"}


def event(command="git push origin main", kind="shell", session="s-1", **args):
    call = Call("bash", kind, dict(args) if args else {"command": command})
    return Event("copilot", "PreToolUse", "camel", session, "/p", [call])


def left(denied=PUSH, event_=None, exceptions=(), directory="/nonexistent", now=NOW):
    policy = dict(DEFAULTS, guard_exceptions=list(exceptions))
    denials, warnings = consent.lifted([denied], event_ or event(), policy, str(directory), now)
    assert len(denials) + len(warnings) == 1
    assert all("let through" in warning.text for warning in warnings)
    return [item.rule for item in denials]


def test_a_denial_says_how_a_person_may_allow_it():
    denials, _warnings = consent.lifted([PUSH, Deny("secret.x", "r", "w")], event(), DEFAULTS, "/nonexistent", NOW)
    assert "/nonexistent/bin/agentihooks unlock git --session s-1" in denials[0].text()
    assert "unlock" not in denials[1].text()
    odd = consent.lifted([PUSH], event(session="x; rm -rf"), DEFAULTS, "/nonexistent", NOW)[0]
    assert "rm -rf" not in odd[0].text()


@pytest.mark.parametrize("name", ["git", "git.push"])
def test_an_unlock_lifts_its_guard_in_its_session_for_its_time(tmp_path, name):
    consent.unlock(str(tmp_path), "s-1", name, 30, NOW)
    assert left(directory=tmp_path) == []
    assert left(directory=tmp_path, event_=event(session="s-2")) == ["git.push"]
    assert left(directory=tmp_path, now=NOW + 31 * 60) == ["git.push"]
    assert left(Deny("version.file", "r", "w"), directory=tmp_path) == ["version.file"]
    path = tmp_path / "unlocks" / "s-1.json"
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    consent.lock(str(tmp_path), "s-1")
    assert left(directory=tmp_path) == ["git.push"]


def test_several_unlocks_of_a_session_hold_beside_each_other(tmp_path):
    consent.unlock(str(tmp_path), "s-1", "git", 30, NOW)
    consent.unlock(str(tmp_path), "s-1", "versions", 60, NOW)
    consent.unlock(str(tmp_path), "s-2", "git.push", 10, NOW)
    assert consent.all_unlocks(str(tmp_path), NOW) == [
        ("s-1", "git", NOW + 1800), ("s-1", "versions", NOW + 3600), ("s-2", "git.push", NOW + 600)]  # fmt: skip
    assert consent.all_unlocks(str(tmp_path), NOW + 2000) == [("s-1", "versions", NOW + 3600)]


@pytest.mark.parametrize("rule", ["secret.github_token", "credential.file", "environment.dump", "self.files", "self.settings", "runtime.failed"])
def test_nothing_lifts_a_floor(tmp_path, rule):
    (tmp_path / "unlocks").mkdir()
    path = tmp_path / "unlocks" / "s-1.json"
    path.write_text(json.dumps({"session": "s-1", "guards": {rule: NOW + 60, guard_exceptions.guard_of(rule): NOW + 60}}))
    path.chmod(0o600)
    exceptions = [dict(EXCEPTION, rule=rule), dict(EXCEPTION, rule=guard_exceptions.guard_of(rule))]
    assert left(Deny(rule, "r", "w"), exceptions=exceptions, directory=tmp_path) == [rule]


@pytest.mark.parametrize(
    "record",
    ["", "[", "[]", "null", '{"session": "s-1"}', '{"session": "s-1", "guards": ["git"]}', '{"session": "s-2", "guards": {"git": %d}}' % (NOW + 60),
     '{"session": "s-1", "guards": {"git": true}}', '{"session": "s-1", "guards": {"git": "9999999999"}}', '{"session": "s-1", "guards": {"git": 9999999999}}',
     '{"session": "s-1", "guards": {"git": 1e99}}', '{"session": "s-1", "guards": {"git": NaN}}', '{"session": "s-1", "guards": {"git": %d}}' % NOW,
     '{"session": "s-1", "guards": {"*": %d, "": %d}}' % (NOW + 60, NOW + 60), "[" * 5000],
)  # fmt: skip
def test_a_record_that_is_odd_lifts_nothing(tmp_path, record):
    (tmp_path / "unlocks").mkdir()
    (tmp_path / "unlocks" / "s-1.json").write_text(record)
    (tmp_path / "unlocks" / "s-1.json").chmod(0o600)
    assert left(directory=tmp_path) == ["git.push"]
    assert consent.all_unlocks(str(tmp_path), NOW) == []


@pytest.mark.parametrize("spoil", ["writable", "link", "pipe"])
def test_a_record_that_others_could_have_made_lifts_nothing(tmp_path, spoil):
    consent.unlock(str(tmp_path), "s-1", "git", 30, NOW)
    path = tmp_path / "unlocks" / "s-1.json"
    if spoil == "writable":
        path.chmod(0o622)
    else:
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere") if spoil == "link" else os.mkfifo(str(path), 0o600)
    assert left(directory=tmp_path) == ["git.push"]


@pytest.mark.parametrize("session", ["", "../x", "a/b", "é" * 300])
def test_any_session_id_has_a_record_of_its_own(tmp_path, session):
    consent.unlock(str(tmp_path), session, "git", 30, NOW)
    assert left(directory=tmp_path, event_=event(session=session)) == []
    assert left(directory=tmp_path, event_=event(session=session + "x")) == ["git.push"]
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path / "unlocks"}


def test_an_exception_lets_through_what_it_names_until_its_day_is_over():
    assert left(exceptions=[EXCEPTION]) == []
    assert left(exceptions=[dict(EXCEPTION, rule="git")]) == []
    assert left(exceptions=[EXCEPTION], event_=event("git push origin master")) == ["git.push"]
    assert left(Deny("git.delete", "r", "w"), exceptions=[EXCEPTION]) == ["git.delete"]
    end = guard_exceptions.end_of("2026-12-31")
    assert left(exceptions=[EXCEPTION], now=end - 1) == [] and left(exceptions=[EXCEPTION], now=end) == ["git.push"]


@pytest.mark.parametrize(
    "command, lifted",
    [("git push origin main", True), (" git push origin main --tags ", True), ("git push origin main; git push origin evil", False),
     ("git push origin main && x", False), ("git push origin main | x", False), ("git push origin main $(x)", False), ("git push origin main `x`", False),
     ("git push origin main\nx", False), ("x; git push origin main", False), ("git push origin main > f", False), ("git push origin mainline", True)],
)  # fmt: skip
def test_a_star_in_a_command_never_spans_a_second_command(command, lifted):
    assert (left(exceptions=[dict(EXCEPTION, match="git push origin main*")], event_=event(command)) == []) is lifted


def test_an_exception_for_a_file_must_fit_every_file_of_the_call():
    bump = Deny("version.file", "r", "w")
    exception = dict(EXCEPTION, rule="version", match="/p/fixtures/*")
    patch = "*** Begin Patch\n*** Update File: /p/fixtures/package.json\n@@\n-a\n+b\n%s*** End Patch"
    assert left(bump, event(kind="edit", path="/p/fixtures/package.json"), [exception]) == []
    assert left(bump, event(kind="edit", path="/p/package.json"), [exception]) == ["version.file"]
    assert left(bump, event(kind="edit", path="/p/fixtures/../package.json"), [exception]) == ["version.file"]
    assert left(bump, event(kind="patch", text=patch % ""), [exception]) == []
    assert left(bump, event(kind="patch", text=patch % "*** Add File: /p/package.json\n+x\n"), [exception]) == ["version.file"]


@pytest.mark.parametrize(
    "change",
    [{"rule": "kubectl_mutation"}, {"rule": "git.*"}, {"rule": "*"}, {"rule": ""}, {"rule": ["git"]}, {"rule": "secret"}, {"match": "*"},
     {"match": " ** "}, {"match": ""}, {"match": None},
     {"reason": ""}, {"reason": 5}, {"expires": "never"}, {"expires": "2026-13-01"}, {"expires": "2026-12-1"}, {"expires": "9999-12-31"}, {"expires": 20261231},
     {"expires": "2026-12-01"}, {"expires": "\u0662026-12-31"}],
)  # fmt: skip
def test_an_exception_that_is_odd_or_over_lifts_nothing_and_says_why(change):
    exception = dict(EXCEPTION, **change)
    assert left(exceptions=[exception, {}]) == ["git.push"]
    assert guard_exceptions.problem(exception, NOW, IDS) and guard_exceptions.problem({}, NOW, IDS)


def test_lock_says_when_there_is_nothing_to_take_back(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("agentihooks.policy.data_directory", lambda: str(tmp_path))
    assert commands.main(["lock"], {"HOME": str(tmp_path)}) == 0
    assert capsys.readouterr().out == "nothing is unlocked\n"
