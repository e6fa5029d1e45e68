# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes that ask a real Copilot CLI the questions of the claims. Each runs a few packed sessions and returns question -> answer.

No product is in them: hooks are tests/live/case_hook.py. An answer rests on an effect: a file made or not, a word in what the model got.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sys
from pathlib import Path

from clis import Cli
from copilot import CLAUDE, GPT, apply_patch, bash, interactive, run, sub_agent, unknown_events
from listening import listening
from session import TIMEOUT, Scratch, call, strings_in

HERE = Path(__file__).resolve().parent
DONE = [{"text": "done"}]
DENY = {"permissionDecision": "deny", "permissionDecisionReason": "reason-canary"}


def hook(home: Path, event: str, case: str = "", **more) -> dict:
    """Return an entry that runs the case hook."""
    words = [sys.executable, str(HERE / "case_hook.py"), str(home), event, *([case] if case else [])]
    return {"type": "command", "command": shlex.join(words), "timeoutSec": 30, **more}


def write(path: Path, content) -> Path:
    """Write text, bytes or JSON to a new file; missing directories are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def hooked(home: Path, entries: dict, cases: dict, file: str = "hand.json") -> None:
    """Lay out a home whose hooks are these entries, event -> list."""
    write(home / ".copilot" / "hooks" / file, {"version": 1, "hooks": entries})
    write(home / "cases.json", cases)


def records(home: Path) -> list:
    path = home / "record.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def answer(value, *, err: str = "", code: int = 0, **more) -> dict:
    return {"out": value if isinstance(value, str) else json.dumps(value), "err": err, "exit": code, **more}


def log_records(session) -> list:
    """Return the records of a session's own logs."""
    return [json.loads(line) for path in session.events for line in path.read_text(encoding="utf-8").splitlines()]


def recorded_as(session, text: str) -> str:
    """Return how the session's log tells that a hook added a text: as a message of the system, or in no message of its own."""
    messages = [record["data"] for record in log_records(session) if record["type"] == "user.message" and text in json.dumps(record)]
    return "user.message of source system" if any(data.get("source") == "system" for data in messages) else "no message of its own"


def pre_tool_use(cli: Cli, home: Path) -> dict:
    """What each answer of a preToolUse hook does to its call, under both spellings of the event."""
    found = {}
    nested = {"hookEventName": "PreToolUse", **DENY}
    cases = {
        "silent": {}, "plain-text": answer("hello"), "malformed": answer('{"permissionDecision":"deny"'),
        "noise-before": answer("noise\n" + json.dumps(DENY)), "noise-after": answer(json.dumps(DENY) + "\nnoise"),
        "two-objects": answer(json.dumps(DENY) + "\n" + json.dumps(DENY)), "pretty-printed": answer(json.dumps(DENY, indent=2)),
        "exit-1": answer("", code=1), "exit-2": answer("stdout-canary", err="stderr-canary", code=2), "exit-3": answer("", code=3),
        "exit-127": answer("", code=127), "killed": answer("", signal=True), "exit-1-with-allow": answer({"permissionDecision": "allow"}, code=1),
        "deny": answer(DENY), "deny-without-reason": answer({"permissionDecision": "deny"}), "ask": answer(dict(DENY, permissionDecision="ask")),
        "bogus-decision": answer({"permissionDecision": "bogus"}), "decision-block": answer({"decision": "block", "reason": "r"}),
        "decision-deny": answer({"decision": "deny"}), "continue-false": answer({"continue": False}),
        "nested-deny": answer({"hookSpecificOutput": nested}),
        "modified-args": answer({"modifiedArgs": {"command": "touch replaced-modified-args", "description": "d"}}),
        "updated-input": answer({"updatedInput": {"command": "touch replaced-updated-input", "description": "d"}}),
        "nested-updated-input": answer({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": {"command": "touch replaced-nested-updated-input", "description": "d"},
        }}),
        "context": answer({"additionalContext": "top-context-canary"}),
        "nested-context": answer({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "nested-context-canary"}}),
        "stall": {"sleep": 9, "exit": 2},
    }  # fmt: skip
    for dialect, event in (("camel", "preToolUse"), ("pascal", "PreToolUse")):
        place = home / dialect
        hooked(place, {event: [hook(place, event, timeoutSec=4)]}, {f"{event}/{name}": case for name, case in cases.items()})
        session = run(cli, place, [{"calls": [bash(f"touch ran-{name} # case:{name}") for name in cases]}, *DONE])
        for name in cases:
            ran, replaced = (place / "work" / f"ran-{name}").exists(), (place / "work" / f"replaced-{name}").exists()
            found[f"{dialect}.{name}"] = "arguments replaced" if replaced else "runs" if ran else "denied"
        found[f"{dialect}.reason-reaches-model"] = session.model_saw("reason-canary") > 0
        found[f"{dialect}.stderr-of-exit-2-reaches-model"] = session.model_saw("stderr-canary") > 0
        found[f"{dialect}.context-reaches-model"] = session.model_saw("top-context-canary") > 0
        found[f"{dialect}.nested-context-reaches-model"] = session.model_saw("nested-context-canary") > 0
        found[f"{dialect}.calls-per-process"] = "one" if len(records(place)) == len(cases) else f"{len(records(place))} for {len(cases)}"
        found[f"{dialect}.exit-2-text"] = session.model_saw("hook exited with code 2") > 0
        found[f"{dialect}.context-in-the-log"] = recorded_as(session, "top-context-canary")
    return found


def timeouts(cli: Cli, home: Path) -> dict:
    """Which key of an entry is the limit: a hook that would deny after 5 seconds, with a limit of 2. The default: one that takes 45.

    And what a passed limit does on the events that decide no call.
    """
    keys = ("timeoutSec", "timeout", "timeoutSeconds")
    entries = []
    for key in (*keys, "default"):
        entry = hook(home, "preToolUse", f"only-{key}")
        del entry["timeoutSec"]
        entries.append(entry if key == "default" else {**entry, key: 2})
    cases = {f"preToolUse/only-{key}": {"sleep": 5, "exit": 2} for key in keys}
    hooked(home, {"preToolUse": entries}, {**cases, "preToolUse/only-default": {"sleep": 45, "exit": 2}})
    run(cli, home, [{"calls": [bash(f"touch {key} # case:only-{key}") for key in (*keys, "default")]}, *DONE])
    found = {key: "obeyed, and the call runs" if (home / "work" / key).exists() else "ignored" for key in keys}
    found["default"] = "below 45 seconds, and the call runs" if (home / "work" / "default").exists() else "more"
    events = ("sessionStart", "userPromptSubmitted", "permissionRequest", "postToolUse", "agentStop", "sessionEnd")
    others = home / "others"
    hooked(
        others,
        {event: [hook(others, event, "late", timeoutSec=1)] for event in events},
        {f"{event}/late": {"sleep": 4, "exit": 2} for event in events},
    )
    session = run(cli, others, [{"calls": [bash("touch ran")]}, *DONE])
    found["other-events"] = "all go on" if (others / "work" / "ran").exists() and session.exit_code == 0 else "some stop"
    return found


