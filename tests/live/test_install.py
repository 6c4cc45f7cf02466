#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`meson install`, which `make install` calls: each file is in its place, and
works from there.  Nothing is installed on this machine: DESTDIR is set."""

import json
import os
import re
import tempfile

from live import DTRACE, run, start

BUILD = os.path.dirname(DTRACE)
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NEEDED = ["sbin/dtrace", "include/dtrace.h", "libdtrace.so.1",
          "pkgconfig/libdtrace.pc", "share/man/man3/libdtrace.3",
          "bin/ctfdump", "bin/ctfconvert", "bin/plockstat", "sbin/dtraced",
          "lib/systemd/system/dtrace-anon.service",
          "lib/systemd/system/dtraced.service",
          "lib/systemd/system/dtraced-merge.service",
          "share/man/man8/dtrace.8", "share/man/man5/d.5",
          "share/man/man1/plockstat.1", "share/man/man4/dtrace_io.4",
          "share/man/man8/dtrace-tools.8",
          "share/dtrace/tools/opens.d",
          "share/bash-completion/completions/dtrace",
          "share/bash-completion/completions/plockstat",
          "share/zsh/site-functions/_dtrace",
          "share/fish/vendor_completions.d/dtrace.fish",
          "share/man/man8/opendtrace.8",
          "share/doc/opendtrace/README.md",
          "share/doc/opendtrace/CHANGELOG.md",
          "share/doc/opendtrace/doc/json.schema.json",
          "share/doc/opendtrace/examples/opens.d"]
SCRIPT = "BEGIN { printf(\"%d %d\\n\", ENOENT, O_CREAT); exit(0); }"


def files(top):
    return [os.path.join(where, name) for where, _, names in os.walk(top)
            for name in names]


def install(top):
    return run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
                "--destdir", top])


def examples(tap, installed):
    """Each script and program of examples/ and tools.d/ is installed."""
    names = [folder + name for folder in ("examples/", "tools.d/")
             for name in os.listdir(os.path.join(SOURCE, folder))
             if name.endswith((".d", ".c"))]
    places = {re.sub(r".*/share/(doc/opendtrace|dtrace)/", "", path): path
              for path in installed if re.search(
                  "/share/doc/opendtrace/examples/|/share/dtrace/tools/", path)}
    places = {name.replace("tools/", "tools.d/"): path
              for name, path in places.items()}
    tap.ok(len(names) >= 60 and sorted(names) == sorted(places) and
           all(os.access(places[name], os.X_OK) == name.endswith(".d")
               for name in names),
           "all examples and tools, and scripts can be executed",
           sorted(set(names) ^ set(places)))


def links(tap, installed):
    """The documents' links lead to files that are installed."""
    dead, n = [], 0
    for path in (path for path in installed if path.endswith(".md")):
        with open(path, encoding="utf-8") as f:
            found = re.findall(r"\]\((?!https?:|#)([^)#]+)", f.read())
        n += len(found)
        dead += [f"{path}: {link}" for link in found if not os.path.exists(
            os.path.join(os.path.dirname(path), link))]
    tap.ok(n > 20 and not dead, "links of documents lead to installed files",
           *dead)


def on_path(tap, installed):
    """An ordinary user's PATH has bin, and may have no sbin."""
    links = {os.path.basename(path): path for path in installed
             if path.endswith(("/bin/opendtrace", "/bin/dtrace"))}
    ran = run([links.get("opendtrace", "/missing"), "--version"])
    tap.ok(re.fullmatch(r"OpenDTrace for Linux \d+\.\d+\.\d+"
                        r"(?: \(commit \w+\))?\n", ran.out),
           "opendtrace of bin is dtrace", ran)
    owned = any("/usr/bin/" in path and "/usr/local/" not in path
                for path in installed)
    tap.ok(("dtrace" in links) != owned,
           "bin has dtrace, except in /usr, where it is another package's",
           links)


def builds_product(tap):
    """`make` and `make install` build the target `product`."""
    ran = run(["ninja", "-C", BUILD, "-t", "commands", "product"])
    targets = json.loads(run(["meson", "introspect", "--targets", BUILD]).out)
    missing = [name for target in targets if target["installed"]
               for name in target["filename"]
               if os.path.relpath(name, BUILD) not in ran.out]
    tap.ok(not missing, "all that is installed is built before", missing)
    tap.ok("libdtrace.so" in ran.out and
           not re.search(r"\b(tests|bench|examples)/", ran.out),
           "an installation builds neither tests nor benchmarks", ran)


def uninstall(tap, top, installed):
    """tools/uninstall.sh removes the files and our folders, nothing else."""
    prefix = os.path.dirname(os.path.dirname(
        [path for path in installed if path.endswith("/sbin/dtrace")][0]))
    foreign = os.path.join(prefix, "bin/foreign")
    with open(foreign, "w", encoding="utf-8"):
        pass
    for path in installed:
        if path.endswith("/dtrace/__init__.py"):    # python was run
            os.mkdir(os.path.join(os.path.dirname(path), "__pycache__"))
    ran = run([os.path.join(SOURCE, "tools/uninstall.sh"), BUILD, top])
    left = files(top)
    ours = [where for where, _, _ in os.walk(top)
            if os.path.basename(where) in ("dtrace", "opendtrace")]
    tap.ok(ran.status == 0 and left == [foreign] and not ours and
           os.path.isdir(os.path.join(prefix, "share")),
           "uninstall removes what was installed", ran, left, ours)


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
            examples(tap, installed)
            links(tap, installed)
            on_path(tap, installed)
            uninstall(tap, top, installed)
    builds_product(tap)
    runs_in_place(tap)
    tap.done()


main()
