#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Substrate both: the parts of one script give one answer, exact against the
program's own counts; and however a part ends, the other does, too."""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from live import DTRACE, background, dtrace, drops, prog, run, start, table

ROUNDS = 20000
BOTH = ["-x", "substrate=both"]
MARK = "syscall::getpriority:entry /pid == $target && arg0 == 0x7001/"
# Of each part: how many rounds it saw, and the first and the last of them.
COUNTS = """
    pid$target:a.out:step:entry {
        @n[pid, "step"] = count(); @lo[pid, "step"] = min(arg0);
        @hi[pid, "step"] = max(arg0); }
    syscall::getpriority:entry /arg0 == 0x7001 && pid == $target/ {
        @n[pid, "mark"] = count(); @lo[pid, "mark"] = min(arg1);
        @hi[pid, "mark"] = max(arg1); }
    END { printa("%d %s %@d %@d %@d\\n", @n, @lo, @hi); }
    """


def mixed(rounds, pause_us=0):
    return " ".join([prog("mixed"), str(rounds), str(pause_us)])


def begin(rounds, pause_us):
    """Start mixed; it is in its rounds, whose pauses give the CPU away, and the
    loader has closed its files."""
    target = subprocess.Popen(mixed(rounds, pause_us).split())
    paused = 0
    while paused < 20 and target.poll() is None:
        time.sleep(0.01)
        with open(f"/proc/{target.pid}/status", encoding="ascii") as f:
            paused = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)",
                                   f.read(), re.M)[1])
    return target


class Seen:
    """The rounds that a part saw: each from its first to its last one?"""

    def __init__(self, count, first, last):
        self.count, self.first, self.last = count, first, last
        self.is_whole = count == last - first + 1

    def __repr__(self):
        return f"{self.count} of {self.first} to {self.last}"


def by_process(text):
    """{pid: {"step": Seen, "mark": Seen}} of COUNTS."""
    rows = {}
    for pid, what, *numbers in re.findall(
            r"^(\d+) (\w+) (\d+) (\d+) (\d+)$", text, re.M):
        rows.setdefault(int(pid), {})[what] = Seen(*map(int, numbers))
    return rows


def are_whole(row, least=100):
    """Has no part lost a round, and seen enough?"""
    return sorted(row) == ["mark", "step"] and \
        all(seen.is_whole and seen.count >= least for seen in row.values())


def check_order(tap):
    script = """
        BEGIN { printf("begin\\n"); }
        pid$target:a.out:step:entry { printf("step %d\\n", arg0); }
        """ + MARK + """ { printf("mark %d\\n", arg1); }
        pid$target:a.out:step:return { printf("back %d\\n", arg1 / 2); }
        END { printf("end\\n"); }"""
    ran = dtrace(*BOTH, "-q", "-x", "bufsize=16m", "-n", script, "-c",
                 mixed(ROUNDS))
    want = ["begin"] + [f"{what} {n}" for n in range(ROUNDS)
                        for what in ("step", "mark", "back")] + ["end"]
    got = ran.out.split("\n")[:-2]
    wrong = [pair for pair in zip(got, want) if pair[0] != pair[1]]
    tap.ok(got == want, f"{3 * ROUNDS} records of both parts, in order",
           len(got), wrong[:5], ran.err)


def check_small_buffers(tap):
    script = "pid$target:a.out:step:entry { printf(\"s\\n\"); } " + MARK + \
        " { printf(\"m\\n\"); }"
    ran = dtrace(*BOTH, "-q", "-x", "bufsize=4k", "-x", "switchrate=5s", "-n",
                 script, "-c", mixed(ROUNDS))
    lines = ran.out.count("s\n") + ran.out.count("m\n")
    tap.ok(lines + drops(ran.err) == 2 * ROUNDS and lines < 2 * ROUNDS,
           "small buffers: printed and dropped are all", lines, ran)


