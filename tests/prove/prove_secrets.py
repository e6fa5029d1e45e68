# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prove that no secret gets out: 50 are planted wherever one can stand, and all that the runs produce is searched for them.

Each secret has the files that may hold it; everywhere else (output of -vvv --diff, temporary files, reports, ledgers, logs, the
system log, arguments and environments of processes) it counts as a leak, also when it is base64, hexadecimal, URL-quoted or JSON
text. Another account looks for them in every file that it can read while the runs last.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import json
import multiprocessing
import os
import socket
import sys
import threading
import time
import urllib.parse
from pathlib import Path

from account import CHECKOUT, accounts, controller, lay_clis
from account import collections as collections_path
from figures import Figures

sys.path.insert(0, str(CHECKOUT / "files" / "hooks_runtime"))

from agentihooks import secret_shapes  # noqa: E402

OPTED_IN = {"_agentihooks": {"allowSecrets": True}}
SYSLOG = "/dev/log"
LARGEST = 64 << 20  # bytes of one file that is searched
ANYWHERE = ("copilot", "codex")


class Secrets:
    """The planted secrets. values: name to text. homes: name to the files (relative to the home) that may hold it."""

    def __init__(self):
        self.values, self.homes = {}, {}

    def _kept(self, name, value, files):
        assert name not in self.values
        self.values[name], self.homes[name] = value, tuple(files)
        return value

    def token(self, name, *files):
        """Return a secret that its form gives away."""
        return self._kept(name, _TOKEN % _random_part(len(self.values)), files)

    def word(self, name, *files, form="pw-%s"):
        """Return a secret that only its place gives away."""
        return self._kept(name, form % _random_part(len(self.values)), files)

    def needles(self):
        """Return {bytes to look for: name}."""
        return {form: name for name, value in self.values.items() for form in _forms(value)}


_TOKEN = "gh" + "p_%s"
MOST = 150  # secrets that one proof may plant


def _random_part(number):
    return secret_shapes.example("~a36~", number)


def _forms(value):
    """Return the forms (bytes) in which a text may stand somewhere."""
    data = value.encode("utf-8")
    forms = {data, data.hex().encode(), urllib.parse.quote(value, safe="").encode(), json.dumps(value)[1:-1].encode()}
    # The middle of its base64 form, which is the same whatever stands before and after it.
    return forms | {base64.b64encode(b"\0" * shift + data)[4:-4] for shift in range(3)}


def expected():
    """Return {bytes to look for: number} of all secrets to come, for those who look on from the start: they are made in this order."""
    return {form: "secret %d" % number for number in range(MOST) for form in _forms(_random_part(number))}


def leaks_in(data, needles):
    """Return the names of the secrets in a text (bytes)."""
    return {name for needle, name in needles.items() if needle in data}


def files_below(*tops):
    """Yield (path, bytes) of every regular file below directories that can be read."""
    for top in tops:
        for directory, _names, names in os.walk(str(top)):
            for name in names:
                path = os.path.join(directory, name)
                with contextlib.suppress(OSError):
                    if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
                        continue
                    with open(path, "rb") as stream:
                        yield path, stream.read()


class Watch:
    """Looks on while runs last: as another account into files, as root at processes and at the system log."""

    def __init__(self, needles, observer, tops, uid):
        self.needles, self.uid, self.found, self.rounds = needles, uid, set(), collections.Counter()
        self._over = threading.Event()
        self._queue = multiprocessing.Queue()
        self._stop = multiprocessing.Event()
        told = (needles, observer.uid, observer.gid, [str(top) for top in tops], self._stop, self._queue)
        self._observer = multiprocessing.Process(target=_observe, args=told)
        self._threads = [threading.Thread(target=self._processes), threading.Thread(target=self._syslog)]

    def __enter__(self):
        self._observer.start()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *failure):
        self._over.set()
        self._stop.set()
        rounds, found = self._queue.get(timeout=60)
        self.rounds["files"] = rounds
        self.found |= found
        self._observer.join()
        for thread in self._threads:
            thread.join()

    def _processes(self):
        while not self._over.is_set():
            self.rounds["processes"] += 1
            for name in os.listdir("/proc"):
                if not name.isdigit():
                    continue
                with contextlib.suppress(OSError):
                    if os.stat("/proc/" + name).st_uid != self.uid:
                        continue
                    for part in ("cmdline", "environ"):
                        data = Path("/proc", name, part).read_bytes()
                        self.found |= {(secret, "%s of a process" % part) for secret in leaks_in(data, self.needles)}
            time.sleep(0.005)

    def _syslog(self):
        if os.path.lexists(SYSLOG):
            print("%s is there already: what reaches the system log is not looked at" % SYSLOG)
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.bind(SYSLOG)
            try:
                os.chmod(SYSLOG, 0o666)
                log.settimeout(0.2)
                while not self._over.is_set():
                    with contextlib.suppress(socket.timeout):
                        data = log.recv(1 << 20)
                        self.rounds["syslog"] += 1
                        self.found |= {(secret, "the system log") for secret in leaks_in(data, self.needles)}
            finally:
                os.unlink(SYSLOG)


