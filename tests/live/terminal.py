# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copilot CLI in a terminal, as a person sees it: typed into through a pseudo-terminal, its screen read back as text."""

from __future__ import annotations

import fcntl
import os
import pty
import pwd
import re
import select
import signal
import struct
import termios
import time
from pathlib import Path

from clis import Cli
from copilot import API_KEY, GPT, ScriptedModel

ROWS, COLUMNS = 45, 160

# Seconds. A start takes 3 to 8, an answer 1 to 2.
TIMEOUT = 60
QUIET = 2.0  # without output, before something is typed

_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>()][0-9A-B]?")
# What a terminal answers when it is asked for the cursor's place and for its kind.
_REPLIES = ((b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[c", b"\x1b[?62c"))


def screen(cli: Cli, home: Path, steps: list, *, prompt: str, until: str, user: str, cwd: Path, timeout: float = TIMEOUT) -> str:
    """Start the CLI in a trusted folder, type the prompt, and return what the screen was sent, without its control sequences.

    Ends when `until` is there, or after timeout seconds; the CLI is killed then.
    """
    account = pwd.getpwnam(user)
    with ScriptedModel(steps) as model:
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color", "HOME": str(home), "NO_COLOR": "1",
            "TMPDIR": str(home / ".live" / "tmp"), "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_MODEL": GPT,
            "COPILOT_PROVIDER_BASE_URL": model.base_url, "COPILOT_PROVIDER_API_KEY": API_KEY, "COPILOT_PKG_CACHE_HOME": str(cli.unpacked),
        }
        child, terminal = pty.fork()
        if child == 0:
            os.initgroups(account.pw_name, account.pw_gid)
            os.setgid(account.pw_gid)
            os.setuid(account.pw_uid)
            os.chdir(cwd)
            os.execve(cli.binary, [str(cli.binary)], environment)
        try:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            return _watch(terminal, [prompt.encode(), b"\r"], until, time.monotonic() + timeout)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(terminal)


def _watch(terminal, keys, until, deadline):
    sent, last = b"", time.monotonic()
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                data = os.read(terminal, 1 << 16)
            except OSError:  # the CLI has ended
                break
            sent, last = sent + data, time.monotonic()
            for question, reply in _REPLIES:
                if question in data:
                    os.write(terminal, reply)
        elif keys and sent and time.monotonic() - last > QUIET:
            os.write(terminal, keys.pop(0))
            last = time.monotonic()
        text = _SEQUENCES.sub("", sent.decode("utf-8", "replace"))
        if not keys and until in text and time.monotonic() - last > QUIET:
            break
    return _SEQUENCES.sub("", sent.decode("utf-8", "replace"))
