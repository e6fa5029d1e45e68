# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the doctor's report on a fleet as data, as a table for the terminal and as Markdown. Pure. The page: _report_page."""

from __future__ import annotations

import re

from ansible_collections.agentihooks.fleet.plugins.module_utils._finding import CRITICAL, INFO, LEVELS, OK, WARNING, reaches, worst
from ansible_collections.agentihooks.fleet.plugins.module_utils._targets import TARGETS

SCHEMA = 1
NEVER = "never"
TITLES = {"": "host", **{name: target.title for name, target in TARGETS.items()}}
MAX_PLACES = 8  # of a finding that are shown where there is no more room
_NAMED_FIRST = ("reachable", "runtime", "site run", "drift", "guard files", "hand-edits", "conflicts")


def build(hosts, made, version, fail_level):
    """Return the report as plain data.

    hosts: (name, rows, {target: CLI version}) of each. made: when, as text in UTC. version: of the collection. fail_level: a level or "never".
    """
    found = []
    for name, rows, versions in sorted(hosts, key=lambda item: _natural(item[0])):
        rows = sorted(rows, key=lambda row: (list(TITLES).index(row["target"]), _rank(row["check"])))
        found.append({"host": name, "level": worst(rows), "reached": _is_reached(rows), "clis": versions, "checks": rows})
    every = [row["level"] for host in found for row in host["checks"]]
    counts = {"hosts": len(found), "unreachable": sum(not host["reached"] for host in found)}
    counts.update((level, every.count(level)) for level in reversed(LEVELS))
    passed = fail_level == NEVER or not any(reaches(level, fail_level) for level in every)
    return {"schema": SCHEMA, "made": made, "collection": version, "fail_level": fail_level, "passed": passed, "counts": counts, "hosts": found}


def headline(report):
    """Return the result in one line."""
    counts, hosts = report["counts"], report["hosts"]
    bad = [host for host in hosts if reaches(host["level"], WARNING)]
    parts = ["%d %s" % (counts[level], word if counts[level] == 1 else word + plural)
             for level, word, plural in ((CRITICAL, "critical", ""), (WARNING, "warning", "s")) if counts[level]]  # fmt: skip
    told = "%s on %s" % (", ".join(parts), _number(len(bad), "host")) if bad else "nothing found"
    unreached = "; %d not reached" % counts["unreachable"] if counts["unreachable"] else ""
    return "%s: %s; %d as wanted%s" % (_number(len(hosts), "host"), told, len(hosts) - len(bad), unreached)


def columns(report):
    """Return the checks that any host has, as (target, check), in the order they are shown."""
    found = {(row["target"], row["check"]): None for host in report["hosts"] for row in host["checks"]}
    return sorted(found, key=lambda column: (list(TITLES).index(column[0]), _rank(column[1]), list(found).index(column)))


def common(report):
    """Return [(target, check, level, [names of the hosts])] of what was found, the worst and most frequent first; info and ok are left out."""
    found = {}
    for host in report["hosts"]:
        for row in host["checks"]:
            if reaches(row["level"], WARNING):
                names = found.setdefault((row["target"], row["check"], row["level"]), [])
                if host["host"] not in names:
                    names.append(host["host"])
    return sorted(((*key, names) for key, names in found.items()), key=lambda item: (-LEVELS.index(item[2]), -len(item[3]), item[0], item[1]))


def terminal(report):
    """Return the lines of the table and the findings below it."""
    lines = _table([["host", "target", "CLI", "critical", "warning", "info", "ok"]] + _matrix(report))
    findings, way_outs = [], []
    for host in report["hosts"]:
        for row in sorted(host["checks"], key=lambda row: -LEVELS.index(row["level"])):
            if reaches(row["level"], WARNING):
                findings.append("%s: %s: %s: %s: %s" % (row["level"].upper(), host["host"], TITLES[row["target"]], row["check"], row["what"]))
                # The places say more than the counts where there are a few; the others are in the files.
                if row["check"] == "drift" and len(row["places"]) <= MAX_PLACES:
                    findings += ["    %s: %s" % (place["outcome"], place["place"]) for place in row["places"]]
                way_outs.append(row["way_out"])
    if findings:
        lines += [""] + findings + [""] + ["-> %s" % text for text in dict.fromkeys(filter(None, way_outs))]
    return [_printable(line) for line in lines + ["", headline(report)]]


