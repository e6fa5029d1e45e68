# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes that ask a real Codex CLI the questions of the claims. Each runs a few packed sessions and returns question -> answer.

No product is in them: hooks are tests/live/case_hook.py. An answer rests on an effect: a file made or not, a word in what the model got.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
from pathlib import Path

from clis import Cli
from codex import (
    BYPASS_HOOK_TRUST, CODE_MODE_MODEL, MODEL, NO_SANDBOX, SUB_AGENT_MODEL, TypingModel, app_server, apply_patch, code, environment, hooks_listed,
    mcp_tool, open_session, provider, run, shell, spawn_agent, type_in,
)  # fmt: skip
from listening import listening
from scripted_model import ScriptedModel
from session import TIMEOUT, Scratch, call, strings_in

HERE = Path(__file__).resolve().parent
DONE = [{"text": "done"}]
HOOKED = (*NO_SANDBOX, *BYPASS_HOOK_TRUST)
# Seconds; every hook but the one that stalls ends in less, also on a busy machine.
LIMIT = 5
# Keys of every payload.
COMMON = {"session_id", "transcript_path", "cwd", "hook_event_name", "model", "permission_mode", "turn_id"}


def write(path: Path, content) -> Path:
    """Write text or JSON to a new file; missing directories are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def hook(home: Path, event: str, case: str = "", **more) -> dict:
    """Return a handler that runs the case hook."""
    words = [sys.executable, str(HERE / "case_hook.py"), str(home), event, *([case] if case else [])]
    return {"type": "command", "command": shlex.join(words), "timeout": LIMIT, **more}


def hooked(home: Path, handlers: dict, cases: dict) -> None:
    """Lay out a home whose hooks are these handlers, event -> list of handlers of one group."""
    write(home / ".codex" / "hooks.json", {"hooks": {event: [{"hooks": entries}] for event, entries in handlers.items()}})
    write(home / "cases.json", cases)
    (home / "work").mkdir(exist_ok=True)


def records(home: Path) -> list:
    path = home / "record.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def answer(value, *, err: str = "", code: int = 0, **more) -> dict:
    return {"out": value if isinstance(value, str) else json.dumps(value), "err": err, "exit": code, **more}


def specific(event: str, **fields) -> dict:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def mcp_options() -> tuple:
    return (
        "-c",
        f"mcp_servers.probe.command={json.dumps(sys.executable)}",
        "-c",
        f"mcp_servers.probe.args={json.dumps([str(HERE / 'mcp_server.py')])}",
    )


def pre_tool_use(cli: Cli, home: Path) -> dict:
    """What each answer of a PreToolUse hook does to its call."""
    event = "PreToolUse"
    deny = specific(event, permissionDecision="deny", permissionDecisionReason="deny-reason")
    cases = {
        "silent": {}, "exit-2": answer("", err="stderr-reason", code=2), "exit-2-silent": answer("", code=2), "exit-1": answer("", err="e", code=1),
        "exit-3": answer("", err="e", code=3), "exit-127": answer("", err="e", code=127), "exit-1-with-deny": answer(deny, code=1),
        "stall": {"sleep": 8, "exit": 2, "err": "e"},
        "block": answer({"decision": "block", "reason": "block-reason"}), "block-without-reason": answer({"decision": "block"}), "deny": answer(deny),
        "deny-without-reason": answer(specific(event, permissionDecision="deny")), "ask": answer(specific(event, permissionDecision="ask")),
        "allow": answer(specific(event, permissionDecision="allow")),
        "updated-input": answer(specific(event, permissionDecision="allow", updatedInput={"command": "touch replaced-updated-input"})),
        "updated-input-alone": answer(specific(event, updatedInput={"command": "touch replaced-updated-input-alone"})),
        "nested-context": answer(specific(event, additionalContext="nested-context-canary")),
        "top-context": answer({"additionalContext": "top-context-canary"}),
        "plain-text": answer("plain-text-canary"), "text-then-json": answer("text\n" + json.dumps(deny)), "two-objects": answer(json.dumps(deny) * 2),
        "continue-false": answer({"continue": False, "stopReason": "s"}), "system-message": answer({"systemMessage": "system-message-canary"}),
        "unknown-key": answer({**deny, "zzz": 1}),
        "unknown-nested-key": answer(specific(event, permissionDecision="deny", permissionDecisionReason="r", zzz=1)),
        "no-event-name": answer({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}}),
        "other-event-name": answer(specific("Stop", permissionDecision="deny", permissionDecisionReason="r")), "approve": answer({"decision": "approve"}),
        "copilot-deny": answer({"permissionDecision": "deny", "permissionDecisionReason": "r"}),
    }  # fmt: skip
    hooked(home, {event: [hook(home, event)]}, {f"{event}/{name}": case for name, case in cases.items()})
    calls = [shell(f"touch ran-{name} # case:{name}") for name in cases]
    patches = [
        apply_patch("*** Add File: patch-denied", "+case:exit-2"),
        apply_patch("*** Add File: patch-let", "+x", "*** Add File: patch-second", "+x"),
    ]
    servers = [mcp_tool("probe", "alpha", word="case:exit-2"), mcp_tool("probe", "beta")]
    session = run(cli, home, [{"calls": [*calls, *patches, *servers]}, *DONE], args=(*HOOKED, *mcp_options()))
    work = home / "work"
    found = {}
    for name in cases:
        found[name] = "arguments replaced" if (work / f"replaced-{name}").exists() else "runs" if (work / f"ran-{name}").exists() else "denied"
    results = session.tool_results()
    named = {record["payload"]["tool_name"]: record["payload"]["tool_input"] for record in records(home)}
    found.update({
        "reason-reaches-model": "stderr-reason" in results[1], "nested-context-reaches-model": bool(session.model_saw("nested-context-canary")),
        "top-context-reaches-model": bool(session.model_saw("top-context-canary")), "plain-text-reaches-model": bool(session.model_saw("plain-text-canary")),
        "system-message-reaches-model": bool(session.model_saw("system-message-canary")),
        "patch-exit-2": "applied" if (work / "patch-denied").exists() else "denied", "patch-several-files": (work / "patch-second").exists(),
        "mcp-exit-2": "denied" if "stderr-reason" in results[-2] else "runs", "mcp-other-call": "runs" if "mcp-tool-ran" in results[-1] else "denied",
        "tool-names": " ".join(sorted(named)), "shell-input": " ".join(named["Bash"]), "patch-input": " ".join(named["apply_patch"]),
        "payload-keys": " ".join(sorted(records(home)[0]["payload"])), "permission_mode": records(home)[0]["payload"].get("permission_mode", "none"),
        "calls-per-process": "one" if len(records(home)) == len(calls) + 4 else "several",
        "siblings-of-a-denied-call": "run" if (work / "ran-silent").exists() else "do not run",
        "hook-sees-event-in-environment": any("HOOK" in name and "EVENT" in name for name in records(home)[0]["environment"]),
        "exit-code": session.exit_code, "failed-is-said": "Failed" in session.stderr,
    })  # fmt: skip
    return found


def other_events(cli: Cli, home: Path) -> dict:
    """What context reaches the model from the events that decide no call, and which events fire: several handlers on each."""
    events = ("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart", "Stop")
    cases, handlers = {}, {}
    for event in events:
        cases.update({
            f"{event}/nested": answer(specific(event, additionalContext=f"nested-of-{event}")),
            f"{event}/top": answer({"additionalContext": f"top-of-{event}"}),
            f"{event}/text": answer(f"text-of-{event}"), f"{event}/exit-1": answer("", code=1, err="e"),
        })  # fmt: skip
        handlers[event] = [hook(home, event, case) for case in ("nested", "top", "text", "exit-1")]
    silent = ("SessionEnd", "PreToolUse", "SubagentStop", "PreCompact", "PostCompact", "PreModelRequest", "PostModelRequest", "Interrupt", "Notification",
              "PostToolUseFailure", "preToolUse", "pre_tool_use")  # fmt: skip
    for event in silent:
        handlers[event] = [hook(home, event, "seen", **({"timeout": 3} if event == "SessionEnd" else {}))]
    hooked(home, handlers, cases)
    waiting = {"calls": [shell("sleep 1")]}
    steps = [{"calls": [shell("echo x")]}, {"calls": [spawn_agent("CHILD work")]}, waiting, waiting, {"text": "one"}, {"text": "two"}]
    session = run(cli, home, steps, model=SUB_AGENT_MODEL, args=HOOKED)
    seen = {}
    for record in records(home):
        seen.setdefault(record["event"], record["payload"])
    found = {
        f"{event}.{form}": "reaches the model" if session.model_saw(f"{form}-of-{event}") else "does not"
        for event in events
        for form in ("nested", "top", "text")
    }
    # Whether a sub-agent ends before the session is chance.
    for event in (*events, *silent):
        if event != "SubagentStop":
            found[f"fires.{event}"] = event in seen
    for event in events:
        if event in seen:
            found[f"keys.{event}"] = " ".join(sorted(seen[event]))
    inside = [record["payload"] for record in records(home) if record["event"] == "PreToolUse" and record["payload"].get("agent_id")]
    found["in-sub-agent"] = bool(inside)
    rows = [json.loads(line) for path in session.rollouts for line in path.read_text(encoding="utf-8").splitlines()]
    kinds = {row["type"] for row in rows} | {f"{row['type']}/{row['payload'].get('type')}" for row in rows}
    found.update({
        "rollout.first-line": rows[0]["type"], "rollout.user_message": "event_msg/user_message" in kinds,
        "rollout.item_completed": "event_msg/item_completed" in kinds,
        "rollout.response_item-message": "response_item/message" in kinds, "rollout.world_state": "world_state" in kinds,
        "rollout.ordinal": any("ordinal" in row for row in rows), "rollout.token_count": "event_msg/token_count" in kinds,
        "rollout.one-file-per-agent": len(session.rollouts) == 2, "environment-of-hooks.CODEX_HOME": "CODEX_HOME" in records(home)[0]["environment"],
    })  # fmt: skip
    return found


def prompts(cli: Cli, home: Path) -> dict:
    """What an answer to UserPromptSubmit does to the turn."""
    event = "UserPromptSubmit"
    cases = {
        "exit-2": answer("", err="r", code=2), "exit-2-silent": answer("", code=2), "exit-1": answer("", err="e", code=1),
        "block": answer({"decision": "block", "reason": "r"}),
        "block-without-reason": answer({"decision": "block"}), "continue-false": answer({"continue": False, "stopReason": "s"}),
        "unknown-key": answer({"decision": "block", "reason": "r", "zzz": 1}),
    }  # fmt: skip
    found = {}
    for name, case in cases.items():
        place = home / name
        hooked(place, {event: [hook(place, event, name)]}, {f"{event}/{name}": case})
        session = run(cli, place, DONE, args=HOOKED)
        found[name] = "goes on" if session.requests else "no model call"
        if name == "block":
            found["block-exit-code"] = session.exit_code
    return found


def results(cli: Cli, home: Path) -> dict:
    """What an answer after a call does to its result, and how a turn is continued."""
    post = {
        "exit-2": answer("", err="post-stderr", code=2), "block": answer({"decision": "block", "reason": "post-reason"}),
        "continue-false": answer({"continue": False, "stopReason": "post-stop-reason"}), "updated": answer({"updatedToolOutput": "updated-result"}),
    }  # fmt: skip
    cases = {**{f"PostToolUse/{name}": case for name, case in post.items()}, "Stop/stop": answer("", err="stop-reason", code=2, once=True)}
    hooked(home, {"PostToolUse": [hook(home, "PostToolUse")], "Stop": [hook(home, "Stop", "stop")]}, cases)
    session = run(cli, home, [{"calls": [shell(f"echo original # case:{name}") for name in post]}, *DONE, *DONE], args=HOOKED)
    told = dict(zip(post, session.tool_results()))
    marks = {"exit-2": "post-stderr", "block": "post-reason", "continue-false": "post-stop-reason", "updated": "updated-result"}
    found = {}
    for name, mark in marks.items():
        replaced = mark in told[name] and "original" not in told[name]
        found[f"PostToolUse.{name}"] = "result replaced" if replaced else "reaches the model" if session.model_saw(mark) else "ignored"
    return {**found, "Stop.exit-2": "turn goes on with the text" if session.model_saw("stop-reason") else "ends"}


def blind_spots(cli: Cli, home: Path) -> dict:
    """Which calls a hook sees, before (pre) and after (post): "no" is a blind spot."""
    events = {event: [hook(home, event)] for event in ("PreToolUse", "PostToolUse")}
    hooked(home, events, {"PreToolUse/deny": answer("", err="r", code=2)})
    patch_in_shell = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: by-shell\n+x\n*** End Patch\nEOF\n"
    calls = [
        shell("echo failing; exit 3"), apply_patch("*** Update File: nowhere", "@@", "-no", "+yes"), shell(patch_in_shell),
        call("zzz_unknown", a="b"), mcp_tool("probe", "alpha"),
    ]  # fmt: skip
    run(cli, home, [{"calls": calls}, *DONE], args=(*HOOKED, *mcp_options()))
    seen = [(record["event"], json.dumps(record["payload"]), record["payload"]["tool_name"]) for record in records(home)]

    def saw(event, words):
        return any(event == at and words in text for at, text, _tool in seen)

    failing = next((text for event, text, _tool in seen if event == "PostToolUse" and "failing" in text), "")
    found = {
        "shell-that-fails.pre": saw("PreToolUse", "exit 3"), "shell-that-fails.post": bool(failing),
        "exit-code-of-a-command": "exit_code" in failing or '"Exit code' in failing,
        "patch-that-fails.pre": saw("PreToolUse", "nowhere"), "patch-that-fails.post": saw("PostToolUse", "nowhere"),
        "patch-in-the-shell.pre": saw("PreToolUse", "by-shell"), "patch-in-the-shell.post": saw("PostToolUse", "by-shell"),
        "unknown-tool.pre": saw("PreToolUse", "zzz_unknown"),
        "mcp.pre": saw("PreToolUse", "mcp__probe__alpha"), "mcp.post": saw("PostToolUse", "mcp__probe__alpha"),
    }  # fmt: skip
    typed = home / "typed"
    hooked(typed, {event: [hook(typed, event)] for event in ("PreToolUse", "PostToolUse")}, {"PreToolUse/deny": answer("", err="r", code=2)})
    steps = [{"calls": [open_session("python3 -i")]}, {"calls": [type_in("open('made', 'w') # case:deny\n")]}, *DONE]
    run(cli, typed, steps, args=HOOKED, scripted_model=TypingModel)
    shown = [json.dumps(record["payload"]) for record in records(typed) if record["event"] == "PreToolUse"]
    found["opening-an-interpreter.pre"] = any("python3 -i" in text for text in shown)
    found["typing-into-an-interpreter.pre"] = any("made" in text for text in shown) or not (typed / "work" / "made").exists()
    coded = home / "coded"
    hooked(coded, {"PreToolUse": [hook(coded, "PreToolUse")]}, {"PreToolUse/deny": answer("", err="r", code=2)})
    script = "const outer = 'outer-canary'; const r = await tools.exec_command({cmd: 'touch nested # case:deny'}); text(r.output);"
    session = run(cli, coded, [{"calls": [code(script)]}, *DONE], args=HOOKED, model=CODE_MODE_MODEL)
    offers = "unsupported" not in session.tool_results()[0]
    shown = [json.dumps(record["payload"]) for record in records(coded)]
    found["code-mode-script.pre"] = any("outer-canary" in text for text in shown) if offers else "no code mode"
    found["code-mode-nested-call.pre"] = any("nested" in text for text in shown) if offers else "no code mode"
    untrusted = home / "untrusted"
    hooked(untrusted, {"PreToolUse": [hook(untrusted, "PreToolUse")]}, {})
    session = run(cli, untrusted, [{"calls": [shell("true")]}, *DONE])
    found["call-with-untrusted-hooks.pre"] = bool(records(untrusted))
    found["untrusted-hooks-are-said"] = "hook" in session.stderr.lower()
    gone = home / "gone"
    write(gone / ".codex" / "hooks.json", {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": str(gone / "nowhere.sh")}]}]}})
    run(cli, gone, [{"calls": [shell("touch ran")]}, *DONE], args=HOOKED)
    found["call-without-the-program.pre"] = not (gone / "work" / "ran").exists()
    return found


def hooks_file(cli: Cli, home: Path) -> dict:
    """What hooks.json may hold, as the CLI lists it, and what a recorded hash has to be."""
    base = {"type": "command", "command": "true"}
    one = {"PreToolUse": [{"hooks": [base]}]}
    documents = {
        "plain": {"hooks": one}, "description": {"description": "d", "hooks": one}, "version-key": {"version": 1, "hooks": one},
        "timeout-text": {"hooks": {"PreToolUse": [{"hooks": [{**base, "timeout": "5"}]}]}},
        "timeout-fraction": {"hooks": {"PreToolUse": [{"hooks": [{**base, "timeout": 1.5}]}]}},
        "no-type": {"hooks": {"PreToolUse": [{"hooks": [{"command": "true"}]}]}},
        "timeoutSec": {"hooks": {"PreToolUse": [{"hooks": [{**base, "timeoutSec": 7}]}]}},
        "prompt-type": {"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "x"}, base]}]}},
        "bad-matcher": {"hooks": {"PreToolUse": [{"matcher": "[", "hooks": [base]}], "Stop": [{"hooks": [base]}]}},
        "camel-event": {"hooks": {"preToolUse": [{"hooks": [base]}]}},
        "session-end": {"hooks": {"SessionEnd": [{"hooks": [{**base, "timeout": 30}]}]}},
        "zero": {"hooks": {"PreToolUse": [{"hooks": [{**base, "timeout": 0}]}]}},
        "empty-group": {"hooks": {"PreToolUse": [{"hooks": []}, {"hooks": [base]}]}},
    }  # fmt: skip
    found = {}
    for name, content in documents.items():
        place = home / name
        write(place / ".codex" / "hooks.json", content)
        hooks, warnings = hooks_listed(cli, place)
        found[name] = f"{len(hooks)} listed, {'warned' if warnings else 'no word'}"
        if name in ("plain", "timeoutSec", "session-end", "zero"):
            found[f"{name}.timeout"] = hooks[0]["timeoutSec"] if hooks else "not listed"
        if name == "plain":
            key = {"event_name": "pre_tool_use", "hooks": [{"async": False, "command": "true", "timeout": 600, "type": "command"}]}
            computed = "sha256:" + hashlib.sha256(json.dumps(key, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
            found["hash"] = "of the definition" if hooks[0]["currentHash"] == computed else "other"
            found["key"] = hooks[0]["key"].replace(str(place), "HOME")
            found["trust"] = hooks[0]["trustStatus"]
        if name == "empty-group":
            found["key-after-an-empty-group"] = hooks[0]["key"].rpartition("hooks.json")[2]
    marks = home / "run" / "marks"
    marks.mkdir(parents=True)
    tried = {
        "absent": None,
        "empty": "",
        "star": "*",
        "name": "Bash",
        "part": "Ba",
        "lower": "bash",
        "either": "Edit|Bash",
        "regex": "^Ba",
        "alias": "shell",
    }
    groups = [
        {**({} if matcher is None else {"matcher": matcher}), "hooks": [{"type": "command", "command": f"touch {marks}/{name}"}]}
        for name, matcher in tried.items()
    ]
    prompt = [{"matcher": "zzz", "hooks": [{"type": "command", "command": f"touch {marks}/prompt; ps -o comm= -p $$ > {marks}/shell"}]}]
    patched = [
        {"matcher": "Edit", "hooks": [{"type": "command", "command": f"touch {marks}/Edit"}]},
        {"matcher": "Write", "hooks": [{"type": "command", "command": f"touch {marks}/Write"}]},
    ]
    write(home / "run" / ".codex" / "hooks.json", {"hooks": {"PreToolUse": [*groups, *patched], "UserPromptSubmit": prompt}})
    run(cli, home / "run", [{"calls": [shell("true"), apply_patch("*** Add File: x", "+x")]}, *DONE], args=HOOKED)
    found.update({f"matcher.{name}": (marks / name).exists() for name in (*tried, "Edit", "Write")})
    found["matcher.on-a-prompt-ignored"] = (marks / "prompt").exists()
    off = home / "off"
    hooked(off, {"UserPromptSubmit": [hook(off, "u")]}, {})
    write(off / ".codex" / "config.toml", "[features]\nhooks = false\n")
    run(cli, off, DONE, args=HOOKED)
    found["features.hooks-false"] = "none run" if not records(off) else "they run"
    inline = home / "inline"
    write(
        inline / ".codex" / "config.toml",
        f"[[hooks.UserPromptSubmit]]\n[[hooks.UserPromptSubmit.hooks]]\ntype = 'command'\ncommand = 'touch {inline}/ran'\n",
    )
    run(cli, inline, DONE, args=HOOKED)
    found["inline-in-config.toml"] = (inline / "ran").exists()
    write(inline / ".codex" / "hooks.json", {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": f"touch {inline}/file"}]}]}})
    (inline / "ran").unlink()
    run(cli, inline, DONE, args=HOOKED)
    found["both-places"] = "both run" if (inline / "ran").exists() and (inline / "file").exists() else "one runs"
    several = home / "several"
    cases = {"a/a": {"sleep": 2}, "b/b": answer("", err="r", code=2), "c/c": answer("", err="r", code=2)}
    hooked(several, {"PreToolUse": [hook(several, "a", "a"), hook(several, "b", "b")]}, cases)
    run(cli, several, [{"calls": [shell("touch ran")]}, *DONE], args=HOOKED)
    found["one-of-two-denies"] = "denied" if not (several / "work" / "ran").exists() else "runs"
    later = home / "async"
    hooked(later, {"PreToolUse": [hook(later, "c", "c", **{"async": True})]}, cases)
    run(cli, later, [{"calls": [shell("touch ran")]}, *DONE], args=HOOKED)
    found["async"] = "cannot deny" if (later / "work" / "ran").exists() else "denies"
    trusted = home / "trusted"
    program = write(trusted / "hook.sh", f"touch {trusted}/first\n")
    hooked(trusted, {"UserPromptSubmit": [{**base, "command": f"sh {program}"}]}, {})
    record_trust(cli, trusted)
    run(cli, trusted, DONE)
    found["recorded-trust"] = "runs without the option" if (trusted / "first").exists() else "does not run"
    write(program, f"touch {trusted}/second\n")
    found["trust-after-an-edit-of-the-program"] = hooks_listed(cli, trusted)[0][0]["trustStatus"]
    hooked(trusted, {"UserPromptSubmit": [{**base, "command": f"sh {program}", "timeout": 7}]}, {})
    found["trust-after-an-edit-of-the-definition"] = hooks_listed(cli, trusted)[0][0]["trustStatus"]
    off = home / "switched-off"
    hooked(off, {"UserPromptSubmit": [hook(off, "u")]}, {})
    record_trust(cli, off, "enabled = false")
    run(cli, off, DONE, args=HOOKED)
    found["state-enabled-false"] = "does not run" if not records(off) else "runs"
    return found


def record_trust(cli: Cli, home: Path, more: str = "") -> None:
    """Record the hooks of a home as trusted, with the hash that the CLI computes itself."""
    tables = [
        f"[hooks.state.{json.dumps(one['key'])}]\ntrusted_hash = {json.dumps(one['currentHash'])}\n{more}\n" for one in hooks_listed(cli, home)[0]
    ]
    write(home / ".codex" / "config.toml", "\n".join(tables))


def config(cli: Cli, home: Path) -> dict:
    """With which config.toml the CLI starts, and what it says of it."""
    scratch = Scratch(home)
    place = home / ".codex"
    place.mkdir()

    def starts(text, *options):
        write(place / "config.toml", text)
        code, out, err = scratch.run([str(cli.binary), *options, "mcp", "list"], environment(home, scratch, place), TIMEOUT)
        return "starts" if code == 0 else "does not start"

    stdio, http = "[mcp_servers.x]\ncommand = 'true'\n", "[mcp_servers.x]\nurl = 'http://127.0.0.1:9/'\n"
    texts = {
        "unknown-key": "zzz = 1\n", "unknown-table": "[agentihooks]\na = 1\n", "wrong-type": "project_doc_max_bytes = 'x'\n", "notify-text": "notify = 'x'\n",
        "wrong-sandbox": "sandbox_mode = 'x'\n", "wrong-approval": "approval_policy = 'x'\n", "approval-untrusted": "approval_policy = 'untrusted'\n",
        "approval-on-request": "approval_policy = 'on-request'\n", "invalid-toml": "a = \n", "duplicate-key": "a = 1\na = 2\n",
        "profile": "profile = 'p'\n[profiles.p]\nmodel = 'x'\n",
        "unknown-feature": "[features]\nzzz = true\n", "codex_hooks": "[features]\ncodex_hooks = true\n", "stdio": stdio, "http": http,
        "env-on-http": http + "env = { A = 'b' }\n",
        "http_headers-on-stdio": stdio + "http_headers = { A = 'b' }\n", "no-transport": "[mcp_servers.x]\nenabled = true\n",
        "bearer_token": http + "bearer_token = 'x'\n",
        "bearer_token_env_var": http + "bearer_token_env_var = 'X'\n", "env_http_headers": http + "env_http_headers = { A = 'B' }\n",
        "mcp-type": http + "type = 'sse'\n",
        "mcp-headers": http + "headers = { A = 'b' }\n", "command-and-url": stdio + "url = 'http://127.0.0.1:9/'\n",
        "server-name": "[mcp_servers.'a b!']\ncommand = 'true'\n",
        "status-line": "[tui]\nstatus_line = ['model']\n", "status-line-text": "[tui]\nstatus_line = 'x'\n",
        "status-line-unknown": "[tui]\nstatus_line = ['zzz']\n",
        "wrong-trust-level": "[projects.'/x']\ntrust_level = 'x'\n", "experimental_instructions_file": "experimental_instructions_file = '/nowhere'\n",
        "approval-never": "approval_policy = 'never'\n", "approval-on-failure": "approval_policy = 'on-failure'\n",
        "approval-granular": "[approval_policy.granular]\nsandbox_approval = true\nrules = true\nmcp_elicitations = true\n",
        "transport-key": http + "transport = 'sse'\n", "skills-config": "[[skills.config]]\nname = 's'\nenabled = false\n",
        "env_vars": stdio + "env_vars = ['A']\n", "required": stdio + "required = true\n",
        "enabled_tools": stdio + "enabled_tools = ['a']\ndisabled_tools = ['b']\n",
    }  # fmt: skip
    found = {name: starts(text) for name, text in texts.items()}
    write(place / "config.toml", "# mine\nmodel = 'x' # here\n")
    ran = environment(home, scratch, place)
    scratch.run([str(cli.binary), "mcp", "add", "theirs", "--", "true"], ran, TIMEOUT)
    text = (place / "config.toml").read_text(encoding="utf-8")
    found["mcp-add-keeps-the-rest"] = text.startswith("# mine\nmodel = 'x' # here\n") and "theirs" in text
    found["mode-after-mcp-add"] = oct((place / "config.toml").stat().st_mode & 0o777)
    _code, out, _err = scratch.run([str(cli.binary), "features", "list"], ran, TIMEOUT)
    found["hooks-feature"] = " ".join(next((line for line in out.splitlines() if line.split()[:1] == ["hooks"]), "absent").split()[1:])
    code, out, err = scratch.run([str(cli.binary), "features", "list"], dict(ran, CODEX_HOME=str(home / "nowhere")), TIMEOUT)
    found["CODEX_HOME-missing"] = "fatal" if code else "starts"
    for name, text, options in (
        ("unknown-key", "zzz = 1\n", ()),
        ("strict", "zzz = 1\n", ("--strict-config",)),
        ("instructions-missing", "model_instructions_file = '/nowhere'\n", ()),
    ):
        other = home / name
        write(other / ".codex" / "config.toml", text)
        session = run(cli, other, DONE, args=(*NO_SANDBOX, *options))
        found[f"session-with-{name}"] = "runs" if session.requests else f"no session, exit {session.exit_code}"
        found[f"session-with-{name}-names-it"] = ("zzz" in session.stderr) if name != "instructions-missing" else "nowhere" in session.stderr
    return found


def mcp(cli: Cli, home: Path) -> dict:
    """What is sent to an HTTP server, which tools are offered, and what a server that does not start does to the session."""
    stdio = f"command = {json.dumps(sys.executable)}\nargs = {json.dumps([str(HERE / 'mcp_server.py')])}\n"
    with listening() as (url, asked):
        tables = {
            "whole": stdio, "chosen": stdio + "enabled_tools = ['alpha', 'beta']\ndisabled_tools = ['beta']\n", "pattern": stdio + "enabled_tools = ['al*']\n",
            "off": stdio + "enabled = false\n", "gone": "command = '/nowhere/server'\n", "bearer": f"url = '{url}/bearer'\nbearer_token_env_var = 'SET'\n",
            "bearer-unset": f"url = '{url}/unset'\nbearer_token_env_var = 'UNSET'\n",
            "headers": f"url = '{url}/headers'\nhttp_headers = {{ X-Literal = '${{SET}}' }}\nenv_http_headers = {{ X-Set = 'SET', X-Unset = 'UNSET' }}\n",
            "wrong": f"url = '{url}/wrong'\nheaders = {{ X-Lost = 'x' }}\n", "sse": f"url = '{url}/sse'\ntype = 'sse'\n",
        }  # fmt: skip
        write(home / ".codex" / "config.toml", "\n".join(f"[mcp_servers.{name}]\n{text}" for name, text in tables.items()))
        calls = [mcp_tool(name, tool) for name in ("whole", "chosen", "pattern", "off") for tool in ("alpha", "beta")]
        session = run(cli, home, [{"calls": calls}, *DONE], env={"SET": "set-value"})
    told = iter(session.tool_results())
    found = {}
    for name in ("whole", "chosen", "pattern", "off"):
        found[f"tools.{name}"] = " ".join(tool for tool in ("alpha", "beta") if "mcp-tool-ran" in next(told)) or "none"
    headers = {path.strip("/"): sent for path, sent in asked}
    found.update({
        "servers-that-fail": f"exit {session.exit_code}", "bearer": headers.get("bearer", {}).get("authorization", "not asked"),
        "bearer-unset": "asked" if "unset" in headers else "not asked", "env_http_headers": headers.get("headers", {}).get("x-set", "not sent"),
        "env_http_headers-unset": headers.get("headers", {}).get("x-unset", "not sent"),
        "http_headers": headers.get("headers", {}).get("x-literal", "not sent"),
        "headers-table": "sent" if "x-lost" in headers.get("wrong", {}) else "lost", "sse": "asked as HTTP" if "sse" in headers else "not asked",
    })  # fmt: skip
    required = home / "required"
    write(required / ".codex" / "config.toml", "[mcp_servers.gone]\ncommand = '/nowhere/server'\nrequired = true\n")
    session = run(cli, required, DONE)
    found["required-server-that-fails"] = "no turn" if not session.requests else "goes on"
    return found


def projects(cli: Cli, home: Path) -> dict:
    """What a repository brings along, by the trust that is recorded for it."""
    found = {}
    for level in ("unset", "trusted", "untrusted"):
        place = home / level
        repo = place / "repo"
        write(repo / ".git" / "HEAD", "ref: refs/heads/main\n")
        write(repo / "AGENTS.md", "canary-agents\n")
        write(repo / ".codex" / "config.toml", "developer_instructions = 'canary-config'\n")
        write(repo / ".codex" / "hooks.json", {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": f"touch {place}/ran"}]}]}})
        write(repo / ".agents" / "skills" / "s" / "SKILL.md", "---\nname: s\ndescription: canary-skill\n---\nText\n")
        write(place / ".codex" / "config.toml", "" if level == "unset" else f"[projects.{json.dumps(str(repo))}]\ntrust_level = '{level}'\n")
        session = run(cli, place, DONE, cwd=repo, args=HOOKED)
        for name in ("agents", "config", "skill"):
            found[f"{level}.{name}"] = "reaches the model" if session.model_saw(f"canary-{name}") else "does not"
        found[f"{level}.hooks"] = "run" if (place / "ran").exists() else "do not run"
    broken = home / "trusted"
    write(broken / "repo" / ".codex" / "config.toml", "a = \n")
    found["trusted.broken-config"] = "no turn" if not run(cli, broken, DONE, cwd=broken / "repo", args=HOOKED).requests else "goes on"
    return found


def permission_requests(cli: Cli, home: Path) -> dict:
    """What an answer to PermissionRequest does. Asked through the app server, as a person is never asked in `codex exec`."""
    event = "PermissionRequest"

    def decision(**fields):
        return answer(specific(event, decision=fields))

    cases = {
        "silent": {}, "allow": decision(behavior="allow"), "deny": decision(behavior="deny", message="deny-message"),
        "deny-without-message": decision(behavior="deny"),
        "exit-2": answer("", err="stderr-reason", code=2), "exit-1": answer("", err="e", code=1), "block": answer({"decision": "block", "reason": "r"}),
        "permissionDecision": answer(specific(event, permissionDecision="deny", permissionDecisionReason="r")),
        "interrupt": decision(behavior="deny", message="m", interrupt=True),
        "updated-input": decision(behavior="allow", updatedInput={"command": "true"}),
    }  # fmt: skip
    hooked(home, {event: [hook(home, event)]}, {f"{event}/{name}": case for name, case in cases.items()})
    record_trust(cli, home)
    asked = []

    def reply(message):
        asked.append(json.dumps(message["params"]))
        return {"decision": "decline"}

    calls = [
        call("exec_command", cmd=f"touch {home}/ran-{name} # case:{name}", sandbox_permissions="require_escalated", justification="needed")
        for name in cases
    ]
    with ScriptedModel([*({"calls": [one]} for one in calls), *DONE]) as scripted:
        with app_server(cli, home, options=provider(scripted.base_url)) as server:
            started = server.ask("thread/start", cwd=str(home / "work"), model=MODEL, approvalPolicy="on-request", sandbox="read-only")
            server.ask("turn/start", threadId=started["thread"]["id"], input=[{"type": "text", "text": "go"}])
            server.messages_until("turn/completed", reply)
    found = {}
    for name in cases:
        put = any(re.search(rf"case:{name}\b(?!-)", text) for text in asked)
        found[name] = "the person is asked" if put else "runs" if (home / f"ran-{name}").exists() else "refused"
    payload = records(home)[0]["payload"]
    found["keys"] = " ".join(sorted(payload))
    found["input-keys"] = " ".join(sorted(payload["tool_input"]))
    found["tool-name"] = payload["tool_name"]
    return found


class ChildModel(ScriptedModel):
    """A model that plays its steps to the main thread alone, and answers a sub-agent, whose task begins with CHILD, in words."""

    def __init__(self, steps):
        super().__init__(steps)
        self._own = 0

    def take(self, path, body):
        _step, number = super().take(path, body)
        tasks = [" ".join(strings_in(item.get("content"))) for item in body["input"] if item.get("type") == "message" and item.get("role") == "user"]
        if any(re.search("^CHILD", task, re.MULTILINE) for task in tasks):
            return {"text": "child done"}, number
        self._own += 1
        return (self._steps[self._own - 1] if self._own <= len(self._steps) else DONE[0]), number


def sub_agents(cli: Cli, home: Path) -> dict:
    """What is told of a sub-agent that ends, and how it is sent round again."""
    events = ("SubagentStart", "SubagentStop", "UserPromptSubmit", "Stop")
    hooked(
        home,
        {event: [hook(home, event, "one")] for event in events},
        {"SubagentStop/one": answer({"decision": "block", "reason": "again-reason"}, once=True)},
    )
    session = run(
        cli,
        home,
        [{"calls": [spawn_agent("CHILD work")]}, {"calls": [shell("sleep 6")]}, *DONE],
        model=SUB_AGENT_MODEL,
        args=HOOKED,
        scripted_model=ChildModel,
    )
    stops = [record["payload"] for record in records(home) if record["event"] == "SubagentStop"]
    prompts_seen = [record["payload"]["prompt"] for record in records(home) if record["event"] == "UserPromptSubmit"]
    return {
        "SubagentStop.own-keys": " ".join(sorted(stops[0].keys() - COMMON)) if stops else "did not fire",
        "SubagentStop.block": "goes round again" if session.model_saw("again-reason") else "ends",
        "SubagentStop.second-time": stops[1]["stop_hook_active"] if len(stops) > 1 else "none",
        "task-raises-UserPromptSubmit": any("CHILD" in text for text in prompts_seen),
        "agent_type": stops[0].get("agent_type", "none") if stops else "none",
    }  # fmt: skip


def compaction(cli: Cli, home: Path) -> dict:
    """What fires when the history is compacted, and what stops the turn."""
    events = ("PreCompact", "PostCompact", "SessionStart")
    compact = ("-c", "model_auto_compact_token_limit=1")
    found = {}
    for name, cases in {
        "plain": {},
        "stopped": {"PreCompact/one": answer({"continue": False, "stopReason": "r"})},
        "exit-2": {"PreCompact/one": answer("", err="e", code=2)},
    }.items():
        place = home / name
        hooked(place, {event: [hook(place, event, "one")] for event in events}, cases)
        session = run(cli, place, [{"calls": [shell("true")]}, {"text": "summary"}, *DONE], args=(*HOOKED, *compact))
        seen = {}
        for record in records(place):
            seen.setdefault(record["event"], []).append(record["payload"])
        if name == "plain":
            for event in ("PreCompact", "PostCompact"):
                found[f"{event}.keys"] = " ".join(sorted(seen[event][0])) if event in seen else "did not fire"
            found["trigger"] = seen["PreCompact"][0]["trigger"] if "PreCompact" in seen else "did not fire"
            found["SessionStart-sources"] = " ".join(sorted({payload["source"] for payload in seen.get("SessionStart", [])}))
        else:
            found[name] = f"{'compacts' if 'PostCompact' in seen else 'does not compact'}, exit {session.exit_code}"
    return found


def sessions(cli: Cli, home: Path) -> dict:
    """Which texts reach the model, what a stdio server and a shell command inherit, and what notify is told."""
    repo = home / "repo"
    (repo / ".git").mkdir(parents=True)
    write(repo / ".git" / "HEAD", "ref: refs/heads/main\n")
    home_files = {"AGENTS.md": "home-agents", "CLAUDE.md": "home-claude", "prompts/p.md": "prompt-file"}
    repo_files = {"AGENTS.md": "repo-agents", "CLAUDE.md": "repo-claude", "sub/AGENTS.md": "sub-agents"}
    for root, files in ((home / ".codex", home_files), (repo, repo_files)):
        for path, name in files.items():
            write(root / path, f"canary-{name}\n")
    skills = {
        home / ".agents/skills": "skill-agents", home / ".codex/skills": "skill-codex", repo / ".agents/skills": "skill-repo-agents",
        repo / ".codex/skills": "skill-repo-codex",
        repo / ".claude/skills": "skill-repo-claude", repo / ".github/skills": "skill-repo-github",
    }  # fmt: skip
    for root, name in skills.items():
        write(root / name / "SKILL.md", f"---\nname: {name}\ndescription: canary-{name}\n---\nText\n")
    shelf = write(home / "shelf" / "SKILL.md", "---\nname: skill-linked\ndescription: canary-skill-linked\n---\nText\n").parent
    (home / ".agents" / "skills" / "skill-linked").symlink_to(shelf)
    write(home / "shelf2.md", "---\nname: skill-linked-file\ndescription: canary-skill-linked-file\n---\nText\n")
    (home / ".agents" / "skills" / "skill-linked-file").mkdir()
    (home / ".agents" / "skills" / "skill-linked-file" / "SKILL.md").symlink_to(home / "shelf2.md")
    write(
        home / ".agents" / "skills" / "deep" / "down" / "SKILL.md",
        "---\nname: skill-deep\ndescription: canary-skill-deep\nallowed-tools: x\n---\nText\n",
    )
    write(home / ".agents" / "skills" / "lacking" / "SKILL.md", "---\nname: skill-lacking\n---\ncanary-skill-lacking\n")
    write(home / ".agents" / "skills" / "hidden" / "SKILL.md", "---\nname: skill-hidden\ndescription: canary-skill-hidden\n---\nText\n")
    for root in (home / ".agents", home / ".codex"):
        write(root / "skills" / "same" / "SKILL.md", "---\nname: skill-same\ndescription: canary-skill-same\n---\nText\n")
    write(
        home / ".codex" / "agents" / "t.toml", "name = 'tooled'\ndescription = 'canary-tooled-agent'\ndeveloper_instructions = 'x'\ntools = ['a']\n"
    )
    write(home / ".codex" / "agents" / "a.toml", "name = 'named'\ndescription = 'canary-agent'\ndeveloper_instructions = 'x'\n")
    write(home / ".codex" / "agents" / "b.toml", "name = 'lacking'\ndescription = 'canary-lacking-agent'\n")
    write(home / ".codex" / "agents" / "c.md", "---\nname: c\ndescription: canary-md-agent\n---\n")
    write(
        home / ".codex" / "rules" / "r.rules",
        "prefix_rule(pattern=['touch', 'forbidden'], decision='forbidden')\nprefix_rule(pattern=['touch', 'prompted'], decision='prompt')\n",
    )
    write(home / ".codex" / "rules" / "prose.md", "canary-rules-prose\n")
    notifier = write(home / "notify.sh", f'#!/bin/sh\nfor last; do :; done\nprintf %s "$last" > {home}/notified\n')
    notifier.chmod(0o755)
    server = [str(HERE / "mcp_server.py"), str(home / "server.json"), "${GIVEN}", "$GIVEN"]
    write(home / ".codex" / "config.toml", "\n".join([
        f"notify = [{json.dumps(str(notifier))}]", "project_doc_fallback_filenames = ['CLAUDE.md']", "developer_instructions = 'canary-developer'",
        "[mcp_servers.probe]",
        f"command = {json.dumps(sys.executable)}", f"args = {json.dumps(server)}", "env = { LITERAL = '${GIVEN}' }", "env_vars = ['NAMED']",
        "[[skills.config]]", "name = 'skill-hidden'", "enabled = false", "",
    ]))  # fmt: skip
    env = {"GIVEN": "given-value", "NAMED": "named-value", "A_TOKEN": "token-value"}
    steps = [
        {"calls": [shell(f"printenv > {home}/environment"), shell("touch forbidden"), shell("touch prompted"), mcp_tool("probe", "alpha")]},
        *DONE,
    ]
    session = run(cli, home, steps, cwd=repo, env=env, model=SUB_AGENT_MODEL)
    text = "\n".join(part for body in session.requests for part in strings_in(body))
    names = [
        *home_files.values(),
        *repo_files.values(),
        *skills.values(),
        "skill-linked",
        "skill-linked-file",
        "agent",
        "lacking-agent",
        "md-agent",
        "tooled-agent",
        "developer",
        "skill-deep",
        "skill-lacking",
        "skill-hidden",
        "rules-prose",
    ]
    found = {f"text.{name}": re.search(rf"canary-{name}\b(?!-)", text) is not None for name in names}
    found["skills-of-one-name"] = f"{session.model_saw('canary-skill-same')} listed"
    found["agents.incomplete-file-is-said"] = "developer_instructions" in session.stderr
    started = json.loads((home / "server.json").read_text(encoding="utf-8"))
    inherited = dict(line.partition("=")[::2] for line in (home / "environment").read_text(encoding="utf-8").splitlines())
    told = json.loads((home / "notified").read_text(encoding="utf-8")) if (home / "notified").exists() else {}
    found.update({
        "mcp.args": " ".join(started["args"]), "mcp.env": started["env"].get("LITERAL"), "mcp.env_vars": started["env"].get("NAMED"),
        "mcp.other-variables-inherited": "A_TOKEN" in started["env"], "rules.forbidden": "runs" if (repo / "forbidden").exists() else "refused",
        "rules.prompt": "runs" if (repo / "prompted").exists() else "refused",
        "shell.secrets-inherited": "A_TOKEN" in inherited, "shell.CODEX_THREAD_ID": "CODEX_THREAD_ID" in inherited,
        "shell.CODEX_CI": inherited.get("CODEX_CI", "missing"),
        "notify.type": told.get("type", "not called"), "notify.keys": " ".join(sorted(told)),
        "system-skills-written": (home / ".codex" / "skills" / ".system").is_dir(),
    })  # fmt: skip
    long = home / "long"
    write(long / ".codex" / "AGENTS.md", "x" * 50000 + " home-tail\n")
    write(long / "work" / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(long / "work" / "AGENTS.md", "y" * 40000 + " project-tail\n")
    session = run(cli, long, DONE)
    found["long-home-text"] = "whole" if session.model_saw("home-tail") else "cut"
    found["long-project-text"] = "whole" if session.model_saw("project-tail") else "cut"
    override = home / "override"
    for name in ("AGENTS.md", "AGENTS.override.md"):
        write(override / ".codex" / name, f"canary-{name}\n")
    session = run(cli, override, DONE)
    found["override"] = "replaces" if session.model_saw("canary-AGENTS.override.md") and not session.model_saw("canary-AGENTS.md") else "does not"
    context = home / "context"
    hooked(
        context,
        {"UserPromptSubmit": [hook(context, "u", "long")]},
        {"u/long": answer(specific("UserPromptSubmit", additionalContext="head " + "x " * 10000 + "middle " + "y " * 10000 + "tail"))},
    )
    session = run(cli, context, DONE, args=HOOKED)
    broken = home / "broken"
    write(broken / ".codex" / "rules" / "r.rules", "prefix_rule(\n")
    found["rules.syntax-error"] = "no turn" if not run(cli, broken, DONE).requests else "goes on"
    lifted = home / "lifted"
    hooked(
        lifted,
        {"UserPromptSubmit": [hook(lifted, "u", "long", additionalContextLimit=0)]},
        json.loads((context / "cases.json").read_text(encoding="utf-8")),
    )
    found["long-hook-context-without-limit"] = "whole" if run(cli, lifted, DONE, args=HOOKED).model_saw("x middle y") else "cut in the middle"
    found["long-hook-context"] = "whole" if session.model_saw("x middle y") else "cut in the middle" if session.model_saw("y tail") else "missing"
    return found


PROBES = (
    pre_tool_use, other_events, prompts, results, permission_requests, sub_agents, compaction, blind_spots, hooks_file, config, mcp, projects, sessions,
)  # fmt: skip
# Of `make test`, on the newest version: what the guards rest on.
EVERY_TIME = (pre_tool_use,)
