# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the shell parser knows of variables, functions, loops, substitutions and pipelines."""

from __future__ import annotations

import pytest
from agentihooks import shell
from agentihooks.programs import secret_name, unwrapped

HOME = "/home/u"


def seen(text, program="cat"):
    """Return the arguments that every call of program may get."""
    commands = [command for command in shell.parse(text, HOME, "/w") if command.words and command.words[0].text == program]
    return [word.text for command in commands for word in command.words[1:]]


@pytest.mark.parametrize(
    "text, found",
    [
        ("f=a; cat $f", ["a"]),
        ("f=a; f=b; cat $f", ["b"]),
        ("f=a; test x && f=b; cat $f", ["b", "a"]),
        ("f=a; if x; then f=b; fi; cat $f", ["b", "a"]),
        ('f=(a b); cat "${f[@]}"', ["a", "b"]),
        ("f=a; f+=b; cat $f", ["ab"]),
        ("f=a,b; IFS=,; cat $f", ["a", "b"]),
        ("g=f; f=a; cat ${!g}", ["a"]),
        ("cat ${f:-a}", ["a"]),
        ("f=abc; cat ${f%c} ${f#a} ${f/b/x} ${f:1} ${f^^}", ["ab", "bc", "axc", "bc", "ABC"]),
        ("printf -v f %s a; cat $f", ["a"]),
        ("set -- a b; cat $2 $@", ["b", "a", "b"]),
        ("f() { cat $1; }; f a", [shell.UNKNOWN, "a"]),
        ('function f { cat "$@"; }; f a b', [shell.UNKNOWN, "a", "b"]),
        ("f() { f; cat a; }; f", ["a", "a"]),
        ("for f in a b; do cat $f; done", ["a", "b"]),
        ("echo a | while read f; do cat $f; done", ["a"]),
        ("while read f; do cat $f; done <<< a", [shell.UNKNOWN, "a"]),
        ("while read f; do cat $f; done <<'E'\na\nb\nE", [shell.UNKNOWN, "a", "b"]),
        ("while read f; do cat $f; done < <(echo a)", [shell.UNKNOWN, "a"]),
        ("find x -name a | while read f; do cat $f; done", ["x/a", "a"]),
        ("cat $(echo a) `printf %s b`", ["a", "b"]),
        ("cat $(echo YQ== | base64 -d)", ["a"]),
        ("cat $(find . -name a)", ["./a", "a", shell.UNKNOWN]),
        ("cat {a,b}.c", ["a.c", "b.c"]),
        ("f=a; declare -n g=f; cat $g", ["a"]),
        ("declare -n g=f; g=a; cat $f", ["a"]),
        ("declare -A m=([k]=a); cat ${m[k]}", ["a"]),
        ("m=(x a); cat ${m[@]:1}", ["x", "a"]),
        ("m=(a b); IFS=/; cat \"${m[*]}\"", ["a/b"]),
        ("set a b; shift; cat $1", ["b"]),
        ("set -- x a; cat ${!#}", ["a"]),
        (": a; cat $_", ["a"]),
        ("f=1; cat ${f:+a}", ["a"]),
        ("f=Z_a_b; cat ${f#*_} ${f##*_} ${f%_*} ${f%%_*} ${f//[Z_]/x}", ["a_b", "b", "Z_a", "Z", "xxaxb"]),
        ("f='\\x61'; cat ${f@E}", ["a"]),
        ("cat a[[:alpha:]]c", ["a" + shell.ONE + "c"]),
        ("cat x@(a|b)", ["xa", "xb"]),
        ("cat {a..c} {1..2}", ["a", "b", "c", "1", "2"]),
        ("cat$IFS'a'", ["a"]),
        ("cd /x; cd /y; cat $OLDPWD/a ~-/b", ["/x/a", "/x/b"]),
        ("cat <<E\n$(read x <<< a; cat $x)\nE", ["a"]),
        ("read x <<E\na\nE\ncat $x", [shell.UNKNOWN, "a"][1:]),
        ("IFS=: read x y <<< a:b; cat $y", ["b"]),
        ("echo a > t; read x < t; cat $x", ["a"]),
        ("alias l='cat a'\nl", ["a"]),
        ("alias l=cat\nl a b", [shell.UNKNOWN, "a", "b"][1:]),
        ("hash -p /bin/cat l; l a", []),
        ("cat $(dirname /x/y)/a $(basename /x/b .c)", ["/x/a", "b"]),
        ("cat $(cd /x && pwd)/a", ["/x/a"]),
        ("cat $(tr a-c b-d <<< abc) $(cut -d: -f2 <<< x:a) $(sed s/x// <<< xa)", ["bcd", "a", "a"]),
        ("cat $(f=a; echo $f)$(printf '\\%o' 97 | xargs -0 printf)", ["aa"]),
        (": \"$(cat <<'E'\n\"\nE\n)\"\ncat a", ["a"]),
        ("a[$(cat b)]=1", ["b"]),
        ("cat ${x:-$(echo '}')a}", ["}a"]),
    ],
)
def test_what_a_word_may_be(text, found):
    assert seen(text) == found


def test_variables_in_a_heredoc_are_replaced_and_named():
    command = shell.parse("x=1; cat <<E\n$x ${y} \\$z\nE", HOME, "")[-1]
    assert (command.feeds, command.fed_names) == (["1 " + shell.UNKNOWN + " $z\n"], ["y"])
    assert shell.parse("cat <<'E'\n$x\nE", HOME, "")[-1].feeds == ["$x\n"]


def test_a_substitution_knows_whose_word_it_is_in():
    inner, outer = shell.parse("echo $(a)", HOME, "")
    assert inner.parent is outer and outer.parent is None


def test_what_a_process_substitution_prints():
    assert shell.parse("sh <(echo a b)", HOME, "")[-1].words[1].content == "a b"


@pytest.mark.parametrize(
    "text, words",
    [
        ("sudo -u x env A=b timeout 5 a b", ["a", "b"]),
        ("docker exec -it -u root web a b", ["a", "b"]),
        ("docker compose -f x.yml exec -T web a", ["a"]),
        ("docker run --rm -e A=b -v /x:/y image a b", ["a", "b"]),
        ("kubectl -n ns exec pod -c app -- a b", ["a", "b"]),
        ("docker ps -a", ["docker", "ps", "-a"]),
        ("uv run a b", ["a", "b"]),
        ("npx dotenv -e x -- a b", ["a", "b"]),
        ("command -v a", ["command", "-v", "a"]),
        ("find . -name x", ["find", ".", "-name", "x"]),
    ],
)
def test_the_command_behind_a_wrapper(text, words):
    assert [word.text for word in unwrapped(shell.parse(text, HOME, "")[-1])[0].words] == words


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "API_KEY",
        "apiKey",
        "DB_PASSWORD",
        "PGPASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "MYSQL_PWD",
        "DATABASE_URL",
    ],
)
def test_names_of_secrets(name):
    assert secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "PWD",
        "OLDPWD",
        "MAX_TOKENS",
        "TOKEN_COUNT",
        "TOKEN_FILE",
        "SECRET_NAME",
        "GIT_AUTHOR_NAME",
        "SSH_AUTH_SOCK",
        "KEYBOARD",
        "PASS",
        "AUTHOR",
    ],
)
def test_names_of_no_secrets(name):
    assert not secret_name(name)
