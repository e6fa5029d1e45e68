# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example bundle on the real Codex: all of it arrives, what Codex and the person write survives, and a notice reaches the runtime."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys

import pytest
from codex import NO_SANDBOX, SUB_AGENT_MODEL, interactive, mcp_tool, run, shell, spawn_agent
from copilot import FROM_SHELL
from session import strings_in
from workstation import CodexWorkstation, checkout_copy, make_site, play_site

# One account for all: converging it costs more than the sessions.
pytestmark = pytest.mark.xdist_group("codex bundle")

SERVER = "tests/support/mcp_servers/server.py"
DONE = [{"text": "done"}]
# What differs between the versions, as measured: 0.171.0 alone names the agents to the model before one is asked for (without login),
# and the terminal of 0.154.0 alone writes nothing into config.toml when it is opened.
NAMES_THE_AGENTS = ("0.171.0",)
WRITES_NOTHING_BY_ITSELF = ("0.154.0",)
# The sandbox leaves an empty .git in each directory that may be written to, and /tmp is everybody's.
WRITING_ITS_OWN = ("--sandbox", "workspace-write", "-c", "sandbox_workspace_write.exclude_slash_tmp=true")

# Texts of the bundle, and how often they reach the model.
TEXTS = {
    "We build the Harbour services.": 1,  # persona for everybody
    "You work in Go and TypeScript repositories.": 1,  # persona of the profile
    "names the component in square brackets": 1,  # rule for everybody
    "Working software that its owner understands": 1,  # manifesto
    "Write the release notes of a Harbour service": 1,  # skill for everybody
    "Draft a database migration with its way back": 1,  # command, as a skill
    "What this repository tells agents.": 1,  # CLAUDE.md of a repository without AGENTS.md
}


