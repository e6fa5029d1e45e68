# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook smoke on a converged home with both real CLIs: it passes, it names what is broken on purpose, and it leaves nothing."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from clis import installed, pinned
from playbook import Controller, picture
from workstation import play_site

COPILOT, CODEX = (installed(name, pinned(name)[-1]) for name in ("copilot", "codex"))
CHECKS = ["canary", "context", "credential_reads", "innocent", "secrets", "git", "kubectl_mutation", "production_lockdown", "self_protection", "prompt"]


def lay_clis(user):
    """Put both CLIs where the facts find them; Copilot's package is in the person's cache, as its own update leaves it."""
    for cli in (COPILOT, CODEX):
        user.write(f".local/bin/{cli.name}", f"#!/bin/sh\nexec '{cli.binary}' \"$@\"\n", mode=0o755)
    user.write(".cache/copilot/.keep", "")
    os.symlink(COPILOT.unpacked / "pkg", user.home / ".cache/copilot/pkg")


@pytest.fixture(scope="module")
def home(make_scratch_user, collections_path):
    """(Controller, account, directory of its temporary files), converged for both CLIs with both guard packs."""
    user = make_scratch_user()
    lay_clis(user)
    said = play_site(
        user, collections_path, "-i", "localhost,", "-c", "local", agentihooks_targets=["copilot", "codex"], agentihooks_codex_hook_trust="record",
        agentihooks_guard_packs=["kubectl_mutation", "production_lockdown"],
    )
    assert "failed=0" in said, said
    controller = Controller(user, collections_path)
    temporary = Path(tempfile.mkdtemp(prefix="agentihooks-test-"))
    os.chown(temporary, user.uid, user.gid)
    controller.environment["TMPDIR"] = str(temporary)
    yield controller, user, temporary
    shutil.rmtree(temporary)
    shutil.rmtree(controller.scratch)


def smoke(home, **options):
    """Run the module once; return its result. Nothing is left but its own record."""
    controller, user, temporary = home
    before = {path: seen for path, seen in picture(user.home).items() if path != ".agentihooks/smoke.json"}
    run = controller.play([{"agentihooks.fleet.smoke": options}])
    assert run.code == 0, run.output
    after = {path: seen for path, seen in picture(user.home).items() if path != ".agentihooks/smoke.json"}
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed - {".agentihooks/runtime/current", ".agentihooks"} == set()
    assert list(temporary.glob("agentihooks-smoke-*")) == []
    assert user.run(["sh", "-c", "grep -laz '^HOME=.*agentihooks-smoke' /proc/[0-9]*/environ 2>/dev/null; true"]).stdout == ""
    return run.results[-1]


def failed(result, target):
    return {item["check"] for item in result["clis"][target]["checks"] if not item["passed"]}


def test_both_clis_pass_and_the_playbook_says_so(home):
    controller, user, _temporary = home
    run = controller._play("agentihooks.fleet.smoke", (), {})
    assert run.code == 0, run.output
    result = next(each for each in run.results if "clis" in each)
    for cli in (COPILOT, CODEX):
        found = result["clis"][cli.name]
        assert [item["check"] for item in found["checks"]] == CHECKS
        assert found["passed"] and found["version"] == cli.version and not found["newer"]
    record = json.loads((user.home / ".agentihooks/smoke.json").read_text())
    assert record["schema"] == 1 and record["runtime"] == result["runtime"]
    assert {target: found["passed"] for target, found in record["clis"].items()} == {"copilot": True, "codex": True}
    assert "passed, 10 checks" in run.output


