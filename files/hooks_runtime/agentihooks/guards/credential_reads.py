# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credential reads: what a tool prints stays in the transcript for good, so the read itself is stopped."""

from __future__ import annotations

import re

from agentihooks import shell
from agentihooks.credential_paths import is_credential, is_directory, like
from agentihooks.event import Deny
from agentihooks.programs import (
    COPIERS, NOT_READERS, RECURSIVE, codes, operands, program_of, quoted, secret_name, shell_texts, unwrapped,
)
from agentihooks.vocabulary import COMMAND_KEYS, PATH_KEYS

MAX_DEPTH = 8


class Rule:
    """One kind of read. denied, allowed: a shell command each, which are the rule's own test."""

    __slots__ = ("id", "reason", "way_out", "denied", "allowed")

    def __init__(self, id, reason, way_out, denied, allowed):
        self.id = id
        self.reason = reason
        self.way_out = way_out
        self.denied = denied
        self.allowed = allowed


_NAMES_ONLY = "Ask the person for what you need, or read a sample (.env.example), test that it is there (test -f), or list names only (ls)."
RULES = {
    rule.id: rule
    for rule in (
        Rule("credential.file", "this would show what is in the credential file %s.", _NAMES_ONLY, "cat ~/.ssh/id_rsa", "cat README.md"),
        Rule("credential.tree", "this would hand on a whole directory that holds credentials (%s).",
             "Name the files that you need, without the credentials.", "tar czf - ~/.ssh", "tar czf x.tgz src"),
        Rule("credential.code", "this program text reads the credential file %s.", _NAMES_ONLY,
             "python3 -c \"print(open('/home/u/.netrc').read())\"", "python3 -c \"print(open('README.md').read())\""),
        Rule("environment.dump", "this would show every environment variable with its value (%s).",
             "Show one variable that is no secret (printenv PATH), or the names alone (env | cut -d= -f1).", "env", "env A=b make"),
        Rule("environment.secret", "this would show the value of %s.", "Test that it is set (test -n \"$NAME\") instead of showing it.",
             "echo $GITHUB_TOKEN", "echo $PATH"),
        Rule("credential.helper", "this asks %s for a secret and shows it.",
             "Let the program that needs the secret ask for it, or have the person do it.", "gh auth token", "gh auth status"),
        Rule("credential.undecidable", "this command is too deeply nested to be judged, %s.",
             "Write it as plain commands, one after the other.", "", "true"),
    )
}  # fmt: skip

