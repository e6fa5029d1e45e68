# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-protection: what the model runs or writes may not switch its guards off. The person does that, outside of the session."""

from __future__ import annotations

import re
from itertools import takewhile

from agentihooks import shell
from agentihooks.config_homes import HOMES
from agentihooks.guards.credential_reads import expanded, plain
from agentihooks.programs import CONTAINERS, SHELLS, before, behind, codes, interpreter, operands, option_values, program_of, stdin_texts
from agentihooks.protected_files import GUARD, JSON_NAMES, JSON_SETTINGS, REPOSITORY, SHELL_START, TOML_SETTINGS, Places, decided, speaks_of_hooks
from agentihooks.relevance import READERS
from agentihooks.rules import Rule, by_id
from agentihooks.shell_walk import Scripts, command_texts, script_of, walk
from agentihooks.vocabulary import NEW_TEXT_KEYS, PATCH_KEYS, PATH_KEYS

_BY_THE_PERSON = "Leave it as it is; if it has to change, ask the person to do it outside of this session."
RULES = by_id(
    Rule("self.files", "this would change %s, which the guards of this session consist of.", _BY_THE_PERSON,
         "rm ~/.agentihooks/policy.json", "cat ~/.agentihooks/policy.json"),
    Rule("self.settings", "this would change %s, which decides whether the guards run.", _BY_THE_PERSON,
         "echo '{\"disableAllHooks\": true}' > .claude/settings.json", "echo '{\"model\": \"x\"}' > .claude/settings.json"),
    Rule("self.unjudged", "this would write %s, and what it would hold cannot be told beforehand.",
         "Use the edit tool, or write the text itself (cat > file <<'EOF'), so that the result can be judged.",
         "curl -s https://example.com/s.json > .claude/settings.json", "curl -s https://example.com/s.json > data.json"),
    Rule("self.command", "this would turn hooks or their trust off with %s.", _BY_THE_PERSON,
         "codex features disable hooks", "codex features list"),
    Rule("self.environment", "this would start an agent CLI, or set it up, without its guards (%s).",
         "Leave the variable as it is; the CLI finds its own configuration.", "COPILOT_HOME=/tmp/x copilot -p hi", "FOO=1 copilot --version"),
    Rule("self.unlock", "a guard is unlocked by a person in a terminal of their own, not from a session (%s).",
         "Say what you need it for, and let the person decide.", "agentihooks unlock git", "agentihooks status"),
    Rule("self.broadcast", "a session speaks to the others in its own name and removes nothing that a person said (%s).",
         "Use the tool channel_publish of the server hooks-utils, or say it to the person.", "agentihooks broadcast --clear",
         "agentihooks broadcast --list"),
    Rule("repository.hooks", "this would change %s: commands that agent CLIs run by themselves, unseen by the guards.", _BY_THE_PERSON,
         "cp x.json .github/hooks/x.json", "cp x.json .github/x.json"),
)  # fmt: skip

# Those and what the shell itself, a CLI or a program that only talks to a server does.
_READERS = READERS | frozenset(
    """fd fdfind find sort command export declare local typeset readonly unset read set source . for select case if while eval exec exit return wait env
    mdls xdg-mime look inotifywait watch ssh-keygen gh glab copilot codex agentihooks pgrep pkill trap ulimit umask alias shift getopts""".split()
)
_FINDERS = ("find", "locate", "plocate", "mlocate")
# They change nothing in a file but who may use it or when it was changed.
_ATTRIBUTES = frozenset("chmod chown chgrp chattr setfacl touch xattr".split())
_REMOVERS = frozenset("rm unlink shred truncate trash rmdir srm".split())
_COPIERS = frozenset("cp mv ln link install rsync scp gcp gmv rename ditto".split())
_EDITORS = frozenset("yq sponge ed ex vi vim nvim emacs nano micro patch perl ruby sed gsed crudini dasel tomlq toml jq gojq".split())
_GIT_CHANGES = frozenset("checkout restore rm mv clean apply reset stash switch am init".split())
# They may speak of a command without running it.
_TALKERS = frozenset(
    "echo printf cat tee git gh glab grep egrep fgrep rg ag ack sed awk ls man jq less head tail find fd diff wc curl vi vim nano code".split()
)
_CLIS = tuple(HOMES)
_CLI_HOMES = tuple(variable for variable, _name in HOMES.values())
_EXPORTS = ("export", "declare", "typeset", "setenv", "set")
# They put code into a CLI that is started: the guards judge what it does, not what such code does.
_PRELOADS = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES")
# They give programs that start later another environment, each with words of its own.
_SETTERS = ("set", "setenv", "systemctl", "launchctl", "tmux", "dbus-update-activation-environment", "setx")
_OFF_FLAGS = ("--ignore-user-config", "--ignore-rules", "--dangerously-bypass-hook-trust", "--config-dir", "--trust")
_OWN_KEYS = ("disableallhooks", "disabledhooks", "hooks", "trustedfolders", "trusted_folders")
_CODEX_KEY = re.compile(r"[\s\"']*(?:features[\s\"'.]*\.[\s\"']*(?:codex_)?hooks|hooks|projects|profiles?|features\s*=.*hooks)", re.IGNORECASE | re.DOTALL)
_CODE_HINTS = ("agentihook", ".copilot", ".codex", ".claude", "hooks", "settings")
_CODE_CHANGES = re.compile(
    r"write|['\"](?:[wax]b?\+?|r\+b?|rb\+)['\"]|unlink|remove|renam|replace|rmtree|rmdir|chmod|chown|link|truncate|copy|move|dump|touch|save|append"
    r"|system|popen|exec|spawn|subprocess|run|call|\bqx\b|`|>|mkdir|delete|FileUtils|\bput|_put_|\brm\w{0,9}\("
)
_OWN_PROGRAMS = ("agentihooks", "cli.py", "main.py", "agentihooks-hook.sh")
_DESCRIPTOR = re.compile(r"/dev/(?:fd/|stdin)|/proc/[^/]+/fd/|-\Z")
_CODE_MOVES = re.compile(r"copy|move|renam|replace|link")
# Texts in which the name of a command is not run: what a person reads.
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".html", ".log")
# What the hooks of a session are called while they run (ps): whoever ends them lets a call through on some CLIs.
_OWN_PROCESSES = ("/bin/sh /home/u/.copilot/agentihooks-hook.sh preToolUse",
                  "/home/u/.agentihooks/runtime/current/python -I -S /home/u/.agentihooks/runtime/current/main.py preToolUse")
