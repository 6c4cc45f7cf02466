#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run D programs and compare what they print: tests/cases/<topic>/<claim>.d.

A case is one .d file.  Its first comment begins with the claim, a sentence,
and may hold directives, one on a line:

    @@args: -q             options, before -s FILE
    @@operands: 1 abc      macro arguments, after -s FILE
    @@needs: prog:known    requirements besides root and bpf, or
                           "nothing" for a case that only compiles; unmet
                           means skipped, with the reason
    @@run: $PROGS/known    a command to trace, with -c
    @@exit: 3              exit status, if not 0
    @@kernel: WHY          not on the process substrate, and why
    @@process: WHY         not where a part runs in processes, and why
    @@alone: WHY           beside no other case, and why

Siblings are found by suffix.  None is required; the output must equal an
existing one byte for byte:

    .out     standard output (empty without it)
    .err     standard error, besides the "matched N probes" lines, what a busy
             machine was too late for (ticks, a look at code that was loaded),
             that a process has exited, and that a stack of the kernel is deep
    .dif     output of -S; the case is then only compiled
    .sh      runs instead of the one command; has $DTRACE, $CASE, $PROGS; with
             exit status 77 the case is skipped, for the reason on its last
             line of standard error
    .filter  sed script over both outputs, for parts that vary; a topic's
             default.filter serves its cases that have none

A case named err.<TAG>.<claim>.d must be refused: exit status 1 and one
message, with that tag.  One mistake is one error.

With --dof, each case that is one command is first saved as DOF, then run from
that, without its source: the output must be the same.

With --replay, each case that is one trace is recorded, and the recording is
printed: output, errors and exit status must be those of the recorded run.

With --substrate=process, each case that is one trace, and whose needs are met,
runs on that substrate.  The output must be the same; or the case must be
refused before it prints anything, because it uses something that only the
kernel has.  Cases of probes in programs (topics pid and usdt) that are scripts
also run, with a $DTRACE that has the option; none of these may be refused.
Run by an ordinary user, a case may be refused for want of privileges, too.

With --substrate=both, the same cases run with the parts of their programs in
both substrates.  None may be refused, and what -v tells of the parts is not
compared.

With --tracing, the cases that only compile are left out: another kernel changes
nothing in them.

