# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand-written hook, no product in it: records what the CLI handed over and answers by a word in the tool call.

Called as `python3 hand_hook.py RECORD EVENT` with the payload on stdin. Standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def copilot_version(session_id):
    """Return the CLI's version from the first line of the session's log, or what stands in the way of reading it."""
    path = Path.home() / ".copilot" / "session-state" / session_id / "events.jsonl"
    try:
        with open(path, encoding="utf-8") as log:
            return json.loads(log.readline())["data"]["copilotVersion"]
    except (OSError, ValueError, KeyError) as error:
        return type(error).__name__


def main():
    record, event = sys.argv[1:]
    payload = json.loads(sys.stdin.read())
    seen = {
        "event": event,
        "payload": payload,
        "version_in_log": copilot_version(payload.get("sessionId", "")),
        "environment": {name: value for name, value in os.environ.items() if name.startswith(("COPILOT_", "CLAUDE_"))},
    }
    with open(record, "a", encoding="utf-8") as out:
        out.write(json.dumps(seen) + "\n")

    asked = json.dumps([payload.get("toolArgs"), payload.get("prompt")])
    if event == "userPromptSubmitted" and "BLOCK-PROMPT" in asked:
        print(json.dumps({"decision": "block", "reason": "prompt-reason"}))
    if event != "preToolUse":
        return 0
    if "DENY-JSON" in asked:
        print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": "json-deny-reason"}))
    if "EXIT-TWO" in asked:
        print("exit-two-stderr", file=sys.stderr)
        return 2
    if "STALL" in asked:
        time.sleep(20)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
