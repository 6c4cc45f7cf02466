#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs written by others behave the same whether they are traced or not.

    test_programs.py DTRACE [--least N] [SHARE [NAME...]]

Each command of commands.txt runs untraced, then with probes inside the process:
on all entries and returns of all modules, on every instruction of the program,
on all system calls; as root and as an ordinary user; with debug files hidden
and visible.  Output, errors and exit status are the same, and a probe fires.
Where a stripped program has no names of functions, some hundred of its
instructions are traced by their addresses (compared.py).

One run of SHARE runs is done (1: all), drawn anew each day; only commands that
match a glob NAME, if there is one.  At least N commands must be installed.  A
program that cannot be entered must be refused by name, before it runs.

Programs called made-* are built here, with the compilers that this system has.
"""

import argparse
import concurrent.futures
import datetime
import fnmatch
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from compared import BY_ADDRESS, MODES, PATH, try_once
from tap import Tap, default_signals, first_missing

COMMANDS, WORKS = 300, 60  # minimum numbers
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
    "retpoline": [*C, "-O2", "-mindirect-branch=thunk",
                  "-mfunction-return=thunk", "-fcf-protection=none"],
    "patchable": [*C, "-O2", "-fpatchable-function-entry=5,2"],
    "zeroed": [*C, "-O2", "-fzero-call-used-regs=used-gpr"],
    "large": [*C, "-O2", "-mcmodel=large", "-fno-pie", "-no-pie"],
    "profiled": [*C, "-O2", "-pg"],
    "relr": [*C, "-O2", "-Wl,-z,pack-relative-relocs"],
    "one-segment": [*C, "-O2", "-Wl,-z,noseparate-code"],
    "native": [*C, "-O3", "-march=native"],
    "sanitized": [*C, "-O1", "-fsanitize=undefined"],
    "clang": ["clang", *C[1:], "-O2"],
    "clang-static": ["clang", *C[1:], "-O2", "-static"],
    "clang-lto": ["clang", *C[1:], "-O2", "-flto", "-fuse-ld=lld"],
    "clang-Oz": ["clang", *C[1:], "-Oz"],
    "clang-cet": ["clang", *C[1:], "-O2", "-fcf-protection=full"],
    "clang-retpoline": ["clang", *C[1:], "-O2", "-mretpoline"],
    "musl": ["musl-gcc", *C[1:], "-O2", "-static"],
    "musl-shared": ["musl-gcc", *C[1:], "-O2"],
    "musl-stripped": ["musl-gcc", *C[1:], "-O2", "-static", "-s"],
    "musl-static-pie": ["musl-gcc", *C[1:], "-O2", "-fPIE", "-static-pie"],
    "throws": [*CC, "-O2"],
    "throws-O0": [*CC, "-O0"],
    "throws-static": [*CC, "-O2", "-static"],
    "throws-clang": ["clang++", *CC[1:], "-O2"],
    "throws-clang-Os": ["clang++", *CC[1:], "-Os"],
    "go": ["go", "build", "hello.go"],
    "go-stripped": ["go", "build", "-ldflags=-s -w", "hello.go"],
    "rust": ["rustc", "-O", "hello.rs"],
    "rust-static": ["rustc", "-O", "-Ctarget-feature=+crt-static", "hello.rs"],
}


# ---- the installed commands -------------------------------------------------

def make(folder):
    """Make the files that commands work on."""
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
    missing = [name for name in MADE
               if not os.path.exists(os.path.join(folder, "made-" + name))]
    print(f"# {len(MADE) - len(missing)} programs are built; not here:",
          " ".join(missing) or "none")


def is_enterable(path):
    """Has the file no set-uid or set-gid bit?"""
    return not os.stat(path).st_mode & 0o6000


def commands(folder):
    """Yields (is_work, argv) of each installed command."""
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
    """Draw one part of `share`, anew each day."""
    day = random.Random(datetime.date.today().toordinal())
    return day.sample(items, len(items) // share) if share > 1 else items


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("dtrace")
    parser.add_argument("--least", type=int, default=COMMANDS)
    parser.add_argument("share", type=int, nargs="?", default=1)
    parser.add_argument("names", nargs="*")
    return parser.parse_intermixed_args()


def is_named(argv, names):
    return not names or any(fnmatch.fnmatch(argv[0], n) for n in names)


def main():
    default_signals()
    opts = options()
    tap = Tap()
    why = first_missing(["root", "cmd:setpriv", "cmd:unshare"])
    if why:
        tap.skip("programs", why)
        tap.done()
    refusals = {}
    with tempfile.TemporaryDirectory(prefix="dt-programs.") as base:
        os.chmod(base, 0o755)
        shutil.copy(opts.dtrace, os.path.join(base, "dtrace"))
        work = os.path.join(base, "work")
        os.mkdir(work)
        make(work)
        there = list(commands(work))
        nworks = sum(is_work for is_work, _ in there)
        if not opts.names:
            works = opts.least * WORKS // COMMANDS
            tap.ok(len(there) >= opts.least and nworks >= works,
                   f"{opts.least} commands are there, {works} of them work",
                   f"{len(there)} are there, and {nworks} work: what "
                   "tools/deps.sh check installs is missing")
        runs = [(argv, mode, is_root, hides)
                for _, argv in there for mode in MODES
                for is_root in (False, True) for hides in (True, False)
                if is_named(argv, opts.names)]
        runs = sample(runs, opts.share)

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
    tap.ok(sum(refusals.values()) * 4 <= len(runs),
           "most runs are not refused", refusals)
    tap.ok(sum(BY_ADDRESS) * 2 >= len(BY_ADDRESS),
           "most programs without symbols are seen at some address",
           f"{sum(BY_ADDRESS)} of {len(BY_ADDRESS)}")
    print(f"# {len(runs)} runs, {sum(refusals.values())} refused, "
          f"{len(BY_ADDRESS)} by addresses, of which {sum(BY_ADDRESS)} fired")
    tap.done()


main()
