# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripted model over real HTTP: what it answers in each form, what it keeps, and how it refuses a bad script."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
import scripted_model

SMOKE = pathlib.Path(__file__).resolve().parent.parent.parent / "files" / "smoke"

CALLS = {"calls": [{"name": "bash", "arguments": {"command": "ls"}}, {"name": "apply_patch", "input": "*** Begin Patch"}]}


def ask(base_url, path, body):
    """POST a body (dict, or bytes as they are) and return (status, text). Proxies of the environment are not used."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(base_url + path, data, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_steps_are_played_in_order_and_then_the_last_text():
    with scripted_model.ScriptedModel([CALLS, {"text": "hello"}]) as model:
        answers = [json.loads(ask(model.base_url, "/chat/completions", {"n": number})[1]) for number in range(3)]
    first, second, third = [answer["choices"][0] for answer in answers]
    assert first["finish_reason"] == "tool_calls"
    assert first["message"]["tool_calls"][0]["function"] == {"name": "bash", "arguments": '{"command": "ls"}'}
    assert first["message"]["tool_calls"][1]["custom"] == {"name": "apply_patch", "input": "*** Begin Patch"}
    assert second["message"]["content"] == "hello"
    assert third["message"]["content"] == scripted_model.LAST_TEXT


def test_a_streamed_chat_answer_is_one_delta_an_end_and_the_mark():
    with scripted_model.ScriptedModel([{"text": "hello"}]) as model:
        text = ask(model.base_url, "/chat/completions", {"stream": True})[1]
    whole, end, mark = [line[len("data: "):] for line in text.splitlines() if line]
    assert json.loads(whole)["choices"][0]["delta"]["content"] == "hello"
    assert json.loads(end)["choices"][0]["finish_reason"] == "stop"
    assert mark == "[DONE]"


def test_a_call_of_an_mcp_servers_tool_carries_its_namespace():
    step = {"calls": [{"name": "alpha", "namespace": "mcp__srv", "arguments": {}}]}
    (item,) = scripted_model.response_items(scripted_model.check_steps([step])[0], 1)
    assert (item["name"], item["namespace"], item["type"]) == ("alpha", "mcp__srv", "function_call")


def test_a_streamed_response_names_each_item_and_completes():
    with scripted_model.ScriptedModel([CALLS]) as model:
        text = ask(model.base_url, "/responses", {"stream": True})[1]
    events = [json.loads(line[len("data: "):]) for line in text.splitlines() if line.startswith("data: ")]
    assert [event["type"].split(".", 1)[1] for event in events] == ["created"] + ["output_item.added", "output_item.done"] * 2 + ["completed"]
    assert [item["type"] for item in events[-1]["response"]["output"]] == ["function_call", "custom_tool_call"]


def test_every_request_is_kept_and_recorded_without_its_headers(tmp_path):
    record = tmp_path / "requests.jsonl"
    with scripted_model.ScriptedModel([], record=str(record)) as model:
        ask(model.base_url, "/chat/completions", {"messages": ["one"]})
        ask(model.base_url, "/responses", {"input": ["two"]})
    kept = [{"path": "/v1/chat/completions", "body": {"messages": ["one"]}}, {"path": "/v1/responses", "body": {"input": ["two"]}}]
    assert model.requests == kept
    assert [json.loads(line) for line in record.read_text().splitlines()] == kept


def test_what_is_no_request_is_refused_and_takes_no_step():
    with scripted_model.ScriptedModel([{"text": "hello"}]) as model:
        assert ask(model.base_url, "/chat/completions", b"no json")[0] == 400
        assert ask(model.base_url, "/chat/completions", b"[]")[0] == 400
        assert ask(model.base_url, "/embeddings", {})[0] == 404
    assert model.requests == []


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ({"text": "a"}, "want a list"),
        ([{"text": "a"}, {"say": "b"}], "step 2"),
        ([{"text": 1}], "no string"),
        ([{"calls": []}], "empty"),
        ([{"calls": [{"arguments": {}}]}], "name"),
        ([{"calls": [{"name": "bash", "arguments": "ls"}]}], "call bash"),
        ([{"calls": [{"name": "bash", "arguments": {}, "input": ""}]}], "call bash"),
    ],
)
def test_a_malformed_script_is_refused_by_step(steps, says):
    with pytest.raises(scripted_model.StepError, match=says):
        scripted_model.ScriptedModel(steps)


def test_as_a_program_it_prints_where_it_listens_and_ends_when_terminated(tmp_path):
    steps, record = tmp_path / "steps.json", tmp_path / "requests.jsonl"
    steps.write_text(json.dumps([{"text": "hello"}]))
    command = [sys.executable, "-I", str(SMOKE / "scripted_model.py"), "--steps", str(steps), "--record", str(record)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        base_url = json.loads(process.stdout.readline().decode())["base_url"]
        assert "hello" in ask(base_url, "/chat/completions", {})[1]
    finally:
        process.terminate()
        process.stdout.close()
    assert process.wait(timeout=10) == 0
    assert record.read_text().count("\n") == 1


def test_as_a_program_it_says_what_is_wrong_with_the_script(tmp_path):
    steps = tmp_path / "steps.json"
    steps.write_text("[{}]")
    command = [sys.executable, "-I", str(SMOKE / "scripted_model.py"), "--steps", str(steps)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10, check=False)
    assert done.returncode == 2
    assert b"steps.json: step 1: want" in done.stderr
    assert b"Traceback" not in done.stderr
