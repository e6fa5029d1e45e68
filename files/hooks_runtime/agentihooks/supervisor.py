# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process the CLI waits for: it holds stdout, starts a child that judges, and denies when the child does not answer.

The CLIs let a call through when a hook times out or prints something odd. So the judging runs in a child: whatever happens
there (an exception, a crash of the interpreter, a regular expression or a file that never returns), this side still has its
own deadline, its own answer and the only hold on stdout.
"""

from __future__ import annotations

import json
import os
import select
import time

from agentihooks import event, normalize, policy as policy_file
from agentihooks.event import Deny, Warn
from agentihooks.vocabulary import DECIDING, JUDGED, JUDGED_BY, LOGGED, NOTICE_KEYS, OBSERVED

READ_SIZE = 1 << 16
MAX_INPUT = 64 << 20  # bytes; a payload beyond that is not judged but denied
_REPAIR = "Repair: run the playbook agentihooks.fleet.site for this host; if it happens again, read ~/.agentihooks/logs/hooks.log."


class Failure(Exception):
    """The event could not be judged; the text says why."""


def main(argument, environ):
    """Answer one event. argument: the event's name as registered ("" when the payload has it). Returns the exit code.

    What does not load raises, before stdin is read; main.py hands over to the wrapper then.
    """
    name = normalize.event_name(argument)
    target = environ.get("AGENTIHOOKS_TARGET") or "copilot"
    judged = JUDGED_BY.get(target, JUDGED)
    if name in judged or not argument:
        from agentihooks import pipeline  # before the fork: memory that only the child fills is paid for twice
    data_directory = policy_file.data_directory()
    policy = policy_file.load(os.path.join(data_directory, "policy.json"))
    deadline = time.monotonic() + policy["deadline"]
    payload = {}
    try:
        data = _read_input(deadline)
        if argument and name not in judged + OBSERVED + LOGGED:
            if not name:
                _log_unknown(data_directory, target, argument)
            return 0
        payload = normalize.parse(data)
        name = normalize.event_name(argument, payload)
        if name in LOGGED:
            about = next((payload[key] for key in NOTICE_KEYS if isinstance(payload.get(key), str)), "")
            _log(data_directory, target, name, [("notice", about[:80])], normalize.session_id(payload))
            return 0
        if name not in judged:
            if not name and not (argument or _names_an_event(payload)):
                raise Failure("the hook's input names no event")
            if not name:
                _log_unknown(data_directory, target, payload["hook_event_name"])
            if name not in OBSERVED or not _is_worth_keeping(payload, name, policy, data_directory):
                return 0
            from agentihooks import pipeline
        judge = _Judge(pipeline, target, argument, payload, environ, policy, data_directory)
        outcomes = _in_child(judge, deadline, policy["deadline"])
    except (Failure, normalize.NotUnderstood, OSError, MemoryError) as error:
        outcomes = _failed(str(error) or type(error).__name__, policy, name in DECIDING or not (name or argument))
        if not outcomes:
            _log(data_directory, target, name, [("fault", "runtime.failed: " + str(error))])
    return _answer(target, name, outcomes, payload, environ, data_directory)


def _names_an_event(payload):
    name = payload.get("hook_event_name")
    return isinstance(name, str) and bool(name)


def _is_worth_keeping(payload, name, policy, data_directory):
    """Return whether a finished call is looked at: most are not, and cost no more than this question."""
    if policy["retry_warn"] or policy["retry_block"]:
        from agentihooks import retry_breaker

        if retry_breaker.concerns(payload, name, data_directory):
            return True
    if not policy["tool_memory"]:
        return False
    from agentihooks import tool_memory

    return bool(tool_memory.failure(payload, name))


def _failed(why, policy, deciding):
    """Return the outcomes of an event that could not be judged."""
    if not deciding:
        return []
    from agentihooks import secret_shapes

    why = secret_shapes.redact(why)  # it may name what the caller sent
    if policy["guard_failure"] == "allow":
        return [Warn("runtime.failed", "%s; let through, as this host is set up" % why)]
    return [Deny("runtime.failed", "this call could not be judged (%s), so it is denied." % why, _REPAIR)]


def _answer(target, name, outcomes, payload, environ, data_directory):
    """Write the one answer and return the exit code; a write that fails or stays short is a deny (exit 2)."""
    if not outcomes:
        return 0
    from agentihooks import cli_version, emit

    denied = any(isinstance(item, Deny) for item in outcomes)
    version = cli_version.copilot(environ, isinstance(payload.get("toolArgs"), str)) if denied and target == "copilot" else ""
    answer = emit.answer(target, name, outcomes, version)
    rules = [("deny" if isinstance(item, Deny) else "warn", item.rule) for item in outcomes if hasattr(item, "rule")]
    if rules:
        _log(data_directory, target, name, rules, normalize.session_id(payload)[:100], version)
    try:
        _write_all(2, answer.stderr)
    except OSError:
        pass  # nobody reads stderr; the verdict does not depend on it
    try:
        _write_all(1, answer.stdout)
    except OSError:
        return 2
    return answer.code


class _Judge:
    """What the child does: judge one event."""

    def __init__(self, pipeline, target, argument, payload, environ, policy, data_directory):
        self.pipeline = pipeline
        self.event = (target, argument, payload)
        self.settings = (environ, policy, data_directory)

    def __call__(self):
        """Return ["ok", outcomes as lists] or ["not understood" | "fault", text]."""
        try:
            outcomes = self.pipeline.run(normalize.normalize(*self.event), *self.settings)
            return ["ok", [[type(item).__name__] + [getattr(item, slot) for slot in item.__slots__] for item in outcomes]]
        except normalize.NotUnderstood as error:
            return ["not understood", str(error)]
        except BaseException as error:
            import traceback

            where = traceback.extract_tb(error.__traceback__)[-1]
            return ["fault", "%s in %s line %s" % (type(error).__name__, os.path.basename(where.filename), where.lineno)]


def _in_child(judge, deadline, seconds):
    """Return the outcomes that a child process found. Raises Failure when it does not deliver them whole and in time."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            _deliver(writer, judge())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    try:
        result = _read(reader, deadline, "it took longer than %.3g seconds" % seconds)
    finally:
        os.close(reader)
        _end(child)
    return _decode(result)


