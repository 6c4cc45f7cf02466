#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Children, stacks and threads are not harmed by probes in processes."""

import os
import re
import shutil
import subprocess
import tempfile
import time

from live import DTRACE, run, start

PROGS = os.environ["PROGS"]
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
STEP = "pid$target:a.out:fn_step:entry"
STACK_MAX = 1024  # doc/substrates.md
CLAUSES = [
    "@ = count();", "@[arg0] = count();", "trace(arg1);", "ustack();",
    "@[strtok(copyinstr(arg0), \",\"), strjoin(probefunc, execname)] = "
    "quantize(timestamp);",
    "trace(json(\"{\\\"a\\\": 1}\", \"a\")); x[strchr(copyinstr(arg0), 44)] = "
    "substr(probemod, 1); printf(\"%s\", cleanpath(\"/a/../b\")); "
    "trace(*(int *)0);",
    "trace(lltostr(arg1)); trace(index(copyinstr(arg0), \"b\")); "
    "self->s = basename(copyinstr(arg0)); @[self->s] = stddev(arg1);",
]


def command(folder, script, cmd):
    return [*NOBODY, f"{folder}/dtrace", "-q", "-x", "substrate=process", "-n",
            script, "-c", cmd]


def children(tap, folder):
    """Children by fork(), vfork() and posix_spawn() are not traced.

    The program itself makes 20 times 10 calls; one child lives on after
    dtrace's end."""
    with tempfile.TemporaryFile("w+") as out:
        proc = subprocess.run(
            command(folder, STEP + " { @[pid == $target] = count(); }",
                    f"{folder}/children 20 400"), cwd="/", stdout=out,
            stderr=subprocess.STDOUT, timeout=60, check=False)
        until = time.monotonic() + 20
        text = ""
        while "outlived" not in text and time.monotonic() < until:
            time.sleep(0.05)
            out.seek(0)
            text = out.read()
    counts = re.findall(r"^ +(\d+) +(\d+)$", text, re.M)
    tap.ok(proc.returncode == 0 and "wrong 0\n" in text and
           counts == [("1", "200")], "children are not traced, and do as before",
           text)
    tap.ok("outlived" in text, "also when dtrace has gone", text)


def stack(tap, folder):
    used = []
    for clause in CLAUSES:
        ran = run(command(folder, f"{STEP} {{ {clause} }}",
                          f"{folder}/stackuse"), cwd="/")
        used += [int(n) for n in re.findall(r"used (\d+)", ran.out)]
    tap.ok(len(used) == len(CLAUSES) and 0 < max(used) <= STACK_MAX,
           "bodies use little of the program's stack", used, ran)


def threads(tap, folder):
    """Each thread has its own count.

    There are more threads than there is room for, but not at one time."""
    with tempfile.TemporaryFile("w+") as lines:
        lines.write("\n" * 6)
        lines.seek(0)
        ran = subprocess.run(
            command(folder, "pid$target:a.out:padded:entry "
                    "{ @[tid] = count(); }",
                    f"{folder}/entered calls 500 100"), stdin=lines, cwd="/",
            capture_output=True, text=True, timeout=60, check=False)
    counts = re.findall(r"^ +\d+ +(\d+)$", ran.stdout, re.M)
    tap.ok(ran.returncode == 0 and counts == ["100"] * 3000 and
           ran.stderr == "", "3,000 threads, 500 at a time, each counted by "
           "itself", ran.stderr, len(counts))


def wiped(tap, folder):
    """Two threads never get one part, although other processes may write
    there.

    The count of the first thread is lost: its part has no owner by then."""
    ran = run(command(folder, "pid$target:a.out:fn_hold:entry "
                      "{ self->who = tid; } pid$target:a.out:fn_hold:return "
                      "{ @[self->who == tid] = count(); }",
                      f"{folder}/wipe"), cwd="/")
    tap.ok(ran.status == 0 and "wiped 1\n" in ran.out and
           re.findall(r"^ +(\d+) +(\d+)$", ran.out, re.M) == [("1", "1")],
           "each thread has parts of its own, whatever shared memory says", ran)


def jumps(tap, folder):
    """A signal handler jumps out of a firing that the signal interrupted."""
    for stack in "plain", "above", "below":
        ran = run(command(folder, "pid$target:a.out:fn_step:entry "
                          "{ raise(10); } pid$target:a.out:fn_calm:entry "
                          "{ @[arg0] = count(); }",
                          f"{folder}/jumper jump {stack} 100") + ["-w"],
                  cwd="/")
        tap.ok(ran.status == 0 and "jumps 100\n" in ran.out and
               re.findall(r"^ +(\d+) +(\d+)$", ran.out, re.M) ==
               [("7", "100")] and ran.err == "",
               f"100 jumps out of firings, by handlers on a stack: {stack}", ran)


def interrupted(tap, folder):
    """A signal handler jumps from any place, even while an array's lock is
    held."""
    ran = run(command(folder, "pid$target:a.out:fn_outer:entry { x[7]++; } "
                      "pid$target:a.out:fn_calm:entry { @[arg0] = count(); } "
                      "END { printf(\"more %d\\n\", x[7] > 3000); }",
                      f"{folder}/jumper timer plain 3000"), cwd="/")
    tap.ok(ran.status == 0 and "jumps 3000\n" in ran.out and
           re.findall(r"^ +(\d+) +(\d+)$", ran.out, re.M) == [("7", "3000")]
           and "more 1\n" in ran.out and ran.err == "",
           "3,000 jumps out of an array's store, or any place", ran)


def nested(tap, folder):
    """Firings in handlers on a higher stack are kept apart from those that
    they interrupt."""
    same = ("strjoin(copyinstr(arg0), copyinstr(arg0)) == "
            "strjoin(copyinstr(arg0), this->s)")
    ran = run(command(folder, "pid$target:a.out:fn_outer:entry, "
                      "pid$target:a.out:fn_inner:entry "
                      "{ this->s = copyinstr(arg0); "
                      f"@[probefunc, this->s, {same}, {same}] = count(); }}",
                      f"{folder}/jumper nest above 1000"), cwd="/")
    rows = re.findall(r"^ +(fn_\w+) +(\w+) +(\d) +(\d) +(\d+)$", ran.out,
                      re.M)
    inner = [row for row in rows if row[0] == "fn_inner"]
    tap.ok(ran.status == 0 and len(rows) == 2 and ran.err == "" and
           inner == [("fn_inner", "inner", "1", "1", "1000")] and
           all(row[2:4] == ("1", "1") for row in rows),
           "firings in handlers on a stack above", ran)


def main():
    tap = start("root cmd:setpriv prog:children prog:entered prog:jumper "
                "prog:stackuse prog:wipe")
    with tempfile.TemporaryDirectory(prefix="dt-limits.") as folder:
        # Other users may not be able to read the build directory: use copies.
        for path in DTRACE, *(os.path.join(PROGS, name) for name in
                              ("children", "entered", "jumper", "wipe",
                               "stackuse")):
            shutil.copy(path, folder)
        os.chmod(folder, 0o755)
        children(tap, folder)
        stack(tap, folder)
        threads(tap, folder)
        wiped(tap, folder)
        jumps(tap, folder)
        interrupted(tap, folder)
        nested(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
