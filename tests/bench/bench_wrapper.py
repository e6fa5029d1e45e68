# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a session waits for the guards: the wrapper as deployed on a scratch account, beside what any Python hook pays.

Default guards, with what a session has after a while: its state file, a failure in it, broadcasts that it has been given. Whole
processes, from spawn to exit, in turn (bare start, small call, large call, bare start, ...), so that what else the machine does
meets all alike; a ratio is the median of the quotients of each round. Prints a table and one line of JSON. With BENCH_STRICT=1
the exit code is 1 when one of TARGETS is missed. On a busy machine the ratios of the waiting time rise: repeat it when nothing
else runs. The processor time, its children's included, is printed beside it and suffers less.
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
BARE_START = "bare Python start"
HARMLESS = "harmless bash call"
FIRST_PROMPT = "first prompt, 250 kB"
LARGE = "write of 1 MB"
BATCH = "batch of 40 calls"
WALL, CPU = 0, 1
# What is measured -> (the most it may cost, times what).
TARGETS = {HARMLESS: (1.5, BARE_START), FIRST_PROMPT: (3.0, BARE_START), LARGE: (4.0, BARE_START), BATCH: (2.0, HARMLESS)}
SESSION = "0a1b2c3d-0000-4000-8000-%012d"
OWN_RULES = "1.0.83"  # the last measured Copilot that does not load a repository's rules by itself
CURRENT = "1.0.102"


def call(tool, arguments):
    """The bytes Copilot 1.0.102 hands to a preToolUse hook, the keys as in tests/payloads."""
    return packed({"sessionId": SESSION % 0, "timestamp": 1796000000000, "cwd": "/home", "toolName": tool, "toolArgs": arguments})


def packed(payload):
    return json.dumps(payload, separators=(",", ":")).encode()


def batch(count):
    """Return the payload of a Copilot that asks about all calls of a turn at once."""
    calls = [{"id": str(number), "name": "bash", "args": json.dumps({"command": "ls -la src/part%d" % number})} for number in range(count)]
    return packed({"sessionId": SESSION % 0, "timestamp": 1796000000000, "cwd": "/home", "toolCalls": calls})


