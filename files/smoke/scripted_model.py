# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scripted model: an HTTP server on loopback that plays a list of steps and keeps every request it was sent.

A real agent CLI pointed at it makes real tool calls without login, credits or internet, and what the CLI told the
model can be read afterwards. Standard library only, Python 3.8+.

A step is one answer of the model, a dict of exactly one of these forms:

    {"text": "done"}                                              an answer in words: the turn ends
    {"calls": [{"name": "bash", "arguments": {"command": "ls"}}]} tool calls, all in one message

A call carries either "arguments" (a dict: a function call) or "input" (text: a call of a free-form tool, such as
apply_patch where the CLI declares it so), and with "arguments" a "namespace", which Codex puts beside the name of an MCP
server's tool. When the steps run out, the answer is LAST_TEXT, so a session ends by itself.

As a library:

    with ScriptedModel([{"text": "hello"}]) as model:
        ...                     # drive a CLI against model.base_url
    model.requests              # [{"path": "/v1/chat/completions", "body": {...}}, ...]

As a program (prints one JSON line with the base URL, then serves until it is terminated):

    python3 scripted_model.py --steps steps.json --record requests.jsonl
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What is answered when no step is left.
LAST_TEXT = "The script has no further step."

# The model takes whatever name the CLI sends; this one is what GET /v1/models lists.
MODEL_NAME = "scripted"


class StepError(ValueError):
    """The list of steps is not what this module's docstring describes."""


def check_steps(steps):
    """Return `steps` when every one is well formed. Raises StepError that names the step and what is wrong with it."""
    if not isinstance(steps, list):
        raise StepError("steps: want a list, got %s" % type(steps).__name__)
    for number, step in enumerate(steps, 1):
        if not isinstance(step, dict) or set(step) not in ({"text"}, {"calls"}):
            raise StepError('step %d: want {"text": ...} or {"calls": [...]}' % number)
        if "text" in step:
            if not isinstance(step["text"], str):
                raise StepError('step %d: "text" is no string' % number)
            continue
        if not isinstance(step["calls"], list) or not step["calls"]:
            raise StepError('step %d: "calls" is no list, or an empty one' % number)
        for call in step["calls"]:
            if not isinstance(call, dict) or not isinstance(call.get("name"), str):
                raise StepError('step %d: a call has no "name"' % number)
            if set(call) - {"namespace"} == {"name", "arguments"} and isinstance(call["arguments"], dict) and isinstance(call.get("namespace", ""), str):
                continue
            if set(call) == {"name", "input"} and isinstance(call["input"], str):
                continue
            raise StepError('step %d: call %s wants either "arguments" (a dict) or "input" (text)' % (number, call["name"]))
    return steps


# --- The two wire formats: pure functions from a step to what is sent ---


