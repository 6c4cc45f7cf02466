#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""profile-997 is exact on busy CPUs and finds the function that spins."""

import os
import re

from live import busy, dtrace, start

SECONDS = 5
ATTEMPTS = 8
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
    """What the tool says it could not sample, by CPU."""
    return {int(cpu): int(n) for n, cpu in MISSED.findall(text)}


def attempt(cpus, target):
    """Trace once: a list of (holds, claim), and the run for the notes."""
    with busy(cpus, SECONDS + 30, greedy=target) as procs:
        pid, low, high = procs[-1].stdout.readline().split()
        before = cpu_seconds(pid)
        ran = dtrace("-q", "-n", SCRIPT, str(target), pid, low, high)
        share = min((cpu_seconds(pid) - before) / ran.seconds, 1)
    rows, lost = parse(ran.out), missed(ran.err)
    claims = [(ran.status == 0, "dtrace ends well")]
    for cpu in cpus:
        count = rows.get(("n", cpu), 0)
        span = rows.get(("last", cpu), 0) - rows.get(("first", cpu), 0)
        rate = (count - 1) * 1e9 / span if span > 0 else 0
        claims += [
            (abs(rate - 997) <= 9.97,
             f"CPU {cpu}: {rate:.1f} samples a second"),
            (count >= 0.98 * 997 * SECONDS,
             f"CPU {cpu}: {count} samples in {SECONDS} s"),
            (abs(count + lost.get(cpu, 0) - 997 * SECONDS) <=
             0.02 * 997 * SECONDS,
             f"CPU {cpu}: {count} samples and {lost.get(cpu, 0)} told as "
             f"missed in {SECONDS} s")]
    everything, mine, burn = (rows.get((k, 0), 0)
                              for k in ("all", "mine", "burn"))
    claims += [
        (burn >= 0.97 * mine > 0,
         f"{burn} of the process's {mine} samples are in its function"),
        (burn >= 0.97 * share * everything > 0,
         f"{burn} of the CPU's {everything} samples are in the function "
         f"(it had {share:.0%} of the CPU)")]
    return claims, ran


def main():
    tap = start("root bpf cpus2 prog:spin")
    cpus = sorted(os.sched_getaffinity(0))
    # A host that takes our CPUs away for a while delays their timers, and
    # tells nobody: more attempts then.
    for _ in range(ATTEMPTS):
        claims, ran = attempt(cpus, cpus[-1])
        if all(holds for holds, _ in claims):
            break
    for holds, claim in claims:
        tap.ok(holds, claim, ran)
    tap.done()


main()
