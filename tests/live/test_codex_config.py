# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""config.toml and the real Codex: which values it starts with, which text it reads, and what it writes beside ours.

`codex features list` loads the whole file and needs no model, so hundreds of files are tried in a minute.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_config, _codex_trial, _document, _mcp, _mcp_plan, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
import test_toml  # noqa: E402
from playbook import Controller, picture  # noqa: E402

TIMEOUT = 60
# A value of the kind, and one that is not.
SAMPLES = {
    _codex_config.TEXT: ("x", 1), _codex_config.SWITCH: (True, "x"), _codex_config.COUNT: (7, -1), _codex_config.NUMBER: (7, "x"),
    _codex_config.TEXTS: (["x"], "x"),
}  # fmt: skip
# What must exist for a value to do, and what only another value allows.
NEEDS = {
    ("model_provider",): "openai", ("model_instructions_file",): None, ("model_catalog_json",): None, ("forced_login_method",): None,
    ("model_providers", "*", "wire_api"): "responses",
}  # fmt: skip


class Codex:
    """One real Codex with a scratch home of its own."""

    def __init__(self, cli, home):
        self.cli = cli
        self.home = home
        self.config = home / ".codex" / "config.toml"
        self.config.parent.mkdir(parents=True, exist_ok=True)

    def run(self, *arguments):
        """Return (exit code, stdout, stderr)."""
        environment = {"HOME": str(self.home), "CODEX_HOME": str(self.config.parent), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            [str(self.cli.binary), *arguments], env=environment, cwd=str(self.home), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=TIMEOUT, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def starts(self, data):
        """Return whether it starts with these bytes (or this value) as its config.toml."""
        self.config.write_bytes(data if isinstance(data, bytes) else _toml.dump(data))
        return self.run("features", "list")[0] == 0


@pytest.fixture
def codex(codex_cli, tmp_path):
    return Codex(codex_cli, tmp_path)


def leaves(spec, path=()):
    """Yield (path, spec) of every value in a schema."""
    if isinstance(spec, dict):
        for key, inner in spec.items():
            yield from leaves(inner, path + (key,))
    elif isinstance(spec, tuple) and isinstance(spec[0], dict):
        for key, inner in spec[0].items():
            yield from leaves(inner, path + ((key,),))
    elif isinstance(spec, list):
        for choice in spec:
            yield from leaves(choice, path)
    else:
        yield path, spec


LEAVES = [(path, spec) for path, spec in leaves(_codex_config.SCHEMA) if path[:2] != ("approval_policy", "granular")]


def table(path, value):
    """Return a table with a value at a path; a key in a tuple means an element of a list of tables."""
    for key in reversed(path):
        value = [dict({"enabled": True}, **{key[0]: value})] if isinstance(key, tuple) else {"x" if key == "*" else key: value}
    return value


def complete(path, value):
    """Return a table with a value at a path and what that value cannot be without."""
    made = table(path, value)
    if path[0] == "model_providers":
        made["model_providers"]["x"].setdefault("name", "x")
    return made


def test_each_value_of_the_schema(codex):
    """What the schema allows starts (where the versions differ, as LIMITS says), and what it refuses does not."""
    wrong = []
    for path, spec in LEAVES:
        choices = spec if isinstance(spec, tuple) else (SAMPLES[spec][0],)
        for value in choices:
            if path in NEEDS:
                if NEEDS[path] is None:
                    continue
                value = NEEDS[path]
            made = complete(path, value)
            allowed = not _codex_config.errors(made, codex.cli.version)
            if codex.starts(made) != allowed:
                wrong.append((path, value, "starts" if not allowed else "does not start"))
        bad = "bogus" if isinstance(spec, tuple) else SAMPLES[spec][1]
        made = complete(path, bad)
        # Of alternatives another one may take it.
        if _codex_config.errors(made) and codex.starts(made):
            wrong.append((path, bad, "starts"))
    assert wrong == []


def test_what_a_table_cannot_be_without(codex):
    granular = {"sandbox_approval": True, "rules": True, "mcp_elicitations": False}
    assert codex.starts({"approval_policy": {"granular": granular}})
    for key in granular:
        lacking = {"approval_policy": {"granular": {other: value for other, value in granular.items() if other != key}}}
        assert _codex_config.lacking(lacking) and not codex.starts(lacking)
    assert not codex.starts({"skills": {"config": [{"name": "x"}]}})
    assert not codex.starts({"model_reasoning_effort": ""}) and not codex.starts({"profile": "x"})


def test_it_reads_the_text_that_we_read(codex):
    for case in test_toml.test_what_is_accepted.pytestmark[0].args[1]:
        # Names that mean nothing to Codex, so that only the text counts.
        assert codex.starts(case[0]), case[0]
    for case in test_toml.test_what_is_refused_and_where.pytestmark[0].args[1]:
        if b"\x00" not in case[0]:
            assert not codex.starts(case[0]), case[0]


class Both:
    """What codex_config and mcp_config do to the home of a real Codex."""

    def __init__(self, codex):
        self.codex = codex
        self.home = _document.Home(str(codex.config.parent), "test")
        self.approve = _codex_trial.approver(str(codex.cli.binary), str(codex.home), self.home.path, {"PATH": "/usr/bin:/bin"})

    def converge(self, config, servers, present=True):
        """Return whether anything changed."""
        entries = {name: _mcp.codex_entry(_mcp.normalize(name, definition), str(self.codex.home))[0] for name, definition in servers.items()}
        wanted = {_codex_config.SERVERS: entries} if entries else {}
        own = (config, _codex_config.config_rules(present), {})
        mcp = (wanted, Rules(), {"planner": _mcp_plan.planner(_mcp_plan.CODEX), "part": _codex_config.SERVERS})
        return [self._one(*step) for step in ((own, mcp) if present else (mcp, own))]

    def _one(self, wanted, rules, more):
        return _document.converge(self.home, _codex_config.CONFIG, lambda disk: wanted, rules, Policy(), _toml, approve=self.approve, **more).changed


CONFIG = {"model": "gpt-5.4", "approval_policy": "on-request", "tui": {"status_line": ["model", "git-branch"]}, "notify": ["true"]}
SERVERS = {
    "stdio one": {"command": "true", "args": ["-y"], "env": {"A": "1", "TOKEN": "${TOKEN}"}, "tools": ["find"], "timeout": 1500},
    "web": {"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": "Bearer ${TOK}", "X-Key": "${KEY}", "X": "y"}, "disabled": True},
}


