#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print dtrace-tools(8) from the first comments of the tools.

    toolsman.py FILE.d...

A comment is "NAME [ARGUMENTS]: what it shows" on its first line, and then
paragraphs.
"""

import os
import re
import sys

HEAD = r""".\" Made by tools/toolsman.py from the tools; do not edit.
.Dd November 26, 2026
.Dt DTRACE-TOOLS 8 SMM
.Os Linux
.Sh NAME
.Nm dtrace-tools
.Nd scripts of dtrace run
.Sh SYNOPSIS
.Nm dtrace run
.Ar name
.Op Fl Fl json
.Op Ar options
.Op Ar argument ...
.Nm dtrace run
.Fl l
.Nm dtrace run
.Fl Fl show
.Ar name
.Sh DESCRIPTION
Each tool traces until Control-C, or until the process of
.Fl c
or
.Fl p
has ended.
All options of
.Xr dtrace 8
are allowed.
.Bl -tag -width Ds
"""
TAIL = """.El
.Sh SEE ALSO
.Xr d 5 ,
.Xr dtrace 8
"""


def comment(path):
    """The lines of the first comment."""
    with open(path, encoding="utf-8") as f:
        found = re.search(r"^/\*\n(.*?)^ \*/", f.read(), re.M | re.S)
    return [re.sub(r"^ \* ?", "", line)
            for line in found.group(1).splitlines()]


def escaped(line):
    line = line.replace("\\", "\\e")
    return "\\&" + line if line[:1] in (".", "'") else line


def marked(line):
    """The lines of mdoc(7) for one of text: a function has a macro."""
    found = re.search(r"(?<!\S)(\w+)\(\)([.,:;]?)(?!\S) *", line)
    if not found:
        return [escaped(line)] if line else []
    macro = f".Fn {found[1]} {found[2]}".rstrip()
    return marked(line[:found.start()].rstrip()) + [macro] + \
        marked(line[found.end():])


def sentences(line):
    """Each sentence on a line of its own, as mdoc(7) wants it."""
    return re.sub(r"([.!?]\)?) +(?=[A-Z-])", r"\1\n", line).split("\n")


def entry(path):
    name = os.path.basename(path).removesuffix(".d")
    first, *rest = comment(path)
    head, colon, summary = first.partition(": ")
    if not colon or head.split()[0] != name:
        sys.exit(f"{path}: the comment does not begin '{name} [ARGUMENTS]: '")
    out = [f".It Cm {head}", escaped(summary[0].upper() + summary[1:])]
    for line in rest:
        if not line:
            out.append(".Pp")
        for sentence in sentences(line) if line else ():
            out += marked(sentence)
    return "\n".join(out) + "\n"


def main():
    sys.stdout.write(HEAD + "".join(map(entry, sorted(sys.argv[1:]))) + TAIL)


main()
