# SPDX-License-Identifier: BSD-2-Clause
"""Programs of any size, written without a compiler.

They print "ready" and wait for signals.  Behind that code come functions,
each with a frame, a call and a computed address, so that an analysis has
all of its work to do.
"""

import os
import struct

BASE = 0x400000
HEADERS = 0x1000
STEP = 64  # bytes of a function

# write(1, "ready\n", 6); for (;;) pause();
START = (b"\xb8\x01\0\0\0\xbf\x01\0\0\0\x48\x8d\x35\x12\0\0\0\xba\x06\0\0\0"
         b"\x0f\x05\xb8\x22\0\0\0\x0f\x05\xeb\xf7\x90\x90ready\n")
# push %rbp; mov %rsp,%rbp; lea 0x2d(%rip),%rax; call +0x28; cmp; je; ...
FUNC = (b"\x55\x48\x89\xe5\x48\x8d\x05\x2d\0\0\0\xe8\x28\0\0\0\x48\x83\xf8\x07"
        b"\x74\x05\x48\x83\xc0\x01\x90\x48\x8b\x45\xf8\x5d\xc3")


def section(name, kind, flags, addr, off, size, link=0, info=0, entsize=0):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, addr, off, size,
                       link, info, 16, entsize)


def header(nsects, shoff, entry):
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 62, 1,
                       entry, 64, shoff, 0, 64, 56, 1, 64, nsects, nsects - 1)


def symbols(n):
    """A symbol table and its names: f0000000, f0000001, ..."""
    table = bytearray(24)
    names = bytearray(b"\0")
    for i in range(n):
        table += struct.pack("<IBBHQQ", len(names), 2, 0, 1,
                             BASE + HEADERS + (i + 1) * STEP, STEP)
        names += b"f%07x\0" % i
    return table, names


def write(path, nfuncs):
    """A program of `nfuncs` functions of 64 bytes."""
    code = START.ljust(STEP, b"\x90") + FUNC.ljust(STEP, b"\x90") * nfuncs
    code += b"\xc3".ljust(STEP, b"\x90")
    table, names = symbols(nfuncs)
    strings = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    parts = [code, table, names, strings]
    offs = [HEADERS]
    for part in parts:
        offs.append((offs[-1] + len(part) + 15) & ~15)
    entry = BASE + HEADERS
    segment = struct.pack("<IIQQQQQQ", 1, 5, HEADERS, entry, entry, len(code),
                          len(code), 0x1000)
    with open(path, "wb") as file:
        file.write(header(5, offs[4], entry) + segment)
        for part, off in zip(parts, offs):
            file.seek(off)
            file.write(part)
        file.seek(offs[4])
        file.write(bytes(64))
        file.write(section(1, 1, 6, entry, offs[0], len(code)))
        file.write(section(7, 2, 0, 0, offs[1], len(table), 3, 1, 24))
        file.write(section(15, 3, 0, 0, offs[2], len(names)))
        file.write(section(23, 3, 0, 0, offs[3], len(strings)))
    os.chmod(path, 0o755)
