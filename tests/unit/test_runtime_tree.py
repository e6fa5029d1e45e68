# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime as a tree on a host: whole or not at all, and every difference is found and put right."""

from __future__ import annotations

import marshal
import os
import shutil
import subprocess
import sys
import time

import pytest
from ansible_collections.agentihooks.fleet.plugins.module_utils import _runtime_tree as tree
from ansible_collections.agentihooks.fleet.plugins.module_utils._files import SurfaceError

PYTHON = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
FILES = {
    "main.py": b"import os, sys\nsys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))\nfrom pack.inner.deep import VALUE\nprint(VALUE)\n",
    "pack/__init__.py": b"",
    "pack/a.py": b"def f(x):\n    return x in {'a', 'b', 'c', 'd'} or x == 1\n",
    "pack/inner/__init__.py": b"",
    "pack/inner/deep.py": b"VALUE = 'original'\n",
}


@pytest.fixture
def built(tmp_path):
    """A whole version, as (the directory runtime, the version's directory)."""
    tree.build(str(tmp_path), "1-x", FILES, PYTHON)
    return tmp_path, tmp_path / "1-x"


def wrong(directory):
    return tree.differences(str(directory), tree.digests(FILES), PYTHON)


def stale(directory):
    return tree.byte_code(PYTHON, str(directory), str(directory), "look")


def put_right(directory):
    tree.repair(str(directory), FILES, PYTHON, wrong(directory))
    tree.byte_code(PYTHON, str(directory), str(directory), "write")


def cached(directory, source):
    folder, name = os.path.split(source)
    tag = [item for item in os.listdir(str(directory / folder / "__pycache__")) if item.startswith(name[:-3] + ".")]
    return directory / folder / "__pycache__" / tag[0]


def run(directory):
    return subprocess.run([str(directory / "python"), "-I", "-S", str(directory / "main.py")], stdout=subprocess.PIPE, check=True).stdout


def test_packing_is_lossless_and_reproducible():
    files = dict(FILES, **{"odd": bytes(range(256))})
    assert tree.unpack(tree.pack(files)) == files
    assert tree.pack(files) == tree.pack(dict(reversed(list(files.items()))))


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "a//b", "python", "python/x", "./a"])
def test_a_packed_path_that_leaves_the_directory_is_refused(path):
    with pytest.raises(ValueError, match="must not hold the path"):
        tree.unpack(tree.pack({path: b""}))


@pytest.mark.parametrize("text", ["", "nonsense", "ée", "bm90IGEgdHJlZQ=="])
def test_what_is_not_packed_is_refused(text):
    with pytest.raises(ValueError):
        tree.unpack(text)


def test_the_version_names_the_content():
    def name(version, files):
        return tree.version_name(version, tree.digests(files))

    assert name("1.2.3", FILES).startswith("1.2.3-") and len(name("1.2.3", FILES)) == len("1.2.3-") + 12
    assert name("1.2.3", FILES) == name("1.2.3", dict(reversed(list(FILES.items()))))
    assert name("1.2.3", FILES) != name("1.2.3", dict(FILES, **{"main.py": b""}))
    assert name("1", {"ab": b"c"}) != name("1", {"a": b"bc"})


def test_a_built_version_is_whole_private_compiled_and_runs(built):
    runtime, version = built
    assert wrong(version) == [] and stale(version) == []
    assert run(version) == b"original\n"
    assert os.listdir(str(runtime)) == ["1-x"]
    for parent, directories, names in os.walk(str(version)):
        for name in directories + names:
            status = os.lstat(os.path.join(parent, name))
            assert os.path.islink(os.path.join(parent, name)) or not status.st_mode & 0o077, name


def edit(path):
    path.write_bytes(b"VALUE = 'tampered'\n")


def link_away(path):
    target = path.parent.parent / "elsewhere"
    target.write_bytes(FILES["pack/a.py"])
    path.unlink()
    path.symlink_to(target)


def replace_directory(path):
    shutil.rmtree(str(path))
    path.symlink_to("/tmp")


def replace_link(path):
    path.unlink()
    path.symlink_to("/bin/true")


# (what, how, the differences that must be found)
DAMAGE = [
    ("edited", lambda top: edit(top / "pack/inner/deep.py"), [("pack/inner/deep.py", "changed")]),
    ("missing", lambda top: (top / "pack/a.py").unlink(), [("pack/a.py", "missing")]),
    ("mode of a file", lambda top: (top / "pack/a.py").chmod(0o644), [("pack/a.py", "changed")]),
    ("no mode at all", lambda top: (top / "pack/a.py").chmod(0), [("pack/a.py", "changed")]),
    ("mode of a directory", lambda top: (top / "pack").chmod(0o755), [("pack", "changed")]),
    ("an extra file", lambda top: (top / "pack/json.py").write_text(""), [("pack/json.py", "extra")]),
    ("an extra directory", lambda top: (top / "pack/more").mkdir(), [("pack/more", "extra")]),
    ("byte code beside the source", lambda top: (top / "pack/a.pyc").write_text(""), [("pack/a.pyc", "extra")]),
    ("a file became a link", lambda top: link_away(top / "pack/a.py"), [("elsewhere", "extra"), ("pack/a.py", "changed")]),
    ("a directory became a link", lambda top: replace_directory(top / "pack/inner"),
     [("pack/inner", "changed"), ("pack/inner/__init__.py", "missing"), ("pack/inner/deep.py", "missing")]),
    ("the interpreter is another", lambda top: replace_link(top / "python"), [("python", "changed")]),
    ("the interpreter is gone", lambda top: (top / "python").unlink(), [("python", "missing")]),
    ("the byte code's directory became a link", lambda top: replace_directory(top / "pack/__pycache__"), [("pack/__pycache__", "extra")]),
    ("all gone", lambda top: shutil.rmtree(str(top)),
     [("", "missing"), ("main.py", "missing"), ("pack", "missing"), ("pack/__init__.py", "missing"), ("pack/a.py", "missing"),
      ("pack/inner", "missing"), ("pack/inner/__init__.py", "missing"), ("pack/inner/deep.py", "missing"), ("python", "missing")]),
]  # fmt: skip


