# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks doctor: do the guards of this host work? Each check is a row; a finding says what to do. Nothing is repaired."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import time

from agentihooks import capabilities, channels, doctor_surroundings, guard_exceptions, log, policy as policy_file, protected_files, session_state
from agentihooks.commands import shown, table
from agentihooks.config_homes import config_home
from agentihooks.doctor_surroundings import CODEX_SYSTEM, WRAPPER, load, names, read, text as text_of
from agentihooks.finding import CRITICAL, INFO, OK, SITE, WARNING, reaches, row
from agentihooks.guards import IDS
from agentihooks.targets import TARGETS
from agentihooks.vocabulary import CODEX_REGISTERED, COPILOT_REGISTERED, COPILOT_TIMEOUT, COPILOT_TIMEOUT_KEY, codex_hooks_keys

HELP = "Check whether the guards of this host work. The exit code is 1 when something is found that is more than a note."
SCHEMA = 2  # of --json
CANARY_SECONDS = 30
MAX_REPOSITORIES = 300  # that are looked at
WRAPPER_MARK = "# Written by agentihooks.fleet, which puts back any edit."
LEDGER = ".agentihooks-managed.json"
REPOSITORY_SETTINGS = (
    ".github/copilot/settings.json", ".github/copilot/settings.local.json", ".claude/settings.json", ".claude/settings.local.json",
)


def arguments(parser):
    """Add the arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(options, host):
    """Print the table. Returns 1 when something was found."""
    rows = checks(host)
    findings = sum(reaches(each["level"], WARNING) for each in rows)
    if options.json:
        print(json.dumps({"schema": SCHEMA, "findings": findings, "checks": rows}))
        return 1 if findings else 0
    for line in table([["check", "level", "what"]] + [[titled(each), each["level"], shown(each["what"])] for each in rows]):
        print(line)
    for way_out in dict.fromkeys(each["way_out"] for each in rows if each["way_out"] and reaches(each["level"], WARNING)):
        print("-> %s" % shown(way_out))
    print("nothing found" if not findings else "%d finding%s" % (findings, "" if findings == 1 else "s"))
    return 1 if findings else 0


def titled(each):
    """Return a row's check with the CLI that it is about."""
    return "%s: %s" % (TARGETS[each["target"]].title, each["check"]) if each["target"] else each["check"]


def checks(host):
    """Return the rows, as finding.row() makes them."""
    rows = [_policy(host), _data(host), _environment(host), _interpreter(host)] + _ledger("", host.data_directory, needed=False)
    rows += doctor_surroundings.denied(host, time.time()) + doctor_surroundings.upstream(host)
    homes = {target: config_home(target, host.home, host.environ) for target in TARGETS}
    present = [target for target, home in homes.items() if any(os.path.lexists(os.path.join(home, name)) for name in (WRAPPER, LEDGER))]
    if not present:
        rows.append(row("", "agent CLIs", CRITICAL, "none of %s has the hooks" % ", ".join(homes.values()), SITE))
    for target in present:
        home = homes[target]
        wrapper = os.path.join(home, WRAPPER)
        rows.append(_wrapper(target, wrapper, host))
        rows += _canaries(target, wrapper, host)
        path, version = doctor_surroundings.installed(target, host)
        rows += _OWN[target].registered(home, wrapper, version)
        rows += _ledger(target, home)
        rows += _OWN[target].silenced(home, host)
        rows += _surroundings(target, home, wrapper, host, path, version)
    return rows


def _surroundings(target, home, wrapper, host, path, version):
    # Copilot reads ~/.agents/skills only while its home is the usual one (measured).
    usual = target != "copilot" or home == os.path.join(host.home, TARGETS[target].home[1])
    directories = [os.path.join(host.home, ".agents", "skills")] if usual else [os.path.join(home, "skills")]
    return _OWN[target].others(home, wrapper, host) + [
        _version(target, path, version),
        doctor_surroundings.smoke(target, host, version),
        doctor_surroundings.tools(target, host),
        doctor_surroundings.skills(target, directories),
        doctor_surroundings.instructions(target, os.path.join(home, TARGETS[target].instructions)),
    ]