def _observe(needles, uid, gid, tops, stop, queue):
    """As another account, read every file that it can, over and over."""
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    rounds, found = 0, set()
    while not stop.is_set():
        rounds += 1
        for path, data in files_below(*tops):
            found |= {(secret, "another account reads %s" % path) for secret in leaks_in(data, needles)}
    queue.put((rounds, found))


PERSONS_CODEX_CONFIG = """\
model = "%s"
api_key = "%s"
[mcp_servers.mine]
command = "m"
[mcp_servers.mine.env]
T = "%s"
[mcp_servers.web]
url = "https://x:%s@h.example/"
http_headers = { "Authorization" = "Bearer %s" }
[shell_environment_policy]
set = { PGPASSWORD = "%s" }
"""


def plant(user, secrets, runs):
    """Lay files with secrets into the home; return the variables of the site run, as the inventory has them."""
    copilot, codex, env = ".copilot/mcp-config.json", ".codex/config.toml", ".agentihooks/copilot.env"
    settings = ".copilot/settings.json"
    originals = tuple(home + "/.agentihooks-originals.json" for home in (".copilot", ".codex", ".agentihooks"))
    both = (copilot, codex)
    # The person's own files.
    user.write(settings, json.dumps({
        "apiKey": secrets.word("settings: a key's name", settings, *originals), "note": secrets.token("settings: a token in a text", settings, *originals),
        "model": secrets.token("settings: a conflict", settings, *originals),
        "footer": {"tokens": [secrets.word("settings: a list of tokens", settings, *originals)]},
        "customHeaders": {"Authorization": "Bearer " + secrets.word("settings: a header", settings, *originals)},
    }, indent=1), mode=0o600)  # fmt: skip
    user.write(copilot, json.dumps({"mcpServers": {
        "mine": {"type": "local", "command": "m", "args": ["--token", secrets.word("mcp: the person's argument", copilot, *originals)], "tools": ["*"],
                 "env": {"MY_TOKEN": secrets.word("mcp: the person's env", copilot, *originals)}},
        "web": {"type": "http", "url": "https://ada:%s@mcp.example.com/" % secrets.word("mcp: the person's url", copilot, *originals),
                "headers": {"X-Api-Key": secrets.word("mcp: the person's header", copilot, *originals)}, "tools": ["*"]},
        "ours": {"type": "local", "command": "theirs", "args": [], "tools": ["*"],
                 "env": {"TOKEN": secrets.token("mcp: a server in conflict", copilot, *originals)}},
    }}), mode=0o600)  # fmt: skip
    user.write(codex, PERSONS_CODEX_CONFIG % (
        secrets.token("config.toml: a conflict", codex, *originals), secrets.word("config.toml: a key's name", codex, *originals),
        secrets.word("config.toml: env", codex, *originals), secrets.word("config.toml: url", codex, *originals),
        secrets.word("config.toml: header", codex, *originals), secrets.word("config.toml: shell environment", codex, *originals)), mode=0o600)  # fmt: skip
    user.write(env, "# OLD=%s\nMINE='%s'\nHANDBOOK_TOKEN='%s'\n" % (
        secrets.word("copilot.env: a comment", env, *originals), secrets.word("copilot.env: the person's", env, *originals),
        secrets.word("copilot.env: a conflict", env, *originals)), mode=0o600)  # fmt: skip
    user.write(".bashrc", "export PGPASSWORD=%s\n" % secrets.word("bashrc", ".bashrc", *originals), mode=0o600)
    user.write(".copilot/copilot-instructions.md", "Use %s.\n" % secrets.token("instructions", ".copilot/copilot-instructions.md", *originals), mode=0o600)
    user.write(".codex/AGENTS.md", "Use %s.\n" % secrets.token("AGENTS.md", ".codex/AGENTS.md", *originals), mode=0o600)
    user.write(".copilot/agents/mine.md", "---\ndescription: x\n---\n%s\n" % secrets.token("an agent", ".copilot/agents/mine.md", *originals), mode=0o600)
    hook = "curl -H 'Authorization: Bearer %s' x" % secrets.token("a hook of the person", ".copilot/hooks/mine.json", *originals)
    user.write(".copilot/hooks/mine.json", json.dumps({"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": hook}]}}), mode=0o600)
    hook = "x --password %s" % secrets.token("a Codex hook of the person", ".codex/hooks.json", *originals)
    user.write(".codex/hooks.json", json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": hook}]}]}}), mode=0o600)
    login = {"copilot_tokens": {"github.com": secrets.token("config.json", ".copilot/config.json", *originals)}}
    user.write(".copilot/config.json", json.dumps(login), mode=0o600)
    user.write(".codex/auth.json", json.dumps({"OPENAI_API_KEY": secrets.token("auth.json", ".codex/auth.json")}), mode=0o600)
    # What the inventory says.
    servers = {
        "ours": {"command": "o", **OPTED_IN, "env": {
            "TOKEN": secrets.word("mcp: opted-in env", *both), "PLAIN_NAME": secrets.word("mcp: opted-in env by no name", *both)}},
        "header": {"type": "http", "url": "https://h.example/", "headers": {"Authorization": "Bearer " + secrets.word("mcp: opted-in header", *both),
                   "X-Custom": secrets.word("mcp: opted-in header by no name", *both)}, **OPTED_IN},
        "literal": {"command": "l", "env": {"TOKEN": secrets.token("mcp: refused env")}},
        "userinfo": {"type": "http", "url": "https://ada:%s@u.example/" % secrets.word("mcp: refused userinfo")},
        "query": {"type": "http", "url": "https://q.example/?api_key=%s" % secrets.token("mcp: refused query")},
        "argument": {"command": "a", "args": ["--token", secrets.word("mcp: refused argument", form="Zq8%s")]},
        "equals": {"command": "a", "args": ["--password=%s" % secrets.word("mcp: refused argument with =", form="Xw7%s")]},
        "refused_header": {"type": "http", "url": "https://r.example/", "headers": {"Authorization": "Bearer " + secrets.token("mcp: refused header")}},
        "cwd": {"command": "c", "cwd": "/srv/%s" % secrets.token("mcp: refused directory")},
        "default": {"command": "d", "env": {"A": "${B:-%s}" % secrets.token("mcp: refused default")}},
    }  # fmt: skip
    return {
        "agentihooks_env": {
            "HANDBOOK_TOKEN": secrets.word("env: wanted over the person's", env), "PLAIN": secrets.word("env: plain", env),
            "QUOTED": secrets.word("env: quotes", env, form="it's \"%s\" $x"), "SPACED": secrets.word("env: blanks", env, form="two %s words"),
            "UNICODE": secrets.word("env: unicode", env, form="g\u00fcltig-%s-\u6f22"), "VAULTED": "{{ vaulted }}",
        },
        "agentihooks_mcp_servers": servers,
        "agentihooks_copilot_settings": {"model": "gpt-5.4", "api_key": secrets.word("settings: wanted key", settings), "footer": {"x": True}},
        "agentihooks_codex_config": {"model": "gpt-5.5", "experimental_bearer_token": secrets.word("config.toml: wanted key", codex)},
        "agentihooks_session_context": "Key: %s" % secrets.token("session context", ".agentihooks/policy.json"),
        "agentihooks_enforcements": ["Use %s" % secrets.token("enforcement", ".agentihooks/policy.json")],
        "agentihooks_drop_ins": {"pre-bash-x": "#!/bin/sh\n# %s\nexit 0\n" % secrets.token("a drop-in", ".agentihooks/drop-ins/pre-bash-x")},
    }  # fmt: skip


def everything(secrets, user, runs, sample):
    """Make the runs; return {what: output}."""
    outputs = {}
    variables = dict(plant(user, secrets, runs), agentihooks_targets=list(ANYWHERE), agentihooks_codex_hook_trust="record")
    vaulted, password = secrets.word("vault", ".agentihooks/copilot.env"), secrets.word("the vault's password")
    given = runs.scratch / "given"
    given.mkdir(mode=0o700)

    def give(name, text):
        path = given / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        os.chown(path, user.uid, user.gid)
        return str(path)

    os.chown(given, user.uid, user.gid)
    vault, password_file = give("vault.yml", "vaulted: %s\n" % json.dumps(vaulted)), give("password", password)
    playbooks = Path(sys.executable).parent
    user.run([playbooks / "ansible-vault", "encrypt", vault, "--vault-password-file", password_file], env=runs.environment, cwd=given)
    with_secrets = ["-e", "@" + give("vars.json", json.dumps(variables)), "-e", "@" + vault, "--vault-password-file", password_file, "--diff", "-vvv"]

    def play(name, playbook, *arguments, fails=None, **extra):
        command = [playbooks / "ansible-playbook", "-i", "localhost,", "-c", "local", "-e", json.dumps(dict(extra, ansible_python_interpreter=sys.executable))]
        done = user.run(command + [playbook] + list(arguments), env=runs.environment, check=False, timeout=600)
        outputs[name] = done.stdout + done.stderr
        assert "Traceback" not in outputs[name], outputs[name][-3000:]
        if fails is not None and (done.returncode != 0) != fails:
            print(outputs[name][-3000:])
            raise AssertionError("%s ended with %d" % (name, done.returncode))

    site, collection = "agentihooks.fleet.site", "agentihooks.fleet."
    if not sample:
        play("site, check mode", site, "--check", *with_secrets, fails=False)
    play("site", site, *with_secrets, fails=False)
    for name, text in (("settings.json", "hand edit"), ("mcp-config.json", "hand edit of a server")):
        path = user.home / ".copilot" / name
        secret = secrets.token(text, ".copilot/" + name, *(".copilot/.agentihooks-originals.json",))
        document = json.loads(path.read_text())
        if name == "settings.json":
            document["footer"]["x"] = secret
        else:
            document["mcpServers"]["header"]["url"] = "https://x.example/?token=" + secret
        path.write_text(json.dumps(document))
    # A call that is denied, and one that cannot be read, go to the log.
    for text in ({"toolName": "create", "toolArgs": {"path": "/x", "file_text": secrets.token("a call that is denied")}, "sessionId": "s", "cwd": "/"},
                 {"toolName": secrets.token("the name of a tool"), "toolArgs": 7}):  # fmt: skip
        hook = [user.home / ".copilot/agentihooks-hook.sh", "preToolUse"]
        done = user.run(hook, input=json.dumps(text), env={"COPILOT_CLI_BINARY_VERSION": "1.0.102"}, check=False)
        outputs["a hook call %d" % len(outputs)] = done.stdout + done.stderr
    if not sample:
        play("site over hand-edits, with overwrite", site, "-e", json.dumps({"agentihooks_on_conflict": "overwrite"}), *with_secrets, fails=False)
        play("site without the servers", site, *(with_secrets + ["-e", json.dumps({"agentihooks_mcp_servers": {}})]), fails=False)
    if not sample:
        play("doctor", collection + "doctor", *with_secrets, agentihooks_report_dir=str(runs.scratch / "report"))
        debug(play, variables, give)
        play("smoke", collection + "smoke", "-vvv", "--diff", fails=False)
        broken(play, user, secrets, with_secrets, give)
    play("uninstall", collection + "uninstall", "-vvv", "--diff", fails=False)
    return outputs


def debug(play, variables, give):
    """Run modules with register and debug of all that they return."""
    options = {
        "mcp_config": {"servers": variables["agentihooks_mcp_servers"]}, "copilot_settings": {"settings": variables["agentihooks_copilot_settings"]},
        "codex_config": {"config": variables["agentihooks_codex_config"]},
        "hooks_runtime": {"environment": {key: value for key, value in variables["agentihooks_env"].items() if key != "VAULTED"}, "surfaces": ["environment"]},
    }  # fmt: skip
    options.update(agentihooks_facts={}, doctor={}, trusted_folders={"folders": ["/srv"]}, copilot_hooks={}, codex_hooks={})
    tasks = []
    for name, arguments in options.items():
        for more in ({}, {"no_such_option": 1}, {"on_conflict": "fail"}):
            if more and name in ("agentihooks_facts", "doctor", "copilot_hooks", "codex_hooks", "trusted_folders"):
                continue
            tasks.append({"agentihooks.fleet." + name: dict(arguments, **more), "register": "result", "ignore_errors": True})
            tasks.append({"ansible.builtin.debug": {"var": "result"}})
    play("register and debug", give("debug.json", json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}])), "-vvv", "--diff", fails=False)