def markdown(report):
    """Return the report as Markdown; nothing in it is taken for markup."""
    lines = ["# agentihooks doctor", "", _escaped(headline(report)) + ".", ""]
    lines += ["Made %s by agentihooks.fleet %s. Fails from level %s: %s." % (
        report["made"], report["collection"], report["fail_level"], "passed" if report["passed"] else "failed")]  # fmt: skip
    lines += ["", "| host | target | CLI | critical | warning | info | ok |", "| --- | --- | --- | --: | --: | --: | --: |"]
    lines += ["| %s |" % " | ".join(map(_escaped, cells)) for cells in _matrix(report)]
    for host in report["hosts"]:
        rows = [row for row in host["checks"] if row["level"] != OK]
        if rows:
            lines += ["", "## %s" % _escaped(host["host"]), "", "| level | target | check | what | what to do |", "| --- | --- | --- | --- | --- |"]
        for row in sorted(rows, key=lambda row: -LEVELS.index(row["level"])):
            cells = [row["level"], TITLES[row["target"]], row["check"], row["what"], row["way_out"]]
            lines.append("| %s |" % " | ".join(map(_escaped, cells)))
        for row in rows:
            if row["places"]:
                lines += ["", "%s, %s:" % (TITLES[row["target"]], _escaped(row["check"])), ""]
                lines += ["- %s: %s" % (_escaped(place["outcome"]), _escaped(place["place"])) for place in row["places"]]
    return "\n".join(lines) + "\n"


def done(hosts):
    """Return the lines of the table about a run of site. hosts: (name, target, CLI version, what was done) of each host and target."""
    rows = [[name, TITLES[target], version or "-", told] for name, target, version, told in sorted(hosts, key=lambda item: _natural(item[0]))]
    return [_printable(line) for line in _table([["host", "target", "CLI", "what was done"]] + rows, texts=4)]


def _matrix(report):
    """Return the cells of a row for each host and target; a host on which nothing but notes was found is one row."""
    rows = []
    for host in report["hosts"]:
        targets = [target for target in TITLES if any(row["target"] == target for row in host["checks"])]
        groups = [targets] if not reaches(host["level"], WARNING) else [[target] for target in targets]
        for group in groups:
            levels = [row["level"] for row in host["checks"] if row["target"] in group]
            title = ", ".join(TITLES[target] for target in group if target) or TITLES[""]
            clis = ", ".join(host["clis"][target] or "not found" for target in group if target in host["clis"])
            rows.append([host["host"], title, clis or "-"] + [str(levels.count(level)) for level in (CRITICAL, WARNING, INFO, OK)])
    return rows


def _table(rows, texts=3):
    """Return lines with the columns of rows below each other. texts: how many of them are no numbers."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = [[text.ljust(width) if index < texts else text.rjust(width) for index, (text, width) in enumerate(zip(row, widths))] for row in rows]
    return ["  ".join(row).rstrip() for row in padded]


def _is_reached(rows):
    return all(row["level"] == OK for row in rows if row["check"] == "reachable")


def _rank(check):
    return _NAMED_FIRST.index(check) if check in _NAMED_FIRST else len(_NAMED_FIRST)


def _natural(name):
    """Return a key that sorts host2 before host10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"[0-9]+|[^0-9]+", name)]


def _number(number, word):
    return "%d %s%s" % (number, word, "" if number == 1 else "s")


def _printable(text):
    return "".join(character if character.isprintable() else "?" for character in text)


def _escaped(text):
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&$])", r"\\\1", _printable(" ".join(str(text).split())))