def test_it_starts_with_what_we_write_and_both_survive_each_other(codex):
    both = Both(codex)
    codex.config.write_bytes(b"# mine\n[tui]\ntheme = 'x' # night\n")
    assert both.converge(CONFIG, SERVERS) == [True, True]
    code, out, err = codex.run("mcp", "list", "--json")
    assert code == 0, err
    listed = {server["name"]: server for server in json.loads(out)}
    assert listed["web"]["enabled"] is False and listed["stdio one"]["enabled"] is True
    assert listed["web"]["transport"]["bearer_token_env_var"] == "TOK" and listed["web"]["transport"]["env_http_headers"] == {"X-Key": "KEY"}
    transport = listed["stdio one"]["transport"]
    assert (transport["command"], transport["args"], transport["env"], transport["env_vars"]) == ("true", ["-y"], {"A": "1"}, ["TOKEN"])
    # Codex writes, in its own ways.
    for command in (
        ["mcp", "add", "theirs", "--", "true"],
        ["features", "enable", "web_search_request"],
        ["mcp", "add", "gone", "--", "true"],
        ["mcp", "remove", "gone"],
    ):
        assert codex.run(*command)[0] == 0
    written = codex.config.read_bytes()
    assert both.converge(CONFIG, SERVERS) == [False, False] and codex.config.read_bytes() == written
    assert both.converge(dict(CONFIG, model="gpt-5.5"), {"web": SERVERS["web"]}) == [True, True]
    assert "hooks" in [line.split()[0] for line in codex.run("features", "list")[1].splitlines() if line.split()[-1] == "true"]
    both.converge({}, {}, present=False)
    value = _toml.parse(codex.config.read_bytes()).value
    assert value["mcp_servers"] == {"theirs": value["mcp_servers"]["theirs"]} and value["tui"] == {"theme": "x"}
    assert codex.config.read_bytes().startswith(b"# mine\n[tui]\ntheme = 'x' # night\n")
    assert codex.run("mcp", "list")[0] == 0
    assert sorted(os.listdir(str(codex.config.parent)))[-1] == "config.toml"


@pytest.mark.parametrize("config", [{"model_provider": "nope"}, {"model_instructions_file": "nope.md"}, {"plugins": {"x@y": {"enabled": "x"}}}])
def test_what_it_would_not_start_with_is_not_written(codex, config):
    both = Both(codex)
    codex.config.write_bytes(b"# mine\n")
    with pytest.raises(SurfaceError, match="Codex would not start with the wanted values"):
        both.converge(config, {})
    assert codex.config.read_bytes() == b"# mine\n" and os.listdir(str(codex.config.parent)) == ["config.toml"]


def test_the_modules_ask_it_as_the_person(codex_cli, scratch_user, collections_path):
    controller = Controller(scratch_user, collections_path)
    asked = {"cli_path": str(codex_cli.binary), "cli_version": codex_cli.version}
    scratch_user.write(".codex/config.toml", "# mine\n[mcp_servers.mine]\ncommand = 'true'\n")
    before = picture(scratch_user.home)
    for options in ({"check_mode": True}, {}):
        wrong = {"agentihooks.fleet.codex_config": dict(asked, config={"model_provider": "nope"})}
        run = controller.play([dict(wrong, **options)])
        assert "Codex would not start with the wanted values: " in run.message and "`nope` not found" in run.message
    assert picture(scratch_user.home) == before
    run = controller.converge(("codex_config", dict(asked, config=CONFIG)), ("mcp_config", dict(target="codex", servers=SERVERS, cli_path=asked["cli_path"])))
    assert run.changed == 2
    gone = controller.tasks(("mcp_config", {"target": "codex", "state": "absent"}), ("codex_config", {"state": "absent"}))
    assert gone.code == 0 and picture(scratch_user.home) == before
