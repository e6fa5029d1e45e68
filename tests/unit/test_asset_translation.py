# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents and commands in, Copilot's files and a report per source out."""

from __future__ import annotations

import random

import pytest
import yaml
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _asset_names, _asset_translation, _frontmatter
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._asset_translation import Options, SkillSource, Source, translate


def source(text, relative="reviewer.md"):
    return Source("bundle/" + relative, relative, text if isinstance(text, bytes) else text.encode("utf-8"))


def head(file):
    return yaml.safe_load(file.data.decode("utf-8")[4:].partition("\n---\n")[0])


def body(file):
    return file.data.decode("utf-8").partition("\n---\n")[2]


def agent(text, relative="reviewer.md", **options):
    """Return (frontmatter, report) of the one agent."""
    done = translate(agents=[source(text, relative)], options=Options(**options))
    return (head(done.agents[0]) if done.agents else None), done.reports[0]


def command(text, relative="review.md", **options):
    """Return (the file, report) of the one command."""
    done = translate(commands=[source(text, relative)], options=Options(**options))
    return (done.skills[0] if done.skills else None), done.reports[0]


def test_an_agent():
    text = "---\nname: code-reviewer\ndescription: Use when: asked\ntools: Read, Grep, Bash\nmodel: sonnet\ncolor: red\n---\n"
    text += "\nBody {{ 1/0 }} {% raw %}\r\n"
    done = translate(agents=[source(text)])
    assert [file.path for file in done.agents] == ["code-reviewer.md"]
    assert head(done.agents[0]) == {"name": "code-reviewer", "description": "Use when: asked", "tools": ["view", "grep", "shell"]}
    assert body(done.agents[0]) == "\nBody {{ 1/0 }} {% raw %}\r\n"
    report = done.reports[0]
    assert (report.source, report.kind, report.outcome, report.name) == ("bundle/reviewer.md", "agent", "translated", "code-reviewer")
    assert report.dropped == ("model", "color")
    assert report.warnings == ("its frontmatter is no YAML in line 3: mapping values are not allowed here; read line by line",)


@pytest.mark.parametrize("model, kept", [
    ("sonnet", None), ("opus", None), ("haiku", None), ("inherit", None), ("claude-sonnet-4-20250514", None), ("Claude Sonnet 4.5 (copilot)", None),
    ("claude-sonnet-4.5", "claude-sonnet-4.5"), ("gpt-5.4", "gpt-5.4"), ("gpt-5.3-codex", "gpt-5.3-codex"), ("gemini-2.5-pro", "gemini-2.5-pro"),
])  # fmt: skip
def test_only_a_model_in_copilots_words_is_kept(model, kept):
    found, report = agent("---\nname: a\ndescription: d\nmodel: %s\n---\n" % model)
    assert found.get("model") == kept
    assert ("model" in report.dropped) == (kept is None)


@pytest.mark.parametrize("line, said", [
    ("permissionMode: bypassPermissions", "permissionMode is dropped"),
    ("disallowedTools: Bash", "turned into a list"),
    ("hooks:\n  PreToolUse: []", "hooks is dropped"),
    ("mcpServers: [github]", "mcpServers is dropped"),
    ("isolation: worktree", "isolation is dropped"),
])  # fmt: skip
def test_keys_whose_loss_matters_are_said_aloud(line, said):
    _found, report = agent("---\nname: a\ndescription: d\n%s\n---\n" % line)
    assert line.partition(":")[0] in report.dropped
    assert any(said in warning for warning in report.warnings)


def test_rights_of_an_agent():
    assert "tools" not in agent("---\nname: a\n---\nText\n")[0]
    assert agent("---\nname: a\ntools: []\n---\nText\n")[0]["tools"] == []
    assert agent("---\nname: a\ntools: zzz\n---\nText\n")[0]["tools"] == []
    assert agent("---\nname: a\nallowed-tools: Read\n---\nText\n")[0]["tools"] == ["view"]
    assert agent("---\nname: a\ntools: Read, Bash(git *)\n---\nText\n", scoped_grants="widen")[0]["tools"] == ["view", "shell"]
    assert "shell" not in agent("---\nname: a\ndisallowedTools: Bash\n---\nText\n")[0]["tools"]
    assert agent("---\nname: a\ntools: Read, Write, Bash\npermissionMode: plan\n---\nText\n")[0]["tools"] == ["view"]
    assert "edit" not in agent("---\ndescription: a\npermission:\n  edit: deny\n---\nText\n")[0]["tools"]
    found, report = agent("---\nname: a\ntools:\n---\nText\n")
    assert found["tools"] == [] and any("has no value" in warning for warning in report.warnings)


