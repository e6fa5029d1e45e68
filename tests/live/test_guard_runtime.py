# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Under the real Copilot CLI each guard stops one call and lets one pass, and only a person can lift one.

All guards are asked in one session per CLI and tool set: what ran and what did not is read from what it left behind.
"""

from __future__ import annotations

import pytest
from clis import pinned
from copilot import ANY_PATH, CLAUDE, GPT, apply_patch, bash, call, run
from guarded import (
    OFF, branches_pushed, each_guard, guarded_repository, path_with_programs, rules_logged, rules_of, session_that_leaves_what_is_innocent,
)
from terminal import Terminal

*OLDER, NEWEST = pinned("copilot")


@pytest.fixture
def guarded(workstation):
    with guarded_repository(workstation) as repository:
        yield repository


def session_in(workstation, cli, repository, steps, **options):
    """Run a session in the repository, with the programs on PATH."""
    env = path_with_programs(workstation)
    return run(cli, workstation.home, steps, user=workstation.user.name, cwd=repository, env=env, args=(*ANY_PATH, *options.pop("args", ())), **options)


def create(cli, model, repository, path, text):
    """Return the call with which this model makes a file."""
    if model == CLAUDE:
        return call("create", path=f"{repository}/{path}", file_text=text)
    return apply_patch(cli, "\n".join(["*** Begin Patch", f"*** Add File: {path}", *("+" + line for line in text.splitlines()), "*** End Patch", ""]))


def change(cli, model, repository, path, old, new):
    """Return the call with which this model changes a line of a file."""
    if model == CLAUDE:
        return call("edit", path=f"{repository}/{path}", old_str=old, new_str=new)
    return apply_patch(cli, f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n")


def asked(cli, model, repository):
    """Return [call, rule that stops it or "" where it runs]: both for each guard, and what Copilot alone has."""

    def make(path, text):
        return create(cli, model, repository, path, text)

    def edit(old, new):
        return change(cli, model, repository, "package.json", old, new)

    return each_guard(bash, make, edit, ".copilot/hooks/agentihooks.json", "copilot config disableAllHooks true") + [
        (call("view", path=f"{repository}/innocent.txt"), "drop_in.view_broken"),
        (make(".github/copilot/settings.json", OFF + "\n"), "self.settings"),
    ]


# A call that fails for ever: told so, denied, then tried once more.
FAILING = [bash("ls /nonexistent-place")] * 5
BROKEN_OFF = ["", "", "", "retry_breaker.repeated", ""]


@pytest.mark.parametrize(("cli", "model"), [(NEWEST, GPT), (NEWEST, CLAUDE), *((version, GPT) for version in OLDER)], indirect=["cli"])
def test_each_guard_stops_one_call_and_lets_one_pass(cli, model, workstation, guarded):
    pairs = asked(cli, model, guarded)
    steps = [{"calls": [tool_call for tool_call, _rule in pairs]}, *({"calls": [failing]} for failing in FAILING), {"text": "done"}]
    session = session_that_leaves_what_is_innocent(
        workstation, guarded, pairs, lambda: session_in(workstation, cli, guarded, steps, model=model)
    )
    assert rules_of(session.tool_results()) == [rule for _call, rule in pairs] + BROKEN_OFF, session.report()
    assert session.model_saw("has failed 2 times in a row in the same way") == 1
    assert "nonexistent-place" not in rules_logged(workstation)[1]


@pytest.mark.parametrize("cli", [NEWEST], indirect=True)
def test_what_a_person_unlocks_runs_in_that_session_and_in_no_other(cli, workstation, guarded):
    def unlock(session_id):
        command = [workstation.data / "bin" / "agentihooks", "unlock", "git", "--session", session_id]
        user = workstation.user
        with Terminal(command, user.environment(), user.home, {"user": user.uid, "group": user.gid, "extra_groups": []}) as terminal:
            terminal.wait_until(lambda: "is unlocked for session" in terminal.text(), "what the command says")

    steps = [{"calls": [bash("git push origin main")]}, {"text": "done"}]
    unlock("00000000-0000-4000-8000-000000000000")
    first = session_in(workstation, cli, guarded, steps)
    assert rules_of(first.tool_results()) == ["git.push"] and "--session " + first.session_id() in first.tool_results()[0], first.report()
    unlock(first.session_id())
    second = session_in(workstation, cli, guarded, steps, args=(f"--resume={first.session_id()}",), prompt="again")
    assert rules_of(second.tool_results())[-1] == "", second.report()
    assert branches_pushed(workstation) == ["main"]


# As the guards would never let them through: what the command itself says when the CLI's own shell starts it.
CALLS = ["@", "script -qec '@' /dev/null", "setsid -w @", "env -i HOME=$HOME script -qec '@' /dev/null", "nohup @", "sh -c '@; true'"]


@pytest.mark.versions(NEWEST)
def test_the_unlock_command_sees_the_cli_above_it(cli, workstation):
    unlock = f"{workstation.data}/bin/agentihooks unlock git --session s"
    with workstation.undone():
        workstation.hooks_file.unlink()
        steps = [{"calls": [bash(text.replace("@", unlock)) for text in CALLS]}, {"text": "done"}]
        session = run(cli, workstation.home, steps, user=workstation.user.name, args=ANY_PATH)
        records = list(workstation.data.glob("unlocks/*"))
    assert records == [] and len(session.tool_results()) == len(CALLS)
    assert all("only a person may unlock" in text for text in session.tool_results() if "nohup" not in text), session.report()
