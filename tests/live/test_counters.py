#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The CPU's counters and the time-stamp counter.

Virtual machines seldom have counters.  Without them, the kernel's CPU clock
takes their place ($DTRACE_TEST_COUNTERS), in nanoseconds like vtimestamp:
so reading counters and assigning them to threads is tested in any case.
"""

import os
import re

from live import dtrace, prog, start

ALL = "cpucycles cpuinstrs vcycles vinstrs".split()
MARKS = r"""
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	printf("%d %d %d %d %d %d\n", cpu, cpucycles, cpuinstrs, vcycles,
	    vinstrs, vtimestamp);
}
"""


def refused(name):
    """dtrace's refusal of a missing counter, or None if there is one."""
    ran = dtrace("-q", "-n", f"BEGIN {{ trace({name}); exit(0); }}")
    return None if ran.status == 0 else ran


def check_refusals(tap):
    for name in ALL:
        ran = refused(name)
        if ran is None:
            tap.ok(True, f"{name} is there")
        else:
            tap.ok(re.search(rf"\b{name}\b.*not available.*perf_event_open",
                             ran.err), f"{name} is refused by name", ran)


def rows(*modes):
    ran = dtrace("-q", "-n", MARKS, "-c", " ".join([prog("known"), *modes]))
    return ran, [[int(n) for n in line.split()]
                 for line in ran.out.splitlines() if line]


def check_marks(tap):
    """A thread's clocks run only while the thread does, a CPU's always.

    A thread's clocks stop while it sleeps and in the probe."""
    ran, got = rows("seq:200", "sleep:300", "seq:200")
    tap.ok(len(got) == 400, "every mark", ran)
    tap.ok(all(a[i] <= b[i] for a, b in zip(got, got[1:]) for i in (3, 4, 5)),
           "a thread's clocks do not run backwards", ran)
    tap.ok(all(a[i] <= b[i] for a, b in zip(got, got[1:]) if a[0] == b[0]
               for i in (1, 2)), "a CPU's clocks do not run backwards", ran)
    return ran, got


def check_stand_in(tap, ran, got):
    """Facts that only hold for a clock in nanoseconds."""
    slept = got[200][3] - got[199][3]
    tap.ok(slept < 100_000_000,
           f"a thread's clock stands still in a sleep: {slept}", ran)
    ns = got[-1][5] - got[0][5]
    cycles, instrs = (got[-1][i] - got[0][i] for i in (3, 4))
    tap.ok(all(0 < n < 2 * ns for n in (cycles, instrs)),
           f"both agree with vtimestamp: {ns} {cycles} {instrs}", ran)


def main():
    tap = start("root bpf prog:known")
    stand_in = refused("vcycles") is not None
    check_refusals(tap)
    if stand_in:
        os.environ["DTRACE_TEST_COUNTERS"] = "1"
    ran, got = check_marks(tap)
    if stand_in and len(got) == 400:
        check_stand_in(tap, ran, got)
    tap.done()


main()
