# SPDX-License-Identifier: BSD-2-Clause
"""Decode instructions with Capstone, or with objdump where Capstone cannot.

The library is called through ctypes: Debian's python3-capstone makes an object
of each instruction, which takes ten times as long.  sweep.c has the loop over
all instructions of a file.
"""

import ctypes
import os
import re
import struct
import subprocess

ARCH_X86, MODE_64 = 3, 1 << 3
# struct cs_insn of capstone.h: version 4 has 16 bytes of code, version 5 has
# 24.
LAYOUTS = {4: ("<I4xQH16x32s160s", 240), 5: ("<I4xQH24x32s160s", 248)}
OPERANDS = {4: 66, 5: 74}

# Facts about an instruction, above its length in the low four bits.
LENGTH, RIP, BRANCH, CALL, LEAVES = 15, 16, 32, 64, 128


def _load():
    for name in ("libcapstone.so.4", "libcapstone.so.5"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


# How sweep() ends, and what it is told about an instruction.
SWEPT, UNDECODABLE, EVEX_MET, REFS_FULL = range(4)
IS_CALL, IS_JUMP, IS_END, IS_BRANCH = range(1, 5)
MAX_IDS, MAX_REFS = 4096, 1 << 16


class Missing(Exception):
    pass


class CapstoneArgs(ctypes.Structure):
    """struct capstone of sweep.c."""
    _fields_ = [("iter", ctypes.c_void_p), ("handle", ctypes.c_size_t),
                ("insn", ctypes.c_void_p), ("operands", ctypes.c_uint64),
                ("kind", ctypes.c_void_p), ("nkinds", ctypes.c_uint64)]


class SweepArgs(ctypes.Structure):
    """struct sweep of sweep.c."""
    _fields_ = [(name, ctypes.c_void_p) for name in
                ("data", "info", "targets")] + \
        [(name, ctypes.c_uint64) for name in
         ("vaddr", "len", "start", "stop", "known", "trusted", "agreed", "lo",
          "hi")] + \
        [("refs", ctypes.c_void_p), ("nrefs", ctypes.c_uint64),
         ("max_refs", ctypes.c_uint64)]


def pointer_to(buffer):
    """The address of a bytearray, which must outlive its use."""
    return ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer))


class Decoder:
    """Capstone, and the library that is made of sweep.c."""

    CALLS = ("e800000000", "ffd0")
    JUMPS = ("e900000000", "eb00", "ffe0")
    ENDS = ("c3", "c20000", "cb", "0f0b", "48cf", "f4")
    BRANCHES = tuple(f"{op:x}00" for op in range(0x70, 0x80)) + (
        "e000", "e100", "e200", "e300", "67e300", "c7f800000000")

    def __init__(self, sweeper):
        lib = _load()
        if lib is None:
            raise Missing("libcapstone4 is not installed")
        self.lib = lib
        major, minor = ctypes.c_int(), ctypes.c_int()
        lib.cs_version(ctypes.byref(major), ctypes.byref(minor))
        form, self.size = LAYOUTS[major.value]
        self.form = struct.Struct(
            form + f"{self.size - struct.calcsize(form)}x")
        lib.cs_disasm.restype = ctypes.c_size_t
        lib.cs_disasm.argtypes = [
            ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
            ctypes.c_uint64, ctypes.c_size_t,
            ctypes.POINTER(ctypes.c_void_p)]
        lib.cs_free.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        handle = ctypes.c_size_t()
        if lib.cs_open(ARCH_X86, MODE_64, ctypes.byref(handle)) != 0:
            raise Missing("libcapstone does not know x86-64")
        self.handle = handle.value
        self.sweep = ctypes.CDLL(sweeper).sweep
        self.sweep.argtypes = [ctypes.POINTER(CapstoneArgs),
                               ctypes.POINTER(SweepArgs),
                               ctypes.POINTER(ctypes.c_uint64)]
        self.kinds = self._kinds()
        self.insn = bytearray(self.size)
        self.refs = bytearray(24 * MAX_REFS)
        self.args = CapstoneArgs(
            ctypes.cast(lib.cs_disasm_iter, ctypes.c_void_p).value,
            self.handle, pointer_to(self.insn), OPERANDS[major.value],
            pointer_to(self.kinds), MAX_IDS)

    def _kinds(self):
        """The class of an instruction, by Capstone's id."""
        kinds = bytearray(MAX_IDS)
        for codes, kind in ((self.BRANCHES, IS_BRANCH), (self.ENDS, IS_END),
                            (self.JUMPS, IS_JUMP), (self.CALLS, IS_CALL)):
            for code in codes:
                for row in self.run(bytes.fromhex(code), 0, 1):
                    kinds[row[0]] = kind
        return kinds

    def run(self, code, addr, count=0):
        """Rows (id, address, length, mnemonic, operands) up to undecodable
        bytes.

        Bytes behind the end of a text are garbage: see text()."""
        out = ctypes.c_void_p()
        n = self.lib.cs_disasm(self.handle, code, len(code), addr, count,
                               ctypes.byref(out))
        if n == 0:
            return []
        raw = ctypes.string_at(out, n * self.size)
        self.lib.cs_free(out, n)
        return self.form.iter_unpack(raw)


def text(field):
    return field.partition(b"\0")[0]


LINE = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)$")
PREFIXES = {"bnd", "notrack", "rep", "repz", "repnz", "lock", "data16", "cs",
            "ds", "es", "ss", "fs", "gs", "addr32", "rex", "rex.W"}


def objdump(code, addr):
    """Rows (address, length, mnemonic, operands) of code, by objdump.

    For undecodable bytes, the mnemonic is (bad).  objdump gets the bytes
    alone: of a file, it would read all symbols each time."""
    fd = os.memfd_create("code")
    try:
        os.write(fd, code)
        out = subprocess.run(
            ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-w", "-z",
             "--insn-width=15", f"--adjust-vma={addr:#x}",
             f"/proc/self/fd/{fd}"],
            capture_output=True, text=True, check=True, pass_fds=(fd,)).stdout
    finally:
        os.close(fd)
    for line in out.splitlines():
        m = LINE.match(line)
        if m is None:
            continue
        words = m.group(3).split()
        while len(words) > 1 and (words[0] in PREFIXES or
                                  words[0].startswith("rex.")):
            words.pop(0)
        yield (int(m.group(1), 16), len(m.group(2).split()),
               words[0] if words else "(bad)", " ".join(words[1:]))
