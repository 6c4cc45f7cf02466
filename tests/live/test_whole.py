#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Real programs, with all functions traced within them.

test_whole.py DTRACE [long]

Every entry and every return is traced, of the program and of its libraries:
gzip, sqlite3, python3 with its own tests, and redis-server at work.  They
print and store the same as untraced, and no firing is lost: a known number
of calls (from the program or the kernel substrate) is the traced one.  Root
and an ordinary user trace.
"""

import contextlib
import difflib
import hashlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile

from live import DTRACE, drops, run, start, table
from servers import Redis

LONG = sys.argv[2:] == ["long"]
ALL = ('pid$target:::entry { @["entry"] = count(); } '
       'pid$target:::return { @["return"] = count(); }')
NOBODY = 65534
COMPRESSED = (200 if LONG else 8) << 20
ROWS = 20000 if LONG else 3000
REQUESTS = 200000 if LONG else 10000
PIDS = 4321
SECONDS = 3000 if LONG else 150
TESTS = ["test_struct", "test_textwrap"], ["test_json"] # of each user
LONG_TESTS = ["test_re", "test_zlib", "test_hashlib", "test_heapq",
              "test_random", "test_thread", "test_queue", "test_select",
              "test_fork1", "test_pickle", "test_itertools", "test_exceptions"]

SQL = f"""
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x+1 from c where x<{ROWS})
  insert into t select x, hex(x*7919) from c;
create index i on t(b);
select count(*), sum(a), max(b) from t where b like '%3%';
select b, count(*) from t group by substr(b, 1, 3) order by 1 limit 9;
update t set b = b || a where a % 7 = 0;
delete from t where a % 5 = 0;
select a, b from t order by b desc limit 5;
"""

PYTHON = f"""
import hashlib, json, os, re, subprocess, threading
out = []
def work(i):
    h = hashlib.sha256()
    for k in range(300):
        h.update(json.dumps({{"k": k, "i": i}}).encode())
    out.append((i, h.hexdigest()))
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(out))
print(re.sub(r"(\\d+)", lambda m: str(int(m[1]) * 2), "a1b22c333" * 10))
print(subprocess.check_output(["echo", "child"]))
try:
    1 / 0
except ZeroDivisionError as e:
    print(e, flush=True)
for i in range({PIDS}):
    os.getppid()
pid = os.fork()
if pid == 0:
    os._exit(3)
print(os.waitpid(pid, 0)[1])
"""

# Calls that are also counted by name: they are the same in each run.
COUNTED = {
    "gzip": "pid$target:libc.so.6:read:entry,pid$target:libc.so.6:write:entry",
    "sqlite3": "pid$target:libsqlite3.so.0:sqlite3_*:entry",
    "python3": "pid$target:libc.so.6:getppid:entry",
}


class User:
    """Root or an ordinary user; holds the identity of its commands."""

    def __init__(self, name, uid):
        self.name, self.uid = name, uid
        self.ids = {"user": uid, "group": uid,
                    "extra_groups": []} if uid else {}


USERS = User("root", 0), User("an ordinary user", NOBODY)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def output_of(cmd, stdin, folder, user):
    """The digest of a command's output, and its exit status."""
    out = os.path.join(folder, "out")
    with open(stdin, "rb") as inp, open(out, "wb") as f:
        proc = subprocess.run(cmd, stdin=inp, stdout=f, timeout=SECONDS,
                              stderr=subprocess.PIPE, check=False,
                              cwd=folder, **user.ids)
    return digest(out), proc.returncode, proc.stderr.decode()


def counting(folder, name, substrate, more=""):
    """The command line of a dtrace that counts COUNTED, and `more`."""
    return [os.path.join(folder, "dtrace"), "-q", "-x", f"substrate={substrate}",
            "-o", os.path.join(folder, "count"), "-n",
            f"{COUNTED[name]} {{ @[probefunc] = count(); }} {more}", "-c"]


def counts(folder):
    """Read and remove the counts: of functions; of all entries and returns."""
    path = os.path.join(folder, "count")
    if not os.path.exists(path):
        return {}, (0, 0)
    with open(path, encoding="ascii") as f:
        rows = table(f.read())
    os.unlink(path)
    return rows, (rows.pop("entry", 0), rows.pop("return", 0))


def check_same(tap, folder, name, command, stdin, least):
    plain = output_of(command.split(), stdin, folder, USERS[0])
    output_of([*counting(folder, name, "kernel"), command], stdin, folder,
              USERS[0])
    known, _ = counts(folder)
    for user in USERS:
        got = output_of([*counting(folder, name, "process", ALL), command],
                        stdin, folder, user)
        rows, both = counts(folder)
        tap.ok(got[:2] == plain[:2] and min(both) >= least and
               drops(got[2]) == 0,
               f"{name} as {user.name}: all functions, the same output",
               f"untraced {plain}", f"traced {got}", f"{both} firings")
        tap.ok(rows == known and known, f"{name} as {user.name}: as many calls "
               "as the kernel substrate counts", rows, known, got[2])
    return known


def programs(tap, folder):
    files = {name: os.path.join(folder, name) for name in
             ("data", "sql", "script", "empty")}
    rng = random.Random(1)
    with open(files["data"], "wb") as f:
        for _ in range(COMPRESSED >> 20):
            f.write(rng.randbytes(1 << 19).hex().encode())
    for name, text in ("sql", SQL), ("script", PYTHON), ("empty", ""):
        with open(files[name], "w", encoding="ascii") as f:
            f.write(text)
    check_same(tap, folder, "gzip", "/usr/bin/gzip -nc", files["data"], 500)
    check_same(tap, folder, "sqlite3", "/usr/bin/sqlite3 :memory:",
               files["sql"], 100000)
    known = check_same(tap, folder, "python3", "/usr/bin/python3 "
                       f"{files['script']}", files["empty"], 100000)
    tap.ok(known == {"getppid": PIDS},
           "... and these are the calls that it makes", known)


