# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: names that are safe as a file name everywhere and that the CLIs accept for agents and skills."""

from __future__ import annotations

import re
import unicodedata

# Copilot loads no skill with a longer name, nor one with other characters than ASCII letters, digits, space, "-", "_", ".".
MAX_LENGTH = 64

# A file of such a name cannot be made on Windows drives, whatever its suffix.
DEVICES = frozenset(["con", "prn", "aux", "nul"] + [kind + str(number) for kind in ("com", "lpt") for number in range(1, 10)])


def slug(text):
    """Return the safe name for a text: lower-case ASCII letters, digits and single "-", "_", "." inside; "" when none is left.

    No path, no leading dot or dash, no device name, at most MAX_LENGTH characters.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    name = re.sub(r"[^a-z0-9._]+", "-", plain)
    name = re.sub(r"([-._])[-._]+", r"\1", name).strip("-._")[:MAX_LENGTH].rstrip("-._")
    return "" if name.split(".")[0] in DEVICES else name
