# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which repository a session works in, whether its CLI trusts it, and its files, read without leaving it.

Trust is the CLI's own record, read at each use. Copilot: a folder in trustedFolders of config.json, or one below it, counts
(measured on 1.0.80 and 1.0.102; a common beginning of the name does not). Codex: trust_level "trusted" of the folder or its
root in config.toml. What cannot be read or understood is not trusted.
"""

from __future__ import annotations

import json
import os
import stat

from agentihooks.config_homes import config_home

MAX_LEVELS = 10  # directories to go up from the working directory
MAX_CONFIG = 1 << 20  # bytes
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def root(cwd, home):
    """Return the repository's directory: the nearest one at or above cwd with .git in it, else with .claude; "" for none.

    The home directory and / are none: what lies there is the person's, not a project's.
    """
    if not os.path.isabs(cwd) or "\0" in cwd:
        return ""
    directory, claude = os.path.realpath(cwd), ""
    home = os.path.realpath(home) if home else ""
    for _level in range(MAX_LEVELS + 1):
        if directory in (home, os.path.dirname(directory)):
            break
        if os.path.lexists(os.path.join(directory, ".git")):
            return directory
        if not claude and os.path.isdir(os.path.join(directory, ".claude")):
            claude = directory
        directory = os.path.dirname(directory)
    return claude


def is_trusted(target, cwd, root, home, environ):
    """Return whether the calling CLI trusts the folder. Never raises."""
    try:
        if target == "copilot":
            config = os.path.join(config_home(target, home, environ), "config.json")
            return _copilot_trusts(_text(config), os.path.realpath(cwd))
        config = os.path.join(config_home("codex", home, environ), "config.toml")
        return _codex_trusts(_text(config), [cwd, os.path.realpath(cwd), root])
    except (OSError, ValueError, RecursionError):
        return False


def read(root, relative, limit):
    """Return the first limit bytes of a file of the repository, b"" when there is none. Never raises.

    What is no plain file, or leads out of the repository, or to a file with another kind of name, is not read.
    """
    try:
        path = os.path.realpath(os.path.join(root, relative))
        if not path.startswith(os.path.realpath(root) + os.sep) or os.path.splitext(path)[1] != os.path.splitext(relative)[1]:
            return b""
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        return _read_all(descriptor, limit)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _read_all(descriptor, limit):
    chunks = []
    while limit > 0:
        chunk = os.read(descriptor, min(limit, 1 << 16))
        if not chunk:
            break
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)


def _text(path):
    """Return a configuration file's text. Raises OSError or ValueError for one that is not there or unfit."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a link of the person's own is followed
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_CONFIG:
            raise ValueError("no plain file of a sane size")
        return _read_all(descriptor, MAX_CONFIG).decode("utf-8-sig")
    finally:
        os.close(descriptor)


def _copilot_trusts(text, directory):
    """Return whether a folder that config.json lists is directory (without links) or above it. Raises ValueError."""
    # The CLI writes two comment lines above the object; comments elsewhere are a person's and are not understood.
    config = json.loads("\n".join(line for line in text.split("\n") if not line.lstrip().startswith("//")))
    if not isinstance(config, dict):
        return False
    for key in ("trustedFolders", "trusted_folders"):
        for folder in config[key] if isinstance(config.get(key), list) else []:
            if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder:
                trusted = os.path.realpath(folder)
                if directory == trusted or directory.startswith(trusted.rstrip(os.sep) + os.sep):
                    return True
    return False


def _codex_trusts(text, directories):
    """Return whether config.toml has one of the directories as a trusted project, in the form the CLI itself writes."""
    wanted = ["[projects.%s]" % json.dumps(directory, ensure_ascii=False) for directory in directories if directory]
    wanted += ["[projects.'%s']" % directory for directory in directories if directory]
    inside = False
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith("["):
            inside = line in wanted
        elif inside and line.partition("#")[0].replace(" ", "") in ('trust_level="trusted"', "trust_level='trusted'"):
            return True
    return False
