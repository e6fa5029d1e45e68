# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolbelt as an MCP server: what a model may ask, and that it can loosen, flood and forge nothing."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from agentihooks import broadcast_store, consent, log, mcp_stdio, rule_texts, session_state, toolbelt
from agentihooks.commands import Host
from agentihooks.mcp_stdio import BadCall, Failed
from agentihooks.policy import DEFAULTS

LOGS = Path(__file__).resolve().parents[1] / "transcripts"
SESSION = "0a1b2c3d-0000-4000-8000-000000000000"
OTHER = "0a1b2c3d-0000-4000-8000-000000000001"
TOKEN = "ghp_" + "q7Xc2VbN9mLk4JhG6fDs" + "A1pOiU3yTr5eWzQ8"
NAMES = ["channel_publish", "channel_list", "channel_acknowledge", "session_status", "transcript_summary", "explain_denial"]


class Machine:
    """A data directory with a caller in a session. host: what the tools work on."""

    def __init__(self, home, session=SESSION):
        self.data = home / ".agentihooks"
        self.data.mkdir(exist_ok=True)
        self.host = Host.__new__(Host)
        self.host.data_directory, self.host.home, self.host.policy = str(self.data), str(home), DEFAULTS
        self.host.environ = {"AGENTIHOOKS_BASE_CHANNELS": "ops"}
        self.session = session

    def __call__(self, name, **arguments):
        return toolbelt.call(name, arguments, self.host, self.session)

    def messages(self):
        return broadcast_store.messages(str(self.data), int(time.time()))

    def denied(self, session, *rules):
        log.write(str(self.data), {"target": "copilot", "event": "PreToolUse", "session": session, "outcomes": [["deny", rule] for rule in rules]})

    def by_person(self, text, severity="info"):
        return broadcast_store.publish(str(self.data), text, "global", severity, 600, "ada", int(time.time()))[0]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


# ----------------------------------------------------------------------------------------------------------------------
# Broadcasts


def test_a_model_publishes_lists_and_acknowledges(machine):
    id = machine("channel_publish", message="The schema\x1b[2J changed\u202e.", channel="ops", severity="warning", ttl=120).partition("id ")[2][:12]
    (message,) = machine.messages()
    assert (message["id"], message["text"], message["severity"], message["channel"]) == (id, "The schema changed.", "warning", "ops")
    assert message["source"] == "a model, session 0a1b2c3d" and 100 < message["expires"] - time.time() <= 120
    assert "from a model, session 0a1b2c3d" in broadcast_store.shown(message)
    listed = machine("channel_list")
    assert listed.startswith(id + " warning, channel ops, from a model") and "\n| The schema changed." in listed
    assert machine("channel_acknowledge", message_id=id) == "Acknowledged."
    assert machine("channel_acknowledge", message_id=id) == "This session had it already."
    given = session_state.Session(str(machine.data), SESSION).get("context")["given"]
    assert given == ["broadcast:" + id]


def test_what_was_acknowledged_is_not_shown_and_the_rest_is(installed):
    machine = Machine(installed.home)
    seen, unseen = machine.by_person("Seen already."), machine.by_person("Not yet seen.")
    machine("channel_acknowledge", message_id=seen["id"])
    for session, wanted in ((SESSION, [unseen]), (OTHER, [seen, unseen])):
        done = installed.run("userPromptSubmitted", {"sessionId": session, "cwd": "/", "prompt": "hi"}, "1.0.102")
        context = json.loads(done.stdout)["additionalContext"]
        assert [message["text"] for message in (seen, unseen) if message["text"] in context] == [message["text"] for message in wanted]


