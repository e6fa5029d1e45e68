# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the wrapper hands to the runtime where no interactive shell exported the channels: what copilot.env says, as data."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

NAME = "AGENTIHOOKS_BASE_CHANNELS"
SHELLS = [argv for argv in (["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"], ["zsh", "--emulate", "sh"]) if shutil.which(argv[0])]

# (what, copilot.env, channels that reach the runtime)
FILES = [
    ("no file", None, None),
    ("as it is written", "COPILOT_ALLOW_ALL='true'\nAGENTIHOOKS_BASE_CHANNELS='brain,amygdala'\nX='y'\n", "brain,amygdala"),
    ("all channels", "AGENTIHOOKS_BASE_CHANNELS='*'\n", "*"),
    ("as a person might write it", 'export AGENTIHOOKS_BASE_CHANNELS="brain"', "brain"),
    ("without quotes", "AGENTIHOOKS_BASE_CHANNELS=a,b\n", "a,b"),
    ("the first one counts", "AGENTIHOOKS_BASE_CHANNELS='a'\nAGENTIHOOKS_BASE_CHANNELS='b'\n", "a"),
    ("another variable", "MY_AGENTIHOOKS_BASE_CHANNELS='a'\n# AGENTIHOOKS_BASE_CHANNELS='b'\n", None),
    ("empty", "", None),
    ("only bytes", b"\x00\xff\n\xfeAGENTIHOOKS_BASE_CHANNELS='a'\n", None),
    ("very long", "X='%s'\n" % ("x" * 5000) + "AGENTIHOOKS_BASE_CHANNELS='a'\n", "a"),
    ("one mark alone", "AGENTIHOOKS_BASE_CHANNELS='", None),
]
HOSTILE = ["$(touch RAN)", "`touch RAN`", "'$(touch RAN)'", '"$(touch RAN)"', "'a'; touch RAN; '", "'a'\"$(touch RAN)\"'b'", "${X:=$(touch RAN)}"]
HOSTILE += ["$((RAN=1))", "a b", "\\x", "'"]


def reached(installed, argv, environ=()):
    """Return the channels that the runtime's process has, None when it has none. Its interpreter is one that only shows them."""
    python = installed.version / "python"
    python.unlink()
    python.write_text('#!/bin/sh\ncat >/dev/null\nif [ -n "${%s+set}" ]; then printf "set:%%s" "$%s"; fi\n' % (NAME, NAME))
    python.chmod(0o700)
    done = subprocess.run(
        argv + [str(installed.wrapper), "preToolUse"], input=b"{}", capture_output=True, timeout=60, check=False, cwd=str(installed.home),
        env=dict({"HOME": str(installed.home), "PATH": "/usr/bin:/bin"}, **dict(environ)),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b""), done
    assert not (installed.home / "RAN").exists()
    said = done.stdout.decode("utf-8")
    return said[len("set:"):] if said else None


@pytest.mark.parametrize("argv", SHELLS, ids=[" ".join(argv) for argv in SHELLS])
def test_channels_reach_the_runtime(installed, argv):
    file = installed.data / "copilot.env"
    for what, data, channels in FILES:
        if data is not None:
            file.write_bytes(data if isinstance(data, bytes) else data.encode())
        assert reached(installed, argv) == channels, what
    file.write_text("AGENTIHOOKS_BASE_CHANNELS='a'\n")
    for exported in ("brain", ""):
        assert reached(installed, argv, {NAME: exported}) == exported


@pytest.mark.parametrize("argv", SHELLS, ids=[" ".join(argv) for argv in SHELLS])
def test_nothing_in_the_file_is_run(installed, argv):
    for text in HOSTILE:
        (installed.data / "copilot.env").write_text("AGENTIHOOKS_BASE_CHANNELS=%s\n" % text)
        assert reached(installed, argv) is None, text
    (installed.data / "copilot.env").write_text("touch RAN\n. ./evil\nAGENTIHOOKS_BASE_CHANNELS='a'\n$(touch RAN)\n`touch RAN`\n")
    assert reached(installed, argv) == "a"


@pytest.mark.parametrize("argv", SHELLS, ids=[" ".join(argv) for argv in SHELLS])
def test_a_huge_file_does_not_hold_the_call(installed, argv):
    with open(str(installed.data / "copilot.env"), "wb") as stream:
        stream.truncate(1 << 40)
    started = os.times()
    assert reached(installed, argv) is None
    spent = os.times()
    assert spent.children_user + spent.children_system - started.children_user - started.children_system < 3


def test_what_is_no_regular_file_is_not_waited_for(installed):
    os.mkfifo(str(installed.data / "copilot.env"))
    assert reached(installed, ["sh"]) is None
    (installed.data / "copilot.env").unlink()
    (installed.data / "copilot.env").mkdir()
    assert reached(installed, ["sh"]) is None
    (installed.data / "copilot.env").rmdir()
    (installed.data / "copilot.env").symlink_to("/dev/zero")
    assert reached(installed, ["sh"]) is None
