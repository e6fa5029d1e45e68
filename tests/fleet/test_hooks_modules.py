# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""hooks_runtime and copilot_hooks on a real account: what check mode says happens, drift is pinned, leaving leaves nothing."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from playbook import Controller, picture

FOREIGN = {"type": "command", "command": "~/bin/notify.sh"}


PRESENT = (("hooks_runtime", {}), ("copilot_hooks", {}))
ABSENT = (("copilot_hooks", {"state": "absent"}), ("hooks_runtime", {"state": "absent"}))


def assert_reached(user, command, home):
    """The registered command, run by either shell, reaches the runtime: it alone says that it does not understand this input."""
    for shell in ("bash", "/bin/sh"):
        done = user.run([shell, "-c", command], input="no JSON", env={"HOME": str(home), "COPILOT_CLI_BINARY_VERSION": "1.0.102"})
        answer = json.loads(done.stdout)
        assert answer["permissionDecision"] == "deny" and "runtime.failed" in answer["permissionDecisionReason"], done


def test_a_fresh_home_and_back(controller):
    user = controller.user
    before = picture(user.home)
    run = controller.converge(*PRESENT)
    assert run.code == 0 and run.changed == 2 and set(run.changes.values()) == {"created"}, run.output
    command = json.loads((user.home / ".copilot/hooks/agentihooks.json").read_text())["hooks"]["preToolUse"][0]["command"]
    assert_reached(user, command, user.home)
    assert set(controller.converge(*ABSENT).changes.values()) == {"removed"}
    assert picture(user.home) == before


def test_the_runtime_is_sent_only_to_a_host_that_lacks_some_of_it(controller):
    def executions():
        run = controller.tasks(("hooks_runtime", {}), arguments=["-vvv"])
        assert run.code == 0, run.output
        return run.output.count("plugins/modules/hooks_runtime.py\n")

    source = controller.user.home / ".agentihooks/runtime/current/agentihooks/pipeline.py"
    assert executions() == 2
    whole = source.read_bytes()
    (source.parent / "json.py").write_text("")
    assert executions() == 1 and not (source.parent / "json.py").exists()
    source.write_bytes(whole + b"#")
    assert executions() == 2 and source.read_bytes() == whole
    assert executions() == 1


def test_check_mode_writes_nothing(controller):
    user = controller.user
    for _round in range(2):
        before = picture(user.home)
        assert controller.tasks(*PRESENT, arguments=["--check", "--diff"]).changed == 2
        assert picture(user.home) == before
        controller.tasks(*PRESENT)
        user.write(".copilot/agentihooks-hook.sh", "")
        user.write(".agentihooks/policy.json", "")


def test_damage_is_predicted_reported_as_pinned_and_put_right(controller):
    user = controller.user
    controller.tasks(*PRESENT)
    whole = picture(user.home)
    runtime = (user.home / ".agentihooks/runtime/current").resolve()
    hooks = user.home / ".copilot/hooks/agentihooks.json"
    wrapper = user.home / ".copilot/agentihooks-hook.sh"
    (runtime / "agentihooks/guards/secrets.py").write_text("def judge(*args):\n    return []\n")
    (runtime / "agentihooks/policy.py").unlink()
    (runtime / "agentihooks/json.py").write_text("")
    (user.home / ".agentihooks/policy.json").write_text('{"guard_failure": "allow"}')
    (user.home / ".agentihooks/policy.json").chmod(0o644)
    wrapper.write_text("#!/bin/sh\nexit 0\n")
    wrapper.chmod(0o600)
    content = json.loads(hooks.read_text())
    content["hooks"]["preToolUse"][0]["command"] += " || true"
    del content["hooks"]["permissionRequest"]
    hooks.write_text(json.dumps(content, indent=2) + "\n")
    run = controller.converge(*PRESENT)
    assert set(run.changes.values()) == {"pinned"}, run.output
    for place in ("secrets.py", "policy.py", "json.py", "policy.json", "agentihooks-hook.sh", "hooks:preToolUse", "hooks:permissionRequest"):
        assert any(path.endswith(place) for path in run.changes), place
    ledger = ".copilot/.agentihooks-managed.json"
    same = {path: seen for path, seen in picture(user.home).items() if not path.startswith(ledger) and not path.endswith(("hooks/agentihooks.json", ".pyc"))}
    assert same == {path: whole[path] for path in same}
    assert sorted(json.loads(hooks.read_text())["hooks"]) == sorted(content["hooks"] | {"permissionRequest": 0})


