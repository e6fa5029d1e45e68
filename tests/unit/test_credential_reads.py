# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential guard on what its case table (test_guards.py) does not show: paths, helpers, program texts, mutated commands."""

from __future__ import annotations

import time
from pathlib import Path

import guard_tokens
import pytest
from agentihooks import credential_helpers, program_texts
from agentihooks.credential_helpers import HELPERS, asked
from agentihooks.credential_paths import DIRECTORIES, FILES, NAMES, hints, is_credential
from agentihooks.event import Call, Context, Deny, Event
from agentihooks.guards import credential_reads
from agentihooks.relevance import READERS
from hypothesis import given, settings
from hypothesis import strategies as st

TESTS = Path(__file__).resolve().parents[1]

HOME = "/home/u"
COMMANDS = [
    case["args"]["command"]
    for case in guard_tokens.load(TESTS / "guard_cases" / "credential_reads.jsonl")
    if case["tool"] == "bash"
]


def judge(text, cwd=HOME + "/work"):
    event = Event("copilot", "PreToolUse", "camel", cwd=cwd, calls=[Call("bash", "shell", {"command": text})])
    return credential_reads.check(event, Context(HOME, {}, lambda path: path))


@pytest.mark.parametrize("pattern", NAMES + FILES)
def test_every_path_rule_is_found_and_hinted(pattern):
    path = pattern.replace("*", "some")
    assert is_credential(path if path.startswith("/") else HOME + "/" + path)
    assert any(hint in path.replace(" ", "") for hint in hints()), "program_texts skips texts without a hint"


@pytest.mark.parametrize("directory", DIRECTORIES)
def test_every_directory_rule(directory):
    path = directory + "/some" if directory.startswith("/") else HOME + "/" + directory + "/some"
    assert is_credential(path) and any(hint in path for hint in hints())
    assert judge("cat " + path) and judge("cp -r %s /tmp/x" % path.rpartition("/")[0])


@pytest.mark.parametrize(
    "path",
    [
        ".env.example", ".env.sample", "x.pub", ".ssh/known_hosts", ".ssh/config", "cert.pem", "fullchain.pem", "ca-bundle.pem", "public.key", "env.py",
        "src/credentials.py", "process.env", "config.json", "hosts.yml", "certs/server.pem", ".aws/config", "environment", "keys.json", "",
    ],
)  # fmt: skip
def test_paths_that_are_no_credentials(path):
    assert not is_credential(path)


@pytest.mark.parametrize("program", HELPERS)
def test_every_helper(program):
    name = program.replace("*", "x")
    for follow, without in HELPERS[program]:
        words = [word.replace("*", "x") for word in follow]
        assert asked(name, words)
        for word in without[:1]:
            assert not asked(name, words + [word])
    assert not asked(name, ["--help"]) or program == "kwallet-query"


@pytest.mark.parametrize(
    "text, found",
    [
        ("open('.env')", {".env"}),
        ("open('.e' + 'nv')", {".env"}),
        ("join(home, '.ssh', 'id_rsa')", {".ssh/id_rsa"}),
        ("open(chr(46) + 'env')", {".env"}),
        ("open('\\x2eenv')", {".env"}),
        ("open(b64decode('LmVudg=='))", {".env"}),
        ("open('vne.'[::-1])", {".env"}),
        ("open(bytes([46, 101, 110, 118]))", {".env"}),
        ("system('cat .env')", {".env"}),
    ],
)
def test_names_in_a_program_text(text, found):
    assert found <= program_texts.names(text)


@pytest.mark.parametrize("text", ["process.env.HOME", "x = app.env", "say('copy .env.example to .env first')", "d.keys()"])
def test_names_that_are_no_files(text):
    assert not any(is_credential(name) for name in program_texts.names(text))


PIECES = ["'", '"', "\\", "$(", ")", "`", "${", "}", "<<E\n", "\nE\n", "|", ";", "&&", "(", "{ ", "; }", "$'", "\0", "\ud800", "\ue000", "\ue003", "*",
          "[", "]", "<(", "((", "))", "#",
          "\n", "$", "!", "~", "done", "do ", "while read x; ", "for x in ", "case x in ", "esac", "f() {", "<<<", "\\x]"]  # fmt: skip


@settings(max_examples=2000, deadline=None)
@given(
    st.sampled_from(COMMANDS),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 4), st.sampled_from(PIECES)), min_size=1, max_size=6),
)
def test_no_mutation_of_a_command_makes_the_guard_raise(text, changes):
    for place, removed, piece in changes:
        text = text[:place] + piece + text[place + removed :]
    assert all(isinstance(denied, Deny) for denied in judge(text))


LONG = {
    "blanks": "python3 -c 'system" + " " * 300000 + "'", "seams": "node -e \"" + "'  " * 60000 + "\"",
    "program": "python3 - <<'E'\n" + "x = open('a.txt').keys()  # comment\n" * 27000 + "E", "heredoc": "cat > f <<E\n" + "a $x `y` b\n" * 30000 + "E",
    "functions": "f(){ f; f; }; " * 50 + "f", "function tree": "".join("f%d() { f%d; f%d; }; " % (n, n + 1, n + 1) for n in range(10)) + "f0",
    "loops": "{ read x; " * 9 + "} <<< a; " * 9, "pipes": "echo $x" + " | cat" * 3000, "word": "python3 -c '" + "env" * 100000 + "'",
    "find": "find . " + "-name x " * 5000 + "| xargs cat",
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_long_texts_are_judged_in_time(name):
    started = time.process_time()
    judge(LONG[name])
    assert time.process_time() - started < 5, "must stay below the deadline of 10 s"


def test_a_file_that_the_same_command_writes_and_runs():
    assert judge("printf 'cat %s' .env > x; sh x") and judge("cat > x.py <<'E'\nprint(open('.env').read())\nE\npython3 ./x.py")
    assert not judge("printf 'cat %s' README.md > x; sh x") and not judge("echo 'sh ./x' > x; sh ./x")


def test_no_plain_reader_is_a_credential_helper():
    assert not READERS & (set(credential_helpers.HELPERS) | set(credential_helpers._SPECIAL))
