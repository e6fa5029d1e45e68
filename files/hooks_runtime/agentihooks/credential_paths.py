# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which paths hold credentials: data, and the question whether a path (with wildcards or unknown parts) may be one. Pure."""

from __future__ import annotations

import re

from agentihooks.shell import ONE, STAR, UNKNOWN

# Base names that are credentials wherever they lie. Wildcards as in the shell; compared in lower case.
NAMES = (
    ".env", ".env.*", ".env~", "*.env", ".envrc", ".dev.vars",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "identity.key", "*.ppk",
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf", ".vault-token", ".boto",
    ".s3cfg", ".dockercfg", ".htpasswd", ".rediscli_auth",
    ".terraformrc", ".vault_pass*", ".vault-pass*", ".databrickscfg", ".sentryclirc",
    ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zprofile", ".zshenv",
    ".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".node_repl_history",
    "fish_history", ".histfile",
    "*.key", "*.pem", "*.keytab", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
    "*.tfstate", "*.tfstate.backup", "*.tfvars", "*.tfvars.json", "kubeconfig", "*.kubeconfig", "kubeconfig.*",
    "application_default_credentials.json", "credentials.json", "credentials.tfrc.json", "client_secret*.json",
    "*service-account*.json", "*service_account*.json",
)  # fmt: skip

# Directories whose files are credentials, with the exceptions of PUBLIC_NAMES. The last parts of the directory's path.
DIRECTORIES = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".config/gcloud", ".config/op", ".local/share/keyrings",
    ".subversion/auth", "/etc/ssl/private", "/run/secrets", "/var/run/secrets",
)  # fmt: skip

# Single files in a known place (the end of the path).
FILES = (
    ".docker/config.json", ".config/gh/hosts.yml", ".config/hub", ".config/git/credentials", ".config/rclone/rclone.conf",
    ".codex/auth.json", ".copilot/config.json", ".claude/.credentials.json", ".gemini/oauth_creds.json", ".cargo/credentials",
    ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".gradle/gradle.properties", ".terraform.d/credentials.tfrc.json",
    ".netlify/config.json", ".local/share/opencode/auth.json", "/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/master.passwd",
    "/etc/kubernetes/admin.conf", "/etc/rancher/k3s/k3s.yaml", ".config/glab-cli/config.yml", ".config/github-copilot/hosts.json",
    ".config/github-copilot/apps.json", ".composer/auth.json", ".config/composer/auth.json", ".config/configstore/firebase-tools.json",
    ".config/doctl/config.yaml", ".config/stripe/config.toml", ".fly/config.yml", ".pulumi/credentials.json", "com.vercel.cli/auth.json",
    ".agentihooks/*.env", "/proc/*/environ", "/proc/*/task/*/environ", "/etc/ssh/ssh_host_*_key", ".mozilla/firefox/*/logins.json",
    ".mozilla/firefox/*/key4.db", ".mozilla/firefox/*/cookies.sqlite", ".config/*/*/cookies", ".config/*/*/login data",
)  # fmt: skip

# Never a credential, whatever the rules above say.
PUBLIC_SUFFIXES = (".example", ".sample", ".template", ".dist", ".tpl", ".pub", ".md", ".schema", ".d.ts", ".defaults")
# A *.pem with one of these in its name holds certificates or a public key; anything else may hold a private key.
PUBLIC_PEM = ("cert", "chain", "ca", "bundle", "public", "pub", "root", "dhparam", "csr", "crt")
PUBLIC_NAMES = {
    ".ssh": ("known_hosts", "known_hosts.old", "config", "authorized_keys", "allowed_signers", "config.d"),
    ".gnupg": ("gpg.conf", "gpg-agent.conf", "dirmngr.conf", "pubring.kbx", "pubring.gpg", "trustdb.gpg"),
    ".aws": ("config",),
    ".kube": ("cache", "kubectx", "kubens"),
    ".azure": ("config", "clouds.config"),
}
# Texts of programs that look like file names.
NOT_FILES = ("process.env", "import.meta.env", "meta.env", "deno.env", "bun.env", "os.env", "rails.env", "app.env", "this.env")

_FILES = {}
for _item in FILES:
    _FILES.setdefault(_item.rpartition("/")[2], []).append((_item.startswith("/"), tuple(_item.strip("/").split("/"))))
