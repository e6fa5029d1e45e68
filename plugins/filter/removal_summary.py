# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One line about what left a host and what stayed there."""

from __future__ import annotations

import os

from ansible_collections.agentihooks.fleet.plugins.filter.run_summary import places_of

DOCUMENTATION = r"""
name: removal_summary
short_description: Say in one line what was removed from a host and what was kept
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Names what the modules of this collection removed with C(state=absent), what they left to the person, and why.
positional: _input
options:
  _input:
    description: Results of modules of this collection, as registered. Skipped ones count for nothing.
    type: list
    elements: dict
    required: true
  still_called_by:
    description: The agent CLIs that still call the runtime, which is why it was kept.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Take out the settings
  agentihooks.fleet.copilot_settings:
    state: absent
  register: left

- name: Say what went and what stayed
  ansible.builtin.debug:
    msg: "{{ [left] | agentihooks.fleet.removal_summary }}"
"""

RETURN = r"""
_value:
  description: The line.
  type: str
  sample: "removed: settings.json (3); kept, because it was there before or was changed since: settings.json model"
"""

REMOVED = ("removed", "unioned", "updated", "pinned")
KEPT = ("released", "hand_edited", "foreign")
# In the warning that every module gives about it.
LOST = "is lost or damaged"


def removal_summary(results, still_called_by=()):
    """Return the line. results: what the modules returned. still_called_by: names of CLIs for which the runtime was kept."""
    places = places_of(results)
    removed = _removed(results)
    kept = [place for outcome in KEPT for place in places.get(outcome, [])]
    deferred = places.get("deferred", [])
    parts = ["removed: %s" % ", ".join(removed) if removed else "nothing of ours was there to remove"]
    if kept:
        parts.append("kept, because it was there before or was changed since: %s" % ", ".join(kept))
    if deferred:
        parts.append("not yet, because the CLI is running (run again when it has ended): %s" % ", ".join(deferred))
    lost = dict.fromkeys(text.split(" " + LOST)[0] for result in results for text in result.get("warnings") or [] if LOST in text)
    if lost:
        parts.append(
            "kept, because the record of what was ours is lost (run site once with agentihooks_adopt: true, then uninstall again): what %s told about"
            % ", ".join(lost)
        )
    if still_called_by:
        parts.append("kept, because %s still calls it: the runtime" % " and ".join(still_called_by))
    return "; ".join(parts)


def _removed(results):
    """Return the files that lost something of ours, each with how many places in it when there were several."""
    counts = {}
    for result in results:
        named = os.path.basename(result.get("file") or "")
        for change in result.get("changes") or []:
            if change["outcome"] in REMOVED:
                path = change["path"]
                # Agents and skills are files beside the one that their module names.
                beside = result.get("%s_directory" % path[0]) and len(path) > 1
                file = "/".join(path[:2]) if beside else named or os.path.basename(path[0])
                counts[file] = counts.get(file, 0) + 1
    return ["%s (%d)" % (file, count) if count > 1 else file for file, count in counts.items()]


class FilterModule:
    """What Ansible looks for."""

    def filters(self):
        """Return the filters of this file by name."""
        return {"removal_summary": removal_summary}
