#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A recorded run is printed again, to the byte: by other users, in other forms.

What was flushed is read after kill -9, on a full disk, and from a part of the
file."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time

from live import DTRACE, background, dtrace, run, start

EVERYTHING = r"""
BEGIN { printf("%s %d\n", "hello", 42); trace("text"); i = 0; }
BEGIN { trace(*(int *)0); }
BEGIN { self->s = speculation(); speculate(self->s); printf("kept\n"); }
BEGIN { commit(self->s); }
BEGIN { self->t = speculation(); speculate(self->t); printf("lost\n"); }
BEGIN { discard(self->t); }
syscall:::entry /pid == $target && n < 30/
{
	n++; printf("%Y %s", walltimestamp, execname); stack(); ustack();
	usym(uregs[R_RIP]); func(caller);
	@calls[probefunc] = count();
	@who[execname, ustack(3)] = sum(n);
	@code[usym(uregs[R_RIP]), umod(uregs[R_RIP])] = count();
	@kern[stack(4), mod(caller)] = count();
	@q = quantize(n); @l = lquantize(n, 0, 30, 5);
	@ll = llquantize(n, 10, 0, 2, 10);
	@avg = avg(n); @sd = stddev(n); @min = min(n); @max = max(n);
}
tick-50ms
{
	printa("calls %s %@d\n", @calls); printa(@l); clear(@l);
	trunc(@who, 2); normalize(@max, 2); i++;
}
tick-50ms /i == 2/ { exit(3); }
END { tracemem(curthread, 16); print(curthread->tasks); }
ERROR { printf("error %d", arg4); }
"""
FORMS = ("text", "json", "csv", "folded", "flame", "prometheus", "chrome",
         "perfetto", "html", "ctf")
NUMBERS = 'tick-1ms { printf("%d %d\\n", i++, timestamp); }'
SOAK = "soak" in sys.argv[2:]


def recorded(folder, *args, name="run.dtr", **kwargs):
    """A run with its recording; the path of the recording."""
    path = os.path.join(folder, name)
    return dtrace("-x", "record=" + path, *args, **kwargs), path


def messages(err):
    """Standard error, without what only a run that compiles says."""
    return re.sub(r"dtrace: (?:script|description) [^\n]* matched [^\n]*\n|"
                  r"dtrace: pid \d+ has exited\n", "", err)


def content(path):
    """The bytes of the output: a file, or the files of a directory in turn."""
    files = [path] if os.path.isfile(path) else sorted(
        entry.path for entry in os.scandir(path))
    text = b""
    for name in files:
        with open(name, "rb") as f:
            text += f.read()
    return text


def claim_same(tap, folder):
    script = os.path.join(folder, "everything.d")
    with open(script, "w", encoding="utf-8") as f:
        f.write(EVERYTHING)
    for form in FORMS:
        live, path = recorded(folder, "-x", "oformat=" + form, "-x", "nspec=4",
                              "-o", os.path.join(folder, "live." + form),
                              "-s", script, "-c", "sleep 5")
        replay = dtrace("-r", path, "-o", os.path.join(folder, "again." + form))
        want = content(os.path.join(folder, "live." + form))
        got = content(os.path.join(folder, "again." + form))
        tap.ok(live.status == 3 and replay.status == 3 and want == got and
               len(want) > 300,
               f"{form}: the replay prints the same {len(want)} bytes",
               live, replay)
        tap.ok(messages(live.err) == messages(replay.err),
               f"{form}: ... and the same messages", live.err, replay.err)


def claim_other_forms(tap, folder):
    live, path = recorded(
        folder, "-qn", 'BEGIN { printf("one %d\\n", 1); @a["k"] = count(); '
        '@b[stack()] = count(); exit(4); }')
    ran = dtrace("-r", path, "-x", "oformat=json")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    tap.ok(ran.status == 4 and
           any("one 1" in json.dumps(row) for row in rows) and
           sum("aggregation" in json.dumps(row) for row in rows) >= 2,
           "a text recording replays as JSON", ran)
    ran = dtrace("-r", path, "-x", "oformat=folded")
    tap.ok(re.search(r"^@b;vmlinux`\S+;.* 1$", ran.out, re.M),
           "... and as folded stacks, with names", ran)
    ran = dtrace("-r", path, "-x", "quiet=off")
    tap.ok("CPU     ID" in ran.out and ":BEGIN one 1" in ran.out,
           "quiet is replaced", ran)
    ran = dtrace("-r", path, "-x", "noresolve")
    tap.ok("vmlinux" not in ran.out and "0xffff" in ran.out,
           "noresolve prints addresses", ran)
    ran = run([DTRACE, "-r", "-"], preexec_fn=lambda: os.dup2(
        os.open(path, os.O_RDONLY), 0))
    tap.ok(ran.out == live.out and ran.status == 4, "from a pipe", ran)


