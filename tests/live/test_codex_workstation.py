# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A converged home under the real Codex CLI, hooks trusted by record and no bypass: it refuses to leak, and fails closed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from clis import pinned
from codex import CODE_MODE_MODEL, NO_SANDBOX, SUB_AGENT_MODEL, apply_patch, code, hooks_listed, mcp_tool, run, shell, spawn_agent
from guarded import each_guard, guarded_repository, path_with_programs, rules_of, session_that_leaves_what_is_innocent
from session import strings_in
from workstation import AWS_CANARY, PRIVATE_KEY, SSH_CANARY, TOKEN, CodexWorkstation, lay_bait, make_site

*OLDER, NEWEST = pinned("codex")
REPAIR_HINT = "agentihooks.fleet.site"
RECORD = {"agentihooks_targets": ["codex"], "agentihooks_codex_hook_trust": "record"}


def lay_cli(user, cli):
    """Put the CLI where the facts find it: what Codex trusts depends on its version."""
    user.write(".local/bin/codex", f"#!/bin/sh\nexec '{cli.binary}' \"$@\"\n", mode=0o755)


@pytest.fixture(scope="session")
def codex_workstations(make_scratch_user, collections_path):
    """A function: CLI -> a home converged for it by `make site`; each is made once."""
    made = {}

    def workstation(cli):
        if cli.version not in made:
            user = make_scratch_user()
            lay_bait(user)
            lay_cli(user, cli)
            made[cli.version] = CodexWorkstation(user, make_site(user, collections_path, **RECORD))
        return made[cli.version]

    return workstation


@pytest.fixture
def workstation(codex_cli, codex_workstations):
    return codex_workstations(codex_cli)


def files_in_work(workstation):
    work = workstation.home / "work"
    return sorted(str(path.relative_to(work)) for path in work.rglob("*") if path.is_file())


@pytest.fixture
def clean_work(workstation):
    """The working directory is as lay_bait() made it, before and after."""
    yield
    for path in (workstation.home / "work").iterdir():
        if path.name != "innocent.txt":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    workstation.user.write("work/innocent.txt", "harmless\n")


def secret_lines():
    return ["+" + line for line in PRIVATE_KEY]


def leaking_patches():
    """Return patches that would write a secret, each in another way."""
    return [
        apply_patch("*** Add File: deploy.pem", *secret_lines()),
        apply_patch("*** Update File: innocent.txt", "@@", "-harmless", f"+GITHUB_TOKEN={TOKEN}"),
        apply_patch("*** Update File: innocent.txt", "*** Move to: moved.txt", "@@", "-harmless", f"+GITHUB_TOKEN={TOKEN}"),
        apply_patch(
            "*** Add File: one.txt", "+fine", "*** Add File: sub/two.pem", *secret_lines(), "*** Update File: innocent.txt", "@@", "-harmless", "+fine",
        ),
    ]


def test_the_site_run_says_that_the_hooks_are_trusted(workstation):
    assert "NOT TRUSTED" not in workstation.said and "CODEX DOES NOT RUN" not in workstation.said
    assert "Codex CLI " in workstation.said and "not found" not in workstation.said.split("Codex CLI ")[1][:20]


def test_codex_itself_says_that_each_hook_is_trusted_and_complains_about_nothing(codex_cli, workstation):
    hooks, warnings = hooks_listed(codex_cli, workstation.home, user=workstation.user.name)
    assert warnings == []
    assert {hook["trustStatus"] for hook in hooks} == {"trusted"} and all(hook["enabled"] for hook in hooks)
    assert len(hooks) == (9 if codex_cli.version == "0.142.3" else 10)
    assert {hook["command"] for hook in hooks} == {str(workstation.wrapper)}


