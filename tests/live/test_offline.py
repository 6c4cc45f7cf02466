#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A CPU that is offline has no profile probes, and none that are missed."""

import contextlib
import os
import re

from live import dtrace, start

SCRIPT = "profile-97 { @[cpu] = count(); } tick-2s { exit(0); }"


def switch(cpu):
    """The first CPU has none."""
    return f"/sys/devices/system/cpu/cpu{cpu}/online"


@contextlib.contextmanager
def offline(cpu):
    def write(text):
        with open(switch(cpu), "w", encoding="ascii") as f:
            f.write(text)
    write("0")
    try:
        yield
    finally:
        write("1")


def sampled(ran):
    return sorted(int(line.split()[0]) for line in ran.out.splitlines() if line)


def main():
    # others would miss their CPU
    tap = start("root bpf cpus2 emulated")
    cpus = sorted(os.sched_getaffinity(0))
    for cpu in filter(lambda cpu: os.path.exists(switch(cpu)), cpus):
        with offline(cpu):
            ran = dtrace("-q", "-n", SCRIPT)
        tap.ok(ran.status == 0 and sampled(ran) == [c for c in cpus if c != cpu],
               f"without CPU {cpu} the others are sampled", ran)
        tap.ok(not re.search(rf"on CPU {cpu}\b", ran.err),
               "... and it is not told to have missed anything", ran)
    ran = dtrace("-q", "-n", SCRIPT)
    tap.ok(ran.status == 0 and sampled(ran) == cpus,
           "when they are back all are sampled", ran)
    tap.done()


main()
