#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Python's rows are those of dtrace -x oformat=json; errors, losses, endings.

    test_rows.py DTRACE BUILD [long]
"""

import base64
import collections
import gc
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import types
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
BUILD = os.path.abspath(sys.argv[2])
os.environ["DTRACE_LIBRARY"] = os.path.join(BUILD, "libdtrace.so.1")
sys.path[:0] = [os.path.join(ROOT, "tests", "live"),
                os.path.join(ROOT, "python")]

import dtrace                       # noqa: E402
from dtrace import _session         # noqa: E402
from live import prog, run, start   # noqa: E402

OPTIONS = {"syslibdir": os.path.join(BUILD, "dlib")}

# Nothing here differs from run to run.
SAME = r"""
enum colour { RED = 1, BLUE = 5 };
struct point { int x; unsigned char name[4]; enum colour c; _Bool on; };
struct point p;
BEGIN { p.x = -3; p.c = BLUE; p.on = 1; print(p); trace("text\351"); }
BEGIN { trace((uint64_t)-1); trace((char)-1); trace(execname == "");
        printf("%s|%5d|\n", "\303\244", 42); tracemem(&p.x, 4); }
BEGIN { @c["k", 1] = count(); @c["l", 2] = count(); @s[-1] = sum(-7);
        @q = quantize(-9); @q = quantize(1000); @l = lquantize(7, 0, 10, 5);
        @a = avg(9); @m = min(-2); normalize(@s, 2);
        @p = percentile(5000, 50, "99.9"); @p = percentile(9, 50, "99.9");
        printa("%s %d %@u\n", @c); }
BEGIN { @j[1] = count(); @k[1] = max(3); printa(@j, @k); clear(@j);
        setopt("quiet"); exit(0); }