def test_byte_code_that_was_tampered_with_does_not_survive(controller):
    user = controller.user
    controller.tasks(*PRESENT)
    runtime = (user.home / ".agentihooks/runtime/current").resolve()
    (cache,) = (runtime / "agentihooks/__pycache__").glob("supervisor.*.pyc")
    good = cache.read_bytes()
    (other,) = (runtime / "agentihooks/__pycache__").glob("vocabulary.*.pyc")
    cache.write_bytes(good[:16] + other.read_bytes()[16:])
    run = controller.converge(*PRESENT)
    assert list(run.changes.values()) == ["pinned"] and cache.read_bytes() == good


def test_a_killed_deployment_is_done_again(controller):
    user = controller.user
    user.write(".agentihooks/runtime/.build-killed/main.py", "half")
    user.write(".agentihooks/notes.txt", "mine")
    run = controller.converge(*PRESENT)
    assert run.changes[str(user.home / ".agentihooks/runtime/.build-killed")] == "removed"
    assert not (user.home / ".agentihooks/runtime/.build-killed").exists()
    user.write(".agentihooks/logs/hooks.log", "{}\n")
    controller.converge(*ABSENT)
    assert [path.name for path in (user.home / ".agentihooks").iterdir()] == ["notes.txt"]


def test_a_new_version_keeps_the_one_before_and_no_older(controller):
    user = controller.user
    controller.tasks(*PRESENT)
    runtime = user.home / ".agentihooks/runtime"
    current = os.readlink(str(runtime / "current"))
    for age, name in enumerate(["previous", "older", "oldest"]):
        user.run(["cp", "-a", str(runtime / current), str(runtime / name)])
        os.utime(str(runtime / name), (0, 1_000_000_000 - age))
    user.run(["rm", "-rf", str(runtime / current)])
    user.run(["ln", "-sfn", "previous", str(runtime / "current")])
    run = controller.converge(*PRESENT)
    assert sorted(path.name for path in runtime.iterdir()) == sorted([current, "current", "previous"])
    assert run.changes[str(runtime / current)] == "updated" and run.changes[str(runtime / "older")] == "removed"


@pytest.mark.parametrize("place, reason", [(".agentihooks", "can be changed by every account"), (".agentihooks/runtime", "which belongs to root")])
def test_a_link_to_somebody_elses_directory_is_refused(controller, place, reason):
    user = controller.user
    theirs = controller.scratch / "theirs"
    theirs.mkdir()
    theirs.chmod(0o777)
    (user.home / place).parent.mkdir(exist_ok=True)
    os.chown(str((user.home / place).parent), user.uid, user.gid)
    (user.home / place).symlink_to(theirs)
    for arguments in (["--check"], []):
        run = controller.tasks(("hooks_runtime", {}), arguments=arguments)
        assert reason in run.message and list(theirs.iterdir()) == []


def test_an_own_link_to_another_disk_is_followed(controller):
    user = controller.user
    user.run(["mkdir", "-m", "700", "disk"])
    user.run(["ln", "-s", "disk", ".agentihooks"])
    controller.converge(*PRESENT)
    assert (user.home / "disk/runtime/current/main.py").exists()
    controller.converge(*ABSENT)
    assert os.readlink(str(user.home / ".agentihooks")) == "disk" and list((user.home / "disk").iterdir()) == []


# Hooks files that Copilot would not load either: the run stops, the file and the wrapper stay as they are.
REFUSED = [
    (b'\xef\xbb\xbf{"version": 1}', "byte order mark"),
    (b'{"version": 1, // mine\n "hooks": {}}', "line 1, column 16"),
    (b'{"hooks": {"preToolUse": [', "line 1"),
    (b"[]", "no JSON object"),
    (b"null", "no JSON object"),
    (b'{"hooks": {"preToolUse": {}}}', "hooks.preToolUse is no list"),
    (b'{"hooks": "\xe9"}', "UTF-8"),
]


def test_a_hooks_file_that_cannot_be_read_is_refused_and_untouched(controller):
    user = controller.user
    for number, (data, _word) in enumerate(REFUSED):
        user.write("%d/.copilot/hooks/agentihooks.json" % number, data)
    before = picture(user.home)
    tasks = [{"agentihooks.fleet.copilot_hooks": {"home": str(user.home / str(number))}, "ignore_errors": True} for number in range(len(REFUSED))]
    run = controller.play([dict(task, check_mode=True) for task in tasks] + tasks)
    assert len(run.results) == 2 * len(REFUSED), run.output
    for result, (_data, word) in zip(run.results, REFUSED * 2):
        assert word in result["msg"] and "agentihooks.json" in result["msg"]
    assert picture(user.home) == before


