# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: reads what a bundle is made of on the controller, and says where something is wrong in it.

Nothing outside a bundle's directory is ever read, whatever links and names it holds, and nothing beyond the limits here.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import stat

from ansible_collections.agentihooks.fleet.plugins.module_utils import _jsonc
from ansible_collections.agentihooks.fleet.plugins.module_utils._secret_shapes import redact
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _inside

try:
    import tomlkit
    import tomlkit.exceptions
except ImportError:  # told when it is used: the plugin must load for its documentation
    tomlkit = None

# Bytes. The largest agents and commands people keep are below 200 kB.
MAX_FILE = 1 << 20
# Files and directories below one agents, commands, rules or skills directory.
MAX_ENTRIES = 5000
# Bytes of one skill with all that belongs to it.
MAX_SKILL = 16 << 20
MAX_DEPTH = 12
# Profiles of one bundle.
MAX_PROFILES = 1000


class Problem:
    """Something that is wrong. file: where ("" for none). line: counted from 1, or None. path: JSON path, "" for none.
    message: what is wrong and what is allowed. str() is all of it on one line, without what looks like a secret."""

    __slots__ = ("file", "line", "path", "message")

    def __init__(self, message, file="", line=None, path=""):
        self.message = message
        self.file = str(file)
        self.line = line
        self.path = path

    def __str__(self):
        where = self.file
        if self.line is not None:
            where += ", line %d" % self.line
        if self.path:
            where += (" at " if where else "") + self.path
        text = "%s: %s" % (where, self.message) if where else self.message
        return redact(" ".join(text.encode("utf-8", "replace").decode("utf-8").split()))


class BundleError(Exception):
    """A bundle or profile cannot be used. problems: a list of Problem, never empty. str() has one a line."""

    def __init__(self, problems):
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Source:
    """A JSON file that was read. file: its path. value: what it holds."""

    def __init__(self, file, document):
        self.file = file
        self.value = document.value
        self._document = document

    def line(self, path):
        """Return the line (from 1) of the key or element that a path of keys and indexes leads to, or of its nearest parent."""
        node, start = self._document.root, 0
        for step in path:
            item = _child(node, step)
            if item is None:
                break
            node, start = item.node, item.start
        return _line_at(self._document.text, start if path else (node.start if node else 0))


def json_path(path):
    """Return a path of keys and indexes as JSON path: $.mcpServers["a.b"].args[0]."""
    text = "$"
    for step in path:
        if isinstance(step, int):
            text += "[%d]" % step
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", step):
            text += "." + step
        else:
            text += '["%s"]' % str(step).replace("\\", "\\\\").replace('"', '\\"')
    return text


