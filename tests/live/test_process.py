#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Probes in processes, without root.

Counts are exact with any number of threads, and a program goes on unharmed
when dtrace is killed."""

import collections
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from live import DTRACE, run, start, started

PROGS = os.environ["PROGS"]
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
CALLS = "pid$target:a.out:fn_nop:entry, pid$target:a.out:fn_nop:return"


def trace(folder, script, command):
    return run([*NOBODY, os.path.join(folder, "dtrace"), "-q", "-x",
                "substrate=process", "-n", script, "-c", command], cwd="/")


def check_counts(tap, folder, mode, want):
    ran = trace(folder, CALLS + " { @[probename] = count(); }",
                f"{folder}/calls {folder}/file {mode}")
    counts = dict(re.findall(r"(entry|return)\s+(\d+)", ran.out))
    tap.ok(ran.status == 0 and counts == {"entry": want, "return": want},
           f"{mode}: each call is counted once", ran)


def check_records(tap, folder):
    ran = trace(folder, "pid$target:a.out:fn_nop:entry { printf(\"%d\\n\", "
                "++n); }", f"{folder}/calls {folder}/file once 20000")
    numbers = [int(word) for word in ran.out.split() if word.isdigit()]
    tap.ok(numbers == list(range(1, 20001)), "records in order, none lost",
           ran.err)


def check_log(tap, folder):
    """Option debug reports how tracing treats the process."""
    ran = run([*NOBODY, os.path.join(folder, "dtrace"), "-q", "-x", "debug",
               "-x", "substrate=process", "-n", CALLS + " { @ = count(); }",
               "-c", f"{folder}/calls {folder}/file once 1"], cwd="/")
    told = re.findall(r"debug: .* (?:(entered)|(changed) the code of) process "
                      r"\d+: it was stopped for \d+\.\d+ ms$", ran.err, re.M)
    tap.ok(ran.status == 0 and told == [("entered", ""), ("", "changed")],
           "option debug tells for how long a process was stopped", ran)


def check_exit(tap, folder):
    began = time.monotonic()
    ran = trace(folder, "pid$target:a.out:fn_nop:entry /++n == 100/ "
                "{ exit(7); }", f"{folder}/spinner")
    tap.ok(ran.status == 7 and time.monotonic() - began < 20,
           "exit() in a process ends tracing", ran)


def check_exec(tap, folder):
    """A program that a process executes is entered as soon as it is seen."""
    ran = run([*NOBODY, os.path.join(folder, "dtrace"), "-q", "-Z", "-x",
               "substrate=process", "-n", "pid$target:spinner:fn_nop:entry "
               "/++n == 100/ { exit(7); }", "-c",
               f"/bin/sh -c 'exec {folder}/spinner'"], cwd="/")
    tap.ok(ran.status == 7 and ran.err == "", "an exec is followed", ran)


SIX = "pid$target:a.out:fn_six:"
SERIES = range(20000)  # of tests/prog/series.c


def key_of(i):
    return i % 5000 << 20


def signed_of(i):
    return i - 10000


def buckets(values):
    """The rows of quantize(), by the lower end as printed."""
    found = collections.Counter()
    for v in values:
        power = 1 << abs(v).bit_length() - 1 if v else 0
        found[power if v >= 0 else -power] += 1
    return dict(found)


def check_series(tap, folder, script, want, claim):
    """Compare the printed numbers; the program notices no tracing."""
    ran = trace(folder, script, f"{folder}/series")
    lines = [tuple(map(int, re.findall(r"-?\d+", line)))
             for line in ran.out.splitlines()]
    tap.ok(ran.status == 0 and sorted(filter(None, lines)) == sorted(want),
           claim, f"{ran.err}{ran.out[:2000]}")


def check_inline(tap, folder):
    """Each of these scripts becomes inline code, with exceptional cases
    apart."""
    keys = [(k << 20, 4) for k in range(5000)]
    check_series(tap, folder, SIX + "entry { @ = count(); }", [(20000,)],
                 "a body that only counts")
    few = [i for i in SERIES if key_of(i) >> 20 < 7 and signed_of(i) > -900 or
           i + 5 == 12]
    check_series(tap, folder, SIX + "entry /arg0 >> 20 < 7 && (int64_t)arg1 > "
                 "-900 || arg5 == 12/ { @ = count(); }", [(len(few),)],
                 "a predicate of arguments, and a count")
    check_series(tap, folder, SIX + "entry /arg0 >> 20 < 7 && (int64_t)arg1 > "
                 "-900 || arg5 == 12/ { printf(\"%d %d %d %d %d %d\\n\", arg0, "
                 "(int64_t)arg1, arg2, arg3, (short)arg4, arg5); }", [(key_of(i), signed_of(i), i + 2, i + 3, i + 4, i + 5)
                       for i in few], "a predicate, and records")
    check_series(tap, folder, SIX + "entry { @[arg0] = count(); }", keys,
                 "keys of a word")
    check_series(tap, folder, SIX + "entry { this->x += 1; "
                 "@[arg0, this->x] = count(); }",
                 [(key, 1, 4) for key, _ in keys], "keys of two words")
    check_series(tap, folder, SIX + "entry { @ = sum((int64_t)arg1); }",
                 [(sum(map(signed_of, SERIES)),)], "a sum")
    check_series(tap, folder, SIX + "entry { @ = min((int64_t)arg1); "
                 "@b = max((int64_t)arg1); }", [(-10000,), (9999,)],
                 "what begins with a value of its own")
    got = trace(folder, SIX + "entry { @ = quantize((int64_t)arg1); }",
                f"{folder}/series")
    rows = {int(low): int(n) for low, n in
            re.findall(r"^\s*(-?\d+) \|[@ ]*(\d+)", got.out, re.M) if int(n)}
    tap.ok(rows == buckets(map(signed_of, SERIES)), "buckets of quantize()",
           got.out)
    check_series(tap, folder, SIX + "entry { self->t = timestamp; } " + SIX +
                 "return /self->t/ { @ = count(); @m = sum(timestamp - "
                 "self->t < 1000000000 ? 0 : 1); self->t = 0; }", [(20000,), (0,)],
                 "the time from entry to return")
    check_series(tap, folder, "uint64_t last; " + SIX +
                 "entry { bad += timestamp < last; last = timestamp; @ = "
                 "count(); } END { printf(\"%d\\n\", bad); }",
                 [(20000,), (0,)], "time does not go back")


def check_profile(tap, folder):
    """A thread gets a sample for each period that it ran, or a message about
    it.

    Its names are known after its end.  Its last period before the end may
    be unknown, and is long if dtrace has to wait for a CPU."""
    ran = run([*NOBODY, os.path.join(folder, "dtrace"), "-q", "-n",
               "profile-997 { @[ufunc(arg1), ustackdepth > 1] = count(); }",
               "-c", f"{folder}/spin 0 1"], cwd="/")
    rows = re.findall(r"^ +(\S+) +([01]) +(\d+)$", ran.out, re.M)
    spent = re.search(r"^(\d+) \d+$", ran.out, re.M)
    want = 997 * int(spent.group(1)) / 1e9 if spent else 0
    count = sum(int(n) for _, _, n in rows)
    told = sum(int(n) for n in
               re.findall(r"(\d+) profile firings? missed", ran.err))
    burn = sum(int(n) for func, deep, n in rows
               if func == "spin`burn" and deep == "1")
    tap.ok(ran.status == 0 and 0 < count <= 1.02 * want + 5 and
           count + told >= 0.8 * want - 20,
           f"{count} samples and {told} missed of {want:.0f}", ran)
    tap.ok(burn >= 0.9 * count, f"{burn} of them where the program spins",
           ran)


def text_of(pid, name):
    """The bytes of a program's code in the process."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        span = next(line.split()[0] for line in maps
                    if line.rstrip().endswith(name) and " r-xp " in line)
    low, high = (int(end, 16) for end in span.split("-"))
    with open(f"/proc/{pid}/mem", "rb") as mem:
        mem.seek(low)
        return mem.read(high - low)


