#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --fleet --detach, --attach, --list, --stop: runs without a console.

A NATS server with JetStream keeps its streams in a folder of the test's.  Each
host's work is done by a copy of tests/prog/known with the host's name, so what
a run counts where execname == host is known.  Consoles, agents and the server
go and come back meanwhile.
"""

import contextlib
import os
import re
import struct
import sys
import tempfile
import time

from live import dtrace, run, start, table
from fleets import (DTRACED, SOON, Agent, Client, Fleet, Server, finish,
                    json_events, subject_from, until, wait_for)

HOSTS = [f"h{os.getpid()}{c}" for c in "ab"]  # known to nobody else
POLICY = """author tester
key %s
hosts *
providers syscall profile
substrates kernel
duration 10m
detach 1h
memory 64m
cpu 200

author eve
key %s
hosts *
providers syscall profile
substrates kernel
duration 10m
memory 64m
cpu 200

author operator
key %s
hosts *
stop yes
"""
SCRIPT = ('dtrace:::BEGIN { @[strjoin("began-", host)] = count(); } '
          "syscall::getpriority:entry /execname == host && arg0 == 0x7001/ "
          "{ @[host] = count(); } "
          'profile:::tick-1s { n++; printf("%s %d %d\\n", '
          'host, n, walltimestamp / 1000000000); }')


class KeptFleet(Fleet):
    """A fleet whose agents remember requests on disk, with three authors."""

    def __init__(self, folder, servers):
        super().__init__(folder, servers)
        path = os.path.join(folder, "policy")
        with open(path) as f:
            public = re.search(r"^key (.*)$", f.read(), re.M)[1]
        self.eve, self.operator = (os.path.join(folder, name)
                                   for name in ("eve.key", "operator.key"))
        others = [run([DTRACED, "--new-key", key]).out.strip()
                  for key in (self.eve, self.operator)]
        with open(path, "w") as f:
            f.write(POLICY % (public, *others))

    def add(self, *names):
        for name in names:
            state = os.path.join(self.dir, name + ".state")
            os.makedirs(state, exist_ok=True)
            self.agents[name] = Agent(self, name,
                                      f"url = {self.url}\nstate = {state}\n")
        wait_for(lambda: all(self.agents[name].is_ready() for name in names))

    def detach(self, name, *args, key=None):
        return self.ask("--detach", name, *args, key=key)

    def rows(self):
        """Lines of --list by name."""
        ran = self.ask("--list")
        lines = [line.split() for line in ran.out.splitlines()[1:]]
        return {line[0]: line for line in lines}

    def calls(self, n):
        self.work(dict.fromkeys(HOSTS, n))


@contextlib.contextmanager
def fleet():
    with contextlib.ExitStack() as ends:
        folder = ends.enter_context(tempfile.TemporaryDirectory())
        server = Server("-js", "-sd", os.path.join(folder, "streams"))
        ends.callback(server.kill)
        made = KeptFleet(folder, [server])
        ends.callback(made.close)
        made.add(*HOSTS)
        yield made


def attached(made, name, later=3):
    """(status, output, errors) of a console that leaves when it has printed
    what happened some seconds after it came."""
    now = time.time() + later
    with made.console("--attach", name, "-q") as proc:
        seen = []
        for line in proc.stdout:
            seen.append(line)
            words = line.split()
            if len(words) == 3 and int(words[2]) >= now:
                break
        status, out, err = finish(proc)
    return status, "".join(seen) + out, err


def sums(out):
    rows = table(out)
    return {name: rows.get(name) for name in HOSTS}


def settled(made, name, want):
    """The same of a console that has these sums, or hears of a loss: what hosts
    count is sent a second later, or more on a slow machine."""
    last = []

    def is_there():
        last[:] = attached(made, name)
        return sums(last[1]) == want or "are lost" in last[2]
    wait_for(is_there)
    return tuple(last)


def ticks(out, host):
    return [int(n) for n in re.findall(rf"^{host} (\d+) \d+$", out, re.M)]


def check_detach(tap, made):
    ran = made.detach("night", "-t", "10m", "-qn", SCRIPT)
    tap.ok(ran.status == 0 and "night: 2 of 2 hosts" in ran.err,
           "a run is left to the hosts", ran)
    tap.ok(len(made.scripts()) == 2, "it goes on without a console",
           made.scripts())
    made.calls(100)
    again = made.detach("night", "-qn", SCRIPT)
    tap.ok(again.status == 1 and "a run 'night' of yours is there" in again.err,
           "its name is taken", again)
    row = made.rows().get("night", [])
    told = json_events(made.ask("--list", "-x", "oformat=json").out)
    tap.ok([run["name"] for run in told] == ["night"] and
           told[0]["author"] == row[4] and
           told[0]["until"] - told[0]["since"] == 600 * 10 ** 9 and
           {(h["name"], h["heard"]) for h in told[0]["hosts"]} ==
           {(name, True) for name in HOSTS}, "it is listed as JSON", told, row)
    tap.ok(len(row) == 6 and set(row[5].split(",")) == set(HOSTS) and
           int(row[3]) > 0, "it is listed with its hosts", row)


def check_attach(tap, made):
    """A console sees all from the beginning, and the run does not end."""
    first = settled(made, "night", dict.fromkeys(HOSTS, 100))
    tap.ok(first[0] == 0 and sums(first[1]) == dict.fromkeys(HOSTS, 100) and
           "2 hosts run it" in first[2],
           "a console that comes later has all", first)
    made.calls(11)
    second = settled(made, "night", dict.fromkeys(HOSTS, 111))
    tap.ok(second[0] == 0 and sums(second[1]) == dict.fromkeys(HOSTS, 111),
           "one that comes after that has all, and what came since", second)
    tap.ok([ticks(second[1], name)[:5] for name in HOSTS].count([]) == 1 and
           any(ticks(second[1], name)[:5] == [1, 2, 3, 4, 5]
               for name in HOSTS),
           "records come from the beginning, at one place", second)
    tap.ok(len(made.scripts()) == 2, "a console that leaves ends nothing",
           made.scripts())


def check_live(tap, made):
    """A console that stays hears of what happens while it is there."""
    with made.console("--attach", "night", "-q") as proc:
        until(proc, " 3 ")
        made.calls(5)
        made.servers[0].kill()
        for line in proc.stderr:
            if "NATS server is lost" in line:
                break
        made.calls(6)
        made.servers[0].start()
        for line in proc.stderr:
            if "NATS server is back" in line:
                break
        made.calls(7)
        want = dict.fromkeys(HOSTS, 111 + 5 + 6 + 7)
        after = settled(made, "night", want)
        status, out, err = finish(proc)
    tap.ok(sums(out) == want and status == 0 or
           status == 1 and "are lost" in err,
           "a server that comes back has its streams, and the console goes on",
           status, want, out[-300:], err)
    tap.ok(sums(after[1]) == want and after[0] == 0 or
           after[0] == 1 and "are lost" in after[2],
           "one that comes after that has the same", after)


def first_tick(out):
    return re.search(r"^(\w+) 1 \d+$", out, re.M)


def check_agent(tap, made):
    """An agent takes the run up again; what is missing is reported."""
    before = attached(made, "night")[1]
    want = {name: n + 20 for name, n in sums(before).items()}
    made.calls(20)
    settled(made, "night", want)
    dead = first_tick(before)[1]  # whose ticks are printed
    agent = made.agents[dead]
    scripts = agent.scripts()
    agent.kill()
    tap.ok(wait_for(lambda: not os.path.exists(f"/proc/{scripts[0]}")),
           "a killed agent's script ends", scripts)
    made.calls(3)
    made.add(dead)
    tap.ok(wait_for(lambda: table(attached(made, "night")[1]).get(
        "began-" + dead) == 2), "its agent takes it up again",
           made.agents[dead].said())
    made.calls(40)
    want = {name: n + (40 if name == dead else 43)
            for name, n in want.items()}
    status, out, err = settled(made, "night", want)
    tap.ok(status == 1 and dead + " begins again" in err and
           "seconds are missing" in err, "the gap is reported", status, err)
    tap.ok(sums(out) == want, "counts go on, without what came in the gap",
           want, out)
    tap.ok(first_tick(out) and first_tick(out)[0] == first_tick(before)[0],
           "records from before the gap are still printed", before, out)


def check_stop(tap, made):
    ran = made.ask("--stop", "night", key=made.eve)
    tap.ok(ran.status == 1 and
           ran.err.count("does not permit eve to stop") == 2 and
           len(made.scripts()) == 2, "another author does not stop it", ran)
    ran = made.ask("--stop", "nothing")
    tap.ok(ran.status == 1 and "there is no detached run" in ran.err,
           "a run that is not there is not stopped", ran)
    ran = made.ask("--stop", "night")
    tap.ok(ran.status == 0 and ran.err.count("tester stopped it") == 2,
           "its author stops it on all hosts", ran)
    tap.ok(wait_for(lambda: not made.scripts()), "nothing of it runs",
           made.scripts())
    tap.ok(made.rows().get("night", [""])[-1] == "-",
           "it is listed without hosts", made.rows())
    tap.ok('name="night"' in made.agents[HOSTS[1]].said() and
           'end="tester stopped it"' in made.agents[HOSTS[1]].said(),
           "the journal says who", made.agents[HOSTS[1]].said())
    for name in HOSTS:
        made.agents[name].kill()
        made.add(name)
    ran = made.ask("--attach", "night", "-q")
    tap.ok(sums(ran.out)[HOSTS[1]] is not None and "0 hosts run it" in ran.err,
           "what it made can still be read, to its end", ran)
    tap.ok(not made.scripts(), "agents do not take up what was stopped",
           made.scripts())


ENDED, REFUSED = 7, 3  # kinds of src/fleet/message.h


def letter(kind):
    """A message without a text or data."""
    return struct.pack("<4sHHIIQQ", b"DTF1", kind, 0, 0, 0, 0, 0)


def check_forged_answers(tap, made):
    """Hosts that do not run it answer a request to stop, and one that runs it
    answers often: the console waits for those that run it."""
    made.detach("forged", "-t", "10m", "-qn", SCRIPT)
    wait_for(lambda: set(made.rows()["forged"][-1].split(",")) == set(HOSTS))
    client = Client(made.servers[0], b"dtrace.kept.*.*")
    with made.console("--stop", "forged") as proc:
        asked = client.hear(rb"dtrace\.kept\.(\w+)\.(\w+) ")
        client.send(*[(subject_from(name, asked[1]), letter(ENDED))
                      for name in ("eve1", "eve2", HOSTS[0], HOSTS[0])])
        client.send(*[(subject_from("eve3", asked[2]), letter(REFUSED))] * 2)
        out, err = proc.communicate(timeout=SOON)
    client.close()
    tap.ok(proc.returncode == 0 and "eve" not in err and
           err.count(HOSTS[0] + ": ") == 1 and
           f"{HOSTS[1]}: the script was ended: tester stopped it" in err,
           "forged answers do not count", proc.returncode, out, err)
    tap.ok(wait_for(lambda: not made.scripts()), "and the run is stopped",
           made.scripts())


def check_away(tap, made):
    """A request to stop waits for an agent that is away; so does a new run."""
    made.detach("away", "-t", "10m", "-qn", SCRIPT)
    made.agents[HOSTS[0]].kill()
    ran = made.ask("--stop", "away", key=made.operator)
    tap.ok("operator stopped it" in ran.err,
           "an author whom the policy permits to stops others' runs", ran)
    ran = made.detach("late", "-t", "10m", "-qn", SCRIPT)
    tap.ok(ran.status == 0 and "1 of 1 host" in ran.err,
           "a run begins where an agent is", ran)
    made.add(HOSTS[0])
    tap.ok(wait_for(lambda: len(made.agents[HOSTS[0]].scripts()) == 1),
           "an agent that was away begins what came meanwhile",
           made.agents[HOSTS[0]].said())
    tap.ok(wait_for(lambda: set(made.rows()["late"][-1].split(",")) ==
                    set(HOSTS)), "and is listed with it", made.rows())
    tap.ok(made.rows()["away"][-1] in ("-", HOSTS[0] + "?", HOSTS[0]),
           "and not what was stopped", made.rows())
    made.ask("--stop", "late")
    tap.ok(wait_for(lambda: not made.scripts()), "nothing runs after it",
           made.scripts())


def check_ends(tap, made):
    ran = made.detach("short", "-t", "5s", "-qn", SCRIPT)
    tap.ok(ran.status == 0 and wait_for(lambda: not made.scripts()),
           "a run ends when its time is over", ran)
    ran = made.ask("--attach", "short", "-q")
    tap.ok("its time is over" in ran.err, "which is reported", ran)
    ran = made.detach("short", "-t", "1m", "-qn", "profile:::tick-1s { @[host] = count(); "
                      "exit(0); }")
    tap.ok(ran.status == 0, "the name of a run that is over is free", ran)
    tap.ok(wait_for(lambda: not made.scripts()), "exit() ends it")
    ran = made.ask("--attach", "short", "-q")
    tap.ok(ran.status == 0 and sums(ran.out) == dict.fromkeys(HOSTS, 1),
           "and a console has what it made", ran)


# Random numbers, which nothing makes smaller.
CHATTER = ('profile:::tick-1s { n++; printf("%s %d %d\\n", host, n, '
           "walltimestamp / 1000000000); } "
           'profile:::profile-997 { printf("%x %x %x %x %x %x %x %x\\n", rand(), '
           "rand(), rand(), rand(), rand(), rand(), rand(), rand()); "
           "@[host] = count(); }")


def check_full(tap, made):
    """A stream that is full drops its oldest, and the rest can be read."""
    ran = made.detach("full,1m", "-t", "10m", "-qn", CHATTER)
    tap.ok(ran.status == 0, "a run has a bound", ran)
    last = []

    def is_dropped():
        last[:] = attached(made, "full")
        return "are no longer kept" in last[2]
    tap.ok(wait_for(is_dropped) and last[0] == 1,
           "what is no longer kept is reported", last[0], last[2])
    tap.ok(any(ticks(last[1], name) for name in HOSTS) and
           None not in sums(last[1]).values(),
           "what is kept can be read, of all hosts", last[1][-500:], last[2])
    tap.ok(int(made.rows()["full"][3]) <= 1024, "the bound is kept",
           made.rows())
    made.ask("--stop", "full")


def check_refusals(tap, made):
    ran = made.detach("mine", "-qn", SCRIPT, key=made.eve)
    tap.ok(ran.status == 1 and "does not permit eve to detach" in ran.err and
           "mine" not in made.rows(),
           "an author who may not detach is refused, and nothing stays", ran)
    ran = made.detach("long", "-t", "2h", "-qn", SCRIPT)
    tap.ok(ran.status == 1 and "for 3600 s at most" in ran.err,
           "a run that is longer than the policy permits is refused", ran)
    for name in ("a b", "", "x" * 65, "a/b"):
        ran = made.detach(name, "-qn", SCRIPT)
        tap.ok(ran.status == 1 and "a name of a run has" in ran.err,
               f"'{name[:8]}' is no name", ran)
    ran = made.detach("big,1", "-qn", SCRIPT)
    tap.ok(ran.status == 2 and "the size is one such as" in ran.err,
           "a size without its unit is refused", ran)
    ran = made.ask("--attach", "nothing")
    tap.ok(ran.status == 1 and "there is no detached run" in ran.err,
           "there is nothing to attach to", ran)
    for args, why in ((["--list", "--stop", "x"], "only one of"),
                      (["--attach", "x", "-n", "BEGIN"], "take none"),
                      (["--list", "--hosts", "x"], "--hosts and --label"),
                      (["--stop", "x", "-t", "1s"], "nothing is traced")):
        ran = made.ask(*args)
        tap.ok(ran.status == 2 and why in ran.err,
               f"{' '.join(args)} is refused by name", ran)
    ran = dtrace("--list")
    tap.ok(ran.status == 2 and "go with --fleet" in ran.err,
           "without --fleet there is no list", ran)
    tap.ok(not made.scripts(), "nothing runs", made.scripts())


def check_no_streams(tap, made):
    """A server without JetStream says so."""
    made.servers[0].kill()
    made.servers[0].args = ()
    made.servers[0].start()
    ran = made.detach("night", "-qn", SCRIPT)
    tap.ok(ran.status == 1 and "start it with JetStream" in ran.err,
           "a server that keeps nothing is reported", ran)


def main():
    tap = start("root bpf cmd:nats-server")
    with fleet() as made:
        for check in (check_detach, check_attach, check_live, check_agent,
                      check_stop, check_forged_answers, check_away, check_ends,
                      check_full, check_refusals, check_no_streams):
            if len(sys.argv) < 3 or sys.argv[2] in check.__name__:
                check(tap, made)
    tap.done()


if __name__ == "__main__":
    main()
