# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed is pinned with hashes, host code imports nothing that is not there, and the threat model names real tests."""

from __future__ import annotations

import ast
import json
import pathlib
import re
import sys

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
LOCKS = sorted((CHECKOUT / "requirements").glob("*.txt"))
HOST_CODE = ("files/hooks_runtime", "files/smoke", "plugins/modules", "plugins/module_utils")


def problems_of(text):
    """Return the lines of a requirements file that pin nothing, or have no hash."""
    entries = [entry.strip() for entry in re.sub(r"\\\n", " ", text).splitlines()]
    entries = [entry for entry in entries if entry and not entry.startswith("#")]
    return [entry[:60] for entry in entries if not re.match(r"[A-Za-z0-9._\[\]-]+==\S+ ", entry) or "--hash=sha256:" not in entry]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_requirement_is_pinned_with_hashes(path):
    assert problems_of(path.read_text(encoding="utf-8")) == []


def test_a_requirement_without_either_is_found():
    assert problems_of("a==1 \\\n    --hash=sha256:0\nb==1\nc>=1 --hash=sha256:0\n-r d.txt\n") == ["b==1", "c>=1 --hash=sha256:0", "-r d.txt"]


def test_every_npm_package_has_its_checksum():
    packages = json.loads((CHECKOUT / "tests/clis/package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert [name for name, entry in packages.items() if name and not entry.get("integrity", "").startswith("sha512-")] == []


@pytest.mark.skipif(not hasattr(sys, "stdlib_module_names"), reason="Python before 3.10 does not know the names of its own modules")
def test_host_code_needs_the_standard_library_alone():
    ours = {"agentihooks", "ansible_collections", "main"} | {path.stem for path in (CHECKOUT / "files").rglob("*.py")}
    foreign = set()
    for place in HOST_CODE:
        for path in (CHECKOUT / place).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
                # What Ansible itself sends along with a module.
                foreign |= {name for name in names if name.split(".")[0] not in sys.stdlib_module_names | ours and not name.startswith("ansible.module_utils")}
    assert foreign == set()


def test_every_test_that_the_threat_model_names_is_there():
    text = (CHECKOUT / "docs/threat-model.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:tests|scripts)/[\w/.-]+?\.(?:py|sh))(?:::(\w+))?`", text)
    assert len(named) >= 40
    missing = []
    for place, function in named:
        path = CHECKOUT / place
        if not path.is_file() or (function and not re.search(r"^def %s\b" % function, path.read_text(encoding="utf-8"), re.MULTILINE)):
            missing.append("%s::%s" % (place, function))
    assert missing == []
