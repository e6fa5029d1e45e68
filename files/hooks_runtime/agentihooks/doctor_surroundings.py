# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the doctor on what lies beside the guards: hooks of others, tools, skills, instructions, the last smoke test, denials.

Each function returns rows (see finding.py) and reads only. Facts about the CLIs: docs/hook-contract.md, docs/codex-hooks.md.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
import time

from agentihooks import installed_clis, log, mcp_surface, protected_files
from agentihooks.commands import denials
from agentihooks.finding import CRITICAL, INFO, OK, WARNING, row

WRAPPER = "agentihooks-hook.sh"
MAX_BYTES = 1 << 20
MAX_FILES = 500  # of one kind that are looked at
SMOKE = "smoke.json"  # in the data directory, what the last smoke test left
SMOKE_SCHEMA = 1
_PROVE = "Run the playbook agentihooks.fleet.smoke for this host."
# Copilot's small models ended every turn with 511 tools, which filled 109 % of their window with the instructions almost empty; each
# request carries them all (the reference's measurement).
TOOLS_CEILING = 469
# There 66 KB of instructions took 12 % of the window.
MAX_INSTRUCTIONS = 64 << 10
MAX_DESCRIPTION = 1024  # characters; Copilot leaves a skill with a longer one out
DENIALS_DAYS = 7
# What AgentiHooks itself, not this collection, leaves.
UPSTREAM_BLOCK = "# === agentihooks ==="
UPSTREAM_STATE = "state.json"
_SHELL_FILES = (".bashrc", ".zshrc")
_COMMAND_KEYS = ("command", "bash", "exec")
CODEX_SYSTEM = ("/etc/codex/requirements.toml", "/etc/codex/managed_config.toml")


def upstream(host):
    """Rows about AgentiHooks itself: its records, its block in the shells' files, its hooks in the CLIs' files."""
    found = []
    if os.path.lexists(os.path.join(host.data_directory, UPSTREAM_STATE)):
        found.append(os.path.join(host.data_directory, UPSTREAM_STATE))
    found += [path for path in (os.path.join(host.home, name) for name in _SHELL_FILES) if UPSTREAM_BLOCK in text(path)]
    if not found:
        return [row("", "AgentiHooks itself", OK, "nothing of it is left")]
    way_out = (
        "Run ansible-playbook agentihooks.fleet.site for this host: it takes over what those records name. Then remove the state file, and "
        "the lines from %s to # === end-agentihooks === in the shell files." % UPSTREAM_BLOCK
    )
    return [row("", "AgentiHooks itself", WARNING, "left by it: %s" % ", ".join(found), way_out)]


def denied(host, now):
    """Return a row with how much was denied of late. now: seconds (epoch)."""
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(max(0, now - DENIALS_DAYS * 86400)))
    counted = denials.counted(log.records(host.data_directory), since)
    rules = ", ".join("%s %d" % (name, found["denied"]) for name, found in counted["rules"].items() if found["denied"])
    told = "in %d days: %d calls denied%s" % (DENIALS_DAYS, counted["denied"], " (%s)" % rules if rules else "")
    if counted["faults"]:
        what = "%s, and %d times the runtime itself failed" % (told, counted["faults"])
        return [row("", "denials", WARNING, what, "Look at logs/hooks.log in %s." % host.data_directory)]
    return [row("", "denials", INFO if counted["denied"] else OK, told)]


def smoke(target, host, version):
    """Return a row about the last smoke test of a CLI. version: the installed one, None when it cannot be told."""
    path = os.path.join(host.data_directory, SMOKE)
    found = load(path)
    known = isinstance(found, dict) and found.get("schema") == SMOKE_SCHEMA and isinstance(found.get("clis"), dict)
    if found != {} and not known:
        return row(target, "smoke test", WARNING, "%s is not what a smoke test of this version leaves" % path, _PROVE)
    run = found["clis"].get(target) if known else None
    if not isinstance(run, dict):
        return row(target, "smoke test", INFO, "never run, so that the guards work with this CLI is not proved on this host", _PROVE)
    when = str(found.get("finished"))[:20]
    if run.get("passed") is not True:
        checks = run.get("checks") if isinstance(run.get("checks"), list) else []
        failed = ", ".join(str(check.get("check"))[:40] for check in checks if isinstance(check, dict) and check.get("passed") is not True)
        return row(target, "smoke test", CRITICAL, "failed at %s: %s" % (when, failed or "no check is named"), _PROVE)
    if version and run.get("version") != version:
        what = "passed at %s with %s; since then the CLI moved to %s" % (when, str(run.get("version"))[:40], version)
        return row(target, "smoke test", WARNING, what, _PROVE)
    return row(target, "smoke test", OK, "passed at %s with %s" % (when, str(run.get("version"))[:40]))


