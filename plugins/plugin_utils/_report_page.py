# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the doctor's report as one page that holds all it needs. Pure.

Everything is in the markup, so that it can be read where no script runs (mail, a CI server); the script only filters and opens. The
Content-Security-Policy lets nothing run or load but the one style and the one script whose hashes it names.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape

from ansible_collections.agentihooks.fleet.plugins.module_utils._finding import CRITICAL, INFO, LEVELS, OK, WARNING, reaches, worst
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._report import TITLES, columns, common, headline

# Told by shape as well as by colour.
GLYPHS = {OK: "\u00b7", INFO: "i", WARNING: "!", CRITICAL: "\u2715"}
GROUPS = {"": "Host", "copilot": "Copilot CLI", "codex": "Codex CLI"}
_FOOT = "<footer><p>Made in check mode: nothing was changed on any host. Names, places and counts only, no values.</p></footer>"
_FILTERS = ((OK, "All hosts"), (INFO, "Info and worse"), (WARNING, "Warnings and worse"), (CRITICAL, "Critical only"))


def page(report, style, script):
    """Return the page. report: as _report.build() makes it. style, script: the texts of files/report/report.css and report.js."""
    checks = columns(report)
    body = [_head(report), _common(report), _controls(), _matrix(report, checks), _FOOT]
    policy = "default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'" % (_hash(style), _hash(script))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="%s">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n<title>agentihooks doctor: %s</title>\n<style>%s</style>\n</head>\n<body>\n%s\n'
        "<script>%s</script>\n</body>\n</html>\n"
        % (escape(policy), _text(headline(report)), style, "\n".join(body), script)
    )


def _head(report):
    worst_of = [host["level"] for host in report["hosts"]]
    tiles = [("critical", "hosts where guards fail or are switched off", worst_of.count(CRITICAL)), ("warning", "hosts not as wanted", worst_of.count(WARNING)),
             ("clean", "hosts as wanted", sum(not reaches(level, WARNING) for level in worst_of)), ("all", "hosts", len(worst_of))]  # fmt: skip
    cells = "".join('<li class="tile %s"><strong>%d</strong> <span>%s</span></li>' % (kind, number, text) for kind, text, number in tiles)
    verdict = '<span class="verdict %s">%s</span>' % (("passed", "Passed") if report["passed"] else ("failed", "Failed"))
    return (
        '<header><div class="title"><h1>agentihooks doctor</h1>%s<button type="button" id="theme" hidden>Dark or light</button></div>\n'
        '<p class="headline">%s.</p>\n'
        '<p class="made">%s &middot; agentihooks.fleet %s &middot; fails from level <b>%s</b></p>\n<ul class="tiles">%s</ul></header>'
        % (verdict, _text(headline(report)), _text(report["made"]), _text(report["collection"]), _text(report["fail_level"]), cells)
    )


def _common(report):
    found = common(report)
    if not found:
        return '<section class="common"><h2>What was found</h2><p>Nothing that is a warning or worse.</p></section>'
    most = len(report["hosts"])
    rows = "".join(
        '<tr><td>%s</td><th scope="row"><button type="button" class="pick" data-check="%s">%s: %s</button></th>'
        '<td class="number">%d</td><td><meter min="0" max="%d" value="%d"></meter></td><td class="names">%s</td></tr>'
        % (_badge(level), _key(target, check), GROUPS[target], _text(check), len(names), most, len(names), _text(", ".join(names[:6]) + (
            " and %d more" % (len(names) - 6) if len(names) > 6 else "")))
        for target, check, level, names in found
    )  # fmt: skip
    return (
        '<section class="common"><h2>What was found</h2><table><thead><tr><th scope="col">Level</th><th scope="col">Check</th>'
        '<th scope="col" class="number">Hosts</th><td></td><th scope="col">Which</th></tr></thead><tbody>%s</tbody></table></section>' % rows
    )


def _controls():
    levels = "".join(
        '<label><input type="radio" name="level" value="%d"%s> %s</label>' % (LEVELS.index(level), " checked" if level == OK else "", text)
        for level, text in _FILTERS
    )
    return (
        '<form id="controls" hidden><label class="search">Filter <input type="search" id="filter" autocomplete="off" '
        'placeholder="host, check, file, key or version"></label><fieldset><legend>Show</legend>%s</fieldset>'
        '<label><input type="checkbox" id="quiet"> Hide checks without findings</label><output id="shown" aria-live="polite"></output></form>' % levels
    )


