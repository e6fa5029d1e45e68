# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command "agentihooks": a person at a terminal may unlock, nothing that an agent CLI starts can, in no disguise."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time

import pytest
from agentihooks import operator_check

SESSION = "0b5c3c1e-0000-4000-8000-000000000001"
UNLOCK = ("unlock", "git", "--session", SESSION)


def at_terminal(argv, env):
    """Run argv on a terminal of its own, as its foreground process. Returns (exit code, what it showed)."""
    child, master = pty.fork()
    if child == 0:
        try:
            os.chdir(env["HOME"])  # nohup writes a file where it is
            os.execve(argv[0], argv, env)
        finally:
            os._exit(99)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([master], [], [], 1.0)[0]:
            try:
                data = os.read(master, 4096)
            except OSError:
                break
            if not data:
                break
            shown += data
    os.close(master)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status), shown.decode("utf-8", "replace")


@pytest.fixture
def person(installed, monkeypatch):
    """A function (words) -> (exit code, text): the command as a person runs it. The tests themselves may be started by a CLI."""
    command = str(installed.command())
    own = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin", "TERM": "dumb"}
    agent = operator_check.agent_above(os.getpid())
    if agent:
        pytest.skip("the tests run below an agent CLI: " + agent)

    def run(*words, wrap=(), env=None):
        return at_terminal(list(wrap) + [command] + list(words), own if env is None else env)

    run.env = own
    run.command = command
    return run


def unlocked(installed):
    return {path.name: json.loads(path.read_text())["guards"] for path in installed.data.glob("unlocks/*.json")}


def test_a_person_unlocks_and_locks_again(person, installed):
    code, text = person(*UNLOCK)
    assert code == 0 and "git is unlocked for session " + SESSION in text, text
    until = unlocked(installed)[SESSION + ".json"]["git"]
    assert 1700 < until - time.time() <= 1800
    push = {"sessionId": SESSION, "cwd": "/", "toolName": "bash", "toolArgs": {"command": "git push origin main"}}
    done = installed.run("preToolUse", push, "1.0.102")
    assert (done.returncode, done.stdout) == (0, b"") and b"unlocked until" in done.stderr
    assert installed.run("preToolUse", dict(push, sessionId="other"), "1.0.102").stdout
    code, text = person("status")
    assert code == 0 and "git for session " + SESSION in text
    assert person("lock")[0] == 0
    denied = json.loads(installed.run("preToolUse", push, "1.0.102").stdout)
    assert "%s unlock git --session %s" % (person.command, SESSION) in denied["permissionDecisionReason"]


@pytest.mark.parametrize(
    "words, text",
    [(("unlock", "secret"), "floor"), (("unlock", "credential.file"), "floor"), (("unlock", "self"), "floor"),
     (("unlock", "git", "--minutes", "0"), "--minutes"),
     (("unlock", "git", "--minutes", "999"), "--minutes"), (("unlock", "../x"), "no guard or rule"), (("unlock", "git\x1b[2J"), "no guard or rule"),
     (("unlock", "kubectl_mutation"), "is no guard, nor a rule of one; there are "), (("unlock", "secrets"), "is no guard, nor a rule of one; there are ")],
)  # fmt: skip
def test_what_cannot_be_unlocked_says_why(person, installed, words, text):
    code, shown = person(*words, "--session", SESSION)
    assert code == 1 and text in shown and "\x1b" not in shown and "Traceback" not in shown
    assert unlocked(installed) == {}


def test_the_only_session_need_not_be_named(person, installed):
    code, text = person("unlock", "git")
    assert code == 1 and "no session was seen" in text
    code, text = person("unlock", "gti")
    assert code == 1 and "gti is no guard" in text  # what the person typed comes before what is missing
    installed.policy(session_context="x")
    for session in (SESSION, "another"):
        installed.run("userPromptSubmitted", {"sessionId": session, "cwd": "/", "prompt": "hi"})
        code, text = person("unlock", "git")
        assert (code == 0) is (session == SESSION), text
    assert SESSION in text and "another" in text and "--session" in text


def refused(installed, argv, env, **options):
    done = subprocess.run(argv, env=env, capture_output=True, timeout=60, check=False, **options)
    assert unlocked(installed) == {}, (argv, done)
    return done


