#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --explain: each example causes the error that it is an example of."""

import os
import re
import shlex
import tempfile

from live import DTRACE, dtrace, run, start

SECTION = re.compile(r"^D_(\w+)\n\n", re.M)


def sections(text):
    """The tags in order, and what is said about each."""
    parts = SECTION.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def example(text):
    """The example of a section without its indentation, or None."""
    match = re.search(r"^Example:\n((?:    .*\n)+)", text, re.M)
    return match and re.sub(r"(?m)^    ", "", match.group(1))


def compile_example(text, path):
    """Run the example, which is a command or a program; nothing is traced."""
    if text.startswith("dtrace "):
        return run([DTRACE, "-e", *shlex.split(text)[1:]])
    with open(path, "w") as f:
        f.write(text)
    return dtrace("-e", "-s", path)


def tags_of(ran):
    return set(re.findall(r"error: \[D_(\w+)\]", ran.err))


def examples(tap, found, path):
    for tag, text in found.items():
        cause = example(text)
        if cause is None:
            continue
        ran = compile_example(cause, path)
        tap.ok(ran.status == 1 and tags_of(ran) == {tag},
               f"{tag}: the example causes the error", cause, ran)


def names(tap):
    whole = dtrace("--explain", "D_SYNTAX")
    tap.ok(whole.status == 0 and whole.out.startswith("D_SYNTAX\n"),
           "a tag is explained", whole)
    for name in "SYNTAX", "d_syntax", "[D_SYNTAX]":
        ran = dtrace("--explain", name)
        tap.ok(ran.out == whole.out, f"{name} is D_SYNTAX, too", ran)
    ran = dtrace("--explain", "D_SYNTEX")
    tap.ok(ran.status == 2 and "did you mean D_SYNTAX?" in ran.err,
           "a misspelt tag is reported with the nearest", ran)
    ran = dtrace("--explain", "nothing")
    tap.ok(ran.status == 2 and "--explain all" in ran.err,
           "an unknown tag is reported where tags stand", ran)


def main():
    tap = start("bpf")
    ran = dtrace("--explain", "all")
    found = sections(ran.out)
    lines = [line for text in found.values() for line in text.splitlines()
             if len(line) > 78 and not line.startswith("    ")]
    tap.ok(ran.status == 0 and len(found) > 200 and not lines,
           "all tags are explained in lines that a terminal shows", ran, lines)
    names(tap)
    with tempfile.TemporaryDirectory() as where:
        examples(tap, found, os.path.join(where, "example.d"))
    tap.done()


main()
