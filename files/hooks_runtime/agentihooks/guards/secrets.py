# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets on their way into a file, a command line, a message or another service: the hard floor, no switch lifts it."""

from __future__ import annotations

from agentihooks import secret_shapes, shell
from agentihooks.event import Deny, Warn
from agentihooks.vocabulary import COMMAND_KEYS, OLD_TEXT_KEYS, PATCH_KEYS, PATH_KEYS

WAY_OUT = (
    "Leave the value out: name an environment variable or a secret store instead, or write a placeholder (<token>) and let the "
    "person fill it in."
)
_PROMPT_WAY_OUT = "Send it again without the value; say where the tools find it (an environment variable, a secret store)."
_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_LONGEST_PIPELINE = 100  # a longer one is taken to end in a file
# Programs whose output is made of their arguments: a redirection writes those.
_PRINTERS = frozenset("echo printf print jq sed gsed awk gawk perl python ruby node php envsubst".split())
_STORERS = frozenset("tee dd sponge crontab".split())
_CONFIGURED = frozenset("npm yarn pnpm pip poetry aws".split())
_SHELLS = frozenset("sh bash zsh dash ksh".split())
_DEEPEST = 3  # commands inside the words of commands


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
        return _texts(call.args, "the file " + _path(call.args), skipped=OLD_TEXT_KEYS)
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


def _texts(value, where, high_only=False, key="", skipped=()):
    """Judge every text in a value, at any depth, keys included. skipped: keys whose text goes nowhere."""
    if isinstance(value, str):
        key = "auth_token" if key.lower() in ("authorization", "proxy-authorization") and " " not in value else key
        text = '%s = "%s"' % (key, value) if key and secret_shapes.is_secret_name(key) and '"' not in value and "\n" not in value else value
        return _first(text, where, high_only)
    if isinstance(value, dict):
        for name, item in _pair(value):
            found = _texts(item, where, high_only, name)
            if found:
                return found
        for name, item in value.items():
            if name in skipped and isinstance(item, str):
                continue
            found = _first(str(name), where, True) or _texts(item, where, high_only, str(name), skipped)
            if found:
                return found
    elif isinstance(value, list):
        for item in value:
            found = _texts(item, where, high_only, key, skipped)
            if found:
                return found
    return None


def _pair(value):
    """Return [(name, value)] of a table that holds one of them: {"name": "Authorization", "value": "..."}."""
    names = [value[key] for key in ("name", "key", "header", "variable") if isinstance(value.get(key), str)]
    return [(names[0], value["value"])] if names and isinstance(value.get("value"), str) else []


def _patch(args):
    """Judge what a patch adds; a secret that it takes out may go."""
    from agentihooks import patch  # few calls are one

    for key in PATCH_KEYS:
        text = args.get(key)
        if not isinstance(text, str):
            continue
        for change in patch.parse(text):
            where = "the file " + (change.moved_to or change.path)
            removing = change.op == "delete" and not change.added
            found = _first(change.added, where) or _first(change.moved_to, where, True) or (None if removing else _first(change.path, where, True))
            if found:
                return found
    rest = {key: value for key, value in args.items() if key not in PATCH_KEYS or not isinstance(value, str)}
    return _texts(rest, "the file " + _path(args), skipped=OLD_TEXT_KEYS)


def _shell(text, depth=0):
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
    files = {}
    for command in commands:
        found = _anywhere(command) or _landing(command) or _inside(command, text, depth) or _joined(command, files)
        if found:
            return found
    return None


def _joined(command, files):
    """Judge what several commands put into one file, one behind the other. files: path -> text so far."""
    printed = _printed(command) if command.writes else ""
    for word in [word for word in command.writes if word.text not in _SINKS] if printed else ():
        files[word.text] = (files.get(word.text, "") if any(word is one for one in command.appends) else "") + printed
        found = _first(files[word.text], "a file")
        if found:
            return found
    return None


def _anywhere(command):
    """Judge the shapes that quoting, printf or a decoding pipeline hides in the text of a command."""
    words = [word.text for word in command.words]
    joined = " ".join(words)
    # As written, put together, and with a slash as the border it is in sed's s/a/b/ but not in a path or base64.
    variants = [joined, "".join(words[1:]), joined.replace("/", " ") if "/" in joined else "", _printed(command)]
    return next(filter(None, (_first(variant, "a command", True) for variant in variants)), None)


def _printed(command):
    """Return what the pipeline that ends with this command prints, as far as that is plain; "" otherwise."""
    chain = []
    while command is not None and len(chain) < 20:
        bare = shell.Command(command.cwd)  # without its redirections: where it goes does not matter here
        bare.words, bare.feeds, bare.piped_from = command.words, command.feeds, command.piped_from
        chain.insert(0, bare)
        command = command.piped_from
    printed = shell.output(chain)
    return "" if printed == shell.UNKNOWN else printed


def _landing(command):
    """Judge text that goes into a file, also for assignments that only look like a secret."""
    words = [word.text for word in command.words]
    programs = {word.rpartition("/")[2].rstrip("0123456789.") for word in words[:3]}
    joined, texts = " ".join(words), []
    if _writes(command):
        texts += command.feeds
        if programs & _PRINTERS:
            texts += [joined, _printed(command)]
    if _in_place(programs, words) or _recorded(programs, words):
        texts += [joined, '%s = "%s"' % (words[-2], words[-1]) if len(words) > 2 and '"' not in words[-1] else ""]
    if programs & {"python", "node", "ruby", "perl", "php"}:
        from agentihooks.program_texts import variants

        codes = [word for word in words[1:] + command.feeds if "write" in word.lower() or "open(" in word]
        texts += [variant for code in codes for variant in variants(code)]
    return next(filter(None, (_first(item, "a file") for item in texts)), None)


def _in_place(programs, words):
    return bool(programs & {"sed", "gsed", "perl", "ex", "ed"}) and any(word.startswith(("-i", "-pi", "--in-place")) for word in words)


def _recorded(programs, words):
    """Return whether this is git commit, tag, notes or config, or a "config set": their arguments are kept in a file."""
    if "git" in programs and not {"commit", "tag", "notes", "config"}.isdisjoint(words):
        return True
    return not programs.isdisjoint(_CONFIGURED) and not {"set", "config", "configure"}.isdisjoint(words)


def _inside(command, text, depth):
    """Judge the commands that are words of this one (sh -c, ssh, docker exec) or that it feeds to a shell."""
    if depth >= _DEEPEST:
        return None
    inner = [word.text for word in command.words[1:] if " " in word.text and word.text != text]
    if command.words and command.words[0].text.rpartition("/")[2] in _SHELLS:
        inner += command.feeds
    return next(filter(None, (_shell(item, depth + 1) for item in inner)), None)


def _writes(command):
    """Return whether what the command prints or is fed lands in a file."""
    targets = []
    for _stage in range(_LONGEST_PIPELINE):
        if command is None:
            return any(target not in _SINKS for target in targets)
        words = [word.text for word in command.words]
        if any(word.rpartition("/")[2] in _STORERS for word in words[:3]):
            return True
        if command.piped_from is not None and any("tee " in word or ">" in word for word in words):
            return True  # it stores elsewhere what it is fed: ssh host 'cat > file'
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
