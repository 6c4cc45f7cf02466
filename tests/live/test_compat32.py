#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""32-bit system calls carry their own names and are not mistaken."""

import os

from live import dtrace, prog, start, table

ENTRY = "syscall:::entry /pid == $target/ { @[probefunc] = count(); }"
RETURN = "syscall:::return /pid == $target/ { @[probefunc] = count(); }"


def main():
    tap = start("root bpf prog:compat32")
    if os.spawnv(os.P_WAIT, prog("compat32"), ["compat32"]) != 0:
        tap.skip("32-bit calls", "the kernel runs no 32-bit programs")
        tap.done()
    ran = dtrace("-q", "-n", ENTRY, "-c", prog("compat32"))
    rows = table(ran.out)
    tap.ok(rows == {"getpid": 1, "write": 1, "exit": 1},
           "entries: getpid, write and exit", rows, ran)
    ran = dtrace("-q", "-n", RETURN, "-c", prog("compat32"))
    rows = table(ran.out)
    rows.pop("execve", None)
    tap.ok(rows == {"getpid": 1, "write": 1}, "returns: getpid and write",
           rows, ran)
    one = ("syscall::write:entry /pid == $target/"
           " { printf(\"%d\\n\", (int)arg0); }")
    ran = dtrace("-q", "-n", one, "-c", prog("compat32"))
    tap.ok(ran.out.split() == ["-1"], "the first argument is ebx", ran)
    tap.done()


main()
