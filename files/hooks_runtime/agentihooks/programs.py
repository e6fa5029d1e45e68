# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs do with their arguments, as far as the guards must know it: data and small pure questions."""

from __future__ import annotations

import re  # patterns are compiled when they are first needed: that costs more than all the rest of a plain call

from agentihooks.shell import ONE, STAR, UNKNOWN, Command, Word, piped_text

SHELLS = frozenset("sh bash zsh dash ksh mksh ash fish rbash".split())

# Programs that start another one with the rest of their arguments: the letters of options that take a value.
WRAPPERS = {
    "sudo": "ughpCcrtTRD", "doas": "uC", "command": "", "builtin": "", "exec": "a", "nohup": "", "time": "fo", "nice": "n", "ionice": "cnp",
    "stdbuf": "ioe", "setsid": "", "chronic": "", "unbuffer": "", "timeout": "ks", "watch": "n", "env": "uCS", "caffeinate": "", "strace": "eopsu",
    "ltrace": "e", "fakeroot": "", "xargs": "IiLlnPsdEa", "busybox": "", "toybox": "", "parallel": "jIN", "then": "", "do": "", "unshare": "",
    "nsenter": "tSGrw", "taskset": "c", "chrt": "", "proxychains": "", "dotenv": "ef", "rtk": "", "entr": "", "coproc": "", "systemd-run": "pu",
    "pkexec": "", "setpriv": "", "npx": "p", "bunx": "", "uvx": "", "flock": "wE", "gosu": "", "su-exec": "", "chroot": "",
}  # fmt: skip
_LEADING_OPERANDS = {"timeout": 1, "taskset": 1, "chrt": 1, "flock": 1, "gosu": 1, "su-exec": 1, "chroot": 1}
# The same for programs that do so with one of their verbs: verb -> operands before the command.
VERB_WRAPPERS = {
    "uv": {"run": 0}, "poetry": {"run": 0}, "pipenv": {"run": 0}, "hatch": {"run": 0}, "rye": {"run": 0}, "pdm": {"run": 0}, "conda": {"run": 0},
    "mamba": {"run": 0}, "bundle": {"exec": 0}, "npm": {"exec": 0, "x": 0}, "pnpm": {"exec": 0, "dlx": 0}, "yarn": {"exec": 0, "dlx": 0},
    "doppler": {"run": 0}, "chamber": {"exec": 1}, "infisical": {"run": 0}, "op": {"run": 0}, "aws-vault": {"exec": 1}, "mise": {"exec": 0, "x": 0},
    "asdf": {"exec": 0}, "direnv": {"exec": 1}, "lxc": {"exec": 1}, "incus": {"exec": 1}, "rbenv": {"exec": 0}, "pyenv": {"exec": 0},
}  # fmt: skip
_LONG_VALUES = ("--user", "--group", "--chdir", "--unset", "--signal", "--kill-after", "--adjustment", "--interval", "--max-args", "--max-procs",
                "--delimiter", "--replace", "--arg-file", "--package", "--with", "--python", "--project", "--config", "--env-file", "--name")  # fmt: skip
CONTAINERS = ("docker", "podman", "nerdctl", "docker-compose", "podman-compose", "crictl")
CLUSTERS = ("kubectl", "oc", "k3s", "microk8s")

# They name, test, change or remove a file, but do not hand on what is in it.
NOT_READERS = frozenset(
    """ls dir exa eza lsd stat test [ [[ ]] rm rmdir unlink shred touch mkdir chmod chown chgrp chattr setfacl getfacl realpath readlink dirname basename
    du df which type whereis file wc cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum echo printf cd pushd popd pwd true false : tee
    ssh ssh-add ssh-keygen ssh-copy-id ssh-agent export unset local declare typeset readonly read set kill pkill pgrep ps sleep exit return trap logger
    for select case find fd fdfind locate mktemp mount umount lsof fuser inotifywait tree say notify-send help docker podman nerdctl docker-compose
    kubectl helm oc k9s terraform tofu make npm npx yarn pnpm pip pip3 uv poetry cargo go gh glab aws az gcloud systemctl journalctl crontab alias trash
    restic truncate fallocate sync gpgconf chezmoi stow ansible ansible-playbook psql mysql mongosh redis-cli curl wget http https direnv command hash
    virtualenv pyenv mkcert act git-crypt xdg-open open shift wait op doppler shellcheck
    Test-Path Get-ChildItem Get-Item Remove-Item New-Item Resolve-Path Split-Path test-path get-childitem get-item remove-item new-item gci""".split()
)

# The first argument that is no option is a pattern or a program, not a file.
PATTERN_FIRST = frozenset("grep egrep fgrep zgrep rg ag ack ugrep sed gsed awk gawk mawk nawk jq yq gojq xmllint".split())
SEARCHERS = frozenset("grep egrep fgrep zgrep rg ag ack ugrep".split())
RECURSIVE = frozenset(
    "bsdtar zip 7z 7za rar rsync rclone sftp rg ag ack ugrep pax cpio dar borg restic duplicity gsutil ln mv".split()
)
COPIERS = frozenset("cp mv ln install rsync scp gcp gmv rename".split())

