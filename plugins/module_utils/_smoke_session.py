# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: drives an installed CLI in a scratch home against the scripted model, and leaves nothing behind.

The scratch home holds copies of what is deployed: the wrapper, the version of the runtime, its settings (with one more line of
session context). So the person's data directory is read and never written, and what the CLI and the runtime write goes with the
scratch home.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import uuid

from ansible_collections.agentihooks.fleet.plugins.module_utils import (
    _clis,
    _codex_managed,
    _codex_trust,
    _files,
    _hooks_file,
    _host,
    _jsonc,
    _smoke,
    _toml,
)
from ansible_collections.agentihooks.fleet.plugins.module_utils._scripted_model import ScriptedModel
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, edited

PREFIX = "agentihooks-smoke-"
# The model's name selects the tools that the CLI offers; these have the shell tools of _smoke.SHELL_TOOLS.
MODELS = {"copilot": "gpt-5.4", "codex": "gpt-5.5"}
FORMS = {"copilot": _hooks_file.Copilot, "codex": _hooks_file.Codex}
HOOKS_FILES = {"copilot": _host.HOOKS_FILE, "codex": "hooks.json"}
# The settings that the runtime would take where its file does not say them (files/hooks_runtime/agentihooks/policy.py), as far as they
# decide what is asked.
DEFAULTS = {
    "session_context": "", "prompt_secrets": "block", "protected_branches": ["main", "master", "v1"], "git_gates": ["force_push"], "guard_packs": [],
    "production": {"tags": ["latest", "prod", "stable"], "registries": ["ghcr.io", "docker.io"]},
}  # fmt: skip
REPAIR = "run the playbook agentihooks.fleet.site for this host"
_STAND_IN = "#!/bin/sh\n: >%s\n"
# Nothing but loopback is reached, whatever the CLI tries: a proxy that refuses every connection.
_NO_PROXY_THERE = "http://127.0.0.1:9"


class Broken(Exception):
    """What is deployed cannot be put to the test; the text says why."""


class Subject:
    """What is put to the test on one host.

    home: the person's. data_dir: theirs. version: directory of the runtime's version. places: where programs lie, for PATH.
    seconds: that one session of a CLI may take. environ: of this process.
    """

    def __init__(self, home, data_dir, version, seconds, environ):
        self.home = home
        self.data_dir = data_dir
        self.version = version
        self.seconds = seconds
        self.environ = environ
        search_path = [place for place in environ.get("PATH", "").split(os.pathsep) if os.path.isabs(place)]
        self.places = _clis.directories(home, search_path)


def examine(subject, target, level):
    """Return what was found about a target's CLI: {"path", "version", "passed", "checks", "newer"}; passed is None when there is none."""
    path, version = _clis.installed(target, subject.places, subject.home, subject.environ)
    found = {"path": path, "version": version, "passed": None, "checks": [], "newer": _smoke.is_newer(target, version)}
    if path is None:
        return found
    try:
        with scratch() as top:
            found["checks"] = _checks(subject, target, path, version, level, _smoke.Places(top))
    except (Broken, OSError, shutil.Error) as error:
        found["checks"] = [_smoke.check("canary", False, "%s" % error)]
    found["passed"] = all(item["passed"] for item in found["checks"])
    return found


@contextlib.contextmanager
def scratch():
    """Give a fresh directory of mode 0700; all that runs in it is killed at the end and it is removed, whatever happens."""
    top = tempfile.mkdtemp(prefix=PREFIX, dir=_directory_for_programs())
    try:
        yield os.path.realpath(top)
    finally:
        for _attempt in range(20):
            kill_all(os.path.realpath(top))
            shutil.rmtree(top, ignore_errors=True)
            if not os.path.lexists(top):
                break
            time.sleep(0.1)


def kill_all(top, proc="/proc"):
    """Kill every process of ours whose HOME is below top: what a CLI started and put into a session of its own."""
    mark = b"HOME=" + os.fsencode(top) + b"/"
    try:
        names = [name for name in os.listdir(proc) if name.isdigit()]
    except OSError:
        return
    for name in names:
        try:
            with open(os.path.join(proc, name, "environ"), "rb") as stream:
                ours = any(word.startswith(mark) for word in stream.read().split(b"\0"))
            if ours:
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            continue  # not ours, or over


def _directory_for_programs():
    """Return a directory where files can be run: the usual one for temporary files, else the home."""
    usual = tempfile.gettempdir()
    return os.path.expanduser("~") if os.statvfs(usual).f_flag & getattr(os, "ST_NOEXEC", 8) else usual


