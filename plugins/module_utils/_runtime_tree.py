# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the hook runtime as a tree of files, on the controller and on a host.

A version is a directory <data directory>/runtime/<version>. It is built under another name and renamed when it is
whole, and the link runtime/current is swapped by a rename, so a hook that starts at any moment finds one whole version.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
import zlib

from ansible_collections.agentihooks.fleet.plugins.module_utils import _files, _processes

CURRENT = "current"
INTERPRETER = "python"
BUILD_PREFIX = ".build-"
FILE_MODE = 0o600
DIRECTORY_MODE = 0o700
CACHE = "__pycache__"
COMPILE_SECONDS = 60
# Bytes that are read of a file on a host. None of ours is that large.
FILE_LIMIT = 1 << 24

# Runs on the hooks' own interpreter: byte code depends on it. Arguments: directory, the name it will have, "write" or "look".
# Prints the sources whose byte code is absent, out of date or not what the source compiles to, and what else lies among the
# byte code. Other bytes need not be other code (sets are marshalled in any order before Python 3.11): then code objects are compared.
# Unchecked hashes: what runs is what was deployed, whatever time stamps a backup or an editor leaves on the sources.
_COMPILE_PROGRAM = r'''
import importlib.util, json, marshal, os, py_compile, shutil, sys

def same(one, two):
    if type(one) is not type(two):
        return False
    if isinstance(one, tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, frozenset):
        return sorted(map(repr, one)) == sorted(map(repr, two))
    if not hasattr(one, "co_code"):
        return repr(one) == repr(two)
    names = [name for name in dir(one) if name.startswith("co_") and name not in ("co_filename", "co_lnotab")]
    return all(same(getattr(one, name), getattr(two, name)) for name in names if not callable(getattr(one, name)))

def valid(source, cache, final):
    try:
        with open(cache, "rb") as stream:
            head, body = stream.read(16), stream.read()
        with open(source, "rb") as stream:
            text = stream.read()
        flags = int.from_bytes(head[4:8], "little")
        if head[:4] != importlib.util.MAGIC_NUMBER:
            return False
        if flags:
            fresh = head[8:] == importlib.util.source_hash(text)
        else:
            status = os.stat(source)
            stamp = [int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF]
            fresh = head[8:] == b"".join(number.to_bytes(4, "little") for number in stamp)
        code = compile(text, final, "exec", dont_inherit=True)
        return fresh and (marshal.dumps(code) == body or same(marshal.loads(body), code))
    except (OSError, ValueError, EOFError, TypeError):
        return False

top, name, mode = sys.argv[1:]
found = []
for directory, directories, files in os.walk(top):
    cached = os.path.join(directory, "__pycache__")
    directories[:] = sorted(item for item in directories if item != "__pycache__")
    sources = [os.path.join(directory, item) for item in sorted(files) if item.endswith(".py") and directory != top]
    caches = {importlib.util.cache_from_source(source): source for source in sources}
    for path in sorted(os.path.join(cached, item) for item in os.listdir(cached)) if os.path.isdir(cached) else []:
        if path not in caches or os.path.islink(path) or not os.path.isfile(path):
            found.append(os.path.relpath(path, top))
            if mode != "look":
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    for cache, source in caches.items():
        relative = os.path.relpath(source, top)
        final = os.path.join(name, relative)
        if mode == "fresh" or not valid(source, cache, final):
            found.append(relative)
            if mode != "look":
                py_compile.compile(source, cache, final, True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
print(json.dumps(found))
'''


def load(directory):
    """Return {relative path: bytes} of a runtime's sources; byte code is left out. Raises OSError."""
    files = {}
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if name != CACHE)
        for name in sorted(names):
            if not name.endswith((".pyc", "~")):
                path = os.path.join(parent, name)
                with open(path, "rb") as stream:
                    files[os.path.relpath(path, directory)] = stream.read()
    return files


def pack(files):
    """Return the files as one text, for a task's arguments."""
    content = {path: base64.b64encode(data).decode("ascii") for path, data in files.items()}
    return base64.b64encode(zlib.compress(json.dumps(content, sort_keys=True).encode("ascii"))).decode("ascii")


def unpack(text):
    """Return the files that pack() got. Raises ValueError for anything else, also for a path that leaves its directory."""
    try:
        content = json.loads(zlib.decompress(base64.b64decode(text, validate=True)).decode("ascii"))
        files = {path: base64.b64decode(data, validate=True) for path, data in content.items()}
    except (zlib.error, AttributeError, TypeError) as error:
        raise ValueError("not a packed runtime: %s" % error) from None
    for path in files:
        if os.path.isabs(path) or os.path.normpath(path) != path or path.split(os.sep)[0] in ("..", INTERPRETER):
            raise ValueError("a packed runtime must not hold the path %r" % path)
    return files