def claim_alone(tap, folder):
    """Another user, and nothing of the machine."""
    live, path = recorded(folder, "-qn", "BEGIN { stack(); ustack(); "
                          "print(*curthread->fs); exit(0); }")
    copy = os.path.join(folder, "dtrace")
    shutil.copy(DTRACE, copy)
    os.chmod(folder, 0o755)
    tap.ok(os.stat(path).st_mode & 0o777 == 0o600,
           "a recording is its owner's alone")
    os.chmod(path, 0o644)
    ran = run(["setpriv", "--reuid", "65534", "--regid", "65534",
               "--clear-groups", copy, "-r", path], cwd="/")
    tap.ok(ran.status == 0 and ran.out == live.out,
           "a user without privileges replays it", ran)
    trace = os.path.join(folder, "strace")
    ran = run(["strace", "-f", "-o", trace, "-e",
               "trace=open,openat,bpf,perf_event_open,execve,ptrace",
               DTRACE, "-r", path])
    with open(trace, encoding="utf-8") as f:
        calls = f.read()
    asked = [line for line in calls.splitlines()
             if re.search(r'bpf\(|perf_event|ptrace|"/proc|"/sys|dlib|\.d"',
                          line)]
    tap.ok(ran.out == live.out and not asked,
           "a replay reads nothing of /proc and /sys, and no library", *asked)


def claim_destructive(tap, folder):
    made = os.path.join(folder, "made")
    text = f'BEGIN {{ system("echo x >> {made}"); printf("after\\n"); ' \
           f'freopen("{made}2"); printf("in the file\\n"); exit(0); }}'
    _, path = recorded(folder, "-qwn", text)
    with open(made, encoding="ascii") as f:
        first = f.read()
    os.unlink(made + "2")
    ran = dtrace("-r", path)
    with open(made, encoding="ascii") as f:
        tap.ok(first == f.read() == "x\n" and not os.path.exists(made + "2"),
               "a replay runs no command and opens no file", ran)
    tap.ok("system() is not carried out" in ran.err and
           "freopen() is not carried out" in ran.err and
           "after\n" in ran.out, "... and says so", ran)


def claim_drops(tap, folder):
    live, path = recorded(
        folder, "-x", "bufsize=8k", "-x", "switchrate=500ms", "-x",
        "bufresize=manual", "-qn", "syscall:::entry /pid == $target/ "
        '{ printf("%s\\n", probefunc); } tick-1s { exit(0); }',
        "-c", "dd if=/dev/zero of=/dev/null bs=1 count=300000", "-o", os.path.join(folder, "live"))
    ran = dtrace("-r", path, "-o", os.path.join(folder, "again"))
    with open(os.path.join(folder, "live"), "rb") as one, \
            open(os.path.join(folder, "again"), "rb") as two:
        tap.ok(one.read() == two.read(), "with drops: the same output", ran)
    told = [line for line in live.err.splitlines() if " drop" in line]
    tap.ok(told and told == [line for line in ran.err.splitlines()
                             if " drop" in line],
           f"... and {len(told)} messages of drops come again", live, ran)


def claim_refusals(tap, folder):
    _, path = recorded(folder, "-qn", "BEGIN { exit(0); }")
    for args, want in (
            (["-r", path, "-x", "strsize=8"], "option strsize: it concerns"),
            (["-r", path, "-n", "BEGIN"], "has no firings"),
            (["-r", path, "-c", "true"], "-r prints a recording"),
            (["-r", "/bin/true"], "/bin/true is not a recording"),
            (["-r", folder], "Is a directory"),
            (["-r", folder + "/none"], "No such file"),
            (["-x", "record=" + folder, "-n", "BEGIN { exit(0); }"],
             "Is a directory"),
            (["-n", "#pragma D option record=/x\nBEGIN { exit(0); }"],
             "option record cannot be set in a program")):
        ran = dtrace(*args)
        tap.ok(ran.status != 0 and want in ran.err,
               f"refused: {shlex.join(args)[:60]}", ran)


# -- endings -----------------------------------------------------------------

def numbers(text):
    """The complete lines "number time", from 0 on without a gap; or None."""
    rows = re.findall(r"^(\d+) (\d+)$", text, re.M)
    return rows if [int(n) for n, _ in rows] == list(range(len(rows))) else None


def kill_one(folder, seconds):
    """Kill a recording; returns the replay and the monotonic time of death."""
    path = os.path.join(folder, "killed.dtr")
    with background("--record=" + path, "-qn", NUMBERS) as proc:
        proc.stdout.readline()
        time.sleep(seconds)
        died = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        proc.send_signal(signal.SIGKILL)
        proc.wait()
    return dtrace("-r", path), died


