#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --fleet whose agents, consoles, servers and mergers are killed at
random moments: counts are exact or the loss is reported, and nothing is
left behind.  Also: a console that is stopped while hosts send.

    test_fleet_losses.py DTRACE [soak] [SEED]

Two minutes of it are in make check; with `soak`, as in make soak, SOAK_SECONDS
of the environment (600).  The moments come from the seed, which is printed.

Of each run of a script, the calls of each host are known.  The host's count is
their number, unless the console has told a loss of that host; then it may be
smaller.
"""

import os
import random
import re
import signal
import sys
import tempfile
import threading
import time

from fleets import (MINE, SOON, Server, Told, cluster, fleet, is_there,
                    wait_for)
from kernel_ids import held_ids, still_there
from live import background, run, start, table

MERGERS = ["m1", "m2"]
HOSTS = [f"loss{i}.{os.getpid()}" for i in range(5)]
SECONDS = 120
STEPS = 6
COUNT = MINE + "{ @[host] = count(); }"
MANY = 5000  # records, of numbers that cannot be compressed
TRIES = 4  # hosts take a console for gone after 5 seconds
NUMBERS = 32
RECORDS = COUNT + MINE + '{ printf("%s' + " %d" * NUMBERS + '\\n", host' + \
    ", rand()" * NUMBERS + "); } " + MINE[:-2] + """&& arg2 == 22/ {
    printf("after %s\\n", host); }"""


class Trouble:
    """Kills members of the fleet, and keeps what their ends must not leave."""

    def __init__(self, made, seed):
        self.made, self.random = made, random.Random(seed)
        self.pids, self.ids = set(), set()
        self.kills = {"agents": 0, "servers": 0, "consoles": 0, "mergers": 0}
        self.lost = 0  # hosts whose loss was reported
        self.wrong = []

    def remember(self):
        """Keep the ids of the processes that trace, and of their programs."""
        for pid in self.made.scripts():
            self.pids.add(pid)
            try:
                self.ids |= held_ids(pid)
            except FileNotFoundError:  # it has just ended
                pass

    def kill_agent(self):
        agent = self.random.choice(list(self.made.agents.values()))
        self.remember()
        agent.kill()
        agent.start()
        self.kills["agents"] += 1

    def kill_merger(self):
        merger = self.random.choice(list(self.made.mergers.values()))
        merger.kill()
        merger.start()
        self.kills["mergers"] += 1

    def kill_server(self):
        server = self.random.choice(self.made.servers)
        server.kill()
        self.kills["servers"] += 1

    def revive_servers(self):
        for server in self.made.servers:
            if server.proc.poll() is not None:
                server.start()

    def step(self, calls):
        """Something happens, and hosts work."""
        self.random.choice((self.kill_agent, self.kill_server,
                            self.kill_server, self.revive_servers,
                            self.kill_merger))()
        time.sleep(self.random.uniform(0, 0.7))
        more = {name: self.random.randrange(50)
                for name in self.random.sample(HOSTS, 2)}
        self.made.work(more)
        for name, n in more.items():
            calls[name] += n

    def episode(self):
        """One console from its beginning to its end; False: not all hosts
        took part."""
        mergers = self.random.choice((MERGERS, []))
        with background(*self.made.merged_by(*mergers), "-qn",
                        COUNT) as proc:
            told = Told(proc)
            if not wait_for(lambda: proc.poll() is not None or
                            told.tracing() >= told.asked() > 0) or \
                    told.asked() != len(HOSTS):
                told.kill()
                return False
            self.remember()
            calls = dict.fromkeys(HOSTS, 0)
            for _ in range(self.random.randrange(1, STEPS)):
                self.step(calls)
            if self.random.random() < 0.25:
                told.kill()
                self.kills["consoles"] += 1
            elif self.random.random() < 0.5:
                self.revive_servers()
                self.check(calls, *told.finish())
            else:
                proc.send_signal(signal.SIGINT)
                time.sleep(self.random.uniform(0, 0.5))
                self.revive_servers()
                self.check(calls, *told.finish())
        return True

    def check(self, calls, status, out, err):
        rows, any_lost = table(out), "are printed, and are lost" in err
        for name, n in calls.items():
            is_told = re.search(
                rf"{re.escape(name)}( is lost|: .* (is|are) (lost|damaged))",
                err)
            count = rows.get(name, 0)
            self.lost += bool(is_told)
            if count != n and not (count < n and status == 1 and
                                   (is_told or any_lost)):
                self.wrong.append((name, n, count, status, err))

    def settle(self):
        """All servers and agents are there, and all have found each other."""
        self.revive_servers()
        return wait_for(lambda: self.made.ask("-l", "-n", "BEGIN").out
                        .split()[5:6] == [str(len(HOSTS))])


def check_losses(tap, made, seconds, seed):
    trouble, end = Trouble(made, seed), time.monotonic() + seconds
    episodes = 0
    while time.monotonic() < end and not trouble.wrong:
        episodes += trouble.episode()
        if not trouble.settle():
            break
    print(f"# {episodes} runs; killed: {trouble.kills}; "
          f"losses told: {trouble.lost}", flush=True)
    tap.ok(not trouble.wrong and episodes > 0,
           "counts are exact or the loss is reported", *trouble.wrong)
    tap.ok(trouble.settle(), "all agents answer in the end",
           *(agent.said() for agent in made.agents.values()))
    tap.ok(wait_for(lambda: not any(map(is_there, trouble.pids))),
           "no process that traced is left", trouble.pids)
    left = still_there(trouble.ids, 20)
    tap.ok(len(trouble.ids) > 0 and not left,
           "no program, map or link is left", left)


class Lines(threading.Thread):
    """Reads what a process prints; keeps lines of two words."""

    def __init__(self, stream):
        super().__init__()
        self.stream, self.kept = stream, []
        self.start()

    def run(self):
        for line in self.stream:
            if len(line.split()) == 2:
                self.kept.append(line)


class Slow:
    """A console that is stopped while hosts make records, until the server
    gives it up, or the hosts do."""

    def __init__(self, made, server_log):
        self.log, self.calls = server_log, dict.fromkeys(HOSTS[:2], 1)
        before = self.drops()
        with made.console("-x", "bufsize=16m", "-x", "switchrate=50hz",
                          "-qn", RECORDS) as proc:
            self.told, lines = Told(proc), Lines(proc.stdout)
            wait_for(lambda: self.told.tracing() == 2)
            proc.send_signal(signal.SIGSTOP)
            while self.drops() == before and made.scripts():
                made.work(dict.fromkeys(HOSTS[:2], MANY))
                self.calls = {k: n + MANY for k, n in self.calls.items()}
            self.is_dropped = self.drops() != before
            proc.send_signal(signal.SIGCONT)
            self.goes_on = wait_for(lambda: self.is_back(proc)) and \
                proc.poll() is None
            for name in HOSTS[:2]:
                run([made.program(name), "args"])
            wait_for(lambda: len(lines.kept) == 2 or
                     proc.poll() is not None)
            self.peak = peak_mb(proc.pid)
            proc.send_signal(signal.SIGINT)
            lines.join()
            self.told.thread.join()
            self.status = proc.wait(SOON)
        self.lines = lines.kept

    def drops(self):
        with open(self.log) as f:
            return f.read().count("Slow Consumer")

    def is_back(self, proc):
        """A connection that is soon back need not be noticed."""
        return proc.poll() is not None or re.search(
            "NATS server is back|its data are", self.told.text())


def peak_mb(pid):
    """The most memory that a process has had; 0 if it has ended."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        peak = re.search(r"VmHWM:\s+(\d+)", f.read())
    return int(peak[1]) / 1024 if peak else 0


