#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Debian packages: they build from the files that git tracks, install,
work, and leave nothing behind.  They are installed into an overlay on this
machine's files, which only this test sees.  dtrace traces only a process of its
own, so that the test can run beside others: test_readme.py traces the kernel
with the packages.

    test_package.py SOURCE [FOLDER]

With FOLDER: the packages that were built there.
"""

import glob
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from package import QUICK, build_packages, run
from tap import Tap, default_signals, first_missing

SOURCE = sys.argv[1]
TRACE = "-x substrate=process -c true " \
    "-qn 'BEGIN { printf(\"%d\\n\", ENOENT); exit(0); }'"

PYTHON = """
import dtrace
for row in dtrace.run("BEGIN { trace(ENOENT); exit(0); }", command=["true"],
                      options={"substrate": "process"}):
    print("python:", *row.values, dtrace.__file__)
"""

# The script runs in a mount namespace of its own: $1 is the folder of the
# packages, $2 a directory.
INSTALL = """
set -e
mkdir "$2/upper" "$2/work" "$2/root"
mount -t tmpfs none "$2/upper"
mkdir "$2/upper/u" "$2/upper/w"
mount -t overlay -o "lowerdir=/,upperdir=$2/upper/u,workdir=$2/upper/w" \
    none "$2/root"
for dir in dev proc sys; do mount --rbind /$dir "$2/root/$dir"; done
mkdir "$2/root/packages"
cp "$1"/*.deb "$2/root/packages"
rm -f "$2"/root/packages/*-dbgsym_*
chroot "$2/root" sh -e -c "$3" sh
"""
USE = r"""
# Another package's /usr/bin/dtrace, as systemtap-sdt-dev has one.
mkdir -p /other/DEBIAN /other/usr/bin
printf '%s\n' 'Package: other-dtrace' 'Version: 1' 'Architecture: all' \
    'Maintainer: test <test@test.invalid>' 'Description: test' \
    >/other/DEBIAN/control
echo other >/other/usr/bin/dtrace
rm -f /usr/bin/dtrace
rm -f /var/lib/man-db/auto-update # the index of manuals is made for nobody
dpkg -i /packages/*.deb >/log 2>&1 || { cat /log; exit 1; }
names=$(cd /packages && ls | sed 's/_.*//')
dpkg --verify $names
dpkg -L $names | sort -u >/files
echo "status: $(dpkg-query -W -f '${db:Status-Status}' opendtrace)"
echo "version: $(opendtrace --version)"
cd / && echo "run: $(/usr/sbin/dtrace TRACE)"
echo "user: $(PATH=/usr/bin:/bin dtrace TRACE)" \
    "$(PATH=/usr/bin:/bin opendtrace TRACE)"
echo "manual: $(zcat /usr/share/man/man8/dtrace.8.gz | grep -c "^.Sh ANONYMOUS")"
test -x /usr/share/doc/opendtrace/examples/opens.d
test -e /usr/share/bash-completion/completions/dtrace
test -e /usr/share/zsh/vendor-completions/_dtrace
test -e /usr/share/fish/vendor_completions.d/dtrace.fish
/usr/bin/python3 -c 'PYTHON'
find /usr/lib/systemd /lib/systemd -name dtrace-anon.service | grep -q .
! grep -qx '/usr/share/man/man1/dtrace.1.gz\|/usr/bin/dtrace' /files
dpkg -b /other /other.deb >/log && dpkg -i /other.deb >/log 2>&1
echo "beside: $(cat /usr/bin/dtrace) $(/usr/bin/opendtrace TRACE)"
dpkg -P other-dtrace >/log 2>&1
echo "again: $(/usr/bin/dtrace TRACE)"
dtrace -A -n BEGIN >/log 2>&1 || { cat /log; exit 1; }
test -e /var/lib/dtrace/anon.dof
dpkg -P $names >/log 2>&1 || { cat /log; exit 1; }
while read -r path; do
    [ ! -f "$path" ] || echo "left: $path"
done </files
for path in /usr/bin/dtrace /var/lib/dtrace; do
    [ ! -e $path ] && [ ! -L $path ] || echo "left: $path"
done
echo "purged"
"""


def install(tap, folder, top):
    use = USE.replace("TRACE", TRACE).replace("PYTHON", PYTHON)
    ran = run("unshare", "-m", "sh", "-c", INSTALL, "sh", folder, top, use)
    lines = ran.stdout.splitlines()
    tap.ok(ran.returncode == 0 and "status: installed" in lines,
           "they install, and their files are whole", ran.stdout)
    tap.ok("version: OpenDTrace for Linux " + version() in lines,
           "dtrace names its version, and no commit", ran.stdout)
    tap.ok("run: 2" in lines, "dtrace runs, with its D libraries", ran.stdout)
    tap.ok("user: 2 2" in lines, "dtrace and opendtrace are in /usr/bin",
           ran.stdout)
    tap.ok("python: 2 /usr/lib/python3/dist-packages/dtrace/__init__.py" in
           lines, "the system's python has the package", ran.stdout)
    tap.ok("manual: 1" in lines, "the manual is there", ran.stdout)
    tap.ok("beside: other 2" in lines and "again: 2" in lines,
           "another package's /usr/bin/dtrace takes the place of the link, "
           "which returns", ran.stdout)
    tap.ok(lines[-1:] == ["purged"] and "left:" not in ran.stdout,
           "they leave nothing when they are purged", ran.stdout)


def check_by_lintian(tap, folder):
    if not shutil.which("lintian"):
        tap.skip("lintian finds nothing", "lintian is missing")
        return
    ran = run("lintian", "--allow-root", *glob.glob(folder + "/*.deb"))
    said = [line for line in ran.stdout.splitlines()
            if re.match("[EWP]: ", line)]
    tap.ok(ran.returncode == 0 and not said, "lintian finds nothing",
           ran.stdout)


def version():
    with open(os.path.join(SOURCE, "meson.build"), encoding="utf-8") as f:
        return re.search(r"version: '([\d.]+)'", f.read())[1]


def versions(tap):
    """One version: Meson's, and where packages and people read it."""
    places = {"meson.build": r"version: '([\d.]+)'",
              "debian/changelog": r"^opendtrace \(([\d.]+)\)",
              "tools/opendtrace.spec": r"Version: ([\d.]+)",
              "CHANGELOG.md": r"## ([\d.]+)"}
    found = {}
    for path, pattern in places.items():
        with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
            found[path] = re.search(pattern, f.read(), re.M)[1]
    tap.ok(len(set(found.values())) == 1, "one version everywhere", found)


def main():
    default_signals()
    tap = Tap()
    versions(tap)
    why = first_missing(["root"])
    if why is None and len(sys.argv) < 3 and not shutil.which("dh"):
        why = "debhelper is missing"
    if why:
        tap.skip("the Debian package", why)
        tap.done()
    with tempfile.TemporaryDirectory() as top:
        folder = top
        if len(sys.argv) > 2:
            folder = sys.argv[2]
        elif build_packages(tap, SOURCE, top, QUICK) is None:
            tap.done()
        check_by_lintian(tap, folder)
        install(tap, folder, top)
    tap.done()


main()
