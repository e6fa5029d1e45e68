# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: scratch accounts, a copy of the working tree as a collection, and the watch over the real home.

Runs on every host Python too (scripts/host-pythons.sh): there, test files that need what only the controller has
(Ansible, YAML, ...) are left out, and the header of the run names them.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import itertools
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent

# Packages that only the controller has; host code and its tests do without them.
CONTROLLER_ONLY = ("ansible", "detect_secrets", "jsonschema", "mcp", "tomlkit", "yaml")
# Half seconds that are waited for another program to be done with the accounts of this machine.
ACCOUNT_ATTEMPTS = 60

# What the CLIs and this collection own in a home, and the files a shell reads at start.
WATCHED_IN_HOME = (
    ".agentihooks", ".agents", ".codex", ".copilot",
    ".bash_profile", ".bashrc", ".profile", ".zprofile", ".zshenv", ".zshrc",
)  # fmt: skip

_left_out = []


def pytest_ignore_collect(collection_path):
    """Leave a test file out where what it imports is missing; None means pytest decides."""
    if collection_path.suffix != ".py":
        return None
    missing = [name for name in CONTROLLER_ONLY if importlib.util.find_spec(name) is None]
    if not missing:
        return None
    imported = _imports(collection_path)
    if any(name in imported for name in missing):
        _left_out.append(str(collection_path.relative_to(CHECKOUT)))
        return True
    return None


def _imports(path):
    """Top-level package names a Python file imports anywhere, itself or through the tests' own helpers."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
            if ".plugin_utils" in node.module or ".plugins.modules" in node.module:
                # the first only ever runs on the controller, the others are started by Ansible
                names.add("ansible")
    for helper in [CHECKOUT / "tests" / place / (name + ".py") for name in sorted(names) for place in ("support", "live")]:
        if helper.exists() and helper != path:
            names |= _imports(helper)
    return names


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        for name, value in report.user_properties:
            if name == "figure":
                terminalreporter.write_line(value)
    if _left_out:
        terminalreporter.write_line("left out on this Python (need the controller's packages): " + ", ".join(sorted(_left_out)))


def pytest_configure(config):
    """Make `import ansible_collections.agentihooks.fleet...` mean this checkout, and `import agentihooks` its runtime."""
    link_root = pathlib.Path(tempfile.mkdtemp(prefix="agentihooks-import-"))
    config.add_cleanup(lambda: shutil.rmtree(str(link_root), ignore_errors=True))
    namespace = link_root / "ansible_collections" / "agentihooks"
    namespace.mkdir(parents=True)
    (namespace / "fleet").symlink_to(CHECKOUT)
    sys.path.insert(0, str(link_root))
    sys.path.insert(0, str(CHECKOUT / "files" / "hooks_runtime"))


@pytest.fixture(scope="session", autouse=True)
def clean_environment():
    """The tests' own environment carries no setting of the CLIs or of the runtime: it would reach what they start."""
    leaked = sorted(name for name in os.environ if name.startswith(("COPILOT_", "CODEX_", "AGENTIHOOKS_")) and not name.startswith("AGENTIHOOKS_TEST_"))
    assert not leaked, "unset these before running the tests: " + ", ".join(leaked)


@pytest.fixture(scope="session", autouse=True)
def real_home_unchanged():
    """Fail the session when the home of the account that runs the tests was touched."""
    home = pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir)
    before = fingerprint(home)
    yield
    after = fingerprint(home)
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    assert not changed, "the tests changed the real home %s: %s" % (home, ", ".join(changed))


def fingerprint(home):
    """Path -> (kind, mode, owner, content hash or link target) of everything watched in home."""
    found = {}
    for name in WATCHED_IN_HOME:
        top = home / name
        below = sorted(top.rglob("*")) if top.is_dir() and not top.is_symlink() else []
        for path in [top] + below:
            if not os.path.lexists(str(path)):
                continue
            status = path.lstat()
            if path.is_symlink():
                content = os.readlink(str(path))
            elif path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                content = ""
            found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, content)
    return found


