#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --top: the view on a terminal, its keys, and the terminal's state
after each end.  pyte (python3-pyte) is the terminal."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

from live import DTRACE, TIMEOUT, dtrace, run, start

try:
    import pyte
except ImportError:
    pyte = None

ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"
TICKS = ("BEGIN { @once[\"b\", 3] = sum(70); @once[\"a\", 2] = sum(50);"
         " @once[\"c\", 1] = sum(60); }"
         "tick-10ms { @ticks[\"tick\"] = count(); }")


class View:
    """dtrace on a terminal of its own, until the block is left."""

    def __init__(self, *args, lines=24, columns=100, **env):
        self.master, self.slave = pty.openpty()
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.set_size(lines, columns)
        self.before = termios.tcgetattr(self.slave)
        self.proc = subprocess.Popen(
            [DTRACE, *args], stdin=self.slave, stdout=self.slave,
            stderr=self.slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **env})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proc.kill()
        self.proc.wait()
        os.close(self.master)
        os.close(self.slave)

    def set_size(self, lines, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, lines, columns):
        self.screen.resize(lines, columns)
        self.screen.erase_in_display(2)
        self.set_size(lines, columns)

    def read(self, seconds):
        """Take what the terminal is told within the time; or none."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        text = os.read(self.master, 65536)
        self.raw += text
        self.stream.feed(text)
        return bool(text)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def holds(self, condition):
        """Read until the condition holds; or until the time or dtrace ends.

        A frame comes in parts, so a claim of the screen is a condition as a
        whole."""
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            if time.monotonic() > deadline:
                return False
            self.read(0.2)
            if self.proc.poll() is not None and not self.read(0):
                return bool(condition())
        return True

    def until(self, pattern):
        """Read until the screen has the pattern; the match, or None."""
        def match():
            return re.search(pattern, self.text(), re.M)
        return match() if self.holds(match) else None

    def press(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        """The status, when dtrace has ended."""
        deadline = time.monotonic() + TIMEOUT
        while self.proc.poll() is None and time.monotonic() < deadline:
            self.read(0.1)
        while self.read(0.2):
            pass
        return self.proc.poll()

    def is_restored(self):
        """Has the terminal its modes, its screen and its cursor?"""
        return (termios.tcgetattr(self.slave) == self.before and
                self.raw.count(ENTER) == self.raw.count(LEAVE) == 1 and
                self.raw.rindex(b"\033[?25h") > self.raw.rindex(b"\033[?25l"))

    def after(self):
        """The text that was written behind the screen."""
        return self.raw.rpartition(LEAVE)[2].decode()


def refused(tap):
    ran = dtrace("--top", "-n", TICKS)
    tap.ok(ran.status == 1 and
           "--top: it shows a view on a terminal" in ran.err and not ran.out,
           "without a terminal it is refused", ran)
    for args, status, why in (
            (["-x", "oformat=json", "-n", TICKS], 1, "option oformat"),
            (["-n", "tick-1s { }"], 1, "the script has none"),
            (["-l", "-n", TICKS], 2, "--top shows what runs"),
            (["-e", "-n", TICKS], 2, "--top shows what runs"),
            (["-r", "/dev/null"], 2, "--top shows what runs")):
        with View("--top", *args) as view:
            tap.ok(view.end() == status and why in view.text() and
                   ENTER not in view.raw,
                   f"{' '.join(args[:2])} is refused", view.text())
    with View("--top", "-n", TICKS, TERM="nosuch") as view:
        tap.ok(view.end() == 1 and "'nosuch' (TERM)" in view.text() and
               termios.tcgetattr(view.slave) == view.before,
               "so is an unknown terminal", view.text())


def rows(view):
    return [line.split() for line in view.lines()[3:-2] if line]


def column(view, number):
    """The column of rows that have it."""
    return [row[number] for row in rows(view) if len(row) > number]


def one_row(view):
    """The value and the rate of the only row, or None."""
    for row in rows(view):
        if len(row) == 3 and row[0].isdigit():
            return int(row[0]), float(row[1])
    return None


def sees(tap):
    with View("--top", "-n", TICKS) as view:
        tap.ok(view.until(r"\A dtrace --top  00:00:\d\d  drops \d+  @once 1 of 2"
                          r"  3 rows by rate"),
               "the head has time, drops, aggregation and order", view.text())
        tap.ok(view.holds(lambda: view.lines()[1] == " 1 @once  2 @ticks" and
                          view.lines()[-1].startswith(" q quit  ? help")),
               "the aggregations and the keys have their lines", view.text())
        view.press("s")
        tap.ok(view.holds(lambda: "SUM v" in view.text() and
                          [row[:1] + row[2:] for row in rows(view)] ==
                          [["70", "b", "3"], ["60", "c", "1"],
                           ["50", "a", "2"]]),
               "by value", view.text())
        view.press("r")
        tap.ok(view.holds(lambda: "SUM ^" in view.text() and
                          column(view, 0) == ["50", "60", "70"]),
               "reversed", view.text())
        view.press("rs")
        tap.ok(view.holds(lambda: "KEYS v" in view.text() and
                          column(view, 2) == ["a", "b", "c"]),
               "by key", view.text())
        ticks(tap, view)
        view.press("?")
        tap.ok(view.until("Each row has the keys"), "? explains", view.text())
        view.press("x")
        tap.ok(view.until(r"PER SECOND"), "and any key leaves it",
               view.text())
        view.press("\033OD")  # of a terminal that was told to (smkx)
        tap.ok(view.until("@once 1 of 2"), "an arrow is a key", view.text())
        view.press("q")
        tap.ok(view.end() == 0 and view.is_restored() and
               re.fullmatch(r"(?:\033\S+|\r|dtrace: .*|\s)*", view.after()),
               "q ends, and the terminal is as it was", view.raw[-300:])


def ticks(tap, view):
    """The rate of the second aggregation, and a pause."""
    view.press("\t")
    view.until(r"@ticks 2 of 2")
    view.until(r"^ +\d+ +[1-9][\d.]* +tick$")
    tap.ok(view.holds(lambda: one_row(view) and
                      20 <= one_row(view)[1] <= 200),
           "a rate is per second", view.text())
    view.press(" ")
    view.until("PAUSED")
    while view.read(0.2):
        pass
    held = rows(view)
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        view.read(0.2)
    tap.ok(one_row(view) and rows(view) == held, "a pause holds the values",
           (held, view.text()))
    view.press("1")
    tap.ok(view.holds(lambda: "@once 1 of 2" in view.text() and
                      len(rows(view)) == 3),
           "and another aggregation can be looked at", view.text())
    view.press("2 ")
    view.until(r"^ dtrace --top  [\d:]+  drops")
    tap.ok(view.holds(lambda: one_row(view) and
                      one_row(view)[0] > int(held[0][0]) and
                      20 <= one_row(view)[1] <= 200),
           "it goes on with a rate of the last period", view.text())


MANY = ("BEGIN { @q[\"\\u65e5\\u672c\", 1] = quantize(100);"
        " @q[\"\\303\\251t\\303\\251\", 22] = quantize(3);"
        " @q[\"\\001x\", 333] = quantize(9); @q[\"plain\", 4444] = "
        "quantize(-1); }").replace(
            "\\u65e5\\u672c", "\\346\\227\\245\\346\\234\\254")


def last_keys(view):
    """The column of the screen where each row's last key begins."""
    columns = []
    for y, line in enumerate(view.screen.display):
        for word in ("1", "22", "333", "4444"):
            if re.search(rf" {word} *$", line):
                cells = "".join(view.screen.buffer[y][x].data or "\0"
                                for x in range(view.screen.columns))
                columns.append(re.search(rf"{word} *$", cells).start())
    return columns


