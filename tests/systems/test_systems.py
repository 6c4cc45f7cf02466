#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests on systems other than the developers'.

    test_systems.py SOURCE BUILD [--tried FILE] [--only TEST] SUITE...
    test_systems.py SOURCE BUILD --rotate SUITE...

In a new minimal root of each Debian suite, with nothing but make added, the
README's first command builds the project from source and shows it.  Then these
tests run there: the cases of the process substrate, as root and as an ordinary
user without debug files; cases of probes in processes on the kernel; probes
that come and go in running programs; programs that handle signals; installed
commands, and programs made by that system's compilers, musl's among them.

A suite in OLD is too old to build in: it is refused by name.  The dtrace of
BUILD, with its own libraries, traces programs that are built there.

--rotate takes one of the suites, another with each commit, and runs there only
the tests of an ordinary user.  --tried writes these suites' rows into the
table of results, and keeps the others.  A suite that cannot be downloaded
(there is no network) is skipped, with the reason, and keeps its row.  With
--only, a glob of tests' names, other tests keep their results in the table.
"""

import argparse
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from root import Root, Unavailable, enter, mount
from tap import Tap, default_signals, first_missing
from tried import section, table, turn, write_section

OLD = {"bullseye"}
SUITES = ["bullseye", "bookworm", "trixie", "sid"]
# For the tests: commands, and names of protocols.
TEST_PACKAGES = ["netbase", "procps", "perl-base"]
# More compilers, and the commands of a small system.
PROGRAM_PACKAGES = ["g++", "clang", "lld", "musl-tools", "busybox-static"]
# For cases of the kernel: names of libc's internal functions.
KERNEL_PACKAGES = ["libc6-dbg", "python3-jsonschema"]
SECONDS = 1800  # limit of a test, for machines that others use, too
CASES = "python3 tests/run_cases.py --dtrace build/dtrace " \
    "--progs build/tests/prog "
UNAIDED = "python3 tests/unaided.py /src "
PROGRAMS = "python3 tests/programs/test_programs.py build/dtrace "
TESTS = (
    ("process cases", CASES + "--substrate process"),
    ("process cases, ordinary user", UNAIDED + CASES + "--substrate process"),
    ("signals, ordinary user",
     UNAIDED + "python3 tests/live/test_unaided.py build/dtrace"),
    ("pid", "PROGS=/src/build/tests/prog "
     "python3 tests/live/test_pid.py build/dtrace"),
    ("programs", PROGRAMS + "--least 150 30"),
    ("programs made there", PROGRAMS + "4 './made-*'"),
    ("kernel cases", CASES + "pid/ usdt/ stacks/ syscall variables/ proc/"),
)
MORE_PACKAGES = {"programs": PROGRAM_PACKAGES, "kernel cases": KERNEL_PACKAGES}
SHORT = {"process cases, ordinary user", "signals, ordinary user"}
COUNTED = re.compile(r"^# (\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
VERSIONS = """
. /etc/os-release
echo "${VERSION_ID:-unstable}"
ldd --version | sed -n '1s/.* //p'
gcc -dumpfullversion
clang --version 2>/dev/null | sed -n '1s/.*version \\([0-9.]*\\).*/\\1/p' |
    grep . || echo none
