# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the one driver of directories in which each file is owned by itself (agents, skills).

A directory is a table and a file is a value in it: one text that says what kind of file it is and what it holds, so the
ownership rule is the same as for settings. Only the paths that are wanted or recorded are looked at; what else a person
keeps there is never read and never removed.
"""

from __future__ import annotations

import contextlib
import os
import stat

from ansible_collections.agentihooks.fleet.plugins.module_utils import _files, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._document import ATTEMPTS, Result, Store
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import Changed, SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, Entry, Record, Rules
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at, fingerprint

# The first character of a value: a file, one that may be run, a symbolic link, anything else.
FILE, EXECUTABLE, LINK, OTHER = "-", "x", "l", "?"
FILE_MODE = 0o644
DIRECTORY_MODE = 0o755


def file_value(data, executable=False):
    """Return the value of a file with these bytes."""
    return (EXECUTABLE if executable else FILE) + data.decode("latin-1")


def link_value(target):
    """Return the value of a symbolic link to a path."""
    return LINK + os.fsencode(target).decode("latin-1")


def bytes_of(value):
    """Return the bytes of a file's value; of a link's, its target."""
    return value[1:].encode("latin-1")


def table_of(files):
    """Return the table of {path with "/": value}."""
    table = {}
    for path, value in files.items():
        *parents, name = path.split("/")
        place = table
        for parent in parents:
            place = place.setdefault(parent, {})
        place[name] = value
    return table


class Surface:
    """A directory to converge.

    home: the _document.Home whose ledger has it. name: the ledger's name for it. directory: its path.
    target: the CLI that wants the files, where several read the directory; "" where only one does.
    planner: what decides, see _group_plan.plan_groups and _ownership.plan. whole: whether the first key of a path is a
    directory that is one thing (a skill), so that a link there is its owner's.
    names: what AgentiHooks itself made here, without hashes, when this collection has no record yet.
    unknown: whether more may be wanted than is said, so that nothing is removed.
    """

    def __init__(self, home, name, directory, planner, target="", whole=False, names=(), unknown=False):
        self.home = home
        self.name = name
        self.directory = directory
        self.planner = planner
        self.target = target
        self.whole = whole
        self.names = names
        self.unknown = unknown


def converge(surface, desired, policy, check_mode=False):
    """Bring a directory to what is desired (a table of values); return the Result with before and after as tables.

    They hold the values that change, and no others. Raises SurfaceError, and then nothing was touched but what the ledger knows.
    """
    with _files.lock(surface.home.path) as locked:
        if not check_mode:
            for directory in (surface.home.path, surface.directory):
                _files.remove_stale_temporaries(directory, locked)
        for _attempt in range(ATTEMPTS):
            try:
                return _Run(surface, desired, policy, locked).perform(check_mode)
            except Changed:
                continue
    raise SurfaceError("another program keeps changing it while this run decides", surface.directory, hint="Run again when it is quiet")


class _Run:
    """One attempt at a directory."""

    def __init__(self, surface, desired, policy, locked):
        self.surface, self.locked = surface, locked
        self.store = Store(surface.home)
        known = self.store.ledger.surfaces.get(surface.name)
        self.lost = self.store.ledger.lost and known is None
        originals = self.store.originals.values.get(surface.name, {})
        names = () if known else surface.names or self.store.ledger.names
        recorded = _recorded(known, surface.directory)
        self.disk = _observed(surface, set(_paths(desired)) | recorded | _made_under(names, surface.whole), recorded)
        self.known, self.values = _ledger.settle(known or _ledger.Surface(), originals, None, self.disk)
        record = self.known.record if known else _migrated(_made_under(names, surface.whole), self.disk)
        mine, self.others = _shares(record, desired, surface)
        self.made = surface.planner(desired, self.disk, mine, self.values, Rules(), policy, self.lost)
        if self.made.conflicts:
            raise SurfaceError(
                "holds files of somebody else where others are wanted: %s" % ", ".join("/".join(path) for path in self.made.conflicts),
                surface.directory, hint="Remove them, or set on_conflict to keep or overwrite",
            )
        self.leaving = not desired
        self.record = self._next_record(record)

    def _next_record(self, before):
        """Return what the ledger says from now on: with the files that other CLIs still want."""
        entries = dict(self.others)
        for path, entry in self.made.record.entries.items():
            if self.surface.target:
                shared = before.entries[path].targets if path in before.entries else frozenset()
                entry = Entry(entry.state, entry.sha256, shared | {self.surface.target})
            entries[path] = entry
        return Record(entries, {}, self.made.record.tables | {path for path in before.tables if any(other[: len(path)] == path for other in self.others)})

    def perform(self, check_mode):
        """Do what was decided, or in check mode only what would fail; return the Result."""
        changes = [edit for edit in self.made.edits if not self._is_directory(edit)]
        result = Result(bool(changes), self.made.changes, self.made.hand_edited, self.store.warnings, *self._sides(changes))
        if self.lost and self.leaving:
            return result
        for kind, path, value in changes:
            _files.require_writable(self._unchanged(path))
            if kind == "put" and isinstance(value, str) and value[0] == LINK:
                self._require_nothing_else(path, {dropped for other, dropped, _none in changes if other == "drop"})
        if not check_mode and self.made.edits:
            self._write()
        surface = _ledger.Surface(self.record) if self.record or self.lost else None
        originals = {**self.made.originals, **{path: value for path, value in self.values.items() if path in self.others}}
        self._remember(surface, originals)
        if self.leaving and not check_mode:
            self.store.remove_directories()
        self.store.require_writable()
        if not check_mode:
            self.store.write()
            if self.leaving:
                self.store.remove_directories()
        return result

    def _write(self):
        """Write the files, with the intent noted before; take it back when nothing could be written."""
        # The ledger's own comes first, the other one when the ledger knows of it.
        self.store.make_directories(self.surface.home.path)
        self.store.note_directories(self.surface.directory)
        saved = [path for path in self.made.originals if path not in self.values]
        intent = _ledger.Intent(self.record, "", saved)
        self._remember(_ledger.Surface(self.known.record, "", intent), {**self.values, **self.made.originals})
        self.store.write()
        _files.make_directories(self.surface.directory)
        for kind, path, value in self.made.edits:
            if kind == "put":
                self._put(path, value)
            else:
                self._drop(path)

    def _put(self, path, value):
        if isinstance(value, dict):
            for inner in _paths(value):
                self._put(path + inner, at(value, inner))
            return
        place = self._place(path)
        _files.make_directories(os.path.dirname(place), DIRECTORY_MODE)
        _files.remove_stale_temporaries(os.path.dirname(place), self.locked)
        snapshot = self._unchanged(path)
        if value[0] == LINK:
            _link(bytes_of(value), place)
            return
        executable = value[0] == EXECUTABLE
        mode = None
        if snapshot.exists and bool(snapshot.mode & stat.S_IXUSR) != executable:
            # Whoever may read it may run it.
            mode = snapshot.mode | (snapshot.mode & 0o444) >> 2 if executable else snapshot.mode & ~0o111
        _files.replace(snapshot, bytes_of(value), FILE_MODE | 0o111 if executable else FILE_MODE, mode)

    def _drop(self, path):
        there = at(self.disk, path)
        if isinstance(there, dict):
            # What a person put beside our files keeps their directory.
            for inner in sorted(_paths(there, tables=True), key=len, reverse=True) + [()]:
                _files.remove_stale_temporaries(self._place(path + inner), self.locked)
                _files.remove_empty_directory(self._place(path + inner))
        elif there is not ABSENT and there[0] == LINK:
            self._unchanged(path)
            os.unlink(self._place(path))
        else:
            _files.remove(self._unchanged(path))

    def _unchanged(self, path):
        """Return the Snapshot of a file, if it still is what the decision was made on. Raises Changed."""
        place, there = self._place(path), at(self.disk, path)
        found, snapshot = _looked_at(place, self.surface.whole and len(path) == 1)
        if found != there and not isinstance(there, dict):
            raise Changed(place)
        return snapshot

    def _require_nothing_else(self, path, dropped):
        """Raise SurfaceError when a directory that is to become a link holds more than what is dropped."""
        place = self._place(path)
        for parent, directories, names in os.walk(place):
            for name in names + [each for each in directories if os.path.islink(os.path.join(parent, each))]:
                inner = os.path.join(parent, name)
                if path + tuple(os.path.relpath(inner, place).split(os.sep)) not in dropped and not name.endswith(_files.TEMPORARY_SUFFIX):
                    raise SurfaceError("is a file of somebody else in a directory that is to become a link", inner, hint="Move it away, or copy the skills")

    def _place(self, path):
        return os.path.join(self.surface.directory, *path)

    def _is_directory(self, edit):
        """Return whether an edit only takes an empty directory away: nothing to tell a person."""
        return edit[0] == "drop" and isinstance(at(self.disk, edit[1]), dict)

    def _sides(self, changes):
        before, after = {}, {}
        for kind, path, value in changes:
            there = at(self.disk, path)
            # A directory's files are named one by one.
            if isinstance(there, str):
                before["/".join(path)] = there
            if kind == "put":
                inside = {(): value} if isinstance(value, str) else {inner: at(value, inner) for inner in _paths(value)}
                after.update(("/".join(path + inner), each) for inner, each in inside.items())
        return before, after

    def _remember(self, surface, originals):
        self.store.remember(self.surface.name, surface, originals, ABSENT)


def _shares(record, desired, surface):
    """Return (Record this run decides about, path to Entry of what stays because of somebody else, or because too little is known)."""
    wanted = set(_paths(desired))
    others = {}
    for path, entry in record.entries.items():
        left = entry.targets if surface.unknown else entry.targets - {surface.target}
        if path not in wanted and (left or surface.unknown):
            others[path] = Entry(entry.state, entry.sha256, left)
    mine = {path: entry for path, entry in record.entries.items() if path not in others}
    return Record(mine, {}, {table for table in record.tables if not any(path[: len(table)] == table for path in others)}), others


def _recorded(known, directory):
    """Return the paths that a ledger's Surface (None for none) knows of. Raises SurfaceError for one that is none below the directory."""
    records = [] if known is None else [known.record] + ([known.intent.record] if known.intent else [])
    paths = {path for record in records for path in set(record.entries) | record.tables}
    for path in paths:
        if not path or any(key in ("", ".", "..") or "/" in key for key in path):
            raise SurfaceError(
                "is in the ledger with the path %s, which is none below it" % "/".join(path), directory,
                hint="Put the last good ledger (.bak) back, or remove it: then everything there counts as yours",
            )
        _files.require_path("/".join(path))
    return paths


