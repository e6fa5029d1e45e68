# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role's own settings for the runtime: policy.json in the data directory.

Only this file can loosen a guard. It counts only while nobody but its owner can write it; otherwise, and when it is missing
or broken, the defaults hold, which are the strict ones.
"""

from __future__ import annotations

import json
import os
import stat

DEFAULTS = {
    "guard_failure": "deny",  # what a deciding event gets when the runtime itself fails: "deny" or "allow"
    "deadline": 10.0,  # seconds, well below the registered limit of 30
    "session_context": "",  # text every session starts with
    "prompt_secrets": "block",  # a secret in a typed prompt: "block", "warn" or "off"
}
DEADLINE_LIMIT = 20.0  # seconds; the CLIs let a call through when the registered limit of 30 passes
MAX_BYTES = 1 << 20


def load(path):
    """Return the settings in force, a dict with every key of DEFAULTS. Never raises."""
    settings = dict(DEFAULTS)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return settings
    try:
        status = os.fstat(descriptor)
        trusted = stat.S_ISREG(status.st_mode) and status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022
        if not trusted or status.st_size > MAX_BYTES:
            return settings
        found = json.loads(os.read(descriptor, MAX_BYTES).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return settings
    finally:
        os.close(descriptor)
    if isinstance(found, dict):
        settings.update((key, found[key]) for key in DEFAULTS if _valid(key, found.get(key)))
    return settings


def _valid(key, value):
    if key == "guard_failure":
        return value in ("deny", "allow")
    if key == "prompt_secrets":
        return value in ("block", "warn", "off")
    if key == "deadline":
        return type(value) in (int, float) and 0 < value <= DEADLINE_LIMIT
    return isinstance(value, str)
