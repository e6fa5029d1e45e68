# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Session logs of both CLIs and every generation become one kind of record, and a summary without a secret in it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from agentihooks import transcript_paths, transcript_summary
from agentihooks.transcript import NotATranscript, Transcript, seconds

LOGS = Path(__file__).resolve().parents[1] / "transcripts"
# Logs of the measured CLIs, where the checkout has a sibling that holds them.
CAPTURES = sorted(Path(__file__).resolve().parents[3].glob("shared/contract/*/events/*.jsonl"))
SESSION = "0a1b2c3d-0000-4000-8000-000000000000"
THREAD = "00000000-0000-7000-8000-000000000001"
TOKEN = "ghp_" + "q7Xc2VbN9mLk4JhG6fDs" + "A1pOiU3yTr5eWzQ8"


def log(tmp_path, *events, name="events.jsonl"):
    """Write events (or bare text) as a log and return its path."""
    path = tmp_path / name
    path.write_text("".join((event if isinstance(event, str) else json.dumps(event)) + "\n" for event in events), encoding="utf-8")
    return path


def copilot(kind, at=0, **data):
    """A line of Copilot's log; what belongs beside data starts with an underscore."""
    beside = {key[1:]: data.pop(key) for key in list(data) if key.startswith("_")}
    return dict({"type": kind, "data": data, "id": "x", "timestamp": "2026-12-02T10:00:%02d.500Z" % at, "parentId": None}, **beside)


def codex(kind, at=0, **payload):
    """A line of Codex's log; _type is the payload's own."""
    if "_type" in payload:
        payload["type"] = payload.pop("_type")
    return {"timestamp": "2026-12-02T10:00:%02d.500Z" % at, "type": kind, "payload": payload}


START = copilot("session.start", sessionId=SESSION, copilotVersion="1.0.102", context={"cwd": "/home/ada"})
META = codex("session_meta", id=THREAD, cli_version="0.171.0", cwd="/home/ada")


def seen(path):
    """(kind, text or tool's name, failed) of each record but meta."""
    return [(record.kind, record.text or record.tool_name, record.is_error) for record in Transcript(path) if record.kind != "meta"]


def kinds(path):
    return [record.kind for record in Transcript(path)]


# ----------------------------------------------------------------------------------------------------------------------
# What the real CLIs wrote


def short(text):
    return text if len(text) <= 40 else text[:40]


def digest(name):
    """The summary of one of the real logs, without what only says where and when."""
    summary = transcript_summary.summarize(LOGS / name)
    tools = {tool: (row["calls"], row["errors"]) for tool, row in summary["tools"].items()}
    return summary["version"], summary["turns"], tools, summary["tokens"], summary["last_answer"], [short(error["text"]) for error in summary["errors"]]


@pytest.mark.parametrize(
    "name, expected",
    [
        ("copilot-1.0.80-sub", ("1.0.80", 1, {"bash": (1, 0), "task": (1, 0)}, {"input": 40, "output": 20, "cached": 0}, "main finished", [])),
        ("copilot-1.0.102-sub", ("1.0.102", 1, {"bash": (1, 0), "task": (1, 0)}, {"input": 40, "output": 20, "cached": 0}, "main finished", [])),
        ("copilot-1.0.80-batch", ("1.0.80", 1, {"bash": (3, 1)}, {"input": 20, "output": 10, "cached": 0}, "fin", ["Denied by preToolUse hook: WHY2"])),
        ("copilot-1.0.102-err", ("1.0.102", 1, {}, {"input": 0, "output": 0, "cached": 0}, "", ["Failed to get response from the AI model"])),
        ("codex-0.98.0-plain", ("0.98.0", 1, {}, {"input": 120, "output": 8, "cached": 0}, "answer text", [])),
        (
            "codex-0.154.0-hook-denied-and-context",
            ("0.154.0", 1, {"exec_command": (1, 1)}, {"input": 240, "output": 16, "cached": 0}, "ok", ["Command blocked by PreToolUse hook: not "]),
        ),
        ("codex-0.171.0-compaction", ("0.171.0", 1, {"exec_command": (1, 0)}, {"input": 90240, "output": 26, "cached": 0}, "after", [])),
    ],
)
def test_real_logs(name, expected):
    assert digest(name + ".jsonl") == expected


