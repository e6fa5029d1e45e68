# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: JSON with comments, read and edited so that everything not edited stays byte for byte. Pure.

Copilot accepts comments, trailing commas and a byte order mark in its settings (contract/COPILOT.md, section 5) and none of
them in hook files (section 1): parse() reads either, by strict. An edit is a splice of the text; the result is
parsed again and must hold exactly the expected value, so a mistake here refuses to write and never corrupts.
"""

from __future__ import annotations

import json
import re

from ansible_collections.agentihooks.fleet.plugins.module_utils import _brackets
from ansible_collections.agentihooks.fleet.plugins.module_utils._brackets import NEWLINE, indent_of_line
from ansible_collections.agentihooks.fleet.plugins.module_utils._format_error import FormatError, decoded
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import edited, same

MAX_DEPTH = 100
DEFAULT_INDENT = "  "
BOM = b"\xef\xbb\xbf"

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*(?:(?!\*/)[\s\S])*\*/)*")
_WHITESPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_REMARK = re.compile(r"(?:[ \t]*/\*(?:(?!\*/)[^\r\n])*\*/)*(?:[ \t]*//[^\r\n]*)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONSTANTS = {"true": True, "false": False, "null": None}
# int() refuses longer ones on newer Pythons, and no setting needs them.
_MAX_DIGITS = 1000


class Document:
    """A parsed text. value: what it holds ({} for a text without any value); strict: how it was read."""

    __slots__ = ("text", "bom", "strict", "root", "value")

    def __init__(self, text, bom, strict, root):
        self.text = text
        self.bom = bom
        self.strict = strict
        self.root = root
        self.value = {} if root is None else root.value


class _Node:
    """A value in the text. items: of a table or list, in text order, each an _Item; None for anything else."""

    __slots__ = ("start", "end", "value", "items")

    def __init__(self, start, end, value, items=None):
        self.start = start
        self.end = end
        self.value = value
        self.items = items


class _Item:
    """A member of a table or an element of a list. start: of the key or element; comma: where its comma is, or None."""

    __slots__ = ("key", "start", "key_end", "node", "comma")

    def __init__(self, key, start, key_end, node):
        self.key = key
        self.start = start
        self.key_end = key_end
        self.node = node
        self.comma = None

    @property
    def end(self):
        return self.node.end


def parse(data, strict=False):
    """Return the Document of data (bytes).

    strict: plain JSON only. Otherwise comments, trailing commas and a byte order mark are accepted, and a text
    without any value is an empty table. Of repeated keys the last one counts. Raises FormatError.
    """
    bom = data.startswith(BOM)
    text = decoded(data[len(BOM):] if bom else data, _place)
    if bom and strict:
        raise FormatError("starts with a byte order mark, which this file's reader refuses; save it as UTF-8 without one", 1, 1)
    parser = _Parser(text, strict)
    position = parser.skip(0)
    if position == len(text) and not strict:
        return Document(text, bom, strict, None)
    root = parser.value(position, 0)
    position = parser.skip(root.end)
    if position != len(text):
        parser.fail("there is something after the end of the document", position)
    return Document(text, bom, strict, root)


def dump(value):
    """Return the bytes of a new file that holds value: two spaces, final newline."""
    return (_serialized(value, DEFAULT_INDENT) + "\n").encode("utf-8")


def apply(document, edits):
    """Return the bytes of a document with edits (see _values) applied in order; the rest of the text is untouched.

    Raises ValueError where an edit does not fit the document, or when the result would not hold what it must.
    """
    expected = edited(document.value, edits)
    current = document
    for edit in edits:
        text = _with_edit(current, edit)
        while text != current.text:
            current = _parsed(text, current)
            if edit[0] in ("put", "append"):
                break
            # A removal is repeated until nothing is left to remove: a key may stand there twice.
            text = _with_edit(current, edit)
    if not same(current.value, expected):
        raise ValueError("the edit came out wrong and was not written; please report this file's form")
    return (BOM if document.bom else b"") + current.text.encode("utf-8")


def has_comments(document):
    """Return whether the text holds a comment: something a person wrote that no value shows."""
    without_strings = _STRING.sub("", document.text)
    return "//" in without_strings or "/*" in without_strings


def masked(document, hide, mask):
    """Return the text of a document with the value of every key for which hide(key) is true replaced by mask (a JSON value).

    In a list, so is the word after an option of such a name, and what stands behind its "=".
    """
    spans = []
    pending = [document.root] if document.root is not None else []
    while pending:
        node = pending.pop()
        words = masked_words(node.value, hide, mask) if isinstance(node.value, list) else ()
        for index, item in enumerate(node.items or ()):
            if item.key is not None and hide(item.key):
                spans.append((item.node.start, item.end, mask))
            elif item.key is None and words[index] is not node.value[index]:
                spans.append((item.node.start, item.end, words[index]))
            else:
                pending.append(item.node)
    text = document.text
    for start, end, shown in sorted(spans, key=lambda span: span[0], reverse=True):
        text = text[:start] + json.dumps(shown) + text[end:]
    return text


def masked_words(words, hide, mask):
    """Return a list in which what is given to an option (--password X, --password=X) for which hide(name) is true is mask.

    All other elements are the very same objects.
    """
    shown = []
    for index, word in enumerate(words):
        before = words[index - 1] if index else None
        if isinstance(word, str):
            option, equals, _given = word.partition("=")
            if _names_hidden(before, hide):
                word = mask
            elif equals and _names_hidden(option, hide):
                word = option + equals + mask
        shown.append(word)
    return shown


def _names_hidden(word, hide):
    return isinstance(word, str) and word.startswith("-") and "=" not in word and hide(word.lstrip("-"))


def _place(text, position):
    """Return line and column, from 1, of a position in a text."""
    starts = [match.end() for match in NEWLINE.finditer(text, 0, min(position, len(text)))]
    return len(starts) + 1, min(position, len(text)) - (starts[-1] if starts else 0) + 1


class _Parser:
    """A recursive descent over one text; the regular expressions do the scanning."""

    def __init__(self, text, strict):
        self.text = text
        self.strict = strict

    def fail(self, message, position):
        raise FormatError(message, *_place(self.text, position))

    def skip(self, position):
        """Return the position of the next thing that is neither blank nor comment."""
        end = (_WHITESPACE if self.strict else _BLANK).match(self.text, position).end()
        if self.text.startswith("/*", end) and not self.strict:
            self.fail("a comment starts here and does not end", end)
        if self.text[end : end + 1] == "/" and self.strict:
            self.fail("comments are refused by this file's reader; remove it", end)
        return end

    def value(self, position, depth):
        character = self.text[position : position + 1]
        if character in ("{", "["):
            if depth >= MAX_DEPTH:
                self.fail("is nested more than %d levels deep" % MAX_DEPTH, position)
            return self.container(position, depth, character == "{")
        if character == '"':
            end = self.string(position)
            return _Node(position, end, json.loads(self.text[position:end]))
        match = _NUMBER.match(self.text, position)
        if match:
            return _Node(position, match.end(), self.number(match))
        word = _WORD.match(self.text, position)
        if word and word.group() in _CONSTANTS:
            return _Node(position, word.end(), _CONSTANTS[word.group()])
        if not character:
            self.fail("the file ends where a value should be", position)
        if word:
            self.fail("%s is no JSON value" % word.group()[:20], position)
        return self.fail("a value should be here", position)

    def string(self, position):
        match = _STRING.match(self.text, position)
        if not match:
            self.fail("a string starts here that does not end on its line or holds a wrong escape", position)
        return match.end()

    def number(self, match):
        token = match.group()
        if self.text[match.end() : match.end() + 1].isalnum():
            self.fail("is no JSON number", match.start())
        if len(token) > _MAX_DIGITS:
            self.fail("is a number of more than %d digits" % _MAX_DIGITS, match.start())
        if match.group(1) is None and match.group(2) is None:
            return int(token)
        number = float(token)
        if number in (float("inf"), float("-inf")):
            self.fail("is a number too large to hold", match.start())
        return number

    def container(self, start, depth, is_table):
        closing = "}" if is_table else "]"
        items = []
        position = self.skip(start + 1)
        while self.text[position : position + 1] != closing:
            item = self.member(position, depth) if is_table else self.element(position, depth)
            items.append(item)
            position = self.skip(item.end)
            if self.text[position : position + 1] == ",":
                item.comma = position
                position = self.skip(position + 1)
                if self.strict and self.text[position : position + 1] == closing:
                    self.fail("a comma before %s is refused by this file's reader; remove it" % closing, item.comma)
            elif self.text[position : position + 1] != closing:
                what = "the file ends" if position >= len(self.text) else "there should be a comma or %s" % closing
                self.fail("%s inside the %s that starts in line %d" % (what, "object" if is_table else "list", _place(self.text, start)[0]), position)
        if is_table:
            value = {item.key: item.node.value for item in items}
        else:
            value = [item.node.value for item in items]
        return _Node(start, position + 1, value, items)

    def member(self, position, depth):
        if self.text[position : position + 1] != '"':
            at_end = position >= len(self.text)
            self.fail("the file ends where a key should be" if at_end else "a key in double quotes should be here", position)
        key_end = self.string(position)
        colon = self.skip(key_end)
        if self.text[colon : colon + 1] != ":":
            self.fail("a colon should follow the key", colon)
        node = self.value(self.skip(colon + 1), depth + 1)
        return _Item(json.loads(self.text[position:key_end]), position, key_end, node)

    def element(self, position, depth):
        return _Item(None, position, position, self.value(position, depth + 1))


def _parsed(text, document):
    return parse((BOM if document.bom else b"") + text.encode("utf-8"), document.strict)


def _with_edit(document, edit):
    """Return the text of a document after one edit; of a removal, after the removal of one occurrence."""
    kind, path, operand = edit
    if document.root is None:
        return _filled(document, edit)
    if document.root.items is None or isinstance(document.root.value, list):
        raise ValueError("the document is no table")
    parent, rest = document.root, list(path)
    while len(rest) > 1:
        item = _member(parent, rest[0])
        if item is None:
            break
        if not isinstance(item.node.value, dict):
            raise ValueError("%r leads through something that is no table" % (path,))
        parent = item.node
        rest.pop(0)
    item = _member(parent, rest[0])
    if kind == "put":
        if item is not None:
            return _replaced(document, parent, item, operand)
        for key in reversed(rest[1:]):
            operand = {key: operand}
        return _inserted(document, parent, rest[0], operand)
    if kind == "drop":
        return document.text if item is None or len(rest) > 1 else _without(document.text, parent, item)
    if item is None or len(rest) > 1 or not isinstance(item.node.value, list):
        raise ValueError("there is no list at %r" % (path,))
    if kind == "append":
        return _inserted(document, item.node, None, operand)
    doomed = [element for element in item.node.items if same(element.node.value, operand)]
    return _without(document.text, item.node, doomed[-1]) if doomed else document.text


def _filled(document, edit):
    """Return the text of a document without any value (empty, or comments only) after an edit."""
    value = edited({}, [edit])
    newline = _newline_of(document.text)
    lead = document.text
    if lead.strip() == "":
        lead = ""
    elif not lead.endswith(("\n", "\r")):
        lead += newline
    return lead + _serialized(value, DEFAULT_INDENT).replace("\n", newline) + newline


def _member(node, key):
    """Return the last member of that key (the one that counts), None without one."""
    return next((item for item in reversed(node.items) if item.key == key), None)


def _replaced(document, parent, item, value):
    text = document.text
    old = text[item.node.start : item.end]
    one_line = _is_one_line(document, parent)
    if item.node.items and not NEWLINE.search(old):
        one_line = True
    new = _laid_out(document, value, indent_of_line(text, item.start), one_line, _separators(document, parent))
    return text[: item.node.start] + new + text[item.end :]


def _inserted(document, parent, key, value):
    """Return the text with a member (or with key None an element) added at the end of a table or list."""
    text = document.text
    one_line = _is_one_line(document, parent)
    comma, colon = _separators(document, parent)
    if parent.items:
        last = parent.items[-1]
        indent = indent_of_line(text, last.start)
    else:
        indent = indent_of_line(text, parent.start) + _indent_unit(document)
    new = _laid_out(document, value, indent, one_line, (comma, colon))
    if key is not None:
        new = _quoted(key) + colon + new
    newline = _newline_of(text)
    if not parent.items:
        return _into_empty(text, parent, new, one_line, indent, newline)
    return _brackets.added(text, parent, new, one_line, indent, newline, comma[1:], _REMARK, "//")


def _into_empty(text, parent, new, one_line, indent, newline):
    inside = text[parent.start + 1 : parent.end - 1]
    if inside.strip() == "":
        closing = "" if one_line else newline + indent_of_line(text, parent.start)
        lead = "" if one_line else newline + indent
        return text[: parent.start + 1] + lead + new + closing + text[parent.end - 1 :]
    return _brackets.added_after_comments(text, parent, new, indent, newline)


def _without(text, parent, item):
    """Return the text without a member or element; of the last one also the white space between the brackets goes."""
    around = text[parent.start + 1 : item.start] + text[item.end : parent.end - 1]
    if len(parent.items) == 1 and around.strip(", \t\r\n") == "":
        return text[: parent.start + 1] + text[parent.end - 1 :]
    return _brackets.taken_out(text, parent, item)


def _is_one_line(document, node):
    """Return whether what is put into a table or list goes on the same line."""
    text = document.text
    if node.items:
        return not NEWLINE.search(text, node.start, node.items[-1].start)
    root = document.root
    return bool(root.items) and not NEWLINE.search(text, root.start, root.end)


def _indent_unit(document):
    """Return one step of the document's indentation: that of the first nested line, else two spaces."""
    text = document.text
    pending = [document.root] if document.root is not None else []
    while pending:
        node = pending.pop(0)
        for item in node.items or ():
            outer, inner = indent_of_line(text, node.start), indent_of_line(text, item.start)
            if inner.startswith(outer) and len(inner) > len(outer) and NEWLINE.search(text, node.start, item.start):
                return inner[len(outer):]
            if item.node.items:
                pending.append(item.node)
    return DEFAULT_INDENT


