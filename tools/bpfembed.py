#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turn relocatable BPF objects into the tables of exec/bpf/link.h.

    bpfembed.py -o rt_funcs.c a.bpf.o b.bpf.o ...

Every function of section "rt" becomes one struct bl_func; references to
undefined symbols and to other functions become struct bl_reloc.  A symbol
that the linker could not resolve at load time (in a data section, of an
unknown prefix) is an error here, at build time.

Layouts: ELF-64 object file format (TIS ELF 1.2 / System V gABI), relocation
types and BTF from the kernel's Documentation/bpf/{llvm_reloc,btf}.rst.
"""

import argparse
import collections
import struct
import sys

SECTION = "rt"

SHT_SYMTAB, SHT_RELA, SHT_REL = 2, 4, 9
STB_LOCAL, STT_FUNC, STT_SECTION = 0, 2, 3
SHN_UNDEF = 0
R_BPF_64_64, R_BPF_64_32 = 1, 10
BPF_LDDW, BPF_CALL, BPF_PSEUDO_CALL = 0x18, 0x85, 1
BPF_JA, BPF_EXIT, BPF_AND64_K = 0x05, 0x95, 0x57
BTF_KIND_FUNC, BTF_KIND_FUNC_PROTO = 12, 13

Section = collections.namedtuple("Section", "name type link info data")
Symbol = collections.namedtuple("Symbol", "name type bind shndx value size")
Reloc = collections.namedtuple("Reloc", "insn kind sym")


class BadObject(Exception):
    pass


def cstr(table, off):
    return table[off:table.index(b"\0", off)].decode()


class Elf:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.image = f.read()
        if self.image[:6] != b"\x7fELF\x02\x01":
            raise BadObject("not a little-endian ELF-64 file")
        self.read_sections()
        self.read_symbols()

    def read_sections(self):
        shoff, = struct.unpack_from("<Q", self.image, 40)
        shentsize, shnum, shstrndx = struct.unpack_from("<HHH", self.image, 58)
        raw = [struct.unpack_from("<IIQQQQIIQQ", self.image,
                                  shoff + i * shentsize)
               for i in range(shnum)]
        body = [self.image[r[4]:r[4] + r[5]] for r in raw]
        self.sections = [Section(cstr(body[shstrndx], r[0]), r[1], r[6], r[7],
                                 body[i]) for i, r in enumerate(raw)]

    def read_symbols(self):
        self.symbols = []
        for sec in self.sections:
            if sec.type != SHT_SYMTAB:
                continue
            names = self.sections[sec.link].data
            for st in struct.iter_unpack("<IBBHQQ", sec.data):
                self.symbols.append(Symbol(cstr(names, st[0]), st[1] & 15,
                                           st[1] >> 4, st[3], st[4], st[5]))

    def index(self, name):
        for i, sec in enumerate(self.sections):
            if sec.name == name:
                return i
        raise BadObject(f"no section {name}")

    def relocs(self, shndx):
        """(offset, type, symbol) of each relocation of a section."""
        for sec in self.sections:
            if sec.info != shndx:
                continue
            if sec.type == SHT_RELA:
                raise BadObject("RELA relocations; BPF uses REL")
            if sec.type == SHT_REL:
                for off, info in struct.iter_unpack("<QQ", sec.data):
                    yield off, info & 0xffffffff, self.symbols[info >> 32]


def btf_nargs(btf):
    """Number of parameters of each function."""
    hdr_len, type_off, type_len, str_off, str_len = struct.unpack_from(
        "<IIIII", btf, 4)
    strs = btf[hdr_len + str_off:hdr_len + str_off + str_len]
    # Bytes that follow a type's header: a fixed number, or a number per item.
    fixed = {1: 4, 3: 12, 14: 4, 17: 4}
    per_item = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
    types = [(None, 0, 0, 0)]
    pos, end = hdr_len + type_off, hdr_len + type_off + type_len
    while pos < end:
        name, info, ref = struct.unpack_from("<III", btf, pos)
        kind, vlen = info >> 24 & 31, info & 0xffff
        types.append((cstr(strs, name), kind, vlen, ref))
        pos += 12 + fixed.get(kind, 0) + per_item.get(kind, 0) * vlen
    return {name: types[ref][2] for name, kind, _, ref in types
            if kind == BTF_KIND_FUNC and types[ref][1] == BTF_KIND_FUNC_PROTO}


class Func:
    def __init__(self, sym, nargs, code):
        self.name, self.start, self.size = sym.name, sym.value, sym.size
        self.is_static = sym.bind == STB_LOCAL
        self.nargs = nargs
        self.insns = list(struct.iter_unpack(
            "<BBhi", code[sym.value:sym.value + sym.size]))
        self.relocs = []


def func_at(funcs, off):
    for f in funcs:
        if f.start == off:
            return f
    raise BadObject(f"reference to offset {off}, where no function starts")


def data_kind(name):
    kinds = {"rtm_": "BL_MAP", "rtc_": "BL_CONST"}
    if name[:4] not in kinds:
        raise BadObject(f"undefined symbol {name} is neither a map (rtm_*) "
                        "nor a constant (rtc_*)")
    return kinds[name[:4]]


def resolve(elf, shndx, funcs, func, insn, rtype, sym):
    """The struct bl_reloc of one relocation."""
    code, _, _, imm = func.insns[insn]
    if sym.shndx not in (SHN_UNDEF, shndx):
        raise BadObject(f"{func.name} refers to data section "
                        f"{elf.sections[sym.shndx].name}")
    if rtype == R_BPF_64_32 and code == BPF_CALL:
        if sym.type == STT_SECTION:     # imm counts instructions
            return Reloc(insn, "BL_CALL", func_at(funcs, (imm + 1) * 8).name)
        return Reloc(insn, "BL_CALL", sym.name)
    if rtype == R_BPF_64_64 and code == BPF_LDDW:
        if sym.shndx == SHN_UNDEF:
            return Reloc(insn, data_kind(sym.name), sym.name)
        return Reloc(insn, "BL_FUNC", func_at(funcs, sym.value + imm).name)
    raise BadObject(f"{func.name}+{insn}: relocation type {rtype} on "
                    f"opcode {code:#x} is not supported")


def local_calls(funcs, func):
    """Calls within the section, which the compiler resolved by itself."""
    known = {r.insn for r in func.relocs}
    for i, (code, regs, _, imm) in enumerate(func.insns):
        if code == BPF_CALL and regs >> 4 == BPF_PSEUDO_CALL \
                and i not in known:
            target = func.start + (i + 1 + imm) * 8
            yield Reloc(i, "BL_CALL", func_at(funcs, target).name)


def read_object(path):
    elf = Elf(path)
    shndx = elf.index(SECTION)
    code = elf.sections[shndx].data
    nargs = btf_nargs(elf.sections[elf.index(".BTF")].data)
    funcs = [Func(s, nargs[s.name], code) for s in elf.symbols
             if s.shndx == shndx and s.type == STT_FUNC]
    for off, rtype, sym in elf.relocs(shndx):
        func = next(f for f in funcs if f.start <= off < f.start + f.size)
        func.relocs.append(resolve(elf, shndx, funcs, func,
                                   (off - func.start) // 8, rtype, sym))
    for func in funcs:
        func.relocs += list(local_calls(funcs, func))
        func.relocs.sort()
    return funcs


def bound_result(func):
    """Have every exit of a callback of bpf_loop() pass "r0 &= 1".

    The verifier must see that the result is 0 or 1.  The compiler may
    remove source code that ensures this, if it knows the result already: a
    byte of type bool, for example."""
    if func.insns[-1][0] == BPF_EXIT:
        func.insns.pop()
    end = len(func.insns)
    for i, insn in enumerate(func.insns):
        if insn[0] == BPF_EXIT:
            func.insns[i] = BPF_JA, 0, end - i - 1, 0
    func.insns += [(BPF_AND64_K, 0, 0, 1), (BPF_EXIT, 0, 0, 0)]


def bound_callbacks(funcs):
    callbacks = {r.sym for f in funcs for r in f.relocs if r.kind == "BL_FUNC"}
    for f in funcs:
        if f.name in callbacks:
            bound_result(f)


# A function that is written when a script is loaded
# (exec/bpf/emit/elem_store.c).
WRITTEN_LATER = {"rt_elem"}


def check(funcs):
    names = {f.name for f in funcs} | WRITTEN_LATER
    if len(names) != len(funcs) + len(WRITTEN_LATER):
        raise BadObject("two functions of the same name")
    for f in funcs:
        for r in f.relocs:
            if r.kind in ("BL_CALL", "BL_FUNC") and r.sym not in names:
                raise BadObject(f"{f.name} calls {r.sym}, which is nowhere")


def emit(funcs, out):
    out.write("/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */\n"
              "/* Generated by tools/bpfembed.py from src/exec/runtime. */\n"
              '#include "exec/bpf/link.h"\n')
    for f in funcs:
        out.write(f"\nstatic const struct bpf_insn {f.name}_insns[] = {{\n")
        for code, regs, off, imm in f.insns:
            out.write(f"\t{{ {code:#04x}, {regs & 15}, {regs >> 4}, {off}, "
                      f"{imm} }},\n")
        out.write("};\n")
        if f.relocs:
            out.write(f"static const struct bl_reloc {f.name}_relocs[] = {{\n")
            for r in f.relocs:
                out.write(f'\t{{ {r.insn}, {r.kind}, "{r.sym}" }},\n')
            out.write("};\n")
    out.write("\nconst struct bl_func bl_rt_funcs[] = {\n")
    for f in funcs:
        relocs = f"{f.name}_relocs" if f.relocs else "NULL"
        out.write(f'\t{{ "{f.name}", {f.name}_insns, {len(f.insns)}, '
                  f"{relocs}, {len(f.relocs)}, {f.nargs}, "
                  f"{int(f.is_static)}, 0 }},\n")
    out.write("};\n"
              f"const uint32_t bl_rt_nfuncs = {len(funcs)};\n")


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("-o", required=True, metavar="FILE", dest="out")
    ap.add_argument("objects", nargs="+")
    args = ap.parse_args()
    funcs = []
    for path in args.objects:
        try:
            funcs += read_object(path)
        except BadObject as e:
            sys.exit(f"bpfembed.py: {path}: {e}")
    try:
        check(funcs)
        bound_callbacks(funcs)
    except BadObject as e:
        sys.exit(f"bpfembed.py: {e}")
    funcs.sort(key=lambda f: f.name)
    with open(args.out, "w") as out:
        emit(funcs, out)


if __name__ == "__main__":
    main()