def check_killed(tap, folder):
    name = f"{folder}/spinner"
    with started([name]) as victim:
        time.sleep(0.5)
        before = text_of(victim.pid, name)
        with started(
                [DTRACE, "-q", "-x", "substrate=process", "-n",
                 "pid$target:a.out::entry { @ = count(); }", "-p",
                 str(victim.pid)], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL) as tracer:
            until = time.monotonic() + 20
            while text_of(victim.pid, name) == before and \
                    time.monotonic() < until:
                time.sleep(0.1)
            planted = text_of(victim.pid, name) != before
            tracer.send_signal(signal.SIGKILL)
        until = time.monotonic() + 20
        while text_of(victim.pid, name) != before and \
                time.monotonic() < until:
            time.sleep(0.1)
        tap.ok(planted, "probes change the code of a running program")
        tap.ok(text_of(victim.pid, name) == before,
               "dtrace is killed: every byte is as it was")
        time.sleep(0.5)
        tap.ok(victim.poll() is None, "and the program goes on")
        victim.kill()


SPINNER = """
#include <unistd.h>
__attribute__((noinline)) void
fn_nop(volatile int *n)
{
	(*n)++;
}
int
main(void)
{
	volatile int n = 0;

	for (;;) {
		fn_nop(&n);
		usleep(1000);
	}
}
"""

