# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs print when the text they are fed, or given, is known: decoders, cut, tr, sed, dirname and the like. Pure; nothing is run.

Where a program only leaves parts of a text out (head, sort, grep), the whole text stands for what it prints: a guard that looks for a
name in it sees more, never less.
"""

from __future__ import annotations

import re

from agentihooks.shell import UNKNOWN, join, printed, unescaped

# They print what they are fed, or parts of it. Packing and unpacking cancel out, and alone they print nothing that could be run.
_PASS = frozenset(
    """tail sort uniq fmt fold tee dd gzip gunzip zcat xz unxz xzcat bzip2 bunzip2 bzcat zstd zstdcat strings expand unexpand shuf stdbuf pv sponge iconv
    col ul nl paste egrep fgrep rg unbuffer column more less sudo""".split()
)
_DECODING = ("-d", "-D", "--decode", "-di", "--d", "-id", "-dw0", "-dw")
_MOST = 20000  # characters of a text that is filtered


def filtered(text, words):
    """Return text as a filter would print it, UNKNOWN for a filter that is not known here. words: of its command."""
    if UNKNOWN in text or len(text) > _MOST:
        return UNKNOWN
    program, arguments = words[0].rpartition("/")[2], words[1:]
    if program in ("base64", "base32", "openssl", "xxd"):
        return _decoded(text, program, arguments)
    if program == "rev":
        return "\n".join(line[::-1] for line in text.split("\n"))
    if program == "tac":
        return "\n".join(reversed(text.rstrip("\n").split("\n")))
    if program == "cat":
        return text if all(word == "-" for word in arguments if word not in ("-u", "-v", "-A", "-e", "-t")) else UNKNOWN
    if program == "tr":
        return _translated(text, arguments)
    if program == "cut":
        return _cut(text, arguments)
    if program == "head":
        return _head(text, arguments)
    if program in ("sed", "gsed"):
        return _substituted(text, arguments)
    if program in ("awk", "gawk", "mawk"):
        return _fields(text, arguments)
    if program == "grep":
        return _matching_lines(text, arguments)
    if program == "xargs":
        rest = [word for word in arguments if not word.startswith("-")]
        if rest[:1] == ["printf"]:
            return printed(rest[1], text.split()) if len(rest) > 1 else printed(text, [])
        return text if not rest or rest[:1] == ["echo"] else UNKNOWN
    return text if program in _PASS else UNKNOWN


def told(words, cwd=""):
    """Return what a program prints that is given all by its arguments (dirname, basename, realpath, date +text), UNKNOWN for others."""
    program, plain = words[0].rpartition("/")[2], [word for word in words[1:] if not word.startswith("-")]
    if program == "pwd":
        return cwd or UNKNOWN
    if program == "dirname" and plain:
        return "\n".join(word.rstrip("/").rpartition("/")[0] or ("/" if word.startswith("/") else ".") for word in plain)
    if program in ("realpath", "readlink") and plain:
        return "\n".join(join(cwd, word) for word in plain)
    if program == "basename" and plain:
        name = plain[0].rstrip("/").rpartition("/")[2]
        return name[: -len(plain[1])] if len(plain) > 1 and name.endswith(plain[1]) else name
    if program == "date" and len(words) > 1 and words[-1].startswith("+") and "%" not in words[-1]:
        return words[-1][1:]
    if program == "expr" and len(words) > 3 and words[2] in (":", "match"):
        return words[1]
    return UNKNOWN


def literals(text):
    """Return the texts that may be printed by a program text: its literals, as written, joined and decoded."""
    from agentihooks.program_texts import variants

    found = []
    for variant in variants(text):
        found += [match.group(2) for match in re.finditer(r"(['\"`])((?:(?!\1).){1,400})\1|q\(([^)]{1,400})\)", variant) if match.group(2)]
        found += re.findall(r"\bqq?[(~{|]([^)~}|]{1,400})[)~}|]", variant)
    joined = ["/".join(found[index : index + 2]) for index in range(min(len(found) - 1, 20))] if "join" in text else []
    return joined + found[:50]


def _decoded(text, program, arguments):
    import base64
    import binascii

    try:
        if program == "xxd":
            return bytes.fromhex("".join(text.split())).decode("utf-8", "replace") if "-r" in "".join(arguments) else UNKNOWN
        if program == "openssl":
            if "-d" not in arguments or not {"base64", "-base64", "-a"} & set(arguments):
                return UNKNOWN
        elif not any(word in _DECODING or word.startswith("--decode") for word in arguments):
            return UNKNOWN
        if program == "base32":
            return base64.b32decode("".join(text.split()).encode("ascii", "replace")).decode("utf-8", "replace")
        return binascii.a2b_base64(text.encode("ascii", "replace")).decode("utf-8", "replace")
    except ValueError:
        return UNKNOWN


def _set(text):
    """Return the characters of a set of tr, None for a class that is not known here."""
    text = unescaped(text)
    for name, characters in (("upper", "A-Z"), ("lower", "a-z"), ("digit", "0-9"), ("alpha", "A-Za-z"), ("space", " \t\n"), ("alnum", "0-9A-Za-z")):
        text = text.replace("[:%s:]" % name, characters)
    if "[:" in text or "[=" in text:
        return None
    return re.sub(r"(.)-(.)", lambda match: "".join(map(chr, range(ord(match.group(1)), ord(match.group(2)) + 1))), text, flags=re.DOTALL)


def _translated(text, arguments):
    sets = [_set(word) for word in arguments if not word.startswith("-") or len(word) == 1]
    options = "".join(word[2:3] if word[:2] == "--" else word[1:] for word in arguments if word.startswith("-"))
    if not sets or None in sets:
        return UNKNOWN
    if "d" in options:
        keeps = "c" in options or "C" in options
        return "".join(character for character in text if (character in sets[0]) == keeps)
    if "c" in options or len(sets) < 2 or not sets[1]:
        return text
    target = sets[1] + sets[1][-1] * (len(sets[0]) - len(sets[1]))
    return text.translate({ord(one): other for one, other in zip(reversed(sets[0]), reversed(target[: len(sets[0])]))})


def _cut(text, arguments):
    from agentihooks.programs import option_values

    spread = []
    for word in arguments:  # -d: and -f2 as they are joined
        spread += [word[:2], word[2:]] if re.match(r"-[dfcb].", word) else [word]
    ranges = option_values(spread, ("-c", "-b", "-f", "--characters", "--fields"))
    separator = (option_values(spread, ("-d", "--delimiter")) or ["\t"])[0]
    fields = any(word in ("-f", "--fields") or word.startswith("--fields=") for word in spread)
    match = re.fullmatch(r"(\d*)(-?)(\d*)", ranges[0]) if ranges else None
    if match is None:
        return text
    first = int(match.group(1) or 1) - 1
    last = int(match.group(3)) if match.group(3) else (None if match.group(2) else first + 1)
    lines = text.split("\n")
    if fields:
        return "\n".join(separator.join(line.split(separator)[first:last]) if separator in line else line for line in lines)
    return "\n".join(line[first:last] for line in lines)


def _head(text, arguments):
    match = re.search(r"(?:^| )(?:-c ?|--bytes=)(\d+)(?: |$)", " ".join(arguments))
    return text[: int(match.group(1))] if match else text


_SUBSTITUTION = re.compile(r"s([^\w\s\\])((?:\\.|(?!\1)[^\\])*)\1((?:\\.|(?!\1)[^\\])*)\1([gIi\d]*)\s*(?:;|$)")


def _substituted(text, arguments):
    """Return what sed prints for substitutions alone; text for any other program, which mostly leaves lines out."""
    for program in [word for word in arguments if not word.startswith("-")][:1]:
        for match in _SUBSTITUTION.finditer(program):
            pattern, new = match.group(2), match.group(3).replace("\\" + match.group(1), match.group(1))
            if "(" in pattern or _costly(pattern, text) or "[" in pattern and not re.fullmatch(r"[^\[]*\[[^\]\[]+\][^\[]*", pattern):
                return text
            expression = re.sub(r"\\([/.,|+?{}])|([+?{}|])", lambda one: "\\" + (one.group(1) or one.group(2)), pattern)
            try:
                text = re.sub(expression, lambda one, new=new: new.replace("&", one.group()), text, count=0 if "g" in match.group(4) else 1, flags=re.MULTILINE)
            except re.error:
                return UNKNOWN
    return text


def _costly(pattern, text):
    """Return whether a pattern of the model's own could take long on a text."""
    return len(pattern) > 100 or sum(map(pattern.count, "*+{")) > (3 if len(text) < 2000 else 1)


