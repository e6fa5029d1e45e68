# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TOML: what is accepted, where an error is said to be, and that an edit changes nothing else.

The config.toml of real people are read from ../shared when it is there; the layouts here are always.
"""

from __future__ import annotations

import datetime
import math
import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.agentihooks.fleet.plugins.module_utils._toml import FormatError, apply, dump, has_comments, masked, masked_where, parse
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import ABSENT, append, at, discard, drop, edited, put, same

SHARED = Path(__file__).resolve().parents[3] / "shared" / "corpus"
CORPUS = sorted(SHARED.glob("codex_toml*/*")) if SHARED.is_dir() else []

COMMENTED = b"""# Codex of a person.
# Do not sort.

model = "gpt-5.4" # fast
notify = ["say",   'done'] # loud

  # the tables
[features] # switches
  web_search = true   # yes
#  hooks = false

[tui]
status_line = [
  "model", # first
  "git-branch"
]

[projects."/home/ada/a.b"]
trust_level = "trusted"
[[skills.config]]
name = "x"
enabled = false
# the end
"""

# Layouts with everything an edit can meet.
LAYOUTS = {
    "commented": COMMENTED,
    "CRLF": COMMENTED.replace(b"\n", b"\r\n"),
    "no final newline": COMMENTED[:-1],
    "byte order mark": b"\xef\xbb\xbf" + COMMENTED,
    "empty": b"",
    "one newline": b"\n",
    "blanks": b"  ",
    "comment": b"# nothing yet",
    "comment line": b"# nothing yet\n",
    "comment and blank line": b"# nothing yet\n\n",
    "one value": b"model = 1",
    "one value, CRLF": b"model = 1\r\n",
    "one table": b"[features]\n",
    "one table, no newline": b"[features]",
    "one table with a head": b"# about all\n\n# about this\n[features]\nx = 1\n",
    "one table under the head": b"# about all\n[features]\nx = 1\n",
    "blank lines everywhere": b"\n\nmodel = 1\n\n\n[features]\n\nx = 1\n\n\n[tui]\n\n\n",
    "dotted": b"features.a = 1\nfeatures.b = 2\nmodel = 1\n[tui]\na.b.c = 1\n",
    "inline": b"features = { a = 1 }\ntui = {}\nmcp_servers = { x = { command = 'y', env = { } } }\n",
    "inline dotted": b"features = { a.b = 1, c = 2 , a.d = 3}\n",
    "inline over lines": b"features = {\n  a = 1, # one\n  b = 2,\n}\ntui = {\n}\napproval_policy = { granular = {\n  rules = true,\n} }\n",
    "out of order": b"[mcp_servers.a.env]\nX = 'y'\n[features]\n[tui.x]\na = 1\n[mcp_servers.a]\ncommand = 'x'\n[tui]\n",
    "indented": b"[features]\n  a = 1\n\n  [features.deep]\n    b = 1\n[tui]\n\tstatus_line = []\n",
    "lists": b"writable = [ ]\na = [\n]\nb = [\n  # none\n]\nc = [1, 2, ]\nd = [\n  1,\n  2\n]\ne = [ # x\n 1 # y\n]\n"
    b"[[skills.config]]\nname = 'a'\n\n[skills]\nb = 1\n",
    "text that looks like tables": b'developer_instructions = """\n[features]\nhooks = false\n\\"""\n# no comment\n"""\n'
    b'x = \'\'\'\n[tui]\n\'\'\'\n[features]\n',
    "tables in lists": b"[[a]]\nx = 1\n[a.b]\ny = 1\n[[a]]\nx = 2\n[[a.c]]\nz = 1\n[[a.c]]\nz = 2\n[features]\n",
}


