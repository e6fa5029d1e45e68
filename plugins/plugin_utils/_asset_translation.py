# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: agents, commands and skills as people write them, turned into the files the CLIs load.

Pure: sources in, files and a report per source out; one bad source never stops the others. Bodies pass through as they are.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace

from ansible_collections.agentihooks.fleet.plugins.module_utils import _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._secret_shapes import redact
from ansible_collections.agentihooks.fleet.plugins.module_utils._targets import TARGETS
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _agent_rights, _asset_names, _frontmatter


# Copilot loads no skill with a longer description. It counts UTF-16 units.
SKILL_DESCRIPTION_LIMIT = 1024
SYNTHESIZED_LENGTH = 200
# Below it the marker alone would be most of the text.
SMALLEST_BODY_LIMIT = 1000
CUT_MARKER = "\n\n[The rest was left out: body_limit is %d characters.]\n"

ALLOW_KEYS = ("tools", "allowed-tools", "allowedTools")
DENY_KEYS = ("disallowedTools", "disallowed-tools", "disallowed_tools")
# Keys whose loss changes what the agent may do or where it does it, with what that means.
LOUD_KEYS = {
    "hooks": "hooks of a single agent are not installed; what they guarded is guarded by the hook runtime alone",
    "permissionMode": "an agent of the CLI has no permission mode",
    "permission": "turned into the list of tools as far as that can say it",
    "mcpServers": "servers belong into the MCP configuration",
    "mcp-servers": "servers belong into the MCP configuration",
    "isolation": "the agent works in the directory of the session",
}
# What Copilot 1.0.80 to 1.0.102 reads from an agent file besides name, description and tools without a warning, and we pass on.
COPILOT_AGENT_KEYS = ("model", "disable-model-invocation", "user-invocable")
SKILL_KEYS = ("argument-hint", "allowed-tools", "disable-model-invocation", "user-invocable", "license", "compatibility")
# Copilot's own ids; an alias like "sonnet" or a vendor's dated id makes it warn at each use.
_COPILOT_MODEL = re.compile(r"(?:claude-(?:haiku|opus|sonnet)-\d+\.\d+|gpt-\d+(?:\.\d+)?(?:-[a-z]+)*|gemini-\d+(?:\.\d+)?-[a-z]+(?:-preview)?)$")
_CODEX_MODEL = re.compile(r"gpt-\d+(?:\.\d+)?(?:-[a-z]+)*$")
READ_ONLY = "read-only"
# What a TOML string between three quotes cannot hold as it is.
_NOT_LITERAL = re.compile(r"'''|[\x00-\x08\x0b-\x1f\x7f]")

_LINE_END = re.compile(r"(\r\n|\r|\n)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)$")
_SKIPPED_FILES = ("readme.md",)


@dataclass(frozen=True)
class Source:
    """One Markdown file. path: as a message names it. relative: below its folder, with "/". data: its bytes."""

    path: str
    relative: str
    data: bytes


@dataclass(frozen=True)
class SkillSource:
    """One skill directory. files: path below it, with "/" -> (bytes, whether it may be executed)."""

    path: str
    name: str
    files: dict


@dataclass(frozen=True)
class File:
    """One file to write, below the directory of its kind."""

    path: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True)
class Report:
    """What became of one source.

    kind: "agent", "command" or "skill". outcome: "translated", "copied", "refused" (an error to put right) or "skipped" (not
    meant to be installed). name: what it is called in Copilot. reason: why it is refused or skipped. dropped: keys not passed on.
    warnings: texts.
    """

    source: str
    kind: str
    outcome: str
    name: str = ""
    reason: str = ""
    dropped: tuple = ()
    warnings: tuple = ()

    def plain(self):
        """Return it as plain data, what is empty left out and what looks like a secret redacted."""
        found = {"source": self.source, "kind": self.kind, "outcome": self.outcome, "name": self.name, "reason": self.reason}
        found = {key: redact(text) for key, text in found.items()}
        found.update(dropped=[redact(key) for key in self.dropped], warnings=[redact(text) for text in self.warnings])
        return {key: value for key, value in found.items() if value}


