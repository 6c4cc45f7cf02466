#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The commands of documents do what the documents show.

Those of README.md run where nothing was installed to build or test: in a new
minimal root of this system's suite, with dtrace, the libraries that it needs,
and the programs and files that the commands name.  Those of the guide and of
the manuals run on this system, with the dtrace of the build.

    test_readme.py SOURCE BUILD
	README.md, with the files of `meson install`
    test_readme.py SOURCE BUILD --package
	README.md, with the Debian package
    test_readme.py SOURCE BUILD --rotate
	README.md, with either, another with each commit
    test_readme.py SOURCE BUILD --here [FILE...]
	the guide and the manuals, or these

document.py says how a document shows commands, and what they need.  A command
that does not end by itself is interrupted, as by Control-C.  It must print
something without a complaint that the document does not show.  If the document
shows its output, each line of that must have one of the same shape in the real
output.  Its status is 0, unless its text says exit(N); of a command that the
document shows to be refused, it is 1 or 2.
"""

import argparse
import concurrent.futures
import contextlib
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, ".."), os.path.join(HERE, "../systems")]
from document import GIVEN, faults, manual_text, read_commands
from package import build_packages, run
from root import Ran, Root, Unavailable, enter
from tap import Tap, default_signals, first_missing
from tried import turn

# The packages of programs and files that README.md's commands trace and read.
LOOKED_AT = ["sqlite3", "netbase"]
UNTIL = 1, 5, 40  # seconds until a command that does not end is interrupted
# Opens of files, one that fails, and a file that goes, as a quiet machine shows
# nothing; until this test is gone.
WORK = "while sleep 0.1 && [ -e /proc/$PPID ]; do cat /etc/passwd /missing; " \
    "rm -f \"$(mktemp)\"; done >/dev/null 2>&1"
SECONDS = 120
AT_A_TIME = 8
DOC = "usr/share/doc/opendtrace"


# ---- the root ----------------------------------------------------------------

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


# ---- the commands ------------------------------------------------------------

def try_command(tap, place, command):
    needs = command.needs + ["rate:997"] * ("profile-997" in command.text)
    why = command.not_run or place.missing(needs)
    if why:
        tap.skip(command.name(), why)
        return
    for seconds in UNTIL[-1:] if command.ends() else UNTIL:
        good, notes = run_command(place, command, seconds)
        if good:
            break
    tap.ok(good, command.name(), *notes)


def run_command(place, command, seconds):
    """(does the command do what the document says, its output)."""
    limit = "" if command.ends() else f"timeout -s INT {seconds} "
    user = "" if command.is_root else \
        "setpriv --reuid 65534 --regid 65534 --clear-groups "
    ran, said = place.run(command, user + limit)
    is_interrupted = limit and ran.status == 124
    wrong = faults(command, None if is_interrupted else ran.status, ran.out,
                   said)
    return not wrong, [f"status {ran.status}", *wrong, ran.out[-1000:],
                       said[-3000:]]


class Clean:
    """A root of Debian in which the product is installed."""

    def __init__(self, root):
        self.root = root

    def missing(self, needs):
        for need in needs:
            if need.startswith("cmd:"):
                ran = self.root.run("command -v " + need[4:])
                why = None if ran.status == 0 else f"no {need[4:]} here"
            else:
                why = first_missing([need])
            if why:
                return why
        return None

    def run(self, command, before):
        """(how the command ended, with its output, and what it complained)."""
        self.root.write("command", command.text + "\n")
        ran = self.root.run(f"cd /{DOC} || exit; {WORK} & "
                            f"{before}sh /command 2>/said; "
                            "status=$?; kill $!; exit $status", SECONDS)
        with open(os.path.join(self.root.path, "said"), encoding="utf-8",
                  errors="replace") as f:
            return ran, f.read()


@contextlib.contextmanager
def busy_process():
    """The id of a process that ends with the block, or this test."""
    loop = "while [ -e /proc/$PPID ]; do :; done"
    with subprocess.Popen(["sh", "-c", loop]) as proc:
        try:
            yield proc.pid
        finally:
            proc.kill()


class Here:
    """Folders on this system, whose dtrace is the build's."""

    def __init__(self, opts, top):
        self.opts, self.top = opts, top

    def missing(self, needs):
        return first_missing(needs)

    def make_folder(self, command):
        """A folder with the files that the command names."""
        folder = tempfile.mkdtemp(dir=self.top)
        os.chmod(folder, 0o777)
        for name in "examples", "doc":
            os.symlink(os.path.join(self.opts.source, name),
                       os.path.join(folder, name))
        if "prog" in command.given:
            os.symlink(os.path.join(self.opts.build, "tests/prog/known"),
                       os.path.join(folder, "prog"))
        files = {name: GIVEN[name] for name in command.given if GIVEN[name]}
        for name, text in {**files, **command.files}.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        return folder

    def run(self, command, before):
        folder = self.make_folder(command)
        if "process" not in command.given:
            return self.run_in(folder, command.text, before)
        with busy_process() as pid:
            return self.run_in(folder, command.text.replace(
                "-p 1234", f"-p {pid}"), before)

    def run_in(self, folder, text, before):
        env = dict(os.environ, LC_ALL="C.UTF-8",
                   PATH=self.opts.build + ":" + os.environ["PATH"])
        words = [*before.split(), "sh", "-c", text]
        ran = subprocess.run(["timeout", str(SECONDS), *words], cwd=folder,
                             env=env, stdin=subprocess.DEVNULL,
                             capture_output=True, encoding="utf-8",
                             errors="replace", check=False)
        return Ran(ran.returncode, ran.stdout), ran.stderr


def read_document(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return read_commands(text if path.endswith(".md") else manual_text(text))


def documents(source):
    """The guide and the manuals."""
    return sorted(path for pattern in ("guide/*.md", "man/*", "man[0-9]/*.in")
                  for path in glob.glob(os.path.join(source, "doc", pattern)))


def try_here(tap, opts):
    """Run the commands of documents on this system, several at a time.

    Those that put breakpoints into all processes run alone: code in a process
    goes nowhere near these."""
    opts.source, opts.build = map(os.path.abspath, (opts.source, opts.build))
    work = subprocess.Popen(["sh", "-c", WORK], start_new_session=True)
    # not /tmp, which may be in memory: some commands trace a disk
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top, \
            concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        os.chmod(top, 0o755)
        place, running, alone = Here(opts, top), [], []
        for path in opts.here or documents(opts.source):
            commands = read_document(path)
            tap.ok(True, os.path.relpath(path, opts.source) +
                   f": {len(commands)} commands")
            alone += [c for c in commands if "pid*:" in c.text]
            running += [pool.submit(try_command, tap, place, command)
                        for command in commands if command not in alone]
        for one in running:
            one.result()
        for command in alone:
            try_command(tap, place, command)
    os.killpg(work.pid, signal.SIGKILL)
    work.wait()
    tap.done()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--package", action="store_true")
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("--here", nargs="*", metavar="FILE")
    opts = parser.parse_args()
    if opts.rotate:
        opts.package = turn(opts.source, [False, True])
    default_signals()
    tap = Tap()
    if opts.here is not None:
        why = first_missing(["root", "bpf"])
        if why:
            tap.skip("commands of documents", why)
            tap.done()
        try_here(tap, opts)
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
    commands = read_document(os.path.join(opts.source, "README.md"))
    tap.ok(len(commands) >= 10, f"{len(commands)} commands are found")
    for command in commands:
        try_command(tap, Clean(root), command)
    tap.done()


main()
