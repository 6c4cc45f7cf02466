#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Remove what `meson install` puts in place from BUILD, below DESTDIR.
#
#	uninstall.sh BUILD [DESTDIR]
#
# Meson's log names the files of the last installation, which may have been a
# test's.  So the files are installed once more, into a folder for the purpose,
# and each name there is removed.  Folders are removed if they are empty and only
# ours: those named dtrace or opendtrace, and what is below.

set -eu
build=$1 root=${2-}
shadow=$(mktemp -d)
trap 'rm -rf "$shadow"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$shadow"
cd "$shadow"
find . ! -type d -printf '%P\0' | (cd "$root/" && xargs -0 rm -f --)
# Files that python makes when a module is first used.
find . -path '*/dtrace/*.py' -printf '%h\n' | sort -u | while read -r path; do
	rm -rf "$root/${path#./}/__pycache__"
done
find . -depth -type d \( -path '*/dtrace' -o -path '*/dtrace/*' -o \
    -path '*/opendtrace' -o -path '*/opendtrace/*' \) | while read -r path; do
	[ ! -d "$root/${path#./}" ] ||
	    rmdir --ignore-fail-on-non-empty "$root/${path#./}"
done
