#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Probes of programs while processes begin, load, fork, execute and end.

The firings that a program reports are compared with the traced ones.

test_usdt.py DTRACE [process]

With `process`, an ordinary user traces in processes (-x substrate=process)."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import live
from live import prog, run, start

SUBSTRATE = ["-x", "substrate=process"] if "process" in os.sys.argv else []
NOBODY = 65534
INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "..", "..", "include")


def said(text, name):
    """The number of firings, as the program reports it."""
    return sum(int(n) for n in re.findall(rf"^{name} (\d+)$", text, re.M))


def dtrace(*args):
    return live.dtrace(*SUBSTRATE, *args)


def background(*args):
    return live.background(*SUBSTRATE, *args)


def spawn(*command, **kwargs):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, text=True, **kwargs)


def finish(proc):
    return proc.communicate(timeout=60)[0]


class Tracing:
    """Run dtrace in the background, until all work for it to see is done."""

    def __init__(self, *args):
        self.args = args

    def __enter__(self):
        self.out = tempfile.TemporaryFile("w+")
        self.err = tempfile.TemporaryFile("w+")
        self.ready = tempfile.mktemp()
        ready = f'BEGIN {{ system("echo >{self.ready}"); }}'
        self.proc = subprocess.Popen(
            [live.DTRACE, *SUBSTRATE, "-qw", *self.args, "-n", ready],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err)
        while not os.path.exists(self.ready) and self.proc.poll() is None:
            time.sleep(0.02)
        return self

    def stop(self, number=signal.SIGINT):
        self.proc.send_signal(number)
        self.proc.wait(timeout=60)
        self.out.seek(0)
        self.err.seek(0)
        self.text, self.errors = self.out.read(), self.err.read()
        return self.text

    def __exit__(self, *unused):
        if self.proc.poll() is None:
            self.proc.kill()
            self.proc.wait()
        if os.path.exists(self.ready):
            os.unlink(self.ready)

    def __str__(self):
        return f"output: {self.text[:2000]}\nerrors: {self.errors[:2000]}"


COUNT = '{ @ = count(); } END { printa("%@d\\n", @); }'


def numbers(text):
    return [int(word) for word in re.findall(r"^\s*(\d+)$", text, re.M)]


def asked_rest(text, out):
    """Was each round traced, from the first one that fired?

    The kernel tells a running program that it is traced some microseconds
    before it inserts the breakpoint: a question in between does not fire.
    `text` holds the smallest arg0 and the number of firings."""
    got = [int(word) for word in text.split()]
    asked, rounds = said(out, "asked"), said(out, "round")
    return len(got) == 2 and 0 < got[1] == rounds - got[0] <= asked and \
        (got[1] == asked or not SUBSTRATE)


ASKED = ('{ @least = min(arg0); @ = count(); } '
         'END { printa("%@d ", @least); printa("%@d\\n", @); }')


def check_wide(tap, work):
    """Processes that begin during tracing run a file that is named."""
    app = os.path.join(work, "wideapp")
    shutil.copy(prog("sdtapp"), app)
    with Tracing("-n", f"sdtapp*:{app}::round {COUNT}") as tracing:
        out = "".join(run([app, "9"]).out for _ in range(5))
        procs = [spawn(app, "300", "100") for _ in range(4)]
        out += "".join(finish(p) for p in procs)
        tracing.stop()
    tap.ok(numbers(tracing.text) == [said(out, "round")] == [1245],
           "a pattern and a path: every firing of processes to come",
           tracing, out)


def check_unknown(tap, work):
    """Processes run a file that is new to dtrace, and then the same file
    again."""
    app = os.path.join(work, "newapp")
    shutil.copy(prog("sdtapp"), app)
    script = ("sdtapp*:newapp::round { @[pid] = count(); } "
              'END { printa("%d %@d\\n", @); }')
    with Tracing("-Z", "-n", script) as tracing:
        first = spawn(app, "1000", "1000")
        finish(first)
        second = spawn(app, "1000")
        finish(second)
        tracing.stop()
    counts = dict(map(int, line.split()) for line in
                  tracing.text.split("\n") if line)
    tap.ok(0 < counts.get(first.pid, 0) <= 1000,
           "-Z: a program that is first seen while it runs", counts, tracing)
    tap.ok(counts.get(second.pid) == 1000,
           "... and every firing when it is run again", counts, tracing)