def claim_kill(tap, folder):
    dice, bad, late = random.Random(1), [], 0
    tries = 100 if SOAK else 12
    for _ in range(tries):
        ran, died = kill_one(folder, dice.uniform(0, 0.9))
        rows = numbers(ran.out)
        if not rows:
            # nothing is a quarter of a second old
            bad += [ran] if rows is None else []
            continue
        if ran.status != 1 or "cut off" not in ran.err:
            bad.append(ran)
        late = max(late, died - int(rows[-1][1]))
    tap.ok(not bad, f"after kill -9 at {tries} moments the recording is read",
           *bad[:2])
    tap.ok(late < 1.5e9, f"... up to {late / 1e6:.0f} ms before the end")


def claim_killed_aggs(tap, folder):
    path = os.path.join(folder, "killed.dtr")
    with background("--record=" + path, "-qn",
                    'tick-10ms { @n["ticks"] = count(); }') as proc:
        time.sleep(3.2)
        proc.send_signal(signal.SIGKILL)
        proc.wait()
    ran = dtrace("-r", path)
    match = re.search(r"ticks +(\d+)$", ran.out, re.M)
    tap.ok(match and 90 < int(match.group(1)) < 330,
           "aggregations are there as of a second or two before a kill -9",
           ran)


def blocks(data):
    """The offsets of the blocks."""
    at, found = 32, []
    while at < len(data):
        found.append(at)
        at += 32 + int.from_bytes(data[at + 8:at + 12], "little")
    return found


def claim_parts(tap, folder):
    live, path = recorded(folder, "-qn", NUMBERS + " tick-2s { exit(0); }")
    with open(path, "rb") as f:
        data = f.read()
    bad, seen = [], set()
    for at in blocks(data) + [len(data)]:
        for cut in (at, at - 1, at + 40):
            if not 32 <= cut < len(data):
                continue
            part = os.path.join(folder, "part.dtr")
            with open(part, "wb") as f:
                f.write(data[:cut])
            ran = dtrace("-r", part)
            rows = numbers(ran.out)
            seen.add(len(rows or []))
            if ran.status != 1 or rows is None or \
                    not live.out.startswith(ran.out.rstrip("\n")) or \
                    not re.search("cut off|left out|has no", ran.err):
                bad.append(ran)
    tap.ok(not bad and len(seen) > 3,
           f"cut at each of {len(blocks(data))} blocks: what is left is "
           "printed, and told", *bad[:2])
    data = bytearray(data)
    data[blocks(data)[len(blocks(data)) // 2] + 40] ^= 0xff
    with open(path, "wb") as f:
        f.write(data)
    ran = dtrace("-r", path)
    tap.ok(ran.status == 0 and "the recording is damaged: the block" in ran.err
           and 0 < len(ran.out) < len(live.out),
           "a damaged block is left out, and told", ran)


def claim_full_disk(tap, folder):
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    # The first blocks fit: a busy machine makes them large.  The run goes on
    # until the disk is full.
    script = (f"mount -t tmpfs -o size=96k none {disk}; {DTRACE} "
              f"--record={disk}/run.dtr -qn {shlex.quote(NUMBERS)} "
              "-n 'tick-4ms { tracemem(curthread, 2048); } "
              "tick-100s { exit(0); }' "
              f"> {folder}/full.out 2> {folder}/full.err & "
              f"until grep 'ends here' {folder}/full.err || "
              "! kill -0 $!; do sleep 0.1; done; sleep 0.5; "
              "kill -TERM $!; wait $!; echo status $?; "
              f"cat {folder}/full.err >&2; "
              f"cp {disk}/run.dtr {folder}/full.dtr")
    ran = run(["unshare", "-m", "sh", "-c", script])
    with open(os.path.join(folder, "full.out"), encoding="latin-1") as f:
        live = f.read()
    tap.ok("status 0" in ran.out and ran.err.count("ends here") == 1 and
           "not whole" not in ran.err and
           "No space left on device" in ran.err,
           "a full disk is reported once, and tracing goes on", ran)
    again = dtrace("-r", os.path.join(folder, "full.dtr"), "-o",
                   os.path.join(folder, "full.again"))
    with open(os.path.join(folder, "full.again"), encoding="latin-1") as f:
        part = f.read().rstrip("\n")
    tap.ok(again.status == 1 and "cut off" in again.err and
           1000 < len(part) < len(live) and live.startswith(part),
           f"... and {len(part)} of {len(live)} characters replay", again)


def main():
    tap = start("root bpf cmd:setpriv cmd:strace cmd:unshare")
    with tempfile.TemporaryDirectory(prefix="dt-record.") as folder:
        claim_same(tap, folder)
        claim_other_forms(tap, folder)
        claim_alone(tap, folder)
        claim_destructive(tap, folder)
        claim_drops(tap, folder)
        claim_refusals(tap, folder)
        claim_kill(tap, folder)
        claim_killed_aggs(tap, folder)
        claim_parts(tap, folder)
        claim_full_disk(tap, folder)
    tap.done()


main()