_DIRECTORIES = [(item.startswith("/"), tuple(item.strip("/").split("/"))) for item in DIRECTORIES]
_DIRECTORY_ENDS = frozenset(wanted[-1] for _absolute, wanted in _DIRECTORIES)
_EXACT = frozenset(name for name in NAMES if "*" not in name)
_STARTS = tuple(name[:-1] for name in NAMES if name.find("*") == len(name) - 1)
_ENDS = tuple(name[1:] for name in NAMES if name.rfind("*") == 0)
_PATTERNS = tuple(name for name in NAMES if "*" in name.strip("*") or (name.startswith("*") and name.endswith("*")))

# What a pattern is tried on: real names for each rule, with "" for any directory in front.
_SAMPLES = tuple(name.replace("*", "x") for name in NAMES if not name.endswith(".json")) + (".env.local", ".env.production")
_SAMPLE_PATHS = (
    ".ssh/id_rsa", ".ssh/id_ed25519", ".aws/credentials", ".kube/config", ".gnupg/private-keys-v1.d/x.key", ".azure/accesstokens.json",
    ".config/gcloud/credentials.db", ".password-store/x.gpg",
) + tuple(item.strip("/").replace("*", "x") for item in FILES)  # fmt: skip


def parts_of(path, cwd=""):
    """Return the path's parts as seen from cwd, in lower case, without "." and with ".." taken back; "/" first if absolute."""
    path = path.lower().replace("\\", "/")
    if path.startswith("file:"):
        path = re.sub("%([0-9a-f]{2})", lambda match: chr(int(match.group(1), 16)), path[5:])
        path = "/" + path.lstrip("/")
    if not path.startswith("/") and cwd:
        path = cwd.lower().rstrip("/") + "/" + path
    if path.startswith("/proc/"):
        path = _seen_through_proc(path, cwd.lower())
    parts = ["/"] if path.startswith("/") else []
    for part in path.split("/"):
        if part == "..":
            if parts and parts[-1] not in ("/", ".."):
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _seen_through_proc(path, cwd):
    """Return a path that leads over the root or the working directory of a process without that detour."""
    parts = path.split("/", 4)
    if len(parts) < 5 or parts[3] not in ("root", "cwd"):
        return path
    return "/" + parts[4] if parts[3] == "root" else cwd.rstrip("/") + "/" + parts[4]


def is_credential(path, cwd=""):
    """Return whether path is a credential file, may be one (wildcards, unknown parts), or lies in a directory of them."""
    if not path or len(path) > 4096:
        return False
    parts = parts_of(path, cwd)
    if not parts or parts == ["/"]:
        return False
    name = parts[-1]
    if name.endswith(PUBLIC_SUFFIXES) or name in NOT_FILES or name in ("example.env", "sample.env", "template.env") or _public_pem(parts):
        return False
    if STAR in name or ONE in name or UNKNOWN in name or any(STAR in part or ONE in part for part in parts):
        return _may_be(parts)
    if name in _EXACT or name.startswith(_STARTS) or name.endswith(_ENDS) or any(like(name, pattern) for pattern in _PATTERNS):
        return True
    if any(
        _ends_with(parts, absolute, wanted)
        for last in (name, "*.env", "ssh_host_*_key")
        for absolute, wanted in _FILES.get(last, ())
    ):
        return True
    if _DIRECTORY_ENDS.isdisjoint(parts):
        return False
    for absolute, wanted in _DIRECTORIES:
        end = _inside(parts, absolute, wanted)
        if end and parts[end] not in PUBLIC_NAMES.get(wanted[-1], ()):
            return True
    return False


def hints():
    """Return pieces (lower case) of which at least one is in every text that names a credential file."""
    if not _HINTS:
        for item in NAMES + FILES + DIRECTORIES:
            _HINTS.add(max(item.replace("*", "/").replace(" ", "/").split("/"), key=len))
    return _HINTS


_HINTS = set()


def _public_pem(parts):
    name = parts[-1]
    if not name.endswith((".pem", ".key")) or any(mark in name for mark in ("priv", "-key.", "_key.")):
        return False
    words = re.split(r"[^a-z]+", name)
    return (
        "pub" in words
        or "public" in words
        or (
            name.endswith(".pem")
            and (any(word in PUBLIC_PEM or "cert" in word or word.endswith("chain") for word in words) or "certs" in parts[:-1])
        )
    )


