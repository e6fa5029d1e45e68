# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment file and the shell block, read by the shells themselves."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _environment, _environment_file
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, drop, put
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
VALUE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x00"), max_size=40)


def test_every_shell_here_is_tested():
    assert [argv[0] for argv in FOUND][:2] == ["sh", "bash"]


def lines(values):
    return "".join("%s=%s\n" % (name, _environment.assigned(name, value)) for name, value in values.items())


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
@given(VALUE)
def test_quoting_survives_a_shell(value):
    done = subprocess.run(["sh", "-c", "x=%s; printf '%%s.' \"$x\"" % _environment.quoted(value)], stdout=subprocess.PIPE, check=True, timeout=30)
    assert done.stdout.decode("utf-8") == value + "."


@given(VALUE)
def test_quoting_is_understood_again(value):
    assert _environment.literal(_environment.quoted(value)) == value


@pytest.mark.parametrize(
    ("word", "text"),
    [("plain", "plain"), ('"two words"', "two words"), ("a'b'\"c\"\\ d", "abc d"), ("", ""), ("''", ""), ("a b", None), ("$HOME", None), ('"$HOME"', None)]
    + [("~/x", None), ("`id`", None), ("a;b", None), ("'open", None), ("x # note", None), ('"a\\b"', None), ("*", None)],
)
def test_what_a_word_says(word, text):
    assert _environment.literal(word) == text


@pytest.mark.parametrize(
    "name",
    ["", "1A", "A-B", "A B", "A=B", "Ä", "PATH", "HOME", "LD_PRELOAD", "BASH_ENV", "PROMPT_COMMAND", "PYTHONPATH", "path", "UID", "COPILOT_HOME"],
)
def test_names_that_must_not_be_set(name):
    with pytest.raises(ValueError):
        _environment.assigned(name, "x")


@pytest.mark.parametrize("value", ["secret\nb", "secret\r", "secret\x00b"])
def test_a_variable_is_one_line_and_the_refusal_does_not_tell_it(value):
    with pytest.raises(ValueError, match="line break") as raised:
        _environment.assigned("A", value)
    assert "secret" not in str(raised.value)


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


# (what, login shell, ZDOTDIR, files that exist, files that get the block)
SHELL_FILES = [
    ("nothing there", "/bin/sh", "", [], []),
    ("unknown shell", "", "", [], []),
    ("the login shell's file is made", "/bin/bash", "", [], [".bashrc"]),
    ("for zsh too", "/usr/bin/zsh", "", [], [".zshrc"]),
    ("another login shell's is not", "/usr/bin/fish", "", [".bashrc"], [".bashrc"]),
    ("both", "/bin/bash", "", [".zshrc"], [".bashrc", ".zshrc"]),
    ("ZDOTDIR", "/bin/zsh", "/home/ada/.config/zsh/", [], [".config/zsh/.zshrc"]),
    ("only the zshrc that zsh reads", "/bin/bash", "/home/ada/.config/zsh", [".zshrc"], [".bashrc"]),
    ("ZDOTDIR of somebody else", "/bin/zsh", "/srv/zsh", [], [".zshrc"]),
]


@pytest.mark.parametrize("row", SHELL_FILES, ids=[row[0] for row in SHELL_FILES])
def test_which_shell_files(row):
    _what, login_shell, zdotdir, there, expected = row
    found = _environment.shell_files("/home/ada", login_shell, zdotdir, ["/home/ada/" + name for name in there].__contains__)
    assert found == ["/home/ada/" + name for name in expected]


PERSONS = b"# mine, don't touch\nexport EDITOR=vi # \"really\nMANY='a\nNOT=here'\nTWICE=1\n\nTWICE=2 \\\n  SAME=line\nodd\r\nlast=caf\xe9"


def test_a_persons_file():
    document = _environment_file.parse(PERSONS)
    assert document.value == {"EDITOR": 'vi # "really', "MANY": "'a\nNOT=here'", "TWICE": "2 \\\n  SAME=line", "last": "caf\udce9"}
    assert _environment_file.has_comments(document)
    assert _environment_file.apply(document, []) == PERSONS
    changed = _environment_file.apply(document, [put(("EDITOR",), "'ed'"), put(("MANY",), "1"), drop(("TWICE",)), put(("NEW",), "'x'")])
    assert changed == b"# mine, don't touch\nexport EDITOR='ed'\nMANY=1\nTWICE=1\n\nodd\r\nlast=caf\xe9\nNEW='x'\n"


@given(st.dictionaries(st.sampled_from(["A", "B", "C"]), VALUE), st.sampled_from([b"", PERSONS + b"\n", b"A=1\n", b"#\n\n", b"export  A='x'\n"]))
def test_values_come_and_go(values, data):
    document = _environment_file.parse(data)
    table = _environment_file.wanted(values, document.value)
    with_them = _environment_file.apply(document, [put((name,), text) for name, text in table.items()])
    found = _environment_file.parse(with_them).value
    assert {name: _environment.literal(found[name]) for name in values} == values
    new = [name for name in values if name not in document.value]
    assert _environment_file.apply(_environment_file.parse(with_them), [drop((name,)) for name in new] + [
        put((name,), text) for name, text in document.value.items() if name in values
    ]) == data


def test_a_new_file_has_nothing_but_variables():
    data = _environment_file.dump({"A": "'1'", "B": "''"})
    assert data == b"A='1'\nB=''\n" and not _environment_file.has_comments(_environment_file.parse(data))


def test_what_a_file_says_in_other_quotes_stays():
    values = {"A": "a b", "B": "x", "C": "$HOME"}
    assert _environment_file.wanted(values, {"A": '"a b"', "B": "x", "C": "$HOME"}) == {"A": '"a b"', "B": "x", "C": "'$HOME'"}
    assert _environment_file.wanted(values, ABSENT)["A"] == "'a b'"


@pytest.mark.parametrize(
    ("data", "line", "word"),
    [(b"A=1\nB='x\n", 2, "quote"), (b'A=1\n"\n', 2, "quote"), (b"A=1 \\", 1, "backslash"), (b"A=1\n\x00", 2, "NUL"), ("A=1\n".encode("utf-16"), 1, "NUL")],
)
def test_what_no_shell_reads_is_refused_with_its_line(data, line, word):
    with pytest.raises(_environment_file.FormatError) as raised:
        _environment_file.parse(data)
    assert (raised.value.line, word in raised.value.message) == (line, True)


def test_values_and_other_lines_are_not_shown():
    document = _environment_file.parse(b"# TOKEN=old-secret\nTOKEN='new secret'\nOPEN=1\nMULTI='a\nb secret'\n")
    shown = _environment_file.masked(document, lambda name: name != "OPEN", "***")
    assert shown == "TOKEN=***\nOPEN=1\nMULTI=***\n"
