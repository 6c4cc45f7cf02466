#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The permissions to trace: each provider as an ordinary user, with single
capabilities, and with those that belong together.

A refusal names the privilege, as illumos calls it, and the missing
capabilities.
"""

import os
import shutil
import tempfile

from live import DTRACE, prog, run, start

# Credentials; the kernel's missing capabilities ("": none), and whether
# another user's process may be examined.
USERS = {
    "": ("capabilities CAP_BPF and CAP_PERFMON, which are missing", False),
    "+bpf": ("capability CAP_PERFMON, which is missing", False),
    "+perfmon": ("capability CAP_BPF, which is missing", False),
    "+sys_ptrace": ("capabilities CAP_BPF and CAP_PERFMON, which are missing",
                    True),
    "+sys_admin": ("", False),
    "+bpf,+perfmon": ("", False),
}

# A provider's probe, and the command to trace.
OWN = {
    "dtrace": ("BEGIN { exit(0); }", None),
    "profile": ("tick-10ms { exit(0); }", None),
    "syscall": ("syscall::getpriority:entry { exit(0); }", "known seq:3"),
    "pid": ("pid$target:a.out:main:entry { exit(0); }", "known seq:3"),
}
KERNEL = {
    "syscall": "syscall:::entry { exit(0); }",
    "rawtp": "rawtp:::sched_switch { exit(0); }",
    "sdt": "sdt:::sched_switch { exit(0); }",
    "cpc": "cpc:::cpu_clock-all-10000000 { exit(0); }",
}


def is_perf_open():
    """Does the kernel let users with CAP_PERFMON use perf, and uprobes with
    it?

    Debian's kernels want CAP_SYS_ADMIN for it."""
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        return int(f.read()) < 3


def as_user(copy, caps, *args):
    cmd = ["setpriv", "--reuid", "65534", "--regid", "65534",
           "--clear-groups"]
    if caps:
        cmd += ["--inh-caps", caps, "--ambient-caps", caps]
    return run([*cmd, copy, "-x", "switchrate=20ms", *args], cwd="/",
               timeout=30)


def check_own(tap, folder, copy, caps):
    """Operations that every user is allowed."""
    for provider, (script, command) in OWN.items():
        if provider == "pid" and caps == "+bpf,+perfmon" and \
                not is_perf_open():
            continue
        args = ["-qn", script]
        if command:
            args += ["-c", os.path.join(folder, command)]
        ran = as_user(copy, caps, *args)
        tap.ok(ran.status == 0, f"{provider} of one's own, {caps or 'none'}",
               ran)


def check_kernel(tap, copy, caps, lacks):
    for provider, script in KERNEL.items():
        ran = as_user(copy, caps, "-qn", script)
        name = f"{provider} of the system, {caps or 'none'}"
        if lacks:
            tap.ok(ran.status == 1 and f"needs the {lacks}" in ran.err,
                   f"{name}: the {lacks}", ran)
        elif provider == "rawtp" or provider == "syscall" or \
                (provider == "cpc" and is_perf_open()):
            tap.ok(ran.status == 0, f"{name}: permitted", ran)


def check_list(tap, copy, caps, lacks):
    """Only root can read tracefs; a missing privilege is reported first."""
    ran = as_user(copy, caps, "-qn", "fbt::vfs_read:entry { exit(0); }")
    if lacks:
        tap.ok(ran.status == 1 and lacks in ran.err,
               f"fbt, {caps or 'none'}: the {lacks}", ran)


def check_other(tap, copy, caps, may_ptrace):
    """Trace a process of root: this one."""
    script = f"pid{os.getpid()}:libc:read:entry {{ exit(0); }}"
    ran = as_user(copy, caps, "-qe", "-n", script)
    if may_ptrace:
        tap.ok(ran.status == 0, f"pid of others, {caps}: permitted", ran)
    else:
        tap.ok(ran.status == 1 and "needs the capability CAP_SYS_PTRACE, "
               "which is missing" in ran.err,
               f"pid of others, {caps or 'none'}: CAP_SYS_PTRACE", ran)


def main():
    tap = start("root bpf cmd:setpriv")
    with tempfile.TemporaryDirectory(prefix="dt-privileges.") as folder:
        # other users may not be able to read the build directory: use copies
        copy = shutil.copy(DTRACE, os.path.join(folder, "dtrace"))
        shutil.copy(prog("known"), os.path.join(folder, "known"))
        os.chmod(folder, 0o755)
        for caps, (lacks, may_ptrace) in USERS.items():
            check_own(tap, folder, copy, caps)
            check_kernel(tap, copy, caps, lacks)
            check_list(tap, copy, caps, lacks)
            check_other(tap, copy, caps, may_ptrace)
    tap.done()


main()
