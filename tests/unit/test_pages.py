# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages say is so: their commands can be given, their variables and files are there, their data fits, their outputs are printed.

Every block of every page belongs to one of these tests, or stands in SHOWN_ELSEWHERE with the test that shows it.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml
from agentihooks import commands
from agentihooks.guards import IDS
from ansible.cli.playbook import PlaybookCLI
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from console import fits

from ansible_collections.agentihooks.fleet.plugins.filter import smoke_table
from ansible_collections.agentihooks.fleet.plugins.module_utils import _smoke

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
PLAYBOOKS = {path.stem: path.read_text(encoding="utf-8") for path in (CHECKOUT / "playbooks").glob("*.yml")}
SPECS = [yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"] for path in sorted((CHECKOUT / "roles").glob("*/meta/argument_specs.yml"))]
OPTIONS = {name: option for spec in SPECS for entry in spec.values() for name, option in entry["options"].items()}
# What a playbook reads itself, beside the options of the roles.
KNOWN = set(OPTIONS) | {name for text in PLAYBOOKS.values() for name in re.findall(r"\b(?:agentihooks|bundle_lint)_\w+", text)}
MODULES = {path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py")}

FENCED = re.compile(r"^```([\w{}]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:\A|\n\n)((?:(?: {4}.*)?\n)*? {4}.*\n)(?=\n(?! {4})|\Z)")
PROGRAMS = ("ansible-playbook", "make", "agentihooks")
SPOKEN_OF = (["make", "release"], ["make", "x"])  # examples in docs/guards.md of what a project may have

# Page, how a block there begins -> where that is shown, because it takes a host, a CLI or an editor.
SHOWN_ELSEWHERE = {
    ("README.md", "make site"): "tests/live/test_workstation.py",
    ("README.md", "$ echo '{\"sessionId\""): "test_the_first_denial_of_the_readme",
    ("README.md", "# inventory.yml"): "test_data",
    ("codex.md", "model_verbosity"): "tests/unit/test_profiles.py",
    ("command.md", "$ agentihooks"): "test_the_output_of_the_command",
    ("command.md", "{\"schema\": 1, \"since\""): "test_the_output_of_the_command",
    ("command.md", "Sign-ins that wait"): "tests/unit/test_commands.py",
    ("context.md", "gpt-5.4"): "tests/unit/test_statusline.py",
    ("context.md", "\"statusLine\""): "tests/fleet/test_site.py",
    ("contributing.md", "$ venv="): "the line of make unit itself",
    ("contributing.md", "\"umask\""): "tests/fleet/lab.py",
    ("doctor.md", "host               target"): "tests/fleet/test_doctor.py",
    ("fleet.md", "32 hosts up"): "make fleet-30",
    ("fleet.md", "ansible all"): "make fleet (test_rolling.py)",
    ("fleet.md", "pipx install"): "tests/fleet/test_package.py",
    ("guards.md", "agentihooks [credential.file]"): "tests/unit/test_rules.py",
    ("profiles.md", "profiles/oncall"): "tests/fleet/test_bundle_lint.py",
    ("smoke.md", "TASK [Say"): "test_the_table_and_the_record_of_the_smoke",
    ("smoke.md", "{\"schema\": 1"): "test_the_table_and_the_record_of_the_smoke",
    ("start.md", "$ ~/.agentihooks"): "tests/fleet/test_package.py",
    ("uninstall.md", "removed: "): "tests/fleet/test_uninstall.py",
    ("write-a-guard.md", "$ cd ~"): "tests/fleet/test_package.py",
}  # fmt: skip


def blocks(path):
    """Return [(language, text)] of the fenced and the indented blocks of a page; language "" for an indented one."""
    text = path.read_text(encoding="utf-8")
    found = [(match[1] or "text", match[2]) for match in FENCED.finditer(text)]
    plain = FENCED.sub("", text)
    return found + [("", "\n".join(line[4:] for line in match[1].strip("\n").split("\n")) + "\n") for match in INDENTED.finditer(plain)]


def given(text):
    """Return the commands in a block or a piece of code: those of PROGRAMS, as lists of words without what is optional."""
    found = []
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        line = re.sub(r"\s*\[[^\]]*\]$|(?<=\w) \[[A-Z-][^\]]*\]", "", line.strip())
        line = line[2:] if line.startswith("$ ") else line
        if line.split(" ")[0].rpartition("/")[2] in PROGRAMS and "`" not in line and not line.startswith("agentihooks ["):
            try:
                words = shlex.split(line, comments=True)
            except ValueError:  # an output that begins with the name of a program
                continue
            found.append([words[0].rpartition("/")[2], *words[1:]])
    return found


def commands_of(path):
    """Return every command that a page gives, in its blocks and in its text."""
    text = path.read_text(encoding="utf-8")
    pieces = [content for _language, content in blocks(path)] + re.findall(r"`((?:make|agentihooks|ansible-playbook) [^`]+)`", FENCED.sub("", text))
    return [words for piece in pieces for words in given(piece) if words not in SPOKEN_OF]


COMMANDS = [(path.name, words) for path in PAGES for words in commands_of(path)]


def each(program):
    """Return the parameters of a test: the commands of one program, each once."""
    found = {tuple(words[1:]): page for page, words in COMMANDS if words[0] == program and len(words) > 1}
    return [pytest.param(list(words), id="%s: %s" % (page, " ".join(words))) for words, page in found.items()]


@pytest.mark.parametrize("words", each("ansible-playbook"))
def test_a_playbook_with_its_options(words):
    line = PlaybookCLI(["ansible-playbook", *words])
    line.init_parser()
    options = line.parser.parse_args(words)
    for name in options.args:
        assert name.startswith("agentihooks.fleet.") and name.rpartition(".")[2] in PLAYBOOKS, name
    for text in options.extra_vars:
        names = json.loads(text) if text.startswith("{") else [part.partition("=")[0] for part in shlex.split(text)]
        assert set(names) <= KNOWN, text
    tags = {"agents", "codex_system", "environment", "hooks", "instructions", "mcp", "runtime", "settings", "skills", "trusted_folders"}
    assert {tag for text in [*options.tags, *options.skip_tags] for tag in text.split(",") if tag != "all"} <= tags


@pytest.mark.parametrize("words", each("make"))
def test_a_target_of_the_makefile(words):
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    everything = makefile + "".join(path.read_text(encoding="utf-8") for path in (CHECKOUT / "scripts").glob("*.sh"))
    for word in words:
        name, equals, _value = word.partition("=")
        assert re.search(r"\b%s\b" % name, everything) if equals else re.search(r"^%s:" % word, makefile, re.MULTILINE), word


@pytest.mark.parametrize("words", each("agentihooks"))
def test_a_call_of_the_command(words):
    line, names = commands.parser()
    if len(words) == 1:  # named, not called
        assert words[0] in names
        return
    if "N" in words:
        words[words.index("N")] = "1"
    assert line.parse_args(words).name in names


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_variable_and_file_is_there(path):
    text = path.read_text(encoding="utf-8")
    typed_wrong = {"agentihooks_profile", "agentihooks_protect_databases"}  # profiles.md: a name that is close; contributing.md: one to add
    unknown = {name for name in re.findall(r"\bagentihooks_[a-z_]+[a-z]\b", text) if name not in KNOWN | MODULES | typed_wrong}
    assert unknown == set()
    prose = re.sub(r"^```diff\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for name in re.findall(r"`((?:docs|examples|files|molecule|playbooks|plugins|profiles|requirements|roles|scripts|tests)/[\w./*-]+)", prose):
        if not name.startswith(("profiles/oncall", "profiles/engineer")):  # of a bundle
            assert list(CHECKOUT.glob(name.rstrip("/"))), name
    for name in re.findall(r"\]\((?!https?:|#)([^)#]+)", prose):
        assert (path.parent / name).exists(), name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_data(path):
    """YAML parses, and what it says of the roles' variables is what their argument specifications allow; JSON parses."""
    for language, text in blocks(path):
        if language == "json":
            json.loads(text)
        if language != "yaml" and not re.match(r"(# \S+\.yml\n)?(agentihooks_\w+|all):", text):
            continue
        data = yaml.safe_load("\n".join(line for line in text.split("\n") if not line.startswith("ansible-playbook ")))
        for variables in _variables(data):
            named = {name: value for name, value in variables.items() if name.startswith("agentihooks_") and name in KNOWN}
            assert set(named) == {name for name in variables if name.startswith("agentihooks_")} - {"agentihooks_protect_databases"}
            checked = ArgumentSpecValidator({name: OPTIONS[name] for name in named if name in OPTIONS}).validate(
                {name: value for name, value in named.items() if name in OPTIONS}
            )
            assert checked.error_messages == [], text


def _variables(data):
    """Yield the mappings of an inventory or of a file of variables that hold variables."""
    if not isinstance(data, dict):
        return
    if any(str(name).startswith("agentihooks_") for name in data):
        yield data
    for value in data.values():
        yield from _variables(value)


def test_every_block_is_checked_here_or_named_with_the_test_that_shows_it():
    left = []
    for path in PAGES:
        for language, text in blocks(path):
            place = next((key for key in SHOWN_ELSEWHERE if key[0] == path.name and text.lstrip().startswith(key[1])), None)
            if not place and not (language in ("yaml", "json", "diff", "{toctree}") or re.match(r"agentihooks_\w+:", text) or given(text)):
                left.append((path.name, text[:60]))
    assert left == []
    named = {place.partition("::")[0] for place in SHOWN_ELSEWHERE.values() if place.startswith("tests/")}
    assert all((CHECKOUT / name).exists() for name in named) and {place for place in SHOWN_ELSEWHERE.values() if place.startswith("test_")} <= set(globals())


@pytest.mark.parametrize("number, diff", list(enumerate(text for language, text in blocks(CHECKOUT / "docs" / "contributing.md") if language == "diff")))
def test_an_example_of_a_change_applies(number, diff):
    done = subprocess.run(["git", "apply", "--check", "-"], input=diff, text=True, capture_output=True, cwd=CHECKOUT, check=False)
    assert done.returncode == 0, "%d: %s" % (number, done.stderr)


@pytest.mark.exhaustive
def test_the_example_of_a_guard_is_green(tmp_path):
    tree = tmp_path / "tree"
    shutil.copytree(CHECKOUT, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv", "dist", "__pycache__"))
    diff = next(text for language, text in blocks(CHECKOUT / "docs" / "contributing.md") if language == "diff")
    subprocess.run(["git", "apply", "-"], input=diff, text=True, cwd=tree, check=True)
    words = ["tests/unit/test_rules.py", "tests/unit/test_guards.py", "-k", "database or list_of_guards or own_cases"]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_what_a_page_names_in_the_runtime_is_there(path):
    for module, name in re.findall(r"`(\w+)\.([A-Za-z_]\w*)`", path.read_text(encoding="utf-8")):
        is_rule = module in IDS
        if not is_rule and name != "py" and (CHECKOUT / "files/hooks_runtime/agentihooks" / (module + ".py")).exists():
            assert hasattr(importlib.import_module("agentihooks." + module), name), (module, name)


# --- outputs ---

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def printed(page, first):
    """Return the text of the block of a page that begins so."""
    return next(text for _language, text in blocks(CHECKOUT / page) if text.startswith(first))


def steps(text):
    """Return [(words, expected output)] of a block with lines that begin with "$ "."""
    parts = re.split(r"^\$ (.*)$", text, flags=re.MULTILINE)[1:]
    return [(shlex.split(command)[1:], output.strip("\n")) for command, output in zip(parts[::2], parts[1::2])]


def shell(command):
    return {"sessionId": "s-1", "cwd": "/", "toolName": "bash", "toolArgs": {"command": command}}


def test_the_output_of_the_command(installed):
    for command in ["git push origin main"] * 3 + ["cat ~/.ssh/id_rsa"]:
        assert installed.run("preToolUse", shell(command), "1.0.102").stdout
    command = installed.command()

    def said(*words):
        done = subprocess.run([str(command), *words], capture_output=True, text=True, cwd=installed.home, env={"HOME": str(installed.home)}, check=False)
        assert "Traceback" not in done.stderr
        return done.stdout

    shown = [text for _language, text in blocks(CHECKOUT / "docs/command.md") if text.startswith("$ agentihooks")]
    explained, denied, checked = map(steps, shown)
    for words, expected in explained:
        assert fits(said(*words), expected), (words, said(*words))
    # In the order in which they happened, which the second does not tell.
    words, expected = denied[0]
    assert fits(TIME.sub("T", said(*words)), TIME.sub("T", expected)), said(*words)
    keys = re.findall(r'"([\w.]+)":', printed("docs/command.md", '{"schema": 1'))
    assert set(keys) <= set(re.findall(r'"([\w.]+)":', said("denials", "--json"))) and len(keys) > 8
    words, expected = checked[0]
    first, real = ([re.split(r"  +", line)[0] for line in text.split("\n") if re.search(r"  (?:ok|info|warning|critical)  ", text) and "  " in line]
                   for text in (expected, said(*words)))  # fmt: skip
    assert first == real


def test_the_first_denial_of_the_readme(installed):
    text = printed("README.md", "$ echo")
    payload, version, expected = re.match(r"\$ echo '(.*?)' \|\s+COPILOT_CLI_BINARY_VERSION=(\S+) \S+ preToolUse\n(.*)", text, re.DOTALL).groups()
    answer = installed.run("preToolUse", json.loads(payload), version).stdout.decode()
    assert " ".join(expected.split()) == answer.replace(str(installed.home), "/home/ada").strip()


def test_the_table_and_the_record_of_the_smoke():
    text = printed("docs/smoke.md", "TASK")
    lines = json.loads(text[text.index("{"):])["msg"]
    clis = {}
    for line in lines[1:]:
        _host, target, version, runtime, result = re.split(r"  +", line)
        checks = [{"check": "c", "passed": True, "what": ""}] * int(re.search(r"\d+", result).group())
        clis[target] = {"version": version, "passed": True, "newer": False, "checks": checks, "path": "/p"}
    assert smoke_table.smoke_table(["localhost"], {"localhost": {"smoke_result": {"clis": clis, "runtime": runtime}}}) == lines
    shown = json.loads(printed("docs/smoke.md", '{"schema": 1'))
    real = json.loads(_smoke.report(shown["finished"], shown["runtime"], shown["clis"]))
    assert real == shown
