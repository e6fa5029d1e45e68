# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one session of a real Copilot CLI against the scripted model, and hand back everything a test may assert on.

Without login, credits or internet: the CLI is in offline mode with its own-provider variables pointed at loopback.
Everything it writes stays in the scratch home: settings, session state, logs, and (through TMPDIR and the unpacked
copy beside the pinned CLIs) what would go to /tmp and ~/.cache.
"""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from clis import Cli
from scripted_model import ScriptedModel
from session import TIMEOUT, ModelSession, Scratch, call, strings_in
from terminal import Terminal

# The model's name selects the tool set the CLI offers (contract: gpt has apply_patch and rg; claude has create, edit, grep).
GPT = "gpt-5.4"
CLAUDE = "claude-sonnet-4.5"

# Only the guards may stand between the model and the files, not the CLI's own limit to the working directory.
ANY_PATH = ("--allow-all-paths",)

# Up to 1.0.80 every occurrence of the key's value is masked in what the model sees, so it must be no ordinary text.
API_KEY = "scripted-model-needs-no-key"

# Starts the CLI from an interactive shell, so that what the shell's start files export reaches it.
FROM_SHELL = ("bash", "-ic", 'exec "$@"', "bash")


@dataclass(frozen=True)
class Session(ModelSession):
    """What one run of the CLI left behind.

    log: text of the CLI's own debug log. events: the session logs (events.jsonl) this run wrote or added to, one per session id.
    """

    log: str
    events: list

    def tool_results(self) -> list[str]:
        """Return the text of every tool result in the last request, in the order of the calls: what the model was told about them.

        Calls of one turn run at once, and their results are in the request as they came.
        """
        found, turn = [], []
        for message in [*(self.requests[-1]["messages"] if self.requests else []), {}]:
            if message.get("role") == "tool":
                turn.append(message)
                continue
            found += sorted(turn, key=lambda result: [int(number) for number in re.findall(r"\d+", result.get("tool_call_id", ""))])
            turn = []
        return ["\n".join(strings_in(message.get("content"))) for message in found]

    def offered(self) -> list[str]:
        """Return the names of the tools that the first request offers the model, sorted."""
        return tools_offered(self.requests[0]) if self.requests else []

    def session_id(self) -> str:
        """Return the session's id. Raises ValueError when this run wrote not exactly one session log."""
        return self._only_log().parent.name

    def hook_order(self) -> list[str]:
        """Return the hook events as the CLI itself recorded them, in order."""
        records = [json.loads(line) for line in self._only_log().read_text(encoding="utf-8").splitlines()]
        return [record["data"]["hookType"] for record in records if record["type"] == "hook.start"]

    def _only_log(self) -> Path:
        if len(self.events) != 1:
            raise ValueError(f"want one session log, found {[str(path) for path in self.events]}")
        return self.events[0]


def tools_offered(body: dict) -> list[str]:
    """Return the names of the tools that a request offers the model, sorted."""
    return sorted((tool.get("function") or tool.get("custom") or tool)["name"] for tool in body.get("tools", []))


def bash(command: str) -> dict:
    """Return a call of the shell tool for a step."""
    return call("bash", command=command, description="d")


def sub_agent(prompt: str) -> dict:
    """Return a call that starts a sub-agent and waits for it; the next steps are the sub-agent's."""
    return call("task", name="helper", description="d", agent_type="task", prompt=prompt, mode="sync")


def apply_patch(cli: Cli, patch: str) -> dict:
    """Return a call of apply_patch for a step: a function with one argument up to 1.0.80, a free-form tool since 1.0.83."""
    if cli.version == "1.0.80":
        return call("apply_patch", input=patch)
    return {"name": "apply_patch", "input": patch}


