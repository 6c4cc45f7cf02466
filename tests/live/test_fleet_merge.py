#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --fleet with mergers (dtraced --merge): real agents, two mergers.

Answers equal the calls that hosts made, also when mergers are killed, refuse
or never were there; what makes records goes around them.
"""

import contextlib
import os
import re
import signal
import sys

from fleets import (DTRACED, MINE, PART, SOON, Client, Merger, Server, Told, fleet,
                    wait_for)
from live import background, dtrace, run, start, table

HOSTS = [f"merge{i}.{os.getpid()}" for i in range(6)]
MERGERS = ["m1", "m2.x"]
COUNT = MINE + "{ @[host] = count(); }"
REFUSED = b"DTF1\x03\x00"


class Console:
    """A console whose hosts all trace."""

    def __init__(self, made, script, mergers):
        self.ends = contextlib.ExitStack()
        self.proc = self.ends.enter_context(
            background(*made.merged_by(*mergers), "-qn", script))
        self.told = Told(self.proc)
        wait_for(lambda: self.proc.poll() is not None or
                 self.told.tracing() == len(HOSTS))

    def __enter__(self):
        return self

    def __exit__(self, *args):
        if self.proc.poll() is None:
            self.told.kill()
        self.ends.close()

    def finish(self):
        return self.told.finish()


def numbers(first):
    """Calls of each host."""
    return {name: first + i for i, name in enumerate(HOSTS)}


def both(a, b):
    return {name: a[name] + b[name] for name in a}


def hear_all(client):
    """Hear what was sent until now to the subjects of the client."""
    client.send((b"dtrace.from.x.y", b"last"))
    client.hear(rb"last\r\n")


def check_sums(tap, made):
    calls = numbers(50)
    seen = Client(made.servers[0], b"dtrace.from.*.*")
    merged = Client(made.servers[0], b"dtrace.from.*.*.merged")
    with Console(made, MINE + """{ @[host] = count(); @t["all"] = count();
            @s["sum"] = sum(arg1); @l["low"] = min(arg1);
            @h["high"] = max(arg1); @a["avg"] = avg(arg1);
            @d["dev"] = stddev(7);
            @p["half"] = percentile(arg1, 50); }""", MERGERS) as console:
        made.work(calls)
        status, out, err = console.finish()
    rows = table(out)
    tap.ok(status == 0 and "lost" not in err, "all hosts answer", status, err)
    tap.ok({name: rows.get(name) for name in HOSTS} == calls,
           "each host's calls are counted through mergers", out, err)
    args = [arg for n in calls.values() for arg in range(n)]
    want = {"all": len(args), "sum": sum(args), "low": 0, "high": max(args),
            "avg": sum(args) // len(args), "dev": 0}
    tap.ok({key: rows.get(key) for key in want} == want,
           "aggregations are those of all hosts together", want, out)
    merged.sock.settimeout(SOON)
    merged.hear(re.escape(PART))
    hear_all(seen)
    tap.ok(PART not in seen.heard, "no host sends its data to the console")
    for client in (seen, merged):
        client.close()


def check_killed(tap, made):
    """One merger is killed while hosts work, and then the other."""
    calls = [numbers(20), numbers(30), numbers(40)]
    with Console(made, COUNT, MERGERS) as console:
        made.work(calls[0])
        made.mergers[MERGERS[0]].kill()
        made.work(calls[1])
        told = [wait_for(lambda: "merger m1 is lost" in console.told.text())]
        made.mergers[MERGERS[1]].kill()
        told.append(wait_for(
            lambda: "merger m2.x is lost" in console.told.text()))
        made.work(calls[2])
        status, out, err = console.finish()
    rows, want = table(out), both(both(*calls[:2]), calls[2])
    lost = {name for name in HOSTS
            if re.search(rf"{re.escape(name)}: \d+ parts", err)}
    tap.ok(all(told), "mergers that are gone are told", err)
    tap.ok(rows == want and status == 0 and not lost,
           "nothing is lost with a merger, and nothing counts twice", want,
           out, err, status)
    for merger in made.mergers.values():
        merger.start()
    wait_for(lambda: all(m.is_ready() for m in made.mergers.values()))


def check_killed_at_end(tap, made):
    """A merger is killed when hosts have ended: what it has is lost, told."""
    calls = numbers(20)
    with Console(made, COUNT, MERGERS) as console:
        made.work(calls)
        for merger in made.mergers.values():
            merger.proc.send_signal(signal.SIGSTOP)
        console.proc.send_signal(signal.SIGINT)
        wait_for(lambda: not made.scripts())
        for merger in made.mergers.values():
            merger.kill()
        out = console.proc.stdout.read()
        status = console.proc.wait(SOON)
        console.told.thread.join()
        err = console.told.text()
    rows = table(out)
    wrong = {name for name, n in calls.items() if rows.get(name, 0) != n}
    told = {name for name in HOSTS
            if re.search(rf"{re.escape(name)}: \d+ parts", err)}
    tap.ok(wrong <= told and status == (1 if told else 0) and
           all(rows.get(name, 0) <= n for name, n in calls.items()),
           "what is lost at the end is told by its host", wrong, told, status,
           out, err)
    for merger in made.mergers.values():
        merger.start()
    wait_for(lambda: all(m.is_ready() for m in made.mergers.values()))


def check_absent(tap, made):
    """A merger that is not there, and one that refuses."""
    calls = numbers(10)
    policy = os.path.join(made.dir, "none")
    with open(policy, "w") as f:
        f.write("author nobody\nkey %s\nhosts *\n" % run(
            [DTRACED, "--new-key",
             os.path.join(made.dir, "other")]).out.strip())
    strict = Merger(made, "strict", f"url = {made.url}\n", policy)
    with contextlib.ExitStack() as ends:
        ends.callback(strict.kill)
        wait_for(strict.is_ready)
        console = ends.enter_context(
            Console(made, COUNT, ["nobody", "strict"]))
        made.work(calls)
        status, out, err = console.finish()
    tap.ok("merger nobody is lost: it did not answer" in err and
           "merger strict is lost: the policy has no author" in err and
           "refused:" in strict.said(),
           "a merger that is absent, or refuses, is told", err,
           strict.said())
    tap.ok(status == 0 and table(out) == calls, "its hosts are read directly",
           status, out, err)


def check_stranger(tap, made):
    """A merger that the request does not name says something."""
    calls = numbers(10)
    client = Client(made.servers[0], b"dtrace.run.*")
    with Console(made, COUNT, MERGERS) as console:
        run_id = client.hear(rb"dtrace\.run\.([0-9a-f]{32})")[1]
        for name in (b"m3", HOSTS[0].replace(".", "=2e").encode()):
            client.send((b"dtrace.from." + name + b"." + run_id + b".merged",
                         REFUSED + bytes(2 + 24)))
        made.work(calls)
        status, out, err = console.finish()
    client.close()
    tap.ok(status == 0 and table(out) == calls and "lost" not in err,
           "a merger that is not named has no say", status, out, err)


def check_records(tap, made):
    calls = numbers(10)
    sent = Client(made.servers[0], b"dtrace.from.*.*.to.*")
    with Console(made, MINE + '{ printf("%s %d\\n", host, arg1); } ' + MINE +
                 "{ @[host] = count(); }", MERGERS) as console:
        made.work(calls)
        status, out, err = console.finish()
    lines = [line.split() for line in out.splitlines() if line]
    want = [[name, str(i)] for name, n in calls.items() for i in range(n)]
    tap.ok(status == 0 and sorted(lines[:len(want)]) == sorted(want) and
           {k: int(n) for k, n in lines[len(want):]} == calls,
           "a script with records is answered, with mergers", status,
           out[-300:], err)
    sent.send((b"dtrace.from.x.y.to.z", b"last"))
    sent.hear(rb"last\r\n")
    tap.ok(PART not in sent.heard, "it goes around them")
    sent.close()


def check_faults(tap, made):
    calls = numbers(1)
    with Console(made, COUNT + MINE + "{ @bad[*(int *)0x10] = count(); }",
                 MERGERS) as console:
        made.work(calls)
        status, out, err = console.finish()
    faults = [line for line in err.splitlines() if "invalid address" in line]
    more = [re.search(r"\((\d+) more\)", line) for line in faults]
    tap.ok(status == 0 and table(out) == calls and
           sum(int(m[1]) if m else 1 for m in more) == sum(calls.values()),
           "faults of probes are told past mergers", status, out, err)


def check_list(tap, made):
    ran = dtrace(*made.merged_by(*MERGERS), "-l", "-n",
                 "syscall::getpriority:entry")
    tap.ok(ran.status == 0 and ran.out.split()[5:6] == [str(len(HOSTS))],
           "probes are listed past mergers", ran)


def check_ends(tap, made):
    tap.ok(wait_for(lambda: all(
        m.said().count("run: author=\"tester\"") > 0
        for m in made.mergers.values())), "mergers note their runs",
        *(m.said() for m in made.mergers.values()))
    made.mergers[MERGERS[0]].proc.terminate()
    status = made.mergers[MERGERS[0]].proc.wait(SOON)
    tap.ok(status == 0, "a merger ends in order", status)


def main():
    tap = start("root bpf cmd:nats-server")
    with fleet([Server()], HOSTS) as made:
        made.add_mergers(*MERGERS)
        for check in (check_sums, check_records, check_killed,
                      check_killed_at_end, check_absent, check_stranger,
                      check_faults, check_list, check_ends):
            if len(sys.argv) < 3 or sys.argv[2] in check.__name__:
                check(tap, made)
    tap.done()


if __name__ == "__main__":
    main()
