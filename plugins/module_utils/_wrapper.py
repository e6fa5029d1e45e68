# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the wrapper, the one command that a CLI has registered for its events. Pure."""

from __future__ import annotations

import os
import shlex

MODE = 0o700
# A line of the template (files/hooks_runtime/agentihooks-hook.sh) that tells a wrapper of ours without any ledger.
MARK = b"# Written by agentihooks.fleet, which puts back any edit."


def render(template, runtime, target):
    """Return the wrapper's bytes. template: its text; runtime: the absolute path of runtime/current; target: "copilot" or "codex".

    Raises ValueError when the template is not one.
    """
    if "@RUNTIME@" not in template or "@TARGET@" not in template or MARK not in template.encode("utf-8"):
        raise ValueError("not a template of the wrapper")
    return os.fsencode(template.replace("@TARGET@", target).replace("@RUNTIME@", shlex.quote(runtime)))


def is_ours(data):
    """Return whether bytes are a wrapper that this collection wrote, of whatever version."""
    return MARK in data
