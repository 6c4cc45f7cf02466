#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whatever call fails, dtrace reports it, and leaves nothing behind.

    test_faults.py DTRACE LIBRARY [--all | --every=K] [SCENARIO[:KIND]...]

Each scenario is a command.  The library (fail.c) counts its calls of one kind
(faults.py, KINDS) and makes the n-th fail, alone or with all later ones, with
an errno that the kernel would give; this for each n, until no call is left.
Then either

* all is as without a failure: output, status, and at most a message more, or
* dtrace goes on without a part, and such a message says why, or
* dtrace ends by itself with another status, and a message has the errno's text
  (for a failed allocation, "out of memory").

In both cases the traced process behaves as untraced, its code is unchanged,
and no process, file, program, map or link is left.

With --every=K one of K numbers is tried.  Without both options a sample of n is
tried, and a message may have any words.  In a build with sanitizers nothing
leaks, either.
"""

import argparse
import collections
import concurrent.futures
import errno
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from tap import Tap, default_signals, first_missing
import faults

NOBODY = 65534
WORKERS = 2
SAMPLE = 2      # of the calls of a kind, in a scenario
FEW_KINDS = 3   # of a scenario that is few
MANY = 300      # of more, only those are tried that come by another way
SHOWN = 5       # failures of a claim
TRIES = 5       # for a run without a failure and without loss
CODE_READS = 20 # at most, until a process's code is read before it is entered
UNREADABLE = "cannot be entered: its code cannot be read: Input/output error"
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
# The process runs the first clause, the kernel the others.
BOTH = """
pid$target:a.out:main:entry { mains++; @m[probefunc] = count(); }
syscall::getpriority:entry /mains && pid == $target/ { @[probefunc] = count(); }
syscall::access:entry /pid == $target/ { printf("%s\\n", copyinstr(arg0)); }
END { printf("%d\\n", mains); }
"""
USDT = """
usdtapp$target:::request-start { @[probename, copyinstr(arg1)] = count(); }
usdtapp$target:::enabled { @[probename, "asked"] = count(); }
usdtapp$target:::swapped
{
    @sum[copyinstr((uintptr_t)args[0])] = sum(args[1]);
}
"""
# The program learns in another way that its probe is traced.
ASKED = """
other$target:::step-done
{ @sum[probefunc, copyinstr((uintptr_t)args[1])] = sum(args[0]); }
other$target:::leave { @[probefunc, probename] = count(); }
"""
MADE = """
made$target:::begin { @[probemod, probefunc] = count(); }
made$target:::all-done { @sum[copyinstr(arg0)] = sum((int)arg1); }
"""
AGGREGATIONS = """
self int n;
BEGIN
{
    @c["a"] = count();
    @c["b"] = count();
    @s["a"] = sum(30);
    @avg["a"] = avg(5);
    @dev["a"] = stddev(7);
    @low["a"] = min(3);
    @l = lquantize(12, 0, 100, 10);
    @ll = llquantize(500, 10, 0, 2, 10);
    @p["a"] = percentile(500, 50, "99.9");
    normalize(@s, 10);
    printa("%s %@d %@d %@d %@d\\n", @s, @avg, @dev, @low);
    denormalize(@s);
    trunc(@c, 1);
    a[curthread, "k"] = 5;
    self->n = a[curthread, "k"];
    setopt("aggsortrev");
    tracemem(execname, 4, self->n);
}
BEGIN { this->p = (int *)8; trace(*this->p); }
ERROR { printf("%s %d\\n", probename, arg4); exit(0); }
"""
EFFECTS = """
BEGIN
{
    system("echo %d", 42);
    freopen("%s", "made");
    printf("elsewhere\\n");
    freopen("");
    printf("%s\\n", "here");
    exit(0);
}
"""
DERIVED = """
proc:::exec-success, proc:::exit, vminfo:::as_fault, sysinfo:::syswrite
/pid == $target/ { @n = count(); }
sched:::off-cpu, io:::start { @m[probename, curlwpsinfo->pr_pri] = count(); }
vfs:::, tcp:::, lockstat:::adaptive-block { @m[probefunc, arg0] = count(); }
END { trunc(@n); trunc(@m); }
"""
STACKS = """
syscall::getpriority:entry
/pid == $target/ { @[ustack(4)] = count(); @s[usym(ucaller)] = count(); }
syscall::getpriority:return /pid == $target/ { printf("%d", 1); ustack(); }
syscall::access:entry
/pid == $target/ { print(curthread->pid != 0); printf("%A\\n", ucaller); }
"""
HELPED = """
syscall::getppid:entry /pid == $target/ { @[jstack(6, 200)] = count(); }
"""
SAMPLES = """
profile-499 { @n[ustack(2)] = count(); @k = count(); }
tick-300ms { exit(0); }
END { trunc(@n); trunc(@k); printf("end\\n"); }
"""
CHILDREN = "pid$target:a.out:fn_step:entry { @[progenyof($target)] = count(); }"
STORED = """
BEGIN { printf("begin %s\\n", strjoin("a", "b")); @[1] = count(); exit(0); }
END { printf("end\\n"); }
"""
SYMBOLS = """
BEGIN { printf("%d\\n", (uintptr_t)&`vfs_read > 0); exit(0); }
"""
NAMES = """
BEGIN
{
    printf("%d\\n", sizeof (struct libusdtlib.so`usdtlib_firing));
    printf("%d\\n", (uintptr_t)&`vfs_read > 0);
    exit(0);
}
"""
FIRINGS = "syscall:::entry, syscall:::return /pid == $target/ {}"
QUESTION = """
BEGIN { began = timestamp; }
syscall:::entry { self->t = timestamp; n[probefunc, tid]++; }
syscall:::return /self->t/
{
    @[execname, probefunc] = count();
    @times = quantize(timestamp - self->t);
    @half[probefunc] = percentile(timestamp - self->t, 50);
    self->t = 0;
}
syscall::access:entry { printf("%s %d\\n", copyinstr(arg0), n["access", tid]); }
tick-1ms { ticks++; }
END { printf("%d %d\\n", ticks > 0, timestamp > began); }
"""
PICTURE = """
BEGIN
{
    printf("%d\\n", 1);
    @[stack(2)] = count();
    @c["a"] = sum(7);
    @q["b"] = quantize(3);
    exit(0);
}
"""
FOLDED = b"one;two 3\none;three 4\n"
HERE = os.path.dirname(os.path.abspath(__file__))
FAULTY = os.path.join(HERE, "faulty.d")


class Scenario:
    """A command: dtrace with these arguments, or `program` with them.  `env` is
    added to its environment.  Of one that is not a main one the sample has one
    call of a few kinds.  The rest is for faults.Runner."""

    def __init__(self, name, args, kinds, status=0, program=None, env=None,
                 is_main=False, **how):
        self.name, self.args, self.kinds, self.status = \
            name, args, kinds, status
        self.program, self.env, self.is_main, self.how = \
            program, env or {}, is_main, how

    @property
    def enters(self):
        """Does it write into a process?"""
        return "memory" in self.kinds and (
            self.how.get("user") == NOBODY or "substrate=both" in self.args)


def without_numbers(text):
    """The rows in order, without numbers and the widths that come of them: how
    often probes fire is unknown."""
    return sorted(" ".join(re.sub(r"\d+", " N", line).split())
                  for line in text.splitlines())


def without_addresses(text):
    return re.sub(r"0x[0-9a-f]+", "ADDR", text)


def without_times(text):
    """A page or table without what differs from one run to the next."""
    return re.sub(r"\d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}|\d{9,}", "TIME", text)


def author_key(dtrace):
    """A key of an author of a fleet; nothing, if this build has no fleets."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "key")
        dtraced = os.path.join(os.path.dirname(dtrace), "dtraced")
        if subprocess.run([dtraced, "--new-key", path], check=False,
                          capture_output=True).returncode != 0:
            return b""
        with open(path, "rb") as f:
            return f.read()


def form_scenarios():
    """One for each form of the output that no other scenario has.  Of binary
    forms, only the messages are compared."""
    forms = [Scenario(f"output as {form}",
                      ["-x", f"oformat={form}", "-qn", PICTURE], HOST,
                      shape=without_times)
             for form in ("folded", "csv", "flame", "prometheus", "html")]
    binary = [Scenario(f"output as {form}",
                       ["-x", f"oformat={form}", "-o", "/dev/null", "-qn",
                        PICTURE], HOST)
              for form in ("perfetto", "pprof")]
    return forms + binary + [
        Scenario("a flame graph of differences",
                 ["-x", "oformat=flame", "-x", "flamediff=run.folded", "-qn",
                  PICTURE], HOST, shape=without_times,
                 given={"run.folded": FOLDED})]


def helped():
    with open(os.path.join(HERE, "..", "prog", "helped.d"), "rb") as f:
        return f.read()


def output_of(dtrace, name, *args):
    """The contents of the file that dtrace makes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        subprocess.run([dtrace, *args], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=dict(os.environ, DTRACE_ANON_DIR=folder), cwd=folder)
        with open(path, "rb") as f:
            return f.read()


def scenarios(progs, dtrace):
    known = os.path.join(progs, "known")
    entered = os.path.join(progs, "entered")
    usdtapp = os.path.join(progs, "usdtapp")
    dofsites = os.path.join(progs, "dofsites")
    maker = os.path.join(progs, "maker")
    process = ["-x", "substrate=process"]
    anon = {"DTRACE_ANON_DIR": "."}
    api = os.path.join(progs, "..", "faults", "api")
    return [
        Scenario("compiling", ["-C", "-e", "-n", TYPES], KERNEL,
                 is_main=True),
        Scenario("listing", ["-lvn", "syscall::getp*:entry,sched:::on-cpu"],
                 HOST, is_main=True),
        Scenario("a header", ["-h", "-s", FAULTY, "-o", "/dev/stdout"], HOST,
                 is_main=True),
        Scenario("BEGIN", ["-qn", BEGIN], KERNEL, status=3, is_main=True),
        Scenario("events in JSON", ["-x", "oformat=json", "-qn", BEGIN],
                 KERNEL, shape=lambda t: re.sub(
                     r'"(time|cpu|wall)":\d+', "", t), status=3,
                 is_main=True),
        Scenario("a time line", ["-x", "oformat=chrome", "-qn", BEGIN],
                 KERNEL, shape=lambda t: re.sub(
                     r'"(ts|cpu|pid|tid|start|wall)":[0-9.]+', "", t),
                 status=3),
        Scenario("system calls", ["-qn", CALLS, "-c", known + " seq:3 str"],
                 KERNEL + ("memory",), is_main=True),
        Scenario("uprobes", ["-qn", ENTRIES], KERNEL, target=entered,
                 shape=without_numbers, is_main=True),
        Scenario("a process", [*process, "-qn", ENTRIES], PROCESS,
                 user=NOBODY, target=entered, shape=without_numbers,
                 is_main=True),
        Scenario("a command in its process",
                 [*process, "-qn", COMMAND, "-c",
                  known + " seq:3 str buffer exit:3"], PROCESS, user=NOBODY,
                 is_main=True),
        Scenario("aggregations", ["-qn", AGGREGATIONS], KERNEL),
        Scenario("a recording",
                 ["--record=/dev/null", "-qn", AGGREGATIONS], HOST),
        Scenario("a replay", ["-r", "run.dtr"], HOST,
                 given={"run.dtr": output_of(
                     dtrace, "run.dtr", "--record=run.dtr", "-qn",
                     AGGREGATIONS)}),
        Scenario("a recording of firings",
                 ["-x", "record=/dev/null", "-x", "recordustack=4", "-qn",
                  FIRINGS, "-c", known + " seq:3 str"], KERNEL),
        Scenario("a question to a recording", ["-r", "run.dtr", "-qn", QUESTION],
                 HOST, given={"run.dtr": output_of(
                     dtrace, "run.dtr", "--record=run.dtr", "-qn", FIRINGS,
                     "-c", known + " seq:3 str")}),
        Scenario("both substrates",
                 ["-x", "substrate=both", "-qn", BOTH, "-c",
                  known + " seq:3 str buffer exit:3"], KERNEL + ("memory",)),
        Scenario("a control group",
                 ["--cgroup", "/", "-qn", CALLS, "-c", known + " seq:3 str"],
                 KERNEL),
        Scenario("a container that is not there",
                 ["--container", "nosuch", "-qn", BEGIN], HOST, status=1),
        Scenario("metrics that are served",
                 ["-x", "listen=127.0.0.1:0", "-qn", BEGIN], KERNEL, status=3),
        Scenario("a fleet without a server",
                 ["--fleet", "nats://127.0.0.1:1", "--author", "key", "-qn",
                  BEGIN], HOST, status=1, given={"key": author_key(dtrace)}),
        *form_scenarios(),
        Scenario("names of the kernel and a library",
                 ["-qn", NAMES, "-c", os.path.join(progs, "linked")], KERNEL),
        Scenario("effects", ["-qwn", EFFECTS], KERNEL, makes="made",
                 given={"made": b""}),
        Scenario("derived probes", ["-qn", DERIVED, "-c", known + " str"],
                 KERNEL),
        Scenario("stacks", ["-qn", STACKS, "-c", known + " seq:2 str"],
                 KERNEL + ("memory",), shape=without_addresses),
        Scenario("a helper's frames",
                 ["-qn", HELPED, "-c", os.path.join(progs, "helped") + " 2 call"],
                 KERNEL, shape=without_addresses),
        Scenario("USDT", ["-qn", USDT, "-c", usdtapp + " 3"], KERNEL),
        Scenario("USDT in its process",
                 [*process, "-qn", USDT, "-c", usdtapp + " 3"], PROCESS,
                 user=NOBODY),
        Scenario("sites that DOF names",
                 ["-qn", ASKED, "-c", dofsites + " 2"],
                 KERNEL + ("memory",)),
        Scenario("probes made while traced",
                 ["-qZn", MADE, "-c", maker + " 3"], KERNEL),
        Scenario("probes made in its process",
                 [*process, "-qZn", MADE, "-c", maker + " 3"], PROCESS,
                 user=NOBODY),
        Scenario("children in their process",
                 [*process, "-qn", CHILDREN, "-c",
                  os.path.join(progs, "children") + " 2"], PROCESS,
                 user=NOBODY),
        Scenario("samples in its process",
                 [*process, "-qn", SAMPLES], PROCESS, user=NOBODY,
                 target=entered),
        Scenario("listing all", ["-l"], HOST, shape=without_numbers),
        Scenario("probes of a program", ["-lvn", "usdtapp$target:::", "-c",
                                         usdtapp + " 1 0 quiet"], HOST,
                 shape=without_numbers),
        Scenario("functions of a program",
                 ["-ln", "pid$target:a.out::entry,vminfo:::,"
                  "lockstat:::adaptive-block", "-c", known], HOST,
                 shape=without_numbers),
        Scenario("an object", ["-G", "-s", "helped.d"], HOST, makes="helped.o",
                 given={"helped.d": helped()}),
        Scenario("saving", ["-C", "-x", "linktype=dof", "-o", "prog.dof",
                            "-n", TYPES],
                 HOST, makes="prog.dof"),
        Scenario("a saved program", ["-s", "prog.dof"], KERNEL,
                 given={"prog.dof": output_of(
                     dtrace, "prog.dof", "-x", "linktype=dof", "-o", "prog.dof",
                     "-n", STORED)}),
        Scenario("a saved program of kernel symbols", ["-s", "prog.dof"],
                 KERNEL, given={"prog.dof": output_of(
                     dtrace, "prog.dof", "-x", "linktype=dof", "-o", "prog.dof",
                     "-qn", SYMBOLS)}),
        Scenario("storing", ["-A", "-qn", STORED], HOST, makes="anon.dof",
                 env=anon),
        Scenario("anonymous tracing", ["--anonymous"], KERNEL, env=anon,
                 makes="anon.out",
                 given={"anon.out": b"", "anon.dof": output_of(
                     dtrace, "anon.dof", "-A", "-qn", STORED)}),
        Scenario("claiming", ["-a"], HOST, env=anon,
                 given={"anon.out": b"of yesterday\n"}),
        Scenario("a program that makes probes", ["2"],
                 ("alloc", "open", "fd", "mmap", "space", "read"),
                 program=maker, speaker=r"[\w-]+: "),
        Scenario("a program that brings DOF", ["2", "far"],
                 ("alloc", "open", "fd", "mmap", "space", "read"),
                 program=os.path.join(progs, "dofmaker"), speaker=r"[\w -]+: "),
        Scenario("the API compiles", ["compile"], HOST + ("mmap", "bpf"),
                 program=api, makes="api.o"),
        Scenario("the API traces", ["trace", known, "seq:3", "str"], KERNEL,
                 program=api),
    ]


def is_spared(call):
    """libelf without memory follows a null pointer (elf_newdata()), or has no
    answer and does not say why; the dynamic linker has words of its own, and
    so has GnuTLS when libmicrohttpd brings it."""
    return call.kind == faults.KINDS["alloc"] and any(
        map(call.is_from, ("libelf.", "ld-linux-", "linux-vdso.", "libgnutls.",
                           "libtasn1.")))


def choose(calls, every, size, rng):
    """Numbers of the calls that are to fail.  Of many, the first, a middle one
    and the last of those that come by one way.  Of these, one of `every`; if
    that is 0, a sample."""
    numbered = [(n, call) for n, call in enumerate(calls, 1)
                if not is_spared(call)]
    if every and len(numbered) <= MANY:
        return [n for n, _ in numbered][::every]
    ways = collections.defaultdict(list)
    for n, call in numbered:
        ways[call.name, call.way].append(n)
    chosen = {n for way in ways.values()
              for n in (way[0], way[len(way) // 2], way[-1])}
    if not every:
        chosen = rng.sample(sorted(chosen), min(size, len(chosen)))
    return sorted(chosen)[::every or 1]


class Check:
    """A scenario in which calls of one kind fail."""

    def __init__(self, scenario, kind, dtrace, library):
        self.scenario, self.kind = scenario, kind
        self.command = [scenario.program or dtrace, *scenario.args]
        self.runners = [faults.Runner(library, **scenario.how)
                        for _ in range(WORKERS)]
        self.failed = 0

    def run_some(self, runner, jobs):
        notes = []
        while True:
            try:
                n, onward = jobs.popleft()
            except IndexError:
                return notes
            result = runner.run(self.command, self.scenario.env,
                                kinds=faults.KINDS[self.kind], fail=n,
                                onward=onward)
            # there was no such call this time, or it was another one
            if result.failed == 0 or any(map(is_spared, result.calls[:1])):
                continue
            self.failed += 1
            wrong = faults.complaints(result, self.clean, self.error)
            if wrong:
                which = f"call {n}{' and more' if onward else ''}"
                notes += [f"{which}: {'; '.join(wrong)}",
                          *map(str, result.calls[:1]), str(result)]

    def ways(self, n, every):
        """Is the n-th call to fail alone, or with all behind it?  A process
        that cannot be entered any more cannot be restored: the guardian goes
        on trying."""
        if self.scenario.enters:
            return (False,)
        return (False, True) if every else (n % 2 == 0,)

    def run(self, tap, clean, every, rng):
        """`clean` is a run without a failure."""
        bit = faults.KINDS[self.kind]
        calls = [call for call in clean.calls if call.kind == bit]
        self.error = ERRORS[self.kind] if every else 0
        self.clean = clean
        size = SAMPLE if self.scenario.is_main else 1
        jobs = collections.deque((n, onward)
                                 for n in choose(calls, every, size, rng)
                                 for onward in self.ways(n, every))
        if not jobs:
            return
        name = f"{self.scenario.name}: {len(jobs)} failures of " \
            f"{len(calls)} calls ({self.kind})"
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            notes = sum(pool.map(lambda r: self.run_some(r, jobs),
                                 self.runners), [])
        if self.failed:
            tap.ok(not notes, name, *notes[:3 * SHOWN])
        else:
            tap.skip(name, "this time no call came that was to fail")


def run_clean(tap, scenario, kinds, dtrace, library):
    """A run of the scenario in which calls of these kinds are kept; or None."""
    runner = faults.Runner(library, **scenario.how)
    bits = sum(faults.KINDS[kind] for kind in kinds)
    for _ in range(TRIES):  # a busy machine may be late, too
        clean = runner.run([scenario.program or dtrace, *scenario.args],
                           scenario.env, kinds=bits, keep=True)
        if not faults.PARTIAL.search(clean.err):
            break
    is_good = not clean.target and not clean.left and \
        clean.status == scenario.status and clean.counted <= faults.CALLS
    if not is_good:
        tap.ok(False, f"{scenario.name}: without a failure", clean.target,
               clean.left, clean.counted, clean)
    return clean if is_good else None


def check(tap, scenario, kinds, dtrace, library, every, rng):
    """There are far more allocations than other calls: they are kept apart."""
    for part in (["alloc"], [kind for kind in kinds if kind != "alloc"]):
        part = [kind for kind in part if kind in kinds]
        clean = part and run_clean(tap, scenario, part, dtrace, library)
        for kind in part if clean else []:
            Check(scenario, kind, dtrace, library).run(tap, clean, every, rng)


def check_library(tap, dtrace, library):
    """The net holds: what is wrong is seen to be."""
    faults.LEFT_SECONDS, patience = 1, faults.LEFT_SECONDS
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
    complaint(told.replace("it:", "it: ERROR: LeakSanitizer:") + "exit 1",
              "it leaks")
    complaint("echo other; exit 3", "another output")
    faults.LEFT_SECONDS = patience


def check_unreadable(tap, process, dtrace, library):
    """The code of a process cannot be read from some call on: dtrace does not
    enter the process, and says why."""
    runner = faults.Runner(library, **process.how)
    said = []
    for n in range(1, CODE_READS + 1):
        result = runner.run([dtrace, *process.args], process.env,
                            kinds=faults.KINDS["memory"], fail=n, onward=True,
                            error=errno.EIO)
        said.append(str(result))
        if UNREADABLE in result.err:
            break
    tap.ok(UNREADABLE in result.err and result.status == 1 and
           not result.target and not result.left,
           "a process whose code cannot be read", result.target, result.left,
           *said)


def arguments():
    """`every` is 0 without --all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("dtrace", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--all", action="store_const", const=1, default=0,
                        dest="every")
    parser.add_argument("--every", type=int, metavar="K")
    parser.add_argument("scenarios", nargs="*")
    return parser.parse_intermixed_args()


def main():
    args = arguments()
    default_signals()
    tap = Tap()
    why = first_missing(["root", "bpf", "prog:known", "prog:entered"])
    if why:
        tap.skip("faults", why)
        tap.done()
    rng = random.Random(1)
    check_library(tap, args.dtrace, args.library)
    known = scenarios(os.environ["PROGS"], args.dtrace)
    check_unreadable(tap, next(s for s in known if s.name == "a process"),
                     args.dtrace, args.library)
    for scenario in known:
        kinds = [kind for kind in scenario.kinds
                 if not args.scenarios or scenario.name in args.scenarios or
                 f"{scenario.name}:{kind}" in args.scenarios]
        if not (args.scenarios or args.every or scenario.is_main):
            kinds = rng.sample(kinds, min(FEW_KINDS, len(kinds)))
        check(tap, scenario, kinds, args.dtrace, args.library, args.every, rng)
    tap.done()


main()
