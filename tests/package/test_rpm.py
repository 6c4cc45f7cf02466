#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The RPM packages: rpmbuild makes them of the files that git tracks.

    test_rpm.py SOURCE
"""

import glob
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from package import copy_source, run
from tap import Tap, default_signals, first_missing

SOURCE = os.path.abspath(sys.argv[1])
# A file of each package.
FILES = {"opendtrace": "/usr/sbin/dtrace", "libdtrace": "/libdtrace.so.1",
         "opendtrace-dlib": "/dtrace/errno.d",
         "libdtrace-usdt": "/libdtrace-usdt.so.1",
         "libdtrace-devel": "/usr/include/dtrace.h",
         "python3-dtrace": "-packages/dtrace/__init__.py"}


def build(top):
    """Build the packages; --nodeps: another system has other names."""
    copy = os.path.join(top, "source")
    copy_source(SOURCE, copy)
    return run("rpmbuild", "-bb", "--nodeps", "--build-in-place",
               "--define", f"_topdir {top}/rpm", "tools/opendtrace.spec",
               cwd=copy)


def main():
    default_signals()
    tap = Tap()
    why = first_missing(["cmd:rpmbuild"])
    if why:
        tap.skip("the RPM packages", why)
        tap.done()
    with tempfile.TemporaryDirectory() as top:
        ran = build(top)
        found = {re.sub(r"-\d.*", "", os.path.basename(path)): path
                 for path in glob.glob(top + "/rpm/RPMS/*/*.rpm")}
        tap.ok(ran.returncode == 0 and FILES.keys() <= found.keys(),
               "the packages build", ran.stdout[-3000:], sorted(found))
        for name, file in FILES.items():
            listed = run("rpm", "-qlp", found.get(name, "/missing")).stdout
            tap.ok(any(line.endswith(file) for line in listed.splitlines()),
                   f"{name} has {file}", listed)
    tap.done()


main()
