#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""vtimestamp is exact to the context switch, not to the last tick."""

from live import dtrace, prog, start

ROUNDS = 1000
SCRIPT = r"""
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	printf("%d %d %d %d\n", arg1, arg2, vtimestamp, timestamp);
}
"""


def main():
    tap = start("root bpf prog:pingpong")
    ran = dtrace("-q", "-x", "bufsize=4m", "-n", SCRIPT, "-c",
                 f"{prog('pingpong')} {ROUNDS} 200000")
    marks = [tuple(map(int, line.split()))
             for line in ran.out.splitlines() if len(line.split()) == 4]
    good = tap.ok(ran.status == 0 and [m[0] for m in marks] ==
                  list(range(ROUNDS)), f"{ROUNDS} marks arrive", ran)
    if not good:
        tap.done()

    cpu = [b[1] - a[1] for a, b in zip(marks, marks[1:])]
    virtual = [b[2] - a[2] for a, b in zip(marks, marks[1:])]
    real = [b[3] - a[3] for a, b in zip(marks, marks[1:])]
    # Without the rounds in which a hypervisor took the CPU away: the CPU clock
    # is told of that (steal), the moments of context switches know nothing.
    near = sorted(zip(virtual, cpu), key=lambda p: abs(p[0] - p[1]))
    near = near[:len(near) * 19 // 20]
    ratio = sum(v for v, _ in near) / sum(c for _, c in near)
    # The process's own clock counts the tracing, vtimestamp does not.
    tap.ok(0.95 <= ratio <= 1.02,
           f"vtimestamp advances {ratio:.4f} times the thread's CPU clock",
           f"vtimestamp {sum(virtual)} ns, CPU clock {sum(cpu)} ns",
           [p for p in zip(virtual, cpu) if p not in near])
    # The other process runs in between for as long as this one.
    tap.ok(sum(virtual) < 0.75 * sum(real),
           "time of the other process is not counted",
           f"vtimestamp {sum(virtual)} ns of {sum(real)} ns")
    # A clock that is only right at ticks would be off by all of a round or by
    # milliseconds, in every round; one that a busy host delays, in a few.
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
