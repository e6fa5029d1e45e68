# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what is special about Copilot CLI's own files. Data, and pure functions over it."""

from __future__ import annotations

import posixpath
import re

from ansible_collections.agentihooks.fleet.plugins.module_utils._document import Home
from ansible_collections.agentihooks.fleet.plugins.module_utils._ledger import IN_FILE_KEYS
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Rules
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at

SETTINGS = "settings.json"
CONFIG = "config.json"
MCP_CONFIG = "mcp-config.json"

# Lock files that Copilot makes at its first write and keeps (flock, measured on 1.0.102; the versions before take no turns).
TURNS = {SETTINGS: "settings.json.lock", MCP_CONFIG: ".mcp-writer.lock"}

# Measured: true in a person's own settings drops the hooks of that file only, but it must not be inherited either.
SETTINGS_PINS = {("disableAllHooks",): False}
# The person changes them with /mcp enable and /mcp disable.
DISABLED_SERVERS = "disabledMcpServers"
ENABLED_SERVERS = "enabledMcpServers"
SETTINGS_UNIONS = ((DISABLED_SERVERS,), (ENABLED_SERVERS,))
# A command without its type, or the reverse, is no status line.
SETTINGS_WHOLE = (("statusLine",),)

# Key -> why it is never written to settings.json.
RESERVED = {
    "agentihooks": "it is bookkeeping of earlier versions, and Copilot warns about it at every launch",
    "_agentihooks": "it holds directives for the installation, which Copilot does not know and warns about at every launch",
    "hooks": "hooks in the settings would run a second time beside hooks/agentihooks.json",
    "permissions": "in a person's settings they have no effect, so they would only look like protection",
    "trustedFolders": "Copilot does not read it there and warns at every launch; use the module trusted_folders",
    "trusted_folders": "Copilot does not read it there and warns at every launch; use the module trusted_folders",
}

# Both spellings are read from config.json; a new one gets the first.
TRUSTED_KEYS = ("trustedFolders", "trusted_folders")


def settings_rules(present=True, never_disabled=()):
    """Return the Rules of settings.json; without pins when everything of ours is to go.

    never_disabled: names of MCP servers that must not be in disabledMcpServers, whoever put them there.
    """
    floors = {(DISABLED_SERVERS,): list(never_disabled)} if never_disabled else {}
    return Rules(SETTINGS_PINS if present else {}, SETTINGS_UNIONS, SETTINGS_WHOLE, floors, retired=IN_FILE_KEYS)


def without_reserved(settings):
    """Return (settings, warnings): the table without the keys that are never written, and why each was dropped."""
    kept, warnings = {}, []
    for key, value in settings.items():
        if key in RESERVED:
            warnings.append("settings.%s was dropped: %s" % (key, RESERVED[key]))
        elif key.startswith("_"):
            warnings.append("settings.%s was dropped: keys that start with _ are reserved" % key)
        else:
            kept[key] = value
    return kept, warnings


def config_rules():
    """Return the Rules of config.json: of the CLI's own file nothing but the trusted folders."""
    return Rules(unions=[(key,) for key in TRUSTED_KEYS])


def trusted_key(config):
    """Return the key that holds the trusted folders. config: the table of config.json, ABSENT when there is none."""
    first, second = TRUSTED_KEYS
    return second if at(config, (first,)) is ABSENT and at(config, (second,)) is not ABSENT else first


def absolute_folders(folders, person):
    """Return folders as Copilot compares them: absolute, without a trailing slash, ~ is the person's home. Raises ValueError."""
    found = []
    for folder in folders:
        path = person + folder[1:] if folder == "~" or folder.startswith("~/") else folder
        if not path.startswith("/"):
            raise ValueError("folders: %r is no absolute path" % folder)
        found.append(posixpath.normpath(path))
    return found


def home(module):
    """Return the _document.Home of Copilot that a module's options name."""
    options = module.params
    return Home(module.paths("copilot")[1], options["manager"], options["takeover"], settings_rules(), source=module.source(), turns=TURNS)


def is_copilot(argv, executable):
    """Return whether a process is Copilot CLI. argv: its command line, executable: what it runs ("" if unknown)."""
    if re.fullmatch(r"copilot(\.exe)?( \(deleted\))?", executable.rsplit("/", 1)[-1]):
        return True
    if not argv:
        return False
    name = argv[0].rsplit("/", 1)[-1]
    if name in ("node", "nodejs", "bun"):
        scripts = [word for word in argv[1:4] if not word.startswith("-")][:1]
        return any("/@github/copilot" in script or script.rsplit("/", 1)[-1] == "copilot" for script in scripts)
    return name == "copilot"
