#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""New programs over recorded firings print what they printed live, to the byte:
by other users, without the machine.  What a recording does not hold is refused
by name."""

import os
import re
import shutil
import subprocess
import tempfile
import time

from live import DTRACE, dtrace, run, start, table

PROGS = os.environ.get("PROGS", "")
FIRINGS = "syscall:::"
QUESTIONS = {
    "counts by name": """syscall:::entry /pid == $target/
        { @[execname, probefunc] = count(); }""",
    "latencies by thread-local variables": """
        syscall:::entry /pid == $target/ { self->t = timestamp; }
        syscall:::return /self->t/
        { @[probefunc] = quantize(timestamp - self->t);
          @p = percentile(timestamp - self->t, 50, 99); self->t = 0; }""",
    "all functions": """syscall:::return /pid == $target/
        { @c = count(); @s = sum(arg0); @a = avg(arg0); @d = stddev(arg0);
          @m = min(arg0); @x = max(arg0); @l = lquantize(arg0, 0, 50, 5);
          @ll = llquantize(arg0, 10, 0, 3, 10); @e[errno] = count(); }""",
    "strings of arguments": """syscall::openat:entry /pid == $target/
        { printf("%s %s %d %d", execname, basename(copyinstr(arg1)), tid, uid);
          this->s = strjoin(probefunc, copyinstr(arg1)); @[this->s] = count(); }
        syscall::execve:entry /pid == $target/ { trace(copyinstr(arg0)); }""",
    "arrays, times and CPUs": """syscall:::entry /pid == $target/
        { n[probefunc, cpu]++; printf("%d %Y %s %d", timestamp, walltimestamp,
          probename, n[probefunc, cpu]); }""",
    "speculations": """syscall::openat:entry /pid == $target/
        { self->s = speculation(); speculate(self->s);
          printf("%s", copyinstr(arg1)); }
        syscall::openat:return /self->s && errno/ { commit(self->s); }
        syscall::openat:return /self->s && !errno/ { discard(self->s); }
        syscall::openat:return { self->s = 0; }""",
    "faults and ERROR": """syscall::openat:return /pid == $target && n++ < 3/
        { trace(1 / (n - 2)); }
        /* 4: a division; strings that were not in memory are faults, too */
        ERROR /arg4 == 4/ { printf("fault %d action %d", arg4, arg2); }""",
    "typed arguments": """syscall::read:entry /pid == $target/
        { @[args[0]] = sum(args[2]); }""",
}


# Stacks of everything would be those of dtrace at work on them, too.
DEEP = ("-x", "recordstack=10", "-x", "recordustack", "-b", "32m",
        "-n", "syscall::: /pid == $target/ {}")
DEEP_QUESTIONS = {
    "stacks": """syscall:::entry /pid == $target/
        { @k[stack(7)] = count(); @u[ustack(15)] = count();
          @e[execname, ustack(2)] = count(); }
        syscall::openat:entry /pid == $target && n++ < 5/
        { printf("%d", n); stack(3); ustack(20); }""",
    "callers": """syscall:::entry /pid == $target/
        { @s[sym(caller)] = count(); @m[mod(caller)] = count();
          @us[usym(ucaller)] = count(); @um[umod(ucaller)] = count();
          @ua[uaddr(ucaller)] = count(); }
        syscall::openat:entry /pid == $target && n++ < 5/
        { printf("%A %a", ucaller, caller); usym(ucaller); sym(caller); }""",
}


def text_of(ran):
    """Output and messages, without the numbers of enablings."""
    err = re.sub(r"dtrace: (?:script|description) [^\n]* matched [^\n]*\n|"
                 r"dtrace: pid \d+ has exited\n", "", ran.err)
    return ran.out + re.sub(r"enabled probe ID \d+", "enabled probe ID", err)


def claim_same(tap, folder):
    asked = [(*q, ("-n", FIRINGS)) for q in QUESTIONS.items()] + \
        [(*q, DEEP) for q in DEEP_QUESTIONS.items()]
    for i, (name, question, firings) in enumerate(asked):
        path = os.path.join(folder, "run.dtr")
        live = os.path.join(folder, f"live{i}")
        # -q, or the recorded clause has lines of its own
        args = ("-q", "-o", live, "-n", question)
        ran = dtrace("--record=" + path, *firings, *args,
                     "-c", "ls -l /usr/share")
        again = dtrace("-r", path, "-q", "-n", question)
        with open(live, encoding="utf-8") as f:
            ran.out = f.read()
        tap.ok(ran.status == again.status == 0 and len(again.out) > 15 and
               text_of(ran) == text_of(again), f"{name}: live and replay agree",
               text_of(ran)[:2000], text_of(again)[:2000])


def claim_time(tap, path):
    ran = dtrace("-r", path, "-q", "-n", """
        BEGIN { printf("begin\\n"); b = timestamp; }
        syscall::: { n++; @n = count(); last = timestamp; }
        tick-100ms { k++; }
        /* printa() prints no line before the first firing */
        tick-100ms /n/ { printa("tick %@d\\n", @n); clear(@n); t++;
            in_time += timestamp == b + k * 100000000; }
        END { printf("end %d %d\\n", t, in_time); }""")
    ticks = [int(n) for n in re.findall(r"^tick (\d+)$", ran.out, re.M)]
    end = re.search(r"^end (\d+) (\d+)$", ran.out, re.M)
    tap.ok(ran.out.startswith("begin\n") and len(ticks) >= 8 and
           end and end[1] == end[2] == str(len(ticks)) and sum(ticks) > 50,
           "ticks fire in the recording's time", ran)
    ran = dtrace("-r", path, "-q", "-n", "syscall::: /n++ == 9/ { exit(7); }",
                 "-n", 'END { printf("%d firings", n); }')
    tap.ok(ran.status == 7 and ran.out.startswith("10 firings"),
           "exit() ends it, with its status", ran)


def claim_alone(tap, path, folder):
    copy = os.path.join(folder, "dtrace")
    shutil.copy(DTRACE, copy)
    os.chmod(folder, 0o755)
    os.chmod(path, 0o644)
    question = "syscall:::entry { @[probefunc] = count(); }"
    root = dtrace("-r", path, "-n", question)
    ran = run(["setpriv", "--reuid", "65534", "--regid", "65534",
               "--clear-groups", copy, "-r", path, "-n", question], cwd="/")
    tap.ok(ran.status == 0 and ran.out == root.out and len(table(ran.out)) > 5,
           "a user without privileges asks", ran)
    trace = os.path.join(folder, "strace")
    run(["strace", "-f", "-o", trace, "-e",
         "trace=bpf,perf_event_open,ptrace,openat", DTRACE, "-r", path, "-n",
         question])
    with open(trace, encoding="utf-8") as f:
        calls = f.read()
    asked = [c for c in calls.splitlines()
             if re.search(r'bpf\(|perf_event|ptrace\(|tracing|btf|kallsyms', c)]
    tap.ok("openat" in calls and not asked,
           "nothing of this kernel is asked", *asked)
    ran = dtrace("-r", path, "-l")
    tap.ok(re.search(r"syscall +vmlinux +openat entry", ran.out) and
           "fbt" not in ran.out and "profile-97" not in ran.out,
           "-l lists the recording's probes", ran.out[:500])
    ran = dtrace("-r", path, "-n", question, "-x", "oformat=json")
    tap.ok('"openat"' in ran.out, "the answer as JSON", ran)


def claim_refusals(tap, path, folder):
    for text, why in (
            ("syscall::: { trace(curthread); }", "curthread is not in the rec"),
            ("syscall::: { stack(); }", "record with -x recordstack\n"),
            ("syscall::: { @[ustack()] = count(); }",
             "record with -x recordustack\n"),
            ("syscall::: { trace(ucaller); }", "record with -x recordustack\n"),
            ("syscall::: { trace(stackdepth); }", "stackdepth is not in"),
            ("syscall::: { trace(progenyof(1)); }", "progenyof() looks at"),
            ("profile-97 { trace(1); }", "does not match any probes"),
            ("fbt::vfs_read:entry", "does not match any probes")):
        ran = dtrace("-r", path, "-n", text)
        tap.ok(ran.status == 1 and why in ran.err, "refused: " + text, ran)
    for action in ("raise(9)", "stop()", "system(\"true\")", "chill(10)",
                   "copyout(alloca(8), arg0, 8)"):
        ran = dtrace("-r", path, "-wn", f"syscall::: {{ {action}; }}")
        tap.ok(ran.status == 1 and action.split("(", maxsplit=1)[0] in ran.err,
               "refused: " + action, ran)
    for args, why in ((("-x", "bufpolicy=ring"), "option bufpolicy"),
                      (("--record=" + path + "2",), "option record")):
        ran = dtrace("-r", path, "-n", FIRINGS, *args)
        tap.ok(ran.status == 1 and why in ran.err, why + " is refused", ran)
    other = os.path.join(folder, "other.dtr")
    dtrace("--record=" + other, "-qn", "BEGIN { trace(1); exit(0); }")
    ran = dtrace("-r", other, "-n", FIRINGS)
    tap.ok(ran.status == 1 and "has no firings" in ran.err,
           "a recording without firings says so", ran)
    ran = dtrace("-r", path, "-qn",
                 "syscall::read:entry { trace(copyinstr(0x1234)); }")
    tap.ok("invalid address" in ran.err, "other memory is a fault", ran)


def claim_parts(tap, path, folder):
    """Any beginning of the file, and the file with a damaged byte, is read."""
    with open(path, "rb") as f:
        data = f.read()
    part = os.path.join(folder, "part.dtr")
    bad = []
    for i in range(12):
        cut = bytearray(data[:len(data) * (i + 1) // 12])
        if i % 2:
            cut[len(cut) // 2] ^= 0x55
        with open(part, "wb") as f:
            f.write(cut)
        ran = dtrace("-r", part, "-qn", "syscall::: { @[probefunc] = count(); }")
        if ran.status not in (0, 1) or (ran.status == 1 and not ran.err):
            bad.append(ran)
    tap.ok(not bad, "parts of a recording are read, or refused", *bad)


def claim_output(tap, folder):
    """The run prints what it prints without a recording."""
    path = os.path.join(folder, "output.dtr")
    ran = dtrace("--record=" + path, "-n", "syscall::openat:entry", "-c",
                 "cat /nowhere")
    lines = [line for line in ran.out.splitlines() if "openat:entry" in line]
    again = dtrace("-r", path)
    tap.ok(lines and all(re.fullmatch(r" *\d+ +\d+ +openat:entry ", line)
                         for line in lines) and "error" not in ran.err,
           "a clause without a body prints its line alone", ran)
    tap.ok(again.out == ran.out, "... as does the replay of the run", again)
    count = dtrace("-r", path, "-qn", "syscall::openat:entry { @ = count(); }")
    tap.ok(count.out.split() == [str(len(lines))],
           "each line is a firing", count)


def claim_absent(tap, folder):
    """A string that cannot be read costs no firing."""
    path = os.path.join(folder, "absent.dtr")
    script = ("import os, ctypes\nc = ctypes.CDLL(None)\n"
              "for i in range(100): c.open(ctypes.c_void_p(0x1000), 0)\n")
    dtrace("-q", "--record=" + path, "-n", "syscall::open*:entry", "-c",
           f"python3 -c '{script}'")
    ran = dtrace("-r", path, "-qn", """
        syscall::openat:entry /arg1 == 0x1000/ { @n = count(); }
        syscall::openat:entry /arg1 == 0x1000/ { trace(copyinstr(arg1)); }
        ERROR { @e = count(); }""")
    tap.ok(ran.out.split() == ["100", "100"] and "invalid address" in ran.err,
           "100 firings without their strings", ran)


def claim_timeline(tap, folder):
    """A form that draws threads asks for data of firings, too."""
    path, page = (os.path.join(folder, n) for n in ("line.dtr", "line.json"))
    dtrace("-q", "--record=" + path, "-x", "oformat=chrome", "-o", page, "-n",
           "syscall::getpriority:", "-c", PROGS + "/known seq:5")
    ran = dtrace("-r", path, "-qn", "syscall::getpriority:entry /execname == "
                 '"known"/ { @[arg1] = count(); }')
    tap.ok(len(table(ran.out)) == 5, "a chrome trace's firings are asked", ran)
    dtrace("-q", "--record=" + path, "-x", "oformat=chrome", "-o", page, "-n",
           'BEGIN { trace("shown"); exit(0); }')
    ran = dtrace("-r", path, "-x", "oformat=text")
    tap.ok(ran.out.split() == ["shown"], "its threads are in no text", ran)


def claim_samples(tap, folder):
    """Addresses that profile probes give have names, as their stacks do."""
    path = os.path.join(folder, "samples.dtr")
    dtrace("-q", "--record=" + path, "-x", "recordustack=40", "-n",
           "profile-997 /pid == $target/ {}", "-c", PROGS + "/burst 1 3000000")
    ran = dtrace("-r", path, "-qn", """profile-997 /arg1/
        { @[usym(arg1)] = count(); @m[umod(arg1)] = count(); n++; }
        END { printf("%d samples\\n", n); }""")
    named = re.findall(r"^  \S+`([a-z_]\w+) +\d+$", ran.out, re.M)
    tap.ok(not ran.out.startswith("0 ") and named and "0x" not in ran.out,
           "samples have names", ran)
    deep = dtrace("-r", path, "-qn", "profile-997 /arg1/ { @[ustack()] = "
                  "count(); }", "-x", "oformat=folded")
    tap.ok("`producer;" in deep.out, "... and their stacks", deep)


def claim_command_lines(tap, folder):
    """A process's command line is in the recording, if the process lives."""
    path = os.path.join(folder, "args.dtr")
    text = "f 'two words' x" + 300 * "y"
    dtrace("--record=" + path, "-qn", "syscall::openat:entry", "-c",
           "python3 -c 'import time; time.sleep(2); open(\"/etc/passwd\")' "
           + text)
    ran = dtrace("-r", path, "-x", "strsize=1k", "-qn", """
        syscall:::entry /pid == $target/ { @[execargs] = count();
        same += execargs == curpsinfo->pr_psargs; n++;
        right += curpsinfo->pr_pid == pid && curpsinfo->pr_ppid == ppid &&
            curpsinfo->pr_uid == uid && curlwpsinfo->pr_lwpid == tid &&
            curlwpsinfo->pr_onpro == cpu; }
        END { printf("%d\\n", n == same && n == right && n > 0); }""")
    tap.ok(ran.out.startswith("1\n") and " f two words x" + 300 * "y" in
           ran.out and "import time" in ran.out, "command lines", ran)
    ran = dtrace("-r", path, "-qn", "BEGIN { printf(\"[%s]\", execargs); } "
                 "syscall:::entry { trace(curpsinfo->pr_addr); }")
    tap.ok(ran.status == 1 and "does not define 'pr_addr'" in ran.err,
           "refused: curpsinfo->pr_addr", ran)