def broken(play, user, secrets, with_secrets, give):
    """Runs that fail: files that cannot be parsed, and variables of a wrong type."""
    files = {
        ".copilot/settings.json": '{"apiKey": "%s" "x": 1}', ".copilot/mcp-config.json": '{"mcpServers": {"m": {"env": {"TOKEN": "%s}}}}',
        ".codex/config.toml": 'api_key = "%s\nx = = 1\n', ".agentihooks/copilot.env": "A='%s\n",
    }  # fmt: skip
    for number, (name, text) in enumerate(files.items()):
        path = user.home / name
        before = path.read_bytes() if path.exists() else None
        value = secrets.token("broken: " + name, name)
        user.write(name, text % value, mode=0o600)
        play("broken %s" % name, "agentihooks.fleet.site", *with_secrets, fails=True)
        if number == 0:
            play("doctor of what is broken", "agentihooks.fleet.doctor", *with_secrets, agentihooks_report_dir="")
        path.unlink() if before is None else path.write_bytes(before)
    for number, (variable, value) in enumerate((
        ("agentihooks_env", ["%s"]), ("agentihooks_mcp_servers", {"a": {"command": ["%s"]}}), ("agentihooks_mcp_servers", {"a": "%s"}),
        ("agentihooks_copilot_settings", {"hooks": "%s"}), ("agentihooks_codex_config", {"model": {"x": "%s"}, "features": "%s"}),
        ("agentihooks_bundle", "https://ada:%s@127.0.0.1:9/b.git"), ("agentihooks_profiles", "%s"), ("agentihooks_directives", {"channels": {"a": "%s"}}),
    )):  # fmt: skip
        value = json.loads(json.dumps(value).replace("%s", secrets.token("wrong %d: %s" % (number, variable))))
        more = {variable: value}
        if variable == "agentihooks_bundle":
            more["agentihooks_bundle_commit"] = "0" * 40
        play("wrong %s %d" % (variable, number), "agentihooks.fleet.site", *(with_secrets + ["-e", "@" + give("more.json", json.dumps(more))]))


