# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One source of MCP servers, Copilot's entries: a row per rule of docs/mcp.md."""

from __future__ import annotations

import json

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _mcp, _mcp_plan, _secret_shapes

TOKEN = _secret_shapes.example("ghp_~a36~")
KEY = _secret_shapes.example("sk-proj-~a48~")
PASSWORD = _secret_shapes.example("S3c~a16~")
HTTP = "https://mcp.example/mcp"


def entry(definition, version="1.0.102", name="srv"):
    """(entry, warnings) of a definition, as the module makes them."""
    server = _mcp.without_secrets(_mcp.normalize(name, definition))
    result, warnings = _mcp.copilot_entry(server, version)
    return result, server.warnings + warnings


def refusal(definition, name="srv"):
    """The Refusal of a definition."""
    with pytest.raises(_mcp.Refusal) as raised:
        entry(definition, name=name)
    return raised.value


# ---------------------------------------------------------------------------------------------------------------------
# Where the servers are

SOURCES = [
    ("Claude and Copilot", {"mcpServers": {"a": {}}}, ("mcpServers",), ["a"]),
    ("VS Code", {"servers": {"a": {}}, "inputs": []}, ("servers",), ["a"]),
    ("a bare map", {"a": {}, "b": {}, "$schema": "x"}, (), ["a", "b"]),
    ("an empty object", {}, (), []),
    ("other keys beside the servers", {"mcpServers": {}, "staggeredStartup": {"enabled": True}}, ("mcpServers",), []),
    ("null leaves a server out", {"mcpServers": {"a": None}}, ("mcpServers",), ["a"]),
]


@pytest.mark.parametrize("row", SOURCES, ids=[row[0] for row in SOURCES])
def test_servers(row):
    _what, content, path, names = row
    found, table = _mcp.servers(content)
    assert (found, list(table)) == (path, names)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ([], "a list"), ("x", "a string"), (None, "null"), ({"mcpServers": []}, "a list"), ({"mcpServers": None}, "null"),
        ({"mcpServers": {}, "servers": {}}, "keep one"), ({"a": {}, "b": 3}, "'b' must be an object, not a number"),
        ({"mcpServers": {str(number): {} for number in range(501)}}, "501"),
    ],
)  # fmt: skip
def test_servers_refused(content, word):
    with pytest.raises(ValueError, match=word):
        _mcp.servers(content)


# ---------------------------------------------------------------------------------------------------------------------
# Transport

TRANSPORTS = [
    ("no type, command", {"command": "a"}, "local"),
    ("no type, url", {"url": HTTP}, "http"),
    ("no type, url that ends in /sse", {"url": "https://x/sse"}, "sse"),
    ("no type, url that ends in /sse with a query", {"url": "https://x/sse/?a=1"}, "sse"),
    ("no type, httpUrl", {"httpUrl": "https://x/sse"}, "http"),
    ("no type, serverUrl", {"serverUrl": HTTP}, "http"),
    ("local", {"type": "local", "command": "a"}, "local"),
    ("stdio", {"type": "stdio", "command": "a"}, "local"),
    ("STDIO", {"type": "STDIO", "command": "a"}, "local"),
    ("http", {"type": "http", "url": HTTP}, "http"),
    ("streamable-http", {"type": "streamable-http", "url": HTTP}, "http"),
    ("streamableHttp", {"type": "streamableHttp", "url": HTTP}, "http"),
    ("streamable_http", {"type": "streamable_http", "url": HTTP}, "http"),
    ("remote", {"type": "remote", "url": HTTP}, "http"),
    ("sse", {"type": "sse", "url": HTTP}, "sse"),
    ("transport instead of type", {"transport": "sse", "url": HTTP}, "sse"),
    ("transportType instead of type", {"transportType": "stdio", "command": "a"}, "local"),
    ("null is not there", {"type": None, "command": "a", "url": None}, "local"),
]


@pytest.mark.parametrize("row", TRANSPORTS, ids=[row[0] for row in TRANSPORTS])
def test_transport(row):
    assert entry(row[1])[0]["type"] == row[2]


