# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A region of ours in a person's text: it comes and goes without a trace, and under the real driver it follows the ownership rule."""

from __future__ import annotations

import os

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _document, _region
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError
from ansible_collections.agentihooks.fleet.plugins.module_utils._ownership import Policy, Rules
from ansible_collections.agentihooks.fleet.plugins.module_utils._values import drop, put
from hypothesis import given, settings
from hypothesis import strategies as st

BEGIN, END = "<!-- ours: begin -->", "<!-- ours: end -->"
PATH = (_region.REGION,)
PLACES = [_region.START, _region.END]

# What a person's file can be: any bytes but NUL, and the usual forms.
FILES = st.binary(max_size=60).map(lambda data: data.replace(b"\x00", b"")) | st.sampled_from(
    [b"", b"\n", b"\n\n", b"mine", b"mine\n", b"a\r\nb\r\n", b"a\r\nb", b"a\r", b"\xef\xbb\xbfmine", b"\xef\xbb\xbf", b"caf\xe9\n"]
    + [b"x " + BEGIN.encode() + b"\n"]
)
TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x00"), max_size=10), max_size=4).map(
    lambda lines: "".join(line + "\n" for line in lines)
)


def form(place):
    return _region.Region(BEGIN, END, place)


@settings(deadline=None)
@given(st.sampled_from(PLACES), FILES, TEXTS, TEXTS)
def test_coming_changing_and_going_gives_the_bytes_back(place, data, text, later):
    region = form(place)
    with_it = region.apply(region.parse(data), [put(PATH, text)])
    assert region.parse(with_it).value == {_region.REGION: text}
    changed = region.apply(region.parse(with_it), [put(PATH, later)])
    assert region.apply(region.parse(changed), [put(PATH, text)]) == with_it
    assert region.apply(region.parse(changed), [drop(PATH)]) == data
    body = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    assert with_it.endswith(body) if place == _region.START else with_it.startswith(data)


def test_the_forms_as_they_stand():
    block = BEGIN + "\nours\n" + END + "\n"
    assert form(_region.START).dump({_region.REGION: "ours\n"}) == form(_region.END).dump({_region.REGION: "ours\n"}) == block.encode()
    for place, before, after in [
        (_region.START, "# Mine\n", block + "# Mine\n"),
        (_region.START, "\ufeffmine", "\ufeff" + block + "mine"),
        (_region.END, "alias x=y\n", "alias x=y\n" + block),
        (_region.END, "alias x=y", "alias x=y\n" + block.replace("-->\nours", "--> \nours")),
        (_region.END, "a\r\n", "a\r\n" + block),
    ]:
        region = form(place)
        assert region.apply(region.parse(before.encode()), [put(PATH, "ours\n")]).decode() == after


def test_the_region_stays_where_the_person_moved_it():
    region = form(_region.END)
    moved = ("first\r\n%s\t\r\nold\n%s\r\nlast" % (BEGIN, END)).encode()
    assert region.parse(moved).value == {_region.REGION: "old\n"}
    new = region.apply(region.parse(moved), [put(PATH, "new\n")])
    assert new == moved.replace(b"old", b"new")
    assert region.apply(region.parse(new), [drop(PATH)]) == b"first\r\nlast"


def test_what_was_appended_to_a_last_line_without_an_end_keeps_its_line():
    region = form(_region.END)
    with_it = region.apply(region.parse(b"mine"), [put(PATH, "ours\n")])
    assert region.apply(region.parse(with_it + b"more\n"), [drop(PATH)]) == b"mine\nmore\n"


# (file, line that the refusal names, word)
REFUSED = [
    ("a\n%s\nb\n" % BEGIN, 2, "without"),
    ("a\nb\n%s" % END, 3, "without"),
    ("%s\n%s\n" % (END, BEGIN), 1, "before"),
    ("%s\n%s\nx\n%s\n%s\n" % (BEGIN, END, BEGIN, END), 4, "second time"),
    ("%s\n%s\n%s\n" % (BEGIN, BEGIN, END), 2, "second time"),
    ("%s\n%s\n%s\n" % (BEGIN, END, END), 3, "second time"),
    ("a\nb\x00", 2, "NUL"),
]


@pytest.mark.parametrize(("text", "line", "word"), REFUSED)
def test_marks_that_are_not_one_pair_are_refused_with_their_line(text, line, word):
    with pytest.raises(_region.FormatError) as raised:
        form(_region.START).parse(text.encode())
    assert (raised.value.line, word in raised.value.message) == (line, True)


def test_utf_16_is_refused():
    with pytest.raises(_region.FormatError, match="UTF-8"):
        form(_region.START).parse("mine\n".encode("utf-16"))


