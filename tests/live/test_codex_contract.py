# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about the real Codex CLI that the product relies on, proved with hand-written hooks and no product at all."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from clis import pinned, reported_version
from codex import (
    BYPASS_HOOK_TRUST, CODE_MODE_MODEL, NO_SANDBOX, SUB_AGENT_MODEL, Session, TypingModel, app_server, apply_patch, code, hooks_listed,
    mcp_tool, open_session, provider, run, shell, spawn_agent, type_in,
)  # fmt: skip
from scripted_model import ScriptedModel
from session import call

HERE = Path(__file__).parent
HOOKED = (*NO_SANDBOX, *BYPASS_HOOK_TRUST)
EVENTS = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop", "PreCompact",
    "PermissionRequest",
)  # fmt: skip
LIMITED = ("SessionStart", "PostToolUse", "SubagentStart")
# The key additionalContextLimit is known to these.
KNOWS_LIMIT = pinned("codex")[1:]

# Seconds: short for the stalling call, long enough for every other one on a busy machine.
STALL_LIMIT = 5


def command(home: Path, *options: str) -> str:
    return shlex.join([sys.executable, str(HERE / "codex_hand_hook.py"), str(home / "record.jsonl"), *options])


def hand_hooked_home(home: Path, *options: str, events=EVENTS) -> Path:
    """Return a scratch home whose only hooks are the hand-written one, on every event the product registers."""
    (home / ".codex").mkdir(parents=True)
    (home / "work").mkdir()
    groups = {}
    for event in events:
        handler = {"type": "command", "command": command(home, *options), "timeout": 3 if event == "SessionEnd" else STALL_LIMIT}
        if event in LIMITED:
            handler["additionalContextLimit"] = 0
        groups[event] = [{"hooks": [handler]}]
    (home / ".codex" / "hooks.json").write_text(json.dumps({"hooks": groups}))
    return home


def mcp_server_options() -> tuple:
    server = {"command": sys.executable, "args": [str(HERE / "mcp_server.py")]}
    return ("-c", f"mcp_servers.probe.command={json.dumps(server['command'])}", "-c", f"mcp_servers.probe.args={json.dumps(server['args'])}")


@dataclass(frozen=True)
class Probe:
    """A session, its home, and the hook's own records in order."""

    session: Session
    home: Path
    records: list

    def made(self, name: str) -> bool:
        return (self.home / "work" / name).exists()

    def events(self) -> list:
        return [record["event"] for record in self.records]


def probe(cli, home: Path, steps: list, **options) -> Probe:
    session = run(cli, home, steps, **{"args": HOOKED, **options})
    lines = (home / "record.jsonl").read_text(encoding="utf-8").splitlines()
    return Probe(session, home, [json.loads(line) for line in lines])


@pytest.fixture(scope="module")
def probed(codex_cli, tmp_path_factory) -> Probe:
    """One session with calls that the hook denies in several ways, stalls on and lets through."""
    steps = [
        {"calls": [
            shell("touch denied-by-exit # EXIT-TWO"), shell("touch let-through-silent # SILENT-TWO"), shell("touch let-through-stall # STALL"),
            shell("touch let-through-stray # STRAY-KEY"), shell("touch innocent"),
            apply_patch("*** Add File: denied-by-patch", "+EXIT-TWO"), apply_patch("*** Add File: patched", "+innocent"),
            mcp_tool("probe", "alpha", word="EXIT-TWO"), mcp_tool("probe", "beta"),
        ]},
        {"text": "done"},
    ]
    home = hand_hooked_home(tmp_path_factory.mktemp(f"probe-{codex_cli.version}"))
    return probe(codex_cli, home, steps, args=(*HOOKED, *mcp_server_options()))


def test_the_pinned_cli_is_the_version_it_is_pinned_to(codex_cli, tmp_path):
    assert reported_version(codex_cli, tmp_path) == codex_cli.version


def test_exit_code_2_with_text_stops_a_shell_call_and_the_text_reaches_the_model(probed):
    assert not probed.made("denied-by-exit"), probed.session.report()
    assert "exit-two-reason" in probed.session.tool_results()[0]


def test_the_same_stops_a_patch_and_an_mcp_call(probed):
    assert not probed.made("denied-by-patch") and probed.made("patched"), probed.session.report()
    results = probed.session.tool_results()
    assert "exit-two-reason" in results[5] and "exit-two-reason" in results[7]
    assert "mcp-tool-ran" in results[8] and probed.session.model_saw("mcp-tool-ran") == 1


