#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs of Go, traced within them: counts are exact, whatever stacks do.

A goroutine begins with 2 KB of stack, gets more by moving it, changes from
thread to thread, and is interrupted by signals at any place.
"""

import os
import re
import signal
import subprocess
import tempfile
import time

from live import DTRACE, run, start, started, table

PROCESS = ["-q", "-x", "substrate=process"]
PROG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "prog")
GOROUTINES, CALLS, DEPTH = 100, 1000, 500
# leaf() is called by work() and at the end of deep()
SUM = GOROUTINES * (sum((3 * i + 1) % 7 for i in range(CALLS)) + DEPTH + 1)


def build(folder, name="goroutines"):
    """Build the program; the packages that come with the compiler are used
    compiled."""
    exe = os.path.join(folder, name)
    subprocess.run(["go", "tool", "compile", "-o", exe + ".o",
                    os.path.join(PROG, name + ".go")], check=True)
    subprocess.run(["go", "tool", "link", "-o", exe, exe + ".o"], check=True)
    return exe


def counts(tap, exe):
    want = {"leaf": GOROUTINES * (CALLS + 1), "deep": GOROUTINES * (DEPTH + 1),
            "fails": GOROUTINES}
    script = ", ".join(f"pid$target:a.out:main.{f}:{name}" for f in want
                       for name in ("entry", "return"))
    ran = run([DTRACE, *PROCESS, "-n", script + " { @[probefunc, probename] = "
               "count(); }", "-c", f"{exe} {GOROUTINES} {CALLS}"])
    got = re.findall(r"main\.(\w+)\s+(entry|return)\s+(\d+)", ran.out)
    tap.ok(ran.status == 0 and f"sum {SUM}\n" in ran.out and len(got) == 6 and
           all(want[f] == int(n) for f, _, n in got),
           "each call is counted once, though stacks grow and panics are "
           "recovered from", ran)


def records(tap, exe):
    """self-> belongs to an OS thread, not to a goroutine."""
    ran = run([DTRACE, *PROCESS, "-x", "bufsize=16m", "-n",
               "pid$target:a.out:main.leaf:entry { self->n = ++n; } "
               "pid$target:a.out:main.leaf:return /self->n/ "
               "{ printf(\"%d\\n\", self->n); self->n = 0; }", "-c",
               f"{exe} 1 20000"])
    numbers = [int(line) for line in ran.out.split("\n") if line.isdigit()]
    tap.ok(ran.status == 0 and numbers == list(range(1, 20002)),
           "records of entries and returns, none lost", ran.err,
           len(numbers))


def all_functions(tap, exe):
    """Trace functions of the runtime, too: its scheduler and signal
    handlers."""
    for name in "entry", "return":
        ran = run([DTRACE, *PROCESS, "-n", f"pid$target:a.out::{name} "
                   "{ @[\"n\"] = count(); }", "-c",
                   f"{exe} {GOROUTINES} {CALLS}"])
        refused = re.search(r"(\d+) of (\d+) places", ran.err)
        tap.ok(ran.status == 0 and f"sum {SUM}\n" in ran.out and
               table(ran.out)["n"] > 100000 and
               (not refused or int(refused[1]) * 10 < int(refused[2])),
               f"all {name} probes: the program does as before", ran)


def threads(tap, exe):
    """There is room for 1,024 threads at a time, however many there were
    before."""
    script = "pid$target:a.out:main.leaf:entry { @[\"n\"] = count(); }"
    ran = run([DTRACE, *PROCESS, "-n", script, "-c", f"{exe} threads 30 100"])
    tap.ok(ran.status == 0 and "sum 12000\n" in ran.out and ran.err == "" and
           table(ran.out)["n"] == 3000,
           "3,000 threads, 100 at a time", ran)
    ran = run([DTRACE, *PROCESS, "-n", script, "-c", f"{exe} threads 1 1100"])
    lost = sum(map(int, re.findall(
        r"(\d+) firings? dropped in threads beyond those", ran.err)))
    tap.ok(ran.status == 0 and "sum 4400\n" in ran.out and lost > 0 and
           table(ran.out)["n"] == 1100 - lost,
           "1,100 threads at a time: what was lost is reported", ran)


def text_of(pid):
    """The bytes of the program's code."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        span = next(line.split()[0] for line in maps if " r-xp " in line)
    low, high = (int(end, 16) for end in span.split("-"))
    with open(f"/proc/{pid}/mem", "rb") as mem:
        mem.seek(low)
        return mem.read(high - low)