def texts(tap):
    """Wide characters, two bytes to a column, and what cannot be shown."""
    with View("--top", "-n", MANY) as view:
        tap.ok(view.holds(lambda: len(last_keys(view)) == 4 and
                          len(set(last_keys(view))) == 1),
               "keys of any width stand in columns",
               (last_keys(view), view.text()))
        tap.ok(view.holds(lambda: all(word in view.text() for word in (
            "\\001x", "\u65e5", "\u00e9t\u00e9"))),
               "controls are escapes, and letters are letters", view.text())
        tap.ok(view.holds(lambda: all(word in view.text() for word in (
            "50% <= 127, 99% <= 127", "VALUES"))),
               "a distribution has its spread", view.text())
        for lines, columns in (10, 40), (5, 10), (2, 3), (40, 130):
            view.resize(lines, columns)
            last = " q quit  ? help"[:columns].rstrip()
            tap.ok(view.until(rf"\A d[^\0]*^{re.escape(last)}[^\n]*\Z"),
                   f"{lines} lines of {columns}", view.text())
        tap.ok(view.until("4444"), "and the rows are back", view.text())
        view.press("\003")
        tap.ok(view.end() == 0 and view.is_restored(), "Control-C ends",
               view.raw[-300:])
    with View("--top", "-n", MANY, LC_ALL="C") as view:
        tap.ok(view.until(r"\\303\\251t"), "without UTF-8, bytes are shown",
               view.text())
        view.press("q")
        view.end()


MANY_ROWS = "tick-1000hz /i < 200/ { @n[i++] = count(); }"


def scrolls(tap):
    with View("--top", "-n", MANY_ROWS) as view:
        view.until("200 rows")
        view.press("ss")
        tap.ok(view.holds(lambda: "KEYS v" in view.text() and
                          [row[-1] for row in rows(view)] ==
                          [str(i) for i in range(19)]),
               "the first rows", view.text())
        for keys, want in (("\033OB", 1), ("\033[6~", 20), ("\033OA", 19),
                           ("\033[5~", 0), ("\033OF", 181), ("\033OH", 0)):
            view.press(keys)
            tap.ok(view.until(rf"KEYS v\n +1 +[\d.]+ +{want}$"),
                   f"{keys[1:]} scrolls to row {want}", view.text())
        view.press("q")
        view.end()


