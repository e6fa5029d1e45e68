# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command text -> every simple command in it at any depth: behind sudo and env, in sh -c, eval, heredocs, xargs, find -exec, ssh,
containers, and in scripts that the text itself writes first. Pure; nothing is run.
"""

from __future__ import annotations

from agentihooks import shell
from agentihooks.programs import SHELLS, program_of, shell_texts, unwrapped

MAX_DEPTH = 8


class Step:
    """One simple command. command: what runs in the end. whole: the same with the wrappers (sudo, env, xargs) in front of it.

    fed: whether xargs or parallel gives it more arguments.
    """

    __slots__ = ("command", "whole", "fed")

    def __init__(self, command, whole, fed):
        self.command = command
        self.whole = whole
        self.fed = fed


class Walk:
    """Walks one call's command texts. written: path -> the text that a command before wrote there, None when it is not known."""

    def __init__(self, home, cwd, variables):
        self.home = home
        self.cwd = cwd
        self.variables = variables
        self.written = {}
        self._running = set()

    def steps(self, text, depth=0, cwd=None, variables=None, source=None):
        """Yield the Steps of a text. Raises shell.TooComplex."""
        if depth > MAX_DEPTH:
            raise shell.TooComplex
        cwd = self.cwd if cwd is None else cwd
        variables = dict(self.variables if variables is None else variables)
        commands = shell.parse(text, self.home, cwd, variables)
        if source is not None and commands and not commands[0].feeds and not commands[0].reads:
            commands[0].feeds, commands[0].piped_from = source.feeds, commands[0].piped_from or source.piped_from
        if source is not None and commands and commands[-1].piped_into is None:
            commands[-1].writes = commands[-1].writes or source.writes
        for whole in commands:
            command, fed = unwrapped(whole)
            yield Step(command, whole, fed)
            texts = shell_texts(command) + (shell_texts(whole) if whole is not command else [])
            script = self._script(command)
            if script:
                texts.append(self.written[script])
                self._running.add(script)
            for inner in texts:
                for step in self.steps(inner, depth + 1, command.cwd, variables, command):
                    yield step
            self._running.discard(script)
            self._note(command)

    def _script(self, command):
        """Return the path of the script that a command runs, when the text wrote it first; "" otherwise."""
        if not self.written:
            return ""
        words, program = [word.text for word in command.words], program_of(command)
        path = words[0] if words and "/" in words[0] else ""
        if program in SHELLS or program in ("source", "."):
            path = next((word for word in words[1:] if not word.startswith("-")), "")
        path = place(command.cwd, path)
        return path if self.written.get(path) and path not in self._running else ""

    def _note(self, command):
        targets = command.writes + (command.words[1:] if program_of(command) == "tee" else [])
        if targets:
            text = printed(command)
            for word in targets[:20]:
                path = place(command.cwd, word.text)
                before = self.written.get(path, "")
                self.written[path] = None if text is None or before is None else before + text


def printed(command):
    """Return the text that a command prints (cat, echo, printf, tee and pipelines of them), None when only running it would tell."""
    program = program_of(command)
    if program in ("cat", "tee") and command.feeds:
        text = command.feeds[0]
    elif program in ("echo", "printf"):
        text = shell.output([command], True)
        text = text if text == shell.UNKNOWN or program == "printf" else text + "\n"
    elif program in ("cat", "tee", "base64", "rev", "xxd") and command.piped_from is not None:
        words = [word.text for word in command.words] if program != "tee" else ["cat"]
        text = shell.filtered(shell.piped_text(command), words)
    elif not program:
        text = ""  # a redirection alone empties the file
    else:
        return None
    return None if shell.UNKNOWN in text or shell.STAR in text or shell.ONE in text else text


def place(cwd, path):
    """Return one spelling for a path as seen from cwd, to find again what was written there; "" for none."""
    if not path:
        return ""
    parts = []
    for part in shell.join(cwd, path).split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if shell.join(cwd, path).startswith("/") else "") + "/".join(parts)
