# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime's log: <data directory>/logs/hooks.log, JSON lines, 0600, rotated. Denials and faults only, no tool text at all."""

from __future__ import annotations

import fcntl
import json
import os
import time

DIRECTORY = "logs"
NAME = "hooks.log"
MAX_BYTES = 5 << 20
BACKUPS = 3


def write(data_directory, record):
    """Append one record (a dict without secrets). Best effort: a log that cannot be written never changes a verdict."""
    try:
        directory = os.path.join(data_directory, DIRECTORY)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        path = os.path.join(directory, NAME)
        line = json.dumps(dict({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}, **record)) + "\n"
        descriptor = _open(path)
        try:
            if os.fstat(descriptor).st_size > MAX_BYTES and _rotated(descriptor, path):
                os.close(descriptor)
                descriptor = _open(path)
            os.write(descriptor, line.encode("utf-8", "backslashreplace"))  # one append of one line: needs no lock
        finally:
            os.close(descriptor)
    except (OSError, ValueError, TypeError):
        return


def _open(path):
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)


def _rotated(descriptor, path):
    """Shift hooks.log to .1, .1 to .2 and so on; False when another process is at it or has done it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    if not os.path.samestat(os.fstat(descriptor), os.lstat(path)):
        return True
    for number in range(BACKUPS, 0, -1):
        older = path if number == 1 else "%s.%d" % (path, number - 1)
        if os.path.lexists(older):
            os.replace(older, "%s.%d" % (path, number))
    return True
