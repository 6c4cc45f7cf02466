#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""System calls of descendants of a process that is traced from within.

They are those that strace sees, from the first one on, and the processes
notice no tracing."""

import collections
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from live import (DTRACE, await_that, is_clean, prog, run, start, started,
                  table)

PYTHON = os.path.realpath("/usr/bin/python3")
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
CROWD = 1000
CROWD_MB = 400
ENTRIES = "syscall:::entry /pid != $target/ { @[probefunc] = count(); }"

# fork() and calls in the child, vfork() and exec, a search along PATH, a
# missing program, exec in place, a script, grandchildren, a pipeline.
FAMILY = """#!/bin/sh
(umask 022; umask 022; exit 3)
/bin/true
env true
nosuchprogram 2>/dev/null
(exec /bin/true)
sh -c '/bin/true; (sh -c "umask; exec /bin/true")' >/dev/null
./script
echo one two | cat | wc -w
"""

# How children end, stop and go on, and what their parent learns of it.
NOTICES = """
import os, signal, subprocess, time
seen = []
signal.signal(signal.SIGCHLD, lambda *a: seen.append(1))
def child(f):
    pid = os.fork()
    if pid == 0:
        f()
        os._exit(9)
    return pid
def ends(f):
    return os.waitpid(child(f), 0)[1]
print(ends(lambda: os._exit(3)))
print(ends(lambda: os.kill(os.getpid(), signal.SIGKILL)))
print(ends(lambda: os.execv("/bin/false", ["false"])))
print(ends(lambda: os.execv("/bin/sh", ["sh", "-c", "kill -TERM $$"])))
print(os.system("exit 5"))
print(subprocess.run(["/bin/sh", "-c", "exit 6"]).returncode)
print(os.waitpid(os.posix_spawn("/bin/false", ["false"], {}), 0)[1])
ours, its = os.pipe()
def stops():
    os.dup2(ours, 0)
    os.execv("/bin/sh", ["sh", "-c", "kill -STOP $$; read line; exit 4"])
pid = child(stops)
print(os.waitpid(pid, os.WUNTRACED)[1])
os.kill(pid, signal.SIGCONT)
goes_on = os.waitpid(pid, os.WCONTINUED)[1]
os.write(its, b"end\\n")
print(goes_on, os.waitpid(pid, 0)[1])
print(len(seen) >= 1)
try:
    os.execv("/nowhere", ["x"])
except OSError as e:
    print(e.errno)
"""

# A thread other than the first one executes a program.
THREAD = """
import os, threading, time
if os.fork() == 0:
    run = lambda: os.execv("/bin/sh", ["sh", "-c", "umask; umask; exit 7"])
    threading.Thread(target=run).start()
    time.sleep(20)
print(os.waitpid(-1, 0)[1])
"""

# A child that outlives its parent, and executes a program.
ORPHANS = """
import os, sys, time
out, rounds = sys.argv[1], int(sys.argv[2])
def work(name):
    n, parent = 1, os.getppid()
    open(out + "." + name, "w").close()
    # those of a parent that ends see that it has
    while n < rounds or rounds <= 200 and os.getppid() == parent:
        n += 1
        os.getppid()
        time.sleep(0.01)
    with open(out, "a") as f:
        f.write(name + "\\n")
if len(sys.argv) > 3:
    work("executed")
    os._exit(0)
pids = []
if rounds > 200:
    sys.stdin.readline()
for name in "forked", "executed":
    pid = os.fork()
    if pid == 0:
        if name == "executed":
            os.execv(sys.executable, [sys.executable] + sys.argv + ["again"])
        work(name)
        os._exit(0)
    pids.append(pid)
while not all(os.path.exists(out + "." + name)
              for name in ("forked", "executed")):
    time.sleep(0.05)
with open(out + ".pids", "w") as f:
    f.write(" ".join(map(str, pids)))
if len(sys.argv) == 3 and rounds > 200:
    time.sleep(20)
