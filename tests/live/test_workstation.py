# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A converged home under the real Copilot CLI: it refuses to leak, starts with its context, and fails closed."""

from __future__ import annotations

import json
import re

import pytest
from clis import pinned
from copilot import ANY_PATH, CLAUDE, GPT, apply_patch, bash, call, run, strings_in, sub_agent, unknown_events
from workstation import AWS_CANARY, PRIVATE_KEY, SSH_CANARY, TOKEN, lay_bait

OLDEST, *BETWEEN, NEWEST = pinned("copilot")

CONTEXT_CANARY = "canary-of-the-session-context"
REPAIR_HINT = "agentihooks.fleet.site"

DENIED = re.compile(r"agentihooks \[([\w.-]+)\]")


def rule_of(tool_result):
    """Return the id of the rule in a denial that the model was told, "" when there is none."""
    found = DENIED.search(tool_result)
    return found.group(1) if found else ""


def leaking_calls(cli, model, home):
    """Return [call, rule family that must deny it] for what the model of this family tries."""
    calls = [
        (bash("cat ~/.ssh/id_rsa"), "credential"),
        (call("view", path=f"{home}/.aws/credentials"), "credential"),
    ]
    if model == GPT:
        patch = ["*** Begin Patch", "*** Add File: deploy.pem", *("+" + line for line in PRIVATE_KEY), "*** End Patch", ""]
        calls.append((apply_patch(cli, "\n".join(patch)), "secret"))
    else:
        calls.append((call("create", path=f"{home}/work/.env", file_text=f"GITHUB_TOKEN={TOKEN}\n"), "secret"))
    return calls


@pytest.mark.versions(NEWEST)  # test_guard_runtime.py asks the others
@pytest.mark.parametrize("model", [GPT, CLAUDE])
def test_leaking_calls_are_denied_with_a_reason_and_an_innocent_one_runs(cli, workstation, model):
    leaking = leaking_calls(cli, model, workstation.home)
    steps = [{"calls": [tool_call for tool_call, family in leaking] + [bash("ls")]}, {"text": "done"}]
    session = run(cli, workstation.home, steps, model=model, user=workstation.user.name, args=ANY_PATH)

    *refusals, listing = session.tool_results()
    assert len(refusals) == len(leaking), session.report()
    for refusal, (tool_call, family) in zip(refusals, leaking):
        assert family in rule_of(refusal), f"{tool_call['name']}: {refusal}"
    assert "innocent.txt" in listing
    assert session.model_saw(SSH_CANARY) == session.model_saw(AWS_CANARY) == 0, session.report()
    assert not any(TOKEN in refusal or PRIVATE_KEY[1] in refusal for refusal in refusals)
    assert sorted(path.name for path in (workstation.home / "work").iterdir()) == ["innocent.txt"]


@pytest.mark.versions(OLDEST, NEWEST)
def test_a_leaking_call_of_a_sub_agent_is_denied_too(cli, workstation):
    steps = [{"calls": [sub_agent("work")]}, {"calls": [bash("cat ~/.ssh/id_rsa")]}, {"text": "sub-agent done"}, {"text": "done"}]
    session = run(cli, workstation.home, steps, user=workstation.user.name, args=ANY_PATH)
    told = [rule_of(part) for body in session.requests for part in strings_in(body)]
    assert any("credential" in rule for rule in told), session.report()
    assert session.model_saw(SSH_CANARY) == 0, session.report()


@pytest.mark.parametrize("cli", [NEWEST], indirect=True)
@pytest.mark.parametrize("model", [GPT, CLAUDE])
def test_without_the_product_the_same_calls_leak(cli, make_scratch_user, model):
    user = make_scratch_user()
    lay_bait(user)
    steps = [{"calls": [tool_call for tool_call, family in leaking_calls(cli, model, user.home)]}, {"text": "done"}]
    session = run(cli, user.home, steps, model=model, user=user.name, args=ANY_PATH)
    assert session.model_saw(SSH_CANARY) and session.model_saw(AWS_CANARY), session.report()
    assert len(list((user.home / "work").iterdir())) == 2, session.report()


