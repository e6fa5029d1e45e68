# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: where a bundle comes from, a directory or a commit of a git repository.

A commit is fetched once and kept in the user's cache as plain files. Its files are taken out of git's object store by their
content, without a checkout, so no hook, filter, attribute or submodule of that repository is ever acted on. The address is
shown without its user and password everywhere.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass

from ansible_collections.agentihooks.fleet.plugins.module_utils import _secret_shapes
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError, Problem

BUNDLE_VARIABLE = "agentihooks_bundle"
COMMIT_VARIABLE = "agentihooks_bundle_commit"

SCHEMES = ("https", "ssh", "file", "http", "git")
# What git may speak on the way: the person's own url.insteadOf may turn one of the first two into the other.
_ALWAYS_ALLOWED = ("https", "ssh")

# Of one commit, all files together.
MAX_FILES = 20000
MAX_BYTES = 256 << 20
# Of git's list of them: a commit of a few kilobytes can stand for a billion files.
MAX_LISTING = MAX_FILES * 512
MAX_PATH = 1024
FETCH_SECONDS = 300
# How long other hosts of a run are told of a failed fetch without trying again.
FAILURE_SECONDS = 600

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_SCP = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)@([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:]+\]):(?!-)(.+)", re.DOTALL)
_HOST = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_USER = re.compile(r"[A-Za-z0-9%._~+=][A-Za-z0-9%._~+=-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# A server that gives out no single commit; all branches and tags are fetched from it.
_NO_SINGLE_COMMIT = re.compile(r"unadvertised object|not our ref|dumb http|shallow", re.IGNORECASE)

# git's variables that point it at another repository or have it print what it sends.
_NOT_FOR_GIT = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|SHALLOW_FILE"
    r"|GRAFT_FILE|REPLACE_REF_BASE|CURL_VERBOSE|TRACE\w*|ALLOW_PROTOCOL|PROTOCOL_FROM_USER)$"
)


@dataclass(frozen=True)
class Bundle:
    """path: the directory to read, None without a bundle. source: the address without user and password, or the directory's
    name. commit: what it is at, with "-dirty" for a directory with changes; "" where that is not known."""

    path: str | None = None
    source: str = ""
    commit: str = ""

    @property
    def label(self):
        """Return both as one text: "https://git.example.com/team/bundle@4b825d…"."""
        return "%s@%s" % (self.source, self.commit) if self.commit else self.source


@dataclass(frozen=True)
class Remote:
    """A git address. url: for git, without a password. shown: for people, without user and password. scheme: one of SCHEMES.
    login: "user:password" as it stood in the address, "" for none."""

    url: str
    shown: str
    scheme: str
    login: str = ""


def locate(text, commit="", absolute=os.path.abspath, cache=None):
    """Return the Bundle that the two variables name, fetched if it is a git address.

    text: "", a directory, or an address: one that has "://" in it or the form user@host:path. absolute: what makes a
    directory's path absolute. cache: directory for fetched bundles, None for the user's own.
    Raises BundleError, in whose text there is no password.
    """
    remote = _remote(text) if text else None
    if remote is None:
        if commit:
            raise _wrong("goes with a git address; %s is a directory, whose own state counts. Leave it empty" % BUNDLE_VARIABLE, COMMIT_VARIABLE)
        if not text:
            return Bundle()
        path = absolute(text)
        return Bundle(path, os.path.basename(os.path.realpath(path)), commit_of(path))
    commit = _checked_commit(commit, remote)
    place = _cached(remote, commit, str(cache or _user_cache()))
    return Bundle(place, remote.shown, commit)


@functools.lru_cache(maxsize=None)
def commit_of(directory):
    """Return the commit that a directory in a git work tree is at, with "-dirty" when it has changes or new files; "" for
    none, and where git is missing or refuses."""
    above = [directory] + [str(parent) for parent in pathlib.Path(directory).parents]
    if not any(os.path.lexists(os.path.join(parent, ".git")) for parent in above):
        return ""
    command = ["status", "--porcelain=v2", "--branch", "--untracked-files=normal", "--ignore-submodules=all", "--", "."]
    try:
        lines = _git("-C", directory, *command, seconds=20).decode("utf-8", "replace").splitlines()
    except (_GitError, BundleError, OSError):
        return ""
    commit = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "")
    if not _COMMIT.fullmatch(commit):
        return ""
    return commit + ("-dirty" if any(not line.startswith("#") for line in lines) else "")


# ----------------------------------------------------------------------------------------------------------------------
# Addresses


