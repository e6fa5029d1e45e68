# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what a host's profile chain comes to. Reads files on the controller, decides, and touches no host.

The layers, each over the one before: the built-in base, the bundle's own directory, each profile of the chain from left to
right (the built-in one of that name, then the bundle's), the settings profile (settings and MCP servers only), and at last
the inventory's variables. Objects merge, lists replace, null unsets. Of agents, skills, commands and rules of one name the
later layer's is taken; an MCP server of a later source replaces the earlier one whole, the inventory's merges into it.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field

from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_config, _copilot, _directives, _mcp, _toml
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _frontmatter, _near_names, _persona, _settings_schema
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError, Problem, Tree, json_path

PROFILES = "profiles"
BASE = "_base"
BASE_SETTINGS = ("settings.base.copilot.json",)
BASE_CODEX_CONFIG = ("config.base.toml",)
SETTINGS = (".copilot", "settings.overrides.json")
CODEX_CONFIG = (".codex", "config.overrides.toml")
# TOML has no null: a list of dotted keys there, as they would stand in the file, that unsets what earlier layers say.
UNSET = "unset"
# In this order, the later over the earlier.
MCP_FILES = ((".claude", ".mcp.json"), (".copilot", "mcp-config.overrides.json"))
PERSONA = ("CLAUDE.md",)
# Of the bundle's own directory the first that is there.
BUNDLE_PERSONA = ((".claude", "CLAUDE.md"), ("CLAUDE.md",))
# Of the bundle's own directory.
MANIFESTOS = "manifestos"
MARKDOWN_KINDS = ("agents", "commands", "rules")
# A description of the directory, no agent, no command and no manifesto.
NOT_ONE = ("readme",)
MAX_CHAIN = 32
IDENTITY_VARIABLE = "agentihooks_identity"
CHAIN_VARIABLE = "agentihooks_profiles"
SETTINGS_PROFILE_VARIABLE = "agentihooks_settings_profile"
PINNED_OFF = "disableAllHooks"

# How a problem begins that a profile may have alone, and not with others before it.
MERGED = "after all layers: "

# How the texts about what was dropped begin.
_DROPPED = re.compile(r"(settings|%s)(?:\.(.+?))? was dropped" % _directives.BLOCK)
_PROFILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Overrides:
    """What the inventory says for one host: settings, codex_config, mcp_servers (name to definition), directives; all merged last.

    names: variable name of each, for messages.
    """

    NAMES = {
        "settings": "agentihooks_copilot_settings",
        "codex_config": "agentihooks_codex_config",
        "mcp_servers": "agentihooks_mcp_servers",
        "directives": "agentihooks_directives",
    }

    def __init__(self, settings=None, mcp_servers=None, directives=None, codex_config=None):
        self.settings = settings
        self.codex_config = codex_config
        self.mcp_servers = mcp_servers
        self.directives = directives


class Layer:
    """One directory that contributes. name: for messages and results. tree: where it lies. parts: the way to it in the tree.

    settings, codex_config: the way from there to its settings for either CLI. only_settings: whether agents, skills, persona and the like are left out.
    """

    def __init__(self, name, tree, parts, settings=SETTINGS, codex_config=CODEX_CONFIG, persona=(PERSONA,), only_settings=False):
        self.name = name
        self.tree = tree
        self.parts = tuple(parts)
        self.settings = settings
        self.codex_config = codex_config
        self.persona = persona
        self.only_settings = only_settings


@dataclass
class Survey:
    """What was found on the way to a chain's result. result: see resolve(), not whole when there are problems. problems: Problems
    that stop a host. warnings: Problems that stop nobody."""

    result: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)
    warnings: list = field(default_factory=list)


def resolve(built_in, bundle, chain, settings_profile=None, overrides=None, identity=None):
    """Return what a host is to have, as plain data (see the lookup plugin's documentation for its keys).

    built_in: the collection's own profiles directory. bundle: the bundle's directory, None for none. chain: profile names.
    identity: what the persona says the model is, None for a sentence that names the chain, "" for nothing.
    Raises BundleError with everything that is wrong, and then nothing may be done for that host.
    """
    found = survey(built_in, bundle, chain, settings_profile, overrides, identity)
    if found.problems:
        raise BundleError(found.problems)
    return found.result