def lines(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


class Station(CodexWorkstation):
    """An account with everything the bundle brings, hooks trusted by record. variables: of its site run."""

    def __init__(self, user, collections_path, cli, addresses, tokens):
        super().__init__(user)
        self.collections_path = collections_path
        self.cli = cli
        self.token, self.key = tokens
        checkout = checkout_copy(collections_path)
        self.mark = user.write("marks/tracker", "")
        arguments = [str(checkout / SERVER), "stdio", "--mark", str(self.mark), "--tools", "find_issue", "read_issue", "close_issue"]
        self.variables = {
            "agentihooks_targets": ["codex"],
            "agentihooks_codex_hook_trust": "record",
            # 0.142.3 starts an agent with a role of its own only where a file says which model.
            "agentihooks_codex_config": {"model": SUB_AGENT_MODEL},
            "agentihooks_bundle": str(checkout / "examples" / "bundle"),
            "agentihooks_profiles": ["default", "engineer"],
            "agentihooks_mcp_servers": {
                "tracker": {"command": sys.executable, "args": arguments},
                "handbook": {"url": addresses["handbook"]},
                "keyed": {"type": "http", "url": addresses["keyed"], "headers": {"X-Key": "${KEYED_KEY}"}},
                "design": None,
            },
            "agentihooks_env": {"HANDBOOK_TOKEN": self.token, "KEYED_KEY": self.key},
        }
        user.write(".local/bin/codex", f"#!/bin/sh\nexec '{cli.binary}' \"$@\"\n", mode=0o755)
        user.write("work/CLAUDE.md", "What this repository tells agents.\n")
        self.said = make_site(user, collections_path, **self.variables)

    def session(self, steps, **options):
        """Run one session from the person's shell, in the directory of a repository."""
        return run(self.cli, self.home, steps, user=self.user.name, launcher=FROM_SHELL, **options)


@pytest.fixture(scope="module")
def marks(tmp_path_factory, codex_cli):
    """The directory where the HTTP servers note what happened to them, another one for each CLI."""
    return tmp_path_factory.mktemp("marks")


@pytest.fixture(scope="module")
def station(make_scratch_user, collections_path, codex_cli, marks):
    """The account converged for a CLI."""
    tokens = "handbook-" + secrets.token_hex(8), "keyed-" + secrets.token_hex(8)
    started = {}
    for name, arguments in (
        ("handbook", ["--token", tokens[0], "--mark", marks / "handbook", "--tools", "search_pages", "read_page", "drop_page"]),
        ("keyed", ["--mark-header", "X-Key", "--mark", marks / "keyed", "--tools", "unlock"]),
    ):
        command = [sys.executable, str(checkout_copy(collections_path) / SERVER), "http", *map(str, arguments)]
        started[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    addresses = {name: process.stdout.readline().strip() for name, process in started.items()}
    user = make_scratch_user()
    user.run(["git", "init", "-q", "work"])
    yield Station(user, collections_path, codex_cli, addresses, tokens)
    for process in started.values():
        process.terminate()
    for process in started.values():
        process.wait()


@pytest.fixture(scope="module")
def session(station):
    """A session in which the model, once the local server is there, calls tools of each server, and two that are not allowed."""
    waiting = shell(f"for n in $(seq 150); do grep -q listed {station.mark} && break; sleep 0.2; done")
    allowed = [mcp_tool("tracker", "find_issue"), mcp_tool("handbook", "search_pages"), mcp_tool("keyed", "unlock")]
    return station.session([{"calls": [waiting]}, {"calls": [*allowed, mcp_tool("tracker", "close_issue"), mcp_tool("handbook", "drop_page")]}, *DONE])


def test_persona_rules_skills_and_the_project_s_own_text_reach_the_model(session):
    reached = {text: session.model_saw(text) for text in TEXTS}
    assert reached == TEXTS, session.report()


def test_allowed_tools_work_and_no_others_are_there(session, station, marks):
    _waited, *answers, closing, dropping = session.tool_results()
    assert all("answer of " + tool in answer for tool, answer in zip(("find_issue", "search_pages", "unlock"), answers)), session.report()
    assert "unsupported call" in closing and "unsupported call" in dropping, session.report()
    assert [line for path in (station.mark, marks / "handbook") for line in lines(path) if "close_issue" in line or "drop_page" in line] == []


def test_the_token_and_the_header_arrive_from_the_environment(session, station, marks):
    assert "called search_pages" in lines(marks / "handbook")
    assert f"X-Key: {station.key}" in lines(marks / "keyed") and "called unlock" in lines(marks / "keyed")
    assert station.token not in station.config.read_text() and station.key not in station.config.read_text()


def test_a_notice_of_codex_reaches_the_runtime(session, station):
    logged = [json.loads(line) for line in lines(station.data / "logs" / "hooks.log")]
    notices = [line for line in logged if line["event"] == "Notification"]
    assert notices and notices[-1]["outcomes"] == [["notice", "agent-turn-complete"]] and notices[-1]["session"] in {session.session_id()}


def test_an_agent_has_its_instructions_and_the_sandbox_of_its_session_whatever_its_file_says(station):
    assert 'sandbox_mode = "read-only"' in (station.home / ".codex" / "agents" / "reviewer.toml").read_text()
    steps = [{"calls": [spawn_agent("CHILD review", agent_type="reviewer")]}, *[{"calls": [shell("sleep 2")]}] * 2, {"text": "one"}, {"text": "two"}]
    session = station.session(steps, model=SUB_AGENT_MODEL, args=WRITING_ITS_OWN)
    named = session.model_saw("Reviews a diff for mistakes, unclear names and missing tests.") > 0
    assert named is (station.cli.version in NAMES_THE_AGENTS), session.report()
    assert session.model_saw("You change nothing yourself.") == 1, session.report()
    rollouts = [[json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in session.rollouts]
    (child,) = [items for items in rollouts if any("You change nothing yourself." in text for item in items for text in strings_in(item))]
    # So what it may not is said by its instructions alone, and the site run warns of that.
    assert {item["payload"]["sandbox_policy"]["type"] for item in child if item["type"] == "turn_context"} == {"workspace-write"}
    assert "the sandbox of its session" in station.said


def test_what_codex_and_the_person_write_survives_and_the_next_run_does_nothing(station):
    def codex(*arguments):
        station.user.run([station.cli.binary, *arguments], env={"CODEX_HOME": str(station.home / ".codex")})

    codex("mcp", "add", "theirs", "--env", "A=b", "--", "true")
    codex("features", "enable", "web_search_request")
    before = station.config.read_text()
    with interactive(station.cli, station.home, user=station.user.name) as terminal:
        if station.cli.version in WRITES_NOTHING_BY_ITSELF:
            terminal.wait_until(lambda: "Ask Codex to do anything" in terminal.text(), "the prompt")
        else:
            terminal.wait_until(lambda: station.config.read_text() != before, "what Codex writes by itself")
    written = station.config.read_text()
    output = play_site(station.user, station.collections_path, "-i", "localhost,", "-c", "local", **station.variables)
    assert "changed=0" in output.rpartition("PLAY RECAP")[2] and "NOT TRUSTED" not in output, output
    assert station.config.read_text() == written and "theirs" in written and "web_search_request" in written
    session = station.session([{"calls": [shell("cat ~/.ssh/id_rsa")]}, *DONE], args=NO_SANDBOX)
    assert "agentihooks [credential" in session.tool_results()[0], session.report()
