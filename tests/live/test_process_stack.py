#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Threads with little stack left behave as they do untraced, and dtrace counts
the firings that did not fit."""

import os
import re

from live import DTRACE, run, start

PROG = os.path.join(os.environ["PROGS"], "shallow")
STEP = "pid$target:a.out:shallow_step:"
# The stack need of a frame without and with functions of C: the DEPTHs of
# src/exec/process/emit/depth.c, with the data above them.
LIGHT, HEAVY = 512, 1536
ALL_OF_C = "@s[ustack()] = count(); @h[strjoin(probefunc, execname)] = quantize(timestamp);"
BODIES = [
    ("entry", "/arg1 < 0/ { @ = count(); }", None),
    ("entry", "{ @ = count(); }", LIGHT),
    ("entry", "{ @ = count(); " + ALL_OF_C + " }", HEAVY),
    ("return", "{ @ = count(); }", LIGHT),
    ("return", "{ @ = count(); " + ALL_OF_C + " }", HEAVY),
]


def trace(script, *args):
    return run([DTRACE, "-x", "substrate=process", "-x", "aggsortkey", "-n",
                script, "-c", " ".join([PROG, *args])], timeout=120)


def fired(ran):
    counts = re.findall(r"^ +(\d+)$", ran.out, re.M)
    return int(counts[0]) if counts else 0


def dropped(ran):
    return sum(int(n) for n in re.findall(
        r"^dtrace: (\d+) firings? dropped in threads with too little stack "
        r"left", ran.err, re.M))


def left(tap):
    """Try every eighth number of bytes from 64 to 4,096."""
    calls = 2 * len(range(64, 4097, 8))
    for name, body, need in BODIES:
        ran = trace(STEP + name + " " + body, "left", "64", "4096")
        ok = ran.status == 0 and f"calls {calls}\n" in ran.out
        if need is not None:
            enough = calls // 2 + len(range(need, 4097, 8))
            ok = ok and fired(ran) >= enough and dropped(ran) > 0 and \
                fired(ran) + dropped(ran) == calls
        tap.ok(ok, f"any number of bytes left: {name} {body}", ran)


def instructions(tap):
    """In the middle of a function, all of dtrace's data is below the red
    zone."""
    calls = 2 * len(range(256, 4097, 8))
    ran = trace("pid$target:a.out:shallow_step: { @ = count(); }",
                "left", "256", "4096")
    total = fired(ran) + dropped(ran)
    tap.ok(ran.status == 0 and f"calls {calls}\n" in ran.out and
           total >= 5 * calls and total % calls == 0,
           "each instruction of a function, whatever is left", ran)


def is_near(told):
    """Are the depths as untraced?  They may be short by two: a trampoline
    takes 48 bytes before its check, and a call takes 32."""
    return [len(depths) for depths in told] == [2, 2] and all(
        0 <= int(a) - int(b) <= 2 for a, b in zip(*told))


def overflow(tap):
    for size in 32768, 65536 + 4096, 1 << 20:
        plain = run([PROG, "overflow", str(size)])
        for body in BODIES[1][1], BODIES[2][1]:
            ran = trace("pid$target:a.out:shallow_down:entry " + body,
                        "overflow", str(size))
            told = [re.findall(r"^(?:depth|again) (\d+)$", r.out, re.M)
                    for r in (plain, ran)]
            tap.ok(ran.status == 0 and is_near(told) and dropped(ran) > 0,
                   f"{size} bytes of stack overflow where they did: {body}",
                   told, ran)


def handlers(tap):
    """Memory below a handler's own stack belongs to the program."""
    for room in 700, 900, 4096:
        ran = trace(STEP + "entry { @ = count(); " + ALL_OF_C + " }",
                    "handler", str(room))
        n = fired(ran)
        tap.ok(ran.status == 0 and "handled 100 changed 0\n" in ran.out and
               n + dropped(ran) == 100 and (room < 2048 or n == 100),
               f"a handler with {room} bytes of a stack of its own", ran)


def coroutines(tap):
    ran = trace(STEP + "entry { @ = count(); }", "coroutines", "1000")
    tap.ok(ran.status == 0 and "calls 3001\n" in ran.out and
           fired(ran) + dropped(ran) == 3001 and
           fired(ran) >= 2000,
           "coroutines, at the ends of their stacks", ran)


def children(tap):
    """Probes behind fork() need a frame and functions of C.

    A child without room for them is not followed; one with room is, at any
    place in a page."""
    all_of = len(range(256, 6001, 32))
    ran = trace("syscall::exit_group:entry /pid != $target/ { @ = count(); }",
                "children", "256", "6000")
    tap.ok(ran.status == 0 and f"children {all_of}\n" in ran.out and
           len(range(HEAVY, 6001, 32)) <= fired(ran) < all_of and
           dropped(ran) > 0,
           "children of fork(), whatever is left behind the call", ran)


def main():
    tap = start("root prog:shallow")
    left(tap)
    instructions(tap)
    overflow(tap)
    handlers(tap)
    coroutines(tap)
    children(tap)
    tap.done()


if __name__ == "__main__":
    main()
