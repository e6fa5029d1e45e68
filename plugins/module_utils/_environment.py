# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: environment variables in a shell's words, and the block that reads their file. Pure.

The file (see _environment_file) holds one variable a line, NAME='value', in the quoting that sh, bash and zsh read alike.
The block goes to the end of ~/.bashrc and ~/.zshrc between two marks; it prints nothing, and a missing file is no error.
"""

from __future__ import annotations

import os
import re

from ansible_collections.agentihooks.fleet.plugins.module_utils import _region

SHELL_FILE = _region.Region("# >>> agentihooks.fleet >>>", "# <<< agentihooks.fleet <<<", _region.END)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Who sets one of these for every program of a person breaks the shell, hands it over, or moves what this collection writes.
_NEVER = re.compile(
    r"PATH|HOME|SHELL|IFS|ENV|BASH_ENV|ZDOTDIR|PS[0-9]|PROMPT_COMMAND|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON(?:PATH|HOME|STARTUP)|CDPATH|FPATH"
    r"|UID|EUID|PPID|SHELLOPTS|BASHOPTS|path|fpath|cdpath|manpath|argv|status|prompt"
    r"|COPILOT_HOME|CODEX_HOME|AGENTIHOOKS_(?:HOME|TARGET|COPILOT_EVENT)"
)
_WORD = re.compile(r"'([^']*)'|\"([^\"$`\\!]*)\"|\\([^\n])|([A-Za-z0-9_./:,@%+=-]+)")


def assigned(name, value):
    """Return what stands behind NAME= for a value, in shell's words. Raises ValueError for what cannot be one line or must not be set."""
    if not _NAME.fullmatch(name):
        raise ValueError("%r is no name of a variable: letters, digits and _, not a digit first" % (name,))
    if _NEVER.fullmatch(name):
        raise ValueError("%s is not set: it would change every program of the person" % name)
    if any(character in value for character in "\n\r\x00"):
        raise ValueError("%s holds a line break or a NUL, and a variable has one line here" % name)
    return quoted(value)


def quoted(value):
    """Return a text as one word for sh, bash and zsh. No two single quotes ever stand together: zsh's RC_QUOTES would join them."""
    parts = ["'%s'" % part if part else "" for part in value.split("'")]
    return "\\'".join(parts) or "''"


def literal(word):
    """Return the text that a shell makes of a word, None where that depends on the shell's state or is more than one word."""
    text, position = "", 0
    while position < len(word):
        match = _WORD.match(word, position)
        if match is None:
            return None
        text += next(group for group in match.groups() if group is not None)
        position = match.end()
    return text


def block(path):
    """Return the text of the shell block for an environment file, without its marks.

    path: in shell's words, ready to stand in double quotes ("$HOME/.agentihooks/copilot.env", see in_shell).
    allexport is given back as it was.
    """
    return "".join(
        line + "\n"
        for line in (
            "# Kept by the Ansible collection agentihooks.fleet: hands its variables to the programs started from this shell.",
            'if [ -r "%s" ]; then' % path,
            "  case $- in",
            '    *a*) . "%s" ;;' % path,
            '    *) set -a; . "%s"; set +a ;;' % path,
            "  esac",
            "fi",
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


def shell_files(home, login_shell, zdotdir, exists):
    """Return the paths of the interactive shells' files that a person has a use for: those that exist, and the login shell's.

    login_shell: a path, "" if unknown. zdotdir: the variable ZDOTDIR, "" for none; it counts below the home only, for it
    may be another person's. exists: path -> bool.
    """
    zsh_home = os.path.normpath(zdotdir) if zdotdir else home
    if not zsh_home.startswith(home.rstrip("/") + "/"):
        zsh_home = home
    places = {"bash": os.path.join(home, ".bashrc"), "zsh": os.path.join(zsh_home, ".zshrc")}
    return [path for shell, path in places.items() if exists(path) or os.path.basename(login_shell) == shell]
