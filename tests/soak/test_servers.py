#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Probes come and go in servers at work, which do not notice.

    test_servers.py DTRACE CYCLES [NAME...]

Each server of served.py gets requests all the time, and each answer is
checked.  Meanwhile dtrace enables a script in one of them, and ends: by
exit(), by a signal, or killed.  The ordinary user who owns the servers runs
it.  After each such cycle the server answers; its code is that of its files;
its mappings, threads and descriptors are those from before.
"""

import collections
import concurrent.futures
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "live"))
import served
from live import DTRACE, run, start

CYCLES = int(sys.argv[2])
NAMES = sys.argv[3:]
JOBS = min(2, os.cpu_count())
LEAST = 20             # minimum number of servers for this test
WARM = 50              # requests after which a server has all its threads
IDLE_S, BUSY_S = 0.05, 0.002 # seconds between requests
SETTLE_S = 30          # seconds for the removal of dtrace's changes
ENOUGH = 20            # runs after which each script must have fired
TOLD = 3               # failures shown for a server
COUNT = " { @n = count(); }"
SCRIPTS = {
    "entries": "${modules}entry" + COUNT,
    "returns": "${modules}return" + COUNT,
    "functions": "pid$target:libc.so.6::entry, pid$target:libc.so.6::return "
                 "{ @n = count(); @[probefunc, probename] = count(); }",
    "instructions": "${few}" + COUNT,
    "calls": "syscall:::entry, syscall:::return "
             "{ @n = count(); @[probefunc] = count(); }",
    "stacks": "syscall::*send*:entry, syscall::write*:entry, "
              "syscall::epoll_wait:entry, syscall::futex:entry "
              "{ @n = count(); @[ustack()] = count(); }",
    "records": "syscall:::return { @n = count(); "
               "printf(\"%d %s %d %s\\n\", tid, probefunc, arg1, execname); }",
    "times": "syscall:::entry { self->t = timestamp; } "
             "syscall:::return /self->t/ { @n = count(); @[probefunc] = "
             "quantize(timestamp - self->t); self->t = 0; }",
}
BEGUN = " BEGIN { printf(\"begun\\n\"); }"
FIRED = " END { printa(\"fired %@d\\n\", @n); }"
OVER = threading.Event() # set by an interrupt: report what was done
ENDINGS = ["exit", "exit", "exit", "interrupt", "interrupt", "kill"]


# ---- facts about a process
# ----------------------------------------------------

class Mapping:
    def __init__(self, line):
        words = line.split(None, 5)
        self.start, self.end = (int(x, 16) for x in words[0].split("-"))
        self.prot, self.offset = words[1], int(words[2], 16)
        self.path = words[5].strip() if len(words) > 5 else ""
        self.key = tuple(words[1:])


def mappings(pid):
    with open(f"/proc/{pid}/maps", encoding="utf8") as f:
        return [Mapping(line) for line in f]


def named(pid):
    """Mappings of files, dtrace's included; heaps are left out, as they may
    grow."""
    return collections.Counter(m.key for m in mappings(pid) if "/" in m.path)


class Files:
    """The contents of files where they are mapped."""

    def __init__(self):
        self.kept = {}

    def bytes_of(self, m):
        key = m.path, m.offset, m.end - m.start
        if key not in self.kept:
            with open(m.path, "rb") as f:
                self.kept[key] = os.pread(f.fileno(), key[2], key[1])
        return self.kept[key]


FILES = Files()


def changed_code(pid):
    """The places where a process's code differs from its files."""
    places = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as f:
        for m in mappings(pid):
            if "x" not in m.prot or m.path[:1] != "/" or "memfd:" in m.path:
                continue
            want = FILES.bytes_of(m)
            if os.pread(f.fileno(), len(want), m.start) != want:
                places.append(f"code of {m.path} at {m.offset:#x} differs")
    return places


def numbers(pid):
    return {what: len(os.listdir(f"/proc/{pid}/{what}"))
            for what in ("task", "fd")}


# ---- a server and its load --------------------------------------------------

