#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""profile-997 is exact on busy CPUs, and finds the function that spins."""

import os
import re

from live import busy, dtrace, start, stolen

SECONDS = 5
TICK = 0.01  # shorter times are not in stolen()
SCRIPT = r"""
profile-997
{
	@first[cpu] = min(timestamp);
	@last[cpu] = max(timestamp);
	@n[cpu] = count();
}
profile-997 /cpu == $1/ { @all = count(); }
profile-997 /cpu == $1 && pid == $2/ { @mine = count(); }
profile-997 /cpu == $1 && pid == $2 && arg0 == 0 && arg1 >= $3 && arg1 < $4/
{
	@burn = count();
}
tick-5s { exit(0); }
END
{
	printa("first %d %@d\n", @first);
	printa("last %d %@d\n", @last);
	printa("n %d %@d\n", @n);
	printa("all 0 %@d\n", @all);
	printa("mine 0 %@d\n", @mine);
	printa("burn 0 %@d\n", @burn);
}
"""


def parse(text):
    rows = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3:
            rows[words[0], int(words[1])] = int(words[2])
    return rows


def cpu_seconds(pid):
    """CPU time of a process so far, from its schedstat, in seconds."""
    with open(f"/proc/{pid}/schedstat") as f:
        return int(f.read().split()[0]) / 1e9


MISSED = re.compile(r"(\d+) profile firings? missed or late on CPU (\d+)")


def missed(text):
    """The samples that dtrace reports as missed, by CPU."""
    return {int(cpu): int(n) for n, cpu in MISSED.findall(text)}


def claims_of_cpu(tap, ran, cpu, rows, away):
    """Check the number of samples of a CPU.

    A host may take a CPU away for a while (the kernel calls it steal); no
    timer fires then.  No program runs either while the host's agent has the
    CPU (doc/substrates.md); no file counts that time.  dtrace must report
    missing samples, and not more.  The five seconds begin with tick-5s.  On
    busy CPUs, dtrace may arm it some time before profile-997, so the first
    sample begins the time."""
    count = rows.get(("n", cpu), 0)
    told = missed(ran.err).get(cpu, 0)
    span = (rows.get(("last", cpu), 0) - rows.get(("first", cpu), 0)) / 1e9
    note = f"CPU {cpu}, of which the host took {away:.2f} s"
    tap.ok(0.5 * SECONDS <= span <= 1.02 * SECONDS,
           f"samples of {span:.2f} s", note, ran)
    tap.ok(count - 1 <= 1.01 * 997 * span and
           count - 1 >= 0.95 * 997 * (span - away - TICK),
           f"CPU {cpu}: {(count - 1) / (span - away):.1f} samples a second",
           note, ran)
    tap.ok(0.98 * 997 * span <= count + told <= 1.02 * 997 * SECONDS,
           f"CPU {cpu}: {count} samples and {told} told as missed in "
           f"{span:.2f} s", note, ran)


def main():
    tap = start("root bpf cpus2 prog:spin")
    cpus = sorted(os.sched_getaffinity(0))
    target = cpus[-1]
    with busy(cpus, SECONDS + 30, greedy=target) as procs:
        pid, low, high = procs[-1].stdout.readline().split()
        before, stolen_before = cpu_seconds(pid), stolen()
        ran = dtrace("-q", "-n", SCRIPT, str(target), pid, low, high)
        share = min((cpu_seconds(pid) - before) / ran.seconds, 1)
        away = {cpu: stolen()[cpu] - stolen_before[cpu] for cpu in cpus}
    tap.ok(ran.status == 0, "dtrace ends well", ran)
    rows = parse(ran.out)
    for cpu in cpus:
        claims_of_cpu(tap, ran, cpu, rows, away[cpu])
    everything, mine, burn = (rows.get((k, 0), 0)
                              for k in ("all", "mine", "burn"))
    tap.ok(burn >= 0.97 * mine > 0,
           f"{burn} of the process's {mine} samples are in its function", ran)
    tap.ok(burn >= 0.97 * share * everything > 0,
           f"{burn} of the CPU's {everything} samples are in the function "
           f"(it had {share:.0%} of the CPU)", ran)
    tap.done()


main()