@dataclass(frozen=True)
class Options:
    """scoped_grants: "drop" or "widen". body_limit: characters, None for none. version: of the CLI ("1.0.102"), None for any.
    without_frontmatter: "skip" such a file among the agents, or "synthesize" an agent from it. target: the CLI, of TITLES."""

    scoped_grants: str = "drop"
    body_limit: int | None = None
    version: str | None = None
    without_frontmatter: str = "skip"
    target: str = "copilot"

    def __post_init__(self):
        if self.body_limit is not None and self.body_limit < SMALLEST_BODY_LIMIT:
            raise ValueError("body_limit is %d; give at least %d characters, or none" % (self.body_limit, SMALLEST_BODY_LIMIT))


@dataclass(frozen=True)
class Translation:
    """agents: Files below the agents directory. skills: Files below the skills directory. reports: one per source, in order."""

    agents: tuple = ()
    skills: tuple = ()
    reports: tuple = ()


class _Refused(Exception):
    """This source cannot be translated; the text is the reason."""


class _Skipped(Exception):
    """This source is not meant to be installed; the text is the reason."""


def translate(agents=(), commands=(), skills=(), options=Options()):
    """Return the Translation of Sources (agents, commands) and SkillSources (skills).

    Two sources of one name are both refused, each naming the other. A skill outranks a command of its name.
    """
    agent_results = _alone([_attempt("agent", source, _agent, options) for source in agents])
    command_results = _alone([_attempt("command", source, _command, options) for source in commands])
    skill_results = _alone([_attempt("skill", source, _skill, options) for source in skills])
    by_name = {report.name: report for _files, report in skill_results if _files}
    outranked = []
    for files, report in command_results:
        if files and report.name in by_name:
            files, report = (), replace(report, outcome="skipped", reason="the skill %s has the same name and wins" % by_name[report.name].source)
        outranked.append((files, report))
    return Translation(
        agents=tuple(file for files, _report in agent_results for file in files),
        skills=tuple(file for files, _report in outranked + skill_results for file in files),
        reports=tuple(report for _files, report in agent_results + outranked + skill_results),
    )


def _attempt(kind, source, translator, options):
    """Return (files, Report) of one source."""
    try:
        return translator(source, options)
    except (_Refused, _frontmatter.FrontmatterError) as error:
        return (), Report(source.path, kind, "refused", reason=str(error))
    except _Skipped as error:
        return (), Report(source.path, kind, "skipped", reason=str(error))


def _alone(results):
    """Return the results with those refused that want the name of another."""
    wanting = {}
    for files, report in results:
        if files:
            wanting.setdefault(report.name, []).append(report.source)
    checked = []
    for files, report in results:
        others = [source for source in wanting.get(report.name, ()) if source != report.source] if files else []
        if others:
            reason = "wants the name %s, and so does %s; rename one" % (report.name, ", ".join(others))
            files, report = (), replace(report, outcome="refused", reason=reason)
        checked.append((files, report))
    return checked


def _agent(source, options):
    document = _document(source)
    stem = _stem(source.relative)
    if not document.has_frontmatter and options.without_frontmatter != "synthesize":
        raise _Skipped("has no frontmatter, so it is no agent")
    warnings = _reading_warnings(document)
    name = _asset_names.slug(_text(document.get("name"))) or _asset_names.slug(stem)
    if not name:
        raise _Refused(
            "neither its name nor its file name can be made a file name; give it a name with a letter or digit of ASCII that is no device like con"
        )
    given = _text(document.get("name"))
    if given and given != name:
        warnings.append("is called %s in %s: %r cannot be a file name" % (name, TARGETS[options.target].short, given))
    if options.target == "codex":
        pairs, dropped = _codex_agent_pairs(document, options, warnings)
    elif source.relative.lower().endswith(".agent.md"):
        pairs, dropped = _copilot_agent_pairs(document, warnings)
    else:
        pairs, dropped = _claude_agent_pairs(document, options, warnings)
    description = _text(document.get("description"))
    if not description:
        description = _synthesized(document.body, "Agent %s" % name)
        warnings.append("has no description; taken from its text: %r" % description)
    body = _limited(document.body, options.body_limit, warnings)
    pairs = [("name", name), ("description", description)] + pairs
    if options.target == "codex":
        # Codex leaves out an agent that has none.
        file = File(name + ".toml", _codex_agent_file(pairs, body if body.strip() else description + "\n"))
    else:
        file = File(name + ".md", _frontmatter.render(pairs, body).encode("utf-8"))
    return (file,), Report(source.path, "agent", "translated", name, dropped=tuple(dropped), warnings=tuple(warnings))


