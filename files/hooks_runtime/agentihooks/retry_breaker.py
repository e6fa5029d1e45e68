# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops the same call from failing in the same way for ever: a word to the model first, later a denial.

A failure is what the CLI marks as one, or a command's exit code; never a word in some output, and never a refusal. What counts
as the same call: the tool with its file, or the program with its verb, of the same agent. After a denial one call passes as a trial,
so that the model can recover. State that is lost, broken or old counts as no failure. Codex tells a hook the exit code of nothing
but patches and sends none for a failed tool: there it sees little.
"""

from __future__ import annotations

import re

from agentihooks.event import Inject
from agentihooks.finished_call import MAX_TEXT, copilot_exit, is_refusal
from agentihooks.normalize import kind_of, session_id
from agentihooks.rules import Rule, by_id
from agentihooks.session_state import Session
from agentihooks.vocabulary import COMMAND_KEYS, PATCH_KEYS, PATH_KEYS

SECTION = "breaker"
MAX_CALLS = 100  # that are remembered of a session, the newest

RULES = by_id(
    Rule("retry_breaker.repeated", "%s.",
         "Stop and find out why: read the error, the documentation and the code, look for another way, or ask the person. "
         "After that one call passes as a trial.", "", ""),
)  # fmt: skip

# Codex's first line over a patch's result.
_EXIT_HEAD = re.compile(r"Exit code: (\d{1,3})\n")
# Programs that say no with exit code 1.
_SAY_NO = frozenset("grep egrep fgrep rg ag diff cmp test [ [[ pgrep which type command git expr false ping host".split())
# Verbs that tell one program's commands apart, how many.
_VERBS = dict.fromkeys(
    "terraform tofu pulumi kubectl k oc helm kustomize flux gcloud az docker podman docker-compose git npm pnpm yarn cargo go make gh pip uv".split(), 1
)
_VERBS.update(aws=2, argocd=2)
_WRITING = ("write", "edit", "patch")
_CHANGING = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,40}\b|\d+|(?:/[\w.@+-]+)+/?")


def outcome(payload, name):
    """Return (whether the finished call of a payload failed, its error text); None when that is not said or was a refusal.

    name: the event's, PostToolUse or PostToolUseFailure.
    """
    if name == "PostToolUseFailure":
        error = payload.get("error")
        return _failed(error.get("message") if isinstance(error, dict) else error)
    result = next((payload[key] for key in ("toolResult", "tool_result", "tool_response") if key in payload), None)
    tool = payload.get("toolName") or payload.get("tool_name") or ""
    shell = isinstance(tool, str) and kind_of(tool) == "shell"
    if isinstance(result, dict) and "isError" in result:
        return _failed(str(result.get("content"))) if result["isError"] is True else (False, "")
    if isinstance(result, dict):
        kind = result.get("resultType", result.get("result_type"))
        text = result.get("textResultForLlm", result.get("text_result_for_llm"))
        if kind == "failure":
            return _failed(text)
        return None if kind != "success" else _exit(text, copilot_exit(text)) if shell and isinstance(text, str) else (False, "")
    if isinstance(result, str):
        head = _EXIT_HEAD.match(result)
        return _exit(result, head) if head else None if shell else (False, "")
    return None


def _failed(text):
    text = text[:MAX_TEXT] if isinstance(text, str) else ""
    return None if is_refusal(text) else (True, text)


def _exit(text, match):
    """Return the outcome of a command by its exit code; without one it still runs."""
    if match is None:
        return None
    if match.group(1) == "0":
        return False, ""
    said = text.replace(match.group(), "").strip()
    return _failed(said) if said else None  # a program that says nothing said no


def concerns(payload, name, data_directory):
    """Return whether a finished call changes what is remembered: it failed, or it may be the end of a failure. Cheap."""
    found = outcome(payload, name)
    if found is None:
        return False
    if found[0]:
        return True
    return Session(data_directory, session_id(payload)).may_hold(SECTION)


def record(event, session, policy, now):
    """Remember how the event's calls ended. Returns [Inject] when one has failed so often that the model should stop."""
    found = outcome(event.raw, event.name)
    if found is None:
        return []
    failed, text = found
    said = []

    def change(section):
        calls = alive(section, policy, now)
        for call in event.calls:
            key = key_of(call, event)
            if not failed:
                calls.pop(key, None)
                if call.kind in _WRITING:  # something else is tried now: the commands may be run again
                    for other in [other for other in calls if other.startswith(_agent(event) + ":shell:")]:
                        del calls[other]
            elif not _says_no(call, event.raw):
                print_ = fingerprint(text)
                before = calls.pop(key, {})
                count = before.get("count", 0) + 1 if before.get("error") == print_ else 1
                calls[key] = {"count": count, "error": print_, "time": int(now), "trial": False}
                if count == policy["retry_warn"]:
                    said.append(Inject(_told(call, count)))
        return {"calls": dict(list(calls.items())[-MAX_CALLS:])} if calls else {}

    session.update(SECTION, change)
    return said


