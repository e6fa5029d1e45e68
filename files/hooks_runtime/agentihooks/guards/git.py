# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Git: work goes to a branch of its own and through a pull request, so what changes a protected branch is stopped.

Command lines are judged by their parsed words; what they leave open (the branch that is checked out, where a bare push goes, an
alias) is read from the repository's files. Branch changes within one command text are followed.
"""

from __future__ import annotations

from agentihooks import git_repository, shell
from agentihooks.credential_paths import like
from agentihooks.rules import Rule, by_id
from agentihooks.shell import UNKNOWN
from agentihooks.shell_walk import command_texts, steps

_ON_MAIN = {".git/HEAD": "ref: refs/heads/main\n"}
_ON_BRANCH = {".git/HEAD": "ref: refs/heads/topic\n"}


def _case(command, files, **policy):
    return {"tool": "bash", "args": {"command": command}, "files": files, "policy": policy}


_OWN_BRANCH = "Work on a branch of its own (git switch -c my-change keeps what is there) and open a pull request."
RULES = by_id(
    Rule("git.push", "this pushes to the protected branch %s.",
         "Push a branch of its own (git push -u origin my-change) and open a pull request.", "git push origin dev:main", "git push origin dev"),
    Rule("git.delete", "this deletes or renames the protected branch %s.", "Leave it to the person who owns the repository.",
         "git push origin :main", "git push origin :topic"),
    Rule("git.force", "this pushes with force (%s), which can throw away what others pushed.",
         "Push without force; if the histories differ, merge or rebase onto the remote branch first, or ask the person to push.",
         "git push -uf origin topic", "git push -u origin topic"),
    Rule("git.commit", "this makes a commit on the protected branch %s.", _OWN_BRANCH,
         _case("git commit -m x", _ON_MAIN), _case("git commit -m x", _ON_BRANCH)),
    Rule("git.rewrite", "this moves the protected branch %s to another commit.",
         "Move a branch of its own instead (git switch -c my-change), or bring it up to date with git pull.",
         "git branch -f main HEAD~1", "git branch -f topic HEAD~1"),
    Rule("git.local_base", "this builds on the local branch %s, which may be out of date.",
         "Name the remote's branch: git fetch, then git merge origin/main or git rebase origin/main.", "git merge main", "git merge origin/main"),
    Rule("git.merge_request", "this merges a pull request (%s), which changes a protected branch.",
         "Leave the merge to the person; you may say that it is ready.", "gh pr merge 12 --squash", "gh pr view 12"),
    Rule("git.undecidable", "it cannot be told from this command which branch it pushes to (%s).",
         "Name remote and branch: git push origin my-change.", 'git push origin "$SOME_BRANCH"', 'git push origin "topic/$SOME_NAME"'),
    Rule("git.pull_request", "this opens a pull request into %s.", "Name another base (--base dev), or let the person open it.",
         _case("gh pr create --base main", {}, git_gates=["pull_request"]), _case("gh pr create --base dev", {}, git_gates=["pull_request"])),
    Rule("git.tag", "this makes, moves or pushes a tag (%s).", "Leave tags to the release workflow, or ask the person.",
         _case("git tag v2.0.0", {}, git_gates=["tag"]), _case("git tag -l 'v2*'", {}, git_gates=["tag"])),
    Rule("git.branch", "this makes the branch %s.", "Stay on the branch that is checked out, or ask the person for a new one.",
         _case("git switch -c topic", {}, git_gates=["branch"]), _case("git switch topic", {}, git_gates=["branch"])),
)  # fmt: skip

# Letters and long options that take a value, by verb; a long option may be shortened as far as it is the only one.
_VALUES = {
    "push": ("o", ("push-option", "repo", "receive-pack", "exec", "recurse-submodules")),
    "send-pack": ("", ("receive-pack", "exec", "remote")),
    "commit": ("mFCct", ("message", "file", "author", "date", "reuse-message", "reedit-message", "fixup", "squash", "template", "cleanup", "trailer",
                         "pathspec-from-file")),
    "merge": ("msXF", ("message", "strategy", "strategy-option", "into-name", "file", "cleanup")),
    "rebase": ("sXxC", ("onto", "strategy", "strategy-option", "exec", "whitespace")),
    "pull": ("sXjo", ("strategy", "strategy-option", "upload-pack", "depth", "deepen", "jobs", "refmap", "server-option")),
    "fetch": ("jo", ("upload-pack", "depth", "deepen", "jobs", "refmap", "server-option", "shallow-since", "shallow-exclude")),
    "checkout": ("bB", ("orphan", "conflict", "pathspec-from-file")),
    "switch": ("cC", ("create", "force-create", "orphan", "conflict")),
    "branch": ("u", ("set-upstream-to", "contains", "no-contains", "merged", "no-merged", "points-at", "sort", "format")),
    "reset": ("", ("pathspec-from-file",)),
    "tag": ("mFu", ("message", "file", "local-user", "cleanup", "contains", "no-contains", "points-at", "sort", "format", "merged", "no-merged")),
    "worktree": ("bB", ("reason", "orphan")),
    "subtree": ("Pbm", ("prefix", "branch", "onto", "message")),
    "update-ref": ("m", ()), "symbolic-ref": ("m", ()), "cherry-pick": ("mXS", ("mainline", "strategy", "strategy-option")),
    "revert": ("mXS", ("mainline", "strategy", "strategy-option")), "am": ("Cp", ("directory", "exclude", "include")),
    "clone": ("bojuc", ("branch", "origin", "depth", "jobs", "upload-pack", "config", "template", "reference", "separate-git-dir", "filter")),
    "init": ("b", ("initial-branch", "template", "separate-git-dir", "object-format", "ref-format")),
}  # fmt: skip
_FLAGS = {
    "push": ("all", "branches", "mirror", "tags", "follow-tags", "delete", "force", "force-with-lease", "force-if-includes", "dry-run", "porcelain",
             "set-upstream", "prune", "atomic", "thin", "verify", "no-verify", "quiet", "verbose", "progress", "signed", "ipv4", "ipv6"),
    "commit": ("all", "amend", "dry-run", "no-edit", "no-verify", "allow-empty", "interactive", "patch", "signoff", "verbose", "quiet", "reset-author"),
    "branch": ("delete", "move", "copy", "force", "list", "all", "remotes", "show-current", "track", "no-track", "unset-upstream", "edit-description"),
    "switch": ("detach", "guess", "force", "discard-changes", "track", "merge"),
    "checkout": ("detach", "track", "force", "ours", "theirs", "patch", "merge", "guess", "quiet", "progress", "no-track"),
    "merge": ("abort", "continue", "quit", "squash", "no-commit", "ff-only", "no-ff", "ff", "edit", "no-edit", "stat", "signoff"),
    "rebase": ("abort", "continue", "skip", "quit", "edit-todo", "show-current-patch", "interactive", "autosquash", "autostash", "root"),
    "tag": ("list", "delete", "verify", "annotate", "sign", "force", "column"),
    "reset": ("hard", "soft", "mixed", "merge", "keep", "patch", "quiet"),
}  # fmt: skip
_GLOBAL_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--exec-path")
# Verbs of git's own, which no alias can replace, that say nothing about a branch.
_HARMLESS = frozenset(
    """add archive bisect blame bundle cat-file check-attr check-ignore clean count-objects describe diff diff-tree difftool for-each-ref format-patch
    fsck gc grep hash-object help log ls-files ls-remote ls-tree maintenance merge-base mergetool mv name-rev notes range-diff reflog remote repack
    replace rerere restore rev-list rm shortlog show show-ref sparse-checkout stash status submodule var verify-commit version whatchanged""".split()
)
_STEPPING_BACK = frozenset(("abort", "quit", "skip", "edit-todo", "show-current-patch"))
_COMMITTING = frozenset(("cherry-pick", "revert", "am"))
# Tools of the forges' and of git's MCP servers, by the end of their names.
_WRITING_TOOLS = ("push_files", "create_or_update_file", "delete_file", "update_ref", "create_commit", "push_to_branch", "git_push")
_MERGING_TOOLS = ("merge_pull_request", "accept_merge_request", "merge_merge_request")
_BRANCH_KEYS = ("branch", "branch_name", "ref", "base")
_DEEPEST = 5  # aliases in one another


def check(event, context):
    """Return the Denies for the calls of one event."""
    return [found for found in (_Judge(context, event.cwd).call(call) for call in event.calls) if found]


class _Judge:
    """Judges one call. heads: what the commands so far checked out, git directory -> branch."""

    def __init__(self, context, cwd):
        self.context = context
        self.cwd = cwd
        self.protected = context.policy.get("protected_branches", ())
        self.gates = context.policy.get("git_gates", ())
        self.repositories = {}
        self.heads = {}
        self.before = {}  # git directory -> the branch that was checked out before, for "-"
        self.fresh = []  # directories that the commands so far made a new repository of
        self.set = {}  # configuration that the commands so far set
        self.told = {}  # id of a command -> the branch that a substitution in it names
        self.named = {}  # variable -> the branch that it names
        self.aliases = 0  # how many ran a shell so far
        self.own = {}  # what -c and the environment set for the command at hand

    def call(self, call):
        """Return the Deny for one call, None when it may go on."""
        if call.kind == "mcp":
            found = self.tool(call)
            if found:
                return found
        for text in command_texts(call):
            for step in steps(text, self.context.home, self.cwd):
                found = self.step(step)
                if found:
                    return found
        return None

    def step(self, step):
        program = step.program
        if program in ("git", "hub") or program.startswith("git-"):
            words = [self.resolved(word, step.whole) for word in step.command.words[1:]] + (step.added() if step.fed else [])
            if program.startswith("git-"):
                words.insert(0, program[4:])
            found = self.git(words, step, 0)
            if found:
                return found
        if program in ("gh", "glab", "hub"):
            words = [self.resolved(word, step.whole) for word in step.command.words[1:]] + (step.added() if step.fed else [])
            found = self.forge(program, words, step)
            if found:
                return found
        told = self.told.get(id(step.whole))
        if told is not None:
            for name, word in step.whole.assigns:
                if word is not None and word.text == UNKNOWN:
                    self.named[name] = told
            for word in step.whole.words[1:]:
                name, _equals, value = word.text.partition("=")
                if value == UNKNOWN:
                    self.named[name] = told
        return None

    def resolved(self, word, whole):
        """Return a word's text with what is known of the branches in it."""
        text = word.text.replace(shell.STAR, "*").replace(shell.ONE, "?")
        if UNKNOWN not in text:
            return text
        if word.names and text.count(UNKNOWN) == len(word.names):
            for name in word.names:
                text = text.replace(UNKNOWN, self.named.get(name, "\0"), 1)
            return text.replace("\0", UNKNOWN)
        if text.count(UNKNOWN) == 1 and id(whole) in self.told:
            return text.replace(UNKNOWN, self.told[id(whole)])
        return text

    # the repository

    def repository(self, cwd, git_dir=""):
        """Return the Repository of a directory, None when there is none. An unknown one is taken for the session's."""
        place = git_repository.normal(shell.join(cwd, git_dir)) if git_dir else git_repository.normal(cwd)
        if UNKNOWN in place:
            place, git_dir = git_repository.normal(self.cwd), ""
        if any(place == made or place.startswith(made + "/") for made in self.fresh):
            return None
        key = (place, bool(git_dir))
        if key not in self.repositories:
            read = self.context.read
            self.repositories[key] = git_repository.Repository(place, read) if git_dir else git_repository.find(place, read)
        return self.repositories[key]

    def head(self, repository):
        """Return the branch that is checked out by now, "" for none, None when it cannot be told."""
        if repository is None:
            return ""
        if repository.git_dir in self.heads:
            return self.heads[repository.git_dir]
        return repository.branch()

    def set_head(self, repository, branch):
        key = "" if repository is None else repository.git_dir
        self.before[key], self.heads[key] = self.head(repository), branch

    def option(self, key, repository):
        """Return the values that git's configuration has for a key, the strongest last."""
        found = []
        for name in ("/.gitconfig", "/.config/git/config"):
            try:
                found += git_repository.parse_config(self.context.read(self.context.home + name) or "").get(key, [])
            except (OSError, ValueError):
                continue
        if repository is not None:
            found += repository.config().get(key, [])
        return found + self.set.get(key, []) + self.own.get(key, [])

    def is_protected(self, branch):
        """Return whether a branch, which may hold wildcards or unknown parts, is or may be protected."""
        if not branch:
            return False
        if UNKNOWN in branch or "*" in branch or "?" in branch:
            pattern = branch.replace(UNKNOWN, "*").replace("?", "*")
            known = pattern.replace("*", "")
            return ("*" in branch or len(known) > 1) and any(like(name.replace("*", "x"), pattern) for name in self.protected)
        return any(like(branch, name) for name in self.protected)

    # git

    def git(self, words, step, depth):
        """Judge one git command. words: all behind "git"."""
        cwd, git_dir, self.own = step.command.cwd, "", {}
        for name, word in step.whole.assigns + step.command.assigns:
            if word is not None and name == "GIT_DIR":
                git_dir = word.text
            elif word is not None and name.startswith("GIT_CONFIG_KEY_"):
                values = [value.text for other, value in step.whole.assigns if other == "GIT_CONFIG_VALUE_" + name[15:] and value is not None]
                self.own.setdefault(git_repository.config_key(word.text), []).extend(values)
        index = 0
        while index < len(words) and words[index].startswith("-"):
            name, equals, value = words[index].partition("=")
            if name in _GLOBAL_VALUES and not (equals and name in ("-C", "-c")) and not (name == "--exec-path" and not equals):
                if not equals:
                    index += 1
                    value = words[index] if index < len(words) else ""
                if name == "-C":
                    cwd = shell.join(cwd, value)
                elif name == "--git-dir":
                    git_dir = value
                elif name == "-c":
                    key, _equals, setting = value.partition("=")
                    self.own.setdefault(git_repository.config_key(key), []).append(setting)
            index += 1
        if step.via:
            cwd = UNKNOWN if cwd == step.command.cwd else cwd
        repository = None if step.via else self.repository(cwd, git_dir)
        return self.verb(words[index:], step, repository, cwd, depth)

    def verb(self, words, step, repository, cwd, depth):
        verb, rest = (words[0], words[1:]) if words else ("", [])
        if not verb or verb in _HARMLESS:
            return None
        if "--help" in rest or "-h" in rest:
            return None
        judge = getattr(self, "do_" + verb.replace("-", "_"), None) if verb.replace("-", "").isalnum() else None
        if judge is not None:
            letters, longs = _VALUES.get(verb, ("", ()))
            return judge(_Arguments(rest, letters, longs, _FLAGS.get(verb, ())), step, repository, cwd)
        if verb in _COMMITTING:
            letters, longs = _VALUES[verb]
            return self.commits(_Arguments(rest, letters, longs, ("abort", "quit", "skip", "continue", "no-commit")), repository)
        if verb in ("filter-branch", "filter-repo"):
            return self.on_protected("git.rewrite", repository)
        if UNKNOWN in verb:
            return RULES["git.undecidable"].deny("git " + shown(verb)) if any(self.is_protected(word) for word in rest) else None
        if depth < _DEEPEST:
            for value in self.option("alias." + verb, repository)[-1:]:
                if value.startswith("!"):
                    return self.alias(value[1:], rest, cwd)
                inner = [word.text for command in shell.parse(value, self.context.home)[:1] for word in command.words]
                return self.git_again(inner + rest, step, depth)
        return None

    def git_again(self, words, step, depth):
        kept = self.own
        found = self.git(words, step, depth + 1)
        self.own = kept
        return found

    def alias(self, text, rest, cwd):
        from agentihooks.programs import quoted

        if self.aliases >= _DEEPEST:
            return None
        self.aliases += 1
        for step in steps(" ".join([text] + [quoted(word) for word in rest]), self.context.home, cwd):
            found = self.step(step)
            if found:
                return found
        return None

    def on_protected(self, rule, repository):
        head = self.head(repository)
        return RULES[rule].deny(head) if head and self.is_protected(head) else None

    def do_push(self, given, step, repository, cwd):
        if given.has("dry-run", "n"):
            return None
        operands, force = given.operands, given.has("force", "f")
        remote = (given.values("repo") + operands[:1] + [""])[0]
        specs, deleting = _with_tags(operands if given.has("repo") else operands[1:]), given.has("delete", "d")
        if given.has("mirror") or (not specs and self.option("remote.%s.mirror" % remote, repository)[-1:] == ["true"]):
            return RULES["git.push"].deny("by pushing all of them")
        if given.has("all", "branches") or any(spec in (":", "+:") for spec in specs):
            return RULES["git.push"].deny("by pushing all of them") if self.protected else None
        if not specs:
            if given.has("tags"):
                return self.gated_tag("--tags")
            specs = self.option("remote.%s.push" % (remote or "origin"), repository)
        if not specs:
            return self.bare_push(given, step, repository, force)
        for spec in specs:
            found = self.pushed(spec, deleting, repository, step)
            if found:
                return found
        if (force or given.has("force-with-lease") or any(spec.startswith("+") for spec in specs)) and "force_push" in self.gates:
            return RULES["git.force"].deny(" ".join(["git push"] + [shown(word) for word in given.words]))
        if any(spec.lstrip("+").startswith("refs/tags/") for spec in specs) or given.has("tags"):
            return self.gated_tag(specs[0])
        return None

    do_send_pack = do_push

    def bare_push(self, given, step, repository, force):
        """Judge a push that names no branch."""
        head = None if step.via and repository is None else self.head(repository)
        mode = (self.option("push.default", repository) or ["simple"])[-1].lower()
        if mode == "matching":
            return RULES["git.push"].deny("by pushing all of them") if self.protected else None
        if mode == "nothing":
            return None
        if head is None or (repository is None and UNKNOWN in step.command.cwd):
            return RULES["git.undecidable"].deny("the branch that is checked out there is not known")
        if self.is_protected(head):
            return RULES["git.push"].deny(head)
        if mode in ("upstream", "tracking") and head:
            for ref in self.option("branch.%s.merge" % head, repository)[-1:]:
                if self.is_protected(branch_of(ref)):
                    return RULES["git.push"].deny(branch_of(ref))
        if (force or given.has("force-with-lease")) and "force_push" in self.gates:
            return RULES["git.force"].deny(" ".join(["git push"] + [shown(word) for word in given.words]))
        return None

    def pushed(self, spec, deleting, repository, step):
        """Judge one refspec."""
        source, colon, target = spec.lstrip("+").partition(":")
        if spec.startswith("^"):
            return None
        rule = "git.delete" if deleting or (colon and not source) else "git.push"
        if not colon:
            target = source
        if target in ("HEAD", "@"):
            target = self.head(repository)
            if target is None or (not target and (step.via or UNKNOWN in step.command.cwd)):
                return RULES["git.undecidable"].deny("the branch that is checked out there is not known")
        branch = branch_of(target)
        if branch == UNKNOWN or branch in ("-", "@{-1}"):
            return RULES["git.undecidable"].deny(shown(spec))
        return RULES[rule].deny(shown(branch)) if self.is_protected(branch) else None

    def do_subtree(self, given, step, repository, cwd):
        if given.operands[:1] == ["push"]:
            for spec in given.operands[2:]:
                found = self.pushed(spec, False, repository, step)
                if found:
                    return found
        return None

    def do_commit(self, given, step, repository, cwd):
        if given.has("dry-run"):
            return None
        return self.on_protected("git.commit", repository)

    do_citool = do_commit_tree = do_commit

    def commits(self, given, repository):
        if given.has("no-commit", "n") or _STEPPING_BACK & given.names:
            return None
        return self.on_protected("git.commit", repository)

    def do_merge(self, given, step, repository, cwd):
        if _STEPPING_BACK & given.names:
            return None
        head = self.head(repository)
        for name in given.operands:
            branch = branch_of(name)
            if self.is_protected(branch) and branch != head:
                return RULES["git.local_base"].deny(shown(branch))
        if given.has("squash", "no-commit") or (given.operands and all(_is_remote_of(name, head) for name in given.operands)):
            return None
        return self.on_protected("git.commit", repository)

    def do_rebase(self, given, step, repository, cwd):
        if _STEPPING_BACK & given.names or given.has("continue"):
            return None
        head, bases = self.head(repository), given.operands[:1] + given.values("onto")
        for name in bases:
            branch = branch_of(name)
            if self.is_protected(branch) and branch != head:
                return RULES["git.local_base"].deny(shown(branch))
        moved = given.operands[1] if len(given.operands) > 1 else head
        if moved and self.is_protected(branch_of(moved)) and not all(_is_remote_of(name, branch_of(moved)) for name in bases):
            return RULES["git.rewrite"].deny(shown(moved))
        return None

    def do_reset(self, given, step, repository, cwd):
        target = given.operands[0] if given.operands else "HEAD"
        head = self.head(repository)
        if self.is_protected(branch_of(target)) and branch_of(target) != head:
            return RULES["git.local_base"].deny(shown(target))
        if not given.has("hard", "soft", "keep", "merge") or target in ("HEAD", "@", "ORIG_HEAD") or _is_remote_of(target, head):
            return None
        return self.on_protected("git.rewrite", repository)

    def do_branch(self, given, step, repository, cwd):
        if given.has("d", "D", "delete"):
            doomed = [] if given.has("r", "remotes") else [branch_of(name) for name in given.operands if name != UNKNOWN]
            return next((RULES["git.delete"].deny(shown(name)) for name in doomed if self.is_protected(name)), None)
        if given.has("m", "M", "move", "c", "C", "copy"):
            names = given.operands if len(given.operands) > 1 else [self.head(repository) or ""] + given.operands
            if given.has("m", "M", "move") and self.is_protected(branch_of(names[0])) and len(names) > 1:
                return RULES["git.delete"].deny(shown(names[0]))
            return RULES["git.rewrite"].deny(shown(names[-1])) if self.is_protected(branch_of(names[-1])) and len(names) > 1 else None
        if given.has("list", "l", "show-current", "a", "all", "r", "remotes", "contains", "no-contains", "merged", "no-merged", "points-at", "v", "vv",
                     "u", "set-upstream-to", "unset-upstream", "edit-description") or not given.operands:  # fmt: skip
            if given.has("show-current"):
                self.tell(step, repository)
            return None
        name, start = branch_of(given.operands[0]), given.operands[1:2]
        if given.has("f", "force") and self.is_protected(name) and not (start and _is_remote_of(start[0], name)):
            return RULES["git.rewrite"].deny(shown(name))
        return self.gated_branch(name)

    def do_checkout(self, given, step, repository, cwd):
        for option in ("b", "B", "c", "C", "create", "force-create", "orphan"):
            for name in given.values(option):
                forced = option in ("B", "C", "force-create")
                if forced and self.is_protected(name) and not (given.operands and _is_remote_of(given.operands[0], name)):
                    return RULES["git.rewrite"].deny(shown(name))
                self.set_head(repository, name)
                return self.gated_branch(name)
        if not given.operands:
            return None
        target = given.operands[0]
        if given.has("detach", "d"):
            self.set_head(repository, "")
        elif given.has("t", "track"):
            self.set_head(repository, target.partition("/")[2])
        elif target in ("-", "@{-1}"):
            self.set_head(repository, self.before.get("" if repository is None else repository.git_dir))
        elif len(given.operands) == 1 and not given.separated:
            self.set_head_to(target, repository, "switch" in step.words)
        return None

    do_switch = do_checkout

    def set_head_to(self, target, repository, certain):
        """Follow "git checkout X", where X may be a file as well."""
        name = branch_of(target)
        if UNKNOWN in target:
            self.set_head(repository, None if repository is not None else "")
        elif certain or self.is_protected(name) or (repository is not None and (name == repository.branch() or repository.knows(name))):
            self.set_head(repository, name or "")

    def do_worktree(self, given, step, repository, cwd):
        for option in ("b", "B"):
            for name in given.values(option):
                if option == "B" and self.is_protected(name):
                    return RULES["git.rewrite"].deny(shown(name))
                return self.gated_branch(name)
        return None

    def do_update_ref(self, given, step, repository, cwd):
        lines = [given.operands]
        if given.has("stdin"):
            lines = [line.split()[1:] for text in step.command.feeds for line in text.split("\n") if len(line.split()) > 1]
            piped = shell.piped_text(step.command) if step.command.piped_from is not None else ""
            lines += [line.split()[1:] for line in piped.split("\n") if len(line.split()) > 1]
        for words in lines:
            name = branch_of(words[0]) if words and words[0].startswith(("refs/heads/", "HEAD")) else ""
            name = (self.head(repository) or "") if name == "HEAD" else name
            if self.is_protected(name) and not (len(words) > 1 and _is_remote_of(words[1], name)):
                return RULES["git.delete" if given.has("d") else "git.rewrite"].deny(shown(name))
        return None

    def do_symbolic_ref(self, given, step, repository, cwd):
        if given.operands[:1] == ["HEAD"]:
            if len(given.operands) > 1:
                self.set_head(repository, branch_of(given.operands[1]))
            else:
                self.tell(step, repository)
        elif len(given.operands) > 1 and given.operands[0].startswith("refs/heads/") and self.is_protected(branch_of(given.operands[0])):
            return RULES["git.rewrite"].deny(shown(branch_of(given.operands[0])))
        return None

    def do_rev_parse(self, given, step, repository, cwd):
        if given.has("abbrev-ref", "symbolic-full-name") and given.operands in (["HEAD"], ["@"]):
            self.tell(step, repository)
        return None

    def tell(self, step, repository):
        """Note that this command prints the branch that is checked out."""
        if step.command.parent is not None:
            self.told[id(step.command.parent)] = self.head(repository) or "HEAD"

    def do_fetch(self, given, step, repository, cwd):
        """A fetch into a local branch moves it; to bring it up to date from the one of the same name is right."""
        for spec in _with_tags(given.operands[1:]):
            source, _colon, target = spec.lstrip("+").partition(":")
            if target.startswith("refs/") and not target.startswith("refs/heads/"):
                continue
            if self.is_protected(branch_of(target)) and branch_of(source) != branch_of(target):
                return RULES["git.rewrite"].deny(shown(branch_of(target)))
        return None

    do_pull = do_fetch

    def do_tag(self, given, step, repository, cwd):
        if not given.operands or given.has("l", "list", "v", "verify", "contains", "no-contains", "points-at", "merged", "no-merged", "n", "sort"):
            return None
        return self.gated_tag(given.operands[0])

    def do_config(self, given, step, repository, cwd):
        """Remember what is set here, for the commands that follow."""
        words = [word for word in given.operands if word not in ("set", "--")]
        if len(words) == 2 and "." in words[0] and not {"get", "get-all", "unset"} & given.names:
            self.set.setdefault(git_repository.config_key(words[0]), []).append(words[1])
        return None

    def do_init(self, given, step, repository, cwd):
        self.fresh.append(git_repository.normal(shell.join(cwd, (given.operands or ["."])[0])))

    def do_clone(self, given, step, repository, cwd):
        if given.operands:
            name = given.operands[1] if len(given.operands) > 1 else given.operands[0].rstrip("/").rpartition("/")[2].rpartition(":")[2]
            self.fresh.append(git_repository.normal(shell.join(cwd, name[:-4] if name.endswith(".git") else name)))

    def gated_branch(self, name):
        return RULES["git.branch"].deny(shown(name)) if "branch" in self.gates else None

    def gated_tag(self, name):
        return RULES["git.tag"].deny(shown(name)) if "tag" in self.gates else None

    # forges

    def forge(self, program, words, step):
        """Judge gh and glab."""
        values = _option_values(words, ("-R", "--repo", "--hostname"))
        plain = [word for word in words if not word.startswith("-") and word not in values]
        if "--help" in words or "-h" in words:
            return None
        kind, verb = (plain + ["", ""])[:2]
        if kind in ("pr", "mr", "pull-request"):
            if verb in ("merge", "accept") and "--disable-auto" not in words:
                return RULES["git.merge_request"].deny("%s %s %s" % (program, kind, verb))
            if verb in ("create", "new") and "pull_request" in self.gates:
                bases = [value for value in _option_values(words, ("-B", "--base", "-b", "--target-branch")[: 2 if program == "gh" else 4]) if value]
                if not bases or UNKNOWN in bases[-1] or self.is_protected(branch_of(bases[-1])):
                    return RULES["git.pull_request"].deny(shown(bases[-1]) if bases else "the default branch, as no base is named")
            if verb == "checkout":
                self.set_head(self.repository(step.command.cwd), "")
        return self.api(words) if kind == "api" else None

    def api(self, words):
        """Judge gh api and glab api by method, address and fields."""
        fields = dict(
            item.partition("=")[::2] for item in _option_values(words, ("-f", "-F", "--field", "--raw-field")) if "=" in item
        )
        methods = _option_values(words, ("-X", "--method"))
        method = (methods[-1] if methods else "POST" if fields or "--input" in words else "GET").upper()
        for word in words:
            address = word.strip("/").partition("?")[0]
            if word == "graphql":
                if any("mergePullRequest" in value or "enablePullRequestAutoMerge" in value for value in fields.values()):
                    return RULES["git.merge_request"].deny("mergePullRequest")
            if method == "GET" or "/" not in address or word.startswith("-"):
                continue
            parts = address.split("/")
            if parts[-1] == "merge" and ("pulls" in parts or "merge_requests" in parts):
                return RULES["git.merge_request"].deny(shown(address))
            branch = ""
            if "refs" in parts and "heads" in parts:
                branch = address.partition("/heads/")[2]
            elif parts[-2:] == ["git", "refs"]:
                branch = branch_of(fields.get("ref", ""))
            elif parts[-1] == "merges":
                branch = branch_of(fields.get("base", ""))
            elif "contents" in parts or ("repository" in parts and "files" in parts):
                branch = branch_of(fields.get("branch", "")) or (self.protected[0] if self.protected and "--input" not in words else "")
            if self.is_protected(branch):
                return RULES["git.push"].deny(shown(branch))
        return None

    def tool(self, call):
        """Judge a tool of an MCP server for git or a forge."""
        name = call.name.lower()
        if name.endswith(_MERGING_TOOLS):
            return RULES["git.merge_request"].deny(call.name)
        branches = [call.args[key] for key in _BRANCH_KEYS if isinstance(call.args.get(key), str)]
        if name.endswith(_WRITING_TOOLS):
            for branch in branches:
                if self.is_protected(branch_of(branch)):
                    return RULES["git.push"].deny(branch)
        if name.endswith(("git_commit", "git_push")):
            paths = [call.args[key] for key in ("repo_path", "path", "cwd", "directory") if isinstance(call.args.get(key), str)]
            repository = self.repository(shell.join(self.cwd, paths[0] if paths else ""))
            if name.endswith("git_commit") or not branches:
                return self.on_protected("git.commit" if name.endswith("git_commit") else "git.push", repository)
        return None


