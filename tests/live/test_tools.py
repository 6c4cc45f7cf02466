#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tools of dtrace run print the known facts of known work.

TOOLS has a row for each tool: its arguments, the command of -c, and claims
about its output.  A claim is a pattern and a test of its matches; a tool
without one needs a program or an event that a test cannot have, and its row
says which: it must compile.

Other tests run sh and sleep, too, and tools see all processes.  So the words of
OWN stand for links with names that only this test has.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile

from live import DTRACE, dtrace, prog, run, start

OWN = "cat dd mount python3 rm rmdir sh sleep umount".split()
OWN_WORD = re.compile(r"(?<![\w/.])(" + "|".join(OWN) + r")(?![\w.(/=])")

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "tools.d")


def once(rows):
    return len(rows) == 1


def one(test):
    """A claim about the numbers of the only row."""
    return lambda rows: len(rows) == 1 and test(*map(int, rows[0]))


def samples(total):
    """The counts of a histogram add up to this."""
    return lambda rows: sum(int(row[0]) for row in rows) == total


BAR = r"\|@* +(\d+) *$"
PY = "python3 -c \"%s\""
FAULTS = PY % ("import mmap; m = mmap.mmap(-1, 4096000); m.madvise(15); "
               "[m.__setitem__(i, 1) for i in range(0, 4096000, 4096)]")
WAIT = PY % ("import threading, time; l = threading.Lock(); l.acquire(); "
             "t = threading.Thread(target=l.acquire); t.start(); "
             "time.sleep(0.3); l.release(); t.join()")
DD = "dd if=/dev/zero of=%(file)s bs=1000 count=7 status=none"
READ_DISK = "dd if=/dev/%(disk)s of=/dev/null bs=64k count=4 iflag=direct"
NET = prog("net") + " tcp:3"