def test_leaking_shell_calls_are_denied_with_a_reason_and_an_innocent_one_runs(codex_cli, workstation, clean_work):
    calls = [shell("cat ~/.ssh/id_rsa"), shell("bash -c 'cat ~/.aws/credentials'"), shell(f"echo {TOKEN} > token.txt"), shell("ls")]
    session = run(codex_cli, workstation.home, [{"calls": calls}, {"text": "done"}], user=workstation.user.name)
    *refusals, listing = session.tool_results()
    assert all(rules_of(refusals)), session.report()
    assert "innocent.txt" in listing
    assert session.model_saw(SSH_CANARY) == session.model_saw(AWS_CANARY) == 0, session.report()
    assert files_in_work(workstation) == ["innocent.txt"]


def make(path, text):
    """Return the call that makes a file."""
    return apply_patch(f"*** Add File: {path}", *("+" + line for line in text.splitlines()))


def edit(old, new):
    """Return the call that changes a line of package.json."""
    return apply_patch("*** Update File: package.json", "@@", "-" + old, "+" + new)


def test_each_guard_stops_one_call_and_lets_one_pass(codex_cli, workstation):
    pairs = each_guard(shell, make, edit, ".codex/hooks.json", "codex features disable hooks")
    # One after the other: patches of one file, and the order of the results.
    steps = [*({"calls": [each]} for each, _rule in pairs), {"text": "done"}]
    with guarded_repository(workstation) as repository:
        session = session_that_leaves_what_is_innocent(
            workstation, repository, pairs,
            lambda: run(codex_cli, workstation.home, steps, user=workstation.user.name, cwd=repository, env=path_with_programs(workstation)),
        )  # fmt: skip
        assert rules_of(session.tool_results()) == [rule for _call, rule in pairs], session.report()
        # Older versions add that they trust this repository.
        assert "hooks = true" in workstation.config.read_text(encoding="utf-8")


def test_leaking_patches_are_denied_whole_and_innocent_ones_are_applied(codex_cli, workstation, clean_work):
    fine = apply_patch("*** Add File: new/a.txt", "+a", "*** Update File: innocent.txt", "*** Move to: moved.txt", "@@", "-harmless", "+changed")
    session = run(codex_cli, workstation.home, [{"calls": leaking_patches()}, {"calls": [fine]}, {"text": "done"}], user=workstation.user.name)
    *refusals, applied = session.tool_results()
    assert all(rule.startswith("secret") for rule in rules_of(refusals)) and len(refusals) == len(leaking_patches()), session.report()
    assert "Success" in applied, session.report()
    assert files_in_work(workstation) == ["moved.txt", "new/a.txt"]
    # Behind the reason Codex itself repeats the call.
    said = [refusal.split(". Command:")[0] for refusal in refusals]
    assert not any(TOKEN in reason or PRIVATE_KEY[1] in reason for reason in said), said


def test_an_mcp_call_with_a_secret_is_denied_and_another_runs(codex_cli, workstation):
    source = Path(__file__).with_name("mcp_server.py").read_text(encoding="utf-8")
    server = workstation.user.write(".live/mcp_server.py", source)
    options = ("-c", 'mcp_servers.probe.command="python3"', "-c", f"mcp_servers.probe.args={json.dumps([str(server)])}", *NO_SANDBOX)
    calls = [mcp_tool("probe", "alpha", text=f"the token is {TOKEN}"), mcp_tool("probe", "beta", text="fine")]
    session = run(codex_cli, workstation.home, [{"calls": calls}, {"text": "done"}], user=workstation.user.name, args=options)
    refusal, answer = session.tool_results()
    assert rules_of([refusal, answer])[0].startswith("secret") and "mcp-tool-ran" in answer, session.report()
    assert session.model_saw("mcp-tool-ran") == 1


def test_a_leaking_call_of_a_sub_agent_is_denied_too(codex_cli, workstation):
    waiting, leaking = ({"calls": [shell(command)]} for command in ("sleep 1", "cat ~/.ssh/id_rsa"))
    steps = [{"calls": [spawn_agent("CHILD work")]}, waiting, waiting, leaking, leaking, {"text": "one"}, {"text": "two"}]
    session = run(codex_cli, workstation.home, steps, user=workstation.user.name, model=SUB_AGENT_MODEL)
    told = [part for body in session.requests for part in strings_in(body)]
    assert any("credential" in rule for rule in rules_of(told)), session.report()
    assert session.model_saw(SSH_CANARY) == 0, session.report()