def check_copies(tap, work):
    """Two files of one name: one is traced when the other comes, and each can
    be named by its path."""
    apps = [os.path.join(work, name, "copiedapp") for name in ("a", "b")]
    for app in apps:
        os.mkdir(os.path.dirname(app))
        shutil.copy(prog("sdtapp"), app)
    script = ("sdtapp*:copiedapp::round { @[pid] = count(); } "
              'END { printa("%d %@d\\n", @); }')
    with Tracing("-Z", "-n", script) as tracing:
        for app in apps:
            finish(spawn(app, "1000", "1000"))
        procs = [spawn(app, "500") for app in apps]
        for proc in procs:
            finish(proc)
        tracing.stop()
    counts = dict(map(int, line.split()) for line in
                  tracing.text.split("\n") if line)
    tap.ok([counts.get(proc.pid) for proc in procs] == [500, 500],
           "a file of the same name that comes later is traced", counts,
           tracing)
    with Tracing(*(word for app, var in zip(apps, "ab") for word in (
            "-n", f"sdtapp*:{app}::round {{ @{var} = count(); }}")),
            "-n", 'END { printa("%@d %@d\\n", @a, @b); }') as tracing:
        finish(spawn(apps[0], "7"))
        finish(spawn(apps[1], "5"))
        tracing.stop()
    tap.ok(tracing.text.split() == ["7", "5"],
           "a path is one of two files of one name", tracing)


def check_ended(tap, work):
    """A process runs a file, and is a zombie when dtrace examines it."""
    app = os.path.join(work, "shortapp")
    shutil.copy(prog("sdtapp"), app)
    with Tracing("-Z", "-n", f"sdtapp*:shortapp::round {COUNT}") as tracing:
        first = spawn(app, "1")
        end = time.monotonic() + 60
        while not os.fstat(tracing.err.fileno()).st_size and \
                time.monotonic() < end:
            time.sleep(0.02)
        again = run([app, "100"]).out
        finish(first)
        tracing.stop()
    tap.ok("processes that begin from now on are traced from their start" in tracing.errors
           and numbers(tracing.text) == [said(again, "round")] == [100],
           "a program that was over at once is known when it is run again",
           tracing, again)


def check_made(tap):
    """Processes make probes while they run, in files in memory."""
    script = ("made*:plugin::all-done { @first = max((int)arg1); @ = count(); "
              '@mods[probemod] = count(); } END { printa("%@d ", @first); '
              'printa("%@d ", @); printa("%s", @mods); }')
    with Tracing("-Z", "-n", script) as tracing:
        run([prog("maker"), "300", "5000"])
        tracing.stop()
    words = tracing.text.split()
    tap.ok(len(words) == 3 and words[2] == "plugin"
           and 0 < int(words[1]) == 300 + int(words[0])
           and "was made by a process while it ran" in tracing.errors,
           "probes made by a later process fire once each", tracing)
    with Tracing("-Z", "-n", f"made*:plugin::all-done {COUNT}") as tracing:
        for _ in range(3):
            run([prog("maker"), "1"])
        tracing.stop()
    gone = sum(int(n) for n in re.findall(r"had (\d+) files? of code in memory",
                                          tracing.errors))
    tap.ok(gone == 3 or "was made by a process" in tracing.errors,
           "... and are told to be missed where it has ended", tracing)


def check_one_process(tap):
    """Trace one of two processes that run already; the other is not
    touched."""
    one = spawn(prog("sdtapp"), "400", "5000")
    other = spawn(prog("sdtapp"), "400", "5000")
    script = (f"sdtapp{one.pid}:::round {{ @r[pid] = count(); }} "
              f"sdtapp{one.pid}:::asked {ASKED} "
              'END { printa("pid %d\\n", @r); }')
    ran = dtrace("-q", "-n", script, "-p", str(one.pid))
    out, rest = finish(one), finish(other)
    asked, rows = ran.out.partition("\n")[::2]
    tap.ok(rows.split() == ["pid", str(one.pid)] and asked_rest(asked, out),
           "-p: one process, which knows that it is traced", ran, out)
    tap.ok(said(rest, "asked") == 0 and str(other.pid) not in rows,
           "... and the other one is left alone", rest, ran)


def check_killed(tap):
    """After dtrace was killed, the program's probes are no longer enabled."""
    app = spawn(prog("sdtapp"), "400", "5000")
    with Tracing("-n", f"sdtapp{app.pid}:::asked {{ @ = count(); }}") as t:
        time.sleep(0.3)
        t.stop(signal.SIGKILL)
    out = finish(app)
    tap.ok(0 < said(out, "asked") < 390, "kill -9 of dtrace ends the asking",
           out)


