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

from agentihooks.guards import PACKS

DEFAULTS = {
    "guard_failure": "deny",  # what a deciding event gets when the runtime itself fails: "deny" or "allow"
    "deadline": 10.0,  # seconds, well below the registered limit of 30
    "session_context": "",  # text every session starts with
    "prompt_secrets": "block",  # a secret in a typed prompt: "block", "warn" or "off"
    "protected_branches": ["main", "master", "v1"],  # branches that change by pull request alone; "*" stands for any text
    "git_gates": ["force_push"],  # what else of git is stopped, of GIT_GATES
    "guard_packs": [],  # guards that are off unless named here, of guards.PACKS
    "instructions_max_lines": 200,  # of CLAUDE.md, AGENTS.md and the like; 0 for any number
    "production": {  # what the pack production_lockdown takes for production
        "tags": ["latest", "prod", "stable"],
        "registries": ["ghcr.io", "docker.io"],
        "workflows": ["release.yml", "release.yaml"],
        "commands": [],
    },
    "guard_exceptions": [],  # false alarms that the role lets through: dicts with the keys of guard_exceptions.KEYS
    "retry_warn": 5,  # like failures in a row after which the model is told to stop; 0 for never
    "retry_block": 10,  # the same, after which the call is denied; 0 for never
    "retry_seconds": 3600,  # after which a failure is forgotten
    "drop_in_seconds": 3.0,  # that the drop-in guards may take together
    "repository_drop_ins": False,  # whether a trusted repository may bring drop-in guards
    "project_bridge": True,  # a trusted repository's rules, memory and standing lines at the first prompt
    "project_bridge_max_bytes": 1 << 18,  # of rules and memory together
    "enforcements": [],  # lines that every session is told once
    "mcp_tool_warn_threshold": 40,  # tools of MCP servers above which a session is told what they cost; 0 for never
    "dependency_banner": True,  # a word about the packages that a command installs
    "broadcasts": True,  # messages published on this machine
    "tool_memory": True,  # failures of tools, told to later sessions
    "chain": [],  # the profile chain, for the status line
    "settings_chain": [],  # the profiles of the settings, where they are others
}
GIT_GATES = ("force_push", "tag", "branch", "pull_request")
BRIDGE_LIMIT = 1 << 20  # bytes
DROP_IN_LIMIT = 8.0  # seconds
DEADLINE_LIMIT = 20.0  # seconds; the CLIs let a call through when the registered limit of 30 passes
MAX_BYTES = 1 << 20


def data_directory():
    """Return the data directory: this package lies in <data directory>/runtime/<version>/agentihooks."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))


def load(path):
    """Return the settings in force, a dict with every key of DEFAULTS. Never raises."""
    settings = dict(DEFAULTS)
    found = _read(path)[0]
    settings.update((key, found[key]) for key in DEFAULTS if _valid(key, found.get(key)))
    return settings


def problems(path):
    """Return what is wrong with the file, a list of texts: why it does not count, or which of its settings do not."""
    found, why = _read(path)
    if why:
        return [why]
    return ["%s has a value that does not count" % key for key in DEFAULTS if key in found and not _valid(key, found[key])]


def _read(path):
    """Return (the object in the file, {} when it does not count, why it does not count, "" when it does)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        return {}, "cannot be read (%s)" % error.strerror
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            return {}, "is no plain file that its owner alone can write"
        if status.st_size > MAX_BYTES:
            return {}, "is larger than %d bytes" % MAX_BYTES
        found = json.loads(os.read(descriptor, MAX_BYTES).decode("utf-8"))
    except OSError as error:
        return {}, "cannot be read (%s)" % error.strerror
    except (ValueError, RecursionError):
        return {}, "is not JSON"
    finally:
        os.close(descriptor)
    return (found, "") if isinstance(found, dict) else ({}, "holds no JSON object")


def _valid(key, value):
    if key == "guard_failure":
        return value in ("deny", "allow")
    if key == "prompt_secrets":
        return value in ("block", "warn", "off")
    if key == "deadline":
        return _number(value) and 0 < value <= DEADLINE_LIMIT
    if key == "drop_in_seconds":
        return _number(value) and 0 < value <= DROP_IN_LIMIT
    if key == "retry_seconds":
        return _whole(value) and value > 0
    if key in ("instructions_max_lines", "retry_warn", "retry_block", "mcp_tool_warn_threshold"):
        return _whole(value) and value >= 0
    if key == "protected_branches":
        return _texts(value)
    if key in ("git_gates", "guard_packs"):
        return _texts(value) and all(item in (GIT_GATES if key == "git_gates" else PACKS) for item in value)
    if key == "production":
        return isinstance(value, dict) and set(value) == set(DEFAULTS[key]) and all(map(_texts, value.values()))
    if key == "guard_exceptions":
        return isinstance(value, list) and all(isinstance(item, dict) for item in value)
    if key == "project_bridge_max_bytes":
        return _whole(value) and 0 < value <= BRIDGE_LIMIT
    if isinstance(DEFAULTS[key], list):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return type(value) is type(DEFAULTS[key])


def _texts(value):
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)


def _whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value):
    return _whole(value) or isinstance(value, float)