def test_siblings_of_a_denied_call_run(probed):
    assert probed.made("innocent"), probed.session.report()


@pytest.mark.parametrize("name", ["let-through-silent", "let-through-stall", "let-through-stray"])
def test_what_lets_a_call_through(probed, name):
    """Exit code 2 without text, a hook that passes its limit, a key that the schema has not: all are open."""
    assert probed.made(name), probed.session.report()


def test_the_names_of_the_tools_at_the_hook(probed):
    called = [record["payload"] for record in probed.records if record["event"] == "PreToolUse"]
    named = {(payload["tool_name"], tuple(payload["tool_input"])) for payload in called}
    assert named == {("Bash", ("command",)), ("apply_patch", ("command",)), ("mcp__probe__alpha", ("word",)), ("mcp__probe__beta", ())}


def test_the_session_file_names_the_running_version_at_every_event(codex_cli, probed):
    assert {record["version"] for record in probed.records} == {codex_cli.version}, probed.events()


def test_context_reaches_the_model_from_each_event_that_may_carry_it(probed):
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"):
        assert probed.session.model_saw("context-of-" + event), event


def test_an_untrusted_hook_does_not_run_and_nothing_is_said(codex_cli, tmp_path):
    session = run(codex_cli, hand_hooked_home(tmp_path), [{"calls": [shell("touch ran # EXIT-TWO")]}, {"text": "done"}])
    assert (tmp_path / "work" / "ran").exists() and not (tmp_path / "record.jsonl").exists()
    assert session.exit_code == 0 and "hook:" not in session.stderr and "warning" not in session.stderr.lower(), session.report()


def test_a_blocked_prompt_makes_no_model_call_and_the_exit_code_does_not_tell(codex_cli, tmp_path):
    blocked = probe(codex_cli, hand_hooked_home(tmp_path), [{"text": "answered"}], prompt="EXIT-TWO")
    assert blocked.session.requests == []
    assert blocked.session.exit_code == 0


def test_a_long_context_is_cut_in_the_middle_unless_the_limit_is_lifted(codex_cli, tmp_path):
    session = probe(codex_cli, hand_hooked_home(tmp_path, "--long"), [{"calls": [shell("true")]}, {"text": "done"}]).session
    for event in ("SessionStart", "UserPromptSubmit", "PostToolUse"):
        assert session.model_saw("head-of-" + event) and session.model_saw("tail-of-" + event), event
        whole = event in LIMITED and codex_cli.version in KNOWS_LIMIT
        assert bool(session.model_saw("middle-of-" + event)) is whole, event


def test_the_limit_is_refused_where_no_context_can_be_added_and_nothing_else_is_complained_about(codex_cli, tmp_path):
    home = hand_hooked_home(tmp_path)
    hooks, warnings = hooks_listed(codex_cli, home)
    assert warnings == []
    known = [event for event in EVENTS if codex_cli.version in KNOWS_LIMIT or event != "SessionEnd"]
    assert sorted(hook["eventName"].lower() for hook in hooks) == sorted(event.lower() for event in known)
    path = home / ".codex" / "hooks.json"
    content = json.loads(path.read_text())
    content["hooks"]["Stop"][0]["hooks"][0]["additionalContextLimit"] = 0
    path.write_text(json.dumps(content))
    assert len(hooks_listed(codex_cli, home)[1]) == (1 if codex_cli.version in KNOWS_LIMIT else 0)


def test_an_empty_group_keeps_the_place_of_those_after_it(codex_cli, tmp_path):
    home = hand_hooked_home(tmp_path, events=("PreToolUse",))
    path = home / ".codex" / "hooks.json"
    content = json.loads(path.read_text())
    content["hooks"]["PreToolUse"].insert(0, {"hooks": []})
    path.write_text(json.dumps(content))
    hooks, warnings = hooks_listed(codex_cli, home)
    assert ([hook["key"] for hook in hooks], warnings) == ([f"{path}:pre_tool_use:1:0"], [])


@pytest.mark.parametrize("key", ["version", "disableAllHooks"])
def test_another_top_level_key_rejects_the_whole_file(codex_cli, tmp_path, key):
    home = hand_hooked_home(tmp_path)
    path = home / ".codex" / "hooks.json"
    path.write_text(json.dumps(dict(json.loads(path.read_text()), **{key: 1})))
    hooks, warnings = hooks_listed(codex_cli, home)
    assert hooks == [] and len(warnings) == 1 and key in str(warnings)


