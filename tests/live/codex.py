# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one session of a real Codex CLI against the scripted model, and hand back everything a test may assert on.

Without login, credits or internet: a custom model provider on loopback is given on the command line, so the configuration
home stays the product's alone. Everything the CLI writes stays in the scratch home (through CODEX_HOME and TMPDIR).
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

from clis import Cli
from scripted_model import ScriptedModel
from session import TIMEOUT, ModelSession, Scratch, call, strings_in
from terminal import Terminal

# The model's name selects the tool set the CLI offers: exec_command and apply_patch.
MODEL = "gpt-5.5"
# This one offers sub-agents too.
SUB_AGENT_MODEL = "gpt-5.4"
# 0.171.0 offers this one nothing but a tool that runs JavaScript, in which the other tools are functions.
CODE_MODE_MODEL = "gpt-5.6-sol"

# Only the hooks may stand between the model and the machine.
NO_SANDBOX = ("--dangerously-bypass-approvals-and-sandbox",)
BYPASS_HOOK_TRUST = ("--dangerously-bypass-hook-trust",)


@dataclass(frozen=True)
class Session(ModelSession):
    """What one run of the CLI left behind. rollouts: the session files this run wrote or added to, the main thread's first."""

    rollouts: list

    def tool_results(self) -> list[str]:
        items = self.requests[-1]["input"] if self.requests else []
        outputs = [item for item in items if item.get("type") in ("function_call_output", "custom_tool_call_output")]
        return ["\n".join(strings_in(item.get("output"))) for item in outputs]

    def session_id(self) -> str:
        """Return the id that `codex exec resume` takes."""
        meta = json.loads(self.rollouts[0].read_text(encoding="utf-8").splitlines()[0])
        return meta["payload"]["id"]


def shell(command: str) -> dict:
    """Return a call of the shell tool for a step."""
    return call("exec_command", cmd=command)


def apply_patch(*lines: str) -> dict:
    """Return a call of apply_patch for a step; lines: what stands between the marks of a patch."""
    return {"name": "apply_patch", "input": "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])}


def mcp_tool(server: str, tool: str, **arguments) -> dict:
    """Return a call of an MCP server's tool for a step."""
    return {"name": tool, "namespace": f"mcp__{server}", "arguments": arguments}


def code(script: str) -> dict:
    """Return a call of code mode's one tool for a step."""
    return {"name": "exec", "input": script}


class TypingModel(ScriptedModel):
    """A model that types into the session it was last told of: a call of write_stdin gets that session's number."""

    def take(self, path, body):
        step, number = super().take(path, body)
        opened = re.findall(r"session ID (\d+)", " ".join(strings_in(body)))
        calls = [dict(each, arguments=dict(each["arguments"], session_id=int(opened[-1]))) if each["name"] == "write_stdin" else each
                 for each in step.get("calls", [])]
        return (dict(step, calls=calls) if calls else step), number


def type_in(text: str) -> dict:
    """Return a call that types into the open session; for TypingModel."""
    return call("write_stdin", chars=text, yield_time_ms=1000)


def open_session(command: str) -> dict:
    """Return a call that starts a command and leaves it running, with a terminal to type into."""
    return call("exec_command", cmd=command, tty=True, yield_time_ms=1000)


def spawn_agent(message: str, **more) -> dict:
    """Return a call that starts a sub-agent for a step; it works on while the main thread does. more: further arguments."""
    return {"name": "spawn_agent", "namespace": "multi_agent_v1", "arguments": {"message": message, **more}}


@contextlib.contextmanager
def interactive(cli: Cli, home: Path, *, user: str):
    """Open the CLI as a person does, on a terminal, with a model that is never asked; gives the Terminal. Killed at the end."""
    scratch = Scratch(home, None, user)
    with ScriptedModel([{"text": "done"}]) as scripted:
        # A daemon would outlive the session, and is 400 MB to copy.
        command = [str(cli.binary), *provider(scripted.base_url), "-c", "features.daemon_auto_start=false", "-m", MODEL]
        with Terminal(command, environment(home, scratch), scratch.cwd, scratch.identity()) as terminal:
            yield terminal


def run(
    cli: Cli, home: Path, steps: list, *, prompt: str = "go", model: str = MODEL, cwd: Path | None = None, user: str | None = None,
    codex_home: Path | None = None, env: dict | None = None, args: tuple = NO_SANDBOX, resume: str | None = None, timeout: float = TIMEOUT,
    scripted_model: type = ScriptedModel, launcher: tuple = (),
) -> Session:
    """Run `codex exec PROMPT` once and return the Session.

    home: a scratch home. user: name of the account to run as (its own files), default the caller's.
    cwd: default home/work, made when missing. env: added last. args: further options. resume: id of a session to go on with.
    timeout: seconds, then the whole process group is killed and SessionTimeout raised. scripted_model: what plays the steps.
    launcher: words before the CLI's path, to start it through another program.
    """
    scratch = Scratch(home, cwd, user)
    config_home = codex_home or home / ".codex"
    if not config_home.exists():
        # The CLI wants its home to exist.
        config_home.mkdir(mode=0o700)
        scratch.give(config_home)
    before = _sizes(config_home)
    with scripted_model(steps) as scripted:
        options = ["-m", model, "--skip-git-repo-check", *provider(scripted.base_url), *args]
        command = [*launcher, str(cli.binary), "exec", "--color", "never", *(["resume", resume] if resume else []), *options, prompt]
        exit_code, stdout, stderr = scratch.run(command, environment(home, scratch, codex_home, env), timeout)
    rollouts = [path for path, size in sorted(_sizes(config_home).items()) if before.get(path) != size]
    return Session(exit_code, stdout, stderr, [request["body"] for request in scripted.requests], rollouts)


def provider(base_url: str) -> list[str]:
    """Return the options that make a scripted model the model."""
    table = f'{{name="scripted",base_url="{base_url}",wire_api="responses",request_max_retries=0,stream_max_retries=0}}'
    return ["-c", 'model_provider="scripted"', "-c", f"model_providers.scripted={table}"]


def environment(home: Path, scratch: Scratch, codex_home: Path | None = None, env: dict | None = None) -> dict:
    """Return the environment of a session: nothing is inherited, env is added last."""
    found = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(home), "TMPDIR": str(scratch.tmp)}
    if codex_home is not None:
        found["CODEX_HOME"] = str(codex_home)
    found.update(env or {})
    return found


