# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents in, Codex's TOML files and a report per source out."""

from __future__ import annotations

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _toml
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_input
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._asset_translation import Options, Source, translate


def agent(text, relative="reviewer.md"):
    """Return (the one agent's file as a table, its text, report)."""
    done = translate(agents=[Source("bundle/" + relative, relative, text.encode("utf-8"))], options=Options(target="codex"))
    (file,) = done.agents
    return _toml.parse(file.data).value, file.data.decode("utf-8"), done.reports[0]


def test_an_agent():
    table, text, report = agent("---\nname: reviewer\ndescription: Reviews \"it\"\n---\nRead.\n\n{{ jinja }} \\ stays.\n")
    assert table == {"name": "reviewer", "description": 'Reviews "it"', "developer_instructions": "Read.\n\n{{ jinja }} \\ stays.\n"}
    assert "\n\n{{ jinja }} \\ stays.\n" in text
    assert (report.outcome, report.name, report.warnings) == ("translated", "reviewer", ())


@pytest.mark.parametrize("body", [
    "it's '''quoted'''\n", "ends with '", "a\r\nb\r\n", "bell \x07", "\t\u00a0\U0001f600\n", "\nfirst line is blank\n", "\\u0041",
])  # fmt: skip
def test_any_text_arrives_as_it_is(body):
    assert agent("---\ndescription: d\n---\n" + body)[0]["developer_instructions"] == body


def test_one_without_a_text_gets_its_description():
    assert agent("---\ndescription: d\n---\n")[0]["developer_instructions"] == "d\n"


@pytest.mark.parametrize("lines, read_only, said", [
    ("model: sonnet", False, ""),
    ("tools: Read, Grep", True, "from changing anything"),
    ("tools: Read, Bash(git diff:*)", True, "from changing anything"),
    ("tools: []", True, "from changing anything"),
    ("permissionMode: plan", True, "from changing anything"),
    ("disallowedTools: Write, Edit, Bash", True, "from changing anything"),
    ("tools: Read, Bash", False, "does not grant: writing files, MCP tools"),
    ("tools: Write", False, "does not grant: commands, MCP tools"),
    ("disallowedTools: Bash", False, "does not grant: commands"),
    ("tools: Read, Write, Bash, mcp__tracker", False, ""),
])  # fmt: skip
def test_what_an_agent_has_beyond_its_source_is_said(lines, read_only, said):
    table, _text, report = agent("---\nname: a\ndescription: d\n%s\n---\nText\n" % lines)
    assert table.get("sandbox_mode") == ("read-only" if read_only else None)
    assert any(said in warning for warning in report.warnings) if said else not report.warnings
    assert "tools" not in table


def test_a_model_of_its_own_passes_and_an_alias_does_not():
    assert agent("---\ndescription: d\nmodel: gpt-5.4-mini\n---\nx")[0]["model"] == "gpt-5.4-mini"
    table, _text, report = agent("---\ndescription: d\nmodel: opus\n---\nx")
    assert "model" not in table and report.dropped == ("model",)


def test_the_option_reaches_the_translation():
    given = {"agents": [{"name": "a", "content": "---\ndescription: d\n---\nx"}]}
    assert list(_asset_input.read(dict(given, target="codex")).files) == ["agents/a.toml"]
    assert list(_asset_input.read(given).files) == ["agents/a.md"]
    with pytest.raises(ValueError, match="target: must be one of copilot, codex"):
        _asset_input.read(dict(given, target="zzz"))
