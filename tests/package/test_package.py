#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Debian package: it builds from the files that git tracks, installs,
works, and leaves nothing behind.  It is installed into an overlay on this
machine's files, which only this test sees.

    test_package.py SOURCE
"""

import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from package import build_package, run
from tap import Tap, default_signals, first_missing

SOURCE = sys.argv[1]
SCRIPT = "BEGIN { printf(\"%d\\n\", ENOENT); exit(0); }"

# The script runs in a mount namespace of its own: $1 is the package, $2 a
# directory.
INSTALL = """
set -e
mkdir "$2/upper" "$2/work" "$2/root"
mount -t tmpfs none "$2/upper"
mkdir "$2/upper/u" "$2/upper/w"
mount -t overlay -o "lowerdir=/,upperdir=$2/upper/u,workdir=$2/upper/w" \
    none "$2/root"
for dir in dev proc sys; do mount --rbind /$dir "$2/root/$dir"; done
cp "$1" "$2/root/package.deb"
chroot "$2/root" sh -e -c "$3" sh
"""
USE = """
dpkg -i /package.deb >/log 2>&1 || { cat /log; exit 1; }
dpkg --verify opendtrace
dpkg -L opendtrace | sort >/files
echo "status: $(dpkg-query -W -f '${db:Status-Status}' opendtrace)"
cd / && echo "run: $(/usr/sbin/dtrace -qn 'SCRIPT')"
echo "manual: $(zcat /usr/share/man/man8/dtrace.8.gz | grep -c "^.Sh ANONYMOUS")"
test -x /usr/share/doc/opendtrace/examples/opens.d
test -e /usr/share/bash-completion/completions/dtrace
find /usr/lib/systemd /lib/systemd -name dtrace-anon.service | grep -q .
dpkg -P opendtrace >/log 2>&1 || { cat /log; exit 1; }
while read -r path; do
    [ ! -f "$path" ] || echo "left: $path"
done </files
echo "purged"
"""


def install(tap, package, top):
    use = USE.replace("SCRIPT", SCRIPT)
    ran = run("unshare", "-m", "sh", "-c", INSTALL, "sh", package, top, use)
    lines = ran.stdout.splitlines()
    tap.ok(ran.returncode == 0 and "status: installed" in lines,
           "it installs, and its files are whole", ran.stdout)
    tap.ok("run: 2" in lines, "dtrace runs, with its D libraries", ran.stdout)
    tap.ok("manual: 1" in lines, "the manual is there", ran.stdout)
    tap.ok(lines[-1:] == ["purged"] and "left:" not in ran.stdout,
           "it leaves nothing when it is purged", ran.stdout)


def main():
    default_signals()
    tap = Tap()
    why = first_missing(["root", "bpf"])
    if why is None and not shutil.which("dh"):
        why = "debhelper is missing"
    if why:
        tap.skip("the Debian package", why)
        tap.done()
    with tempfile.TemporaryDirectory() as top:
        package = build_package(tap, SOURCE, top)
        if package:
            install(tap, package, top)
    tap.done()


main()