def _claude_agent_pairs(document, options, warnings):
    """Return (pairs after name and description, dropped keys) for an agent in Claude's dialect or one close to it."""
    key, allowed, denied = _tool_lists(document)
    if _is_planner(document):
        warnings.append("permissionMode plan: the agent gets no tool that writes or runs commands")
    rights = _agent_rights.resolve(allowed, denied, options.scoped_grants, options.version)
    if any(value is None for value in allowed):
        warnings.append("%s has no value, so the agent gets no tools; leave the key out for every tool" % key)
    elif rights.tools == () and rights.lost:
        warnings.append("none of its tools has a counterpart, so the agent gets no tools")
    warnings += ["loses " + text for text in rights.lost]
    if any(deny in document.values for deny in DENY_KEYS):
        warnings.append("disallowedTools: turned into a list of the tools that are left")
    pairs = [] if rights.tools is None else [("tools", list(rights.tools))]
    model = _text(document.get("model"))
    if _COPILOT_MODEL.match(model):
        pairs.append(("model", model))
    return pairs, _dropped(document, {"name", "description", key} | {pair[0] for pair in pairs}, warnings)


def _codex_agent_pairs(document, options, warnings):
    """Return (pairs after name and description, dropped keys) for an agent in any dialect.

    Codex gives an agent every tool and the sandbox of its session: 0.154.0 and 0.171.0 do not obey the sandbox_mode of its file
    (measured). It is written for an agent that may neither write nor run commands, and what an agent has beyond its source is said.
    """
    key, allowed, denied = _tool_lists(document)
    rights = _agent_rights.resolve(allowed, denied, options.scoped_grants)
    pairs = []
    if rights.tools is not None:
        classes = rights.classes()
        if not classes & {"write", "shell"}:
            pairs.append(("sandbox_mode", READ_ONLY))
            warnings.append("Codex gives an agent every tool and the sandbox of its session, so its instructions alone keep it from changing anything")
        else:
            more = [said for kind, said in (("write", "writing files"), ("shell", "commands"), ("mcp", "MCP tools")) if kind not in classes]
            if more:
                warnings.append("Codex has no list of tools for an agent: it also has what its source does not grant: %s" % ", ".join(more))
    model = _text(document.get("model"))
    if _CODEX_MODEL.match(model):
        pairs.append(("model", model))
    used = {"name", "description", "permission", key} | set(DENY_KEYS) | {pair[0] for pair in pairs}
    return pairs, _dropped(document, used | ({"permissionMode"} if _is_planner(document) else set()), warnings)


def _codex_agent_file(pairs, body):
    """Return the bytes of an agent's TOML file; its text between three quotes, as it is, where TOML can say it so."""
    head = _toml.dump(dict(pairs)).decode("utf-8")
    if _NOT_LITERAL.search(body) or body.endswith("'"):
        return _toml.dump(dict(pairs, developer_instructions=body))
    return ("%sdeveloper_instructions = '''\n%s'''\n" % (head, body)).encode("utf-8")


def _tool_lists(document):
    """Return (the key of the allow list or None, its values, the values of all deny lists)."""
    key = next((key for key in ALLOW_KEYS if key in document.values), None)
    allowed = list(document.values.get(key, ()))
    denied = [value for deny in DENY_KEYS for value in document.values.get(deny, ())]
    for block in document.values.get("permission", ()):
        if isinstance(block, dict):
            more_allowed, more_denied = _agent_rights.permission_block(block)
            allowed += more_allowed
            denied += more_denied
    if _is_planner(document):
        denied += list(_agent_rights.PLAN_MODE_DENIES)
    return key, allowed, denied


def _is_planner(document):
    return "plan" in document.values.get("permissionMode", ())


