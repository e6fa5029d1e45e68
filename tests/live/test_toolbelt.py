# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolbelt inside the real CLI: a model is offered it, uses it, and reaches a later session with it."""

from __future__ import annotations

import json

from agentihooks import toolbelt, transcript_summary
from clis import installed, pinned
from copilot import bash, call, run

NEWEST = pinned("copilot")[-1]
CANARY = "canary-of-a-model: the staging schema changed"


def tool(name, **arguments):
    """A call of one of the toolbelt's tools, as the CLI names it."""
    return call("%s-%s" % (toolbelt.NAME, name), **arguments)


def test_a_model_uses_the_toolbelt_and_a_later_session_hears_of_it(workstation):
    cli, user = installed("copilot", NEWEST), workstation.user.name
    with workstation.undone(workstation.data, workstation.home / ".copilot"):
        steps = [
            {"calls": [bash("git push origin main")]},
            {"calls": [tool("explain_denial")]},
            {"calls": [tool("channel_publish", message=CANARY, severity="warning")]},
            {"calls": [tool("channel_publish", message="all is lost", severity="nuclear")]},
            {"calls": [tool("session_status")]},
            {"text": "done"},
        ]
        session = run(cli, workstation.home, steps, user=user)
        offered = [name for name in session.offered() if name.startswith(toolbelt.NAME + "-")]
        assert offered == sorted("%s-%s" % (toolbelt.NAME, item["name"]) for item in toolbelt.TOOLS), session.report()
        denied, explained, published, refused, status = session.tool_results()
        assert "[git.push]" in denied and "[git.push]" in explained and "Published" in published, session.report()
        assert "severity must be one of" in refused, session.report()
        # The session is told by the CLI, not by the model.
        assert session.session_id() in status and "denied so far: git.push 1" in status, session.report()

        # The log as this CLI wrote it, whole.
        told = transcript_summary.summarize(session.events[0])
        assert told["turns"] == 1 and told["skipped"] == 0 and told["last_answer"] == "done" and told["tokens"]["input"] > 0, json.dumps(told)
        assert told["tools"]["bash"] == {"calls": 1, "errors": 1} and sum(row["calls"] for row in told["tools"].values()) == 5

        # The CLI writes its log with a delay, so a session of a second is asked about when it is resumed.
        resume = f"--resume={session.session_id()}"
        resumed = run(cli, workstation.home, [{"calls": [tool("transcript_summary")]}, {"text": "done"}], user=user, args=(resume,), prompt="again")
        summary = resumed.tool_results()[-1]
        assert "bash 1 (1 failed)" in summary and "Copilot %s, session %s" % (NEWEST, session.session_id()) in summary, resumed.report()

        later = run(cli, workstation.home, [{"text": "done"}], user=user)
        assert later.model_saw(CANARY) == 1 and later.model_saw("from a model, session " + session.session_id()[:8]) == 1, later.report()
        assert later.model_saw("all is lost") == 0
