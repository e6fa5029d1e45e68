# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a bundle on the controller and prints one line per finding. Its documentation: modules/bundle_lint.py."""

from __future__ import annotations

import dataclasses
import os
import pathlib

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _bundle_lint, _bundle_source, _profiles
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError

BUILT_IN = pathlib.Path(__file__).resolve().parents[2] / _profiles.PROFILES


class ActionModule(ActionBase):
    """Needs no host and no module."""

    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp=None, task_vars=None):
        """Return the findings. Fails only for a bundle that cannot be had at all."""
        result = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec({
            "bundle": {"type": "str", "required": True},
            "bundle_commit": {"type": "str", "default": ""},
            "strict": {"type": "bool", "default": False},
        })  # fmt: skip
        try:
            bundle = _bundle_source.locate(options["bundle"], options["bundle_commit"], lambda path: os.path.abspath(os.path.expanduser(path)))
        except BundleError as error:
            raise AnsibleActionFail(str(error)) from None
        if bundle.path is None or not os.path.isdir(bundle.path):
            raise AnsibleActionFail("%s is no directory; bundle must name the directory that holds profiles/" % (bundle.path or "An empty text"))
        findings = _bundle_lint.lint(BUILT_IN, bundle.path)
        for finding in findings:
            Display().display(str(finding))
        errors = sum(finding.level == _bundle_lint.ERROR for finding in findings)
        warnings = len(findings) - errors
        result.update(
            changed=False,
            passed=not errors and not (options["strict"] and warnings),
            msg="%s: %s, %s" % (bundle.label, _counted(errors, "error"), _counted(warnings, "warning")),
            errors=errors,
            findings=[dataclasses.asdict(finding) for finding in findings],
        )
        return result


def _counted(number, word):
    return "%d %s%s" % (number, word, "" if number == 1 else "s")
