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
    "protected_branches": ["main", "master", "v1"],  # branches that change by pull request alone; "*" stands for any text
    "git_gates": ["force_push"],  # what else of git is stopped, of GIT_GATES
    "guard_packs": [],  # guards that are off unless named here, of GUARD_PACKS
    "instructions_max_lines": 200,  # of CLAUDE.md, AGENTS.md and the like; 0 for any number
    "production": {  # what the pack production_lockdown takes for production
        "tags": ["latest", "prod", "stable"],
        "registries": ["ghcr.io", "docker.io"],
        "workflows": ["release.yml", "release.yaml"],
        "commands": [],
    },
}
GIT_GATES = ("force_push", "tag", "branch", "pull_request")
GUARD_PACKS = ("kubectl_mutation", "production_lockdown")
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
    if key == "instructions_max_lines":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if key == "protected_branches":
        return _texts(value)
    if key in ("git_gates", "guard_packs"):
        return _texts(value) and all(item in (GIT_GATES if key == "git_gates" else GUARD_PACKS) for item in value)
    if key == "production":
        return isinstance(value, dict) and set(value) == set(DEFAULTS[key]) and all(map(_texts, value.values()))
    return isinstance(value, str)


def _texts(value):
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)
