#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare dtrace with hand-written BPF programs and with the goals.

    bench.py BUILD [--only PART,...] [--rounds N] [--dtrace PATH]

BUILD is the Meson build directory.  Every comparison is paired, within one
run: untraced, hand-written, untraced, dtrace, and so on.  A machine that slows
down then slows both sides.  The program only prints; no time makes it fail.
bench/README.md says what each line means.
"""
import argparse
import collections
import contextlib
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

READY = b"ready\n"
READY_D = 'BEGIN { printf("ready\\n"); } '
START_TIMEOUT_S = 60
LOOP_CALLS = 1000000
# A run right after another tracer has ended is often 5 % to 25 % slower.
REST_S = 0.2
NKEYS = 1000000
STREAM_S = 2

# A firing: the event compared, the side that runs each program, the call made.
# `known_ns` is the cost that the hand-written program added when the goals
# were set.
Firing = collections.namedtuple("Firing", "name hand program call known_ns")
FIRINGS = [
    Firing("count", "count",
           "syscall::getppid:entry { @ = count(); }", "getppid", 75),
    Firing("by name", "byname",
           "syscall::getppid:entry { @[execname] = count(); }",
           "getppid", 142),
    Firing("latency", "latency",
           "syscall::getppid:entry { self->ts = timestamp; } "
           "syscall::getppid:return /self->ts/ "
           "{ @ = quantize(timestamp - self->ts); self->ts = 0; }",
           "getppid", 221),
    Firing("no match", "count",
           "syscall::getppid:entry { @ = count(); }", "getuid", None),
]
ASKED_RATIO = 1.25

ALL_CALLS_D = READY_D + "syscall:::entry { @[probefunc] = count(); }"
KEYS_D = ('syscall::lseek:entry /execname == "dtbench"/ '
          "{ @[arg1] = count(); }")
STREAM_D = 'syscall::getppid:entry { printf("%d %s\\n", pid, execname); }'


class Failure(Exception):
    """A tracer that did not start or end well; the text says how."""


def first_line(text):
    lines = text.strip().splitlines()
    return lines[0] if lines else "no message"


class Tracer:
    """A tracer that runs from `with` until stop(), its output in a file."""

    def __init__(self, argv):
        self.argv = argv
        self.out = tempfile.TemporaryFile(prefix="dtbench.")
        self.err = tempfile.TemporaryFile(prefix="dtbench.")
        self.proc = None
        self.usage = None

    def __enter__(self):
        self.proc = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL,
                                     stdout=self.out, stderr=self.err)
        try:
            self.wait_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        if self.usage is None:
            self.proc.kill()
            self.proc.wait()
        self.out.close()
        self.err.close()

    def wait_ready(self):
        deadline = time.monotonic() + START_TIMEOUT_S
        # pread: the tracer writes through the same file offset as ours.
        while not os.pread(self.out.fileno(), 4096, 0).startswith(READY):
            if self.proc.poll() is not None:
                self.usage = ()
                raise Failure(first_line(self.errors()))
            if time.monotonic() > deadline:
                raise Failure("not ready after %d s" % START_TIMEOUT_S)
            time.sleep(0.001)

    def stop(self):
        """Interrupt the tracer and wait for its end; returns the seconds
        taken."""
        start = time.monotonic()
        self.proc.send_signal(signal.SIGINT)
        _, status, self.usage = os.wait4(self.proc.pid, 0)
        took = time.monotonic() - start
        self.proc.returncode = os.waitstatus_to_exitcode(status)
        if self.proc.returncode != 0:
            raise Failure(first_line(self.errors()))
        return took

    def output(self):
        size = os.fstat(self.out.fileno()).st_size
        with open(self.out.fileno(), "rb", closefd=False) as f:
            f.seek(len(READY))
            return f.read(size)

    def errors(self):
        size = os.fstat(self.err.fileno()).st_size
        return os.pread(self.err.fileno(), size, 0).decode(errors="replace")

    def drops(self):
        """The sum of all "N drops" and "N aggregation drops on CPU 0"."""
        found = re.findall(r"(\d+) (?:[\w-]+ )*?drops?\b", self.errors())
        return sum(map(int, found))

    def sleeps(self):
        """The number of times that the tracer's threads have slept so far."""
        total = 0
        for tid in os.listdir("/proc/%d/task" % self.proc.pid):
            path = "/proc/%d/task/%s/status" % (self.proc.pid, tid)
            with open(path) as f:
                total += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)",
                                       f.read(), re.M).group(1))
        return total

    def nprograms(self):
        """How many BPF programs the tracer's descriptors (and links) refer
        to."""
        folder = "/proc/%d/fdinfo" % self.proc.pid
        ids = set()
        for fd in os.listdir(folder):
            with open(os.path.join(folder, fd)) as f:
                ids.update(re.findall(r"^prog_id:\s*(\d+)", f.read(), re.M))
        return len(ids)


class Tools:
    """The places of the programs, and the command of each."""

    def __init__(self, build, dtrace):
        self.bench = os.path.join(build, "bench")
        self.dtrace_path = dtrace or os.path.join(build, "dtrace")
        self.has_dtrace = os.access(self.dtrace_path, os.X_OK)

    def path(self, name):
        return os.path.join(self.bench, name)

    def hand(self, mode):
        return [self.path("handwritten"), mode, self.path(mode + ".bpf.o")]

    def dtrace(self, program, *options):
        return [self.dtrace_path, "-q", *options, "-n", READY_D + program]

    def workload(self, *args):
        """Start the workload; workload_result() waits for it."""
        return subprocess.Popen([self.path("workload"), *map(str, args)],
                                stdout=subprocess.PIPE, text=True)

    def tracers(self, mode, program, *options):
        """The two sides of a comparison, as (name, argv)."""
        sides = [("hand-written", self.hand(mode))]
        if self.has_dtrace:
            sides.append(("dtrace", self.dtrace(program, *options)))
        return sides


def workload_result(proc):
    out, _ = proc.communicate()
    if proc.returncode != 0:
        raise Failure("workload exited with %d" % proc.returncode)
    words = out.split()
    return dict(zip(words[::2], map(float, words[1::2])))


def pin_away_from(cpu):
    """Keep this process and its tracers off the workload's CPU."""
    others = os.sched_getaffinity(0) - {cpu}
    if others:
        os.sched_setaffinity(0, others)


def heading(text):
    print("\n" + text)
    print("-" * len(text))


# ---- cost of a firing -------------------------------------------------------

