# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every agent and command of the corpus of public files, where it lies beside the checkout (or in $AGENTIHOOKS_TEST_SHARED).

What is right is decided here by other means than the translator's: PyYAML or a regular expression for the source, PyYAML
alone for the result, and a table of classes of its own. Prints N of M; what is not N is named with the reason.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._asset_translation import Source, translate

CORPUS = Path(os.environ.get("AGENTIHOOKS_TEST_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "corpus"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus at {CORPUS}")

WANTED_SHARE = 0.995

SOURCE_CLASSES = {
    "read": ("Read", "Grep", "Glob", "LS", "NotebookRead", "read", "search", "codebase", "grep", "glob", "view"),
    "write": ("Write", "Edit", "MultiEdit", "NotebookEdit", "edit", "write", "create", "editFiles"),
    "shell": ("Bash", "bash", "shell", "execute", "runCommands"),
    "net": ("WebFetch", "WebSearch", "web", "webfetch", "websearch", "web_search", "web_fetch"),
    "agent": ("Task", "Agent", "agent", "task"),
}
CLASS_OF = {name: kind for kind, names in SOURCE_CLASSES.items() for name in names}
RESULT_CLASSES = {
    "view": "read", "grep": "read", "glob": "read", "create": "write", "edit": "write", "apply_patch": "write", "shell": "shell",
    "web_fetch": "net", "web_search": "net", "task": "agent", "update_todo": None, "ask_user": None,
}  # fmt: skip
EXACT = {
    "Read": "view", "Grep": "grep", "Glob": "glob", "Write": "create", "Edit": "edit", "Bash": "shell", "WebFetch": "web_fetch",
    "WebSearch": "web_search", "Task": "task", "Agent": "task", "TodoWrite": "update_todo", "AskUserQuestion": "ask_user",
}  # fmt: skip
LIMITING_KEYS = ("tools", "allowed-tools", "allowedTools", "disallowedTools", "disallowed-tools", "disallowed_tools", "permission")


def raw_frontmatter(data):
    """Return the text between the fences, None when the file has no frontmatter; by a regular expression on bytes."""
    match = re.match(rb"(?:\xef\xbb\xbf)?\s*---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", data, re.DOTALL | re.MULTILINE)
    return match.group(1).decode("utf-8", "replace").replace("\r\n", "\n") if match else None


def source_values(raw):
    """Return the source's keys as PyYAML reads them, or as lines when it does not."""
    try:
        found = yaml.load(raw, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        if isinstance(found, dict):
            return found
    except yaml.YAMLError:
        pass
    lines = re.findall(r"^([A-Za-z_][\w-]*):(.*(?:\n[ \t]+.*|\n- .*)*)", raw, re.MULTILINE)
    found = {}
    for key, value in lines:
        found.setdefault(key, value.strip())
    return found


def letters(text):
    return "".join(character for character in str(text).lower() if character.isascii() and character.isalnum())


def problems_of_agent(source, values, result):
    """Return what is wrong with the translated agent, as texts."""
    stem = re.sub(r"(\.agent)?\.md$", "", source.relative, flags=re.IGNORECASE)
    found = []
    if letters(result["name"]) != letters(values.get("name", ""))[:64] and not letters(stem).startswith(letters(result["name"])):
        found.append(f"name {result['name']!r}")
    found += problems_of_description(values, result, None)
    found += problems_of_rights(values, result.get("tools"))
    return found


def problems_of_description(values, result, limit):
    wanted = values.get("description")
    if not isinstance(wanted, str) or not letters(wanted):
        return [] if result["description"] else ["empty description"]
    beginning = letters(wanted)[:40]
    problems = [] if beginning in letters(result["description"]) else [f"description {result['description'][:60]!r}"]
    if limit and len(result["description"].encode("utf-16-le")) // 2 > limit:
        problems.append("description too long")
    return problems


def says_every(text):
    return re.search(r"(?<![\w(:/])\*(?!\w)", re.sub(r"\([^)]*\)|mcp__\S+", "", text)) is not None


def problems_of_rights(values, tools):
    if tools is None:
        text = str(values.get("tools", values.get("allowed-tools", values.get("allowedTools", "*"))))
        limited = [key for key in LIMITING_KEYS[3:] if values.get(key) not in (None, "", [])] + (["plan"] if values.get("permissionMode") == "plan" else [])
        return [] if says_every(text) and not limited else ["every tool, though the source limits them"]
    written = values.get("tools", values.get("allowed-tools", values.get("allowedTools")))
    text = str(written if written is not None else "*")
    unscoped = re.sub(r"[\w-]+\((?!:?\*\))[^()]*(?:\([^()]*\)[^()]*)*\)", "", text)
    names = re.findall(r"[A-Za-z_][\w./*-]*", unscoped)
    whole = set(re.findall(r"(?<![\w/])([A-Za-z]+)(?!\w|\(|__)", re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", "()", text)))
    classes = {CLASS_OF.get(name) for name in names} | ({"mcp"} if "mcp__" in text else set()) | {None}
    if written is None or says_every(text) or isinstance(written, dict):
        classes = {None, "read", "write", "shell", "net", "mcp"} | ({"agent"} if isinstance(written, dict) else set())
    problems = [f"{tool} is wider than {text[:80]!r}" for tool in tools if ("mcp" if "/" in tool else RESULT_CLASSES[tool]) not in classes]
    denied = str([values.get(key) for key in LIMITING_KEYS[3:6]])
    for name, tool in (("Bash", "shell"), ("Write", "create"), ("Edit", "edit"), ("Task", "task"), ("WebFetch", "web_fetch")):
        if re.search(rf"\b{name}\b", denied) and tool in tools:
            problems.append(f"{tool}, which is denied")
    limited = any(key in values for key in LIMITING_KEYS[3:]) or values.get("permissionMode") == "plan"
    if not isinstance(written, dict) and not limited:
        problems += [f"{name} is lost" for name in sorted(whole & set(EXACT)) if EXACT[name] not in tools]
    return problems


def check(kind, folders):
    """Return (files with frontmatter, {file: what is wrong})."""
    seen, wrong = 0, {}
    for folder in folders:
        for path in sorted((CORPUS / folder).iterdir()):
            source = Source(str(path), path.name, path.read_bytes())
            raw = raw_frontmatter(source.data)
            if raw is None:
                continue
            seen += 1
            done = translate(**{kind + "s": [source]})
            if done.reports[0].outcome != "translated":
                wrong[f"{folder}/{path.name}"] = done.reports[0].reason
                continue
            (file,) = done.agents + done.skills
            head, _fence, body = file.data.decode("utf-8")[4:].partition("\n---\n")
            result = yaml.safe_load(head)
            values = source_values(raw)
            if kind == "agent":
                problems = problems_of_agent(source, values, result)
                assert file.path == result["name"] + ".md"
                assert set(result) <= {"name", "description", "tools", "model"}
            else:
                problems = problems_of_description(values, result, 1024)
                assert file.path == result["name"] + "/SKILL.md"
                assert set(result) <= {"name", "description", "argument-hint", "disable-model-invocation"}
            assert re.fullmatch(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?", result["name"])
            original = source.data.decode("utf-8").partition("---")[2]
            if body.strip() and body.strip() not in original and not body.startswith("> ") and original.strip() != "":
                problems.append("its text is changed")
            if problems:
                wrong[f"{folder}/{path.name}"] = "; ".join(problems)
    return seen, wrong


@pytest.mark.parametrize("kind, folders", [("agent", ["agents", "agents_all"]), ("command", ["commands", "commands_all"])])
def test_the_corpus_is_translated(kind, folders, record_property):
    seen, wrong = check(kind, folders)
    record_property("figure", f"{kind}s of the corpus with frontmatter: {seen - len(wrong)} of {seen} right")
    for name, reason in wrong.items():
        record_property("figure", f"  {name}: {reason}")
    assert seen > 500
    assert (seen - len(wrong)) / seen >= WANTED_SHARE


def test_what_cannot_be_right_is_refused_by_name():
    refused = {}
    for path in sorted((CORPUS / "agents_derived").iterdir()):
        report = translate(agents=[Source(str(path), path.name, path.read_bytes())]).reports[0]
        if report.outcome == "refused":
            refused[path.name] = report.reason
    assert sorted(refused) == [
        "frontmatter-is-list.md", "frontmatter-is-scalar.md", "latin1.md", "nul-byte.md", "unterminated-frontmatter.md", "utf16le.md",
        "yaml-alias-bomb.md", "yaml-python-tag.md",
    ]  # fmt: skip
    assert all(refused.values())


def test_a_whole_folder_at_once_never_fails_and_reports_on_every_file():
    sources = [Source(str(path), path.name, path.read_bytes()) for path in sorted((CORPUS / "agents_all").iterdir())]
    done = translate(agents=sources)
    assert [report.source for report in done.reports] == [source.path for source in sources]
    assert len({file.path for file in done.agents}) == len(done.agents)
    assert all(report.reason for report in done.reports if report.outcome != "translated")
