# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private to the collection: the one place that reads and writes a person's configuration files.

Everything that goes wrong here is a SurfaceError: one line that says what, where and what to do. A write is
compare-and-swap: it happens only if the file still is what the snapshot saw, because the CLIs write the same files.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import grp
import os
import pwd
import stat
import tempfile
import time

# No configuration file of a CLI comes near it; a log that was linked here by mistake must not fill the memory.
MAX_BYTES = 64 * 1024 * 1024
TEMPORARY_PREFIX = ".agentihooks-"
TEMPORARY_SUFFIX = ".tmp"
LOCK_SECONDS = 30
# Copilot itself gives up after 5.
TURN_SECONDS = 10
STALE_SECONDS = 3600


class SurfaceError(Exception):
    """A surface cannot be read or written as asked.

    message: what was found. path: where. line, column: counted from 1, None where they mean nothing.
    hint: what to do about it. number: errno of the system call that failed, None where none did. str() is all of it on one line.
    """

    def __init__(self, message, path, line=None, column=None, hint="", number=None):
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.column = column
        self.hint = hint
        self.number = number

    def __str__(self):
        where = printable(self.path)
        if self.line is not None:
            where += ", line %d" % self.line
        if self.column is not None:
            where += ", column %d" % self.column
        text = "%s: %s" % (where, self.message)
        if self.hint:
            text += ". " + self.hint
        return " ".join(printable(text).split())


def failure(what, path, error, hint="Mend that, then run again"):
    """Return the SurfaceError for a system call that failed (error: OSError): what could not be done, why, what to do. A full file
    system has its own hint."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        hint = "Free space on its file system, then run again"
    return SurfaceError("%s: %s" % (what, error.strerror or error), path, hint=hint, number=error.errno)


class Changed(Exception):
    """The file is no longer what the snapshot saw: read it again and decide again."""

    def __init__(self, path):
        super().__init__("%s was changed by another program while this run was deciding" % printable(path))
        self.path = path


class Snapshot:
    """What stood at a path at one moment.

    path: as asked for. real: with symbolic links resolved; writes go there, so that links stay links.
    exists: whether there is a file. data: its bytes, b"" when there is none, None when it may not be read.
    mode, uid, gid: of the file, None when there is none.
    """

    __slots__ = ("path", "real", "exists", "data", "mode", "uid", "gid")

    def __init__(self, path, real, exists=False, data=b"", mode=None, uid=None, gid=None):
        self.path = path
        self.real = real
        self.exists = exists
        self.data = data
        self.mode = mode
        self.uid = uid
        self.gid = gid

    def state(self):
        """Return all that must be unchanged for a write to be allowed, as a tuple to compare."""
        return (self.real, self.exists, self.data, self.mode, self.uid, self.gid)


def printable(text):
    """Return text without lone surrogates (a file name need not be UTF-8), so that it can be printed anywhere."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def require_path(path):
    """Raise SurfaceError for a text that can be no path on any host: with a NUL or half a surrogate pair in it."""
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise SurfaceError("holds a character that no path can hold", path.replace("\0", "\\0"), hint="Correct the option or the ledger that says it")


def nearest_directory(path):
    """Return the deepest existing directory at or above path, with symbolic links resolved.

    Raises SurfaceError if a broken link or something that is no directory stands in the way.
    """
    require_path(path)
    path = os.path.abspath(path)
    while True:
        try:
            status = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            if os.path.islink(path):
                raise _dangling(path) from None
            path = os.path.dirname(path)
            continue
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _dangling(path) from None
            raise failure("cannot be reached", path, error, "Give the user of this run access to it") from None
        if not stat.S_ISDIR(status.st_mode):
            raise SurfaceError("is not a directory", path, hint="Move it away or point the configuration home elsewhere")
        return os.path.realpath(path)


def require_private(directory):
    """Raise SurfaceError for a directory in which every account may put files in the place of others. A missing one is fine."""
    try:
        status = os.stat(directory)
    except OSError:
        return
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        raise SurfaceError(
            "can be changed by every account of this machine (mode %04o), so nothing in it can be relied on" % stat.S_IMODE(status.st_mode),
            directory,
            hint="Run: chmod o-w %s, and look at what is in it" % directory,
        )


