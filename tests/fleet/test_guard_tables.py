# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guard cases get their verdict through the wrappers that the site playbook deployed, run as their owner.

The guards themselves judge every case in tests/unit. Here each case is two processes, so of the large files one case in
SHARE is asked in `make test`, in every dialect in turn; `make test-all` asks all.
"""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import guard_tokens
import pytest
from playbook import Controller

TESTS = Path(__file__).resolve().parents[1]

SHARED = TESTS.parents[1] / "shared" / "cases" / "guard_cases.jsonl"
LIMITS = {"A069"}  # see docs/guards.md
SHARE = 9
SMALL = 100  # cases; a file with no more is asked whole

# One process takes them all: they share a home.
pytestmark = pytest.mark.xdist_group("tables")

# Which Copilot sends which dialect: the arguments as a string up to 1.0.80.
DIALECTS = {"camel": "1.0.102", "string": "1.0.80", "pascal": "1.0.102", "batch": "1.0.83", "codex": None}


@pytest.fixture(scope="module")
def guarded(make_scratch_user, collections_path):
    """A function (case, dialect) -> None or the reason of the denial, on a home converged with the case's policy.

    Its attribute converge(policy) brings the home to a policy first.
    """
    user = make_scratch_user()
    controller = Controller(user, collections_path)
    words = guard_tokens.tokens(user.home)
    plain = user.home / "project"
    user.run(["mkdir", str(plain), str(user.home / "cases")])

    in_force = []

    def converge(policy):
        if in_force == [policy]:
            return
        # Once all of it; then only what holds the policy.
        variables = {"agentihooks_" + key: value for key, value in policy.items()}
        run = controller.site(*(["--tags", "runtime"] if in_force else []), agentihooks_targets=["copilot", "codex"], **variables)
        assert run.code == 0, run.output
        in_force[:] = [policy]

    def verdict(case, dialect):
        project = str(user.home / "cases" / case["id"]) if "files" in case else str(plain)
        # What a case has in the home must not be there for the others.
        home = project + "-home" if any(path.startswith("~/") for path in case.get("files", {})) else str(user.home)
        for path, text in guard_tokens.files(case, project, home).items():
            user.write(path, text)
        payload = guard_tokens.payload(case, words, project, dialect)
        if payload is None:  # Codex has no such tool
            dialect, payload = "camel", guard_tokens.payload(case, words, project, "camel")
        command = [".copilot/agentihooks-hook.sh", "PreToolUse" if dialect == "pascal" else "preToolUse"]
        if dialect == "codex":
            command = [".codex/agentihooks-hook.sh"]
        cli = {} if dialect == "codex" else {"COPILOT_CLI_BINARY_VERSION": DIALECTS[dialect]}
        done = subprocess.run(
            [str(user.home / command[0]), *command[1:]],
            input=json.dumps(payload, separators=(",", ":")).encode("utf-8", "surrogatepass"), capture_output=True, check=False, cwd=project,
            env=user.environment(dict(cli, HOME=home)), user=user.uid, group=user.gid, extra_groups=[], timeout=60,
        )  # fmt: skip
        reason = reason_of_codex(case, done) if dialect == "codex" else reason_of_copilot(case, done)
        assert not reason or not any(word[8:20] in reason for name, word in words.items() if name != "HOME"), "the reason shows the secret"
        return reason

    verdict.converge = converge
    return verdict


def reason_of_copilot(case, done):
    """Return None or the reason of the denial."""
    assert done.returncode == 0, (case, done)
    if not done.stdout:
        return None
    answer = json.loads(done.stdout)
    if set(answer) == {"additionalContext"}:
        return None  # let through, with something to mind (packages that are installed)
    assert answer["permissionDecision"] == "deny"
    return answer["permissionDecisionReason"]


def reason_of_codex(case, done):
    """Return None or the reason of the denial. Anything but exit code 2 with text alone, or a whole answer, lets the call through."""
    if done.returncode == 0:
        assert not done.stdout or set(json.loads(done.stdout)) == {"hookSpecificOutput"}, (case, done)
        return None
    assert (done.returncode, done.stdout) == (2, b""), (case, done)
    return done.stderr.decode("utf-8").rstrip("\n")


def wrong_of(guarded, pairs):
    """Return what is wrong with the verdicts of (case, dialect) pairs, policy by policy; two at a time, as the machine has cores."""

    def judged(pair):
        case, dialect = pair
        reason = guarded(case, dialect)
        if case["verdict"] == "allow":
            return reason and "%s %s: %s" % (case["id"], dialect, reason)
        if reason is None:
            return None if case["id"] in LIMITS else "%s %s: not denied: %r" % (case["id"], dialect, case["args"])
        named = reason.startswith("agentihooks [") and "runtime." not in reason and len(reason.partition("]: ")[2].split(". ")) >= 2
        return None if named else "%s %s: no rule or no way out: %s" % (case["id"], dialect, reason)

    wrong, policies = [], {}
    for case, dialect in pairs:
        policies.setdefault(json.dumps(case.get("policy", {}), sort_keys=True), []).append((case, dialect))
    for policy, some in sorted(policies.items()):
        guarded.converge(json.loads(policy))
        with ThreadPoolExecutor(2) as pool:
            wrong += [found for found in pool.map(judged, some) if found]
    return wrong


def own_cases():
    """Return a test parameter per file: (what it asks, [(number, case)]). What `make test` leaves out is exhaustive."""
    found = []
    for path in sorted((TESTS / "guard_cases").glob("*.jsonl")):
        cases = list(enumerate(guard_tokens.load(path)))
        share = SHARE if len(cases) > SMALL else 1
        found.append(pytest.param([pair for pair in cases if pair[0] % share == 0], id=path.stem))
        if share > 1:
            rest = [pair for pair in cases if pair[0] % share]
            found.append(pytest.param(rest, id=path.stem + "-rest", marks=pytest.mark.exhaustive))
    return found


@pytest.mark.parametrize("cases", own_cases())
def test_own_cases(guarded, cases):
    dialects = sorted(DIALECTS)
    wrong = wrong_of(guarded, [(case, dialects[number % len(dialects)]) for number, case in cases])
    assert len(cases) > 20 and not wrong, "\n".join(wrong)


def test_everyday_commands(guarded):
    """A sample of the list that tests/unit judges whole."""
    cases = guard_tokens.innocents(TESTS / "guard_cases" / "innocent_commands.txt")[::9]
    dialects = sorted(DIALECTS)
    wrong = wrong_of(guarded, [(case, dialects[number % len(dialects)]) for number, case in enumerate(cases)])
    assert len(cases) > 30 and not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_shared_cases(guarded, dialect):
    """The public cases beside the checkout, where they are; they may not be copied here."""
    cases = guard_tokens.load(SHARED) if SHARED.exists() else []
    print("%d shared guard cases read" % len(cases))
    wrong = wrong_of(guarded, [(case, dialect) for case in cases])
    assert not wrong, "\n".join(wrong)