@pytest.mark.parametrize("text, description", [
    ("---\nname: a\n---\n\n# Title here\n\nProse.\n", "Title here"),
    ("---\nname: a\ndescription: \"\"\n---\n```yaml\ndescription: not this\n```\n**This** one\n", "This** one"),
    ("---\nname: a\ndescription: [x]\n---\n<!-- not this -->\nThis\n", "This"),
    ("---\nname: a\n---\n", "Agent a"),
])  # fmt: skip
def test_a_missing_description_is_taken_from_the_text(text, description):
    found, report = agent(text)
    assert found["description"] == description
    assert any("has no description" in warning for warning in report.warnings)


@pytest.mark.parametrize("text, outcome, said", [
    ("# Charter\n", "skipped", "no frontmatter"),
    ("", "skipped", "empty"),
    ("---\nname: a\n", "refused", "not closed"),
    (b"\xff\xfe-\0", "refused", "UTF-16"),
    (b"---\nname: \xe9\n---\n", "refused", "0xe9"),
    (b"---\nname: a\n---\n\0", "refused", "NUL"),
    ("---\n- a\n---\n", "refused", "key: value"),
    ("---\nname: 審査\n---\nText\n", "refused", "ASCII"),
])  # fmt: skip
def test_one_bad_agent_is_named_and_the_others_go_on(text, outcome, said):
    done = translate(agents=[source(text, "審.md"), source("---\nname: good\n---\nText\n", "good.md")])
    assert [file.path for file in done.agents] == ["good.md"]
    assert (done.reports[0].outcome, done.reports[1].outcome) == (outcome, "translated")
    assert said in done.reports[0].reason


def test_a_readme_is_no_asset():
    done = translate(agents=[source("---\nname: a\n---\n", "sub/README.md")], commands=[source("Text", "Readme.md")])
    assert [report.outcome for report in done.reports] == ["skipped", "skipped"]


def test_without_frontmatter_on_request():
    found, _report = agent("# Charter of the reviewer\n", without_frontmatter="synthesize")
    assert found == {"name": "reviewer", "description": "Charter of the reviewer"}


@pytest.mark.parametrize("name, expected", [
    ("Code Reviewer", "code-reviewer"), ("../../.bashrc", "bashrc"), ("/etc/passwd", "etc-passwd"), ("a/b\\c", "a-b-c"), ("Übersicht é", "ubersicht-e"),
    ("speckit.plan", "speckit.plan"), ("my_agent", "my_agent"), ("a..b", "a.b"), ("-rf", "rf"), ("..", ""), ("漢字", ""), ("  ", ""), ("con", ""),
    ("COM1.txt", ""), ("x" * 300, "x" * 64), ("\u202ereversed\u200b", "reversed"), ("a\nb", "a-b"), ("A:B*?", "a-b"),
])  # fmt: skip
def test_names_are_safe_as_file_names(name, expected):
    assert _asset_names.slug(name) == expected


def test_a_name_that_cannot_be_one_gives_way_to_the_file_name():
    assert agent("---\nname: 審査\n---\nText\n", "review-ja.md")[0]["name"] == "review-ja"
    assert agent('---\nname: "  "\n---\nText\n', "blank.md")[0]["name"] == "blank"
    assert agent("---\nname: con\n---\nText\n", "UPPER.MD")[0]["name"] == "upper"


def test_two_agents_of_one_name_are_both_refused_and_name_each_other():
    done = translate(agents=[source("---\nname: X y\n---\n", "a.md"), source("---\nname: x-Y\n---\n", "b.md"), source("---\nname: z\n---\n", "c.md")])
    assert [file.path for file in done.agents] == ["z.md"]
    assert "bundle/b.md" in done.reports[0].reason and "bundle/a.md" in done.reports[1].reason


