# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a secret looks like: the one list of rules, for the guard, for redacted logs and for masked diffs.

Private to the collection (plugins/module_utils/_secret_shapes.py is a link to this file), so it imports nothing but ``re``.

A rule of *high* confidence is a shape that is nothing but a secret (a token with its issuer's prefix, a private key block,
credentials inside a URL or an Authorization header). It counts wherever it stands, also next to words like "test" or "example".
The one rule of *low* confidence, ``generic_secret``, reads assignments such as ``password = "..."``; its value must look like a
real one, and a line that carries a ``nosecret`` comment is left out. That comment never excuses a high-confidence shape.

Cost: every rule names literals, and its expression is compiled and run only when one of them is in the text. All repetitions
are bounded, so the time grows with the length of the text and no faster.
"""

from __future__ import annotations

import re

# ----------------------------------------------------------------------------------------------------------------------
# Values


class Hit:
    """One secret found: rule_id, and where it lies in the text that was given (start, end)."""

    __slots__ = ("rule_id", "start", "end")

    def __init__(self, rule_id, start, end):
        self.rule_id = rule_id
        self.start = start
        self.end = end

    def __repr__(self):
        return "Hit(%r, %d, %d)" % (self.rule_id, self.start, self.end)


class Rule:
    """One kind of secret.

    id: stable, for reasons and exceptions. kind: what a person calls it.
    literals: the text must hold one of them. pattern: starts with a literal where it can (that is what makes the search fast).
    folded: literals and pattern are lower case and meet the lower-cased text. word: the secret holds no blank.
    inner: the group at which the secret begins; 0 is the whole match.
    check: function (text, match) -> end of the secret, or 0 for "not one".
    high: see the module's text. positive, negative: examples for ``example``; the unit test runs every one of them.
    """

    __slots__ = ("id", "kind", "literals", "pattern", "folded", "word", "inner", "check", "high", "positive", "negative", "_compiled")

    def __init__(self, id, kind, literals, pattern, positive, negative=(), folded=False, word=False, inner=0, check=None, high=True):
        self.id = id
        self.kind = kind
        self.literals = literals
        self.pattern = pattern
        self.folded = folded
        self.word = word
        self.inner = inner
        self.check = check
        self.high = high
        self.positive = positive
        self.negative = negative
        self._compiled = None

    def compiled(self):
        if self._compiled is None:
            self._compiled = re.compile(self.pattern)
        return self._compiled


_ALPHABETS = {
    "a": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "h": "0123456789abcdef",
    "d": "0123456789",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "b": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "B": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}


def example(template, number=0):
    """Text with a made-up secret: "ghp_~a36~" holds 36 letters and digits, the same on every call; another number gives others.

    ~CLASS COUNT~ with the classes of _ALPHABETS; "~m" starts "-----" and stands for the PEM dashes. So no file of the project
    holds key-shaped text.
    """
    state = [len(template) * 7919 + 17 + number * 104729]

    def letters(match):
        alphabet = _ALPHABETS[match.group(1)]
        out = []
        for _unused in range(int(match.group(2))):
            state[0] = (state[0] * 1103515245 + 12345) % 2147483648
            out.append(alphabet[(state[0] >> 8) % len(alphabet)])
        return "".join(out)

    return re.sub(r"~([aAhdlbB])([0-9]+)~", letters, template.replace("~m", "-" * 5))


# ----------------------------------------------------------------------------------------------------------------------
# Marks that are not seen but split a token: zero-width, bidirectional, joiners, variation selectors, tags, NUL.

_MARKS = "[\\x00\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f" \
         "\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\U000e0000-\\U000e01ef]+"
_marks_re = None


def _without_marks(text):
    """(text without invisible marks, [(start there, start in the given text)] ascending or None when nothing was removed)."""
    global _marks_re
    if text.isascii() and "\x00" not in text:
        return text, None
    if _marks_re is None:
        _marks_re = re.compile(_MARKS)
    kept, starts, length, last = [], [], 0, 0
    for match in _marks_re.finditer(text):
        if match.start() > last:
            starts.append((length, last))
            kept.append(text[last:match.start()])
            length += match.start() - last
        last = match.end()
    if last == 0:
        return text, None
    starts.append((length, last))
    kept.append(text[last:])
    return "".join(kept), starts


def visible(text):
    """The text as it is judged: without zero-width, bidirectional and other invisible marks."""
    return _without_marks(text)[0]


def _original(position, starts):
    """Where the character at this position of the judged text lies in the given text."""
    low, high = 0, len(starts)
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle][0] <= position:
            low = middle
        else:
            high = middle
    return starts[low][1] + position - starts[low][0]


# ----------------------------------------------------------------------------------------------------------------------
# Names

_SECRET_WORDS = frozenset((
    "password", "passwords", "passwd", "passphrase", "pwd", "secret", "secrets", "token", "credential", "credentials", "apikey",
    "apitoken", "authtoken", "accesstoken", "accesskey", "secretkey", "privatekey", "authkey", "authorization", "pat", "cookie",
))
_SECRET_ENDINGS = ("password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey")
# "pass" is one alone or after one of these: first_pass and single_pass are not.
_PASS_OWNERS = frozenset((
    "db", "database", "smtp", "mail", "email", "mysql", "postgres", "postgresql", "pg", "mongo", "redis", "user", "admin", "root", "ftp",
    "sftp", "ssh", "key", "http", "proxy", "auth", "my", "app", "login", "sudo", "become", "sa", "keystore", "service", "rabbitmq",
))
# "key" is a secret only after one of these.
_KEY_OWNERS = frozenset((
    "client", "db", "database", "priv", "sas", "api", "access", "private", "secret", "auth", "signing", "encryption",
    "account", "master", "admin", "license", "service",
    "iam", "ibm", "cloud",
    "deploy", "hmac", "jwt", "session", "anon", "subscription", "app", "application", "shared", "storage", "encrypt", "aes", "decryption",
))
# First words that make a flag or a number of it, last words that make a thing about it.
_NOT_FIRST = frozenset((
    "max", "min", "num", "no", "n", "count", "total", "is", "has", "use", "show", "hide", "enable", "disable", "require", "requires",
    "required", "missing", "invalid", "input", "output", "prompt", "completion", "next", "page", "continuation", "eos", "bos", "pad",
    "unk", "sep", "cls", "mask", "stop", "special", "allow", "public",
))
_NOT_LAST = frozenset((
    "count", "counts", "limit", "limits", "size", "length", "len", "url", "uri", "endpoint", "name", "names", "id", "ids", "file",
    "path", "dir", "type", "types", "expiry", "expires", "expiration", "ttl", "usage", "budget", "policy", "field", "label", "hint",
    "regex", "pattern", "header", "prefix", "ref", "arn", "env", "var", "variable", "format", "manager", "store", "scanner",
    "scanning", "provider", "service", "rotation", "reset", "strength", "validation", "required", "enabled", "error", "class",
    "index", "position", "scope", "scopes", "lifetime", "age", "cost", "rate", "estimate", "efficiency", "management",
))
_word_re = None


def is_secret_name(name):
    """True when a value under this key is a secret by its name alone: api_key, GITHUB_TOKEN, clientSecret; not max_tokens."""
    global _word_re
    if _word_re is None:
        _word_re = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
    words = [word.lower() for word in _word_re.findall(str(name)[-120:])]
    if not words:
        return False
    if words == ["auth"]:
        return str(name).startswith("_")  # npmrc's _auth
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    last = words[-1]
    if last in _NOT_LAST or (len(words) > 1 and words[0] in _NOT_FIRST):
        return False
    if last in _SECRET_WORDS or last.endswith(_SECRET_ENDINGS):
        return True
    if last == "pass":
        return len(words) == 1 or words[-2] in _PASS_OWNERS
    if last == "key" and len(words) > 1:
        return words[-2] in _KEY_OWNERS
    return any(word in _SECRET_WORDS for word in words[:-1]) and last in ("value", "string", "text", "base", "base64", "b64", "key")


# ----------------------------------------------------------------------------------------------------------------------
# Values: is this a real one?

_SAMPLE_WORDS = (
    "your", "example", "sample", "placeholder", "changeme", "change_me", "change-me", "replace", "insert", "dummy", "fake", "todo",
    "redacted", "xxxx", "here", "foobar", "null", "undefined", "pass", "secret", "token", "api_key", "apikey", "api-key",
    "test", "mock", "abc123", "****", "....", "1234567", "abcdef", "hidden", "masked", "removed", "dev", "local", "demo", "value", "string",
)
# The keys that AWS itself prints in its documentation.
_PUBLISHED = frozenset((
    "AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "I44QH8DHBEXAMPLE",
    "wJalrXUtnFEMI/" + "K7MDENG/bPxRfiCYEXAMPLEKEY", "je7MtGbClwBF/" + "2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
))
_value_res = {}


def _value_re(pattern):
    compiled = _value_res.get(pattern)
    if compiled is None:
        compiled = _value_res[pattern] = re.compile(pattern)
    return compiled


def _masked(body):
    """True for a body nobody could use: one sign over and over (xxxx, 0000, ****), or plain words (your-key-here)."""
    if len(set(body.strip("-_"))) <= 1:
        return body[:1] in "xX0*.-_"
    if "xxxxx" in body or "XXXXX" in body or "..." in body or "****" in body:
        return True
    return _value_re(r"(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[-_.](?:[a-z]+|[A-Z]+|[A-Z][a-z]+))*").fullmatch(body) is not None and (
        "-" in body or "_" in body or "." in body or len(body) < 20 or any(w in body.lower() for w in ("your", "example", "token", "here")))


def _random(part):
    """True when the signs alternate in a way words and names do not: letters with digits, or capitals with small letters."""
    if len(part) < 12 or len(set(part)) < 8:
        return False
    changes, flips, before, digits, capitals = 0, 0, "", 0, 0
    for char in part:
        now = "d" if char.isdigit() else "u" if char.isupper() else "l"
        digits += now == "d"
        capitals += now == "u"
        if before and now != before:
            flips += 1
            changes += not (before == "u" and now == "l")
        before = now
    if digits >= 2 and changes >= 4:
        return True
    return not digits and len(part) >= 16 and flips * 4 >= len(part) and 0.3 <= capitals / len(part) <= 0.7


def _without_references(value):
    """The value without ``${X}``, ``{{ x }}``, ``{x}``, ``<x>``, ``$(x)`` and ``%(x)s``."""
    if "{" not in value and "(" not in value and "<" not in value:
        return value
    return _value_re(
        r"\$\{\{.{0,200}?\}\}|\{\{.{0,200}?\}\}|\$?\{[^{}]{0,200}\}|\$\([^()]{0,200}\)|<[^<>]{0,200}>|%\([^()]{0,80}\)s").sub("", value)


def _real_value(value, strict, quoted, word):
    """True when the right side of an assignment is a literal somebody could log in with.

    References are cut out first and the rest is judged: a reference beside a literal does not excuse the literal.
    quoted: it stood in quotes. word: the one of _ASSIGNED in its name.
    """
    rest = _without_references(value)
    rest = rest.strip()
    if _value_re(r"\$[A-Za-z_][A-Za-z0-9_]*(?::[\w-]*)?|[$%@&*!\[(].{0,7}|\[REDACTED.*|%[A-Za-z_]+%").fullmatch(rest):
        return False
    if len(rest) < 8 or len(set(rest)) < 4:
        return False
    if word != "_auth" and _value_re(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}").fullmatch(rest):
        return False
    if strict:
        return True
    if " " in rest or "://" in rest or rest[0] in "/~." or rest.endswith(("...", "\u2026")):
        return False
    if _value_re(r".*\[[^\]]*[a-zA-Z0-9]-[a-zA-Z0-9].*").fullmatch(rest):  # a regular expression
        return False
    if _value_re(r"sha(?:1|256|384|512)[:-].*").fullmatch(rest):
        return False
    if any(_random(part) for part in _value_re(r"[A-Za-z0-9]{12,}").findall(rest)):
        return True
    lowered = rest.lower()
    if any(sample in lowered for sample in _SAMPLE_WORDS):
        return False
    password = quoted and word in ("pass", "pwd")
    if password and rest.isalpha() and sum(a.isupper() != b.isupper() for a, b in zip(rest, rest[1:])) * 3 >= len(rest):
        return True
    if not any(char.isalpha() for char in rest) or not any(char.isdigit() or char in "!@#$%^&+?~" for char in rest):
        return False
    if not password:  # a password is often a word and a number; any other value like that is a name
        if _value_re(r"[A-Za-z]+[0-9]{0,4}(?:[-_.:/][A-Za-z]*[0-9]{0,4})*").fullmatch(rest):
            return False
    return len(set(rest)) >= 6


# ----------------------------------------------------------------------------------------------------------------------
# Checks a regular expression cannot do


def _not_masked(text, match):
    """Refuse bodies that are masks or published samples."""
    whole = match.group()
    body = match.group(1) if match.re.groups else whole
    if whole in _PUBLISHED or body in _PUBLISHED or _masked(body):
        return 0
    return match.end()


def _openai(text, match):
    """sk- and letters are also a CSS class or a slug: want a digit or both cases."""
    body = match.group(1)
    mixed = any(c.isdigit() for c in body) or (body.lower() != body and body.upper() != body)
    return match.end() if mixed and not _masked(body) else 0


def _pem(text, match):
    """A header alone is prose; a header with a body is a key. What is between two headers is judged once, so the time stays linear."""
    start = match.end()
    closing = text.find("---", start, start + 20000)
    body = text[start:closing if closing > 0 else start + 4000]
    body = _value_re(r"\\[nrt]|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Subject):[^\n\\]{0,120}").sub(" ", body)
    signs = _value_re(r"[^A-Za-z0-9/=.<>\[\]{}()_]").sub("", body)  # without what quoting, comments and string joining add
    letters = _value_re(r"[A-Za-z0-9/=]*").match(signs).group()
    end = _value_re(r"-{3,5} ?END [A-Z0-9 ]{0,40}KEY(?: BLOCK)? ?-{0,5}").match(text, closing) if closing > 0 else None
    lowered = letters.lower()
    if len(letters) < 64 and any(word in lowered for word in ("your", "key", "xxxx", "content", "here", "data")):
        return 0
    if len(letters) >= 40:
        return end.end() if end else min(start + len(body), len(text)) if closing < 0 else closing
    return end.end() if end and letters == signs and any(char.isdigit() for char in letters) else 0


_WEAK_PASSWORDS = frozenset((
    "pass", "passwd", "password", "passwort", "pwd", "pw", "pword", "secret", "postgres", "postgresql", "mysql", "root", "admin",
    "administrator", "guest", "user", "username", "test", "testing", "example", "changeme", "letmein", "mongo", "mongodb", "redis",
    "rabbitmq", "token", "key", "apikey", "api_key", "credentials", "foo", "bar", "baz", "dev", "local", "demo", "xxx", "abc",
    "123", "1234", "12345", "123456", "dbpass", "dbpassword", "db_password", "mypassword", "mypass", "pass123", "password123",
    "admin123", "test123", "secret123", "user123", "root123", "p", "x-oauth-basic", "port", "minioadmin", "neo4j", "sa",
))


def _url_password(text, match):
    """A password in a URL that is neither a reference nor a word every tutorial uses."""
    user, password = match.group(1), match.group(2)
    lowered = password.lower()
    if len(password) < 4 or lowered in _WEAK_PASSWORDS or lowered == user.lower() or _masked(password):
        return 0
    if password[0] in "$%<{[*(" and not _random(password) or "${" in password or "{{" in password or "..." in password:
        return 0
    if lowered.startswith(("your", "my", "<", "[redacted")) or lowered.endswith(("password", "_pass", "-pass", "_here")):
        return 0 if not _random(password) else match.end(2)
    if password.isdigit():
        return 0
    return match.end(2)


def _authorization(text, match):
    """Bearer and Basic values: no reference, no mask, not plain words."""
    value = text[match.start(1):match.end(1)]
    lowered = value.lower()
    if value.endswith("...") or "..." in value or _masked(value):
        return 0
    if any(word in lowered for word in ("your", "token", "example", "secret", "xxxx", "redacted", "placeholder")) and not any(
            _random(part) for part in _value_re(r"[A-Za-z0-9]{12,}").findall(value)):
        return 0
    if value in ("QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "dXNlcm5hbWU6cGFzc3dvcmQ=", "dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNz"):
        return 0
    mixed = any(c.isdigit() for c in value) or (value.lower() != value and value.upper() != value)
    return match.end(1) if mixed else 0


def _both_cases(value):
    """True for a value with small letters and capitals."""
    return value.lower() != value and value.upper() != value


def _artifactory(text, match):
    body = match.group()[3:]
    mixed = match.group().startswith("AKC") and _both_cases(body) and any(char.isdigit() for char in body)
    return match.end() if mixed or _random(body) else 0


def _discord(text, match):
    """Three parts with dots are also a method of an object: the outer ones must look random, unless the text speaks of a bot."""
    if len(set(match.group())) < 14:
        return 0
    parts = text[match.start() - 24:match.start()] + match.group().rpartition(".")[2]
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" for char in parts]
    # In random text three in five neighbours are of different kinds, in camelCase one in three.
    if "d" in kinds and sum(one != other for one, other in zip(kinds, kinds[1:])) * 9 >= len(kinds) * 4:
        return match.end()
    lowered = text.lower()
    return match.end() if "discord" in lowered or "bot" in lowered else 0


def _aws_secret(text, match):
    value = text[match.start(1):match.end(1)]
    if value in _PUBLISHED or _masked(value) or len(set(value)) < 8:
        return 0
    return match.end(1)


# ----------------------------------------------------------------------------------------------------------------------
# The shortest token of all; shorter words are not looked at for prefixes.
_SHORTEST_TOKEN = 15

# Signs that are in no token and none of its literals: they part words as blanks do.
_SEPARATORS = bytes(32 if chr(code) in "()[]{}<>\"'`;!" else code for code in range(256))

# Tokens that begin with their issuer's prefix: id, kind, prefixes, signs of the body, least and most of them.
# Source of the forms: the issuers' documentation and the rule sets of gitleaks and detect-secrets.

_AN = "A-Za-z0-9"
_URL = "A-Za-z0-9_-"
_HEX = "0-9a-f"

_PREFIXED = (
    ("github_token", "GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _AN, 36, 255),
    ("github_pat", "GitHub fine-grained token", ("github_pat_",), "A-Za-z0-9_", 30, 255),
    ("gitlab_token", "GitLab token", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "GR1348941"),
     "A-Za-z0-9_.-", 20, 300),
    ("anthropic_key", "Anthropic API key", ("sk-ant-",), _URL, 24, 300),
    ("openai_key", "OpenAI API key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), _URL, 20, 300),
    ("openrouter_key", "OpenRouter API key", ("sk-or-v1-",), _AN, 32, 128),
    ("stripe_key", "Stripe secret key", ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"), _AN, 16, 247),
    ("stripe_webhook", "Stripe webhook secret", ("whsec_",), "A-Za-z0-9+/=", 24, 128),
    ("slack_token", "Slack token", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxd-", "xoxc-", "xoxe.xoxp-", "xoxe.xoxb-"),
     "A-Za-z0-9%-", 10, 300),
    ("slack_app_token", "Slack app token", ("xapp-",), "A-Za-z0-9-", 20, 300),
    ("npm_token", "npm token", ("npm_",), _AN, 36, 64),
    ("pypi_token", "PyPI token", ("pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZ"), _URL, 40, 400),
    ("huggingface_token", "Hugging Face token", ("hf_", "api_org_"), _AN, 30, 64),
    ("google_oauth_secret", "Google OAuth secret", ("GOCSPX-",), _URL, 24, 64),
    ("google_oauth_token", "Google OAuth token", ("ya29.",), _URL, 24, 400),
    ("square_token", "Square token", ("sq0atp-", "sq0csp-", "sq0idp-"), _URL, 22, 64),
    ("shopify_token", "Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), "0-9a-fA-F", 32, 32),
    ("digitalocean_token", "DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), _HEX, 64, 64),
    ("databricks_token", "Databricks token", ("dapi",), _HEX, 32, 36),
    ("linear_key", "Linear API key", ("lin_api_", "lin_oauth_"), _AN, 32, 64),
    ("notion_token", "Notion token", ("ntn_",), _AN, 40, 64),
    ("postman_key", "Postman API key", ("PMAK-",), "A-Za-z0-9-", 50, 64),
    ("grafana_token", "Grafana token", ("glsa_", "glc_"), "A-Za-z0-9_+/=", 32, 400),
    ("vault_token", "HashiCorp Vault token", ("hvs.", "hvb."), _URL, 24, 300),
    ("doppler_token", "Doppler token", ("dp.pt.", "dp.st.", "dp.ct."), "A-Za-z0-9_.-", 40, 80),
    ("pulumi_token", "Pulumi token", ("pul-",), _HEX, 40, 40),
    ("planetscale_token", "PlanetScale secret", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), "A-Za-z0-9_.=-", 32, 64),
    ("prefect_token", "Prefect token", ("pnu_",), _AN, 36, 36),
    ("rubygems_key", "RubyGems key", ("rubygems_",), _HEX, 48, 48),
    ("sentry_token", "Sentry token", ("sntrys_", "sntryu_"), "A-Za-z0-9_+/=", 60, 300),
    ("perplexity_key", "Perplexity API key", ("pplx-",), _AN, 40, 64),
    ("groq_key", "Groq API key", ("gsk_",), _AN, 40, 64),
    ("xai_key", "xAI API key", ("xai-",), _AN, 60, 100),
    ("replicate_token", "Replicate token", ("r8_",), _AN, 36, 40),
    ("supabase_token", "Supabase secret", ("sbp_", "sb_secret_"), "A-Za-z0-9_", 31, 64),
    ("docker_token", "Docker Hub token", ("dckr_pat_", "dckr_oat_"), _URL, 24, 64),
    ("atlassian_token", "Atlassian token", ("ATATT3xFfGF0", "ATCTT3xFfGN0"), "A-Za-z0-9_=-", 60, 400),
    ("bitbucket_token", "Bitbucket app password", ("ATBB",), _AN, 32, 32),
    ("artifactory_key", "Artifactory API key", ("AKCp",), _AN, 60, 80),
    ("artifactory_token", "Artifactory reference token", ("cmVmdGtu",), _AN, 50, 64),
    ("dynatrace_token", "Dynatrace token", ("dt0c01.", "dt0s01.", "dt0s16."), "A-Za-z0-9.", 60, 120),
    ("newrelic_key", "New Relic key", ("NRAK-", "NRII-", "NRJS-"), _AN, 19, 40),
    ("sonar_token", "SonarQube token", ("squ_", "sqp_", "sqa_"), _HEX, 40, 40),
    ("tailscale_key", "Tailscale key", ("tskey-",), _URL, 20, 100),
    ("figma_token", "Figma token", ("figd_", "figdr_"), _URL, 38, 64),
    ("langsmith_key", "LangSmith key", ("lsv2_pt_", "lsv2_sk_"), "A-Za-z0-9_", 32, 64),
    ("nvidia_key", "NVIDIA API key", ("nvapi-",), _URL, 60, 80),
    ("onepassword_token", "1Password service token", ("ops_eyJ",), "A-Za-z0-9+/=_-", 100, 2000),
    ("brevo_key", "Brevo API key", ("xkeysib-", "xsmtpsib-"), "A-Za-z0-9-", 60, 100),
    ("mailgun_key", "Mailgun key", ("key-",), _HEX, 32, 32),
    ("shippo_token", "Shippo token", ("shippo_live_", "shippo_test_"), _HEX, 40, 40),
    ("typeform_token", "Typeform token", ("tfp_",), "A-Za-z0-9_.-", 40, 80),
    ("alibaba_key", "Alibaba Cloud access key", ("LTAI",), _AN, 16, 24),
    ("adafruit_key", "Adafruit IO key", ("aio_",), _AN, 28, 28),
    ("easypost_key", "EasyPost key", ("EZAK", "EZTK"), _AN, 54, 54),
    ("flutterwave_key", "Flutterwave key", ("FLWSECK-", "FLWSECK_TEST-"), "A-Za-z0-9-", 32, 40),
    ("braintree_token", "PayPal Braintree token", ("access_token$production$", "access_token$sandbox$"), "0-9a-z$", 32, 64),
    ("facebook_token", "Facebook access token", ("EAACEdEose0cBA",), _AN, 20, 300),
    ("readme_key", "ReadMe API key", ("rdme_",), "0-9a-z", 70, 70),
    ("age_key", "age secret key", ("AGE-SECRET-KEY-1",), "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, 58),
    ("clojars_token", "Clojars token", ("CLOJARS_",), "0-9a-z", 60, 60),
    ("cloudflare_ca_key", "Cloudflare origin CA key", ("v1.0-",), "0-9a-f-", 160, 180),
    ("fly_token", "Fly.io token", ("fo1_", "fm1r_", "fm2_"), "A-Za-z0-9_+/=,-", 40, 2000),
    ("heroku_key", "Heroku key", ("HRKU-AA",), _URL, 50, 70),
    ("vercel_token", "Vercel token", ("vcp_", "vck_", "vci_"), _AN, 40, 64),
    ("yandex_key", "Yandex Cloud key", ("AQVN",), _URL, 35, 40),
)


# Prefixes that no word ends with: what stands before them does not matter.
_UNMISTAKABLE = ("gh", "glpat-", "xox", "pypi-", "dckr_", "npm_", "AGE-", "shp")


def _apart(literal, before="A-Za-z0-9"):
    """Expression to stand after a literal: no sign of a word is right before it, unless an escape ends there (\\n, %3D, \\u0022)."""
    return r"(?:(?<![%s]%s)|(?<=\\[nrt]%s)|(?<=%%[0-9A-F][0-9A-F]%s)|(?<=\\u00[0-9a-f][0-9a-f]%s))" % ((before,) + (literal,) * 4)


def _prefixed(line, prefix):
    """A Rule for one prefix of one line of _PREFIXED. Its look-behind stands after the literal, so that the search can jump there."""
    id, name, _prefixes, signs, least, most = line
    literal = re.escape(prefix)
    before = "" if prefix.startswith(_UNMISTAKABLE) else _apart(literal)
    after = "(?![A-Za-z0-9])" if least == most else ""
    pattern = "%s%s([%s]{%d,%d})%s" % (literal, before, signs, least, most, after)
    sample = "B" if prefix.startswith("AGE-") else "a" if "A-Z" in signs else "h" if "a-f" in signs else "l"
    negative = ["x = '%s...'" % prefix]
    if signs in (_AN, _URL):
        negative.append("x = '%s'" % (prefix + "x" * least))
    return Rule(id, name, (prefix,), pattern, ("x = '%s~%s%d~'" % (prefix, sample, least),), negative, check=_not_masked)


_SHAPES = (
    Rule("aws_access_key", "AWS access key id", ("AKIA", "ASIA", "AROA", "AIPA", "ABIA", "ACCA", "A3T"),
         "A(?:KIA|SIA|ROA|IPA|BIA|CCA|3T[A-Z0-9])" + _apart("....", "A-Za-z0-9+/") + "[A-Z0-9]{16}(?![A-Za-z0-9+/=])",
         ("k = AKIA~A16~", "ASIA~A16~", "(AROA~A16~)", "A3TX~A16~"),
         ("AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "I44QH8DHBEXAMPLE", "AKIAXXXXXXXXXXXXXXXX", "MAKIA~A16~"), word=True, check=_not_masked),
    Rule("aws_secret_key", "AWS secret access key", ("secret",),
         r"secret[_ -]?(?:access[_ -]?)?key[\"'`\\]{0,3}[\s:=,>\"'`\\]{1,8}([a-z0-9/+]{40})(?![a-z0-9/+=])",
         ("aws_secret_access_key = ~a40~", "\"SecretAccessKey\": \"~a40~\"", "aws configure set aws_secret_access_key ~a40~"),
         ("aws_secret_access_key = wJalrXUtnFEMI/" + "K7MDENG/bPxRfiCYEXAMPLEKEY", "secret_key = os.environ['X']",
          "AWS_SECRET_ACCESS_KEY: ${{ secrets.AWS_SECRET_ACCESS_KEY }}"), folded=True, inner=1, check=_aws_secret),
    Rule("openai_key", "API key of the sk- kind", ("sk-",), "sk-" + _apart("sk-", "A-Za-z0-9_-") + "([A-Za-z0-9]{20,128})(?![A-Za-z0-9_-])",
         ("k=sk-~a48~", "sk-~h32~"), ("a task-~a32~", "sk-fading-circle-wrapper-element", "sk-xxxxxxxxxxxxxxxxxxxxxxxx"), word=True, check=_openai),
    Rule("google_api_key", "Google API key", ("AIza",), "AIza" + _apart("AIza", "A-Za-z0-9+/_-") + "([A-Za-z0-9_-]{35})(?![A-Za-z0-9+/=_-])",
         ("AIza~a35~",), ("AIzaxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "bAIza~a35~"), word=True, check=_not_masked),
    Rule("slack_webhook", "Slack webhook URL", ("hooks.slack.com/",),
         r"hooks\.slack\.com/(?:services/[A-Z0-9]{6,14}/[A-Z0-9]{6,14}/([A-Za-z0-9]{18,40})|(?:workflows|triggers)/[A-Za-z0-9/]{40,120})",
         ("https://hooks.slack.com/services/T~A8~/B~A8~/~a24~",),
         ("https://hooks.slack.com/services/YOUR/WEBHOOK/URL", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
         word=True, check=lambda text, match: 0 if _masked(match.group(1) or "a1") else match.end()),
    Rule("teams_webhook", "Teams webhook URL", (".webhook.office.com/",),
         r"\.webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}",
         ("https://x.webhook.office.com/webhookb2/%s@%s/IncomingWebhook/~h32~/%s" % (("~h8~-~h4~-~h4~-~h4~-~h12~",) * 3),), word=True),
    Rule("discord_webhook", "Discord webhook URL", ("/api/webhooks/",), r"/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})",
         ("https://discord.com/api/webhooks/~d18~/~a68~",), ("https://discord.com/api/webhooks/ID/TOKEN",), word=True, check=_not_masked),
    Rule("discord_token", "Discord bot token", (".",),
         r"\.(?:(?<=[MNO][\w-]{23}\.)|(?<=[MNO][\w-]{24}\.)|(?<=[MNO][\w-]{25}\.))[\w-]{6}\.[\w-]{27,38}(?![\w-])",
         ("DISCORD_TOKEN=M~a23~.~a6~.~a27~", "bot N~a25~.~a6~.~a38~", "x = 'O~a24~.~a6~.~a27~'"),
         ("discord.py is a.b.c", "token.client.something.else", "OrganizationRepository23" + ".create.anOrganizationFromTheTemplate2"), word=True,
         check=_discord),
    Rule("telegram_token", "Telegram bot token", tuple("%d:" % digit for digit in range(10)),
         r":(?<=[0-9]{8}:)[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", ("bot~d10~:AA~a33~", "'~d9~:~a35~'"), ("time 12:AAbcd", "~d10~:~h35~"), word=True,
         check=lambda text, match: match.end() if match.group().startswith(":AA") or _random(match.group()[1:].upper()) and _both_cases(match.group()) else 0),
    Rule("twilio_key", "Twilio API key", ("SK",), "SK" + _apart("SK") + "[0-9a-z]{32}(?![A-Za-z0-9])", ("SK~h32~",), ("DESK~h32~", "SK~h31~"), word=True),
    Rule("twilio_account", "Twilio account id", ("AC",), "AC" + _apart("AC", "A-Za-z0-9+/") + "[0-9a-f]{32}(?![A-Za-z0-9+/=])", ("AC~h32~",),
         ("MAC~h32~", "AC~h31~"), word=True),
    Rule("artifactory_key", "Artifactory key", ("AKC", "AP"), r"A(?:KC|P[0-9A-F])(?:(?<=[\s=:\"'`]...)|(?<=^...))[A-Za-z0-9]{10,100}(?![A-Za-z0-9_+/=.-])",
         ("key = AKC~a20~", "'AP5~a20~'"), ("AKCEPTOWANYCHWARUNKOW", "APACHE2LicenseHeader", "xAP5~a20~"), word=True,
         check=_artifactory),
    Rule("cloudant_key", "Cloudant key", ("cloudant",),
         r"cloudant[_-]?(?:api[_-]?)?(?:key|pwd|pw|password|pass|token)[\"'`\\\]]{0,3}"
         r"[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}[\"'`\\]{0,2}([a-z]{24}|[0-9a-f]{64})(?![a-z0-9])",
         ("cloudant_password = '~h64~'",), ("cloudant_api_key: yourcloudantapikeyishere", "cloudant_password = get_password()"), folded=True, inner=1,
         check=lambda text, match: 0 if any(word in match.group(1) for word in _SAMPLE_WORDS) else match.end(1)),
    Rule("softlayer_key", "SoftLayer key", ("api.softlayer.com/soap/",), r"api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})",
         ("https://api.softlayer.com/soap/v3/~l64~",), ("https://api.softlayer.com/soap/v3/SoftLayer_Account",), word=True),
    Rule("sendgrid_key", "SendGrid API key", ("SG.",), r"SG\." + _apart(r"SG\.") + r"([A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})",
         ("SG.~a22~.~a43~",), ("SG.xxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxx",), word=True, check=_not_masked),
    Rule("mailchimp_key", "Mailchimp API key", ("-us",), r"-us(?<=[0-9a-f]{32}-us)[0-9]{1,2}(?![A-Za-z0-9])", ("~h32~-us12",), ("focus-us1",), word=True),
    Rule("square_token", "Square access token", ("EAAA",), "EAAA" + _apart("EAAA", "A-Za-z0-9+/_-") + "[A-Za-z0-9_-]{60}(?![A-Za-z0-9+/=_-])",
         ("EAAA~a60~",), ("xEAAA~a60~",), word=True),
    Rule("azure_storage_key", "Azure account key", ("AccountKey=", "SharedAccessKey="),
         r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,88}={1,2})", ("AccountKey=~a86~==", "SharedAccessKey=~a43~="),
         ("AccountKey=<your key>", "AccountKey=${KEY}"), word=True, check=_not_masked),
    Rule("azure_sas", "Azure shared access signature", ("sig=",), r"sig=(?<=[?&;]sig=)([A-Za-z0-9%+/]{40,100}(?:=|%3[dD]))",
         ("?sv=2022-11-02&sig=~a43~%3D",), ("?sig=abc",), word=True, check=_not_masked),
    Rule("azure_client_secret", "Azure client secret", ("Q~",), r"Q~(?<=[A-Za-z0-9_~.]{3}[0-9]Q~)[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
         ("~a3~8Q~" + "~a34~",), ("Q~x",), word=True),
    Rule("terraform_token", "Terraform Cloud token", (".atlasv1.",), r"\.atlasv1\.[A-Za-z0-9_=-]{60,70}", ("~a14~.atlasv1.~a64~",), (".atlasv1.x",), word=True),
    Rule("jwt", "JSON web token", ("eyJ",), "eyJ" + _apart("eyJ", "A-Za-z0-9_-") + r"([A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000})",
         ("eyJ~a30~.eyJ~a40~.~a43~",), ("eyJhbGciOiJIUzI1NiJ9...", "eyJxxxxxxxxxxxxx.xxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxx"), word=True, check=_not_masked),
    Rule("private_key", "private key block", ("PRIVATE KEY",),
         r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
         tuple("~mBEGIN %sPRIVATE KEY%s~m\n~a64~\n~a40~\n~mEND %sPRIVATE KEY%s~m" % (name, block, name, block) for name, block in (
             ("", ""), ("RSA ", ""), ("EC ", ""), ("DSA ", ""), ("OPENSSH ", ""), ("ENCRYPTED ", ""), ("PGP ", " BLOCK")))
         + ("\"private_key\": \"~mBEGIN PRIVATE KEY~m\\n~a64~\\n~a20~\\n~mEND PRIVATE KEY~m\\n\"",
            "~mBEGIN RSA PRIVATE KEY~m\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n~a64~"),
         ("look for ~mBEGIN RSA PRIVATE KEY~m in files", "~mBEGIN PRIVATE KEY~m\n...\n~mEND PRIVATE KEY~m",
          "~mBEGIN PUBLIC KEY~m\n~a64~\n~mEND PUBLIC KEY~m", "~mBEGIN PRIVATE KEY~m\\nMIIE...\\n~mEND PRIVATE KEY~m"), check=_pem),
    Rule("putty_key", "PuTTY private key", ("Private-Lines:",), r"Private-Lines: [0-9]{1,3}\r?\n[A-Za-z0-9+/=]{20,70}",
         ("Private-Lines: 14\n~a64~",), ("Private-Lines: 1\n",)),
    Rule("authorization_header", "credential in an Authorization header", ("authorization",),
         r"authorization[\"'`\\\]]{0,3}[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}[\"'`\\fr]{0,3}(?:bearer|basic|token|digest|apikey)[ \t]{1,4}([a-z0-9._~+/=-]{12,2000})",
         ("Authorization: Bearer ~a32~", "\"Authorization\": \"Basic ~a24~\"", "-H 'authorization: token ~h40~'"),
         ("Authorization: Bearer ${TOKEN}", "Authorization: Bearer YOUR_ACCESS_TOKEN", "Authorization: Bearer <token>", "Authorization: Bearer eyJhbGciOi..."),
         folded=True, inner=1, check=_authorization),
    Rule("url_credentials", "password in a URL", ("://",),
         r"://(?<=[A-Za-z0-9]://)([^\s/:@\"'`<>{}()\[\]$\\|]{0,120}):([^\s/@\"'`<>()|\\]{3,200})@(?=[A-Za-z0-9\[$%{<*_.-])",
         ("postgres://app:~a16~@db/x", "redis://:~a12~@h:6379", "amqp://u:S3c~a9~@h", "mongodb+srv://u:~a10~@c.mongodb.net", "https://u:~a12~@h/x"),
         ("postgres://user:password@localhost/db", "postgres://${U}:${P}@h", "https://user:<pass>@h", "http://host:8080/@x", "postgres://postgres:postgres@db",
          "https://x:$TOKEN@github.com", "http://a.b:80/x@y"),
         inner=2, check=_url_password),
)

# The words a generic assignment's name must hold; each is searched on its own because that is faster than an alternation.
_ASSIGNED = ("pass", "pwd", "secret", "token", "key", "credential", "_auth", "_pat")
# What may stand between a name and its value: the signs of an assignment, the end of an XML tag, a default ("or", a second argument),
# and, behind an option or a word such as ENV, a blank.
_ASSIGNMENT = (r"[a-z0-9_-]{0,24}(?P<close>[\"'`\\\])]{0,4})[ \t]{0,12}"
               r"(?P<sign>:[ \t]{0,3}&?(?:'static )?(?:str|string|any|optional\[str\])[ \t]{0,3}=|=>|:=|\?=|[:=]|>|\|\||\?\?|,|or |)(?![=~>:])[ \t\\]{0,12}"
               r"(?=(?P<quote>[furb@]{0,2}\\?[\"'`]|)(?P<value>[^\s\"'`]{8,100}))")  # ahead only: the value may hold a name itself

GENERIC = "generic_secret"
_GENERIC_RULE = Rule(
    GENERIC, "secret assigned to a name", _ASSIGNED, "", (
        "password = \"placeholder-prod-db-~a16~\"", "API_KEY=~l32~", "\"client_secret\": \"~a24~\"", "auth_token: ~h32~",
        "const dbPassword = 'Tr0u~d1~b~d2~or&3x'", "DB_PASS=~a14~", "<password>~a16~</password>",
        "os.getenv(\"API_KEY\", \"~l32~\")", "key = process.env.API_KEY || '~a24~'", "run --password ~a16~", "ENV API_TOKEN ~a24~", "?api_key=~l32~&x=1",
        "//registry.example.com/:_authToken=~a36~", "machine h login u password ~a16~", "Server=db;Password=~a14~;Database=x"),
    ("password = os.environ['DB_PASSWORD']", "api_key: ${API_KEY}", "token: ${{ secrets.GITHUB_TOKEN }}", "password = \"\"", "password: changeme",
     "max_tokens: 4096000000", "secretary = \"Jane-Doe-12345\"", "token = get_token(user)", "API_KEY=<your-api-key>", "password: str", "password == other1234",
     "api_key = settings.api_key1", "secret: {{ vault_secret9 }}", "token: 550e8400-e29b-41d4-a716-446655440000",
     "password: $DB_PASSWORD9", "run --password-stdin",
     "first_pass = renderPass1x",
     "token: Callable[[str], Awaitable9]", "the password requirements12", "keyword=abcDEF12345", "const token = tokens[index1234]", "api_key = sha256-~a43~="),
    folded=True, high=False)

_prefix_rules = {}


def _prefix_rule(line, prefix):
    """The Rule of one prefix of one line of _PREFIXED, built on first use."""
    rule = _prefix_rules.get(prefix)
    if rule is None:
        rule = _prefix_rules[prefix] = _prefixed(line, prefix)
    return rule


def rules():
    """All rules. Several of one id differ only in their prefix."""
    return [_prefix_rule(line, prefix) for line in _PREFIXED for prefix in line[2]] + list(_SHAPES) + [_GENERIC_RULE]


def kind(rule_id):
    """What a person calls this kind of secret; the id itself when it is unknown."""
    for rule in rules():
        if rule.id == rule_id:
            return rule.kind
    return rule_id


# ----------------------------------------------------------------------------------------------------------------------
# The search


def find(text, strict=False, high_only=False):
    """Every secret in the text, a list of Hit in order of place, none overlapping.

    high_only: without generic_secret.

    strict: assignments count without the filter for placeholders and plain words (references still pass).
    """
    if not isinstance(text, str) or len(text) < 8:
        return []
    judged, starts = _without_marks(text)
    lowered = judged.lower()
    if len(lowered) != len(judged):  # a few letters grow when lowered; places must stay
        lowered = "".join(char.lower() if char.isascii() else char for char in judged)
    hits = []
    for rule in _candidates(judged, lowered):
        for match in rule.compiled().finditer(lowered if rule.folded else judged):
            end = rule.check(judged, match) if rule.check else match.end()
            if end:
                hits.append(Hit(rule.id, match.start(rule.inner), end))
    if not high_only:
        hits.extend(_assignments(judged, lowered, strict))
    hits = _without_overlaps(hits)
    if starts is not None:
        for hit in hits:
            hit.start, hit.end = _original(hit.start, starts), _original(hit.end - 1, starts) + 1
    return hits


def _candidates(text, lowered):
    """The rules whose literals are there: all that most texts ever cost.

    A token is one long word, and long words are few: only they are searched for the many prefixes.
    """
    pieces = text.encode("utf-8", "surrogatepass").translate(_SEPARATORS).split()  # bytes: ten times as fast as text
    words = {word for word in pieces if len(word) >= _SHORTEST_TOKEN}
    if words:
        joined = b"\n".join(word for word in words if b"_" in word or b"-" in word or b"." in word).decode("utf-8", "surrogatepass")
        words = b"\n".join(words).decode("utf-8", "surrogatepass")
        for line in _PREFIXED:
            for prefix in line[2]:
                if prefix in (words if prefix.isalnum() else joined):
                    yield _prefix_rule(line, prefix)
    for rule in _SHAPES:
        where = lowered if rule.folded else words if rule.word else text
        if any(literal in where for literal in rule.literals):
            yield rule


def _assignments(text, lowered, strict):
    """The hits of generic_secret."""
    hits = []
    for word in _ASSIGNED:
        covered = 0
        if word not in lowered:
            continue
        for match in _value_re(word + _ASSIGNMENT).finditer(lowered):
            if match.start("value") < covered:
                continue  # inside the last one
            value = _assigned_value(text, match)
            if value and _real_value(value, strict, bool(match.group("quote")), word):
                start = match.start("value")
                end = start + len(value)
                if end == match.end("value"):  # the expression looks no further than 100 signs
                    end = _value_re(r"[^\s\"'`]{0,8000}").match(text, end).end()
                hits.append(Hit(GENERIC, start, end))
                covered = end
    if "value" in lowered:
        hits += _pairs(text, strict)
    return _not_excused(text, hits) if hits and "nosecret" in text else hits


def _pairs(text, strict):
    """The hits where name and value stand beside each other: a list of variables or headers in YAML or JSON."""
    hits = []
    for match in _value_re(_PAIR).finditer(text):
        value = match.group("value")
        if is_secret_name(match.group("name")) and (match.group("quote") or not _code(_without_references(value))):
            if _real_value(value, strict, bool(match.group("quote")), "pass"):
                hits.append(Hit(GENERIC, match.start("value"), match.end("value")))
    return hits


_PAIR = (
    r"\b(?:name|key)['\"]?[ \t]{0,4}[:=][ \t]{0,4}['\"]?(?P<name>[A-Za-z][\w.-]{1,60})['\"]?[ \t]{0,4},?[ \t]{0,4}\r?\n?[ \t]{0,60}"
    r"['\"]?\bvalue['\"]?[ \t]{0,4}[:=][ \t]{0,4}(?P<quote>['\"]?)(?P<value>[^\s'\",}]{8,400})"
)


def _assigned_value(text, match):
    """The right side of an assignment to a secret name, as far as it may be one literal; "" when it is something else."""
    start, end = match.span("value")
    name_start = _name_start(text, match.start())
    name = text[name_start:match.start("close")]
    if not is_secret_name(name):
        return ""
    sign, quote, value = match.group("sign"), match.group("quote"), text[start:end]
    if sign in ("|" * 2, "??", "or ") and not quote or sign == "," and not (quote and match.group("close").endswith(("'", '"'))):
        return ""
    if not sign and not (name.startswith("--") or _value_re(r"(?:\bENV|\bARG|\blogin \S{1,60}|^\*|\bset|\bsetx)[ \t]$").search(
            text[max(0, name_start - 80):name_start])):
        return ""
    if sign == ">":
        value, tag, rest = value.partition("</")
        return value if tag and not quote else ""
    if quote:
        return value.rstrip("\\")
    value = _value_re(r"[,;&].*|[)\]}]+$").sub("", value)
    return "" if _code(_without_references(value)) else value


def _name_start(text, position):
    """Where the identifier begins that holds this position."""
    first = position
    while first > 0 and position - first < 60 and (text[first - 1].isalnum() or text[first - 1] in "_-"):
        first -= 1
    return first


def _code(value):
    """True for a bare right side that is an expression: a call, a member, a subscript, a type, a glob."""
    return _value_re(r".*[(\[{<>|*\\^].*|[A-Za-z_]\w*(?:\??\.|::|->)[A-Za-z_]\w*.*|(?:new|await|self|this)\b.*", ).fullmatch(value) is not None


def _not_excused(text, hits):
    """The hits whose line carries no nosecret comment."""
    kept, last_end, excused = [], -1, False
    comment = _value_re(r"(?:#|//|--|;|/\*|<!--)[ \t]{0,4}nosecret\b")
    for hit in sorted(hits, key=lambda hit: hit.start):
        if hit.start >= last_end:  # a new line
            start, end = text.rfind("\n", 0, hit.start) + 1, text.find("\n", hit.start)
            last_end = len(text) if end < 0 else end
            excused = comment.search(text, start, last_end) is not None
        if not excused:
            kept.append(hit)
    return kept


def _without_overlaps(hits):
    """In order of place; of two that overlap, the earlier, and of two that begin together, the longer."""
    kept = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return kept


def redact(text):
    """The text with every secret replaced by ``[REDACTED:rule]``. Anything that is no text comes back unchanged."""
    hits = find(text)
    if not hits:
        return text
    out, last = [], 0
    for hit in hits:
        out.append(text[last:hit.start])
        out.append("[REDACTED:%s]" % hit.rule_id)
        last = hit.end
    out.append(text[last:])
    return "".join(out)
