#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Probes in running processes come and go, and the processes do not notice.

PID_ROUNDS in the environment says how often probes are enabled and disabled
while 100 threads call the function (make soak: 1000)."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

from live import DTRACE, background, dtrace, prog, start, started, table

ROUNDS = int(os.environ.get("PID_ROUNDS", "10"))


@contextlib.contextmanager
def traced(*args):
    """Run a program of tests/prog that prints "ready" and ends with its input.

    It runs at idle priority, or enabling would take seconds."""
    proc = subprocess.Popen(["chrt", "--idle", "0", prog(args[0]), *args[1:]],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    proc.stdout.readline()
    try:
        yield proc
    finally:
        proc.kill()
        proc.wait()


def end(proc):
    """End the program; returns its remaining output."""
    out, _ = proc.communicate(timeout=60)
    return out


def state(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def is_traced(pid):
    with open(f"/proc/{pid}/status") as f:
        return not re.search(r"^TracerPid:\s+0$", f.read(), re.M)


def hammered(tap):
    script = """
        pid$target::fn_hammer:entry, pid$target::fn_first:entry,
        pid$target::fn_hammer:return, pid$target::fn_first:return
        { @[probename] = count(); seen = 1; }
        tick-20ms /seen/ { exit(0); }
        END { printa("%s %@d\\n", @); }"""
    unseen, uneven, failed = 0, 0, ""
    with traced("hammer", "100") as proc:
        for _ in range(ROUNDS):
            ran = dtrace("-q", "-n", script, "-p", str(proc.pid))
            rows = table(ran.out)
            failed = failed or (ran if ran.status != 0 else "")
            unseen += not rows
            uneven += abs(rows.get("entry", 0) - rows.get("return", 0)) > 200
        out = end(proc)
    tap.ok(not failed and re.fullmatch(r"\d+ calls, 0 wrong\n", out),
           f"{ROUNDS} rounds under 100 threads, no call comes back wrong",
           failed or out)
    tap.ok(unseen == 0, "each round sees calls", unseen)
    tap.ok(uneven == 0, "as many returns as entries, but for calls under way",
           uneven)


def exact(tap):
    """Probes are enabled before the calls begin, so every call is counted."""
    with traced("calls", "counts", "wait", "1000") as proc:
        with background("-q", "-n", """
                pid$target:a.out:fn_nop:entry, pid$target:a.out:fn_nop:return
                { @[probename] = count(); }
                BEGIN { printf("go\\n"); }
                END { printa("%s %@d\\n", @); }""",
                        "-p", str(proc.pid)) as tracer:
            tracer.stdout.readline()
            proc.communicate("\n", timeout=60)
            rows = table(tracer.communicate(timeout=30)[0])
    tap.ok(rows == {"entry": 1000, "return": 1000},
           "-p: every call from the beginning to the process's end", rows)


# A breakpoint on three functions, and how often each is hit.  The first
# instruction of fn_nop is the cheapest place for a probe; the other functions
# have another such place near their beginning.
GDB = """
set pagination off
set confirm off
set startup-with-shell off
{functions}
{begin}
python
hits = {{}}
print("gdb begins", flush=True)
gdb.execute("{go}")
while gdb.selected_inferior().pid != 0:
    name = gdb.selected_frame().name()
    hits[name] = hits.get(name, 0) + 1
    gdb.execute("continue")
print("hits", sorted(hits.items()), flush=True)
end
"""
PROBES = """
BEGIN { printf("go\\n"); }
pid$target:a.out:fn_nop:entry, pid$target:a.out:fn_pushes:entry,
pid$target:a.out:fn_endbr:entry { @[probefunc] = count(); }
END { printa("%s %@d\\n", @); }"""


def gdb(functions, begin, go, *args):
    script = tempfile.NamedTemporaryFile("w", suffix=".gdb")
    script.write(GDB.format(functions="\n".join(f"break {f}" for f in functions),
                            begin=begin, go=go))
    script.flush()
    proc = subprocess.Popen(["gdb", "-nx", "-q", "-batch", "-x", script.name,
                             *args], stdin=subprocess.PIPE, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return proc, script


def wait_for(stream, words):
    for line in stream:
        if words in line:
            return line
    return ""


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return f.read().split()[0]


def debugged_before(tap):
    names = ["fn_endbr", "fn_nop", "fn_pushes"]
    proc, script = gdb(names, "", "run counts wait 3", prog("calls"))
    with script:
        wait_for(proc.stdout, "ready")
        with background("-q", "-n", PROBES, "-p",
                        child_of(proc.pid)) as tracer:
            tracer.stdout.readline()
            out, _ = proc.communicate("\n", timeout=60)
            rows = table(tracer.communicate(timeout=30)[0])
    tap.ok(f"hits {[(n, 3) for n in names]}" in out and
           rows == dict.fromkeys(names, 3),
           "breakpoints that were there before keep working", (out, rows))


def debugged_after(tap):
    names = ["fn_endbr", "fn_pushes"]
    with traced("calls", "counts", "wait", "3") as target:
        with background("-q", "-n", PROBES, "-p", str(target.pid)) as tracer:
            tracer.stdout.readline()
            proc, script = gdb(names, "", "continue", "-p", str(target.pid))
            with script:
                wait_for(proc.stdout, "gdb begins")
                target.stdin.write("\n")
                target.stdin.close()
                out, _ = proc.communicate(timeout=60)
            rows = table(tracer.communicate(timeout=30)[0])
    tap.ok(f"hits {[(n, 3) for n in names]}" in out and
           rows == dict.fromkeys(names + ["fn_nop"], 3),
           "so do those beside probes that come later", (out, rows))


INSIDE = """
BEGIN { printf("go\\n"); }
pid$target:a.out:fn_nop: { @[probefunc] = count(); }"""


def debugged_inside(tap):
    """A place with a breakpoint gets no probe, at returns and within functions
    too; a script that names only that probe is refused."""
    place = "*(char *)fn_nop"
    proc, script = gdb([place], "", "run counts wait 3", prog("calls"))
    with script:
        wait_for(proc.stdout, "ready")
        pid = child_of(proc.pid)
        alone = dtrace("-qn", "pid$target:a.out:fn_nop:0 { }", "-p", pid)
        with background("-q", "-n", INSIDE, "-p", pid) as tracer:
            tracer.stdout.readline()
            out, _ = proc.communicate("\n", timeout=60)
            err = tracer.communicate(timeout=30)[1]
    tap.ok("hits [('fn_nop', 3)]" in out and
           "a debugger has a breakpoint there" in err and
           alone.status == 1 and "a debugger has a breakpoint" in alone.err,
           "a pattern leaves out the place of a breakpoint", out, err, alone)


def told_of_debugger(tap):
    with traced("calls", "counts", "wait", "3") as target:
        with background("-q", "-n", PROBES, "-p", str(target.pid)) as tracer:
            tracer.stdout.readline()
            proc, script = gdb(["fn_endbr"], "", "continue", "-p",
                               str(target.pid))
            with script:
                line = wait_for(tracer.stderr, "a debugger or strace")
                gdb_pid = proc.pid
                target.stdin.write("\n")
                target.stdin.close()
                proc.communicate(timeout=60)
            tracer.communicate(timeout=30)
    tap.ok(f"pid {target.pid} is traced by process {gdb_pid}" in line and
           "SIGTRAP" in line, "a debugger that comes later is reported", line)


def killed(tap):
    """kill -9 of dtrace at any time leaves the process running."""
    stopped, still_traced = 0, 0
    with traced("hammer", "4") as proc:
        for _ in range(10):
            tracer = subprocess.Popen(
                [DTRACE, "-q", "-n", "pid$target:::entry { @ = count(); }",
                 "-p", str(proc.pid)], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.5))
            tracer.kill()
            tracer.wait()
            stopped += state(proc.pid) in "tT"
            still_traced += is_traced(proc.pid)
        out = end(proc)
    tap.ok(stopped == 0 and still_traced == 0,
           "kill -9 of dtrace never leaves a process stopped",
           (stopped, still_traced))
    tap.ok(" 0 wrong" in out, "nor with a call that comes back wrong", out)


def killed_with_command(tap):
    """A killed dtrace leaves no half-started command behind."""
    left = 0
    for i in range(16):
        name = f"{random.getrandbits(60):x}"
        where = ("exec", "preinit", "postinit", "main")[i % 4]
        tracer = subprocess.Popen(
            [DTRACE, "-q", "-x", f"evaltime={where}", "-n",
             "pid$target:::entry { @ = count(); }",
             "-c", f"{prog('known')} {'sleep:1 ' * 40}{name}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.3))
        tracer.kill()
        tracer.wait()
        time.sleep(0.05)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/cmdline") as f:
                    if name in f.read():
                        left += state(int(pid)) in "tT"
                        os.kill(int(pid), signal.SIGKILL)
    tap.ok(left == 0, "kill -9 of dtrace leaves no half-made command", left)


ALL = """pid$target:::entry,pid$target:::return { @[probefunc] = count(); }
    pid$target:libc[-.]*:read:return { @reads = count(); }
    BEGIN { printf("begun\\n"); }
    END { printa("reads %@d\\n", @reads); }"""


def idle(tap):
    """A process that waits in a call can be traced, and goes on waiting,
    within the process as well."""
    for substrate in "process", "kernel":
        with started(["cat"], stdin=subprocess.PIPE, text=True,
                     stdout=subprocess.PIPE) as proc:
            while "S" not in state(proc.pid):
                time.sleep(0.01)
            with background("-q", "-x", "substrate=" + substrate, "-n", ALL,
                            "-p", str(proc.pid)) as tracer:
                begun = tracer.stdout.readline()
                time.sleep(0.1)
                for line in "one\n", "two\n":
                    proc.stdin.write(line)
                    proc.stdin.flush()
                    begun += proc.stdout.readline()
                proc.stdin.close()
                out, err = tracer.communicate(timeout=60)
        tap.ok(begun == "begun\none\ntwo\n" and proc.returncode == 0,
               f"cat goes on where it waits: {substrate}", begun, err)
        tap.ok("reads 3\n" in out and "before a thread" not in err,
               f"and each of its reads is seen: {substrate}", out, err)


def main():
    tap = start()
    exact(tap)
    idle(tap)
    if shutil.which("gdb"):
        debugged_before(tap)
        debugged_after(tap)
        debugged_inside(tap)
        told_of_debugger(tap)
    else:
        tap.skip("breakpoints of gdb", "gdb is not installed")
    hammered(tap)
    killed(tap)
    killed_with_command(tap)
    tap.done()


main()