def check_given_up(tap, made):
    """A console is stopped until its hosts take it for gone."""
    calls = dict.fromkeys(HOSTS[:2], 10)
    with made.console("-qn", COUNT) as proc:
        told = Told(proc)
        wait_for(lambda: told.tracing() == 2)
        made.work(calls)
        proc.send_signal(signal.SIGSTOP)
        gone = wait_for(lambda: not made.scripts())
        proc.send_signal(signal.SIGCONT)
        out = proc.stdout.read()
        told.thread.join()
        status = proc.wait(SOON)
    err = told.text()
    tap.ok(gone and status == 1 and table(out) == calls and
           err.count("the console was not heard") == 2,
           "a console that hosts took for gone has what they sent, and says "
           "so", gone, status, out, err)


def check_slow(tap, folder):
    """Hosts send more than the server keeps for a console that is stopped."""
    conf, log = (os.path.join(folder, name) for name in ("conf", "log"))
    with open(conf, "w") as f:
        f.write(f"max_pending: 1MB\nlog_file: {log}\n")
    with fleet([Server("-c", conf)], HOSTS[:2]) as made:
        for _ in range(TRIES):
            slow = Slow(made, log)
            if slow.is_dropped and "was not heard" not in slow.told.text():
                break
        check_given_up(tap, made)
    err, rows = slow.told.text(), table("".join(slow.lines))
    tap.ok(slow.goes_on and sorted(slow.lines)[-2:] == sorted(
        f"after {name}\n" for name in HOSTS[:2]),
        "a console that was stopped goes on", slow.lines, err)
    tap.ok(0 < slow.peak < 200, "its memory is bounded", slow.peak)
    tap.ok(slow.status == 1 and all(
        rows.get(name, 0) == slow.calls[name] or
        re.search(rf"{re.escape(name)}: \d+ parts of its data are lost", err)
        for name in HOSTS[:2]) and "are lost" in err,
        "what it could not take is counted and told", rows, slow.status, err)


def main():
    tap = start("root bpf cmd:nats-server")
    is_long = "soak" in sys.argv[2:]
    seeds = [int(arg) for arg in sys.argv[2:] if arg.isdigit()]
    seed = seeds[0] if seeds else random.randrange(1 << 32)
    print(f"# seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        check_slow(tap, folder)
    with fleet(cluster(), HOSTS) as made:
        made.add_mergers(*MERGERS)
        check_losses(tap, made, float(os.environ.get("SOAK_SECONDS", "600"))
                     if is_long else SECONDS, seed)
    tap.done()


if __name__ == "__main__":
    main()
