#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --fleet with 20 agents and a cluster of three NATS servers.

The fleet's answer is that of all calls of all hosts, also while a server is
killed: clients go to another one, and what is lost is reported.
"""

import contextlib
import json
import math
import os
import re

from fleets import MINE, Told, cluster, fleet, wait_for
from live import dtrace, start, table

# an execname has 15 characters; other tests have names of their own
HOSTS = [f"{role}{i}.{os.getpid()}" for role in ("web", "db")
         for i in range(10)]
CALLS = {name: 40 + 13 * i for i, name in enumerate(HOSTS)}
SUMS = """{ @n[host] = count(); @t = count(); @s = sum(arg1);
    @l = min(arg1 + 3); @h = max(arg1); @a = avg(arg1); @d = stddev(arg1);
    @p = percentile(arg1, 50, 90); @q = quantize(arg1); }"""


def server_of(pid, servers):
    """The server to which a process has a connection; None if to none."""
    sockets = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # it is closed
            link = os.readlink(f"/proc/{pid}/fd/{fd}")
            sockets.update(re.findall(r"socket:\[(\d+)\]", link))
    with open("/proc/net/tcp", encoding="ascii") as f:
        rows = [line.split() for line in f][1:]
    ports = {int(row[2].split(":")[1], 16) for row in rows
             if row[9] in sockets}
    return next((s for s in servers if s.port in ports), None)


def answers(out):
    """The aggregations of JSON lines: {name: {key: value}}."""
    found = {}
    for line in out.splitlines():
        row = json.loads(line)
        if row["event"] == "aggregation":
            keys = "".join(key["value"] for key in row["keys"])
            amount = row["values"][0]
            found.setdefault(amount["name"], {})[keys] = amount
    return found


def truths():
    """The answer that the fleet has to give, from the calls alone."""
    args = sorted(arg for n in CALLS.values() for arg in range(n))
    n, total = len(args), sum(args)
    squares = sum(arg * arg for arg in args) // n
    return args, {"t": n, "s": total, "l": 3, "h": args[-1], "a": total // n,
                  "d": math.isqrt(squares - (total // n) ** 2)}


def check_sums(tap, made):
    with made.console("-x", "oformat=json", "-n", MINE + SUMS) as proc:
        told = Told(proc)
        all_trace = wait_for(lambda: told.tracing() == len(HOSTS))
        made.work(CALLS)
        status, out, err = told.finish()
    args, want = truths()
    found = answers(out)
    tap.ok(all_trace and status == 0, "20 hosts answer", status, err)
    rows = {key: row["value"] for key, row in found.get("n", {}).items()}
    tap.ok(rows == CALLS, "each host counts its own calls", rows, err)
    for name, what in zip("tslhad", ("count", "sum", "min", "max", "avg",
                                     "stddev")):
        rows = found.get(name, {})
        tap.ok(len(rows) == 1 and rows[""]["function"] == what and
               rows[""]["value"] == want[name],
               f"{what}() is that of all calls of all hosts", rows,
               want[name])
    check_shapes(tap, found, args)


def check_shapes(tap, found, args):
    counts = {}
    for arg in args:
        counts[arg.bit_length()] = counts.get(arg.bit_length(), 0) + 1
    rows = {b["max"].bit_length(): b["count"]
            for b in found["q"][""]["buckets"]}
    tap.ok(rows == counts, "quantize() is that of all calls of all hosts",
           rows, counts)
    parts = {p["percent"]: p["value"]
             for p in found["p"][""]["percentiles"]}
    want = {p: args[math.ceil(len(args) * p / 100) - 1] for p in (50, 90)}
    tap.ok(parts.keys() == want.keys() and all(
        abs(parts[p] - want[p]) * 100 <= want[p] for p in want),
        "percentile() is that of all calls of all hosts", parts, want)


def check_list(tap, made):
    ran = made.ask("-l", "-n", "syscall::getpriority:*")
    alone = dtrace("-ln", "syscall::getpriority:*")
    want = [[str(len(HOSTS)), *line.split()[1:]]
            for line in alone.out.splitlines()[1:]]
    rows = [line.split() for line in ran.out.splitlines()[1:]]
    tap.ok(len(want) == 2 and sorted(rows) == sorted(want) and
           ran.status == 0, "a list has the number of hosts", ran, want)


def check_killed_server(tap, made):
    """Hosts work before, while and after a server of the cluster dies, and
    comes back."""
    with made.console("-qn", MINE + "{ @[host] = count(); }") as proc:
        told = Told(proc)
        all_trace = wait_for(lambda: told.tracing() == len(HOSTS))
        made.work(CALLS)
        server = server_of(proc.pid, made.servers)
        pids = [proc.pid, *(a.proc.pid for a in made.agents.values())]
        left = [pid for pid in pids if server_of(pid, made.servers) is server]
        server.kill()
        made.work(CALLS)
        went = wait_for(lambda: all(
            server_of(pid, made.servers) not in (server, None)
            for pid in pids))
        made.work(CALLS)
        status, out, err = told.finish()
        ran = made.ask("-l", "-n", "BEGIN")
        server.start()
    tap.ok(ran.out.split()[5:6] == [str(len(HOSTS))] and ran.status == 0,
           "without that server a new console finds the others", ran)
    tap.ok(all_trace and went and proc.pid in left,
           "clients of a killed server go to another one", left, err)
    rows = {name: table(out).get(name, 0) for name in HOSTS}
    want = {name: 3 * n for name, n in CALLS.items()}
    tap.ok(status == 0 and rows == want or
           status == 1 and "are lost" in err and
           all(rows[name] <= want[name] for name in HOSTS),
           "the counts are exact, or the loss is reported", status, rows, want,
           err)
    tap.ok(all(rows[name] >= CALLS[name] for name in HOSTS) and
           "is lost: nothing" not in err, "no host is lost with the server",
           left, rows, err)


def main():
    tap = start("root bpf cmd:nats-server")
    with fleet(cluster(), HOSTS) as made:
        check_sums(tap, made)
        check_list(tap, made)
        check_killed_server(tap, made)
    tap.done()


if __name__ == "__main__":
    main()
