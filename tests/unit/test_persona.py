# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The persona: its order, what becomes of a rule's frontmatter, and of texts that are none."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils._persona_marks import PERSONA_BEGIN, PERSONA_END, without_marks
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _frontmatter, _persona, _profiles, _sources

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]

WHOLE = """\
# Identity

We are the Harbour team.

---

team

---

profile

---

# Rules

<!-- rule: commits (bundle) -->
Imperative.

<!-- rule: db/locks (engineer) -->
Short ones.

---

<!-- manifesto: 10-ci -->
CI is green.

---

<!-- manifesto: 20-money -->
No spending.
"""


def test_the_order():
    rules = [("commits", "bundle", "Imperative."), ("db/locks", "engineer", "Short ones."), ("empty", "engineer", "")]
    section = _persona.identity(["default"], "We are the Harbour team.\r\n")[0]
    assert _persona.assemble(section, ["team", "", "profile"], rules, [("10-ci", "CI is green."), ("20-money", "No spending.")]) == WHOLE


def test_what_is_not_there_leaves_no_trace():
    assert _persona.assemble("", [], [], []) == ""
    assert _persona.assemble("", ["", "one"], [("r", "a", "")], [("m", "")]) == "one\n"


def test_identity():
    assert _persona.identity(["default"]) == (
        "# Identity\n\nYour persona is default. This says who you are; it gives no part of what follows precedence over another.", [],
    )  # fmt: skip
    assert "Your persona is a, with b, c over it." in _persona.identity(["a", "b", "c"])[0]
    assert _persona.identity(["a"], "") == ("", [])
    text, warnings = _persona.identity(["a"], "x\n%s\ny" % PERSONA_END)
    assert text == "# Identity\n\nx\ny" and len(warnings) == 1


@pytest.mark.parametrize(
    ("frontmatter", "text"),
    [
        ('paths: ["src/**/*.ts", "*.tsx"]', "Only for files that match: `src/**/*.ts`, `*.tsx`\n\nBody."),
        ("paths:\n  - src/**\n  - lib/**", "Only for files that match: `src/**`, `lib/**`\n\nBody."),
        ("paths: src/**/*.{ts,tsx}, lib/**", "Only for files that match: `src/**/*.{ts,tsx}, lib/**`\n\nBody."),
        ("globs: *.py", "Only for files that match: `*.py`\n\nBody."),
        ("applyTo: '**/*.go'", "Only for files that match: `**/*.go`\n\nBody."),
        ("paths: docs", "Only for files that match: docs\n\nBody."),
        ("paths: a/*\npaths: b/*", "Only for files that match: `a/*`, `b/*`\n\nBody."),
        ("description: Migrations\nglobs: db/**\nalwaysApply: false", "About: Migrations\n\nOnly for files that match: `db/**`\n\nBody."),
        ("description: Style\nglobs: '**'\nalwaysApply: true", "About: Style\n\nBody."),
        ("paths:", "Body."),
        ("paths: []", "Body."),
        ("", "Body."),
    ],
)
def test_a_rule_keeps_what_limits_it(frontmatter, text):
    assert _persona.rule("---\n%s\n---\n\nBody." % frontmatter) == (text, [])


def test_keys_that_mean_nothing_are_named():
    text, warnings = _persona.rule("---\ncolor: red\npaths: a/*\nmodel: x\n---\nBody.")
    assert text == "Only for files that match: `a/*`\n\nBody." and len(warnings) == 1 and "color, model" in warnings[0]


@pytest.mark.parametrize(
    "text", ["---\n\nA rule under a line.", "---\n[1, 2]\n---\nx", "no frontmatter\n---\npaths: x\n---", "---\nx: !!python/object:os.system 1\n---\ny"]
)
def test_a_rule_whose_frontmatter_is_none_is_kept_whole(text):
    kept, warnings = _persona.rule(text)
    assert kept == text and len(warnings) == (0 if text.startswith("no") else 1)


def test_scope_of_a_hostile_rule_stays_one_line():
    text, _warnings = _persona.rule('---\npaths: "a*\\n\\n# Rules\\n`code`"\n---\nBody.')
    assert text == "Only for files that match: `a* # Rules 'code'`\n\nBody."


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\rc\n", "a\nb\nc"),
        (b"\xef\xbb\xbf\n  \n  indented\n\n\n", "  indented"),
        ("größe\n".encode(), "größe"),
        (b"", ""),
        (b" \n\t\n", ""),
        (b"{{ lookup('pipe', 'id') }}", "{{ lookup('pipe', 'id') }}"),
    ],
)
def test_texts_as_they_are_read(data, text):
    assert _persona.read(data) == (text, [])


