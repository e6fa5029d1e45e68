# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Production lockdown (a pack that is off unless chosen): images that production runs, release workflows, and the commands that
the team names. What counts as production is policy: tags, registries, workflows, commands.
"""

from __future__ import annotations

from agentihooks import shell
from agentihooks.credential_paths import like
from agentihooks.programs import option_values
from agentihooks.rules import Rule, by_id
from agentihooks.shell_walk import command_texts, steps

PACK = "production_lockdown"
_WAY_OUT = "Leave production to the release workflow and the person who runs it; say what you would have done."


def _example(command):
    production = {"tags": ["latest"], "registries": ["ghcr.io"], "workflows": ["release.yml"], "commands": ["terraform apply"]}
    return {"tool": "bash", "args": {"command": command}, "policy": {"guard_packs": [PACK], "production": production}}


RULES = by_id(
    Rule("production.image", "this uses a production image (%s).", "Name an image by another tag or by its digest. " + _WAY_OUT,
         _example("docker pull ghcr.io/o/app:latest"), _example("docker pull ghcr.io/o/app:pr-12")),
    Rule("production.publish", "this builds, tags or pushes a production image (%s).", "Use a tag of your own. " + _WAY_OUT,
         _example("docker build -t app:latest ."), _example("docker build -t app:dev .")),
    Rule("production.release", "this starts a release (%s).", _WAY_OUT, _example("gh workflow run release.yml"), _example("gh workflow run test.yml")),
    Rule("production.command", "this command is for production (%s).", _WAY_OUT, _example("terraform -chdir=infra apply"), _example("terraform plan")),
)  # fmt: skip

_IMAGE_PROGRAMS = frozenset(
    "docker podman nerdctl buildah skopeo crane regctl oras docker-compose podman-compose kubectl oc helm k kind minikube".split()
)
_PUBLISHING = ("push", "tag", "build", "buildx", "bake", "commit", "copy", "cp")


def check(event, context):
    """Return the Denies for the calls of one event."""
    found = []
    if PACK not in context.policy.get("guard_packs", ()):
        return found
    production = context.policy.get("production", {})
    for call in event.calls:
        denied = next((denied for text in command_texts(call) for denied in _text(text, event.cwd, context, production)), None)
        if denied:
            found.append(denied)
    return found


def _text(text, cwd, context, production):
    for step in steps(text, context.home, cwd):
        for command in (step.whole, step.command):
            rule = _rule([word.text for word in command.words], production)
            if rule:
                yield RULES[rule].deny(" ".join(word.text for word in command.words).replace(shell.UNKNOWN, "..."))


def _rule(words, production):
    """Return the id of the rule that a command breaks, "" for none. words: program and arguments."""
    if not words:
        return ""
    program, plain = words[0].rpartition("/")[2], [word for word in words[1:] if not word.startswith("-")]
    if "--help" in words or "-h" in words:
        return ""
    if any(_fits(pattern, program, words[1:]) for pattern in production.get("commands", ())):
        return "production.command"
    if program in _IMAGE_PROGRAMS:
        images = [image for word in words[1:] for image in (word, word.partition("=")[2]) if _tag(image) in production.get("tags", ())]
        if images and plain[:1] and (plain[0] in _PUBLISHING or plain[:2] in (["image", "push"], ["image", "tag"], ["image", "build"])):
            return "production.publish"
        if any(_registry(image) in production.get("registries", ()) for image in images):
            return "production.image"
    if program in ("gh", "glab"):
        workflows = production.get("workflows", ())
        if plain[:2] == ["workflow", "run"] and any(like(word.rpartition("/")[2], pattern) for word in plain[2:3] for pattern in workflows):
            return "production.release"
        if plain[:2] == ["release", "create"] or (plain[:2] == ["release", "edit"] and "--draft=false" in words):
            return "production.release"
        if plain[:1] == ["api"] and (option_values(words, ("-X", "--method")) or ["POST"])[-1].upper() != "GET":
            for word in plain[1:]:
                parts = word.strip("/").split("/")
                if parts[-1] == "dispatches" and len(parts) > 1 and any(like(parts[-2], pattern) for pattern in workflows):
                    return "production.release"
    return ""


def _tag(image):
    """Return the tag of an image's name, "" for none: what is behind the last colon that is no port."""
    name, colon, tag = image.partition("@")[0].rpartition(":")
    return tag if colon and name and "/" not in tag else ""


def _registry(image):
    """Return the registry in an image's name; a name without one is Docker Hub's."""
    first, slash, _rest = image.replace("docker://", "").partition("/")
    return first if slash and ("." in first or ":" in first) else "docker.io"


def _fits(pattern, program, words):
    """Return whether a command has the words of a pattern in their order; the first one is the program, "*" stands for anything."""
    wanted = pattern.split()
    if not wanted or not like(program, wanted[0]):
        return False
    position = 0
    for one in wanted[1:]:
        while position < len(words) and not like(words[position], one):
            position += 1
        position += 1
    return position <= len(words)
