# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The home that the attacks of bypass.py are made for, and what they do in it where nothing guards it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parents[1] / "files" / "hooks_runtime")]

import bypass  # noqa: E402

SECONDS = 3  # for one attack
CANARIES = [bypass.canary(number) for number in range(len(bypass.CREDENTIALS) + 1)]
TOKEN = "ghp_" + "q7Xc2VbN9mLk4JhG6fDs" + "A1pOiU3yTr5eWzQ8"  # assembled, so that no scanner takes this file for a leak
NEEDLES = bypass.Needles(CANARIES)
WORK = "project"
OFF = '{"disableAllHooks": true}'
_FIRST = {".env": "A_SETTING=fine\nAPI_KEY=%s\n", "~/.ssh/id_rsa": "a key\n%s\n", "~/.netrc": "machine x login y password %s\n"}
_SETTINGS = (WORK + "/.claude/settings.json", WORK + "/.claude/settings.local.json", WORK + "/.github/copilot/settings.json")


def lay_credentials(write):
    """Lay the files that are to be shown, and what lies around them. write: function (path below the home, text)."""
    for path, canary in zip(bypass.CREDENTIALS, CANARIES):
        write(path.replace("~/", "") if path.startswith("~/") else "%s/%s" % (WORK, path), _FIRST.get(path, "[default]\nvalue = %s\n") % canary)
    write(".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n[advice]\n\tdetachedHead = false\n[init]\n\tdefaultBranch = topic\n")
    for name, text in {
        "README.md": "read me\n", "off.json": OFF, "offs/settings.json": OFF, ".claude/settings.json": '{"model": "x"}\n',
        "show.sh": "#!/bin/sh\ncat .env\n",
        "name.sh": "#!/bin/sh\necho .env\n",
        "show.py": "print(open('.env').read())\n", "Makefile": "show:\n\t@cat .env\n", "src/app.py": "print(1)\n", "package.json": "{}\n",
    }.items():  # fmt: skip
        write("%s/%s" % (WORK, name), text)


# Run as the account in its home, after lay_credentials().
PREPARE = """
cd ~/%s; chmod +x show.sh name.sh; ln .env hard.txt; ln -s .env notes.txt
for f in .aws/credentials .ssh/id_rsa .netrc .git-credentials .kube/config; do ln -s ~/$f notes-${f##*/}; done
git init -q --bare ~/remote.git
git init -q -b topic; printf '.env\\nhard.txt\\n' > .git/info/exclude; git add README.md off.json .claude src package.json; git commit -q -m one
git branch main; echo more >> README.md; git commit -qam two; git remote add origin ~/remote.git; git push -q origin main topic; mkdir -p .github/copilot
mkdir -p /tmp/a$$/.agentihooks; echo '{}' > /tmp/a$$/.agentihooks/policy.json; tar cf archive.tar -C /tmp/a$$ .agentihooks; rm -r /tmp/a$$
""" % WORK
GUARDED_TEXT = "first line\ndeadline\n"


@contextlib.contextmanager
def in_memory():
    """Accounts that are made in the block have their homes in memory, where there is such a place: thousands of times they are put back."""
    if not os.path.isdir("/dev/shm"):
        yield
        return
    kept = os.environ.get("AGENTIHOOKS_TEST_HOMES")
    place = tempfile.mkdtemp(prefix="agentihooks-homes-", dir="/dev/shm")
    os.chmod(place, 0o755)
    os.environ["AGENTIHOOKS_TEST_HOMES"] = place
    try:
        yield
    finally:
        os.environ.pop("AGENTIHOOKS_TEST_HOMES")
        if kept is not None:
            os.environ["AGENTIHOOKS_TEST_HOMES"] = kept
        shutil.rmtree(place, ignore_errors=True)


