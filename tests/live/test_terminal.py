#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Output that only a terminal gets: aggregations shown repeatedly, a note while
starting takes long, and text without control characters."""

import os
import pty
import re
import shutil
import tempfile

from live import DTRACE, dtrace, start, started

CLEAR = "\033[H\033[J"
ERASE = "\r\033[K"
COUNT = ("syscall::getppid:entry { @[\"calls\"] = count(); }"
         "tick-1s { exit(0); } END { printf(\"end\\n\"); }")


def on_terminal(*args, **env):
    """All that dtrace writes to a terminal, and its status."""
    master, slave = pty.openpty()
    text = b""
    with started([DTRACE, *args], stdin=slave, stdout=slave,
                 stderr=slave, env={**os.environ, **env}) as proc:
        os.close(slave)
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:		# EIO: the terminal has no process left
                break
            if not more:
                break
            text += more
            os.getppid()
        status = proc.wait()
    os.close(master)
    return status, text.decode().replace("\r\n", "\n")


def refresh(tap):
    status, text = on_terminal("-q", "-x", "aggrefresh=100ms", "-n", COUNT)
    screens = text.split(CLEAR)
    shown = [screen for screen in screens[1:-1]
             if re.fullmatch(r"\n\s*calls\s+\d+\s*\n", screen)]
    tap.ok(status == 0 and 3 <= len(shown) <= 12,
           f"aggregations are shown {len(shown)} times in a second", text)
    counts = [int(screen.split()[1]) for screen in shown]
    tap.ok(counts == sorted(counts) and counts and counts[0] < counts[-1],
           "each time with the values so far", counts)
    tap.ok(re.fullmatch(r"end\n\n\s*calls\s+\d+\s*\n", screens[-1]),
           "the end stands on a screen of its own", screens[-1])
    ran = dtrace("-q", "-x", "aggrefresh=100ms", "-n", COUNT)
    tap.ok(ran.status == 0 and CLEAR not in ran.out and
           ran.out.startswith("end\n"),
           "where there is no terminal, they are printed once", ran)


def slow_cpp(top):
    path = os.path.join(top, "cpp")
    with open(path, "w") as f:
        f.write("#!/bin/sh\nsleep 2\nexec cpp \"$@\"\n")
    os.chmod(path, 0o755)
    return path


def note(tap):
    if not shutil.which("cpp"):
        tap.skip("a slow start is reported", "cpp is missing")
        return
    program = "BEGIN { printf(\"begun\\n\"); exit(0); }"
    with tempfile.TemporaryDirectory() as top:
        slow = ["-C", "-x", "cpppath=" + slow_cpp(top), "-qn", program]
        status, text = on_terminal(*slow)
        parts = text.split(ERASE)
        tap.ok(status == 0 and len(parts) >= 3 and
               parts[1] == "dtrace: compiling ..." and
               parts[-1] == "begun\n\n",
               "a slow start is reported, and the note goes away", repr(text))
        status, text = on_terminal(*slow[:-1], "BEGIN { nosuch; }")
        parts = text.split(ERASE)
        tap.ok(status == 1 and parts[1] == "dtrace: compiling ..." and
               parts[-1].startswith("dtrace: ") and "nosuch" in parts[-1],
               "an error stands alone on its line", repr(text))
        ran = dtrace(*slow)
        tap.ok(ran.status == 0 and ran.err == "",
               "where there is no terminal, nothing is reported", ran)
    status, text = on_terminal("-qn", program)
    tap.ok(status == 0 and text == "begun\n\n", "nor when starting is quick",
           repr(text))


COLOR = re.compile(r"\033\[[\d;]*m")
RED = r"\033\[1;31m(.*?)\033\[0m"


def colors(tap):
    """The word and the caret's line; a text without them stays as it was."""
    wrong = ["-n", "BEGIN { trace(nosuch + 1); }"]
    plain = dtrace(*wrong).err
    tap.ok("error: " in plain and "^~" in plain and "\033" not in plain,
           "an error in a file has no colours", plain)
    status, text = on_terminal(*wrong, TERM="xterm", NO_COLOR="")
    tap.ok(status == 1 and re.findall(RED, text) == ["error:", "^~~~~~"] and
           COLOR.sub("", text) == plain, "an error on a terminal has",
           repr(text))
    for env in {"TERM": "dumb"}, {"TERM": ""}, \
            {"TERM": "xterm", "NO_COLOR": "1"}:
        status, text = on_terminal(*wrong, **{"NO_COLOR": "", **env})
        tap.ok(status == 1 and text == plain, f"none with {env}", repr(text))
    always = dtrace("-x", "color=always", *wrong).err
    tap.ok(re.findall(RED, always) == ["error:", "^~~~~~"] and
           COLOR.sub("", always) == plain, "color=always: also in a file",
           repr(always))
    status, text = on_terminal("-x", "color=never", *wrong, TERM="xterm",
                               NO_COLOR="")
    tap.ok(status == 1 and text == plain, "color=never: none on a terminal",
           repr(text))
    status, text = on_terminal("-x", "color=auto", *wrong, TERM="xterm",
                               NO_COLOR="")
    tap.ok(re.findall(RED, text) == ["error:", "^~~~~~"],
           "color=auto: on a terminal", repr(text))


NAME = "x\033[31my\bz"
SHOWN = "x\\033[31my\\bz"


def controls(tap):
    """A process gives itself a name that would colour the terminal."""
    program = ("proc:::exit /pid == $target/ { trace(execname); "
               "printf(\"\\n%s\\n\", execname); "
               "printf(\"\\033[1m%s\\n\", curpsinfo->pr_fname); @[execname] = "
               "count(); printa(\"%s\\n\", @); exit(0); }")
    with tempfile.TemporaryDirectory() as top:
        link = os.path.join(top, NAME)
        os.symlink("/bin/true", link)
        command = ["-qn", program, "-c", f"'{link}'"]
        status, text = on_terminal(*command)
        tap.ok(status == 0 and "\033" not in text.replace("\033[1m", "", 1) and
               text.count(SHOWN) == 4,
               "a name's control characters do not reach a terminal",
               repr(text))
        status, text = on_terminal("-x", "controls=raw", *command)
        tap.ok(status == 0 and text.count(NAME) == 3,
               "with controls=raw they do", repr(text))
        ran = dtrace(*command)
        tap.ok(ran.status == 0 and ran.out.count(NAME) == 3,
               "a pipe gets the bytes", ran)


def main():
    tap = start("root bpf")
    refresh(tap)
    note(tap)
    colors(tap)
    controls(tap)
    tap.done()


main()