REFUSED = [
    ("command and url", {"command": "a", "url": HTTP}, "both", _mcp.INVALID, ("command",)),
    ("neither", {"env": {}}, "neither", _mcp.INVALID, ()),
    ("web socket", {"type": "ws", "url": "wss://x"}, "not supported", _mcp.UNSUPPORTED, ("type",)),
    ("web socket address", {"url": "wss://x"}, "wss://", _mcp.UNSUPPORTED, ("url",)),
    ("type is a number", {"type": 3, "command": "a"}, "a number", _mcp.INVALID, ("type",)),
    ("type against command", {"type": "http", "command": "a"}, "has a command", _mcp.INVALID, ("type",)),
    ("type against url", {"type": "stdio", "url": HTTP}, "has a url", _mcp.INVALID, ("type",)),
    ("two types", {"type": "http", "transport": "sse", "url": HTTP}, "keep one", _mcp.INVALID, ("transport",)),
    ("two addresses", {"url": HTTP, "serverUrl": "https://y"}, "keep one", _mcp.INVALID, ("serverUrl",)),
    ("no address", {"url": "mcp.example/mcp"}, "http://", _mcp.INVALID, ("url",)),
    ("address with a blank", {"url": "https://x y"}, "blank", _mcp.INVALID, ("url",)),
    ("address is a list", {"url": ["https://x"]}, "a list", _mcp.INVALID, ("url",)),
    ("empty command", {"command": " "}, "empty", _mcp.INVALID, ("command",)),
    ("command with its arguments", {"command": "npx -y pkg"}, "args", _mcp.INVALID, ("command",)),
    ("command is an object", {"command": {"a": 1}}, "an object", _mcp.INVALID, ("command",)),
    ("command list with a number", {"command": ["npx", 1]}, "all strings", _mcp.INVALID, ("command",)),
    ("args is a string", {"command": "a", "args": "-y pkg"}, "each word", _mcp.INVALID, ("args",)),
    ("an argument is an object", {"command": "a", "args": ["x", {}]}, "an object", _mcp.INVALID, ("args", 1)),
    ("an argument is null", {"command": "a", "args": [None]}, "null", _mcp.INVALID, ("args", 0)),
    ("env is a list", {"command": "a", "env": ["A=1"]}, "object of strings", _mcp.INVALID, ("env",)),
    ("env name", {"command": "a", "env": {"A=B": "1"}}, "variable", _mcp.INVALID, ("env", "A=B")),
    ("header name", {"url": HTTP, "headers": {"X Y": "1"}}, "header", _mcp.INVALID, ("headers", "X Y")),
    ("editor input in args", {"command": "a", "args": ["${input:key}"]}, "editor", _mcp.UNSUPPORTED, ("args", 0)),
    ("editor folder in args", {"command": "a", "args": ["--root=${workspaceFolder}/x"]}, "editor", _mcp.UNSUPPORTED, ("args", 0)),
    ("editor input in url", {"url": "https://x/${input:key}"}, "editor", _mcp.UNSUPPORTED, ("url",)),
    ("a glob of tools", {"command": "a", "tools": ["b", "wit_*"]}, "pattern", _mcp.INVALID, ("tools", 1)),
    ("a question mark", {"command": "a", "tools": ["wit?"]}, "pattern", _mcp.INVALID, ("tools", 0)),
    ("star and a name", {"command": "a", "tools": ["a", "*"]}, "mixes", _mcp.INVALID, ("tools",)),
    ("tools is an object", {"command": "a", "tools": {"a": True}}, "list", _mcp.INVALID, ("tools",)),
    ("tools holds a number", {"command": "a", "tools": ["a", 1]}, "list", _mcp.INVALID, ("tools",)),
    ("excluded glob", {"command": "a", "excludeTools": ["b*"]}, "pattern", _mcp.INVALID, ("excludeTools", 0)),
    ("auth is a word", {"url": HTTP, "auth": "bearer"}, "true or false", _mcp.INVALID, ("auth",)),
    ("deferTools is no string", {"command": "a", "deferTools": True}, "a string", _mcp.INVALID, ("deferTools",)),
    ("timeout is a string", {"command": "a", "timeout": "3"}, "milliseconds", _mcp.INVALID, ("timeout",)),
    ("disabled is a word", {"command": "a", "disabled": "yes"}, "true or false", _mcp.INVALID, ("disabled",)),
    ("reserved block with something else", {"command": "a", "_agentihooks": {"x": 1}}, "allowSecrets", _mcp.INVALID, ("_agentihooks",)),
]


