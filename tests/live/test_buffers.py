#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Buffer policies: what is kept, what is lost, and what is said of it."""

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
RECORD = 12 + 4 + 8 + 8  # header, arg1 and arg2, aligned


class Run:
    """A burst of two threads, on a CPU each, through a small buffer."""

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
    # Both may have run on one CPU for a while.
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
    tap.ok(filled, "fill: the CPU whose buffer filled is told", run.ran.err)
    tap.ok(max(map(len, run.records.values())) >= 65536 // RECORD - 8,
           "fill: a buffer is full before it ends", run.ran)
    # The firing that found no room is counted; nothing after it is.
    over = sum(run.counted.values()) - sum(map(len, run.records.values()))
    tap.ok(0 <= over <= len(filled), f"fill: {over} counted beyond the "
           f"{len(filled)} full buffers", run.ran)


def enough(tap, policy):
    run = Run("-x", f"bufpolicy={policy}", "-x", "bufsize=16m", count=1000)
    tap.ok(run.ran.status == 0 and run.first == ["begin"] and
           run.records == {t: list(range(1000)) for t in (0, 1)} and
           run.ran.err.count("\n") <= 1,
           f"{policy}: with room for all, all are there", run.ran)


def stopped_consumer(tap):
    """dtrace itself stands still while 2 x COUNT records come."""
    with background("-q", "-x", "bufsize=64k", "-x", "switchrate=10ms", "-n",
                    SCRIPT.replace("pid == $target", 'execname == "burst"') +
                    'BEGIN { system("echo ready"); }', "-w") as proc:
        line = ""
        while line != "ready\n":
            line = proc.stdout.readline()
        time.sleep(0.1)
        os.kill(proc.pid, signal.SIGSTOP)
        subprocess.run([prog("burst"), "2", str(COUNT)], check=True)
        os.kill(proc.pid, signal.SIGCONT)
        time.sleep(0.1)
        proc.send_signal(signal.SIGINT)
        out, err = proc.communicate()
    records = re.findall(r"^[01] \d+$", out, re.M)
    tap.ok(len(set(records)) == len(records) > 65536 // RECORD - 8,
           f"stopped: {len(records)} records were kept", out[:300])
    tap.ok(len(records) + drops(err) == 2 * COUNT,
           f"stopped: and {drops(err)} drops are told", err)


def main():
    tap = start("root bpf cpus2 prog:burst")
    ring(tap)
    fill(tap)
    for policy in "switch", "ring", "fill":
        enough(tap, policy)
    stopped_consumer(tap)
    tap.done()


main()
