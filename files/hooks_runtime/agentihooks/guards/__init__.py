# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guards, one file each, and their one list.

A guard is a module here with RULES (rules.by_id) and check(event, context), which returns outcomes. The collection's modules read this
file too (plugins/module_utils/_guards.py is a link to it), so it imports nothing.
"""

from __future__ import annotations


class Guard:
    """One guard. name: of its module. ids: what its rules' ids begin with ("git" for "git.push").

    It is loaded only for calls that it may concern. words: commands that hold one of them; concerns: those for which this function of
    relevance.py says so; with neither, every event. is_pack: on only where the setting guard_packs names it. setting: on only while this
    setting holds, "" for always.
    """

    __slots__ = ("name", "ids", "words", "concerns", "is_pack", "setting")

    def __init__(self, name, ids, words=(), concerns="", is_pack=False, setting=""):
        self.name = name
        self.ids = ids
        self.words = words
        self.concerns = concerns
        self.is_pack = is_pack
        self.setting = setting

    def is_on(self, policy):
        """Return whether the settings (policy.load) switch it on."""
        return (not self.is_pack or self.name in policy["guard_packs"]) and (not self.setting or bool(policy[self.setting]))


# In the order in which their reasons are read.
GUARDS = (
    Guard("secrets", ("secret",)),
    Guard("credential_reads", ("credential", "environment")),
    Guard("self_protection", ("self", "repository"), concerns="self_protection"),
    Guard("git", ("git",), concerns="git"),
    Guard("instruction_size", ("instructions",), concerns="instruction_size", setting="instructions_max_lines"),
    Guard("versions", ("version",), concerns="versions"),
    Guard(
        "kubectl_mutation", ("live",), is_pack=True,
        words=("kube", "k ", "oc ", "k3s", "k8s", "helm", "argocd", "scp", "rsync", "ssh", "docker", "podman", "nerdctl", "crictl"),
    ),  # fmt: skip
    Guard("production_lockdown", ("production",), concerns="has_command", is_pack=True),
)
PACKS = tuple(guard.name for guard in GUARDS if guard.is_pack)
# The first part of every rule's id; the last two belong to what is asked after the guards.
IDS = tuple(name for guard in GUARDS for name in guard.ids) + ("drop_in", "retry_breaker")