def counted(firing, output):
    """The number of firings that the tracer printed."""
    lines = [line.split() for line in output.decode().splitlines()]
    lines = [words for words in lines if words and words[-1].isdigit()]
    if firing.hand == "byname":
        lines = [words for words in lines if words[0] == "dtbench"]
    return sum(int(words[-1]) for words in lines)


def loop_ns(tools, cpu, firing):
    time.sleep(REST_S)
    done = workload_result(tools.workload("loop", cpu, firing.call,
                                          LOOP_CALLS))
    return done["quartile_ns"], int(done["calls"])


def traced_ns(tools, cpu, firing, argv):
    """The cost of a call under this tracer, and how many calls it lost."""
    with Tracer(argv) as tracer:
        ns, calls = loop_ns(tools, cpu, firing)
        tracer.stop()
        if firing.call != "getppid":
            return ns, 0
        return ns, max(0, calls - counted(firing, tracer.output()))


def measure_firing(tools, cpu, firing, rounds):
    """{side: [traced ns]}, {side: calls lost}, [untraced ns]."""
    traced = collections.defaultdict(list)
    lost = collections.Counter()
    untraced = []
    for _ in range(rounds):
        for side, argv in tools.tracers(firing.hand, firing.program):
            before, _ = loop_ns(tools, cpu, firing)
            ns, missing = traced_ns(tools, cpu, firing, argv)
            untraced.append(before)
            traced[side].append(ns)
            lost[side] += missing
    return traced, lost, untraced


def show_firing(firing, traced, lost, untraced):
    # Take medians first, then the difference: a disturbed untraced run would
    # otherwise make the tracer next to it look cheap.
    base = statistics.median(untraced)
    hand = statistics.median(traced["hand-written"]) - base
    known = "%d" % firing.known_ns if firing.known_ns else "-"
    off = ("%+.0f %%" % (100 * (hand / firing.known_ns - 1))
           if firing.known_ns else "-")
    ours, ratio = "-", "-"
    if traced["dtrace"]:
        ns = statistics.median(traced["dtrace"]) - base
        ours, ratio = "%.1f" % ns, "%.2f" % (ns / hand)
    spread = 100 * (max(untraced) / min(untraced) - 1)
    print("%-9s %9.1f %5.0f %% %9.1f %7s %7s %9s %6s %6.2f %6d" % (
        firing.name, base, spread, hand, known, off, ours, ratio,
        ASKED_RATIO, sum(lost.values())), flush=True)


def part_firing(tools, options):
    cpus = os.sched_getaffinity(0)
    cpu = min(cpus)
    heading("Added to a system call, ns (median of %d rounds)"
            % options.rounds)
    print("%-9s %9s %7s %9s %7s %7s %9s %6s %6s %6s" % (
        "", "untraced", "spread", "by hand", "known", "off by", "dtrace",
        "ratio", "asked", "lost"))
    pin_away_from(cpu)
    try:
        for firing in FIRINGS:
            try:
                show_firing(firing, *measure_firing(tools, cpu, firing,
                                                    options.rounds))
            except Failure as why:
                print("%-9s failed: %s" % (firing.name, why))
    finally:
        os.sched_setaffinity(0, cpus)


# ---- context switches -------------------------------------------------------

OFFCPU = ("sched:::off-cpu { self->t = timestamp; } sched:::on-cpu /self->t/ "
          "{ @[execname] = sum(timestamp - self->t); self->t = 0; }")


def programs_ns(pid):
    """The time of a process's BPF programs, by the most frequent one."""
    costs = []
    for fd in os.listdir("/proc/%d/fdinfo" % pid):
        with open("/proc/%d/fdinfo/%s" % (pid, fd)) as f:
            info = dict(re.findall(r"^(run_\w+):\s*(\d+)$", f.read(), re.M))
        if info:
            costs.append((int(info["run_time_ns"]), int(info["run_cnt"])))
    times, runs = zip(*costs)
    return sum(times) / max(runs)