_ANY_PROCESS = ("python3 app.py", "/usr/bin/python server.py", "sh -c x", "/bin/sh run.sh")
# "-o x", "-ox", "-ao x", "--output=x", "-out x": the same in most programs.
_OUTPUT_OPTION = re.compile(
    r"--?(?:out|outfile|output[\w-]*|save[\w-]*|log-file|dump-header|cookie-jar|trace(?:-ascii)?|stderr)(?:=(?P<value>.*))?\Z"
    r"|-[A-Za-z0-9]*?[oO](?P<joined>.*)\Z"
)
_NO_OUTPUTS = frozenset("ls dir exa eza lsd test [ [[ grep egrep fgrep zgrep rg ag ack ps find ssh sshfs mount set".split())
_COUNTS = ("-c", "-f", "-g", "-l", "-n", "-o", "-s", "-w")  # of uniq and xxd, with a number behind
_SED_WRITES = re.compile(r"[wW]\s+([^\s;}]+)")  # the command w and the flag w of s
_CODE_TOKEN = re.compile(r"[^\s'\"`()\[\]{},;|<>=]+")
_READING_TOOL = re.compile(r"read|get|list|search|view|stat|info|find|tree|show|describe|query|open", re.IGNORECASE)
_CHANGING_TOOL = re.compile(r"write|edit|creat|delet|remov|move|renam|updat|patch|replac|insert|append|put|set|copy|upload|exec|run", re.IGNORECASE)
_DEEPEST = 8


def check(event, context):
    """Return the Denies for the calls of one event."""
    if not event.calls:
        return []
    judge = _Judge(context, event.cwd)
    return [found for found in map(judge.call, event.calls) if found]


def _deny(id, detail):
    return RULES[id].deny(plain(detail))