"""


def trace(program, *args, **kwargs):
    kwargs["options"] = {**OPTIONS, **kwargs.get("options", {})}
    return dtrace.run(program, *args, **kwargs)


# ---- as JSON ----------------------------------------------------------------

def as_text(text):
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return as_bytes(os.fsencode(text))


def as_bytes(data):
    return {"base64": base64.b64encode(data).decode()}


def as_frame(f):
    out = {"address": f.address}
    out.update({name: getattr(f, name) for name in
                ("module", "symbol", "annotation", "helper")
                if getattr(f, name) is not None})
    if f.symbol is not None:
        out["offset"] = f.offset
    return out


def as_json(value):
    if isinstance(value, dtrace.Enumerator):
        return value.name if value.name is not None else int(value)
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, bytes):
        return as_bytes(value)
    if isinstance(value, tuple):
        return [as_json(v) for v in value]
    if isinstance(value, dict):
        return {name: as_json(v) for name, v in value.items()}
    if isinstance(value, dtrace.Frame):
        return as_frame(value)
    return value


def datum(value, kind):
    out = {} if kind is None else {"type": kind}
    if isinstance(value, dtrace.Stack):
        if value.pid is not None:
            out["pid"] = value.pid
        out["frames"] = [as_frame(f) for f in value.frames]
    else:
        out["value"] = as_json(value)
    return out


def action(a):
    out = {"action": a.name}
    if a.format is not None:
        out["format"] = a.format
        out["args"] = [datum(v, t) for v, t in zip(a.values, a.types)]
        out["text"] = as_text(a.text)
        return out
    for value, kind, label in zip(a.values, a.types, a.labels):
        out.update(datum(value, kind) if label is None
                   else {label: as_json(value)})
    return out


def amount(a):
    out = {"name": a.name, "function": a.function}
    if a.normal != 1:
        out["normal"] = a.normal
    if isinstance(a.value, int):
        out["value"] = a.value
    else:
        out["buckets"] = [{k: v for k, v in vars(b).items() if v is not None}
                          for b in a.value]
    if a.function == "percentile":
        out["percentiles"] = [{"percent": p, "value": v}
                              for p, v in a.percentiles]
    return out


def row(r):
    if isinstance(r, dtrace.Record):
        return {"event": "probe", "id": r.probe.id, "epid": r.epid,
                "provider": r.probe.provider, "module": r.probe.module,
                "function": r.probe.function, "name": r.probe.name,
                "actions": [action(a) for a in r.actions]}
    out = {"event": "aggregation", "values": [amount(a) for a in r.amounts],
           "keys": [as_json(k) for k in r.keys]}
    if r.text is not None:
        out["text"] = as_text(r.text)
    return out


def expected(line):
    line = json.loads(line)
    line.pop("time", None)
    line.pop("cpu", None)
    if "keys" in line:
        line["keys"] = [k["value"] for k in line["keys"]]
    return line


def same(tap):
    ran = run([sys.argv[1], "-x", "oformat=json", "-n", SAME])
    # the start and the end of a run are no rows
    want = [expected(line) for line in ran.out.splitlines()[1:-1]]
    have = [row(r) for r in trace(SAME)]
    tap.ok(len(want) > 8 and have == want, "the rows of dtrace's JSON", ran,
           *[f"{a}\n{b}" for a, b in zip(have, want) if a != b],
           len(have), len(want))


def process(tap):
    """As an ordinary user would: in a process, with stacks."""
    seen = collections.Counter()
    for r in trace("pid$target:a.out:main:entry { ustack(); exit(0); }",
                   options={"substrate": "process"}, command=[prog("known"),
                                                             "data"]):
        seen[r.probe.name] += 1
        tap.ok(r.values == r.actions[0].values, "values", r)
        stack = r.actions[0].values[0]
        tap.ok(stack.pid > 1 and stack.frames[0].symbol == "main" and
               str(stack.frames[0]) == "known`main", "a stack has names", r)
    tap.ok(seen == {"entry": 1}, "a probe in a process", seen)


# ---- errors and losses ------------------------------------------------------

def errors(tap):
    try:
        list(trace("BEGIN {\n  trace(nonesuch);\n}"))
        tap.ok(False, "an error is raised")
    except dtrace.CompileError as e:
        d = e.diagnostics[0]
        tap.ok((e.tag, e.line, e.column, len(e.diagnostics), e.code) ==
               ("D_IDENT_UNDEF", 2, 9, 1, 1005) and d.hint and
               "nonesuch" in d.message and d.severity.name == "ERROR",
               "tag and place of an error", vars(e))
    for kwargs, kind in (({"options": {"nonesuch": 1}}, dtrace.OptionError),
                         ({"options": {"bufsize": "x"}}, dtrace.OptionError),
                         ({"pids": [2**22 + 1]}, dtrace.DTraceError),
                         ({"command": ["/nonesuch"]}, dtrace.DTraceError),
                         ({"losses": "x"}, ValueError),
                         ({"every": 0}, ValueError)):
        try:
            list(trace("BEGIN { exit(0); }", **kwargs))
            tap.ok(False, f"{kwargs} is refused")
        except kind:
            tap.ok(True, f"{kwargs} is refused")


FAULTS = "BEGIN { trace(1 / (pid - pid)); } BEGIN { trace(2); exit(0); }"


def losses(tap):
    rows = list(trace(FAULTS, losses="yield"))
    tap.ok([type(r).__name__ for r in rows] == ["Fault", "Record"] and
           rows[0].fault == "divide-by-zero" and rows[0].epid == 1 and
           rows[0].probe.name == "BEGIN", "a fault is a row", rows)
    with warnings.catch_warnings(record=True) as told:
        for _ in range(2):      # the second one is told, too
            rows = list(trace(FAULTS))
    tap.ok(len(rows) == 1 and [w.category for w in told] ==
           2 * [dtrace.FaultWarning], "faults are warnings", rows, told)
    try:
        list(trace(FAULTS, losses="raise"))
        tap.ok(False, "a fault is an exception")
    except dtrace.FaultWarning as e:
        tap.ok(e.fault.action == 1, "a fault is an exception", e)
    # more speculations than there are
    rows = list(trace("BEGIN { speculation(); speculation(); exit(0); }",
                      losses="yield"))
    drops = [r for r in rows if isinstance(r, dtrace.Drop)]
    tap.ok([(d.kind.name, d.count, d.total) for d in drops] ==
           [("SPECUNAVAIL", 1, 1)], "a drop is a row", rows)


# ---- endings ----------------------------------------------------------------

def descriptors():
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def endings(tap):
    forever = "tick-10ms { trace(1); @ = count(); } END { trace(\"end\"); }"
    before = descriptors()
    for r in trace(forever):
        break
    rows = trace(forever)
    next(rows)
    rows.close()
    del rows
    tap.ok(descriptors() == before, "closed early, nothing stays open")
    seen = []
    for r in trace(forever, every=0.05):
        if isinstance(r, dtrace.AggregationRow):
            seen.append(r)
        if len(seen) == 3:
            break
    tap.ok([s.snapshot for s in seen] == [0, 1, 2] and
           seen[0].value < seen[2].value, "snapshots while tracing", seen)
    with dtrace.Session(OPTIONS) as session:
        session.compile(forever)
        rows = session.rows()
        next(rows)
        thread = threading.Thread(target=session.stop)
        thread.start()
        rest = list(rows)
        thread.join()
    tap.ok(isinstance(rest[-1], dtrace.AggregationRow) and
           rest[-2].values == ("end",), "stop() of a thread: the rest comes",
           rest)
    try:
        session.snapshot()
        tap.ok(False, "a closed session is refused")
    except ValueError:
        tap.ok(True, "a closed session is refused")


def shared(tap):
    """While one thread is in a call, another one is refused."""
    with dtrace.Session(OPTIONS) as session:
        session.compile("BEGIN { exit(0); }")
        refused = []

        def use():
            for call in session.go, session.close:
                try:
                    call()
                except RuntimeError:
                    refused.append(call)
        thread = threading.Thread(target=use)
        with session._busy:
            thread.start()
            thread.join()
        rows = list(session.rows())
    tap.ok(len(refused) == 2 and len(rows) == 1,
           "a session in use is refused to another thread", refused, rows)


class Pipe(tuple):
    """stop()'s pipe; close() is called while stop() has a descriptor."""

    def __getitem__(self, index):
        closing = threading.Thread(target=self.close)
        closing.start()
        closing.join(0.3)
        self.closing = closing
        return super().__getitem__(index)