def _matrix(report, checks):
    groups = [(target, [check for other, check in checks if other == target]) for target in TITLES]
    head = '<th scope="colgroup" colspan="%d" class="group" data-group="%s">%s</th>'
    heads = "".join(head % (len(names), target, GROUPS[target]) for target, names in groups if names)
    head = '<th scope="col" class="check" data-group="%s" data-check="%s"><span>%s</span></th>'
    names = "".join(head % (column[0], _key(*column), _text(column[1])) for column in checks)
    worst_first = sorted(report["hosts"], key=lambda host: -LEVELS.index(host["level"]))
    rows = "\n".join(_host(number, host, checks) for number, host in enumerate(worst_first))
    legend = " ".join('<span class="key">%s %s</span>' % (_mark(level), level) for level in reversed(LEVELS))
    legend += ' <span class="key"><span class="cell none">\u2013</span> not checked</span>'
    return (
        '<section class="fleet"><h2>Fleet</h2><p class="legend">%s &nbsp; Choose a host or a mark for the details.</p>\n<div class="scroll" tabindex="0" '
        'role="region" aria-label="Hosts and checks"><table id="matrix"><thead>'
        '<tr><th rowspan="2" scope="col" class="host">Host</th>%s</tr><tr>%s</tr></thead>\n'
        "<tbody>%s</tbody></table></div>\n<p id=\"empty\" hidden>No host fits the filter.</p></section>" % (legend, heads, names, rows)
    )


def _host(number, host, checks):
    cells = []
    for column in checks:
        rows = [row for row in host["checks"] if (row["target"], row["check"]) == column]
        level = worst(rows)
        key = _key(*column)
        if not rows:
            inner = '<span class="cell none">\u2013<span class="unseen">not checked</span></span>'
        elif level == OK:
            inner = _mark(OK) + '<span class="unseen">ok</span>'
        else:
            label = "%s: %s" % (level, "; ".join(row["what"] for row in rows if row["level"] == level))
            inner = '<a href="#d%d" class="open" data-check="%s" title="%s">%s<span class="unseen">%s</span></a>' % (
                number, key, _text(label[:300]), _mark(level), level)  # fmt: skip
        cells.append('<td data-check="%s" data-level="%d">%s</td>' % (key, LEVELS.index(level) if rows else -1, inner))
    clis = ", ".join("%s %s" % (GROUPS[target], version or "not found") for target, version in host["clis"].items())
    return (
        '<tr class="line" id="h%d" data-level="%d"><th scope="row" class="host"><a href="#d%d" class="open">%s %s</a></th>%s</tr>'
        '<tr class="detail" id="d%d"><td colspan="%d"><div class="panel">%s</div></td></tr>'
        % (number, LEVELS.index(host["level"]), number, _mark(host["level"]), _text(host["host"]), "".join(cells), number, len(checks) + 1,
           _detail(number, host, clis))
    )  # fmt: skip


def _detail(number, host, clis):
    rows = sorted((row for row in host["checks"] if row["level"] != OK), key=lambda row: -LEVELS.index(row["level"]))
    good = [row for row in host["checks"] if row["level"] == OK]
    lines = "".join(_row(row) for row in rows)
    table = (
        '<table><thead><tr><th scope="col">Level</th><th scope="col">Check</th><th scope="col">What was found</th><th scope="col">What to do</th></tr></thead>'
        "<tbody>%s</tbody></table>" % lines
    ) if lines else "<p>Nothing to tell.</p>"  # fmt: skip
    rest = "<details><summary>%d checks in order</summary><table><tbody>%s</tbody></table></details>" % (len(good), "".join(_row(row) for row in good))
    return '<div class="bar"><h3>%s</h3><span class="clis">%s</span><a class="close" href="#h%d">Close</a></div>%s%s' % (
        _text(host["host"]), _text(clis or "no CLI is known"), number, table, rest if good else ""
    )  # fmt: skip


def _row(row):
    places = ""
    if row["places"]:
        items = "".join("<li><code>%s</code> %s</li>" % (_text(place["place"]), _text(place["outcome"].replace("_", "-"))) for place in row["places"])
        is_open = " open" if len(row["places"]) <= 12 else ""
        places = '<details class="places"%s><summary>%d %s</summary><ul>%s</ul></details>' % (
            is_open, len(row["places"]), "place" if len(row["places"]) == 1 else "places", items
        )  # fmt: skip
    return '<tr data-check="%s"><td>%s</td><th scope="row">%s: %s</th><td>%s%s</td><td>%s</td></tr>' % (
        _key(row["target"], row["check"]), _badge(row["level"]), GROUPS[row["target"]], _text(row["check"]), _text(row["what"]), places, _text(row["way_out"])
    )  # fmt: skip


def _badge(level):
    return '<span class="badge %s">%s</span>' % (level, level)


def _mark(level):
    return '<span class="cell %s" aria-hidden="true">%s</span>' % (level, GLYPHS[level])


def _key(target, check):
    return _text("%s:%s" % (target, check))


def _text(text):
    return escape("".join(character if character.isprintable() else "?" for character in str(text)))


def _hash(text):
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