@pytest.mark.parametrize("damage, expected", [row[1:] for row in DAMAGE], ids=[row[0] for row in DAMAGE])
def test_damage_is_found_and_put_right(built, damage, expected):
    _runtime, version = built
    damage(version)
    assert wrong(version) == expected
    put_right(version)
    assert wrong(version) == [] and stale(version) == []
    assert run(version) == b"original\n"


def test_what_a_planted_link_points_at_is_not_touched(built, tmp_path):
    _runtime, version = built
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "keep").write_text("mine")
    shutil.rmtree(str(version / "pack"))
    (version / "pack").symlink_to(theirs)
    put_right(version)
    assert (theirs / "keep").read_text() == "mine" and os.listdir(str(theirs)) == ["keep"]


def tamper_code(cache, source):
    """Byte code with a header that matches its source and other code in it."""
    head = cache.read_bytes()[:16]
    cache.write_bytes(head + marshal.dumps(compile("VALUE = 'tampered'\n", source, "exec")))


@pytest.mark.parametrize("damage", [
    lambda cache: tamper_code(cache, "deep.py"),
    lambda cache: cache.write_bytes(cache.read_bytes()[:20] + b"\xff" * 50),
    lambda cache: cache.write_bytes(b""),
    lambda cache: cache.unlink(),
    lambda cache: (cache.parent / "evil.cpython-399.pyc").write_bytes(b"x"),
])  # fmt: skip
def test_byte_code_that_is_not_the_sources_does_not_survive(built, damage):
    _runtime, version = built
    damage(cached(version, "pack/inner/deep.py"))
    assert stale(version) and wrong(version) == []
    put_right(version)
    assert stale(version) == [] and run(version) == b"original\n"


def test_byte_code_that_the_interpreter_wrote_itself_is_right(built):
    _runtime, version = built
    for parent, _directories, _names in list(os.walk(str(version))):
        if parent.endswith("__pycache__"):
            shutil.rmtree(parent)
    assert run(version) == b"original\n"  # writes time-stamped byte code of what it imports
    assert stale(version) == ["pack/a.py"]


def test_looking_changes_nothing(built):
    _runtime, version = built
    edit(version / "pack/a.py")
    cached(version, "pack/a.py").unlink()
    before = sorted((parent, sorted(names)) for parent, _directories, names in os.walk(str(version)))
    wrong(version)
    stale(version)
    assert before == sorted((parent, sorted(names)) for parent, _directories, names in os.walk(str(version)))


def test_sources_that_do_not_compile_leave_no_version(tmp_path):
    with pytest.raises(SurfaceError, match="does not compile"):
        tree.build(str(tmp_path), "1-x", dict(FILES, **{"pack/a.py": b"def ("}), PYTHON)
    assert os.listdir(str(tmp_path)) == []


def test_a_link_is_swapped_over_whatever_stands_there(tmp_path):
    current = tmp_path / "current"
    for name in ("one", "two"):
        tree.link_to(name, str(current))
        assert os.readlink(str(current)) == name
    current.unlink()
    current.mkdir()
    (current / "x").write_text("")
    tree.link_to("three", str(current))
    assert os.readlink(str(current)) == "three" and os.listdir(str(tmp_path)) == ["current"]


def test_the_newest_other_version_stays_and_half_built_ones_go(tmp_path):
    for age, name in enumerate(["new", "previous", "old", "older"]):
        (tmp_path / name).mkdir()
        os.utime(str(tmp_path / name), (0, time.time() - 1000 * age))
    (tmp_path / (tree.BUILD_PREFIX + "abc")).mkdir()
    (tmp_path / "current").symlink_to("new")
    assert tree.outdated(str(tmp_path), "new", []) == [tree.BUILD_PREFIX + "abc", "old", "older"]
    assert tree.outdated(str(tmp_path / "absent"), "new", []) == []


def test_nothing_old_goes_while_a_process_runs_from_there(tmp_path):
    for age, name in enumerate(["new", "previous", "old"]):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.py").write_text("import sys\nprint('up', flush=True)\nsys.stdin.read()\n")
        os.utime(str(tmp_path / name), (0, time.time() - 1000 * age))
    script = tmp_path / "old" / "main.py"
    process = subprocess.Popen([PYTHON, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"up\n"
        assert tree.outdated(str(tmp_path), "new") == []
    finally:
        process.communicate()
    assert tree.outdated(str(tmp_path), "new") == ["old"]


def test_a_link_that_cannot_be_put_in_place_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*places):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(SurfaceError, match="current: cannot be linked: No space left on device. Free space on its file system"):
        tree.link_to("1-x", str(tmp_path / "current"))
    assert os.listdir(tmp_path) == []
