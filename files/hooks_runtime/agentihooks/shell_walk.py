# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every simple command that a command text starts, however deeply it is wrapped: sh -c, eval, xargs, ssh, docker exec, scripts
that the same text writes first. Pure; the parsing is shell.py's, what programs do with their words is programs.py's.
"""

from __future__ import annotations

from agentihooks import shell
from agentihooks.programs import (
    CLUSTERS, CONTAINERS, SHELLS, codes, inner_command, interpreter, program_of, quoted, recipes, shell_texts, unwrapped,
)
from agentihooks.vocabulary import COMMAND_KEYS, DIRECTORY_KEYS

MAX_DEPTH = 8
COMMAND_NAMES = ("command", "cmd", "script", "shell", "bash", "commandline", "command_line", "shell_command", "cmdline", "exec", "run", "executable")
_WORDS = ("args", "argv", "arguments")
# What is typed into a terminal, where the tool's name says that there is one.
_TYPED = ("input", "text", "keys", "data", "chars", "line")
_TERMINALS = ("term", "shell", "tmux", "screen", "console", "pty", "bash", "zsh", "ssh", "repl", "send_keys", "command", "process")
# A text in quotes, in perl's q(...), in Tcl's braces.
_LITERAL = (
    r"([\"'`])((?:(?!\1)[^\\\n]|\\.){1,2000})\1"
    r"|\bqx?q?([~|!#/%^\x01])((?:(?!\3)[\s\S]){1,2000})\3|\bqx?q?\(([^()]{1,400})\)|\{((?:[^{}\n]|\{[^{}\n]{0,200}\}){3,400})\}"
)


class Step:
    """One simple command on the way.

    command: what really runs, behind sudo, env, xargs and the like; whole: as it is written. fed: xargs adds to its words.
    via: where it runs: "" here, "ssh", "docker exec", "docker run", "kubectl exec" elsewhere.
    """

    __slots__ = ("command", "whole", "fed", "via")

    def __init__(self, command, whole, fed, via):
        self.command = command
        self.whole = whole
        self.fed = fed
        self.via = via

    @property
    def program(self):
        """The base name of the program, "" for none."""
        return program_of(self.command)

    @property
    def words(self):
        """The texts of its arguments, and of those that xargs adds where these can be known (UNKNOWN where they cannot)."""
        words = [word.text for word in self.command.words[1:]]
        return words + self.added() if self.fed else words

    def added(self):
        """Return the words that xargs adds."""
        fed = " ".join(self.command.feeds).split()
        if not fed and self.command.piped_from is not None:
            text = shell.piped_text(self.command)
            fed = shell.listed(self.command.piped_from) if text == shell.UNKNOWN else text.split()
        return fed or [shell.UNKNOWN]


class Scripts:
    """What the commands before wrote into files, in case one of the next runs it."""

    def __init__(self):
        self.files = {}  # path -> text

    def note(self, command):
        """Remember what a command writes, or copies of what was written."""
        program = program_of(command)
        if self.files and program in ("cp", "mv", "ln", "install", "cat", "tee"):
            self.copied(command, program)
        if not command.writes and program != "tee":
            return
        if command.feeds and program in ("cat", "tee", ""):
            text = command.feeds[0]
        elif program in ("echo", "printf"):
            text = shell.output([command], True)
        else:
            text = shell.piped_text(command)
            if program != "tee":
                bare = inner_command(command, command.words)
                bare.writes = []
                text = shell.output([bare]) if text == shell.UNKNOWN else shell.filtered(text, [word.text for word in command.words])
        if shell.UNKNOWN in text:
            return
        targets = command.writes + (command.words[1:] if program == "tee" else [])
        for word in targets[:20]:
            path = _place(command.cwd, word.text)
            if shell.UNKNOWN not in path:
                self.files[path] = self.files.get(path, "") + text + "\n"

    def copied(self, command, program):
        words = [word.text for word in command.words[1:] if not word.text.startswith("-")]
        targets = [word.text for word in command.writes] if program in ("cat", "tee") else words[-1:]
        for word in words[:20] + [word.text for word in command.reads]:
            text = self.text(command.cwd, word)
            for target in targets if text else ():
                if target != word:
                    for path in (target, target.rstrip("/") + "/" + word.rpartition("/")[2]):
                        self.files.setdefault(_place(command.cwd, path), text)

    def taken(self, command):
        """Return the text of the script that a command runs, "" when it is not known; given once, a script may start itself."""
        if not self.files:
            return ""
        for path in _run_by(command):
            text = self.files.pop(_place(command.cwd, path), "")
            if text:
                return text
        program = program_of(command)
        if command.words and "/" not in command.words[0].text:  # by its name, from a directory of PATH
            names = [path for path in self.files if path.rpartition("/")[2] == program]
            if names:
                return self.files.pop(names[0])
        for path in [path for path in self.files if "/hooks/" in path] if program == "git" else ():
            return self.files.pop(path)
        if program in ("make", "gmake"):
            for path in [path for path in self.files if path.rpartition("/")[2].lower() in ("makefile", "gnumakefile") or path.endswith(".mk")]:
                return recipes(self.files.pop(path))
        return ""

    def text(self, cwd, path):
        """Return what was written to path, "" for nothing."""
        return self.files.get(_place(cwd, path), "")


def _run_by(command):
    """Return the paths of the scripts that a command may run: as its program or argument, on stdin, through cat, as a shell's start file."""
    found = [script_of(command)]
    program = program_of(command)
    found += [word.text for name, word in command.assigns if name in ("BASH_ENV", "ENV") and word is not None]
    if program in SHELLS or interpreter(program):
        found += [word.text for word in command.reads]
        before = command.piped_from
        if before is not None and program_of(before) in ("cat", "tac", "head", "tail"):
            found += [word.text for word in before.words[1:]]
    if program == "cat" and command.parent is not None and program_of(command.parent) in ("eval", "source", ".") + tuple(SHELLS):
        found += [word.text for word in command.words[1:]]
    return [path for path in found if path]