@pytest.mark.parametrize(
    "data, value",
    [
        (b"", {}),
        (b" \n\t# c\n", {}),
        (b"\xef\xbb\xbfa = 1", {"a": 1}),
        (b"a.b.c = 1\na.b.d = 2\n[x]\na.b = 1", {"a": {"b": {"c": 1, "d": 2}}, "x": {"a": {"b": 1}}}),
        (b'[ a . "b c".\'d"e\' ]\n"" = 1', {"a": {"b c": {'d"e': {"": 1}}}}),
        (b"[a.b]\nx = 1\n[a]\ny = 2", {"a": {"b": {"x": 1}, "y": 2}}),
        (b"[[a.b]]\nx = 1\n[a]\ny = 2\n[[a.b]]", {"a": {"b": [{"x": 1}, {}], "y": 2}}),
        (b"[fruit]\napple.color = 1\n[fruit.apple.texture]\nsmooth = true", {"fruit": {"apple": {"color": 1, "texture": {"smooth": True}}}}),
        (b"a = [1, 'x', [2.0,], {b = 1},\n# c\n]", {"a": [1, "x", [2.0], {"b": 1}]}),
        (b"a = {\n b = 1, # c\n c.d = 2,\n}", {"a": {"b": 1, "c": {"d": 2}}}),
        (b"a = +1_000\nb = 0xDead_beef\nc = 0o17\nd = 0b11\ne = -0", {"a": 1000, "b": 0xDEADBEEF, "c": 15, "d": 3, "e": 0}),
        (b"a = 1e3\nb = -0.5E-3\nc = 6.626_7e-34\nd = -inf", {"a": 1000.0, "b": -0.0005, "c": 6.6267e-34, "d": -math.inf}),
        (b'a = "\\u0041\\U0001F600\\t\\\\\\"\\e\\x42"', {"a": 'A\U0001f600\t\\"\x1bB'}),
        (b'a = """\nx\r\n\\   \n\n  y"" """', {"a": 'x\ny"" '}),
        (b'a = """"x"""""', {"a": '"x""'}),
        (b"a = ''''x'''''", {"a": "'x''"}),
        (b"a = '\\x'", {"a": "\\x"}),
        (b"a = 1979-05-27", {"a": datetime.date(1979, 5, 27)}),
        (b"a = 1979-05-27 # c", {"a": datetime.date(1979, 5, 27)}),
        (b"a = 07:32", {"a": datetime.time(7, 32)}),
        (b"a = 1979-05-27 07:32:01.5", {"a": datetime.datetime(1979, 5, 27, 7, 32, 1, 500000)}),
        (b"a = 1979-05-27t07:32z", {"a": datetime.datetime(1979, 5, 27, 7, 32, tzinfo=datetime.timezone.utc)}),
        (
            b"a = 1979-05-27T07:32:00-07:30",
            {"a": datetime.datetime(1979, 5, 27, 7, 32, tzinfo=datetime.timezone(-datetime.timedelta(hours=7, minutes=30)))},
        ),
    ],
)
def test_what_is_accepted(data, value):
    assert same(parse(data).value, value)


