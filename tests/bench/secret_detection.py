# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secret detection side by side with detect-secrets, on one labelled set made here: `python tests/bench/secret_detection.py`.

Every token kind that either of the two knows is put into every way in which a session writes. Ours is the guard itself, which
judges the call; detect-secrets, which knows no calls, gets the same text as a file, with all its plugins and its own filters.
Innocents are the real agents and commands beside the checkout, when they are there. Prints the table of docs/guards.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
CORPUS = CHECKOUT.parent / "shared" / "corpus"
sys.path.insert(0, str(CHECKOUT / "files" / "hooks_runtime"))

from agentihooks import secret_shapes  # noqa: E402
from agentihooks.event import Call, Context, Deny, Event  # noqa: E402
from agentihooks.guards import secrets  # noqa: E402

OURS, PEER = "agentihooks", "detect-secrets"
SAMPLES = 3  # of each form

# What detect-secrets 1.5.0 documents, one or more forms a plugin, written for secret_shapes.example. Left out: public IP addresses and
# strings that are merely random (its entropy plugins); neither is a kind of token.
PEER_KINDS = {
    "Artifactory Credentials": ('key = "AKC~a20~"', 'password = "AP5~a16~"', "artifactory: AKCp8~a68~"),
    "AWS Access Key": ("id = AKIA~A16~", "id = 'A3TX~A16~'", "ABIA~A16~", "ACCA~A16~", "ASIA~A16~", "aws_secret_access_key = '~a40~'",
                       'aws_token = "~a40~"'),
    "Azure Storage Account access key": ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey=~a86~==",),
    "Basic Auth Credentials": ("https://deploy:~a16~@registry.example.com/x", "amqp://app:~a20~@mq:5672"),
    "Cloudant Credentials": ("cloudant_password = '~h64~'", 'cloudant_api_key = "~k24~"',
                             "https://acct:~h64~@acct.cloudant.com", "https://acct:~k24~@acct.cloudant.com"),
    "Discord Bot Token": ("token = 'M~a23~.~a6~.~a27~'", "x = 'O~a25~.~a6~.~a27~'"),
    "GitHub Token": tuple("t = %s_~a36~" % prefix for prefix in ("ghp", "gho", "ghu", "ghs", "ghr")),
    "GitLab Token": ("glpat-~a20~", "gldt-~a20~", "glft-~a20~", "glsoat-~a20~", "glrt-~a20~", "GR1348941~a20~", "glcbt-~h2~_~a20~", "glimt-~a25~",
                     "glptt-~h40~", "glagent-~a50~", "gloas-~h64~"),
    "IBM Cloud IAM Key": ('ibm_cloud_iam_api_key = "~a44~"', "ibm-api-key: ~a44~", "cloud_iam_key = '~a44~'"),
    "IBM COS HMAC Credentials": ("cos_hmac_secret_access_key = '~h48~'", '"secret_access_key": "~h48~"', "ibm_cos_hmac_secret_key: ~h48~"),
    "JSON Web Token": ("JWT",),
    "Secret Keyword": ('password = "~a16~"', "api_key: ~a24~", 'db_pass = "~a14~"', "client_key = '~l24~'", "service_key = '~a24~'", 'auth_key = "~a24~"',
                       "account_key = '~a30~'", 'database_key = "~a20~"', "priv_key = '~a32~'", "secret := '~a20~'", 'key_pass = "~a16~"', 'pwd = "~a16~"'),
    "Mailchimp Access Key": ("~h32~-us12", "key = '~h32~-us3'"),
    "NPM tokens": ("//registry.npmjs.org/:_authToken=npm_~a36~", "//registry.npmjs.org/:_authToken=~h8~-~h4~-~h4~-~h4~-~h12~"),
    "OpenAI Token": ("sk-~a20~T3BlbkFJ~a20~", "sk-proj-~a40~T3BlbkFJ~a20~"),
    "Private Key": tuple("~mBEGIN %sPRIVATE KEY%s~m\n~a64~\n~a64~\n~mEND %sPRIVATE KEY%s~m" % (name, block, name, block) for name, block in (
        ("DSA ", ""), ("EC ", ""), ("OPENSSH ", ""), ("PGP ", " BLOCK"), ("", ""), ("RSA ", ""), ("SSH2 ENCRYPTED ", "")))
    + ("PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 1\n~a64~\nPrivate-Lines: 1\n~a64~\nPrivate-MAC: ~h40~",),
    "PyPI Token": ("pypi-AgEIcHlwaS5vcmc~a90~", "pypi-AgENdGVzdC5weXBpLm9yZw~a90~"),
    "SendGrid API Key": ("SG.~a22~.~a43~",),
    "Slack Token": ("xoxb-~d12~-~d12~-~a24~", "xoxp-~d12~-~d12~-~d12~-~h32~", "xoxa-~d2~-~d12~-~a24~", "xoxs-~d10~-~a24~", "xoxo-~d10~-~a24~",
                    "xoxr-~d10~-~a24~", "https://hooks.slack.com/services/T~A8~/B~A8~/~a24~"),
    "SoftLayer Credentials": ("softlayer_api_key = '~l64~'", 'sl_token = "~l64~"', "https://api.softlayer.com/soap/v3/~l64~"),
    "Square OAuth Secret": ("sq0csp-~a43~",),
    "Stripe Access Key": ("sk_live_~a24~", "rk_live_~a24~"),
    "Telegram Bot Token": ("~d9~:AA~a33~", "bot = '~d10~:~a35~'"),
    "Twilio API Key": ("AC~h32~", "SK~h32~"),
}


