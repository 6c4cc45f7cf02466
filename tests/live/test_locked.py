#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that lock all their memory (mlockall) can be traced.

dtrace's memory in them is not locked; their own later mappings are, as
before."""

import contextlib
import re
import subprocess

from live import background, dtrace, prog, start

PROBE = "pid$target:a.out:fn_step:entry"
SCRIPT = (f"BEGIN {{ printf(\"on\\n\"); }} {PROBE} {{ @ = count(); }} "
          f"{PROBE} /++n == 100/ {{ exit(0); }} END {{ printa(\"%@d\", @); }}")
LIMITED = ["setpriv", "--reuid", "65534", "--regid", "65534",
           "--clear-groups", "prlimit", "--memlock=8388608"]


@contextlib.contextmanager
def program(*cmd):
    """Run a program that has locked its memory; yields it and its first
    report."""
    proc = subprocess.Popen(cmd, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    try:
        yield proc, proc.stdout.readline()
    finally:
        proc.communicate()


def ask(proc):
    proc.stdin.write("\n")
    proc.stdin.flush()
    return proc.stdout.readline()


def numbers(line):
    return [int(n) for n in re.findall(r"\d+", line)]


def options(proc):
    return ["-q", "-x", "substrate=process", "-n", SCRIPT, "-p", str(proc.pid)]


def traced(tap, what, *how):
    """Compare reports from before, during and after tracing.

    They tell how much of a new mapping is locked, and how much is present."""
    with program(prog("locked"), *how) as (proc, before):
        with background(*options(proc)) as tracer:
            begun = tracer.stdout.readline()
            during = ask(proc)
            out, err = tracer.communicate(timeout=60)
        after = ask(proc)
    tap.ok(begun == "on\n" and out.strip() == "100" and err == "" and
           tracer.returncode == 0 and proc.returncode == 0,
           f"{what}: each call counts", out, err)
    tap.ok(numbers(before)[1:] == numbers(during)[1:] ==
           numbers(after)[1:] == [256, 0 if how else 256] and
           numbers(during)[0] - numbers(before)[0] < 1024,
           f"{what}: its new mappings are locked, dtrace's are not",
           before, during,
           after)


def limited(tap):
    with program(*LIMITED, prog("locked")) as (proc, before):
        ran = dtrace(*options(proc))
        after = ask(proc)
    tap.ok(ran.status == 1 and "locks all that it maps (mlockall), and may "
           "lock no more (ulimit -l)" in ran.err and before == after and
           proc.returncode == 0,
           "a program that may lock no more is refused", ran, before, after)


def main():
    tap = start("root cmd:setpriv cmd:prlimit prog:locked")
    traced(tap, "all is locked")
    traced(tap, "all is locked once it is used", "onfault")
    limited(tap)
    tap.done()


main()
