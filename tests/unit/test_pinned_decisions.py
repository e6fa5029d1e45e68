# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is decided about the files that guard, above all after a run that was killed between the ledger and the originals."""

from __future__ import annotations

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_managed, _hooks_file, _module, _registration, _toml, _wrapper
from ansible_collections.agentihooks.fleet.plugins.module_utils._pinned_file import Seen
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT
from ansible_collections.agentihooks.fleet.plugins.modules import codex_managed_hooks

OURS = _wrapper.render("#!/bin/sh\n# %s\nexec @RUNTIME@ @TARGET@\n" % _wrapper.MARK.decode(), "/r", "copilot")
THEIRS = b"#!/bin/sh\n# mine\n"
COMPANYS = b"# of the company\nallowed_approval_policies = ['on-request']\n"
KILLED = {"recorded": True, "untouched": False, "original": ABSENT}


def company(data):
    return codex_managed_hooks.Requirements("/etc/codex/requirements.toml").wanted(Seen(data, False, False, ABSENT))[0]


def test_a_wrapper_of_the_persons_is_noted_after_a_kill_and_left_when_we_go():
    assert _registration.Wrapper(OURS).wanted(Seen(THEIRS, **KILLED)) == (OURS, [(("agentihooks-hook.sh",), "pinned")], THEIRS)
    assert _registration.Wrapper.unwanted(Seen(THEIRS, **KILLED)) == (THEIRS, [], ABSENT)


@pytest.mark.parametrize(("data", "seen", "after"), [
    (OURS, {"recorded": True, "untouched": True, "original": THEIRS}, THEIRS),
    (OURS, {"recorded": True, "untouched": True, "original": None}, None),
    (b"edited", {"recorded": True, "untouched": False, "original": None}, None),
    (OURS, {"recorded": False, "untouched": False, "original": ABSENT}, None),
    (OURS, KILLED, None),
])  # fmt: skip
def test_our_wrapper_goes(data, seen, after):
    assert _registration.Wrapper.unwanted(Seen(data, **seen)) == (after, [(("agentihooks-hook.sh",), "removed")], ABSENT)


def test_a_hooks_file_is_noted_after_a_kill_but_not_with_entries_of_ours():
    target = _registration.Target("copilot", _hooks_file.Copilot)
    hooks_file = _registration.HooksFile(target, "/h/agentihooks.json", _hooks_file.Copilot("/w", "/h"))
    mine = b'{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}}'
    after, _changes, original = hooks_file.wanted(Seen(mine, **KILLED))
    assert after != mine and original == mine
    assert hooks_file.wanted(Seen(after, **KILLED))[2] is ABSENT


def test_the_systems_requirements_are_noted_after_a_kill_and_never_removed():
    requirements = codex_managed_hooks.Requirements("/etc/codex/requirements.toml")
    after, _changes, original = requirements.wanted(Seen(COMPANYS, **KILLED))
    assert original == COMPANYS and after != COMPANYS
    assert requirements.wanted(Seen(after, **KILLED))[2] is ABSENT
    # What stood there is unknown: only our groups go.
    left = requirements.unwanted(Seen(after, recorded=True, untouched=True, original=ABSENT))[0]
    assert left.startswith(COMPANYS) and _codex_managed.plan(_toml.parse(left).value, False) == ([], [])


def test_the_systems_requirements_come_back():
    requirements = codex_managed_hooks.Requirements("/etc/codex/requirements.toml")
    for original in (COMPANYS, None):
        after = requirements.unwanted(Seen(company(original), recorded=True, untouched=True, original=original))[0]
        assert after == original


class Ended(Exception):
    """The module ended."""


class Module:
    """Of AnsibleModule what call() asks for."""

    @staticmethod
    def fail_json(message):
        raise Ended(message)


@pytest.mark.parametrize(("error", "said"), [
    (OSError(5, "Input/output error", "/h/settings.json"), "/h/settings.json: Input/output error. Nothing more was done; mend that, then run again"),
    (OSError(5, "Input/output error"), "Input/output error. Nothing more was done; mend that, then run again"),
    (ValueError("servers: wrong"), "servers: wrong"),
])  # fmt: skip
def test_what_goes_wrong_is_one_clear_line(error, said):
    def body(module):
        raise error

    with pytest.raises(Ended) as ended:
        _module.call(Module, body)
    assert str(ended.value) == said