@pytest.mark.parametrize("codex_cli", [NEWEST], indirect=True)
def test_in_code_mode_a_leaking_call_of_the_script_is_denied(codex_cli, workstation):
    script = "const r = await tools.exec_command({cmd: 'cat ~/.ssh/id_rsa'}); text(r.output);"
    session = run(codex_cli, workstation.home, [{"calls": [code(script)]}, {"text": "done"}], user=workstation.user.name, model=CODE_MODE_MODEL)
    assert session.model_saw(SSH_CANARY) == 0 and rules_of(session.tool_results())[0].startswith("credential"), session.report()


def test_a_prompt_with_a_token_makes_no_model_call(codex_cli, workstation):
    session = run(codex_cli, workstation.home, [{"text": "answered"}], prompt=f"use {TOKEN} to push", user=workstation.user.name)
    assert session.requests == [], session.report()


@pytest.mark.parametrize("codex_cli", [NEWEST], indirect=True)
def test_without_the_product_the_same_calls_leak(codex_cli, make_scratch_user):
    user = make_scratch_user()
    lay_bait(user)
    session = run(codex_cli, user.home, [{"calls": [shell("cat ~/.ssh/id_rsa"), *leaking_patches()[:1]]}, {"text": "done"}], user=user.name)
    assert session.model_saw(SSH_CANARY) and (user.home / "work" / "deploy.pem").exists(), session.report()


# 16 kB: more than Codex takes from one hook, and than one piece of ours.
CONTEXT = "\n".join(["head-canary", *["a line of the team's context"] * 280, "middle-canary", *["a line of the team's context"] * 280, "tail-canary"])


def test_a_long_session_context_arrives_whole_and_once_also_when_resumed(codex_cli, workstation):
    with workstation.undone():
        workstation.set_policy(session_context=CONTEXT)
        first = run(codex_cli, workstation.home, [{"text": "one"}], user=workstation.user.name)
        resumed = run(codex_cli, workstation.home, [{"text": "two"}], prompt="again", user=workstation.user.name, resume=first.session_id())
    for session in (first, resumed):
        for canary in ("head-canary", "middle-canary", "tail-canary"):
            assert session.model_saw(canary) == 1, (canary, session.report())
    assert resumed.model_saw("again"), resumed.report()


def test_the_session_context_comes_again_after_a_compaction(codex_cli, workstation):
    """Which drops what was added. 0.142.3 raises no event for it."""
    options = (*NO_SANDBOX, "-c", "model_auto_compact_token_limit=1")
    with workstation.undone():
        workstation.set_policy(session_context="head-canary")
        steps = [{"calls": [shell("ls")]}, {"text": "a summary"}, {"text": "done"}]
        session = run(codex_cli, workstation.home, steps, user=workstation.user.name, args=options)
    last = "\n".join(strings_in(session.requests[-1]))
    assert len(session.requests) >= 3 and "a summary" in last, session.report()
    assert last.count("head-canary") == (0 if codex_cli.version == "0.142.3" else 1), last[-3000:]


# --- Trust ---


