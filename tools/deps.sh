#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Install the Debian packages that a purpose needs and that are missing.
#
#	deps.sh build | check | soak | bench | fuzz | cov | lint

set -eu

build="gcc libc6-dev meson ninja-build pkg-config clang libbpf-dev libdw-dev
    libelf-dev liblzma-dev libzstd-dev zlib1g-dev linux-libc-dev python3 binutils
    libzydis-dev libpfm4-dev libmicrohttpd-dev libnats-dev libncurses-dev libsodium-dev xz-utils"
# The small servers among those of tests/soak/served.py.
servers="memcached lighttpd beanstalkd ngircd dnsmasq-base mosquitto rsync
    haproxy tinyproxy-bin stunnel4 openssh-server webfs unbound microsocks
    ruby-webrick"
check="$build g++ libcmocka-dev strace findutils util-linux mount
    e2fsprogs netbase debootstrap git
    python3-jsonschema python3-pycparser python3-pyte lld gdb linux-perf bpftrace postgresql-15 ruby qemu-system-x86 busybox-static apt dpkg mandoc
    sqlite3 redis-server libpython3.11-testsuite nginx-light iproute2 musl-tools golang-go protobuf-compiler
    babeltrace2
    libcapstone4 dpkg-dev $servers openssl clang-format-14 zsh fish
    nats-server debhelper dh-python lintian mypy php-cli rpm"
soak="$check nodejs apache2-bin bind9 slapd"
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
policy=/usr/sbin/policy-rc.d made_policy=
trap 'rm -f "$log"; [ -z "$made_policy" ] || $sudo rm -f "$policy"' EXIT

# Tests start servers themselves: packages must not start them.
if [ ! -e "$policy" ]; then
	made_policy=yes
	printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
	$sudo chmod 755 "$policy"
fi

# apt prints hundreds of lines; they only matter when it fails.
quietly() {
	if ! "$@" </dev/null >"$log" 2>&1; then
		cat "$log"
		echo "deps: '$*' failed; needed are:$missing" >&2
		exit 1
	fi
}

# Packages that are missing here, or installed in too old a version.
least="meson=1.0 libbpf-dev=1:1.1 libdw-dev=0.188 libzydis-dev=4.0"
tell_old() {
	old=
	for pair in $least; do
		package=${pair%%=*} version=${pair#*=}
		here=$(apt-cache policy "$package" |
		    sed -n 's/^  Candidate: //p')
		if [ -z "$here" ] || [ "$here" = "(none)" ]; then
			old="$old, no $package"
		elif dpkg --compare-versions "$here" lt "$version"; then
			old="$old, $package $here (needed: $version)"
		fi
	done
	[ -n "$old" ] || return 0
	echo "deps: this system is too old to build on (${old#, }):" \
	    "build on Debian 12 or later; doc/tried.md says how a dtrace" \
	    "that was built there traces programs here" >&2
	exit 1
}

echo "deps: installing for '$1':$missing"
quietly $sudo apt-get update -qq
tell_old
quietly $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends $missing
