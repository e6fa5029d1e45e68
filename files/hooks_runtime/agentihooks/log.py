# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime's log: <data directory>/logs/hooks.log, JSON lines, 0600, rotated. Denials and faults only, no tool text at all.

What stands in a fault comes in part from the CLI (a tool's name, an event's), so every text is cut and goes through the rules
that find secrets before it is written.
"""

from __future__ import annotations

import fcntl
import json
import os
import time

DIRECTORY = "logs"
NAME = "hooks.log"
MAX_BYTES = 5 << 20
BACKUPS = 3
CHECK_SESSION = "agentihooks-doctor"  # of the calls that "agentihooks doctor" puts to the wrapper
MAX_TEXT = 300  # characters of one text in a record
# Of a line: what stands in a record, and one outcome for each call of a large batch.
_MAX_OUTCOMES = 50


def write(data_directory, record):
    """Append one record (a dict of texts and lists). Best effort: a log that cannot be written never changes a verdict.

    What the doctor's own calls would leave is not written: it changes nothing on a host.
    """
    if record.get("session") == CHECK_SESSION:
        return
    try:
        directory = os.path.join(data_directory, DIRECTORY)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        path = os.path.join(directory, NAME)
        line = json.dumps(dict({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}, **_fit(record))) + "\n"
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


def records(data_directory):
    """Yield the records (dicts) of the log and its backups, oldest first. Never raises.

    What is no record is left out, and so is what the doctor's own calls left with an earlier version.
    """
    from agentihooks import private_file

    for number in range(BACKUPS, -1, -1):
        name = NAME if number == 0 else "%s.%d" % (NAME, number)
        data = private_file.read(os.path.join(data_directory, DIRECTORY, name), 2 * MAX_BYTES)
        for line in data.decode("utf-8", "replace").split("\n"):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            in_form = isinstance(record, dict) and isinstance(record.get("time"), str) and isinstance(record.get("outcomes"), list)
            if in_form and record.get("session") != CHECK_SESSION:
                yield record


def _fit(value):
    """Return value with every text cut and without secrets."""
    if isinstance(value, dict):
        return {key: _fit(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_fit(item) for item in value[:_MAX_OUTCOMES]]
    if isinstance(value, str) and len(value) > 20:  # no secret is as short as a rule's or an event's name
        from agentihooks import secret_shapes

        # Redacted with some of what follows, so that no secret is cut to a half that no rule knows.
        return secret_shapes.redact(value[: 4 * MAX_TEXT])[:MAX_TEXT]
    return value


def _open(path):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(descriptor).st_mode & 0o077:
            os.fchmod(descriptor, 0o600)  # a backup or a person made it readable for others
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


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