class ScratchUser:
    """A Debian account of its own, with a home that is removed together with it.

    name, uid, gid: of the account; home: pathlib.Path.
    """

    _numbers = itertools.count(1)

    def __init__(self):
        self.name = "ah%d-%d" % (os.getpid(), next(self._numbers))
        base = os.environ.get("AGENTIHOOKS_TEST_HOMES", "/home")
        # '*' as password hash: no password fits, but sshd does not call the account locked.
        _root_command("useradd", "--create-home", "--base-dir", base, "--shell", "/bin/bash", "--password", "*", self.name)
        entry = pwd.getpwnam(self.name)
        self.uid, self.gid, self.home = entry.pw_uid, entry.pw_gid, pathlib.Path(entry.pw_dir)

    def environment(self, extra=None):
        """The environment a login would give, plus extra; nothing of the test process leaks in."""
        clean = {
            "HOME": str(self.home), "USER": self.name, "LOGNAME": self.name, "SHELL": "/bin/bash",
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
        }  # fmt: skip
        clean.update(extra or {})
        return clean

    def run(self, argv, env=None, cwd=None, check=True, timeout=60, input=None):
        """Run argv as this account and wait. env is added to a clean login environment; cwd defaults to the home.

        Returns subprocess.CompletedProcess with text output. Raises AssertionError when check is true and the exit
        code is not 0, and when timeout (seconds) passes; then the command and what it started are killed.
        """
        process = subprocess.Popen(
            [str(part) for part in argv],
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", env=self.environment(env), cwd=str(cwd or self.home), start_new_session=True,
            user=self.uid, group=self.gid, extra_groups=[self.gid], umask=0o022,
        )  # fmt: skip
        try:
            out, err = process.communicate(input, timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError("%s: no end after %s s\nstdout:\n%s\nstderr:\n%s" % (argv, timeout, out, err)) from None
        if check and process.returncode != 0:
            raise AssertionError("%s: exit code %d\nstdout:\n%s\nstderr:\n%s" % (argv, process.returncode, out, err))
        return subprocess.CompletedProcess(argv, process.returncode, out, err)

    def write(self, path, text, mode=0o644):
        """Write a file below the home as this account would have it; missing directories are made. Returns its path."""
        path = self.home / path
        for directory in reversed(path.relative_to(self.home).parents):
            directory = self.home / directory
            if not directory.exists():
                directory.mkdir(mode=0o755)
                os.chown(str(directory), self.uid, self.gid)
        descriptor = os.open(str(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            os.fchmod(descriptor, mode)  # before there is anything to read
            stream.write(text if isinstance(text, bytes) else text.encode("utf-8"))
        os.chown(str(path), self.uid, self.gid)
        return path

    def remove(self):
        """Kill what the account still runs, then remove it with its home."""
        subprocess.run(["pkill", "-KILL", "-U", str(self.uid)], check=False)
        _root_command("userdel", "--force", "--remove", self.name)
        shutil.rmtree(str(self.home), ignore_errors=True)


def _root_command(*argv):
    if os.getuid() != 0:
        pytest.fail("this test makes scratch accounts: run it as root", pytrace=False)
    for _attempt in range(ACCOUNT_ATTEMPTS):
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if "try again later" not in done.stderr:  # another run makes or removes an account in this moment
            break
        time.sleep(0.5)
    # userdel reports a missing mail spool on stderr, with exit code 0
    assert done.returncode == 0, "%s: exit code %d: %s" % (" ".join(argv), done.returncode, done.stderr.strip())


@pytest.fixture
def scratch_user():
    """A fresh scratch account for one test."""
    user = ScratchUser()
    yield user
    user.remove()


@pytest.fixture(scope="session")
def session_scratch_user():
    """One scratch account for tests that only read, or clean up after themselves."""
    user = ScratchUser()
    yield user
    user.remove()


@pytest.fixture(scope="session")
def make_scratch_user():
    """A function that makes further scratch accounts; all are removed at the end of the session."""
    users = []

    def make():
        users.append(ScratchUser())
        return users[-1]

    yield make
    for user in users:
        user.remove()


@pytest.fixture(scope="session")
def collections_path():
    """A directory for ANSIBLE_COLLECTIONS_PATH with a copy of the working tree in it, readable by scratch accounts."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="agentihooks-collections-"))
    root.chmod(0o755)
    subprocess.run([str(CHECKOUT / "scripts" / "copy-checkout.sh"), str(root)], check=True, stdin=subprocess.DEVNULL)
    yield root
    shutil.rmtree(str(root))
