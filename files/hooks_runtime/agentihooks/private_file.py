# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files of the runtime's own under the data directory: read without a lock, replaced whole under one.

A reader opens no link, waits for nothing, and takes nothing that another user could have written.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read(path, limit):
    """Return the bytes of a file, b"" when it is not there, not only ours to write, or larger than limit. Never raises."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(descriptor)
        ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
        return os.read(descriptor, limit + 1) if ours and status.st_size <= limit else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


class Locked:
    """While it is entered, no other process changes the files of a directory, which is made (0700) when it is missing.

    Raises OSError when the directory cannot be used, BlockingIOError (an OSError) when the lock is not free in time.
    """

    __slots__ = ("directory", "seconds", "descriptor")

    def __init__(self, directory, seconds):
        self.directory = directory
        self.seconds = seconds
        self.descriptor = -1

    def __enter__(self):
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        self.descriptor = os.open(os.path.join(self.directory, "lock"), os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
        give_up = time.monotonic() + self.seconds
        while True:
            try:
                fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return self
            except BlockingIOError:
                if time.monotonic() > give_up:
                    os.close(self.descriptor)
                    raise
            time.sleep(0.005)

    def __exit__(self, *failure):
        os.close(self.descriptor)

    def replace(self, name, data):
        """Give a file of the directory new content, whole or not at all. Raises OSError."""
        temporary = os.path.join(self.directory, name + ".new")
        try:
            os.unlink(temporary)  # left by a process that was killed here
        except FileNotFoundError:
            pass
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
        try:
            while data:
                data = data[os.write(descriptor, data):]
        finally:
            os.close(descriptor)
        os.replace(temporary, os.path.join(self.directory, name))
