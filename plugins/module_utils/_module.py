# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what all its modules share: options, the return contract, and that no secret is printed."""

from __future__ import annotations

import os

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.agentihooks.fleet.plugins.module_utils import _host, _jsonc
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError, printable
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy
from ansible_collections.agentihooks.fleet.plugins.module_utils._secret_shapes import is_secret_name, redact

MASK = "********"
DEFAULT_MANAGER = "agentihooks.fleet/default"

# doc_fragments/_home.py and doc_fragments/_ownership.py describe them.
HOME_OPTIONS = {
    "home": {"type": "str"},
    "config_home": {"type": "str"},
    "manager": {"type": "str", "default": DEFAULT_MANAGER},
    "takeover": {"type": "bool", "default": False},
}
OWNERSHIP_OPTIONS = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "on_conflict": {"type": "str", "choices": ["keep", "overwrite", "fail"], "default": "keep"},
    "adopt": {"type": "bool", "default": False},
    "reclaim": {"type": "list", "elements": "list", "default": []},
}


class FleetModule(AnsibleModule):
    """An AnsibleModule that prints no secret.

    Options hold what a person's settings hold, so the copy of them in every result ("invocation") is masked and the
    system log gets none of it. no_log is no answer: it would also mask every harmless word of the settings in all output.
    """

    def exit_json(self, **kwargs):
        super().exit_json(**dict(kwargs, invocation=self._invocation()))

    def fail_json(self, msg, **kwargs):
        super().fail_json(msg, **dict(kwargs, invocation=self._invocation()))

    def _invocation(self):
        return {"module_args": without_secrets(self.params)}

    def _log_invocation(self):
        self.log("Invoked")

    def paths(self, target):
        """Return (home, configuration home) of a target, as the options or else the host says."""
        home = _host.home_of(self)
        return home, _host.absolute(self, "config_home") or _host.config_home(target, home, os.environ)

    def policy(self):
        """Return the ownership Policy the options ask for."""
        return Policy(self.params["on_conflict"], self.params["adopt"], [tuple(path) for path in self.params["reclaim"]])

    def finish(self, result, formatter=_jsonc, warnings=(), **more):
        """Exit with the return contract of a _document.Result. formatter: to mask the diff by key."""
        for warning in list(warnings) + result.warnings:
            self.warn(printable(redact(warning)))
        answer = {
            "changed": result.changed,
            "changes": [{"path": list(path), "outcome": outcome} for path, outcome in result.changes],
            "hand_edited": [list(path) for path in result.hand_edited],
        }
        answer.update(more)
        if self._diff:
            name = printable(more.get("file", ""))
            answer["diff"] = {
                "before_header": name,
                "after_header": name,
                "before": shown(result.before, formatter),
                "after": shown(result.after, formatter),
            }
        self.exit_json(**answer)


def run(body, **arguments):
    """Make a FleetModule, call body(module) and turn a SurfaceError or a ValueError about an option into a clean failure."""
    module = FleetModule(supports_check_mode=True, **arguments)
    try:
        body(module)
        return
    except (SurfaceError, ValueError) as error:
        message = redact(printable(error))
    # Outside of the handler: there Ansible would add the traceback.
    module.fail_json(message)


def shown(data, formatter=_jsonc):
    """Return a file's bytes as text to show: values under a secret's name masked, what looks like a secret redacted."""
    if not data:
        return ""
    text = formatter.masked(formatter.parse(data), is_secret_name, MASK)
    return printable(redact(text))


def without_secrets(value):
    """Return plain data with what is, by its key or its look, a secret replaced."""
    if isinstance(value, dict):
        return {key: MASK if is_secret_name(key) and inner not in (None, "") else without_secrets(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_secrets(inner) for inner in value]
    return redact(value) if isinstance(value, str) else value
