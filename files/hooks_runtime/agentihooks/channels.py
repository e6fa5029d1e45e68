# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels that sessions of this account listen to: AGENTIHOOKS_BASE_CHANNELS, of the environment or else of copilot.env.

The role writes it into copilot.env and a block in the shells' files exports it. A CLI that no interactive shell started (an IDE,
systemd) has no such variable, so the file is read then: as data, nothing in it is run.
"""

from __future__ import annotations

import os
import stat

VARIABLE = "AGENTIHOOKS_BASE_CHANNELS"  # names, parted by commas; * for every one
FILE = "copilot.env"
MAX_BYTES = 1 << 20
# What a shell might make something else of; no name of a channel holds it.
_NO_NAME = frozenset("'\"\\$`")


def heard(data_directory, environ):
    """Return the channels that are listened to besides the global one, [] for none. Never raises."""
    text = environ[VARIABLE] if VARIABLE in environ else named_in(_read(os.path.join(data_directory, FILE)))
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def named_in(text):
    """Return the value of the first line of copilot.env that sets the variable, "" for none or one that is no plain list of names."""
    for line in text.split("\n"):
        name, equals, value = (line[len("export "):] if line.startswith("export ") else line).partition("=")
        if equals and name == VARIABLE:
            if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
                value = value[1:-1]
            return "" if any(item in _NO_NAME or item.isspace() or not item.isprintable() for item in value) else value
    return ""


def _read(path):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a link of the person's own is followed
    except (OSError, ValueError):
        return ""
    try:
        status = os.fstat(descriptor)
        fit = stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES
        return os.read(descriptor, MAX_BYTES).decode("utf-8", "replace") if fit else ""
    except OSError:
        return ""
    finally:
        os.close(descriptor)
