# SPDX-License-Identifier: BSD-2-Clause
"""Servers of Debian's packages, each with a client that knows the answers.

Each runs as an ordinary user, in a folder and on a loopback port of its own.
ask() makes one small request in the server's own protocol, and raises Wrong
unless the answer is right.
"""

import contextlib
import hashlib
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import time

USER = 65534
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
START_S, ANSWER_S = 120, 60 # for machines that others use, too
PAGE = "".join(hashlib.sha256(b"%d" % i).hexdigest() for i in range(50))
ADDRESS = "192.0.2.7" # the answer for names
ZONE = "test.example"


class Wrong(Exception):
    """A server gave a wrong answer, or none."""


def expect(got, wanted):
    if got != wanted:
        raise Wrong(f"{got!r:.300} instead of {wanted!r:.300}")


def free_port():
    """A port that neither TCP nor UDP uses."""
    while True:
        with socket.socket() as tcp, \
                socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.bind(("127.0.0.1", 0))
            try:
                udp.bind(tcp.getsockname())
            except OSError:
                continue
            return tcp.getsockname()[1]


class Talk:
    """A connection on which lines and counted bytes are read."""

    def __init__(self, port, context=None):
        self.sock = socket.create_connection(("127.0.0.1", port), ANSWER_S)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.sock = context.wrap_socket(self.sock)
        self.file = self.sock.makefile("rb")

    def say(self, data):
        self.sock.sendall(data)

    def line(self):
        line = self.file.readline()
        if not line:
            raise Wrong("the connection was closed")
        return line

    def exactly(self, n):
        data = self.file.read(n)
        if len(data) != n:
            raise Wrong("the connection was closed")
        return data

    def rest(self):
        return self.file.read()

    def close(self):
        self.file.close()
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def http_get(port, target, context=None):
    """The body of an answer whose status is 200."""
    with Talk(port, context) as talk:
        talk.say(f"GET {target} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        head, _, body = talk.rest().partition(b"\r\n\r\n")
    if head.split()[1:2] != [b"200"]:
        raise Wrong(f"{head!r:.300}")
    return body.decode()


def dns_ask(port, name):
    """The address of a name, by UDP."""
    labels = b"".join(struct.pack("B", len(x)) + x.encode()
                      for x in name.split(".")) + b"\0"
    question = labels + struct.pack(">HH", 1, 1)
    query = struct.pack(">HHHHHH", 4711, 0x100, 1, 0, 0, 0) + question
    with socket.socket(type=socket.SOCK_DGRAM) as sock:
        sock.settimeout(ANSWER_S)
        sock.connect(("127.0.0.1", port))
        sock.send(query)
        answer = sock.recv(4096)
    number, flags, _, count = struct.unpack_from(">HHHH", answer)
    if number != 4711 or flags & 0xf or count != 1:
        raise Wrong(f"{answer!r:.300}")
    record = answer[12 + len(question):]
    return socket.inet_ntoa(record[12:16])


class Served:
    """A running server, and its client."""

    program = None # a name in PATH
    keeps = True   # one connection for all requests
    # modules whose functions are all traced
    modules = "pid$target:::"
    # functions of which every instruction is traced
    few = ("libc.so.6:malloc", "libc.so.6:free", "libc.so.6:read",
           "libc.so.6:send", "libc.so.6:close", "libc.so.6:calloc")

    def __init__(self, work, origin):
        self.name = type(self).__name__.lower()
        self.origin = origin # port of a server that proxies ask for PAGE
        self.dir = os.path.join(work, self.name)
        self.port, self.talk, self.asked = free_port(), None, 0
        os.mkdir(self.dir)
        self.write("page", PAGE)
        os.chown(self.dir, USER, USER)
        self.prepare()
        with open(self.file("out"), "wb") as log:
            self.proc = subprocess.Popen(
                self.command(), **self.ids(), stdout=log, stderr=log)
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise

    @classmethod
    def where(cls):
        return shutil.which(cls.program, path=PATH)

    def ids(self):
        return {"user": USER, "group": USER, "extra_groups": [],
                "cwd": self.dir, "stdin": subprocess.DEVNULL,
                "env": {"PATH": PATH, "HOME": self.dir, "LC_ALL": "C"},
                "start_new_session": True}

    def file(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        """Fill in the words in braces after a $."""
        for word, value in ("dir", self.dir), ("port", self.port), \
                ("origin", self.origin):
            text = text.replace("${" + word + "}", str(value))
        with open(self.file(name), "w", encoding="ascii") as f:
            f.write(text)
        os.chown(self.file(name), USER, USER)
        return self.file(name)

    def do(self, *argv):
        subprocess.run(argv, check=True, capture_output=True, **self.ids())

    def wait(self):
        end, why = time.monotonic() + START_S, None
        while time.monotonic() < end and self.proc.poll() is None:
            try:
                self.ask_again()
                return
            except (OSError, Wrong) as e:
                why = e
                self.hang_up()
                time.sleep(0.1)
        raise RuntimeError(f"{self.name} does not answer ({why}): " +
                           self.said())

    def said(self):
        with open(self.file("out"), encoding="utf8", errors="replace") as f:
            return f.read()[-2000:]

    def stop(self):
        self.hang_up()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.proc.pid, signal.SIGKILL)
        self.proc.wait()

    def pid(self):
        """The id of the process that answers."""
        return self.proc.pid

    def ask_again(self):
        if self.keeps and self.talk is None:
            self.talk = Talk(self.port)
            self.greet()
        self.asked += 1
        self.ask()

    def hang_up(self):
        if self.talk:
            self.talk.close()
        self.talk = None

    # servers override these

    def prepare(self):
        pass

    def command(self):
        raise NotImplementedError

    def greet(self):
        pass

    def ask(self):
        raise NotImplementedError


class Web(Served):
    """A server that serves a file."""

    keeps = False

    def ask(self):
        expect(http_get(self.port, "/page"), PAGE)


class Hashing(Served):
    """A server whose own program returns the digest of a request."""

    keeps = False

    def ask(self):
        target = f"/{self.asked}"
        expect(http_get(self.port, target),
               hashlib.sha256(target.encode()).hexdigest())


class Names(Served):
    keeps = False

    def ask(self):
        expect(dns_ask(self.port, "a." + ZONE), ADDRESS)


# ---- servers of pages -------------------------------------------------------

class Python(Web):
    program = "python3"

    def command(self):
        return ["/usr/bin/python3", "-m", "http.server", "-b", "127.0.0.1",
                str(self.port)]


class Origin(Python):
    """The origin server of proxies; it is not traced."""


class Nginx(Web):
    program = "nginx"

    def command(self):
        conf = self.write("conf", """
daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/log;
events { } http { access_log off; root ${dir};
client_body_temp_path ${dir}/a; proxy_temp_path ${dir}/b;
fastcgi_temp_path ${dir}/c; uwsgi_temp_path ${dir}/d; scgi_temp_path ${dir}/e;
server { listen 127.0.0.1:${port}; } }
""")
        return [self.where(), "-p", self.dir, "-c", conf, "-e",
                self.file("log")]


class Lighttpd(Web):
    program = "lighttpd"

    def command(self):
        return [self.where(), "-D", "-f", self.write("conf", """
server.document-root = "${dir}"
server.bind = "127.0.0.1"
server.port = ${port}
""")]


class Apache2(Web):
    program = "apache2"

    def command(self):
        return [self.where(), "-X", "-f", self.write("conf", """
ServerRoot /usr/lib/apache2
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${dir}/pid
ErrorLog ${dir}/log
DefaultRuntimeDir ${dir}
DocumentRoot ${dir}
""")]


class Webfs(Web):
    program = "webfsd"

    def command(self):
        return [self.where(), "-F", "-i", "127.0.0.1", "-p", str(self.port),
                "-r", self.dir]


class Haproxy(Served):
    program, keeps = "haproxy", False

    def command(self):
        return [self.where(), "-db", "-f", self.write("conf", """
global
  nbthread 2
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 60s
frontend front
  bind 127.0.0.1:${port}
  http-request return status 200 content-type text/plain lf-string %[path,sha2(256),hex,lower]
""")]

    ask = Hashing.ask


class Php(Hashing):
    program = "php"

    def command(self):
        return [self.where(), "-S", f"127.0.0.1:{self.port}", self.write(
            "say.php", "<?php echo hash('sha256', $_SERVER['REQUEST_URI']);")]


class Ruby(Hashing):
    program = "ruby"

    def command(self):
        return [self.where(), self.write("say.rb", """
require 'webrick'
require 'digest'
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ${port},
                                 AccessLog: [])
server.mount_proc('/') { |request, answer|
  answer.body = Digest::SHA256.hexdigest(request.path) }
server.start
""")]


class Node(Hashing):
    program = "node"
    modules = "pid$target::uv_*:" # node has too many functions to trace all

    def command(self):
        return [self.where(), self.write("say.js", """
const crypto = require('crypto');
require('http').createServer((request, answer) => answer.end(
  crypto.createHash('sha256').update(request.url).digest('hex'))
).listen(${port}, '127.0.0.1');
""")]


# ---- proxies ----------------------------------------------------------------

class Tinyproxy(Served):
    program, keeps = "tinyproxy", False

    def command(self):
        return [self.where(), "-d", "-c", self.write("conf", """
Port ${port}
Listen 127.0.0.1
Allow 127.0.0.1
PidFile "${dir}/pid"
LogFile "${dir}/log"
LogLevel Error
""")]

    def ask(self):
        expect(http_get(self.port, f"http://127.0.0.1:{self.origin}/page"),
               PAGE)


class Microsocks(Served):
    program, keeps = "microsocks", False

    def command(self):
        return [self.where(), "-i", "127.0.0.1", "-p", str(self.port)]

    def ask(self):
        with Talk(self.port) as talk:
            talk.say(b"\5\1\0")
            expect(talk.exactly(2), b"\5\0")
            talk.say(b"\5\1\0\1" + socket.inet_aton("127.0.0.1") +
                     struct.pack(">H", self.origin))
            expect(talk.exactly(10)[:2], b"\5\0")
            talk.say(b"GET /page HTTP/1.0\r\n\r\n")
            expect(talk.rest().partition(b"\r\n\r\n")[2].decode(), PAGE)


class Stunnel(Served):
    program, keeps = "stunnel4", False

    def prepare(self):
        self.do("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                "-subj", "/CN=localhost", "-keyout", "key", "-out", "cert")

    def command(self):
        return [self.where(), self.write("conf", """
foreground = yes
pid =
[one]
accept = 127.0.0.1:${port}
connect = 127.0.0.1:${origin}
key = ${dir}/key
cert = ${dir}/cert
""")]

    def ask(self):
        context = ssl.create_default_context(cafile=self.file("cert"))
        context.check_hostname = False
        expect(http_get(self.port, "/page", context), PAGE)


# ---- names ------------------------------------------------------------------

class Dnsmasq(Names):
    program = "dnsmasq"

    def command(self):
        return [self.where(), "-k", "-C", self.write("conf", f"""
port=${{port}}
listen-address=127.0.0.1
bind-interfaces
no-resolv
no-hosts
pid-file=
user=nobody
address=/{ZONE}/{ADDRESS}
""")]


class Unbound(Names):
    program = "unbound"

    def command(self):
        return [self.where(), "-d", "-c", self.write("conf", f"""
server:
  interface: 127.0.0.1@${{port}}
  username: ""
  chroot: ""
  directory: "${{dir}}"
  pidfile: "${{dir}}/pid"
  use-syslog: no
  num-threads: 2
  module-config: "iterator"
  local-zone: "{ZONE}." static
  local-data: "a.{ZONE}. A {ADDRESS}"
remote-control:
  control-enable: no
""")]


class Named(Names):
    program = "named"

    def command(self):
        self.write("zone", f"""$TTL 3600
@ IN SOA ns.{ZONE}. me.{ZONE}. 1 3600 3600 3600 3600
@ IN NS ns
ns IN A {ADDRESS}
a IN A {ADDRESS}
""")
        return [self.where(), "-g", "-n", "2", "-c", self.write("conf", f"""
options {{
  directory "${{dir}}"; pid-file "${{dir}}/pid"; recursion no;
  listen-on port ${{port}} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};
  minimal-responses yes;
}};
controls {{ }};
zone "{ZONE}" {{ type master; file "${{dir}}/zone"; }};
""")]


# ---- data -------------------------------------------------------------------

class Redis(Served):
    program = "redis-server"

    def command(self):
        return [self.where(), "--port", str(self.port), "--bind", "127.0.0.1",
                "--save", "", "--dir", self.dir]

    def ask(self):
        text = f"value {self.asked}"
        self.talk.say(f"set k \"{text}\"\r\nget k\r\n".encode())
        expect(self.talk.line(), b"+OK\r\n")
        expect(self.talk.line(), b"$%d\r\n" % len(text))
        expect(self.talk.line(), text.encode() + b"\r\n")


class Memcached(Served):
    program = "memcached"

    def command(self):
        return [self.where(), "-l", "127.0.0.1", "-p", str(self.port), "-U",
                "0", "-t", "2"]

    def ask(self):
        text = PAGE[:self.asked % len(PAGE)].encode()
        self.talk.say(b"set k 0 0 %d\r\n%s\r\nget k\r\n" % (len(text), text))
        expect(self.talk.line(), b"STORED\r\n")
        expect(self.talk.line(), b"VALUE k 0 %d\r\n" % len(text))
        expect(self.talk.line(), text + b"\r\n")
        expect(self.talk.line(), b"END\r\n")


class Postgres(Served):
    """The process that serves the connection is traced."""

    program = "/usr/lib/postgresql/15/bin/postgres"

    def prepare(self):
        self.do(os.path.join(os.path.dirname(self.program), "initdb"), "-D",
                "data", "-A", "trust", "-U", "test", "--no-sync")

    def command(self):
        return [self.where(), "-D", "data", "-k", self.dir, "-h", "127.0.0.1",
                "-p", str(self.port)]

    def pid(self):
        return self.backend

    def message(self):
        kind, size = struct.unpack(">cI", self.talk.exactly(5))
        return kind, self.talk.exactly(size - 4)

    def greet(self):
        text = struct.pack(">I", 3 << 16) + \
            b"user\0test\0database\0postgres\0\0"
        self.talk.say(struct.pack(">I", len(text) + 4) + text)
        while (message := self.message())[0] != b"Z":
            if message[0] == b"K":
                self.backend = struct.unpack(">I", message[1][:4])[0]

    def ask(self):
        text = b"select sum(i * i) from generate_series(1, 100) i, " \
            b"(select %d) x\0" % self.asked
        self.talk.say(b"Q" + struct.pack(">I", len(text) + 4) + text)
        rows = []
        while (message := self.message())[0] != b"Z":
            if message[0] == b"D":
                rows.append(message[1][6:])
        expect(rows, [b"338350"])


class Beanstalkd(Served):
    program = "beanstalkd"

    def command(self):
        return [self.where(), "-l", "127.0.0.1", "-p", str(self.port)]

    def ask(self):
        text = PAGE[:self.asked % len(PAGE)].encode()
        self.talk.say(b"put 0 0 60 %d\r\n%s\r\nreserve\r\n" %
                      (len(text), text))
        number = self.talk.line().split()[1]
        expect(self.talk.line(), b"RESERVED %s %d\r\n" % (number, len(text)))
        expect(self.talk.exactly(len(text) + 2), text + b"\r\n")
        self.talk.say(b"delete %s\r\n" % number)
        expect(self.talk.line(), b"DELETED\r\n")


class Slapd(Served):
    """The client asks for the server's own entry."""

    program = "slapd"

    def command(self):
        return [self.where(), "-d", "0", "-h", f"ldap://127.0.0.1:{self.port}",
                "-f", self.write("conf", """
include /etc/ldap/schema/core.schema
pidfile ${dir}/pid
""")]

    @staticmethod
    def ber(tag, *parts):
        """An element of less than 128 bytes."""
        data = b"".join(parts)
        return bytes([tag, len(data)]) + data

    def request(self, operation):
        """The server's answers, up to the last."""
        self.talk.say(self.ber(0x30, b"\2\1\1", operation))
        answers = []
        while not answers or answers[-1][3] == 0x64: # tag of an entry
            size = self.talk.exactly(2)[1]
            if size & 0x80:
                size = int.from_bytes(self.talk.exactly(size & 0x7f), "big")
            answers.append(self.talk.exactly(size))
        return answers

    def greet(self):
        bound = self.request(self.ber(0x60, b"\2\1\3\4\0\x80\0"))
        expect(bound, [b"\2\1\1\x61\7\x0a\1\0\4\0\4\0"])

    def ask(self):
        entry, last = self.request(self.ber(
            0x63, b"\4\0\x0a\1\0\x0a\1\0\2\1\0\2\1\0\1\1\0",
            self.ber(0x87, b"objectClass"),
            self.ber(0x30, self.ber(4, b"objectClass"))))
        expect(b"OpenLDAProotDSE" in entry, True)
        expect(last, b"\2\1\1\x65\7\x0a\1\0\4\0\4\0")


# ---- messages ---------------------------------------------------------------

class Mosquitto(Served):
    """MQTT 3.1.1: a published message returns to its subscriber."""

    program = "mosquitto"

    def command(self):
        return [self.where(), "-c", self.write("conf", """
listener ${port} 127.0.0.1
allow_anonymous true
persistence false
""")]

    def greet(self):
        self.talk.say(b"\x10\x0e\0\4MQTT\4\2\0\0\0\2me")
        expect(self.talk.exactly(4), b"\x20\2\0\0")
        self.talk.say(b"\x82\6\0\1\0\1t\0")
        expect(self.talk.exactly(5), b"\x90\3\0\1\0")

    def ask(self):
        text = b"\0\1t" + PAGE[:self.asked % 100].encode()
        message = struct.pack("BB", 0x30, len(text)) + text
        self.talk.say(message)
        expect(self.talk.exactly(len(message)), message)


class Ngircd(Served):
    program = "ngircd"

    def command(self):
        return [self.where(), "-n", "-f", self.write("conf", """
[Global]
Name = irc.test.example
Info = test
Listen = 127.0.0.1
Ports = ${port}
[Limits]
PingTimeout = 3600
MaxPenaltyTime = 0
[Options]
DNS = no
Ident = no
PAM = no
""")]

    def greet(self):
        self.talk.say(b"NICK me\r\nUSER me 0 * :me\r\n")
        while self.talk.line().split()[1] not in (b"376", b"422"):
            pass # lines of the message of the day

    def ask(self):
        self.talk.say(b"PING %d\r\n" % self.asked)
        expect(self.talk.line(), b":irc.test.example PONG irc.test.example "
               b":%d\r\n" % self.asked)


# ---- files ------------------------------------------------------------------

class Sshd(Served):
    program, keeps = "sshd", False
    KEXINIT = 20

    def prepare(self):
        self.do("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key")

    def command(self):
        return [self.where(), "-D", "-e", "-f", self.write("conf", """
Port ${port}
ListenAddress 127.0.0.1
HostKey ${dir}/key
PidFile none
UsePAM no
MaxStartups 1000
""")]

    def ask(self):
        with Talk(self.port) as talk:
            expect(talk.line()[:16], b"SSH-2.0-OpenSSH_")
            talk.say(b"SSH-2.0-test\r\n")
            size = struct.unpack(">I", talk.exactly(4))[0]
            expect(talk.exactly(size)[1], self.KEXINIT)


class Rsync(Served):
    program, keeps = "rsync", False

    def command(self):
        return [self.where(), "--daemon", "--no-detach", "--port",
                str(self.port), "--address", "127.0.0.1", "--config",
                self.write("conf", """
use chroot = no
log file = ${dir}/log
[files]
path = ${dir}
comment = of the test
""")]

    def ask(self):
        with Talk(self.port) as talk:
            version = talk.line()
            expect(version[:9], b"@RSYNCD: ")
            talk.say(version + b"#list\n")
            expect(talk.line().split(), [b"files", b"of", b"the", b"test"])
            expect(talk.line(), b"@RSYNCD: EXIT\n")


class Git(Served):
    program, keeps = "/usr/lib/git-core/git-daemon", False

    def prepare(self):
        self.do("git", "init", "-q", "repo")
        self.do("git", "-C", "repo", "-c", "user.name=me", "-c",
                "user.email=me", "commit", "-q", "--allow-empty", "-m", "one")
        with open(self.file("repo/.git/refs/heads/master"), "rb") as f:
            self.commit = f.read().strip()

    def command(self):
        return [self.where(), "--listen=127.0.0.1", f"--port={self.port}",
                "--export-all", f"--base-path={self.dir}", "--reuseaddr"]

    def ask(self):
        request = b"git-upload-pack /repo\0host=localhost\0"
        with Talk(self.port) as talk:
            talk.say(b"%04x%s" % (len(request) + 4, request))
            answer = talk.exactly(int(talk.exactly(4), 16) - 4)
            expect(answer[:45], self.commit + b" HEAD")
            talk.say(b"0000")
            talk.rest()


SERVERS = [Nginx, Lighttpd, Apache2, Webfs, Haproxy, Php, Ruby, Node, Python,
           Tinyproxy, Microsocks, Stunnel, Dnsmasq, Unbound, Named, Redis,
           Memcached, Postgres, Beanstalkd, Slapd, Mosquitto, Ngircd,
           Sshd, Rsync, Git]
