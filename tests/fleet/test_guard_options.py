# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person or the role may allow or add: deployed by the module, seen through the wrapper, gone again with it."""

from __future__ import annotations

import json

from playbook import picture

PRESENT = (("hooks_runtime", {}), ("copilot_hooks", {}))
DENY_ALL = "#!/bin/sh\necho 'not today' >&2\nexit 2\n"
EXCEPTION = {"rule": "git.push", "match": "git push origin main", "reason": "the deploy bot", "expires": "2999-12-31"}


def reason(user, command):
    payload = {"sessionId": "s-1", "cwd": str(user.home), "toolName": "bash", "toolArgs": {"command": command}}
    done = user.run([user.home / ".copilot/agentihooks-hook.sh", "preToolUse"], input=json.dumps(payload), env={"COPILOT_CLI_BINARY_VERSION": "1.0.102"})
    return json.loads(done.stdout)["permissionDecisionReason"] if done.stdout else ""


def with_options(**options):
    return (("hooks_runtime", options), PRESENT[1])


def test_the_command_for_people_is_there_pinned_and_goes(controller):
    user = controller.user
    before = picture(user.home)
    controller.converge(*PRESENT)
    command = user.home / ".agentihooks/bin/agentihooks"
    assert command.stat().st_mode & 0o777 == 0o700 and command.parent.stat().st_mode & 0o777 == 0o700
    shown = user.run([command, "status"])
    assert "Unlocked:" in shown.stdout, shown
    refused = user.run([command, "unlock", "git", "--session", "s-1"], check=False, input="")
    assert refused.returncode == 1 and "only a person" in refused.stderr and "Traceback" not in refused.stderr
    said_by_the_command(user, command)
    for spoil in (lambda: command.write_text("#!/bin/sh\n"), lambda: command.chmod(0o755), command.unlink, lambda: command.parent.chmod(0o777)):
        spoil()
        changes = controller.tasks(*PRESENT).changes
        assert changes[str(command)] in ("pinned", "created") and "Unlocked:" in user.run([command, "status"]).stdout
    controller.converge(("copilot_hooks", {"state": "absent"}), ("hooks_runtime", {"state": "absent"}))
    assert picture(user.home) == before


def said_by_the_command(user, command):
    """What the other sub-commands say on a converged home; all they leave behind has to go with the runtime."""
    explained = user.run([command, "explain", "--json", "cat ~/.ssh/id_rsa"], check=False)
    denied = reason(user, "cat ~/.ssh/id_rsa")
    verdict = json.loads(explained.stdout)
    assert explained.returncode == 1 and [item["rule"] for item in verdict["denials"]] == ["credential.file"] and verdict["denials"][0]["way_out"] in denied
    assert user.run([command, "explain", "git push origin topic"]).stdout.startswith("let through")
    checked = json.loads(user.run([command, "doctor", "--json"], check=False).stdout)
    assert [row for row in checked["checks"] if row["level"] in ("warning", "critical") and not row["check"].endswith("version")] == []
    counted = json.loads(user.run([command, "denials", "--json", "--since", "1h"]).stdout)
    assert counted["rules"]["credential.file"]["denied"] == 1  # the doctor's own call is not among them
    user.run([command, "broadcast", "hello"])
    prompt = json.dumps({"sessionId": "s-1", "cwd": "/", "prompt": "hi"})
    assert "hello" in user.run([user.home / ".copilot/agentihooks-hook.sh", "userPromptSubmitted"], input=prompt).stdout
    assert user.run([command, "refresh-rules"]).stdout.startswith("1 session gets the rules")
    wrapper = user.home / ".copilot/agentihooks-hook.sh"
    wrapper.chmod(0o600)
    broken = user.run([command, "doctor"], check=False)
    assert broken.returncode == 1 and "is not executable" in broken.stdout and "agentihooks.fleet.site" in broken.stdout
    wrapper.chmod(0o700)


def test_drop_in_guards_come_work_and_go(controller):
    user = controller.user
    place = user.home / ".agentihooks/drop-ins"
    controller.tasks(*with_options(drop_ins={"pre-shell-today": DENY_ALL, "pre-view-x": "#!/bin/sh\n"}))
    assert sorted(path.name for path in place.iterdir()) == ["pre-shell-today", "pre-view-x"]
    assert all(path.stat().st_mode & 0o777 == 0o700 for path in [place] + list(place.iterdir()))
    assert "agentihooks [drop_in.shell_today]: not today." in reason(user, "ls")
    user.write(".agentihooks/drop-ins/pre-any-mine", "#!/bin/sh\nexit 2\n", mode=0o755)
    user.write(".agentihooks/drop-ins/pre-shell-today", "#!/bin/sh\n", mode=0o755)
    run = controller.converge(*with_options(drop_ins={"pre-shell-today": DENY_ALL}))
    assert run.changes[str(place / "pre-any-mine")] == "removed" and run.changes[str(place / "pre-shell-today")] == "pinned"
    assert [path.name for path in place.iterdir()] == ["pre-shell-today"] and "not today" in reason(user, "ls")
    controller.converge(*PRESENT)
    assert not place.exists() and reason(user, "ls") == ""


WRONG = [
    ({"drop_ins": {"x": DENY_ALL}}, "pre-<tool>-<name>"), ({"drop_ins": {"pre-a-../x": DENY_ALL}}, "pre-<tool>-<name>"),
    ({"drop_ins": {"pre-a-b": "exit 2"}}, "#!"), ({"drop_in_seconds": 9}, "drop_in_seconds"), ({"retry_block": -1}, "retry_block"),
    ({"retry_seconds": 0}, "retry_seconds"), ({"guard_exceptions": [dict(EXCEPTION, rule="secret")]}, "floor"),
    ({"guard_exceptions": [dict(EXCEPTION, match="*")]}, "match"), ({"guard_exceptions": [dict(EXCEPTION, expires="soon")]}, "expires"),
]  # fmt: skip


def test_a_wrong_option_stops_before_anything_is_written(controller):
    before = picture(controller.user.home)
    run = controller.play([{"agentihooks.fleet.hooks_runtime": options, "ignore_errors": True} for options, _text in WRONG])
    assert len(run.results) == len(WRONG) and "Traceback" not in run.output, run.output
    for result, (_options, text) in zip(run.results, WRONG):
        assert text in result["msg"], result
    assert picture(controller.user.home) == before


def test_an_exception_of_the_role_and_one_that_has_expired(controller):
    user = controller.user
    run = controller.converge(*with_options(guard_exceptions=[EXCEPTION, dict(EXCEPTION, rule="version", expires="2020-01-01")]))
    assert "expired on 2020-01-01 and is ignored" in run.output
    assert reason(user, "git push origin main") == "" and "git.push" in reason(user, "git push origin master")
    shown = user.run([user.home / ".agentihooks/bin/agentihooks", "status"]).stdout
    assert "the deploy bot" in shown and "IGNORED: expired" in shown