def registration(cli: Cli, home: Path) -> dict:
    """Which hook files and entries load: each only makes a file."""
    marks = home / "marks"
    marks.mkdir()
    hooks = home / ".copilot" / "hooks"

    def entry(name, **more):
        return {"type": "command", "command": f"touch {marks}/{name}", **more}

    def document(name, entries=None, event="userPromptSubmitted", **more):
        return {"version": 1, "hooks": {event: entries or [entry(name)]}, **more}

    def text(name):
        return json.dumps(document(name))

    without_version = document("no-version")
    del without_version["version"]
    no_type = {"command": f"touch {marks}/no-type"}
    bad_entries = [{"type": "command"}, entry("timeout-text", timeoutSec="5"), entry("timeout-0", timeoutSec=0), entry("beside-a-bad-entry")]
    files = {
        "no-version.json": without_version, "version-2.json": document("version-2", version=2), "version-text.json": document("version-text", version="1"),
        "bom.json": b"\xef\xbb\xbf" + text("bom").encode(), "comment.json": "// c\n" + text("comment"),
        "trailing-comma.json": text("trailing-comma")[:-1] + ",}", "truncated.json": text("truncated")[:-1], "other.jsonc": text("jsonc"),
        "below/deep.json": text("subdirectory"), "disabled.json": document("disabled", disableAllHooks=True),
        "group.json": document("group", [{"hooks": [entry("group-form")]}]),
        "bad-entry.json": document("", bad_entries),
        "unknown-key.json": document("", [entry("unknown-key", zzz=1)]), "no-type.json": document("", [no_type]),
        "bash-key.json": document("", [{"type": "command", "bash": f"touch {marks}/bash-key"}]),
        "alias.json": document("", [entry("claude-alias")], event="UserPromptSubmit"),
        "twice-1.json": document("", [{"type": "command", "command": f"echo x >> {marks}/twice"}]),
        "twice-2.json": document("", [{"type": "command", "command": f"echo x >> {marks}/twice"}]),
        "shell.json": document("", [{"type": "command", "command": f"readlink /proc/$$/exe > {marks}/shell; cp ~/tilde {marks}/tilde"}]),
        "no-x.json": document("", [{"type": "command", "command": f"{home}/no-x.sh"}]),
        "env.json": document("", [{"type": "command", "command": f"printenv > {marks}/env", "env": {"LITERAL": "${HOME}"}}]),
        "cwd.json": document("", [{"type": "command", "command": f"pwd > {marks}/cwd"}]),
        "allowed.json": document("", [{"type": "command", "command": f"printenv > {marks}/allowed", "allowedEnvVars": ["PATH"]}]),
        "both.json": document("", [{"type": "command", "command": f"touch {marks}/by-command", "bash": f"touch {marks}/by-bash"}]),
        "prompt.json": document("", [{"type": "prompt", "prompt": "prompt-canary"}], event="sessionStart"),
    }  # fmt: skip
    write(home / "tilde", "x")
    write(home / "no-x.sh", f"#!/bin/sh\ntouch {marks}/no-x\n").chmod(0o644)
    for name, content in files.items():
        write(hooks / name, content)
    (hooks / "link.json").symlink_to(write(home / "elsewhere.json", document("symlink")))
    names = [
        "sessionStart",
        "sessionEnd",
        "userPromptSubmitted",
        "userPromptTransformed",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "agentStop",
        "subagentStart",
        "subagentStop",
        "preCompact",
        "permissionRequest",
        "notification",
        "errorOccurred",
        "preMcpToolCall",
    ]
    pascal = ["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart", "SubagentStop",
              "PreCompact", "PermissionRequest", "Notification", "ErrorOccurred", "PreMcpToolCall"]  # fmt: skip
    strange = ["ZzzMadeUp", "postResult", "prePRDescription", "stop", "userPromptSubmit", "AgentStop", "UserPromptSubmitted", "UserPromptTransformed"]
    write(hooks / "names.json", {"version": 1, "hooks": {name: [entry("x")] for name in [*names, *pascal, *strange]}})
    write(home / ".copilot" / "settings.json", {"hooks": {"userPromptSubmitted": [entry("inline")]}})
    write(home / ".copilot" / "settings.local.json", {"hooks": {"userPromptSubmitted": [entry("settings-local")]}})
    # Below a repository hooks start in its root: the session's directory is one, so that what lies above the home does not matter.
    (home / "work" / ".git").mkdir(parents=True)
    session = run(cli, home, DONE, env={"GIVEN": "x"})
    unknown = unknown_events(session.log)
    found = {name: (marks / name).exists() for name in (
        "no-version", "version-2", "version-text", "bom", "comment", "trailing-comma", "truncated", "jsonc", "subdirectory", "symlink", "disabled",
        "group-form", "timeout-text", "timeout-0", "beside-a-bad-entry", "unknown-key", "no-type", "bash-key", "claude-alias", "tilde", "no-x", "inline",
        "settings-local",
    )}  # fmt: skip
    environment = dict(line.partition("=")[::2] for line in (marks / "env").read_text().splitlines())
    found.update({
        "session-goes-on": len(session.requests) == 1,
        "enum-names-unknown": " ".join(name for name in names if name in unknown) or "none",
        "pascal-names-unknown": " ".join(name for name in pascal if name in unknown) or "none",
        "made-up-name": "named in the log" if "ZzzMadeUp" in unknown else "accepted",
        "postResult": "unknown" if "postResult" in unknown else "known", "prePRDescription": "unknown" if "prePRDescription" in unknown else "known",
        "other-spellings-unknown": " ".join(sorted(set(unknown) - {"ZzzMadeUp", "postResult", "prePRDescription"})),
        "equal-entries-run": (marks / "twice").read_text().count("x"),
        "shell": os.path.basename((marks / "shell").read_text().strip()), "env-values": environment.get("LITERAL", "missing"),
        "env-COPILOT_CLI": environment.get("COPILOT_CLI", "missing"),
        "env-PROJECT_DIR": "COPILOT_PROJECT_DIR" in environment and "CLAUDE_PROJECT_DIR" in environment,
        "env-COPILOT_HOOK_DIR": "COPILOT_HOOK_DIR" in environment,
        "allowedEnvVars": "hides nothing" if "GIVEN=x" in (marks / "allowed").read_text() else "filters",
        "command-and-bash": " ".join(name for name in ("by-bash", "by-command") if (marks / name).exists()),
        "prompt-entry": session.model_saw("prompt-canary") > 0,
        "unknown-event-line-names-the-file": "hooks/names.json: " in session.log, "unknown-key-is-said": "zzz" in session.log,
        "cwd": "the session's" if (marks / "cwd").read_text().strip() == str(home / "work") else "other",
    })  # fmt: skip
    return found


def matchers(cli: Cli, home: Path) -> dict:
    """Which matcher takes a call of the shell tool, under both spellings."""
    marks = home / "marks"
    marks.mkdir()
    tried = {
        "bash": "bash",
        "Bash": "Bash",
        "BASH": "BASH",
        "part": "as",
        "other": "view",
        "either": "view|bash",
        "regex": "ba.*",
        "star": "*",
        "empty": "",
        "invalid": "[",
    }
    entries = {
        event: [{"type": "command", "command": f"touch {marks}/{event}-{name}", "matcher": matcher} for name, matcher in tried.items()]
        for event in ("preToolUse", "PreToolUse")
    }
    for event in ("sessionStart", "userPromptSubmitted"):
        entries[event] = [{"type": "command", "command": f"touch {marks}/{event}", "matcher": "zzz"}]
    hooked(home, entries, {})
    run(cli, home, [{"calls": [bash("true")]}, *DONE])
    found = {f"{event}.{name}": (marks / f"{event}-{name}").exists() for event in ("preToolUse", "PreToolUse") for name in tried}
    return {**found, **{f"{event}.ignored": (marks / event).exists() for event in ("sessionStart", "userPromptSubmitted")}}


BOTH = {
    "sessionStart": "SessionStart", "sessionEnd": "SessionEnd", "userPromptSubmitted": "UserPromptSubmit", "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure", "agentStop": "Stop", "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop", "permissionRequest": "PermissionRequest", "preMcpToolCall": "PreMcpToolCall", "userPromptTransformed": "",
}  # fmt: skip


def mcp_entry(**more) -> dict:
    return {"type": "local", "command": sys.executable, "args": [str(HERE / "mcp_server.py")], "tools": ["*"], **more}


# Records of the session's log from which a transcript can be read.
MAPPED_RECORDS = ("session.start", "user.message", "assistant.message", "system.message", "tool.execution_start", "tool.execution_complete")