def owner_of(path):
    """Return the uid that owns a path, or the nearest directory above it that exists."""
    path = os.path.abspath(path)
    return os.stat(path if os.path.exists(path) else nearest_directory(path)).st_uid


def read(path, foreign_owner_ok=False, unreadable_ok=False):
    """Return the Snapshot of a file, or of the place where one would be made.

    Raises SurfaceError for a dangling link, for anything but a regular file, for a file that cannot be read, and
    for one that belongs to somebody else than the user who runs this (its owner could not be kept by a write).
    foreign_owner_ok is for callers that only look. unreadable_ok gives data None for a file without read permission.
    """
    require_path(path)
    path = os.path.abspath(path)
    try:
        status = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise _dangling(path) from None
        nearest_directory(os.path.dirname(path))
        return Snapshot(path, os.path.realpath(path))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _dangling(path) from None
        if error.errno == errno.ENOTDIR:
            nearest_directory(os.path.dirname(path))
        raise failure("cannot be read", path, error, "Give the user of this run access to it") from None
    if not stat.S_ISREG(status.st_mode):
        raise SurfaceError("is not a regular file", path, hint="Move it away, then run again")
    if status.st_size > MAX_BYTES:
        raise SurfaceError("is larger than %d MiB" % (MAX_BYTES >> 20), path, hint="This is no configuration file; move it away")
    if not foreign_owner_ok:
        _refuse_foreign_owner(path, status)
    try:
        data = _bytes_of(path)
    except OSError as error:
        if not (unreadable_ok and error.errno == errno.EACCES):
            raise failure("cannot be read", path, error, "Give the user of this run read access, for example chmod u+r") from None
        data = None
    return Snapshot(path, os.path.realpath(path), True, data, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid)


@contextlib.contextmanager
def lock(directory, seconds=LOCK_SECONDS):
    """Hold the lock of a configuration home while the block runs, so that two runs take turns; give the block whether it is held.

    The lock is taken on the directory above it (the nearest existing one): that one is there before the first run makes
    the directory, so two first runs meet on the same lock, and no lock file is left behind. A file
    system that cannot lock (some network homes) goes without (False): replace() still notices every other writer.
    Raises SurfaceError when another run holds it for longer than the given seconds.
    """
    place = nearest_directory(os.path.dirname(directory))
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise failure("cannot be opened", place, error, "Give the user of this run read access to it") from None
    try:
        yield _wait_for_lock(descriptor, place, seconds, "another run")
    finally:
        # Nothing was written through it, so nothing can be lost here.
        with contextlib.suppress(OSError):
            os.close(descriptor)


@contextlib.contextmanager
def turn(path, seconds=TURN_SECONDS):
    """Hold the lock file by which another program takes turns with us, while the block runs.

    path: of the lock file, "" for a program without one. It is never made: where it is missing, that program has not written yet, and
    replace() notices it all the same. Raises SurfaceError when the other one holds it for longer than the given seconds.
    """
    descriptor = None
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    if descriptor is None:
        yield
        return
    try:
        _wait_for_lock(descriptor, path, seconds, "another program")
        yield
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)


def require_writable(snapshot):
    """Raise the SurfaceError that replace() would raise for lack of rights, on the directory or over the file's group.

    Check mode calls it, so that it does not promise what the run cannot do.
    """
    place = nearest_directory(os.path.dirname(snapshot.real))
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        raise SurfaceError("cannot be written: its file system is read-only", snapshot.path, hint="Mount %s for writing, then run again" % place)
    if not os.access(place, os.W_OK | os.X_OK):
        raise SurfaceError(
            "cannot be written: its directory %s is not writable for user %s" % (place, _user_name(os.geteuid())),
            snapshot.path,
            hint="Make the directory writable (chmod u+w) or run as its owner",
        )
    if snapshot.exists and os.geteuid() != 0 and snapshot.gid not in [os.getegid()] + os.getgroups():
        raise SurfaceError(
            "belongs to the group %s, which %s is not in, and a write could not keep it" % (_group_name(snapshot.gid), _user_name(os.geteuid())),
            snapshot.path,
            hint="Run: sudo chgrp %s %s" % (_group_name(os.getegid()), snapshot.real),
        )