def _deliver(descriptor, result):
    data = json.dumps(result).encode("ascii") + b"\n"
    while data:
        data = data[os.write(descriptor, data):]


def _decode(data):
    """Return the outcomes in a child's answer. Raises Failure for anything but a whole and regular one."""
    try:
        if not data.endswith(b"\n"):
            raise ValueError
        status, content = json.loads(data.decode("ascii"))
    except ValueError:
        raise Failure("the process that judges it ended without an answer")
    if status != "ok":
        raise Failure(content)
    classes = {"Deny": event.Deny, "Inject": event.Inject, "Warn": event.Warn}
    return [classes[item[0]](*item[1:]) for item in content]


def _read_input(deadline):
    """Return all of stdin. Raises Failure when it is too large or does not end in time."""
    return _read(0, deadline, "the CLI did not finish sending it")


def _read(descriptor, deadline, late):
    chunks, size = [], 0
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise Failure(late)
        chunk = os.read(descriptor, READ_SIZE)
        if not chunk and size > MAX_INPUT:
            raise Failure("it is larger than %d bytes" % MAX_INPUT)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_INPUT:
            # Read to its end all the same: a CLI that cannot hand over its input may take no answer either.
            chunks.clear()


def _end(child):
    """Make sure that the child is gone; one stuck in the kernel is left to die by itself rather than waited for."""
    if os.waitpid(child, os.WNOHANG)[0] == 0:
        os.kill(child, 9)
        pause = 0.0001  # seconds; one that has answered is at its end already
        while pause < 0.1 and os.waitpid(child, os.WNOHANG)[0] == 0:
            time.sleep(pause)
            pause *= 2


def _write_all(descriptor, text):
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(descriptor, data):]


def _log_unknown(data_directory, target, name):
    _log(data_directory, target, "", [("unknown", "event %s" % str(name)[:80])])


def _log(data_directory, target, name, rules, session="", version=""):
    from agentihooks import log

    record = {"target": target, "event": name, "session": session, "version": version}
    log.write(data_directory, dict(record, outcomes=[list(rule) for rule in rules]))
