# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a session came to: turns, tools, tokens, time and errors, from its log. Every text in it is redacted, cut and safe to show."""

from __future__ import annotations

from agentihooks import secret_shapes
from agentihooks.context_text import one_line
from agentihooks.transcript import Transcript, seconds

MAX_ERRORS = 10  # the newest
MAX_TOOLS = 100  # names; what comes after them is counted as OTHER
MAX_ERROR = 200  # characters
MAX_ANSWER = 500  # characters
MAX_LOOKED_AT = 20000  # characters of a text, before it is redacted and cut
OTHER = "(others)"
_MAX_OPEN = 1000  # calls whose result has not come yet


def summarize(path):
    """Return the summary of a session's log as a dict, see the keys. Raises OSError, NotATranscript (a ValueError).

    format, session, version, model, cwd: texts, "" where unknown. turns: prompts of the person that were worked on. tools: name to
    {"calls", "errors"}. errors: {"tool", "text"}, the newest, of error_count. tokens: {"input", "output", "cached"}; cached ones are
    part of the input. seconds: from the first to the last record. seconds_working: of that, within turns. last_answer. skipped: lines
    that could not be read.
    """
    transcript, counting = Transcript(path), _Counting()
    for record in transcript:
        counting.add(record)
    about = {name: safe(transcript.about.get(name, ""), MAX_ERROR) for name in ("session", "version", "model", "cwd")}
    return dict({"format": transcript.format}, **about, **counting.result(), skipped=transcript.skipped)


def lines(summary):
    """Return a summary as lines of text."""
    found = ["%s %s, session %s" % (summary["format"].capitalize(), summary["version"] or "(version unknown)", summary["session"] or "unknown")]
    found.append("model    %s" % (summary["model"] or "unknown"))
    found.append("turns    %d in %s, %s of it at work" % (summary["turns"], _time(summary["seconds"]), _time(summary["seconds_working"])))
    tokens = summary["tokens"]
    found.append("tokens   %d in (%d of them cached), %d out" % (tokens["input"], tokens["cached"], tokens["output"]))
    tools = ["%s %d%s" % (name, row["calls"], " (%d failed)" % row["errors"] if row["errors"] else "") for name, row in summary["tools"].items()]
    found.append("tools    %s" % (", ".join(tools) or "none"))
    found.append("errors   %d" % summary["error_count"])
    found += ["  %s: %s" % (error["tool"], error["text"]) for error in summary["errors"]]
    found.append("answer   %s" % (summary["last_answer"] or "none"))
    if summary["skipped"]:
        found.append("%d lines could not be read" % summary["skipped"])
    return found


def safe(text, limit):
    """Return text on one line, without secrets and what cannot be seen, of at most limit characters."""
    return one_line(secret_shapes.redact(text[:MAX_LOOKED_AT]), limit)


class _Counting:
    """The running figures; nothing in it grows with the length of the log."""

    def __init__(self):
        self.turns = 0
        self.tools = {}
        self.names = {}  # of the open calls, by id
        self.errors = []
        self.error_count = 0
        self.tokens = {"input": 0, "output": 0, "cached": 0}
        self.first = self.last = self.turn_began = self.worked = None
        self.working = 0.0
        self.answer = ""

    def add(self, record):
        """Count one record."""
        kind = record.kind
        if kind == "user_text" and not record.agent:
            self._end_turn()
            self.turns += 1
            self.turn_began = record.time
        elif kind == "tool_call":
            self._row(record.tool_name)["calls"] += 1
            self.names[record.tool_use_id] = record.tool_name
            if len(self.names) > _MAX_OPEN:
                del self.names[next(iter(self.names))]
        elif kind == "tool_result":
            name = self.names.pop(record.tool_use_id, "")
            if record.is_error:
                self._row(name)["errors"] += 1
                self._error(name, record.text)
        elif kind == "token_usage":
            for name in self.tokens:
                self.tokens[name] += record.usage[name]
        elif kind == "meta":
            if record.is_error:
                self._error("session", record.text)
        elif kind in ("assistant_text", "turn_complete") and not record.agent:
            self.answer = record.text or self.answer
        if record.is_error or kind not in ("meta", "token_usage"):
            self.worked = record.time or self.worked
        self.first = self.first or record.time
        self.last = record.time or self.last

    def result(self):
        """Return the figures."""
        self._end_turn()
        return {
            "turns": self.turns, "tools": self._tools(),
            "errors": [{"tool": safe(tool, 100) or "unknown", "text": safe(text, MAX_ERROR)} for tool, text in self.errors],
            "error_count": self.error_count, "tokens": self.tokens, "seconds": _between(self.first, self.last),
            "seconds_working": round(self.working, 3), "last_answer": safe(self.answer, MAX_ANSWER),
        }  # fmt: skip

    def _row(self, name):
        if name not in self.tools and len(self.tools) >= MAX_TOOLS:
            name = OTHER
        return self.tools.setdefault(name[:MAX_LOOKED_AT], {"calls": 0, "errors": 0})

    def _tools(self):
        """Return the tools with names that can be shown, the one with the most calls first."""
        ranked = sorted(self.tools.items(), key=lambda item: (-item[1]["calls"], item[0]))
        return {safe(name, 100) or "unknown": row for name, row in ranked}

    def _error(self, tool, text):
        self.error_count += 1
        self.errors = (self.errors + [(tool, text[:MAX_LOOKED_AT])])[-MAX_ERRORS:]

    def _end_turn(self):
        """Add the time from the last prompt to what came last before the next one."""
        if self.turn_began:
            self.working += _between(self.turn_began, self.worked)


def _between(first, last):
    """Return the seconds from one time to another, 0 where one is unknown or they are the wrong way round."""
    start, end = seconds(first), seconds(last)
    return round(max(0.0, end - start), 3) if start is not None and end is not None else 0.0


def _time(amount):
    if amount < 60:
        return "%.1f s" % amount
    minutes = int(amount) // 60
    return "%d min" % minutes if minutes < 60 else "%d h %02d min" % (minutes // 60, minutes % 60)
