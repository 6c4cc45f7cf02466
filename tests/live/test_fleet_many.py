#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --fleet and many hosts: tests/prog/fleetsim is all of their agents.

What the hosts count is known, so the merged answer is, and so is what is lost
when they are gone.
"""

import contextlib
import os
import re
import subprocess
import sys
import time

from fleets import PART, SOON, Client, Server, finish, fleet
from live import background, prog, start, table

HOSTS, KEYS, GROUPS, ROUNDS = 300, 500, 30, 3
SCRIPT = """dtrace:::BEGIN { @c[ppid] = count(); @s[ppid] = sum(1);
    @l[ppid] = min(1); @h[ppid] = max(1); @a[ppid] = avg(1);
    @n[host, ppid] = count(); }"""


@contextlib.contextmanager
def many(made):
    """The hosts; all of them are there when it prints "ready"."""
    with subprocess.Popen([prog("fleetsim"), "-n", str(HOSTS), "-k", str(KEYS),
                           "-g", str(GROUPS), "-r", str(ROUNDS), made.url,
                           os.path.join(made.dir, "policy")],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True) as proc:
        try:
            proc.stdout.readline()
            yield proc
        finally:
            proc.kill()


def told(proc, text):
    """The lines of the console up to the one that has the text."""
    lines = []
    for line in proc.stderr:
        lines.append(line)
        if text in line:
            break
    return "".join(lines)


def tables(out, sizes):
    """A {key: value} for each aggregation, which has so many lines."""
    lines = [line.split() for line in out.splitlines() if line]
    found = []
    for size in sizes:
        found.append({tuple(row[:-1]): int(row[-1]) for row in lines[:size]})
        del lines[:size]
    return found, lines


def check_sums(tap, made):
    sums_of(tap, made, lambda: made.console("-qn", SCRIPT), "")


def check_merged(tap, made):
    """The same through two mergers, one of which is killed."""
    made.add_mergers("m1", "m2")

    def console():
        return background(*made.merged_by("m1", "m2"), "-qn", SCRIPT)

    sums_of(tap, made, console, ", through mergers")
    sums_of(tap, made, console, ", and one merger is killed", kill_merger)


def kill_merger(made, proc):
    merged = Client(made.servers[0], b"dtrace.from.m1.*.merged")
    merged.hear(re.escape(PART))
    merged.close()
    time.sleep(1.5)  # an account follows each second
    made.mergers["m1"].kill()
    told(proc, "merger m1 is lost")


def sums_of(tap, made, console, how, trouble=None):
    with many(made) as hosts, console() as proc:
        begun = told(proc, "hosts")
        if trouble is not None:
            trouble(made, proc)
        status, out, err = finish(proc)
        ran = dict(re.findall(r"(\w+) (\d+)", hosts.stdout.readline()))
    tap.ok(f"{HOSTS} of {HOSTS} hosts" in begun and status == 0 and
           ran.get("hosts") == str(HOSTS) and ran.get("lost") == "0",
           "all hosts answer" + how, begun, err, ran, status)
    n = HOSTS * ROUNDS
    wants = [("count()", {(str(k),): n for k in range(KEYS)}),
             ("sum()", {(str(k),): n * k for k in range(KEYS)}),
             ("min()", {(str(k),): k for k in range(KEYS)}),
             ("max()", {(str(k),): k for k in range(KEYS)}),
             ("avg()", {(str(k),): k for k in range(KEYS)}),
             ("a key of each host",
              {(f"host{g}", str(k)): n // GROUPS for g in range(GROUPS)
               for k in range(KEYS)})]
    found, more = tables(out, [len(want) for _, want in wants])
    for rows, (name, want) in zip(found, wants):
        tap.ok(rows == want, f"{name} of all hosts is exact{how}", len(rows),
               len(want), sorted(rows.items())[:3], err)
    tap.ok(not more, "nothing else is printed", more[:3])


def check_lost(tap, made):
    with many(made) as hosts, made.console(
            "-qn", "dtrace:::BEGIN { @[ppid] = count(); }") as proc:
        told(proc, f"{HOSTS} of {HOSTS} hosts")
        hosts.kill()
        out, err = proc.communicate(timeout=SOON)
    lost = set(re.findall(r"(host\d+) is lost: nothing", err))
    tap.ok(proc.returncode == 1 and
           lost == {f"host{i}" for i in range(HOSTS)},
           "each host that is gone is reported by name", proc.returncode,
           len(lost), err[:300])
    tap.ok(all(n <= HOSTS * ROUNDS for n in table(out).values()),
           "what came of them counts once", out[:300])


def main():
    tap = start("cmd:nats-server")
    with fleet([Server()], []) as made:
        for check in (check_sums, check_lost, check_merged):
            if len(sys.argv) < 3 or sys.argv[2] in check.__name__:
                check(tap, made)
    tap.done()


if __name__ == "__main__":
    main()
