# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""codex_config from starting states as people have them, and both modules that write config.toml together."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _ledger, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import OURS, Entry, Record
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import fingerprint
from playbook import Controller, picture
from states import State, check_state, play, run_all

FILE = "config.toml"
WANTED = {"model": "wanted", "tui": {"status_line": ["model"]}}
NEW = {"model": "created", "tui.status_line": "created", "features.hooks": "created"}
ADDED = dict(NEW, **{"features.hooks": "pinned"})
WAS = {"model": "unchanged", "tui.status_line": "unchanged", "features.hooks": "unchanged"}
OURS_TEXT = b'model = "wanted"\n\n[tui]\nstatus_line = ["model"]\n\n[features]\nhooks = true\n'
RECORD = Record({path: Entry(OURS, fingerprint(value)) for path, value in (
    (("model",), "wanted"), (("tui", "status_line"), ["model"]), (("features", "hooks"), True),
)})  # fmt: skip
SHARED = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "codex_toml"

# All runs are made once for all tests here, so one process takes them all.
pytestmark = pytest.mark.xdist_group("codex states")


def write(home, data, name=FILE):
    home.mkdir(exist_ok=True)
    (home / name).write_bytes(data)
    (home / name).chmod(0o600)


def holding(data, *args, **rest):
    """A config.toml with these bytes."""
    return State(lambda home: write(home, data), *args, **rest)


def with_ledger(data, record, **rest):
    def make(home):
        write(home, data)
        write(home, _ledger.dump(_ledger.Ledger("agentihooks.fleet/default", {FILE: _ledger.Surface(record)})), _ledger.LEDGER)

    return State(make, **rest)


def dotfiles(home):
    home.mkdir()
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "codex.toml").write_bytes(b"# from the repository\ntheirs = 1\n")
    (home / FILE).symlink_to("dotfiles/codex.toml")


def is_still_linked(home):
    assert (home / FILE).is_symlink() and os.listdir(str(home / "dotfiles")) == ["codex.toml"]
    assert (home / "dotfiles" / "codex.toml").read_bytes().startswith(b'# from the repository\ntheirs = 1\nmodel = "wanted"\n')


def mode_stays(mode):
    def final(home):
        assert stat.S_IMODE((home / FILE).stat().st_mode) == mode

    return State(lambda home: write(home, b""), ADDED, rights=lambda home: (home / FILE).chmod(mode), final=final)


# As Codex and its person leave it: trust, hook trust, approvals, notices, comments, all in the order of their arrival.
LIVED_IN = b"""\
# My Codex.
model_reasoning_effort = "high" # slow but right

[projects."/home/ada/src/a.b"]
trust_level = "trusted"

[mcp_servers.mine]
command = "mine"

[tui]
theme = 'night' # for the eyes
[tui.model_availability_nux]
"gpt-5.5" = 4

[hooks.state."/home/ada/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:0123"

[mcp_servers.mine.tools.search]
approval_mode = "approve"
"""