# Interpreter -> the letters of options that take a program text.
INTERPRETERS = {
    "python": "c", "pypy": "c", "ipython": "c", "node": "ep", "nodejs": "ep", "tsx": "ep",
    "deno": "", "bun": "ep", "ruby": "e", "perl": "eE", "php": "rRB", "lua": "e",
    "luajit": "e", "rscript": "e", "osascript": "e", "tclsh": "", "pwsh": "c", "powershell": "c", "julia": "eE", "expect": "c",
    "awk": "", "gawk": "", "mawk": "", "nawk": "", "emacs": "",
}  # fmt: skip
_CODE_WORDS = ("--eval", "-eval", "--print", "eval", "-Command", "-command", "--execute", "-execute")
# Letters after which the rest of an option is that option's value.
_VALUE_LETTERS = {"perl": "MmIFi0lxCD", "ruby": "IrFiKx0", "python": "mWX", "node": "r", "php": "dfcz"}

# Options by which a program takes a file in for its own use, or names one that it writes or leaves out.
LOADING_OPTIONS = (
    "--env-file", "--env-file-if-exists", "--identity", "--identity-file", "--kubeconfig", "--key-file", "--private-key", "--netrc-file", "--key",
    "--envfile", "--ssl-keyfile", "--keyfile", "--tls-key", "--ssl-key",
    "--cert", "--vault-password-file", "--var-file", "-var-file", "--secret-file", "--userconfig", "--defaults-file", "--defaults-extra-file",
    "--out", "--output", "--output-file", "--exclude", "--exclude-from", "--exclude-dir", "--ignore", "--ignore-file", "--ignore-path", "--skip", "--grep",
    "--author", "--message", "--title", "--body",
)  # fmt: skip
# Program -> its own options of that kind, where the value is the next word.
_OWN_LOADING_OPTIONS = {
    "scp": ("-i", "-F", "-P", "-l", "-o", "-S", "-J"), "sftp": ("-i", "-F", "-P", "-o", "-J"), "rsync": ("-e", "--rsh"), "mosh": ("--ssh",),
    "keytool": ("-keystore",),
    "openssl": ("-out", "-key", "-keyout", "-inkey", "-CAkey", "-signkey", "-sign", "-cert", "-CA", "-CAfile", "-passin", "-passout"),
    "grep": ("-A", "-B", "-C", "-m"), "rg": ("-A", "-B", "-C", "-m", "-t", "-T"), "awk": ("-F", "-v"), "tail": ("-n", "-c"), "head": ("-n", "-c"),
    "git": ("-m", "-S", "-G", "-n", "--format", "--pretty", "--since", "--until"), "zip": ("-P",),
}  # fmt: skip

_SECRET_NAME = (
    r"(?:^|_|[a-z])(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|APIKEY|CREDENTIALS?|PRIVATE_?KEY|ACCESS_?KEY|SECRET_?KEY|SESSION_?KEY"
    r"|ENCRYPTION_?KEY|SIGNING_?KEY|MASTER_?KEY)(?:S|_ID|_B64|_BASE64|_JSON|_VALUE)?(?:_\d+)?$"
    r"|(?:^|_)(?:AUTH|PAT|DSN|AUTHTOKEN|CONNECTION_STRING|DATABASE_URL|MONGO(?:DB)?_UR[IL])$|_(?:PASS|PWD)$"
    r"|(?:^|_)(?:PG|DB|GH|MYSQL|SSH)(?:PASSWORD|TOKEN|PASS)$"
)
_NO_SECRET = ("OLDPWD", "INIT_PWD", "INIT_CWD")


def secret_name(name):
    """Return whether a variable of that name holds a secret ("GITHUB_TOKEN"), as opposed to "OLDPWD" or "MAX_TOKENS"."""
    upper = name.upper()
    if upper in _NO_SECRET or upper.endswith("TOKENS") and upper != "TOKENS" and "AUTH" not in upper and "ACCESS" not in upper:
        return False
    return re.search(_SECRET_NAME, upper) is not None


def interpreter(program):
    """Return the plain name of an interpreter that runs a program text which is no shell's ("python" for "python3.12"), "" for none."""
    name = program.lower()
    name = (name[:-4] if name.endswith(".exe") else name).rstrip("0123456789.")
    return name if name in INTERPRETERS else ""


def program_of(command):
    """Return the base name of the program, "" for none."""
    return command.words[0].text.rpartition("/")[2] if command.words else ""


def before(command):
    """Return the commands before one in its pipeline, the nearest first."""
    found = []
    while command.piped_from is not None and len(found) < 20:
        command = command.piped_from
        found.append(command)
    return found


def behind(command):
    """Return the commands behind one in its pipeline, the nearest first."""
    found = []
    while command.piped_into is not None and len(found) < 20:
        command = command.piped_into
        found.append(command)
    return found


