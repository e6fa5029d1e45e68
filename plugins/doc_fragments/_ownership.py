# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: options of every module that follows the ownership rule."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  state:
    description:
      - V(present) writes what is asked for.
      - V(absent) removes what this collection wrote and nobody changed since, and puts back what stood there before. What
        the person wrote or changed stays.
    type: str
    choices: [present, absent]
    default: present
  on_conflict:
    description:
      - What to do about a value that was there before and differs.
      - V(keep) leaves it, V(overwrite) takes it over and keeps the old one to be put back with O(state=absent), V(fail) stops.
      - A value this collection wrote and the person changed is never overwritten; see O(reclaim).
    type: str
    choices: [keep, overwrite, fail]
    default: keep
  adopt:
    description: Whether values that were there before and are as wanted become ours, so that O(state=absent) removes them.
    type: bool
    default: false
  reclaim:
    description: Paths to take back from a change by hand, each a list of keys. Keys may hold dots, so a path is no string.
    type: list
    elements: list
    default: []
attributes:
  check_mode:
    description: Can run in check mode and return what the run would do, without writing anything.
    support: full
  diff_mode:
    description: Returns what changed in the file, with secrets masked on both sides.
    support: full
  platform:
    description: Linux, WSL included. macOS is unproven.
    support: full
    platforms: posix
notes:
  - What was written is remembered in C(.agentihooks-managed.json) in the configuration home, as hashes. Originals that come
    back with O(state=absent) are kept beside it in C(.agentihooks-originals.json), readable by the person alone.
  - A file is replaced as a whole and only if nobody changed it meanwhile. Comments, order, indentation, line ends, mode, owner
    and a symbolic link stay as they are.
  - A file that cannot be parsed is never written.
"""
