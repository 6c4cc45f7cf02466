#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --fleet: what a NATS server, three agents and consoles do together.

Agents, consoles and the server are killed: nothing of a script is left, and
what is lost is reported.
"""

import concurrent.futures
import contextlib
import os
import re
import signal
import sys
import threading
import time

from fleets import (DTRACED, MINE, READY, SOON, Client, Server, finish, fleet,
                    json_events,
                    is_there, subject_from, until, wait_for)
from live import dtrace, run, start, table

# an execname has 15 characters; other tests have names of their own
WEB1, WEB2, DB = HOSTS = [f"{name}.{os.getpid()}"
                          for name in ("web1", "web2", "db")]
CALLS = {WEB1: 100, WEB2: 2000, DB: 30}


def check_sums(tap, made):
    with made.console("-qn", READY + MINE + """{ @[host] = count();
            @t["all"] = count(); @s["sum"] = sum(arg1); @l["low"] = min(arg1);
            @h["high"] = max(arg1); @a["avg"] = avg(arg1);
            @d["dev"] = stddev(7);
            @p["half"] = percentile(arg1, 50); }""") as proc:
        until(proc, "ready")
        made.work(CALLS)
        status, out, err = finish(proc)
    rows = table(out)
    tap.ok(status == 0 and "3 of 3 hosts" in err, "all hosts answer", status,
           out, err)
    tap.ok({name: rows.get(name) for name in HOSTS} == CALLS,
           "each host counts its own calls", out, err)
    args = [arg for n in CALLS.values() for arg in range(n)]
    want = {"all": len(args), "sum": sum(args), "low": 0, "high": max(args),
            "avg": sum(args) // len(args), "dev": 0}
    tap.ok({key: rows.get(key) for key in want} == want,
           "aggregations are those of all hosts together", want, out)


def check_records(tap, made):
    with made.console("-qn", READY + MINE + """{
            printf("%s %d %Y\\n", host, arg1, walltimestamp); }
            dtrace:::END { printf("end\\n"); }""") as proc:
        until(proc, "ready")
        made.work(CALLS)
        status, out, err = finish(proc)
    order = [line.split()[:2] for line in out.splitlines()
             if line.split()[:1] and line.split()[0] in HOSTS]
    want = [[name, str(i)] for name, n in CALLS.items() for i in range(n)]
    tap.ok(status == 0 and order == want,
           "records come in the order of time, with their hosts", status,
           len(order), len(want), out[-300:], err)
    tap.ok(out.count("end\n") == 1, "END is printed once", out[-300:])


def check_exit(tap, made):
    ran = made.ask("-qn", f'profile:::tick-1s /host == "{DB}"/ {{ exit(7); }} '
                   'profile:::tick-1s { printf("tick\\n"); }')
    tap.ok(ran.status == 7, "any host can exit", ran)
    tap.ok(wait_for(lambda: not made.scripts()),
           "the scripts of the others end")
    ran = made.ask("-qn", 'profile:::tick-1s { n++; printf("tick %d\\n", n); } '
                   'profile:::tick-3s { exit(0); }')
    tap.ok(re.findall(r"tick \d", ran.out) == ["tick 1", "tick 2", "tick 3"]
           or re.findall(r"tick \d", ran.out) == ["tick 1", "tick 2"],
           "tick prints at one place", ran)


def check_clear(tap, made):
    with made.console("-qn", READY + MINE + """{ @[host] = count(); }
            profile:::tick-1s { printa("%s %@d\\n", @); clear(@); }""") as proc:
        until(proc, "ready")
        made.work(CALLS)
        sums = {}
        for line in proc.stdout:
            name, n = (line.split() + ["", "0"])[:2]
            sums[name] = sums.get(name, 0) + int(n)
            if sum(sums.values()) >= sum(CALLS.values()):
                break
        status, out, err = finish(proc)
    tap.ok(status == 0 and sums == CALLS,
           "what is printed between clear()s is the sum", sums, out, err)


def check_choice(tap, made):
    script = "dtrace:::BEGIN { @[host] = count(); exit(0); }"
    ran = made.ask("--hosts", "web*", "-qn", script)
    tap.ok(table(ran.out) == {WEB1: 1, WEB2: 1} and
           "2 of 2 hosts" in ran.err, "--hosts chooses by name", ran)
    ran = made.ask("--label", "role=db", "-qn", script)
    tap.ok(table(ran.out) == {DB: 1}, "--label chooses by label", ran)
    ran = made.ask("--hosts", "nobody", "-n", script)
    tap.ok(ran.status == 1 and "no host answered" in ran.err,
           "a fleet without the host says so", ran)


def check_labels(tap, made):
    """Each host compiles label() as its own; the console merges the keys."""
    ran = made.ask("-qn", """dtrace:::BEGIN { @[label("role")] = count();
            @n[strjoin(host, label("none"))] = count(); }
            dtrace:::BEGIN /label("role") == "db"/ { @d["only"] = count(); }
            profile:::tick-1s { exit(0); }""")
    tap.ok(ran.status == 0 and "3 of 3 hosts" in ran.err
           and table(ran.out) == {"web": 2, "db": 1, "only": 1, WEB1: 1,
                                  WEB2: 1, DB: 1},
           "label() is each host's own", ran)
    ran = made.ask("-qn", '#pragma D option fleetlabel=role=king\n'
                   'dtrace:::BEGIN { @[label("role")] = count(); exit(0); }')
    tap.ok("king" not in ran.out, "a script cannot give a host a label", ran)


def check_refusals(tap, made):
    other = os.path.join(made.dir, "other.key")
    run([DTRACED, "--new-key", other])
    ran = made.ask("-n", "dtrace:::BEGIN { exit(0); }", key=other)
    tap.ok(ran.status == 1 and "refused" in ran.err and "0 of 3" in ran.err,
           "an author that the policy does not have is refused", ran)
    ran = made.ask("-n", "fbt:::entry { exit(0); }")
    tap.ok(ran.status == 1 and "refused" in ran.err,
           "a provider that the policy does not have is refused", ran)
    ran = made.ask("-wn", 'dtrace:::BEGIN { system("true"); exit(0); }')
    tap.ok(ran.status == 1 and "refused" in ran.err,
           "destructive actions are refused", ran)
    ran = made.ask("-n", "dtrace:::BEGIN { exit(nothing); }")
    tap.ok(ran.status == 1 and "D_IDENT_UNDEF" in ran.err,
           "an error of the compiler is reported", ran)
    for script, what in (("dtrace:::BEGIN { @[stack()] = count(); exit(0); }",
                          "stacks"),
                         ("dtrace:::BEGIN { self->s = speculation(); "
                          "speculate(self->s); trace(1); }",
                          "speculations")):
        ran = made.ask("-n", script)
        tap.ok(ran.status == 1 and what in ran.err and "yet" in ran.err,
               f"{what} are refused by name", ran)
    for args in (["-p", "1", "-n", "BEGIN"],
                 ["--record=x", "-n", "BEGIN"], ["--top"]):
        ran = made.ask(*args)
        tap.ok(ran.status == 2 and "--fleet: " in ran.err,
               f"{args[0]} is refused by name", ran)


def rows_of(ran):
    """The hosts of each probe of a list."""
    rows = [line.split() for line in ran.out.splitlines()[1:]]
    return {tuple(row[1:]): int(row[0]) for row in rows}


def check_list(tap, made):
    ran = made.ask("-l", "-n", "getpriority:entry", "-n",
                   "syscall::getpriority:entry", "-n", "BEGIN")
    alone = dtrace("-ln", "syscall::getpriority:entry")
    want = {tuple(alone.out.splitlines()[1].split()[1:]): 3,
            ("dtrace", "BEGIN"): 3}
    tap.ok(ran.status == 0 and ran.out.split()[0] == "HOSTS" and
           rows_of(ran) == want and "3 of 3 hosts" in ran.err,
           "probes are listed with the number of hosts", ran, want)
    ran = made.ask("-l", "-n", "sched:::on-cpu")
    tap.ok(ran.status == 1 and "no probe of these hosts" in ran.err,
           "a provider that the policy does not have is not listed", ran)
    ran = made.ask("-l", "--hosts", "web*")
    found = {row[0]: n for row, n in rows_of(ran).items()}
    tap.ok(found == {"dtrace": 2, "syscall": 2, "profile": 2},
           "without a description, all that is permitted is listed",
           sorted(found.items()), ran.err)
    ran = made.ask("-x", "oformat=json", "-l", "-n", "BEGIN")
    tap.ok(ran.status == 0 and json_events(ran.out) == [
        {"event": "listing", "hosts": 3, "provider": "dtrace", "module": "",
         "function": "", "name": "BEGIN"}], "probes are listed as JSON", ran)


FOREVER = READY + "profile:::tick-1s { @[host] = count(); }"


class Flood:
    """A client of the server that sends agents and the next console what they
    cannot use, while the block lasts."""

    def __init__(self, made, seconds):
        self.client = Client(made.servers[0], b"dtrace.ask.>")
        self.seconds, self.sent = seconds, 0
        self.thread = threading.Thread(target=self.run)

    def run(self):
        asked = self.client.hear(rb"dtrace\.ask\.(\w+) ")[1]
        letters = [(subject, b"xx") for subject in (
            subject_from(WEB1, asked), b"dtrace.run." + asked,
            subject_from("flood", asked), b"dtrace.ask.x")] * 100
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            self.client.send(*letters)
            self.sent += len(letters)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.thread.join()
        self.client.close()


def field(pid, name):
    """A field of the process's status; "" if the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return re.search(rf"^{name}:\s+(.*)$", f.read(), re.M)[1]
    except FileNotFoundError:
        return ""


