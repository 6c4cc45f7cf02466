#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The package's files compile without a warning under a distribution's flags:
Debian's with all hardening, which has _FORTIFY_SOURCE and PIE.

    test_flags.py SOURCE
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from tap import Tap, default_signals

SOURCE = sys.argv[1]


def flags():
    """The environment that dpkg-buildpackage sets."""
    env = dict(os.environ, DEB_BUILD_MAINT_OPTIONS="hardening=+all")
    out = subprocess.run(["dpkg-buildflags", "--export=cmdline"], env=env,
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    env.update(re.findall(r'(\w+)="([^"]*)"', out))
    return env


def run(env, *cmd):
    return subprocess.run(cmd, env=env, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)


def main():
    default_signals()
    tap = Tap()
    if not shutil.which("dpkg-buildflags"):
        tap.skip("a distribution's flags", "dpkg-buildflags is missing")
        tap.done()
    env = flags()
    tap.ok("_FORTIFY_SOURCE" in env["CPPFLAGS"] and
           "-O2" in env["CFLAGS"], "there are flags to try", env["CFLAGS"])
    with tempfile.TemporaryDirectory() as top:
        ran = run(env, "meson", "setup", top, SOURCE, "--buildtype=plain",
                  "-Dtests=false")
        if tap.ok(ran.returncode == 0, "meson configures", ran.stdout[-2000:]):
            ran = run(env, "ninja", "-C", top)
            tap.ok(ran.returncode == 0 and "warning:" not in ran.stdout,
                   "it builds without a warning", ran.stdout[-3000:])
            ran = run(env, os.path.join(top, "dtrace"), "-qn",
                      'BEGIN { printf("begun"); exit(0); }')
            tap.ok(ran.stdout == "begun\n", "what was built runs", ran.stdout)
    tap.done()


main()
