#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whatever call fails, dtrace reports it, and leaves nothing behind.

    test_faults.py DTRACE LIBRARY [--all] [SCENARIO[:KIND]...]

Each scenario is a command.  The library (fail.c) counts its calls of one kind
(faults.py, KINDS) and makes the n-th fail, alone or with all later ones, with
an errno that the kernel would give; this for each n, until no call is left.
Then either

* the run is as without a failure: output, status, and at most one more
  message, or
* dtrace ends by itself with another status, and a message has the errno's text
  (for a failed allocation, "out of memory").

In both cases the traced process behaves as untraced, its code is unchanged,
and no process, file, program, map or link is left.

Without --all, a sample of n is tried, and a message may have any words.
"""

import collections
import concurrent.futures
import errno
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from tap import Tap, default_signals, first_missing
import faults

NOBODY = 65534
WORKERS = 2
SAMPLE = 2      # calls of a kind, for each scenario
MANY = 300      # with more calls, only some per backtrace are tried
SHOWN = 5       # failures shown for a claim
ERRORS = {"alloc": errno.ENOMEM, "open": errno.EMFILE, "fd": errno.EMFILE,
          "mmap": errno.ENOMEM, "bpf": errno.ENOMEM, "perf": errno.EMFILE,
          "ptrace": errno.EPERM, "gone": errno.ESRCH, "memory": errno.EIO,
          "fork": errno.EAGAIN, "space": errno.ENOSPC, "read": errno.EIO}
# Kinds of calls that dtrace makes for its own files and memory.
HOST = ("alloc", "open", "fd", "read", "fork", "space")
KERNEL = HOST + ("mmap", "bpf", "perf", "ptrace")
PROCESS = HOST + ("mmap", "ptrace", "memory")

TYPES = """
#define N 3
inline int twice = N * 2;
enum { RED, GREEN };
struct pair { int a; string b; };
self int seen;
syscall::write:entry
/execname == "nothing" && curthread->pid > 0/
{
    self->seen = twice;
    this->x = curpsinfo->pr_psargs;
    @a[pid, execname] = lquantize(arg2, 0, 100, 10);
    @b[ustack(3)] = avg(arg2);
}
sched:::on-cpu /self->seen/ { stack(5); self->seen = GREEN; }
"""
BEGIN = """
BEGIN
{
    x["a", 1] = 2;
    printf("%d %s\\n", x["a", 1], strjoin("b", "c"));
    @[1] = count();
    @q = quantize(3);
    @m["key"] = max(4);
    printa("%s %@d\\n", @m);
    clear(@q);
    exit(3);
}
END { printf("end\\n"); }
"""
CALLS = """
syscall::getpriority:entry
/pid == $target/ { @[probefunc] = count(); }
syscall::access:entry
/pid == $target/
{
    self->s = speculation();
    speculate(self->s);
    printf("%s\\n", copyinstr(arg0));
}
syscall::access:return
/self->s/ { commit(self->s); self->s = 0; }
syscall::access:entry
/pid == $target/ { @k[stack(1)] = count(); }
profile-997, io:::start { @n = count(); }
END { trunc(@n); }
"""
ENTRIES = """
pid$target:a.out:padded:entry { @[probename] = count(); came = 1; }
pid$target:a.out:padded:return { @[probename] = count(); went = 1; }
tick-100ms /came && went/ { exit(0); }
tick-10s { exit(0); }
"""
COMMAND = """
pid$target:a.out:main:entry { self->t = 1; }
syscall::getpriority:entry /self->t/ { @[probefunc] = count(); }
syscall::access:entry
{
    self->s = speculation();
    speculate(self->s);
    printf("%s\\n", copyinstr(arg0));
}
syscall::access:return { commit(self->s); }
"""
FAULTY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faulty.d")


class Scenario:
    def __init__(self, name, args, kinds, user=None, target=None, shape=None,
                 status=0):
        self.name, self.args, self.kinds = name, args, kinds
        self.user, self.target, self.status = user, target, status
        self.shape = shape or (lambda text: text)

    def runner(self, library):
        return faults.Runner(library, self.user, self.target, self.shape)


def without_numbers(text):
    """The rows in order, without numbers: how often probes fire is unknown."""
    return sorted(re.sub(r"\s*\d+", " N", text).splitlines())


def scenarios(progs):
    known = os.path.join(progs, "known")
    entered = os.path.join(progs, "entered")
    process = ["-x", "substrate=process"]
    return [
        Scenario("compiling", ["-C", "-e", "-n", TYPES], KERNEL),
        Scenario("listing", ["-lvn", "syscall::getp*:entry,sched:::on-cpu"],
                 HOST),
        Scenario("a header", ["-h", "-s", FAULTY, "-o", "/dev/stdout"], HOST),
        Scenario("BEGIN", ["-qn", BEGIN], KERNEL, status=3),
        Scenario("events in JSON", ["-x", "oformat=json", "-qn", BEGIN],
                 KERNEL, shape=lambda t: re.sub(
                     r'"(time|cpu)":\d+', "", t), status=3),
        Scenario("system calls", ["-qn", CALLS, "-c", known + " seq:3 str"],
                 KERNEL + ("memory",)),
        Scenario("uprobes", ["-qn", ENTRIES], KERNEL, target=entered,
                 shape=without_numbers),
        Scenario("a process", [*process, "-qn", ENTRIES], PROCESS,
                 user=NOBODY, target=entered, shape=without_numbers),
        Scenario("a command in its process",
                 [*process, "-qn", COMMAND, "-c",
                  known + " seq:3 str buffer exit:3"], PROCESS, user=NOBODY),
    ]


def choose(calls, is_all, rng):
    """Choose the numbers of the calls that fail.

    Of many calls with one backtrace: the first, a middle and the last one."""
    if is_all and len(calls) <= MANY:
        return range(1, len(calls) + 1)
    ways = collections.defaultdict(list)
    for n, call in enumerate(calls, 1):
        ways[call.name, call.way].append(n)
    chosen = {n for way in ways.values()
              for n in (way[0], way[len(way) // 2], way[-1])}
    if not is_all:
        chosen = rng.sample(sorted(chosen), min(SAMPLE, len(chosen)))
    return sorted(chosen)


class Check:
    """A scenario in which calls of one kind fail."""

    def __init__(self, scenario, kind, dtrace, library):
        self.scenario, self.kind = scenario, kind
        self.command = [dtrace, *scenario.args]
        self.runners = [scenario.runner(library) for _ in range(WORKERS)]
        self.failed, self.error = 0, 0

    def run_some(self, runner, jobs):
        notes = []
        while True:
            try:
                n, onward = jobs.popleft()
            except IndexError:
                return notes
            result = runner.run(self.command, kinds=faults.KINDS[self.kind],
                                fail=n, onward=onward)
            if result.failed == 0:  # there was no such call in this run
                continue
            self.failed += 1
            wrong = faults.complaints(result, self.clean, self.error)
            if wrong:
                which = f"call {n}{' and more' if onward else ''}"
                notes += [f"{which}: {'; '.join(wrong)}",
                          *map(str, result.calls[:1]), str(result)]

    def ways(self, n, is_all):
        """Shall the n-th call fail alone, or with all later ones?

        A process that can no longer be entered cannot be restored: the
        guardian tries for ever.  Without bpf(2) no tick runs, so no trace
        would end."""
        if self.kind == "bpf" and self.scenario.target:
            return (False,)
        if "memory" in self.scenario.kinds and self.scenario.user == NOBODY:
            return (False,)
        return (False, True) if is_all else (n % 2 == 0,)

    def run(self, tap, is_all, rng):
        kinds = faults.KINDS[self.kind]
        self.error = ERRORS[self.kind] if is_all else 0
        self.clean = self.runners[0].run(self.command, kinds=kinds, keep=True)
        chosen = choose(self.clean.calls, is_all, rng)
        jobs = collections.deque((n, onward) for n in chosen
                                 for onward in self.ways(n, is_all))
        name = f"{self.scenario.name}: {len(jobs)} failures of " \
            f"{self.clean.counted} calls ({self.kind})"
        if self.clean.target or self.clean.left or \
                self.clean.status != self.scenario.status:
            tap.ok(False, name, "without a failure:", self.clean.target,
                   self.clean.left, self.clean)
            return
        if not jobs:
            return
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            notes = sum(pool.map(lambda r: self.run_some(r, jobs),
                                 self.runners), [])
        tap.ok(not notes and self.failed, name, *notes[:3 * SHOWN])


def check_library(tap, dtrace, library):
    """Show that the test detects faults: a run with a fault is found wrong."""
    runner = faults.Runner(library)
    clean = runner.run([dtrace, "-qn", BEGIN],
                       kinds=faults.KINDS["alloc"], keep=True)
    tap.ok(clean.status == 3 and clean.counted > 100 and
           len(clean.calls) == clean.counted, "calls are counted", clean)

    def complaint(script, wanted, error=errno.ENOENT):
        result = runner.run(["/bin/sh", "-c", script], kinds=0)
        found = faults.complaints(result, clean, error)
        tap.ok(any(wanted in text for text in found),
               f"seen: {wanted}", found, result)

    told = "echo 'dtrace: cannot open it: No such file or directory' >&2; "
    complaint(told + "sleep 60 & exit 1", "it leaves behind: process")
    complaint(told + "touch left; exit 1", "it leaves behind: file")
    complaint(told + "kill -SEGV $$", "SIGSEGV ends it")
    complaint("echo 'dtrace: out of memory' >&2; kill -ABRT $$",
              "SIGABRT ends it", errno.ENOMEM)
    complaint("echo 'dtrace: cannot open it' >&2; exit 1", "no message")
    complaint("echo 'dtrace: failed: Success' >&2; exit 1", "no message")
    complaint("exit 1", "no message")
    complaint("echo other; exit 3", "another output")


def main():
    args = [a for a in sys.argv[3:] if a != "--all"]
    is_all = "--all" in sys.argv
    dtrace, library = map(os.path.abspath, sys.argv[1:3])
    default_signals()
    tap = Tap()
    why = first_missing(["root", "bpf", "prog:known", "prog:entered"])
    with open(dtrace, "rb") as f:
        if b"__asan_init" in f.read():
            why = "a sanitizer's own library has to be loaded first"
    if why:
        tap.skip("faults", why)
        tap.done()
    rng = random.Random(1)
    check_library(tap, dtrace, library)
    for scenario in scenarios(os.environ["PROGS"]):
        for kind in scenario.kinds:
            names = scenario.name, f"{scenario.name}:{kind}"
            if not args or any(name in args for name in names):
                Check(scenario, kind, dtrace, library).run(tap, is_all, rng)
    tap.done()


main()
