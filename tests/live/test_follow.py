#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Option follow, where processes end before their time: dtrace, a child; and
what may not be followed."""

import os
import shutil
import signal
import subprocess
import tempfile
import time

from live import DTRACE, await_that, is_clean, prog, run, start, started

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
WORK = 'pid$target:a.out:family_work:entry { @ = count(); }'
SUBSTRATES = "kernel", "process"
FAMILY = "/family"  # what is_clean() compares


def children_of(pid):
    """The numbers of all descendants that run the program."""
    found = []
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        for child in map(int, f.read().split()):
            found += [child, *children_of(child)]
    return found


class Family:
    """A family that dtrace traces with -p.  Each of its leaves waits for a
    byte."""

    def __init__(self, substrate, words):
        self.proc = subprocess.Popen([prog("family"), *words],
                                     stdin=subprocess.PIPE)
        self.tracer = subprocess.Popen(
            [DTRACE, "-x", f"substrate={substrate}", "-x", "follow", "-qn",
             WORK + ' BEGIN { printf("ready\\n"); }',
             "-p", str(self.proc.pid)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first = self.tracer.stdout.readline()

    def pids(self):
        return children_of(self.proc.pid)

    def go(self, n):
        self.proc.stdin.write(b"x" * n)
        self.proc.stdin.flush()


def check_killed(tap, substrate):
    """dtrace is killed while a child, a grandchild and what a child has
    executed run."""
    family = Family(substrate, ["await", "fork", "2", "spawn", "await", "3",
                                "end", "end", "2"])
    family.go(1)
    await_that(lambda: len(family.pids()) == 4)
    time.sleep(0.3)  # what they execute is planted
    pids = [family.proc.pid, *family.pids()]
    traced = [pid for pid in pids if not is_clean(pid, FAMILY)]
    family.tracer.kill()
    family.tracer.communicate()
    tap.ok(traced == pids, f"{substrate}: the family has probes", pids, traced)
    tap.ok(await_that(lambda: all(is_clean(pid, FAMILY) for pid in pids)),
           f"{substrate}: dtrace is killed, and none has any", pids)
    family.go(2)
    tap.ok(family.proc.wait() == 0, f"{substrate}: all go on to their end")


def check_child_killed(tap, substrate):
    """A child is killed before its calls, another in the middle of a burst."""
    family = Family(substrate, ["fork", "3", "await", "10", "end", "5"])
    await_that(lambda: len(family.pids()) == 3)
    os.kill(family.pids()[1], signal.SIGKILL)
    await_that(lambda: len(family.pids()) == 2)
    family.go(2)
    out, err = family.tracer.communicate()
    tap.ok(family.proc.wait() == 0 and out.split() == ["25"] and err == "",
           f"{substrate}: a child is killed, the calls of the others count",
           out, err)


def check_storm(tap, substrate):
    """Children end by signals all the time; each made its calls before."""
    ran = run([DTRACE, "-x", f"substrate={substrate}", "-x", "follow", "-qn",
               WORK, "-c", f"{prog('family')} fork 50 4 fork 1 1 kill 9 end "
               "kill 15 end"])
    tap.ok(ran.status == 0 and ran.out.split() == ["250"] and not ran.err,
           f"{substrate}: children end by signals", ran)


def check_privileged(tap, folder):
    """A program that gains privileges runs untraced, and is named."""
    copy = shutil.copy(DTRACE, folder)
    os.chmod(folder, 0o755)
    with open(f"{folder}/script", "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\n{prog('family')} 3\nsu --version >/dev/null\n"
                f"{prog('family')} 4\n")
    os.chmod(f"{folder}/script", 0o755)
    ran = run([*NOBODY, copy, "-x", "follow", "-Zqn", WORK,
               "-c", f"{folder}/script"], cwd="/")
    tap.ok(ran.status == 0 and ran.out.split() == ["7"] and
           "su is not traced: it gains privileges" in ran.err,
           "what gains privileges is named, and the rest is traced", ran)


def check_alone(tap):
    ran = run([DTRACE, "-x", "follow", "-qn", "BEGIN { exit(0); }"])
    tap.ok(ran.status == 1 and "no process to follow" in ran.err,
           "without a process there is nothing to follow", ran)


def check_numbers(tap, substrate):
    """pidNNN of a process of -p is followed; a process that no -p names is
    not."""
    with started([prog("family"), "await", "fork", "2", "1", "end"],
                 stdin=subprocess.PIPE) as other:
        with started(
                [prog("family"), "await", "fork", "2", "10", "end"],
                stdin=subprocess.PIPE) as named:
            with started(
                    [DTRACE, "-x", f"substrate={substrate}", "-x", "follow",
                     "-qn", f'pid{named.pid}:a.out:family_work:entry, '
                     f'pid{other.pid}:a.out:family_work:entry {{ @ = count(); }}'
                     ' BEGIN { printf("ready\\n"); }', "-p", str(named.pid)],
                    stdout=subprocess.PIPE, text=True) as tracer:
                tracer.stdout.readline()
                other.communicate(b"x")
                named.communicate(b"x")
                out = tracer.communicate()[0]
    tap.ok(out.split() == ["20"],
           f"{substrate}: only the processes of -p are followed", out)


def main():
    tap = start("root cmd:setpriv prog:family cpus:2")
    for substrate in SUBSTRATES:
        check_killed(tap, substrate)
        check_child_killed(tap, substrate)
        check_storm(tap, substrate)
        check_numbers(tap, substrate)
    with tempfile.TemporaryDirectory(prefix="dt-follow.") as folder:
        check_privileged(tap, folder)
    check_alone(tap)
    tap.done()


main()