def main():
    figures = Figures("secrets", __doc__)
    with accounts(2) as made, collections_path() as tree, controller(made[0], tree) as runs:
        user, observer = made
        os.chmod(user.home, 0o755)  # nothing but the modes of the files themselves keeps others out
        runs.scratch.chmod(0o755)
        if not figures.sample:
            lay_clis(user)
        secrets = Secrets()
        watch = Watch(expected(), observer, [user.home, runs.scratch], user.uid)
        with watch:
            outputs = everything(secrets, user, runs, figures.sample)
        needles = secrets.needles()
        leaks = {(name, "output of: " + what) for what, text in outputs.items() for name in leaks_in(text.encode("utf-8"), needles)}
        searched = len(outputs)
        for path, data in files_below(user.home, runs.scratch):
            searched += 1
            if path.startswith(str(runs.scratch / "given")):
                continue
            relative = os.path.relpath(path, str(user.home))
            for name in leaks_in(data, needles):
                plain = secrets.homes[name]
                # The last good state of a ledger's file is kept beside it.
                if relative not in plain and not any(relative == place + ".bak" for place in plain):
                    leaks.add((name, path))
        planted = len(secrets.values)
        watched = {(name, where) for name, where in watch.found if "file" not in where}
        for name, where in sorted(leaks | watched):
            print("LEAK: %s: %s" % (name, where))
        for what, text in outputs.items():
            for line in text.splitlines():
                for name in sorted(leaks_in(line.encode("utf-8"), needles)):
                    print("  in %s: %s" % (what, line.strip()[:300].replace(secrets.values[name], "<%s>" % name)))
        print("%d outputs and files searched; rounds while running: %s" % (searched, dict(watch.rounds)))
        figures.add("secrets planted", "at least 50" if not figures.sample else "at least 40", planted, planted >= (40 if figures.sample else 50))
        figures.add("secrets in output, reports, ledgers, logs and temporary files", 0, len(leaks), not leaks)
        figures.add("secrets seen in processes, the system log, or by another account", 0, len(watched), not watched)
    return figures.finish()


if __name__ == "__main__":
    sys.exit(main())
