# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one vocabulary between the CLIs' dialects and the guards: Event and Call come in, outcomes go out.

Plain classes with slots: dataclasses and typing cost more start-up time than a whole guard.
"""

from __future__ import annotations


class Call:
    """One tool call.

    name: the tool as the CLI spelled it ("bash", "Bash", "tiny-alpha-one").
    kind: one of vocabulary.KINDS ("shell", "read", "write", "edit", "patch", "search", "glob", "mcp", "agent", "web", "other").
    args: the arguments, always a dict; the CLI's own key names. Text that is no JSON object is kept under "text".
    id: the CLI's id of the call, "" where it sends none.
    """

    __slots__ = ("name", "kind", "args", "id")

    def __init__(self, name, kind, args, id=""):
        self.name = name
        self.kind = kind
        self.args = args
        self.id = id


class Event:
    """One hook event, whatever CLI, version and spelling it came from.

    target: "copilot" or "codex".
    name: the event in vocabulary.EVENTS ("PreToolUse", "UserPromptSubmit", ...), or "" when it is not known.
    dialect: "camel", "pascal", "batch" or "codex": the shape of the payload.
    session_id, cwd: "" when absent.
    calls: the tool calls to judge (several only in the batched dialect).
    prompt: the typed prompt, "" for other events.
    raw: the payload as parsed.
    """

    __slots__ = ("target", "name", "dialect", "session_id", "cwd", "calls", "prompt", "raw")

    def __init__(self, target, name, dialect, session_id="", cwd="", calls=(), prompt="", raw=None):
        self.target = target
        self.name = name
        self.dialect = dialect
        self.session_id = session_id
        self.cwd = cwd
        self.calls = list(calls)
        self.prompt = prompt
        self.raw = {} if raw is None else raw


class Context:
    """What a guard may know besides the event; tests pass their own. I/O comes in as functions, so that guards stay pure.

    home: the person's home directory, absolute.
    policy: the role's own settings (policy.py), a dict.
    realpath: function path -> path with symbolic links resolved.
    read: function absolute path -> text of a regular file, None when there is none; raises OSError when it is there and cannot be
    read whole.
    data_directory: where the runtime lives, "" when that does not matter.
    environ: the environment of the hook; it may only make a guard stricter.
    """

    __slots__ = ("home", "policy", "realpath", "read", "data_directory", "environ")

    def __init__(self, home, policy=None, realpath=None, read=None, data_directory="", environ=None):
        self.home = home
        self.policy = {} if policy is None else policy
        self.realpath = (lambda path: path) if realpath is None else realpath
        self.read = (lambda path: None) if read is None else read
        self.data_directory = data_directory
        self.environ = {} if environ is None else environ


class Deny:
    """Stop the call (or the prompt). rule: stable id; reason: what was found; way_out: what to do instead."""

    __slots__ = ("rule", "reason", "way_out")

    def __init__(self, rule, reason, way_out):
        self.rule = rule
        self.reason = reason
        self.way_out = way_out

    def text(self):
        """The one text the model and the person read."""
        return "agentihooks [%s]: %s %s" % (self.rule, self.reason, self.way_out)


class Inject:
    """Add text to the model's context."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text


class Warn:
    """Tell the person and the log; the call goes on."""

    __slots__ = ("rule", "text")

    def __init__(self, rule, text):
        self.rule = rule
        self.text = text
