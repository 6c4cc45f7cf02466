#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The cost of a fleet's console, by the number of hosts.

    bench/fleet.py build [--hosts 10,100,1000] [--keys 10000] [--seconds 10]
                         [--mergers 2]

A NATS server on the loopback, tests/prog/fleetsim with so many hosts, and
dtrace --fleet, whose script prints nothing before its end.  CPU is that of the
processes while they work, so load of the machine moves it little; the answer
must be exact.
"""

import argparse
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")
POLICY = "author bench\nkey %s\nhosts *\nproviders *\nsubstrates kernel\n" \
    "duration 1h\nmemory 256m\n"
SCRIPT = "dtrace:::BEGIN { @[ppid] = count(); }"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def is_served(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def cpu_s(pid):
    """Seconds of CPU time."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) / 1024


@contextlib.contextmanager
def process(argv, **kwargs):
    """A process that is gone at the end."""
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, **kwargs) as proc:
        try:
            yield proc
        finally:
            proc.kill()


class Fleet:
    """A server, a key and its policy."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.key = os.path.join(folder, "key")
        self.policy = os.path.join(folder, "policy")
        public = subprocess.run([os.path.join(build, "dtraced"), "--new-key",
                                 self.key], check=True, capture_output=True,
                                text=True).stdout.strip()
        with open(self.policy, "w", encoding="ascii") as f:
            f.write(POLICY % public)

    def server(self):
        return process(["nats-server", "-a", "127.0.0.1", "-p",
                        str(self.port)], stderr=subprocess.DEVNULL)

    def simulator(self, hosts, keys, groups, scattered):
        return process([os.path.join(self.build, "tests/prog/fleetsim"),
                        "-K", *(["-s"] if scattered else []),
                        "-n", str(hosts), "-k", str(keys), "-g", str(groups),
                        self.url, self.policy],
                       stdout=subprocess.PIPE, text=True)

    def conf(self, name, *lines):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join([f"url = {self.url}", *lines, ""]))
        return path

    def merger(self, name):
        return process([os.path.join(self.build, "dtraced"), "--merge", "-v",
                        "-c", self.conf(name, f"name = {name}",
                                        f"policy = {self.policy}")],
                       stderr=subprocess.PIPE, text=True)

    def console(self, script, mergers):
        conf = self.conf("console", *(f"merger = {m}" for m in mergers))
        return process([os.path.join(self.build, "dtrace"), "--fleet",
                        conf, "--author", self.key, "-qn", script],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True)


def begin(console, hosts, asked):
    """Seconds until all hosts trace."""
    for line in console.stderr:
        if f"{hosts} of {hosts} hosts" in line:
            return time.monotonic() - asked
        print("  " + line, end="")
    sys.exit("the console ended")


def finish(console, simulator, keys):
    """(right?, bytes of a host, what was told)"""
    console.send_signal(signal.SIGINT)
    out, err = console.communicate(timeout=120)
    ran = re.findall(r"(\w+) (\d+)", simulator.stdout.readline())
    numbers = {name: int(n) for name, n in ran}
    counts = {int(line.split()[1]) for line in out.splitlines() if line}
    nlines = sum(1 for line in out.splitlines() if line)
    is_right = counts == {numbers["rounds"]} and nlines == keys
    return is_right, numbers["bytes"] / max(numbers["hosts"], 1), err


def measure(fleet, hosts, options):
    groups = min(options.groups, hosts)
    names = [f"merger{i}" for i in range(options.mergers)]
    with contextlib.ExitStack() as ends, fleet.server() as server:
        while not is_served(fleet.port):
            time.sleep(0.05)
        mergers = [ends.enter_context(fleet.merger(name)) for name in names]
        for merger in mergers:
            merger.stderr.readline()  # it waits for runs to merge
        with fleet.simulator(hosts, options.keys, groups,
                             options.scattered) as simulator:
            simulator.stdout.readline()
            asked = time.monotonic()
            with fleet.console(options.script, names) as console:
                all_s = begin(console, hosts, asked)
                time.sleep(2)
                procs = (console, server, simulator, *mergers)
                before = [cpu_s(p.pid) for p in procs]
                since = time.monotonic()
                time.sleep(options.seconds)
                took = time.monotonic() - since
                cpu = [(cpu_s(p.pid) - was) / took
                       for p, was in zip(procs, before)]
                peak = peak_mb(console.pid)
                peaks = [peak_mb(m.pid) for m in mergers]
                is_right, nbytes, err = finish(console, simulator,
                                               options.keys)
                ran = time.monotonic() - since
    print(f"{hosts:6} hosts: all trace after {all_s:.2f} s; console "
          f"{cpu[0]:5.2f} CPUs, {peak:5.0f} MB; server {cpu[1]:.2f} CPUs; "
          f"simulator {cpu[2]:.2f}; {nbytes / ran / 1000:6.1f} kB/s of a "
          f"host; {'exact' if is_right else 'NOT exact'}")
    if mergers:
        print("  mergers: " + "; ".join(
            f"{used:.2f} CPUs, {mb:.0f} MB"
            for used, mb in zip(cpu[3:], peaks)))
    if err:
        print("".join("  " + line + "\n" for line in err.splitlines()[:4]),
              end="")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--hosts", default="10,100,1000")
    parser.add_argument("--keys", type=int, default=10000)
    parser.add_argument("--groups", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--script", default=SCRIPT)
    parser.add_argument("--mergers", type=int, default=0)
    parser.add_argument("--scattered", action="store_true",
                        help="keys that zstd cannot shorten")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(options.build, folder)
        for hosts in options.hosts.split(","):
            measure(fleet, int(hosts), options)


if __name__ == "__main__":
    main()
