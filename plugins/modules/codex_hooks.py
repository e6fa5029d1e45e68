#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers the hook runtime with Codex CLI."""

from __future__ import annotations

DOCUMENTATION = r"""
module: codex_hooks
short_description: Register the hook runtime with Codex CLI
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Writes C(agentihooks-hook.sh), the wrapper that starts the hook runtime, and C(hooks.json), which has Codex CLI call it on
    its events, into the configuration home of Codex CLI.
  - Codex runs a hook only when it is trusted, and skips one that is not B(without a word). This module tells which of its hooks
    are trusted, warns about those that are not, and with O(trust=record) records the trust.
  - The wrapper and its entries are pinned. A hand-edit of them is put right and reported with the outcome V(pinned). Hooks of
    somebody else in the same file stay in their places, because Codex trusts a hook by its place, and keys for which Codex
    would ignore the whole file are taken out.
  - The hook runtime must be there already, see M(agentihooks.fleet.hooks_runtime). Without it every tool call is denied.
options:
  state:
    description:
      - V(present) registers and repairs.
      - V(absent) takes out exactly what is ours, recorded trust included. A file that was there before comes back as it was, if
        it still is what this module wrote.
    type: str
    choices: [present, absent]
    default: present
  trust:
    description:
      - V(ask) leaves it to the person, who trusts the hooks in C(/hooks) of Codex. Until then they do nothing, and each run
        warns about that. Trust that is there stays.
      - V(record) records exactly the definitions that this module wrote as trusted, in C(config.toml), for an administrator who
        owns the machine. A hook of ours that was switched off is switched on.
      - V(managed) registers nothing in the person's own C(hooks.json), because the hooks stand in the system's
        C(/etc/codex/requirements.toml), where they need no trust; see M(agentihooks.fleet.codex_managed_hooks).
    type: str
    choices: [ask, record, managed]
    default: ask
  cli_version:
    description:
      - The installed version of Codex, because versions differ in what they trust.
      - Empty means that it is not known and counts as the newest one that was measured.
    type: str
    default: ""
  data_dir:
    description:
      - The data directory with the hook runtime, an absolute path.
      - The default is E(AGENTIHOOKS_HOME), else C(.agentihooks) in the home.
    type: str
  wrapper_template:
    description: The text of the wrapper. The module's action plugin fills it in; there is nothing to give here.
    type: str
extends_documentation_fragment:
  - agentihooks.fleet._home
attributes:
  check_mode:
    description: Predicts exactly what a run would change.
    support: full
  diff_mode:
    description: Shows the files before and after.
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.hooks_runtime
  - module: agentihooks.fleet.codex_config
"""

EXAMPLES = r"""
- name: Have Codex CLI call the hook runtime, once the person has trusted it
  agentihooks.fleet.codex_hooks:

- name: Look at the host
  agentihooks.fleet.agentihooks_facts:

- name: Have Codex CLI call the hook runtime at once, on a machine that is ours
  agentihooks.fleet.codex_hooks:
    trust: record
    cli_version: "{{ ansible_facts.agentihooks.codex.version or '' }}"

- name: Take it out again
  agentihooks.fleet.codex_hooks:
    state: absent
"""

RETURN = r"""
changes:
  description: What was changed, or would be, and why.
  returned: always
  type: list
  elements: dict
  contains:
    path:
      description: The file, then the keys in it.
      returned: always
      type: list
      elements: str
    outcome:
      description: V(created), V(pinned), V(updated) or V(removed).
      returned: always
      type: str
  sample: [{path: [hooks.json, hooks, PreToolUse], outcome: pinned}]
hand_edited:
  description: Always empty, because everything here is pinned.
  returned: always
  type: list
  elements: list
wrapper:
  description: The wrapper.
  returned: always
  type: str
  sample: /home/ada/.codex/agentihooks-hook.sh
trust:
  description:
    - For each event, whether Codex runs our hook. V(trusted) and V(managed) run; V(untrusted) was never trusted, V(modified) was
      trusted in another form, V(disabled) was switched off.
  returned: always
  type: dict
  sample: {PreToolUse: trusted, SessionStart: modified}
inert:
  description: The events whose hook Codex does not run.
  returned: always
  type: list
  elements: str
  sample: [SessionStart]
"""

import functools
import os

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _codex_config,
    _codex_managed,
    _codex_trust,
    _document,
    _files,
    _hooks_file,
    _registration,
    _toml,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import run, shown
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at

# What of config.toml is this module's; codex_config has the rest.
PART = "trust"

_SAID = {
    _codex_trust.UNTRUSTED: "not trusted yet",
    _codex_trust.MODIFIED: "changed since they were trusted",
    _codex_trust.DISABLED: "switched off",
}


