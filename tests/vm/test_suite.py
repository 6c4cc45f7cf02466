#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The cases that trace, and the live claims that need no real clock, on
kernels of Debian's.

    test_suite.py BUILD DTRACE PROGS [PATTERN...]
    test_suite.py --third BUILD DTRACE PROGS
    test_suite.py --rotate BUILD DTRACE PROGS
    test_suite.py --tried FILE BUILD DTRACE PROGS

The claims of the guest's tests are repeated here, one by one.  $KERNEL selects
the kernel (vm.py).

--third runs a third of the cases, and of the live claims: the others with the
next commits.
--rotate takes another kernel with each commit, and only checks there that the
libraries compile, and a case of each provider.  --tried runs everything on
each kernel (or on $KERNEL alone), also with as many CPUs as can be emulated in
reasonable time, and writes the results into FILE.  A kernel that cannot be
downloaded (there is no network) is skipped, with the reason.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from tap import Tap, default_signals
from tried import section, table, turn, write_section
from kernels import DEFAULT, SUITES, Unavailable, fetch_kernel, kernel_name, \
    version
from vm import run_in_guest

# Without tests that compare rates: emulated time is not even.
LIVE = "compat32 endings forks cleanup refusals libraries both_self".split()
# Time is ten times as long there, and longer when the machine is busy: for a
# case, and for the analysis of a file, which has 1 s of CPU time for each 100m.
ENVIRONMENT = "CASE_SECONDS=420 DTRACE_OPT_ANALYSISMAX=2g"
# Each guest gets one of the machine's CPUs.
GUESTS = 2
WHOLE_SECONDS = 7200  # limit of a guest of --tried
# The middle one is offline, so the numbers of CPUs have a gap.
OFFLINE_CPUS = 3
# The kernel starts only a few of many possible CPUs.
MANY_CPUS = {"cpus": 255, "args": "maxcpus=2"}
ONLINE_CPUS = {"cpus": 64}
# Characters of a guest's output that are shown if it fails as a whole.
TOLD = 100_000
# A case of each provider, and cases that have differed between kernels.
SAMPLE = """cpc/counts fbt/many fbt/stack fbt/twins io/awaited io/offset
    ip/headers lockstat/mutex nfs/near pid/counts plockstat/mutex proc/life
    profile/two sched/sleeps sdt/shared sdt/stack stacks/names sysevent/long
    sysinfo/paths tcp/established udp/datagrams usdt/counts vfs/fields
    vminfo/counted clauses/all-syscalls""".split()
BEGIN = "<!-- kernels: written by tests/vm/test_suite.py -->"
END = "<!-- kernels: end -->"
SIZE_BEGIN = "<!-- size: written by tests/vm/test_suite.py -->"
SIZE_END = "<!-- size: end -->"
MEASURED = re.compile(
    r"^# size: (.*): start ([\d.]+) s, end ([\d.]+) s, ([\d.]+) MB of maps, "
    r"([\d.]+) MB resident$", re.M)
LACKING = re.compile(r"^not ok \d+ - (\w+): the kernel has all", re.M)


class Guest:
    """Commands for one guest, its additional options, and its output."""

    def __init__(self, cmds, name="", **more):
        self.cmds, self.name, self.more = cmds, name, more
        self.is_whole, self.output = False, ""

    def run(self, opts):
        lines = ["python3 " + shlex.join(c) for c in self.cmds]
        status, self.output = run_in_guest(opts.build, "\n".join(
            [f"export PROGS={shlex.quote(opts.progs)} {ENVIRONMENT}",
             *lines, "true"]), **self.more)
        plans = re.findall(r"^1\.\.[1-9]\d*$", self.output, re.M)
        self.is_whole = status == 0 and len(plans) == len(lines)
        return self

    def tell(self, tap):
        """Repeat its claims one by one; the numbers that hold, fail and are
        skipped."""
        still = re.findall(r"^# after .* stood still .*", self.output, re.M)
        print(*still, sep="\n", end="\n" if still else "", flush=True)
        tap.ok(self.is_whole, "the guest ran to its end", self.output[-TOLD:])
        before = tap.count, tap.failed, tap.skipped
        notes = []
        for line in self.output.splitlines():
            match = re.match(r"(not )?ok \d+ - (.*?)(?: # SKIP (.*))?$", line)
            if match and match.group(3):
                tap.skip(f"{kernel_name()}: {match.group(2)}", match.group(3))
            elif match:
                tap.ok(not match.group(1),
                       f"{kernel_name()}: {match.group(2)}", *notes)
            notes = [] if match else notes + [line]
        count, failed, skipped = (
            after - earlier for after, earlier in
            zip((tap.count, tap.failed, tap.skipped), before))
        return count - failed - skipped, failed, skipped


