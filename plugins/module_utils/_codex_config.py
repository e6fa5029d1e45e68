# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what is special about Codex CLI's config.toml. Data, and pure functions over it.

One value that Codex does not accept stops every start of it, so values are checked before they are written: against SCHEMA here, and
by the installed CLI itself (_codex_trial.py). SCHEMA and LIMITS were measured with `codex features list` on 0.142.3, 0.154.0 and
0.171.0, which loads the whole file; tests/live/test_codex_config.py measures them again.
"""

from __future__ import annotations

import re

from ansible_collections.agentihooks.fleet.plugins.module_utils import _mcp, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._document import Home
from ansible_collections.agentihooks.fleet.plugins.module_utils._ledger import IN_FILE_KEYS
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Rules

CONFIG = "config.toml"
SERVERS = "mcp_servers"

# Without hooks no guard runs, and nothing says so. Its old name codex_hooks has no effect beside it (measured).
PINS = {("features", "hooks"): True}
# Both sides add to them; the last one is also what Codex's own skill switch writes.
UNIONS = (("project_doc_fallback_filenames",), ("sandbox_workspace_write", "writable_roots"), ("skills", "config"))
# A granular policy lacking one of its keys stops every start, so it is one value.
WHOLE = (("approval_policy",),)

# Path -> why it is never written to config.toml.
RESERVED = {
    ("agentihooks",): "it is bookkeeping of earlier versions, and Codex warns about it at every start",
    ("hooks",): "hooks here would run a second time beside hooks.json, and hooks.state is what the person trusted",
    ("mcp_servers",): "servers come from the bundle's MCP files or agentihooks_mcp_servers",
    ("mcpServers",): "Codex does not know it; servers come from the bundle's MCP files or agentihooks_mcp_servers",
    ("profile",): "it stops every start of Codex; start with codex --profile instead",
    ("profiles",): "Codex does not read it; a profile is a file of its own, <name>.config.toml",
    ("experimental_instructions_file",): "Codex does not read it; model_instructions_file is its name",
    ("features", "codex_hooks"): "it is the old name of features.hooks, which is always written as true",
}

TEXT, SWITCH, COUNT, NUMBER, TEXTS = "a string", "true or false", "a whole number, not negative", "a whole number", "a list of strings"

# Key -> what its value must be: one of the kinds above, a tuple of the accepted strings, a table of keys ("*": any other key), or a
# list of alternatives. Codex gains keys with every release and ignores those it does not know, so a key that is not listed passes.
SCHEMA = {
    "agents": {"max_threads": COUNT, "max_depth": NUMBER, "*": {"description": TEXT, "config_file": TEXT}},
    "allow_login_shell": SWITCH,
    "analytics": {"enabled": SWITCH},
    "approval_policy": [
        ("untrusted", "on-failure", "on-request", "never"),
        {"granular": {"*": SWITCH}},
    ],
    "approvals_reviewer": ("user", "auto_review", "guardian_subagent"),
    "background_terminal_max_timeout": COUNT,
    "chatgpt_base_url": TEXT,
    "check_for_update_on_startup": SWITCH,
    "cli_auth_credentials_store": ("file", "keyring", "auto", "ephemeral"),
    "compact_prompt": TEXT,
    "developer_instructions": TEXT,
    "disable_paste_burst": SWITCH,
    "features": {"hooks": SWITCH},
    "feedback": {"enabled": SWITCH},
    "file_opener": ("vscode", "vscode-insiders", "windsurf", "cursor", "none"),
    "forced_login_method": ("chatgpt", "api"),
    "hide_agent_reasoning": SWITCH,
    "history": {"persistence": ("save-all", "none"), "max_bytes": COUNT},
    "instructions": TEXT,
    "log_dir": TEXT,
    "mcp_oauth_credentials_store": ("auto", "file", "keyring"),
    "model": TEXT,
    "model_auto_compact_token_limit": NUMBER,
    "model_catalog_json": TEXT,
    "model_context_window": NUMBER,
    "model_instructions_file": TEXT,
    "model_provider": TEXT,
    "model_providers": {"*": {"name": TEXT, "base_url": TEXT, "env_key": TEXT, "wire_api": ("responses",)}},
    "model_reasoning_effort": TEXT,
    "model_reasoning_summary": ("auto", "concise", "detailed", "none"),
    "model_verbosity": ("low", "medium", "high"),
    "notice": {"hide_full_access_warning": SWITCH},
    "notify": TEXTS,
    "openai_base_url": TEXT,
    "oss_provider": TEXT,
    "personality": ("none", "friendly", "pragmatic"),
    "plan_mode_reasoning_effort": TEXT,
    "plugins": {"*": {"enabled": SWITCH}},
    "project_doc_fallback_filenames": TEXTS,
    "project_doc_max_bytes": COUNT,
    "project_root_markers": TEXTS,
    "projects": {"*": {"trust_level": ("trusted", "untrusted")}},
    "review_model": TEXT,
    "sandbox_mode": ("read-only", "workspace-write", "danger-full-access"),
    "sandbox_workspace_write": {"writable_roots": TEXTS, "network_access": SWITCH, "exclude_slash_tmp": SWITCH, "exclude_tmpdir_env_var": SWITCH},
    "service_tier": TEXT,
    "shell_environment_policy": {
        "inherit": ("core", "all", "none"),
        "ignore_default_excludes": SWITCH,
        "exclude": TEXTS,
        "include_only": TEXTS,
        "set": {"*": TEXT},
    },
    "show_raw_agent_reasoning": SWITCH,
    "skills": {"config": [({"path": TEXT, "name": TEXT, "enabled": SWITCH},)]},
    "sqlite_home": TEXT,
    "suppress_unstable_features_warning": SWITCH,
    "tool_output_token_limit": COUNT,
    "tui": {
        "alternate_screen": ("auto", "always", "never"),
        "animations": SWITCH,
        "notification_condition": ("unfocused", "always"),
        "notification_method": ("auto", "osc9", "osc777", "bel"),
        "notifications": [SWITCH, TEXTS],
        "show_tooltips": SWITCH,
        "status_line": TEXTS,
        "theme": TEXT,
    },
    "web_search": ("disabled", "cached", "indexed", "live"),
}

# Keys that a table cannot do without: (path, with "*" for any key or element) -> keys.
REQUIRED = {
    ("approval_policy", "granular"): ("sandbox_approval", "rules", "mcp_elicitations"),
    ("skills", "config", "*"): ("enabled",),
}

# (path, value, first version that accepts it, first version that does not): where the measured versions differ.
LIMITS = (
    (("approval_policy",), "untrusted", None, (0, 154, 0)),
    (("tui", "notification_method"), "osc777", (0, 171, 0), None),
)

# Never empty: Codex refuses "".
_NOT_EMPTY = ("model_reasoning_effort", "plan_mode_reasoning_effort")


class Shown:
    """The file's format for a diff."""

    parse = staticmethod(_toml.parse)

    @staticmethod
    def masked(document, hide, mask):
        """Return the text of a document to show: no value under a secret's name, none of a server's env and headers that may be one."""

        def is_masked(path, value):
            if path[0] == SERVERS and len(path) > 2:
                return path[2] == "bearer_token" or (path[2] in ("env", "http_headers") and not (isinstance(value, str) and _mcp.is_harmless(value)))
            return any(hide(key) for key in path)

        return _toml.masked_where(document, is_masked, mask)


