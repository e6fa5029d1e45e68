# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what a user runs on this host, read from /proc."""

from __future__ import annotations

import os


def of_user(uid, proc="/proc"):
    """Return (pid, argv, executable) of each process of a user; executable is "" where it may not be read.

    A host without /proc gives an empty list.
    """
    found = []
    try:
        names = [name for name in os.listdir(proc) if name.isdigit()]
    except OSError:
        return found
    for name in sorted(names, key=int):
        place = os.path.join(proc, name)
        try:
            if os.stat(place).st_uid != uid:
                continue
            with open(os.path.join(place, "cmdline"), "rb") as stream:
                argv = [os.fsdecode(word) for word in stream.read().split(b"\0")[:-1]]
        except OSError:
            continue
        try:
            executable = os.readlink(os.path.join(place, "exe"))
        except OSError:
            executable = ""
        found.append((int(name), argv, executable))
    return found
