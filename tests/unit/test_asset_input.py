# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of agent_translate, read on the controller."""

from __future__ import annotations

import pytest
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_input

AGENT = "---\nname: %s\ndescription: d\ntools: Read\n---\nText {{ of }} mine.\n"
SKILL = "---\nname: %s\ndescription: d\n---\nText.\n"


@pytest.fixture
def src(tmp_path):
    for path, text in {
        "agents/one.md": AGENT % "one",
        "commands/db/migrate.md": "---\ndescription: d\n---\nMigrate.\n",
        "skills/notes/SKILL.md": SKILL % "notes",
        "skills/notes/run.sh": "#!/bin/sh\n",
    }.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (tmp_path / "skills/notes/run.sh").chmod(0o755)
    return tmp_path


def test_a_directory_gives_agents_and_skills(src):
    given = _asset_input.read({"src": str(src)})
    assert given.surfaces == ["agents", "skills"] and given.unknown == [] and given.warnings == []
    assert sorted(given.files) == ["agents/one.md", "skills/db-migrate/SKILL.md", "skills/notes/SKILL.md", "skills/notes/run.sh"]
    assert given.executable == ["skills/notes/run.sh"] and given.links == {}
    assert given.files["agents/one.md"].endswith(b"Text {{ of }} mine.\n")


def test_what_is_given_inline_and_by_path_is_the_same(src):
    by_path = _asset_input.read({"agents": [str(src / "agents/one.md")]})
    inline = _asset_input.read({"agents": [{"name": "one", "content": AGENT % "one"}]})
    assert by_path.files == inline.files and by_path.surfaces == inline.surfaces == ["agents"]
    named = _asset_input.read({"commands": [{"name": "db/migrate", "path": str(src / "commands/db/migrate.md")}]})
    assert list(named.files) == ["skills/db-migrate/SKILL.md"] and named.surfaces == ["skills"]


def test_only_what_something_is_said_about_is_a_surface():
    assert _asset_input.read({}).surfaces == []
    assert _asset_input.read({"agents": [], "instructions": ""}).surfaces == ["agents", "instructions"]
    assert _asset_input.read({"agents": None, "skills": []}).surfaces == ["skills"]


def test_instructions_end_with_a_line_break_and_nothing_stays_nothing():
    assert _asset_input.read({"instructions": "a"}).files == {"instructions": b"a\n"}
    assert _asset_input.read({"instructions": "a\n"}).files == {"instructions": b"a\n"}
    assert _asset_input.read({"instructions": ""}).files == {"instructions": b""}


def test_links_are_for_skills_that_need_no_translation(src):
    (src / "skills/bare").mkdir()
    (src / "skills/bare/SKILL.md").write_text("No frontmatter.\n")
    given = _asset_input.read({"src": str(src), "skills_mode": "link"})
    assert given.links == {"notes": str(src / "skills/notes")}
    assert sorted(given.files) == ["agents/one.md", "skills/bare/SKILL.md", "skills/db-migrate/SKILL.md"]


@pytest.mark.parametrize("kind, surface, data", [("agents", "agents", b"---\nname: x\n\xff\xfe\x00"), ("commands", "skills", b"\xff\xfe\x00")])
def test_a_source_that_cannot_be_used_makes_its_surface_unknown(src, kind, surface, data):
    (src / kind / "broken.md").write_bytes(data)
    given = _asset_input.read({"src": str(src)})
    assert given.unknown == [surface] and "broken.md" in given.warnings[0] and "left out" in given.warnings[0]
    assert "agents/one.md" in given.files


@pytest.mark.parametrize("kind", ["agents", "commands", "skills"])
def test_what_is_named_and_missing_is_an_error_and_not_nothing(src, kind):
    with pytest.raises(ValueError, match="none"):
        _asset_input.read({kind: [str(src / kind / "none")]})


def test_a_directory_that_cannot_be_read_is_an_error_and_not_nothing(unprivileged):
    agents = unprivileged / "agents"
    agents.mkdir()
    (agents / "one.md").write_text(AGENT % "one")
    agents.chmod(0)
    with pytest.raises(ValueError, match="agents: cannot be read"):
        _asset_input.read({"src": str(unprivileged)})


@pytest.mark.parametrize("options, said", [
    ({"src": "/nowhere"}, "is no directory"),
    ({"agents": "x"}, "must be a list"),
    ({"agents": [3]}, r"agents\[0\]: must be a path"),
    ({"agents": [{"name": "x"}]}, "either path or content"),
    ({"agents": [{"path": "/x", "content": "y"}]}, "either path or content"),
    ({"commands": [{"content": "y"}]}, "needs a name"),
    ({"skills": [{"name": "x", "content": "y"}]}, "a skill is given by its path"),
    ({"agents": [{"name": "x", "content": 3}]}, "must be a text"),
    ({"instructions": ["x"]}, "instructions: must be a text"),
    ({"body_limit": "many"}, "body_limit: must be a number"),
    ({"body_limit": 10}, "at least 1000"),
    ({"scoped_grants": "keep"}, "scoped_grants: must be one of drop, widen"),
    ({"skills_mode": "move"}, "skills_mode: must be one of copy, link"),
])
def test_options_that_are_wrong_are_one_clear_error(options, said):
    with pytest.raises(ValueError, match=said):
        _asset_input.read(options)


def test_what_looks_like_a_secret_in_a_source_is_in_no_report():
    secret = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    content = "---\ntools: Read(%s)\nkey-%s: x\n---\nUse %s now.\n" % (secret, secret, secret)
    found = _asset_input.read({"agents": [{"name": "reviewer", "content": content}]})
    assert found.warnings and secret not in str(found.warnings) + str([report.plain() for report in found.reports])
    assert secret.encode() in found.files["agents/reviewer.md"]
