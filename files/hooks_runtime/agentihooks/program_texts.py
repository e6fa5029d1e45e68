# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of programs in other languages than the shell's (python -c, node -e, awk): which file names are in them, and whether they
show the environment. Pure; patterns over the text, not a parser for each language: what is put together at run time is a limit.
"""

from __future__ import annotations

import re

from agentihooks.credential_paths import hints
from agentihooks.shell import unescaped

_MOST = 200  # literals of one text that are decoded
_TOKEN = r"[^\s'\"`()\[\]{},;+|&<>=]+"
_EDGES = "'\"`/([{<,"
# The text starts other programs, so that names may stand anywhere in a literal.
_STARTS = r"system|popen|exec|spawn|subprocess|\bqx\b|\bqw\b|%[wx]|`|\brun\b|shell|Process|Open3|getline|\[\s{0,9}open\s"
# 'a' + 'b' and 'a' 'b' are one literal; ('a', 'b') may be joined with a slash or with nothing.
_SEAMS = (
    (r"['\"]\s{0,9}\+?\s{0,9}['\"]", ""), (r"['\"]\s{0,9}\.\s{0,9}['\"]", ""),
    (r"['\"]\s{0,9}[,/]\s{0,9}r?['\"]", "/"), (r"['\"]\s{0,9},\s{0,9}['\"]", ""),
)  # fmt: skip
_CHARACTERS = r"(?:\bchr|fromCharCode|fromCodePoint)\(\s{0,9}(\d{2,3})\s{0,9}\)"
_NUMBERS = r"\d{2,3}(?:\s{0,9},\s{0,9}\d{2,3}){2,60}"
_HEX = r"(?<![0-9A-Za-z/])[0-9a-fA-F]{8,4000}(?![0-9A-Za-z])"
_BASE64 = r"['\"]([A-Za-z0-9+/]{6,4000}={0,2})['\"]"

_PRINT = r"(?:print\w*|console\.\w+|puts|echo|say|dumps?|pprint|write\w*|stringify|inspect|send|post|var_dump|Dumper|log|\bp)"
_DUMPS = {
    "python": r"environb?\s{0,9}\.\s{0,9}(?:items|values)\s{0,9}\(|[({,*]\s{0,9}(?:os\.)?environb?(?:\.copy\(\))?\s{0,9}[!,)}\]]"
              r"|print\w*\([^)\n]{0,80}environ\[\s{0,9}[a-z_]\w*\s{0,9}\]",
    "node": r"(?:" + _PRINT + r")[^;\n]{0,80}(?:process|Bun|import\.meta)\.env(?![\w.\[?])|Object\.(?:entries|values)\(\s{0,9}(?:process|Bun)\.env"
            r"|" + _PRINT + r"[^\n]{0,80}process\.env\[\s{0,9}[a-z_$]\w*\s{0,9}\]|Deno\.env\.toObject",
    "ruby": r"\bENV\.(?:to_h|to_a|to_s|each\w*|inspect|map|values|select|sort\w*|collect)\b|\b(?:puts|pp?|print)\s{0,9}\(?\s{0,9}ENV\b(?!\s{0,9}[\[.])",
    "perl": r"(?:print|say|Dumper)[^;\n]{0,40}(?<!keys )%ENV|\$ENV\{\s{0,9}\$|values\s{0,9}\(?%ENV|each\s{0,9}\(?\s{0,9}%ENV",
    "php": r"(?:print_r|var_dump|var_export|json_encode|foreach)\s{0,9}\(\s{0,9}(?:getenv\(\s{0,9}\)|\$_ENV\b|\$_SERVER\b)|phpinfo\(",
    "awk": r"ENVIRON\[\s{0,9}[a-zA-Z_]\w*\s{0,9}\]",
    "tclsh": r"\bparray\s{1,9}(?:::)?env\b|array\s{1,9}get\s{1,9}(?:::)?env\b",
    "pwsh": r"(?i)\b(?:gci|dir|ls|get-childitem|get-item)\s{1,9}env:",
}  # fmt: skip
_FAMILIES = {
    "pypy": "python", "ipython": "python", "nodejs": "node", "deno": "node", "bun": "node", "tsx": "node", "gawk": "awk", "mawk": "awk", "nawk": "awk",
}  # fmt: skip
_RUNS_A_DUMP = (
    r"(?:system|popen|run|call|check_output|Popen|exec\w*|spawn\w*|backtick)\s{0,9}\(?\s{0,9}\[?\s{0,9}['\"`]"
    r"(?:/usr/bin/)?(?:env|printenv|export -p|set)['\"`]|`(?:env|printenv)`"
)
_NOT_SHOWN = (
    r"Object\.keys\(\s{0,9}process\.env\s{0,9}\)|['\"]\w{1,80}['\"]\s{1,9}(?:not\s{1,9})?in\s{1,9}(?:os\.environ|process\.env)"
    r"|\b(?:bool|len|Boolean|defined)\(|!!"
    r"|\b\w{0,30}env\w{0,30}\s{0,9}=\s{0,9}(?:dict\()?[{(]?\s{0,9}\*{0,2}\s{0,9}(?:os\.)?environ\b(?:\.copy\(\))?"
)
_READS_VARIABLE = (
    r"(?:environb?(?:\.get)?\s{0,9}[\[(]|\$(?:::)?env\(|getenv\(|process\.env[.\[]|\bENV(?:\.fetch)?[\[({]|ENVIRON\[|env\.get\()\s{0,9}['\"]?(\w+)"
)


def names(text):
    """Return the file names that a program text may mean, each with its wildcards as they are written."""
    if len(text) > _LONG:
        text = "\n".join(line for line in text.split("\n") if _hinted(line))
    elif not _hinted(text):
        return set()
    found = set()
    anywhere = re.search(_STARTS, text) is not None
    for variant in variants(text):
        for match in re.finditer(_TOKEN, variant):
            token = match.group().rstrip(",:!?\\").lstrip("@:")
            if not ("." in token or "/" in token or token.startswith("id_")):
                continue
            before, after = variant[match.start() - 1 : match.start()], variant[match.end() : match.end() + 1]
            if anywhere or (before in _EDGES and (after in "'\"`/)]}>,;" or not after)):
                if not _is_attribute(token, before) and not _is_key(token, variant[max(0, match.start() - 40) : match.start()]):
                    found.add(token)
    return found


def _hinted(text):
    """Return whether the pieces of a credential's name may be in text, or something that puts them together."""
    plain = text.lower().translate(_GLUE)
    return any(hint in plain for hint in hints()) or any(hint in plain for hint in _DECODERS)


