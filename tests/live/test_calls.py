#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""System calls traced within a command are those that the kernel sees.

Their names, arguments, results and errors are compared: of dynamic and
static programs, of threads, and of children that share their parent's
memory."""

import os
import re
import shutil
import sys
import tempfile

from live import DTRACE, dtrace, prog, run, start

# Arguments that do not depend on mappings made by a substrate.
TEXT = """
syscall:::entry /pid == $target/ { printf("%s\\n", probefunc); }
syscall:::return /pid == $target/
{ printf("%s %d %d %d\\n", probefunc, arg0 == -1, arg1 == -1, errno); }
"""
COUNTS = """
syscall:::entry, syscall:::return /pid == $target/
{ @[probefunc, probename, errno] = count(); }
"""
THREADS = """
import os, subprocess, threading
def work():
    for i in range(50):
        os.getppid()
threads = [threading.Thread(target=work) for i in range(20)]
for t in threads: t.start()
for t in threads: t.join()
subprocess.run(["/bin/true"])
os.system("true")
"""


def compare(tap, claim, command, script, keep=lambda line: True):
    """Both substrates print the same lines."""
    seen = []
    for substrate in ("kernel", "process"):
        ran = dtrace("-qx", f"substrate={substrate}", "-n", script,
                     "-c", command)
        lines = [line for line in ran.out.splitlines() if keep(line)]
        seen.append((ran.status, sorted(lines) if "@" in script else lines,
                     ran.err))
    tap.ok(seen[0] == seen[1] and len(seen[0][1]) > 3 and seen[0][0] == 0,
           claim, *seen)


def check_user(tap):
    """An ordinary user runs the first command of the README."""
    with tempfile.TemporaryDirectory(prefix="dt-calls.") as folder:
        copy = shutil.copy(DTRACE, os.path.join(folder, "dtrace"))
        os.chmod(folder, 0o755)
        ran = run(["setpriv", "--reuid", "65534", "--regid", "65534",
                   "--clear-groups", copy, "-qn",
                   "syscall:::entry { @[probefunc] = count(); }",
                   "-c", "cat /etc/hostname /etc/hostname"], cwd="/")
        counts = dict(line.split() for line in ran.out.splitlines()
                      if len(line.split()) == 2)
        tap.ok(ran.status == 0 and counts.get("exit_group") == "1"
               and int(counts.get("openat", 0)) >= 2,
               "an ordinary user counts system calls of a command", ran)


def check_exec(tap):
    """Trace a program that the command executes and that lives for a
    second."""
    python = os.path.realpath("/usr/bin/python3")
    body = "import os, time; time.sleep(1); [os.getppid() for i in range(77)]"
    ran = dtrace("-qx", "substrate=process", "-n",
                 "syscall::getppid:entry { @[execname] = count(); }",
                 "-c", f"sh -c 'exec {python} -c \"{body}\"'")
    # the shell makes one call itself
    tap.ok(sorted(line.split()[1] for line in ran.out.splitlines() if line)
           == ["1", "77"] and ran.err == "",
           "system calls of an executed program are counted", ran)


def main():
    tap = start("root bpf cmd:setpriv")
    # ls may print its own output at any time
    compare(tap, "every call of ls, in order", "ls -d / /nowhere", TEXT,
            lambda line: line != "/")
    compare(tap, "every call of a static program, in order",
            prog("calls_static"), TEXT)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(THREADS)
        f.flush()
        # other calls depend on the day, and on the folder's contents
        def is_steady(line):
            return re.match(r" *(getppid|clone3?|vfork|exit(_group)?|execve|"
                            r"wait4|set_robust_list|rseq|dup2|getuid) ", line)
        compare(tap, "counts of threads, vfork() and posix_spawn()",
                f"{os.path.realpath('/usr/bin/python3')} {f.name}", COUNTS,
                is_steady)
    ran = dtrace("-qx", "substrate=process", "-n", "syscall:::entry { }")
    tap.ok(ran.status == 1 and "name processes with -c or -p" in ran.err,
           "system calls of all processes are refused by name", ran)
    check_exec(tap)
    check_user(tap)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
