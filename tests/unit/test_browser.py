# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The browser launcher rule of the reference §11.5, one row per line of its table and per form a value can take."""

from __future__ import annotations

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _browser

CHROME, CHROME_X86, EDGE_X86, EDGE = _browser.WINDOWS_BROWSERS
WSLVIEW = "/usr/bin/wslview"

# (what, value, WSL?, what exists, argv or None, a word of the warning or None)
CASES = [
    ("absent on WSL", None, True, [WSLVIEW], None, None),
    ("absent elsewhere", None, False, [], None, None),
    ("auto elsewhere keeps the CLI's own choice", "auto", False, [WSLVIEW, CHROME], None, None),
    ("auto takes wslview first", "auto", True, [WSLVIEW, CHROME, EDGE], [WSLVIEW], None),
    ("auto takes Chrome next", "auto", True, [CHROME, CHROME_X86, EDGE_X86], [CHROME], None),
    ("auto knows the other Program Files", "auto", True, [CHROME_X86, EDGE_X86], [CHROME_X86], None),
    ("auto takes Edge last", "auto", True, [EDGE_X86], [EDGE_X86], None),
    ("auto knows Edge in Program Files", "auto", True, [EDGE], [EDGE], None),
    ("auto with nothing there names the package", "auto", True, [], None, "wslu"),
    ("a string is split like a shell does", '"%s" --new-tab' % CHROME, True, [CHROME], [CHROME, "--new-tab"], None),
    ("a list is passed through", [CHROME, "--profile-directory=Work 1"], True, [CHROME], [CHROME, "--profile-directory=Work 1"], None),
    ("an explicit command elsewhere", "firefox -P work", False, ["/usr/bin/firefox"], ["firefox", "-P", "work"], None),
    ("an explicit command that is not there", CHROME.replace(" ", "\\ "), False, [], None, "not an executable"),
    ("a command name that is not on PATH", "nosuchbrowser", True, [], None, "not an executable"),
    ("a relative path", "./browser", True, ["./browser"], None, "absolute path"),
    ("a list that says auto is a command of that name", ["auto"], True, [WSLVIEW], None, "not an executable"),
    ("explorer.exe", "explorer.exe", True, ["/mnt/c/Windows/explorer.exe"], None, "explorer.exe"),
    ("explorer.exe with its path", ["/mnt/c/Windows/Explorer.EXE"], True, ["/mnt/c/Windows/Explorer.EXE"], None, "explorer.exe"),
    ("explorer.exe behind another program", ["/usr/bin/env", "explorer"], True, ["/usr/bin/env"], None, "explorer.exe"),
    ("cmd /c start", "cmd /c start", True, ["/usr/bin/cmd"], None, "first \"&\""),
    ("cmd.exe /C start", ["/mnt/c/Windows/System32/CMD.EXE", "/C", "start", ""], True, [], None, "first \"&\""),
    ("cmd.exe with a Windows path", ["C:\\Windows\\System32\\cmd.exe", "/c", "start"], True, [], None, "first \"&\""),
    ("cmd inside a shell command", ["/bin/sh", "-c", "cmd.exe /c start"], True, ["/bin/sh"], None, "first \"&\""),
    ("a %s element", ["/usr/bin/firefox", "%s"], False, ["/usr/bin/firefox"], None, "appends"),
    ("a %s inside an element", "firefox --url=%s", False, ["/usr/bin/firefox"], None, "appends"),
    ("true", True, True, [WSLVIEW], None, "not true or false"),
    ("a number", 7, True, [], None, "a number"),
    ("a mapping", {"command": "x"}, False, [], None, "a mapping"),
    ("a list with a number", ["firefox", 1], False, ["/usr/bin/firefox"], None, "other things than strings"),
    ("an empty string", "", True, [WSLVIEW], None, "names no program"),
    ("an empty list", [], True, [WSLVIEW], None, "names no program"),
    ("an open quote", "\"firefox", True, [], None, "check its quotes"),
]


@pytest.mark.parametrize("value, wsl, existing, argv, word", [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_launcher(value, wsl, existing, argv, word):
    by_name = {path.rsplit("/", 1)[1]: path for path in existing}
    got, warning = _browser.resolve(value, wsl, existing.__contains__, by_name.get)
    assert got == argv
    if word is None:
        assert warning is None
    else:
        assert word in warning
