#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Install the Debian packages that a purpose needs and that are missing.
#
#	deps.sh build | check | soak | bench | fuzz | cov | lint

set -eu

build="gcc libc6-dev meson ninja-build pkg-config clang libbpf-dev libdw-dev
    libelf-dev liblzma-dev zlib1g-dev linux-libc-dev python3 binutils
    libzydis-dev libpfm4-dev xz-utils"
check="$build g++ libcmocka-dev strace findutils util-linux mount
    e2fsprogs netbase
    python3-jsonschema lld gdb linux-perf bpftrace postgresql-15 ruby qemu-system-x86 busybox-static apt dpkg mandoc
    sqlite3 redis-server libpython3.11-testsuite nginx-light iproute2 musl-tools golang-go"
soak="$check debhelper dpkg-dev git nodejs"
bench="$build bpftrace uftrace lttng-tools liblttng-ust-dev"
fuzz="$build libclang-rt-14-dev"
cov="$check gcovr"
lint="$build clang-tidy-14 clang-format-14 cppcheck"

case ${1-} in
build) want=$build ;;
check) want=$check ;;
soak) want=$soak ;;
bench) want=$bench ;;
fuzz) want=$fuzz ;;
cov) want=$cov ;;
lint) want=$lint ;;
*)
	echo "usage: deps.sh build|check|soak|bench|fuzz|cov|lint" >&2
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
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# apt tells hundreds of lines; they matter when it fails.
quietly() {
	if ! "$@" </dev/null >"$log" 2>&1; then
		cat "$log"
		echo "deps: '$*' failed; needed are:$missing" >&2
		exit 1
	fi
}

echo "deps: installing for '$1':$missing"
quietly $sudo apt-get update -qq
quietly $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends $missing