@pytest.mark.parametrize("text", ["no line end", "x\n%s\n" % END, "%s\n" % BEGIN])
def test_a_text_that_would_break_the_marks_is_refused(text):
    region = form(_region.START)
    with pytest.raises(ValueError):
        region.apply(region.parse(b"mine\n"), [put(PATH, text)])


def test_only_the_region_is_shown():
    region = form(_region.END)
    document = region.parse(b"export PASSWORD=hunter2\n")
    assert region.masked(document, None, "*") == ""
    with_it = region.parse(region.apply(document, [put(PATH, "ours\n")]))
    assert region.masked(with_it, None, "*") == BEGIN + "\nours\n" + END + "\n"


class Person:
    """A home with one file in it, and runs of the real driver on it."""

    def __init__(self, path, place):
        self.path = path
        self.file = path / "notes.md"
        self.place = place

    def run(self, text, policy=None, check=False):
        home = _document.Home(str(self.path), "team")
        want = {} if text is None else {_region.REGION: text}
        return _document.converge(home, "notes.md", lambda disk: want, Rules(), policy or Policy(), form(self.place), check)

    def outcome(self, text, **options):
        """The outcome of a run, which check mode predicted and which a second run does not repeat."""
        predicted = self.run(text, check=True, **options)
        result = self.run(text, **options)
        assert (predicted.changed, predicted.changes, predicted.after) == (result.changed, result.changes, result.after)
        assert not self.run(text, **options).changed
        return result.changes[0][1] if result.changes else None


@pytest.fixture(params=PLACES)
def person(request, tmp_path):
    return Person(tmp_path / "home", request.param)


def test_a_file_that_was_only_ours_goes_and_the_directory_with_it(person):
    assert person.outcome("ours\n") == "created"
    assert person.outcome("ours, newer\n") == "updated"
    assert person.outcome(None) == "removed"
    assert not person.path.exists()


@pytest.mark.parametrize("data", [b"", b"mine", b"mine\n", b"a\r\nb", b"\xef\xbb\xbfmine\n", b"caf\xe9"])
def test_the_persons_bytes_come_back(person, data):
    person.path.mkdir()
    person.file.write_bytes(data)
    assert person.outcome("ours\n") == "created"
    person.outcome("newer\n")
    assert person.outcome(None) == "removed"
    assert person.file.read_bytes() == data and os.listdir(str(person.path)) == ["notes.md"]


def test_what_the_person_wrote_since_stays_when_we_go(person):
    person.outcome("ours\n")
    person.file.write_bytes(b"above\n" + person.file.read_bytes() + b"below\n")
    assert person.outcome("newer\n") == "updated"
    assert person.outcome(None) == "removed"
    assert person.file.read_bytes() == b"above\nbelow\n"


def test_an_edit_inside_the_marks_is_left_and_reported(person):
    person.outcome("ours\n")
    edited = person.file.read_bytes().replace(b"ours\n", b"theirs now\n")
    person.file.write_bytes(edited)
    assert person.outcome("newer\n") == "hand_edited"
    assert person.file.read_bytes() == edited
    assert person.run("newer\n", Policy(reclaim=[PATH])).changes == [(PATH, "updated")]
    person.file.write_bytes(edited)
    assert person.run(None).changes == [(PATH, "released")]
    assert person.file.read_bytes() == edited


def test_a_region_that_the_person_removed_stays_out(person):
    person.path.mkdir()
    person.file.write_bytes(b"mine\n")
    person.outcome("ours\n")
    person.file.write_bytes(b"mine\n")
    assert person.outcome("ours\n") == "hand_edited"
    assert person.file.read_bytes() == b"mine\n"


def test_a_missing_file_is_a_reset(person):
    person.outcome("ours\n")
    person.file.unlink()
    assert person.outcome("ours\n") == "created"
    assert person.outcome(None) == "removed"
    assert not person.path.exists()


def test_a_region_of_an_unknown_hand_is_foreign(person):
    person.path.mkdir()
    person.file.write_bytes(("%s\nsomebody's\n%s\n" % (BEGIN, END)).encode())
    before = person.file.read_bytes()
    assert person.outcome("ours\n") == "foreign"
    assert person.file.read_bytes() == before


def test_broken_marks_stop_the_surface_with_file_and_line(person):
    person.path.mkdir()
    person.file.write_bytes(("a\n%s\n" % BEGIN).encode())
    for check in (True, False):
        with pytest.raises(SurfaceError, match="notes.md, line 2: .*without the mark"):
            person.run("ours\n", check=check)
    assert os.listdir(str(person.path)) == ["notes.md"]
