# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files decide whether the guards run, and which of their keys do. Pure.

Facts: docs/hook-contract.md. disableAllHooks in a trusted repository's settings silences every hook of Copilot, the person's
included, and nothing in the home wins it back; Codex runs no hook with features.hooks = false or without its hash in hooks.state.
"""

from __future__ import annotations

import json
import re

from agentihooks.config_homes import HOMES
from agentihooks.credential_paths import matches, parts_of
from agentihooks.shell import ONE, STAR, UNKNOWN

# Kinds of files.
GUARD = "guard"  # nothing in it may change
REPOSITORY = "repository"  # hooks and rules that a repository brings along
JSON_SETTINGS = "json"  # some keys decide
TOML_SETTINGS = "toml"
SHELL_START = "start"  # what a login shell reads: it may move the CLIs' configuration elsewhere

DATA = ".agentihooks"
_IN_COPILOT_HOME = (
    "hooks", "agentihooks-hook.sh", "config.json", ".agentihooks-managed.json", ".agentihooks-managed.json.bak", ".agentihooks-originals.json",
)
_IN_CODEX_HOME = (
    "hooks.json", "agentihooks-hook.sh", "rules", "requirements.toml", "managed_config.toml", ".agentihooks-managed.json",
    ".agentihooks-managed.json.bak", ".agentihooks-originals.json",
)
_SYSTEM = ("/etc/codex", "/etc/ld.so.preload")
_SHELL_STARTS = frozenset(
    """.bashrc .bash_profile .bash_login .profile .zshrc .zprofile .zshenv .zlogin config.fish environment .pam_environment bash.bashrc
    .bash_aliases .envrc""".split()
)
# Parts that a path must end in, anywhere. The last may be any file with that ending.
_REPOSITORY_SETTINGS = ((".github", "copilot", ".json"), (".claude", ".json"))
JSON_NAMES = ("settings.json", "settings.local.json")

# Top-level keys of Copilot's settings. What switches hooks off is never the model's to change; hooks that a repository
# brings along may be allowed by the person.
OFF_KEYS = ("disableAllHooks", "disabledHooks")
HOOKS_KEY = "hooks"

_TOML_KEYS = re.compile(r"(?:hooks|trust_level|trusted_hash|\brules|requirements\w*)[\"']?\s*=", re.IGNORECASE)
_TOML_TABLE = re.compile(r"^\s*\[\[?\s*(.*?)\s*\]\]?\s*(?:#.*)?$")
_ELSEWHERE = re.compile(
    r"\b(?:COPILOT_HOME|CODEX_HOME|AGENTIHOOKS_\w+|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)\b\s*=|\b(?:alias|function)\s+(?:copilot|codex|agentihooks)\b"
    r"|\b(?:copilot|codex|agentihooks)\s*\(\s*\)|set\s+(?:-\w+\s+)+(?:COPILOT_HOME|CODEX_HOME|AGENTIHOOKS_\w+)\b"
)
_SHOWN = 80  # characters of a key's name


class Places:
    """The protected places of one account, as paths in lower-case parts."""

    def __init__(self, home, data_directory, environ, realpath=None):
        """realpath: function path -> path without links; with it the places count where links lead, too."""
        homes = [home.rstrip("/")] if home else []
        if data_directory.rpartition("/")[2] == DATA and data_directory.rpartition("/")[0] not in homes:
            homes.append(data_directory.rpartition("/")[0])
        self.copilot = [item + "/" + HOMES["copilot"][1] for item in homes] + _absolute(environ.get(HOMES["copilot"][0]))
        self.codex = [item + "/" + HOMES["codex"][1] for item in homes] + _absolute(environ.get(HOMES["codex"][0]))
        data = [item + "/" + DATA for item in homes] + _absolute(environ.get("AGENTIHOOKS_HOME")) + _absolute(data_directory)
        guards = data + list(_SYSTEM)
        guards += [place + "/" + name for place in self.copilot for name in _IN_COPILOT_HOME]
        guards += [place + "/" + name for place in self.codex for name in _IN_CODEX_HOME]
        settings = [(place + "/" + name, JSON_SETTINGS) for place in self.copilot for name in JSON_NAMES]
        settings += [(place + "/config.toml", TOML_SETTINGS) for place in self.codex]
        if realpath:
            guards += [realpath(place) for place in guards] + [realpath(place + "/hooks/agentihooks.json") for place in self.copilot]
            settings += [(realpath(place), kind) for place, kind in settings]
            self.copilot, self.codex = self.copilot + list(map(realpath, self.copilot)), self.codex + list(map(realpath, self.codex))
        settings += [(place + "/%s.config.toml" % STAR, TOML_SETTINGS) for place in self.codex]
        self.guards = _unique(guards)
        self.configuration = _unique(self.copilot + self.codex)
        self.settings = [(tuple(parts_of(place)), kind) for place, kind in settings]

    def kind(self, path, cwd=""):
        """Return what kind of protected file path is or may be (wildcards), "" for none."""
        parts = parts_of(path, cwd)
        if not parts or parts == ["/"]:
            return ""
        if DATA in parts or any(_starts_with(parts, place) for place in self.guards):
            return GUARD
        for place, kind in self.settings:
            if len(parts) == len(place) and all(matches(one, other) or matches(other, one) for one, other in zip(parts, place)):
                return kind
        return _by_name(parts)

    def above(self, path, cwd=""):
        """Return "configuration" for the configuration home of a CLI, "home" for a directory above one, "" for any other."""
        parts = parts_of(path, cwd)
        if any(len(parts) == len(place) and _starts_with(parts, place) for place in self.configuration):
            return "configuration"
        places = self.guards + self.configuration
        return "home" if any(len(parts) < len(place) and _starts_with(parts, place[: len(parts)]) for place in places) else ""


def _by_name(parts):
    name = parts[-1]
    if name in HOMES and parts[-2:-1] == ["bin"]:
        return GUARD  # a program of that name before the CLI's own would start it without its guards
    for tail in _REPOSITORY_SETTINGS:
        above = list(tail[:-1])
        if parts[-1 - len(above) : -1] == above and any(matches(name, one) for one in JSON_NAMES):
            return JSON_SETTINGS
    if ".github" in parts[:-1] and parts[parts.index(".github") + 1] == "hooks" and len(parts) > parts.index(".github") + 2:
        return REPOSITORY
    if ".codex" in parts[:-1]:
        below = parts[parts.index(".codex") + 1 :]
        if below[0] == "rules" or (len(below) == 1 and matches(below[0], "hooks.json")):
            return REPOSITORY
        if len(below) == 1 and matches(below[0], "config.toml"):
            return TOML_SETTINGS
    if name in _SHELL_STARTS or ("environment.d" in parts[:-1] and name.endswith(".conf")):
        return SHELL_START
    return ""


def decided(kind, before, after):
    """Return the keys that a file of a kind would get another value for, of those that decide about hooks.

    A list of (key, whether it may switch guards off). before, after: the file's text, "" for no file.
    """
    if kind == JSON_SETTINGS:
        return _json_keys(before, after)
    if kind == TOML_SETTINGS:
        return [(_name(line.partition("=")[0]), True) for line in sorted(set(_toml_lines(after)) ^ set(_toml_lines(before)))][:1]
    if kind == SHELL_START:
        new = [match.group() for match in _ELSEWHERE.finditer(after)]
        old = [match.group() for match in _ELSEWHERE.finditer(before)]
        return [(_name(item), True) for item in new if new.count(item) > old.count(item) or not before][:1]
    return []


def speaks_of_hooks(text):
    """Return whether a text may hold one of the keys, however JSON or TOML spells it."""
    return "hook" in _plain(text).lower()


def load(text):
    """Return the JSON object in text, which may hold comments, trailing commas and a BOM, {} for an empty one. None for no object."""
    if not text.strip():
        return {}
    try:
        found = json.loads(_bare(text.lstrip("\ufeff")))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _bare(text):
    """Return JSON without comments and trailing commas."""
    kept = []
    for piece in _PIECES.findall(text):
        if piece[:2] in ("//", "/*"):
            continue
        if piece in ("}", "]"):
            while kept and kept[-1].isspace():
                kept.pop()
            if kept and kept[-1] == ",":
                kept.pop()
        kept.append(piece)
    return "".join(kept)


# Strings, comments, blanks, whatever stands between them. Each piece can be read in one way only: no backtracking.
_PIECES = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|//[^\n]*|/\*(?:[^*]+|\*(?!/))*(?:\*/)?|\s+|[^\s"/,}\]]+|.', re.DOTALL)


def _json_keys(before, after):
    old, new = load(before), load(after)
    if new is None:
        # What it holds depends on how the CLI reads it: as long as nothing in it speaks of hooks that does not matter.
        return [("hooks", True)] if speaks_of_hooks(after) and after != before else []
    old = old or {}
    found = []
    for key in OFF_KEYS:
        if key in new and new[key] not in (False, [], None) and (key not in old or old[key] != new[key]):
            found.append((key, True))
    if new.get(HOOKS_KEY) != old.get(HOOKS_KEY) and (new.get(HOOKS_KEY) or old.get(HOOKS_KEY)):
        found.append((HOOKS_KEY, False))
    return found


def _toml_lines(text):
    """Return the lines that decide about hooks and trust, each with the table it stands in."""
    found, table = [], ""
    for line in text.split("\n"):
        plain = _plain(line).strip()
        header = _TOML_TABLE.match(plain)
        if header:
            table = header.group(1)
        inside = re.match(r"[\"']?(?:hooks|projects)\b", table)
        if plain and not plain.startswith("#") and (inside or _TOML_KEYS.search(plain)):
            found.append("%s %s" % (table, plain))
    return found


def _plain(text):
    """Return text with the escapes of a JSON or TOML string replaced."""
    if "\\" not in text:
        return text
    return re.sub(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})", _character, text)


def _character(match):
    code = int(next(filter(None, match.groups())), 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "?"


def _name(text):
    return text[:_SHOWN].strip(" =[]")


def _starts_with(parts, place):
    """Return whether parts (with wildcards) lie at or below place."""
    return len(parts) >= len(place) and all(_may_be(part, wanted) for part, wanted in zip(parts, place))


def _may_be(part, wanted):
    if part == wanted:
        return True
    if STAR in part or ONE in part or UNKNOWN in part:
        return bool(part.strip(UNKNOWN)) and matches(part, wanted)
    return False


def _absolute(path):
    return [path.rstrip("/")] if path and path.startswith("/") and path.strip("/") else []


def _unique(paths):
    found = []
    for path in paths:
        parts = tuple(parts_of(path))
        if parts and parts not in found:
            found.append(parts)
    return found
