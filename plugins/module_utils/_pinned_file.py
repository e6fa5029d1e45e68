# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the one driver of files that guard (the wrapper, the hooks file): rewritten over any edit.

The ledger keeps no record of values for them, only the bytes we wrote last and what stood there before us, so that
leaving can put it back.
"""

from __future__ import annotations

import hashlib
import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import _files, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._document import ATTEMPTS, Result, Store
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import Changed, SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT


class Seen:
    """What a decision is made on.

    data: the file's bytes, None when there is none. recorded: whether the ledger says that we wrote it. untouched:
    whether it still is what we wrote. original: what stood there before us: bytes, None for no file, ABSENT for unknown.
    """

    __slots__ = ("data", "recorded", "untouched", "original")

    def __init__(self, data, recorded, untouched, original):
        self.data = data
        self.recorded = recorded
        self.untouched = untouched
        self.original = original


def converge(home, name, decide, present=True, mode=None, follow=True, check_mode=False):
    """Bring one file to what decide says; return the Result.

    home: a _document.Home. name: the file in it, also the ledger's name for it. decide: Seen -> (bytes or None for no
    file, changes as (path, outcome), original to remember); it raises SurfaceError for a file it cannot deal with.
    mode: forced on the file, None keeps it (0600 for a new one). follow: whether a link is written through; else a
    link is an edit like any other and a file takes its place. Raises SurfaceError; then the file is untouched.
    """
    with _files.lock(home.path) as locked:
        if not check_mode:
            path = home.file(name)
            for directory in (home.path, os.path.dirname(path), os.path.dirname(os.path.realpath(path))):
                _files.remove_stale_temporaries(directory, locked)
        for _attempt in range(ATTEMPTS):
            try:
                return _converge(home, name, decide, present, mode, follow, check_mode)
            except Changed:
                continue
    raise SurfaceError("another program keeps changing it while this run decides", os.path.join(home.path, name), hint="Run again when it is quiet")


def _converge(home, name, decide, present, mode, follow, check_mode):
    store = Store(home)
    path = os.path.join(home.path, name)
    is_link = not follow and os.path.islink(path)
    snapshot = _files.Snapshot(path, path) if is_link else _files.read(path)
    known = store.ledger.surfaces.get(name)
    before = snapshot.data if snapshot.exists else None
    original = store.originals.documents.get(name, ABSENT)
    untouched = known is not None and before is not None and _sha256(before) == known.written
    after, changes, original = decide(Seen(before, known is not None, untouched, original))
    wrong_mode = present and mode is not None and snapshot.exists and snapshot.mode != mode
    if wrong_mode and not changes:
        changes = [((name,), "pinned")]
    changed = before != after or wrong_mode or (is_link and present)
    if changed:
        _files.require_writable(snapshot)
    surface = None if not present else known if known is not None and not changed else _ledger.Surface(written=_sha256(after))
    result = Result(changed, changes, [], store.warnings, before or b"", after or b"")
    if present and not check_mode:
        store.make_directories(os.path.dirname(path))
    # The ledger first: a kill in between leaves a file that the next run rewrites, never one that nobody remembers.
    if present:
        _remember(store, name, surface, original, check_mode)
    if changed and not check_mode:
        if is_link:
            os.unlink(path)
            snapshot = _files.read(path)
        if after is None:
            _files.remove(snapshot)
        else:
            _files.replace(snapshot, after, mode=mode)
    if not present:
        if not check_mode:
            store.remove_directories()
        _remember(store, name, None, ABSENT, check_mode)
        if not check_mode:
            # The ledger may have been the last file in its directory.
            store.remove_directories()
    return result


def _remember(store, name, surface, original, check_mode):
    store.remember(name, surface, {}, original)
    if check_mode:
        store.require_writable()
    else:
        store.write()


def _sha256(data):
    return hashlib.sha256(data).hexdigest()