def check_shared(tap):
    """A variable of the thread that both would touch, under load."""
    script = """
        pid$target:a.out:step:entry { self->n[0] = arg0 + 1; }
        """ + MARK + """
        { @[self->n[0] == arg1 + 1 ? "right" : "wrong"] = count(); }
        pid$target:a.out:other:entry { @other = count(); }"""
    ran = dtrace(*BOTH, "-qv", "-n", script, "-c", mixed(ROUNDS))
    tap.ok(table(ran.out).get("right") == ROUNDS and
           re.search(rf"^ *{2 * ROUNDS}$", ran.out, re.M) and
           "wrong" not in ran.out, "a shared variable is right each time", ran)
    where = re.findall(r"(\S+):entry: runs in the (\w+)", ran.err)
    tap.ok([place for _, place in where] == ["kernel", "kernel", "process"],
           "... since both its clauses run in the kernel; the other does not",
           where, ran.err)


DECLARE = "int begun; "
# Each side sees what the other has stored, in this round and the one before.
EXCHANGE = """
    BEGIN { on%(n)d = %(on)s; step%(n)d = mark%(n)d = -1; }
    pid%(pid)s:a.out:step:entry /on%(n)d && arg0 > on%(n)d/ {
        @["step%(n)d", step%(n)d == arg0 - 1, mark%(n)d == arg0 - 1] = count(); }
    pid%(pid)s:a.out:step:entry { step%(n)d = arg0; }
    """ + MARK.replace("$target", "%(pid)s") + """ {
        /* rounds count from here on */
        on%(n)d = on%(n)d ? on%(n)d : begun ? arg1 : 0; }
    """ + MARK.replace("&& arg", "&& on%(n)d && arg1 > on%(n)d && arg").replace(
        "$target", "%(pid)s") + """ {
        @["mark%(n)d", step%(n)d == arg1, mark%(n)d == arg1 - 1] = count(); }
    """ + MARK.replace("$target", "%(pid)s") + """ { mark%(n)d = arg1; }
    """
SHOW = """ tick-500ms { begun = 1; } END { printa("%s %d %d %@d\\n", @); }"""


def exchanged(text):
    return {name: (int(n), right) for name, *right, n in re.findall(
        r"^(\w+) (\d) (\d) (\d+)$", text, re.M)}


def check_globals(tap):
    """Global integers that both parts touch, under load."""
    script = DECLARE + EXCHANGE % {"n": 0, "pid": "$target", "on": "-1"} + SHOW
    want = (5 * ROUNDS, ["1", "1"])
    for substrate in ("kernel", "process", "both"):
        ran = dtrace("-x", f"substrate={substrate}", "-qvn", script, "-c",
                     mixed(5 * ROUNDS))
        tap.ok(exchanged(ran.out) == {"step0": want, "mark0": want},
               f"globals in {substrate}: each clause sees all values", ran)
    where = re.findall(r"(pid|syscall)\S+:entry: runs in the (\w+)", ran.err)
    tap.ok(where == [("pid", "process")] * 2 + [("syscall", "kernel")] * 3 and
           "in memory of both parts: " in ran.err,
           "... and in both, each clause runs where it is cheapest", where,
           ran.err)


def maps_of(pid):
    """The mappings of the process that both parts share, and how many
    descriptors it has."""
    with open(f"/proc/{pid}/maps") as f:
        maps = [line for line in f if "bpf-map" in line]
    return len(maps), len(os.listdir(f"/proc/{pid}/fd"))


def check_globals_of_two(tap):
    """Two processes, and what is in them while tracing and after it."""
    targets = [begin(1000000, 50) for _ in range(2)]
    before = [maps_of(target.pid) for target in targets]
    script = DECLARE + "".join(EXCHANGE % {"n": n, "pid": target.pid, "on": "0"}
        for n, target in enumerate(targets)) + SHOW
    with background(*BOTH, "-qn", script, "-p",
                    ",".join(str(target.pid) for target in targets)) as proc:
        time.sleep(3)
        during = [maps_of(target.pid) for target in targets]
        proc.send_signal(signal.SIGINT)
        out, err = proc.communicate(timeout=60)
    after = [maps_of(target.pid) for target in targets]
    for target in targets:
        target.kill()
        target.wait()
    got = exchanged(out)
    tap.ok(sorted(got) == ["mark0", "mark1", "step0", "step1"] and
           all(n > 100 and right == ["1", "1"] for n, right in got.values()),
           "two processes: each sees its own", got, out, err)
    tap.ok([one[0] for one in during] == [1, 1] and
           [one[1] for one in during] == [one[1] for one in before],
           "... the memory is mapped, by no descriptor of theirs", during)
    tap.ok(before == after, "... and is gone afterwards", before, after)


