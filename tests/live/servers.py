# SPDX-License-Identifier: BSD-2-Clause
"""Debian's servers, started for one test: each in a directory of its own, on
a socket there, as nobody."""

import os
import pwd
import signal
import socket
import subprocess
import time

from live import run

PG = "/usr/lib/postgresql/15/bin"
REDIS = "/usr/bin/redis-server"
NGINX = "/usr/sbin/nginx"
USER = "nobody"
NGINX_CONF = """
daemon off; master_process off; pid %(dir)s/pid; error_log %(dir)s/log;
events { } http { access_log off;
client_body_temp_path %(dir)s/a; proxy_temp_path %(dir)s/b;
fastcgi_temp_path %(dir)s/c; uwsgi_temp_path %(dir)s/d; scgi_temp_path %(dir)s/e;
server { listen unix:%(dir)s/sock; location / { return 204; } } }
"""


def make_dir(work, name):
    user = pwd.getpwnam(USER)
    path = os.path.join(work, name)
    os.mkdir(path)
    os.chown(path, user.pw_uid, user.pw_gid)
    return path


class Server:
    """A server process that listens on a socket in its directory."""

    def __init__(self, directory, command, env=None):
        self.dir = directory
        self.log = open(os.path.join(directory, "out"), "w", encoding="utf8")
        self.proc = subprocess.Popen(
            command, user=USER, group=pwd.getpwnam(USER).pw_gid,
            extra_groups=[], cwd=directory, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, env=env)
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise

    def wait(self):
        for _ in range(600):
            if self.answers():
                return
            if self.proc.poll() is not None:
                break
            time.sleep(0.1)
        with open(self.log.name, encoding="utf8") as file:
            raise RuntimeError("server does not answer: " + file.read())

    def stop(self):
        self.proc.send_signal(signal.SIGINT)
        self.proc.wait(timeout=60)
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()


class SocketServer(Server):
    """A server that is addressed in its own protocol."""

    def connect(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(30)
        sock.connect(self.dir + "/sock")
        return sock

    def answers(self):
        try:
            self.connect().close()
        except OSError:
            return False
        return True


class Redis(SocketServer):
    def __init__(self, work):
        path = make_dir(work, "redis")
        super().__init__(path, [REDIS, "--port", "0", "--unixsocket",
                                path + "/sock", "--save", "", "--dir", path])


class Nginx(SocketServer):
    def __init__(self, work):
        path = make_dir(work, "nginx")
        with open(path + "/conf", "w", encoding="ascii") as file:
            file.write(NGINX_CONF % {"dir": path})
        super().__init__(path, [NGINX, "-p", path, "-c", path + "/conf",
                                "-e", path + "/log"])


class Postgres(Server):
    def __init__(self, work):
        path = make_dir(work, "pg")
        self.env = {"HOME": path, "PATH": f"{PG}:/usr/bin:/bin",
                    "LC_ALL": "C"}
        run([f"{PG}/initdb", "-D", path + "/data", "-A", "trust", "-U",
             "test", "--no-sync"], user=USER, env=self.env, cwd=path)
        super().__init__(path, [f"{PG}/postgres", "-D", path + "/data", "-k",
                                path, "-c", "listen_addresses="],
                         env=self.env)

    def psql(self, *args):
        return [f"{PG}/psql", "-h", self.dir, "-U", "test", "-qAt", *args,
                "postgres"]

    def query(self, *texts):
        commands = [word for text in texts for word in ("-c", text)]
        return run(self.psql(*commands), user=USER, env=self.env,
                   cwd=self.dir)

    def session(self):
        """Start a psql that reads its queries from a pipe."""
        return subprocess.Popen(self.psql(), user=USER, env=self.env,
                                cwd=self.dir, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)

    def answers(self):
        return self.query("select 1").status == 0
