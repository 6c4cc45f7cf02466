#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turn the linked runtime for traced processes into a C table.

    blobembed.py -o rt_blob.c runtime.elf

Section .text, code and constants, becomes bytes, and each global function a
name with its offset there; a text lists all functions in order, a line
each.  Relocations, writable data and undefined symbols are errors here:
dtrace only copies the code to its place.

Layouts: ELF-64 object file format (System V gABI).
"""

import argparse
import struct
import sys

SHT_SYMTAB, SHT_RELA = 2, 4
STT_FUNC = 2
STV_HIDDEN = 2  # for our public functions: static ones are STV_DEFAULT


def cstr(table, off):
    return table[off:table.index(b"\0", off)].decode()


def sections(elf):
    shoff, = struct.unpack_from("<Q", elf, 0x28)
    shentsize, shnum, shstrndx = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQIIQQ", elf, shoff + i * shentsize)
             for i in range(shnum)]
    names = elf[heads[shstrndx][4]:][:heads[shstrndx][5]]
    return [(cstr(names, h[0]), h, elf[h[4]:h[4] + h[5]] if h[1] != 8 else b"")
            for h in heads]


def functions(secs):
    """Each function's name, offset, and whether it can be called from
    outside."""
    for _, head, data in secs:
        if head[1] != SHT_SYMTAB:
            continue
        strs = secs[head[6]][2]
        for off in range(24, len(data), 24):
            name, info, other, shndx, value, _ = struct.unpack_from(
                "<IBBHQQ", data, off)
            if shndx == 0:
                sys.exit(f"blobembed: undefined symbol {cstr(strs, name)}")
            # a function called from another object is local to the linker
            name = cstr(strs, name)
            if info & 15 == STT_FUNC:
                yield name, value, (other & 3 == STV_HIDDEN or
                                    name.startswith("pr_"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", required=True)
    parser.add_argument("elf")
    args = parser.parse_args()
    with open(args.elf, "rb") as f:
        secs = sections(f.read())
    for name, head, _ in secs:
        if head[1] == SHT_RELA and head[5] != 0:
            sys.exit("blobembed: the runtime has relocations: an address in "
                     "constant data?")
        if name == ".written" and head[5] != 0:
            sys.exit("blobembed: the runtime has data that is written to")
    text = next(data for name, _, data in secs if name == ".text")
    with open(args.o, "w") as out:
        out.write("/* Made by tools/blobembed.py. */\n"
                  '#include "exec/jit/blob.h"\n\n'
                  "const uint8_t rt_blob[] = {\n")
        for i in range(0, len(text), 16):
            out.write("\t" + " ".join(f"{b},"
                                      for b in text[i:i + 16]) + "\n")
        out.write("};\nconst uint32_t rt_blob_size = sizeof(rt_blob);\n\n"
                  "const struct rt_blob_func rt_blob_funcs[] = {\n")
        every = set(functions(secs))
        funcs = sorted(func for func in every if func[2])
        for name, value, _ in funcs:
            out.write(f'\t{{ "{name}", {value} }},\n')
        out.write("};\nconst uint32_t rt_blob_nfuncs = "
                  f"{len(funcs)};\n\nconst char rt_blob_names[] =\n")
        for name, value, _ in sorted(every, key=lambda func: func[1]):
            out.write(f'\t"{value:08x} {name}\\n"\n')
        out.write("\t;\nconst uint32_t rt_blob_names_size = "
                  "sizeof(rt_blob_names) - 1;\n")


main()
