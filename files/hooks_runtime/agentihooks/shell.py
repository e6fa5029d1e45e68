# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""POSIX shell and bash text -> the simple commands in it, with what can be known of their words. Pure; nothing is run.

A word keeps what quoting hides: its text is what the program would get, wildcards and parts that cannot be known are marked.
Command substitutions, subshells, groups, loops and heredocs are all flattened into one list, in the order of the text.
"""

from __future__ import annotations

import re
from itertools import takewhile

# Marks inside Word.text (private use area, taken out of the input first).
STAR, ONE, UNKNOWN = "\ue000", "\ue001", "\ue002"
_BRACE_OPEN, _BRACE_COMMA, _BRACE_CLOSE, _SPLIT = "\ue003", "\ue004", "\ue005", "\ue006"
_MARKS = dict.fromkeys(map(ord, (STAR, ONE, UNKNOWN, _BRACE_OPEN, _BRACE_COMMA, _BRACE_CLOSE, _SPLIT)), "?")
_VARIABLE = re.compile("[A-Za-z_][A-Za-z0-9_]*")

MAX_DEPTH = 12
MAX_COMMANDS = 20000
MAX_TOTAL = 100000  # words in one text
MAX_WORDS = 64  # that one written word may expand to

_OPERATORS = ("&&", "||", ";;&", ";;", ";&", "|&", "|", "&", ";", "\n", "(", ")")
_KEYWORDS = frozenset("if then elif else fi while until do done { } ! case esac time coproc".split())
_PLAIN = re.compile(r"[\w/.-]*")
_ARGUMENT = re.compile(r"[A-Za-z0-9_/.@%+:-][A-Za-z0-9_/.@%+:=-]*(?=[\s;|&)]|\Z)")  # means just what is written
_SPECIAL = re.compile(r"[\\$`]")
_OPENING = {"if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac", "{": "}"}
_METACHARACTERS = frozenset(" \t\n;&|()<>")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


class TooComplex(Exception):
    """The text is nested too deeply or holds too many commands."""


class Word:
    """One word of a command.

    text: what the program gets; STAR and ONE stand for wildcards, UNKNOWN for a part that only running would tell.
    names: the variables expanded in it whose values are not known ("!x" for the one that $x names).
    content: what a process substitution in it prints, None without one.
    """

    __slots__ = ("text", "names", "content")

    def __init__(self, text, names=(), content=None):
        self.text = text
        self.names = tuple(names)
        self.content = content

    def __repr__(self):
        return "Word(%r)" % self.text


class Command:
    """One simple command.

    words: the program and its arguments. reads, writes: targets of redirections (Words); appends: those of writes that keep what is
    there. feeds: texts given to it on stdin
    (heredocs, here-strings); fed_names: the variables in these whose values are not known. piped_into: the next command of the
    pipeline, None at its end. piped_from: the one before. cwd: the directory it runs in as far as cd tells, "" for the session's.
    assigns: (name, Word) before the program. parent: the command whose word this one's output goes into, None if there is none.
    block: (start, end) in the text of the loop or group that its redirections belong to, None for a simple command.
    """

    __slots__ = (
        "words",
        "reads",
        "writes",
        "appends",
        "feeds",
        "fed_names",
        "assigns",
        "cwd",
        "piped_from",
        "piped_into",
        "parent",
        "block",
    )

    def __init__(self, cwd):
        self.words = []
        self.reads = []
        self.writes = []
        self.appends = []
        self.feeds = []
        self.fed_names = []
        self.assigns = []
        self.cwd = cwd
        self.piped_from = None
        self.piped_into = None
        self.parent = None
        self.block = None

    def __bool__(self):
        return bool(self.words or self.reads or self.writes or self.assigns)

    def __repr__(self):
        return "Command(%r)" % [word.text for word in self.words]


def parse(text, home="", cwd="", variables=None, depth=0):
    """Return the list of Commands in text. Unclosed quotes end with the text. Raises TooComplex.

    variables: name -> list of Words it may hold; those of the text are added to it.
    """
    parser = _Parser(text if _MARK_CHARS.isdisjoint(text) else text.translate(_MARKS), home, cwd, variables, depth)
    parser.run()
    return parser.commands


_MARK_CHARS = frozenset(map(chr, _MARKS))


class _Parser:
    def __init__(self, text, home, cwd, variables, depth):
        if depth > MAX_DEPTH:
            raise TooComplex
        self.text = text.replace("\r\n", "\n")
        self.position = 0
        self.home = home
        self.cwd = cwd
        self.variables = {"HOME": [Word(home)]} if variables is None else variables
        self.depth = depth
        self.commands = []
        self.total = 0
        self.heredocs = []
        self.command = Command(cwd)
        self.pipe = None
        self.stdin = None  # what the commands are fed that have nothing of their own
        self.blocks = []  # (keyword, start) of each loop, branch or group that is open
        self.conditional = False
        self.functions = {}  # name -> body
        self.function = ""  # the name that the next group belongs to
        self.arrays = {}  # name -> the elements that it was given in one list
        self.written = {}  # path -> the plain text that a command before put there
        self.dotglob = False  # wildcards match a dot in front
        self.opened = []  # what exec has opened for the commands behind it
        self.directories = []  # what pushd has left behind

    # commands

    def run(self):
        text, size = self.text, len(self.text)
        while self.position < size:
            character = text[self.position]
            if character in " \t":
                self.position += 1
            elif text.startswith("\\\n", self.position):
                self.position += 2
            elif character == "#":
                end = text.find("\n", self.position)
                self.position = size if end < 0 else end
            elif character in "<>" and not text.startswith(("<(", ">("), self.position):
                self.redirection()
            elif text.startswith("&>", self.position):
                self.redirection()
            elif character in "\n;&|()":
                self.operator()
            else:
                self.element()
        self.finish("\n")

    def operator(self):
        text = self.text
        operator = next(item for item in _OPERATORS if text.startswith(item, self.position))
        if operator == "(" and text.startswith("((", self.position) and not self.command:
            self.skip_balanced(2, "))")
            return
        self.position += len(operator)
        self.finish(operator)
        if operator == "\n" and self.heredocs:
            self.read_heredocs()

    def finish(self, operator):
        command = self.command
        if command:
            if len(self.commands) >= MAX_COMMANDS:
                raise TooComplex
            self.commands.append(command)
            if self.pipe is not None:
                command.piped_from = self.pipe
                self.pipe.piped_into = command
            elif self.stdin is not None and not command.feeds and not command.reads:
                command.feeds.append(self.stdin)
            if command.writes or self.written:
                self.note_files(command)
            self.note_effects(command)
            self.pipe = command if operator in ("|", "|&") else None
        elif operator not in ("\n", "("):
            self.pipe = None
        if command.block and command.feeds:
            self.replay(command.block, command.feeds[0])
        self.conditional = operator in ("&&", "||")
        self.command = Command(self.cwd)

    def note_files(self, command):
        """Remember the plain text that goes into a file, and feed it to a command that reads that file."""
        words = [word.text for word in command.words]
        names = [word.text for word in command.reads] + (words[1:] if words[:1] == ["cat"] else [])
        command.feeds += [self.written[name] for name in names if name in self.written]
        if words[:1] in (["echo"], ["printf"]):
            text = output([command], True)
            for word in command.writes if text != UNKNOWN else ():
                self.written[word.text] = text

    def replay(self, block, stdin):
        """Read a loop or group again, now that it is known what it is fed."""
        self.again(self.text[block[0] : block[1]], self.variables, stdin)

    def again(self, text, variables, stdin=None, without="", here=False):
        """Read a text once more. here: it runs in this shell, so that a cd in it counts."""
        inner = _Parser(text, self.home, self.cwd, variables, self.depth + 1)
        inner.stdin = stdin
        inner.functions = {name: body for name, body in self.functions.items() if name != without}
        inner.directories, inner.opened, inner.written, inner.dotglob = self.directories, self.opened, self.written, self.dotglob
        inner.run()
        self.commands += inner.commands
        if here:
            self.cwd = inner.cwd
        if len(self.commands) > MAX_COMMANDS:
            raise TooComplex

    def note_effects(self, command):
        """Follow assignments and cd, as far as they are plain."""
        words = [word.text for word in command.words]
        if not words:
            for name, word in command.assigns:
                if word is not None:
                    self.assign(name, [word])
            return
        if words[0] in ("builtin", "command") and len(words) > 1 and not words[1].startswith("-"):
            words = words[1:]
        program = words[0]
        if self.opened and not command.feeds and any(word.startswith(("/dev/fd/", "/proc/self/fd/", "/proc/$$/fd/")) for word in words):
            command.feeds += self.opened
        self.variables["_"] = [command.words[-1]]
        if program in ("cd", "pushd", "popd") and command.piped_into is None:
            self.moved(program, words, command)
        elif program in _DECLARING:
            refers = any(word[0] == "-" and "n" in word for word in words[1:] if word)
            for word in command.words[1:]:
                name, equals, value = word.text.partition("=")
                if equals and is_name(name):
                    if refers and is_name(value):
                        self.variables["&" + name] = [Word(value)]  # from now on another name of that variable
                    else:
                        self.assign(name, [Word(value, word.names)])
        elif program == "exec" and len(words) == 1:
            self.opened += command.feeds
        elif program == "alias":
            for name, _equals, value in (word.partition("=") for word in words[1:]):
                self.functions[name] = '%s "$@"' % value
        elif program == "hash" and words[1:2] == ["-p"] and len(words) > 3:
            self.functions[words[3]] = '%s "$@"' % words[2]
        elif program == "shopt" and "-s" in words and "dotglob" in words:
            self.dotglob = True
        elif program == "shift":
            count = int(words[1]) if words[1:] and words[1].isdigit() else 1
            self.set_positional(self.variables.get("@", ())[count:])
        elif program == "eval" and self.depth < 3 and len(words) > 1 and UNKNOWN not in "".join(words):
            self.again(" ".join(words[1:]), self.variables, here=True)
        elif program in ("for", "select") and len(words) > 3 and words[2] == "in" and is_name(words[1]):
            self.variables[words[1]] = command.words[3 : 3 + MAX_WORDS]
        elif program == "read":
            fed = command.feeds[0].split() if command.feeds else listed(command.piped_from)
            names = [word for word in words[1:] if is_name(word)] or ["REPLY"]
            lines = [line.strip() for line in command.feeds[0].strip().split("\n")][:MAX_WORDS] if command.feeds else []
            if "-d" in words and len(lines) > 1:
                lines.insert(0, "\n".join(lines))
            separators = [word for name, word in command.assigns if name == "IFS" and word is not None] or self.variables.get("IFS", [])[:1]
            for separator in separators[0].text if separators and len(names) > 1 else "":
                fed = [part for item in fed for part in item.split(separator)]
            for index, name in enumerate(names):
                some = (lines or fed) if len(names) == 1 else fed[index : index + 1]
                some = some + fed if any(re.fullmatch("-[a-z]*a", word) for word in words[1:]) else some
                self.variables[name] = [Word(item, command.fed_names if UNKNOWN in item else ()) for item in some[:MAX_WORDS]] or [Word(UNKNOWN)]
        elif program in ("mapfile", "readarray"):
            fed = command.feeds[0].splitlines() if command.feeds else listed(command.piped_from)
            name = next((word for word in reversed(words[1:]) if is_name(word)), "MAPFILE")
            self.variables[name] = [Word(item) for item in fed[:MAX_WORDS]] or [Word(UNKNOWN)]
        elif program == "set" and len(words) > 1 and ("--" in words or words[1][:1] not in ("-", "+")):
            self.set_positional(command.words[words.index("--") + 1 if "--" in words else 1 :])
        elif program == "printf" and words[1:2] == ["-v"] and len(words) > 3 and is_name(words[2]):
            self.assign(words[2], [Word(printed(words[3], words[4:]))])
        elif program == "unset":
            for name in words[1:]:
                self.variables.pop(name, None)
        elif program in self.functions:
            body = self.functions[program]
            body = body[:-5] if body.endswith(' "$@"') and len(words) == 1 else body
            kept = {name: value for name, value in self.variables.items() if name == "@" or name.isdigit()}
            self.set_positional(command.words[1:])
            self.again(body, self.variables, command.feeds[0] if command.feeds else None, program, here=True)
            for name in [name for name in self.variables if name == "@" or name.isdigit()]:
                del self.variables[name]
            self.variables.update(kept)

    def moved(self, program, words, command):
        """Follow cd, pushd and popd."""
        before = self.cwd
        target = next((word for word in words[1:] if not word.startswith("-") or word == "-"), None)
        if program == "popd":
            self.cwd = self.directories.pop() if self.directories else UNKNOWN
        elif target is None:
            self.cwd = self.home if program == "cd" else self.directories.pop() if self.directories else UNKNOWN
        elif target == "-":
            self.cwd = self.variables["OLDPWD"][0].text if "OLDPWD" in self.variables else UNKNOWN
        else:
            place = [word for name, word in command.assigns if name == "CDPATH" and word is not None] or self.variables.get("CDPATH", [])
            if place and place[0].text and not target.startswith((".", "/")) or place and target.startswith(".") and not target.startswith(("./", "../")):
                self.cwd = join(self.cwd, place[0].text.partition(":")[0])
            self.cwd = UNKNOWN if UNKNOWN in target else join(self.cwd, target)
        if program == "pushd":
            self.directories.append(before)
        self.variables["OLDPWD"] = [Word(before or ".")]

    def set_positional(self, words):
        for name in [name for name in self.variables if name.isdigit()]:
            del self.variables[name]
        for index, word in enumerate(words[:MAX_WORDS], 1):
            self.variables[str(index)] = [word]
        self.variables["@"] = words[:MAX_WORDS] or [Word("")]

    def assign(self, name, words):
        """Note what a variable holds; what it may still hold from before stays where the assignment depends on something."""
        name = self.referred(name)
        words = [Word(word.text, word.names or (name,)) if UNKNOWN in word.text else word for word in words]
        if self.conditional or any(keyword != "{" for keyword, _count in self.blocks):
            words = words + [word for word in self.variables.get(name, ()) if word.text not in [item.text for item in words]]
        self.variables[name] = words[:MAX_WORDS]

    def redirection(self):
        text = self.text
        if self.command.words and self.command.words[-1].text.isdigit() and text[self.position - 1].isdigit():
            self.command.words.pop()  # the number of a file descriptor
        for operator in ("<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">"):
            if text.startswith(operator, self.position):
                break
        self.position += len(operator)
        self.skip_blanks()
        if operator in ("<<", "<<-"):
            start = self.position
            words = self.word(plain=True)
            quoted = any(mark in text[start : self.position] for mark in "'\"\\")
            self.heredocs.append((self.command, words[0].text if words else "", operator == "<<-", quoted))
            return
        target = self.word()
        if not target:
            return
        if operator in ("<", "<>") and target[0].content is not None:
            self.command.feeds.append(target[0].content)
        elif operator == "<<<":
            self.command.feeds.append(" ".join(word.text for word in target) + "\n")
            self.command.fed_names += [name for word in target for name in word.names]
        elif operator in ("<", "<>"):
            self.command.reads += target
            if operator == "<>":  # it may be written to, too
                self.command.writes += target
                self.command.appends += target
        elif operator in ("<&", ">&") and (target[0].text.rstrip("-").isdigit() or target[0].text == "-"):
            return
        elif operator == "<&":
            self.command.reads += target
        else:
            self.command.writes += target
            if operator in (">>", "&>>"):
                self.command.appends += target

    def read_heredocs(self):
        waiting, self.heredocs = self.heredocs, []
        for command, delimiter, tabs, quoted in waiting:
            lines = []
            while self.position < len(self.text):
                end = self.text.find("\n", self.position)
                end = len(self.text) if end < 0 else end
                line = self.text[self.position : end]
                self.position = end + 1
                if tabs:
                    line = line.lstrip("\t")
                if line == delimiter:
                    break
                lines.append(line)
            body = "\n".join(lines) + "\n"
            if not quoted and ("$" in body or "`" in body):
                body, names = self.nested_in(body)
                command.fed_names += names
            command.feeds.append(body)
            if command.words and command.words[0].text in _READING:
                self.note_effects(command)  # now it is known what it reads
            elif command.words and len(command.words) == 1 and command.words[0].text == "exec":
                self.opened.append(body)
            if command.block:
                self.replay(command.block, body)

    def nested_in(self, body):
        """Expand text that is data but for its substitutions. Returns (the text, the variables whose values are not known)."""
        inner = _Parser(body, self.home, self.cwd, self.variables, self.depth + 1)
        inner.functions = self.functions
        parts, names = [], []
        while inner.position < len(body):
            special = _SPECIAL.search(body, inner.position)
            end = special.start() if special else len(body)
            parts.append(body[inner.position : end])
            inner.position = end
            if end == len(body):
                break
            if body[end] == "\\":
                following = body[end + 1 : end + 2]
                parts.append(following if following in ("$", "`", "\\") else "\\" + following)
                inner.position += 2
            elif body[end] == "`":
                parts.append(inner.backticks())
            else:
                value, found = inner.dollar(False)
                parts.append(value)
                names += found
        self.adopt(inner.commands)
        return braces("".join(parts))[0], names

    def adopt(self, commands):
        """Take over the commands of a substitution in the command that is being read."""
        for command in commands:
            if command.parent is None:
                command.parent = self.command
        self.commands += commands
        if len(self.commands) > MAX_COMMANDS:
            raise TooComplex

    def element(self):
        """Read one word and put it where it belongs: keyword, assignment or argument."""
        command, start = self.command, self.position
        if command.words and command.words[0].text not in _DECLARING:
            plain = _ARGUMENT.match(self.text, start)
            if plain:
                command.words.append(Word(plain.group()))
                self.position = plain.end()
                self.total += 1
                if self.total > MAX_TOTAL:
                    raise TooComplex
                return
        if not command.words and not command.assigns and self.function_head():
            return
        name, append = self.assignment_head() if not command.words or command.words[0].text in _DECLARING else ("", False)
        if name and not command.words:
            if self.text.startswith("(", self.position):
                self.assign(name, self.array() or [Word("")])
                self.arrays[name] = self.variables[name] if not append else []
                command.assigns.append((name, None))
                return
            words = self.word(assignment=True) if self.at_word() else [Word("")]
            value = words[0] if words else Word("")
            if name == "BASH_ALIASES":
                self.functions[self.text[start:self.position].partition("[")[2].partition("]")[0]] = '%s "$@"' % value.text
            if append and self.variables.get(name):
                value.text = self.variables[name][0].text + value.text
            command.assigns.append((name, value))
            return
        if name and self.text.startswith("(", self.position):
            self.assign(name, self.array() or [Word("")])
            command.words.append(Word(name))
            return
        self.position = start
        words = self.word()
        if self.position == start:  # nothing could be read: never stand still
            self.position += 1
            return
        raw = self.text[start : self.position]
        if not command.words and not command.assigns:
            if raw in _OPENING and not command.block:
                self.blocks.append((raw, start))
                if raw == "{":
                    self.blocks[-1] = (raw + self.function, start)
                    self.function = ""
            elif self.blocks and raw == _OPENING[self.blocks[-1][0][:1] if self.blocks[-1][0][0] == "{" else self.blocks[-1][0]]:
                keyword, begin = self.blocks.pop()
                command.block = (begin, self.position)
                if keyword[0] == "{" and keyword[1:]:
                    self.functions[keyword[1:]] = self.text[begin + 1 : start]
            if raw in _KEYWORDS:
                if raw in ("do", "then", "else", "{", "!"):
                    self.command.cwd = self.cwd
                return
        command.words += words
        self.total += len(words)
        if self.total > MAX_TOTAL:
            raise TooComplex

    def at_word(self):
        return self.position < len(self.text) and (
            self.text[self.position] not in _METACHARACTERS or self.text.startswith(("<(", ">("), self.position)
        )

    def function_head(self):
        """Skip "name ()" and "function name": the body is read like any other commands."""
        text = self.text
        end = _PLAIN.match(text, self.position).end()
        name = text[self.position : end]
        if name == "function":
            self.position = end
            self.skip_blanks()
            start = self.position
            self.word(plain=True)
            self.function = self.text[start : self.position]
            self.skip_blanks()
            if self.text.startswith("()", self.position):
                self.position += 2
            return True
        rest = end
        while rest < len(text) and text[rest] in " \t":
            rest += 1
        if name and text.startswith("(", rest) and text[rest + 1 :].lstrip(" \t").startswith(")"):
            self.position = text.index(")", rest) + 1
            self.function = name
            return True
        return False

    def assignment_head(self):
        text = self.text
        end = _PLAIN.match(text, self.position).end()
        name = text[self.position : end]
        if not is_name(name):
            return "", False
        if text.startswith("[", end):
            close = text.find("]", end)
            if text.startswith(("[$(", "[`"), end):  # the subscript is run
                close = text.find("]", matching(text, end + 3)) if text[end + 1] == "$" else close
            if close < 0 or close - end > 400:
                return "", False
            if "$(" in text[end:close] or "`" in text[end:close]:
                self.nested_in(text[end + 1 : close])
            end = close + 1
        append = text.startswith("+=", end)
        if append or text.startswith("=", end):
            self.position = end + (2 if append else 1)
            return name, append
        return "", False

    def array(self):
        self.position += 1
        words = []
        while self.position < len(self.text) and self.text[self.position] != ")":
            if self.text[self.position] in " \t\n":
                self.position += 1
            elif self.at_word():
                close = self.text.find("]=", self.position, self.position + 200) if self.text[self.position] == "[" else -1
                self.position = close + 2 if close > 0 else self.position
                words += self.word()
            else:
                self.position += 1
        self.position += 1
        return words

    # words

    def word(self, plain=False, assignment=False):
        """Read one written word. Returns the Words it expands to (none for an empty expansion).

        plain: no expansion of any kind (a heredoc's delimiter). assignment: no splitting, no wildcards.
        """
        parts, names, quoted, content = [], [], False, None
        text, size = self.text, len(self.text)
        if not plain and text.startswith("~", self.position):
            parts.append(self.tilde())
        while self.position < size:
            character = text[self.position]
            if character == "'":
                quoted = True
                end = text.find("'", self.position + 1)
                end = size if end < 0 else end
                parts.append(text[self.position + 1 : end])
                self.position = end + 1
            elif character == '"':
                quoted = True
                self.double_quoted(parts, names, plain)
            elif character == "\\":
                if not text.startswith("\\\n", self.position):
                    parts.append(text[self.position + 1 : self.position + 2])
                self.position += 2
            elif character == "$" and not plain:
                if text.startswith("$'", self.position):
                    quoted = True
                    parts.append(self.ansi_quoted())
                elif text.startswith('$"', self.position):
                    quoted = True
                    self.position += 1
                    self.double_quoted(parts, names, plain)
                else:
                    value, name = self.dollar(not assignment)
                    parts.append(value)
                    names += name
            elif character == "`" and not plain:
                value = self.backticks()
                parts.append(value if assignment else _SPLIT.join(value.split()))
            elif text.startswith(("<(", ">("), self.position) and not plain:
                self.position += 1
                content = " ".join(braces(self.substitution()))
                parts.append("/dev/fd/" + UNKNOWN)
            elif character in _METACHARACTERS:
                break
            elif character in "@+?*!" and text.startswith("(", self.position + 1) and not plain and not assignment:
                parts.append(self.extended_pattern())
            elif character == "~" and not plain and not assignment and text[self.position - 1] == "=" and is_name("".join(parts)[:-1]):
                parts.append(self.tilde())
            elif plain or assignment:
                if assignment and character == "~" and text[self.position - 1] in "=:":
                    parts.append(self.tilde())
                else:
                    parts.append(character)
                    self.position += 1
            elif character == "*":
                first = (not parts or parts[-1][-1:] == "/") and not text.startswith("**", self.position)
                parts.append(UNKNOWN + STAR if self.dotglob and first else STAR)
                self.position += 1
            elif character == "?":
                parts.append(ONE)
                self.position += 1
            elif character == "[":
                end = text.find("]", self.position + 2)
                if text.startswith("[:", self.position + 1) or text.startswith("[!:", self.position + 1):
                    end = text.find(":]", self.position) + 2
                    end = end if end > 1 and text.startswith("]", end) else -1
                if end < 0 or end - self.position > 40 or any(item in _METACHARACTERS for item in text[self.position : end]):
                    parts.append("[")
                    self.position += 1
                else:
                    inside = text[self.position + 1 : end]
                    parts.append(inside if len(inside) == 1 else ONE)
                    self.position = end + 1
            elif character in "{},":
                parts.append({"{": _BRACE_OPEN, "}": _BRACE_CLOSE, ",": _BRACE_COMMA}[character])
                self.position += 1
            else:
                end = _PLAIN.match(text, self.position + 1).end()
                parts.append(text[self.position : end])
                self.position = end
        joined = "".join(parts)
        if plain or assignment:
            return [Word(joined, names, content)]
        words = [Word(item, names, content) for one in braces(joined) for item in one.split(_SPLIT) if item or quoted]
        return words[:MAX_WORDS]

    def extended_pattern(self):
        """Read @(a|b) and its kin: the ways to match it, and anything where it may repeat or leaves something out."""
        kind, start = self.text[self.position], self.position + 2
        end = matching(self.text, start)
        self.position = end + 1
        if kind == "!":
            return STAR
        inside = [unquoted(part) for part in self.text[start:end].split("|")]
        if kind in "*+":
            inside += [part + STAR for part in inside]
        return _BRACE_OPEN + _BRACE_COMMA.join(inside + ([""] if kind in "*?" else [])) + _BRACE_CLOSE if len(inside) > 1 or kind in "*?" else inside[0]

    def tilde(self):
        text, end = self.text, self.position + 1
        while end < len(text) and (text[end].isalnum() or text[end] in "._-+"):
            end += 1
        name = text[self.position + 1 : end]
        if end < len(text) and text[end] not in "/:" and text[end] not in _METACHARACTERS:
            self.position += 1
            return "~"
        self.position = end
        if not name:
            return self.home or "~"
        if name == "+":
            return self.cwd or "."
        if name == "-":
            return self.variables["OLDPWD"][0].text if "OLDPWD" in self.variables else UNKNOWN
        if name.lstrip("+-").isdigit():
            places = self.directories + [self.cwd or "."]
            return _BRACE_OPEN + _BRACE_COMMA.join(places + [UNKNOWN]) + _BRACE_CLOSE
        return "/root" if name == "root" else "/home/" + name

    def double_quoted(self, parts, names, plain):
        text, size = self.text, len(self.text)
        self.position += 1
        while self.position < size and text[self.position] != '"':
            character = text[self.position]
            if character == "\\":
                following = text[self.position + 1 : self.position + 2]
                if following != "\n":
                    parts.append(following if following in ("$", "`", '"', "\\") else "\\" + following)
                self.position += 2
            elif character == "$" and not plain:
                value, name = self.dollar(False)
                parts.append(value)
                names += name
            elif character == "`" and not plain:
                parts.append(self.backticks())
            else:
                end = self.position + 1
                while end < size and text[end] not in '"\\$`':
                    end += 1
                parts.append(text[self.position : end])
                self.position = end
        self.position += 1

    def ansi_quoted(self):
        text, size, result = self.text, len(self.text), []
        self.position += 2
        while self.position < size and text[self.position] != "'":
            character = text[self.position]
            self.position += 1
            if character != "\\" or self.position >= size:
                result.append(character)
                continue
            escape = text[self.position]
            self.position += 1
            base, digits, limit = {"x": (16, "", 2), "u": (16, "", 4), "U": (16, "", 8)}.get(escape, (8, escape, 3))
            if escape in "xuU" or escape in "01234567":
                allowed = "0123456789abcdefABCDEF" if base == 16 else "01234567"
                while self.position < size and len(digits) < limit and text[self.position] in allowed:
                    digits += text[self.position]
                    self.position += 1
                code = int(digits, base) if digits else 0
                result.append(chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "")
            else:
                result.append(_ESCAPES.get(escape, escape))
        self.position += 1
        return "".join(result)

    def dollar(self, split):
        """Read what a $ starts. Returns (value, names of variables that are not known)."""
        text = self.text
        if text.startswith("$((", self.position):
            self.skip_balanced(3, "))")
            return UNKNOWN, []
        if text.startswith("$(", self.position):
            self.position += 1
            value = self.substitution()
            return _SPLIT.join(value.split()) if split else value, []
        if text.startswith("${", self.position):
            return self.braced_parameter(split)
        end = self.position + 1
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
            if text[self.position + 1].isdigit():
                break
        name = text[self.position + 1 : end]
        if not name:
            if text[end : end + 1] in tuple("@*#?$!-"):
                self.position = end + 1
                return self.value("@", split) if text[end] in "@*" and "@" in self.variables else (UNKNOWN, [])
            self.position += 1
            return "$", []
        self.position = end
        return self.value(name, split)

    def referred(self, name):
        """Return the variable that a name stands for: another one behind declare -n."""
        for _step in range(8):
            if "&" + name not in self.variables:
                break
            name = self.variables["&" + name][0].text
        return name

    def value(self, name, split):
        if name == "PWD":
            return self.cwd or ".", []
        words = self.variables.get(self.referred(name))
        if words is None:
            if name == "IFS":
                return (_SPLIT if split else " "), []
            if name in _SHELL_ITSELF:
                return "bash", []
            return UNKNOWN, [self.referred(name)]
        names = [item for word in words for item in word.names]
        if len(words) > 1:
            return _BRACE_OPEN + _BRACE_COMMA.join(word.text for word in words) + _BRACE_CLOSE, names
        text = words[0].text
        if split:
            for separator in self.variables["IFS"][0].text if "IFS" in self.variables else "":
                text = text.replace(separator, " ")
            text = _SPLIT.join(text.split())
        return text, names

    def braced_parameter(self, split):
        text, start = self.text, self.position + 2
        end, level = start, 1
        while end < len(text) and level:
            if text[end] == "\\":
                end += 1
            elif text.startswith("${", end):
                level += 1
                end += 1
            elif text.startswith("$(", end):
                end = matching(text, end + 2)
            elif text[end] == "}":
                level -= 1
            end += 1
        content = text[start : end - 1 if level == 0 else end]
        self.position = end
        stop = 0
        while stop < len(content) and (content[stop].isalnum() or content[stop] == "_"):
            stop += 1
        name, operation = content[:stop], content[stop:]
        if "$(" in operation or "`" in operation:
            self.nested_in(operation)
        if content.startswith("!"):
            return self.indirect(content[1:])
        if content[:1] == "(":  # the flags of zsh
            return UNKNOWN, re.findall(r"[A-Za-z_]\w+", content)
        if not name:
            if content[:1] in ("@", "*") and "@" in self.variables:
                return self.value("@", split)
            return UNKNOWN, []
        if operation[:2] == ":+" or operation[:1] == "+":
            return self.expanded(operation.lstrip(":")[1:]), []
        value, names = self.value(name, split and name == "IFS")
        if operation.startswith("["):
            if operation.startswith("[*]") and _BRACE_OPEN in value and "IFS" in self.variables:
                value = self.variables["IFS"][0].text[:1].join(word.text for word in self.variables[self.referred(name)])
            close = operation.find("]")
            elements = self.arrays.get(name, [])
            if operation[1:close].isdigit() and int(operation[1:close]) < len(elements) and elements is self.variables.get(name):
                value = elements[int(operation[1:close])].text
            operation = operation[close + 1 :]
        if not operation:
            return (_SPLIT.join(value.split()) if split and name != "IFS" else value), names
        if operation[:2] in (":-", ":=") or operation[:1] in "-=":
            default = operation.lstrip(":")[1:]
            if names:
                default = self.expanded(default)
                if "=" in operation[:2]:
                    self.variables[name] = [Word(default)]
                return default, names
            return value, names
        if names or UNKNOWN in value:
            return UNKNOWN, names
        if _BRACE_OPEN not in value:
            return self.transformed(value, operation), []
        if operation[0] == ":":
            return value, []  # some of the array
        values = [self.transformed(item, operation) for item in braces(value)]
        return _BRACE_OPEN + _BRACE_COMMA.join(values) + _BRACE_CLOSE, []

    def expanded(self, text):
        """Return what a word inside of ${...} becomes."""
        inner = _Parser(text, self.home, self.cwd, self.variables, self.depth + 1)
        inner.functions = self.functions
        parts = []
        while inner.position < len(text):
            start = inner.position
            parts += [word.text for word in inner.word(assignment=True)]
            if inner.position == start:
                parts.append(text[start])
                inner.position += 1
        self.adopt(inner.commands)
        return "".join(parts)

    def indirect(self, name):
        """Return what ${!name} is: the value of the variable that name names; ${!#} is the last argument."""
        if name == "#" and self.variables.get("@"):
            return self.variables["@"][-1].text, []
        named = [self.value(word.text, False) for word in self.variables.get(name, ()) if is_name(word.text)]
        if named:
            return named[0][0], [item for _text, names in named for item in names]
        return UNKNOWN, ["!" + name]

    def transformed(self, value, operation):
        """Apply ${x/a/b}, ${x#a}, ${x%a}, ${x:n:m}, ${x,,} with plain operands; UNKNOWN for the rest."""
        if operation[0] == "/":
            every = operation.startswith("//")
            pattern, _slash, new = operation[2 if every else 1 :].replace("\\/", "\0").partition("/")
            pattern, new = self.expanded(pattern).replace("\0", "/"), self.expanded(new).replace("\0", "/")
            if not pattern or UNKNOWN in pattern + new or (len(value) > 512 and "*" in pattern) or pattern.count("*") > 4:
                return UNKNOWN
            at = {"#": r"\A", "%": ""}.get(pattern[0], "") if not every else ""
            expression = at + pattern_expression(pattern[1:] if pattern[0] in "#%" and not every else pattern)
            expression += r"\Z" if pattern[0] == "%" and not every else ""
            return re.sub(expression, lambda _match: new, value, count=0 if every else 1, flags=re.DOTALL)
        if operation[0] in "#%":
            twice = operation[:2] in ("##", "%%")
            pattern = self.expanded(operation[2 if twice else 1 :])
            if UNKNOWN in pattern or len(value) > 512 or pattern.count("*") > 4:
                return UNKNOWN
            expression = re.compile(pattern_expression(pattern), re.DOTALL)
            places = range(len(value) + 1)
            if operation[0] == "#":
                end = next((at for at in (reversed(places) if twice else places) if expression.fullmatch(value, 0, at)), 0)
                return value[end:]
            start = next((at for at in (places if twice else reversed(places)) if expression.fullmatch(value, at)), len(value))
            return value[:start]
        if operation[0] == "@":
            return unescaped(value) if operation == "@E" else self.expanded('"%s"' % value.replace('"', "")) if operation == "@P" else value
        if operation[0] == ":":
            numbers = operation[1:].split(":")
            if all(number.strip().lstrip("-").isdigit() for number in numbers) and len(numbers) <= 2:
                offset = int(numbers[0])
                rest = value[offset:] if offset >= 0 else value[max(0, len(value) + offset) :]
                return rest[: int(numbers[1])] if len(numbers) == 2 and int(numbers[1]) >= 0 else rest
        if operation[0] == ",":
            return value.lower() if operation.startswith(",,") else value[:1].lower() + value[1:]
        if operation[0] == "^":
            return value.upper() if operation.startswith("^^") else value[:1].upper() + value[1:]
        return UNKNOWN

    def substitution(self):
        """Read "(...)" of a substitution, at the parenthesis. Returns its output where it is plain, else UNKNOWN."""
        start = self.position + 1
        end = matching(self.text, start)
        self.position = end + 1
        return self.nested(self.text[start:end])

    def backticks(self):
        text, end, body = self.text, self.position + 1, []
        while end < len(text) and text[end] != "`":
            if text[end] == "\\" and text[end + 1 : end + 2] in ("`", "\\", "$"):
                end += 1
            body.append(text[end])
            end += 1
        self.position = end + 1
        return self.nested("".join(body))

    def nested(self, body):
        inner = _Parser(body, self.home, self.cwd, dict(self.variables), self.depth + 1)
        inner.functions, inner.written, inner.dotglob, inner.directories = self.functions, self.written, self.dotglob, list(self.directories)
        inner.run()
        printed_text = output([command for command in inner.commands if command.parent is None and not inner.calls(command)])
        if printed_text == UNKNOWN and inner.commands:
            names = listed(inner.commands[-1])[:MAX_WORDS]
            if names:
                printed_text = _BRACE_OPEN + _BRACE_COMMA.join(names + [UNKNOWN]) + _BRACE_CLOSE
        self.adopt(inner.commands)
        for name, words in inner.variables.items():
            self.variables.setdefault(name, words)  # what is run in there by eval and the like may use them
        return printed_text

    def calls(self, command):
        """Return whether a command calls a function of the text: what that prints is in the commands behind it."""
        return bool(command.words) and command.words[0].text in self.functions

    # helpers

    def skip_blanks(self):
        while self.position < len(self.text) and (
            self.text[self.position] in " \t" or self.text.startswith("\\\n", self.position)
        ):
            self.position += 1 if self.text[self.position] in " \t" else 2

    def skip_balanced(self, opening, closing):
        """Skip arithmetic; what is substituted inside it is read all the same."""
        end = self.text.find(closing, self.position + opening)
        end = len(self.text) if end < 0 else end
        body = self.text[self.position + opening : end]
        self.position = end + len(closing)
        if "$(" in body or "`" in body:
            self.nested_in(body)  # for the commands in it


_DECLARING = ("export", "declare", "local", "readonly", "typeset")
_READING = ("read", "mapfile", "readarray")
_SHELL_ITSELF = ("0", "SHELL", "BASH", "BASH_ARGV0")


def pattern_expression(pattern):
    """Return a shell pattern (*, ?, [abc]) as the text of a regular expression."""
    found, position = [], 0
    while position < len(pattern):
        character = pattern[position]
        end = pattern.find("]", position + 2) if character == "[" else -1
        if end > 0:
            inside = pattern[position + 1 : end].replace("\\", "\\\\")
            found.append("[%s]" % ("^" + inside[1:] if inside[0] == "!" else inside))
            position = end
        else:
            found.append({"*": ".*", "?": "."}.get(character) or re.escape(character))
        position += 1
    expression = "".join(found)
    try:
        re.compile(expression)
    except re.error:
        return re.escape(pattern)
    return expression


def matching(text, start):
    """Return the index of the parenthesis that closes the one before start, the text's end if there is none."""
    level, position, size, waiting = 1, start, len(text), []
    while position < size:
        character = text[position]
        if character == "\\":
            position += 1
        elif character == "'":
            end = text.find("'", position + 1)
            position = size if end < 0 else end
        elif character == '"':
            position += 1
            while position < size and text[position] != '"':
                if text.startswith("$(", position):
                    position = matching(text, position + 2)
                elif text[position] == "\\":
                    position += 1
                position += 1
        elif character == "#" and text[position - 1] in " \t\n;(":
            end = text.find("\n", position)
            position = size if end < 0 else end
        elif character == "<" and text.startswith("<<", position) and not text.startswith("<<<", position) and text[position - 1] != "<":
            found = re.compile(r"<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.-]+))").match(text, position)
            if found:
                waiting.append(next(filter(None, found.groups())))
                position = found.end() - 1
        elif character == "\n" and waiting:
            for delimiter in waiting:
                end = re.compile(r"\n\t*%s(?=[\n)]|\Z)" % re.escape(delimiter)).search(text, position)
                if end:
                    position = end.end() - 1
            waiting = []
        elif character == "(":
            level += 1
        elif character == ")":
            level -= 1
            if not level:
                return position
        position += 1
    return size


def output(commands, redirected=False):
    """Return what a plain echo or printf pipeline prints, UNKNOWN for anything else. redirected: also where that goes into a file."""
    commands = [command for command in commands if command.words]
    for command in commands:
        if (command.reads and not command.feeds) or (not redirected and any(word.text != "/dev/null" for word in command.writes)):
            return UNKNOWN
    if not commands:
        return UNKNOWN
    texts, chain = [], []
    for command in commands:
        if command.piped_from is None and chain:
            texts.append(_pipeline(chain))
            chain = []
        chain.append(command)
    texts.append(_pipeline(chain))
    return UNKNOWN if any(UNKNOWN in text for text in texts) else "\n".join(text for text in texts if text)


_SILENT = frozenset("cd : true export declare local readonly typeset shopt alias set unset shift pushd popd read mapfile readarray hash trap umask".split())
_TELLING = ("pwd", "dirname", "realpath", "readlink", "basename", "date", "expr")


def _pipeline(commands):
    """Return what one pipeline prints, UNKNOWN where that is not plain."""
    commands = commands[max([index for index, command in enumerate(commands) if command.words[0].text in ("echo", "printf")], default=0) :]
    first = [word.text for word in commands[0].words]
    program = first[0].rpartition("/")[2]
    if program == "echo":
        text = " ".join(word for word in first[1:] if word not in ("-n", "-e", "-ne", "-en"))
        if any(word in ("-e", "-ne", "-en") for word in first[1:2]):
            text = unescaped(text)
    elif program == "printf" and len(first) > 1:
        text = printed(first[1], first[2:])
    elif program in _SILENT:
        text = ""
    elif commands[0].feeds:
        text = filtered(commands[0].feeds[0].rstrip("\n"), first if program != "cat" else ["cat"])
    elif program in _TELLING:
        from agentihooks import text_filters

        text = text_filters.told(first, commands[0].cwd)
    else:
        return UNKNOWN
    for command in commands[1:]:
        text = filtered(text, [word.text for word in command.words])
    return text.rstrip("\n")


def piped_text(command):
    """Return what the commands before this one in its pipeline print, UNKNOWN where that is not plain."""
    chain = []
    while command.piped_from is not None and len(chain) < 20:
        command = command.piped_from
        chain.insert(0, command)
    return output(chain) if chain else UNKNOWN


_PASS_ON = frozenset("head tail sort uniq cat tee tr sed cut sudo nl shuf xargs dirname basename".split())
# They print the names that they are given.
_NAMING = frozenset("realpath readlink which stat du compgen type file wc".split())


def listed(command):
    """Return the names (with marks) that a command at the end of a pipeline prints, as far as its own words and those before it tell."""
    found = []
    while command is not None and command.words:
        words = [word.text for word in command.words]
        program, plain = words[0].rpartition("/")[2], [word for word in words[1:] if not word.startswith("-")]
        if program in ("grep", "egrep", "fgrep", "rg") and command.piped_from is not None:
            if plain and "v" not in "".join(word for word in words[1:] if word[:1] == "-" and word[:2] != "--"):
                name = plain[0].strip("^$").replace("\\", "")
                found += [name, "." + name]
                if plain[0].endswith("$") and len(name) > 1 and name != "rc":
                    found.append(UNKNOWN + name)  # the end of a name
        elif program in ("echo", "printf"):
            text = output([command])
            return found + ([word for word in words[1:] if word.strip(UNKNOWN)] if text == UNKNOWN else text.split())
        elif program == "find":
            names = find_names(words)
            return found + (names or list(takewhile(lambda word: word[:1] not in ("-", "!", "("), words[1:])))
        elif program in _NAMING:
            plain = [marked(word) for word in plain if "%" not in word]
            return found + plain + [join(command.cwd, word) for word in plain if command.cwd]
        elif program in ("python", "python3", "perl", "node", "jq", "awk", "mawk", "gawk", "ruby", "php"):
            from agentihooks import text_filters

            texts = [text for word in words[1:] for text in text_filters.literals(word)]
            found += [marked(text) for text in texts if "/" in text or "." in text]
            if not program.endswith("awk"):
                return found
        elif program in ("ls", "fd", "fdfind", "locate"):
            return (
                found
                + plain
                + [join(word, STAR) for word in plain if program == "ls"]
                + [STAR + word for word in plain if program != "ls"]
            )
        elif program in ("git", "grep", "rg"):
            listing = plain[:1] == ["ls-files"] or "--name-only" in words or "-l" in words or "--files" in words
            options = ("--include=", "--glob=")
            globs = [word.partition("=")[2] for word in words if word.startswith(options)]
            globs += [words[index + 1] for index, word in enumerate(words[:-1]) if word in ("-g", "--glob", "--include")]
            return found + ([marked(item) for item in plain[1:] + globs] if listing or globs else [])
        elif program not in _PASS_ON:
            return found
        command = command.piped_from
    return found


def find_names(words):
    """Return the names that a find command looks for (with marks), alone and below the place where it starts."""
    root = next((word for word in words[1:] if not word.startswith("-")), ".")
    names = []
    for index, word in enumerate(words[:-1]):
        if word in ("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename") and words[index - 1] not in ("!", "-not"):
            names.append(marked(words[index + 1]))
        elif word in ("-regex", "-iregex") and words[index - 1] not in ("!", "-not"):
            names.append(words[index + 1].rpartition("/")[2].replace("\\", "").replace(".*", STAR).strip("()"))
    return [join(root, name) for name in names if "/" not in name] + names


def walk_root(command):
    """Return where the find command without a name, which feeds a pipeline, starts; "" when there is none."""
    while command is not None:
        words = [word.text for word in command.words]
        if words[:1] and words[0].rpartition("/")[2] == "find":
            return next((word for word in words[1:] if not word.startswith("-")), ".") if not find_names(words) else ""
        command = command.piped_from
    return ""


def marked(path):
    """Return a pattern in an argument with its wildcards marked as the parser marks them."""
    return path.replace("*", STAR).replace("?", ONE)


def unescaped(text):
    """Return text as echo -e and printf's %b show it."""
    if "\\" not in text:
        return text

    def one(match):
        escape = match.group(1)
        if escape[0] == "x" and len(escape) > 1:
            return chr(int(escape[1:], 16))
        if escape[0] in "01234567":
            return chr(int(escape, 8) & 255)
        return _ESCAPES.get(escape, escape if escape in "\\'\"" else "\\" + escape)

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,4}|.)", one, text, flags=re.DOTALL)