Every case runs in an empty directory of its own, in a process group of its
own, for at most 60 seconds ($CASE_SECONDS: an emulated machine is slow).
"""

import argparse
import concurrent.futures
import contextlib
import difflib
import os
import re
import shlex
import signal
import string
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap, default_signals, first_missing, is_emulated, \
    kernel_release

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")
SKIPPED = 77
TRIES = 5
TIMEOUT = int(os.environ.get("CASE_SECONDS", "60"))
# A slow machine needs these options.  The environment gives cases no others,
# and none to cases that print options.
SLOW = ["DTRACE_OPT_ANALYSISMAX"]
PRINT_OPTIONS = ("dof/", "golden/")
MATCHED = re.compile(
    rb"dtrace: (?:script|description) '[^\n]*' matched \d+ probes?\n")
LATE = re.compile(rb"dtrace: (?:\[\w+\] )?\d+ "
                  rb"(?:profile firings? missed or late|"
                  rb"loads? of code seen too late)[^\n]*\n")
DEEP = re.compile(rb"dtrace: some stacks have all \d+ frames that option "
                  rb"stackframes [^\n]*\n")
ENDED = re.compile(rb"dtrace: pid \d+ has exited\n")
KILLED = re.compile(rb"dtrace: pid \d+ was ended")
REFUSED = re.compile(rb"dtrace: cannot trace: (?:line \d+: |[^\n]*\.d:\d+: )?"
                     rb"([^\n]*not available with -x substrate=process)")
UNPRIVILEGED = re.compile(rb"error: [^\n]*(needs the capabilit(?:y|ies) CAP_|"
                          rb"the kernel hides the address)")
WHERE = re.compile(rb"dtrace: [^\n]*: runs (?:in the (?:kernel|process)|"
                   rb"where the fault is)[^\n]*\n")
# Messages of only one of a run and its replay.
UNREPLAYED = re.compile(
    rb"dtrace: (?:allowing destructive actions|the recorded program has [^\n]*|"
    rb"system\(\) is not carried out in a replay)\n")
SKIPPING = re.compile(rb"\d+ firings? skipped by the kernel inside another probe")
DIRECTIVE = re.compile(r"@@(\w+):[ \t]*(.*)")
DIRECTIVES = {"args", "operands", "needs", "run", "exit", "kernel",
              "process", "alone"}
PROGRAMS = {"pid", "usdt"}


class BadCase(Exception):
    """The case itself is malformed."""


class Case:
    def __init__(self, path):
        self.path = path
        self.stem = path[:-len(".d")]
        self.name = os.path.relpath(self.stem, CASES)
        self.topic = os.path.dirname(path)
        match = re.match(r"err\.([A-Z_0-9]+)\.", os.path.basename(path))
        self.tag = match.group(1) if match else None
        self.read_header()

    def read_header(self):
        with open(self.path, encoding="latin-1") as f:
            text = f.read()
        match = re.search(r"/\*(.*?)\*/", text, re.S)
        if not match:
            raise BadCase("no header comment")
        lines = [re.sub(r"^[ \t]*\*? ?", "", line).strip()
                 for line in match.group(1).splitlines()]
        lines = [line for line in lines if line]
        if not lines or lines[0].startswith("@@"):
            raise BadCase("the header does not begin with a claim")
        self.directives = {}
        for line in lines:
            match = DIRECTIVE.match(line)
            if not match:
                continue
            if match.group(1) not in DIRECTIVES:
                raise BadCase(f"unknown directive @@{match.group(1)}")
            self.directives[match.group(1)] = match.group(2).strip()

    def sibling(self, suffix):
        return self.stem + suffix

    def has(self, suffix):
        return os.path.exists(self.sibling(suffix))

    def expected(self, suffix):
        if not self.has(suffix):
            return b""
        with open(self.sibling(suffix), "rb") as f:
            return f.read()

    def filter(self):
        for path in (self.sibling(".filter"),
                     os.path.join(self.topic, "default.filter")):
            if os.path.exists(path):
                return path
        return None

    def needs(self, substrate=None):
        needs = self.directives.get("needs", "").split()
        if substrate == "process":
            return [need for need in needs if need != "nothing"]
        needs = [need for need in needs if need != "kernel"]
        if needs == ["nothing"] or (not needs and self.compile_only()):
            return []
        return ["root", "bpf"] + needs

    def compile_only(self):
        return self.tag is not None or self.has(".dif")

    def status(self):
        return int(self.directives.get("exit", 1 if self.tag else 0))

    def words(self, name, env):
        text = self.directives.get(name, "")
        return shlex.split(string.Template(text).safe_substitute(env))

    def options(self, dtrace, env):
        cmd = [dtrace] + self.words("args", env)
        if "run" in self.directives:
            run = string.Template(self.directives["run"])
            cmd += ["-c", run.safe_substitute(env)]
        return cmd

    def command(self, dtrace, env):
        if self.has(".sh"):
            return ["bash", self.sibling(".sh")]
        cmd = self.options(dtrace, env)
        if self.has(".dif"):
            cmd[1:1] = ["-S", "-e"]
        return cmd + ["-s", self.path] + self.words("operands", env)

    def is_one_trace(self):
        dumps = "--dump" in self.directives.get("args", "")
        return not (self.has(".sh") or self.compile_only() or dumps)

    def is_about_programs(self):
        return os.path.basename(self.topic) in PROGRAMS

    def fits_substrate(self):
        return self.is_one_trace() or (
            self.is_about_programs() and self.has(".sh") and
            self.directives.get("needs") != "nothing")

    def unfit(self, substrate):
        """Why the case is not for the substrate; None: it is."""
        why = self.directives.get("process") if substrate else None
        if substrate == "process":
            why = why or self.directives.get("kernel")
        return why

    def fits_dof(self):
        """Is the case one trace that gives the same result from saved DOF?

        The result must not depend on the compiling process, nor on the
        source."""
        if self.has(".sh") or self.compile_only():
            return False
        with open(self.path, encoding="latin-1") as f:
            if re.search(r"\$(target|pid|ppid)\b", f.read()):
                return False
        return os.path.basename(self.path).encode() not in \
            self.expected(".err")

    def dof_command(self, dtrace, env):
        """Save the program as DOF, then run it from there."""
        save = [dtrace] + self.words("args", env) + \
            ["-o", "case.dof", "-x", "linktype=dof", "-s", self.path] + \
            self.words("operands", env)
        run = self.options(dtrace, env) + ["-s", "case.dof"]
        return ["sh", "-c", shlex.join(save) + " && " + shlex.join(run)]


    def fits_replay(self):
        """Is the case one trace whose output dtrace writes to one place?"""
        if not self.is_one_trace() or \
                re.search(r"-[elov]\b", self.directives.get("args", "")):
            return False
        with open(self.path, encoding="latin-1") as f:
            return not re.search(r"\b(freopen|ftruncate)\b", f.read())

    def record_commands(self, dtrace, env):
        """Record the case, and replay it.

        With -o, the output is apart from that of commands."""
        record = self.options(dtrace, env) + \
            ["-x", "record=case.dtr", "-o", "live.out", "-s", self.path] + \
            self.words("operands", env)
        return record, [dtrace, "-r", "case.dtr", "-o", "replay.out"]


def run_group(cmd, cwd, env):
    """Run a command in its own process group; returns (status, out, err).

    A status of None: the command had to be killed.  It writes to files, so
    a process that it leaves behind does not block the runner."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        proc = subprocess.Popen(cmd, cwd=cwd, env=env, stdout=out, stderr=err,
                                stdin=subprocess.DEVNULL,
                                start_new_session=True)
        try:
            status = proc.wait(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(proc.pid, signal.SIGKILL)
        proc.wait()
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


def sed(script, data):
    if script is None:
        return data
    return subprocess.run(["sed", "-f", script], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


def constant(err):
    """Standard error without messages that vary from run to run, or that only
    one substrate gives."""
    err = WHERE.sub(b"", err)
    return KILLED.sub(b"dtrace: pid N was ended",
                      ENDED.sub(b"", LATE.sub(
                          b"", DEEP.sub(b"", MATCHED.sub(b"", err)))))


def unified(name, want, got):
    def lines(data):
        text = data.decode("utf-8", "backslashreplace")
        parts = text.split("\n")
        tail = [parts[-1] + "\\ no newline"] if parts[-1] else []
        return [p + "$" for p in parts[:-1]] + tail
    return "\n".join(difflib.unified_diff(
        lines(want), lines(got), "expected " + name, "printed " + name,
        lineterm=""))


def check_tag(case, err):
    text = err.decode("utf-8", "replace")
    tags = re.findall(r"\[(D_[A-Z_0-9]+)\]", text)
    if tags != [case.tag]:
        return f"expected one error, {case.tag}, got {tags}:\n{text}"
    return None


def judge(case, result):
    """The errors in the result: a list of texts, empty if there are none."""
    status, out, err = result
    wrong = []
    if status is None:
        wrong.append(f"killed after {TIMEOUT} s")
    elif status != case.status():
        wrong.append(f"exit status {status}, expected {case.status()}")
    script = case.filter()
    err = constant(err)
    if case.has(".dif"):
        out, want = out + err, case.expected(".dif")
        err = b""
    else:
        # scripts may join the two
        out, want = LATE.sub(b"", out), case.expected(".out")
    out = sed(script, out)
    err = sed(script, err)
    if out != want:
        wrong.append(unified("output", want, out))
    if case.tag:
        bad = check_tag(case, err)
        if bad:
            wrong.append(bad)
    elif err != case.expected(".err"):
        wrong.append(unified("errors", case.expected(".err"), err))
    elif wrong and err:
        wrong.append("errors: " + err.decode("utf-8", "replace"))
    return wrong


def environment(dtrace, progs, case):
    kept = [] if case.name.startswith(PRINT_OPTIONS) else SLOW
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("DTRACE") or k in kept}
    env.update(DTRACE=dtrace, PROGS=progs, CASE=case.path, CASES=CASES,
               TZ="UTC", LC_ALL="C")
    return env


def run_in_folder(case, env, dof=False, substrate=None):
    with tempfile.TemporaryDirectory(prefix="dt-case.") as cwd:
        make = case.dof_command if dof else case.command
        cmd = make(env["DTRACE"], env)
        if substrate and not case.has(".sh"):
            cmd[1:1] = ["-x", "substrate=" + substrate]
        return run_group(cmd, cwd, env)


def read_file(path):
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as f:
        return f.read()
    return b""


def judge_replay(case, opts):
    """The differences between a recorded run and its replay."""
    env = environment(opts.dtrace, opts.progs, case)
    with tempfile.TemporaryDirectory(prefix="dt-case.") as cwd:
        record, replay = case.record_commands(opts.dtrace, env)
        live = run_group(record, cwd, env)
        if not os.path.exists(os.path.join(cwd, "case.dtr")):
            return [] if live[0] == case.status() != 0 else [
                "no recording: " + live[2].decode("utf-8", "replace")]
        again = run_group(replay, cwd, env)
        outs = [read_file(os.path.join(cwd, name))
                for name in ("live.out", "replay.out")]
    wrong = []
    if again[0] != live[0]:
        wrong.append(f"exit status {again[0]}, of the run {live[0]}")
    if outs[0] != outs[1]:
        wrong.append(unified("output", *outs))
    errs = [constant(UNREPLAYED.sub(b"", err)) for err in (live[2], again[2])]
    if errs[0] != errs[1]:
        wrong.append(unified("errors", *errs))
    return wrong


def wrapper(folder, dtrace, substrate):
    """Write a command for scripts: dtrace with the option."""
    path = os.path.join(folder, "dtrace")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nexec '{dtrace}' -x substrate={substrate} "
                '"$@"\n')
    os.chmod(path, 0o755)
    return path


