# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx's settings for the documentation site; scripts/docs.sh lays out the directory that it builds."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = "https://github.com/agentihooks/fleet/blob/main/"
HERE = Path(__file__).parent

project = "agentihooks.fleet"
author = "the agentihooks.fleet contributors"
extensions = ["myst_parser", "sphinx_antsibull_ext"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["collections/environment_variables.rst"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "AgentiHooks fleet"
html_copy_source = False
html_static_path = []
pygments_style = "ansible"


def _read(_app, docname, source):
    """Links that lead out of docs/ go to the repository, as the pages can be read there too; patterns for pages that are not there go."""
    source[0] = re.sub(r"\]\(\.\./", "](" + REPOSITORY, source[0])
    if docname == "index":
        source[0] = "".join(line for line in source[0].splitlines(True) if not line.endswith("*\n") or list(HERE.glob(line.strip())))


def _draw(_app, _pagename, _template, context, _doctree):
    """Put each picture into the page itself: its text can be searched and read aloud, and it follows the theme's colours."""

    def picture(match):
        return (HERE / "pictures" / match.group(1)).read_text(encoding="utf-8").partition("-->")[2]

    if context.get("body"):
        context["body"] = re.sub(r'<img [^>]*src="[^"]*_images/([\w-]+\.svg)"[^>]*/>', picture, context["body"])


def setup(app):
    app.connect("source-read", _read)
    app.connect("html-page-context", _draw)