def check_flood(tap, made):
    """Junk costs neither memory nor data, or the loss is reported."""
    with Flood(made, 4) as flood, made.console(
            "-qn", READY + MINE + "{ @[host] = count(); }") as proc:
        until(proc, "ready")
        made.work(CALLS)
        flood.thread.join()
        peak = int(field(proc.pid, "VmHWM").split()[0]) / 1024
        status, out, err = finish(proc)
    rows = table(out)
    tap.ok(flood.sent > 10000 and peak < 400 and
           (status == 0 and {name: rows.get(name) for name in HOSTS} == CALLS
            or status == 1 and "lost" in err),
           "junk does no harm that is not told", flood.sent, peak, status,
           out, err)
    tap.ok(made.ask("-qn", "profile:::tick-1s { exit(0); }").status == 0,
           "agents go on after it")


def check_lost_agent(tap, made):
    with made.console("-qn", FOREVER) as proc:
        until(proc, "ready")
        agent = made.agents[WEB1]
        scripts = agent.scripts()
        agent.kill()
        line = ""
        for line in proc.stderr:
            if "is lost" in line:
                break
        tap.ok(f"{WEB1} is lost" in line, "a lost host is reported", line)
        tap.ok(len(scripts) == 1 and wait_for(
            lambda: not is_there(scripts[0])),
            "a killed agent's script ends", scripts)
        status, out, err = finish(proc)
        tap.ok(status == 1 and WEB2 in out,
               "the others' data are printed, and the status tells of it",
               status, out, err)
    made.add(WEB1)


