# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: one source of MCP servers for every target. Pure.

servers() finds the servers in a file as people keep it (Claude, Copilot, VS Code or a bare map), normalize() brings
one into the common form, without_secrets() takes out what must not be written down, and copilot_entry() or codex_entry() renders it.

The common form is itself a source: {"type": "local", "command", "args", "env", "cwd"} or {"type": "http" or "sse",
"url", "headers"}, both with "tools" and the keys of PASSED. docs/mcp.md has the rules as a table.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from ansible_collections.agentihooks.fleet.plugins.module_utils import _jsonc, _secret_shapes

LOCAL, HTTP, SSE = "local", "http", "sse"
# The spellings of a transport, in lower case and without "-" and "_".
TRANSPORTS = {"local": LOCAL, "stdio": LOCAL, "http": HTTP, "streamablehttp": HTTP, "remote": HTTP, "sse": SSE}
# Keys of other programs for the same thing, the first is ours.
URL_KEYS = ("url", "serverUrl", "httpUrl")
TYPE_KEYS = ("type", "transport", "transportType")
TOOLS_KEYS = ("tools", "includeTools", "enabledTools", "enabled_tools")
EXCLUDE_KEYS = ("excludeTools", "disabledTools", "disabled_tools")
# A missing "tools" means all tools, and is written out so that the file says so (contract/COPILOT.md, section 6).
DEFAULT_TOOLS = ("*",)
# Copilot's own keys that go through as they are, with the type they must have.
PASSED = {
    "timeout": ("a number of milliseconds", lambda value: _is_number(value) and value > 0),
    "deferTools": ("a string", lambda value: isinstance(value, str)),
    "filterMapping": ("a mapping or a string", lambda value: isinstance(value, (dict, str))),
    "auth": ("true or false", lambda value: isinstance(value, bool)),
    "oidc": ("true or false", lambda value: isinstance(value, bool)),
    "oauthClientId": ("a string", lambda value: isinstance(value, str)),
}
# The server of agentihooks itself (reference §11.4).
TOOLBELT = "hooks-utils"
# Without them a 401 would open a browser (reference §11.2).
OFF_UNLESS_STATED = ("auth", "oidc")
# Of a server, consumed here and never written.
RESERVED = "_agentihooks"
ALLOW_SECRETS = "allowSecrets"
# Measured on 1.0.80, 1.0.83 and 1.0.102: at the model a tool is called SERVER-TOOL, where each character of the server's name
# but letters, digits, "_" and "-" is a "-". One of more than 64 characters is not offered, without a word.
MAX_TOOL_NAME = 64
MAX_NAME = MAX_TOOL_NAME - 2
MAX_SERVERS = 500
# Fewer milliseconds than this would end every call: the number was meant as seconds.
LEAST_TIMEOUT = 1000
# The oldest version measured to replace references in headers; for older ones only the reference speaks (§5).
HEADER_REFERENCES_SINCE = (1, 0, 79)

# excludeTools is ignored by 1.0.83 and obeyed by 1.0.102 (measured): before, the excluded tools would be offered.
EXCLUDE_TOOLS_SINCE = (1, 0, 102)

# Kinds of refusals: the source is wrong; the source may be right but this target cannot have it; a secret is in it.
INVALID, UNSUPPORTED, SECRET = "invalid", "unsupported", "secret"

_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f]+")
_ENV_NAME = re.compile(r"[^=\x00-\x20\x7f]+")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_DEFAULTED = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*:-([^{}]*)\}")
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}|\$[A-Za-z_][A-Za-z0-9_]*")
_WHOLE_REFERENCE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}|([A-Za-z_][A-Za-z0-9_]*))")
_BEARER = re.compile(r"Bearer +(\S+)", re.IGNORECASE)
_EDITOR_VARIABLE = re.compile(
    r"\$\{(?:input|config|command|env|workspaceFolder|workspaceRoot|file|userHome|relativeFile|extensionInstallFolder)\w*(?::[^}]*)?\}"
)
_EDITOR_ENV = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Refusal(Exception):
    """A server cannot be had. server: its name. path: the keys inside it that say where. kind: INVALID, UNSUPPORTED or
    SECRET. str() says of what is there (the server, for an empty path) what is wrong and what to do; it never holds a value
    that may be a secret. text() names the server and the keys too."""

    def __init__(self, server, path, message, kind=INVALID):
        super().__init__(message)
        self.server = server
        self.path = tuple(path)
        self.kind = kind

    def text(self):
        """Return all of it as one sentence."""
        where = ", " + ".".join(str(step) for step in self.path) if self.path else ""
        return "the MCP server %s%s: %s" % (shown(self.server), where, self)


