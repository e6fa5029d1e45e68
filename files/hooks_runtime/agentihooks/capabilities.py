# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each CLI does with a hook's answer, by event: the one table the emitter reads. Measured, see docs/hook-contract.md."""

from __future__ import annotations

from agentihooks.cli_version import patch_level
from agentihooks.vocabulary import CODEX_MEASURED, COPILOT_MEASURED

# How an event is refused.
#   decision    {"permissionDecision": "deny", "permissionDecisionReason": r}, exit 0   (Copilot, top level)
#   behavior    {"behavior": "deny", "message": r}, exit 0                              (Copilot permissionRequest)
#   block       {"decision": "block", "reason": r}, exit 0                              (Copilot prompts: the only form that acts)
#   exit2       exit 2, reason on stderr
#   ""          cannot be refused
# How text is added.
#   top         {"additionalContext": t}
#   nested      {"hookSpecificOutput": {"hookEventName": event, "additionalContext": t}}
#   ""          there is no way (or one that starts a turn of its own)
DENY, CONTEXT = 0, 1

TABLE = {
    "copilot": {
        "PreToolUse": ("decision", "top"),
        "PermissionRequest": ("behavior", ""),
        "PreMcpToolCall": ("exit2", ""),
        "UserPromptSubmit": ("block", "top"),
        "SessionStart": ("", "top"),
        "PostToolUse": ("", "top"),
        "PostToolUseFailure": ("", "top"),
        "SubagentStart": ("", "top"),
    },
    "codex": {
        "PreToolUse": ("exit2", "nested"),
        "PermissionRequest": ("exit2", ""),
        "UserPromptSubmit": ("exit2", "nested"),
        "SessionStart": ("", "nested"),
        "PostToolUse": ("", "nested"),
        "SubagentStart": ("", "nested"),
    },
}

# Refusal forms that are trusted only from a CLI generation in which they were measured; any other caller gets exit 2.
MEASURED_ONLY = ("decision", "behavior")

# How much added text reaches the model, in bytes of UTF-8. Copilot cuts what is added after a tool at 10,240 UTF-16 units,
# without a mark; no text has more units than bytes. What is not listed passed whole (200,000 characters on Copilot). Codex cuts
# the middle out of what is too long for it; context_carry.py hands it over in pieces.
CONTEXT_CAP_BYTES = {("copilot", "PostToolUse"): 10240, ("copilot", "PostToolUseFailure"): 10240}

# The first measured Copilot 1.0.x that loads a repository's .claude/rules by itself, trusted or not; 1.0.83 does not.
COPILOT_LOADS_RULES = 92


def row(target, event):
    """Return (deny form, context form) of an event; ("exit2", "") for what the table does not know."""
    return TABLE.get(target, {}).get(event, ("exit2", ""))


def context_cap_bytes(target, event):
    """Return how many bytes of added text an event carries, 0 for no known limit."""
    return CONTEXT_CAP_BYTES.get((target, event), 0)


def loads_claude_rules(version):
    """Return whether a Copilot of this version ("1.0.102", "" for not known) loads .claude/rules by itself."""
    level = patch_level(version)
    return level is not None and level >= COPILOT_LOADS_RULES


def measured_range(target):
    """Return the first and the last version that the table was measured on, as texts."""
    if target == "copilot":
        return tuple("1.0.%d" % level for level in COPILOT_MEASURED)
    return tuple("%d.%d.%d" % version for version in CODEX_MEASURED)


def is_in_range(target, version):
    """Return whether a version ("1.0.102", "0.154.0") lies between those the table was measured on."""
    if target == "copilot":
        return is_measured(target, version)
    parts = version.split("-")[0].split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return False
    return CODEX_MEASURED[0] <= tuple(int(part[:6]) for part in parts) <= CODEX_MEASURED[1]


def is_measured(target, version):
    """Return whether the forms of MEASURED_ONLY were seen to act in this version ("1.0.102", "1.0.79-6"; "" is not known)."""
    if target != "copilot":
        return True
    level = patch_level(version)
    return level is not None and COPILOT_MEASURED[0] <= level <= COPILOT_MEASURED[1]