def _made_under(names, whole):
    """Return the paths of the files that AgentiHooks itself made: it kept names only, of directories (whole) or of files."""
    return {(name, "SKILL.md") if whole else (name,) for name in names if "/" not in name and name not in ("", ".", "..")}


def _migrated(paths, disk):
    """Return the Record of what AgentiHooks itself made: without a hash, whatever stands there counts as what it wrote."""
    found = {path: at(disk, path) for path in paths}
    entries = {path: Entry(OURS, fingerprint(there)) for path, there in found.items() if isinstance(there, str) and there[0] in (FILE, EXECUTABLE)}
    return Record(entries, {}, {path[:1] for path in entries if len(path) > 1})


def _paths(table, tables=False):
    """Return the paths of a table's values; or, with tables, of the tables in it."""
    found = []
    for key, inner in table.items():
        if isinstance(inner, dict):
            found += ([(key,)] if tables else []) + [(key,) + path for path in _paths(inner, tables)]
        elif not tables:
            found.append((key,))
    return found


def _observed(surface, paths, recorded):
    """Return the table of what stands at the paths, ABSENT when the directory is missing.

    Raises SurfaceError, also for a path that is recorded as ours and cannot be read: as somebody else's it would be forgotten.
    """
    directory = _files.nearest_directory(surface.directory)
    if not os.path.isdir(surface.directory):
        return ABSENT
    if os.geteuid() not in (0, os.stat(directory).st_uid):
        raise SurfaceError("belongs to somebody else", surface.directory, hint="Run as its owner")
    table = {}
    for path in sorted(paths):
        place = table
        for length in range(1, len(path) + 1):
            key = path[length - 1]
            if key not in place:
                found = _looked_at(os.path.join(surface.directory, *path[:length]), surface.whole and length == 1, path in recorded)[0]
                if found is ABSENT:
                    break
                place[key] = found
            place = place[key]
            if not isinstance(place, dict):
                break
    return table