def tools(target, host):
    """Return a row about the tools that the MCP servers of a CLI bring along."""
    counts = mcp_surface.of_copilot(host.home, host.environ) if target == "copilot" else mcp_surface.of_codex(host.home, host.environ)
    total = sum(counts.values())
    largest = ", ".join("%s %d" % item for item in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3])
    what = "about %d tools of %d servers, %d tokens in each request%s" % (
        total, len(counts), total * mcp_surface.SCHEMA_TOKENS, " (%s)" % largest if largest else ""
    )  # fmt: skip
    threshold = host.policy["mcp_tool_warn_threshold"]
    if total * 2 > TOOLS_CEILING:
        what += "; %d fill the window of Copilot's small models, which then end every turn" % TOOLS_CEILING
        return row(target, "MCP tools", WARNING, what, "Switch servers off that are not needed, or name the tools of the large ones.")
    return row(target, "MCP tools", INFO if threshold and total > threshold else OK, what)


def instructions(target, path):
    """Return a row about the size of a CLI's instructions."""
    try:
        size = os.stat(path).st_size
    except OSError:
        return row(target, "instructions", OK, "none, %s" % path)
    if size > MAX_INSTRUCTIONS:
        what = "%s has %d KiB, which go with every request; 64 KiB are an eighth of a small model's window" % (path, size >> 10)
        return row(target, "instructions", WARNING, what, "Shorten the profiles' CLAUDE.md and rules, or what stands below the marks.")
    return row(target, "instructions", OK, "%d bytes, %s" % (size, path))


def skills(target, directories):
    """Return a row about skills that the CLI leaves out: without a description, or on Copilot with one that is too long."""
    wrong, looked = [], 0
    for directory in directories:
        for name in sorted(names(directory))[:MAX_FILES]:
            path = os.path.join(directory, name, "SKILL.md")
            if not os.path.isfile(path):
                continue
            looked += 1
            description = described(text(path))
            if not description:
                wrong.append((path, "has no description"))
            elif target == "copilot" and len(description) > MAX_DESCRIPTION:
                wrong.append((path, "has a description of %d characters, 1024 are read" % len(description)))
    if wrong:
        places = [{"place": path, "outcome": why} for path, why in wrong]
        what = "%d of %d are left out by the CLI; the first: %s %s" % (len(wrong), looked, wrong[0][0], wrong[0][1])
        return row(target, "skills", WARNING, what, "Give each SKILL.md a description of 1 to 1024 characters.", places)
    return row(target, "skills", OK, "%d, %s" % (looked, ", ".join(directories)))


def described(content):
    """Return the description in the frontmatter of a SKILL.md, "" for none. Its further lines count, quotes do not."""
    lines = content.split("\n")
    if not lines or lines[0].strip() != "---":
        return ""
    found = None
    for line in lines[1:]:
        if line.strip() == "---":
            break
        if found is not None:
            if line[:1] not in (" ", "\t") and line.strip():
                break
            found.append(line.strip())
        elif line.startswith("description:"):
            found = [line.partition(":")[2].strip()]
    words = " ".join(found or []).strip()
    return re.sub(r"^[|>][-+0-9]*\s*", "", words).strip("\"'").strip()


def other_hooks_copilot(home, wrapper, host):
    """Rows about Copilot's hooks besides ours: other files, plugins. One that cannot start denies each call it is asked about (measured)."""
    rows, others = [], 0
    files = [path for path in _below(os.path.join(home, "hooks")) if os.path.basename(path) != "agentihooks.json"]
    plugins = [path for path in _below(os.path.join(home, "installed-plugins")) if os.path.basename(path) in ("hooks.json", "plugin.json")]
    for path in files + plugins + [os.path.join(home, "hooks", "agentihooks.json"), os.path.join(home, "settings.json")]:
        found = load(path) or {}
        of_plugin = path in plugins
        commands = _commands(found.get("hooks"))
        own_file = os.path.basename(path) in ("agentihooks.json", "settings.json") and not of_plugin
        others += len([command for command in commands if WRAPPER not in command])
        if not own_file and any(WRAPPER in command for command in commands):
            what = "%s registers the wrapper too, so it runs twice" % path
            rows.append(row("copilot", "other hooks", WARNING, what, "Take it out of the plugin." if of_plugin else "Remove that file."))
        for program in _dead(commands, host.home):
            if program != wrapper:
                what = "%s starts %s, which cannot be run; Copilot denies every call it is asked about" % (path, program)
                rows.append(row("copilot", "other hooks", WARNING, what, "Install that program, or take the hook out."))
    return rows or [row("copilot", "other hooks", INFO if others else OK, "%d of the person's, other tools' or plugins'" % others)]


