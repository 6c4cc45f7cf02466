#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's own programs, by the notes that they have.

PostgreSQL's queries and Python's functions are traced.  Every site of all
installed programs can be armed, with all of its arguments.

test_usdt_real.py DTRACE [--packages]

With --packages, programs that are not installed are tested, too: packages
are fetched and unpacked in a temporary directory."""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from live import dtrace, run, start
from servers import PG, Postgres

PYTHON = "/usr/bin/python3.11"
PROCESS = ("-x", "substrate=process")
# Programs with probes in Debian 12; the installed ones are tested.
FILES = (
    f"{PG}/postgres", PYTHON, "/usr/bin/php8.2",
    "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.*",
    "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.*",
    "/usr/lib/x86_64-linux-gnu/libvirt.so.0.*",
    "/usr/lib/x86_64-linux-gnu/libvirt/connection-driver/*.so",
    "/usr/lib/x86_64-linux-gnu/sssd/*.so", "/usr/sbin/libvirtd",
    "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
)

PACKAGES = ("openjdk-17-jre-headless", "php8.2-cli", "libpython3.11",
            "libvirt0", "libvirt-daemon", "libvirt-daemon-driver-qemu",
            "sssd-common", "libruby3.1", "libstdc++6")


def notes(path):
    """Providers and their numbers of sites, as readelf prints them."""
    found = {}
    for prov in re.findall(r"Provider: (\S+)", run(
            ["readelf", "-nW", path]).out):
        found[prov] = found.get(prov, 0) + 1
    return found


def check_file(tap, path):
    """Arm all sites at once: operands, symbols and places are all right."""
    found = notes(path)
    for prov, sites in found.items():
        args = "".join(f"trace(arg{n}); " for n in range(10))
        ran = dtrace("-q", "-n", f"{prov}*:{path}:: {{ {args} }}",
                     "-n", "BEGIN { exit(0); }")
        tap.ok(ran.status == 0 and not ran.err,
               f"{path}: {prov}: all arguments of {sites} sites", ran)
        listed = dtrace("-l", "-n", f"{prov}*:{path}::")
        rows = {tuple(line.split()[1:]) for line in
                listed.out.splitlines()[1:] if f" {prov}* " in line}
        names = set(re.findall(rf"Provider: {prov}\n\s+Name: (\S+)", run(
            ["readelf", "-nW", path]).out))
        tap.ok({row[-1] for row in rows} ==
               {name.replace("__", "-") for name in names},
               f"{path}: {prov}: {len(names)} names", sorted(rows),
               sorted(names))


def check_files(tap):
    paths = sorted({os.path.realpath(p) for pattern in FILES
                    for p in glob.glob(pattern)})
    for path in paths:
        if notes(path):
            check_file(tap, path)
    if not paths:
        tap.skip("programs with probes", "none is installed")


def check_packages(tap, work):
    """Test the large packages, for make soak."""
    root = os.path.join(work, "root")
    # apt fetches as its own user
    os.chmod(work, 0o777)
    for name in PACKAGES:
        got = run(["apt-get", "download", "-qq", name], cwd=work, timeout=600)
        files = glob.glob(os.path.join(work, name + "_*.deb"))
        if not files:
            tap.skip(f"package {name}", "cannot be fetched: " +
                     got.err.strip().replace("\n", " ")[:200])
            continue
        run(["dpkg", "-x", files[0], root])
        os.unlink(files[0])
    for path in sorted({os.path.realpath(p) for pattern in FILES
                        for p in glob.glob(root + pattern)}):
        if notes(path):
            check_file(tap, path)


class Traced:
    def __init__(self, *args):
        self.ready = tempfile.mktemp()
        self.out = tempfile.TemporaryFile("w+")
        ready = f'BEGIN {{ system("echo >{self.ready}"); }}'
        self.proc = subprocess.Popen(
            [os.path.abspath(sys.argv[1]), "-qw", *args, "-n", ready],
            stdin=subprocess.DEVNULL, stdout=self.out,
            stderr=subprocess.STDOUT)
        while not os.path.exists(self.ready) and self.proc.poll() is None:
            time.sleep(0.02)

    def stop(self):
        self.proc.send_signal(signal.SIGINT)
        self.proc.wait(timeout=60)
        os.unlink(self.ready)
        self.out.seek(0)
        return self.out.read()


def check_postgres(tap, work):
    if not os.path.exists(f"{PG}/postgres"):
        tap.skip("PostgreSQL's queries", "postgresql-15 is not installed")
        return
    server = Postgres(work)
    try:
        sites = notes(f"{PG}/postgres").get("postgresql", 0)
        tap.ok(sites == 71, "Debian's PostgreSQL has 71 sites", sites)
        listed = dtrace("-l", "-n", f"postgresql{server.proc.pid}:::")
        tap.ok("query-start" in listed.out and
               listed.out.count(f"postgresql{server.proc.pid} ") >= 50,
               "-l of the server", listed)
        # only processes of this server
        own = f"/ppid == {server.proc.pid}/ "
        traced = Traced(
            "-n", f"postgresql*:::query-start {own}" '{ printf("start %s\\n", '
            "copyinstr(arg0)); @[\"start\"] = count(); }",
            "-n", f"postgresql*:::query-done {own}" '{ printf("done %s\\n", '
            "copyinstr(arg0)); @[\"done\"] = count(); }",
            "-n", f"postgresql*:::sort-done {own}" "{ @sorts = count(); }",
            "-n", 'END { printa("%s %@d\\n", @); printa("%@d sorts\\n", '
            "@sorts); }")
        queries = [f"select {i}" for i in range(20)]
        # each query has a process of its own, which lives for a moment
        answers = "".join(server.query(q).out for q in queries)
        server.query("create table t as select generate_series(1, 100000) i",
                     "select i from t order by -i limit 1")
        text = traced.stop()
        seen = [line for line in text.splitlines() if " select " in line]
        want = [w for q in queries for w in ("start " + q, "done " + q)]
        tap.ok(seen[:40] == want and answers.split() ==
               [str(i) for i in range(20)],
               "20 queries, each by a process of its own, in their order",
               text)
        tap.ok("start 22\n" in text and "done 22\n" in text and
               "1 sorts\n" in text, "as many as there were, and one sort",
               text)
        check_session(tap, server)
    finally:
        server.stop()


def check_session(tap, server):
    """All probes of a backend are traced within it: the queries of a
    session."""
    session = server.session()

    def ask(text):
        session.stdin.write(text + ";\n")
        session.stdin.flush()
        return session.stdout.readline().strip()

    pid = ask("select pg_backend_pid()")
    traced = Traced(
        *PROCESS, "-p", pid, "-n", "postgresql*::: { @[probename] = count(); }",
        "-n", 'postgresql*:::query-start { printf("start %s\\n", '
        "copyinstr(arg0)); }")
    answers = [ask(f"select {i} + 1") for i in range(20)]
    session.stdin.close()
    session.wait(timeout=60)
    text = traced.stop()
    counts = dict(line.split() for line in text.splitlines()
                  if re.fullmatch(r"\s+\S+\s+\d+", line))
    tap.ok(answers == [str(i + 1) for i in range(20)] and
           re.findall(r"^start (.*);$", text, re.M) ==
           [f"select {i} + 1" for i in range(20)],
           "20 queries of a session, inside of its process", text)
    # some sites have three bytes between targets: the place of the program
    # decides whether a jump from there has a free target
    refused = re.search(r"(\d+) of 7\d places in programs cannot", text)
    queries = {name: n for name, n in counts.items()
               if re.match(r"query-.*(start|done)$", name)}
    tap.ok(int(refused.group(1) if refused else 0) <= 3 and
           len(queries) >= 8 and set(queries.values()) == {"20"} and
           int(counts.get("lwlock-acquire", 0)) > 20,
           "... with nearly all of its sites", counts, text)


def check_python(tap, work):
    if not notes(PYTHON):
        tap.skip("Python's functions", f"{PYTHON} has no probes")
        return
    path = os.path.join(work, "calls.py")
    with open(path, "w", encoding="ascii") as file:
        file.write("def leaf(n):\n    return n + 1\n\n"
                   "def caller(n):\n    return leaf(n)\n\n"
                   "for i in range(300):\n    caller(i)\n"
                   "for i in range(200):\n    leaf(i)\n")
    # Calls from Python to Python do not fire function-entry in Python 3.11.
    script = ('python$target:::function-return /copyinstr(arg0) == "%s"/ '
              "{ @[copyinstr(arg1), probename] = count(); "
              "@lines[copyinstr(arg1), arg2] = count(); } "
              'END { printa("%%s %%s %%@d\\n", @); '
              'printa("%%s line %%d %%@d\\n", @lines); }') % path
    want = {"leaf function-return 500", "caller function-return 300",
            "<module> function-return 1", "leaf line 2 500",
            "caller line 5 300"}
    for where, options in (("", ()), (", in the process", PROCESS)):
        ran = dtrace(*options, "-q", "-n", script, "-c",
                     f"{PYTHON} -S {path}")
        rows = set(ran.out.splitlines())
        tap.ok(want <= rows,
               "Python's functions: returns, with their lines" + where,
               sorted(want - rows), ran)


RUBY_SCRIPT = """\
class Counter
  def leaf(n)
    n + 1
  end
  def caller(n)
    leaf(n)
  end
