# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the one driver of every surface that is a document (a table of values in one file).

Under the lock: ledger, file, plan (pure), new bytes; check mode stops there with the same result; then originals,
intent, file, ledger. A file that somebody changes meanwhile is decided again. What a format must offer is what
_jsonc does: parse, apply, dump, has_comments, FormatError.
"""

from __future__ import annotations

import hashlib
import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import _files, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import Changed, SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import plan
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, same

ATTEMPTS = 10


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
    """

    __slots__ = ("path", "manager", "takeover", "legacy")

    def __init__(self, path, manager, takeover=False, legacy=None):
        self.path = path
        self.manager = manager
        self.takeover = takeover
        self.legacy = legacy

    def file(self, name):
        """Return the path of a file in it."""
        return os.path.join(self.path, name)


class Store:
    """The ledger of one configuration home with the originals beside it.

    ledger, originals: as they are to be. warnings: what to tell about what was found.
    """

    def __init__(self, home):
        """Read them. Raises SurfaceError for a ledger of a newer version or of another manager."""
        self.home = home
        self.warnings = []
        self._on_disk = {name: self._file(name) for name in (_ledger.LEDGER, _ledger.ORIGINALS)}
        try:
            self.ledger = self._load()
            self.originals = self._load_originals()
        except _ledger.NewerLedger as error:
            raise SurfaceError(
                "was written by a newer version of agentihooks.fleet (%s), so nothing here is touched" % error,
                home.file(_ledger.LEDGER),
                hint="Upgrade the collection on the controller",
            ) from None
        if self.ledger.manager not in ("", home.manager) and not home.takeover:
            raise SurfaceError(
                "this configuration is managed by %s, not by %s" % (self.ledger.manager, home.manager),
                home.file(_ledger.LEDGER),
                hint="Let that one go first, or set takeover: true once",
            )
        self.ledger.manager = home.manager

    def _file(self, name):
        return _files.read(self.home.file(name), unreadable_ok=True)

    def _load(self):
        file = self._on_disk[_ledger.LEDGER]
        if file.exists:
            ledger = None if file.data is None else _ledger.load(file.data, self.home.legacy)
        elif self._on_disk[_ledger.ORIGINALS].exists or self._file(_ledger.BACKUP).exists:
            ledger = None
        else:
            ledger = _ledger.Ledger()
        if ledger is None:
            self.warnings.append(
                "%s is lost or damaged: everything there counts as yours in this run and nothing is removed. Put the last good one (%s) back "
                "and run again, or run once with adopt: true to claim what is as wanted." % (file.path, os.path.basename(_ledger.BACKUP))
            )
            # What it said stays unknown for the surfaces that later runs come to first.
            ledger = _ledger.Ledger(lost=True)
        return ledger

    def _load_originals(self):
        file = self._on_disk[_ledger.ORIGINALS]
        if not file.exists:
            return _ledger.Originals()
        originals = None if file.data is None else _ledger.load_originals(file.data)
        if originals is None:
            raise SurfaceError(
                "cannot be read or understood; it should hold what stood here before agentihooks.fleet",
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
            _files.require_writable(self._on_disk[_ledger.LEDGER])

    def write(self):
        """Bring ledger and originals to disk, originals first; remove them when nothing is left to remember."""
        wanted = self._wanted()
        for name in (_ledger.ORIGINALS, _ledger.LEDGER):
            file, data = self._file(name), wanted[name]
            if data is None:
                _files.remove(file)
                if name == _ledger.LEDGER:
                    _files.remove(self._file(_ledger.BACKUP))
            elif data != file.data:
                if name == _ledger.LEDGER and _is_good(file.data):
                    _files.replace(self._file(_ledger.BACKUP), file.data, mode=0o600)
                _files.replace(file, data, mode=0o600)

    def make_directories(self, path):
        """Make a directory for a surface and note which ones were made."""
        self.ledger.directories.extend(_files.make_directories(path))

    def remove_directories(self):
        """Remove those directories we made that are empty, the innermost first."""
        left = [place for place in reversed(self.ledger.directories) if not _files.remove_empty_directory(place)]
        self.ledger.directories = left[::-1]

    def _wanted(self):
        nothing = not self.ledger.surfaces and not self.originals
        return {
            _ledger.LEDGER: None if nothing else _ledger.dump(self.ledger),
            _ledger.ORIGINALS: _ledger.dump_originals(self.originals) if self.originals else None,
        }


def converge(home, name, want, rules, policy, formatter, check_mode=False, hold=None, planner=plan):
    """Bring one document to what is desired; return the Result.

    home: a Home. name: the file in it, also the ledger's name for it. want: function from the document's table (ABSENT
    for no document) to the desired one; {} and rules without pins to leave. formatter: the format's module.
    hold: asked when a write is due; true puts it off. planner: what decides in place of _ownership.plan.
    Raises SurfaceError, and then nothing of the surface was touched; ValueError like _ownership.plan.
    """
    with _files.lock(home.path):
        for _attempt in range(ATTEMPTS):
            try:
                return _converge(home, name, want, rules, policy, formatter, check_mode, hold, planner)
            except Changed:
                continue
    raise SurfaceError("another program keeps changing it while this run decides", home.file(name), hint="Run again when it is quiet")


def _converge(home, name, want, rules, policy, formatter, check_mode, hold, planner):
    store = Store(home)
    snapshot = _files.read(home.file(name))
    document = _parsed(formatter, snapshot) if snapshot.exists else None
    disk = ABSENT if document is None else document.value
    known = store.ledger.surfaces.get(name)
    lost = store.ledger.lost and known is None
    surface, values = _ledger.settle(known or _ledger.Surface(), store.originals.values.get(name, {}), _sha256(snapshot), disk)
    record = _ledger.with_in_file_records(surface.record, disk, rules) if rules.retired else surface.record
    desired = want(disk)
    made = planner(desired, disk, record, values, rules, policy, lost)
    if made.conflicts:
        raise SurfaceError(
            "holds values of somebody else where others are wanted: %s" % ", ".join(dotted(path) for path in made.conflicts),
            snapshot.path,
            hint="Remove them, or set on_conflict to keep or overwrite",
        )
    leaving = not desired and not rules.pins
    before = snapshot.data if snapshot.exists else None
    after = _new_bytes(formatter, snapshot, document, made, surface, store.originals.documents.get(name, ABSENT))
    result = Result(before != after, made.changes, made.hand_edited, store.warnings, before or b"", after or b"")
    if lost and leaving:
        return result
    if result.changed and hold is not None and hold():
        return _put_off(result)
    original = store.originals.documents.get(name, ABSENT)
    if result.changed:
        original = _original_document(surface, snapshot, original)
    final = _ledger.Surface(made.record, hashlib.sha256(after).hexdigest() if result.changed and after is not None else surface.written)
    if not made.record and not lost:
        final = None
    if result.changed:
        _files.require_writable(snapshot)
    if check_mode or not result.changed:
        store.remember(name, final, made.originals, original)
        store.require_writable()
        if check_mode:
            return result
    else:
        _write(store, snapshot, name, surface, values, made, after, original)
    if leaving:
        store.remove_directories()
    store.remember(name, final, made.originals, original)
    store.write()
    if leaving:
        # Now that the ledger may be gone too.
        store.remove_directories()
    return result


def _write(store, snapshot, name, surface, values, made, after, original):
    """Write the file, with the intent noted before; take the intent back when it cannot be written."""
    known = {**values, **made.originals}
    saved = [path for path in made.originals if path not in values]
    intent = _ledger.Intent(made.record, "" if after is None else hashlib.sha256(after).hexdigest(), saved)
    store.make_directories(os.path.dirname(snapshot.path))
    store.remember(name, _ledger.Surface(surface.record, surface.written, intent), known, original)
    store.write()
    try:
        if after is None:
            _files.remove(snapshot)
        else:
            _files.replace(snapshot, after)
    except SurfaceError:
        nothing = not surface.record and not surface.written
        store.remember(name, None if nothing else surface, values, ABSENT if nothing else original)
        store.write()
        raise


def dotted(path):
    """Return a path for a person to read."""
    return ".".join(path)


def _parsed(formatter, snapshot):
    try:
        document = formatter.parse(snapshot.data)
    except formatter.FormatError as error:
        raise SurfaceError(error.message, snapshot.path, error.line, error.column, "Correct it by hand; it was not touched") from None
    if not isinstance(document.value, dict):
        raise SurfaceError(
            "holds %s where a table of settings should be" % ("null" if document.value is None else "a " + type(document.value).__name__),
            snapshot.path,
            hint="Correct it by hand or remove the file; it was not touched",
        )
    return document


def _new_bytes(formatter, snapshot, document, made, surface, original):
    """Return the bytes the file is to have, None for no file."""
    if document is None:
        return formatter.dump(made.value) if made.value else None
    if surface.written and not made.record:
        # Nothing of ours is left in it: back to how it was, if that is the same.
        untouched = _sha256(snapshot) == surface.written
        if original is None and not made.value and (untouched or not formatter.has_comments(document)):
            return None
        if untouched and isinstance(original, bytes) and same(formatter.parse(original).value, made.value):
            return original
    if not made.edits:
        return snapshot.data
    try:
        return formatter.apply(document, made.edits)
    except ValueError as error:
        raise SurfaceError("cannot be edited: %s" % error, snapshot.path, hint="It was not touched") from None


def _original_document(surface, snapshot, known):
    """Return what a write that is due leaves as the original of the whole file (bytes, None for no file, ABSENT for unknown)."""
    if not snapshot.exists:
        return None
    if not surface.written and known is ABSENT:
        return snapshot.data
    if known is not None and _sha256(snapshot) != surface.written:
        # Somebody else wrote since: the old bytes would undo that.
        return ABSENT
    return known


def _put_off(result):
    written = ("created", "updated", "pinned", "removed", "unioned")
    changes = [(path, "deferred" if outcome in written else outcome) for path, outcome in result.changes]
    return Result(False, changes, result.hand_edited, result.warnings, result.before, result.before)


def _sha256(snapshot):
    return hashlib.sha256(snapshot.data).hexdigest() if snapshot.exists else ""


def _is_good(data):
    """Return whether bytes are a ledger worth a backup: understood, and not in the middle of a write."""
    ledger = None if data is None else _ledger.load(data)
    return ledger is not None and not any(surface.intent for surface in ledger.surfaces.values())