def is_told_to_end(pid):
    """Does SIGTERM wait for this stopped process, or was it killed since?"""
    pending = field(pid, "ShdPnd")
    return not pending or int(pending, 16) >> (signal.SIGTERM - 1) & 1 == 1


def check_ending_agent(tap, made):
    """An agent that waits for its last script begins no other."""
    agent = made.agents[WEB2]
    with made.console("--hosts", WEB2, "-qn", FOREVER) as proc:
        until(proc, "ready")
        script, = agent.scripts()
        os.kill(script, signal.SIGSTOP)
        wait_for(lambda: field(script, "State").startswith("T"))
        agent.proc.terminate()
        is_ending = wait_for(lambda: is_told_to_end(script))
        ran = made.ask("--hosts", WEB2, "-qn", "dtrace:::BEGIN { exit(0); }")
        with contextlib.suppress(ProcessLookupError):
            os.kill(script, signal.SIGCONT)
        out, err = proc.communicate(timeout=SOON)
    # a slow machine asks when the agent has killed its script, and has ended
    tap.ok(is_ending and ran.status == 1 and
           ("the agent is ending" in ran.err or "no host answered" in ran.err),
           "an agent that ends refuses what is asked", is_ending, ran)
    tap.ok(agent.proc.wait(SOON) == 0 and not is_there(script),
           "it ends when its script has ended", out, err, agent.said())
    made.add(WEB2)


