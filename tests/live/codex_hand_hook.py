# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand-written hook for Codex, no product in it: records what the CLI handed over and answers by a word in the call or prompt.

Called as `python3 codex_hand_hook.py RECORD` with the payload on stdin. Standard library only.
"""

from __future__ import annotations

import json
import sys
import time

CONTEXT_EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart")
# Of a long context: longer than the 2,500 tokens that Codex leaves whole.
LONG = "head-of-%s " + "x " * 10000 + "middle-of-%s " + "y " * 10000 + "tail-of-%s"


def cli_version(payload):
    """Return the version in the session file's first line, or what stands in the way of reading it."""
    try:
        with open(payload["transcript_path"], encoding="utf-8") as rollout:
            return json.loads(rollout.readline())["payload"]["cli_version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return type(error).__name__


def main():
    text = sys.stdin.read()
    payload = json.loads(text)
    event = payload["hook_event_name"]
    with open(sys.argv[1], "a", encoding="utf-8") as out:
        out.write(json.dumps({"event": event, "payload": payload, "version": cli_version(payload)}) + "\n")

    asked = json.dumps([payload.get("tool_input"), payload.get("prompt")])
    if event in ("PreToolUse", "UserPromptSubmit", "PermissionRequest"):
        if "EXIT-TWO" in asked:
            print("exit-two-reason", file=sys.stderr)
            return 2
        if "SILENT-TWO" in asked:
            return 2
        if "STALL" in asked:
            time.sleep(20)
            return 2
        if "STRAY-KEY" in asked:
            output = {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": "stray-key-reason"}
            print(json.dumps({"hookSpecificOutput": output, "agentihooks": 1}))
            return 0
    if event in CONTEXT_EVENTS:
        context = LONG.replace("%s", event) if "--long" in sys.argv else "context-of-" + event
        print(json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
