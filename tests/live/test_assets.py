# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Translated agents and skills in the real loader: what it lists, what it warns of, and which tools the model is offered."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._asset_translation import Options, Source, translate
from clis import installed, pinned
from copilot import CLAUDE, GPT, TIMEOUT, run, strings_in

OLDEST, *BETWEEN, NEWEST = pinned("copilot")

CORPUS = Path(os.environ.get("AGENTIHOOKS_TEST_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "corpus"

DONE = [{"text": "ok"}]
# Offered to every agent, whatever its list says.
ALWAYS = {"skill", "sql"}
SHELL = {"bash", "read_bash", "stop_bash", "list_bash"}
SUB_AGENTS = {"task", "read_agent", "list_agents", "write_agent"}

# A stdio MCP server with three tools, as a program.
MCP_SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": name, "description": name, "inputSchema": {"type": "object", "properties": {}}} for name in ("one", "two-b", "three_c")]}
    else:
        result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""

# Lines of the source's frontmatter -> tools the model is offered with Claude's tool set, with GPT's.
RIGHTS = {
    "tools: Read": ({"view"}, {"view"}),
    "tools: [Read, Grep, Glob]": ({"view", "grep", "glob"}, {"view", "rg", "glob"}),
    "tools: Write": ({"create"}, {"apply_patch"}),
    "tools: Edit": ({"create", "edit"}, {"apply_patch"}),
    "tools: Read, Bash": ({"view"} | SHELL, {"view"} | SHELL),
    "tools: Task": (SUB_AGENTS, SUB_AGENTS),
    "tools: Bash(git diff:*), Read": ({"view"}, {"view"}),
    "tools: []": (set(), set()),
    "tools: ExitPlanMode, KillShell": (set(), set()),
    "tools: Read, Bash\ndisallowedTools: Bash": ({"view"}, {"view"}),
    "tools: Read\nhooks: x: y": ({"view"}, {"view"}),
    "tools: mcp__tiny__two-b, mcp__other": ({"tiny-two-b", "other-one", "other-two-b", "other-three_c"},) * 2,
}


def lay_out(home, done):
    """Write a Translation below a scratch home, as the modules would."""
    for directory, files in ((home / ".copilot" / "agents", done.agents), (home / ".agents" / "skills", done.skills)):
        for file in files:
            path = directory / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)


def offered(session):
    """Return the names of the tools in the first request."""
    tools = session.requests[0]["tools"]
    return {(tool.get("function") or tool.get("custom") or tool)["name"] for tool in tools}


def complaints(session):
    """Return the lines of the CLI's log that warn of an agent or a skill."""
    return [line for line in session.log.splitlines() if re.search(r"\[(?:WARNING|ERROR)\]", line) and re.search("agents/|SKILL|skill", line)]


def listed_skills(cli, home):
    """Return name -> description as `copilot skill list --json` has it, and what the command says on stderr.

    Its answer goes to a file: up to 1.0.83 what exceeds a pipe's 64 kB is lost.
    """
    env = {
        "PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "COPILOT_PKG_CACHE_HOME": str(cli.unpacked),
        "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
    }  # fmt: skip
    answer = home / "skills.json"
    with open(answer, "wb") as stream:
        command = [str(cli.binary), "skill", "list", "--json"]
        done = subprocess.run(command, env=env, cwd=home, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.PIPE, timeout=TIMEOUT, check=True)
    return {skill["name"]: skill["description"] for skill in json.loads(answer.read_bytes())}, done.stderr.decode()


# Those of them in which versions could differ: a tool set of its own, the shell's family, nothing at all, MCP servers.
TELLING = ["tools: Edit", "tools: Read, Bash", "tools: []", "tools: mcp__tiny__two-b, mcp__other"]


def assert_offered(cli, home, model, rights):
    """Each agent of these rights starts with the tools that the model is meant to be offered, and is loaded without a complaint."""
    sources = [Source(f"a{number}.md", f"a{number}.md", f"---\ndescription: d\n{lines}\n---\nText\n".encode()) for number, lines in enumerate(rights)]
    lay_out(home, translate(agents=sources, options=Options(version=cli.version)))
    (home / "server.py").write_text(MCP_SERVER, encoding="utf-8")
    server = {"type": "local", "command": sys.executable, "args": [str(home / "server.py")], "tools": ["*"]}
    (home / ".copilot" / "mcp-config.json").write_text(json.dumps({"mcpServers": {"tiny": server, "other": server}}), encoding="utf-8")
    for number, (lines, expected) in enumerate(rights.items()):
        session = run(cli, home, DONE, model=model, args=("--agent", f"a{number}"))
        assert session.requests, session.report()
        assert offered(session) - ALWAYS == expected[0 if model == CLAUDE else 1], lines
        assert not complaints(session)


@pytest.mark.versions(NEWEST)
@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_an_agent_is_offered_what_its_source_grants_and_no_more(cli, tmp_path, model):
    assert_offered(cli, tmp_path, model, RIGHTS)


@pytest.mark.parametrize("model", [CLAUDE, GPT])
@pytest.mark.parametrize("cli", [OLDEST, *BETWEEN], indirect=True)
def test_an_older_cli_offers_it_alike(cli, tmp_path, model):
    assert_offered(cli, tmp_path, model, {lines: RIGHTS[lines] for lines in TELLING})


@pytest.mark.versions(OLDEST, NEWEST)
def test_what_people_write_loads_without_a_complaint(cli, tmp_path):
    agents = [
        Source("a.md", "a.md", b"---\nname: Odd One\ndescription: Use when: asked {{ 1/0 }}\ncolor: red\nmodel: sonnet\nhooks: {}\n---\r\nAGENT-BODY\r\n"),
        Source("b.md", "b.md", b"\xef\xbb\xbf---\ndescription: 'two\n\n  lines \xf0\x9f\x98\x80'\n---"),
    ]
    commands = [
        Source("c.md", "git/c.md", b"---\ndescription: COMMAND-CANARY\nargument-hint: [a] | [b]\nallowed-tools: Bash\n---\nDo $ARGUMENTS\n"),
        Source("d.md", "d.md", ("---\ndescription: %s\n---\nx" % ("😀 " * 900)).encode()),
        Source("e.md", "e.md", b"# Heading only\n"),
        Source("f.md", "f.md", b"---\ndescription: hidden\ndisable-model-invocation: true\n---\nx"),
    ]
    done = translate(agents=agents, commands=commands, options=Options(version=cli.version))
    lay_out(tmp_path, done)
    names, said = listed_skills(cli, tmp_path)
    assert {"git-c", "d", "e", "f"} <= set(names) and said == ""
    session = run(cli, tmp_path, DONE, args=("--agent", "odd-one"))
    assert session.model_saw("AGENT-BODY") == 1 and session.model_saw("COMMAND-CANARY") == 1
    assert not complaints(session)
    session = run(cli, tmp_path, DONE)
    assert session.model_saw("Use when: asked {{ 1/0 }}") == 1 and session.model_saw("<name>f</name>") == 0


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus at {CORPUS}")
def test_the_whole_corpus_in_one_home(tmp_path, record_property):
    """Every file is translated alone and given a name of its own, because the collections share many names."""
    cli = installed("copilot", NEWEST)
    expected = {"agent": {}, "command": {}}
    for kind, folder in (("agent", "agents"), ("agent", "agents_all"), ("agent", "agents_derived"), ("command", "commands"), ("command", "commands_all")):
        for path in sorted((CORPUS / folder).iterdir()):
            done = translate(**{kind + "s": [Source(str(path), path.name, path.read_bytes())]}, options=Options(version=cli.version))
            for file in done.agents + done.skills:
                name = f"c{len(expected['agent']) + len(expected['command']):04d}"
                text = re.sub(r'\A---\nname: "[^"]*"', f'---\nname: "{name}"', file.data.decode())
                place = tmp_path / (f".copilot/agents/{name}.md" if kind == "agent" else f".agents/skills/{name}/SKILL.md")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8", newline="")
                expected[kind][name] = yaml.safe_load(text[4:].partition("\n---\n")[0])["description"].strip()
    skills, said = listed_skills(cli, tmp_path)
    session = run(cli, tmp_path, DONE)
    text = "\n".join(strings_in(session.requests[0]))
    agents_right = [name for name, description in expected["agent"].items() if f"**{name}**" in text and description in text]
    skills_right = [name for name, description in expected["command"].items() if skills.get(name, "").strip() == description]
    loaded = f"{len(agents_right)} of {len(expected['agent'])} agents, {len(skills_right)} of {len(expected['command'])} skills"
    record_property("figure", f"copilot {cli.version} loads of the corpus {loaded}")
    assert said == "" and not complaints(session)
    assert len(agents_right) == len(expected["agent"]) > 900
    assert len(skills_right) == len(expected["command"]) > 700
