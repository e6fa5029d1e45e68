#!/usr/bin/env bash
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# lock.sh [--upgrade]: make requirements/*.txt from requirements/*.in: every package that is needed, pinned, with the hashes of
# its files, so that pip installs nothing else. Versions stay as they are unless --upgrade is given. Needs the package index.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../requirements"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r lock.txt

# file, oldest Python it is for
lock() {
    "$work/venv/bin/uv" pip compile --quiet --universal --generate-hashes --no-annotate --custom-compile-command scripts/lock.sh \
        --python-version "$2" --output-file "$1.txt" "${@:3}" "$1.in"
}

lock lock 3.11 "$@"
lock site 3.11 "$@"
lock test 3.11 "$@"
lock host 3.8 "$@"
