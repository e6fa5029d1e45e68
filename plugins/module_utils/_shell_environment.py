# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what a person's shells export for the CLIs: the environment file and the block that reads it.

Both belong to the data directory: its ledger remembers them, the file by its name, a shell's file by its absolute path.
"""

from __future__ import annotations

import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import _environment, _environment_file, _files, _region
from ansible_collections.agentihooks.fleet.plugins.module_utils._document import converge
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules

FILE = "copilot.env"
MODE = 0o600

_BLOCK = (_region.REGION,)


class Step:
    """One file to bring to what is wanted. label: what paths to it start with in results and in reclaim; path: absolute;
    name: in the ledger; want: as _document.converge takes it; form: the format."""

    __slots__ = ("label", "path", "name", "want", "form")

    def __init__(self, label, path, name, want, form):
        self.label = label
        self.path = path
        self.name = name
        self.want = want
        self.form = form

    def shown(self, path):
        """Return a path inside the file as results tell it; a shell's file has one thing of ours, which needs no name."""
        return (self.label,) if path == _BLOCK else (self.label,) + path

    def inside(self, path):
        """Return the path inside the file that a path of results means, None when it means another file."""
        if path[0] != self.label:
            return None
        return path[1:] or _BLOCK


class Done:
    """What a run did to one file, or would do. step; result: a _document.Result; tightened: whether its mode was too wide."""

    __slots__ = ("step", "result", "tightened")

    def __init__(self, step, result, tightened):
        self.step = step
        self.result = result
        self.tightened = tightened

    @property
    def changes(self):
        """(path, outcome) pairs as results tell them."""
        pinned = [((self.step.label,), "pinned")] if self.tightened else []
        return pinned + [(self.step.shown(path), outcome) for path, outcome in self.result.changes]

    @property
    def hand_edited(self):
        """Paths as results tell them."""
        return [self.step.shown(path) for path in self.result.hand_edited]


def steps(store, person, variables, shells):
    """Return the Steps that are due, in their order; none when nothing is wanted and nothing was written earlier.

    store: the _document.Store of the data directory. person: the home. variables: name to value. shells: the absolute
    paths of the files that get the block. Raises ValueError for a variable that cannot be.
    """
    data, recorded = store.home, set(store.ledger.surfaces)
    block = {_region.REGION: _environment.block(_environment.in_shell(data.file(FILE), person))}
    _environment_file.wanted(variables, {})
    found = []
    if variables or FILE in recorded:
        found.append(Step(FILE, data.file(FILE), FILE, lambda disk: _environment_file.wanted(variables, disk), _environment_file))
    wanted = shells if variables else []
    for path in wanted + sorted(name for name in recorded if os.path.isabs(name) and name not in wanted):
        table = block if path in wanted else {}
        found.append(Step(_below(path, person), path, path, lambda disk, table=table: table, _environment.SHELL_FILE))
    # What the block reads is there before the block, and goes after it.
    return found if variables else found[::-1]


def perform(data, due, policy, check_mode):
    """Do the steps, or in check mode only say what they would do; return a Done for each. Raises SurfaceError."""
    done = []
    for step in due:
        paths = [step.inside(path) for path in policy.reclaim if path]
        own = Policy(policy.on_conflict, policy.adopt, [path for path in paths if path is not None])
        tightened = step.form is _environment_file and bool(step.want({})) and _tighten(step.path, check_mode)
        try:
            done.append(Done(step, converge(data, step.name, step.want, Rules(), own, step.form, check_mode), tightened))
        except SurfaceError as error:
            if step.form is not _environment.SHELL_FILE or error.path != step.path:
                raise
            hint = "%s. To leave this file alone, name the others in shell_files" % error.hint
            raise SurfaceError(error.message, error.path, error.line, error.column, hint) from None
    return done


def _tighten(path, check_mode):
    """Take from everybody else the rights on a file; return whether they had any. Before anything secret is written to it."""
    snapshot = _files.read(path)
    wide = snapshot.exists and bool(snapshot.mode & 0o077)
    if wide and not check_mode:
        os.chmod(snapshot.real, MODE)
    return wide


def _below(path, person):
    """Return a path as seen from the home, unchanged for one elsewhere: the same words fit everybody's home."""
    relative = os.path.relpath(path, person)
    return path if relative.startswith(os.pardir) else relative
