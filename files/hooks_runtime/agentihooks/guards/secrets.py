# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets on their way into a file, a command line, a message or another service: the hard floor, no switch lifts it."""

from __future__ import annotations

from agentihooks import patch, secret_shapes, shell
from agentihooks.event import Deny, Warn
from agentihooks.vocabulary import COMMAND_KEYS, OLD_TEXT_KEYS, PATCH_KEYS, PATH_KEYS

WAY_OUT = (
    "Leave the value out: name an environment variable or a secret store instead, or write a placeholder (<token>) and let the "
    "person fill it in."
)
_PROMPT_WAY_OUT = "Send it again without the value; say where the tools find it (an environment variable, a secret store)."
_NOT_WRITTEN = OLD_TEXT_KEYS
_LONGEST_PIPELINE = 100  # a longer one is taken to end in a file
_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def check(event, context):
    """Return the Denies for the calls (or the Deny or Warn for the prompt) of one event."""
    if event.name == "UserPromptSubmit":
        return _prompt(event.prompt, context.policy.get("prompt_secrets", "block"))
    return [denied for denied in map(_call, event.calls) if denied]


def _prompt(text, mode):
    hits = secret_shapes.find(text, high_only=True) if mode != "off" else []
    if not hits:
        return []
    reason = "the prompt holds a secret (%s)" % secret_shapes.kind(hits[0].rule_id)
    if mode == "warn":
        return [Warn("secret." + hits[0].rule_id, reason + "; it goes to the model's provider.")]
    return [Deny("secret." + hits[0].rule_id, reason + ", so it was not sent.", _PROMPT_WAY_OUT)]


def _call(call):
    """Return the Deny for one call, None when nothing in it is a secret."""
    if call.kind == "shell":
        for key in COMMAND_KEYS:
            found = _shell(_command(call.args.get(key)))
            if found:
                return found
        rest = {key: value for key, value in call.args.items() if key not in COMMAND_KEYS}
        return _texts(rest, "the arguments of a command")
    if call.kind == "patch":
        return _patch(call.args)
    if call.kind in ("write", "edit"):
        written = {key: value for key, value in call.args.items() if key not in _NOT_WRITTEN}
        return _texts(written, "the file " + _path(call.args))
    if call.kind in ("read", "search", "glob"):
        return _texts(call.args, "the arguments of a search or read", high_only=True)
    return _texts(call.args, 'the arguments of the tool "%s"' % call.name[:80])


def _deny(hit, where):
    where = "".join(character if character.isprintable() else "?" for character in where)
    kind = secret_shapes.kind(hit.rule_id)
    return Deny("secret." + hit.rule_id, "a secret (%s) would go into %s." % (kind, secret_shapes.redact(where)[:200]), WAY_OUT)


def _first(text, where, high_only=False):
    hits = secret_shapes.find(text, high_only=high_only)
    return _deny(hits[0], where) if hits else None


def _texts(value, where, high_only=False, key=""):
    """Judge every text in a value, at any depth, keys included."""
    if isinstance(value, str):
        text = '%s = "%s"' % (key, value) if key and secret_shapes.is_secret_name(key) and '"' not in value and "\n" not in value else value
        return _first(text, where, high_only)
    if isinstance(value, dict):
        for name, item in value.items():
            if name in _NOT_WRITTEN and isinstance(item, str):
                continue
            found = _first(str(name), where, True) or _texts(item, where, high_only, str(name))
            if found:
                return found
    elif isinstance(value, list):
        for item in value:
            found = _texts(item, where, high_only, key)
            if found:
                return found
    return None


def _patch(args):
    for key in PATCH_KEYS:
        text = args.get(key)
        if not isinstance(text, str):
            continue
        for change in patch.parse(text):
            where = "the file " + (change.moved_to or change.path)
            found = _first(change.added, where) or _first(change.moved_to, where, True) or _first(change.path, where, True)
            if found and not (change.op == "delete" and not change.added):
                return found
    rest = {key: value for key, value in args.items() if key not in PATCH_KEYS}
    return _texts(rest, "the file " + _path(args))


def _shell(text):
    """Judge a command: token shapes anywhere in it, and anything secret in text that it writes to a file."""
    if not text:
        return None
    found = _first(text, "a command", True)
    if found:
        return found
    try:
        commands = shell.parse(text)
    except (shell.TooComplex, RecursionError):
        return None  # the credential guard denies what cannot be followed
    for command in commands:
        words = " ".join(word.text for word in command.words)
        # As written, put together, and with a slash as the border it is in sed's s/a/b/ but not in a path or base64.
        variants = (words, "".join(word.text for word in command.words[1:]), words.replace("/", " ") if "/" in words else "")
        found = next(filter(None, (_first(variant, "a command", True) for variant in variants)), None)
        if found is None and command.words and command.words[0].text in ("printf", "echo"):
            found = _first(shell.output([command]), "a command", True)
        if found is None and _writes(command):
            found = next(filter(None, (_first(item, "a file") for item in [words] + command.feeds)), None)
        if found:
            return found
    return None


def _writes(command):
    """Return whether what the command prints or is fed lands in a file."""
    targets = []
    for _ in range(_LONGEST_PIPELINE):
        if command is None:
            return any(target not in _SINKS for target in targets)
        if command.words and command.words[0].text.rpartition("/")[2] in ("tee", "dd", "sponge"):
            return True
        targets += [word.text for word in command.writes]
        command = command.piped_into
    return True


def _command(value):
    if isinstance(value, list):
        return " ".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def _path(args):
    for key in PATH_KEYS:
        if isinstance(args.get(key), str):
            return args[key]
    return ""
