# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the doctor's rows about a host, from what the tasks of doctor.yml registered for it. Pure.

The roles ran in check mode, so what their modules "changed" is drift. Names, places and counts come out, no values.
"""

from __future__ import annotations

import os

from ansible_collections.agentihooks.fleet.plugins.module_utils._finding import CRITICAL, INFO, OK, SITE, WARNING, row
from ansible_collections.agentihooks.fleet.plugins.module_utils._secret_shapes import redact
from ansible_collections.agentihooks.fleet.plugins.module_utils._vocabulary import JUDGED_BY

# Target -> names under which the roles register their results; "" is what all targets share.
REGISTERED = {
    "": ("workstation_runtime",),
    "copilot": ("copilot_target_hooks", "copilot_target_mcp", "copilot_target_settings", "copilot_target_assets", "copilot_target_folders"),
    "codex": ("codex_target_managed", "codex_target_hooks", "codex_target_mcp", "codex_target_config", "codex_target_assets"),
}
# Those whose files only guard: an edit there is one of a guard.
_GUARDS = ("copilot_target_hooks", "codex_target_hooks", "codex_target_managed")
_POLICY = "policy.json"  # what the guards deny
CHECKED = "agentihooks_doctor_checks"  # as doctor.yml registers them
STOPPED = "agentihooks_doctor_stopped_%s"

REACHABLE = "reachable"
DRIFT, GUARD_FILES, HAND_EDITS, CONFLICTS, SITE_RUN = "drift", "guard files", "hand-edits", "conflicts", "site run"
_DRIFT = ("created", "updated", "removed", "unioned", "released", "deferred", "pinned")
_WORDS = {"pinned": "put back"}


def rows(found):
    """Return (rows, {target: CLI version or ""}) of a host. found: function, name of a variable of the host -> its value, None for none."""
    checked = found(CHECKED)
    if not isinstance(checked, dict) or checked.get("unreachable"):
        why = checked.get("msg") if isinstance(checked, dict) else "the host left the run before anything was found"
        return [row("", REACHABLE, WARNING, _text(why), "Look whether the host is on and the connection is right, then run again.")], {}
    result = [row("", REACHABLE, OK, "yes")]
    if "checks" in checked:
        result += [dict(each) for each in checked["checks"]]
    else:
        result.append(row("", "runtime", CRITICAL, "the host cannot be looked at: %s" % _text(checked.get("msg")), "Look at the task's error above."))
    stopped = {target: found(STOPPED % target) for target in REGISTERED if target}
    facts = found("ansible_facts")
    facts = facts.get("agentihooks") if isinstance(facts, dict) else None
    facts = facts if isinstance(facts, dict) else {}
    registered, versions = ran(found)
    chosen = []
    for target in REGISTERED:
        results = registered.get(target)
        if results:
            result += compared(target, results)
            chosen.append(target)
        if stopped.get(target):
            way_out = "Do what the error says; what comes after it was not compared."
            result.append(row(target, SITE_RUN, CRITICAL, "would stop: %s" % _text(stopped[target]), way_out))
            chosen.append(target)
        elif results and target:
            result.append(row(target, SITE_RUN, OK, "would go through"))
    result = _with_trust(result, found("codex_target_hooks"))
    if facts:
        warning = facts.get("browser_warning")
        launcher = " ".join(facts.get("browser") or []) or "the CLI's own choice"
        result.append(row("", "browser", WARNING, _text(warning), "Change the directive browserCommand.") if warning else row("", "browser", OK, launcher))
    return result, {target: version for target, version in versions.items() if target in chosen}


def ran(found):
    """Return ({target: {name: result}}, {target: CLI version or ""}) of the modules that ran on a host. found: as of rows()."""
    results = {}
    for target, names in REGISTERED.items():
        registered = {name: value for name, value in ((name, found(name)) for name in names) if _ran(value)}
        if registered:
            results[target] = registered
    facts = found("ansible_facts")
    facts = facts.get("agentihooks") if isinstance(facts, dict) else None
    return results, {target: _text((facts or {}).get(target, {}).get("version") or "") for target in REGISTERED if target}


def reader(hostvars, host):
    """Return a function: name of a variable of a host -> its value, None for none. hostvars: Ansible's."""
    return (hostvars.get(host) or {}).get


