#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tables of system calls, row by row: numbers are those of the C library's
headers, argument types are those of the running kernel's tracepoints."""

import os
import re
import subprocess

from live import dtrace, start

HEADERS = "/usr/include/x86_64-linux-gnu/asm"
LAST = 450  # last of Linux 6.1; later ones depend on the kernel
# A 32-bit call without a 64-bit form, whose probe marks where those begin.
WAITPID = 7
FORMATS = ("mount -t tracefs none /sys/kernel/tracing && "
           "cd /sys/kernel/tracing/events/syscalls && "
           "for f in sys_enter_*/format; do echo \"== $f\"; cat $f; done")


def header(bits):
    """Numbers of calls, by name."""
    with open(f"{HEADERS}/unistd_{bits}.h", encoding="ascii") as f:
        return {name: int(nr) for name, nr in
                re.findall(r"#define __NR_(\w+) (\d+)", f.read())
                if int(nr) <= LAST}


def listed():
    """Places in the table, from the ids of entry probes, by call."""
    ids = {}
    for line in dtrace("-l", "-n", "syscall:::entry").out.splitlines()[1:]:
        number, _, _, func, _ = line.split()
        ids[func] = int(number)
    return {func: (i - ids["read"]) // 2 for func, i in ids.items()}


def check_numbers(tap):
    places, calls = listed(), header(64)
    wrong = [f"{name}: {places.get(name)}, not {nr}"
             for name, nr in calls.items() if places.get(name) != nr]
    tap.ok(not wrong, f"{len(calls)} calls have their numbers", *wrong)
    base = places["waitpid"] - WAITPID
    only32 = {name: nr for name, nr in header(32).items()
              if name in places and name not in calls}
    wrong = [f"{name}: {places[name] - base}, not {nr}"
             for name, nr in only32.items() if places[name] - base != nr]
    tap.ok(not wrong and len(only32) > 50,
           f"{len(only32)} calls of 32-bit programs have theirs", *wrong)
    missing = [name for name in header(32) if name not in places]
    tap.ok(not missing, "no call of 32-bit programs is missing", *missing)


def plain(text):
    """A type without its spelling: `char * *` is `char **`."""
    return re.sub(r"\s*\*\s*", "*", re.sub(r"\buserland\b", "", text)).strip()


def kernel_types():
    """Argument types by tracepoint, read in a mount namespace of its own."""
    out = subprocess.run(["unshare", "-m", "sh", "-c", FORMATS], check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True).stdout
    types = {}
    for part in out.split("== sys_enter_")[1:]:
        fields = re.findall(r"field:(.*?)\w+;\toffset:(\d+)", part)
        types[part.split("/")[0]] = [plain(t) for t, off in fields
                                     if int(off) >= 16]
    return types


def our_types():
    """Argument types by call, as dtrace lists them."""
    types, name = {}, None
    for line in dtrace("-lv", "-n", "syscall:::entry").out.splitlines():
        probe = re.match(r" *\d+ +syscall +vmlinux +(\w+) entry", line)
        arg = re.match(r"\s+args\[\d+\]: (.*)", line)
        if probe:
            name = probe.group(1)
            types[name] = []
        elif arg:
            types[name].append(plain(arg.group(1)))
    return types


def check_types(tap):
    kernel, ours = kernel_types(), our_types()
    if not kernel:
        tap.skip("argument types", "tracefs cannot be mounted")
        return
    both = sorted(set(kernel) & set(ours) & set(header(64)))
    wrong = [f"{name}: {ours[name]}, the kernel has {kernel[name]}"
             for name in both if ours[name] != kernel[name]]
    tap.ok(not wrong and len(both) > 300,
           f"{len(both)} calls have the kernel's argument types", *wrong)


def main():
    tap = start("root bpf")
    if os.path.exists(f"{HEADERS}/unistd_64.h"):
        check_numbers(tap)
    else:
        tap.skip("numbers", "the kernel's headers are not installed")
    check_types(tap)
    tap.done()


if __name__ == "__main__":
    main()
