# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example bundle as the example inventory gives it to one host, on that host's real CLI: all of it arrives."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass

import pytest
from clis import installed, pinned
from copilot import CLAUDE, FROM_SHELL, call, interactive, run, tools_offered
from workstation import Workstation, checkout_copy, play_site

# One account for all: converging it costs more than the sessions.
pytestmark = pytest.mark.xdist_group("bundle")

OLDEST, *_BETWEEN, NEWEST = pinned("copilot")

SERVER = "tests/support/mcp_servers/server.py"
# Seconds for a server to say its URL. It takes 1 to 3.
SERVER_TIMEOUT = 60

DONE = [{"text": "done"}]
# Offered to every agent, whatever its list says.
ALWAYS = {"skill", "sql"}
SWITCHED_OFF = "disabledMcpServers"
# The programs that may open an address where nobody says which.
BROWSERS = ("xdg-open", "sensible-browser", "x-www-browser", "www-browser", "wslview", "open")

# Texts of the bundle, and how often they reach the model.
TEXTS = {
    "We build the Harbour services.": 1,  # persona for everybody
    "You work in Go and TypeScript repositories.": 1,  # persona of the profile engineer
    "An incident comes before everything else.": 1,  # persona of the profile oncall
    "names the component in square brackets": 1,  # rule for everybody
    "A bug fix comes with a test that fails without it.": 1,  # rule of the profile engineer
    "During an incident a change needs one reviewer": 1,  # rule of the profile oncall ...
    "A change to a public interface needs a reviewer": 0,  # ... in place of the one for everybody
    "Working software that its owner understands": 1,  # manifesto
    "Write the release notes of a Harbour service": 1,  # skill for everybody
    "Draft a database migration with its way back": 1,  # command, as a skill
    "Reviews a diff for mistakes, unclear names and missing tests.": 1,  # agent
}


class Station(Workstation):
    """The account of the host grace with everything the bundle brings.

    addresses: name of an MCP server to its URL. token: what the server handbook lets in.
    """

    def __init__(self, user, collections_path, addresses, token):
        super().__init__(user)
        self._collections_path = collections_path
        self._token = token
        self.addresses = addresses
        self.settings_file = self.home / ".copilot" / "settings.json"
        self.sink = self.home / ".copilot" / "pending-oauth-urls.txt"
        self.bin = fake_browsers(user)
        self.browsers = user.home / "browsers"
        self.marks = user.write("marks/README", "What the local MCP servers note.\n").parent

    def site(self):
        """Converge the host of the example inventory. Returns the output."""
        checkout = checkout_copy(self._collections_path)
        arguments = ("-i", str(checkout / "examples" / "inventory.yml"), "--limit", "grace")
        local = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
        return play_site(self.user, self._collections_path, *arguments, **local, **self._variables(checkout))

    def _variables(self, checkout):
        """What the inventory would say of this host: where the bundle's servers really are."""

        def local(name, *tools):
            return {"command": sys.executable, "args": [str(checkout / SERVER), "stdio", "--mark", str(self.mark(name)), "--tools", *tools]}

        return {
            "agentihooks_mcp_servers": {
                "tracker": local("tracker", "find_issue", "read_issue", "open_incident", "close_issue"),
                "notes": local("notes", "read_note"),
                "handbook": {"url": self.addresses["handbook"]},
                "design": {"url": self.addresses["design"]},
                "plans": {"url": self.addresses["plans"]},
            },
            "agentihooks_directives": {"mcpAlwaysEnabled": ["tracker", "handbook", "design", "plans"]},
            "agentihooks_env": {"HANDBOOK_TOKEN": self._token},
            "agentihooks_trusted_folders": [str(self.home / "work")],
        }

    def mark(self, server):
        """The file where a local server notes what happened to it."""
        return self.marks / server

    def settings(self):
        return json.loads(self.settings_file.read_text(encoding="utf-8"))

    def session(self, cli, steps, **options):
        """Run one session from the person's shell."""
        return run(cli, self.home, steps, user=self.user.name, launcher=FROM_SHELL, **options)

    def terminal(self, cli, steps):
        """Open the CLI from the person's shell, on a terminal; a browser would leave a mark."""
        env = {"PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin"}
        return interactive(cli, self.home, steps, user=self.user.name, launcher=FROM_SHELL, env=env)


def fake_browsers(user):
    """Make programs that only note that they were called, in the file "browsers" of the home. Returns their directory."""
    for name in BROWSERS:
        user.write(f"bin/{name}", f'#!/bin/sh\nprintf "%s\\n" "$0 $*" >>"{user.home}/browsers"\n', mode=0o755)
    return user.home / "bin"


