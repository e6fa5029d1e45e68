# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tool call waits for the guard: the wrapper as deployed on a scratch account, beside what any Python hook pays.

Whole processes, from spawn to exit, in turn (bare start, small call, large call, bare start, ...), so that what else the
machine does meets all alike. Prints a table and one line of JSON. With BENCH_STRICT=1 the exit code is 1 when the harmless
call costs more than TARGET times the bare start.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests"), str(CHECKOUT / "tests" / "fleet")]

from conftest import ScratchUser  # noqa: E402
from playbook import Controller  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "60"))
WARM_UP = 5  # rounds that are not counted
TARGET = 1.5  # harmless call : bare start
BARE_START = "bare Python start"
HARMLESS = "harmless bash call"
LARGE = "write of 100 kB"


def call(tool, arguments):
    """The bytes Copilot 1.0.102 hands to a preToolUse hook, the keys as in tests/payloads."""
    payload = {"sessionId": "0a1b2c3d-0000-4000-8000-000000000000", "timestamp": 1796000000000, "cwd": "/home", "toolName": tool, "toolArgs": arguments}
    return json.dumps(payload, separators=(",", ":")).encode()


def source_text(size):
    """Return about size bytes of plausible source code without a secret in it."""
    lines, length = [], 0
    while length < size:
        number = len(lines)
        lines.append("def handler_%d(request, session):  # row %d\n    return session.get(request.path, default=%d)\n" % (number, number, number * 7))
        length += len(lines[-1])
    return "".join(lines)[:size]


def deploy(user):
    """Put the runtime and its registration on the account, by the product's own modules. Returns the wrapper's path."""
    collections = pathlib.Path(tempfile.mkdtemp(prefix="agentihooks-bench-"))
    collections.chmod(0o755)
    subprocess.run([str(CHECKOUT / "scripts" / "copy-checkout.sh"), str(collections)], check=True)
    controller = Controller(user, collections)
    # With a file of variables, which the runtime reads where no shell exported the channels and there is something to hear.
    environment = {"TEAM_TOKEN_%d" % number: "x" * 40 for number in range(10)}
    directives = {"channels": ["brain", "amygdala"], "suppressBrowserLaunch": True}
    run = controller.tasks(("hooks_runtime", {"environment": environment, "directives": directives}), ("copilot_hooks", {}))
    shutil.rmtree(str(collections))
    shutil.rmtree(str(controller.scratch))
    assert run.code == 0, run.output
    return user.home / ".copilot" / "agentihooks-hook.sh"


def seconds(command, stdin, environment):
    """Return the wall time of one run of command, from spawn to exit, in seconds."""
    null = os.open(os.devnull, os.O_RDWR)
    source = os.open(stdin, os.O_RDONLY)
    redirect = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    started = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=redirect)
    status = os.waitpid(process, 0)[1]
    taken = time.perf_counter() - started
    os.close(source)
    os.close(null)
    assert status == 0, "%s ended with wait status %d" % (command, status)
    return taken


def measure(user, competitors, environment):
    """Return name -> list of seconds. competitors: (name, command, path of stdin). Runs as the account, in a child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(user.gid)
        os.setuid(user.uid)
        os.chdir(str(user.home))
        taken = {name: [] for name, _command, _stdin in competitors}
        for number in range(WARM_UP + ROUNDS):
            for name, command, stdin in competitors:
                took = seconds(command, stdin, environment)
                if number >= WARM_UP:
                    taken[name].append(took)
        with os.fdopen(writer, "w") as out:
            json.dump(taken, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as results:
        text = results.read()
    assert os.waitpid(child, 0)[1] == 0, "the measuring process failed"
    return json.loads(text)


def main():
    user = ScratchUser()
    try:
        wrapper = deploy(user)
        python = os.path.realpath(str(user.home / ".agentihooks" / "runtime" / "current" / "python"))
        environment = user.environment({"COPILOT_CLI_BINARY_VERSION": "1.0.102"})
        inputs = {
            HARMLESS: call("bash", {"command": "ls -la src", "description": "List the sources"}),
            LARGE: call("create", {"path": str(user.home / "work" / "handlers.py"), "file_text": source_text(100_000)}),
        }
        # What is measured is a guard at work: it denies what it must, and lets these two calls through in silence.
        leak = user.run([wrapper, "preToolUse"], input=call("bash", {"command": "cat ~/.ssh/id_rsa"}).decode(), env=environment)
        assert json.loads(leak.stdout)["permissionDecision"] == "deny", leak.stdout
        for name, payload in inputs.items():
            done = user.run([wrapper, "preToolUse"], input=payload.decode(), env=environment)
            assert (done.stdout, done.stderr) == ("", ""), "%s was not let through: %s%s" % (name, done.stdout, done.stderr)

        competitors = [(BARE_START, ["/bin/sh", "-c", 'exec "$0" -I -S -c "import json,re"', python], os.devnull)]
        for name, payload in inputs.items():
            stdin = str(user.write("inputs/%s.json" % name.replace(" ", "-"), payload))
            competitors.append((name, [str(wrapper), "preToolUse"], stdin))
        taken = measure(user, competitors, environment)
    finally:
        user.remove()

    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    medians = {name: statistics.median(taken[name]) for name in taken}
    ratios = {name: medians[name] / medians[BARE_START] for name in taken}
    print("%s, %d rounds in turn, whole processes, milliseconds" % (version, ROUNDS))
    print("%-20s %8s %8s %8s %7s" % ("", "median", "10%", "90%", "ratio"))
    for name, values in taken.items():
        tenths = statistics.quantiles(values, n=10)
        print("%-20s %8.1f %8.1f %8.1f %6.2fx" % (name, medians[name] * 1000, tenths[0] * 1000, tenths[-1] * 1000, ratios[name]))
    met = ratios[HARMLESS] <= TARGET
    print("target for the harmless call: at most %.1fx the bare start: %s" % (TARGET, "met" if met else "MISSED"))
    rounded = {"python": version.split()[1], "rounds": ROUNDS, "target": TARGET, "met": met}
    print(json.dumps(dict(rounded, median_ms={n: round(v * 1000, 2) for n, v in medians.items()}, ratio={n: round(v, 3) for n, v in ratios.items()})))
    return 1 if os.environ.get("BENCH_STRICT") == "1" and not met else 0


if __name__ == "__main__":
    sys.exit(main())
