#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The consumers of examples/ print the known facts of known work.

The library is installed so that a program elsewhere can be built with it."""

import os
import re
import subprocess
import sys
import tempfile

from live import is_sanitized, run, start

BUILD = os.path.abspath(sys.argv[2])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def example(name, *args):
    return run([os.path.join(BUILD, "examples", name), *args])


def calls(tap):
    """The example of libdtrace(3), as the page has it, and as it is built."""
    with open(os.path.join(BUILD, "doc/man3/libdtrace.3"),
              encoding="utf-8") as f:
        page = f.read()
    page = page[page.index(".Sh EXAMPLES"):]
    text = re.search(r"^\.Bd -literal\n(.*?)^\.Ed", page, re.M | re.S).group(1)
    text = re.sub(r"^\\&", "", text, flags=re.M).replace("\\e", "\\")
    with tempfile.TemporaryDirectory() as folder:
        source, command = (os.path.join(folder, name)
                           for name in ("calls.c", "calls"))
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        ran = run(["cc", "-Wall", "-Wextra", "-Werror", "-o", command, source,
                   "-I", os.path.join(SOURCE, "include"), "-L", BUILD,
                   f"-Wl,-rpath,{BUILD}", "-ldtrace"])
        tap.ok(ran.status == 0, "calls: it compiles", ran)
        ran = run([command, "dd", "if=/dev/zero", "of=/dev/null", "bs=1000",
                   "count=37", "status=none"])
    counts = [int(n) for n in re.findall(r"^ +(\d+) ", ran.out, re.M)]
    tap.ok(ran.status == 0 and ran.err == "" and
           ran.out.count(": 1000 bytes\n") == 37, "calls: every write", ran)
    tap.ok(" 1 exit_group\n" in ran.out and " 37 write\n" in ran.out and
           counts == sorted(counts, reverse=True), "calls: the counts", ran)


def embed(tap):
    ran = example("embed", "/etc/hostname", "/nonexistent", "/etc/hosts")
    tap.ok(ran.status == 0 and ran.out ==
           "/etc/hostname: opened\n"
           "/nonexistent: No such file or directory\n"
           "/etc/hosts: opened\n2 opened, 1 failed\n",
           "embed: what it opened itself", ran)


def latencies(tap):
    ran = example("latencies", "sh", "-c", "read l </etc/hostname")
    tap.ok(ran.status == 0 and not ran.err, "latencies: ends with the command",
           ran)
    lines = ran.out.splitlines()
    tap.ok(lines and all(line.startswith("latencies: ") for line in lines),
           "latencies: every line came through the handler", ran)
    tap.ok(any("value  ------------- Distribution -------------" in line
               for line in lines), "latencies: the picture", ran)


def syscalltop(tap):
    worker = subprocess.Popen(["sh", "-c", "while :; do : </dev/null; done"])
    try:
        # other processes of the machine may have higher rows
        ran = example("syscalltop", "3", "20")
    finally:
        worker.kill()
        worker.wait()
    tables = ran.out.split("\n\n")[:-1]
    tap.ok(ran.status == 0 and len(tables) >= 2,
           f"syscalltop: {len(tables)} tables in 3 s", ran)
    rows = re.findall(r"^sh +openat +(\d+)$", ran.out, re.M)
    tap.ok(len(rows) == len(tables) and all(int(n) > 100 for n in rows),
           "syscalltop: the busy program in each", ran)
    counts = [[int(n) for n in re.findall(r"^\S+ +\w+ +(\d+)$", t, re.M)]
              for t in tables]
    tap.ok(all(c == sorted(c, reverse=True) and 0 < len(c) <= 20
               for c in counts), "syscalltop: the largest first", ran)


def exports(tap):
    """The header declares these names and no others; the version is right."""
    with open(os.path.join(SOURCE, "include", "dtrace.h"),
              encoding="utf-8") as f:
        text = f.read()
    names = set(re.findall(
        r"^DTRACE_API[^;(]*?\b(_?dtrace_\w+)\s*[;(\[]", text, re.M))
    ran = run(["nm", "-D", "--defined-only",
               os.path.join(BUILD, "libdtrace.so.1")])
    have = set(re.findall(r" [TRDB] (\w+)@@LIBDTRACE_1\.0$", ran.out, re.M))
    other = [line for line in ran.out.splitlines()
             if "@@LIBDTRACE_" not in line and " A " not in line]
    tap.ok(len(names) > 40 and have == names and not other,
           "the library exports what the header declares",
           have ^ names, other)


def installed(tap):
    """A program is built elsewhere: DESTDIR, pkg-config, C and C++."""
    if is_sanitized(os.path.join(BUILD, "libdtrace.so.1")):
        tap.skip("a program of its own",
                 "it would need the sanitizer's runtime too")
        return
    with tempfile.TemporaryDirectory() as root:
        env = dict(os.environ, DESTDIR=root)
        ran = run(["meson", "install", "-C", BUILD, "--no-rebuild"], env=env)
        pcs = [os.path.join(d, f) for d, _, fs in os.walk(root) for f in fs
               if f == "libdtrace.pc"]
        tap.ok(ran.status == 0 and len(pcs) == 1, "it installs", ran)
        env = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=root,
                   PKG_CONFIG_LIBDIR=os.path.dirname(pcs[0]))
        flags = run(["pkg-config", "--cflags", "--libs", "libdtrace"],
                    env=env).out.split()
        libdir = os.path.dirname(os.path.dirname(pcs[0]))
        for compiler, std, name in (("gcc", "-std=gnu11", "embed.c"),
                                    ("g++", "-std=gnu++11", "embed.c")):
            binary = os.path.join(root, compiler)
            language = ["-x", "c++"] if compiler == "g++" else []
            built = run([compiler, std, "-Wall", "-Wextra", "-Werror",
                         "-o", binary, *language,
                         os.path.join(SOURCE, "examples", name),
                         "-x", "none", *flags])
            tap.ok(built.status == 0, f"{compiler}: it compiles", built)
            ran = run(["env", f"LD_LIBRARY_PATH={libdir}", binary,
                       "/etc/hostname"])
            tap.ok(ran.out == "/etc/hostname: opened\n1 opened, 0 failed\n",
                   f"{compiler}: it runs", ran)


def main():
    tap = start("root bpf")
    for check in calls, embed, latencies, syscalltop, exports, installed:
        check(tap)
    tap.done()


main()
