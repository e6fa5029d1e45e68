# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle is told, without any host: each kind of finding with its file and line, and no traceback whatever lies there."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import time

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _secret_shapes
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _bundle_lint, _settings_schema

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = _secret_shapes.example("ghp_~a36~")

SETTINGS = "profiles/a/.copilot/settings.overrides.json"
MCP = "profiles/a/.claude/.mcp.json"
AGENTS = "profiles/a/.claude/agents/"


class Bundle:
    """A bundle with one profile."""

    def __init__(self, root):
        self.root = root / "bundle"
        self.write("profiles/a/CLAUDE.md", "# A\n")

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, (bytes, str)) else json.dumps(content, indent=1)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def lint(self):
        return [str(finding) for finding in _bundle_lint.lint(CHECKOUT / "profiles", self.root)]


@pytest.fixture
def bundle(tmp_path):
    return Bundle(tmp_path)


def test_a_bundle_without_a_flaw(bundle):
    bundle.write(AGENTS + "x.md", "---\nname: x\ndescription: Does x.\ntools: Read\n---\nBody.")
    bundle.write("profiles/a/.claude/commands/y.md", "---\ndescription: Does y.\n---\nBody.")
    bundle.write("profiles/a/.claude/skills/z/SKILL.md", "---\nname: z\ndescription: Does z.\n---\nBody.")
    bundle.write("profiles/a/.claude/rules/r.md", "---\npaths: src/**\n---\nBody.")
    bundle.write(SETTINGS, {"beep": True, "_agentihooks": {"channels": "a,b"}})
    bundle.write(MCP, {"mcpServers": {"s": {"command": "c", "tools": ["t"]}}})
    bundle.write("profiles/a/.codex/config.overrides.toml", "x = 1\n")
    bundle.write(".claude/CLAUDE.md", "# Team\n")
    assert bundle.lint() == []


def test_the_example_bundle_has_no_error():
    findings = _bundle_lint.lint(CHECKOUT / "profiles", CHECKOUT / "examples" / "bundle")
    assert [str(finding) for finding in findings] == ["profiles/engineer/.claude/agents/test-writer.md:5: warning: does not pass on to Copilot: model"]


