# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON with comments: what is accepted, where an error is said to be, and that an edit changes nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.agentihooks.fleet.plugins.module_utils import _jsonc
from ansible_collections.agentihooks.fleet.plugins.module_utils._jsonc import FormatError, apply, dump, parse
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import append, canonical, discard, drop, put, same

COMMENTED = b"""// Settings of a person.
{
  // the model
  "model": "gpt-5.4", // fast
  /* footer */ "footer": {
    "showModel": true // yes
  },
  "list": [
    "a", // first
    "b"
  ]
  // the end
}
"""


@pytest.mark.parametrize(
    "data, value",
    [
        (b"", {}),
        (b" \n\t", {}),
        (b"// nothing yet\n", {}),
        (b"{}", {}),
        (b"\xef\xbb\xbf{}", {}),
        (b"null", None),
        (b"[1, 1.0, true]", [1, 1.0, True]),
        (b'{"a": 1,}', {"a": 1}),
        (b'{"a": [1, 2,],}', {"a": [1, 2]}),
        (b'{/* a */"a"/* b */:/* c */1/* d */,/* e */}', {"a": 1}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b'{"\\u0061": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        (b'{"a": "\\ud800"}', {"a": "\ud800"}),
        (b'{"a": "// no comment /* either */"}', {"a": "// no comment /* either */"}),
        (b'{"a": -0.5e-3}', {"a": -0.0005}),
    ],
)
def test_what_is_accepted(data, value):
    assert same(parse(data).value, value)


@pytest.mark.parametrize(
    "data, line, column, message",
    [
        (b'{"a": 1', 1, 8, "the file ends inside the object that starts in line 1"),
        (b'{\n  "a": {\n    "b": [1, 2\n', 4, 1, "the file ends inside the list that starts in line 3"),
        (b'{"a": }', 1, 7, "a value should be here"),
        (b'{"a": ', 1, 7, "the file ends where a value should be"),
        (b'{"a" 1}', 1, 6, "a colon should follow"),
        (b'{"a": 1 "b": 2}', 1, 9, "a comma or }"),
        (b"{a: 1}", 1, 2, "key in double quotes"),
        (b"{'a': 1}", 1, 2, "key in double quotes"),
        (b"{", 1, 2, "ends where a key should be"),
        (b'{"a": NaN}', 1, 7, "NaN is no JSON value"),
        (b'{"a": Infinity}', 1, 7, "Infinity is no JSON value"),
        (b'{"a": -Infinity}', 1, 7, "a value should be here"),
        (b'{"a": 1e999}', 1, 7, "too large"),
        (b'{"a": 01}', 1, 7, "no JSON number"),
        (b'{"a": ' + b"9" * 2000 + b"}", 1, 7, "more than 1000 digits"),
        (b'{"a": "x\ny"}', 1, 7, "string starts here"),
        (b'{"a": "\\x"}', 1, 7, "string starts here"),
        (b"{} {}", 1, 4, "after the end"),
        (b"{} // fine\n/* not", 2, 1, "comment starts here and does not end"),
        (b"[" * 5000, 1, 101, "more than 100 levels"),
        (b'{"a": "\xff"}', 1, 8, "not UTF-8 text (byte 0xff)"),
        (b'{\r\n"\xc3\xa9": "\xff"}', 2, 7, "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), 1, 1, "UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), 1, 1, "UTF-16"),
        (b"{\n<<<<<<< HEAD\n", 2, 1, "key in double quotes"),
    ],
)
def test_an_error_says_what_and_where(data, line, column, message):
    with pytest.raises(FormatError) as caught:
        parse(data)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert message in caught.value.message


@pytest.mark.parametrize("data", [b'{"a": 1,}', b"{} // x", b"/* x */{}", b"\xef\xbb\xbf{}", b"", b"[1,]"])
def test_strict_reading_refuses_what_the_hook_loader_refuses(data):
    with pytest.raises(FormatError):
        parse(data, strict=True)
    parse(data)


