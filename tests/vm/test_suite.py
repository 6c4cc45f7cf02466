#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The cases that trace, and the live claims that need no real clock, on a kernel of Debian's.

    test_suite.py BUILD DTRACE PROGS [PATTERN...]

What the guest's tests claim is claimed here, one by one.  $KERNEL says which
kernel (vm.py).
"""

import concurrent.futures
import os
import re
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from tap import Tap, default_signals
from kernels import fetch_kernel, kernel_name
from vm import run_in_guest

# Without those that compare rates: emulated time is not even.
LIVE = "compat32 endings forks cleanup refusals libraries".split()
# A guest has one of the machine's CPUs.
GUESTS = 2
# With the one in the middle offline, numbers do not follow each other.
OFFLINE_CPUS = 3
# Some that are there, of more that could be.
MANY_CPUS = {"cpus": "2,maxcpus=128", "args": "possible_cpus=128"}


def guests(dtrace, progs, patterns):
    """Of each guest its commands, and what it has more than others."""
    tests = os.path.join(HERE, "..")
    cases = [f"{tests}/run_cases.py", "--tracing", "--dtrace", dtrace,
             "--progs", progs]
    if patterns:
        return [([cases + patterns], {})]
    live = [[f"{tests}/live/test_{name}.py", dtrace] for name in LIVE]
    return [([cases + ["--part", f"{k}/{GUESTS}"]]
             + live[k - 1::GUESTS], {}) for k in range(1, GUESTS + 1)] + [
        ([[f"{tests}/live/test_offline.py", dtrace]], {"cpus": OFFLINE_CPUS}),
        ([[f"{tests}/live/test_memory.py", dtrace]], MANY_CPUS)]


def run_guest(build, progs, cmds, more):
    lines = ["python3 " + shlex.join(c) for c in cmds]
    status, output = run_in_guest(build, "\n".join(
        [f"export PROGS={shlex.quote(progs)} CASE_SECONDS=180", *lines,
         "true"]), **more)
    plans = re.findall(r"^1\.\.[1-9]\d*$", output, re.M)
    return status == 0 and len(plans) == len(lines), output


def tell(tap, is_whole, output):
    tap.ok(is_whole, "the guest ran to its end", output[-4000:])
    notes = []
    for line in output.splitlines():
        match = re.match(r"(not )?ok \d+ - (.*)", line)
        if match:
            tap.ok(not match.group(1), f"{kernel_name()}: " + match.group(2), *notes)
        notes = [] if match else notes + [line]


def main():
    default_signals()
    build, dtrace, progs = sys.argv[1:4]
    tap = Tap()
    fetch_kernel(os.path.join(build, "vm"))
    with concurrent.futures.ThreadPoolExecutor(GUESTS) as pool:
        for result in pool.map(lambda guest: run_guest(build, progs, *guest),
                               guests(dtrace, progs, sys.argv[4:])):
            tell(tap, *result)
    tap.done()

main()