def live(opts, name):
    return [os.path.join(HERE, "..", "live", f"test_{name}.py"), opts.dtrace]


def cases(opts, *more):
    # One case at a time if cases beside it would change the kernel's choice of
    # threads.
    alone = [] if kernel_name() == DEFAULT else ["-j", "1"]
    return [os.path.join(HERE, "..", "run_cases.py"), "--tracing", "--dtrace",
            opts.dtrace, "--progs", opts.progs, *alone, *more]


def parts(opts, n, **more):
    """Guests that divide all cases and live claims among them."""
    tests = [live(opts, name) for name in LIVE]
    return [Guest([cases(opts, "--part", f"{k}/{n}")] + tests[k - 1::n], **more)
            for k in range(1, n + 1)]


def suite(opts, **more):
    guests = parts(opts, 3 * GUESTS, **more)[turn(HERE, [0, 1, 2])::3] \
        if opts.third else parts(opts, GUESTS, **more)
    return guests + [
        Guest([live(opts, "offline")], cpus=OFFLINE_CPUS, **more),
        Guest([live(opts, "memory")], "2 of 255 CPUs", **MANY_CPUS, **more)]


def chosen(opts):
    if opts.rotate:
        return [Guest([live(opts, "libraries"), cases(opts, *SAMPLE)])]
    if opts.patterns:
        return [Guest([cases(opts, *opts.patterns)])]
    return suite(opts)


def run_guests(tap, opts, guests):
    """Run two guests at a time; returns the sums of their claims."""
    sums = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(GUESTS) as pool:
        for guest in pool.map(lambda guest: guest.run(opts), guests):
            sums = tuple(map(sum, zip(sums, guest.tell(tap))))
    return sums


def run_kernel(tap, opts, name, make):
    """The row of a kernel, and the guests that make() gives for it.

    The row is None if the kernel cannot be downloaded."""
    os.environ["KERNEL"] = name
    try:
        root = fetch_kernel(os.path.join(opts.build, "vm"))
    except Unavailable as e:
        tap.skip(f"kernel {name}", str(e))
        return None, []
    guests = make(opts)
    print(f"# kernel {name}: {version(root)}", flush=True)
    sums = run_guests(tap, opts, guests)
    lacking = {provider for guest in guests
               for provider in LACKING.findall(guest.output)}
    return [name, version(root), *sums,
            ", ".join(sorted(lacking)) or "none"], guests


def kept_rows(path, begin, end, made):
    """Rows of the existing table, for kernels without a new row today."""
    rows = [[word.strip() for word in line.strip("|").split(" | ")]
            for line in section(path, begin, end).splitlines()
            if line.startswith("| ")][1:]
    return [row for row in rows if row[0].strip() not in
            {row[0] for row in made}]


def write_tried(opts, rows, sizes):
    rows = rows + kept_rows(opts.tried, BEGIN, END, rows)
    sizes = sizes + kept_rows(opts.tried, SIZE_BEGIN, SIZE_END, sizes)
    write_section(opts.tried, BEGIN, END, (
        "## Kernels\n\nDebian's, in an emulated machine: claims of the cases "
        "that trace, and of live tests.\n\n") + table(
            ["Kernel", "Version", "Hold", "Do not", "Skipped",
             "Providers with missing arguments"], rows))
    write_section(opts.tried, SIZE_BEGIN, SIZE_END, (
        "## Size\n\nThe costs of a script in an emulated machine: seconds to "
        "start and to end (emulated\nCPUs take turns), memory of the "
        "kernel's maps and of dtrace.\n\n") + table(
            ["Kernel", "Machine", "Script", "Start, s", "End, s", "Maps, MB",
             "Resident, MB"], sizes))


def whole_suite(opts):
    return suite(opts, timeout=WHOLE_SECONDS) + [
        Guest([live(opts, "memory"), live(opts, "offline")], "64 CPUs",
              timeout=WHOLE_SECONDS, **ONLINE_CPUS)]


def every_kernel(tap, opts):
    for name in [os.environ["KERNEL"]] if "KERNEL" in os.environ else SUITES:
        row, guests = run_kernel(tap, opts, name, whole_suite)
        write_tried(opts, [row] if row else [], [
            [name, guest.name, *row] for guest in guests
            for row in MEASURED.findall(guest.output)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--third", action="store_true")
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("--tried")
    for name in "build", "dtrace", "progs":
        parser.add_argument(name)
    parser.add_argument("patterns", nargs="*")
    opts = parser.parse_args()
    default_signals()
    tap = Tap()
    if opts.tried:
        every_kernel(tap, opts)
    else:
        name = turn(HERE, [k for k in SUITES if k != DEFAULT]) \
            if opts.rotate else kernel_name()
        run_kernel(tap, opts, name, chosen)
    tap.done()


if __name__ == "__main__":
    main()
