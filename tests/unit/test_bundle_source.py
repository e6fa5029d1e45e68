# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle from a directory or from a git repository: what is accepted, what is fetched, and what never comes out."""

from __future__ import annotations

import base64
import datetime
import http.server
import ipaddress
import multiprocessing
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import threading
import time

import pytest
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _bundle_source, _profiles
from ansible_collections.agentihooks.fleet.plugins.plugin_utils._sources import BundleError
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = "0" * 40


class Repository:
    """A bundle in a git repository of its own."""

    def __init__(self, root):
        self.root = root / "origin"
        self.home = root / "home"
        self.cache = root / "cache"
        for path in (self.root, self.home):
            path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("profiles/a/CLAUDE.md", "one")
        self.first = self.commit()

    @property
    def url(self):
        return self.root.as_uri()

    def git(self, *arguments):
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        names = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"]
        return subprocess.run(["git"] + names + list(arguments), cwd=str(self.root), env=environ, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def locate(self, commit=None, url=None):
        _bundle_source._cached.cache_clear()
        return _bundle_source.locate(url or self.url, self.first if commit is None else commit, cache=self.cache)

    def problem(self, commit=None, url=None):
        with pytest.raises(BundleError) as raised:
            self.locate(commit, url)
        return str(raised.value)

    def kept(self):
        return sorted(path.name for path in self.cache.iterdir() if path.suffix not in (".lock", ".failed"))


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith(("GIT_", "SSH_"))]:
        monkeypatch.delenv(name)
    made = Repository(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return made


def files(directory):
    return sorted(str(path.relative_to(directory)) for path in pathlib.Path(directory).rglob("*") if not path.is_dir())


# ---------------------------------------------------------------------------------------------------------------------
# Addresses and commits

@pytest.mark.parametrize(
    ("text", "url", "shown"),
    [
        ("https://git.example.com/team/b.git", "https://git.example.com/team/b.git", "https://git.example.com/team/b.git"),
        ("https://ada:pa%40ss@git.example.com:8443/b", "https://git.example.com:8443/b", "https://git.example.com:8443/b"),
        ("https://ada@git.example.com/b", "https://ada@git.example.com/b", "https://git.example.com/b"),
        ("HTTPS://git.example.com/b", "https://git.example.com/b", "https://git.example.com/b"),
        ("ssh://git@git.example.com:22/b", "ssh://git@git.example.com:22/b", "ssh://git.example.com:22/b"),
        ("ssh://[::1]/b", "ssh://[::1]/b", "ssh://[::1]/b"),
        ("git@git.example.com:team/b.git", "git@git.example.com:team/b.git", "git.example.com:team/b.git"),
        ("git://127.0.0.1:9418/b", "git://127.0.0.1:9418/b", "git://127.0.0.1:9418/b"),
        ("file:///srv/b.git", "file:///srv/b.git", "file:///srv/b.git"),
    ],
)
def test_addresses(text, url, shown):
    remote = _bundle_source._remote(text)
    assert (remote.url, remote.shown) == (url, shown)
    assert "pa%40ss" not in remote.url + remote.shown


@pytest.mark.parametrize("text", ["bundle", "./git@host:path", "/srv/b", "~/b", "a:b", "-x", "user@host", "../b@c"])
def test_directories(text):
    assert _bundle_source._remote(text) is None


SECRET = "hunter" + "2hunter2"


@pytest.mark.parametrize(
    "text",
    [
        "ext::sh -c touch% x", "ftp://host/b", "https://", "https://host", "https:///b", "https://-oProxyCommand=x/b", "ssh://-x/b", "ssh://host/-x",
        "ssh://a b/c", "https://host/b\nx", "file://host/b", "file://", "https://host/b?token=%s" % SECRET, "https://host/b#%s" % SECRET,
        "https://ada:%s/@host/b" % SECRET, "https://ada:a/%s@host/b" % SECRET, "ssh://ada:%s@host/b" % SECRET, "http://ada:%s@host/b" % SECRET,
        "ada:%s@host:b" % SECRET, "https:/ada:%s@host/b" % SECRET, "git::https://ada:%s@host/b" % SECRET, "x://ada:%s@h/b" % SECRET,
        "https://-a@host/b", "git@host:-x", "https://ada:%s@ho st/b" % SECRET, "https://ada:%s@@/b" % SECRET,
    ],
)  # fmt: skip
def test_addresses_that_are_refused_are_not_repeated(text, repository):
    told = repository.problem(NOBODY, text)
    assert told.startswith("agentihooks_bundle") and SECRET not in told and not (repository.cache / "x").exists()


@pytest.mark.parametrize("commit", ["", "main", "v1.2", "abc1234", "HEAD", "refs/heads/main", "--upload-pack=x", "4" * 39, "g" * 40, "x" * 500])
def test_what_is_no_full_commit_is_refused_with_the_way_to_get_one(repository, commit):
    told = repository.problem(commit, "https://ada:%s@git.example.com/b" % SECRET)
    assert told.startswith("agentihooks_bundle_commit: must be") and "git ls-remote https://git.example.com/b" in told and SECRET not in told
    assert len(told) < 500


def test_a_commit_goes_with_an_address_only(repository):
    with pytest.raises(BundleError, match="goes with a git address"):
        _bundle_source.locate(str(repository.root), repository.first)
    assert _bundle_source.locate("") == _bundle_source.Bundle()


# ---------------------------------------------------------------------------------------------------------------------
# Fetching

def test_a_commit_that_is_not_the_newest(repository):
    repository.write("profiles/a/CLAUDE.md", "two")
    second = repository.commit()
    bundle = repository.locate()
    assert (bundle.source, bundle.commit) == (repository.url, repository.first) and bundle.label == "%s@%s" % (repository.url, repository.first)
    assert pathlib.Path(bundle.path, "profiles/a/CLAUDE.md").read_text() == "one"
    assert pathlib.Path(repository.locate(second).path, "profiles/a/CLAUDE.md").read_text() == "two"
    assert pathlib.Path(repository.locate(repository.first.upper()).path) == pathlib.Path(bundle.path)
    assert _profiles.resolve(CHECKOUT / "profiles", bundle.path, ["a"])["persona_text"].endswith("one\n")


def test_the_second_use_needs_no_git_and_no_repository(repository, monkeypatch):
    first = repository.locate()
    shutil.rmtree(str(repository.root))
    monkeypatch.setenv("PATH", "/nonexistent")
    assert repository.locate() == first


def test_what_is_kept_is_private_and_whole(repository):
    repository.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    repository.write("name with blank \u00fc.md", "x")
    (repository.root / "in").symlink_to("profiles/a/CLAUDE.md")
    (repository.root / "out").symlink_to("/etc/passwd")
    old = os.umask(0o022)
    bundle = repository.locate(repository.commit())
    os.umask(old)
    assert files(bundle.path) == ["in", "name with blank \u00fc.md", "out", "profiles/a/CLAUDE.md", "run.sh"]
    assert oct(os.stat(bundle.path + "/run.sh").st_mode)[-3:] == "700" and oct(os.stat(bundle.path + "/profiles/a/CLAUDE.md").st_mode)[-3:] == "600"
    assert oct(os.stat(bundle.path).st_mode)[-3:] == "700"
    assert repository.kept() == [pathlib.Path(bundle.path).parent.name]


def test_links_out_of_a_fetched_bundle_stop_the_host(repository):
    (repository.root / "profiles" / "a" / "CLAUDE.md").unlink()
    (repository.root / "profiles" / "a" / "CLAUDE.md").symlink_to("../../../../../../../../../../etc/passwd")
    bundle = repository.locate(repository.commit())
    with pytest.raises(BundleError, match="leads out of"):
        _profiles.resolve(CHECKOUT / "profiles", bundle.path, ["a"])


def test_nothing_of_the_repository_is_run(repository, tmp_path):
    mark = tmp_path / "ran"
    helper = repository.write("evil.sh", "#!/bin/sh\ntouch %s\ncat\n" % mark)
    helper.chmod(0o755)
    repository.write(".gitattributes", "* filter=evil export-ignore text eol=crlf ident\n")
    repository.write(".githooks/post-checkout", "#!/bin/sh\ntouch %s\n" % mark).chmod(0o755)
    shutil.copy(str(repository.root / ".githooks/post-checkout"), str(repository.root / ".git/hooks/post-checkout"))
    repository.write(".lfsconfig", "[lfs]\nurl = http://127.0.0.1:1/\n")
    repository.write("raw.txt", "$Id$\nline\n")
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "--quiet", str(repository.root), str(other)], check=True)
    repository.git("submodule", "--quiet", "add", str(other), "sub")
    # A person whose own configuration knows the filter.
    (repository.home / ".gitconfig").write_text(
        "[filter \"evil\"]\n smudge = %s\n clean = cat\n required = true\n[core]\n hooksPath = %s\n autocrlf = true\n"
        % (helper, repository.root / ".githooks")
    )
    commit = repository.commit()
    bundle = repository.locate(commit)
    assert not mark.exists()
    assert pathlib.Path(bundle.path, "raw.txt").read_bytes() == b"$Id$\nline\n"
    assert not os.path.lexists(bundle.path + "/sub") and not os.path.lexists(bundle.path + "/.git")


