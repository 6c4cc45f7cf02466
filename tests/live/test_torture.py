#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""All functions of programs traced within them: the programs do as before.

-x substrate=process changes code of real programs: of C libraries, an
interpreter, of programs linked in every way, with threads, signals and
children.  What they print must be what they print untraced, and nothing
may be left behind.
"""

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import tempfile
import time

from live import DTRACE, background, prog, run, start, table

PROCESS = ["-x", "substrate=process"]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "prog")
NOBODY = 65534
CALLS = 4000

SQL = """
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x+1 from c where x<3000)
  insert into t select x, hex(x*7919) from c;
create index i on t(b);
select count(*), sum(a), max(b) from t where b like '%3%';
select a, b from t order by b desc limit 5;
"""

PYTHON = """
import hashlib, json, os, re, subprocess, threading
out = []
def work(i):
    h = hashlib.sha256()
    for k in range(300):
        h.update(json.dumps({"k": k, "i": i}).encode())
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
pid = os.fork()
if pid == 0:
    os._exit(3)
print(os.waitpid(pid, 0)[1])
"""


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def output_of(cmd, stdin, folder):
    """What a command prints, as a digest, and how it ends."""
    out = os.path.join(folder, "out")
    with open(stdin, "rb") as inp, open(out, "wb") as f:
        proc = subprocess.run(cmd, stdin=inp, stdout=f, timeout=120,
                              stderr=subprocess.PIPE, check=False)
    return digest(out), proc.returncode, proc.stderr.decode()


def traced(folder, name, command):
    """The dtrace command that counts all probes of that name."""
    return [DTRACE, "-q", *PROCESS, "-o", os.path.join(folder, "count"), "-n",
            f"pid$target:::{name} {{ @[\"n\"] = count(); }}", "-c", command]


def counted(folder):
    with open(os.path.join(folder, "count")) as f:
        return table(f.read()).get("n", 0)


def check_same(tap, folder, what, command, stdin, least):
    """All entries, then all returns: the same output."""
    plain = output_of(command.split(), stdin, folder)
    for name in "entry", "return":
        got = output_of(traced(folder, name, command), stdin, folder)
        n = counted(folder)
        tap.ok(got[:2] == plain[:2] and n >= least,
               f"{what}: all {name} probes, the same output",
               f"untraced {plain}", f"traced {got}", f"{n} firings")


def real_programs(tap, folder):
    sql, text = os.path.join(folder, "sql"), os.path.join(folder, "text")
    script, empty = os.path.join(folder, "py"), os.path.join(folder, "empty")
    rng = random.Random(1)
    for path, content in (sql, SQL), (script, PYTHON), (empty, ""), (
            text, "".join(f"{rng.getrandbits(64):x}\n" for _ in range(50000))):
        with open(path, "w") as f:
            f.write(content)
    check_same(tap, folder, "gzip", "/usr/bin/gzip -nc", text, 500)
    check_same(tap, folder, "sqlite3", "/usr/bin/sqlite3 :memory:", sql, 100000)
    check_same(tap, folder, "python3", f"/usr/bin/python3 {script}", empty,
               100000)


# -- ways to link ----------------------------------------------------------

WAYS = {
    "dynamic": ["cc"],
    "position-independent": ["cc", "-fPIE", "-pie"],
    "static": ["cc", "-static"],
    "static, position-independent": ["cc", "-fPIE", "-static-pie"],
    "musl": ["musl-gcc"],
    "static musl": ["musl-gcc", "-static"],
}


def check_way(tap, folder, way, compiler):
    exe = os.path.join(folder, "entered")
    lines = os.path.join(folder, "lines")
    subprocess.run([*compiler, "-O2", "-D_GNU_SOURCE", "-o", exe,
                    os.path.join(PROGRAMS, "entered.c"), "-lpthread"],
                   check=True)
    with open(lines, "w") as f:
        f.write("\n")
    with open(lines) as f:
        ran = subprocess.run(
            [DTRACE, *PROCESS, "-n", "pid$target:::entry { @[probefunc] = "
             "count(); }", "-c", f"{exe} calls 4 {CALLS // 4}"], stdin=f,
            capture_output=True, text=True, timeout=120, check=False)
    rows = table(ran.stdout)
    tap.ok(ran.returncode == 0 and rows.get("padded") == CALLS and
           f"calls {CALLS} wrong 0" in ran.stdout and len(rows) > 5,
           f"linked {way}: all functions, exact", ran.stdout, ran.stderr)


# -- what runs already -----------------------------------------------------

@contextlib.contextmanager
def hammer(threads):
    proc = subprocess.Popen([prog("entered"), "hammer", str(threads)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    proc.stdout.readline()
    tell(proc)
    proc.stdout.readline()
    try:
        yield proc
    finally:
        proc.kill()
        proc.communicate()


def tell(proc):
    proc.stdin.write("\n")
    proc.stdin.flush()


def maps(pid):
    """What is mapped, by name; heaps may grow meanwhile."""
    with open(f"/proc/{pid}/maps") as f:
        return [line.split(None, 5)[1:] for line in f if "/" in line]


def is_clean(pid, before):
    end = time.monotonic() + 20
    while maps(pid) != before and time.monotonic() < end:
        time.sleep(0.05)
    return maps(pid) == before


def is_well(proc):
    """Its threads end, and have found every call right."""
    tell(proc)
    return proc.stdout.readline().strip().endswith(" wrong 0")


ALL = ["-q", *PROCESS, "-n", "pid$target:::entry { @ = count(); } "
       "tick-10ms { printa(@); }"]


def killed(tap):
    with hammer(20) as proc:
        before = maps(proc.pid)
        with background(*ALL, "-p", str(proc.pid)) as tracer:
            first = [tracer.stdout.readline() for _ in range(4)]
            entered = maps(proc.pid) != before
            tracer.kill()
        clean = is_clean(proc.pid, before)
        tap.ok(entered and clean and is_well(proc),
               "dtrace is killed: the program goes on, and has its own code",
               f"entered {entered}, clean {clean}", *first)


def again_and_again(tap):
    with hammer(20) as proc:
        before = maps(proc.pid)
        rans = [run([DTRACE, "-q", *PROCESS, "-n", "pid$target:::entry { @ = "
                     "count(); } tick-1s { exit(0); }", "-p", str(proc.pid)])
                for _ in range(5)]
        good = [r for r in rans if r.status == 0 and int(r.out or 0) > 0]
        clean = is_clean(proc.pid, before)
        tap.ok(len(good) == len(rans) and clean and is_well(proc),
               "five sessions one after the other", f"clean {clean}", *rans)


def be_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def ordinary_user(tap, folder):
    """One's own processes need no privilege."""
    lines = os.path.join(folder, "lines")
    with open(lines) as f:
        ran = subprocess.run(
            [DTRACE, "-q", *PROCESS, "-n", "pid$target:a.out:padded:entry "
             "{ @ = count(); }", "-c", prog("entered") +
             f" calls 4 {CALLS // 4}"], stdin=f, capture_output=True, text=True,
            timeout=120, check=False, preexec_fn=be_nobody)
    tap.ok(ran.returncode == 0 and ran.stdout.split()[-1] == str(CALLS),
           "as an ordinary user", ran.stdout, ran.stderr)


def main():
    tap = start("root")
    signal.alarm(900)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        real_programs(tap, folder)
        for way, compiler in WAYS.items():
            check_way(tap, folder, way, compiler)
        killed(tap)
        again_and_again(tap)
        ordinary_user(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
