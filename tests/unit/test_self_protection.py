# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-protection where files exist: edits are judged by what they leave, links by where they lead. The rest: guard_cases."""

from __future__ import annotations

import json
import os

import pytest
from agentihooks import pipeline, protected_files
from agentihooks.event import Call, Context, Event
from agentihooks.guards import self_protection

OFF = '{"disableAllHooks": true}'


@pytest.fixture
def place(tmp_path):
    """A home with a runtime, both CLIs' configuration and a project; returns a function call -> rule ids."""
    home = tmp_path / "home"
    for directory in (".agentihooks/runtime", ".copilot/hooks", ".codex", "project/.claude", "project/.github/copilot"):
        (home / directory).mkdir(parents=True)
    for name in (".agentihooks/policy.json", ".copilot/hooks/agentihooks.json", ".copilot/settings.json", ".codex/config.toml"):
        (home / name).write_text("{}\n" if name.endswith("json") else 'model = "x"\n')

    def judge(kind, environ=None, cwd="project", **args):
        event = Event("copilot", "PreToolUse", "camel", cwd=str(home / cwd), calls=[Call(kind, kind, args)])
        context = Context(str(home), {}, os.path.realpath, pipeline.read, str(home / ".agentihooks"), environ)
        return [denied.rule for denied in self_protection.check(event, context)]

    judge.home = home
    return judge


def settings(place, text, name="project/.claude/settings.json"):
    (place.home / name).write_text(text)
    return str(place.home / name)


def test_flipping_a_value_is_judged_by_the_result(place):
    path = settings(place, '{\n  "disableAllHooks":\n    false,\n  "x": false\n}\n')
    assert place("edit", path=path, old_str='    false,\n  "x"', new_str='    true,\n  "x"') == ["self.settings"]
    assert place("edit", path=path, old_str='"x": false', new_str='"x": true') == []
    assert place("patch", patch="*** Begin Patch\n*** Update File: %s\n@@\n-    false,\n+    true,\n*** End Patch" % path) == ["self.settings"]
    assert place("patch", patch='*** Begin Patch\n*** Update File: %s\n@@\n-  "x": false\n+  "x": true\n*** End Patch' % path) == []


def test_hooks_that_are_there_may_stay_beside_harmless_changes(place):
    path = settings(place, json.dumps({"hooks": {"Stop": []}, "model": "a"}, indent=1))
    assert place("edit", path=path, old_str='"model": "a"', new_str='"model": "b"') == []
    assert place("edit", path=path, old_str='"Stop": []', new_str='"Stop": [1]') == ["repository.hooks"]
    assert place("shell", command="echo '{\"model\": \"b\"}' > .claude/settings.json") == ["repository.hooks"]


def test_a_key_that_is_put_together_from_two_places_is_seen(place):
    path = settings(place, '{"disableAl": true}')
    assert place("edit", path=path, old_str='Al"', new_str='AllHooks"') == ["self.settings"]
    assert place("edit", path=path, edits=[{"old_str": 'Al"', "new_str": 'AllHo"'}, {"old_str": 'Ho"', "new_str": 'Hooks"'}]) == ["self.settings"]


def test_an_edit_that_does_not_fit_is_denied_only_when_it_speaks_of_hooks(place):
    path = settings(place, '{"model": "a"}')
    assert place("edit", path=path, old_str="not there", new_str="x") == []
    assert place("edit", path=path, old_str="not there", new_str="disableAllHooks") == ["self.unjudged"]


def test_comments_and_byte_order_marks_hide_nothing(place):
    path = settings(place, "{}")
    for text in ('\ufeff{"disableAllHooks": true}', '{"a": "//", "disableAllHooks": true,}', '{/*"*/"disableAllHooks"/**/:true}', '{"disableAllHooks": true'):
        assert place("write", path=path, file_text=text) == ["self.settings"], text
    assert place("write", path=path, file_text='{"a": "/* hooks */", // hooks: see README\n}') == []


def test_the_last_of_two_equal_keys_counts_as_for_the_cli(place):
    path = settings(place, "{}")
    assert place("write", path=path, file_text='{"disableAllHooks": false, "disableAllHooks": true}') == ["self.settings"]


def test_switching_hooks_back_on_is_allowed(place):
    path = settings(place, OFF)
    assert place("edit", path=path, old_str="true", new_str="false") == []
    assert place("shell", command="rm .claude/settings.json") == []


def test_copies_are_judged_by_what_they_bring(place):
    settings(place, OFF, "project/off.json")
    settings(place, '{"model": "a"}', "project/on.json")
    assert place("shell", command="cp off.json .claude/settings.json") == ["self.settings"]
    assert place("shell", command="cp off.json .claude/settings.json.bak") == []
    assert place("shell", command="mkdir -p x; mv off.json .github/copilot/settings.json") == ["self.settings"]
    assert place("shell", command="python3 gen.py; cp on.json .claude/settings.json") == ["self.unjudged"]
    assert place("shell", command="cp on.json .claude/settings.json") == []