class Server:
    """One server in the common form.

    name. definition: see the module. disabled: whether the source says it starts switched off. warnings: what was
    left out or is doubtful, one sentence each. dropped: keys of the source that mean nothing to an agent CLI.
    """

    __slots__ = ("name", "definition", "disabled", "warnings", "dropped")

    def __init__(self, name, definition, disabled=False, warnings=(), dropped=()):
        self.name = name
        self.definition = definition
        self.disabled = disabled
        self.warnings = list(warnings)
        self.dropped = sorted(dropped)


def toolbelt(command):
    """Return the server of agentihooks itself as a source (name to definition), for every target. command: its path on the host."""
    return {TOOLBELT: {"command": command, "args": ["mcp"]}}


def servers(content):
    """Return (path, name to definition) of a source's content: under mcpServers, servers (VS Code), or the whole table.

    path: the keys that lead to the servers. A definition of None says that a server of an earlier source is not wanted.
    Raises ValueError for anything else, with what is allowed.
    """
    if not isinstance(content, dict):
        raise ValueError("must be an object with the key mcpServers, not %s" % _kind(content))
    wrappers = [key for key in ("mcpServers", "servers") if key in content]
    if len(wrappers) > 1:
        raise ValueError("has both mcpServers and servers; keep one")
    path = tuple(wrappers)
    table = content[wrappers[0]] if wrappers else {key: value for key, value in content.items() if not key.startswith("$")}
    if not isinstance(table, dict):
        raise ValueError("%s must be an object of servers, not %s" % (wrappers[0], _kind(table)))
    if len(table) > MAX_SERVERS:
        raise ValueError("has %d servers, more than %d" % (len(table), MAX_SERVERS))
    for name, definition in table.items():
        if not isinstance(definition, dict) and definition is not None:
            raise ValueError("the server %s must be an object, not %s" % (shown(name), _kind(definition)))
    return path, table


def normalize(name, definition):
    """Return the Server of one definition. Normalizing its definition again gives the same. Raises Refusal."""
    _check_name(name)
    server = Server(name, {})
    rest = dict(definition)
    kind = _transport(server, rest)
    result = server.definition
    result["type"] = kind
    if kind == LOCAL:
        _take_command(server, rest)
        _take_texts(server, rest, "env", _ENV_NAME)
        _take_cwd(server, rest)
    else:
        result["url"] = _url(server, rest)
        _take_texts(server, rest, "headers", _HEADER_NAME)
    result["tools"] = _tools(server, _first(server, rest, TOOLS_KEYS, DEFAULT_TOOLS))
    _take_excluded(server, rest)
    for key in PASSED:
        _take_passed(server, rest, key, kind)
    server.disabled = _disabled(server, rest)
    _take_reserved(server, rest)
    server.dropped = sorted(key for key, value in rest.items() if value is not None)
    return server


def without_secrets(server):
    """Return the Server without the env and header values that hold a secret, with a warning for each.

    Raises Refusal (SECRET) when one is in its url, command or args. A server whose reserved block says
    "allowSecrets": true stays as it is.
    """
    if allows_secrets(server.definition):
        return server
    definition = server.definition
    for key in ("command", "url", "cwd"):
        _refuse_secret(server, (key,), definition.get(key, ""))
    args = definition.get("args", [])
    for index, word in enumerate(args):
        _refuse_secret(server, ("args", index), word)
        flag = args[index - 1] if index else ""
        if flag.startswith("-") and "=" not in flag and not word.startswith("-") and _secret_shapes.is_secret_name(flag.lstrip("-")):
            _refuse_secret(server, ("args", index), "%s=%s" % (flag.lstrip("-"), word))
    for key in PASSED:
        for text in _texts_in(definition.get(key)):
            _refuse_secret(server, (key,), text)
    result = Server(server.name, dict(definition), server.disabled, server.warnings, server.dropped)
    for key in ("env", "headers"):
        kept = {}
        for inner, value in definition.get(key, {}).items():
            found = _secret_in(value) or _secret_in("%s: %s" % (inner, value)) or _secret_in("%s=%s" % (inner, value))
            if found:
                result.warnings.append(_secret_text("%s.%s was left out: it" % (key, inner), found))
            else:
                kept[inner] = value
        if key in definition:
            result.definition[key] = kept
    return result


