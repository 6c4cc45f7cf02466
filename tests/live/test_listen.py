#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Option listen: what the server answers, and that no client disturbs it."""

import contextlib
import http.client
import os
import re
import signal
import socket
import time

from live import background, dtrace, prog, run, start

CALLS = """syscall::getpriority:entry
    /ppid == $1 && arg0 == 0x7001/ { @calls[execname] = count();
    @args["second"] = quantize(arg1); }"""
TYPE = "text/plain; version=0.0.4; charset=utf-8"
CLIENTS = 60  # more than the server takes at a time


class Server:
    def __init__(self, proc):
        self.proc = proc
        for line in proc.stderr:
            found = re.search(r"served at http://([\d.]+):(\d+)/metrics", line)
            if found:
                break
        self.host, self.port = found[1], int(found[2])

    def ask(self, path="/metrics", method="GET", body=None):
        """(status, headers, text) of an answer."""
        conn = http.client.HTTPConnection(self.host, self.port, timeout=30)
        with contextlib.closing(conn):
            conn.request(method, path, body)
            answer = conn.getresponse()
            return answer.status, dict(answer.headers), answer.read().decode()

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=30)

    def calls(self):
        text = self.ask()[2]
        found = re.search(r'^dtrace_calls_total\{key0="known"\} (\d+)$', text,
                          re.M)
        return int(found[1]) if found else 0

    def sees(self, number):
        """Are `number` calls counted, soon?"""
        for _ in range(100):
            if self.calls() == number:
                return True
            time.sleep(0.1)
        return False


def check_answers(tap, server):
    status, headers, text = server.ask()
    tap.ok((status, headers["Content-Type"], text) == (200, TYPE, ""),
           "without rows, there are no metrics", status, headers, text)
    run([prog("known"), "seq:5"])
    tap.ok(server.sees(5), "an answer has the calls of the moment", server.ask())
    run([prog("known"), "seq:7"])
    tap.ok(server.sees(12), "... and the next one those of its own")
    text = server.ask()[2]
    tap.ok("# TYPE dtrace_calls_total counter\n" in text
           and "# TYPE dtrace_args histogram\n" in text
           and 'dtrace_args_count{key0="second"} 12\n' in text,
           "... as a counter and a histogram", text)
    status, headers, text = server.ask(method="HEAD")
    tap.ok((status, headers["Content-Type"], text) == (200, TYPE, ""),
           "HEAD has no body", status, headers, text)
    answers = [server.ask("/x"), server.ask("/"),
               server.ask(method="POST", body="x" * 100000)]
    tap.ok([a[0] for a in answers] == [404, 200, 405]
           and answers[2][1]["Allow"] == "GET, HEAD",
           "other paths and methods are refused", answers)


def reply_to(server, data):
    """The server's answer to these bytes, until it closes or is silent."""
    with server.connect() as s:
        with contextlib.suppress(OSError):
            s.sendall(data)
            s.settimeout(1)
            return s.recv(4096)
    return b""


def check_clients(tap, server):
    with server.connect() as silent:
        silent.sendall(b"GET /metrics HTTP/1.1\r\nHost")
        run([prog("known"), "seq:3"])
        tap.ok(server.sees(15), "a client that says half does not hold it up")
    junk = [b"\0" * 5000, b"GET " + b"/" * 200000 + b" HTTP/1.1\r\n\r\n",
            b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * 40000 + b"\r\n",
            b"GET /metrics HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n", os.urandom(3000)]
    replies = [reply_to(server, data) for data in junk]
    tap.ok(not any(r.startswith(b"HTTP/1.1 200") for r in replies)
           and server.sees(15),
           "requests that are none get no metrics", replies)
    clients = [server.connect() for _ in range(CLIENTS)]
    run([prog("known"), "seq:1"])
    for client in clients:
        client.close()
    tap.ok(server.sees(16), f"{CLIENTS} clients at once leave it working")


def check_end(tap, server):
    taken = dtrace("-qx", f"listen={server.host}:{server.port}", "-n",
                   "BEGIN { @ = count(); }")
    tap.ok(taken.status == 1 and "Address already in use" in taken.err,
           "a port that is taken is refused", taken)
    text = server.ask()[2]
    server.proc.send_signal(signal.SIGINT)
    out, err = server.proc.communicate(timeout=60)
    tap.ok(server.proc.returncode == 0 and out == text and err == "",
           "the last metrics are the output", out, text, err)
    try:
        server.connect().close()
        is_closed = False
    except ConnectionRefusedError:
        is_closed = True
    tap.ok(is_closed, "... and nothing listens any more")


def check_refusals(tap):
    for where, script, words in (
            ("9100", "BEGIN { @ = count(); }", "an address such as"),
            ("127.0.0.1:70000", "BEGIN { @ = count(); }", "an address such as"),
            ("::1:9100", "BEGIN { @ = count(); }", "an address such as"),
            (":0", "BEGIN { exit(0); }", "the script has none"),
            ("192.0.2.1:0", "BEGIN { @ = count(); }", "assign requested")):
        ran = dtrace("-qx", f"listen={where}", "-n", script)
        tap.ok(ran.status == 1 and words in ran.err,
               f"listen={where} says what is wrong", ran)
    ran = dtrace("-qx", "listen=:0", "-x", "oformat=json", "-n",
                 "BEGIN { @ = count(); }")
    tap.ok(ran.status == 1 and "oformat=prometheus" in ran.err,
           "another form is refused", ran)


def main():
    tap = start("root bpf")
    with background("-x", "listen=127.0.0.1:0", "-qn", CALLS,
                    str(os.getpid())) as proc:
        server = Server(proc)
        check_answers(tap, server)
        check_clients(tap, server)
        check_end(tap, server)
    check_refusals(tap)
    tap.done()


main()
