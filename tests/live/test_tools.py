#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tools of dtrace run print the known facts of known work.

TOOLS has a row for each tool: its arguments, the command of -c, and claims
about its output, as text and with --json.  A claim is a pattern and a test of
its matches; a tool without one needs an event that a test cannot have, and its
row says which: it must compile.  Names of tools after DTRACE select them.
Claims are about what a tool has counted, and never about how fast that was: a
busy machine makes times longer, and not shorter.

Other tests run sh and sleep, too, and tools see all processes.  So the words of
OWN stand for links with names that only this test has.
"""

import contextlib
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from live import DTRACE, TIMEOUT, dtrace, prog, run, start
from servers import PG, Postgres

OWN = "cat dd mount python3 rm rmdir sh sleep spin umount".split()
OWN_WORD = re.compile(r"(?<![\w/.])(" + "|".join(OWN) + r")(?![\w.(/=])")

PYTHON = "/usr/bin/python3.11"
PHP = "/usr/bin/php8.2"
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "tools.d")
GUIDE = os.path.join(SOURCE, "..", "doc", "guide", "tools.md")
FROM_BPFTRACE = os.path.join(SOURCE, "..", "doc", "guide", "from-bpftrace.md")
TOOL_NAMES = os.path.join(SOURCE, "..", "cmd", "dtrace", "tool_names.def")


def once(rows):
    return len(rows) == 1


def one(test):
    """A claim about the numbers of the only row."""
    return lambda rows: len(rows) == 1 and test(*map(int, rows[0]))


def total(test):
    """A claim about the sum of the rows' first numbers."""
    return lambda rows: test(sum(int(row[0]) for row in rows))


def samples(number):
    """The counts of a histogram add up to this."""
    return total(lambda n: n == number)


BAR = r"\|@* +(\d+) *$"
HISTOGRAM = r"\n((?:.+\n)+)"


def histogram(test):
    """A claim about the sum of the counts of the only histogram."""
    return lambda found: len(found) == 1 and \
        total(test)(rows(BAR, found[0][0]))


PY = "python3 -c \"%s\""
FAULTS = PY % ("import mmap; m = mmap.mmap(-1, 4096000); m.madvise(15); "
               "[m.__setitem__(i, 1) for i in range(0, 4096000, 4096)]")
# A thread waits for a word; the other one lets it go 0.3 s after the kernel has
# said that it waits (call 202, futex).
WAIT = PY % (
    "import ctypes, threading, time; call = ctypes.CDLL(None).syscall; "
    "word = ctypes.c_int(0); at = ctypes.addressof(word); "
    "p = ctypes.c_void_p(at); "
    "t = threading.Thread(target=lambda: call(202, p, 0, 0, None)); t.start(); "
    "where = '/proc/self/task/%d/syscall' % t.native_id; "
    "[time.sleep(0.01) for i in iter(lambda: open(where).read().split()[:2] "
    "== [str(202), hex(at)], True)]; "
    "time.sleep(0.3); word.value = 1; call(202, p, 1, 1); t.join()")
# Threads write to one file until one has waited for another.
CROWD = PY % (
    "import os, threading; fd = os.open('%(file)s', os.O_RDWR); "
    "b = bytes(1 << 20); "
    "write = lambda: [os.pwrite(fd, b, 0) for i in iter(int, 1)]; "
    "[threading.Thread(target=write).start() for i in range(4)]")
# Write to a disk, and read from that of /usr, until the kernel has handled
# interrupts.
INTERRUPTED = " -n 'sdt:::irq_handler_entry /++seen >= 5/ { exit(0); }'"
STORE = "sh -c 'for i in /usr/*/*; do echo >%(stored)s; sync %(stored)s; " \
    "ls -ld $i >/dev/null; sleep 0.01; done'"
# End as soon as there are 20 samples of the command, however long that takes.
SAMPLED = " -n 'profile-97 /execname == $$1 && ++seen == 20/ { exit(0); }'"
SPIN = "spin 0 100000"
DD = "dd if=/dev/zero of=%(file)s bs=1000 count=7 status=none"
READ_DISK = "dd if=/dev/%(disk)s of=/dev/null bs=64k count=4 iflag=direct"
FILL_DISK = "dd if=/dev/zero of=/dev/%(full)s bs=64k count=8 oflag=direct"
CACHE_DISK = "sh -c 'blockdev --flushbufs /dev/%(disk)s; " \
    "dd if=/dev/%(disk)s of=/dev/null bs=64k count=4 status=none'"
