# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the product adds to a session of the real CLI: project rules and memory, broadcasts, earlier failures, a status line."""

from __future__ import annotations

import contextlib
import json

import pytest
from agentihooks import capabilities
from clis import pinned
from copilot import bash, call, interactive, run
from terminal import ENTER

RULE = "canary-of-a-rule"
MEMORY = "canary-of-the-memory"
MESSAGE = "canary-of-a-message"
EARLIER = "in earlier sessions"

OLDEST, *_BETWEEN, NEWEST = pinned("copilot")


@pytest.fixture(scope="module")
def repository(workstation):
    """A repository in the workstation's home with a rule and, in the home, notes about it."""
    root = workstation.home / "repository"
    workstation.user.write("repository/.claude/rules/style.md", f"Always say {RULE}.\n")
    workstation.user.write("repository/present.txt", "harmless\n")
    folder = str(root).replace("/", "-").replace(".", "-")
    workstation.user.write(f".claude/projects/{folder}/memory/MEMORY.md", f"It was {MEMORY}.\n")
    workstation.user.run(["git", "init", "-q", root])
    return root


@contextlib.contextmanager
def trusted(workstation, folder):
    """For the block, Copilot trusts the folder."""
    config = workstation.user.write(".copilot/config.json", json.dumps({"trustedFolders": [str(folder)]}))
    try:
        yield
    finally:
        config.unlink()


def publish(workstation, *arguments):
    """Publish as the person does, on the host."""
    workstation.user.run([workstation.data / "bin" / "agentihooks", "broadcast", *arguments])


def test_rules_and_memory_of_a_trusted_repository_reach_the_model_exactly_once(cli, workstation, repository):
    """Also where the CLI loads the rules itself: then the product adds no second copy."""
    steps = [{"calls": [bash("ls")]}, {"text": "done"}]
    with workstation.undone(), trusted(workstation, repository):
        session = run(cli, workstation.home, steps, user=workstation.user.name, cwd=repository)
    assert session.model_saw(RULE) == 1, session.report()
    assert session.model_saw(MEMORY) == 1, session.report()


@pytest.mark.versions(NEWEST)
def test_nothing_of_a_repository_that_is_not_trusted_is_added(cli, workstation, repository):
    with workstation.undone():
        session = run(cli, workstation.home, [{"text": "done"}], user=workstation.user.name, cwd=repository)
    assert session.model_saw(MEMORY) == 0, session.report()
    assert session.model_saw("agentihooks-project") == 0, session.report()


@pytest.mark.versions(OLDEST, NEWEST)
def test_a_broadcast_reaches_each_session_once_and_one_in_the_middle_comes_with_the_next_call(cli, workstation):
    with workstation.undone():
        publish(workstation, MESSAGE, "-s", "alert")
        first = run(cli, workstation.home, [{"calls": [bash("ls")]}, {"text": "one"}], user=workstation.user.name)
        resume = (f"--resume={first.session_id()}",)
        resumed = run(cli, workstation.home, [{"text": "two"}], prompt="again", user=workstation.user.name, args=resume)
        publishing = bash(f"{workstation.data}/bin/agentihooks broadcast {MESSAGE}-two")
        steps = [{"calls": [publishing]}, {"calls": [bash("ls")]}, {"text": "three"}]
        second = run(cli, workstation.home, steps, user=workstation.user.name, args=("--allow-all-paths",))
    assert [session.model_saw("| " + MESSAGE) for session in (first, resumed)] == [1, 1], first.report() + resumed.report()
    assert second.model_saw("| " + MESSAGE) == 2, second.report()
    assert second.model_saw(f"| {MESSAGE}-two") == 1, second.report()


@pytest.mark.versions(OLDEST, NEWEST)
def test_a_failure_is_told_to_the_next_session_and_a_denial_is_not(cli, workstation):
    missing = str(workstation.home / "work" / "not-there.txt")
    failing = [{"calls": [call("view", path=missing), bash("cat ~/.ssh/id_rsa"), bash("exit 3")]}, {"text": "one"}]
    again = [{"calls": [call("view", path=str(workstation.home / "work" / "innocent.txt")), bash("ls")]}, {"calls": [bash("ls")]}, {"text": "two"}]
    with workstation.undone():
        first = run(cli, workstation.home, failing, user=workstation.user.name)
        kept = {path.stem: json.loads(path.read_text()) for path in (workstation.data / "tool_memory").glob("*.json")}
        second = run(cli, workstation.home, again, user=workstation.user.name)
    assert first.model_saw(EARLIER) == 0, first.report()
    assert sorted(kept) == ["bash", "view"] and [len(kept[tool]) for tool in sorted(kept)] == [1, 1], kept
    assert kept["bash"][0]["error"] == "exit code 3"
    assert second.model_saw(missing) == 1, second.report()
    assert second.model_saw(EARLIER) == 2, second.report()


@pytest.mark.versions(OLDEST, NEWEST)
def test_the_status_line_is_shown(cli, workstation):
    with workstation.undone(), trusted(workstation, workstation.home / "work"):
        workstation.set_policy(chain=["base", "team"], settings_chain=["lab"])
        environ = {"NO_COLOR": "1", "AGENTIHOOKS_BASE_CHANNELS": "brain"}
        with interactive(cli, workstation.home, [{"text": "answer"}], user=workstation.user.name, env=environ) as (terminal, _model):
            terminal.type("hello" + ENTER)
            own = "agentihooks: base,team  settings:lab  channels:brain"
            # It was drawn at the start; later only what changes in a line is drawn again.
            terminal.wait_until(lambda: own in terminal.text(), own)
            terminal.wait_until(lambda: "premium request" in terminal.text(), "the session's cost")


# --- The CLI's own rules that this rests on, without the product ---


@pytest.mark.versions(NEWEST)
@pytest.mark.parametrize(
    "folders, trusts",
    [([], False), (["{home}/work/repository"], True), (["{home}/work"], True), (["{home}/work/repository/sub"], True), (["{home}/work/repo"], False)],
    ids=["none", "itself", "above", "the working directory", "a name that begins alike"],
)  # fmt: skip
def test_which_folders_the_cli_trusts(cli, tmp_path, folders, trusts):
    """A trusted folder's hooks run. The session works in a directory of the repository."""
    work = tmp_path / "work" / "repository" / "sub"
    hooks = work.parent / ".github" / "hooks"
    hooks.mkdir(parents=True)
    work.mkdir()
    (work.parent / ".git").mkdir()
    for name, content in (("HEAD", "ref: refs/heads/main\n"), ("objects", None), ("refs", None)):
        place = work.parent / ".git" / name
        place.mkdir() if content is None else place.write_text(content)
    ran = tmp_path / "ran"
    hook = {"type": "command", "command": f"touch {ran}", "timeoutSec": 10}
    (hooks / "repository.json").write_text(json.dumps({"version": 1, "hooks": {"userPromptSubmitted": [hook]}}))
    (tmp_path / ".copilot").mkdir()
    (tmp_path / ".copilot" / "config.json").write_text(json.dumps({"trustedFolders": [folder.format(home=tmp_path) for folder in folders]}))
    session = run(cli, tmp_path, [{"text": "done"}], cwd=work)
    assert ran.exists() is trusts, session.report()


def test_which_versions_load_rules(cli, tmp_path):
    rules = tmp_path / "work" / ".claude" / "rules"
    rules.mkdir(parents=True)
    (rules / "style.md").write_text(RULE)
    session = run(cli, tmp_path, [{"text": "done"}])
    assert bool(session.model_saw(RULE)) is capabilities.loads_claude_rules(cli.version), session.report()