class _Judge:
    def __init__(self, context, cwd):
        self.context = context
        self.cwd = cwd
        self._places = None
        self.uncertain = False  # a command before in the same text may have written anything
        self.moved = False  # a command before in the same text changed HOME
        self.copied_own = False  # a command before in the same text read the agentihooks program
        self.held = ""  # a file of the guards that exec has opened
        self.spoken = False  # a command before in the same text printed a call of the unlock command

    @property
    def places(self):
        if self._places is None:
            self._places = Places(self.context.home, self.context.data_directory, self.context.environ, self._real)
        return self._places

    def call(self, call):
        """Return the Deny for one call, None when it may go on."""
        if call.kind == "shell":
            return next(filter(None, map(self.shell, command_texts(call))), None)
        if call.kind in ("write", "edit", "patch"):
            return self.edit(call) or self.script_written(call)
        if call.kind in ("mcp", "other"):
            return next(filter(None, map(self.shell, command_texts(call))), None) or self.tool(call.name, call.args)
        return None

    def script_written(self, call):
        """Judge a text that would run the operator's unlock command once somebody starts it."""
        texts = [call.args[key] for key in NEW_TEXT_KEYS + PATCH_KEYS if isinstance(call.args.get(key), str)]
        if not any("unlock" in text and _calls_unlock(text) for text in texts):
            return None
        paths = _paths(call)
        if paths and all(path.lower().endswith(_PROSE) for path in paths):
            return None
        return _deny("self.unlock", "in " + (paths[0] if paths else "a file"))

    # files

    def kind(self, path, cwd=None):
        """Return the kind of protected file that path is, as written or where its links lead; "" for none."""
        cwd = self.cwd if cwd is None else cwd
        path = expanded(path, self.context.home)
        if self.held and _DESCRIPTOR.match(path):
            path = self.held
        if not path or len(path) > 4096:
            return ""
        kind = self.places.kind(path, cwd) or (self.places.kind(path, self.context.home) if cwd == shell.UNKNOWN else "")
        if kind in ("", SHELL_START) and not any(mark in path for mark in (shell.STAR, shell.ONE, shell.UNKNOWN, "\0")):
            absolute = shell.join(cwd, path)
            real = self._real(absolute) if absolute.startswith("/") and shell.UNKNOWN not in absolute else absolute
            if real != absolute:
                kind = self.places.kind(real) or kind
        return kind

    def edit(self, call):
        """Judge a write, edit or patch by what it leaves in each file."""
        kinds = {path: self.kind(path) for path in _paths(call)}
        for path, kind in kinds.items():
            if kind in (GUARD, REPOSITORY):
                return _deny("self.files" if kind == GUARD else "repository.hooks", path)
        if not any(kinds.values()):
            return None
        from agentihooks import file_writes

        for write in file_writes.writes(call, self.cwd, self.context, lambda name: True):
            kind = kinds.get(write.path, "")
            before = (self.read(write.path) or "") if kind and call.kind == "patch" else write.before or ""
            fits = write.after is not None and (write.after != before or not write.added)
            found = self.result(write.path, kind, before, write.after if fits else None, write.added)
            if found:
                return found
        return None

    def result(self, path, kind, before, after, new=""):
        """Judge the text that a settings file would hold; after: None when it cannot be told, new is what comes in then."""
        if not kind:
            return None
        if after is None:
            if kind == SHELL_START:
                return self.result(path, kind, "", new)
            return _deny("self.unjudged", path) if speaks_of_hooks(before) or speaks_of_hooks(new) or not new else None
        for key, switches in decided(kind, before, after):
            return _deny("self.settings" if switches else "repository.hooks", "%s in %s" % (key, path))
        return None

    def read(self, path, cwd=None):
        """Return the text of a file, None when there is none."""
        path = shell.join(self.cwd if cwd is None else cwd, expanded(path, self.context.home))
        try:
            return self.context.read(path) if path.startswith("/") and "\0" not in path else None
        except (OSError, ValueError):
            return None

    def _real(self, path):
        try:
            return self.context.realpath(path)
        except (OSError, ValueError):
            return path

    # other tools

    def tool(self, name, args, depth=0):
        """Judge the arguments of a tool that is not built in by the meaning of their names."""
        if depth > _DEEPEST or not isinstance(args, dict):
            return None
        reads = _READING_TOOL.search(name) and not _CHANGING_TOOL.search(name)
        if not reads:
            for path in _path_like(args):
                if self.kind(path) == GUARD:
                    return _deny("self.files", path)
        texts = [value for key, value in args.items() if isinstance(value, str) and key in NEW_TEXT_KEYS]
        for key, value in args.items():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    found = self.tool(name, item, depth + 1)
                elif isinstance(item, str) and _is_path_key(key) and not reads:
                    found = self.tool_path(item, texts, args)
                elif isinstance(item, str) and key.lower() in ("sql", "query", "statement") and re.search(_SQL_WRITES, item, re.IGNORECASE):
                    names = re.findall(r"'([^']{1,400})'", item)
                    found = next((_deny("self.files", name) for name in names if "/" in name and self.kind(name) == GUARD), None)
                elif isinstance(item, str) and key.lower() in _CODE_NAMES:
                    found = self.code(item, self.cwd)
                else:
                    found = None
                if found:
                    return found
        return None

    def tool_path(self, path, texts, args):
        kind = self.kind(path)
        if kind in (GUARD, REPOSITORY):
            return _deny("self.files" if kind == GUARD else "repository.hooks", path)
        if not kind:
            return None
        before = self.read(path) or ""
        if texts and not any(isinstance(value, (list, dict)) for value in args.values()):
            return self.result(path, kind, before, texts[0])
        return self.result(path, kind, before, None, repr(args))

    # shell

    def shell(self, text):
        """Return the Deny for a command text, None when nothing in it touches the guards."""
        if not text:
            return None
        environ, home = self.context.environ, self.context.home
        variables = {"HOME": [shell.Word(home)]}
        for name, default in (*HOMES.values(), ("AGENTIHOOKS_HOME", ".agentihooks"), ("XDG_CONFIG_HOME", ".config")):
            variables[name] = [shell.Word(environ.get(name) or shell.join(home, default))]
        scripts, self.uncertain, self.moved, self.spoken, self.held, self.copied_own = Scripts(), False, False, False, "", False
        try:
            for step in walk(text, home, self.cwd, scripts, variables=variables):
                found = self.step(step, scripts)
                if found:
                    return found
                self.uncertain = self.uncertain or not _leaves_content(step)
        except (shell.TooComplex, RecursionError):
            return None  # the credential guard denies what cannot be followed
        return None

    def step(self, step, scripts):
        command, whole = step.command, step.whole
        program = program_of(command)
        words = [word.text for word in command.words[1:]]
        found = self.environment(command, whole) or self.cli(command, words) or self.unlock(step, program, words, scripts)
        found = found or self.broadcast(step, program, words) or self.killed(command, program, words)
        if found:
            return found
        if interpreter(program):
            texts, _scripts = codes(command)
            for code in texts:
                found = self.code(code, command.cwd) or self.code_on_arguments(code, command)
                if found:
                    return found
        found = self.copy_of_own(command, words)
        if found:
            return found
        if program == "exec" and len(command.words) == 1:
            opened = [word.text for word in command.reads if not _DESCRIPTOR.match(word.text)]
            self.held = next((path for path in opened if self.kind(path, command.cwd) == GUARD), self.held)
        written = None
        targets = [word.text for word in command.writes] + ([word for word in words if word[:1] != "-"] if program == "tee" else [])
        if targets and not all(target.lower().endswith(_PROSE) or target.startswith("/dev/") for target in targets):
            if _calls_unlock(_printed(command) or ""):
                return _deny("self.unlock", "in " + targets[0])
        for word in command.writes:
            if not self.kind(word.text, command.cwd):
                continue
            written = _printed(command) if written is None else written
            found = self.written(word.text, written, command.cwd, any(word is one for one in command.appends))
            if found:
                return found
        return self.changed(step, program, words, scripts)

    def copy_of_own(self, command, words):
        """Judge a command that puts the agentihooks program into another file, and one that calls unlock after that program was read."""
        if self.copied_own and "unlock" in words:
            return _deny("self.unlock", program_of(command))
        paths = [path for path in words + [word.text for word in command.reads] if path.rpartition("/")[2] in _OWN_PROGRAMS or path.startswith("if=")]
        if not any(self.kind(path[3:] if path.startswith("if=") else path, command.cwd) == GUARD for path in paths):
            return None
        self.copied_own = True
        last = ([command] + behind(command))[-1]
        targets = [word.text for word in last.writes if not word.text.startswith("/dev/")]
        if targets or program_of(last) in ("tee", "sponge") or any(word.startswith("of=") for word in words):
            return _deny("self.files", paths[0])
        return None

    def written(self, path, text, cwd, appends=False):
        """Judge text (None: not known) that goes into a file, over what is there or behind it."""
        kind = self.kind(path, cwd)
        if kind in (GUARD, REPOSITORY):
            return _deny("self.files" if kind == GUARD else "repository.hooks", path)
        before = self.read(path, cwd) or ""
        if text is None:
            return self.result(path, kind, before, None) if kind != SHELL_START else None
        return self.result(path, kind, before, before + text if appends else text)

    def changed(self, step, program, words, scripts):
        """Judge what a program does to the files it is given."""
        command, cwd = step.command, step.command.cwd
        if program_of(step.whole) in CONTAINERS:
            for path in _mounted([word.text for word in step.whole.words[1:]]):
                if self.kind(path, cwd) == GUARD or self.places.above(expanded(path, self.context.home), cwd) == "configuration":
                    return _deny("self.files", path)
        if program in ("apply_patch", "applypatch", "patch"):
            found = self.patched(command, program, words, cwd, scripts)
            if found:
                return found
        if program in _SQL_CLIENTS:
            for path in [name for word in words for name in re.findall(r"'([^']{1,400})'", word)]:
                if "/" in path and self.kind(path, cwd) == GUARD:
                    return _deny("self.files", path)
        for path in _outputs(step):
            found = self.written(path, None, cwd)
            if found:
                return found
        if program in ("find", "fd", "fdfind") + _FINDERS:
            user = command.parent
            while user is not None and user.parent is not None and program_of(user) in ("echo", "printf", "find", "ls", "realpath", "readlink"):
                user = user.parent
            reads = user is None or program_of(user) in _READERS or program_of(user) in ("grep", "sed")
            if not reads and interpreter(program_of(user)):
                reads = not any(map(_CODE_CHANGES.search, codes(user)[0]))
            if not reads:
                found = self.below(command, words)
                if found:
                    return found
            return self.found(command, words) if program not in _FINDERS[1:] else None
        if program == "git":
            return self.git(command, words, cwd, scripts)
        if _changes_nothing(program, words):
            return None
        paths = [path for path in operands(command) if path != "-"]
        if program == "ansible":
            paths += [item.partition("=")[2] for value in option_values(words, ("-a", "--args")) for item in value.split() if "=" in item]
        if program in _UNPACKERS and not any(path.startswith("/") for path in option_values(words, ("-C", "--directory", "-d", "-D"))):
            paths = paths + ["."]
        if step.fed:
            for word in [word for source in before(command) for word in source.words[1:]]:
                if self.kind(word.text, command.piped_from.cwd) == GUARD:
                    return _deny("self.files", word.text)
        if step.fed and program in _REMOVERS | _ATTRIBUTES:
            root = shell.walk_root(command.piped_from)
            if root and self.places.above(expanded(root, self.context.home), command.piped_from.cwd):
                return _deny("self.files", root)
            for source in before(command):
                if program_of(source) in _FINDERS:
                    found = self.below(source, [word.text for word in source.words[1:]])
                    if found:
                        return found
        if step.fed:
            paths += " ".join(stdin_texts(command)).split() + (shell.listed(command.piped_from) if command.piped_from is not None else [])
        if program == "dd":
            paths = [word[3:] for word in words if word.startswith("of=")]
        elif program in ("tar", "gtar", "bsdtar", "unzip"):
            paths = option_values(words, ("-C", "--directory", "-d")) + paths
            for place in option_values(words, ("-C", "--directory", "-d")) if _unpacks(program, words) else ():
                if self.kind(place.rstrip("/") + "/" + JSON_NAMES[0], cwd):
                    return _deny("self.unjudged", place)
        if program in _COPIERS:
            return self.copied(command, program, words, paths, scripts)
        for path in paths:
            found = self.touched(program, words, path, command, scripts)
            if found:
                return found
        return None

    def touched(self, program, words, path, command, scripts):
        cwd = command.cwd
        root, everywhere, name = path.partition(shell.STAR + shell.STAR + "/")
        if everywhere and self.places.above(expanded(root or ".", self.context.home), cwd):
            if any(self.kind(place, cwd) for place in _below(shell.join(cwd, root).rstrip("/"), name.replace(shell.UNKNOWN, ""))):
                return _deny("self.files", path)
        kind = self.kind(path, cwd)
        if kind in (GUARD, REPOSITORY):
            return _deny("self.files" if kind == GUARD else "repository.hooks", path)
        if kind:
            if program == "tee":
                return self.written(path, _printed(command), cwd, any(re.match("-[a-z]*a|--append", word) for word in words))
            if program in _ATTRIBUTES:
                return None
            before = self.read(path, cwd) or ""
            if program in _REMOVERS:
                return self.result(path, kind, before, "")
            if kind != SHELL_START and (program in _EDITORS or program == "dd"):
                return _deny("self.unjudged", path)
            return None
        nearness = self.places.above(expanded(path, self.context.home), cwd)
        if not nearness:
            return None
        recursive = program in ("trash", "mv") or any(re.match(r"-[a-zA-Z]*[rR]|--recursive", word) for word in words)
        if nearness == "configuration":
            whole = program in _REMOVERS or program in _ATTRIBUTES or program in _UNPACKERS or program == "mount"
        else:
            whole = recursive and (program in _REMOVERS or program in _ATTRIBUTES)
        return _deny("self.files", path) if whole and (recursive or program not in ("touch", "rm", "rmdir")) else None

    def copied(self, command, program, words, paths, scripts):
        """Judge cp, mv, ln and the like: what they take away, and what they put where."""
        cwd, home = command.cwd, self.context.home
        targets = option_values(words, ("-t", "--target-directory"))
        sources = [path for path in paths if path not in targets]
        target = targets[0] if targets else sources.pop() if len(sources) > 1 else "."
        if not target.strip(shell.UNKNOWN):  # one of those that may be meant, as far as it is known
            for path in sources[1:]:
                if self.kind(path, cwd) == GUARD:
                    return _deny("self.files", path)
        for source in sources:
            kind = self.kind(source, cwd)
            nearness = self.places.above(expanded(source, home), cwd)
            taken = program in ("mv", "gmv", "rename") and (kind in (GUARD, REPOSITORY) or nearness)
            linking = program in ("ln", "link") or (program == "cp" and any(re.match("-[a-zA-Z]*[ls]|--link|--symbolic-link", word) for word in words))
            linked = linking and (kind or nearness == "configuration")
            if taken or linked or (kind == GUARD and ".agentihooks" in source + "/" + cwd):
                return _deny("repository.hooks" if kind == REPOSITORY else "self.files", source)
            if program in ("mv", "gmv") and kind in (JSON_SETTINGS, TOML_SETTINGS):
                found = self.result(source, kind, self.read(source, cwd) or "", "")
                if found:
                    return found
        if self.places.above(expanded(target, home), cwd) == "configuration":
            whole = program in ("ln", "link") or any(source.rstrip("/" + shell.STAR).endswith("/.") or source.endswith(("/", shell.STAR)) for source in sources)
            if whole or any(word in ("--no-target-directory", "--delete") or re.match(r"-[a-zA-Z]*T", word) for word in words):
                return _deny("self.files", target)
        whole_path = any(word == "--parents" or re.match(r"-[a-zA-Z]*R", word) for word in words) and program in ("cp", "gcp", "rsync")
        for source in sources or [""]:
            inside = target.rstrip("/") + "/" + source.rstrip("/").rpartition("/")[2]
            if source and self.places.above(expanded(inside, home), cwd) == "configuration":
                return _deny("self.files", inside)
            for name in JSON_NAMES if source and source.rstrip(shell.STAR).endswith(("/", "/.")) else ():
                text = self.read(source.rstrip("/." + shell.STAR) + "/" + name, cwd)
                found = self.written(target.rstrip("/") + "/" + name, text, cwd) if text is not None else None
                if found:
                    return found
            for path in (target, inside, target.rstrip("/") + "/" + source if whole_path else target):
                if not self.kind(path, cwd):
                    continue
                text = scripts.text(cwd, source) or (None if self.uncertain else self.read(source, cwd))
                if program in ("ln", "link", "rename") and text is not None and not source.startswith("/"):
                    text = None  # where the link leads depends on where it lies
                found = self.written(path, text, cwd)
                if found:
                    return found
        return None

    def found(self, command, words):
        """Judge a find that removes what it finds, or runs something that changes it."""
        if "-delete" not in words and not {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "-fprint", "-fprintf", "-fls"} & set(words):
            return None
        after = command.words
        programs = {after[index + 1].text.rpartition("/")[2] for index, word in enumerate(after[:-1]) if word.text.lstrip("-") in _FIND_EXECUTES}
        if "-delete" not in words and programs and programs <= _READERS:
            return None
        return self.below(command, words)

    def below(self, command, words):
        """Judge what a find may find: its places, and the names that it looks for below them."""
        roots = list(takewhile(lambda word: not word.startswith("-"), words)) or ["."]
        names = shell.find_names([word.text for word in command.words])
        if program_of(command) != "find":  # it looks everywhere for a part of a path
            roots, names = [self.context.home], [shell.marked(word) for word in words if not word.startswith("-")]
            if any("agentihooks" in name or ".copilot" in name or ".codex" in name for name in names):
                return _deny("self.files", names[0])
        for root in roots:
            if self.kind(root, command.cwd) == GUARD:
                return _deny("self.files", root)
            if self.places.above(expanded(root, self.context.home), command.cwd):
                if not names or any(self.kind(path, command.cwd) for name in names for path in _below(root, name)):
                    return _deny("self.files", root)
        return None

    def git(self, command, words, cwd, scripts):
        places = option_values(words, ("-C", "--work-tree"))
        cwd = shell.join(cwd, expanded(places[-1], self.context.home)) if places else cwd
        plain_words = [word for word in words if not word.startswith("-") and word not in places]
        verb = plain_words[0] if plain_words else ""
        if verb == "apply" or verb == "am":
            below = [shell.join(cwd, expanded(place, self.context.home)) for place in option_values(words, ("--directory",))]
            if below and (self.kind(below[0], cwd) == GUARD or self.places.above(below[0], cwd) == "configuration"):
                return _deny("self.files", below[0])
            return self.patched(command, verb, words, below[0] if below else cwd, scripts)
        files = option_values(words, ("-f", "--file", "-o", "--output-directory")) if verb in ("config", "format-patch", "archive") else []
        if verb not in _GIT_CHANGES and verb not in _GIT_MAKES and not files:
            return None
        if verb == "mv" and len(plain_words) == 3 and self.kind(plain_words[2], cwd):
            return self.written(plain_words[2], self.read(plain_words[1], cwd), cwd)
        for path in files + (plain_words[1:] if verb != "config" else []) + ([] if plain_words[1:] else ["."]):
            kind = self.kind(path, cwd) or self.kind(path.rstrip("/") + "/x.json", cwd)
            if kind == GUARD or (self.places.above(expanded(path, self.context.home), cwd) == "configuration" and verb in _GIT_CHANGES):
                return _deny("self.files", path)
            if verb in ("checkout", "restore") and kind and kind != SHELL_START and _from_commit(verb, plain_words, words, path):
                return _deny("repository.hooks" if kind == REPOSITORY else "self.unjudged", path)
        return None

    def patched(self, command, program, words, cwd, scripts):
        """Judge what a patch that a command applies does to each file, as far as its text is known."""
        from agentihooks import patch

        texts = list(command.feeds) + [word for word in words if "*** Begin Patch" in word or "\n+++ " in word]
        if command.piped_from is not None:
            texts += stdin_texts(command)
        files = [] if program in ("apply_patch", "applypatch") else [word for word in words if not word.startswith("-")]
        files += option_values(words, ("-i", "--input"))
        files += [word.text for word in command.reads]
        texts += [scripts.text(command.cwd, path) or self.read(path, command.cwd) or "" for path in files]
        for place in option_values(words, ("-d",)) if program == "patch" else ():
            cwd = shell.join(cwd, expanded(place, self.context.home))
        for change in [change for text in texts for change in patch.parse(text)]:
            for path in (change.path, change.moved_to):
                kind = self.kind(path, cwd) if path else ""
                if kind in (GUARD, REPOSITORY):
                    return _deny("self.files" if kind == GUARD else "repository.hooks", path)
                if kind in (JSON_SETTINGS, TOML_SETTINGS):
                    found = self.result(path, kind, self.read(path, cwd) or "", None, change.added or change.removed)
                    if found:
                        return found
        return None

    def code(self, text, cwd):
        """Judge a program text by the file names in it and by whether it changes anything."""
        lowered = text.lower()
        moved = next((name for name in _CLI_HOMES if name in text), "")
        if moved and re.search(r"\b(?:copilot|codex)\b(?!_)", text.replace(moved, "")) and re.search(r"environ|env\b|ENV|setenv|putenv", text):
            return _deny("self.environment", moved)
        if "consent" in lowered and "unlock" in lowered and "agentihooks" in lowered:
            return _deny("self.unlock", "in a program text")
        if not any(hint in lowered for hint in _CODE_HINTS) and not any(mark in lowered for mark in ("64", "\\x", "\\u", "chr(", "charcode", "+", "join")):
            return None
        if not _CODE_CHANGES.search(text):
            return None
        from agentihooks.program_texts import variants

        for variant in variants(text):
            if _calls_unlock(variant):
                return _deny("self.unlock", "in a program text")
            for token in set(_CODE_TOKEN.findall(variant)):
                if "." not in token and "/" not in token:
                    continue
                kind = self.kind(token, cwd) or self.kind(token.lstrip("/") if token.startswith("/.") else token, self.context.home)
                if kind in (GUARD, REPOSITORY):
                    return _deny("self.files" if kind == GUARD else "repository.hooks", token)
                if kind in (JSON_SETTINGS, TOML_SETTINGS) and any(map(speaks_of_hooks, variants(text))):
                    return _deny("self.settings", "hooks in " + token)
                if kind in (JSON_SETTINGS, TOML_SETTINGS) and _CODE_MOVES.search(text):
                    sources = [self.read(other, cwd) or "" for other in set(_CODE_TOKEN.findall(variant)) if other != token and "." in other]
                    if any(map(speaks_of_hooks, sources)):
                        return _deny("self.unjudged", token)
        return None

    def code_on_arguments(self, text, command):
        """Judge a program text that changes the files which it is given."""
        if not re.search(r"argv|ARGV|\bstdin\b|<>|-i", text) or not _CODE_CHANGES.search(text):
            return None
        for word in command.words[1:]:
            if word.text != text and self.kind(word.text, command.cwd) in (GUARD, REPOSITORY):
                return _deny("self.files", word.text)
        return None

    # programs

    def environment(self, command, whole):
        """Judge variables that would have a CLI run without its guards, or that claim to steer them."""
        cli = _cli_of(command)
        assigned = [name for name, _word in command.assigns + whole.assigns]
        program = program_of(command)
        if program in _EXPORTS or program_of(whole) in ("env", "sudo", "doas"):
            exported = [word.text.partition("=")[0] for word in whole.words[1:] if "=" in word.text and not word.text.startswith("-")]
        else:
            exported = []
        for name in assigned + exported:
            if name.startswith("AGENTIHOOKS_") and (cli or name in exported or program_of(command)):
                return _deny("self.environment", name)
            if name in _CLI_HOMES and (cli or (program in _EXPORTS and name in exported)):
                return _deny("self.environment", name)
            if name == "HOME" and (cli or program in _EXPORTS or not program):
                if cli:
                    return _deny("self.environment", name)
                self.moved = True
            if name in _CLI_HOMES and not program:
                self.moved = True  # it counts once it is exported
            if name in _PRELOADS and cli:
                return _deny("self.environment", name)
        loads = [word.text for name, word in command.assigns + whole.assigns if name == "NODE_OPTIONS" and word]
        if cli and any(re.search(r"require|import|loader|(?:^|\s)-r", text) for text in loads):
            return _deny("self.environment", "NODE_OPTIONS")
        if program in _SETTERS:
            named = [word.text.partition("=")[0] for word in command.words[1:] if word.text.partition("=")[0] in _CLI_HOMES]
            if named:
                return _deny("self.environment", named[0])
        if program == "unset" and any(word.text == "HOME" for word in command.words):
            self.moved = True
        if cli and self.moved:
            return _deny("self.environment", "HOME")
        if cli and program_of(whole) in ("sudo", "doas", "su", "runuser", "gosu", "su-exec", "pkexec") and len(whole.words) > 2:
            if whole.words[1].text.startswith(("-u", "--user", "-i", "--login", "-l")) or program_of(whole) not in ("sudo", "doas"):
                return _deny("self.environment", program_of(whole))
        if cli and program_of(whole) == "env" and any(word.text in ("-i", "-", "--ignore-environment", "-u", "--unset") for word in whole.words[1:]):
            return _deny("self.environment", "env")
        return None

    def cli(self, command, words):
        """Judge what a CLI, or the role that sets the guards up, is told."""
        program, cli = program_of(command), _cli_of(command)
        if program.startswith("ansible") and any("agentihooks.fleet" in word or "agentihooks_" in word for word in words):
            return _deny("self.command", program)
        if not cli:
            return None
        flags = [word for word in words if word.partition("=")[0] in _OFF_FLAGS]
        if flags:
            return _deny("self.command", flags[0])
        plain_words = [word for word in words if not word.startswith("-")]
        if cli == "copilot" and "config" in plain_words[:2]:
            rest = plain_words[plain_words.index("config") + 1 :]
            key = rest[0].lower().strip("\"'") if rest else ""
            keys = [key] + [word.lower().strip("\"'") for word in rest[1:2] if key in ("set", "unset", "rm", "remove", "delete", "add")]
            if (len(rest) > 1 or any(word in ("--rm", "--unset", "--remove", "--delete") for word in words)) and any(
                key.partition(".")[0] in _OWN_KEYS or shell.UNKNOWN in key for key in keys
            ):
                return _deny("self.command", "copilot config " + rest[0])
        if cli == "codex":
            if plain_words[:2] == ["features", "disable"] and any("hook" in word or shell.UNKNOWN in word for word in plain_words[2:]):
                return _deny("self.command", "codex features disable")
            for value in option_values(words, ("--disable",)):
                if "hook" in value or shell.UNKNOWN in value:
                    return _deny("self.command", "--disable " + value)
            settings = option_values(words, ("-c", "--config")) + [word[2:].lstrip("=") for word in words if word.startswith("-c") and len(word) > 2]
            for setting in settings:
                if _CODEX_KEY.match(setting) or setting.startswith(shell.UNKNOWN):
                    return _deny("self.command", "-c " + setting)
        return None

    def unlock(self, step, program, words, scripts):
        """Judge a command that runs, types or schedules the operator's unlock command."""
        command = step.command
        stdin = stdin_texts(command)
        joined = " ".join([word.text for word in command.words] + (stdin if step.fed else []))
        own = _is_own_program(command)
        if own and shell.UNKNOWN in _verb(command):
            return _deny("self.unlock", program)
        if program == "alias" and any("agentihooks" in word for word in words):
            return _deny("self.unlock", program)  # what it is called with cannot be told from the other commands
        if own and _verb(command) == "explain":
            return None  # what it is given is judged and not run
        found = self.script(command, words, own)
        if found:
            return found
        if self.spoken and program in _TYPISTS:
            return _deny("self.unlock", program)  # what it reads may be what was just said, in a way that cannot be followed
        if not any("unlock" in text for text in [joined, "".join(words)] + stdin + list(filter(None, scripts.files.values()))):
            return None
        if "unlock" in joined.split() and (shell.UNKNOWN in program or own):
            return _deny("self.unlock", program)
        self.spoken = self.spoken or (program in _TALKERS and _calls_unlock(joined))
        if program in _TALKERS and all(name in _TALKERS or not name for name in map(program_of, behind(command))):
            return None
        texts = [joined] + stdin + [scripts.text(command.cwd, word) for word in words]
        texts += ["".join(words)] if program in ("tmux", "screen") else []
        return _deny("self.unlock", program) if any(map(_calls_unlock, texts)) else None

    def script(self, command, words, own):
        """Judge a script that lies there already and calls the unlock command, or runs agentihooks with what it is given."""
        path = script_of(command)
        if interpreter(program_of(command)):
            path = next(iter(codes(command)[1]), "")
        if not path or own or path.startswith(_SYSTEM_PROGRAMS) or shell.UNKNOWN in path:
            return None
        text = self.read(path, command.cwd) or ""
        if "agentihooks" in text and (_calls_unlock(text) or "unlock" in words):
            return _deny("self.unlock", path)
        return None

    def broadcast(self, step, program, words):
        """Judge a command that removes messages of the person, or publishes where it is not seen that a session speaks."""
        own = _is_own_program(step.command)
        if own:
            clears = any(re.match(r"--cl?e?a?r?\Z|--cl?e?a?r?=", word) for word in words if word != "--c")
            hidden = step.whole is not step.command or step.via
            if _verb(step.command) in ("broadcast", "refresh-rules") and clears:
                return _deny("self.broadcast", "--clear")
            if hidden and _verb(step.command) in ("broadcast", "channel"):
                return _deny("self.broadcast", program_of(step.whole))
        elif program not in _TALKERS and program not in SHELLS and not step.command.writes:
            text = " ".join(words + stdin_texts(step.command))
            if program in _TYPISTS and re.search(r"agentihooks[\w./'\",\]-]{0,200}[\s,'\"]{1,9}(?:broadcast|channel|refresh-rules)\b", text):
                return _deny("self.broadcast", program)
        return None

    def killed(self, command, program, words):
        """Judge a pkill whose pattern is made for the hooks of this session."""
        patterns = [word for word in words if not word.startswith("-")]
        whole_line = any(re.match(r"-[a-zA-Z]*f|--full", word) for word in words)
        if program == "pgrep" and command.parent is None and command.piped_into is None:
            return None
        if program not in ("pkill", "pgrep", "killall") or not patterns:
            return None
        for pattern in patterns[-1:]:
            if "agentihooks" in pattern:
                return _deny("self.command", program)
            try:
                hit = whole_line and len(pattern) < 200 and any(re.search(pattern, line) for line in _OWN_PROCESSES)
                common = hit and any(re.search(pattern, line) for line in _ANY_PROCESS)
            except re.error:
                continue
            if hit and not common:
                return _deny("self.command", program)
        return None


