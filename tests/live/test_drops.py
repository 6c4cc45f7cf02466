#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Printed plus dropped equals fired, to the record."""

from live import drops, dtrace, prog, start

SCRIPT = r"""
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	@ = count();
	printf("%d %d\n", arg1, arg2);
}
END { printf("the end\n"); }
"""


def trace(tap, threads, count, *options):
    ran = dtrace("-q", *options, "-n", SCRIPT, "-c",
                 f"{prog('burst')} {threads} {count}")
    lines = ran.out.splitlines()
    records = [tuple(map(int, li.split())) for li in lines
               if li[:1].isdigit()]
    fired = [int(li) for li in lines if li[:1] == " "]
    what = f"{threads} x {count} with {' '.join(options) or 'defaults'}"
    tap.ok(ran.status == 0 and fired == [threads * count],
           what + ": every firing is counted",
           f"fired {fired}", ran.err[:2000])
    lost = drops(ran.err)
    # Records that were dropped earlier must not take the place of END's.
    end = "the end" in lines
    tap.ok(end, what + ": END is there", ran.err[:2000])
    tap.ok(len(records) + end + lost == threads * count + 1,
           what + f": {len(records)} printed + {lost} dropped", ran.err[:2000])
    tap.ok(len(set(records)) == len(records), what + ": none comes twice")
    ordered = all(
        [r for r in records if r[0] == t] ==
        sorted(r for r in records if r[0] == t) for t in range(threads))
    tap.ok(ordered, what + ": in order within each producer")
    return lost


def main():
    tap = start("root bpf prog:burst")
    trace(tap, 2, 20000, "-x", "bufsize=16m")
    lost = trace(tap, 2, 200000, "-x", "bufsize=16k", "-x",
                 "switchrate=1s")
    tap.ok(lost > 0, "a tiny buffer does drop")
    trace(tap, 1, 100000, "-x", "bufsize=64k")
    tap.done()


main()
