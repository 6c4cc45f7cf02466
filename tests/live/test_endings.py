#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tracing ends when its reason ends, not at the next status interval."""

import contextlib
import glob
import os
import signal
import subprocess
import time

from live import DTRACE, Ran, background, dtrace, prog, start, started

# Intervals so long that waiting for one of them would show.
SLOW = ["-q", "-x", "statusrate=10s", "-x", "switchrate=10s",
        "-x", "aggrate=10s"]
SOON = 5
LATER_S = 1.2     # longer than dtrace takes a second signal for the same one
AT_ONCE_S = 0.2   # far shorter than that
TWICE_ROUNDS = 8  # if dtrace fails, each round shows it with probability 1/2
END = "END { printf(\"end\\n\"); }"


def command_ends(tap):
    ran = dtrace(*SLOW, "-n", END, "-c", prog("known") + " args")
    tap.ok(ran.status == 0 and ran.out == "end\n\n" and ran.seconds < SOON,
           "-c ends with its command", ran)


def exit_action(tap):
    ran = dtrace(*SLOW, "-n", "BEGIN { exit(3); }" + END)
    tap.ok(ran.status == 3 and ran.out == "end\n\n" and ran.seconds < SOON,
           "exit() in BEGIN ends at once", ran)
    ran = dtrace(*SLOW, "-n", "tick-100ms { exit(4); }" + END)
    tap.ok(ran.status == 4 and ran.out == "end\n\n" and ran.seconds < SOON,
           "exit() in a tick ends at once", ran)
    ran = dtrace(*SLOW, "-n",
                 "syscall::getpriority:entry /pid == $target/ { exit(5); }",
                 "-c", prog("known") + " args sleep:9000")
    tap.ok(ran.status == 5 and ran.seconds < SOON,
           "exit() in a system call ends at once", ran)


def process_ends(tap):
    with started(["sleep", "1"]) as sleeper:
        ran = dtrace(*SLOW, "-n", END, "-p", str(sleeper.pid))
    tap.ok(ran.status == 0 and ran.out == "end\n\n" and ran.seconds < SOON,
           "-p ends with the process", ran)


def interrupted(tap, number):
    begin = time.monotonic()
    with background(*SLOW[:1], "-x", "switchrate=50ms", "-n",
                    "BEGIN { printf(\"ready\\n\"); @ = count(); }" + END) as proc:
        first = proc.stdout.readline()
        proc.send_signal(number)
        try:
            out, err = proc.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            out, err = "", "still running after 30 s"
    ran = Ran(proc, first + out, err, time.monotonic() - begin)
    words = ran.out.split()
    tap.ok(ran.status == 0 and words == ["ready", "end", "1"]
           and ran.seconds < SOON,
           f"{signal.Signals(number).name} fires END and prints the "
           "aggregations", ran)


def signalled_twice(tap):
    """timeout(1) sends its signal twice: the second one must end nothing,
    whatever dtrace is doing then, even closing its handle."""
    lost = []
    for _ in range(TWICE_ROUNDS):
        with background("-q", "-x", "switchrate=50ms", "-n",
                        "BEGIN { printf(\"ready\\n\"); @ = count(); }" + END
                        ) as proc:
            first = proc.stdout.readline()
            end = time.monotonic() + AT_ONCE_S
            while proc.poll() is None and time.monotonic() < end:
                proc.send_signal(signal.SIGINT)
                proc.send_signal(signal.SIGTERM)
                time.sleep(0.0001)
            out, err = proc.communicate(timeout=30)
        if (proc.returncode, (first + out).split()) != (
                0, ["ready", "end", "1"]):
            lost.append((proc.returncode, out, err))
    tap.ok(not lost, "many signals at once are one", lost)


