# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the YAML block at the top of an agent, command or skill file, read as people really write it.

About one agent in twenty and one command in eight is not YAML: an unquoted colon in the description, `tools: *`,
`argument-hint: [a] | [b]`. PyYAML is asked first; what it rejects is read key by key. It runs on the controller, where
PyYAML is at hand, so that hosts only ever receive finished files.

Nothing here evaluates what it reads: no tags, no templates, a bounded number of aliases.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import yaml

# The largest seen in the wild is about 10,000 characters.
MAX_CHARACTERS = 64 * 1024
# Few enough that aliases of aliases stay small, more than any real file has.
MAX_ALIASES = 20
# Real ones are three or four levels deep. Deeper ones take seconds to read, each.
MAX_DEPTH = 40

# Keys that end a text that spills over unindented lines. Such a text is full of lines like "user: ..." and "Context: ...",
# so only a name known to be a key counts as one there.
KNOWN_KEYS = frozenset((
    "agent", "agents", "allowed-tools", "allowedTools", "argument-hint", "arguments", "author", "background", "capabilities",
    "category", "color", "compatibility", "context", "description", "disable-model-invocation", "disallowed-tools",
    "disallowed_tools", "disallowedTools", "effort", "handoffs", "hooks", "infer", "isolation", "license", "maxTurns",
    "mcp-servers", "mcpServers", "memory", "metadata", "mode", "model", "name", "permission", "permissionMode", "permissions",
    "priority", "role", "skills", "tags", "temperature", "tools", "type", "user-invocable", "version",
))

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPENING = re.compile(r"---[ \t]*$")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*$")
_KEY = re.compile(r"""(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?=[ \t]|$)(.*)""", re.DOTALL)
_BLOCK_SCALAR = re.compile(r"[|>][+-]?\d?[+-]?$")
# JSON's escapes are YAML's, but YAML wants more characters escaped than JSON does.
_NOT_PRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class FrontmatterError(ValueError):
    """The file cannot be read; the message says what was found and in which line, and does not name the file."""


@dataclass(frozen=True)
class Document:
    """A file taken apart.

    body: the text after the frontmatter, line ends and all. has_frontmatter: whether there was one.
    values: key -> every value it was given, in order (a key may stand twice). Scalars are text: only true, false and an
    empty value or null have their YAML meaning. problem: why YAML rejects the frontmatter, None when it does not.
    """

    body: str
    has_frontmatter: bool = False
    values: dict = field(default_factory=dict)
    problem: str | None = None

    def get(self, key):
        """Return the first value of a key, None when it has none."""
        return self.values.get(key, [None])[0]


def decode(data):
    """Return the text of a file's bytes, without a byte order mark. Raises FrontmatterError for what is not UTF-8 text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FrontmatterError("is UTF-16, not UTF-8; save it as UTF-8")
    if b"\0" in data:
        raise FrontmatterError("holds a NUL byte in line %d, so it is no text file" % _line_number(data, data.index(b"\0")))
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise FrontmatterError(
            "is not UTF-8: byte 0x%02x in line %d; save it as UTF-8" % (data[error.start], _line_number(data, error.start))
        ) from None


def read(text):
    """Return the Document of a file's text. Raises FrontmatterError for a frontmatter that is not closed or not key: value.

    Blank lines before the opening `---` are let pass. A `---` further down never opens a frontmatter.
    """
    lines = _LINE.findall(text)
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None or not _OPENING.match(lines[first].rstrip("\r\n")):
        return Document(body=text)
    last = next((number for number in range(first + 1, len(lines)) if _CLOSING.match(lines[number].rstrip("\r\n"))), None)
    if last is None:
        raise FrontmatterError("has a frontmatter that is not closed: no line --- after line %d" % (first + 1))
    block = [line.rstrip("\r\n") for line in lines[first + 1:last]]
    if sum(map(len, block)) > MAX_CHARACTERS:
        raise FrontmatterError("has a frontmatter of more than %d characters" % MAX_CHARACTERS)
    pairs, problem = _pairs(block, first + 2)
    values = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return Document("".join(lines[last + 1:]), True, values, problem)


def render(pairs, body):
    """Return the text of a file: pairs of key and value (text, list of texts, or bool), every text quoted, then the body."""
    return "---\n%s---\n%s" % ("".join("%s: %s\n" % (key, _rendered(value)) for key, value in pairs), body)


def _rendered(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _NOT_PRINTABLE.sub(lambda match: "\\u%04x" % ord(match.group()), json.dumps(value, ensure_ascii=False))
    return "[%s]" % ", ".join(_rendered(item) for item in value)


def _line_number(data, offset):
    return data.count(b"\n", 0, offset) + 1


def _pairs(block, first_line):
    """Return ([(key, value)], why YAML rejects it or None). first_line: the number of the block's first line in the file."""
    try:
        return _yaml_pairs("\n".join(block)), None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = " in line %d" % (mark.line + first_line) if mark else ""
        problem = "is no YAML%s: %s" % (where, getattr(error, "problem", None) or "a character that is not allowed")
    pairs = [_chunk_pair(key, lines) for key, lines in _chunks(block)]
    if not pairs:
        raise FrontmatterError("has a frontmatter that %s" % problem)
    return pairs, problem


