#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the tests of a build directory and add up their results.

Meson has the list of tests (tests/meson.build).  Every test speaks TAP, so the
sum is one of claims: a cmocka function, a case, a corpus file, a lint.  A test
that dies, or prints no plan, counts as one failure.

    check.py BUILD [SUITE...]

Without a suite: all suites except those of SOAK, which `make soak` runs.
"""

import json
import os
import re
import subprocess
import sys
import time

FAILURES_SHOWN = 8
NOTES_SHOWN = 12
SOAK = {"package", "soak"}
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


def count_line(line, total, notes, failures):
    match = LINE.match(line)
    if not match:
        return
    # cmocka 1.1 reports a skipped function as "not ok N # SKIP name".
    if re.search(r"#\s*skip", match.group(2), re.I):
        total.skipped += 1
        print("  " + line)
    elif match.group(1):
        total.failed += 1
        for note in notes:
            print("  " + note)
        print("  " + line)
        failures.append((match.group(2), notes))
    else:
        total.passed += 1


def run_test(test, build, failures):
    """Run one of Meson's tests, from the build directory as Meson does.

    Shows failures and skips with their comments."""
    env = dict(os.environ, **test["env"])
    total, notes, planned = Total(), [], False
    proc = subprocess.Popen(test["cmd"], env=env, cwd=test["workdir"] or build,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True,
                            errors="backslashreplace")
    for line in proc.stdout:
        line = line.rstrip("\n")
        planned |= bool(re.match(r"1\.\.[1-9]", line))
        if re.match(r"(not )?ok\b", line):
            count_line(line, total, notes, failures)
            notes = []
        else:
            notes.append(line)
    status = proc.wait()
    if not planned or (status != 0 and total.failed == 0):
        for note in notes:
            print("  " + note)
        ended = f"{test['name']} ended with status {status}"
        print("  not ok - " + ended)
        total.failed += 1
        failures.append((ended, notes))
    return total


def recall(failures):
    """Repeat the first failures in short: of a log, often only the end is
    kept."""
    for name, notes in failures[:FAILURES_SHOWN]:
        print("failed: " + name)
        for note in notes[:NOTES_SHOWN]:
            print("  " + note)


def main():
    build, suites = sys.argv[1], sys.argv[2:]
    tests = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", build], check=True,
        stdout=subprocess.PIPE).stdout)
    grand, failures = Total(), []
    for test in tests:
        names = {s.split(":")[-1] for s in test["suite"]}
        if not (names & set(suites) if suites else names - SOAK):
            continue
        start = time.monotonic()
        print(f"{'/'.join(sorted(names))}: {test['name']}", flush=True)
        total = run_test(test, build, failures)
        print(f"  {total} ({time.monotonic() - start:.1f} s)", flush=True)
        grand.add(total)
    recall(failures)
    subprocess.run([os.path.join(build, "tests", "prog", "machine")],
                   check=False)
    print(grand)
    sys.exit(1 if grand.failed else 0)


if __name__ == "__main__":
    main()