@pytest.mark.parametrize("name, shell", [("codex-0.142.3-tools", "shell_command"), ("codex-0.171.0-tools", "exec_command")])
def test_codex_tells_failures_of_commands_patches_and_servers_in_each_generation(name, shell):
    failed = {}
    names = {}
    for record in Transcript(LOGS / (name + ".jsonl")):
        if record.kind == "tool_call":
            names[record.tool_use_id] = record.tool_name
        elif record.kind == "tool_result":
            failed.setdefault(names[record.tool_use_id], []).append(record.is_error)
    assert failed == {shell: [False, True], "apply_patch": [False, False, True], "mcp__probe__echo": [False], "mcp__probe__fail": [True]}


def test_what_a_sub_agent_says_is_marked_and_is_no_turn():
    records = list(Transcript(LOGS / "copilot-1.0.102-sub.jsonl"))
    asked = [(record.text, bool(record.agent)) for record in records if record.kind == "user_text"]
    said = [(record.text, bool(record.agent)) for record in records if record.kind == "assistant_text"]
    assert asked == [("please do it", False), ("SUBPROMPT please", True)]
    assert said == [("sub finished", True), ("main finished", False)]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.parts[-3] + "-" + path.stem) for path in CAPTURES])
def test_captured_logs(path):
    summary = transcript_summary.summarize(path)
    # The copy of 0.98.0 has the text elided by which the instructions are told from a prompt.
    assert (summary["format"], summary["turns"], summary["skipped"]) == (path.parts[-3], 2 if path.stem == "0.98.0-plain" else 1, 0)
    assert path.name.startswith(summary["version"] + "-") and summary["seconds"] >= summary["seconds_working"] > 0
    assert summary["tokens"]["input"] > 0 or path.stem.endswith("-err")
    calls = [record.tool_use_id for record in Transcript(path) if record.kind == "tool_call"]
    assert sorted(calls) == sorted(record.tool_use_id for record in Transcript(path) if record.kind == "tool_result")
    assert len(set(calls)) == len(calls)


def test_how_many_captured_logs_were_read(record_property):
    record_property("figure", "transcripts: %d logs in tests/transcripts, %d in ../shared" % (len(list(LOGS.glob("*.jsonl"))), len(CAPTURES)))
    assert len(list(LOGS.glob("*.jsonl"))) >= 9


# ----------------------------------------------------------------------------------------------------------------------
# Copilot's rules


def test_ephemeral_events_are_skipped_but_for_the_usage(tmp_path):
    path = log(
        tmp_path, START, copilot("user.message", content="hi"),
        copilot("assistant.message", content="An", _ephemeral=True), copilot("assistant.message_delta", deltaContent="An", _ephemeral=True),
        copilot("assistant.message", content="Answer"),
        copilot("assistant.usage", model="m", inputTokens=7, outputTokens=3, cacheReadTokens=2, _ephemeral=True),
    )  # fmt: skip
    assert seen(path) == [("user_text", "hi", False), ("assistant_text", "Answer", False), ("token_usage", "", False)]
    assert transcript_summary.summarize(path)["tokens"] == {"input": 7, "output": 3, "cached": 2}


def test_a_completed_task_closes_only_a_turn_without_an_answer(tmp_path):
    done = copilot("session.task_complete", summary="All done")
    path = log(
        tmp_path, START, copilot("user.message", content="one"), copilot("assistant.message", content="Answer"), done,
        copilot("user.message", content="two"), copilot("assistant.message", content="", toolRequests=[{}]), done, done,
        copilot("user.message", content="noted", source="system"), done,
    )  # fmt: skip
    assert [kind for kind in kinds(path) if kind != "meta"] == ["user_text", "assistant_text", "user_text", "turn_complete", "system_text"]
    assert transcript_summary.summarize(path)["last_answer"] == "All done"


def test_what_the_cli_or_a_hook_added_is_no_prompt(tmp_path):
    path = log(tmp_path, START, copilot("user.message", content="ctx", source="system"), copilot("user.message", content="skill", source="skill-pdf"))
    assert kinds(path) == ["meta", "system_text", "system_text"] and transcript_summary.summarize(path)["turns"] == 0


