#!/usr/bin/env bash
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh [DIRECTORY]: build the collection's tarball and its bill of materials into DIRECTORY (default: dist of the checkout),
# from the working tree as git sees it (tracked and new files). The same files give the same bytes, wherever and whenever: all
# times are SOURCE_DATE_EPOCH, by default the time of the last commit.
set -euo pipefail

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
output=${1:-$checkout/dist}
venv=$("$checkout/scripts/venv.sh" test)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$checkout/scripts/copy-checkout.sh" "$work"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory="$checkout" -C "$checkout" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
mkdir -p "$output"
"$venv/bin/python" "$checkout/scripts/build_collection.py" "$work/ansible_collections/agentihooks/fleet" "$output"