def test_the_session_context_reaches_the_model_once_in_either_order_of_events_and_once_when_resumed(cli, workstation):
    with workstation.undone():
        workstation.set_policy(session_context=CONTEXT_CANARY)
        first = run(cli, workstation.home, [{"text": "one"}], user=workstation.user.name)
        resume = (f"--resume={first.session_id()}",)
        resumed = run(cli, workstation.home, [{"text": "two"}], prompt="again", user=workstation.user.name, args=resume)
    prompt_first = ["userPromptSubmitted", "sessionStart"]
    assert first.hook_order()[:2] == (prompt_first if cli.version in ("1.0.80", "1.0.83") else prompt_first[::-1])
    assert first.model_saw(CONTEXT_CANARY) == 1, first.report()
    assert resumed.session_id() == first.session_id()
    assert resumed.model_saw("again"), resumed.report()
    assert resumed.model_saw(CONTEXT_CANARY) == 1, resumed.report()


def test_a_prompt_with_a_token_makes_no_model_call(cli, workstation):
    prompt = f"use {TOKEN} to push"
    session = run(cli, workstation.home, [{"text": "answered"}], prompt=prompt, user=workstation.user.name)
    assert session.requests == [], session.report()
    assert "secret" in rule_of(session.stderr), session.report()
    assert TOKEN not in session.stderr + session.stdout


def test_the_loader_knows_every_event_of_the_deployed_hooks_file(cli, workstation):
    with workstation.undone():
        document = json.loads(workstation.hooks_file.read_text(encoding="utf-8"))
        document["hooks"]["agentihooksMadeUp"] = document["hooks"]["preToolUse"]
        workstation.user.write(".copilot/hooks/agentihooks.json", json.dumps(document))
        session = run(cli, workstation.home, [{"text": "one"}], user=workstation.user.name)
    assert unknown_events(session.log) == ["agentihooksMadeUp"]


# --- The runtime broken on purpose ---


def interpreter_gone(workstation):
    python = workstation.runtime / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")


def package_unreadable(workstation):
    (workstation.runtime / "agentihooks").chmod(0)


def replace_guard(workstation, body):
    guards = workstation.runtime / "agentihooks" / "guards"
    for compiled in guards.glob("__pycache__/secrets.*"):
        compiled.unlink()
    text = f"import time\n\n\ndef check(event, context):\n    {body}\n"
    workstation.user.write((guards / "secrets.py").relative_to(workstation.home), text)


def guard_raises(workstation):
    replace_guard(workstation, 'raise RuntimeError("broken on purpose")')


def guard_stalls(workstation):
    replace_guard(workstation, "time.sleep(60)")
    workstation.set_policy(deadline=1.5)


# All of them with the newest CLI; with the older ones a way without Python and a way through it: the CLIs differ in no more.
BREAKAGES = [(NEWEST, breakage) for breakage in (interpreter_gone, package_unreadable, guard_raises, guard_stalls)]
BREAKAGES += [(version, breakage) for version in (OLDEST, *BETWEEN) for breakage in (interpreter_gone, guard_raises)]


@pytest.mark.parametrize(("cli", "breakage"), BREAKAGES, indirect=["cli"])
def test_a_broken_runtime_denies_tool_calls_with_a_repair_hint_and_lets_other_events_pass(cli, workstation, breakage):
    steps = [{"calls": [bash("touch ran")]}, {"text": "done"}]
    with workstation.undone():
        breakage(workstation)
        session = run(cli, workstation.home, steps, prompt="prompt-canary", user=workstation.user.name)
    assert not (workstation.home / "work" / "ran").exists()
    assert session.model_saw("prompt-canary") == 1, session.report()
    assert REPAIR_HINT in session.tool_results()[0], session.report()
    assert session.exit_code == 0


GARBAGE = {
    "empty": b"",
    "no JSON": b"\x01garbage",
    "cut off": b'{"sessionId":"s","toolName":"ba',
    "a list": b"[]",
    "nothing in it": b"{}",
    "not UTF-8": b"\xff\xfe{}",
}


@pytest.mark.parametrize("payload", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_on_stdin_is_denied_with_a_repair_hint_where_a_tool_call_is_decided(workstation, payload):
    stdin = workstation.user.write(".live/garbage", payload)

    def answer(event):
        return workstation.user.run(["sh", "-c", 'exec "$0" "$1" <"$2"', workstation.wrapper, event, stdin], check=False)

    denied = answer("preToolUse")
    assert denied.returncode == 2 or json.loads(denied.stdout)["permissionDecision"] == "deny"
    assert REPAIR_HINT in denied.stdout + denied.stderr
    passed = answer("agentStop")
    assert (passed.returncode, passed.stdout) == (0, "")
