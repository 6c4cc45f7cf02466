#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace reports a target that ends by a signal, with -q too, and in its
status.

For a fault it reports the place, as far as the kernel's log has it, and
whether dtrace had changed code there.
"""

import contextlib
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

from live import DTRACE, dtrace, foreign_uprobe, prog, start, started

CRASHER = prog("crasher")
SCRIPT = "pid$target:a.out:window:entry,pid$target:a.out:behind:entry { @ = count(); }"
SUBSTRATES = "kernel", "process"
USER = {"user": 65534, "group": 65534, "extra_groups": []}
# Other tests' faults may have used up the kernel's limit of log lines in five
# seconds.
RATE_S, TRIES = 5.5, 3
REPORT = "please report it"


def traced(substrate, *how, script=SCRIPT, **kwargs):
    return dtrace("-q", "-x", "substrate=" + substrate, "-n", script, "-c",
                  " ".join([CRASHER, *how]), **kwargs)


def with_place(substrate, *how):
    """Run until the kernel has logged the fault."""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(RATE_S)
        ran = traced(substrate, *how)
        if "the kernel's log does not have it" not in ran.err:
            break
    return ran


def ended_by(ran, name, status=1):
    lines = [line for line in ran.err.splitlines()
             if f" was ended by {name} (" in line]
    return ran.status == status and len(lines) == 1


def signals(tap, substrate):
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT,
                   signal.SIGUSR1):
        ran = traced(substrate, "raise", str(int(number)))
        tap.ok(ended_by(ran, number.name) and REPORT not in ran.err,
               f"{substrate}: -c that ends by {number.name}", ran)
    ran = traced(substrate, "raise", str(signal.SIGRTMIN + 3))
    tap.ok(ended_by(ran, f"signal {signal.SIGRTMIN + 3}"),
           f"{substrate}: -c that ends by a signal without a name", ran)
    ran = traced(substrate, "none")
    tap.ok(ran.status == 0 and ran.err == "",
           f"{substrate}: no message about a command that exits", ran)
    ran = traced(substrate, "raise", "15", script=SCRIPT + "END { exit(7); }")
    tap.ok(ended_by(ran, "SIGTERM", 7),
           f"{substrate}: exit() in a script decides on the status", ran)


def faults(tap, substrate):
    ran = with_place(substrate, "outside")
    tap.ok(ended_by(ran, "SIGSEGV") and REPORT not in ran.err and
           "where dtrace has changed nothing" in ran.err and
           "crasher+0x" in ran.err,
           f"{substrate}: a fault of the program's own", ran)
    for how in ["window"], ["window", "thread"]:
        ran = with_place(substrate, *how)
        what = ("byte 0 of a jump that dtrace has planted: e9 "
                if substrate == "process" else
                "the kernel's breakpoint for pid")
        tap.ok(ended_by(ran, "SIGSEGV") and REPORT in ran.err and
               what in ran.err and "crasher+0x" in ran.err,
               f"{substrate}: a fault where a probe is: {' '.join(how)}", ran)


def inside(tap):
    ran = with_place("process", "inside")
    tap.ok(ended_by(ran, "SIGSEGV") and REPORT in ran.err and
           "in a trampoline of dtrace" in ran.err,
           "process: a fault in dtrace's memory", ran)


def processes(tap, substrate):
    for number in signal.SIGKILL, signal.SIGSEGV:
        with started([CRASHER, "wait"],
                     stdout=subprocess.PIPE) as target:
            target.stdout.readline()
            proc = subprocess.Popen(
                [DTRACE, "-q", "-x", "substrate=" + substrate, "-n",
                 SCRIPT + "BEGIN { printf(\"ready\\n\"); }", "-p",
                 str(target.pid)], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True)
            proc.stdout.readline()
            target.send_signal(number)
            err = proc.communicate(timeout=60)[1]
        tap.ok(proc.returncode == 1 and
               f"pid {target.pid} was ended by {number.name} (" in err,
               f"{substrate}: -p of one that is ended by {number.name}", err)


def uprobes(tap):
    """Another tracer plants its uprobe over a jump.  The kernel carries out the
    file's instruction, and goes on behind it."""
    for attempt in range(TRIES):
        time.sleep(RATE_S if attempt else 0)
        with started([prog("mixed"), "10000000", "200"]) as target:
            proc = subprocess.Popen(
                [DTRACE, "-q", "-x", "substrate=process", "-n",
                 "pid$target:a.out:step:entry { @ = count(); }"
                 "tick-50ms { printf(\"ready\\n\"); }", "-p",
                 str(target.pid)], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True)
            proc.stdout.readline()
            with foreign_uprobe(prog("mixed"), "step"):
                err = proc.communicate(timeout=60)[1]
        if "the kernel's log does not have it" not in err:
            break
    tap.ok(proc.returncode == 1 and "a uprobe of another tracer" in err and
           re.search(r"in byte [1-4] of a jump that dtrace has planted", err),
           "a uprobe of another tracer that broke a jump is named", err)


