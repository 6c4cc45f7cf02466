#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completions of command lines by bash, with tools/dtrace.bash sourced."""

import os
import re
import subprocess

from live import DTRACE, run, start

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "tools", "dtrace.bash")
ASK = r"""
source "$1"
COMP_LINE=$3 COMP_POINT=${#3} COMP_WORDBREAKS=$4
"_${3%% *}" "$2"
printf '%s\n' "${COMPREPLY[@]}"
"""
WHOLE = " "	# word separators: bash splits nothing else


def offered(line, breaks=WHOLE):
    out = subprocess.run(["bash", "--norc", "-c", ASK, "bash", SCRIPT, DTRACE,
                          line, breaks], stdout=subprocess.PIPE, text=True,
                         timeout=60, check=True).stdout
    return out.split()


def offers(tap, line, expected, breaks=WHOLE):
    found = offered(line, breaks)
    tap.ok(found == expected, f"{line!r}: {' '.join(expected) or 'nothing'}",
           f"offered: {found}")


def options(tap):
    """The options of options.def; those with a choice have their values."""
    with open(os.path.join(ROOT, "src", "libdtrace", "options.def")) as f:
        table = re.findall(r'^DT_OPTION\(\w+,\s*"(\w+)".*?(\w+),\s+(?:NULL|"[^"]*"),'
                           r'[^"\n]*?(NULL|"[^"\n]*"), NULL\)$', f.read(), re.M)
    names = sorted(name for name, _, _ in table)
    found = sorted(word.rstrip("=") for word in offered("dtrace -x "))
    tap.ok(len(names) > 40 and found == names, "every option that acts",
           f"not offered: {set(names) - set(found)}",
           f"and too many: {set(found) - set(names)}")
    for name, kind, choices in table:
        if kind == "ENUM":
            values = [f"{name}={v}" for v in choices.strip('"').split("|")]
            offers(tap, f"dtrace -x {name}=", values)
        elif kind == "FLAG":
            offers(tap, f"dtrace -x {name}=o", [f"{name}=on", f"{name}=off"])


def flags(tap):
    usage = run([DTRACE, "--help"]).out
    told = set(re.findall(r"^\t(--?\w+)", usage, re.M))
    found = {word.rstrip("=") for word in offered("dtrace -")}
    tap.ok(len(told) > 25 and found == told | {"-32"}, "every flag",
           f"offered: {found ^ told}")
    offers(tap, "dtrace --dump=tokens,d", ["--dump=tokens,dif",
                                           "--dump=tokens,dof"])
    offers(tap, "dtrace -X ", ["a", "c", "s", "t"])
    offers(tap, "dtrace -b ", [])


def probes(tap):
    offers(tap, "dtrace -P sysc", ["syscall"])
    offers(tap, "dtrace -n sysc", ["syscall:"])
    offers(tap, "dtrace -n B", ["BEGIN"])
    offers(tap, "dtrace -n dtrace:::E", ["dtrace:::END", "dtrace:::ERROR"])
    offers(tap, "dtrace -m syscall:", ["syscall:vmlinux"])
    offers(tap, "dtrace -f syscall::getppi", ["syscall::getppid"])
    offers(tap, "dtrace -n syscall::getppid:", ["syscall::getppid:entry",
                                                "syscall::getppid:return"])
    offers(tap, "dtrace -n 'syscall:vmlinux:getppid:e",
           ["syscall:vmlinux:getppid:entry"])
    offers(tap, "dtrace -n nosuch:", [])
    ids = re.findall(r"^ *(3\d*) ", run([DTRACE, "-l"]).out, re.M)
    offers(tap, "dtrace -i 3", ids)


def separators(tap):
    """bash replaces only the text behind the last ':' or '='."""
    offers(tap, "dtrace -n syscall::getppid:", ["entry", "return"], " :=")
    offers(tap, "dtrace -x bufpolicy=r", ["ring"], " :=")


def plockstat(tap):
    usage = run([os.path.join(os.path.dirname(DTRACE), "plockstat")]).err
    told = {"-" + c for c in re.search(r"\[-(\w+)\]", usage).group(1)} | \
        set(re.findall(r"(?:\[|  )(-\w) ", usage))
    found = set(offered("plockstat -"))
    tap.ok(len(told) == 10 and found == told, "every flag of plockstat",
           f"offered: {found ^ told}")
    offers(tap, "plockstat -x aggrat", ["aggrate="])
    offers(tap, "plockstat -A -n ", [])
    tap.ok("true" in offered("plockstat -A tru"), "the command to run")


def main():
    tap = start("")
    options(tap)
    flags(tap)
    probes(tap)
    separators(tap)
    plockstat(tap)
    tap.done()


main()