def check_globals_killed(tap):
    """kill -9 of dtrace."""
    target = begin(1000000, 100)
    before = maps_of(target.pid)
    script = DECLARE + EXCHANGE % {"n": 0, "pid": "$target", "on": "-1"}
    with background(*BOTH, "-qn", script, "-p", str(target.pid)) as proc:
        time.sleep(2)
        during = maps_of(target.pid)
        proc.kill()
        proc.communicate()
    until = time.monotonic() + 30
    while maps_of(target.pid) != before and time.monotonic() < until:
        time.sleep(0.05)
    after, alive = maps_of(target.pid), target.poll() is None
    target.kill()
    target.wait()
    tap.ok(alive and during[0] == 1 and after == before,
           "kill -9 of dtrace: the shared memory leaves the process", before,
           during, after)


def check_globals_of_children(tap):
    """A child of fork() is not traced, and has no such memory."""
    code = ("import os, ctypes, time\n"
            "f = ctypes.CDLL(None).getppid\n"
            "for i in range(50): f(); time.sleep(0.02)\n"
            "if os.fork() == 0:\n"
            "  f()\n"
            "  print(sum('bpf-map' in l for l in open('/proc/self/maps')))\n"
            "  os._exit(0)\n"
            "f()\n"
            "print(os.wait()[1],\n"
            "  sum('bpf-map' in l for l in open('/proc/self/maps')))\n")
    script = """pid$target:libc.so.6:getppid:entry { n++; }
        syscall::wait4:entry /pid == $target/ { before = n; }
        END { printf("counted %d %d\\n", n, before); }"""
    ran = run([DTRACE, *BOTH, "-qn", script, "-x", "evaltime=main", "-c",
               f"{sys.executable} -c {shlex.quote(code)}"])
    tap.ok(sorted(ran.out.split("\n")[:-2]) == ["0", "0 1", "counted 51 51"],
           "a child of fork() goes on without the shared memory", ran)


def check_memory_of_children(tap):
    """A child may map something where its parent has the shared memory: it
    stays when dtrace leaves the child."""
    code = ("import os, ctypes, sys, time\n"
            "f = ctypes.CDLL(None)\n"
            "f.mmap.restype = ctypes.c_void_p\n"
            "for i in range(50): f.getppid(); time.sleep(0.02)\n"
            "def maps(word):\n"
            "  return [l for l in open('/proc/self/maps') if word in l]\n"
            "lo, hi = (int(n, 16) for n in\n"
            "  maps('bpf-map')[0].split()[0].split('-'))\n"
            "if os.fork() != 0: sys.exit()\n"
            "at = ctypes.c_void_p(lo), ctypes.c_size_t(hi - lo)\n"
            # PROT_READ and _WRITE; MAP_PRIVATE, _ANONYMOUS, _FIXED_NOREPLACE
            "if f.mmap(*at, 3, 0x100022, -1, 0) != lo: sys.exit()\n"
            "ctypes.memset(at[0], 7, hi - lo)\n"
            "had = bool(maps('memfd:dtrace'))\n"
            "until = time.monotonic() + 60\n"
            "while maps('memfd:dtrace') and time.monotonic() < until:\n"
            "  time.sleep(0.05)\n"
            "text = ctypes.string_at(at[0], hi - lo)\n"
            "with open(sys.argv[1], 'w') as out:\n"
            "  print(had, bool(maps('memfd:dtrace')), text == b'\\7' * (hi - lo),\n"
            "        file=out)\n")
    script = """pid$target:libc.so.6:getppid:entry { n++; }
        syscall::wait4:entry /pid == $target/ { before = n; }"""
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "kept")
        ran = run([DTRACE, *BOTH, "-qn", script, "-x", "evaltime=main", "-c",
                   shlex.join([sys.executable, "-c", code, path])])
        until = time.monotonic() + 70
        while not os.path.exists(path) and time.monotonic() < until:
            time.sleep(0.1)
        kept = ""
        while os.path.exists(path) and not kept:
            with open(path, encoding="ascii") as f:
                kept = f.read()
    tap.ok(kept == "True False True\n",
           "what a child maps there stays when dtrace leaves it", kept, ran)