def test_codex_tables_are_judged_by_the_result(place):
    path = settings(place, '[features]\nhooks = true\n[hooks.state."k"]\ntrusted_hash = "sha256:0"\n', ".codex/config.toml")
    assert place("edit", path=path, old_str="hooks = true", new_str="hooks = false") == ["self.settings"]
    assert place("edit", path=path, old_str="sha256:0", new_str="sha256:1") == ["self.settings"]
    assert place("edit", path=path, old_str="[features]", new_str='model = "y"\n[features]') == []
    assert place("write", path=path, file_text='model = "y"\n') == ["self.settings"]
    assert place("shell", command="echo 'enabled = false' >> ~/.codex/config.toml") == ["self.settings"]


@pytest.mark.parametrize("target", [".agentihooks/policy.json", ".copilot/hooks/agentihooks.json", ".copilot/hooks", ".agentihooks"])
def test_a_link_is_judged_by_where_it_leads(place, target):
    (place.home / "project" / "notes").symlink_to(place.home / target)
    path = "notes" if (place.home / target).is_file() else "notes/policy.json"
    assert place("write", path=path, file_text="x") == ["self.files"]
    for command in ("echo x > %s", "cp a %s", "tee %s < a", "sed -i s/a/b/ %s", "rm %s/" if path == "notes" else "rm %s", "truncate -s0 %s"):
        assert place("shell", command=command % path) == ["self.files"], command


def test_a_home_behind_a_link_is_the_same_home(place):
    (place.home.parent / "link").symlink_to(place.home)
    other = str(place.home.parent / "link")
    assert place("shell", command="rm %s/.copilot/hooks/agentihooks.json" % other) == ["self.files"]
    event = Event("copilot", "PreToolUse", "camel", cwd="/", calls=[Call("bash", "shell", {"command": "rm %s/.codex/hooks.json" % place.home})])
    assert self_protection.check(event, Context(other, {}, os.path.realpath, pipeline.read, other + "/.agentihooks"))


def test_a_managed_dotfile_is_the_file_it_stands_for(place):
    dotfiles = place.home / "dotfiles"
    dotfiles.mkdir()
    (place.home / ".copilot/hooks/agentihooks.json").rename(dotfiles / "h.json")
    (place.home / ".copilot/hooks/agentihooks.json").symlink_to(dotfiles / "h.json")
    assert place("shell", command="echo > ~/dotfiles/h.json") == ["self.files"]


def test_configuration_homes_from_the_environment_count_too(place):
    environ = {"COPILOT_HOME": "/srv/cop", "CODEX_HOME": "/srv/cod", "AGENTIHOOKS_HOME": "/srv/ah"}
    for path in ("/srv/cop/hooks/x.json", "$COPILOT_HOME/agentihooks-hook.sh", "/srv/cod/hooks.json", "${CODEX_HOME}/rules/x", "/srv/ah/policy.json"):
        assert place("shell", environ, command="rm " + path) == ["self.files"], path
    assert place("shell", environ, command="rm ~/.agentihooks/policy.json") == ["self.files"]
    assert place("write", environ, path="/srv/cop/settings.json", file_text=OFF) == ["self.settings"]


def test_an_environment_without_a_home_protects_all_the_same(place):
    event = Event("copilot", "PreToolUse", "camel", cwd="/", calls=[Call("bash", "shell", {"command": "rm %s/.copilot/hooks/x.json" % place.home})])
    assert self_protection.check(event, Context("", {}, os.path.realpath, pipeline.read, str(place.home / ".agentihooks")))


@pytest.mark.parametrize("cwd, command", [("../home/.agentihooks", "rm policy.json"), (".copilot", "mv hooks x"), (".", "rm -r .codex"),
                                          ("project", "rm ../.*/policy.json")])
def test_relative_paths_are_seen_from_the_sessions_directory(place, cwd, command):
    assert place("shell", cwd=cwd, command=command) == ["self.files"]


def test_case_does_not_matter(place):
    assert place("shell", command="rm ~/.AgentiHooks/Policy.json") == ["self.files"]


@pytest.mark.parametrize("text", ["", "[", "null", '{"a": ' * 5000, "\x00", "[[[[\n]]", 'a = """\n[hooks]\n"""', "\\u", "\\ud800"])
def test_no_content_makes_it_raise(place, text):
    for name in (".claude/settings.json", "~/.codex/config.toml", "~/.bashrc"):
        place("write", path=name, file_text=text)
        settings(place, text.replace("\\ud800", "x"))
        place("edit", path=name, old_str="a", new_str=text)


def test_load_reads_what_the_cli_reads():
    assert protected_files.load('{"a": "x // y", /* c */ "b": [1, 2,], // d\n}') == {"a": "x // y", "b": [1, 2]}
    assert protected_files.load("[1]") is None and protected_files.load("") == {}
