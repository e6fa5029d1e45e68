# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the folders of agents, commands and skills on the controller, read without leaving their bundle."""

from __future__ import annotations

import os
import stat

from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _inside
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._asset_translation import Report, SkillSource, Source

# Bytes. The largest Markdown file seen in the wild is 180 kB; a skill may bring scripts and pictures.
MAX_MARKDOWN = 1024 * 1024
MAX_SKILL = 16 * 1024 * 1024

# What editors, systems and version control leave in a directory.
IGNORED = frozenset((".git", ".DS_Store", "__pycache__", "Thumbs.db"))


class _Refused(Exception):
    """This path is not read; the text is the reason."""


def read_markdown(folder, root, kind):
    """Return (Sources, Reports) of every .md file below a folder, by path; Reports name what was refused, and why.

    root: the directory a symbolic link must not leave (the bundle). kind: "agent" or "command", for the Reports.
    A folder that does not exist has none. Raises OSError for a directory that cannot be read.
    """
    sources, reports = [], []
    for path, relative, problem in _walk(folder):
        if not relative.lower().endswith(".md") and not os.path.isdir(path):
            continue
        try:
            if problem:
                raise _Refused(problem)
            sources.append(Source(_shown(path), relative, _read(path, root, MAX_MARKDOWN)))
        except _Refused as error:
            reports.append(Report(_shown(path), kind, "refused", reason=str(error)))
    return sources, reports


def read_file(path, relative, kind):
    """Return ([Source], Reports) of one file that a playbook or a checked bundle names. relative, kind: see read_markdown()."""
    try:
        return [Source(_shown(path), relative, _read(path, "/", MAX_MARKDOWN))], []
    except _Refused as error:
        return [], [Report(_shown(path), kind, "refused", reason=str(error))]


def read_skills(folder, root):
    """Return (SkillSources, Reports) of every directory in a folder, by name. See read_markdown()."""
    sources, reports = [], []
    for name in _names(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            found, wrong = read_skill(path, root)
            sources += found
            reports += wrong
    return sources, reports


def read_skill(path, root="/"):
    """Return ([SkillSource], Reports) of one skill's directory. root: what links must not leave."""
    try:
        _check_name(os.path.basename(path))
        _check_inside(path, root)
        return [SkillSource(path, os.path.basename(path), _skill_files(path, root))], []
    except _Refused as error:
        return [], [Report(_shown(path), "skill", "refused", reason=str(error))]


def _skill_files(directory, root):
    files, total = {}, 0
    for path, relative, problem in _walk(directory):
        if problem:
            raise _Refused("%s %s" % (ascii(relative), problem))
        try:
            data = _read(path, root, MAX_SKILL)
        except _Refused as error:
            raise _Refused("%s %s" % (ascii(relative), error)) from None
        total += len(data)
        if total > MAX_SKILL:
            raise _Refused("is larger than %d MB" % (MAX_SKILL // 2 ** 20))
        files[relative] = (data, bool(os.stat(path).st_mode & stat.S_IXUSR))
    return files


def _walk(folder):
    """Yield (path, path below the folder, problem or None) of each file. A link to a directory is a problem, not a way.

    Raises OSError for a directory that cannot be read: what it holds is unknown, which is not nothing.
    """
    for parent, directories, names in os.walk(folder, onerror=_unless_missing) if os.path.isdir(folder) else ():
        directories.sort()
        for name in list(directories):
            if name in IGNORED or os.path.islink(os.path.join(parent, name)):
                directories.remove(name)
                if name not in IGNORED:
                    path = os.path.join(parent, name)
                    yield path, os.path.relpath(path, folder), "is a symbolic link to a directory; put the directory itself there"
        for name in sorted(names):
            if name not in IGNORED:
                path = os.path.join(parent, name)
                relative = os.path.relpath(path, folder)
                yield path, relative, _name_problem(relative)


def _unless_missing(error):
    if not isinstance(error, FileNotFoundError):
        raise error


def _names(folder):
    try:
        return sorted(name for name in os.listdir(folder) if name not in IGNORED)
    except FileNotFoundError:
        return []


def _read(path, root, limit):
    """Return the bytes of a regular file, through a link that stays inside root. Raises _Refused."""
    if os.path.islink(path):
        _check_inside(path, root)
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise _Refused("is no regular file")
        if status.st_size > limit:
            raise _Refused("is larger than %d MB" % (limit // 2 ** 20))
        data = _inside.read(path, os.path.realpath(root), limit)
        if len(data) > limit:
            raise _Refused("is larger than %d MB" % (limit // 2 ** 20))
        return data
    except FileNotFoundError:
        raise _Refused("is a symbolic link to %s, which does not exist" % ascii(os.readlink(path))) from None
    except OSError as error:
        raise _Refused("cannot be read: %s" % error.strerror) from None


def _check_inside(path, root):
    real = os.path.realpath(path)
    if os.path.commonpath([real, os.path.realpath(root)]) != os.path.realpath(root):
        raise _Refused("is a symbolic link out of the bundle, to %s; put the file itself there" % ascii(real))


def _check_name(name):
    problem = _name_problem(name)
    if problem:
        raise _Refused(problem)


def _name_problem(relative):
    try:
        relative.encode("utf-8")
    except UnicodeEncodeError:
        return "has a name that is not UTF-8; rename it"
    return None


def _shown(path):
    """Return a path for people: bytes that are no text are escaped."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")
