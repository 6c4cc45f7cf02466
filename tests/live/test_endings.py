#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tracing ends when its reason ends, not at the next status interval."""

import os
import signal
import subprocess
import time

from live import Ran, background, dtrace, prog, start

# Intervals so long that waiting for one of them would show.
SLOW = ["-q", "-x", "statusrate=10s", "-x", "switchrate=10s",
        "-x", "aggrate=10s"]
SOON = 5
END = "END { printf(\"end\\n\"); }"


def command_ends(tap):
    ran = dtrace(*SLOW, "-n", END, "-c", prog("known") + " args")
    tap.ok(ran.status == 0 and ran.out == "end\n" and ran.seconds < SOON,
           "-c ends with its command", ran)


def exit_action(tap):
    ran = dtrace(*SLOW, "-n", "BEGIN { exit(3); }" + END)
    tap.ok(ran.status == 3 and ran.out == "end\n" and ran.seconds < SOON,
           "exit() in BEGIN ends at once", ran)
    ran = dtrace(*SLOW, "-n", "tick-100ms { exit(4); }" + END)
    tap.ok(ran.status == 4 and ran.out == "end\n" and ran.seconds < SOON,
           "exit() in a tick ends at once", ran)
    ran = dtrace(*SLOW, "-n",
                 "syscall::getpriority:entry /pid == $target/ { exit(5); }",
                 "-c", prog("known") + " args sleep:9000")
    tap.ok(ran.status == 5 and ran.seconds < SOON,
           "exit() in a system call ends at once", ran)


def process_ends(tap):
    with subprocess.Popen(["sleep", "1"]) as sleeper:
        ran = dtrace(*SLOW, "-n", END, "-p", str(sleeper.pid))
    tap.ok(ran.status == 0 and ran.out == "end\n" and ran.seconds < SOON,
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


def command_is_gone(tap):
    """exit() while the -c command still runs does not leave us behind it."""
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
    command_is_gone(tap)
    no_such_command(tap)
    tap.done()


main()
