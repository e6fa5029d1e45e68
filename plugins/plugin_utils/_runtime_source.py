# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the hook runtime as it lies in the collection on the controller."""

from __future__ import annotations

import json
import pathlib

import yaml
from ansible.errors import AnsibleActionFail
from ansible_collections.agentihooks.fleet.plugins.module_utils import _runtime_tree

COLLECTION = pathlib.Path(__file__).resolve().parents[2]
SOURCE = COLLECTION / "files" / "hooks_runtime"
WRAPPER = "agentihooks-hook.sh"


def runtime():
    """Return {relative path: bytes} of the runtime's files; the wrapper is not among them, it goes to each target."""
    files = _files()
    files.pop(WRAPPER)
    return files


def wrapper_template():
    """Return the text of the wrapper, with @RUNTIME@ and @TARGET@ in it."""
    return _files()[WRAPPER].decode("utf-8")


def collection_version():
    """Return the version of this collection: MANIFEST.json of an installed one, galaxy.yml of a checkout."""
    try:
        manifest = COLLECTION / "MANIFEST.json"
        if manifest.exists():
            return json.loads(manifest.read_text(encoding="utf-8"))["collection_info"]["version"]
        return yaml.safe_load((COLLECTION / "galaxy.yml").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise AnsibleActionFail("%s: tells no version of the collection (%s); install it again" % (COLLECTION, error)) from error


def _files():
    try:
        files = _runtime_tree.load(str(SOURCE))
    except OSError as error:
        raise AnsibleActionFail("%s: cannot be read: %s; install the collection again" % (error.filename, error.strerror)) from error
    if WRAPPER not in files or "main.py" not in files:
        raise AnsibleActionFail("%s: is not a whole hook runtime; install the collection again" % SOURCE)
    return files