def config_of(place):
    """Return the table of config.toml, ABSENT for no file. Raises SurfaceError for one that cannot be read."""
    snapshot = _files.read(place.file(_codex_config.CONFIG))
    if not snapshot.exists:
        return ABSENT
    try:
        return _toml.parse(snapshot.data).value
    except _toml.FormatError as error:
        raise _files.SurfaceError(error.message, snapshot.path, error.line, error.column, "Correct it by hand; it was not touched") from None


def record(place, found, check_mode):
    """Bring the recorded trust to exactly these Definitions, [] for none of ours; return the _document.Result."""
    config = config_of(place)
    rules = _codex_trust.rules(found, config) if found else Rules()
    return _document.converge(
        place, _codex_config.CONFIG, lambda disk: _codex_trust.wanted(found), rules, Policy("overwrite"), _toml, check_mode, part=PART
    )


def _told(outcome, before):
    """Return the outcome of a recorded trust: one that was not there was not put right but made."""
    return "created" if outcome == "pinned" and before is ABSENT else outcome


def inert_warnings(statuses):
    """Return warnings about hooks that Codex does not run, one for each reason."""
    warnings = []
    for status, said in _SAID.items():
        events = [event for event, found in statuses.items() if found == status]
        if events:
            warnings.append(
                "CODEX DOES NOT RUN these hooks, they are %s: %s. Until a person trusts them (start codex, then /hooks) they guard nothing; "
                "or set trust: record (agentihooks_codex_hook_trust)" % (said, ", ".join(events))
            )
    return warnings


def elsewhere(config, form):
    """Return warnings about config.toml: hooks switched off there, or our wrapper registered a second time."""
    if config is ABSENT:
        return []
    warnings = []
    for name in ("hooks", "codex_hooks"):
        if at(config, ("features", name)) is False:
            warnings.append("config.toml sets features.%s = false, so Codex runs no hook at all; agentihooks.fleet.codex_config puts it back" % name)
    if form.mentions({event: groups for event, groups in (config.get("hooks") or {}).items() if event != "state"}):
        warnings.append("config.toml also registers the wrapper under [hooks], so it runs twice per event; take it out there")
    return warnings


def converge(module):
    """Bring wrapper, hooks file and trust to what is wanted and exit."""
    place = _codex_config.home(module)
    present, trust = module.params["state"] == "present", module.params["trust"]
    managed = present and trust == "managed"
    # What stands in the way of recording trust stops everything.
    config = config_of(place)
    target = _registration.Target("codex", functools.partial(_hooks_file.Codex, version=module.params["cli_version"]))
    done = _registration.converge(module, target, place, () if managed else None)
    path = os.path.join(os.path.realpath(place.path), target.hooks_file)
    found = _codex_trust.definitions(done.form, done.hooks, path, module.params["cli_version"]) if present else []
    warnings = list(done.warnings)
    recorded = None
    if trust == "record" or not present or managed:
        recorded = record(place, found, module.check_mode)
        warnings += recorded.warnings
        done.answer["changed"] = done.answer["changed"] or recorded.changed
        done.answer["changes"] += [
            {"path": [_codex_config.CONFIG] + list(changed), "outcome": _told(outcome, at(config, changed))}
            for changed, outcome in recorded.changes if outcome != "unchanged"
        ]
    if recorded is not None and recorded.changed and module._diff:
        header = place.file(_codex_config.CONFIG)
        before, after = (shown(data, _codex_config.Shown) for data in (recorded.before, recorded.after))
        done.answer["diff"].append({"before_header": header, "after_header": header, "before": before, "after": after})
    if managed:
        statuses = _codex_managed.statuses(_codex_managed.read(), done.form.EVENTS)
        if _codex_trust.UNTRUSTED in statuses.values():
            told = "%s does not register the hooks, so CODEX DOES NOT RUN them; run agentihooks.fleet.codex_managed_hooks as root"
            warnings.append(told % _codex_managed.FILE)
    else:
        after = _toml.parse(recorded.after).value if recorded is not None and recorded.after.strip() else config if recorded is None else ABSENT
        statuses = _codex_trust.statuses(found, after)
        warnings += inert_warnings(statuses)
    if present:
        warnings += elsewhere(config, done.form)
    for warning in warnings:
        module.warn(warning)
    inert = [event for event, status in statuses.items() if status not in (_codex_trust.TRUSTED, _codex_trust.MANAGED)]
    module.exit_json(trust=statuses, inert=inert, **done.answer)


def main():
    """Run the module."""
    options = {"trust": {"type": "str", "choices": ["ask", "record", "managed"], "default": "ask"}, "cli_version": {"type": "str", "default": ""}}
    run(converge, argument_spec=dict(_registration.OPTIONS, **options), required_if=_registration.REQUIRED_IF)


if __name__ == "__main__":
    main()
