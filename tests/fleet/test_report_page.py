# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor's page of thirty hosts in a real Chromium: it filters, opens, asks for nothing, and text from a host stays text."""

from __future__ import annotations

import json
import os
import pathlib

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils._finding import CRITICAL, INFO, OK, SITE, WARNING, row
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _report, _report_page
from browser import Chromium

FILES = pathlib.Path(__file__).resolve().parents[2] / "files" / "report"
SHARED = ("reachable", "runtime version", "drift", "guard files", "policy", "data directory", "environment", "interpreter", "denials", "browser")
OF_A_CLI = (
    "site run", "drift", "guard files", "hand-edits", "conflicts", "wrapper", "denies", "lets through", "hooks file", "ledger", "silenced", "other hooks",
    "version", "smoke test", "MCP tools", "skills", "instructions",
)  # fmt: skip
HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=\"window.hit=2\">'\"><svg/onload=alert(1)>&amp;"
PLACES = [{"place": "settings.json model", "outcome": "hand_edited"}, {"place": "agents.%s.md" % HOSTILE, "outcome": "hand_edited"}]


def fleet():
    """Return the report of thirty hosts, five of which have findings."""
    hosts = []
    for number in range(1, 31):
        rows = [row("", check, OK, "as it should be") for check in SHARED]
        rows += [row(target, check, OK, "as it should be, /home/ada/.%s" % target) for target in ("copilot", "codex") for check in OF_A_CLI]
        found = {(each["target"], each["check"]): each for each in rows}
        if number % 3 == 0:
            found["", "denials"].update(level=INFO, what="in 7 days: %d calls denied (git.push %d, credential.file 1)" % (number + 1, number))
        if number % 4 == 0:
            found["codex", "smoke test"].update(level=INFO, what="never run, so that the guards work with this CLI is not proved on this host",
                                                way_out="Run the playbook agentihooks.fleet.smoke for this host.")
        if number in (4, 11):
            what = "/home/ada/src/shop/.claude/settings.json turns off every hook in that folder, these guards too"
            found["copilot", "silenced"].update(level=CRITICAL, what=what, way_out="Take disableAllHooks out of it, or take the folder out of trustedFolders.")
        if number in (4, 7, 19):
            found["copilot", "hand-edits"].update(level=WARNING, what="left as they are: settings.json model", places=PLACES,
                                                  way_out="Ask the person, or take it back with agentihooks_reclaim.")
        if number == 19:
            drift = [{"place": "skills.release-notes.%d.md" % each, "outcome": "created"} for each in range(27)]
            found["copilot", "drift"].update(level=WARNING, what="27 would be created by a run of site", places=drift, way_out=SITE)
        if number == 23:
            found["codex", "version"].update(level=WARNING, what=HOSTILE, way_out=HOSTILE)
        name = HOSTILE if number == 29 else "ws%02d.example.org" % number
        versions = {"copilot": "1.0.102", "codex": "0.171.0" if number % 5 else ""}
        if number == 27:
            rows, versions = [row("", "reachable", WARNING, "Failed to connect to the host via ssh: Connection timed out", "Look whether the host is on.")], {}
        hosts.append((name, rows, versions))
    return _report.build(hosts, "2026-12-02 22:40 UTC", "0.1.0", "warning")


@pytest.fixture
def chromium(tmp_path):
    browser = Chromium(tmp_path)
    yield browser
    browser.close()


def shown(browser):
    """Return the hosts that are seen."""
    return [text.strip().split(None, 1)[-1] for text in visible(browser, "#matrix tr.line th.host")]


def click(browser, selector):
    browser.run("document.querySelector(%s).click()" % json.dumps(selector))


def visible(browser, selector):
    """Return the texts of the elements that are seen."""
    return browser.run("Array.from(document.querySelectorAll(%s)).filter(e => e.getClientRects().length).map(e => e.innerText)" % json.dumps(selector))


def type_in(browser, text):
    browser.run('(e => { e.value = %s; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("filter"))' % json.dumps(text))