def payloads(cli: Cli, home: Path) -> dict:
    """What a hook is handed on stdin, under both spellings, and what the session's own log records."""
    names = [name for pair in BOTH.items() for name in pair if name]
    hooked(home, {name: [hook(home, name)] for name in names}, {})
    write(home / ".copilot" / "mcp-config.json", {"mcpServers": {"tiny": mcp_entry()}})
    steps = [
        {"calls": [bash("echo one"), bash("exit 3"), call("view", path=str(home / "work" / "nowhere")), call("tiny-alpha"), apply_patch(cli, PATCH)]},
        {"calls": [sub_agent("work")]},
        {"calls": [bash("echo inside")]},
        {"text": "sub-agent done"},
        *DONE,
    ]
    session = run(cli, home, steps)
    seen = {}
    for record in records(home):
        seen.setdefault(record["event"], []).append(record["payload"])
    # The last one is the session's own where sub-agents raise the event too.
    found = {
        f"keys.{name}": " ".join(sorted(seen[name][-1 if name in ("agentStop", "Stop") else 0])) if name in seen else "did not fire" for name in names
    }
    first = seen["preToolUse"][0]
    failed = [payload for payload in seen["postToolUse"] if "exit 3" in json.dumps(payload)]
    patch = next(payload for payload in seen["preToolUse"] if payload["toolName"] == "apply_patch")
    inside = [payload for payload in seen["preToolUse"] if "echo inside" in json.dumps(payload)]
    log = log_records(session)
    types = {record["type"] for record in log}
    starts = [record["data"] for record in log if record["type"] == "hook.start"]
    before = [data for data in starts if data["hookType"] == "preToolUse"]
    logged_calls = [one for data in before for one in data["input"].get("toolCalls", [])]
    execution = [record["data"] for record in log if record["type"] == "tool.execution_complete"]
    found.update({
        "toolArgs": type(first["toolArgs"]).__name__, "tool-name": first["toolName"],
        "toolResult": " ".join(sorted(seen["postToolUse"][0]["toolResult"])), "tool_result": " ".join(sorted(seen["PostToolUse"][0]["tool_result"])),
        "toolArgs-after": type(next(payload for payload in seen["postToolUse"] if payload["toolName"] == "bash")["toolArgs"]).__name__,
        "stop-reason": seen["agentStop"][-1]["stopReason"], "session-start-source": seen["sessionStart"][0]["source"],
        "permission-suggestions": json.dumps(seen["permissionRequest"][0]["permissionSuggestions"]) if "permissionRequest" in seen else "none",
        "agent-stop-transcript-in-sub-agent": "empty" if seen["agentStop"][0].get("transcriptPath") == "" else "a path",
        "tool-name-pascal": seen["PreToolUse"][0]["tool_name"],
        "event-name-in-camel": any("hook" in key.lower() for key in first), "timestamp": type(first["timestamp"]).__name__,
        "timestamp-pascal": type(seen["PreToolUse"][0]["timestamp"]).__name__,
        "mcp-tool-name": next((p["toolName"] for p in seen["preToolUse"] if "tiny" in p["toolName"]), "none"),
        "view-missing-file": "postToolUseFailure" if "postToolUseFailure" in seen else "postToolUse",
        "bash-exit-3": failed[0]["toolResult"]["resultType"] if failed else "no postToolUse",
        "apply_patch-args": "the patch's text" if str(patch["toolArgs"]).startswith("*** Begin") else type(patch["toolArgs"]).__name__,
        "hooks-in-sub-agent": bool(inside), "sub-agent-session": "the parent's call" if inside and inside[0]["sessionId"].startswith("call_") else "its own",
        "sub-agent-id-in-payload": bool(inside) and "agentId" in inside[0],
        "first-event": starts[0]["hookType"], "stop_hook_active": "stop_hook_active" in seen["agentStop"][0],
        "session-end-reason": seen["sessionEnd"][0]["reason"],
        "transcript-on-tool-events": "transcriptPath" in first, "transcript-on-agentStop": "transcriptPath" in seen["agentStop"][0],
        "log.types": " ".join(sorted(types)), "log.envelope": " ".join(sorted({key for record in log for key in record} - {"agentId"})),
        "log.assistant.usage": "assistant.usage" in types, "log.session.task_complete": "session.task_complete" in types,
        "log.session.usage_record": "session.usage_record" in types, "log.session.shutdown": "session.shutdown" in types,
        "log.toolCalls-in-hook.start": any("toolCalls" in data.get("input", {}) for data in starts), "log.hook-types": "camel" if all(
            data["hookType"][0].islower() for data in starts) else "mixed",
        "log.success-stated": all("success" in data for data in execution), "log.hook.start-keys": " ".join(sorted(starts[0])),
        "log.args-in-hook.start": next(type(one["args"]).__name__ for one in logged_calls if one["name"] == "bash"),
        "log.hook-records-of-a-batch": sum(1 for data in starts if len(data.get("input", {}).get("toolCalls", [])) > 1),
        "log.dotted-types": all("." in name for name in types), "log.ephemeral": any("ephemeral" in record for record in log),
        "log.name": session.events[0].name if session.events else "none", "log.agentId": any("agentId" in record for record in log),
        "log.input-is-stdin": "the same keys" if any(data["input"].keys() == first.keys() for data in before) else "other keys",
        **{f"log.has.{name}": name in types for name in MAPPED_RECORDS},
    })  # fmt: skip
    return found


PATCH = "*** Begin Patch\n*** Add File: patched\n+text\n*** End Patch\n"


def other_events(cli: Cli, home: Path) -> dict:
    """What context and exit codes do on the events that decide no call: several entries on each event of one session."""
    events = (
        "sessionStart", "userPromptSubmitted", "userPromptTransformed", "postToolUse", "postToolUseFailure", "preMcpToolCall", "subagentStart",
        "subagentStop", "agentStop",
    )  # fmt: skip
    cases = {}
    for event in events:
        cases.update({
            f"{event}/top": answer({"additionalContext": f"top-of-{event}."}),
            f"{event}/nested": answer({"hookSpecificOutput": {"hookEventName": event, "additionalContext": f"nested-of-{event}."}}),
            f"{event}/text": answer(f"text-of-{event}."), f"{event}/exit-1": answer("", code=1),
            f"{event}/exit-2": answer("", err=f"stderr-of-{event}.", code=2),
        })  # fmt: skip
    hooked(home, {event: [hook(home, event, case) for case in ("top", "nested", "text", "exit-1", "exit-2")] for event in events}, cases)
    write(home / ".copilot" / "mcp-config.json", {"mcpServers": {"tiny": mcp_entry()}})
    steps = [
        {"calls": [bash("echo one"), call("view", path=str(home / "work" / "nowhere")), call("tiny-alpha")]}, {"calls": [sub_agent("work")]},
        {"text": "sub-agent done"}, *DONE,
    ]  # fmt: skip
    session = run(cli, home, steps)
    found = {"goes-on-after-exit-1-and-2": session.exit_code == 0 and len(session.requests) >= 4}
    for event in events:
        for form, mark in (("top", "top-of"), ("nested", "nested-of"), ("plain-text", "text-of"), ("stderr-of-exit-2", "stderr-of")):
            found[f"{event}.{form}"] = "reaches the model" if session.model_saw(f"{mark}-{event}.") else "does not"
    for event in ("sessionStart", "postToolUse", "postToolUseFailure"):
        found[f"{event}.in-the-log"] = recorded_as(session, f"top-of-{event}.")
    found["session.warning-from-exit-2"] = any(
        record["type"] == "session.warning" and "stderr-of" in json.dumps(record) for record in log_records(session)
    )
    return found


def rare_events(cli: Cli, home: Path) -> dict:
    """The events of a shell that ends later, of compaction, of a model that fails, of a session that is resumed."""
    found = {}
    place = home / "notification"
    hooked(place, {"notification": [hook(place, "notification")]}, {})
    run(cli, place, [{"calls": [call("bash", command="sleep 1; echo x", description="d", mode="async")]}, {"calls": [bash("sleep 5")]}, *DONE, *DONE])
    payload = records(place)[0]["payload"] if records(place) else {}
    found["notification.type"] = payload.get("notification_type", "did not fire")
    found["notification.keys"] = " ".join(sorted(payload))
    place = home / "compact"
    hooked(place, {event: [hook(place, event)] for event in ("preCompact", "userPromptSubmitted")}, {})
    session = run(cli, place, DONE, prompt="/compact")
    payload = records(place)[0]["payload"] if records(place) else {}
    found["preCompact.keys"] = " ".join(sorted(payload))
    found["preCompact.trigger"] = payload.get("trigger", "did not fire")
    found["preCompact.other-events"] = len(records(place)) - 1
    place = home / "error"
    hooked(place, {event: [hook(place, event)] for event in ("errorOccurred", "sessionEnd")}, {})
    with listening() as (url, _seen):
        session = run(cli, place, DONE, env={"COPILOT_PROVIDER_BASE_URL": url + "/v1"})
    payloads_seen = {record["event"]: record["payload"] for record in records(place)}
    found["errorOccurred.keys"] = " ".join(sorted(payloads_seen.get("errorOccurred", {})))
    found["errorOccurred.context"] = payloads_seen.get("errorOccurred", {}).get("errorContext", "did not fire")
    found["errorOccurred.session-end-reason"] = payloads_seen.get("sessionEnd", {}).get("reason", "did not fire")
    found["errorOccurred.exit-code"] = session.exit_code
    place = home / "resume"
    hooked(place, {"sessionStart": [hook(place, "sessionStart")]}, {})
    first = run(cli, place, DONE)
    second = run(cli, place, DONE, args=(f"--resume={first.session_id()}",))
    found["resume.source"] = records(place)[-1]["payload"].get("source", "none")
    found["resume.log"] = "the same file" if second.session_id() == first.session_id() else "another"
    return found