def run_case(case, opts):
    dtrace = opts.wrapper if opts.substrate and case.has(".sh") else \
        opts.dtrace
    env = environment(dtrace, opts.progs, case)
    return run_in_folder(case, env, opts.dof, opts.substrate)


def preempts_programs():
    """Can the kernel skip programs of probes on this machine?

    Since Linux 7.0 a thread may be preempted while it runs a tracepoint's
    program, which is then skipped for the next thread of the CPU.  This is
    rare on a real CPU; a slow emulated one spends its time between ticks in
    programs."""
    return is_emulated() and kernel_release() >= (7, 0)


def run_whole(case, opts):
    """Run a case; run it again if the kernel reported skipped firings."""
    for _ in range(TRIES if preempts_programs() else 1):
        result = run_case(case, opts)
        if not SKIPPING.search(result[1] + result[2]):
            break
    return result


def refusal(result):
    """The reason of a refusal, or None.

    It names something that the substrate, or an ordinary user, does not
    have."""
    match = REFUSED.search(result[2])
    if match is None and os.geteuid() != 0:
        match = UNPRIVILEGED.search(result[2])
    return match.group(1).decode() if match else None


def update(case, result):
    """make golden: write the output to the case's files, to review as a
    diff."""
    _, out, err = result
    script = case.filter()
    err = constant(err)
    if case.has(".dif"):
        files = {".dif": out + err}
    else:
        files = {".out": out} if case.tag else {".out": out, ".err": err}
    for suffix, data in files.items():
        data = sed(script, data)
        if data or case.has(suffix):
            with open(case.sibling(suffix), "wb") as f:
                f.write(data)


