#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run a test as most people run dtrace: without privileges and debug files.

    unaided.py DIRECTORY COMMAND...

The command runs as user 65534 in a mount namespace of its own.  There
/usr/lib/debug is empty, and all users may read DIRECTORY, even if a directory
above it is closed (/root).  The mounts end with the namespace.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap, default_signals, first_missing

NOBODY = "65534"
DEBUG = "/usr/lib/debug"
INSIDE = "UNAIDED_INSIDE"


def mount(*args):
    subprocess.run(["mount", *args], check=True)


def closed_above(path):
    """The highest directory on the path that other users may not enter, or
    None."""
    way = [path]
    while way[-1] != "/":
        way.append(os.path.dirname(way[-1]))
    for folder in reversed(way):
        if not os.stat(folder).st_mode & 0o001:
            return folder
    return None


def open_way(path):
    """Make a path accessible to all users.

    Mounts an empty file system on each closed directory, and the path back
    into it."""
    while (closed := closed_above(path)) is not None:
        if closed == path:
            sys.exit(f"unaided: {path} itself is closed")
        fd = os.open(path, os.O_PATH)
        mount("-t", "tmpfs", "-o", "mode=755", "none", closed)
        os.makedirs(path, exist_ok=True)
        mount("--bind", f"/proc/{os.getpid()}/fd/{fd}", path)
        os.close(fd)


def inside(directory, command):
    if os.path.isdir(DEBUG):
        mount("-t", "tmpfs", "-o", "mode=755", "none", DEBUG)
    open_way(os.path.realpath(directory))
    os.environ["HOME"] = "/nonexistent"
    os.execvp("setpriv", ["setpriv", "--reuid", NOBODY, "--regid", NOBODY,
                          "--clear-groups", *command])


def main():
    if INSIDE in os.environ:
        del os.environ[INSIDE]
        inside(sys.argv[1], sys.argv[2:])
    default_signals()
    why = first_missing(["root", "cmd:setpriv", "cmd:unshare"])
    if why:
        tap = Tap()
        tap.skip("as an ordinary user, without debug files", why)
        tap.done()
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private",
                          sys.executable, *sys.argv])


main()
