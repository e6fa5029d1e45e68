# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what is wrong or doubtful in a bundle, told without any host. Reads files, changes nothing.

Each profile is resolved alone, over the bundle's own directory, by the same code that resolves it for a host; each agent,
command and skill is translated by the same code that translates it there.
"""

from __future__ import annotations

import os
import pathlib
import re
from dataclasses import dataclass

from ansible_collections.agentihooks.fleet.plugins.module_utils import _secret_shapes
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_sources, _asset_translation, _profiles, _settings_schema
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError, Tree

ERROR, WARNING = "error", "warning"
# The layer of the bundle's own directory.
BUNDLE = "bundle"

# Bytes. A model reads the whole persona at every turn.
LARGE_PERSONA = 64 << 10

# What is read in the directories that hold native settings; another name there is a slip.
READ = {
    ".copilot": ("settings.overrides.json", "mcp-config.overrides.json"),
    ".codex": ("config.overrides.toml",),
}
# Names in .claude that look right and are not.
MISPLACED = {
    "mcp.json": "the name is .mcp.json",
    "CLAUDE.md": "a profile's CLAUDE.md lies beside .claude",
    "agent": "the name is agents",
    "command": "the name is commands",
    "rule": "the name is rules",
    "skill": "the name is skills",
}
# What is found by its exact name alone.
PERSONA = "CLAUDE.md"

# Kinds of sources that are no texts, or whose secrets are looked for elsewhere.
NO_TEXTS = ("mcp", "skills")

# A line that Claude Code replaces by the file it names.
_IMPORT = re.compile(r"@[\w~./-]+\.\w+\s*")
_FRONTMATTER_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:")
_NOTE = "is a note to people"


@dataclass(frozen=True, order=True)
class Finding:
    """Something to put right. file: below the bundle. line: counted from 1; 1 where the whole file is meant. level: ERROR or
    WARNING. text: one line without secrets. path: JSON path, "" for none."""

    file: str
    line: int
    level: str
    text: str
    path: str = ""

    def __str__(self):
        return "%s:%d: %s: %s%s" % (self.file, self.line, self.level, self.text, " (%s)" % self.path if self.path else "")


def lint(built_in, bundle):
    """Return the Findings of a bundle, sorted. built_in: the collection's own profiles directory. bundle: the bundle's directory.

    Never raises for what is in the bundle.
    """
    notes = _Notes(bundle)
    try:
        tree = Tree(bundle)
        names = tree.names(_profiles.PROFILES)
    except BundleError as error:
        notes.add_all(ERROR, error.problems)
        return notes.sorted()
    if not names:
        notes.add(ERROR, _profiles.PROFILES, "there is no profile; each is a directory in profiles/")
    if _settings_schema.jsonschema is None:
        notes.add(WARNING, ".", "the settings were not checked: the Python package jsonschema is not installed beside ansible-core")
    assets, read = _Assets(notes), set()
    _look_around(tree, (), notes)
    for name in names or ["default"]:
        place = "%s/%s" % (_profiles.PROFILES, name) if names else "."
        found = _profiles.survey(built_in, bundle, [name])
        for problem in found.problems:
            alone = problem.message.startswith(_profiles.MERGED)
            if problem.message == _settings_schema.MISSING:
                continue
            notes.add(WARNING if alone else ERROR, problem.file or place, problem.message, problem.line, problem.path)
        for warning in found.warnings:
            notes.add(WARNING, warning.file or place, warning.message, warning.line, warning.path)
        if found.result:
            assets.add(found.result)
            _check_texts(found.result, place, notes, read)
        if names:
            _look_around(tree, (_profiles.PROFILES, name), notes)
    assets.check()
    return notes.sorted()


class _Notes:
    """Collects Findings, each once."""

    def __init__(self, root):
        self.root = str(root)
        self.found = set()

    def add(self, level, file, text, line=None, path=""):
        file = str(file)
        if os.path.isabs(file):
            file = os.path.relpath(file, self.root)
        text = _secret_shapes.redact(str(text).replace(self.root + os.sep, ""))
        self.found.add(Finding(_printable(file), line or 1, level, _printable(text), _printable(path)))

    def add_all(self, level, problems):
        for problem in problems:
            self.add(level, problem.file, problem.message, problem.line, problem.path)

    def sorted(self):
        """Return the Findings by file, line and text."""
        return sorted(self.found)


class _Assets:
    """The agents, commands and skills of all profiles, each layer translated once."""

    def __init__(self, notes):
        self.notes = notes
        self.layers = {}

    def add(self, result):
        """Take those of one chain."""
        for kind in ("agents", "commands", "skills"):
            for entry in result[kind]:
                self.layers.setdefault(entry["layer"], {}).setdefault(kind, {})[entry["path"]] = entry

    def check(self):
        """Note what the translation says, and which names collide."""
        wanting = {}
        # The bundle's own first, so that a profile's file is the one to rename.
        for layer, kinds in sorted(self.layers.items(), key=lambda pair: pair[0] != BUNDLE):
            names = {path: entry["name"] for entries in kinds.values() for path, entry in entries.items()}
            for report in self._reports(kinds):
                self._note(report)
                if report.name and report.outcome in ("translated", "copied"):
                    destination = "agents" if report.kind == "agent" else "skills"
                    wanting.setdefault((destination, report.name), []).append((layer, report, names.get(report.source, "")))
        for (_destination, name), wanted in sorted(wanting.items(), key=lambda pair: pair[0]):
            self._note_collisions(name, wanted)

    def _reports(self, kinds):
        sources, reports = {"agents": [], "commands": [], "skills": []}, []
        for kind, entries in kinds.items():
            for path, entry in entries.items():
                if kind == "skills":
                    found, wrong = _asset_sources.read_skill(path)
                else:
                    found, wrong = _asset_sources.read_file(path, entry["name"] + ".md", kind[:-1])
                sources[kind] += found
                reports += wrong
        return reports + list(_asset_translation.translate(sources["agents"], sources["commands"], sources["skills"]).reports)

    def _note(self, report):
        file = os.path.join(report.source, "SKILL.md") if report.kind == "skill" else report.source
        keys = _frontmatter_lines(file) if report.warnings or report.dropped else {}
        if report.outcome == "refused":
            self.notes.add(ERROR, file, report.reason)
        elif report.outcome == "skipped" and report.reason != _NOTE:
            self.notes.add(WARNING, file, "left out: %s" % report.reason)
        for text in report.warnings:
            self.notes.add(WARNING, file, text, _line_about(text, keys))
        quiet = [key for key in report.dropped if key not in _asset_translation.LOUD_KEYS]
        if quiet:
            self.notes.add(WARNING, file, "does not pass on to Copilot: %s" % ", ".join(quiet), keys.get(quiet[0]))

    def _note_collisions(self, name, wanted):
        """Two of one name in a later layer are an override; two that only come to the same name collide when both are in a chain."""
        for number, (layer, report, own) in enumerate(wanted):
            for other_layer, other, other_own in wanted[:number]:
                if layer == other_layer or (report.kind == other.kind and own == other_own):
                    continue
                if report.kind != other.kind:
                    skill, command = (report, other) if report.kind == "skill" else (other, report)
                    text = "the skill %s has the same name and wins where both are in a chain" % self._shown(skill)
                    self.notes.add(WARNING, command.source, text)
                    continue
                level = ERROR if other_layer == BUNDLE else WARNING
                text = "comes to the name %s, and so does %s; neither is installed where both are in a chain, rename one"
                self.notes.add(level, report.source, text % (name, self._shown(other)))

    def _shown(self, report):
        return os.path.relpath(report.source, self.notes.root)


def _check_texts(result, place, notes, read):
    """Check what only a reader of the texts would see. read: the paths that were read for another profile; gets those of this one."""
    size = len(result["persona_text"].encode("utf-8", "replace"))
    if size > LARGE_PERSONA:
        text = "the persona of this profile alone is %d kB, more than %d; a model reads it at every turn"
        notes.add(WARNING, place, text % (size >> 10, LARGE_PERSONA >> 10))
    for entry in result["sources"]:
        path = entry["path"]
        if path in read or entry["kind"] in NO_TEXTS:
            continue
        read.add(path)
        lines = _lines(path)
        for number, line in enumerate(lines, 1):
            if entry["kind"] in ("persona", "rules") and _IMPORT.fullmatch(line):
                notes.add(WARNING, path, "%s is an import that Copilot and Codex do not follow; put the text here" % line.strip(), number)
        for number, what in _secrets(lines):
            notes.add(WARNING, path, "holds a secret (%s), which every host of this profile would get; deliver it with agentihooks_env" % what, number)


def _secrets(lines):
    """Return [(line number, kind)] of the secrets in a file's lines that are nothing else by their form."""
    text = "\n".join(lines)
    return [(text.count("\n", 0, hit.start) + 1, _secret_shapes.kind(hit.rule_id)) for hit in _secret_shapes.find(text, high_only=True)]


