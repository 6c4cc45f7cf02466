# SPDX-License-Identifier: BSD-2-Clause
"""Sections of doc/tried.md, which tests write: the results by system.

Also the choice of tests that are too slow to run each time."""

import os
import subprocess


def turn(source, choices):
    """Choose one item, another with each commit."""
    ran = subprocess.run(["git", "-c", "safe.directory=*", "-C", source,
                          "rev-list", "--count", "HEAD"], text=True,
                         check=False, stdout=subprocess.PIPE)
    number = int(ran.stdout) if ran.returncode == 0 else 0
    return choices[number % len(choices)]


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |",
                      "|---" * len(head) + "|",
                      *["| " + " | ".join(map(str, row)) + " |"
                        for row in rows]])


def read(path):
    if not os.path.exists(path):
        return "# What was tried where\n"
    with open(path, encoding="utf-8") as f:
        return f.read()


def section(path, begin, end):
    """The text between the two lines."""
    return read(path).partition(begin)[2].partition(end)[0]


def write_section(path, begin, end, text):
    """Put the text between the two lines, in place of the one before."""
    whole = read(path)
    before, _, rest = whole.partition(begin)
    after = rest.partition(end)[2]
    with open(path, "w", encoding="utf-8") as f:
        f.write(before.rstrip("\n") + f"\n\n{begin}\n\n{text}\n\n{end}" +
                (after or "\n"))
