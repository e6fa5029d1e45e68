# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frontmatter as people write it: what is recovered, what is refused by name, and that what we write is YAML again."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _frontmatter
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._frontmatter import FrontmatterError


def read(block, body="Body\n"):
    return _frontmatter.read("---\n%s\n---\n%s" % (block, body))


@pytest.mark.parametrize("block, key, value", [
    ("description: Use when: asked", "description", "Use when: asked"),
    ("description: a\ntools: *", "tools", "*"),
    ("argument-hint: [a] | [b]", "argument-hint", "[a] | [b]"),
    ("argument-hint: [a] [b]\nname: x", "name", "x"),
    ("name: x\nmodel: {{pi.subagent}}", "name", "x"),
    ("name: x\ndescription: **BOLD** start", "description", "**BOLD** start"),
    ("name: x\ntools:\n\t- Read\n\t- Bash", "tools", "- Read\n- Bash"),
    ("name: x\nhint: [a] b\ntools: [Read, Grep]", "tools", ["Read", "Grep"]),
    ("name: x\nhint: [a] b\ntools:\n  - Read\n  - Grep", "tools", ["Read", "Grep"]),
    ("hint: [a] b\ndescription: >\n  two\n  lines", "description", "two lines"),
    ("hint: [a] b\ndescription: |\n\ttab: x: y\n\tsecond", "description", "tab: x: y\nsecond"),
    ('hint: [a] b\ndescription: "say "hi" now"', "description", 'say "hi" now'),
    ("hint: [a] b\ndescription: 'it's: here'", "description", "it's: here"),
    ("hint: [a] b\n# a comment: here\nname: x", "name", "x"),
    ("name: \x07bell", "name", "\x07bell"),
])  # fmt: skip
def test_what_is_no_yaml_is_read_line_by_line(block, key, value):
    document = read(block)
    assert document.get(key) == value
    assert document.problem.startswith("is no YAML")
    assert document.body == "Body\n"


def test_a_description_that_spills_over_lines_keeps_its_dialogue_and_makes_no_keys():
    document = read('name: x\ndescription: Use it. Examples:\nContext: a\nuser: "do: it"\nassistant: ok\nmodel: opus')
    assert document.get("description") == 'Use it. Examples:\nContext: a\nuser: "do: it"\nassistant: ok'
    assert set(document.values) == {"name", "description", "model"}


@pytest.mark.parametrize("block, key, value", [
    ("name: on", "name", "on"),
    ("description: no", "description", "no"),
    ("version: 1.10", "version", "1.10"),
    ("date: 2026-01-02", "date", "2026-01-02"),
    ("tools:", "tools", None),
    ("tools: null", "tools", None),
    (r'description: "\ud83d\ude00 smile"', "description", "\U0001f600 smile"),
    (r'description: "half \ud83d"', "description", "half ?"),
    (r'"\ud800name": x', "?name", "x"),
    ("tools: ~", "tools", None),
    ('tools: ""', "tools", ""),
    ("tools: []", "tools", []),
    ("flag: true", "flag", True),
    ("base: &b\n  tools: [Read]\n<<: *b", "tools", ["Read"]),
    ("1: x", "1", "x"),
])  # fmt: skip
def test_scalars_are_text_except_true_false_and_nothing(block, key, value):
    document = read(block)
    assert document.get(key) == value
    assert document.problem is None


def test_every_value_of_a_key_that_stands_twice_is_there():
    assert read("tools: Read, Write\nname: a\ntools: Read").values["tools"] == ["Read, Write", "Read"]
    assert read("base: &b\n  tools: Bash\ntools: Read\n<<: *b").values["tools"] == ["Read", "Bash"]


