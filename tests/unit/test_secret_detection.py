# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secret detection against a peer on one labelled set: every token kind either knows, in every way of writing (tests/bench/secret_detection.py)."""

from __future__ import annotations

import sys
from pathlib import Path

from detect_secrets.__version__ import VERSION as PEER_VERSION

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

import secret_detection as bench  # noqa: E402

CHECKOUT = Path(__file__).resolve().parents[2]


def test_no_kind_is_found_less_often_than_by_the_peer():
    assert PEER_VERSION == "1.5.0", "the kinds are those of this version"
    found = bench.samples(1)
    results = bench.recall(found, {way: bench.WAYS[way] for way in ("write tool", "redirect")})
    assert len(found) > 250
    ours, of = bench.share(results, 2)
    assert ours >= bench.share(results, 3)[0]
    for kind in bench.PEER_KINDS:
        ours, of = bench.share(results, 2, known_to=bench.PEER, kind=kind)
        assert ours >= bench.share(results, 3, known_to=bench.PEER, kind=kind)[0], kind
    print(bench.table(results, [], [], []))


def test_over_99_percent_of_the_labelled_set_is_found_in_every_way_of_writing():
    """Without the peer, which is the slow one."""
    ours = [(sample, way, bench.denied(function(sample.text)[0]))
            for way, function in bench.WAYS.items() for sample in bench.samples(6) if sample.high or way != "prompt"]
    missed = [(sample.kind, way, sample.text) for sample, way, found in ours if not found]
    assert len(ours) > 10000 and len(missed) * 100 < len(ours), missed
    for way in bench.WAYS:
        of = sum(row[1] == way for row in ours)
        assert sum(row[1] == way for row in missed) * 100 < of, way


def test_the_table_of_the_documentation_is_of_these_kinds():
    text = (CHECKOUT / "docs" / "guards.md").read_text(encoding="utf-8")
    assert "| found | %s | %s |" % (bench.OURS, bench.PEER) in text and "detect-secrets 1.5.0" in text
