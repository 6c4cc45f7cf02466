# SPDX-License-Identifier: BSD-2-Clause
"""TAP, the format in which every test of this tree reports.

One line per claim ("ok 1 - ...", "not ok 2 - ...", "ok 3 - ... # SKIP why"),
details in comment lines before it, and the plan at the end.  check.py adds
the lines of all tests up; `meson test` reads them as well.
"""

import glob
import os
import re
import resource
import signal
import subprocess
import sys
import threading


class Tap:
    def __init__(self):
        self.count = self.failed = self.skipped = 0
        self.lock = threading.Lock()

    def _line(self, text, notes):
        for note in notes:
            for line in str(note).splitlines():
                print("# " + line)
        print(text, flush=True)

    def ok(self, good, name, *notes):
        """Report a claim; notes are shown only when it does not hold."""
        with self.lock:
            self.count += 1
            self.failed += not good
            word = "ok" if good else "not ok"
            self._line(f"{word} {self.count} - {name}", () if good else notes)
        return good

    def skip(self, name, reason):
        with self.lock:
            self.count += 1
            self.skipped += 1
            self._line(f"ok {self.count} - {name} # SKIP {reason}", ())

    def done(self):
        """Print the plan and leave with the status that it asks for."""
        passed = self.count - self.failed - self.skipped
        print(f"1..{self.count}")
        print(f"# {passed} passed, {self.failed} failed, "
              f"{self.skipped} skipped")
        sys.exit(1 if self.failed else 0)