def prompts(cli: Cli, home: Path) -> dict:
    """What an answer to userPromptSubmitted does to the prompt."""
    found = {}
    cases = {
        "block": answer({"decision": "block", "reason": "block-reason"}), "exit-2": answer("", err="e", code=2),
        "nested-block": answer({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "decision": "block", "reason": "r"}}),
        "modified": answer({"modifiedPrompt": "replaced-prompt"}), "permission-deny": answer(DENY), "continue-false": answer({"continue": False}),
    }  # fmt: skip
    for name, case in cases.items():
        place = home / name
        hooked(place, {"userPromptSubmitted": [hook(place, "u", name)]}, {f"u/{name}": case})
        session = run(cli, place, DONE, prompt="typed-prompt")
        if name == "block":
            found["block-reason-on-stderr"] = "block-reason" in session.stderr
            found["block-text-in-log"] = "Prompt blocked by hook" in session.log
            found["block-exit-code"] = session.exit_code
        found[name] = "no model call" if not session.requests else "prompt replaced" if session.model_saw("replaced-prompt") else "goes on"
    place = home / "more"
    long = "L" * 200_000
    cases = {
        "t/t": answer({"modifiedTransformedPrompt": "whole-text-replaced"}),
        **{f"{event}/long": answer({"additionalContext": f"{long}tail-of-{event}."}) for event in ("s", "u")},
    }
    hooked(place, {"userPromptTransformed": [hook(place, "t", "t")], "sessionStart": [hook(place, "s", "long")]}, cases)
    session = run(cli, place, DONE)
    found["modifiedTransformedPrompt"] = "replaces the text" if session.model_saw("whole-text-replaced") else "ignored"
    found["long-context-of-sessionStart"] = "whole" if session.model_saw("tail-of-s.") else "cut"
    other = home / "long"
    hooked(other, {"userPromptSubmitted": [hook(other, "u", "long")]}, cases)
    found["long-context-of-userPromptSubmitted"] = "whole" if run(cli, other, DONE).model_saw("tail-of-u.") else "cut"
    return found


def results(cli: Cli, home: Path) -> dict:
    """What an answer after a call does to its result, what a permission request's answer does, and how a turn is continued."""
    post = {
        "block": answer({"decision": "block", "reason": "post-reason"}),
        "modified": answer({"modifiedResult": {"resultType": "success", "textResultForLlm": "replaced-result"}}),
        "updated": answer({"updatedToolOutput": "updated-result"}),
        "long": answer({"additionalContext": "L" * 12000 + "long-tail"}),
    }  # fmt: skip
    asked = {
        "allow": answer({"behavior": "allow"}), "deny": answer({"behavior": "deny", "message": "permission-message"}), "p-exit-1": answer("", code=1),
        "p-exit-2": answer("", code=2), "p-decision": answer({"permissionDecision": "deny"}), "p-block": answer({"decision": "block"}),
        "p-nested": answer({"hookSpecificOutput": {"decision": {"behavior": "deny"}}}),
    }  # fmt: skip
    cases = {**{f"postToolUse/{name}": case for name, case in post.items()}, **{f"permissionRequest/{name}": case for name, case in asked.items()},
             "agentStop/stop": answer({"decision": "block", "reason": "stop-reason"}, once=True)}  # fmt: skip
    hooked(home, {
        "postToolUse": [hook(home, "postToolUse")], "permissionRequest": [hook(home, "permissionRequest")], "agentStop": [hook(home, "agentStop", "stop")],
    }, cases)  # fmt: skip
    calls = [bash(f"echo original-{name}; touch {name} # case:{name}") for name in [*post, *asked]]
    session = run(cli, home, [{"calls": calls}, *DONE, *DONE])
    found = {f"permissionRequest.{name}": "runs" if (home / "work" / name).exists() else "denied" for name in asked}
    found.update({
        "permissionRequest.message": "reaches the model" if session.model_saw("permission-message") else "does not",
        "postToolUse.block": "result replaced" if session.model_saw("post-reason") else "ignored",
        "postToolUse.modifiedResult": "result replaced" if session.model_saw("replaced-result") else "ignored",
        "postToolUse.updatedToolOutput": "result replaced" if session.model_saw("updated-result") else "ignored",
        "postToolUse.long-context": "whole" if session.model_saw("long-tail") else f"cut, {longest(session, 'L')} characters arrive",
        "postToolUse.cut-is-marked": any("truncat" in text.lower() for body in session.requests for text in strings_in(body) if "L" * 1000 in text),
        "agentStop.block": "turn goes on with the reason" if session.model_saw("stop-reason") else "ignored",
        "agentStop.second-time": {True: "stop_hook_active true", False: "not told"}[records(home)[-1]["payload"].get("stop_hook_active") is True],
    })  # fmt: skip
    place = home / "interrupt"
    hooked(place, {"permissionRequest": [hook(place, "p", "stop")]}, {"p/stop": answer({"behavior": "deny", "message": "m", "interrupt": True})})
    found["permissionRequest.interrupt"] = (
        "turn ends" if len(run(cli, place, [{"calls": [bash("touch x")]}, *DONE]).requests) == 1 else "turn goes on"
    )
    place = home / "sub-agent"
    hooked(place, {"subagentStop": [hook(place, "s", "again")]}, {"s/again": answer({"decision": "block", "reason": "sub-agent-reason"}, once=True)})
    session = run(cli, place, [{"calls": [sub_agent("work")]}, {"text": "first"}, {"text": "second"}, *DONE])
    found["subagentStop.block"] = "another turn with the reason" if session.model_saw("sub-agent-reason") else "ignored"
    return found


def longest(session, letter: str) -> int:
    """Return the length of the longest run of a letter in what the model got."""
    return max(len(part) for body in session.requests for text in strings_in(body) for part in re.findall(letter + "+", text))


def batches(cli: Cli, home: Path) -> dict:
    """Two entries on one event, and calls of one turn: which run."""
    cases = {"preToolUse/one": answer({"permissionDecision": "allow", "additionalContext": "first-context"}), "preToolUse/deny": answer(DENY)}
    hooked(home, {"preToolUse": [hook(home, "preToolUse", "one"), hook(home, "preToolUse")]}, cases)
    run(cli, home, [{"calls": [bash("touch a"), bash("touch b # case:deny"), bash("touch c")]}, *DONE])
    made = [name for name in "abc" if (home / "work" / name).exists()]
    reverse = home / "reverse"
    hooked(
        reverse,
        {"preToolUse": [hook(reverse, "first", "deny"), hook(reverse, "second", "allow")]},
        {"first/deny": answer(DENY), "second/allow": answer({"permissionDecision": "allow"})},
    )
    run(cli, reverse, [{"calls": [bash("touch d")]}, *DONE])
    return {
        "siblings-of-a-denied-call": "run" if made == ["a", "c"] else f"made {made}", "allow-then-deny": "denied" if "b" not in made else "runs",
        "deny-then-allow": "denied" if not (reverse / "work" / "d").exists() else "runs",
        "after-a-deny": "the next entry is not run" if [record["event"] for record in records(reverse)] == ["first"] else "the next entry is run",
    }  # fmt: skip


def repository(home: Path) -> Path:
    """Make a repository with everything Copilot may take from one, and return it."""
    place = home / "repo"
    for name in ("objects", "refs"):
        (place / ".git" / name).mkdir(parents=True)
    write(place / ".git" / "HEAD", "ref: refs/heads/main\n")
    return place


