# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""copilot.env and the shell block on a real account: many starting states, the shells that read them, and no value in any output."""

from __future__ import annotations

import json
import os
import stat
import subprocess

from ansible_collections.agentihooks.fleet.plugins.module_utils import _directives, _environment
from playbook import picture

ENV = ".agentihooks/copilot.env"
HOSTILE = {
    "QUOTES": "it's \"quoted\" ''twice''",
    "STARTS": "'",
    "DOLLAR": "$HOME `touch RAN` $(touch RAN) ${X:-y} !! #x ~ *",
    "SPACES": "  a  b\t",
    "UNICODE": "héllo – 漢",
    "EMPTY": "",
    "NUMBER": "1",
    "WORD": "True",
}
DIRECTIVES = {"allowAll": True, "channels": ["brain", "amygdala"], "suppressBrowserLaunch": True}
WANTED = {"surfaces": ["environment"], "environment": {"TOKEN": "hunter2 value"}, "directives": {"channels": ["brain"]}}
LINES = "AGENTIHOOKS_BASE_CHANNELS='brain'\nTOKEN='hunter2 value'\n"
BEGIN, END = _environment.SHELL_FILE.begin, _environment.SHELL_FILE.end
BLOCK = "%s\n%s%s\n" % (BEGIN, _environment.block("$HOME/" + ENV), END)
NEW = {"copilot.env:AGENTIHOOKS_BASE_CHANNELS": "created", "copilot.env:TOKEN": "created", ".bashrc": "created"}
UNSPLIT = BLOCK.replace(BEGIN + "\n", BEGIN + " \n")


def exported(user, shell, names, home=None):
    """What a program started from an interactive shell of the account has, by name."""
    done = user.run([shell, "-ic", "exec env -0"], env={"HOME": str(home or user.home), "TERM": "dumb"}, timeout=30)
    pairs = dict(entry.split("=", 1) for entry in done.stdout.split("\0") if "=" in entry)
    return {name: pairs.get(name) for name in names}


# What stands in a home before: name -> (files, changes of the run, files after it). The login shell is bash.
STATES = {
    "nothing": ({}, NEW, {ENV: LINES, ".bashrc": BLOCK}),
    "a person's bashrc": ({".bashrc": "alias x=y\n"}, NEW, {ENV: LINES, ".bashrc": "alias x=y\n" + BLOCK}),
    "without a last line end": ({".bashrc": "alias x=y"}, NEW, {".bashrc": "alias x=y\n" + UNSPLIT}),
    "bytes": ({".bashrc": b"# caf\xe9\r\n"}, NEW, {".bashrc": b"# caf\xe9\r\n" + BLOCK.encode()}),
    "zsh is used too": ({".zshrc": "x=1\n"}, dict(NEW, **{".zshrc": "created"}), {".zshrc": "x=1\n" + BLOCK, ".bashrc": BLOCK}),
    "a person's variables": ({ENV: "# mine\nexport A=\"1\"\n"}, NEW, {ENV: "# mine\nexport A=\"1\"\n" + LINES}),
    "the same in other words": (
        {ENV: "TOKEN=\"hunter2 value\" \nTOKEN=\"hunter2 value\"\n"},
        {key: outcome for key, outcome in NEW.items() if "TOKEN" not in key},
        {ENV: "TOKEN=\"hunter2 value\" \nTOKEN=\"hunter2 value\"\n" + LINES.splitlines()[0] + "\n"},
    ),
    "another value of the person": (
        {ENV: "TOKEN=$(pass show token)\n"}, dict(NEW, **{"copilot.env:TOKEN": "foreign"}), {ENV: "TOKEN=$(pass show token)\n" + LINES.splitlines()[0] + "\n"}
    ),  # fmt: skip
    "a block of an unknown hand": ({".bashrc": BEGIN + "\necho x\n" + END + "\n"}, dict(NEW, **{".bashrc": "foreign"}), {ENV: LINES}),
}


def make(user, home, files):
    for name, content in files.items():
        user.write("%s/%s" % (home, name), content, mode=0o600 if name == ENV else 0o644)


