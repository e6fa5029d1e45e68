# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a proof measured, as its last lines say it: "FIGURE " and one JSON object (proof, figure, target, measured, ok)."""

from __future__ import annotations

import argparse
import json

MARK = "FIGURE "


class Figures:
    """The figures of one proof, and what was asked of it on the command line (sample: a short form of it)."""

    def __init__(self, proof, description, arguments=None):
        """description: the docstring of the proof's file. arguments: of the command line, None for those of this process."""
        parser = argparse.ArgumentParser(prog="prove_%s.py" % proof, description=description.partition("\n")[0])
        parser.add_argument("--sample", action="store_true", help="a sample, for `make test`")
        self.proof = proof
        self.sample = parser.parse_args(arguments).sample
        self.rows = []

    def add(self, figure, target, measured, ok):
        """Note one figure. target, measured: texts or numbers, for the table."""
        self.rows.append({"proof": self.proof, "figure": figure, "target": str(target), "measured": str(measured), "ok": bool(ok)})

    def finish(self):
        """Print the figures; return the exit code of the proof."""
        for row in self.rows:
            print(MARK + json.dumps(row), flush=True)
        return 0 if self.rows and all(row["ok"] for row in self.rows) else 1
