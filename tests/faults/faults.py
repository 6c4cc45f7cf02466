# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command while calls of one kind fail, and reports the result.

plan.h has the layout of the file that is shared with the library in the
command; fail.c is the library.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import re
import signal
import struct
import subprocess
import tempfile
import time

KINDS = {"alloc": 1, "open": 2, "fd": 4, "mmap": 8, "bpf": 16, "perf": 32,
         "ptrace": 64, "gone": 128, "memory": 256, "fork": 512, "space": 1024,
         "read": 2048}
HEAD = struct.Struct("=12I")
OBJECTS, MODULES, CALLS, DEPTH = 4096, 48, 60000, 12
MODULE = struct.Struct("=64s3Q")
CALL = struct.Struct(f"=24s4I{DEPTH}Q")
MODULES_AT = HEAD.size + 8 * OBJECTS
CALLS_AT = MODULES_AT + MODULES * MODULE.size
SIZE = CALLS_AT + CALLS * CALL.size
# Messages of good runs that differ from one run to the next.
CHANCE = re.compile(r"dtrace: (\d+ profile firings? missed or late|"
                    r"[^\n]* served at http:)[^\n]*\n")
# A trace that goes on without a part says so, with the errno or in these words.
PARTIAL = re.compile(r"addresses are printed as numbers|couldn't freopen\(\)|"
                     r"cannot run '|buffer size lowered to|tables? for walking stacks dropped|"
                     r"files are not seen; the first is|"
                     r"loads? of code seen too late")
TAG = "FAULT_RUN"
TIMEOUT = 60
LEFT_SECONDS = 10   # what ends by itself after the command may take so long
# The library comes before the sanitizer's, and calls it.
ASAN = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
EMPTY = re.compile(r"Success|\(null\)|Unknown error|: *$|error 0\b|^dtrace: "
                   r"(error|failed)\W*$")
NOMEM = re.compile(r"out of memory|[Cc]annot allocate memory|has no memory for")
SANITIZER = re.compile(r"(Address|Leak)Sanitizer: |runtime error: ")
OUT_OF_MEMORY = re.compile(r"dtrace: out of memory "
                           r"\((?:wanted \d+ bytes|in libdw)\)\n\Z")
# The C library ends a program that has no memory for a library's thread-local
# data; no caller of dlopen() can prevent it.
LIBC_ENDS = "cannot allocate memory for thread-local data: ABORT"


class Call:
    """A counted call: its name and backtrace.

    Frames are offsets in files, the innermost one first."""

    def __init__(self, fields, modules):
        self.name = fields[0].rstrip(b"\0").decode()
        self.kind, self.pid, depth = fields[1:4]
        self.way = tuple(place(a, modules) for a in fields[5:5 + depth])

    def is_from(self, library):
        return bool(self.way) and self.way[0][0].startswith(library)

    def __str__(self):
        return f"{self.name} at " + " < ".join(
            f"{name}+{off:#x}" for name, off in self.way[:8])


def place(addr, modules):
    for name, base, low, high in modules:
        if low <= addr < high:
            return os.path.basename(name) or "dtrace", addr - base
    return "?", 0


class Plan:
    """The file that is shared with the library."""

    def __init__(self, folder):
        self.file = tempfile.NamedTemporaryFile(dir=folder, prefix="plan.")
        self.file.truncate(SIZE)
        os.chmod(self.file.name, 0o666)
        self.map = mmap.mmap(self.file.fileno(), SIZE)

    def set(self, kinds, fail=0, onward=False, error=0, keep=False):
        self.map[:HEAD.size] = HEAD.pack(SIZE, kinds, fail, onward, error,
                                         keep, 0, 0, 0, 0, 0, 0)

    def head(self):
        return HEAD.unpack(self.map[:HEAD.size])

    @property
    def counted(self):
        return self.head()[6]

    @property
    def failed(self):
        return self.head()[7]

    def calls(self):
        modules = []
        for i in range(self.head()[9]):
            name, *addrs = MODULE.unpack_from(self.map,
                                              MODULES_AT + i * MODULE.size)
            modules.append((name.rstrip(b"\0").decode(), *addrs))
        return [Call(CALL.unpack_from(self.map, CALLS_AT + i * CALL.size),
                     modules)
                for i in range(min(self.head()[8], CALLS))]

    def objects(self):
        """(bpf(2) command, id) of all objects that were made."""
        n = min(self.head()[10], OBJECTS)
        words = struct.unpack_from(f"={n}Q", self.map, HEAD.size)
        return [(word >> 32, word & 0xffffffff) for word in words]