dpkg-query -W -f '${Version}\\n' libbpf-dev libzydis-dev libdw-dev 2>/dev/null
true
"""
BEGIN = "<!-- systems: written by tests/systems/test_systems.py -->"
END = "<!-- systems: end -->"


# Cases that differ on systems of OLD, and why.
LOCKS = "the locks of glibc 2.31 are in libpthread, which has no names"
NAMES = "libc's file is libc-2.31.so, and the case says libc.so.6"
STARTS = "__libc_csu_fini is one byte long, and no jump fits there"
CARRIED_AS = "the dynamic linker is the program when dtrace is carried"
SITES = "programs with probes of their own are not built there"
MKDIF = "what writes DIF is part of the build, and not there"
ERRLIST = "<stdio.h> declares sys_errlist[], of no size"
DIFFERS = {
    "actions/setopt-refused": CARRIED_AS,
    "builtins/self-tid": CARRIED_AS,
    "command/C-system-headers": ERRLIST,
    "pid/address": NAMES,
    "pid/args-array": MKDIF,
    "pid/many-functions": STARTS,
    "pid/names": NAMES,
    "plockstat/": LOCKS,
    "print/scalars": CARRIED_AS,
    "printf/string": CARRIED_AS,
    "usdt/": SITES,
    "variables/assoc-part": CARRIED_AS,
}


class Tried:
    """One row: a system, and the result of each test."""

    def __init__(self, suite):
        self.suite, self.versions, self.results = suite, "", {}

    def columns(self):
        return {"System": self.suite, "Kernel": os.uname().release,
                "Versions": self.versions, **self.results}


def failures(ran, is_old):
    """The failed claims, with their notes."""
    told, notes = [], []
    for line in ran.out.splitlines():
        if line.startswith("not ok") and \
                not (is_old and line.split(" - ")[-1].startswith(
                    tuple(DIFFERS))):
            told += notes[-12:] + [line]
        notes = [] if re.match(r"(not )?ok\b", line) else notes + [line]
    return "\n".join(told[:80])


def differs(root, ran):
    """The number of failed claims that may fail there."""
    failed = re.findall(r"^not ok \d+ - (.*)$", ran.out, re.M)
    return root.suite in OLD and sum(
        claim.startswith(tuple(DIFFERS)) for claim in failed)


def run_test(tap, tried, root, name, command, **env):
    ran = root.run(command, SECONDS, CASE_SECONDS="180", **env)
    counted = COUNTED.findall(ran.out)
    passed, failed, skipped = map(int, counted[-1]) if counted else (0, 0, 0)
    good = failed == differs(root, ran) and passed > skipped and \
        ran.status == (failed > 0)
    tried.results[name] = f"{passed} of {passed + failed}"
    tap.ok(good, f"{root.suite}: {name}: {passed} hold", failures(ran, root.suite in OLD) or ran)


def versions(root):
    # dpkg-query orders the packages itself
    names = ["", "glibc", "gcc", "clang", "libbpf", "elfutils", "Zydis"]
    found = root.run(VERSIONS).out.splitlines()
    return ", ".join(f"{name} {value.split('-')[0].split(':')[-1]}".strip()
                     for name, value in zip(names, found))


def build(tap, tried, root):
    """Run the README's first command; a minimal root lacks make.  Build what
    the tests need, too."""
    root.install("make")
    ran = root.run("make run && ninja -C build", 900)
    if ran.status != 0 and "deps: " in ran.out and "Failed to fetch" in ran.out:
        raise Unavailable("the packages of the build: " + ran.last())
    warnings = re.findall(r"^.*warning: .*$", ran.out, re.M)
    good = ran.status == 0 and "value  ---" in ran.out and not warnings
    tried.versions = versions(root)
    tried.results["Builds"] = "yes" if good else "no"
    return tap.ok(good, f"{root.suite}: `make run` builds and shows", ran,
                  *warnings[:10])


def is_wanted(name, opts):
    return (name in SHORT or not opts.rotate) and \
        fnmatch.fnmatch(name, opts.only)


def try_new(tap, tried, root, opts):
    if not build(tap, tried, root):
        return
    root.install(*TEST_PACKAGES)
    for name, command in TESTS:
        if is_wanted(name, opts):
            root.install(*MORE_PACKAGES.get(name, ()))
            run_test(tap, tried, root, name, command)


# -- suites that are too old ----------------------------------------------

CARRIED = ("libZydis.so.*", "libpfm.so.4", "libdw.so.1",
           "libmicrohttpd.so.*", "libncursesw.so.*")
WITH_OTHERS = CARRIED[2:]  # these need libraries, too
COMPILE = """
mkdir -p /progs
cd /src/tests/prog
for c in *.c; do
    gcc -std=gnu17 -O2 -g -D_GNU_SOURCE -fno-pie -no-pie -o /progs/${c%.c} $c \
        -pthread 2>/dev/null || true