def run(
    cli: Cli, home: Path, steps: list, *, prompt: str = "go", model: str = GPT, cwd: Path | None = None,
    user: str | None = None, copilot_home: Path | None = None, env: dict | None = None, args: tuple = (),
    launcher: tuple = (), timeout: float = TIMEOUT, allow_all_tools: bool = True,
) -> Session:
    """Run `copilot -p PROMPT --allow-all-tools` once and return the Session.

    home: a scratch home. user: name of the account to run as (its own files), default the caller's.
    cwd: default home/work, made when missing. env: added last. args: further options, such as "--resume=ID".
    launcher: words before the command, such as FROM_SHELL.
    timeout: seconds, then the whole process group is killed and SessionTimeout raised.
    allow_all_tools: False leaves that option out.
    """
    scratch = Scratch(home, cwd, user)
    log_dir = _log_directory(scratch)
    config_home = copilot_home or home / ".copilot"
    before = _log_sizes(config_home)
    with ScriptedModel(steps) as scripted:
        environment = _environment(cli, home, scripted, model, copilot_home, env)
        allowed = ["--allow-all-tools"] if allow_all_tools else []
        command = [*launcher, str(cli.binary), "-p", prompt, *allowed, *_options(log_dir), *args]
        code, stdout, stderr = scratch.run(command, environment, timeout)

    log = "".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(log_dir.glob("*.log")))
    events = [path for path, size in sorted(_log_sizes(config_home).items()) if before.get(path) != size]
    return Session(code, stdout, stderr, [request["body"] for request in scripted.requests], log, events)


@contextlib.contextmanager
def interactive(
    cli: Cli, home: Path, steps: list, *, model: str = GPT, user: str | None = None, env: dict | None = None,
    args: tuple = (), launcher: tuple = (),
):
    """Open the CLI as a person does, on a terminal, until it takes input; yields (Terminal, ScriptedModel). Killed at the end.

    The arguments are those of run(). The working directory must be trusted: else the CLI first asks.
    """
    scratch = Scratch(home, None, user)
    log_dir = _log_directory(scratch)
    with ScriptedModel(steps) as scripted:
        environment = _environment(cli, home, scripted, model, None, env)
        command = [*launcher, str(cli.binary), *_options(log_dir), *args]
        with Terminal(command, environment, scratch.cwd, scratch.identity()) as terminal:
            # In the last line that is drawn.
            terminal.wait_until(lambda: "/ commands" in terminal.text(), "the input line")
            yield terminal, scripted


def _options(log_dir: Path) -> list[str]:
    return ["--no-color", "--log-level", "all", "--log-dir", str(log_dir)]


def _log_directory(scratch: Scratch) -> Path:
    """Make and return a new directory for the CLI's debug log."""
    directory = Path(tempfile.mkdtemp(prefix="log-", dir=scratch.directory))
    scratch.give(directory)
    return directory


def _environment(cli: Cli, home: Path, scripted: ScriptedModel, model: str, copilot_home: Path | None, env: dict | None) -> dict:
    # Nothing is inherited: an exported COPILOT_* of the person who runs the tests would change what is tested.
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(home), "TMPDIR": str(home / ".live" / "tmp"),
        "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_MODEL": model,
        "COPILOT_PROVIDER_BASE_URL": scripted.base_url, "COPILOT_PROVIDER_API_KEY": API_KEY,
        "COPILOT_PKG_CACHE_HOME": str(cli.unpacked),
    }
    if copilot_home is not None:
        environment["COPILOT_HOME"] = str(copilot_home)
    environment.update(env or {})
    return environment


def _log_sizes(config_home: Path) -> dict:
    return {path: path.stat().st_size for path in config_home.glob("session-state/*/events.jsonl")}


def unknown_events(log: str) -> list[str]:
    """Return the hook event names the CLI's loader reported as unknown, in the order of its debug log."""
    names = []
    for line in re.findall(r"Ignoring unknown hook event\(s\) in [^:]*: (.*)", log):
        names.extend(re.findall(r"\w+", line))
    return names
