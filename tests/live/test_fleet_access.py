#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How consoles and agents prove to a NATS server who they are, and the server
to them: by passwords, tokens, NKeys, files of credentials and certificates.

With the right ones both work; with wrong ones both say what is wrong.  Each
way has a server of its own, all at the same time.
"""

import concurrent.futures
import contextlib
import json
import os
import tempfile

from fleets import SOON, Agent, Fleet, Server, wait_for
from live import dtrace, start, table
from nkeys import Authority, Key, Operator

COUNT = "dtrace:::BEGIN { @[host] = count(); exit(0); }"


class Way:
    """One way of access: the server's configuration, the client's settings,
    and wrong ones, each with a word of the message that is due."""

    def __init__(self, name, conf, right, *wrong, server="nats://127.0.0.1"):
        self.name, self.conf, self.right, self.wrong = name, conf, right, wrong
        self.server = server

    def serve(self, folder):
        path = os.path.join(folder, self.name.replace(" ", "-") + ".server")
        with open(path, "w") as f:
            f.write(self.conf)
        return Server("-c", path)

    def full(self, text, port):
        """The settings, with a server."""
        if "url =" not in text:
            text += settings(url=self.server + ":PORT")
        return text.replace("PORT", str(port))


def settings(**what):
    return "".join(f"{key} = {value}\n" for key, value in what.items())


def ask(made, name, text):
    """A console with these settings."""
    path = os.path.join(made.dir, name + ".console")
    with open(path, "w") as f:
        f.write(text + f"author = {made.key}\n")
    return dtrace("--fleet", path, "-qn", COUNT)


def ask_heard(made, name, text):
    """The same, until a host answers: a loaded machine needs more than the
    second that a console waits."""
    rans = []

    def is_heard():
        rans.append(ask(made, name, text))
        return "no host answered" not in rans[-1].err
    wait_for(is_heard)
    return rans[-1]


def check_right(tap, way, made, ends, port):
    host, text = way.name.replace(" ", "-"), way.full(way.right, port)
    agent = Agent(made, host, text)
    ends.callback(agent.kill)
    wait_for(lambda: agent.is_ready() or agent.proc.poll() is not None)
    ran = ask_heard(made, host, text)
    tap.ok(table(ran.out) == {host: 1} and ran.status == 0,
           f"console and agent connect: {way.name}", ran, agent.said())


def check_wrong(tap, way, made, ends, port):
    for i, (wrong, word) in enumerate(way.wrong):
        name = f"{way.name.replace(' ', '-')}-{i}"
        agent = Agent(made, name, way.full(wrong, port))
        ends.callback(agent.kill)
        ran = ask(made, name, way.full(wrong, port))
        tap.ok(ran.status == 1 and word in ran.err,
               f"{way.name}: a console is told: {word}", ran)
        tap.ok(agent.proc.wait(SOON) == 1 and word in agent.said(),
               f"{way.name}: an agent is told: {word}", agent.said())


def check_way(tap, way, made):
    with contextlib.ExitStack() as ends:
        server = way.serve(made.dir)
        ends.callback(server.kill)
        check_right(tap, way, made, ends, server.port)
        check_wrong(tap, way, made, ends, server.port)


def check_waiting(tap, made):
    """The server of an agent comes late, and later refuses the agent."""
    with contextlib.ExitStack() as ends:
        path = os.path.join(made.dir, "late.server")
        open(path, "w").close()
        server = Server("-c", path)
        ends.callback(server.kill)
        server.kill()
        text = settings(url=server.url)
        agent, other = Agent(made, "late", text), Agent(made, "ended", text)
        ends.callback(agent.kill)
        ends.callback(other.kill)
        tap.ok(wait_for(lambda: "there is no connection" in agent.said() and
                        other.is_ready()),
               "an agent says that no server answers", agent.said())
        ran = ask(made, "late", text)
        tap.ok(ran.status == 1 and "does nats-server run there" in ran.err,
               "a console says that no server answers", ran)
        other.proc.terminate()
        tap.ok(other.proc.wait(SOON) == 0,
               "an agent that waits for its server can be ended",
               other.said())
        server.start()
        wait_for(lambda: "the connection is there" in agent.said())
        ran = ask_heard(made, "late", text)
        tap.ok(table(ran.out) == {"late": 1},
               "an agent connects to a server that comes later", ran,
               agent.said())
        server.kill()
        with open(path, "w") as f:
            f.write("authorization {\n token: hush\n}")
        server.start()
        tap.ok(agent.proc.wait(SOON) == 1 and
               "Authorization Violation" in agent.said(),
               "an agent that its server no longer takes says so, and ends",
               agent.said())


def user(name, publish, subscribe):
    return (f"  {{ user: {name}, password: {name}, permissions: {{\n"
            f"    publish: {json.dumps(publish)}\n"
            f"    subscribe: {json.dumps(subscribe)} }} }}\n")


def check_permissions(tap, made):
    """As doc/fleet.md has it: each host may speak for itself alone."""
    to_hosts = ["dtrace.ask.*", "dtrace.run.*"]
    conf = "authorization {\n users: [\n" + "".join(
        user(name, [f"dtrace.from.{name}.>"], to_hosts)
        for name in ("honest", "forger")) + \
        user("console", to_hosts, ["dtrace.from.*.*"]) + " ]\n}\n"
    with contextlib.ExitStack() as ends:
        server = Way("permissions", conf, "").serve(made.dir)
        ends.callback(server.kill)
        for host, name in (("honest", "honest"), ("absent", "forger")):
            agent = Agent(made, host, settings(
                url=server.url, user=name, password=name))
            ends.callback(agent.kill)
            wait_for(agent.is_ready)
        ran = ask_heard(made, "permissions", settings(
            url=server.url, user="console", password="console"))
        told = wait_for(lambda: "publish to dtrace.from.absent.>" in
                        agent.said())
        other = ask(made, "no-console", settings(
            url=server.url, user="honest", password="honest"))
    tap.ok(table(ran.out) == {"honest": 1} and "1 of 1 host" in ran.err and
           ran.status == 0, "no agent speaks for a host that is not its own",
           ran)
    tap.ok(told, "its journal says what the server does not permit",
           agent.said())
    tap.ok(other.status == 1 and "to publish to dtrace.ask.*" in other.err,
           "a console without permission says so", other)


def secrets(folder):
    """Passwords, tokens, NKeys and credentials."""
    right, wrong = Key(folder, "right"), Key(folder, "wrong")
    operator, other = Operator(folder, "ours"), Operator(folder, "theirs")
    refused = "Authorization Violation"
    pair = settings(user="bob", password="secret")
    yield Way("password", "authorization {\n user: bob\n password: secret\n}",
              pair, (settings(user="bob", password="guessed"), refused),
              ("", refused),
              (settings(password="secret"), "password is set without user"))
    yield Way("token", "authorization {\n token: hush\n}",
              settings(token="hush"), (settings(token="loud"), refused))
    yield Way("NKey", "authorization {\n users: [ { nkey: "
              f"{right.public} }} ]\n}}",
              settings(nkey=right.public, nkey_file=right.file),
              (settings(nkey=wrong.public, nkey_file=wrong.file), refused),
              (settings(nkey=right.public, nkey_file=wrong.file), refused),
              (settings(nkey=right.public), "nkey is set without nkey_file"))
    yield Way("credentials", operator.conf,
              settings(creds=operator.creds("in")),
              (settings(creds=other.creds("out")), refused),
              (settings(creds=folder + "/none"), "No such file"))


def certificates(folder):
    ours, theirs = Authority(folder, "ca1"), Authority(folder, "ca2")
    pem, key = ours.sign("server", "IP:127.0.0.1,DNS:elsewhere.example")
    client = dict(zip(("cert", "key"), ours.sign("client", "DNS:client")))
    other = dict(zip(("cert", "key"), theirs.sign("other", "DNS:other")))
    tls = f"tls {{\n cert_file: {pem}\n key_file: {key}\n%s}}\n"
    issuer, server = "unable to get local issuer", "tls://127.0.0.1"
    yield Way("TLS", tls % "", settings(ca=ours.pem),
              (settings(ca=theirs.pem), issuer), ("", issuer),
              (settings(ca=ours.pem, url="tls://localhost:PORT"), "mismatch"),
              (settings(ca=folder + "/none"), "No such file"), server=server)
    yield Way("client certificate",
              tls % f" ca_file: {ours.pem}\n verify: true\n",
              settings(ca=ours.pem, **client),
              (settings(ca=ours.pem, **other), "client's certificate"),
              (settings(ca=ours.pem), "client's certificate"),
              (settings(ca=ours.pem, cert=client["cert"]),
               "cert is set without key"), server=server)
    yield Way("no access control", "", "",
              (settings(user="bob", password="secret",
                        url="tls://127.0.0.1:PORT"),
               "the server has no TLS"))


def main():
    tap = start("root bpf cmd:nats-server cmd:openssl")
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = Fleet(folder, [])
        done = [pool.submit(check_waiting, tap, made),
                pool.submit(check_permissions, tap, made)]
        for way in (*secrets(folder), *certificates(folder)):
            done.append(pool.submit(check_way, tap, way, made))
        for task in done:
            task.result()
    tap.done()


if __name__ == "__main__":
    main()