def test_tokens_are_counted_once_whatever_tells_them(tmp_path):
    record = copilot("session.usage_record", usage={"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 4})
    once_more = copilot("assistant.usage", inputTokens=10, outputTokens=5, cacheReadTokens=4, _ephemeral=True)

    def shutdown(total):
        return copilot("session.shutdown", modelMetrics={"m": {"usage": {"inputTokens": total, "outputTokens": 5 * total // 10, "cacheReadTokens": 0}}})

    path = log(tmp_path, START, record, once_more, record, shutdown(20))
    assert transcript_summary.summarize(path)["tokens"] == {"input": 20, "output": 10, "cached": 8}
    # A session that was resumed tells all of its tokens once more.
    path = log(tmp_path, START, shutdown(20), copilot("session.resume"), shutdown(30), name="resumed.jsonl")
    assert transcript_summary.summarize(path)["tokens"] == {"input": 30, "output": 15, "cached": 0}


@pytest.mark.parametrize(
    "result, text",
    [
        ({"content": "a", "detailedContent": "b"}, "a"), ({"detailedContent": "b"}, "b"), ("plain", "plain"),
        ({"contents": [{"type": "text", "text": "c"}, {"type": "image"}, {"text": "d"}]}, "c\nd"), (None, ""), (3, ""),
    ],
)  # fmt: skip
def test_a_tools_output_in_each_form(tmp_path, result, text):
    path = log(tmp_path, START, copilot("tool.execution_complete", toolCallId="1", success=True, result=result))
    assert seen(path) == [("tool_result", text, False)]


@pytest.mark.parametrize("error, text", [({"message": "no", "code": "denied"}, "no"), ("no", "no"), (None, "said")])
def test_a_failed_tool(tmp_path, error, text):
    path = log(tmp_path, START, copilot("tool.execution_complete", toolCallId="1", success=False, error=error, result={"content": "said"}))
    assert seen(path) == [("tool_result", text, True)]


# ----------------------------------------------------------------------------------------------------------------------
# Codex's rules


def message(role, text, **beside):
    return codex("response_item", _type="message", role=role, content=[{"type": "input_text", "text": text}], **beside)


def test_messages_that_codex_says_twice_are_read_once(tmp_path):
    path = log(
        tmp_path, META, message("developer", "rules"), message("user", "<environment_context>\n"), message("user", "# AGENTS.md instructions for /x"),
        message("user", "hi"), codex("event_msg", _type="user_message", message="hi"), codex("event_msg", _type="agent_message", message="yo"),
        codex("event_msg", _type="item_completed", item={"type": "AgentMessage", "content": [{"text": "yo"}]}), message("assistant", "yo"),
        codex("event_msg", _type="task_complete", last_agent_message="yo"),
        message("user", "again"), codex("event_msg", _type="task_complete", last_agent_message="only here"),
    )  # fmt: skip
    assert [(kind, text) for kind, text, _failed in seen(path)] == [
        ("system_text", "rules"), ("system_text", "<environment_context>\n"), ("system_text", "# AGENTS.md instructions for /x"),
        ("user_text", "hi"), ("assistant_text", "yo"), ("user_text", "again"), ("turn_complete", "only here"),
    ]  # fmt: skip


def test_codex_that_says_what_a_message_is_made_of_is_believed(tmp_path):
    passed = {"content_item_kinds": ["environments.environment_context"]}
    path = log(tmp_path, META, message("user", "plain", internal_chat_message_metadata_passthrough=passed))
    assert kinds(path) == ["meta", "system_text"]


def test_codex_tokens_are_the_growth_of_the_total(tmp_path):
    def count(tokens):
        total = {"input_tokens": tokens, "output_tokens": tokens // 10, "cached_input_tokens": 0}
        return codex("event_msg", _type="token_count", info={"total_token_usage": total, "last_token_usage": total})

    path = log(tmp_path, META, codex("event_msg", _type="token_count", info=None), count(100), count(100), count(250), count(40))
    assert [record.usage["input"] for record in Transcript(path) if record.kind == "token_usage"] == [100, 150, 40]


@pytest.mark.parametrize(
    "output, failed",
    [
        ("Exit code: 0\nWall time: 0 s\nOutput:\nExit code: 1\n", False), ("Exit code: 2\nWall time: 0 s\nOutput:\n", True),
        ("Chunk ID: 1\nProcess exited with code 3\nOutput:\n", True), ("error: failed, denied, exit code 7", False),
        ({"content": "no", "success": False}, True), ([{"text": "fine"}], False), (None, False),
    ],
)  # fmt: skip
def test_codex_failures_are_read_from_its_own_head_line_never_from_the_output(tmp_path, output, failed):
    path = log(tmp_path, META, codex("response_item", _type="function_call_output", call_id="1", output=output))
    assert [record.is_error for record in Transcript(path) if record.kind == "tool_result"] == [failed]


def test_codex_calls_of_each_kind(tmp_path):
    path = log(
        tmp_path, META, codex("response_item", _type="function_call", name="f", arguments='{"a": 1}', call_id="1"),
        codex("response_item", _type="function_call", name="f", arguments="{broken", call_id="2"),
        codex("response_item", _type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="3"),
        codex("response_item", _type="local_shell_call", action={"command": ["ls"]}, call_id="4"),
    )  # fmt: skip
    calls = [(record.tool_name, record.tool_input) for record in Transcript(path) if record.kind == "tool_call"]
    assert calls == [("f", {"a": 1}), ("f", "{broken"), ("apply_patch", "*** Begin Patch"), ("local_shell", {"command": ["ls"]})]


# ----------------------------------------------------------------------------------------------------------------------
# Files that are not as they should be


@pytest.mark.parametrize("lines", [[], ["no json"], ["[1, 2]"], [{"type": "user", "message": {}}] * 9, [{"type": 3}], ['{"type": ["session.start"]}']])
def test_another_file_is_none(tmp_path, lines):
    with pytest.raises(NotATranscript, match="no session log"):
        list(Transcript(log(tmp_path, *lines)))


def test_what_cannot_be_read_is_counted_and_the_rest_is_there(tmp_path):
    lines = ["", "half a li", '{"no": "type"}', "[" * 100000, '{"type": ["x"]}', START, '{"type": "user.message", "data": null}', "null", "\udce4"]
    path = tmp_path / "events.jsonl"
    path.write_bytes("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode("utf-8", "surrogateescape"))
    transcript = Transcript(path)
    assert [record.kind for record in transcript] == ["meta", "user_text"]
    assert (transcript.format, transcript.about["session"]) == ("copilot", SESSION) and transcript.skipped >= 5


@pytest.mark.parametrize("wrong", [None, 3, "x", [], {}, True])
def test_no_value_of_a_wrong_type_breaks_the_reader(tmp_path, wrong):
    events = [dict(copilot(kind), data=wrong, timestamp=wrong, agentId=wrong) for kind in (
        "session.start", "user.message", "assistant.message", "system.message", "tool.execution_start", "tool.execution_complete",
        "assistant.usage", "session.usage_record", "session.task_complete", "session.shutdown", "session.error")]  # fmt: skip
    keys = ("content", "source", "toolName", "toolCallId", "result", "error", "usage", "modelMetrics", "message", "model", "context", "arguments")
    events += [copilot(event["type"], **dict.fromkeys(keys, wrong)) for event in events]
    transcript_summary.lines(transcript_summary.summarize(log(tmp_path, START, *events)))
    payloads = [dict.fromkeys(("role", "content", "name", "call_id", "output", "info", "item", "arguments", "result", "last_agent_message", "id", "cwd",
                               "namespace", "internal_chat_message_metadata_passthrough", "message"), wrong)]  # fmt: skip
    types = ("message", "function_call", "custom_tool_call", "function_call_output", "item_completed", "mcp_tool_call_end", "patch_apply_end", "token_count",
             "task_complete", "error", wrong)  # fmt: skip
    events = [codex(kind, **dict(payload, type=type)) for kind in ("response_item", "event_msg") for type in types for payload in payloads]
    events += [dict(META, payload=wrong), dict(META, payload=payloads[0])]
    transcript_summary.lines(transcript_summary.summarize(log(tmp_path, META, *events, name="codex.jsonl")))


@pytest.mark.parametrize("text, value", [
    ("1970-01-01T00:01:00Z", 60.0), ("1970-01-01T00:01:00.250Z", 60.25), ("1970-01-01T00:01:00", 60.0), ("yesterday", None), (None, None), (5, None),
])  # fmt: skip
def test_times(text, value):
    assert seconds(text) == value


# ----------------------------------------------------------------------------------------------------------------------
# The summary


def test_the_summary_has_the_time_at_work_and_no_secret(tmp_path):
    path = log(
        tmp_path, START, copilot("user.message", at=1, content="one"), copilot("tool.execution_start", at=2, toolCallId="1", toolName="bash\x1b[31m"),
        copilot("tool.execution_complete", at=4, toolCallId="1", success=False, error={"message": "bad\x1b]0;x\x07 " + TOKEN}),
        copilot("assistant.message", at=5, content="Use " + TOKEN + " <system>now"),
        copilot("user.message", at=20, content="two"), copilot("assistant.message", at=21, content="It is in password = 'hunter2-Xk29vQ'"),
        copilot("session.shutdown", at=40),
    )  # fmt: skip
    summary = transcript_summary.summarize(path)
    assert (summary["seconds"], summary["seconds_working"], summary["turns"]) == (40.0, 5.0, 2)
    shown = "\n".join(transcript_summary.lines(summary)) + json.dumps(summary)
    assert TOKEN not in shown and "hunter2" not in shown and "[REDACTED:" in shown and "\\u001b" not in shown and "\x1b" not in shown


def test_the_summary_does_not_grow_with_the_log(tmp_path):
    events = [START]
    for number in range(3000):
        events.append(copilot("tool.execution_start", toolCallId=str(number), toolName="tool%d" % number))
        events.append(copilot("session.error", message="x" * 1000))
    summary = transcript_summary.summarize(log(tmp_path, *events))
    assert len(summary["tools"]) == transcript_summary.MAX_TOOLS + 1 and summary["tools"][transcript_summary.OTHER]["calls"] == 2900
    assert summary["error_count"] == 3000 and len(summary["errors"]) == transcript_summary.MAX_ERRORS and len(json.dumps(summary)) < 20000


# ----------------------------------------------------------------------------------------------------------------------
# Where the logs are


def test_a_session_id_is_resolved_to_its_file_and_nothing_else(tmp_path):
    home = tmp_path / ".copilot"
    path = home / "session-state" / SESSION / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    (home / "settings.json").write_text("{}")
    (home / "events.jsonl").write_text("{}")
    assert transcript_paths.copilot_events_path(SESSION, str(home)) == str(path)
    for wrong in ("", ".", "..", "../" + SESSION, SESSION + "/", SESSION + "\n", "a\0b", "x" * 101, "-rf", "a b", "no-such", None, 3, b"x", ["a"]):
        assert transcript_paths.copilot_events_path(wrong, str(home)) == "", wrong
    assert transcript_paths.copilot_events_path(SESSION, "\0") == ""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "events.jsonl").write_text("{}")
    (home / "session-state" / "linked").symlink_to(outside)
    os.mkfifo(str(home / "session-state" / "fifo"))
    (home / "session-state" / "deep").mkdir()
    (home / "session-state" / "deep" / "events.jsonl").symlink_to(outside / "events.jsonl")
    assert [transcript_paths.copilot_events_path(id, str(home)) for id in ("linked", "fifo", "deep")] == ["", "", ""]
    # A home that is itself reached through a link is the person's own choice.
    (tmp_path / "link").symlink_to(home)
    assert transcript_paths.copilot_events_path(SESSION, str(tmp_path / "link"))


def test_a_thread_is_resolved_to_its_newest_rollout(tmp_path):
    home = tmp_path / ".codex"
    for day, name in (("2026/11/30", "rollout-2026-11-30T10-00-00-%s" % THREAD), ("2026/12/02", "rollout-2026-12-02T10-00-00-%s" % THREAD),
                      ("2026/12/03", "rollout-2026-12-03T10-00-00-x%s" % THREAD), ("notes", "rollout-2026-12-09T10-00-00-%s" % THREAD)):  # fmt: skip
        path = home / "sessions" / day / (name + ".jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
    found = transcript_paths.codex_rollout_path(THREAD, str(home))
    assert found.endswith("2026/12/02/rollout-2026-12-02T10-00-00-%s.jsonl" % THREAD)
    for wrong in ("", "..", THREAD[1:], "*", THREAD + "\n", None, 3):
        assert transcript_paths.codex_rollout_path(wrong, str(home)) == "", wrong
    Path(found).unlink()
    Path(found).symlink_to("/etc/passwd")
    assert transcript_paths.codex_rollout_path(THREAD, str(home)) == ""
    assert transcript_paths.find(THREAD, {"CODEX_HOME": str(home), "COPILOT_HOME": str(tmp_path)}, "/nonexistent") == ""


def test_the_command(installed):
    command = [str(installed.command()), "transcript"]
    env = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin"}

    def run(*words):
        return subprocess.run(command + list(words), env=env, capture_output=True, text=True, check=False)

    path = installed.home / ".copilot" / "session-state" / SESSION / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes((LOGS / "copilot-1.0.102-sub.jsonl").read_bytes())
    done = run(SESSION)
    assert done.returncode == 0 and "tools    bash 1, task 1" in done.stdout and "answer   main finished" in done.stdout, done
    assert json.loads(run(SESSION, "--json").stdout)["tokens"] == {"input": 40, "output": 20, "cached": 0}
    path.write_text("nothing\n")
    for words, said in (((SESSION,), "no session log"), (("../x",), "no CLI of this home"), (("no-such",), "no CLI of this home")):
        done = run(*words)
        assert (done.returncode, done.stdout) == (1, "") and said in done.stderr and "Traceback" not in done.stderr, done
