#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Speculations across CPUs: commit() shows every CPU's part, discard()
none."""

import re

from live import drops, dtrace, prog, start

COUNT = 20000
SCRIPT = r"""
BEGIN { s = speculation(); }
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	speculate(s);
	printf("%%d %%d\n", arg1, arg2);
}
END { %s(s); }
"""
# One speculation for each call, so there are as many as records.
EACH = r"""
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	self->s = speculation();
}
syscall::getpriority:entry /self->s/
{
	speculate(self->s);
	printf("%d %d\n", arg1, arg2);
}
syscall::getpriority:return /self->s && errno == EINVAL/
{
	commit(self->s);
	self->s = 0;
}
"""


def records(ran):
    return [tuple(map(int, line.split())) for line in ran.out.splitlines()
            if re.fullmatch(r"\d \d+", line)]


def trace(tap, what, script, *options):
    ran = dtrace("-q", "-x", "bufsize=16m", "-x", "specsize=16m", *options,
                 "-n", script, "-c", f"{prog('burst')} 2 {COUNT}")
    tap.ok(ran.status == 0 and drops(ran.err) == 0, what + ": no drop", ran)
    return ran, records(ran)


def main():
    tap = start("root bpf cpus2 prog:burst")
    want = sorted((t, i) for t in (0, 1) for i in range(COUNT))
    for temporal in "on", "off":
        option = ("-x", "temporal=" + temporal)
        what = f"temporal={temporal}"
        ran, got = trace(tap, what, SCRIPT % "commit", *option)
        tap.ok(sorted(got) == want,
               what + ": commit() shows the records of both CPUs", ran)
        ran, got = trace(tap, what, SCRIPT % "discard", *option)
        tap.ok(got == [], what + ": discard() shows none", ran)
        ran, got = trace(tap, what, EACH.replace("EINVAL", "22"), "-x",
                         "nspec=2", *option)
        tap.ok(sorted(got) == want and "failed" not in ran.err,
               what + f": {2 * COUNT} speculations, two at a time", ran)
    tap.done()


main()