def test_starting_states_and_back(controller):
    user = controller.user
    homes = {name: user.home / ("state%d" % number) for number, name in enumerate(STATES)}
    for name, home in homes.items():
        user.run(["mkdir", "-p", str(home)])
        make(user, home.name, STATES[name][0])
        if (home / ".agentihooks").exists():
            (home / ".agentihooks").chmod(0o700)
    before = {name: picture(home) for name, home in homes.items()}
    run = controller.converge(*[("hooks_runtime", dict(WANTED, home=str(home))) for home in homes.values()])
    for name, result in zip(STATES, run.results):
        _files, changes, after = STATES[name]
        found = {":".join(change["path"]): change["outcome"] for change in result["changes"] if change["outcome"] != "unchanged"}
        assert found == changes, name
        for path, content in after.items():
            assert (homes[name] / path).read_bytes() == (content if isinstance(content, bytes) else content.encode()), (name, path)
        assert stat.S_IMODE((homes[name] / ENV).stat().st_mode) == 0o600
    controller.tasks(*[("hooks_runtime", {"home": str(home), "state": "absent", "surfaces": ["environment"]}) for home in homes.values()])
    assert {name: picture(home) for name, home in homes.items()} == before


REFUSED = {
    "one mark": ({".bashrc": "x=1\n" + BEGIN + "\n"}, ".bashrc, line 2: has the mark"),
    "two pairs": ({".bashrc": BLOCK + BLOCK}, "a second time"),
    "an open quote": ({ENV: "A=1\nB='\n"}, "copilot.env, line 2: has a quote"),
    "a damaged shell file beside a good one": ({".zshrc": END + "\n"}, ".zshrc, line 1: has the mark"),
}


def test_what_is_damaged_stops_everything_before_anything_is_written(controller):
    user = controller.user
    homes = {name: user.home / ("state%d" % number) for number, name in enumerate(REFUSED)}
    for name, home in homes.items():
        make(user, home.name, REFUSED[name][0])
    dangling, closed = user.home / "dangling", user.home / "closed"
    user.run(["mkdir", str(dangling), str(closed)])
    user.run(["ln", "-s", "nowhere", str(dangling / ".bashrc")])
    user.run(["chmod", "555", str(closed)])
    before = picture(user.home)
    cases = [(homes[name], REFUSED[name][1]) for name in REFUSED] + [(dangling, "symbolic link to"), (closed, "not writable")]
    wanted = {key: value for key, value in WANTED.items() if key != "surfaces"}
    tasks = [{"agentihooks.fleet.hooks_runtime": dict(wanted, home=str(home)), "ignore_errors": True} for home, _word in cases]
    run = controller.play([dict(task, check_mode=True) for task in tasks] + tasks, arguments=["--diff"])
    assert len(run.results) == 2 * len(cases), run.output
    for result, (_home, word) in zip(run.results, cases * 2):
        assert word in result["msg"], result
    assert "shell_files" in run.results[0]["msg"]
    assert picture(user.home) == before
    user.run(["chmod", "755", str(closed)])
    tasks = [("hooks_runtime", dict(WANTED, home=str(home), shell_files=[])) for home, _word in cases if home not in (homes["an open quote"],)]
    assert controller.converge(*tasks).changed == len(tasks)


def test_the_shells_hand_every_value_to_what_they_start(controller):
    user = controller.user
    user.write(".zshrc", "setopt RC_QUOTES\n")
    user.write(".bashrc", user.home.joinpath(".bashrc").read_bytes() + b"shopt -s histexpand\n")
    run = controller.converge(("hooks_runtime", {"environment": HOSTILE, "directives": DIRECTIVES}))
    assert run.changes[".bashrc"] == run.changes[".zshrc"] == "created"
    wanted = dict(HOSTILE, COPILOT_ALLOW_ALL="true", AGENTIHOOKS_BASE_CHANNELS="brain,amygdala")
    for shell in ("bash", "zsh"):
        assert exported(user, shell, wanted) == wanted, shell
        argv = json.loads(exported(user, shell, ["COPILOT_DEBUG_BROWSER"])["COPILOT_DEBUG_BROWSER"])
        user.run(["mkdir", "-p", ".copilot"])
        user.run(argv + ["https://login.example/?a=b&c=$(touch RAN)"])
    pending = user.home / ".copilot" / _directives.SINK_FILE
    assert pending.read_text() == 2 * "https://login.example/?a=b&c=$(touch RAN)\n" and stat.S_IMODE(pending.stat().st_mode) == 0o600
    assert not list(user.home.rglob("RAN"))


