#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Scripts in the style of the published ones run live, and their output is
compared with another source of truth.  README.md says how they are written.

    test_scripts.py [--part I/N] DTRACE [PATTERN...]

A pattern matches file names (tests/scripts/PATTERN.d).  --part runs every N-th
script from the I-th on; "--part rotate/N" takes another part with each commit.
"""

import collections
import fnmatch
import glob
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import Tap, default_signals, first_missing
from tried import turn

DIRECTIVE = re.compile(r"@@(\w+):[ \t]*(.*)")
KNOWN = {"load", "truth", "how", "check", "args", "operands", "needs", "err",
         "exit", "bug"}
TRUTHS = {"load", "strace", "perf", "snmp", "procio", "rusage", "stat",
          "output"}
HOWS = {"system", "target", "self"}
SECONDS = 60     # for machines that others use, too


class BadScript(Exception):
    pass


class Script:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-len(".d")]
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.text = text
        match = re.search(r"/\*(.*?)\*/", text, re.S)
        if not match:
            raise BadScript("no header comment")
        self.words = collections.defaultdict(list)
        lines = [re.sub(r"^[ \t]*\*? ?", "", line).rstrip()
                 for line in match.group(1).splitlines()]
        lines = [line for line in lines if line.strip()]
        if not lines or lines[0].startswith("@@"):
            raise BadScript("the header does not begin with a sentence")
        last = None
        for line in lines:
            found = DIRECTIVE.match(line)
            if found:
                last = found.group(1)
                if last not in KNOWN:
                    raise BadScript(f"unknown directive @@{last}")
                self.words[last].append(found.group(2))
            elif last and line[0] in " \t":     # a continued line
                self.words[last][-1] += " " + line.strip()
        for word in ("load", "truth", "check"):
            if not self.words[word]:
                raise BadScript(f"no @@{word}")
        self.truths = " ".join(self.words["truth"]).split()
        if set(self.truths) - TRUTHS:
            raise BadScript(f"unknown truth in '{self.truths}'")
        self.how = self.one("how", "target" if "$target" in text else "system")
        if self.how not in HOWS:
            raise BadScript(f"unknown @@how: {self.how}")

    def one(self, word, default=""):
        return self.words[word][0] if self.words[word] else default


# -- loads -----------------------------------------------------------------

def toil():
    """The path of toil, which is built here if no build has it."""
    path = os.path.join(os.environ.get("PROGS", ""), "toil")
    if os.access(path, os.X_OK):
        return path
    path = os.path.join(tempfile.gettempdir(), f"toil-{os.getuid()}", "toil")
    source = os.path.join(HERE, "..", "prog", "toil.c")
    if not os.path.exists(path) or \
            os.path.getmtime(path) < os.path.getmtime(source):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O2", "-static", "-no-pie",
                        "-fno-pie", "-pthread", "-o", path, source], check=True)
    return path


def command(load):
    """The words of the command of a @@load."""
    kind, _, rest = load.partition(" ")
    if kind == "toil":
        return [toil(), *rest.split()]
    if kind == "sh":
        return ["/bin/sh", "-c", rest]
    if kind == "py":
        return ["/usr/bin/python3", "-c", rest]
    if kind == "prog":
        words = shlex.split(rest)
        return [os.path.join(os.environ.get("PROGS", ""), words[0]),
                *words[1:]]
    raise BadScript(f"unknown load '{kind}'")


def watched(cmd, truths):
    """The command line that runs the command under its sources of truth."""
    if "strace" in truths:
        return ["strace", "-f", "-q", "-s", "4096", "-o", "strace.out", *cmd]
    if "perf" in truths:
        return ["perf", "stat", "-x,", "-o", "perf.out", "-e",
                "minor-faults,major-faults,page-faults,context-switches,"
                "cpu-migrations", *cmd]
    return cmd


# -- other sources of truth ------------------------------------------------

class Strace:
    """Calls that strace saw: returned ones by name, failed ones, results."""

    CALL = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)(.*)")

    def __init__(self, text):
        self.calls = collections.Counter()      # calls that returned
        self.entered = collections.Counter()    # begun calls, exit_group() too
        self.failed = collections.Counter()
        self.errors = collections.Counter()     # failures by errno name
        self.bytes = collections.Counter()      # sum of positive results
        self.signals = collections.Counter()    # delivered signals
        self.exits = collections.Counter()      # ends by status or signal
        self.lines, begun = [], {}
        for line in text.splitlines():
            pid, _, rest = line.partition(" ")
            rest = rest.strip()
            if rest.endswith("<unfinished ...>"):
                begun[pid] = rest[:-len("<unfinished ...>")].rstrip()
                self.entered[rest.split("(")[0]] += 1
                continue
            resumed = re.match(r"<\.\.\. (\w+) resumed>(.*)", rest)
            if resumed:
                rest = (begun.pop(pid, resumed.group(1) + "(") +
                        resumed.group(2))
            self.lines.append(rest)
            self._line(f"{pid} {rest}", not resumed)

    def _line(self, line, fresh):
        rest = line.split(" ", 1)[1]
        if rest.startswith("--- SIG"):
            self.signals[rest.split()[1]] += 1
        elif rest.startswith("+++ exited with"):
            self.exits[int(rest.split()[3])] += 1
        elif rest.startswith("+++ killed by"):
            self.exits[rest.split()[3]] += 1
        match = self.CALL.match(line)
        if not match:
            return
        name, value, more = match.group(2), match.group(4), match.group(5)
        self.entered[name] += fresh
        if value == "?":
            return
        self.calls[name] += 1
        number = int(value, 0)
        if number > 0:
            self.bytes[name] += number
        error = re.match(r" (E\w+)", more)
        if number == -1 and error:
            self.failed[name] += 1
            self.errors[error.group(1)] += 1

    def seen(self, pattern):
        """The number of lines that match the pattern."""
        return sum(1 for line in self.lines if re.search(pattern, line))


def perf(text):
    rows = [line.split(",") for line in text.splitlines()
            if line and line[0].isdigit()]
    return {row[2].split(":")[0]: int(row[0]) for row in rows}


def stat():
    """Counters in /proc/stat of the whole machine since boot."""
    with open("/proc/stat", encoding="ascii") as f:
        rows = [line.split() for line in f]
    return {row[0]: int(row[1]) for row in rows
            if row[0] in ("ctxt", "processes", "intr", "softirq")}


def snmp(text):
    """The rows of /proc/net/snmp: {"Tcp": {"OutSegs": 30, ...}, ...}"""
    rows = [line.split() for line in text.splitlines() if line]
    return {names[0].rstrip(":"): dict(zip(names[1:], map(int, numbers[1:])))
            for names, numbers in zip(rows[::2], rows[1::2])}


def read(path, default=""):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return default


def read_report():
    text = read("report.json")
    if not text:
        return {}
    report = json.loads(text)
    report["wchar"] += len(text)        # the report's own write
    if "snmp" in report:
        report["snmp"] = snmp(report["snmp"])
    return report


# -- the output of a script ------------------------------------------------

class Printed:
    """The names that a @@check may use, from a script's output."""

    def __init__(self, out, err):
        self.out, self.err = out, err
        self.lines = out.splitlines()
        self.rows = [line.split() for line in self.lines if line.strip()]

    def n(self, *begin):
        """The last number of the only row that begins with these words; 0 if
        there is none."""
        begin = [str(word) for word in begin]
        found = [row for row in self.rows if row[:len(begin)] == begin]
        if not found:
            return 0
        if len(found) > 1:
            raise ValueError(f"{len(found)} rows begin with {begin}")
        return int(found[0][-1])

    def column(self, *begin, at=-1):
        """The numbers of all rows that begin with these words."""
        begin = [str(word) for word in begin]
        return [int(row[at]) for row in self.rows
                if row[:len(begin)] == begin and len(row) > len(begin) and
                re.fullmatch(r"-?\d+", row[at])]

    def count(self, pattern):
        """The number of lines that match the pattern."""
        return sum(1 for line in self.lines if re.search(pattern, line))

    def find(self, pattern):
        """The first group of the pattern in each line that matches."""
        return re.findall(pattern, self.out, re.M)

    def dist(self, title=None):
        """{lower bound: count} of a distribution.

        It is the first one, or the one under the line with this title."""
        found, inside = {}, title is None
        for line in self.lines:
            if not inside:
                inside = title in line
                continue
            row = re.match(r"\s*([<>]?=? ?-?\d+)\s*\|[@ ]*\s(\d+)\s*$", line)
            if row:
                found[row.group(1).replace(" ", "")] = int(row.group(2))
            elif found:
                break
        numbers = {}
        for key, value in found.items():
            numbers[int(key) if re.fullmatch(r"-?\d+", key) else key] = value
        return numbers

    def names(self):
        names = {name: getattr(self, name) for name in
                 ("out", "err", "lines", "rows", "n", "column", "count",
                  "find", "dist")}
        names.update(re=re, os=os)
        return names