def survey(built_in, bundle, chain, settings_profile=None, overrides=None, identity=None):
    """Return the Survey of a chain; the arguments are those of resolve()."""
    overrides = overrides or Overrides()
    try:
        bundle = Tree(bundle) if bundle else None
        own = Tree(built_in)
        layers = _layers(own, bundle, chain, settings_profile)
    except BundleError as error:
        return Survey(problems=error.problems)
    state = _State([bundle, own] if bundle else [own])
    for layer in layers:
        state.attempt(_add_settings, layer)
        state.attempt(_add_codex_config, layer)
        for parts in MCP_FILES:
            state.attempt(_add_servers, layer, parts)
        if not layer.only_settings:
            state.attempt(_add_persona, layer)
            for kind in MARKDOWN_KINDS:
                state.attempt(_add_markdown, layer, kind)
            state.attempt(_add_skills, layer)
    if bundle:
        state.attempt(_add_manifestos, bundle)
    _add_overrides(state, overrides)
    persona = _persona_text(state, chain, identity)
    if not state.problems:
        _check_merged(state)
    servers, off = _finished_servers(state)
    result = {
        "chain": list(chain),
        "settings_profile": settings_profile or "",
        "layers": [layer.name for layer in layers],
        "settings": state.settings,
        "codex_config": state.codex_config,
        "directives": {key: value for key, value in state.directives.items() if value is not None},
        "codex_directives": {key: value for key, value in state.codex_directives.items() if value is not None},
        "mcp_servers": servers,
        "mcp_sources": {name: state.servers[name].source for name in servers},
        "mcp_disabled": off,
        "persona": state.persona,
        "manifestos": state.manifestos,
        "persona_text": persona,
        "agents": list(state.features["agents"].values()),
        "commands": list(state.features["commands"].values()),
        "rules": list(state.features["rules"].values()),
        "skills": list(state.features["skills"].values()),
        "sources": state.sources,
        "warnings": [str(warning) for warning in state.warnings],
    }
    return Survey(result, state.problems, state.warnings)


def merge(lower, upper):
    """Return lower with upper over it: objects merge key by key, a null unsets, anything else replaces. Nulls do not stay."""
    result = {key: value for key, value in lower.items() if value is not None}
    for key, value in upper.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            below = result.get(key)
            result[key] = merge(below if isinstance(below, dict) else {}, value)
        else:
            result[key] = value
    return result


@dataclass
class _Server:
    """An MCP server as it stands after the layers so far. source: the file or variable it comes from, for people. inside: the keys
    that lead to it there. file: the Source, None when it comes not from one file alone."""

    definition: dict
    source: str
    inside: tuple
    file: object = None

    def line(self, way=()):
        """Return the line of what the keys inside the server lead to, None where that cannot be told."""
        return self.file.line(self.inside + tuple(way)) if self.file else None

    def path(self, way=()):
        """Return the JSON path of what the keys inside the server lead to."""
        return json_path(self.inside + tuple(way))


class _State:
    """What the layers so far came to."""

    def __init__(self, trees):
        self.trees = trees
        self.settings = {}
        self.codex_config = {}
        self.directives = {}
        self.codex_directives = {}
        self.servers = {}
        self.persona = []
        self.manifestos = []
        self.features = {kind: {} for kind in MARKDOWN_KINDS + ("skills",)}
        self.sources = []
        self.warnings = []
        self.problems = []

    def attempt(self, step, *arguments):
        """Run one step; what is wrong is kept, so that a person hears of everything at once."""
        try:
            step(self, *arguments)
        except BundleError as error:
            self.problems += error.problems

    def warn(self, text, file="", line=None, path=""):
        self.warnings.append(Problem(text, file, line, path))


