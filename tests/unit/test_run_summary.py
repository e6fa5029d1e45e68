# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line about a host at the end of a run."""

from __future__ import annotations

import pytest
from ansible_collections.agentihooks.fleet.plugins.filter.run_summary import run_summary


def result(outcomes, file=None):
    return {"file": file, "changes": [{"path": path, "outcome": outcome} for path, outcome in outcomes]}


@pytest.mark.parametrize("results, line", [
    ([], "nothing to do"),
    ([{"skipped": True}, {}, result([(["model"], "unchanged")])], "nothing to do"),
    ([result([(["a"], "created"), (["b"], "created")]), result([(["c"], "removed")])], "2 created, 1 removed"),
    ([result([(["footer", "x"], "hand_edited"), (["model"], "foreign")], "/home/ada/.copilot/settings.json")],
     "1 hand-edited, 1 foreign; hand-edited: settings.json footer.x; foreign: settings.json model"),
    ([result([(["agentihooks-hook.sh"], "pinned")]), result([(["trustedFolders"], "deferred")], "/h/config.json")],
     "1 pinned, 1 deferred; pinned: agentihooks-hook.sh; deferred: config.json trustedFolders"),
    ([dict(result([(["agents", "a.md"], "hand_edited"), (["skills", "s", "SKILL.md"], "foreign"), (["instructions"], "hand_edited")],
                  "/h/copilot-instructions.md"),
           agents_directory="/h/agents", skills_directory="/s")],
     "2 hand-edited, 1 foreign; hand-edited: agents.a.md, copilot-instructions.md instructions; foreign: skills.s.SKILL.md"),
    ([{"failed": True, "msg": "x", "changes": None}], "nothing to do"),
])  # fmt: skip
def test_summary(results, line):
    assert run_summary(results) == line


def test_summary_with_a_bundle():
    assert run_summary([], source="team-bundle@abc-dirty") == "nothing to do; bundle: team-bundle@abc-dirty"
    assert run_summary([], source="") == "nothing to do"