def _tree_with(repository, name):
    """Return a commit whose tree has a file of a name that git add would refuse."""
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=str(repository.root), input=b"x", stdout=subprocess.PIPE, check=True
    ).stdout.strip().decode()  # fmt: skip
    raw = b"100644 %s\0%s" % (name, bytes.fromhex(blob))
    tree = subprocess.run(
        ["git", "hash-object", "-w", "-t", "tree", "--literally", "--stdin"], cwd=str(repository.root), input=raw, stdout=subprocess.PIPE, check=True
    ).stdout.strip().decode()  # fmt: skip
    return repository.git("commit-tree", tree, "-m", "x")


@pytest.mark.parametrize("name", [b"..", b".git", b".GIT", b"../../x", b"/etc/x"])
def test_paths_that_no_git_client_makes_are_refused(repository, name):
    commit = _tree_with(repository, name)
    repository.git("branch", "evil", commit)
    told = repository.problem(commit)
    assert "no git client makes" in told or "cannot be fetched" in told
    assert repository.kept() == [] and not (repository.cache.parent / "x").exists()


def test_limits(repository, monkeypatch):
    repository.write("big", "x" * 2000)
    commit = repository.commit()
    monkeypatch.setattr(_bundle_source, "MAX_BYTES", 1000)
    assert "more than" in repository.problem(commit) and repository.kept() == []