def allows_secrets(definition):
    """Return whether a definition opts in to secrets written into the file."""
    return isinstance(definition.get(RESERVED), dict) and definition[RESERVED].get(ALLOW_SECRETS) is True


def copilot_entry(server, version=None):
    """Return (entry, warnings): the server as it stands in Copilot's mcp-config.json.

    version: of the CLI on the host, "1.0.102"; None or "" when unknown: then as the measured versions do.
    Raises Refusal (UNSUPPORTED) for what Copilot cannot start.
    """
    definition, warnings = server.definition, []
    entry = {"type": definition["type"]}
    if definition["type"] == LOCAL:
        entry.update(command=definition["command"], args=list(definition["args"]))
        entry.update({key: definition[key] for key in ("env", "cwd") if definition.get(key)})
    else:
        entry["url"] = definition["url"]
        headers, left_out = _copilot_headers(definition.get("headers", {}), version)
        warnings += left_out
        if headers:
            entry["headers"] = headers
        for key in OFF_UNLESS_STATED:
            entry[key] = definition.get(key, False)
    entry["tools"] = list(definition["tools"])
    if definition.get("excludeTools") and not _is_since(version, EXCLUDE_TOOLS_SINCE):
        raise Refusal(
            server.name, ("excludeTools",),
            "is not obeyed by Copilot %s, so the excluded tools would be offered; list the wanted ones in tools instead" % (version or "of every version"),
            UNSUPPORTED,
        )  # fmt: skip
    for key in ("excludeTools",) + tuple(PASSED):
        if key in definition and key not in entry:
            entry[key] = definition[key]
    return entry, warnings


def codex_entry(server, home, disabled=False):
    """Return (entry, warnings): the server as it stands under mcp_servers in Codex's config.toml.

    Codex fills in no reference anywhere (contract/CODEX.md, section 1.3), but it passes variables on by name. home: of the person, for
    ${HOME} and ~. disabled: whether it starts switched off. Raises Refusal (UNSUPPORTED) for what Codex cannot start.
    """
    definition, warnings = server.definition, []
    if definition["type"] == SSE:
        raise Refusal(
            server.name, ("type",), "is sse, which Codex does not speak: it would post to it in vain; use the server's streamable HTTP address", UNSUPPORTED
        )
    entry = {}
    if definition["type"] == LOCAL:
        entry["command"] = _codex_text(server, ("command",), definition["command"], home)
        if definition["args"]:
            entry["args"] = [_codex_text(server, ("args", index), word, home) for index, word in enumerate(definition["args"])]
        if "cwd" in definition:
            entry["cwd"] = _codex_text(server, ("cwd",), definition["cwd"], home)
        _add_codex_env(entry, warnings, definition.get("env", {}), home)
    else:
        entry["url"] = _codex_text(server, ("url",), definition["url"], home)
        _add_codex_headers(entry, warnings, definition.get("headers", {}))
    if definition["tools"] != list(DEFAULT_TOOLS):
        entry["enabled_tools"] = list(definition["tools"])
    if definition.get("excludeTools"):
        entry["disabled_tools"] = list(definition["excludeTools"])
    if "timeout" in definition:
        seconds = definition["timeout"] / 1000
        entry["tool_timeout_sec"] = int(seconds) if seconds == int(seconds) else seconds
    if disabled or server.disabled:
        entry["enabled"] = False
    for key in PASSED:
        if key != "timeout" and definition.get(key):
            warnings.append("%s was left out: it means nothing to Codex" % key)
    return entry, warnings


def _codex_text(server, path, text, home):
    """Return a text in which the person's home is written out. Raises Refusal for any other reference."""
    text = text.replace("${HOME}", home)
    if text.startswith("~/"):
        text = home + text[1:]
    found = _REFERENCE.search(text)
    if found:
        raise Refusal(server.name, path, "holds %s, and Codex fills in nothing there" % found.group()[:60], UNSUPPORTED)
    return text