def other_hooks_codex(home, wrapper, host):
    """Rows about Codex's hooks besides ours, in hooks.json and config.toml, and those of the system."""
    rows = []
    commands = _commands((load(os.path.join(home, "hooks.json")) or {}).get("hooks"))
    for program in _dead(commands, host.home):
        if program != wrapper:
            what = "%s starts %s, which cannot be run; Codex lets the call through" % (os.path.join(home, "hooks.json"), program)
            rows.append(row("codex", "other hooks", WARNING, what, "Install that program, or take the hook out."))
    config = text(os.path.join(home, "config.toml"))
    inline = re.search(r"^\s*\[+\s*hooks\.(?!state\b)", config, re.MULTILINE)
    if inline and re.search(r"^\s*command\s*=.*%s" % re.escape(WRAPPER), config, re.MULTILINE):
        what = "%s registers the wrapper under [hooks] too, so it runs twice" % os.path.join(home, "config.toml")
        rows.append(row("codex", "other hooks", WARNING, what, "Take it out there."))
    for path in CODEX_SYSTEM:
        content = text(path)
        if re.search(r"^\s*allow_managed_hooks_only\s*=\s*true", content, re.MULTILINE) and WRAPPER not in content:
            what = "%s allows the system's hooks only, so none of these guards runs" % path
            rows.append(row("codex", "other hooks", CRITICAL, what, "Set agentihooks_codex_hook_trust: managed and run the playbook agentihooks.fleet.site."))
        elif re.search(r"^\s*\[+\s*hooks\b", content, re.MULTILINE) and WRAPPER not in content:
            rows.append(row("codex", "other hooks", INFO, "%s has hooks of the system's administrator" % path))
    others = len([command for command in commands if WRAPPER not in command])
    return rows or [row("codex", "other hooks", INFO if others or inline else OK, "%d of the person's or other tools'" % others)]


def installed(target, host):
    """Return (path, version) of a CLI, as installed_clis.installed() does."""
    search_path = [place for place in host.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(place)]
    return installed_clis.installed(target, installed_clis.directories(host.home, search_path), host.home, host.environ)


def _commands(value):
    """Return the texts of all commands anywhere in a table of hooks."""
    if isinstance(value, dict):
        own = [value[key] for key in _COMMAND_KEYS if isinstance(value.get(key), str)]
        return own + [command for inner in value.values() for command in _commands(inner)]
    return [command for inner in value for command in _commands(inner)] if isinstance(value, list) else []


def _dead(commands, home):
    """Return the programs that commands start by an absolute path and that cannot be run, each once."""
    found = []
    for command in commands:
        try:
            words = shlex.split(command)
        except ValueError:
            continue
        program = words[0] if words else ""
        for name in ("~/", "$HOME/", "${HOME}/"):
            program = os.path.join(home, program[len(name):]) if program.startswith(name) else program
        if os.path.isabs(program) and "$" not in program and not (os.path.isfile(program) and os.access(program, os.X_OK)):
            found.append(program)
    return list(dict.fromkeys(found))


def _below(directory):
    """Return the JSON files below a directory, MAX_FILES at most."""
    found = []
    for place, _directories, files in os.walk(directory):
        found += [os.path.join(place, name) for name in files if name.endswith(".json")]
        if len(found) > MAX_FILES:
            break
    return sorted(found)[:MAX_FILES]


def load(path):
    """Return the object in a JSON file, {} when there is no file, None when it holds no object."""
    try:
        return protected_files.load(read(path))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError):
        return None


def text(path):
    """Return a file's text, "" for one that cannot be read."""
    try:
        return read(path)
    except (OSError, ValueError):
        return ""


def read(path):
    """Return a file's text. Raises OSError, or ValueError for one that is no plain file of a sane size in UTF-8."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise ValueError("no plain file of a sane size")
        return file.read(MAX_BYTES).decode("utf-8")


def names(directory):
    """Return the names in a directory, [] for one that cannot be listed."""
    try:
        return os.listdir(directory)
    except OSError:
        return []