def record_as(host, path, *args):
    """Record under another name of the machine."""
    return subprocess.Popen(
        ["unshare", "-u", "sh", "-c", 'hostname "$0"; exec "$@"', host, DTRACE,
         "--record=" + path, *args], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)


def claim_several(tap, folder):
    """Recordings of two machines are one, in the order of time."""
    a, b, flag = (os.path.join(folder, n) for n in ("a", "b", "flag"))
    known = PROGS + "/known"
    script = os.path.join(folder, "turns")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"{known} seq:2; touch {flag}1\n"
                f"until test -e {flag}2; do sleep 0.1; done\n{known} seq:3\n")
    probe = "syscall::getpriority:entry"
    first = record_as("alpha", a, "-n", probe, "-c", "sh " + script)
    while not os.path.exists(flag + "1") and first.poll() is None:
        time.sleep(0.05)
    record_as("beta", b, "-n", probe, "-c",
              known + " seq:4").communicate(timeout=60)
    with open(flag + "2", "w", encoding="utf-8"):
        pass
    first.communicate(timeout=60)

    both = ("-r", b, "-r", a)
    mine = 'syscall:::entry /execname == "known"/'
    # both machines are this one: each saw the firings of the other's run
    ran = dtrace(*both, "-qn", "BEGIN { last = 0; back = 0; }" + mine + """
        { @[host, arg1] = count(); self->n++; @n["most", 0] = max(self->n);
          back += timestamp < last; }
        syscall::: { last = timestamp; }
        BEGIN, END { printf("[%s%d]", host, back); }""")
    tap.ok(ran.out.startswith("[0][0]") and
           re.search(r"^  most +0 +4$", ran.out, re.M) and
           re.search(r"^  alpha +0 +3$", ran.out, re.M) and
           re.search(r"^  alpha +3 +1$", ran.out, re.M) and
           re.search(r"^  beta +3 +1$", ran.out, re.M),
           "host is a key of the firings of two recordings", ran)
    turns = dtrace(*both, "-qn", mine + ' { printf("%s\\n", host); }').out
    order = re.sub(r"(\w+\n)\1*", r"\1", turns).split()
    tap.ok(turns.split().count("alpha") == 9 and
           turns.split().count("beta") == 4 and order[0] == "alpha" ==
           order[-1] and "beta" in order, "... in the order of time", turns)
    ran = dtrace("-r", a, "-qn", mine + " { @[host] = count(); }")
    tap.ok(table(ran.out) == {"alpha": 9}, "one recording has its host", ran)
    ran = dtrace(*both)
    lines = [line for line in ran.out.splitlines() if probe[9:] in line]
    heads = ran.out.count("FUNCTION:NAME")
    tap.ok(ran.status == 0 and heads == 1 and len(lines) >= 13,
           "two runs are printed as one", ran)
    ran = dtrace(*both, "-l")
    tap.ok(ran.out.count("getpriority entry") == 1, "-l over both", ran)

    other = os.path.join(folder, "other")
    dtrace("--record=" + other, "-qn", "BEGIN { exit(0); }")
    for args, why in (
            (("-r", a, "-r", other), "runs of different programs"),
            ((*both, "-x", "oformat=json"), "option oformat"),
            ((*both, "-n", mine + "{ ustack(); }"), "ustack(): the recordings"),
            ((*both, "-n", mine + "{ @[sym(arg0)] = count(); }"), "sym(): the"),
            ((*both, "-r", other, "-n", probe), "has no firings")):
        ran = dtrace(*args)
        tap.ok(ran.status == 1 and why in ran.err, "refused: " + why, ran)
    part = os.path.join(folder, "part")
    with open(a, "rb") as f:
        data = f.read()
    with open(part, "wb") as f:
        f.write(data[:-20])
    ran = dtrace("-r", part, "-r", b, "-qn", mine + "{ @[host] = count(); }")
    tap.ok(ran.status == 0 and f"{part} is damaged" in ran.err and
           "beta" in table(ran.out), "a damaged one is reported by name", ran)


