#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Functions of Debian's own programs, stripped as they are delivered.

The expected number of calls follows from the program's task and its own
report, never from another tracer.  If a program also calls the function for
its own reasons, the difference of two runs is the expected number."""

import contextlib
import os
import re
import shutil
import tempfile

from live import background, dtrace, run, start, table
from servers import NGINX, PG, REDIS, Nginx, Postgres, Redis

PYTHON = "/usr/bin/python3.11"
MANY = 3000


def count_script(module, function):
    return (f"pid$target:{module}:{function}:entry, "
            f"pid$target:{module}:{function}:return "
            "{ @[probename] = count(); } "
            'END { printa("%s %@d\\n", @); }')


def counted(module, function, command):
    """Count entries and returns of a function while a command runs."""
    ran = dtrace("-q", "-n", count_script(module, function), "-c", command)
    rows = table(ran.out)
    return rows.get("entry", 0), rows.get("return", 0), ran


def difference(tap, name, module, function, command):
    """command(n) makes the program call the function n times more."""
    few, back_few, one = counted(module, function, command(10))
    many, back_many, two = counted(module, function, command(10 + MANY))
    tap.ok(many - few == MANY and few == back_few and many == back_many,
           f"{name}: {function}", (few, back_few, many, back_many), one, two)


def unchanged(tap, name, script, command, least):
    """All functions are traced at once: the output is that of an untraced
    run."""
    alone = run(command)
    traced = dtrace("-q", "-o", "/dev/null", "-n",
                    script + " { @ = count(); @f[probefunc] = count(); }",
                    "-c", " ".join(command))
    listed = dtrace("-l", "-n", script, "-c", " ".join(command))
    probes = len(listed.out.splitlines()) - 1
    tap.ok(traced.status == 0 and alone.out and traced.out == alone.out and
           probes >= least,
           f"{name}: all of its functions, and the output is the same",
           probes, alone, traced)


def sqlite(tap, work):
    if not shutil.which("sqlite3"):
        tap.skip("sqlite3", "not installed")
        return

    def script(rows):
        path = os.path.join(work, f"{rows}.sql")
        with open(path, "w", encoding="ascii") as file:
            file.write("with recursive c(x) as (values(1) union all select "
                       f"x + 1 from c where x < {rows})\n"
                       "select count(*), sum(random() is null) from c;\n"
                       "create table t(a integer primary key, b text);\n"
                       "insert into t values (1, 'one'), (2, 'two');\n"
                       "select * from t order by b desc;\n")
        return path

    difference(tap, "sqlite3", "libsqlite3.so.0", "sqlite3_randomness",
               lambda n: f'sqlite3 :memory: ".read {script(n)}"')
    unchanged(tap, "sqlite3", "pid$target:libsqlite3.so.0::entry",
              ["sqlite3", ":memory:", "-init", script(50), ".quit"], 250)


def bash(tap, work):
    def script(rounds):
        path = os.path.join(work, f"{rounds}.sh")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"for ((i = 0; i < {rounds}; i++)); do\n"
                       "\techo $((i * i))\ndone\n")
        return path

    for module in ("a.out", "bash"):
        difference(tap, f"bash, as {module}", module, "echo_builtin",
                   lambda n: f"/bin/bash {script(n)}")
    unchanged(tap, "bash", "pid$target:a.out::entry",
              ["/bin/bash", script(100)], 1500)


def python(tap, work):
    if not os.path.exists(PYTHON):
        tap.skip("python3", "not installed")
        return

    def script(rounds):
        path = os.path.join(work, f"{rounds}.py")
        with open(path, "w", encoding="ascii") as file:
            file.write("import marshal\nsizes = {len(marshal.dumps(n)) "
                       f"for n in range({rounds})}}\nprint(sizes)\n")
        return path

    for module, function in (("a.out", "PyMarshal_WriteObjectToString"),
                             ("python3*", "PyMarshal_*ToString")):
        difference(tap, f"python3, as {module}", module, function,
                   lambda n: f"{PYTHON} -ISB {script(n)}")
    unchanged(tap, "python3", "pid$target:a.out:Py*:entry",
              [PYTHON, "-ISB", script(100)], 900)


@contextlib.contextmanager
def watching(server_pid, module, functions):
    """Trace functions of a server while the block runs; yields the tracer."""
    probes = ", ".join(f"pid$target:{module}:{f}:{where}" for f in functions
                       for where in ("entry", "return"))
    script = (f"{probes} {{ @[strjoin(probefunc, strjoin(\":\", probename))] "
              "= count(); } BEGIN { printf(\"go\\n\"); } "
              'END { printa("%s %@d\\n", @); }')
    with background("-q", "-n", script, "-p", str(server_pid)) as tracer:
        tracer.stdout.readline()
        yield tracer


def rows_of(tracer):
    tracer.terminate()
    out, err = tracer.communicate(timeout=30)
    return table(out), err


def both(**calls):
    return {f"{name}:{where}": n for name, n in calls.items()
            for where in ("entry", "return")}


def ask_redis(server, *commands):
    """Send commands; each answer is one line."""
    with server.connect() as sock, sock.makefile("rb") as answers:
        for command in commands:
            sock.sendall(command.encode() + b"\r\n")
            answers.readline()


def redis(tap, work):
    if not os.path.exists(REDIS):
        tap.skip("redis-server", "not installed")
        return
    with Redis(work) as server:
        # Debian's file has two names, and runs under the other one
        with watching(server.proc.pid, "a.out",
                      ("setCommand", "incrCommand")) as tracer:
            ask_redis(server, "CONFIG RESETSTAT",
                      *(f"SET k{n} {n}" for n in range(500)),
                      *["INCR n"] * 700)
            with server.connect() as sock:
                sock.sendall(b"INFO commandstats\r\n")
                stats = sock.recv(1 << 16).decode()
            rows, err = rows_of(tracer)
    said = {name: int(n) for name, n in
            re.findall(r"cmdstat_(set|incr):calls=(\d+)", stats)}
    tap.ok(said == {"set": 500, "incr": 700} and
           rows == both(setCommand=500, incrCommand=700),
           "redis-server: its commands, as it counts them", said, rows, err)


def nginx(tap, work):
    if not os.path.exists(NGINX):
        tap.skip("nginx", "not installed")
        return
    with Nginx(work) as server:
        with watching(server.proc.pid, "nginx",
                      ("ngx_http_process_request",
                       "ngx_http_free_request")) as tracer:
            for _ in range(300):
                with server.connect() as sock:
                    sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
                    # read until the server closes the connection, after its
                    # last function
                    while sock.recv(4096):
                        pass
            rows, err = rows_of(tracer)
    tap.ok(rows == both(ngx_http_process_request=300,
                        ngx_http_free_request=300),
           "nginx: each request", rows, err)


def postgres(tap, work):
    if not os.path.exists(f"{PG}/postgres"):
        tap.skip("postgres", "postgresql-15 is not installed")
        return
    with Postgres(work) as server, server.session() as psql:
        def ask(text):
            psql.stdin.write(text + "\n")
            psql.stdin.flush()
            return psql.stdout.readline().strip()

        backend = int(ask("select pg_backend_pid();"))
        with watching(backend, "postgres",
                      ("pg_parse_query", "int4mul")) as tracer:
            answers = [ask(f"select sum(i * 2) from "
                           f"generate_series(1, {n}) i;")
                       for n in range(1, 41)]
            rows, err = rows_of(tracer)
        psql.stdin.close()
    tap.ok(answers == [str(n * (n + 1)) for n in range(1, 41)] and
           rows == both(pg_parse_query=40, int4mul=sum(range(1, 41))),
           "postgres: the queries of one process of it, and each product",
           answers, rows, err)


def main():
    tap = start()
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        for check in (sqlite, bash, python, redis, nginx, postgres):
            check(tap, work)
    tap.done()


main()
