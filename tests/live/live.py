# SPDX-License-Identifier: BSD-2-Clause
"""Code shared by the live tests: the command under test and its helpers.

A test's argument is the path of dtrace.  It finds the programs of
tests/prog in $PROGS, reports through tap.py, and ends only processes that
it started.
"""

import contextlib
import ctypes
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from tap import Tap, default_signals, first_missing

DTRACE = os.path.abspath(sys.argv[1])
PROGS = os.environ.get("PROGS", "")
# Seconds for a command, on machines that others use, too; an emulated machine
# is slow.
TIMEOUT = max(120, int(os.environ.get("CASE_SECONDS", "0")))


def is_sanitized(path=DTRACE):
    """Is the file built with an address sanitizer?"""
    with open(path, "rb") as file:
        return b"__asan_init" in file.read()


def prog(name):
    return os.path.join(PROGS, name)


def start(needs="root bpf"):
    """Return a Tap; end the test as skipped if one of its needs is not met."""
    default_signals()
    tap = Tap()
    why = first_missing(needs.split())
    if why:
        tap.skip(os.path.basename(sys.argv[0]), why)
        tap.done()
    return tap


class Ran:
    """A finished command."""

    def __init__(self, proc, out, err, seconds):
        self.status, self.out, self.err = proc.returncode, out, err
        self.seconds = seconds

    def __str__(self):
        return (f"status {self.status} after {self.seconds:.2f} s\n"
                f"output: {self.out[:3000]}\nerrors: {self.err[:3000]}")


def run(cmd, timeout=TIMEOUT, **kwargs):
    """Run a command to its end.  It writes to files: a process that it leaves
    behind must not look like the command itself still running."""
    begin = time.monotonic()
    with (tempfile.TemporaryFile("w+") as out,
          tempfile.TemporaryFile("w+") as err):
        proc = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=err, **kwargs)
        late = ""
        try:
            proc.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            proc.kill()
            proc.wait()
            late = f"\nkilled after {timeout} s"
        seconds = time.monotonic() - begin
        out.seek(0)
        err.seek(0)
        return Ran(proc, out.read(), err.read() + late, seconds)


def dtrace(*args, **kwargs):
    return run([DTRACE, *args], **kwargs)


@contextlib.contextmanager
def started(cmd, **kwargs):
    """Start a command; it has ended when the block is left.

    It is killed if the block fails: Popen alone would wait for its end."""
    with subprocess.Popen(cmd, **kwargs) as proc:
        try:
            yield proc
        except BaseException:
            proc.kill()
            raise


@contextlib.contextmanager
def background(*args):
    """Run dtrace in the background; it has ended when the block is left."""
    proc = subprocess.Popen([DTRACE, *args], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)
    try:
        yield proc
    finally:
        proc.kill()
        proc.communicate()


def await_that(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def is_clean(pid, name=""):
    """The process has no memory of dtrace's, and the code of its files whose
    paths end with `name` is that in the files."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        lines = [line.split() for line in maps]
    if any("memfd:dtrace" in " ".join(line) for line in lines):
        return False
    with open(f"/proc/{pid}/mem", "rb") as mem:
        for line in lines:
            if line[1] != "r-xp" or len(line) < 6 or line[5][0] != "/" or \
                    not line[-1].endswith(name):
                continue
            low, high = (int(end, 16) for end in line[0].split("-"))
            mem.seek(low)
            with open(line[5], "rb") as f:
                f.seek(int(line[2], 16))
                if mem.read(high - low) != f.read(high - low):
                    return False
    return True


def table(text):
    """The rows "name  number" of printed aggregations, as a dictionary."""
    rows = {}
    for line in text.splitlines():
        match = re.fullmatch(r"\s*(\S+)\s+(-?\d+)\s*", line)
        if match:
            rows[match.group(1)] = int(match.group(2))
    return rows


def drops(text):
    """The sum of all "N ... drops ..." of the messages."""
    return sum(int(n) for n in
               re.findall(r"dtrace: (\d+)(?: \w+)* drops?\b", text))


def stolen():
    """Seconds for which the host has taken each CPU away so far.

    The steps are clock ticks (10 ms)."""
    tick = os.sysconf("SC_CLK_TCK")
    with open("/proc/stat") as f:
        rows = [line.split() for line in f if re.match(r"cpu\d", line)]
    return {int(row[0][3:]): int(row[8]) / tick for row in rows}


@contextlib.contextmanager
def busy(cpus, seconds, greedy=None):
    """Run spinners on the CPUs, and yield their processes.

    The one on CPU `greedy` takes all the time that it can get."""
    procs = [subprocess.Popen([prog("spin"), str(cpu), str(seconds)] +
                              (["greedy"] if cpu == greedy else []),
                              stdout=subprocess.PIPE, text=True)
             for cpu in cpus]
    try:
        yield procs
    finally:
        for proc in procs:
            proc.kill()
            proc.communicate()


PERF_EVENT_OPEN = 298
ATTR_SIZE = 128         # size of struct perf_event_attr
LOADED_AT = 0x400000    # address of file offset 0 of the programs that use it


@contextlib.contextmanager
def foreign_uprobe(path, function, is_return=False):
    """Attach a uprobe as another tracer would: perf_event_open(2), PMU
    "uprobe"."""
    names = subprocess.run(["nm", path], capture_output=True, text=True,
                           check=True).stdout
    addr = int(re.search(rf"^(\w+) . {function}$", names, re.M).group(1), 16)
    with open("/sys/bus/event_source/devices/uprobe/type") as f:
        pmu = int(f.read())
    name = ctypes.create_string_buffer(path.encode())
    attr = bytearray(ATTR_SIZE)
    # config
    struct.pack_into("<IIQ", attr, 0, pmu, ATTR_SIZE, int(is_return))
    struct.pack_into("<QQ", attr, 56, ctypes.addressof(name), addr - LOADED_AT)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN,
                      (ctypes.c_char * ATTR_SIZE).from_buffer(attr),
                      -1, 0, -1, 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    try:
        yield
    finally:
        os.close(fd)
