# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: which tools an agent may use, from the words of its source to the words Copilot understands.

Never wider than the source, class by class (CLASSES). What has no counterpart is left out and named, so the list can end
up empty; an empty list stays one, because a missing one means every tool.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

CLASSES = ("read", "write", "shell", "net", "agent", "mcp", "none")

# Copilot's name in an agent's `tools` -> its class. Measured on 1.0.80, 1.0.83 and 1.0.102 with both tool sets a model can
# have: view, grep (or rg), glob; create, edit (or apply_patch); shell gives bash and its read, list and stop; task gives the
# sub-agents. update_todo does not exist before 1.0.83 and is ignored there without a word, like any unknown name.
GRANTS = {
    "view": "read", "grep": "read", "glob": "read",
    "create": "write", "edit": "write", "apply_patch": "write",
    "shell": "shell",
    "web_fetch": "net", "web_search": "net",
    "task": "agent",
    "update_todo": "none", "ask_user": "none",
}

# Claude's tool -> Copilot's grants.
CLAUDE_TOOLS = {
    "Read": ("view",), "Grep": ("grep",), "Glob": ("glob",), "LS": ("glob",),
    "Write": ("create",), "Edit": ("edit",), "MultiEdit": ("edit",),
    "Bash": ("shell",),
    "WebFetch": ("web_fetch",), "WebSearch": ("web_search",),
    "Task": ("task",), "Agent": ("task",),
    "TodoWrite": ("update_todo",), "TaskCreate": ("update_todo",), "TaskUpdate": ("update_todo",),
    "TaskList": ("update_todo",), "TaskGet": ("update_todo",),
    "AskUserQuestion": ("ask_user",),
}

# Names of other dialects that Copilot 1.0.102 itself understands, in the words that every version does.
OTHER_TOOLS = {
    "view": ("view",), "read": ("view",), "grep": ("grep",), "glob": ("glob",), "search": ("grep", "glob"), "codebase": ("grep", "glob"),
    "create": ("create",), "write": ("create", "edit"), "edit": ("edit",), "editFiles": ("edit",), "apply_patch": ("apply_patch",),
    "bash": ("shell",), "shell": ("shell",), "execute": ("shell",), "runCommands": ("shell",),
    "web": ("web_fetch", "web_search"), "web_fetch": ("web_fetch",), "web_search": ("web_search",),
    "webfetch": ("web_fetch",), "websearch": ("web_search",),
    "task": ("task",), "agent": ("task",), "todo": ("update_todo",), "update_todo": ("update_todo",), "todowrite": ("update_todo",),
    "ask_user": ("ask_user",),
}

# Tools for one kind of file only: a scoped form of the tool they are narrower than.
NARROWER = {"NotebookRead": "Read", "NotebookEdit": "Edit"}

# Copilot always has these, or has them with the grant named: nothing is lost when they are left out.
COMES_WITH = {"Skill": None, "SlashCommand": None, "BashOutput": "shell", "KillShell": "shell", "KillBash": "shell", "TaskOutput": "task"}

# (grant, first version that does not need it, grant to add): with the tool set of some models the grant alone gives nothing before.
VERSION_EXCEPTIONS = (("create", (1, 0, 102), "apply_patch"),)

# A deny list becomes this list without what it names. task is not in it: a sub-agent would have the tools that are denied.
EVERYTHING_BUT_AGENTS = ("view", "grep", "glob", "create", "edit", "shell", "web_fetch", "web_search", "update_todo", "ask_user")

# What permissionMode "plan" keeps an agent from.
PLAN_MODE_DENIES = ("Write", "Edit", "Bash")

_MCP = re.compile(r"mcp__([\w.-]+?)(?:__([\w.-]+|\*))?$", re.ASCII)
# An entry: a name, then perhaps a scope in parentheses, which may hold commas and parentheses itself.
_ENTRY = re.compile(r"\s*(?:-\s+)?([^,\n(]*)(\((?:[^()]|\([^()]*\))*\)?)?[^,\n]*")
_WHOLE_SCOPES = ("", "(*)", "(:*)", "()")
_EVERY = "*"


@dataclass(frozen=True)
class Rights:
    """What an agent gets.

    tools: Copilot's names in order; None is every tool (the key is left out), () is none. lost: what the source had and the
    agent has not, each as a text with the reason.
    """

    tools: tuple | None
    lost: tuple = ()

    def classes(self):
        """Return the set of CLASSES these tools belong to."""
        if self.tools is None:
            return set(CLASSES)
        return {"mcp" if "/" in name else GRANTS[name] for name in self.tools}