@pytest.mark.parametrize(
    "before, edits, after",
    [
        pytest.param(b"", [put(["a"], 1)], b'{\n  "a": 1\n}\n', id="empty file"),
        pytest.param(b"// mine\n", [put(["a"], 1)], b'// mine\n{\n  "a": 1\n}\n', id="comments only"),
        pytest.param(b"{}", [put(["a"], 1)], b'{\n  "a": 1\n}', id="empty object, no final newline"),
        pytest.param(b"{ // mine\n}", [put(["a"], 1)], b'{ // mine\n  "a": 1\n}', id="object with a comment only"),
        pytest.param(b'{"a":1}', [put(["b"], {"c": [1]})], b'{"a":1,"b":{"c":[1]}}', id="compact line"),
        pytest.param(b'{"a": 1}\n', [put(["b", "c"], 2)], b'{"a": 1, "b": {"c": 2}}\n', id="one line"),
        pytest.param(b'{"a": 1,}', [put(["b"], 2)], b'{"a": 1, "b": 2,}', id="one line, trailing comma"),
        pytest.param(b'{"a": 1 // x\n}', [put(["b"], 2)], b'{"a": 1, // x\n"b": 2\n}', id="remark behind the only line"),
        pytest.param(b'{\n\t"a": 1\n}', [put(["b"], {"c": 1})], b'{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}', id="tabs"),
        pytest.param(b'{\r\n    "a": {}\r\n}\r\n', [put(["a", "b"], 1)], b'{\r\n    "a": {\r\n        "b": 1\r\n    }\r\n}\r\n', id="CRLF, four spaces"),
        pytest.param(b'\xef\xbb\xbf{"a": 1}', [put(["a"], 2)], b'\xef\xbb\xbf{"a": 2}', id="byte order mark"),
        pytest.param(b'{\n  "a": 1,\n}', [put(["b"], 2)], b'{\n  "a": 1,\n  "b": 2,\n}', id="trailing comma"),
        pytest.param(b'{"a": [1, 2], "a": [3]}', [put(["a"], 4)], b'{"a": [1, 2], "a": 4}', id="the last of repeated keys counts"),
        pytest.param(b'{"a": 1, "b": 0, "a": 3}', [drop(["a"])], b'{"b": 0}', id="all of repeated keys go"),
        pytest.param(b'{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}', [drop(["b"])], b'{\n  "a": 1,\n  "c": 3\n}', id="middle"),
        pytest.param(b'{\n  "a": 1,\n  "b": 2 // note\n}', [drop(["a"])], b'{\n  "b": 2 // note\n}', id="first"),
        pytest.param(b'{\n  "a": 1, // note\n  "b": 2\n}', [drop(["b"])], b'{\n  "a": 1 // note\n}', id="last"),
        pytest.param(b'{\n  "a": 1,\n  "b": 2 // theirs\n}', [drop(["b"])], b'{\n  "a": 1\n // theirs\n}', id="a remark behind ours stays"),
        pytest.param(b'{"a": 1, "b": 2, "c": 3}', [drop(["b"])], b'{"a": 1, "c": 3}', id="middle of a line"),
        pytest.param(b'{"a": 1, "b": 2}', [drop(["b"])], b'{"a": 1}', id="end of a line"),
        pytest.param(b'{"a": 1}', [drop(["x"]), drop(["x", "y"])], b'{"a": 1}', id="nothing to remove"),
        pytest.param(b'{"l": ["a"]}', [append(["l"], "b")], b'{"l": ["a", "b"]}', id="append"),
        pytest.param(b'{"l": []}', [append(["l"], "b")], b'{"l": ["b"]}', id="append to an empty list"),
        pytest.param(b'{\n  "l": [\n    "a"\n  ]\n}', [append(["l"], "b")], b'{\n  "l": [\n    "a",\n    "b"\n  ]\n}', id="append a line"),
        pytest.param(b'{"l": ["b", "a", "b"]}', [discard(["l"], "b")], b'{"l": ["a"]}', id="discard"),
        pytest.param(b'{"a": 1}', [put(["s"], "\ud800\u00e9")], b'{"a": 1, "s": "\\ud800\xc3\xa9"}', id="lone surrogate"),
    ],
)
def test_an_edit_changes_only_what_it_must(before, edits, after):
    assert apply(parse(before), edits) == after


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    "text",
    [
        COMMENTED,
        COMMENTED.rstrip(),
        b"{}",
        b"{}\n",
        b'{"model":"x"}',
        b'{"model": "x", "footer": {"showModel": true}}',
        b'{\n\t"model": "x",\n\t"footer": {\n\t}\n}\n',
        b'{\n  "model": "x",\n}\n',
        b'{ // c\n}',
        b'{\n  "model": "x" /* a */ // b\n  // c\n}',
    ],
)
def test_adding_and_removing_gives_the_bytes_back(text, newline, bom):
    data = bom + text.replace(b"\n", newline)
    added = apply(parse(data), [put(["zz"], {"deep": [1, {"x": None}]}), put(["yy"], "v"), put(["new", "table"], True)])
    assert parse(added).value["zz"] == {"deep": [1, {"x": None}]}
    assert apply(parse(added), [drop(["yy"]), drop(["zz"]), drop(["new"])]) == data


