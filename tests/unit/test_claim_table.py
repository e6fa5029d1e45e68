# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of claims on disk is the one that follows from the claims and the answers, and nothing is missing from it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import claim_table
import pytest
from agentihooks import capabilities

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("AGENTIHOOKS_TEST_SHARED") or CHECKOUT.parent / "shared")
sys.path.insert(0, str(CHECKOUT / "tests" / "live"))
import claims as program  # noqa: E402
from clis import pinned  # noqa: E402

CLAIMS, SPOTS, ANSWERS = claim_table.load()


def test_the_pages_on_disk_follow_from_claims_and_answers():
    for path, text in program.pages(CLAIMS, SPOTS, ANSWERS).items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run make claims"


@pytest.mark.parametrize("name", ["copilot", "codex"])
def test_every_pinned_version_has_an_answer_to_every_question(name):
    assert claim_table.versions(ANSWERS, name) == pinned(name)
    asked = {claim.question for claim in CLAIMS if claim.cli == name and claim.question != claim_table.NOT_APPLICABLE}
    for version in pinned(name):
        assert asked <= ANSWERS[name][version].keys(), version
    assert {question.partition(".")[0] for question in ANSWERS[name][pinned(name)[-1]]} == {probe.__name__ for probe in program.PROBES[name]}


def test_the_newest_pinned_version_is_the_newest_that_the_runtime_takes_for_measured():
    assert [capabilities.measured_range(name)[1] for name in ("copilot", "codex")] == [pinned(name)[-1] for name in ("copilot", "codex")]


def test_blind_spots_rest_on_answers():
    for spot in SPOTS:
        assert all(spot.question in found for found in ANSWERS["codex"].values()), spot


def test_an_answer_that_changed_is_told_with_the_names_of_its_claims():
    claim = claim_table.Claim("the page", "codex", "1", "p.q", "yes", "it works")
    assert claim_table.told([claim], "codex", "2.0.0", claim_table.changes({"p.q": "yes"}, {"p.q": "no", "p.new": "no"})) == [
        "codex 2.0.0: p.q: was 'yes', is 'no'", "    the page \N{SECTION SIGN}1: it works",
    ]  # fmt: skip


def test_a_new_release_is_compared_with_the_newest_below_it():
    recorded = {"1.0.80": {"p.q": "old"}, "1.0.102": {"p.q": "new"}}
    assert [claim_table.before(recorded, version)["p.q"] for version in ("1.0.79", "1.0.80", "1.0.92", "1.0.102", "1.0.103")] == [
        "old",
        "old",
        "old",
        "new",
        "new",
    ]
    assert claim_table.before({}, "1.0.80") == {}


def test_a_cell_says_what_is_different_and_a_claim_why_it_is_not_asked():
    claims = [claim_table.Claim("d", "codex", "1", "p.q", "a", "x | *y*"), claim_table.Claim("d", "codex", "2", "n/a", "needs a login", "z")]
    text = claim_table.page(claims, {"codex": {"1.0.0": {"p.q": "a"}, "1.1.0": {"p.q": "b|c"}}}, {"codex": {"p.q": "`probe`"}})
    assert "| 1 | x \\| \\*y\\* | holds | **differs**: `b\\|c` | `probe` |\n" in text
    assert "| 2 | z *(not applicable: needs a login)* | n/a | n/a | - |\n" in text
    assert "| d | 2 | 1.1.0 | 0 | 1 | 1 |\n" in text


def test_what_is_claimed_from_a_version_on():
    claim = claim_table.Claim("d", "copilot", "1", "p.q", {"0": "string", "1.0.83": "object"}, "s")
    assert [claim.expected(version) for version in ("1.0.79-6", "1.0.83", "1.0.102")] == ["string", "object", "object"]
    answers = {"copilot": {"1.0.80": {"p.q": "object"}}}
    assert claim_table.verdict(claim, "1.0.80", answers) == ("differs", "object")
    with pytest.raises(claim_table.ClaimError, match="make claims"):
        claim_table.verdict(claim, "1.0.80", {"copilot": {"1.0.80": {}}})


def test_a_version_is_made_the_newest_measured(tmp_path, monkeypatch):
    copy = tmp_path / "vocabulary.py"
    copy.write_text(program.VOCABULARY.read_text(encoding="utf-8"))
    monkeypatch.setattr(program, "VOCABULARY", copy)
    program.measured("copilot", "1.0.110")
    program.measured("codex", "0.180.1")
    assert "COPILOT_MEASURED = (79, 110)\n" in copy.read_text() and "CODEX_MEASURED = ((0, 142, 3), (0, 180, 1))\n" in copy.read_text()


# --- Against the documents themselves, where they are at hand ---

DOCUMENTS = {"reference": "reference/COPILOT-COMPAT.md", "Copilot contract": "contract/COPILOT.md", "Codex contract": "contract/CODEX.md"}


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no documents at {SHARED}")
@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_section_of_the_document_is_in_the_table(document):
    text = (SHARED / DOCUMENTS[document]).read_text(encoding="utf-8")
    sections = re.findall(r"^\N{SECTION SIGN}(\d+(?:\.\d+)?) |^#{2,3} (\d+(?:\.\d+)?)\.? ", text, re.MULTILINE)
    have = {claim.section for claim in CLAIMS if claim.document == document}
    numbers = [one or other for one, other in sections]
    assert len(numbers) > 6
    # A heading that only holds others has no claim of its own.
    missing = [number for number in numbers if number not in have and not any(other.startswith(number + ".") for other in have)]
    assert missing == []


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no documents at {SHARED}")
def test_every_row_of_the_evidence_table_is_in_ours():
    text = (SHARED / DOCUMENTS["reference"]).read_text(encoding="utf-8")
    part = text[text.index("\N{SECTION SIGN}10 ") : text.index("\N{SECTION SIGN}11 ")]
    rows = [line.partition("\t")[0] for line in part.splitlines() if "\t" in line and not line.startswith("Claim\t")]
    have = [claim.row for claim in CLAIMS if claim.document == "reference" and claim.section == "10"]
    assert len(rows) == 19
    assert [row for row in rows if not any(words and words in row for words in have)] == []