# Hooks files that are there before us: (what, content, mode). Ours goes beside what they hold, and they come back as they were.
BEFORE = {
    "empty": ("", 0o644),
    "an empty object": ("{}", 0o600),
    "entries of somebody else": (json.dumps({"version": 1, "hooks": {"preToolUse": [FOREIGN], "errorOccurred": [FOREIGN]}}, indent=4), 0o640),
    "one line": (json.dumps({"version": 1, "hooks": {"preToolUse": [FOREIGN]}}), 0o644),
    "Windows line ends": ('{\r\n  "version": 1,\r\n  "hooks": {"agentStop": [{"command": "true"}]}\r\n}\r\n', 0o644),
    "switched off": (json.dumps({"version": 1, "disableAllHooks": True, "hooks": {}}), 0o644),
}


def test_a_hooks_file_that_was_there_comes_back_byte_for_byte(controller):
    user = controller.user
    homes = {name: user.home / str(number) for number, name in enumerate(BEFORE)}
    paths = {name: user.write("%s/.copilot/hooks/agentihooks.json" % homes[name].name, *BEFORE[name]) for name in BEFORE}
    before = picture(user.home)
    controller.converge(*[("copilot_hooks", {"home": str(home)}) for home in homes.values()])
    for name, (text, mode) in BEFORE.items():
        content = json.loads(paths[name].read_text())
        assert len(content["hooks"]["preToolUse"]) == (2 if "preToolUse" in text else 1), name
        assert content.get("disableAllHooks", False) is False, name
        assert oct(paths[name].stat().st_mode & 0o777) == oct(mode), name
    controller.converge(*[("copilot_hooks", {"home": str(home), "state": "absent"}) for home in homes.values()])
    assert picture(user.home) == before


def test_what_the_person_added_stays_when_we_go(controller):
    user = controller.user
    controller.tasks(*PRESENT)
    path = user.home / ".copilot/hooks/agentihooks.json"
    content = json.loads(path.read_text())
    content["hooks"]["preToolUse"].append(FOREIGN)
    path.write_text(json.dumps(content))
    assert controller.tasks(*PRESENT).changed == 0
    user.write(".copilot/hooks/mine.json", json.dumps({"hooks": {"sessionEnd": [FOREIGN]}}))
    controller.converge(*ABSENT)
    assert json.loads(path.read_text()) == {"version": 1, "hooks": {"preToolUse": [FOREIGN]}}
    assert sorted(item.name for item in (user.home / ".copilot").rglob("*")) == ["agentihooks.json", "hooks", "mine.json"]


def test_the_old_registration_is_replaced(controller):
    user = controller.user
    old = {"version": 1, "hooks": {"SessionStart": [{"type": "command", "command": "~/.copilot/agentihooks-hook.sh", "timeoutSeconds": 30}]}}
    path = user.write(".copilot/hooks/agentihooks.json", json.dumps(old))
    controller.converge(*PRESENT)
    assert "SessionStart" not in json.loads(path.read_text())["hooks"]
    controller.converge(*ABSENT)
    assert "agentihooks-hook" not in path.read_text()


def test_a_linked_hooks_file_stays_a_link_and_a_linked_wrapper_does_not(controller):
    user = controller.user
    user.write("dotfiles/hooks.json", json.dumps({"version": 1, "hooks": {}}))
    user.write("dotfiles/precious", "mine")
    user.run(["mkdir", "-p", ".copilot/hooks"])
    user.run(["ln", "-s", "../../dotfiles/hooks.json", ".copilot/hooks/agentihooks.json"])
    user.run(["ln", "-s", "../dotfiles/precious", ".copilot/agentihooks-hook.sh"])
    controller.converge(*PRESENT)
    assert (user.home / ".copilot/hooks/agentihooks.json").is_symlink()
    assert "preToolUse" in (user.home / "dotfiles/hooks.json").read_text()
    assert not (user.home / ".copilot/agentihooks-hook.sh").is_symlink()
    assert (user.home / "dotfiles/precious").read_text() == "mine"


def test_other_registrations_of_the_wrapper_are_reported_and_left(controller):
    user = controller.user
    ours = {"hooks": {"preToolUse": [{"command": "~/.copilot/agentihooks-hook.sh preToolUse"}]}}
    user.write(".copilot/settings.json", json.dumps(dict(ours, disableAllHooks=True)))
    user.write(".copilot/hooks/sub/other.json", json.dumps(ours))
    before = (user.home / ".copilot/settings.json").read_bytes()
    run = controller.tasks(*PRESENT)
    assert run.code == 0
    warnings = " ".join(run.output.split())
    assert 'settings.json also registers the wrapper under "hooks"' in warnings
    assert "settings.json sets disableAllHooks" in warnings
    assert "hooks/sub/other.json also registers the wrapper" in warnings
    assert (user.home / ".copilot/settings.json").read_bytes() == before


