#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace restores all that it has planted, wherever that is by now.

A process may have a second copy of a probed library, move its code to
memory without a file, or have a child that keeps a library which the
process has unloaded.  It ends as untraced, whether dtrace has ended or was
killed.  So does a child that was made while a window waited, and that gets
its jump itself.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time

from live import DTRACE, prog, start

SOON = 60
SCRIPT = """pid$target::fn_loaded:entry,
    pid$target:a.out:fn_highest:entry { @[probefunc] = count(); }
    BEGIN { printf("ready\\n"); }"""


# with a system call, so that children are followed
HEIR = """pid$target:a.out:padded:entry, syscall::getpgrp:entry { @ = count(); }
    BEGIN { printf("ready\\n"); }"""
JUMP = b"\xe9"


class Program:
    """A process that runs tests/prog/remains.c."""

    def __init__(self, library):
        self.proc = subprocess.Popen(
            [prog("remains"), library], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.pid = self.proc.pid
        self.wrong = []

    def order(self, *names):
        for name in names:
            if self.wrong:
                return
            try:
                self.proc.stdin.write(name + "\n")
                self.proc.stdin.flush()
            except BrokenPipeError:
                pass
            answer = self.proc.stdout.readline()
            if answer != name + " 0\n":
                self.wrong.append(f"{name}: {answer.strip() or 'it ended'}")

    def end(self):
        try:
            self.proc.communicate(timeout=SOON)
        except BrokenPipeError:
            self.proc.wait()
        if self.proc.returncode != 0:
            self.wrong.append(f"status {self.proc.returncode}")


def with_children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [pid, *map(int, f.read().split())]


def ours(pids):
    """The mappings of dtrace's memory in the processes."""
    found = []
    for pid in pids:
        with open(f"/proc/{pid}/maps") as f:
            found += [line for line in f if "memfd:dtrace" in line]
    return found


def await_restored(pids):
    """Wait for the guardian, which needs a moment after dtrace was killed."""
    for _ in range(500):
        if not ours(pids):
            return
        time.sleep(0.01)


class Case:
    def __init__(self, name, during, after):
        self.name, self.during, self.after = name, during, after


CASES = [
    Case("with a second copy of a library", ["load"], ["call"]),
    Case("with a second copy, then without it", ["load", "unload"], ["call"]),
    Case("with only the second copy", ["load", "drop"], ["call"]),
    Case("that has moved its code", ["copy", "load"], ["call"]),
    Case("whose child keeps a library", ["fork", "drop", "load"],
         ["child", "call"]),
]


def traced(case, program, is_killed):
    """Run dtrace from beginning to end; returns its messages."""
    tracer = subprocess.Popen(
        [DTRACE, "-x", "substrate=process", "-qZn", SCRIPT,
         "-p", str(program.pid)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    try:
        tracer.stdout.readline()
        program.order("call", *case.during, "call")
        tracer.send_signal(signal.SIGKILL if is_killed else signal.SIGINT)
        return tracer.communicate(timeout=SOON)
    finally:
        tracer.kill()
        tracer.communicate()


def check(tap, case, library, is_killed):
    program = Program(library)
    try:
        told = traced(case, program, is_killed)
        pids = with_children(program.pid)
        await_restored(pids)
        left = ours(pids)
        program.order(*case.after)
        program.end()
    finally:
        program.proc.kill()
        program.proc.communicate()
    tap.ok(not program.wrong and not left,
           f"a process {case.name} goes on when dtrace " +
           ("was killed" if is_killed else "has ended"),
           program.wrong, left, *told)


def byte_at(pid, addr):
    with open(f"/proc/{pid}/mem", "rb") as mem:
        mem.seek(addr)
        return mem.read(1)


def await_jump(pid, addr):
    for _ in range(1000):
        if byte_at(pid, addr) == JUMP:
            return True
        time.sleep(0.01)
    return False


def poke(proc):
    proc.stdin.write("\n")
    proc.stdin.flush()
    return proc.stdout.readline().split()


def check_heir(tap):
    """The parent's stack holds an address of the place, the child's does
    not."""
    parent = subprocess.Popen(
        [prog("entered"), "heir", "10"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    tracer = None
    try:
        addr = int(parent.stdout.readline().split()[1], 16)
        parent.stdout.readline()
        tracer = subprocess.Popen(
            [DTRACE, "-x", "substrate=process", "-x", "debug", "-qn", HEIR,
             "-p", str(parent.pid)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        tracer.stdout.readline()
        child = int(poke(parent)[1])
        has = await_jump(child, addr)
        waits = byte_at(parent.pid, addr) != JUMP
        tracer.send_signal(signal.SIGINT)
        told = tracer.communicate(timeout=SOON)
        await_restored([child])
        left = ours([child])
        said = [poke(parent), poke(parent)]
        tap.ok(waits and has, "a child gets what waits in its parent", waits,
               has, *told)
        tap.ok(not left and byte_at(parent.pid, addr) != JUMP and
               said == [["calls", "10", "wrong", "0"]] * 2,
               "... and goes on when dtrace has ended", left, said, *told)
    finally:
        for proc in filter(None, (tracer, parent)):
            proc.kill()
            proc.communicate()


def main():
    tap = start("prog:remains prog:entered")
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "libremains.so")
        shutil.copy(prog("dlopened.so"), library)
        for case in CASES:
            for is_killed in False, True:
                check(tap, case, library, is_killed)
    check_heir(tap)
    tap.done()


main()
