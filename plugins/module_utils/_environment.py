# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the environment file and the shell block that exports it. Pure: texts in, texts out.

The file holds one variable a line, NAME='value', in the quoting that sh, bash and zsh read alike. The block goes to the
end of ~/.bashrc and ~/.zshrc between two marks; it prints nothing, and a missing file is no error.
"""

from __future__ import annotations

import re

BEGIN = "# >>> agentihooks.fleet >>>"
END = "# <<< agentihooks.fleet <<<"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LINE = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=")
# Who sets one of these for every program of a person breaks the shell or hands it over.
_NEVER = re.compile(r"(?:PATH|HOME|SHELL|IFS|ENV|BASH_ENV|ZDOTDIR|PS[0-9]|PROMPT_COMMAND|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON(?:PATH|HOME|STARTUP))")


class BlockError(ValueError):
    """A file has one of the two marks without the other, or has them more than once. line: where, counted from 1."""

    def __init__(self, message, line):
        super().__init__(message)
        self.line = line


def assignment(name, value):
    """Return the line of one variable, without line end. Raises ValueError for what cannot be one line or must not be set."""
    if not _NAME.fullmatch(name):
        raise ValueError("%r is no name of a variable: letters, digits and _, not a digit first" % (name,))
    if _NEVER.fullmatch(name):
        raise ValueError("%s is not set: it would change every program of the person" % name)
    if any(character in value for character in "\n\r\x00"):
        raise ValueError("%s holds a line break or a NUL, and a variable has one line here" % name)
    return "%s=%s" % (name, quoted(value))


def quoted(value):
    """Return a text as one word for sh, bash and zsh. No two single quotes ever stand together: zsh's RC_QUOTES would join them."""
    parts = ["'%s'" % part if part else "" for part in value.split("'")]
    return "\\'".join(parts) or "''"


def variable_of(line):
    """Return the name of the variable that a line of the file sets, None for a comment or anything else."""
    match = _LINE.match(line.lstrip())
    return match.group(1) if match else None


def block(path):
    """Return the lines of the shell block for an environment file, marks included, each with its line end.

    path: in shell's words, ready to stand in double quotes ("$HOME/.agentihooks/copilot.env", see in_shell).
    allexport is given back as it was.
    """
    return "".join(
        line + "\n"
        for line in (
            BEGIN,
            "# Kept by the Ansible collection agentihooks.fleet: hands its variables to the programs started from this shell.",
            'if [ -r "%s" ]; then' % path,
            "  case $- in",
            '    *a*) . "%s" ;;' % path,
            '    *) set -a; . "%s"; set +a ;;' % path,
            "  esac",
            "fi",
            END,
        )
    )


def in_shell(path, home):
    """Return a path for block(): below the home it is written with $HOME, so that it holds when the home moves."""
    home = home.rstrip("/")
    rest = path[len(home):] if path.startswith(home + "/") else None
    text = path if rest is None else rest
    text = re.sub(r'([\\"`$])', r"\\\1", text)
    if "\n" in text:
        raise ValueError("%r holds a line break" % (path,))
    return text if rest is None else "$HOME" + text


def with_block(text, wanted):
    """Return a shell file's text with the block at its place, or at the end when there is none. Raises BlockError."""
    span = find_block(text)
    if span is not None:
        return text[: span[0]] + wanted + text[span[1]:]
    return text + ("" if not text or text.endswith("\n") else "\n") + wanted


def without_block(text):
    """Return a shell file's text without the block. Raises BlockError."""
    span = find_block(text)
    return text if span is None else text[: span[0]] + text[span[1]:]


def find_block(text):
    """Return (start, end) of the block in a text, line end included, None when there is none. Raises BlockError."""
    begins, ends = _places(text, BEGIN), _places(text, END)
    if not begins and not ends:
        return None
    first = min(begins + ends)
    line = text.count("\n", 0, first) + 1
    if len(begins) > 1 or len(ends) > 1:
        raise BlockError("has the marks of agentihooks.fleet more than once; remove all but one block", line)
    if not begins or not ends or ends[0] < begins[0]:
        missing = END if not ends else BEGIN
        raise BlockError("has one mark of agentihooks.fleet without the other (%s is missing before or after it); restore or remove it" % missing, line)
    end = text.find("\n", ends[0])
    return begins[0], len(text) if end < 0 else end + 1


def _places(text, mark):
    """Where lines start that are this mark and nothing else (blanks at the end aside)."""
    return [match.start() for match in re.finditer(r"^%s[ \t]*\r?$" % re.escape(mark), text, re.MULTILINE)]
