#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""vtimestamp is exact to the context switch, not to the last tick."""

from live import dtrace, prog, start, stolen

ROUNDS = 4000
ATTEMPTS = 5  # each takes some seconds
TICK = 10000000  # shorter times are not in stolen()
SCRIPT = r"""
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	printf("%d %d %d %d\n", arg1, arg2, vtimestamp, timestamp);
}
"""


def run_once():
    """A run, and the nanoseconds that the host took CPU 0 away meanwhile."""
    before = stolen()[0]
    ran = dtrace("-q", "-x", "bufsize=4m", "-n", SCRIPT, "-c",
                 f"{prog('pingpong')} {ROUNDS} 200000")
    return ran, (stolen()[0] - before) * 1e9


def least_disturbed():
    """The run, of some, from which the host took least.

    The CPU clock excludes time that the host takes, but vtimestamp cannot."""
    best, away = run_once()
    for _ in range(ATTEMPTS - 1):
        if away < TICK / 2:
            break
        best, away = min((best, away), run_once(), key=lambda run: run[1])
    return best, away


def main():
    tap = start("root bpf prog:pingpong")
    ran, away = least_disturbed()
    marks = [tuple(map(int, line.split()))
             for line in ran.out.splitlines() if len(line.split()) == 4]
    good = tap.ok(ran.status == 0 and [m[0] for m in marks] ==
                  list(range(ROUNDS)), f"{ROUNDS} marks arrive", ran)
    if not good:
        tap.done()

    cpu = [b[1] - a[1] for a, b in zip(marks, marks[1:])]
    virtual = [b[2] - a[2] for a, b in zip(marks, marks[1:])]
    real = [b[3] - a[3] for a, b in zip(marks, marks[1:])]
    # The thread's CPU clock includes the tracing, vtimestamp does not.
    tap.ok(0.95 * sum(cpu) <= sum(virtual) <= 1.02 * sum(cpu) + TICK + away,
           f"vtimestamp advances by {sum(virtual)} ns, the thread's CPU clock "
           f"by {sum(cpu)} ns; the host took {away:.0f} ns")
    # The other process runs as long as this one in between.
    tap.ok(sum(virtual) < 0.75 * sum(real),
           "time of the other process is not counted",
           f"vtimestamp {sum(virtual)} ns of {sum(real)} ns")
    # A clock that is only right at ticks would be wrong by a whole round or by
    # milliseconds, in every round; an interrupt at a switch spoils only a few.
    off = sorted(abs(v - c) for v, c in zip(virtual, cpu))
    median = off[len(off) // 2]
    tap.ok(median <= 3000, f"half of the rounds agree within {median} ns",
           list(zip(virtual, cpu))[:40])
    close = sum(abs(v - c) <= max(0.1 * c, 3000)
                for v, c in zip(virtual, cpu))
    tap.ok(close >= 0.95 * len(cpu),
           f"{close} of {len(cpu)} rounds agree one by one",
           list(zip(virtual, cpu))[:40])
    tap.ok(min(virtual) > 0, "every round shows", virtual[:40])
    tick = 1000000
    multiples = sum(v % tick == 0 for v in virtual)
    tap.ok(multiples < len(virtual) / 100, "no grid of ticks shows",
           virtual[:40])
    tap.done()


main()
