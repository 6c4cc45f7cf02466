#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The commands of README.md work where nothing was installed to build or test:

in a new minimal root of this system's suite, with dtrace, the libraries that it
needs, and the programs and files that the commands name.

    test_readme.py SOURCE BUILD		with the files of `meson install`
    test_readme.py SOURCE BUILD --package	with the Debian package

A command is found by its prompt: "#" is for root, "$" for an ordinary user.  A
command that does not end by itself is interrupted, as by Control-C.  It must
print something without a complaint, and a histogram where README.md shows one.
"""

import argparse
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, ".."), os.path.join(HERE, "../systems")]
from package import build_packages, run
from root import Root, Unavailable, enter
from tap import Tap, default_signals, first_missing

PROMPT = re.compile(r"^    ([#$] )?(dtrace .*)$")
INLINE = re.compile(r"`(dtrace -[^`]+)`")
# The packages of programs and files that README.md's commands trace and read.
LOOKED_AT = ["sqlite3", "netbase"]
SKIPPED = {"postgresql": "it needs a server, with probes that Debian's has not"}
# Drops are no complaint: a busy machine has some.
COMPLAINT = re.compile(r"^dtrace: .*(?:error|cannot|not available|failed).*",
                       re.M)
UNTIL = 2, 10, 40  # seconds until a command that does not end is interrupted
# Opens of files, and one that fails, as a quiet machine shows nothing.
WORK = "while sleep 0.1; do cat /etc/passwd /missing; done >/dev/null 2>&1"
SECONDS = 120
DOC = "usr/share/doc/opendtrace"


class Command:
    def __init__(self, prompt, text, shown):
        self.is_root = prompt != "$ "
        self.text, self.shown = text, shown

    def name(self):
        return " ".join(self.text.split())[:90]

    def ends(self):
        """Does the command end by itself: with its -c, or by its text?"""
        return re.search(r"exit\(0\)| -c |-o \S+ -n| -l", self.text)


def is_whole(text):
    try:
        return shlex.split(text) and not text.endswith("\\")
    except ValueError:
        return False


def read_commands(text):
    """The commands in blocks of their own, and the output shown below each."""
    lines = iter(text.splitlines())
    found = []
    for line in lines:
        match = PROMPT.match(line)
        if match:
            command = match[2]
            while not is_whole(command):
                command += "\n" + next(lines)
            found.append(Command(match[1], command, ""))
        elif found and line.startswith("    "):
            found[-1].shown += line + "\n"
        elif line and found and found[-1].shown:
            found[-1].shown += "\n"
    for match in INLINE.finditer(text):
        found.append(Command(None, match[1].replace("\n", " "), ""))
    return found


# ---- the root -----------------------------------------------------------------

def owners(paths):
    """The packages of the libraries that files are linked with."""
    libraries = set()
    for path in paths:
        libraries |= set(re.findall(r"=> (/\S+)", run("ldd", path).stdout))
    names = set()
    for path in libraries:
        # a library may be registered by its path from before /usr was merged
        for known in path, "/usr" + path, path.removeprefix("/usr"):
            names |= set(re.findall(r"^([^:]+):\S* /", run(
                "dpkg-query", "-S", known).stdout, re.M))
    return sorted(names)


def install_build(tap, root, opts):
    """Install as `make install` does, with the libraries that it needs."""
    files = glob.glob(os.path.join(opts.build, "src/loaded.so"))
    root.install(*owners([os.path.join(opts.build, "dtrace"), *files]))
    ran = run("meson", "install", "-C", opts.build, "--no-rebuild", "--quiet",
              env=dict(os.environ, DESTDIR=root.path))
    tap.ok(ran.returncode == 0 and files, "it is installed", ran.stdout)
    folder = os.path.join(root.path, DOC)
    os.makedirs(folder, exist_ok=True)
    shutil.copytree(os.path.join(opts.source, "examples"),
                    folder + "/examples", dirs_exist_ok=True)


def install_package(tap, root, opts):
    with tempfile.TemporaryDirectory() as top:
        packages = build_packages(tap, opts.source, top)
        if packages is None:
            tap.done()
        for name in "opendtrace", "libdtrace-common":
            shutil.copy(packages[name], os.path.join(root.path, name + ".deb"))
    ran = root.run("apt-get install -y -qq /opendtrace.deb "
                   "/libdtrace-common.deb")
    tap.ok(ran.status == 0, "it is installed, with what it depends on", ran)


def beside_systemtap(tap, root):
    """Debian's package with another dtrace comes and goes beside ours."""
    ran = root.run("apt-get install -y -qq --no-install-recommends "
                   "systemtap-sdt-dev && dpkg -S /usr/bin/dtrace && "
                   "/usr/sbin/dtrace --version && opendtrace --version && "
                   "zcat /usr/share/man/man8/dtrace.8.gz >/dev/null")
    tap.ok(ran.status == 0 and re.search(r"systemtap-sdt-dev(:\S+)?: /usr/bin/dtrace", ran.out)
           and ran.out.count("OpenDTrace for Linux ") == 2,
           "systemtap-sdt-dev is installed beside it", ran)
    ran = root.run("apt-get purge -y -qq --autoremove systemtap-sdt-dev && "
                   "/usr/bin/dtrace --version")
    tap.ok(ran.status == 0 and "OpenDTrace for Linux " in ran.out,
           "/usr/bin/dtrace is ours when that package is gone", ran)