def comes_and_goes(tap, exe):
    with started([exe], stdout=subprocess.PIPE) as victim:
        victim.stdout.readline()
        before = text_of(victim.pid)
        cmd = [DTRACE, *PROCESS, "-n", "pid$target:a.out::entry { @ = count(); "
               "} tick-500ms { exit(0); }", "-p", str(victim.pid)]
        rans = [run(cmd) for _ in range(3)]
        tap.ok(all(r.status == 0 and int(r.out) > 1000 for r in rans) and
               victim.poll() is None and text_of(victim.pid) == before,
               "three sessions with a running program", *rans)
        cmd[-3] = "pid$target:a.out::entry { @ = count(); }"
        with started(cmd, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL) as tracer:
            until = time.monotonic() + 20
            while text_of(victim.pid) == before and time.monotonic() < until:
                time.sleep(0.02)
            planted = text_of(victim.pid) != before
            tracer.send_signal(signal.SIGKILL)
        until = time.monotonic() + 20
        while text_of(victim.pid) != before and time.monotonic() < until:
            time.sleep(0.02)
        tap.ok(planted and text_of(victim.pid) == before and
               victim.poll() is None,
               "dtrace is killed: the program goes on, with its own code")
        victim.kill()


def two_sessions(tap, exe):
    """A thread has room for one session: a second one waits for the first to
    end."""
    cmd = [DTRACE, *PROCESS, "-n"]
    script = "pid$target:a.out:%s:entry { @ = count(); } " \
        "tick-1s { exit(0); }"
    with started([exe], stdout=subprocess.PIPE) as victim:
        victim.stdout.readline()
        before = text_of(victim.pid)
        target = ["-p", str(victim.pid)]
        with started([*cmd, script % "main.leaf", *target],
                     stdout=subprocess.DEVNULL) as first:
            until = time.monotonic() + 20
            while text_of(victim.pid) == before and time.monotonic() < until:
                time.sleep(0.02)
            second = run([*cmd, script % "runtime.[a-z]*", *target])
        tap.ok(first.returncode == 0 and second.status == 0 and
               int(second.out) > 0 and victim.poll() is None,
               "two sessions at once: one after the other", second)
        victim.kill()


def preempted(tap, folder):
    """Flags keep the program's values where Go makes it call a function."""
    exe = build(folder, "carry")
    for name in "entry", "return":
        ran = run([DTRACE, *PROCESS, "-n", f"pid$target:a.out::{name} "
                   "{ @[probefunc] = count(); }", "-c", f"{exe} 8 10000000"])
        tap.ok(ran.status == 0 and "differ 0\n" in ran.out and
               "asyncPreempt2" in ran.out,
               f"all {name} probes: carries survive preemption", ran)


def stripped(tap, exe):
    """System calls are traced by a table that Go's runtime needs, not by
    symbols."""
    script = "syscall::write:entry /pid == $target/ { @ = count(); }"
    bare, changed, table_file = (exe + end for end in (".s", ".c", ".t"))
    subprocess.run(["objcopy", "-S", exe, bare], check=True)
    with open(table_file, "wb") as f:
        f.write(bytes(4096))
    subprocess.run(["objcopy", "--update-section", f".gopclntab={table_file}",
                    bare, changed], check=True)
    rans = [run([DTRACE, *PROCESS, "-n", script, "-c", f"{prog} 4 100"])
            for prog in (exe, bare)]
    tap.ok(all(ran.status == 0 and ran.out.split()[-1] == "1" for ran in rans),
           "system calls, with symbols and without", *rans)
    ran = run([DTRACE, *PROCESS, "-n", "pid$target:a.out:-:401000 { @ = "
               "count(); }", "-c", f"{changed} 4 100"])
    tap.ok(ran.status == 1 and "has no symbols" in ran.err,
           "with a table that is not understood: refused by name", ran)


def linked_with_c(tap, folder):
    """A section that Go's linker always writes marks the program as Go's."""
    exe = os.path.join(folder, "c")
    subprocess.run(["objcopy", "--add-section", ".gopclntab=/dev/null",
                    os.path.join(os.environ["PROGS"], "entered"), exe],
                   check=True)
    ran = run([DTRACE, *PROCESS, "-n", "pid$target:a.out::entry { @ = count(); "
               "}", "-c", f"{exe} calls 1 1"])
    tap.ok(ran.status == 1 and "linked with a C library" in ran.err,
           "a program of Go with a C library: refused by name", ran)


def main():
    tap = start("root cmd:go cmd:objcopy prog:entered")
    with tempfile.TemporaryDirectory(prefix="dt-go.") as folder:
        exe = build(folder)
        counts(tap, exe)
        records(tap, exe)
        all_functions(tap, exe)
        threads(tap, exe)
        comes_and_goes(tap, exe)
        two_sessions(tap, exe)
        preempted(tap, folder)
        stripped(tap, exe)
        linked_with_c(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