def digests(files):
    """Return {relative path: SHA-256 in hexadecimal} of these files: enough to tell whether a host has them."""
    return {path: _digest(data) for path, data in files.items()}


def version_name(collection_version, wanted):
    """Return the name of the directory for these digests of files: the collection's version and a hash of the content."""
    return "%s-%s" % (collection_version, _digest(json.dumps(wanted, sort_keys=True).encode("ascii"))[:12])


def differences(directory, wanted, python):
    """Return what is wrong with a version's directory, as a sorted list of (relative path, what); [] when it is whole.

    wanted: the digests of its files. what: "missing", "changed" (content, mode, owner or kind) or "extra". "" is the path of
    the directory itself. Byte code is byte_code()'s to look at.
    """
    directories = {""}
    for path in wanted:
        while path:
            path = os.path.dirname(path)
            directories.add(path)
    owner = _owner(os.path.dirname(directory))
    found = []
    for path in sorted(directories):
        found.extend(_directory_difference(os.path.join(directory, path), path, owner))
    for path in sorted(wanted):
        found.extend(_file_difference(os.path.join(directory, path), path, wanted[path], owner))
    link = os.path.join(directory, INTERPRETER)
    if not os.path.islink(link) or os.readlink(link) != python:
        found.append((INTERPRETER, "changed" if os.path.lexists(link) else "missing"))
    expected = directories | set(wanted) | {INTERPRETER}
    found.extend((path, "extra") for path in _extras(directory, expected))
    return sorted(found)


def repair(directory, files, python, found):
    """Put right what differences() found, one file after the other, each atomically. Raises SurfaceError."""
    for path, what in found:
        place = os.path.join(directory, path)
        if what == "extra":
            remove_tree(place)
        elif path == INTERPRETER:
            link_to(python, place)
        elif path in files:
            if os.path.lexists(place) and not _is_regular(place):
                remove_tree(place)
            elif os.path.exists(place) and os.lstat(place).st_uid != _owner(os.path.dirname(directory)):
                remove_tree(place)
            elif os.path.exists(place):
                os.chmod(place, FILE_MODE)
            _files.replace(_files.read(place), files[path], mode=FILE_MODE)
        else:
            if os.path.lexists(place) and not _is_directory(place):
                remove_tree(place)
            _files.make_directories(place, DIRECTORY_MODE)
            os.chmod(place, DIRECTORY_MODE)