REPOSITORY_HOOKS = {
    "github-hooks": ".github/hooks/r.json", "claude-settings": ".claude/settings.json", "claude-settings-local": ".claude/settings.local.json",
    "copilot-settings": ".github/copilot/settings.json",
}  # fmt: skip


def repositories(cli: Cli, home: Path) -> dict:
    """What a repository's own files do: trusted in config.json, in settings.json, through COPILOT_ALLOW_ALL, not at all, and one that silences hooks."""
    found = {}
    kinds = {
        "untrusted": {}, "trusted": {"config": True}, "trusted-in-settings": {"settings": True}, "allow-all-true": {"env": {"COPILOT_ALLOW_ALL": "true"}},
        "allow-all-1": {"env": {"COPILOT_ALLOW_ALL": "1"}}, "silenced": {"config": True, "silence": "copilot-settings"},
        "silenced-by-claude-settings": {"config": True, "silence": "claude-settings"}, "silenced-untrusted": {"silence": "copilot-settings"},
        "trusted-github-mcp": {"config": True, "servers": ("github-mcp-json",)}, "allow-all-option": {"args": ("--allow-all",)},
        "repo-hooks-variable": {"env": {"GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true"}}, "trusted_folders": {"spelling": "trusted_folders"},
    }  # fmt: skip
    for kind, how in kinds.items():
        place = home / kind
        repo = repository(place)
        marks = place / "marks"
        marks.mkdir()
        for name, path in REPOSITORY_HOOKS.items():
            entry = {"type": "command", "command": f"touch {marks}/{name}"}
            form = [{"hooks": [entry]}] if ".claude" in path else [entry]
            content = {"version": 1} if name == "github-hooks" else {}
            content["hooks"] = {"UserPromptSubmit": form}
            if how.get("silence") == name:
                content = {"disableAllHooks": True}
            write(repo / path, content)
        for name, path in (("mcp-json", ".mcp.json"), ("github-mcp-json", ".github/mcp.json"), ("vscode-mcp-json", ".vscode/mcp.json")):
            if name in how.get("servers", (name,)):
                write(repo / path, {"mcpServers": {name: mcp_entry()}, "servers": {name: mcp_entry()}})
        write(
            place / ".copilot" / "hooks" / "own.json",
            {"version": 1, "hooks": {"userPromptSubmitted": [{"type": "command", "command": f"touch {marks}/own"}]}},
        )
        if how.get("config") or how.get("spelling"):
            write(place / ".copilot" / "config.json", {how.get("spelling", "trustedFolders"): [str(repo)]})
        write(place / ".copilot" / "settings.json", {"trustedFolders": [str(repo)]} if how.get("settings") else {"disableAllHooks": False})
        session = run(cli, place, DONE, cwd=repo, env=how.get("env"), args=how.get("args", ()))
        ran = [name for name in REPOSITORY_HOOKS if (marks / name).exists()]
        servers = [name for name in ("mcp-json", "github-mcp-json", "vscode-mcp-json") if f"{name}-alpha" in session.offered()]
        found[f"{kind}.hooks"] = " ".join(ran) or "none"
        found[f"{kind}.servers"] = " ".join(servers) or "none"
        found[f"{kind}.own-hooks"] = (marks / "own").exists()
    return found


def settings(cli: Cli, home: Path) -> dict:
    """What settings.json takes, and what switching hooks off there does."""
    found = {}
    entry = {"type": "command", "command": f"touch {home}/inline"}
    known = {"statusLine": {"type": "command", "command": "true"}, "disabledHooks": [], "disabledMcpServers": [], "enabledMcpServers": [],
             "permissions": {"deny": []}, "beep": False, "autoUpdate": False, "hooks": {"userPromptSubmitted": [entry]}}  # fmt: skip
    strange = {"zzzKey": 1, "agentihooks": {}, "trustedFolders": ["/"], "env": {}}
    one = home / "one"
    write(one / ".copilot" / "settings.json", {**known, **strange})
    session = run(cli, one, DONE)
    complaint = " ".join(line for line in session.log.splitlines() if "nknown" in line and "zzzKey" in line)
    found["unknown-keys"] = (
        " ".join(name for name in [*known, *strange] if re.search(rf"\b{name}\b", complaint.partition("nknown")[2])) or "none named"
    )
    (home / "inline").unlink()
    loose = home / "loose"
    write(loose / ".copilot" / "settings.json", "\ufeff// a comment\n" + json.dumps(known)[:-1] + ",}")
    run(cli, loose, DONE)
    found["comments-comma-bom"] = (home / "inline").exists()
    for name, rules in {"bare": ["shell", "read"], "scoped": ["read(target.txt)", "read(**/target.txt)"], "of-a-tool": ["view"]}.items():
        place = home / f"deny-{name}"
        write(place / "work" / "target.txt", "canary-read\n")
        write(
            place / ".copilot" / "settings.json",
            {"permissions": {"deny": rules}, "hooks": {"userPromptSubmitted": [{"type": "command", "command": f"touch {place}/inline"}]}},
        )
        session = run(cli, place, [{"calls": [bash("touch ran"), call("view", path=str(place / "work" / "target.txt"))]}, *DONE])
        found[f"permissions.deny-{name}"] = "inert" if (place / "work" / "ran").exists() and session.model_saw("canary-read") else "denies"
        found[f"inline-hooks-beside-permissions.deny-{name}"] = (place / "inline").exists()
    config = one / ".copilot" / "config.json"
    found["config.json-starts-with-comment"] = config.exists() and config.read_text(encoding="utf-8").startswith("//")
    for name, place in (("settings.json", "settings.json"), ("settings.local.json", "settings.local.json"), ("config.json", "config.json")):
        two = home / name
        write(
            two / ".copilot" / place,
            {"disableAllHooks": True, "hooks": {"userPromptSubmitted": [{"type": "command", "command": f"touch {two}/inline"}]}},
        )
        write(
            two / ".copilot" / "hooks" / "h.json",
            {"version": 1, "hooks": {"userPromptSubmitted": [{"type": "command", "command": f"touch {two}/file"}]}},
        )
        run(cli, two, DONE)
        found[f"disableAllHooks-in-{name}"] = "hooks files fire" if (two / "file").exists() else "hooks files are silent"
        found[f"inline-hooks-beside-disableAllHooks-in-{name}"] = (two / "inline").exists()
    broken = home / "broken"
    write(broken / ".copilot" / "settings.json", "{")
    found["truncated"] = "session runs" if run(cli, broken, DONE).requests else "no session"
    denied = home / "denied"
    denied.mkdir()
    run(cli, denied, [{"calls": [bash("touch ran")]}, *DONE], args=("--deny-tool=shell",))
    found["--deny-tool"] = "runs" if (denied / "work" / "ran").exists() else "denies"
    return found


def opener(home: Path, *names: str) -> Path:
    """Make programs that each add a line with their name and arguments to home/opened. Returns their directory."""
    for name in names:
        write(home / "bin" / name, f'#!/bin/sh\necho "$(basename "$0")" "$@" >> {home}/opened\n').chmod(0o755)
    return home / "bin"


def mcp(cli: Cli, home: Path) -> dict:
    """Which server definitions connect, which tools of them are offered, and what is filled in."""
    with listening() as (url, asked):
        return _mcp(cli, home, url, asked)


