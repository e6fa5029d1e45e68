# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a git repository on disk says about itself, read from its files without running git: the branch it is on, its
configuration, the branches it knows. Pure but for the read function that is handed in (event.Context.read).
"""

from __future__ import annotations

from agentihooks.shell import join

_STUB = ".invalid"  # what HEAD names in a repository whose references lie in another format


class Repository:
    """One repository (a work tree of it). git_dir: its own directory, common: the one it shares with other work trees."""

    def __init__(self, git_dir, read):
        self.git_dir = git_dir
        self.read = read
        pointer = _read(read, git_dir + "/commondir")
        self.common = normal(join(git_dir, pointer.strip())) if pointer else git_dir
        self._config = None

    def branch(self):
        """Return the branch that is checked out, "" for a detached HEAD, None when it cannot be told."""
        text = _read(self.read, self.git_dir + "/HEAD")
        if text is None:
            return None
        text = text.strip()
        if not text.startswith("ref:"):
            return ""
        name = text[4:].strip()
        if not name.startswith("refs/heads/"):
            return ""
        name = name[len("refs/heads/") :]
        return None if name == _STUB else name

    def knows(self, name):
        """Return whether a branch of that name is there, here or on a remote that was fetched."""
        packed = _read(self.read, self.common + "/packed-refs") or ""
        remotes = {key.split(".")[1] for key in self.config() if key.startswith("remote.") and key.count(".") > 1} | {"origin"}
        names = ["refs/heads/" + name] + ["refs/remotes/%s/%s" % (remote, name) for remote in sorted(remotes)]
        return any(_read(self.read, "%s/%s" % (self.common, full)) is not None or " %s\n" % full in packed for full in names)

    def config(self):
        """Return the repository's own configuration: key -> list of values. Keys in lower case, but for what is quoted in them."""
        if self._config is None:
            self._config = parse_config(_read(self.read, self.common + "/config") or "")
        return self._config


def find(cwd, read):
    """Return the Repository that a command in cwd works on, None when there is none."""
    path = normal(cwd)
    if not path.startswith("/"):
        return None
    start = path
    while True:
        place = path.rstrip("/") + "/.git"
        if _read(read, place + "/HEAD") is not None:
            return Repository(place, read)
        pointer = _read(read, place)
        if pointer is not None and pointer.startswith("gitdir:"):
            return Repository(normal(join(path, pointer[7:].strip())), read)
        if path == "/":
            break
        path = path.rpartition("/")[0] or "/"
    bare = _read(read, start + "/HEAD")
    if bare is not None and bare.startswith("ref: refs/") and _read(read, start + "/config") is not None:
        return Repository(start, read)
    return None


def normal(path):
    """Return path without ".", ".." and empty parts."""
    parts = []
    for part in path.split("/"):
        if part == "..":
            if parts and parts[-1] != "..":
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def parse_config(text):
    """Return key -> list of values of a git configuration file; what is malformed in it is left out."""
    found, section = {}, ""
    for line in text.replace("\\\n", "").split("\n"):
        line = line.strip()
        if line.startswith("["):
            head, _close, line = line[1:].partition("]")
            name, quote, sub = head.partition('"')
            section = name.strip().lower() + ("." + sub.rstrip('" ').replace("\\", "") if quote else "")
            line = line.strip()
        if line and line[0] not in "#;" and section:
            key, equals, value = line.partition("=")
            found.setdefault(section + "." + key.strip().lower(), []).append(_value(value.strip()) if equals else "true")
    return found


def config_key(key):
    """Return a key as parse_config spells it: section and name in lower case, what is between them as it is."""
    section, _dot, rest = key.partition(".")
    middle, dot, name = rest.rpartition(".")
    return section.lower() + "." + middle + dot + name.lower()


def _value(text):
    """Return a value without its quotes, escapes and comment."""
    result, quoted, escaped = [], False, False
    for character in text:
        if escaped:
            result.append({"n": "\n", "t": "\t"}.get(character, character))
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            result.append(character)
    return "".join(result).strip()


def _read(read, path):
    try:
        return read(path)
    except (OSError, ValueError):
        return None