def test_a_rule_that_no_longer_denies_is_named_and_the_version_before_comes_back(home):
    _controller, user, _temporary = home
    runtime = user.home / ".agentihooks/runtime"
    good = (runtime / "current").resolve()
    bad = runtime / "9.9.9-bad"
    user.run(["cp", "-a", good, bad])
    for name in ("credential_reads", "secrets"):
        user.run(["find", bad, "-name", f"{name}.*.pyc", "-delete"])
        guard = bad / f"agentihooks/guards/{name}.py"
        guard.write_text(guard.read_text() + "\n\ndef check(event, context):\n    return []\n")
    user.run(["ln", "-sfn", bad.name, runtime / "current"])
    try:
        result = smoke(home, targets=["copilot"])
        assert not result["passed"] and result["rolled_back"] == ""
        assert failed(result, "copilot") == {"credential_reads", "secrets", "prompt"}
        record = json.loads((user.home / ".agentihooks/smoke.json").read_text())
        assert record["runtime"] == bad.name and record["clis"]["copilot"]["passed"] is False
        result = smoke(home, targets=["copilot"], level="canary", rollback=True)
        assert not result["passed"] and result["rolled_back"] == good.name and (runtime / "current").resolve() == good
        record = json.loads((user.home / ".agentihooks/smoke.json").read_text())
        assert record["runtime"] == good.name and record["clis"]["copilot"]["passed"] is True
    finally:
        user.run(["ln", "-sfn", good.name, runtime / "current"])
        user.run(["rm", "-rf", bad])


def test_a_wrapper_that_does_nothing_fails_every_check_but_the_innocent_one(home):
    _controller, user, _temporary = home
    wrapper = user.home / ".codex/agentihooks-hook.sh"
    text = wrapper.read_text()
    user.write(".codex/agentihooks-hook.sh", "#!/bin/sh\nexit 0\n", mode=0o700)
    try:
        assert failed(smoke(home, targets=["codex"]), "codex") == set(CHECKS) - {"innocent"}
    finally:
        user.write(".codex/agentihooks-hook.sh", text, mode=0o700)


def test_a_host_without_a_cli_is_no_failure_and_one_without_the_product_is(home):
    _controller, user, _temporary = home
    hidden = user.home / ".local/bin/hidden"
    (user.home / ".local/bin/codex").rename(hidden)
    wrapper = user.home / ".copilot/agentihooks-hook.sh"
    wrapper.rename(wrapper.with_name("moved"))
    try:
        result = smoke(home)
        assert result["clis"]["codex"]["passed"] is None
        (found,) = result["clis"]["copilot"]["checks"]
        assert not result["passed"] and "the wrapper" in found["what"] and "agentihooks.fleet.site" in found["what"]
    finally:
        hidden.rename(user.home / ".local/bin/codex")
        wrapper.with_name("moved").rename(wrapper)


@pytest.mark.exhaustive
def test_asked_to_use_a_login_it_says_why_it_cannot_and_shows_nothing_of_the_file(home):
    controller, user, _temporary = home
    token = "gho_" + "x7" * 18
    config = user.home / ".copilot/config.json"
    before = config.read_bytes() if config.exists() else None
    # The way out that the CLI would take is closed: nothing but loopback is reached.
    controller.environment["HTTPS_PROXY"] = controller.environment["https_proxy"] = "http://127.0.0.1:9"
    try:
        for text, what in (
            (None, "so nobody is logged in here"),
            ("{}", "Copilot found no login in this account's config.json"),
            (json.dumps({"copilotTokens": {"https://github.com:ada": token}, "lastLoggedInUser": {"host": "https://github.com", "login": "ada"}}),
             "Copilot could not have the login in config.json confirmed"),
        ):  # fmt: skip
            config.unlink(missing_ok=True)
            if text is not None:
                user.write(".copilot/config.json", text, mode=0o600)
            result = smoke(home, targets=["copilot"], level="canary", login=True)
            found = {item["check"]: item for item in result["clis"]["copilot"]["checks"]}
            assert not result["passed"] and found["canary"]["passed"] and found["credential_reads"]["passed"] and not found["login"]["passed"]
            assert found["login"]["what"].startswith("not measured: ") and what in found["login"]["what"]
            assert token not in json.dumps(result) and token not in (user.home / ".agentihooks/smoke.json").read_text()
    finally:
        config.unlink(missing_ok=True)
        if before is not None:
            user.write(".copilot/config.json", before, mode=0o600)
