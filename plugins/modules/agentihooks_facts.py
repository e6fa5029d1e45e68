#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about one person's agent CLIs on one host, in one round trip."""

from __future__ import annotations

DOCUMENTATION = r"""
module: agentihooks_facts
short_description: Tell what is on a host before agent CLIs are configured there
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Returns the home, the Python for the hooks, the agent CLIs with their versions, whether the host is WSL, the browser
    launcher that works there, and which configuration files exist, for the user the module runs as.
  - Reads only. A CLI is asked for its version only when its npm package does not tell it, and then in a scratch home
    that is removed again.
options:
  home:
    description: The home directory to look at, an absolute path. The default is the passwd home of the user the module runs as.
    type: str
  python:
    description:
      - The Python interpreter that the hooks shall run on, an absolute path. It wins when it starts and is 3.8 or newer.
      - The default is the system's Python 3 (3.8 or newer). A pyenv, asdf or mise shim or a virtual environment's Python
        is never chosen by itself, only the real binary behind it, and only when there is no other.
    type: str
  browser_command:
    description:
      - Which program opens a sign-in address of Copilot CLI.
      - V(auto) means, under WSL, the first of C(wslview), Chrome and Edge for Windows that is there, and nothing elsewhere.
      - Otherwise a command line, split like a shell does, or a list of words. The address is added as the last word.
      - One that cannot work on the host is left out with a warning, which RV(ansible_facts.agentihooks.browser_warning) holds too.
    type: raw
attributes:
  check_mode:
    description: Can run in check mode and return the same facts.
    support: full
  diff_mode:
    description: Changes nothing, so there is nothing to show.
    support: N/A
  facts:
    description: Returns facts as C(ansible_facts.agentihooks).
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
"""

EXAMPLES = r"""
- name: Look at the host
  agentihooks.fleet.agentihooks_facts:
    browser_command: auto

- name: Show what runs the hooks and which Copilot CLI is there
  ansible.builtin.debug:
    msg: "{{ ansible_facts.agentihooks.python }} {{ ansible_facts.agentihooks.copilot.version }}"
"""

RETURN = r"""
ansible_facts:
  description: The facts.
  returned: always
  type: dict
  contains:
    agentihooks:
      description: All facts of this module.
      returned: always
      type: dict
      contains:
        home:
          description: The home directory looked at.
          returned: always
          type: str
          sample: /home/ada
        data_dir:
          description: Where the hook runtime lives, E(AGENTIHOOKS_HOME) or C(.agentihooks) in the home.
          returned: always
          type: str
          sample: /home/ada/.agentihooks
        python:
          description: The interpreter for the hooks; null when the host has none that is usable.
          returned: always
          type: str
          sample: /usr/bin/python3
        python_version:
          description: Its version.
          returned: always
          type: str
          sample: 3.11.2
        python_passed_over:
          description: The interpreters that were tried first, each with the reason why it is not used.
          returned: always
          type: list
          elements: dict
          sample: [{path: /home/ada/.venv/bin/python3, reason: belongs to a virtual environment}]
        is_wsl:
          description: Whether the host is a Windows Subsystem for Linux.
          returned: always
          type: bool
        browser:
          description: The browser launcher as words; null when Copilot's own choice stays.
          returned: always
          type: list
          elements: str
          sample: [/usr/bin/wslview]
        browser_warning:
          description: Why O(browser_command) is not used; null when there is nothing to say.
          returned: always
          type: str
        copilot:
          description: Copilot CLI. C(path) and C(version) are null when it is not found, C(home) is its configuration home.
          returned: always
          type: dict
          sample: {path: /usr/local/bin/copilot, version: 1.0.102, home: /home/ada/.copilot}
        codex:
          description: Codex CLI, like C(copilot).
          returned: always
          type: dict
          sample: {path: null, version: null, home: /home/ada/.codex}
        surfaces:
          description: The files and directories that this collection configures, each with its C(path) and whether it C(exists).
          returned: always
          type: dict
          sample: {copilot_settings: {path: /home/ada/.copilot/settings.json, exists: true}}
        ledgers:
          description:
            - For each target, the record of earlier runs.
            - C(state) is V(missing), V(ok), V(legacy) (left by AgentiHooks itself), V(damaged), V(unreadable) or V(newer) (left by
              a newer version of this collection), C(manager) is who wrote it, C(source) the bundle and commit it came from if that was
              said, C(surfaces) are the files it tells about.
          returned: always
          type: dict
          sample: {copilot: {state: ok, manager: agentihooks.fleet/default, source: team-bundle, surfaces: [settings.json]}}
"""

