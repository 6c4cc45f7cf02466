#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Libraries that are loaded at their first use: dtrace loads the version that
it was built with, or prints a message with the Debian package's name."""

import os
import re
import subprocess
import tempfile

from live import DTRACE, prog, run, start

ONE_PROBE = ["-qn", "pid$target:a.out:main:entry { @ = count(); }",
             "-c", prog("known") + " args"]
FUNCTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "../../src/x86/zydis_fns.def")
OTHER = 0x0004000900000000      # version 4.9


def soname():
    with open(DTRACE, "rb") as f:
        return re.search(rb"libZydis\.so[.\d]*", f.read()).group().decode()


def library(path, version):
    """Build a library that has all functions and reports a given version."""
    with open(FUNCTIONS, encoding="ascii") as f:
        names = re.findall(r"^ZY_FN\((\w+)\)", f.read(), re.M)
    source = "".join(f"unsigned long {name}(void) {{ return {version}UL; }}\n"
                     for name in names)
    subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", path],
                   input=source, text=True, check=True)


def trace_with(directory):
    return run([DTRACE, *ONE_PROBE],
               env=dict(os.environ, LD_LIBRARY_PATH=directory))


def refused(tap, ran, claim, text):
    package = "libzydis" + soname().removeprefix("libZydis.so.")
    tap.ok(ran.status == 1 and text in ran.err and
           f"(Debian package {package})" in ran.err, claim, ran)


def main():
    tap = start("cmd:gcc prog:known")
    ran = run([DTRACE, *ONE_PROBE])
    tap.ok(ran.status == 0 and ran.out.split() == ["1"],
           "the library that the build found serves probes", ran)
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, soname())
        library(path, OTHER)
        refused(tap, trace_with(top), "another version of it is refused",
                f"{soname()} is version 4.9, but dtrace was built for ")
        with open(path, "wb"):
            pass
        refused(tap, trace_with(top), "one that cannot be loaded is named",
                "instructions cannot be decoded: " + path)
    tap.done()


main()