@pytest.mark.parametrize("row", REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(row):
    _what, definition, word, kind, path = row
    error = refusal(definition)
    assert word in str(error) and (error.kind, error.path) == (kind, path)


# ---------------------------------------------------------------------------------------------------------------------
# Names

NAMES = ["plain", "a b", "a/b", "a.b", "A_B", "漢", "-x", 'x"y', "x'y", "x]y", "../x", "com.example/srv", "@scope/x", "a:b", "b" * 62]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_copilot_takes(name):
    assert entry({"command": "a"}, name=name)[0]["command"] == "a"


@pytest.mark.parametrize("name", ["", " ", " a", "a\n", "a\tb", "a\x00", "b" * 63, "__proto__"])
def test_names_refused(name):
    assert refusal({"command": "a"}, name=name).server == name


# ---------------------------------------------------------------------------------------------------------------------
# Tools, switches, other keys

TOOLS = [
    ("missing is all", {}, ["*"], 0),
    ("null is missing", {"tools": None}, ["*"], 0),
    ("star", {"tools": ["*"]}, ["*"], 0),
    ("star as a string", {"tools": "*"}, ["*"], 0),
    ("a name as a string", {"tools": "echo"}, ["echo"], 0),
    ("exact names", {"tools": ["a", "b"]}, ["a", "b"], 0),
    ("a repeated name", {"tools": ["a", "a"]}, ["a"], 0),
    ("none is none, and said", {"tools": []}, [], 1),
    ("the server's name before it", {"tools": ["srv-echo"]}, ["srv-echo"], 1),
    ("another program's key for it", {"includeTools": ["a"]}, ["a"], 0),
    ("a name too long with the server's", {"tools": ["t" * 61]}, ["t" * 61], 1),
    ("excluded from exact names", {"tools": ["a", "b"], "excludeTools": ["b"]}, ["a"], 0),
    ("excluded all", {"tools": ["a", "b"], "disabledTools": "*"}, [], 0),
    ("an approval list is no allowlist", {"alwaysAllow": ["a"]}, ["*"], 0),
]


@pytest.mark.parametrize("row", TOOLS, ids=[row[0] for row in TOOLS])
def test_tools(row):
    _what, extra, tools, warnings = row
    result, said = entry(dict(extra, command="a"))
    assert result["tools"] == tools and len(said) == warnings


def test_oauth_is_off_unless_stated():
    assert {key: entry({"url": HTTP})[0][key] for key in ("auth", "oidc")} == {"auth": False, "oidc": False}
    assert {key: entry({"url": HTTP, "auth": True})[0][key] for key in ("auth", "oidc")} == {"auth": True, "oidc": False}
    assert "auth" not in entry({"command": "a", "auth": True})[0]


def test_a_local_entry_in_full():
    definition = {
        "command": ["npx", "-y"], "args": ["pkg", 8080, True], "env": {"PORT": 8080, "DEBUG": True, "GONE": None, "HOME2": "${HOME}/x"}, "cwd": "/srv",
        "timeout": 30000, "excludeTools": ["rm"], "filterMapping": {"a": "b"}, "deferTools": "auto", "description": "x", "category": "y", "enabled": False,
    }  # fmt: skip
    server = _mcp.normalize("srv", definition)
    assert server.disabled and server.dropped == ["category", "description"]
    assert entry(definition) == ({
        "type": "local", "command": "npx", "args": ["-y", "pkg", "8080", "true"], "env": {"PORT": "8080", "DEBUG": "true", "HOME2": "${HOME}/x"}, "cwd": "/srv",
        "tools": ["*"], "excludeTools": ["rm"], "timeout": 30000, "deferTools": "auto", "filterMapping": {"a": "b"},
    }, [])  # fmt: skip


def test_a_remote_entry_in_full():
    result, warnings = entry({"url": HTTP, "headers": {"Authorization": "Bearer ${TOK}", "X-Env": "prod"}, "oauthClientId": "c"})
    assert warnings == [] and result == {
        "type": "http", "url": HTTP, "headers": {"Authorization": "Bearer ${TOK}", "X-Env": "prod"}, "auth": False, "oidc": False, "tools": ["*"],
        "oauthClientId": "c",
    }  # fmt: skip


def test_seconds_are_no_milliseconds():
    result, warnings = entry({"command": "a", "timeout": 60})
    assert "timeout" not in result and "milliseconds" in warnings[0]


def test_the_session_directory_needs_no_cwd():
    assert "cwd" not in entry({"command": "a", "cwd": "${workspaceFolder}"})[0]


def test_normalizing_twice_changes_nothing():
    for _what, definition, _kind in TRANSPORTS:
        once = _mcp.normalize("srv", definition).definition
        assert _mcp.normalize("srv", once).definition == once


# ---------------------------------------------------------------------------------------------------------------------
# References

HEADERS = [
    ("Bearer ${TOK}", "Bearer ${TOK}"), ("Bearer $TOK", "Bearer $TOK"), ("Bearer ${TOK:-none}", "Bearer ${TOK:-none}"), ("Bearer ${env:TOK}", "Bearer ${TOK}"),
    ("Bearer ${input:tok}", None), ("Bearer${TOK}", "Bearer${TOK}"), ("${TOK}", "${TOK}"), ("Basic ${B64}", "Basic ${B64}"), ("a\nb", None), (3, "3"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "written"), HEADERS)
def test_references_in_headers(value, written):
    result, warnings = entry({"url": HTTP, "headers": {"authorization": value, "X-Env": "prod"}})
    assert result["headers"].get("authorization") == written and result["headers"]["X-Env"] == "prod"
    assert len(warnings) == (written is None)


def test_a_version_that_is_not_known_to_expand_headers_gets_none():
    definition = {"url": "https://x/${PATH_PART}", "headers": {"Authorization": "Bearer ${TOK}", "X-Env": "prod"}}
    result, warnings = entry(definition, "1.0.60")
    assert result["headers"] == {"X-Env": "prod"} and "1.0.60" in warnings[0]
    for version in ("1.0.79-6", "1.0.80", "1.0.102", "1.1.0", None, ""):
        assert entry(definition, version)[0]["headers"] == definition["headers"]


def test_excluded_tools_are_never_offered():
    definition = {"command": "a", "excludeTools": ["rm"]}
    assert entry(definition, "1.0.102")[0]["excludeTools"] == ["rm"]
    for version in ("1.0.80", "1.0.83", None, ""):
        with pytest.raises(_mcp.Refusal, match="list the wanted ones") as raised:
            entry(definition, version)
        assert raised.value.kind == _mcp.UNSUPPORTED


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["a b", "a/b", "c", "a-b"], [["a b", "a-b", "a/b"]]), (["a_b", "a-b", "A-b"], []), (["漢", "字"], []), ([], []),
        (["x.y", "x:y", "p q", "p.q"], [["p q", "p.q"], ["x.y", "x:y"]]),
    ],
)  # fmt: skip
def test_names_the_model_cannot_tell_apart(names, groups):
    assert _mcp.clashes(names) == groups