def _look_around(tree, parts, notes):
    """Check what no chain reads: misspelt names, skills that are none."""
    place = tree.root.joinpath(*parts)
    for directory, known in READ.items():
        for name in _names(place / directory):
            if name not in known:
                notes.add(WARNING, place / directory / name, "is not read; there are %s" % " and ".join(known))
    for name, hint in MISPLACED.items():
        if os.path.lexists(place / ".claude" / name) and (parts or name != "CLAUDE.md"):
            notes.add(WARNING, place / ".claude" / name, "is not read: %s" % hint)
    for name in _names(place):
        if name != PERSONA and name.lower() == PERSONA.lower():
            notes.add(WARNING, place / name, "is not read: the name is %s" % PERSONA)
    skills = place / ".claude" / "skills"
    for name in _names(skills):
        if os.path.isdir(skills / name) and not os.path.lexists(skills / name / "SKILL.md"):
            notes.add(WARNING, skills / name, "has no SKILL.md, so it is no skill")


def _names(directory):
    try:
        return sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError:
        return []


def _lines(path):
    """Return the lines of a text file that was found to be one before, [] for one that cannot be read."""
    try:
        return pathlib.Path(path).read_bytes().decode("utf-8", "replace").split("\n")
    except OSError:
        return []


def _frontmatter_lines(file):
    """Return {key: line number} of the keys at the start of a line in a file's frontmatter."""
    found = {}
    lines = _lines(file)
    if lines and lines[0].lstrip("\ufeff").rstrip() == "---":
        for number, line in enumerate(lines[1:], 2):
            if line.rstrip() in ("---", "..."):
                break
            match = _FRONTMATTER_KEY.match(line)
            if match:
                found.setdefault(match.group(1), number)
    return found


def _line_about(text, keys):
    """Return the line of the key that a translation's warning is about, None where it names none."""
    if text.startswith(("loses ", "none of its tools")):
        names = _asset_translation.ALLOW_KEYS + _asset_translation.DENY_KEYS
    else:
        names = re.findall(r"[A-Za-z_][\w-]*", text)
    return next((keys[name] for name in names if name in keys), None)


def _printable(text):
    """Return a text on one line that no terminal acts on: what is no printable character is escaped."""
    text = " ".join(str(text).encode("utf-8", "backslashreplace").decode("utf-8").split())
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
