# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's modules, run directly: loaded once, and each run is a fork that calls a module's main() as an ordinary account.

What is saved against a task of Ansible is the start of Python and the transport; arguments, result, rights and files are the real ones.
Beside it the scratch home that the proofs of the writer share: a person's own files of every surface, and what is written into them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534  # an account that owns nothing, on every Debian
# Nothing here survives a restart of the machine, and thousands of fsyncs need no disk.
SCRATCH = "/dev/shm" if os.path.isdir("/dev/shm") else None
SECRET = "canary-" + "of-the-environment-file"
MODULES = (
    "agent_translate", "codex_config", "codex_hooks", "codex_managed_hooks", "copilot_hooks", "copilot_settings", "hooks_runtime", "mcp_config",
    "trusted_folders",
)  # fmt: skip
# Writes for the whole machine: its option "directory" stands in for /etc/codex, relative to the home.
SYSTEM_WIDE = "codex_managed_hooks"
CRASHED = 98  # exit code of a run whose main() raised
TEMPORARY = (".agentihooks-", ".tmp")
BUILDING = ".build-"
SIDECARS = (".agentihooks-managed.json", ".agentihooks-managed.json.bak", ".agentihooks-originals.json", ".agentihooks-copilot-commands.json",
            ".agentihooks-copilot-commands.json.bak")  # fmt: skip


def _import_checkout():
    """Make `import ansible_collections.agentihooks.fleet` mean this checkout."""
    root = tempfile.mkdtemp(prefix="agentihooks-import-")
    namespace = os.path.join(root, "ansible_collections", "agentihooks")
    os.makedirs(namespace)
    os.symlink(CHECKOUT, os.path.join(namespace, "fleet"))
    sys.path.insert(0, root)
    return root


_link = _import_checkout()
try:
    from ansible.module_utils import basic

    # What the writer and the runtime's module would load in the middle of a run.
    for _each in ("ctypes", "datetime"):
        importlib.import_module(_each)
    _loaded = {name: importlib.import_module("ansible_collections.agentihooks.fleet.plugins.modules." + name) for name in MODULES}
    for _each in sorted((CHECKOUT / "plugins" / "module_utils").glob("_*.py")):
        importlib.import_module("ansible_collections.agentihooks.fleet.plugins.module_utils." + _each.stem)
    from ansible_collections.agentihooks.fleet.plugins.module_utils import _jsonc, _runtime_tree
    from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_input, _runtime_source
finally:
    shutil.rmtree(_link, ignore_errors=True)


def warm_up():
    """Run one module in this process, so that what Python loads late is loaded before the first fork."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile() as output:
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(output.fileno(), 1)
        try:
            basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": {"home": home, "settings": {"theme": "dark"}}}).encode()
            basic._ANSIBLE_PROFILE = "legacy"
            _loaded["copilot_settings"].main()
        except SystemExit:
            sys.stdout.flush()
        finally:
            os.dup2(kept, 1)
            os.close(kept)


class Done:
    """How a run ended. code: exit code, negative for the signal that killed it. result: what the module said, None for nothing. text: all it printed."""

    def __init__(self, code, text):
        self.code = code
        self.text = text
        self.result = None
        for line in text.splitlines():
            if line.startswith("{"):
                with contextlib.suppress(ValueError):
                    self.result = json.loads(line)

    @property
    def ok(self):
        return self.code == 0 and self.result is not None and not self.result.get("failed")


def start(module, arguments, home, output, stopped=False):
    """Start a run of a module in a person's home; return its process id. output: the descriptor of a file. stopped: it waits for SIGCONT first."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = CRASHED
    try:
        code = _be_the_module(module, arguments, home, output, stopped)
    finally:
        # Whatever happens here, the child must not go on as a second copy of the proof.
        os._exit(code)


def _be_the_module(module, arguments, home, output, stopped):
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.environ.clear()
        os.environ.update({"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SHELL": "/bin/bash", "TMPDIR": str(home)})
        os.umask(0o022)
        place = {"directory": os.path.join(home, arguments["directory"])} if module == SYSTEM_WIDE else {"home": str(home)}
        basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": dict(arguments, **place)}).encode()
        basic._ANSIBLE_PROFILE = "legacy"
        sys.stdout = _Said(output)
        if stopped:
            os.kill(os.getpid(), signal.SIGSTOP)
        _loaded[module].main()
        return 0
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        _Said(output).write(traceback.format_exc())
        return CRASHED


class _Said:
    """Standard output by writev: a disk that is full for every write() is not the pipe to Ansible's controller."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def write(self, text):
        os.writev(self.descriptor, [text.encode("utf-8", "surrogateescape")])

    def flush(self):
        """Nothing is kept back."""


def ended(child, output):
    """Wait for a run to end; return its Done."""
    status = os.waitpid(child, 0)[1]
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
    os.lseek(output, 0, os.SEEK_SET)
    return Done(code, os.read(output, 1 << 22).decode("utf-8", "replace"))


def run(module, arguments, home):
    """Run a module in a person's home; return its Done."""
    with tempfile.TemporaryFile() as output:
        return ended(start(module, arguments, home, output.fileno()), output.fileno())