# Programs that print a secret: name, words that must follow in this order, words that must not be there.
HELPERS = (
    ("security", ("-w",), ()), ("op", ("read",), ()), ("op", ("item", "get"), ()), ("op", ("inject",), ()), ("pass", ("show",), ()), ("pass", ("-c",), ()),
    ("gopass", ("show",), ()), ("bw", ("get",), ()), ("lpass", ("show",), ()), ("vault", ("read",), ()), ("vault", ("kv", "get"), ()),
    ("vault", ("print", "token"), ()), ("gh", ("auth", "token"), ()), ("gh", ("auth", "status", "-t"), ()), ("gh", ("auth", "status", "--show-token"), ()),
    ("glab", ("auth", "token"), ()), ("gcloud", ("print-access-token",), ()), ("gcloud", ("print-identity-token",), ()),
    ("gcloud", ("secrets", "versions", "access"), ()), ("az", ("get-access-token",), ()), ("az", ("keyvault", "secret", "show"), ()),
    ("aws", ("get-secret-value",), ()), ("aws", ("get-login-password",), ()), ("aws", ("export-credentials",), ()), ("aws", ("configure", "get"), ()),
    ("aws", ("get-session-token",), ()), ("aws", ("--with-decryption",), ()), ("kubectl", ("get", "secret*", "-o*"), ()),
    ("kubectl", ("get", "secret*", "--output*"), ()), ("kubectl", ("get", "secret*", "--template*"), ()),
    ("kubectl", ("config", "view", "--raw"), ()), ("kubectl", ("create", "token"), ()), ("oc", ("whoami", "-t"), ()), ("oc", ("get", "secret*", "-o*"), ()),
    ("docker", ("inspect",), ("--format", "-f", "--size")), ("docker", ("inspect", "*.Env*"), ()), ("docker", ("inspect", "*json .Config}}*"), ()),
    ("podman", ("inspect", "*.Env*"), ()), ("docker", ("compose", "config"), ("--no-interpolate", "--services", "--quiet", "-q", "--images", "--profiles")),
    ("docker-compose", ("config",), ("--no-interpolate", "--services", "--quiet", "-q", "--images", "--profiles")),
    ("git", ("credential", "fill"), ()), ("git", ("config", "*extraheader*"), ()), ("git", ("config", "credential.*"), ("--global", "--unset", "--add")),
    ("git-credential-*", ("get",), ()), ("npm", ("config", "get", "*auth*"), ()), ("npm", ("token", "list"), ()), ("heroku", ("config",), ("-s_",)),
    ("heroku", ("auth:token",), ()), ("fly", ("auth", "token"), ()), ("flyctl", ("auth", "token"), ()), ("doppler", ("secrets", "download"), ()),
    ("doppler", ("secrets", "get"), ()), ("chamber", ("read",), ()), ("chamber", ("export",), ()), ("sops", ("-d",), ()), ("sops", ("--decrypt",), ()),
    ("sops", ("decrypt",), ()), ("ansible-vault", ("view",), ()), ("ansible-vault", ("decrypt",), ()), ("secret-tool", ("lookup",), ()),
    ("kwallet-query", (), ()), ("keyctl", ("print",), ()), ("keyctl", ("pipe",), ()), ("gpg", ("--export-secret*",), ()), ("ssh-keygen", ("-y_",), ()),
    ("cmdkey", ("/list_",), ()), ("age", ("-d",), ()), ("pass", ("git_",), ()), ("terraform", ("output", "-raw"), ()), ("terraform", ("output", "-json"), ()),
    ("wrangler", ("secret", "get"), ()), ("vercel", ("env", "pull"), ()), ("supabase", ("secrets", "get"), ()), ("compgen", ("-v_",), ()),
)  # fmt: skip

_GIT_PRINTS = frozenset("show diff log grep blame annotate cat-file difftool archive hash-object format-patch stash range-diff diff-files diff-index".split())
# Compiled when first needed: that costs more than all the rest of a plain call.
_ENVIRONMENT_CODE = (
    r"os\.environ(?!\s*(?:\[|\.(?:get|setdefault|pop|update|copy|keys)\b))|\bos\.environb?\.(?:items|values|copy)\(|process\.env(?![\w.\[?])"
    r"|\bENV\.(?:to_h|to_a|each|inspect|map|values)|\bp(?:uts|p)?\s+ENV\b(?!\[)|%ENV|getenv\(\s*\)|\bENVIRON\b(?!\[\")|Deno\.env\.toObject|environ\(\)|gci env:|dir env:"
)
_SHOWS = r"(?i)print|console\.|puts|\bp\s|echo|dump|write|say|inspect|stringify|send|post|return|log|exit"
_CODE_SECRET = r"(?:environ(?:\.get)?\s*[\[(]|process\.env\.|process\.env\[|ENV\[|ENV\{|getenv\(|env\.get\()\s*['\"]?(\w+)"
_CODE_TOKEN = r"[^\s'\"`()\[\]{},;+|&<>=]+"
_JOINS = ((r"['\"]\s*[+.]?\s*['\"]", ""), (r"['\"]\s*,\s*r?['\"]", "/"))
_NAME_FILTERS = r"-d ?= -f ?1|-F ?=|s/=.*//|^[^=]*=|\[\^=\]"


def check(event, context):
    """Return the Denies for the calls of one event."""
    found = []
    for call in event.calls:
        denied = _Judge(context, event.cwd).call(call)
        if denied:
            found.append(denied)
    return found


def _deny(id, detail):
    rule = RULES[id]
    text = "".join(character if character.isprintable() else "?" for character in detail)
    return Deny(rule.id, rule.reason % (text if len(text) <= 80 else text[:77] + "..."), rule.way_out)


