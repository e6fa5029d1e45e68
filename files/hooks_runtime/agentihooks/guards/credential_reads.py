# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credential reads: what a tool prints stays in the transcript for good, so the read itself is stopped."""

from __future__ import annotations

import re
from itertools import takewhile

from agentihooks import shell
from agentihooks.credential_paths import is_credential, is_directory, is_sample_name, parts_of
from agentihooks.programs import (
    COPIERS,
    NOT_READERS,
    RECURSIVE,
    SEARCHERS,
    SHELLS,
    behind,
    codes,
    handed_over,
    interpreter,
    operands,
    option_values,
    program_of,
    secret_name,
    shows_names_only,
    sed_reads,
    sent_in,
    shell_texts,
    stdin_texts,
    unwrapped,
)
from agentihooks.relevance import READERS
from agentihooks.rules import Rule, by_id
from agentihooks.shell import marked
from agentihooks.shell_walk import COMMAND_NAMES, MAX_DEPTH, Scripts, attach, command_texts, commands_in_code, inherited, is_code
from agentihooks.vocabulary import PATH_KEYS


_NAMES_ONLY = (
    "Ask the person for what you need, or read a sample (.env.example), test that it is there (test -f), or list names only (ls)."
)
RULES = by_id(
    Rule("credential.file", "this would show what is in the credential file %s.", _NAMES_ONLY, "cat ~/.ssh/id_rsa", "cat README.md"),
    Rule("credential.tree", "this would hand on a whole directory that holds credentials (%s).",
         "Name the files that you need, without the credentials.", "tar czf - ~/.ssh", "tar czf x.tgz src"),
    Rule("credential.code", "this program text reads the credential file %s.", _NAMES_ONLY,
         "python3 -c \"print(open('/home/u/.netrc').read())\"", "python3 -c \"print(open('README.md').read())\""),
    Rule("environment.dump", "this would show every environment variable with its value (%s).",
         "Show one variable that is no secret (printenv PATH), or the names alone (compgen -e, env | cut -d= -f1).", "env", "env A=b make"),
    Rule("environment.secret", "this would show the value of %s.", "Test that it is set (test -n \"$NAME\") instead of showing it.",
         "echo $GITHUB_TOKEN", "echo $PATH"),
    Rule("credential.helper", "this asks %s for a secret and shows it.",
         "Let the program that needs the secret ask for it, or have the person do it.", "gh auth token", "gh auth status"),
    Rule("credential.undecidable", "this command is too deeply nested to be judged, %s.",
         "Write it as plain commands, one after the other.", "", "true"),
)  # fmt: skip

# Directories in a home, and of the system, that a walk does not leave without credentials.
_HOME_TREES = ("", ".config", ".local", ".local/share", ".mozilla", ".docker", ".codex", ".copilot", ".agentihooks")
_SYSTEM_TREES = ("/", "/root", "/home", "/proc", "/Users", "/run")
_SHOWING = frozenset(
    """echo printf print cat tee logger base64 xxd rev say wall write notify-send tac nl od hexdump tr cut head tail sed awk Write-Host Write-Output
    write-host write-output""".split()
)
# They say what they were given: as an error, or as a name that is listed later.
_COMPLAINING = frozenset("ls cd pushd date sleep touch mkdir stat find cp mv ln rm kill file which type let seq bc".split())
_COMPARING = ("test", "[", "[[")
_NUMERIC = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
_FILTERS = frozenset("jq gojq yq sort uniq less more bat paste fold fmt column strings dd pr expand".split())
_STARTS_PROGRAMS = r"system|popen|exec|spawn|subprocess|\bqx\b|`|\brun\b|shell|Popen|getline"
_COUNTING = frozenset("wc test [ sha256sum sha1sum md5sum cksum stat true :".split())
_GIT_PRINTS = frozenset(
    "fast-export show diff log grep blame annotate cat-file difftool archive format-patch stash range-diff diff-files diff-index whatchanged reflog".split()
)
_GIT_TAKES_IN = ("add", "update-index", "hash-object", "stage")
_COMPILERS = frozenset("gcc cc g++ c++ clang clang++ cpp".split())
_TRACERS = ("strace", "ltrace")
_GIT_QUIET = (
    "--stat",
    "--name-only",
    "--name-status",
    "--quiet",
    "--shortstat",
    "--numstat",
    "--summary",
    "--dirstat",
    "--no-patch",
    "-s",
    "--exit-code",
)
_GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
# openssl's verbs that show no private key.
_OPENSSL_QUIET = frozenset(
    "x509 verify crl s_client s_server req dgst rand genrsa genpkey gendsa ecparam ca version ciphers passwd prime list speed ts".split()
)
_NAME_FILTERS = r"-d ?= -f ?1|-F ?=|s/=.*//|^[^=]*=|\[\^=\]"
_DEFAULTS = {
    "HISTFILE": ".bash_history", "KUBECONFIG": ".kube/config", "XDG_CONFIG_HOME": ".config", "AWS_SHARED_CREDENTIALS_FILE": ".aws/credentials",
    "GOOGLE_APPLICATION_CREDENTIALS": ".config/gcloud/application_default_credentials.json", "CODEX_HOME": ".codex", "COPILOT_HOME": ".copilot",
    "AGENTIHOOKS_HOME": ".agentihooks", "NETRC": ".netrc", "PGPASSFILE": ".pgpass", "GNUPGHOME": ".gnupg", "AWS_CONFIG_FILE": ".aws/config",
}  # fmt: skip