class _Arguments:
    """The words behind a verb, sorted out as git does: names (options), operands, separated ("--" was there)."""

    def __init__(self, words, letters, longs, flags):
        self.words = words
        self.names = set()
        self.operands = []
        self.separated = False
        self._values = []
        index = 0
        while index < len(words):
            word = words[index]
            if word == "--":
                self.separated = True
                self.operands += words[index + 1 :]
                break
            if word.startswith("--"):
                name, equals, value = word[2:].partition("=")
                name = _whole(name, longs + flags)
                if name in longs and not equals:
                    index += 1
                    value = words[index] if index < len(words) else ""
                self._add(name, value)
            elif word.startswith("-") and len(word) > 1:
                index += self._bundle(word[1:], letters, words[index + 1 : index + 2])
            else:
                self.operands.append(word)
            index += 1

    def _bundle(self, bundle, letters, following):
        """Take a group of single letters; returns 1 when the next word was the value of the last one."""
        for place, letter in enumerate(bundle):
            if letter in letters:
                value = bundle[place + 1 :]
                self._add(letter, value or (following[0] if following else ""))
                return 0 if value else 1
            self._add(letter, "")
        return 0

    def _add(self, name, value):
        self.names.add(name)
        self._values.append((name, value))

    def has(self, *names):
        return not self.names.isdisjoint(names)

    def values(self, name):
        return [value for one, value in self._values if one == name and value]


