#!/usr/bin/env bash
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# host-pythons.sh [ends|all]: byte-compile the code that lands on hosts on every host Python (3.8 to 3.13) found on this
# machine besides the one the test environment has, and run the unit tests that need no Ansible: on the oldest and the
# newest of them, or on all. Says which were found.
set -euo pipefail

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv=$("$checkout/scripts/venv.sh" test)
cd "$checkout"
done_already=$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
host_code=(files/hooks_runtime files/smoke plugins/modules plugins/module_utils)
tested=${1:-ends}
missing=()
failed=()

for version in 3.8 3.9 3.10 3.11 3.12 3.13; do
    [ "$version" != "$done_already" ] || continue
    if ! python=$(scripts/find-host-python.sh "$version"); then
        missing+=("$version")
        continue
    fi
    echo "== host Python $("$python" -c 'import platform; print(platform.python_version())')"
    compiled=$(mktemp -d)
    PYTHONPYCACHEPREFIX="$compiled" "$python" -m compileall -q "${host_code[@]}" || failed+=("$version")
    rm -rf "$compiled"
    case $tested/$version in
    ends/3.8 | ends/3.13 | all/*) ;;
    *) continue ;;
    esac
    hash=$({ cat requirements/host.txt; "$python" -c 'import sys; print(sys.version)'; } | sha256sum | cut -c1-16)
    host="$venv/host-python/$version-$hash"
    if [ ! -e "$host/ready" ]; then
        rm -rf "$venv/host-python/$version"-*
        "$python" -m venv "$host"
        "$host/bin/python" -m pip install --quiet --quiet --disable-pip-version-check -r requirements/host.txt
        touch "$host/ready"
    fi
    PYTHONDONTWRITEBYTECODE=1 FUZZ_EXAMPLES="${FUZZ_EXAMPLES:-400}" "$host/bin/python" -m pytest -q -n 2 -p no:cacheprovider tests/unit || failed+=("$version")
done
echo "host Pythons not on this machine: ${missing[*]:-none}"
[ "${#failed[@]}" = 0 ] || { echo "failed on host Python: ${failed[*]}" >&2; exit 1; }
