#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# bundle-lint.sh BUNDLE [ARGUMENTS]: check a bundle with playbooks/bundle_lint.yml. Further arguments go to ansible-playbook.
# STRICT=1 counts warnings as errors.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv=$("$checkout/scripts/venv.sh" site)
bundle=$1
shift
export ANSIBLE_COLLECTIONS_PATH="$venv/collections${ANSIBLE_COLLECTIONS_PATH:+:$ANSIBLE_COLLECTIONS_PATH}"

strict=false
[ "${STRICT:-}" != 1 ] || strict=true
# As JSON: in key=value form a blank in the path would end it.
variables=$("$venv/bin/python" -c 'import json, sys; print(json.dumps({"agentihooks_bundle": sys.argv[1], "bundle_lint_strict": sys.argv[2] == "true"}))' "$bundle" "$strict")
exec "$venv/bin/ansible-playbook" -i localhost, agentihooks.fleet.bundle_lint -e "$variables" "$@"
