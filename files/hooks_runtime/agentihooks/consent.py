# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person allowed: a guard unlocked for one session and a while (the command "agentihooks unlock"), and the role's exceptions.

Neither ever lifts a floor: secrets, credentials, and what protects the guards themselves. Anything in a record or an exception
that is not just as it should be allows nothing.
"""

from __future__ import annotations

import json
import os
import re
import time

from agentihooks import private_file
from agentihooks.event import Deny, Warn
from agentihooks.guard_exceptions import guard_of, is_floor, is_rule, problem
from agentihooks.guards import IDS
from agentihooks.session_state import file_name
from agentihooks.vocabulary import COMMAND_KEYS, PATCH_KEYS, PATH_KEYS

DIRECTORY = "unlocks"
MAX_MINUTES = 240
MAX_BYTES = 1 << 14
# What "*" in an exception stands for in a command: no part that could start another command.
_ANY_IN_COMMAND = r"[^;&|<>$`()\n\r]*"


def lifted(denials, event, policy, data_directory, now):
    """Return (the denials that stand, a Warn for each that is lifted)."""
    left, warnings = [], []
    unlocked = None
    for denied in denials:
        why = ""
        if not is_floor(denied.rule):
            exception = next((item for item in policy["guard_exceptions"] if _covers(item, denied.rule, event, now)), None)
            if exception is not None:
                why = "an exception of this host (%s)" % exception["reason"]
            else:
                unlocked = unlocks(data_directory, event.session_id, now) if unlocked is None else unlocked
                until = max(unlocked.get(denied.rule, 0), unlocked.get(guard_of(denied.rule), 0))
                why = "unlocked until %s" % clock(until) if until else ""
        if why:
            warnings.append(Warn(denied.rule, "let through: %s" % why))
        else:
            left.append(_with_consent(denied, event, data_directory))
    return left, warnings


def _with_consent(denied, event, data_directory):
    """Return the Deny with the way in which a person can allow it; the model cannot."""
    if is_floor(denied.rule) or not event.session_id or not event.session_id.replace("-", "").isalnum():
        return denied
    # By its path: nothing puts the directory on the person's PATH.
    command = "%s unlock %s --session %s" % (os.path.join(data_directory, "bin", "agentihooks"), guard_of(denied.rule), event.session_id)
    way = " Or a person unlocks it, in a terminal of their own: " + command
    return Deny(denied.rule, denied.reason, denied.way_out + way)


# exceptions


def _covers(exception, rule, event, now):
    if problem(exception, now, IDS) or exception["rule"] not in (rule, guard_of(rule)) or not event.calls:
        return False
    return all(_matches(exception["match"], call) for call in event.calls)


def _matches(pattern, call):
    """Return whether the command, or every path, of a call fits a pattern as a whole."""
    keys = COMMAND_KEYS if call.kind == "shell" else PATH_KEYS
    texts = [call.args[key] for key in keys if isinstance(call.args.get(key), str)]
    any_text = _ANY_IN_COMMAND
    if call.kind == "patch":
        from agentihooks import patch

        changes = [change for key in PATCH_KEYS if isinstance(call.args.get(key), str) for change in patch.parse(call.args[key])]
        texts = [path for change in changes for path in (change.path, change.moved_to or change.path)]
    if call.kind != "shell":
        any_text = r"[^\n]*"
    expression = any_text.join(re.escape(part) for part in re.sub(r"\*+", "*", pattern.strip()).split("*"))
    return bool(texts) and all(re.fullmatch(expression, text.strip()) and ".." not in text.split("/") for text in texts)


# unlocks


def unlocks(data_directory, session_id, now):
    """Return {guard or rule: second (epoch) until which it is unlocked for a session}. Never raises."""
    directory = os.path.join(data_directory, DIRECTORY)
    data = private_file.read(os.path.join(directory, file_name(session_id)), MAX_BYTES)
    try:
        record = json.loads(data.decode("utf-8")) if data else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(record, dict) or record.get("session") != session_id or not isinstance(record.get("guards"), dict):
        return {}
    return {name: until for name, until in record["guards"].items() if _holds(name, until, now)}


def _holds(name, until, now):
    return is_rule(name) and not is_floor(name) and isinstance(until, int) and not isinstance(until, bool) and now < until <= now + MAX_MINUTES * 60


def unlock(data_directory, session_id, name, minutes, now):
    """Unlock a guard or a rule for a session. Returns the second (epoch) until which it is. Raises OSError."""
    until = int(now) + minutes * 60
    directory = os.path.join(data_directory, DIRECTORY)
    with private_file.Locked(directory, 2.0) as locked:
        for other in os.listdir(directory):
            if other.endswith(".json") and not _is_alive(os.path.join(directory, other), now):
                os.unlink(os.path.join(directory, other))
        guards = dict(unlocks(data_directory, session_id, now), **{name: until})
        locked.replace(file_name(session_id), json.dumps({"session": session_id, "guards": guards}).encode("ascii"))
    return until


def lock(data_directory, session_id):
    """Take back what is unlocked for a session. Raises OSError."""
    try:
        os.unlink(os.path.join(data_directory, DIRECTORY, file_name(session_id)))
    except FileNotFoundError:
        return


def all_unlocks(data_directory, now):
    """Return (session id, guard or rule, second until which) of everything that is unlocked, sorted."""
    directory, found = os.path.join(data_directory, DIRECTORY), []
    for name in os.listdir(directory) if os.path.isdir(directory) else []:
        try:
            session_id = json.loads(private_file.read(os.path.join(directory, name), MAX_BYTES).decode("utf-8"))["session"]
            found += [(session_id, guard, until) for guard, until in unlocks(data_directory, session_id, now).items()]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return sorted(found)


def _is_alive(path, now):
    try:
        return os.lstat(path).st_mtime > now - MAX_MINUTES * 60
    except OSError:
        return True


def clock(second):
    """Return a second (epoch) as the time of day here, for people."""
    return time.strftime("%H:%M", time.localtime(second))
