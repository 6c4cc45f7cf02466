#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that handle signals, traced in the most common way.

An ordinary user traces them, without debug files (tests/unaided.py).
Output and status are the same as untraced.  Without symbols, the code that
a signal handler returns to is found by its bytes alone."""

import contextlib
import os
import re
import subprocess
import tempfile

from live import DTRACE, run, start
from tap import missing_need

RAISES = """
#include <signal.h>
#include <stdio.h>
static volatile int n;
static void h(int s) { n += s != 0; }
int main(void)
{
	signal(SIGUSR1, h);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	printf("handled %d\\n", n);
	return 3;
}
"""
PYTHON = """
import os, signal
seen = []
signal.signal(signal.SIGUSR1, lambda *args: seen.append(args[0]))
for _ in range(5):
    os.kill(os.getpid(), signal.SIGUSR1)
print("handled", len(seen))
raise SystemExit(4)
"""
PERL = """
$SIG{USR1} = sub { $n++ };
kill "USR1", $$ for 1..5;
print "handled $n\\n";
exit 5;
"""
ENTRIES, CALLS = "pid$target:::entry", "syscall:::entry"
INSTRUCTIONS = "pid$target:a.out::"
# A program that a signal ends never calls exit_group().
STATUS = ('syscall::exit_group:entry /pid == $target/ '
          '{ printf("exit %d\\n", (int)arg0); }')


def commands(top):
    """Yield (description, command, probes...)."""
    def file(name, text):
        path = os.path.join(top, name)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return path

    source = file("raises.c", RAISES)
    # Without symbols, functions cannot be named.
    built = (("dynamic", [], [ENTRIES, CALLS, INSTRUCTIONS]),
             ("stripped", ["-s"], [ENTRIES, CALLS]),
             ("static", ["-static"], [ENTRIES, CALLS, INSTRUCTIONS]),
             ("static, stripped", ["-static", "-s"], [CALLS]),
             ("static PIE, stripped", ["-static-pie", "-s"], [CALLS]))
    for i, (name, flags, probes) in enumerate(built):
        path = os.path.join(top, f"raises{i}")
        subprocess.run(["gcc", "-O2", *flags, "-o", path, source], check=True)
        yield name, path, *probes
    # -c splits its words without a shell.
    child = file("child.sh", "sleep 0.1 & wait; echo waited $?; exit 6\n")
    yield "bash and a child", f"bash {child}", ENTRIES, CALLS
    yield "sh and a child", f"sh {child}", ENTRIES, CALLS
    yield "timeout", "timeout 0.2 sleep 1", ENTRIES, CALLS
    yield ("python3", f"/usr/bin/python3 {file('signals.py', PYTHON)}",
           ENTRIES, CALLS)
    yield "perl", f"perl {file('signals.pl', PERL)}", ENTRIES, CALLS
    trap = file("trap.sh", "n=0; trap 'n=$((n + 1))' USR1\n"
                "for i in 1 2 3; do kill -USR1 $$; done\n"
                "sleep 0.1 & wait; echo handled $n; exit 7\n")
    yield "bash with a handler", f"bash {trap}", ENTRIES, CALLS
    yield "busybox", f"busybox sh {trap}", CALLS


def hold(tap, top, name, command, probes):
    """The traced command behaves as untraced."""
    plain = run(command.split(), cwd=top)
    report = os.path.join(top, "report")
    for probe in probes:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(report)
        ran = run([DTRACE, "-q", "-o", report, "-x", "substrate=process",
                   "-n", f"{probe} {{ @fired = count(); }} {STATUS} "
                   'END { printa("fired %@d\\n", @fired); }',
                   "-c", command], cwd=top)
        with open(report, encoding="utf-8") as f:
            told = f.read()
        good = ran.status == 0 and ran.out == plain.out and \
            re.fullmatch(rf"\s*exit {plain.status}\s+fired [1-9]\d*\s*", told)
        tap.ok(good, f"{name}, {probe}: same output and status", ran,
               f"it told: {told}", f"untraced: {plain}")


def main():
    tap = start("cmd:gcc")
    debug = "/usr/lib/debug"
    tap.ok(os.geteuid() != 0 and
           not (os.path.isdir(debug) and os.listdir(debug)),
           "an ordinary user traces, without debug files")
    with tempfile.TemporaryDirectory(prefix="dt-unaided.") as top:
        for name, command, *probes in commands(top):
            why = missing_need("cmd:" + command.split()[0])
            if why and "/" not in command.split()[0]:
                tap.skip(name, why)
            else:
                hold(tap, top, name, command, probes)
    tap.done()


main()
