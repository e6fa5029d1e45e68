# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run `make TARGET` for each target named, then print what each cost and one closing count.

A layer that runs pytest counts its tests, read from pytest's own closing lines; any other command counts as one.
A layer that fails does not stop the next. Exit code 1 when any failed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time

PYTEST_LINE = re.compile(r"^=*\s*(?P<counts>\d+ \w+(?:, \d+ \w+)*) in [\d.]+s\b")
FAILED = ("failed", "error", "errors")


def counts(lines):
    """(passed, failed, skipped) summed over the closing lines of pytest runs among lines, None when there is none."""
    found = [match.group("counts") for match in map(PYTEST_LINE.match, lines) if match]
    if not found:
        return None
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for part in ", ".join(found).split(", "):
        number, word = part.split(" ", 1)
        word = "failed" if word in FAILED else word
        if word in total:
            total[word] += int(number)
    return total["passed"], total["failed"], total["skipped"]


def run(target):
    """Run one layer, its output passed on as it comes. Returns (passed, failed, skipped, seconds)."""
    print("\n#### make %s" % target, flush=True)
    started = time.monotonic()
    lines = []
    with subprocess.Popen(
        ["make", target], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(re.sub(r"\x1b\[[0-9;]*m", "", line))
    passed, failed, skipped = counts(lines) or (0, 0, 0)
    if process.returncode != 0:
        failed = max(failed, 1)
    elif passed == 0:
        passed = 1
    return passed, failed, skipped, time.monotonic() - started


def main(targets):
    results = [(target,) + run(target) for target in targets]
    print("\n%-10s %8s %8s %8s %9s" % ("layer", "passed", "failed", "skipped", "seconds"))
    for target, passed, failed, skipped, seconds in results:
        print("%-10s %8d %8d %8d %9.1f" % (target, passed, failed, skipped, seconds))
    print("%-10s %36.1f" % ("all", sum(result[4] for result in results)))
    passed, failed, skipped = (sum(result[column] for result in results) for column in (1, 2, 3))
    print("\n%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
