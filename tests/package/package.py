# SPDX-License-Identifier: BSD-2-Clause
"""The Debian packages, built from the files that git tracks."""

import glob
import os
import re
import subprocess


def run(*cmd, **kwargs):
    return subprocess.run(cmd, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **kwargs)


def copy_source(source, top):
    os.makedirs(top)
    files = subprocess.run(["git", "-c", "safe.directory=*", "-C", source,
                            "ls-files", "-z"], check=True,
                           stdout=subprocess.PIPE).stdout
    packed = subprocess.run(["tar", "-c", "-C", source, "--null", "-T", "-"],
                            input=files, check=True,
                            stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", top], input=packed, check=True)


COMPILER = re.compile(r"^\S+:\d+(?::\d+)?: warning: .*", re.M)
PACKAGES = ["libdtrace-common", "libdtrace-dev", "libdtrace-usdt1", "libdtrace1",
            "opendtrace", "python3-dtrace"]


# The flags are Debian's but for -g: debugging symbols take time and are not
# installed.
QUICK = {"DEB_BUILD_OPTIONS": "nocheck noautodbgsym parallel=2",
         "DEB_CFLAGS_STRIP": "-g"}


def build_packages(tap, source, top, env=None):
    """Build the packages; {name: path}, or None after a failed claim."""
    copy = os.path.join(top, "source")
    copy_source(source, copy)
    ran = run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=copy,
              env={**os.environ, **(env or {})})
    found = {os.path.basename(path).split("_")[0]: path
             for path in glob.glob(os.path.join(top, "*.deb"))
             if "-dbgsym_" not in path}
    built = tap.ok(ran.returncode == 0 and sorted(found) == PACKAGES,
                   "the packages build", ran.stdout[-3000:], sorted(found))
    # with all of Debian's hardening: debian/rules
    warnings = COMPILER.findall(ran.stdout)
    tap.ok(not warnings and "-D_FORTIFY_SOURCE" in ran.stdout,
           "Debian's flags cause no warning", *warnings[:9])
    return found if built else None
