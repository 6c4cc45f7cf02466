#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program that brings in a seccomp filter while it is traced: probes that ask
nothing of the system go on; where one has ended the program, that is told."""

import re

from live import dtrace, prog, start

ENTRY = "pid$target:a.out:fn_step:entry"
RETURN = "pid$target:a.out:fn_step:return"
HARMLESS = [
    "@[probename] = count();",
    "@[probename] = sum(1); self->n++; n = self->n;",
    "@[probename] = count(); trace(arg1); trace(timestamp);",
    "@[probename] = count(); printf(\"%s %d %d\", probefunc, tid, pid);",
]


def traced(script):
    return dtrace("-q", "-x", "substrate=process", "-n", script, "-c",
                  prog("sealed"))


def main():
    tap = start("root prog:sealed")
    for clause in HARMLESS:
        ran = traced(f"{ENTRY}, {RETURN} {{ {clause} }}")
        tap.ok(ran.status == 0 and "sum 2080\n" in ran.out and
               re.findall(r"^ +(\w+) +(\d+)$", ran.out, re.M) ==
               [("entry", "20"), ("return", "20")] and ran.err == "",
               f"goes on: {clause}", ran)
    ran = traced(f"{ENTRY} {{ @[copyinstr(arg0)] = count(); }}")
    tap.ok(re.findall(r"^ +heap +(\d+)$", ran.out, re.M) == ["10"] and
           ran.err.count("dtrace: ") == 1 and "seccomp filter" in ran.err and
           "substrate=kernel" in ran.err, "what has ended it is told", ran)
    tap.done()


main()