def _newline_of(text):
    match = NEWLINE.search(text)
    return match.group() if match else "\n"


def _separators(document, node):
    """Return the comma and the colon with their white space, as this table (or else the first one) has them."""
    text = document.text
    colon = None
    for holder in (node, document.root):
        for item in holder.items or ():
            if item.key is not None:
                between = text[item.key_end : item.node.start]
                colon = between if re.match(r"^ *: *$", between) else ": "
                break
        if colon is not None:
            break
    comma = ", " if colon is None or colon.endswith(" ") else ","
    if node.items and len(node.items) > 1:
        between = text[node.items[0].comma : node.items[1].start]
        if re.match(r"^, *$", between):
            comma = between
    return comma, colon or ": "


def _laid_out(document, value, indent, one_line, separators):
    if one_line:
        return _escaped(json.dumps(value, ensure_ascii=False, separators=separators))
    return _serialized(value, _indent_unit(document)).replace("\n", _newline_of(document.text) + indent)


def _serialized(value, unit):
    return _escaped(json.dumps(value, ensure_ascii=False, indent=unit))


def _quoted(key):
    return _escaped(json.dumps(key, ensure_ascii=False))


def _escaped(text):
    """Half of a surrogate pair cannot be encoded, but it can be written as an escape."""
    return _SURROGATE.sub(lambda match: "\\u%04x" % ord(match.group()), text)