# This program tries to write to the code that traced processes and dtrace
# share.
FORGER = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
__attribute__((noinline)) void
fn_nop(volatile int *n)
{
	(*n)++;
}
int
main(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];
	volatile int n = 0;
	void *at;

	fn_nop(&n);
	while (fgets(line, sizeof(line), f) != NULL) {
		int all = strstr(line, "memfd:dtrace-code ") != NULL;

		if ((all || strstr(line, "memfd:dtrace ") != NULL) &&
		    sscanf(line, "%p", &at) == 1)
			printf("%s %d %d\\n", all ? "code" : "points",
			    mprotect(at, 4096, PROT_READ | PROT_WRITE) == 0,
			    madvise(at, 4096, MADV_REMOVE) == 0);
	}
	return 0;
}
"""


def check_sealed(tap, folder):
    ran = trace(folder, "pid$target:a.out:fn_nop:entry { @ = count(); }",
                f"{folder}/forger")
    tap.ok(ran.status == 0 and {line.strip() for line in ran.out.split("\n")}
           == {"", "1", "code 0 0", "points 0 0"},
           "a traced process cannot write to code that others run", ran)


def compile_c(folder, name, text):
    source = os.path.join(folder, name + ".c")
    with open(source, "w", encoding="ascii") as f:
        f.write(text)
    subprocess.run(["cc", "-O2", "-o", os.path.join(folder, name), source],
                   check=True)


def main():
    tap = start("root cmd:setpriv cmd:cc prog:calls prog:series prog:spin")
    with tempfile.TemporaryDirectory(prefix="dt-process.") as folder:
        # Other users may not be able to read the build directory: use copies.
        for path in (DTRACE, f"{PROGS}/calls", f"{PROGS}/series",
                     f"{PROGS}/spin"):
            shutil.copy(path, folder)
        os.chmod(folder, 0o777)
        compile_c(folder, "spinner", SPINNER)
        compile_c(folder, "forger", FORGER)
        check_counts(tap, folder, "once 5000", "5000")
        check_counts(tap, folder, "threads 5000", "10000")
        check_counts(tap, folder, "fork 5000", "5000")
        check_records(tap, folder)
        check_log(tap, folder)
        check_exit(tap, folder)
        check_profile(tap, folder)
        check_exec(tap, folder)
        check_inline(tap, folder)
        check_killed(tap, folder)
        check_sealed(tap, folder)
    tap.done()


main()