_LONG = 20000
_GLUE = {ord(character): None for character in "'\"+ \t"}
_DECODERS = (
    "64",
    "atob",
    "\\x",
    "\\u",
    "\\0",
    "\\1",
    "chr(",
    "charcode",
    "[::-1]",
    "reverse",
    "join",
    "bytes(",
    "codepoint",
    "hex",
    "pack",
    "*",
)


def variants(text):
    """Return a program text as written and as it reads once literals are joined and decoded, a set."""
    plain = re.sub(
        _CHARACTERS,
        lambda match: "'%s'" % _character(match.group(1)),
        unescaped(text) if "\\x" in text or "\\u" in text or "\\0" in text else text,
    )
    if "\\u" in plain:
        plain = re.sub(r"\\u\{?([0-9a-fA-F]{4})\}?", lambda match: chr(int(match.group(1), 16)), plain)
    variants = {text, plain}
    for seam, joint in _SEAMS:
        variants.add(re.sub(seam, joint, plain))
    for numbers in re.findall(_NUMBERS, plain)[:_MOST]:
        variants.add("'%s'" % "".join(_character(number) for number in numbers.split(",")))
    if "[::-1]" in text or "reverse" in text:
        variants.add(text[::-1])
    if "hex" in text or "pack" in text:
        for literal in re.findall(_HEX, plain)[:_MOST]:
            if len(literal) % 2 == 0:
                variants.add("'%s'" % bytes.fromhex(literal).decode("latin-1"))
    if "64" in text or "atob" in text:
        import binascii

        for literal in re.findall(_BASE64, plain)[:_MOST]:
            try:
                variants.add("'%s'" % binascii.a2b_base64(literal + "=" * (-len(literal) % 4)).decode("utf-8"))
            except ValueError:
                continue
    return variants


def _character(number):
    return chr(int(number)) if 32 <= int(number) < 127 else " "