def _remote(text):
    """Return the Remote of a text, None for a directory. Raises BundleError, without the text, for an address that is none of ours."""
    scp, url = _SCP.fullmatch(text), _URL.fullmatch(text)
    if not scp and not url:
        if re.search(r":.*@|::", text, re.DOTALL) and not os.path.lexists(text):
            # Not shown: what was meant as an address may hold a password.
            raise _wrong("is neither a directory nor a git address that can be used; write https://host/path, ssh://user@host/path or user@host:path")
        return None
    if re.search(r"[\x00-\x20\x7f]", text):
        raise _wrong("is a git address with a blank or a control character in it")
    if scp and not url:
        return Remote(text, "%s:%s" % (scp.group(2), scp.group(3)), "ssh")
    scheme, rest = url.group(1).lower(), url.group(2)
    if scheme not in SCHEMES:
        raise _wrong("is a %s address; a bundle is a directory or a git address with one of %s" % (scheme, ", ".join(SCHEMES)))
    if "?" in rest or "#" in rest:
        raise _wrong("is a git address with ? or # in it, which git servers do not read and which could hide a secret")
    authority, slash, path = rest.partition("/")
    login, at, host = authority.rpartition("@")
    if scheme == "file":
        if authority or not path:
            raise _wrong("is a file address without an absolute path; write file:///srv/bundle.git")
        return Remote("file:///" + path, "file:///" + path, scheme)
    if not slash or not _HOST.fullmatch(host) or "@" in path or path.startswith("-"):
        raise _wrong("is a git address without a valid host and path; write https://host/path (an @ in the path as %40)")
    shown = "%s://%s/%s" % (scheme, host, path)
    user, colon, _password = login.partition(":")
    if at and not _USER.fullmatch(user):
        raise _wrong("is a git address (%s) whose user has characters that must be written as %%XX" % shown)
    if colon and scheme != "https":
        raise _wrong("is a git address (%s) with a password, which is only for https; use an SSH key or a credential helper" % shown)
    return Remote("%s://%s%s/%s" % (scheme, "" if colon or not at else user + "@", host, path), shown, scheme, login if colon else "")


def _checked_commit(commit, remote):
    given = str(commit or "").strip().lower()
    if _COMMIT.fullmatch(given):
        return given
    if not given:
        what = "must be given with a git address"
    else:
        what = "must be the full id of a commit (40 or 64 hexadecimal digits), not %r, which can mean another commit tomorrow" % given[:60]
    name = given if re.fullmatch(r"[a-z0-9][a-z0-9._/-]{0,59}", given) and not re.fullmatch(r"[0-9a-f]{4,}", given) else "HEAD"
    raise _wrong(
        "%s. To get it: git ls-remote %s %s (of an annotated tag the line with ^{}), or in a clone: git rev-parse NAME^{commit}"
        % (what, remote.shown, name), COMMIT_VARIABLE,
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------
# The cache: DIRECTORY/KEY/ holds tree/ and manifest.json, and appears whole by one rename


def _user_cache():
    base = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), "agentihooks-fleet", "bundles")


@functools.lru_cache(maxsize=None)
def _cached(remote, commit, cache):
    """Return the directory with the files of a commit."""
    key = "%s-%s" % (hashlib.sha256(remote.shown.encode("utf-8")).hexdigest()[:16], commit)
    place = os.path.join(cache, key)
    try:
        _own_directory(cache)
        if not _is_whole(place):
            with _locked(os.path.join(cache, key + ".lock")):
                if not _is_whole(place):
                    _remembering_failure(os.path.join(cache, key + ".failed"), lambda: _fetch(remote, commit, cache, key))
    except OSError as error:
        raise _wrong("cannot be kept in the cache: %s: %s" % (error.filename or cache, error.strerror or error)) from None
    return os.path.join(place, "tree")


def _own_directory(path):
    """Make a directory that nobody else can write to, or raise BundleError."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    status = os.stat(path)
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _wrong("cannot be kept in %s, where somebody else may write; set XDG_CACHE_HOME to a directory of your own" % path)


@contextlib.contextmanager
def _locked(path):
    """Hold a lock; it goes with the process. The file stays: removing it would let two in."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        deadline = time.monotonic() + 2 * FETCH_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise _wrong("is being fetched by another run since %d seconds (lock %s); try again later" % (2 * FETCH_SECONDS, path)) from None
                time.sleep(0.1)
        yield
    finally:
        os.close(descriptor)


