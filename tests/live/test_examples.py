#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The scripts of examples/, and three of tools.d/, print the known facts of
known work."""

import os
import re
import shutil
import subprocess
import tempfile

from live import dtrace, prog, start

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLES = os.path.join(SOURCE, "examples")


def script(name, *operands, command, folder="examples"):
    return dtrace("-s", os.path.join(SOURCE, folder, name), *operands, "-c",
                  command)


def tool(name, *operands, command):
    return script(name, *operands, command=command, folder="tools.d")


def rows(ran, pattern):
    return [m.groups() for m in re.finditer(pattern, ran.out, re.M)]


def opens(tap):
    ran = script("opens.d", "cat", command="cat /etc/hostname /nonexistent")
    found = rows(ran, r"^cat +(\d+) +(\d+) +/etc/hostname$")
    tap.ok(len(found) == 1, "opens: the file that is there", ran)
    missing = rows(ran, r"^cat +(\d+) +- +/nonexistent \(ENOENT\)$")
    tap.ok(len(missing) == 1, "opens: the one that is not", ran)
    tap.ok(not rows(ran, r"^(?!cat |PROGRAM)(\S+) +\d+ +[-\d]"),
           "opens: no other program", ran)


def calltimes(tap):
    # Programs beside this test may be a sleep, too.
    with tempfile.TemporaryDirectory() as top:
        own = shutil.copy(shutil.which("sleep"), os.path.join(top, "slumber"))
        ran = tool("calltimes.d", "slumber", command=own + " 0.3")
    calls = rows(ran, r"^slumber +(\w+) +(\d+) +(\d+) +(\d+)$")
    name, count, total, longest = calls[-1] if calls else ("", 0, 0, 0)
    tap.ok(name == "clock_nanosleep" and int(count) == 1,
           "calltimes: sleep's time goes to clock_nanosleep", ran)
    tap.ok(300000 <= int(total) == int(longest) < 30000000,
           f"calltimes: {total} us of 300000 asked for", ran)


def shortlived(tap):
    # The command itself begins before tracing does.
    command = "sh -c 'sleep 0.2; sh -c \"true; exit 3\"; true'"
    ran = tool("shortlived.d", "20000", command=command)
    seen = [(int(ms), int(status), args) for ms, status, args in
            rows(ran, r"^ *(\d+) +\d+ +\d+ +(\d+)  (\S.*)$")]
    by_args = {args: (ms, status) for ms, status, args in seen}
    ms, status = by_args.get("sleep 0.2", (0, -1))
    tap.ok(ms >= 200 and status == 0, f"shortlived: sleep lived {ms} ms", ran)
    tap.ok(by_args.get("sh -c true; exit 3", (0, 0))[1] == 3,
           "shortlived: the shell ended with 3", ran)
    ran = tool("shortlived.d", "100", command=command)
    tap.ok("sleep 0.2" not in ran.out and ran.status == 0 and
           "sh -c true" in ran.out,
           "shortlived: with 100 ms, sleep lives too long", ran)


def slowreads(tap):
    ran = script("slowreads.d", "100000", "cat", command=
                 "sh -c '(sleep 0.3; echo hello) | cat >/dev/null'")
    slow = rows(ran, r"^cat +(\d+) us +6 bytes  (pipe:\[\d+\])$")
    tap.ok(len(slow) == 1 and int(slow[0][0]) >= 200000,
           "slowreads: the one read that waits for a pipe", ran)
    tap.ok(len(slow) == 1 and f"{slow[0][1]} (us)" in ran.out and
           rows(ran, r"^ +(\d+) \|@+ 1 +$"), "slowreads: and its histogram",
           ran)


def offcpu(tap):
    ran = script("offcpu.d", "sleep", command="sleep 0.3")
    waits = rows(ran, r"^sleep +(\w+) +(\d+)$")
    tap.ok(waits and waits[-1][0] == "clock_nanosleep" and
           290 <= int(waits[-1][1]) < 30000,
           "offcpu: sleep waits in clock_nanosleep", ran)


def runqueue(tap):
    ran = script("runqueue.d", command="sh -c 'sleep 0.1; sleep 0.1'")
    waits = rows(ran, r"^  sleep\b")
    tap.ok(waits and not ran.err.strip(), "runqueue: sleep waited for a CPU",
           ran)


def sleeptime(tap):
    ran = script("sleeptime.d", "sleep", command="sleep 0.3")
    times = [int(row[0]) for row in rows(ran, r"^ +(\d+) us$")]
    tap.ok(times and 290000 <= max(times) < 30000000 and
           "hrtimer_nanosleep" in ran.out, "sleeptime: sleep's sleep, and where",
           ran)


def tcplives(tap):
    ran = tool("tcplives.d", command=prog("net") + " tcp:3")
    ends = [(int(local) - int(remote), int(out), int(into))
            for local, remote, out, into in rows(
                ran, r"^127\.0\.0\.1 +(\d+) +127\.0\.0\.1 +(\d+) +\d+ +(\d+)"
                r" +(\d+)$")]
    tap.ok((1, 15, 21) in ends and (-1, 21, 15) in ends,
           "tcplives: both ends of a connection, 15 and 21 bytes", ran)


def disklatency(tap):
    with tempfile.NamedTemporaryFile() as image:
        image.truncate(1 << 20)
        disk = subprocess.run(["losetup", "-f", "--show", image.name],
                              stdout=subprocess.PIPE, check=True,
                              text=True).stdout.strip()
        try:
            ran = script("disklatency.d", command=f"dd if={disk} "
                         "of=/dev/null bs=64k count=4 iflag=direct")
        finally:
            subprocess.run(["losetup", "-d", disk], check=True)
    name = os.path.basename(disk)
    read = rows(ran, rf"^dd +{name} +read +(\d+)  <unknown>$")
    tap.ok(read == [("262144",)], "disklatency: what dd reads", ran)
    histogram = ran.out.split(f"{name}, read (ns)")[-1].split("\n\n")[0]
    counts = re.findall(r"\|@* +(\d+) *$", histogram, re.M)
    tap.ok(sum(map(int, counts)) == 4, "disklatency: its four requests", ran)


def manual(tap):
    """The programs in d(5) compile."""
    with open(os.path.join(EXAMPLES, "..", "doc", "man", "d.5")) as f:
        blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", f.read(),
                            re.M | re.S)
    programs = [block for block in blocks if "probe descriptions" not in block]
    for text in programs:
        with tempfile.NamedTemporaryFile("w", suffix=".d") as f:
            f.write(text)
            f.flush()
            ran = dtrace("-e", "-x", "empty", "-s", f.name)
        tap.ok(ran.status == 0 and ran.err == "",
               f"d(5): {text.strip().splitlines()[-1].strip()}", ran)
    tap.ok(len(programs) >= 4, "d(5) has programs")


def process_ends(tap):
    """Others begin and end, too."""
    ran = script("process-ends.d", command="sh -c '/bin/true; /bin/true; "
                 'sh -c "kill -9 \\$\\$"; exit 0\'')
    ends = {name: int(n) for name, n in rows(ran, r"^  (\w+) +(\d+)$")}
    execs = rows(ran, r"^ +(\d+)$")
    tap.ok(len(execs) == 1 and int(execs[0][0]) >= 3
           and ends.get("exited", 0) >= 2 and ends.get("killed", 0) >= 1,
           "process-ends: processes that begin and end", ran)


def main():
    tap = start("root bpf")
    manual(tap)
    for check in opens, calltimes, shortlived, slowreads, offcpu, runqueue, \
            sleeptime, disklatency, process_ends, tcplives:
        check(tap)
    tap.done()


main()
