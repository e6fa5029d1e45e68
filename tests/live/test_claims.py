# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each pinned CLI answers to the claims' questions is what is recorded. `make claims` runs the same probes and records them."""

from __future__ import annotations

import claim_table
import codex_probes
import copilot_probes
import pytest
from claims import ask
from clis import installed, pinned

CLAIMS, _SPOTS, ANSWERS = claim_table.load()
MODULES = {"copilot": copilot_probes, "codex": codex_probes}


def _cases():
    for name, module in MODULES.items():
        for version in pinned(name):
            for probe in module.PROBES:
                often = version == pinned(name)[-1] and probe in module.EVERY_TIME
                yield pytest.param(name, version, probe, id=f"{name}-{version}-{probe.__name__}", marks=[] if often else [pytest.mark.exhaustive])


@pytest.mark.parametrize("name, version, probe", list(_cases()))
def test_the_answers_are_those_on_record(name, version, probe, tmp_path):
    found = ask(installed(name, version), probe, tmp_path)
    recorded = {question: answer for question, answer in ANSWERS[name][version].items() if question.startswith(probe.__name__ + ".")}
    assert found.keys() == recorded.keys()
    changed = claim_table.changes(recorded, found)
    assert not changed, "\n".join(claim_table.told(CLAIMS, name, version, changed))