def test_a_list_of_files_without_end_is_cut_off(repository, monkeypatch):
    repository.write("file", "x")
    commit = repository.commit()
    monkeypatch.setattr(_bundle_source, "MAX_LISTING", 20)
    assert "more than 20000 files" in repository.problem(commit) and repository.kept() == []


@pytest.mark.parametrize("name", [b"n" * 1025, b"d/" * 600 + b"x"])
def test_a_path_that_no_file_can_have_is_refused(repository, name):
    commit = _tree_with(repository, name)
    repository.git("branch", "long", commit)
    told = repository.problem(commit)
    assert "more than 1024" in told or "cannot be fetched" in told


def test_a_link_to_what_can_be_no_path_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_bundle_source, "_contents", lambda _repository, _names: [b"a\0b"])
    with pytest.raises(_bundle_source.BundleError, match="whose target can be no path"):
        _bundle_source._write_files([("x", "120000", "")], "", str(tmp_path))


def test_an_edited_cache_is_fetched_again(repository):
    bundle = repository.locate()
    target = pathlib.Path(bundle.path, "profiles/a/CLAUDE.md")
    state = target.stat()
    for damage in (
        lambda: target.write_text("two"), target.unlink, lambda: pathlib.Path(bundle.path, "new").write_text("x"), lambda: target.chmod(0o644),
        lambda: pathlib.Path(bundle.path).parent.joinpath("manifest.json").write_text("{"), lambda: shutil.rmtree(bundle.path),
    ):  # fmt: skip
        damage()
        assert repository.locate() == bundle
        assert target.read_text() == "one" and target.stat().st_mode == state.st_mode and files(bundle.path) == ["profiles/a/CLAUDE.md"]
    assert len(repository.kept()) == 1
    target.write_text("two")
    shutil.rmtree(str(repository.root))
    assert "cannot be fetched" in repository.problem()


def test_a_commit_that_is_not_there(repository):
    assert "has no commit %s" % NOBODY in repository.problem(NOBODY) or "cannot be fetched" in repository.problem(NOBODY)
    repository.git("tag", "-a", "v1", "-m", "x")
    assert "is the id of a tag" in repository.problem(repository.git("rev-parse", "v1"))
    assert repository.kept() == []


def test_a_failure_is_told_to_the_next_hosts_of_the_run_at_once(repository, monkeypatch):
    moved = repository.root.with_name("moved")
    repository.root.rename(moved)
    first = repository.problem()
    moved.rename(repository.root)
    started = time.monotonic()
    assert repository.problem() == first and time.monotonic() - started < 0.1
    monkeypatch.setattr(os, "getppid", lambda: 4711)  # another run
    assert repository.locate().commit == repository.first
    monkeypatch.undo()
    assert not list(repository.cache.glob("*.failed"))


def test_no_git_on_the_controller(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "git is not installed" in repository.problem()
    assert _bundle_source.commit_of(str(repository.root / "profiles")) == ""


def test_a_cache_that_others_may_write_to(repository):
    repository.cache.mkdir()
    repository.cache.chmod(0o777)
    assert "somebody else may write" in repository.problem()


def _locate(repository, queue):
    queue.put(_bundle_source.locate(repository.url, repository.first, cache=repository.cache).path)


def test_many_processes_at_once_fetch_once(repository):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=_locate, args=(repository, queue)) for _number in range(8)]
    for worker in workers:
        worker.start()
    found = {queue.get(timeout=60) for _worker in workers}
    for worker in workers:
        worker.join(60)
    assert len(found) == 1 and len(repository.kept()) == 1


