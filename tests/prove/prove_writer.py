# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Crashes and faults at the system calls of a converge, for every surface: the first run, an update, and leaving.

strace kills the module at a call, or makes the call fail: once (EIO, EACCES), or from there on (ENOSPC: the disk is full; EROFS: it was
mounted read-only). A kill falls between two calls, so killing before each call that changes something meets every state of the disk.
After each point every file is what it was before or what it was to become, the ledger is not ahead of its file, nothing that holds a
secret can be read by others, what failed said so in one clear line, and the next run arrives where an undisturbed one does (or, every
third time, leaving gives the person's own files back) and the one after that changes nothing.
"""

from __future__ import annotations

import collections
import hashlib
import json
import multiprocessing
import os
import re
import shutil
import stat
import sys
import tempfile
import time

import driven
from figures import Figures

TARGET = 500  # points at least
STEPS = (("mine", "first"), ("first", "second"), ("second", "gone"))
SAMPLE_POINTS = 10  # of each step of each surface; one surface in three then
CHANGING = re.compile(r"^(write|rename|renameat2|unlink|unlinkat|rmdir|mkdir|symlink|symlinkat|chmod|fchmod|fchmodat|fchown|ftruncate|fsync|utimensat"
                      r"|openat\(.*O_CREAT)")  # fmt: skip
# Calls that take a path, so that access to it can be denied.
BY_PATH = ("openat", "newfstatat", "rename", "renameat2", "unlink", "unlinkat", "rmdir", "mkdir", "symlink", "chmod", "listxattr", "readlink")
FULL = ("write", "mkdir", "symlink", "fsync")
READ_ONLY = ("rename", "renameat2", "unlink", "unlinkat", "rmdir", "mkdir", "symlink", "chmod", "fchmod", "ftruncate")
IGNORED = ("ioctl", "lseek", "fcntl", "mmap", "getcwd")
# Of the calls that change nothing, one in so many is made to fail or is died before; all that change something are.
ONE_IN = {"kill": 12, "EIO": 12, "EACCES": 12}

Point = collections.namedtuple("Point", "surface step kind call options")


def calls(lines, home):
    """Return [(name, how often it was called before, the line)] of the traced calls that are about files of the home."""
    seen = collections.Counter()
    found = []
    for line in lines:
        match = re.match(r"(\w+)\(", line)
        if match:
            seen[match.group(1)] += 1
            if str(home) in line and match.group(1) not in IGNORED:
                found.append((match.group(1), seen[match.group(1)] - 1, line))
    return found


def points(surface, step, found):
    """Return the Points of one step. found: of calls()."""
    made = []
    counted = collections.Counter()

    def add(kind, name, line, *options):
        made.append(Point(surface, step, kind, "%s: %s" % (name, line.strip()[:200]), [part for each in options for part in ("-e", each)]))

    for number, (name, before, line) in enumerate(found):
        changes = bool(CHANGING.match(line))
        for kind in ONE_IN:
            counted[kind] += not changes
            if not (changes or counted[kind] % ONE_IN[kind] == 0) or (kind == "EACCES" and name not in BY_PATH):
                continue
            what = "signal=KILL" if kind == "kill" else "error=" + kind
            add(kind, name, line, "inject=%s:%s:when=%d" % (name, what, before + 1))
        for kind, names in (("ENOSPC", FULL), ("EROFS", READ_ONLY)):
            if changes and name in names:
                spans = {each: [at for called, at, _line in found[number:] if called == each] for each in names}
                add(kind, name, line, *["inject=%s:error=%s:when=%d+" % (each, kind, at[0] + 1) for each, at in spans.items() if at])
    return made


class Stage:
    """The homes of one surface: before each step and after it, and their pictures."""

    def __init__(self, scratch, number, surface):
        self.surface = surface
        self.homes, self.pictures = {}, {}
        work = scratch.home("stage-%d-work" % number)
        for name in ("mine", "first", "second", "gone"):
            if name != "mine":
                done = driven.run(surface.module, surface.steps[name], work)
                assert done.ok and done.result["changed"], (surface.name, name, done.text)
            self.homes[name] = scratch.path / ("stage-%d-%s" % (number, name))
            driven.copy(work, self.homes[name])
        shutil.rmtree(work)
        # A run elsewhere would have that place in its files, so each picture is taken where the points are tried.
        self.work = work
        for name, kept in self.homes.items():
            driven.copy(kept, work)
            self.pictures[name] = driven.picture(work)

    def traced(self, before, step):
        """Run one step under strace, undisturbed; return its calls()."""
        driven.copy(self.homes[before], self.work)
        with tempfile.NamedTemporaryFile("r") as log:
            done = driven.injected(self.surface.module, self.surface.steps[step], self.work, ["-y", "-s", "0", "-e", "trace=%file,%desc"], log.name)
            assert done.ok, done.text
            return calls(log.readlines(), self.work)


def tried(stage, point, number):
    """Try one point; return (what is wrong with it as texts, what the module said)."""
    surface, work = stage.surface, stage.work
    before, step = next(pair for pair in STEPS if pair[1] == point.step)
    driven.copy(stage.homes[before], work)
    done = driven.injected(surface.module, surface.steps[step], work, ["-s", "0", "-e", "trace=%file,%desc"] + point.options)
    wrong = []
    old, new, now = stage.pictures[before], stage.pictures[step], driven.picture(work)
    said = ""
    if point.kind == "kill":
        if done.code != -9:
            wrong.append("was not killed: %d %s" % (done.code, done.text[-300:]))
    elif "Traceback" in done.text or done.result is None:
        wrong.append("no clear end: %d %s" % (done.code, done.text[-2500:]))
    elif done.result.get("failed"):
        said = done.result["msg"]
        if str(work) not in said:
            wrong.append("the message names no place: " + said)
    elif _settled(now) != _settled(new):
        wrong.append("said to be done, but %s" % _differing(_settled(now), _settled(new)))
    wrong += _states(old, new, now) + _ledger_ahead(old, new, now) + _readable(work)
    if point.kind not in ("kill", "EROFS") and "unlink" not in point.call.split(":")[0] and done.result is not None:
        wrong += ["left behind: %s" % path for path in driven.temporaries(work)]
    back = number % 3 == 0
    final = "gone" if back else step
    again = driven.run(surface.module, surface.steps[final], work)
    if not again.ok:
        wrong.append("the next run: " + again.text[-1500:])
    elif _settled(driven.picture(work)) != _settled(stage.pictures[final]):
        wrong.append("after the next run (%s): %s" % (final, _differing(_settled(driven.picture(work)), _settled(stage.pictures[final]))))
    third = driven.run(surface.module, surface.steps[final], work)
    if not third.ok or third.result["changed"]:
        wrong.append("the run after that: " + third.text[-600:])
    return wrong, said


def _differing(one, two):
    texts = ["%s %r instead of %r" % (path, one.get(path), two.get(path)) for path in sorted(set(one) | set(two)) if one.get(path) != two.get(path)]
    return "; ".join(texts)[:1500]


def _settled(picture):
    """Return a picture without what depends on history: the backup of the ledger, and the directories of which a killed run made one unnoted."""
    found = {}
    for path, (mode, content) in picture.items():
        if path.endswith(".bak"):
            continue
        if os.path.basename(path) in driven.SIDECARS:
            content = {key: value for key, value in json.loads(content).items() if key != "directories"}
        found[path] = (mode, content)
    return found


def _is_sidecar(path):
    return os.path.basename(path) in driven.SIDECARS


def _states(old, new, now):
    """Return what is neither as before nor as it was to become; of sidecars, what cannot be parsed."""
    wrong = []
    for path in sorted(set(old) | set(new) | set(now)):
        if _is_sidecar(path):
            if path in now:
                try:
                    json.loads(now[path][1])
                except ValueError:
                    wrong.append("torn: " + path)
        elif now.get(path) not in (old.get(path), new.get(path)):
            wrong.append("neither old nor new: %s is %r" % (path, now.get(path)))
    return wrong


def _ledger_ahead(old, new, now):
    """Return the surfaces of which the ledger says that the new file was written though it was not.

    What guards (wrapper and hooks) is noted before it is written, because the next run puts it right whatever the ledger says.
    """
    wrong = []
    for path in now:
        if not path.endswith(driven.SIDECARS[0]):
            continue
        for name, surface in json.loads(now[path][1])["surfaces"].items():
            file = os.path.join(os.path.dirname(path), name)
            if file not in new or "intent" in surface or name.endswith(("hook.sh", "hooks.json", "agentihooks.json")):
                continue
            written = surface.get("written")
            if written == _sha256(new[file]) and now.get(file) != new[file] and written != (_sha256(old[file]) if file in old else None):
                wrong.append("the ledger is ahead of " + file)
    return wrong


def _sha256(entry):
    return hashlib.sha256(entry[1]).hexdigest()


def _readable(home):
    """Return the files that hold a secret and that others may read, and the temporaries that are wider than they need be."""
    wrong = []
    for parent, _directories, names in os.walk(home):
        for name in names:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
                with open(path, "rb") as stream:
                    if driven.SECRET.encode() in stream.read():
                        wrong.append("others may read " + path)
    return wrong


def work(job):
    """In a process of its own: try each point of one surface whose number, divided by the number of workers, leaves this one's."""
    number, sample = job
    surface = driven.surfaces()[number]
    results = []
    with driven.Scratch() as scratch:
        stage = Stage(scratch, number, surface)
        for before, step in STEPS:
            found = points(surface.name, step, stage.traced(before, step))
            if sample:
                found = found[:: max(1, len(found) // SAMPLE_POINTS)]
            for at, point in enumerate(found):
                wrong, said = tried(stage, point, at)
                results.append((point, wrong, said.replace(str(stage.work), "~")))
    return surface.name, results


def main():
    figures = Figures("writer", __doc__)
    driven.warm_up()
    started = time.monotonic()
    numbers = [number for number in range(len(driven.surfaces())) if not figures.sample or number % 3 == int(time.time()) % 3]
    tally, messages, faults = collections.Counter(), collections.Counter(), []
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for name, results in pool.imap_unordered(work, [(number, figures.sample) for number in numbers]):
            kinds = collections.Counter(point.kind for point, _wrong, _said in results)
            bad = [(point, wrong) for point, wrong, _said in results if wrong]
            print("%-34s %5d points (%s), %d faults" % (name, len(results), ", ".join("%s %d" % pair for pair in sorted(kinds.items())), len(bad)), flush=True)
            for point, wrong in bad[:20]:
                print("  FAULT %s %s at %s\n    %s" % (point.step, point.kind, point.call, "\n    ".join(wrong)), flush=True)
            tally.update(kinds)
            messages.update(re.sub(r"[0-9a-z_]{8}\.tmp|-[0-9a-f]{12}|\.\d+", "*", said) for _point, _wrong, said in results if said)
            faults += bad
    print("\nWhat failing runs said:")
    for said, count in messages.most_common(None if not figures.sample else 10):
        print("%5d  %s" % (count, said[:230]))
    total = sum(tally.values())
    print("%.0f s" % (time.monotonic() - started))
    wanted = len(numbers) * 3 if figures.sample else TARGET
    figures.add("crash and fault points tried", "at least %d" % wanted, "%d (%s)" % (total, ", ".join("%s %d" % pair for pair in sorted(tally.items()))),
                total >= wanted)  # fmt: skip
    figures.add("points with a torn file, a ledger ahead, a leak, a traceback or no recovery", 0, len(faults), not faults)
    return figures.finish()


if __name__ == "__main__":
    sys.exit(main())
