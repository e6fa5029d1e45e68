# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What reading a session's log costs beside `for line in f: json.loads(line)`, on 100 MB of each CLI's log, and the memory it takes.

Each reader runs in a process of its own, in turn (loop, reader, loop, reader, ...). Prints a table and one line of JSON. With
BENCH_STRICT=1 the exit code is 1 when a reader is slower than TARGET times the loop or its memory grows with the file.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "files" / "hooks_runtime"
SIZE = int(os.environ.get("BENCH_MEGABYTES", "100")) << 20
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
TARGET = 0.5  # of the loop's speed
MEMORY = 16 << 10  # KiB that a reader may take on the whole file more than on a hundredth of it
READERS = {
    "loop": "import json\nfor line in open(sys.argv[1], encoding='utf-8'): json.loads(line)",
    "records": "from agentihooks.transcript import Transcript\nfor record in Transcript(sys.argv[1]): pass",
    "summary": "from agentihooks.transcript_summary import summarize\nassert summarize(sys.argv[1])['turns']",
}
# Prints the seconds of the reading alone and the peak of the resident memory in KiB (ru_maxrss would count the parent's).
PROGRAM = """
import re, sys, time
sys.path.insert(0, %r)
start = time.perf_counter()
%s
taken = time.perf_counter() - start
print(taken, re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1))
"""

STAMP = "2026-12-02T10:%02d:%02d.%03dZ"
SOURCE = "def handler_%d(request, session):\n    return session.get(request.path, default=%d)\n"


def stamp(number):
    """Return the time of the n-th line."""
    return STAMP % (number // 60 % 60, number % 60, number % 1000)


def copilot_turn(number):
    """Return the events of one turn in which Copilot 1.0.102 runs a command and edits a file."""
    text = "".join(SOURCE % (row, number) for row in range(12))
    call = {"toolCallId": "call_%d" % number, "toolName": "bash", "arguments": {"command": "sed -n 1,40p src/%d.py" % number, "description": "Read it"}}
    usage = {"model": "gpt-5.4", "inputTokens": 9000 + number % 500, "outputTokens": 120, "cacheReadTokens": 8000, "cacheWriteTokens": 0, "duration": 900}
    hook = {"sessionId": "0a1b", "cwd": "/home/ada/work", "toolCalls": [{"id": "call_%d" % number, "name": "bash", "args": call["arguments"]}]}
    return [
        ("user.message", {"content": "Look at part %d and make it shorter." % number, "transformedContent": "now\n" + text[:200], "delivery": "idle"}),
        ("assistant.turn_start", {"turnId": "0"}),
        ("session.usage_record", {"usage": usage}),
        ("assistant.message", {"content": "", "model": "gpt-5.4", "toolRequests": [dict(call, type="function")]}),
        ("tool.execution_start", call),
        ("hook.start", {"hookType": "preToolUse", "input": hook}),
        ("hook.end", {"hookType": "preToolUse", "success": True}),
        ("tool.execution_complete", {"toolCallId": "call_%d" % number, "success": number % 9 > 0, "result": {"content": text, "detailedContent": text}}),
        ("assistant.message", {"content": "Part %d is shorter now.\n%s" % (number, text[:400]), "model": "gpt-5.4", "toolRequests": []}),
        ("assistant.turn_end", {"turnId": "0"}),
    ]


def codex_turn(number):
    """Return the lines of one turn in which Codex 0.171 runs a command."""
    text = "".join(SOURCE % (row, number) for row in range(12))
    id, user = "call_%d" % number, "Look at part %d and make it shorter." % number
    total = {"input_tokens": 9000 * (number + 1), "cached_input_tokens": 8000 * (number + 1), "output_tokens": 120 * (number + 1)}
    command = {"type": "CommandExecution", "id": id, "status": "failed" if number % 9 == 0 else "completed", "aggregated_output": text}
    return [
        ("event_msg", {"type": "task_started", "turn_id": str(number)}),
        ("turn_context", {"turn_id": str(number), "cwd": "/home/ada/work", "model": "gpt-5.5", "approval_policy": "never"}),
        ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": user}]}),
        ("event_msg", {"type": "item_completed", "item": {"type": "UserMessage", "content": [{"type": "text", "text": user}]}}),
        ("response_item", {"type": "function_call", "name": "exec_command", "call_id": id, "arguments": json.dumps({"cmd": "cat src/%d.py" % number})}),
        ("event_msg", {"type": "item_completed", "item": command}),
        ("response_item", {"type": "function_call_output", "call_id": id, "output": "Process exited with code 0\nOutput:\n" + text}),
        ("event_msg", {"type": "token_count", "info": {"total_token_usage": total, "last_token_usage": total}}),
        ("event_msg", {"type": "item_completed", "item": {"type": "AgentMessage", "content": [{"type": "Text", "text": text[:400]}]}}),
        ("response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text[:400]}]}),
        ("event_msg", {"type": "task_complete", "last_agent_message": text[:400]}),
    ]


def write(path, size, turn, key):
    """Write a log of about size bytes, made of turns; key: of a line's content."""
    with open(path, "w", encoding="utf-8") as out:
        written = number = 0
        while written < size:
            for kind, content in turn(number):
                written += out.write(json.dumps({"type": kind, key: content, "timestamp": stamp(number)}, separators=(",", ":")) + "\n")
            number += 1


def measured(reader, path):
    """Return (seconds, KiB) of one reader on one file."""
    command = [sys.executable, "-I", "-c", PROGRAM % (str(RUNTIME), READERS[reader]), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    taken, memory = done.stdout.split()
    return float(taken), int(memory)


def main():
    found, met = {}, True
    with tempfile.TemporaryDirectory(prefix="agentihooks-bench-") as scratch:
        for name, turn, key in (("copilot", copilot_turn, "data"), ("codex", codex_turn, "payload")):
            large, small = pathlib.Path(scratch, name + ".jsonl"), pathlib.Path(scratch, name + "-small.jsonl")
            write(large, SIZE, turn, key)
            write(small, SIZE // 100, turn, key)
            taken = {reader: [] for reader in READERS}
            memory = {}
            for _round in range(ROUNDS):
                for reader in READERS:
                    spent, memory[reader] = measured(reader, large)
                    taken[reader].append(spent)
            loop = statistics.median(taken["loop"])
            print("%s, %d MB, %d rounds in turn" % (name, SIZE >> 20, ROUNDS))
            print("%-10s %9s %9s %9s %14s" % ("", "seconds", "MB/s", "speed", "more memory"))
            for reader in READERS:
                median, more = statistics.median(taken[reader]), memory[reader] - measured(reader, small)[1]
                speed = loop / median
                print("%-10s %9.2f %9.0f %8.2fx %10d KiB" % (reader, median, (SIZE >> 20) / median, speed, more))
                found["%s %s" % (name, reader)] = {"speed": round(speed, 2), "more_kib": more}
                met = met and (reader == "loop" or (speed >= TARGET and more <= MEMORY))
            large.unlink()
    print("target: at least %.1fx the loop, and memory that does not grow with the file: %s" % (TARGET, "met" if met else "MISSED"))
    print(json.dumps({"python": sys.version.split()[0], "target": TARGET, "met": met, "readers": found}))
    return 1 if os.environ.get("BENCH_STRICT") == "1" and not met else 0


if __name__ == "__main__":
    sys.exit(main())