def test_the_page_in_a_browser(chromium, tmp_path):
    page = tmp_path / "doctor.html"
    style, script = ((FILES / name).read_text() for name in ("report.css", "report.js"))
    page.write_text(_report_page.page(fleet(), style, script), encoding="utf-8")
    chromium.open(page.as_uri())
    pictures = pathlib.Path(os.environ.get("AGENTIHOOKS_TEST_PICTURES", str(tmp_path)))
    chromium.screenshot(pictures / "report.png")
    assert (pictures / "report.png").stat().st_size > 50000
    assert len(shown(chromium)) == 30 and visible(chromium, "#shown") == ["30 of 30 hosts"] and visible(chromium, "tr.detail") == []
    # The worst first, then by name, numbers as numbers.
    assert shown(chromium)[:8] == ["ws%02d.example.org" % number for number in (4, 11, 7, 19, 23, 27, 3, 6)]

    type_in(chromium, "settings.json MODEL")
    assert shown(chromium) == ["ws04.example.org", "ws07.example.org", "ws19.example.org"]
    type_in(chromium, "no such thing")
    assert shown(chromium) == [] and visible(chromium, "#empty") == ["No host fits the filter."]
    type_in(chromium, "")
    click(chromium, 'input[name=level][value="3"]')
    assert shown(chromium) == ["ws04.example.org", "ws11.example.org"]
    click(chromium, 'input[name=level][value="0"]')
    click(chromium, "#quiet")
    assert [text.strip() for text in visible(chromium, "#matrix th.check")] == [
        "reachable", "denials", "drift", "hand-edits", "silenced", "version", "smoke test"
    ]  # fmt: skip
    chromium.screenshot(pictures / "report-quiet.png")
    click(chromium, "#quiet")
    click(chromium, "button.pick")
    assert shown(chromium) == ["ws04.example.org", "ws11.example.org"]
    click(chromium, "button.pick")
    assert len(shown(chromium)) == 30

    type_in(chromium, "ws19")
    click(chromium, '#matrix tr.line:not([hidden]) a[data-check="copilot:drift"]')
    type_in(chromium, "")
    panel = visible(chromium, "tr.detail.opened .panel")
    assert len(panel) == 1 and "ws19.example.org" in panel[0] and "27 would be created" in panel[0] and "settings.json model" in panel[0]
    assert ["drift" in text for text in visible(chromium, "tr.picked")] == [True]
    chromium.run("document.querySelector('tr.detail.opened').previousElementSibling.scrollIntoView()")
    chromium.media("dark")
    chromium.screenshot(pictures / "report-detail.png")
    # On a telephone the matrix scrolls, the page does not, and what was found is lines to read.
    chromium.size(420, 900)
    chromium.screenshot(pictures / "report-narrow.png")
    assert chromium.run("document.documentElement.scrollWidth") <= 420
    assert chromium.run("document.querySelector('tr.detail.opened tr.picked td:nth-child(3)').clientWidth") > 250
    chromium.size(1440, 1000)
    click(chromium, "tr.detail.opened .close")
    assert visible(chromium, "tr.detail") == []
    click(chromium, "#theme")
    assert chromium.run("getComputedStyle(document.body).backgroundColor") == "rgb(246, 247, 249)"

    # What a host says stays text, and nothing but the page itself was asked for.
    assert HOSTILE in shown(chromium) and chromium.run("typeof window.hit") == "undefined"
    assert chromium.run("document.querySelectorAll('img, svg').length") == 0 and chromium.run("document.scripts.length") == 1
    assert chromium.requests == [page.as_uri()] and chromium.messages == []

    # The policy holds: a script that got in would not run.
    chromium.run("(e => { e.textContent = 'window.hit = 3'; document.body.append(e); })(document.createElement('script'))")
    assert chromium.run("typeof window.hit") == "undefined"


def test_the_page_without_scripts(chromium, tmp_path):
    page = tmp_path / "doctor.html"
    page.write_text(_report_page.page(fleet(), (FILES / "report.css").read_text(), ""), encoding="utf-8")
    chromium.open(page.as_uri() + "#d3")
    assert len(shown(chromium)) == 30 and len(visible(chromium, "tr.detail .panel")) == 1 and visible(chromium, "#controls") == []
