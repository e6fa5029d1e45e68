# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""agentihooks doctor finds what was broken on purpose, one thing at a time, and nothing on a host that is as the role left it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from types import SimpleNamespace

import pytest
from agentihooks import capabilities, doctor_surroundings, finding, policy
from agentihooks.commands import doctor
from agentihooks.vocabulary import CODEX_MEASURED, CODEX_REGISTERED, COPILOT_MEASURED, COPILOT_REGISTERED


def write(path, content, mode=0o600):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(mode)


@pytest.fixture
def host(installed):
    """A home with everything that the role leaves, for both CLIs. Its attribute doctor() returns (exit code, {check: row}, text)."""
    installed.data.chmod(0o700)
    installed.policy(guard_failure="deny")
    copilot, codex = installed.home / ".copilot", installed.home / ".codex"
    hooks = {event: [{"type": "command", "command": "%s %s" % (shlex.quote(str(installed.wrapper)), event), "timeoutSec": 30}] for event in COPILOT_REGISTERED}
    write(copilot / "hooks" / "agentihooks.json", {"version": 1, "hooks": hooks})
    for home in (copilot, codex):
        write(home / ".agentihooks-managed.json", {"schema": 1, "surfaces": {}})
    write(codex / "agentihooks-hook.sh", installed.wrapper.read_text().replace("AGENTIHOOKS_TARGET=copilot", "AGENTIHOOKS_TARGET=codex"), 0o700)
    hook = {"type": "command", "command": str(codex / "agentihooks-hook.sh"), "timeout": 30}
    write(codex / "hooks.json", {"hooks": {event: [{"hooks": [hook]}] for event in CODEX_REGISTERED}})
    names = ("session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "permission_request", "subagent_start")
    write(codex / "config.toml", "".join('[hooks.state."%s/hooks.json:%s:0:0"]\ntrusted_hash = "sha256:x"\n' % (codex, name) for name in names))
    for name, package, version in (("copilot", "@github/copilot", "1.0.102"), ("codex", "@openai/codex", "0.154.0")):
        place = installed.home / "node_modules" / package
        write(place / "package.json", {"name": package, "version": version})
        write(place / name, "#!/bin/sh\n", 0o755)
        (installed.home / ".local" / "bin").mkdir(parents=True, exist_ok=True)
        (installed.home / ".local" / "bin" / name).symlink_to(place / name)
    command = str(installed.command())
    environ = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin"}

    def run(*words, env=None):
        done = subprocess.run([command, "doctor"] + list(words), capture_output=True, text=True, env=dict(environ, **(env or {})), timeout=120, check=False)
        assert done.stderr == "", done
        return done

    def checked(**env):
        done = run("--json", env=env)
        found = json.loads(done.stdout)
        assert (done.returncode == 1) is bool(found["findings"]) and found["schema"] == doctor.SCHEMA
        findings = {doctor.titled(row): row for row in found["checks"] if finding.reaches(row["level"], finding.WARNING)}
        assert all(row["what"] and row["way_out"] for row in findings.values())
        return findings, found["checks"]

    installed.hooks, installed.node = copilot / "hooks" / "agentihooks.json", installed.home / "node_modules"
    installed.copilot, installed.codex, installed.doctor, installed.run_doctor = copilot, codex, checked, run
    return installed


def test_nothing_is_found_on_a_host_as_the_role_left_it(host):
    before = sorted(str(path) for path in host.home.rglob("*"))
    findings, rows = host.doctor()
    assert findings == {} and len(rows) == 30, rows
    done = host.run_doctor()
    assert done.returncode == 0 and done.stdout.endswith("nothing found\n") and "1.0.102" in done.stdout and "12 events" in done.stdout
    after = [path for path in sorted(str(path) for path in host.home.rglob("*")) if path not in before and "__pycache__" not in path]
    assert after == []  # not even the denied call leaves anything
    text = subprocess.run([str(host.data / "bin" / "agentihooks"), "denials"], capture_output=True, text=True, env={"HOME": str(host.home)}, check=True).stdout
    assert "0 denied" in text and "credential.file" not in text


def skill(host, text):
    write(host.home / ".agents" / "skills" / "notes" / "SKILL.md", text)


def servers(host, number):
    tools = ["tool%d" % each for each in range(number)]
    write(host.copilot / "mcp-config.json", {"mcpServers": {"gateway": {"command": "x", "tools": tools}}})


def smoked(host, **values):
    run = dict({"path": "/x", "version": "1.0.102", "passed": True, "checks": []}, **values)
    write(host.data / "smoke.json", {"schema": 1, "finished": "2026-12-01T10:00:00Z", "clis": {"copilot": run}})


def logged(host, *outcome):
    line = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "target": "copilot", "session": "s", "outcomes": [outcome]}
    write(host.data / "logs" / "hooks.log", json.dumps(line) + "\n")


