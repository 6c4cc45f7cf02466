#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Restrictions by others: Yama, system calls that a filter forbids, as in
containers and services, memory that may not be executed, mount options, user
namespaces, lockdown.

A refusal names the restriction and a remedy; all else works.
"""

import contextlib
import glob
import os
import shutil
import subprocess
import tempfile

from live import DTRACE, is_sanitized, prog, start

SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
USER = {"user": 65534, "group": 65534, "extra_groups": []}
ROOT = {}
CALLS = 40
SCRIPT = "pid$target:a.out:padded:entry { @ = count(); }"
CALLS_SCRIPT = "syscall::getppid:entry { @ = count(); }"
UNTIL = " tick-100ms /++n == 3/ { exit(0); }"


def trace(folder, user, *args, before=()):
    with open(os.path.join(folder, "lines")) as lines:
        return subprocess.run(
            [*before, "./dtrace", "-q", "-x", "substrate=process", *args],
            stdin=lines, capture_output=True, text=True, timeout=120,
            check=False, cwd=folder, **user)


def command(folder, user, script=SCRIPT, **kwargs):
    return trace(folder, user, "-n", script, "-c",
                 f"./entered calls 2 {CALLS // 2}", **kwargs)


@contextlib.contextmanager
def running(folder, *before):
    """A running process of the same user."""
    proc = subprocess.Popen([*before, "./entered", "hammer", "2"], cwd=folder,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True, **USER)
    try:
        proc.stdout.readline()
        yield proc.pid
    finally:
        proc.kill()
        proc.communicate()


def process(folder, user, *target, before=()):
    with running(folder, *target) as pid:
        return trace(folder, user, "-n", SCRIPT + UNTIL, "-p", str(pid),
                     before=before)


def works(tap, ran, name):
    tap.ok(ran.returncode == 0 and ran.stdout.strip().isdigit(), name,
           ran.stdout, ran.stderr)


def counts(tap, ran, name):
    tap.ok(ran.returncode == 0 and ran.stdout.split()[-1:] == [str(CALLS)],
           name, ran.stdout, ran.stderr)


def refused(tap, ran, name, *words):
    """Is the refusal one message?"""
    lines = [line for line in ran.stderr.splitlines()
             if line.startswith("dtrace: ")]
    tap.ok(ran.returncode == 1 and len(lines) == 1 and
           all(word in lines[0] for word in words), name, ran.stderr)


# -- filters ----------------------------------------------------------------

def filters(tap, folder):
    for what, call in ("ptrace", "ptrace()"), ("readv", "process_vm_readv()"), \
            ("both", "ptrace()"):
        before = ["./confined", what]
        refused(tap, command(folder, USER, before=before),
                f"-c where {what} is forbidden", call, "seccomp", "container")
        refused(tap, process(folder, USER, before=before),
                f"-p where {what} is forbidden", call, "seccomp", "container")
    refused(tap, process(folder, USER, "./confined", "both"),
            "-p of a process with a filter", "seccomp filter of its own",
            "substrate=kernel")
    counts(tap, command(folder, USER), "-c where there is no filter")
    works(tap, process(folder, USER), "-p where there is no filter")


def calls(tap, folder):
    """Forbid the calls that code in processes makes."""
    # a sanitizer looks for its stacks itself
    for call in ("time",) if is_sanitized() else ("time", "sigaltstack"):
        refused(tap, command(folder, USER, before=["./confined", call]),
                f"where {call} is forbidden", call + "()", "seccomp",
                "container")
    for call in "faccessat2", "fgetxattr":
        before = ["./confined", call]
        refused(tap, command(folder, USER, CALLS_SCRIPT, before=before),
                f"syscall probes where {call} is forbidden", call + "()",
                "seccomp", "container")
        counts(tap, command(folder, USER, before=before),
               f"... and probes that do not need {call}")


# -- containers --------------------------------------------------------------

def containers(tap, folder):
    """The calls that docker and podman forbid without --cap-add SYS_PTRACE."""
    for what, call in (("docker", "pidfd_getfd()"), ("pidfd", "pidfd_open()"),
                       ("docker-old", "process_vm_readv()"),
                       ("memfd", "memfd_create()")):
        refused(tap, command(folder, USER, before=["./confined", what]),
                f"-c where {what} is forbidden", call, "seccomp", "SYS_PTRACE")
    counts(tap, command(folder, USER, before=["./confined", "docker-ptrace"]),
           "-c where docker has --cap-add SYS_PTRACE")
    counts(tap, command(folder, USER, before=["./confined", "bpf"]),
           "-c where bpf is forbidden")
    counts(tap, command(folder, USER,
                        before=["setpriv", "--no-new-privs", "--"]),
           "-c with no_new_privs")


def kernel(tap, folder):
    """Root's capabilities do not help if bpf() is forbidden."""
    args = ["-x", "substrate=kernel", "-n", "tick-100ms { exit(0); }"]
    for what in "docker", "docker-old":
        ran = trace(folder, ROOT, *args, before=["./confined", what])
        refused(tap, ran, f"in the kernel, where there is {what}", "bpf()",
                "seccomp", "BPF")
    name = "in the kernel, from a user namespace"
    before = ["unshare", "-Ur"]
    if subprocess.run([*before, "true"], check=False).returncode != 0:
        tap.skip(name, "there cannot be one here")
        return
    refused(tap, trace(folder, ROOT, *args, before=before), name, "bpf()",
            "user namespace")