@pytest.mark.parametrize(
    "data, line, column, message",
    [
        (b"a = 1\na = 2", 2, 1, "a is there twice"),
        (b'a = 1\n"a" = 2', 2, 1, "a is there twice"),
        (b"[a]\n[b]\n[a]", 3, 1, "a is there twice"),
        (b"[a]\n[[a]]", 2, 1, "a is no array of tables"),
        (b"[[a]]\n[a]", 2, 1, "a is there twice"),
        (b"a = []\n[[a]]", 2, 1, "a is no array of tables"),
        (b"a.b = 1\n[a]", 2, 1, "a is there twice"),
        (b"[a.b.c]\nz = 9\n[a]\nb.c.t = 1", 4, 1, "b is there already"),
        (b"[a.b]\n[a]\nb.c = 1", 3, 1, "b is there already"),
        (b"a = {b = 1}\na.c = 2", 2, 1, "a is there already"),
        (b"a = {b = 1}\n[a.c]", 2, 1, "a has a value already"),
        (b"a = 1\n[a.b]", 2, 1, "a has a value already"),
        (b"a = {b = 1, b = 2}", 1, 13, "b is there twice"),
        (b"a = {b.c = 1, b.c = 2}", 1, 15, "b.c is there twice"),
        (b"a = {b = 1, b.c = 2}", 1, 13, "b is there already"),
        (b"a =\n", 1, 4, "a value should be here"),
        (b"a = ", 1, 5, "the file ends where a value should be"),
        (b"a", 1, 2, "an equals sign should follow"),
        (b"= 1", 1, 1, "a key should be here"),
        (b"a. = 1", 1, 4, "a key should be here"),
        (b"a = 1 b", 1, 7, "something after the value"),
        (b"[a] b", 1, 5, "something after the bracket"),
        (b"[a\nb = 1", 1, 3, "] should close the header"),
        (b"[[a]\n", 1, 4, "]] should close the header"),
        (b"[]", 1, 2, "a key should be here"),
        (b'a = "x', 1, 5, "a string starts here"),
        (b'a = "\\y"', 1, 5, "a string starts here"),
        (b'a = "\\ud800"', 1, 5, "no character"),
        (b'a = "\x01"', 1, 5, "a string starts here"),
        (b'a = """x', 1, 5, "string over several lines"),
        (b'"""a""" = 1', 1, 1, "a key in quotes"),
        (b"a = 01", 1, 5, "01 is no value"),
        (b"a = 1__0", 1, 5, "1__0 is no value"),
        (b"a = 1.", 1, 5, "1. is no value"),
        (b"a = .5", 1, 5, ".5 is no value"),
        (b"a = yes", 1, 5, "yes is no value; text needs quotes"),
        (b"a = True", 1, 5, "True is no value"),
        (b"a = 9223372036854775808", 1, 5, "more than 64 bits"),
        (b"a = " + b"9" * 5000, 1, 5, "more than 1000 digits"),
        (b"a = 1979-13-27", 1, 5, "no date or time"),
        (b"a = 1979-05-2707:32", 1, 5, "is no value"),
        (b"a = 1979-05-27x", 1, 5, "is no value"),
        (b"a = 07:32Z", 1, 5, "is no value"),
        (b"a = [1 2]", 1, 8, "a comma or ]"),
        (b"a = [1,\n2", 2, 2, "the file ends inside the list that starts in line 1"),
        (b"a = {b = 1", 1, 11, "the file ends inside the table that starts in line 1"),
        (b"a = " + b"[" * 5000, 1, 85, "more than 80 levels"),
        (b"# a\rb", 1, 4, "control character"),
        (b"a = 1 # a\rb", 1, 10, "control character"),
        (b"a = 1\rb = 2", 1, 6, "something after the value"),
        (b"{{ if .x }}\n", 1, 1, "a key should be here"),
        (b"<<<<<<< HEAD\n", 1, 1, "a key should be here"),
        (b"a = '\xff'", 1, 6, "not UTF-8"),
        ("a = 1".encode("utf-16"), 1, 1, "UTF-16"),
    ],
)
def test_what_is_refused_and_where(data, line, column, message):
    with pytest.raises(FormatError) as refusal:
        parse(data)
    assert (refusal.value.line, refusal.value.column) == (line, column) and message in refusal.value.message