TOOLS = {
    "allocations": ("", PY % "bytearray(7777777)",
                    (r"^ +(\d+) bytes$",
                     lambda rows: max(int(r[0]) for r in rows) > 7777777)),
    "callerrors": ("rmdir", "rmdir /nonexistent",
                   (r"^rmdir +rmdi[r] +(\d+) +(\d+)$",
                    one(lambda error, n: (error, n) == (2, 1)))),
    "calltimes": ("sleep", "sleep 0.3",
                  (r"^sleep +clock_nanosleep +(\d+) +(\d+) +(\d+)$",
                   one(lambda n, total, longest:
                       n == 1 and 300000 <= total == longest))),
    "chdirs": ("", "sh -c 'cd /usr; cd /nonexistent'",
               (r"^sh +\d+ +0  /usr$", once),
               (r"^sh +\d+ +2  /nonexistent$", once)),
    "cpuuse": ("", prog("spin") + " 0 1",
               (r"^spin +\d+ +(\d+)$",
                 lambda rows: max(int(r[0]) for r in rows) > 5)),
    "diskerrors": ("", "true", (r"^TIME +DEVICE +BLOCK +BYTES +ERROR$", once)),
    "diskio": ("", READ_DISK,
               (r"^dd +\d+ +%(disk)s +read +(\d+)$",
                one(lambda size: size == 262144))),
    "disklatency": ("", READ_DISK, (r"^%(disk)s, read \(us\)$", once)),
    "dnstimes": ("", "getent ahosts localhost",
                 (r"^ *\d+ +0  localhost$", once)),
    "execs": ("", "sh -c '/bin/true one; exit'",
              (r"^\S+ \S+ +\S+ \S+ +\d+ +\d+  /bin/true one$", once)),
    "exits": ("", "sh -c '/bin/true; exit'",
              (r"^true +\d+ +\d+ exited +\d+$",
               lambda rows: len(rows) >= 1)),
    "fdleaks": ("", PY % ("import os; [os.open('/etc/hostname', 0) for i in "
                          "range(3)]; os.close(os.open('/etc/passwd', 0))"),
                (r"^/etc/hostname +(\d+)$", one(lambda n: n == 3)),
                (r"^/etc/passwd +(\d+)$", one(lambda n: n == 0))),
    "fileio": ("dd", DD, (r"^%(file)s +dd +write +(\d+) +(\d+)$",
                          one(lambda n, size: (n, size) == (7, 7000)))),
    "forks": ("", "sh -c '/bin/true; /bin/true; /bin/true; exit'",
              (r"^sh +(\d+) +\d+$", lambda rows: int(rows[0][0]) >= 3)),
    "fsyncs": ("dd", DD + " conv=fsync", (r"^dd, fsync \(us\)$", once),
               (BAR, samples(1))),
    "funccount": ("getaddrinfo", "getent ahosts localhost",
                  (r"^libc.so.6 +getaddrinfo +(\d+)$",
                   one(lambda n: n == 1))),
    "functime": ("getaddrinfo", "getent ahosts localhost",
                 (r"^getaddrinfo \(ns\)$", once), (BAR, samples(1))),
    "futexes": ("python3", WAIT, (r"^python3 +\d+ +(\d+) +(\d+) +(\d+)$",
                                  one(lambda n, total, longest:
                                      n >= 1 and longest >= 250000))),
    "interrupts": ("", "true", (r"^HANDLER +CPU +TIMES$", once)),
    "jvmgc": ("", None, "a Java virtual machine"),
    "kills": ("", "sh -c 'sleep 9 & kill -USR1 $!; kill -9 $!'",
              (r"^sh +\d+ +\d+ +10 +0$", once),
              (r"^sh +\d+ +\d+ +9 +0$", once)),
    "lockwaits": ("", "true", (r"^PROGRAM +SLEEPS +SLEPT us +SPINS$", once)),
    "memgrowth": ("python3", PY % "import mmap; mmap.mmap(-1, 1 << 26)",
                  (r"^python3 +\d+ +(\d+) +\d+$",
                   one(lambda kb: kb >= 65536))),
    "mounts": ("", "unshare -m sh -c 'mount -t tmpfs none %(dir)s; "
                   "umount %(dir)s'",
               (r"^mount +\d+ \w+ +0  %(dir)s$", once),
               (r"^umount +\d+ umount2 +0  %(dir)s$", once)),
    "offcpu": ("sleep", "sleep 0.3",
               (r"^ +(\d+) us$",
                lambda rows: max(int(r[0]) for r in rows) >= 290000),
               (r"(\w*nanosleep)", lambda rows: len(rows) > 0)),
    "oncpu": ("spin", prog("spin") + " 0 1",
              (r"^ +(\d+)$", lambda rows: sum(int(r[0]) for r in rows) > 5)),
    "ooms": ("", None, "a machine whose memory may run short"),
    "opens": ("cat", "cat /etc/hostname /nonexistent",
              (r"^cat +\d+ +\d+ +0  /etc/hostname$", once),
              (r"^cat +\d+ +-1 +2  /nonexistent$", once)),
    "pagecache": ("", "true", (r"^PROGRAM +ADDED +REMOVED$", once)),
    "pagefaults": ("python3", FAULTS, (r"^python3 +(\d+) +\d+$",
                                       one(lambda n: n >= 1000))),
    "pgqueries": ("", None, "a PostgreSQL server"),
    "phpcalls": ("", None, "PHP"),
    "procio": ("", DD, (r"^dd +\d+ +write +(\d+) +(\d+)$",
                        one(lambda n, size: (n, size) == (7, 7000)))),
    "pycalls": ("", None, "a Python with probes"),
    "removals": ("", "rm %(file)s",
                 (r"^rm +\d+ unlinkat +0  %(file)s$", once)),
    "rubycalls": ("", None, "Ruby"),
    "runqlatency": ("sleep", "sleep 0.1", (r"^sleep \(us\)$", once)),
    "shortlived": ("20000", "sh -c 'sleep 0.2; exit 3'",
                   (r"^ *(\d+) +\d+ +\d+ +0  sleep 0.2$",
                    one(lambda ms: ms >= 200))),
    "signals": ("", "sh -c 'sleep 9 & kill -USR1 $!'",
                (r"^sh +(?:sh|sleep) +10 +1$", once)),
    "sleeps": ("sleep", "sleep 0.3", (r"^sleep +\d+ +(\d+) +(\d+)$",
                                      one(lambda n, ms:
                                          n == 1 and ms >= 300))),
    "slowcalls": ("100 sleep", "sleep 0.3",
                  (r"^sleep +\d+ +\d+ clock_nanosleep +(\d+) +0$",
                   one(lambda ms: ms >= 300))),
    "stats": ("sh", "sh -c 'test -e %(file)s; test -e /nonexistent'",
              (r"^sh +\d+ \w+ +0  %(file)s$", once),
              (r"^sh +\d+ \w+ +2  /nonexistent$", once)),
    "syscalls": ("dd", DD, (r"^dd +write +(\d+)$", one(lambda n: n == 7))),
    "tcpaccepts": ("", NET, (r"^.* 127.0.0.1 +\d+ 127.0.0.1 +\d+$",
                             lambda rows: len(rows) >= 1)),
    "tcpconnects": ("", NET, (r" open +127.0.0.1 +\d+ 127.0.0.1 +\d+$",
                              lambda rows: len(rows) >= 1)),
    "tcplives": ("", NET,
                 (r"^127.0.0.1 +\d+ +127.0.0.1 +\d+ +\d+ +15 +21$",
                  lambda rows: len(rows) >= 1),
                 (r"^127.0.0.1 +\d+ +127.0.0.1 +\d+ +\d+ +21 +15$",
                  lambda rows: len(rows) >= 1)),
    "tcpresets": ("", PY % ("import socket; s = socket.socket(); "
                            "s.bind(('127.0.0.1', 0)); "
                            "socket.socket().connect_ex(s.getsockname())"),
                  (r"^sent +127.0.0.1 +\d+ +1$",
                   lambda rows: len(rows) >= 1)),
    "tcpstates": ("", NET, (r"-> state-established$",
                            lambda rows: len(rows) >= 2)),
}


