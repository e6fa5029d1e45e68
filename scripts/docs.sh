#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# docs.sh [DIRECTORY]: check the changelog and the licences, then build the documentation site into DIRECTORY (dist/docs).
# Needs no network once its environment is there. Warnings are errors.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv=$("$checkout/scripts/venv.sh" publish)
out=${1:-$checkout/dist/docs}
export PATH="$venv/bin:$PATH" ANSIBLE_COLLECTIONS_PATH="$venv/collections" ANSIBLE_HOME="$venv/ansible"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$checkout"
antsibull-changelog lint
antsibull-changelog lint-changelog-yaml changelogs/changelog.yaml
reuse lint --quiet || { reuse lint; exit 1; }

cp -R docs/. "$work"
cp docs/site/conf.py docs/site/ansible.rst "$work"
rm -r "$work/site"
mkdir "$work/collections"
antsibull-docs collection --use-current --squash-hierarchy --no-breadcrumbs --fail-on-error --dest-dir "$work/collections" agentihooks.fleet
mkdir -p "$(dirname "$out")"
sphinx-build --quiet --fail-on-warning --keep-going -b html -d "$work/.doctrees" "$work" "$out"
printf '%s\n' "$out/index.html"