"""


def trace(script, command, *args, who=(), dtrace=DTRACE, cwd="/"):
    return run([*who, dtrace, "-q", "-x", "substrate=process", *args, "-n",
                script, "-c", command], cwd=cwd)


def strace_counts(command, cwd):
    """Calls of the descendants by name, without those that dtrace cannot
    see."""
    with tempfile.NamedTemporaryFile("r") as f:
        run(["strace", "-f", "-o", f.name, *command], cwd=cwd)
        lines = [line.split(None, 1) for line in f]
    first = lines[0][0]
    counts = collections.Counter(
        match.group(1) for pid, text in lines if pid != first
        for match in [re.match(r"(\w+)\(", text)] if match)
    del counts["rt_sigreturn"]
    return dict(counts)


def check_family(tap, folder, who, dtrace, claim):
    path = f"{folder}/family"
    want = strace_counts([*who, "/bin/sh", path], folder)
    ran = trace(ENTRIES, f"/bin/sh {path}", who=who, dtrace=dtrace, cwd=folder)
    got = table(ran.out)
    differ = {name: (got.get(name), want.get(name))
              for name in {*got, *want} if got.get(name) != want.get(name)}
    tap.ok(ran.status == 0 and ran.err == "" and not differ
           and sum(want.values()) > 300, claim, f"{differ}\n{ran}")


def check_many(tap, folder):
    with open(f"{folder}/many", "w", encoding="ascii") as f:
        f.write("for ((i = 0; i < 300; i++)); do /bin/true; done\n")
    ran = trace("syscall::execve:entry { @[\"execve\"] = count(); } "
                "syscall::exit_group:entry { @[execname] = count(); }",
                f"/bin/bash {folder}/many")
    tap.ok(ran.status == 0 and ran.err == "" and table(ran.out) ==
           {"execve": 300, "true": 300, "bash": 1},
           "300 short children, none of them missed", ran)


def check_crowd(tap):
    ran = trace("syscall::getppid:entry { @n = count(); @[pid] = count(); } "
                'END { printa("fired %@d\\n", @n); printa("of %@d\\n", @); }',
                f"{prog('children')} crowd {CROWD}")
    tap.ok(ran.status == 0 and ran.err == "" and "wrong 0" in ran.out and
           f"fired {10 * CROWD}\n" in ran.out and
           ran.out.count("of 10\n") == CROWD,
           f"{CROWD} children at once, each of their calls seen", ran)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    tap.ok(0 < used < CROWD_MB, f"... by a dtrace of at most {CROWD_MB} MB",
           f"{used} MB")
    print(f"# {CROWD} children: at most {used:.0f} MB")


def check_unnoticed(tap, folder):
    with open(f"{folder}/notices.py", "w", encoding="ascii") as f:
        f.write(NOTICES)
    command = f"{PYTHON} {folder}/notices.py"
    want = run(command.split()).out
    ran = trace("syscall:::entry { @n = count(); } END { clear(@n); }", command)
    got = "\n".join(ran.out.splitlines()[:len(want.splitlines())]) + "\n"
    tap.ok(got == want and len(want.splitlines()) == 11 and ran.err == "",
           "children end, stop and go on as they do untraced", want, ran)
    with open(f"{folder}/thread.py", "w", encoding="ascii") as f:
        f.write(THREAD)
    ran = trace("syscall::umask:entry /execname == \"sh\"/ "
                "{ @[probefunc] = count(); }", f"{PYTHON} {folder}/thread.py")
    tap.ok(str(7 << 8) in ran.out.split() and table(ran.out).get("umask") == 4
           and ran.err == "",
           "a program that another thread than the first executes", ran)


def check_privileged(tap, folder):
    """A set-uid program keeps its privileges, since dtrace does not trace it.

    Its name would change the terminal's colours, and look like a message of
    dtrace's."""
    name = f"{folder}/id\033[7m\ndtrace: x"
    shutil.copy("/usr/bin/id", name)
    os.chown(name, 1, 1)
    os.chmod(name, 0o4755)
    with open(f"{folder}/gains", "w", encoding="ascii") as f:
        f.write(f"'{name}' -u; '{name}' -u; /bin/true\n")
    ran = trace("syscall::exit_group:entry { @[execname] = count(); }",
                f"/bin/sh {folder}/gains", who=NOBODY,
                dtrace=f"{folder}/dtrace")
    lines = ran.err.splitlines()
    tap.ok(ran.out.split()[:2] == ["1", "1"] and len(lines) == 1 and
           f"{folder}/id\\033[7m\\ndtrace: x is not traced: it gains "
           "privileges" in lines[0] and
           table(ran.out).get("true") == 1 and len(table(ran.out)) == 2,
           "a set-user-ID program has its privileges, and is named", ran)


def check_debugger(tap, folder):
    with open(f"{folder}/debugged", "w", encoding="ascii") as f:
        f.write(f"strace -f -e trace=exit_group -o {folder}/log "
                "sh -c '/bin/true; exit 5'; echo status $?; /bin/true\n")
    ran = trace("syscall::exit_group:entry { @[execname] = count(); }",
                f"/bin/sh {folder}/debugged")
    with open(f"{folder}/log", encoding="ascii") as f:
        log = f.read()
    tap.ok("status 5" in ran.out and log.count("exit_group(") == 2 and
           table(ran.out).get("strace") == 1 and
           "traced" in ran.err, "what a debugger has is left to it", ran, log)


