# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a session has had already: one small locked 0600 file per session under <data directory>/state."""

from __future__ import annotations

import fcntl
import json
import os
import time

MAX_AGE = 7 * 86400  # seconds after which a session's file may go
MAX_SESSIONS = 500
MAX_BYTES = 1 << 16


def once(directory, session_id, item):
    """Return True the first time it is asked for this session and item, False after that.

    Raises OSError where the state cannot be kept (a read-only home): the caller decides what that means.
    """
    os.makedirs(directory, mode=0o700, exist_ok=True)
    path = os.path.join(directory, _file_name(session_id))
    new = not os.path.lexists(path)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            seen = json.loads(os.read(descriptor, MAX_BYTES).decode("utf-8"))["seen"]
            seen = [name for name in seen if isinstance(name, str)]
        except (ValueError, KeyError, TypeError, RecursionError):
            seen = []
        if item in seen:
            return False
        text = json.dumps({"session": session_id, "seen": seen + [item]}).encode("utf-8")
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, text)
    finally:
        os.close(descriptor)
    if new:
        _prune(directory)
    return True


def _file_name(session_id):
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