# ---------------------------------------------------------------------------------------------------------------------
# Secrets

SECRET_SERVERS = [
    ("argument", {"command": "npx", "args": ["--api-key", KEY]}, ("args", 1)),
    ("argument by its flag", {"command": "npx", "args": ["--api-key", PASSWORD]}, ("args", 1)),
    ("argument with =", {"command": "npx", "args": ["--token=" + TOKEN]}, ("args", 0)),
    ("password in the url", {"url": "https://user:%s@x.example/mcp" % TOKEN}, ("url",)),
    ("key in the query", {"url": "https://x.example/mcp?api_key=" + KEY}, ("url",)),
    ("key in the query, escaped", {"url": "https://x.example/mcp?k=" + TOKEN.replace("_", "%5F")}, ("url",)),
    ("inside a shell command", {"command": "sh", "args": ["-c", "export K=%s; run" % TOKEN]}, ("args", 1)),
    ("header argument", {"command": "npx", "args": ["mcp-remote", "https://x", "--header", "Authorization: Bearer " + TOKEN]}, ("args", 3)),
    ("default of a reference", {"url": "https://x/mcp?t=${T:-%s}" % TOKEN}, ("url",)),
    ("default of a default", {"command": "a", "args": ["${A:-${B:-%s}}" % TOKEN]}, ("args", 0)),
    ("command", {"command": "/opt/" + TOKEN}, ("command",)),
    ("filterMapping", {"command": "a", "filterMapping": {"x": ["y", TOKEN]}}, ("filterMapping",)),
]