STATES = {
    "no directory": State(lambda home: None, NEW),
    "no file": State(lambda home: home.mkdir(), NEW),
    "empty file": holding(b"", ADDED),
    "comments only": holding(b"# later\n", ADDED, keeps=[b"# later\n"]),
    "lived in": holding(LIVED_IN, ADDED, keeps=LIVED_IN.splitlines()),
    "lived in, CRLF": holding(LIVED_IN.replace(b"\n", b"\r\n"), ADDED, keeps=[b'model = "wanted"\r\n', b'status_line = ["model"]\r\n'] + LIVED_IN.splitlines()),
    "no final newline": holding(b"[tui]\ntheme = 'x'", ADDED, keeps=[b"[tui]\ntheme = 'x'\nstatus_line = "]),
    "byte order mark": holding(b"\xef\xbb\xbftheirs = 1\n", ADDED, keeps=[b"\xef\xbb\xbftheirs = 1\n"]),
    "dotted keys": holding(
        b"tui.theme = 'x'\nfeatures.web_search = true\n", ADDED, keeps=[b"tui.theme = 'x'\ntui.status_line = [\"model\"]\n", b"features.hooks = true\n"],
    ),
    "inline tables": holding(
        b"tui = { theme = 'x' }\nfeatures = {}\n", ADDED, keeps=[b"tui = { theme = 'x', status_line = [\"model\"] }", b"features = {hooks = true}"],
    ),
    "tables over lines": holding(b"approval_policy = { granular = {\n  rules = true, # c\n} }\n", ADDED, keeps=[b"  rules = true, # c\n} }\n"]),
    "hooks switched off": holding(b"[features]\nhooks = false # quiet\n", ADDED, keeps=[b"hooks = true # quiet\n"]),
    "hooks by their old name": holding(b"[features]\ncodex_hooks = false\n", ADDED, keeps=[b"codex_hooks = false\nhooks = true\n"]),
    "a value of the person": holding(b'model = "mine"\n', dict(ADDED, model="foreign"), keeps=[b'model = "mine"\n']),
    "a scalar where a table is wanted": holding(b"tui = 1\n", dict(ADDED, **{"tui.status_line": "foreign"}), keeps=[b"tui = 1\n"]),
    "a table where a scalar is wanted": holding(b"[model]\nx = 1\n", dict(ADDED, model="foreign"), keeps=[b"[model]\nx = 1\n"]),
    "features of another kind": holding(b"features = 1\n", dict(ADDED, **{"features.hooks": "foreign"}), keeps=[b"features = 1\n"]),
    "a table twice": holding(b"[a]\nx = 1\n[b]\n[a]\ny = 1\n", error="config.toml, line 4, column 1: a is there twice"),
    "a key twice": holding(b"model = 1\nmodel = 2\n", error="config.toml, line 2, column 1: model is there twice"),
    "half a file": holding(b'[tui]\ntheme = "x', error="config.toml, line 2, column 9: a string starts here that does not end"),
    "conflict markers": holding(b"a = 1\n<<<<<<< HEAD\n", error="config.toml, line 2, column 1: a key should be here"),
    "a template": holding(b"{{- if .work }}\nmodel = 'x'\n{{- end }}\n", error="config.toml, line 1, column 1: a key should be here"),
    "JSON": holding(b'{"model": "x"}', error="config.toml, line 1, column 1: a key should be here"),
    "invalid UTF-8": holding(b"a = '\xff'", error="line 1, column 6: is not UTF-8 text"),
    "link into a dotfiles repository": State(dotfiles, ADDED, final=is_still_linked),
    "dangling link": State(lambda home: (home.mkdir(), (home / FILE).symlink_to("gone")), error="symbolic link to .*gone, which does not exist"),
    "unreadable file": holding(b"", error="cannot be read: Permission denied", rights=lambda home: (home / FILE).chmod(0)),
    "read-only directory": holding(b"", error="is not writable for user", rights=lambda home: home.chmod(0o555)),
    "mode 0644": mode_stays(0o644),
    "mode 0600": mode_stays(0o600),
    "as wanted, not by us": holding(OURS_TEXT, WAS, keeps=[OURS_TEXT]),
    "as wanted, by us": with_ledger(OURS_TEXT, RECORD, outcomes=WAS, keeps=[OURS_TEXT]),
    "changed by hand": with_ledger(OURS_TEXT.replace(b"wanted", b"mine"), RECORD, outcomes=dict(WAS, model="hand_edited"), keeps=[b'model = "mine"']),
    "removed by hand": with_ledger(OURS_TEXT.replace(b'model = "wanted"\n', b""), RECORD, outcomes=dict(WAS, model="hand_edited")),
    "no longer wanted": with_ledger(
        OURS_TEXT + b"\n[history]\npersistence = \"none\"\n",
        Record({**RECORD.entries, ("history", "persistence"): Entry(OURS, fingerprint("none"))}, tables=[("history",)]),
        outcomes=dict(WAS, **{"history.persistence": "removed"}), keeps=[OURS_TEXT],
    ),
    "records of AgentiHooks in the file": holding(
        b'model = "old"\n\n[agentihooks.managed]\nmodel = "old"\n\n[features]\nhooks = true\n',
        {"agentihooks": "removed", "model": "updated", "tui.status_line": "created", "features.hooks": "unchanged"},
        keeps=[b'model = "wanted"\n\n[features]\nhooks = true\n'],
    ),
    "corrupt ledger": State(lambda home: (write(home, b'model = "mine"\n'), write(home, b"{", _ledger.LEDGER)), dict(ADDED, model="foreign"), loses=True),
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(make_scratch_user, collections_path):
    task = {"agentihooks.fleet.codex_config": {"config": WANTED, "config_home": "{{ config_home }}"}}
    yield from run_all(make_scratch_user(), collections_path, STATES, task)


@pytest.mark.parametrize("name", STATES)
def test_check_mode_is_honest_and_a_second_run_does_nothing(runs, name):
    data = check_state(runs, name, STATES[name], FILE)
    if data is not None:
        value = _toml.parse(data).value
        assert value["features"] == 1 or value["features"]["hooks"] is True


SERVERS = {
    "web": {"url": "https://handbook.example.com/mcp", "headers": {"Authorization": "Bearer ${HANDBOOK_TOKEN}", "X-Team": "blue"}},
    "a.b": {"command": "tracker", "args": ["--stdio"], "env": {"MODE": "x", "TRACKER_TOKEN": "${TRACKER_TOKEN}"}, "tools": ["find"]},
    "old": {"type": "sse", "url": "https://old.example.com/sse"},
}


def test_both_modules_come_and_go_and_leave_the_same_bytes(scratch_user, collections_path):
    """On what people have, one home each."""
    controller = Controller(scratch_user, collections_path)
    sources = {"none": None, "lived in": LIVED_IN}
    sources.update({path.name: path.read_bytes() for path in SHARED.glob("*.toml")})
    homes = {name: scratch_user.home / str(number) for number, name in enumerate(sources)}
    for name, data in sources.items():
        homes[name].mkdir()
        os.chown(str(homes[name]), scratch_user.uid, scratch_user.gid)
        if data is not None:
            scratch_user.write(homes[name] / FILE, data)
    start = {name: picture(home) for name, home in homes.items()}
    # No file of the corpus has these.
    config = {"config": {"hide_agent_reasoning": True, "tui": {"alternate_screen": "never"}}, "config_home": "{{ config_home }}"}
    servers = {"target": "codex", "servers": SERVERS, "disabled": ["web"], "config_home": "{{ config_home }}"}
    both = [{"agentihooks.fleet.codex_config": config}, {"agentihooks.fleet.mcp_config": servers}]
    results, output = play(scratch_user, controller, homes, both + both)
    for name, home in homes.items():
        assert [result["changed"] for result in results[name]] == [True, True, False, False], output
        assert results[name][1]["refused"] == ["old"] and {"a.b", "web"} <= set(results[name][1]["configured"])
        value = _toml.parse((home / FILE).read_bytes()).value
        assert value["features"]["hooks"] is True and value["tui"]["alternate_screen"] == "never"
        assert value["mcp_servers"]["a.b"] == {
            "command": "tracker", "args": ["--stdio"], "env": {"MODE": "x"}, "env_vars": ["TRACKER_TOKEN"], "enabled_tools": ["find"],
        }  # fmt: skip
        assert value["mcp_servers"]["web"] == {
            "url": "https://handbook.example.com/mcp", "bearer_token_env_var": "HANDBOOK_TOKEN", "http_headers": {"X-Team": "blue"}, "enabled": False,
        }  # fmt: skip
    absent = {"state": "absent", "config_home": "{{ config_home }}"}
    results, output = play(
        scratch_user, controller, homes, [{"agentihooks.fleet.mcp_config": dict(absent, target="codex")}, {"agentihooks.fleet.codex_config": absent}]
    )
    assert {name: picture(home) for name, home in homes.items()} == start, output
    shutil.rmtree(str(controller.scratch))


def test_a_wrong_value_stops_before_anything_is_written(scratch_user, collections_path):
    controller = Controller(scratch_user, collections_path)
    scratch_user.write(".codex/" + FILE, LIVED_IN)
    before = picture(scratch_user.home)
    run = controller.tasks(("codex_config", {"config": {"sandbox_mode": "open", "tui": {"status_line": "x"}, "model": "m"}}))
    assert run.message == (
        'config: Codex would not start with this: sandbox_mode must be "read-only" or "workspace-write" or "danger-full-access"; '
        "tui.status_line must be a list of strings, not a string"
    )
    assert picture(scratch_user.home) == before


def test_no_secret_is_in_any_output(scratch_user, collections_path):
    controller = Controller(scratch_user, collections_path)
    secret, token = "hunter2-Zq8vK3pL9xW4", "ghp_" + "aB3dE5fG7h" * 3 + "iJ8kL2"
    scratch_user.write(
        ".codex/" + FILE,
        "[mcp_servers.mine.env]\nA = '%sa'\n[shell_environment_policy.set]\nAPI_TOKEN = '%sb'\nNOTE = '%s'\n" % (secret, secret, token),
    )
    servers = {"ours": {"command": "x", "env": {"PIN": secret + "c"}, "_agentihooks": {"allowSecrets": True}}}
    config = {"shell_environment_policy": {"set": {"MY_PASSWORD": secret + "d", "PLAIN": "visible-value"}}}
    tasks = [
        {"agentihooks.fleet.codex_config": {"config": config}, "register": "first"},
        {"ansible.builtin.debug": {"var": "first"}},
        {"agentihooks.fleet.mcp_config": {"target": "codex", "servers": servers}},
        {"agentihooks.fleet.codex_config": {"config": dict(config, tui=secret)}, "ignore_errors": True},
    ]
    run = controller.play(tasks[:3], ["--diff"])
    assert run.code == 0, run.output
    assert secret + "a" not in run.output and secret + "b" not in run.output and secret + "c" not in run.output and token not in run.output
    assert "visible-value" in run.output and secret + "d" not in run.output
    assert _toml.parse((scratch_user.home / ".codex" / FILE).read_bytes()).value["mcp_servers"]["ours"]["env"] == {"PIN": secret + "c"}
