# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pinned real CLIs: which ones there are (tests/clis/package.json), and how they come onto this machine.

They are installed once per lock file, outside the clone, so that a second clone or a fresh one finds them:
/var/cache/agentihooks-fleet for root, else $XDG_CACHE_HOME/agentihooks-fleet. Every user can read and run them there.

As a program it installs what is missing and prints what there is.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

CLIS = Path(__file__).resolve().parent.parent / "clis"

# Name -> where the executable lies in its package.
BINARIES = {"copilot": "copilot", "codex": "vendor/x86_64-unknown-linux-musl/bin/codex"}

# Seconds. A cold install is about 800 MB to download and 2.4 GB on disk.
INSTALL_TIMEOUT = 1500
VERSION_TIMEOUT = 60


class CliError(RuntimeError):
    """A pinned CLI is not there and cannot be installed, or is not the version it is pinned to."""


@dataclass(frozen=True)
class Cli:
    """One installed CLI.

    name: "copilot" or "codex". version: what it is pinned to, "1.0.102". binary: the executable.
    unpacked: the directory Copilot's self-extracting binary unpacks into (COPILOT_PKG_CACHE_HOME): already filled, so a
    session in a fresh home does not write 200 MB first. Each version has its own: an older binary starts the newest
    version it finds there, and would be the newest.
    """

    name: str
    version: str
    binary: Path
    unpacked: Path


def pinned(name: str) -> list[str]:
    """Return the pinned versions of the CLI `name` ("copilot", "codex"), oldest first."""
    dependencies = json.loads((CLIS / "package.json").read_text(encoding="utf-8"))["dependencies"]
    versions = [alias[len(name) + 1:] for alias in dependencies if alias.startswith(name + "-")]
    return sorted(versions, key=lambda version: [int(part) for part in version.split(".")])


def cache_root() -> Path:
    """Return the directory for downloads that outlive a clone."""
    if os.geteuid() == 0:
        return Path("/var/cache/agentihooks-fleet")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agentihooks-fleet"


def installed(name: str, version: str) -> Cli:
    """Return the installed CLI `name` of a pinned version, installing all pinned CLIs when they are missing.

    Raises CliError that says what failed and what to do.
    """
    return _cli(_installed(), name, version)


def _cli(root: Path, name: str, version: str) -> Cli:
    place = f"{name}-{version}"
    return Cli(name, version, root / "node_modules" / place / BINARIES[name], root / "unpacked" / place)


def _installed() -> Path:
    """Return the directory that holds the CLIs of the present lock file, filling it first when it is not complete."""
    lock_file = CLIS / "package-lock.json"
    digest = hashlib.sha256(lock_file.read_bytes()).hexdigest()[:16]
    root = cache_root() / "clis" / digest
    complete = root / ".complete"
    if complete.exists():
        return root
    root.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    with open(root.parent / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(root, ignore_errors=True)
            _install(root)
            complete.touch()
    return root


def _install(root: Path) -> None:
    root.mkdir(mode=0o755)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(CLIS / name, root / name)
    with tempfile.TemporaryDirectory(dir=root) as downloads:
        _npm(root, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", downloads])
        for name in BINARIES:
            for version in pinned(name):
                found = reported_version(_cli(root, name, version), Path(downloads))
                if found != version:
                    raise CliError(f"{name} pinned to {version} reports {found!r}")
    subprocess.run(["chmod", "-R", "a+rX", str(root)], check=True)


def install_one(name: str, version: str) -> Cli:
    """Return an installed CLI of a version that is not pinned, installing it when it is missing. Raises CliError."""
    root = cache_root() / "clis" / f"{name}-{version}"
    cli = _cli(root, name, version)
    if (root / ".complete").exists():
        return cli
    root.mkdir(mode=0o755, parents=True, exist_ok=True)
    (root / "package.json").write_text(json.dumps({"private": True, "dependencies": {f"{name}-{version}": _package(name, version)}}))
    with tempfile.TemporaryDirectory(dir=root) as downloads:
        _npm(root, ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", downloads])
        found = reported_version(cli, Path(downloads))
    if found != version:
        raise CliError(f"{name} {version} reports {found!r}")
    subprocess.run(["chmod", "-R", "a+rX", str(root)], check=True)
    (root / ".complete").touch()
    return cli


def pin(name: str, version: str) -> None:
    """Add a version to the pinned ones: package.json and its lock file, which npm writes. Raises CliError, and then nothing changed."""
    with tempfile.TemporaryDirectory(prefix="pin-") as scratch:
        copy = Path(scratch)
        content = json.loads((CLIS / "package.json").read_text(encoding="utf-8"))
        content["dependencies"][f"{name}-{version}"] = _package(name, version)
        (copy / "package.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        shutil.copy(CLIS / "package-lock.json", copy / "package-lock.json")
        _npm(copy, ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", str(copy / "cache")])
        for file in ("package.json", "package-lock.json"):
            shutil.copy(copy / file, CLIS / file)


def _package(name: str, version: str) -> str:
    return f"npm:@github/copilot-linux-x64@{version}" if name == "copilot" else f"npm:@openai/codex@{version}-linux-x64"


def _npm(directory: Path, arguments: list) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise CliError("the live tests install real CLIs with npm, which is not on PATH: install the packages nodejs and npm")
    done = subprocess.run([npm, *arguments], cwd=directory, capture_output=True, text=True, timeout=INSTALL_TIMEOUT, umask=0o022, check=False)
    if done.returncode != 0:
        raise CliError(f"npm {arguments[0]} of {directory / 'package.json'} failed:\n{done.stderr.strip()}")


def reported_version(cli: Cli, home: Path) -> str:
    """Return the version the CLI itself reports, run in a scratch home; "" when it reports none."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "CODEX_HOME": str(home), "COPILOT_PKG_CACHE_HOME": str(cli.unpacked)}
    command = [str(cli.binary), "--version"]
    done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, timeout=VERSION_TIMEOUT, umask=0o022, check=False)
    first = done.stdout.splitlines()[0] if done.stdout else ""
    return first.rsplit(" ", 1)[-1].rstrip(".")


def main() -> int:
    try:
        for name in BINARIES:
            for version in pinned(name):
                print(f"{name} {version}: {installed(name, version).binary}")
    except CliError as error:
        print(f"clis: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