@pytest.mark.parametrize("row", SECRET_SERVERS, ids=[row[0] for row in SECRET_SERVERS])
def test_a_secret_outside_env_and_headers_drops_the_server(row):
    error = refusal(row[1])
    assert (error.kind, error.path) == (_mcp.SECRET, row[2])
    assert "agentihooks_env" in str(error) and not any(secret in str(error) for secret in (TOKEN, KEY, PASSWORD))


SECRET_VALUES = [
    ("token", {"A": TOKEN}),
    ("by its name", {"AWS_SECRET_ACCESS_KEY": PASSWORD}),
    ("password in a url", {"DATABASE_URL": "postgres://u:%s@db/x" % PASSWORD}),
    ("default of a reference", {"A": "${T:-%s}" % TOKEN}),
    ("a placeholder, strictly", {"NIA_API_KEY": "YOUR_API_KEY"}),
]


@pytest.mark.parametrize("row", SECRET_VALUES, ids=[row[0] for row in SECRET_VALUES])
@pytest.mark.parametrize("where", ["env", "headers"])
def test_a_secret_in_env_or_headers_drops_the_value(row, where):
    lead = {"command": "a"} if where == "env" else {"url": HTTP}
    (name,) = row[1]
    result, warnings = entry(dict(lead, **{where: dict(row[1], OK="prod")}))
    assert result[where] == {"OK": "prod"}
    assert len(warnings) == 1 and name in warnings[0] and row[1][name] not in warnings[0]


@pytest.mark.parametrize("value", ["postgres://u:${PW}@db/x", "${PW}", "$PW", "${PW:-}", "${A}${B}", "prod", "", "https://x.example/a"])
def test_references_are_no_secrets(value):
    result, warnings = entry({"command": "a", "args": ["--url", value], "env": {"DATABASE_PASSWORD_REF": value}})
    assert result["env"] == {"DATABASE_PASSWORD_REF": value} and warnings == []


def test_docker_arguments_with_references_pass():
    args = ["run", "-i", "--rm", "-e", "TFE_TOKEN=${TFE_TOKEN}", "hashicorp/terraform-mcp-server:0.4.0"]
    assert entry({"command": "docker", "args": args})[0]["args"] == args


def test_opting_in_to_secrets():
    definition = {"url": HTTP, "headers": {"Authorization": "Bearer " + TOKEN}, "_agentihooks": {"allowSecrets": True}}
    result, warnings = entry(definition)
    assert result["headers"] == definition["headers"] and warnings == [] and "_agentihooks" not in result
    assert entry(dict(definition, _agentihooks={"allowSecrets": False}))[1] != []


def test_masked():
    shown = json.dumps(_mcp.masked({
        "type": "http", "url": "https://u:%s@x/" % PASSWORD, "headers": {"A": "opaque-value", "B": "Bearer ${B}", "C": "${C:-opaque}"},
        "args": [TOKEN], "env": {"PORT": "8080"}, "tools": ["a"],
    }, "***"))  # fmt: skip
    assert not any(secret in shown for secret in (TOKEN, PASSWORD, "opaque"))
    assert "Bearer ${B}" in shown and "8080" in shown


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ({"type": "http", "url": HTTP, "command": "a", "cwd": "/"}, ["command", "cwd"]), ({"type": "local", "command": "a", "headers": {}}, ["headers"]),
        ({"type": "local", "command": "a", "disabled": True}, []), ("x", []),
    ],
)  # fmt: skip
def test_misfits(found, wrong):
    assert _mcp_plan.COPILOT.misfits(found) == wrong


def test_what_is_given_to_an_option_of_a_secrets_name_is_not_shown():
    entry = {"command": "x", "args": ["--port", "1", "--password", "two", "--api-key=three"]}
    assert _mcp.masked(entry, "*")["args"] == ["--port", "1", "--password", "*", "--api-key=*"]