def _layers(built_in, bundle, chain, settings_profile):
    problems = []
    if not chain:
        problems.append(Problem("the profile chain is empty; name at least one profile, for example default"))
    if len(chain) > MAX_CHAIN:
        problems.append(Problem("the profile chain has %d members, more than %d" % (len(chain), MAX_CHAIN)))
    for name in dict.fromkeys(chain):
        if list(chain).count(name) > 1:
            problems.append(Problem("the profile chain names %s more than once" % name))
    layers = [Layer(BASE, built_in, (BASE,), settings=BASE_SETTINGS, codex_config=BASE_CODEX_CONFIG)]
    if bundle:
        layers.append(Layer("bundle", bundle, (), persona=BUNDLE_PERSONA))
    for name in dict.fromkeys(chain):
        layers += _profile_layers(built_in, bundle, name, problems)
    if settings_profile:
        layers += _profile_layers(built_in, bundle, settings_profile, problems, only_settings=True)
    if problems:
        raise BundleError(problems)
    return layers


def _profile_layers(built_in, bundle, name, problems, only_settings=False):
    if not isinstance(name, str) or not _PROFILE_NAME.fullmatch(name):
        problems.append(Problem("%r is no name of a profile: letters, digits, dots, dashes and _, the first a letter or digit" % (name,)))
        return []
    found = []
    places = [("built-in %s", built_in, ())] + ([("%s", bundle, (PROFILES,))] if bundle else [])
    for label, tree, way in places:
        try:
            if tree.directory(*way, name):
                found.append(Layer((label + (" (settings)" if only_settings else "")) % name, tree, way + (name,), only_settings=only_settings))
        except BundleError as error:
            problems += error.problems
            return []
    if not found:
        known = sorted(set(built_in.names() + (bundle.names(PROFILES) if bundle else [])))
        where = bundle.root / PROFILES if bundle else "no bundle"
        variable = SETTINGS_PROFILE_VARIABLE if only_settings else CHAIN_VARIABLE
        text = "there is no profile %s (looked in the collection and in %s); there are: %s" % (name, where, ", ".join(known) or "none")
        likely = _near_names.meant(name, known)
        problems.append(Problem(text + ("; is %s meant?" % likely if likely else ""), variable))
    return found


def _note(state, layer, kind, path):
    state.sources.append({"kind": kind, "layer": layer.name, "path": str(path)})


def _add_settings(state, layer):
    source = layer.tree.json(*layer.parts, *layer.settings)
    if source is None:
        return
    _note(state, layer, "settings", source.file)
    _merge_settings(state, source.value, source.file, source.line)


def _merge_settings(state, content, file, line=None):
    """Merge a table of settings with its reserved block. line: function from a path to its line in the file, None without one."""
    try:
        for path, message in _settings_schema.errors(content, _settings_schema.SETTINGS):
            state.problems.append(Problem(message, file, line(path) if line else None, json_path(path)))
    except BundleError as error:
        state.problems += error.problems
    settings = {key: value for key, value in content.items() if key != "$schema"}
    directives, wrong = _directives.checked(settings.pop(_directives.BLOCK, None))
    settings, dropped = _copilot.without_reserved(settings)
    if settings.get(PINNED_OFF) is True:
        del settings[PINNED_OFF]
        dropped.append("settings.%s was dropped: true would silence hooks, so it is always written as false" % PINNED_OFF)
    for key in settings:
        likely = _near_names.meant(key, _settings_schema.SETTINGS["properties"])
        if likely and likely.startswith("disable") is key.startswith("disable"):
            state.warn("the setting %s is not known here and is written as it is; is %s meant?" % (key, likely), file, line([key]) if line else None)
    for text in dropped + wrong:
        match = _DROPPED.match(text)
        path = [key for key in match.groups() if key and key != "settings"] if match else []
        state.warn(text, file, line(path) if line and path else None)
    state.settings = merge(state.settings, settings)
    state.directives = merge(state.directives, directives)