def default_signals():
    """Let the processes that the test starts be interrupted.

    A shell that runs the test in the background, or nohup, ignores these
    signals.  Commands inherit that, and dtrace respects it, as every
    well-behaved command does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def missing_need(need):
    """Why a need (a word of @@needs) is not met here; None if it is."""
    if need == "root":
        return None if os.geteuid() == 0 else "needs root"
    if need == "bpf":
        return None if bpf_works() else "the kernel refuses bpf(2)"
    if need == "write_user":
        return None if may_write_user() else "the kernel is locked down"
    if need == "tracefs":
        good = os.path.exists("/sys/kernel/tracing/available_events")
        return None if good else "tracefs is not mounted"
    if need == "kernel":
        return "it is about the kernel substrate"
    if need == "cpus2":
        good = len(os.sched_getaffinity(0)) >= 2
        return None if good else "needs two CPUs"
    if need.startswith("cpu:"):
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            good = need[4:] in f.read().split()
        return None if good else f"the CPU has no {need[4:]}"
    if need.startswith(("ksym:", "no-ksym:")):
        there = has_kernel_symbol(need.split(":")[1])
        if there == need.startswith("ksym:"):
            return None
        return f"/proc/kallsyms {'lists' if there else 'lacks'} " \
            + need.split(":")[1]
    if need.startswith("tracepoint:"):
        with open("/sys/kernel/btf/vmlinux", "rb") as f:
            good = f"\0btf_trace_{need[11:]}\0".encode() in f.read()
        return None if good else f"no tracepoint {need[11:]}"
    if need.startswith("counter:"):
        good = glob.glob("/sys/bus/event_source/devices/cpu*/events/" +
                         need[8:])
        return None if good else f"the CPU does not count {need[8:]}"
    if need.startswith("rate:"):
        # a kernel whose interrupts took too long lowers this for good
        with open("/proc/sys/kernel/perf_event_max_sample_rate",
                  encoding="ascii") as f:
            good = int(f.read()) >= int(need[5:])
        return None if good else \
            f"the kernel permits fewer than {need[5:]} samples a second"
    if need.startswith("btf:"):
        good = os.path.exists("/sys/kernel/btf/" + need[4:])
        return None if good else f"no module {need[4:]} with BTF"
    if need.startswith("kmod:"):
        good = has_module(need[5:])
        return None if good else f"no module {need[5:]}"
    if need.startswith("link:"):
        good = has_link(need[5:])
        return None if good else f"no network devices of type {need[5:]}"
    if need.startswith("fs:"):
        with open("/proc/filesystems", encoding="ascii") as f:
            good = need[3:] in f.read().split() or has_module(need[3:])
        return None if good else f"no file system {need[3:]}"
    if need.startswith("cmd:"):
        for folder in os.environ["PATH"].split(":"):
            if os.access(os.path.join(folder, need[4:]), os.X_OK):
                return None
        return f"command {need[4:]} is not installed"
    if need.startswith("python:"):
        there = subprocess.run(["/usr/bin/python3", "-c", "import " + need[7:]],
                               capture_output=True, check=False)
        return f"no {need[7:]} in python3" if there.returncode else None
    if need.startswith("before:"):
        return None if kernel_release() < release(need[7:]) else \
            f"it is otherwise as of Linux {need[7:]}"
    if need.startswith("module:"):
        return missing_module(need[7:])
    if need.startswith("lib:"):
        return missing_library(need[4:])
    if need == "speed":
        return "it takes minutes on an emulated CPU" if is_emulated() else None
    if need == "emulated":
        return None if is_emulated() else "only for an emulated machine"
    if need.startswith("cpus:"):
        # CPUs that run at the same time; those that QEMU emulates take turns
        if is_emulated():
            return "an emulated machine's CPUs take turns"
        good = os.cpu_count() >= int(need[5:])
        return None if good else f"needs {need[5:]} CPUs"
    if need.startswith("prog:"):
        path = os.path.join(os.environ.get("PROGS", ""), need[5:])
        return None if os.access(path, os.X_OK) else f"{need[5:]} is not built"
    if need == "bits32":
        good = runs("compat32") and runs("int80")
        return None if good else "the kernel serves no 32-bit system calls"
    if need == "faults":
        good = runs("kernel", "copied", "3")
        return None if good else "accesses and faults differ in number here"
    if need == "corefile":
        with open("/proc/sys/kernel/core_pattern", encoding="ascii") as f:
            good = f.read()[0] not in "|/" and \
                resource.getrlimit(resource.RLIMIT_CORE)[1] != 0
        return None if good else "no core file is left where a process is"
    return f"unknown need '{need}'"


def release(text):
    """The numbers that order kernels, from "6.12.118+deb13-amd64"."""
    return tuple(map(int, re.findall(r"\d+", text)[:2]))


def kernel_release():
    return release(os.uname().release)


def runs(prog, *args):
    """Does one of the test programs end well, untraced?"""
    path = os.path.join(os.environ.get("PROGS", ""), prog)
    try:
        return subprocess.run([path, *args], check=False).returncode == 0
    except OSError:     # the kernel cannot run such a program
        return False


def is_emulated():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return "QEMU" in f.read()


def missing_module(name):
    """Is the module built in, loaded or loadable?"""
    there = os.path.exists("/sys/module/" + name) or \
        glob.glob(f"/sys/class/{name}*") or glob.glob(
            f"/lib/modules/{os.uname().release}/**/{name}.ko*",
            recursive=True)
    return None if there else f"no module {name}"


def has_link(kind):
    """Are there network devices of that type, perhaps from a module?"""
    tries = subprocess.run(
        f"busybox modprobe {kind} 2>/dev/null; "
        f"unshare -n ip link add try0 type {kind}", shell=True, check=False,
        stderr=subprocess.DEVNULL)
    return tries.returncode == 0


def missing_library(name):
    import ctypes
    try:
        ctypes.CDLL(name)
    except OSError:
        return f"{name} is not installed"
    return None


def has_kernel_symbol(name):
    with open("/proc/kallsyms", encoding="ascii") as f:
        return any(line.split()[2] == name for line in f)


def has_module(name):
    """Can the module be loaded?"""
    try:
        with open(f"/lib/modules/{os.uname().release}/modules.dep",
                  encoding="ascii") as f:
            return any(f"/{name}.ko" in line.split(":")[0] for line in f)
    except OSError:
        return False


def first_missing(needs):
    for need in needs:
        why = missing_need(need)
        if why:
            return why
    return None


def bpf_works():
    """Does bpf(BPF_PROG_GET_NEXT_ID) answer anything but a refusal?"""
    import ctypes
    import errno
    libc = ctypes.CDLL(None, use_errno=True)
    attr = (ctypes.c_uint32 * 32)()
    if libc.syscall(321, 11, ctypes.byref(attr), 12) == 0:
        return True
    return ctypes.get_errno() == errno.ENOENT


def may_write_user():
    """Does the kernel load a program that calls bpf_probe_write_user()?

    A locked-down kernel ("integrity") does not."""
    import ctypes
    insns = bytes.fromhex(
        "7a0af8ff00000000"      # *(u64 *)(r10 - 8) = 0
        "b701000000000000"      # r1 = 0
        "bfa2000000000000"      # r2 = r10
        "07020000f8ffffff"      # r2 += -8
        "b703000008000000"      # r3 = 8
        "8500000024000000"      # call 36
        "b700000000000000"      # r0 = 0
        "9500000000000000")     # exit
    prog = ctypes.create_string_buffer(insns, len(insns))
    licence = ctypes.create_string_buffer(b"GPL")
    attr = (ctypes.c_uint64 * 18)()
    attr[0] = 17 | len(insns) // 8 << 32        # raw tracepoint
    attr[1] = ctypes.addressof(prog)
    attr[2] = ctypes.addressof(licence)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(321, 5, ctypes.byref(attr), 128)
    if fd >= 0:
        os.close(fd)
    return fd >= 0
