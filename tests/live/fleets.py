# SPDX-License-Identifier: BSD-2-Clause
"""A fleet on the loopback: NATS servers, agents and consoles.

Each agent is a process with a name of its own; its host's work is done by a
copy of tests/prog/known that has this name, so what an agent counts where
execname == host is known.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import jsonschema

from live import DTRACE, background, dtrace, prog, run

DTRACED = os.path.join(os.path.dirname(DTRACE), "dtraced")
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../doc/json.schema.json")
SOON = 60
PART = b"DTF1\x05\x00"  # how a letter with data begins
MINE = "syscall::getpriority:entry /execname == host && arg0 == 0x7001/ "
READY = 'profile:::tick-1s /!told/ { told = 1; printf("ready\\n"); } '
POLICY = """author tester
key %s
hosts *
providers syscall profile
substrates kernel
duration 10m
memory 64m
cpu 200
"""


def json_events(out):
    """The lines of JSON, each of which must be of the schema."""
    with open(SCHEMA, encoding="utf-8") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    events = [json.loads(line) for line in out.splitlines()]
    for event in events:
        validator.validate(event)
    return events


def free_port():
    """A port that no socket gets unless it asks for it.

    Tests run beside each other, and a server may begin again: the kernel gives
    ports from 32768 on to anybody."""
    while True:
        port = random.randrange(10000, 32768)
        with contextlib.suppress(OSError), \
                socket.create_server(("127.0.0.1", port)):
            return port


def wait_for(claim):
    """Does the claim come to hold?"""
    end = time.monotonic() + SOON
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def is_there(pid):
    return os.path.exists(f"/proc/{pid}")


class Server:
    """A nats-server with these arguments besides its port."""

    def __init__(self, *args):
        self.port, self.args = free_port(), args
        self.url = f"nats://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.proc = subprocess.Popen(
            ["nats-server", "-a", "127.0.0.1", "-p", str(self.port),
             *self.args], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not wait_for(self.is_up):
            raise TimeoutError(f"nats-server on port {self.port}")

    def is_up(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.proc.kill()
        self.proc.wait()


class Client:
    """A client of a server, without libnats: it may send what it likes."""

    def __init__(self, server, subject):
        self.sock = socket.create_connection(("127.0.0.1", server.port))
        self.sock.sendall(b'CONNECT {"verbose":false}\r\n'
                          b"SUB " + subject + b" 1\r\nPING\r\n")
        self.heard = b""

    def hear(self, pattern):
        """Wait for what the server sends: a match."""
        while not (found := re.search(pattern, self.heard)):
            self.heard += self.sock.recv(65536)
        return found

    def send(self, *letters):
        """Publish letters, each a subject and its data."""
        self.sock.sendall(b"".join(
            b"PUB %s %d\r\n%s\r\n" % (subject, len(data), data)
            for subject, data in letters))

    def close(self):
        self.sock.close()


def subject_from(host, run):
    """The subject on which a host answers."""
    name = host.encode().replace(b".", b"=2e")
    return b"dtrace.from." + name + b"." + run


def cluster():
    """Three servers; each has a port for the others."""
    ports = [free_port() for _ in range(3)]
    routes = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
    return [Server("--cluster_name", "test", "--cluster",
                   f"nats://127.0.0.1:{port}", "--routes", routes)
            for port in ports]


class Agent:
    """A dtraced; `settings` are lines of its configuration."""

    ARGS, READY = [], "waits for requests"

    def __init__(self, fleet, name, settings, policy=None):
        self.name = name
        self.log = os.path.join(fleet.dir, name + ".log")
        self.conf = os.path.join(fleet.dir, name + ".conf")
        with open(self.conf, "w") as f:
            f.write(f"name = {name}\n{settings}"
                    f"policy = {policy or fleet.dir + '/policy'}\n")
        self.start()

    def start(self):
        with open(self.log, "w") as log:
            self.proc = subprocess.Popen([DTRACED, *self.ARGS, "-v", "-c", self.conf],
                                         stdin=subprocess.DEVNULL, stderr=log)

    def said(self):
        with open(self.log) as f:
            return f.read()

    def is_ready(self):
        return self.READY in self.said()

    def scripts(self):
        """Its children that run."""
        path = f"/proc/{self.proc.pid}/task/{self.proc.pid}/children"
        with open(path) as f:
            return [int(pid) for pid in f.read().split()]

    def kill(self):
        self.proc.kill()
        self.proc.wait()


class Merger(Agent):
    """A dtraced --merge."""

    ARGS, READY = ["--merge"], "waits for runs to merge"


class Fleet:
    """A policy with one author, and the agents of these servers."""

    def __init__(self, folder, servers):
        self.dir, self.servers, self.agents = folder, servers, {}
        self.mergers = {}
        self.url = ",".join(server.url for server in servers)
        self.key = os.path.join(folder, "author.key")
        public = run([DTRACED, "--new-key", self.key]).out.strip()
        with open(os.path.join(folder, "policy"), "w") as f:
            f.write(POLICY % public)

    def add(self, *names):
        for name in names:
            role = name.rstrip("0123456789.")
            self.agents[name] = Agent(
                self, name, f"url = {self.url}\nlabel = role={role}\n")
        wait_for(lambda: all(self.agents[name].is_ready() for name in names))

    def add_mergers(self, *names):
        for name in names:
            self.mergers[name] = Merger(self, name, f"url = {self.url}\n")
        wait_for(lambda: all(self.mergers[name].is_ready()
                             for name in names))

    def merged_by(self, *names):
        """Arguments of a console that names these mergers."""
        path = os.path.join(self.dir, "console.conf")
        with open(path, "w") as f:
            f.write(f"url = {self.url}\nauthor = {self.key}\n" +
                    "".join(f"merger = {name}\n" for name in names))
        return ["--fleet", path]

    def scripts(self):
        return [pid for a in self.agents.values() for pid in a.scripts()]

    def args(self, *args, key=None):
        return ["--fleet", self.url, "--author", key or self.key, *args]

    def ask(self, *args, key=None):
        return dtrace(*self.args(*args, key=key))

    def console(self, *args):
        return background(*self.args(*args))

    def program(self, name):
        """The program that does a host's work."""
        path = os.path.join(self.dir, name)
        if not os.path.exists(path):
            shutil.copy(prog("known"), path)
        return path

    def work(self, calls):
        """Each host makes its calls."""
        for name, n in calls.items():
            run([self.program(name), f"seq:{n}"])

    def close(self):
        for agent in (*self.agents.values(), *self.mergers.values()):
            agent.kill()