def test_hooks_fire_inside_a_sub_agent(codex_cli, tmp_path):
    # The main thread and its sub-agent take the steps in turn, so each kind of step is there twice.
    waiting, denied = ({"calls": [shell(text)]} for text in ("sleep 1", "touch denied # EXIT-TWO"))
    steps = [{"calls": [spawn_agent("CHILD work")]}, waiting, waiting, denied, denied, {"text": "one"}, {"text": "two"}]
    probed = probe(codex_cli, hand_hooked_home(tmp_path), steps, model=SUB_AGENT_MODEL)
    assert not probed.made("denied"), probed.session.report()
    inside = [record["payload"]["hook_event_name"] for record in probed.records if record["payload"].get("agent_id")]
    assert "SubagentStart" in inside and "PreToolUse" in inside, probed.events()
    assert probed.session.model_saw("context-of-SubagentStart"), probed.session.report()


def test_what_is_typed_into_an_open_session_is_not_seen(codex_cli, tmp_path):
    """The blind spot of every version: only the command that opened the interpreter is judged."""
    steps = [{"calls": [open_session("python3 -i")]}, {"calls": [type_in("open('typed', 'w') # EXIT-TWO\n")]}, {"text": "done"}]
    probed = probe(codex_cli, hand_hooked_home(tmp_path), steps, scripted_model=TypingModel)
    assert probed.made("typed"), probed.session.report()
    assert [record["payload"]["tool_input"] for record in probed.records if record["event"] == "PreToolUse"] == [{"command": "python3 -i"}]


@pytest.mark.parametrize("codex_cli", pinned("codex")[-1:], indirect=True)
def test_in_code_mode_each_tool_called_by_the_script_is_seen(codex_cli, tmp_path):
    script = "const r = await tools.exec_command({cmd: 'touch nested # EXIT-TWO'}); text(r.output);"
    probed = probe(codex_cli, hand_hooked_home(tmp_path), [{"calls": [code(script)]}, {"text": "done"}], model=CODE_MODE_MODEL)
    assert not probed.made("nested"), probed.session.report()
    assert [record["payload"]["tool_name"] for record in probed.records if record["event"] == "PreToolUse"] == ["Bash"]


def trust(cli, home: Path) -> None:
    """Record the hooks as trusted, as the CLI's own dialog does: with the hash that the CLI computes itself."""
    tables = [f"[hooks.state.{json.dumps(hook['key'])}]\ntrusted_hash = {json.dumps(hook['currentHash'])}\n" for hook in hooks_listed(cli, home)[0]]
    (home / ".codex" / "config.toml").write_text("\n".join(tables))


def test_a_recorded_hash_is_all_that_trust_takes(codex_cli, tmp_path):
    home = hand_hooked_home(tmp_path)
    trust(codex_cli, home)
    assert {hook["trustStatus"] for hook in hooks_listed(codex_cli, home)[0]} == {"trusted"}
    probed = probe(codex_cli, home, [{"calls": [shell("touch ran # EXIT-TWO")]}, {"text": "done"}], args=NO_SANDBOX)
    assert not probed.made("ran"), probed.session.report()


def test_a_permission_request_is_refused_by_exit_code_2(codex_cli, tmp_path):
    """Only where a person can be asked, so never in `codex exec`: the request is made through the app server."""
    home = hand_hooked_home(tmp_path, events=("PermissionRequest",))
    trust(codex_cli, home)
    escalated = {"sandbox_permissions": "require_escalated", "justification": "needed"}
    calls = [call("exec_command", cmd="touch ../refused # EXIT-TWO", **escalated), call("exec_command", cmd="touch ../asked", **escalated)]
    asked = []

    def answer(message):
        asked.append(message["params"]["command"])
        return {"decision": "decline"}

    with ScriptedModel([{"calls": [calls[0]]}, {"calls": [calls[1]]}, {"text": "done"}]) as scripted:
        with app_server(codex_cli, home, options=provider(scripted.base_url)) as server:
            started = server.ask("thread/start", cwd=str(home / "work"), model="gpt-5.5", approvalPolicy="on-request", sandbox="read-only")
            server.ask("turn/start", threadId=started["thread"]["id"], input=[{"type": "text", "text": "go"}])
            server.messages_until("turn/completed", answer)
    assert len(asked) == 1 and "../asked" in asked[0], asked
    assert "exit-two-reason" in json.dumps(scripted.requests[-1]["body"])
