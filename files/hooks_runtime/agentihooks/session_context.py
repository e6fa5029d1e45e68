# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is added to a session: each item once, with the first event that can carry it.

With the first prompt: the role's text, the project's rules and memory, a word about many MCP tools. With the next prompt: rules
that were refreshed. With a prompt or before a call: standing lines and broadcasts, so that one made in mid-session arrives
too. Before a call: what its tool failed at earlier, a word about packages that it installs. Nothing where the CLI takes no text.

Not at Copilot's sessionStart: it comes after the prompt's event up to 1.0.92 and before it at 1.0.102, some versions skip it,
and text added there is gone when a session is resumed (measured at 1.0.102). Text added to a prompt is stored with it.
At Codex's SessionStart: it comes before the first prompt, text added there is stored and may be long, and it comes again after
a compaction, which drops what was added.
"""

from __future__ import annotations

import os
import time
from functools import partial

from agentihooks import relevance
from agentihooks.event import Inject

STARTS = ("UserPromptSubmit", "SessionStart")
EVENTS = STARTS + ("PreToolUse",)
MAX_BROADCASTS = 8  # with one event; the rest comes with the next
_SECTION = "context"
_MAX_GIVEN = 500  # items that are remembered, the newest


def outcomes(event, home, policy, data_directory, environ):
    """Return an Inject for each item that is due and that this session has not had."""
    at_prompt = event.name in STARTS
    offers = _offers(event, at_prompt, home, policy, data_directory, environ)
    if not offers:
        return []
    from agentihooks import capabilities
    from agentihooks.session_state import Session

    if not capabilities.row(event.target, event.name)[capabilities.CONTEXT]:
        return []  # an item that is not shown would count as given

    session = Session(data_directory, event.session_id)
    try:
        if event.name == "SessionStart" and event.raw.get("source") == "compact":
            session.update(_SECTION, lambda section: {"given": []} if section else None)
        given = session.get(_SECTION).get("given")
        due = _due(offers, given if isinstance(given, list) else [])
        due = _taken(session, due) if due else {}
    except OSError:
        # Nothing can be remembered here. With a prompt rather twice than never; before each call it would not end.
        due = _due(offers, []) if at_prompt else {}
    return [Inject(text) for text in due.values()]


def mark_given(session, item):
    """Remember that a session has an item ("broadcast:ID") already. Returns whether that was new. Raises OSError."""
    return bool(_taken(session, {item: ""}))


def _offers(event, at_prompt, home, policy, data_directory, environ):
    """Return {item: text, or a function that makes it} of what this event may carry."""
    offers = {}
    if at_prompt and policy["session_context"]:
        offers["session_context"] = policy["session_context"]
    if at_prompt and policy["project_bridge"]:
        offers.update(_of_project(event, home, policy, environ))
    if at_prompt:
        offers.update(_of_machine(event, home, policy, data_directory, environ))
    if policy["enforcements"]:
        from agentihooks import enforcements

        offers.update(enforcements.of_role(policy))
    if not at_prompt and policy["tool_memory"] and os.path.isdir(os.path.join(data_directory, "tool_memory")):
        offers.update(_of_tools(event, data_directory))
    if not at_prompt and policy["dependency_banner"] and relevance.installs(event.calls):
        from agentihooks import dependencies

        offers.update(dependencies.offers(event, home))
    if policy["broadcasts"] and os.path.isdir(os.path.join(data_directory, "broadcasts")):
        from agentihooks import broadcast_store, channels

        names = channels.heard(data_directory, environ)
        for message in broadcast_store.messages(data_directory, int(time.time())):
            if broadcast_store.heard(message, names):
                offers["broadcast:" + message["id"]] = partial(broadcast_store.shown, message)
    return offers


def _of_project(event, home, policy, environ):
    from agentihooks import enforcements, project_bridge, repository

    root = repository.root(event.cwd, home)
    if not root or not repository.is_trusted(event.target, event.cwd, root, home, environ):
        return {}
    loads_rules = project_bridge.loads_rules(event.target, environ)
    bridge = partial(project_bridge.text, event.cwd, root, home, loads_rules, policy["project_bridge_max_bytes"])
    return dict({"project_bridge": bridge}, **enforcements.of_repository(root))


def _of_machine(event, home, policy, data_directory, environ):
    offers = {}
    if policy["mcp_tool_warn_threshold"]:
        from agentihooks import mcp_surface

        offers["mcp_surface"] = partial(mcp_surface.text, event.target, home, environ, policy["mcp_tool_warn_threshold"])
    if os.path.isdir(os.path.join(data_directory, "refresh")):
        from agentihooks import rules_refresh

        refresh = rules_refresh.due(data_directory, event.session_id, int(time.time()))
        if refresh:
            offers["rules_refresh:" + refresh] = partial(rules_refresh.text, event, home, policy, environ)
    return offers


def _of_tools(event, data_directory):
    from agentihooks import tool_memory

    offers = {}
    for call in event.calls:
        if tool_memory.is_there(call, data_directory):
            text = tool_memory.shown(call, event.cwd, event.session_id, data_directory, int(time.time()))
            if text:
                offers["tool_memory:" + call.name] = text
    return offers


def _due(offers, given):
    """Return {item: text} of the offers that are not among the given ones and have a text."""
    due, broadcasts = {}, 0
    for item, text in offers.items():
        if item in given:
            continue
        if item.startswith("broadcast:"):
            broadcasts += 1
            if broadcasts > MAX_BROADCASTS:
                continue
        text = text() if callable(text) else text
        if text:
            due[item] = text
    return due


def _taken(session, due):
    """Return what of {item: text} no other event took in the meantime, and remember it. Raises OSError when that fails."""
    mine = []

    def add(section):
        given = section.get("given")
        given = [item for item in given if isinstance(item, str)] if isinstance(given, list) else []
        mine[:] = [item for item in due if item not in given]
        return {"given": (given + mine)[-_MAX_GIVEN:]} if mine else None

    kept = session.update(_SECTION, add)
    if mine and mine[-1] not in kept.get("given", ()):
        raise OSError("the state of this session is full")
    return {item: due[item] for item in mine}
