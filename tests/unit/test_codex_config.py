# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""config.toml by leaf ownership: over every layout and every file of people, with what Codex itself writes between two runs."""

from __future__ import annotations

import datetime
import os
import sys
from pathlib import Path

import pytest

from ansible_collections.agentihooks.fleet.plugins.module_utils import _codex_config, _codex_trial, _document, _ledger, _toml
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, at, same

sys.path.insert(0, str(Path(__file__).parent))
from test_toml import DOCUMENTS, paths_in  # noqa: E402

FILE = _codex_config.CONFIG
WANTED = {
    "model": "gpt-5.4-ours",
    "notify": ["bridge"],
    "approval_policy": {"granular": {"sandbox_approval": True, "rules": True, "mcp_elicitations": False}},
    "tui": {"status_line": ["model", "git-branch"], "of_ours": True},
    "sandbox_workspace_write": {"writable_roots": ["/srv/ours"]},
    "skills": {"config": [{"name": "of-ours", "enabled": False}]},
    "shell_environment_policy": {"set": {"OF.OURS": "1"}},
}
# What Codex writes by itself or when a person answers it (contract/CODEX.md, section 1.4).
BY_CODEX = b"""
[projects."/home/ada/new"]
trust_level = "trusted"

[hooks.state."/home/ada/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:0123"

[notice.model_migrations_of_codex]
"gpt-5" = "gpt-5.4"

[mcp_servers.of_the_person.tools.search]
approval_mode = "approve"
"""


def written_by_codex(text):
    """What Codex could append to a file: below a table in braces it appends nothing."""
    return BY_CODEX[: BY_CODEX.index(b"\n[mcp_servers")] if b"mcp_servers = {" in text else BY_CODEX


class Host:
    """A Codex home whose config.toml is converged, always in check mode first: both must say the same."""

    def __init__(self, directory, data=None):
        self.directory = directory
        self.path = directory / FILE
        if data is not None:
            self.path.write_bytes(data)
        self.home = _document.Home(str(directory), "test")

    def converge(self, config, check_mode=False, present=True, approve=None, **policy):
        rules = _codex_config.config_rules(present)
        return _document.converge(self.home, FILE, lambda disk: config, rules, Policy(**policy), _toml, check_mode, approve=approve)

    def run(self, config, present=True, **policy):
        before = self.path.read_bytes() if self.path.exists() else None
        predicted = self.converge(config, True, present, **policy)
        assert (self.path.read_bytes() if self.path.exists() else None) == before
        result = self.converge(config, False, present, **policy)
        assert (predicted.changed, predicted.changes, predicted.after) == (result.changed, result.changes, result.after)
        assert not self.converge(config, False, present, **policy).changed
        return {".".join(path): outcome for path, outcome in result.changes}

    def leave(self):
        return self.run({}, present=False)

    @property
    def value(self):
        return _toml.parse(self.path.read_bytes()).value


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_we_write_goes_again_and_leaves_the_same_bytes(tmp_path, name):
    data = DOCUMENTS[name]
    host = Host(tmp_path, data)
    outcomes = host.run(WANTED)
    before, after = _toml.parse(data).value, host.value
    assert after["features"]["hooks"] is True or outcomes["features.hooks"] == "foreign"
    for path in paths_in(before):
        if not isinstance(at(before, path), (dict, list)) and path != ("features", "hooks"):
            assert same(at(after, path), at(before, path))
    text = host.path.read_bytes()
    more = (b"" if text.endswith(b"\n") else b"\n") + written_by_codex(text)
    host.path.write_bytes(text + more)
    assert host.run(WANTED).get("model", "unchanged") in ("unchanged", "foreign")
    assert host.path.read_bytes() == text + more
    host.path.write_bytes(text)
    host.leave()
    assert host.path.read_bytes() == data


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_codex_wrote_meanwhile_stays_when_we_go(tmp_path, name):
    data = DOCUMENTS[name]
    host = Host(tmp_path, data)
    host.run(WANTED)
    text = host.path.read_bytes()
    newline = b"" if text.endswith(b"\n") else b"\n"
    more = written_by_codex(text)
    host.path.write_bytes(text + newline + more)
    host.leave()
    left = host.path.read_bytes()
    assert left.endswith(more)
    rest = left[: -len(more)]
    hooks = at(_toml.parse(data).value, ("features", "hooks"))
    if hooks in (ABSENT, True):
        assert rest == data or rest == data + newline


def test_the_pin_comes_back_and_a_hand_edit_stays(host):
    assert host.run({"model": "a"}) == {"model": "created", "features.hooks": "created"}
    host.path.write_bytes(host.path.read_bytes().replace(b"hooks = true", b"hooks = false # quiet").replace(b'"a"', b'"mine"'))
    assert host.run({"model": "a"}) == {"model": "hand_edited", "features.hooks": "pinned"}
    assert host.path.read_bytes() == b'model = "mine"\n\n[features]\nhooks = true # quiet\n'