def steps(text, home, cwd=""):
    """Return the Steps of a command text as far as they can be followed: what is nested too deeply, the credential guard denies.

    Several guards ask about the same call, so the last answer is kept.
    """
    key = (text, home, cwd)
    if key not in _LAST:
        found = []
        try:
            for step in walk(text, home, cwd):
                found.append(step)
        except (shell.TooComplex, RecursionError):
            pass  # what came before is still judged
        _LAST.clear()
        _LAST[key] = found
    return _LAST[key]


_LAST = {}


def walk(text, home, cwd="", scripts=None, depth=0, variables=None, source=None, via=""):
    """Yield a Step for each command in text, in the order in which they run. Raises shell.TooComplex, RecursionError."""
    if depth > MAX_DEPTH:
        raise shell.TooComplex
    scripts = Scripts() if scripts is None else scripts
    variables = {"HOME": [shell.Word(home)]} if variables is None else variables
    commands = shell.parse(text, home, cwd, variables)
    attach(commands, source)
    for whole in commands:
        command, fed = unwrapped(whole)
        there = via or _elsewhere(whole, command)
        texts = shell_texts(command) + (shell_texts(whole) if whole is not command else [])
        script = scripts.taken(command)
        texts += [script] if script and not is_code(script) else []
        for inner in texts:
            place = shell.UNKNOWN if there and not via else command.cwd
            yield from walk(inner, home, place, scripts, depth + 1, inherited(variables, command), command, there)
        scripts.note(command)
        yield Step(command, whole, fed, there)
        if interpreter(program_of(command)):
            pieces, files = codes(command)
            for code in pieces + [scripts.text(command.cwd, name) for name in files]:
                for inner in commands_in_code(code):
                    yield from walk(inner, home, command.cwd, scripts, depth + 1, dict(variables), None, there)


def inherited(variables, command):
    """Return the variables that a text sees which a command runs: those of the text around it, and the command's own."""
    own = {name: [word] for name, word in command.assigns if word is not None}
    own.update((word.text.partition("=")[0], [shell.Word(word.text.partition("=")[2], word.names)]) for word in command.words[1:4] if "=" in word.text)
    return dict(variables, **{name: words for name, words in own.items() if shell.is_name(name)})


def attach(commands, source):
    """Connect the commands of a nested text to what the command that runs it reads and writes."""
    if source is None or not commands:
        return
    first, last = commands[0], commands[-1]
    if not first.feeds and not first.reads:
        first.feeds, first.fed_names = source.feeds, source.fed_names
        first.piped_from = first.piped_from or source.piped_from
    if last.piped_into is None:
        last.piped_into = source.piped_into
        last.writes = last.writes or source.writes


def _elsewhere(whole, command):
    words = [word.text.rpartition("/")[2] for word in whole.words]
    if words[:1] == ["ssh"] or "ssh" in words[:4]:
        return "ssh"
    outer = words[: len(words) - len(command.words)]
    for name in outer:
        if name in CONTAINERS or name in CLUSTERS:
            return name + (" exec" if "exec" in outer else " run")
    return ""