_SQL_WRITES = r"writefile|\bcopy\b|\binto\b|attach|vacuum|outfile"
_SQL_CLIENTS = ("psql", "mysql", "mariadb", "sqlite3", "duckdb")
_UNPACKERS = frozenset("tar gtar bsdtar unzip cpio pax".split())
_GIT_MAKES = frozenset("clone worktree bundle submodule".split())
_TYPISTS = frozenset("at batch crontab tmux screen xdotool wtype ydotool expect script systemd-run setsid nohup dtach abduco ssh".split())
_SYSTEM_PROGRAMS = ("/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/dev/", "/proc/")
# Arguments that are a text and no path, whatever stands in them.
_SPOKEN_KEYS = ("query", "pattern", "prompt", "message", "title", "body", "description", "reason", "comment", "question", "url")
_CODE_NAMES = ("code", "program", "python", "javascript")
_FIND_EXECUTES = ("exec", "execdir", "ok", "okdir", "x", "X")


def _paths(call):
    """Return the paths that a write, edit or patch call names; a move names two."""
    if call.kind == "patch":
        from agentihooks import patch

        changes = [change for key in PATCH_KEYS if isinstance(call.args.get(key), str) for change in patch.parse(call.args[key])]
        return [path for change in changes for path in (change.path, change.moved_to) if path]
    return [call.args[key] for key in PATH_KEYS if isinstance(call.args.get(key), str) and call.args[key]]