def _is_attribute(token, before):
    """Return whether a token is an attribute (process.env, item.key) rather than a file."""
    head, dot, tail = token.rpartition(".")
    if tail not in ("env", "key") or "/" in token:
        return False
    return before in (")", "]") or (
        bool(head) and head.replace(".", "").replace("_", "").isalnum() and before not in ("'", '"', "`")
    )


def _is_key(token, before):
    """Return whether a literal is the key of a table (d['a.key'], config.get('ssl.key')) rather than a file. before: what stands there."""
    if "/" in token or token.startswith((".", "id_")):
        return False
    match = re.search(r"(?:([\w)\]])\[|\.get\()\s{0,9}['\"]$", before)
    return match is not None and re.search(r"(?:^|\W)(?:%s)\[\s{0,9}['\"]$" % _BEFORE_A_LIST, before) is None


_BEFORE_A_LIST = "in|return|yield|and|or|not|if|else|print|puts|Dir|case|of|await|typeof"


def without_patterns(text):
    """Return an awk program without its regular expressions, which name no files."""
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/(?:\\.|[^/\\\n"])*/', lambda match: match.group() if match.group()[0] == '"' else " ", text)


def only_looks(text):
    """Return whether a program text asks whether a file is there and does nothing else with files."""
    return re.search(r"exists|is_?file|isfile", text, re.IGNORECASE) is not None and not re.search(
        r"open|read|load|cat\b|copy|slurp|config\(|import_module|exec|system|spawn|eval|source|glob|walk|File\(|fs\.(?!exists)", text, re.IGNORECASE
    )


def shows_environment(text, language):
    """Return whether a program text shows every variable, or one that it does not name."""
    text = re.sub(_NOT_SHOWN, "", text)
    pattern = _DUMPS.get(_FAMILIES.get(language, language))
    return re.search(_RUNS_A_DUMP, text) is not None or (pattern is not None and re.search(pattern, text) is not None)


def shows_dotenv(text):
    """Return whether a program text prints what a library read from .env."""
    return re.search(_PRINT + r"\W[^;\n]{0,80}(?:dotenv_values\(|dotenv['\"]?\)?\s{0,9}\.\s{0,9}config\()(?![^;\n]{0,40}\.(?:keys\(|error))", text) is not None


def shown_variables(text):
    """Return the names of the variables whose value a program text prints, as it stands or by another name."""
    for name in re.findall(r"environ\s{1,9}as\s{1,9}(\w{1,40})", text):
        text = re.sub(r"\b%s\b" % re.escape(name), "environ", text)
    found = _renamed(text)
    for match in re.finditer(_PRINT + r"\W[^;\n]{0,80}?" + _READS_VARIABLE, text):
        if not re.search(_NOT_SHOWN, match.group()):
            found.append(match.group(1))
    return found


def _renamed(text):
    """Return the variables whose value gets another name and is printed by that."""
    found = []
    for match in re.finditer(r"(\$?\b\w{1,40})\s{0,9}=(?!=)\s{0,9}(?:[\w.$]{1,20}\s{0,9})?" + _READS_VARIABLE, text):
        name = re.escape(match.group(1))
        for printed in re.finditer(_PRINTS + r"([^;\n]{1,200})", text[match.end() :]):
            shown = re.sub(_QUOTED, _interpolated, printed.group(1))
            if re.search(r"(?<![\w.$])%s(?![\w(]|\s{0,9}(?:\?(?!\.)|=(?!=)|[!=]=|is\b|in\b|\.length|\.startsWith|\.startswith))" % name, shown):
                if not re.search(r"\b(?:if|len|bool|Boolean|defined|type|typeof)\b|!!", shown):
                    found.append(match.group(2))
                    break
    return found


_PRINTS = r"(?:\bprint\w{0,9}|\bconsole\.\w{1,9}|\bputs|\becho|\bsay|\bpprint|stdout\.write|\bvar_dump|\bDumper|\blogg(?:ing|er)\.\w{1,9}|\bp)\b"
_QUOTED = r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\\n])*`"


def _interpolated(match):
    """Return what a literal takes in from variables: f"{t}", `${t}`, "#{t}", "$t"."""
    return " %s " % " ".join(re.findall(r"\{([^{}]{1,80})\}", match.group()) + re.findall(r"\$\w{1,40}", match.group()))
