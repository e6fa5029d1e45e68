# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a running system by hand (a pack that is off unless chosen): kubectl patch, helm upgrade, writing into a pod, a
container or a host. What is deployed comes from the code; apply, delete, scale, rollout and all that only looks pass.
"""

from __future__ import annotations

import re

from agentihooks import shell
from agentihooks.rules import Rule, by_id
from agentihooks.shell_walk import command_texts, steps

PACK = "kubectl_mutation"
_WAY_OUT = "Change the code or the manifest and deploy that, so that the change is reviewed and survives the next deployment."


def _example(command):
    return {"tool": "bash", "args": {"command": command}, "policy": {"guard_packs": [PACK]}}


RULES = by_id(
    Rule("live.kubectl", "this changes a live object by hand (%s).", _WAY_OUT,
         _example("kubectl set image deploy/web web=app:2"), _example("kubectl apply -f web.yaml")),
    Rule("live.release", "this changes a release by hand (%s).", _WAY_OUT,
         _example("helm upgrade web ./chart"), _example("helm upgrade web ./chart --dry-run")),
    Rule("live.remote", "this changes files or programs on a running system (%s).", _WAY_OUT,
         _example("kubectl exec web-1 -- sh -c 'echo x > /etc/app.conf'"), _example("kubectl exec web-1 -- sh -c 'ls > /dev/null'")),
    Rule("live.copy", "this copies files into a running system (%s).", _WAY_OUT,
         _example("kubectl cp app.conf web-1:/etc/app.conf"), _example("kubectl cp web-1:/etc/app.conf app.conf")),
)  # fmt: skip

_KUBECTL = ("kubectl", "k", "oc", "kubecolor", "k3s", "microk8s", "minikube")
_KUBECTL_VERBS = ("edit", "patch", "autoscale")
_SET_KINDS = ("env", "image", "resources", "serviceaccount", "sa", "selector", "subject")
_HELM_VERBS = ("install", "upgrade", "rollback", "uninstall", "delete")
_VALUED = ("-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s", "--server", "--kube-context", "-c", "--container")
_EDITORS = frozenset("vi vim nvim nano emacs ed ex pico".split())
_INSTALLERS = {
    "apt": ("install", "remove", "purge", "upgrade", "dist-upgrade"), "apt-get": ("install", "remove", "purge", "upgrade", "dist-upgrade"),
    "apk": ("add", "del", "upgrade"), "yum": ("install", "remove", "update", "erase"), "dnf": ("install", "remove", "update", "upgrade"),
    "pip": ("install", "uninstall"), "pip3": ("install", "uninstall"), "npm": ("install", "i", "uninstall", "ci"), "gem": ("install",),
    "systemctl": ("start", "stop", "restart", "reload", "enable", "disable", "mask", "unmask", "edit", "set-property", "daemon-reload"),
    "service": ("start", "stop", "restart", "reload"), "snap": ("install", "remove", "refresh"), "dpkg": ("-i", "--install", "-r", "-P"),
    "rpm": ("-i", "-U", "-e", "-ivh", "-Uvh"), "crontab": ("-e", "-r", "-"),
}  # fmt: skip
_FILE_WRITERS = frozenset("rm rmdir mv cp ln chmod chown chgrp mkdir touch truncate dd install tee unlink shred".split())
_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_SCRATCH = ("/tmp/", "/var/tmp/", "/dev/shm/")


def check(event, context):
    """Return the Denies for the calls of one event."""
    found = []
    if PACK not in context.policy.get("guard_packs", ()):
        return found
    for call in event.calls:
        denied = next((denied for text in command_texts(call) for denied in _text(text, event.cwd, context)), None)
        if denied:
            found.append(denied)
    return found


def _text(text, cwd, context):
    for step in steps(text, context.home, cwd):
        rule = _rule(step)
        if rule:
            yield RULES[rule].deny(" ".join([step.program] + step.words).replace(shell.UNKNOWN, "..."))


def _rule(step):
    """Return the id of the rule that a step breaks, "" for none."""
    program, words = step.program, step.words
    plain = _operands(words)
    if program in ("k3s", "microk8s", "minikube") and "kubectl" in plain[:1]:
        plain = plain[1:]
    if any(word.startswith("--dry-run") and word not in ("--dry-run=none",) for word in words) or "--help" in words or "-h" in words:
        return ""
    if program in _KUBECTL:
        if plain[:1] == ["cp"]:
            return "live.copy" if len(plain) > 2 and ":" in plain[-1] else ""
        changing = plain[:1] and (plain[0] in _KUBECTL_VERBS or (plain[0] == "set" and plain[1:2] and plain[1] in _SET_KINDS))
        return "live.kubectl" if changing else ""
    if program == "helm":
        return "live.release" if plain[:1] and plain[0] in _HELM_VERBS else ""
    if program == "argocd":
        return "live.release" if plain[:2] == ["app", "sync"] and any(word.startswith("--local") for word in words) else ""
    if program in ("scp", "rsync"):
        return "live.copy" if len(plain) > 1 and re.match(r"(?:[\w.-]+@)?[\w.-]+:", plain[-1]) else ""
    if program in ("docker", "podman", "nerdctl"):
        return "live.copy" if plain[:1] == ["cp"] and len(plain) > 2 and ":" in plain[-1] else ""
    return "live.remote" if (step.via == "ssh" or step.via.endswith(" exec")) and _changes(step) else ""


def _operands(words):
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and len(word) > 1:
            skip = word in _VALUED
        else:
            found.append(word)
    return found


def _changes(step):
    """Return whether a command that runs elsewhere changes something there."""
    program, words = step.program, step.words
    if any(not _harmless(word.text) for word in step.command.writes):
        return True
    if program in _EDITORS:
        return True
    if program in ("sed", "gsed", "perl"):
        return any(word.startswith(("-i", "-pi", "--in-place")) for word in words)
    if program in _INSTALLERS:
        return any(word in _INSTALLERS[program] for word in words)
    if program in _FILE_WRITERS:
        plain = [word[3:] if word.startswith("of=") else word for word in words if not word.startswith("-") and not word.startswith("if=")]
        return any(not _harmless(path) for path in (plain[-1:] if program in ("cp", "ln", "install") else plain))
    return False


def _harmless(path):
    return path in _SINKS or path.startswith(_SCRATCH) and ".." not in path