# -- one run ---------------------------------------------------------------

def await_begin(proc, out, seconds=30):
    """Wait until BEGIN has printed, when every probe is armed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and proc.poll() is None:
        if os.fstat(out.fileno()).st_size:
            return
        time.sleep(0.01)
    if proc.poll() is None:
        raise BadScript("BEGIN printed nothing, so nobody knows when to begin")


def run_loads(script):
    for load in script.words["load"]:
        done = subprocess.run(watched(command(load), script.truths),
                              stdin=subprocess.DEVNULL, check=False,
                              capture_output=True, text=True, timeout=SECONDS)
        if done.returncode in (98, 99):
            raise BadScript(f"the load failed: {done.stderr}")


def trace(script, dtrace):
    """Run script and load in the current directory; returns dtrace's
    results."""
    args = [dtrace, *shlex.split(script.one("args")), "-s", script.path,
            *shlex.split(script.one("operands"))]
    if script.how == "target":
        args += ["-c", shlex.join(watched(command(script.one("load")),
                                          script.truths))]
    with open("out", "w+", encoding="utf-8", errors="replace") as out, \
            open("err", "w+", encoding="utf-8", errors="replace") as err:
        proc = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=err)
        try:
            if script.how != "target":
                await_begin(proc, out)
                if proc.poll() is None:
                    run_loads(script)
                if script.how == "system":
                    proc.send_signal(signal.SIGINT)
            proc.wait(timeout=SECONDS)
        finally:
            if proc.poll() is None:
                proc.kill()
                proc.wait()
        return proc.returncode, read("out"), read("err")


def told(script, err):
    """Messages of dtrace that the script does not expect."""
    quiet = re.compile(r"dtrace: (?:script '.*' matched \d+ probes?$"
                       r"|pid \d+ has exited$"
                       r"|allowing destructive actions$"
                       r"|some stacks have all \d+ frames that option stackframes "
                       r"permits|\d+ profile firings? missed or late)")
    asked = [re.compile(text) for text in script.words["err"]]
    return [line for line in err.splitlines() if line and
            not quiet.match(line) and
            not any(one.search(line) for one in asked)]


def run(script, dtrace):
    """The failures of a script as a list of texts."""
    before = stat()
    status, out, err = trace(script, dtrace)
    after = stat()
    printed = Printed(out, err)
    names = printed.names()
    names["load"] = read_report()
    names["stat"] = {name: after[name] - before[name] for name in after}
    names["strace"] = Strace(read("strace.out"))
    names["perf"] = perf(read("perf.out"))
    wrong = []
    if status != int(script.one("exit", "0")):
        wrong.append(f"exit status {status}")
    wrong += [f"told: {line}" for line in told(script, err)]
    for check in script.words["check"]:
        try:
            if not eval(check, dict(names)):
                wrong.append(f"does not hold: {check}")
        except Exception as e:      # a missing number, for example
            wrong.append(f"{type(e).__name__} in {check}: {e}")
    if wrong:
        wrong += ["output: " + out[:3000], "errors: " + err[:2000],
                  "load: " + str(names["load"])[:1500]]
        if "strace" in script.truths:
            wrong.append("strace: " + str(dict(names["strace"].calls)))
        if "perf" in script.truths:
            wrong.append("perf: " + str(names["perf"]))
    return wrong


def attempt(tap, path, dtrace):
    try:
        script = Script(path)
        why = first_missing(["root", "bpf"] +
                            " ".join(script.words["needs"]).split() +
                            ["cmd:" + t for t in ("strace", "perf")
                             if t in script.truths])
        if why:
            tap.skip(script.name, why)
            return
        if script.words["bug"]:
            tap.skip(script.name, "a known bug: " + script.one("bug"))
            return
        home = os.getcwd()
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            os.chdir(folder)
            try:
                wrong = run(script, dtrace)
            finally:
                os.chdir(home)
    except (BadScript, subprocess.TimeoutExpired, OSError) as e:
        wrong = [f"{type(e).__name__}: {e}"]
    tap.ok(not wrong, os.path.basename(path)[:-2], *wrong)


def main():
    default_signals()
    args = sys.argv[1:]
    first, step = 0, 1
    if args[:1] == ["--part"]:
        which, _, step = args[1].partition("/")
        step = int(step)
        first = turn(HERE, range(step)) if which == "rotate" else int(which)
        args = args[2:]
    if not args:
        sys.exit(__doc__)
    dtrace, patterns = os.path.abspath(args[0]), args[1:] or ["*"]
    tap = Tap()
    paths = [path for path in sorted(glob.glob(os.path.join(HERE, "*.d")))
             if any(fnmatch.fnmatch(os.path.basename(path)[:-2], pattern)
                    for pattern in patterns)]
    for path in paths[first::step]:
        attempt(tap, path, dtrace)
    tap.done()


if __name__ == "__main__":
    main()