# --- what all CLIs share ---


def _policy(host):
    path = os.path.join(host.data_directory, "policy.json")
    wrong = policy_file.problems(path)
    for item in host.policy["guard_exceptions"]:
        problem = guard_exceptions.problem(item, time.time(), IDS)
        if problem and problem != guard_exceptions.EXPIRED:
            wrong.append("guard_exceptions: %s" % problem)
    if wrong:
        return row("", "policy", WARNING, "%s %s; the strict defaults hold instead" % (path, ", ".join(wrong)), SITE)
    if host.policy["guard_failure"] == "allow":
        return row("", "policy", INFO, "%s lets calls through when the guards themselves fail" % path)
    return row("", "policy", OK, path)


def _data(host):
    return _private("data directory", host.data_directory, 0o022, "can be changed by others")


def _environment(host):
    path = os.path.join(host.data_directory, channels.FILE)
    if not os.path.lexists(path):
        return row("", "environment", OK, "no %s, no variables" % path)
    return _private("environment", path, 0o077, "can be read by others, and may hold secrets")


def _private(check, path, mask, what):
    try:
        status = os.stat(path)
    except OSError as error:
        return row("", check, CRITICAL, "%s cannot be looked at (%s)" % (path, error.strerror), SITE)
    if status.st_uid != os.geteuid():
        return row("", check, CRITICAL, "%s belongs to user id %d, not to %d" % (path, status.st_uid, os.geteuid()), SITE)
    if status.st_mode & mask:
        return row("", check, CRITICAL, "%s %s (mode %o)" % (path, what, stat.S_IMODE(status.st_mode)), SITE)
    return row("", check, OK, path)


def _interpreter(host):
    path = os.path.join(host.data_directory, "runtime", "current", "python")
    program = "import json, re, select, sys; print('%d.%d.%d' % sys.version_info[:3])"
    code, out, _err = _run([path, "-I", "-S", "-c", program], b"", {})
    if code != 0:
        return row("", "interpreter", CRITICAL, "%s does not run (%s)" % (path, _end(code, out)), SITE)
    return row("", "interpreter", OK, "Python %s, %s" % (out.decode("ascii", "replace").strip(), os.path.realpath(path)))


def _ledger(target, directory, needed=True):
    """Return a row about the record of what was written to a directory."""
    path = os.path.join(directory, LEDGER)
    if not needed and not os.path.lexists(path):
        return []
    try:
        record = json.loads(read(path))
    except OSError as error:
        return [row(target, "ledger", WARNING, "%s cannot be read (%s)" % (path, error.strerror), SITE)]
    except (ValueError, RecursionError):
        return [row(target, "ledger", WARNING, "%s is not JSON; nothing of what was written is removed or updated as ours until it is" % path, SITE)]
    if not isinstance(record, dict) or not isinstance(record.get("schema"), int):
        return [row(target, "ledger", WARNING, "%s names no schema" % path, SITE)]
    return [row(target, "ledger", OK, path)]


def _wrapper(target, path, host):
    check = "wrapper"
    try:
        status = os.lstat(path)
        text = read(path)
    except OSError as error:
        return row(target, check, CRITICAL, "%s cannot be read (%s)" % (path, error.strerror), SITE)
    except ValueError:
        text = ""
    if not stat.S_ISREG(status.st_mode):
        return row(target, check, CRITICAL, "%s is no plain file" % path, SITE)
    if not os.access(path, os.X_OK):
        return row(target, check, CRITICAL, "%s is not executable, so every hook fails" % path, SITE)
    if status.st_mode & 0o022 or status.st_uid not in (0, os.geteuid()):
        return row(target, check, CRITICAL, "%s can be changed by others" % path, SITE)
    if WRAPPER_MARK not in text or os.path.realpath(os.path.join(host.data_directory, "runtime", "current")) not in _runtimes(text):
        return row(target, check, CRITICAL, "%s is not the one that starts this runtime" % path, SITE)
    return row(target, check, OK, path)