class _Judge:
    def __init__(self, context, cwd):
        self.context = context
        self.cwd = cwd

    def call(self, call):
        """Return the Deny for one call, None when it may go on."""
        if call.kind == "shell":
            for key in COMMAND_KEYS:
                found = self.shell(text_of(call.args.get(key)))
                if found:
                    return found
            return None
        if call.kind in ("read", "search"):
            return self.paths(call.args, PATH_KEYS + ("glob", "include", "filePattern"), call.kind == "search")
        if call.kind == "glob":
            return self.paths(call.args, PATH_KEYS + ("pattern",), False, only_directories=True)
        if call.kind == "patch":
            return self.patch(call.args)
        if call.kind in ("mcp", "other", "web", "agent"):
            return self.other(call.args)
        return None

    def paths(self, args, keys, recursive, only_directories=False):
        for key in keys:
            for path in texts_of(args.get(key)):
                path = marked(path)
                if only_directories:
                    inside = path.rpartition("/")[0]
                    if is_directory(expanded(inside, self.context.home), self.cwd):
                        return _deny("credential.tree", inside)
                elif self.is_credential(path):
                    return _deny("credential.file", plain(path))
                elif recursive and self.is_tree(path):
                    return _deny("credential.tree", plain(path))
        return None

    def patch(self, args):
        """A patch shows nothing, but moving a credential file takes its protection away."""
        for text in texts_of(args):
            source = ""
            for line in text.split("\n"):
                if line.startswith("*** Update File: "):
                    source = line[17:].strip()
                elif line.startswith("*** Move to: ") and self.is_credential(source) and not self.is_credential(line[13:].strip()):
                    return _deny("credential.file", source)
        return None

    def other(self, args, key="", depth=0):
        """Judge the arguments of a tool that is not built in by the meaning of their names."""
        if isinstance(args, dict):
            for name, value in args.items():
                found = self.other(value, str(name), depth + 1)
                if found:
                    return found
        elif isinstance(args, list):
            for value in args:
                found = self.other(value, key, depth + 1)
                if found:
                    return found
        elif isinstance(args, str):
            if key in ("command", "cmd", "script", "shell", "bash"):
                return self.shell(args)
            named = key in PATH_KEYS or key.lower().endswith(("path", "file", "uri", "filename", "source", "src", "paths", "files"))
            if (named or args.startswith("file:")) and "\n" not in args and self.is_credential(marked(args)):
                return _deny("credential.file", args)
        return None

    def is_credential(self, path, cwd=None):
        """Judge a path as written and, where it exists, where its links lead."""
        cwd = self.cwd if cwd is None else cwd
        path = expanded(path, self.context.home)
        if is_credential(path, cwd):
            return True
        if not path or any(mark in path for mark in (shell.STAR, shell.ONE, shell.UNKNOWN, "\0")) or len(path) > 4096:
            return False
        absolute = shell.join(cwd, path)
        if not absolute.startswith("/") or shell.UNKNOWN in absolute:
            return False
        try:
            real = self.context.realpath(absolute)
        except (OSError, ValueError):
            return False
        return real != absolute and is_credential(real)

    def is_tree(self, path, cwd=None):
        """Return whether a walk from path meets credentials: a directory of them, the home or above."""
        cwd = self.cwd if cwd is None else cwd
        path = shell.join(cwd, expanded(path, self.context.home)).rstrip("/" + shell.STAR) or "/"
        while path.endswith("/."):
            path = path[:-2] or "/"
        home = self.context.home.rstrip("/")
        return is_directory(path) or path == "/" or bool(home and (path == home or home.startswith(path + "/"))) or path in ("/root", "/home", "/etc", "/proc")

    # shell

    def shell(self, text, depth=0, cwd=None, variables=None):
        """Return the Deny for a command text, None when nothing in it shows a credential."""
        if not text:
            return None
        if depth > MAX_DEPTH:
            return _deny("credential.undecidable", "more than %d shells in one another" % MAX_DEPTH)
        cwd = self.cwd if cwd is None else cwd
        variables = {"HOME": [self.context.home]} if variables is None else variables
        try:
            commands = shell.parse(text, self.context.home, cwd, variables)
        except (shell.TooComplex, RecursionError):
            return _deny("credential.undecidable", "its parts cannot be followed")
        for command in commands:
            found = self.command(command, depth, variables)
            if found:
                return found
        return None

    def command(self, command, depth, variables):
        whole = command
        command, fed = unwrapped(command)
        program = program_of(command)
        for inner in shell_texts(command) + (shell_texts(whole) if whole is not command else []):
            found = self.shell(inner, depth + 1, command.cwd, dict(variables))
            if found:
                return found
        if program in ("find", "fd", "fdfind"):
            found = self.find(command)
            if found:
                return found
        if program in ("bash", "sh", "zsh", "dash", "ksh", "source", ".") and command.piped_from is not None:
            printed = shell.output([command.piped_from])
            if shell.UNKNOWN not in printed:
                found = self.shell(printed, depth + 1, command.cwd, dict(variables))
                if found:
                    return found
        for code in codes(command):
            found = self.code(code)
            if found:
                return found
        return self.reads(command, program, fed) or self.dump(whole, command, program) or self.helper(command, program)

    def reads(self, command, program, fed):
        quiet = program in NOT_READERS and not (program in ("curl", "wget", "http", "find"))
        for word in command.reads:
            if not (program in ("wc", "test", "sha256sum", "md5sum")) and self.is_credential(word.text, command.cwd):
                return _deny("credential.file", plain(word.text))
        if program == "git":
            return self.git(command)
        if quiet or not program or program in ("find", "fd", "fdfind"):
            return None
        paths = operands(command)
        if program in ("curl", "wget", "http"):
            paths = _uploads(command)
        if program in ("sed", "gsed") and any(word.text.startswith(("-i", "--in-place")) for word in command.words[1:]):
            return None
        if program == "dd":
            paths = [path for word in command.words[1:] for path in [word.text[3:]] if word.text.startswith("if=")]
        if program in COPIERS and len(paths) > 1 and not any(word.text in ("-t", "--target-directory") for word in command.words):
            target = paths.pop()
            if self.is_credential(target, command.cwd) or self.is_tree(target, command.cwd):
                paths = [path for path in paths if not (self.is_credential(path, command.cwd) and program in ("mv", "cp", "ln", "install"))]
        if program in ("source", "."):
            paths = [path for path in paths[:1] if not re.search(r"/?\.(?:bash|zsh)?(?:rc|_profile|_login|profile|env)$", path) or path.endswith(".env")]
        if fed:
            paths = paths + " ".join(command.feeds).split()
            if command.piped_from is not None:
                paths += self.fed(command.piped_from)
        for path in paths:
            if self.is_credential(path, command.cwd):
                return _deny("credential.file", plain(path))
        recursive = program in RECURSIVE or any(
            re.fullmatch(r"-[a-zA-Z]*[rRa][a-zA-Z]*|--recursive|--archive", word.text) for word in command.words[1:] if program in ("cp", "grep", "egrep", "fgrep", "zgrep", "gcp")
        )
        for path in paths:
            if is_directory(expanded(path, self.context.home), command.cwd) or (recursive and self.is_tree(path, command.cwd)):
                return _deny("credential.tree", plain(path))
        if recursive and program in ("rg", "ag", "ack") and not paths and self.is_tree(".", command.cwd):
            return _deny("credential.tree", command.cwd or ".")
        return None

    def fed(self, source):
        """Return the paths that a command before xargs prints, as far as its own words tell."""
        source, _ = unwrapped(source)
        program = program_of(source)
        if program in ("echo", "printf"):
            return [word.text for word in source.words[1:]]
        if program in ("find", "fd", "fdfind"):
            return [marked(path) for path in _find_names(source)] or [path for path in operands(source) if self.is_tree(path, source.cwd)][:1]
        if program == "ls":
            return [shell.join(word.text, shell.STAR) for word in source.words[1:] if is_directory(expanded(word.text, self.context.home), source.cwd)]
        return []

    def find(self, command):
        words = [word.text for word in command.words]
        if not _FIND_EXECUTES & set(words):
            return None
        inner = [unwrapped(item)[0] for text in shell_texts(command) for item in shell.parse(text)]
        if all(program_of(item) in NOT_READERS or program_of(item) in ("git",) for item in inner):
            return None
        names = _find_names(command)
        if not names and words[0] != "find":
            names = [word for word in words[1 : 1 + max(0, min(map(words.index, set(words) & _FIND_EXECUTES)) - 1)] if not word.startswith("-")][:1]
        for name in names:
            if self.is_credential(marked(name)):
                return _deny("credential.file", name)
        if not names:
            for path in [word for word in words[1:] if not word.startswith("-")][:1]:
                if self.is_tree(path, command.cwd):
                    return _deny("credential.tree", plain(path))
        return None

    def git(self, command):
        words = [word.text for word in command.words[1:]]
        index = 0
        while index < len(words) and words[index].startswith("-"):
            index += 2 if words[index] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else 1
        verb = words[index] if index < len(words) else ""
        cwd = command.cwd
        if "-C" in words[:-1]:
            cwd = shell.join(cwd, words[words.index("-C") + 1])
        if verb in _GIT_PRINTS or "--no-index" in words:
            for path in operands(command):
                if self.is_credential(path, cwd):
                    return _deny("credential.file", plain(path))
        return self.helper(command, "git")

    def code(self, text):
        variants = {text} | {re.sub(seam, joint, text) for seam, joint in _JOINS}
        for variant in variants:
            for token in re.findall(_CODE_TOKEN, variant):
                token = token.rstrip(",:!?\\")
                if ("." in token or "/" in token or token.startswith("id_")) and not _is_attribute(token) and self.is_credential(token):
                    return _deny("credential.code", token)
        shows = re.search(_SHOWS, text)
        if shows and re.search(_ENVIRONMENT_CODE, text):
            return _deny("environment.dump", "in a program text")
        for name in re.findall(_CODE_SECRET, text) if shows else ():
            if secret_name(name) and re.search(r"(?:print|console\.\w+|puts|echo|write|stringify|dumps|say)\W{0,3}[^;\n]{0,80}" + name, text):
                return _deny("environment.secret", name)
        return None

    def dump(self, whole, command, program):
        words = [word.text for word in whole.words]
        arguments = [word.text for word in command.words[1:]]
        kind = ""
        if program == "env" and all(word.startswith("-") or "=" in word for word in arguments) or (program_of(whole) == "env" and program == "env"):
            kind = "env"
        elif program == "printenv":
            names = [word for word in arguments if not word.startswith("-")]
            for name in names:
                if secret_name(name):
                    return _deny("environment.secret", name)
            kind = "" if names else "printenv"
        elif program == "export" and all(word.startswith("-") for word in arguments):
            kind = "export"
        elif program in ("declare", "typeset", "local", "readonly") and arguments and all(word.startswith("-") for word in arguments) and re.search("[px]", "".join(arguments)):
            kind = program
        elif program == "set" and not arguments and len(words) == 1:
            kind = "set"
        elif program == "ps" and any(re.fullmatch("[a-zA-Z]*e[a-zA-Z]*", word) and word not in ("aux-e",) for word in arguments if not word.startswith("-")):
            kind = "ps e"
        elif program in ("declare", "compgen", "typeset") and arguments[:1] in (["-p"], ["-e"]):
            kind = "" if program != "declare" else ("declare -p" if len(arguments) == 1 else "")
        if kind:
            return None if _only_names(whole) else _deny("environment.dump", kind)
        shown = program in ("echo", "printf", "print", "cat", "tee", "logger", "base64", "xxd", "rev", "say", "wall", "write")
        if shown:
            for name in [name for word in command.words[1:] for name in word.names] + command.fed_names:
                if secret_name(name) and not _logs_in(whole):
                    return _deny("environment.secret", name)
        return None

    def helper(self, command, program):
        words = [word.text for word in command.words[1:]]
        for name, follow, without in HELPERS:
            if not like(program, name) or any(word in without or word.partition("=")[0] in without for word in words):
                continue
            position = 0
            for wanted in follow:
                while position < len(words) and not like(words[position], wanted):
                    position += 1
                position += 1
            if position <= len(words) and (follow or words):
                return _deny("credential.helper", " ".join((program,) + follow).replace("*", ""))
        return None