def switch_ns(tools, cpu, argv):
    with Tracer(argv) as tracer:
        time.sleep(REST_S)
        workload_result(tools.workload("hand", cpu, LOOP_CALLS // 10))
        ns = programs_ns(tracer.proc.pid)
        tracer.stop()
    return ns


@contextlib.contextmanager
def kernel_setting(path, value):
    with open(path, "r+") as f:
        before = f.read()
        f.seek(0)
        f.write(value)
    try:
        yield
    finally:
        with open(path, "w") as f:
            f.write(before)


def part_offcpu(tools, options):
    cpus = os.sched_getaffinity(0)
    cpu = min(cpus)
    heading("Off-CPU time by program: a context switch, ns by the kernel's "
            "account (median of %d rounds)" % options.rounds)
    pin_away_from(cpu)
    sides = tools.tracers("offcpu", OFFCPU)
    try:
        with kernel_setting("/proc/sys/kernel/bpf_stats_enabled", "1"):
            rounds = [[switch_ns(tools, cpu, argv) for _, argv in sides]
                      for _ in range(options.rounds)]
    finally:
        os.sched_setaffinity(0, cpus)
    medians = [statistics.median(column) for column in zip(*rounds)]
    for (side, _), ns in zip(sides, medians):
        print("%-14s %9.1f  (ratio %.2f, asked %.2f)" % (
            side, ns, ns / medians[0], ASKED_RATIO), flush=True)


# ---- user stacks ------------------------------------------------------------

STACK_DEPTH = 20    # batch_ns(), syscall(), main(), libc's start add more
STACKS = ["@ = count();", "@[ustack(1)] = count();",
          "@[ustack(20)] = count();", "@[stack(20)] = count();"]


def deep_ns(tools, cpu):
    time.sleep(REST_S)
    return workload_result(tools.workload("deep", cpu, STACK_DEPTH,
                                          LOOP_CALLS // 10))["quartile_ns"]


def stack_ns(tools, cpu, body):
    argv = tools.dtrace('syscall::getppid:entry /execname == "dtbench"/ { '
                        + body + " }")
    with Tracer(argv) as tracer:
        ns = deep_ns(tools, cpu)
        tracer.stop()
    return ns


def part_stacks(tools, options):
    cpus = os.sched_getaffinity(0)
    cpu = min(cpus)
    heading("Added by a stack as a key, ns (median of %d rounds)"
            % options.rounds)
    pin_away_from(cpu)
    try:
        for body in STACKS:
            rounds = [(deep_ns(tools, cpu), stack_ns(tools, cpu, body))
                      for _ in range(options.rounds)]
            base, ns = map(statistics.median, zip(*rounds))
            print("%-26s %9.1f" % (body, ns - base), flush=True)
    finally:
        os.sched_setaffinity(0, cpus)


# ---- start and end ----------------------------------------------------------

def start_to_ready(argv):
    """Seconds from exec to the "ready" line, and from SIGINT to the end."""
    reader, writer = os.pipe()
    start = time.monotonic()
    proc = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=writer,
                            stderr=subprocess.DEVNULL)
    os.close(writer)
    with open(reader, "rb", buffering=0) as out:
        line = out.read(len(READY))
        ready = time.monotonic() - start
        stop = time.monotonic()
        proc.send_signal(signal.SIGINT)
        while out.read(1 << 16):
            pass
    proc.wait()
    if line != READY or proc.returncode != 0:
        raise Failure("%s did not start" % os.path.basename(argv[0]))
    return ready, time.monotonic() - stop


def show_start(name, argv, asked, runs=10):
    times = [start_to_ready(argv) for _ in range(runs)]
    print("%-34s tracing after %7.1f ms, ends in %6.1f ms   %s" % (
        name, 1e3 * statistics.median(t[0] for t in times),
        1e3 * statistics.median(t[1] for t in times), asked))


def show_begin(tools, runs=50):
    argv = [tools.path("spawn"), str(runs), tools.dtrace_path, "-qn",
            "BEGIN { exit(0); }"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    if done.returncode != 0 or any(row[2] != "0" for row in rows):
        raise Failure("BEGIN { exit(0); } did not exit with 0")
    print("%-34s %.1f ms, %.1f MB resident   (asked: 6 ms, 8 MB)" % (
        "BEGIN { exit(0); }",
        statistics.median(float(row[0]) for row in rows) / 1e3,
        max(int(row[1]) for row in rows) / 1024))


def show_programs(tools):
    argv = [tools.dtrace_path, "-qn", ALL_CALLS_D]
    with Tracer(argv) as tracer:
        n = tracer.nprograms()
        tracer.stop()
    print("%-34s %d BPF programs   (asked: 3)" % ("every system call", n))


def part_start(tools, _options):
    heading("Start and end (medians)")
    show_start("one call, by hand", tools.hand("count"), "")
    if not tools.has_dtrace:
        return
    show_begin(tools)
    show_start("every system call, dtrace",
               [tools.dtrace_path, "-qn", ALL_CALLS_D],
               "(asked: 30 ms, 10 ms)")
    show_programs(tools)


# ---- compiling -------------------------------------------------------------


CLAUSES_D = """\
syscall::%(call)s:entry
/pid != 0 && arg0 > %(few)d/
{
	self->ts%(few)d = timestamp;
	this->size = arg2 * 2 + %(i)d;
	@calls%(some)d[execname, probefunc] = count();
}

syscall::%(call)s:return
/self->ts%(few)d != 0/
{
	@took%(some)d[probefunc] = quantize(timestamp - self->ts%(few)d);
	self->ts%(few)d = 0;
	total%(some)d += arg0 > 0 ? arg0 : -1;
}

"""


def ordinary_clauses(nlines):
    calls = ("read", "write", "openat", "close", "mmap", "fstat", "ioctl")
    each = CLAUSES_D.count("\n")
    return "".join(CLAUSES_D % {
        "call": calls[i % len(calls)], "few": i % 50, "some": i % 100, "i": i}
        for i in range(nlines // each))


def cpu_of_children():
    times = os.times()
    return times.children_user + times.children_system


def part_compile(tools, _options, runs=5):
    heading("Compile and match (median), seconds of one CPU")
    if not tools.has_dtrace:
        return
    text = ordinary_clauses(200000)
    with tempfile.NamedTemporaryFile("w", suffix=".d") as script:
        script.write(text)
        script.flush()
        times = []
        for _ in range(runs):
            begin = cpu_of_children()
            done = subprocess.run([tools.dtrace_path, "-qe", "-s",
                                   script.name])
            times.append(cpu_of_children() - begin)
            if done.returncode != 0:
                raise Failure("the ordinary clauses do not compile")
    print("%-34s %.0f lines a second   (asked: 200000)" % (
        "ordinary clauses", text.count("\n") / statistics.median(times)))


# ---- DIF by itself ----------------------------------------------------------

def lines_of(tools, name):
    """Run a program that prints "NAME FIGURE" lines; returns them as pairs."""
    done = subprocess.run([tools.path(name)], stdout=subprocess.PIPE,
                          text=True)
    if done.returncode != 0:
        raise Failure(f"bench/{name} failed")
    return [line.split(" ", 1) for line in done.stdout.splitlines()]


def part_dif(tools, _options):
    heading("DIF: interpreter and verifier (best of 20)")
    for name, figure in lines_of(tools, "dif"):
        asked = "400 million" if name == "interpreter" else "8 ms"
        print("%-34s %s   (asked: %s)" % (name, figure, asked))


def part_jit(tools, _options):
    heading("DIF compiled to x86-64, beside gcc -O2 (medians of 15)")
    for name, figure in lines_of(tools, "jit"):
        print("%-34s %s   (asked: 2.00)" % (name, figure))


def part_sites(tools, _options):
    heading("Jumps to trampolines: added to a call, by registers kept")
    for name, figure in lines_of(tools, "sites"):
        asked = {"libc": "50 ms", "plan": "50 ms"}.get(
            name, "4.3 ns" if "flags" in name else "1 ns, bare")
        print("%-34s %s   (asked: %s)" % (name, figure, asked))


# ---- types of the kernel ----------------------------------------------------

def part_types(tools, _options, runs=20):
    heading("Types of the kernel (medians)")
    rows = []
    for _ in range(runs):
        done = subprocess.run([tools.path("types")], stdout=subprocess.PIPE,
                              text=True)
        if done.returncode != 0:
            raise Failure("struct task_struct is not in the kernel's BTF")
        rows.append([float(word) for word in done.stdout.split()])
    first, absent, slowest, median, count = (
        statistics.median(column) for column in zip(*rows))
    print("%-34s %.1f ms, of a name it lacks %.1f ms   (asked: 30 ms)" % (
        "first use of BTF", first / 1e3, absent / 1e3))
    print("%-34s %.1f us, slowest of %d %.0f us   (asked: 5 ms)" % (
        "look-up of a struct", median, count, slowest))


# ---- names of addresses ------------------------------------------------------

SYMBOL_ROWS = {
    "5,000-addresses": ("1,000,000 frames, 5,000 addresses", "800 ms"),
    "all-different": ("1,000,000 frames, all different", "800 ms"),
    "kernel": ("1,000,000 frames of the kernel", "800 ms"),
    "libc": ("symbols of libc", "3 ms"),
    "follow": ("begin to follow all processes", "-"),
}


def part_symbols(tools, _options):
    heading("Names of addresses")
    for name, figure in lines_of(tools, "symbols"):
        what, asked = SYMBOL_ROWS[name]
        print("%-34s %s   (asked: %s)" % (what, figure, asked))


# ---- DOF -------------------------------------------------------------------


def part_dof(tools, _options, runs=200):
    heading("Reading DOF of 1000 clauses (median of %d)" % runs)
    if not tools.has_dtrace:
        return
    text = ordinary_clauses(500 * CLAUSES_D.count("\n"))
    with tempfile.TemporaryDirectory() as folder:
        script, saved = folder + "/prog.d", folder + "/prog.dof"
        with open(script, "w") as f:
            f.write(text)
        done = subprocess.run([tools.dtrace_path, "-o", saved, "-x",
                               "linktype=dof", "-s", script])
        if done.returncode != 0:
            raise Failure("the clauses cannot be saved")
        out = subprocess.run([tools.path("dofread"), saved, str(runs)],
                             check=True, stdout=subprocess.PIPE).stdout
    decode, program, size = (float(word) for word in out.split())
    print("%-34s %.2f ms   (asked: 2 ms; %d KiB)" % (
        "decode and check", decode / 1e3, size / 1024))
    print("%-34s %.2f ms" % ("  and make a verified program",
                             program / 1e3))


# ---- a million keys ---------------------------------------------------------

def count_keys(output):
    """The number of distinct keys printed with a count of one."""
    rows = (line.split() for line in output.splitlines())
    return len({row[0] for row in rows if len(row) == 2 and row[1] == b"1"})


def show_keys(tools, side, argv):
    with Tracer(argv) as tracer:
        done = workload_result(tools.workload(
            "keys", min(os.sched_getaffinity(0)), NKEYS))
        took = tracer.stop()
        print("%-13s printed and ended in %5.2f s   (asked: 1.0 s)   "
              "%d of %d keys, %d drops, %.0f ns a new key" % (
                  side, took, count_keys(tracer.output()), NKEYS,
                  tracer.drops(), done["elapsed_ns"] / NKEYS), flush=True)


def part_keys(tools, options):
    heading("%d distinct keys in one aggregation" % NKEYS)
    for _ in range(min(options.rounds, 3)):
        for side, argv in tools.tracers("keys", KEYS_D, "-x", "aggsize=256m"):
            show_keys(tools, side, argv)


# ---- a line per event -------------------------------------------------------

def two_producers(tools, *args):
    """Run the workload on two CPUs at once: calls made, seconds taken."""
    cpus = sorted(os.sched_getaffinity(0))
    start = time.monotonic()
    procs = [tools.workload(args[0], cpu, *args[1:])
             for cpu in (cpus[0], cpus[-1])]
    done = [workload_result(proc) for proc in procs]
    return sum(int(d["calls"]) for d in done), time.monotonic() - start


def tally(tracer, fired, line):
    """Lines printed, the tracer's CPU seconds, and whether the sum is
    exact."""
    printed = tracer.output().count(line)
    dropped = tracer.drops()
    verdict = ("exact" if printed + dropped == fired else
               "%+d" % (printed + dropped - fired))
    return (printed, tracer.usage.ru_utime + tracer.usage.ru_stime,
            "%8d fired, %8d printed, %8d dropped: %s" % (
                fired, printed, dropped, verdict))


def show_stream(tools, side, argv, pace, args):
    with Tracer(argv) as tracer:
        slept = tracer.sleeps()
        fired, took = two_producers(tools, *args)
        slept = tracer.sleeps() - slept
        took_all = took + tracer.stop()
        printed, cpu_s, told = tally(tracer, fired, b" dtbench\n")
    print("%-13s %-7s %s; %.2f M lines/s, %.0f ns CPU a line, %.0f sleeps/s" % (
        side, pace, told, printed / took_all / 1e6,
        cpu_s * 1e9 / max(printed, 1), slept / took), flush=True)


def part_stream(tools, _options):
    heading("A line per event to a file, two producers (asked: 1.00 M lines/s"
            " paced without a drop; exact)")
    runs = [("paced", ("paced", 500000, STREAM_S)),
            ("unpaced", ("loop", "getppid", 2 * LOOP_CALLS))]
    for pace, args in runs:
        for _ in range(2):
            for side, argv in tools.tracers("stream", STREAM_D,
                                            "-x", "bufsize=16m"):
                show_stream(tools, side, argv, pace, args)


# ---- records as the command prints them -------------------------------------

RECORD_D = "syscall::getppid:entry /execname == \"dtbench\"/ { trace(arg0); }"
RECORD_RATE = 1000000
RECORD_S = 5
REPLAYED_RATE = 500000    # calls a second, two firings each


def show_records(tools, argv, cpu):
    with Tracer(argv) as tracer:
        fired = int(workload_result(tools.workload(
            "paced", cpu, RECORD_RATE, RECORD_S))["calls"])
        tracer.stop()
        printed, cpu_s, told = tally(tracer, fired, b" getppid:entry ")
    print("%s; %.0f ns CPU a record, %.2f of a CPU" % (
        told, cpu_s * 1e9 / max(printed, 1), cpu_s / RECORD_S), flush=True)


def part_records(tools, _options, rounds=3):
    heading("A record of trace(arg0), consumed and printed on one CPU (asked: "
            "%d a second without a drop)" % RECORD_RATE)
    if not tools.has_dtrace:
        return
    cpus = sorted(os.sched_getaffinity(0))
    argv = ["taskset", "-c", str(cpus[-1]), tools.dtrace_path, "-q",
            "-x", "bufsize=32m", "-n",
            READY_D + 'BEGIN { setopt("quiet", "off"); }', "-n", RECORD_D]
    for _ in range(rounds):
        show_records(tools, argv, cpus[0])


# ---- programs over recorded firings ------------------------------------------

REPLAYED = (
    ("counts by two names", "syscall::: { @[execname, probefunc] = count(); }"),
    ("the same, and a condition", "syscall::: /arg0 >= 0 && pid != 0/ "
     "{ @[execname, probefunc] = count(); }"),
    ("latencies by thread", "syscall:::entry { self->t = timestamp; } "
     "syscall:::return /self->t/ { @ = quantize(timestamp - self->t); "
     "self->t = 0; }"))


def cpu_of(argv):
    """Seconds of CPU time, and the output, of a command."""
    before = os.times()
    out = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    after = os.times()
    return (after.children_user - before.children_user +
            after.children_system - before.children_system), out


def part_replayed(tools, options):
    heading("A recorded firing, asked on one CPU (asked: 10 million a second "
            "for the first)")
    if not tools.has_dtrace:
        return
    cpus = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="dt-bench.") as folder:
        path = os.path.join(folder, "run.dtr")
        with Tracer([tools.dtrace_path, "-q", "--record=" + path, "-x",
                     "bufsize=64m", "-n", READY_D, "-n",
                     "syscall::getppid:"]) as tracer:
            workload_result(tools.workload(
                "paced", cpus[0], REPLAYED_RATE, RECORD_S))
            tracer.stop()
            tracer.proc.wait()
        ask = ["taskset", "-c", str(cpus[-1]), tools.dtrace_path, "-r", path,
               "-qn"]
        count = int(cpu_of(ask + ["syscall::: { @ = count(); }"])[1])
        for name, text in REPLAYED:
            best = min(cpu_of(ask + [text])[0] for _ in range(options.rounds))
            print("%s: %d firings, %.0f ns CPU each, %.1f million a second"
                  % (name, count, best * 1e9 / count, count / best / 1e6),
                  flush=True)


# ---- arming in a running process ---------------------------------------------

LIBC_D = "pid$target:libc.so.6::entry { @ = count(); }"
STILL_THREADS = 8


def log_times(text):
    """The times that option debug prints: ms since the start, by step."""
    return {words: float(ms) for ms, words in re.findall(
        r"debug: +([\d.]+) ms: (loading|tracing|stopping|all is printed)",
        text)}


def arm_libc(tools):
    """Arm and disarm libc.

    Returns the ms for each, the ms from dtrace's start until it traces, the ms
    stopped according to dtrace, the ms that a thread stood still, and the
    number of sites."""
    cpus = sorted(os.sched_getaffinity(0))
    target = subprocess.Popen(
        [tools.path("process"), "still", str(cpus[0]), str(STILL_THREADS)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        start_new_session=True)
    target.stdout.readline()
    ran = subprocess.run(
        [tools.dtrace_path, "-x", "debug", "-x", "substrate=process", "-n",
         "BEGIN { exit(0); }", "-n", LIBC_D, "-p", str(target.pid)],
        capture_output=True, text=True)
    still = pairs_of(target.communicate()[0])["still_ns"] / 1e6
    if ran.returncode != 0:
        raise Failure(first_line(ran.stderr))
    at = log_times(ran.stderr)
    stops = [float(ms) for ms in
             re.findall(r"stopped for ([\d.]+) ms", ran.stderr)]
    sites = re.search(r"::entry' matched (\d+) probes", ran.stderr)
    return (at["tracing"] - at["loading"], at["all is printed"] -
            at["stopping"], at["tracing"], max(stops), still, int(sites[1]))


def part_arming(tools, options):
    heading("All functions of libc in a process of %d threads, median and best "
            "of %d" % (STILL_THREADS + 2, 2 * options.rounds))
    if not tools.has_dtrace:
        return
    runs = [arm_libc(tools) for _ in range(2 * options.rounds)]
    armed, ended, whole, stopped, still, sites = zip(*runs)
    for what, ms, asked in (
            ("arm %d probes" % sites[0], armed, "100 ms"),
            ("  from the start of dtrace", whole, "-"),
            ("  stopped, as dtrace has it", stopped, "15 ms"),
            ("  a thread stands still", still, "15 ms"),
            ("disarm and end", ended, "-")):
        print("%-34s %6.1f ms, %6.1f ms   (asked: %s)" % (
            what, statistics.median(ms), min(ms), asked))


# ---- records of a process, taken and printed ---------------------------------

PACED_D = "pid$target:a.out:f_record:entry { trace(arg0); trace(arg1); }"
PACED_S = 3
PACED_BUFSIZE = "32m"   # room for 80 ms of the first row's records


def paced_command(tools, rate):
    """A process on the first CPU, and a prefix that runs its tracer on the
    last."""
    cpus = sorted(os.sched_getaffinity(0))
    return (["taskset", "-c", str(cpus[-1])],
            "%s paced %d %d %d" % (tools.path("process"), cpus[0], rate,
                                   PACED_S))


def pairs_of(text):
    words = text.split()
    return dict(zip(words[::2], map(float, words[1::2])))


def show_paced(what, made, taken, drops, cpu_s):
    verdict = "exact" if taken + drops == made["calls"] else "%+d" % (
        taken + drops - made["calls"])
    print("%-24s %5.2f M/s made, %9d taken, %8d dropped: %s; %.0f ns CPU a "
          "record" % (what, 1e3 * made["calls"] / made["elapsed_ns"], taken,
                      drops, verdict, cpu_s * 1e9 / max(taken, 1)), flush=True)


def show_taken(tools, rate, bufsize):
    """Take records by callbacks, which check that the numbers are in
    sequence."""
    pin, command = paced_command(tools, rate)
    options = "#pragma D option bufsize=%s\n" % bufsize if bufsize else ""
    out = subprocess.run(
        [*pin, tools.path("consume"), options + PACED_D, command], check=True,
        stdout=subprocess.PIPE, text=True).stdout.splitlines()
    made, taken = map(pairs_of, out)
    show_paced("callbacks, " + (bufsize or "default"), made,
               int(taken["records"]), int(taken["drops"]), taken["cpu_s"])


def show_printed(tools, rate, bufsize):
    pin, command = paced_command(tools, rate)
    options = ["-x", "bufsize=" + bufsize] if bufsize else []
    with tempfile.NamedTemporaryFile(prefix="dtbench.") as out:
        proc = subprocess.Popen(
            [*pin, tools.dtrace_path, *options, "-x", "substrate=process",
             "-o", out.name, "-n", PACED_D, "-c", command],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        made, errors = proc.stdout.read(), proc.stderr.read()
        _, status, usage = os.wait4(proc.pid, 0)
        proc.returncode = os.waitstatus_to_exitcode(status)
        if proc.returncode != 0:
            raise Failure(first_line(errors))
        printed = sum(block.count(b" f_record:entry ") for block in
                      line_blocks(out))
    drops = sum(map(int, re.findall(r"(\d+) drops? ", errors)))
    show_paced("lines, " + (bufsize or "default"), pairs_of(made), printed,
               drops, usage.ru_utime + usage.ru_stime)


def line_blocks(file, size=1 << 24):
    """Read a file in pieces that end where lines end."""
    with open(file.name, "rb") as f:
        while block := f.read(size):
            yield block + f.readline()


def part_taken(tools, options):
    heading("Records of trace(arg0); trace(arg1) in a process (asked: 10 M "
            "a second taken, 3 M printed, none dropped)")
    if not tools.has_dtrace:
        return
    for bufsize in (None, PACED_BUFSIZE):
        for _ in range(min(options.rounds, 3)):
            show_taken(tools, 10000000, bufsize)
        for _ in range(min(options.rounds, 3)):
            show_printed(tools, 3000000, bufsize)


# ---- a list of all probes ---------------------------------------------------

def part_list(tools, _options, runs=20):
    heading("dtrace -l of every probe of the machine (median of %d)" % runs)
    if not tools.has_dtrace:
        return
    times = []
    for _ in range(runs):
        start = time.monotonic()
        out = subprocess.run([tools.dtrace_path, "-l"], check=True,
                             stdout=subprocess.PIPE).stdout
        times.append(time.monotonic() - start)
    print("%-34s %.1f ms   (asked: 50 ms)" % (
        "%d probes" % (out.count(b"\n") - 1),
        1e3 * statistics.median(times)))


# ---- probes in programs ------------------------------------------------------

def call_costs(argv):
    """NAME -> ns of a call, as bench/uprobe prints it."""
    out = subprocess.run(argv, check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    return {words[0]: float(words[1]) for words in map(str.split,
            out.splitlines()) if len(words) == 2 and words[0][:2] == "f_"}


def show_arming(tools, program):
    """5,000 probes: seconds until BEGIN runs, and from SIGINT to the end."""
    target = subprocess.Popen([program, "wait"], stdin=subprocess.PIPE)
    argv = [tools.dtrace_path, "-q", "-n",
            READY_D + "pid$target:a.out:many_*:entry { @ = count(); }",
            "-p", str(target.pid)]
    try:
        ready, ended = start_to_ready(argv)[:2]
    finally:
        target.communicate()
    print("%-34s %.0f ms to ready, %.0f ms to the end   (asked: 150, 200 ms "
          "to arm and disarm)" % ("5000 probes", 1e3 * ready, 1e3 * ended))


def part_uprobe(tools, _options):
    heading("pid probes: what they add to a call, by its first instructions")
    if not tools.has_dtrace:
        return
    program = tools.path("uprobe")
    base = call_costs([program])
    for what, names in (("entry", "entry"), ("return", "return"),
                        ("at offset 0", "0")):
        traced = call_costs([
            tools.dtrace_path, "-q", "-n",
            "pid$target:a.out:f_*:%s { @ = count(); }" % names,
            "-c", program])
        for name in base:
            print("%-34s %.0f ns" % (name + " " + what,
                                     traced[name] - base[name]))
    show_arming(tools, program)


def part_usdt(tools, _options):
    heading("USDT probes: a function with one, untraced, and what tracing adds")
    if not tools.has_dtrace:
        return
    program = tools.path("usdt")
    base = call_costs([program])
    traced = call_costs([tools.dtrace_path, "-q", "-n",
                         "bench$target::: { @[arg0 + arg1] = count(); }",
                         "-c", program])
    for name, what in (("f_plain", "always passed"),
                       ("f_asked", "behind its semaphore")):
        print("%-34s %.1f ns untraced, %.0f ns more traced" % (
            what, base[name] - base["f_none"], traced[name] - base[name]))


# ---- probes of processes -----------------------------------------------------

# Function of bench/process, its clauses, the goal (ns).
PROCESS_D = [
    ("f_predicate", "pid$target:a.out:f_predicate:entry /arg0 == -1/ "
     "{ @a = count(); }", "3"),
    ("f_count", "pid$target:a.out:f_count:entry { @b = count(); }", "6"),
    ("f_keys", "pid$target:a.out:f_keys:entry { @c[arg0] = count(); }", "15"),
    ("f_record", "pid$target:a.out:f_record:entry "
     "{ trace(arg0); trace(arg1); }", "20"),
    ("f_latency", "pid$target:a.out:f_latency:entry { self->ts = timestamp; } "
     "pid$target:a.out:f_latency:return /self->ts/ "
     "{ @d = quantize(timestamp - self->ts); self->ts = 0; }", "40"),
    ("f_proved", "pid$target:a.out:f_proved:entry "
     "/copyinstr(arg1) == NULL/ { @e = count(); }", "10, and the copy"),
    ("f_foreign", "pid$target:a.out:f_foreign:entry "
     "/copyinstr(arg1) == NULL/ { @f = count(); }", "1000"),
]


def process_cost(argv, rounds):
    """Run several times; the least and median ns, and the number of drops."""
    costs, drops = [], 0
    for _ in range(rounds):
        ran = subprocess.run(argv, check=True, capture_output=True, text=True)
        costs.append(float(ran.stdout.split()[1]))
        drops += sum(map(int, re.findall(r"(\d+) drops", ran.stderr)))
    return min(costs), statistics.median(costs), drops


def show_process(tools, rounds, name, clauses, asked):
    columns = []
    for how in ("one", "two"):
        command = [tools.path("process"), how, name]
        least, median, _ = process_cost(command, rounds)
        traced = process_cost(
            [tools.dtrace_path, "-q", "-x", "substrate=process", "-n", clauses,
             "-o", "/dev/null", "-c", " ".join(command)], rounds)
        columns.append("%.1f: %.1f, %.1f more%s" % (
            least, traced[0] - least, traced[1] - median,
            ", %d drops" % traced[2] if traced[2] else ""))
    print("%-12s %28s %28s   (asked: %s)" % (name, *columns, asked))


def part_process(tools, options):
    heading("probes in processes: what a call takes at least, and what they "
            "add: least of %d runs, median" % options.rounds)
    print("%-12s %28s %28s" % ("", "one thread", "each of two"))
    for row in PROCESS_D:
        show_process(tools, options.rounds, *row)


# ---- beside a probe of the kernel --------------------------------------------

BOTH_FUNCTIONS = ("f_count", "f_keys", "f_latency")
BOTH_KERNEL_D = " sched:::off-cpu /pid == $target/ { @s = count(); }"


def both_ns(tools, substrate, clauses, name):
    command = "%s one %s" % (tools.path("process"), name)
    least, _, _ = process_cost(
        [tools.dtrace_path, "-q", "-x", "substrate=" + substrate, "-n", clauses,
         "-o", "/dev/null", "-c", command], 1)
    return least


def part_both(tools, options):
    heading("a pid probe alone (process), and the same beside sched:::off-cpu "
            "(both), %d pairs: least ns of a call, and what both adds (asked: "
            "2)" % options.rounds)
    for name, clauses, _ in PROCESS_D:
        if name not in BOTH_FUNCTIONS:
            continue
        pairs = [(both_ns(tools, "process", clauses, name),
                  both_ns(tools, "both", clauses + BOTH_KERNEL_D, name))
                 for _ in range(options.rounds)]
        alone, beside = zip(*pairs)
        more = [b - a for a, b in pairs]
        print("%-12s %.1f, %.1f: %+.1f of the least, %+.1f the median of the "
              "pairs (%+.1f to %+.1f)" % (
                  name, min(alone), min(beside), min(beside) - min(alone),
                  statistics.median(more), min(more), max(more)), flush=True)


# ---- a variable of both parts ------------------------------------------------

SHARED_NAMES = "on", "self->on"
SHARED_SET_D = "pid$target:a.out:f_count:entry { %s = 1; }"
SHARED_IS_D = " sched:::off-cpu /%s/ { @s = count(); }"
NEVER = "pid$target:libc.so.6:getppid:entry { %s = 1; }"


def show_shared_set(tools, options, name):
    plain = [process_cost([tools.path("process"), "one", "f_count"], 1)[0]
             for _ in range(options.rounds)]
    kernel = f" sched:::off-cpu /{name} == 2/ {{ @s = count(); }}"
    setting = SHARED_SET_D % name
    pairs = [(both_ns(tools, "process", setting, "f_count"),
              both_ns(tools, "both", setting + kernel, "f_count"))
             for _ in range(options.rounds)]
    alone, both = (min(column) - min(plain) for column in zip(*pairs))
    print("%s set in the process: %.1f ns, its own variable %.1f (asked: 20)" % (
        name, both, alone), flush=True)


def show_shared_test(tools, options, name, cpu):
    """A switch's cost if the variable is of both parts, or the kernel's."""
    argvs = [[tools.dtrace_path, "-q", "-x", "substrate=" + substrate, "-n",
              "int on; self int on; " + READY_D + NEVER % name +
              SHARED_IS_D % name, "-c", "sleep 60"]
             for substrate in ("both", "kernel")]
    with kernel_setting("/proc/sys/kernel/bpf_stats_enabled", "1"):
        rounds = [[switch_ns(tools, cpu, argv) for argv in argvs]
                  for _ in range(options.rounds)]
    both, kernel = (statistics.median(column) for column in zip(*rounds))
    print("%s tested at a switch: %.1f ns, the kernel's own variable %.1f "
          "(asked: 60)" % (name, both, kernel), flush=True)


def part_shared(tools, options):
    heading("an integer that a pid probe sets, and sched:::off-cpu tests, in "
            "memory of both: %d rounds" % options.rounds)
    cpus = os.sched_getaffinity(0)
    cpu = min(cpus)
    for name in SHARED_NAMES:
        show_shared_set(tools, options, name)
    pin_away_from(cpu)
    try:
        for name in SHARED_NAMES:
            show_shared_test(tools, options, name, cpu)
    finally:
        os.sched_setaffinity(0, cpus)


# ---- libraries that come and go ----------------------------------------------

DLOPEN_LIBRARIES = 5
DLOPEN_LOADS = 750
# The goals: 1 s for all loads, and 1 ms more for each load.
DLOPEN_D = [
    ("every entry", "pid$target:::entry { @ = count(); }"),
    ("one function", "pid$target::fn_loaded:entry { @ = count(); }"),
    ("system calls", "syscall:::entry { @ = count(); }"),
]


def dlopen_ms(argv):
    ran = subprocess.run(argv, check=True, capture_output=True, text=True)
    return float(re.search(r"^\d+\.\d$", ran.stdout, re.M).group())


def part_dlopen(tools, options):
    heading("%d dlopen() and dlclose() of %d libraries in turn: median, least "
            "ms (asked: 1000)" % (DLOPEN_LOADS, DLOPEN_LIBRARIES))
    progs = os.path.join(os.path.dirname(tools.bench), "tests", "prog")
    with tempfile.TemporaryDirectory(prefix="dtbench.") as folder:
        paths = [os.path.join(folder, "lib%d.so" % i)
                 for i in range(DLOPEN_LIBRARIES)]
        for path in paths:
            shutil.copy(os.path.join(progs, "dlopened.so"), path)
        command = [os.path.join(progs, "dlopens"), str(DLOPEN_LOADS), *paths]
        for name, clauses in DLOPEN_D:
            base, traced = [], []
            for _ in range(options.rounds):
                base.append(dlopen_ms(command))
                traced.append(dlopen_ms(
                    [tools.dtrace_path, "-Zq", "-x", "substrate=process", "-n",
                     clauses, "-c", " ".join(command)]))
            added = statistics.median(traced) - statistics.median(base)
            print("%-14s untraced %.0f, %.0f  traced %.0f, %.0f  "
                  "%.2f ms more for a load" % (
                      name, statistics.median(base), min(base),
                      statistics.median(traced), min(traced),
                      added / DLOPEN_LOADS), flush=True)


# ---- a call that nobody makes ------------------------------------------------

RARE_CALL = "chroot"
RARE_D = "syscall::%s:entry { @ = count(); }" % RARE_CALL
RARE_CALLS = (RARE_CALL, "mount", "swapon", "swapoff")


def rare_sides(tools):
    return [("dtrace, entry", tools.dtrace(RARE_D)),
            ("dtrace, both", tools.dtrace(RARE_D.replace(":entry", ":"))),
            ("its tracepoint", [tools.path("percall"), RARE_CALL]),
            ("four of these", [tools.path("percall"), *RARE_CALLS])]


def part_rare(tools, options):
    """The cost that a probe on one call adds to the other calls.

    dtrace's probe is compared with a raw tracepoint and with the tracepoint of
    the call itself."""
    heading("a probe on %s(): what getppid() takes, and what start and end "
            "take: the least of %d rounds" % (RARE_CALL, options.rounds))
    rare = Firing("rare", None, None, "getppid", None)
    costs, ends = collections.defaultdict(list), collections.defaultdict(list)
    cpus = os.sched_getaffinity(0)
    cpu = min(cpus)
    pin_away_from(cpu)
    for _ in range(options.rounds):
        costs["untraced"].append(loop_ns(tools, cpu, rare)[0])
        for name, argv in rare_sides(tools):
            begin = time.monotonic()
            with Tracer(argv) as tracer:
                begun = time.monotonic() - begin
                costs[name].append(loop_ns(tools, cpu, rare)[0])
                ends[name].append((begun, tracer.stop()))
    for name, ns in costs.items():
        print("%-16s %.0f ns%s" % (
            name, min(ns), "" if name == "untraced" else
            "  start %.0f ms, end %.0f ms" % tuple(
                1000 * min(column) for column in zip(*ends[name]))))


# ---- other tracers of processes ----------------------------------------------

# The request to each tracer; the functions are those of PROCESS_D.
BPFTRACE = {
    "f_count": "uprobe:%s:f_count { @ = count(); }",
    "f_record": 'uprobe:%s:f_record { printf("%%d %%d\\n", arg0, arg1); }',
    "f_latency": "uprobe:%s:f_latency { @s[tid] = nsecs; } "
                 "uretprobe:%s:f_latency /@s[tid]/ "
                 "{ @ = hist(nsecs - @s[tid]); delete(@s[tid]); }",
}
UFTRACE = {
    "f_record": ["-A", "f_record@arg1,arg2"],
    "f_latency": [],
}


class Lttng:
    """A session of LTTng-UST for the tracepoint of process_lttng."""

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(prefix="dtbench.")
        self.env = dict(os.environ, LTTNG_HOME=self.home.name)
        self.daemon = subprocess.Popen(
            ["lttng-sessiond", "--no-kernel", "-q"], env=self.env,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        for _ in range(100):
            if self.ask("list"):
                break
            time.sleep(0.1)
        out = os.path.join(self.home.name, "out")
        for command in (["create", "bench", "-o", out],
                        ["enable-channel", "-u", "--subbuf-size=4M", "c"],
                        ["enable-event", "-u", "-c", "c", "bench:record"],
                        ["start"]):
            if not self.ask(*command):
                raise Failure("lttng " + " ".join(command))

    def ask(self, *command):
        return subprocess.run(["lttng", "-q", "-n", *command], env=self.env,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0

    def __exit__(self, *exc):
        self.ask("destroy")
        self.daemon.terminate()
        self.daemon.wait()
        self.home.cleanup()


def last_cost(argv, env=None):
    """ns of a call, as the traced program prints it."""
    ran = subprocess.run(argv, capture_output=True, text=True, env=env)
    found = re.search(r"^f_\w+ ([\d.]+)$", ran.stdout, re.M)
    if ran.returncode != 0 or found is None:
        raise Failure(first_line(ran.stderr))
    return float(found[1])


def dtrace_cost(tools, substrate, name, of="pid$target:a.out"):
    clauses = next(row[1] for row in PROCESS_D if row[0] == name)
    clauses = clauses.replace("pid$target:a.out", of)
    return last_cost([
        tools.dtrace_path, "-q", "-x", "substrate=" + substrate, "-n", clauses,
        "-o", "/dev/null", "-c",
        " ".join([tools.path("process"), "one", name])])


def bpftrace_cost(tools, name):
    program = os.path.abspath(tools.path("process"))
    script = BPFTRACE[name]
    return last_cost(["bpftrace", "-o", "/dev/null", "-e",
                      script % ((program,) * script.count("%s")), "-c",
                      "%s one %s" % (program, name)])


def uftrace_cost(tools, name):
    with tempfile.TemporaryDirectory(prefix="dtbench.") as folder:
        return last_cost(["uftrace", "record", "-d", folder + "/data",
                          "--no-libcall", "--no-event", "-P", name,
                          *UFTRACE[name], tools.path("process_uftrace"),
                          "one", name])


def lttng_cost(tools, name):
    with Lttng() as session:
        return last_cost([tools.path("process_lttng"), "one", name],
                         session.env)


def others_of(tools, name):
    """Rows of (tracer, untraced program, function that measures it traced)."""
    who = [("dtrace, in the process", "process",
            lambda: dtrace_cost(tools, "process", name)),
           ("dtrace, in the kernel", "process",
            lambda: dtrace_cost(tools, "kernel", name)),
           ("dtrace, all processes", "process",
            lambda: dtrace_cost(
                tools, "kernel", name,
                "pid*:" + os.path.abspath(tools.path("process"))))]
    if shutil.which("bpftrace"):
        who.append(("bpftrace", "process",
                    lambda: bpftrace_cost(tools, name)))
    if name in UFTRACE and shutil.which("uftrace"):
        who.append(("uftrace", "process_uftrace",
                    lambda: uftrace_cost(tools, name)))
    if name == "f_record" and os.path.exists(tools.path("process_lttng")):
        who.append(("LTTng-UST, a tracepoint", "process_lttng",
                    lambda: lttng_cost(tools, name)))
    return who


def show_others(tools, rounds, name):
    costs = collections.defaultdict(list)
    for _ in range(rounds):
        for who, program, traced in others_of(tools, name):
            costs[who].append((last_cost([tools.path(program), "one", name]),
                               traced()))
    for who, pairs in costs.items():
        base, traced = zip(*pairs)
        print("%-10s %-26s %9.1f more, %9.1f at best" % (
            name, who, statistics.median(traced) - statistics.median(base),
            min(traced) - min(base)), flush=True)


def part_others(tools, options):
    heading("probes in processes, by others: ns added to a call, median of %d "
            "rounds" % options.rounds)
    if not tools.has_dtrace:
        return
    for name in BPFTRACE:
        show_others(tools, options.rounds, name)


PARTS = {"firing": part_firing, "offcpu": part_offcpu,
         "uprobe": part_uprobe, "usdt": part_usdt, "process": part_process,
         "both": part_both, "shared": part_shared, "dlopen": part_dlopen, "rare": part_rare, "others": part_others,
         "stacks": part_stacks, "start": part_start, "keys": part_keys,
         "stream": part_stream, "records": part_records,
         "replayed": part_replayed,
         "taken": part_taken, "arming": part_arming, "list": part_list,
         "compile": part_compile, "dif": part_dif, "jit": part_jit,
         "sites": part_sites,
         "types": part_types, "symbols": part_symbols, "dof": part_dof}


def parse_options(argv):
    parser = argparse.ArgumentParser(
        description="Compare dtrace with hand-written BPF programs.")
    parser.add_argument("build", help="the Meson build directory")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,...",
                        help="of: " + ", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dtrace", help="another dtrace than BUILD/dtrace")
    options = parser.parse_args(argv)
    options.only = options.only.split(",")
    for part in options.only:
        if part not in PARTS:
            parser.error("no such part: " + part)
    return options


def main(argv):
    options = parse_options(argv)
    tools = Tools(options.build, options.dtrace)
    if os.geteuid() != 0:
        sys.exit("bench.py: needs root, for BPF")
    if not os.access(tools.path("handwritten"), os.X_OK):
        sys.exit("bench.py: %s is not there: ninja -C %s first"
                 % (tools.path("handwritten"), options.build))
    if not tools.has_dtrace:
        print("%s is not there: the hand-written side only"
              % tools.dtrace_path)
    failed = False
    for part in options.only:
        try:
            PARTS[part](tools, options)
        except Failure as why:
            print("failed: %s" % why)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
