#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Some machines limit address space (ulimit -v).

A script takes at most 512 MB of it in a process, for any number of threads.
dtrace works if it and the process have 1 GB each."""

import collections
import re

from live import DTRACE, is_sanitized, prog, run, start

MAX_KB = 512 * 1024
LIMIT = ["prlimit", "--as=1073741824"]
PROBE = "pid$target:a.out:fn_step:entry"
THREADS, CALLS = 600, 40
EACH = THREADS * CALLS

# A script, and how often each of its output lines comes.
SCRIPTS = [
    ("counts", f"{PROBE} {{ @n = count(); @s = sum(arg0); }} "
     "END { printa(\"n %@d\\n\", @n); printa(\"sum %@d\\n\", @s); }",
     {f"n {EACH}": 1, f"sum {THREADS * CALLS * (CALLS - 1) // 2}": 1}),
    ("keyed aggregations", f"{PROBE} {{ @k[arg0] = count(); "
     "@t[tid] = count(); @q[probefunc, arg0 & 1] = quantize(arg0); } "
     "END { printa(\"key %@d\\n\", @k); printa(\"tid %@d\\n\", @t); }",
     {f"key {THREADS}": CALLS, f"tid {CALLS}": THREADS}),
    ("records, self->, arrays, a speculation",
     f"{PROBE} {{ self->sum += arg0; seen[arg1] = self->sum; "
     "self->spec = speculation(); } "
     f"{PROBE} /self->spec/ {{ speculate(self->spec); trace(arg0); }} "
     f"{PROBE} /self->spec/ {{ discard(self->spec); self->spec = 0; }} "
     f"{PROBE} /arg0 == {CALLS - 1}/ "
     "{ printf(\"sum %d\\n\", seen[arg1]); } "
     f"{PROBE} {{ printf(\"call\\n\"); }}",
     {"call": EACH, f"sum {CALLS * (CALLS - 1) // 2}": THREADS}),
]


def space_of(ran):
    found = re.search(r"^space (\d+)$", ran.out, re.M)
    return int(found[1]) if found else None


def traced(script, *limit, options=(), command=None):
    command = command or f"{prog('space')} {THREADS} {CALLS}"
    return run([*limit, DTRACE, "-q", "-x", "substrate=process", *options,
                "-n", script, "-c", command])


def told(ran):
    """The result of a run, with only the most frequent lines."""
    lines = collections.Counter(ran.out.splitlines()).most_common(9)
    return f"status {ran.status}", lines, ran.err


def is_exact(ran, lines):
    said = ran.out.splitlines()
    return (ran.status == 0 and "drop" not in ran.err and
            all(said.count(line) == n for line, n in lines.items()))


def default_sizes(tap, untraced):
    for what, script, lines in SCRIPTS:
        ran = traced(script)
        grown = (space_of(ran) or 0) - untraced
        tap.ok(is_exact(ran, lines) and 0 < grown <= MAX_KB,
               f"{what}: 512 MB of addresses at most", f"{grown} KB",
               *told(ran))
        ran = traced(script, *LIMIT)
        tap.ok(is_exact(ran, lines), f"{what}: within 1 GB", *told(ran))


def sizes_of_the_user(tap, untraced):
    """Each thread gets a buffer of the given size, so the region grows with
    it."""
    _, script, lines = SCRIPTS[1]
    ran = traced(script, options=["-x", "aggsize=1m"])
    tap.ok(is_exact(ran, lines) and space_of(ran) - untraced > MAX_KB,
           "aggsize, set: the size of every thread's tables", *told(ran))
    for option in "bufsize", "aggsize":
        ran = traced(script, *LIMIT, options=["-x", f"{option}=4m"])
        tap.ok(ran.status != 0 and option in ran.err and
               "memory" in ran.err, f"too large {option} is named", *told(ran))


def descendants(tap):
    """All processes share one region, and dtrace maps it once."""
    command = (f"sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "
               f"{prog('space')} 1 {CALLS} & done; wait'")
    script = "syscall::exit_group:entry /execname == \"space\"/ " \
        "{ @ = count(); } END { printa(\"n %@d\\n\", @); }"
    ran = traced(script, *LIMIT, command=command)
    tap.ok(ran.status == 0 and "n 10\n" in ran.out,
           "ten descendants at a time: within 1 GB", ran)


def main():
    tap = start("root")
    if is_sanitized():
        tap.skip("space", "a sanitizer takes terabytes of addresses")
        tap.done()
    untraced = space_of(run([prog("space"), str(THREADS), str(CALLS)]))
    default_sizes(tap, untraced)
    sizes_of_the_user(tap, untraced)
    descendants(tap)
    tap.done()


main()
