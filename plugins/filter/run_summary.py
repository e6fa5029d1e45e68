# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One line about what a run did to a host."""

from __future__ import annotations

import os

DOCUMENTATION = r"""
name: run_summary
short_description: Say in one line what the modules of this collection did
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Counts the outcomes of several results, and names the places where the person's own choice stands or drift was put right.
positional: _input
options:
  _input:
    description: Results of modules of this collection, as registered. Skipped ones count for nothing.
    type: list
    elements: dict
    required: true
  source:
    description: What the configuration is made of, the C(bundle.label) of P(agentihooks.fleet.profile#lookup). Empty for no bundle.
    type: str
    default: ''
"""

EXAMPLES = r"""
- name: Say what the run did
  ansible.builtin.debug:
    msg: "{{ [workstation_runtime, copilot_target_hooks] | agentihooks.fleet.run_summary }}"

- name: Say it with the bundle and its commit
  ansible.builtin.debug:
    msg: "{{ [copilot_target_settings_result] | agentihooks.fleet.run_summary(source=lookup('agentihooks.fleet.profile').bundle.label) }}"
"""

RETURN = r"""
_value:
  description: The line.
  type: str
  sample: "1 pinned, 1 hand-edited; pinned: agentihooks-hook.sh; hand-edited: settings.json model"
"""

# In the order they are told. The first word of each pair is the modules' own.
COUNTED = ("created", "updated", "pinned", "removed", "unioned", "hand_edited", "foreign", "released", "deferred")
NAMED = ("pinned", "hand_edited", "foreign", "deferred")


def places_of(results):
    """Return outcome -> the places that results of modules tell about, each a text; what is unchanged is left out."""
    places = {outcome: [] for outcome in COUNTED}
    for result in results:
        file = os.path.basename(result.get("file") or "")
        # Agents and skills are files of their own beside the one that the module of the assets names, that of the instructions.
        beside = [surface for surface in ("agents", "skills") if result.get(surface + "_directory")]
        by_hand = [list(path) for path in result.get("hand_edited") or []]
        for change in result.get("changes") or []:
            outcome = "hand_edited" if change["path"] in by_hand and not result.get("changed") else change["outcome"]
            if outcome in places:
                in_file = "" if change["path"][0] in beside else file
                places[outcome].append(" ".join(filter(None, [in_file, ".".join(change["path"])])))
    return places


def run_summary(results, source=""):
    """Return the line. results: what the modules returned; each change has a path (list of keys) and an outcome. source: the
    bundle with its commit, "" for none."""
    places = places_of(results)
    counts = ", ".join("%d %s" % (len(places[outcome]), _word(outcome)) for outcome in COUNTED if places[outcome])
    named = ["%s: %s" % (_word(outcome), ", ".join(places[outcome])) for outcome in NAMED if places[outcome]]
    return "; ".join([counts or "nothing to do"] + named + (["bundle: %s" % source] if source else []))


class FilterModule:
    """What Ansible looks for."""

    def filters(self):
        """Return the filters of this file by name."""
        return {"run_summary": run_summary}


def _word(outcome):
    return outcome.replace("_", "-")
