#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Anonymous tracing: stored by -A, run by the unit's command, claimed by -a."""

import contextlib
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from live import DTRACE, dtrace, run, start

UNIT = os.path.join(os.path.dirname(DTRACE), "dtrace-anon.service")
PROGRAM = """BEGIN { printf("begin\\n"); }
syscall::getppid:entry { @ = count(); }
END { printf("end\\n"); }"""


def command():
    """The commands of the unit, with the dtrace under test in place of its
    own."""
    with open(UNIT) as f:
        line = re.search(r"^ExecStart=\S*/dtrace (.*)$", f.read(), re.M)
    return [DTRACE, *line.group(1).split()]


@contextlib.contextmanager
def unit(top):
    """Start the unit's process, and wait until it traces."""
    with open(os.path.join(top, "errors"), "w") as err:
        proc = subprocess.Popen(command(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=err)
    out = os.path.join(top, "anon.out")
    for _ in range(600):
        if proc.poll() is not None or (os.path.exists(out) and
                                       os.path.getsize(out)):
            break
        time.sleep(0.05)
    try:
        yield proc
    finally:
        proc.kill()
        proc.wait()


def verify(tap, top):
    if not shutil.which("systemd-analyze"):
        tap.skip("the unit is well-formed", "systemd-analyze is missing")
        return
    path = os.path.join(top, "dtrace-anon.service")
    with open(UNIT) as f, open(path, "w") as copy:
        copy.write(re.sub(r"=\S*/dtrace ", f"={DTRACE} ", f.read()))
    ran = run(["systemd-analyze", "--man=no", "verify", path])
    tap.ok(ran.status == 0 and not ran.err, "the unit is well-formed", ran)


def nothing(tap):
    ran = dtrace("-a")
    tap.ok(ran.status == 1 and "no anonymous tracing" in ran.err,
           "-a without anything to claim says so", ran)
    ran = run(command())
    tap.ok(ran.status == 1 and "anon.dof" in ran.err,
           "the unit's command without a program says so", ran)


def store(tap, top):
    ran = dtrace("-A", "-q", "-x", "switchrate=50ms", "-n", PROGRAM)
    path = os.path.join(top, "anon.dof")
    tap.ok(ran.status == 0 and ran.out == "" and
           os.path.exists(path) and path in ran.err,
           "-A stores the program and says where", ran)
    mode = os.stat(path).st_mode if os.path.exists(path) else 0o777
    tap.ok(stat.S_IMODE(mode) == 0o600, "nobody else can read or write it")
    before = open(path, "rb").read()
    ran = dtrace("-A", "-n", "nosuch:::probe")
    tap.ok(ran.status == 1 and open(path, "rb").read() == before,
           "a program that is refused leaves the stored one", ran)


def work():
    for _ in range(1000):
        os.getppid()


def claimed(tap, ran, name):
    words = ran.out.split()
    tap.ok(ran.status == 0 and words[:2] == ["begin", "end"] and
           len(words) == 3 and int(words[2]) >= 1000, name, ran)


def claim(tap, top):
    out = os.path.join(top, "anon.out")
    with unit(top) as proc:
        work()
        ran = run(command())
        tap.ok(ran.status == 1 and "in use" in ran.err,
               "there is one anonymous tracing at a time", ran)
        claimed(tap, dtrace("-a", "-e"),
                "-a -e ends it, and prints all from the start")
        tap.ok(proc.wait(10) == 0 and not os.path.exists(out),
               "... and it is gone")
    with unit(top) as proc:
        work()
        reader = subprocess.Popen([DTRACE, "-a"], stdout=subprocess.PIPE,
                                  text=True)
        first = reader.stdout.readline()
        tap.ok(first == "begin\n" and proc.poll() is None,
               "-a prints what there is, and goes on")
        work()
        reader.send_signal(signal.SIGINT)
        rest = reader.communicate(timeout=30)[0].split()
        tap.ok(reader.returncode == 0 and rest[:1] == ["end"] and
               int(rest[1]) >= 2000, "SIGINT ends it, with END and "
               "aggregations", rest)
    with unit(top) as proc:
        proc.kill()
        proc.wait()
        ran = dtrace("-a")
        tap.ok(ran.status == 0 and ran.out == "begin\n",
               "what a killed one has printed can be claimed", ran)


def forget(tap, top):
    ran = dtrace("-A")
    tap.ok(ran.status == 0 and not os.path.exists(
        os.path.join(top, "anon.dof")), "-A alone removes the program", ran)


def misuse(tap):
    for args in (["-a", "-n", "BEGIN"], ["-a", "-A"], ["-A", "-o", "x", "-n", "BEGIN"],
                 ["-A", "-n", "BEGIN", "-c", "true"], ["-A", "-l"],
                 ["-A", "-e", "-n", "BEGIN"]):
        ran = dtrace(*args)
        tap.ok(ran.status == 2 and "Usage" in ran.err,
               f"{' '.join(args)} is wrong usage", ran)


def main():
    tap = start("root bpf")
    with tempfile.TemporaryDirectory() as top:
        os.environ["DTRACE_ANON_DIR"] = top
        verify(tap, top)
        nothing(tap)
        store(tap, top)
        claim(tap, top)
        forget(tap, top)
        misuse(tap)
    tap.done()


main()
