#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Show the main job live: two one-liners on the running machine, each printed
# above its answer.  So that an idle machine has something to show, a find
# and a checksum of files run meanwhile, and end with us.
#
#	show.sh PATH/TO/dtrace

set -eu
dtrace=$1

load() {
	while :; do
		find /usr/share -type f -print0 2>/dev/null |
		    head -z -n 400 | xargs -0 cat >/dev/null 2>&1 || true
	done
}

set -m		# the load becomes a process group, so that it ends as one
load &
load_pid=$!
set +m
trap 'kill -- -$load_pid 2>/dev/null || true' EXIT

show() {
	echo
	echo "# $1"
	echo "dtrace -qn '$2'"
	"$dtrace" -qn "$2"
}

show "System calls by program and name: the 20 most frequent of 3 s." \
'syscall:::entry { @[execname, probefunc] = count(); }
tick-3s { exit(0); }
END { trunc(@, 20); }'

show "How many bytes each program reads at once, for 3 s." \
'syscall::read:return /arg0 > 0/ { @[execname] = quantize(arg0); }
tick-3s { exit(0); }'
