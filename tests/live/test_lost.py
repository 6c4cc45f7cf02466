#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace reports a target that takes its memory away, or stops."""

import os
import re
import signal
import subprocess
import time

from live import DTRACE, dtrace, prog, start

DROPPER = prog("dropper")
ALL = "30"
SCRIPT = "pid$target:a.out:fn_tick:entry { @ = count(); }"
SOON = 20
PART_MS = 500, 900, 1500, 2500 # after BEGIN, for machines that others use, too


def traced(substrate, how):
    return dtrace("-q", "-x", "substrate=" + substrate, "-n", SCRIPT, "-c",
                  f"{DROPPER} {how}", timeout=SOON)


def memory(tap):
    ran = traced("process", "none")
    tap.ok(ran.status == 0 and ran.out.split() == [ALL] and ran.err == "",
           "no message about a target that behaves", ran)
    for how, what in (("remove", "shares with dtrace, or dropped it"),
                      ("dontneed", "dropped or replaced dtrace's memory"),
                      ("private", "replaced dtrace's shared memory")):
        ran = traced("process", how)
        tap.ok(ran.status == 0 and what in ran.err and
               ran.err.count("dtrace: ") == 1,
               f"a target that drops our memory is reported once: {how}", ran)
    for how in "remove", "private":
        ran = traced("kernel", how)
        tap.ok(ran.status == 0 and ran.out.split() == [ALL] and ran.err == "",
               f"... the kernel substrate has no memory there: {how}", ran)


def part(tap):
    """dtrace finds out at its end that a part is gone.

    So it must end after that, and before the target, which ends a second
    later."""
    for ms in PART_MS:
        ran = dtrace("-q", "-x", "substrate=process", "-n",
                     SCRIPT + f"tick-{ms}ms {{ exit(0); }}", "-c",
                     DROPPER + " part", timeout=SOON)
        if ran.err:
            break
    tap.ok("replaced a part of dtrace's shared memory" in ran.err,
           "a target that drops part of our memory is reported at the end", ran)


def asks_to_be_traced(tap, substrate):
    ran = traced(substrate, "traceme")
    tap.ok(ran.status == 0 and ALL in ran.out.split() and
           "handled 1" in ran.out and "PTRACE_TRACEME" in ran.err,
           f"{substrate}: PTRACE_TRACEME in a command does not stop it", ran)


def stopped(tap, substrate):
    """dtrace reports a stopped target, and ends once the target goes on."""
    proc = subprocess.Popen(
        [DTRACE, "-q", "-x", "substrate=" + substrate, "-n", SCRIPT, "-c",
         f"{DROPPER} stop"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True)
    begin = time.monotonic()
    line = proc.stderr.readline()
    seconds = time.monotonic() - begin
    match = re.search(r"pid (\d+) is stopped \(SIGSTOP", line)
    if match:
        os.kill(int(match.group(1)), signal.SIGCONT)
    out, err = proc.communicate(timeout=SOON)
    tap.ok(match and proc.returncode == 0 and out.split() == [ALL] and
           err == "" and seconds < SOON / 2,
           f"{substrate}: a target that stops is reported", line, out, err)


def main():
    tap = start("root bpf prog:dropper")
    memory(tap)
    part(tap)
    for substrate in "kernel", "process":
        asks_to_be_traced(tap, substrate)
        stopped(tap, substrate)
    tap.done()


main()