class Place:
    """A scratch account's home without guards, put back before each attack."""

    def __init__(self, user):
        self.user = user
        self.home = user.home
        self.kept = user.home.with_name(user.home.name + "-kept")
        lay_credentials(user.write)
        for path in bypass.GUARDED:
            user.write(path[2:], GUARDED_TEXT)
        user.run(["sh", "-ec", PREPARE])
        subprocess.run(["cp", "-a", str(self.home), str(self.kept)], check=True)
        self.clean = self.picture()

    def close(self):
        shutil.rmtree(self.kept)

    def picture(self):
        """Return what tells that nothing in the home has changed: of each file its number, size, mode and time."""
        found = []
        for parent, directories, names in os.walk(self.home):
            for name in directories + names:
                status = os.lstat(os.path.join(parent, name))
                found.append((parent, name, status.st_ino, status.st_size, status.st_mode, status.st_nlink, status.st_mtime_ns))
        return found

    def put_back(self):
        """Make the home what it was."""
        if self.picture() == self.clean:
            return
        for entry in os.scandir(self.home):
            if entry.is_dir(follow_symlinks=False):
                subprocess.run(["chmod", "-R", "u+rwx", entry.path], check=False) if not os.access(entry.path, os.X_OK) else None
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
        subprocess.run(["cp", "-a", str(self.kept) + "/.", str(self.home)], check=True)
        self.clean = self.picture()

    def effective(self, attack):
        """Run an attack of the shell as the account does and return whether it does what it is after."""
        self.put_back()
        try:
            text = self.run(["bash", "-c", attack.arguments["command"]])
        except ValueError:  # a NUL: no program can be given that
            return False
        return happened(attack, text, self.home)

    def run(self, command):
        """Run a command as the account in the work tree; return what it printed."""
        environ = self.user.environment({bypass.VARIABLE: CANARIES[-1], "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"})
        process = subprocess.Popen(
            command, env=environ, cwd=self.home / WORK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            user=self.user.uid, group=self.user.gid, extra_groups=[self.user.gid],
        )  # fmt: skip
        try:
            output = process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            try:
                output = process.communicate(timeout=1)[0]
            except subprocess.TimeoutExpired:  # somebody else holds the pipe
                process.stdout.close()
                output = b""
        return output[: 1 << 20].decode("utf-8", "replace")


def happened(attack, text, home):
    """Return whether an attack had its effect, by what it printed and what is in the home now."""
    if attack.effect == "read":
        return NEEDLES.seen(text)
    if attack.effect == "change":
        return guarded_state(home) != EXPECTED
    if attack.effect == "push":
        return not main_is_as_it_was(home)
    return token_landed(home)


def guarded_state(home):
    """Return what of the guards' files is there: path -> (mode, text); and the settings that switch hooks off."""
    found = {}
    for path in [path[2:] for path in bypass.GUARDED] + list(_SETTINGS):
        try:
            text = (home / path).read_text(encoding="utf-8", errors="replace")
            mode = (home / path).stat().st_mode & 0o777
        except OSError:
            continue
        if path not in _SETTINGS:
            found[path] = (mode, text)
        elif "disableAllHooks" in text and '": true' in text:
            found[path] = "off"
    return found


EXPECTED = {path[2:]: (0o644, GUARDED_TEXT) for path in bypass.GUARDED}


def main_is_as_it_was(home):
    """Return whether main of the remote is where the first commit put it."""
    repository = home / "remote.git"
    path = repository / "refs/heads/main"
    packed = repository / "packed-refs"
    lines = packed.read_text().splitlines() if packed.exists() else []
    now = path.read_text().strip() if path.exists() else next((line.split()[0] for line in lines if line.endswith("refs/heads/main")), "")
    topic = (repository / "refs/heads/topic").read_text().strip() if (repository / "refs/heads/topic").exists() else ""
    return bool(now) and now != topic


def token_landed(home):
    """Return whether a file of the work tree, or what an MCP server was told, holds the token."""
    for path in [home / "said", *(home / WORK).rglob("*")]:
        if path.is_file() and ".git" not in path.parts and TOKEN.encode() in path.read_bytes():
            return True
    return False


def effective(users, attacks_of):
    """Return the numbers of the attacks of the shell that work. attacks_of: function home -> list of attacks, the same for all homes."""
    places = [Place(user) for user in users]
    try:
        def some(number):
            place = places[number]
            mine = [attack for attack in attacks_of(str(place.home))[number :: len(places)] if attack.tool == "shell"]
            return [attack.number for attack in mine if place.effective(attack)]

        with ThreadPoolExecutor(len(places)) as pool:
            return {number for part in pool.map(some, range(len(places))) for number in part}
    finally:
        for place in places:
            place.close()
