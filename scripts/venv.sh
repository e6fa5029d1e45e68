#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# venv.sh NAME: make or refresh that virtual environment and print its directory. It holds
# requirements/<name>.txt and collections/, the path under which Ansible finds this checkout as agentihooks.fleet.
# pip runs only when the requirements or the Python changed.
#   site: in .venv of the checkout, else (checkout not writable) in the user's cache
#   every other (test, ansible-2.21, publish): in a cache outside the checkout, for root one that scratch
#   accounts can read
set -eu

name=$1
checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
case $name in
ansible-2.21) least=3.12 ;; # what that release asks of a controller
*) least=3.11 ;;
esac
python=$("$checkout/scripts/find-python.sh" "$least")

wanted=$(cat "$checkout/requirements/site.txt" "$checkout/requirements/$name.txt"; "$python" -I -c 'import sys; print(sys.executable, sys.version)')
hash=$(printf '%s' "$wanted" | sha256sum | cut -c1-16)
place=$(printf '%s' "$checkout" | sha256sum | cut -c1-16)
user_cache="${XDG_CACHE_HOME:-$HOME/.cache}/agentihooks-fleet"

if [ "$name" = site ] && [ -w "$checkout" ] && { [ ! -e "$checkout/.venv" ] || [ -O "$checkout/.venv" ]; }; then
    venv="$checkout/.venv"
elif [ "$name" = site ]; then
    venv="$user_cache/site-$place"
elif [ "$(id -u)" = 0 ]; then
    venv="/var/cache/agentihooks-fleet/$name-$place"
else
    venv="$user_cache/$name-$place"
fi

# Two runs at once take turns.
mkdir -p "$(dirname "$venv")"
exec 9>"$venv.lock"
flock 9

if [ "$(cat "$venv/requirements.sha256" 2>/dev/null)" != "$hash" ]; then
    echo "Preparing $venv with $python" >&2
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check -r "$checkout/requirements/$name.txt" >&2
    printf '%s' "$hash" >"$venv/requirements.sha256"
fi
mkdir -p "$venv/collections/ansible_collections/agentihooks"
ln -sfn "$checkout" "$venv/collections/ansible_collections/agentihooks/fleet"
printf '%s\n' "$venv"