def config_rules(present=True):
    """Return the Rules of config.toml; without pins when everything of ours is to go."""
    return Rules(PINS if present else {}, UNIONS, WHOLE, retired=IN_FILE_KEYS)


def home(module):
    """Return the _document.Home of Codex that a module's options name."""
    return Home(module.paths("codex")[1], module.params["manager"], module.params["takeover"], config_rules(), source=module.source())


def without_reserved(config):
    """Return (config, warnings): the table without the keys that are never written, and why each was dropped."""
    kept, warnings = {}, []
    for key, value in config.items():
        if (key,) in RESERVED:
            warnings.append("config.%s was dropped: %s" % (key, RESERVED[(key,)]))
        elif key.startswith("_"):
            warnings.append("config.%s was dropped: keys that start with _ are reserved" % key)
        else:
            kept[key] = value
    features = kept.get("features")
    if isinstance(features, dict):
        features = dict(features)
        for path in RESERVED:
            if len(path) == 2 and path[0] == "features" and path[1] in features:
                del features[path[1]]
                warnings.append("config.%s was dropped: %s" % (".".join(path), RESERVED[path]))
        if features.get("hooks") is False:
            del features["hooks"]
            warnings.append("config.features.hooks was dropped: false would silence every guard, so it is always written as true")
        kept["features"] = features
    return kept, warnings


