#!/bin/sh
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# lab_host.sh DIRECTORY NAME HOME SIZE: be one host of the lab (lab.py), in the namespaces that `unshare` has made. Its file system is
# this machine's, with all that it writes kept in memory at DIRECTORY, so that it has accounts, a /home and an /etc of its own. SIZE is
# that of the file system of HOME, "" for no own one. DIRECTORY/setup, a shell script, is run on the host as root before sshd starts.
set -eu

directory=$1 name=$2 home=$3 size=$4
mount -t tmpfs -o mode=0755,size=512m tmpfs "$directory/memory"
cd "$directory/memory"
mkdir upper work root
mount -t overlay overlay -o "lowerdir=/,upperdir=upper,workdir=work" root
mount -t proc proc root/proc
mount --rbind /dev root/dev
mount -t tmpfs -o mode=0755 tmpfs root/run
mount -t tmpfs -o mode=1777 tmpfs root/tmp
# The accounts of the machine itself are not there.
mount -t tmpfs -o mode=0755 tmpfs root/home
mkdir root/run/sshd
hostname "$name"
cp "$directory/setup" root/run/setup
cp "$directory/sshd_config" "$directory/host_key" "$directory/authorized_keys" root/run/
chmod 0600 root/run/host_key
if [ -n "$size" ]; then
    mkdir -p "root$home"
    mount -t tmpfs -o "size=$size" tmpfs "root$home"
fi
exec chroot root /bin/sh -c 'cd / && sh -eu /run/setup && exec /usr/sbin/sshd -D -e -f /run/sshd_config'
