# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand-written hook for the claims: records what the CLI handed over and answers what the case at hand says. Stdlib only.

Called as `python3 case_hook.py DIRECTORY EVENT [CASE]` with the payload on stdin. The case is the one given, or the word after
"case:" in the payload. DIRECTORY/cases.json: case -> {"out": text, "err": text, "exit": number, "sleep": seconds, "once": true}.
A case that is given and starts with "only-" acts only where the payload names it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from pathlib import Path


def main():
    directory, event, given = Path(sys.argv[1]), sys.argv[2], (sys.argv[3:] or [""])[0]
    text = sys.stdin.read()
    named = re.findall(r"case:([\w.-]+)", text)
    name = given or (named[-1] if named else "")
    seen = {"event": event, "case": name, "payload": json.loads(text), "environment": dict(os.environ), "cwd": os.getcwd()}
    with open(directory / "record.jsonl", "a", encoding="utf-8") as out:
        out.write(json.dumps(seen) + "\n")
    if given.startswith("only-") and given not in named:
        return 0
    answer = json.loads((directory / "cases.json").read_text(encoding="utf-8")).get(f"{event}/{name}", {})
    if answer.get("once"):
        used = directory / f"used-{event}-{name}"
        if used.exists():
            return 0
        used.touch()
    time.sleep(answer.get("sleep", 0))
    sys.stdout.write(answer.get("out", ""))
    sys.stderr.write(answer.get("err", ""))
    sys.stdout.flush()
    if answer.get("signal"):
        os.kill(os.getpid(), signal.SIGKILL)
    return answer.get("exit", 0)


if __name__ == "__main__":
    sys.exit(main())
