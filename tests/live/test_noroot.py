#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Without privileges: one line that says what is missing and what to do."""

import os
import shutil
import tempfile
from subprocess import check_call

from live import DTRACE, PROGS, run, start


def with_bad_dof(folder):
    """A program whose notes name its probes, and whose DOF is noise."""
    app, noise = os.path.join(folder, "app"), os.path.join(folder, "noise")
    with open(noise, "wb") as f:
        f.write(b"x" * 968)
    check_call(["objcopy", "--update-section", f".SUNW_dof={noise}",
                os.path.join(PROGS, "usdtapp"), app])
    return app


def main():
    tap = start("root cmd:setpriv")
    with tempfile.TemporaryDirectory(prefix="dt-noroot.") as folder:
        # Other users may not be able to read the build directory: use a copy.
        copy = os.path.join(folder, "dtrace")
        shutil.copy(DTRACE, copy)
        os.chmod(folder, 0o755)
        nobody = ["setpriv", "--reuid", "65534", "--regid", "65534",
                  "--clear-groups", copy]
        ran = run([*nobody, "-qn", "syscall::read:entry { exit(0); }"],
                  cwd="/")
        tap.ok(ran.status == 1 and ran.out == "", "it exits with 1", ran)
        lines = ran.err.splitlines()
        tap.ok(len(lines) == 1 and lines[0].startswith("dtrace: "),
               "one line", ran)
        helpful = any(word in ran.err
                      for word in ("root", "CAP_BPF", "privilege", "sudo"))
        tap.ok(helpful, "it says what is missing", ran)
        ran = run([*nobody, "-qn", "BEGIN { printf(\"begun\"); exit(0); }"],
                  cwd="/")
        tap.ok(ran.status == 0 and ran.out == "begun\n",
               "a script that needs no kernel runs", ran)
        ran = run([*nobody, "-qen", "BEGIN { exit(0); }"], cwd="/")
        tap.ok(ran.status == 0, "compiling (-e) needs no privilege", ran)
        ran = run([*nobody, "-T", "struct task_struct"], cwd="/")
        tap.ok(ran.status == 0 and "\tchar comm[16];" in ran.out,
               "-T prints types of the kernel", ran)
        ran = run([*nobody, "-x", "nolibs", "-qen", "sched_switch"],
                  cwd="/")
        tap.ok("did you mean" not in ran.err and
               "sched_switch exists, but cannot be traced" in ran.err,
               "the hint is not the description that has failed", ran)
        app = with_bad_dof(folder)
        ran = run([*nobody, "-x", "substrate=process", "-qn",
                   "usdtapp$target:::enabled { n++; } "
                   "END { printf(\"%d\", n); }", "-c", f"{app} 5"], cwd="/")
        tap.ok(ran.status == 0 and ran.out.splitlines()[-1:] == ["5"],
               "probes fire in a program whose DOF is damaged", ran)
    tap.done()


main()
