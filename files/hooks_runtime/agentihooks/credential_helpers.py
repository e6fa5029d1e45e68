# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are asked for a secret and print it: data, and the question whether a command does that. Pure."""

from __future__ import annotations

from agentihooks.credential_paths import like
from agentihooks.programs import option_values, secret_name

_COMPOSE_QUIET = (
    "--no-interpolate",
    "--services",
    "--quiet",
    "-q",
    "--images",
    "--profiles",
    "--volumes",
    "--networks",
    "--hash",
    "--environment",
)

# Program -> (words that follow in this order with others between them, words that make it harmless). "*" is a wildcard.
HELPERS = {
    "security": ((("find-*-password", "-w"), ()), (("find-*-password", "-g"), ()), (("dump-keychain",), ()),),
    "op": ((("read",), ()), (("item", "get"), ()), (("inject",), ()), (("document", "get"), ()),),
    "gopass": ((("show",), ()),),
    "bw": ((("list", "items"), ()), (("export",), ()),),
    "lpass": ((("show",), ()), (("export",), ()),),
    "vault": ((("kv", "get"), ()), (("print", "token"), ()), (("token", "create"), ()),),
    "bao": ((("kv", "get"), ()), (("print", "token"), ()), (("token", "create"), ()),),
    "gh": ((("auth", "token"), ()), (("auth", "status", "-t"), ()), (("auth", "status", "--show-token"), ()),),
    "glab": ((("auth", "token"), ()), (("auth", "status", "-t"), ()), (("auth", "status", "--show-token"), ()),),
    "gcloud": ((("print-access-token",), ()), (("print-identity-token",), ()), (("secrets", "versions", "access"), ()),),
    "az": (
        (("get-access-token",), ()), (("keyvault", "secret", "show"), ()), (("keys", "list"), ()),
        (("show-connection-string",), ()),
    ),
    "aws": (
        (("get-secret-value",), ()), (("batch-get-secret-value",), ()), (("get-login-password",), ()),
        (("export-credentials",), ()), (("sts", "get-session-token"), ()), (("sts", "assume-role*"), ()),
        (("ssm", "--with-decryption"), ()), (("get-authorization-token",), ()), (("create-access-key",), ()),
    ),
    "oc": ((("whoami", "-t"), ()), (("whoami", "--show-token"), ()),),
    "docker": ((("compose", "config"), _COMPOSE_QUIET),),
    "docker-compose": ((("config",), _COMPOSE_QUIET),),
    "git": (
        (("credential", "fill"), ()), (("credential-*", "get"), ()),
        (("config", "*extraheader*"), ("--unset", "--add", "--unset-all")),
    ),
    "git-credential-*": ((("get",), ()),),
    "npm": ((("config", "get", "*auth*"), ()), (("config", "get", "*password*"), ()), (("token", "list"), ()),),
    "yarn": ((("config", "get", "*auth*"), ()),),
    "pnpm": ((("config", "get", "*auth*"), ()),),
    "heroku": ((("config",), ()), (("config:get",), ()), (("auth:token",), ()),),
    "fly": ((("auth", "token"), ()),),
    "flyctl": ((("auth", "token"), ()),),
    "doppler": ((("secrets",), ("--only-names", "set", "delete", "notes", "upload")),),
    "infisical": ((("secrets",), ("set", "delete", "folders")), (("export",), ()),),
    "chamber": ((("read",), ()), (("export",), ()), (("env",), ()),),
    "sops": ((("-d",), ()), (("--decrypt",), ()), (("decrypt",), ()),),
    "ansible-vault": ((("view",), ()), (("decrypt",), ()),),
    "secret-tool": ((("lookup",), ()), (("search",), ()),),
    "kwallet-query": ((("*",), ()),),
    "keyctl": ((("print",), ()), (("pipe",), ()),),
    "gpg": ((("--export-secret*",), ()),),
    "gpg2": ((("--export-secret*",), ()),),
    "terraform": ((("state", "pull"), ()), (("show", "-json"), ()),),
    "tofu": ((("state", "pull"), ()), (("show", "-json"), ()),),
    "pulumi": ((("--show-secrets",), ()),),
    "wrangler": ((("secret", "get"), ()),),
    "netlify": ((("env:list",), ()), (("env:get",), ()),),
    "dotenv": ((("list",), ("run",)), (("get",), ("run",)),),
    "dotenv-cli": ((("-p",), ("--",)),),
    "vercel": ((("env", "pull"), ()),),
    "supabase": ((("secrets", "get"), ()),),
    "stripe": ((("config", "--list"), ()),),
    "systemctl": ((("show-environment",), ()),),
    "launchctl": ((("export",), ()),),
    "kubeseal": ((("--recovery-unseal",), ()),),
}  # fmt: skip

_PASS_VERBS = (
    "ls",
    "list",
    "find",
    "search",
    "git",
    "insert",
    "add",
    "edit",
    "generate",
    "rm",
    "remove",
    "delete",
    "mv",
    "rename",
    "cp",
    "copy",
    "init",
    "help",
    "version",
)


