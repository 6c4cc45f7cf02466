# SPDX-License-Identifier: BSD-2-Clause
"""Roots of other systems: Debian's suites, made by debootstrap in memory.

A root lives on a tmpfs in a mount namespace of this process, so nothing has to
be unmounted or removed, however the test ends.  Call enter() before anything
else: it starts the program anew in such a namespace.
"""

import os
import re
import shutil
import subprocess
import sys

MIRROR = "http://deb.debian.org/debian"
INSIDE = "SYSTEMS_INSIDE"
TOP = "/mnt"
SIZE = "8g"
# Messages of a package manager that cannot reach its server.
NO_NETWORK = re.compile(
    r"Failed to fetch|Temporary failure|Could not (?:resolve|connect)|"
    r"Unable to connect|Connection (?:failed|timed out|refused)|"
    r"Hash Sum mismatch|Couldn't download|Failed getting release file")


class Unavailable(Exception):
    """The system cannot be made now; the text says why."""


class Ran:
    def __init__(self, status, out):
        self.status, self.out = status, out

    def __str__(self):
        return f"status {self.status}\n{self.out[-4000:]}"

    def last(self):
        lines = self.out.strip().splitlines()
        return lines[-1] if lines else "nothing was said"


def enter():
    if INSIDE in os.environ:
        del os.environ[INSIDE]
        return
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private",
                          sys.executable, *sys.argv])


def mount(*args):
    subprocess.run(["mount", *args], check=True)


def run(cmd, seconds):
    """Run a command; its output goes to a file, so leftover processes do not
    block."""
    with open(os.path.join(TOP, "output"), "w+", encoding="utf-8",
              errors="replace") as out:
        proc = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=out, start_new_session=True)
        try:
            status = proc.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(proc.pid, 9)
            proc.wait()
            status = f"killed after {seconds} s"
        out.seek(0)
        return Ran(status, out.read())


class Root:
    """A minimal system of a suite, without any development package."""

    def __init__(self, suite):
        self.suite = suite
        self.path = os.path.join(TOP, suite)
        if not os.path.ismount(TOP):
            mount("-t", "tmpfs", "-o", "mode=755", "none", TOP)
        os.makedirs(self.path)
        mount("-t", "tmpfs", "-o", f"mode=755,size={SIZE}", "none", self.path)
        ran = run(["debootstrap", "--variant=minbase", suite, self.path,
                   MIRROR], 600)
        if ran.status != 0:
            raise Unavailable(f"debootstrap: {ran.last()}")
        # A mirror may be stale for longer than an index is valid.
        self.write("etc/apt/apt.conf.d/99stale",
                   'Acquire::Check-Valid-Until "false";\n')
        mount("-t", "proc", "proc", os.path.join(self.path, "proc"))
        for folder in ("dev", "sys"):
            mount("--rbind", "/" + folder, os.path.join(self.path, folder))
        self.install()

    def write(self, path, text, mode=0o644):
        path = os.path.join(self.path, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)

    def run(self, command, seconds=600, **env):
        """Run a shell command, in /src if that exists."""
        words = [f"{name}={value}" for name, value in env.items()]
        return run(["chroot", self.path, "/usr/bin/env", "-i", "HOME=/root",
                    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
                    "/sbin:/bin", "LC_ALL=C.UTF-8",
                    "DEBIAN_FRONTEND=noninteractive", *words, "sh", "-c",
                    "cd /src 2>/dev/null; " + command], seconds)

    def install(self, *packages):
        ran = self.run("apt-get update -qq && apt-get install -y -qq "
                       "--no-install-recommends " + " ".join(packages))
        if ran.status != 0 and NO_NETWORK.search(ran.out):
            raise Unavailable(f"apt-get: {ran.last()}")
        if ran.status != 0:
            raise RuntimeError(f"apt-get install {packages}: {ran}")
        return ran

    def copy_source(self, source):
        """Copy the files that git tracks to /src."""
        files = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", source, "ls-files", "-z"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        for path in filter(None, files.split("\0")):
            target = os.path.join(self.path, "src", path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(source, path), target)

    def remove(self):
        """Release the root's memory."""
        subprocess.run(["umount", "--lazy", "--recursive", self.path],
                       check=True)
