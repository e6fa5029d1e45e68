# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the ledger, the sidecar that remembers what we wrote last. Pure: bytes in, bytes out.

Three files lie beside the surfaces of a configuration home, each 0600:
  .agentihooks-managed.json        the ledger: hashes only, because values may be secrets
  .agentihooks-managed.json.bak    the last good one, for a person to put back; never read by us
  .agentihooks-originals.json      the values and bytes that were there before us and come back when we go

A ledger that is missing although the other files are there, or that cannot be understood, is lost: what it said is
unknown, so nothing is removed. It is not guessed from the .bak, which is older than the surface.

So that the ledger is never ahead of the file, and a kill between the two writes does not make our own value look like
the person's: the record about to become true is first written as an intent, and settle() tells at the next load
whether it came true.
"""

from __future__ import annotations

import base64
import binascii
import json
import re

from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, SEEN, Entry, Record, Rules, Union, leaves
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at, fingerprint, from_json, to_json

LEDGER = ".agentihooks-managed.json"
BACKUP_SUFFIX = ".bak"
BACKUP = LEDGER + BACKUP_SUFFIX
ORIGINALS = ".agentihooks-originals.json"
# The ledger of a skills directory, which several CLIs read: not in the configuration home of one of them.
SKILLS_LEDGER = ".agentihooks-copilot-commands.json"
SCHEMA = 1
# Characters of an address and a commit.
MAX_SOURCE = 500

# The keys that AgentiHooks itself once kept in settings.json.
IN_FILE_KEYS = ("agentihooks", "_agentihooks")
# The surface that its older records are about.
LEGACY_SURFACE = "settings.json"

_NOTE = "Kept by the Ansible collection agentihooks.fleet: what it wrote here, as hashes. Deleting it makes everything count as yours."


class NewerLedger(Exception):
    """The ledger has a schema this version does not know; schema says which."""

    def __init__(self, schema):
        super().__init__("schema %s" % schema)
        self.schema = schema


class Intent:
    """A record about to become true. sha256: of the surface's new bytes; originals: paths first saved for it."""

    __slots__ = ("record", "sha256", "originals")

    def __init__(self, record, sha256, originals=()):
        self.record = record
        self.sha256 = sha256
        self.originals = sorted(tuple(path) for path in originals)


class Surface:
    """The ledger's part about one surface.

    record: see _ownership. written: SHA-256 of the bytes we wrote last, "" when we never did. intent: an Intent, or None.
    """

    __slots__ = ("record", "written", "intent")

    def __init__(self, record=None, written="", intent=None):
        self.record = Record() if record is None else record
        self.written = written
        self.intent = intent


class Ledger:
    """manager: who writes here, "" when nobody did yet. surfaces: name to Surface.

    directories: those we made, the outermost first.
    lost: what an earlier ledger said is unknown; it stays set for the sake of surfaces that have no record since.
    source: what the last run that said so was made of ("URL@commit"), "" for none.
    names: of the directories that AgentiHooks itself said it made here; it kept no hashes. Never written.
    """

    __slots__ = ("manager", "surfaces", "directories", "lost", "source", "names")

    def __init__(self, manager="", surfaces=None, directories=(), lost=False, source="", names=()):
        self.manager = manager
        self.surfaces = dict(surfaces or {})
        self.directories = list(directories)
        self.lost = lost
        self.source = source
        self.names = tuple(names)


class Originals:
    """What was there before us. values: surface name to {path: value}. documents: surface name to its bytes, None
    where there was no file."""

    __slots__ = ("values", "documents")

    def __init__(self, values=None, documents=None):
        self.values = {name: dict(inner) for name, inner in (values or {}).items()}
        self.documents = dict(documents or {})

    def __bool__(self):
        return bool(any(self.values.values()) or self.documents)

    def keep_only(self, names):
        """Forget what stood at surfaces that are not among these names."""
        self.values = {name: inner for name, inner in self.values.items() if name in names}
        self.documents = {name: data for name, data in self.documents.items() if name in names}