def _mcp(cli: Cli, home: Path, url: str, asked: list) -> dict:
    without = mcp_entry()
    del without["tools"], without["type"]
    references = ["${GIVEN}", "$GIVEN", "${UNSET:-default}", "${UNSET}", "${env:GIVEN}"]
    servers = {
        "local": mcp_entry(), "stdio": mcp_entry(type="stdio"), "bare": without, "none": mcp_entry(tools=[]), "exact": mcp_entry(tools=["alpha"]),
        "glob": mcp_entry(tools=["al*"]), "prefixed": mcp_entry(tools=["prefixed-alpha"]), "off": mcp_entry(disabled=True), "enabled": mcp_entry(enabled=False),
        "list": mcp_entry(command=[sys.executable]), "number": mcp_entry(env={"A": 1}), "text": mcp_entry(tools="*"), "defer": mcp_entry(deferTools=True),
        "switched": mcp_entry(), "unknown": mcp_entry(zzz=1, auth=False, oidc=False, timeout=5000),
        "filled": mcp_entry(args=[str(HERE / "mcp_server.py"), str(home / "filled.json"), *references], env={"FROM": "${GIVEN}", "NAMED": "GIVEN"}),
        "http": {"type": "http", "url": url + "/http/${GIVEN}", "headers": {"X-Key": "${GIVEN}", "X-Unset": "${UNSET}"}, "tools": ["*"]},
        "closed": {"type": "http", "url": url + "/closed", "tools": ["*"], "auth": False}, "sse": {"type": "sse", "url": url + "/sse", "tools": ["*"]},
        "remote": {"type": "remote", "url": url + "/remote", "tools": ["*"]},
    }  # fmt: skip
    write(home / ".copilot" / "mcp-config.json", {"mcpServers": servers})
    write(home / ".copilot" / "settings.json", {"disabledMcpServers": ["switched"], "enabledMcpServers": ["switched"]})
    programs = opener(home, "xdg-open", "sink")
    session = run(cli, home, DONE, env={
        "GIVEN": "given-value", "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "COPILOT_DEBUG_BROWSER": json.dumps([str(programs / "sink")]),
    })  # fmt: skip
    offered = session.offered()
    found = {}
    for name, entry in servers.items():
        if entry.get("command"):
            tools = [tool for tool in ("alpha", "beta") if f"{name}-{tool}" in offered]
            found[f"tools.{name}"] = " ".join(tools) or "none"
    started = json.loads((home / "filled.json").read_text(encoding="utf-8"))
    paths = [path for path, _headers in asked]
    headers = next((headers for path, headers in asked if path.startswith("/http")), {})
    found.update({
        "args": " ".join(started["args"]), "env": started["env"].get("FROM"), "env-value-that-is-a-name": started["env"].get("NAMED"),
        "cwd": "the session's" if started["cwd"] == str(home / "work") else "other", "environment-inherited": started["env"].get("GIVEN") == "given-value",
        "provider-key-in-environment": "COPILOT_PROVIDER_API_KEY" in started["env"], "session-id-in-environment": "COPILOT_AGENT_SESSION_ID" in started["env"],
        "header": headers.get("x-key", "no request"), "header-unset": headers.get("x-unset", "no request"),
        "url": next((path for path in paths if path.startswith("/http")), "no request"),
        "sse": "contacted" if any(path.startswith("/sse") for path in paths) else "skipped",
        "type-remote": "contacted" if any(path.startswith("/remote") for path in paths) else "skipped",
        "browser-without-a-terminal": (home / "opened").exists(),
        "sign-in-without-a-terminal": "metadata is read" if any("oauth-protected-resource" in path for path in paths) else "nothing is asked",
        "user-agent": re.sub(r"\d+\.\d+\.\d+|\(.*\)", "V", headers.get("user-agent", "none")), "turn-goes-on": bool(session.requests),
    })  # fmt: skip
    broken = home / "broken"
    write(broken / ".copilot" / "mcp-config.json", "{")
    session = run(cli, broken, DONE)
    found["truncated-file-is-said"] = "mcp-config" in session.stdout + session.stderr
    found["truncated-file"] = f"exit {session.exit_code}, no server"
    commented = home / "commented"
    write(commented / ".copilot" / "mcp-config.json", "\ufeff// c\n" + json.dumps({"mcpServers": {"x": mcp_entry()}})[:-1] + ",}")
    found["comments-comma-bom"] = "x-alpha" in run(cli, commented, DONE).offered()
    wrapper = home / "wrapper"
    write(wrapper / ".copilot" / "mcp-config.json", {"x": mcp_entry()})
    found["without-mcpServers"] = "x-alpha" in run(cli, wrapper, DONE).offered()
    return found


def skill(name: str) -> str:
    return f"---\nname: {name}\ndescription: canary-{name}\n---\nText\n"


def instructions(cli: Cli, home: Path) -> dict:
    """Which instruction files, skills and agents reach the model, by where they lie and where the config home is."""
    found = {}
    personal = {
        ".copilot/copilot-instructions.md": "persona", ".copilot/instructions/x.instructions.md": "personal-instructions",
        ".copilot/AGENTS.md": "home-agents-md", ".copilot/CLAUDE.md": "home-claude-md", ".copilot/prompts/p.md": "prompt-file",
        ".copilot/commands/p.md": "command-file", ".config/copilot/copilot-instructions.md": "xdg-persona",
    }  # fmt: skip
    project = {
        "CLAUDE.md": "claude-md", "AGENTS.md": "agents-md", "GEMINI.md": "gemini-md", ".github/copilot-instructions.md": "github-instructions",
        ".github/instructions/a.instructions.md": "scoped-instructions", ".claude/rules/r.md": "claude-rules", ".claude/CLAUDE.md": "dot-claude-md",
        "CLAUDE.local.md": "claude-local", "sub/AGENTS.md": "sub-agents-md",
    }  # fmt: skip
    second = {"f.instructions.md": "second-extra-instructions", "deep/down/g.instructions.md": "deep-extra-instructions"}
    extra = {
        "AGENTS.md": "extra-agents-md",
        "CLAUDE.md": "extra-claude-md",
        "e.instructions.md": "extra-instructions",
        "copilot-instructions.md": "extra-copilot-instructions",
    }
    personal_skills = {".copilot/skills": "skill-copilot", ".agents/skills": "skill-agents", ".claude/skills": "skill-claude-home"}
    project_skills = {".github/skills": "skill-github", ".agents/skills": "skill-repo-agents", ".claude/skills": "skill-repo-claude"}
    for kind in ("plain", "no-custom-instructions", "copilot-home"):
        place = home / kind
        repo = repository(place)
        for path, name in personal.items():
            write(place / path, f"canary-{name}\n")
        for path, name in project.items():
            write(repo / path, f"canary-{name}\n")
        for path, name in extra.items():
            write(place / "extra" / path, f"canary-{name}\n")
        for path, name in second.items():
            write(place / "second" / path, f"canary-{name}\n")
        for path, name in personal_skills.items():
            write(place / path / name / "SKILL.md", skill(name))
        for path, name in project_skills.items():
            write(repo / path / name / "SKILL.md", skill(name))
        linked = write(place / "shelf" / "skill-linked" / "SKILL.md", skill("skill-linked")).parent
        (place / ".copilot" / "skills" / "skill-linked").symlink_to(linked)
        other = place / "other"
        write(other / "copilot-instructions.md", "canary-other-persona\n")
        write(other / "skills" / "skill-other" / "SKILL.md", skill("skill-other"))
        options = {"no-custom-instructions": {"args": ("--no-custom-instructions",)}, "copilot-home": {"copilot_home": other}}.get(kind, {})
        session = run(
            cli,
            place,
            DONE,
            cwd=repo,
            env={"COPILOT_CUSTOM_INSTRUCTIONS_DIRS": f"{place}/extra,{place}/second", "XDG_CONFIG_HOME": f"{place}/.config"},
            **options,
        )
        everything = [
            *personal.values(),
            *project.values(),
            *extra.values(),
            *second.values(),
            *personal_skills.values(),
            *project_skills.values(),
            "skill-linked",
            "other-persona",
            "skill-other",
        ]
        text = "\n".join(strings_in(session.requests[0]))
        for name in everything:
            found[f"{kind}.{name}"] = re.search(rf"canary-{name}\b(?!-)", text) is not None
    place = home / "long"
    write(place / ".copilot" / "copilot-instructions.md", "x " * 100_000 + "tail-of-the-persona\n")
    write(place / ".copilot" / "prompts" / "p.md", "canary-prompt-file\n")
    session = run(cli, place, DONE, prompt="/p")
    found["long-persona"] = "whole" if session.model_saw("tail-of-the-persona") else "cut" if session.requests else "no session"
    found["slash-name-of-a-prompt-file"] = "expanded" if session.model_saw("canary-prompt-file") else "not expanded"
    return found


GRANTS = (
    "view", "Read", "create", "Write", "edit", "Edit", "MultiEdit", "shell", "bash", "Bash", "grep", "Grep", "glob", "Glob", "search", "task", "Task", "Agent",
    "update_todo", "TodoWrite", "web_fetch", "web_search", "ask_user", "zzz", "Bash(git diff*)",
)  # fmt: skip