@pytest.mark.exhaustive
def test_homes_with_odd_names(controller):
    user = controller.user
    homes = [user.home / name for name in ("dev user é", "o'brien", 'a$HOME"b', "back\\slash")]
    for home in homes:
        user.run(["mkdir", str(home)])
    controller.converge(*[(module, {"home": str(home)}) for home in homes for module in ("hooks_runtime", "copilot_hooks")])
    for home in homes:
        command = json.loads((home / ".copilot/hooks/agentihooks.json").read_text())["hooks"]["preToolUse"][0]["command"]
        assert_reached(user, command, home)
    controller.converge(*[(module, {"home": str(home), "state": "absent"}) for home in homes for module in ("copilot_hooks", "hooks_runtime")])
    assert [list(home.iterdir()) for home in homes] == [[]] * len(homes)


def test_the_payload_is_in_no_output(controller):
    run = controller.play(
        [{"agentihooks.fleet.hooks_runtime": {}}, {"agentihooks.fleet.hooks_runtime": {"deadline": "soon"}, "ignore_errors": True}], arguments=["-vvvv"]
    )
    longest = max(len(word) for word in run.output.split())
    assert longest < 2000, [word[:200] for word in run.output.split() if len(word) > 2000]


def test_a_wrong_option_is_refused_before_anything_is_written(controller):
    before = picture(controller.user.home)
    wrong = [
        ({"python": "/bin/true"}, "does not answer like a Python"),
        ({"python": "/no/python3"}, "does not exist"),
        ({"deadline": 25}, "at most 20 seconds"),
        ({"deadline": 0}, "more than 0"),
        ({"home": "relative"}, "not an absolute path"),
    ]
    run = controller.play([{"agentihooks.fleet.hooks_runtime": options, "ignore_errors": True} for options, _word in wrong])
    for result, (_options, word) in zip(run.results, wrong):
        assert word in result["msg"], result
    assert picture(controller.user.home) == before


def test_another_interpreter_takes_over_in_place(controller):
    user = controller.user
    controller.tasks(*PRESENT)
    user.run(["cp", "/usr/bin/python3", str(user.home / "python3")])
    run = controller.converge(("hooks_runtime", {"python": str(user.home / "python3")}))
    link = user.home / ".agentihooks/runtime/current/python"
    assert os.readlink(str(link)) == str(user.home / "python3") and set(run.changes.values()) == {"pinned"}


def test_as_root_nothing_becomes_roots(controller, collections_path):
    user = controller.user
    root = Controller.__new__(Controller)
    root.__dict__.update(controller.__dict__, user=_Root())
    os.chown(str(controller.scratch), 0, 0)
    controller.scratch.chmod(0o755)
    root.tasks(*[(module, {"home": str(user.home)}) for module in ("hooks_runtime", "copilot_hooks")])
    done = subprocess.run(["find", str(user.home), "!", "-user", user.name], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"" and (user.home / ".copilot/hooks/agentihooks.json").exists()


class _Root:
    """Runs what a scratch account would run, as root."""

    @staticmethod
    def run(argv, env=None, check=True, timeout=60):
        clean = dict({"HOME": "/nonexistent", "LANG": "C.UTF-8"}, **(env or {}))
        return subprocess.run(argv, env=clean, check=check, timeout=timeout, capture_output=True, text=True, cwd="/")


def test_an_entry_that_somebody_added_survives_a_repair_and_the_removal(controller):
    """A repair rewrites the file with their entry in it; that must not make it ours."""
    user = controller.user
    file = user.home / ".copilot" / "hooks" / "agentihooks.json"
    assert controller.site().code == 0
    content = json.loads(file.read_text())
    content["hooks"]["preToolUse"].append({"type": "command", "command": "/bin/true", "timeoutSec": 5})
    content["hooks"]["sessionStart"][0]["timeoutSec"] = 1
    user.write(".copilot/hooks/agentihooks.json", json.dumps(content), mode=0o600)
    assert controller.site().changed == 1
    assert controller.tasks(("copilot_hooks", {"state": "absent"})).code == 0
    left = json.loads(file.read_text())
    assert left["hooks"] == {"preToolUse": [{"type": "command", "command": "/bin/true", "timeoutSec": 5}]}