class Tree:
    """A directory whose contents may be read: a bundle, or the collection's own profiles."""

    def __init__(self, root):
        """root: a directory. Raises BundleError when it is none."""
        self.root = pathlib.Path(root)
        self.real = os.path.realpath(root)
        if not os.path.isdir(self.real):
            raise BundleError([Problem("is no directory; agentihooks_bundle must name the directory that holds profiles/", root)])

    def file(self, *parts):
        """Return the path of a file below the root, None when there is none. Raises BundleError for one that may not be read."""
        path = self.root.joinpath(*parts)
        if not _is_there(path):
            return None
        self._require_inside(path)
        try:
            status = path.stat()
        except OSError as error:
            raise BundleError([Problem("cannot be looked at: %s" % error.strerror, path)]) from None
        if not stat.S_ISREG(status.st_mode):
            raise BundleError([Problem("is no regular file", path)])
        if status.st_size > MAX_FILE:
            raise BundleError([Problem("is larger than %d kB" % (MAX_FILE >> 10), path)])
        if not os.access(path, os.R_OK):
            raise BundleError([Problem("cannot be read by the user who runs this", path)])
        return path

    def read(self, path):
        """Return the bytes of a file that file() returned. Raises BundleError when it cannot be read, or is another one by now."""
        try:
            data = _inside.read(path, self.real, MAX_FILE)
        except OSError as error:
            raise BundleError([Problem("cannot be read: %s" % error.strerror, path)]) from None
        if len(data) > MAX_FILE:
            raise BundleError([Problem("is larger than %d kB" % (MAX_FILE >> 10), path)])
        return data

    def directory(self, *parts):
        """Return the path of a directory below the root, None when there is none. Raises BundleError like file()."""
        path = self.root.joinpath(*parts)
        if not _is_there(path):
            return None
        self._require_inside(path)
        if not path.is_dir():
            raise BundleError([Problem("is no directory", path)])
        return path

    def json(self, *parts):
        """Return the Source of a JSON file, None when there is none. Comments and trailing commas are allowed, as in the CLI's own files.

        Raises BundleError for text that is no JSON object, for an empty file and for a key that stands there twice: which of the
        two was meant nobody can tell.
        """
        path = self.file(*parts)
        if path is None:
            return None
        try:
            document = _jsonc.parse(self.read(path))
        except _jsonc.JsonError as error:
            raise BundleError([Problem(error.message, path, error.line)]) from None
        if document.root is None:
            raise BundleError([Problem("is empty; write {} into it or remove it", path)])
        if not isinstance(document.value, dict):
            raise BundleError([Problem("must hold a JSON object", path)])
        repeated = _repeated(document.root, ())
        if repeated is not None:
            where, start = repeated
            raise BundleError([Problem("this key is there twice; remove one", path, _line_at(document.text, start), json_path(where))])
        return Source(path, document)

    def toml(self, *parts):
        """Return (path, table) of a TOML file as plain data, None when there is none.

        Raises BundleError for text that is no TOML, and for a key or table that stands there twice.
        """
        path = self.file(*parts)
        if path is None:
            return None
        if tomlkit is None:
            raise BundleError([Problem("the Python package tomlkit is needed on the controller to read it; install it beside ansible-core", path)])
        try:
            return path, tomlkit.parse(self.read(path).decode("utf-8-sig")).unwrap()
        except UnicodeDecodeError as error:
            raise BundleError([Problem("is not UTF-8 text (byte 0x%02x)" % error.object[error.start], path)]) from None
        except tomlkit.exceptions.ParseError as error:
            raise BundleError([Problem("is no TOML: %s" % error, path, error.line)]) from None
        except (tomlkit.exceptions.TOMLKitError, ValueError) as error:
            raise BundleError([Problem("is no TOML: %s" % error, path)]) from None
        except RecursionError:
            raise BundleError([Problem("is nested too deeply", path)]) from None

    def markdown(self, *parts, below=True):
        """Return {name: path} of the *.md files below a directory, at any depth: "review", "db/migrate". Hidden ones are left out.

        below: whether its subdirectories count.
        """
        top = self.directory(*parts)
        found, problems = {}, []
        for path in (self._walk(top) if below else self._entries(top)) if top else ():
            if path.suffix.lower() == ".md":
                with _noting(problems):
                    _require_text(path)
                    found[path.relative_to(top).with_suffix("").as_posix()] = self.file(path.relative_to(self.root))
        _raise_all(problems)
        return found

    def skills(self, *parts):
        """Return {name: path} of the skills in a directory: its directories that hold a SKILL.md."""
        top = self.directory(*parts)
        found, problems = {}, []
        for path in self._entries(top) if top else ():
            with _noting(problems):
                _require_text(path)
                self._require_inside(path)
                if path.is_dir() and self.file(path.relative_to(self.root), "SKILL.md"):
                    size = sum(self._size(inner) for inner in self._walk(path))
                    if size > MAX_SKILL:
                        raise BundleError([Problem("is a skill of %d MB, more than %d" % (size >> 20, MAX_SKILL >> 20), path)])
                    found[path.name] = path
        _raise_all(problems)
        return found

    def names(self, *parts):
        """Return the names of the directories in a directory that may be profiles. Raises BundleError for more than MAX_PROFILES."""
        top = self.directory(*parts)
        found = sorted(path.name for path in self._entries(top) if path.is_dir() and not path.name.startswith("_")) if top else []
        if len(found) > MAX_PROFILES:
            raise BundleError([Problem("holds more than %d profiles" % MAX_PROFILES, top)])
        return found

    def _entries(self, directory):
        try:
            entries = sorted(directory.iterdir(), key=lambda path: path.name)
        except OSError as error:
            raise BundleError([Problem("cannot be read: %s" % error.strerror, directory)]) from None
        return [path for path in entries if not path.name.startswith(".")]

    def _walk(self, top, depth=0, budget=None):
        """Yield the files below a directory. Raises BundleError, at its end for what leads out or nowhere."""
        budget, problems = [MAX_ENTRIES] if budget is None else budget, []
        for path in self._entries(top):
            budget[0] -= 1
            if budget[0] < 0:
                raise BundleError([Problem("holds more than %d files" % MAX_ENTRIES, top)])
            try:
                self._require_inside(path)
            except BundleError as error:
                problems += error.problems
                continue
            if path.is_dir():
                if depth >= MAX_DEPTH:
                    raise BundleError([Problem("is nested more than %d levels deep" % MAX_DEPTH, path)])
                yield from self._walk(path, depth + 1, budget)
            else:
                yield path
        _raise_all(problems)

    def _size(self, path):
        try:
            status = path.stat()
        except OSError as error:
            raise BundleError([Problem("cannot be looked at: %s" % error.strerror, path)]) from None
        if not stat.S_ISREG(status.st_mode):
            raise BundleError([Problem("is no regular file", path)])
        return status.st_size

    def _require_inside(self, path):
        try:
            real = os.path.realpath(path)
        except OSError as error:
            raise BundleError([Problem("cannot be looked at: %s" % error.strerror, path)]) from None
        if real != self.real and not real.startswith(self.real.rstrip("/") + "/"):
            raise BundleError([Problem("leads out of %s, to %s; copy what it points to into the bundle" % (self.root, real), path)])
        if not os.path.exists(real):
            raise BundleError([Problem("is a symbolic link to %s, which does not exist" % real, path)])


