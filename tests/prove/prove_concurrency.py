# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writers and readers at the same files: a reader every millisecond, all modules at once, and a program that rewrites a file every 10 ms.

The rewriting program does what the CLIs do: it reads, changes its own key and renames a new file into place, without a lock.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import tomllib

import driven
from figures import Figures

sys.path.insert(0, str(driven.CHECKOUT / "tests" / "live"))

import clis  # noqa: E402

JSON_FILES = (".copilot/settings.json", ".copilot/mcp-config.json", ".copilot/config.json", ".copilot/hooks/agentihooks.json", ".codex/hooks.json",
              ".copilot/.agentihooks-managed.json", ".codex/.agentihooks-managed.json")  # fmt: skip
TOML_FILES = (".codex/config.toml",)
TEXT_FILES = (".copilot/copilot-instructions.md", ".codex/AGENTS.md", ".bashrc")
DOCUMENTS = [surface for surface in driven.surfaces() if surface.name not in ("runtime",)]


def read_all(home):
    """Parse every managed file. Raises ValueError or OSError for one that is torn, empty or missing."""
    for name in JSON_FILES:
        data = (home / name).read_bytes()
        if not isinstance(driven._jsonc.parse(data).value, dict) or not data.strip():
            raise ValueError("%s is empty" % name)
    for name in TOML_FILES:
        if not tomllib.loads((home / name).read_text(encoding="utf-8")):
            raise ValueError("%s is empty" % name)
    for name in TEXT_FILES:
        if "mine" not in (home / name).read_text(encoding="utf-8").lower() and "My own" not in (home / name).read_text(encoding="utf-8"):
            raise ValueError("%s lost the person's words" % name)


def reader(home, stop, count, failed):
    while not stop.is_set():
        started = time.monotonic()
        try:
            read_all(home)
        except (ValueError, OSError) as error:
            failed.value += 1
            print("reader: %s" % error, flush=True)
        count.value += 1
        time.sleep(max(0.0, 0.001 - (time.monotonic() - started)))


