#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Show what playbooks/site.yml would change, ask, then apply it. Arguments go to ansible-playbook as they are;
# without an inventory among them the target is localhost for the user who runs this.
# YES=1 applies without asking. Exit codes: ansible-playbook's own; 3 when nobody could be asked.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv=$("$checkout/scripts/venv.sh" site)
# First in line, so that an installed copy of the collection never takes the place of this checkout.
export ANSIBLE_COLLECTIONS_PATH="$venv/collections${ANSIBLE_COLLECTIONS_PATH:+:$ANSIBLE_COLLECTIONS_PATH}"

inventory="$checkout/inventory/localhost.yml"
for argument in "$@"; do
    case $argument in -i* | --inventory*) inventory= ;; esac
done
[ -z "$inventory" ] || set -- -i "$inventory" "$@"

echo "What would change (check mode):"
"$venv/bin/ansible-playbook" --check --diff agentihooks.fleet.site "$@"

if [ "${YES:-}" != 1 ]; then
    if [ ! -t 0 ]; then
        echo "Nothing was applied: there is no terminal to ask on. To apply: make site YES=1" >&2
        exit 3
    fi
    printf 'Apply? [y/N] '
    read -r answer || answer=
    case $answer in
        y | Y | yes | Yes) ;;
        *) echo "Nothing was applied."; exit 0 ;;
    esac
fi
"$venv/bin/ansible-playbook" --diff agentihooks.fleet.site "$@"
