# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: what all its modules share: options, the return contract, and that no secret is printed."""

from __future__ import annotations

import json
import os
import pwd

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.agentihooks.fleet.plugins.module_utils import _host, _jsonc, _ledger
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError, printable, require_private
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
    "source": {"type": "str"},
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

    told = ()
    report = None  # in a child that runs as a home's owner: the pipe to root's process

    def __init__(self, secret=(), **arguments):
        """secret: options of which nothing but the keys is ever shown, whatever their values look like."""
        self.secret = secret
        super().__init__(**arguments)

    def warn(self, warning, **kwargs):
        if self.report is None:
            super().warn(warning, **kwargs)
        else:
            self.told.append(warning)

    def exit_json(self, **kwargs):
        for name in ("changes", "hand_edited"):
            if name in kwargs:
                kwargs[name] = without_secrets(kwargs[name])
        self._hand_over("exit_json", kwargs)
        super().exit_json(**dict(kwargs, invocation=self._invocation()))

    def fail_json(self, msg, **kwargs):
        self._hand_over("fail_json", dict(kwargs, msg=msg))
        super().fail_json(msg, **dict(kwargs, invocation=self._invocation()))

    def _hand_over(self, method, result):
        """In the child: give the result to root's process, which prints it, and end."""
        if self.report is None:
            return
        data = json.dumps({"method": method, "result": result, "warnings": self.told}).encode("utf-8")
        while data:
            data = data[os.write(self.report, data):]
        os._exit(0)

    def _invocation(self):
        arguments = without_secrets(self.params)
        for name in self.secret:
            if arguments.get(name):
                arguments[name] = dict.fromkeys(arguments[name], MASK) if isinstance(arguments[name], dict) else MASK
        return {"module_args": arguments}

    def _log_invocation(self):
        self.log("Invoked")

    def paths(self, target):
        """Return (home, configuration home) of a target, as the options or else the host says."""
        home = _host.home_of(self)
        return home, _host.absolute(self, "config_home") or _host.config_home(target, home, os.environ)

    def source(self):
        """Return what this run is made of, for the ledger, None when that is not said."""
        text = self.params["source"]
        return None if text is None else _ledger.kept_source(printable(text))

    def policy(self):
        """Return the ownership Policy the options ask for."""
        paths = self.params["reclaim"]
        if not all(path and all(isinstance(key, str) for key in path) for path in paths):
            raise ValueError("reclaim: each entry is a path, a list of keys (texts), for example [statusLine, command]")
        return Policy(self.params["on_conflict"], self.params["adopt"], [tuple(path) for path in paths])

    def finish(self, result, formatter=_jsonc, warnings=(), hide=None, **more):
        """Exit with the return contract of a _document.Result. formatter, hide: to mask the diff by key."""
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
                "before": shown(result.before, formatter, hide or is_hidden),
                "after": shown(result.after, formatter, hide or is_hidden),
            }
        self.exit_json(**answer)


def run(body, **arguments):
    """Make a FleetModule, call body(module) and turn a SurfaceError or a ValueError about an option into a clean failure.

    arguments: of FleetModule.
    """
    module = FleetModule(supports_check_mode=True, **arguments)
    try:
        home = _host.home_of(module)
        foreign = os.geteuid() == 0 and os.path.isdir(home) and os.stat(home).st_uid != 0
    except ValueError:
        foreign = False  # the body will say what is wrong with the option
    if foreign:
        _in_owners_name(module, body, home)
    else:
        _call(module, body)


def _in_owners_name(module, body, home):
    """As root in somebody else's home, run body(module) as that person, in a child process, and report what it reports.

    So a file belongs to them whatever happens, and nothing that they could have put there (a link to a directory of
    root's, a program with the name of a CLI) is followed or run with root's rights. A child, because root's own temporary
    files are still to be read and removed.
    """
    owner = os.stat(home)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            try:
                groups = os.getgrouplist(pwd.getpwuid(owner.st_uid).pw_name, owner.st_gid)
            except KeyError:
                groups = [owner.st_gid]
            os.setgroups(groups)
            os.setgid(owner.st_gid)
            os.setuid(owner.st_uid)
            os.environ["HOME"] = home
            module.report, module.told = writer, []
            _call(module, body)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    if not said:
        module.fail_json("The part that runs as the owner of %s ended without a word; run again with -vvv" % home)
    answer = json.loads(said.decode("utf-8"))
    for warning in answer["warnings"]:
        module.warn(warning)
    getattr(module, answer["method"])(**answer["result"])


def _call(module, body):
    try:
        if "manager" in module.params:  # it writes
            _require_private_places(module)
        body(module)
        return
    except (SurfaceError, ValueError) as error:
        message = redact(printable(error))
    except OSError as error:
        # A disk that fails, where nobody expects it to. What was written so far the ledger knows.
        where = "%s: " % error.filename if error.filename else ""
        message = redact(printable("%s%s. Nothing more was done; mend that, then run again" % (where, error.strerror or error)))
    # Outside of the handler: there Ansible would add the traceback.
    module.fail_json(message)


def _require_private_places(module):
    """Raise SurfaceError where another account could change, or has changed, what is about to be read and written."""
    home = _host.home_of(module)
    places = [home] + list(_host.config_homes(home, os.environ).values()) + [_host.data_directory(home, os.environ)]
    places += [_host.absolute(module, name) for name in ("config_home", "data_dir") if module.params.get(name)]
    for place in places:
        require_private(place)


def is_hidden(key):
    """Return whether a value under this key is not shown: a secret by its name, or several ("tokens", "api_keys")."""
    return is_secret_name(key) or (key.endswith("s") and is_secret_name(key[:-1])) or key.lower() in ("pass", "passcode", "pin")


def shown(data, formatter=_jsonc, hide=is_hidden):
    """Return a file's bytes as text to show: values under a secret's name masked, what looks like a secret redacted."""
    if not data:
        return ""
    text = formatter.masked(formatter.parse(data), hide, MASK)
    return printable(redact(text))


def without_secrets(value):
    """Return plain data with what is, by its key or its look, a secret replaced."""
    if isinstance(value, dict):
        return {redact(key): MASK if is_hidden(key) and inner not in (None, "") else without_secrets(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_secrets(inner) for inner in _jsonc.masked_words(value, is_hidden, MASK)]
    return redact(value) if isinstance(value, str) else value