def test_an_agent_in_copilots_words_keeps_them():
    lines = "tools: read, srv/*\nmodel: GPT-5.6 Terra (copilot)\nuser-invocable: false\nhandoffs: []\nmcp-servers: {}\n"
    found, report = agent("---\nname: R P\ndescription: d\n" + lines + "---\nText\n", "r-p.agent.md")
    assert found == {"name": "r-p", "description": "d", "tools": ["read", "srv/*"], "model": "GPT-5.6 Terra (copilot)", "user-invocable": False}
    assert report.dropped == ("handoffs", "mcp-servers")
    assert "tools" not in agent("---\ndescription: d\ntools: ['*']\n---\n", "a.agent.md")[0]
    assert agent("---\ndescription: d\ntools: []\n---\n", "a.agent.md")[0]["tools"] == []
    assert agent("---\ndescription: d\ntools:\n---\n", "a.agent.md")[0]["tools"] == []
    assert agent("---\ndescription: d\ntools: {a: true}\n---\n", "a.agent.md")[1].outcome == "refused"
    assert agent("---\ndescription: d\ntools: [a]\ntools: [b]\n---\n", "a.agent.md")[1].outcome == "refused"


def test_a_command_becomes_a_skill():
    text = "---\ndescription: Review a branch\nargument-hint: [branch] | [--all]\nallowed-tools: Bash(git:*)\nmodel: opus\n---\nLook at $ARGUMENTS.\n"
    file, report = command(text, "git/review.md")
    assert file.path == "git-review/SKILL.md"
    assert head(file) == {"name": "git-review", "description": "Review a branch", "argument-hint": "[branch] | [--all]"}
    assert body(file).endswith("\n\nLook at $ARGUMENTS.\n") and body(file).startswith("> `$ARGUMENTS`")
    assert report.dropped == ("allowed-tools", "model")


def test_forms_of_a_command():
    file, report = command("# Do it\n\nText {{ x }}\n")
    assert (head(file), body(file)) == ({"name": "review", "description": "Do it"}, "# Do it\n\nText {{ x }}\n")
    assert head(command("---\nargument-hint: [a, b]\ndescription: d\n---\nx")[0])["argument-hint"] == "[a, b]"
    assert head(command("---\ndisable-model-invocation: true\ndescription: d\n---\nx")[0])["disable-model-invocation"] is True
    assert "run it in the shell" in body(command("---\ndescription: d\n---\nNow: !`git status`\n")[0])
    file, report = command("---\ndescription: Only this\n---\n")
    assert body(file) == "Only this\n" and "has no text" in report.warnings[0]
    assert any("CLAUDE_PLUGIN_ROOT" in warning for warning in command("Run ${CLAUDE_PLUGIN_ROOT}/x.sh")[1].warnings)
    assert command("", "a.md")[1].outcome == "skipped"
    assert command("Text", "漢/字.md")[1].outcome == "refused"


@pytest.mark.parametrize("description", ["word " * 300, "x" * 1025, "é" * 1100, "😀" * 600, "漢" * 1024 + "!"])
def test_a_long_description_is_cut_to_what_copilot_loads(description):
    file, report = command("---\ndescription: %s\n---\nText" % description)
    cut = head(file)["description"]
    assert len(cut.encode("utf-16-le")) // 2 <= 1024
    assert description.startswith(cut.rstrip("…")) and cut.endswith("…") and len(cut) > 500
    assert any("cut at 1024" in warning for warning in report.warnings)


def test_commands_of_one_name_are_refused_and_a_skill_outranks_one():
    done = translate(
        commands=[source("A", "git/commit.md"), source("B", "git-commit.md"), source("C", "deploy.md")],
        skills=[SkillSource("bundle/skills/deploy", "deploy", {"SKILL.md": (b"---\nname: deploy\ndescription: d\n---\nX", False)})],
    )
    assert [file.path for file in done.skills] == ["deploy/SKILL.md"] and done.skills[0].data.endswith(b"X")
    assert [report.outcome for report in done.reports] == ["refused", "refused", "skipped", "copied"]
    assert "bundle/skills/deploy" in done.reports[2].reason


