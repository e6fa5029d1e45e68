#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# ansible-test sanity on a copy of the working tree: every test on the controller's Python, then the import and compile
# tests on the oldest host Python at hand that this ansible-core knows, with HOST_PYTHONS=all on each of 3.8 to 3.13.
# CORE=2.21 takes that ansible-core (requirements/ansible-2.21.txt), else it is the tests' own. Arguments go to ansible-test.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
case ${CORE:-} in
'') venv=$("$checkout/scripts/venv.sh" test) ;;
*)
    [ -e "$checkout/requirements/ansible-$CORE.txt" ] || { echo "CORE=$CORE: there is no requirements/ansible-$CORE.txt" >&2; exit 2; }
    venv=$("$checkout/scripts/venv.sh" "ansible-$CORE")
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$checkout/scripts/copy-checkout.sh" "$work"
cd "$work/ansible_collections/agentihooks/fleet"
git init -q .
git add -A

# ansible-test keeps its own environments below HOME. It fetches get-pip.py from the internet for them; the pip
# that every Python carries does the same.
HOME="$venv/ansible-test"
cache="$HOME/.ansible/test/cache"
mkdir -p "$cache"
for name in $("$venv/bin/python" -c 'import re, pathlib, ansible_test; print(*sorted(set(re.findall(r"get_pip_\w+\.py", pathlib.Path(ansible_test.__path__[0], "_internal/python_requirements.py").read_text()))))') get_pip_24_2.py get_pip_25_2.py; do
    printf 'import ensurepip\nensurepip.bootstrap(upgrade=True, default_pip=True)\n' >"$cache/$name"
done
export HOME
export PIP_QUIET=1
unset ANSIBLE_COLLECTIONS_PATH ANSIBLE_HOME
PATH="$venv/bin:$PATH"

controller=$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
echo "== $(ansible-test --version), Python $controller"
ansible-test sanity --local --color no --python "$controller" "$@"

supported=$("$venv/bin/python" -c 'from ansible_test._util.target.common.constants import *; print(*REMOTE_ONLY_PYTHON_VERSIONS, *CONTROLLER_PYTHON_VERSIONS)')
tested=
for version in 3.8 3.9 3.10 3.11 3.12 3.13; do
    case " $supported " in *" $version "*) ;; *) continue ;; esac
    [ "$version" != "$controller" ] || continue
    python=$("$checkout/scripts/find-host-python.sh" "$version") || continue
    PATH="$PATH:$(dirname "$python")" ansible-test sanity --local --color no --python "$version" --test compile --test import
    tested="$tested $version"
    [ "${HOST_PYTHONS:-}" = all ] || break
done
echo "import and compile on host Pythons:${tested:- none at hand}, and $controller"