def chat_message(step, number):
    """Return (message, finish reason) of the Chat Completions API for a step. `number` makes the call ids unique."""
    if "text" in step:
        return {"role": "assistant", "content": step["text"]}, "stop"
    calls = []
    for index, call in enumerate(step["calls"]):
        entry = {"index": index, "id": "call_%d_%d" % (number, index)}
        if "input" in call:
            entry["type"] = "custom"
            entry["custom"] = {"name": call["name"], "input": call["input"]}
        else:
            entry["type"] = "function"
            entry["function"] = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        calls.append(entry)
    return {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"


def chat_completion(step, number, model):
    """Return the body of a Chat Completions answer that is not streamed."""
    message, finish = chat_message(step, number)
    return {
        "id": "chatcmpl-%d" % number, "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": _chat_usage(),
    }


def chat_chunks(step, number, model):
    """Return the data of the server-sent events of a streamed Chat Completions answer: the message, its end, the mark."""
    message, finish = chat_message(step, number)
    base = {"id": "chatcmpl-%d" % number, "object": "chat.completion.chunk", "created": 0, "model": model}
    whole = dict(base, choices=[{"index": 0, "delta": message, "finish_reason": None}])
    end = dict(base, choices=[{"index": 0, "delta": {}, "finish_reason": finish}], usage=_chat_usage())
    return [json.dumps(whole), json.dumps(end), "[DONE]"]


def _chat_usage():
    return {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def response_items(step, number):
    """Return the output items of the Responses API for a step."""
    if "text" in step:
        content = [{"type": "output_text", "text": step["text"], "annotations": []}]
        return [{"type": "message", "id": "msg_%d" % number, "role": "assistant", "status": "completed", "content": content}]
    items = []
    for index, call in enumerate(step["calls"]):
        item = {"id": "item_%d_%d" % (number, index), "call_id": "call_%d_%d" % (number, index), "name": call["name"],
                "status": "completed"}
        if "input" in call:
            items.append(dict(item, type="custom_tool_call", input=call["input"]))
        else:
            if "namespace" in call:
                item["namespace"] = call["namespace"]
            items.append(dict(item, type="function_call", arguments=json.dumps(call["arguments"])))
    return items


def response_body(step, number, model):
    """Return the body of a Responses API answer that is not streamed."""
    usage = {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}
    return {"id": "resp_%d" % number, "object": "response", "created_at": 0, "status": "completed", "model": model,
            "output": response_items(step, number), "usage": usage}


def response_events(step, number, model):
    """Return the server-sent events of a streamed Responses API answer, as dicts with a "type"."""
    body = response_body(step, number, model)
    events = [{"type": "response.created", "response": dict(body, status="in_progress", output=[], usage=None)}]
    for index, item in enumerate(body["output"]):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": body})
    return [dict(event, sequence_number=index) for index, event in enumerate(events)]


# --- The server ---


class ScriptedModel:
    """The server, as a context manager.

    steps: see the module's docstring; StepError when malformed.
    port: 0 lets the system choose. record: path of a file each request is appended to as one JSON line, or None.
    requests: every POST so far, in order: {"path": ..., "body": parsed JSON}. Request headers are not kept: they hold a key.
    base_url: what the CLI is given, "http://127.0.0.1:PORT/v1".
    """

    def __init__(self, steps, port=0, record=None):
        self._steps = check_steps(steps)
        self._record = record
        self._lock = threading.Lock()
        self.requests = []
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._server.daemon_threads = True
        self._server.scripted = self
        self.base_url = "http://127.0.0.1:%d/v1" % self._server.server_address[1]
        self._thread = None

    def __enter__(self):
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc_info):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, path, body):
        """Keep a request and return (step to answer with, running number of the request)."""
        with self._lock:
            self.requests.append({"path": path, "body": body})
            number = len(self.requests)
            if self._record is not None:
                with open(self._record, "a", encoding="utf-8") as out:
                    out.write(json.dumps(self.requests[-1]) + "\n")
        step = self._steps[number - 1] if number <= len(self._steps) else {"text": LAST_TEXT}
        return step, number


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *args):
        """Say nothing: stdout and stderr belong to the caller."""

    def do_GET(self):
        if self._path() == "/v1/models":
            model = {"id": MODEL_NAME, "object": "model", "created": 0, "owned_by": "agentihooks"}
            self._send_json(200, {"object": "list", "data": [model]})
        else:
            self._send_error(404, "no such path: %s" % self._path())

    def do_POST(self):
        path = self._path()
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        except ValueError:
            body = None
        if path not in ("/v1/chat/completions", "/v1/responses"):
            self._send_error(404, "no such path: %s" % path)
            return
        if not isinstance(body, dict):
            self._send_error(400, "the request's body is no JSON object")
            return
        step, number = self.server.scripted.take(path, body)
        model = str(body.get("model", MODEL_NAME))
        if path == "/v1/chat/completions":
            if body.get("stream"):
                self._send_events("data: %s\n\n" % data for data in chat_chunks(step, number, model))
            else:
                self._send_json(200, chat_completion(step, number, model))
        elif body.get("stream"):
            events = response_events(step, number, model)
            self._send_events("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in events)
        else:
            self._send_json(200, response_body(step, number, model))

    def _path(self):
        return self.path.split("?", 1)[0]

    def _send_error(self, status, message):
        self._send_json(status, {"error": {"message": message, "type": "invalid_request_error"}})

    def _send_json(self, status, data):
        self._send(status, "application/json", json.dumps(data))

    def _send_events(self, events):
        self._send(200, "text/event-stream", "".join(events))

    def _send(self, status, content_type, text):
        payload = text.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def main(argv=None):
    """Serve until SIGTERM or SIGINT. Exit code 2 and one line on stderr when the steps cannot be read."""
    parser = argparse.ArgumentParser(description="Play a list of steps as a model on loopback and keep every request.")
    parser.add_argument("--steps", required=True, help="JSON file with the list of steps")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: any free one, printed)")
    parser.add_argument("--record", help="file that gets one JSON line per request")
    options = parser.parse_args(argv)
    try:
        with open(options.steps, encoding="utf-8") as source:
            model = ScriptedModel(json.load(source), options.port, options.record)
    except (OSError, ValueError) as error:
        print("scripted_model: %s: %s" % (options.steps, error), file=sys.stderr)
        return 2
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *args: stop.set())
    with model:
        print(json.dumps({"base_url": model.base_url}), flush=True)
        stop.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