def inner_command(command, words):
    """Return a Command with other words in the place of this one."""
    inner = Command(command.cwd)
    inner.words = words
    inner.reads, inner.writes, inner.appends = command.reads, command.writes, command.appends
    inner.feeds, inner.fed_names = command.feeds, command.fed_names
    inner.piped_from, inner.piped_into, inner.assigns = command.piped_from, command.piped_into, command.assigns
    inner.parent = command.parent
    return inner


def unwrapped(command):
    """Return (the command behind sudo, env, timeout, docker exec and the like, whether xargs feeds it)."""
    fed = False
    for _layer in range(8):
        program = program_of(command)
        rest = command.words[1:]
        if program in CONTAINERS or program in CLUSTERS:
            index = _contained(program, [word.text for word in rest])
        elif program in VERB_WRAPPERS:
            index = _after_verb(program, [word.text for word in rest])
        elif program in WRAPPERS:
            index = _wrapped(program, [word.text for word in rest])
        else:
            break
        if index >= len(rest):
            break
        fed = fed or program in ("xargs", "parallel")
        words = rest[index:]
        if program == "parallel":
            words = [word for word in words if not word.text.startswith(":::")]
        if program == "xargs":
            words = _with_fed(command, words)
        command = inner_command(command, words)
    return command, fed


def _with_fed(command, words):
    """Return the words of the command that xargs starts with those that it adds, where these are known."""
    options = [word.text for word in command.words[1 : len(command.words) - len(words)]]
    texts = [word.content for word in command.words if word.content is not None] or stdin_texts(command)
    if not texts or not texts[0].strip(UNKNOWN):
        return words
    joined = "".join(options)
    added = texts[0].split("\0" if "\0" in texts[0] else "\n" if "-d" in joined or "-I" in joined or "-i" in joined else None)[:50]
    added = [text for text in added if text.strip(UNKNOWN)]
    if not added:
        return words
    mark = next((option[2:] or "{}" for option in options if option[:2] in ("-I", "-i")), "")
    if "-I" in options:
        mark = options[options.index("-I") + 1]
    if mark:
        return [Word(word.text.replace(mark, text), word.names, word.content) for word in words[:1] for text in added[:1]] + [
            Word(word.text.replace(mark, text), word.names, word.content) for word in words[1:] for text in (added if mark in word.text else added[:1])
        ]
    return words + [Word(text) for text in added]


def _wrapped(program, rest):
    """Return the index of the command that a wrapper starts, len(rest) when it starts none."""
    values, index, skip = WRAPPERS[program], 0, _LEADING_OPERANDS.get(program, 0)
    if program == "command" and rest[:1] and rest[0] in ("-v", "-V", "-pv", "-pV"):
        return len(rest)
    if program in ("dotenv", "systemd-run", "npx") and "--" in rest:
        return rest.index("--") + 1
    if program == "dotenv" and "run" in rest:
        return rest.index("run") + 1
    if program == "dotenv" and any(word in ("list", "get", "set", "unset") for word in rest[:3]):
        return len(rest)
    while index < len(rest):
        text = rest[index]
        if text == "--":
            index += 1
            if not skip:
                break
        elif text.startswith("-") and len(text) > 1:
            if (program == "env" and (text[:2] == "-S" or text.startswith("--split"))) or (
                program in ("flock", "npx") and text in ("-c", "--command", "--call")
            ):
                return len(rest)
            valued = text in _LONG_VALUES and not (program == "systemd-run" and text == "--user")
            index += 2 if (len(text) == 2 and text[1] in values) or valued else 1
        elif program in ("env", "sudo", "dotenv", "doas") and _is_assignment(text):
            index += 1
        elif skip:
            skip -= 1
            index += 1
        else:
            break
    return index


def _after_verb(program, rest):
    verbs = VERB_WRAPPERS[program]
    position = next((index for index, word in enumerate(rest) if not word.startswith("-")), len(rest))
    if (
        position >= len(rest)
        or rest[position] not in verbs
        or (program in ("npm", "pnpm") and ("-c" in rest or "--call" in rest))
    ):
        return len(rest)
    if "--" in rest:
        return rest.index("--") + 1
    index, skip = position + 1, verbs[rest[position]]
    while index < len(rest):
        if rest[index].startswith("-"):
            index += 2 if rest[index] in _LONG_VALUES else 1
        elif skip:
            skip -= 1
            index += 1
        else:
            break
    return index


_PLAIN_LONG = frozenset(
    """--rm --privileged --init --interactive --tty --detach --read-only --publish-all --quiet --no-TTY --no-deps --service-ports --build --use-aliases
    --quiet-pull --remove-orphans --stdin --no-healthcheck --debug --insecure-skip-tls-verify --all-resources""".split()
)