done
flags='-std=gnu17 -O2 -fcf-protection=none -pthread calls.c'
gcc -fpie -pie $flags -o /progs/calls_pie
gcc -fno-pie -static $flags -o /progs/calls_static
gcc -fpie -static-pie $flags -o /progs/calls_static_pie
gcc -fpie -pie -rdynamic -s $flags -o /progs/calls_exported
gcc -fno-pie -no-pie $flags -o /progs/calls
ls /progs | wc -l
"""


def carry(root, dtrace):
    """Copy this machine's dtrace and its libraries to an older system."""
    folder = os.path.join(root.path, "carried")
    os.makedirs(folder)
    ldd = subprocess.run(["ldd", dtrace], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    files = re.findall(r"(/\S+) \(0x", ldd)
    for pattern in CARRIED:
        files += glob.glob("/usr/lib/x86_64-linux-gnu/" + pattern)
    for pattern in WITH_OTHERS:
        name = glob.glob("/usr/lib/x86_64-linux-gnu/" + pattern)[0]
        more = subprocess.run(["ldd", name], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        files += re.findall(r"(/\S+) \(0x", more)
    for path in set(files):
        shutil.copy(path, folder)
    shutil.copy(dtrace, os.path.join(folder, "dtrace.real"))
    # Its program is the dynamic linker, so dtrace thinks that it is installed.
    build = os.path.dirname(dtrace)
    with open(os.path.join(build, "src/libdtrace/dt_paths.h"),
              encoding="utf-8") as f:
        dlib = re.search(r'"(/.*/dtrace)"', f.read()).group(1)
    os.makedirs(root.path + dlib)
    mount("--bind", os.path.join(build, "dlib"), root.path + dlib)
    root.write("carried/dtrace", "#!/bin/sh\nexec /carried/ld-linux-x86-64.so.2"
               " --library-path /carried /carried/dtrace.real \"$@\"\n", 0o755)


def try_old(tap, tried, root, opts):
    root.install("make")
    ran = root.run("make run")
    tap.ok(ran.status != 0 and "no libzydis-dev" in ran.out and
           "Debian 12" in ran.out,
           f"{root.suite}: `make run` names what is too old", ran)
    tried.results["Builds"] = "too old, and told"
    carry(root, os.path.join(opts.build, "dtrace"))
    root.install("gcc", "libc6-dev", "python3", *TEST_PACKAGES)
    ran = root.run(COMPILE)
    tap.ok(ran.status == 0 and int(ran.last()) >= 40,
           f"{root.suite}: programs are built to be traced", ran)
    tried.versions = versions(root)
    for name, command in TESTS:
        if name != "kernel cases" and is_wanted(name, opts):
            root.install(*MORE_PACKAGES.get(name, ()))
            command = re.sub(r"(/src/)?build/tests/prog", "/progs", command)
            run_test(tap, tried, root, name,
                     command.replace("build/dtrace", "/carried/dtrace"))


# -- the table of results ---------------------------------------------------

def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def old_rows(path):
    """Read the existing table: for each system, its columns."""
    lines = [line for line in section(path, BEGIN, END).splitlines()
             if line.startswith("|")]
    names = cells(lines[0]) if lines else []
    found = [dict(zip(names, cells(line))) for line in lines[2:]]
    return {row[names[0]]: row for row in found}


def place(suite):
    """The position of a suite in the table, from old to new."""
    return SUITES.index(suite) if suite in SUITES else len(SUITES)


def write_tried(path, tried):
    """Put the rows into the file's table, and keep the others."""
    head = ["System", "Kernel", "Versions", "Builds"] + \
        [name for name, _ in TESTS]
    rows = old_rows(path)
    for row in tried:
        rows[row.suite] = rows.get(row.suite, {}) | row.columns()
    write_section(
        path, BEGIN, END,
        "## Systems\n\nIn a minimal root of each, on the kernel of the machine: "
        "built from source, then\nclaims that held, of all.\n\n" +
        table(head, [[rows[suite].get(name, "") for name in head]
                     for suite in sorted(rows, key=place)]))


# ---------------------------------------------------------------------------

def one(tap, tried, opts):
    root = None
    try:
        root = Root(tried.suite)
        root.copy_source(opts.source)
        (try_old if tried.suite in OLD else try_new)(tap, tried, root, opts)
    except Unavailable as e:
        tap.skip(tried.suite, str(e))
    finally:
        if root is not None:
            root.remove()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--tried")
    parser.add_argument("--only", default="*")
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("suites", nargs="+")
    opts = parser.parse_args()
    default_signals()
    tap = Tap()
    why = first_missing(["root", "bpf", "cmd:debootstrap", "cmd:unshare"])
    if why:
        tap.skip("other systems", why)
        tap.done()
    enter()
    rows = []
    for suite in [turn(opts.source, opts.suites)] if opts.rotate else opts.suites:
        rows.append(Tried(suite))
        one(tap, rows[-1], opts)
    if opts.tried:
        write_tried(opts.tried, [row for row in rows if row.versions])
    tap.done()


main()