def _fields(text, arguments):
    program = next((word for word in arguments if "{" in word), "")
    match = re.fullmatch(r"\s*\{\s*print\s*(\$(?:\d+|NF))?\s*;?\s*\}\s*", program)
    if match is None:
        return UNKNOWN
    if not match.group(1) or match.group(1) == "$0":
        return text
    separator = next((word[2:] for word in arguments if word.startswith("-F") and len(word) > 2), None)
    if "-F" in arguments[:-1]:
        separator = arguments[arguments.index("-F") + 1]
    found = []
    for line in text.split("\n"):
        parts = line.split(separator)
        number = len(parts) if match.group(1) == "$NF" else int(match.group(1)[1:])
        found += parts[number - 1 : number]
    return "\n".join(found)


def _matching_lines(text, arguments):
    """Return the lines that are left by grep -v with a plain pattern; without -v all of them: the pattern chose what it wants."""
    options = "".join(word[1:] for word in arguments if word.startswith("-") and word[:2] != "--")
    pattern = next((word for word in arguments if not word.startswith("-")), "")
    if "c" in options or "q" in options:
        return UNKNOWN
    plain = re.fullmatch(r"[\w. ^$\\-]+", pattern)
    if "o" in options and not _costly(pattern, text):
        try:
            return "\n".join(match.group() for match in re.finditer(pattern, text))
        except re.error:
            return text
    if "v" in options and plain:
        try:
            return "\n".join(line for line in text.split("\n") if not re.search(pattern, line))
        except re.error:
            return text
    return text