def test_shared_lists(tmp_path):
    host = Host(tmp_path, b'[sandbox_workspace_write]\nwritable_roots = ["/mine"]\n\n[[skills.config]]\nname = "theirs"\nenabled = false\n')
    data = host.path.read_bytes()
    assert host.run(WANTED)["sandbox_workspace_write.writable_roots"] == "unioned"
    assert host.value["sandbox_workspace_write"]["writable_roots"] == ["/mine", "/srv/ours"]
    assert [skill["name"] for skill in host.value["skills"]["config"]] == ["theirs", "of-ours"]
    host.path.write_bytes(host.path.read_bytes().replace(b', "/srv/ours"', b""))
    assert host.run(WANTED)["sandbox_workspace_write.writable_roots"] == "unioned"
    assert host.value["sandbox_workspace_write"]["writable_roots"] == ["/mine"]
    host.leave()
    assert host.path.read_bytes() == data


def test_a_policy_is_one_value(tmp_path):
    host = Host(tmp_path, b"approval_policy = { granular = {\n  rules = true,\n  sandbox_approval = true,\n  mcp_elicitations = true,\n} }\n")
    data = host.path.read_bytes()
    assert host.run({"approval_policy": "never"})["approval_policy"] == "foreign"
    assert host.run({"approval_policy": "never"}, on_conflict="overwrite")["approval_policy"] == "updated"
    host.leave()
    assert host.path.read_bytes() == data


def test_dates_of_the_person_come_back(tmp_path):
    host = Host(tmp_path, b"model = 1979-05-27T07:32:00Z\nnotify = [07:32:00]\n")
    host.run({"model": "x", "notify": ["y"]}, on_conflict="overwrite")
    host.path.write_bytes(host.path.read_bytes() + b"\n# later\n")
    host.leave()
    assert host.value == {"model": datetime.datetime(1979, 5, 27, 7, 32, tzinfo=datetime.timezone.utc), "notify": [datetime.time(7, 32)]}


def test_records_that_agentihooks_kept_in_the_file_are_taken_over(tmp_path):
    host = Host(tmp_path, b'model = "old"\nnotify = ["mine"]\n\n[agentihooks.managed]\nmodel = "old"\nnotify = ["old"]\n\n[features]\nhooks = true\n')
    outcomes = host.run({"model": "new", "notify": ["new"]})
    assert outcomes == {"agentihooks": "removed", "model": "updated", "notify": "hand_edited", "features.hooks": "unchanged"}
    assert host.path.read_bytes() == b'model = "new"\nnotify = ["mine"]\n\n[features]\nhooks = true\n'


def test_a_file_that_is_no_toml_is_not_touched(tmp_path):
    host = Host(tmp_path, b"[a]\nx = 1\n[a]\n")
    with pytest.raises(SurfaceError, match="line 3, column 1: a is there twice"):
        host.run(WANTED)
    assert os.listdir(str(tmp_path)) == [FILE]


@pytest.mark.parametrize(
    "config, wrong",
    [
        ({"model": "x", "zzz": [1, {"y": None}], "tui": {"theme": "x", "new": 1}}, []),
        ({"approval_policy": "on-request", "tui": {"notifications": ["x"]}, "skills": {"config": [{"name": "x", "enabled": False}]}}, []),
        ({"model": None, "tui": None, "features": {"a": 1}}, []),
        ({"model": 1}, ["model must be a string, not a number"]),
        ({"sandbox_mode": "open"}, ['sandbox_mode must be "read-only" or "workspace-write" or "danger-full-access"']),
        ({"project_doc_max_bytes": -1}, ["project_doc_max_bytes must be a whole number, not negative, not a number"]),
        ({"project_doc_max_bytes": True}, ["project_doc_max_bytes must be a whole number, not negative, not true or false"]),
        ({"notify": "x"}, ["notify must be a list of strings, not a string"]),
        ({"notify": ["x", 1]}, ["notify must be a list of strings, not a list"]),
        ({"tui": "x"}, ["tui must be a table, not a string"]),
        ({"tui": {"notifications": "x"}}, ["tui.notifications must be true or false or a list of strings"]),
        ({"approval_policy": "x"}, ['approval_policy must be "untrusted" or "on-failure" or "on-request" or "never"']),
        ({"approval_policy": {"granular": {"rules": 1}}}, ["approval_policy.granular.rules must be true or false, not a number"]),
        ({"projects": {"/a.b": {"trust_level": "x"}}}, ['projects./a.b.trust_level must be "trusted" or "untrusted"']),
        ({"skills": {"config": [{"enabled": 1}]}}, ["skills.config.*.enabled must be true or false, not a number"]),
        ({"model_reasoning_effort": ""}, ["model_reasoning_effort must not be empty"]),
    ],
)
def test_values_that_codex_does_not_start_with(config, wrong):
    assert [".".join(path) + " " + message for path, message in _codex_config.errors(config)] == wrong