def _checks(subject, target, path, version, level, places):
    word, secret = ("canary-" + uuid.uuid4().hex for _number in range(2))
    for directory in (places.home, places.work, places.data, places.programs, places.marks, places.temporary, os.path.dirname(places.key_file)):
        os.mkdir(directory, 0o700)
    for program in _smoke.PROGRAMS:
        _write(os.path.join(places.programs, program), (_STAND_IN % shlex.quote(os.path.join(places.marks, program))).encode("utf-8"), 0o700)
    _write(places.key_file, ("%s\n" % secret).encode("utf-8"), 0o600)
    policy = _install_runtime(subject, places, word)
    managed = _install_hooks(subject, target, places, version)
    asked = _smoke.questions(places, policy, level)
    steps = [_smoke.step(target, question) for question in asked]
    bodies, ended = _session(subject, target, path, places, steps, "go")
    checks = [_canary(places, bodies, word, ended, managed)]
    if level == "full":
        there = _smoke.holds(bodies[:1], word)
        what = "the session context reached the model" if there else "the session context did not reach the model"
        checks.append(_smoke.check("context", there, what))
    checks += _smoke.judged(asked, bodies, os.path.lexists, secret, ended)
    if _smoke.asks_prompt(policy, level):
        # Whatever the first session did to it, this one has the settings that are deployed.
        _install_policy(subject, places, word)
        bodies, ended = _session(subject, target, path, places, [{"text": "done"}], "Log in with %s" % _smoke.PLANTED_KEY)
        denied = _logged(places, "UserPromptSubmit")
        what = "a prompt with a key made no request" if denied else "the prompt's hook left no denial: %s" % ended
        if bodies:
            what = "A PROMPT WITH A KEY REACHED THE MODEL"
        checks.append(_smoke.check("prompt", denied and not bodies, what))
    return checks


def _canary(places, bodies, word, ended, managed):
    """Return the check that the CLI runs the hook at all: only the runtime can have left something in the scratch data directory."""
    left = sorted(set(os.listdir(places.data)) - {"runtime", "policy.json"})
    if left or _smoke.holds(bodies, word):
        return _smoke.check("canary", True, "the CLI ran the hook" + (", which the system registers" if managed else ""))
    return _smoke.check("canary", False, "the CLI did not run the hook: %s" % (ended if not bodies else "its runtime left no trace"))


def _logged(places, event):
    """Return whether the runtime's log in the scratch home has a denial of that event."""
    try:
        with open(os.path.join(places.data, "logs", "hooks.log"), encoding="utf-8") as stream:
            return any(event in line and '"deny"' in line for line in stream)
    except OSError:
        return False


def _install_runtime(subject, places, word):
    """Copy the version of the runtime with its settings, and return those."""
    name = os.path.basename(subject.version)
    if not os.path.isdir(subject.version):
        raise Broken("there is no runtime at %s; %s" % (subject.version, REPAIR))
    shutil.copytree(subject.version, os.path.join(places.data, "runtime", name), symlinks=True)
    os.chmod(os.path.join(places.data, "runtime"), 0o700)
    os.symlink(name, os.path.join(places.data, "runtime", "current"))
    return _install_policy(subject, places, word)


def _install_policy(subject, places, word):
    """Copy the runtime's settings with a word that only the runtime can hand to the model; return them, defaults filled in.

    The mode is that of the original: settings that the runtime does not obey there are not obeyed here.
    """
    source = os.path.join(subject.data_dir, "policy.json")
    try:
        with open(source, "rb") as stream:
            found = json.loads(stream.read().decode("utf-8"))
        mode = stat.S_IMODE(os.stat(source).st_mode)
    except (OSError, ValueError) as error:
        raise Broken("%s cannot be read (%s); %s" % (source, error, REPAIR)) from None
    if not isinstance(found, dict):
        raise Broken("%s holds no JSON object; %s" % (source, REPAIR))
    settings = dict(DEFAULTS, **found)
    settings["session_context"] = "%s\n%s" % (settings["session_context"], word)
    _write(os.path.join(places.data, "policy.json"), json.dumps(settings, indent=2).encode("utf-8"), mode)
    return settings


