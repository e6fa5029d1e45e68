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
import os
import pwd
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from clis import Cli
from terminal import Terminal

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "files" / "smoke"))
from scripted_model import ScriptedModel  # noqa: E402

# The model's name selects the tool set the CLI offers (contract: gpt has apply_patch and rg; claude has create, edit, grep).
GPT = "gpt-5.4"
CLAUDE = "claude-sonnet-4.5"

# Up to 1.0.80 every occurrence of the key's value is masked in what the model sees, so it must be no ordinary text.
API_KEY = "scripted-model-needs-no-key"

# Seconds. A session takes 2 to 5.
TIMEOUT = 90

# Starts the CLI from an interactive shell, so that what the shell's start files export reaches it.
FROM_SHELL = ("bash", "-ic", 'exec "$@"', "bash")


class SessionTimeout(RuntimeError):
    """The CLI did not end by itself."""


@dataclass(frozen=True)
class Session:
    """What one run of the CLI left behind.

    requests: bodies of the requests the model was sent, in order. log: text of the CLI's own debug log.
    events: the session logs (events.jsonl) this run wrote or added to, one per session id.
    """

    exit_code: int
    stdout: str
    stderr: str
    requests: list
    log: str
    events: list

    def model_saw(self, text: str) -> int:
        """Return how often `text` stands in the request that holds it most often (each request repeats the history)."""
        return max((sum(part.count(text) for part in strings_in(body)) for body in self.requests), default=0)

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

    def report(self) -> str:
        """Return what helps when an assertion on this session fails."""
        results = "\n".join(self.tool_results())
        return f"exit {self.exit_code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}\n--- tool results\n{results}"


def tools_offered(body: dict) -> list[str]:
    """Return the names of the tools that a request offers the model, sorted."""
    return sorted((tool.get("function") or tool.get("custom") or tool)["name"] for tool in body.get("tools", []))


def strings_in(value):
    """Yield every string inside a JSON value: what the model reads, free of JSON's escapes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)


def call(tool: str, /, **arguments) -> dict:
    """Return a tool call for a step."""
    return {"name": tool, "arguments": arguments}


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
    launcher: tuple = (), timeout: float = TIMEOUT,
) -> Session:
    """Run `copilot -p PROMPT --allow-all-tools` once and return the Session.

    home: a scratch home. user: name of the account to run as (its own files), default the caller's.
    cwd: default home/work, made when missing. env: added last. args: further options, such as "--resume=ID".
    launcher: words before the command, such as FROM_SHELL.
    timeout: seconds, then the whole process group is killed and SessionTimeout raised.
    """
    account = pwd.getpwnam(user) if user else None
    cwd = cwd or home / "work"
    log_dir = _make_directories(home, cwd, account)
    config_home = copilot_home or home / ".copilot"
    before = _log_sizes(config_home)
    with ScriptedModel(steps) as scripted:
        environment = _environment(cli, home, scripted, model, copilot_home, env)
        command = [*launcher, str(cli.binary), "-p", prompt, "--allow-all-tools", *_options(log_dir), *args]
        process = subprocess.Popen(
            command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", start_new_session=True, **_identity(account),
        )
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            raise SessionTimeout(f"copilot {cli.version} still ran after {timeout} s\n{stdout}\n{stderr}") from None

    log = "".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(log_dir.glob("*.log")))
    events = [path for path, size in sorted(_log_sizes(config_home).items()) if before.get(path) != size]
    return Session(process.returncode, stdout, stderr, [request["body"] for request in scripted.requests], log, events)


@contextlib.contextmanager
def interactive(
    cli: Cli, home: Path, steps: list, *, model: str = GPT, user: str | None = None, env: dict | None = None,
    args: tuple = (), launcher: tuple = (),
):
    """Open the CLI as a person does, on a terminal, until it takes input; yields (Terminal, ScriptedModel). Killed at the end.

    The arguments are those of run(). The working directory must be trusted: else the CLI first asks.
    """
    account = pwd.getpwnam(user) if user else None
    log_dir = _make_directories(home, home / "work", account)
    with ScriptedModel(steps) as scripted:
        environment = _environment(cli, home, scripted, model, None, env)
        command = [*launcher, str(cli.binary), *_options(log_dir), *args]
        with Terminal(command, environment, home / "work", _identity(account)) as terminal:
            # In the last line that is drawn.
            terminal.wait_until(lambda: "/ commands" in terminal.text(), "the input line")
            yield terminal, scripted


def _options(log_dir: Path) -> list[str]:
    return ["--no-color", "--log-level", "all", "--log-dir", str(log_dir)]


def _make_directories(home: Path, cwd: Path, account) -> Path:
    """Make what a session needs in a scratch home. Returns a new directory for the CLI's debug log."""
    scratch = home / ".live"
    for directory in (cwd, scratch, scratch / "tmp"):
        _make_directory(directory, account)
    log_dir = Path(tempfile.mkdtemp(prefix="log-", dir=scratch))
    _give(log_dir, account)
    return log_dir


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


def _identity(account) -> dict:
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": os.getgrouplist(account.pw_name, account.pw_gid)}


def _give(path: Path, account) -> None:
    if account is not None:
        os.chown(path, account.pw_uid, account.pw_gid)


def _make_directory(path: Path, account) -> None:
    if not path.exists():
        path.mkdir(mode=0o700)
        _give(path, account)


def unknown_events(log: str) -> list[str]:
    """Return the hook event names the CLI's loader reported as unknown, in the order of its debug log."""
    names = []
    for line in re.findall(r"Ignoring unknown hook event\(s\) in [^:]*: (.*)", log):
        names.extend(re.findall(r"\w+", line))
    return names