def _runtimes(text):
    """Return the directories that a wrapper's text names as its runtime, links resolved: the same home may have two names."""
    found = []
    for line in text.split("\n"):
        if line.startswith("runtime="):
            try:
                words = shlex.split(line[len("runtime="):])
            except ValueError:
                continue
            if len(words) == 1 and os.path.isabs(words[0]):
                found.append(os.path.realpath(words[0]))
    return found


def _canaries(target, wrapper, host):
    """Return two rows: a call that must be denied, and one that must not, put to the wrapper as the CLI does."""
    denied = _put(target, wrapper, host, "cat %s" % shlex.quote(os.path.join(host.home, ".ssh", "id_rsa")))
    allowed = _put(target, wrapper, host, "true")
    session_state.Session(host.data_directory, log.CHECK_SESSION).forget()
    rows = []
    if "agentihooks [credential.file]" in denied[1].decode("utf-8", "replace") + denied[2].decode("utf-8", "replace") and denied[0] in (0, 2):
        rows.append(row(target, "denies", OK, "reading an SSH key"))
    else:
        rows.append(row(target, "denies", CRITICAL, "reading an SSH key was not denied by its rule: %s" % _end(denied[0], denied[1] + denied[2]), SITE))
    if allowed[0] == 0 and b"deny" not in allowed[1] and b'"block"' not in allowed[1]:
        rows.append(row(target, "lets through", OK, "a harmless command"))
    else:
        rows.append(row(target, "lets through", CRITICAL, "a harmless command was not let through: %s" % _end(allowed[0], allowed[1] + allowed[2]), SITE))
    return rows


def _put(target, wrapper, host, command):
    """Return (exit code, stdout, stderr) of the wrapper for a shell call."""
    environ = {"HOME": host.home, "PATH": host.environ.get("PATH", "/usr/bin:/bin")}
    if target == "copilot":
        payload = {"sessionId": log.CHECK_SESSION, "cwd": "/", "toolName": "bash", "toolArgs": {"command": command}}
        environ["COPILOT_CLI_BINARY_VERSION"] = capabilities.measured_range(target)[1]
        words = [wrapper, "preToolUse"]
    else:
        payload = {"hook_event_name": "PreToolUse", "session_id": log.CHECK_SESSION, "cwd": "/", "tool_name": "Bash", "tool_input": {"command": command}}
        words = [wrapper]
    return _run(words, json.dumps(payload, separators=(",", ":")).encode("ascii"), environ)


def _version(target, path, version):
    check = "version"
    if path is None:
        return row(target, check, INFO, "not installed; its files are there for when it is")
    first, last = capabilities.measured_range(target)
    if version is None or not capabilities.is_in_range(target, version):
        what = "%s is %s; what the hooks rely on was measured on %s to %s" % (path, version or "of a version that it does not tell", first, last)
        return row(target, check, WARNING, what, "Prove it with the playbook agentihooks.fleet.smoke, or install a version in between.")
    return row(target, check, OK, "%s, %s" % (version, path))


# --- Copilot ---


