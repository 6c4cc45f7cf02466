#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A real container, of podman's: from the host it is found by its name and id,
and the programs in it are traced by their own files.

The container has no network and an image of this test's own: copies of a test
program, libc and busybox.  podman runs in a user namespace, in which it needs
no device rules, with a store of its own.  Where podman or crun is missing, or
no container starts, the test is skipped.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time

from live import dtrace, prog, start

IN_NAMESPACE = """
echo ready; read x
mount -t cgroup2 none /sys/fs/cgroup || exit
exec "$@" 2>&1
"""
LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000"]
TICK = " tick-1s { exit(0); }"


class Podman:
    def __init__(self, folder):
        self.command = [
            "podman", "--root", f"{folder}/store", "--runroot",
            f"{folder}/run", "--tmpdir", f"{folder}/tmp", "--storage-driver",
            "vfs", "--cgroup-manager", "cgroupfs", "--events-backend", "none"]

    def __call__(self, *args):
        """Run podman; returns its status and output."""
        proc = subprocess.Popen(
            ["unshare", "-U", "-m", "-C", "sh", "-c", IN_NAMESPACE, "sh",
             *self.command, *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        proc.stdout.readline()
        for name in "uid_map", "gid_map":
            with open(f"/proc/{proc.pid}/{name}", "w") as f:
                f.write("0 0 65536\n")
        out, _ = proc.communicate("\n", timeout=120)
        return proc.returncode, out


def libraries(path):
    """The files that the program loads, with the program interpreter."""
    out = subprocess.run(["ldd", path], capture_output=True, text=True,
                         check=True).stdout
    return re.findall(r"(/\S+) \(0x", out)


def make_image(podman, folder):
    files = [prog("usdtapp"), *libraries(prog("usdtapp"))]
    for path in files:
        inside = "/usdtapp" if path == files[0] else path
        to = f"{folder}/image{inside}"
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(path, to)
    subprocess.run(["tar", "-C", f"{folder}/image", "-cf",
                    f"{folder}/image.tar", "."], check=True)
    return podman("import", f"{folder}/image.tar", "dtrace-test:1")


def process_of(cid):
    """The process of the container with that id, or None."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/cgroup") as f, \
                 open(f"/proc/{pid}/comm") as comm:
                if f"libpod-{cid}" in f.read() and comm.read() == "usdtapp\n":
                    return int(pid)
    return None


@contextlib.contextmanager
def container(podman, name, *args):
    """Run the program in a container; gives its id and process, or None and
    why it does not run."""
    status, out = podman("run", "-d", "--name", name, "--network", "none",
                         *LIMITS, *args, "dtrace-test:1", "/usdtapp", "1000000",
                         "5000", "quiet")
    cid = (out.split() or [""])[-1]
    try:
        pid = None
        for _ in range(600):
            pid = process_of(cid) if status == 0 else None
            if pid is not None or status != 0:
                break
            time.sleep(0.1)
        yield (cid, pid) if pid is not None else (None, out)
    finally:
        podman("rm", "-f", "-t", "0", name)


def from_host(tap, name, cid, pid):
    def holds(what, want, *args):
        ran = dtrace("-q", *args)
        tap.ok(ran.status == 0 and want in ran.out, what, ran)

    short = cid[:12]
    by_zone = "{ @[execname, zonename] = count(); }" + TICK
    holds("--container finds it by its name", short, "--container", name, "-n",
          "syscall::clock_nanosleep:entry " + by_zone)
    holds("--container finds it by its id", short, "--container", short, "-n",
          "syscall::clock_nanosleep:entry " + by_zone)
    holds("cgroupname is the path of its group", cid, "-p", str(pid), "-n",
          "syscall::clock_nanosleep:entry /pid == $target/ "
          "{ @[cgroupname] = count(); }" + TICK)
    holds("a function of all processes", short, "--container", name, "-n",
          "pid*:libc.so.6:usleep:entry " + by_zone)
    holds("a function of its process, with names of its stack", "`main", "-p",
          str(pid), "-n",
          "pid$target:a.out:serve:entry { @[ustack()] = count(); }" + TICK)
    holds("probes that its program brings", short, "--container", name, "-n",
          "usdtapp*:::request-start " + by_zone)
    ran = dtrace("-qn", "BEGIN", "--container", name + "x")
    tap.ok(ran.status == 1 and f"there is no '{name}x'" in ran.err,
           "a name that no container has", ran)


def inside(tap, name, cid, pid):
    """Jumps in the process, which podman's seccomp filter forbids."""
    ran = dtrace("-q", "-x", "substrate=process", "--container", name, "-p",
                 str(pid), "-n",
                 "pid$target:a.out:serve:entry { @[zonename] = count(); }"
                 + TICK)
    tap.ok(ran.status == 0 and cid[:12] in ran.out,
           "without a seccomp filter, probes inside the process", ran)


def names_folder(pid, folder):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline") as f:
            return folder in f.read()
    return False


def remove(folder):
    """Remove the folder, once the monitors of the containers have ended."""
    for _ in range(600):
        if not any(names_folder(pid, folder) for pid in os.listdir("/proc")
                   if pid.isdigit() and int(pid) != os.getpid()):
            break
        time.sleep(0.1)
    shutil.rmtree(folder, ignore_errors=True)


def main():
    tap = start("root bpf cmd:podman cmd:crun cmd:unshare prog:usdtapp")
    folder = tempfile.mkdtemp(prefix="dt-podman.")
    podman = Podman(folder)
    name = f"dtrace-test-{os.getpid()}"
    try:
        status, out = make_image(podman, folder)
        if status != 0:
            tap.skip("containers of podman", out.strip().split("\n")[-1])
            tap.done()
        with container(podman, name) as (cid, pid):
            if cid is None:
                tap.skip("containers of podman", pid.strip().split("\n")[-1])
                tap.done()
            from_host(tap, name, cid, pid)
        with container(podman, name, "--security-opt",
                       "seccomp=unconfined") as (cid, pid):
            tap.ok(cid is not None, "a container without a filter", pid)
            if cid is not None:
                inside(tap, name, cid, pid)
    finally:
        remove(folder)
    tap.done()


main()
