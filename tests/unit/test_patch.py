# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a patch adds to which file, in the apply_patch form and as a unified diff."""

from __future__ import annotations

import pytest
from agentihooks.patch import parse
from hypothesis import given, settings
from hypothesis import strategies as st

PATCH = """*** Begin Patch
*** Add File: docs/new.md
+first
+second
*** Update File: src/old.py
*** Move to: src/new.py
@@ def f():
 context
-gone
+here
*** Delete File: dead.txt
*** End Patch"""

DIFF = """diff --git a/a.py b/a.py
index 83db48f..bf269f4 100644
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 context
--- a comment in SQL
+new
\\ No newline at end of file
diff --git a/n.txt b/n.txt
new file mode 100644
--- /dev/null
+++ b/n.txt
@@ -0,0 +1 @@
+made
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-was
"""


def fields(text):
    return [(change.op, change.path, change.moved_to, change.added, change.removed) for change in parse(text)]


@pytest.mark.parametrize("text, changes", [
    (PATCH, [("add", "docs/new.md", "", "first\nsecond", ""), ("update", "src/old.py", "src/new.py", "here", "gone"), ("delete", "dead.txt", "", "", "")]),
    (PATCH.replace("\n", "\r\n"), [("add", "docs/new.md", "", "first\nsecond", ""), ("update", "src/old.py", "src/new.py", "here", "gone"),
                                   ("delete", "dead.txt", "", "", "")]),
    (DIFF, [("update", "a.py", "", "new", "-- a comment in SQL"), ("add", "n.txt", "", "made", ""), ("delete", "gone.txt", "", "", "was")]),
    ("--- old.txt\t2026-01-01\n+++ new.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b", [("update", "old.txt", "new.txt", "b", "a")]),
    ("", []),
    ("*** Begin Patch\n*** End Patch", []),
    ("just text", [("update", "", "", "just text", "")]),
    ("*** Begin Patch\n*** Update File: a\n@@\n+x\n*** End of File\n*** End Patch", [("update", "a", "", "x", "")]),
    ("*** Begin Patch\n*** Add File: a\n x\n-y\nz\n*** End Patch", [("add", "a", "", " x\n-y\nz", "")]),
    ("*** Begin Patch\n*** Frobnicate File: a\n+x", [("update", "", "", "*** Frobnicate File: a\nx", "")]),
    ("*** Move to: a\n+x", [("update", "", "", "*** Move to: a\nx", "")]),
    ("+x\n*** Update File: a\n-y", [("update", "", "", "x", ""), ("update", "a", "", "", "y")]),
    ("*** Update File: a\n@@\n+++ counter\n--- counter", [("update", "a", "", "++ counter", "-- counter")]),
])  # fmt: skip
def test_changes(text, changes):
    assert fields(text) == changes


LINES = ["*** Begin Patch", "*** End Patch", "*** Add File: a", "*** Update File: b", "*** Delete File: c", "*** Move to: d", "@@", "@@ x", " same", "-old",
         "diff --git a/x b/x", "--- a/x", "+++ b/x", "--- /dev/null", "", "\\ No newline at end of file", "\r", "\ud800"]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=12)), max_size=20), st.integers(0, 20))
def test_an_added_line_is_never_lost(lines, place):
    lines.insert(place, "+canary line")
    assert any("canary line" in change.added or "canary line" in change.moved_to for change in parse("\n".join(lines)))


def test_a_header_is_read_loosely():
    text = "*** Begin Patch\n  *** Add File: a\n+x\n ***  update file:b\n*** move to:c\n@@\n  *** Add File: stays\n+y\n*** End Patch"
    changes = parse(text)
    assert [(change.op, change.path, change.moved_to) for change in changes] == [("add", "a", ""), ("update", "b", "c")]
    assert changes[1].added == "y"