end
c = Counter.new
# Ruby looks for its tracers only where somebody traces already.
TracePoint.new(:call, :return) { }.enable
300.times { |i| c.caller(i) }
200.times { |i| c.leaf(i) }
"""


def check_ruby(tap, work):
    if not shutil.which("ruby"):
        tap.skip("Ruby's methods", "ruby is not installed")
        return
    path = os.path.join(work, "calls.rb")
    with open(path, "w", encoding="ascii") as file:
        file.write(RUBY_SCRIPT)
    # Not cmethod-entry: with its semaphore set, Ruby 3.1 sometimes crashes,
    # also if nobody traces it.
    ran = dtrace("-q", "-x", "evaltime=postinit", "-n",
                 "ruby$target:::method-entry "
                 "{ @[probename, copyinstr(arg0), copyinstr(arg1)] = "
                 'count(); } END { printa("%s %s %s %@d\\n", @); }',
                 "-c", f"ruby --disable-gems {path}")
    want = {"method-entry Counter leaf 500",
            "method-entry Counter caller 300"}
    tap.ok(want <= set(ran.out.splitlines()), "Ruby's methods", ran)


def main():
    tap = start()
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        check_files(tap)
        check_postgres(tap, work)
        check_python(tap, work)
        check_ruby(tap, work)
        if "--packages" in sys.argv:
            check_packages(tap, work)
        shutil.rmtree(os.path.join(work, "pg"), ignore_errors=True)
    tap.done()


main()