def byte_code(python, directory, final, mode):
    """Compile a version for its interpreter; return the sources whose byte code was not right and what lay among it.

    All are relative paths.

    final: the name the directory will have. mode: "look" (write nothing), "write" (what is not right) or "fresh" (all).
    Raises SurfaceError when the sources do not compile or the interpreter does not run.
    """
    command = [python, "-I", "-S", "-B", "-c", _COMPILE_PROGRAM, directory, final, mode]
    try:
        result = subprocess.run(  # pylint: disable=ansible-bad-function
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd="/", timeout=COMPILE_SECONDS, check=False, env={"LC_ALL": "C.UTF-8"}, preexec_fn=_becoming_owner(directory),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _files.SurfaceError("cannot be run: %s" % error, python, hint="Give another interpreter with the option python") from None
    if result.returncode == 0:
        return json.loads(result.stdout.decode("utf-8"))
    if mode == "look":
        # Byte code that crashes the interpreter that reads it is not right either.
        return ["."]
    if mode == "write":
        return byte_code(python, directory, final, "fresh")
    said = result.stderr.decode("utf-8", "replace").strip().splitlines()
    raise _files.SurfaceError(
        "does not compile with %s: %s" % (python, said[-1] if said else "exit code %d" % result.returncode), directory,
        hint="Give another interpreter with the option python",
    )


def build(runtime, name, files, python):
    """Make the version `name` in the directory runtime, whole or not at all. Raises SurfaceError."""
    final = os.path.join(runtime, name)
    building = tempfile.mkdtemp(prefix=BUILD_PREFIX, dir=runtime)
    try:
        _give_to_owner(building)
        repair(building, files, python, differences(building, digests(files), python))
        byte_code(python, building, final, "fresh")
        for parent, _directories, names in os.walk(building):
            if os.path.basename(parent) == CACHE:
                os.chmod(parent, DIRECTORY_MODE)
                for item in names:
                    _sync(os.path.join(parent, item))
                _sync(parent)
        os.rename(building, final)
        _sync(runtime)
    except OSError as error:
        raise _files.failure("cannot be made", final, error) from None
    finally:
        shutil.rmtree(building, ignore_errors=True)


def link_to(target, path):
    """Make path a symbolic link to target in one step, whatever stood there."""
    if _is_directory(path):
        remove_tree(path)
    directory = os.path.dirname(path)
    temporary = os.path.join(directory, "%s%s.%d" % (BUILD_PREFIX, os.path.basename(path), os.getpid()))
    try:
        os.symlink(target, temporary)
        _give_to_owner(temporary)
        os.rename(temporary, path)
        _sync(directory)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise _files.failure("cannot be linked", path, error) from None


def remove_tree(path):
    """Remove a file, a link (not what it points at) or a directory with all in it. Raises SurfaceError."""
    try:
        if _is_directory(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _files.SurfaceError("cannot be removed: %s" % (error.strerror or error), path, hint="Remove it by hand") from None


def others(runtime, wanted):
    """Return the names of the versions in the directory runtime but `wanted`, the newest first. Raises OSError."""
    names = [name for name in os.listdir(runtime) if not name.startswith(BUILD_PREFIX) and name not in (wanted, CURRENT)]
    return sorted(names, key=lambda name: os.lstat(os.path.join(runtime, name)).st_mtime, reverse=True)


def outdated(runtime, wanted, processes=None):
    """Return the names in the directory runtime that can go once `wanted` is current, sorted.

    Kept: wanted, the newest other version (sessions that started before the swap may still read from it) and every version
    while a process runs that was started from here. What a killed run left half built always goes.
    processes: as _processes.of_user() returns them; None asks it.
    """
    try:
        half_built = [name for name in os.listdir(runtime) if name.startswith(BUILD_PREFIX)]
    except OSError:
        return []
    versions = others(runtime, wanted)
    old = versions[1:]
    if old:
        running = _processes.of_user(os.stat(runtime).st_uid) if processes is None else processes
        if any(word.startswith(runtime + os.sep) for _pid, argv, _executable in running for word in argv):
            old = []
    return sorted(half_built + old)


def _directory_difference(place, path, owner):
    if not os.path.lexists(place):
        return [(path, "missing")]
    status = os.lstat(place)
    right = stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) == DIRECTORY_MODE and status.st_uid == owner
    return [] if right else [(path, "changed")]


def _file_difference(place, path, digest, owner):
    if not os.path.lexists(place):
        return [(path, "missing")]
    status = os.lstat(place)
    right = stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) == FILE_MODE and status.st_uid == owner
    if right:
        with open(place, "rb") as stream:
            right = _digest(stream.read(FILE_LIMIT)) == digest
    return [] if right else [(path, "changed")]


def _extras(directory, expected):
    """Yield the paths that are not expected; directories of byte code are byte_code()'s to look into."""
    for parent, directories, names in os.walk(directory):
        above = os.path.relpath(parent, directory)
        above = "" if above == "." else above
        for name in list(directories):
            path = os.path.join(above, name)
            if os.path.islink(os.path.join(parent, name)) or path not in expected:
                directories.remove(name)
                if path not in expected and (name != CACHE or os.path.islink(os.path.join(parent, name))):
                    yield path
        for name in names:
            path = os.path.join(above, name)
            if path not in expected:
                yield path


def _digest(data):
    return hashlib.sha256(data).hexdigest()


def _is_regular(path):
    return stat.S_ISREG(os.lstat(path).st_mode)


def _is_directory(path):
    return os.path.isdir(path) and not os.path.islink(path)


def _owner(directory):
    try:
        return os.stat(directory).st_uid
    except OSError:
        return os.geteuid()


def _give_to_owner(path):
    """Root works in a person's directory: what it makes there is theirs."""
    if os.geteuid() == 0:
        status = os.stat(os.path.dirname(path))
        os.chown(path, status.st_uid, status.st_gid, follow_symlinks=False)


def _becoming_owner(directory):
    """Return what makes a child of root the owner of a directory, None for anybody else.

    What it writes is theirs then, and root runs no interpreter that they could have put there.
    """
    if os.geteuid() != 0:
        return None
    status = os.stat(directory)

    def become():
        os.setgroups([])
        os.setgid(status.st_gid)
        os.setuid(status.st_uid)

    return become


def _sync(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
