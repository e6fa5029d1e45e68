#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers the hook runtime with Copilot CLI."""

from __future__ import annotations

DOCUMENTATION = r"""
module: copilot_hooks
short_description: Register the hook runtime with Copilot CLI
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Writes C(agentihooks-hook.sh), the wrapper that starts the hook runtime, and C(hooks/agentihooks.json), which has Copilot
    CLI call it on its 12 events, into the configuration home of Copilot CLI.
  - The wrapper and its entries are pinned. A hand-edit of them is put right and reported with the outcome V(pinned). Entries
    of somebody else in the same file stay where they are, and other hook files are not touched.
  - The hook runtime must be there already, see M(agentihooks.fleet.hooks_runtime). Without it every tool call is denied.
options:
  state:
    description:
      - V(present) registers and repairs.
      - V(absent) takes out exactly what is ours. A file that was there before comes back as it was, if it still is what this
        module wrote.
    type: str
    choices: [present, absent]
    default: present
  data_dir:
    description:
      - The data directory with the hook runtime, an absolute path.
      - The default is E(AGENTIHOOKS_HOME), else C(.agentihooks) in the home.
    type: str
  wrapper_template:
    description: The text of the wrapper. The module's action plugin fills it in; there is nothing to give here.
    type: str
extends_documentation_fragment:
  - agentihooks.fleet._home
attributes:
  check_mode:
    description: Predicts exactly what a run would change.
    support: full
  diff_mode:
    description: Shows both files before and after.
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.hooks_runtime
"""

EXAMPLES = r"""
- name: Have Copilot CLI call the hook runtime
  agentihooks.fleet.copilot_hooks:

- name: Take it out again
  agentihooks.fleet.copilot_hooks:
    state: absent
"""

RETURN = r"""
changes:
  description: What was changed, or would be, and why.
  returned: always
  type: list
  elements: dict
  contains:
    path:
      description: The file, then the keys in it.
      returned: always
      type: list
      elements: str
    outcome:
      description: V(created), V(pinned), V(updated) or V(removed).
      returned: always
      type: str
  sample: [{path: [hooks/agentihooks.json, hooks, preToolUse], outcome: pinned}]
hand_edited:
  description: Always empty, because everything here is pinned.
  returned: always
  type: list
  elements: list
wrapper:
  description: The wrapper.
  returned: always
  type: str
  sample: /home/ada/.copilot/agentihooks-hook.sh
"""

import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _copilot,
    _files,
    _hooks_file,
    _host,
    _jsonc,
    _pinned_file,
    _wrapper,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, run, shown
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, edited


class HooksFile:
    """Decides on hooks/agentihooks.json. wrapper: the absolute path of the wrapper."""

    def __init__(self, path, wrapper, home):
        self.path = path
        self.wrapper = wrapper
        self.home = home

    def wanted(self, seen):
        """Decision of _pinned_file: exactly our entries, beside those of others."""
        document = self._parsed(seen.data)
        edits, changes = self._plan(document)
        if document is None:
            # A file that we wrote and that is gone was removed by somebody.
            changes = [(path, "pinned" if seen.recorded else outcome) for path, outcome in changes]
            after = _jsonc.dump(edited({}, edits))
        else:
            after = self._applied(document, edits)
        return after, self._named(changes), self._original(seen, document)

    def unwanted(self, seen):
        """Decision of _pinned_file: none of our entries."""
        if seen.data is None:
            return None, [], ABSENT
        document = self._parsed(seen.data)
        if document is None:
            return seen.data, [], ABSENT
        edits, changes = self._plan(document, events=())
        left = edited(document.value, edits)
        # What others added since stays, so the content decides, not whether the file is as we wrote it last.
        if seen.recorded and seen.original is None and _hooks_file.is_empty(left):
            return None, self._named([((), "removed")]), ABSENT
        if seen.recorded and isinstance(seen.original, bytes) and _entries(left) == self._entries_of(seen.original):
            return seen.original, self._named([((), "removed")]), ABSENT
        return self._applied(document, edits), self._named(changes), ABSENT

    def _entries_of(self, data):
        document = self._parsed(data)
        return _entries({} if document is None else document.value)

    def _parsed(self, data):
        if data is None or not data.strip():
            return None
        try:
            return _jsonc.parse(data, strict=True)
        except _jsonc.FormatError as error:
            raise _files.SurfaceError(
                "%s; Copilot ignores a hooks file that is not plain JSON" % error.message, self.path, error.line, error.column,
                "Correct it by hand or remove it, then run again; it was not touched",
            ) from None

    def _plan(self, document, **kwargs):
        try:
            return _hooks_file.plan(ABSENT if document is None else document.value, self.wrapper, self.home, **kwargs)
        except _hooks_file.Malformed as error:
            place = ".".join(error.path)
            raise _files.SurfaceError(
                "%s%s" % (place + " " if place else "", error), self.path, hint="Correct it by hand or remove the file, then run again; it was not touched"
            ) from None

    def _applied(self, document, edits):
        return _jsonc.apply(document, edits) if edits else _bytes_of(document)

    def _original(self, seen, document):
        """Return what to put back when we leave: never bytes with entries of ours in them, they would call a missing file."""
        if seen.recorded:
            return seen.original
        if seen.data is None or document is None:
            return seen.data
        return ABSENT if self._plan(document, events=())[0] else seen.data

    @staticmethod
    def _named(changes):
        return [((_host.HOOKS_FILE,) + path, outcome) for path, outcome in changes]