def _add_codex_env(entry, warnings, env, home):
    """Add env, the literal values, and env_vars, the names that come from the environment of Codex."""
    values, names = {}, []
    for name, text in env.items():
        text = text.replace("${HOME}", home)
        variable, default = _referenced(text)
        if variable == name:
            names.append(name)
            if default:
                warnings.append("env.%s: Codex knows no default for a variable that is not set" % name)
        elif _REFERENCE.search(text):
            warnings.append("env.%s was left out: Codex fills in nothing, it only passes on a variable of the same name; write ${%s}" % (name, name))
        else:
            values[name] = text
    if values:
        entry["env"] = values
    if names:
        entry["env_vars"] = names


def _add_codex_headers(entry, warnings, headers):
    """Add http_headers, the literal ones, env_http_headers, those from the environment, and bearer_token_env_var."""
    literal, from_env = {}, {}
    for name, text in headers.items():
        bearer = _BEARER.fullmatch(text) if name.lower() == "authorization" else None
        variable, default = _referenced(bearer.group(1) if bearer else text)
        if default:
            warnings.append("headers.%s: Codex knows no default for a variable that is not set" % name)
        if variable and bearer:
            entry["bearer_token_env_var"] = variable
        elif variable:
            from_env[name] = variable
        elif _REFERENCE.search(text):
            warnings.append("headers.%s was left out: Codex takes a whole header from a variable, or Bearer ${NAME}, and fills in nothing else" % name)
        else:
            literal[name] = text
    if literal:
        entry["http_headers"] = literal
    if from_env:
        entry["env_http_headers"] = from_env


def _referenced(text):
    """Return (name, default) of the variable that a text is nothing but a reference to; (None, None) for any other text."""
    match = _WHOLE_REFERENCE.fullmatch(text)
    return (match.group(1) or match.group(3), match.group(2)) if match else (None, None)


def is_harmless(text):
    """Return whether a value says nothing but where the real one comes from, or is a plain switch or a small number."""
    if text in ("", "true", "false") or (text.isdigit() and len(text) < 6):
        return True
    return "${" in text and ":-" not in text and not _secret_in(text)


def masked(entry, mask):
    """Return an entry for a diff: every env and header value that is no mere reference becomes mask, and so does what is given to
    an option of a secret's name; secrets elsewhere are redacted."""
    result = {}
    for key, value in entry.items():
        if key in ("env", "headers") and isinstance(value, dict):
            result[key] = {inner: text if isinstance(text, str) and is_harmless(text) else mask for inner, text in value.items()}
        else:
            result[key] = _redacted(_jsonc.masked_words(value, _secret_shapes.is_secret_name, mask) if isinstance(value, list) else value)
    return result


