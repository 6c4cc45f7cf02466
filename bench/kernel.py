#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the time that dtrace and bpftrace need to list and arm kernel
probes, and a function of the C library in 200 processes.

    kernel.py BUILD [ROUNDS]

Runs on any kernel, also in the emulated machine:

    tests/vm/vm.py BUILD python3 bench/kernel.py BUILD

Paired and printed only, like bench.py; bench/README.md says what each line
means."""
import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

NOW = "/bin/date +%s.%N"
TRACEFS = "/sys/kernel/tracing"


def wall(argv):
    """Seconds from the command's start to its end, and its output."""
    with tempfile.TemporaryFile("w+") as file:
        begin = time.time()
        subprocess.run(argv, stdin=subprocess.DEVNULL, check=True, stdout=file)
        took = time.time() - begin
        file.seek(0)
        return took, file.read()


def listed(argv):
    took, out = wall(argv)
    return [took], f"{out.count(chr(10))} lines"


def armed(argv):
    """Seconds until the probes are armed, and until the command has ended.

    The traced command starts once all probes are armed."""
    begin = time.time()
    took, out = wall(argv)
    stamp = [line for line in out.split("\n") if line[:1].isdigit()][0]
    return [float(stamp) - begin, took], ""


def compare(title, names, measure, theirs, ours, asked, rounds):
    """Run bpftrace and dtrace in turns; each pair gives a ratio."""
    pairs = []
    for _ in range(rounds):
        a, what_a = measure(theirs)
        b, what_b = measure(ours)
        pairs.append((a, b))
    print(f"\n{title} ({rounds} rounds)")
    for i, name in enumerate(names):
        ratios = sorted(b[i] / a[i] for a, b in pairs)
        print(f"{name:<22}"
              f"bpftrace {statistics.median(a[i] for a, _ in pairs):.3f} s  "
              f"dtrace {statistics.median(b[i] for _, b in pairs):.3f} s  "
              f"ratio {statistics.median(ratios):.2f} "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f}, asked {asked})")
    if what_a:
        print(f"bpftrace lists {what_a}, dtrace {what_b}")


@contextlib.contextmanager
def processes(n):
    """Run n processes that map the C library; yields its path."""
    procs = [subprocess.Popen(["sleep", "600"]) for _ in range(n)]
    try:
        time.sleep(0.5)  # until they have mapped it
        with open(f"/proc/{procs[-1].pid}/maps", encoding="ascii") as file:
            yield re.search(r"\S*/libc\.so\.6$", file.read(), re.M)[0]
    finally:
        for proc in procs:
            proc.kill()
            proc.wait()


def main():
    dtrace = os.path.join(os.path.abspath(sys.argv[1]), "dtrace")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if not os.path.exists(TRACEFS + "/events"):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACEFS],
                       check=True)
    compare("List all probes", ["begin to end"], listed,
            ["bpftrace", "-l"], [dtrace, "-l"], 0.25, rounds)
    compare("Arm vfs_*", ["until armed", "begin to end"], armed,
            ["bpftrace", "-e", "kprobe:vfs_* { @ = count(); }", "-c", NOW],
            [dtrace, "-n", "fbt::vfs_*:entry { @ = count(); }", "-c", NOW],
            0.5, rounds)
    with processes(200) as libc:
        compare("Arm malloc in 200 processes", ["until armed", "begin to end"],
                armed,
                ["bpftrace", "-e", f"uprobe:{libc}:malloc {{ @[comm] = count(); }}",
                 "-c", NOW],
                [dtrace, "-n",
                 "pid*:libc.so.6:malloc:entry { @[execname] = count(); }",
                 "-c", NOW], 1, rounds)


if __name__ == "__main__":
    main()
