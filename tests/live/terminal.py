# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real terminal for a program that draws one: what it drew as plain text, and a person's keys."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

ROWS, COLUMNS = 50, 200
ENTER, ERASE_LINE = "\r", "\x15"

# Seconds. What is waited for takes 1 to 5.
TIMEOUT = 90
# Seconds between a line and Enter, for what completes the line while it is typed.
PAUSE = 0.5

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|[ -/]*[0-~])", re.DOTALL)


class Terminal:
    """A context manager: a program on a pseudo-terminal; at the end its process group is killed.

    identity: further arguments for subprocess.Popen (whose account it runs as).
    """

    def __init__(self, command, env, cwd, identity=None):
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

        def take_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self._process = subprocess.Popen(
            [str(part) for part in command], env=dict(env, TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(ROWS)), cwd=cwd,
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True, preexec_fn=take_terminal, **(identity or {}),
        )  # fmt: skip
        os.close(slave)
        self._bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._master)

    def text(self):
        """Return everything that was drawn so far, as plain text."""
        self._read(0)
        return _SEQUENCE.sub("", self._bytes.decode("utf-8", errors="replace"))

    def type(self, keys):
        """Press keys, one after another, like a person: a program that reads them in one piece takes them for a paste."""
        for key in keys:
            os.write(self._master, key.encode("utf-8"))
            self._read(0.02)

    def enter(self, line, happened, what):
        """Type a line and Enter, and wait like wait_until. Without an effect it is typed anew: while a program completes
        what is typed, Enter may only take the completion."""
        for attempt in (1, 2, 3):
            self.type(ERASE_LINE + line)
            self._read(PAUSE * attempt)
            self.type(ENTER)
            try:
                return self.wait_until(happened, what, TIMEOUT / 3)
            except TimeoutError:
                if attempt == 3:
                    raise
        return None

    def wait_until(self, condition, what, timeout=TIMEOUT):
        """Read the terminal until condition() is true; return what it returned. Raises TimeoutError that shows what was drawn."""
        end = time.monotonic() + timeout
        while True:
            found = condition()
            if found:
                return found
            running = self._read(0.1)
            if time.monotonic() > end or not (running or condition()):
                raise TimeoutError(f"waited {timeout} s for {what}; the end of what was drawn:\n{self.text()[-6000:]}")

    def _read(self, seconds):
        """Take what is drawn within some seconds. Returns False when the program has ended."""
        end = time.monotonic() + seconds
        while True:
            ready, _writable, _broken = select.select([self._master], [], [], max(0, end - time.monotonic()))
            if not ready:
                return True
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return False
            if not data:
                return False
            self._bytes += data