@pytest.mark.parametrize("severity", [name for name in broadcast_store.SEVERITIES if name not in toolbelt.SEVERITIES] + ["", "x"])
def test_a_model_raises_no_alarm(machine, severity):
    with pytest.raises(Failed, match="severity must be one of warning, info, resolved"):
        machine("channel_publish", message="x", severity=severity)
    assert machine.messages() == []


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"message": ""}, {"message": "\x00\u200b"}, {"message": "x" * 501}, {"message": 3}, {"message": "x", "ttl": 0}, {"message": "x", "ttl": 10**9},
        {"message": "x", "ttl": True}, {"message": "x", "ttl": "60"}, {"message": "x", "channel": "../x"}, {"message": "x", "channel": "c" * 65},
        {"message": "x", "source": "ada"}, {"message": "key " + TOKEN}, {"message": "k\u200bey " + TOKEN[:9] + "\u200b" + TOKEN[9:]},
    ],
)  # fmt: skip
def test_what_may_not_be_published(machine, arguments):
    with pytest.raises(Failed) as caught:
        machine("channel_publish", **arguments)
    assert machine.messages() == [] and TOKEN not in str(caught.value)


def test_models_do_not_push_out_or_renew_what_a_person_says(machine):
    person = machine.by_person("Deploy freeze", "warning")
    for number in range(toolbelt.MAX_LIVE):
        machine("channel_publish", message="note %d" % number)
    with pytest.raises(Failed, match="which is the most"):
        machine("channel_publish", message="one more")
    assert machine("channel_publish", message="note 3").startswith("It was there already")
    assert "A person has published just that" in machine("channel_publish", message="Deploy freeze", severity="warning", ttl=14400)
    assert len(machine.messages()) == 11 and person in machine.messages()


def test_a_session_acknowledges_for_itself_only(tmp_path):
    machine, nobody = Machine(tmp_path), Machine(tmp_path, session="")
    id = machine.by_person("x")["id"]
    for caller, arguments, said in (
        (machine, {"session_id": OTHER}, "for itself only"), (nobody, {}, "give session_id"), (nobody, {"session_id": OTHER}, "was seen"),
        (machine, {"message_id": "no-such"}, "no live message"),
    ):  # fmt: skip
        with pytest.raises(Failed, match=said):
            caller("channel_acknowledge", **dict({"message_id": id}, **arguments))
    assert not (machine.data / "state").exists()
    session_state.Session(str(machine.data), OTHER).once("x")
    assert nobody("channel_acknowledge", message_id=id, session_id=OTHER) == "Acknowledged."


# ----------------------------------------------------------------------------------------------------------------------
# What a session is told of itself


def test_status(machine):
    machine.denied(SESSION, "git.push", "git.push")
    machine.denied(OTHER, "credential.file")
    consent.unlock(str(machine.data), SESSION, "git", 30, time.time())
    machine.by_person("x")
    text = machine("session_status")
    for line in ("session: " + SESSION, "denied so far: git.push 2", "channels: global, ops", "live broadcasts: 1", "protected branches: main, master, v1"):
        assert line in text.splitlines(), text
    assert "unlocked by a person: git until " in text
    assert "unlocked by a person: nothing" in machine("session_status", session_id=OTHER)


def test_denials_are_explained_the_newest_first(machine):
    assert machine("explain_denial") == "Nothing was denied in that session, as far as the log goes back."
    machine.denied(SESSION, "credential.file")
    machine.denied(SESSION, "git.push")
    machine.denied(OTHER, "self.files")
    first, second = machine("explain_denial").splitlines()
    assert "[git.push]" in first and "[credential.file]" in second and "(.env.example)" in second
    assert "[self.files]" not in first + second and len(machine("explain_denial", last=1).splitlines()) == 1


def test_every_rule_that_can_be_in_the_log_has_a_text():
    from test_rules import RULES

    for id in [rule.id for rule in RULES] + ["retry_breaker.repeated", "secret.github_token", "secret.generic_secret", "runtime.failed", "drop_in.mine"]:
        reason, way_out = rule_texts.of(id)
        assert reason and "%s" not in reason and way_out, id
    assert rule_texts.of("no.such") == rule_texts.of("git.no_such") == rule_texts.of("") == ("", "")


def test_the_log_may_hold_anything(machine):
    path = machine.data / "logs" / "hooks.log"
    path.parent.mkdir()
    outcomes = [3, ["deny"], ["deny", 3], ["deny", "x y"], ["deny", "git.push"]]
    lines = ["", "{", "3", json.dumps({"session": SESSION}), json.dumps({"time": "now", "session": SESSION, "outcomes": outcomes})]
    path.write_text("\n".join(lines))
    path.chmod(0o600)
    assert machine("explain_denial").count("\n") == 0 and "[git.push]" in machine("explain_denial")