def check_two_tracers(tap):
    app = spawn(prog("sdtapp"), "300", "5000")
    script = f"sdtapp{app.pid}:::asked "
    with background("-q", "-n", script + ASKED, "-p", str(app.pid)) as one:
        with Tracing("-n", script + COUNT) as two:
            time.sleep(0.3)
            two.stop()
        out = finish(app)
        text = one.communicate(timeout=60)[0]
    tap.ok(numbers(two.text) and asked_rest(text, out) and
           numbers(two.text)[0] < said(out, "asked"),
           "two at one site: the second one ends, the first one goes on",
           two, text, out)


def check_offsets_beside(tap):
    """A pid probe is at the place of a program's own probe, traced by another
    dtrace."""
    app = spawn(prog("sdtapp"), "100000", "1000")
    try:
        with Tracing("-n", f"sdtapp{app.pid}:::forms {COUNT}") as own:
            with Tracing("-n", f"pid{app.pid}:sdtapp:forms: {COUNT}") as two:
                time.sleep(0.3)
                two.stop()
            own.stop()
        tap.ok(numbers(two.text)[0] > 0 and numbers(own.text)[0] > 0 and
               two.errors == "",
               "offset probes alone, beside another dtrace", two, own)
    finally:
        app.kill()
        app.communicate()


def check_second_tracer(tap):
    """A place with a jump of another dtrace gets no second jump."""
    app = spawn(prog("sdtapp"), "300", "5000")
    script = f"sdtapp{app.pid}:::asked {COUNT}"
    with Tracing("-n", script, "-p", str(app.pid)) as one:
        two = dtrace("-q", "-n", script, "-p", str(app.pid))
        out = finish(app)
        one.proc.wait(timeout=60)
        one.stop()
    tap.ok(two.status == 1 and "another dtrace, " in two.err and
           "has changed it" in two.err and
           numbers(one.text) == [said(out, "asked")],
           "a second one is refused by name, the first one goes on", two, one,
           out)


def check_limited(tap):
    """A description of all processes means those of -c and -p."""
    other = spawn(prog("sdtapp"), "300", "5000")
    script = ('sdtapp*:::round { @[pid == $target] = count(); } '
              'END { printa("%d %@d\\n", @); }')
    ran = dtrace("-q", "-n", script, "-c", f"{prog('sdtapp')} 50")
    tap.ok("1 50\n" in ran.out and "0 " not in ran.out.split("asked 0")[-1],
           "a pattern means the processes of -c", ran)
    one = spawn(prog("sdtapp"), "200", "5000")
    ran = dtrace("-q", "-n", "sdtapp*:::asked { @[pid] = count(); } "
                 'END { printa("%d %@d\\n", @); }', "-p", str(one.pid),
                 "-p", str(other.pid))
    outs = [finish(one), finish(other)]
    tap.ok(dict(map(int, line.split()) for line in ran.out.split("\n") if line) ==
           {p.pid: said(out, "asked") for p, out in
            zip((one, other), outs)}, "... and of two -p", ran, outs)
    ran = dtrace("-q", "-n", f"sdtapp*:{prog('sdtapp')}:: {COUNT}")
    tap.ok(ran.status == 1 and "-c or -p" in ran.err,
           "... and without them it is refused by name", ran)


def semaphore(pid, symbol):
    """The value of a counter in a program, by its symbol."""
    path = os.readlink(f"/proc/{pid}/exe")
    at = int(re.search(rf"^(\w+) . {symbol}$", run(["nm", path]).out,
                       re.M).group(1), 16)
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        base = int(next(line for line in maps if path in line)
                   .split("-")[0], 16)
    with open(f"/proc/{pid}/mem", "rb") as mem:
        mem.seek(at + base if at < base else at)
        return int.from_bytes(mem.read(2), "little")


def check_semaphores(tap):
    """Each traced site is counted in its semaphore; at dtrace's end it is as
    before."""
    app = spawn(prog("sdtapp"), "100000", "1000")
    script = f"sdtapp{app.pid}:::round, sdtapp{app.pid}:::forms {COUNT}"
    try:
        for how, number in (("kill -9", signal.SIGKILL),
                            ("an orderly end", signal.SIGINT)):
            with Tracing("-n", script, "-p", str(app.pid)) as tracing:
                during = [semaphore(app.pid, f"sdtapp_{name}_semaphore")
                          for name in ("round", "forms", "asked")]
                tracing.stop(number)
            until = time.monotonic() + 10
            while (semaphore(app.pid, "sdtapp_round_semaphore") and
                   time.monotonic() < until):
                time.sleep(0.01)
            after = [semaphore(app.pid, f"sdtapp_{name}_semaphore")
                     for name in ("round", "forms", "asked")]
            tap.ok(during[0] > 0 and during[1] > 0 and during[2] == 0 and
                   after == [0, 0, 0] and app.poll() is None,
                   f"semaphores after {how}", during, after, tracing)
    finally:
        app.kill()
        app.communicate()