def _path_like(args):
    """Return the arguments of a tool that may be paths by their look, whatever they are called, also a directory and a name in it."""
    plain_args = [(str(key).lower(), item) for key, value in args.items() for item in (value if isinstance(value, list) else [value])]
    found = [item for key, item in plain_args if isinstance(item, str) and key not in _SPOKEN_KEYS and key not in NEW_TEXT_KEYS and _is_line(item)]
    paths = [item for item in found if "/" in item]
    paths += [directory.rstrip("/") + "/" + name for directory in paths[:5] for name in found[:8] if name is not directory and not name.startswith("/")]
    return paths + [key for key in args if isinstance(key, str) and "/" in key]


def _is_line(text):
    return 0 < len(text) <= 400 and not any(blank in text for blank in "\n\t") and "://" not in text and text.count(" ") < 3


def _from_commit(verb, plain_words, words, path):
    """Return whether git checkout or restore takes a path from another commit than the last one."""
    if verb == "restore":
        return any(word.partition("=")[0] in ("-s", "--source") for word in words)
    return plain_words[1] != path and plain_words[1] not in ("HEAD", "@")


def _printed(command):
    """Return the text that a command prints (cat, echo, printf, tee and pipelines of them), None when only running it would tell."""
    program = program_of(command)
    if command.feeds and (program == "tee" or (program == "cat" and all(word.text.startswith("-") for word in command.words[1:]))):
        text = command.feeds[0]
    elif program in ("echo", "printf"):
        text = shell.output([command], True)
    elif program in ("cat", "tee", "base64", "rev", "xxd") and command.piped_from is not None:
        words = [word.text for word in command.words] if program != "tee" else ["cat"]
        text = shell.filtered(shell.piped_text(command), words)
    elif not program:
        text = ""  # a redirection alone empties the file
    else:
        return None
    return None if any(mark in text for mark in (shell.UNKNOWN, shell.STAR, shell.ONE)) else text + "\n"


