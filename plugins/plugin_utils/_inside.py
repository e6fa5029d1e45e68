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
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not _lies_in(root, descriptor, path):
            raise OSError(errno.ESTALE, "something else was put in its place while it was read", str(path))
        return stream.read(limit + 1)


def _lies_in(root, descriptor, path):
    """Return whether the file that was opened as path lies in root.

    Linux says it of the open file itself. Where there is no /proc, the path must still lead to that file; then somebody who swaps
    a whole directory three times between two looks is not noticed.
    """
    try:
        real = os.readlink("/proc/self/fd/%d" % descriptor)
    except OSError:
        real = os.path.realpath(path)
        if not os.path.samestat(os.fstat(descriptor), os.lstat(real)):
            return False
    return root == "/" or real.startswith(root.rstrip("/") + "/")
