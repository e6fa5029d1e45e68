# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports on the controller what the doctor found. Its documentation: modules/doctor_report.py."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
import time

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _doctor_rows, _report, _report_page, _runtime_source

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "files" / "report"
LEVELS = ["info", "warning", "critical", _report.NEVER]


class ActionModule(ActionBase):
    """Needs no host and no module."""

    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp=None, task_vars=None):
        """Print the table, write the files and return the counts. Fails only where a file cannot be written."""
        result = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec({
            "hosts": {"type": "list", "elements": "str", "required": True},
            "directory": {"type": "str", "default": "agentihooks-report"},
            "fail_level": {"type": "str", "choices": LEVELS, "default": "warning"},
        })  # fmt: skip
        hosts = [(name,) + _doctor_rows.rows(_doctor_rows.reader(task_vars["hostvars"], name)) for name in options["hosts"]]
        made = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        report = _report.build(hosts, made, _runtime_source.collection_version(), options["fail_level"])
        for line in _report.terminal(report):
            Display().display(line)
        files = _written(options["directory"], report) if options["directory"].strip() else []
        for path in files:
            Display().display("report: %s" % path)
        result.update(changed=False, passed=report["passed"], counts=report["counts"], files=files, msg=_report.headline(report))
        return result


def _written(directory, report):
    """Write the report in each form and return the paths. Raises AnsibleActionFail."""
    directory = os.path.abspath(os.path.expanduser(directory))
    try:
        style, script = ((SOURCE / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
        texts = {
            "doctor.json": json.dumps(report, indent=1, ensure_ascii=False) + "\n",
            "doctor.md": _report.markdown(report),
            "doctor.html": _report_page.page(report, style, script),
        }
        os.makedirs(directory, exist_ok=True)
        return [_write(os.path.join(directory, name), text) for name, text in texts.items()]
    except OSError as error:
        raise AnsibleActionFail("The report cannot be written: %s: %s; set agentihooks_report_dir" % (error.filename, error.strerror)) from None


def _write(path, text):
    """Write a file whole or not at all, readable for the user alone, since it tells where a fleet is weak; return its path."""
    descriptor, name = tempfile.mkstemp(prefix=".doctor-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path