# (what, file, content, the finding up to its text, words in the text, how it ends)
FLAWS = [
    ("half a JSON", SETTINGS, '{\n"beep": true,\n"model', SETTINGS + ":3: error", "string starts here", ""),
    ("a wrong type", SETTINGS, '{\n"beep": "loud"}', SETTINGS + ":2: error", "must be true or false", "($.beep)"),
    ("a key twice", SETTINGS, '{"beep": true,\n"beep": true}', SETTINGS + ":2: error", "twice", "($.beep)"),
    ("a directive", SETTINGS, '{"_agentihooks": {\n"allowAll": "yes"}}', SETTINGS + ":2: warning", "_agentihooks.allowAll was dropped", ""),
    ("an unknown directive", SETTINGS, '{"_agentihooks": {\n\n"mystery": 1}}', SETTINGS + ":3: warning", "no such directive", ""),
    ("a block that is none", SETTINGS, '{\n"_agentihooks": []}', SETTINGS + ":2: warning", "_agentihooks was dropped", ""),
    ("inline hooks", SETTINGS, '{\n"hooks": {}}', SETTINGS + ":2: warning", "settings.hooks was dropped", ""),
    ("permissions", SETTINGS, '{\n\n"permissions": {"deny": ["x"]}}', SETTINGS + ":3: warning", "settings.permissions was dropped", ""),
    ("hooks off", SETTINGS, '{\n"disableAllHooks": true}', SETTINGS + ":2: warning", "silence hooks", ""),
    ("half a status line", SETTINGS, '{"statusLine": {"command": "x"}}', "profiles/a:1: warning", "lacks the key type", "($.statusLine)"),
    ("a glob", MCP, '{"mcpServers": {\n"s": {"command": "c",\n"tools": ["t_*"]}}}', MCP + ":3: error", "exact tool names", "($.mcpServers.s.tools[0])"),
    ("a server without anything", MCP, '{"mcpServers": {\n"s": {}}}', MCP + ":2: error", "neither a command", "($.mcpServers.s)"),
    ("a secret argument", MCP, '{"s": {"command": "c",\n"args": ["%s"]}}' % TOKEN, MCP + ":2: warning", "left out", "($.s.args[0])"),
    ("a secret variable", MCP, '{\n"s": {"command": "c", "env": {"T": "%s"}}}' % TOKEN, MCP + ":2: warning", "env.T was left out", ""),
    ("a transport", MCP, '{"s": {"command": "c"},\n"w": {"type": "ws", "url": "wss://x"}}', MCP + ":2: warning", "not supported", "($.w.type)"),
    ("two servers of one name", MCP, '{"x.y": {"command": "c"}, "x:y": {"command": "c"}}', "profiles/a:1: error", "same name for the model", ""),
    ("no frontmatter end", AGENTS + "x.md", "---\nname: x\n", AGENTS + "x.md:1: error", "not closed", ""),
    ("no frontmatter", AGENTS + "x.md", "just text", AGENTS + "x.md:1: warning", "no agent", ""),
    ("no description", AGENTS + "x.md", "---\nname: x\n---\nDoes things.", AGENTS + "x.md:1: warning", "has no description", ""),
    ("a scoped grant", AGENTS + "x.md", "---\ndescription: d\ntools: Bash(git:*), Read\n---\nx", AGENTS + "x.md:3: warning", "loses Bash(git:*)", ""),
    ("agent hooks", AGENTS + "x.md", "---\ndescription: d\n\nhooks: {}\n---\nx", AGENTS + "x.md:4: warning", "hooks is dropped", ""),
    ("dropped keys", AGENTS + "x.md", "---\ndescription: d\ncolor: red\n---\nx", AGENTS + "x.md:3: warning", "does not pass on to Copilot: color", ""),
    ("not UTF-8", AGENTS + "x.md", b"---\ndescription: \xff\n---\nx", AGENTS + "x.md:1: error", "0xff in line 2", ""),
    ("a YAML bomb", AGENTS + "x.md", "---\na: &a [x]\n" + "".join("b%d: [*a, *a]\n" % n for n in range(30)) + "---\nx",
     AGENTS + "x.md:1: error", "aliases", ""),
    ("a YAML tag", AGENTS + "x.md", "---\na: !!python/object/apply:os.system ['true']\n---\nx", AGENTS + "x.md:1: error", "YAML tag", ""),
    ("a long description", "profiles/a/.claude/skills/s/SKILL.md", "---\nname: s\ndescription: %s\n---\nx" % ("y " * 600),
     "profiles/a/.claude/skills/s/SKILL.md:3: warning", "cut at 1024", ""),
    ("no skill", "profiles/a/.claude/skills/s/README.md", "x", "profiles/a/.claude/skills/s:1: warning", "no SKILL.md", ""),
    ("a persona that is binary", "profiles/a/CLAUDE.md", b"\x89PNG\r\n\x1a\n\0\0", "profiles/a/CLAUDE.md:1: error", "NUL byte", ""),
    ("an import", "profiles/a/CLAUDE.md", "# A\n\n@docs/style.md\n", "profiles/a/CLAUDE.md:3: warning", "import", ""),
    ("a secret in a text", "profiles/a/CLAUDE.md", "# A\n\nuse %s\n" % TOKEN, "profiles/a/CLAUDE.md:3: warning", "holds a secret", ""),
    ("a large persona", "profiles/a/CLAUDE.md", "word " * 20000, "profiles/a:1: warning", "97 kB", ""),
    ("a rule's frontmatter", "profiles/a/.claude/rules/r.md", "---\n- x\n---\ny", "profiles/a/.claude/rules/r.md:1: warning", "taken as it is", ""),
    ("a slip in a name", "profiles/a/.copilot/settings.override.json", "{}", "profiles/a/.copilot/settings.override.json:1: warning", "is not read", ""),
    ("a directory's name", "profiles/a/.claude/agent/x.md", "x", "profiles/a/.claude/agent:1: warning", "the name is agents", ""),
    ("a persona's name", "profiles/a/Claude.md", "x", "profiles/a/Claude.md:1: warning", "the name is CLAUDE.md", ""),
    ("a setting's name", SETTINGS, '{\n"includeCoAuthordBy": false}', SETTINGS + ":2: warning", "is includeCoAuthoredBy meant?", ""),
    ("a slip in a place", "profiles/a/.claude/mcp.json", "{}", "profiles/a/.claude/mcp.json:1: warning", "the name is .mcp.json", ""),
    ("TOML", "profiles/a/.codex/config.overrides.toml", "x = 1\ny = \n", "profiles/a/.codex/config.overrides.toml:2: error", "no TOML", ""),
    ("a name no chain can have", "profiles/my profile/CLAUDE.md", "x", "profiles/my profile:1: error", "no name of a profile", ""),
    ("bundle servers", ".claude/.mcp.json", '{"s": 3}', ".claude/.mcp.json:1: error", "must be an object", ""),
]  # fmt: skip


