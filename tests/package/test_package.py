#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Debian package: it builds from what git has, installs, works, and leaves
nothing.  It is installed into an overlay on this machine's files, which only
this test sees.

    test_package.py SOURCE
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from tap import Tap, default_signals, first_missing

SOURCE = sys.argv[1]
SCRIPT = "BEGIN { printf(\"%d\\n\", ENOENT); exit(0); }"

# In a mount namespace of its own: $1 the package, $2 a directory.
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
echo "manual: $(zcat /usr/share/man/man1/dtrace.1.gz | grep -c "^.Sh ANONYMOUS")"
test -x /usr/share/doc/opendtrace/examples/opens.d
test -e /usr/share/bash-completion/completions/dtrace
find /usr/lib/systemd /lib/systemd -name dtrace-anon.service | grep -q .
dpkg -P opendtrace >/log 2>&1 || { cat /log; exit 1; }
while read -r path; do
    [ ! -f "$path" ] || echo "left: $path"
done </files
echo "purged"
"""


def run(*cmd, **kwargs):
    return subprocess.run(cmd, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **kwargs)


def copy_source(top):
    files = run("git", "-C", SOURCE, "ls-files", "-z").stdout.split("\0")
    for path in filter(None, files):
        target = os.path.join(top, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(SOURCE, path), target)


def build(tap, top):
    source = os.path.join(top, "source")
    copy_source(source)
    ran = run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=source)
    found = glob.glob(os.path.join(top, "opendtrace_*.deb"))
    tap.ok(ran.returncode == 0 and len(found) == 1, "the package builds",
           ran.stdout[-3000:])
    return found[0] if found else None


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
        package = build(tap, top)
        if package:
            install(tap, package, top)
    tap.done()


main()
