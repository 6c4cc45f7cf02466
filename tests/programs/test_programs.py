#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that nobody here wrote do the same whether they are traced or not.

    test_programs.py DTRACE [SHARE [NAME...]]

Each command of commands.txt runs untraced, then with probes inside the process:
on all entries and returns of all modules, on every instruction of the program,
on all system calls; as root and as an ordinary user; with debug files hidden and
as they are.  Output, errors and exit status are the same, and something fired.
Where a stripped program has no names of functions, some hundred of its
instructions are traced by their addresses, as objdump lists them; the kernel
is told to load it where it always does (setarch -R).

Of all these runs one of SHARE is done (1: all), drawn anew each day.  A program
that cannot be entered has to be refused by name, before it is run.
"""

import concurrent.futures
import contextlib
import datetime
import functools
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import Tap, default_signals, first_missing

DTRACE = os.path.abspath(sys.argv[1])
SECONDS = 300
NOBODY = 65534
# The system's: root's own may be in folders that are closed to others.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
COMMANDS, WORKS = 300, 60  # at least
COUNT = " { @n = count(); }"
STATUS = (" syscall::exit_group:entry /pid == $target/"
          " { printf(\"status %d\\n\", (int)arg0 & 255); }"
          " END { printa(\"fired %@d\\n\", @n); }")
MODES = {
    "functions": "pid$target:::entry, pid$target:::return" + COUNT,
    "instructions": "pid$target:a.out::" + COUNT,
    "calls": "syscall:::entry, syscall:::return" + COUNT,
}
REFUSED = re.compile(r"cannot be (traced|entered)|cannot trace|has no names of "
                     r"functions|no probe|does not match any probes")
NAMELESS = "has no names of functions"
ADDRESSES = 300      # of a program's instructions, at most
LISTED = 256 * 1024  # bytes of code that they are chosen from
BY_ADDRESS = []      # runs of these: has anything fired?
FIXED = 0x555555554000 # where programs are loaded that may be anywhere
C = ["gcc", "runs.c", "-pthread", "-D_GNU_SOURCE"]
CC = ["g++", "throws.cc", "-pthread"]
MADE = {
    "O0": [*C, "-O0", "-g"],
    "O2": [*C, "-O2"],
    "O3": [*C, "-O3", "-funroll-loops"],
    "Os": [*C, "-Os"],
    "static": [*C, "-O2", "-static"],
    "static-stripped": [*C, "-O2", "-static", "-s"],
    "static-pie": [*C, "-O2", "-static-pie"],
    "cet": [*C, "-O2", "-fcf-protection=full"],
    "no-plt": [*C, "-O2", "-fno-plt", "-Wl,-z,now"],
    "lto": [*C, "-O2", "-flto"],
    "no-unwind": [*C, "-O2", "-fno-asynchronous-unwind-tables"],
    "stripped": [*C, "-O2", "-s"],
    "hardened": [*C, "-O2", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2",
                 "-fstack-clash-protection", "-fPIE", "-pie"],
    "clang": ["clang-14", *C[1:], "-O2"],
    "clang-static": ["clang-14", *C[1:], "-O2", "-static"],
    "musl": ["musl-gcc", *C[1:], "-O2", "-static"],
    "throws": [*CC, "-O2"],
    "throws-O0": [*CC, "-O0"],
    "throws-static": [*CC, "-O2", "-static"],
    "throws-clang": ["clang++-14", *CC[1:], "-O2"],
    "go": ["go", "build", "hello.go"],
    "go-stripped": ["go", "build", "-ldflags=-s -w", "hello.go"],
    "rust": ["rustc", "-O", "hello.rs"],
    "rust-static": ["rustc", "-O", "-Ctarget-feature=+crt-static", "hello.rs"],
}


# ---- what there is to be run ------------------------------------------------

def make(folder):
    """The files that commands work on."""
    for name in os.listdir(os.path.join(HERE, "work")):
        shutil.copy(os.path.join(HERE, "work", name), folder)
    words = random.Random(1)
    with open(os.path.join(folder, "text"), "w", encoding="ascii") as f:
        for _ in range(2000):
            f.write(" ".join("".join(words.choices("etaoinshrdlu", k=5))
                             for _ in range(9)) + " the end\n")
    with open(os.path.join(folder, "numbers"), "w", encoding="ascii") as f:
        f.writelines(f"{words.random() * 1e6:.3f}\n" for _ in range(20000))
    env = dict(os.environ, GOCACHE=os.path.join(folder, ".go"),
               GO111MODULE="off")
    for name, cmd in MADE.items():
        if shutil.which(cmd[0]):
            out = "made-" + name
            subprocess.run([*cmd[:2], "-o", out, *cmd[2:]] if cmd[0] == "go"
                           else [*cmd, "-o", out], cwd=folder, env=env,
                           check=False, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    shutil.rmtree(os.path.join(folder, ".go"), ignore_errors=True)


def is_enterable(path):
    """Not a script's interpreter's, nor one with privileges of its own."""
    return not os.stat(path).st_mode & 0o6000


def commands(folder):
    """(is_work, argv) of each that is there."""
    with open(os.path.join(HERE, "commands.txt"), encoding="ascii") as f:
        lines = [line for line in f.read().splitlines() if line[0] != "#"]
    for line in lines:
        is_work = line.startswith(": ")
        argv = line.removeprefix(": ").split()
        there = os.path.join(folder, argv[0]) if argv[0][0] == "." \
            else shutil.which(argv[0], path=PATH)
        if there and os.access(there, os.X_OK) and is_enterable(there):
            yield is_work, argv


def sample(items, share):
    """So many-th a part, drawn anew each day."""
    day = random.Random(datetime.date.today().toordinal())
    return day.sample(items, len(items) // share) if share > 1 else items


# ---- instructions without names ---------------------------------------------

def executed(argv, folder):
    """The file that runs: of a script, its interpreter."""
    path = os.path.join(folder, argv[0]) if argv[0][0] == "." \
        else shutil.which(argv[0], path=PATH)
    with open(path, "rb") as f:
        line = f.readline(256)
    if line[:2] != b"#!":
        return os.path.realpath(path)
    words = line[2:].decode().split()
    name = words[1] if words[0].endswith("/env") else words[0]
    return os.path.realpath(shutil.which(name, path=PATH))


def bias(path):
    """Where it is loaded, without randomness; None: that is not known."""
    ran = subprocess.run(["readelf", "-hlW", path], capture_output=True,
                         text=True, check=False)
    if re.search(r"Type: +EXEC", ran.stdout):
        return 0
    aligns = re.findall(r"^ +LOAD .* (0x\w+)$", ran.stdout, re.M)
    is_usual = " INTERP " in ran.stdout and set(aligns) == {"0x1000"}
    return FIXED if is_usual else None


def text_start(path):
    ran = subprocess.run(["objdump", "-h", "-j", ".text", path],
                         capture_output=True, text=True, check=False)
    row = re.search(r"\.text +\w+ +(\w+)", ran.stdout)
    return int(row[1], 16) if row else None


@functools.cache
def addresses(path):
    """Some of its instructions, the same ones each time."""
    start = text_start(path)
    if start is None:
        return []
    ran = subprocess.run(
        ["objdump", "-d", "-j", ".text", "--no-show-raw-insn",
         f"--stop-address={start + LISTED}", path], capture_output=True,
        text=True, errors="replace", check=False)
    found = re.findall(r"^ +([0-9a-f]+):\t(?!\(bad\))", ran.stdout, re.M)
    chosen = random.Random(1).sample(found, min(ADDRESSES, len(found)))
    return sorted(chosen)


def by_addresses(path):
    """A script for them; None: there are none."""
    there, base = addresses(path), bias(path)
    if not there or base is None:
        return None
    return ", ".join(f"pid$target:a.out:-:{base + int(at, 16):x}"
                     for at in there) + COUNT


# ---- running ----------------------------------------------------------------

class Ran:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __eq__(self, other):
        return (self.status, self.out, self.err) == \
            (other.status, other.out, other.err)

    def __str__(self):
        return f"status {self.status}, {len(self.out)} bytes of output\n" \
            f"{self.out[:400]!r}\nerrors:\n{self.err[:2000]!r}"


def run(cmd, folder, env):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        proc = subprocess.Popen(cmd, cwd=folder, env=env, stdout=out,
                                stderr=err, stdin=subprocess.DEVNULL,
                                start_new_session=True)
        try:
            status = proc.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            status = f"none after {SECONDS} s"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(proc.pid, signal.SIGKILL)
        proc.wait()
        out.seek(0)
        err.seek(0)
        return Ran(status, out.read(), err.read())


def at_fixed(wrap):
    return lambda cmd: wrap(["setarch", "-R", *cmd])


def as_user(cmd, is_root, hides):
    """Without privileges; without debug files, which a mount hides."""
    drop = [] if is_root else [
        "setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY),
        "--clear-groups"]
    hide = ["unshare", "-m", "sh", "-c",
            "mount -t tmpfs none /usr/lib/debug && exec \"$@\"", "sh"] \
        if hides else []
    return [*hide, *drop, *cmd]


def traced(argv, script, folder, env, wrap):
    """What it did, and what dtrace has to say."""
    told = os.path.join(folder, "told.d")
    cmd = [env["DTRACE_COPY"], "-q", "-x", "substrate=process", "-o", told,
           "-n", script + STATUS, "-c", shlex.join(argv)]
    ran = run(wrap(cmd), folder, env)
    lines = ran.err.splitlines(keepends=True)
    said = b"".join(x for x in lines if x.startswith(b"dtrace: "))
    ran.err = b"".join(x for x in lines if not x.startswith(b"dtrace: "))
    text = ""
    if os.path.exists(told):
        with open(told, encoding="ascii", errors="replace") as f:
            text = f.read()
        os.unlink(told)
    status = re.search(r"status (\d+)", text)
    fired = re.search(r"fired (\d+)", text)
    return ran, said.decode(errors="replace"), \
        int(status.group(1)) if status else None, \
        int(fired.group(1)) if fired else 0


def try_once(argv, mode, is_root, hides, base):
    """(good, why): None for good when it was refused."""
    with tempfile.TemporaryDirectory(dir=base) as folder:
        work = os.path.join(base, "work")
        env = {"PATH": PATH, "HOME": folder, "TERM": "dumb",
               "LC_ALL": "C.UTF-8", "DTRACE_COPY": os.path.join(base, "dtrace")}

        def fresh():
            shutil.rmtree(os.path.join(folder, "w"), ignore_errors=True)
            path = shutil.copytree(work, os.path.join(folder, "w"))
            for name in [folder, path, *os.listdir(path)]:
                os.chown(os.path.join(path, name), 0 if is_root else NOBODY, -1)
            return path

        def wrap(cmd):
            return as_user(cmd, is_root, hides)

        plain = run(wrap(argv), fresh(), env)
        did, script = traced(argv, MODES[mode], fresh(), env, wrap), None
        if NAMELESS in did[1]:
            script = by_addresses(executed(argv, work))
            if script:
                wrap = at_fixed(wrap)
                plain = run(wrap(argv), fresh(), env)
                did = traced(argv, script, fresh(), env, wrap)
                BY_ADDRESS.append(did[3] > 0)
    ran, said, status, fired = did
    if ran.status == 1 and status is None and REFUSED.search(said) and \
            not ran.out:
        return None, said
    own = ran.status
    ran.status = status
    # of a stripped program only some places are traced: functions that others
    # may call, or some instructions
    has_fired = fired > 0 or mode == "instructions" or script is not None
    return (ran == plain and own == 0 and has_fired,
            f"untraced: {plain}\ntraced: {ran}\n{fired} firings, dtrace's "
            f"status {own}\n{said}")


def main():
    default_signals()
    tap = Tap()
    why = first_missing(["root", "cmd:setpriv", "cmd:unshare"])
    if why:
        tap.skip("programs", why)
        tap.done()
    share = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    names = sys.argv[3:]
    refusals = {}
    with tempfile.TemporaryDirectory(prefix="dt-programs.") as base:
        os.chmod(base, 0o755)
        shutil.copy(DTRACE, os.path.join(base, "dtrace"))
        work = os.path.join(base, "work")
        os.mkdir(work)
        make(work)
        there = list(commands(work))
        nworks = sum(is_work for is_work, _ in there)
        if not names:
            tap.ok(len(there) >= COMMANDS and nworks >= WORKS,
                   f"{COMMANDS} commands are there, {WORKS} of them work",
                   f"{len(there)} are there, and {nworks} work: what "
                   "tools/deps.sh check installs is missing")
        runs = [(argv, mode, is_root, hides)
                for _, argv in there for mode in MODES
                for is_root in (False, True) for hides in (True, False)
                if not names or argv[0] in names]
        runs = sample(runs, share)

        def try_and_tell(item):
            argv, mode, is_root, hides = item
            good, why = try_once(*item, base)
            name = f"{' '.join(argv)}: {mode}, " \
                f"{'root' if is_root else 'an ordinary user'}" \
                f"{', debug files hidden' if hides else ''}"
            if good is None:
                reason = why.splitlines()[0]
                refusals[reason] = refusals.get(reason, 0) + 1
                tap.skip(name, "refused: " + reason)
            else:
                tap.ok(good, name, why)

        with concurrent.futures.ThreadPoolExecutor(
                min(4, os.cpu_count())) as pool:
            list(pool.map(try_and_tell, runs))
    print(f"# {len(runs)} runs, {sum(refusals.values())} refused, "
          f"{len(BY_ADDRESS)} by addresses, of which {sum(BY_ADDRESS)} fired")
    tap.done()


main()