def _is_attribute(token):
    """Return whether a token of a program text is an attribute (process.env, app.config.env) rather than a file."""
    head, dot, tail = token.rpartition(".")
    return tail == "env" and "/" not in token and bool(head) and head.replace(".", "").replace("_", "").isalnum()


_FIND_EXECUTES = {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}


def _find_names(command):
    words = [word.text for word in command.words]
    return [words[index + 1] for index, word in enumerate(words[:-1]) if word in ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-g", "-e")]


def _only_names(command):
    """Return whether what follows in the pipeline leaves no value: a counter, or a cut to names."""
    after = command.piped_into
    while after is not None:
        program, words = program_of(after), " ".join(word.text for word in after.words[1:])
        if program == "wc" or (program in ("grep", "rg", "egrep") and re.search(r"(?:^|\s)-[a-zA-Z]*[cq]|--count|--quiet", words)):
            return True
        if program in ("cut", "awk", "sed") and re.search(_NAME_FILTERS, words.replace("'", "").replace('"', "")):
            return "$2" not in words and "$0" not in words
        if program in ("grep", "egrep", "rg") and re.search(r"\^(?:PATH|NODE|LANG|HOME|USER|SHELL|PWD|LC_|TERM|EDITOR)", words):
            return True
        after = after.piped_into if program in ("sort", "uniq") else None
    return False


def _logs_in(command):
    """Return whether a pipeline ends in a program that takes a password on stdin and does not show it."""
    after = command.piped_into
    while after is not None and after.piped_into is not None:
        after = after.piped_into
    words = [word.text for word in after.words] if after is not None else []
    return "login" in words or any(word in ("--password-stdin", "--with-token", "--passphrase-fd") for word in words) or words[:2] == ["gh", "secret"]


def _uploads(command):
    """Return the files that curl or wget would read: @file, -T, -K, --post-file, file: addresses; not --cert and --key."""
    words = [word.text for word in command.words[1:]]
    found = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        if word in ("-T", "--upload-file", "-K", "--config", "--post-file", "--body-file", "-i", "--input-file", "--netrc-file"):
            found.append(following if word != "--netrc-file" else "")
        if word.startswith(("-T", "--post-file=", "--body-file=", "--upload-file=")) and len(word) > 2:
            found.append(word.partition("=")[2] or word[2:])
        if word.startswith("file:"):
            found.append(word)
        if "@" in word and (word.startswith(("@", "-d@", "-F", "--data", "--form", "--json")) or (index and words[index - 1] in _DATA_OPTIONS)):
            found.append(word.partition("@")[2].partition(";")[0])
        if "<" in word and index and words[index - 1] in ("-F", "--form"):
            found.append(word.partition("<")[2])
    return [path for path in found if path]


_DATA_OPTIONS = ("-d", "--data", "--data-binary", "--data-raw", "--data-ascii", "--data-urlencode", "--json", "-F", "--form", "--form-string", "-H", "--header")


def expanded(path, home):
    """Return path with ~, $HOME and ${HOME} in front replaced: tools other than a shell may do so themselves."""
    for head in ("~/", "$HOME/", "${HOME}/", "%USERPROFILE%/"):
        if path.startswith(head):
            return home + "/" + path[len(head) :]
    return home if path in ("~", "$HOME", "${HOME}") else path


def marked(path):
    """Return a path of a tool's argument with its wildcards marked as the shell parser marks them."""
    return path.replace("*", shell.STAR).replace("?", shell.ONE)


def plain(path):
    """Return path for a reader: marks as the characters they came from."""
    return path.replace(shell.STAR, "*").replace(shell.ONE, "?").replace(shell.UNKNOWN, "...")


def text_of(value):
    """Return a command given as text or as a list of words."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(quoted(item) for item in value)
    return value if isinstance(value, str) else ""


def texts_of(value):
    """Return all texts in a value, at any depth."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in texts_of(item)]