def lines(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture(scope="session")
def start_server(collections_path):
    """A function that starts an MCP server on loopback and returns its URL; all are ended with the session."""
    started = []

    def start(*arguments):
        command = [sys.executable, str(checkout_copy(collections_path) / SERVER), *map(str, arguments)]
        started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
        url = started[-1].stdout.readline().strip()
        assert url, f"no MCP server: {command}"
        return url

    yield start
    for process in started:
        process.terminate()
    for process in started:
        process.wait(SERVER_TIMEOUT)


@pytest.fixture(scope="session")
def marks(tmp_path_factory):
    """The directory where the remote servers note what happened to them."""
    return tmp_path_factory.mktemp("marks")


@pytest.fixture(scope="session")
def station(make_scratch_user, collections_path, start_server, marks):
    """The converged account, for tests that leave it as they found it."""
    token = "handbook-" + secrets.token_hex(8)
    addresses = {
        "handbook": start_server("http", "--token", token, "--mark", marks / "handbook", "--tools", "search_pages", "read_page", "drop_page"),
        "design": start_server("sign-in", "--mark", marks / "design", "--tools", "draw"),
        "plans": start_server("sign-in", "--mark", marks / "plans", "--tools", "read_plan"),
    }
    station = Station(make_scratch_user(), collections_path, addresses, token)
    station.site()
    return station


@pytest.fixture(scope="module")
def session(cli, station):
    """A session in which the model calls a tool of the local and one of the remote server."""
    calls = [call("tracker-find_issue"), call("handbook-search_pages")]
    return station.session(cli, [{"calls": calls}, *DONE])


def test_persona_rules_skills_and_agents_reach_the_model(session):
    reached = {text: session.model_saw(text) for text in TEXTS}
    assert reached == TEXTS, session.report()


@pytest.mark.versions(OLDEST, NEWEST)
def test_an_agent_starts_with_the_tools_its_source_grants_and_no_others(cli, station):
    session = station.session(cli, DONE, model=CLAUDE, args=("--agent", "reviewer"))
    assert set(session.offered()) - ALWAYS == {"view", "grep", "glob"}, session.report()
    assert session.model_saw("You change nothing yourself.") == 1


def test_allowed_tools_of_connected_servers_are_offered_and_work(session):
    offered = [name for name in session.offered() if re.match("(tracker|handbook|notes|design|plans|traces)-", name)]
    assert offered == ["handbook-read_page", "handbook-search_pages", "tracker-find_issue", "tracker-open_incident", "tracker-read_issue"]
    # Calls of one turn run at once, so which answer is first is chance.
    answers = "\n".join(session.tool_results())
    assert ["answer of find_issue" in answers, "answer of search_pages" in answers] == [True, True], session.report()


def test_without_a_terminal_nobody_is_asked_to_sign_in(session, station):
    assert lines(station.sink) == [], session.report()


def test_a_server_that_is_switched_off_is_not_started(session, station):
    assert "started" in lines(station.mark("tracker")), session.report()
    assert lines(station.mark("notes")) == []
    assert {"notes", "traces"} <= set(station.settings()[SWITCHED_OFF])


@dataclass
class Evening:
    """What a person's session at the terminal left behind.

    before, after: the settings. kept: the lines of the sink. mode: the sink's. opened: calls of browsers.
    offered: the tools that the model was offered at last.
    """

    before: dict
    after: dict
    kept: list
    mode: int
    opened: list
    offered: list


@pytest.fixture(scope="module")
def evening(cli, station, marks):
    """A person opens the CLI, opens the kept sign-in addresses when it suits, switches a server on, and asks something."""
    remote = [marks / "design", marks / "plans"]
    with station.undone(station.home / ".copilot", station.data, station.marks):
        for mark in remote:
            mark.write_text("", encoding="utf-8")
        before = station.settings()
        with station.terminal(cli, DONE) as (terminal, model):
            terminal.wait_until(lambda: len(lines(station.sink)) == 2, "two addresses in the sink")
            kept, mode, opened = lines(station.sink), station.sink.stat().st_mode & 0o777, lines(station.browsers)
            for address in kept:
                urllib.request.urlopen(address, timeout=SERVER_TIMEOUT).close()
            terminal.enter("/mcp enable notes", lambda: "notes" not in station.settings().get(SWITCHED_OFF, []), "the settings")
            terminal.wait_until(lambda: all("listed" in lines(mark) for mark in (*remote, station.mark("notes"))), "the three servers")
            terminal.enter("go", lambda: model.requests, "a request")
        offered = tools_offered(model.requests[0]["body"])
        yield Evening(before, station.settings(), kept, mode, opened + lines(station.browsers), offered)


@pytest.mark.versions(OLDEST, NEWEST)
def test_sign_in_addresses_are_kept_for_later_and_open_nothing(evening, station):
    servers = sorted(address.replace("/authorize", "/mcp") for address in (line.partition("?")[0] for line in evening.kept))
    assert servers == sorted([station.addresses["design"], station.addresses["plans"]])
    assert evening.mode == 0o600
    assert evening.opened == []
    # They were opened by hand, and then the servers were there.
    assert {"design-draw", "plans-read_plan"} <= set(evening.offered)


@pytest.mark.versions(OLDEST, NEWEST)
def test_a_server_switched_on_by_hand_stays_on(cli, evening, station):
    # What the CLI writes: the name goes from the list, and nothing says that it was ever in it.
    rest = [name for name in evening.before[SWITCHED_OFF] if name != "notes"]
    assert evening.after == dict(evening.before, **{SWITCHED_OFF: rest})
    assert "notes-read_note" in evening.offered
    output = station.site()
    assert "changed=0" in output.rpartition("PLAY RECAP")[2], output
    assert station.settings()[SWITCHED_OFF] == rest
    session = station.session(cli, DONE)
    assert "notes-read_note" in session.offered(), session.report()


def test_without_the_product_a_browser_opens(make_scratch_user, start_server):
    """What the sink keeps from happening. The address is good for as long as the session that asked for it lives."""
    user = make_scratch_user()
    server = {"type": "http", "url": start_server("sign-in", "--tools", "draw"), "auth": False, "oidc": False, "tools": ["*"]}
    user.write(".copilot/mcp-config.json", json.dumps({"mcpServers": {"design": server}}))
    user.write(".copilot/config.json", json.dumps({"trustedFolders": [str(user.home / "work")]}))
    env = {"PATH": f"{fake_browsers(user)}:/usr/local/bin:/usr/bin:/bin"}
    with interactive(installed("copilot", NEWEST), user.home, DONE, user=user.name, env=env) as (terminal, _model):
        terminal.wait_until((user.home / "browsers").exists, "a browser")
    address = (user.home / "browsers").read_text(encoding="utf-8").split()[-1]
    assert "/authorize?" in address
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=SERVER_TIMEOUT)