def nothing_else(tap, root):
    ran = root.run("dpkg-query -W -f '${Package}\\n' | "
                   "grep -E -- '-dev$|-dbg|-dbgsym|^gcc$|^clang' ; "
                   "find /usr/lib/debug -type f 2>/dev/null | head -3")
    tap.ok(ran.out.strip() == "", "nothing is there to build with, nor debug "
           "files", ran)


# ---- the commands -------------------------------------------------------------

def try_command(tap, root, command):
    for word, reason in SKIPPED.items():
        if word in command.text:
            tap.skip(command.name(), reason)
            return
    for seconds in UNTIL[-1:] if command.ends() else UNTIL:
        good, notes = run_command(root, command, seconds)
        if good:
            break
    tap.ok(good, command.name(), *notes)


def run_command(root, command, seconds):
    """(does the command do what README.md says, its output)."""
    limit = "" if command.ends() else f"timeout -s INT {seconds} "
    user = "" if command.is_root else \
        "setpriv --reuid 65534 --regid 65534 --clear-groups "
    root.write("command", command.text + "\n")
    ran = root.run(f"cd /{DOC} || exit; {WORK} & "
                   f"{user}{limit}sh /command 2>/said; "
                   "status=$?; kill $!; exit $status", SECONDS)
    with open(os.path.join(root.path, "said"), encoding="utf-8") as f:
        said = f.read()
    own = COMPLAINT.findall(said)
    is_interrupted = limit and ran.status == 124
    shows = "Distribution" not in command.shown or "Distribution" in ran.out
    return ((ran.status == 0 or is_interrupted) and not own and shows and
            (ran.out.strip() or "-o " in command.text),
            [f"status {ran.status}", ran.out[-1000:], said])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--package", action="store_true")
    opts = parser.parse_args()
    default_signals()
    tap = Tap()
    needs = ["cmd:dh"] if opts.package else []
    why = first_missing(["root", "bpf", "cmd:debootstrap", "cmd:unshare",
                         "cmd:dpkg-query", *needs])
    if why:
        tap.skip("README.md", why)
        tap.done()
    enter()
    suite = subprocess.run(". /etc/os-release; echo $VERSION_CODENAME",
                           shell=True, check=True, text=True,
                           stdout=subprocess.PIPE).stdout.strip()
    try:
        root = Root(suite)
        (install_package if opts.package else install_build)(tap, root, opts)
        nothing_else(tap, root)
        if opts.package:
            beside_systemtap(tap, root)
        root.install(*LOOKED_AT)
    except Unavailable as e:
        tap.skip("README.md in a clean root", str(e))
        tap.done()
    with open(os.path.join(opts.source, "README.md"), encoding="utf-8") as f:
        commands = read_commands(f.read())
    tap.ok(len(commands) >= 20, f"{len(commands)} commands are found")
    for command in commands:
        try_command(tap, root, command)
    tap.done()


main()