def ends(tap):
    for number in signal.SIGTERM, signal.SIGHUP:
        with View("--top", "-n", TICKS) as view:
            view.until("@ticks")
            view.proc.send_signal(number)
            tap.ok(view.end() == 0 and view.is_restored(),
                   f"{number.name} ends, and the terminal is as it was",
                   (view.proc.returncode, view.raw[-300:]))
    for number in signal.SIGQUIT, signal.SIGABRT:
        with View("--top", "-n", TICKS) as view:
            view.until("@ticks")
            view.proc.send_signal(number)
            tap.ok(view.end() == -number and view.is_restored(),
                   f"so it is after {number.name}",
                   (view.proc.returncode, view.raw[-300:]))
    slow = TICKS + "END { system(\"sleep 20\"); }"
    with View("--top", "-w", "-n", slow) as view:
        view.until("@ticks")
        view.proc.send_signal(signal.SIGTERM)
        time.sleep(2)  # what comes sooner is the same signal
        view.proc.send_signal(signal.SIGTERM)
        tap.ok(view.end() == -signal.SIGTERM and view.is_restored(),
               "and after a second signal, which ends dtrace at once",
               (view.proc.returncode, view.raw[-300:]))
    with View("--top", "-t", "2s", "-n", TICKS) as view:
        tap.ok(view.end() == 0 and view.is_restored(), "-t ends the view",
               view.raw[-300:])
    with View("--top", "-n", TICKS + "tick-2s { exit(3); }") as view:
        tap.ok(view.end() == 3 and view.is_restored(), "so does exit()",
               view.raw[-300:])


def stops(tap):
    """Control-Z stops dtrace with the terminal as it was."""
    with View("--top", "-n", TICKS) as view:
        view.until("@ticks")
        # the group of a session leader is orphaned: the signal does not stop
        # it, but ncurses leaves the screen and takes it again
        view.proc.send_signal(signal.SIGTSTP)
        deadline = time.monotonic() + TIMEOUT
        while view.raw.count(ENTER) < 2 and time.monotonic() < deadline:
            view.read(0.2)
        view.press("q")
        tap.ok(view.end() == 0 and view.raw.count(LEAVE) ==
               view.raw.count(ENTER) == 2 and
               termios.tcgetattr(view.slave) == view.before,
               "SIGTSTP does no harm", view.raw[-300:])


def commands(tap):
    """The screen shows neither the output of commands nor messages."""
    script = ("syscall::write:entry /pid == $target/ { @w[execname] = "
              "count(); } tick-10ms { @f = count(); trace(*(int *)8); }")
    command = ("sh -c 'echo noise; echo more >&2; read x; echo got:$x; "
               "exec sleep 3'")
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "out")
        with View("--top", "-o", path, "-n", script, "-c", command) as view:
            seen = view.until(r"faults [1-9]")
            message = view.until(r"^dtrace: .*invalid address")
            tap.ok(seen and message, "faults are counted, and the last one is "
                   "on the screen", view.text())
            status = view.end()
            tap.ok(status == 0 and view.is_restored() and
                   b"noise" not in view.raw and b"got:" not in view.raw,
                   "the end of the command ends the view",
                   (status, view.raw[-300:]))
            tap.ok(view.after().count("invalid address") >= 2,
                   "messages are printed after it", view.after())
        with open(path, encoding="utf-8") as f:
            text = f.read()
        tap.ok(text == "noise\nmore\ngot:\n",
               "-o has what the command wrote, who read nothing", text)


def default(tap):
    command = "sh -c 'while :; do /bin/true; done'"
    with View("--top", "-c", command) as view:
        tap.ok(view.until(r"\d @syscalls") and view.until(r"\d @faults"),
               "without a program, the tool top runs", view.text())
        view.press(str(view.text().split("@syscalls")[0].split()[-1]))
        tap.ok(view.until(r"sh +\d+ +\w+$"), "its target's calls are there",
               view.text())
        view.press("q")
        tap.ok(view.end() == 0 and view.is_restored(), "and q ends it",
               view.raw[-300:])
    ran = run([DTRACE, "run", "--show", "top"])
    tap.ok(ran.status == 0 and "@syscalls[" in ran.out,
           "run --show top prints it", ran)
    with View("run", "syscalls", "--top") as view:
        tap.ok(view.until(r"@\w+ 1 of "), "a tool can be looked at, too",
               view.text())
        view.press("q")
        view.end()


def main():
    tap = start()
    if pyte is None:
        tap.skip("the view of --top", "python3-pyte is not installed")
        tap.done()
    refused(tap)
    sees(tap)
    texts(tap)
    scrolls(tap)
    ends(tap)
    stops(tap)
    commands(tap)
    default(tap)
    tap.done()


main()
