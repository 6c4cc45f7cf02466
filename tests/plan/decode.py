# SPDX-License-Identifier: BSD-2-Clause
"""Decode instructions with Capstone, or with objdump where Capstone cannot.

The library is called through ctypes: Debian's python3-capstone makes an object
of each instruction, which takes ten times as long.
"""

import ctypes
import re
import struct
import subprocess

ARCH_X86, MODE_64 = 3, 1 << 3
# struct cs_insn of capstone.h: version 4 has 16 bytes of code, version 5 has
# 24.
LAYOUTS = {4: ("<I4xQH16x32s160s", 240), 5: ("<I4xQH24x32s160s", 248)}

# Facts about an instruction, above its length in the low four bits.
LENGTH, RIP, BRANCH, CALL, LEAVES = 15, 16, 32, 64, 128


def _load():
    for name in ("libcapstone.so.4", "libcapstone.so.5"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


class Missing(Exception):
    pass


class Decoder:
    def __init__(self):
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


def objdump(path, start, end):
    """Rows (address, length, mnemonic, operands) of a file's code, by objdump.

    For undecodable bytes, the mnemonic is (bad)."""
    out = subprocess.run(
        ["objdump", "-d", "-w", "-z", "--insn-width=15",
         f"--start-address={start:#x}", f"--stop-address={end:#x}", path],
        capture_output=True, text=True, check=False).stdout
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