def _leaves_content(step):
    """Return whether a command writes no file whose text is not known."""
    program, words = program_of(step.command), [word.text for word in step.command.words[1:]]
    if program in ("mkdir", "touch", "chmod", "chown", "rm", "git", "test"):
        return not step.command.writes
    return _changes_nothing(program, words) and not interpreter(program) and (not step.command.writes or _printed(step.command) is not None)


def _is_path_key(key):
    return key in PATH_KEYS or key.lower().endswith(("path", "file", "uri", "filename", "target", "destination", "dest", "source", "src", "paths", "files"))


def _is_own_program(command):
    """Return whether a command runs the agentihooks program, by its name (also one with wildcards) or its file."""
    from agentihooks.credential_paths import matches

    words = [word.text for word in command.words]
    name = words[0].rpartition("/")[2] if words else ""
    if name == "agentihooks" or matches(name, "agentihooks"):
        return True
    runs = interpreter(name) or name in ("sh", "bash", "zsh", "dash", "ksh")
    return bool(runs) and any(".agentihooks" in word or word.rpartition("/")[2] in ("agentihooks", "cli.py") for word in words[1:4])


def _verb(command):
    """Return the first word that the agentihooks program is given, "" for none."""
    words = [word.text for word in command.words]
    start = next((index for index, word in enumerate(words[:4]) if "agentihooks" in word or word.rpartition("/")[2] == "cli.py"), 0)
    return next((word for word in words[start + 1 :] if not word.startswith("-")), "")