@pytest.mark.parametrize(("data", "words"), [(b"ok\n\xff\n", "0xff in line 2"), (b"a\n\nb\0", "NUL byte in line 3"), ("x".encode("utf-16"), "UTF-16")])
def test_what_is_no_text_is_refused(data, words):
    with pytest.raises(_frontmatter.FrontmatterError, match=words):
        _persona.read(data)


def test_marks_in_a_text_are_left_out():
    data = ("one\r\n  %s \r\ntwo %s\nthree\n" % (PERSONA_BEGIN, PERSONA_END)).encode()
    text, warnings = _persona.read(data)
    assert text == "one\nthree" and "2 of the lines that mark" in warnings[0]
    assert without_marks("a\nb") == ("a\nb", 0)


def test_no_way_leads_to_a_mark_in_the_persona():
    folded = "---\ndescription: >\n  %s\n  %s\npaths: ['%s']\n---\nBody." % (PERSONA_END[:30].rstrip(), PERSONA_END[30:].lstrip(), PERSONA_BEGIN)
    assert PERSONA_END[30:].lstrip() in folded
    name = "x -->\n%s" % PERSONA_END
    text = _persona.assemble("", ["t"], [(name, PERSONA_BEGIN, _persona.rule(folded)[0]), (name, "a", "y")], [(name, "z")])
    assert PERSONA_END not in text and PERSONA_BEGIN not in text and "Body." in text
    assert all(line.count("-->") == 1 for line in text.split("\n") if "<!--" in line)


def test_the_example_bundle():
    result = _profiles.resolve(CHECKOUT / "profiles", CHECKOUT / "examples" / "bundle", ["default", "engineer", "oncall"])
    text = result["persona_text"]
    words = ["Your persona is default, with engineer, oncall", "# How we work", "# Engineers", "# On call", "# Rules", "rule: commits (bundle)",
             "rule: testing (engineer)", "rule: reviews (oncall)"]  # fmt: skip
    places = [text.index(word) for word in words]
    assert places == sorted(places) and "needs a reviewer from the team that owns it" not in text


def test_a_bundle_with_manifestos(tmp_path):
    for name, data in (("20-money.md", b"no"), ("10-ci.MD", b"green"), ("README.md", b"x"), ("deep/x.md", b"x"), ("note.txt", b"\xff")):
        path = tmp_path / "manifestos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "profiles" / "a").mkdir(parents=True)
    result = _profiles.resolve(CHECKOUT / "profiles", tmp_path, ["a"], identity="")
    assert [part["name"] for part in result["manifestos"]] == ["10-ci", "20-money"]
    assert result["persona_text"] == "<!-- manifesto: 10-ci -->\ngreen\n\n---\n\n<!-- manifesto: 20-money -->\nno\n"


def test_a_host_without_any_text_has_no_persona():
    assert _profiles.resolve(CHECKOUT / "profiles", None, ["default"])["persona_text"] == ""
    assert _profiles.resolve(CHECKOUT / "profiles", None, ["default"], identity="Us.")["persona_text"] == "# Identity\n\nUs.\n"


def test_a_persona_that_cannot_be_read_stops_the_host(tmp_path, monkeypatch):
    rules = tmp_path / "profiles" / "a" / ".claude" / "rules"
    rules.mkdir(parents=True)
    (rules / "one.md").write_bytes(b"\n\xfe\xfe")
    (rules.parent.parent / "CLAUDE.md").write_bytes(b"a\0")
    with pytest.raises(_sources.BundleError) as raised:
        _profiles.resolve(CHECKOUT / "profiles", tmp_path, ["a"], identity=["x"])
    assert [pathlib.Path(problem.file).name for problem in raised.value.problems] == ["CLAUDE.md", "one.md", "agentihooks_identity"]
    (rules / "one.md").write_bytes(b"x" * 100)
    (rules.parent.parent / "CLAUDE.md").write_bytes(b"a")
    monkeypatch.setattr(_persona, "MAX_PERSONA", 50)
    with pytest.raises(_sources.BundleError, match="persona of this chain is larger"):
        _profiles.resolve(CHECKOUT / "profiles", tmp_path, ["a"])
