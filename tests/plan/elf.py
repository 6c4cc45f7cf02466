# SPDX-License-Identifier: BSD-2-Clause
"""An ELF file's facts about its own code, read without the tested library.

Sources: the System V gABI and the x86-64 psABI for ELF; the Linux Standard
Base, section 10.6, for .eh_frame; the Itanium C++ ABI for .gcc_except_table.
"""

import array
import bisect
import os
import struct

PT_LOAD = 1
SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_DYNSYM, SHT_RELR = 2, 4, 8, 11, 19
SHF_ALLOC, SHF_EXECINSTR = 2, 4
ET_EXEC, EM_X86_64 = 2, 62
STB_LOCAL = 0
STT_NOTYPE, STT_FUNC, STT_IFUNC = 0, 2, 10
R_RELATIVE, R_IRELATIVE = 8, 37


class BadFile(Exception):
    """This reader does not support the file."""


class Section:
    def __init__(self, name, fields):
        (_, self.type, self.flags, self.addr, self.off, self.size,
         self.link, _, _, self.entsize) = fields
        self.name = name
        self.is_code = bool(self.flags & SHF_EXECINSTR and
                            self.flags & SHF_ALLOC and
                            self.type != SHT_NOBITS and self.size)


class Symbol:
    __slots__ = ("name", "kind", "is_local", "value", "size", "shndx")

    def __init__(self, name, info, value, size, shndx):
        self.name, self.kind = name, info & 15
        self.is_local = info >> 4 == STB_LOCAL
        self.value, self.size, self.shndx = value, size, shndx