LIBC = ctypes.CDLL(None, use_errno=True)


def exists(command, number):
    attr = (ctypes.c_uint32 * 32)(number)
    fd = LIBC.syscall(321, command, ctypes.byref(attr), 12)
    if fd < 0:
        return False
    os.close(fd)
    return True


def has_tag(pid, tag):
    with open(f"/proc/{pid}/environ", "rb") as f:
        return tag in f.read()


def is_in_session(pid, session):
    with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
        state, _, _, its = f.read().rpartition(")")[2].split()[:4]
    return state not in "ZX" and int(its) == session


def tagged(tag, session):
    """Processes that have the run's tag in their environment, or are in its
    session: while a process executes a program, it has no environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if has_tag(pid, tag) or is_in_session(pid, session):
                found.append(int(pid))
    return found


def wait_empty(look):
    """The things that look() still finds at the end of LEFT_SECONDS."""
    end = time.monotonic() + LEFT_SECONDS
    nap = 0.005
    while (left := look()) and time.monotonic() < end:
        time.sleep(nap)
        nap = min(nap * 2, 0.2)
    return left


class Target:
    """A program that dtrace attaches to (-p) and must leave as it was.

    It is tests/prog/entered.c: its threads call a function of known result
    all the time, and at the end report how often the result was wrong."""

    def __init__(self, path, user):
        self.proc = subprocess.Popen(
            [path, "hammer", "2"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, **ids_of(user))
        self.pid = self.proc.pid
        self.place = int(self.proc.stdout.readline().split()[1], 16)
        self.order()
        self.code = self.read_code()

    def order(self):
        self.proc.stdin.write("\n")
        self.proc.stdin.flush()
        return self.proc.stdout.readline().strip()

    def read_code(self):
        with open(f"/proc/{self.pid}/mem", "rb") as f:
            f.seek(self.place & ~4095)
            return f.read(4096)

    def state(self):
        """The traces of dtrace that are still in the program."""
        with open(f"/proc/{self.pid}/maps", encoding="ascii") as f:
            left = [line.split()[-1] for line in f if "memfd:dtrace" in line]
        if self.read_code() != self.code:
            left.append("changed code")
        with open(f"/proc/{self.pid}/status", encoding="ascii") as f:
            text = f.read()
        left += re.findall(r"TracerPid:\t[1-9]\d*|State:\t[Tt].*", text)
        return left

    def finish(self):
        """The faults of the program after dtrace has ended."""
        wrong = []
        try:
            wrong += wait_empty(self.state)
            said = self.order()
            if not re.fullmatch(r"calls [1-9]\d* wrong 0", said):
                wrong.append(f"it says '{said}'")
            self.proc.communicate(timeout=TIMEOUT)
        except (OSError, subprocess.TimeoutExpired) as e:
            wrong.append(str(e))
        finally:
            self.proc.kill()
            self.proc.wait()
        if self.proc.returncode != 0:
            wrong.append(f"status {self.proc.returncode}")
        return wrong


def ids_of(user):
    return {} if user is None else \
        {"user": user, "group": user, "extra_groups": []}


class Result:
    """The result of a run."""

    def __init__(self, status, out, err, is_late, speaker):
        self.status, self.out, self.err = status, out, err
        self.is_late, self.speaker = is_late, speaker
        self.left, self.target = [], []
        self.made = None    # contents of the file that the command makes
        self.is_half = False    # ... which only a good end should leave
        self.failed, self.calls = 0, []

    def __str__(self):
        return f"status {self.status}\noutput: {self.out[:1000]}\n" \
            f"errors: {self.err[:1500]}"


class Runner:
    """Runs one command after the other, each in a directory that holds only the
    files which are given (contents by name).  What the command makes there, if
    it goes well, is part of what it puts out.  Its messages begin with what
    `speaker` matches."""

    count = 0

    def __init__(self, library, user=None, target=None, shape=str, given=None,
                 makes=None, speaker="dtrace: "):
        self.library, self.user, self.target = library, user, target
        self.shape, self.given, self.makes = shape, given or {}, makes
        self.speaker = re.compile(speaker)
        self.plan = Plan(os.environ.get("TMPDIR", "/dev/shm"))

    def run(self, command, env=None, **plan):
        Runner.count += 1
        tag = f"{os.getpid()}.{id(self):x}.{Runner.count}"
        self.plan.set(**plan)
        target = Target(self.target, self.user) if self.target else None
        if target:
            command = [*command, "-p", str(target.pid)]
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            for name, contents in self.given.items():
                with open(os.path.join(folder, name), "wb") as f:
                    f.write(contents)
            result = self.run_in(folder, command, tag, env or {})
        if target:
            result.target = target.finish()
        result.failed = self.plan.failed
        result.counted = self.plan.counted
        result.calls = self.plan.calls()
        result.shape = self.shape(result.out), result.made
        return result

    def run_in(self, folder, command, tag, extra):
        env = dict(os.environ, TMPDIR=folder, LD_PRELOAD=self.library,
                   FAULT_PLAN=self.plan.file.name, ASAN_OPTIONS=ASAN,
                   **{TAG: tag}, **extra)
        with (tempfile.TemporaryFile("w+") as out,
              tempfile.TemporaryFile("w+") as err):
            proc = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                cwd=folder, env=env, start_new_session=True, **ids_of(self.user))
            is_late = False
            try:
                proc.wait(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                is_late = True
                os.killpg(proc.pid, signal.SIGKILL)
                proc.wait()
            out.seek(0)
            err.seek(0)
            result = Result(proc.returncode, out.read(), err.read(), is_late,
                            self.speaker)
        if self.makes and os.path.exists(os.path.join(folder, self.makes)):
            with open(os.path.join(folder, self.makes), "rb") as f:
                result.made = f.read()
            result.is_half = self.makes not in self.given
        result.left = self.left(folder, f"{TAG}={tag}\0".encode(), proc.pid)
        return result

    def left(self, folder, tag, session):
        pids = wait_empty(lambda: tagged(tag, session))
        left = [f"process {pid} ({command_of(pid)})" for pid in pids]
        for pid in pids:
            end(pid)
        left += [f"file {name}" for name in os.listdir(folder)
                 if name != self.makes and name not in self.given]
        # the kernel frees them when it has time
        left += [f"BPF object {i}" for i in wait_empty(
            lambda: [o for o in self.plan.objects() if exists(*o)])]
        return left


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().replace(b"\0", b" ").decode().strip()
    except OSError:
        return "ended"


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def is_told(result, error):
    """Does a message name the failure, in the text of errno (0: in any
    words)?"""
    lines = [line for line in result.err.splitlines()
             if result.speaker.match(line)]
    if not lines or any(map(EMPTY.search, lines)):
        return False
    if error == 0:
        return True
    if error == errno.EPERM and "dtrace may not call ptrace()" in result.err:
        return True
    if error == errno.ENOMEM:
        return bool(NOMEM.search(result.err))
    if error == errno.EIO and NOMEM.search(result.err):
        return True     # the memory of a process, by process_vm_readv(2)
    return os.strerror(error) in result.err


def complaints(result, clean, error):
    """The faults of a run in which calls failed, compared with a clean run."""
    wrong = ["it leaves behind: " + left for left in result.left
             if left not in clean.left]
    wrong += ["the traced program: " + w for w in result.target]
    if result.is_late:
        return [*wrong, f"it does not end within {TIMEOUT} s"]
    if SANITIZER.search(result.err):
        return [*wrong, "it leaks, or worse"]
    if result.status == clean.status:
        if PARTIAL.search(result.err):
            if any(map(EMPTY.search, result.err.splitlines())):
                wrong.append("it goes on without a part, and no errno says why")
            return wrong
        is_silent = CHANCE.sub("", result.err) == CHANCE.sub("", clean.err)
        is_good = not is_silent and is_told(result, error)
        if result.shape != clean.shape and not is_good:
            wrong.append("it succeeds with another output")
        if not is_silent and not is_good:
            wrong.append("it succeeds with a message that says nothing")
        return wrong
    if result.is_half:
        wrong.append("it leaves behind: the file that it was to make")
    if result.status == -signal.SIGABRT and \
            OUT_OF_MEMORY.search(result.err):
        return wrong    # base/mem.h promises that
    if result.status == 127 and LIBC_ENDS in result.err:
        return wrong
    if result.status < 0:
        wrong.append(f"{signal.Signals(-result.status).name} ends it")
    if not is_told(result, error):
        wrong.append("no message says what failed")
    return wrong
