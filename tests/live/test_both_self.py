#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Substrate both: self-> integers that a process and the kernel both touch."""

import re
import shlex
import sys

from live import dtrace, prog, start, table

BOTH = ["-x", "substrate=both"]
MARK = "syscall::getpriority:entry /pid == $target && arg0 == 0x7001/"
# More threads than the table has places for at once.
THREADS = 20000
# The kernel sees what the process has stored, and the other way round; a thread
# begins with 0.
EXCHANGE = """
    self int in; self int out;
    pid$target:a.out:step:entry {
        @["step", self->in == arg0, self->out == arg0] = count();
        self->in = arg0 + 1; }
    """ + MARK + """ {
        @["mark", self->in == arg1 + 1, self->out == arg1] = count();
        self->out = arg1 + 1; }
    END { printa("%s %d %d %@d\\n", @); }"""


def mixed(*args):
    return " ".join([prog("mixed"), *map(str, args)])


def exchanged(text):
    return {(name, in_, out): int(n) for name, in_, out, n in re.findall(
        r"^(\w+) (\d) (\d) (\d+)$", text, re.M)}


def check_exchange(tap, what, n, *args):
    """In each substrate the same; returns both's run."""
    want = {("step", "1", "1"): n, ("mark", "1", "1"): n}
    for substrate in ("kernel", "process", "both"):
        ran = dtrace("-x", f"substrate={substrate}", "-qvn", EXCHANGE, "-c",
                     mixed(*args))
        tap.ok(exchanged(ran.out) == want and ran.status == 0 and
               "drop" not in ran.err, f"{what} in {substrate}", ran)
    return ran


def check_places(tap, ran):
    where = re.findall(r"(pid|syscall)\S+:entry: runs in the (\w+)", ran.err)
    tap.ok(where == [("pid", "process"), ("syscall", "kernel")] and
           "in memory of both parts: self->in, self->out" in ran.err,
           "... each clause where it is cheapest", where, ran.err)


def check_switches(tap):
    """A flag of the process's function is right at each context switch."""
    script = """
        pid$target:a.out:step:entry { self->on = 1; }
        pid$target:a.out:step:return { self->on = 0; @n = count(); }
        sched:::off-cpu /pid == $target/ { @[self->on ? "on" : "off"] = count(); }
        """
    ran = dtrace(*BOTH, "-qn", script, "-c", mixed(2000, 100))
    got = table(ran.out)
    # A pause is outside of step().  One that is over before the thread sleeps
    # is no switch; and a thread may lose its CPU within step().
    tap.ok(got.get("off", 0) >= 1500 and got.get("on", 0) < 1000 and
           re.search(r"^ +2000$", ran.out, re.M),
           "a flag is tested at context switches", got, ran)


def check_others(tap):
    """Threads of processes that are not entered have variables of their own,
    which no place of the table is taken for."""
    script = """
        pid$target:libc.so.6:getppid:entry { self->n = 7; }
        syscall::getpriority:entry /progenyof($target) && arg0 == 0x7001/ {
            @[pid == $target, self->n] = count(); self->n = self->n + 1; }
        END { printa("%d %d %@d\\n", @); }"""
    code = ("import os, ctypes\n"
            "mark = lambda: ctypes.CDLL(None).getpriority(0x7001, 0)\n"
            "os.getppid(); mark(); mark()\n"
            "if os.fork() == 0:\n"
            "  os.getppid(); mark(); mark(); os._exit(0)\n"
            "os.wait(); mark()\n")
    for substrate in ("kernel", "both"):
        ran = dtrace("-x", f"substrate={substrate}", "-qn", script, "-c",
                     f"{sys.executable} -c {shlex.quote(code)}")
        got = sorted(re.findall(r"^\d \d+ \d+$", ran.out, re.M))
        tap.ok(got == ["0 0 1", "0 1 1", "1 7 1", "1 8 1", "1 9 1"],
               f"a child of fork() has its own, in {substrate}", got, ran)


def check_exec(tap):
    """A thread keeps its variables when it executes a program; the thread that
    had its id before does not hand it its own."""
    script = """
        self int next;
        syscall::getpriority:entry /pid == $target && arg0 == 0x7001/ {
            @["first", arg1 == 0 ? self->next : -1] = count();
            self->next = arg1 + 1; }
        pid$target::step:entry {
            @[self->next == arg0 ? "right" : "wrong", 0] = count(); }
        END { printa("%s %d %@d\\n", @); }"""
    code = ("import os, ctypes, threading, time\n"
            "def mark(n): ctypes.CDLL(None).getpriority(0x7001, n)\n"
            "def go():\n"
            "  mark(700)\n"
            f"  os.execv({prog('mixed')!r}, ['mixed', '1000', '1000'])\n"
            "mark(500)\n"
            "time.sleep(0.5)\n"
            "%s\n"
            "time.sleep(60)\n")
    for how, what, first in (
            ("go()", "its only thread", "701"),
            ("threading.Thread(target=go).start()", "another thread", "0")):
        ran = dtrace(*BOTH, "-Zqn", script, "-c",
                     f"{sys.executable} -c {shlex.quote(code % how)}")
        got = {(word, n): int(count) for word, n, count in
               re.findall(r"^(\w+) (-?\d+) (\d+)$", ran.out, re.M)}
        tap.ok(got.get(("right", "0"), 0) > 300 and
               ("wrong", "0") not in got and got.get(("first", first)) == 1, f"after execve() by {what}", got, ran)


def check_several(tap):
    """Two processes in one script."""
    targets = f"{mixed(1000)} & {mixed(1000)} & wait"
    script = """
        self int out;
        syscall::getpriority:entry /progenyof($target) && arg0 == 0x7001/ {
            @[self->out == arg1] = count(); self->out = arg1 + 1; }
        pid$target:::entry { self->out = 0; }
        END { printa("%d %@d\\n", @); }"""
    ran = dtrace(*BOTH, "-qn", script.replace("pid$target:::entry",
                 "pid$target:libc.so.6:getppid:entry"), "-c",
                 shlex.join(["sh", "-c", targets]))
    tap.ok(re.findall(r"^\d+ \d+$", ran.out, re.M) == ["1 2000"],
           "children that no part enters count for themselves", ran)


def main():
    tap = start("root bpf prog:mixed")
    ran = check_exchange(tap, "20,000 rounds", 20000, 20000)
    check_places(tap, ran)
    check_exchange(tap, "threads one after another", 2 * THREADS, 2, 0, THREADS)
    check_switches(tap)
    check_others(tap)
    check_exec(tap)
    check_several(tap)
    tap.done()


main()
