# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command "agentihooks" for the people on a host, one module per sub-command.

A sub-command is a module with HELP (one line), arguments(parser), and run(options, host), which prints and returns the exit code.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys

from agentihooks import policy as policy_file

NAMES = ("status", "explain", "denials", "doctor", "unlock", "lock", "broadcast", "channel", "refresh-rules", "transcript", "mcp")


class Host:
    """What a sub-command works on: data_directory, policy (a dict), home, environ."""

    __slots__ = ("data_directory", "policy", "home", "environ")

    def __init__(self, environ):
        self.data_directory = policy_file.data_directory()
        self.policy = policy_file.load(os.path.join(self.data_directory, "policy.json"))
        self.home = environ.get("HOME") or os.path.dirname(self.data_directory)
        self.environ = environ


class CommandError(Exception):
    """What was asked for cannot be done; the text says why and what to do."""


def parser():
    """Return (the parser of the command line, sub-command -> its module)."""
    found = argparse.ArgumentParser(prog="agentihooks", description="What the guards of the agent CLIs on this host do, and what a person may allow.")
    names = found.add_subparsers(dest="name", metavar="COMMAND")
    modules = {name: importlib.import_module("agentihooks.commands." + name.replace("-", "_")) for name in NAMES}
    for name, module in modules.items():
        module.arguments(names.add_parser(name, help=module.HELP, description=module.HELP))
    return found, modules


def main(arguments, environ):
    """Run one sub-command. Returns the exit code: 0, 1 for what could not be done, 2 for a wrong call."""
    command_line, modules = parser()
    options = command_line.parse_args(arguments)
    if not options.name:
        command_line.print_help()
        return 2
    try:
        return modules[options.name].run(options, Host(environ))
    except CommandError as error:
        print("agentihooks: %s" % error, file=sys.stderr)
        return 1
    except OSError as error:
        print("agentihooks: %s: %s" % (error.filename or "cannot be done", error.strerror or error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def sessions(data_directory):
    """Return (id, second of the last event that left a trace) of the sessions that are remembered, newest first."""
    import json

    from agentihooks import private_file, session_state

    directory, found = os.path.join(data_directory, session_state.DIRECTORY), []
    for name in os.listdir(directory) if os.path.isdir(directory) else []:
        path = os.path.join(directory, name)
        try:
            session_id = json.loads(private_file.read(path, session_state.MAX_BYTES).decode("utf-8"))["session"]
            if isinstance(session_id, str) and session_state.file_name(session_id) == name:
                found.append((session_id, os.lstat(path).st_mtime))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
    return sorted(found, key=lambda item: item[1], reverse=True)


def table(rows):
    """Return lines with the columns of rows (lists of texts) below each other."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]


def shown(text):
    """Return text that is safe for a terminal."""
    return "".join(character if character.isprintable() else "?" for character in str(text))