def asked(program, words):
    """Return what a program is asked for ("gh auth token") where its answer is a secret, "" otherwise. words: its arguments."""
    special = _SPECIAL.get(program)
    if special:
        found = special(words)
        if found:
            return "%s %s" % (program, found)
    for follow, without in HELPERS.get("git-credential-*" if program.startswith("git-credential-") else program, ()):
        if any(word in without or word.partition("=")[0] in without for word in words):
            continue
        position = 0
        for wanted in follow:
            while position < len(words) and not like(
                words[position].lower() if wanted.islower() and wanted[0] == "*" else words[position], wanted
            ):
                position += 1
            position += 1
        if position <= len(words):
            return " ".join((program,) + follow).replace("*", "")
    return ""


def _kubectl(words):
    plain = [word for word in words if not word.startswith("-")]
    if "config" in plain and "view" in plain:
        return "config view --raw" if any(word in ("--raw", "--raw=true") for word in words) else ""
    if "create" in plain and "token" in plain:
        return "create token"
    if "get" not in plain:
        return ""
    kinds = [part.partition("/")[0].partition(".")[0] for word in plain for part in word.split(",")]
    if not any(kind in ("secret", "secrets") for kind in kinds):
        return ""
    forms = option_values(words, ("-o", "--output", "--template")) + [
        word[2:].lstrip("=") for word in words if word.startswith("-o") and len(word) > 2
    ]
    for form in forms:
        kind, _separator, path = form.partition("=")
        if form in ("name", "wide"):
            continue
        if (
            kind in ("jsonpath", "go-template", "custom-columns")
            and "data" not in path.lower().replace("metadata", "")
            and any(part in path for part in (".metadata", ".type", ".kind"))
        ):
            continue
        return "get secret -o " + kind[:20]
    return ""


def _docker(words):
    plain = [word for word in words if not word.startswith("-")]
    if "inspect" not in plain[:2] or plain[0] not in ("inspect", "container"):
        return ""
    forms = option_values(words, ("-f", "--format"))
    if not forms:
        return "inspect"
    form = "".join(forms).replace(" ", "")
    return "inspect" if ".Env" in form or "{{json.}}" in form or "{{.}}" in form or ".Config}}" in form or form == "json" else ""


def _pass(words):
    plain = [word for word in words if not word.startswith("-")]
    return plain[0] if plain and plain[0] not in _PASS_VERBS else ""


def _aws(words):
    keys = words[words.index("get") + 1 :] if words[:1] == ["configure"] and "get" in words else []
    return "configure get" if any(part in key.lower() for key in keys for part in ("secret", "token", "access_key")) else ""


def _terraform(words):
    plain = [word for word in words if not word.startswith("-")]
    if plain[:1] != ["output"] or not any(word in ("-json", "-raw", "--json", "--raw") for word in words):
        return ""
    return "output" if len(plain) == 1 or secret_name(plain[1]) else ""


def _git(words):
    shown = (
        "--get" in words
        or "--get-all" in words
        or "get" in words
        or len([word for word in words if not word.startswith("-")]) == 2
    )
    keys = [word.lower() for word in words[1:]] if words[:1] == ["config"] and shown else []
    return "config" if any(key.endswith((".password", ".token", "oauthtoken")) for key in keys) else ""


def _vault(words):
    plain = [word for word in words if not word.startswith("-")]
    if plain[:1] != ["read"]:
        return ""
    public = len(plain) > 1 and plain[1].startswith("sys/") and not plain[1].startswith(("sys/raw", "sys/wrapping"))
    return "" if public else "read"


def _bw(words):
    plain = [word for word in words if not word.startswith("-")]
    if plain[:1] != ["get"]:
        return ""
    return "" if plain[1:2] and (plain[1] in _BW_PUBLIC or plain[1:3] == ["item", "template"]) else "get"


_BW_PUBLIC = ("template", "organization", "collection", "org-collection", "folder", "fingerprint")


def _decrypts(words):
    """Return "--decrypt" where age or gpg would print what it decrypts."""
    if not any(word == "--decrypt" or (word[:1] == "-" and word[:2] != "--" and "d" in word) for word in words):
        return ""
    targets = option_values(words, ("-o", "--output"))
    return "" if targets and targets[-1] not in ("-", "/dev/stdout") else "--decrypt"


# What these decrypt may be anything, so it may go into a file; what the others print is a secret wherever it goes.
DECRYPTING = ("age", "rage", "gpg", "gpg2")

_SPECIAL = {
    "vault": _vault, "bao": _vault, "bw": _bw, "age": _decrypts, "rage": _decrypts, "gpg": _decrypts, "gpg2": _decrypts,
    "kubectl": _kubectl, "oc": _kubectl, "docker": _docker, "podman": _docker, "nerdctl": _docker, "pass": _pass, "aws": _aws,
    "terraform": _terraform, "tofu": _terraform, "git": _git,
}  # fmt: skip