# -- additions from a core file ---------------------------------------------

CORE_MAX = 32 << 20 # a core file does not contain dtrace's memory


@contextlib.contextmanager
def cores():
    """A directory for core files; yields the options for traced()."""
    with tempfile.TemporaryDirectory(prefix="dt-core.") as folder:
        os.chmod(folder, 0o777)
        yield {"cwd": folder, "preexec_fn": lambda: resource.setrlimit(
            resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)}


def has_plain_cores():
    with open("/proc/sys/kernel/core_pattern", encoding="utf8") as f:
        return re.fullmatch(r"[\w.]+(%[pPs])?", f.read().strip())


def returns(tap):
    for where, what in (("ours", "in a trampoline of dtrace"),
                        ("middle", "in byte 2 of a jump")):
        with cores() as options:
            ran = traced("process", "back", where, **options)
            sizes = [f.stat().st_size for f in os.scandir(options["cwd"])]
        tap.ok(ended_by(ran, "SIGSEGV") and REPORT in ran.err and
               re.search(r"would have returned to \S+.*, " + what, ran.err),
               f"a return address {what}", ran)
        tap.ok(len(sizes) == 1 and sizes[0] < CORE_MAX,
               "the core file is of the program's size", sizes)
    with cores() as options:
        ran = traced("process", "back", "begin", **options)
    tap.ok(ended_by(ran, "SIGSEGV") and REPORT not in ran.err,
           "one may return to where a jump begins", ran)


def without_log_but_core(tap):
    with cores() as options:
        ran = traced("process", "outside", **options, **USER)
        window = traced("process", "window", **options, **USER)
    tap.ok(ended_by(ran, "SIGSEGV") and "crasher+0x" in ran.err and
           "where dtrace has changed nothing" in ran.err and
           REPORT not in ran.err, "an ordinary user's core file tells the "
           "place", ran)
    tap.ok(ended_by(window, "SIGSEGV") and "byte 0 of a jump" in window.err and
           REPORT in window.err, "and that a probe was there", window)


# -- descendants ---------------------------------------------------------------

CALLS = SCRIPT + " syscall::getpid:entry { @ = count(); }"


def descendants(tap):
    for how in (["child", "window"], ["child", "window", "thread"],
                ["child", "inside"], ["child", "exec", "inside"]):
        for attempt in range(TRIES):
            time.sleep(RATE_S if attempt else 0)
            ran = traced("process", *how, script=CALLS)
            if "a descendant" in ran.err:
                break
        child = re.search(r"child (\d+) ended by", ran.out)
        tap.ok(ran.status == 1 and child and REPORT in ran.err and
               f"pid {child[1]}, a descendant, was ended by" in ran.err and
               f"pid {child[1]} was at " in ran.err,
               f"process: a descendant that may have died of probes: {how}",
               ran)
    for how in ["child", "outside"], ["child", "raise", "11"]:
        ran = traced("process", *how, script=CALLS)
        tap.ok(ran.status == 0 and ran.err == "",
               f"process: no message about another descendant: {how}", ran)


def interrupted(tap):
    """Control-C in a terminal ends dtrace and its command; it is no error."""
    proc = subprocess.Popen(
        [DTRACE, "-q", "-n", "BEGIN { printf(\"ready\\n\"); }", "-x",
         "switchrate=50ms", "-c", CRASHER + " wait"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True)
    words = {proc.stdout.readline(), proc.stdout.readline()}
    os.killpg(proc.pid, signal.SIGINT)
    err = proc.communicate(timeout=60)[1]
    tap.ok(proc.returncode == 0 and words == {"ready\n", "waiting\n"},
           "Control-C is not reported as a bad end", words, err)


def without_log(tap):
    """An ordinary user may not read the log: dtrace says so."""
    with open("/proc/sys/kernel/dmesg_restrict") as f:
        if f.read() != "1\n":
            tap.skip("a fault where nobody may read the log",
                     "kernel.dmesg_restrict is 0")
            return
    ran = traced("process", "outside", **USER)
    tap.ok(ended_by(ran, "SIGSEGV") and "only root may read" in ran.err and
           REPORT not in ran.err, "a fault where nobody may read the log", ran)


def main():
    tap = start("root bpf prog:crasher prog:mixed")
    for substrate in SUBSTRATES:
        signals(tap, substrate)
        faults(tap, substrate)
        processes(tap, substrate)
    inside(tap)
    uprobes(tap)
    descendants(tap)
    if has_plain_cores():
        returns(tap)
        without_log_but_core(tap)
    else:
        tap.skip("core files", "core_pattern is no name of a file")
    interrupted(tap)
    without_log(tap)
    tap.done()


main()
