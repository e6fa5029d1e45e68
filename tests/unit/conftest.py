# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime is imported from where it lies, as it is on a host."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

RUNTIME = Path(__file__).resolve().parents[2] / "files" / "hooks_runtime"
MODULE = RUNTIME.parents[1] / "plugins" / "modules" / "hooks_runtime.py"
sys.path.insert(0, str(RUNTIME))
# An account that owns nothing, on every Debian.
NOBODY = 65534


class Installed:
    """The runtime laid out below a scratch home as on a host, with the wrapper as its only way in."""

    def __init__(self, home):
        self.home = home
        self.data = home / ".agentihooks"
        self.version = self.data / "runtime" / "test"
        self.current = self.data / "runtime" / "current"
        self.wrapper = home / ".copilot" / "agentihooks-hook.sh"
        shutil.copytree(RUNTIME, self.version, ignore=shutil.ignore_patterns("__pycache__"))
        (self.version / "python").symlink_to(os.path.realpath(sys.executable))
        self.current.symlink_to("test")
        self.wrapper.parent.mkdir()
        template = (RUNTIME / "agentihooks-hook.sh").read_text(encoding="utf-8")
        self.wrapper.write_text(template.replace("@RUNTIME@", shlex.quote(str(self.current))).replace("@TARGET@", "copilot"))
        self.wrapper.chmod(0o700)

    def policy(self, **settings):
        path = self.data / "policy.json"
        path.write_text(json.dumps(settings, indent=1))
        path.chmod(0o600)
        return path

    def command(self):
        """Put the command "agentihooks" where the role does, and return its path."""
        path = self.data / "bin" / "agentihooks"
        path.parent.mkdir(exist_ok=True)
        text = re.search('COMMAND_TEXT = """(.*?)"""', MODULE.read_text(encoding="utf-8"), re.DOTALL).group(1)
        path.write_text(text % {"python": shlex.quote(str(self.current / "python")), "program": shlex.quote(str(self.current / "cli.py"))})
        path.chmod(0o700)
        return path

    def run(self, event, payload, version="", timeout=60, env=None):
        """Run the wrapper as a Copilot of that version does ("": one that does not say); payload: bytes or what becomes JSON.

        Returns the CompletedProcess (bytes).
        """
        data = payload if isinstance(payload, bytes) else json.dumps(payload, separators=(",", ":")).encode()
        environ = dict({"HOME": str(self.home), "PATH": "/usr/bin:/bin"}, **(env or {}))
        if version:
            environ["COPILOT_CLI_BINARY_VERSION"] = version
        return subprocess.run([str(self.wrapper), event], input=data, capture_output=True, env=environ, timeout=timeout, check=False)


@pytest.fixture(autouse=True)
def no_other_writers(monkeypatch):
    """Nobody writes beside the unit tests but what they start themselves, so no write waits for one."""
    from ansible_collections.agentihooks.fleet.plugins.module_utils import _document

    monkeypatch.setattr(_document, "SETTLE_SECONDS", 0)


@pytest.fixture
def installed():
    """The runtime in a home whose path is as short as a person's: what a denial names is cut where it is long."""
    with tempfile.TemporaryDirectory(prefix="ah-") as home:
        yield Installed(Path(home))


@pytest.fixture
def unprivileged():
    """A directory of an account that may not read everything; until the test ends it runs as that account."""
    place = Path(tempfile.mkdtemp(prefix="agentihooks-unprivileged-"))
    as_root = os.geteuid() == 0
    if as_root:
        os.chown(str(place), NOBODY, NOBODY)
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    try:
        yield place
    finally:
        if as_root:
            os.seteuid(0)
            os.setegid(0)
        shutil.rmtree(str(place))