def _add_codex_config(state, layer):
    source = layer.tree.toml(*layer.parts, *layer.codex_config)
    if source is None:
        return
    path, content = source
    _note(state, layer, "codex_config", path)
    block = content.pop(_directives.BLOCK, None)
    if isinstance(block, dict):
        for keys in _unset(block.pop(UNSET, []), path):
            state.codex_config = merge(state.codex_config, _nested(keys))
    directives, wrong = _directives.checked(block)
    for text in wrong:
        state.warn(text, path)
    state.codex_directives = merge(state.codex_directives, directives)
    _merge_codex_config(state, content, path)


def _unset(texts, file):
    """Return the paths that a list of dotted keys names."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BundleError([Problem("%s.%s must be a list of dotted keys" % (_directives.BLOCK, UNSET), file)])
    try:
        return [_toml.dotted_key(text) for text in texts]
    except ValueError as error:
        raise BundleError([Problem("%s.%s holds no key: %s" % (_directives.BLOCK, UNSET, error), file)]) from None


def _nested(keys):
    """Return a table with nothing but a null at a path."""
    value = None
    for key in reversed(keys):
        value = {key: value}
    return value


def _merge_codex_config(state, content, file):
    """Merge a table of Codex's configuration."""
    config, dropped = _codex_config.without_reserved(content)
    for text in dropped:
        state.warn(text, file)
    for path, message in _codex_config.errors(config):
        state.problems.append(Problem(message, file, None, json_path(path)))
    for path in _moments(config):
        state.problems.append(Problem("is a date or time, and no key of Codex takes one; put it in quotes", file, None, json_path(path)))
    state.codex_config = merge(state.codex_config, config)


def _moments(value, path=()):
    """Return the paths of the dates and times in a value."""
    if isinstance(value, (datetime.date, datetime.time)):
        return [path]
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, inner in pairs for found in _moments(inner, path + (key,))]


def _add_servers(state, layer, parts):
    source = layer.tree.json(*layer.parts, *parts)
    if source is None:
        return
    _note(state, layer, "mcp", source.file)
    try:
        path, table = _mcp.servers(source.value)
    except ValueError as error:
        raise BundleError([Problem(str(error), source.file)]) from None
    for name, definition in table.items():
        if definition is None:
            state.servers.pop(name, None)
            continue
        try:
            _mcp.normalize(name, definition)
        except _mcp.Refusal as refusal:
            where = path + (name,) + refusal.path
            if refusal.kind == _mcp.INVALID:
                state.problems.append(Problem(refusal.text(), source.file, source.line(where), json_path(where)))
                continue
        state.servers[name] = _Server(definition, str(source.file), path + (name,), source)


def _add_persona(state, layer):
    for parts in layer.persona:
        path = layer.tree.file(*layer.parts, *parts)
        if path:
            _note(state, layer, "persona", path)
            state.persona.append({"layer": layer.name, "path": str(path)})
            return


def _add_manifestos(state, bundle):
    for name, path in bundle.markdown(MANIFESTOS, below=False).items():
        if name.lower() not in NOT_ONE:
            state.sources.append({"kind": "manifestos", "layer": "bundle", "path": str(path)})
            state.manifestos.append({"name": name, "layer": "bundle", "path": str(path)})


def _add_markdown(state, layer, kind):
    for name, path in layer.tree.markdown(*layer.parts, ".claude", kind).items():
        if kind != "rules" and name.rsplit("/", 1)[-1].lower() in NOT_ONE:
            continue
        _take(state, layer, kind, name, path)


def _add_skills(state, layer):
    for name, path in layer.tree.skills(*layer.parts, ".claude", "skills").items():
        _take(state, layer, "skills", name, path)


def _take(state, layer, kind, name, path):
    _note(state, layer, kind, path)
    # One of a later layer also takes its place in the order.
    state.features[kind].pop(name, None)
    state.features[kind][name] = {"name": name, "layer": layer.name, "path": str(path)}


