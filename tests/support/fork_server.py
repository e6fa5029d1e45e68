# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hook runtime for thousands of events: its modules are loaded once, and each event is answered by a fork that calls supervisor.main.

What is saved against the wrapper is the start of sh and Python; stdin, stdout, stderr, exit code, the judging child and the files
are the real ones. Client: Runtime. Server: python -I -S fork_server.py DIRECTORY_OF_THE_RUNTIME.
"""

from __future__ import annotations

import importlib
import json
import os
import struct
import subprocess
import sys
import tempfile

CRASHED = 99  # exit code of an event whose main() raised; main.py would hand over to the wrapper


class Runtime:
    """A running server. runtime: an Installed of tests/unit/conftest.py."""

    def __init__(self, runtime):
        python = str(runtime.version / "python")
        self.process = subprocess.Popen(
            [python, "-I", "-S", os.path.abspath(__file__), str(runtime.version)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, argument, data, environ):
        """Answer one event. data: bytes of stdin. Returns (exit code, stdout, stderr), the latter as bytes."""
        head = json.dumps([argument, environ]).encode()
        self.process.stdin.write(struct.pack("!II", len(head), len(data)) + head + data)
        self.process.stdin.flush()
        code, out, err = struct.unpack("!III", self.process.stdout.read(12))
        return code, self.process.stdout.read(out), self.process.stdout.read(err)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)


def load(directory):
    """Import every module of the runtime, and return its supervisor."""
    sys.path.insert(0, directory)
    for package in ("agentihooks", "agentihooks.guards"):
        for name in sorted(os.listdir(os.path.join(directory, *package.split(".")))):
            if name.endswith(".py") and name != "__init__.py":
                importlib.import_module("%s.%s" % (package, name[:-3]))
    return importlib.import_module("agentihooks.supervisor")


def serve(supervisor):
    """Answer until the client closes its end."""
    source, sink = os.dup(0), os.dup(1)
    reader = os.fdopen(source, "rb")
    files = [tempfile.TemporaryFile() for _stream in range(3)]
    while True:
        sizes = reader.read(8)
        if len(sizes) < 8:
            return
        head, length = struct.unpack("!II", sizes)
        argument, environ = json.loads(reader.read(head))
        for file in files:
            file.seek(0)
            file.truncate()
        files[0].write(reader.read(length))
        files[0].flush()
        files[0].seek(0)
        child = os.fork()
        if child == 0:
            _answer(supervisor, argument, environ, files)
        status = os.waitpid(child, 0)[1]
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        texts = []
        for file in files[1:]:
            file.seek(0)
            texts.append(file.read())
        answer = struct.pack("!III", code, len(texts[0]), len(texts[1])) + texts[0] + texts[1]
        while answer:
            answer = answer[os.write(sink, answer):]


def _answer(supervisor, argument, environ, files):
    """Be the hook's process. Does not return."""
    code = CRASHED
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        os.environ.clear()
        os.environ.update(environ)
        code = supervisor.main(argument, os.environ)
    except BaseException:
        import traceback

        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve(load(sys.argv[1]))