def check_globals_unmapped(tap):
    """A program that unmaps the variables, and then calls nothing traced."""
    code = ("import ctypes, time\n"
            "f = ctypes.CDLL(None)\n"
            "for i in range(5): f.getppid(); time.sleep(0.1)\n"
            "at = [l.split('-') for l in open('/proc/self/maps')\n"
            "  if 'bpf-map' in l]\n"
            "lo, hi = int(at[0][0], 16), int(at[0][1].split()[0], 16)\n"
            "f.munmap(ctypes.c_void_p(lo), ctypes.c_size_t(hi - lo))\n"
            "time.sleep(1)\n")
    script = """pid$target:libc.so.6:getppid:entry { n++; @ = count(); }
        sched:::off-cpu /n == -1/ { @off = count(); }"""
    ran = run([DTRACE, *BOTH, "-qn", script, "-c",
               f"{sys.executable} -c {shlex.quote(code)}"])
    tap.ok(re.search(r"process \d+ has unmapped, dropped or replaced dtrace's "
                     "shared memory", ran.err) and
           re.search(r"^ +5$", ran.out, re.M) and ran.status == 0,
           "a program that unmaps shared variables is reported", ran)


def check_globals_after_exec(tap):
    """The new program has the memory, too, and its values go on."""
    script = """BEGIN { mark = -1; }
        pid$target::step:entry {
            @[mark == arg0 - 1 ? "right" : "wrong"] = count(); first = -1; }
        """ + MARK + """ { mark = arg1; first = first ? first : arg1; }
        END { printf("%d %d\\n", mark, first); }"""
    ran = dtrace(*BOTH, "-Zqn", script, "-c", shlex.join(
        ["sh", "-c", f"sleep 0.5; exec {mixed(3000, 1000)}"]))
    got = table(ran.out)
    tap.ok(got.get("right", 0) > 1000 and "wrong" not in got and
           "2999 -1\n" in ran.out,
           "after execve(), shared globals go on", got, ran)


def check_several(tap):
    targets = [begin(100000, 100) for _ in range(4)]
    pids = [target.pid for target in targets]
    ran = dtrace(*BOTH, "-qn", COUNTS + "tick-1s { exit(0); }", "-p",
                 ",".join(map(str, pids)))
    rows = by_process(ran.out)
    tap.ok(sorted(rows) == sorted(pids) and
           all(are_whole(row) for row in rows.values()),
           "four processes: both parts see each round of each", rows, ran)
    still = [target.poll() is None for target in targets]
    for target in targets:
        target.kill()
        target.wait()
    tap.ok(all(still), "... and goes on afterwards", still)


def check_killed_target(tap):
    target = begin(1000000, 100)
    with background(*BOTH, "-qn", COUNTS, "-p", str(target.pid)) as proc:
        time.sleep(2)
        target.kill()
        target.wait()
        out, err = proc.communicate(timeout=60)
    row = by_process(out).get(target.pid, {})
    tap.ok(are_whole(row) and row["step"].last - row["mark"].last in (0, 1)
           and "SIGKILL" in err,
           "kill -9 of the target: nothing of either part is lost", out, err)


def check_interrupted(tap):
    target = begin(1000000, 100)
    with background(*BOTH, "-qn", COUNTS, "-p", str(target.pid)) as proc:
        time.sleep(2)
        proc.send_signal(signal.SIGINT)
        out, err = proc.communicate(timeout=60)
    row = by_process(out).get(target.pid, {})
    alive = target.poll() is None
    target.kill()
    target.wait()
    tap.ok(alive and are_whole(row), "Control-C ends both parts", out, err)


def check_killed_dtrace(tap):
    target = begin(20000, 100)
    with background(*BOTH, "-qn", COUNTS, "-p", str(target.pid)) as proc:
        time.sleep(2)
        proc.kill()
        proc.communicate()
    tap.ok(target.wait(timeout=60) == 0,
           "kill -9 of dtrace: the program goes on to its end")


