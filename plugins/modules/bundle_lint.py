# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_lint
short_description: Check a bundle without any host
version_added: 0.1.0
author: the agentihooks.fleet contributors (@agentihooks)
description:
  - Resolves every profile of a bundle alone, as it would be for a host, and translates its agents, commands and skills.
  - "Prints one line for each finding: file, line, error or warning, the text, and the JSON path in parentheses."
  - An error is what would stop a host or leave an agent, command or skill out. A warning is what would be left out of a file or
    is likely not meant, such as a key that is not passed on to Copilot, a tool that an agent loses, a description that had to be made
    up or cut, inline hooks, a secret, a very long persona.
  - Runs on the controller alone and changes nothing. What is found never fails the task; RV(passed) says whether it should count.
options:
  bundle:
    description:
      - The bundle, a directory or the address of a git repository, see P(agentihooks.fleet.profile#lookup).
      - A relative path counts from the directory that C(ansible-playbook) was started in.
    type: str
    required: true
  bundle_commit:
    description: The full id of the commit, where O(bundle) is a git repository.
    type: str
    default: ''
  strict:
    description: Whether warnings count like errors for RV(passed).
    type: bool
    default: false
attributes:
  check_mode:
    description: Does the same as ever, because it changes nothing.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
  platform:
    description: The controller.
    support: full
    platforms: posix
seealso:
  - plugin: agentihooks.fleet.profile
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Check the team's bundle
  agentihooks.fleet.bundle_lint:
    bundle: ./team-bundle
  register: lint

- name: Stop where there is an error
  ansible.builtin.fail:
    msg: "{{ lint.msg }}"
  when: not lint.passed
"""

RETURN = r"""
passed:
  description: Whether there was no error, and with O(strict) no warning.
  returned: success
  type: bool
errors:
  description: How many errors there are.
  returned: success
  type: int
findings:
  description: What was found, by file and line.
  returned: success
  type: list
  elements: dict
  contains:
    file:
      description: The file, from the bundle's directory.
      returned: always
      type: str
    line:
      description: The line, 1 where the whole file is meant.
      returned: always
      type: int
    level:
      description: V(error) or V(warning).
      returned: always
      type: str
    text:
      description: What was found and what to do. Holds no secret.
      returned: always
      type: str
    path:
      description: The JSON path in the file, empty for none.
      returned: always
      type: str
  sample: [{file: profiles/backend/.claude/.mcp.json, line: 7, level: error, text: must be a list of tool names, path: $.mcpServers.x.tools}]
msg:
  description: The bundle and how much was found.
  returned: success
  type: str
  sample: "team-bundle@2c26b46b68ffc68ff99b453c1d30413413422d70: 1 error, 3 warnings"
"""
