#!/usr/bin/python
# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a host's own command agentihooks whether the guards work."""

from __future__ import annotations

DOCUMENTATION = r"""
module: doctor
short_description: Check whether the guards of a host work
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Runs C(agentihooks doctor) of the hook runtime that is installed, for the user the module runs as, and returns what it finds.
    It puts two calls to the real wrapper of each CLI, one that must be denied and one that must pass, and looks at the
    interpreter, the registration, trust, everything that could switch hooks off, hooks of others, versions, the last smoke test,
    MCP tools, skills and instructions.
  - A host without the runtime gets a finding that says so.
  - Changes nothing. What is found never fails the task.
options:
  home:
    description: The home directory to look at, an absolute path. The default is the passwd home of the user the module runs as.
    type: str
  data_dir:
    description:
      - The data directory with the hook runtime, an absolute path.
      - The default is E(AGENTIHOOKS_HOME), else C(.agentihooks) in the home.
    type: str
attributes:
  check_mode:
    description: Does the same as ever, because it changes nothing.
    support: full
  diff_mode:
    description: Changes nothing, so there is nothing to show.
    support: N/A
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
seealso:
  - module: agentihooks.fleet.doctor_report
  - module: agentihooks.fleet.hooks_runtime
"""

EXAMPLES = r"""
- name: Check the guards
  agentihooks.fleet.doctor:
  register: doctor

- name: Show what does not work
  ansible.builtin.debug:
    msg: "{{ doctor.checks | selectattr('level', 'equalto', 'critical') | map(attribute='what') }}"
"""

RETURN = r"""
checks:
  description: A row for each check, in the order they were made.
  returned: success
  type: list
  elements: dict
  contains:
    target:
      description: V(copilot), V(codex), or empty for what they share.
      returned: always
      type: str
    check:
      description: The name of the check.
      returned: always
      type: str
    level:
      description:
        - V(ok); V(info) for what is worth knowing; V(warning) for what is not as it was wanted; V(critical) for a guard that does not
          work or may be switched off.
      returned: always
      type: str
    what:
      description: What was found and where. Holds no secret.
      returned: always
      type: str
    way_out:
      description: What to do, empty for nothing.
      returned: always
      type: str
    places:
      description: The keys or files it is about, each with its C(place) and C(outcome). Empty where C(what) says it all.
      returned: always
      type: list
      elements: dict
  sample: [{target: copilot, check: denies, level: ok, what: reading an SSH key, way_out: "", places: []}]
installed:
  description: Whether the hook runtime is there.
  returned: success
  type: bool
"""

import json
import os
import subprocess

from ansible_collections.agentihooks.fleet.plugins.module_utils import _finding, _host
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import printable
from ansible_collections.agentihooks.fleet.plugins.module_utils._module import run
from ansible_collections.agentihooks.fleet.plugins.module_utils._secret_shapes import redact

SCHEMA = 2  # of `agentihooks doctor --json`
SECONDS = 300
RUNTIME = "runtime"  # the check that fails where the others cannot be made


def rows_of(code, out, said):
    """Return the rows that the command printed. code: how it ended; out, said: bytes of stdout and stderr. Never raises."""
    try:
        found = json.loads(out.decode("utf-8"))
        if found["schema"] != SCHEMA:
            return [_finding.row("", RUNTIME, _finding.WARNING, "the runtime on the host is of another version of this collection", _finding.SITE)]
        return [_clean(row) for row in found["checks"]]
    except (ValueError, KeyError, TypeError):
        text = " ".join(said.decode("utf-8", "replace").split())[-300:]
        what = "the command agentihooks gives no answer (exit code %d%s)" % (code, ", " + text if text else "")
        return [_finding.row("", RUNTIME, _finding.CRITICAL, redact(what), _finding.SITE)]


def _clean(row):
    """Return a row without secrets. Raises KeyError, TypeError or ValueError for one in another form."""
    _finding.LEVELS.index(row["level"])
    places = [{key: redact(printable(place[key])) for key in ("place", "outcome")} for place in row["places"]]
    texts = [redact(printable(row[key])) for key in ("target", "check", "level", "what", "way_out")]
    return _finding.row(*texts, places=places)


def collect(module):
    """Run the command and exit."""
    home = _host.home_of(module)
    data_dir = _host.absolute(module, "data_dir") or _host.data_directory(home, os.environ)
    command = os.path.join(data_dir, _host.COMMAND)
    if not _host.is_executable(command):
        rows = [_finding.row("", RUNTIME, _finding.CRITICAL, "no hook runtime is installed: %s is not there" % printable(command), _finding.SITE)]
        module.exit_json(changed=False, installed=False, checks=rows)
    try:
        done = subprocess.run(  # pylint: disable=ansible-bad-function
            [command, "doctor", "--json"], env=dict(os.environ, HOME=home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd="/", timeout=SECONDS, check=False,
        )  # fmt: skip
        rows = rows_of(done.returncode, done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        rows = rows_of(-1, b"", b"it took longer than %d seconds" % SECONDS)
    except OSError as error:
        rows = rows_of(-1, b"", (error.strerror or "").encode("utf-8", "replace"))
    module.exit_json(changed=False, installed=True, checks=rows)


def main():
    """Run the module."""
    run(collect, argument_spec={"home": {"type": "str"}, "data_dir": {"type": "str"}})


if __name__ == "__main__":
    main()