def check_named(tap):
    """pid$target means one process: its children, which also call the
    function, do not count."""
    ran = trace("pid$target:a.out:fn_step:entry { @[\"calls\"] = count(); } "
                "syscall::exit_group:entry /pid != $target/ "
                "{ @[\"ends\"] = count(); }", f"{prog('children')} 3")
    counts = table(ran.out.replace("wrong 0", ""))
    tap.ok(ran.status == 0 and "wrong 0" in ran.out and
           counts == {"calls": 30, "ends": 12},
           "probes of one process do not fire in its children", ran)
    ran = trace("pid$target:a.out:fn_step:entry { @[\"calls\"] = count(); }",
                f"{prog('children')} 3")
    counts = table(ran.out.replace("wrong 0", ""))
    tap.ok(ran.status == 0 and "wrong 0" in ran.out and
           counts == {"calls": 30}, "... nor alone", ran)


def check_exec_in_place(tap):
    """pid$target goes on in a program that the process executes, from its
    start."""
    ran = trace("pid$target:children:fn_step:entry { @[\"calls\"] = count(); } "
                "syscall::execve:entry { @[\"execs\"] = count(); }",
                f"/bin/sh -c 'exec {prog('children')} call'", "-Z")
    tap.ok(ran.status == 0 and table(ran.out) == {"calls": 50, "execs": 1},
           "and go on in what the process executes, from its first call", ran)


def pids_of(out):
    try:
        with open(out + ".pids", encoding="ascii") as f:
            return [int(word) for word in f.read().split()]
    except FileNotFoundError:
        return []


def lines_of(path):
    return sorted(open(path, encoding="ascii").read().split()) \
        if os.path.exists(path) else []


def check_outlived(tap, folder):
    out = f"{folder}/outlived"
    ran = trace("syscall::getppid:entry { @[pid] = count(); }",
                f"{PYTHON} {folder}/orphans.py {out} 150")
    pids = pids_of(out)
    tap.ok(ran.status == 0 and len(pids) == 2 and
           set(table(ran.out)) == {str(pid) for pid in pids},
           "children are traced as long as their parent is", ran)
    tap.ok(all(is_clean(pid) for pid in pids),
           "then every byte of them is as it was", pids)
    tap.ok(await_that(lambda: lines_of(out) == ["executed", "forked"]),
           "and they go on", lines_of(out))


def check_killed(tap, folder):
    out = f"{folder}/killed"
    with started([PYTHON, f"{folder}/orphans.py", out, "300"],
                 stdin=subprocess.PIPE) as parent:
        with started(
                [DTRACE, "-q", "-x", "substrate=process", "-n",
                 'syscall:::entry { @ = count(); } tick-10ms '
                 '{ printf("tracing\\n"); }', "-p", str(parent.pid)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tracer:
            tracer.stdout.readline()
            parent.stdin.write(b"go\n")
            parent.stdin.flush()
            await_that(lambda: len(pids_of(out)) == 2)
            pids = [parent.pid, *pids_of(out)]
            traced = [pid for pid in pids if not is_clean(pid)]
            tracer.send_signal(signal.SIGKILL)
        tap.ok(len(pids) == 3 and traced == pids,
               "a running program is traced, and its children", pids, traced)
        tap.ok(await_that(lambda: all(map(is_clean, pids))),
               "dtrace is killed: every byte is as it was, in children too",
               pids)
        tap.ok(await_that(lambda: lines_of(out) == ["executed", "forked"]),
               "and they go on", lines_of(out))
        parent.kill()


def main():
    tap = start("root cmd:setpriv cmd:strace cmd:bash prog:children")
    with tempfile.TemporaryDirectory(prefix="dt-descendants.") as folder:
        copy = shutil.copy(DTRACE, folder)
        os.chmod(folder, 0o755)
        for name, text in (("family", FAMILY), ("orphans.py", ORPHANS),
                           ("script", "#!/bin/sh\n/bin/true\n")):
            with open(f"{folder}/{name}", "w", encoding="ascii") as f:
                f.write(text)
            os.chmod(f"{folder}/{name}", 0o755)
        check_family(tap, folder, [], DTRACE,
                     "every call of a family, as strace sees it")
        check_family(tap, folder, NOBODY, copy, "... by an ordinary user")
        check_many(tap, folder)
        check_crowd(tap)
        check_unnoticed(tap, folder)
        check_privileged(tap, folder)
        check_debugger(tap, folder)
        check_named(tap)
        check_exec_in_place(tap)
        check_outlived(tap, folder)
        check_killed(tap, folder)
    tap.done()


main()
