#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Buffer policies: which data is kept, which is lost, and the messages."""

import contextlib
import os
import re
import signal
import subprocess
import time

from live import background, dtrace, drops, prog, start

SCRIPT = r"""
BEGIN { printf("begin\n"); }
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	@[arg1] = count();
	printf("%d %d\n", arg1, arg2);
}
END { printf("end\n"); printa("counted %d %@d\n", @); }
"""
COUNT = 50000
RECORD = 12 + 4 + 8 + 8  # header, arg1 and arg2, with padding


class Run:
    """Trace a burst of two threads, on a CPU each, with a small buffer."""

    def __init__(self, *options, count=COUNT):
        self.ran = dtrace("-q", *options, "-n", SCRIPT, "-c",
                          f"{prog('burst')} 2 {count}")
        lines = self.ran.out.splitlines()
        self.first, self.lines = lines[:1], lines
        self.records = {0: [], 1: []}
        for line in lines:
            if re.fullmatch(r"[01] \d+", line):
                thread, i = map(int, line.split())
                self.records[thread].append(i)
        self.counted = {int(t): int(n) for t, n in
                        re.findall(r"counted (\d) (\d+)", self.ran.out)}


def ring(tap):
    run = Run("-x", "bufpolicy=ring", "-x", "bufsize=64k")
    tap.ok(run.ran.status == 0 and run.first == ["begin"] and
           "end" in run.lines, "ring: BEGIN comes first, END is there",
           run.ran)
    for thread, got in run.records.items():
        tap.ok(got == list(range(COUNT - len(got), COUNT)),
               f"ring: thread {thread}: the newest {len(got)}, in order",
               got[:5], got[-5:])
    # Both threads may have run on one CPU for a while.
    total = sum(map(len, run.records.values()))
    fit = 65536 // (RECORD + 8)
    tap.ok(fit <= total <= 2 * fit, f"ring: {total} of a full buffer's {fit} "
           "on each CPU", run.ran)
    tap.ok(drops(run.ran.err) == 0, "ring: what is overwritten is no drop",
           run.ran.err)


def fill(tap):
    run = Run("-x", "bufpolicy=fill", "-x", "bufsize=64k")
    tap.ok(run.ran.status == 0 and run.first == ["begin"] and
           "end" in run.lines, "fill: BEGIN comes first, END is there",
           run.ran)
    for thread, got in run.records.items():
        tap.ok(got == list(range(len(got))),
               f"fill: thread {thread}: the first {len(got)}, in order",
               got[:5], got[-5:])
    filled = re.findall(r"1 buffer filled on CPU (\d+)", run.ran.err)
    tap.ok(filled, "fill: the CPU whose buffer filled is reported", run.ran.err)
    tap.ok(max(map(len, run.records.values())) >= 65536 // RECORD - 8,
           "fill: a buffer is full before it ends", run.ran)
    # A firing that finds no room is counted; the firings after it are not.
    over = sum(run.counted.values()) - sum(map(len, run.records.values()))
    tap.ok(0 <= over <= len(filled), f"fill: {over} counted beyond the "
           f"{len(filled)} full buffers", run.ran)


def enough(tap, policy):
    run = Run("-x", f"bufpolicy={policy}", "-x", "bufsize=16m", count=1000)
    tap.ok(run.ran.status == 0 and run.first == ["begin"] and
           run.records == {t: list(range(1000)) for t in (0, 1)} and
           run.ran.err.count("\n") <= 1,
           f"{policy}: with room for all, all are there", run.ran)


STOPPED_S = 10
STOPPED = (("switch", "16m"), ("switch", "64k"), ("ring", "64k"),
           ("fill", "64k"))


def traced(policy, size):
    """Start dtrace with that policy, for each `burst` that this process
    runs."""
    return background(
        "-q", "-x", f"bufpolicy={policy}", "-x", f"bufsize={size}",
        "-x", "switchrate=10ms", "-x", "debug", "-n",
        SCRIPT.replace("pid == $target", "ppid == $1"), str(os.getpid()))


def finish(proc):
    proc.send_signal(signal.SIGINT)
    out, err = proc.communicate(timeout=60)
    return re.findall(r"^([01]) (\d+)$", out, re.M), drops(err), out, err


def stopped_consumer(tap):
    """dtrace itself is stopped for ten seconds while 2 x COUNT records are
    made, with all policies at once."""
    with contextlib.ExitStack() as stack:
        procs = [stack.enter_context(traced(*how)) for how in STOPPED]
        for proc in procs:
            while not proc.stderr.readline().endswith(": tracing\n"):
                pass
        time.sleep(0.2)
        for proc in procs:
            os.kill(proc.pid, signal.SIGSTOP)
        begin = time.monotonic()
        subprocess.run([prog("burst"), "2", str(COUNT)], check=True)
        time.sleep(max(0, begin + STOPPED_S - time.monotonic()))
        for proc in procs:
            os.kill(proc.pid, signal.SIGCONT)
        time.sleep(0.5)
        check_stopped(tap, [finish(proc) for proc in procs])


def check_stopped(tap, results):
    total = 2 * COUNT
    (all_, lost, _, err), (some, told, _, small_err) = results[:2]
    tap.ok(len(set(all_)) == len(all_) == total and lost == 0,
           "stopped for 10 s, room for all: all are there", len(all_), err)
    tap.ok(len(set(some)) == len(some) > 65536 // RECORD - 8,
           f"stopped, little room: {len(some)} records were kept", small_err)
    tap.ok(len(some) + told == total,
           f"stopped, little room: and {told} drops are reported", small_err)
    for records, lost, _, err in results[:2]:
        tap.ok(all([int(i) for t, i in records if t == thread] == sorted(
            int(i) for t, i in records if t == thread) for thread in "01"),
               "stopped: each thread's are in order")
    records, lost, out, err = results[2]
    fit = 65536 // (RECORD + 8)
    tap.ok(fit <= len(records) <= 2 * fit and lost == 0 and
           ("0", str(COUNT - 1)) in records and
           ("1", str(COUNT - 1)) in records,
           f"stopped, ring: the newest {len(records)}, and no drop is reported",
           err)
    records, lost, out, err = results[3]
    tap.ok(("0", "0") in records and ("1", "0") in records and
           len(records) >= 65536 // RECORD - 8 and
           "buffer filled on CPU" in err,
           f"stopped, fill: the first {len(records)}, and that it is full",
           err)


def main():
    tap = start("root bpf cpus2 prog:burst")
    ring(tap)
    fill(tap)
    for policy in "switch", "ring", "fill":
        enough(tap, policy)
    stopped_consumer(tap)
    tap.done()


main()
