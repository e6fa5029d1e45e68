# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the real CLIs every question of the claims, compare with the recorded answers, and write docs/claims.md.

    claims.py                              every pinned version: a changed answer fails with the names of its claims
    claims.py --copilot 1.0.110            a new release: installed, asked, compared with the newest version before it
    claims.py ... --accept                 write the answers although some changed; a new release is then pinned too
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
for needed in (CHECKOUT / "tests" / "support", CHECKOUT / "files" / "smoke", CHECKOUT / "files" / "hooks_runtime"):
    sys.path.insert(0, str(needed))

import claim_table  # noqa: E402
import codex_probes  # noqa: E402
import copilot_probes  # noqa: E402
from clis import CliError, install_one, installed, pin, pinned  # noqa: E402

PROBES = {"copilot": copilot_probes.PROBES, "codex": codex_probes.PROBES}
ANSWERS = claim_table.CLAIMS / "answers.json"
PAGE, HOOKS_PAGE = CHECKOUT / "docs" / "claims.md", CHECKOUT / "docs" / "codex-hooks.md"
VOCABULARY = CHECKOUT / "files" / "hooks_runtime" / "agentihooks" / "vocabulary.py"


def ask(cli, probe, directory: Path) -> dict:
    """Return question -> answer ("yes", "no" or a few words) of one probe, run in a home of its own below directory."""
    home = directory / f"{cli.name}-{cli.version}-{probe.__name__}"
    home.mkdir()
    found = probe(cli, home)
    return {f"{probe.__name__}.{question}": _text(answer) for question, answer in found.items()}


def _text(answer) -> str:
    return ("yes" if answer else "no") if isinstance(answer, bool) else str(answer)


def ask_all(cli) -> dict:
    """Return question -> answer of all probes, two at a time. Raises what a probe raised, after its traceback was printed."""
    found, failed = {}, []
    with tempfile.TemporaryDirectory(prefix="claims-") as directory, ThreadPoolExecutor(2) as pool:
        running = {probe.__name__: pool.submit(ask, cli, probe, Path(directory)) for probe in PROBES[cli.name]}
        for name, done in running.items():
            try:
                found.update(done.result())
            except Exception as error:  # a probe drives a foreign program: whatever it meets, the others are still asked
                traceback.print_exception(error)
                failed.append(name)
    if failed:
        raise CliError(f"{cli.name} {cli.version}: no answers of {', '.join(failed)}")
    return found


def shown_by(answers: dict) -> dict:
    """Return CLI -> question -> the test that shows it."""
    return {name: {question: f"`{name}_probes.py::{question.partition('.')[0]}`" for found in answers[name].values() for question in found} for name in answers}


def pages(claims, spots, answers) -> dict:
    """Return path -> text of the pages that are written from the answers."""
    table = claim_table.blind_spot_table(spots, answers)
    return {PAGE: claim_table.page(claims, answers, shown_by(answers)),
            HOOKS_PAGE: claim_table.with_table(HOOKS_PAGE.read_text(encoding="utf-8"), table)}


def measured(name: str, version: str) -> None:
    """Make a version the newest that the runtime, doctor and smoke take for measured."""
    text = VOCABULARY.read_text(encoding="utf-8")
    numbers = claim_table.order(version)[:3]
    if name == "copilot":
        text = re.sub(r"(COPILOT_MEASURED = \(\d+, )\d+", rf"\g<1>{numbers[2]}", text)
    else:
        text = re.sub(r"(CODEX_MEASURED = \(\([\d, ]+\), )\([\d, ]+\)", rf"\g<1>({', '.join(map(str, numbers))})", text)
    VOCABULARY.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in PROBES:
        parser.add_argument(f"--{name}", default="", help="a version that is not pinned, to be asked and added")
        parser.add_argument(f"--only-{name}", action="store_true", help="of the pinned versions, ask this CLI's alone")
    parser.add_argument("--accept", action="store_true", help="write the answers although some changed")
    options = parser.parse_args()
    claims, spots, answers = claim_table.load()
    new = [(name, getattr(options, name)) for name in PROBES if getattr(options, name)]
    chosen = [name for name in PROBES if getattr(options, f"only_{name}")] or list(PROBES)
    wanted = new or [(name, version) for name in chosen for version in pinned(name)]
    said = []
    try:
        for name, version in wanted:
            recorded = answers.setdefault(name, {})
            print(f"asking {name} {version} ...", flush=True)
            found = ask_all(installed(name, version) if version in pinned(name) else install_one(name, version))
            said += claim_table.told(claims, name, version, claim_table.changes(claim_table.before(recorded, version), found))
            recorded[version] = found
        if said and not options.accept:
            print("\n".join(["These answers changed:", *said, "Nothing was written. ACCEPT=1 writes them."]), file=sys.stderr)
            return 1
        texts = pages(claims, spots, answers)
        for name, version in new:
            if version not in pinned(name):
                pin(name, version)
                measured(name, pinned(name)[-1])
    except (CliError, claim_table.ClaimError) as error:
        print(f"claims: {error}\nNothing was written.", file=sys.stderr)
        return 1
    ANSWERS.write_text(json.dumps(answers, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    for line in said:
        print("accepted:", line)
    for (document, version), found in claim_table.counts(claims, answers).items():
        print(f"{document} on {version}: " + ", ".join(f"{number} {what}" for what, number in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