def _remembering_failure(path, fetch):
    """Fetch; when that failed for another host of this run a moment ago, fail at once: 500 hosts would wait for 500 timeouts."""
    run = os.getppid()
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        known = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        if known["run"] == run and 0 <= time.time() - known["at"] < FAILURE_SECONDS:
            raise _wrong(known["text"])
    try:
        fetch()
    except BundleError as error:
        known = {"run": run, "at": time.time(), "text": error.problems[0].message}
        pathlib.Path(path).write_text(json.dumps(known), encoding="utf-8")
        raise
    with contextlib.suppress(OSError):
        os.unlink(path)


def _is_whole(place):
    """Return whether a fetched bundle is there with every file as it was written: by size, time and mode, without reading any."""
    try:
        manifest = json.loads(pathlib.Path(place, "manifest.json").read_text(encoding="utf-8"))
        expected = {path: tuple(entry) if isinstance(entry, list) else entry for path, entry in manifest["files"].items()}
        return _states(os.path.join(place, "tree")) == expected
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _states(tree):
    """Return {path: (size, mtime in ns, mode), or the target of a link} of all files below a directory."""
    found = {}
    waiting = [tree]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                name = os.path.relpath(entry.path, tree)
                if entry.is_symlink():
                    found[name] = os.readlink(entry.path)
                elif entry.is_dir():
                    waiting.append(entry.path)
                else:
                    status = entry.stat(follow_symlinks=False)
                    found[name] = (status.st_size, status.st_mtime_ns, status.st_mode)
    return found


# ----------------------------------------------------------------------------------------------------------------------
# Fetching


def _fetch(remote, commit, cache, key):
    """Fetch a commit into the cache. What a killed fetch left is removed first."""
    for name in os.listdir(cache):
        if name.startswith(key + ".partial"):
            shutil.rmtree(os.path.join(cache, name), ignore_errors=True)
    partial = tempfile.mkdtemp(prefix=key + ".partial-", dir=cache)
    try:
        repository, done = os.path.join(partial, "git"), os.path.join(partial, "done")
        _fetch_objects(remote, commit, repository, os.path.join(partial, "login"))
        os.mkdir(done, 0o700)
        tree = os.path.join(done, "tree")
        os.mkdir(tree, 0o700)
        _write_files(_entries(remote, repository, commit), repository, tree)
        manifest = {"source": remote.shown, "commit": commit, "files": _states(tree)}
        pathlib.Path(done, "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        place = os.path.join(cache, key)
        if os.path.lexists(place):
            # Damaged, or it would have been used.
            os.rename(place, os.path.join(partial, "damaged"))
        os.rename(done, place)
    except _GitError as error:
        text = "%s cannot be fetched: %s. Check the address, and that this user can read it without being asked (SSH agent, credential helper)"
        raise _wrong(text % (remote.shown, _shown(error, remote))) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _fetch_objects(remote, commit, repository, login_file):
    """Make a bare repository that has the commit."""
    sha256 = ["--object-format=sha256"] if len(commit) == 64 else []
    _git("init", "--quiet", "--bare", "--template=", *sha256, "--", repository)
    start = ["--git-dir", repository]
    if remote.login:
        # Not in git's arguments, where every account of this machine could read it.
        descriptor = os.open(login_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write("https://%s@%s\n" % (remote.login, remote.url.split("/")[2]))
        start += ["-c", "credential.helper=", "-c", "credential.helper=store --file='%s'" % login_file.replace("'", "'\\''")]
    fetch = start + ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"]
    try:
        _git(*fetch, "--depth=1", "--", remote.url, commit, scheme=remote.scheme)
    except _GitError as error:
        if not _NO_SINGLE_COMMIT.search(str(error)):
            raise
        _git(*fetch, "--", remote.url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", scheme=remote.scheme)
    try:
        kind = _git("--git-dir", repository, "cat-file", "-t", commit).decode("ascii").strip()
    except _GitError:
        raise _wrong("%s has no commit %s on its branches and tags; was it rewritten away, or never pushed?" % (remote.shown, commit)) from None
    if kind != "commit":
        raise _wrong("%s is the id of a %s, not of a commit; in a clone: git rev-parse %s^{commit}" % (commit, kind, commit), COMMIT_VARIABLE)


def _entries(remote, repository, commit):
    """Return [(path, mode, object id)] of the files and links of a commit. Raises BundleError for one that cannot be kept."""
    found, total = [], 0
    too_much = "%s at %s has more than %d files or %d MB" % (remote.shown, commit, MAX_FILES, MAX_BYTES >> 20)
    with tempfile.TemporaryFile() as listing:
        try:
            _git("--git-dir", repository, "ls-tree", "-r", "-z", "-l", "--full-tree", commit, stdout=listing, most=MAX_LISTING)
        except _GitError:
            if listing.seek(0, os.SEEK_END) >= MAX_LISTING:
                raise _wrong(too_much) from None
            raise
        listing.seek(0)
        lines = listing.read().split(b"\0")
    for line in lines:
        if not line:
            continue
        about, path = line.split(b"\t", 1)
        mode, kind, name, size = about.split()
        if kind != b"blob":
            continue  # a submodule
        path = os.fsdecode(path)
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")):
            raise _wrong("%s at %s holds a file with the path %s, which no git client makes" % (remote.shown, commit, ascii(path)))
        if len(path) > MAX_PATH:
            raise _wrong("%s at %s holds a file with a path of %d characters (%s...), more than %d" % (
                remote.shown, commit, len(path), ascii(path[:60]), MAX_PATH))
        total += int(size)
        found.append((path, mode.decode("ascii"), name.decode("ascii")))
        if len(found) > MAX_FILES or total > MAX_BYTES:
            raise _wrong(too_much)
    return found


def _write_files(entries, repository, tree):
    """Write files as git stores them. Links come last, so that nothing is written through one."""
    links = []
    for (path, mode, _name), data in zip(entries, _contents(repository, [name for _path, _mode, name in entries])):
        place = os.path.join(tree, path)
        if mode == "120000":
            if not data or b"\0" in data or len(data) > MAX_PATH:
                raise _wrong("holds the symbolic link %s whose target can be no path" % ascii(path))
            links.append((os.fsdecode(data), place))
            continue
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o700 if mode == "100755" else 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
    for target, place in links:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        os.symlink(target, place)


def _contents(repository, names):
    """Yield the bytes of objects in order."""
    with tempfile.TemporaryFile() as wanted, tempfile.TemporaryFile() as answer:
        wanted.write("".join(name + "\n" for name in names).encode("ascii"))
        wanted.seek(0)
        _git("--git-dir", repository, "cat-file", "--batch", stdin=wanted, stdout=answer)
        answer.seek(0)
        for name in names:
            header = answer.readline().split()
            if len(header) != 3 or header[1] != b"blob":
                raise _GitError("the object %s is missing" % name)
            yield answer.read(int(header[2]))
            answer.read(1)


class _GitError(Exception):
    """git failed; the text is what it said."""


def _git(*arguments, scheme="", seconds=FETCH_SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, most=None):
    """Run git; return what it printed, None where that went into a file. most: bytes that such a file may become.

    Raises _GitError, and BundleError without git.
    """
    quiet = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "protocol.version=2"]
    try:
        process = subprocess.Popen(
            ["git"] + quiet + list(arguments), env=_environment(scheme), stdin=stdin, stdout=stdout,
            stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=None if most is None else functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most)),
        )  # fmt: skip
    except FileNotFoundError:
        raise _wrong("is a git address, and git is not installed on the controller; install it or give a directory") from None
    try:
        output, errors = process.communicate(timeout=seconds)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        raise _GitError("no answer within %d seconds" % seconds) from None
    if process.returncode:
        raise _GitError(errors.decode("utf-8", "replace").strip() or "git ended with %d" % process.returncode)
    return output