import os
import platform

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _browser,
    _clis,
    _files,
    _host,
    _interpreter,
    _ledger,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import run


def gather(home, python=None, browser_command=None, environ=None, root="/"):
    """Return the facts as a dict. root: where the file system starts (tests pass a scratch directory)."""
    environ = os.environ if environ is None else environ
    search_path = [place for place in environ.get("PATH", "").split(os.pathsep) if os.path.isabs(place)]
    places = _clis.directories(home, search_path, root)
    is_wsl = _host.is_wsl(environ, root)
    path, version, passed_over = _interpreter.choose(python, _interpreter.candidates(search_path, root), _interpreter.probe)
    browser, browser_warning = _browser.resolve(
        browser_command, is_wsl, lambda file: _host.is_executable(_host.below(root, file)), lambda name: _clis.find(name, places)
    )
    homes = _host.config_homes(home, environ)
    facts = {
        "home": home,
        "data_dir": _host.data_directory(home, environ),
        "python": path,
        "python_version": version,
        "python_passed_over": passed_over,
        "is_wsl": is_wsl,
        "browser": browser,
        "browser_warning": browser_warning,
        "surfaces": {name: {"path": place, "exists": os.path.lexists(place)} for name, place in _host.surfaces(home, homes).items()},
        "ledgers": {target: ledger(config_home) for target, config_home in homes.items()},
    }
    for target, config_home in homes.items():
        cli, cli_version = _clis.installed(target, places, home, environ)
        facts[target] = {"path": cli, "version": cli_version, "home": config_home}
    return facts


def ledger(config_home):
    """Return {"state", "manager", "source", "surfaces"} of the ledger in a configuration home; None for what it cannot tell."""
    try:
        found = _files.read(os.path.join(config_home, _ledger.LEDGER), foreign_owner_ok=True, unreadable_ok=True)
        if not found.exists:
            return {"state": "missing", "manager": None, "source": None, "surfaces": []}
        content = None if found.data is None else _ledger.load(found.data)
    except _ledger.NewerLedger:
        return {"state": "newer", "manager": None, "source": None, "surfaces": []}
    except _files.SurfaceError as error:
        return {"state": "damaged" if error.number is None else "unreadable", "manager": None, "source": None, "surfaces": []}
    if content is None:
        return {"state": "damaged" if found.data is not None else "unreadable", "manager": None, "source": None, "surfaces": []}
    state = "ok" if content.manager else "legacy"
    return {"state": state, "manager": content.manager or None, "source": content.source or None, "surfaces": sorted(content.surfaces)}


def collect(module):
    """Gather the facts and exit."""
    home = _host.home_of(module)
    facts = gather(home, _host.absolute(module, "python"), module.params["browser_command"])
    if facts["browser_warning"]:
        # Ansible tells a warning without its host, and this one is about the host alone.
        module.warn(_files.printable("%s: %s" % (platform.node() or "this host", facts["browser_warning"])))
    module.exit_json(changed=False, ansible_facts={"agentihooks": facts})


def main():
    """Run the module."""
    run(collect, argument_spec={"home": {"type": "str"}, "python": {"type": "str"}, "browser_command": {"type": "raw"}})


if __name__ == "__main__":
    main()
