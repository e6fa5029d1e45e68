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
ENTER, ESCAPE, CONTROL_C = "\r", "\x1b", "\x03"

# Seconds. What is waited for takes 1 to 5.
TIMEOUT = 90

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
        self._seen = 0

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
        for key in [keys] if keys.startswith(ESCAPE) else keys:
            os.write(self._master, key.encode("utf-8"))
            self._read(0.02)

    def wait_for(self, *wanted, timeout=TIMEOUT):
        """Wait until one of the texts is drawn after what an earlier call found, and return it. Raises TimeoutError."""
        return self.wait_until(lambda: self._find(wanted), " or ".join(repr(text) for text in wanted), timeout)

    def wait_until(self, condition, what, timeout=TIMEOUT):
        """Read the terminal until condition() is true; return what it returned. Raises TimeoutError that shows the screen."""
        end = time.monotonic() + timeout
        while True:
            found = condition()
            if found:
                return found
            if time.monotonic() > end or not self._read(0.1):
                raise TimeoutError(f"waited {timeout} s for {what}; the end of what was drawn:\n{self.text()[-6000:]}")

    def _find(self, wanted):
        text = self.text()
        places = [(text.find(each, self._seen), each) for each in wanted]
        places = [(place, each) for place, each in places if place >= 0]
        if not places:
            return None
        place, found = min(places)
        self._seen = place + len(found)
        return found

    def _read(self, seconds):
        """Take what was drawn within some seconds. Returns False when the program has ended."""
        while True:
            ready, _writable, _broken = select.select([self._master], [], [], seconds)
            if not ready:
                return True
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return False
            if not data:
                return False
            self._bytes += data
            seconds = 0
