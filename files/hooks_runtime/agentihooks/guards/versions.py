# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Version numbers: a release sets them, not a change on the way. A manifest that is new may have any."""

from __future__ import annotations

import re

from agentihooks import shell
from agentihooks.file_writes import base_name, text_before, writes
from agentihooks.rules import Rule, by_id
from agentihooks.shell_walk import command_texts, steps

MANIFESTS = ("pyproject.toml", "package.json", "cargo.toml", "setup.cfg", "setup.py", "version.txt", "version")
# The keys of a manifest that hold the number of what is made there; python_version and the like say what it needs.
KEYS = ("version", "current_version", "app_version", "project_version", "package_version", "release_version", "__version__")
_DYNAMIC = r"dynamic\s{0,9}=\s{0,9}\[[^\]]{0,400}['\"]version['\"]|setuptools[_-]scm|use_scm_version|hatch-vcs"
_LITERAL = r"['\"]?\b(%s)['\"]?\s{0,9}[:=]\s{0,9}['\"]?([^'\",\s]{1,80})" % "|".join(KEYS)
# Program -> verbs that set the number when a word follows, and verbs that do so alone.
_COMMANDS = {
    "npm": (("version",), ()), "pnpm": (("version",), ()), "yarn": (("version",), ("version",)), "poetry": (("version",), ()), "hatch": (("version",), ()),
    "uv": (("version",), ()), "cargo": ((), ("set-version", "release")), "bump2version": ((), ("",)), "bumpversion": ((), ("",)),
    "bump-my-version": ((), ("bump", "replace")), "cz": ((), ("bump",)), "standard-version": ((), ("",)), "release-it": ((), ("",)),
    "lerna": ((), ("version",)), "semantic-release": ((), ("version", "publish")), "changeset": ((), ("version",)),
}  # fmt: skip
_LOOKING = ("--help", "-h", "--dry-run", "-n", "--short", "-s", "--json", "show")
_WAY_OUT = "Leave the number as it is: the release workflow sets it. If it has to change now, ask the person to do it."

RULES = by_id(
    Rule("version.file", "this changes the version number in %s.", _WAY_OUT,
         {"tool": "edit", "args": {"path": "pyproject.toml", "old_str": '"1.0.0"', "new_str": '"1.1.0"'},
          "files": {"pyproject.toml": '[project]\nname = "x"\nversion = "1.0.0"\n'}},
         {"tool": "create", "args": {"path": "pyproject.toml", "file_text": '[project]\nversion = "1.0.0"\n'}}),
    Rule("version.command", "this sets a new version number (%s).", _WAY_OUT,
         {"tool": "bash", "args": {"command": "npm version patch"}, "files": {"package.json": '{"version": "1.0.0"}'}}, "npm version --help"),
)  # fmt: skip


def check(event, context):
    """Return the Denies for the calls of one event."""
    found = []
    for call in event.calls:
        changed = [write.path for write in writes(call, event.cwd, context, lambda name: name.lower() in MANIFESTS) if changes_version(write)]
        if changed:
            found.append(RULES["version.file"].deny(base_name(changed[0])))
            continue
        command = _bumps(call, event.cwd, context)
        if command:
            found.append(RULES["version.command"].deny(command))
    return found


def changes_version(write):
    """Return whether a write to a manifest that was there changes or takes out a version number in it."""
    if write.before is None:
        return False
    name = base_name(write.path).lower()
    if write.after is None:
        removed, added = (literals(name, text) for text in (write.removed, write.added))
        if not write.removed and name not in ("version", "version.txt"):  # the text of a program: sed 's/version = "1.0"/.../'
            numbers = [value for values in numbers_in(name, write.before).values() for value in values]
            return re.search(r"\b(?:%s)\b" % "|".join(KEYS), write.added) is not None or any(_mentions(write.added, number) for number in numbers)
        return removed != added if write.removed else bool(write.added)
    before, after = numbers_in(name, write.before), numbers_in(name, write.after)
    if re.search(_DYNAMIC, write.after) and not re.search(_DYNAMIC, write.before):
        return any(after.get(key) not in (None, values) for key, values in before.items())
    return any(after.get(key) != values for key, values in before.items())


def _mentions(text, number):
    return len(number) > 2 and (number in text or number.replace(".", "\\.") in text)


def literals(name, text):
    """Return the version literals in a piece of a manifest, a sorted list of texts."""
    return [text.strip()] if name in ("version", "version.txt") else sorted(value for _key, value in re.findall(_LITERAL, text))


def numbers_in(name, text):
    """Return the version numbers in a manifest: place -> list of texts. By its lower-case base name."""
    if name in ("version", "version.txt"):
        return {"": [text.strip()]} if text.strip() else {}
    found = {}
    if name == "package.json":
        import json

        try:
            _in_json(json.loads(text), "", found)
            return found
        except (ValueError, RecursionError):
            return {"": literals(name, text)} if literals(name, text) else {}
    if name == "setup.py":
        return {"": literals(name, text)} if literals(name, text) else {}
    section = ""
    for line in text.split("\n"):
        header = re.match(r"\s*\[+([^\]]{1,200})\]+", line)
        if header:
            section = header.group(1).replace('"', "").replace(" ", "")
            continue
        key, equals, value = line.partition("=")
        key = key.strip().strip("\"'")
        if equals and key in KEYS and "dependencies" not in section and "dependency" not in section:
            value = value.strip()
            literal = re.match(r"(['\"])(.*?)\1", value)
            found.setdefault(section + "." + key, []).append(literal.group(2) if literal else value.partition("#")[0].strip())
    return found


def _in_json(value, place, found):
    if isinstance(value, dict):
        for key, item in value.items():
            if "ependencies" in key or key in ("engines", "overrides", "resolutions", "volta"):
                continue
            if key in KEYS and isinstance(item, str):
                found.setdefault(place + "." + key, []).append(item)
            else:
                _in_json(item, place + "." + key, found)


def _bumps(call, cwd, context):
    """Return the command in a call that sets a new version number, "" for none."""
    for text in command_texts(call):
        for step in steps(text, context.home, cwd):
            words = [step.program] + step.words
            if not step.via and _is_bump(words) and _has_manifest(step.command.cwd, context):
                return " ".join(words).replace(shell.UNKNOWN, "...")
    return ""


def _is_bump(words):
    if words[0] == "bun" and words[1:3] == ["pm", "version"]:
        words = ["npm"] + words[2:]
    if words[0] not in _COMMANDS or any(word in _LOOKING for word in words[1:]):
        return False
    followed, alone = _COMMANDS[words[0]]
    plain = [word for word in words[1:] if not word.startswith("-")] + [""]
    if plain[0] in alone or "" in alone:
        return words[0] != "yarn" or len(plain) > 2 or any(word in ("--patch", "--minor", "--major", "--new-version") for word in words)
    return plain[0] in followed and (len(plain) > 2 or any(word.startswith("--bump") for word in words))


def _has_manifest(cwd, context):
    names = ("package.json", "pyproject.toml", "Cargo.toml", "setup.cfg", "setup.py", "VERSION", "version.txt", ".bumpversion.cfg", "lerna.json")
    return shell.UNKNOWN not in cwd and any(text_before(name, cwd, context)[1] for name in names)
