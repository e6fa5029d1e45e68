# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: which launcher opens Copilot's sign-in address (reference §11.5). Pure; probes are passed in.

Copilot runs the launcher without a shell and appends the address as the last argument.
"""

from __future__ import annotations

import re
import shlex

AUTO = "auto"
WSLVIEW = "wslview"
# In the order they are probed after wslview.
WINDOWS_BROWSERS = (
    "/mnt/c/Program Files/Google/Chrome/Application/chrome.exe",
    "/mnt/c/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    "/mnt/c/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
    "/mnt/c/Program Files/Microsoft/Edge/Application/msedge.exe",
)

_EXPLORER = re.compile(r"(?:^|[\\/\s\"'])explorer(?:\.exe)?(?:$|[\s\"'])", re.IGNORECASE)
_CMD = re.compile(r"(?:^|[\\/\s\"'])cmd(?:\.exe)?(?:$|[\s\"'])", re.IGNORECASE)


def resolve(value, is_wsl, is_executable, which):
    """Return (argv, warning) for a browserCommand; both are None when there is nothing to write and nothing to say.

    value: None, "auto", a command line (split like a shell does) or a list of strings.
    is_executable: path -> bool. which: command name -> absolute path or None.
    argv is a list of strings, or None: then Copilot's own choice (open, xdg-open) stays. warning is one sentence.
    """
    if value is None:
        return None, None
    if isinstance(value, str) and value.strip() == AUTO:
        return _automatic(is_executable, which) if is_wsl else (None, None)
    argv, problem = _arguments(value)
    problem = problem or _refusal(argv)
    if problem is None and not _resolves(argv[0], is_executable, which):
        problem = (
            "%s is not an executable on this machine; give an absolute path or the name of an installed program, or \"auto\"" % argv[0]
        )
    if problem is not None:
        return None, "browserCommand is not written: %s" % problem
    return argv, None


def _automatic(is_executable, which):
    launcher = which(WSLVIEW)
    if launcher:
        return [launcher], None
    for browser in WINDOWS_BROWSERS:
        if is_executable(browser):
            return [browser], None
    return None, (
        "browserCommand is not written: \"auto\" found neither wslview nor Chrome or Edge for Windows; "
        "install the package wslu, it has wslview"
    )


def _arguments(value):
    """Return (argv, None), or (None, what is wrong with it)."""
    if isinstance(value, str):
        try:
            argv = shlex.split(value)
        except ValueError as error:
            return None, "it cannot be split into words (%s); check its quotes" % error
    elif isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        argv = list(value)
    else:
        return None, "it must be \"auto\", a command line or a list of strings, not %s" % _kind(value)
    if not argv or not argv[0]:
        return None, "it names no program"
    return argv, None


def _kind(value):
    if isinstance(value, (list, tuple)):
        return "a list that holds other things than strings"
    names = {bool: "true or false", int: "a number", float: "a number", dict: "a mapping"}
    return names.get(type(value), type(value).__name__)


def _refusal(argv):
    """Return why this launcher cannot work with a sign-in address, None when nothing speaks against it."""
    if argv is None:
        return None
    for word in argv:
        if "%s" in word:
            return "Copilot appends the address, so a \"%s\" would reach the program as it stands; leave it out"
        if _EXPLORER.search(word):
            return (
                "explorer.exe cannot start from the Linux directory Copilot runs it in and opens a folder instead of the address; "
                "use \"auto\" or a browser's own path"
            )
        if _CMD.search(word):
            return "cmd /c start cuts the address at its first \"&\"; use \"auto\" or a browser's own path"
    return None


def _resolves(program, is_executable, which):
    if "/" in program:
        # A relative path would depend on the directory Copilot happens to be in.
        return program.startswith("/") and is_executable(program)
    return which(program) is not None