def clashes(names):
    """Return [[name, name...]] of servers that the model cannot tell apart: their names come to the same before a tool's name.

    Copilot offers the tools of one of them only, and up to 1.0.80 each tool twice, which a model's service refuses.
    """
    groups = {}
    for name in sorted(names):
        groups.setdefault(re.sub(r"[^A-Za-z0-9_-]", "-", name) if name.isascii() else name, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def told_apart(names):
    """Return what to say of one group of clashes()."""
    return "the MCP servers %s have the same name for the model" % ", ".join(shown(name) for name in names)


def secrets_in(table):
    """Return the set of texts in a table of servers that must not be printed: secrets by their form, and every env and header
    value of a server that opts in to secrets."""
    found = set()
    for definition in table.values():
        if not isinstance(definition, dict):
            continue
        found.update(text for text in _texts_in(definition) if _secret_in(text))
        for key in ("env", "headers"):
            for name, value in definition[key].items() if isinstance(definition.get(key), dict) else ():
                if isinstance(value, str) and not is_harmless(value) and (allows_secrets(definition) or _secret_in("%s=%s" % (name, value))):
                    found.add(value)
    return found


def copilot_barred(entry):
    """Return the keys that make an entry of this transport invalid for Copilot: what a change of transport can leave behind."""
    return ("command", "args", "env", "cwd") if entry.get("type") in (HTTP, SSE) else ("url", "headers")


def codex_barred(entry):
    """Return the keys that an entry of this transport cannot have for Codex. With one of them it does not start at all."""
    if "url" in entry:
        return ("command", "args", "env", "env_vars", "cwd")
    return ("url", "bearer_token_env_var", "http_headers", "env_http_headers")


def shown(name):
    """Return a server's name for a message: quoted and cut, so that a strange one is seen as such."""
    text = repr(str(name))
    return text if len(text) <= 60 else text[:56] + "...'"


# ----------------------------------------------------------------------------------------------------------------------
# Transport


def _transport(server, rest):
    """Return the transport and take its keys out of rest. The table is in docs/mcp.md."""
    stated = _first(server, rest, TYPE_KEYS, None)
    has_command, has_url = rest.get("command") is not None, any(rest.get(key) is not None for key in URL_KEYS)
    if has_command and has_url:
        raise Refusal(server.name, ("command",), "has both a command and a url; a server is started or connected to, so remove one")
    if not has_command and not has_url:
        raise Refusal(server.name, (), "has neither a command (a local server) nor a url (a remote one)")
    if stated is None:
        return _inferred(rest, has_command)
    if not isinstance(stated, str):
        raise Refusal(server.name, ("type",), "must be local, http or sse, not %s" % _kind(stated))
    kind = TRANSPORTS.get(stated.lower().replace("-", "").replace("_", ""))
    if kind is None:
        raise Refusal(server.name, ("type",), "is %s, which is not supported; local (stdio), http and sse are" % shown(stated), UNSUPPORTED)
    if (kind == LOCAL) != has_command:
        raise Refusal(server.name, ("type",), "is %s, but the server has a %s" % (shown(stated), "command" if has_command else "url"))
    return kind


def _inferred(rest, has_command):
    if has_command:
        return LOCAL
    if rest.get("httpUrl") is not None:
        return HTTP
    address = str(next(rest[key] for key in URL_KEYS if rest.get(key) is not None))
    return SSE if re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/").endswith("/sse") else HTTP


def _url(server, rest):
    given = [key for key in URL_KEYS if rest.get(key) is not None]
    values = [rest.pop(key) for key in given]
    for key in URL_KEYS:
        rest.pop(key, None)
    if any(value != values[0] for value in values):
        raise Refusal(server.name, (given[1],), "differs from %s; keep one" % given[0])
    path, address = (given[0],), values[0]
    if not isinstance(address, str):
        raise Refusal(server.name, path, "must be a string, not %s" % _kind(address))
    address = _agent_references(server, path, address.strip())
    if _CONTROL.search(address) or " " in address:
        raise Refusal(server.name, path, "holds a blank or a control character")
    if not address.startswith("$") and not re.match(r"https?://[^/]", address, re.IGNORECASE):
        scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", address)
        if scheme:
            raise Refusal(server.name, path, "is a %s address, which is not supported; http:// and https:// are" % scheme.group(), UNSUPPORTED)
        raise Refusal(server.name, path, "must start with http:// or https://")
    return address


# ----------------------------------------------------------------------------------------------------------------------
# Local servers


def _take_command(server, rest):
    command, args = rest.pop("command"), rest.pop("args", None)
    args = [] if args is None else args
    if isinstance(command, list):
        if not command or not all(isinstance(word, str) for word in command):
            raise Refusal(server.name, ("command",), "as a list must be one program and its arguments, all strings")
        command, lead = command[0], command[1:]
    else:
        lead = []
    if not isinstance(command, str) or not command.strip():
        raise Refusal(server.name, ("command",), "must name a program, not %s" % (_kind(command) if not isinstance(command, str) else "an empty string"))
    if not isinstance(args, list):
        raise Refusal(server.name, ("args",), "must be a list of strings, not %s; write each word as an element" % _kind(args))
    if re.match(r"[^/\\]*\s", command):
        raise Refusal(server.name, ("command",), "must be one program; move the words after it to args")
    words = [_text(server, ("args", index), value) for index, value in enumerate(args)]
    server.definition["command"] = _agent_references(server, ("command",), command)
    server.definition["args"] = [_agent_references(server, ("args", index), word) for index, word in enumerate(lead + words)]


def _take_cwd(server, rest):
    cwd = rest.pop("cwd", None)
    if cwd is None:
        return
    if not isinstance(cwd, str) or _CONTROL.search(cwd):
        raise Refusal(server.name, ("cwd",), "must be a directory")
    # The directory of the session, where Copilot starts a server without one (contract/COPILOT.md, section 6).
    if cwd.strip() in ("", ".", "${workspaceFolder}", "${workspaceRoot}"):
        return
    server.definition["cwd"] = _agent_references(server, ("cwd",), cwd)


def _text(server, path, value):
    """Return a value that must be a string; numbers, true and false are written out, as every shell would."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if _is_number(value):
        return repr(value)
    if not isinstance(value, str):
        raise Refusal(server.name, path, "must be a string, not %s" % _kind(value))
    if "\x00" in value:
        raise Refusal(server.name, path, "holds a NUL character")
    return value


def _take_texts(server, rest, key, name_form):
    """Take a table of strings. A value that is none is left out with a warning: the server may do without it."""
    table = rest.pop(key, None)
    if table is None:
        return
    if not isinstance(table, dict):
        raise Refusal(server.name, (key,), "must be an object of strings, not %s" % _kind(table))
    result = {}
    for name, value in table.items():
        if not name_form.fullmatch(name):
            raise Refusal(server.name, (key, name), "is no name that %s can have" % ("a variable" if key == "env" else "a header"))
        if value is None:
            continue
        try:
            text = _agent_references(server, (key, name), _text(server, (key, name), value))
            if key == "headers" and _CONTROL.search(text):
                raise Refusal(server.name, (key, name), "holds a line break or another control character")
        except Refusal as problem:
            server.warnings.append("%s.%s was left out: it %s" % (key, name, problem))
            continue
        result[name] = text
    server.definition[key] = result


def _agent_references(server, path, text):
    """Return a text with the references of editors as those of agent CLIs: ${env:X} is ${X}. Raises Refusal for the others."""
    text = _EDITOR_ENV.sub(r"${\1}", text).replace("${userHome}", "${HOME}")
    found = _EDITOR_VARIABLE.search(text)
    if found:
        raise Refusal(server.name, path, "holds %s, which only an editor can fill in" % found.group()[:60], UNSUPPORTED)
    return text


# ----------------------------------------------------------------------------------------------------------------------
# Tools and switches


def _tools(server, value):
    """Return the list of exact tool names, or ["*"] for all."""
    if isinstance(value, str):
        value = [value]
    tools = _names(server, "tools", list(value) if isinstance(value, tuple) else value)
    if "*" in tools and len(tools) > 1:
        raise Refusal(server.name, ("tools",), "mixes \"*\" (all tools) with names; write either exact names or [\"*\"]")
    if not tools:
        server.warnings.append("tools is an empty list, so none of its tools can be used; to switch a server off use disabledMcpServers")
    for tool in tools:
        if tool.startswith(server.name + "-"):
            server.warnings.append("tools names %s: the CLI puts the server's name before it by itself, so the tool's own name is wanted" % shown(tool))
        if len(server.name) + 1 + len(tool) > MAX_TOOL_NAME:
            text = "tools names %s: with the server's name that is more than %d characters, and it is not offered"
            server.warnings.append(text % (shown(tool), MAX_TOOL_NAME))
    return tools


def _take_excluded(server, rest):
    """Take the list of excluded tools. From a list of exact names they are taken out at once: every version obeys that."""
    excluded = _first(server, rest, EXCLUDE_KEYS, None)
    if excluded is None:
        return
    excluded = _names(server, "excludeTools", [excluded] if isinstance(excluded, str) else excluded)
    if server.definition["tools"] != list(DEFAULT_TOOLS):
        server.definition["tools"] = [tool for tool in server.definition["tools"] if tool not in excluded and excluded != ["*"]]
    elif excluded:
        server.definition["excludeTools"] = excluded


def _names(server, key, value):
    """Return a list of tool names without repetitions. Raises Refusal for a pattern: it would match nothing, without a word."""
    if not isinstance(value, list) or not all(isinstance(tool, str) and tool for tool in value):
        raise Refusal(server.name, (key,), "must be a list of tool names")
    for index, tool in enumerate(value):
        if tool != "*" and re.search(r"[*?\[\]{}]", tool):
            raise Refusal(server.name, (key, index), "is the pattern %s; only exact tool names match, or [\"*\"] for all tools" % shown(tool))
    return list(dict.fromkeys(value))


def _take_passed(server, rest, key, kind):
    value = rest.pop(key, None)
    if value is None or (kind == LOCAL and key in OFF_UNLESS_STATED):
        return
    wanted, fits = PASSED[key]
    if not fits(value):
        raise Refusal(server.name, (key,), "must be %s, not %s" % (wanted, _kind(value)))
    if key == "timeout" and value < LEAST_TIMEOUT:
        server.warnings.append("timeout was left out: it counts milliseconds, and %s of them would end every call" % value)
        return
    server.definition[key] = value


def _disabled(server, rest):
    disabled, enabled = rest.pop("disabled", None), rest.pop("enabled", None)
    for key, value in (("disabled", disabled), ("enabled", enabled)):
        if value is not None and not isinstance(value, bool):
            raise Refusal(server.name, (key,), "must be true or false, not %s" % _kind(value))
    return disabled is True or enabled is False


def _take_reserved(server, rest):
    block = rest.pop(RESERVED, None)
    if block is None:
        return
    if not isinstance(block, dict) or any(key != ALLOW_SECRETS for key in block) or not isinstance(block.get(ALLOW_SECRETS, False), bool):
        raise Refusal(server.name, (RESERVED,), "may hold \"%s\": true and nothing else" % ALLOW_SECRETS)
    if block.get(ALLOW_SECRETS):
        server.definition[RESERVED] = {ALLOW_SECRETS: True}


def _first(server, rest, keys, default):
    """Take a key with several spellings out of rest and return its value; a null is none. Raises Refusal when two differ."""
    found = [(key, rest.pop(key, None)) for key in keys]
    found = [(key, value) for key, value in found if value is not None]
    if not found:
        return default
    for key, value in found[1:]:
        if value != found[0][1]:
            raise Refusal(server.name, (key,), "differs from %s; keep one" % found[0][0])
    return found[0][1]


# ----------------------------------------------------------------------------------------------------------------------
# Secrets


def _secret_in(text):
    """Return the rule id of a secret in a text, None without one. The default in ${VAR:-default} is text like any other."""
    for _unused in range(10):
        text, count = _DEFAULTED.subn(r"\1", text)
        if not count:
            break
    for candidate in (text, unquote(text)) if "%" in text else (text,):
        hits = _secret_shapes.find(candidate, strict=True)
        if hits:
            return hits[0].rule_id
    return None


def _refuse_secret(server, path, text):
    found = _secret_in(text)
    if found:
        raise Refusal(server.name, path, _secret_text("", found), SECRET)


def _secret_text(lead, rule_id):
    return ("%s holds a secret (%s); deliver it with agentihooks_env and write ${NAME}" % (lead, _secret_shapes.kind(rule_id))).strip()


def _redacted(value):
    if isinstance(value, str):
        return _secret_shapes.redact(value)
    if isinstance(value, list):
        return [_redacted(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _redacted(inner) for key, inner in value.items()}
    return value


def _texts_in(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts_in(inner)]
    return [text for inner in value for text in _texts_in(inner)] if isinstance(value, list) else []


# ----------------------------------------------------------------------------------------------------------------------
# Small things


def _check_name(name):
    if not isinstance(name, str) or not name.strip():
        raise Refusal(name, (), "has an empty name; Copilot leaves such a server out without a word")
    if not _NAME.fullmatch(name) or name != name.strip():
        raise Refusal(name, (), "has a name with control characters or blanks at its ends")
    if len(name) > MAX_NAME:
        raise Refusal(name, (), "has a name of more than %d characters, which leaves no room for the names of its tools" % MAX_NAME)
    if name == "__proto__":
        raise Refusal(name, (), "has a name that Copilot leaves out without a word")


def _copilot_headers(headers, version):
    """Return (headers, warnings) for a version: one known to send references literally gets none."""
    if not version or _is_since(version, HEADER_REFERENCES_SINCE):
        return headers, []
    literal = [name for name, text in headers.items() if _REFERENCE.search(text)]
    kept = {name: text for name, text in headers.items() if name not in literal}
    return kept, ["headers.%s was left out: Copilot %s is not known to replace references in headers" % (name, version) for name in literal]


def _is_since(version, first):
    """Return whether a version is at least the first one; an unknown one is not."""
    return bool(version) and tuple(int(number) for number in re.findall(r"\d+", version)[:3]) >= first


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _kind(value):
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "a value of another kind")
