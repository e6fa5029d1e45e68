# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every MCP configuration of the corpus, read as a bundle's file: a working entry or a refusal that names what is wrong.

The corpus is a sibling of the checkout (AGENTIHOOKS_TEST_SHARED names another place); without it the test says so and is skipped.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _mcp, _secret_shapes
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _sources

SHARED = pathlib.Path(os.environ.get("AGENTIHOOKS_TEST_SHARED") or pathlib.Path(__file__).resolve().parents[3] / "shared")
FILES = sorted(path for folder in ("mcp", "mcp_derived") for path in (SHARED / "corpus" / folder).glob("*") if path.is_file())

# What the corpus writes in place of key-shaped text.
SECRETS = {
    "{{GHP}}": _secret_shapes.example("ghp_~a36~"),
    "{{SK}}": _secret_shapes.example("sk-proj-~a48~"),
    "{{AWSSECRET}}": _secret_shapes.example("~a40~"),
}

# Whole files that are refused, with a word of the reason.
REFUSED_FILES = {
    "array-root.json": "JSON object",
    "deep.json": "nested",
    "dup-server.json": "twice",
    "empty.json": "empty",
    "latin1.json": "UTF-8",
    "servers-list.json": "a list",
    "servers-null.json": "null",
    "truncated.json": "line 8",
    "utf16.json": "UTF-16",
}

pytestmark = pytest.mark.skipif(not FILES, reason="no corpus at %s" % (SHARED / "corpus"))


def is_working(entry):
    """Whether Copilot loads an entry: the schema it was measured to enforce (contract/COPILOT.md, section 6)."""
    texts = list(entry.get("env", {}).values()) + list(entry.get("headers", {}).values()) + entry.get("args", []) + entry["tools"]
    one = [entry[key] for key in ("command", "url") if key in entry]
    return (
        entry["type"] in ("local", "http", "sse") and len(one) == 1 and isinstance(one[0], str) and one[0]
        and ("command" in entry) == (entry["type"] == "local") and all(isinstance(text, str) for text in texts)
    )  # fmt: skip


def read(path, tmp_path):
    """Return (name -> entry or Refusal, refusal of the file or None)."""
    data = path.read_bytes()
    for mark, secret in SECRETS.items():
        data = data.replace(mark.encode(), secret.encode())
    shutil.rmtree(str(tmp_path), ignore_errors=True)
    tmp_path.mkdir()
    (tmp_path / ".mcp.json").write_bytes(data)
    try:
        source = _sources.Tree(tmp_path).json(".mcp.json")
        _path, table = _mcp.servers(source.value)
    except (_sources.BundleError, ValueError) as error:
        return {}, str(error)
    outcome = {}
    for name, definition in table.items():
        try:
            outcome[name] = _mcp.copilot_entry(_mcp.without_secrets(_mcp.normalize(name, definition)), "1.0.102")[0]
        except _mcp.Refusal as refusal:
            outcome[name] = refusal
    return outcome, None


def test_every_file(tmp_path, capsys):
    refused_files, working, refused = {}, 0, {}
    for path in FILES:
        outcome, problem = read(path, tmp_path / "bundle")
        if problem is not None:
            refused_files[path.name] = problem
        for name, result in outcome.items():
            if isinstance(result, _mcp.Refusal):
                assert str(result)
                refused["%s: %s" % (path.name, _mcp.shown(name))] = result
            else:
                assert is_working(result), (path.name, name, result)
                assert not any(secret in json.dumps(result) for secret in SECRETS.values()), (path.name, name)
                working += 1
    told = [str(result) for result in refused.values()] + list(refused_files.values())
    assert not any(secret in text for secret in SECRETS.values() for text in told)
    assert set(refused_files) == set(REFUSED_FILES)
    assert all(word in refused_files[name] for name, word in REFUSED_FILES.items())
    with capsys.disabled():
        print(
            "\nMCP corpus: %d files, %d refused whole by name; %d servers: %d working entries, %d refused by name"
            % (len(FILES), len(refused_files), working + len(refused), working, len(refused))
        )
        for name, result in refused.items():
            print("  %s %s [%s]" % (name, result, result.kind))
