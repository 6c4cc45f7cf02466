#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Control-C ends dtrace at any stage of its work, and nothing is left behind.

A program of 64 MB of code and a million functions takes dtrace seconds to
read, to plan and to plant.  Interrupts come at moments spread over that
time.
"""

import os
import select
import signal
import subprocess
import tempfile
import time

import bigelf
from live import DTRACE, is_sanitized, start

NFUNCS = 1 << 20 if not is_sanitized() else 1 << 17
SOON = 5  # seconds; an idle machine needs a tenth of one.  On a busy one, where
# all takes longer, the limit is the time until an uninterrupted dtrace traces.
WHOLE_MAX = 170
SCRIPTS = {
    "in processes": ("process", "pid$target::f000*:entry { @ = count(); }"),
    "in the kernel": ("kernel", "pid$target::f000*:entry { @ = count(); }"),
}
MOMENTS = 4


class Target:
    """The running program, and the bytes of its code."""

    def __init__(self, path):
        self.proc = subprocess.Popen([path], stdout=subprocess.PIPE)
        self.proc.stdout.readline()
        self.code = self.read_code()

    def read_code(self):
        with open(f"/proc/{self.proc.pid}/mem", "rb") as file:
            file.seek(bigelf.BASE + bigelf.HEADERS)
            return file.read(bigelf.STEP * 4096)

    def is_as_before(self):
        """Does it run, untraced, with its own code?"""
        with open(f"/proc/{self.proc.pid}/status") as file:
            status = file.read()
        return (self.proc.poll() is None and "TracerPid:\t0\n" in status and
                self.read_code() == self.code)

    def end(self):
        self.proc.kill()
        self.proc.communicate()


def begin(target, script):
    substrate, text = SCRIPTS[script]
    return subprocess.Popen(
        [DTRACE, "-q", "-x", f"substrate={substrate}", "-x", "debug", "-x",
         "analysismax=4g", "-n",
         text + "BEGIN { printf(\"begun\\n\"); }", "-p",
         str(target.proc.pid)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def end(proc, soon=SOON):
    """Interrupt; returns the status, milliseconds and the output."""
    sent = time.monotonic()
    proc.send_signal(signal.SIGINT)
    try:
        out = proc.communicate(timeout=soon)[0]
    except subprocess.TimeoutExpired:
        proc.kill()
        return None, soon * 1000, proc.communicate()[0]
    return proc.returncode, (time.monotonic() - sent) * 1000, out


def until_tracing(target, script):
    """The seconds that dtrace takes without an interrupt."""
    proc = begin(target, script)
    began = time.monotonic()
    for line in proc.stdout:
        if line.rstrip().endswith(": tracing"):
            break
        if time.monotonic() - began > WHOLE_MAX:
            break
    seconds = time.monotonic() - began
    end(proc, WHOLE_MAX)
    return seconds


def interrupted(tap, target, script, whole):
    wrong, took = [], []
    for i in range(MOMENTS):
        proc = begin(target, script)
        select.select([], [], [], whole * (i + 0.3) / MOMENTS)
        status, ms, out = end(proc, max(SOON, whole))
        took.append(ms)
        # status 0: tracing may have begun, and then ends in order
        if status not in (0, -signal.SIGINT) or not target.is_as_before():
            wrong.append((i, status, ms, out[-500:]))
    print(f"# {script}: {whole:.1f} s until it traces; interrupted, it ended "
          f"within {', '.join(f'{ms:.0f}' for ms in took)} ms")
    tap.ok(not wrong, f"Control-C ends dtrace at any moment ({script}), and "
           "the program is as before", wrong)


def command(tap, path):
    """A command that is not released yet ends with dtrace."""
    proc = subprocess.Popen(
        [DTRACE, "-q", "-x", "substrate=process", "-x", "analysismax=4g", "-n",
         SCRIPTS["in processes"][1], "-c", path], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(0.5)
    status, ms, out = end(proc)
    tap.ok(status == -signal.SIGINT or (status == 0 and "ready" in out),
           "... with a command of -c", status, ms, out)


def main():
    tap = start("root bpf")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "big")
        bigelf.write(path, NFUNCS)
        target = Target(path)
        for script in SCRIPTS:
            interrupted(tap, target, script, until_tracing(target, script))
        target.end()
        command(tap, path)
    tap.done()


if __name__ == "__main__":
    main()