def _registered_copilot(home, wrapper, _version):
    check, path = "hooks file", os.path.join(home, "hooks", "agentihooks.json")
    try:
        found = json.loads(read(path))
        hooks = found["hooks"]
        lists = {event: [item for item in hooks.get(event, []) if isinstance(item, dict)] for event in COPILOT_REGISTERED}
    except OSError as error:
        return [row("copilot", check, CRITICAL, "%s cannot be read (%s), so no guard runs" % (path, error.strerror), SITE)]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return [row("copilot", check, CRITICAL, "%s is no hooks file, so no guard runs" % path, SITE)]
    if found.get("disableAllHooks", False) is not False:
        return [row("copilot", check, CRITICAL, "%s turns its own hooks off (disableAllHooks)" % path, SITE)]
    missing = []
    for event, items in lists.items():
        wanted = "%s %s" % (shlex.quote(wrapper), event)
        if not any(item.get("command") == wanted and item.get(COPILOT_TIMEOUT_KEY) == COPILOT_TIMEOUT for item in items):
            missing.append(event)
    if missing:
        return [row("copilot", check, CRITICAL, "%s does not register the wrapper as it should for %s" % (path, ", ".join(missing)), SITE)]
    return [row("copilot", check, OK, "%d events, %s" % (len(COPILOT_REGISTERED), path))]


def _silenced_copilot(home, host):
    """Return rows about the settings that can turn hooks off: the person's, and those of the repositories that Copilot trusts."""
    rows, check = [], "silenced"
    for name in ("settings.json", "settings.local.json"):
        found = load(os.path.join(home, name))
        if found is None:
            rows.append(row("copilot", check, WARNING, "%s is no JSON object" % os.path.join(home, name), "Correct it by hand."))
        elif any(found.get(key) not in (None, False, []) for key in protected_files.OFF_KEYS):
            rows.append(row("copilot", check, CRITICAL, "%s turns hooks off" % os.path.join(home, name), SITE))
        elif WRAPPER in json.dumps(found.get(protected_files.HOOKS_KEY)):
            what = "%s registers the wrapper too, so it runs twice" % os.path.join(home, name)
            rows.append(row("copilot", check, WARNING, what, "Take it out of hooks there."))
        elif found.get(protected_files.HOOKS_KEY):
            rows.append(row("copilot", check, INFO, "%s has hooks of its own" % os.path.join(home, name)))
    looked = 0
    for repository in _trusted(home):
        looked += 1
        for name in REPOSITORY_SETTINGS:
            path = os.path.join(repository, name)
            found = load(path)
            if found is None or any(found.get(key) not in (None, False, []) for key in protected_files.OFF_KEYS):
                what = "may turn" if found is None else "turns"
                way_out = "Take disableAllHooks out of it, or take the folder out of trustedFolders."
                rows.append(row("copilot", check, CRITICAL, "%s %s off every hook in that folder, these guards too" % (path, what), way_out))
            elif found.get(protected_files.HOOKS_KEY):
                rows.append(row("copilot", check, INFO, "%s brings hooks of its own, which no guard sees" % path))
    if host.environ.get("COPILOT_ALLOW_ALL") or "COPILOT_ALLOW_ALL=" in text_of(os.path.join(host.data_directory, channels.FILE)):
        rows.append(row("copilot", check, INFO, "COPILOT_ALLOW_ALL is set: a folder's settings count without a question"))
    return rows or [row("copilot", check, OK, "nothing, in %s and %d trusted folders" % (home, looked))]


def _trusted(home):
    """Return the folders that Copilot trusts and the directories in them, as many as are looked at."""
    try:
        config = protected_files.load(read(os.path.join(home, "config.json"))) or {}
    except (OSError, ValueError):
        return []
    found = []
    for key in ("trustedFolders", "trusted_folders"):
        for folder in config[key] if isinstance(config.get(key), list) else []:
            if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder:
                found.append(folder)
                found += _below(folder)
    return list(dict.fromkeys(found))[:MAX_REPOSITORIES]


def _below(folder):
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir())
    except OSError:
        return []


# --- Codex ---


