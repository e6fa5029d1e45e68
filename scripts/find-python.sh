#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# find-python.sh [3.12]: print the real path of a Python 3.11, or what is named, or newer, that can make a virtual environment.
# PYTHON=... overrides.
# The system's own Python is looked at first: it outlives version managers and every account may run it.
set -u

least=${1:-3.11}

# A pyenv or asdf shim answers with the interpreter behind it, or with an error.
new_enough='import sys; assert sys.version_info[:2] >= tuple(map(int, sys.argv[1].split("."))); print(getattr(sys, "_base_executable", "") or sys.executable)'
makes_venv='import venv, ensurepip; ensurepip.version()'

candidates() {
    if [ -n "${PYTHON:-}" ]; then
        command -v "$PYTHON" || printf '%s\n' "$PYTHON"
        return
    fi
    for name in python3 python3.13 python3.12 python3.11 python3.14; do
        for dir in /usr/bin /usr/local/bin; do printf '%s\n' "$dir/$name"; done
    done
    for name in python3 python3.13 python3.12 python3.11 python3.14; do command -v "$name"; done
    for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[1-9]*/bin/python3; do printf '%s\n' "$path"; done
}

first_that_makes_venvs() {
    candidates | while IFS= read -r candidate; do
        [ -x "$candidate" ] || continue
        real=$("$candidate" -I -c "$new_enough" "$least" 2>/dev/null) || continue
        printf '%s\n' "$real" >>"$seen"
        "$real" -I -c "$makes_venv" 2>/dev/null && printf '%s\n' "$real" && break
    done
}

seen=$(mktemp) || exit 1
trap 'rm -f "$seen"' EXIT

python=$(first_that_makes_venvs)
if [ -z "$python" ] && [ -s "$seen" ] && [ -z "${PYTHON:-}" ] && command -v apt-get >/dev/null; then
    as_root=
    [ "$(id -u)" = 0 ] || { as_root="sudo"; [ -t 0 ] || as_root="sudo -n"; }
    if [ -z "$as_root" ] || command -v sudo >/dev/null; then
        echo "$(head -n 1 "$seen") has no venv module: running ${as_root:+$as_root }apt-get install python3-venv" >&2
        { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends python3-venv; } >&2 </dev/null
        python=$(first_that_makes_venvs)
    fi
fi
if [ -n "$python" ]; then
    printf '%s\n' "$python"
elif [ -n "${PYTHON:-}" ]; then
    echo "PYTHON=$PYTHON is no Python $least or newer with the venv and ensurepip modules. Name another one, or unset PYTHON." >&2
    exit 1
elif [ -s "$seen" ]; then
    echo "$(head -n 1 "$seen") cannot make a virtual environment: its venv or ensurepip module is missing." >&2
    echo "Install it (Debian, Ubuntu: apt-get install python3-venv), or name another Python $least+: make site PYTHON=/path/to/python3" >&2
    exit 1
else
    echo "No Python $least or newer found. Install one, or name it: make site PYTHON=/path/to/python3" >&2
    exit 1
fi
