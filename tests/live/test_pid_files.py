#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that have changed since a process mapped them, and untraceable
processes.

dtrace reports an error, and changes nothing."""

import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile

from live import dtrace, prog, run, start

HOLD = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); " \
    "print('ready', flush=True); sys.stdin.read()"
SHOFF, SHNUM = 40, 60           # offsets in the ELF header (System V gABI)


@contextlib.contextmanager
def holder(library):
    """A process that has mapped the library and never calls it again."""
    proc = subprocess.Popen(["python3", "-c", HOLD, library],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    proc.stdout.readline()
    try:
        yield proc
    finally:
        proc.kill()
        proc.wait()


def truncated(path):
    os.truncate(path, 200)


def emptied(path):
    os.truncate(path, 0)


def overwritten(path):
    with open(path, "r+b") as file:
        file.write(os.urandom(os.path.getsize(path)))


def no_sections_end(path):
    """Make the header claim 65,535 sections at the end of the file."""
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(SHOFF)
        file.write(struct.pack("<Q", size - 8))
        file.seek(SHNUM)
        file.write(struct.pack("<H", 0xffff))


def replaced(path):
    shutil.copy("/bin/true", path + ".new")
    os.rename(path + ".new", path)


def check_changed(tap, work, change, words):
    path = os.path.join(work, change.__name__ + ".so")
    shutil.copy(prog("loaded.so"), path)
    with holder(path) as proc:
        change(path)
        ran = dtrace("-n", "pid$target:" + os.path.basename(path) +
                     ":fn_loaded:entry { exit(0); }", "-p", str(proc.pid),
                     timeout=20)
        alive = proc.poll() is None
    tap.ok(ran.status == 1 and alive and "Sanitizer" not in ran.err and
           re.search(words, ran.err),
           f"a library that was {change.__name__} since: an error", ran)


def check_replaced(tap, work):
    """The process still runs the old contents, which have no name any more."""
    path = os.path.join(work, "replaced.so")
    shutil.copy(prog("loaded.so"), path)
    with holder(path) as proc:
        replaced(path)
        ran = dtrace("-l", "-n", "pid$target:replaced.so:fn_loaded:entry",
                     "-p", str(proc.pid))
    tap.ok("fn_loaded" in ran.out, "one that was replaced is found", ran)


def as_nobody(dtrace_path, caps, *args):
    words = ",".join("+" + c for c in caps)
    grants = ["--inh-caps=" + words, "--ambient-caps=" + words] if caps else []
    return run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                *grants, dtrace_path, *args], cwd="/", timeout=20)


def check_others(tap, work):
    """Trace another user's process, with more and more capabilities."""
    copy = os.path.join(work, "dtrace")
    shutil.copy(os.path.abspath(os.sys.argv[1]), copy)
    with holder(prog("loaded.so")) as proc:
        for caps in ((), ("bpf", "perfmon")):
            ran = as_nobody(copy, caps, "-n", "pid$target:a.out:main:entry",
                            "-p", str(proc.pid))
            tap.ok(ran.status == 1 and "CAP_SYS_PTRACE" in ran.err and
                   f"process {proc.pid} belongs to uid 0" in ran.err,
                   f"another user's process, with {caps or 'nothing'}: an "
                   "error that says what it takes", ran)
        ran = as_nobody(copy, ("bpf", "perfmon", "sys_ptrace"), "-q", "-n",
                        "pid$target:libc.so.6:read:entry { exit(0); } "
                        'BEGIN { printf("ready\\n"); exit(0); }',
                        "-p", str(proc.pid))
        tap.ok(ran.status == 0 and ran.out == "ready\n\n" and
               proc.poll() is None, "and with it, it is traced", ran)
        proc.send_signal(signal.SIGSTOP)
        ran = dtrace("-qn", "pid$target:libc.so.6:read:entry { } "
                     "BEGIN { exit(0); }", "-p", str(proc.pid))
        with open(f"/proc/{proc.pid}/stat", encoding="ascii") as file:
            state = file.read().rsplit(")", 1)[1].split()[0]
        tap.ok(ran.status == 0 and state == "T",
               "a process that was stopped stays so", ran, state)


def main():
    tap = start("root bpf cmd:setpriv prog:loaded.so")
    with tempfile.TemporaryDirectory(prefix="dt-files.") as work:
        os.chmod(work, 0o755)
        check_changed(tap, work, truncated, "no names of functions.*damaged")
        check_changed(tap, work, emptied, "emptied.so cannot be .*not an ELF file")
        check_changed(tap, work, overwritten,
                      "overwritten.so cannot be .*not an ELF file")
        check_changed(tap, work, no_sections_end,
                      "no names of functions.*damaged")
        check_replaced(tap, work)
        check_others(tap, work)
    tap.done()


main()