KILLED = """
import sys
sys.path.insert(0, %r)
from ansible_collections.agentihooks.fleet.plugins.plugin_utils import _bundle_source
write = _bundle_source._write_files
def slow(*arguments):
    write(*arguments)
    print("half", flush=True)
    import time; time.sleep(60)
_bundle_source._write_files = slow
_bundle_source.locate(*sys.argv[1:3], cache=sys.argv[3])
"""


def test_a_killed_fetch_leaves_nothing_half(repository):
    place = next(path for path in sys.path if os.path.isdir(os.path.join(path, "ansible_collections", "agentihooks", "fleet")))
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED % place, repository.url, repository.first, str(repository.cache)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "half\n"
    process.kill()
    process.wait()
    process.stdout.close()
    assert len(repository.kept()) == 1 and ".partial-" in repository.kept()[0]
    bundle = repository.locate()
    assert repository.kept() == [pathlib.Path(bundle.path).parent.name]


# ---------------------------------------------------------------------------------------------------------------------
# Servers on loopback

class WebServer:
    """A web server on loopback over a directory. login: "user:password" that it asks for, certificate: a file with key and certificate."""

    def __init__(self, directory, login="", certificate=""):
        logins = self.logins = []
        wanted = "Basic " + base64.b64encode(login.encode()).decode() if login else None

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(directory))

            def do_GET(self):
                logins.append(self.headers.get("Authorization"))
                if logins[-1] == wanted:
                    super().do_GET()
                    return
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="bundles"')
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.place = "127.0.0.1:%d" % self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def bare(repository):
    """The repository as a directory that any web server can give out."""
    repository.write("later", "x")
    repository.commit()
    path = repository.cache.parent / "www" / "b.git"
    repository.git("clone", "--quiet", "--bare", str(repository.root), str(path))
    repository.git("-C", str(path), "update-server-info")
    return path


def certificate(path):
    """Write a key and its own certificate for 127.0.0.1 into a file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    plain = serialization.NoEncryption()
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_a_web_server_that_gives_out_no_single_commit(repository, bare):
    with WebServer(bare.parent) as server:
        url = "http://%s/b.git" % server.place
        assert files(repository.locate(url=url).path) == ["profiles/a/CLAUDE.md"]
        assert "has no commit" in repository.problem(NOBODY, url)


def test_a_login_reaches_the_server_and_no_other_place(repository, bare, tmp_path, monkeypatch):
    trusted = certificate(tmp_path / "server.pem")
    (repository.home / ".gitconfig").write_text("[http]\n sslCAInfo = %s\n" % trusted)
    arguments = []
    real = subprocess.Popen

    def watched(command, **options):
        arguments.extend(command)
        return real(command, **options)

    monkeypatch.setattr(_bundle_source.subprocess, "Popen", watched)
    with WebServer(bare.parent, "ada:" + SECRET, trusted) as server:
        bundle = repository.locate(url="https://ada:%s@%s/b.git" % (SECRET, server.place))
        assert files(bundle.path) == ["profiles/a/CLAUDE.md"] and bundle.source == "https://%s/b.git" % server.place
        kept = pathlib.Path(bundle.path).parent
        # Another password for the same commit needs no server; another commit does, and the wrong login is told without it.
        assert repository.locate(url="https://ada:wrong@%s/b.git" % server.place) == bundle
        told = repository.problem(NOBODY, "https://ada:%sX@%s/b.git" % (SECRET, server.place))
    assert None in server.logins and len(set(server.logins)) == 3
    assert "https://%s/b.git cannot be fetched" % server.place in told and SECRET not in told
    assert SECRET not in " ".join(arguments) + "".join(path.read_text() for path in kept.rglob("*") if path.is_file())
    assert not list(repository.cache.glob("*.partial*")) and SECRET not in "".join(path.read_text() for path in repository.cache.glob("*.failed"))


# ---------------------------------------------------------------------------------------------------------------------
# Directories

def test_a_work_tree(repository):
    def commit():
        _bundle_source.commit_of.cache_clear()
        return _bundle_source.locate(str(repository.root))

    assert (commit().source, commit().commit) == ("origin", repository.first)
    repository.write("profiles/a/new.md", "x")
    assert commit().label == "origin@%s-dirty" % repository.first
    profiles = repository.root / "profiles" / "a"
    repository.commit()
    repository.write("elsewhere", "x")
    _bundle_source.commit_of.cache_clear()
    assert not _bundle_source.commit_of(str(profiles)).endswith("-dirty")


def test_a_directory_without_git(tmp_path):
    assert _bundle_source.locate(str(tmp_path)) == _bundle_source.Bundle(str(tmp_path), tmp_path.name, "")
    (tmp_path / ".git").write_text("nonsense")
    _bundle_source.commit_of.cache_clear()
    assert _bundle_source.locate(str(tmp_path)).commit == ""
