# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An MCP server on stdin and stdout: JSON-RPC 2.0, one message a line, tools only (modelcontextprotocol.io).

A client that speaks a later protocol without a handshake is told that the method is unknown, and then falls back to this one.
"""

from __future__ import annotations

import json

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # the newest first
MAX_MESSAGE = 1 << 20  # bytes
_PARSE, _INVALID, _METHOD, _PARAMS = -32700, -32600, -32601, -32602


class BadCall(Exception):
    """There is no such tool, or its arguments do not fit; the text says what is wrong."""


class Failed(Exception):
    """The tool could not do it; the model reads the text."""


def serve(reader, writer, info, tools, call):
    """Answer until the client closes the pipe.

    reader, writer: binary streams. info: {"name", "version"}. tools: what tools/list tells. call: a function (name, arguments, what
    the client says beside them: params._meta, a dict) -> text; raises BadCall or Failed.
    """
    while True:
        line = reader.readline(MAX_MESSAGE + 1)
        if not line:
            return
        if len(line) > MAX_MESSAGE:
            while line and not line.endswith(b"\n"):
                line = reader.readline(MAX_MESSAGE)
            answer = _error(None, _INVALID, "a message has at most %d bytes" % MAX_MESSAGE)
        else:
            answer = _answer(line, info, tools, call) if line.strip() else None
        if answer is not None:
            writer.write(json.dumps(answer).encode("ascii") + b"\n")
            writer.flush()


def _answer(line, info, tools, call):
    """Return the answer to one message, None when it wants none."""
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return _error(None, _PARSE, "that is no JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _error(None, _INVALID, "that is no JSON-RPC 2.0 message")
    if "method" not in message or "id" not in message:
        return None  # an answer to nothing, or a notification
    id, method, params = message["id"], message["method"], message.get("params", {})
    if not isinstance(id, (str, int)) or isinstance(id, bool):
        return _error(None, _INVALID, "the id is neither a text nor a number")
    if not isinstance(params, dict):
        return _error(id, _PARAMS, "params is no object")
    if method == "initialize":
        wanted = params.get("protocolVersion")
        version = wanted if wanted in VERSIONS else VERSIONS[0]
        return _result(id, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
    if method == "ping":
        return _result(id, {})
    if method == "tools/list":
        return _result(id, {"tools": tools})
    if method != "tools/call":
        return _error(id, _METHOD, "there is no such method")
    name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
    try:
        return _result(id, _content(call(name, {} if arguments is None else arguments, meta if isinstance(meta, dict) else {}), False))
    except BadCall as error:
        return _error(id, _PARAMS, str(error))
    except Failed as error:
        return _result(id, _content(str(error), True))


def _content(text, failed):
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _result(id, result):
    return {"jsonrpc": "2.0", "id": id, "result": result}


def _error(id, code, text):
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}