def _copilot_agent_pairs(document, warnings):
    """Return (pairs after name and description, dropped keys) for an agent that is in Copilot's own dialect: its words stay."""
    pairs = []
    tools = document.values.get("tools", ())
    if len(tools) > 1:
        raise _Refused("gives the key tools %d times; keep one" % len(tools))
    if tools:
        names = [name.strip() for name in tools[0].split(",")] if isinstance(tools[0], str) else tools[0] or []
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise _Refused("has tools that are no list of names")
        if names != ["*"]:
            pairs.append(("tools", [name for name in names if name]))
    for key in COPILOT_AGENT_KEYS:
        value = document.get(key)
        if isinstance(value, (str, bool)) or (isinstance(value, list) and value and all(isinstance(item, str) for item in value)):
            pairs.append((key, value))
    return pairs, _dropped(document, {"name", "description", "tools"} | {pair[0] for pair in pairs}, warnings)


def _command(source, options):
    document = _document(source)
    name = _asset_names.slug("-".join(filter(None, map(_asset_names.slug, _stem(source.relative).split("/")))))
    if not name:
        raise _Refused("its file name has no letter or digit of ASCII to make a name of; rename it")
    warnings = _reading_warnings(document)
    description = _text(document.get("description"))
    if not description:
        description = _synthesized(document.body, "Command %s" % name)
        warnings.append("has no description; taken from its text: %r" % description)
    body = document.body
    if not body.strip():
        body = description + "\n"
        warnings.append("has no text; its description stands in")
    if "${CLAUDE_PLUGIN_ROOT}" in body:
        warnings.append("uses ${CLAUDE_PLUGIN_ROOT}, which %s does not set" % TARGETS[options.target].short)
    body = _limited(_explained(body), options.body_limit, warnings)
    pairs = [("name", name), ("description", _cut_description(description, warnings))]
    # [a] | [b] is read as text, [a] alone as a list
    hint = document.get("argument-hint")
    hint = "[%s]" % ", ".join(map(str, hint)) if isinstance(hint, list) else _text(hint)
    if hint:
        pairs.append(("argument-hint", hint))
    if document.get("disable-model-invocation") is True:
        pairs.append(("disable-model-invocation", True))
    dropped = _dropped(document, {pair[0] for pair in pairs}, warnings)
    content = _frontmatter.render(pairs, body)
    report = Report(source.path, "command", "translated", name, dropped=tuple(dropped), warnings=tuple(warnings))
    return (File(name + "/SKILL.md", content.encode("utf-8")),), report


def _skill(source, options):
    name = _asset_names.slug(source.name)
    if not name:
        raise _Refused("the name of its directory has no letter or digit of ASCII; rename it")
    if "SKILL.md" not in source.files:
        raise _Skipped("has no SKILL.md, so it is no skill")
    data, executable = source.files["SKILL.md"]
    document = _frontmatter.read(_frontmatter.decode(data))
    given, description = _text(document.get("name")), _text(document.get("description"))
    outcome, warnings = "copied", []
    loads = document.has_frontmatter and not document.problem and given == name == source.name and description
    if not loads or _units(description) > SKILL_DESCRIPTION_LIMIT:
        outcome = "translated"
        warnings = _reading_warnings(document) + ["SKILL.md as it is would not load in Copilot under the name %s; its frontmatter is rewritten" % name]
        description = _cut_description(description or _synthesized(document.body, "Skill %s" % name), warnings)
        kept = [(key, document.get(key)) for key in SKILL_KEYS if isinstance(document.get(key), (str, bool))]
        data = _frontmatter.render([("name", name), ("description", description)] + kept, document.body).encode("utf-8")
    contents = dict(source.files, **{"SKILL.md": (data, executable)})
    files = tuple(File(posixpath.join(name, path), contents[path][0], contents[path][1]) for path in sorted(contents))
    return files, Report(source.path, "skill", outcome, name, warnings=tuple(warnings))


def _document(source):
    """Return the Document of a Markdown source. Raises FrontmatterError, _Skipped for a file that is a note to people."""
    if posixpath.basename(source.relative).lower() in _SKIPPED_FILES:
        raise _Skipped("is a note to people")
    document = _frontmatter.read(_frontmatter.decode(source.data))
    if not document.has_frontmatter and not document.body.strip():
        raise _Skipped("is empty")
    return document