def check(event, context):
    """Return the Denies for the calls of one event."""
    return [found for found in (_Judge(context, event.cwd).call(call) for call in event.calls) if found]


def _deny(id, detail):
    return RULES[id].deny(detail)


class _Judge:
    def __init__(self, context, cwd):
        self.context = context
        self.cwd = cwd
        self.scripts = Scripts()
        self.secrets = set()  # variables that got the answer of a credential helper
        self.staged = ""  # a credential file that git took in
        self.traced = False  # the shell prints what it runs

    def call(self, call):
        """Return the Deny for one call, None when it may go on."""
        if call.kind == "shell":
            return next(filter(None, map(self.shell, command_texts(call))), None)
        if call.kind in ("read", "search"):
            return self.paths(call.args, PATH_KEYS + ("glob", "include", "filePattern"), call.kind == "search")
        if call.kind == "glob":
            return self.paths(call.args, PATH_KEYS + ("pattern",), False, only_directories=True)
        if call.kind == "patch":
            return self.patch(call.args)
        if call.kind in ("mcp", "other", "web", "agent"):
            return next(filter(None, map(self.shell, command_texts(call))), None) or self.other(call.args)
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
        if recursive and not any(texts_of(args.get(key)) for key in PATH_KEYS) and self.is_tree("."):
            return _deny("credential.tree", self.cwd or ".")
        return None

    def patch(self, args):
        """A patch shows nothing, but moving a credential file takes its protection away."""
        for text in texts_of(args):
            source = ""
            for line in text.split("\n"):
                if line.startswith("*** Update File: "):
                    source = line[17:].strip()
                elif (
                    line.startswith("*** Move to: ") and self.is_credential(source) and not self.is_credential(line[13:].strip())
                ):
                    return _deny("credential.file", source)
        return None

    def other(self, args, key="", depth=0):
        """Judge the arguments of a tool that is not built in by the meaning of their names."""
        if isinstance(args, dict):
            for path in _in_directory(args):
                if self.is_credential(path):
                    return _deny("credential.file", path)
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
            if key.lower() in COMMAND_NAMES:
                return None  # judged as a command
            if key.lower() in ("sql", "query", "statement") and re.search(_SQL_READS, args, re.IGNORECASE):
                return self.sql([args])
            if key.lower() in ("code", "program", "python", "javascript"):
                return self.code(args, "python")
            named = key in PATH_KEYS or key.lower().endswith(
                ("path", "file", "uri", "filename", "source", "src", "paths", "files")
            )
            address = args.lower().find("file:")
            if 0 <= address < 20 and "\n" not in args and self.is_credential(args[address:]):
                return _deny("credential.file", args)
            if key.lower() in _REVISION_KEYS and self.is_credential(args.rpartition(":")[2]):
                return _deny("credential.file", args)
            named = named or (key.lower() not in _SPOKEN_KEYS and args[:1] in ("/", "~", ".") and not any(blank in args for blank in " \t"))
            if named and "\n" not in args and self.is_credential(marked(args)):
                return _deny("credential.file", args)
        return None

    def is_credential(self, path, cwd=None):
        """Judge a path as written and, where it exists, where its links lead."""
        cwd = self.cwd if cwd is None else cwd
        path = expanded(path, self.context.home)
        if is_credential(path, cwd):
            return True
        path = "/" + path[5:].lstrip("/") if path.startswith("file:") else path
        if _EVERYWHERE in path:
            root, _stars, name = path.partition(_EVERYWHERE)
            return is_sample_name(name.strip("/").rpartition("/")[2], common=True) and self.is_tree(root or ".", cwd)
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
        path = (
            "/".join(parts_of(shell.join(cwd, expanded(path, self.context.home)).rstrip("/" + shell.STAR))).replace("//", "/")
            or "/"
        )
        home = self.context.home.rstrip("/").lower()
        below = path[len(home) + 1 :] if home and path.startswith(home + "/") else "" if path == home else None
        return (
            is_directory(path)
            or path in _SYSTEM_TREES
            or below in _HOME_TREES
            or bool(home and home.startswith(path.rstrip("/") + "/"))
        )

    # shell

    def shell(self, text, depth=0, cwd=None, variables=None, source=None):
        """Return the Deny for a command text, None when nothing in it shows a credential. source: the command that runs it."""
        if not text:
            return None
        if depth > MAX_DEPTH:
            return _deny("credential.undecidable", "more than %d shells in one another" % MAX_DEPTH)
        cwd = self.cwd if cwd is None else cwd
        home = self.context.home
        if variables is None:
            variables = {name: [shell.Word(shell.join(home, path))] for name, path in _DEFAULTS.items()} if "$" in text else {}
            variables["HOME"] = [shell.Word(home)]
        try:
            commands = shell.parse(text, home, cwd, variables)
            attach(commands, source)
            for command in commands:
                found = self.command(command, depth, variables)
                if found:
                    return found
        except (shell.TooComplex, RecursionError):
            return _deny("credential.undecidable", "its parts cannot be followed")
        return None

    def command(self, command, depth, variables):
        whole = command
        command, fed = unwrapped(command)
        program = program_of(command)
        texts = shell_texts(command) + (shell_texts(whole) if whole is not command else [])
        script = self.scripts.taken(command)
        texts += [script] if script and not is_code(script) else []
        for inner in texts:
            found = self.shell(inner, depth + 1, command.cwd, inherited(variables, command), command)
            if found:
                return found
        if program in ("find", "fd", "fdfind"):
            found = self.find(command)
            if found:
                return found
        elif program in SHELLS or program == "set":
            self.traced = self.traced or any(re.fullmatch("-[a-z]*[xv][a-z]*|xtrace|verbose", word.text) for word in command.words[1:3])
        language = interpreter(program)
        if language or (script and is_code(script)):
            pieces, scripts = codes(command)
            pieces = pieces + [script] if script and is_code(script) else pieces
            for word in command.words[1:]:
                for name in word.names if word.text in pieces else ():
                    if secret_name(name):
                        return _deny("environment.secret", name)
            for code in pieces + [self.scripts.text(command.cwd, name) for name in scripts]:
                found = self.code(code, language or "python")
                if not found and depth < MAX_DEPTH and re.search(_STARTS_PROGRAMS, code):
                    inner = commands_in_code(code)
                    found = next(filter(None, (self.shell(text, depth + 1, command.cwd, inherited(variables, command)) for text in inner)), None)
                if found:
                    return found
        self.scripts.note(command)
        return (
            self.reads(command, whole, program, fed) or self.found(command) or self.dump(whole, command, program) or self.helper(whole, command, program)
        )

    def reads(self, command, whole, program, fed):
        for word in command.reads:
            if program not in _COUNTING and self.is_credential(word.text, command.cwd):
                return _deny("credential.file", plain(word.text))
        for name, word in command.assigns:
            if name in ("BASH_ENV", "ENV", "PYTHONSTARTUP") and word is not None and self.is_credential(word.text, command.cwd):
                return _deny("credential.file", plain(word.text))
        words = [word.text for word in command.words[1:]]
        if program_of(whole) in _TRACERS and whole is not command:
            found = self.operands(command, operands(command))
            if found:
                return found
        if shows_names_only(command):
            return None
        if program == "git":
            return self.git(command, words)
        for path in sent_in(whole, command) + handed_over(program_of(whole), [word.text for word in whole.words[1:]]) + (
            handed_over(program, words) if whole is not command else []
        ):
            if self.is_credential(path, command.cwd):
                return _deny("credential.file", plain(path))
        if program in ("apply_patch", "applypatch"):
            return self.patch({"text": words + list(command.feeds)})
        if program in ("curl", "wget"):
            paths = _uploads(command)
        elif program in ("psql", "mysql", "mariadb", "sqlite3", "duckdb"):
            return self.sql(words) or (self.operands(command, operands(command)) if program in ("sqlite3", "duckdb") else None)
        elif program in NOT_READERS or not program:
            return None
        else:
            paths = self.read_operands(command, program, words)
        if program in ("cpio", "pax") and (command.feeds or command.piped_from is not None):
            paths, fed = list(paths), True
        if fed:
            paths = paths + " ".join(command.feeds).split()
            if command.piped_from is not None:
                root = shell.walk_root(command.piped_from)
                if root and self.is_tree(root, command.piped_from.cwd):
                    return _deny("credential.tree", plain(root))
                paths += shell.listed(command.piped_from)
        found = self.operands(command, paths)
        if found:
            return found
        if program in SEARCHERS and not _only_counts(words):
            for glob in option_values(words, ("-g", "--glob", "--iglob", "--include")):
                if not glob.startswith("!") and self.is_credential(marked(glob), command.cwd):
                    return _deny("credential.file", glob)
        if program not in RECURSIVE and not (program in _WALKS and any(re.fullmatch(_WALKS[program], word) for word in words)):
            return None
        cwd = command.cwd
        if program in ("rg", "ag", "ack") and not paths and command.piped_from is None:
            paths = ["."]
        for path in paths:
            if self.is_tree(path, cwd):
                return _deny("credential.tree", plain(path))
        return None

    def operands(self, command, paths):
        for path in paths:
            if self.is_credential(path, command.cwd):
                return _deny("credential.file", plain(path))
            if is_directory(expanded(path, self.context.home), command.cwd):
                return _deny("credential.tree", plain(path))
        return None

    def read_operands(self, command, program, words):
        """Return the arguments of a program that it reads."""
        if program in ("tar", "gtar", "bsdtar"):
            return self.tar(command, words)
        paths = operands(command) + (sed_reads(words) if program in ("sed", "gsed") else [])
        if program.endswith("awk") and any("getline" in word for word in words):
            paths += [value.partition("=")[2] for value in option_values(words, ("-v", "--assign"))]
        if program in SEARCHERS and _only_counts(words):
            return option_values(words, ("-f", "--file"))
        if program in ("sed", "gsed") and any(word.startswith(("-i", "--in-place")) for word in words):
            return paths if any(re.search(r"(?:^|[;{}\d$/])[ \t]{0,9}w\s|/w[ ]|/dev/", word) for word in words) else []
        if program == "dd":
            return [word[3:] for word in words if word.startswith("if=")]
        if program in _COMPILERS:
            paths += [path for text in stdin_texts(command) for path in re.findall(r"#\s{0,9}include\s{0,9}[<\"]([^<>\"\n]+)", text)]
        if program == "openssl" and (words[:1] and words[0] in _OPENSSL_QUIET or "-pubout" in words or ("-noout" in words and "-text" not in words)):
            return []
        if program == "zip":
            paths = paths[1:]
            return [path for path in paths if path not in words[words.index("-x") :]] if "-x" in words else paths
        if (
            interpreter(program) == "python"
            and "-m" in words
            and words[words.index("-m") + 1 :][:1] in (["venv"], ["virtualenv"])
        ):
            return []
        if program in ("source", "."):
            return [
                path
                for path in paths[:1]
                if not re.search(r"/?\.(?:bash|zsh)?(?:rc|_profile|_login|profile|env)$", path) or path.endswith(".env")
            ]
        targets = option_values(words, ("-t", "--target-directory"))
        if program in COPIERS and targets:
            return [path for path in paths if path not in targets]
        if program in COPIERS and len(paths) > 1:
            target = paths.pop()
            if program == "mv" and self.is_credential(target, command.cwd):
                return [path for path in paths if not self.is_credential(path, command.cwd)]
            if program in ("cp", "gcp", "install") and self.stays_guarded(paths, target, command.cwd):
                return [path for path in paths if not self.is_credential(path, command.cwd)]
        return paths

    def stays_guarded(self, paths, target, cwd):
        """Return whether files of a directory are copied to a place below it and keep a name that is guarded."""
        if any(path.startswith(("/", "~")) or ".." in path or shell.UNKNOWN in path for path in paths + [target]):
            return False
        if not target.endswith("/"):
            return len(paths) == 1 and self.is_credential(target, cwd)
        return all(self.is_credential(target + path.rpartition("/")[2], cwd) for path in paths if self.is_credential(path, cwd))

    def tar(self, command, words):
        """Return what a tar command packs, or unpacks to its output."""
        mode = words[0].lstrip("-") if words and not words[0].startswith("--") else ""
        letters = mode + "".join(word[1:] for word in words[1:] if word.startswith("-") and not word.startswith("--"))
        to_output = "O" in letters or "--to-stdout" in words
        if not to_output and not (
            "c" in letters
            or "r" in letters
            or "u" in letters
            or any(word in ("--create", "--append", "--update") for word in words)
        ):
            return []
        found, cwd, skip, files = [], command.cwd, "", "f" in mode and not words[0].startswith("-")
        for word in command.words[2:] if mode and not words[0].startswith("-") else command.words[1:]:
            text = word.text
            found += word.content.split() if word.content else []
            if skip == "C":
                cwd, skip = shell.join(command.cwd, text), ""
                found += [cwd + "/."] if self.is_tree(cwd) else []
            elif skip:
                found += [shell.join(cwd, text)] if skip == "T" else []  # the names in it are shown, as errors
                skip = ""
            elif files:
                files = False
            elif text.startswith("--"):
                name, equals, value = text.partition("=")
                if name in ("--directory", "--cd") and equals:
                    cwd = shell.join(command.cwd, value)
                elif (
                    name in ("--directory", "--exclude", "--exclude-from", "--file", "--transform", "--files-from") and not equals
                ):
                    skip = "C" if name == "--directory" else "x"
                elif name == "--files-from":
                    found.append(value)
            elif text.startswith("-") and len(text) > 1:
                last = text[-1]
                skip = last if last in "CfXTbgLHK" else ""
            else:
                found.append(shell.join(cwd, text))
        return found

    def find(self, command):
        words = [word.text for word in command.words]
        for path in words[words.index("-files0-from") + 1 :] if "-files0-from" in words else ():
            if self.is_credential(path, command.cwd):
                return _deny("credential.file", plain(path))
        if not _FIND_EXECUTES & set(words):
            return None
        inner = [unwrapped(item)[0] for text in shell_texts(command) for item in shell.parse(text)]
        harmless = [
            item for item in inner if program_of(item) in NOT_READERS or program_of(item) == "git" or _searches_quietly(item)
        ]
        if len(harmless) == len(inner):
            return None
        names = shell.find_names(words)
        places = list(takewhile(lambda word: word[:1] not in ("-", "!", "("), words[1:]))
        for place in places:
            if not names and self.is_credential(place, command.cwd):
                return _deny("credential.file", plain(place))
            if self.may_find(place, names, command.cwd):
                return _deny("credential.tree", plain(place))
        if not names and words[0] != "find":
            names = [
                word
                for word in words[1 : 1 + max(0, min(map(words.index, set(words) & _FIND_EXECUTES)) - 1)]
                if not word.startswith("-")
            ][:1]
        for name in names:
            if self.is_credential(name, command.cwd):
                return _deny("credential.file", plain(name))
        if not names:
            for path in [word for word in words[1:] if not word.startswith("-")][:1]:
                if self.is_tree(path, command.cwd):
                    return _deny("credential.tree", plain(path))
        return None

    def may_find(self, root, names, cwd):
        """Return whether a find in the home or above looks for a name that a credential has there ("credentials")."""
        return any(is_sample_name(name) for name in names if "/" not in name) and self.is_tree(root, cwd)

    def found(self, command):
        """Judge a find whose names are handed to a program that reads them."""
        words = [word.text for word in command.words]
        reader = command.parent
        for after in behind(command) if reader is None else ():
            reader = after if unwrapped(after)[1] else reader
        if program_of(command) not in ("find", "locate", "plocate") or reader is None:
            return None
        if program_of(unwrapped(reader)[0]) in NOT_READERS or program_of(unwrapped(reader)[0]) in _COUNTING | _FILTERS:
            return None
        names = shell.find_names(words)
        places = list(takewhile(lambda word: word[:1] not in ("-", "!", "("), words[1:]))
        if program_of(command) != "find":
            places, names = ["/"], [shell.marked(word) for word in words[1:] if not word.startswith("-")]
        for place in places:
            if self.may_find(place, names, command.cwd):
                return _deny("credential.tree", plain(place))
        return None

    def git(self, command, words):
        index = 0
        while index < len(words) and words[index].startswith("-"):
            index += 2 if words[index] in _GIT_VALUES else 1
        verb, rest = words[index] if index < len(words) else "", words[index + 1 :]
        cwd = command.cwd
        if "-C" in words[:-1]:
            cwd = shell.join(cwd, words[words.index("-C") + 1])
        paths = []
        if verb in _GIT_TAKES_IN or (verb == "stash" and any(word in ("-a", "--all") or re.fullmatch("-[a-z]*a[a-z]*", word) for word in rest)):
            taken = [word.rpartition(",")[2] if "," in word else word for word in rest if not word.startswith("-")]
            self.staged = next((path for path in taken if self.is_credential(path, cwd)), self.staged) or (".env" if verb == "stash" else "")
        elif self.staged and (verb in _GIT_PRINTS or verb == "cat-file") and not any(word.partition("=")[0] in _GIT_QUIET for word in rest):
            if rest or verb not in ("log", "diff", "reflog", "stash"):
                return _deny("credential.file", plain(self.staged))
        if verb in _GIT_PRINTS or "--no-index" in words:
            quiet = any(word.partition("=")[0] in _GIT_QUIET for word in rest) and not any(
                word in ("-p", "-u", "--patch") for word in rest
            )
            if verb in ("log", "whatchanged", "reflog"):
                quiet = not any(re.match(r"-p$|-u$|--patch|-[UL]|--cc$", word) for word in rest)
            elif verb == "grep":
                quiet = _only_counts(rest)
                first = next((word for word in rest if not word.startswith("-")), "")
                rest = rest if "-e" in rest else [word for word in rest if word is not first]
            elif verb == "cat-file":
                quiet = any(word in ("-e", "-t", "-s") for word in rest)
            elif verb == "stash":
                quiet = rest[:1] != ["show"]
            if not quiet:
                kept = [word for word in command.words[1:] if word.text in rest]
                paths = operands(_with_words(command, [command.words[0]] + kept))
        elif verb == "config":
            paths = option_values(rest, ("-f", "--file"))
        elif verb in ("commit", "tag", "notes"):
            paths = option_values(rest, ("-F", "--file", "-t", "--template"))
            paths += [path for index, word in enumerate(rest) if re.fullmatch("-[a-z]*[Ft]", word) for path in rest[index + 1 :]]
        elif verb == "hash-object" and "-w" in rest:
            paths = rest
        elif verb == "mv" and len(rest) > 1:
            paths = [] if self.is_credential(rest[-1], cwd) else rest[:-1]
        for path in paths:
            if self.is_credential(path, cwd):
                return _deny("credential.file", plain(path))
        return None

    def code(self, text, language):
        from agentihooks import program_texts  # only commands with a program text pay for it

        if language.endswith("awk"):
            text = program_texts.without_patterns(text)
        for name in () if program_texts.only_looks(text) else program_texts.names(text):
            if self.is_credential(marked(name) if "glob" in text else name):
                return _deny("credential.code", name)
        if program_texts.shows_dotenv(text):
            return _deny("credential.code", ".env")
        if program_texts.shows_environment(text, language):
            return _deny("environment.dump", "in a program text")
        for name in program_texts.shown_variables(text):
            if secret_name(name):
                return _deny("environment.secret", name)
        return None

    def sql(self, words):
        """Judge the file names in statements of a database client."""
        for word in words:
            names = re.findall(r"'([^']{1,400})'", word) + (word.split()[1:] if word.startswith(".") else [])
            for name in names:
                if self.is_credential(name):
                    return _deny("credential.code", name)
        return None

    def dump(self, whole, command, program):
        words = [word.text for word in command.words[1:]]
        options = [word for word in words if word.startswith("-")]
        names = [word for word in words if not word.startswith("-")]
        kind = ""
        if program == "env":
            unset = option_values(words, ("-u", "--unset", "-C", "--chdir"))
            kind = "env" if all("=" in word or word in unset for word in names) else ""
        elif program == "printenv":
            kind = "" if names else "printenv"
            shown = [name for name in names if secret_name(name)]
            if shown:
                return _deny("environment.secret", shown[0])
        elif program in ("export", "declare", "typeset", "readonly", "local"):
            letters = "".join(option[1:] for option in options)
            if not names:
                listed = not options and program != "local" or (re.search("[px]", letters) and "f" not in letters)
                kind = program if listed else ""
            elif "p" in letters:
                shown = [name for name in names if secret_name(name)]
                if shown:
                    return _deny("environment.secret", shown[0])
        elif program == "set":
            kind = "" if words else "set"
        elif program == "ps":
            kind = "ps e" if _ps_shows_environment(words) else ""
        elif program == "gdb":
            kind = "gdb show environment" if re.search(r"show env|\benviron\b", " ".join(words + stdin_texts(command))) else ""
        elif program in ("jq", "gojq") and self.jq(words):
            return self.jq(words)
        elif program == "envsubst":
            return self.named(stdin_texts(command))
        if kind:
            return None if _only_names(whole) or _hidden(command) else _deny("environment.dump", kind)
        shows = program in _SHOWING or program in _COMPLAINING or self.traced or (program in _COMPARING and not set(words).isdisjoint(_NUMERIC))
        shown = [name for word in command.words[1:] for name in word.names] if shows else []
        if program == "git" and words[:1] in (["commit"], ["tag"], ["notes"], ["branch"], ["checkout"], ["switch"]):
            shown = [name for word in command.words[1:] for name in word.names]
        if program in _SHOWING or program in _FILTERS or (program in SEARCHERS and not _only_counts(words)):
            shown += command.fed_names
        if shown and not _logs_in(whole) and not self.kept_safe(command):
            for name in shown:
                if name.startswith("!"):
                    return _deny("environment.dump", "${%s}" % name)
                if secret_name(name) or name in self.secrets:
                    return _deny("environment.secret", name)
        return None

    def jq(self, words):
        program = " ".join(words)
        if re.search(r"\$ENV\b(?!\.)|(?:^|[\s|(,])env\s*(?:$|[|),])", program) and not re.search(r"\.env\b", program):
            return _deny("environment.dump", "jq env")
        return self.named(["$" + name for name in re.findall(r"(?:\$ENV|(?:^|[\s|(,])env)\.(\w+)", program)])

    def named(self, texts):
        """Judge texts in which variables will be replaced by their values."""
        for text in texts:
            for name in re.findall(r"\$\{?(\w+)", text):
                if secret_name(name):
                    return _deny("environment.secret", name)
        return None

    def kept_safe(self, command):
        """Return whether what a command prints goes nowhere but into a credential file or away."""
        writes = [word.text for word in command.writes]
        return (
            bool(writes)
            and program_of(command) != "tee"
            and all(path == "/dev/null" or self.is_credential(path, command.cwd) for path in writes)
        )

    def helper(self, whole, command, program):
        if program in READERS:
            return None  # none of them is asked for secrets, and the list of those that are stays unloaded
        from agentihooks.credential_helpers import DECRYPTING, asked

        what = asked(program, [word.text for word in command.words[1:]])
        if not what or _logs_in(whole) or _hidden(command) or _swallowed(whole) or self.kept_safe(command):
            return None
        if program in DECRYPTING and _stored(whole):
            return None
        parent = command.parent
        if parent is not None and not _logs_in(parent):
            user = program_of(unwrapped(parent)[0])
            holders = [name for name, word in parent.assigns if word is not None and shell.UNKNOWN in word.text]
            if user in ("export", "declare", "local", "readonly", "typeset"):
                holders += [word.text.partition("=")[0] for word in parent.words[1:]]
            self.secrets.update(holders)
            if not (holders or not user or (user in NOT_READERS and user not in _SHOWING)):
                return _deny("credential.helper", what)
            return None
        return None if parent is not None else _deny("credential.helper", what)