class Target:
    """A server under load, and its failures."""

    def __init__(self, server):
        self.server, self.lock = server, threading.Lock()
        self.failures, self.cycles = [], 0
        self.fired = collections.Counter()
        self.is_traced = self.is_over = False
        for _ in range(WARM):
            server.ask_again()
        self.thread = threading.Thread(target=self.load)
        self.thread.start()

    def fail(self, *notes):
        with self.lock:
            self.failures.append("\n".join(str(x) for x in notes))

    def ask(self):
        """Make a request; the lock is held."""
        try:
            self.server.ask_again()
            return True
        except Exception as e:     # any error in an answer
            status = self.server.proc.poll()
            self.failures.append(f"request {self.server.asked}: {e!r}; "
                                 f"the server's status: {status}\n"
                                 f"and it said: {self.server.said()}")
            self.is_over = True
            return False

    def load(self):
        while not self.is_over:
            with self.lock:
                self.ask()
            time.sleep(BUSY_S if self.is_traced else IDLE_S)

    def stop(self):
        self.is_over = True
        self.thread.join()
        self.server.stop()

    # one cycle

    def baseline(self):
        with self.lock:
            pid = self.server.pid()
            return named(pid), numbers(pid)

    def is_settled(self, before):
        pid, (maps, count) = self.server.pid(), before
        return not named(pid) - maps and \
            all(n <= count[what] for what, n in numbers(pid).items())

    def check(self, before):
        """Check without a request that nothing is left, and nothing has
        changed."""
        end = time.monotonic() + SETTLE_S
        # a thread may sleep in dtrace's code until the next request
        while named(self.server.pid()) - before[0] and time.monotonic() < end:
            time.sleep(0.02)
        with self.lock:
            while not self.is_settled(before) and time.monotonic() < end:
                time.sleep(0.02)
            pid = self.server.pid()
            bad = [f"left: {key}" for key in
                   list(named(pid) - before[0])[:TOLD]]
            bad += [f"gone: {key}" for key in before[0] - named(pid)]
            bad += [f"{n} of {what}, {before[1][what]} before" for what, n in
                    numbers(pid).items() if n > before[1][what]]
            bad += changed_code(pid)
            return bad if self.ask() else bad + ["no answer afterwards"]

    def cycle(self, tracer):
        self.cycles += 1
        name, ending, ran = "none", "none", ""
        try:
            before = self.baseline()
            self.is_traced = True
            name, ending, ran = tracer.run_on(self.server)
            self.is_traced = False
            bad = self.check(before)
        except (FileNotFoundError, ProcessLookupError) as e:
            self.fail(f"cycle {self.cycles}, {name}, {ending}:",
                      f"it has gone: {e}", ran)
            self.is_over = True
            return
        good = ran.status == (-signal.SIGKILL if ending == "kill" else 0)
        fired = re.search(r"^fired (\d+)$", ran.out, re.M)
        self.fired[name] += int(fired[1]) if fired else 0
        if bad or not good:
            self.fail(f"cycle {self.cycles}, {name}, {ending}:", *bad, ran)


# ---- dtrace -----------------------------------------------------------------

class Finished:
    def __init__(self, proc, out, err):
        self.status, self.out, self.err = proc.returncode, out, err

    def __str__(self):
        return (f"status {self.status}\noutput: {self.out[-500:]}\n"
                f"errors: {self.err[:2000]}")