def signalled_later(tap):
    """A signal some time later ends a dtrace that END holds for ever."""
    with background("-q", "-x", "switchrate=50ms", "-n",
                    "BEGIN { printf(\"ready\\n\"); } "
                    "END { printf(\"held\\n%60000s%60000s\", \"\", \"\"); }") as proc:
        first = proc.stdout.readline()
        proc.send_signal(signal.SIGINT)
        ended, held = proc.stdout.readline(), proc.stdout.readline()
        time.sleep(LATER_S)
        is_held = proc.poll() is None
        proc.send_signal(signal.SIGINT)
        try:
            status = proc.wait(timeout=30)
        except subprocess.TimeoutExpired:
            status = "still running after 30 s"
    tap.ok((first, ended, held) == ("ready\n", "\n", "held\n") and is_held and
           status == -signal.SIGINT,
           "a signal a second later ends it at once", (held, is_held, status))


def beside_real_time(tap):
    """A thread that never leaves its CPU does not keep dtrace from ending."""
    cpu = max(os.sched_getaffinity(0))
    with started(["timeout", "60", "chrt", "-f", "50", "taskset", "-c",
                  str(cpu), "sh", "-c", "while :; do :; done"]
                 ) as hog:
        ran = dtrace(*SLOW, "-n", "syscall::read:entry { @ = count(); } "
                     "tick-300ms { exit(0); }")
        is_hogged = hog.poll() is None
        hog.terminate()
    tap.ok(ran.status == 0 and is_hogged and ran.seconds < SOON,
           "a real-time thread on a CPU does not hold dtrace", ran)


def is_running(command):
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(path, errors="replace") as f:
            if f.read().rstrip("\0").split("\0") == command.split():
                return True
    return False


def unread(tap):
    """A reader that leaves ends dtrace in order, and the command of -c with
    it."""
    command = f"sleep 7{os.getpid()}"
    begin = time.monotonic()
    proc = subprocess.Popen(
        [DTRACE, "-q", "-x", "switchrate=50ms", "-n",
         "tick-10ms { printf(\"line\\n\"); }", "-c", command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    first = proc.stdout.readline()
    started = is_running(command)
    proc.stdout.close()
    try:
        err = proc.communicate(timeout=30)[1]
    except subprocess.TimeoutExpired:
        proc.kill()
        err = proc.communicate()[1] + "\nstill running after 30 s"
    ran = Ran(proc, first, err, time.monotonic() - begin)
    quiet = "output" not in err and "abort" not in err
    tap.ok(ran.status == 1 and started and quiet,
           "a closed pipe ends tracing, with status 1 and no message", ran)
    tap.ok(not is_running(command), "... and the command of -c", ran)


def full_disk(tap):
    with open("/dev/full", "w") as full:
        proc = subprocess.run(
            [DTRACE, *SLOW[:1], "-n", "tick-10ms { printf(\"line\\n\"); }"],
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=30)
    tap.ok(proc.returncode == 1 and
           proc.stderr.count("cannot write the output: No space left") == 1,
           "a full disk ends tracing, and is reported once", proc.stderr)


def command_is_gone(tap):
    """exit() ends dtrace in order while the command of -c still runs."""
    ran = dtrace("-q", "-n", "BEGIN { exit(0); }", "-c", "sleep 0.2")
    tap.ok(ran.status == 0 and ran.seconds < SOON,
           "exit() before the command ends", ran)


def no_such_command(tap):
    ran = dtrace("-q", "-n", END, "-c", "/nonexistent/command")
    tap.ok(ran.status == 1 and "/nonexistent/command" in ran.err,
           "a command that cannot run is named", ran)
    ran = dtrace("-q", "-n", END, "-p", str(no_such_pid()))
    tap.ok(ran.status == 1 and ran.err.startswith("dtrace: "),
           "a process that does not exist is an error", ran)


def no_such_pid():
    with open("/proc/sys/kernel/pid_max") as f:
        pid = int(f.read()) - 1
    while os.path.exists(f"/proc/{pid}"):
        pid -= 1
    return pid


def main():
    tap = start("root bpf prog:known")
    command_ends(tap)
    exit_action(tap)
    process_ends(tap)
    interrupted(tap, signal.SIGINT)
    interrupted(tap, signal.SIGTERM)
    interrupted(tap, signal.SIGHUP)
    signalled_twice(tap)
    signalled_later(tap)
    beside_real_time(tap)
    unread(tap)
    full_disk(tap)
    command_is_gone(tap)
    no_such_command(tap)
    tap.done()


main()