def own(text, quote=lambda name: name):
    """The text with the names of the links."""
    return OWN_WORD.sub(lambda m: quote(f"{m[1]}.{os.getpid()}"), text)


def make_links(folder):
    os.mkdir(folder)
    for word in OWN:
        os.symlink(shutil.which(word), os.path.join(folder, own(word)))
    os.environ["PATH"] = folder + ":" + os.environ["PATH"]


def filled(text, names, quote=str):
    for word, value in names.items():
        text = text.replace(f"%({word})s", quote(value))
    return text


@contextlib.contextmanager
def disk(folder):
    """The name of a block device that only this test reads."""
    image = os.path.join(folder, "image")
    with open(image, "wb") as f:
        f.truncate(1 << 20)
    path = subprocess.run(["losetup", "-f", "--show", image], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    try:
        yield os.path.basename(path)
    finally:
        subprocess.run(["losetup", "-d", path], check=True)


def rows(pattern, out):
    return [m.groups() for m in re.finditer(pattern, out, re.M)]


def compiles(tap, name, args):
    ran = dtrace("run", name, "-e", "-c", "true", *args)
    if ran.status != 0 and re.search(
            r"no probe matches|is not available", ran.err):
        why = ran.err.splitlines()[0].split("error: ")[-1]
        tap.skip(f"{name} compiles", why)
        return False
    return tap.ok(ran.status == 0 and ran.err == "", f"{name} compiles", ran)


def works(tap, name, row, names):
    args, command, *claims = row
    args = own(args).split()
    if not compiles(tap, name, args or ["getaddrinfo"] * ("func" in name)):
        return
    if command is None:
        tap.skip(f"{name}: its answer", "needs " + claims[0])
        return
    with open(names["file"], "w", encoding="ascii"):
        pass    # the last tool's command may have removed it
    ran = dtrace("run", name, *args, "-c", filled(own(command), names))
    for written, test in claims:
        pattern = own(written, re.escape)
        found = rows(filled(pattern, names, re.escape), ran.out)
        tap.ok(bool(found) and test(found) and "dtrace:" not in ran.err,
               f"{name}: {written}", ran)


def strace_agrees(tap, names):
    """The number of a call is strace's."""
    command = [own("dd"), "if=/dev/zero", "of=/dev/null", "bs=1", "count=321",
               "status=none"]
    log = names["dir"] + ".strace"
    run(["strace", "-qq", "-e", "trace=write", "-o", log, *command])
    with open(log, encoding="ascii") as f:
        calls = sum(line.startswith("write(") for line in f)
    ran = dtrace("run", "syscalls", command[0], "-c", " ".join(command))
    found = rows(own(r"^dd +write +(\d+)$", re.escape), ran.out)
    tap.ok(found == [(str(calls),)], f"syscalls counts strace's {calls} calls",
           ran)


def command(tap):
    tools = sorted(TOOLS)
    ran = dtrace("run", "-l")
    listed = [line.split()[0] for line in ran.out.splitlines()]
    files = sorted(name[:-2] for name in os.listdir(SOURCE)
                   if name.endswith(".d"))
    tap.ok(listed == tools == files, "run -l lists the tools of this test",
           ran, files)
    tap.ok(all(len(line.split()) > 3 and len(line) <= 80
               for line in ran.out.splitlines()), "each on its line", ran)
    ran = dtrace("run", "--show", "opens")
    with open(os.path.join(SOURCE, "opens.d"), encoding="utf-8") as f:
        tap.ok(ran.out == f.read() and ran.status == 0, "run --show", ran)
    ran = dtrace("run", "opens", "--help")
    tap.ok(ran.status == 0 and ran.out.startswith("opens [PROGRAM]: ") and
           "\nPROGRAM selects" in ran.out, "NAME --help", ran)
    ran = dtrace("run", "opans")
    tap.ok(ran.status == 1 and "mean 'opens'" in ran.err, "a name is near", ran)
    for name in "zzzzzzzz", "../tools.d/opens":
        ran = dtrace("run", name)
        tap.ok(ran.status == 1 and f"no tool '{name}'" in ran.err,
               f"no tool {name}", ran)
    for args in (), ("-q", "opens"), ("--show",):
        ran = dtrace("run", *args)
        tap.ok(ran.status == 2 and "Usage: dtrace run" in ran.err and
               ran.out == "", f"run {' '.join(args)}", ran)
    ran = dtrace("run", "syscalls", "--json", "true", "-c", "/bin/true")
    try:
        kinds = [json.loads(line) for line in ran.out.splitlines()]
        tap.ok(ran.status == 0 and kinds and
               all(isinstance(kind, dict) for kind in kinds),
               "--json prints objects", ran)
    except ValueError:
        tap.ok(False, "--json prints objects", ran)


def manual(tap):
    page = os.path.join(os.path.dirname(DTRACE), "tools.d", "dtrace-tools.8")
    with open(page, encoding="utf-8") as f:
        text = f.read()
    tap.ok(re.findall(r"^\.It Cm (\w+)", text, re.M) == sorted(TOOLS),
           "dtrace-tools(8) has each tool", text)
    ran = subprocess.run(["groff", "-mdoc", "-Tascii", "-ww", page],
                         capture_output=True, text=True, check=False)
    tap.ok(ran.returncode == 0 and ran.stderr == "", "and is well-formed",
           ran.stderr)


def main():
    tap = start("root bpf cmd:losetup cmd:strace cmd:python3 cmd:groff")
    command(tap)
    manual(tap)
    with tempfile.TemporaryDirectory() as folder:
        names = {"dir": os.path.join(folder, "d"),
                 "file": os.path.join(folder, "file")}
        os.mkdir(names["dir"])
        make_links(os.path.join(folder, "bin"))
        strace_agrees(tap, names)
        with disk(folder) as names["disk"]:
            for name, row in sorted(TOOLS.items()):
                works(tap, name, row, names)
    tap.done()


main()