class Elf:
    """Sections, segments, symbols and relocations of one file."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.path = path
        d = self.data
        if d[:6] != b"\x7fELF\x02\x01" or len(d) < 64:
            raise BadFile("no 64-bit ELF file")
        (self.type, self.machine, _, self.entry, phoff, shoff, _, _, phsize,
         phnum, shsize, shnum, shstrndx) = struct.unpack_from(
             "<HHIQQQIHHHHHH", d, 16)
        if self.machine != EM_X86_64:
            raise BadFile("not for x86-64")
        try:
            self.segments = [struct.unpack_from("<IIQQQQQQ", d,
                                                phoff + i * phsize)
                             for i in range(phnum)]
            self.sections = self._sections(shoff, shsize, shnum, shstrndx)
        except struct.error as e:
            raise BadFile("its headers are cut off") from e
        self.data_sections = sorted(
            (s for s in self.sections if s.flags & SHF_ALLOC and s.size and
             s.type != SHT_NOBITS and not s.is_code), key=lambda s: s.addr)
        self.data_starts = [s.addr for s in self.data_sections]

    def _sections(self, shoff, shsize, shnum, shstrndx):
        rows = [struct.unpack_from("<IIQQQQIIQQ", self.data,
                                   shoff + i * shsize) for i in range(shnum)]
        names = b""
        if shstrndx < len(rows):
            row = rows[shstrndx]
            names = self.data[row[4]:row[4] + row[5]]
        return [Section(c_string(names, r[0]), r) for r in rows]

    def section(self, name):
        for s in self.sections:
            if s.name == name:
                return s
        return None

    def bytes_of(self, section):
        if section is None or section.type == SHT_NOBITS:
            return b""
        return self.data[section.off:section.off + section.size]

    def loads(self):
        """(vaddr, bytes, is_code) of each segment that has bytes."""
        for kind, flags, off, vaddr, _, filesz, _, _ in self.segments:
            if kind == PT_LOAD and filesz:
                yield vaddr, self.data[off:off + filesz], bool(flags & 1)

    def symbols(self):
        for table in self.sections:
            if table.type not in (SHT_SYMTAB, SHT_DYNSYM) or \
                    table.link >= len(self.sections):
                continue
            names = self.bytes_of(self.sections[table.link])
            rows = self.bytes_of(table)
            rows = rows[:len(rows) // 24 * 24]
            for name, info, _, shndx, value, size in struct.iter_unpack(
                    "<IBBHQQ", rows):
                yield Symbol(c_string(names, name), info, value, size, shndx)

    def code_symbols(self):
        """Functions, and labels in sections of code.

        Symbols of the plugin annobin are no labels: they mark the range of
        a note, which may end in padding."""
        for s in self.symbols():
            if 0 < s.shndx < len(self.sections) and \
                    s.kind in (STT_NOTYPE, STT_FUNC, STT_IFUNC) and \
                    self.sections[s.shndx].flags & SHF_EXECINSTR and \
                    not s.name.startswith(".annobin"):
                yield s

    def relocated(self):
        """Addresses that relocations store in data."""
        for table in self.sections:
            if not table.flags & SHF_ALLOC:
                continue
            rows = self.bytes_of(table)
            if table.type == SHT_RELA:
                rows = rows[:len(rows) // 24 * 24]
                for _, info, addend in struct.iter_unpack("<QQQ", rows):
                    if info & 0xffffffff in (R_RELATIVE, R_IRELATIVE):
                        yield addend
            elif table.type == SHT_RELR:
                yield from self._relr(rows)

    def _relr(self, rows):
        where = 0
        for (entry,) in struct.iter_unpack("<Q", rows[:len(rows) // 8 * 8]):
            if entry & 1 == 0:
                yield from self.word(entry)
                where = entry + 8
                continue
            for bit in range(1, 64):
                if entry >> bit & 1:
                    yield from self.word(where + 8 * (bit - 1))
            where += 63 * 8

    def span(self):
        """(lowest address, highest address)"""
        loads = [(v, v + len(d)) for v, d, _ in self.loads()]
        return min(v for v, _ in loads), max(e for _, e in loads)

    def words(self):
        """Aligned values of 4 and 8 bytes in all that is loaded, but code."""
        found = set()
        for section in self.sections:
            if section.flags & SHF_ALLOC and not section.is_code:
                data = self.bytes_of(section)
                found.update(array.array("Q", data[:len(data) & ~7]))
                found.update(array.array("I", data[:len(data) & ~3]))
        return found

    def constants(self, start, stop):
        """Loaded bytes of one section from an address on, if they are no
        code."""
        i = bisect.bisect_right(self.data_starts, start) - 1
        if i < 0 or start >= self.data_sections[i].addr + \
                self.data_sections[i].size:
            return b""
        section = self.data_sections[i]
        stop = min(stop, section.addr + section.size)
        return self.data[start - section.addr + section.off:
                         stop - section.addr + section.off]

    def word(self, vaddr):
        for base, data, _ in self.loads():
            if 0 <= vaddr - base <= len(data) - 8:
                yield struct.unpack_from("<Q", data, vaddr - base)[0]

    def build_id(self):
        data = self.bytes_of(self.section(".note.gnu.build-id"))
        if len(data) < 16:
            return ""
        namesz, descsz, _ = struct.unpack_from("<III", data)
        at = 12 + (namesz + 3 & ~3)
        return data[at:at + descsz].hex()

    def debug_file(self):
        """The file of debug information that Debian installs for it."""
        bid = self.build_id()
        path = f"/usr/lib/debug/.build-id/{bid[:2]}/{bid[2:]}.debug"
        return path if bid and os.path.exists(path) else None


def c_string(data, off):
    end = data.find(b"\0", off)
    return data[off:end].decode("utf-8", "replace") if end >= 0 else ""


# ---- .eh_frame ---------------------------------------------------------------

class Reader:
    def __init__(self, data, at, base):
        self.data, self.at, self.base = data, at, base

    def u8(self):
        self.at += 1
        return self.data[self.at - 1]

    def fixed(self, form):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize("<" + form)
        return value

    def uleb(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def sleb(self):
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def pointer(self, enc):
        """An encoded pointer, or None for "omitted"."""
        if enc == 0xff:
            return None
        here = self.base + self.at
        kind = enc & 15
        if kind == 1:
            value = self.uleb()
        elif kind == 9:
            value = self.sleb()
        else:
            value = self.fixed({0: "Q", 2: "H", 3: "I", 4: "Q",
                                10: "h", 11: "i", 12: "q"}[kind])
        if value == 0 and kind not in (1, 9):
            return 0
        if enc & 0x70 == 0x10:
            value += here
        return value & 0xffffffffffffffff


class Fde:
    __slots__ = ("start", "size", "lsda", "is_signal")

    def __init__(self, start, size, lsda, is_signal):
        self.start, self.size = start, size
        self.lsda, self.is_signal = lsda, is_signal


def read_cie(r):
    """(encoding of pointers, encoding of the LSDA, is it a signal frame?)"""
    version = r.u8()
    end = r.data.index(b"\0", r.at)
    aug = r.data[r.at:end]
    r.at = end + 1
    r.uleb()
    r.sleb()
    if version == 1:
        r.u8()
    else:
        r.uleb()
    enc, lsda, signal = 0, 0xff, b"S" in aug
    if aug[:1] != b"z":
        return enc, lsda, signal
    r.uleb()
    for letter in aug[1:].decode("latin-1"):
        if letter == "R":
            enc = r.u8()
        elif letter == "L":
            lsda = r.u8()
        elif letter == "P":
            r.pointer(r.u8())
    return enc, lsda, signal


def fdes(elf):
    """All entries of .eh_frame."""
    section = elf.section(".eh_frame")
    data = elf.bytes_of(section)
    at, cies = 0, {}
    while at + 8 <= len(data):
        length = struct.unpack_from("<I", data, at)[0]
        if length == 0:
            at += 4
            continue
        if length == 0xffffffff or at + 4 + length > len(data):
            return
        end = at + 4 + length
        r = Reader(data, at + 8, section.addr)
        cie = struct.unpack_from("<I", data, at + 4)[0]
        if cie == 0:
            cies[at] = read_cie(r)
        elif at + 4 - cie in cies:
            enc, lsda_enc, signal = cies[at + 4 - cie]
            start = r.pointer(enc)
            size = r.pointer(enc & 15)
            lsda = None
            if lsda_enc != 0xff:
                r.uleb()
                lsda = r.pointer(lsda_enc)
            yield Fde(start, size, lsda or None, signal)
        at = end


def landing_pads(elf, fde):
    """The landing pads of exceptions from a function's calls."""
    section = elf.section(".gcc_except_table")
    if section is None or fde.lsda is None or \
            not 0 <= fde.lsda - section.addr < section.size:
        return
    r = Reader(elf.bytes_of(section), fde.lsda - section.addr, section.addr)
    try:
        base = r.pointer(r.u8())
        base = fde.start if base is None else base
        if r.u8() != 0xff:
            r.uleb()
        enc = r.u8()
        length = r.uleb()
        end = r.at + length
        while r.at < end:
            r.pointer(enc)
            r.pointer(enc)
            pad = r.pointer(enc)
            r.uleb()
            if pad:
                yield base + pad
    except (IndexError, struct.error, KeyError):
        return
