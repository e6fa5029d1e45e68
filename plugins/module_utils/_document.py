# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the one driver of every surface that is a document (a table of values in one file).

Under the lock: ledger, file, plan (pure), new bytes; check mode stops there with the same result; then originals,
intent, file, ledger. A file that somebody changes meanwhile is decided again. What a format must offer is what
_jsonc does: parse, apply, dump, has_comments, and _format_error.
"""

from __future__ import annotations

import hashlib
import os
import time

from ansible_collections.agentihooks.fleet.plugins.module_utils import _files, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import Changed, SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._format_error import FormatError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, same

ATTEMPTS = 10
# Seconds after a write in which a program that had read the file before may still write over it. Measured from read to rename:
# Codex 1 to 4 ms, Copilot 1 to 18 ms; a virtual machine that stalls made 43 ms of it, once in 3,000 writes. A run that writes nothing
# does not wait.
SETTLE_SECONDS = 0.1


class Result:
    """What a run did (or in check mode would do) to one surface.

    changed: whether the file's bytes became others. changes: (path, outcome) pairs. hand_edited: paths left to the
    person. warnings: texts. before, after: the file's bytes, b"" for no file.
    """

    __slots__ = ("changed", "changes", "hand_edited", "warnings", "before", "after")

    def __init__(self, changed, changes, hand_edited, warnings, before, after):
        self.changed = changed
        self.changes = changes
        self.hand_edited = hand_edited
        self.warnings = warnings
        self.before = before
        self.after = after


class Home:
    """A configuration home and who manages it.

    path: the directory. manager: the id the ledger must name. takeover: whether another id in it is overwritten.
    legacy: Rules of the settings file, to read a sidecar that AgentiHooks itself left; None where it left none.
    source: what this run is made of, for the ledger; None leaves what it says.
    ledger: the name of the ledger's file.
    turns: name of a file to the name of the lock file by which the CLI takes turns at it.
    """

    __slots__ = ("path", "manager", "takeover", "legacy", "ledger", "source", "turns")

    def __init__(self, path, manager, takeover=False, legacy=None, ledger=_ledger.LEDGER, source=None, turns=None):
        self.path = path
        self.manager = manager
        self.takeover = takeover
        self.legacy = legacy
        self.source = source
        self.ledger = ledger
        self.turns = dict(turns or {})

    def file(self, name):
        """Return the path of a file in it."""
        return os.path.join(self.path, name)

    def turn(self, name):
        """Return a context in which the CLI does not write a file of this name, if it takes turns at it."""
        return _files.turn(self.file(self.turns[name]) if name in self.turns else "")


def check_manager(home):
    """Raise SurfaceError where the ledger of a Home names another manager. What else is wrong with it is for its own module to tell."""
    try:
        found = _files.read(home.file(home.ledger), foreign_owner_ok=True, unreadable_ok=True)
        ledger = None if not found.exists or found.data is None else _ledger.load(found.data)
    except (_ledger.NewerLedger, SurfaceError):
        return
    if ledger is not None:
        _require_manager(ledger, home)


def _require_manager(ledger, home):
    if ledger.manager not in ("", home.manager) and not home.takeover:
        raise SurfaceError(
            "this configuration is managed by %s, not by %s" % (ledger.manager, home.manager),
            home.file(home.ledger),
            hint="Let that one go first, or take over with takeover: true (agentihooks_takeover) once",
        )


class Store:
    """The ledger of one configuration home with the originals beside it.

    ledger, originals: as they are to be. warnings: what to tell about what was found.
    """

    def __init__(self, home):
        """Read them. Raises SurfaceError for a ledger that cannot be read, of a newer version or of another manager."""
        self.home = home
        self.warnings = []
        self._on_disk = {name: self._file(name) for name in (home.ledger, _ledger.ORIGINALS)}
        try:
            self.ledger = self._load()
            self.originals = self._load_originals()
        except _ledger.NewerLedger as error:
            raise SurfaceError(
                "was written by a newer version of agentihooks.fleet (%s), so nothing here is touched" % error,
                home.file(home.ledger),
                hint="Upgrade the collection on the controller",
            ) from None
        if not self.ledger.lost:
            # Of a surface that left: a run that was killed had taken it out of the ledger and not yet out of here.
            self.originals.keep_only(self.ledger.surfaces)
        _require_manager(self.ledger, home)
        self.ledger.manager = home.manager
        if home.source is not None:
            self.ledger.source = home.source

    @property
    def _backup(self):
        return self.home.ledger + _ledger.BACKUP_SUFFIX

    def _file(self, name):
        # What is ours stands in the ledger: one that is there and cannot be read is not a lost one, to start anew would forget it all.
        return _files.read(self.home.file(name), unreadable_ok=name == self._backup)

    def _load(self):
        file = self._on_disk[self.home.ledger]
        if file.exists:
            ledger = _ledger.load(file.data, self.home.legacy)
        elif self._on_disk[_ledger.ORIGINALS].exists or self._file(self._backup).exists:
            ledger = None
        else:
            ledger = _ledger.Ledger()
        if ledger is None:
            self.warnings.append(
                "%s is lost or damaged: everything there counts as yours in this run and nothing is removed. Put the last good one (%s) back "
                "and run again, or run once with adopt: true to claim what is as wanted." % (file.path, self._backup)
            )
            # What it said stays unknown for the surfaces that later runs come to first.
            ledger = _ledger.Ledger(lost=True)
        return ledger

    def _load_originals(self):
        file = self._on_disk[_ledger.ORIGINALS]
        if not file.exists:
            return _ledger.Originals()
        originals = _ledger.load_originals(file.data)
        if originals is None:
            raise SurfaceError(
                "cannot be understood; it should hold what stood here before agentihooks.fleet",
                file.path,
                hint="Restore it from a backup, or move it away: then nothing can be put back",
            )
        return originals

    def remember(self, name, surface, values, document):
        """Note what is known of a surface from now on.

        surface: None for nothing (its originals are forgotten too). values: its originals. document: the bytes of
        its file before us, None for no file, ABSENT for unknown.
        """
        self.ledger.surfaces.pop(name, None)
        self.originals.values.pop(name, None)
        self.originals.documents.pop(name, None)
        if surface is not None:
            self.ledger.surfaces[name] = surface
            if values:
                self.originals.values[name] = values
            if document is not ABSENT:
                self.originals.documents[name] = document

    def require_writable(self):
        """Raise the SurfaceError that write() would raise for lack of access."""
        if self._wanted() != {name: file.data if file.exists else None for name, file in self._on_disk.items()}:
            _files.require_writable(self._on_disk[self.home.ledger])

    def write(self):
        """Bring ledger and originals to disk; remove them when nothing is left to remember.

        The ledger is the first to come and the last to go: the others without it are what a lost one looks like.
        """
        wanted = self._wanted()
        name = self.home.ledger
        if wanted[name] is None:
            for name in (_ledger.ORIGINALS, self._backup, name):
                _files.remove(self._file(name))
            return
        good = self._file(name)
        if wanted[name] != good.data:
            if _is_good(good.data):
                _files.replace(self._file(self._backup), good.data, mode=0o600)
            _files.replace(good, wanted[name], mode=0o600)
        if wanted[_ledger.ORIGINALS] is None:
            _files.remove(self._file(_ledger.ORIGINALS))
        elif wanted[_ledger.ORIGINALS] != self._file(_ledger.ORIGINALS).data:
            _files.replace(self._file(_ledger.ORIGINALS), wanted[_ledger.ORIGINALS], mode=0o600)

    def make_directories(self, path):
        """Make a directory for a surface and note which ones were made."""
        self.ledger.directories.extend(_files.make_directories(path))

    def note_directories(self, path):
        """Note the directories that are missing on the way to a path and about to be made, so that a kill in between leaves none unknown."""
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        self.ledger.directories.extend(place for place in reversed(missing) if place not in self.ledger.directories)

    def remove_directories(self):
        """Remove those directories we made that are empty, the innermost first."""
        ours = [place for place in self.ledger.directories if _related(os.path.normpath(place), self.home.path)]
        left = [place for place in reversed(ours) if not _files.remove_empty_directory(place)]
        self.ledger.directories = left[::-1]

    def _wanted(self):
        nothing = not self.ledger.surfaces and not self.originals
        return {
            self.home.ledger: None if nothing else _ledger.dump(self.ledger),
            _ledger.ORIGINALS: _ledger.dump_originals(self.originals) if self.originals else None,
        }


def converge(home, name, want, rules, policy, formatter, check_mode=False, hold=None, planner=plan, approve=None, part=""):
    """Bring one document to what is desired; return the Result.

    home: a Home. name: the file in it, also the ledger's name for it. want: function from the document's table (ABSENT
    for no document) to the desired one; {} and rules without pins to leave. formatter: the format's module.
    hold: asked when a write is due; true puts it off. planner: what decides in place of _ownership.plan. approve: asked
    about a write that is due, with the bytes before and after (None for no file); returns warnings, or raises SurfaceError.
    part: of a file that several callers write, what this one owns there; each has a ledger entry of its own. The one that came last
    should leave first.
    Raises SurfaceError, and then nothing of the surface was touched; ValueError like _ownership.plan.
    """
    with _files.lock(home.path) as locked:
        if not check_mode:
            # Where the ledger is written, and where the file is: a link may lead elsewhere.
            for directory in (home.path, os.path.dirname(os.path.realpath(home.file(name)))):
                _files.remove_stale_temporaries(directory, locked)
        written = None
        for _attempt in range(ATTEMPTS):
            run = _Run(home, name, part, want, rules, policy, formatter, planner)
            try:
                result = run.perform(check_mode, hold, approve)
            except Changed:
                written = written or run.written
                continue
            # Where the first write was still in place after all, the person is to be told of it.
            return result if result.changed or written is None else written
    raise SurfaceError("another program keeps changing it while this run decides", home.file(name), hint="Run again when it is quiet")


class _Run:
    """One attempt at a document: what was known before, and the decision about what is on disk now."""

    def __init__(self, home, name, part, want, rules, policy, formatter, planner):
        self.want, self.rules, self.policy, self.formatter, self.planner = want, rules, policy, formatter, planner
        self.written = None  # the Result, once the file was written
        self.turn = home.turn(name)
        self.name = "%s/%s" % (name, part) if part else name
        self.store = Store(home)
        self.snapshot = _files.read(home.file(name))
        self.document = _parsed(formatter, self.snapshot)
        known = self.store.ledger.surfaces.get(self.name)
        self.lost = self.store.ledger.lost and known is None
        self.first_bytes = self.store.originals.documents.get(self.name, ABSENT)
        originals = self.store.originals.values.get(self.name, {})
        self.surface, self.values = _ledger.settle(known or _ledger.Surface(), originals, _sha256(self.snapshot), self._disk())
        self._decide()

    def _disk(self):
        return ABSENT if self.document is None else self.document.value

    def _decide(self):
        disk = self._disk()
        desired = self.want(disk)
        record = self.surface.record
        if self.rules.retired:
            record = _ledger.with_in_file_records(record, disk, self.rules)
        self.made = self.planner(desired, disk, record, self.values, self.rules, self.policy, self.lost)
        if self.made.conflicts:
            raise SurfaceError(
                "holds values of somebody else where others are wanted: %s" % ", ".join(dotted(path) for path in self.made.conflicts),
                self.snapshot.path,
                hint="Remove them, or set on_conflict to keep or overwrite",
            )
        self.leaving = not desired and not self.rules.pins
        self.after = _new_bytes(self.formatter, self.snapshot, self.document, self.made, self.surface, self.first_bytes)

    def _decide_again(self):
        """Decide about a file that changed since the intent was noted; raises Changed if the intent is another one now."""
        noted = (self.made.record, self.made.originals)
        self.snapshot = _files.read(self.snapshot.path)
        self.document = _parsed(self.formatter, self.snapshot)
        self._decide()
        if (self.made.record, self.made.originals) != noted or self.result().changed is False:
            raise Changed(self.snapshot.path)

    def result(self):
        """Return the Result of the decision."""
        before = self.snapshot.data if self.snapshot.exists else None
        made = self.made
        return Result(before != self.after, made.changes, made.hand_edited, self.store.warnings, before or b"", self.after or b"")

    def perform(self, check_mode, hold, approve):
        """Do what was decided, or in check mode only what would fail; return the Result."""
        result = self.result()
        if self.lost and self.leaving:
            return result
        if result.changed and hold is not None and hold():
            return _put_off(result)
        if result.changed and approve is not None:
            self.store.warnings += approve(self.snapshot.data if self.snapshot.exists else None, self.after)
        if result.changed:
            _files.require_writable(self.snapshot)
        if result.changed and not check_mode:
            self._write()
        if self.leaving and not check_mode:
            self.store.remove_directories()
        self._remember_outcome()
        self.store.require_writable()
        if not check_mode:
            self.store.write()
            if self.leaving:
                # Now that the ledger may be gone too.
                self.store.remove_directories()
        return self.result()

    def _write(self):
        """Write the file, with the intent noted before; take the intent back when it cannot be written.

        Raises Changed for a file that another program wrote over right afterwards: it had read it before. The intent stays then,
        so that the next attempt knows our values from the person's.
        """
        self.store.make_directories(os.path.dirname(self.snapshot.path))
        saved = [path for path in self.made.originals if path not in self.values]
        intent = _ledger.Intent(self.made.record, _sha256_of(self.after), saved)
        noted = _ledger.Surface(self.surface.record, self.surface.written, intent)
        self.store.remember(self.name, noted, {**self.values, **self.made.originals}, self._bytes_before_us())
        self.store.write()
        try:
            with self.turn:
                self._replace()
        except SurfaceError:
            if not self._is_untouched():
                # Written, or nobody can say: the next run settles it.
                raise
            before = self.surface if self.surface.record or self.surface.written else None
            self.store.remember(self.name, before, self.values, self.first_bytes)
            self.store.write()
            raise
        self.written = self.result()
        time.sleep(SETTLE_SECONDS)
        if _bytes_of(_files.read(self.snapshot.path)) != self.after:
            raise Changed(self.snapshot.path)

    def _is_untouched(self):
        """Return whether the file certainly is what it was before the write."""
        try:
            return _files.read(self.snapshot.path).state() == self.snapshot.state()
        except SurfaceError:
            return False

    def _replace(self):
        for attempt in range(ATTEMPTS):
            try:
                if self.after is None:
                    _files.remove(self.snapshot)
                else:
                    _files.replace(self.snapshot, self.after)
                return
            except Changed:
                if attempt + 1 == ATTEMPTS:
                    raise
                # Only the file again: the ledger is written already, and each moment counts against a busy writer.
                self._decide_again()

    def _remember_outcome(self):
        changed = self.result().changed
        written = _sha256_of(self.after) if changed and self.after is not None else self.surface.written
        surface = _ledger.Surface(self.made.record, written) if self.made.record or self.lost else None
        self.store.remember(self.name, surface, self.made.originals, self._bytes_before_us() if changed else self.first_bytes)

    def _bytes_before_us(self):
        """Return the original of the whole file once the write that is due is done (bytes, None for no file, ABSENT for unknown)."""
        if not self.snapshot.exists:
            return None
        if not self.surface.written and self.first_bytes is ABSENT:
            return self.snapshot.data
        if self.first_bytes not in (None, self.snapshot.data) and _sha256(self.snapshot) != self.surface.written:
            # Somebody else wrote since: the old bytes would undo that. Where they still stand, a killed run noted them only.
            return ABSENT
        return self.first_bytes


def dotted(path):
    """Return a path for a person to read."""
    return ".".join(path)


def _parsed(formatter, snapshot):
    """Return the Document of a file, None for no file. Raises SurfaceError where it is none, or no table."""
    if not snapshot.exists:
        return None
    try:
        document = formatter.parse(snapshot.data)
    except FormatError as error:
        raise SurfaceError(error.message, snapshot.path, error.line, error.column, "Correct it by hand; it was not touched") from None
    if not isinstance(document.value, dict):
        raise SurfaceError(
            "holds %s where a table of settings should be" % _kind(document.value),
            snapshot.path,
            hint="Correct it by hand or remove the file; it was not touched",
        )
    return document


def _kind(value):
    """Return what people call a value that is no table."""
    kinds = ((type(None), "null"), (bool, "true or false"), ((int, float), "a number"), (str, "a text"), (list, "a list"))
    return next(name for types, name in kinds if isinstance(value, types))


def _new_bytes(formatter, snapshot, document, made, surface, original):
    """Return the bytes the file is to have, None for no file."""
    if document is None:
        return formatter.dump(made.value) if made.value else None
    if not made.record:
        # Nothing of ours is left in it: back to how it was, if that is the same.
        untouched = _sha256(snapshot) == surface.written
        # What a person wrote into a file that we made is theirs, also when we wrote the file again since.
        if original is None and not made.value and not formatter.has_comments(document):
            return None
        if untouched and isinstance(original, bytes) and same(formatter.parse(original).value, made.value):
            return original
    if not made.edits:
        return snapshot.data
    try:
        return formatter.apply(document, made.edits)
    except ValueError as error:
        raise SurfaceError("cannot be edited: %s" % error, snapshot.path, hint="It was not touched") from None


def _put_off(result):
    written = ("created", "updated", "pinned", "removed", "unioned")
    changes = [(path, "deferred" if outcome in written else outcome) for path, outcome in result.changes]
    return Result(False, changes, result.hand_edited, result.warnings, result.before, result.before)


def _bytes_of(snapshot):
    return snapshot.data if snapshot.exists else None


def _sha256(snapshot):
    return _sha256_of(_bytes_of(snapshot))


def _sha256_of(data):
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _is_good(data):
    """Return whether bytes are a ledger worth a backup: understood, and not in the middle of a write."""
    ledger = None if data is None else _ledger.load(data)
    return ledger is not None and not any(surface.intent for surface in ledger.surfaces.values())


def _related(one, two):
    """Return whether one path lies in the other: no ledger makes a run remove a directory elsewhere."""
    return (one + os.sep).startswith(two + os.sep) or (two + os.sep).startswith(one + os.sep)
