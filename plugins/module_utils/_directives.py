# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the directives of the reserved block _agentihooks (reference §11). Pure.

They say what Copilot has no setting for; they are consumed here and never written to its files. A value of a wrong type
is dropped with a warning: one line of a profile never stops a fleet.
"""

from __future__ import annotations

import json
import re

from ansible_collections.agentihooks.fleet.plugins.module_utils import _mcp

BLOCK = "_agentihooks"

ALLOW_ALL = "COPILOT_ALLOW_ALL"
CHANNELS = "AGENTIHOOKS_BASE_CHANNELS"
BROWSER = "COPILOT_DEBUG_BROWSER"
# The variables that only directives set; agentihooks_env may not name them.
VARIABLES = (ALLOW_ALL, CHANNELS, BROWSER)

# The servers that mcpDefaultDisabled leaves on unless mcpAlwaysEnabled says otherwise: the toolbelt, by its old and new name.
TOOLBELT = (_mcp.TOOLBELT, "agentihooks")

# Where the sink keeps the addresses, below Copilot's home. The oldest lines go once there are more than twice as many.
SINK_FILE = "pending-oauth-urls.txt"
SINK_LINES = 100

# Nothing that means something to a shell: the wrapper reads the list from copilot.env without one.
_CHANNEL = re.compile(r"[^\s,'\"\\$`\x00-\x1f\x7f]+")

# Copilot runs it as: sh -c SCRIPT agentihooks-sink ADDRESS. No "%s" in it: Copilot would put the address there.
# mv gives the file mode 0600 also where somebody made it wider.
_SINK_SCRIPT = """umask 077
f="${COPILOT_HOME:-$HOME/.copilot}/FILE"
cat >>"$f" <<END
$1
END
chmod 600 "$f"
if [ "$(wc -l <"$f")" -gt LIMIT ]; then tail -n KEEP "$f" >"$f.$$" && mv "$f.$$" "$f"; fi"""


def checked(block):
    """Return (directives, warnings): the block with what fits, each value in its one form.

    allowAll: true. channels, mcpAlwaysEnabled: lists of strings. browserCommand: as given (a host decides, see
    _browser.resolve). suppressBrowserLaunch, mcpDefaultDisabled: booleans. A null stays: it unsets an earlier layer's.
    """
    if block is None:
        return {}, []
    if not isinstance(block, dict):
        return {}, ["%s was dropped: it must be an object of directives, not %s" % (BLOCK, _kind(block))]
    kept, warnings = {}, []
    for key, value in block.items():
        if key not in _CHECKS:
            warnings.append("%s.%s was dropped: there is no such directive; there are %s" % (BLOCK, key, ", ".join(_CHECKS)))
            continue
        if value is None:
            kept[key] = None
            continue
        result, problem = _CHECKS[key](value)
        if problem is None:
            kept[key] = result
        else:
            warnings.append("%s.%s was dropped: it must be %s, not %s" % (BLOCK, key, problem, _kind(value)))
    return kept, warnings


def environment(directives, browser=None):
    """Return name to value of the variables that the directives set, in a fixed order.

    browser: what browserCommand came to on this host (argv, see _browser.resolve), or None. It wins over the sink.
    """
    variables = {}
    if directives.get("allowAll") is True:
        # Everything but the exact word leaves half of it off (reference §11.7).
        variables[ALLOW_ALL] = "true"
    if directives.get("channels"):
        variables[CHANNELS] = ",".join(directives["channels"])
    if browser:
        variables[BROWSER] = _json(browser)
    elif directives.get("suppressBrowserLaunch") is True:
        variables[BROWSER] = _json(sink())
    return variables


def sink():
    """Return the argv that keeps sign-in addresses in a file (0600, bounded) instead of opening a browser."""
    script = _SINK_SCRIPT.replace("FILE", SINK_FILE).replace("LIMIT", str(2 * SINK_LINES)).replace("KEEP", str(SINK_LINES))
    return ["sh", "-c", script, "agentihooks-sink"]


def notes(directives, browser=None):
    """Return sentences that a person should read once: what a directive also does."""
    found = []
    if directives.get("allowAll") is True:
        found.append(
            "allowAll lets every tool run without a question, and lets a repository's own settings and hooks in, which can silence all other hooks"
        )
    if directives.get("suppressBrowserLaunch") is True and not browser:
        found.append(
            "suppressBrowserLaunch holds for everything: copilot login opens no browser either, but still prints its address and code. "
            "Addresses are kept in %s" % SINK_FILE
        )
    return found


def disabled_servers(directives, configured, enabled=(), off_in_source=()):
    """Return (disabled, floor) for Copilot's setting disabledMcpServers.

    disabled: names wanted in the list. floor: names that must not be in it, whoever put them there.
    configured: all servers of mcp-config.json, ours and the person's, with those this run is about to write, so that
    check mode is right on a first run. enabled: enabledMcpServers, never switched off (what a person switches on is not
    in it but gone from disabledMcpServers, which the ledger remembers, docs/mcp.md). off_in_source: servers whose source says
    disabled, whatever the directives say.
    """
    always = directives.get("mcpAlwaysEnabled")
    exempt = set(TOOLBELT if always is None else always) | set(enabled)
    names = set(configured) if directives.get("mcpDefaultDisabled") is True else set(off_in_source) & set(configured)
    return sorted(names - exempt), sorted(set(always or ()))


def _literal_true(value):
    # false is said for "not from this profile" and needs no warning; "true", 1 and "on" would look like it and not be it.
    return (value, None) if isinstance(value, bool) else (None, "the literal true")


def _switch(value):
    return (value, None) if isinstance(value, bool) else (None, "true or false")


def _list_of(form):
    def check(value):
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        if isinstance(value, (list, tuple)) and all(isinstance(part, str) and form.fullmatch(part.strip()) for part in value):
            return list(dict.fromkeys(part.strip() for part in value)), None
        return None, "a list of names or one string with commas"

    return check


def _browser_command(value):
    if isinstance(value, str) or (isinstance(value, (list, tuple)) and value and all(isinstance(part, str) for part in value)):
        return value if isinstance(value, str) else list(value), None
    return None, "\"auto\", a command line or a list of strings"


_CHECKS = {
    "allowAll": _literal_true,
    "channels": _list_of(_CHANNEL),
    "browserCommand": _browser_command,
    "suppressBrowserLaunch": _switch,
    "mcpDefaultDisabled": _switch,
    "mcpAlwaysEnabled": _list_of(re.compile(r"[^,\x00-\x1f\x7f]+")),
}


def _json(argv):
    return json.dumps(argv, ensure_ascii=True, separators=(",", ":"))


def _kind(value):
    if isinstance(value, (list, tuple)):
        return "a list" if all(isinstance(part, str) for part in value) else "a list that holds other things than strings"
    names = {bool: "true or false", int: "a number", float: "a number", str: "the string %r" % (value,), dict: "an object"}
    return names.get(type(value), type(value).__name__)[:60]