def commands_in_code(text, depth=0):
    """Return the command texts that may stand in a program text of another language: whole literals, and lists of literals.

    Literals are also decoded (base64, hex), and looked into where they are program texts themselves.
    """
    if not any(mark in text for mark in ("'", '"', "`", "{", "q")):
        return []
    import re

    texts = [text]
    if any(mark in text for mark in ("64", "hex", "atob", "pack", "\\x", "chr(")):
        from agentihooks.program_texts import variants

        texts += [variant for variant in variants(text) if variant != text]
    found = []
    for variant in texts[:20]:
        if variant.startswith("'") and variant.endswith("'") and len(variant) > 2:
            found.append(variant[1:-1])  # a literal that was decoded
        words, end = [], None
        for match in re.finditer(_LITERAL, variant):
            literal = match.group(2) if match.group(1) else next(filter(None, match.groups()[3:]), "")
            if "\\" in literal:
                literal = shell.unescaped(literal) if match.group(1) else literal
            if " " in literal or "\t" in literal or "\n" in literal:
                found.append(literal)
                if depth < 2 and ("'" in literal or '"' in literal) and "(" in literal:
                    found += commands_in_code(literal, depth + 1)
            if end is not None and not variant[end : match.start()].strip(" \t\n,[("):
                words.append(literal)
            else:
                found += [" ".join(quoted(word) for word in words)] if len(words) > 1 else []
                words = [literal]
            end = match.end()
            if len(found) > 100:
                break
        found += [" ".join(quoted(word) for word in words)] if len(words) > 1 else []
    return found


def command_texts(call):
    """Return the command texts in the arguments of one call: of a shell tool, or of another one by the names of its arguments."""
    if call.kind == "shell":
        found = [text for text in (command_text(call.args.get(key)) for key in COMMAND_KEYS) if text]
        return [_inside(call.args) + text for text in found]
    if call.kind in ("mcp", "other", "agent", "web"):
        typed = call.kind == "mcp" and any(mark in call.name.lower() for mark in _TERMINALS)
        return _named(call.args, COMMAND_NAMES + _TYPED if typed else COMMAND_NAMES)
    return []


def _named(args, names):
    found = []
    if isinstance(args, dict):
        language = next((value.lower() for name, value in args.items() if name.lower() in ("language", "lang") and isinstance(value, str)), "")
        if language in SHELLS:
            names = names + ("code", "source")
        rest = [value for name, value in args.items() if name.lower() in _WORDS and isinstance(value, list)]
        program = [value for name, value in args.items() if name.lower() in names + ("program",) and isinstance(value, str)] if rest else []
        if rest:
            found.append(command_text(program[:1] + [item for item in rest[0] if isinstance(item, str)]))
        for name, value in args.items():
            if name.lower() in names or (name.lower().endswith("s") and name.lower()[:-1] in names and isinstance(value, list)):
                found.append(command_text(value))
                found += [item for item in value if isinstance(item, str)] if isinstance(value, list) and name.lower() not in names else []
            if isinstance(value, (dict, list)):
                found += _named(value, names)
        found = [_inside(args) + text for text in found if text]
    elif isinstance(args, list):
        for value in args:
            found += _named(value, names)
    return [text for text in found if text]


def _inside(args):
    """Return the text of a cd into the directory that a call names for its command, "" for none."""
    for key in DIRECTORY_KEYS:
        if isinstance(args.get(key), str) and args[key].strip():
            path = args[key]
            return "cd %s\n" % ('"$HOME"' + quoted(path[1:]) if path[:2] in ("~", "~/") else quoted(path))
    return ""


def command_text(value):
    """Return a command given as text or as a list of words, "" for anything else."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(quoted(item) for item in value)
    return value if isinstance(value, str) else ""


def is_code(text):
    """Return whether a script is for an interpreter that is no shell."""
    first = text[:200].partition("\n")[0]
    return first.startswith("#!") and any(interpreter(word.rpartition("/")[2]) for word in first[2:].split())


def _place(cwd, path):
    """Return one spelling for a path, to find again what was written there."""
    return shell.join(cwd, path).replace("/./", "/").replace("//", "/") if not path.startswith("./") else _place(cwd, path[2:])


def script_of(command):
    """Return the path of the shell script that a command runs, "" for none."""
    words, program = [word.text for word in command.words], program_of(command)
    if program in ("source", ".") or program in SHELLS:
        return next((word for word in words[1:] if not word.startswith("-")), "")
    return words[0] if words and "/" in words[0] else ""
