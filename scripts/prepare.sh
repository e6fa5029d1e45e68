#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Install what the tests need and is not there yet: Debian packages, the virtual environment, the pinned CLIs. Root.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
missing=

# command, Debian package that brings it
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }

need chromium chromium
need git git
need node nodejs
need npm npm
need pkill procps
need shellcheck shellcheck
need sshd openssh-server
need ssh openssh-client
need strace strace
need zsh zsh

if [ -n "$missing" ]; then
    echo "Installing Debian packages:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086  # one word per package
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null
fi

venv=$("$checkout/scripts/venv.sh" test)
"$venv/bin/python" "$checkout/tests/live/clis.py"