def printed(form, values):
    """Return what printf prints for %s and %b forms with escapes."""
    if "%" not in form:
        return unescaped(form)
    pieces, values = [], list(values)
    while True:
        rest = form
        before = len(values)
        while "%" in rest:
            head, _percent, rest = rest.partition("%")
            pieces.append(unescaped(head))
            kind, rest = rest[:1], rest[1:]
            if kind == "%":
                pieces.append("%")
            elif kind == "s":
                pieces.append(values.pop(0) if values else "")
            elif kind == "b":
                pieces.append(unescaped(values.pop(0)) if values else "")
            elif kind in "0123456789odxXq" or kind in ("c", "i", "u"):
                width = re.match(r"(\d*)([odxXqciu])", kind + rest)
                value = values.pop(0) if values else ""
                if not width or (width.group(2) in "odxXiu" and not value.lstrip("-").isdigit()):
                    return UNKNOWN
                rest = rest[len(width.group()) - 1 :]
                if width.group(2) in "odxXiu":
                    value = "%%%s%s" % (width.group(1), width.group(2)) % int(value)
                pieces.append(value[:1] if width.group(2) == "c" else value)
            else:
                return UNKNOWN
        pieces.append(unescaped(rest))
        if not values or len(values) == before or len(pieces) > MAX_COMMANDS:
            return "".join(pieces)