def claim_labels(tap, folder):
    """label() in a query is that of the machine that was recorded."""
    db, web = (os.path.join(folder, n) for n in ("db.dtr", "web.dtr"))
    for path, role in ((db, "db"), (web, "web")):
        dtrace("-x", "fleetlabel=role=" + role, "-x", "fleetlabel=site=x",
               "--record=" + path, "-n", "syscall::getpriority:entry", "-c",
               PROGS + "/known seq:4")
    script = """BEGIN { printf("%s %s", label("role"), label("none")); exit(0); }
        """
    ran = dtrace("-r", db, "-x", "fleetlabel=role=mine", "-qn", script)
    tap.ok(ran.out.startswith("db "), "label() is that of the recording", ran)
    ran = dtrace("-r", db, "-r", web, "-qn", script)
    tap.ok(ran.status == 1 and 'label("role") is "db" in ' + db in ran.err,
           "recordings whose labels differ are reported", ran)
    ran = dtrace("-r", db, "-r", web, "-qn",
                 'BEGIN { trace(label("site")); exit(0); }')
    tap.ok(ran.out.startswith("x"), "what all have in common is known", ran)
    path = os.path.join(folder, "kept.dtr")
    dtrace("-x", "fleetlabel=role=kept", "--record=" + path, "-qn", script)
    ran = dtrace("-r", path)
    tap.ok(ran.out.startswith("kept "), "a replay prints what it was", ran)