def _registered_codex(home, wrapper, version):
    check, path = "hooks file", os.path.join(home, "hooks.json")
    for system in CODEX_SYSTEM:
        if WRAPPER in text_of(system):
            return [row("codex", check, OK, "registered by the system, %s" % system)]
    try:
        found = json.loads(read(path))
        extra = sorted(set(found) - set(codex_hooks_keys(version)))
        commands = {
            event: [hook.get("command", "") for group in groups for hook in group["hooks"]] for event, groups in found["hooks"].items()
        }
    except OSError as error:
        return [row("codex", check, CRITICAL, "%s cannot be read (%s), so no guard runs" % (path, error.strerror), SITE)]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return [row("codex", check, CRITICAL, "%s is no hooks file, so no guard runs" % path, SITE)]
    if extra:
        return [row("codex", check, CRITICAL, "%s has the key %s, for which Codex rejects the whole file" % (path, extra[0]), "Take it out.")]
    missing = [event for event in CODEX_REGISTERED if not any(_starts(command, wrapper) for command in commands.get(event, ()))]
    if missing:
        return [row("codex", check, CRITICAL, "%s does not register the wrapper for %s" % (path, ", ".join(missing)), SITE)]
    rows = [row("codex", check, OK, "%d events, %s" % (len(CODEX_REGISTERED), path))]
    config = text_of(os.path.join(home, "config.toml"))
    # Of those that every measured version has: an older one asks for no trust in an event that it does not know.
    wanted = capabilities.TABLE["codex"]
    untrusted = [event for event in wanted if "hooks.json:%s:" % re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower() not in config]
    if untrusted:
        what = "not trusted yet, so Codex runs none of them and says nothing: %s" % ", ".join(untrusted)
        rows.append(row("codex", "trust", CRITICAL, what, "Trust them in Codex (/hooks), or let the role record it (agentihooks_codex_hook_trust)."))
    return rows


def _starts(command, wrapper):
    try:
        return isinstance(command, str) and shlex.split(command)[:1] == [wrapper]
    except ValueError:
        return False


def _silenced_codex(home, _host):
    """Return rows about the lines of config.toml and its profiles that turn hooks off."""
    rows, check = [], "silenced"
    files = ["config.toml"] + sorted(name for name in names(home) if name.endswith(".config.toml"))
    for name in files:
        text = text_of(os.path.join(home, name))
        table_name, off = "", []
        for line in text.split("\n"):
            header = re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line)
            table_name = header.group(1) if header else table_name
            key, _equals, value = (part.strip() for part in line.partition("="))
            value = value.partition("#")[0].strip()
            features = table_name == "features" and key in ("hooks", "codex_hooks") or key in ("features.hooks", "features.codex_hooks")
            if value == "false" and (features or (key == "enabled" and table_name.startswith("hooks.state") and "hooks.json:" in table_name)):
                off.append("%s in [%s]" % (key, table_name) if table_name else key)
        if off:
            rows.append(row("codex", check, CRITICAL, "%s turns hooks off: %s" % (os.path.join(home, name), ", ".join(off)), SITE))
    return rows or [row("codex", check, OK, "nothing, in %s" % home)]


class _Own:
    """What is asked of one CLI in its own way. registered(home, wrapper, version of the CLI), silenced(home, host), others(home, wrapper, host): rows."""

    def __init__(self, registered, silenced, others):
        self.registered = registered
        self.silenced = silenced
        self.others = others


_OWN = {
    "copilot": _Own(_registered_copilot, _silenced_copilot, doctor_surroundings.other_hooks_copilot),
    "codex": _Own(_registered_codex, _silenced_codex, doctor_surroundings.other_hooks_codex),
}


# --- I/O ---


def _run(words, stdin, environ):
    """Return (exit code, stdout, stderr) of a program, (-1, why, b"") when it does not start or does not end in time."""
    try:
        done = subprocess.run(words, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, cwd="/", timeout=CANARY_SECONDS, check=False)
    except OSError as error:
        return -1, (error.strerror or "").encode("utf-8", "replace"), b""
    except subprocess.TimeoutExpired:
        return -1, b"it took longer than %d seconds" % CANARY_SECONDS, b""
    return done.returncode, done.stdout, done.stderr


def _end(code, said):
    text = " ".join(said.decode("utf-8", "replace").split())[:200]
    return ("exit code %d" % code if code >= 0 else "not run") + (", %s" % text if text else "")
