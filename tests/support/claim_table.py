# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The claims about the CLIs, the answers that real runs gave, and the tables that are written from both. Pure but for load().

A claim is a line of tests/claims/DOCUMENT.yml: where a document says it, what it says in our words, the question that a probe
(tests/live/*_probes.py) answers on a real CLI, and the answer with which the claim holds. tests/claims/answers.json holds the
answers of every pinned version. Several claims may ask the same question, also with opposite answers: then one of them differs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

CLAIMS = Path(__file__).resolve().parents[1] / "claims"
NOT_APPLICABLE = "n/a"
HOLDS, DIFFERS, NOT_HERE = "holds", "differs", "not applicable"
CLIS = {"copilot": "Copilot", "codex": "Codex"}


class ClaimError(ValueError):
    """A line of a claims file, or the answers, are not what this module's docstring describes."""


@dataclass(frozen=True)
class Claim:
    """One claim. question: "n/a" when it cannot be asked here, and then holds says why. row: words of the document's own row.

    holds: the answer with which it holds, or a dict of such answers by the first version they are claimed for ("0": from the first).
    """

    document: str
    cli: str
    section: str
    question: str
    holds: object
    says: str
    row: str = ""

    @property
    def name(self) -> str:
        return f"{self.document} \N{SECTION SIGN}{self.section}: {self.says}"

    def expected(self, version: str) -> str:
        """Return the answer with which it holds for a version."""
        if not isinstance(self.holds, dict):
            return str(self.holds)
        return str(self.holds[max((since for since in self.holds if order(since) <= order(version)), key=order)])


@dataclass(frozen=True)
class BlindSpot:
    """What a hook does not see of a call where the answer to a question is "no", and the outer layer that covers it."""

    what: str
    question: str
    cover: str


def order(version: str) -> list[int]:
    """Return a key by which versions ("1.0.102", "1.0.79-6") sort."""
    return [int(number) for number in re.findall(r"\d+", version)]


def load(directory: Path = CLAIMS) -> tuple[list[Claim], list[BlindSpot], dict]:
    """Return the claims in the order of the documents, the blind spots of Codex, and the answers: CLI -> version -> question -> answer.

    Raises ClaimError that names the file and the line.
    """
    claims, spots = [], []
    for name in ("reference", "reference-codex", "copilot", "codex"):
        path = directory / f"{name}.yml"
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for line in content["claims"]:
            if not isinstance(line, list) or len(line) not in (4, 5) or not all(isinstance(line[at], str) for at in (0, 1, 3)):
                raise ClaimError(f"{path}: want [section, question, answer, text] or one more for a row's words, got {line!r}")
            claims.append(Claim(content["document"], content["cli"], *line))
        spots += [BlindSpot(*line) for line in content.get("blind_spots", [])]
    return claims, spots, json.loads((directory / "answers.json").read_text(encoding="utf-8"))


def versions(answers: dict, cli: str) -> list[str]:
    """Return the versions that were asked, oldest first."""
    return sorted(answers[cli], key=order)


def verdict(claim: Claim, version: str, answers: dict) -> tuple[str, str]:
    """Return (HOLDS, DIFFERS or NOT_HERE, what to say of it). Raises ClaimError when the question was never answered."""
    if claim.question == NOT_APPLICABLE:
        return NOT_HERE, str(claim.holds)
    if claim.question not in answers[claim.cli][version]:
        raise ClaimError(f"{claim.question} has no answer of {claim.cli} {version}: run make claims")
    answer = answers[claim.cli][version][claim.question]
    return (HOLDS, "") if answer == claim.expected(version) else (DIFFERS, answer)


def changes(before: dict, after: dict) -> dict:
    """Return question -> (answer before, answer now) for those that both were asked and answered differently."""
    return {question: (before[question], after[question]) for question in sorted(before.keys() & after.keys()) if before[question] != after[question]}


def before(recorded: dict, version: str) -> dict:
    """Return the answers that a version is compared with: its own, else those of the newest one below it, else of the oldest."""
    known = sorted(recorded, key=order)
    below = [one for one in known if order(one) <= order(version)]
    return recorded[(below or known)[-1 if below else 0]] if known else {}


def told(claims: list[Claim], cli: str, version: str, changed: dict) -> list[str]:
    """Return lines that name each changed answer and the claims that rest on it."""
    lines = []
    for question, (was, now) in changed.items():
        lines.append(f"{cli} {version}: {question}: was {was!r}, is {now!r}")
        lines += [f"    {claim.name}" for claim in claims if claim.cli == cli and claim.question == question]
    return lines


def counts(claims: list[Claim], answers: dict) -> dict:
    """Return (document, version) -> {verdict: number}."""
    found = {}
    for claim in claims:
        for version in versions(answers, claim.cli):
            one = found.setdefault((claim.document, version), {HOLDS: 0, DIFFERS: 0, NOT_HERE: 0})
            one[verdict(claim, version, answers)[0]] += 1
    return found


def _cell(text: str) -> str:
    """Return a text as it stands in a cell of a Markdown table."""
    return " ".join(re.sub(r"([|*\[\]])", r"\\\1", text).replace("<", "&lt;").split())


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`" if text else "`(nothing)`"


def _verdict_cell(claim: Claim, version: str, answers: dict) -> str:
    found, answer = verdict(claim, version, answers)
    return {HOLDS: "holds", DIFFERS: f"**differs**: {_code(answer)}", NOT_HERE: "n/a"}[found]


def page(claims: list[Claim], answers: dict, shown_by: dict) -> str:
    """Return docs/claims.md. shown_by: CLI -> question -> name of the probe that answers it."""
    lines = [
        "# What is claimed of the CLIs, and what each version does", "",
        "Written by `make claims` from runs of the real CLIs against a scripted model, without login and without network. Not to be",
        "edited: claims are in `tests/claims/*.yml`, answers in `tests/claims/answers.json`, probes in `tests/live/*_probes.py`.",
        "A cell with **differs** says what that version does instead, a claim that cannot be asked here says why. Every probe is a test of",
        "`tests/live/test_claims.py`. `make claims COPILOT=VERSION CODEX=VERSION` asks new releases and adds a column; an answer that changed is",
        "named with its claims, and taken over with `ACCEPT=1`.", "",
        "| document | claims | version | holds | differs | not applicable |", "| --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for (document, version), found in counts(claims, answers).items():
        lines.append(f"| {document} | {sum(found.values())} | {version} | {found[HOLDS]} | {found[DIFFERS]} | {found[NOT_HERE]} |")
    documents = list(dict.fromkeys(claim.document for claim in claims))
    for document in documents:
        own = [claim for claim in claims if claim.document == document]
        columns = versions(answers, own[0].cli)
        lines += ["", f"## {document[0].upper()}{document[1:]}", "", f"| \N{SECTION SIGN} | claim | {' | '.join(columns)} | shown by |",
                  "| --- | --- |" + " --- |" * (len(columns) + 1)]
        for claim in own:
            cells = [_verdict_cell(claim, version, answers) for version in columns]
            probe = shown_by[claim.cli].get(claim.question, "-")
            why = f" *(not applicable: {_cell(str(claim.holds))})*" if claim.question == NOT_APPLICABLE else ""
            lines.append(f"| {claim.section} | {_cell(claim.says)}{why} | {' | '.join(cells)} | {probe} |")
    return "\n".join(lines) + "\n"


def blind_spot_table(spots: list[BlindSpot], answers: dict) -> str:
    """Return the table of what hooks of Codex do not see: only where at least one version is blind."""
    lines = ["| blind spot | versions | what covers it |", "| --- | --- | --- |"]
    everyone = versions(answers, "codex")
    for spot in spots:
        blind = [version for version in everyone if answers["codex"][version].get(spot.question) == "no"]
        if blind:
            lines.append(f"| {spot.what} | {'all' if blind == everyone else ', '.join(blind)} | {spot.cover} |")
    return "\n".join(lines) + "\n"


START, END = "<!-- blind spots: written by make claims -->\n", "<!-- end of blind spots -->\n"


def with_table(text: str, table: str) -> str:
    """Return a page with the table between its marks. Raises ClaimError when they are missing."""
    before, start, rest = text.partition(START)
    _old, end, after = rest.partition(END)
    if not start or not end:
        raise ClaimError("docs/codex-hooks.md: the marks around the table of blind spots are missing")
    return before + start + table + end + after