FORMS = r"""
#include <sys/sdt.h>
#include <stdio.h>
static volatile int table[4] = { 1, 20, 300, 4000 };
int work(int i);
int __attribute__((noinline)) work(int i)
{
	volatile long far[600];
	long double x = i;

	far[i] = i * 3;
	DTRACE_PROBE3(forms, deep, i, far[i], table[i & 3]);
	return x > 2 ? i : 0;
}
#ifndef LIBRARY
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += work(i);
	printf("sum %d\n", sum);
	return 0;
}
#endif
"""


def check_forms(tap, work):
    """Programs of every form: their results, and each firing."""
    source = os.path.join(work, "forms.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(FORMS)
    lib = os.path.join(work, "libforms.so")
    for what, flags in (("fixed", ["-no-pie", "-fno-pie"]), ("PIE", ["-pie"]),
                        ("static", ["-static"]),
                        ("static PIE", ["-static-pie"]),
                        ("stripped", ["-s"]),
                        ("stripped, static", ["-s", "-static"]),
                        ("unoptimised", ["-O0"]),
                        ("a library", ["-DLIBRARY", "-shared", "-fPIC"])):
        app = os.path.join(work, "formsapp")
        made = run(["gcc", "-O2", *flags, "-I" + INCLUDE, source, "-o",
                    lib if what == "a library" else app])
        if what == "a library":
            made = use_library(work, app, lib)
        ran = dtrace("-q", "-n", "forms$target:::deep { @ = count(); "
                     "@i = sum(arg0); @f = sum(arg1); @t = sum(arg2); } END { "
                     'printa("%@d %@d %@d %@d\\n", @, @i, @f, @t); }', "-c",
                     app)
        tap.ok("sum 4947\n" in ran.out and
               "100 4950 14850 108025\n" in ran.out,
               f"{what}: every firing, with its arguments", made, ran)


def use_library(work, app, lib):
    source = os.path.join(work, "user.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(FORMS[FORMS.index("#ifndef LIBRARY"):].replace(
            "int main", "#include <stdio.h>\nint work(int i);\nint main"))
    return run(["gcc", "-O2", source, lib, "-Wl,-rpath," + work, "-o", app])


def check_load(tap):
    """A library of known file comes and goes: every firing is traced."""
    lib = prog("libusdtlib.so")
    ran = dtrace("-q", "-n", f"usdtlib*:{lib}::fire {COUNT}", "-c",
                 f"{prog('usdtload')} {lib} 20 50")
    tap.ok(said(ran.out, "fired") == 1000 and 1000 in numbers(ran.out),
           "dlopen and dlclose, 20 times: every firing", ran)
    ran = dtrace("-qZ", "-n", f"usdtlib$target:::fire {COUNT}", "-c",
                 f"{prog('usdtload')} {lib} 1 500 500000")
    tap.ok(said(ran.out, "fired") == 500 and 500 in numbers(ran.out),
           "$target, with a library that it loads later", ran)


def too_late(errors):
    """The number of loads that dtrace reports as seen too late."""
    return sum(int(n) for n in re.findall(
        r"^dtrace: (\d+) loads? of code seen too late", errors, re.M))


def check_one_cpu(tap):
    """The loading program, dtrace and a busy process share one CPU.

    Each dlopen() and dlclose() waits for dtrace, which can only answer if
    the waiting program leaves it the CPU."""
    lib = prog("libusdtlib.so")
    cpus = os.sched_getaffinity(0)
    cpu = min(cpus)
    os.sched_setaffinity(0, {cpu})
    try:
        with live.busy([cpu], live.TIMEOUT):
            ran = dtrace("-qZ", "-n", f"usdtlib$target:::fire {COUNT}", "-c",
                         f"{prog('usdtload')} {lib} 10 50")
    finally:
        os.sched_setaffinity(0, cpus)
    late = too_late(ran.err)
    tap.ok(said(ran.out, "fired") == 500 and late <= 10 and
           (500 in numbers(ran.out) or late > 0),
           "all on one CPU: loads are answered, or it is told", ran)