def _persona_text(state, chain, identity):
    """Return the persona. Without any other part an identity that nobody wrote is none."""
    texts = [_part(state, part["path"]) for part in state.persona]
    rules = []
    for part in state.features["rules"].values():
        text, warnings = _persona.rule(_part(state, part["path"]))
        for warning in warnings:
            state.warn(warning, part["path"])
        rules.append((part["name"], part["layer"], text))
    manifestos = [(part["name"], _part(state, part["path"])) for part in state.manifestos]
    if identity is not None and not isinstance(identity, str):
        state.problems.append(Problem("must be a text", IDENTITY_VARIABLE))
        identity = ""
    if identity is None and not any(texts) and not any(part[-1] for part in rules + manifestos):
        return ""
    section, warnings = _persona.identity(chain, identity)
    for warning in warnings:
        state.warn(warning, IDENTITY_VARIABLE)
    text = _persona.assemble(section, texts, rules, manifestos)
    if len(text.encode("utf-8", "replace")) > _persona.MAX_PERSONA:
        state.problems.append(Problem("the persona of this chain is larger than %d kB" % (_persona.MAX_PERSONA >> 10)))
    return text


def _part(state, path):
    """Return one file's text; "" for one that is wrong, with the problem noted."""
    tree = next(tree for tree in state.trees if str(path).startswith(str(tree.root).rstrip("/") + "/"))
    try:
        text, warnings = _persona.read(tree.read(path))
    except _frontmatter.FrontmatterError as error:
        state.problems.append(Problem(str(error), path))
        return ""
    except BundleError as error:
        state.problems += error.problems
        return ""
    for warning in warnings:
        state.warn(warning, path)
    return text


def _add_overrides(state, overrides):
    names = Overrides.NAMES
    for key in ("settings", "codex_config", "mcp_servers", "directives"):
        if getattr(overrides, key) is not None and not isinstance(getattr(overrides, key), dict):
            state.problems.append(Problem("must be a mapping", names[key]))
            return
    _merge_settings(state, overrides.settings or {}, names["settings"])
    _merge_codex_config(state, overrides.codex_config or {}, names["codex_config"])
    directives, wrong = _directives.checked(overrides.directives)
    for text in wrong:
        state.warn(text, names["directives"])
    state.directives = merge(state.directives, directives)
    state.codex_directives = merge(state.codex_directives, directives)
    for name, definition in (overrides.mcp_servers or {}).items():
        if definition is not None and not isinstance(definition, dict):
            state.problems.append(Problem("a server must be a mapping, or null to leave it out", names["mcp_servers"], None, json_path((str(name),))))
        elif definition is None:
            state.servers.pop(name, None)
        else:
            below = state.servers.get(name)
            source = "%s, %s" % (below.source, names["mcp_servers"]) if below else names["mcp_servers"]
            state.servers[name] = _Server(merge(below.definition if below else {}, definition), source, (str(name),))


def _check_merged(state):
    for path, message in _settings_schema.errors(state.settings, _settings_schema.MERGED):
        state.problems.append(Problem(MERGED + message, "", None, json_path(path)))
    for path, message in _codex_config.lacking(state.codex_config):
        state.problems.append(Problem(MERGED + message, "", None, json_path(path)))


def _finished_servers(state):
    """Return (name to definition in the common form, names whose source says disabled); what cannot be had is left out with a warning."""
    finished, off = {}, []
    for name, entry in state.servers.items():
        try:
            server = _mcp.without_secrets(_mcp.normalize(name, entry.definition))
        except _mcp.Refusal as refusal:
            line, path = entry.line(refusal.path), entry.path(refusal.path)
            if refusal.kind == _mcp.INVALID:
                state.problems.append(Problem(refusal.text(), entry.source, line, path))
            else:
                state.warn("left out: " + refusal.text(), entry.source, line, path)
            continue
        for text in server.warnings:
            state.warn("the MCP server %s: %s" % (_mcp.shown(name), text), entry.source, entry.line())
        finished[name] = server.definition
        if server.disabled:
            off.append(name)
    for group in _mcp.clashes(finished):
        where = "; ".join("%s from %s" % (_mcp.shown(name), state.servers[name].source) for name in group)
        state.problems.append(Problem("these MCP servers have the same name for the model, rename all but one: %s" % where))
    return finished, off
