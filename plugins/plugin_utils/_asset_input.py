# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the options of agent_translate, read on the controller and turned into files to send."""

from __future__ import annotations

import os

from ansible_collections.agentihooks.fleet.plugins.module_utils._secret_shapes import redact
from ansible_collections.agentihooks.fleet.plugins.module_utils._targets import TARGETS
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_sources
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._asset_translation import Options, SkillSource, Source, translate

# Surface -> the options that speak of it.
SURFACES = {"agents": ("agents",), "skills": ("commands", "skills"), "instructions": ("instructions",)}
CHOICES = {"target": tuple(TARGETS), "scoped_grants": ("drop", "widen"), "without_frontmatter": ("skip", "synthesize"), "skills_mode": ("copy", "link")}


class Input:
    """What goes to the host.

    surfaces: those that something was said about. files: path ("agents/NAME.md" or "agents/NAME.toml", "skills/NAME/...", "instructions") to bytes.
    executable: the paths that may be run. links: skill name to the directory it is a link to. reports: Reports of the
    translation. unknown: the surfaces of which a source could not be used, so what it was to become is not known. warnings: texts.
    """

    def __init__(self, surfaces, files, executable, links, reports):
        self.surfaces = surfaces
        self.files = files
        self.executable = executable
        self.links = links
        self.reports = reports
        self.unknown = sorted({"agents" if report.kind == "agent" else "skills" for report in reports if report.outcome == "refused"})
        self.warnings = [redact(_said(report) + text) for report in reports for text in _told(report)]


def read(options):
    """Return the Input for a task's options. Raises ValueError for options that are wrong, never for a bad source."""
    for name, allowed in CHOICES.items():
        if options.get(name, allowed[0]) not in allowed:
            raise ValueError("%s: must be one of %s, not %r" % (name, ", ".join(allowed), options[name]))
    try:
        sources, reports = _sources(options)
    except OSError as error:
        raise ValueError("%s: cannot be read: %s" % (error.filename, error.strerror)) from None
    made = translate(sources["agents"], sources["commands"], sources["skills"], _translation_options(options))
    reports += made.reports
    files = {"agents/" + file.path: file for file in made.agents}
    files.update({"skills/" + file.path: file for file in made.skills})
    links = {}
    if options.get("skills_mode") == "link":
        links = {report.name: report.source for report in made.reports if report.kind == "skill" and report.outcome == "copied"}
        files = {path: file for path, file in files.items() if not (path.startswith("skills/") and path.split("/")[1] in links)}
    contents = {path: file.data for path, file in files.items()}
    surfaces = [surface for surface, names in SURFACES.items() if any(options.get(name) is not None for name in names)]
    if options.get("src"):
        surfaces = ["agents", "skills"] + [surface for surface in surfaces if surface == "instructions"]
    if options.get("instructions") is not None:
        text = _text(options["instructions"], "instructions")
        contents["instructions"] = (text if not text or text.endswith("\n") else text + "\n").encode("utf-8", "surrogateescape")
    return Input(surfaces, contents, sorted(path for path, file in files.items() if file.executable), links, reports)


def _translation_options(options):
    limit = options.get("body_limit")
    try:
        limit = None if limit in (None, "") else int(limit)
    except (TypeError, ValueError):
        raise ValueError("body_limit: must be a number of characters, not %r" % (limit,)) from None
    return Options(
        options.get("scoped_grants", "drop"), limit, options.get("cli_version") or None, options.get("without_frontmatter", "skip"),
        options.get("target", "copilot"),
    )


def _sources(options):
    """Return ({agents, commands, skills: sources}, Reports of what could not be read)."""
    found, reports = {"agents": [], "commands": [], "skills": []}, []
    src = options.get("src")
    if src:
        if not os.path.isdir(src):
            raise ValueError("src: %s is no directory; it must hold agents/, commands/ or skills/" % src)
        for kind in ("agents", "commands"):
            sources, wrong = _asset_sources.read_markdown(os.path.join(src, kind), src, kind[:-1])
            found[kind] += sources
            reports += wrong
        sources, wrong = _asset_sources.read_skills(os.path.join(src, "skills"), src)
        found["skills"] += sources
        reports += wrong
    for kind in found:
        for item in _items(options, kind):
            source, wrong = _skill(item) if kind == "skills" else _markdown(item, kind[:-1])
            found[kind] += source
            reports += wrong
    return found, reports


def _items(options, kind):
    items = options.get(kind) or []
    if not isinstance(items, list):
        raise ValueError("%s: must be a list, not %s" % (kind, type(items).__name__))
    for number, item in enumerate(items):
        item = {"path": item} if isinstance(item, str) else item
        if not isinstance(item, dict) or ("path" in item) == ("content" in item):
            raise ValueError("%s[%d]: must be a path, or a mapping with either path or content" % (kind, number))
        if "content" in item and (kind == "skills" or not item.get("name")):
            raise ValueError("%s[%d]: %s" % (kind, number, "a skill is given by its path" if kind == "skills" else "one given by its content needs a name"))
        yield item


def _markdown(item, kind):
    name = item.get("name")
    if "content" in item:
        return [Source("%s %s" % (kind, name), "%s.md" % name, _text(item["content"], name).encode("utf-8", "surrogateescape"))], []
    path = str(item["path"])
    return _asset_sources.read_file(path, "%s.md" % name if name else os.path.basename(path), kind)


def _skill(item):
    path = str(item["path"]).rstrip("/")
    if not os.path.isdir(path):
        raise ValueError("skills: %s is no directory" % path)
    sources, reports = _asset_sources.read_skill(path)
    name = item.get("name")
    return [SkillSource(source.path, name or source.name, source.files) for source in sources], reports


def _text(value, what):
    if not isinstance(value, str):
        raise ValueError("%s: must be a text, not %s" % (what, type(value).__name__))
    return value


def _said(report):
    return "the %s %s: " % (report.kind, report.source)


def _told(report):
    """Return what a person should hear of a source: that it is not there, or what it lost."""
    return ["left out: " + report.reason] if report.outcome == "refused" else list(report.warnings)