def _whole(name, known):
    """Return a long option written out: git takes any beginning that only one option has."""
    if name in known:
        return name
    found = [one for one in known if one.startswith(name)]
    return found[0] if len(found) == 1 and name else name


def _with_tags(specs):
    """Return refspecs with "tag NAME" as the one refspec that it means."""
    found, index = [], 0
    while index < len(specs):
        if specs[index] == "tag" and index + 1 < len(specs):
            index += 1
            found.append("refs/tags/" + specs[index])
        else:
            found.append(specs[index])
        index += 1
    return found


def branch_of(ref):
    """Return the local branch that a name means, "" when it cannot be one."""
    for head in ("refs/heads/", "heads/"):
        if ref.startswith(head):
            return ref[len(head) :]
    if ref.startswith("refs/"):
        return "" if "*" not in ref[:7] else "*"
    return ref


def _is_remote_of(name, branch):
    """Return whether a name means what a remote has of the branch: origin/main, refs/remotes/origin/main, @{u}, FETCH_HEAD."""
    if name in ("FETCH_HEAD", "@{u}", "@{upstream}", "HEAD@{u}", "HEAD@{upstream}"):
        return True
    if not branch:
        return False
    if name.startswith("refs/remotes/"):
        name = name[len("refs/remotes/") :]
    elif name.startswith("remotes/"):
        name = name[len("remotes/") :]
    return name.partition("/")[2] == branch or name in (branch + "@{u}", branch + "@{upstream}")


def _option_values(words, options):
    """Return the values of options: "-X y", "-Xy", "--method y" and "--method=y"."""
    found = []
    for index, word in enumerate(words):
        if word in options:
            found += words[index + 1 : index + 2]
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            found += [value] if equals and name in options else []
        elif word.startswith("-") and len(word) > 2 and word[:2] in options:
            found.append(word[2:].lstrip("="))
    return found


def shown(text):
    """Return text for a reader: an unknown part as "..."."""
    return text.replace(UNKNOWN, "...")
