# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the agent CLIs are on this machine and which version they have. Reads only.

An Ansible connection is no login shell, so PATH misses most of the places where people install a CLI: the usual ones
are searched as well. The collection's modules read the same file (plugins/module_utils/_clis.py is a link to it), so it imports
nothing of the runtime.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

# Command name -> npm package. The launcher lies inside its package, or in that of the platform (@github/copilot-linux-x64),
# beside the package.json with the version.
PACKAGES = {"copilot": "@github/copilot", "codex": "@openai/codex"}
VERSION_SECONDS = 20
_VERSION = re.compile(r"\b(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)\b")
# How far above the launcher its package.json may be (bin/, dist/bin/).
_PACKAGE_DEPTH = 4

_HOME_DIRECTORIES = (
    ".local/bin", "bin", ".npm-global/bin", ".npm-packages/bin", ".npm/bin", "node_modules/.bin", ".volta/bin", ".bun/bin",
    ".local/share/pnpm", ".yarn/bin", ".n/bin", "n/bin", ".nvm/versions/node/*/bin", ".local/share/fnm/node-versions/*/installation/bin",
    ".asdf/installs/nodejs/*/bin", ".local/share/mise/installs/node/*/bin", ".nodenv/versions/*/bin", ".asdf/shims",
    ".local/share/mise/shims",
)
_SYSTEM_DIRECTORIES = (
    "/usr/local/bin", "/usr/bin", "/bin", "/usr/local/lib/node/bin", "/opt/*/bin", "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin", "/snap/bin",
)


def directories(home, search_path, root="/"):
    """Return the existing directories to search, best first: PATH as given, then the person's, then the system's.

    Among the versions of a version manager the newest Node comes first. root: where the file system starts (for tests).
    """
    patterns = list(search_path)
    prefix = _npm_prefix(home)
    if prefix:
        patterns.append(os.path.join(prefix, "bin"))
    patterns.extend(os.path.join(glob.escape(home), place) for place in _HOME_DIRECTORIES)
    patterns.extend(os.path.join(root, place.lstrip("/")) for place in _SYSTEM_DIRECTORIES)
    found = []
    for pattern in patterns:
        places = sorted(glob.glob(pattern), key=_version_key, reverse=True) if "*" in pattern else [pattern]
        found.extend(place for place in places if os.path.isabs(place) and os.path.isdir(place))
    return list(dict.fromkeys(found))


def find(name, places):
    """Return the path of the first executable of that name, None when no directory has one."""
    return shutil.which(name, path=os.pathsep.join(places)) if places else None


def installed(name, places, home, environ):
    """Return (path, version) of a CLI; path is None when it is not installed, version None when it cannot be told.

    The version is the one that would run: Copilot starts the newest package it has downloaded, whatever its launcher is.
    """
    path = find(name, places)
    if path is None:
        return None, None
    versions = downloaded(home, environ) if name == "copilot" else []
    version = package_version(path, PACKAGES[name])
    if version is None and not versions:
        version = reported_version(path, places)
    return path, max(versions + [version] if version else versions, key=_version_key, default=None)


def downloaded(home, environ):
    """Return the versions of Copilot that its self-update has put into the person's cache (~/.cache/copilot/pkg)."""
    return [os.path.basename(place) for place in packages(home, environ)]


def packages(home, environ):
    """Return the directories of those versions, oldest first."""
    cache = environ.get("COPILOT_PKG_CACHE_HOME") or environ.get("COPILOT_CACHE_HOME")
    if not cache:
        cache = os.path.join(environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), "copilot")
    places = glob.glob(os.path.join(glob.escape(cache), "pkg", "*", "*"))
    return sorted((place for place in places if _VERSION.fullmatch(os.path.basename(place))), key=lambda place: _version_key(os.path.basename(place)))


def package_version(path, package):
    """Return the version in the package.json of the npm package the launcher lies in, None when it is not in one."""
    directory = os.path.dirname(os.path.realpath(path))
    for _level in range(_PACKAGE_DEPTH):
        try:
            with open(os.path.join(directory, "package.json"), encoding="utf-8") as stream:
                content = json.load(stream)
        except (OSError, ValueError):
            content = None
        if isinstance(content, dict) and str(content.get("name")).startswith(package) and isinstance(content.get("version"), str):
            return content["version"]
        directory = os.path.dirname(directory)
    return None


def reported_version(path, places):
    """Return what `CLI --version` prints, None when it prints none. It runs in a scratch home that is removed again."""
    with tempfile.TemporaryDirectory(prefix="agentihooks-") as scratch:
        environment = {
            "HOME": scratch, "XDG_CACHE_HOME": scratch, "XDG_CONFIG_HOME": scratch, "XDG_STATE_HOME": scratch, "TMPDIR": scratch,
            "COPILOT_HOME": scratch, "CODEX_HOME": scratch, "COPILOT_AUTO_UPDATE": "false", "COPILOT_OFFLINE": "true",
            "PATH": os.pathsep.join([os.path.dirname(path)] + list(places)),
        }
        try:
            result = subprocess.run(
                [path, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=environment, cwd=scratch, timeout=VERSION_SECONDS, check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
    match = _VERSION.search(result.stdout.decode("utf-8", "replace"))
    return match.group(1) if match else None


def _npm_prefix(home):
    """Return the prefix= of the person's .npmrc, None without one."""
    try:
        with open(os.path.join(home, ".npmrc"), encoding="utf-8", errors="replace") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return None
    for line in lines:
        key, separator, value = line.partition("=")
        if separator and key.strip() == "prefix":
            value = value.strip().strip("\"'").replace("${HOME}", home)
            return os.path.join(home, value[2:]) if value.startswith("~/") else value
    return None


def _version_key(path):
    return [int(number) for number in re.findall(r"\d+", path)]