def replace(snapshot, data, new_mode=0o600, mode=None):
    """Put data (bytes) where the snapshot was taken, atomically.

    An existing file keeps its mode, owner, group and extended attributes (access lists, SELinux label), and a link to
    it stays a link. A new file gets new_mode and, for root, the owner of its directory. mode, when given, is forced
    on both. The directory must exist (make_directories).
    Raises Changed when the file is not what the snapshot saw, SurfaceError when it cannot be written; then the old
    file stands untouched and no temporary file is left.
    """
    require_writable(snapshot)
    directory = os.path.dirname(snapshot.real)
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, suffix=TEMPORARY_SUFFIX, dir=directory)
        try:
            _write_all(descriptor, data)
            _copy_attributes(descriptor, snapshot, directory, new_mode if mode is None else mode, mode is not None)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _refuse_changed(snapshot)
        # A file that could not be read before cannot be compared after.
        if not (snapshot.exists and snapshot.data is not None and _swapped(temporary, snapshot, data)):
            os.rename(temporary, snapshot.real)
            temporary = None
        _sync_directory(directory)
    except OSError as error:
        if temporary is not None and not os.path.lexists(temporary):
            # A run that holds another lock (its environment puts the home elsewhere) took it for one that was left.
            raise Changed(snapshot.path) from None
        raise failure("cannot be written", snapshot.path, error) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _swapped(temporary, snapshot, data):
    """Put the temporary file (it holds data) in the place of the snapshot's by swapping the two names.

    What stood there at that very moment is then at hand: a change that another program made after our last look is put
    back. So is what cannot be read: nobody could say whether it changed. Returns False where the file system or the C
    library cannot swap names. Raises Changed, OSError.

    What is left: in the microseconds until a change is put back others see data in its place. A program that reads it then
    and writes on top of it loses that change; it takes two writes of others within one swap, look and swap back.
    """
    if not _swap_names(temporary, snapshot.real):
        return False
    expected, placed = snapshot.data, data
    while True:
        try:
            with open(temporary, "rb") as stream:
                found = stream.read()
        except OSError:
            _swap_names(temporary, snapshot.real)
            raise
        if found == expected:
            if placed is data:
                return True
            raise Changed(snapshot.path)
        expected, placed = placed, found
        if not _swap_names(temporary, snapshot.real):
            os.rename(temporary, snapshot.real)
            raise Changed(snapshot.path)


def _swap_names(one, two):
    """Swap what two names of a directory stand for, atomically; False where that is not supported."""
    import ctypes

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return renameat2(here, os.fsencode(one), here, os.fsencode(two), exchange) == 0


def remove(snapshot):
    """Remove the file the snapshot saw, and the link to it if the path is one; nothing to do when there was none.

    Raises Changed when the file is not what the snapshot saw, SurfaceError when it cannot be removed.
    """
    if not snapshot.exists:
        return
    require_writable(snapshot)
    _refuse_changed(snapshot)
    try:
        os.unlink(snapshot.real)
        if os.path.islink(snapshot.path):
            os.unlink(snapshot.path)
        _sync_directory(os.path.dirname(snapshot.real))
    except OSError as error:
        raise failure("cannot be removed", snapshot.path, error, "Remove it by hand") from None


def make_directories(path, mode=0o700):
    """Make a directory and its missing parents; return the list of those made, the outermost first.

    For root they belong to the owner of the nearest directory that was there. Raises SurfaceError.
    """
    nearest_directory(path)
    missing = []
    step = os.path.abspath(path)
    while not os.path.isdir(step):
        missing.append(step)
        step = os.path.dirname(step)
    owner = os.stat(step)
    made = []
    for directory in reversed(missing):
        try:
            os.mkdir(directory, mode)
            os.chmod(directory, mode)
            if os.geteuid() == 0:
                os.chown(directory, owner.st_uid, owner.st_gid)
        except FileExistsError:
            continue
        except OSError as error:
            raise failure("cannot be made", directory, error, "Make it by hand or give the user of this run write access") from None
        made.append(directory)
    return made