LOADER = """
import ctypes, sys
print("here", flush=True)
sys.stdin.readline()
ctypes.CDLL(sys.argv[1]).usdtlib_fire(1)
print("loaded", flush=True)
sys.stdin.readline()
"""


def check_late(tap):
    """dtrace does not answer: the loading program goes on, and dtrace reports
    it.

    A load has two steps; dtrace knows that the first is not the last."""
    proc = subprocess.Popen(
        ["/usr/bin/python3", "-c", LOADER, prog("libusdtlib.so")], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    proc.stdout.readline()
    with Tracing("-Z", "-n", f"usdtlib{proc.pid}:::fire {COUNT}", "-p",
                 str(proc.pid)) as tracing:
        tracing.proc.send_signal(signal.SIGSTOP)
        os.waitpid(tracing.proc.pid, os.WUNTRACED)
        proc.stdin.write("load\n")
        proc.stdin.flush()
        word = proc.stdout.readline()
        tracing.proc.send_signal(signal.SIGCONT)
        out = proc.communicate()[0]
        tracing.proc.wait(timeout=60)
        tracing.stop()
    tap.ok(word == "loaded\n" and proc.returncode == 0 and
           too_late(tracing.errors) == 1,
           "a program whose dtrace hangs goes on, which is reported",
           tracing, word, out)


def check_exec(tap):
    ran = dtrace("-qZ", "-n", f"sdtapp$target:::round {COUNT}", "-c",
                 f"sh -c 'sleep 0.2; exec {prog('sdtapp')} 1000 1000'")
    got = [n for n in numbers(ran.out)]
    tap.ok(said(ran.out, "round") == 1000 and got and 0 < got[0] <= 1000,
           "$target after exec", ran)


def check_deleted(tap, work):
    app = os.path.join(work, "gone")
    shutil.copy(prog("sdtapp"), app)
    proc = spawn(app, "300", "5000")
    time.sleep(0.1)
    os.unlink(app)
    ran = dtrace("-q", "-n", f"sdtapp{proc.pid}:::asked {ASKED}",
                 "-p", str(proc.pid))
    out = finish(proc)
    tap.ok(asked_rest(ran.out, out),
           "a program whose file is gone", ran, out)


def check_list(tap):
    app = spawn(prog("sdtapp"), "300", "5000")
    time.sleep(0.1)
    one = dtrace("-l", "-n", f"sdtapp{app.pid}:::")
    every = dtrace("-l", "-P", "sdtapp*")
    names = {line.split()[-1] for line in one.out.splitlines()[1:]}
    tap.ok(names == {"round", "forms", "asked"}, "-l of a process", one)
    tap.ok(f"sdtapp{app.pid} " in every.out and "sdtapp*" not in every.out,
           "-l of a pattern: the probes of each process", every)
    app.kill()
    app.communicate()


BUILT = r"""
#include <sys/sdt.h>
#ifdef VECTOR
int main(void)
{
	for (int i = 0; i < 4; i++)
		__asm__ volatile(STAP_PROBE_ASM(built, fire, 8@%xmm0 -4@$-7));
	return 0;
}
#else
static void __attribute__((noinline))
fire(int a, const char *b)
{
	volatile short c = (short)(a - 3);
	DTRACE_PROBE5(built, fire, a, b[0], c, -9, (unsigned char)200);
}
void _start(void);
void _start(void)
{
	for (int i = 0; i < 4; i++)
		fire(i, "x");
	__asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
#endif
"""


def check_built(tap, work):
    """Programs of 32-bit code, static and stripped programs, and unreadable
    files."""
    source = os.path.join(work, "built.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(BUILT)
    values = ('built$target:::fire { printf("%d %d %d %d %d\\n", arg0, arg1, '
              "arg2, arg3, arg4); }")
    want = "".join(f"{i} 120 {i - 3} -9 200\n" for i in range(4))
    for what, flags in (("64-bit", []), ("32-bit", ["-m32"]),
                        ("32-bit, unoptimised", ["-m32", "-O0"]),
                        ("stripped", ["-s"])):
        app = os.path.join(work, "built")
        made = run(["gcc", "-O2", *flags, "-nostdlib", "-static", "-no-pie",
                    "-fno-pie", "-fno-stack-protector", "-I" + INCLUDE,
                    source, "-o", app])
        ran = dtrace("-q", "-n", values, "-c", app)
        tap.ok(ran.out == want + "\n", f"{what}, static: arguments", made, ran)
    app = os.path.join(work, "vector")
    run(["gcc", "-DVECTOR", "-I" + INCLUDE, source, "-o", app])
    ran = dtrace("-q", "-n", "built$target:::fire { @ = sum((int)arg1); } END "
                 '{ printa("%@d\\n", @); }', "-c", app)
    tap.ok(ran.out == "-28\n\n", "an argument beside one in a vector register",
           ran)
    ran = dtrace("-q", "-n", "built$target:::fire { trace(arg0); }", "-c", app)
    tap.ok(ran.status == 1 and "arg0" in ran.err and "%xmm0" in ran.err,
           "... which is refused by its name", ran)


def check_asked(tap, work):
    """Programs that ask by an instruction whether a probe is enabled.

    They are answered whether they began before dtrace or after."""
    app = os.path.join(work, "asking")
    shutil.copy(prog("dofsites"), app)
    here = spawn(app, "800", "5000")
    with Tracing("-n", f"other*:{app}::asked {{ }}") as tracing:
        later = spawn(app, "700", "5000")
        time.sleep(0.5)
        tracing.stop(signal.SIGKILL)
    outs = [finish(here), finish(later)]
    tap.ok(all(20 < said(out, "enabled") < 600 for out in outs),
           "a question is answered yes, until dtrace is killed", outs, tracing)
    held = spawn("strace", "-f", "-e", "trace=none", "-o", "/dev/null", app,
                 "100", "10000")
    time.sleep(0.3)
    pid = run(["pgrep", "-P", str(held.pid)]).out.strip()
    ran = dtrace("-q", "-n", f"other{pid}:::asked {{ }}")
    out = finish(held)
    tap.ok(ran.status == 1 and "cannot be told" in ran.err and
           "traced" in ran.err and said(out, "enabled") == 0,
           "... a process that cannot be is refused by name", ran, out)


def check_damaged(tap, work):
    """Programs with damaged notes run, and dtrace goes on."""
    app = os.path.join(work, "damaged")
    with open(prog("sdtapp"), "rb") as file:
        image = bytearray(file.read())
    at = image.find(b"stapsdt\0")
    for what, change in (("length", (at - 8, b"\xff\xff\xff\x7f")),
                         ("name size", (at - 12, b"\xff\xff\xff\xff")),
                         ("address", (at + 8, b"\x11" * 8)),
                         ("strings", (at + 32, b"x" * 64))):
        copy = bytearray(image)
        copy[change[0]:change[0] + len(change[1])] = change[1]
        with open(app, "wb") as file:
            file.write(copy)
        os.chmod(app, 0o755)
        proc = spawn(app, "200", "5000")
        time.sleep(0.05)
        ran = dtrace("-qZ", "-n", f"sdtapp{proc.pid}:::asked {COUNT}",
                     "-n", "tick-300ms { exit(0); }")
        out = finish(proc)
        tap.ok(ran.status in (0, 1) and said(out, "round") == 200,
               f"damaged notes: {what}", ran, out)


def become_nobody(work):
    """Both the traced process and dtrace belong to an ordinary user."""
    for path in (live.DTRACE, *map(prog, ("sdtapp", "spin", "usdtload",
                                           "libusdtlib.so"))):
        shutil.copy(path, work)
    live.DTRACE, live.PROGS = os.path.join(work, "dtrace"), work
    os.chown(work, NOBODY, NOBODY)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def check_in_processes():
    tap = start("")
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        if os.geteuid() == 0:
            become_nobody(work)
        check_one_process(tap)
        check_killed(tap)
        check_second_tracer(tap)
        check_limited(tap)
        check_semaphores(tap)
        check_forms(tap, work)
        check_load(tap)
        check_one_cpu(tap)
        check_late(tap)
        check_deleted(tap, work)
    tap.done()


def main():
    if SUBSTRATE:
        check_in_processes()
        return
    tap = start()
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        check_wide(tap, work)
        check_unknown(tap, work)
        check_copies(tap, work)
        check_ended(tap, work)
        check_made(tap)
        check_one_process(tap)
        check_killed(tap)
        check_two_tracers(tap)
        check_offsets_beside(tap)
        check_load(tap)
        check_one_cpu(tap)
        check_late(tap)
        check_exec(tap)
        check_deleted(tap, work)
        check_list(tap)
        check_built(tap, work)
        check_asked(tap, work)
        check_damaged(tap, work)
    tap.done()


main()
