# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: TOML, read and edited so that everything not edited stays byte for byte. Pure.

The grammar is that of TOML 1.1, which is what Codex reads (measured on 0.142.3, 0.154.0 and 0.171.0: inline tables over several
lines, \\e, \\x41, times without seconds, a byte order mark). Hosts have no TOML parser that could be relied on, and tomlkit would
not do: the last release for Python 3.8 refuses those files (docs/codex.md). tomlkit and tomllib are what the tests compare with.

An edit is a splice of the text; the result is parsed again and must hold exactly the expected value, so a mistake here refuses to
write and never corrupts. What an edit adds (a line, the blank line that sets off a table) its removal takes away.
"""

from __future__ import annotations

import datetime
import math
import re

from ansible_collections.agentihooks.fleet.plugins.module_utils import _brackets
from ansible_collections.agentihooks.fleet.plugins.module_utils._brackets import indent_of_line
from ansible_collections.agentihooks.fleet.plugins.module_utils._format_error import FormatError, decoded
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import edited, same

BOM = b"\xef\xbb\xbf"
MAX_DEPTH = 80
DEFAULT_INDENT = "  "
# What Codex's parser holds an integer in.
INTEGERS = range(-(2**63), 2**63)

_BLANK = re.compile(r"[ \t]*")
_NEWLINE = re.compile(r"\r\n|\n")
_COMMENT = re.compile(r"#[^\x00-\x08\x0a-\x1f\x7f]*")
_GAP = re.compile(r"(?:[ \t\n]+|\r\n|#[^\x00-\x08\x0a-\x1f\x7f]*)*")
_REMARK = re.compile(r"(?:[ \t]*#[^\r\n]*)?")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# One character at a time: with a "+" inside, a string that does not end would be tried in every partition.
_ESCAPE = r"\\(?:[\"\\bfnrte]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2})"
_BASIC = re.compile(r'"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|' + _ESCAPE + r')*)"')
_LITERAL = re.compile(r"'([^'\x00-\x08\x0a-\x1f\x7f]*)'")
_LONG_BASIC = re.compile(r'"""(?:\r?\n)?((?:[^"\\\x00-\x08\x0b-\x1f\x7f]|\r\n|' + _ESCAPE + r'|\\[ \t]*\r?\n|"{1,2}(?!"))*"{0,2})"""(?!")')
_LONG_LITERAL = re.compile(r"'''(?:\r?\n)?((?:[^'\x00-\x08\x0b-\x1f\x7f]|\r\n|'{1,2}(?!'))*'{0,2})'''(?!')")
_ESCAPED = re.compile(r"\\(?:([\"\\bfnrte])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|[ \t]*\n[ \t\n]*)")
_ESCAPES = {'"': '"', "\\": "\\", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "e": "\x1b"}
_WORD = re.compile(r"[A-Za-z0-9_+.:-]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ](?=\d\d:)[0-9.:]+(?:[Zz]|[+-]\d\d:\d\d)?)?")
_MOMENT = re.compile(r"(?:(\d{4})-(\d\d)-(\d\d)(?:[Tt ](?=\d)|$))?(?:(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(?:([Zz])|([+-])(\d\d):(\d\d))?")
_DECIMAL = re.compile(r"[+-]?(?:0|[1-9](?:_?[0-9])*)")
_PREFIXED = re.compile(r"0(?:x[0-9a-fA-F](?:_?[0-9a-fA-F])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)")
_FLOAT = re.compile(r"[+-]?(?:0|[1-9](?:_?[0-9])*)(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?")
_SPECIAL = re.compile(r"([+-]?)(inf|nan)")
_TO_ESCAPE = re.compile(r'["\\\x00-\x1f\x7f]')
_SHORT_ESCAPES = {value: key for key, value in _ESCAPES.items() if key != "e"}
# int() refuses longer ones on newer Pythons.
_MAX_DIGITS = 1000


class Document:
    """A parsed text. value: the table it holds. bom: whether it starts with a byte order mark. comments: whether it has any."""

    __slots__ = ("text", "bom", "root", "sections", "comments", "value")

    def __init__(self, text, bom, root, sections, comments):
        self.text = text
        self.bom = bom
        self.root = root
        self.sections = sections
        self.comments = comments
        self.value = _value_of(root)


class _Node:
    """A value in the text. items: of a list or inline table, in text order; None for anything else. table: the _Table of an inline one."""

    __slots__ = ("start", "end", "value", "items", "table")

    def __init__(self, start, end, value=None, items=None, table=None):
        self.start = start
        self.end = end
        self.value = value
        self.items = items
        self.table = table


class _Item:
    """A key with its value, or an element of a list (keys empty). home: the _Section or the _Node it stands in.

    keys: of a dotted key all of them. start: of the key or element. comma: where its comma is, or None.
    """

    __slots__ = ("keys", "start", "node", "comma", "home")

    def __init__(self, keys, start, node, home):
        self.keys = keys
        self.start = start
        self.node = node
        self.comma = None
        self.home = home

    @property
    def end(self):
        return self.node.end


class _Section:
    """The part of the text that one header opens; the first one, before any header, has none.

    path: the keys in the header. start, end: of the header. items: the pairs below it.
    """

    __slots__ = ("path", "start", "end", "items")

    def __init__(self, path=(), start=None, end=None):
        self.path = path
        self.start = start
        self.end = end
        self.items = []


class _Table:
    """A table. members: key to _Table, _List or _Item. made: by what (ROOT, HEADER, SUPER: only tables below it were named; DOTTED:
    by dotted keys, INLINE). section: of its header. home, keys: of a dotted one, where it stands and the keys that lead to it there.
    item: of an inline one, what holds it (None inside a list)."""

    __slots__ = ("made", "members", "section", "home", "keys", "item")

    def __init__(self, made, section=None, home=None, keys=(), item=None):
        self.made = made
        self.members = {}
        self.section = section
        self.home = home
        self.keys = keys
        self.item = item


ROOT, HEADER, SUPER, DOTTED, INLINE = "root", "header", "super", "dotted", "inline"


class _List:
    """An array of tables: the _Table of each [[header]]."""

    __slots__ = ("tables",)

    def __init__(self):
        self.tables = []


def parse(data):
    """Return the Document of data (bytes). Raises FormatError, also for a key or table that is there twice: Codex refuses such a file."""
    bom = data.startswith(BOM)
    text = decoded(data[len(BOM):] if bom else data, _place)
    return _Parser(text).document(bom)


def dump(value):
    """Return the bytes of a new file that holds value: first its own values, then each table under its header."""
    lines = []
    _dump_table((), value, lines)
    return "".join(line + "\n" for line in lines).encode("utf-8")


def apply(document, edits):
    """Return the bytes of a document with edits (see _values) applied in order; the rest of the text is untouched.

    A table that an edit leaves without any value has no text of its own unless it has a header, so empty tables do not count.
    Raises ValueError where an edit does not fit the document, or when the result would not hold what it must.
    """
    expected = edited(document.value, edits)
    current = document
    for edit in edits:
        text = _with_edit(current, edit)
        while text != current.text:
            current = _Parser(text).document(document.bom)
            if edit[0] in ("put", "append"):
                break
            # What is between brackets goes one by one.
            text = _with_edit(current, edit)
    if not same(_without_empty(current.value), _without_empty(expected)):
        raise ValueError("the edit came out wrong and was not written; please report this file's form")
    return (BOM if document.bom else b"") + current.text.encode("utf-8")


def dotted_key(text):
    """Return the keys of a dotted key as it would stand in a file: a."b.c" is ("a", "b.c"). Raises FormatError."""
    parser = _Parser(text)
    keys, end = parser.key(0)
    if text[end:].strip():
        parser.fail("there is something after the key", end)
    return keys


def has_comments(document):
    """Return whether the text holds a comment: something a person wrote that no value shows."""
    return document.comments


def masked(document, hide, mask):
    """Return the text of a document with the value of every key for which hide(key) is true replaced by mask (a text)."""
    return masked_where(document, lambda path, value: any(hide(key) for key in path), mask)


def masked_where(document, test, mask):
    """Return the text of a document with every value for which test(path, value) is true replaced by mask (a text).

    path: the keys that lead to the value; elements of a list have the path of the list. An inline table is asked about value by value.
    """
    spans = []

    def look(path, item):
        path += item.keys
        node = item.node
        if node.items and (node.table is not None or any(inner.node.items is not None for inner in node.items)):
            for inner in node.items:
                look(path, inner)
        elif test(path, node.value):
            spans.append((node.start, node.end))

    for section in document.sections:
        for item in section.items:
            look(section.path, item)
    text = document.text
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + _rendered(mask) + text[end:]
    return text


# ----------------------------------------------------------------------------------------------------------------------
# Parsing


def _place(text, position):
    """Return line and column, from 1, of a position in a text."""
    position = min(position, len(text))
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


class _Parser:
    """A recursive descent over one text; the regular expressions do the scanning."""

    def __init__(self, text):
        self.text = text
        self.root = _Table(ROOT)
        self.section = _Section()
        self.sections = [self.section]
        self.table = self.root
        self.comments = False

    def fail(self, message, position):
        raise FormatError(message, *_place(self.text, position))

    def document(self, bom):
        position = self.gap(0)
        while position < len(self.text):
            if self.text[position] == "[":
                position = self.header(position)
            else:
                item = self.pair(position, self.section, self.table, 0)
                self.section.items.append(item)
                position = item.end
            position = self.end_of_line(position)
        return Document(self.text, bom, self.root, self.sections, self.comments)

    def gap(self, position):
        """Return the position of the next thing that is neither blank nor comment."""
        end = _GAP.match(self.text, position).end()
        if "#" in self.text[position:end]:
            self.comments = True
        if self.text[end : end + 1] < " " and end < len(self.text):
            self.fail("a control character stands here", end)
        return end

    def end_of_line(self, position):
        """Return where the next statement starts; after one there may be nothing but a comment on its line."""
        end = _BLANK.match(self.text, position).end()
        comment = _COMMENT.match(self.text, end)
        if comment:
            self.comments = True
            end = comment.end()
        if end < len(self.text) and not _NEWLINE.match(self.text, end):
            if comment:
                self.fail("a control character stands here", end)
            self.fail("there is something after the value" if self.text[position - 1] != "]" else "there is something after the bracket", end)
        return self.gap(end)

    def key(self, position):
        """Return (keys, end) of a key with or without dots."""
        keys = []
        while True:
            position = _BLANK.match(self.text, position).end()
            character = self.text[position : position + 1]
            if character in ('"', "'"):
                match = (_BASIC if character == '"' else _LITERAL).match(self.text, position)
                if not match or self.text.startswith(character * 3, position):
                    self.fail("a key in quotes starts here that does not end on its line or holds a wrong escape", position)
                keys.append(self.unescaped(match.group(1), position) if character == '"' else match.group(1))
            else:
                match = _BARE_KEY.match(self.text, position)
                if not match:
                    self.fail("the file ends where a key should be" if not character else "a key should be here", position)
                keys.append(match.group())
            end = match.end()
            dot = _BLANK.match(self.text, end).end()
            if self.text[dot : dot + 1] != ".":
                return tuple(keys), end
            position = dot + 1

    def header(self, start):
        doubled = self.text.startswith("[[", start)
        path, position = self.key(start + (2 if doubled else 1))
        position = _BLANK.match(self.text, position).end()
        closing = "]]" if doubled else "]"
        if not self.text.startswith(closing, position):
            self.fail("%s should close the header here" % closing, position)
        self.section = _Section(path, start, position + len(closing))
        self.sections.append(self.section)
        table = self.root
        for key in path[:-1]:
            table = self.below(table, key, start)
        there = table.members.get(path[-1])
        if doubled:
            self.table = _Table(HEADER, self.section)
            if there is None:
                there = table.members[path[-1]] = _List()
            if not isinstance(there, _List):
                self.fail("%s is no array of tables, it is there already" % _dotted(path), start)
            there.tables.append(self.table)
        elif there is None:
            self.table = table.members[path[-1]] = _Table(HEADER, self.section)
        elif isinstance(there, _Table) and there.made == SUPER:
            there.made, there.section = HEADER, self.section
            self.table = there
        else:
            self.fail("%s is there twice" % _dotted(path), start)
        return self.section.end

    def below(self, table, key, position):
        """Return the table that a key in the middle of a header leads to, made when it is not there."""
        there = table.members.get(key)
        if there is None:
            there = table.members[key] = _Table(SUPER)
        if isinstance(there, _List):
            there = there.tables[-1]
        if not isinstance(there, _Table) or there.made == INLINE:
            self.fail("%s has a value already and can have no table below it" % _dotted((key,)), position)
        return there

    def pair(self, start, home, table, depth):
        """Return the _Item of a key and its value and put it into a table. home: the section or inline table it stands in."""
        keys, position = self.key(start)
        position = _BLANK.match(self.text, position).end()
        if self.text[position : position + 1] != "=":
            self.fail("an equals sign should follow the key", position)
        item = _Item(keys, start, None, home)
        for index, key in enumerate(keys[:-1]):
            there = table.members.get(key)
            if there is None:
                there = table.members[key] = _Table(DOTTED, home=home, keys=keys[: index + 1])
            if not isinstance(there, _Table) or there.made != DOTTED or there.home is not home:
                self.fail("%s is there already and cannot be added to by a dotted key" % _dotted(keys[: index + 1]), start)
            table = there
        if keys[-1] in table.members:
            self.fail("%s is there twice" % _dotted(keys), start)
        item.node = self.value(_BLANK.match(self.text, position + 1).end(), depth)
        if item.node.table is None:
            table.members[keys[-1]] = item
        else:
            item.node.table.item = item
            table.members[keys[-1]] = item.node.table
        return item

    def value(self, position, depth):
        character = self.text[position : position + 1]
        if character in ("[", "{"):
            if depth >= MAX_DEPTH:
                self.fail("is nested more than %d levels deep" % MAX_DEPTH, position)
            return self.container(position, depth, character == "{")
        if character in ('"', "'"):
            return self.string(position, character)
        return self.word(position)

    def string(self, position, quote):
        if self.text.startswith(quote * 3, position):
            match = (_LONG_BASIC if quote == '"' else _LONG_LITERAL).match(self.text, position)
            if not match:
                self.fail("a string over several lines starts here that does not end, or holds a wrong escape or a control character", position)
            content = match.group(1).replace("\r\n", "\n")
        else:
            match = (_BASIC if quote == '"' else _LITERAL).match(self.text, position)
            if not match:
                self.fail("a string starts here that does not end on its line or holds a wrong escape", position)
            content = match.group(1)
        return _Node(position, match.end(), self.unescaped(content, position) if quote == '"' else content)

    def unescaped(self, content, position):
        def replaced(match):
            if match.group(1):
                return _ESCAPES[match.group(1)]
            digits = match.group(2) or match.group(3) or match.group(4)
            if not digits:
                return ""
            number = int(digits, 16)
            if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
                self.fail("a string holds an escape that is no character", position)
            return chr(number)

        return _ESCAPED.sub(replaced, content)

    def word(self, position):
        """Return the _Node of a number, a moment, true or false."""
        match = _DATE.match(self.text, position) or _WORD.match(self.text, position)
        if not match:
            self.fail("the file ends where a value should be" if position >= len(self.text) else "a value should be here", position)
        if match.re is _DATE:
            # A word that goes on is none: 1979-05-27x.
            match = match if _WORD.match(self.text, match.end()) is None else _WORD.match(self.text, position)
        word = match.group()
        if word in ("true", "false"):
            return _Node(position, match.end(), word == "true")
        if len(word) > _MAX_DIGITS:
            self.fail("is a number of more than %d digits" % _MAX_DIGITS, position)
        value = self.number(word, position)
        if value is None:
            value = self.moment(word, position)
        if value is None:
            self.fail("%s is no value; text needs quotes" % word[:20], position)
        return _Node(position, match.end(), value)

    def number(self, word, position):
        special = _SPECIAL.fullmatch(word)
        if special:
            return float(special.group(1) + special.group(2))
        plain = word.replace("_", "")
        if _DECIMAL.fullmatch(word):
            number = int(plain)
        elif _PREFIXED.fullmatch(word):
            number = int(plain, 0)
        else:
            return float(plain) if _FLOAT.fullmatch(word) else None
        if number not in INTEGERS:
            self.fail("is a number of more than 64 bits", position)
        return number

    def moment(self, word, position):
        match = _MOMENT.fullmatch(word)
        if not match:
            return None
        year, month, day, hour, minute, second, fraction, zulu, sign, off_hours, off_minutes = match.groups()
        try:
            date = None if year is None else datetime.date(int(year), int(month), int(day))
            if hour is None:
                return date if match.end(3) == len(word) else None
            zone = datetime.timezone.utc if zulu else None
            if sign:
                offset = datetime.timedelta(hours=int(off_hours), minutes=int(off_minutes))
                zone = datetime.timezone(-offset if sign == "-" else offset)
            if date is None and zone:
                return None
            time = datetime.time(int(hour), int(minute), int(second or 0), int((fraction or "0")[:6].ljust(6, "0")), zone)
            return time if date is None else datetime.datetime.combine(date, time)
        except ValueError as error:
            return self.fail("is no date or time: %s" % error, position)

    def container(self, start, depth, is_table):
        closing = "}" if is_table else "]"
        node = _Node(start, start, items=[])
        if is_table:
            node.table = _Table(INLINE)
        position = self.gap(start + 1)
        while self.text[position : position + 1] != closing:
            if is_table:
                item = self.pair(position, node, node.table, depth + 1)
            else:
                item = _Item((), position, self.value(position, depth + 1), node)
            node.items.append(item)
            position = self.gap(item.end)
            if self.text[position : position + 1] == ",":
                item.comma = position
                position = self.gap(position + 1)
            elif self.text[position : position + 1] != closing:
                what = "the file ends" if position >= len(self.text) else "there should be a comma or %s" % closing
                self.fail("%s inside the %s that starts in line %d" % (what, "table" if is_table else "list", _place(self.text, start)[0]), position)
        node.end = position + 1
        node.value = _value_of(node.table) if is_table else [item.node.value for item in node.items]
        return node


def _value_of(member):
    if isinstance(member, _Item):
        return member.node.value
    if isinstance(member, _List):
        return [_value_of(table) for table in member.tables]
    return {key: _value_of(inner) for key, inner in member.members.items()}


# ----------------------------------------------------------------------------------------------------------------------
# Editing


def _with_edit(document, edit):
    """Return the text of a document after one edit; of a discard, after the removal of one element."""
    kind, path, operand = edit
    member = _member(document.root, path)
    if kind == "put":
        return _put(document, member, path, operand)
    if kind == "drop":
        return document.text if member is None else _without(document, member)
    elements = _elements(member)
    if member is None:
        # An array of tables is gone with its last one.
        return document.text if kind == "discard" else _inserted(document, path, [operand])
    if elements is None:
        raise ValueError("there is no list at %r" % (path,))
    if kind == "append":
        return _appended(document, member, path, operand)
    doomed = [element for element in elements if same(_value_of(element), operand)]
    if not doomed:
        return document.text
    if isinstance(member, _List):
        return _without(document, doomed[-1])
    return _brackets.taken_out(document.text, member.node, doomed[-1])


def _member(table, path):
    """Return what stands at a path, None for nothing. Raises ValueError when the way leads through something that is no table."""
    for index, key in enumerate(path):
        if not isinstance(table, _Table):
            raise ValueError("%r leads through something that is no table" % (path[:index],))
        table = table.members.get(key)
        if table is None:
            return None
    return table


def _elements(member):
    if isinstance(member, _List):
        return member.tables
    return member.node.items if isinstance(member, _Item) and isinstance(member.node.value, list) else None


def _put(document, member, path, value):
    item = member.item if isinstance(member, _Table) and member.made == INLINE else member
    if isinstance(item, _Item):
        return document.text[: item.node.start] + _rendered(value) + document.text[item.end :]
    while member is not None:
        document = _Parser(_without(document, member)).document(document.bom)
        member = _member(document.root, path)
    return _inserted(document, path, value)


def _inserted(document, path, value):
    """Return the text with a value at a path where there is none, in the form that what is around it has."""
    table, depth = document.root, 0
    while depth < len(path) - 1 and path[depth] in table.members:
        table = table.members[path[depth]]
        depth += 1
        if not isinstance(table, _Table):
            raise ValueError("%r leads through something that is no table" % (path[:depth],))
    rest = path[depth:]
    if table.made == INLINE:
        return _into_brackets(document, table.item.node, _pair(rest[:1], _nested(rest[1:], value)))
    if table.made == DOTTED:
        keys = table.keys + rest
        if isinstance(table.home, _Section):
            last = [item for item in table.home.items if item.keys[: len(table.keys)] == table.keys][-1]
            return _after_line(document.text, last.start, last.end, _pair(keys, value))
        return _into_brackets(document, table.home, _pair(table.keys + rest[:1], _nested(rest[1:], value)))
    if _are_tables(value):
        text = document.text
        for element in value:
            text = _with_section(text, len(text), "[[%s]]" % _dotted(path), element)
        return text
    if len(rest) == 1 and table.made == ROOT:
        return _into_root(document, _pair(rest, value))
    if len(rest) == 1 and table.made == HEADER:
        section = table.section
        if section.items:
            return _after_line(document.text, section.items[-1].start, section.items[-1].end, _pair(rest, value))
        return _after_line(document.text, section.start, section.end, _pair(rest, value))
    return _with_section(document.text, len(document.text), "[%s]" % _dotted(path[:-1]), {path[-1]: value})


def _nested(keys, value):
    for key in reversed(keys):
        value = {key: value}
    return value


def _after_line(text, start, end, line):
    """Return the text with a line after that of a statement, indented like it."""
    newline = _newline_of(text)
    place = _line_end(text, end)
    line = indent_of_line(text, start) + line
    if place == len(text) and not text.endswith("\n"):
        return text + newline + line
    return text[:place] + line + newline + text[place:]


def _into_root(document, line):
    """Return the text with a line before the first header. Without other values there, a blank line sets it off."""
    text, items = document.text, document.sections[0].items
    if items:
        return _after_line(text, items[-1].start, items[-1].end, line)
    newline = _newline_of(text)
    if len(document.sections) > 1:
        place = _start_of_comments(text, document.sections[1].start)
        return text[:place] + line + newline + newline + text[place:]
    if not text:
        return line + newline
    lines = [line] if text.endswith("\n") else ["", line]
    return text + newline + newline.join(lines) + (newline if text.endswith("\n") else "")


def _start_of_comments(text, position):
    """Return the start of the comment lines right above a header: they belong to it, unless they are the head of the file."""
    first = place = text.rfind("\n", 0, position) + 1
    while place > 0:
        above = text.rfind("\n", 0, place - 1) + 1
        if not text[above:place].lstrip(" \t").startswith("#"):
            return place
        place = above
    return first


def _with_section(text, place, header, table):
    """Return the text with a header and the values of a table at a place where a line starts or the text ends, set off by a blank line."""
    newline = _newline_of(text)
    lines = [header] + [_pair((key,), value) for key, value in table.items()]
    body = newline.join(lines)
    if not text:
        return body + newline
    if place == len(text) and not text.endswith("\n"):
        return text + newline + newline + body
    return text[:place] + newline + body + newline + text[place:]


def _appended(document, member, path, element):
    if isinstance(member, _List):
        if not isinstance(element, dict):
            raise ValueError("%r holds tables only" % (path,))
        ends = [end for _start, end, _home in _statements(member)]
        return _with_section(document.text, _line_end(document.text, max(ends)), "[[%s]]" % _dotted(path), element)
    return _into_brackets(document, member.node, _rendered(element))


def _into_brackets(document, node, new):
    """Return the text with a new last element in a list or inline table."""
    text, newline = document.text, _newline_of(document.text)
    if node.items:
        one_line = "\n" not in text[node.start : node.items[-1].start]
        return _brackets.added(text, node, new, one_line, indent_of_line(text, node.items[-1].start), newline, " ", _REMARK, "#")
    indent = indent_of_line(text, node.start) + DEFAULT_INDENT
    inside = text[node.start + 1 : node.end - 1]
    if inside.strip():
        return _brackets.added_after_comments(text, node, new, indent, newline)
    if "\n" in inside:
        return text[: node.start + 1] + newline + indent + new + text[node.start + 1 :]
    return text[: node.end - 1] + new + text[node.end - 1 :]


def _statements(member):
    """Return [(start, end, home)] of the statements that make up a member. home: the _Section of a pair, an inline table's _Node,
    None for a header."""
    if isinstance(member, _Item):
        return [(member.start, member.end, member.home)]
    if isinstance(member, _List):
        return [statement for table in member.tables for statement in _statements(table)]
    if member.made == INLINE:
        return _statements(member.item)
    found = [(member.section.start, member.section.end, None)] if member.section else []
    for inner in member.members.values():
        found += _statements(inner)
    return found


def _without(document, member):
    """Return the text without what stands at a member; between brackets, without the last part of it. Comments of the person stay."""
    text = document.text
    statements = _statements(member)
    if statements and isinstance(statements[0][2], _Node):
        start, _end, node = statements[-1]
        return _brackets.taken_out(text, node, next(item for item in node.items if item.start == start))
    root = document.sections[0]
    cuts = []
    for start, end, home in statements:
        line = text.rfind("\n", 0, start) + 1
        remark = _BLANK.match(text, end).end()
        if text[remark : remark + 1] == "#":
            cuts.append((start, remark))
            continue
        cuts.append((line, _line_end(text, end)))
        if home is None:
            cuts.append((_blank_line_before(text, line), line))
    gone = {start for start, _end, home in statements if home is root}
    if gone and gone == {item.start for item in root.items}:
        # The blank line that set them off.
        below = _line_end(text, root.items[-1].end)
        above = text.rfind("\n", 0, root.items[0].start) + 1
        blank = _NEWLINE.match(text, below)
        cuts.append((below, blank.end()) if blank else (_blank_line_before(text, above), above))
    result, position = [], 0
    for start, end in sorted(cuts):
        result.append(text[position : max(start, position)])
        position = max(position, end)
    kept = "".join(result) + text[position:]
    if position == len(text) and not text.endswith("\n"):
        # The last line had no line end, so the new last one has none.
        kept = kept[:-2] if kept.endswith("\r\n") else kept[:-1] if kept.endswith("\n") else kept
    return kept


def _line_end(text, position):
    """Return where the line after the one that holds a position starts."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _blank_line_before(text, line):
    """Return the start of the line before one, if that is empty; else the start of the line itself."""
    if text.endswith("\r\n", 0, line):
        above = line - 2
    elif text.endswith("\n", 0, line):
        above = line - 1
    else:
        return line
    return above if above == 0 or text[above - 1] == "\n" else line


def _newline_of(text):
    match = _NEWLINE.search(text)
    return match.group() if match else "\n"


def _without_empty(value):
    """Return a table without the empty tables and lists in it: where nothing is left, there may be no text left."""
    result = {key: _without_empty(inner) if isinstance(inner, dict) else inner for key, inner in value.items()}
    return {key: inner for key, inner in result.items() if inner not in ({}, [])}


# ----------------------------------------------------------------------------------------------------------------------
# Rendering


def _dump_table(path, table, lines):
    """Add the lines of a table: values, then the tables below it."""
    inner = {key: value for key, value in table.items() if isinstance(value, dict)}
    lists = {key: value for key, value in table.items() if _are_tables(value)}
    own = {key: value for key, value in table.items() if key not in inner and key not in lists}
    if path and (own or not table):
        lines += ([""] if lines else []) + ["[%s]" % _dotted(path)]
    lines += [_pair((key,), value) for key, value in own.items()]
    for key, value in inner.items():
        _dump_table(path + (key,), value, lines)
    for key, value in lists.items():
        for element in value:
            lines += ([""] if lines else []) + ["[[%s]]" % _dotted(path + (key,))] + [_pair((name,), inner) for name, inner in element.items()]


def _are_tables(value):
    """Return whether a value is a list of tables, which reads best with a header for each."""
    return isinstance(value, list) and bool(value) and all(isinstance(element, dict) and element for element in value)


def _pair(keys, value):
    return "%s = %s" % (_dotted(keys), _rendered(value))


def _dotted(keys):
    return ".".join(key if _BARE_KEY.fullmatch(key) else _quoted(key) for key in keys)


def _rendered(value):
    """Return a value on one line. Raises ValueError for one that TOML cannot hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        if value not in INTEGERS:
            raise ValueError("a number of more than 64 bits cannot be written")
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return "{ %s }" % ", ".join(_pair((key,), inner) for key, inner in value.items()) if value else "{}"
    if isinstance(value, list):
        return "[%s]" % ", ".join(_rendered(element) for element in value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    raise ValueError("TOML has no form for %s" % ("null" if value is None else "a " + type(value).__name__))


def _quoted(text):
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise ValueError("half of a character (a lone surrogate) cannot be written as UTF-8")
    return '"%s"' % _TO_ESCAPE.sub(_escape, text)


def _escape(match):
    character = match.group()
    short = _SHORT_ESCAPES.get(character)
    return "\\" + short if short else "\\u%04x" % ord(character)