def check(event, session, policy, now):
    """Return [Deny] for a call that has failed too often in the same way; the one after a denial passes as a trial."""
    denied = []

    def change(section):
        calls = alive(section, policy, now)
        for call in event.calls:
            entry = calls.get(key_of(call, event))
            if entry is None or entry["count"] < policy["retry_block"]:
                continue
            if entry["trial"]:
                entry["trial"] = False
            else:
                entry["trial"] = True
                denied.append(RULES["retry_breaker.repeated"].deny(_counted(call, entry["count"])))
        return {"calls": calls}

    if policy["retry_block"] and session.get(SECTION):
        session.update(SECTION, change)
    return denied[:1]


def alive(section, policy, now):
    """Return {key: entry} of what is remembered and not too old, whatever the state holds."""
    calls = section.get("calls")
    found = {}
    for key, entry in calls.items() if isinstance(calls, dict) else ():
        if isinstance(entry, dict) and _in_form(entry) and now - policy["retry_seconds"] < entry["time"] <= now:
            found[key] = entry
    return found


def _in_form(entry):
    numbers = [entry.get("count"), entry.get("time")]
    return isinstance(entry.get("trial"), bool) and all(isinstance(value, int) and not isinstance(value, bool) for value in numbers)


def key_of(call, event):
    """Return what stands for a call and all that are the same: agent, kind, and a hash of the program or file."""
    if call.kind == "shell":
        subject = " ".join(base_command(call))
    elif call.kind == "patch":
        text = next((call.args[key] for key in PATCH_KEYS if isinstance(call.args.get(key), str)), "")
        subject = " ".join(line for line in text.split("\n") if line.startswith(("*** Add File", "*** Update File", "*** Delete File")))
    else:
        subject = " ".join([call.name] + [str(call.args[key])[:500] for key in PATH_KEYS + ("pattern",) if key in call.args])
    return "%s:%s:%s" % (_agent(event), call.kind, _hash(subject))


def base_command(call):
    """Return the program of a command with the verbs that tell its commands apart, a list."""
    from agentihooks import shell
    from agentihooks.programs import program_of, unwrapped

    text = next((call.args[key] for key in COMMAND_KEYS if isinstance(call.args.get(key), str)), "")
    try:
        commands = [unwrapped(command)[0] for command in shell.parse(text[:MAX_TEXT])]
    except (shell.TooComplex, RecursionError):
        return [text[:200]]
    for command in commands:
        program = program_of(command)
        if program and program not in ("cd", "pushd", "export", "set", "source", ".", "sleep", "true", "echo"):
            verbs = [word.text for word in command.words[1:] if not word.text.startswith("-")][: _VERBS.get(program, 0)]
            return [program] + verbs
    return [text[:200]]


def fingerprint(text):
    """Return what is the same in two errors of one kind: their beginnings and ends without numbers, paths and hashes, hashed."""
    plain = " ".join(_CHANGING.sub("#", text.lower()).split())
    return _hash(plain[:80] + "\n" + plain[-80:])


def _says_no(call, payload):
    """Return whether a command ended with the exit code 1 of a program that says no in this way."""
    if call.kind != "shell":
        return False
    result = payload.get("toolResult") or payload.get("tool_result")
    text = result.get("textResultForLlm", result.get("text_result_for_llm")) if isinstance(result, dict) else ""
    match = copilot_exit(text) if isinstance(text, str) else None
    return match is not None and match.group(1) == "1" and base_command(call)[0] in _SAY_NO


def _agent(event):
    agent = event.raw.get("agentId") or event.raw.get("agent_id") or ""
    return _hash(agent) if isinstance(agent, str) and agent else "main"


def _hash(text):
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _counted(call, count):
    what = "the command %s" % " ".join(base_command(call))[:60] if call.kind == "shell" else "the tool %s with this file" % call.name[:60]
    return "%s has failed %d times in a row in the same way" % (what, count)


def _told(call, count):
    return "agentihooks: %s. Do not try it again as it is: find out why it fails (the error, the documentation, the code) or take another way." % (
        _counted(call, count)
    )