def check_exits(tap):
    """Each part ends the other, and no value is lost until then."""
    for name, who in (("process", "pid$target:a.out:step:entry /arg0 == 500/"),
                      ("kernel", MARK[:-1] + " && arg1 == 500/")):
        script = COUNTS + who + " { exit(7); }"
        ran = dtrace(*BOTH, "-qn", script, "-c", mixed(10000000, 200))
        rows = list(by_process(ran.out).values())
        tap.ok(ran.status == 7 and len(rows) == 1 and
               are_whole(rows[0], 499) and rows[0]["step"].last < 50000 and
               rows[0]["step"].first == rows[0]["mark"].first == 0,
               f"exit() in the {name} ends both parts", ran)


def check_fill(tap):
    script = "pid$target:a.out:step:entry { printf(\"step %d\\n\", arg0); }" \
        + MARK + " { @ = count(); } END { printf(\"end\\n\"); }"
    ran = dtrace(*BOTH, "-q", "-x", "bufpolicy=fill", "-x", "bufsize=64k",
                 "-n", script, "-c", mixed(10000000, 20))
    lines = ran.out.split("\n")
    n = lines.index("end") if "end" in lines else -1
    tap.ok(n > 1000 and lines[:n] == [f"step {i}" for i in range(n)],
           "a full buffer of one part ends both", ran)


def check_ticks(tap):
    """The sums of all turns of an aggregation are its total."""
    script = """
        pid$target:a.out:step:entry { @ = count(); @all = count(); }
        """ + MARK + """ { @ = count(); @all = count(); }
        tick-10ms { printa("turn %@d\\n", @); trunc(@); }
        END { printa("turn %@d\\n", @); trunc(@); printa("all %@d\\n", @all); }
        """
    ran = dtrace(*BOTH, "-qn", script, "-c", mixed(5000, 50))
    turns = [int(n) for n in re.findall(r"^turn (\d+)$", ran.out, re.M)]
    total = re.findall(r"^all (\d+)$", ran.out, re.M)
    # what is counted between printa() and trunc() of a turn is truncated
    tap.ok(total == ["10000"] and len(turns) > 10 and
           5000 < sum(turns) <= 10000,
           "ticks print and truncate what both parts count",
           sum(turns), len(turns), ran.err)


def check_refused(tap):
    """A process that cannot be entered is traced by the kernel."""
    target = begin(1000000, 100)
    first = background("-x", "substrate=kernel", "-qn",
                       "pid$target:a.out:step:entry { @ = count(); }", "-p",
                       str(target.pid))
    with first as other:
        time.sleep(2)
        script = COUNTS + DECLARE + EXCHANGE % {
            "n": 0, "pid": "$target", "on": "0"} + SHOW + "tick-2s { exit(0); }"
        ran = dtrace(*BOTH, "-qn", script, "-p", str(target.pid))
        other.send_signal(signal.SIGINT)
        out = other.communicate(timeout=60)
    row = by_process(ran.out).get(target.pid, {})
    alive = target.poll() is None
    target.kill()
    target.wait()
    tap.ok(alive and ran.status == 0 and are_whole(row) and
           "the kernel reaches the probes of processes" in ran.err and
           re.search(r"\d{3}", out[0]),
           "beside a dtrace in the kernel, which the process shows, the kernel "
           "takes over", ran, *out)
    tap.ok([right for _, right in exchanged(ran.out).values()] ==
           [["1", "1"]] * 2, "... and its parts share variables", ran)


def check_unprivileged(tap):
    ran = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
               DTRACE, *BOTH, "-n", "BEGIN { exit(0); }"])
    tap.ok(ran.status == 1 and "substrate both needs the capabilities" in
           ran.err, "without privileges it is refused by name", ran)


def main():
    tap = start("root bpf prog:mixed")
    check_order(tap)
    check_small_buffers(tap)
    check_shared(tap)
    check_globals(tap)
    check_globals_of_two(tap)
    check_globals_killed(tap)
    check_globals_of_children(tap)
    check_memory_of_children(tap)
    check_globals_unmapped(tap)
    check_globals_after_exec(tap)
    check_several(tap)
    check_killed_target(tap)
    check_interrupted(tap)
    check_killed_dtrace(tap)
    check_exits(tap)
    check_fill(tap)
    check_ticks(tap)
    check_refused(tap)
    if os.access(DTRACE, os.X_OK):
        check_unprivileged(tap)
    tap.done()


main()