_EVERYWHERE = shell.STAR + shell.STAR + "/"
_FIND_EXECUTES = {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
# Options by which a program walks a tree.
_WALKS = {
    "cp": "-[a-zA-Z]*[rRa][a-zA-Z]*|--recursive|--archive", "grep": "-[a-zA-Z]*[rR][a-zA-Z]*|--recursive|--dereference-recursive",
    "scp": "-[a-zA-Z]*r[a-zA-Z]*", "tar": ".*", "gtar": ".*", "diff": "-[a-zA-Z]*r[a-zA-Z]*|--recursive",
}  # fmt: skip
_WALKS.update(dict.fromkeys(("egrep", "fgrep", "zgrep"), _WALKS["grep"]), gcp=_WALKS["cp"])


# Arguments that are no path to a file that is read, whatever stands in them.
_SPOKEN_KEYS = frozenset(
    """query pattern prompt message title body description reason comment question text content contents file_text new_str old_str exclude excludes ignore
    excludepatterns exclude_patterns ignore ignored skip except patterns globs glob include filter suffix extension ext""".split()
)
_REVISION_KEYS = ("revision", "rev", "ref", "object", "commit", "target", "treeish")
_SQL_READS = r"readfile|pg_read|copy\b|load_file|infile|read_text|read_blob|read_csv|lo_import|openrowset|attach|from\s+'"


def _in_directory(args):
    """Return the paths that two arguments make together: a directory and the name of a file in it."""
    places = [value for key, value in args.items() if str(key).lower() in _PLACE_KEYS and isinstance(value, str) and value]
    names = [value for key, value in args.items() if str(key).lower() in _NAME_KEYS and isinstance(value, str) and value and "\n" not in value]
    return [place.rstrip("/") + "/" + name for place in places[:3] for name in names[:3]]


_PLACE_KEYS = ("dir", "directory", "folder", "root", "base", "basepath", "base_path", "cwd", "path")
_NAME_KEYS = ("name", "file", "filename", "file_name", "relative_path", "relativepath", "document")


def _with_words(command, words):
    inner = shell.Command(command.cwd)
    inner.words = words
    return inner


def _searches_quietly(command):
    return program_of(command) in SEARCHERS and _only_counts([word.text for word in command.words[1:]])


def _only_counts(words):
    """Return whether a search only counts its hits, lists files, or says whether there is one."""
    return any(
        re.fullmatch("-[a-zA-Z]*[clLq][a-zA-Z]*|--count|--name-only|--files-with(?:out)?-match(?:es)?|--quiet", word)
        for word in words
    )


def _ps_shows_environment(words):
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            if word == "-E":
                return True
            skip = word in ("-o", "-p", "-u", "-U", "-C", "-t", "-g", "-G", "-q", "-s", "--sort", "--ppid", "--pid")
        elif re.fullmatch("[a-zA-Z]+", word) and "e" in word:
            return True
        else:
            skip = word[-1:] in "oOpUt"
    return False


def _hidden(command):
    return bool(command.writes) and all(word.text == "/dev/null" for word in command.writes)


def _only_names(command):
    """Return whether what follows in the pipeline leaves no value: a counter, or a cut to names."""
    after = command.piped_into
    while after is not None:
        program, words = program_of(after), " ".join(word.text for word in after.words[1:])
        if program == "wc" or (program in SEARCHERS and re.search(r"(?:^|\s)-[a-zA-Z]*[cq]|--count|--quiet", words)):
            return True
        if program in ("cut", "awk", "sed") and re.search(_NAME_FILTERS, words.replace("'", "").replace('"', "")):
            return "$2" not in words and "$0" not in words
        if program in SEARCHERS and re.search(r"\^(?:PATH|NODE|LANG|HOME|USER|SHELL|PWD|LC_|TERM|EDITOR)", words):
            return True
        after = after.piped_into if program in ("sort", "uniq") else None
    return False


def _logs_in(command):
    """Return whether a pipeline ends in a program that takes a password on stdin and does not show it."""
    after = command.piped_into
    for _step in range(100):
        if after is None or after.piped_into is None:
            break
        after = after.piped_into
    words = [word.text for word in after.words] if after is not None else []
    return (
        "login" in words
        or any(word in ("--password-stdin", "--with-token", "--passphrase-fd") for word in words)
        or words[:2] == ["gh", "secret"]
    )


def _end(command):
    """Return the last command of a pipeline."""
    for _step in range(100):
        if command.piped_into is None:
            break
        command = command.piped_into
    return command


def _swallowed(command):
    """Return whether a pipeline ends in a program that uses what it is fed and shows nothing of it."""
    if command.piped_into is None or command.piped_into is not _end(command):
        return False
    end = unwrapped(command.piped_into)[0]
    program, words = program_of(end), [word.text for word in end.words[1:]]
    plain = [word for word in words if not word.startswith("-")]
    if program in ("kubectl", "oc", "helm"):
        shows = any(word.startswith(("-o", "--output", "--dry-run", "--debug", "-v")) for word in words)
        return not shows and any(verb in plain for verb in ("apply", "create", "replace", "upgrade", "install"))
    if program in ("docker", "podman"):
        return plain[:2] == ["secret", "create"] or plain[:2] == ["stack", "deploy"]
    if program in ("tar", "gtar", "bsdtar"):
        letters = "".join(word.lstrip("-") for word in words[:1])
        return "x" in letters and "O" not in letters and "v" not in letters and "--to-stdout" not in words
    return program == "ssh-add" or (program in ("gpg", "gpg2") and "--import" in words)


def _stored(command):
    """Return whether what a pipeline prints goes into files, and tee shows none of it on the way."""
    end, sinks = _end(command), ("/dev/stdout", "/dev/stderr", "/dev/tty")
    return bool(end.writes) and all(word.text not in sinks for word in end.writes)


def _uploads(command):
    """Return the files that curl or wget would read: @file, -T, -K, --post-file, file: addresses; not --cert and --key."""
    words = [word.text for word in command.words[1:]]
    found = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        if word in ("-T", "--upload-file", "-K", "--config", "--post-file", "--body-file", "-i", "--input-file", "--netrc-file"):
            found.append(following if word != "--netrc-file" else "")
        if word.startswith(("--post-file=", "--body-file=", "--upload-file=")):
            found.append(word.partition("=")[2])
        if word.startswith("-") and not word.startswith("--") and "T" in word:
            found.append(word[word.index("T") + 1 :] or following)
        if word.startswith("file:"):
            found.append(word)
        if "@" in word and (
            word.startswith(("@", "-F", "--data", "--form", "--json")) or (word[:2] != "--" and "d@" in word) or (index and words[index - 1] in _DATA_OPTIONS)
        ):
            found.append(word.partition("@")[2].partition(";")[0])
        if "<" in word and index and words[index - 1] in ("-F", "--form"):
            found.append(word.partition("<")[2])
    return [path for path in found if path]


_DATA_OPTIONS = (
    "-d",
    "--data",
    "--data-binary",
    "--data-raw",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "-H",
    "--header",
)


def expanded(path, home):
    """Return path with ~, $HOME and ${HOME} in front replaced: tools other than a shell may do so themselves."""
    for head in ("~/", "$HOME/", "${HOME}/", "%USERPROFILE%/"):
        if path.startswith(head):
            return home + "/" + path[len(head) :]
    return home if path in ("~", "$HOME", "${HOME}") else path


def plain(path):
    """Return path for a reader: marks as the characters they came from."""
    return path.replace(shell.STAR, "*").replace(shell.ONE, "?").replace(shell.UNKNOWN, "...")


def texts_of(value):
    """Return all texts in a value, at any depth."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in texts_of(item)]