def is_directory(path, cwd=""):
    """Return whether path is a directory of credentials itself."""
    parts = parts_of(path, cwd)
    return any(_ends_with(parts, absolute, wanted) for absolute, wanted in _DIRECTORIES)


def is_sample_name(name, common=False):
    """Return whether a name (with wildcards) may be that of a credential file which only its directory gives away ("credentials").

    common: also names that many other files have ("config").
    """
    known = name.lower().replace(STAR, "").replace(ONE, "").replace(UNKNOWN, "")
    samples = {sample.rpartition("/")[2] for sample in _SAMPLE_PATHS}
    return len(known) > (2 if common else 3) and any(matches(name.lower(), sample) for sample in (samples if common else samples.difference(_COMMON)))


_COMMON = ("config", "config.json", "config.toml", "config.yml", "config.yaml", "settings.xml", "apps.json", "hosts.json", "hosts.yml", "auth.json", "cookies",
           "environ", "login data", "hub", "logins.json")  # fmt: skip


def _ends_with(parts, absolute, wanted):
    tail = parts[-len(wanted) :]
    if len(tail) != len(wanted) or (absolute and (parts[0] != "/" or len(parts) != len(wanted) + 1)):
        return False
    return all(like(part, one) for one, part in zip(wanted, tail))


def like(name, pattern):
    """Return whether name fits a pattern whose only wildcard is "*". No regular expression: compiling these costs more."""
    if "*" not in pattern:
        return name == pattern
    first, *middle, last = pattern.split("*")
    if len(name) < len(first) + len(last) or not name.startswith(first) or not name.endswith(last):
        return False
    position = len(first)
    for piece in middle:
        position = name.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return position <= len(name) - len(last)


def _inside(parts, absolute, wanted):
    """Return the index of the first part below the wanted directory, 0 when parts do not lie in one."""
    size = len(wanted)
    for start in range(len(parts) - size):
        if tuple(parts[start : start + size]) == wanted and (not absolute or (start == 1 and parts[0] == "/")):
            return start + size
    return 0


def _may_be(parts):
    """Return whether a path with wildcards or unknown parts may lead to a credential.

    A wildcard does not match a leading dot, as in the shell. A part that is unknown as a whole says nothing about a name.
    """
    name = parts[-1]
    if name.replace(UNKNOWN, ""):
        known = name.replace(STAR, "").replace(ONE, "").replace(UNKNOWN, "")
        suspicious = len(known.replace(".", "")) >= 2 or name.startswith(".")
        if suspicious and any(matches(name, sample) for sample in _SAMPLES):
            return True
    for sample in _SAMPLE_PATHS:
        wanted = sample.split("/")
        tail = parts[-len(wanted) :]
        if len(tail) < len(wanted) or len(tail[0].strip(STAR + UNKNOWN)) < 2:
            continue
        exact = sum(
            1 for one, part in zip(tail, wanted) if one == part or (len(one.strip(STAR + UNKNOWN)) > 1 and matches(one, part))
        )
        if exact and all(matches(one, part) for one, part in zip(tail, wanted)):
            return True
    for absolute, wanted in _DIRECTORIES:
        end = _inside(parts, absolute, wanted)
        if end and parts[end] not in PUBLIC_NAMES.get(wanted[-1], ()):
            plain = "".join(parts[end:]).replace(UNKNOWN, "").replace(STAR, "").replace(ONE, "")
            if not plain or not any(
                public.startswith(plain) or plain.startswith(public) for public in PUBLIC_NAMES.get(wanted[-1], ())
            ):
                return True
    return False


def matches(pattern, name):
    """Return whether one part of a path, with the shell parser's marks in it, may be name."""
    if name.startswith(".") and not pattern.startswith((".", UNKNOWN)):
        return False
    if len(pattern) - sum(pattern.count(mark) for mark in (STAR, ONE, UNKNOWN)) > len(name):
        return False  # what it says itself is longer already
    pattern = re.sub("%s+" % STAR, STAR, pattern)  # a run of wildcards is one, and costs as much
    if pattern.count(STAR) > 8:
        return True
    expression = "".join(
        "[^/]*" if character == STAR else "[^/]" if character == ONE else ".*" if character == UNKNOWN else re.escape(character)
        for character in pattern
    )
    return re.fullmatch(expression, name) is not None
