#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What gdb and perf say of code of ours in a program."""

import collections
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time

from live import DTRACE, run, start

PROG = os.path.abspath(os.path.join(os.environ["PROGS"], "nested"))
TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                     "tools")
LEAF = "pid$target:a.out:nested_leaf:"
CALLERS = ["nested_middle", "nested_outer", "main"]
STEPS = 300
# Step through all of a call of the leaf, with the frames at each instruction.
STEPPER = """
set pagination off
tbreak nested_middle
continue
python
import gdb
from gdb.frames import execute_frame_filters
print("")
for _ in range(%d):
    shown = execute_frame_filters(gdb.selected_frame(), 0, -1)
    print("frames", *[str(frame.function()) for frame in shown or ()])
    gdb.execute("stepi", to_string=True)
end
""" % STEPS
BODIES = [
    ("entry", "{ @ = count(); }"),
    ("entry", "/arg0 < 0/ { @ = count(); }"),
    ("entry", "{ @[arg0 & 7, execname] = quantize(timestamp); }"),
    ("return", "{ @[arg1 & 7, execname] = quantize(timestamp); }"),
    ("return", "{ @[ustack(3)] = count(); }"),
    ("", "{ @[arg0 & 7] = count(); }"),
]


@contextlib.contextmanager
def program():
    proc = subprocess.Popen([PROG], stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL)
    with proc:
        time.sleep(0.1)
        yield proc
        proc.stdin.close()


@contextlib.contextmanager
def traced(script):
    """The program while dtrace traces it; it has to end well."""
    with program() as proc, tempfile.TemporaryFile("w+") as told:
        tracer = subprocess.Popen(
            [DTRACE, "-x", "substrate=process", "-n", script, "-n",
             "BEGIN { printf(\"traced\\n\"); }", "-p", str(proc.pid)],
            stdin=subprocess.DEVNULL, stdout=told, stderr=told)
        try:
            until = time.monotonic() + 20
            text = ""
            while "traced\n" not in text and time.monotonic() < until:
                time.sleep(0.05)
                told.seek(0)
                text = told.read()
            yield proc
        finally:
            tracer.terminate()
            tracer.wait()


def gdb_steps(pid):
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write(STEPPER)
        script.flush()
        return run(["gdb", "-nx", "-q", "-batch", "-p", str(pid), "-x",
                    os.path.join(TOOLS, "dtrace-gdb.py"), "-x", script.name],
                   timeout=120)


def is_right(names):
    """At most one frame of ours, the first, and then the program's."""
    ours = [name for name in names if name.startswith("dtrace`")]
    rest = names[len(ours):]
    return len(ours) <= 1 and ours == names[:len(ours)] and rest in (
        CALLERS, ["nested_leaf", *CALLERS], CALLERS[1:], CALLERS[2:])


def gdb(tap):
    for name, body in BODIES:
        with traced(LEAF + name + " " + body) as proc:
            ran = gdb_steps(proc.pid)
        shown = [line.split()[1:] for line in ran.out.splitlines()
                 if line.startswith("frames")]
        wrong = collections.Counter(
            " ".join(names) for names in shown if not is_right(names))
        ours = {names[0] for names in shown if names and
                re.fullmatch(r"dtrace`pid\d+:nested:nested_leaf:\w+", names[0])}
        tap.ok(len(shown) == STEPS and not wrong and ours and
               proc.returncode == 0,
               f"gdb names each frame: {name} {body}", wrong, ours, len(shown),
               proc.returncode, ran.err[:1000])


def perf(tap):
    with tempfile.TemporaryDirectory(prefix="dt-perf.") as folder, traced(
            LEAF + "entry { @[arg0 & 7, execname] = quantize(timestamp); }"
            ) as proc:
        data = os.path.join(folder, "perf.data")
        ran = run(["perf", "record", "-e", "cpu-clock", "-o", data, "-p",
                   str(proc.pid), "--", "sleep", "1"])
        if ran.status != 0:
            tap.skip("perf names our code", ran.err.splitlines()[0])
            return
        ran = run(["perf", "report", "-i", data, "--stdio", "--sort", "dso"])
    tap.ok("memfd:dtrace-code" in ran.out and "nknown" not in ran.out,
           "perf names our code", ran)


def main():
    tap = start("root prog:nested")
    if shutil.which("gdb"):
        gdb(tap)
    else:
        tap.skip("gdb names each frame", "gdb is not installed")
    if shutil.which("perf"):
        perf(tap)
    else:
        tap.skip("perf names our code", "perf is not installed")
    tap.done()


if __name__ == "__main__":
    main()
