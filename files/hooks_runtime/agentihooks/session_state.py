# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered between the events of one session: one small locked 0600 JSON file per session under <data directory>/state.

    session = Session(data_directory, event.session_id)
    session.once("rules")                                   True the first time, False after that
    session.get("breaker")                                  {} when nothing is kept
    session.update("breaker", lambda kept: dict(kept, x=1)) under the lock; what the function returns is kept

A section is a JSON object that belongs to one module, which bounds it. State is no record: a file that is broken, half written,
too large or not this session's counts as empty and is written anew, so nothing may be allowed because state says so, and
nothing may fail because it is gone. Every method but forget() raises OSError where the state cannot be kept or is
locked by a process that hangs: the caller decides what that means.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time

DIRECTORY = "state"
MAX_AGE = 7 * 86400  # seconds after which a session's file may go
MAX_SESSIONS = 500
MAX_BYTES = 1 << 16  # of one file
MAX_SEEN = 500  # items that once() remembers, the newest
LOCK_SECONDS = 1.0  # a writer holds the lock for less than a millisecond
_TRIES = 5  # a file can be pruned between the opening and the lock


class Session:
    """The state of one session. Making one touches nothing on the disk."""

    __slots__ = ("directory", "session_id", "path")

    def __init__(self, data_directory, session_id):
        self.directory = os.path.join(data_directory, DIRECTORY)
        self.session_id = session_id
        self.path = os.path.join(self.directory, file_name(session_id))

    def once(self, item):
        """Return True the first time it is asked for this item, False after that."""
        fresh = []

        def add(section):
            items = section.get("items")
            items = [name for name in items if isinstance(name, str)] if isinstance(items, list) else []
            if item in items:
                return None
            fresh.append(item)
            return {"items": (items + [item])[-MAX_SEEN:]}

        self.update("seen", add)
        return bool(fresh)

    def get(self, section):
        """Return a section, {} when nothing is kept. Makes no file."""
        try:
            descriptor = self._locked(os.O_RDWR)
        except FileNotFoundError:
            return {}
        try:
            return self._section(self._read(descriptor), section)
        finally:
            os.close(descriptor)

    def may_hold(self, section):
        """Return whether anything may be kept in a section: one look without the lock. Never raises."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError):
            return False
        try:
            return b'"%s": {"' % section.encode("ascii") in os.read(descriptor, MAX_BYTES)
        except OSError:
            return True
        finally:
            os.close(descriptor)

    def update(self, section, change):
        """Replace a section by what change (a function section -> section) returns; None leaves it. Returns what is kept now.

        What makes the whole too large is not kept.
        """
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        new = not os.path.lexists(self.path)
        descriptor = self._locked(os.O_RDWR | os.O_CREAT)
        try:
            whole = self._read(descriptor)
            before = self._section(whole, section)
            after = change(before)
            if after is None:
                return before
            data = json.dumps(dict(whole, session=self.session_id, **{section: after})).encode("ascii")
            if len(data) > MAX_BYTES:
                return before
            os.pwrite(descriptor, data, 0)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)
        if new:
            _prune(self.directory)
        return after

    def forget(self):
        """Remove what is kept of this session. Best effort: what stays is too old some day."""
        try:
            os.unlink(self.path)
        except OSError:
            return

    def _locked(self, flags):
        """Return a descriptor of the session's file, locked. Raises OSError; FileNotFoundError when there is none."""
        for _try in range(_TRIES):
            descriptor = os.open(self.path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
            try:
                _lock(descriptor)
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                    raise OSError("%s: is no plain file" % self.path)
                if status.st_nlink == 1:
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # pruned by another process in the meantime
        raise OSError("%s: goes away all the time" % self.path)

    def _read(self, descriptor):
        data = os.pread(descriptor, MAX_BYTES + 1, 0)
        try:
            whole = json.loads(data.decode("utf-8")) if len(data) <= MAX_BYTES else None
        except (ValueError, RecursionError):
            whole = None
        # Another id in it: two ids share a file name only when somebody made one to look like the other's.
        return whole if isinstance(whole, dict) and whole.get("session") == self.session_id else {}

    @staticmethod
    def _section(whole, section):
        found = whole.get(section)
        return found if isinstance(found, dict) else {}


def _lock(descriptor):
    """Take the lock. Raises BlockingIOError (an OSError) when somebody else keeps it."""
    give_up = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise
        time.sleep(0.002)


def file_name(session_id):
    """Return a name that is a single path segment, whatever the CLI sent as the id."""
    plain = "".join(character for character in session_id if character.isalnum() and character.isascii() or character in "-_")
    if plain == session_id and 0 < len(plain) <= 100:
        return plain + ".json"
    from hashlib import sha256

    return "id-" + sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest() + ".json"


def _prune(directory):
    """Remove the files that are too old, and the oldest over the cap."""
    found = []
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        try:
            found.append((os.lstat(path).st_mtime, path))
        except OSError:
            continue
    found.sort(reverse=True)
    limit = time.time() - MAX_AGE
    for index, (modified, path) in enumerate(found):
        if index >= MAX_SESSIONS or modified < limit:
            try:
                os.unlink(path)
            except OSError:
                continue
