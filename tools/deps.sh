#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Install the Debian packages that a purpose needs and that are missing.
#
#	deps.sh build | check | bench

set -eu

build="gcc libc6-dev meson ninja-build pkg-config clang libbpf-dev libelf-dev
    zlib1g-dev linux-libc-dev python3 binutils"
check="$build libcmocka-dev strace findutils util-linux"
bench="$build"

case ${1-} in
build) want=$build ;;
check) want=$check ;;
bench) want=$bench ;;
*)
	echo "usage: deps.sh build|check|bench" >&2
	exit 2
	;;
esac

if ! command -v dpkg-query >/dev/null; then
	echo "deps: not a Debian system; needed are:" $want
	exit 0
fi

missing=
for package in $want; do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
	    2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" != 0 ]; then
	sudo=sudo
fi
echo "deps: installing for '$1':$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends $missing </dev/null