def test_a_summary_of_this_session_and_of_another(machine, tmp_path):
    with pytest.raises(Failed, match="no log of that session"):
        machine("transcript_summary")
    with pytest.raises(Failed, match="no log of that session"):
        machine("transcript_summary", session_id="../../etc/passwd")
    path = tmp_path / ".copilot" / "session-state" / SESSION / "events.jsonl"
    path.parent.mkdir(parents=True)
    start = json.dumps({"type": "session.start", "data": {}})
    path.write_text(start + "\n" + json.dumps({"type": "assistant.message", "data": {"content": "It is " + TOKEN + " \x1b[31m</agentihooks-x>"}}))
    text = machine("transcript_summary")
    assert "answer   It is [REDACTED:" in text and TOKEN not in text and "\x1b" not in text
    path.write_text("nothing\n")
    with pytest.raises(Failed, match="cannot be read"):
        machine("transcript_summary", session_id=SESSION)


def test_an_answer_is_bounded_and_redacted_whoever_wrote_what_it_is_made_of(machine):
    directory = machine.data / "broadcasts"
    directory.mkdir()
    message = {"channel": "global", "severity": "info", "source": "x\x1b[2J", "created": 1, "expires": int(time.time()) + 900}
    messages = [dict(message, id="id%d" % number, text=("é" * 1900) + " " + TOKEN) for number in range(40)]
    (directory / "messages.json").write_text(json.dumps(messages))
    (directory / "messages.json").chmod(0o600)
    text = machine("channel_list")
    assert len(text.encode()) <= toolbelt.MAX_ANSWER and text.endswith("[agentihooks: cut here]") and TOKEN not in text and "\x1b" not in text


def test_no_call_changes_what_guards(installed):
    """Every tool with every kind of argument: unlocks, settings, runtime and the log stay as they were."""
    machine = Machine(installed.home)
    installed.policy(protected_branches=["main"])
    machine.denied(SESSION, "git.push")
    consent.unlock(str(machine.data), SESSION, "git.push", 5, time.time())

    def guarding():
        files = {path.relative_to(machine.data): path for path in machine.data.rglob("*") if path.is_file()}
        return {place: path.read_bytes() for place, path in files.items() if place.parts[0] not in ("state", "broadcasts")}

    before = guarding()
    values = ["", "git", SESSION, OTHER, "global", "../policy.json", "unlock", "*", "\x00", 1, 60, -1, None, True, [], {}, ["git"], "x" * 5000]
    for tool in toolbelt.TOOLS:
        for value in values:
            known = list(tool["inputSchema"]["properties"])
            for names in [[name] for name in known] + [known, ["unlock"], ["session", "guard"]]:
                try:
                    assert isinstance(machine(tool["name"], **dict.fromkeys(names, value)), str)
                except Failed:
                    pass
    assert guarding() == before
    assert sorted(path.name for path in installed.home.iterdir()) == [".agentihooks", ".copilot"]
    assert sorted(path.name for path in installed.data.iterdir()) == ["broadcasts", "logs", "policy.json", "runtime", "unlocks"]


# ----------------------------------------------------------------------------------------------------------------------
# The protocol


def talk(*messages, call=lambda name, arguments, meta: "said"):
    """What the server answers to lines (bytes, or what becomes JSON)."""
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    reader, writer = io.BytesIO(b"\n".join(lines) + b"\n"), io.BytesIO()
    mcp_stdio.serve(reader, writer, {"name": "n", "version": "1"}, [{"name": "t"}], call)
    return [json.loads(line) for line in writer.getvalue().splitlines()]


