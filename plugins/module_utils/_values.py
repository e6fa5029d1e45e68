# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: plain values (what JSON and TOML parse to), compared, addressed and edited. Pure.

A path is a tuple of keys. An edit is one of the tuples that put(), drop(), append() and discard() make; edited() is
what each format's own editor must come to, so that an edit can be checked before it is written.
"""

from __future__ import annotations

import copy
import datetime
import hashlib
import json

# "no such key": None is a value (JSON null).
ABSENT = type("Absent", (), {"__slots__": (), "__repr__": lambda self: "ABSENT", "__bool__": lambda self: False})()

_MOMENTS = {kind.__name__: kind for kind in (datetime.date, datetime.datetime, datetime.time)}


def canonical(value):
    """Return the text that two values share exactly when they are the same value of the same type (1, 1.0 and true differ)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=_tagged)


def _tagged(value):
    """TOML has dates and times, which JSON has not; their type is part of them."""
    return {"": type(value).__name__, "text": value.isoformat()}


def to_json(value, **layout):
    """Return plain data as ASCII JSON text that from_json() reads back, dates and times too."""
    return json.dumps(value, ensure_ascii=True, default=_tagged, **layout)


def from_json(text):
    """Return what to_json() was given. Raises ValueError."""
    return json.loads(text, object_hook=_untagged)


def _untagged(table):
    kind = _MOMENTS.get(table.get("")) if set(table) == {"", "text"} else None
    return table if kind is None else kind.fromisoformat(table["text"])


def fingerprint(value):
    """Return the SHA-256 (hex) of a value's canonical text: what a ledger keeps in place of the value."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def same(left, right):
    """Return whether two values are equal in value and type. ABSENT is the same as itself only."""
    if left is ABSENT or right is ABSENT:
        return left is right
    return canonical(left) == canonical(right)


def contains(elements, element):
    """Return whether a list holds an element, compared by value and type."""
    return any(same(element, other) for other in elements)


def at(value, path):
    """Return what stands at a path, ABSENT when a key is missing or something on the way is no table."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return ABSENT
        value = value[key]
    return value


def put(path, value):
    """Return the edit that sets the value at a path, making missing tables on the way."""
    return ("put", tuple(path), value)


def drop(path):
    """Return the edit that removes the key at a path."""
    return ("drop", tuple(path), ABSENT)


def append(path, element):
    """Return the edit that adds an element to the end of the list at a path."""
    return ("append", tuple(path), element)


def discard(path, element):
    """Return the edit that takes every occurrence of an element out of the list at a path."""
    return ("discard", tuple(path), element)


def edited(value, edits):
    """Return a copy of a table with edits applied in order. What is not there need not be removed.

    Raises ValueError where an edit does not fit (a scalar on the way, no list to append to).
    """
    value = copy.deepcopy(value)
    for kind, path, operand in edits:
        parent = value
        for key in path[:-1]:
            if not isinstance(parent, dict):
                raise ValueError("%r leads through something that is no table" % (path,))
            if key not in parent:
                if kind != "put":
                    parent = {}
                    break
                parent[key] = {}
            parent = parent[key]
        if not isinstance(parent, dict):
            raise ValueError("%r leads through something that is no table" % (path,))
        key = path[-1]
        if kind == "put":
            parent[key] = copy.deepcopy(operand)
        elif kind == "drop":
            parent.pop(key, None)
        elif not isinstance(parent.get(key), list):
            raise ValueError("there is no list at %r" % (path,))
        elif kind == "append":
            parent[key].append(copy.deepcopy(operand))
        else:
            parent[key] = [element for element in parent[key] if not same(element, operand)]
    return value
