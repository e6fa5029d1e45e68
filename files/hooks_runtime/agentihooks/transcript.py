# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A session's log, whichever CLI and version wrote it, as one kind of record: Copilot's events.jsonl and Codex's rollouts.

    transcript = Transcript(path)
    for record in transcript: ...        a TranscriptRecord each, one line of the file in memory at a time
    transcript.format, .about, .skipped  what is known of the session once the lines were read

Copilot's types have a dot in them and are a table below; of ephemeral events (streaming deltas) only the usage counts. Codex says
most things twice; of the two the response item is read, because from 0.154 on the messages are no events any more.
What a file says of a whole (the last message of a turn, the tokens of a session) is a fallback only, for a whole whose parts are
not in it: counted beside them, everything would be there twice.
"""

from __future__ import annotations

import json
import os
import re
import stat
from functools import partial

COPILOT, CODEX = "copilot", "codex"
MAX_LINE = 32 << 20  # characters; what is longer counts as lines that cannot be read
PROBED = 5  # parseable lines that tell the format
# Lines of Copilot that hold nothing for a record, a third of a log: they are not even parsed. It writes the type first.
_UNUSED = ('{"type":"hook.', '{"type":"assistant.turn_', '{"type":"permission.', '{"type":"subagent.')
_MAX_ENDS = 1000  # ends of tool calls whose output has not come yet
_COPILOT_TYPE = re.compile(r"(?:session|user|assistant|tool|system|hook|subagent|mcp|permission)\.")
_CODEX_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "world_state")


class NotATranscript(ValueError):
    """The file is neither a Copilot nor a Codex session log."""


class TranscriptRecord:
    """One thing that happened in a session.

    kind: "user_text", "assistant_text", "system_text", "tool_call", "tool_result", "token_usage", "turn_complete" or "meta".
    text: of a message, of a tool's output or error, or what a meta record is. tool_name, tool_use_id: of a call and, the id only,
    of its result. tool_input: the arguments, a dict, or text where the tool takes text. tool_result: the output's text.
    is_error: a tool failed or was refused, or (meta) the session had an error. usage: {"input", "output", "cached"} tokens of a
    token_usage, else None. time: as the file has it (ISO 8601, UTC), see seconds(). agent: id of the sub-agent, "" for the main one.
    raw: the parsed line.
    """

    __slots__ = ("kind", "text", "tool_name", "tool_input", "tool_result", "tool_use_id", "is_error", "usage", "time", "agent", "raw")

    def __init__(self, kind, raw, text="", tool_name="", tool_input=None, tool_result="", tool_use_id="", is_error=False, usage=None, agent=""):
        self.kind = kind
        self.text = text
        self.tool_name = tool_name
        self.tool_input = tool_input
        self.tool_result = tool_result
        self.tool_use_id = tool_use_id
        self.is_error = is_error
        self.usage = usage
        self.time = raw.get("timestamp")
        self.agent = agent
        self.raw = raw


class Transcript:
    """The records of one file, read anew by each iteration.

    format: COPILOT or CODEX, "" before the first record. about: {"session", "version", "model", "cwd"} as far as it was read.
    skipped: lines that could not be read; the last one of a running session is often half written.
    Iterating raises OSError, and NotATranscript for any other file.
    """

    __slots__ = ("path", "format", "about", "skipped")

    def __init__(self, path):
        self.path = path
        self.format = ""
        self.about = {}
        self.skipped = 0

    def __iter__(self):
        self.format, self.about, self.skipped = "", {}, 0
        parse, convert, unknown = json.JSONDecoder().decode, None, 0
        with _opened(self.path) as file:
            for line in iter(partial(file.readline, MAX_LINE), ""):
                if line.startswith(_UNUSED):
                    continue
                try:
                    event = parse(line)
                    kind = event["type"]
                except (ValueError, KeyError, TypeError, RecursionError):
                    self.skipped += 1 if line.strip() else 0
                    continue
                if convert is None:
                    self.format = _format(kind)
                    if not self.format:
                        unknown += 1
                        if unknown == PROBED:
                            break
                        continue
                    convert = (_Copilot if self.format == COPILOT else _Codex)(self.about)
                record = convert(event, kind)
                if record is not None:
                    yield record
        if convert is None:
            raise NotATranscript("%s: is no session log of Copilot CLI or Codex CLI" % self.path)


def seconds(time):
    """Return a record's time as seconds since the epoch (float), None for none."""
    import calendar

    try:
        whole = calendar.timegm((int(time[:4]), int(time[5:7]), int(time[8:10]), int(time[11:13]), int(time[14:16]), int(time[17:19])))
        fraction = time[19:].rstrip("Z")
        return whole + (float("0" + fraction) if fraction else 0.0)
    except (TypeError, ValueError, OverflowError):
        return None