def test_without_a_terminal_nothing_is_unlocked(person, installed):
    done = refused(installed, [person.command, *UNLOCK], person.env, stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and b"no terminal" in done.stderr
    refused(installed, [person.command, *UNLOCK], person.env, input=b"y\n")
    master, slave = pty.openpty()  # a terminal that is not this process's own
    done = refused(installed, ["/usr/bin/setsid", "-w", person.command, *UNLOCK], person.env, stdin=slave)
    assert done.returncode == 1 and b"terminal" in done.stderr
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("mark", operator_check.MARKS)
def test_the_environment_of_a_cli_gives_it_away(person, installed, mark):
    code, text = person(*UNLOCK, env=dict(person.env, **{mark: "1"}))
    assert code == 1 and mark in text and unlocked(installed) == {}


def cli(directory, kind):
    """A program that runs its arguments and looks like an agent CLI. Returns argv to put in front."""
    source = "import subprocess, sys\nsys.exit(subprocess.call(sys.argv[1:]))\n"
    if kind in ("copilot", "codex", "codex-x86_64-unknown-linux-musl"):  # the native program
        path = directory / kind
        shutil.copy(os.path.realpath(sys.executable), path)
        return [str(path), "-c", source], {"PYTHONHOME": sys.base_prefix}
    package = directory / "node_modules" / kind
    package.mkdir(parents=True)
    (package / "index.js").write_text(source)
    return [sys.executable, str(package / "index.js")], {}


FORMS = ["copilot", "codex", "codex-x86_64-unknown-linux-musl", "@github/copilot", "@openai/codex", "@github/copilot-linux-x64"]
DISGUISES = {
    "direct": [], "script": ["/usr/bin/script", "-qec", "@@", "/dev/null"], "shell": ["/bin/sh", "-c", "@@; true"], "env -i": ["/usr/bin/env", "-i"],
    "setsid": ["/usr/bin/setsid", "-w"], "nohup": ["/usr/bin/nohup"], "timeout": ["/usr/bin/timeout", "50"],
    "python pty": [sys.executable, "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"],
    "detached": [sys.executable, "-c", "import os, pty, sys, time\nif os.fork(): time.sleep(3); sys.exit(1)\nos.setsid(); pty.spawn(sys.argv[1:])"],
}  # fmt: skip


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("form", ["copilot", "@openai/codex"])
def test_below_a_cli_no_disguise_unlocks(person, installed, tmp_path, form, disguise):
    front, extra = cli(tmp_path, form)
    call = [person.command, *UNLOCK]
    wrap = DISGUISES[disguise]
    if any("@@" in word for word in wrap):
        wrap, call = [word.replace("@@", " ".join(call)) for word in wrap], []
    if wrap and not shutil.which(wrap[0]):
        pytest.skip("no %s here" % wrap[0])
    code, text = at_terminal(front + wrap + call, dict(person.env, **extra))
    assert unlocked(installed) == {} and (code != 0 or disguise == "shell"), text
    assert "only a person" in text or disguise in ("nohup", "detached"), text


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_clis_is_known(person, installed, tmp_path, form):
    front, extra = cli(tmp_path, form)
    code, text = at_terminal(front + [person.command, *UNLOCK], dict(person.env, **extra))
    assert code == 1 and "agent CLI" in text and unlocked(installed) == {}, text


def test_a_copy_under_another_name_is_the_same_command(person, installed, tmp_path):
    front, extra = cli(tmp_path, "copilot")
    shutil.copy(person.command, tmp_path / "ah")
    code, text = at_terminal(front + [str(tmp_path / "ah"), *UNLOCK], dict(person.env, **extra))
    assert code == 1 and unlocked(installed) == {}, text


@pytest.mark.parametrize(
    "name, executable, arguments, agent",
    [("bash", "/usr/bin/bash", ["-bash"], False), ("node", "/usr/bin/node", ["node", "/srv/app/copilot-plan/index.js"], False),
     ("vim", "/usr/bin/vim", ["vim", "codex.md"], False),
     ("MainThread", "/opt/x/copilot (deleted)", [""], True), ("node", "/usr/bin/node", ["node", "/usr/lib/node_modules/@openai/codex/bin/codex.js"], True),
     ("node", "", ["node", "/home/u/.local/bin/copilot"], True), ("copilot", "", [], True), ("codex", "", [], True),
     ("node", "", ["node", "--x", "/a/codex.js"], True)],
)  # fmt: skip
def test_what_is_an_agent(name, executable, arguments, agent):
    assert operator_check.is_agent(name, executable, arguments) is agent


def test_a_process_that_cannot_be_looked_at_counts_as_the_cli(tmp_path):
    assert "cannot be looked at" in operator_check.agent_above(4242, str(tmp_path))
    (tmp_path / "4242").mkdir()
    (tmp_path / "4242" / "stat").write_text("4242 (a) b) S 1 0\n")
    (tmp_path / "4242" / "cmdline").write_bytes(b"bash\0")
    assert "cannot be looked at" in operator_check.agent_above(4242, str(tmp_path))
    (tmp_path / "1").mkdir()
    assert operator_check.agent_above(4242, str(tmp_path)) == ""


def test_status_shows_denials_exceptions_and_sign_ins(person, installed):
    installed.policy(guard_exceptions=[{"rule": "git.push", "match": "x", "reason": "old", "expires": "2020-01-01"}, {"rule": "secret", "match": "x"}])
    installed.run("preToolUse", {"sessionId": SESSION, "cwd": "/", "toolName": "bash", "toolArgs": {"command": "cat ~/.ssh/id_rsa"}}, "1.0.102")
    (installed.home / ".copilot" / "pending-oauth-urls.txt").write_text("2026-12-02 https://example.com/login?x=1\x1b[2J\nno address\nhttps://example.com/b\n")
    code, text = person("status")
    assert code == 0 and "Traceback" not in text and "\x1b" not in text
    assert "credential.file" in text and SESSION in text
    assert "IGNORED: expired" in text and "IGNORED: match" not in text and text.count("IGNORED") == 2
    assert "https://example.com/login?x=1" in text and "https://example.com/b" in text
    assert "works only while the Copilot session that asked for it is still running" in " ".join(text.split())
    assert str(installed.home / ".copilot" / "pending-oauth-urls.txt") in text
    elsewhere = installed.home / "else where"
    elsewhere.mkdir()
    (elsewhere / "pending-oauth-urls.txt").write_text("https://example.com/other\n")
    text = person("status", env=dict(person.env, COPILOT_HOME=str(elsewhere)))[1]
    assert "https://example.com/other" in text and "example.com/login" not in text and str(elsewhere / "pending-oauth-urls.txt") in text


def test_status_of_an_empty_home(person):
    code, text = person("status")
    assert code == 0 and text.count("none") == 5 and "still running" not in text


@pytest.mark.parametrize("words", [(), ("zzz",), ("unlock",)])
def test_a_wrong_call_shows_the_usage(person, words):
    code, text = person(*words)
    assert code == 2 and "usage: agentihooks" in text
