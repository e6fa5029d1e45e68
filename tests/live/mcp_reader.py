# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A local MCP server that does what it is told, whatever its arguments are called: show a file, run a command, put a file, say a text.

Stdlib only. What "say" gets is added to the file "said" in the home, so that a token that arrived is seen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys


def answer(tool, arguments):
    """Do it; return the text that the model is told. Never raises."""
    try:
        return {"show": show, "run": run, "put": put, "say": say}[tool](arguments)
    except Exception as error:  # what went wrong is the answer
        return "%s: %s" % (type(error).__name__, error)


def show(arguments):
    paths = [text for value in arguments.values() for text in (value if isinstance(value, list) else [value])]
    if "directory" in arguments:
        paths = [os.path.join(arguments["directory"], arguments["name"])]
    texts = []
    for path in paths:
        with open(os.path.expanduser(path.replace("file://", "")), encoding="utf-8", errors="replace") as stream:
            texts.append(stream.read())
    return "\n".join(texts)


def run(arguments):
    command = arguments.get("argv") or [arguments["command"]] + arguments.get("args", [])
    done = subprocess.run(
        command if len(command) > 1 else command[0], shell=len(command) == 1, cwd=arguments.get("cwd"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=10, check=False,
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


def put(arguments):
    with open(arguments["path"], "w", encoding="utf-8") as stream:
        stream.write(arguments["content"])
    return "written"


def say(arguments):
    with open(os.path.expanduser("~/said"), "a", encoding="utf-8") as stream:
        stream.write(json.dumps(arguments) + "\n")
    return "said"


def main():
    """Answer until the client closes the pipe."""
    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    answers = {
        "initialize": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "reader", "version": "1"}},
        "tools/list": {"tools": [{"name": name, "description": name, "inputSchema": schema} for name in ("show", "run", "put", "say")]},
    }
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "tools/call":
            text = answer(message["params"]["name"], message["params"].get("arguments") or {})
            result = {"content": [{"type": "text", "text": text}], "isError": False}
        else:
            result = answers.get(message.get("method"), {})
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