def _looked_at(place, link_is_kept, must_be_read=False):
    """Return (what stands at a path: a file's value, {} for a directory, ABSENT; its Snapshot, which of what is no file says nothing but where).

    A link to a file is followed, unless it is to be kept. Raises SurfaceError for what must be read and cannot.
    """
    nothing = _files.Snapshot(place, place)
    try:
        status = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT, _files.Snapshot(place, os.path.realpath(place))
    except OSError as error:
        if must_be_read:
            raise SurfaceError("cannot be reached: %s" % error.strerror, place, hint="Give the user of this run access to it") from None
        return OTHER + "cannot be reached: %s" % error.strerror, nothing
    if stat.S_ISDIR(status.st_mode):
        return {}, nothing
    if stat.S_ISLNK(status.st_mode) and (link_is_kept or os.path.isdir(place)):
        return link_value(os.readlink(place)), nothing
    try:
        snapshot = _files.read(place)
    except SurfaceError as error:
        if must_be_read and error.number is not None:
            raise
        return OTHER + error.message, nothing
    return file_value(snapshot.data, bool(snapshot.mode & stat.S_IXUSR)), snapshot


def _link(target, place):
    """Make a link in one step. A link that is there goes; anything else was decided against before."""
    temporary = os.path.join(os.path.dirname(place), "%s%d%s" % (_files.TEMPORARY_PREFIX, os.getpid(), _files.TEMPORARY_SUFFIX))
    try:
        os.symlink(target, os.fsencode(temporary))
        os.rename(temporary, place)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise _files.failure("cannot be linked", place, error) from None