def _opened(path):
    """Return a plain file open for reading text; bytes that are none are replaced. Raises OSError for anything else; waits for nothing."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("%s: is no plain file" % path)
    return os.fdopen(descriptor, "r", 1 << 18, encoding="utf-8", errors="replace", newline="\n")


def _format(kind):
    if not isinstance(kind, str):
        return ""
    return COPILOT if _COPILOT_TYPE.match(kind) else CODEX if kind in _CODEX_TYPES else ""


def _text(value):
    return value if isinstance(value, str) else ""


def _table(value):
    return value if isinstance(value, dict) else {}


def _joined(parts):
    """Return the texts of a list of content items."""
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _count(usage, name):
    """Return the number of tokens under a name, 0 for none."""
    value = usage.get(name)
    return int(value) if type(value) in (int, float) and 0 <= value < 1e15 else 0


class _Copilot:
    """Copilot's events, one after the other.

    answered: whether the turn has an answer. usage: the type of event that counts each call's tokens. counted: the tokens so far.
    """

    def __init__(self, about):
        self.about = about
        self.answered = False
        self.usage = ""
        self.counted = {"input": 0, "output": 0, "cached": 0}

    def __call__(self, event, kind):
        """Return the record of one event, None for none."""
        method = _COPILOT.get(kind) if isinstance(kind, str) else None
        if method is None or (event.get("ephemeral") and kind != "assistant.usage"):
            return None
        data, agent = event.get("data"), event.get("agentId")
        return method(self, event, data if isinstance(data, dict) else {}, agent if isinstance(agent, str) else "")

    def started(self, event, data, agent):
        self._learn("session", data.get("sessionId"))
        self._learn("version", data.get("copilotVersion"))
        self._learn("model", data.get("selectedModel"))
        self._learn("cwd", _table(data.get("context")).get("cwd"))
        return TranscriptRecord("meta", event, event["type"], agent=agent)

    def user(self, event, data, agent):
        source = _text(data.get("source"))
        by_person = source in ("", "user")
        if by_person and not agent:
            self.answered = False
        # What another agent asks is the request of its sub-agent; any other source is text that was added.
        kind = "user_text" if by_person or (agent and source.startswith("agent-")) else "system_text"
        return TranscriptRecord(kind, event, _text(data.get("content")), agent=agent)

    def assistant(self, event, data, agent):
        text = _text(data.get("content"))
        if not agent:
            self._learn("model", data.get("model"))
        if not text.strip():
            return None  # tool calls only, and each has an event of its own
        self.answered = self.answered or not agent
        return TranscriptRecord("assistant_text", event, text, agent=agent)

    def system(self, event, data, agent):
        return TranscriptRecord("system_text", event, _text(data.get("content")), agent=agent)

    def call(self, event, data, agent):
        name, id = _text(data.get("toolName")), _text(data.get("toolCallId"))
        return TranscriptRecord("tool_call", event, tool_name=name, tool_input=data.get("arguments"), tool_use_id=id, agent=agent)

    def result(self, event, data, agent):
        failed = not data.get("success")
        text = self._output(data.get("result"))
        if failed:
            error = data.get("error")
            text = _text(_table(error).get("message")) or _text(error) or text
        id = _text(data.get("toolCallId"))
        return TranscriptRecord("tool_result", event, text, tool_result=text, tool_use_id=id, is_error=failed, agent=agent)

    def tokens(self, event, data, agent):
        self.usage = self.usage or event["type"]
        if self.usage != event["type"]:
            return None
        usage = self._usage([_table(data.get("usage", data))])
        for name in self.counted:
            self.counted[name] += usage[name]
        return TranscriptRecord("token_usage", event, usage=usage, agent=agent)

    def complete(self, event, data, agent):
        if self.answered or agent:
            return None
        self.answered = True
        return TranscriptRecord("turn_complete", event, _text(data.get("summary")) or _text(data.get("content")))

    def shutdown(self, event, data, agent):
        # The tokens of the whole session, also after a resume (measured on 1.0.80 and 1.0.102): what no call has told is new.
        models = _table(data.get("modelMetrics")).values()
        total = self._usage([_table(_table(model).get("usage")) for model in models])
        grown = {name: max(0, total[name] - self.counted[name]) for name in total}
        if not any(grown.values()):
            return TranscriptRecord("meta", event, event["type"])
        for name in grown:
            self.counted[name] += grown[name]
        return TranscriptRecord("token_usage", event, usage=grown)

    def error(self, event, data, agent):
        return TranscriptRecord("meta", event, _text(data.get("message")) or event["type"], is_error=True, agent=agent)

    def _learn(self, name, value):
        if isinstance(value, str) and value and (name == "model" or name not in self.about):
            self.about[name] = value

    @staticmethod
    def _output(result):
        if isinstance(result, str):
            return result
        result = _table(result)
        for key in ("content", "detailedContent"):
            if isinstance(result.get(key), str):
                return result[key]
        return _joined(result["contents"]) if isinstance(result.get("contents"), list) else ""

    @staticmethod
    def _usage(usages):
        return {
            "input": sum(_count(usage, "inputTokens") for usage in usages), "output": sum(_count(usage, "outputTokens") for usage in usages),
            "cached": sum(_count(usage, "cacheReadTokens") for usage in usages),
        }  # fmt: skip


_COPILOT = {
    "session.start": _Copilot.started,
    "session.resume": _Copilot.started,
    "user.message": _Copilot.user,
    "assistant.message": _Copilot.assistant,
    "system.message": _Copilot.system,
    "tool.execution_start": _Copilot.call,
    "tool.execution_complete": _Copilot.result,
    "assistant.usage": _Copilot.tokens,
    "session.usage_record": _Copilot.tokens,
    "session.task_complete": _Copilot.complete,
    "session.shutdown": _Copilot.shutdown,
    "session.error": _Copilot.error,
}


class _Codex:
    """Codex's lines, one after the other.

    answered: whether the turn has an answer. ends: call id to whether it failed, for the calls whose end was told before their
    output. total: the tokens of the whole session so far.
    """

    # What Codex puts before a prompt in the person's name; from 0.154 on it says of each part what it is.
    _ADDED = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<INSTRUCTIONS>", "<skill>")
    # The first words of an output that say what became of the call, written by Codex itself; the program's own follow "Output:".
    _REFUSED = ("Command blocked by PreToolUse hook:", "apply_patch verification failed:")
    _EXIT = re.compile(r"(?:Exit code: |Process exited with code )(\d+)$", re.MULTILINE)

    def __init__(self, about):
        self.about = about
        self.answered = False
        self.ends = {}
        self.total = {"input": 0, "output": 0, "cached": 0}

    def __call__(self, event, kind):
        """Return the record of one line, None for none."""
        payload = event.get("payload")
        if not isinstance(payload, dict):
            return None
        if kind in ("response_item", "event_msg"):
            method = _CODEX.get((kind, payload.get("type")) if isinstance(payload.get("type"), str) else None)
            return method(self, event, payload) if method else None
        if kind == "session_meta":
            self._learn("session", payload.get("id"))
            self._learn("version", payload.get("cli_version"))
            self._learn("cwd", payload.get("cwd"))
        elif kind == "turn_context":
            self._learn("model", payload.get("model"))
        elif kind != "compacted":
            return None
        return TranscriptRecord("meta", event, kind)

    def message(self, event, payload):
        role, content = payload.get("role"), payload.get("content")
        text = content if isinstance(content, str) else _joined(content) if isinstance(content, list) else ""
        if role == "assistant":
            if _table(event.get("metadata")).get("compaction_output") is True:
                return TranscriptRecord("system_text", event, text)
            self.answered = self.answered or bool(text.strip())
            return TranscriptRecord("assistant_text", event, text)
        if role == "user" and self._by_person(payload, text):
            self.answered = False
            return TranscriptRecord("user_text", event, text)
        return TranscriptRecord("system_text", event, text)

    def call(self, event, payload):
        name = _text(payload.get("name"))
        if payload.get("namespace"):
            name = "%s__%s" % (payload["namespace"], name)
        given = payload.get("arguments", payload.get("input", payload.get("action")))
        if "arguments" in payload and isinstance(given, str):
            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                pass
        name = name or {"local_shell_call": "local_shell", "web_search_call": "web_search"}.get(payload["type"], "")
        id = _text(payload.get("call_id")) or _text(payload.get("id"))
        return TranscriptRecord("tool_call", event, tool_name=name, tool_input=given, tool_use_id=id)

    def output(self, event, payload):
        id, output = _text(payload.get("call_id")), payload.get("output")
        failed = self.ends.pop(id, None)
        if isinstance(output, dict):
            failed = output.get("success") is False if failed is None else failed
            output = output.get("content")
        text = output if isinstance(output, str) else _joined(output) if isinstance(output, list) else ""
        failed = self._says_failed(text) if failed is None else failed
        return TranscriptRecord("tool_result", event, text, tool_result=text, tool_use_id=id, is_error=failed)

    def item(self, event, payload):
        item = _table(payload.get("item"))
        if item.get("type") in ("CommandExecution", "FileChange", "McpToolCall"):
            self._ended(item.get("id"), item.get("status") in ("failed", "declined"))
        return None

    def patch_end(self, event, payload):
        self._ended(payload.get("call_id"), payload.get("success") is False)
        return None

    def mcp_end(self, event, payload):
        result = _table(payload.get("result"))
        self._ended(payload.get("call_id"), "Err" in result or _table(result.get("Ok")).get("isError") is True)
        return None

    def tokens(self, event, payload):
        total = _table(_table(payload.get("info")).get("total_token_usage"))
        if not total:
            return None
        now = {"input": _count(total, "input_tokens"), "output": _count(total, "output_tokens"), "cached": _count(total, "cached_input_tokens")}
        grown = {name: now[name] - self.total[name] for name in now}
        if min(grown.values()) < 0:
            grown = dict(now)  # a session that counts from the beginning again
        self.total = now
        return TranscriptRecord("token_usage", event, usage=grown) if any(grown.values()) else None

    def complete(self, event, payload):
        if self.answered:
            return None
        self.answered = True
        return TranscriptRecord("turn_complete", event, _text(payload.get("last_agent_message")))

    def error(self, event, payload):
        return TranscriptRecord("meta", event, _text(payload.get("message")) or "error", is_error=True)

    def _by_person(self, payload, text):
        kinds = _table(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
        if isinstance(kinds, list) and kinds:
            return any(isinstance(kind, str) and kind.startswith("user.") for kind in kinds)
        return not text.lstrip().startswith(self._ADDED)

    def _says_failed(self, text):
        if text.startswith(self._REFUSED):
            return True
        match = self._EXIT.search(text.partition("\nOutput:")[0][:1000]) if "\nOutput:" in text[:1000] else None
        return match is not None and int(match.group(1)) != 0

    def _ended(self, id, failed):
        if isinstance(id, str):
            self.ends[id] = failed
            if len(self.ends) > _MAX_ENDS:
                del self.ends[next(iter(self.ends))]

    def _learn(self, name, value):
        if isinstance(value, str) and value and (name == "model" or name not in self.about):
            self.about[name] = value


_CODEX = {
    ("response_item", "message"): _Codex.message,
    ("response_item", "function_call"): _Codex.call,
    ("response_item", "custom_tool_call"): _Codex.call,
    ("response_item", "local_shell_call"): _Codex.call,
    ("response_item", "web_search_call"): _Codex.call,
    ("response_item", "function_call_output"): _Codex.output,
    ("response_item", "custom_tool_call_output"): _Codex.output,
    ("event_msg", "item_completed"): _Codex.item,
    ("event_msg", "patch_apply_end"): _Codex.patch_end,
    ("event_msg", "mcp_tool_call_end"): _Codex.mcp_end,
    ("event_msg", "token_count"): _Codex.tokens,
    ("event_msg", "task_complete"): _Codex.complete,
    ("event_msg", "turn_complete"): _Codex.complete,
    ("event_msg", "error"): _Codex.error,
}
