# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: asks the installed Codex whether it starts with a config.toml, before that is written.

`codex features list` loads and checks the whole file (measured on 0.142.3, 0.154.0 and 0.171.0: it refuses everything that stops
`codex exec`, in 0.05 to 0.15 seconds), contacts nobody and leaves nothing. It runs in a scratch home that is removed again.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile

from ansible_collections.agentihooks.fleet.plugins.module_utils import _clis, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._codex_config import CONFIG
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError, printable

SECONDS = 20
# Keys that name a file which must exist; a relative name counts from config.toml.
FILES = ("model_instructions_file", "experimental_compact_prompt_file")
_FAILED = re.compile(r"^Error[^\n]*(?:\n.*)?", re.MULTILINE | re.DOTALL)


def installed(home, environ):
    """Return the path of the Codex that this home's owner would run, None without one."""
    return _clis.find("codex", _clis.directories(home, environ.get("PATH", "").split(os.pathsep)))


def approver(cli, home, config_home, environ):
    """Return what _document.converge() asks about a write that is due. cli: path of Codex, None when there is none.

    A refusal raises SurfaceError, with Codex's own words. A file that Codex refuses already is written, with a warning: it may be
    the person's own value that stands in the way, and none of ours makes it worse.
    """

    def approve(before, after):
        if cli is None or after is None:
            return []
        said = refusal(cli, after, home, config_home, environ)
        if not said:
            return []
        if before is not None and refusal(cli, before, home, config_home, environ):
            return ["%s: Codex does not start with what stands there already: %s" % (os.path.join(config_home, CONFIG), said)]
        raise SurfaceError("Codex would not start with the wanted values: %s" % said, os.path.join(config_home, CONFIG), hint="It was not touched")

    return approve


def refusal(cli, data, home, config_home, environ):
    """Return what that Codex says when it does not start with these bytes as config.toml, "" when it does or cannot be asked."""
    with tempfile.TemporaryDirectory(prefix="agentihooks-") as scratch:
        codex_home = os.path.join(scratch, ".codex")
        os.mkdir(codex_home, 0o700)
        with open(os.path.join(codex_home, CONFIG), "wb") as stream:
            stream.write(data)
        _make_named_files(data, home, config_home, scratch, codex_home)
        places = [os.path.dirname(cli)] + _clis.directories(home, environ.get("PATH", "").split(os.pathsep))
        environment = {"HOME": scratch, "CODEX_HOME": codex_home, "TMPDIR": scratch, "PATH": os.pathsep.join(places)}
        try:
            result = subprocess.run(  # pylint: disable=ansible-bad-function
                [cli, "features", "list"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                env=environment, cwd=scratch, timeout=SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return ""
        said = printable(result.stderr.decode("utf-8", "replace"))
        match = _FAILED.search(said)
        if result.returncode == 0 or match is None:
            # One that fails without such a word could not run at all (no Node beside its launcher, no command of that name).
            return ""
        return _told(match.group().replace(codex_home + os.sep, "").replace(scratch, "~"))


def _make_named_files(data, home, config_home, scratch, codex_home):
    """Put a file where the configuration names one that the person has, so that the scratch home lacks nothing."""
    value = _toml.parse(data).value
    for key in FILES:
        name = value.get(key)
        if not isinstance(name, str) or os.path.isabs(name):
            continue
        real, stand_in = os.path.join(config_home, name), os.path.join(codex_home, name)
        if name.startswith("~/"):
            real, stand_in = os.path.join(home, name[2:]), os.path.join(scratch, name[2:])
        stand_in = os.path.normpath(stand_in)
        if os.path.isfile(real) and stand_in.startswith(scratch + os.sep):
            os.makedirs(os.path.dirname(stand_in), exist_ok=True)
            with open(stand_in, "w", encoding="utf-8") as stream:
                stream.write("stand-in\n")


def _told(text):
    """Return Codex's words on one line, without what it quotes from the file: that may be a secret."""
    text = re.sub(r'string "(?:[^"\\]|\\.)*"', "a string", text)
    text = re.sub(r"unknown variant `[^`]*`", "unknown value", text)
    lines = [line.strip() for line in text.splitlines()]
    words = [line for line in lines if line and not re.match(r"(\d+ )?\|", line) and line != "Caused by:"]
    return "; ".join(dict.fromkeys(re.sub(r"^Error: (config\.toml:\d+:\d+: )?", "", word) for word in words))[:500]