def _sizes(config_home: Path) -> dict:
    return {path: path.stat().st_size for path in config_home.glob("sessions/*/*/*/rollout-*.jsonl")}


class AppServer:
    """A running `codex app-server`, the JSON-RPC side that the TUI and IDEs use. Use app_server()."""

    def __init__(self, process):
        self._process = process
        self._number = 0

    def ask(self, method: str, **params):
        """Return the result of a request. Raises RuntimeError with the server's error."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
        raise RuntimeError(f"{method}: the server ended: {self._process.stderr.read()}")

    def tell(self, method: str) -> None:
        """Send a notification."""
        self._send({"method": method})

    def messages_until(self, method: str, answer):
        """Return all messages up to the notification `method`. answer: function of a request of the server -> result to send back."""
        seen = []
        for line in self._process.stdout:
            message = json.loads(line)
            seen.append(message)
            if "id" in message and "method" in message:
                self._send({"id": message["id"], "result": answer(message)})
            if message.get("method") == method:
                return seen
        raise RuntimeError(f"the server ended before {method}: {self._process.stderr.read()}")

    def _send(self, message):
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextlib.contextmanager
def app_server(cli: Cli, home: Path, *, user: str | None = None, codex_home: Path | None = None, options: list | tuple = ()):
    """Start `codex app-server` in a scratch home for the block, give an AppServer, and stop it."""
    scratch = Scratch(home, None, user)
    identity = {} if scratch.account is None else {"user": scratch.account.pw_uid, "group": scratch.account.pw_gid, "extra_groups": []}
    process = subprocess.Popen(
        [str(cli.binary), "app-server", *options], env=environment(home, scratch, codex_home), cwd=scratch.cwd, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **identity,
    )
    # A server that does not answer ends the test instead of hanging it.
    limit = threading.Timer(TIMEOUT, process.kill)
    limit.start()
    try:
        server = AppServer(process)
        server.ask("initialize", clientInfo={"name": "agentihooks-tests", "version": "1"})
        server.tell("initialized")
        yield server
    finally:
        limit.cancel()
        process.kill()
        process.communicate()


def hooks_listed(cli: Cli, home: Path, *, user: str | None = None, codex_home: Path | None = None) -> tuple[list, list]:
    """Return (hooks, warnings) as the CLI itself lists them, each hook with key, currentHash, trustStatus and enabled."""
    with app_server(cli, home, user=user, codex_home=codex_home) as server:
        (found,) = server.ask("hooks/list", cwds=[str(home / "work")])["data"]
    return found["hooks"], found["warnings"] + found["errors"]