def _entries(value):
    """Return what a hooks file says besides the keys that we may have set: its entries by event, and its other keys."""
    hooks = value.get("hooks")
    by_event = {event: entries for event, entries in hooks.items() if entries} if isinstance(hooks, dict) else hooks or {}
    return by_event, {key: inner for key, inner in value.items() if key not in ("hooks", "version", "disableAllHooks")}


class Wrapper:
    """Decides on agentihooks-hook.sh. data: its bytes as they shall be, None when it shall go."""

    def __init__(self, data):
        self.data = data

    def wanted(self, seen):
        """Decision of _pinned_file: this wrapper."""
        original = seen.original if seen.recorded else ABSENT if seen.data is not None and _wrapper.is_ours(seen.data) else seen.data
        if seen.data == self.data:
            return self.data, [], original
        outcome = "updated" if seen.untouched else "pinned" if seen.recorded or seen.data is not None else "created"
        return self.data, [((_host.WRAPPER,), outcome)], original

    @staticmethod
    def unwanted(seen):
        """Decision of _pinned_file: what was there before us. Without a ledger, only a wrapper that says it is ours goes."""
        if seen.data is None or not (seen.recorded or _wrapper.is_ours(seen.data)):
            return seen.data, [], ABSENT
        original = seen.original if isinstance(seen.original, bytes) else None
        return original, [((_host.WRAPPER,), "removed")], ABSENT


def elsewhere(config_home, wrapper, home):
    """Return warnings about other places that have our wrapper registered or hooks switched off."""
    warnings = []
    settings = _value_of(os.path.join(config_home, _copilot.SETTINGS))
    if isinstance(settings, dict):
        if _hooks_file.mentions(settings.get("hooks"), wrapper, home):
            warnings.append("%s also registers the wrapper under \"hooks\", so it runs twice per event; take it out there" % _copilot.SETTINGS)
        if settings.get("disableAllHooks") is True:
            warnings.append("%s sets disableAllHooks; agentihooks.fleet.copilot_settings puts it back" % _copilot.SETTINGS)
    hooks = os.path.join(config_home, "hooks")
    for parent, directories, names in os.walk(hooks):
        directories.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            place = os.path.relpath(path, config_home)
            if name.endswith(".json") and place != _host.HOOKS_FILE and _hooks_file.mentions(_value_of(path), wrapper, home):
                warnings.append("%s also registers the wrapper, so it runs twice per event; take it out there" % place)
    return warnings


def converge(module):
    """Bring wrapper and hooks file to what is wanted and exit."""
    home, config_home = module.paths("copilot")
    data_dir = _host.absolute(module, "data_dir") or _host.data_directory(home, os.environ)
    wrapper = os.path.join(config_home, _host.WRAPPER)
    try:
        wrapper.encode("utf-8")
    except UnicodeEncodeError:
        raise _files.SurfaceError(
            "is not UTF-8, so no hooks file can name the wrapper in it", config_home, hint="Rename the directory or point COPILOT_HOME elsewhere"
        ) from None
    present = module.params["state"] == "present"
    runtime = os.path.join(data_dir, "runtime", "current")
    own = Wrapper(_wrapper.render(module.params["wrapper_template"], runtime, "copilot") if present else None)
    hooks_file = HooksFile(os.path.join(config_home, _host.HOOKS_FILE), wrapper, home)
    place = _copilot.home(module)

    def on_wrapper(check_mode):
        decide = own.wanted if present else own.unwanted
        return _pinned_file.converge(place, _host.WRAPPER, decide, present, _wrapper.MODE, follow=False, check_mode=check_mode)

    def on_hooks_file(check_mode):
        decide = hooks_file.wanted if present else hooks_file.unwanted
        return _pinned_file.converge(place, _host.HOOKS_FILE, decide, present, check_mode=check_mode)

    # A hooks file that cannot be dealt with stops both.
    warnings = on_hooks_file(True).warnings
    # What the entries call is there before them, and goes after them.
    steps = [(wrapper, on_wrapper), (hooks_file.path, on_hooks_file)]
    results = [(path, step(module.check_mode)) for path, step in (steps if present else reversed(steps))]
    for warning in warnings + (elsewhere(config_home, wrapper, home) if present else []):
        module.warn(warning)
    answer = {
        "changed": any(result.changed for _path, result in results),
        "changes": [{"path": list(path), "outcome": outcome} for _file, result in results for path, outcome in result.changes],
        "hand_edited": [],
        "wrapper": _files.printable(wrapper),
    }
    if module._diff:
        answer["diff"] = [_diff(path, result, wrapper) for path, result in results if result.changed]
    module.exit_json(**answer)


def main():
    """Run the module."""
    options = {
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "data_dir": {"type": "str"},
        "wrapper_template": {"type": "str"},
    }
    run(converge, argument_spec=dict(HOME_OPTIONS, **options), required_if=[("state", "present", ("wrapper_template",))])


def _value_of(path):
    """Return what a JSON file of somebody else holds, ABSENT when it cannot be read; this only looks."""
    try:
        return _jsonc.parse(_files.read(path, foreign_owner_ok=True).data).value
    except (_files.SurfaceError, _jsonc.FormatError):
        return ABSENT


def _bytes_of(document):
    return document.text.encode("utf-8")


def _diff(path, result, wrapper):
    show = (lambda data: data.decode("utf-8", "replace")) if path == wrapper else shown
    return {"before_header": path, "after_header": path, "before": show(result.before), "after": show(result.after)}


if __name__ == "__main__":
    main()
