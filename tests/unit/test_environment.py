# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment file and the shell block, read by the shells themselves."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _environment
from hypothesis import given, settings
from hypothesis import strategies as st

SHELLS = [["sh"], ["bash", "--norc"], ["zsh", "-f"], ["zsh", "-f", "-o", "rcquotes"], ["zsh", "-f", "-o", "shwordsplit"]]
FOUND = [argv for argv in SHELLS if shutil.which(argv[0])]

VALUES = {
    "PLAIN": "true",
    "EMPTY": "",
    "QUOTES": "it's \"quoted\" ''twice''",
    "STARTS": "'",
    "BACKSLASH": "a\\b\\",
    "DOLLAR": "$HOME `id` $(id) ${X:-y} !! #x ~ *",
    "JSON": '["sh","-c","x=\'y\'"]',
    "UNICODE": "héllo – 漢",
    "TAB": "a\tb",
}


def test_every_shell_here_is_tested():
    assert [argv[0] for argv in FOUND][:2] == ["sh", "bash"]


def lines(values):
    return "".join(_environment.assignment(name, value) + "\n" for name, value in values.items())


def exported(argv, home, rc, names):
    """Values of exported variables as a child of the shell sees them, after the shell read the rc file."""
    script = '. "$1"\n[ "$?" = 0 ] || exit 9\nexec env -0'
    done = subprocess.run(
        argv + ["-c", script, "x", str(rc)], env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == b"", done
    pairs = dict(entry.split("=", 1) for entry in done.stdout.decode("utf-8").split("\0") if "=" in entry)
    return {name: pairs.get(name) for name in names}


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".agentihooks").mkdir()
    (tmp_path / "rc").write_text(_environment.block(_environment.in_shell(str(tmp_path / ".agentihooks" / "copilot.env"), str(tmp_path))))
    return tmp_path


@pytest.mark.parametrize("argv", FOUND, ids=["-".join(argv) for argv in FOUND])
def test_every_value_arrives_as_it_is(home, argv):
    (home / ".agentihooks" / "copilot.env").write_text(lines(VALUES), encoding="utf-8")
    assert exported(argv, home, home / "rc", VALUES) == VALUES


@pytest.mark.parametrize("argv", FOUND, ids=["-".join(argv) for argv in FOUND])
def test_a_missing_file_is_quiet(home, argv):
    assert exported(argv + ["-u"] if argv[0] != "zsh" else argv, home, home / "rc", ["PLAIN"]) == {"PLAIN": None}


@pytest.mark.parametrize("argv", FOUND, ids=["-".join(argv) for argv in FOUND])
def test_allexport_is_given_back(home, argv):
    (home / ".agentihooks" / "copilot.env").write_text(lines({"A": "1"}))
    (home / "rc").write_text((home / "rc").read_text() + "LATER=1\n")
    assert exported(argv, home, home / "rc", ["A", "LATER"]) == {"A": "1", "LATER": None}
    (home / "rc").write_text("set -a\n" + (home / "rc").read_text())
    assert exported(argv, home, home / "rc", ["A", "LATER"]) == {"A": "1", "LATER": "1"}


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x00"), max_size=40))
def test_quoting_survives_a_shell(value):
    done = subprocess.run(["sh", "-c", "x=%s; printf '%%s.' \"$x\"" % _environment.quoted(value)], stdout=subprocess.PIPE, check=True, timeout=30)
    assert done.stdout.decode("utf-8") == value + "."


@pytest.mark.parametrize("name", ["", "1A", "A-B", "A B", "A=B", "PATH", "HOME", "LD_PRELOAD", "BASH_ENV", "PROMPT_COMMAND", "PYTHONPATH"])
def test_names_that_must_not_be_set(name):
    with pytest.raises(ValueError):
        _environment.assignment(name, "x")


@pytest.mark.parametrize("value", ["a\nb", "a\r", "a\x00b"])
def test_a_variable_is_one_line(value):
    with pytest.raises(ValueError, match="line break"):
        _environment.assignment("A", value)


@pytest.mark.parametrize(
    ("line", "name"),
    [("A='1'", "A"), ("  export  B=2", "B"), ("# A=1", None), ("", None), ("if x=1; then", None), ("exportA=1", "exportA")],
)
def test_variable_of_a_line(line, name):
    assert _environment.variable_of(line) == name


BLOCK = _environment.block("$HOME/x.env")
RC = ["", "alias ll='ls -l'\n", "alias ll='ls -l'", "a\r\nb\r\n", "# >>> agentihooks.fleet >>> is kept by Ansible\n"]


@pytest.mark.parametrize("text", RC)
def test_block_is_put_once_and_taken_out(text):
    with_it = _environment.with_block(text, BLOCK)
    assert with_it.endswith(BLOCK) and with_it.startswith(text)
    assert _environment.with_block(with_it, BLOCK) == with_it
    assert _environment.without_block(with_it) in (text, text + "\n")
    assert _environment.without_block(text) == text


def test_block_stays_where_the_person_moved_it():
    moved = "first\n" + BLOCK + "last\n"
    new = _environment.block("$HOME/y.env")
    assert _environment.with_block(moved, new) == "first\n" + new + "last\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n" + _environment.BEGIN + "\nb\n", 2),
        ("a\n" + _environment.END + "\nb\n", 2),
        (_environment.END + "\n" + _environment.BEGIN + "\n", 1),
        (BLOCK + BLOCK, 1),
    ],
)
def test_broken_marks_are_refused(text, line):
    for change in (lambda: _environment.with_block(text, BLOCK), lambda: _environment.without_block(text)):
        with pytest.raises(_environment.BlockError) as raised:
            change()
        assert raised.value.line == line


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("/home/ada/.agentihooks/copilot.env", "$HOME/.agentihooks/copilot.env"),
        ("/srv/ada/copilot.env", "/srv/ada/copilot.env"),
        ("/home/adam/x", "/home/adam/x"),
        ("/home/ada/a$b`c\"d/x", "$HOME/a\\$b\\`c\\\"d/x"),
    ],
)
def test_path_in_a_shell(path, word):
    assert _environment.in_shell(path, "/home/ada") == word
