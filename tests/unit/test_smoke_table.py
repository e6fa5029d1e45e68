# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table at the end of a smoke."""

from __future__ import annotations

from ansible_collections.agentihooks.fleet.plugins.filter.smoke_table import smoke_table


def test_each_host_has_a_line_for_each_cli_and_one_below_for_each_failure():
    good = {"check": "canary", "passed": True, "what": "ran"}
    bad = {"check": "git", "passed": False, "what": "THE CALL RAN: git push"}
    copilot = {"version": "1.0.103", "passed": False, "newer": True, "checks": [good, bad]}
    codex = {"version": None, "passed": None, "newer": False, "checks": []}
    hostvars = {"ada": {"smoke_result": {"runtime": "1-a", "rolled_back": "0-b", "clis": {"copilot": copilot, "codex": codex}}}, "bob": {}}
    assert smoke_table(["ada", "bob", "eve"], hostvars) == [
        "host  CLI      version  runtime  result",
        "ada   copilot  1.0.103  1-a      FAILED, 1 of 2, newer than measured",
        "    git: THE CALL RAN: git push",
        "ada   codex    -        1-a      no CLI",
        "    rolled back to the runtime 0-b",
        "bob   -        -        -        no result",
        "eve   -        -        -        no result",
    ]
