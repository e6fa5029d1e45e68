# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Event names, tool names and argument keys of the CLIs, as measured: their one home.

The collection's modules read the same file (plugins/module_utils/_vocabulary.py is a link to it), so it imports nothing.
"""

from __future__ import annotations

# The runtime's own event names (the field's common spelling).
EVENTS = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "UserPromptTransformed", "PreToolUse", "PostToolUse",
    "PostToolUseFailure", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "PermissionRequest", "Notification",
    "ErrorOccurred", "PreMcpToolCall",
)

# First and last Copilot 1.0.x in which what the collection says of it was measured (1.0.79-6, 1.0.80, 1.0.83, 1.0.92, 1.0.102).
COPILOT_MEASURED = (79, 102)
# First and last Codex, likewise (0.142.3, 0.154.0, 0.171.0).
CODEX_MEASURED = ((0, 142, 3), (0, 171, 0))

# The 12 names registered with Copilot, in the order they are written.
COPILOT_REGISTERED = (
    "sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure",
    "agentStop", "subagentStart", "subagentStop", "preCompact", "permissionRequest", "notification",
)

# Seconds; both CLIs let a call through when it passes.
HOOK_TIMEOUT = 30
# The only key Copilot obeys; "timeoutSeconds" is ignored without a word.
COPILOT_TIMEOUT_KEY = "timeoutSec"
COPILOT_TIMEOUT = HOOK_TIMEOUT

# The events registered with Codex, in the order they are written. The name is in the payload; a version ignores those it has not.
CODEX_REGISTERED = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "PreCompact",
    "SubagentStart", "SubagentStop", "Stop",
)
# The only key Codex obeys, a whole number; others are ignored and 600 seconds hold.
CODEX_TIMEOUT_KEY = "timeout"
# Of an event whose limit Codex cuts down, with a warning at every start.
CODEX_TIMEOUTS = {"SessionEnd": 3}
# 0 lifts the limit of 2,500 tokens for text that is added. Only where the session's own long text comes, because the key is
# part of the definition that the person trusts in some versions (0.154.0) and unknown in others (0.142.3): on an event
# that guards, the trust would be lost with an upgrade.
CODEX_CONTEXT_LIMIT_KEY = "additionalContextLimit"
CODEX_WHOLE_CONTEXT = ("SessionStart",)
# The first measured version that knows the key; 0.142.3 does not.
CODEX_CONTEXT_LIMIT_SINCE = (0, 154, 0)
# The keys that hooks.json may have, with the first measured version that allows them. For another one Codex ignores the whole file.
CODEX_HOOKS_KEYS = {"hooks": (0, 0, 0), "description": (0, 154, 0)}

# Any spelling a Copilot version or its registration hands over -> the runtime's name.
COPILOT_EVENTS = {
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
    "userPromptSubmitted": "UserPromptSubmit",
    "userPromptTransformed": "UserPromptTransformed",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "agentStop": "Stop",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "permissionRequest": "PermissionRequest",
    "notification": "Notification",
    "errorOccurred": "ErrorOccurred",
    "preMcpToolCall": "PreMcpToolCall",
}

# Events whose answer decides whether something runs: what goes wrong there denies.
DECIDING = ("PreToolUse", "PermissionRequest", "PreMcpToolCall")

# Events that guards or context look at; for the others nothing is loaded and no process is started.
JUDGED = DECIDING + ("UserPromptSubmit",)
# Codex raises SessionStart before the first prompt and after a compaction, keeps what is added there, and takes long text.
JUDGED_BY = {"copilot": JUDGED, "codex": JUDGED + ("SessionStart",)}

# Events from which something is remembered; they are never answered.
OBSERVED = ("PostToolUse", "PostToolUseFailure")

# Events that are written to the log and nothing else.
LOGGED = ("Notification",)
# What a notice is about: Codex's key, then Copilot's.
NOTICE_KEYS = ("type", "notification_type", "notificationType")

KINDS = ("shell", "read", "write", "edit", "patch", "search", "glob", "mcp", "agent", "web", "other")

# Tool name (any CLI, any dialect) -> kind. str_replace_editor and apply_patch are told apart by their arguments.
TOOL_KINDS = {
    "bash": "shell", "shell": "shell", "Bash": "shell", "powershell": "shell", "exec": "shell", "local_shell": "shell",
    "unified_exec": "shell", "exec_command": "shell", "shell_command": "shell", "write_bash": "shell", "write_stdin": "shell",
    "view": "read", "Read": "read", "NotebookRead": "read", "read_file": "read", "view_image": "read",
    "create": "write", "Write": "write",
    "edit": "edit", "Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit", "str_replace": "edit", "insert": "edit",
    "apply_patch": "patch",
    "grep": "search", "rg": "search", "Grep": "search",
    "glob": "glob", "Glob": "glob",
    "task": "agent", "Task": "agent", "Agent": "agent",
    "web_fetch": "web", "web_search": "web", "WebFetch": "web", "WebSearch": "web",
}

# str_replace_editor is a dispatcher: its real verb is the argument "command".
EDITOR_TOOL = "str_replace_editor"
EDITOR_VERBS = {"create": "write", "view": "read", "str_replace": "edit", "insert": "edit", "undo_edit": "edit"}

# Built-in tools that are neither MCP nor of any other kind: they touch no file and no network.
BUILTIN_OTHER = ("skill", "sql", "update_todo", "report_intent", "ask_user", "list_bash", "read_bash", "stop_bash",
                 "read_agent", "list_agents", "write_agent", "TodoWrite", "update_plan")

# Argument keys by meaning, in the order they are looked up. Keys are never translated by any dialect.
COMMAND_KEYS = ("command", "cmd", "input", "chars", "script")
# The directory that a command runs in, instead of the session's; which tool takes which key is not measured.
DIRECTORY_KEYS = ("workdir", "cwd", "working_directory", "workingDirectory", "working_dir", "workingDir", "directory", "dir")
PATH_KEYS = ("path", "file_path", "filePath", "filename", "file", "notebook_path", "paths", "target_file", "uri")
NEW_TEXT_KEYS = ("file_text", "content", "contents", "new_str", "new_string", "insert_text", "text", "new_source")
OLD_TEXT_KEYS = ("old_str", "old_string")
PATCH_KEYS = ("patch", "input", "command", "text", "diff")


def codex_hooks_keys(version):
    """Return the keys that hooks.json may have for a Codex ("0.171.0"); all of them for a version that is not known."""
    numbers = (version or "").split("-")[0].split(".")
    known = tuple(map(int, numbers)) if all(number.isdigit() for number in numbers) else None
    return [key for key, since in CODEX_HOOKS_KEYS.items() if known is None or known >= since]