def test_elements_added_and_taken_out_give_the_bytes_back():
    added = apply(parse(COMMENTED), [append(["list"], "x"), append(["list"], "y")])
    assert parse(added).value["list"] == ["a", "b", "x", "y"]
    assert apply(parse(added), [discard(["list"], "x"), discard(["list"], "y")]) == COMMENTED


def test_comments_and_order_survive_every_kind_of_edit():
    result = apply(parse(COMMENTED), [put(["model"], "other"), put(["footer", "new"], 1), drop(["footer", "showModel"]), discard(["list"], "a")])
    for remark in (b"// Settings of a person.", b"// the model", b"// fast", b"/* footer */", b"// yes", b"// first", b"// the end"):
        assert remark in result
    assert list(parse(result).value) == ["model", "footer", "list"]


@pytest.mark.parametrize("data, edit", [(b"[]", put(["a"], 1)), (b"null", put(["a"], 1)), (b'{"a": 1}', put(["a", "b"], 1)), (b'{"a": 1}', append(["a"], 1))])
def test_an_edit_that_does_not_fit_is_refused(data, edit):
    with pytest.raises(ValueError):
        apply(parse(data), [edit])


def test_a_wrong_edit_is_never_handed_out(monkeypatch):
    monkeypatch.setattr(_jsonc, "_replaced", lambda document, *rest: document.text.replace("1", "2"))
    with pytest.raises(ValueError, match="not written"):
        apply(parse(b'{"a": 1, "b": 1}'), [put(["a"], 2)])


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8))
KEYS = st.text(alphabet="abcé.\"\\ ", min_size=0, max_size=3)
VALUES = st.recursive(SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)), max_leaves=8)
TABLES = st.dictionaries(KEYS, VALUES, max_size=5)
FORMS = st.sampled_from([{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"indent": None}, {"indent": None, "separators": (",", ":")}])


@given(TABLES, FORMS, st.lists(st.tuples(KEYS, VALUES), max_size=4), st.lists(KEYS, max_size=3))
@settings(max_examples=150, deadline=None)
def test_any_edit_of_any_table_comes_out_as_expected(table, form, puts, drops):
    data = json.dumps(table, ensure_ascii=False, **form).encode("utf-8", "surrogatepass")
    edits = [put([key], value) for key, value in puts] + [drop([key]) for key in drops]
    result = parse(apply(parse(data), edits)).value
    for key, value in puts:
        table[key] = value
    for key in drops:
        table.pop(key, None)
    assert canonical(result) == canonical(table)


@given(TABLES, FORMS, KEYS, VALUES)
@settings(max_examples=150, deadline=None)
def test_adding_a_key_to_any_table_and_removing_it_gives_the_bytes_back(table, form, key, value):
    table.pop(key, None)
    data = json.dumps(table, **form).encode("ascii")
    assert apply(parse(apply(parse(data), [put([key], value)])), [drop([key])]) == data


@given(st.binary(max_size=40))
@settings(max_examples=200, deadline=None)
def test_no_bytes_bring_more_than_a_clear_error(data):
    try:
        parse(data)
    except FormatError as error:
        assert error.line >= 1 and error.column >= 1


@given(TABLES)
@settings(max_examples=50, deadline=None)
def test_a_new_file_holds_its_value(table):
    assert canonical(parse(dump(table), strict=True).value) == canonical(table)


def test_what_an_option_of_a_secret_name_is_given_is_masked_like_the_value_of_such_a_key():
    data = b'{"args": ["--port", "1", "--password", "two", "--api-token=three", "-x=y", "--password", 4, "five"], "password": ["six"]}'
    shown = _jsonc.masked(_jsonc.parse(data), lambda name: "password" in name or "token" in name, "*")
    assert json.loads(shown) == {"args": ["--port", "1", "--password", "*", "--api-token=*", "-x=y", "--password", 4, "five"], "password": "*"}
