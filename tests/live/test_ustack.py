#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks of real programs without frame pointers: dtrace's equal gdb's.

Each program blocks in a system call.  The last stack that ustack() gave
there must be the one that gdb finds while the program still blocks.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from live import background, dtrace, foreign_uprobe, prog, start
from servers import NGINX, REDIS, Nginx, Redis
from tap import missing_need

TRIES = 5
DEPTH = 30
FRAMES = r"""
BEGIN { trace("ready"); }
syscall:::entry /tid == $1/ { trace(probefunc); ustack(200); }
"""
GDB = r"""
import gdb
gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
for thread in gdb.selected_inferior().threads():
    if thread.ptid[1] == %d:
        thread.switch()
f = gdb.newest_frame()
while f is not None:
    if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
        print("pc", hex(f.pc()), f.name())
    f = f.older()
"""
PYTHON = """
import sys
def f(n):
    return [f(n - 1) for _ in range(1)] if n else sys.stdin.readline()
while f(%d):
    pass
"""
BASH = """
f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else read -r line; fi; }
while f %d; do :; done
"""
FIB = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function outer() {
    const end = Date.now() + 20000;
    while (Date.now() < end)
        fib(15);
}
outer();
"""
SAMPLES = """
profile-199 /pid == $1 && arg1 != 0/ { jstack(100); printf("\\n"); }
tick-2s { exit(0); }
"""
DEPTH_D = """
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
    printf("%d %d", ustackdepth - arg2, ucaller == arg1);
}
"""
CLOCKS_D = """
profile-4999 /pid == $target && arg1 != 0/ { ustack(); }
"""


def gdb_frames(pid):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(GDB % pid)
        script.flush()
        ran = subprocess.run(
            ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
             "-iex", "set auto-load off", "-p", str(pid), "-x", script.name],
            capture_output=True, text=True, timeout=120)
    return re.findall(r"^pc (0x[0-9a-f]+) (\S+)", ran.stdout, re.M)


def last_frames(text):
    """The position and the frames' addresses of the last stack."""
    firings = [line for line in text.splitlines() if '"ustack"' in line]
    where, stack = json.loads(firings[-1])["actions"]
    return where["value"], [f"0x{f['address']:x}" for f in stack["frames"]]


def our_frames(pid, poke):
    """The stack with which a program blocks after poke()."""
    with background("-q", "-x", "oformat=json", "-x", "switchrate=50ms",
                    "-n", FRAMES, str(pid)) as proc:
        while "ready" not in proc.stdout.readline():
            pass
        poke()
        time.sleep(0.6)
        proc.send_signal(signal.SIGINT)
        out, err = proc.communicate(timeout=30)
    return out, err


def compare(tap, name, pid, poke):
    for _ in range(TRIES):
        out, err = our_frames(pid, poke)
        theirs = gdb_frames(pid)
        where, ours = last_frames(out)
        if ours == [pc for pc, _ in theirs]:
            break
    tap.ok(len(ours) >= 5 and ours == [pc for pc, _ in theirs],
           f"{name}: {len(ours)} frames",
           f"{where}\nours: {ours}\ngdb's: {theirs}\n{err[-500:]}")


@contextlib.contextmanager
def running(*cmd, **kwargs):
    proc = subprocess.Popen(cmd, **kwargs, stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        yield proc
    finally:
        proc.kill()
        proc.wait()


def reader(tap, name, line, *cmd):
    """A program that reads commands from its input."""
    with running(*cmd) as proc:
        def poke():
            proc.stdin.write(line)
            proc.stdin.flush()

        poke()
        compare(tap, name, proc.pid, poke)


def served(tap, name, server, request):
    """A server that waits for connections."""
    def poke():
        with server.connect() as sock:
            sock.sendall(request)
            sock.recv(100)

    compare(tap, name, server.proc.pid, poke)


def servers(tap, where):
    for path, kind, request in (
            (REDIS, Redis, b"PING\r\n"),
            (NGINX, Nginx, b"GET / HTTP/1.0\r\n\r\n")):
        name = os.path.basename(path)
        if os.path.exists(path):
            with kind(where) as server:
                served(tap, name, server, request)
        else:
            tap.skip(name, "not installed")


def javascript(tap, where):
    """Functions of sampled JavaScript have their names, down to node's
    _start."""
    if not shutil.which("node"):
        tap.skip("node", "not installed")
        return
    script = os.path.join(where, "fib.js")
    with open(script, "w") as f:
        f.write(FIB)
    with running("node", "--perf-basic-prof", script, cwd=where) as proc:
        time.sleep(1)
        ran = dtrace("-q", "-n", SAMPLES, str(proc.pid))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"/tmp/perf-{proc.pid}.map")
    stacks = [[line.strip() for line in stack.splitlines()]
              for stack in ran.out.split("\n\n") if "fib" in stack]
    whole = [s for s in stacks if any("JS:" in f and "outer" in f for f in s)
             and any(f.startswith("node`_start") for f in s)]
    tap.ok(len(stacks) > 20 and len(whole) > len(stacks) * 0.8,
           f"node: {len(whole)} of {len(stacks)} stacks go from fib() down to "
           "_start", ran)


def kernels_code(tap):
    """The vdso has its callers when it is interrupted at any instruction."""
    why = missing_need("rate:4999")
    if why:
        tap.skip("the vdso", why)
        return
    ran = dtrace("-q", "-x", "stackindent=0", "-n", CLOCKS_D, "-c",
                 f"{prog('clocks')} 3")
    stacks = [re.sub(r"\+0x\w+", "", stack).split()
              for stack in ran.out.split("\n\n") if "[vdso]" in stack]
    callers = {tuple(f for f in stack if "[vdso]" not in f)
               for stack in stacks}
    tap.ok(len(stacks) > 100 and len(callers) == 1 and
           len(callers.pop()) == 6,
           f"the vdso, {len(stacks)} times", ran)


def replaced_returns(tap):
    """A uretprobe replaces a function's return address by its own."""
    path = prog("chain")
    with foreign_uprobe(path, "descend", is_return=True):
        ran = dtrace("-q", "-n", DEPTH_D, "-c", f"{path} 9")
    tap.ok(ran.out.strip() == "0 1",
           "functions that another tracer lets return elsewhere", ran)


def main():
    tap = start("root bpf cmd:gdb prog:chain prog:clocks")
    replaced_returns(tap)
    kernels_code(tap)
    reader(tap, "bash", b"line\n", "/bin/bash", "-c", BASH % DEPTH)
    reader(tap, "python3", b"line\n", "/usr/bin/python3", "-c",
           PYTHON % DEPTH)
    if shutil.which("sqlite3"):
        reader(tap, "sqlite3", b"select 1;\n", "sqlite3")
    else:
        tap.skip("sqlite3", "not installed")
    with tempfile.TemporaryDirectory() as where:
        os.chmod(where, 0o777)
        servers(tap, where)
        javascript(tap, where)
    tap.done()


main()