def agents(cli: Cli, home: Path) -> dict:
    """Which agent files load, what a grant gives, and whether a long body arrives whole: all as sub-agents of one session."""

    def agent(name, lines, body="Text\n"):
        write(home / ".copilot" / "agents" / f"{name}.md", f"---\n{lines}\n---\nbody-of-{name}\n{body}")

    names = {f"g{number}": grant for number, grant in enumerate(GRANTS)}
    for name, grant in names.items():
        agent(name, f"name: {name}\ndescription: d\ntools: [{json.dumps(grant)}]")
    agent("whole", "name: whole\ndescription: d")
    agent("empty", "name: empty\ndescription: d\ntools: []")
    agent("long", "name: long\ndescription: d\ntools: []", "x" * 30100 + " tail-of-long\n")
    agent("stem", "description: d\ntools: []")
    agent("modelled", "name: modelled\ndescription: d\ntools: []\nmodel: haiku")
    asked = [*names, "whole", "empty", "long", "stem", "modelled"]
    calls = [call("task", name=f"t{number}", description="d", agent_type=name, prompt="work", mode="sync") for number, name in enumerate(asked)]
    session = run(cli, home, [{"calls": calls}, *[{"text": "sub-agent done"}] * (len(asked) + 1)], model=CLAUDE, timeout=4 * TIMEOUT)
    bodies = {}
    for body in session.requests:
        text = "\n".join(strings_in(body.get("messages")))
        marks = re.findall(r"body-of-(\w+)", text)
        if len(set(marks)) == 1:
            bodies[marks[0]] = (
                text,
                sorted((tool.get("function") or tool.get("custom") or tool)["name"] for tool in body.get("tools", [])),
                body.get("model"),
            )
    found = {}
    always = set(bodies["empty"][1]) if "empty" in bodies else set()
    for name, grant in names.items():
        found[f"grant.{grant}"] = " ".join(tool for tool in bodies[name][1] if tool not in always) or "nothing" if name in bodies else "not loaded"
    found["long-body"] = "whole" if "long" in bodies and "tail-of-long" in bodies["long"][0] else "cut"
    found["name-from-file"] = "stem" in bodies
    found["model-alias"] = (
        "session's model" if bodies.get("modelled", ("", [], ""))[2] == CLAUDE else str(bodies.get("modelled", ("", [], "not loaded"))[2])
    )
    write(home / ".copilot" / "agents" / "created.agent.md", "---\nname: created\ndescription: d\n---\nbody-of-created\n")
    write(home / ".copilot" / "agents" / "lacking.md", "---\nname: lacking\n---\nbody-of-lacking\n")
    agent("strange", "name: strange\ndescription: d\nzzzKey: 1")
    # g0 and g1, view and Read: up to 1.0.80 every sub-agent has view.
    for name in ("empty", "modelled", "created", "lacking", "strange", "long", "stem", "g7", "g0", "g1"):
        session = run(cli, home, DONE, model=CLAUDE, args=("--agent", name))
        found[f"chosen.{name}"] = (
            f"loads, exit {session.exit_code}" if session.model_saw(f"body-of-{name}") else f"does not load, exit {session.exit_code}"
        )
        if name == "empty":
            found["tools-always"] = " ".join(session.offered())
        if name in ("g0", "g1"):
            found[f"grant.{names[name]}"] = " ".join(tool for tool in session.offered() if tool not in found["tools-always"].split()) or "nothing"
        if name == "modelled":
            found["chosen.model-alias"] = "the session's model" if session.requests and session.requests[0].get("model") == CLAUDE else "its own"
            found["chosen.model-alias-is-said"] = "not available" in session.stdout + session.stderr
        if name == "g7":
            found["chosen.shell-is-said"] = any(word in session.stdout + session.stderr for word in ("shell", "nknown"))
    return found