def first_prompts(user, count):
    """Return the payloads of count sessions that begin in a trusted repository with 250 kB of rules."""
    project = user.home / "project"
    user.write(str(project / ".git" / "HEAD"), "ref: refs/heads/topic\n")
    for number in range(25):
        user.write(str(project / ".claude" / "rules" / ("%02d.md" % number)), ("- Write tests for what you change, rule %02d.\n" % number) * (10_000 // 46))
    user.write(str(user.home / ".copilot" / "config.json"), json.dumps({"trustedFolders": [str(project)]}))
    prompt = {"timestamp": 1796000000000, "cwd": str(project), "prompt": "Go on with the parser."}
    return [packed(dict(prompt, sessionId=SESSION % (1000 + number))) for number in range(count)]


def age(user, wrapper, environment):
    """Give the session what one has after a while: a state file with broadcasts it was given and a failure."""
    command = user.home / ".agentihooks" / "bin" / "agentihooks"
    for number in range(3):
        done = user.run([command, "broadcast", "Message %d for the sessions of this machine." % number, "--ttl", "8h"])
        assert done.returncode == 0, done.stderr
    failed = json.loads(call("bash", {"command": "make build"}))
    failed["toolResult"] = {"resultType": "success", "textResultForLlm": "make: *** No rule.  Stop.\n<shellId: 0 completed with exit code 2>"}
    user.run([wrapper, "postToolUse"], input=packed(failed).decode(), env=environment)
    given = user.run([wrapper, "preToolUse"], input=call("bash", {"command": "ls"}).decode(), env=environment)
    assert "Message 2" in given.stdout, given
    kept = json.loads((user.home / ".agentihooks" / "state" / (SESSION % 0 + ".json")).read_text())
    assert len(kept["context"]["given"]) == 3 and kept["breaker"]["calls"], kept


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
    """Return (wall time, processor time) of one run of command, from spawn to exit, in seconds."""
    null = os.open(os.devnull, os.O_RDWR)
    source = os.open(stdin, os.O_RDONLY)
    redirect = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    started = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=redirect)
    _process, status, used = os.wait4(process, 0)
    taken = time.perf_counter() - started
    os.close(source)
    os.close(null)
    assert status == 0, "%s ended with wait status %d" % (command, status)
    return taken, used.ru_utime + used.ru_stime


def measure(user, competitors):
    """Return name -> list of (wall, processor) seconds. competitors: (name, command, paths of stdin in turn, environment). Runs as the account, in a child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(user.gid)
        os.setuid(user.uid)
        os.chdir(str(user.home))
        taken = {competitor[0]: [] for competitor in competitors}
        for number in range(WARM_UP + ROUNDS):
            for name, command, paths, environment in competitors:
                took = seconds(command, paths[number % len(paths)], environment)
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
        environment = user.environment({"COPILOT_CLI_BINARY_VERSION": CURRENT})
        reading = user.environment({"COPILOT_CLI_RESOLVED_DIST_DIR": "/x/" + OWN_RULES, "COPILOT_CLI_BINARY_VERSION": OWN_RULES})
        prompts = first_prompts(user, WARM_UP + ROUNDS + 1)
        age(user, wrapper, environment)
        inputs = {
            HARMLESS: call("bash", {"command": "ls -la src", "description": "List the sources"}),
            LARGE: call("create", {"path": str(user.home / "work" / "handlers.py"), "file_text": source_text(1_000_000)}),
            BATCH: batch(40),
        }
        # What is measured is a guard at work: it denies what it must, lets these calls through in silence, and adds the rules to a prompt.
        leak = user.run([wrapper, "preToolUse"], input=call("bash", {"command": "cat ~/.ssh/id_rsa"}).decode(), env=environment)
        assert json.loads(leak.stdout)["permissionDecision"] == "deny", leak.stdout
        for name, payload in inputs.items():
            done = user.run([wrapper, "preToolUse"], input=payload.decode(), env=environment)
            assert (done.stdout, done.stderr) == ("", ""), "%s was not let through: %s%s" % (name, done.stdout[:500], done.stderr)
        bridged = user.run([wrapper, "userPromptSubmitted"], input=prompts.pop().decode(), env=reading)
        assert len(json.loads(bridged.stdout)["additionalContext"]) > 240_000, len(bridged.stdout)

        competitors = [(BARE_START, ["/bin/sh", "-c", 'exec "$0" -I -S -c "import json,re"', python], [os.devnull], environment)]
        for name, payload in inputs.items():
            stdin = str(user.write("inputs/%s.json" % name.replace(" ", "-"), payload))
            competitors.append((name, [str(wrapper), "preToolUse"], [stdin], environment))
        paths = [str(user.write("inputs/prompt-%d.json" % number, payload)) for number, payload in enumerate(prompts)]
        competitors.append((FIRST_PROMPT, [str(wrapper), "userPromptSubmitted"], paths, reading))
        taken = measure(user, competitors)
    finally:
        user.remove()

    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()

    def ratio(name, base, clock):
        return statistics.median(ours[clock] / other[clock] for ours, other in zip(taken[name], taken[base]))

    against = {name: ratio(name, base, WALL) for name, (_most, base) in TARGETS.items()}
    print("%s, %d rounds in turn, whole processes, milliseconds" % (version, ROUNDS))
    print("%-22s %8s %8s %8s %7s %10s %7s" % ("", "median", "10%", "90%", "ratio", "processor", "ratio"))
    for name, values in taken.items():
        walls, used = [value[WALL] * 1000 for value in values], [value[CPU] * 1000 for value in values]
        tenths = statistics.quantiles(walls, n=10)
        print("%-22s %8.1f %8.1f %8.1f %6.2fx %10.1f %6.2fx" % (
            name, statistics.median(walls), tenths[0], tenths[-1], ratio(name, BARE_START, WALL), statistics.median(used), ratio(name, BARE_START, CPU)))
    for name, (most, base) in TARGETS.items():
        verdict = "met" if against[name] <= most else "MISSED"
        print("target: %-22s at most %.1fx the %s: %.2fx, %s (processor %.2fx)" % (name, most, base, against[name], verdict, ratio(name, base, CPU)))
    met = all(against[name] <= most for name, (most, _base) in TARGETS.items())
    rounded = {"python": version.split()[1], "rounds": ROUNDS, "met": met, "target": {name: most for name, (most, _base) in TARGETS.items()}}
    rounded["median_ms"] = {name: round(statistics.median(value[WALL] for value in values) * 1000, 2) for name, values in taken.items()}
    rounded["ratio"] = {name: round(value, 3) for name, value in against.items()}
    rounded["processor_ratio"] = {name: round(ratio(name, base, CPU), 3) for name, (_most, base) in TARGETS.items()}
    print(json.dumps(rounded))
    return 1 if os.environ.get("BENCH_STRICT") == "1" and not met else 0


if __name__ == "__main__":
    sys.exit(main())
