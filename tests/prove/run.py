# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every proof (prove_*.py in this directory) and print one table of their figures; exit code 1 when one misses its target.

A proof is a program that takes --sample, prints what a person may want to read, then its figures (figures.py), and exits with 0 or 1.
One after the other, because several of them measure what happens in a moment. Names given run those alone: run.py writer fuzz.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from figures import MARK

HERE = Path(__file__).resolve().parent
# Their samples are what `make unit` runs: test_fuzz.py, test_secret_detection.py.
SAMPLED_BY_UNIT = ("fuzz", "secret_detection")
COLUMNS = ("proof", "figure", "target", "measured", "ok")


def names():
    """Return the names of all proofs."""
    return sorted(path.stem[len("prove_"):] for path in HERE.glob("prove_*.py"))


def run(name, sample):
    """Run one proof, its output passed on as it comes; return its rows for the table."""
    print("\n#### %s" % name, flush=True)
    started = time.monotonic()
    rows = []
    command = [sys.executable, str(HERE / ("prove_%s.py" % name))] + (["--sample"] if sample else [])
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            if line.startswith(MARK):
                rows.append(json.loads(line[len(MARK):]))
            else:
                print(line, end="", flush=True)
    if process.returncode != 0 and all(row["ok"] for row in rows):
        rows.append({"proof": name, "figure": "exit code", "target": "0", "measured": str(process.returncode), "ok": False})
    if not rows:
        rows.append({"proof": name, "figure": "figures", "target": "at least 1", "measured": "0", "ok": False})
    print("%s: %.0f s" % (name, time.monotonic() - started), flush=True)
    return rows


def table(rows):
    """Return the rows as the text of a table."""
    lines = [[str(row[column]) if column != "ok" else ("ok" if row["ok"] else "MISSED") for column in COLUMNS] for row in rows]
    lines = [list(COLUMNS[:-1]) + [""]] + lines
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    return "\n".join(" | ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", action="store_true", help="the short form of each, for `make test`")
    parser.add_argument("proofs", nargs="*", help="those alone; one of: %s" % ", ".join(names()))
    options = parser.parse_args()
    unknown = sorted(set(options.proofs) - set(names()))
    if unknown:
        parser.error("no such proof: %s" % ", ".join(unknown))
    chosen = options.proofs or [name for name in names() if not (options.sample and name in SAMPLED_BY_UNIT)]
    started = time.monotonic()
    rows = [row for name in chosen for row in run(name, options.sample)]
    print("\n%s\n" % table(rows))
    missed = sum(not row["ok"] for row in rows)
    print("%d figures, %d missed, %.0f s" % (len(rows), missed, time.monotonic() - started))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
