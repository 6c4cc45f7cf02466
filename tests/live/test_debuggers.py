#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The output of gdb and perf for dtrace's code in a program."""

import collections
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time

from live import DTRACE, prog, run, start

PROG = os.path.abspath(os.path.join(os.environ["PROGS"], "nested"))
TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                     "tools")
LEAF = "pid$target:a.out:nested_leaf:"
CALLERS = ["nested_middle", "nested_outer", "main"]
STEPS = 300
# Step through a whole call of the leaf; print the frames at each instruction.
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
def tracing(*args):
    """Run the block once dtrace's script has printed "traced"; yields its
    output."""
    with tempfile.TemporaryFile("w+") as told:
        tracer = subprocess.Popen(
            [DTRACE, "-x", "substrate=process", *args],
            stdin=subprocess.DEVNULL, stdout=told, stderr=told)
        try:
            until = time.monotonic() + 20
            text = ""
            while not re.search("traced.*\n", text) and \
                    time.monotonic() < until:
                time.sleep(0.05)
                told.seek(0)
                text = told.read()
            yield text
        finally:
            tracer.terminate()
            tracer.wait()


@contextlib.contextmanager
def traced(script):
    """Run the block while dtrace traces the program, which must end well."""
    with program() as proc, tracing(
            "-n", script, "-n", "BEGIN { printf(\"traced\\n\"); }", "-p",
            str(proc.pid)):
        yield proc


def gdb_steps(pid):
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write(STEPPER)
        script.flush()
        return run(["gdb", "-nx", "-q", "-batch", "-p", str(pid), "-x",
                    os.path.join(TOOLS, "dtrace-gdb.py"), "-x", script.name],
                   timeout=120)


def is_right(names):
    """Is the first frame, and no other, dtrace's, and the others the
    program's?"""
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


def at_home(data, *cmd):
    """Run perf with its cache beside its data."""
    return run(cmd, env={**os.environ, "HOME": os.path.dirname(data)})


@contextlib.contextmanager
def recorded(tap, claim, *pids):
    """Yield perf's record of the processes, or None."""
    with tempfile.TemporaryDirectory(prefix="dt-perf.") as folder:
        data = os.path.join(folder, "perf.data")
        ran = at_home(data, "perf", "record", "-F", "4000", "-e", "cpu-clock",
                      "-o", data, "-p", ",".join(pids), "--", "sleep", "1")
        if ran.status != 0:
            tap.skip(claim, ran.err.splitlines()[0])
        yield data if ran.status == 0 else None


def name_code(data):
    return at_home(data, os.path.join(TOOLS, "dtrace-perf.py"), "-i", data)


def report(data):
    """The functions in dtrace's code that perf reports, by file."""
    ran = at_home(data, "perf", "report", "-i", data, "--stdio", "--sort",
                  "dso,sym")
    shown = collections.defaultdict(set)
    for line in ran.out.splitlines():
        found = re.search(r"memfd:(\S+) \(deleted\) +\[\.\] (.*\S)", line)
        if found is not None:
            shown[found[1]].add(found[2])
    return shown


def perf(tap, bodies, *functions):
    claim = "perf names our code: " + " and ".join(bodies)
    with contextlib.ExitStack() as stack:
        pids = [str(stack.enter_context(traced(LEAF + "entry " + body)).pid)
                for body in bodies]
        data = stack.enter_context(recorded(tap, claim, *pids))
        if data is None:
            return
        before = report(data)
        named = name_code(data)
        after = report(data)
        again = name_code(data)
    names = before["dtrace-code"] | before["dtrace"]
    missed = {name for name in after["dtrace-code"] if name.startswith("0x")}
    ours = {f"dtrace`pid{pid}:a.out:nested_leaf:entry" for pid in pids}
    jumps = {f"dtrace`pid{pid}:nested:nested_leaf:entry" for pid in pids}
    tap.ok(names and all(name.startswith("0x") for name in names) and
           not missed and ours | {*functions} <= after["dtrace-code"] and
           after["dtrace"] <= jumps and
           # names for most of the code, if functions are called there
           (functions or after["dtrace"]) and
           named.status == 0 and again.status == 0 and
           ": 0 new names" in again.out, claim, before, after, named, again)


def perf_too_late(tap):
    claim = "what is not traced any more has no names, and that is reported"
    with contextlib.ExitStack() as stack:
        with traced(LEAF + "entry { @ = count(); }") as proc:
            data = stack.enter_context(recorded(tap, claim, str(proc.pid)))
        if data is None:
            return
        with open(data, "rb") as content:
            before = content.read()
        ran = name_code(data)
        with open(data, "rb") as content:
            after = content.read()
    tap.ok(ran.status == 1 and f"of process {proc.pid};" in ran.err and
           "Traceback" not in ran.err and before == after, claim, ran)


def perf_late(tap):
    claim = "perf names code for what the program has loaded while traced"
    probe = "pid$target:loaded.so:fn_loaded:entry"
    with tracing("-Z", "-n", probe + " { @[arg0 & 7] = count(); }", "-n",
                 probe + " /!told++/ { printf(\"traced %d\\n\", pid); }", "-c",
                 f"{prog('loads')} {prog('loaded.so')} 100000000000") as text:
        pid = re.search(r"traced (\d+)", text)[1]
        with recorded(tap, claim, pid) as data:
            if data is None:
                return
            named = name_code(data)
            after = report(data)
    name = f"dtrace`pid{pid}:loaded.so:fn_loaded:entry"
    tap.ok(named.status == 0 and name in after["dtrace-code"] and not any(
        name.startswith("0x") for name in after["dtrace-code"]), claim, named,
           after)


def perf_all(tap):
    keyed = "{ @[arg0 & 7, execname] = quantize(timestamp); }"
    perf(tap, ["{ @ = count(); }"])
    perf(tap, [keyed], "pr_agg_keyed")
    perf(tap, ["{ @ = count(); }", keyed], "pr_agg_keyed")
    perf_late(tap)
    perf_too_late(tap)


def main():
    tap = start("root prog:nested prog:loads")
    if shutil.which("gdb"):
        gdb(tap)
    else:
        tap.skip("gdb names each frame", "gdb is not installed")
    if shutil.which("perf"):
        perf_all(tap)
    else:
        tap.skip("perf names our code", "perf is not installed")
    tap.done()


if __name__ == "__main__":
    main()
