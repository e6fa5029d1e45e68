# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secret detection beside detect-secrets: tests/bench/secret_detection.py, at least as good as its peer in both directions."""

from __future__ import annotations

import sys
from pathlib import Path

from figures import Figures

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

import secret_detection as bench  # noqa: E402

SAMPLE_FILES = 20


def main():
    figures = Figures("secret_detection", __doc__)
    results = bench.recall(bench.samples(1), {"write tool": bench.write_tool}) if figures.sample else bench.recall()
    files = bench.innocents()
    files = files[:: max(1, len(files) // SAMPLE_FILES)] if figures.sample else files
    ours, peers = bench.false_denials(files)
    print(bench.table(results, files, ours, peers))
    for row in bench.missed(results):
        print(row)
    for title, wanted in (("of our kinds", {"known_to": bench.OURS}), ("of the kinds of detect-secrets", {"known_to": bench.PEER})):
        (found, of), (peer, _of) = bench.share(results, 2, **wanted), bench.share(results, 3, **wanted)
        figures.add("found, " + title, "99 %%, and %s" % bench.cell(peer, of), bench.cell(found, of), found >= peer and found >= 0.99 * of)
    if files:
        figures.add("real agents and commands that are stopped", "at most %d of %d" % (len(peers), len(files)), len(ours), len(ours) <= len(peers))
    return figures.finish()


if __name__ == "__main__":
    sys.exit(main())
