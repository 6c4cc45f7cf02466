#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Libraries that a traced process loads and unloads all the time.

Every function and every system call of every load fires.  A library that is
loaded again costs one stop.  It needs a new plan of jumps only if it is at
a new place.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile

from live import DTRACE, dtrace, prog, run, start, table

LIBRARIES = 5
LOADS = 750
CALLS = 3           # calls of dlopens.c, and of the constructor
EXTRA_STOPS = 10    # to enter, and for threads that leave late
PLANS = 40          # places where one of the libraries may be

ENTRIES = 'pid$target:::entry /probefunc == "fn_loaded"/ ' \
          '{ @[probemod] = count(); }'
ONE = "pid$target::fn_loaded:entry { @[probemod] = count(); }"
SYSCALLS = "syscall::getpgrp:entry { @[execname] = count(); }"


def libraries(folder):
    """Make five files with the same code."""
    paths = [os.path.join(folder, f"lib{i}.so") for i in range(LIBRARIES)]
    for path in paths:
        shutil.copy(prog("dlopened.so"), path)
    return paths


def command(paths, loads=LOADS):
    return [prog("dlopens"), str(loads), *paths]


def took(text):
    """The milliseconds that the program has printed."""
    return float(re.search(r"^(\d+\.\d)$", text, re.M).group(1))


def trace(paths, script, *options):
    return dtrace("-x", "substrate=process", "-x", "debug", *options, "-qn",
                  script, "-c", " ".join(command(paths)))


def per_library(ran, paths):
    each = CALLS * LOADS // LIBRARIES
    return table(ran.out) == {os.path.basename(p): each for p in paths}


def check_work(tap, ran, folder, name):
    stops = len(re.findall(r"changed the code of process", ran.err))
    plans = len(re.findall(rf"planned \d+ places of {folder}", ran.err))
    tap.ok(0 < stops <= LOADS + EXTRA_STOPS,
           f"{name}: a load stops the process once", f"{stops} stops")
    tap.ok(LIBRARIES <= plans <= PLANS,
           f"{name}: a place is planned once", f"{plans} plans")
    print(f"# {name}: {stops} stops, {plans} plans, {took(ran.out):.0f} ms",
          flush=True)


def check_entries(tap, folder, paths):
    for name, script, *options in (("all entries", ENTRIES),
                                   ("one function", ONE, "-Z")):
        ran = trace(paths, script, *options)
        tap.ok(ran.status == 0 and per_library(ran, paths),
               f"{name}: each call in {LOADS} loads fires", ran)
        check_work(tap, ran, folder, name)


def check_syscalls(tap, folder, paths):
    ran = trace(paths, SYSCALLS)
    tap.ok(ran.status == 0 and table(ran.out) == {"dlopens": CALLS * LOADS},
           f"system calls: each one in {LOADS} loads fires", ran)
    check_work(tap, ran, folder, "system calls")


def check_kernel(tap, paths):
    """The kernel substrate gives the same answers."""
    ran = dtrace("-x", "substrate=kernel", "-Zqn", ONE, "-c",
                 " ".join(command(paths)))
    tap.ok(ran.status == 0 and per_library(ran, paths),
           "in the kernel: each call fires", ran)
    print(f"# in the kernel, one function: {took(ran.out):.0f} ms", flush=True)


def ours(pid):
    with open(f"/proc/{pid}/maps") as f:
        return [line for line in f if "memfd:dtrace" in line]


def check_end(tap, paths):
    """Undo everything at places where several libraries have been."""
    proc = subprocess.Popen([prog("dlopens"), "-w", "50", *paths],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    tracer = subprocess.Popen(
        [DTRACE, "-x", "substrate=process", "-qn",
         ENTRIES + 'BEGIN { printf("ready\\n"); }', "-p", str(proc.pid)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        tracer.stdout.readline()
        proc.stdin.write("go\n")
        proc.stdin.flush()
        proc.stdout.readline()
        tracer.send_signal(signal.SIGINT)
        out, err = tracer.communicate(timeout=60)
        tap.ok(tracer.returncode == 0 and not ours(proc.pid),
               "a process that goes on has nothing of ours left",
               out + err + "".join(ours(proc.pid)))
        proc.communicate("end\n", timeout=60)
        tap.ok(proc.returncode == 0, "... and goes on", str(proc.returncode))
    finally:
        proc.kill()
        tracer.kill()
        tracer.communicate()
        proc.communicate()


def main():
    tap = start("root bpf prog:dlopens")
    with tempfile.TemporaryDirectory() as folder:
        paths = libraries(folder)
        ran = run(command(paths))
        print(f"# untraced: {took(ran.out):.0f} ms", flush=True)
        check_entries(tap, folder, paths)
        check_syscalls(tap, folder, paths)
        check_kernel(tap, paths)
        check_end(tap, paths)
    tap.done()


main()
