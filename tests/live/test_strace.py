#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every system call of a command is counted, under strace's name for it."""

import re
import tempfile

from live import dtrace, run, start, table

COMMAND = "find /usr/share -type f"
SCRIPT = "syscall:::entry /pid == $target/ { @[probefunc] = count(); }"
# strace also sees the first execve return, and does not count calls that never
# return.
MAY_DIFFER = {"execve", "exit", "exit_group"}


def strace_counts():
    with tempfile.NamedTemporaryFile("r") as f:
        run(["strace", "-f", "-c", "-o", f.name, *COMMAND.split()])
        rows = (line.split() for line in f.read().splitlines())
        return {row[-1]: int(row[3]) for row in rows
                if len(row) >= 5 and re.fullmatch(r"[\d.]+", row[0])
                and row[-1] != "total"}


def differences(a, b):
    names = sorted((a.keys() | b.keys()) - MAY_DIFFER)
    return [f"{n}: strace {a.get(n, 0)}, dtrace {b.get(n, 0)}"
            for n in names if a.get(n, 0) != b.get(n, 0)]


def main():
    tap = start("root bpf cmd:strace cmd:find")
    # /usr/share may change meanwhile, while packages are installed.
    for _ in range(3):
        want = strace_counts()
        ran = dtrace("-q", "-x", "evaltime=exec", "-c", COMMAND, "-n", SCRIPT,
                     "-o", "/dev/stderr")
        got = table(ran.err)
        diff = differences(want, got)
        if not diff:
            break
    tap.ok(ran.status == 0, "dtrace -c find ends well", ran.status,
           ran.err[:2000])
    tap.ok(len(want) > 5 and not diff,
           f"{sum(want.values())} calls of {len(want)} kinds agree",
           "\n".join(diff))
    tap.done()


main()