def _require_text(path):
    """Raise BundleError for a name that is no UTF-8, which no host could be told."""
    try:
        path.name.encode("utf-8")
    except UnicodeEncodeError:
        raise BundleError([Problem("has a name that is not UTF-8; rename it", ascii(str(path)))]) from None


def _is_there(path):
    """Return whether there is something at a path. Raises BundleError where that cannot be told: unknown is not nothing."""
    try:
        os.lstat(path)
        return True
    except FileNotFoundError:
        return False
    except OSError as error:
        raise BundleError([Problem("cannot be looked at: %s" % error.strerror, path)]) from None


@contextlib.contextmanager
def _noting(problems):
    """Keep the problems of a BundleError, so that a person hears of the others too."""
    try:
        yield
    except BundleError as error:
        problems += error.problems


def _raise_all(problems):
    if problems:
        raise BundleError(problems)


def _child(node, step):
    """Return the member or element of a node that a step leads to, None for none."""
    if node is None or not node.items:
        return None
    if isinstance(step, int):
        return node.items[step] if isinstance(node.value, list) and step < len(node.items) else None
    return next((item for item in node.items if item.key == step), None)


def _repeated(node, path):
    """Return (path, start) of the first key that its table already has, None without one."""
    seen = set()
    for index, item in enumerate(node.items or ()):
        step = index if item.key is None else item.key
        if item.key is not None:
            if item.key in seen:
                return path + (step,), item.start
            seen.add(item.key)
        found = _repeated(item.node, path + (step,))
        if found is not None:
            return found
    return None


def _line_at(text, position):
    return len(re.findall(r"\r\n|\n|\r", text[:position])) + 1
