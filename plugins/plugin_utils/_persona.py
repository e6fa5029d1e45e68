# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the persona, one text out of a bundle's CLAUDE.md files, rules and manifestos. Pure.

Copilot and Codex load one instructions file each and no directory of rules, so everything is compiled into it. The marks
around it are the host's to write (module_utils/_persona_marks.py).
"""

from __future__ import annotations

import re

from ansible_collections.agentihooks.fleet.plugins.module_utils import _persona_marks
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _frontmatter

# Bytes. A large one seen in use is 66 kB; a model reads all of it at every turn.
MAX_PERSONA = 1 << 20

# Keys of a rule's frontmatter that say which files it is for: Claude's, Cursor's, Copilot's.
SCOPE_KEYS = ("paths", "globs", "applyTo")
# Cursor's: the rule holds whatever its globs say.
ALWAYS_KEY = "alwaysApply"
ABOUT_KEY = "description"

_BETWEEN = "\n\n---\n\n"


def read(data):
    """Return (text, warnings) of a file's bytes: without a byte order mark, line ends as \\n, no blank lines around it.

    Raises _frontmatter.FrontmatterError for what is no UTF-8 text, without the file's name.
    """
    return _clean(_frontmatter.decode(data))


def identity(chain, text=None):
    """Return (section, warnings): who the model is. text: None for a sentence that names the chain, "" for no section."""
    if text is None:
        layers = ", with %s over it" % ", ".join(chain[1:]) if chain[1:] else ""
        text = "Your persona is %s%s. This says who you are; it gives no part of what follows precedence over another." % (chain[0], layers)
    text, warnings = _clean(text)
    return ("# Identity\n\n" + text if text else ""), warnings


def rule(text):
    """Return (text, warnings) of a rule's text, its frontmatter as sentences: what it limits the rule to is not lost."""
    try:
        document = _frontmatter.read(text)
    except _frontmatter.FrontmatterError as error:
        # A rule may begin with a horizontal rule. Nothing is left out.
        return text, ["%s; taken as it is" % error]
    if not document.has_frontmatter:
        return text, []
    sentences, warnings = [], []
    values = dict(document.values)
    always = True in values.pop(ALWAYS_KEY, ())
    scopes = [_words(value) for key in SCOPE_KEYS for value in values.pop(key, ()) if value is not None]
    scopes = [scope for scope in scopes if scope]
    about = [_words(value) for value in values.pop(ABOUT_KEY, ()) if value]
    if about:
        sentences.append("About: %s" % "; ".join(about))
    if scopes and not always:
        sentences.append("Only for files that match: %s" % ", ".join(scopes))
    if values:
        warnings.append("has keys in its frontmatter that mean nothing here and were left out: %s" % ", ".join(map(_one_line, values)))
    return "\n\n".join(sentences + [document.body.strip("\n")]).strip("\n"), warnings


def assemble(section, texts, rules, manifestos):
    """Return the whole persona, "" when no part has any text; else it ends with a line end. No line of it is a mark.

    section: of identity(). texts: the bundle's and then each profile's CLAUDE.md. rules: (name, layer, text of rule()) in
    order. manifestos: (name, text) in order.
    """
    compiled = ["%s\n%s" % (_comment("rule", "%s (%s)" % (name, layer)), text) for name, layer, text in rules if text]
    parts = [section] + list(texts)
    if compiled:
        parts.append("\n\n".join(["# Rules"] + compiled))
    parts += ["%s\n%s" % (_comment("manifesto", name), text) for name, text in manifestos if text]
    parts = [part for part in parts if part]
    return _persona_marks.without_marks(_BETWEEN.join(parts))[0] + "\n" if parts else ""


def _clean(text):
    text, marks = _persona_marks.without_marks(re.sub(r"\r\n?", "\n", text))
    warnings = ["holds %d of the lines that mark our part of the persona; left out" % marks] if marks else []
    return re.sub(r"\A(?:[ \t]*\n)+|\s+\Z", "", text), warnings


def _words(value):
    """Return a frontmatter value on one line. Globs stand in backticks: Markdown would take their stars for emphasis."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_words, value)))
    text = _one_line(value)
    return "`%s`" % text.replace("`", "'") if re.search(r"[*?\[{]", text) else text


def _comment(kind, name):
    # A name with "--" in it would end the comment, or begin a mark.
    return "<!-- %s: %s -->" % (kind, re.sub(r"-{2,}|[<>]", "-", _one_line(name)))


def _one_line(value):
    return " ".join(str(value).encode("utf-8", "replace").decode("utf-8").split())
