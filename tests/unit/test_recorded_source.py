# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger says what a configuration is made of, and that is bookkeeping: it changes nothing."""

from __future__ import annotations

import json

from ansible_collections.agentihooks.fleet.plugins.module_utils import _copilot, _document, _jsonc, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy

FIRST, SECOND = "https://git.example.com/b@" + "a" * 40, "https://git.example.com/b@" + "b" * 40


def converge(path, source, settings=None, present=True):
    home = _document.Home(str(path), "team", legacy=_copilot.settings_rules(), source=source)
    wanted = settings or {"beep": True}
    return _document.converge(home, "settings.json", lambda disk: wanted if present else {}, _copilot.settings_rules(present), Policy(), _jsonc)


def recorded(path):
    return json.loads(path.joinpath(_ledger.LEDGER).read_text()).get("source")


def test_it_is_kept_and_changes_nothing(tmp_path):
    assert converge(tmp_path, FIRST).changed and recorded(tmp_path) == FIRST
    before = tmp_path.joinpath("settings.json").stat()
    assert not converge(tmp_path, SECOND).changed and recorded(tmp_path) == SECOND
    assert tmp_path.joinpath("settings.json").stat() == before
    ledger = tmp_path.joinpath(_ledger.LEDGER).stat()
    assert not converge(tmp_path, SECOND).changed and tmp_path.joinpath(_ledger.LEDGER).stat() == ledger
    # A run that does not say it leaves it; a run without a bundle says so.
    converge(tmp_path, None)
    assert recorded(tmp_path) == SECOND
    converge(tmp_path, "")
    assert recorded(tmp_path) is None


def test_it_goes_with_the_ledger(tmp_path):
    converge(tmp_path, FIRST)
    assert converge(tmp_path, FIRST, present=False).changed
    assert not tmp_path.joinpath(_ledger.LEDGER).exists()


def test_a_ledger_with_something_else_there_is_damaged():
    data = json.loads(_ledger.dump(_ledger.Ledger("m", source=FIRST)))
    assert _ledger.load(json.dumps(data).encode()).source == FIRST
    assert _ledger.load(json.dumps(dict(data, source=5)).encode()) is None


def test_a_login_is_not_kept():
    for given, kept in (
        ("", ""), (FIRST, FIRST), ("https://ada:secret@h/b@c", "https://h/b@c"), ("bundle@abc-dirty", "bundle@abc-dirty"), ("x" * 900, "x" * 500),
    ):  # fmt: skip
        assert _ledger.kept_source(given) == kept
