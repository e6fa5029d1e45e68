# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""doctor.yml on a scratch account: nothing on a host as site.yml left it, exactly what was seeded, and not a byte changed."""

from __future__ import annotations

import json
import re

from playbook import picture

LOCAL = "here ansible_connection=local"
# Nobody listens there, so it is refused at once.
GONE = "gone ansible_host=127.0.0.1 ansible_port=9 ansible_connection=ssh"
SETTINGS = {"model": "claude-sonnet-4.5"}


def doctor(controller, *inventory, **variables):
    """Run the playbook; return (the Run, the report as data, {(host, target, check): row} of what is a warning or worse)."""
    place = controller.scratch / "report"
    home = picture(controller.user.home)
    run = controller.doctor(inventory, agentihooks_report_dir=str(place), **variables)
    assert picture(controller.user.home) == home, "the doctor changed something"
    report = json.loads((place / "doctor.json").read_text())
    found = {}
    for host in report["hosts"]:
        for row in host["checks"]:
            if row["level"] in ("warning", "critical"):
                found[host["host"], row["target"], row["check"]] = row
    assert (run.code == 0) is report["passed"], run.output
    for name in ("doctor.json", "doctor.md", "doctor.html"):
        assert str(place / name) in run.output and (place / name).stat().st_mode & 0o777 == 0o600
    return run, report, found


def test_the_doctor_finds_what_is_there_and_nothing_else(controller):
    user, home = controller.user, controller.user.home
    variables = {"agentihooks_copilot_settings": SETTINGS, "agentihooks_targets": ["copilot", "codex"], "agentihooks_codex_hook_trust": "record"}
    secret = "ghp_" + "a1B2" * 9
    variables["agentihooks_env"] = {"TOKEN": secret}

    run = controller.site(**variables)
    assert run.code == 0 and re.search(r"\nlocalhost +Copilot CLI +- +\d+ created\nlocalhost +Codex CLI +- +\d+ created, 1 unioned\n", run.output), run.output
    run, report, found = doctor(controller, LOCAL, **variables)
    assert run.code == 0 and found == {}, found
    assert "1 host: nothing found; 1 as wanted" in run.output and report["counts"]["ok"] > 30

    repository = user.write("src/shop/.claude/settings.json", json.dumps({"disableAllHooks": True})).parents[1]
    user.write(".copilot/config.json", json.dumps({"trustedFolders": [str(repository)]}))
    hooks = home / ".copilot/hooks/agentihooks.json"
    hooks.write_text(hooks.read_text().replace("preToolUse\",", "preToolUse || true\",", 1))
    settings = json.loads((home / ".copilot/settings.json").read_text())
    (home / ".copilot/settings.json").write_text(json.dumps(dict(settings, model="gpt-5.4")))
    (home / ".codex/agentihooks-hook.sh").unlink()
    user.write("other/.copilot/settings.json", "{")
    controller.environment["ANSIBLE_SSH_CONTROL_PATH_DIR"] = str(controller.scratch / "cp")
    run, report, found = doctor(controller, LOCAL, GONE, "fresh ansible_connection=local agentihooks_home=%s/other" % home, **variables)
    assert run.code == 2, run.output
    fresh = {key[1:]: row for key, row in found.items() if key[0] == "fresh"}
    assert set(fresh) == {("", "runtime"), ("", "drift"), ("copilot", "site run"), ("copilot", "drift"), ("codex", "drift")}
    assert "no hook runtime is installed" in fresh["", "runtime"]["what"] and fresh["", "runtime"]["level"] == "critical"
    assert "would stop: " in fresh["copilot", "site run"]["what"] and "settings.json" in fresh["copilot", "site run"]["what"]
    found = {key: row for key, row in found.items() if key[0] != "fresh"}
    assert {key: row["level"] for key, row in found.items()} == {
        ("gone", "", "reachable"): "warning",
        ("here", "copilot", "silenced"): "critical",
        ("here", "copilot", "hooks file"): "critical",
        ("here", "copilot", "guard files"): "critical",
        ("here", "copilot", "hand-edits"): "warning",
        ("here", "codex", "wrapper"): "critical",
        ("here", "codex", "denies"): "critical",
        ("here", "codex", "lets through"): "critical",
        ("here", "codex", "guard files"): "critical",
    }, found
    assert [place["place"] for place in found["here", "copilot", "hand-edits"]["places"]] == ["settings.json model"]
    assert [place["place"] for place in found["here", "codex", "guard files"]["places"]] == ["agentihooks-hook.sh"]
    assert str(repository / ".claude/settings.json") in found["here", "copilot", "silenced"]["what"]
    assert "3 hosts: 9 critical, 5 warnings on 3 hosts; 0 as wanted; 1 not reached" in run.output
    for name in ("doctor.json", "doctor.md", "doctor.html"):
        assert secret not in (controller.scratch / "report" / name).read_text()
    assert secret not in run.output and "gpt-5.4" not in (controller.scratch / "report/doctor.html").read_text()