def _calls_unlock(text):
    return "unlock" in text and re.search(r"agentihooks[\w./'\",\[\]-]*[\s,'\"\]\[]+(?:[^\n]{0,200}?[\s,'\"\]\[])?unlock\b", text) is not None


def _cli_of(command):
    """Return "copilot" or "codex" when a command starts that CLI, "" otherwise."""
    if [word.text for word in command.words[:2]] == ["gh", "copilot"]:
        return "copilot"
    for word in command.words[:3]:
        name = word.text.rpartition("/")[2].partition("@")[0]
        for cli in _CLIS:
            if name == cli or (name.startswith("codex-") and cli == "codex") or ("@github/copilot" in word.text and cli == "copilot") or (
                "@openai/codex" in word.text and cli == "codex"
            ):
                return cli
        if program_of(command) not in ("node", "nodejs", "bun", "deno", "npx", "bunx"):
            break
    return ""


def _changes_nothing(program, words):
    if program in ("sed", "gsed", "perl", "ruby", "awk", "gawk"):
        return not any(re.match(r"-[a-zA-Z0-9]*i|--in-place", word) for word in words)
    if program in ("sort", "yq", "jsonlint"):
        return not any(re.match(r"-i|-o|--output|--inplace", word) for word in words)
    if program in ("vi", "vim", "nvim", "emacs", "nano", "ex", "ed"):
        return False
    if interpreter(program) == "python" and "-m" in words:
        return words[words.index("-m") + 1 :][:1] in (["http.server"], ["json.tool"], ["pytest"], ["ast"], ["tokenize"], ["dis"])
    return program in _READERS or not program or bool(interpreter(program)) or program in ("sh", "bash", "zsh", "dash", "ksh", "fish", "openssl", "ssh")