# Ports that only this test uses; net's own are the first three of twenty.
PORTS = 10010 + os.getpid() % 2500 * 20
NET = f"env NET_PORT={PORTS} {prog('net')}"

TOOLS = {
    "allocations": ("", "python3 -I -S -c bytearray(7777777)",
                    (r"^ +(\d+) bytes$",
                     lambda rows: max(int(r[0]) for r in rows) > 7777777)),
    "allocflame": ("", "python3 -I -S -c bytearray(7777777)",
                   (r"^ +(\d+)$",
                    lambda rows: max(int(r[0]) for r in rows) > 7777777)),
    "callerrors": ("rmdir", "rmdir /nonexistent",
                   (r"^rmdir +rmdi[r] +ENOENT +(\d+)$",
                    one(lambda n: n == 1))),
    "calltimes": ("sleep", "sleep 0.3",
                  (r"^sleep +clock_nanosleep +(\d+) +(\d+) +(\d+)$",
                   one(lambda n, total, longest:
                       n == 1 and 300000 <= total == longest))),
    "chdirs": ("", "sh -c 'cd /usr; cd /nonexistent'",
               (r"^sh +\d+ 0 +/usr$", once),
               (r"^sh +\d+ ENOENT +/nonexistent$", once)),
    "cpuuse": ("spin" + SAMPLED, SPIN,
               (r"^spin +\d+ +(\d+)$", one(lambda n: n == 20))),
    "diskerrors": ("", FILL_DISK,
                   (r"^.{20} %(full)s +write +\d+ +\d+ (\w+)$",
                    lambda rows: all(row[0] in ("EIO", "ENOSPC")
                                     for row in rows))),
    "diskio": ("", READ_DISK,
               (r"^dd +\d+ +%(disk)s +read +(\d+)$",
                one(lambda size: size == 262144))),
    "disklatency": ("", READ_DISK, (r"^%(disk)s, read \(us\)" + HISTOGRAM,
                                    histogram(lambda n: n >= 4))),
    "dnstimes": ("", "getent ahosts localhost",
                 (r"^ *\d+ +0  localhost$", once)),
    "execs": ("", "sh -c '/bin/true one; exit'",
              (r"^\S+ \S+ +\S+ \S+ +\d+ +\d+  /bin/true one$", once)),
    "exits": ("", "sh -c 'sleep 0.2; sleep 9 & kill -9 $!; wait; exit 3'",
              (r"^sleep +\d+ +\d+ exited 0 +(\d+)$",
               one(lambda ms: ms >= 200)),
              (r"^(?:sh|sleep) +\d+ +\d+ SIGKILL +\d+$", once),
              (r"^sh +\d+ +\d+ exited 3 +-1$", once)),
    "fdleaks": ("", PY % ("import os; [os.open('/etc/hostname', 0) for i in "
                          "range(3)]; os.close(os.open('/etc/passwd', 0))"),
                (r"^/etc/hostname +(\d+)$", one(lambda n: n == 3)),
                (r"^(/\S+) +-?\d+$", lambda rows: rows == [("/etc/hostname",)])),
    "fileio": ("dd", DD, (r"^%(file)s +dd +write +(\d+) +(\d+)$",
                          one(lambda n, size: (n, size) == (7, 7000)))),
    "flame": ("spin" + SAMPLED, SPIN, (r"^ +(\d+)$", total(lambda n: n >= 20))),
    "forks": ("", "sh -c '/bin/true; /bin/true; /bin/true; exit'",
              (r"^sh +(\d+) +\d+$", lambda rows: int(rows[0][0]) >= 3)),
    "fsyncs": ("dd", DD + " conv=fsync", (r"^dd, fsync \(us\)$", once),
               (BAR, samples(1))),
    "funccount": ("getaddrinfo", "getent ahosts localhost",
                  (r"^libc.so.6 +getaddrinfo +(\d+)$",
                   one(lambda n: n == 1))),
    "functime": ("getaddrinfo", "getent ahosts localhost",
                 (r"^getaddrinfo \(ns\)$", once), (BAR, samples(1))),
    "futexes": ("python3", WAIT,
                (r"^python3 +\d+ +(\d+) +(\d+) +(\d+)$",
                 one(lambda n, total, longest:
                     n >= 1 and total >= longest >= 300000))),
    "interrupts": (INTERRUPTED, STORE, (r"^HANDLER +CPU +TIMES$", once),
                   (r"^.+ +\d+ +(\d+)$", total(lambda n: n >= 5))),
    "kills": ("", "sh -c 'sleep 9 & kill -USR1 $!; kill -9 $!'",
              (r"^sh +\d+ +\d+ SIGUSR1 +0$", once),
              (r"^sh +\d+ +\d+ SIGKILL +0$", once)),
    "lockwaits": ("python3 -n 'lockstat:::adaptive-block, lockstat:::rw-block "
                  "/execname == $$1/ { exit(0); }'", CROWD,
                  (r"^python3 +(\d+) +\d+ +\d+$", one(lambda n: n >= 1))),
    "memgrowth": ("python3", PY % "import mmap; mmap.mmap(-1, 1 << 26)",
                  (r"^python3 +\d+ +(\d+) +\d+$",
                   one(lambda kb: kb >= 65536))),
    "mounts": ("", "unshare -m sh -c 'mount -t tmpfs none %(dir)s; "
                   "umount %(dir)s'",
               (r"^mount +\d+ \w+ +0 +%(dir)s$", once),
               (r"^umount +\d+ umount2 +0 +%(dir)s$", once)),
    "offcpu": ("sleep", "sleep 0.3",
               (r"^ +(\d+) us$",
                total(lambda us: us >= 290000)),
               (r"(\w*nanosleep)", lambda rows: len(rows) > 0)),
    "offcpuflame": ("sleep", "sleep 0.3",
                    (r"^ +(\d+)$",
                     lambda rows: max(int(r[0]) for r in rows) >= 290000)),
    "oncpu": ("spin" + SAMPLED, SPIN, (r"^ +(\d+)$", samples(20)),
              (r"`burn(?:\+0x\w+)?$", lambda rows: len(rows) > 0)),
    "ooms": ("", None, "a machine whose memory may run short"),
    "opens": ("cat", "cat /etc/hostname /nonexistent",
              (r"^cat +\d+ +\d+ 0 +/etc/hostname$", once),
              (r"^cat +\d+ +-1 ENOENT +/nonexistent$", once)),
    "pagecache": ("dd", CACHE_DISK, (r"^dd +(\d+) +\d+$",
                                     one(lambda n: n >= 1))),
    "pagefaults": ("python3", FAULTS, (r"^python3 +(\d+) +\d+$",
                                       one(lambda n: n >= 1000))),
    "probeflame": ("syscall::chdir:entry", "sh -c 'cd /usr; cd /'",
                   (r"^ +(\d+)$", total(lambda n: n >= 2))),
    "procio": ("", DD, (r"^dd +\d+ +write +(\d+) +(\d+)$",
                        one(lambda n, size: (n, size) == (7, 7000)))),
    "removals": ("", "rm %(file)s",
                 (r"^rm +\d+ unlinkat +0 +%(file)s$", once)),
    "runqlatency": ("sleep", "sleep 0.1", (r"^sleep \(us\)$", once),
                    (BAR, total(lambda n: n >= 1))),
    "shortlived": ("20000", "sh -c 'sleep 0.2; exit 3'",
                   (r"^ *(\d+) +\d+ +\d+ +0  sleep 0.2$",
                    one(lambda ms: ms >= 200))),
    "signals": ("", "sh -c 'sleep 9 & kill -USR1 $!'",
                (r"^sh +(?:sh|sleep) +SIGUSR1 +1$", once)),
    "sleeps": ("sleep", "sleep 0.3", (r"^sleep +\d+ +(\d+) +(\d+)$",
                                      one(lambda n, ms:
                                          n == 1 and ms >= 300))),
    "slowcalls": ("100 sleep", "sleep 0.3",
                  (r"^sleep +\d+ +\d+ clock_nanosleep +(\d+) 0$",
                   one(lambda ms: ms >= 300))),
    "stats": ("sh", "sh -c 'test -e %(file)s; test -e /nonexistent'",
              (r"^sh +\d+ \w+ +0 +%(file)s$", once),
              (r"^sh +\d+ \w+ +ENOENT +/nonexistent$", once)),
    "syscalls": ("dd", DD, (r"^dd +write +(\d+)$", one(lambda n: n == 7))),
    "tcpaccepts": ("", NET + " tcp:3",
                   (r"^.* 127.0.0.1 +%(server)s 127.0.0.1 +%(client)s$", once)),
    "tcpconnects": ("", NET + " tcp:3 refused:1",
                    (r" open +127.0.0.1 +%(client)s 127.0.0.1 +%(server)s$",
                     once),
                    (r" refused +127.0.0.1 +%(client)s 127.0.0.1 +%(nobody)s$",
                     once)),
    "tcplives": ("%(server)s", NET + " tcp:3",
                 (r"^127.0.0.1 +%(client)s +127.0.0.1 +%(server)s +\d+ +15 +21$",
                  once),
                 (r"^127.0.0.1 +%(server)s +127.0.0.1 +%(client)s +\d+ +21 +15$",
                  once)),
    "tcpresets": ("", NET + " refused:1",
                  (r"^sent +127.0.0.1 +%(client)s +1$", once),
                  (r"^received +127.0.0.1 +%(nobody)s +1$", once)),
    "tcpretransmits": ("%(nobody)s", NET + " again",
                       (r"^127.0.0.1 +%(client)s 127.0.0.1 +%(nobody)s +(\d+)$",
                        one(lambda n: n >= 1))),
    "tcpstates": ("%(server)s", NET + " tcp:3",
                  (r"^127.0.0.1 +%(client)s 127.0.0.1 +%(server)s  "
                   "state-syn-sent -> state-established$", once),
                  (r"^127.0.0.1 +%(server)s 127.0.0.1 +%(client)s  "
                   "state-syn-received -> state-established$", once)),
    "timeline": ("", "sleep 0.1",
                 (r"\bclock_nanosleep\(0x", once)),
    "top": ("dd", DD,
            (r"^dd +\d+ write +(\d+)$",
             lambda rows: sorted(int(r[0]) for r in rows) == [7, 7000]),
            (r"^dd +\d+ +(\d+)$", total(lambda n: n > 0))),
}