@pytest.mark.parametrize(
    "before, edit, after",
    [
        (b"", put(["a", "b"], 1), b"[a]\nb = 1\n"),
        (b"", put(["a"], 1), b"a = 1\n"),
        (b"# c\n[x]\ny = 1\n", put(["a"], 1), b"# c\na = 1\n\n[x]\ny = 1\n"),
        (b"# c\n\n# d\n[x]\ny = 1\n", put(["a"], 1), b"# c\n\na = 1\n\n# d\n[x]\ny = 1\n"),
        (b"a = 1 # c\n\n[x]\n", put(["b"], "y"), b'a = 1 # c\nb = "y"\n\n[x]\n'),
        (b"a = 1 # c\n", put(["a"], [1, "x"]), b"a = 1 # c\n".replace(b"1", b'[1, "x"]')),
        (b"[x]\n  y = 1\n\n[z]\n", put(["x", "b"], True), b"[x]\n  y = 1\n  b = true\n\n[z]\n"),
        (b"[x] # c\n[z]\n", put(["x", "b"], 1.5), b"[x] # c\nb = 1.5\n[z]\n"),
        (b"[x]\ny = 1", put(["m", "n", "o"], 1), b"[x]\ny = 1\n\n[m.n]\no = 1"),
        (b"[x.y]\na = 1\n", put(["x", "b"], 1), b"[x.y]\na = 1\n\n[x]\nb = 1\n"),
        (b"x.y = 1\nz = 1\n", put(["x", "b"], 1), b"x.y = 1\nx.b = 1\nz = 1\n"),
        (b"x.y.z = 1\n", put(["x", "b", "c"], 1), b"x.y.z = 1\nx.b.c = 1\n"),
        (b"x = { y = 1 }\n", put(["x", "b", "c"], 1), b"x = { y = 1, b = { c = 1 } }\n"),
        (b"x = {}\n", put(["x", "b"], 1), b"x = {b = 1}\n"),
        (b"x = { a.b = 1, c = 1 }\n", put(["x", "a", "d", "e"], 1), b"x = { a.b = 1, c = 1, a.d = { e = 1 } }\n"),
        (b"x = {\n  a = 1, # c\n}\n", put(["x", "b"], 1), b"x = {\n  a = 1, # c\n  b = 1,\n}\n"),
        (b"x = [\n  1 # c\n]\n", append(["x"], 2), b"x = [\n  1, # c\n  2\n]\n"),
        (b"x = [1]\n", append(["x"], 2), b"x = [1, 2]\n"),
        (b"x = []\n", append(["x"], 2), b"x = [2]\n"),
        (b"x = [ 1, 2, 1 ]\n", discard(["x"], 1), b"x = [ 2 ]\n"),
        (b"[[x.y]]\na = 1\n[z]\n", append(["x", "y"], {"a": 2}), b"[[x.y]]\na = 1\n\n[[x.y]]\na = 2\n[z]\n"),
        (b"[[x.y]]\na = 1\n[x.y.b]\nc = 1\n[[x.y]]\na = 2\n", discard(["x", "y"], {"a": 1, "b": {"c": 1}}), b"[[x.y]]\na = 2\n"),
        (b"", put(["skills", "config"], [{"a": 1}, {"a": 2}]), b"[[skills.config]]\na = 1\n\n[[skills.config]]\na = 2\n"),
        (b"a = 1\nb = 2 # mine\n", drop(["b"]), b"a = 1\n# mine\n"),
        (b"[x]\na = 1\n# mine\n\n[x.y]\nb = 1\n[z]\nc = 1\n[x.w]\nd = 1\n", drop(["x"]), b"# mine\n[z]\nc = 1\n"),
        (b"[x]\na = 1\n", put(["x"], 5), b"x = 5\n"),
        (b"x.a = 1\nx.b = 2\ny = 1\n", put(["x"], 5), b"y = 1\nx = 5\n"),
        (b"a = { x.b = 1, y = 2, x.c = 3 }\n", put(["a", "x"], 5), b"a = { y = 2, x = 5 }\n"),
        (b"a = { x.b = 1, y = 2, x.c = 3 }\n", drop(["a", "x"]), b"a = { y = 2 }\n"),
        (b"a = 1\r\n", put(["b", "c"], 1), b"a = 1\r\n\r\n[b]\r\nc = 1\r\n"),
        (b"a = 1\n", put(["b"], {"x": {"y": 1}}), b"a = 1\nb = { x = { y = 1 } }\n"),
        (b"", put(["a b", 'c"d\n', ""], '\x00\x1f\x7f\\"é'), b'["a b"."c\\"d\\n"]\n"" = "\\u0000\\u001f\\u007f\\\\\\"\xc3\xa9"\n'),
        (b"a = 1\n", drop(["b", "c"]), b"a = 1\n"),
    ],
)
def test_the_form_of_an_edit(before, edit, after):
    assert apply(parse(before), [edit]) == after


def test_the_last_table_of_an_array_is_replaced():
    data = b"[[x.y]]\na = 1\n"
    assert apply(parse(data), [discard(["x", "y"], {"a": 1}), append(["x", "y"], {"a": 2})]) == b"[[x.y]]\na = 2\n"