def _environment(scheme):
    """Return the environment for git: this user's own configuration, no questions, no other ways than the one that was asked for."""
    environment = {name: value for name, value in os.environ.items() if not _NOT_FOR_GIT.match(name)}
    environment.update(
        LC_ALL="C", GIT_TERMINAL_PROMPT="0", SSH_ASKPASS_REQUIRE="never", GIT_OPTIONAL_LOCKS="0", GIT_NO_REPLACE_OBJECTS="1",
        GIT_ALLOW_PROTOCOL=":".join(dict.fromkeys(_ALWAYS_ALLOWED + ((scheme,) if scheme else ()))),
    )  # fmt: skip
    # Set but empty: git would ask the program of SSH_ASKPASS, a window on somebody's desktop.
    environment.setdefault("GIT_ASKPASS", "")
    environment.setdefault("GIT_HTTP_LOW_SPEED_LIMIT", "1000")
    environment.setdefault("GIT_HTTP_LOW_SPEED_TIME", "30")
    return environment


def _shown(error, remote):
    """Return what git said on one line, without logins."""
    text = str(error)
    for secret in filter(None, [remote.login, remote.login.partition(":")[2]]):
        text = text.replace(secret, "********")
    text = re.sub(r"://[^/@\s]*@", "://", text)
    return _secret_shapes.redact(" ".join(text.split()))[:500]


def _wrong(message, variable=BUNDLE_VARIABLE):
    return BundleError([Problem(message, variable)])