@contextlib.contextmanager
def fleet(servers, names):
    """A fleet of these names, which ends with its servers."""
    with contextlib.ExitStack() as ends:
        for server in servers:
            ends.callback(server.kill)
        made = Fleet(ends.enter_context(tempfile.TemporaryDirectory()),
                     servers)
        ends.callback(made.close)
        made.add(*names)
        yield made


def until(proc, text):
    """Read its output up to this line, which it contains."""
    seen = []
    for line in proc.stdout:
        seen.append(line)
        if text in line:
            break
    return "".join(seen)


def finish(proc):
    """(status, output, errors) after a signal that ends tracing in order."""
    proc.send_signal(signal.SIGINT)
    out, err = proc.communicate(timeout=SOON)
    return proc.returncode, out, err


class Told:
    """The lines that a console writes to standard error, read as they come."""

    def __init__(self, proc):
        self.proc, self.lines = proc, []
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.proc.stderr:
            self.lines.append(line)

    def text(self):
        return "".join(self.lines)

    def number(self, pattern):
        found = re.search(pattern, self.text())
        return int(found[1]) if found else 0

    def asked(self):
        """The number of hosts that have answered."""
        return self.number(r"\d+ of (\d+) host")

    def tracing(self):
        """The number of hosts that trace."""
        return self.number(r"(\d+) of \d+ host") + \
            self.text().count("traces, too")

    def kill(self):
        self.proc.kill()
        self.thread.join()

    def finish(self):
        """(status, output, errors) after a signal that ends it in order."""
        self.proc.send_signal(signal.SIGINT)
        out = self.proc.stdout.read()
        status = self.proc.wait(SOON)
        self.thread.join()
        return status, out, self.text()
