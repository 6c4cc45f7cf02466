#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sums, extremes and histograms of known reads are exact, both CPUs busy."""

from live import busy, dtrace, prog, start

THREADS, COUNT = 4, 5000
SCRIPT = r"""
syscall::read:entry /pid == $target && arg0 == 100/ { self->want = arg2; }
syscall::read:return /self->want/
{
	@n = count();
	@sum = sum(arg0);
	@min = min(arg0);
	@max = max(arg0);
	@avg = avg(arg0);
	@match = sum(arg0 == self->want);
	@q = quantize(arg0);
	@l = lquantize(arg0, 0, 5000, 500);
	@t[tid] = count();
	self->want = 0;
}
END
{
	printa("n %@d\n", @n);
	printa("sum %@d\n", @sum);
	printa("min %@d\n", @min);
	printa("max %@d\n", @max);
	printa("avg %@d\n", @avg);
	printa("match %@d\n", @match);
	printa("thread %@d\n", @t);
	printa(@q);
	printa(@l);
}
"""


def sizes():
    return [1 + (i * 37 + t * 1009) % 5000
            for t in range(THREADS) for i in range(COUNT)]


def histogram(text, title_number):
    """The rows {label: count} of the n-th distribution."""
    part = text.split("Distribution")[title_number].splitlines()[1:]
    rows = {}
    for line in part:
        if "|" not in line:
            break
        label, bar = line.split("|", 1)
        rows[label.strip()] = int(bar.split()[-1])
    return {k: v for k, v in rows.items() if v}


def power_rows(values):
    rows = {}
    for v in values:
        low = str(1 << (v.bit_length() - 1))
        rows[low] = rows.get(low, 0) + 1
    return rows


def linear_rows(values):
    rows = {}
    for v in values:
        low = ">= 5000" if v >= 5000 else str(v // 500 * 500)
        rows[low] = rows.get(low, 0) + 1
    return rows


def main():
    tap = start("root bpf cpus2 prog:reads prog:spin")
    with busy([0, 1], 60):
        ran = dtrace("-q", "-n", SCRIPT, "-c",
                     f"{prog('reads')} {THREADS} {COUNT}")
    values = sizes()
    want = {"n": len(values), "sum": sum(values), "min": min(values),
            "max": max(values), "avg": sum(values) // len(values),
            "match": len(values)}
    lines = [line.split() for line in ran.out.splitlines()]
    got = {line[0]: int(line[1]) for line in lines
           if len(line) == 2 and line[0] in want}
    threads = [int(line[1]) for line in lines if line[:1] == ["thread"]]
    tap.ok(ran.status == 0 and not ran.err.strip(), "no complaint", ran)
    tap.ok(got == want, "count, sum, min, max and avg are exact",
           f"expected {want}\ngot {got}")
    tap.ok(threads == [COUNT] * THREADS, "every thread has its reads",
           threads)
    try:
        powers, linear = histogram(ran.out, 1), histogram(ran.out, 2)
    except (IndexError, ValueError) as e:
        powers = linear = repr(e)
    tap.ok(powers == power_rows(values), "quantize is exact",
           f"expected {power_rows(values)}\ngot {powers}")
    tap.ok(linear == linear_rows(values), "lquantize is exact",
           f"expected {linear_rows(values)}\ngot {linear}")
    tap.done()


main()