def claim_old(tap):
    """A recording of the first format is read as ever."""
    old = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "recording-1.0.dtr")
    ran = dtrace("-r", old, "-x", "quiet=off")
    tap.ok(ran.status == 0 and ran.out.count("openat:entry") > 20,
           "an old recording's run is printed", ran)
    ran = dtrace("-r", old, "-qn", "syscall::openat:entry /pid == $target/"
                 " { @[copyinstr(arg1)] = count(); } syscall::openat:return"
                 " /pid == $target/ { @e[errno] = count(); }")
    rows = table(ran.out)
    tap.ok(rows.get("/nowhere/at/all") == 1 and rows.get("2", 0) > 2,
           "... and its firings are asked", ran)


def claim_ticks(tap, folder):
    """Firings of an old recording, and of this boot: far apart."""
    old = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "recording-1.0.dtr")
    new = os.path.join(folder, "new.dtr")
    dtrace("-q", "--record=" + new, "-n", "syscall::getppid:entry", "-c",
           "sh -c :")
    ran = dtrace("-r", old, "-r", new, "-qn", "tick-200us { n++; } "
                 "syscall::getppid:entry { last = n; } END { trace(last); }")
    tap.ok(ran.status == 0 and ran.err.count("have times far apart") == 1 and
           int(ran.out or 0) >= 10000000,
           "ticks of an empty time end, and it is told", ran)


