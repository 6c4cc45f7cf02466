# SPDX-License-Identifier: BSD-2-Clause
"""The Debian package, built from the files that git tracks."""

import glob
import os
import shutil
import subprocess


def run(*cmd, **kwargs):
    return subprocess.run(cmd, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **kwargs)


def copy_source(source, top):
    files = run("git", "-c", "safe.directory=*", "-C", source, "ls-files",
                "-z").stdout.split("\0")
    for path in filter(None, files):
        target = os.path.join(top, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(source, path), target)


def build_package(tap, source, top):
    """Build the package; its path, or None after a failed claim."""
    copy = os.path.join(top, "source")
    copy_source(source, copy)
    ran = run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=copy)
    found = glob.glob(os.path.join(top, "opendtrace_*.deb"))
    tap.ok(ran.returncode == 0 and len(found) == 1, "the package builds",
           ran.stdout[-3000:])
    return found[0] if found else None