def check_lost_console(tap, made):
    with made.console("-qn", FOREVER) as proc:
        until(proc, "ready")
        scripts = made.scripts()
        proc.kill()
    tap.ok(len(scripts) == 3 and wait_for(
        lambda: not any(map(is_there, scripts))),
        "a killed console's scripts end", scripts)
    tap.ok(wait_for(lambda: "console was not heard" in
                    made.agents[DB].said()),
           "the agent's log says why", made.agents[DB].said())


def check_server_back(tap, made):
    with made.console("-qn", READY + MINE + "{ @[host] = count(); }") as proc:
        until(proc, "ready")
        made.work(CALLS)
        made.servers[0].kill()
        for line in proc.stderr:
            if "NATS server is lost" in line:
                break
        made.work(CALLS)
        made.servers[0].start()
        for line in proc.stderr:
            if "NATS server is back" in line:
                break
        made.work(CALLS)
        status, out, err = finish(proc)
    want = {name: 3 * n for name, n in CALLS.items()}
    rows = {name: table(out).get(name, 0) for name in HOSTS}
    tap.ok(rows == want and status == 0 or "are lost" in err and status == 1,
           "a server that comes back loses nothing, or the loss is reported",
           status, rows, want, err)
    tap.ok(all(rows[name] >= CALLS[name] for name in HOSTS) and
           "is lost: nothing" not in err,
           "the hosts go on when it is back", rows, err)


def check_lost_server(tap, made):
    with made.console("-qn", FOREVER) as proc:
        until(proc, "ready")
        scripts = made.scripts()
        made.servers[0].kill()
        out, err = proc.communicate(timeout=SOON)
    tap.ok(proc.returncode == 1 and "NATS server is lost" in err and
           len(re.findall("is lost: nothing", err)) == 3,
           "a lost server ends the console, which tells of all hosts",
           proc.returncode, out, err)
    tap.ok(len(scripts) == 3 and wait_for(
        lambda: not any(map(is_there, scripts))),
        "its scripts end", scripts)
    made.servers[0].start()
    for _ in range(20):
        ran = made.ask("-qn", "dtrace:::BEGIN { @[host] = count(); exit(0); }")
        if len(table(ran.out)) == 3:
            break
    tap.ok(len(table(ran.out)) == 3, "agents come back with the server", ran)


# Each row has a fleet of its own, and the rows run at the same time: much of
# them is waiting.  Only the first has hosts that work.
ROWS = (
    (check_sums, check_records, check_exit, check_clear, check_flood,
     check_server_back),
    (check_choice, check_labels, check_refusals, check_list,
     check_lost_agent, check_ending_agent, check_lost_console),
    (check_lost_server,),
)


def run_row(tap, row):
    with fleet([Server()], HOSTS) as made:
        for check in row:
            if len(sys.argv) < 3 or sys.argv[2] in check.__name__:
                check(tap, made)


def main():
    tap = start("root bpf cmd:nats-server")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(run_row, tap, row) for row in ROWS]:
            done.result()
    tap.done()


if __name__ == "__main__":
    main()
