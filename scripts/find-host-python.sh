#!/usr/bin/env bash
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# find-host-python.sh 3.8: print the path of that Python, the system's first, then a version manager's. Exit code 1 when
# it is not on this machine. A version manager's shim counts only when it runs.
set -euo pipefail

for candidate in "/usr/bin/python$1" "/usr/local/bin/python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/"python$1" "$(command -v "python$1" || true)"; do
    if [ -x "$candidate" ] && [ "$("$candidate" -c 'import sys, ensurepip; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; then
        printf '%s\n' "$candidate"
        exit 0
    fi
done
exit 1