@pytest.mark.parametrize("text, body", [
    ("\n \n---\nname: a\n---\nBody", "Body"),
    ("---  \nname: a\n--- \t\nBody", "Body"),
    ("---\nname: a\n...\nBody", "Body"),
    ("---\r\nname: a\r\n---\r\nBo\r\ndy\r\n", "Bo\r\ndy\r\n"),
    ("---\rname: a\r---\rBo\rdy", "Bo\rdy"),
    ("---\nname: a\n---", ""),
    ("---\nname: a\n---\nBody\n---\nname: b\n---\n", "Body\n---\nname: b\n---\n"),
])  # fmt: skip
def test_where_the_frontmatter_ends_and_that_the_body_is_kept_as_it_is(text, body):
    document = _frontmatter.read(text)
    assert (document.get("name"), document.body) == ("a", body)


@pytest.mark.parametrize("text", [
    "", " \n", "# Title\n---\nname: a\n---\n", "```yaml\n---\nname: a\n---\n```\n", "----\nname: a\n----\n",
    "<!-- c -->\n---\nname: a\n---\n",
])  # fmt: skip
def test_what_is_no_frontmatter_is_left_to_the_body(text):
    document = _frontmatter.read(text)
    assert not document.has_frontmatter
    assert document.body == text


def test_an_empty_frontmatter_is_one():
    document = _frontmatter.read("---\n---\nBody")
    assert (document.has_frontmatter, document.values, document.body) == (True, {}, "Body")


ALIAS_BOMB = "a: &a [x]\n" + "".join("%s: &%s [%s]\n" % (new, new, ", ".join(["*" + old] * 9)) for old, new in ("ab", "bc", "cd"))


@pytest.mark.parametrize("block, said", [
    ("- a\n- b", "not lines of key: value"),
    ("just text", "not lines of key: value"),
    ("[a] [b]", "is no YAML in line 2"),
    ("a: !!python/object/apply:os.getcwd []", "YAML tag"),
    ("a: !ruby/object x", "YAML tag"),
    (ALIAS_BOMB, "aliases"),
    ("a: " + "[" * 50, "nested too deeply"),
    ("a: " + "[" * 5000, "nested too deeply"),
    ("a: " + "x" * _frontmatter.MAX_CHARACTERS, "more than"),
])  # fmt: skip
def test_what_is_refused(block, said):
    with pytest.raises(FrontmatterError, match=said):
        read(block)


def test_a_frontmatter_that_is_not_closed_is_refused():
    with pytest.raises(FrontmatterError, match="not closed"):
        _frontmatter.read("---\nname: a\n\nBody\n")


def test_an_alias_to_itself_is_plain_text():
    assert read("tools: &a [*a]").get("tools") == "&a [*a]"


@pytest.mark.parametrize("data, said", [
    ("---\nname: é\n---\n".encode("utf-16"), "UTF-16"),
    ("---\nname: x\n---\n".encode("utf-16-le"), "NUL byte in line 1"),
    (b"a\nb\0c", "NUL byte in line 2"),
    ("a\né".encode("latin-1"), "byte 0xe9 in line 2"),
])  # fmt: skip
def test_bytes_that_are_no_utf8_text_are_named(data, said):
    with pytest.raises(FrontmatterError, match=said):
        _frontmatter.decode(data)


def test_a_byte_order_mark_is_no_text():
    assert _frontmatter.decode(b"\xef\xbb\xbf---") == "---"


@pytest.mark.parametrize("text", [
    "plain", "a: b", "on", "", "*", "[a] | [b]", "é漢😀", "---", "# x",
    "{{ 1/0 }} {% raw %} {# c #}", 'q"\\q', "a\nb\r\tc", "\x00\x07\x7f\x85\x9f\u2028\u2029\ufeff",
])  # fmt: skip
def test_what_is_written_is_yaml_and_says_the_same(text):
    rendered = _frontmatter.render([("name", text), ("tools", [text, "b"]), ("flag", True), ("none", [])], "Body")
    head, _sep, body = rendered[4:].partition("\n---\n")
    assert yaml.safe_load(head) == {"name": text, "tools": [text, "b"], "flag": True, "none": []}
    assert body == "Body"
