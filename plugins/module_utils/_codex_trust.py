# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: which of our hooks Codex trusts, from what stands in its files. Pure.

Codex runs a hook only when config.toml holds, under [hooks.state."<its place>"], the hash of its definition; a person's "trust"
in /hooks writes just that (measured on 0.142.3, 0.154.0 and 0.171.0, see docs/codex-hooks.md). The hash is over the definition, not
over the program behind it.
"""

from __future__ import annotations

import hashlib
import json
import re

from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Rules
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import CODEX_CONTEXT_LIMIT_KEY, CODEX_CONTEXT_LIMIT_SINCE, CODEX_TIMEOUT_KEY

STATE = ("hooks", "state")
HASH = "trusted_hash"
ENABLED = "enabled"

TRUSTED = "trusted"
UNTRUSTED = "untrusted"
MODIFIED = "modified"
DISABLED = "disabled"
MANAGED = "managed"

# Of these events Codex keeps no matcher.
_WITHOUT_MATCHER = ("UserPromptSubmit", "Stop")


class Definition:
    """One hook of ours as Codex sees it. event: its name; key: its place; sha256: "sha256:" and the hash of its definition."""

    __slots__ = ("event", "key", "sha256")

    def __init__(self, event, key, sha256):
        self.event = event
        self.key = key
        self.sha256 = sha256


def definitions(form, hooks, path, version=""):
    """Return the Definitions of our hooks in a hooks file, in the order of the events.

    form: a _hooks_file.Codex. hooks: what the file holds. path: the file as Codex names it: in the configuration home with links
    resolved, a link of the file itself not. version: of the CLI ("0.171.0"), "" for an unknown one, which counts as the newest.
    """
    found = []
    for event in form.EVENTS:
        place = form.place(hooks, event)
        if place is not None:
            group = hooks["hooks"][event][place[0]]
            key = "%s:%s:%d:%d" % (path, _label(event), place[0], place[1])
            found.append(Definition(event, key, trusted_hash(event, group, group["hooks"][place[1]], version)))
    return found


def trusted_hash(event, group, handler, version=""):
    """Return what Codex of that version computes for a command handler with a whole timeout above 0."""
    normal = {"async": handler.get("async", False), "command": handler["command"], "timeout": handler[CODEX_TIMEOUT_KEY], "type": "command"}
    if handler.get("statusMessage") is not None:
        normal["statusMessage"] = handler["statusMessage"]
    if handler.get(CODEX_CONTEXT_LIMIT_KEY) is not None and not _is_before(version, CODEX_CONTEXT_LIMIT_SINCE):
        normal[CODEX_CONTEXT_LIMIT_KEY] = handler[CODEX_CONTEXT_LIMIT_KEY]
    definition = {"event_name": _label(event), "hooks": [normal]}
    if group.get("matcher") is not None and event not in _WITHOUT_MATCHER:
        definition["matcher"] = group["matcher"]
    text = json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def statuses(found, config):
    """Return {event: TRUSTED, UNTRUSTED, MODIFIED or DISABLED}. found: Definitions; config: the table of config.toml, ABSENT for none."""
    result = {}
    for definition in found:
        state = at(config, STATE + (definition.key,)) if config is not ABSENT else ABSENT
        state = state if isinstance(state, dict) else {}
        if state.get(ENABLED) is False:
            result[definition.event] = DISABLED
        elif HASH not in state:
            result[definition.event] = UNTRUSTED
        else:
            result[definition.event] = TRUSTED if state[HASH] == definition.sha256 else MODIFIED
    return result


def wanted(found):
    """Return the table of config.toml that makes Codex trust these Definitions."""
    return {"hooks": {"state": {definition.key: {HASH: definition.sha256} for definition in found}}} if found else {}


def rules(found, config):
    """Return the Rules for that table: a hash is put right whatever stands there, and what was switched off is on again."""
    pins = {STATE + (definition.key, HASH): definition.sha256 for definition in found}
    off = [event for event, status in statuses(found, config).items() if status == DISABLED]
    pins.update({STATE + (definition.key, ENABLED): True for definition in found if definition.event in off})
    return Rules(pins)


def _label(event):
    """Return an event's name as Codex writes it in places and definitions: pre_tool_use."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()


def _is_before(version, limit):
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", version or "")
    return numbers is not None and tuple(int(number) for number in numbers.groups()) < limit