def test_what_the_person_changes_stays_and_is_reported(controller):
    user = controller.user
    user.write(".zshrc", "")
    both = dict(WANTED, environment={"ONE": "1", "TWO": "2", "THREE": "3"}, shell_files=["~/.bashrc", ".zshrc"])
    controller.converge(("hooks_runtime", both))
    env, bashrc, zshrc = (user.home / name for name in (ENV, ".bashrc", ".zshrc"))
    text = env.read_text().replace("ONE='1'", "ONE=mine").replace("TWO='2'\n", "# mine\n")
    user.write(ENV, text.replace("THREE='3'", 'export THREE="3"'), mode=0o600)
    user.write(".bashrc", bashrc.read_text().replace("fi\n" + END, "fi\nexport ONE=block\n" + END))
    user.write(".zshrc", "# without\n")
    before = [path.read_bytes() for path in (env, bashrc, zshrc)]
    edited = {"copilot.env:ONE": "hand_edited", "copilot.env:TWO": "hand_edited", ".bashrc": "hand_edited", ".zshrc": "hand_edited"}
    run = controller.tasks(("hooks_runtime", both))
    assert run.changed == 0 and run.changes == edited
    assert run.results[0]["hand_edited"] == [["copilot.env", "ONE"], ["copilot.env", "TWO"], [".bashrc"], [".zshrc"]]
    assert [path.read_bytes() for path in (env, bashrc, zshrc)] == before
    run = controller.converge(("hooks_runtime", dict(both, reclaim=[["copilot.env", "ONE"], [".zshrc"], ["model"]])))
    assert run.changes == dict(edited, **{"copilot.env:ONE": "updated", ".zshrc": "created"})
    controller.converge(("hooks_runtime", dict(both, state="absent")))
    # The edited block is the person's now, and so is the comment in the file.
    assert env.read_text() == "# mine\n" and "ONE=block" in bashrc.read_text() and zshrc.read_text() == "# without\n"


def test_a_linked_bashrc_is_written_through_and_a_mode_that_is_too_wide_is_put_right(controller):
    user = controller.user
    user.write("dotfiles/bashrc", "alias x=y\n", mode=0o444)
    user.run(["ln", "-sf", "dotfiles/bashrc", ".bashrc"])
    user.write(ENV, "A=1\n", mode=0o644)
    assert controller.tasks(("hooks_runtime", WANTED), arguments=["--check"]).changes["copilot.env"] == "pinned"
    assert stat.S_IMODE((user.home / ENV).stat().st_mode) == 0o644
    run = controller.converge(("hooks_runtime", WANTED))
    assert run.changes == dict(NEW, **{"copilot.env": "pinned"})
    assert os.readlink(str(user.home / ".bashrc")) == "dotfiles/bashrc"
    assert (user.home / "dotfiles/bashrc").read_text() == "alias x=y\n" + BLOCK
    assert stat.S_IMODE((user.home / "dotfiles/bashrc").stat().st_mode) == 0o444
    (user.home / ENV).chmod(0o640)
    assert controller.converge(("hooks_runtime", WANTED)).changes == {"copilot.env": "pinned"}
    controller.converge(("hooks_runtime", {"state": "absent"}))
    assert (user.home / "dotfiles/bashrc").read_text() == "alias x=y\n" and (user.home / ENV).read_text() == "A=1\n"


def test_both_surfaces_come_and_go_each_alone_or_together(controller):
    user = controller.user
    before = picture(user.home)
    wanted = {key: value for key, value in WANTED.items() if key != "surfaces"}
    controller.converge(("hooks_runtime", dict(wanted, surfaces=["runtime"])))
    assert not (user.home / ENV).exists()
    runtime = picture(user.home / ".agentihooks/runtime")
    controller.converge(("hooks_runtime", dict(wanted, surfaces=["environment"])))
    controller.converge(("hooks_runtime", {"state": "absent", "surfaces": ["environment"]}))
    assert picture(user.home / ".agentihooks/runtime") == runtime and not (user.home / ENV).exists()
    assert (user.home / ".bashrc").read_bytes() == before[".bashrc"][2]
    controller.tasks(("hooks_runtime", wanted))
    controller.converge(("hooks_runtime", {}))
    assert sorted(os.listdir(str(user.home / ".agentihooks"))) == ["bin", "policy.json", "runtime"]
    controller.tasks(("hooks_runtime", wanted))
    controller.converge(("hooks_runtime", {"state": "absent"}))
    assert picture(user.home) == before
    absent = [("hooks_runtime", {"state": "absent", "surfaces": [surface]}) for surface in ("runtime", "environment")]
    assert controller.tasks(("hooks_runtime", WANTED), *absent).code == 0
    assert picture(user.home) == before


