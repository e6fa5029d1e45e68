# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must never be in the files of this project, and what every file of a kind must have."""

from __future__ import annotations

import ast
import json
import pathlib
import re
import subprocess

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent.parent
HOST_CODE = ("files/hooks_runtime/", "plugins/module_utils/", "plugins/modules/")

# Paths of the machine the tests run on say nothing to anyone else.
HOME = pathlib.Path.home()
MACHINE_PATH = re.compile("|".join(re.escape(str(path)) + r"(?![\w.-])" for path in (CHECKOUT, HOME / ".pyenv", HOME / ".cache", HOME / ".npm")))
# Where packages are fetched from is the machine's setting, never the project's.
REGISTRY = re.compile(r"https?://(?:[\w.-]*\.)?(?:registry\.npmjs\.org|npmjs\.com|pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.yarnpkg\.com)")
# The shapes that scanners on the outside look for. They are narrower than the runtime's own rules on purpose: those
# also take made-up test values for secrets.
KEY_SHAPED = re.compile(
    r"AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|glpat-[\w-]{20}|sk-(?:ant|proj)-[\w-]{30,}"
    r"|xox[baprs]-[\w-]{20,}|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/]{40,}"
)
# AKIAXXXX... is a placeholder, and a test of the runtime's rules that placeholders are none.
PLACEHOLDER = re.compile(r"(.)\1{7}")


def tracked():
    """Files as git has them plus new ones that are not ignored, relative to the checkout."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=%s" % CHECKOUT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=str(CHECKOUT), stdout=subprocess.PIPE, check=True,
    ).stdout.decode()  # fmt: skip
    return sorted(name for name in listed.split("\0") if name and (CHECKOUT / name).is_file())


FILES = tracked()


def offences(pattern, names):
    """["file:line: text found"] for each match of pattern in the named files."""
    found = []
    for name in names:
        text = (CHECKOUT / name).read_text(encoding="utf-8", errors="replace")
        for match in pattern.finditer(text):
            if PLACEHOLDER.search(match.group()):
                continue
            found.append("%s:%d: %s" % (name, text.count("\n", 0, match.start()) + 1, match.group()[:30]))
    return found


def test_no_path_of_this_machine():
    assert offences(MACHINE_PATH, FILES) == []


def test_no_package_registry_is_named():
    assert offences(REGISTRY, [name for name in FILES if name != "tests/unit/test_hygiene.py"]) == []


def test_npm_lock_files_carry_no_download_address():
    for name in FILES:
        if name.endswith("package-lock.json"):
            packages = json.loads((CHECKOUT / name).read_text(encoding="utf-8"))["packages"]
            assert [path for path, entry in packages.items() if "resolved" in entry] == [], name


def test_no_key_shaped_secret():
    assert offences(KEY_SHAPED, FILES) == []


def test_private_helpers_say_so():
    for name in FILES:
        path = pathlib.PurePosixPath(name)
        if path.parts[:2] in (("plugins", "module_utils"), ("plugins", "doc_fragments")) and path.suffix == ".py":
            assert path.name.startswith("_"), name


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".py")])
def test_python_files_carry_the_licence_and_compile(name):
    source = (CHECKOUT / name).read_text(encoding="utf-8")
    assert "SPDX-License-" + "Identifier: GPL-3.0-or-later" in source.split('"""')[0], "no licence header"
    compile(source, name, "exec")


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".py") and name.startswith(HOST_CODE)])
def test_annotations_of_host_code_are_not_evaluated(name):
    """An annotation such as `str | None` fails on the host Pythons before 3.10 when it is evaluated."""
    tree = ast.parse((CHECKOUT / name).read_text(encoding="utf-8"))
    annotated = [node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign) or getattr(node, "annotation", None) or getattr(node, "returns", None)]
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    assert future or not annotated


@pytest.mark.xdist_group("hygiene")
def test_groups_reach_the_scheduler(request):
    """Tests that share a costly home or session are a group, which one process takes. pytest 9.2 with pytest-xdist 3.8 loses it without a word."""
    grouped = getattr(request.config.option, "loadgroup", False)
    assert not grouped or request.node.nodeid.endswith("@hygiene")
