#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the tests of a build directory and add up their results.

Meson has the list of tests (tests/meson.build).  Every test speaks TAP, so the
sum is one of claims: a cmocka function, a case, a corpus file, a lint.  A test
that dies, or prints no plan, counts as one failure.

    check.py BUILD [SUITE...]

Without a suite: all suites except those of SOAK, which `make soak` runs.

The tests of the suites BESIDE only compute: they trace nothing here (but in
emulated machines), and run no shell or other program that a script selects by
its name.  A second lane runs them at a lower priority while the others, which
mostly wait, run one after another.

Those of the suite TOGETHER run beside each other: they wait most of all, and
trace no processes, or only those whose names have the test's pid.
"""

import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import time

FAILURES_SHOWN = 8
NOTES_SHOWN = 12
SOAK = {"package", "soak"}
BESIDE = {"fuzz", "lint", "plan", "vm"}
TOGETHER = "fleet"
NICE = ["nice", "-n", "5"]
LINE = re.compile(r"(not )?ok\b\s*\d*\s*(?:-\s*)?(.*)")


class Total:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return (f"{self.passed} passed, {self.failed} failed, "
                f"{self.skipped} skipped")


class Result:
    """The result of one test: the sum of its claims, and the lines to show."""

    def __init__(self):
        self.total, self.failures, self.shown = Total(), [], []

    def fail(self, name, notes):
        self.total.failed += 1
        self.shown += [*notes, "not ok - " + name]
        self.failures.append((name, notes))

    def count(self, line, notes):
        match = LINE.match(line)
        if not match:
            return
        # cmocka 1.1 reports a skipped function as "not ok N # SKIP name".
        if re.search(r"#\s*skip", match.group(2), re.I):
            self.total.skipped += 1
            self.shown.append(line)
        elif match.group(1):
            self.total.failed += 1
            self.shown += [*notes, line]
            self.failures.append((match.group(2), notes))
        else:
            self.total.passed += 1


def run_test(test, build, before=()):
    """Run one of Meson's tests, from the build directory as Meson does."""
    env = dict(os.environ, **test["env"])
    result, notes, planned = Result(), [], False
    proc = subprocess.Popen([*before, *test["cmd"]], env=env,
                            cwd=test["workdir"] or build,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True,
                            errors="backslashreplace")
    for line in proc.stdout:
        line = line.rstrip("\n")
        planned |= bool(re.match(r"1\.\.[1-9]", line))
        if re.match(r"(not )?ok\b", line):
            result.count(line, notes)
            notes = []
        else:
            notes.append(line)
    status = proc.wait()
    if not planned or (status != 0 and result.total.failed == 0):
        result.fail(f"{test['name']} ended with status {status}", notes)
    return result


class Lane:
    """Runs tests one after another, those of TOGETHER beside each other; says
    when each begins and has ended."""

    def __init__(self, build, tests, before=()):
        self.build, self.tests, self.before = build, tests, before
        self.total, self.failures = Total(), []

    def run_one(self, test):
        start = time.monotonic()
        print(f"{'/'.join(sorted(suites(test)))}: {test['name']}", flush=True)
        result = run_test(test, self.build, self.before)
        seconds = time.monotonic() - start
        print("\n".join([
            *("  " + line for line in result.shown),
            f"  {test['name']}: {result.total} ({seconds:.1f} s)"]),
            flush=True)
        return result

    def run(self):
        for is_together, tests in itertools.groupby(
                self.tests, lambda test: TOGETHER in suites(test)):
            with concurrent.futures.ThreadPoolExecutor(
                    None if is_together else 1) as pool:
                for result in pool.map(self.run_one, tests):
                    self.total.add(result.total)
                    self.failures += result.failures


def suites(test):
    return {s.split(":")[-1] for s in test["suite"]}


def recall(failures):
    """Repeat the first failures in short: of a log, often only the end is
    kept."""
    for name, notes in failures[:FAILURES_SHOWN]:
        print("failed: " + name)
        for note in notes[:NOTES_SHOWN]:
            print("  " + note)


def main():
    build, chosen = sys.argv[1], set(sys.argv[2:])
    tests = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", build], check=True,
        stdout=subprocess.PIPE).stdout)
    tests = [test for test in tests
             if (suites(test) & chosen if chosen else suites(test) - SOAK)]
    lane = Lane(build, [t for t in tests if not suites(t) & BESIDE])
    beside = Lane(build, [t for t in tests if suites(t) & BESIDE], NICE)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(lane.run), pool.submit(beside.run)]:
            done.result()
    failures = lane.failures + beside.failures
    lane.total.add(beside.total)
    recall(failures)
    subprocess.run([os.path.join(build, "tests", "prog", "machine")],
                   check=False)
    print(lane.total)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
