# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the guard cases (tests/guard_cases/README.md) and puts key-shaped text in place of their tokens.

The text is made anew in each process from a fixed seed, so that no file of the repository looks like a leak.
"""

from __future__ import annotations

import json
import random
import string

_LETTERS = string.ascii_letters + string.digits


def tokens(home):
    """Return token name -> text for one home."""
    chance = random.Random(20261202)

    def some(count, alphabet=_LETTERS):
        return "".join(chance.choice(alphabet) for _place in range(count))

    kind = "PRIVATE KEY-----"
    return {
        "HOME": str(home),
        "GHP": "ghp_" + some(36),
        "AKIA": "AKIA" + some(16, string.ascii_uppercase + "234567"),
        "AWSSECRET": some(40),
        "SK": "sk-" + some(48),
        "ANT": "sk-ant-api03-" + some(93) + "AA",
        "SLACK": "xoxb-" + some(12, string.digits) + "-" + some(12, string.digits) + "-" + some(24),
        "GLPAT": "glpat-" + some(20),
        "NPM": "npm_" + some(36),
        "HF": "hf_" + some(34, string.ascii_letters),
        "GOOGLE": "AIza" + some(35),
        "STRIPE": "sk_live_" + some(24),
        "JWT": "eyJ" + some(20) + ".eyJ" + some(40) + "." + some(43),
        "PASSWORD": some(20),
        "PEM": "-----BEGIN RSA " + kind + "\n" + "\n".join(some(64) for _place in range(6)) + "\n-----END RSA " + kind,
    }


def expand(value, words):
    """Return value with every {{TOKEN}} replaced, at any depth, in keys too."""
    if isinstance(value, str):
        for name, text in words.items():
            value = value.replace("{{%s}}" % name, text)
        return value
    if isinstance(value, dict):
        return {expand(key, words): expand(item, words) for key, item in value.items()}
    return [expand(item, words) for item in value] if isinstance(value, list) else value


def load(path):
    """Return the cases of a file, a list of dicts."""
    with open(str(path), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


# A work tree on a topic branch, as most sessions have one.
WORK_TREE = {
    ".git/HEAD": "ref: refs/heads/feature/login\n",
    ".git/config": (
        '[remote "origin"]\n\turl = git@github.com:octo/project.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
        '[branch "feature/login"]\n\tremote = origin\n\tmerge = refs/heads/feature/login\n'
    ),
}


def innocents(path):
    """Return the commands of innocent_commands.txt (its head says how it is read) as cases."""
    commands, block = [], None
    with open(str(path), encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line == "---":
                if block is not None:
                    commands.append("\n".join(block))
                block = [] if block is None else None
            elif block is not None:
                block.append(line)
            elif line and not line.startswith("#"):
                commands.append(line)
    return [
        {"id": "I%03d" % number, "tool": "bash", "args": {"command": text}, "verdict": "allow", "files": WORK_TREE}
        for number, text in enumerate(commands, 1)
    ]


def files(case, cwd, home):
    """Return absolute path -> text of what lies on the disk in a case; "~/" means the home, other paths the directory of the call."""
    return {
        path.replace("~", str(home), 1) if path.startswith("~/") else "%s/%s" % (cwd, path): text for path, text in case.get("files", {}).items()
    }


def payload(case, words, cwd, dialect="camel"):
    """Return the hook payload of a case in one dialect: camel, string, pascal, batch or codex (None for a tool that Codex has not)."""
    args = expand(case["args"], words)
    name = case["tool"]
    if name.startswith("mcp:"):
        name = name[4:].replace("/", "-")
    if dialect == "codex":
        return _codex_payload(case["tool"], args, cwd)
    if name == "apply_patch" and dialect != "batch":
        args = args["patch"]
    if dialect == "string" and not isinstance(args, str):
        args = json.dumps(args)
    if dialect == "pascal":
        name = _PASCAL.get(name, name)
        return {"hook_event_name": "PreToolUse", "session_id": "s-1", "cwd": cwd, "tool_name": name, "tool_input": args}
    if dialect == "batch":
        calls = [{"id": "1", "name": "view", "args": '{"path":"README.md"}'}, {"id": "2", "name": name, "args": json.dumps(args)}]
        return {"sessionId": "s-1", "cwd": cwd, "toolCalls": calls}
    return {"sessionId": "s-1", "cwd": cwd, "toolName": name, "toolArgs": args}


# As Copilot spells its tools to a hook that is registered in PascalCase.
_PASCAL = {
    "bash": "Bash", "view": "Read", "create": "Write", "edit": "Edit", "apply_patch": "Edit", "str_replace_editor": "Edit",
    "grep": "Grep", "glob": "Glob",
}  # fmt: skip


def _codex_payload(tool, args, cwd):
    if tool == "bash" and isinstance(args.get("command"), str):
        name, args = "Bash", {"command": args["command"]}
    elif tool == "apply_patch":
        name, args = "apply_patch", {"command": args["patch"]}
    elif tool.startswith("mcp:"):
        name = "mcp__" + tool[4:].replace("/", "__")
    else:
        return None
    more = {"transcript_path": None, "turn_id": "t-1", "model": "gpt-5.5", "permission_mode": "default", "tool_use_id": "call-1"}
    return dict(more, hook_event_name="PreToolUse", session_id="s-1", cwd=cwd, tool_name=name, tool_input=args)