def test_what_a_whole_table_lacks():
    config = {"approval_policy": {"granular": {"rules": True}}, "skills": {"config": [{"name": "x"}, {"enabled": False}]}}
    assert _codex_config.lacking(config) == [
        (("approval_policy", "granular"), "lacks the key sandbox_approval"), (("skills", "config", "*"), "lacks the key enabled"),
    ]  # fmt: skip
    assert _codex_config.lacking({"approval_policy": "never", "skills": {"config": []}}) == []


def test_values_that_depend_on_the_version():
    config = {"approval_policy": "untrusted", "tui": {"notification_method": "osc777"}}
    found = {
        version: [path[0] for path, _message in _codex_config.errors(config, version)] for version in ("0.142.3", "0.154.0", "0.171.0", "", None)
    }
    assert found == {"0.142.3": ["tui"], "0.154.0": ["approval_policy", "tui"], "0.171.0": ["approval_policy"], "": ["approval_policy"], None: []}


def test_keys_that_are_never_written():
    config = {
        "model": "x",
        "hooks": {},
        "mcp_servers": {},
        "_agentihooks": {},
        "profile": "p",
        "features": {"hooks": False, "codex_hooks": True, "a": True},
    }
    kept, warnings = _codex_config.without_reserved(config)
    assert kept == {"model": "x", "features": {"a": True}} and len(warnings) == 6
    assert config["features"]["hooks"] is False


# ----------------------------------------------------------------------------------------------------------------------
# The question to the installed Codex. tests/live asks the real ones; here a program stands in that fails as they do.

CODEX = """#!/bin/sh
printf '%%s\\n' "$@" "$HOME" "$CODEX_HOME" >%s/asked
grep -q bad "$CODEX_HOME/config.toml" || exit 0
[ ! -e "$CODEX_HOME/notes.md" ] || exit 0
echo 'WARNING: something' >&2
printf 'Error: %%s/config.toml:1:9: unknown variant `bad`, expected `good`\\n\\nCaused by:\\n' "$CODEX_HOME" >&2
printf '    1 | model = "bad"\\n      |         ^^^\\n    in `model`\\n' >&2
exit 1
"""


@pytest.fixture
def codex(tmp_path):
    path = tmp_path / "bin" / "codex"
    path.parent.mkdir()
    path.write_text(CODEX % tmp_path)
    path.chmod(0o755)
    return str(path)


def approver(cli, host, home="/nonexistent"):
    return _codex_trial.approver(cli, home, str(host.directory), {"PATH": "/usr/bin:/bin"})


@pytest.fixture
def trial(tmp_path, codex):
    directory = tmp_path / "codex"
    directory.mkdir()
    host = Host(directory)
    host.approve = approver(codex, host)
    return host


def test_a_result_that_codex_refuses_is_not_written(trial, tmp_path):
    trial.path.write_bytes(b"# mine\n")
    for check_mode in (True, False):
        with pytest.raises(SurfaceError) as refusal:
            trial.converge({"model": "bad"}, check_mode, approve=trial.approve)
        assert str(refusal.value).endswith(
            "config.toml: Codex would not start with the wanted values: unknown value, expected `good`; in `model`. It was not touched"
        )
    assert os.listdir(str(trial.directory)) == [FILE] and trial.path.read_bytes() == b"# mine\n"
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:2] == ["features", "list"] and asked[3] == asked[2] + "/.codex" and not os.path.exists(asked[2])


def test_a_file_that_codex_refuses_already_gets_ours_and_a_warning(trial):
    trial.path.write_bytes(b'model = "bad"\n')
    result = trial.converge({"notify": ["x"]}, approve=trial.approve)
    assert result.changed and len(result.warnings) == 1 and "does not start with what stands there already: unknown value" in result.warnings[0]


def test_nobody_is_asked_when_nothing_is_written(trial, tmp_path):
    trial.converge({"model": "good"}, approve=trial.approve)
    (tmp_path / "asked").unlink()
    assert not trial.converge({"model": "good"}, approve=trial.approve).changed
    assert not (tmp_path / "asked").exists()


def test_a_file_that_the_configuration_names_is_there_for_codex(trial):
    (trial.directory / "notes.md").write_text("x")
    assert trial.converge({"model": "bad", "model_instructions_file": "notes.md"}, approve=trial.approve).changed


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 127\n", "#!/bin/sh\necho no such command >&2\nexit 2\n", "#!/nonexistent\n"])
def test_a_codex_that_cannot_be_asked_stops_nobody(host, tmp_path, text):
    cli = tmp_path / "broken"
    cli.write_text(text)
    cli.chmod(0o755)
    assert host.converge({"model": "bad"}, approve=approver(str(cli), host)).changed


def test_without_codex_nobody_is_asked(host):
    assert host.converge({"model": "bad"}, approve=approver(None, host)).changed


def test_the_ledger_keeps_dates(host):
    originals = _ledger.Originals({"x": {("a",): datetime.date(1979, 5, 27), ("b",): {"": "date", "text": "x", "more": 1}}})
    assert _ledger.load_originals(_ledger.dump_originals(originals)).values == originals.values
