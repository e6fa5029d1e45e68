# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What driving any real CLI against the scripted model has in common: the account, the process, and what the model was told."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Seconds. A session takes 1 to 5.
TIMEOUT = 90


class SessionTimeout(RuntimeError):
    """The CLI did not end by itself."""


@dataclass(frozen=True)
class ModelSession:
    """What one run of a CLI left behind. requests: bodies of the requests the model was sent, in order."""

    exit_code: int
    stdout: str
    stderr: str
    requests: list

    def model_saw(self, text: str) -> int:
        """Return how often `text` stands in the request that holds it most often (each request repeats the history)."""
        return max((sum(part.count(text) for part in strings_in(body)) for body in self.requests), default=0)

    def tool_results(self) -> list[str]:
        """Return the text of every tool result in the last request, in order: what the model was told about its calls."""
        raise NotImplementedError

    def report(self) -> str:
        """Return what helps when an assertion on this session fails."""
        results = "\n".join(self.tool_results())
        return f"exit {self.exit_code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}\n--- tool results\n{results}"


class Scratch:
    """The working directory and the scratch directory of one run in a scratch home.

    user: name of the account the CLI runs as and that owns them, None for the caller.
    """

    def __init__(self, home: Path, cwd: Path | None = None, user: str | None = None):
        self.account = pwd.getpwnam(user) if user else None
        self.cwd = cwd or home / "work"
        self.directory = home / ".live"
        self.tmp = self.directory / "tmp"
        for directory in (self.cwd, self.directory, self.tmp):
            if not directory.exists():
                directory.mkdir(mode=0o700)
                self.give(directory)

    def give(self, path: Path) -> None:
        """Make a file or directory the account's own."""
        if self.account is not None:
            os.chown(path, self.account.pw_uid, self.account.pw_gid)

    def identity(self) -> dict:
        """Return the arguments that make subprocess.Popen run something as the account."""
        if self.account is None:
            return {}
        groups = os.getgrouplist(self.account.pw_name, self.account.pw_gid)
        return {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": groups}

    def run(self, command: list, environment: dict, timeout: float, stdin: str | None = None) -> tuple[int, str, str]:
        """Run a command as the account, with this environment and no other. Returns (exit code, stdout, stderr).

        After timeout (seconds) the whole process group is killed and SessionTimeout raised.
        """
        process = subprocess.Popen(
            command, env=environment, cwd=self.cwd, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True, **self.identity(),
        )
        try:
            stdout, stderr = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            raise SessionTimeout(f"{command[0]} still ran after {timeout} s\n{stdout}\n{stderr}") from None
        return process.returncode, stdout, stderr


def strings_in(value):
    """Yield every string inside a JSON value: what the model reads, free of JSON's escapes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)


def call(tool: str, /, **arguments) -> dict:
    """Return a tool call for a step."""
    return {"name": tool, "arguments": arguments}
