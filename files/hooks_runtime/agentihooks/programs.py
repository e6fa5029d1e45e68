# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs do with their arguments, as far as the guards must know it: data and small pure questions."""

from __future__ import annotations

import re  # patterns are compiled when they are first needed: that costs more than all the rest of a plain call

from agentihooks.shell import Command

SHELLS = frozenset("sh bash zsh dash ksh mksh ash fish rbash busybox".split())

# Programs that start another one with the rest of their arguments; options that take a value are named.
WRAPPERS = {
    "sudo": "ughpCcrtTRD", "doas": "uC", "command": "", "builtin": "", "exec": "a", "nohup": "", "time": "fo", "nice": "n", "ionice": "cnp",
    "stdbuf": "ioe", "setsid": "", "chronic": "", "unbuffer": "", "timeout": "ks", "watch": "n", "env": "uCS", "caffeinate": "", "strace": "eopsu",
    "ltrace": "e", "fakeroot": "", "xargs": "IiLlnPsdEa", "busybox": "", "parallel": "jIN", "then": "", "do": "", "unshare": "", "nsenter": "t",
    "taskset": "c", "chrt": "", "proxychains": "", "dotenv": "ef", "direnv": "", "rtk": "", "entr": "",
}  # fmt: skip
_LEADING_OPERANDS = {"timeout": 1, "taskset": 1, "chrt": 1, "direnv": 2}

# Programs that run a command elsewhere: what follows the host or container is a command.
REMOTE = ("ssh", "docker", "podman", "nerdctl", "kubectl", "oc", "su", "runuser", "lxc", "chroot", "tmux", "screen", "script", "flock")

# They name, test, change or remove a file, but do not hand on what is in it.
NOT_READERS = frozenset(
    """ls dir exa eza lsd stat test [ [[ ]] rm rmdir unlink shred touch mkdir chmod chown chgrp chattr setfacl getfacl realpath readlink dirname basename
    du df which type whereis file wc cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum echo printf cd pushd popd pwd true false : tee
    ssh ssh-add ssh-keygen ssh-copy-id ssh-agent export unset local declare typeset readonly read set kill pkill pgrep ps sleep exit return trap logger
    for select case find fd fdfind locate mktemp mount umount lsof fuser inotifywait tree say notify-send man help docker podman nerdctl kubectl helm oc
    terraform tofu make npm npx yarn pnpm pip pip3 uv poetry cargo go gh glab aws az gcloud systemctl journalctl crontab alias trash restic openssl-req
    truncate fallocate sync gpgconf chezmoi stow ansible ansible-playbook ansible-vault psql mysql mongosh redis-cli curl wget http""".split()
)

# The first argument that is no option is a pattern or a program, not a file.
PATTERN_FIRST = frozenset("grep egrep fgrep zgrep rg ag ack ugrep sed gsed awk gawk mawk nawk jq yq gojq xmllint perl ruby".split())
RECURSIVE = frozenset("tar bsdtar zip 7z 7za rar rsync scp sftp rg ag ack ugrep pax cpio dar borg restic duplicity".split())
COPIERS = frozenset("cp mv ln install rsync scp gcp gmv rename".split())

INTERPRETERS = frozenset("python pypy node nodejs deno bun ruby perl php lua luajit rscript osascript tclsh pwsh julia awk gawk mawk nawk".split())
CODE_OPTIONS = ("-c", "-e", "-E", "-r", "-p", "-pe", "-ne", "-ie", "-i", "--eval", "--print", "-le", "-lne", "-nle", "-lpe", "eval", "-Command", "-ec", "-ep")

# Options by which a program takes a file in for its own use.
LOADING_OPTIONS = ("--env-file", "--env-file-if-exists", "--identity", "--identity-file", "--kubeconfig", "--key-file", "--private-key", "--netrc-file")

_SECRET_NAME = (
    r"(?:^|_)(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|API_?KEY|APIKEY|CREDENTIALS?|PRIVATE_?KEY|ACCESS_?KEY|SECRET_?KEY|SESSION_?KEY|AUTH|PAT|DSN)"
    r"(?:S|_ID|_B64|_BASE64|_JSON|_FILE)?(?:_\d+)?$"
)


def secret_name(name):
    """Return whether a variable of that name holds a secret ("GITHUB_TOKEN"), as opposed to "OLDPWD" or "TOKEN_COUNT"."""
    return name not in ("PWD", "OLDPWD", "SSH_AUTH_SOCK") and re.search(_SECRET_NAME, name, re.IGNORECASE) is not None


def is_interpreter(program):
    """Return whether program runs a program text that is no shell's ("python3.12")."""
    return program.lower().rstrip("0123456789.") in INTERPRETERS


def program_of(command):
    """Return the base name of the program, "" for none."""
    return command.words[0].text.rpartition("/")[2] if command.words else ""