class Tracer:
    """Chooses scripts and their ends, the same for each seed."""

    def __init__(self, command, seed):
        self.command, self.chance = command, random.Random(seed)
        self.scripts = []

    def script(self):
        """Choose scripts so that each comes up as often as the others."""
        if not self.scripts:
            self.scripts = list(SCRIPTS)
            self.chance.shuffle(self.scripts)
        return self.scripts.pop()

    def run_on(self, server):
        name, ending = self.script(), self.chance.choice(ENDINGS)
        few = ", ".join(f"pid$target:{place}:" for place in server.few)
        text = SCRIPTS[name].replace("${few}", few).replace(
            "${modules}", server.modules) + FIRED
        cmd = [self.command, "-q", "-x", "substrate=process", "-x",
               "switchrate=20ms", "-p", str(server.pid()), "-n"]
        if ending == "exit":
            ran = run([*cmd, text + " tick-50ms { exit(0); }"], cwd="/",
                      user=served.USER, group=served.USER, extra_groups=[])
        else:
            ran = self.end([*cmd, text + BEGUN], ending)
        return name, ending, ran

    def end(self, cmd, how):
        """Run dtrace, and end it after some time: its probes may be planted or
        not yet."""
        number = signal.SIGINT if how == "interrupt" else signal.SIGKILL
        with subprocess.Popen(
                cmd, cwd="/", stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                user=served.USER, group=served.USER, extra_groups=[]) as proc:
            first = proc.stdout.readline()
            time.sleep(self.chance.random() * 0.1)
            proc.send_signal(number)
            try:
                out, err = proc.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                proc.kill()
                out, err = proc.communicate()
                err += "it did not end"
        return Finished(proc, first + out, err)


# ---- the whole test ---------------------------------------------------------

def start_all(tap, work, stack):
    targets = []
    origin = served.Origin(work, 0)
    stack.callback(origin.stop)
    for kind in served.SERVERS:
        if NAMES and kind.__name__.lower() not in NAMES:
            continue
        if not kind.where():
            tap.skip(kind.__name__.lower(), f"{kind.program} is not installed")
            continue
        server = kind(work, origin.port)
        try:
            targets.append(Target(server))
        except BaseException:
            server.stop()
            raise
        stack.callback(targets[-1].stop)
    return targets


def rotate(targets, tracer, cycles):
    for number in range(cycles):
        alive = [t for t in targets if not t.is_over]
        if alive and not OVER.is_set():
            alive[number % len(alive)].cycle(tracer)


def share(n, i, jobs):
    """The i-th job's part of n, so that all jobs do n together."""
    return n // jobs + (i < n % jobs)


def cycle_all(targets, command):
    """Run all cycles; an exception of a job becomes one here."""
    jobs = min(JOBS, len(targets))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for made in [pool.submit(rotate, targets[i::jobs], Tracer(command, i),
                                 share(CYCLES, i, jobs)) for i in range(jobs)]:
            made.result()


def tell(tap, targets, seconds):
    for t in targets:
        fired = ", ".join(f"{n} {name}" for name, n in t.fired.items())
        print(f"# {t.server.name}: {t.server.asked} requests; {fired}")
        tap.ok(not t.failures and (t.cycles < len(SCRIPTS) or
                                   any(t.fired.values())),
               f"{t.server.name}: {t.cycles} cycles, each answer right, "
               "nothing left", f"{len(t.failures)} failures",
               *t.failures[:TOLD])
    cycles = sum(t.cycles for t in targets)
    fired = sum((t.fired for t in targets), collections.Counter())
    tap.ok(cycles == CYCLES or OVER.is_set(), f"{cycles} cycles were made",
           f"{CYCLES} were asked for")
    tap.ok(cycles < ENOUGH * len(SCRIPTS) or set(SCRIPTS) <= set(+fired),
           "each script has fired", fired)
    print(f"# {cycles} cycles over {len(targets)} servers in {seconds:.0f} s: "
          f"{cycles / seconds:.2f} a second, "
          f"{sum(t.server.asked for t in targets)} requests, "
          f"{sum(sum(t.fired.values()) for t in targets)} firings")


def main():
    tap = start("root cmd:openssl cmd:git")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *unused: OVER.set())
    with tempfile.TemporaryDirectory(prefix="dt-servers.") as work, \
            contextlib.ExitStack() as stack:
        os.chmod(work, 0o755)
        # other users may not be able to read the build directory
        command = shutil.copy(DTRACE, os.path.join(work, "dtrace"))
        targets = start_all(tap, work, stack)
        if not NAMES:
            tap.ok(len(targets) >= LEAST, f"{LEAST} servers are there",
                   f"{len(targets)} are: what tools/deps.sh check installs is "
                   "missing")
        begin = time.monotonic()
        cycle_all(targets, command)
        tell(tap, targets, time.monotonic() - begin)
    tap.done()


if __name__ == "__main__":
    main()