def _contained(program, rest):
    """Return the index of the command that docker exec, docker run, compose exec, kubectl exec and the like start, len(rest) for none."""
    verbs = ("exec",) if program in CLUSTERS or program == "crictl" else ("exec", "run")
    letters = "ncfs" if program in CLUSTERS else "eupvwlhmacfH"
    verb, index = False, 0
    while index < len(rest):
        text = rest[index]
        if text == "--":
            return index + 1 if verb else len(rest)
        if text.startswith("--"):
            index += 1 if "=" in text or text in _PLAIN_LONG else 2
        elif text.startswith("-") and len(text) > 1:
            valued = next((place for place, letter in enumerate(text[1:], 1) if letter in letters), 0)
            index += 2 if valued and valued == len(text) - 1 else 1
        elif not verb:
            if text in verbs:
                verb = True
            elif text not in ("compose", "container", "kubectl", "ctr"):
                return len(rest)
            index += 1
        else:  # the container, image, service or pod
            if program in CLUSTERS and "--" in rest[index:]:
                return rest.index("--", index) + 1
            return index + 2 if rest[index + 1 : index + 2] == ["--"] else index + 1
    return len(rest)


def _is_assignment(text):
    name, equals, _value = text.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[0].isdigit()


# Variables whose value a program runs as a command.
COMMAND_VARIABLES = frozenset(
    """PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS LESSOPEN
    LESSCLOSE PROMPT_COMMAND BROWSER FCEDIT SUDO_EDITOR SUDO_ASKPASS PS0 PS1 PS4""".split()
)
# Keys of git's configuration with a command in them.
_GIT_COMMANDS = (
    "pager",
    "editor",
    "sshcommand",
    "external",
    "textconv",
    "cmd",
    "command",
    "helper",
    "askpass",
    "fsmonitor",
    "clean",
    "smudge",
    "process",
)