def _stem(relative):
    """Return the path without .md or .agent.md."""
    return re.sub(r"(?:\.agent)?\.md$", "", relative, flags=re.IGNORECASE)


def _reading_warnings(document):
    return ["its frontmatter %s; read line by line" % document.problem] if document.problem else []


def _dropped(document, used, warnings):
    """Return the keys that are not passed on, in their order, and warn of the loud ones."""
    dropped = [key for key in document.values if key not in used]
    warnings += ["%s is dropped: %s" % (key, LOUD_KEYS[key]) for key in dropped if key in LOUD_KEYS]
    return dropped


def _text(value):
    """Return a frontmatter value that should be text, "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def _units(text):
    return len(text.encode("utf-16-le")) // 2


def _cut_description(description, warnings):
    if _units(description) <= SKILL_DESCRIPTION_LIMIT:
        return description
    warnings.append("has a description of %d characters, cut at %d: Copilot loads no longer one" % (len(description), SKILL_DESCRIPTION_LIMIT))
    return _shortened(description, SKILL_DESCRIPTION_LIMIT)


def _shortened(text, limit):
    """Return the text cut at a word, with an ellipsis, at most limit UTF-16 units long."""
    kept = text.encode("utf-16-le")[:2 * (limit - 1)].decode("utf-16-le", "ignore")
    at_word = re.match(r".*\S(?=\s)", kept, re.DOTALL)
    return (at_word.group() if at_word and len(at_word.group()) > limit // 2 else kept) + "…"


def _synthesized(body, otherwise):
    """Return a one-line description out of a body: its first line of prose or its first heading, code left out."""
    fence = ""
    for line in re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL).splitlines():
        fence, was_fenced = _fence_after(line, fence), bool(fence)
        text = line.strip().lstrip("#>*-").strip().strip("*_` ")
        if not fence and not was_fenced and re.search(r"\w", text):
            return text if _units(text) <= SYNTHESIZED_LENGTH else _shortened(text, SYNTHESIZED_LENGTH)
    return otherwise


def _fence_after(line, fence):
    """Return the code fence that is open after a line ("" for none), when `fence` was before it."""
    match = _FENCE.match(line)
    if not match:
        return fence
    mark, rest = match.groups()
    if not fence:
        return mark if mark[0] == "~" or "`" not in rest else ""
    return "" if mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip() else fence


def _explained(body):
    """Return a command's body with a note in front that tells what its placeholders stand for outside of a slash command."""
    notes = []
    if re.search(r"\$(?:ARGUMENTS|[1-9])\b", body):
        notes.append("`$ARGUMENTS` (and `$1`, `$2`, …, its words) stands for what the person asked this skill to work on.")
    if re.search(r"!`[^`\n]+`", body):
        notes.append("Where a command stands as !`command`, run it in the shell and read its output first.")
    return "> %s\n\n%s" % (" ".join(notes), body) if notes else body


def _limited(body, limit, warnings):
    """Return the body, cut where a paragraph ends outside of a code fence when it is longer than limit characters."""
    if limit is None or len(body) <= limit:
        return body
    marker = CUT_MARKER % limit
    room = limit - len(marker)
    paragraph = line_end = position = 0
    fence = fence_before = ""
    blank_before = False
    for line in _lines(body):
        if position > room:
            break
        if not fence:
            line_end = position
            paragraph = position if blank_before or not line.strip() else paragraph
        fence_before, fence = fence, _fence_after(line.rstrip("\r\n"), fence)
        blank_before = not line.strip()
        position += len(line)
    # Rather cut inside a long paragraph than lose half of the text, but never inside a code fence.
    cut = next((cut for cut in (paragraph, line_end) if cut >= room // 2), line_end if fence or fence_before else room)
    warnings.append("its text of %d characters is cut at %d: body_limit" % (len(body), cut))
    return body[:cut].rstrip() + marker


def _lines(body):
    pieces = _LINE_END.split(body)
    return [text + end for text, end in zip(pieces[::2], pieces[1::2] + [""])]