def claim_processes(tap, folder):
    path = os.path.join(folder, "process.dtr")
    for substrate in ("process", "kernel"):
        dtrace("-q", "-x", "substrate=" + substrate, "--record=" + path, "-n",
               "usdtapp$target:::", "-n", "pid$target:a.out:serve:entry", "-c",
               PROGS + "/usdtapp 20")
        ran = dtrace("-r", path, "-qn", """
            usdtapp*:::request-start
            { @[probemod, probename, copyinstr(arg1)] = count(); }
            pid$target::serve:entry { @["serve", "entry", ""] = count(); }""")
        tap.ok(re.search(r"usdtapp +request-start +\S+ +\d+\n", ran.out) and
               re.search(r"serve +entry +20\n", ran.out),
               f"{substrate}: USDT and pid probes, with strings", ran)


def main():
    tap = start("root bpf cmd:setpriv cmd:strace cmd:unshare")
    with tempfile.TemporaryDirectory(prefix="dt-query.") as folder:
        claim_same(tap, folder)
        path = os.path.join(folder, "second.dtr")
        dtrace("-q", "--record=" + path, "-n", FIRINGS, "-c", "sh -c "
               "'ls /usr >/dev/null; sleep 1; ls -l /usr/bin >/dev/null'")
        claim_time(tap, path)
        claim_alone(tap, path, folder)
        claim_refusals(tap, path, folder)
        claim_parts(tap, path, folder)
        claim_output(tap, folder)
        claim_absent(tap, folder)
        claim_timeline(tap, folder)
        claim_processes(tap, folder)
        claim_samples(tap, folder)
        claim_several(tap, folder)
        claim_labels(tap, folder)
        claim_command_lines(tap, folder)
    claim_old(tap)
    with tempfile.TemporaryDirectory(prefix="dt-ticks.") as ticks:
        claim_ticks(tap, ticks)
    tap.done()


main()