# -- memory -------------------------------------------------------------------

def forbidden_memory(tap, folder):
    """The calls forbidden by MemoryDenyWriteExecute and security modules."""
    counts(tap, command(folder, USER, before=["./confined", "services"]),
           "-c where memory may not be written and executed")
    refused(tap, command(folder, USER, before=["./confined", "memory-files"]),
            "-c where files in memory may not be code", "may not map code",
            "security module", "substrate=kernel")


def no_executables(tap, folder):
    """A system on which no file that the user can write may be executed."""
    places = ["/dev/shm", "/run", "/var/tmp"]
    mounts = " && ".join(f"mount -t tmpfs -o noexec,nosuid,nodev none {place}"
                         for place in places)
    before = ["unshare", "-m", "sh", "-c", mounts + " && exec \"$@\"", "sh"]
    counts(tap, command(folder, ROOT, before=before),
           "-c where file systems are mounted with noexec")


NOEXEC = "/proc/sys/vm/memfd_noexec"


def executable_memory(tap, folder):
    """A system whose memory files are not executable by default, or never."""
    if not os.path.exists(NOEXEC):
        tap.skip("vm.memfd_noexec", "this kernel does not have it")
        return
    for value in "1", "2":
        # as root: the setting is that of the new pid namespace
        before = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c",
                  f"echo {value} > {NOEXEC} && "
                  f"test \"$(cat {NOEXEC})\" = {value} && exec \"$@\"", "sh"]
        counts(tap, command(folder, ROOT, before=before),
               f"-c where vm.memfd_noexec is {value}")


# -- CPUs -------------------------------------------------------------------

def set_share(value):
    """Set the us of each second that real-time threads may take; -1: all."""
    with open("/proc/sys/kernel/sched_rt_runtime_us", "w") as f:
        f.write(value)


@contextlib.contextmanager
def no_fair_server():
    """Linux 6.12 and newer keep a part of each CPU for programs that are not
    real-time threads.  Take it away; debugfs has the setting."""
    debugfs = "/sys/kernel/debug"
    is_mounted = os.path.ismount(debugfs)
    if not is_mounted:
        subprocess.run(["mount", "-t", "debugfs", "none", debugfs], check=True)
    before = {}
    for path in glob.glob(debugfs + "/sched/fair_server/cpu*/runtime"):
        with open(path, "r+") as f:
            before[path] = f.read()
            f.write("0")
    try:
        yield
    finally:
        for path, runtime in before.items():
            with open(path, "w") as f:
                f.write(runtime)
        if not is_mounted:
            subprocess.run(["umount", debugfs], check=True)


def starved(tap, folder):
    """The process's only CPU belongs to another one for good."""
    with no_fair_server():
        starve(tap, folder)


def starve(tap, folder):
    os.sched_setaffinity(0, {0})
    set_share("-1")
    greedy = subprocess.Popen(["chrt", "-f", "10", prog("spin"), "1", "600"],
                              stdout=subprocess.PIPE, text=True)
    try:
        with running(folder, "taskset", "-c", "0") as pid:
            for tid in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(tid), {1})
            greedy.stdout.readline()
            ran = trace(folder, USER, "-n", SCRIPT + UNTIL, "-p", str(pid))
            refused(tap, ran, "-p of a process that gets no CPU",
                    "gets no CPU", "(1)", "taskset")
            greedy.kill()
            greedy.wait()
            ran = trace(folder, USER, "-n", SCRIPT + UNTIL, "-p", str(pid))
            works(tap, ran, "... when it gets one again")
    finally:
        greedy.kill()
        greedy.communicate()
        set_share("950000")
        os.sched_setaffinity(0, range(os.cpu_count()))