def edited(path, change):
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def trust(host, name, content, folder="work"):
    write(host.copilot / "config.json", "// written by the CLI\n" + json.dumps({"trustedFolders": [str(host.home / folder)]}))
    write(host.home / "work" / "repository" / name, content)


OFF = {"disableAllHooks": True}


def first(host, **values):
    edited(host.hooks, lambda value: value["hooks"]["preToolUse"][0].update(values))


def version(host, package, number):
    edited(host.node / package / "package.json", lambda value: value.update(version=number))


def codex_config(host, text):
    write(host.codex / "config.toml", (host.codex / "config.toml").read_text() + text)


def with_wrapper(host):
    write(host.copilot / "settings.json", {"hooks": {"preToolUse": [{"command": str(host.wrapper) + " preToolUse"}]}})


BROKEN = {
    "no wrapper": (lambda host: host.wrapper.unlink(), {"Copilot CLI: wrapper", "Copilot CLI: denies", "Copilot CLI: lets through"}),
    "a wrapper that is not executable": (lambda host: host.wrapper.chmod(0o600), {"Copilot CLI: wrapper", "Copilot CLI: denies", "Copilot CLI: lets through"}),
    "a wrapper others can change": (lambda host: host.wrapper.chmod(0o777), {"Copilot CLI: wrapper"}),
    "another wrapper": (lambda host: host.wrapper.write_text("#!/bin/sh\nexit 0\n"), {"Copilot CLI: wrapper", "Copilot CLI: denies"}),
    "no interpreter": (lambda host: (host.version / "python").unlink(),
                       {"interpreter", "Copilot CLI: denies", "Copilot CLI: lets through", "Codex CLI: denies", "Codex CLI: lets through"}),
    "a guard that fails": (lambda host: write(host.version / "agentihooks" / "guards" / "secrets.py", "def check(*x):\n    raise ValueError\n"),
                           {"Copilot CLI: denies", "Copilot CLI: lets through", "Codex CLI: denies", "Codex CLI: lets through"}),
    "no hooks file": (lambda host: (host.hooks).unlink(), {"Copilot CLI: hooks file"}),
    "an event too few": (lambda host: edited(host.hooks, lambda value: value["hooks"].pop("preToolUse")), {"Copilot CLI: hooks file"}),
    "an edited entry": (lambda host: first(host, command="true"), {"Copilot CLI: hooks file"}),
    "a longer limit": (lambda host: first(host, timeoutSec=5), {"Copilot CLI: hooks file"}),
    "a hooks file that is off": (lambda host: edited(host.hooks, lambda value: value.update(OFF)), {"Copilot CLI: hooks file"}),
    "a hooks file that is a list": (lambda host: write(host.hooks, "[]"), {"Copilot CLI: hooks file"}),
    "a broken ledger": (lambda host: write(host.copilot / ".agentihooks-managed.json", "{"), {"Copilot CLI: ledger"}),
    "no ledger": (lambda host: (host.codex / ".agentihooks-managed.json").unlink(), {"Codex CLI: ledger"}),
    "a broken policy": (lambda host: write(host.data / "policy.json", "{"), {"policy"}),
    "a policy others can change": (lambda host: (host.data / "policy.json").chmod(0o666), {"policy"}),
    "a value that does not count": (lambda host: host.policy(deadline=600), {"policy"}),
    "an exception of a floor": (lambda host: host.policy(guard_exceptions=[dict(rule="secret", match="a", reason="b", expires="2999-01-01")]), {"policy"}),
    "data others can change": (lambda host: host.data.chmod(0o777), {"data directory"}),
    "variables others can read": (lambda host: write(host.data / "copilot.env", "A='b'\n", 0o644), {"environment"}),
    "settings that are off": (lambda host: write(host.copilot / "settings.json", "// mine\n" + json.dumps(OFF)), {"Copilot CLI: silenced"}),
    "settings that are broken": (lambda host: write(host.copilot / "settings.json", "[]"), {"Copilot CLI: silenced"}),
    "settings with the wrapper": (with_wrapper, {"Copilot CLI: silenced"}),
    "a trusted repository": (lambda host: trust(host, ".github/copilot/settings.json", OFF), {"Copilot CLI: silenced"}),
    "a trusted repository, Claude's file": (lambda host: trust(host, ".claude/settings.json", OFF, "work/repository"), {"Copilot CLI: silenced"}),
    "a version that is too new": (lambda host: version(host, "@github/copilot", "1.0.900"), {"Copilot CLI: version"}),
    "a Codex that is too old": (lambda host: version(host, "@openai/codex", "0.99.0"), {"Codex CLI: version"}),
    "Codex's features": (lambda host: codex_config(host, "[features]\nhooks = false # off\n"), {"Codex CLI: silenced"}),
    "a profile of Codex": (lambda host: write(host.codex / "x.config.toml", "features.hooks = false\n"), {"Codex CLI: silenced"}),
    "one hook of Codex": (lambda host: codex_config(host, "enabled = false\n"), {"Codex CLI: silenced"}),
    "hooks that are not trusted": (lambda host: write(host.codex / "config.toml", ""), {"Codex CLI: trust"}),
    "a key that Codex does not know": (lambda host: edited(host.codex / "hooks.json", lambda value: value.update(version=1)), {"Codex CLI: hooks file"}),
    "a key that this Codex does not know": (
        lambda host: (version(host, "@openai/codex", "0.142.3"), edited(host.codex / "hooks.json", lambda value: value.update(description="mine"))),
        {"Codex CLI: hooks file"},
    ),
    "the wrapper in another file": (lambda host: write(host.copilot / "hooks" / "mine.json", host.hooks.read_text()), {"Copilot CLI: other hooks"}),
    "a plugin with the wrapper": (lambda host: write(host.copilot / "installed-plugins" / "x" / "y" / "hooks.json", host.hooks.read_text()),
                                  {"Copilot CLI: other hooks"}),
    "a dead hook": (lambda host: write(host.copilot / "hooks" / "mine.json", {"hooks": {"preToolUse": [{"command": "~/gone.sh x"}]}}),
                    {"Copilot CLI: other hooks"}),
    "the wrapper in Codex's settings": (lambda host: codex_config(host, '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "/x/agentihooks-hook.sh"\n'),
                                        {"Codex CLI: other hooks"}),
    "a dead hook of Codex": (lambda host: edited(host.codex / "hooks.json", lambda value: value["hooks"]["Stop"].append({"hooks": [{"command": "/gone"}]})),
                             {"Codex CLI: other hooks"}),
    "too many tools": (lambda host: servers(host, 300), {"Copilot CLI: MCP tools"}),
    "a skill that is left out": (lambda host: skill(host, "---\nname: notes\ndescription: >-\n  %s\n---\n" % ("a" * 1030)), {"Copilot CLI: skills"}),
    "a skill without description": (lambda host: skill(host, "# Notes\n"), {"Copilot CLI: skills", "Codex CLI: skills"}),
    "long instructions": (lambda host: write(host.codex / "AGENTS.md", "a" * 70000), {"Codex CLI: instructions"}),
    "a failed smoke test": (lambda host: smoked(host, passed=False), {"Copilot CLI: smoke test"}),
    "a CLI that moved since": (lambda host: smoked(host, version="1.0.100"), {"Copilot CLI: smoke test"}),
    "a smoke test in another form": (lambda host: write(host.data / "smoke.json", "[]"), {"Copilot CLI: smoke test", "Codex CLI: smoke test"}),
    "faults of the runtime": (lambda host: logged(host, "fault", "x"), {"denials"}),
    "AgentiHooks itself": (lambda host: write(host.home / ".bashrc", "# === agentihooks ===\n"), {"AgentiHooks itself"}),
    "an event of Codex too few": (lambda host: edited(host.codex / "hooks.json", lambda value: value["hooks"].pop("PreToolUse")), {"Codex CLI: hooks file"}),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_found(host, monkeypatch, what):
    breaks, expected = BROKEN[what]
    breaks(host)
    if any(check.endswith(("denies", "wrapper")) for check in expected):
        findings, rows = host.doctor()
    else:  # in this process and without the calls to the wrapper, which the others make: they take most of the time
        monkeypatch.setattr(doctor, "_canaries", lambda *_arguments: [])
        environ = {"HOME": str(host.home), "PATH": "/usr/bin:/bin"}
        settings = policy.load(str(host.data / "policy.json"))
        rows = doctor.checks(SimpleNamespace(data_directory=str(host.data), policy=settings, home=str(host.home), environ=environ))
        findings = [doctor.titled(row) for row in rows if finding.reaches(row["level"], finding.WARNING)]
    assert set(findings) == expected, rows


@pytest.mark.parametrize("line, found", [
    ("runtime={real}/runtime/current", True), ("runtime='{link}/runtime/current'", True), ("runtime={real}/runtime/other", False),
    ("runtime={real}/runtime/current; true", False), ("runtime='", False), ("", False),
])  # fmt: skip
def test_a_wrapper_may_name_the_runtime_through_a_link(tmp_path, line, found):
    real, link = tmp_path / "real", tmp_path / "link"
    (real / "runtime" / "1").mkdir(parents=True)
    (real / "runtime" / "current").symlink_to("1")
    link.symlink_to(real)
    wrapper = tmp_path / "wrapper.sh"
    write(wrapper, "#!/bin/sh\n# %s\n%s\n" % (doctor.WRAPPER_MARK, line.format(real=real, link=link)), 0o700)
    for directory in (real, link):
        row = doctor._wrapper("copilot", str(wrapper), SimpleNamespace(data_directory=str(directory)))
        assert (row["level"] == finding.OK) is found, row


def test_without_any_interpreter_the_command_says_so(host):
    (host.version / "python").unlink()
    command, environ = [str(host.data / "bin" / "agentihooks"), "doctor"], {"HOME": str(host.home), "PATH": "/nonexistent"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 1 and done.stderr == "agentihooks: the interpreter of the hooks is gone; run the playbook agentihooks.fleet.site for this host\n"


def test_notes_are_no_findings(host):
    trust(host, ".claude/settings.json", {"hooks": {"preToolUse": []}, "disableAllHooks": False})
    host.policy(guard_failure="allow")
    (host.home / ".local/bin/copilot").unlink()
    write(host.home / "work" / "repository" / ".github/copilot/settings.json", {"hooks": {"preToolUse": [{"command": "x"}]}})
    findings, rows = host.doctor(COPILOT_ALLOW_ALL="true")
    assert findings == {} and sum(row["level"] == "info" for row in rows) == 7, rows


def test_what_is_as_it_should_be_is_told_with_its_figures(host):
    smoked(host)
    servers(host, 3)
    skill(host, "---\nname: notes\ndescription: Keeps notes\n---\n")
    logged(host, "deny", "git.push")
    write(host.copilot / "hooks" / "mine.json", {"hooks": {"preToolUse": [{"command": "/bin/true x"}, {"bash": "jq ."}]}})
    findings, rows = host.doctor()
    told = {doctor.titled(row): (row["level"], row["what"]) for row in rows}
    assert findings == {} and told["Copilot CLI: smoke test"] == ("ok", "passed at 2026-12-01T10:00:00Z with 1.0.102"), findings
    assert told["Copilot CLI: MCP tools"][1].startswith("about 3 tools of 1 servers, 450 tokens")
    assert told["Copilot CLI: skills"][1].startswith("1, ") and told["Copilot CLI: other hooks"] == ("info", "2 of the person's, other tools' or plugins'")
    assert told["denials"] == ("info", "in 7 days: 1 calls denied (git.push 1)")


@pytest.mark.parametrize("text, description", [
    ("---\ndescription: 'x y'\nname: a\n---\n", "x y"), ("---\ndescription: |\n  a\n  b\nname: c\n---\n", "a b"), ("---\nname: a\n---\ndescription: no\n", ""),
    ("", ""), ("# a\n", ""),
])  # fmt: skip
def test_the_description_of_a_skill(text, description):
    assert doctor_surroundings.described(text) == description


def test_another_copilot_home_is_looked_at(host):
    os.rename(str(host.copilot), str(host.home / "elsewhere"))
    findings, rows = host.doctor(COPILOT_HOME=str(host.home / "elsewhere"))
    # its entries call the old place
    assert set(findings) == {"Copilot CLI: hooks file", "Copilot CLI: other hooks"} and str(host.home / "elsewhere") in json.dumps(rows)


def test_a_home_without_any_cli_is_a_finding(host):
    for home in (host.copilot, host.codex):
        os.rename(str(home), str(home) + "-gone")
    findings, _rows = host.doctor()
    assert set(findings) == {"agent CLIs"}
    done = host.run_doctor()
    assert done.returncode == 1 and "1 finding" in done.stdout and "-> Run the playbook agentihooks.fleet.site" in done.stdout


@pytest.mark.parametrize(
    "target, version, known",
    [("copilot", "1.0.79-6", True), ("copilot", "1.0.102", True), ("copilot", "1.0.%d" % (COPILOT_MEASURED[1] + 1), False), ("copilot", "1.1.0", False),
     ("codex", "0.142.3", True), ("codex", "0.171.0", True), ("codex", "0.142.2", False), ("codex", "%d.%d.999" % CODEX_MEASURED[1][:2], False),
     ("codex", "1.0", False), ("codex", "x.y.z", False), ("codex", "", False)],
)  # fmt: skip
def test_which_versions_were_measured(target, version, known):
    assert capabilities.is_in_range(target, version) is known


def test_the_wrapper_is_known_by_its_mark():
    pytest.importorskip("ansible_collections.agentihooks.fleet")
    from ansible_collections.agentihooks.fleet.plugins.module_utils import _host, _ledger, _wrapper

    assert (doctor.WRAPPER, doctor.WRAPPER_MARK.encode(), doctor.LEDGER) == (_host.WRAPPER, _wrapper.MARK, _ledger.LEDGER)
