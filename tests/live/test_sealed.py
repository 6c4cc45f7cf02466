#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program installs a seccomp filter while it is traced.

Probes make no system call that the filter forbids, so the program goes on.
dtrace reports what the probes can no longer do."""

import re

from live import dtrace, prog, start

ENTRY = "pid$target:a.out:fn_step:entry"
RETURN = "pid$target:a.out:fn_step:return"
HARMLESS = [
    "@[probename] = count();",
    "@[probename] = sum(1); self->n++; n = self->n;",
    "@[probename] = count(); trace(arg1); trace(timestamp);",
    "@[probename] = count(); printf(\"%s %d %d\", probefunc, tid, pid);",
    "@[probename] = count(); a[probename, self->n++ % 4] = timestamp;",
]
NOTICE = r"dtrace: process \d+ asks for a seccomp filter that forbids"


def traced(script, how, *args):
    return dtrace("-q", *args, "-x", "substrate=process", "-n", script, "-c",
                  f"{prog('sealed')} {how}")


def counts(ran):
    return {name: int(n) for name, n in
            re.findall(r"^ +(\w+) +(\d+)$", ran.out, re.M)}


def is_told(ran):
    return len(re.findall(NOTICE, ran.err)) == 1 and \
        "substrate=kernel" in ran.err


def check_harmless(tap, how):
    """Actions that make no system call still work."""
    for clause in HARMLESS:
        ran = traced(f"{ENTRY}, {RETURN} {{ {clause} }}", how)
        tap.ok(ran.status == 0 and "sum 2080\n" in ran.out and
               counts(ran) == {"entry": 20, "return": 20} and is_told(ran),
               f"{how}: goes on: {clause}", ran)


def check_reading(tap, how):
    """Actions that read memory fail as with a bad address."""
    ran = traced(f"{ENTRY} {{ @[copyinstr(arg0)] = count(); }}", how, "-x",
                 "allfaults")
    tap.ok("sum 2080\n" in ran.out and counts(ran) == {"heap": 10} and
           is_told(ran) and
           ran.err.count("invalid address") == 10, f"{how}: reading", ran)


def check_stack(tap, how):
    ran = traced(f"{ENTRY} {{ @[ustack(2)] = count(); }}", how)
    tap.ok("sum 2080\n" in ran.out and is_told(ran), f"{how}: stacks", ran)


def check_strict(tap):
    """The strict mode even forbids reading the time-stamp counter: nothing
    fires."""
    for clause in HARMLESS:
        ran = traced(f"{ENTRY}, {RETURN} {{ {clause} }}", "strict")
        tap.ok(ran.status == 0 and "sum 2080\n" in ran.out and
               counts(ran) == {"entry": 10, "return": 10} and is_told(ran),
               f"strict: {clause}", ran)
    check_stack(tap, "strict")
    check_calls(tap, "strict", 0)


def check_permitted(tap, how):
    """No data is lost without a need.

    dtrace reports a filter that the kernel refuses, but not one that
    forbids only other calls."""
    ran = traced(f"{ENTRY} {{ @[copyinstr(arg0)] = count(); }}", how)
    tap.ok("sum 2080\n" in ran.out and counts(ran) == {"heap": 20} and
           (is_told(ran) if how == "none" else ran.err == ""),
           f"{how}: all goes on", ran)


def check_calls(tap, how, writes=1):
    """Probes of system calls, including calls that the filter permits."""
    ran = traced("syscall::prctl:entry, syscall::seccomp:entry, "
                 "syscall::write:entry { @[probefunc] = count(); }", how)
    got = counts(ran)
    tap.ok("sum 2080\n" in ran.out and got.get("write", 0) == writes and
           is_told(ran), f"{how}: system calls", ran)


def check_threads(tap):
    ran = traced(f"{ENTRY} /arg0/ {{ @[copyinstr(arg0)] = count(); }}",
                 "threads")
    tap.ok("sum 2080\n" in ran.out and counts(ran)["heap"] > 10 and
           is_told(ran), "threads: the filter is in force in all", ran)


def check_child(tap):
    """An untraced child has the same jumps and the filter."""
    for script in (f"{ENTRY} {{ @[copyinstr(arg0)] = count(); }}",
                   f"{ENTRY} {{ @[copyinstr(arg0)] = count(); }} "
                   "syscall::write:entry { @w = count(); }"):
        ran = traced(script, "child")
        tap.ok("sum 2080\nchild 0\n" in ran.out and ran.status == 0,
               "a child has the filter, and ends well", ran)


def check_deep(tap):
    """Firings on stack that was never used before are dropped."""
    ran = traced(f"{ENTRY} {{ @[copyinstr(arg0)] = count(); }} "
                 "pid$target:a.out:fn_deep:entry { @[probefunc] = count(); }",
                 "deep")
    got = counts(ran)
    tap.ok("sum 2080\n" in ran.out and ran.status == 0 and
           0 <= got.get("fn_deep", 0) <= 201 and
           (got.get("fn_deep", 0) == 201 or "too little stack" in ran.err),
           "deep: firings on unused stack, or drops", ran)


def main():
    tap = start("root prog:sealed")
    check_strict(tap)
    for how in "some", "all":
        check_harmless(tap, how)
        check_reading(tap, how)
        check_stack(tap, how)
        check_calls(tap, how)
    for how in "none", "harmless":
        check_permitted(tap, how)
    check_threads(tap)
    check_child(tap)
    check_deep(tap)
    tap.done()


main()
