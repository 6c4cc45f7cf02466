#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""document.py finds errors in commands of documents, and accepts good ones."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import document
from tap import Tap

ENDS = "dtrace -n 'BEGIN { exit(0); }'"
MATCHED = "dtrace: description 'BEGIN' matched 1 probe\n"
FAULT = "dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): " \
    "invalid address (0x8) in action #1 at DIF offset 4\n"
UNKNOWN = "dtrace: line 1: error: [D_IDENT_UNDEF] unknown name 'x'\n"
DENIED = "dtrace: failed to enable 'BEGIN': destructive actions not allowed\n"
DROPS = "dtrace: 90 failed speculations; -x nspec=91 is enough\n"

# (claim, command, what the document shows, its status, output and messages,
# beginnings of what is wrong)
ROWS = [
    ("what is shown", ENDS, MATCHED + "12 cat\n", 0, "7 dd\n", MATCHED, []),
    ("a line that is missing", ENDS, MATCHED + "12 cat\n", 0, "7\n", MATCHED,
     ["not in the output: 12 cat"]),
    ("no output", ENDS, "", 0, "\n", MATCHED, ["no output"]),
    ("an error where none is shown", ENDS, "", 0, "1\n", FAULT,
     ["not in the document: dtrace: error"]),
    ("an error beside the number of probes", ENDS, MATCHED, 0, "",
     MATCHED + FAULT, ["not in the document: dtrace: error"]),
    ("an error that is shown", ENDS, MATCHED + FAULT, 0, "", MATCHED + FAULT,
     []),
    ("an error beside one that is shown", ENDS, FAULT, 0, "", FAULT + DENIED,
     ["not in the document: dtrace: failed"]),
    ("a status beside the number of probes", ENDS, MATCHED, 1, "", MATCHED,
     ["status 1"]),
    ("a status beside a fault", ENDS, FAULT, 1, "", FAULT, ["status 1"]),
    ("a status beside drops", ENDS, DROPS, 1, "", DROPS, ["status 1"]),
    ("other numbers of drops", ENDS, DROPS, 0, "", DROPS.replace("9", "4"),
     []),
    ("the status of exit()", "dtrace -n 'BEGIN { exit(3); }'", MATCHED, 3, "",
     MATCHED, []),
    ("a refusal", ENDS, UNKNOWN, 1, "", UNKNOWN, []),
    ("a refusal when tracing begins", ENDS, DENIED, 1, "", DENIED, []),
    ("a refusal with a status of success", ENDS, UNKNOWN, 0, "", UNKNOWN,
     ["status 0"]),
    ("another refusal", ENDS, UNKNOWN, 1, "", DENIED,
     ["not in the output: dtrace: line 1",
      "not in the document: dtrace: failed"]),
    ("a crash", ENDS, UNKNOWN, -11, "", UNKNOWN, ["status -11"]),
    ("an interrupt", "dtrace -n BEGIN", MATCHED, None, "", MATCHED, []),
]

MANUAL = r"""
.Dl dtrace -l
.Pp
.\" needs: cmd:cat cpus2
.\" given: client.py prog
.Dl dtrace -n BEGIN -c ./prog
.Pp
.\" may be silent: nothing happens
.Dl dtrace -n END
.Bd -literal
$ cat one.d
BEGIN { trace("\en"); }

END
$ dtrace -s one.d
one
.Ed
"""


def reads(tap):
    """The commands of a manual, with their marks and files."""
    first, given, silent, last = document.read_commands(
        document.manual_text(MANUAL))
    tap.ok(first.text == "dtrace -l" and not first.needs and not first.given,
           "a command without marks")
    tap.ok(given.needs == ["cmd:cat", "cpus2"] and
           given.given == ["client.py", "prog"], "what a command needs",
           given.needs, given.given)
    tap.ok(document.faults(silent, None, "", "") == [] and
           document.faults(given, 0, "", "") == ["no output"],
           "a command that may be silent")
    tap.ok(last.files == {"one.d": 'BEGIN { trace("\\n"); }\n\nEND\n'} and
           last.shown_lines() == ["one"] and not last.is_root,
           "a file that is shown", last.files, last.shown)


def main():
    tap = Tap()
    reads(tap)
    for claim, text, shown, status, out, said, expected in ROWS:
        command = document.Command("# ", text)
        command.shown = shown
        wrong = document.faults(command, status, out, said)
        tap.ok(len(wrong) == len(expected) and
               all(map(str.startswith, wrong, expected)), claim, *wrong)
    for text, ends in (ENDS, True), ("dtrace -n BEGIN", False):
        tap.ok(bool(document.Command("# ", text).ends()) == ends,
               f"{text} {'ends' if ends else 'does not end'} by itself")
    for shown, ends in (MATCHED, False), (DROPS, False), (UNKNOWN, True):
        command = document.Command("# ", "dtrace -n BEGIN")
        command.shown = shown
        tap.ok(bool(command.ends()) == ends,
               f"{'ends' if ends else 'does not end'} by itself: {shown.strip()}")
    tap.done()


if __name__ == "__main__":
    main()