def unwrapped(command):
    """Return (the command behind sudo, env, timeout and the like, whether xargs feeds it)."""
    fed = False
    for _ in range(8):
        program = program_of(command)
        if program not in WRAPPERS:
            break
        rest = command.words[1:]
        values, index, skip = WRAPPERS[program], 0, _LEADING_OPERANDS.get(program, 0)
        while index < len(rest):
            text = rest[index].text
            if text == "--":
                index += 1
                break
            if text.startswith("-") and len(text) > 1:
                if program == "env" and text[:2] in ("-S", "--"):
                    break
                index += 2 if len(text) == 2 and text[1] in values else 1
            elif program in ("env", "sudo", "dotenv") and _is_assignment(text):
                index += 1
            elif skip:
                skip -= 1
                index += 1
            else:
                break
        fed = fed or program in ("xargs", "parallel")
        if index >= len(rest):
            break
        inner = Command(command.cwd)
        inner.words = rest[index:]
        inner.reads, inner.writes, inner.feeds, inner.fed_names = command.reads, command.writes, command.feeds, command.fed_names
        inner.piped_from, inner.piped_into, inner.assigns = command.piped_from, command.piped_into, command.assigns
        command = inner
    return command, fed


def _is_assignment(text):
    name, equals, _ = text.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[0].isdigit()


def shell_texts(command):
    """Return the texts that this command hands to a shell: sh -c, eval, ssh host, docker exec, a heredoc, find -exec, trap."""
    program, words = program_of(command), [word.text for word in command.words]
    texts = []
    if program in SHELLS:
        code = False
        for index, word in enumerate(words[1:], 1):
            if word.startswith("-") and not word.startswith("--") and "c" in word and index + 1 < len(words):
                texts.append(words[index + 1])
                code = True
                break
        if not code and not any(not word.startswith("-") for word in words[1:]):
            texts += command.feeds
        if not code and any(word == "-s" for word in words[1:]):
            texts += command.feeds
    elif program == "eval":
        texts.append(" ".join(words[1:]))
    elif program == "env":
        texts += [" ".join(words[index + 1 :]) for index, word in enumerate(words) if word in ("-S", "--split-string")]
    elif program == "watch":
        texts += [word for word in words[1:] if " " in word]
    elif program == "trap" and len(words) > 1:
        texts.append(words[1])
    elif program == "alias":
        texts += [word.partition("=")[2] for word in words[1:] if "=" in word]
    elif program in ("find", "fd", "fdfind"):
        texts += _after(words, ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"))
    elif program in REMOTE:
        texts += _remote(program, words)
    return [text for text in texts if text.strip()]


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


def _remote(program, words):
    rest = words[1:]
    if program in ("su", "runuser", "script", "flock"):
        return [rest[index + 1] for index, word in enumerate(rest[:-1]) if word in ("-c", "--command")]
    if program in ("tmux", "screen"):
        return [word for word in rest[1:] if " " in word]
    if program == "ssh":
        index = 0
        while index < len(rest) and rest[index].startswith("-"):
            index += 2 if len(rest[index]) == 2 and rest[index][1] in "BbcDEeFIiJLlmOopQRSWw" else 1
        return [" ".join(rest[index + 1 :])]
    if program == "chroot":
        return [" ".join(quoted(word) for word in rest[1:])]
    if program in ("kubectl", "oc"):
        return [" ".join(quoted(word) for word in rest[rest.index("--") + 1 :])] if "exec" in rest and "--" in rest else []
    if rest and rest[0] in ("exec", "run", "compose", "container"):
        for index, word in enumerate(rest):  # the command starts at the first program that is known to read or run something
            name = word.rpartition("/")[2]
            if index > 1 and (name in SHELLS or name in ("cat", "env", "printenv", "head", "tail", "less", "strings") or is_interpreter(name)):
                return [" ".join(quoted(item) for item in rest[index:])]
    return []


def quoted(text):
    """Return text as one word of a shell text; wildcards and unknown parts keep their meaning."""
    return text if text and all(character.isalnum() or character in "/._-=:+@%,{}" for character in text) else "'" + text.replace("'", "'\\''") + "'"


def codes(command):
    """Return the program texts this command hands to an interpreter that is no shell."""
    program = program_of(command)
    if not is_interpreter(program):
        return []
    words = [word.text for word in command.words[1:]]
    texts = [words[index + 1] for index, word in enumerate(words[:-1]) if word in CODE_OPTIONS]
    if "-p" in words or "--print" in words:  # node shows what the text amounts to
        texts = ["print(%s)" % text for text in texts]
    if program.endswith("awk"):
        texts += [next((word for word in words if not word.startswith("-")), "")]
    if not any(not word.startswith("-") for word in words) or "-" in words:
        texts += command.feeds
    return texts


def operands(command):
    """Return the texts in a command's arguments that may be paths: operands, option values, @file, key=@file, rev:path."""
    program = program_of(command)
    found, pattern_pending = [], program in PATTERN_FIRST
    if pattern_pending and any(word.text in ("-e", "-f", "--regexp", "--expression", "--files") for word in command.words[1:]):
        pattern_pending = False
    skip = False
    for word in command.words[1:]:
        text = word.text
        if skip:
            skip = False
            continue
        if text.startswith("-") and len(text) > 1:
            if program in PATTERN_FIRST and text in ("-e", "--regexp", "--expression"):
                skip = True
                continue
            name, equals, value = text.partition("=")
            if name in LOADING_OPTIONS:
                skip = not equals
                continue
            found += [value] if equals else [text[2:]] if not text.startswith("--") and len(text) > 3 else []
            continue
        if pattern_pending:
            pattern_pending = False
            continue
        found.append(text)
        for mark in ("=", "@", ":"):
            head, separator, tail = text.partition(mark)
            if separator and tail and "//" not in tail[:2] and (mark != "=" or " " not in head):
                found.append(tail.lstrip("@"))
    return [text for text in found if text and (not any(blank in text for blank in " \t\n") or text[0] in "/~.")]