def test_untrusted_hooks_are_said_and_record_makes_them_run(codex_cli, make_scratch_user, collections_path):
    user = make_scratch_user()
    lay_bait(user)
    lay_cli(user, codex_cli)
    own = '[hooks.state."/somewhere/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:theirs"\nenabled = false # for now\n'
    user.write(".codex/config.toml", "# mine\n" + own, mode=0o600)
    asked = CodexWorkstation(user, make_site(user, collections_path, agentihooks_targets=["codex"]))
    assert "CODEX DOES NOT RUN" in asked.said and "NOT TRUSTED, SO NOT RUN BY CODEX" in asked.said and "PreToolUse" in asked.said
    assert asked.config.read_text().count("trusted_hash") == 1 and own in asked.config.read_text()
    leak = [{"calls": [shell("cat ~/.ssh/id_rsa")]}, {"text": "done"}]
    assert run(codex_cli, user.home, leak, user=user.name).model_saw(SSH_CANARY)

    recorded = make_site(user, collections_path, **RECORD)
    assert "NOT TRUSTED" not in recorded
    assert own in asked.config.read_text()
    session = run(codex_cli, user.home, leak, user=user.name)
    assert session.model_saw(SSH_CANARY) == 0, session.report()

    # A definition that is no longer the trusted one: said in one mode, put right in the other.
    asked.config.write_text(asked.config.read_text().replace("sha256:", "sha256:0", 4).replace("sha256:0theirs", "sha256:theirs"))
    assert "changed since they were trusted" in make_site(user, collections_path, agentihooks_targets=["codex"])
    make_site(user, collections_path, **RECORD)
    assert {hook["trustStatus"] for hook in hooks_listed(codex_cli, user.home, user=user.name)[0]} == {"trusted"}
    assert own in asked.config.read_text()
    assert not (user.home / ".copilot").exists()


# --- The runtime broken on purpose ---


def interpreter_gone(workstation):
    python = workstation.runtime / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")


def guard_raises(workstation):
    guards = workstation.runtime / "agentihooks" / "guards"
    for compiled in guards.glob("__pycache__/secrets.*"):
        compiled.unlink()
    text = "def check(event, context):\n    raise RuntimeError('broken on purpose')\n"
    workstation.user.write((guards / "secrets.py").relative_to(workstation.home), text)


@pytest.mark.parametrize("breakage", [interpreter_gone, guard_raises])
def test_a_broken_runtime_denies_tool_calls_with_a_repair_hint_and_lets_other_events_pass(codex_cli, workstation, breakage):
    calls = [shell("touch ran"), apply_patch("*** Add File: ran", "+x")]
    with workstation.undone():
        breakage(workstation)
        session = run(codex_cli, workstation.home, [{"calls": calls}, {"text": "done"}], prompt="prompt-canary", user=workstation.user.name)
    assert files_in_work(workstation) == ["innocent.txt"]
    assert session.model_saw("prompt-canary") == 1, session.report()
    assert all(REPAIR_HINT in result for result in session.tool_results()), session.report()


# --- Managed by the system ---

# /etc as it is, with the system's own registration laid over it; the rest of the machine does not see that.
OVERLAY = """
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" /etc
shift
exec "$@"
"""
PLAY = [{"hosts": "all", "gather_facts": False, "tasks": [{"agentihooks.fleet.codex_managed_hooks": {}}]}]


def test_hooks_of_the_system_run_without_trust_and_no_setting_of_the_persons_stops_them(codex_cli, make_scratch_user, collections_path, tmp_path):
    user = make_scratch_user()
    lay_bait(user)
    asked = {"agentihooks_targets": ["codex"], "agentihooks_codex_hook_trust": "managed"}
    (tmp_path / "play.json").write_text(json.dumps(PLAY))
    user.write(".codex/config.toml", "[features]\nhooks = false\n", mode=0o600)
    done = overlaid(tmp_path, "--play", tmp_path / "play.json", "--collections", collections_path, "--user", user.name, "--cli", codex_cli.version,
                    "--variables", json.dumps(asked))
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["requirements"].count("agentihooks-hook.sh") and not Path("/etc/codex").exists()
    assert {hook["trustStatus"] for hook in told["hooks"]} == {"managed"} and told["warnings"] == []
    assert not (user.home / ".codex" / "hooks.json").exists()
    assert told["denied"] and SSH_CANARY not in json.dumps(told["requests"]), done.stderr
    assert told["denied_without_wrapper"], done.stderr
    assert told["let_go_for_others"], done.stderr


def overlaid(tmp_path, *arguments):
    """Run codex_managed.py where the system's registration may be written; returns the CompletedProcess."""
    mount = tmp_path / "etc"
    mount.mkdir()
    script = Path(__file__).with_name("codex_managed.py")
    command = ["unshare", "--mount", "sh", "-c", OVERLAY, "overlay", mount, sys.executable, script, *arguments]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done