def compared(target, results):
    """Return the rows about drift, edited guards, hand-edits and conflicts. results: name -> result of a module in check mode."""
    drift, guards, edited, foreign = [], [], [], []
    for name, result in results.items():
        by_hand = [list(path) for path in result.get("hand_edited") or []]
        for change in result.get("changes") or []:
            path, outcome = list(change["path"]), change["outcome"]
            place = {"place": placed(path, result), "outcome": outcome}
            if outcome == "foreign":
                foreign.append(place)
            elif outcome == "hand_edited" or path in by_hand and outcome not in _DRIFT:
                edited.append(dict(place, outcome="hand_edited"))
            elif outcome == "pinned" and (name in _GUARDS or "/runtime/" in path[0] or os.path.basename(path[0]) == _POLICY):
                guards.append(place)
            elif outcome in _DRIFT:
                drift.append(place)
    late = [place for place in drift if place["outcome"] != "deferred"]
    level = WARNING if late else INFO if drift else OK
    return [
        row(target, DRIFT, level, _counted(drift) + " by a run of site" if drift else "none", SITE if late else "", drift),
        row(target, GUARD_FILES, CRITICAL if guards else OK, "edited: %s" % _named(guards) if guards else "as they were written",
            SITE if guards else "", guards),
        row(target, HAND_EDITS, WARNING if edited else OK, "left as they are: %s" % _named(edited) if edited else "none",
            "Ask the person, or take it back with agentihooks_reclaim." if edited else "", edited),
        row(target, CONFLICTS, INFO if foreign else OK, "the person's own value stands: %s" % _named(foreign) if foreign else "none",
            "agentihooks_on_conflict says who wins." if foreign else "", foreign),
    ]  # fmt: skip


def placed(path, result):
    """Return where a change is, for a person: the file, then the keys."""
    file = os.path.basename(result.get("file") or "")
    # Agents and skills are files of their own beside the one that the module of the assets names.
    beside = [surface for surface in ("agents", "skills") if result.get(surface + "_directory")]
    return _text(" ".join(filter(None, ["" if path[0] in beside else file, ".".join(map(str, path))])))


def _with_trust(rows_, hooks):
    """Return the rows with what the module knows of Codex's trust: the definitions' hashes, where the host's command only sees whether one is there."""
    inert = hooks.get("inert") if _ran(hooks) else None
    if not inert:
        return rows_
    level = CRITICAL if set(inert) & set(JUDGED_BY["codex"]) else WARNING
    told = ", ".join("%s %s" % (event, (hooks.get("trust") or {}).get(event, "untrusted")) for event in inert)
    kept = [each for each in rows_ if (each["target"], each["check"]) != ("codex", "trust")]
    way_out = "Trust them in Codex (/hooks), or let the role record it (agentihooks_codex_hook_trust)."
    return kept + [row("codex", "trust", level, _text("Codex runs none of these hooks and says nothing: %s" % told), way_out)]


def _ran(value):
    return isinstance(value, dict) and not value.get("skipped") and not value.get("failed") and "changes" in value


def _counted(places):
    outcomes = [place["outcome"] for place in places]
    return ", ".join("%d would be %s" % (outcomes.count(each), _WORDS.get(each, each)) for each in _DRIFT if each in outcomes)


def _named(places, most=4):
    names = [place["place"] for place in places]
    return ", ".join(names[:most]) + (" and %d more" % (len(names) - most) if len(names) > most else "")


def _text(value):
    """Return a text in one line, without secrets, cut at 600 characters."""
    return redact(" ".join(str(value or "").split()))[:600]