def remove_stale_temporaries(directory, locked):
    """Remove the temporary files and links that a killed run of this user left in a directory.

    locked: whether this run holds the lock() of the home that the directory belongs to. Then nobody is writing there; without it
    what is younger than an hour may be in use.
    """
    with contextlib.suppress(OSError):
        for name in os.listdir(directory):
            if name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX):
                path = os.path.join(directory, name)
                status = os.lstat(path)
                ours = status.st_uid == os.geteuid() and (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode))
                if ours and (locked or time.time() - status.st_mtime > STALE_SECONDS):
                    os.unlink(path)


def remove_empty_directory(path):
    """Remove a directory if it is there and empty; return whether it was removed. A link is left alone."""
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True


def _dangling(path):
    return SurfaceError(
        "is a symbolic link to %s, which does not exist" % os.path.realpath(path),
        path,
        hint="Make the target or remove the link, then run again",
    )


def _user_name(uid):
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group_name(gid):
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _refuse_foreign_owner(path, status):
    uid = os.geteuid()
    if uid == 0:
        # Root could write anywhere, so a link made by a person must not lead it to a file of somebody else.
        owner = _link_owner(path)
        if owner is not None and owner not in (0, status.st_uid):
            raise SurfaceError(
                "is reached through a symbolic link of %s but belongs to %s" % (_user_name(owner), _user_name(status.st_uid)),
                path,
                hint="Run as that person, or replace the link",
            )
    elif status.st_uid != uid:
        raise SurfaceError(
            "belongs to %s, not to %s, and a write could not keep its owner" % (_user_name(status.st_uid), _user_name(uid)),
            path,
            hint="Run: sudo chown %s %s" % (_user_name(uid), path) if os.path.realpath(path) == path else "Put a file of your own in the place of the link",
        )


def _link_owner(path):
    """Return the uid that owns the first symbolic link not owned by root on the way to path, None without one."""
    step = path
    while step != os.path.dirname(step):
        status = os.lstat(step)
        if stat.S_ISLNK(status.st_mode) and status.st_uid != 0:
            return status.st_uid
        step = os.path.dirname(step)
    return None


def _bytes_of(path):
    # O_NONBLOCK: something may have put a pipe there since the stat.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _wait_for_lock(descriptor, place, seconds, holder):
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                return False
        if time.monotonic() >= deadline:
            raise SurfaceError(
                "is locked by %s for more than %d seconds" % (holder, seconds),
                place,
                hint="Wait for it to end, then run again",
            )
        time.sleep(0.02)


def _write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view):]


def _copy_attributes(descriptor, snapshot, directory, mode, forced):
    if snapshot.exists:
        uid, gid = snapshot.uid, snapshot.gid
        mode = mode if forced else snapshot.mode
    else:
        owner = os.stat(directory)
        uid, gid = (owner.st_uid, owner.st_gid) if os.geteuid() == 0 else (-1, -1)
    status = os.fstat(descriptor)
    if uid not in (-1, status.st_uid) or gid not in (-1, status.st_gid):
        os.fchown(descriptor, uid, gid)
    if snapshot.exists:
        _copy_extended_attributes(snapshot.real, descriptor)
    # Last: fchown and an access list both touch the mode bits.
    os.fchmod(descriptor, mode)


def _copy_extended_attributes(source, descriptor):
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(source):
            # A label that only the system may set (or a file system without any) is no reason to stop.
            with contextlib.suppress(OSError):
                os.setxattr(descriptor, name, os.getxattr(source, name))


def _refuse_changed(snapshot):
    try:
        now = read(snapshot.path, foreign_owner_ok=True, unreadable_ok=snapshot.data is None)
    except SurfaceError:
        raise Changed(snapshot.path) from None
    if now.state() != snapshot.state():
        raise Changed(snapshot.path)


def _sync_directory(directory):
    """Make the rename durable. The new content already stands, so a file system that cannot is no error."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