def _install_hooks(subject, target, places, version):
    """Copy the wrapper, and register it as it is registered in the person's home; return whether the system's registration is relied on."""
    deployed_home = _host.config_home(target, subject.home, subject.environ)
    source = os.path.join(deployed_home, _host.WRAPPER)
    try:
        with open(source, "rb") as stream:
            text = stream.read()
        mode = stat.S_IMODE(os.stat(source).st_mode)
    except OSError as error:
        raise Broken("the wrapper %s cannot be read (%s); %s" % (source, error.strerror, REPAIR)) from None
    runtimes = [os.path.join(data, "runtime", "current") for data in (subject.data_dir, places.data)]
    config_home = os.path.join(places.home, _host.CONFIG_HOMES[target][1])
    os.mkdir(config_home, 0o700)
    wrapper = os.path.join(config_home, _host.WRAPPER)
    _write(wrapper, text.replace(*(os.fsencode(shlex.quote(path)) for path in runtimes)), mode)

    deployed = FORMS[target](source, subject.home)
    there = _value(os.path.join(deployed_home, HOOKS_FILES[target]))
    events = _registered(deployed, there)
    if not events:
        managed = target == "codex" and _codex_trust.MANAGED in _codex_managed.statuses(_codex_managed.read(), deployed.EVENTS).values()
        if not managed:
            raise Broken("no hook of ours is registered in %s; %s" % (os.path.join(deployed_home, HOOKS_FILES[target]), REPAIR))
        return True
    form = FORMS[target](wrapper, places.home)
    hooks = edited({}, _hooks_file.plan(form, ABSENT, events)[0])
    hooks_file = os.path.join(config_home, HOOKS_FILES[target])
    if not os.path.isdir(os.path.dirname(hooks_file)):
        os.mkdir(os.path.dirname(hooks_file), 0o700)
    _write(hooks_file, _jsonc.dump(hooks), 0o600)
    if target == "codex":
        # Trusted as codex_hooks records it; whether the person's own are is the doctor's to say.
        found = _codex_trust.definitions(form, hooks, hooks_file, version or "")
        _write(os.path.join(config_home, "config.toml"), _toml.dump(_codex_trust.wanted(found)), 0o600)
    return False


def _registered(form, hooks):
    """Return the events for which a hooks file calls our wrapper."""
    by_event = hooks.get("hooks") if isinstance(hooks, dict) else None
    return tuple(event for event in form.EVENTS if isinstance(by_event, dict) and form.mentions(by_event.get(event)))


def _value(path):
    try:
        return _jsonc.parse(_files.read(path, foreign_owner_ok=True).data).value
    except (_files.SurfaceError, _jsonc.FormatError, AttributeError, TypeError):
        return None


def _session(subject, target, path, places, steps, prompt):
    """Run the CLI once; return (bodies of the requests that the model was sent, how it ended as a text)."""
    with ScriptedModel(steps) as model:
        command, environment = _command(target, path, prompt, model.base_url), _environment(subject, target, path, places, model.base_url)
        process = subprocess.Popen(  # pylint: disable=ansible-bad-function
            command, env=environment, cwd=places.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )
        try:
            said = process.communicate(timeout=subject.seconds)[0]
            ended = "the CLI ended with exit code %d" % process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            kill_all(places.top)  # whatever left the group may still hold the pipe
            said = process.communicate()[0]
            ended = "the CLI still ran after %d seconds and was stopped" % subject.seconds
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            kill_all(places.top)
            process.wait()
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    if lines:
        ended += " (%s)" % _smoke.redact(lines[-1].replace(_smoke.PLANTED_KEY, "[planted]"))[:200]
    return [request["body"] for request in model.requests], ended


def _command(target, path, prompt, base_url):
    if target == "copilot":
        return [path, "-p", prompt, "--allow-all-tools", "--allow-all-paths", "--no-color"]
    provider = '{name="scripted",base_url="%s",wire_api="responses",request_max_retries=0,stream_max_retries=0}' % base_url
    return [
        path, "exec", "--color", "never", "-m", MODELS["codex"], "--skip-git-repo-check", "-c", 'model_provider="scripted"', "-c",
        "model_providers.scripted=%s" % provider, "-c", "check_for_update_on_startup=false", "--dangerously-bypass-approvals-and-sandbox", prompt,
    ]  # fmt: skip


def _environment(subject, target, path, places, base_url):
    """Return the environment of the CLI; nothing is inherited: no login, no setting of the person's."""
    environment = {
        "PATH": os.pathsep.join([os.path.dirname(path)] + subject.places), "HOME": places.home, "LANG": "C.UTF-8", "TMPDIR": places.temporary,
        "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
    }
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        environment[name] = environment[name.lower()] = _NO_PROXY_THERE
    if target == "copilot":
        environment.update(
            COPILOT_OFFLINE="true", COPILOT_AUTO_UPDATE="false", COPILOT_MODEL=MODELS["copilot"], COPILOT_PROVIDER_BASE_URL=base_url,
            COPILOT_PROVIDER_API_KEY="scripted-model-needs-no-key", COPILOT_PKG_CACHE_HOME=_package_cache(subject, places),
        )
    return environment


def _package_cache(subject, places):
    """Return a cache for Copilot's own package: the version that would run, linked, so that it is neither unpacked again nor touched."""
    cache = os.path.join(places.top, "cache")
    packages = _clis.packages(subject.home, subject.environ)
    if packages and not os.path.isdir(cache):
        newest = packages[-1]
        platform = os.path.join(cache, "pkg", os.path.basename(os.path.dirname(newest)))
        os.makedirs(platform, 0o700)
        os.symlink(newest, os.path.join(platform, os.path.basename(newest)))
    return cache


def _write(path, data, mode):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
    os.chmod(path, mode)