def _outputs(step):
    """Return the files that options name for what a program puts out, whatever it reads otherwise; also those of strace, time and the like."""
    found = []
    for command in {id(command): command for command in (step.whole, step.command)}.values():
        program, words = program_of(command), [word.text for word in command.words[1:]]
        for index, word in enumerate(words):
            match = _OUTPUT_OPTION.match(word)
            if match and program not in _NO_OUTPUTS:
                found.append(match.group("joined") or match.group("value") or "".join(words[index + 1 : index + 2]))
        if program == "ssh-keygen":
            found += option_values(words, ("-f",))
        if program in ("uniq", "xxd"):
            values = option_values(words, _COUNTS)
            found += [word for word in words if not word.startswith("-") and word not in values][1:]
        if program in ("sed", "gsed"):
            found += [path for word in words for path in _SED_WRITES.findall(word)]
    return found


def _unpacks(program, words):
    """Return whether an archiver takes out files."""
    if program == "unzip" or "x" in "".join(words[:1]).lstrip("-"):
        return True
    return any(word in ("--extract", "--get") or re.fullmatch("-[a-z]*x[a-z]*", word) for word in words)


def _mounted(words):
    """Return the directories of the host that a container may write to."""
    found = [word.split(":")[0] for word in words if ":" in word and not word.endswith(":ro")]
    mounts = [word.split(",") for word in words if "source=" in word or "src=" in word]
    return found + [part.partition("=")[2] for parts in mounts if "readonly" not in parts for part in parts if part.startswith(("source=", "src="))]


def _below(root, name):
    """Return the places under root in which a name that find looks for may matter."""
    if "/" in name:
        return [name]
    root = root.rstrip("/")
    return [root + part + "/" + name for part in ("", "/.agentihooks", "/.copilot", "/.copilot/hooks", "/.codex", "/.codex/rules", "/hooks", "/runtime")]