# -- Yama ---------------------------------------------------------------------

def set_scope(value):
    with open(SCOPE, "w") as f:
        f.write(value)


def is_emulated():
    with open("/proc/cpuinfo") as f:
        return "QEMU" in f.read()


def yama(tap, folder):
    set_scope("0")
    works(tap, process(folder, USER), "ptrace_scope 0: -p")
    set_scope("1")
    counts(tap, command(folder, USER), "ptrace_scope 1: -c")
    refused(tap, process(folder, USER), "ptrace_scope 1: -p", SCOPE + " is 1",
            "-c", "sudo")
    works(tap, process(folder, ROOT), "ptrace_scope 1: -p as root")
    set_scope("2")
    for how in command, process:
        refused(tap, how(folder, USER), f"ptrace_scope 2: {how.__name__}",
                SCOPE + " is 2", "sudo")
        tap.ok(how(folder, ROOT).returncode == 0,
               f"ptrace_scope 2: {how.__name__} as root")


def yama_for_good(tap, folder):
    """The strictest scope lasts until the next boot."""
    set_scope("3")
    for how in command, process:
        for user in USER, ROOT:
            refused(tap, how(folder, user),
                    f"ptrace_scope 3: {how.__name__}"
                    f"{' as root' if user is ROOT else ''}", SCOPE + " is 3",
                    "next boot")


def scopes(tap, folder):
    if not os.path.exists(SCOPE):
        tap.skip("ptrace_scope", "this kernel has no Yama")
        return
    with open(SCOPE) as f:
        was = f.read()
    try:
        yama(tap, folder)
    finally:
        set_scope(was)
    if is_emulated():
        yama_for_good(tap, folder)


# -- lockdown ------------------------------------------------------------------

LOCKDOWN = "/sys/kernel/security/lockdown"


def lock_down(level):
    with open(LOCKDOWN, "w") as f:
        f.write(level)


def in_kernel(folder, script, *args):
    return trace(folder, ROOT, "-x", "substrate=kernel", *args, "-n",
                 script + " tick-100ms { exit(0); }")


def lockdown_for_good(tap, folder):
    """Lockdown lasts until the next boot; it does not restrict processes'
    memory."""
    if not os.path.exists(LOCKDOWN):
        subprocess.run(["mount", "-t", "securityfs", "none",
                        "/sys/kernel/security"], check=False)
    if not os.path.exists(LOCKDOWN):
        tap.skip("lockdown", "this kernel has none")
        return
    lock_down("integrity")
    ran = in_kernel(folder, "fbt::vfs_read:entry { @ = count(); }")
    tap.ok(ran.returncode == 0, "lockdown=integrity: the kernel is traced",
           ran.stderr)
    refused(tap, in_kernel(folder, "syscall::getpid:entry "
                           "{ copyoutstr(\"\", 0, 1); }", "-w"),
            "lockdown=integrity: copyoutstr()", LOCKDOWN)
    lock_down("confidentiality")
    counts(tap, command(folder, USER), "lockdown=confidentiality: -c")
    refused(tap, in_kernel(folder, "BEGIN { n = pid; }"),
            "lockdown=confidentiality: tracing in the kernel", LOCKDOWN,
            "substrate=process")
    for probe in "fbt::vfs_read:entry", "sdt:::sched_switch":
        refused(tap, in_kernel(folder, probe + " { @ = count(); }"),
                "lockdown=confidentiality: " + probe, "locked down")


def main():
    tap = start("root cmd:chrt cmd:taskset cmd:setpriv cmd:unshare prog:entered prog:confined "
                "prog:spin")
    with tempfile.TemporaryDirectory(prefix="dt-refusals.") as folder:
        # other users may not be able to read the build directory: use copies
        for path in DTRACE, prog("entered"), prog("confined"):
            shutil.copy(path, folder)
        with open(os.path.join(folder, "lines"), "w") as f:
            f.write("\n")
        os.chmod(folder, 0o755)
        filters(tap, folder)
        calls(tap, folder)
        containers(tap, folder)
        kernel(tap, folder)
        forbidden_memory(tap, folder)
        no_executables(tap, folder)
        executable_memory(tap, folder)
        if is_emulated():  # affects the machine for half a minute
            starved(tap, folder)
        if is_emulated():
            lockdown_for_good(tap, folder)
        scopes(tap, folder)
    tap.done()


main()