def load(data, rules=None):
    """Return the Ledger of the sidecar's bytes, None for bytes that are no ledger.

    A table without a schema is a record of AgentiHooks itself: the values in it count as ours (rules tell its leaves and
    shared lists). So is, where there are no rules, a list of names. Raises NewerLedger.
    """
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if rules is None and isinstance(content, list) and all(isinstance(name, str) for name in content):
        return Ledger(names=content)
    if not isinstance(content, dict):
        return None
    if "schema" not in content:
        return Ledger(surfaces={LEGACY_SURFACE: Surface(migrated_record(content, rules or Rules()))})
    schema = content["schema"]
    if isinstance(schema, int) and not isinstance(schema, bool) and schema > SCHEMA:
        raise NewerLedger(schema)
    try:
        if schema != SCHEMA or isinstance(schema, bool):
            return None
        surfaces = {_text(name): _surface_from(inner) for name, inner in content["surfaces"].items()}
        directories = list(_path(content.get("directories", [])))
        return Ledger(_text(content["manager"]), surfaces, directories, content.get("lost") is True, _text(content.get("source", "")))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def kept_source(text):
    """Return what the ledger keeps of what a configuration is made of: no login of an address, and no more than MAX_SOURCE characters."""
    return re.sub(r"://[^/@\s]*@", "://", text)[:MAX_SOURCE]


def dump(ledger):
    """Return the bytes of a ledger; the same ledger always gives the same bytes."""
    content = {
        "note": _NOTE,
        "schema": SCHEMA,
        "manager": ledger.manager,
        "surfaces": {name: _surface_to(ledger.surfaces[name]) for name in sorted(ledger.surfaces)},
    }
    if ledger.source:
        content["source"] = ledger.source
    if ledger.directories:
        content["directories"] = ledger.directories
    if ledger.lost:
        content["lost"] = True
    return _json(content)


def load_originals(data):
    """Return the Originals of their file's bytes, None when they cannot be understood. Raises NewerLedger."""
    try:
        content = from_json(data.decode("utf-8"))
        if content["schema"] != SCHEMA:
            if isinstance(content["schema"], int) and content["schema"] > SCHEMA:
                raise NewerLedger(content["schema"])
            return None
        values, documents = {}, {}
        for name, inner in content["surfaces"].items():
            values[_text(name)] = {_path(each["path"]): each["value"] for each in inner["values"]}
            if "document" in inner:
                document = inner["document"]
                documents[name] = None if document is None else base64.b64decode(document, validate=True)
        return Originals(values, documents)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error):
        return None


def dump_originals(originals):
    """Return the bytes of the originals; the same originals always give the same bytes."""
    surfaces = {}
    for name in sorted(set(originals.values) | set(originals.documents)):
        values = originals.values.get(name, {})
        inner = {"values": [{"path": list(path), "value": values[path]} for path in sorted(values)]}
        if name in originals.documents:
            data = originals.documents[name]
            inner["document"] = None if data is None else base64.b64encode(data).decode("ascii")
        if inner["values"] or "document" in inner:
            surfaces[name] = inner
    return _json({"schema": SCHEMA, "surfaces": surfaces})


def settle(surface, originals, sha256, value):
    """Return (surface, originals) after what became of an intent is known.

    originals: path to value, of this surface. sha256, value: of the surface as it is on disk now (value ABSENT when there is none).
    The file holds exactly what was intended: it came true. Otherwise (the write did not happen, or somebody wrote
    since) each value that is as intended is ours, each that was to go and is gone is forgotten, and the rest of the
    intent is dropped.
    """
    intent = surface.intent
    if intent is None:
        return surface, originals
    if sha256 == intent.sha256:
        return Surface(intent.record, intent.sha256), originals
    gone = {path for path in surface.record.entries if path not in intent.record.entries and at(value, path) is ABSENT}
    entries = {path: entry for path, entry in surface.record.entries.items() if path not in gone}
    record = Record(entries, surface.record.unions, surface.record.tables | intent.record.tables)
    for path, entry in intent.record.entries.items():
        there = at(value, path)
        if entry.state == OURS and there is not ABSENT and fingerprint(there) == entry.sha256:
            record.entries[path] = entry
    for path, union in intent.record.unions.items():
        there = at(value, path)
        present = {fingerprint(element) for element in there} if isinstance(there, list) else set()
        known = record.unions.get(path, Union())
        arrived = {key: state for key, state in union.elements.items() if key in present and (state == OURS or key not in known.elements)}
        if arrived:
            record.unions[path] = Union(union.made, dict(known.elements, **arrived))
    kept = {path: original for path, original in originals.items() if path not in intent.originals or path in record.entries}
    return Surface(record, surface.written), kept