def test_a_skill_is_copied_byte_for_byte_with_its_modes():
    files = {"SKILL.md": (b"---\nname: s\ndescription: d\r\n---\nX", False), "bin/run.sh": (b"\xff\0", True)}
    done = translate(skills=[SkillSource("b/s", "s", files)])
    assert [(file.path, file.data, file.executable) for file in done.skills] == [("s/SKILL.md", files["SKILL.md"][0], False), ("s/bin/run.sh", b"\xff\0", True)]
    assert done.reports[0].outcome == "copied"


@pytest.mark.parametrize("text", [
    "---\nname: s\ndescription: a: b\n---\nX", "---\nname: other\ndescription: d\n---\nX", "---\nname: s\n---\nX", "X",
    "---\nname: s\ndescription: %s\n---\nX" % ("y" * 1100),
])  # fmt: skip
def test_a_skill_that_would_not_load_gets_a_frontmatter_that_does(text):
    done = translate(skills=[SkillSource("b/s", "s", {"SKILL.md": (text.encode("utf-8"), False)})])
    found = head(done.skills[0])
    assert found["name"] == "s" and 0 < len(found["description"]) <= 1024 and body(done.skills[0]) == "X"
    assert done.reports[0].outcome == "translated" and done.reports[0].warnings


def test_a_directory_without_skill_md_is_no_skill():
    assert translate(skills=[SkillSource("b/s", "s", {"x": (b"", False)})]).reports[0].outcome == "skipped"


def limited(text, limit):
    file, report = command("---\ndescription: d\n---\n" + text, body_limit=limit)
    return body(file), report.warnings


def test_no_limit_is_the_default_and_an_exact_fit_is_not_cut():
    text = "x" * 100000
    assert body(command("---\ndescription: d\n---\n" + text)[0]) == text
    assert limited("x" * 2000, 2000) == ("x" * 2000, ())


def test_a_long_body_is_cut_at_a_paragraph():
    text = "".join("Paragraph %d, line one.\nLine two.\n\n" % number for number in range(200))
    cut, warnings = limited(text, 2000)
    kept, _gap, marker = cut.rpartition("\n\n")
    assert 1500 < len(cut) <= 2000 and kept.endswith("Line two.") and text.startswith(kept)
    assert "body_limit is 2000" in marker and len(warnings) == 1


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```python"])
def test_a_code_fence_is_never_cut(fence):
    mark = fence.strip().rstrip("python")
    text = "Intro.\n\n" + "Prose.\n" * 100 + "\n" + fence + "\n" + "code\n\n" * 1000 + mark + "\nEnd\n"
    cut, _warnings = limited(text, 2000)
    assert mark not in cut and cut.startswith("Intro.\n\nProse.\n")


def test_a_text_without_paragraphs_is_cut_hard_and_one_line_after_a_blank_is_not_lost():
    assert len(limited("\n" + "x" * 5000, 2000)[0]) == 2000
    assert len(limited("x\n" * 5000, 2000)[0]) > 1900


def test_cutting_at_random():
    chooser = random.Random(7)
    pieces = ["```\n", "````x\n", "~~~\n", "\n", "text\n", "long " * 40 + "\n", "\r\n", "> ```\n"]
    for _round in range(300):
        text = "".join(chooser.choice(pieces) for _piece in range(chooser.randint(50, 400)))
        cut, _warnings = limited(text, 1000)
        if len(text) <= 1000:
            assert cut == text
            continue
        assert len(cut) <= 1000
        fence = ""
        for line in cut.partition("\n\n[The rest")[0].split("\n"):
            fence = _asset_translation._fence_after(line.rstrip("\r"), fence)
        assert not fence, cut


def test_a_limit_that_leaves_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 1000"):
        Options(body_limit=10)


def test_translating_again_says_the_same():
    text = "---\nname: a\ndescription: 'x: y'\ntools: Read\n---\nBody\n"
    assert translate(agents=[source(text)]) == translate(agents=[source(text)])
    document = _frontmatter.read(translate(agents=[source(text)]).agents[0].data.decode("utf-8"))
    assert document.problem is None and document.body == "Body\n"