def commands(cli: Cli, home: Path) -> dict:
    """Which subcommands and options there are."""
    scratch = Scratch(home)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(scratch.tmp), "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
                   "COPILOT_PKG_CACHE_HOME": str(cli.unpacked), "LANG": "C.UTF-8"}  # fmt: skip
    write(home / ".copilot" / "mcp-config.json", {"mcpServers": {"probe-a": mcp_entry(), "probe-b": mcp_entry()}})
    write(home / ".copilot" / "settings.json", {"disabledMcpServers": ["probe-a"]})

    def said(*arguments):
        code, out, err = scratch.run([str(cli.binary), *arguments], environment, TIMEOUT)
        return code, out + err

    write(home / ".copilot" / "settings.local.json", {"disabledMcpServers": ["probe-b"]})
    completion = said("completion", "bash")
    topic = said("help", "config")[1]
    variables = said("help", "environment")[1]
    listed = said("mcp", "list")[1]
    found = {
        "config-key-user-settings": " ".join(key for key in ("hooks", "statusLine", "trustedFolders", "disableAllHooks") if key in topic) or "none",
        "allow-all-documented-as-true": "COPILOT_ALLOW_ALL" in variables and "true" in variables,
        "COPILOT_HOME-documented": "COPILOT_HOME" in variables, "mcp-list-shows-disabled": bool(re.search(r"probe-a.*disabled", listed)),
        "mcp-list-enabled-other": bool(re.search(r"probe-b", listed)) and not re.search(r"probe-b.*disabled", listed),
        "completion": completion[0] == 0,
        "completion-flags": len(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", completion[1]))) if completion[0] == 0 else "none",
        "instruction-list": said("instruction", "list")[0] == 0,
        "skill-list": said("skill", "list", "--json")[0] == 0, "config-list": said("config", "--list")[0] == 0,
        "flag--allow-all-paths": "--allow-all-paths" in said("--help")[1], "flag--no-custom-instructions": "--no-custom-instructions" in said("--help")[1],
    }  # fmt: skip
    return found


def shipped(cli: Cli, home: Path) -> dict:
    """What the files of the package say: the schemas, the JavaScript, and the strings of the native part."""
    package = cli.unpacked / "pkg" / "linux-x64" / cli.version
    api = json.loads((package / "schemas" / "api.schema.json").read_text(encoding="utf-8"))["definitions"]
    log = json.loads((package / "schemas" / "session-events.schema.json").read_text(encoding="utf-8"))["definitions"]
    script = (package / "app.js").read_text(encoding="utf-8", errors="replace")
    native = (package / "prebuilds" / "linux-x64" / "runtime.node").read_bytes()
    settings_paths = {one.decode() for one in re.findall(rb'\{"path":"([\w.]+)","leafKind"', native)}
    hook_words = ("Hook command failed", "Hook command timed out", "Hook command exited")
    kinds = json.dumps(log["SessionEvent"])
    return {
        "hook-types": len(api.get("HookType", {}).get("enum", [])), "hook-type-names": " ".join(sorted(api.get("HookType", {}).get("enum", []))),
        "hook-settings": " ".join(name for name in ("disableAllHooks", "disabledHooks") if name in settings_paths) or "none",
        "settings-env": "env" in settings_paths, "settings-envValueMode": "envValueMode" in settings_paths,
        "settings-permissions": any(name.startswith("permissions") for name in settings_paths),
        "hook-failure-strings": " ".join(word.rpartition(" ")[2] for word in hook_words if word.encode() in native) or "none",
        "hookSpecificOutput-in-native": b"hookSpecificOutput" in native, "allowedEnvVars-in-native": b"allowedEnvVars" in native,
        "bin-sh-string": any("/bin/sh on Unix" in text for text in (script, native.decode("latin-1"))),
        "timeoutSec-in-app.js": len(re.findall(r"\btimeoutSec\b", script)) > 0, "timeoutSeconds-in-app.js": len(re.findall(r"\btimeoutSeconds\b", script)) > 0,
        "config-paths-in-app.js": all(path in script for path in (".copilot/mcp-config.json", ".copilot/copilot-instructions.md", ".copilot/skills/")),
        "repo-paths-in-app.js": all(path in script for path in (".github/hooks/*.json", ".github/copilot/settings.json")),
        "instruction-files-in-app.js": all(f'"{name}"' in script for name in ("AGENTS.md", "CLAUDE.md", "copilot-instructions.md")),
        "config-topic-in-app.js": 'summary:"Configuration Settings"' in script,
        "user-settings-sentence-in-app.js": "User settings belong in settings.json" in script,
        "COPILOT_HOME-in-app.js": "COPILOT_HOME" in script, "COPILOT_DEBUG_BROWSER-in-app.js": "COPILOT_DEBUG_BROWSER" in script,
        "prompt-blocked-in-app.js": "Prompt blocked by hook" in script, "write-tools-in-app.js": '"apply_patch","create","edit","str_replace"' in script,
        "quoted-SessionStart-in-app.js": '"SessionStart"' in script, "session-event-shapes": "anyOf" in log["SessionEvent"],
        "session-event-kinds": kinds.count("$ref") > 50,
        "customInstructions-in-app.js": "customInstructions" in script,
    }  # fmt: skip


def tools(cli: Cli, home: Path) -> dict:
    """Which tools the model is offered, by its family, and the keys of their arguments."""
    found = {}
    for model in (GPT, CLAUDE):
        place = home / model
        place.mkdir()
        session = run(cli, place, DONE, model=model)
        found[f"offered.{model}"] = " ".join(session.offered())
        found[f"offers-str_replace_editor.{model}"] = "str_replace_editor" in session.offered()
        for tool in session.requests[0].get("tools", []):
            one = tool.get("function") or tool.get("custom") or tool
            if one["name"] in ("bash", "view", "create", "edit", "grep", "rg", "glob"):
                found[f"keys.{model}.{one['name']}"] = " ".join(sorted(one["parameters"]["properties"]))
    hooked(home, {event: [hook(home, event)] for event in ("preToolUse", "PreToolUse", "postToolUseFailure")}, {})
    (home / "work").mkdir()
    target = write(home / "work" / "file", "old\n")
    calls = [
        call("view", path=str(target)), call("create", path=str(home / "work" / "new"), file_text="x"),
        call("edit", path=str(target), old_str="old", new_str="new"),
        call("grep", pattern="x"), call("glob", pattern="*"), call("str_replace_editor", command="view", path=str(target)),
    ]  # fmt: skip
    run(cli, home, [{"calls": calls}, *DONE], model=CLAUDE)
    seen = records(home)
    for event in ("preToolUse", "PreToolUse"):
        key = "toolName" if event == "preToolUse" else "tool_name"
        found[f"names.{event}"] = " ".join(record["payload"][key] for record in seen if record["event"] == event)
    found["missing-tool"] = (
        "fires preToolUse and postToolUseFailure"
        if any(record["event"] == "postToolUseFailure" and "str_replace_editor" in json.dumps(record["payload"]) for record in seen)
        else "no failure event"
    )
    return found


def allow_all(cli: Cli, home: Path) -> dict:
    """Which values of COPILOT_ALLOW_ALL let tools run, and what an allowing hook does without any grant."""
    found = {}
    outside = write(home / "outside" / "file", "canary-outside\n")
    for value in (None, "", "0", "false", "1", "TRUE", "yes", "true"):
        place = home / f"value-{value}"
        place.mkdir()
        env = {} if value is None else {"COPILOT_ALLOW_ALL": value}
        session = run(cli, place, [{"calls": [bash("touch ran"), call("view", path=str(outside))]}, *DONE], env=env, allow_all_tools=False)
        name = "unset" if value is None else value or "empty"
        found[name] = "tools run" if (place / "work" / "ran").exists() else "denied"
        found[f"{name}.other-paths"] = "granted" if session.model_saw("canary-outside") else "denied"
    place = home / "allow"
    hooked(place, {"preToolUse": [hook(place, "p")]}, {"p/allow": answer({"permissionDecision": "allow"})})
    run(cli, place, [{"calls": [bash("touch ran # case:allow"), bash("touch other")]}, *DONE], allow_all_tools=False)
    found["hook-allows-without-a-grant"] = "runs" if (place / "work" / "ran").exists() else "denied"
    found["hook-is-silent-without-a-grant"] = "runs" if (place / "work" / "other").exists() else "denied"
    place = home / "behavior"
    hooked(place, {"permissionRequest": [hook(place, "p")]}, {"p/allow": answer({"behavior": "allow"})})
    run(cli, place, [{"calls": [bash("touch ran # case:allow")]}, *DONE], allow_all_tools=False)
    found["permissionRequest-allows-without-a-grant"] = "runs" if (place / "work" / "ran").exists() else "denied"
    return found


def approval(cli: Cli, home: Path) -> dict:
    """Whether a hook or its edited program has to be approved."""
    script = write(home / "hook.sh", f"#!/bin/sh\ntouch {home}/first\n")
    hooked(home, {"userPromptSubmitted": [{"type": "command", "command": f"sh {script}"}]}, {})
    run(cli, home, DONE)
    write(script, f"#!/bin/sh\ntouch {home}/second\n")
    run(cli, home, DONE)
    return {"first-run": (home / "first").exists(), "after-an-edit": "runs" if (home / "second").exists() else "needs approval"}


def at_a_terminal(cli: Cli, home: Path) -> dict:
    """What only an interactive session does: the status line, and a sign-in that opens a browser."""
    write(home / ".copilot" / "config.json", {"trustedFolders": [str(home / "work")]})
    line = write(home / "line.sh", f"#!/bin/sh\ncat > {home}/line.json\necho status-canary\n")
    line.chmod(0o755)
    marks = home / "marks"
    marks.mkdir()
    write(home / ".copilot" / "settings.json", {
        "statusLine": {"type": "command", "command": str(line)}, "disableAllHooks": True,
        "hooks": {"sessionStart": [{"type": "command", "command": f"touch {marks}/inline"}]},
    })  # fmt: skip
    write(
        home / ".copilot" / "hooks" / "h.json",
        {"version": 1, "hooks": {"userPromptSubmitted": [{"type": "command", "command": f"touch {marks}/file"}]}},
    )
    programs = opener(home, "sink", "xdg-open", "sensible-browser", "x-www-browser", "www-browser")
    env = {
        "COPILOT_DEBUG_BROWSER": json.dumps([str(programs / "sink"), "given"]),
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "BROWSER": str(programs / "www-browser"),
    }
    with listening() as (url, _asked):
        servers = {"plain": {}, "auth-false": {"auth": False}, "both-false": {"auth": False, "oidc": False}}
        write(
            home / ".copilot" / "mcp-config.json",
            {"mcpServers": {name: {"type": "http", "url": f"{url}/closed/{name}", "tools": ["*"], **more} for name, more in servers.items()}},
        )

        def opened():
            return (home / "opened").read_text(encoding="utf-8").splitlines() if (home / "opened").exists() else []

        with interactive(cli, home, DONE, env=env) as (terminal, _model):
            terminal.wait_until(lambda: "status-canary" in terminal.text(), "the status line")
            with contextlib.suppress(TimeoutError):
                terminal.wait_until(lambda: len(opened()) >= len(servers), "the sign-ins", 20)
            terminal.enter("go", (marks / "file").exists, "the hook of the prompt")
    lines = opened()
    told = json.loads((home / "line.json").read_text(encoding="utf-8"))
    return {
        "status-line": "shown", "status-line-keys": " ".join(sorted(told)),
        "status-line-transcript": "a directory" if Path(told["transcript_path"]).is_dir() else "a file",
        "sign-in-opens": " ".join(sorted({words.split()[0] for words in lines})) or "nothing", "sign-ins": len(lines),
        "browser-arguments": "the given ones, then the address" if lines and re.match(r"sink given .*http\S*$", lines[0]) else "other",
        "hooks-files-beside-disableAllHooks": (marks / "file").exists(), "inline-hooks-beside-disableAllHooks": (marks / "inline").exists(),
    }  # fmt: skip


PROBES = (
    pre_tool_use, timeouts, registration, matchers, payloads, other_events, rare_events, prompts, results, batches, repositories, settings, mcp,
    instructions, agents, tools, allow_all, approval, at_a_terminal, commands, shipped,
)  # fmt: skip
# Of `make test`, on the newest version: what the guards rest on. What a decision does is asked by test_contract.py at every run.
EVERY_TIME = (registration, payloads)