def peer_text(template, number):
    """Return the text of one form of PEER_KINDS. ~kN~ is small letters; "JWT" a token whose parts decode, as the plugin wants it."""
    if template == "JWT":
        import base64

        def part(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        signature = secret_shapes.example("~a43~", number)
        return "jwt = '%s.%s.%s'" % (part({"alg": "HS256", "typ": "JWT"}), part({"sub": "u%d" % number, "name": "Jo Doe"}), signature)
    pieces = template.split("~k")
    text = pieces[0]
    for piece in pieces[1:]:
        count, _tilde, rest = piece.partition("~")
        letters = "".join(sign for sign in secret_shapes.example("~l600~", number + len(text)) if sign.isalpha())
        text += letters[: int(count)] + rest
    return secret_shapes.example(text, number)


class Sample:
    """One text with one secret. kind: "OURS rule id" or "PEER name". high: whether it counts in any text, also in a prompt."""

    __slots__ = ("known_to", "kind", "text", "high")

    def __init__(self, known_to, kind, text, high=True):
        self.known_to = known_to
        self.kind = kind
        self.text = text
        self.high = high


def samples(number_of=SAMPLES):
    """Return the labelled set."""
    found = []
    for number in range(number_of):
        for rule in secret_shapes.rules():
            found += [Sample(OURS, rule.id, secret_shapes.example(template, number), rule.high) for template in rule.positive]
        for kind, templates in PEER_KINDS.items():
            for template in templates:
                found.append(Sample(PEER, kind, peer_text(template, number), kind not in ASSIGNED))
    return found


# Kinds that are an assignment to a name and nothing more: those count where text lands in a file, not in a prompt that talks about one.
ASSIGNED = ("Secret Keyword", "IBM Cloud IAM Key", "IBM COS HMAC Credentials", "SoftLayer Credentials", "Cloudant Credentials", "AWS Access Key", "NPM tokens",
            "Artifactory Credentials")


def lines(text):
    return text if text.endswith("\n") else text + "\n"


# Way of writing -> function text -> (the call, or the prompt; the text that detect-secrets gets).
def write_tool(text):
    return Call("create", "write", {"path": "conf/app.txt", "file_text": lines(text)}), text


def edit(text):
    return Call("edit", "edit", {"path": "conf/app.txt", "old_str": "x", "new_str": text}), text


def patch(text):
    body = "*** Begin Patch\n*** Update File: conf/app.txt\n@@\n-x\n%s*** End Patch" % "".join("+%s\n" % line for line in text.split("\n"))
    return Call("apply_patch", "patch", {"text": body}), body


def heredoc(text):
    command = "cat > conf/app.txt <<'END'\n%sEND" % lines(text)
    return Call("bash", "shell", {"command": command}), command


def redirect(text):
    command = "echo '%s' >> conf/app.txt" % text.replace("'", '"')
    return Call("bash", "shell", {"command": command}), command


def mcp(text):
    return Call("wiki-save_page", "mcp", {"title": "notes", "body": text}), text


def prompt(text):
    return text, text


WAYS = {"write tool": write_tool, "edit": edit, "patch": patch, "heredoc": heredoc, "redirect": redirect, "MCP argument": mcp, "prompt": prompt}


def denied(call):
    """Return whether our guard stops a call, or a prompt (a text)."""
    if isinstance(call, str):
        event = Event("copilot", "UserPromptSubmit", "camel", prompt=call)
    else:
        event = Event("copilot", "PreToolUse", "camel", cwd="/home/u/project", calls=[call])
    return any(isinstance(item, Deny) for item in secrets.check(event, Context("/home/u")))


def peer_lines(path):
    """Return the numbers of the lines of a file in which detect-secrets finds something."""
    from detect_secrets import SecretsCollection
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.settings import transient_settings

    names = [plugin.__name__ for kind, plugin in get_mapping_from_secret_type_to_class().items() if kind != "Public IP (ipv4)"]
    with transient_settings({"plugins_used": [{"name": name} for name in names]}):
        found = SecretsCollection()
        found.scan_file(str(path))
        return {secret.line_number for _file, secret in found}


def recall(found_in=None, ways=None):
    """Return [(sample, way, found by us, found by the peer)]. found_in: the samples; the assignments are not put into a prompt."""
    results, known = [], {}
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "app.txt"
        for way, function in (ways or WAYS).items():
            for sample in found_in or samples():
                if way == "prompt" and not sample.high:
                    continue
                call, text = function(sample.text)
                if text not in known:  # a file for each: within one it counts equal findings once
                    path.write_text(lines(text), encoding="utf-8")
                    known[text] = bool(peer_lines(path))
                results.append((sample, way, denied(call), known[text]))
    return results


def innocents():
    """Return the files of real agents and commands beside the checkout; [] when they are not there."""
    return sorted(path for name in ("agents_all", "commands_all") for path in (CORPUS / name).rglob("*") if path.is_file()) if CORPUS.is_dir() else []


def false_denials(files):
    """Return (the files that our guard would not let a session write, those in which the peer finds something)."""
    ours = [path for path in files if denied(write_tool(path.read_text("utf-8", "replace"))[0])]
    return ours, [path for path in files if peer_lines(path)]


def share(results, column, **wanted):
    """Return found, all, of the results with these attributes."""
    some = [row for row in results if all((row[1] if key == "way" else getattr(row[0], key)) == value for key, value in wanted.items())]
    return sum(row[column] for row in some), len(some)


def cell(found, of):
    return "%.1f %% (%d of %d)" % (100 * found / of, found, of) if of else "-"


def table(results, files, ours, peers):
    """Return the table as text."""
    rows = ["| found | %s | %s |" % (OURS, PEER), "| --- | --- | --- |"]
    for title, wanted in [("kinds of ours", {"known_to": OURS}), ("kinds of detect-secrets", {"known_to": PEER}), ("**all**", {})]:
        rows.append("| %s | %s | %s |" % (title, cell(*share(results, 2, **wanted)), cell(*share(results, 3, **wanted))))
    for way in WAYS:
        rows.append("| by %s | %s | %s |" % (way, cell(*share(results, 2, way=way)), cell(*share(results, 3, way=way))))
    if files:
        rows.append("| **real agents and commands that are stopped** | %d of %d | %d of %d |" % (len(ours), len(files), len(peers), len(files)))
    return "\n".join(rows) + "\n"


def missed(results):
    """Return [(known to, kind, text, ways in which we miss it)]."""
    found = {}
    for sample, way, ours, _peer in results:
        if not ours:
            found.setdefault((sample.known_to, sample.kind, sample.text), []).append(way)
    return [key + (ways,) for key, ways in found.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", action="store_true", help="print the figures of every kind of detect-secrets too")
    parser.add_argument("--missed", action="store_true", help="print what the guard missed")
    parser.add_argument("--no-innocents", action="store_true", help="leave the real files out; detect-secrets takes minutes for them")
    options = parser.parse_args()
    started = time.monotonic()
    results = recall()
    files = [] if options.no_innocents else innocents()
    ours, peers = false_denials(files)
    print(table(results, files, ours, peers))
    if options.kinds:
        for kind in PEER_KINDS:
            print("%-34s %-24s %s" % (kind, cell(*share(results, 2, known_to=PEER, kind=kind)), cell(*share(results, 3, known_to=PEER, kind=kind))))
    if options.missed:
        for row in missed(results):
            print(row)
    print("%d samples, %d files, %.0f s" % (len(samples()), len(files), time.monotonic() - started))


if __name__ == "__main__":
    main()
