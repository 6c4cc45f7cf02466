#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""percentile() of known values is within 1 % of the true percentiles, over
CPUs, threads of the kernel's substrate and processes that trace themselves."""

import json
import os
import shutil
import tempfile

from live import DTRACE, prog, run, start

SERIES = range(2, 20002)  # arg2 of fn_six() in tests/prog/series.c
PERCENTS = [1, 50, 90, 99.9, 100]
BODY = """{
    @p = percentile(arg2 * (1 + FACTOR), 1, 50, 90, "99.9", 100);
    @n[FACTOR] = count(); }"""


def trace(*args):
    """The percentiles, the number of values, and the calls by key."""
    ran = run([DTRACE, "-q", "-x", "oformat=json", *args])
    if ran.status != 0 or ran.err:
        return None, 0, {}, ran
    found, total, calls = {}, 0, {}
    for line in ran.out.splitlines():
        row = json.loads(line)
        if row["event"] != "aggregation":
            continue
        amount = row["values"][0]
        if amount["name"] == "p":
            found = {p["percent"]: p["value"] for p in amount["percentiles"]}
            total = sum(b["count"] for b in amount["buckets"])
        else:
            calls[row["keys"][0]["value"]] = amount["value"]
    return found, total, calls, ran


def is_near(found, calls):
    """Each percentile against that of the sorted list (nearest rank)."""
    if not found or sorted(found) != PERCENTS:
        return False
    values = sorted(v * (1 + k) for k, n in calls.items()
                    for v in SERIES for _ in range(n // len(SERIES)))
    thousandths = {p: round(p * 1000) for p in PERCENTS}
    for p, part in thousandths.items():
        want = values[(len(values) * part + 99999) // 100000 - 1]
        if abs(found[p] - want) * 100 > want:
            return False
    return True


def check(tap, claim, nkeys, nruns, *args):
    found, total, calls, ran = trace(*args)
    tap.ok(len(calls) == nkeys and total == nruns * len(SERIES) and
           sum(calls.values()) == total and is_near(found, calls), claim,
           f"{ran.err}{ran.out[-2000:]}{calls} {found}")


def check_cpus(tap, series):
    cpus = sorted(os.sched_getaffinity(0))[:2]
    pinned = " & ".join(f"taskset -c {c} {series}" for c in cpus)
    check(tap, "the values of CPUs are merged", len(cpus), len(cpus), "-n",
          f"pid*:{series}:fn_six:entry" + BODY.replace("FACTOR", "cpu"),
          "-c", f"sh -c '{pinned} & wait'")


def check_processes(tap, series):
    """Consecutive process ids differ modulo 7."""
    script = "pid$target:series:fn_six:entry" + \
        BODY.replace("FACTOR", "pid % 7")
    for n, claim in ((1, "a process counts its own values"),
                     (2, "the values of processes are merged")):
        check(tap, claim, n, n, "-x", "substrate=process", "-n", script,
              *["-c", series] * n)


def main():
    tap = start()
    folder = tempfile.mkdtemp(prefix="percentile.")
    series = os.path.join(folder, "series")
    try:
        shutil.copy(prog("series"), series)
        check_cpus(tap, series)
        check_processes(tap, series)
    finally:
        shutil.rmtree(folder)
    tap.done()


main()
