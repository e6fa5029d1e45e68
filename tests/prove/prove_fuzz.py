# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hook runtime under hostile payloads: tests/unit/test_fuzz.py with 20,000 of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from figures import Figures

CHECKOUT = Path(__file__).resolve().parents[2]
PAYLOADS = 20000
SAMPLE = 300


def main():
    figures = Figures("fuzz", __doc__)
    payloads = SAMPLE if figures.sample else PAYLOADS
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadgroup", "tests/unit/test_fuzz.py"]
    done = subprocess.run(command, cwd=CHECKOUT, env=dict(os.environ, FUZZ_EXAMPLES=str(payloads)), check=False)
    figures.add("payloads without traceback, second value or wrong allow", "%d of %d" % (payloads, payloads), "all" if done.returncode == 0 else "not all",
                done.returncode == 0)  # fmt: skip
    return figures.finish()


if __name__ == "__main__":
    sys.exit(main())
