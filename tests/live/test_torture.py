#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""All functions of programs are traced within them; the programs behave as
before.

test_torture.py DTRACE [SESSIONS]

-x substrate=process changes the code of programs that are linked in every
way, and of running programs with many threads, again and again.  They must
behave as untraced, and no change may be left behind.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

from live import DTRACE, background, prog, run, start, table

PROCESS = ["-x", "substrate=process"]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "prog")
NOBODY = 65534
CALLS = 4000
SESSIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 8

# -- ways to link ----------------------------------------------------------

WAYS = {
    "dynamic": ["cc"],
    "position-independent": ["cc", "-fPIE", "-pie"],
    "static": ["cc", "-static"],
    "static, position-independent": ["cc", "-fPIE", "-static-pie"],
    "musl": ["musl-gcc"],
    "static musl": ["musl-gcc", "-static"],
}


def check_way(tap, folder, way, compiler):
    exe = os.path.join(folder, "entered")
    lines = os.path.join(folder, "lines")
    subprocess.run([*compiler, "-O2", "-D_GNU_SOURCE", "-o", exe,
                    os.path.join(PROGRAMS, "entered.c"), "-lpthread"],
                   check=True)
    with open(lines, "w") as f:
        f.write("\n")
    with open(lines) as f:
        ran = subprocess.run(
            [DTRACE, *PROCESS, "-n", "pid$target:::entry { @[probefunc] = "
             "count(); }", "-c", f"{exe} calls 4 {CALLS // 4}"], stdin=f,
            capture_output=True, text=True, timeout=120, check=False)
    rows = table(ran.stdout)
    tap.ok(ran.returncode == 0 and rows.get("padded") == CALLS and
           f"calls {CALLS} wrong 0" in ran.stdout and len(rows) > 5,
           f"linked {way}: all functions, exact", ran.stdout, ran.stderr)


# -- running programs ------------------------------------------------------

@contextlib.contextmanager
def hammer(threads):
    proc = subprocess.Popen([prog("entered"), "hammer", str(threads)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    proc.stdout.readline()
    tell(proc)
    proc.stdout.readline()
    try:
        yield proc
    finally:
        proc.kill()
        proc.communicate()


def tell(proc):
    proc.stdin.write("\n")
    proc.stdin.flush()


def maps(pid):
    """The mappings by name; heaps are left out, as they may grow."""
    with open(f"/proc/{pid}/maps") as f:
        return [line.split(None, 5)[1:] for line in f if "/" in line]


def is_clean(pid, before):
    end = time.monotonic() + 20
    while maps(pid) != before and time.monotonic() < end:
        time.sleep(0.05)
    return maps(pid) == before


def is_well(proc):
    """Tell its threads to end; did they find every call right?"""
    tell(proc)
    return proc.stdout.readline().strip().endswith(" wrong 0")


ALL = ["-q", *PROCESS, "-n", "pid$target:::entry { @ = count(); } "
       "tick-10ms { printa(@); }"]


def killed(tap):
    with hammer(20) as proc:
        before = maps(proc.pid)
        with background(*ALL, "-p", str(proc.pid)) as tracer:
            first = [tracer.stdout.readline() for _ in range(4)]
            entered = maps(proc.pid) != before
            tracer.kill()
        clean = is_clean(proc.pid, before)
        tap.ok(entered and clean and is_well(proc),
               "dtrace is killed: the program goes on, and has its own code",
               f"entered {entered}, clean {clean}", *first)


def again_and_again(tap, n):
    """Every function of the program is enabled and disabled while its 20
    threads call them; at the end the program is unchanged, and has found no
    wrong call."""
    bad = []
    with hammer(20) as proc:
        before = maps(proc.pid)
        for _ in range(n):
            ran = run([DTRACE, "-q", *PROCESS, "-n", "pid$target:::entry { @ = "
                       "count(); } tick-20ms { exit(0); }", "-p",
                       str(proc.pid)])
            if ran.status != 0 or int(ran.out.strip() or 0) == 0:
                bad.append(ran)
        clean = is_clean(proc.pid, before)
        tap.ok(not bad and clean and is_well(proc),
               f"{n} sessions one after the other", f"clean {clean}",
               f"{len(bad)} failed", *bad[:3])


def be_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def ordinary_user(tap, folder):
    """A user needs no privilege for own processes."""
    lines = os.path.join(folder, "lines")
    with open(lines) as f:
        ran = subprocess.run(
            [DTRACE, "-q", *PROCESS, "-n", "pid$target:a.out:padded:entry "
             "{ @ = count(); }", "-c", prog("entered") +
             f" calls 4 {CALLS // 4}"], stdin=f, capture_output=True, text=True,
            timeout=120, check=False, preexec_fn=be_nobody)
    tap.ok(ran.returncode == 0 and ran.stdout.split()[-1] == str(CALLS),
           "as an ordinary user", ran.stdout, ran.stderr)


def main():
    tap = start("root")
    signal.alarm(900 if SESSIONS < 100 else 7000)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for way, compiler in WAYS.items():
            check_way(tap, folder, way, compiler)
        killed(tap)
        again_and_again(tap, SESSIONS)
        ordinary_user(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