def own(text, quote=lambda name: name):
    """The text with the names of the links."""
    return OWN_WORD.sub(lambda m: quote(f"{m[1]}.{os.getpid()}"), text)


def target(word):
    """The file to which a link points.  python3 in PATH may be a script that
    looks for an interpreter of the name by which it was called."""
    if word == "python3":
        return sys.executable
    return shutil.which(word) or prog(word)


def make_links(folder):
    os.mkdir(folder)
    for word in OWN:
        os.symlink(target(word), os.path.join(folder, own(word)))
    os.environ["PATH"] = folder + ":" + os.environ["PATH"]


def filled(text, names, quote=str):
    for word, value in names.items():
        text = text.replace(f"%({word})s", quote(value))
    return text


# A device that can keep no more than 64 KB.
SMALL = 'mount -t tmpfs -o size=64k none "$PWD"; cd "$PWD"; '
ATTACH = "[ -e /dev/loop-control ] || busybox modprobe loop; " \
    "truncate -s 1M image; losetup -f --show image"


@contextlib.contextmanager
def disk(folder, prepare=""):
    """The name of a block device of 1 MB that only this test uses.

    The kernel detaches it when the test closes it, or is killed.  What
    `prepare` mounts is seen by the device alone."""
    path = subprocess.run(["unshare", "-m", "sh", "-ec", prepare + ATTACH],
                          cwd=folder, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()
    with open(path, "rb"):
        subprocess.run(["losetup", "-d", path], check=True)
        yield os.path.basename(path)


def rows(pattern, out):
    return [m.groups() for m in re.finditer(pattern, out, re.M)]


def is_lacking(tap, name, ran):
    """Does this machine lack the tool's probes?"""
    if ran.status == 0 or not re.search(
            r"no probe matches|is not available", ran.err):
        return False
    tap.skip(name, ran.err.splitlines()[0].split("error: ")[-1])
    return True


def texts(out):
    """The text that objects stand for; the command's output is among them."""
    parts = []
    for line in out.splitlines():
        if line.startswith('{"'):
            event = json.loads(line)
            for part in [event, *event.get("actions", [])]:
                parts.append(part.get("text", ""))
    return "".join(parts)


def errors(ran):
    """The complaints, without those that a busy machine justifies: about late
    work, lost variables, and locks waited for inside of a probe.  If a claim's
    event is lost, the claim fails."""
    return [line for line in ran.err.splitlines() if "dtrace:" in line and
            not re.search("firings missed or late|seen too late|"
                          "dynamic variable drop|inside another probe", line)]


def works(tap, name, row, names):
    args, command, *claims = row
    args = shlex.split(filled(own(args), names))
    if command is None:
        ran = dtrace("run", name, "-e", *args)
        if not is_lacking(tap, name, ran):
            tap.ok(ran.status == 0 and ran.err == "", f"{name} compiles", ran)
            tap.skip(f"{name}: its answer", "needs " + claims[0])
        return
    for option in [], ["--json"]:
        with open(names["file"], "w", encoding="ascii"):
            pass    # the last tool's command may have removed it
        ran = dtrace("run", name, *option, *args, "-c",
                     filled(own(command), names))
        if is_lacking(tap, name, ran):
            return
        out = texts(ran.out) if option else ran.out
        for written, test in claims:
            pattern = own(written, re.escape)
            found = rows(filled(pattern, names, re.escape), out)
            tap.ok(bool(found) and test(found) and not errors(ran),
                   f"{name} {' '.join(option)}: {written}", ran)


# ---- tools of languages and servers


def has_probes(path, provider):
    return os.path.exists(path) and \
        f"Provider: {provider}\n" in run(["readelf", "-nW", path]).out


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def jvmgc(tap, folder):
    """As many collections as the log of the virtual machine has."""
    java = os.path.realpath(shutil.which("java") or "/")
    jvm = os.path.join(os.path.dirname(java), "..", "lib", "server",
                       "libjvm.so")
    if not has_probes(jvm, "hotspot"):
        return "a Java virtual machine with probes"
    source = write(folder, "Collects.java", """class Collects {
    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) System.gc();
    } }""")
    log = os.path.join(folder, "log")
    ran = dtrace("run", "jvmgc", "-c", f"{java} -XX:+UseSerialGC "
                 f"-Xlog:gc:file={log} {source}")
    with open(log, encoding="utf-8") as f:
        told = f.read().count(" Pause ")
    counts = rows(BAR, ran.out)
    return tap.ok(told >= 3 and samples(told)(counts),
                  f"jvmgc: {told} collections, as in its log", ran)


def pgqueries(tap, folder):
    if not has_probes(f"{PG}/postgres", "postgresql"):
        return "PostgreSQL with probes"
    with Postgres(folder) as server:
        session = server.session()

        def ask(query):
            session.stdin.write(query + ";\n")
            session.stdin.flush()
            return session.stdout.readline().strip()

        tool = subprocess.Popen(
            [DTRACE, "run", "pgqueries", "-p", ask("select pg_backend_pid()"),
             "-n", 'BEGIN { printf("begun\\n"); }'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        begun = tool.stdout.readline()
        answers = [ask(f"select {i} + 1") for i in range(5)]
        session.stdin.close()
        session.wait()
        out = begun + tool.communicate(timeout=TIMEOUT)[0]
    found = rows(r"^ *\d+ us  select (\d) \+ 1;$", out)
    return tap.ok(answers == list("12345") and
                  [row[0] for row in found] == list("01234") and
                  samples(5)(rows(BAR, out)),
                  "pgqueries: the five queries, in order", out)


def pycalls(tap, folder):
    if not has_probes(PYTHON, "python"):
        return "a Python with probes"
    source = write(folder, "calls.py", "def leaf():\n    pass\n\n"
                   "def caller():\n    leaf()\n    leaf()\n\n"
                   "for i in range(50):\n    caller()\n")
    ran = dtrace("run", "pycalls", "-c", f"{PYTHON} -S {source}")
    found = dict(rows(r"^\S*/calls.py +(\w+) +(\d+)$", ran.out))
    return tap.ok(found == {"leaf": "100", "caller": "50"} and not errors(ran),
                  "pycalls: the functions of a file", ran)


def rubycalls(tap, folder):
    ruby = shutil.which("ruby")
    libs = glob.glob("/usr/lib/x86_64-linux-gnu/libruby-*.so.*")
    if not ruby or not any(has_probes(lib, "ruby") for lib in libs):
        return "Ruby with probes"
    source = write(folder, "calls.rb",
                   "class Counter\n  def leaf\n    1\n  end\nend\n"
                   "TracePoint.new(:call) { }.enable\n"
                   "c = Counter.new\n70.times { c.leaf }\n")
    ran = dtrace("run", "rubycalls", "-c", f"{ruby} {source}")
    found = rows(r"^Counter +leaf +(\d+)$", ran.out)
    return tap.ok(found == [("70",)] and not errors(ran),
                  "rubycalls: a method in Ruby", ran)


# Fires probes as a program would that this machine lacks: of the provider
# argv[2], those of argv[3] with their arguments.
STAND_IN = """
import ctypes, json, sys, time

class Probe(ctypes.Structure):
    _fields_ = [("semaphore", ctypes.POINTER(ctypes.c_ushort)),
                ("site", ctypes.c_void_p), ("nargs", ctypes.c_int)]

lib = ctypes.CDLL(sys.argv[1])
lib.dtrace_usdt_provider.restype = ctypes.c_void_p
lib.dtrace_usdt_probe.restype = ctypes.POINTER(Probe)
provider = ctypes.c_void_p(
    lib.dtrace_usdt_provider(sys.argv[2].encode(), b"standin"))
fires = json.loads(sys.argv[3])
probes = {}
for name, *args in fires:
    types = (ctypes.c_char_p * len(args))(
        *(b"char *" if isinstance(a, str) else b"int" for a in args))
    if name not in probes:
        probes[name] = lib.dtrace_usdt_probe(provider, b"main", name.encode(),
                                             len(args), types)
assert lib.dtrace_usdt_enable(provider) == 0
while not all(p.contents.semaphore[0] for p in probes.values()):
    time.sleep(0.01)
for name, *args in fires:
    kept = [ctypes.create_string_buffer(a.encode()) if isinstance(a, str) else
            a for a in args]
    values = [a if isinstance(a, int) else ctypes.addressof(a) for a in kept]
    lib.dtrace_usdt_fire(probes[name], (ctypes.c_size_t * len(args))(*values))
"""


def stand_in(tool, folder, provider, fires):
    source = write(folder, "standin.py", STAND_IN)
    library = os.path.join(os.path.dirname(DTRACE), "libdtrace-usdt.so")
    return dtrace("run", tool, "-c", shlex.join(
        ["python3", source, library, provider, json.dumps(fires)]))


def php(tap, folder):
    source = write(folder, "a.php", "<?php function greet() {} "
                   "for ($i = 0; $i < 7; $i++) greet();\n")
    ran = dtrace("run", "phpcalls", "-c", f"{PHP} {source}",
                 env={**os.environ, "USE_ZEND_DTRACE": "1"})
    tap.ok(("greet", "7") in rows(r"^(\w+) +(\d+)$", ran.out) and
           not errors(ran), "phpcalls: a function in PHP", ran)


def phpcalls(tap, folder):
    if has_probes(PHP, "php"):
        php(tap, folder)
    call = ["function-entry", "greet", "a.php", 3, "", ""]
    ran = stand_in("phpcalls", folder, "php", [call] * 7)
    return tap.ok(("greet", "7") in rows(r"^(\w+) +(\d+)$", ran.out) and
                  not errors(ran), "phpcalls: a stand-in for PHP", ran)


def noderequests(tap, folder):
    """Two requests whose answers come in the other order."""
    fires = [["http-server-request", 1, 2, "::1", 80, "GET", "/one", 11],
             ["http-server-request", 1, 2, "::1", 81, "POST", "/two", 12],
             ["http-server-response", 2, "::1", 81, 12],
             ["http-server-response", 2, "::1", 80, 11]]
    ran = stand_in("noderequests", folder, "node", fires)
    return tap.ok(rows(r"^ *\d+ us  (.*)$", ran.out) ==
                  [("POST /two",), ("GET /one",)] and
                  samples(2)(rows(BAR, ran.out)) and not errors(ran),
                  "noderequests: a stand-in for Node.js", ran)


LANGUAGES = {f.__name__: f for f in (jvmgc, noderequests, pgqueries, phpcalls,
                                     pycalls, rubycalls)}
NAMES = sorted([*TOOLS, *LANGUAGES])


def languages(tap, top, only):
    """A test returns what it needs and has not."""
    for name, test in LANGUAGES.items():
        if only and name not in only:
            continue
        folder = os.path.join(top, name)
        os.mkdir(folder)
        lacks = test(tap, folder)
        if isinstance(lacks, str):
            tap.skip(name, "needs " + lacks)


def foreign_names(tap):
    """A name of another tracer's tool gives ours, as the guide says."""
    with open(TOOL_NAMES, encoding="utf-8") as f:
        names = dict(re.findall(r"^TOOL_NAME\((\w+), *(\w+)\)", f.read(), re.M))
    for theirs, ours in names.items():
        ran = dtrace("run", theirs)
        tap.ok(ran.status == 1 and ours in NAMES and
               ran.err.endswith(f"hint: here it is dtrace run {ours}\n"),
               f"the tool for {theirs}", ran)
    ran = dtrace("run", "memleak")
    tap.ok(ran.status == 1 and ran.err.endswith("hint: dtrace run -l lists "
                                                "them\n"), "none", ran)
    with open(FROM_BPFTRACE, encoding="utf-8") as f:
        rows = re.findall(r"^\| (.*) \| `(\w+)` \|$",
                          re.search(r"^## Tools$.*?^## ", f.read(),
                                    re.M | re.S)[0], re.M)
    told = {theirs: ours for cell, ours in rows
            for theirs in re.findall(r"`(\w+)`", cell)}
    tap.ok(told == names, "the guide has the same names", told)


def without_probes(tap):
    """A program that lacks a tool's probes is no answer."""
    for name in LANGUAGES:
        ran = dtrace("run", name, "-c", "/bin/true")
        tap.ok(ran.status == 1 and "    hint: the tool needs " in ran.err and
               re.search(r"^dtrace: the process had no probes of provider "
                         r"[a-z]+$", ran.err, re.M),
               f"{name}: /bin/true has no probes", ran)
    ran = dtrace("run", "jvmgc", "-p", str(os.getpid()), "-n",
                 "tick-1s { exit(0); }")
    tap.ok(ran.status == 1 and re.search(
        "^dtrace: the process has so far no probes of provider hotspot\n"
        "(.*\n)?dtrace: the process had no probes of provider hotspot\n",
        ran.err), "jvmgc -p: at the beginning and at the end", ran)


# ---- the system's answers

STILL = "/proc/interrupts stands still while the command runs"


def interrupts():
    """Of /proc/interrupts: the number of each device's handler on each CPU."""
    with open("/proc/interrupts", encoding="ascii") as f:
        ncpus = len(f.readline().split())
        lines = [line.split() for line in f if re.match(r" *\d+:", line)]
    found = {}
    for line in lines:
        for name in " ".join(line[ncpus + 1:]).split(","):
            for cpu, count in enumerate(line[1:ncpus + 1]):
                key = name.split()[-1] if name.split() else "", str(cpu)
                found[key] = found.get(key, 0) + int(count)
    return found


def interrupts_agree(tap, names):
    """The tool counts no interrupt that the kernel has not counted.

    Returns false if the kernel has counted none: not every machine has devices
    that interrupt."""
    before = interrupts()
    ran = dtrace("run", "interrupts", *shlex.split(INTERRUPTED),
                 "-c", filled(own(STORE), names))
    after = interrupts()
    found = rows(r"^(\S+) +(\d+) +(\d+)$", ran.out)
    most = {key: n - before.get(key, 0) for key, n in after.items()}
    if ran.status == 0 and not found and not any(most.values()):
        tap.skip("interrupts: no number above /proc/interrupts", STILL)
        return False
    tap.ok(found and not errors(ran) and
           all(int(n) <= most.get((name, cpu), 0) for name, cpu, n in found),
           f"interrupts: {len(found)} numbers, none above /proc/interrupts",
           ran, before, after)
    return True


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


def unreadable(tap):
    """A tool that may not be read is not missing."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = shutil.copy(DTRACE, folder)
        os.mkdir(os.path.join(folder, "tools.d"))
        tool = os.path.join(folder, "tools.d", "secret.d")
        with open(tool, "w", encoding="ascii") as f:
            f.write("/*\n * secret: nothing\n */\nBEGIN { }\n")
        os.chmod(tool, 0)
        for args in ("secret",), ("--show", "secret"):
            ran = run(["setpriv", "--reuid", "65534", "--clear-groups", path,
                       "run", *args])
            tap.ok(ran.status == 1 and ran.out == "" and
                   f"cannot read {tool}: Permission denied" in ran.err,
                   f"run {args[0]}: a tool that may not be read", ran)


def command(tap):
    ran = dtrace("run", "-l")
    listed = [line.split()[0] for line in ran.out.splitlines()]
    files = sorted(name[:-2] for name in os.listdir(SOURCE)
                   if name.endswith(".d"))
    tap.ok(listed == NAMES == files, "run -l lists the tools of this test",
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
    ran = dtrace("run", "funccount", "-c", "/bin/true")
    tap.ok(ran.status == 2 and "needs an argument: FUNCTION" in ran.err and
           "Usage: dtrace run funccount FUNCTION" in ran.err,
           "an argument that a tool needs", ran)
    for args, excess in (("funccount", "-c", "ls /", "libc.so.6", "malloc"),
                         "malloc"), (("jvmgc", "1234"), "1234"):
        ran = dtrace("run", *args)
        tap.ok(ran.status == 2 and
               f"no argument '{excess}'\nUsage: dtrace run {args[0]}" in
               ran.err, f"{args[0]}: too many arguments", ran)
    ran = dtrace("run", "funccount", "str*", "-x", "argref",
                 "-n", "tick-1s { exit(0); }", "-c", "sleep 5")
    tap.ok(ran.status == 0 and ran.out.startswith("FILE "),
           "-n adds a clause to a tool", ran)
    unreadable(tap)
    foreign_names(tap)
    without_probes(tap)
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
    tap.ok(re.findall(r"^\.It Cm (\w+)", text, re.M) == NAMES,
           "dtrace-tools(8) has each tool", text)
    ran = subprocess.run(["groff", "-mdoc", "-Tascii", "-ww", page],
                         capture_output=True, text=True, check=False)
    tap.ok(ran.returncode == 0 and ran.stderr == "", "and is well-formed",
           ran.stderr)
    with open(GUIDE, encoding="utf-8") as f:
        rows = re.findall(r"^\| .*\? \| (.*) \|$", f.read(), re.M)
    named = sorted(re.findall(r"`(\w+)`", "".join(rows)))
    tap.ok(named == NAMES, "the guide has a question for each tool", named)
    for path, text in (("README.md", "use one of (\\d+) tools"),
                       ("doc/guide/README.md", "the (\\d+) scripts that come")):
        with open(os.path.join(SOURCE, "..", path), encoding="utf-8") as f:
            told = re.findall(text, f.read())
        tap.ok(told == [str(len(NAMES))], f"{path} has their number", told)


def main():
    only = sys.argv[2:]
    tap = start("root bpf cmd:losetup cmd:strace cmd:python3 cmd:groff")
    command(tap)
    manual(tap)
    # /tmp may be memory: %(stored)s must be on a disk
    with tempfile.TemporaryDirectory() as folder, \
            tempfile.NamedTemporaryFile(dir=os.path.dirname(DTRACE)) as stored:
        os.chmod(folder, 0o755)     # for the user of a server
        names = {"dir": os.path.join(folder, "d"),
                 "file": os.path.join(folder, "file"), "stored": stored.name}
        names |= {name: str(PORTS + n)
                  for n, name in enumerate(("server", "client", "nobody"))}
        os.mkdir(names["dir"])
        make_links(os.path.join(folder, "bin"))
        strace_agrees(tap, names)
        lacks = {} if interrupts_agree(tap, names) else {"interrupts": STILL}
        full = os.path.join(folder, "full")
        os.mkdir(full)
        with disk(folder) as names["disk"], \
                disk(full, SMALL) as names["full"]:
            for name, row in sorted(TOOLS.items()):
                if only and name not in only:
                    continue
                if name in lacks:
                    tap.skip(name, lacks[name])
                else:
                    works(tap, name, row, names)
        languages(tap, folder, only)
    tap.done()


main()