@pytest.mark.parametrize("row", FLAWS, ids=[row[0] for row in FLAWS])
def test_each_flaw_says_where_and_what(bundle, row):
    _what, file, content, start, words, end = row
    bundle.write(file, content)
    found = [line for line in bundle.lint() if line.startswith(start + ": ") and words in line and line.endswith(end)]
    assert len(found) == 1, bundle.lint()
    assert TOKEN not in "".join(bundle.lint())


def test_names_that_collide(bundle):
    for name, tool in (("Code Review", "Read"), ("code-review", "Grep")):
        bundle.write(AGENTS + name + ".md", "---\ndescription: d\ntools: %s\n---\nx" % tool)
    bundle.write(".claude/commands/deploy.md", "---\ndescription: d\n---\nx")
    bundle.write("profiles/a/.claude/commands/Deploy!.md", "---\ndescription: d\n---\nx")
    bundle.write("profiles/b/.claude/commands/deploy.md", "---\ndescription: d\n---\nx")  # an override
    bundle.write("profiles/b/.claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: d\n---\nx")
    found = bundle.lint()
    for file, words in (
        ("profiles/a/.claude/agents/Code Review.md:1: error", "rename one"),
        ("profiles/a/.claude/agents/code-review.md:1: error", "rename one"),
        ("profiles/a/.claude/commands/Deploy!.md:1: error", "comes to the name deploy, and so does .claude/commands/deploy.md"),
        (".claude/commands/deploy.md:1: warning", "the skill profiles/b/.claude/skills/deploy has the same name and wins"),
    ):
        assert [line for line in found if line.startswith(file) and words in line], found
    assert not [line for line in found if line.startswith("profiles/b/.claude/commands/deploy.md:1: error")]


def test_links_out_of_the_bundle_are_all_named(bundle, tmp_path):
    (tmp_path / "secret.md").write_text("---\ndescription: d\n---\nx")
    bundle.write(AGENTS + "ok.md", "x")
    (bundle.root / AGENTS / "one.md").symlink_to(tmp_path / "secret.md")
    (bundle.root / AGENTS / "two").symlink_to(tmp_path)
    (bundle.root / AGENTS / "gone.md").symlink_to("nowhere")
    (bundle.root / "profiles" / "b").symlink_to(tmp_path)
    skill = bundle.write("profiles/a/.claude/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n").parent
    (skill / "data").symlink_to("/etc")
    found = bundle.lint()
    for file in (AGENTS + "one.md", AGENTS + "two", "profiles/b", "profiles/a/.claude/skills/s/data"):
        assert [line for line in found if line.startswith(file + ":1: error: leads out of")], found
    assert [line for line in found if line.startswith(AGENTS + "gone.md:1: error") and "does not exist" in line], found


def test_the_same_is_told_once(bundle):
    for name in "bcd":
        bundle.write("profiles/%s/CLAUDE.md" % name, "x")
    bundle.write(".copilot/settings.overrides.json", {"hooks": {}})
    bundle.write(".claude/agents/x.md", "---\nname: x\n---\nx")
    bundle.write(".claude/CLAUDE.md", "use %s" % TOKEN)
    found = bundle.lint()
    assert len(found) == 3 and found == sorted(found)


def test_a_controller_with_ansible_core_alone(bundle, monkeypatch):
    monkeypatch.setattr(_settings_schema, "jsonschema", None)
    bundle.write(SETTINGS, {"hooks": {}, "beep": "loud"})
    found = bundle.lint()
    assert len(found) == 2 and "jsonschema is not installed" in found[0] and "settings.hooks was dropped" in found[1]