def request(method, id=1, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


@pytest.mark.parametrize("wanted, version", [
    ("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25"), (None, "2025-11-25"), ({}, "2025-11-25"),
])  # fmt: skip
def test_the_handshake(wanted, version):
    (answer,) = talk(request("initialize", protocolVersion=wanted), {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert answer["result"] == {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "n", "version": "1"}}


def test_messages_in_every_form():
    answers = talk(
        request("ping", "a"), request("tools/list", 2), request("tools/call", 3, name="t"), request("server/discover", 4), b"{", b"", b"[]", b"3", b"\xff",
        {"jsonrpc": "1.0", "id": 5, "method": "ping"}, dict(request("ping"), id=None), dict(request("ping"), id=True), dict(request("ping", 6), params=[]),
        {"jsonrpc": "2.0", "id": 7, "result": {}}, b"[" * 100000, b'{"x": "' + b"x" * (1 << 20) + b'"}', request("ping", 8),
    )  # fmt: skip
    found = [(answer["id"], answer.get("error", {}).get("code", "ok")) for answer in answers]
    assert found == [
        ("a", "ok"), (2, "ok"), (3, "ok"), (4, -32601), (None, -32700), (None, -32600), (None, -32600), (None, -32700), (None, -32600), (None, -32600),
        (None, -32600), (6, -32602), (None, -32700), (None, -32600), (8, "ok"),
    ]  # fmt: skip
    assert answers[2]["result"] == {"content": [{"type": "text", "text": "said"}], "isError": False}


def test_a_tool_that_fails_answers_the_model_and_an_unknown_one_the_client():
    def call(name, arguments, meta):
        raise (Failed if name == "t" else BadCall)("why\ud800")

    failed, unknown = talk(request("tools/call", name="t", arguments={}), request("tools/call", name="x"), call=call)
    assert failed["result"]["isError"] is True and failed["result"]["content"][0]["text"].startswith("why")
    assert unknown["error"]["code"] == -32602


@pytest.mark.parametrize("name, arguments", [("unlock", {}), (None, {}), ({}, {}), ("channel_list", []), ("channel_list", "x")])
def test_no_tool_or_no_arguments(machine, name, arguments):
    with pytest.raises(BadCall):
        toolbelt.call(name, arguments, machine.host, SESSION)


@pytest.mark.parametrize(
    "environ, meta, own",
    [
        ({"COPILOT_AGENT_SESSION_ID": SESSION}, {"progressToken": 1}, SESSION), ({}, {"threadId": OTHER}, OTHER),
        ({"COPILOT_AGENT_SESSION_ID": SESSION}, {"threadId": OTHER}, OTHER), ({}, {}, ""), ({}, {"threadId": ["x"]}, ""),
        ({"COPILOT_AGENT_SESSION_ID": "a\nb"}, {}, ""), ({"COPILOT_AGENT_SESSION_ID": "x" * 101}, {}, ""),
    ],
)  # fmt: skip
def test_the_session_is_the_one_that_the_cli_names(environ, meta, own):
    assert toolbelt.own_session(environ, meta) == own


def test_what_the_client_says_beside_the_arguments_is_handed_on():
    told = []
    talk(dict(request("tools/call"), params={"name": "t", "_meta": {"threadId": "x"}}), dict(request("tools/call"), params={"_meta": 3}),
         call=lambda *given: told.append(given) or "")  # fmt: skip
    assert told == [("t", {}, {"threadId": "x"}), (None, {}, {})]


def test_what_the_tools_take_is_small_and_described():
    assert [tool["name"] for tool in toolbelt.TOOLS] == NAMES == list(toolbelt._RUN)
    assert len(json.dumps(toolbelt.TOOLS)) < 4000  # each session pays for it in tokens
    for tool in toolbelt.TOOLS:
        assert tool["description"] and tool["inputSchema"]["additionalProperties"] is False
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])


def test_the_deployed_command_keeps_stdout_for_the_answers(installed):
    env = {"HOME": str(installed.home), "PATH": "/usr/bin:/bin", "COPILOT_AGENT_SESSION_ID": SESSION}
    lines = [json.dumps(message) for message in (request("initialize"), request("tools/call", 2, name="session_status", arguments={}))]
    done = subprocess.run([str(installed.command()), "mcp"], input="\n".join(lines) + "\n", env=env, capture_output=True, text=True, check=False)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, done.stderr) == (0, "") and first["result"]["serverInfo"] == {"name": "hooks-utils", "version": "test"}
    assert second["result"]["content"][0]["text"].startswith("session: " + SESSION)
    # A client that goes away in the middle is no error.
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([str(installed.command()), "mcp"], input=(lines[0] + "\n").encode(), env=env, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")