def filtered(text, words):
    """Return text as a filter would print it, UNKNOWN for one that is not known."""
    if UNKNOWN in text:
        return UNKNOWN
    from agentihooks import text_filters  # plain commands do without

    return text_filters.filtered(text, words)


def braces(text, limit=MAX_WORDS):
    """Return what {a,b} in text expands to; a brace without a comma is text."""
    results, waiting = [], [text]
    while waiting and len(results) + len(waiting) <= limit:
        item = waiting.pop(0)
        close = item.find(_BRACE_CLOSE)
        while close >= 0:
            opening = item.rfind(_BRACE_OPEN, 0, close)
            if opening >= 0 and ".." in item[opening:close] and _BRACE_COMMA not in item[opening:close]:
                item = item[: opening + 1] + _ranged(item[opening + 1 : close]) + item[close:]
                close = item.find(_BRACE_CLOSE, opening)
            if opening >= 0 and _BRACE_COMMA in item[opening:close]:
                break
            item = item[:close] + "}" + item[close + 1 :]
            if opening >= 0:
                item = item[:opening] + "{" + item[opening + 1 :]
            close = item.find(_BRACE_CLOSE)
        if close < 0:
            results.append(item.replace(_BRACE_OPEN, "{").replace(_BRACE_COMMA, ","))
        else:
            waiting += [item[:opening] + choice + item[close + 1 :] for choice in item[opening + 1 : close].split(_BRACE_COMMA)]
    plain = {_BRACE_OPEN: "{", _BRACE_COMMA: ",", _BRACE_CLOSE: "}"}
    return results + ["".join(plain.get(character, character) for character in item) for item in waiting]


def _ranged(text):
    """Return the members of a range (a..e, 1..3) with the comma's mark between them and behind them, text itself when it is none."""
    first, _dots, last = text.partition("..")
    last = last.partition("..")[0]
    if first.isdigit() and last.isdigit():
        low, high = sorted((int(first), int(last)))
        members = list(map(str, range(low, min(high, low + MAX_WORDS) + 1)))
    elif len(first) == len(last) == 1:
        low, high = sorted((ord(first), ord(last)))
        members = list(map(chr, range(low, min(high, low + MAX_WORDS) + 1)))
    else:
        return text
    return _BRACE_COMMA.join(members if len(members) > 1 else members * 2)


def unquoted(text):
    """Return text without its quotes and backslashes."""
    return text.replace("\\", "").replace("'", "").replace('"', "")


def is_name(text):
    """Return whether text is a variable's name."""
    return _VARIABLE.fullmatch(text) is not None


def join(cwd, path):
    """Return path as seen from cwd."""
    if path.startswith("/") or not cwd:
        return path
    return cwd.rstrip("/") + "/" + path if path else cwd