def resolve(allowed, denied, scoped="drop", version=None):
    """Return the Rights for an agent.

    allowed: the values its key `tools` was given (text, list, map of switches, None for an empty one); [] when it has no such
    key. With several, a tool must be in each. denied: values of its deny lists. scoped: "drop" or "widen" grants with a scope,
    like Bash(git diff:*), which Copilot cannot express. version: of the CLI that will read it ("1.0.102"), None for any.
    """
    lost = []
    lists = []
    denied_names = [name for value in denied for name in _entries(value)]
    for value in allowed:
        if isinstance(value, dict):
            on, off = _switches(value)
            denied_names += off if not on or _EVERY in on else []
            lists.append(_grants(on or ([] if _EVERY in off else [_EVERY]), scoped, lost))
        else:
            lists.append(_grants(_entries(value), scoped, lost))
    limited = [grants for grants in lists if grants is not None]
    tools = None
    if limited:
        tools = [grant for grant in limited[0] if all(grant in other for other in limited[1:])]
    if denied_names:
        if tools is None:
            tools = list(EVERYTHING_BUT_AGENTS)
            lost.append("MCP tools and sub-agents: Copilot knows no deny list, so what is left had to be listed")
        tools = _without(tools, denied_names)
    if tools is not None:
        for grant, fixed, addition in VERSION_EXCEPTIONS:
            if grant in tools and "edit" not in tools and addition not in tools and (version is None or _numbers(version) < fixed):
                tools.insert(tools.index(grant) + 1, addition)
    return Rights(None if tools is None else tuple(tools), tuple(dict.fromkeys(_still_lost(lost, tools))))


def permission_block(block):
    """Return (allowed values, denied names) of a `permission` map (edit: deny, tools: {"*": deny, read: allow}, ...)."""
    allowed, denied = [], []
    for name, value in block.items():
        if name == "tools" and isinstance(value, dict):
            allowed.append(value)
        elif not _is_on(value):
            denied.append("mcp__*" if name == "mcp" else str(name))
    return allowed, denied


def _entries(value):
    """Return the entries of a list of tools as texts, with their scopes; one that is no text is kept as what nothing matches."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("[") and text.endswith("]"):
            text = text[1:-1]
        found = [(match.group(1).strip().strip("\"'") + (match.group(2) or "")).strip() for match in _ENTRY.finditer(text)]
        words = []
        for entry in found:
            # "Read Grep Glob": separated by blanks alone
            words += [entry] if "(" in entry else entry.split()
        return words
    if isinstance(value, list):
        return [entry for item in value for entry in (_entries(item) if isinstance(item, str) else [repr(item)])]
    return [] if value is None else [repr(value)]


def _switches(block):
    """Return (names that are on, names that are off) of a map such as {read: true, write: false} or {"*": deny, read: allow}."""
    on = [str(name) for name, value in block.items() if _is_on(value)]
    return on, [str(name) for name in block if str(name) not in on]


def _is_on(value):
    """A map of cases counts as on only when each of them is."""
    if isinstance(value, dict):
        return all(_is_on(item) for item in value.values())
    return value is True or value in ("true", "allow", "ask")


def _grants(entries, scoped, lost):
    """Return the grants of a list's entries in order, without doubles; None for every tool. Adds to lost."""
    found = []
    for entry in entries:
        name, bracket, scope = entry.partition("(")
        name, scope = name.strip(), bracket + scope
        if name == _EVERY and scope in _WHOLE_SCOPES:
            return None
        narrower = NARROWER.get(name)
        grants = _counterpart(narrower or name)
        if not grants:
            lost.append((entry, COMES_WITH.get(name, "")))
        elif (narrower or scope not in _WHOLE_SCOPES) and scoped != "widen":
            lost.append("%s: Copilot cannot limit a tool, so it is left out whole" % entry)
        else:
            found += [grant for grant in grants if grant not in found]
    return found


def _counterpart(name):
    """Return Copilot's grants for one tool of the source, () when it has none."""
    match = _MCP.match(name)
    if match:
        return ("%s/%s" % (match.group(1), match.group(2) or "*"),)
    return CLAUDE_TOOLS.get(name) or OTHER_TOOLS.get(name, ())


def _without(tools, denied):
    """Return tools less what the denied entries name. A scoped denial takes the tool whole: nothing narrower can be said."""
    out = set()
    for entry in denied:
        name = entry.partition("(")[0].strip()
        if name == _EVERY:
            return []
        if name.startswith("mcp__"):
            out.update(_denied_mcp(name, tools))
        else:
            out.update(_counterpart(NARROWER.get(name, name)))
    if any(GRANTS.get(grant) == "write" for grant in out):
        # each tool that writes can do what the others do
        out.update(grant for grant, kind in GRANTS.items() if kind == "write")
    return [grant for grant in tools if grant not in out]


def _denied_mcp(name, tools):
    """Return those of the tools that an MCP entry of a deny list reaches: the tool, or with a wildcard the server, or all."""
    grants = _counterpart(name)
    server = grants[0].partition("/")[0] if grants else ""
    if not grants or grants[0].endswith("/*"):
        # mcp__server, mcp__server__*; a wildcard anywhere else reaches what it might
        return [grant for grant in tools if "/" in grant and grant.startswith(server + "/" if server else "")]
    return [grants[0], server + "/*"]


def _still_lost(lost, tools):
    """Turn what _grants() noted into texts, leaving out what comes with a grant that is there."""
    for item in lost:
        if isinstance(item, str):
            yield item
            continue
        entry, comes_with = item
        if comes_with is None or tools is None or comes_with in tools:
            continue
        yield "%s: Copilot has no such tool" % entry if entry else "an empty name"


def _numbers(version):
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("-")[0]))
