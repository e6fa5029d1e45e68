# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a chain comes to: the precedence, row by row, and everything that stops it."""

from __future__ import annotations

import json
import os
import pathlib

import jsonschema  # the code needs it; host Pythons leave this file out by that name
import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _secret_shapes
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _profiles, _settings_schema, _sources

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
BUILT_IN = CHECKOUT / "profiles"
EXAMPLE = CHECKOUT / "examples" / "bundle"
TOKEN = _secret_shapes.example("ghp_~a36~")

SETTINGS = ".copilot/settings.overrides.json"
CODEX = ".codex/config.overrides.toml"
MCP = ".claude/.mcp.json"
NATIVE_MCP = ".copilot/mcp-config.overrides.json"


class Bundle:
    """A bundle and a set of built-in profiles under a scratch directory."""

    def __init__(self, root):
        self.root = root / "bundle"
        self.built_in = root / "builtin"
        (self.root / "profiles").mkdir(parents=True)
        self.write("builtin:default/" + SETTINGS, {})
        self.write("builtin:_base/settings.base.copilot.json", {})

    def path(self, place):
        name, _separator, rest = place.rpartition(":")
        return {"": self.root / "profiles", "bundle": self.root, "builtin": self.built_in}[name] / rest

    def write(self, place, content):
        """Write a file; content that is no text becomes JSON. place: a profile's file, or bundle:... or builtin:..."""
        path = self.path(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode()
        path.write_bytes(data)
        return path

    def resolve(self, *chain, settings_profile=None, **overrides):
        return _profiles.resolve(self.built_in, self.root, chain, settings_profile, _profiles.Overrides(**overrides))

    def problems(self, *chain, **kwargs):
        with pytest.raises(_sources.BundleError) as raised:
            self.resolve(*chain, **kwargs)
        return [str(problem) for problem in raised.value.problems]


@pytest.fixture
def bundle(tmp_path):
    return Bundle(tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# Precedence: each row's layer wins over all before it

ROWS = [
    "builtin:_base/settings.base.copilot.json",
    "bundle:" + SETTINGS,
    "builtin:a/" + SETTINGS,
    "a/" + SETTINGS,
    "b/" + SETTINGS,
    "s/" + SETTINGS,
    "the inventory",
]


@pytest.mark.parametrize("last", range(len(ROWS)), ids=ROWS)
def test_precedence_of_settings_row_by_row(bundle, last):
    bundle.write("b/CLAUDE.md", "")
    bundle.write("s/CLAUDE.md", "")
    overrides = {}
    for index, row in enumerate(ROWS[: last + 1]):
        directives = {"channels": ["c%d" % index], "mcpAlwaysEnabled": ["x"]}
        content = {"model": "m%d" % index, "enabledPlugins": {"p%d" % index: True}, "_agentihooks": directives}
        if row == "the inventory":
            enabled = {"p0": None}
            overrides = {"settings": {"model": "m%d" % index, "enabledPlugins": enabled}, "directives": {"channels": ["c%d" % index], "mcpAlwaysEnabled": None}}
        else:
            bundle.write(row, content)
    bundle.write("a/CLAUDE.md", "")
    result = bundle.resolve("a", "b", settings_profile="s", **overrides)
    assert result["settings"]["model"] == "m%d" % last
    assert result["directives"]["channels"] == ["c%d" % last]
    # Objects merge: each layer's key is there, and the inventory's null takes the first one out.
    assert list(result["settings"]["enabledPlugins"]) == ["p%d" % index for index in range(last + 1)] if not overrides else ["p1", "p2", "p3", "p4", "p5"]
    assert ("mcpAlwaysEnabled" in result["directives"]) == (not overrides)


SERVER_ROWS = ["bundle:" + MCP, "bundle:" + NATIVE_MCP, "a/" + MCP, "a/" + NATIVE_MCP, "b/" + MCP, "s/" + MCP]


@pytest.mark.parametrize("last", range(len(SERVER_ROWS)), ids=SERVER_ROWS)
def test_precedence_of_servers_row_by_row(bundle, last):
    for name in "abs":
        bundle.write(name + "/CLAUDE.md", "")
    for index, row in enumerate(SERVER_ROWS[: last + 1]):
        bundle.write(row, {"mcpServers": {"x": {"command": "c%d" % index, "env": {"E%d" % index: "1"}}, "only%d" % index: {"command": "y"}}})
    result = bundle.resolve("a", "b", settings_profile="s")
    # The later source's server whole: nothing of an earlier one's environment stays.
    assert result["mcp_servers"]["x"] == {"type": "local", "command": "c%d" % last, "args": [], "env": {"E%d" % last: "1"}, "tools": ["*"]}
    assert result["mcp_sources"]["x"] == str(bundle.path(SERVER_ROWS[last]))
    assert sorted(result["mcp_servers"]) == sorted(["x"] + ["only%d" % index for index in range(last + 1)])


def test_the_inventory_merges_into_a_server(bundle):
    bundle.write("a/" + MCP, {"mcpServers": {"x": {"command": "c", "env": {"A": "1", "B": "2"}, "tools": ["t"]}, "y": {"command": "c"}}})
    result = bundle.resolve("a", mcp_servers={"x": {"env": {"A": None, "C": "3"}, "tools": ["u"]}, "y": None, "z": {"url": "https://z"}, "gone": None})
    assert result["mcp_servers"]["x"] == {"type": "local", "command": "c", "args": [], "env": {"B": "2", "C": "3"}, "tools": ["u"]}
    assert sorted(result["mcp_servers"]) == ["x", "z"]
    assert result["mcp_sources"]["x"].endswith(".mcp.json, agentihooks_mcp_servers") and result["mcp_sources"]["z"] == "agentihooks_mcp_servers"


def test_the_inventory_changes_a_transport(bundle):
    bundle.write("a/" + MCP, {"mcpServers": {"x": {"command": "c", "args": ["a"]}}})
    result = bundle.resolve("a", mcp_servers={"x": {"command": None, "args": None, "url": "https://x"}})
    assert result["mcp_servers"]["x"] == {"type": "http", "url": "https://x", "tools": ["*"]}


def test_null_in_a_later_source_leaves_a_server_out(bundle):
    bundle.write("a/" + MCP, {"mcpServers": {"x": {"command": "c"}}})
    bundle.write("b/" + MCP, {"mcpServers": {"x": None}})
    assert bundle.resolve("a", "b")["mcp_servers"] == {}


def test_a_settings_profile_brings_settings_and_servers_only(bundle):
    bundle.write("a/CLAUDE.md", "a")
    bundle.write("s/CLAUDE.md", "s")
    bundle.write("s/" + SETTINGS, {"beep": True})
    bundle.write("s/" + MCP, {"x": {"command": "c"}})
    for kind in ("agents", "commands", "rules"):
        bundle.write("s/.claude/%s/one.md" % kind, "x")
    bundle.write("s/.claude/skills/one/SKILL.md", "x")
    result = bundle.resolve("a", settings_profile="s")
    assert result["settings"] == {"beep": True} and list(result["mcp_servers"]) == ["x"]
    assert [part["layer"] for part in result["persona"]] == ["a"]
    assert not any(result[kind] for kind in ("agents", "commands", "rules", "skills"))


@pytest.mark.parametrize(
    ("lower", "upper", "result"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": None}, {}),
        ({"a": {"b": 1}}, {"a": {"b": None}}, {"a": {}}),
        ({}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
        ({"a": 1}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": 1}, {"a": 1}),
        ({"a": None}, {}, {}),
        ({"a": [None]}, {}, {"a": [None]}),
    ],
)
def test_merge(lower, upper, result):
    before = json.dumps([lower, upper])
    assert _profiles.merge(lower, upper) == result
    assert json.dumps([lower, upper]) == before


# ---------------------------------------------------------------------------------------------------------------------
# Files

def test_lists_of_files_in_the_order_of_layers(bundle):
    bundle.write("bundle:.claude/CLAUDE.md", "team")
    bundle.write("bundle:CLAUDE.md", "for developers of the bundle")
    for place, names in (("bundle:", "zm"), ("a/", "b"), ("b/", ("a", "m", "README"))):
        for name in names:
            bundle.write("%s.claude/rules/%s.md" % (place, name), name)
    bundle.write("a/CLAUDE.md", "a")
    bundle.write("b/CLAUDE.md", "b")
    result = bundle.resolve("a", "b")
    assert [(part["layer"], os.path.relpath(part["path"], bundle.root)) for part in result["persona"]] == [
        ("bundle", ".claude/CLAUDE.md"), ("a", "profiles/a/CLAUDE.md"), ("b", "profiles/b/CLAUDE.md"),
    ]  # fmt: skip
    assert [(rule["name"], rule["layer"]) for rule in result["rules"]] == [("z", "bundle"), ("b", "a"), ("README", "b"), ("a", "b"), ("m", "b")]


def test_the_bundles_own_claude_md_counts_where_there_is_no_other(bundle):
    bundle.write("bundle:CLAUDE.md", "team")
    bundle.write("a/CLAUDE.md", "a")
    assert [part["layer"] for part in bundle.resolve("a")["persona"]] == ["bundle", "a"]


def test_agents_commands_and_skills(bundle):
    for place in (
        "agents/x.md", "agents/README.md", "agents/.hidden.md", "agents/notes.txt", "commands/db/migrate.md", "commands/readme.md",
        "skills/s/SKILL.md", "skills/s/data/x.bin", "skills/no-skill/x.md",
    ):  # fmt: skip
        bundle.write("a/.claude/" + place, "text {{ lookup('pipe', 'id') }}")
    bundle.write("bundle:.claude/skills/s/SKILL.md", "x")
    result = bundle.resolve("a")
    found = [(item["name"], item["layer"]) for kind in ("agents", "commands", "skills") for item in result[kind]]
    assert found == [("x", "a"), ("db/migrate", "a"), ("s", "a")]


def test_links_inside_a_bundle_are_followed(bundle):
    shared = bundle.write("bundle:shared/x.md", "x")
    (bundle.path("a/.claude/agents")).mkdir(parents=True)
    (bundle.path("a/.claude/agents/x.md")).symlink_to(os.path.relpath(str(shared), str(bundle.path("a/.claude/agents"))))
    assert [item["name"] for item in bundle.resolve("a")["agents"]] == ["x"]


OUTSIDE = [
    "CLAUDE.md", SETTINGS, MCP, ".claude/agents/x.md", ".claude/agents", ".claude/skills/s", ".claude/skills/s/SKILL.md", ".claude/skills/ok/data",
    ".claude", ".copilot",
]  # fmt: skip


@pytest.mark.parametrize("place", OUTSIDE)
def test_links_out_of_a_bundle_are_refused_by_name(bundle, tmp_path, place):
    outside = tmp_path / "bundle-of-another" / "x"
    outside.mkdir(parents=True)
    for name in ("settings.overrides.json", ".mcp.json", "SKILL.md", "agents", "skills"):
        (outside / name).mkdir() if "." not in name else (outside / name).write_text("{}")
    target = outside / "SKILL.md" if place.endswith((".md", ".json")) else outside
    bundle.write("a/.claude/skills/ok/SKILL.md", "x") if place == ".claude/skills/ok/data" else bundle.path("a").mkdir()
    path = bundle.path("a/" + place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    problems = bundle.problems("a")
    assert problems and all("leads out of" in text and str(bundle.root) in text for text in problems)


def test_a_profile_that_is_a_link_out_of_the_bundle(bundle, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    bundle.path("a").symlink_to(tmp_path / "elsewhere")
    assert "leads out of" in bundle.problems("a")[0]


def test_a_dangling_link_and_a_link_in_a_circle(bundle):
    bundle.path("a").mkdir()
    bundle.path("a/CLAUDE.md").symlink_to("nowhere.md")
    assert "does not exist" in bundle.problems("a")[0]
    bundle.path("a/CLAUDE.md").unlink()
    bundle.path("a/.claude/agents").mkdir(parents=True)
    bundle.path("a/.claude/agents/again").symlink_to("../agents")
    assert "nested more than" in bundle.problems("a")[0]


def test_what_is_no_file_is_refused(bundle):
    bundle.path("a").mkdir()
    os.mkfifo(str(bundle.path("a/CLAUDE.md")))
    assert "no regular file" in bundle.problems("a")[0]
    bundle.path("a/CLAUDE.md").unlink()
    bundle.path("a/CLAUDE.md").mkdir()
    assert "no regular file" in bundle.problems("a")[0]


@pytest.mark.parametrize("make", [
    lambda root: (root / ".claude").write_text("x"),
    lambda root: (root / ".claude").symlink_to(".claude"),
    lambda root: (root / ".copilot").write_text("x"),
], ids=["a file", "a link to itself", "a file for settings"])  # fmt: skip
def test_what_cannot_be_looked_at_is_not_taken_for_nothing(bundle, make):
    bundle.path("a").mkdir()
    make(bundle.path("a"))
    assert all("cannot be looked at" in problem for problem in bundle.problems("a"))


def test_limits(bundle, monkeypatch):
    bundle.write("a/CLAUDE.md", b"x" * (_sources.MAX_FILE + 1))
    assert "larger than 1024 kB" in bundle.problems("a")[0]
    bundle.write("a/CLAUDE.md", b"")
    monkeypatch.setattr(_sources, "MAX_ENTRIES", 3)
    for number in range(4):
        bundle.write("a/.claude/agents/%d.md" % number, "x")
    assert "more than 3 files" in bundle.problems("a")[0]
    monkeypatch.setattr(_sources, "MAX_ENTRIES", 100)
    monkeypatch.setattr(_sources, "MAX_SKILL", 10)
    bundle.write("a/.claude/skills/s/SKILL.md", "x" * 11)
    assert "is a skill of" in bundle.problems("a")[0]


# ---------------------------------------------------------------------------------------------------------------------
# What stops a host

def test_a_missing_profile_names_those_there_are(bundle):
    bundle.write("a/CLAUDE.md", "")
    bundle.path("_hidden").mkdir()
    assert bundle.problems("a", "nope") == [
        "agentihooks_profiles: there is no profile nope (looked in the collection and in %s); there are: a, default" % (bundle.root / "profiles")
    ]
    assert "agentihooks_settings_profile: there is no profile s " in bundle.problems("a", settings_profile="s")[0]
    assert bundle.problems("defualt")[0].endswith("; is default meant?")


def test_a_setting_that_is_likely_misspelt_is_told_and_written(bundle):
    bundle.write("a/" + SETTINGS, '{\n"includeCoAuthordBy": false, "theme": "dark", "disabledPlugins": {}}')
    found = bundle.resolve("a", settings={"modle": "x"})
    assert found["settings"]["includeCoAuthordBy"] is False and found["settings"]["modle"] == "x"
    told = [text for text in found["warnings"] if "meant?" in text]
    assert len(told) == 2 and SETTINGS + ", line 2: the setting includeCoAuthordBy" in told[0], told
    assert told[1].startswith("agentihooks_copilot_settings: the setting modle") and told[1].endswith("is model meant?")


@pytest.mark.parametrize("name", ["../a", "a/b", "_base", ".", "..", "", "a\n", "/etc", 3, None, ["a"]])
def test_names_that_are_no_profile(bundle, name):
    assert "is no name of a profile" in bundle.problems(name if not isinstance(name, list) else "a b")[0]


def test_chains_refused(bundle):
    bundle.write("a/CLAUDE.md", "")
    assert "empty" in bundle.problems()[0]
    assert "more than once" in bundle.problems("a", "default", "a")[0]
    assert "more than 32" in bundle.problems(*["a"] * 33)[0]


def test_a_bundle_that_is_not_there(tmp_path):
    with pytest.raises(_sources.BundleError, match="is no directory"):
        _profiles.resolve(BUILT_IN, tmp_path / "nowhere", ["default"])


# (what, file, content, line, JSON path, words)
WRONG = [
    ("half a JSON", SETTINGS, '{\n  "beep": true,\n  "model', 3, "", "string starts here"),
    ("not JSON at all", SETTINGS, "beep: true\n", 1, "", "no JSON value"),
    ("a list", SETTINGS, "[]", None, "", "JSON object"),
    ("empty", SETTINGS, "", None, "", "write {} into it"),
    ("comments only", SETTINGS, "// later\n", None, "", "write {} into it"),
    ("UTF-16", SETTINGS, '{"beep": true}'.encode("utf-16"), 1, "", "UTF-16"),
    ("a key twice", SETTINGS, '{\n"beep": true,\n"beep": false}', 3, "$.beep", "twice"),
    ("a key twice, deep", SETTINGS, '{"a": [{"b": 1},\n{"c": 1, "c": 1}]}', 2, "$.a[1].c", "twice"),
    ("a wrong type", SETTINGS, '{\n  // loud\n  "beep": "yes"\n}', 3, "$.beep", "must be true or false, not a string"),
    ("a wrong element", SETTINGS, '{"disabledMcpServers": [\n"a",\n3]}', 3, "$.disabledMcpServers[1]", "must be a string, not a number"),
    ("a wrong choice", SETTINGS, '{"statusLine":\n{"type": "static"}}', 2, "$.statusLine.type", 'must be "command"'),
    ("an empty model", SETTINGS, '{"model": ""}', 1, "$.model", "must not be empty"),
    ("servers as a list", MCP, '{"mcpServers": []}', None, "", "an object of servers"),
    ("a server that is none", MCP, '{"mcpServers": {"a": 3}}', None, "", "'a' must be an object"),
    ("a glob", MCP, '{"mcpServers": {\n"a.b": {"command": "c",\n"tools": [\n"x_*"]}}}', 4, '$.mcpServers["a.b"].tools[0]', "exact tool names"),
    ("a bare map", MCP, '{"a":\n{"env": {}}}', 1, "$.a", "neither a command"),
    ("VS Code", MCP, '{"servers": {"a":\n{"type": "stdio"}}}', 1, "$.servers.a", "neither a command"),
    ("native servers", NATIVE_MCP, '{"mcpServers": {"a": {"command": "c",\n"url": "https://x"}}}', 1, "$.mcpServers.a.command", "both"),
]


@pytest.mark.parametrize("row", WRONG, ids=[row[0] for row in WRONG])
def test_errors_say_where_and_what_is_allowed(bundle, row):
    _what, file, content, line, path, words = row
    written = bundle.write("a/" + file, content)
    (problem,) = bundle.problems("a")
    where = str(written) + (", line %d" % line if line else "") + (" at " + path if path else "")
    assert problem.startswith(where + ": ") and words in problem


def test_everything_wrong_is_told_at_once(bundle):
    bundle.write("a/" + SETTINGS, {"beep": 3, "model": 3})
    bundle.write("b/" + MCP, {"x": {}})
    bundle.write("b/CLAUDE.md", b"x" * (_sources.MAX_FILE + 1))
    assert len(bundle.problems("a", "b", settings={"autoUpdate": "no"}, mcp_servers={"y": 3}, directives={})) == 6


def test_servers_that_the_model_cannot_tell_apart(bundle):
    first, second = bundle.write("a/" + MCP, {"x.y": {"command": "c"}}), bundle.write("b/" + MCP, {"x:y": {"command": "c"}})
    (problem,) = bundle.problems("a", "b")
    assert "'x.y' from %s; 'x:y' from %s" % (first, second) in problem


def test_overrides_that_are_wrong(bundle):
    bundle.path("a").mkdir()
    assert bundle.problems("a", settings={"beep": 1}) == ["agentihooks_copilot_settings at $.beep: must be true or false, not a number"]
    assert "agentihooks_mcp_servers at $.x.tools[0]" in bundle.problems("a", mcp_servers={"x": {"command": "c", "tools": ["a*"]}})[0]
    assert bundle.problems("a", directives=["x"]) == ["agentihooks_directives: must be a mapping"]
    assert bundle.problems("a", settings={"statusLine": {"command": "x"}}) == ["$.statusLine: after all layers: lacks the key type"]


# ---------------------------------------------------------------------------------------------------------------------
# What is dropped with a warning and stops nobody

def test_a_line_that_means_nothing_here_stops_nobody(bundle):
    bundle.write("a/" + SETTINGS, {
        "hooks": {}, "permissions": {"deny": ["x"]}, "trustedFolders": ["/"], "_comment": "x", "disableAllHooks": True, "beep": True, "$schema": "x",
        "_agentihooks": {"allowAll": "yes", "mystery": 1},
    })  # fmt: skip
    result = bundle.resolve("a")
    assert result["settings"] == {"beep": True} and result["directives"] == {}
    told = " ".join(result["warnings"])
    for word in ("settings.hooks", "settings.permissions", "settings.trustedFolders", "settings._comment", "settings.disableAllHooks", "allowAll", "mystery"):
        assert word in told
    assert len(result["warnings"]) == 7 and all(str(bundle.path("a/" + SETTINGS)) in text for text in result["warnings"])


def test_servers_that_this_target_cannot_have_are_left_out(bundle):
    bundle.write("a/" + MCP, {"mcpServers": {
        "ws": {"type": "ws", "url": "wss://x"}, "arg": {"command": "c", "args": ["--token", TOKEN]}, "env": {"command": "c", "env": {"T": TOKEN, "A": "1"}},
        "opted": {"command": "c", "env": {"T": TOKEN}, "_agentihooks": {"allowSecrets": True}}, "off": {"command": "c", "enabled": False},
    }})  # fmt: skip
    result = bundle.resolve("a")
    assert sorted(result["mcp_servers"]) == ["env", "off", "opted"] and result["mcp_disabled"] == ["off"]
    assert result["mcp_servers"]["env"]["env"] == {"A": "1"}
    assert result["mcp_servers"]["opted"]["env"] == {"T": TOKEN}
    assert len(result["warnings"]) == 3
    assert TOKEN not in json.dumps([result["warnings"], result["mcp_servers"]["env"], result["sources"]])


def test_directives_merge_over_the_layers(bundle):
    bundle.write("a/" + SETTINGS, {"_agentihooks": {"allowAll": True, "channels": "x,y", "browserCommand": "auto"}})
    bundle.write("b/" + SETTINGS, {"_agentihooks": {"allowAll": None, "channels": 3}})
    result = bundle.resolve("a", "b", settings={"_agentihooks": {"mcpDefaultDisabled": True}}, directives={"browserCommand": ["x"]})
    # A value of a wrong type is no value: the earlier layer's stays.
    assert result["directives"] == {"channels": ["x", "y"], "browserCommand": ["x"], "mcpDefaultDisabled": True}


# ---------------------------------------------------------------------------------------------------------------------
# Codex

def test_codex_tables_merge_and_lists_replace(bundle):
    bundle.write("builtin:_base/config.base.toml", "model = 'base'\n[tui]\nstatus_line = ['model', 'git-branch']\ntheme = 'x'\n[features]\na = true\n")
    bundle.write("bundle:" + CODEX, "[features]\nb = true\n")
    bundle.write("a/" + CODEX, "\ufeff# mine\r\nmodel = 'a'\r\n[tui]\r\nstatus_line = ['hostname']\r\n")
    bundle.write("s/" + CODEX, "notify = ['x']\n")
    result = bundle.resolve("a", settings_profile="s", codex_config={"features": {"a": None}, "sandbox_mode": "read-only"})
    assert result["codex_config"] == {
        "model": "a", "tui": {"status_line": ["hostname"], "theme": "x"}, "features": {"b": True}, "notify": ["x"], "sandbox_mode": "read-only",
    }  # fmt: skip
    assert [source["path"] for source in result["sources"] if source["kind"] == "codex_config"] == [
        str(bundle.path(place)) for place in ("builtin:_base/config.base.toml", "bundle:" + CODEX, "a/" + CODEX, "s/" + CODEX)
    ]


def test_codex_values_are_unset_by_name_in_toml(bundle):
    bundle.write("a/" + CODEX, "model = 'a'\n[tui]\ntheme = 'x'\nanimations = true\n[model_providers.\"x.y\"]\nname = 'n'\n")
    bundle.write("b/" + CODEX, "model = 'b'\n[_agentihooks]\nunset = ['model', 'tui.theme', 'model_providers.\"x.y\"', 'nothing.there']\nchannels = ['c']\n")
    result = bundle.resolve("a", "b", directives={"channels": ["d"]})
    assert result["codex_config"]["tui"] == {"animations": True} and result["codex_config"]["model_providers"] == {}
    # What the layer itself says comes after what it unsets.
    assert result["codex_config"]["model"] == "b" and result["codex_directives"] == {"channels": ["d"]}


@pytest.mark.parametrize(
    ("text", "line", "path", "words"),
    [
        ("a = 1\na = 2\n", 2, "", "is no TOML"), ("[a]\n[a]\n", None, "", "is no TOML"), ("x = \n", 1, "", "is no TOML"),
        (b"a = '\xff'", None, "", "not UTF-8"),
        ("sandbox_mode = 'open'\n", None, "$.sandbox_mode", '"read-only" or "workspace-write"'),
        ("[tui]\nstatus_line = 'x'\n", None, "$.tui.status_line", "a list of strings"),
        ("model = 1979-05-27\n", None, "$.model", "must be a string, not a date or time"),
        ("[x]\ny = [{ z = 07:32:00 }]\n", None, "$.x.y[0].z", "put it in quotes"),
        ("[_agentihooks]\nunset = 'x'\n", None, "", "a list of dotted keys"), ("[_agentihooks]\nunset = ['x y']\n", None, "", "something after the key"),
        ("approval_policy = { granular = { rules = true } }\n", None, None, "$.approval_policy.granular: after all layers: lacks the key sandbox_approval"),
    ],
)  # fmt: skip
def test_a_codex_file_that_is_wrong_stops(bundle, text, line, path, words):
    written = bundle.write("a/" + CODEX, text)
    problem = bundle.problems("a")[0]
    assert words in problem and "Traceback" not in problem
    if path is not None:
        assert problem.startswith(str(written)) and (line is None or ", line %d" % line in problem) and path in problem


def test_a_codex_line_that_means_nothing_here_stops_nobody(bundle):
    text = "profile = 'x'\nexperimental_instructions_file = 'y'\n_x = 1\n"
    bundle.write("a/" + CODEX, text + "[mcp_servers.a]\ncommand = 'c'\n[hooks]\n[profiles.p]\n[features]\nhooks = false\ncodex_hooks = false\na = true\n")
    result = bundle.resolve("a")
    assert result["codex_config"] == {"features": {"a": True}}
    told = " ".join(result["warnings"])
    for word in ("config.profile ", "experimental_instructions_file", "config._x", "config.mcp_servers", "config.hooks"):
        assert word in told
    for word in ("config.profiles", "features.hooks", "features.codex_hooks"):
        assert word in told
    assert len(result["warnings"]) == 8


def test_a_controller_without_tomlkit_says_so(bundle, monkeypatch):
    bundle.write("a/" + CODEX, "model = 'x'\n")
    monkeypatch.setattr(_sources, "tomlkit", None)
    assert "tomlkit is needed" in bundle.problems("a")[0]


# ---------------------------------------------------------------------------------------------------------------------
# What this repository ships

def test_a_controller_without_jsonschema_writes_nothing(bundle, monkeypatch):
    assert _settings_schema.jsonschema is jsonschema
    monkeypatch.setattr(_settings_schema, "jsonschema", None)
    assert "jsonschema is needed" in bundle.problems("default")[0]


def test_both_clis_start_on_the_same_channels():
    result = _profiles.resolve(BUILT_IN, None, ["default"])
    assert result["directives"]["channels"] == result["codex_directives"]["channels"] == ["brain", "amygdala"]


def test_the_built_in_default_alone():
    result = _profiles.resolve(BUILT_IN, None, ["default"])
    assert result["settings"] == {"disableAllHooks": False} and result["warnings"] == [] and result["mcp_servers"] == {}


def test_the_example_bundle_uses_every_feature():
    result = _profiles.resolve(BUILT_IN, EXAMPLE, ["default", "engineer", "oncall"], "quiet")
    assert result["warnings"] == []
    assert all(result[kind] for kind in ("persona", "agents", "commands", "rules", "skills", "settings", "mcp_servers", "mcp_disabled"))
    assert {server["type"] for server in result["mcp_servers"].values()} == {"local", "http", "sse"}
    used = set(result["directives"]) | set(_profiles.resolve(BUILT_IN, EXAMPLE, ["engineer", "sandbox"])["directives"])
    assert used == {"allowAll", "channels", "browserCommand", "suppressBrowserLaunch", "mcpDefaultDisabled", "mcpAlwaysEnabled"}
    assert result["mcp_servers"]["tracker"]["tools"] == ["find_issue", "read_issue", "open_incident"]
    assert [rule["name"] for rule in result["rules"]] == ["commits", "testing", "reviews"]
    named = {item["path"] for item in result["sources"]}
    skills = {item["path"] for item in result["skills"]}
    for path in EXAMPLE.rglob("*"):
        inside_skill = any(str(path).startswith(skill + "/") for skill in skills)
        other = path.name == "README.md" or "sandbox" in path.parts
        assert path.is_dir() or str(path) in named or inside_skill or other, path
