#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completions of command lines: the words that complete.sh finds, and what
bash, zsh and fish make of a line when a person presses the tab key."""

import json
import os
import re
import shutil
import tempfile

from live import DTRACE, TIMEOUT, run, start
from shells import Shell

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WHERE = os.path.abspath(os.path.join(ROOT, "tools", "complete"))
WORDS = os.path.join(WHERE, "complete.sh")
BUILD = os.path.dirname(DTRACE)
NAMES = ["dtrace", "opendtrace", "plockstat"]


def offered(line):
    """The words that can complete the last word of a line."""
    words = line.split(" ")
    return run([WORDS, os.path.join(BUILD, words[0]), words[-2], words[-1]]).out.splitlines()


def offers(tap, line, expected):
    found = offered(line)
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


def tags():
    with open(os.path.join(ROOT, "src", "lang", "errtags.def")) as f:
        return ["D_" + name for name in
                re.findall(r"^ERRTAG\w*\((\w+)", f.read(), re.M)]


def types(tap):
    """-T offers what -lT lists, by prefix."""
    offers(tap, "dtrace -T psin", ["psinfo_t"])
    offers(tap, "dtrace -T ", ["struct ", "union ", "enum "])
    for prefix in "struct task_str", "enum pid_ty", "sector_":
        ran = run([WORDS, DTRACE, "-T", prefix])
        names = ran.out.splitlines()
        tap.ok(names and all(name.startswith(prefix) for name in names) and
               run([DTRACE, "-T", names[0]]).status == 0,
               f"-T '{prefix}': types that -T prints", ran)
    ran = run([WORDS, DTRACE, "-T", "struct nosuchtype"])
    tap.ok(ran.out == "", "and none that there is not", ran)


def flags(tap):
    usage = run([DTRACE, "--help"]).out
    told = set(re.findall(r"^\t(--?\w+)", usage, re.M))
    found = {word.rstrip("=") for word in offered("dtrace -")}
    tap.ok(len(told) > 25 and found == told | {"-32"}, "every flag",
           f"offered: {found ^ told}")
    offers(tap, "dtrace --dump=tokens,d", ["--dump=tokens,dif",
                                           "--dump=tokens,dof"])
    offers(tap, "dtrace -X ", ["a", "c", "s", "t"])
    for flag in ("-b", "-t", "--container", "--hosts", "--label", "--detach",
                 "--attach", "--stop"):
        offers(tap, f"dtrace {flag} ", [])
    offers(tap, "dtrace --fleet ", ["@files"])
    offers(tap, "dtrace --explain D_SYNT", ["D_SYNTAX"])
    tap.ok(offered("dtrace --explain D_") == tags(), "every tag")
    offers(tap, "dtrace --explain a", ["all"])
    offers(tap, "dtrace --check uprobe-", ["uprobe-multi"])
    offers(tap, "dtrace --check --js", ["--json"])
    checks = {row["name"]: row["works"] for row in json.loads(
        run([DTRACE, "--check", "--json"]).out)["checks"]}
    found = set(offered("dtrace --check "))
    tap.ok(found <= set(checks) and
           {name for name in checks if checks[name]} <= found,
           "what --check tries, but for providers without probes here",
           f"not offered: {set(checks) - found}, none: {found - set(checks)}")
    offers(tap, "dtrace run ope", ["opens"])
    offers(tap, "dtrace run -", ["-l", "--show"])
    offers(tap, "dtrace run --show tcpst", ["tcpstates"])


def probes(tap):
    offers(tap, "dtrace -P sysc", ["syscall"])
    offers(tap, "dtrace -n B", ["BEGIN"])
    offers(tap, "dtrace -n dtrace:::E", ["dtrace:::END", "dtrace:::ERROR"])
    offers(tap, "dtrace -m syscall:", ["syscall:vmlinux"])
    offers(tap, "dtrace -f syscall::getppi", ["syscall::getppid"])
    offers(tap, "dtrace -qn syscall::getppid:", ["syscall::getppid:entry",
                                                 "syscall::getppid:return"])
    offers(tap, "dtrace -n syscall:vmlinux:getppid:e",
           ["syscall:vmlinux:getppid:entry"])
    offers(tap, "dtrace -n nosuch:", [])
    offers(tap, "dtrace -n BEGIN,dtrace:::EN", ["BEGIN,dtrace:::END"])
    found = offered("dtrace -n sysc")
    tap.ok("syscall:vmlinux:getppid:" in found and "syscall:vmlinux:read:" in
           found, "a field that has one value is filled in", found[:9])
    found = offered("dtrace -n sdt:tcp:")
    tap.ok("sdt:tcp::tcp_send_reset" in found,
           "a module and a name without a function", found[:9])
    ids = re.findall(r"^ *(3\d*) ", run([DTRACE, "-l"]).out, re.M)
    offers(tap, "dtrace -i 3", ids)
    tap.ok(offered("dtrace -xq ") == ["@files"] and
           offered("dtrace -c ") == ["@commands"] and
           offered("dtrace -qL ") == ["@folders"],
           "files, folders and commands are the shell's")


def plockstat(tap):
    usage = run([os.path.join(os.path.dirname(DTRACE), "plockstat")]).err
    told = {"-" + c for c in re.search(r"\[-(\w+)\]", usage).group(1)} | \
        set(re.findall(r"(?:\[|  )(-\w) ", usage))
    found = set(offered("plockstat -"))
    tap.ok(len(told) == 10 and found == told, "every flag of plockstat",
           f"offered: {found ^ told}")
    offers(tap, "plockstat -x aggrat", ["aggrate="])
    offers(tap, "plockstat -A -n ", [])
    offers(tap, "plockstat -A tru", ["@commands"])


# What is typed, and the line after a tab.  A blank follows a word that is
# whole.
TYPED = {
    "dtrace -n proc:::exec-su": "dtrace -n proc:::exec-success ",
    "dtrace -n 'proc:::exec-su": "dtrace -n 'proc:::exec-success' ",
    'dtrace -n "proc:::exec-su': 'dtrace -n "proc:::exec-success" ',
    "dtrace -qn 'syscall::getppi": "dtrace -qn 'syscall::getppid:",
    "dtrace -n syscall::getppid:ent": "dtrace -n syscall::getppid:entry ",
    "dtrace -n BEGIN -n 'syscall:vmli": "dtrace -n BEGIN -n 'syscall:vmlinux:",
    "dtrace -n 'BEGIN { x = 1; } proc:::exec-su":
        "dtrace -n 'BEGIN { x = 1; } proc:::exec-success' ",
    "dtrace -n 'BEGIN { @ = cou": "dtrace -n 'BEGIN { @ = cou",
    "dtrace -n 'nosuch:": "dtrace -n 'nosuch:",
    "dtrace -x bufpol": "dtrace -x bufpolicy=",
    "dtrace -x bufpolicy=r": "dtrace -x bufpolicy=ring ",
    "dtrace -s a": "dtrace -s a\\ file.d ",
    "dtrace -s 'a": "dtrace -s 'a file.d' ",
    "dtrace -c 'mkfif": "dtrace -c 'mkfifo' ",
    "dtrace -b ": "dtrace -b ",
    "dtrace -b 4": "dtrace -b 4",
    "dtrace --vers": "dtrace --version ",
    "dtrace --che": "dtrace --check ",
    "dtrace r": "dtrace ru",
    "dtrace run": "dtrace run ",
    "dtrace run ope": "dtrace run opens ",
    "dtrace run 'tcpst": "dtrace run 'tcpstates' ",
    "dtrace run --sho": "dtrace run --show ",
    "dtrace run --show ope": "dtrace run --show opens ",
    "dtrace run opens --js": "dtrace run opens --json ",
    "dtrace --explain D_SYNT": "dtrace --explain D_SYNTAX ",
    "dtrace -T psinf": "dtrace -T psinfo_t ",
    "dtrace -T 'enum pid_t": "dtrace -T 'enum pid_type' ",
    "dtrace -T enum\\ pid_t": "dtrace -T enum\\ pid_type ",
    "dtrace -T 'enu": "dtrace -T 'enum ",
    "dtrace -s ./ru": "dtrace -s ./rules.d ",
    "opendtrace -P sysc": "opendtrace -P syscall ",
    "plockstat -x aggrat": "plockstat -x aggrate=",
}


FROM_SOURCE = {typed: TYPED[typed] for typed in ["dtrace run ope"]}
# Of each shell: the installed file, and that of the source.
FILES = {"bash": ("bash-completion/completions/dtrace", "dtrace.bash"),
         "zsh": ("zsh/site-functions/_dtrace", "_dtrace"),
         "fish": ("fish/vendor_completions.d/dtrace.fish", "dtrace.fish")}


def type_at(tap, name, completion, home, typed_lines):
    """Type at a shell, in a folder with two files."""
    os.mkdir(home)
    for file in "a file.d", "rules.d":
        with open(os.path.join(home, file), "w", encoding="utf-8"):
            pass
    commands = os.path.join(home, "commands")
    os.mkdir(commands)
    for command in NAMES:
        target = command.removeprefix("open")
        os.symlink(os.path.join(BUILD, target), os.path.join(commands, command))
    shell = Shell(name, completion, home, commands + ":" + os.environ["PATH"],
                  TIMEOUT)
    try:
        for typed, expected in typed_lines.items():
            line = shell.press_tab(typed)
            tap.ok(line == expected, f"{name} completes {typed}",
                   f"the line: {line}", f"expected: {expected}")
    finally:
        said = shell.end()
    found = re.findall(rf"[\r\n](?:{name}|\w+:\d+): [^\r\n]*", said)
    tap.ok(not found, f"{name} reports no error", *found)


def shells(tap):
    with tempfile.TemporaryDirectory() as top:
        ran = run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
                   "--destdir", top])
        found = [path for path, folders, _ in os.walk(top)
                 if "bash-completion" in folders]
        if not tap.ok(len(found) == 1, "completions are installed", ran):
            return
        share = found[0]
        missing = [path for name in NAMES for path in (
            f"bash-completion/completions/{name}",
            f"fish/vendor_completions.d/{name}.fish")
                   if not os.path.exists(os.path.join(share, path))]
        tap.ok(not missing, "each command's can be found by its name", missing)
        for name, (installed, source) in FILES.items():
            if not shutil.which(name):
                tap.skip(f"completion by {name}", f"{name} is missing")
                continue
            type_at(tap, name, os.path.join(share, installed),
                    os.path.join(top, name), TYPED)
            type_at(tap, name, os.path.join(WHERE, source),
                    os.path.join(top, name + ".source"), FROM_SOURCE)


def main():
    tap = start("")
    options(tap)
    flags(tap)
    types(tap)
    probes(tap)
    plockstat(tap)
    shells(tap)
    tap.done()


main()