def errors(config, version=None):
    """Return [(path, message)] of the values that Codex would not start with, in the order of the table. A null is none.

    version: of the CLI, "0.171.0"; "" for an unknown one, which counts as the newest; None leaves out what depends on the version.
    A message says what is accepted and never repeats a value. What a whole table lacks is lacking().
    """
    found = []
    for key, value in config.items():
        _check(value, SCHEMA.get(key), (key,), found)
    if version is not None:
        for path, value, since, until in LIMITS:
            there = config
            for key in path:
                there = there.get(key) if isinstance(there, dict) else None
            if there == value and not _is_between(version, since, until):
                when = "before %s" % _text_of(since) if since else "since %s" % _text_of(until)
                found.append((path, '"%s" is not accepted by Codex %s' % (value, when)))
    return found


def lacking(config):
    """Return [(path, message)] of the tables that lack a key without which Codex does not start."""
    found = []
    for path, keys in REQUIRED.items():
        for table in _tables(config, path):
            found += [(path, "lacks the key %s" % key) for key in keys if table.get(key) is None][:1]
    return found


def _tables(value, path):
    """Return the tables at a path; "*" is every element of a list."""
    if not path:
        return [value] if isinstance(value, dict) else []
    if path[0] == "*":
        return [table for element in value for table in _tables(element, path[1:])] if isinstance(value, list) else []
    return _tables(value[path[0]], path[1:]) if isinstance(value, dict) and value.get(path[0]) is not None else []


def _check(value, spec, path, found):
    if value is None or spec is None:
        return
    if isinstance(spec, list):
        fitting = [choice for choice in spec if _is_kind(value, choice)]
        if not fitting:
            found.append((path, "must be %s" % " or ".join(_explained(choice) for choice in spec)))
            return
        spec = fitting[0]
    elif not _is_kind(value, spec):
        found.append((path, "must be %s, not %s" % (_explained(spec), kind_of(value))))
        return
    if isinstance(spec, dict):
        for key, inner in value.items():
            _check(inner, spec.get(key, spec.get("*")), path + (key,), found)
    elif isinstance(spec, tuple) and isinstance(spec[0], dict):
        for element in value:
            _check(element, spec[0], path + ("*",), found)
    elif isinstance(spec, tuple) and value not in spec:
        found.append((path, "must be %s" % _explained(spec)))
    elif path[-1] in _NOT_EMPTY and value == "":
        found.append((path, "must not be empty"))


def _is_kind(value, spec):
    if isinstance(spec, dict):
        return isinstance(value, dict)
    if isinstance(spec, tuple):
        return isinstance(value, list) if isinstance(spec[0], dict) else isinstance(value, str)
    if spec == SWITCH:
        return isinstance(value, bool)
    if spec == TEXT:
        return isinstance(value, str)
    if spec == TEXTS:
        return isinstance(value, list) and all(isinstance(element, str) for element in value)
    return isinstance(value, int) and not isinstance(value, bool) and (spec == NUMBER or value >= 0)


def _explained(spec):
    if isinstance(spec, dict):
        return "a table"
    if isinstance(spec, tuple):
        return "a list of tables" if isinstance(spec[0], dict) else " or ".join('"%s"' % choice for choice in spec)
    return spec


def kind_of(value):
    """Return what a value is, for a message."""
    if isinstance(value, bool):
        return "true or false"
    names = {int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), "null" if value is None else "a date or time")


def _is_between(version, since, until):
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3]) or (float("inf"),)
    return (since is None or numbers >= since) and (until is None or numbers < until)


def _text_of(version):
    return ".".join(str(number) for number in version)
