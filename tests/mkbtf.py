#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write BTF with known contents for cases (option kernelbtf).

    struct made { unsigned small:3, wide:29; char text[8]; };
    struct packed {		/* as gcc packs it */
        unsigned char first:6, second:5;
        unsigned third:23, fourth:30;
        unsigned long odd:3, nine:62;
    };
    enum first { ONCE = 11, TWICE = 1 };
    enum second { TWICE = 2, MADE = 1234 };
    typedef unsigned short odd_t;
"""

import struct
import sys

INT, ARRAY, STRUCT, ENUM, TYPEDEF = 1, 3, 4, 6, 8
KIND_FLAG = 1 << 31


class Btf:
    def __init__(self):
        self.types = b""
        self.strings = b"\0"
        self.count = 0

    def string(self, text):
        offset = len(self.strings)
        self.strings += text.encode() + b"\0"
        return offset

    def add(self, name, kind, info, last, *tail):
        name = self.string(name) if name else 0
        self.types += struct.pack(f"<{3 + len(tail)}I", name,
                                  kind << 24 | info, last, *tail)
        self.count += 1
        return self.count

    def bytes(self):
        return struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(self.types),
                           len(self.types), len(self.strings)) \
            + self.types + self.strings


def main():
    btf = Btf()
    uint = btf.add("unsigned int", INT, 0, 4, 32)
    char = btf.add("char", INT, 0, 1, 1 << 24 | 8)
    short = btf.add("short unsigned int", INT, 0, 2, 16)
    text = btf.add(None, ARRAY, 0, 0, char, uint, 8)
    btf.add("made", STRUCT, KIND_FLAG | 3, 12,
            btf.string("small"), uint, 3 << 24,
            btf.string("wide"), uint, 29 << 24 | 3,
            btf.string("text"), text, 32)
    byte = btf.add("unsigned char", INT, 0, 1, 8)
    ulong = btf.add("long unsigned int", INT, 0, 8, 64)
    btf.add("packed", STRUCT, KIND_FLAG | 6, 17,
            btf.string("first"), byte, 6 << 24,
            btf.string("second"), byte, 5 << 24 | 6,
            btf.string("third"), uint, 23 << 24 | 11,
            btf.string("fourth"), uint, 30 << 24 | 34,
            btf.string("odd"), ulong, 3 << 24 | 64,
            btf.string("nine"), ulong, 62 << 24 | 67)
    btf.add("first", ENUM, 2, 4, btf.string("ONCE"), 11,
            btf.string("TWICE"), 1)
    btf.add("second", ENUM, 2, 4, btf.string("TWICE"), 2,
            btf.string("MADE"), 1234)
    btf.add("odd_t", TYPEDEF, 0, short)
    sys.stdout.buffer.write(btf.bytes())


main()