def injected(module, arguments, home, options, log=os.devnull, when_stopped=None):
    """Run a module under strace with these options (of its injection, or to trace); return its Done. log: what strace wrote.

    when_stopped: is called when the injection has stopped the module, which goes on afterwards.
    """
    with tempfile.TemporaryFile() as output:
        child = start(module, arguments, home, output.fileno(), stopped=True)
        os.waitpid(child, os.WUNTRACED)
        tracer = subprocess.Popen(["strace", "-q", "-p", str(child), "-o", log] + options, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        while b"TracerPid:\t0\n" in pathlib.Path("/proc/%d/status" % child).read_bytes():
            if tracer.poll() is not None:
                os.kill(child, signal.SIGKILL)
                raise SystemExit("strace cannot attach to a process here: exit code %d" % tracer.returncode)
            time.sleep(0.0005)
        os.kill(child, signal.SIGCONT)
        if when_stopped is not None and _stops(child):
            when_stopped()
            os.kill(child, signal.SIGCONT)
        done = ended(child, output.fileno())
        tracer.wait(timeout=60)
        return done


def _stops(child):
    """Wait until a child has stopped, and return True; or has ended, and return False (its end is still there to be waited for)."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WSTOPPED | os.WNOWAIT).si_code in (os.CLD_STOPPED, os.CLD_TRAPPED)


class Surface:
    """One thing that is written. steps: state name ("first", "second", "gone") -> arguments of its module; second may be missing."""

    def __init__(self, name, module, first, second=None, gone=None):
        self.name = name
        self.module = module
        self.steps = {"first": first, "second": second, "gone": dict(gone or {}, state="absent")}
        if second is None:
            del self.steps["second"]

    def ways(self):
        """Return [(state, the next one)], from what is the person's alone to that again."""
        states = ["mine", *self.steps]
        return list(zip(states, states[1:]))


# What a person has before the first run.
MINE = {
    ".copilot/settings.json": '{\n  // mine\n  "theme": "dark",\n  "model": "gpt-5.4",\n  "mine": {"a": 1}\n}\n',
    ".copilot/mcp-config.json": '{"mcpServers": {"mine": {"type": "local", "command": "true", "args": [], "tools": ["*"]}}}\n',
    ".copilot/config.json": '// the CLI\'s own\n{"firstLaunchAt": "2026-01-01", "trusted_folders": ["/srv/mine"], "trustedFolders": ["/srv/mine"]}\n',
    ".copilot/hooks/agentihooks.json": '{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}}\n',
    ".copilot/agentihooks-hook.sh": "#!/bin/sh\n# mine\n",
    ".codex/agentihooks-hook.sh": "#!/bin/sh\n# mine\n",
    ".copilot/copilot-instructions.md": "My own words.\n",
    ".copilot/agents/mine.md": "---\nname: mine\n---\nMine.\n",
    ".agents/skills/mine/SKILL.md": "---\nname: mine\ndescription: mine\n---\nMine.\n",
    ".codex/config.toml": "# mine\nmodel = 'gpt-5.4'\n\n[projects.\"/srv\"]\ntrust_level = \"trusted\"\n",
    ".codex/hooks.json": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n',
    ".codex/AGENTS.md": "My own words.\n",
    ".codex/agents/mine.toml": 'name = "mine"\n',
    ".bashrc": "# mine\nexport MINE=1\n",
    "etc/codex/requirements.toml": "# of the company\nallowed_approval_policies = ['on-request']\n",
}  # fmt: skip


def _assets(target, body, names):
    agents = [{"name": name, "content": "---\ndescription: of %s\ntools: Read, Grep\n---\n%s\n" % (name, body)} for name in names]
    given = _asset_input.read({
        "target": target, "agents": agents, "commands": [{"name": "do-" + name, "content": body + "\n"} for name in names],
        "skills": [], "instructions": body + "\n", "scoped_grants": "drop", "body_limit": None, "without_frontmatter": "skip", "skills_mode": "copy",
        "cli_version": "",
    })  # fmt: skip
    return {"target": target, "surfaces": given.surfaces, "payload": _runtime_tree.pack(given.files), "executable": given.executable, "links": given.links,
            "unknown": given.unknown}  # fmt: skip


def _runtime(second):
    files = {
        "main.py": b"import agentihooks\n", "supervise.py": b"SECOND = %d\n" % second, "cli.py": b"print(1)\n", "agentihooks/__init__.py": b"",
        "agentihooks/event.py": b"X = %d\n" % second,
    }  # fmt: skip
    return {"files": _runtime_tree.digests(files), "payload": _runtime_tree.pack(files), "collection_version": "1.0.%d" % second,
            "python": os.path.realpath("/usr/bin/python3"), "guard_failure": "allow" if second else "deny",
            "surfaces": ["runtime"], "drop_ins": {"pre-bash-mine": "#!/bin/sh\nexit %d\n" % second}}


def surfaces():
    """Return every Surface of both CLIs."""
    server = {"command": "true", "args": ["--x"]}
    template = {"wrapper_template": _runtime_source.wrapper_template()}
    other = {"wrapper_template": _runtime_source.wrapper_template() + "# another release\n"}
    secret = {"HANDBOOK_TOKEN": SECRET, "PLAIN": "1"}
    packed = _runtime(0)
    shell = {"surfaces": ["environment"], "shell_files": ["~/.bashrc"], "files": packed["files"], "collection_version": "1"}
    return [
        Surface("copilot settings", "copilot_settings", {"settings": {"theme": "light", "banner": "never", "statusLine": {"type": "command", "command": "x"}}},
                {"settings": {"banner": "once", "mine": {"b": 2}}}),
        Surface("copilot MCP", "mcp_config", {"servers": {"one": server, "two": server}}, {"servers": {"one": dict(server, args=[]), "three": server}}),
        Surface("copilot hooks", "copilot_hooks", template, other),
        Surface("copilot trusted folders", "trusted_folders", {"folders": ["/srv/a", "/srv/b"]}, {"folders": ["/srv/b", "/srv/c"]}),
        Surface("copilot agents, skills, persona", "agent_translate", _assets("copilot", "One.", ["a", "b"]), _assets("copilot", "Two.", ["b", "c"])),
        Surface("codex settings", "codex_config", {"config": {"model_reasoning_effort": "high", "tui": {"theme": "x"}, "notify": ["a"]}},
                {"config": {"model_reasoning_effort": "low", "tui": {"status_line": ["model"]}}}),
        Surface("codex MCP", "mcp_config", {"target": "codex", "servers": {"one": server, "two": server}},
                {"target": "codex", "servers": {"one": dict(server, args=[]), "three": server}}, {"target": "codex"}),
        Surface("codex hooks and trust", "codex_hooks", dict(template, trust="record", cli_version="0.171.0"),
                dict(other, trust="ask", cli_version="0.171.0")),
        Surface("codex hooks of the system", SYSTEM_WIDE, {"directory": "etc/codex"}, gone={"directory": "etc/codex"}),
        Surface("codex agents, skills, persona", "agent_translate", _assets("codex", "One.", ["a", "b"]), _assets("codex", "Two.", ["b", "c"]),
                {"target": "codex"}),
        Surface("runtime", "hooks_runtime", _runtime(0), _runtime(1), {"surfaces": ["runtime"]}),
        Surface("environment", "hooks_runtime", dict(shell, environment=secret),
                dict(shell, environment={"HANDBOOK_TOKEN": SECRET + "2", "MORE": "2"}),
                {"surfaces": ["environment"]}),
    ]  # fmt: skip


class Scratch:
    """A directory with homes in it, removed at the end of the block."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="agentihooks-prove-", dir=SCRATCH))
        self.path.chmod(0o755)
        return self

    def __exit__(self, *exception):
        shutil.rmtree(self.path, ignore_errors=True)

    def home(self, name):
        """Return a new home with the person's own files in it."""
        home = self.path / name
        for path, text in MINE.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text, encoding="utf-8")
            if path.endswith(".sh"):
                (home / path).chmod(0o700)
        own(home)
        return home