def migrated_record(values, rules):
    """Return the Record of a table of values as AgentiHooks itself kept it (bare, or under "managed")."""
    for key in IN_FILE_KEYS:
        if isinstance(values.get(key), dict):
            values = values[key]
    if isinstance(values.get("managed"), dict):
        values = values["managed"]
    values = {key: value for key, value in values.items() if not (rules.unions and (key,) in rules.unions and not isinstance(value, list))}
    found, lists = leaves(values, rules)
    return Record(
        entries={path: Entry(OURS, fingerprint(value)) for path, value in found.items()},
        unions={path: Union(False, {fingerprint(element): OURS for element in elements}) for path, elements in lists.items()},
    )


def with_in_file_records(record, disk, rules):
    """Return a Record completed by what AgentiHooks itself once recorded inside the file. disk: the file's table."""
    result = Record(record.entries, record.unions, record.tables)
    for key in IN_FILE_KEYS:
        legacy = at(disk, (key,))
        if isinstance(legacy, dict) and isinstance(legacy.get("managed"), dict):
            old = migrated_record(legacy, rules)
            for path, entry in old.entries.items():
                result.entries.setdefault(path, entry)
            for path, union in old.unions.items():
                result.unions.setdefault(path, union)
    return result


def _surface_to(surface):
    content = _record_to(surface.record)
    if surface.written:
        content["written"] = surface.written
    if surface.intent is not None:
        content["intent"] = dict(
            _record_to(surface.intent.record),
            written=surface.intent.sha256,
            originals=[list(path) for path in surface.intent.originals],
        )
    return content


def _surface_from(content):
    intent = None
    if "intent" in content:
        inner = content["intent"]
        intent = Intent(_record_from(inner), _text(inner["written"]), [_path(path) for path in inner["originals"]])
    return Surface(_record_from(content), _text(content.get("written", "")), intent)


def _record_to(record):
    content = {}
    if record.entries:
        content["entries"] = [_entry_to(path, record.entries[path]) for path in sorted(record.entries)]
    if record.unions:
        content["unions"] = [
            {"path": list(path), "made": record.unions[path].made, "elements": dict(sorted(record.unions[path].elements.items()))}
            for path in sorted(record.unions)
        ]
    if record.tables:
        content["tables"] = [list(path) for path in sorted(record.tables)]
    return content


def _entry_to(path, entry):
    content = {"path": list(path), "state": entry.state, "sha256": entry.sha256}
    if entry.targets:
        content["targets"] = sorted(entry.targets)
    return content


def _record_from(content):
    return Record(
        entries={
            _path(each["path"]): Entry(_state(each["state"]), _text(each["sha256"]), _path(each.get("targets", []))) for each in content.get("entries", [])
        },
        unions={
            _path(each["path"]): Union(each["made"] is True, {_text(key): _state(state) for key, state in each["elements"].items()})
            for each in content.get("unions", [])
        },
        tables=[_path(path) for path in content.get("tables", [])],
    )


def _state(state):
    if state not in (OURS, SEEN):
        raise ValueError("%r is no state" % (state,))
    return state


def _text(value):
    if not isinstance(value, str):
        raise ValueError("%r is no text" % (value,))
    return value


def _path(keys):
    if not isinstance(keys, list):
        raise ValueError("%r is no list of texts" % (keys,))
    return tuple(_text(key) for key in keys)


def _json(content):
    return (to_json(content, indent=1) + "\n").encode("ascii")
