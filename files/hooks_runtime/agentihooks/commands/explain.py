# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks explain: which rule would stop a call, and why. The guards judge it as in a session; nothing is run, written or logged."""

from __future__ import annotations

import json
import os
import sys

from agentihooks import normalize, pipeline
from agentihooks.commands import CommandError, shown
from agentihooks.event import Deny, Warn

HELP = "Tell which rule would stop a shell command or a tool call, and what to do instead. Runs and writes nothing."
MAX_TEXT = 1 << 20


def arguments(parser):
    """Add the arguments."""
    parser.add_argument("command", nargs="?", metavar="CMD", help="the shell command, as one word (in quotes); - reads it from stdin")
    parser.add_argument("--tool", metavar="NAME", help="another tool than the shell, as the CLI calls it (view, create, apply_patch, github-create_issue)")
    parser.add_argument("--args", metavar="JSON", help="the arguments of --tool, a JSON object (or the text of a patch); - reads them from stdin")
    parser.add_argument("--cwd", metavar="DIRECTORY", help="where the call would run (default: here)")
    parser.add_argument("--session", metavar="ID", default="", help="the session, so that what is unlocked for it counts")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(options, host):
    """Explain. Returns 0 for a call that would be let through, 1 for one that would be denied. Raises CommandError."""
    payload = {"sessionId": options.session, "cwd": os.path.abspath(options.cwd or os.getcwd())}
    outcomes = judged(dict(payload, **_call(options)), host)
    denials = [item for item in outcomes if isinstance(item, Deny)]
    lifted = [item for item in outcomes if isinstance(item, Warn)]
    unasked = [] if denials else _unasked(host)
    if options.json:
        print(json.dumps({
            "verdict": "deny" if denials else "allow",
            "denials": [{"rule": item.rule, "reason": item.reason, "way_out": item.way_out} for item in denials],
            "lifted": [{"rule": item.rule, "by": item.text} for item in lifted],
            "not_asked": unasked,
        }))  # fmt: skip
        return 1 if denials else 0
    for item in denials:
        print("denied   %s" % item.rule)
        print("why      %s" % shown(item.reason))
        print("way out  %s" % shown(item.way_out))
    if not denials:
        print("let through: %s" % ("no guard stops it" if not lifted else "every rule that stops it is lifted"))
    for item in lifted:
        print("lifted   %s, %s" % (item.rule, shown(item.text)))
    for text in unasked:
        print("not asked: %s" % shown(text))
    return 1 if denials else 0


def judged(payload, host):
    """Return the outcomes that a call (the payload of a preToolUse) would have."""
    try:
        event = normalize.normalize("copilot", "preToolUse", payload)
        denials, others = pipeline.judged(event, host.home, host.environ, host.policy, host.data_directory)
        return denials + others
    except normalize.NotUnderstood as error:
        why = str(error)
    except Exception as error:  # as in a session: what a guard raises denies
        why = "a guard failed with %s" % type(error).__name__
    if host.policy["guard_failure"] == "allow":
        return [Warn("runtime.failed", "%s; let through, as this host is set up" % why)]
    return [Deny("runtime.failed", "this call could not be judged (%s), so it is denied." % why, "Give the arguments as the tool takes them.")]


def _call(options):
    """Return the part of the payload that is the call. Raises CommandError."""
    if (options.command is None) == (options.tool is None):
        raise CommandError("want either a shell command or --tool with --args")
    if options.tool is None:
        if options.args is not None:
            raise CommandError("--args goes with --tool")
        return {"toolName": "bash", "toolArgs": {"command": _text(options.command)}}
    text = _text(options.args or "{}")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = text  # of a patch; of anything else the runtime says that it is no object
    return {"toolName": options.tool, "toolArgs": given}


def _text(given):
    if given != "-":
        return given
    data = sys.stdin.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise CommandError("stdin: more than %d characters" % MAX_TEXT)
    return data


def _unasked(host):
    """Return what could still stop a call that the guards let through."""
    found = []
    try:
        names = sorted(name for name in os.listdir(os.path.join(host.data_directory, "drop-ins")) if name.startswith("pre-"))
    except OSError:
        names = []
    if names:
        found.append("the drop-in guards (%s), which are programs" % ", ".join(names[:10]))
    if host.policy["repository_drop_ins"]:
        found.append("drop-in guards of a trusted repository")
    if host.policy["retry_block"]:
        found.append("the retry breaker, which counts what failed in a session")
    return found