def stopped_late(tap):
    """stop() writes to its pipe, or to nothing."""
    session = dtrace.Session(OPTIONS)
    number = session._wake[1]
    copy = os.dup(session._wake[0])
    pipe = session._wake = Pipe(session._wake)
    pipe.close = session.close
    error = None
    try:
        session.stop()
    except OSError as e:
        error = e
    pipe.closing.join()
    tap.ok(error is None and os.read(copy, 9) == b"s",
           "stop() while another thread closes the session", error)
    os.close(copy)
    try:
        os.fstat(number)
        tap.ok(False, "close() after stop() closes the pipe")
    except OSError:
        tap.ok(True, "close() after stop() closes the pipe")
    session.stop()
    tap.ok(True, "stop() after close() is harmless")


def closed_twice(tap):
    """A second close() keeps its hands off the pipe that stop() has locked."""
    session = dtrace.Session(OPTIONS)
    session.close()
    session._wake = os.pipe()
    closing = threading.Thread(target=session.close)
    with session._wake_lock:
        closing.start()
        closing.join(0.2)
        is_open = len(session._wake) == 2
    closing.join()
    tap.ok(is_open and session._wake == (), "close() after close() waits")


def forked(tap):
    with dtrace.Session(OPTIONS) as session:
        session.compile("BEGIN { exit(0); }")
        child = os.fork()
        if child == 0:
            try:
                session.go()
            except RuntimeError:
                session.close()
                os._exit(7)
            os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        rows = list(session.rows())
    tap.ok(status == 7 and len(rows) == 1, "a forked child has no session",
           status, rows)


def threads(tap):
    found = {}

    def work(number):
        found[number] = [r.values for r in trace(
            "BEGIN { trace($1); exit(0); }", [str(number)])]
    all_threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    tap.ok(found == {n: [(n,)] for n in range(3)}, "a session in each thread",
           found)


