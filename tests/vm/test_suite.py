#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The cases that trace, and the live claims that need no real clock, on Debian's kernel.

    test_suite.py BUILD DTRACE PROGS [PATTERN...]

What the guest's tests claim is claimed here, one by one.
"""

import os
import re
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from tap import Tap, default_signals
from vm import run_in_guest

# Without those that compare rates: emulated time is not even.
LIVE = "compat32 endings forks cleanup refusals".split()


def commands(dtrace, progs, patterns):
    tests = os.path.join(HERE, "..")
    yield [f"{tests}/run_cases.py", "--tracing", "--dtrace", dtrace,
           "--progs", progs, *patterns]
    if not patterns:
        for name in LIVE:
            yield [f"{tests}/live/test_{name}.py", dtrace]


def main():
    default_signals()
    build, dtrace, progs = sys.argv[1:4]
    tap = Tap()
    lines = ["python3 " + shlex.join(c)
             for c in commands(dtrace, progs, sys.argv[4:])]
    status, output = run_in_guest(build, "\n".join(
        [f"export PROGS={shlex.quote(progs)} CASE_SECONDS=180", *lines,
         "true"]))
    plans = re.findall(r"^1\.\.[1-9]\d*$", output, re.M)
    tap.ok(status == 0 and len(plans) == len(lines),
           "the guest ran to its end", output[-4000:])
    notes = []
    for line in output.splitlines():
        match = re.match(r"(not )?ok \d+ - (.*)", line)
        if match:
            tap.ok(not match.group(1), "6.1: " + match.group(2), *notes)
        notes = [] if match else notes + [line]
    tap.done()


main()
