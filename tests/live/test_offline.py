#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""CPUs that are offline have no profile probes and report none missed.

CPUs that come and go during tracing lose no data without a message."""

import contextlib
import os
import re
import signal
import subprocess
import time

from live import background, drops, dtrace, prog, start

SCRIPT = "profile-97 { @[cpu] = count(); } tick-2s { exit(0); }"
AWAY = 'BEGIN { printf("go\\n"); } profile-97 { @ = count(); }'
# Counts of events before, during and after; `back` once the CPUs are back.
COUNTS = """
syscall::getppid:entry /pid == $1/ { @calls = count(); }
syscall::setsid:entry /pid == $1/ { back = 1; }
profile-97 { @fired[cpu] = count(); }
profile-97 /back/ { @sampled[cpu] = count(); }
sched:::on-cpu { @switches = count(); }
sched:::on-cpu /back/ { @ran[cpu] = count(); }
tick-10 { @ticks = count(); }
syscall::getppid:entry /back && execname == "kernel"/
	{ @where[umod(uregs[R_RIP])] = count(); }
BEGIN { printf("go\\n"); }
END {
	printa("calls %@d\\n", @calls); printa("ticks %@d\\n", @ticks);
	printa("sampled %d\\n", @sampled); printa("ran %d\\n", @ran);
	printa("where %A\\n", @where);
}
"""
ROUNDS = 5
CALLS = 20000


def switch(cpu):
    """The file that switches the CPU; the first CPU has none."""
    return f"/sys/devices/system/cpu/cpu{cpu}/online"


def write_switch(cpu, text):
    with open(switch(cpu), "w", encoding="ascii") as f:
        f.write(text)


@contextlib.contextmanager
def offline(cpu):
    write_switch(cpu, "0")
    try:
        yield
    finally:
        write_switch(cpu, "1")


def switchable(cpus):
    return [cpu for cpu in cpus if os.path.exists(switch(cpu))]


def sampled(ran):
    return sorted(int(line.split()[0]) for line in ran.out.splitlines() if line)


def claim_absent(tap, cpus):
    for cpu in switchable(cpus)[:2]:
        with offline(cpu):
            ran = dtrace("-q", "-n", SCRIPT)
        tap.ok(ran.status == 0 and sampled(ran) == [c for c in cpus if c != cpu],
               f"without CPU {cpu} the others are sampled", ran)
        tap.ok(not re.search(rf"on CPU {cpu}\b", ran.err),
               "... and it is not told to have missed anything", ran)
    ran = dtrace("-q", "-n", SCRIPT)
    tap.ok(ran.status == 0 and sampled(ran) == cpus,
           "when they are back all are sampled", ran)


def come_and_go(cpus):
    """Switch each CPU off and on several times, while system calls are
    made."""
    left = CALLS
    for _ in range(ROUNDS):
        for cpu in switchable(cpus)[:4]:
            with offline(cpu):
                for _ in range(200):
                    os.getppid()
                    left -= 1
                time.sleep(0.2)
            time.sleep(0.1)
    while left > 0:
        os.getppid()
        left -= 1


def numbers(out, word):
    return sorted(int(n) for n in re.findall(rf"^{word} (\d+)$", out, re.M))


def work_everywhere(cpus):
    """Run programs that have ended when their calls are printed."""
    for cpu in cpus:
        subprocess.run(["taskset", "-c", str(cpu), prog("kernel"), "locks"],
                       check=True, stdout=subprocess.DEVNULL)


def claim_changing(tap, cpus):
    with background("-q", "-Z", "-n", COUNTS, str(os.getpid())) as proc:
        proc.stdout.readline()
        begin = time.monotonic()
        come_and_go(cpus)
        with contextlib.suppress(PermissionError):
            os.setsid()
        work_everywhere(cpus)
        time.sleep(2)
        seconds = time.monotonic() - begin
        proc.send_signal(signal.SIGINT)
        out, err = proc.communicate(timeout=120)
    said = f"{seconds:.1f} s\n{out}{err}"
    calls = numbers(out, "calls")
    tap.ok(proc.returncode == 0, "it ends while CPUs have come and gone", said)
    tap.ok(calls and CALLS - drops(err) - skipped(err) <= calls[0] <= CALLS,
           "system calls meanwhile are counted, or told as lost", said)
    tap.ok(numbers(out, "sampled") == cpus,
           "CPUs that came back are sampled again", said)
    tap.ok(numbers(out, "ran") == cpus,
           "... and their switches are traced", said)
    ticks = numbers(out, "ticks")
    tap.ok(ticks and ticks[0] > 0, "tick goes on", said)
    tap.ok("where " in out and not re.search(r"^where 0x", out, re.M),
           "programs on CPUs that came back are followed", said)


def skipped(err):
    return sum(int(n) for n in re.findall(r"(\d+) firings? skipped", err))


def claim_away(tap, cpu):
    """The CPU is away for two thirds of the time, and longer.

    It may miss each firing of the rest, and dtrace may hear late that it is
    away."""
    begin = time.monotonic()
    with background("-q", "-n", AWAY) as proc:
        proc.stdout.readline()
        with offline(cpu):
            left = time.monotonic()
            time.sleep(6 + 3 * (left - begin))
            away = time.monotonic() - left
        proc.send_signal(signal.SIGINT)
        out, err = proc.communicate(timeout=120)
    seconds = time.monotonic() - begin
    tap.ok(proc.returncode == 0 and
           missed(err, cpu) < 97 * (seconds - away / 2),
           "the time without a CPU is not told as missed",
           f"{away:.1f} of {seconds:.1f} s\n{out}{err}")


def missed(err, cpu):
    return sum(int(n) for n in re.findall(
        rf"(\d+) profile firings? missed or late on CPU {cpu}\b", err))


def main():
    # other tests would lose their CPU
    tap = start("root bpf cpus2 emulated")
    cpus = sorted(os.sched_getaffinity(0))
    claim_absent(tap, cpus)
    claim_changing(tap, cpus)
    claim_away(tap, switchable(cpus)[-1])
    tap.done()


main()
