# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor's report: rows from what the roles registered, the table, Markdown and page. In a browser: tests/fleet/test_report_page.py."""

from __future__ import annotations

import re

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils._finding import CRITICAL, INFO, OK, WARNING, row
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _doctor_rows, _report, _report_page

EVIL = "</script><script>x</script> | `a` <b>\n# head\x1b[2J"


def result(*outcomes, **more):
    return dict({"changed": False, "changes": [{"path": path, "outcome": outcome} for path, outcome in outcomes], "hand_edited": []}, **more)


def levels(**variables):
    """Return {(target, check): level} of a host whose guards were checked, without what is in order."""
    variables.setdefault(_doctor_rows.CHECKED, {"checks": []})
    return {(each["target"], each["check"]): each["level"] for each in _doctor_rows.rows(variables.get)[0] if each["level"] != OK}


@pytest.mark.parametrize("variables, expected", [
    ({"copilot_target_settings": result((["model"], "unchanged"))}, {}),
    ({"copilot_target_settings": result((["model"], "updated"), (["a"], "created"))}, {("copilot", "drift"): WARNING}),
    ({"copilot_target_settings": result((["disableAllHooks"], "pinned"))}, {("copilot", "drift"): WARNING}),
    ({"copilot_target_folders": result((["trustedFolders"], "deferred"))}, {("copilot", "drift"): INFO}),
    ({"copilot_target_settings": result((["model"], "hand_edited"))}, {("copilot", "hand-edits"): WARNING}),
    ({"copilot_target_settings": result((["model"], "foreign"))}, {("copilot", "conflicts"): INFO}),
    ({"copilot_target_hooks": result((["agentihooks-hook.sh"], "pinned"))}, {("copilot", "guard files"): CRITICAL}),
    ({"copilot_target_hooks": result((["agentihooks-hook.sh"], "updated"))}, {("copilot", "drift"): WARNING}),
    ({"workstation_runtime": result((["/h/.agentihooks/runtime/1/main.py"], "pinned"))}, {("", "guard files"): CRITICAL}),
    ({"workstation_runtime": result((["/h/.agentihooks/policy.json"], "pinned"))}, {("", "guard files"): CRITICAL}),
    ({"workstation_runtime": result((["/h/.agentihooks/policy.json"], "updated"))}, {("", "drift"): WARNING}),
    ({"codex_target_hooks": dict(result(), inert=["PreToolUse"], trust={"PreToolUse": "modified"})}, {("codex", "trust"): CRITICAL}),
    ({"codex_target_hooks": dict(result(), inert=["SessionEnd"])}, {("codex", "trust"): WARNING}),
    ({"copilot_target_settings": {"skipped": True, "changes": []}}, {}),
    ({"copilot_target_settings": {"failed": True, "msg": "x"}, "agentihooks_doctor_stopped_copilot": "settings.json: line 1"},
     {("copilot", "site run"): CRITICAL}),
    ({"ansible_facts": {"agentihooks": {"browser_warning": "no wslview"}}}, {("", "browser"): WARNING}),
    ({_doctor_rows.CHECKED: {"unreachable": True, "msg": "timed out"}}, {("", "reachable"): WARNING}),
    ({_doctor_rows.CHECKED: None}, {("", "reachable"): WARNING}),
    ({_doctor_rows.CHECKED: {"msg": "no Python"}}, {("", "runtime"): CRITICAL}),
])  # fmt: skip
def test_rows(variables, expected):
    assert levels(**variables) == expected


def test_no_secret_comes_through():
    secret = "ghp_" + "a1B2" * 9
    variables = {_doctor_rows.CHECKED: {"msg": "token %s" % secret}, "copilot_target_mcp": result((["mcpServers", secret], "foreign"))}
    rows, _versions = _doctor_rows.rows(variables.get)
    assert secret not in str(rows) and "REDACTED" in str(rows)


def test_trust_is_told_once_and_by_the_module_that_knows_the_hashes():
    checked = {"checks": [row("codex", "trust", CRITICAL, "of the command")]}
    rows, _versions = _doctor_rows.rows({_doctor_rows.CHECKED: checked, "codex_target_hooks": dict(result(), inert=["Stop"])}.get)
    assert [each["what"] for each in rows if each["check"] == "trust"] == ["Codex runs none of these hooks and says nothing: Stop untrusted"]


def report(fail_level="warning", what="x"):
    hosts = [
        ("host10", [row("", "policy", OK, "fine"), row("", "denials", INFO, "3")], {"copilot": "1.0.102"}),
        ("host2", [row("copilot", "drift", WARNING, what, "Run site.", [{"place": what, "outcome": "created"}])], {"copilot": ""}),
    ]
    return _report.build(hosts, "now", "0.1.0", fail_level)


@pytest.mark.parametrize("fail_level, passed", [("critical", True), ("warning", False), ("info", False), ("never", True)])
def test_what_fails(fail_level, passed):
    assert report(fail_level)["passed"] is passed


def test_the_table():
    lines = _report.terminal(report())
    assert [re.split(" {2,}", line) for line in lines[:3]] == [
        ["host", "target", "CLI", "critical", "warning", "info", "ok"],
        ["host2", "Copilot CLI", "not found", "0", "1", "0", "0"],
        ["host10", "host", "-", "0", "0", "1", "1"],
    ]  # fmt: skip
    assert lines[4:] == ["WARNING: host2: Copilot CLI: drift: x", "    created: x", "", "-> Run site.", "", "2 hosts: 1 warning on 1 host; 1 as wanted"]
    assert "\x1b" not in "".join(_report.terminal(report(what=EVIL)))


def test_the_table_about_a_run_of_site():
    lines = _report.done([("h10", "", "", "nothing to do"), ("h2", "copilot", "1.0.102", "1 created"), ("h2", "codex", "", "x")])
    assert [re.split(" {2,}", line) for line in lines] == [
        ["host", "target", "CLI", "what was done"], ["h2", "Copilot CLI", "1.0.102", "1 created"], ["h2", "Codex CLI", "-", "x"],
        ["h10", "host", "-", "nothing to do"],
    ]  # fmt: skip


def test_hostile_text_stays_text():
    text = _report.markdown(report(what=EVIL))
    assert "<script>" not in text and "\n# head" not in text and "\x1b" not in text and "\\<b\\>" in text and "\\|" in text
    page = _report_page.page(report(what=EVIL), "p {}", "1;")
    assert page.count("<script>") == 1 and "<b>\n" not in page and "\x1b" not in page and "&lt;script&gt;" in page


def test_the_page_is_whole_and_fetches_nothing():
    page = _report_page.page(report(), "p {}", "1;")
    assert "default-src &#x27;none&#x27;" in page and not re.search(r"(?:src|href)=\"(?!#)", page)
    assert " style=" not in page and " on" not in re.sub(">[^<]*<", "><", page)
    elements = "(?:tr|td|th|table|details|section|div|ul|a|span)"
    assert len(re.findall(r"<%s\b" % elements, page)) == len(re.findall(r"</%s>" % elements, page))
