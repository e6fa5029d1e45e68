#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# ansible-test sanity on a copy of the working tree: every test on the controller's Python, and the import and
# compile tests on the oldest host Python, when it is at hand. Arguments go to ansible-test.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv=$("$checkout/scripts/venv.sh" test)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$checkout/scripts/copy-checkout.sh" "$work"
cd "$work/ansible_collections/agentihooks/fleet"
git init -q .
git add -A

# ansible-test keeps its own environments below HOME. It fetches get-pip.py from the internet for them; the pip
# that every Python carries does the same.
HOME="$venv/ansible-test"
mkdir -p "$HOME/.ansible/test/cache"
for version in 24_2 25_2; do
    printf 'import ensurepip\nensurepip.bootstrap(upgrade=True, default_pip=True)\n' >"$HOME/.ansible/test/cache/get_pip_$version.py"
done
export HOME
export PIP_QUIET=1
unset ANSIBLE_COLLECTIONS_PATH ANSIBLE_HOME
PATH="$venv/bin:$PATH"

controller=$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ansible-test sanity --local --color no --python "$controller" "$@"

if oldest=$("$checkout/scripts/find-host-python.sh" 3.8); then
    PATH="$PATH:$(dirname "$oldest")" ansible-test sanity --local --color no --python 3.8 --test compile --test import
else
    echo "Python 3.8 is not on this machine: the import test ran on $controller only"
fi