def one(path, opts, tap):
    name = os.path.relpath(path[:-2], CASES)
    try:
        case = Case(path)
        if opts.dof and not case.fits_dof() or \
                opts.replay and not case.fits_replay() or \
                opts.substrate and not case.fits_substrate() or \
                opts.tracing and not case.needs():
            return
        why = case.unfit(opts.substrate)
        if why:
            tap.skip(name, why)
            return
        why = first_missing(case.needs(opts.substrate))
        if why:
            if opts.substrate != "process":
                tap.skip(name, why)
            return
        if opts.replay:
            wrong = judge_replay(case, opts)
            tap.ok(not wrong, name, *wrong)
            return
        result = run_whole(case, opts)
        if result[0] == SKIPPED and case.has(".sh"):
            lines = result[2].decode("utf-8", "replace").splitlines()
            tap.skip(name, lines[-1] if lines else "it does not say why")
            return
        if opts.substrate == "process" and refusal(result):
            tap.ok(result[:2] == (1, b"") and not case.is_about_programs(),
                   f"{name}: {refusal(result)}", result)
            return
        if opts.golden:
            update(case, result)
        wrong = judge(case, result)
    except (BadCase, OSError, ValueError,
            subprocess.CalledProcessError) as e:
        wrong = [f"{type(e).__name__}: {e}"]
    tap.ok(not wrong, name, *wrong)


