#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make src/consume/utf8_widths.def of Python's copy of the Unicode database.

    widthgen.py >src/consume/utf8_widths.def
    widthgen.py --check src/consume/utf8_widths.def

With --check, compare a table with the database.  A Python whose database is
of another version than the table's compares nothing, and says so.
"""

import re
import sys
import unicodedata

FIRST_BEYOND_ASCII = 0x80
LAST = 0x10ffff
# Unassigned characters in these are wide: EastAsianWidth.txt, its head.
WIDE_BLOCKS = ((0x3400, 0x4dbf), (0x4e00, 0x9fff), (0xf900, 0xfaff),
               (0x20000, 0x2fffd), (0x30000, 0x3fffd))
# Vowels and final consonants of Hangul, which join the consonant before.
JOINING = ((0x1160, 0x11ff), (0xd7b0, 0xd7ff))
SOFT_HYPHEN = 0xad


def is_within(code, blocks):
    return any(first <= code <= last for first, last in blocks)


def columns(code):
    char = chr(code)
    category = unicodedata.category(char)
    if is_within(code, JOINING) or (category in ("Mn", "Me", "Cf") and
                                    code != SOFT_HYPHEN):
        return 0
    if category == "Cn":
        return 2 if is_within(code, WIDE_BLOCKS) else 1
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def ranges(wanted):
    """The ranges of characters that take so many columns."""
    first = None
    for code in range(FIRST_BEYOND_ASCII, LAST + 2):
        is_wanted = code <= LAST and columns(code) == wanted
        if is_wanted and first is None:
            first = code
        elif not is_wanted and first is not None:
            yield first, code - 1
            first = None


def rows(name, wanted):
    row = ""
    for first, last in ranges(wanted):
        item = f"{name}({first:#x}, {last:#x})"
        if row and len(row) + 1 + len(item) > 80:
            yield row
            row = ""
        row += (" " if row else "") + item
    yield row


def table():
    lines = [
        "/* SPDX-License-Identifier: BSD-2-Clause */",
        "/*",
        " * Columns of characters beyond ASCII: UTF8_WIDE(first, last) take two,",
        " * UTF8_NONE(first, last) none, all others one.  Made by",
        " * tools/widthgen.py of the Unicode database, version "
        f"{unicodedata.unidata_version}.",
        " */",
        "/* clang-format off */",
        *rows("UTF8_NONE", 0), *rows("UTF8_WIDE", 2),
        "/* clang-format on */",
    ]
    return "\n".join(lines) + "\n"


def check(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    version = re.search(r"version ([0-9.]+)\.\n", text).group(1)
    if version != unicodedata.unidata_version:
        print(f"widthgen: {path} is of Unicode {version}, Python's database "
              f"of {unicodedata.unidata_version}: not compared")
    elif text != table():
        sys.exit(f"widthgen: {path} is not what tools/widthgen.py makes")


def main():
    if sys.argv[1:2] == ["--check"]:
        check(sys.argv[2])
    else:
        sys.stdout.write(table())


main()
