#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`meson install`, which `make install` calls: each file is in its place, and
works from there.  Nothing is installed on this machine: DESTDIR is set."""

import os
import tempfile

from live import DTRACE, run, start

BUILD = os.path.dirname(DTRACE)
NEEDED = ["sbin/dtrace", "include/dtrace.h", "libdtrace.so.1",
          "pkgconfig/libdtrace.pc", "share/man/man3/libdtrace.3",
          "bin/ctfdump", "bin/ctfconvert", "bin/plockstat",
          "lib/systemd/system/dtrace-anon.service",
          "share/man/man1/dtrace.1", "share/man/man5/d.5",
          "share/man/man1/plockstat.1", "share/man/man4/dtrace_io.4",
          "share/bash-completion/completions/dtrace",
          "share/bash-completion/completions/plockstat",
          "share/doc/opendtrace/README.md",
          "share/doc/opendtrace/doc/json.schema.json",
          "share/doc/opendtrace/examples/opens.d"]
SCRIPT = "BEGIN { printf(\"%d %d\\n\", ENOENT, O_CREAT); exit(0); }"


def files(top):
    return [os.path.join(where, name) for where, _, names in os.walk(top)
            for name in names]


def install(top):
    return run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
                "--destdir", top])


def runs_in_place(tap):
    ran = run([DTRACE, "-qn", SCRIPT], cwd="/")
    tap.ok(ran.status == 0 and ran.out == "2 64\n\n",
           "the build directory's command has its D libraries", ran)


def runs_installed(tap, top, installed):
    command = [path for path in installed if path.endswith("/sbin/dtrace")][0]
    libraries = os.path.dirname([path for path in installed
                                 if path.endswith("/dtrace/errno.d")][0])
    ran = run([command, "-x", "syslibdir=" + libraries, "-qn", SCRIPT])
    tap.ok(ran.status == 0 and ran.out == "2 64\n\n",
           "the installed command runs, with the installed D libraries", ran)
    if not os.path.exists(libraries[len(top):]):
        ran = run([command, "-qn", SCRIPT])
        tap.ok(ran.status == 1 and libraries[len(top):] + "/" in ran.err,
               "it looks for them where they will be without DESTDIR", ran)
    script = [path for path in installed if path.endswith("opens.d")][0]
    tap.ok(os.access(script, os.X_OK), "examples can be executed")
    ran = run(["ldd", command])
    tap.ok(BUILD not in ran.out and ran.status == 0,
           "it needs nothing of the build directory", ran)


def main():
    tap = start("root bpf")
    with tempfile.TemporaryDirectory() as top:
        ran = install(top)
        installed = files(top)
        missing = [name for name in NEEDED if not any(
            path.endswith("/" + name) for path in installed)]
        tap.ok(ran.status == 0 and not missing, "all is installed", ran,
               missing)
        if not missing:
            runs_installed(tap, top, installed)
    runs_in_place(tap)
    tap.done()


main()
