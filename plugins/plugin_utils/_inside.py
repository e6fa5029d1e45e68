# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: reads a file of a bundle that somebody else may be changing at this moment."""

from __future__ import annotations

import errno
import os
import stat


def read(path, root, limit):
    """Return the bytes of a file, limit + 1 of them when it is longer.

    What was opened is what lies inside root, whatever was put in its place since it was looked at: a link to a file outside, a pipe.
    root: a directory with links resolved. Raises OSError, also for what is no regular file or lies outside.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    with os.fdopen(descriptor, "rb") as stream:
        opened = os.fstat(descriptor)
        real = _place(descriptor, path)
        inside = root == "/" or real.startswith(root.rstrip("/") + "/")
        if not inside or not stat.S_ISREG(opened.st_mode) or not os.path.samestat(opened, os.lstat(real)):
            raise OSError(errno.ESTALE, "something else was put in its place while it was read", str(path))
        return stream.read(limit + 1)


def _place(descriptor, path):
    """Return where the open file lies; the system says it of the file itself where it can, so no swap of names comes between."""
    try:
        return os.readlink("/proc/self/fd/%d" % descriptor)
    except OSError:
        return os.path.realpath(path)