def shell_texts(command):
    """Return the texts that this command hands to a shell: sh -c, eval, ssh host, a heredoc, find -exec, trap."""
    program, words = program_of(command), [readable(word) for word in command.words]
    texts = [readable(word).lstrip("|") for name, word in command.assigns if name in COMMAND_VARIABLES and word is not None]
    texts += [word.content for name, word in command.assigns if name in ("BASH_ENV", "ENV") and word is not None and word.content]
    texts += [word.partition("{")[2] for word in words[1:] if word.startswith("BASH_FUNC_")]
    if program in SHELLS:
        texts += _shell_itself(command, words)
    elif UNKNOWN in program and any(re.fullmatch("-[a-z]*c", word) for word in words[1:-1]):
        texts += _shell_itself(command, words)
    elif program in ("source", "."):
        texts += [word.content for word in command.words[1:2] if word.content]
        if words[1:2] in (["/dev/stdin"], ["-"], ["/proc/self/fd/0"]):
            texts += stdin_texts(command)
    elif program == "eval":
        texts.append(" ".join(words[1:]))
        texts += words[1:] if len(words) > 2 else []
    elif program == "env":
        texts += [" ".join(words[index + 1 :]) for index, word in enumerate(words) if word in ("-S", "--split-string")]
        texts += [word[2:] for word in words[1:] if word.startswith("-S") and len(word) > 2]
    elif program == "watch":
        texts += [word for word in words[1:] if " " in word]
    elif program == "trap" and len(words) > 1:
        texts.append(words[1])
    elif program == "alias":
        texts += [word.partition("=")[2] for word in words[1:] if "=" in word]
    elif program in ("find", "fd", "fdfind"):
        texts += _after(words, ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"))
    elif program in ("at", "batch"):
        texts += stdin_texts(command)
    elif program in ("su", "runuser", "script", "flock", "nix-shell", "npx", "npm", "pnpm", "nix"):
        texts += [words[index + 1] for index, word in enumerate(words[:-1]) if word in ("--command", "--run", "--call") or re.fullmatch("-[a-z]*c", word)]
        if program in ("su", "runuser") and "--" in words:
            texts.append(" ".join(quoted(word) for word in words[words.index("--") + 1 :]))
    elif program in ("tmux", "screen", "sops", "byobu"):
        texts += [word for word in words[2:] if " " in word]
        if program == "screen" and "-dm" in words:
            texts.append(" ".join(quoted(word) for word in words[words.index("-dm") + 1 :]))
        if program == "sops" and words[1:2] and words[1].startswith("exec"):
            texts.append(words[-1])
    elif program == "ssh":
        texts += _ssh(command, words[1:])
    elif program == "git":
        texts += _git_commands(words[1:])
    elif program in ("make", "gmake"):
        texts += [word.partition("=")[2] for word in words[1:] if word.partition("=")[0] in ("SHELL", "MAKESHELL")]
        if "-f" in words and words[words.index("-f") + 1 :][:1] in (["-"], ["/dev/stdin"]):
            texts += [recipes(text) for text in stdin_texts(command)]
    elif program in EDITORS:
        texts += [text for script in editor_scripts(command) for pair in re.findall(_EDITOR_RUNS, script) for text in pair if text]
    elif program in ("sed", "gsed"):
        texts += [text for word in words[1:] for text in re.findall(r"(?:^|[;{}0-9$/!])[ \t]{0,9}e\s([^;}]+)", word)]
        texts += [match.group(2) for word in words[1:] for match in re.finditer(_SED_RUNS, word)]
    elif program in ("tar", "gtar", "bsdtar"):
        texts += option_values(words, ("-I", "--use-compress-program", "--to-command", "--rsh-command", "-F", "--info-script", "--new-volume-script"))
        texts += [value.partition("exec=")[2] for value in option_values(words, ("--checkpoint-action",)) if "exec=" in value]
    elif program == "rsync":
        texts += option_values(words, ("-e", "--rsh"))
    elif program == "split":
        texts += option_values(words, ("--filter",))
    elif program in ("sqlite3", "psql"):
        texts += [match.group(1) for word in words[1:] + stdin_texts(command) for match in re.finditer(r"(?:^|\n)\s{0,9}(?:\.shell|\.system|\\!)\s(.+)", word)]
    elif program == "man":
        texts += option_values(words, ("-P", "--pager"))
    elif program == "less":
        texts += [word.lstrip("+!") for word in words[1:] if word.startswith("+!")]
    elif program in ("gdb", "lldb"):
        scripts = option_values(words, ("-ex", "-eval-command", "--eval-command", "-iex", "-o", "-O", "--one-line")) + stdin_texts(command)
        texts += [found for text in scripts for found in re.findall(r"(?:^|\n)[ \t]{0,9}(?:shell|!|make|platform shell)[ \t]{0,9}(.+)", text)]
        texts += [found for text in scripts for found in re.findall(r"(?:system|popen)[ \t]{0,9}\([ \t]{0,9}\"([^\"]+)\"", text)]
    elif program in ("nc", "ncat", "netcat"):
        texts += option_values(words, ("-e", "-c", "--exec", "--sh-exec", "--lua-exec"))
    elif program == "socat":
        texts += [match.group(1) for match in (re.match(_SOCAT_RUNS, word, re.IGNORECASE) for word in words[1:]) if match]
    elif program in ("ansible", "ansible-console"):
        module = (option_values(words, ("-m", "--module-name")) or ["command"])[0].rpartition(".")[2]
        if module in ("command", "shell", "raw", "script", "expect"):
            texts += option_values(words, ("-a", "--args"))
    elif interpreter(program) in ("pwsh", "powershell"):
        texts += _powershell(words[1:])
    elif interpreter(program):
        texts += _given(command)
    elif program in ("crontab",):
        texts += [line.split(None, 5)[-1] for text in stdin_texts(command) for line in text.split("\n") if len(line.split(None, 5)) == 6]
    return [text for text in texts if text.strip()]


_STARTS_A_GIVEN = (
    r"(?:system|popen|exec|spawn|subprocess|\brun\b|shell|Popen|call|check_output|`)[\s\S]{0,300}(?:argv|ARGV|environ|ENV|getenv|process\.env|@_)"
    r"|system\(\s{0,9}[a-z]\w{0,30}\s{0,9}\)|(?:argv|ARGV|environ|ENV)[\s\S]{0,300}(?:system|popen|exec|spawn|subprocess)"
)


def _given(command):
    """Return the arguments and variables that an interpreter is given where its program text runs such as commands."""
    if not any(re.search(_STARTS_A_GIVEN, text) for text in codes(command)[0]):
        return []
    words = [word.text for word in command.words[1:]]
    values = [word.partition("=")[2] for word in option_values(words, ("-v", "--assign"))]
    values += [readable(word) for _name, word in command.assigns if word is not None]
    last = max([index for index, word in enumerate(words) if word in codes(command)[0]], default=-1)
    words = words[last + 1 :]
    return [text for text in words + values if " " in text] + [" ".join(quoted(word) for word in words)]


def recipes(text):
    """Return the commands in a makefile."""
    lines = text.replace("\\\n", " ").split("\n")
    return "\n".join(line.strip().lstrip("@-+").replace("$$", "$") for line in lines if line.startswith("\t"))


def stdin_texts(command):
    """Return what a command reads on stdin, as far as it is known."""
    if command.feeds:
        return list(command.feeds)
    text = piped_text(command) if command.piped_from is not None else UNKNOWN
    return [] if UNKNOWN in text else [text]


def _shell_itself(command, words):
    for index, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and "c" in word and index + 1 < len(words):
            rest = command.words[index + 2 :]
            head = "set -- %s\n" % " ".join(quoted(item.text) for item in rest[1:]) if len(rest) > 1 else ""
            text = words[index + 1]
            if rest:  # $0, which no variable of the text can be given
                text = text.replace('"$0"', quoted(rest[0].text)).replace("$0", quoted(rest[0].text))
            return [head + text]
    if command.words[1:] and command.words[1].content:
        return [command.words[1].content]
    values = [
        index
        for index, word in enumerate(words[1:], 1)
        if not word.startswith("-") and words[index - 1] not in ("-o", "+o", "-O", "--rcfile", "--init-file")
    ]
    fed = not values or "-s" in words[1:] or words[values[0]].startswith(("/dev/stdin", "/dev/fd/", "/proc/self/fd/", "/proc/" + UNKNOWN))
    return stdin_texts(command) if fed else []


def _powershell(rest):
    """Return the text that PowerShell is told to run, with its environment variables spelled as a shell's."""
    text = ""
    for index, word in enumerate(rest):
        option = word.lower().lstrip("-/")
        if not word.startswith(("-", "/")):
            continue
        if option and "command".startswith(option):
            text = " ".join(rest[index + 1 :])
            break
        if option in ("e", "ec") or (option.startswith("en") and "encodedcommand".startswith(option)):
            import binascii

            try:
                text = binascii.a2b_base64("".join(rest[index + 1 : index + 2])).decode("utf-16-le", "replace")
            except ValueError:
                return []
            break
    text = re.sub(r"(?i)\$\{env:(\w{1,80})\}", r"$env:\1", text)
    text = re.sub(r"(?i)(^|[;|{(]\s{0,9})\$env:", r"\1echo $env:", text)
    text = re.sub(r"(?i)(^|[;|{(]\s{0,9})type\s", r"\1cat ", text)
    return [re.sub(r"(?i)\$env:", "$", text)]


def _ssh(command, rest):
    index = 0
    own = [value.partition("=")[2] for value in option_values(rest, ("-o",)) if value.partition("=")[0].lower() in _SSH_COMMANDS]
    while index < len(rest) and rest[index].startswith("-"):
        index += 2 if len(rest[index]) == 2 and rest[index][1] in "BbcDEeFIiJLlmOopQRSWw" else 1
    text = " ".join(word for word in rest[index + 1 :] if word != "--")
    first = text.split(None, 1)[0].rpartition("/")[2] if text.split() else ""
    if not first or first in SHELLS:
        return own + [text] + stdin_texts(command)
    return own + [text]


# The flag e of the sed command s runs what it puts in.
_SED_RUNS = r"(?:^|[;{}\d$\s,/])s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1((?:\\.|(?!\1)[^\\])*)\1[gpimIM\d]{0,9}e"
_SOCAT_RUNS = r"(?:EXEC|SYSTEM|SHELL):(.*?)(?:,(?:pty|stderr|setsid|raw|echo|sane|ctty|pipes|su)\b.*)?$"
_SSH_COMMANDS = ("proxycommand", "localcommand", "knownhostscommand")
EDITORS = frozenset("vi vim nvim ex view rvim gvim ed red".split())
# What an editor is told to do begins a line or follows | or :, perhaps behind a range. The blanks are bounded: no backtracking over long texts.
_EDITOR_COMMAND = r"(?:^|[\n|:])[ \t]{0,9}(?:silent!?[ \t]{1,9})?[\d,$%.]{0,20}[ \t]{0,9}"
# ":!cmd", ":r !cmd", ":w !cmd", ":terminal cmd" and system("cmd").
_EDITOR_RUNS = (
    _EDITOR_COMMAND + r"(?:(?:r|read|w|write)?[ \t]{0,9}!|term(?:inal)?!?[ \t]{1,9})([^\n]+)"
    r"|(?:system|systemlist|termopen|jobstart|job_start|term_start)\([ \t]{0,9}(?:'([^']+)'|\"([^\"]+)\")"
)
# ":e file", ":r file", ":w! file", ":saveas file" and the like.
_EDITOR_FILES = (
    _EDITOR_COMMAND + r"(?:e|edit|r|read|w|wq|write|sav|saveas|f|file|sp|split|vs|vsplit|tabe|tabedit|tabnew|new|vnew|find"
    r"|view|so|source|up|update|x|xit|W)!?[ \t]{1,9}([^\s|!]+)|(?:writefile|readfile|delete|rename)\([^)]{0,200}?['\"]([^'\"]+)['\"]"
)


def editor_scripts(command):
    """Return what vi, ed and their kin are told to do: by options, and by stdin where they read it."""
    words = [word.text for word in command.words[1:]]
    found = option_values(words, ("-c", "--cmd", "-sc", "-esc", "-Esc"))
    found += [word[1:] for word in words if word.startswith("+") and len(word) > 1]
    return found + stdin_texts(command)


def editor_files(command):
    """Return the files that an editor is told to read or write by its commands."""
    return [path for script in editor_scripts(command) for pair in re.findall(_EDITOR_FILES, script) for path in pair if path]


def _git_commands(rest):
    texts = []
    for index, word in enumerate(rest[:-1]):
        if word == "-c" and "config" not in rest[:index]:
            key, _equals, value = rest[index + 1].partition("=")
            if value.startswith("!") or key.lower().endswith(_GIT_COMMANDS):
                texts.append(value.lstrip("!"))
        elif word in ("-x", "--exec", "foreach"):
            texts.append(" ".join(rest[index + 1 :]) if word == "foreach" else rest[index + 1])
        elif word == "run" and rest[index - 1] == "bisect":
            texts.append(" ".join(quoted(item) for item in rest[index + 1 :]))
        elif word.endswith("-filter"):
            texts.append(rest[index + 1])
    if "config" in rest:
        texts += [word[1:] for word in rest if word.startswith("!")]
        texts += [value for key, value in zip(rest, rest[1:]) if "." in key and key.lower().endswith(_GIT_COMMANDS) and not value.startswith("!")]
    return texts


def _after(words, options):
    """Return the command behind each of the options, up to ; or +."""
    texts = []
    for index, word in enumerate(words):
        if word in options:
            end = index + 1
            while end < len(words) and words[end] not in (";", "+"):
                end += 1
            texts.append(" ".join(quoted(item) for item in words[index + 1 : end]))
    return texts


def readable(word):
    """Return a word as text that can be parsed again: unknown variables by their names where it is clear which is which."""
    text = word.text.replace(STAR, "*").replace(ONE, "?")
    if word.names and text.count(UNKNOWN) == len(word.names):
        for name in word.names:
            text = text.replace(UNKNOWN, "${%s}" % name, 1)
    return text


def quoted(text):
    """Return text as one word of a shell text; wildcards and unknown parts keep their meaning."""
    return (
        text
        if text and all(character.isalnum() or character in "/._-=:+@%,{}" for character in text)
        else "'" + text.replace("'", "'\\''") + "'"
    )


def codes(command):
    """Return (program texts this command hands to an interpreter that is no shell, the script files it names)."""
    name = interpreter(program_of(command))
    if not name:
        return [], []
    words = [word.text for word in command.words[1:]]
    texts, scripts, index, last = [], [], 0, False
    if name.endswith("awk"):
        return [
            next(
                (
                    word
                    for position, word in enumerate(words)
                    if not word.startswith("-") and words[position - 1 : position] not in (["-F"], ["-v"])
                ),
                "",
            )
        ], []
    while index < len(words):
        word = words[index]
        if texts and name in ("python", "pypy", "ipython"):
            break  # the rest is for the program text
        if word in _CODE_WORDS:
            texts += words[index + 1 : index + 2]
            last = last or word == "--print"
            index += 1
        elif word.startswith("--"):
            if word.startswith(("--eval=", "--print=")):
                texts.append(word.partition("=")[2])
        elif word.startswith("-") and len(word) > 1:
            letter = next(
                (place for place, one in enumerate(word[1:], 1) if one in INTERPRETERS[name] + _VALUE_LETTERS.get(name, "")), 0
            )
            if letter and word[letter] in INTERPRETERS[name]:
                last = last or (word[letter] == "p" and name in ("node", "nodejs", "bun", "tsx"))
                if letter + 1 < len(word) and not (name in ("node", "nodejs", "bun", "tsx")):
                    texts.append(word[letter + 1 :])
                else:
                    texts += words[index + 1 : index + 2]
                    index += 1
            elif name == "python" and word.endswith("m"):
                return [], []
            elif name == "node" and word == "-r":
                index += 1
        elif not texts and not scripts:
            scripts.append(word)
            texts += [command.words[index + 1].content] if command.words[index + 1].content else []
        index += 1
    if not texts and (not scripts or scripts == ["-"]):
        texts = stdin_texts(command)
    return ["print(%s)" % text for text in texts] if last else texts, scripts


def operands(command):
    """Return the texts in a command's arguments that may be paths: operands, option values, @file, key=@file, rev:path."""
    program = program_of(command)
    found, pattern_pending = [], program in PATTERN_FIRST
    if pattern_pending and any(
        word.text in ("-e", "-f", "--regexp", "--expression", "--files") or word.text.startswith(("-f", "--file="))
        for word in command.words[1:]
    ):
        pattern_pending = False
    own = _OWN_LOADING_OPTIONS.get(program, ())
    skip = False
    for word in command.words[1:]:
        text = word.text
        if word.content:
            found += word.content.split()
        if skip:
            skip = False
            continue
        if text.startswith("-") and len(text) > 1:
            if text in ("-g", "--glob", "--iglob") and program == "rg":
                continue
            if program in PATTERN_FIRST and text in ("-e", "--regexp", "--expression", "--arg", "--argjson"):
                skip = True
                continue
            name, equals, value = text.partition("=")
            if name in LOADING_OPTIONS or text in own:
                skip = not equals
                continue
            found += [value] if equals else [text[2:]] if not text.startswith("--") and len(text) > 3 else []
            continue
        if pattern_pending:
            pattern_pending = program in ("yq", "gojq") and text in ("e", "eval", "ea", "eval-all")
            continue
        if text.startswith(("!", ":!", ":^", ":(exclude")):  # what is left out
            continue
        found.append(text)
        for mark in ("=", "@", ":"):
            head, separator, tail = text.partition(mark)
            if separator and tail and "//" not in tail[:2] and (mark != "=" or " " not in head):
                found.append(tail.lstrip("@"))
    if program in EDITORS:
        found += editor_files(command)
    return [text for text in found if text and (not any(blank in text for blank in " \t\n") or text[0] in "/~.")]


def shows_names_only(command):
    """Return whether cut, awk or grep is told to show nothing of KEY=value lines but the key."""
    program, words = program_of(command), [word.text for word in command.words[1:]]
    joined = " ".join(words)
    if program == "cut":
        return re.search(r"(?:^| )-d ?=", joined) is not None and re.search(r"(?:^| )(?:-f ?1|--fields=1)(?: |$)", joined) is not None
    if program in ("awk", "gawk", "mawk"):
        return re.search(r"(?:^| )-F ?=", joined) is not None and "{print $1}" in words
    return program in ("grep", "egrep") and "-o" in words and any(re.fullmatch(r"\^\[[\w-]+\][*+]=?", word) for word in words)


def option_values(words, options):
    """Return the values of options: "-f x", "--file x" and "--file=x"."""
    found = [words[index + 1] for index, word in enumerate(words[:-1]) if word in options]
    return found + [
        word.partition("=")[2] for word in words if word.startswith("--") and word.partition("=")[0] in options and "=" in word
    ]


def sed_reads(words):
    """Return the files that the commands r and R of a sed program read."""
    return [path for word in words for path in re.findall(r"(?:^|[;{}0-9$/!\n])[ \t]{0,9}[rR][ \t]{0,9}([^;}\s]+)", word)]


def sent_in(whole, command):
    """Return the files of the host that a command in a container reads, by what docker run mounts where."""
    if program_of(whole) not in CONTAINERS or program_of(command) in NOT_READERS:
        return []
    pairs = []
    words = [word.text for word in whole.words[1 : len(whole.words) - len(command.words) + 1]]
    for value in option_values(words, ("-v", "--volume", "--mount")):
        parts = dict(part.partition("=")[::2] for part in value.split(","))
        source = parts.get("source") or parts.get("src") or value.partition(":")[0]
        place = parts.get("target") or parts.get("dst") or parts.get("destination") or value.partition(":")[2].partition(":")[0]
        if source and place:
            pairs.append((source.rstrip("/"), place.rstrip("/")))
    return [
        source + path[len(place) :] for path in operands(command) for source, place in pairs if path == place or path.startswith(place + "/")
    ]


def handed_over(program, words):
    """Return the files that a program which is no reader uploads or shows with some of its verbs."""
    plain = [word for word in words if not word.startswith("-") or word == "-"]
    files = [word for word in words if word.startswith(("file://", "fileb://"))]
    if program in ("gh", "glab"):
        if plain[:2] in (
            ["gist", "create"],
            ["gist", "edit"],
            ["release", "upload"],
            ["release", "create"],
            ["snippet", "create"],
        ):
            files += plain[2:]
        files += option_values(words, ("--input", "--body-file", "--notes-file", "--env-file"))
        files += option_values(words, ("-f",)) if plain[:2] in (["secret", "set"], ["variable", "set"]) else []
        files += option_values(words, ("-F",)) if plain[:1] != ["api"] else []
        files += [word.partition("=@")[2] for word in words if "=@" in word]
    elif program == "aws" and plain[:1] == ["s3"] and plain[1:2] in (["cp"], ["mv"], ["sync"]):
        files += plain[2:3]
    elif program == "az":
        files += option_values(words, ("-f", "--file", "--source", "-s", "--value-file")) if "upload" in "".join(plain) else []
        files += [word[1:] for word in words if word.startswith("@")]
    elif program == "gcloud":
        files += option_values(words, ("--data-file",)) + (plain[:-1] if "cp" in plain or "scp" in plain else [])
    elif program in CONTAINERS or program in CLUSTERS:
        if plain[:1] == ["cp"] or plain[:2] in (["container", "cp"], ["compose", "cp"]):
            files += [plain[-2].rpartition(":")[2]] if len(plain) > 2 else []
        if "create" in plain and any(word.startswith(("-o", "--output")) for word in words):
            files += [value.rpartition("=")[2] for value in option_values(words, ("--from-file", "--from-env-file"))]
    elif program == "xargs":
        files += option_values(words, ("-a", "--arg-file"))
    elif program in ("ssh", "scp", "sftp"):  # what is no setting in it is shown, as an error
        files += [path for index, word in enumerate(words) if word == "-F" for path in words[index + 1 :]]
    elif program in ("file", "wc", "du", "find", "sort"):  # the names in these files are shown, as errors
        files += option_values(words, ("--files0-from", "-files0-from")) + (option_values(words, ("-f", "--files-from")) if program == "file" else [])
    elif program in ("make", "gmake", "psql"):
        files += option_values(words, ("-f", "--file", "--makefile"))
    elif program == "chezmoi":
        files += plain[1:] if plain[:1] == ["cat"] else []
    elif program == "ansible":
        files += [item.partition("=")[2] or item for value in option_values(words, ("-a", "--args")) for item in value.split()]
    elif program in ("http", "https"):
        files += [word.rpartition("@")[2] for word in words if "@" in word and "://" not in word]
    return files
