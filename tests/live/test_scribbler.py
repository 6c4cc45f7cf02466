#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A traced process writes random bytes over the memory that it shares with
dtrace.

dtrace ends in time, takes no memory for data that was never written, and
reports the damage.
"""

import os
import signal
import subprocess
import tempfile
import threading
import time

from live import DTRACE, prog, start

STEP = "pid$target:a.out:step:entry "
SCRIPTS = {
    "records": (STEP + "{ trace(arg0); trace(copyinstr(arg1)); }", []),
    "a ring of records": (STEP + "{ trace(arg0); }", ["-x", "bufpolicy=ring"]),
    "entries and returns": (STEP + "{ trace(arg0); } pid$target:a.out:step:"
                            "return { trace(arg1); }", ["-F"]),
    "aggregations": (STEP + "{ @[copyinstr(arg1)] = count(); @q[arg0 % 5] = "
                     "quantize(arg0); } tick-50ms { printa(@q); clear(@); "
                     "trunc(@q, 2); }", []),
    "arrays and strings": (STEP + "{ x[arg0 % 100] = arg0; s[copyinstr(arg1)] "
                           "= copyinstr(arg1); last = copyinstr(arg1); } "
                           "tick-50ms { trace(x[n++ % 100]); trace(s[last]); "
                           "x[n] = 0; trace(last); }", []),
    "speculations": (STEP + "{ self->s = speculation(); speculate(self->s); "
                     "trace(arg0); } pid$target:a.out:step:return { "
                     "commit(self->s); }", ["-x", "nspec=20"]),
    "stacks": (STEP + "{ @[ustack(3)] = count(); }", []),
}
# Variables of the process and the kernel, with substrate both.
SHARED = "int last; " + STEP + """{ n++; @[last == n] = count(); place = arg0; self->n = n; }
    sched:::off-cpu /pid == $target && n != 7/
    { self->n++; @self[self->n % 100] = count();
      last = n; at[n % 100] = n; @at[at[place % 100]] = count(); trace(n);
      trace(copyinstr(place)); @q = lquantize(place, 0, 100, 1); n = 0; }"""
RUN_SECONDS = 0.6
END_SECONDS = 60
MEMORY_KB = 600 << 10 # private; a few threads have 4 MB of buffers each


def own_memory(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            words = f.read().split()
    except OSError:
        return 0
    return int(words[words.index("RssAnon:") + 1]) if "RssAnon:" in words else 0


def watch(proc, most):
    """Watch the most memory that the process has had."""
    while proc.poll() is None:
        most[0] = max(most[0], own_memory(proc.pid))
        time.sleep(0.02)


def check(tap, name, where, seed, script, options):
    most = [0]
    with (tempfile.TemporaryFile("w+", errors="replace") as err,
          open(os.devnull, "w") as out):
        proc = subprocess.Popen(
            [DTRACE, "-q", *options, "-n", script, "-c",
             f"{prog('scribbler')} {RUN_SECONDS} {seed} {where}"],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        watcher = threading.Thread(target=watch, args=(proc, most))
        watcher.start()
        try:
            proc.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            proc.kill()
            proc.wait()
        watcher.join()
        err.seek(0)
        text = err.read()
    # without the command's word, dtrace refused the script
    tap.ok(proc.returncode >= 0 and most[0] < MEMORY_KB and
           "scribbled\n" in text,
           f"{name}, {where} is overwritten: dtrace ends", proc.returncode,
           f"{most[0]} KB", text[:2000])
    return "written to the memory that it shares" in text


def main():
    tap = start("root bpf prog:scribbler")
    signal.alarm(900)
    told = [check(tap, name, where, seed, script,
                  ["-x", "substrate=process", *options])
            for seed, (name, (script, options)) in enumerate(SCRIPTS.items())
            for where in ("all", "head")]
    # writes that hit only data are not noticed
    tap.ok(all(told[1::2]) and sum(told) > len(told) / 2,
           "dtrace says that its memory was written to", told)
    told = check(tap, "shared variables", "variables", 1, SHARED,
                 ["-x", "substrate=both"])
    tap.ok(told, "... also if the kernel reaches it")
    tap.done()


main()