INTERRUPTED = r"""
import signal, dtrace
signal.signal(signal.SIGALRM, signal.default_int_handler)
rows = []
try:
    for row in dtrace.run('BEGIN { trace(1); } END { trace(2); @ = count(); }',
                          options={'syslibdir': %r}):
        rows.append(row)
        if len(rows) == 1:
            signal.alarm(1)
except KeyboardInterrupt:
    print([type(r).__name__ for r in rows])
"""


def interrupted(tap):
    ran = run([sys.executable, "-c", INTERRUPTED % OPTIONS["syslibdir"]],
              env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python")))
    tap.ok(ran.status == 0 and ran.out ==
           "['Record', 'Record', 'AggregationRow']\n",
           "Control-C: the rest comes, then KeyboardInterrupt", ran)


# Control-C at the entry of a callback: the trace function is called there.
IN_CALLBACK = r"""
import signal, sys, dtrace
program, nth = sys.argv[1], int(sys.argv[2])
calls = 0
def at_call(frame, event, arg):
    global calls
    if frame.f_code.co_name == 'take':
        calls += 1
        if calls == nth:
            signal.raise_signal(signal.SIGINT)
sys.settrace(at_call)
rows = []
try:
    for row in dtrace.run(program, options={'syslibdir': %r}):
        rows.append(row)
except BaseException as error:
    sys.settrace(None)
    print([type(r).__name__ for r in rows], type(error).__name__,
          signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


def interrupted_callbacks(tap):
    after = " END { trace(2); @ = count(); }"
    rows = "['Record', 'Record', 'AggregationRow']"
    for program, nth, want in (
            ("BEGIN { trace(1); } tick-1h { exit(1); }" + after, 1, rows),
            ("BEGIN { exit(0); }" + after, 1, rows),
            ("BEGIN { exit(0); }" + after, 2, rows),
            ("BEGIN { exit(0); }" + after, 3, rows),
            ("BEGIN { trace(nonesuch); }", 1, "[]")):
        ran = run([sys.executable, "-c", IN_CALLBACK % OPTIONS["syslibdir"],
                   program, str(nth)],
                  env=dict(os.environ,
                           PYTHONPATH=os.path.join(ROOT, "python")))
        tap.ok((ran.out, ran.err) == (f"{want} KeyboardInterrupt True\n", ""),
               f"Control-C in callback {nth} of {program}", ran)


def interrupted_close(tap):
    """A handle is closed once, whatever comes meanwhile."""
    before = descriptors()
    session = dtrace.Session(OPTIONS)
    session.compile("BEGIN { exit(0); }")
    library, calls = session._c, []

    def close(handle):
        calls.append(handle)
        if len(calls) == 1:
            library.dtrace_close(handle)
        raise KeyboardInterrupt
    session._c = types.SimpleNamespace(dtrace_close=close)
    for _ in range(2):
        try:
            session.close()
        except KeyboardInterrupt:
            pass
    tap.ok(len(calls) == 1, "Control-C in close(): the handle is closed once",
           calls)
    tap.ok(descriptors() == before,
           "Control-C in close(): nothing stays open")


class Opening:
    """The library; Control-C comes in dtrace_open()."""

    def __init__(self, library):
        self.library = library

    def __getattr__(self, name):
        return getattr(self.library, name)

    def dtrace_open(self, *args):
        handle = self.library.dtrace_open(*args)
        signal.raise_signal(signal.SIGINT)
        return handle


def interrupted_open(tap):
    before = descriptors()
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    library = _session._library()
    _session._lib = Opening(library)
    came = False
    try:
        dtrace.Session(OPTIONS)
    except KeyboardInterrupt:
        came = True
    finally:
        _session._lib = library
        signal.signal(signal.SIGINT, handler)
    tap.ok(came and descriptors() == before,
           "Control-C in Session(): nothing stays open")


# ---- documents, pandas ------------------------------------------------------

def documented(tap):
    with open(os.path.join(ROOT, "doc", "python.md"), encoding="utf-8") as f:
        examples = re.findall(r"^```python\n(.*?)^```", f.read(), re.M | re.S)
    env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"))
    for number, text in enumerate(examples, 1):
        text = text.replace("dtrace.run(", f"dtrace.run(options={OPTIONS}, "
                            "program=").replace(
            "dtrace.Session()", f"dtrace.Session({OPTIONS})")
        ran = run([sys.executable, "-c", text], env=env)
        tap.ok(ran.status == 0 and ran.out != "",
               f"doc/python.md: example {number}", ran, text)
    tap.ok(len(examples) >= 3, "doc/python.md has examples", len(examples))


TABLE = r"""
enum colour { RED = 1 };
enum colour c;
_Bool b;
BEGIN { c = RED; b = 1; trace(c); trace("text"); trace(b); trace(-1);
        @[(uint64_t)-1] = sum((1LL << 62) + 1); @k0[1] = max(3);
        @count[1] = count(); @q = quantize(5); exit(0); }
"""


def frames(tap):
    rows = list(trace("BEGIN { trace(7); @a[\"k\"] = sum(3); "
                      "@q = quantize(5); exit(0); }"))
    table = list(dtrace.columns(rows))
    tap.ok(table[0]["v0"] == 7 and table[1] ==
           {"snapshot": 0, "k0": "k", "a": 3} and table[2]["max"] == 7,
           "columns", table)
    rows = list(trace(TABLE))
    table = [line for line in dtrace.columns(rows) if "k0" in line]
    tap.ok(table == [{"snapshot": 0, "k0": 2**64 - 1, "value": 2**62 + 1},
                     {"snapshot": 0, "k0": 1, "@k0": 3},
                     {"snapshot": 0, "k0": 1, "@count": 1}],
           "columns of aggregations that are named like others", table)
    try:
        import pandas
    except ImportError:
        tap.skip("to_frame()", "pandas is not installed")
        return
    frame = dtrace.to_frame(rows)
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    tap.ok(frame.shape == (5, 19) and
           {kinds[n] for n in ("time", "cpu", "v3", "snapshot", "value",
                               "@k0", "@count", "min", "max", "count")} ==
           {"Int64"} and kinds["k0"] == "UInt64" and
           kinds["v0"] == kinds["v1"] == "object" and kinds["v2"] == "boolean",
           "to_frame(): types of columns", frame.shape, kinds)
    first, last = frame.iloc[0], frame.iloc[4]
    tap.ok(frame["time"][0] == rows[0].time and first["v0"].name == "RED" and
           first["v1"] == "text" and first["v2"] and first["v3"] == -1 and
           frame["value"][1] == 2**62 + 1 and frame["k0"][1] == 2**64 - 1 and
           (last["aggregation"], last["min"], last["max"], last["count"]) ==
           ("q", 4, 7, 1), "to_frame(): values", frame.to_dict())
    tap.ok(frame["value"].isna().tolist() == [True, False, True, True, True]
           and frame.groupby("k0")["@k0"].sum().to_dict()[1] == 3,
           "to_frame(): values that are missing", frame.to_dict())
    bounds = dtrace.to_frame(trace(
        "BEGIN { @ = lquantize(70, 0, 10, 5); exit(0); }"))
    tap.ok(bounds["min"][1] == 10 and bounds["max"][1] is None,
           "to_frame(): a bucket that is open", bounds.to_dict())
    tap.ok(dtrace.to_frame([]).equals(pandas.DataFrame()),
           "to_frame() of no rows")


def flat(tap):
    """A million records, and no more memory than after the first ones."""
    n, least = 0, 0
    for r in trace("syscall::getppid:entry /pid == $target/ { trace(1); }",
                   options={"bufsize": "16m", "bufpolicy": "switch"},
                   losses="yield", command=[sys.executable, "-c",
                   "import os\nfor _ in range(1000000): os.getppid()"]):
        n += r.count if isinstance(r, dtrace.Drop) else 1
        if n == 100000:
            least = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tap.ok(n == 1000000, "every record came, or was told as lost", n)
    tap.ok(least and most < 2 * least, "memory is bounded", least, most)


def main():
    tap = start("root bpf prog:known")
    checks = [same, process, errors, losses, endings, shared, stopped_late,
              closed_twice, forked, threads, interrupted, interrupted_callbacks,
              interrupted_close, interrupted_open, documented, frames]
    for check in [flat] if "long" in sys.argv[3:] else checks:
        check(tap)
    tap.done()


main()