def test_no_value_is_in_any_output(controller):
    values = {"PLAIN": "a-value-like-any-other", "SPACED": "two secret words", "NUMBER": 987654321, "TOKEN": "in-the-old-file"}
    user = controller.user
    user.write(ENV, "# OLD=commented-out-value\nOLD='a value of the person'\nTOKEN=in-the-old-file\n", mode=0o600)
    user.write(".bashrc", "export PASSPHRASE=shell-file-value\n")
    wrong = [
        ({"environment": dict(values, PATH="x-wrong-value")}, "PATH is not set"),
        ({"environment": dict(values, **{"NO-NAME": "x-wrong-value"})}, "no name of a variable"),
        ({"environment": dict(values, BROKEN="x-wrong-value\n")}, "BROKEN holds a line break"),
        ({"environment": dict(values, LIST=["x-wrong-value"])}, "LIST is not a text"),
        ({"environment": dict(values, COPILOT_ALLOW_ALL="x-wrong-value")}, "by a directive only"),
        ({"environment": ["x-wrong-value"]}, "environment"),
        ({"environment": dict(values, GOOD="x-wrong-value"), "surfaces": ["nothing"]}, "surfaces"),
        ({"environment": dict(values, GOOD="x-wrong-value"), "home": "relative"}, "not an absolute path"),
        ({"environment": dict(values, TOKEN="x-wrong-value"), "on_conflict": "fail"}, "copilot.env: holds values of somebody else"),
    ]
    tasks = [{"agentihooks.fleet.hooks_runtime": options, "ignore_errors": True} for options, _word in wrong]
    good = {"environment": values, "on_conflict": "overwrite"}
    changed = dict(good, environment=dict(values, PLAIN="x-wrong-value"))
    run = controller.play(tasks + [{"agentihooks.fleet.hooks_runtime": options} for options in (good, changed, {})], arguments=["--diff", "-vvv"])
    assert run.code == 0, run.output
    for result, (_options, word) in zip(run.results, wrong):
        assert word in result["msg"], result
    texts = [str(value) for value in values.values()] + ["x-wrong-value", "commented-out-value", "value of the person", "shell-file-value"]
    assert [text for text in texts if text in run.output] == []
    assert "PLAIN=********" in run.output and BEGIN in run.output


def test_the_site_playbook_delivers_it_once_and_shows_no_value(controller):
    user = controller.user
    # From a file, as in an inventory: what is typed on the command line, Ansible itself prints.
    variables = user.write("vars.json", json.dumps({"agentihooks_env": {"HANDBOOK_TOKEN": "a-value-like-any-other"}}))
    arguments = ["-e", "@%s" % variables, "--diff", "-vvv"]
    directives = {"channels": "night-shift"}
    first = controller.site(*arguments, agentihooks_directives=directives)
    assert first.code == 0 and first.changes["copilot.env:HANDBOOK_TOKEN"] == "created", first.output
    wanted = {"HANDBOOK_TOKEN": "a-value-like-any-other", "AGENTIHOOKS_BASE_CHANNELS": "night-shift"}
    assert exported(user, "bash", wanted) == wanted
    again = controller.site(*arguments, agentihooks_directives=directives)
    assert again.code == 0 and again.changed == 0, again.output
    assert "a-value-like-any-other" not in first.output + again.output


def test_a_shell_that_cannot_read_it_is_warned_about(controller):
    user = controller.user
    for name in (".bashrc", ".profile", ".bash_logout"):
        (user.home / name).unlink()
    subprocess.run(["usermod", "--shell", "/bin/sh", user.name], check=True)
    run = controller.tasks(("hooks_runtime", WANTED))
    assert "Name the files in shell_files" in " ".join(run.output.split()) and not (user.home / ".bashrc").exists()


def test_another_manager_and_a_lost_ledger_stop_or_warn(controller):
    user = controller.user
    controller.converge(("hooks_runtime", WANTED))
    run = controller.tasks(("hooks_runtime", dict(WANTED, manager="somebody")))
    assert "is managed by agentihooks.fleet/default" in run.message
    assert controller.tasks(("hooks_runtime", dict(WANTED, manager="somebody", takeover=True))).code == 0
    (user.home / ".agentihooks/.agentihooks-managed.json").unlink()
    before = picture(user.home)
    run = controller.tasks(("hooks_runtime", {"state": "absent", "surfaces": ["environment"]}))
    assert "is lost or damaged" in " ".join(run.output.split()) and picture(user.home) == before
