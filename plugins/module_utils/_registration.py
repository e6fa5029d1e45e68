# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the hook runtime's registration with a CLI: the wrapper and the hooks file that calls it.

One implementation for copilot_hooks and codex_hooks. Both files are pinned, see _pinned_file.
"""

from __future__ import annotations

import json
import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _files,
    _hooks_file,
    _host,
    _jsonc,
    _pinned_file,
    _wrapper,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import HOME_OPTIONS, shown
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, edited

OPTIONS = dict(
    HOME_OPTIONS,
    state={"type": "str", "choices": ["present", "absent"], "default": "present"},
    data_dir={"type": "str"},
    wrapper_template={"type": "str"},
)
REQUIRED_IF = [("state", "present", ("wrapper_template",))]
_BY_HAND = "Correct it by hand or remove the file, then run again; it was not touched"


class Target:
    """A CLI to register with.

    name: of the CLI in _host ("copilot"). title: for a person. hooks_file: in the configuration home. form: a class of
    _hooks_file.
    """

    __slots__ = ("name", "title", "hooks_file", "form")

    def __init__(self, name, title, hooks_file, form):
        self.name = name
        self.title = title
        self.hooks_file = hooks_file
        self.form = form


class Registration:
    """What a run did, or in check mode would do.

    answer: the module's result so far. warnings: texts to tell. hooks: what the hooks file holds afterwards ({} for no file).
    wrapper: its path. form: the file's form, for what stands where in it.
    """

    __slots__ = ("answer", "warnings", "hooks", "wrapper", "form")

    def __init__(self, answer, warnings, hooks, wrapper, form):
        self.answer = answer
        self.warnings = warnings
        self.hooks = hooks
        self.wrapper = wrapper
        self.form = form


class HooksFile:
    """Decides on a hooks file. events: the names to register, () for none although the wrapper is wanted."""

    def __init__(self, target, path, form, events=None):
        self.target = target
        self.path = path
        self.form = form
        self.events = events

    def wanted(self, seen):
        """Decision of _pinned_file: exactly our entries, beside those of others."""
        document = self._parsed(seen.data)
        edits, changes = self._plan(document, self.events)
        if document is None:
            if not edits:
                return seen.data, [], ABSENT
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
        edits, changes = self._plan(document, ())
        left = edited(document.value, edits)
        # What others added since stays, so the content decides, not whether the file is as we wrote it last.
        if seen.recorded and seen.original is None and _hooks_file.is_empty(left):
            return None, self._named([((), "removed")]), ABSENT
        if seen.recorded and isinstance(seen.original, bytes) and self.form.left(left) == self._left_of(seen.original):
            return seen.original, self._named([((), "removed")]), ABSENT
        return self._applied(document, edits), self._named(changes), ABSENT

    def _left_of(self, data):
        document = self._parsed(data)
        return self.form.left({} if document is None else document.value)

    def _parsed(self, data):
        if data is None or not data.strip():
            return None
        try:
            return _jsonc.parse(data, strict=True)
        except _jsonc.FormatError as error:
            raise _files.SurfaceError(
                "%s; %s ignores a hooks file that is not plain JSON" % (error.message, self.target.title), self.path, error.line, error.column,
                "Correct it by hand or remove it, then run again; it was not touched",
            ) from None

    def _plan(self, document, events):
        try:
            return _hooks_file.plan(self.form, ABSENT if document is None else document.value, events)
        except _hooks_file.Malformed as error:
            place = ".".join(error.path)
            raise _files.SurfaceError("%s%s" % (place + " " if place else "", error), self.path, hint=_BY_HAND) from None

    def _applied(self, document, edits):
        return _jsonc.apply(document, edits) if edits else document.text.encode("utf-8")

    def _original(self, seen, document):
        """Return what to put back when we leave: never bytes with entries of ours in them, they would call a missing file."""
        if seen.recorded and seen.original is not ABSENT:
            return seen.original
        # Also for a run that was killed before it could note what was there.
        if seen.data is None or document is None:
            return seen.data
        return ABSENT if self._plan(document, ())[0] else seen.data

    def _named(self, changes):
        return [((self.target.hooks_file,) + path, outcome) for path, outcome in changes]


class Wrapper:
    """Decides on agentihooks-hook.sh. data: its bytes as they shall be, None when it shall go."""

    def __init__(self, data):
        self.data = data

    def wanted(self, seen):
        """Decision of _pinned_file: this wrapper."""
        original = ABSENT if seen.data is not None and _wrapper.is_ours(seen.data) else seen.data
        if seen.recorded and seen.original is not ABSENT:
            original = seen.original
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


def converge(module, target, place, events=None):
    """Bring wrapper and hooks file to what the module's options want; return the Registration.

    place: the _document.Home of the target. events: the names to register, () for the wrapper alone, None for all.
    """
    home = module.paths(target.name)[0]
    config_home = place.path
    data_dir = _host.absolute(module, "data_dir") or _host.data_directory(home, os.environ)
    wrapper = os.path.join(config_home, _host.WRAPPER)
    try:
        wrapper.encode("utf-8")
    except UnicodeEncodeError:
        raise _files.SurfaceError(
            "is not UTF-8, so no hooks file can name the wrapper in it", config_home,
            hint="Rename the directory or point %s elsewhere" % _host.CONFIG_HOMES[target.name][0],
        ) from None
    present = module.params["state"] == "present"
    runtime = os.path.join(data_dir, "runtime", "current")
    own = Wrapper(_wrapper.render(module.params["wrapper_template"], runtime, target.name) if present else None)
    form = target.form(wrapper, home)
    hooks_file = HooksFile(target, os.path.join(config_home, target.hooks_file), form, events)

    def on_wrapper(check_mode):
        decide = own.wanted if present else own.unwanted
        return _pinned_file.converge(place, _host.WRAPPER, decide, present, _wrapper.MODE, follow=False, check_mode=check_mode)

    def on_hooks_file(check_mode):
        registers = present and events != ()
        decide = hooks_file.wanted if registers else hooks_file.unwanted
        return _pinned_file.converge(place, target.hooks_file, decide, registers, check_mode=check_mode)

    # A hooks file that cannot be dealt with stops both.
    warnings = on_hooks_file(True).warnings
    # What the entries call is there before them, and goes after them.
    steps = [(wrapper, on_wrapper), (hooks_file.path, on_hooks_file)]
    results = dict((path, step(module.check_mode)) for path, step in (steps if present else reversed(steps)))
    answer = {
        "changed": any(result.changed for result in results.values()),
        "changes": [{"path": list(path), "outcome": outcome} for result in results.values() for path, outcome in result.changes],
        "hand_edited": [],
        "wrapper": _files.printable(wrapper),
    }
    if module._diff:
        answer["diff"] = [_diff(path, result, wrapper) for path, result in results.items() if result.changed]
    after = results[hooks_file.path].after
    return Registration(answer, warnings, json.loads(after.decode("utf-8")) if after.strip() else {}, wrapper, form)


def value_of(path, strict=False):
    """Return what a JSON file of somebody else holds, ABSENT when it cannot be read; this only looks."""
    try:
        return _jsonc.parse(_files.read(path, foreign_owner_ok=True).data, strict).value
    except (_files.SurfaceError, _jsonc.FormatError):
        return ABSENT


def _diff(path, result, wrapper):
    show = (lambda data: data.decode("utf-8", "replace")) if path == wrapper else shown
    return {"before_header": path, "after_header": path, "before": show(result.before), "after": show(result.after)}
