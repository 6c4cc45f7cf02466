#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Memory of dtrace and the kernel stays in proportion to the script.

The numbers of possible CPUs and of processes do not matter."""

import contextlib
import glob
import os
import re
import signal
import subprocess
import sys
import time

from live import DTRACE, start, started

# MB: the limit of buffers and aggregations, and that of all other memory.
MAPS_MAX, RSS_MAX = 100, 90
PROCESSES = 1000
SCRIPTS = {
    "system calls counted": "syscall:::entry { @[probefunc] = count(); }",
    "records": "syscall::getpid:entry { trace(pid); }",
    "profile": "profile-97 { @[execname] = count(); }",
    "strings as keys": "syscall::getpid:entry { @[cwd] = count(); }",
    "stacks as keys": "syscall::getpid:entry { @[ustack()] = count(); }",
}


def fdinfo(pid):
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        # dtrace opens and closes files of the processes whose stacks it names
        with contextlib.suppress(FileNotFoundError):
            with open(path, encoding="ascii") as f:
                yield dict(re.findall(r"^(\w+):\s*(\S+)", f.read(), re.M))


def maps_mb(pid):
    """The size of the BPF maps, as the kernel states it."""
    maps = {d["map_id"]: int(d["memlock"])
            for d in fdinfo(pid) if "memlock" in d and "map_id" in d}
    return sum(maps.values()) / 1e6


def resident_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return int(re.search(r"VmRSS:\s*(\d+)", f.read()).group(1)) / 1e3


def measure(script):
    """Measure a tracing script: MB of the kernel and of dtrace, and the
    seconds that it takes to start and to end."""
    begin = time.monotonic()
    with started(
            [DTRACE, "-q", "-n", script + ' BEGIN { printf("go\\n"); }'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True) as proc:
        said = proc.stdout.readline()
        took = time.monotonic() - begin
        time.sleep(0.5)
        sizes = maps_mb(proc.pid), resident_mb(proc.pid)
        begin = time.monotonic()
        proc.send_signal(signal.SIGTERM)
        said += proc.stdout.read()
        proc.wait()
        return sizes, (took, time.monotonic() - begin), said


def claim(tap, name, script):
    (maps, resident), (first, last), said = measure(script)
    print(f"# size: {name}: start {first:.1f} s, end {last:.1f} s, "
          f"{maps:.1f} MB of maps, {resident:.1f} MB resident")
    tap.ok(0 < maps < MAPS_MAX, f"{name}: the kernel's memory is bounded",
           maps, said)
    tap.ok(0 < resident < RSS_MAX, f"{name}: dtrace's memory is bounded",
           resident, said)


@contextlib.contextmanager
def processes(n):
    """Start processes that wait, in a process group of their own."""
    script = f"import os, signal\nfor _ in range({n} - 1):\n" \
        "    if os.fork() == 0: break\nelse: print('ready', flush=True)\n" \
        "signal.pause()"
    with started([sys.executable, "-S", "-c", script], text=True,
                 stdout=subprocess.PIPE,
                 start_new_session=True) as proc:
        is_ready = proc.stdout.readline() == "ready\n"
        try:
            if not is_ready:
                raise RuntimeError(f"{n} processes cannot be made")
            yield
        finally:
            os.killpg(proc.pid, signal.SIGKILL)


def main():
    tap = start()
    with open("/sys/devices/system/cpu/possible", encoding="ascii") as f:
        print(f"# possible CPUs: {f.read().strip()}")
    for name, script in SCRIPTS.items():
        claim(tap, name, script)
    with processes(PROCESSES):
        for name in "system calls counted", "stacks as keys":
            claim(tap, f"{name}, {PROCESSES} processes", SCRIPTS[name])
    tap.done()


main()
