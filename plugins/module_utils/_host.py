# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: whose home this is and where in it each surface lies. Reads only."""

from __future__ import annotations

import os
import pwd

from ansible_collections.agentihooks.fleet.plugins.module_utils._targets import TARGETS

DATA_DIRECTORY = ".agentihooks"
# Below the data directory: the command for the people on a host, which also serves the toolbelt to the CLIs.
COMMAND = os.path.join("bin", "agentihooks")
# Target -> (environment variable that moves its configuration home, name of that home).
CONFIG_HOMES = {name: target.home for name, target in TARGETS.items()}
WRAPPER = "agentihooks-hook.sh"
# What each has in its configuration home beside what all have.
_SURFACES = {
    "copilot": {
        "settings": "settings.json",
        "config": "config.json",
        "mcp": "mcp-config.json",
    },
    "codex": {
        "config": "config.toml",
    },
}


def passwd_home():
    """Return the passwd home of the user this runs as; HOME, where passwd does not know the user."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return os.path.expanduser("~")


def home_of(module):
    """Return the home a module works in: its option home, else the passwd home of the user it runs as. Raises ValueError."""
    return absolute(module, "home") or passwd_home()


def absolute(module, option):
    """Return an option's path, None when it is not given. Raises ValueError for one that is not absolute.

    Such options are strings: Ansible's type path would expand a "$" that is part of a directory's name.
    """
    value = module.params[option]
    if value is None:
        return None
    if not os.path.isabs(value) or "\0" in value:
        raise ValueError("%s: %r is not an absolute path; leave it out for the default" % (option, value))
    return os.path.normpath(value)


def config_home(target, home, environ):
    """Return the configuration home of a target: COPILOT_HOME or CODEX_HOME (the first of a comma list), else in the home."""
    variable, name = CONFIG_HOMES[target]
    return _place(environ.get(variable, "").split(",")[0].strip(), home) or os.path.join(home, name)


def config_homes(home, environ):
    """Return target -> configuration home."""
    return {target: config_home(target, home, environ) for target in CONFIG_HOMES}


def data_directory(home, environ):
    """Return where the runtime, its logs and its state live: AGENTIHOOKS_HOME, else .agentihooks in the home."""
    return _place(environ.get("AGENTIHOOKS_HOME", "").strip(), home) or os.path.join(home, DATA_DIRECTORY)


def surfaces(home, homes):
    """Return name -> path of every file and directory that is configured. homes: as config_homes() returns them."""
    found = {
        "%s_%s" % (target, name): os.path.join(homes[target], place)
        for target in homes
        for name, place in dict(_SURFACES.get(target, {}), **_of_all(TARGETS[target])).items()
    }
    moved = homes["copilot"] != os.path.join(home, CONFIG_HOMES["copilot"][1])
    shared = os.path.join(home, ".agents", "skills")
    found.update(("%s_skills" % target, shared) for target in homes)
    if moved:  # Copilot reads ~/.agents/skills only while its home is the usual one
        found["copilot_skills"] = os.path.join(homes["copilot"], "skills")
    return found


def _of_all(target):
    """Return name -> place of what every target has."""
    return {"hooks": target.hooks_file, "wrapper": WRAPPER, "persona": target.instructions, "agents": "agents", "ledger": ".agentihooks-managed.json"}


def is_wsl(environ, root="/"):
    """Return whether this is a Windows Subsystem for Linux. root: where the file system starts (for tests)."""
    if environ.get("WSL_DISTRO_NAME") or environ.get("WSL_INTEROP"):
        return True
    if os.path.exists(below(root, "/proc/sys/fs/binfmt_misc/WSLInterop")):
        return True
    for name in ("/proc/version", "/proc/sys/kernel/osrelease"):
        try:
            with open(below(root, name), encoding="utf-8", errors="replace") as stream:
                text = stream.read(1000).lower()
        except OSError:
            continue
        if "microsoft" in text or "wsl" in text:
            return True
    return False


def is_executable(path):
    """Return whether path is a file that may be run."""
    return os.path.isfile(path) and os.access(path, os.X_OK)


def below(root, path):
    """Return an absolute path as it lies in a file system that starts at root."""
    return os.path.join(root, path.lstrip("/"))


def _place(value, home):
    """Return a configured directory as an absolute path, "" when none is configured."""
    if value == "~" or value.startswith("~/"):
        value = home + value[1:]
    return os.path.normpath(value) if os.path.isabs(value) else ""