class _Loader(yaml.SafeLoader):
    """Builds texts, lists and maps; refuses every tag that would build anything else."""

    yaml_implicit_resolvers = {}
    aliases = 0
    depth = 0

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > MAX_ALIASES:
                raise FrontmatterError("has more than %d YAML aliases in its frontmatter" % MAX_ALIASES)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FrontmatterError("has a frontmatter that is nested too deeply")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_scalar_node(self, anchor):
        node = super().compose_scalar_node(anchor)
        node.value = _whole(node.value)
        return node

    def refuse_tag(self, node):
        raise FrontmatterError("has the YAML tag %s in its frontmatter, which is not read" % node.tag)


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"<<$"), ["<"])
_Loader.add_constructor(None, _Loader.refuse_tag)


def _yaml_pairs(text):
    """Return [(key, value)] of a YAML mapping. Raises yaml.YAMLError, and FrontmatterError for what must not be read at all."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return []
        if not isinstance(node, yaml.MappingNode):
            raise FrontmatterError("has a frontmatter that is not lines of key: value")
        own = [pair for pair in node.value if pair[0].tag != "tag:yaml.org,2002:merge"]
        loader.flatten_mapping(node)
        # flatten_mapping() puts what is merged in front; here a key's own value comes first
        pairs = own + node.value[:len(node.value) - len(own)]
        return [(_key(loader, key), loader.construct_object(value, deep=True)) for key, value in pairs]
    except RecursionError:
        raise FrontmatterError("has a frontmatter that is nested too deeply") from None
    except ValueError as error:
        if isinstance(error, FrontmatterError):
            raise
        raise yaml.YAMLError(str(error)) from None
    finally:
        loader.dispose()


def _whole(text):
    """Return a text in which a character that was escaped as JSON does it, in two halves, is one; half of one alone is "?"."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\ufffd", "?") if re.search("[\ud800-\udfff]", text) else text


def _key(loader, node):
    return node.value if isinstance(node, yaml.ScalarNode) else str(loader.construct_object(node, deep=True))


def _chunks(block):
    """Yield (key, lines) for each top-level key: its own line and the ones that belong to it."""
    key, lines = None, []
    for line in block:
        match = _KEY.match(line)
        if match and (key != "description" or match.group(2) in KNOWN_KEYS):
            if key is not None:
                yield key, lines
            key, lines = match.group(2), []
        lines.append(line)
    if key is not None:
        yield key, lines


def _chunk_pair(key, lines):
    """Return (key, value) of one key's lines: what YAML makes of them alone, else their plain text."""
    try:
        pairs = _yaml_pairs("\n".join(lines))
        if len(pairs) == 1:
            return pairs[0]
    except yaml.YAMLError:
        pass
    first = _KEY.match(lines[0]).group(3).strip()
    rest = [line.strip() for line in lines[1:]]
    if _BLOCK_SCALAR.match(first):
        first = ""
    text = "\n".join([first] + rest).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        quote, text = text[0], text[1:-1]
        text = text.replace('\\"', '"').replace("\\n", "\n") if quote == '"' else text.replace("''", "'")
    return key, text
