# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which packages a command would install, and the word about them that a session gets once for each set of packages. It never denies."""

from __future__ import annotations

from agentihooks import shell
from agentihooks.context_text import one_line
from agentihooks.programs import interpreter
from agentihooks.shell_walk import command_texts, steps

MAX_SHOWN = 20
# Program -> the words after it that install what follows. pacman: an option.
_VERBS = {
    "pip": ("install",), "pip3": ("install",), "pipx": ("install", "inject"), "uv": ("add", "pip install", "tool install"), "poetry": ("add",),
    "npm": ("install", "i", "add"), "yarn": ("add", "global add"), "pnpm": ("add", "install", "i"), "cargo": ("add", "install"), "go": ("get", "install"),
    "gem": ("install",), "apt": ("install",), "apt-get": ("install",), "brew": ("install",), "dnf": ("install",), "yum": ("install",), "apk": ("add",),
    "pacman": ("-S", "-Sy", "-Syu", "--sync"),
}  # fmt: skip
# What only looks, or asks about the program.
_LOOKING = ("--help", "-h", "--version", "--dry-run", "--show", "list", "--download-only", "--print-uris")
# Options whose next word is no package, of any of the programs.
_VALUED = frozenset(
    """-r --requirement -c --constraint -e --editable -i --index-url --extra-index-url -f --find-links -t --target --prefix --root --python -p
    --registry --group -G --source --features -F --git --branch --tag --rev --path --version --repository -X --channel --config""".split()
)
_TITLE = (
    "agentihooks: this command installs packages (%s). Before you rely on one: its name must be the one its project's documentation names "
    "(look-alike names are a known attack), a fixed version is better than any, and the lock file belongs to the change."
)


def offers(event, home):
    """Return {item: text} for what the calls of an event install; item: the same for the same packages."""
    found = {}
    for call in event.calls:
        for text in command_texts(call):
            for step in steps(text, home, event.cwd):
                program, names = packages(step)
                if names:
                    found[_item(program, names)] = _TITLE % "%s: %s" % (program, _listed(names))
    return found


def packages(step):
    """Return (program, the packages that a step installs), ("", []) for none."""
    program, words = step.program, step.words
    if interpreter(program) == "python" and words[:1] == ["-m"] and words[1:2] in (["pip"], ["pipx"], ["uv"], ["poetry"]):
        program, words = words[1], words[2:]
    if program not in _VERBS or step.via or any(word in _LOOKING for word in words):
        return "", []
    for verb in _VERBS[program]:
        rest = _after(words, verb.split())
        if rest is not None:
            return program, _names(rest)
    return "", []


def _after(words, verb):
    """Return the words after a verb, options before it left out; None when it is not there."""
    position = 0
    for wanted in verb:
        while position < len(words) and words[position] != wanted and words[position].startswith("-"):
            position += 1
        if words[position : position + 1] != [wanted]:
            return None
        position += 1
    return words[position:]


def _names(words):
    """Return the packages among the words: no option, no file, nothing that only running would tell."""
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _VALUED
        elif word and not word.startswith((".", "/", "~")) and shell.UNKNOWN not in word and word not in found:
            found.append(word)
    return found


def _listed(names):
    more = ", and %d more" % (len(names) - MAX_SHOWN) if len(names) > MAX_SHOWN else ""
    return ", ".join(one_line(name, 80) for name in names[:MAX_SHOWN]) + more


def _item(program, names):
    from hashlib import sha256

    return "dependency:" + sha256("\0".join([program] + sorted(names)).encode("utf-8", "replace")).hexdigest()[:16]