def parsed(data):
    """Return the table of a JSON file's bytes, comments or not. Raises ValueError."""
    return _jsonc.parse(data).value


def own(home):
    """Give all of a home to the person."""
    for parent, directories, names in os.walk(home):
        for name in [""] + directories + names:
            os.chown(os.path.join(parent, name), NOBODY, NOBODY, follow_symlinks=False)


def copy(source, target):
    """Make target what source is: content, modes, owners, links."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
    own(target)


def is_temporary(name):
    """Return whether a file's name is that of one that is not yet what it is to be."""
    return (name.startswith(TEMPORARY[0]) and name.endswith(TEMPORARY[1])) or name.startswith(BUILDING)


def picture(home):
    """Return relative path -> (mode, content or link target) of all files below a home; temporaries and byte code left out."""
    found = {}
    for parent, directories, names in os.walk(home):
        directories[:] = [name for name in directories if not is_temporary(name) and name != "__pycache__"]
        for name in names + [each for each in directories if os.path.islink(os.path.join(parent, each))]:
            path = os.path.join(parent, name)
            if is_temporary(name):
                continue
            status = os.lstat(path)
            content = os.readlink(path).encode() if stat.S_ISLNK(status.st_mode) else pathlib.Path(path).read_bytes()
            found[os.path.relpath(path, home)] = (stat.S_IMODE(status.st_mode), content)
    return found


def directories(home):
    """Return relative path -> mode of all directories below a home."""
    found = [os.path.join(parent, name) for parent, inner, _names in os.walk(home) for name in inner if not is_temporary(name)]
    return {os.path.relpath(path, home): stat.S_IMODE(os.lstat(path).st_mode) for path in found}


def temporaries(home):
    """Return the paths of the temporaries below a home."""
    return [os.path.join(parent, name) for parent, directories, names in os.walk(home) for name in names + directories if is_temporary(name)]