# -- python3's own tests ----------------------------------------------------

UNITTEST = """
import sys, unittest
unittest.main(module=None, argv=["tests", *sys.argv[1:]],
    testRunner=unittest.TextTestRunner(stream=sys.stdout, verbosity=2))
"""


def results(text):
    """The tests' output without times, and without the lines whose order
    varies.

    Threads (test_thread) and a child (test_select) print those at any time."""
    return [line for line in re.sub(r" in [\d.]+s", "", text).splitlines()
            if not re.match(r"task \d+ |timeout = |b'testing", line)]


def own_tests(tap, folder, user, names):
    here = tempfile.mkdtemp(dir=folder)
    with open(here + "/run", "w", encoding="ascii") as f:
        f.write(UNITTEST)
    os.chmod(here, 0o777)
    os.environ["PYTHONHASHSEED"] = "0"  # tests print sets
    command = f"/usr/bin/python3 {here}/run " + \
        " ".join("test." + name for name in names)
    plain = run(command.split(), cwd=here, timeout=SECONDS, **user.ids)
    ran = run([os.path.join(folder, "dtrace"), "-q", "-x", "substrate=process",
               "-o", os.path.join(folder, "count"), "-n", ALL, "-c", command],
              cwd=here, timeout=SECONDS, **user.ids)
    _, both = counts(folder)
    tap.ok(results(plain.out) == results(ran.out) and plain.status == 0 and
           ran.status == 0 and min(both) > 100000 and drops(ran.err) == 0
           and "is not what its file has" not in ran.err,
           f"python3's {', '.join(names)} as {user.name}: all functions", both,
           *difflib.unified_diff(results(plain.out), results(ran.out)),
           ran.err[-1000:])


# -- redis-server -------------------------------------------------------------

class Client:
    """A client that speaks redis's protocol."""

    def __init__(self, server):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(server.dir + "/sock")
        self.file = self.sock.makefile("rb")

    def ask(self, text):
        self.sock.sendall(text.encode() + b"\r\n")
        line = self.file.readline()
        if line[:1] != b"$":
            return line.strip().decode()
        return self.file.read(int(line[1:]) + 2).decode()

    def processed(self):
        """The number of commands so far, without this one."""
        return int(re.search(r"total_commands_processed:(\d+)",
                             self.ask("info stats"))[1])

    def kept(self):
        return [self.ask(text) for text in
                ("dbsize", "get counter:__rand_int__", "llen mylist",
                 "scard myset", "zcard myzset", "hlen myhash")]


def benchmark(server):
    return run(["/usr/bin/redis-benchmark", "-s", server.dir + "/sock", "-q",
                "-n", str(REQUESTS), "-c", "20", "-P", "4", "-t",
                "set,get,incr,lpush,rpop,sadd,hset,zadd,mset"], timeout=SECONDS)


@contextlib.contextmanager
def tracing(folder, server, user):
    """Trace everything while the block runs; yields once tracing has begun."""
    proc = subprocess.Popen(
        [os.path.join(folder, "dtrace"), "-q", "-x", "substrate=process", "-n",
         'pid$target:a.out:processCommand:entry { @["commands"] = '
         'count(); } tick-100ms /!n++/ { printf("begun\\n"); } ' + ALL, "-p",
         str(server.proc.pid)], stdin=subprocess.DEVNULL, text=True, cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **user.ids)
    try:
        yield proc
    finally:
        proc.kill()
        proc.communicate()


def serve(tap, folder, user, plain):
    with tempfile.TemporaryDirectory(prefix="dt-redis.") as work:
        os.chmod(work, 0o755)
        with Redis(work) as server, tracing(folder, server, user) as proc:
            begun = proc.stdout.readline()
            client = Client(server)
            before = client.processed()
            ran = benchmark(server)
            kept, commands = client.kept(), client.processed() - before + 1
            proc.send_signal(signal.SIGINT)
            out, err = proc.communicate(timeout=60)
            rows = table(out)
            answer = client.ask("ping")
    tap.ok(begun and ran.status == 0 and kept == plain and answer == "+PONG"
           and rows.get("return", 0) > 100000,
           f"redis-server under {user.name}'s dtrace: it keeps what it should",
           kept, plain, ran, err, rows)
    tap.ok(rows.get("commands") == commands and drops(err) == 0,
           "each command is seen", rows, commands, err)


def servers(tap, folder):
    with tempfile.TemporaryDirectory(prefix="dt-redis.") as work:
        os.chmod(work, 0o755)
        with Redis(work) as server:
            benchmark(server)
            plain = Client(server).kept()
    for user in USERS:
        serve(tap, folder, user, plain)


def main():
    tap = start("root bpf cmd:redis-server cmd:redis-benchmark cmd:sqlite3 "
                "python:test.test_json")
    signal.alarm(7000 if LONG else 900)
    with tempfile.TemporaryDirectory(prefix="dt-whole.") as folder:
        # other users may not be able to read the build directory
        subprocess.run(["cp", DTRACE, os.path.join(folder, "dtrace")],
                       check=True)
        os.chmod(folder, 0o777)
        programs(tap, folder)
        servers(tap, folder)
        for user, names in zip(USERS, TESTS):
            own_tests(tap, folder, user, names + (LONG_TESTS if LONG else []))
    tap.done()


if __name__ == "__main__":
    main()