def read_while_written(scratch, figures):
    """1,000 runs that all write, beside a reader."""
    runs = 60 if figures.sample else 1000
    home = scratch.home("read")
    for surface in DOCUMENTS:
        assert driven.run(surface.module, surface.steps["first"], home).ok
    stop, count, failed = multiprocessing.Event(), multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)
    process = multiprocessing.Process(target=reader, args=(home, stop, count, failed))
    process.start()
    bad = 0
    for number in range(runs):
        surface = DOCUMENTS[number % len(DOCUMENTS)]
        done = driven.run(surface.module, surface.steps["first" if number // len(DOCUMENTS) % 2 else "second"], home)
        if not (done.ok and done.result["changed"]):
            bad += 1
            print("%s: %s" % (surface.name, done.text[-500:]), flush=True)
    stop.set()
    process.join()
    figures.add("failures of a reader of every file during %d runs" % runs, 0, "%d in %d passes over all files; %d bad runs" % (failed.value, count.value, bad),
                failed.value == 0 and bad == 0 and count.value > 0)  # fmt: skip


def all_at_once(scratch, figures):
    """Every module twice at the same moment on one fresh home; then each finds nothing left to do."""
    rounds = 3 if figures.sample else 40
    bad = 0
    for number in range(rounds):
        home = scratch.home("once-%d" % number)
        running = []
        for surface in DOCUMENTS * 2:
            output = tempfile.TemporaryFile()
            running.append((surface, driven.start(surface.module, surface.steps["first"], home, output.fileno()), output))
        for surface, child, output in running:
            done = driven.ended(child, output.fileno())
            output.close()
            if not done.ok:
                bad += 1
                print("at once, %s: %s" % (surface.name, done.text[-600:]), flush=True)
        for surface in DOCUMENTS:
            again = driven.run(surface.module, surface.steps["first"], home)
            if not again.ok or again.result["changed"] or again.result["hand_edited"]:
                bad += 1
                print("after all at once, %s: %s" % (surface.name, again.text[-600:]), flush=True)
        read_all(home)
    figures.add("runs that failed or were lost, all modules twice at once, %d rounds" % rounds, 0, bad, bad == 0)


def rewriter(path, stop, count, lost):
    """Count up in the file every 10 ms; a count that is not the last one written was undone by somebody."""
    path, last = str(path), 0
    while not stop.is_set():
        value = driven._jsonc.parse(open(path, "rb").read()).value
        lost.value += value.get("count", 0) != last
        last = value["count"] = value.get("count", 0) + 1
        with open(path + ".new", "w", encoding="utf-8") as stream:
            json.dump(value, stream)
        os.chown(path + ".new", driven.NOBODY, driven.NOBODY)
        os.rename(path + ".new", path)
        count.value += 1
        time.sleep(0.01)


def against_a_rewriter(scratch, figures):
    """A run for each of 500 rounds; after each the run's own value must be there, or the run said to try again."""
    rounds = 40 if figures.sample else 500
    home = scratch.home("rewrite")
    path = home / ".copilot/settings.json"
    stop, count, lost = multiprocessing.Event(), multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)
    process = multiprocessing.Process(target=rewriter, args=(path, stop, count, lost))
    process.start()
    ours, asked = 0, 0
    for number in range(rounds):
        done = driven.run("copilot_settings", {"settings": {"banner": "b%d" % number}}, home)
        if not done.ok:
            asked += "Run again" in (done.result or {}).get("msg", "")
            ours += "Run again" not in (done.result or {}).get("msg", "")
            continue
        time.sleep(0.012)
        if driven._jsonc.parse(path.read_bytes()).value.get("banner") != "b%d" % number:
            ours += 1
            print("lost in round %d: %s" % (number, done.text[-400:]), flush=True)
    stop.set()
    process.join()
    figures.add("updates lost beside a program that rewrites the file every 10 ms, %d rounds" % rounds, "0 of ours, 0 of its",
                "%d of ours, %d of its %d; %d runs asked to run again" % (ours, lost.value, count.value, asked), ours == 0 and lost.value == 0)  # fmt: skip


def cli_command(name, home):
    """Return a function from arguments to the running process of the newest pinned CLI, as the person in their home."""
    cli = clis.installed(name, clis.pinned(name)[-1])
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    environ.update(COPILOT_PKG_CACHE_HOME=str(cli.unpacked), COPILOT_AUTO_UPDATE="false", COPILOT_OFFLINE="true")
    return lambda *arguments: subprocess.Popen(
        [str(cli.binary), *arguments], env=environ, cwd=str(home), user=driven.NOBODY, group=driven.NOBODY, extra_groups=[],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def against_real_clis(scratch, figures):
    """A run beside `mcp add` of the real CLI, which writes the same file; both servers must be there in the end."""
    for target, path, parse, key in (
        ("codex", ".codex/config.toml", lambda data: tomllib.loads(data.decode()), "mcp_servers"),
        ("copilot", ".copilot/mcp-config.json", json.loads, "mcpServers"),
    ):
        rounds = 3 if figures.sample else 100
        home = scratch.home("real-" + target)
        command = cli_command(target, home)
        theirs = ours = failed = asked = 0
        for number in range(rounds):
            process = command("mcp", "add", "theirs%d" % number, "--", "true")
            # The run starts at another moment of the CLI's life in each round.
            time.sleep((number % 20) * (0.002 if target == "codex" else 0.03))
            done = driven.run("mcp_config", {"target": target, "servers": {"ours%d" % number: {"command": "true"}}}, home)
            failed += process.wait(timeout=60) != 0
            asked += not done.ok and "un again" in (done.result or {}).get("msg", "")
            found = parse((home / path).read_bytes())[key]
            theirs += "theirs%d" % number not in found
            if done.ok and "ours%d" % number not in found:
                ours += 1
                print("%s, round %d: ours is gone; %s" % (target, number, done.text[-300:]), flush=True)
        figures.add("updates lost beside the real %s, %d rounds" % (target, rounds), "0 of ours, 0 of its",
                    "%d of ours, %d of its (%d of its commands failed); %d runs asked to run again" % (ours, theirs, failed, asked),
                    ours == 0 and theirs == 0)  # fmt: skip


def main():
    figures = Figures("concurrency", __doc__)
    driven.warm_up()
    with driven.Scratch() as scratch:
        for part in (read_while_written, all_at_once, against_a_rewriter, against_real_clis):
            started = time.monotonic()
            part(scratch, figures)
            print("%s: %.0f s" % (part.__name__, time.monotonic() - started), flush=True)
    return figures.finish()


if __name__ == "__main__":
    sys.exit(main())