def find_cases(patterns):
    found = []
    for folder, _, files in os.walk(CASES):
        found += [os.path.join(folder, f) for f in files if f.endswith(".d")]
    found.sort()
    if patterns:
        found = [f for f in found
                 if any(p in os.path.relpath(f, CASES) for p in patterns)]
    return found


def runs_alone(path):
    """Does the case run beside no other?"""
    with open(path, encoding="latin-1") as f:
        return "@@alone:" in f.read()


def part(text):
    """K/N, the Kth of N parts, as (K - 1, N)."""
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise ValueError
    return k - 1, n


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    build = os.path.join(os.path.dirname(HERE), "build")
    parser.add_argument("--dtrace", default=os.path.join(build, "dtrace"))
    parser.add_argument("--progs",
                        default=os.path.join(build, "tests", "prog"))
    parser.add_argument("--golden", action="store_true",
                        help="rewrite the expected outputs")
    parser.add_argument("--dof", action="store_true",
                        help="run each case from DOF, not from its source")
    parser.add_argument("--replay", action="store_true",
                        help="record each case, and replay it")
    parser.add_argument("--substrate",
                        help="run each case on this substrate")
    parser.add_argument("--tracing", action="store_true",
                        help="leave out the cases that only compile")
    parser.add_argument("--part", type=part, default=(0, 1), metavar="K/N",
                        help="of N parts of them run only the Kth")
    parser.add_argument("-j", type=int, default=2, dest="jobs")
    parser.add_argument("patterns", nargs="*",
                        help="parts of the names of the cases to run")
    opts = parser.parse_args()
    opts.dtrace = os.path.abspath(opts.dtrace)
    opts.progs = os.path.abspath(opts.progs)
    if not os.path.isdir(opts.progs):
        parser.error(f"--progs: no folder {opts.progs}")
    os.environ["PROGS"] = opts.progs
    first, step = opts.part

    default_signals()
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="dt-cases.") as folder, \
            concurrent.futures.ThreadPoolExecutor(opts.jobs) as pool:
        opts.wrapper = wrapper(folder, opts.dtrace, opts.substrate)
        found = find_cases(opts.patterns)[first::step]
        list(pool.map(lambda p: one(p, opts, tap),
                      [p for p in found if not runs_alone(p)]))
        for path in filter(runs_alone, found):
            one(path, opts, tap)
    tap.done()


if __name__ == "__main__":
    main()
