# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what Copilot's settings may hold, as JSON Schema, and a schema's errors for a person.

Only keys are listed whose form was measured (contract/COPILOT.md, section 5). Copilot gains settings with every release, so a
key that is not listed passes.
"""

from __future__ import annotations

from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError, Problem, json_path

try:
    import jsonschema
except ImportError:  # told when it is used: the plugin must load for its documentation
    jsonschema = None


def _or_null(**schema):
    """Null unsets what an earlier layer says, so it is allowed for every key."""
    return {"anyOf": [schema, {"type": "null"}]}


_NAMES = _or_null(type="array", items={"type": "string", "minLength": 1})
_SWITCH = _or_null(type="boolean")

SETTINGS = {
    "type": "object",
    "properties": {
        "autoUpdate": _SWITCH,
        "beep": _SWITCH,
        "disableAllHooks": _SWITCH,
        "disabledHooks": _NAMES,
        "disabledMcpServers": _NAMES,
        "enabledMcpServers": _NAMES,
        "enabledPlugins": _or_null(type="object"),
        "includeCoAuthoredBy": _SWITCH,
        "model": _or_null(type="string", minLength=1),
        "statusLine": _or_null(
            type="object",
            properties={"type": _or_null(enum=["command"]), "command": _or_null(type="string", minLength=1)},
        ),
    },
}

# What must be there once all layers are merged: each layer may bring a part.
MERGED = {
    "type": "object",
    "properties": {
        "statusLine": {"type": "object", "required": ["type", "command"]},
    },
}

MISSING = "the Python package jsonschema is needed on the controller; install it beside ansible-core"

_TYPES = {"array": "a list", "boolean": "true or false", "null": "null", "object": "an object", "string": "a string"}


def errors(value, schema):
    """Return [(path, message)] of what does not fit, in the order of the document. A message says what is allowed and never repeats a value.

    Raises BundleError when the controller lacks jsonschema: unchecked settings reach no host.
    """
    if jsonschema is None:
        raise BundleError([Problem(MISSING)])
    found = []
    for error in jsonschema.Draft202012Validator(schema).iter_errors(value):
        # Of "the form or null" the person wants to hear about the form.
        while error.validator == "anyOf":
            error = error.context[0]
        found.append((tuple(error.absolute_path), _explained(error)))
    return sorted(found, key=lambda pair: json_path(pair[0]))


def _explained(error):
    wanted = error.validator_value
    if error.validator == "type":
        return "must be %s, not %s" % (_TYPES.get(wanted, wanted), _kind(error.instance))
    if error.validator == "enum":
        return "must be %s" % " or ".join(str(choice).lower() if isinstance(choice, bool) else '"%s"' % choice for choice in wanted)
    if error.validator == "required":
        missing = next(key for key in wanted if key not in error.instance)
        return "lacks the key %s" % missing
    if error.validator == "minLength":
        return "must not be empty"
    return "does not fit (%s: %s)" % (error.validator, wanted)


def _kind(value):
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    names = {str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "null" if value is None else type(value).__name__)