@pytest.mark.parametrize("make", [
    lambda root: root.joinpath("CLAUDE.md").unlink() or os.mkfifo(str(root / "CLAUDE.md")),
    lambda root: root.joinpath(".claude/agents").mkdir(parents=True) or os.mkfifo(str(root / ".claude/agents/x.md")),
    lambda root: root.joinpath(".claude/skills/s").mkdir(parents=True) or os.mkfifo(str(root / ".claude/skills/s/SKILL.md")),
    lambda root: root.joinpath(".claude").mkdir() or root.joinpath(".claude/rules").symlink_to("/dev"),
    lambda root: root.joinpath(".claude").write_text("x"),
    lambda root: root.joinpath(".claude").symlink_to(".claude"),
    lambda root: root.joinpath(".claude/agents").mkdir(parents=True) or root.joinpath(".claude/agents/again").symlink_to("."),
    lambda root: root.joinpath(".copilot").mkdir() or root.joinpath(".copilot/settings.overrides.json").symlink_to("/dev/zero"),
    lambda root: root.joinpath(".codex").mkdir() or os.mkfifo(str(root / ".codex/config.overrides.toml")),
], ids=["persona", "agent", "skill", "devices", "file for directory", "link to itself", "circle", "endless file", "toml"])  # fmt: skip
def test_what_is_no_file_is_an_error_and_nothing_waits(bundle, make):
    make(bundle.root / "profiles" / "a")
    started = time.monotonic()
    found = bundle.lint()
    assert [line for line in found if ": error: " in line] and time.monotonic() - started < 10, found


def test_a_socket_and_names_that_are_no_text(bundle, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bundle.write(AGENTS + "ok.md", "x")
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.relpath(str(bundle.root / AGENTS / "s.md")))
    server.close()
    with open(os.fsencode(str(bundle.root / AGENTS)) + b"/\xff\x1b[31m.md", "wb") as stream:
        stream.write(b"---\ndescription: d\n---\nx")
    found = "\n".join(bundle.lint())
    assert "s.md:1: error: is no regular file" in found and "\x1b" not in found
    found.encode("utf-8")


@pytest.mark.parametrize("content", [
    "[" * 100000, '{"a":' * 100000, '{"_agentihooks":' + "[" * 90 + "]" * 90 + "}", "\0" * 100, b"\xff\xfe{\0}\0", '{"beep": 1e999}', '{"a": "\\ud800"}',
    '{"mcpServers": {"x": {"command": "\\u0000"}}}', '{"mcpServers": ' + json.dumps({"s%d" % n: {"command": "c"} for n in range(501)}) + "}", "{}" * 2,
], ids=["deep list", "deep object", "deep block", "zeros", "UTF-16", "infinite", "surrogate", "NUL", "501 servers", "two values"])  # fmt: skip
@pytest.mark.parametrize(
    "file", [SETTINGS, MCP, AGENTS + "x.md", "profiles/a/.claude/rules/r.md", "profiles/a/CLAUDE.md", "profiles/a/.codex/config.overrides.toml"]
)
def test_content_that_is_hostile(bundle, file, content):
    bundle.write(file, content)
    for line in bundle.lint():
        line.encode("utf-8")
        assert "\n" not in line


def test_deep_yaml(bundle):
    bundle.write(AGENTS + "x.md", "---\na: %s\n---\nx" % ("[" * 2000))
    bundle.write("profiles/a/.claude/rules/r.md", "---\n%s: x\n---\nx" % ("{" * 2000))
    assert any(AGENTS + "x.md:1: error" in line for line in bundle.lint())


def test_five_thousand_files(bundle):
    rules = "profiles/a/.claude/rules/"
    for number in range(5000):
        bundle.write(rules + "r%04d.md" % number, "x")
    for number in range(500):
        bundle.write(AGENTS + "a%04d.md" % number, "---\nname: a%04d\ndescription: d\n---\nx" % number)
    started = time.monotonic()
    assert [line for line in bundle.lint() if "persona of this profile" not in line] == []
    assert time.monotonic() - started < 60
    bundle.write(rules + "one-more.md", "x")
    assert any("more than 5000 files" in line for line in bundle.lint())


def test_what_is_no_bundle(tmp_path):
    def lint(path):
        return [str(finding) for finding in _bundle_lint.lint(CHECKOUT / "profiles", path)]

    assert "is no directory" in lint(tmp_path / "nowhere")[0]
    assert lint(tmp_path) == ["profiles:1: error: there is no profile; each is a directory in profiles/"]
    (tmp_path / "profiles").write_text("x")
    assert any("is no directory" in line for line in lint(tmp_path))