@pytest.mark.parametrize(
    "before, edit",
    [
        (b"a = 1", put(["a", "b"], 1)),
        (b"[[a]]", put(["a", "b"], 1)),
        (b"a = 1", append(["a"], 1)),
        (b"[[a]]", append(["a"], 1)),
        (b"", append(["a"], 1)),
        (b"", put(["a"], None)),
        (b"", put(["a"], 2**63)),
        (b"", put(["a"], "\ud800")),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(before, edit):
    with pytest.raises(ValueError):
        apply(parse(before), [edit])


@pytest.mark.parametrize(
    "data", [b'a = "' + b"x" * 10**5, b'a = """' + b'x\n"' * 10**5, b"a = '''" + b"x'" * 10**5, b"#" * 10**5 + b"\x01", b"[" + b"a." * 10**5]
)
def test_a_long_text_that_does_not_end_is_refused_at_once(data):
    start = time.monotonic()
    with pytest.raises(FormatError):
        parse(data)
    assert time.monotonic() - start < 2


def test_comments_are_seen_and_text_with_a_hash_is_none():
    assert has_comments(parse(b"a = 1 # c")) and has_comments(parse(b"a = [ # c\n]")) and has_comments(parse(b"[a] #"))
    assert not has_comments(parse(b'a = \'# c\'\nb = """\n# d"""\n'))


def test_values_can_be_masked():
    text = b'my_token = "s1"\nx = { api_key = "s2", y = [{ token = "s3" }, 1] }\n[token.inner]\na = "s4" # c\n[mcp.env]\nB = \'s5\'\nC = """\ns6"""\n'
    document = parse(text)
    shown = masked(document, lambda key: "token" in key or "key" in key, "***")
    assert not re.search("s[1-4]", shown) and "s5" in shown and "# c" in shown
    shown = masked_where(document, lambda path, value: path[:2] == ("mcp", "env"), "***")
    assert "s1" in shown and not re.search("s[56]", shown) and shown.endswith('B = "***"\nC = "***"\n')


def test_dump_makes_what_parse_reads():
    value = {
        "model": "x",
        "features": {"hooks": True},
        "a": {"b": {"c": [1, {"d": 2}]}, "e": {}},
        "skills": {"config": [{"name": "s", "x": {"y": 1}}]},
        "l": [{}],
    }
    assert same(parse(dump(value)).value, value)
    assert dump({"features": {"hooks": True}, "model": "x"}) == b'model = "x"\n\n[features]\nhooks = true\n'


# ----------------------------------------------------------------------------------------------------------------------
# Over whole files

OURS = [
    (("model",), "gpt-5.4", "model-of-ours"),
    (("project_doc_max_bytes",), 65536, None),
    (("notify",), ["bridge", "x y"], None),
    (("features", "hooks"), True, None),
    (("features", "of_ours"), False, None),
    (("tui", "status_line"), ["model"], None),
    (("approval_policy", "granular", "of_ours"), True, None),
    (("mcp_servers", "of.ours", "command"), "npx", None),
    (("mcp_servers", "of.ours", "args"), ["-y", "x"], None),
    (("mcp_servers", "of.ours", "env", "A"), "b", None),
    (("mcp_servers", "ours", "url"), "https://x/mcp", None),
    (("skills", "of_ours"), [{"name": "s", "enabled": False}], None),
    (("shell_environment_policy", "set", "OF_OURS"), "1", None),
]


def valid(data):
    try:
        return parse(data)
    except FormatError:
        return None


def documents():
    """Name to bytes of every valid file there is."""
    found = dict(LAYOUTS)
    found.update({path.name: path.read_bytes() for path in CORPUS})
    return {name: data for name, data in found.items() if valid(data)}


DOCUMENTS = documents()


def is_free(value, path):
    """Whether a value can be put at a path without touching any that is there."""
    return at(value, path) is ABSENT and all(isinstance(at(value, path[:length]), (dict, type(ABSENT))) for length in range(1, len(path)))


def tables_of(path, before):
    """The tables on the way to a path that are not there before, the innermost first: they go again with what is in them."""
    return [path[:length] for length in range(len(path) - 1, 0, -1) if at(before, path[:length]) is ABSENT]


def lines_kept(before, after):
    """Whether every line of the one text is, in order, in the other."""
    rest = iter(after.splitlines())
    return all(any(line == other for other in rest) for line in before.splitlines())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_we_add_and_remove_again_leaves_the_same_bytes(name):
    data = DOCUMENTS[name]
    before = parse(data)
    ours = [(path, value) for path, value, _note in OURS if is_free(before.value, path)]
    assert len(ours) > 5
    for order in (ours, ours[::-1]):
        for back in (order, order[::-1]):
            text = data
            for path, value in order:
                text = apply(parse(text), [put(path, value)])
            assert all(same(at(parse(text).value, path), value) for path, value in ours)
            for path, _value in back:
                text = apply(parse(text), [drop(path)])
                for table in tables_of(path, before.value):
                    if at(parse(text).value, table) == {}:
                        text = apply(parse(text), [drop(table)])
            assert text == data


@st.composite
def edits_of(draw):
    name = draw(st.sampled_from(sorted(DOCUMENTS)))
    paths = draw(st.permutations([(path, value) for path, value, _note in OURS if is_free(parse(DOCUMENTS[name]).value, path)]))
    return name, paths[: draw(st.integers(1, len(paths)))], draw(st.randoms(use_true_random=False))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits_of())
def test_random_additions_and_removals_come_back_to_the_same_bytes(drawn):
    name, ours, random = drawn
    data = DOCUMENTS[name]
    before = parse(data).value
    text, there, waiting = data, [], list(ours)
    while waiting or there:
        if waiting and (not there or random.random() < 0.6):
            path, value = waiting.pop()
            text = apply(parse(text), [put(path, value)])
            there.append(path)
        else:
            path = there.pop(random.randrange(len(there)))
            text = apply(parse(text), [drop(path)])
            for table in tables_of(path, before):
                if at(parse(text).value, table) == {}:
                    text = apply(parse(text), [drop(table)])
        assert lines_kept(re.sub(rb"[{}\[\],]", b"", data), re.sub(rb"[{}\[\],]", b"", text)) or b"{" in data
    assert text == data


def paths_in(value, path=()):
    for key, inner in value.items():
        yield path + (key,)
        if isinstance(inner, dict):
            yield from paths_in(inner, path + (key,))


_SCALARS = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(st.characters(blacklist_categories=("Cs",)), max_size=20),
    st.dates(), st.times(), st.datetimes(timezones=st.none() | st.just(datetime.timezone.utc)),
)  # fmt: skip
_KEYS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=8)
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3), max_leaves=6)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_edits_make_the_expected_value(data):
    """apply() itself refuses a wrong result, so here it must not refuse where the edit fits."""
    name = data.draw(st.sampled_from(sorted(DOCUMENTS)))
    document = parse(DOCUMENTS[name])
    known = list(paths_in(document.value)) or [("x",)]
    edits = []
    for _turn in range(data.draw(st.integers(1, 4))):
        path = data.draw(
            st.sampled_from(known)
            | st.tuples(st.sampled_from(known), _KEYS).map(lambda pair: pair[0] + (pair[1],))
            | st.lists(_KEYS, min_size=1, max_size=3).map(tuple)
        )
        kind = data.draw(st.sampled_from(["put", "drop", "append", "discard"]))
        if kind in ("append", "discard"):
            value = edited(document.value, edits)
            lists = [path for path in paths_in(value) if isinstance(at(value, path), list)]
            if not lists:
                continue
            path = data.draw(st.sampled_from(lists))
            elements = at(value, path)
            if kind == "discard" and elements:
                edits.append(discard(path, data.draw(st.sampled_from(elements))))
            elif kind == "append":
                tables = bool(elements) and all(isinstance(element, dict) for element in elements)
                edits.append(append(path, data.draw(st.dictionaries(_KEYS, _SCALARS, min_size=1, max_size=2) if tables else _SCALARS)))
            continue
        edit = drop(path) if kind == "drop" else put(path, data.draw(_VALUES))
        try:
            edited(document.value, edits + [edit])
        except ValueError:
            continue
        edits.append(edit)
    result = apply(document, edits)
    assert result.startswith(b"\xef\xbb\xbf") == document.bom
    kept = parse(result)
    if has_comments(document) and not edits:
        assert has_comments(kept)


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_any_value_can_be_written_and_read(value):
    assert same(parse(dump(value)).value, value)
    assert same(parse(apply(parse(b"# c\n"), [put((key,), inner) for key, inner in value.items()])).value, value)


def test_the_files_of_people(record_property):
    """Every file is read, or refused with a place and left as it is."""
    read, refused = 0, []
    for path in CORPUS:
        try:
            parse(path.read_bytes())
            read += 1
        except FormatError as error:
            refused.append("%s (line %d, column %d)" % (path.name, error.line, error.column))
            assert error.line >= 1 and error.column >= 1
    record_property("figure", "config.toml of people: %d read, %d refused: %s" % (read, len(refused), ", ".join(refused)))
    if not CORPUS:
        pytest.skip("../shared is not there")
    assert read > len(refused)
