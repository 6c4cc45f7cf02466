#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""32-bit system calls have their own names, whether 32-bit or 64-bit code
makes them."""

from live import dtrace, prog, start, table

ENTRY = "syscall:::entry /pid == $target/ { @[probefunc] = count(); }"
RETURN = "syscall:::return /pid == $target/ { @[probefunc] = count(); }"
# The numbers clash: the 32-bit write has that of stat, getpid that of writev.
ONE = ("syscall::%s:entry /pid == $target/ { @ = count(); }"
       " END { printa(\"%%@d\\n\", @); }")
ARG = ("syscall::write:entry /pid == $target/"
       " { printf(\"%d\\n\", (int)arg0); }")


def check(tap, name):
    def run(script):
        return dtrace("-q", "-n", script, "-c", prog(name))

    ran = run(ENTRY)
    rows = table(ran.out)
    tap.ok(rows == {"getpid": 1, "write": 1, "exit": 1},
           name + ": entries: getpid, write and exit", rows, ran)
    ran = run(RETURN)
    rows = table(ran.out)
    rows.pop("execve", None)
    tap.ok(rows == {"getpid": 1, "write": 1},
           name + ": returns: getpid and write", rows, ran)
    ran = run(ARG)
    tap.ok(ran.out.split() == ["-1"], name + ": the first argument is ebx",
           ran)
    for call, count in ("getpid", ["1"]), ("writev", []), ("stat", []):
        ran = run(ONE % call)
        tap.ok(ran.out.split() == count and ran.status == 0,
               f"{name}: {call} alone: {len(count)}", ran)


def main():
    tap = start("root bpf prog:compat32 prog:int80 bits32")
    for name in "compat32", "int80":
        check(tap, name)
    tap.done()


main()
