# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which guards an event may concern: cheap questions over the raw text, asked before a guard is loaded. A yes costs time, a no
must be certain, so a command in which something may be put together at run time concerns them all.
"""

from __future__ import annotations

from agentihooks.vocabulary import COMMAND_KEYS, PATCH_KEYS, PATH_KEYS

_HIDING = ("`", "{", "64", "xxd", "rev", "\\x", "\\0", "\\1", "\\u", "alias", "$'", "$(")
_FILLING = ("=", "read", " in ", "set ", "()")  # without one of these, no variable has a value that a guard could know
_DECODING = ("tr ", "openssl", "32", "hex", "sed ", "pack", "python", "perl", "node", "cut ")  # they may make what a shell reads
_QUOTES = {ord(character): None for character in "'\"\\\n"}
_GIT = ("git", "gh ", "gh\t", "glab", "hub ")
_GIT_TOOLS = ("git", "merge", "push", "commit", "file", "ref")
_INSTRUCTIONS = ("claude", "agents", "gemini", "copilot-instructions")
_MANIFESTS = ("version", "package.json", "pyproject", "cargo", "setup.", "bump", "release", "cz ")
_INSTALLING = ("install", " add ", " i ", "go get", "inject", "pacman")


# Programs that show or test files and change none but those that an option like -o or a second operand names.
READERS = frozenset(
    """cat bat head tail less more ls dir exa eza lsd tree stat file wc nl od xxd hexdump strings uniq cut paste tr rev tac comm join diff colordiff cmp
    md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum grep egrep fgrep zgrep rg ag ack ugrep jq gojq test [ [[ readlink realpath basename
    dirname echo printf true false : cd pushd popd pwd type which whereis hash getfacl lsof fuser du df locate man help sleep date id whoami uname hostname
    printenv ps kill lsattr yamllint shellcheck base64 basenc column fold fmt pr zcat xzcat""".split()
)
_TO_OPERAND = ("uniq", "xxd")  # they write into their second operand
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./,:=+@%|-")


def self_protection(calls):
    """Return whether a call may change a file, run an agent CLI or set something up: all but reading with plain words."""
    return any(call.kind in ("write", "edit", "patch", "mcp", "other") or (call.kind == "shell" and not _only_reads(call)) for call in calls)


def _only_reads(call):
    for key in COMMAND_KEYS:
        text = call.args.get(key)
        if not text:
            continue
        if not isinstance(text, str) or not _PLAIN.issuperset(text):
            return False
        if not all(_reads(part.split()) for part in text.split("|")):
            return False
    return True


def _reads(words):
    """Return whether a command in plain words only reads: a reader, and nothing that could name a file for what it puts out."""
    if not words or words[0] not in READERS or words[0] in _TO_OPERAND:
        return False
    return not any(word[0] == "-" and (word.startswith("--save") or "o" in word or "O" in word) for word in words)


def git(calls):
    """Return whether a call may be one for the git guard."""
    return any(_command(call, _GIT) or (call.kind == "mcp" and _holds(call.name, _GIT_TOOLS)) for call in calls)


def instruction_size(calls):
    """Return whether a call may write an instruction file."""
    return any(_command(call, _INSTRUCTIONS) or _writes(call, _INSTRUCTIONS) for call in calls)


def versions(calls):
    """Return whether a call may change a version number."""
    return any(_command(call, _MANIFESTS) or _writes(call, _MANIFESTS) for call in calls)


def runs(calls, words):
    """Return whether a call may run a command that holds one of these words."""
    return any(_command(call, words) for call in calls)


def installs(calls):
    """Return whether a call may install packages."""
    return any(call.kind == "shell" and _command(call, _INSTALLING) for call in calls)


def has_command(calls):
    """Return whether a call runs a command."""
    return any(call.kind in ("shell", "mcp", "other", "agent", "web") for call in calls)


def _holds(text, words):
    text = text.lower()
    return any(word in text for word in words)


def _hides(text):
    if "sh" in text and any(mark in text for mark in _DECODING):
        return True
    return any(mark in text for mark in _HIDING) or ("$" in text and any(mark in text for mark in _FILLING))


def _command(call, words):
    if call.kind != "shell":
        return call.kind in ("mcp", "other", "agent", "web") and _holds(str(call.args), words + _HIDING + ("$",))
    for key in COMMAND_KEYS:
        value = call.args.get(key)
        text = value if isinstance(value, str) else " ".join(map(str, value)) if isinstance(value, list) else ""
        if text and (_hides(text) or _holds(text.translate(_QUOTES) + " ", words)):
            return True
    return False


def _writes(call, words):
    if call.kind == "patch":
        return any(isinstance(call.args.get(key), str) and _holds(call.args[key], words) for key in PATCH_KEYS)
    if call.kind not in ("write", "edit", "mcp", "other"):
        return False
    return any(isinstance(call.args.get(key), str) and _holds(call.args[key], words) for key in PATH_KEYS)
