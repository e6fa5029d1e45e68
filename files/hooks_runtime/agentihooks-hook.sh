#!/bin/sh
# agentihooks: hands every event of the agent CLI to the hook runtime.
# Written by agentihooks.fleet, which puts back any edit. Usage: agentihooks-hook.sh EVENT
runtime=@RUNTIME@
AGENTIHOOKS_TARGET=@TARGET@
AGENTIHOOKS_COPILOT_EVENT=${1-}
export AGENTIHOOKS_TARGET AGENTIHOOKS_COPILOT_EVENT

# Codex has no hook for notices: it runs a program with the notice as the last argument.
if [ "${1-}" = notify ]; then
    printf '%s' "${2-}" | "$0" notification
    exit 0
fi

# "broken" comes from main.py when the package behind it does not load; stdin is still unread then.
if [ "${2-}" = broken ]; then
    why="its code does not load"
elif [ ! -x "$runtime/python" ]; then
    why="its Python interpreter is gone"
elif [ ! -r "$runtime/main.py" ] || [ ! -r "$runtime/agentihooks/supervisor.py" ]; then
    why="its files are missing or unreadable"
else
    exec "$runtime/python" -I -S "$runtime/main.py" "${1-}" "$0"
fi

# From here on nothing of the runtime works: shell builtins only.
reason="agentihooks [runtime.broken]: the guard runtime of this machine does not work ($why), so the call was not judged and is denied."
reason="$reason Repair: run the playbook agentihooks.fleet.site for this host, then start the session again."
IFS= read -r payload || :

case ${1-} in
preToolUse | permissionRequest | preMcpToolCall | PreToolUse | PermissionRequest | PreMcpToolCall) ;;
'')
    # No name on the command line (Codex): the payload has it. A payload that names none is not let through.
    case $payload in
    *'"hook_event_name":"PreToolUse"'* | *'"hook_event_name": "PreToolUse"'*) ;;
    *'"hook_event_name":"PermissionRequest"'* | *'"hook_event_name": "PermissionRequest"'*) ;;
    *'"hook_event_name":'*) exit 0 ;;
    esac
    ;;
*) exit 0 ;;
esac

# The role's own file may turn "deny when broken" into "allow when broken"; the environment may not, and neither may a file
# that anybody else can write.
policy=${runtime%/runtime/current}/policy.json
mode=$(ls -ld "$policy" 2>/dev/null) || mode=
case $mode in
-rw------* | -r-------*) private=1 ;;
*) private= ;;
esac
if [ -n "$private" ] && [ -O "$policy" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        *'"guard_failure": "allow"'*)
            printf '%s\n' "agentihooks: the guard runtime does not work ($why); let through, as this host is set up" >&2
            exit 0
            ;;
        esac
    done <"$policy"
fi

# A reason reaches the model only through JSON with exit 0. Every measured Copilot (1.0.x) obeys that form and names its
# version in the environment. Any other caller gets exit 2, which denies everywhere but shows no reason.
version=${COPILOT_CLI_RESOLVED_DIST_DIR##*/}
case $version in
[0-9]*.*) ;;
*) version=${COPILOT_CLI_BINARY_VERSION-} ;;
esac
case $AGENTIHOOKS_TARGET/$version/$1 in
copilot/1.0.*/preToolUse | copilot/1.0.*/PreToolUse)
    printf '{"permissionDecision":"deny","permissionDecisionReason":"%s"}\n' "$reason" && exit 0
    ;;
copilot/1.0.*/permissionRequest | copilot/1.0.*/PermissionRequest)
    printf '{"behavior":"deny","message":"%s"}\n' "$reason" && exit 0
    ;;
esac
printf '%s\n' "$reason" >&2
exit 2
